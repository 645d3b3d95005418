/* Recording and writing replays; see replay.h. */
#include "studio/replay.h"
#include "base/base.h"
#include "studio/field.h"
#include "studio/message.h"
#include "studio/pack.h"
#include "studio/page.h"
#include "studio/surface.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FRAMES_MAX = 400,
    FRAMES_WANTED = 240,
    ROWS_MAX = 4000,
    ROWS_PER_FRAME = 8,
    FIELDS = 5,
    POSE = 8,
    BREAKABLE_BYTES = 16
};
#define BYTES_MAX ((size_t)20 << 20) /* of the frames; the mesh and the page come to it */
#define GRAIN 256.0                  /* corners are kept to this part of a pitch, which no eye sees */
#define MARK "<!--VOXELASTIC-REPLAY-->"
/* Pictures may take this share of the run's time, and a moment. */
#define TIME_SHARE 0.05
#define TIME_FREE 0.5
/* Beyond FRAMES_LEAST they may take less: a run of a tenth of a second must not become twice as long. */
#define FRAMES_LEAST 24
#define EXTRA_SHARE 0.01
#define EXTRA_FREE 0.001

static const char *const field_names[FIELDS] = {"strain", "displacement", "stress", "speed", "contact_force"};

/* A frame as it is kept. The range of a field over all frames is known only at the end: until then values are
 * parts of the frame's own range, 0 to 255. */
typedef struct kept_frame {
    json_t *object;  /* as it is written, but for the fields */
    uint8_t *values; /* of each voxel of the surface, field after field */
    float *poses;    /* only if links can break: POSE numbers per voxel; corners come at the end */
    double origin[3];
    double range[FIELDS][2];
} kept_frame;

struct replay {
    const vxe_scene *scene;
    const vxe_trace *trace;
    surface *surface;
    size_t voxels;   /* whose fields are kept: those of the surface, or all */
    bool breakable;  /* links can break. Which corners are shared is then known only at the end, so poses of
                        all  voxels are kept until then */
    double interval; /* s between frames */
    double next;     /* s */
    kept_frame frames[FRAMES_MAX];
    size_t frame_count;
    size_t bytes;
    double range[FIELDS][2]; /* over all frames */
    double begun;            /* on replay_clock() */
    double spent;            /* s, on frames */
    double last;             /* s; time of the last frame */
    double *rows;            /* (ROWS_MAX columns) */
    size_t row_count;
    int32_t columns;
    double row_interval; /* s between rows */
    double row_next;     /* s */
    bool failed;         /* there was no memory */
};

