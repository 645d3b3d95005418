/* The physics of ONE voxel at ONE surface of ground or of a solid: the floor's law (voxel.h) in the frame of
 * the surface's normal. In double, as contacts of voxels are. */
#ifndef KERNEL_GROUND_H
#define KERNEL_GROUND_H

#include "kernel/voxel.h"

/* ---- the frame ------------------------------------------------------------------------------------------------------ */

/* Two directions along a surface, and its normal. */
typedef struct ground_frame {
    rvec side, ahead, normal;
} ground_frame;

static inline ground_frame ground_frame_beside(rvec normal, rvec side)
{
    return (ground_frame){side, rvec_cross(normal, side), normal};
}

/* From the axis that is the least along the normal. */
static inline ground_frame ground_frame_of(rvec normal)
{
    const real zero = real_of(0);
    const real one = real_of(1);
    const real x = real_max(normal.x, zero - normal.x);
    const real y = real_max(normal.y, zero - normal.y);
    const real z = real_max(normal.z, zero - normal.z);
    const real_mask along_x = (real_mask)(x <= y) & (real_mask)(x <= z);
    const real_mask along_y = (real_mask)(along_x == 0) & (real_mask)(y <= z);
    const real_mask along_z = (real_mask)((along_x | along_y) == 0);
    const rvec least = {real_select(along_x, one, zero), real_select(along_y, one, zero),
                        real_select(along_z, one, zero)};
    const rvec side = rvec_cross(normal, least);
    return ground_frame_beside(normal, rvec_scale(one / real_sqrt(rvec_dot(side, side)), side));
}

static inline rvec ground_into(ground_frame f, rvec v)
{
    return (rvec){rvec_dot(f.side, v), rvec_dot(f.ahead, v), rvec_dot(f.normal, v)};
}

static inline rvec ground_out_of(ground_frame f, rvec v)
{
    return rvec_add(rvec_scale(v.x, f.side), rvec_add(rvec_scale(v.y, f.ahead), rvec_scale(v.z, f.normal)));
}

/* ---- where it begins ------------------------------------------------------------------------------------------------ */

/* By how much the depth may be off from one step to the next: the square of the way in pitches, for as round
 * as an edge is to a voxel that touches it, 2/l, a way w takes it off by 2/l w^2/8; and round-off, pitches.
 */
#define GROUND_CURVED 0.25
#define GROUND_STEADY 1e-6

/* m; `way`: of the voxel in the step before, squared. */
static inline real ground_steady(real way, real pitch, real per_pitch)
{
    return real_of(GROUND_CURVED) * way * per_pitch + real_of(GROUND_STEADY) * pitch;
}

/* m: the depth from which it counts, if it is at `depth` and had come to `came`. One that is found deeper has
 * been met by a surface that has jumped, which gives no energy. */
static inline real ground_jumped(real rest, real depth, real came, real steady)
{
    const real jump = depth - came;
    return real_select(jump > steady, rest + jump, rest);
}

/* `depth`: half a step ago. What is found in contact (`rest` < 0) starts without energy stored. */
static inline real ground_counts_from(real rest, real depth)
{
    const real zero = real_of(0);
    const real deep = real_select(depth > zero, depth, zero);
    return real_select((real_mask)(rest < zero) | (real_mask)(deep < rest), deep, rest);
}

/* ---- the contact ---------------------------------------------------------------------------------------------------- */

/* `before` and `free`, m/s: before the step, and after it without this contact; what has pushed the voxel
 * from one to the other in between is its load. All in the frame. */
static inline floor_contact ground_contact(rvec before, rvec free, real depth, real_mask stuck,
                                           real_mask fresh, voxel_constants c, floor_step t,
                                           floor_terms terms)
{
    const rvec push = rvec_scale(terms.momentum, rvec_sub(free, before));
    return voxel_on_floor_with(before, free, push, depth, stuck, fresh, c, t, terms);
}

/* ---- its part of the account ---------------------------------------------------------------------------------------- */

/* What a contact was and has become, along its normal. */
typedef struct ground_course {
    real half, after; /* m: depth half a step ago and half a step ahead */
    real was, is;     /* m/s: velocities before and after */
    real force;       /* N */
    real held;        /* J: in its spring when the last step ended */
    real grown;       /* m: what of the depth is the voxel's own growth in this step */
    contact_spring spring;
} ground_course;

/* J */
typedef struct ground_account {
    real swelling; /* work of growth */
    real shift;    /* what a step of another length than the last makes of the energy: kernel/ringing.h */
    real gained;   /* what it returned beyond what it had received */
} ground_account;

/* `kept`: in its spring at the end; `grows`: there is growth; `change`: s, a quarter of what the step before
 * was longer by. As of pairs of voxels. */
static inline ground_account ground_book(ground_course g, real kept, int grows, real kick, real change)
{
    const real zero = real_of(0);
    const real held = contact_energy(g.half, g.spring);
    ground_account a = {zero, change * g.force * (g.is - g.was), zero};
    if (grows) /* the depth from which it counts may have come down */
        a.swelling = real_max(held - contact_energy(g.half - g.grown, g.spring), zero - g.held);
    const real geometry = held - a.swelling - g.held;
    const real work = real_of(0.5) * kick * g.force * (g.was + g.is);
    const real made = kept - held + work - a.shift;
    a.gained = real_select(geometry > zero, geometry, zero) + real_select(made > zero, made, zero);
    return a;
}

#endif
