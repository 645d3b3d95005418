/* voxelastic picture and voxelastic video: what a scene, a checkpoint or a replay looks like. */
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct look_options {
    bool video;
    const char *source;
    const char *output; /* NULL: named like the source */
    const char *scene;
    const char *color;
    double time; /* s; negative: not given */
    double from; /* s */
    double rate;
    double speed;
    vxe_dialect dialect;
    vxe_picture_def picture;
    bool quiet;
} look_options;

/* Numbers separated by `mark`. */
static bool parse_numbers(const char *option, const char *text, char mark, double numbers[2])
{
    char rest = '\0';
    char between = '\0';
    if (strspn(text, "0123456789+-.eEx,") != strlen(text) ||
        sscanf(text, "%lf%c%lf%c", &numbers[0], &between, &numbers[1], &rest) != 3 || between != mark ||
        !isfinite(numbers[0]) || !isfinite(numbers[1]))
        return cli_complain("%s: \"%s\" is not two numbers with \"%c\" between them", option, text, mark);
    return true;
}

static bool take_size(const char *text, void *options)
{
    vxe_picture_def *def = &((look_options *)options)->picture;
    double size[2] = {0.0, 0.0};
    if (!parse_numbers("--size", text, 'x', size)) return false;
    if (!(size[0] >= 16.0 && size[0] <= 8192.0 && size[1] >= 16.0 && size[1] <= 8192.0))
        return cli_complain("--size: %s is not 16 to 8192 pixels along each side", text);
    def->width = (int32_t)size[0];
    def->height = (int32_t)size[1];
    return true;
}

static const vxe_choice cameras[] = {
    {"auto", VXE_CAMERA_AUTO}, {"fixed", VXE_CAMERA_FIXED}, {"follow", VXE_CAMERA_FOLLOW}, {NULL, 0}};

static bool take_view(const char *text, void *options)
{
    vxe_picture_def *def = &((look_options *)options)->picture;
    static const struct {
        const char *name;
        double angles[2]; /* degrees */
    } views[] = {{"front", {-90.0, 0.0}}, {"back", {90.0, 0.0}},  {"left", {180.0, 0.0}},
                 {"right", {0.0, 0.0}},   {"top", {-90.0, 85.9}}, {"iso", {-56.0, 24.0}}};
    double angles[2] = {0.0, 0.0};
    bool found = false;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(text, views[i].name) != 0) continue;
        memcpy(angles, views[i].angles, sizeof angles);
        found = true;
    }
    if (!found && strchr(text, ',') == NULL)
        return cli_complain("--view: \"%s\" is not one of iso, front, back, left, right, top, or two angles",
                            text);
    if (!found && !parse_numbers("--view", text, ',', angles)) return false;
    if (!(fabs(angles[1]) <= 85.9))
        return cli_complain("--view: an elevation goes from -85.9 to 85.9 degrees");
    def->azimuth = angles[0] * 0.017453292519943295;
    def->elevation = angles[1] * 0.017453292519943295;
    return true;
}

static bool take_color(const char *text, void *options)
{
    const char *names[64];
    size_t count = 0;
    for (int32_t i = 0; i < vxe_measure_count() && count < 64; i++) {
        names[count++] = vxe_measure_name(i, NULL, NULL);
        if (strcmp(text, names[count - 1]) != 0) continue;
        ((look_options *)options)->color = text;
        return true;
    }
    cli_complain_name(text, names, count, "", "--color: there is no measure \"%s\"", text);
    return false;
}

static bool take_range(const char *text, void *options)
{
    vxe_picture_def *def = &((look_options *)options)->picture;
    double range[2] = {0.0, 0.0};
    if (!parse_numbers("--range", text, ',', range)) return false;
    if (!(range[0] < range[1])) return cli_complain("--range: %s does not go upwards", text);
    def->low = range[0];
    def->high = range[1];
    return true;
}

static bool take_threads(const char *text, void *options)
{
    int64_t threads = 0;
    if (!cli_parse_count("--threads", text, &threads)) return false;
    ((look_options *)options)->picture.threads = threads > 64 ? 64 : (int32_t)threads;
    return true;
}

