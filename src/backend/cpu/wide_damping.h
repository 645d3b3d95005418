/* The passes of implicit bond damping (sim/damping.c), VXE_LANES links at a time.
 *
 * Along y and z a block holds near ends and their far ends lie elsewhere. Along x both ends are in the same
 * vector, in neighbouring lanes: at even places in a block, at odd places in one that begins a voxel later.
 * In both cases the links are computed in the lanes of their near ends. */
#ifndef BACKEND_CPU_WIDE_DAMPING_H
#define BACKEND_CPU_WIDE_DAMPING_H

#include "backend/cpu/wide_links.h"

#if VXE_LANES == 2
#define ODD_LANES(a) __builtin_shufflevector(a, a, 1, 1)
#define PAIR_LANES(a, b) __builtin_shufflevector(a, b, 0, 2)
#elif VXE_LANES == 4
#define ODD_LANES(a) __builtin_shufflevector(a, a, 1, 1, 3, 3)
#define PAIR_LANES(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#elif VXE_LANES == 8
#define ODD_LANES(a) __builtin_shufflevector(a, a, 1, 1, 3, 3, 5, 5, 7, 7)
#define PAIR_LANES(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#else
#define ODD_LANES(a) __builtin_shufflevector(a, a, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15)
#define PAIR_LANES(a, b)                                                                                     \
    __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#endif
#define EVEN_LANES (ALL_LANES & 0x5555U)

/* The velocities of one end of each link. */
typedef struct block_ends {
    rvec velocity, spin;
} block_ends;

ALWAYS block_ends load_ends(const native_state *s, int32_t begin)
{
    return (block_ends){load_vec(s->velocity[0] + begin, s->stride), load_vec(s->spin[0] + begin, s->stride)};
}
ALWAYS rvec select_vec(real_mask mask, rvec a, rvec b)
{
    return (rvec){real_select(mask, a.x, b.x), real_select(mask, a.y, b.y), real_select(mask, a.z, b.z)};
}
/* Only the lanes named change. */
ALWAYS void store_ends(const native_state *s, int32_t begin, block_ends now, block_ends before,
                       uint32_t lanes)
{
    if (lanes != ALL_LANES) {
        const real_mask mask = mask_of(lanes);
        now.velocity = select_vec(mask, now.velocity, before.velocity);
        now.spin = select_vec(mask, now.spin, before.spin);
    }
    store_vec(s->velocity[0] + begin, s->stride, now.velocity);
    store_vec(s->spin[0] + begin, s->stride, now.spin);
}

/* What links leave of the velocities of their ends. */
ALWAYS void brake_lanes(const VXE_REAL *c, const bool full, real inverse_area, rvec d, block_ends *near,
                        block_ends *far)
{
    const int at = full ? WIDE_BRAKE_FULL : 0;
    const link_brake brake = {constant_of(c, at + WIDE_BRAKE_AXIAL), constant_of(c, at + WIDE_BRAKE_SHEAR),
                              constant_of(c, at + WIDE_BRAKE_BENDING),
                              constant_of(c, at + WIDE_BRAKE_EXCESS)};
    const link_load load = link_brake_load(d, rvec_sub(far->velocity, near->velocity), near->spin, far->spin,
                                           brake, inverse_area);
    near->velocity = rvec_sub(near->velocity, rvec_scale(constant_of(c, WIDE_NEAR_INVERSE_MASS), load.force));
    near->spin =
        rvec_add(near->spin, rvec_scale(constant_of(c, WIDE_NEAR_INVERSE_INERTIA), load.near_moment));
    far->velocity = rvec_add(far->velocity, rvec_scale(constant_of(c, WIDE_FAR_INVERSE_MASS), load.force));
    far->spin = rvec_add(far->spin, rvec_scale(constant_of(c, WIDE_FAR_INVERSE_INERTIA), load.far_moment));
}

static void brake_singly(const sweep *w, int a, int32_t begin, uint32_t lanes, bool full)
{
    for (int j = 0; j < VXE_LANES; j++) {
        if ((lanes >> j & 1U) != 0) WIDE_PLAIN(brake)(w->sim, a, begin + j, full);
    }
}

ALWAYS const VXE_REAL *brakes_of(const sweep *w, const wide_block *b)
{
    return (const VXE_REAL *)w->plan->brakes + (size_t)b->constants * (WIDE_BRAKES * VXE_LANES);
}

