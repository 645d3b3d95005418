/* Measures: scalar fields to colour voxels by. Which there are is public: voxelastic/picture.h. */
#ifndef PICTURE_MEASURE_H
#define PICTURE_MEASURE_H

#include "voxelastic/picture.h"

#include <jansson.h>

/* The number of a measure by name; -1: there is none. 0 is "material", which has no values. */
int vxe_measure_find(const char *name);
/* All of them, for "hello". */
json_t *vxe_measure_list(void);

/* Values of measure `number` for the `count` voxels listed, and the range over all voxels of the model.
 * `scene` is what the model was made from. */
vxe_result vxe_measure_read(int number, vxe_sim *sim, const vxe_scene *scene, const uint32_t *voxel,
                            int32_t count, float *values, double range[2], vxe_error *error);
/* The same for several measures, one after the other in `values`, (how_many count), with what they share
 * found once. */
vxe_result vxe_measure_read_all(const int *numbers, int how_many, vxe_sim *sim, const vxe_scene *scene,
                                const uint32_t *voxel, int32_t count, float *values, double (*range)[2],
                                vxe_error *error);
/* Values that differ by less are noise: round-off would fill a colour scale. */
double vxe_measure_least(int number, const vxe_scene *scene);
/* {"name", "label", "unit", "min", "max"} */
json_t *vxe_measure_json(int number, const double range[2]);

#endif
