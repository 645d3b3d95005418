/* Rules of a scene, compiled: which voxels each is about, programs of its formulas, classes of the links that
 * bonds are, and cells that are kept free for growth. Used by compile.c. */
#ifndef MODEL_RULES_H
#define MODEL_RULES_H

#include "model/model.h"

/* The materials of all cells: the scene's own, or, where rules may let voxels grow, a copy with those that
 * may; `copy` is then to be freed. NULL: no memory. */
const uint16_t *vxe_rule_cells(const vxe_scene *scene, uint16_t **copy, int64_t *count);
/* Which voxels are not there at the start. Needs voxels. */
vxe_result vxe_build_latent(vxe_model *model, const vxe_scene *scene, vxe_error *error);
/* Whether a rule may let this voxel grow: several rules may share cells. */
bool vxe_rule_may_fill(const vxe_model *model, int32_t rule, int32_t voxel);
/* The rest. Needs classes of links and regions; signals come after it. */
vxe_result vxe_build_rules(vxe_model *model, const vxe_scene *scene, vxe_error *error);
void vxe_free_model_rules(vxe_model *model);
/* Goes on with a hash; models without rules leave it as it is. */
uint64_t vxe_hash_rules(uint64_t h, const vxe_model *model);

#endif
