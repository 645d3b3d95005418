/* Blocks that rest, in a sweep: see wide_rest.c. Included by wide_loops.h. */
#ifndef BACKEND_CPU_WIDE_REST_H
#define BACKEND_CPU_WIDE_REST_H

#include "backend/cpu/wide_motion.h"
#include "sim/floor.h"

/* Whether a chunk has nothing to do. */
ALWAYS bool chunk_rests(const sweep *w, int32_t chunk)
{
    const wide_rest *r = &w->plan->rest;
    return UNLIKELY(w->rest != NULL) && r->chunk[chunk] != 0 && r->chunk_busy[chunk] < w->sim->step;
}
ALWAYS bool block_rests(const sweep *w, int32_t i) { return UNLIKELY(w->rest != NULL) && w->rest[i] != 0; }

/* A block that rests, where something touches it: with the loads of its links as they were kept. */
static __attribute__((noinline)) void kick_resting(const sweep *w, int32_t i, double dt, step_measures *sums)
{
    const wide_rest *r = &w->plan->rest;
    if (r->busy[i] < w->sim->step) return;
    const ptrdiff_t stride = (ptrdiff_t)w->plan->block_count * VXE_LANES;
    const VXE_REAL *kept = (const VXE_REAL *)r->totals + i * VXE_LANES;
    block_sums total = no_sums();
    total.force = load_vec(kept, stride);
    total.moment = load_vec(kept + 3 * stride, stride);
    store_total(w, i * VXE_LANES, &total, w->audit);
    if (w->split) {
        kick_held(w, i, dt, w->audit);
    } else {
        move_held(w, i, dt, w->audit, w->rated, sums);
    }
}

/* Goes through blocks whose links rest, from one on: to the first that has others. */
static int32_t pass_resting(const sweep *w, int32_t from, int32_t end, double dt)
{
    int32_t v = from;
    while (v < end && (w->rest[v / VXE_LANES] & REST_LINKS) != 0) {
        if (v % CHUNK == 0 && chunk_rests(w, v / CHUNK)) {
            v += CHUNK;
            continue;
        }
        kick_resting(w, v / VXE_LANES, dt, &w->sim->measures[v / CHUNK]);
        v += VXE_LANES;
    }
    return v < end ? v : end;
}
static int32_t find_resting(const sweep *w, int32_t from, int32_t end)
{
    int32_t v = from;
    while (v < end && (w->rest[v / VXE_LANES] & REST_LINKS) == 0) v += VXE_LANES;
    return v < end ? v : end;
}

/* What links between such blocks measure, which are left out. */
static void measure_resting(vxe_sim *sim)
{
    const wide_rest *r = &sim->cpu->plan->rest;
    const int32_t n = sim->model->view.voxel_count;
    for (int32_t i = 0; r->left_out && i * CHUNK < n; i++) {
        step_measures *sums = &sim->measures[i];
        if (r->measures[i].length_min < sums->length_min) sums->length_min = r->measures[i].length_min;
        if (r->measures[i].strain_max > sums->strain_max) sums->strain_max = r->measures[i].strain_max;
    }
}

/* Whether a voxel is as a step leaves it that finds it at rest. */
static bool is_at_rest(const vxe_sim *sim, int32_t support)
{
    const native_state *s = sim->native;
    const int32_t v = sim->model->held_voxel[support];
    bool rests = s->orientation[0][v] == 1;
    for (int a = 0; a < 3; a++) {
        rests = rests && s->velocity[a][v] == 0 && s->spin[a][v] == 0 && s->orientation[a + 1][v] == 0;
    }
    for (int d = 0; d < 6; d++)
        rests = rests && sim->held_velocity[0][6 * (size_t)support + (size_t)d] == 0.0;
    return rests;
}

static bool all_at_rest(const vxe_sim *sim)
{
    const wide_rest *r = &sim->cpu->plan->rest;
    for (int32_t i = 0; i < sim->cpu->plan->block_count; i++) {
        for (int32_t h = r->support[i]; r->kind[i] != 0 && h < r->support[i + 1]; h++) {
            if (!is_at_rest(sim, h)) return false;
        }
    }
    return true;
}

/* Which blocks the floor can do something to, though they do not move. */
static void look_at_floor(vxe_sim *sim)
{
    wide_rest *r = &sim->cpu->plan->rest;
    const double pitch = sim->model->view.pitch;
    r->floor = 0;
    for (int32_t i = 0; i < sim->cpu->plan->block_count; i++) {
        if (r->kind[i] == 0) continue;
        uint8_t floor = 0;
        for (int32_t h = r->support[i]; sim->environment.floor && h < r->support[i + 1]; h++) {
            const double depth = vxe_plane_depth(sim, sim->model->held_voxel[h]);
            const bool near = depth > -1.01 * FLOOR_NEAR * pitch;
            if (depth > 0.0 || (near && sim->floor_rest[0] != NULL)) floor = REST_IN;
        }
        r->kind[i] = (uint8_t)((r->kind[i] & (REST_MOTION | REST_LINKS)) | floor);
        r->floor |= floor;
        r->busy[i] = -1;
    }
}

/* Keeps what is known of blocks that rest: lengths of their links, and volume strains. */
static void keep_resting(vxe_sim *sim, const step_context *context)
{
    const sweep w = begin_sweep(sim, context, 0);
    wide_rest *r = &sim->cpu->plan->rest;
    const int32_t n = sim->model->view.voxel_count;
    for (int32_t chunk = 0; chunk * CHUNK < n; chunk++) {
        step_measures *sums = &r->measures[chunk];
        *sums = (step_measures){.length_min = (double)INFINITY};
        r->chunk_busy[chunk] = -1;
        block_extremes extremes = {real_of((double)INFINITY), real_of(0)};
        for (int32_t v = chunk * CHUNK; v < (chunk + 1) * CHUNK && v < n; v += VXE_LANES) {
            const int32_t i = v / VXE_LANES;
            if (r->kind[i] == 0) continue;
            for (int a = 0; a < 3; a++) note_extremes(&w, i, a, begin_axis(&w, i, a), &extremes);
            if (w.solid) store_double(r->volume + v, load_double(sim->volume[0] + v));
        }
        const block_extremes found = extremes;
        keep_extremes(&found, sums);
    }
}

/* At the end of a step that left nothing out: whether the next one may. */
static void settle_resting(vxe_sim *sim, const step_context *context)
{
    wide_plan *p = sim->cpu->plan;
    wide_rest *r = &p->rest;
    if (r->kind == NULL || r->left_out) return;
    if (!r->regions || context->loaded || context->bonded || sim->disturbed) return;
    const bool waits = sim->step < r->again && r->again <= sim->step + 16;
    if (!r->calm && (waits || !all_at_rest(sim))) {
        if (!waits) r->again = sim->step + 16;
        return;
    }
    if (!r->calm) {
        look_at_floor(sim);
        keep_resting(sim, context);
    }
    r->calm = true;
    if (context->measure) r->measured = true;
    vxe_wide_rest_touched(sim);
}

#endif
