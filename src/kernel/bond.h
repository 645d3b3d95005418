/* The frames of ONE bond: a link between two voxels that met in any pose. Each end has a frame of its own
 * that moves with its voxel; at the moment they met both frames were the same, with their first axis along
 * the bond. In these frames a bond is a link along axis 0, and everything of kernel/link.h holds for it. */
#ifndef KERNEL_BOND_H
#define KERNEL_BOND_H

#include "base/vec.h"

/* A frame whose first axis is the unit vector e: the shortest turn from x to it, or about y if they are
 * opposite. */
static inline quat bond_frame(vec3 e)
{
    const quat turn = {1.0 + e.x, 0.0, -e.z, e.y};
    if (turn.w < 1e-6) return (quat){0.0, 0.0, 1.0, 0.0};
    return quat_unit(turn);
}

/* What takes a voxel's orientation q to the frame: q times it is the frame. */
static inline quat bond_turn(quat q, quat frame) { return quat_unit(quat_product(quat_conjugate(q), frame)); }

#endif
