/* Many voxels at once: materials, actuation and fields of a box of cells from flat arrays. */
#include "scene/scene.h"

#include "base/base.h"

static vxe_result check_box(const vxe_scene *scene, const int32_t first[3], const int32_t size[3],
                            vxe_error *error)
{
    for (int a = 0; a < 3; a++) {
        if (first[a] < 0 || size[a] < 0 || size[a] > scene->size[a] - first[a]) {
            return vxe_fail(
                error, VXE_ERROR_ARGUMENT,
                "a box of %d x %d x %d cells at (%d,%d,%d) is not inside the workspace of %d x %d x %d",
                (int)size[0], (int)size[1], (int)size[2], (int)first[0], (int)first[1], (int)first[2],
                (int)scene->size[0], (int)scene->size[1], (int)scene->size[2]);
        }
    }
    return VXE_OK;
}

/* A cell of a box: its number in the flat array and its place in the workspace. */
typedef struct box_cell {
    size_t index;
    int32_t i, j, k;
} box_cell;

static size_t box_count(const int32_t size[3]) { return (size_t)size[0] * (size_t)size[1] * (size_t)size[2]; }

static box_cell cell_of(const int32_t first[3], const int32_t size[3], size_t index)
{
    const size_t row = index / (size_t)size[0];
    return (box_cell){index, first[0] + (int32_t)(index % (size_t)size[0]),
                      first[1] + (int32_t)(row % (size_t)size[1]),
                      first[2] + (int32_t)(row / (size_t)size[1])};
}

vxe_result vxe_scene_set_voxels(vxe_scene *scene, const int32_t first[3], const int32_t size[3],
                                const uint16_t *materials, vxe_error *error)
{
    if (scene == NULL || first == NULL || size == NULL || materials == NULL) return vxe_refuse_null(error);
    vxe_result result = check_box(scene, first, size, error);
    const size_t count = result == VXE_OK ? box_count(size) : 0;
    for (size_t n = 0; n < count; n++) {
        if (materials[n] > scene->material_count) return vxe_refuse_material(scene, materials[n], error);
    }
    for (size_t n = 0; n < count && result == VXE_OK; n++) {
        const box_cell c = cell_of(first, size, n);
        result = vxe_scene_set_voxel(scene, c.i, c.j, c.k, materials[n], error);
    }
    return result;
}

static cell_actuation actuation_at(const vxe_scene *scene, const box_cell *c, const double *phase,
                                   const double *amplitude, const double *period)
{
    cell_actuation own = vxe_cell_actuation(scene, c->i, c->j, c->k);
    if (phase != NULL) own.phase = phase[c->index];
    if (amplitude != NULL) own.amplitude = amplitude[c->index];
    if (period != NULL) own.period = period[c->index];
    return own;
}

vxe_result vxe_scene_set_actuations(vxe_scene *scene, const int32_t first[3], const int32_t size[3],
                                    const double *phase, const double *amplitude, const double *period,
                                    vxe_error *error)
{
    if (scene == NULL || first == NULL || size == NULL) return vxe_refuse_null(error);
    vxe_result result = check_box(scene, first, size, error);
    const size_t count = result == VXE_OK ? box_count(size) : 0;
    for (size_t n = 0; n < count && result == VXE_OK; n++) {
        const box_cell c = cell_of(first, size, n);
        const cell_actuation own = actuation_at(scene, &c, phase, amplitude, period);
        result = vxe_check_actuation(&own, c.i, c.j, c.k, error);
    }
    for (size_t n = 0; n < count && result == VXE_OK; n++) {
        const box_cell c = cell_of(first, size, n);
        const cell_actuation own = actuation_at(scene, &c, phase, amplitude, period);
        result = vxe_put_actuation(scene, c.i, c.j, c.k, own, error);
    }
    return result;
}

vxe_result vxe_scene_set_fields(vxe_scene *scene, vxe_field field, const int32_t first[3],
                                const int32_t size[3], const double *values, vxe_error *error)
{
    if (scene == NULL || first == NULL || size == NULL || values == NULL) return vxe_refuse_null(error);
    if ((unsigned)field >= VXE_FIELD_COUNT)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "field %d does not exist", (int)field);
    vxe_result result = check_box(scene, first, size, error);
    const size_t count = result == VXE_OK ? box_count(size) : 0;
    for (size_t n = 0; n < count && result == VXE_OK; n++) {
        const box_cell c = cell_of(first, size, n);
        result = vxe_check_field(field, values[n], c.i, c.j, c.k, error);
    }
    for (size_t n = 0; n < count && result == VXE_OK; n++) {
        const box_cell c = cell_of(first, size, n);
        result = vxe_scene_set_field(scene, field, c.i, c.j, c.k, values[n], error);
    }
    return result;
}
