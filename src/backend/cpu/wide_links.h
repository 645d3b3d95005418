/* The first half of a sweep: how a block reaches the far ends of its links, volume strains, and the loads of
 * links. Included by wide_loops.h, which tells how a sweep goes. */
#ifndef BACKEND_CPU_WIDE_LINKS_H
#define BACKEND_CPU_WIDE_LINKS_H

#include "backend/cpu/native.h"
#include "backend/cpu/wide.h"
#include "backend/cpu/wide_lanes.h"
#include "kernel/link.h"
#include "kernel/strain.h"
#include "sim/collide.h"

/* ---- what a part of a sweep works with ------------------------------------------------------------------------------ */

typedef struct sweep {
    real pitch, lever; /* lever: 1/pitch, for links that are out of balance */
    real inverse_area; /* 1/pitch^2 */
    vxe_sim *sim;
    const step_context *context;
    const native_state *s;
    const wide_plan *plan;
    const sweep_part *part;
    VXE_REAL *state; /* orientation, velocity and spin lie behind one another */
    ptrdiff_t stride;
    double *position;
    ptrdiff_t position_stride;
    const double *growth, *pressure;
    const VXE_REAL *constants; /* of links */
    bool solid, actuated, nonlinear, ground, implicit, split;
    wide_audit audit;
    bool unbalanced;  /* environment.links_unbalanced */
    bool swells;      /* see vxe_swells */
    VXE_REAL turning; /* environment.damping_turning */
    bool last;        /* it is the last part */
    bool rated;
    bool loaded;   /* force and moment have something in them: contacts, loads of regions */
    bool keep;     /* somebody will ask for them */
    bool touching; /* contacts will want the velocities before this step */
    /* Up to where the sweep does not move blocks: those that wait for links of the part before (move_rest);
     * with explicit damping all of a step in parts, of which it changes the velocities only (kick_stored). */
    int32_t moved_later;
    int32_t from, to;    /* the blocks swept now: those of the part, but for some that rest */
    const uint8_t *rest; /* kinds of blocks, where what rests is left out: wide_rest.h; else NULL */
    struct block_sums
        *carried;        /* where the sweep comes in pieces: what goes from one to the next; else NULL */
    int32_t before_mask; /* see before_place */
    VXE_REAL gravity[3];
    VXE_REAL speed2_limit, spin2_limit; /* beyond which something is wrong */
} sweep;

static sweep begin_sweep(vxe_sim *sim, const step_context *context, int part)
{
    const vxe_model *m = sim->model;
    const double *gravity = sim->environment.gravity;
    const VXE_REAL l = (VXE_REAL)m->view.pitch;
    const VXE_REAL dt = (VXE_REAL)context->step;
    const native_state *s = sim->native;
    return (sweep){.sim = sim,
                   .context = context,
                   .s = s,
                   .plan = sim->cpu->plan,
                   .part = &sim->cpu->parts[part],
                   .state = s->orientation[0],
                   .stride = s->stride,
                   .position = sim->position[0],
                   .position_stride = (ptrdiff_t)sim->stride,
                   .growth = sim->growth[0],
                   .pressure = sim->pressure[0],
                   .constants = sim->cpu->plan->link_constants,
                   .pitch = real_of(m->view.pitch),
                   .lever = real_of(1) / real_of(m->view.pitch),
                   .inverse_area = real_of(1.0 / (m->view.pitch * m->view.pitch)),
                   .solid = m->environment.elasticity == VXE_ELASTICITY_SOLID,
                   .actuated = m->actuated_count > 0,
                   .nonlinear = m->nonlinear,
                   .unbalanced = m->environment.links_unbalanced,
                   .audit = context->measure ? AUDIT_MEASURE
                            : sim->def.audit ? AUDIT_BOOK
                                             : AUDIT_NONE,
                   .swells = vxe_swells(sim),
                   .ground = sim->environment.damping_ground > 0.0,
                   .turning = (VXE_REAL)sim->environment.damping_turning,
                   .implicit = context->implicit,
                   .split = context->split,
                   .touching = context->touching,
                   .moved_later = context->split && !context->implicit ? sim->cpu->parts[part].end
                                                                       : sim->cpu->parts[part].head,
                   .from = sim->cpu->parts[part].begin,
                   .to = sim->cpu->parts[part].end,
                   .rest = sim->cpu->plan->rest.left_out ? sim->cpu->plan->rest.kind : NULL,
                   .before_mask = -1,
                   .last = sim->cpu->parts[part].end == m->view.voxel_count,
                   .rated = context->rated,
                   .loaded = context->loaded,
                   .keep = context->keep,
                   .gravity = {(VXE_REAL)gravity[0], (VXE_REAL)gravity[1], (VXE_REAL)gravity[2]},
                   .speed2_limit = (VXE_REAL)0.25 * l * l / (dt * dt),
                   .spin2_limit = (VXE_REAL)1 / (dt * dt)};
}

