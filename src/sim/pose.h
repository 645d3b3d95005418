/* The pose of a simulation as those who draw or write it need it: where its voxels are and which links hold.
 */
#ifndef SIM_POSE_H
#define SIM_POSE_H

#include "voxelastic/sim.h"

/* Arrays of the simulation, (voxel_count) each, valid until its next step, reset or resume. */
typedef struct vxe_pose {
    const vxe_model *model;
    const double *position[3];    /* m */
    const double *orientation[4]; /* w, x, y, z */
    const double *growth;         /* size/pitch - 1 */
    const uint32_t *linked[3];    /* not 0: there is a link towards larger coordinates along x, y, z */
    const uint8_t *broken[3];     /* not 0: there was one, and it broke; NULL: none can */
} vxe_pose;

vxe_pose vxe_sim_pose(const vxe_sim *sim);

#endif
