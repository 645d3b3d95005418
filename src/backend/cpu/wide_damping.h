/* The passes of implicit bond damping (sim/damping.c), VXE_LANES links at a time.
 *
 * Along y and z a block holds near ends and their far ends lie elsewhere. Along x both ends are in the same
 * vector, in neighbouring lanes: at even places in a block, at odd places in one that begins a voxel later.
 * So two blocks are taken at once, the near ends of both and their far ends. */
#ifndef BACKEND_CPU_WIDE_DAMPING_H
#define BACKEND_CPU_WIDE_DAMPING_H

#include "backend/cpu/wide_links.h"

/* The even lanes of two vectors, and the odd ones, in turn. Twice is back again. */
#if VXE_LANES == 2
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 2)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 3)
#elif VXE_LANES == 4
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#elif VXE_LANES == 8
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#else
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#endif
#define EVEN_LANES (ALL_LANES & 0x5555U)

ALWAYS rvec evens(rvec a, rvec b) { return (rvec){EVENS(a.x, b.x), EVENS(a.y, b.y), EVENS(a.z, b.z)}; }
ALWAYS rvec odds(rvec a, rvec b) { return (rvec){ODDS(a.x, b.x), ODDS(a.y, b.y), ODDS(a.z, b.z)}; }

ALWAYS rvec velocity_of(const sweep *w, int32_t begin)
{
    return load_vec(w->state + STATE_VELOCITY * w->stride + begin, w->stride);
}
ALWAYS rvec spin_of(const sweep *w, int32_t begin)
{
    return load_vec(w->state + STATE_SPIN * w->stride + begin, w->stride);
}
/* Only the lanes named change. */
ALWAYS void store_motion(const sweep *w, int32_t begin, rvec velocity, rvec spin, uint32_t lanes)
{
    if (lanes != ALL_LANES) {
        const real_mask mask = mask_of(lanes);
        velocity = select_vec(mask, velocity, velocity_of(w, begin));
        spin = select_vec(mask, spin, spin_of(w, begin));
    }
    store_vec(w->state + STATE_VELOCITY * w->stride + begin, w->stride, velocity);
    store_vec(w->state + STATE_SPIN * w->stride + begin, w->stride, spin);
}

ALWAYS const VXE_REAL *brakes_of(const sweep *w, const wide_block *b)
{
    return (const VXE_REAL *)w->plan->brakes + (size_t)b->constants * (WIDE_BRAKES * VXE_LANES);
}
ALWAYS link_brake brake_from(const VXE_REAL *c, const bool full)
{
    const int at = full ? WIDE_BRAKE_FULL : 0;
    return (link_brake){constant_of(c, at + WIDE_BRAKE_AXIAL), constant_of(c, at + WIDE_BRAKE_SHEAR),
                        constant_of(c, at + WIDE_BRAKE_BENDING), constant_of(c, at + WIDE_BRAKE_EXCESS),
                        constant_of(c, WIDE_BRAKE_FAR)};
}

static void brake_singly(const sweep *w, int a, int32_t begin, uint32_t lanes, bool full)
{
    for (int j = 0; j < VXE_LANES; j++) {
        if ((lanes >> j & 1U) != 0) WIDE_PLAIN(brake)(w->sim, w->context, a, begin + j, full);
    }
}

/* ---- along y and z -------------------------------------------------------------------------------------------------- */

/* Links whose turn comes next: a division takes long, so theirs is begun before those at hand are braked. */
typedef struct waiting_links {
    int32_t first, second; /* voxels at which blocks begin; along y and z there is one; < 0: none wait */
    rvec d;
    real inverse; /* 1/|d|^2 */
} waiting_links;

ALWAYS waiting_links begin_links(int32_t first, int32_t second, rvec d)
{
    waiting_links l = {first, second, d, real_of(1) / rvec_dot(d, d)};
    COMPUTE_NOW(l.inverse);
    return l;
}

ALWAYS link_ends braked_across(const sweep *w, const wide_block *b, int32_t far, const waiting_links *l,
                               real inverse_area, const bool alike)
{
    const link_ends before = {velocity_of(w, l->first), spin_of(w, l->first), velocity_of(w, far),
                              spin_of(w, far)};
    return link_braked_at(l->d, l->inverse, before, brake_from(brakes_of(w, b), false), inverse_area, alike);
}