/* The far end of a lane. */
static int32_t far_of(const sweep *w, int a, int32_t begin, int lane)
{
    return w->sim->model->next[a][begin + lane];
}

/* a[far] += r where that cannot be done with one vector: far ends here and there, or beyond this part. */
static void add_far_slowly(const sweep *w, int a, int32_t i, double *doubles, const real *r)
{
    const wide_block *b = &w->plan->links[a][i];
    for (int j = 0; j < VXE_LANES; j++) {
        if ((b->lanes >> j & 1U) == 0) continue;
        const int32_t far = far_of(w, a, i * VXE_LANES, j);
        if (far < w->part->begin || far >= w->part->end) continue;
        doubles[far] += (double)(*r)[j];
    }
}

/* How the far ends of a block are reached. */
typedef enum far_reach {
    FAR_WHOLE, /* one vector */
    FAR_SPLIT, /* some vectors, each for some lanes */
    FAR_SLOW   /* one by one: some belong to another part */
} far_reach;

ALWAYS far_reach reach_of(const sweep *w, const wide_block *b)
{
    const bool last = w->last;
    if (b->far != WIDE_SPLIT) return last || b->far + VXE_LANES <= w->part->end ? FAR_WHOLE : FAR_SLOW;
    int32_t end = 0; /* of the vectors: not always that of the last, where lanes without links lie between */
    for (int k = 0; k < b->segment_count; k++) {
        const int32_t far = w->plan->segments[b->segment + k].far + VXE_LANES;
        if (far > end) end = far;
    }
    return last || end <= w->part->end ? FAR_SPLIT : FAR_SLOW;
}

ALWAYS void add_far_double(const sweep *w, int a, int32_t i, far_reach reach, double *doubles, real r)
{
    const wide_block *b = &w->plan->links[a][i];
    if (UNLIKELY(reach != FAR_WHOLE)) {
        const real copy = r; /* so that r itself can stay in a register */
        add_far_slowly(w, a, i, doubles, &copy);
    } else {
        store_double(doubles + b->far, add_double(load_double(doubles + b->far), widen(r)));
    }
}
/* Where velocities and spins lie in sweep.state, in strides. */
enum { STATE_VELOCITY = 4, STATE_SPIN = 7, STATE_ARRAYS = 10 };

/* Lanes of a segment, from one place of an array to another. */
ALWAYS void copy_lanes(VXE_REAL *target, const VXE_REAL *source, uint32_t lanes)
{
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
    _mm512_mask_storeu_pd(target, (__mmask8)lanes, _mm512_maskz_loadu_pd((__mmask8)lanes, source));
#elif defined(__AVX512F__) && VXE_LANES == 16
    _mm512_mask_storeu_ps(target, (__mmask16)lanes, _mm512_maskz_loadu_ps((__mmask16)lanes, source));
#else
    store_lanes(target, real_select(mask_of(lanes), load_lanes(source), load_lanes(target)));
#endif
}
ALWAYS void copy_doubles(double *target, const double *source, uint32_t lanes)
{
#if defined(VXE_REAL_IS_FLOAT) && defined(__AVX512F__) && VXE_LANES == 16
    const __mmask8 low = (__mmask8)(lanes & 0xffU);
    const __mmask8 high = (__mmask8)(lanes >> 8);
    _mm512_mask_storeu_pd(target, low, _mm512_maskz_loadu_pd(low, source));
    _mm512_mask_storeu_pd(target + 8, high, _mm512_maskz_loadu_pd(high, source + 8));
#elif defined(VXE_REAL_IS_FLOAT)
    for (int j = 0; j < VXE_LANES; j++) {
        if ((lanes >> j & 1U) != 0) target[j] = source[j];
    }
#else
    copy_lanes(target, source, lanes);
#endif
}

