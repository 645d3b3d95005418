/* Regions: parts of the workspace that hold, move or load voxels. Which voxels those are is decided by
 * shape.c. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const vxe_region_def defaults = {
    .size = sizeof(vxe_region_def),
    .name = "region",
    .shape = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_METRES},
};
const settings_type vxe_region_type = {"vxe_region_def", sizeof(vxe_region_def),
                                       SETTINGS_END(vxe_region_def, ramp), &defaults};

void vxe_region_def_init(vxe_region_def *def, size_t size)
{
    vxe_settings_give(&vxe_region_type, NULL, def, size);
}

/* Cells in lattice order. */
static int compare_cells(const void *a, const void *b)
{
    const int32_t *one = a;
    const int32_t *other = b;
    for (int n = 2; n >= 0; n--) {
        if (one[n] != other[n]) return one[n] < other[n] ? -1 : 1;
    }
    return 0;
}

vxe_result vxe_copy_region(const vxe_region_def *def, vxe_region_def *copy, vxe_error *error)
{
    vxe_region_def made = *def;
    vxe_pad_name(made.name);
    made.shape.cells = NULL;
    if (made.shape.kind != VXE_SHAPE_CELLS) {
        made.shape.cell_count = 0;
        *copy = made;
        return VXE_OK;
    }
    const size_t count = (size_t)def->shape.cell_count;
    int32_t *cells = malloc(3 * count * sizeof *cells);
    if (cells == NULL) return vxe_fail_memory(error, "the cells of a region", 3 * count * sizeof *cells);
    memcpy(cells, def->shape.cells, 3 * count * sizeof *cells);
    qsort(cells, count, 3 * sizeof *cells, compare_cells);
    size_t kept = 0;
    for (size_t n = 0; n < count; n++) { /* each once */
        if (kept > 0 && compare_cells(&cells[3 * (kept - 1)], &cells[3 * n]) == 0) continue;
        memmove(&cells[3 * kept++], &cells[3 * n], 3 * sizeof *cells);
    }
    made.shape.cells = cells;
    made.shape.cell_count = (int32_t)kept;
    *copy = made;
    return VXE_OK;
}

void vxe_free_region(vxe_region_def *def)
{
    free((void *)def->shape.cells);
    def->shape.cells = NULL;
}

/* A program's settings, checked and copied, for a region (-1: a new one). */
static vxe_result take_region(const vxe_scene *scene, const vxe_region_def *def, int32_t self,
                              vxe_region_def *copy, vxe_error *error)
{
    vxe_region_def own;
    vxe_result result = vxe_settings_take(&vxe_region_type, def, &own, error);
    if (result != VXE_OK) return result;
    if (own.shape.size > sizeof own.shape)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_region_def: its shape's size is none that can be");
    const vxe_shape given = own.shape;
    result = vxe_settings_take(&vxe_shape_type, &given, &own.shape, error);
    if (result == VXE_OK) result = vxe_check_region(&own, error);
    if (result == VXE_OK) result = vxe_check_region_name(scene, own.name, self, error);
    if (result != VXE_OK) return result;
    if (self < 0 && scene->region_count >= VXE_REGIONS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "region \"%s\": the scene is full with %d regions", own.name,
                        VXE_REGIONS_MAX);
    return vxe_copy_region(&own, copy, error);
}

vxe_result vxe_scene_add_region(vxe_scene *scene, const vxe_region_def *def, int32_t *region,
                                vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_region_def tidy = {0}; /* before growing: def may be one of the scene's own */
    const vxe_result result = take_region(scene, def, -1, &tidy, error);
    if (result != VXE_OK) return result;
    vxe_region_def *grown =
        vxe_grow(scene->regions, (size_t)scene->region_count + 1, &scene->region_capacity, sizeof *grown);
    if (grown == NULL) {
        vxe_free_region(&tidy);
        return vxe_fail_memory(error, "the regions", sizeof *grown * (size_t)scene->region_count);
    }
    scene->regions = grown;
    scene->regions[scene->region_count] = tidy;
    if (region != NULL) *region = scene->region_count;
    scene->region_count++;
    return VXE_OK;
}

vxe_result vxe_scene_set_region(vxe_scene *scene, int32_t region, const vxe_region_def *def, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_region_def tidy = {0};
    vxe_result result = vxe_check_number("region", region, scene->region_count, 0, error);
    if (result == VXE_OK) result = take_region(scene, def, region, &tidy, error);
    if (result != VXE_OK) return result;
    vxe_free_region(&scene->regions[region]);
    scene->regions[region] = tidy;
    return VXE_OK;
}

vxe_result vxe_scene_remove_region(vxe_scene *scene, int32_t region, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_number("region", region, scene->region_count, 0, error);
    if (result != VXE_OK) return result;
    vxe_free_region(&scene->regions[region]);
    vxe_drop(scene->regions, &scene->region_count, region, sizeof *scene->regions);
    return VXE_OK;
}

int32_t vxe_scene_region_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->region_count; }

const vxe_region_def *vxe_scene_region(const vxe_scene *scene, int32_t region)
{
    if (scene == NULL || region < 0 || region >= scene->region_count) return NULL;
    return &scene->regions[region];
}

int32_t vxe_scene_find_region(const vxe_scene *scene, const char *name)
{
    if (scene == NULL || name == NULL) return -1;
    for (int32_t n = 0; n < scene->region_count; n++) {
        if (strcmp(scene->regions[n].name, name) == 0) return n;
    }
    return -1;
}

bool vxe_scene_region_touches(const vxe_scene *scene, int32_t region, int32_t i, int32_t j, int32_t k)
{
    const vxe_region_def *def = vxe_scene_region(scene, region);
    if (def == NULL || !vxe_scene_inside(scene, i, j, k)) return false;
    const vxe_placed_shape placed = vxe_place_shape(&def->shape, scene->pitch, scene->size);
    return vxe_shape_touches(&placed, i, j, k);
}