/* Far ends here and there. */
static __attribute__((noinline)) void brake_split(const sweep *w, int a, int32_t i, uint32_t lanes)
{
    const wide_block *b = &w->plan->links[a][i];
    const int32_t begin = i * VXE_LANES;
    const int32_t far = copy_far(w, a, i, STATE_VELOCITY, STATE_ARRAYS - STATE_VELOCITY);
    const waiting_links l = begin_links(begin, begin, distance_to(w, begin, far));
    const link_ends now = braked_across(w, b, far, &l, w->inverse_area, false);
    store_motion(w, begin, now.velocity1, now.spin1, lanes);
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        if ((segment->lanes & lanes) == 0) continue;
        store_motion(w, segment->far, now.velocity2, now.spin2, segment->lanes & lanes);
    }
}

ALWAYS uint32_t lanes_across(const wide_block *b, int parity)
{
    return b->lanes & (parity == 0 ? b->even : ~b->even);
}

/* In a narrow body near and far vectors can overlap; where only some lanes change, the others are read when
 * all else is written. */
ALWAYS void brake_block(const sweep *w, int a, int parity, const waiting_links *l, real inverse_area)
{
    const wide_block *b = &w->plan->links[a][l->first / VXE_LANES];
    const uint32_t lanes = lanes_across(b, parity);
    const link_ends now = b->alike != 0 ? braked_across(w, b, b->far, l, inverse_area, true)
                                        : braked_across(w, b, b->far, l, inverse_area, false);
    store_motion(w, l->first, now.velocity1, now.spin1, lanes);
    store_motion(w, b->far, now.velocity2, now.spin2, lanes);
}

/* Links of one parity. Where some lanes only have a link and their vectors reach into what another thread
 * works on, they are taken one by one. */
static void brake_across(const sweep *w, int a, int parity, int32_t from, int32_t to)
{
    const real inverse_area = w->inverse_area;
    const bool last = w->part->end == w->sim->model->view.voxel_count;
    waiting_links waiting = {.first = -1};
    for (int32_t begin = from; begin < to || waiting.first >= 0; begin += VXE_LANES) {
        waiting_links next = {.first = -1};
        if (begin < to) {
            const int32_t i = begin / VXE_LANES;
            const wide_block *b = &w->plan->links[a][i];
            const uint32_t lanes = lanes_across(b, parity);
            if (lanes == 0) continue;
            const bool border =
                lanes != ALL_LANES && (begin < w->part->head || (!last && reach_of(w, b) == FAR_SLOW));
            if (UNLIKELY(b->held != 0 || border)) {
                if (w->rest == NULL || w->rest[i] == 0) brake_singly(w, a, begin, lanes, false);
                continue;
            }
            if (UNLIKELY(b->far == WIDE_SPLIT)) {
                brake_split(w, a, i, lanes);
                continue;
            }
            next = begin_links(begin, begin, distance_to(w, begin, b->far));
        }
        if (waiting.first >= 0) brake_block(w, a, parity, &waiting, inverse_area);
        waiting = next;
    }
}

/* ---- along x -------------------------------------------------------------------------------------------------------- */

/* From the voxels in even lanes to those after them. */
ALWAYS rvec distance_along(const sweep *w, int32_t first, int32_t second)
{
#ifdef VXE_REAL_IS_FLOAT
    return evens(distance_to(w, first, first + 1), distance_to(w, second, second + 1));
#else
    const rvec a = load_vec(w->position + first, w->position_stride);
    const rvec b = load_vec(w->position + second, w->position_stride);
    return rvec_sub(odds(a, b), evens(a, b));
#endif
}

