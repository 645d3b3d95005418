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

enum { FIELD_COUNT = 33 };

/* What fields are read from: a simulation at rest between two steps. */
typedef struct field_source {
    const vxe_model_view *model;
    const vxe_state *state;
    const vxe_voxels *voxels;
    const vxe_scene *scene;
    vxe_sim *sim;
    double *shear;   /* Pa; xy, yz, zx of each voxel in its own axes, (3 voxel_count) */
    uint8_t *events; /* 1: a link of the voxel yielded, 2: one broke */
} field_source;

/* Field number 0 ("material", which has no values), 1, ...; NULL beyond the last. */
const field_info *field_get(int number);
/* Its number by name; -1: there is none. */
int field_find(const char *name);
/* All of them, for "hello". */
json_t *field_list(void);

/* Works out what field `number` (-1: any) needs. Until the next step only. */
vxe_result field_prepare(field_source *s, vxe_sim *sim, const vxe_scene *scene, int number, vxe_error *error);
void field_release(field_source *s);
/* Value of field `number`, not 0, at a voxel of the model. */
double field_at(const field_source *s, int number, int32_t v);
/* Whether it can change while a simulation runs. */
bool field_changes(int number);
/* Whether it follows small displacements, and with which power. */
bool field_is_linear(int number);
int field_power(int number);
/* Value of such a field from tensors xx yy zz xy yz zx. */
double field_of_shape(int number, const double displacement_of[3], const double strain_of[6],
                      const double stress_of[6], double energy_of);

/* Values of field `number` for the `count` voxels listed, and the range over all voxels of the model. `scene`
 * is what the model was made from. */
vxe_result field_read(int number, vxe_sim *sim, const vxe_scene *scene, const uint32_t *voxel, int32_t count,
                      float *values, double range[2], vxe_error *error);
/* {"name", "label", "unit", "min", "max"} */
json_t *field_json(int number, const double range[2]);

#endif
