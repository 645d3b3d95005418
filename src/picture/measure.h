/* Measures: scalar fields to colour voxels by. Which there are is public: voxelastic/picture.h. */
#ifndef PICTURE_MEASURE_H
#define PICTURE_MEASURE_H

#include "voxelastic/picture.h"

#include <jansson.h>

enum { VXE_MEASURE_COUNT = 33 };

/* What measures are read from: a simulation at rest between two steps. */
typedef struct vxe_measure_source {
    const vxe_model_view *model;
    const vxe_state *state;
    const vxe_voxels *voxels;
    const vxe_scene *scene;
    vxe_sim *sim;
    double *shear;   /* Pa; xy, yz, zx of each voxel in its own axes, (3 voxel_count) */
    uint8_t *events; /* 1: a link of the voxel yielded, 2: one broke */
} vxe_measure_source;

/* The number of a measure by name; -1: there is none. 0 is "material", which has no values. */
int vxe_measure_find(const char *name);
/* All of them, for "hello". */
json_t *vxe_measure_list(void);

/* Works out what the measures listed need, once for all voxels. Until the next step only. */
vxe_result vxe_measure_prepare(vxe_measure_source *s, vxe_sim *sim, const vxe_scene *scene,
                               const int *numbers, int how_many, vxe_error *error);
void vxe_measure_release(vxe_measure_source *s);
/* Value of measure `number`, not 0, at a voxel of the model. */
double vxe_measure_at(const vxe_measure_source *s, int number, int32_t v);
/* Whether it can change while a simulation runs. */
bool vxe_measure_changes(int number);
/* Whether it follows small displacements, and with which power. */
bool vxe_measure_is_linear(int number);
int vxe_measure_power(int number);
/* Value of such a measure from tensors xx yy zz xy yz zx. */
double vxe_measure_of_shape(int number, const double displacement_of[3], const double strain_of[6],
                            const double stress_of[6], double energy_of);

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
