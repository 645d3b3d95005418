/* Measures: scalar fields to colour voxels by. */
#ifndef PICTURE_MEASURE_H
#define PICTURE_MEASURE_H

#include "voxelastic/voxelastic.h"

#include <jansson.h>

typedef struct vxe_measure_info {
    const char *name;
    const char *label;
    const char *unit;
} vxe_measure_info;

/* Field number 0 ("material", which has no values), 1, ...; NULL beyond the last. */
const vxe_measure_info *vxe_measure_get(int number);
/* Its number by name; -1: there is none. */
int vxe_measure_find(const char *name);
/* All of them, for "hello". */
json_t *vxe_measure_list(void);

/* Values of field `number` for the `count` voxels listed, and the range over all voxels of the model. `scene`
 * is what the model was made from. */
vxe_result vxe_measure_read(int number, vxe_sim *sim, const vxe_scene *scene, const uint32_t *voxel,
                            int32_t count, float *values, double range[2], vxe_error *error);
/* {"name", "label", "unit", "min", "max"} */
json_t *vxe_measure_json(int number, const double range[2]);

#endif