static double replay_clock(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What a frame adds to the file, at most: base64 has four letters for three bytes. */
static size_t frame_bytes(const replay *r, const kept_frame *f)
{
    if (f->object == NULL) return 0;
    const size_t corners =
        r->breakable ? BREAKABLE_BYTES * r->voxels : pack_size(json_object_get(f->object, "corners"));
    return corners + FIELDS * r->voxels * 4 / 3;
}

static void drop_frame(replay *r, kept_frame *f)
{
    r->bytes -= frame_bytes(r, f);
    json_decref(f->object);
    free(f->values);
    free(f->poses);
    *f = (kept_frame){.object = NULL};
}

void replay_destroy(replay *r)
{
    if (r == NULL) return;
    for (size_t i = 0; i < r->frame_count; i++) drop_frame(r, &r->frames[i]);
    surface_destroy(r->surface);
    free(r->rows);
    free(r);
}

/* How long the run may take, s; infinite: nobody knows. */
static double expected_length(const vxe_sim *sim, const vxe_scene *scene, const vxe_stop *stop)
{
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    double length = INFINITY;
    if (stop->time > 0.0) length = stop->time;
    if (stop->steps > 0) length = fmin(length, (double)stop->steps * vxe_sim_time_step(sim).dt);
    if (stop->cycles > 0.0 && signal != NULL && signal->period > 0.0) {
        length = fmin(length, stop->cycles * signal->period);
    }
    return length;
}

vxe_result replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace, const vxe_stop *stop,
                         replay **made, vxe_error *error)
{
    replay *r = calloc(1, sizeof *r);
    if (r == NULL) return vxe_fail_memory(error, "the replay", sizeof *r);
    r->scene = scene;
    r->trace = trace;
    r->columns = trace == NULL ? 0 : vxe_trace_columns(trace);
    r->begun = replay_clock();
    const double length = expected_length(sim, scene, stop);
    r->interval = isfinite(length) ? length / FRAMES_WANTED : 20.0 * vxe_sim_time_step(sim).dt;
    r->row_interval = r->interval / ROWS_PER_FRAME;
    r->next = vxe_sim_time(sim);
    r->row_next = r->next;
    r->last = -1.0;
    r->rows = calloc(ROWS_MAX * (size_t)r->columns + 1, sizeof *r->rows);
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++) {
        r->breakable = r->breakable || vxe_scene_material(scene, i)->failure_stress > 0.0;
    }
    vxe_result result = surface_create(sim, r->breakable, false, &r->surface, error);
    if (result == VXE_OK) r->voxels = (size_t)r->surface->voxel_count;
    if (r->rows == NULL && result == VXE_OK) result = vxe_fail_memory(error, "the replay", ROWS_MAX);
    if (result != VXE_OK) {
        replay_destroy(r);
        return result;
    }
    (void)replay_observe(r, sim);
    r->spent = 0.0; /* that was before the run */
    *made = r;
    return VXE_OK;
}

double replay_next(const replay *r)
{
    return r == NULL || r->failed ? INFINITY : r->columns == 0 ? r->next : fmin(r->next, r->row_next);
}

double replay_spent(const replay *r) { return r == NULL ? 0.0 : r->spent; }

/* Whether `time` has come to `next`, with a billionth of slack. */
static bool is_due(double time, double next, double every) { return time >= next - 1e-9 * every; }

static double next_multiple(double time, double every) { return every * (floor(time / every + 1e-9) + 1.0); }

/* ---- frames ------------------------------------------------------------------------------------------------------- */

static void thin_out(replay *r)
{
    for (size_t i = 0; i < r->frame_count; i++) {
        if (i % 2 != 0) {
            drop_frame(r, &r->frames[i]);
        } else if (i > 0) {
            r->frames[i / 2] = r->frames[i];
            r->frames[i] = (kept_frame){.object = NULL};
        }
    }
    r->frame_count = (r->frame_count + 1) / 2;
    r->interval *= 2.0;
}

/* Corners as whole numbers of steps from the least one, along each axis. */
static void quantise(const float *corners, size_t count, double pitch, double box[6], uint16_t *numbers)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t a = 0; a < 3; a++) box[a] = INFINITY;
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(corners[i])) continue;
        box[i % 3] = fmin(box[i % 3], corners[i]);
        high[i % 3] = fmax(high[i % 3], corners[i]);
    }
    for (size_t a = 0; a < 3; a++) {
        if (!isfinite(box[a])) box[a] = high[a] = 0.0;
        box[3 + a] = fmax((high[a] - box[a]) / 65535.0, pitch / GRAIN);
    }
    for (size_t i = 0; i < 3 * count; i++) {
        const double q = round((corners[i] - box[i % 3]) / box[3 + i % 3]);
        numbers[i] = q > 0.0 ? (uint16_t)fmin(q, 65535.0) : 0; /* not a number: 0 */
    }
}

/* The middle of the body, on a grid of pitches: where float32 counts from. */
static void find_origin(const vxe_sim *sim, double pitch, double origin[3])
{
    vxe_sim_center_of_mass(sim, origin);
    for (int a = 0; a < 3; a++) origin[a] = isfinite(origin[a]) ? pitch * round(origin[a] / pitch) : 0.0;
}

static json_t *numbers_json(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) (void)json_array_append_new(list, number_json(values[i]));
    return list;
}

