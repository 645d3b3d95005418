/* Videos: frames are drawn by several threads and written in order, as a GIF, a folder of PNG files, or
 * through ffmpeg. */
#include "picture/film.h"
#include "base/words.h"
#include "base/base.h"
#include "base/pool.h"
#include "picture/gif.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PALETTE_LOOKS = 10, THREADS_MAX = 64 };
typedef enum video_kind { VIDEO_PNG, VIDEO_GIF, VIDEO_MP4 } video_kind;

/* One frame on its way. */
typedef struct slot {
    int32_t frame; /* -1: none */
    vxe_canvas canvas;
    uint8_t *index; /* of the GIF */
    uint8_t *data;  /* as it is written */
    size_t size;
    vxe_result result;
    vxe_error error;
} slot;

typedef struct video {
    const vxe_film *film;
    const vxe_picture_def *def;
    vxe_camera_path path;
    video_kind kind;
    const char *target;
    double rate;
    double speed;
    int32_t frames;
    int threads;
    slot *slots;   /* (threads) */
    uint8_t *last; /* indices of the last frame of the batch before */
    bool has_last;
    vxe_palette palette;
    vxe_file file;   /* of the GIF */
    char *temporary; /* of the MP4 */
    int pipe;        /* to ffmpeg; -1: none */
    FILE *complaints;
    pid_t child;
} video;

static double time_of(const video *v, int32_t frame)
{
    const double begin = v->film->shots[0].time;
    const double end = v->film->shots[v->film->count - 1].time;
    return fmin(begin + frame * v->speed / v->rate, end);
}

/* Hundredths of a second until the next frame, so that they add up. */
static int delay_of(const video *v, int32_t frame)
{
    const double begin = floor(100.0 * frame / v->rate + 0.5);
    const double end = floor(100.0 * (frame + 1) / v->rate + 0.5);
    return (int)fmax(end - begin, 2.0);
}

/* ---- threads ----------------------------------------------------------------------------------------------------------- */

static void draw_slot(void *context, int index)
{
    video *v = context;
    slot *s = &v->slots[index];
    if (s->frame < 0) return;
    s->result = vxe_film_render(v->film, v->def, &v->path, time_of(v, s->frame), &s->canvas, &s->error);
    if (s->result != VXE_OK) return;
    if (v->kind == VIDEO_PNG) s->result = vxe_png_encode(&s->canvas, &s->data, &s->size, &s->error);
    if (v->kind == VIDEO_GIF) vxe_palette_map(&v->palette, &s->canvas, s->index);
}

/* Needs the indices of the frame before, so it follows when all of the batch are drawn. */
static void pack_slot(void *context, int index)
{
    video *v = context;
    slot *s = &v->slots[index];
    if (s->frame < 0 || s->result != VXE_OK) return;
    const uint8_t *before = index > 0 ? v->slots[index - 1].index : v->has_last ? v->last : NULL;
    s->data =
        vxe_gif_frame(s->index, before, s->canvas.width, s->canvas.height, delay_of(v, s->frame), &s->size);
    if (s->data == NULL)
        s->result =
            vxe_fail_memory(&s->error, "a video", 2 * (size_t)s->canvas.width * (size_t)s->canvas.height);
}

/* ---- ffmpeg ------------------------------------------------------------------------------------------------------------- */

