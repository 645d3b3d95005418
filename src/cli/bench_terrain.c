/* What ground costs: the quadruped of the demos, and bodies that lie on the ground with all of their lowest
 * layer, on the floor and on ground of several kinds and sizes, as runs do it. On all of them they take
 * turns, so that what else the machine does meets them alike, and processor time counts. */
#include "cli/bench.h"

#include <math.h>
#include <string.h>

enum { TERRAINS = 5, ON_FLOOR = 0, SMALL, LARGE, SLOPE, ROUGH };
static const struct {
    const char *name;
    const char *title;
    int32_t cells; /* along a side; 0: the floor */
    vxe_ground_kind kind;
    double height; /* m; of hills, or by how much it rises in `length` */
    double length; /* m */
} terrains[TERRAINS] = {
    [ON_FLOOR] = {"floor", "the floor", 0, VXE_GROUND_ROUGH, 0.0, 0.0},
    [SMALL] = {"level10", "level ground, 10 x 10 cells", 10, VXE_GROUND_ROUGH, 0.0, 0.1},
    [LARGE] = {"level1000", "level ground, 1000 x 1000 cells", 1000, VXE_GROUND_ROUGH, 0.0, 0.1},
    [SLOPE] = {"slope1000", "slope of 1 in 5, 1000 x 1000 cells", 1000, VXE_GROUND_SLOPE, 0.2, 1.0},
    [ROUGH] = {"rough1000", "rough ground, 1000 x 1000 cells", 1000, VXE_GROUND_ROUGH, 0.002, 0.1},
};
#define WIDTH 10.0 /* m, of the largest grid; cells are a centimetre wide, as voxels are */

enum { BODIES = 4, QUADRUPED = 0 };
static const struct {
    const char *name; /* what comes before that of the terrain */
    const char *title;
    int32_t size[3]; /* voxels */
    double swings;   /* K; of its temperature, which moves it */
} bodies[BODIES] = {
    [QUADRUPED] = {"", "quadruped", {0, 0, 0}, 0.0},
    {"slab-", "10 x 10 x 2", {10, 10, 2}, 0.0},
    {"block-", "5 x 5 x 8", {5, 5, 8}, 0.0},
    {"crawler-", "10 x 10 x 2, driven", {10, 10, 2}, 10.0},
};
#define PITCH 0.01  /* m */
#define PERIOD 0.25 /* s; of bodies that lie */

typedef struct terrain_result {
    vxe_model *model;
    vxe_sim *sim;
    double cycles; /* done so far */
    double cpu;    /* s of processor time for a simulated second: the least */
    double steps;  /* of a simulated second */
} terrain_result;

/* The ground lies in the middle of its grid, in place of the floor. */
static vxe_result put_ground(int number, vxe_scene *scene, vxe_error *error)
{
    vxe_ground_def ground = vxe_default_ground_def();
    vxe_environment e = vxe_scene_environment(scene);
    int32_t size[3];
    if (terrains[number].cells == 0) return VXE_OK;
    ground.kind = terrains[number].kind;
    ground.points[0] = ground.points[1] = terrains[number].cells + 1;
    ground.spacing = WIDTH / terrains[LARGE].cells;
    ground.origin[0] = ground.origin[1] = -0.5 * ground.spacing * terrains[number].cells;
    ground.height = terrains[number].height;
    ground.length = terrains[number].length;
    ground.origin[2] = -0.5 * ground.height;
    vxe_scene_size(scene, size);
    if (ground.kind == VXE_GROUND_SLOPE) /* just below all of the body */
        ground.origin[2] =
            ground.height / ground.length * (ground.origin[0] - size[0] * vxe_scene_pitch(scene));
    e.floor = false;
    const vxe_result result = vxe_scene_set_ground(scene, &ground, error);
    return result == VXE_OK ? vxe_scene_set_environment(scene, &e, error) : result;
}

/* A body of one material. Where it is driven, halves of it swell in turn. */
static vxe_result make_box(int which, vxe_scene **scene, vxe_error *error)
{
    const int32_t *size = bodies[which].size;
    vxe_material_def material = vxe_default_material_def();
    vxe_shape box = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
    vxe_signal_def signal = vxe_default_signal_def();
    int32_t number = 0;
    for (int a = 0; a < 3; a++) box.sides[a] = size[a];
    if (bodies[which].swings > 0.0) material.expansion = 0.01;
    signal.amplitude = bodies[which].swings;
    signal.period = PERIOD;
    vxe_environment e = vxe_default_environment();
    e.floor = true;
    e.gravity[2] = -9.81;
    vxe_result result = vxe_scene_create(PITCH, size[0], size[1], size[2], scene, error);
    if (result == VXE_OK) result = vxe_scene_add_material(*scene, &material, &number, error);
    if (result == VXE_OK) result = vxe_scene_fill(*scene, &box, number, error);
    if (result == VXE_OK) result = vxe_scene_set_environment(*scene, &e, error);
    for (int32_t i = 0; i < size[0] * size[1] * size[2] && result == VXE_OK && signal.amplitude > 0.0; i++) {
        const vxe_actuation actuation = {
            .phase = 2 * (i % size[0]) < size[0] ? 0.0 : 0.5, .amplitude = 1.0, .period = 1.0};
        result = vxe_scene_set_actuation(*scene, i % size[0], i / size[0] % size[1], i / (size[0] * size[1]),
                                         &actuation, error);
    }
    return result == VXE_OK ? vxe_scene_add_signal(*scene, &signal, NULL, error) : result;
}

