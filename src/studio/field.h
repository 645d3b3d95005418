/* Scalar fields to colour voxels by. */
#ifndef STUDIO_FIELD_H
#define STUDIO_FIELD_H

#include "voxelastic/voxelastic.h"

#include <jansson.h>

typedef struct field_info {
    const char *name;
    const char *label;
    const char *unit;
} field_info;

/* Field number 0 ("material", which has no values), 1, ...; NULL beyond the last. */
const field_info *field_get(int number);
/* Its number by name; -1: there is none. */
int field_find(const char *name);
/* All of them, for "hello". */
json_t *field_list(void);

/* Values of field `number` for the `count` voxels listed, and the range over all voxels of the model. `scene`
 * is what the model was made from. */
vxe_result field_read(int number, vxe_sim *sim, const vxe_scene *scene, const uint32_t *voxel, int32_t count,
                      float *values, double range[2], vxe_error *error);
/* {"name", "label", "unit", "min", "max"} */
json_t *field_json(int number, const double range[2]);

#endif
