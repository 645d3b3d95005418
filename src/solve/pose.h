/* Poses as the physics of links takes them. */
#ifndef SOLVE_POSE_H
#define SOLVE_POSE_H

#include "kernel/link.h"
#include "solve/lattice.h"

/* The way from a link's near end to its far one, and how a voxel is turned. */
static inline link_chord pose_chord(const pose *p, const lattice_link *link)
{
    const double *a = &p->position[3 * (size_t)link->near];
    const double *b = &p->position[3 * (size_t)link->far];
    return link_chord_of((rvec){b[0] - a[0], b[1] - a[1], b[2] - a[2]});
}
static inline rquat pose_orientation(const pose *p, int32_t v)
{
    const double *q = &p->turn[4 * (size_t)v];
    return (rquat){q[0], q[1], q[2], q[3]};
}

#endif
