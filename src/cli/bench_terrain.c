/* What ground costs: the quadruped of the demos on the floor, and on ground of grids of several sizes, as
 * runs do it. All of them take turns, so that what else the machine does meets them alike, and processor time
 * counts. */
#include "cli/bench.h"

#include <math.h>
#include <string.h>

enum { TERRAINS = 4, ON_FLOOR = 0, SMALL, LARGE, ROUGH };
static const struct {
    const char *name;
    const char *title;
    int32_t cells; /* along a side; 0: the floor */
    double height; /* m; of hills */
} terrains[TERRAINS] = {
    [ON_FLOOR] = {"floor", "the floor", 0, 0.0},
    [SMALL] = {"level10", "level ground, 10 x 10 cells", 10, 0.0},
    [LARGE] = {"level1000", "level ground, 1000 x 1000 cells", 1000, 0.0},
    [ROUGH] = {"rough1000", "rough ground, 1000 x 1000 cells", 1000, 0.002},
};
#define WIDTH 10.0 /* m, of the largest grid; cells are a centimetre wide, as voxels are */

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
    if (terrains[number].cells == 0) return VXE_OK;
    ground.kind = VXE_GROUND_ROUGH;
    ground.points[0] = ground.points[1] = terrains[number].cells + 1;
    ground.spacing = WIDTH / terrains[LARGE].cells;
    ground.origin[0] = ground.origin[1] = -0.5 * ground.spacing * terrains[number].cells;
    ground.height = terrains[number].height;
    ground.origin[2] = -0.5 * ground.height;
    ground.length = 0.1;
    e.floor = false;
    const vxe_result result = vxe_scene_set_ground(scene, &ground, error);
    return result == VXE_OK ? vxe_scene_set_environment(scene, &e, error) : result;
}

static vxe_result prepare(int number, const bench_settings *settings, terrain_result *r, vxe_error *error)
{
    bench_case which;
    bench_preparation unused = {.period = 0.0};
    vxe_scene *scene = NULL;
    bench_progress(settings, "%s: building", terrains[number].title);
    vxe_result result = bench_find_case("quadruped-default", &which, error);
    if (result == VXE_OK) result = bench_load_demo("quadruped", &scene, &unused, error);
    if (result == VXE_OK) result = put_ground(number, scene, error);
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

static void print_terrains(const terrain_result *r)
{
    printf("what ground costs: the quadruped, %d voxels, as runs do it; the least of its cycles\n",
           (int)vxe_model_get(r[0].model)->voxel_count);
    printf("%-34s %14s %18s %7s\n", "", "steps per", "processor time per", "ratio");
    printf("%-34s %14s %18s %7s\n", "", "simulated s", "simulated s", "");
    for (int i = 0; i < TERRAINS; i++)
        printf("%-34s %14.0f %16.4f s %7.3f\n", terrains[i].title, r[i].steps, r[i].cpu, r[i].cpu / r[0].cpu);
}

vxe_result bench_terrain(const bench_settings *settings, json_t *json, vxe_error *error)
{
    terrain_result r[TERRAINS];
    memset(r, 0, sizeof r);
    /* a cycle takes some 20 ms: four times as many as repeats that others are timed in */
    const int64_t turns = settings->quick ? 1 : 4 * settings->repeat;
    vxe_result result = VXE_OK;
    for (int i = 0; i < TERRAINS && result == VXE_OK; i++) result = prepare(i, settings, &r[i], error);
    for (int64_t turn = 0; turn <= turns && result == VXE_OK; turn++) {
        bench_progress(settings, "ground: cycle %d of %d", (int)turn, (int)turns);
        for (int i = 0; i < TERRAINS && result == VXE_OK; i++)
            result = run_cycle(settings, &r[i], turn > 0, error);
    }
    bench_progress_end();
    if (result == VXE_OK && json == NULL) print_terrains(r);
    for (int i = 0; i < TERRAINS && result == VXE_OK && json != NULL; i++) {
        (void)json_object_set_new(json, terrains[i].name,
                                  json_pack("{s:o, s:o, s:o}", "cpu_seconds_per_second",
                                            cli_json_number(r[i].cpu), "steps_per_second",
                                            cli_json_number(r[i].steps), "ratio",
                                            cli_json_number(r[i].cpu / r[0].cpu)));
    }
    for (int i = 0; i < TERRAINS; i++) {
        vxe_sim_destroy(r[i].sim);
        vxe_model_destroy(r[i].model);
    }
    return result;
}