/* Reads the fields of a frame. */
static bool read_fields(replay *r, vxe_sim *sim, kept_frame *f)
{
    const surface *s = r->surface;
    const size_t n = (size_t)s->voxel_count;
    float *values = malloc((n + 1) * sizeof *values);
    f->values = malloc(FIELDS * n + 1);
    bool good = values != NULL && f->values != NULL;
    for (size_t i = 0; i < FIELDS && good; i++) {
        good = field_read(field_find(field_names[i]), sim, r->scene, s->voxel, s->voxel_count, values,
                          f->range[i], NULL) == VXE_OK;
        const double width = f->range[i][1] - f->range[i][0];
        for (size_t v = 0; v < n && good; v++) {
            const double q = width > 0.0 ? round(255.0 * (values[v] - f->range[i][0]) / width) : 0.0;
            f->values[i * n + v] = q > 0.0 ? (uint8_t)fmin(q, 255.0) : 0;
        }
        r->range[i][0] = fmin(r->range[i][0], f->range[i][0]);
        r->range[i][1] = fmax(r->range[i][1], f->range[i][1]);
    }
    free(values);
    return good;
}

/* Adds a packed array; false if there is no memory. */
static bool add_pack(json_t *o, const char *name, const char *type, size_t count, const void *data)
{
    json_t *packed = pack_json(type, count, data);
    return packed != NULL && json_object_set_new(o, name, packed) == 0;
}

/* Corners of the poses that the surface has taken, as numbers in a box. */
static bool add_corners(const replay *r, json_t *object, const double origin[3], double pitch)
{
    const size_t m = (size_t)r->surface->corner_count;
    double box[6];
    float *corners = malloc((3 * m + 1) * sizeof *corners);
    uint16_t *numbers = malloc((3 * m + 1) * sizeof *numbers);
    bool good = corners != NULL && numbers != NULL;
    if (good) {
        surface_corners(r->surface, origin, corners);
        quantise(corners, m, pitch, box, numbers);
        good = add_pack(object, "corners", "u16", 3 * m, numbers) &&
               json_object_set_new(object, "box", numbers_json(box, 6)) == 0;
    }
    free(corners);
    free(numbers);
    return good;
}

/* Poses of all voxels, relative to the frame's origin. */
static bool keep_poses(const replay *r, kept_frame *f, const vxe_state *state)
{
    f->poses = malloc((POSE * r->voxels + 1) * sizeof *f->poses);
    if (f->poses == NULL) return false;
    for (size_t v = 0; v < r->voxels; v++) {
        float *pose = f->poses + POSE * v;
        for (size_t a = 0; a < 3; a++) pose[a] = (float)(state->position[a][v] - f->origin[a]);
        for (size_t a = 0; a < 4; a++) pose[3 + a] = (float)state->orientation[a][v];
        pose[7] = (float)state->growth[v];
    }
    return true;
}

/* Corners of the poses that were kept, as the links are shared in the end. */
static bool place_poses(replay *r, vxe_sim *sim, vxe_error *error)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const double origin[3] = {0.0, 0.0, 0.0}; /* the poses count from the frame's own */
    surface *last = NULL;
    double *numbers = malloc((POSE * r->voxels + 1) * sizeof *numbers);
    bool good = numbers != NULL && surface_create(sim, false, false, &last, error) == VXE_OK;
    if (good) {
        surface_destroy(r->surface);
        r->surface = last;
    }
    vxe_state state = {0};
    for (size_t a = 0; a < POSE && good; a++) {
        const double *array = numbers + a * r->voxels;
        if (a < 3) {
            state.position[a] = array;
        } else if (a < 7) {
            state.orientation[a - 3] = array;
        } else {
            state.growth = array;
        }
    }
    for (size_t i = 0; i < r->frame_count && good; i++) {
        for (size_t k = 0; k < POSE * r->voxels; k++) {
            numbers[k % POSE * r->voxels + k / POSE] = (double)r->frames[i].poses[k];
        }
        surface_pose(r->surface, model, &state);
        good = add_corners(r, r->frames[i].object, origin, model->pitch);
    }
    free(numbers);
    return good;
}