/* Brings the positions and sizes of the far ends of a block that is split together, behind the voxels;
 * returns where. */
static int32_t copy_places(const sweep *w, int a, int32_t i)
{
    vxe_sim *sim = w->sim;
    const wide_block *b = &w->plan->links[a][i];
    const int32_t to = sim->spare + (int32_t)(w->part - sim->cpu->parts) * SPARE_LANES + a * LANES_MAX;
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        double *position = w->position;
        for (int d = 0; d < 3; d++, position += w->position_stride)
            copy_doubles(position + to, position + segment->far, segment->lanes);
        if (w->actuated) copy_doubles(sim->growth[0] + to, sim->growth[0] + segment->far, segment->lanes);
    }
    return to;
}

/* Likewise what else a link needs: so many arrays of the state from one on, and pressures. */
static int32_t copy_far(const sweep *w, int a, int32_t i, int first, int count)
{
    const wide_block *b = &w->plan->links[a][i];
    const int32_t to = copy_places(w, a, i);
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        VXE_REAL *state = w->state + first * w->stride;
        for (int d = 0; d < count; d++, state += w->stride)
            copy_lanes(state + to, state + segment->far, segment->lanes);
        double *pressure = w->sim->pressure[0];
        if (w->solid) copy_doubles(pressure + to, pressure + segment->far, segment->lanes);
    }
    return to;
}

/* Where lane 0 of a block finds the far end of its link, and the others theirs behind. */
ALWAYS int32_t find_far(const sweep *w, int a, int32_t i)
{
    const int32_t far = w->plan->links[a][i].far;
    if (LIKELY(far != WIDE_SPLIT)) return far;
    return copy_far(w, a, i, 0, w->implicit ? STATE_VELOCITY : STATE_ARRAYS);
}

ALWAYS rvec distance_to(const sweep *w, int32_t begin, int32_t far_end)
{
    const ptrdiff_t stride = w->position_stride;
    const double *near = w->position + begin;
    const double *far = w->position + far_end;
    return (rvec){narrow(subtract_double(load_double(far), load_double(near))),
                  narrow(subtract_double(load_double(far + stride), load_double(near + stride))),
                  narrow(subtract_double(load_double(far + 2 * stride), load_double(near + 2 * stride)))};
}

ALWAYS real rest_length(const sweep *w, int32_t begin, int32_t far)
{
    if (!w->actuated) return w->pitch;
    return link_rest_length(w->pitch, narrow(load_double(w->growth + begin)),
                            narrow(load_double(w->growth + far)));
}

/* ---- volume strains ------------------------------------------------------------------------------------------------- */

/* The far ends of a block's links along an axis and how much these are stretched: roots take long, so all
 * three axes' are begun before any is needed. */
typedef struct block_stretch {
    int32_t far;
    real length, rest; /* m: that without load */
} block_stretch;

ALWAYS block_stretch begin_stretch(const sweep *w, int32_t i, const int a)
{
    const int32_t begin = i * VXE_LANES;
    block_stretch s;
    s.far = w->plan->links[a][i].far;
    if (UNLIKELY(s.far == WIDE_SPLIT)) s.far = copy_places(w, a, i);
    const rvec d = distance_to(w, begin, s.far);
    s.length = real_sqrt(rvec_dot(d, d));
    s.rest = rest_length(w, begin, s.far);
    COMPUTE_NOW(s.length);
    return s;
}

