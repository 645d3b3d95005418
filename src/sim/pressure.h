/* The pressure of `solid`. */
#ifndef SIM_PRESSURE_H
#define SIM_PRESSURE_H

#include "sim/sim.h"

/* After a start, a resume or broken links: what sharing needs. */
void vxe_pressure_prepare(vxe_sim *sim);

/* Pressures, Pa, from volume strains (half the sum of the strains of a voxel's faces); two arrays of
 * voxel_count. */
void vxe_pressure_from_volume(const vxe_sim *sim, const double *volume, double *pressure);

/* The stage: pressures of the state from the volume strains in sim->volume, and their energy. */
void vxe_pressure_update(vxe_sim *sim);

/* Adds what loads on free faces do to the volume strains of their voxels at a time. */
void vxe_pressure_add_loads(const vxe_sim *sim, double time, double *volume);

#endif