static bool make_frame(replay *r, vxe_sim *sim, kept_frame *f)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *state = vxe_sim_state(sim);
    find_origin(sim, model->pitch, f->origin);
    f->object = json_pack("{s:o, s:I, s:o}", "time", number_json(state->time), "step",
                          (json_int_t)state->step, "origin", vector_json(f->origin));
    if (f->object == NULL || !read_fields(r, sim, f)) return false;
    if (r->breakable) return keep_poses(r, f, vxe_sim_state(sim));
    surface_pose(r->surface, model, vxe_sim_state(sim));
    return add_corners(r, f->object, f->origin, model->pitch);
}

static void record(replay *r, vxe_sim *sim)
{
    if (r->frame_count == FRAMES_MAX) thin_out(r);
    kept_frame *f = &r->frames[r->frame_count];
    if (!make_frame(r, sim, f)) {
        json_decref(f->object);
        free(f->values);
        free(f->poses);
        *f = (kept_frame){.object = NULL};
        r->failed = true;
        return;
    }
    r->frame_count++;
    r->bytes += frame_bytes(r, f);
    r->last = vxe_sim_time(sim);
    while (r->bytes > BYTES_MAX && r->frame_count > 2) thin_out(r);
}

/* Every second row goes. */
static void thin_rows(replay *r)
{
    const size_t width = (size_t)r->columns;
    for (size_t i = 1; 2 * i < r->row_count; i++) {
        memcpy(r->rows + i * width, r->rows + 2 * i * width, width * sizeof *r->rows);
    }
    r->row_count = (r->row_count + 1) / 2;
    r->row_interval *= 2.0;
}

/* Records a row of the trace. */
static void record_row(replay *r, vxe_sim *sim)
{
    const size_t width = (size_t)r->columns;
    if (r->row_count == ROWS_MAX) thin_rows(r);
    vxe_trace_read(r->trace, sim, r->rows + r->row_count++ * width);
}

double replay_observe(replay *r, vxe_sim *sim)
{
    if (r == NULL || r->failed) return 0.0;
    const double time = vxe_sim_time(sim);
    const double before = replay_clock();
    if (r->columns > 0 && is_due(time, r->row_next, r->row_interval)) {
        record_row(r, sim);
        r->row_next = next_multiple(time, r->row_interval);
    }
    if (is_due(time, r->next, r->interval)) {
        record(r, sim);
        /* A short run of a large body is not made long by its pictures. */
        const double gone = replay_clock() - r->begun;
        if (r->spent > TIME_FREE + TIME_SHARE * gone) {
            r->interval *= 2.0;
        } else if (r->frame_count >= 2 * FRAMES_LEAST && r->spent > EXTRA_FREE + EXTRA_SHARE * gone) {
            thin_out(r);
            thin_rows(r);
            r->row_next = next_multiple(time, r->row_interval);
        }
        r->next = next_multiple(time, r->interval);
    }
    const double took = replay_clock() - before;
    r->spent += took;
    return took;
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

static json_t *mesh_json(const surface *s, double pitch)
{
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    const size_t f = (size_t)s->face_count;
    const double origin[3] = {0.0, 0.0, 0.0};
    float *start = calloc(3 * m + 1, sizeof *start);
    json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:s}", "voxels", (json_int_t)n, "corners", (json_int_t)m,
                          "faces", (json_int_t)f, "origin", vector_json(origin), "shown", "surface");
    bool good = start != NULL && o != NULL;
    if (good) {
        surface_start(s, pitch, origin, start);
        good = add_pack(o, "voxel", "u32", n, s->voxel) && add_pack(o, "cell", "i32", 3 * n, s->cell) &&
               add_pack(o, "material", "u16", n, s->material) && add_pack(o, "start", "f32", 3 * m, start) &&
               add_pack(o, "face", "u32", 4 * f, s->face) &&
               add_pack(o, "face_voxel", "u32", f, s->face_voxel) &&
               add_pack(o, "face_side", "u8", f, s->face_side) &&
               add_pack(o, "hexahedron", "u32", 8 * n, s->hexahedron);
    }
    free(start);
    if (!good) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* Whether a field is worth its bytes: where nothing touches anything, contact forces are not. */