/* The links of a block along an axis. The far end's share goes to its array, or (x) into `out`; `cross`: only
 * shares of far ends in this part, all to the array. `inverse`: 1/pitch, once for all. */
ALWAYS void strain_links(const sweep *w, int32_t i, const int a, const block_stretch begun, VXE_REAL inverse,
                         const bool cross, real *near, real *out)
{
    vxe_sim *sim = w->sim;
    const wide_block *b = &w->plan->links[a][i];
    if (a == 0 && !cross) *out = real_of(0);
    if (b->lanes == 0) return;
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c = w->constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    real stretch = begun.length - begun.rest;
    if (w->nonlinear)
        stretch = link_elastic_stretch(stretch, w->pitch, narrow(load_double(sim->plastic[a] + begin)));
    const real strain = real_keep(stretch * inverse, mask_of(b->lanes));
    const real far_share = constant_of(c, WIDE_FAR_STRAIN) * strain;
    *near = *near + constant_of(c, WIDE_NEAR_STRAIN) * strain;
    if (cross) {
        const real share = far_share;
        add_far_slowly(w, a, i, sim->volume[0], &share);
    } else if (a == 0) {
        *out = far_share;
    } else {
        add_far_double(w, a, i, reach_of(w, b), sim->volume[0], far_share);
    }
}

static void strain_part(vxe_sim *sim, const step_context *context, int part)
{
    const sweep w = begin_sweep(sim, context, part);
    const int32_t begin = w.part->begin;
    const int32_t end = w.part->end;
    memset(sim->volume[0] + begin, 0, (size_t)(end - begin) * sizeof(double));
    const VXE_REAL inverse = (VXE_REAL)1 / (VXE_REAL)sim->model->view.pitch;
    real unused = real_of(0);
    for (int a = 2; a >= 0; a--) {
        for (int32_t i = w.part->cross[a] / VXE_LANES; i < begin / VXE_LANES; i++)
            strain_links(&w, i, a, begin_stretch(&w, i, a), inverse, true, &unused, NULL);
    }
    real carry = real_of(0);
    for (int32_t i = begin / VXE_LANES; i < (end + VXE_LANES - 1) / VXE_LANES; i++) {
        if (UNLIKELY(w.rest != NULL) && (w.rest[i] & REST_LINKS) != 0) {
            carry = real_of(0);
            continue;
        }
        real near = real_of(0);
        real out;
        const block_stretch s2 = begin_stretch(&w, i, 2);
        const block_stretch s1 = begin_stretch(&w, i, 1);
        const block_stretch s0 = begin_stretch(&w, i, 0);
        strain_links(&w, i, 2, s2, inverse, false, &near, NULL);
        strain_links(&w, i, 1, s1, inverse, false, &near, NULL);
        strain_links(&w, i, 0, s0, inverse, false, &near, &out);
        double *sum = sim->volume[0] + i * VXE_LANES;
        const real in = SHIFT_IN(carry, out);
        store_double(sum, add_double(add_double(load_double(sum), widen(in)), widen(near)));
        carry = out;
    }
    for (int32_t v = begin; w.rest != NULL && v < end; v += VXE_LANES) { /* what rests has what it had */
        if (w.rest[v / VXE_LANES] != 0)
            store_double(sim->volume[0] + v, load_double(w.plan->rest.volume + v));
    }
}

/* ---- loads on their way to the far ends of links -------------------------------------------------------------------- */

/* A ring and where in it the block at hand lies. */
typedef struct ring_place {
    VXE_REAL *numbers;
    ptrdiff_t stride;
    int32_t size;
    int32_t at;
} ring_place;

ALWAYS ring_place begin_ring(const sweep *w, int a)
{
    const wide_ring *ring = &w->plan->rings[a];
    const size_t part = (size_t)(w->part - w->sim->cpu->parts);
    return (ring_place){(VXE_REAL *)ring->numbers + part * RING_ARRAYS * ring->stride,
                        (ptrdiff_t)ring->stride, ring->size, 0};
}

