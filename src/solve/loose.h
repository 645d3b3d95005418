/* Bodies that nothing holds, in the search of an equilibrium: put down on the floor, held at their middle
 * voxel while their loads balance, examined for falling over when they are let go. */
#ifndef SOLVE_LOOSE_H
#define SOLVE_LOOSE_H

#include "solve/newton.h"

/* A body in the air over the floor, with weight and no support, is put down: straight, until its lowest voxel
 * touches. *any: whether there was one. */
vxe_result vxe_put_down(const lattice *l, pose *p, bool *any, vxe_error *error);

/* What vxe_hold_loose() found. */
typedef struct loose_bodies {
    bool any;       /* some body can move freely; it is held at its middle voxel now, in l->held */
    bool driven;    /* the loads drive some body along a free motion: nothing is held, and: */
    char text[640]; /* how bodies can move */
} loose_bodies;

/* Finds free motions and stops them. Voxels that touch the floor count as held by it (with `grip`, sideways
 * too) where the body's loads press it down. `hangs`: motions that the loads bring back stay free, as those
 * of a pendulum that hangs. */
vxe_result vxe_hold_loose(lattice *l, const pose *p, bool grip, bool hangs, loose_bodies *loose,
                          vxe_error *error);

/* Turns bodies that their supports let turn, as a pendulum, until their loads drive them no further: rigidly,
 * and all but exactly. *done: that was possible; else the pose is not changed. Loads are those of the pose.
 */
vxe_result vxe_swing(const lattice *l, pose *p, bool *done, vxe_error *error);

/* Whether what was held carries a load in the answer after all, because the floor or the shape of the body
 * has changed. After vxe_newton_solve(). */
bool vxe_loose_carry(const newton *n);

/* Whether a body falls when its middle voxel is let go. */
vxe_result vxe_loose_fall(const newton *n, vxe_solver solver, double flops, bool *falls, vxe_error *error);

/* Bodies that can move every way get their centres of mass back where they are in the simulation. */
vxe_result vxe_loose_recenter(const lattice *l, pose *p, vxe_error *error);

#endif
