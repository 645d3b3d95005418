/* Parts of a model that most scenes do not have: voxels with a stiffness of their own, numbers of single
 * voxels and formulas. Used by compile.c. */
#ifndef MODEL_EXTRAS_H
#define MODEL_EXTRAS_H

#include "model/model.h"

/* What depends on Young's modulus, which may be a voxel's own. */
void vxe_set_stiffness(const vxe_model *model, material_constants *constants, double youngs, double nu);
/* Every stiffness that occurs becomes a variant of its material, so that links between voxels of their own
 * stiffness are classes like all others. Needs voxels; sets the view's materials. */
vxe_result vxe_build_variants(vxe_model *model, const vxe_scene *scene, vxe_error *error);
/* Fields of the voxels, formulas, and what follows from them. */
vxe_result vxe_build_extras(vxe_model *model, const vxe_scene *scene, vxe_error *error);

/* Everything that decides the motion; names, colours, stop conditions and outputs do not. */
uint64_t vxe_hash_model(const vxe_model *model);

#endif