/* How many of its arrays are pulled. */
ALWAYS int ring_arrays(wide_audit audit, const bool implicit)
{
    return audit == AUDIT_NONE ? RING_PULLED : implicit ? RING_LOST_FORCE : RING_PULLED_MOST;
}

/* Repeats what lies at the beginning behind the end, once this block's loads are in it. */
ALWAYS void close_ring(ring_place r, const int arrays)
{
    if (LIKELY(r.at != 0)) return;
    for (int k = 0; k < arrays; k++) {
        VXE_REAL *numbers = r.numbers + k * r.stride;
        store_lanes(numbers + r.size, load_lanes(numbers));
    }
}

/* To the next block. */
ALWAYS void advance_ring(ring_place *r)
{
    r->at += VXE_LANES;
    if (r->at == r->size) r->at = 0;
}

/* Where in the ring the voxel lies that is `back` before the block at hand. */
ALWAYS int32_t back_in_ring(ring_place r, int32_t back)
{
    return r.at >= back ? r.at - back : r.at - back + r.size;
}

/* Near ends here and there, or some in the part before, which come by another way: see add_heads(). */
static __attribute__((noinline)) void gather_pull(const sweep *w, const wide_pull *p, int32_t begin,
                                                  const ring_place *r, int arrays)
{
    VXE_REAL *gathered = r->numbers + r->size + VXE_LANES;
    const wide_segment whole = {p->from, p->lanes};
    const wide_segment *segments = p->segment_count == 0 ? &whole : w->plan->segments + p->segment;
    const int count = p->segment_count == 0 ? 1 : p->segment_count;
    for (int d = 0; d < arrays; d++) store_lanes(gathered + d * r->stride, real_of(0));
    for (int k = 0; k < count; k++) {
        const int32_t from = segments[k].far;
        uint32_t lanes = segments[k].lanes & p->lanes;
        for (int32_t j = 0; j < VXE_LANES && from + j < w->part->begin; j++) lanes &= ~(1U << j);
        if (lanes == 0) continue;
        const VXE_REAL *source = r->numbers + back_in_ring(*r, begin - from);
        for (int d = 0; d < arrays; d++) copy_lanes(gathered + d * r->stride, source + d * r->stride, lanes);
    }
}

/* ---- links ---------------------------------------------------------------------------------------------------------- */

/* What links do to a block of voxels. */
typedef struct block_sums {
    rvec force, moment;
    real rate;
    rvec near_moment;             /* in `out` only, where `moment` is that of the far ends */
    rvec lost_force, lost_moment; /* with the account only, like what follows */
    rvec lost_near;               /* as near_moment */
    real conjugate;
    real elastic;
} block_sums;

/* The shortest length and the largest change of length, lane by lane. */
typedef struct block_extremes {
    real length_min, stretch_max;
} block_extremes;

/* Adds what the links along an axis that end in a block do to it. */
ALWAYS void pull_loads(const sweep *w, int32_t i, const int a, const wide_audit audit, const bool rated,
                       const bool implicit, ring_place r, block_sums *t, wide_double *conjugate)
{
    const wide_pull *p = &w->plan->pulls[a][i];
    if (p->lanes == 0) return;
    const int32_t begin = i * VXE_LANES;
    int32_t at = back_in_ring(r, begin - p->from);
    if (UNLIKELY(p->segment_count != 0 || p->from < w->part->begin)) {
        const ring_place place = r;
        gather_pull(w, p, begin, &place, ring_arrays(audit, implicit));
        at = r.size + VXE_LANES;
    }
    const VXE_REAL *source = r.numbers + at;
    const ptrdiff_t stride = r.stride;
    rvec force = load_vec(source + RING_FORCE * stride, stride);
    rvec moment = load_vec(source + RING_MOMENT * stride, stride);
    real rate = rated ? load_lanes(source + RING_RATE * stride) : real_of(0);
    if (p->lanes != ALL_LANES) {
        const real_mask mask = mask_of(p->lanes);
        force = keep_vec(force, mask);
        moment = keep_vec(moment, mask);
        if (rated) rate = real_keep(rate, mask);
    }
    t->force = rvec_add(t->force, force);
    t->moment = rvec_add(t->moment, moment);
    if (rated) t->rate = t->rate + rate;
    if (audit == AUDIT_NONE) return;
    if (w->actuated) {
        const real grown = real_keep(load_lanes(source + RING_CONJUGATE * stride), mask_of(p->lanes));
        *conjugate = add_double(*conjugate, widen(grown));
    }
    if (implicit) return;
    rvec lost_force = load_vec(source + RING_LOST_FORCE * stride, stride);
    rvec lost_moment = load_vec(source + RING_LOST_MOMENT * stride, stride);
    if (p->lanes != ALL_LANES) {
        const real_mask mask = mask_of(p->lanes);
        lost_force = keep_vec(lost_force, mask);
        lost_moment = keep_vec(lost_moment, mask);
    }
    t->lost_force = rvec_add(t->lost_force, lost_force);
    t->lost_moment = rvec_add(t->lost_moment, lost_moment);
}

