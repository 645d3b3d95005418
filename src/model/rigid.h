/* Rigid parts of a model: connected voxels of rigid materials. What moves them is in sim/rigid.h. */
#ifndef MODEL_RIGID_H
#define MODEL_RIGID_H

#include "model/model.h"

/* Parts, numbered by their first voxel. For the loops their voxels are held: their part says where they go.
 * Links and what regions hold are there. */
vxe_result vxe_build_rigid(vxe_model *m, vxe_error *error);
void vxe_free_rigid(vxe_model *m);

/* Degrees of freedom that a plane takes. */
uint8_t vxe_plane_dofs(vxe_plane plane);

#endif