static bool has_field(const replay *r, size_t i) { return i < 2 || r->range[i][1] > r->range[i][0]; }

/* Field i of a frame in parts of the range over all frames. */
static void rescale(const replay *r, const kept_frame *f, size_t i, uint8_t *numbers)
{
    const size_t n = (size_t)r->surface->voxel_count;
    const double width = r->range[i][1] - r->range[i][0];
    const double slope = width > 0.0 ? (f->range[i][1] - f->range[i][0]) / width : 0.0;
    const double base = width > 0.0 ? 255.0 * (f->range[i][0] - r->range[i][0]) / width : 0.0;
    for (size_t k = 0; k < n; k++) {
        const size_t v = r->breakable ? r->surface->voxel[k] : k;
        numbers[k] = (uint8_t)fmin(fmax(round(base + slope * f->values[i * r->voxels + v]), 0.0), 255.0);
    }
}

/* The phases of the voxels, which do not change: in the first frame only. */
static bool add_phase(const replay *r, json_t *fields, uint8_t *numbers)
{
    const surface *s = r->surface;
    double range[2] = {INFINITY, -INFINITY};
    if (!vxe_scene_has_actuation(r->scene) || r->frame_count == 0) return true;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < s->voxel_count; i++) {
            const int32_t *at = s->cell + 3 * (size_t)i;
            const double phase = vxe_scene_actuation(r->scene, at[0], at[1], at[2]).phase;
            if (pass == 0) {
                range[0] = fmin(range[0], phase);
                range[1] = fmax(range[1], phase);
            } else {
                const double width = range[1] - range[0];
                numbers[i] = width > 0.0 ? (uint8_t)round(255.0 * (phase - range[0]) / width) : 0;
            }
        }
    }
    (void)json_array_append_new(fields, field_json(field_find("phase"), range));
    return add_pack(r->frames[0].object, "phase", "u8", (size_t)s->voxel_count, numbers);
}

/* The frames with their fields, and what the fields are. */
static bool make_frames(replay *r, json_t *frames, json_t *fields)
{
    const size_t n = (size_t)r->surface->voxel_count;
    uint8_t *numbers = malloc(n + 1);
    bool good = numbers != NULL;
    for (size_t i = 0; i < FIELDS && good; i++) {
        if (!has_field(r, i)) continue;
        (void)json_array_append_new(fields, field_json(field_find(field_names[i]), r->range[i]));
        for (size_t k = 0; k < r->frame_count && good; k++) {
            rescale(r, &r->frames[k], i, numbers);
            good = add_pack(r->frames[k].object, field_names[i], "u8", n, numbers);
        }
    }
    good = good && add_phase(r, fields, numbers);
    for (size_t k = 0; k < r->frame_count; k++) (void)json_array_append(frames, r->frames[k].object);
    free(numbers);
    return good;
}

static json_t *materials_json(const vxe_scene *scene)
{
    json_t *list = json_array();
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++) {
        const vxe_material_def *m = vxe_scene_material(scene, i);
        char color[16];
        (void)snprintf(color, sizeof color, "#%02x%02x%02x", m->color[0], m->color[1], m->color[2]);
        (void)json_array_append_new(list, json_pack("{s:s, s:s}", "name", m->name, "color", color));
    }
    return list;
}

