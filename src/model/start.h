/* How the voxels of a model begin: see voxelastic/world.h. */
#ifndef MODEL_START_H
#define MODEL_START_H

#include "model/model.h"

/* Where parts are put: m->start and m->start_turn. Before regions are built, which look at places. */
vxe_result vxe_build_places(vxe_model *m, const vxe_scene *scene, vxe_error *error);
/* Velocities; regions are there. */
vxe_result vxe_build_velocities(vxe_model *m, const vxe_scene *scene, vxe_error *error);
void vxe_free_start(vxe_model *m);
uint64_t vxe_hash_start(uint64_t hash, const vxe_model *m);

#endif
