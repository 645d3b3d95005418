/* Prescribed motion: where regions take the voxels they hold when all ramps have ended, and the way there. */
#ifndef SOLVE_SUPPORTS_H
#define SOLVE_SUPPORTS_H

#include "solve/lattice.h"

/* The moment a static answer belongs to: `time`, or the simulation's where that is negative, but not before
 * the last ramp of a region has ended. */
double vxe_static_time(const vxe_sim *sim, double time);

/* Displacements and small rotations that are prescribed, to first order, into (6 voxels); zero where nothing
 * is. */
void vxe_prescribed(const lattice *l, double *u);

/* A path from where the supports are (part 0) to where they end (part 1). */
typedef struct support_path {
    double *move; /* m: displacement of each region at part 0, (3 regions) */
    double *turn; /* part of each region's rotation at part 0, (regions) */
} support_path;

vxe_result vxe_support_path_create(const lattice *l, const pose *from, support_path *path, vxe_error *error);
void vxe_support_path_destroy(support_path *path);
/* The increments of the held degrees of freedom from a pose at part `from` to part `to`, into (6 voxels);
 * zero elsewhere. */
void vxe_support_increments(const lattice *l, const support_path *path, const pose *p, double from, double to,
                            double *u);

#endif
