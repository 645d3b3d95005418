/* Fields of the small displacements that the linear solver and the modes give. */
#ifndef STUDIO_SHAPE_FIELD_H
#define STUDIO_SHAPE_FIELD_H

#include "picture/measure.h"

typedef struct shape_source {
    const vxe_model_view *model;
    const vxe_scene *scene;
    const double *displacement[3]; /* m, (voxel_count) each */
    const double *growth;          /* of the voxels, which does not load them; NULL: none */
} shape_source;

/* Values of a field for which vxe_measure_is_linear() holds, of all voxels, for `scale` times the
 * displacements. False: there is no memory. */
bool shape_field_read(const shape_source *s, int field, double scale, double *values);

#endif