#define TO(kind, member) CLI_TO(kind, look_options, member)
static const cli_option table[] = {
    {"--output", 'o', "FILE", "where it goes; without it, a file named like the scene, here",
     TO(TEXT, output)},
    {"--time", 0, "S",
     "simulated seconds: when the picture is taken (default: the start of a scene, the end of a replay), or "
     "where the video ends (default: where the scene stops)",
     TO(TIME, time)},
    {"--color", 'c', "MEASURE", "what voxels are coloured by (default: their material)", CLI_BY(take_color)},
    {"--range", 0, "LOW,HIGH",
     "ends of the colour scale, in SI units (default: found from what is shown, and rounded)",
     CLI_BY(take_range)},
    {"--size", 0, "WxH", "pixels, up to 8192 along each side (default 1280x720)", CLI_BY(take_size)},
    {"--view", 0, "VIEW",
     "iso (the default), front, back, left, right, top, or two angles in degrees: about z, and above the "
     "floor",
     CLI_BY(take_view)},
    {"--zoom", 0, "X", "1 (the default): the body fills the picture; 2: twice as large",
     TO(POSITIVE, picture.zoom)},
    {"--camera", 0, "HOW",
     "follow (goes with the body), fixed (has all of the motion in view) or auto (the default: follows a "
     "body that goes further than its size)",
     CLI_WORDS(look_options, picture.camera, cameras)},
    {"--title", 0, "TEXT", "instead of the scene's name; an empty one leaves it out",
     TO(TEXT, picture.title)},
    {"--dark", 0, NULL, "dark behind the body", TO(FLAG, picture.dark)},
    {"--no-floor", 0, NULL, "without floor, ground, solids, water and shadows", TO(FLAG_OFF, picture.floor)},
    {"--no-edges", 0, NULL, "without lines between voxels", TO(FLAG_OFF, picture.edges)},
    {"--no-legend", 0, NULL, "without title, time and scales", TO(FLAG_OFF, picture.legend)},
    {"--scene", 0, "FILE", "the scene of a checkpoint (default: the one that summary.json beside it names)",
     TO(TEXT, scene)},
    CLI_DIALECT_ROW(look_options, dialect),
    {"--quiet", 'q', NULL, "no progress bar, and nothing on standard output", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
    /* of `video` only from here on */
    {"--from", 0, "S", "simulated seconds: where the video begins (default: the start)", TO(TIME, from)},
    {"--fps", 0, "N", "pictures per second (default 30)", TO(POSITIVE, rate)},
    {"--speed", 0, "X", "simulated seconds per second of video (default 1)", TO(POSITIVE, speed)},
    {"--threads", 0, "N", "threads that draw (default: as many as there are processors)",
     CLI_BY(take_threads)},
};
enum { VIDEO_COUNT = sizeof table / sizeof table[0], PICTURE_COUNT = VIDEO_COUNT - 4 };

static int take_source(const char *command, const char *value, void *options)
{
    look_options *o = options;
    if (o->source != NULL) return cli_misuse(command, "one source at a time, not \"%s\" as well", value);
    o->source = value;
    return CLI_DONE;
}

static void print_measures(void)
{
    printf("\nMeasures of --color:\n ");
    int width = 1;
    for (int32_t i = 0; i < vxe_measure_count(); i++) {
        const char *name = vxe_measure_name(i, NULL, NULL);
        if (width + (int)strlen(name) + 1 > 96) {
            printf("\n ");
            width = 1;
        }
        width += printf(" %s", name);
    }
    printf("\n");
}

void cli_help_picture(void)
{
    printf("Usage: voxelastic picture SOURCE [options]\n"
           "\n"
           "Draws a picture (PNG). SOURCE is a scene (a file of any format, or the name of a demo), a "
           "checkpoint\n"
           "(state.vxck) or a replay (replay.html). Needs no display and no graphics card.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, PICTURE_COUNT);
    print_measures();
    printf("\nExamples:\n"
           "  voxelastic picture robot.json --time 2 --color strain -o robot.png\n"
           "  voxelastic picture out/state.vxck --size 3840x2160 --view top\n");
}

void cli_help_video(void)
{
    printf("Usage: voxelastic video SOURCE [options]\n"
           "\n"
           "Simulates and draws a video. SOURCE is a scene (a file of any format, or the name of a demo), a "
           "checkpoint\n"
           "to go on from, or a replay. FILE is a GIF (.gif), an MP4 (.mp4, made by ffmpeg where that is "
           "installed), or\n"
           "else a folder, which gets a PNG file for each frame. Needs no display and no graphics card.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, VIDEO_COUNT);
    print_measures();
    printf("\nExamples:\n"
           "  voxelastic video robot.json -o robot.mp4\n"
           "  voxelastic video robot.json --color strain --speed 0.25 --time 2 --size 640x360 -o slow.gif\n");
}

/* ---- the film ------------------------------------------------------------------------------------------------------ */

typedef struct looking {
    look_options *options;
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_film *film;
    vxe_stop stop;
    progress bar;
    bool failed; /* the simulation did */
} looking;

static bool begins_with(const char *path, const char *text)
{
    char first[16] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const size_t size = fread(first, 1, sizeof first, file);
    (void)fclose(file);
    return size >= strlen(text) && memcmp(first, text, strlen(text)) == 0;
}

/* The scene of a checkpoint: as told, or as summary.json beside it tells. */
static vxe_result find_scene(const look_options *o, char *path, size_t size, vxe_error *error)
{
    if (o->scene != NULL) {
        (void)snprintf(path, size, "%s", o->scene);
        return VXE_OK;
    }
    const char *slash = strrchr(o->source, '/');
    const int length = slash == NULL ? 0 : (int)(slash - o->source) + 1;
    (void)snprintf(path, size, "%.*ssummary.json", length, o->source);
    json_t *summary = json_load_file(path, 0, NULL);
    const char *name = json_string_value(json_object_get(summary, "scene"));
    const bool found = name != NULL && strlen(name) < size;
    if (found) (void)snprintf(path, size, "%s", name);
    json_decref(summary);
    return found ? VXE_OK
                 : vxe_fail(error, VXE_ERROR_INPUT,
                            "%.500s is a checkpoint, which does not hold its scene: name it by --scene FILE",
                            o->source);
}

static vxe_result load_scene(const look_options *o, const char *path, vxe_scene **scene, vxe_error *error)
{
    for (size_t i = 0; i < cli_demo_count && access(path, F_OK) != 0; i++)
        if (strcmp(path, cli_demos[i].name) == 0) return cli_load_demo(&cli_demos[i], scene, error);
    return cli_load_scene(path, o->dialect, scene, NULL, error);
}

static vxe_result load_simulation(looking *l, vxe_error *error)
{
    const look_options *o = l->options;
    char path[4096];
    vxe_sim_def def = vxe_default_sim_def();
    char *data = NULL;
    size_t size = 0;
    vxe_result result = VXE_OK;
    (void)snprintf(path, sizeof path, "%s", o->source);
    if (begins_with(o->source, "VXESTATE")) {
        result = find_scene(o, path, sizeof path, error);
        if (result == VXE_OK) result = vxe_read_file(o->source, SIZE_MAX / 2, &data, &size, error);
        if (result == VXE_OK) result = vxe_checkpoint_settings(data, size, &def, error);
    }
    if (result == VXE_OK) result = load_scene(o, path, &l->scene, error);
    if (result == VXE_OK) {
        l->stop = vxe_scene_stop(l->scene);
        if (data == NULL) def.audit = l->stop.energy_change > 0.0; /* nobody reads the account */
        result = vxe_compile(l->scene, &l->model, error);
    }
    if (result == VXE_OK) result = vxe_sim_create(l->model, &def, &l->sim, error);
    if (result == VXE_OK && data != NULL) result = vxe_sim_load(l->sim, data, size, error);
    free(data);
    return result == VXE_OK ? vxe_film_create(l->sim, l->scene, o->color, &l->film, error) : result;
}

static vxe_result take_frame(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    looking *l = user;
    (void)next;
    return vxe_film_take(l->film, sim, error);
}

static bool interrupted(void *user)
{
    (void)user;
    return cli_interrupted();
}

static vxe_result show_progress(void *user, vxe_sim *sim, vxe_error *error)
{
    looking *l = user;
    (void)error;
    cli_progress_update(&l->bar, sim, &l->stop);
    return VXE_OK;
}

/* Simulates up to a time, or until `stop`, taking frames every so many seconds from a time on (0: none but
 * the last). */
static vxe_result simulate(looking *l, double from, double every, vxe_error *error)
{
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {VXE_RUN_STEPS, false};
    const double now = vxe_sim_time(l->sim);
    vxe_result result = vxe_run_create(l->sim, &l->stop, &run, error);
    if (result == VXE_OK && every > 0.0 && from <= now) result = vxe_film_take(l->film, l->sim, error);
    if (result == VXE_OK && every > 0.0)
        result = vxe_run_add(run, from <= now ? vxe_run_next(now, every) : from, every, take_frame, l, NULL,
                             error);
    if (result == VXE_OK) {
        vxe_run_set_cancel(run, interrupted, NULL);
        vxe_run_set_progress(run, show_progress, l);
        cli_progress_begin(&l->bar, l->sim, l->scene, l->options->quiet);
        if (l->stop.time <= 0.0 || l->stop.time > now) result = vxe_run_go(run, &outcome, error);
        cli_progress_end(&l->bar);
    }
    if (result == VXE_OK && !outcome.cancelled) result = vxe_film_take(l->film, l->sim, error);
    l->failed = outcome.reason == VXE_RUN_FAULT;
    vxe_run_destroy(run);
    return result;
}

/* The name of a file like the source's, with another end. */
static char *name_output(const look_options *o, const char *end)
{
    if (o->source == NULL) return NULL;
    const char *slash = strrchr(o->source, '/');
    const char *name = slash == NULL ? o->source : slash + 1;
    const char *dot = strrchr(name, '.');
    const int length = dot == NULL || dot == name ? (int)strlen(name) : (int)(dot - name);
    char *path = malloc((size_t)length + strlen(end) + 1);
    if (path != NULL) (void)snprintf(path, (size_t)length + strlen(end) + 1, "%.*s%s", length, name, end);
    return path;
}

static bool show_frames(void *user, int32_t done, int32_t frames)
{
    cli_progress_count(user, "frame", done, frames);
    return !cli_interrupted();
}

static vxe_result save(looking *l, const char *path, vxe_error *error)
{
    const look_options *o = l->options;
    if (!o->video) {
        const double time = o->time >= 0.0 ? o->time : vxe_film_time(l->film, vxe_film_count(l->film) - 1);
        return vxe_film_save_picture(l->film, &o->picture, time, path, error);
    }
    cli_progress_start(&l->bar, o->quiet);
    const vxe_result result =
        vxe_film_save_video(l->film, &o->picture, o->rate, o->speed, path, show_frames, &l->bar, error);
    cli_progress_end(&l->bar);
    return result;
}

static bool has_program(const char *name)
{
    const char *path = getenv("PATH");
    char full[4096];
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        (void)snprintf(full, sizeof full, "%.*s/%s", (int)length, path, name);
        if (access(full, X_OK) == 0) return true;
        path += length + (path[length] == ':' ? 1 : 0);
    }
    return false;
}

static vxe_result make_film(looking *l, vxe_error *error)
{
    const look_options *o = l->options;
    if (vxe_ends_with(o->source, ".html")) return vxe_film_load(o->source, o->color, &l->film, error);
    vxe_result result = load_simulation(l, error);
    if (result != VXE_OK) return result;
    const double now = vxe_sim_time(l->sim);
    if (!o->video && (o->time < 0.0 || o->time == now)) return vxe_film_take(l->film, l->sim, error);
    if (o->time >= 0.0) l->stop = (vxe_stop){.time = o->time};
    const vxe_stop none = {.size = l->stop.size};
    if (memcmp(&l->stop, &none, sizeof none) == 0 && o->time < 0.0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the scene does not say when to stop; give --time S",
                        o->source);
    if (o->time >= 0.0 && o->time <= now)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: --time %g is not after the start, at %g s", o->source,
                        o->time, now);
    return simulate(l, o->from, o->video ? o->speed / o->rate : 0.0, error);
}

static int look(look_options *o, int count, char **arguments)
{
    static const cli_syntax syntaxes[2] = {
        {"picture", cli_help_picture, table, PICTURE_COUNT, take_source, true},
        {"video", cli_help_video, table, VIDEO_COUNT, take_source, true}};
    vxe_error error = {VXE_OK, ""};
    o->time = -1.0;
    o->rate = 30.0;
    o->speed = 1.0;
    o->picture = vxe_default_picture_def();
    o->picture.samples = o->video ? 4 : 16;
    int status = cli_parse(&syntaxes[o->video], count, arguments, o);
    if (status != CLI_GO_ON) return status;
    status = CLI_DONE;
    if (o->source == NULL)
        return cli_misuse(syntaxes[o->video].command, "of what? A scene, a checkpoint or a replay");
    looking l = {.options = o};
    char *named = o->output != NULL ? NULL
                                    : name_output(o, !o->video               ? ".png"
                                                     : has_program("ffmpeg") ? ".mp4"
                                                                             : ".gif");
    const char *path = o->output != NULL ? o->output : named;
    cli_catch_interrupts();
    vxe_result result =
        path == NULL ? vxe_fail(&error, VXE_ERROR_MEMORY, "not enough memory") : make_film(&l, &error);
    if (result == VXE_OK && !cli_interrupted()) result = save(&l, path, &error);
    if (cli_interrupted()) {
        cli_complain("interrupted; nothing is written");
        status = CLI_INTERRUPTED;
    } else if (result != VXE_OK) {
        cli_complain("%s", error.message);
        status = cli_exit_status(result);
    } else {
        if (l.failed) {
            cli_complain("%s: the simulation failed: %s", o->source, vxe_sim_status(l.sim)->message);
            status = CLI_DIVERGED;
        }
        if (!o->quiet) printf("%s\n", path);
        status = cli_finish_output(status);
    }
    free(named);
    vxe_film_destroy(l.film);
    vxe_sim_destroy(l.sim);
    vxe_model_destroy(l.model);
    vxe_scene_destroy(l.scene);
    return status;
}

int cli_command_picture(int count, char **arguments)
{
    look_options o = {.video = false};
    return look(&o, count, arguments);
}

int cli_command_video(int count, char **arguments)
{
    look_options o = {.video = true};
    return look(&o, count, arguments);
}