/* The links of two blocks at even or odd places; `second` may be the same as `first`. */
ALWAYS void brake_pairs(const sweep *w, const waiting_links *l, const int parity, const bool full,
                        real inverse_area, const bool alike)
{
    const wide_block *b[2] = {&w->plan->links[0][l->first / VXE_LANES],
                              &w->plan->links[0][l->second / VXE_LANES]};
    const link_brake k0 = brake_from(brakes_of(w, b[0]) + parity, full);
    const link_brake k1 = brake_from(brakes_of(w, b[1]) + parity, full);
    const link_brake k = {EVENS(k0.axial, k1.axial), EVENS(k0.shear, k1.shear), EVENS(k0.bending, k1.bending),
                          EVENS(k0.excess, k1.excess), EVENS(k0.far, k1.far)};
    const int32_t at[2] = {l->first + parity, l->second + parity};
    const rvec velocity[2] = {velocity_of(w, at[0]), velocity_of(w, at[1])};
    const rvec spin[2] = {spin_of(w, at[0]), spin_of(w, at[1])};
    const link_ends before = {evens(velocity[0], velocity[1]), evens(spin[0], spin[1]),
                              odds(velocity[0], velocity[1]), odds(spin[0], spin[1])};
    const link_ends now = link_braked_at(l->d, l->inverse, before, k, inverse_area, alike);
    const uint32_t near0 = b[0]->lanes >> parity & EVEN_LANES;
    const uint32_t near1 = b[1]->lanes >> parity & EVEN_LANES;
    store_motion(w, at[0], evens(now.velocity1, now.velocity2), evens(now.spin1, now.spin2),
                 near0 | near0 << 1);
    if (l->second == l->first) return;
    store_motion(w, at[1], odds(now.velocity1, now.velocity2), odds(now.spin1, now.spin2),
                 near1 | near1 << 1);
}

ALWAYS waiting_links begin_pairs(const sweep *w, int32_t first, int32_t second, const int parity)
{
    return begin_links(first, second, distance_along(w, first + parity, second + parity));
}

ALWAYS void brake_along(const sweep *w, const int parity, const bool full, int32_t from, int32_t to)
{
    const real inverse_area = w->inverse_area;
    waiting_links waiting = {.first = -1};
    int32_t alone = -1; /* a block that waits for another */
    for (int32_t begin = from; begin < to || waiting.first >= 0 || alone >= 0; begin += VXE_LANES) {
        waiting_links next = {.first = -1};
        if (begin < to) {
            const wide_block *b = &w->plan->links[0][begin / VXE_LANES];
            const uint32_t near = b->lanes >> parity & EVEN_LANES;
            if (near == 0) continue;
            if (UNLIKELY(b->held != 0)) {
                if (w->rest == NULL || w->rest[begin / VXE_LANES] == 0)
                    brake_singly(w, 0, begin, near << parity, full);
                continue;
            }
            if (alone < 0) {
                alone = begin;
                continue;
            }
            next = begin_pairs(w, alone, begin, parity);
            alone = -1;
        } else if (alone >= 0) {
            next = begin_pairs(w, alone, alone, parity);
            alone = -1;
        }
        if (waiting.first >= 0) {
            const wide_block *links = w->plan->links[0];
            if (LIKELY(links[waiting.first / VXE_LANES].alike != 0 &&
                       links[waiting.second / VXE_LANES].alike != 0)) {
                brake_pairs(w, &waiting, parity, full, inverse_area, true);
            } else {
                brake_pairs(w, &waiting, parity, full, inverse_area, false);
            }
        }
        waiting = next;
    }
}

/* What all passes have in common. A pass is called for a strip of voxels at a time, so it is made once: of
 * the only thread, or by each for each pass. */
typedef struct wide_damping {
    vxe_sim *sim;
    const step_context *context;
    const sweep *first; /* NULL: there are several threads */
    sweep kicked;       /* where all of a step is done in one sweep: that of links, */
    block_sums carried; /* and what its last block does to the next */
} wide_damping;

static void damp_strip(const sweep *w, damping_pass pass, int32_t begin, int32_t end)
{
    if (pass.axis != 0) {
        brake_across(w, pass.axis, pass.parity, begin, end);
    } else if (pass.parity == 0) {
        brake_along(w, 0, false, begin, end);
    } else {
        brake_along(w, 1, true, begin, end);
    }
}

static void damp_links(void *own, int part, damping_pass pass, int32_t begin, int32_t end)
{
    const wide_damping *d = own;
    const wide_rest *r = &d->sim->cpu->plan->rest;
    while (UNLIKELY(r->left_out) && begin < end && r->kind[begin / VXE_LANES] != 0) begin += VXE_LANES;
    if (begin >= end) return;
    if (LIKELY(d->first != NULL)) {
        damp_strip(d->first, pass, begin, end);
    } else {
        const sweep w = begin_sweep(d->sim, d->context, part);
        damp_strip(&w, pass, begin, end);
    }
}

#endif