static json_t *trace_json(const replay *r)
{
    json_t *columns = json_array();
    for (int32_t c = 0; c < r->columns; c++) {
        (void)json_array_append_new(columns, json_string(vxe_trace_column(r->trace, c)));
    }
    json_t *o = json_pack("{s:o, s:I}", "columns", columns, "rows", (json_int_t)r->row_count);
    if (!add_pack(o, "data", "f64", r->row_count * (size_t)r->columns, r->rows)) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *replay_json(replay *r, const json_t *summary)
{
    const vxe_scene *scene = r->scene;
    const double pitch = vxe_scene_pitch(scene);
    int32_t size[3];
    vxe_scene_size(scene, size);
    json_t *frames = json_array();
    json_t *fields = json_array();
    json_t *mesh = mesh_json(r->surface, pitch);
    json_t *trace = trace_json(r);
    if (!make_frames(r, frames, fields) || mesh == NULL || trace == NULL) {
        json_decref(frames);
        json_decref(fields);
        json_decref(mesh);
        json_decref(trace);
        return NULL;
    }
    return json_pack("{s:i, s:s, s:O, s:s, s:s, s:f, s:[i, i, i], s:b, s:o, s:o, s:o, s:o, s:o}", "format", 1,
                     "version", vxe_version(), "summary", summary, "name", vxe_scene_name(scene),
                     "description", vxe_scene_description(scene), "pitch", pitch, "size", (int)size[0],
                     (int)size[1], (int)size[2], "floor", vxe_scene_environment(scene).floor, "materials",
                     materials_json(scene), "mesh", mesh, "fields", fields, "frames", frames, "trace", trace);
}

/* Writes JSON so that nothing in it can end the element it stands in: "<" occurs only inside texts. */
static int write_part(const char *text, size_t size, void *stream)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '<') continue;
        if (fwrite(text + begin, 1, i - begin, stream) != i - begin || fputs("\\u003c", stream) == EOF)
            return -1;
        begin = i + 1;
    }
    return fwrite(text + begin, 1, size - begin, stream) == size - begin ? 0 : -1;
}

/* Where the data goes in the page's text; NULL: nowhere. */
static const unsigned char *find_mark(const embedded_file *page)
{
    const size_t length = sizeof MARK - 1;
    for (size_t i = 0; i + length <= page->size; i++) {
        if (page->data[i] == '<' && memcmp(page->data + i, MARK, length) == 0) return page->data + i;
    }
    return NULL;
}

static vxe_result write_page(const json_t *data, const char *path, vxe_error *error)
{
    static const char begin[] = "<script type=\"application/json\" id=\"voxelastic-replay\">";
    static const char end[] = "</script>";
    const embedded_file page = page_replay();
    const unsigned char *mark = find_mark(&page);
    if (mark == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "the replay's page has no place for its data");
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    const size_t front = (size_t)(mark - page.data);
    const size_t back = page.size - front - (sizeof MARK - 1);
    const bool good =
        fwrite(page.data, 1, front, file.stream) == front && fputs(begin, file.stream) != EOF &&
        json_dump_callback(data, write_part, file.stream, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
        fputs(end, file.stream) != EOF && fwrite(mark + sizeof MARK - 1, 1, back, file.stream) == back;
    if (!good) {
        vxe_file_discard(&file);
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno != 0 ? errno : EIO));
    }
    return vxe_file_commit(&file, error);
}

vxe_result replay_write(replay *r, vxe_sim *sim, const json_t *summary, const char *path, vxe_error *error)
{
    if (r == NULL) return VXE_OK;
    if (!r->failed && vxe_sim_time(sim) != r->last) record(r, sim);
    if (r->columns > 0 &&
        (r->row_count == 0 || r->rows[(r->row_count - 1) * (size_t)r->columns] != vxe_sim_time(sim))) {
        record_row(r, sim);
    }
    if (r->breakable && !r->failed && !place_poses(r, sim, error)) r->failed = true;
    json_t *data = r->failed ? NULL : replay_json(r, summary);
    if (data == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the replay");
    const vxe_result result = write_page(data, path, error);
    json_decref(data);
    return result;
}
