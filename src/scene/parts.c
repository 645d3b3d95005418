/* Parts: names of pieces of the body, and whether they are bonded to what they touch. */
#include "scene/scene.h"

#include "base/base.h"

#include <string.h>

const settings_type vxe_part_type = {"vxe_part_def", sizeof(vxe_part_def),
                                     SETTINGS_END(vxe_part_def, separate), NULL};

vxe_result vxe_scene_add_part(vxe_scene *scene, const vxe_part_def *def, int32_t *part, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_part_def own;
    vxe_result result = vxe_settings_take(&vxe_part_type, def, &own, error);
    if (result == VXE_OK) result = vxe_check_part(scene, &own, 0, error);
    if (result != VXE_OK) return result;
    if (scene->part_count >= VXE_PARTS_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "part \"%s\": the scene is full with %d parts", own.name,
                        VXE_PARTS_MAX);
    }
    vxe_part_def *grown =
        vxe_grow(scene->parts, (size_t)scene->part_count + 1, &scene->part_capacity, sizeof *grown);
    if (grown == NULL) return vxe_fail_memory(error, "the parts", sizeof *grown * (size_t)scene->part_count);
    scene->parts = grown;
    scene->parts[scene->part_count] = own;
    vxe_pad_name(scene->parts[scene->part_count].name);
    scene->part_count++;
    if (part != NULL) *part = scene->part_count;
    return VXE_OK;
}

vxe_result vxe_scene_set_part(vxe_scene *scene, int32_t part, const vxe_part_def *def, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_part_def own;
    vxe_result result = vxe_check_number("part", part, scene->part_count, 1, error);
    if (result == VXE_OK) result = vxe_settings_take(&vxe_part_type, def, &own, error);
    if (result == VXE_OK) result = vxe_check_part(scene, &own, part, error);
    if (result != VXE_OK) return result;
    scene->parts[part - 1] = own;
    vxe_pad_name(scene->parts[part - 1].name);
    return VXE_OK;
}

vxe_result vxe_scene_remove_part(vxe_scene *scene, int32_t part, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_number("part", part, scene->part_count, 1, error);
    if (result != VXE_OK) return result;
    vxe_drop(scene->parts, &scene->part_count, part - 1, sizeof *scene->parts);
    double *cells = scene->fields[VXE_FIELD_PART];
    for (size_t cell = 0; cells != NULL && cell < scene->cell_count; cell++) {
        if (cells[cell] > part) {
            cells[cell] -= 1.0;
        } else if (cells[cell] == part) {
            cells[cell] = 0.0;
            scene->field_counts[VXE_FIELD_PART]--;
        }
    }
    return VXE_OK;
}

int32_t vxe_scene_part_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->part_count; }

const vxe_part_def *vxe_scene_part(const vxe_scene *scene, int32_t part)
{
    if (scene == NULL || part < 1 || part > scene->part_count) return NULL;
    return &scene->parts[part - 1];
}