/* Far ends here and there. */
static __attribute__((noinline)) void brake_split(const sweep *w, int a, int32_t i, uint32_t lanes, bool full,
                                                  real inverse_area)
{
    const wide_block *b = &w->plan->links[a][i];
    const int32_t begin = i * VXE_LANES;
    const int32_t copied = copy_far(w, a, i);
    const block_ends before = load_ends(w->s, begin);
    block_ends near = before;
    block_ends far = load_ends(w->s, copied);
    brake_lanes(brakes_of(w, b), full, inverse_area, distance_to(w, begin, copied), &near, &far);
    store_ends(w->s, begin, near, before, lanes);
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        if ((segment->lanes & lanes) == 0) continue;
        store_ends(w->s, segment->far, far, load_ends(w->s, segment->far), segment->lanes & lanes);
    }
}

/* Links along y or z of one parity. Where some lanes only have a link and their vectors reach into what
 * another thread works on, they are taken one by one. */
static void brake_across(const sweep *w, int a, int parity, bool full)
{
    const vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const double pitch = sim->model->view.pitch;
    const real inverse_area = real_of(1.0 / (pitch * pitch));
    const bool last = w->part->end == sim->model->view.voxel_count;
    for (int32_t begin = w->part->begin; begin < w->part->end; begin += VXE_LANES) {
        const int32_t i = begin / VXE_LANES;
        const wide_block *b = &w->plan->links[a][i];
        const uint32_t lanes = b->lanes & (parity == 0 ? b->even : ~b->even);
        if (lanes == 0) continue;
        const bool border =
            lanes != ALL_LANES && (begin < w->part->head || (!last && reach_of(w, b) == FAR_SLOW));
        if (UNLIKELY(b->held != 0 || border)) {
            brake_singly(w, a, begin, lanes, full);
            continue;
        }
        if (UNLIKELY(b->far == WIDE_SPLIT)) {
            brake_split(w, a, i, lanes, full, inverse_area);
            continue;
        }
        const block_ends near_before = load_ends(s, begin);
        block_ends near = near_before;
        block_ends far = load_ends(s, b->far);
        const rvec d = distance_to(w, begin, b->far);
        brake_lanes(brakes_of(w, b), full, inverse_area, d, &near, &far);
        store_ends(s, begin, near, near_before, lanes);
        /* in a narrow body the two vectors overlap */
        store_ends(s, b->far, far, lanes == ALL_LANES ? far : load_ends(s, b->far), lanes);
    }
}

ALWAYS rvec odd_lanes(rvec a) { return (rvec){ODD_LANES(a.x), ODD_LANES(a.y), ODD_LANES(a.z)}; }
ALWAYS rvec pair_lanes(rvec near, rvec far)
{
    return (rvec){PAIR_LANES(near.x, far.x), PAIR_LANES(near.y, far.y), PAIR_LANES(near.z, far.z)};
}

/* From the voxels in even lanes to those after them. */
ALWAYS rvec distance_along(const sweep *w, int32_t begin)
{
#ifdef VXE_REAL_IS_FLOAT
    return distance_to(w, begin, begin + 1);
#else
    const rvec near = load_vec(w->position + begin, w->position_stride);
    return rvec_sub(odd_lanes(near), near);
#endif
}

/* Links along x of one parity. */
ALWAYS void brake_along(const sweep *w, const int parity, const bool full)
{
    const vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const double pitch = sim->model->view.pitch;
    const real inverse_area = real_of(1.0 / (pitch * pitch));
    for (int32_t begin = w->part->begin; begin < w->part->end; begin += VXE_LANES) {
        const wide_block *b = &w->plan->links[0][begin / VXE_LANES];
        const uint32_t near_lanes = b->lanes >> parity & EVEN_LANES;
        if (near_lanes == 0) continue;
        if (UNLIKELY(b->held != 0)) {
            brake_singly(w, 0, begin, near_lanes << parity, full);
            continue;
        }
        const int32_t window = begin + parity;
        const block_ends before = load_ends(s, window);
        block_ends near = before;
        block_ends far = {odd_lanes(before.velocity), odd_lanes(before.spin)};
        brake_lanes(brakes_of(w, b) + parity, full, inverse_area, distance_along(w, window), &near, &far);
        const block_ends now = {pair_lanes(near.velocity, far.velocity), pair_lanes(near.spin, far.spin)};
        store_ends(s, window, now, before, near_lanes | near_lanes << 1);
    }
}

static void wide_damp(vxe_sim *sim, int part)
{
    const sweep w = begin_sweep(sim, part);
    const damping_pass pass = sim->damping_pass;
    if (pass.axis != 0) {
        brake_across(&w, pass.axis, pass.parity, pass.full);
    } else if (pass.parity == 0) {
        brake_along(&w, 0, false);
    } else {
        brake_along(&w, 1, true);
    }
}

#endif