/* A socket rather than a pipe: one that nobody reads gives an error instead of a signal. */
static vxe_result start_ffmpeg(video *v, vxe_error *error)
{
    char size[32];
    char rate[32];
    (void)snprintf(size, sizeof size, "%dx%d", (int)v->def->width, (int)v->def->height);
    (void)snprintf(rate, sizeof rate, "%.6g", v->rate);
    char *arguments[] = {"ffmpeg",
                         "-y",
                         "-loglevel",
                         "error",
                         "-f",
                         "rawvideo",
                         "-pix_fmt",
                         "rgb24",
                         "-s",
                         size,
                         "-r",
                         rate,
                         "-i",
                         "pipe:0",
                         "-an",
                         "-vf",
                         "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                         "-c:v",
                         "libx264",
                         "-preset",
                         "veryfast",
                         "-crf",
                         "18",
                         "-pix_fmt",
                         "yuv420p",
                         "-movflags",
                         "+faststart",
                         v->temporary,
                         NULL};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return vxe_fail(error, VXE_ERROR_FILE, "ffmpeg: %s", strerror(errno));
    v->complaints = tmpfile();
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
    (void)posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (v->complaints != NULL) {
        (void)posix_spawn_file_actions_adddup2(&actions, fileno(v->complaints), STDOUT_FILENO);
        (void)posix_spawn_file_actions_adddup2(&actions, fileno(v->complaints), STDERR_FILENO);
    }
    const int problem = posix_spawnp(&v->child, "ffmpeg", &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (problem != 0) {
        (void)close(ends[0]);
        v->child = 0;
        return problem == ENOENT ? vxe_fail(error, VXE_ERROR_FILE,
                                            "%s: MP4 needs ffmpeg, which is not installed; a name that ends "
                                            "with .gif does without",
                                            v->target)
                                 : vxe_fail(error, VXE_ERROR_FILE, "ffmpeg: %s", strerror(problem));
    }
    v->pipe = ends[0];
    return VXE_OK;
}

static vxe_result send_frame(video *v, const vxe_canvas *c, vxe_error *error)
{
    const size_t size = 3 * (size_t)c->width * (size_t)c->height;
    for (size_t sent = 0; sent < size;) {
        const ssize_t now = send(v->pipe, c->pixels + sent, size - sent, MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return vxe_fail(error, VXE_ERROR_FILE, "%s: ffmpeg takes no more frames", v->target);
        sent += (size_t)now;
    }
    return VXE_OK;
}

/* Lets ffmpeg finish; its own first words say what went wrong. */
static vxe_result finish_ffmpeg(video *v, vxe_result result, vxe_error *error)
{
    int status = 0;
    if (v->pipe >= 0) (void)close(v->pipe);
    v->pipe = -1;
    if (v->child > 0) {
        while (waitpid(v->child, &status, 0) < 0 && errno == EINTR) {
        }
        if (status != 0 || result != VXE_OK) {
            char said[200] = "";
            if (v->complaints != NULL) {
                rewind(v->complaints);
                if (fgets(said, sizeof said, v->complaints) == NULL) said[0] = '\0';
                said[strcspn(said, "\r\n")] = '\0';
            }
            if (status != 0)
                result = vxe_fail(error, VXE_ERROR_FILE, "%s: ffmpeg failed%s%s", v->target,
                                  said[0] != '\0' ? ": " : "", said);
        }
    }
    v->child = 0;
    if (v->complaints != NULL) (void)fclose(v->complaints);
    v->complaints = NULL;
    if (v->temporary != NULL) {
        if (result == VXE_OK && rename(v->temporary, v->target) != 0)
            result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", v->target, strerror(errno));
        if (result != VXE_OK) (void)unlink(v->temporary);
    }
    return result;
}

/* ---- begin, frames, end -------------------------------------------------------------------------------------------------- */

/* Looks at some frames and chooses the colours. */
static vxe_result begin_gif(video *v, vxe_error *error)
{
    slot *s = &v->slots[0];
    uint8_t header[VXE_GIF_HEADER];
    if (!vxe_palette_begin(&v->palette)) return vxe_fail_memory(error, "a video", (size_t)9 << 20);
    vxe_result result = VXE_OK;
    const int32_t looks = v->frames < PALETTE_LOOKS ? v->frames : PALETTE_LOOKS;
    for (int32_t i = 0; i < looks && result == VXE_OK; i++) {
        const int32_t frame = looks == 1 ? 0 : (int32_t)((int64_t)i * (v->frames - 1) / (looks - 1));
        result = vxe_film_render(v->film, v->def, &v->path, time_of(v, frame), &s->canvas, error);
        if (result == VXE_OK) vxe_palette_add(&v->palette, &s->canvas);
    }
    if (result != VXE_OK) return result;
    vxe_palette_choose(&v->palette);
    result = vxe_file_open(&v->file, v->target, error);
    if (result != VXE_OK) return result;
    const size_t size = vxe_gif_header(&v->palette, v->def->width, v->def->height, header);
    return fwrite(header, 1, size, v->file.stream) == size
               ? VXE_OK
               : vxe_fail(error, VXE_ERROR_FILE, "%s: %s", v->target, strerror(errno));
}

static vxe_result begin(video *v, vxe_error *error)
{
    const size_t pixels = (size_t)v->def->width * (size_t)v->def->height;
    v->slots = calloc((size_t)v->threads, sizeof *v->slots);
    v->last = v->kind == VIDEO_GIF ? malloc(pixels) : NULL;
    bool good = v->slots != NULL && (v->kind != VIDEO_GIF || v->last != NULL);
    for (int i = 0; i < v->threads && good; i++) {
        slot *s = &v->slots[i];
        s->canvas = (vxe_canvas){v->def->width, v->def->height, malloc(3 * pixels)};
        s->index = v->kind == VIDEO_GIF ? malloc(pixels) : NULL;
        good = s->canvas.pixels != NULL && (v->kind != VIDEO_GIF || s->index != NULL);
    }
    if (!good) return vxe_fail_memory(error, "a video", 4 * pixels * (size_t)v->threads);
    vxe_result result = vxe_camera_plan(v->film, v->def, &v->path, error);
    if (result != VXE_OK) return result;
    if (v->kind == VIDEO_GIF) return begin_gif(v, error);
    if (v->kind == VIDEO_PNG) {
        if (mkdir(v->target, 0777) != 0 && errno != EEXIST)
            return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", v->target, strerror(errno));
        return VXE_OK;
    }
    v->temporary = vxe_text("%s.part.mp4", v->target);
    if (v->temporary == NULL) return vxe_fail_memory(error, "a video", strlen(v->target));
    return start_ffmpeg(v, error);
}

static vxe_result write_slot(video *v, slot *s, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (s->result != VXE_OK) return vxe_fail(error, s->result, "%s", s->error.message);
    if (v->kind == VIDEO_MP4) return send_frame(v, &s->canvas, error);
    if (v->kind == VIDEO_GIF) {
        if (fwrite(s->data, 1, s->size, v->file.stream) != s->size)
            result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", v->target, strerror(errno));
    } else {
        char *name = vxe_text("%s/frame-%05d.png", v->target, (int)s->frame);
        if (name == NULL) return vxe_fail_memory(error, "a video", strlen(v->target));
        result = vxe_write_file(name, s->data, s->size, error);
        free(name);
    }
    free(s->data);
    s->data = NULL;
    return result;
}

static vxe_result make_frames(video *v, vxe_pool *pool, vxe_video_progress *progress, void *user,
                              vxe_error *error)
{
    const size_t pixels = (size_t)v->def->width * (size_t)v->def->height;
    vxe_result result = VXE_OK;
    for (int32_t frame = 0; frame < v->frames && result == VXE_OK; frame += v->threads) {
        for (int i = 0; i < v->threads; i++) v->slots[i].frame = frame + i < v->frames ? frame + i : -1;
        vxe_pool_run(pool, draw_slot, v);
        if (v->kind == VIDEO_GIF) vxe_pool_run(pool, pack_slot, v);
        int last = 0;
        for (int i = 0; i < v->threads && v->slots[i].frame >= 0 && result == VXE_OK; i++) {
            result = write_slot(v, &v->slots[i], error);
            last = i;
        }
        if (v->kind == VIDEO_GIF) {
            memcpy(v->last, v->slots[last].index, pixels);
            v->has_last = true;
        }
        const int32_t done = frame + v->threads < v->frames ? frame + v->threads : v->frames;
        if (result == VXE_OK && progress != NULL && !progress(user, done, v->frames))
            result = vxe_fail(error, VXE_ERROR_ARGUMENT, "%s: stopped after %d of %d frames", v->target,
                              (int)done, (int)v->frames);
    }
    return result;
}

static vxe_result end(video *v, vxe_result result, vxe_error *error)
{
    if (v->kind == VIDEO_MP4) result = finish_ffmpeg(v, result, error);
    if (v->kind == VIDEO_GIF && v->file.stream != NULL) {
        if (result == VXE_OK && fputc(0x3b, v->file.stream) == EOF)
            result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", v->target, strerror(errno));
        if (result == VXE_OK) {
            result = vxe_file_commit(&v->file, error);
        } else {
            vxe_file_discard(&v->file);
        }
    }
    for (int i = 0; i < v->threads && v->slots != NULL; i++) {
        free(v->slots[i].canvas.pixels);
        free(v->slots[i].index);
        free(v->slots[i].data);
    }
    free(v->slots);
    free(v->last);
    free(v->temporary);
    vxe_palette_clear(&v->palette);
    vxe_camera_path_clear(&v->path);
    return result;
}

vxe_result vxe_film_save_video(const vxe_film *film, const vxe_picture_def *def, double rate, double speed,
                               const char *path, vxe_video_progress *progress, void *user, vxe_error *error)
{
    vxe_picture_def own = vxe_default_picture_def();
    vxe_result result = vxe_film_check(film, def, &own, error);
    if (result != VXE_OK) return result;
    def = &own;
    if (path == NULL || !(rate > 0.0) || !(rate <= 1000.0) || !(speed > 0.0) || !isfinite(speed) ||
        def->threads < 0)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "a video needs a path, a rate of up to 1000 a second and a speed");
    const double length = film->shots[film->count - 1].time - film->shots[0].time;
    /* The last one may be a little short of its time: films end with a step, not with a frame. */
    const double frames = floor(length / speed * rate + 0.05) + 1.0;
    if (frames > 1e6) return vxe_fail(error, VXE_ERROR_LIMIT, "%s: %.0f frames are too many", path, frames);
    int threads = def->threads > 0 ? def->threads : vxe_processors();
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    if (threads > (int)frames) threads = (int)frames;
    video v = {
        .film = film,
        .def = def,
        .kind = vxe_ends_with(path, ".gif")   ? VIDEO_GIF
                : vxe_ends_with(path, ".mp4") ? VIDEO_MP4
                                              : VIDEO_PNG,
        .target = path,
        .rate = rate,
        .speed = speed,
        .frames = (int32_t)frames,
        .threads = threads,
        .pipe = -1,
    };
    vxe_pool *pool = NULL;
    result = vxe_pool_create(threads, &pool, error);
    if (result == VXE_OK) {
        result = begin(&v, error);
        if (result == VXE_OK) result = make_frames(&v, pool, progress, user, error);
        result = end(&v, result, error);
        vxe_pool_destroy(pool);
    }
    return result;
}
