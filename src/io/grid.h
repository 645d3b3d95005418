/* A grid of labels on its way into a scene: what the readers of NPY, NPZ, MagicaVoxel and PNG share. */
#ifndef IO_GRID_H
#define IO_GRID_H

#include "base/base.h"
#include "base/settings.h"
#include "voxelastic/mesh.h"

#define GRID_BYTES_MAX ((size_t)1 << 32) /* largest file that is read */

typedef struct grid {
    const char *name; /* of the file, for messages */
    int32_t size[3];
    uint16_t *label;                  /* (cells), x fastest; 0: empty, else a value's number from 1 */
    int32_t count;                    /* values */
    int64_t value[VXE_MATERIALS_MAX]; /* by label - 1 */
    int32_t last;                     /* label found last */
} grid;

/* A grid of nothing; sides 1 to VXE_SIDE_MAX, at most VXE_CELLS_MAX cells, and what memory allows.
 * VXE_ERROR_INPUT, _LIMIT or _MEMORY. */
vxe_result vxe_grid_create(const char *name, const int64_t size[3], grid **made, vxe_error *error);
void vxe_grid_destroy(grid *g);
/* The label of a value, made if it is new; 0 after VXE_ERROR_LIMIT (more than VXE_MATERIALS_MAX values). */
uint16_t vxe_grid_label(grid *g, int64_t value, vxe_error *error);
static inline size_t vxe_grid_cell(const grid *g, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)g->size[1] + (size_t)j) * (size_t)g->size[0] + (size_t)i;
}

/* What a value stands for: fills the material, or sets *empty. */
typedef vxe_result grid_describe(void *user, int64_t value, vxe_material_def *material, bool *empty,
                                 vxe_error *error);
/* Makes the scene: a material for each value, in increasing order (with a palette: all of the palette's
 * materials; described ones are looked up by name). Values without a voxel get none. */
vxe_result vxe_grid_scene(grid *g, double pitch, const vxe_scene *palette, grid_describe *describe,
                          void *user, vxe_scene **scene, vxe_error *error);

/* For numbers: material n of the palette, or "material n"; `names` (may be NULL) are those of 1..name_count.
 */
typedef struct grid_numbers {
    const grid *grid;
    const vxe_scene *palette;
    char (*names)[VXE_NAME_SIZE];
    int32_t name_count;
} grid_numbers;
grid_describe vxe_grid_describe_number;

/* For colours: the value is red, green, blue in 24 bits, plus 1. */
typedef struct grid_colors {
    const grid *grid;
    const vxe_grid_def *def;
    bool black_is_empty; /* where nothing says what colours mean */
} grid_colors;
grid_describe vxe_grid_describe_color;
/* A colour that is easy to tell from its neighbours in a list. */
void vxe_grid_color(int64_t number, uint8_t color[4]);

/* --- formats --- */

vxe_result vxe_grid_read_npy(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error);
vxe_result vxe_grid_read_npz(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error);
vxe_result vxe_grid_read_vox(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error);
/* One image, one layer. */
vxe_result vxe_grid_read_png(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error);

extern const settings_type vxe_grid_type;

#endif
