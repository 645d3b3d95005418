/* What searches do all day, with all defaults: many small robots, each simulated from its start.
 *
 *   robots       of 2000 random robots in a lattice of 6 x 6 x 4 so many, evenly spread over the list: four
 *                materials, two of them muscles that work against each other, 5 s each
 *   controllers  the quadruped with other phases, one second each
 *
 * Simulated seconds per second are what counts: 5 of them are an evaluation of a robot. */
#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROBOT_SECONDS 5.0
#define CONTROLLER_SECONDS 1.0
#define QUICK_RUN 0.005 /* s */
#define ROBOT_PITCH 0.01

enum { NX = 6, NY = 6, NZ = 4, CELLS = NX * NY * NZ, FILLED = 66 /* per cent */ };

/* A generator of its own: the same robots everywhere. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Marks the piece that a cell belongs to; returns its size. */
static int mark_piece(const uint8_t *cells, int from, uint8_t *mark, uint8_t number)
{
    int stack[CELLS];
    int waiting = 0;
    int size = 0;
    stack[waiting++] = from;
    mark[from] = number;
    while (waiting > 0) {
        const int c = stack[--waiting];
        const int at[3] = {c % NX, c / NX % NY, c / (NX * NY)};
        static const int most[3] = {NX, NY, NZ};
        static const int stride[3] = {1, NX, NX * NY};
        size++;
        for (int side = 0; side < 6; side++) {
            const int a = side / 2;
            const int to = at[a] + (side % 2 == 0 ? -1 : 1);
            const int other = c + (side % 2 == 0 ? -stride[a] : stride[a]);
            if (to < 0 || to >= most[a] || cells[other] == 0 || mark[other] != 0) continue;
            mark[other] = number;
            stack[waiting++] = other;
        }
    }
    return size;
}

/* The largest piece of a random filling, put on the floor. */
static void random_cells(int64_t number, uint8_t *robot)
{
    uint64_t random = (uint64_t)number * 2 + 1;
    uint8_t cells[CELLS];
    uint8_t mark[CELLS] = {0};
    int largest = 0;
    uint8_t best = 0;
    uint8_t pieces = 0;
    for (int i = 0; i < 8; i++) (void)next_random(&random);
    for (int c = 0; c < CELLS; c++) {
        const uint32_t filled = next_random(&random) % 100;
        const uint32_t material = next_random(&random) % 4;
        cells[c] = filled < FILLED ? (uint8_t)(1 + material) : 0;
    }
    for (int c = 0; c < CELLS; c++) {
        if (cells[c] == 0 || mark[c] != 0) continue;
        const int size = mark_piece(cells, c, mark, ++pieces);
        if (size > largest) {
            largest = size;
            best = pieces;
        }
    }
    int lowest = NZ;
    for (int c = 0; c < CELLS; c++) {
        if (mark[c] == best && c / (NX * NY) < lowest) lowest = c / (NX * NY);
    }
    memset(robot, 0, CELLS);
    for (int c = 0; c < CELLS; c++) {
        if (mark[c] == best && cells[c] != 0) robot[c - lowest * NX * NY] = cells[c];
    }
}

static vxe_result make_robot(int64_t number, vxe_scene **scene, vxe_error *error)
{
    static const struct {
        const char *name;
        double youngs, expansion;
    } materials[4] = {{"soft", 5e5, 0.0}, {"hard", 5e6, 0.0}, {"muscle", 1e6, 0.01}, {"counter", 1e6, -0.01}};
    vxe_scene *made = NULL;
    uint8_t robot[CELLS];
    vxe_result result = vxe_scene_create(ROBOT_PITCH, NX, NY, NZ, &made, error);
    for (int i = 0; i < 4 && result == VXE_OK; i++) {
        vxe_material_def def = vxe_default_material_def();
        (void)vxe_copy_name(def.name, materials[i].name);
        def.youngs_modulus = materials[i].youngs;
        def.expansion = materials[i].expansion;
        result = vxe_scene_add_material(made, &def, NULL, error);
    }
    random_cells(number, robot);
    for (int c = 0; c < CELLS && result == VXE_OK; c++) {
        if (robot[c] != 0) {
            result = vxe_scene_set_voxel(made, c % NX, c / NX % NY, c / (NX * NY), robot[c], error);
        }
    }
    if (result == VXE_OK) {
        vxe_signal_def signal = vxe_default_signal_def();
        signal.amplitude = 10.0; /* muscles 10 % longer and shorter */
        signal.period = 0.25;
        result = vxe_scene_add_signal(made, &signal, NULL, error);
    }
    if (result == VXE_OK) {
        vxe_environment e = vxe_scene_environment(made);
        e.gravity[2] = -9.81;
        e.floor = true;
        e.elasticity = VXE_ELASTICITY_SOLID;
        result = vxe_scene_set_environment(made, &e, error);
    }
    if (result != VXE_OK) {
        vxe_scene_destroy(made);
        return result;
    }
    *scene = made;
    return VXE_OK;
}

/* The quadruped with the phase of each muscle changed by up to a tenth of a cycle. */
static vxe_result make_controlled(int64_t number, vxe_scene **scene, vxe_error *error)
{
    bench_preparation unused = {0};
    int32_t size[3];
    vxe_result result = bench_load_demo("quadruped", scene, &unused, error);
    if (result != VXE_OK) return result;
    vxe_scene_size(*scene, size);
    for (int32_t c = 0; c < size[0] * size[1] * size[2] && result == VXE_OK; c++) {
        const int32_t i = c % size[0];
        const int32_t j = c / size[0] % size[1];
        const int32_t k = c / size[0] / size[1];
        vxe_actuation a = vxe_scene_actuation(*scene, i, j, k);
        if (a.phase == 0.0) continue;
        uint64_t random = (uint64_t)number * 64 + (uint64_t)(64.0 * (a.phase + 2.0)) + 1;
        (void)next_random(&random);
        a.phase += 0.1 * ((double)(next_random(&random) % 1000) / 500.0 - 1.0);
        result = vxe_scene_set_actuation(*scene, i, j, k, &a, error);
    }
    return result;
}

