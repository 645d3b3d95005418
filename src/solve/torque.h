/* Loads that have no energy: torques of fixed direction, forces that turn with their voxels, force fields
 * that are not the gradient of anything.
 *
 * Torques of fixed direction. They have no potential: with g the gradient of the energy by left rotations, g
 * changes by (H - [g x]/2) theta, and where a torque T acts, g is T at equilibrium. So the matrix of Newton's
 * method is K + S with S = -[T x]/2 on the rotations of the voxel, which is skew. Without torques, or in a
 * plane, S is zero and nothing here is needed. What the others add to S is what K has not of them. */
#ifndef SOLVE_TORQUE_H
#define SOLVE_TORQUE_H

#include "solve/newton.h"

/* Whether S is not zero for the loads of `n`. */
bool vxe_torque_matters(const newton *n);
/* x = (K + S)^-1 b at the pose of `n`, whose matrix is in its equations and has been updated (with a shift or
 * without): GMRES preconditioned by it. */
newton_end vxe_torque_solve(newton *n, const double *b, double *x);
/* Whether small motions about the pose grow without damping: eigenvalues of M^-1 (K + S) with a negative real
 * part. */
newton_end vxe_torque_is_stable(newton *n, bool *stable);

#endif