/* Adds what the links along an axis that begin in a block do to it. */
ALWAYS void add_near(const sweep *w, int32_t i, const int a, const wide_audit audit, const bool rated,
                     const bool implicit, ring_place r, block_sums *t)
{
    if (w->plan->links[a][i].lanes == 0) return;
    const VXE_REAL *source = r.numbers + r.at;
    t->force = rvec_sub(t->force, load_vec(source + RING_FORCE * r.stride, r.stride));
    t->moment = rvec_add(t->moment, load_vec(r.numbers + RING_NEAR_MOMENT * r.stride, r.stride));
    if (rated) t->rate = t->rate + load_lanes(source + RING_RATE * r.stride);
    if (audit == AUDIT_NONE) return;
    if (w->actuated) t->conjugate = t->conjugate + load_lanes(source + RING_CONJUGATE * r.stride);
    if (implicit) return;
    t->lost_force = rvec_sub(t->lost_force, load_vec(source + RING_LOST_FORCE * r.stride, r.stride));
    t->lost_moment = rvec_add(t->lost_moment, load_vec(r.numbers + RING_LOST_NEAR * r.stride, r.stride));
}

ALWAYS block_sums no_sums(void)
{
    const real zero = real_of(0);
    const rvec none = {zero, zero, zero};
    return (block_sums){none, none, zero, none, none, none, none, zero, zero};
}

/* The sweep marks links that bear too much. */
static void mark_broken(const sweep *w, int a, int32_t i, const real *tension, step_measures *sums)
{
    const wide_block *b = &w->plan->links[a][i];
    const VXE_REAL *c =
        (const VXE_REAL *)w->plan->link_constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    for (int j = 0; j < VXE_LANES; j++) {
        if ((b->lanes >> j & 1U) == 0 || !((*tension)[j] > c[WIDE_FAILURE * VXE_LANES + j])) continue;
        w->sim->broken[a][i * VXE_LANES + j] = 2;
        sums->failed = 1;
    }
}

/* The state that blocks along z will need soon is fetched from memory: it is not there yet in bodies that are
 * larger than the cache, and so many arrays at once are more than processors foresee by themselves. */
#define FETCH_AHEAD (16 * VXE_LANES)
ALWAYS void fetch_ahead(const sweep *w, int32_t far)
{
    const VXE_REAL *state = w->state + far + FETCH_AHEAD;
    const double *position = w->position + far + FETCH_AHEAD;
    for (int k = 0; k < STATE_ARRAYS; k++, state += w->stride) __builtin_prefetch(state);
    for (int k = 0; k < 3; k++, position += w->position_stride) {
        __builtin_prefetch(position);
        if (IS_FLOAT) __builtin_prefetch(position + VXE_LANES / 2);
    }
}

/* The far ends of a block's links along an axis, and their chords: square root and division take long, so all
 * three axes' are begun before any is needed. */
typedef struct block_chord {
    int32_t far;
    link_chord chord;
    real stretch; /* m, from the length without load */
} block_chord;