static vxe_result prepare(int body, int terrain, const bench_settings *settings, terrain_result *r,
                          vxe_error *error)
{
    bench_case which;
    bench_preparation unused = {.period = 0.0};
    vxe_scene *scene = NULL;
    bench_progress(settings, "%s on %s: building", bodies[body].title, terrains[terrain].title);
    vxe_result result = bench_find_case("quadruped-default", &which, error);
    if (result == VXE_OK)
        result = body == QUADRUPED ? bench_load_demo("quadruped", &scene, &unused, error)
                                   : make_box(body, &scene, error);
    if (result == VXE_OK) result = put_ground(terrain, scene, error);
    if (result == VXE_OK) result = vxe_compile(scene, &r->model, error);
    vxe_scene_destroy(scene);
    const vxe_sim_def def = bench_sim_def(&which, settings);
    if (result == VXE_OK) result = vxe_sim_create(r->model, &def, &r->sim, error);
    r->cpu = INFINITY;
    return result;
}

/* One cycle of actuation, or some steps to try the command. */
static vxe_result run_cycle(const bench_settings *settings, terrain_result *r, bool counts, vxe_error *error)
{
    const double time = vxe_sim_time(r->sim);
    const int64_t step = r->sim->step;
    const double begun = vxe_seconds(VXE_CLOCK_PROCESS);
    r->cycles += 1.0;
    const vxe_result result =
        settings->quick ? bench_step(r->sim, 50, error) : bench_run_cycles(r->sim, r->cycles, error);
    const double simulated = vxe_sim_time(r->sim) - time;
    if (!counts) return result;
    r->cpu = fmin(r->cpu, (vxe_seconds(VXE_CLOCK_PROCESS) - begun) / simulated);
    r->steps = (double)(r->sim->step - step) / simulated;
    return result;
}

static void print_body(int body, const terrain_result r[TERRAINS])
{
    printf("%s, %d voxels\n", bodies[body].title, (int)vxe_model_get(r[0].model)->voxel_count);
    for (int i = 0; i < TERRAINS; i++)
        printf("  %-34s %14.0f %16.4f s %7.3f\n", terrains[i].title, r[i].steps, r[i].cpu,
               r[i].cpu / r[ON_FLOOR].cpu);
}

static void tell_body(int body, const terrain_result r[TERRAINS], json_t *json)
{
    for (int i = 0; i < TERRAINS; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", bodies[body].name, terrains[i].name);
        (void)json_object_set_new(json, name,
                                  json_pack("{s:o, s:o, s:o}", "cpu_seconds_per_second",
                                            cli_json_number(r[i].cpu), "steps_per_second",
                                            cli_json_number(r[i].steps), "ratio",
                                            cli_json_number(r[i].cpu / r[ON_FLOOR].cpu)));
    }
}

static vxe_result time_body(int body, const bench_settings *settings, json_t *json, vxe_error *error)
{
    terrain_result r[TERRAINS];
    memset(r, 0, sizeof r);
    /* a cycle takes some 10 ms: four times as many as repeats that others are timed in; and in the first
     * ones bodies come to lie on what is under them */
    const int64_t turns = settings->quick ? 1 : 4 * settings->repeat;
    const int64_t first = settings->quick ? 1 : 4;
    vxe_result result = VXE_OK;
    for (int i = 0; i < TERRAINS && result == VXE_OK; i++) result = prepare(body, i, settings, &r[i], error);
    for (int64_t turn = 0; turn < first + turns && result == VXE_OK; turn++) {
        bench_progress(settings, "%s: cycle %d of %d", bodies[body].title, (int)(turn + 1),
                       (int)(first + turns));
        for (int i = 0; i < TERRAINS && result == VXE_OK; i++)
            result = run_cycle(settings, &r[i], turn >= first, error);
    }
    bench_progress_end();
    if (result == VXE_OK && json == NULL) print_body(body, r);
    if (result == VXE_OK && json != NULL) tell_body(body, r, json);
    for (int i = 0; i < TERRAINS; i++) {
        vxe_sim_destroy(r[i].sim);
        vxe_model_destroy(r[i].model);
    }
    return result;
}

vxe_result bench_terrain(const bench_settings *settings, json_t *json, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (json == NULL) {
        printf("what ground costs, as runs do it; the least of many cycles\n");
        printf("%-36s %14s %18s %7s\n", "", "steps per", "processor time per", "ratio");
        printf("%-36s %14s %18s %7s\n", "", "simulated s", "simulated s", "");
    }
    for (int body = 0; body < BODIES && result == VXE_OK; body++)
        result = time_body(body, settings, json, error);
    return result;
}
