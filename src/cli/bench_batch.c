/* A batch: many small robots, each a simulation of its own, over all threads, as a search for good designs
 * runs them. The models differ a little, so that the robots do not end all at once. */
#include "cli/bench.h"

#include "backend/cuda/group.h"

#include <math.h>
#include <stdlib.h>

enum { MODELS = 10, WARM_UP_STEPS = 200, LEAST_STEPS = 200 };

typedef struct batch {
    vxe_model *models[MODELS];
    vxe_batch_item *items;
    int64_t count;
} batch;

static vxe_result make_models(const bench_case *which, batch *b, vxe_error *error)
{
    vxe_result result = VXE_OK;
    for (int i = 0; i < MODELS && result == VXE_OK; i++) {
        vxe_scene *scene = NULL;
        bench_preparation preparation;
        result = bench_make_scene(which, &scene, &preparation, error);
        if (result == VXE_OK) {
            const int32_t driven = which->kind == BENCH_POPULATION ? 1 : 3;
            vxe_material_def muscle = *vxe_scene_material(scene, driven);
            muscle.expansion *= 1.0 + 0.02 * i;
            result = vxe_scene_set_material(scene, driven, &muscle, error);
        }
        if (result == VXE_OK) result = vxe_compile(scene, &b->models[i], error);
        vxe_scene_destroy(scene);
    }
    return result;
}

static vxe_result make_batch(const bench_case *which, const bench_settings *settings, batch *b,
                             vxe_error *error)
{
    vxe_sim_def def = bench_sim_def(which, settings);
    def.threads = 1;
    *b = (batch){.count = settings->quick && which->size > 20 ? 20 : which->size};
    b->items = calloc((size_t)b->count, sizeof *b->items);
    if (b->items == NULL) return vxe_fail_memory(error, "the batch", (size_t)b->count * sizeof *b->items);
    vxe_result result = make_models(which, b, error);
    for (int64_t i = 0; i < b->count && result == VXE_OK; i++) {
        result = vxe_sim_create(b->models[i % MODELS], &def, &b->items[i].sim, error);
    }
    return result;
}

static void destroy_batch(batch *b)
{
    for (int64_t i = 0; i < b->count && b->items != NULL; i++) vxe_sim_destroy(b->items[i].sim);
    for (int i = 0; i < MODELS; i++) vxe_model_destroy(b->models[i]);
    free(b->items);
}

/* All of them go so many steps further. */
static vxe_result step_batch(batch *b, int64_t steps, int32_t threads, double *wall, vxe_error *error)
{
    for (int64_t i = 0; i < b->count; i++) b->items[i].steps = steps;
    const double begun = cli_clock();
    vxe_result result = vxe_batch_run(b->items, b->count, threads, NULL, NULL, error);
    *wall = cli_clock() - begun;
    for (int64_t i = 0; i < b->count && result == VXE_OK; i++) {
        if (b->items[i].reason == VXE_RUN_FAULT) {
            result = vxe_fail(error, VXE_ERROR_DIVERGED, "bench: robot %lld failed: %s", (long long)i,
                              vxe_sim_status(b->items[i].sim)->message);
        }
    }
    return result;
}

static void describe(const batch *b, bench_result *r)
{
    for (int64_t i = 0; i < b->count; i++) {
        const vxe_model_view *view = vxe_model_get(b->models[i % MODELS]);
        r->voxels += view->voxel_count;
        r->links += view->link_count;
        r->sim_bytes += vxe_sim_bytes(b->items[i].sim);
    }
    for (int i = 0; i < MODELS; i++) r->model_bytes += vxe_model_bytes(b->models[i]);
    r->isa = vxe_sim_isa(b->items[0].sim);
    r->dt = vxe_sim_time_step(b->items[0].sim).dt;
    r->solid = vxe_model_environment(b->models[0]).elasticity == VXE_ELASTICITY_SOLID;
}

vxe_result bench_measure_batch(const bench_case *which, const bench_settings *settings, bench_result *r,
                               vxe_error *error)
{
    batch b;
    double wall = 0.0;
    *r = (bench_result){
        .which = *which, .sim = bench_sim_def(which, settings), .threads = settings->sim.threads};
    bench_progress(settings, "%s: building", which->name);
    vxe_result result = make_batch(which, settings, &b, error);
    bench_progress(settings, "%s: warming up", which->name);
    /* the first piece also makes what lasts; the next ones tell how many steps take long enough */
    int64_t steps = settings->quick ? 10 : WARM_UP_STEPS;
    if (result == VXE_OK) result = step_batch(&b, steps, settings->sim.threads, &wall, error);
    while (result == VXE_OK && !settings->quick) {
        result = step_batch(&b, steps, settings->sim.threads, &wall, error);
        if (wall > 0.7 * settings->seconds) break;
        const double times = settings->seconds / fmax(wall, 1e-9);
        steps = (int64_t)((double)steps * fmin(fmax(times, 1.5), 4.0));
    }
    const double wanted = (double)steps * settings->seconds / fmax(wall, 1e-9);
    r->timing = (bench_timing){.wall = INFINITY,
                               .steps = settings->quick ? steps : (int64_t)fmax(LEAST_STEPS, wanted)};
    for (int32_t i = 0; i < settings->repeat && result == VXE_OK; i++) {
        bench_progress(settings, "%s: repeat %d of %d", which->name, (int)i + 1, (int)settings->repeat);
        const double before = vxe_sim_time(b.items[0].sim);
        const double launched = vxe_gpu_seconds(b.items[0].sim);
        result = step_batch(&b, r->timing.steps, settings->sim.threads, &wall, error);
        r->timing.walls[i] = wall;
        r->timing.repeats = i + 1;
        if (wall < r->timing.wall) {
            r->timing.wall = wall;
            r->timing.cpu = wall;
            r->device_seconds = vxe_gpu_seconds(b.items[0].sim) - launched;
            r->timing.simulated = (double)b.count * (vxe_sim_time(b.items[0].sim) - before);
        }
    }
    if (result == VXE_OK) describe(&b, r);
    destroy_batch(&b);
    bench_progress_end();
    return result;
}
