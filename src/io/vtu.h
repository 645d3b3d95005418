/* VTK XML files of hexahedra: the low level. */
#ifndef IO_VTU_H
#define IO_VTU_H

#include "base/base.h"
#include "voxelastic/solve.h"

typedef enum vtu_type { VTU_FLOAT32, VTU_FLOAT64, VTU_INT32, VTU_UINT8 } vtu_type;

/* A named array; the data belongs to the caller. */
typedef struct vtu_array {
    char name[64];
    vtu_type type;
    int32_t components;
    const void *data;
} vtu_array;

typedef struct vtu_content {
    double time; /* s; NaN: none */
    size_t points;
    const double *point; /* m; x, y, z */
    size_t cells;
    const int32_t *corners; /* 8 each */
    const vtu_array *point_arrays;
    int32_t point_array_count;
    const vtu_array *cell_arrays;
    int32_t cell_array_count;
} vtu_content;

vxe_result vxe_vtu_write(const char *path, const vtu_content *content, vxe_error *error);

/* results_vtu.c: what a shape is divided by for people: its largest displacement, or, where nothing is
 * displaced, its largest rotation. */
double vxe_shape_size(const vxe_modes *modes, int32_t mode);

#endif