ALWAYS block_chord begin_axis(const sweep *w, int32_t i, const int a)
{
    block_chord c;
    const int32_t begin = i * VXE_LANES;
    c.far = find_far(w, a, i);
    c.chord = link_chord_of(distance_to(w, begin, c.far));
    c.stretch = c.chord.length - rest_length(w, begin, c.far);
    COMPUTE_NOW(c.chord.inverse);
    COMPUTE_NOW(c.chord.e.x);
    COMPUTE_NOW(c.chord.e.y);
    COMPUTE_NOW(c.chord.e.z);
    COMPUTE_NOW(c.stretch);
    return c;
}

ALWAYS void note_extremes(const sweep *w, int32_t i, const int a, const block_chord c,
                          block_extremes *extremes)
{
    const uint32_t lanes = w->plan->links[a][i].lanes;
    real length = c.chord.length;
    real size = real_size(c.stretch);
    if (lanes != ALL_LANES) {
        const real_mask mask = mask_of(lanes);
        size = real_keep(size, mask);
        length = real_select(mask, length, extremes->length_min);
    }
    extremes->length_min = real_min(length, extremes->length_min);
    extremes->stretch_max = real_max(size, extremes->stretch_max);
}

static void keep_extremes(const block_extremes *extremes, step_measures *sums)
{
    VXE_REAL lengths[VXE_LANES];
    VXE_REAL stretches[VXE_LANES];
    store_lanes(lengths, extremes->length_min);
    store_lanes(stretches, extremes->stretch_max);
    for (int j = 0; j < VXE_LANES; j++) {
        const double length = (double)lengths[j];
        const double stretch = (double)stretches[j];
        if (length < sums->length_min) sums->length_min = length;
        if (stretch > sums->strain_max) sums->strain_max = stretch;
    }
}

/* What is known of a sweep when it is compiled. */
typedef struct sweep_kind {
    wide_audit audit;
    bool rated, implicit, solid;
} sweep_kind;

/* Where the links of a block along an axis leave what they do: along x for the next lane, else in a ring. */
typedef struct link_target {
    const ring_place *ring;
    block_sums *out;
    real *elastic; /* J, with the account */
    step_measures *sums;
} link_target;

ALWAYS link_load load_of_lanes(link_load load, const wide_block *b)
{
    if (b->lanes == ALL_LANES) return load;
    const real_mask mask = mask_of(b->lanes);
    return (link_load){keep_vec(load.force, mask), keep_vec(load.near_moment, mask),
                       keep_vec(load.far_moment, mask)};
}

ALWAYS void leave_load(const int a, const link_target t, const link_load load)
{
    if (a == 0) {
        t.out->force = load.force;
        t.out->moment = load.far_moment;
        t.out->near_moment = load.near_moment;
        return;
    }
    const ring_place *r = t.ring;
    store_vec(r->numbers + r->at + RING_FORCE * r->stride, r->stride, load.force);
    store_vec(r->numbers + r->at + RING_MOMENT * r->stride, r->stride, load.far_moment);
    store_vec(r->numbers + RING_NEAR_MOMENT * r->stride, r->stride, load.near_moment);
}

/* Likewise what of it takes energy. */
ALWAYS void leave_loss(const int a, const link_target t, const link_load lost)
{
    if (a == 0) {
        t.out->lost_force = lost.force;
        t.out->lost_moment = lost.far_moment;
        t.out->lost_near = lost.near_moment;
        return;
    }
    const ring_place *r = t.ring;
    store_vec(r->numbers + r->at + RING_LOST_FORCE * r->stride, r->stride, lost.force);
    store_vec(r->numbers + r->at + RING_LOST_MOMENT * r->stride, r->stride, lost.far_moment);
    store_vec(r->numbers + RING_LOST_NEAR * r->stride, r->stride, lost.near_moment);
}

/* One number more per link. */
ALWAYS void leave_number(const int a, const link_target t, const int which, real *out, real number)
{
    if (a == 0) {
        *out = number;
    } else {
        store_lanes(t.ring->numbers + t.ring->at + which * t.ring->stride, number);
    }
}

