/* The palette: materials numbered from 1, names unique by construction. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const vxe_material_def defaults = {
    .size = sizeof(vxe_material_def),
    .name = "material",
    .youngs_modulus = 1e6,
    .poissons_ratio = 0.3,
    .density = 1000.0,
    .static_friction = 1.0,
    .dynamic_friction = 0.5,
    .color = {128, 128, 128, 255},
    .law = VXE_LAW_LINEAR,
    .ground_damping = 1.0,
};
const settings_type vxe_material_type = {"vxe_material_def", sizeof(vxe_material_def),
                                         SETTINGS_END(vxe_material_def, target), &defaults};

void vxe_material_def_init(vxe_material_def *def, size_t size)
{
    vxe_settings_give(&vxe_material_type, NULL, def, size);
}

/* Writes "STEM (n)", with the stem shortened between two characters where it would not fit. */
static void write_variant(char variant[VXE_NAME_SIZE], const char *stem, int32_t n)
{
    char suffix[16];
    const int written = snprintf(suffix, sizeof suffix, " (%d)", n);
    const size_t suffix_length = written > 0 ? (size_t)written : 0;
    size_t length = strlen(stem);
    if (length > VXE_NAME_SIZE - 1 - suffix_length) {
        length = VXE_NAME_SIZE - 1 - suffix_length;
        while (length > 0 && ((unsigned char)stem[length] & 0xc0) == 0x80) length--;
    }
    memset(variant, 0, VXE_NAME_SIZE);
    memcpy(variant, stem, length);
    memcpy(variant + length, suffix, suffix_length);
}

/* The n of a name that ends in " (n)", or 0. */
static int32_t variant_number(const char *name)
{
    const char *open = strrchr(name, '(');
    if (open == NULL || open == name || open[-1] != ' ') return 0;
    int32_t n = 0;
    const char *s = open + 1;
    for (; *s >= '0' && *s <= '9' && n <= VXE_MATERIALS_MAX; s++) n = 10 * n + (*s - '0');
    return s[0] == ')' && s[1] == '\0' ? n : 0;
}

/* Makes a name that no other material than `self` (0: none) has: the smallest free "STEM (n)", n from 2. One
 * pass over the palette marks the numbers in use, so that a palette of a single name stays cheap. */
static void make_unique(const vxe_scene *scene, int32_t self, char name[VXE_NAME_SIZE])
{
    bool taken[VXE_MATERIALS_MAX + 2] = {false};
    bool in_use = false;
    for (int32_t m = 1; m <= scene->material_count; m++) {
        if (m == self) continue;
        const char *other = scene->materials[m - 1].name;
        if (strcmp(other, name) == 0) in_use = true;
        const int32_t n = variant_number(other);
        if (n < 2 || n > VXE_MATERIALS_MAX + 1) continue;
        char variant[VXE_NAME_SIZE];
        write_variant(variant, name, n);
        if (strcmp(other, variant) == 0) taken[n] = true;
    }
    if (!in_use) return;
    int32_t n = 2;
    while (n <= VXE_MATERIALS_MAX && taken[n]) n++;
    char stem[VXE_NAME_SIZE];
    memcpy(stem, name, VXE_NAME_SIZE);
    write_variant(name, stem, n);
}

/* Members without meaning become zero, so that equal materials are equal bytes. */
static vxe_material_def tidy_material(const vxe_scene *scene, int32_t self, const vxe_material_def *def)
{
    vxe_material_def tidy = *def;
    vxe_pad_name(tidy.name);
    vxe_pad_name(tidy.signal);
    for (int32_t n = tidy.table_count; n < VXE_TABLE_MAX; n++)
        tidy.table_strain[n] = tidy.table_stress[n] = 0.0;
    make_unique(scene, self, tidy.name);
    return tidy;
}

vxe_result vxe_scene_add_material(vxe_scene *scene, const vxe_material_def *def, int32_t *material,
                                  vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_material_def own; /* a copy, too, before growing: def may be one of the scene's own */
    vxe_result result = vxe_settings_take(&vxe_material_type, def, &own, error);
    if (result == VXE_OK) result = vxe_check_material(&own, error);
    if (result != VXE_OK) return result;
    if (scene->material_count >= VXE_MATERIALS_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "material \"%s\": the palette is full with %d materials",
                        own.name, VXE_MATERIALS_MAX);
    }
    const vxe_material_def tidy = tidy_material(scene, 0, &own);
    vxe_material_def *grown = vxe_grow(scene->materials, (size_t)scene->material_count + 1,
                                       &scene->material_capacity, sizeof *grown);
    if (grown == NULL)
        return vxe_fail_memory(error, "the palette", sizeof *grown * (size_t)scene->material_count);
    scene->materials = grown;
    scene->materials[scene->material_count++] = tidy;
    if (material != NULL) *material = scene->material_count;
    return VXE_OK;
}

vxe_result vxe_scene_set_material(vxe_scene *scene, int32_t material, const vxe_material_def *def,
                                  vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    if (material < 1 || material > scene->material_count) return vxe_refuse_material(scene, material, error);
    vxe_material_def own;
    vxe_result result = vxe_settings_take(&vxe_material_type, def, &own, error);
    if (result == VXE_OK) result = vxe_check_material(&own, error);
    if (result != VXE_OK) return result;
    scene->materials[material - 1] = tidy_material(scene, material, &own);
    return VXE_OK;
}

vxe_result vxe_scene_remove_material(vxe_scene *scene, int32_t material, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    if (material < 1 || material > scene->material_count) return vxe_refuse_material(scene, material, error);
    for (size_t cell = 0; cell < scene->cell_count; cell++) {
        if (scene->voxels[cell] == material) {
            scene->voxels[cell] = 0;
            scene->voxel_count--;
        } else if (scene->voxels[cell] > material) {
            scene->voxels[cell]--;
        }
    }
    vxe_drop(scene->materials, &scene->material_count, material - 1, sizeof *scene->materials);
    return VXE_OK;
}

int32_t vxe_scene_material_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->material_count; }

const vxe_material_def *vxe_scene_material(const vxe_scene *scene, int32_t material)
{
    if (scene == NULL || material < 1 || material > scene->material_count) return NULL;
    return &scene->materials[material - 1];
}

int32_t vxe_scene_find_material(const vxe_scene *scene, const char *name)
{
    if (scene == NULL || name == NULL) return 0;
    for (int32_t m = 1; m <= scene->material_count; m++) {
        if (strcmp(scene->materials[m - 1].name, name) == 0) return m;
    }
    return 0;
}
