/* What water does to voxels: lift and drag, as loads. */
#ifndef SIM_WATER_H
#define SIM_WATER_H

#include "sim/loads.h"

/* Tells the loads of water, voxels in increasing order. */
void vxe_water_each(vxe_sim *sim, const load_moment *moment, load_sink sink, void *user);
/* Whether there is water, and it does not flow: then the machine's loops do the same in vectors
 * (contact_loops.water, collide.h). */
bool vxe_water_stands(const vxe_sim *sim);
/* N/m: how the lift of a voxel changes with its height. */
double vxe_water_lift_slope(const vxe_sim *sim, const load_moment *moment, int32_t voxel);
/* Whether these loads change when voxels move or turn. */
bool vxe_water_follows(const vxe_sim *sim);

#endif
