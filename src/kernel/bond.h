/* The frames of ONE bond: a link between two voxels that met in any pose. Each end has a frame of its own
 * that moves with its voxel; at the moment they met both frames were the same, with their first axis along
 * the bond. In these frames a bond is a link along axis 0, and everything of kernel/link.h holds for it. */
#ifndef KERNEL_BOND_H
#define KERNEL_BOND_H

#include "kernel/real.h"

static inline rquat rquat_multiply(rquat a, rquat b)
{
    return (rquat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline rquat rquat_conjugate(rquat q) { return (rquat){q.w, -q.x, -q.y, -q.z}; }

static inline rquat rquat_normal(rquat q)
{
    const real inverse = real_of(1) / real_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (rquat){inverse * q.w, inverse * q.x, inverse * q.y, inverse * q.z};
}

/* A frame whose first axis is the unit vector e: the shortest turn from x to it, or about y if they are
 * opposite. */
static inline rquat bond_frame(rvec e)
{
    const rquat turn = {real_of(1) + e.x, real_of(0), -e.z, e.y};
    if (turn.w < real_of(1e-6)) return (rquat){real_of(0), real_of(0), real_of(1), real_of(0)};
    return rquat_normal(turn);
}

/* What takes a voxel's orientation q to the frame: q times it is the frame. */
static inline rquat bond_turn(rquat q, rquat frame)
{
    return rquat_normal(rquat_multiply(rquat_conjugate(q), frame));
}

#endif