vxe_result bench_make_searched(const bench_case *which, int64_t i, vxe_scene **scene, vxe_error *error)
{
    return which->kind == BENCH_ROBOTS ? make_robot(i * BENCH_ROBOTS_MOST / which->size, scene, error)
                                       : make_controlled(i, scene, error);
}

/* --- the measurement --- */

typedef struct population {
    vxe_model **models;
    vxe_batch_item *items;
    int64_t count;
} population;

static vxe_result make_population(const bench_case *which, const bench_settings *settings, population *p,
                                  vxe_error *error)
{
    vxe_result result = VXE_OK;
    p->count = settings->quick && which->size > 4 ? 4 : which->size;
    p->models = calloc((size_t)p->count, sizeof(void *)); /* of models */
    p->items = calloc((size_t)p->count, sizeof *p->items);
    if (p->models == NULL || p->items == NULL) {
        return vxe_fail_memory(error, "the population", (size_t)p->count * sizeof *p->items);
    }
    for (int64_t i = 0; i < p->count && result == VXE_OK; i++) {
        vxe_scene *scene = NULL;
        result = bench_make_searched(which, i, &scene, error);
        if (result == VXE_OK) result = vxe_compile(scene, &p->models[i], error);
        vxe_scene_destroy(scene);
        if (result == VXE_OK) {
            vxe_sim_def def = bench_sim_def(which, settings);
            def.threads = 1;
            result = vxe_sim_create(p->models[i], &def, &p->items[i].sim, error);
        }
    }
    return result;
}

static void destroy_population(population *p)
{
    for (int64_t i = 0; i < p->count; i++) {
        if (p->items != NULL) vxe_sim_destroy(p->items[i].sim);
        if (p->models != NULL) vxe_model_destroy(p->models[i]);
    }
    free(p->items);
    free(p->models);
}

/* All of them from their start to their end. */
static vxe_result run_population(population *p, double end, int32_t threads, bench_timing *t,
                                 vxe_error *error)
{
    const vxe_stop stop = {.time = end};
    for (int64_t i = 0; i < p->count; i++) {
        vxe_sim_reset(p->items[i].sim);
        p->items[i].stop = &stop;
        p->items[i].steps = INT64_MAX;
    }
    const double cpu = vxe_seconds(VXE_CLOCK_PROCESS);
    const double begun = cli_clock();
    vxe_result result = vxe_batch_run(p->items, p->count, threads, NULL, NULL, error);
    t->wall = cli_clock() - begun;
    t->cpu = vxe_seconds(VXE_CLOCK_PROCESS) - cpu;
    t->simulated = 0.0;
    for (int64_t i = 0; i < p->count && result == VXE_OK; i++) {
        t->simulated += vxe_sim_time(p->items[i].sim);
        if (p->items[i].reason == VXE_RUN_FAULT) {
            result = vxe_fail(error, VXE_ERROR_DIVERGED, "bench: simulation %lld failed: %s", (long long)i,
                              vxe_sim_status(p->items[i].sim)->message);
        }
    }
    return result;
}

/* Sums over the population; its steps are those of a mean simulation. */
static void describe(const population *p, bench_result *r)
{
    double voxel_steps = 0.0;
    for (int64_t i = 0; i < p->count; i++) {
        const vxe_model_view *view = vxe_model_get(p->models[i]);
        r->voxels += view->voxel_count;
        r->links += view->link_count;
        r->model_bytes += vxe_model_bytes(p->models[i]);
        r->sim_bytes += vxe_sim_bytes(p->items[i].sim);
        voxel_steps += (double)view->voxel_count * (double)p->items[i].sim->step;
        r->dt += vxe_sim_time_step(p->items[i].sim).dt / (double)p->count;
    }
    r->timing.steps = (int64_t)round(voxel_steps / (double)r->voxels);
    r->isa = vxe_sim_isa(p->items[0].sim);
    r->solid = vxe_model_environment(p->models[0]).elasticity == VXE_ELASTICITY_SOLID;
}

vxe_result bench_measure_search(const bench_case *which, const bench_settings *settings, bench_result *r,
                                vxe_error *error)
{
    population p = {NULL, NULL, 0};
    const double end = settings->quick               ? QUICK_RUN
                       : which->kind == BENCH_ROBOTS ? ROBOT_SECONDS
                                                     : CONTROLLER_SECONDS;
    *r = (bench_result){
        .which = *which, .sim = bench_sim_def(which, settings), .threads = settings->sim.threads};
    bench_progress(settings, "%s: building", which->name);
    vxe_result result = make_population(which, settings, &p, error);
    r->timing = (bench_timing){.wall = INFINITY};
    for (int32_t i = 0; i < settings->repeat && result == VXE_OK; i++) {
        bench_timing t = {0};
        bench_progress(settings, "%s: repeat %d of %d", which->name, (int)i + 1, (int)settings->repeat);
        result = run_population(&p, end, settings->sim.threads, &t, error);
        r->timing.walls[i] = t.wall;
        r->timing.repeats = i + 1;
        if (t.wall < r->timing.wall) {
            r->timing.wall = t.wall;
            r->timing.cpu = t.cpu;
            r->timing.simulated = t.simulated;
        }
    }
    if (result == VXE_OK) describe(&p, r);
    destroy_population(&p);
    bench_progress_end();
    return result;
}