ALWAYS link_parts damping_of(const sweep *w, int32_t begin, const block_chord *begun, const VXE_REAL *c)
{
    const ptrdiff_t stride = w->stride;
    const VXE_REAL *own = w->state + begin;
    const VXE_REAL *other = w->state + begun->far;
    const rvec v1 = load_vec(own + STATE_VELOCITY * stride, stride);
    const rvec v2 = load_vec(other + STATE_VELOCITY * stride, stride);
    const rvec w1 = load_vec(own + STATE_SPIN * stride, stride);
    const rvec w2 = load_vec(other + STATE_SPIN * stride, stride);
    const link_damping_rates rates = {constant_of(c, WIDE_AXIAL), constant_of(c, WIDE_SHEAR),
                                      constant_of(c, WIDE_BENDING), constant_of(c, WIDE_TORSION)};
    return link_damping_parts(begun->chord, rvec_sub(v2, v1), w1, w2, rates);
}

/* The links of a block along an axis, as in strain_links(). `half_axis`: that of its voxels. */
ALWAYS void links_of_axis(const sweep *w, const sweep_kind kind, int32_t i, const int a,
                          const block_chord begun, const rvec half_axis, const link_target target)
{
    const wide_block *b = &w->plan->links[a][i];
    if (b->lanes == 0) {
        if (a == 0) *target.out = no_sums();
        return;
    }
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c = w->constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    const link_chord chord = begun.chord;
    const rquat q1 = load_quat(w->state + begin, w->stride);
    const rquat q2 = load_quat(w->state + begun.far, w->stride);
    const real ka = constant_of(c, WIDE_KA);
    real elastic = begun.stretch;
    if (w->nonlinear)
        elastic = link_elastic_stretch(elastic, w->pitch, narrow(load_double(w->sim->plastic[a] + begin)));
    real tension = link_axial_force(ka, elastic);
    if (kind.solid) {
        tension = tension + link_pressure_force(constant_of(c, WIDE_NEAR_PRESSURE),
                                                narrow(load_double(w->pressure + begin)),
                                                constant_of(c, WIDE_FAR_PRESSURE),
                                                narrow(load_double(w->pressure + begun.far)));
    }
    const link_stiffness stiffness = {constant_of(c, WIDE_ACROSS), constant_of(c, WIDE_TWICE_BEND),
                                      constant_of(c, WIDE_TWICE_TWIST)};
    const link_parts springs =
        link_elastic_parts(chord, q1, q2, half_axis, rquat_half_axis(q2, a), stiffness, tension);
    link_parts damping = springs;
    link_parts all = springs;
    if (!kind.implicit) {
        damping = damping_of(w, begin, &begun, c);
        all = link_parts_add(springs, damping);
    }
    const link_load load = load_of_lanes(link_load_of(chord, all), b);
    if (UNLIKELY(b->can_break)) {
        const real copy = tension;
        mark_broken(w, a, i, &copy, target.sums);
    }
    leave_load(a, target, load);
    const real_mask mask = mask_of(b->lanes);
    if (kind.rated) {
        const real rate =
            link_rate(chord, tension, constant_of(c, WIDE_RATE), constant_of(c, WIDE_RATE_ACROSS));
        leave_number(a, target, RING_RATE, a == 0 ? &target.out->rate : NULL, real_keep(rate, mask));
    } else if (a == 0) {
        target.out->rate = real_of(0);
    }
    if (kind.audit == AUDIT_NONE) return;
    if (kind.audit == AUDIT_MEASURE) {
        *target.elastic =
            *target.elastic +
            real_keep(link_stretch_energy(ka, elastic) + link_energy(chord, q1, q2, a, stiffness), mask);
    }
    if (w->actuated) {
        const real growth = link_growth_force(real_of(0.5 * w->sim->model->view.pitch), tension);
        leave_number(a, target, RING_CONJUGATE, a == 0 ? &target.out->conjugate : NULL,
                     real_keep(growth, mask));
    }
    if (!kind.implicit) leave_loss(a, target, load_of_lanes(link_load_of(chord, damping), b));
}

#endif
