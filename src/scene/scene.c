/* The workspace: making, copying and freeing scenes, their voxels and the actuation of single voxels.
 * Everything that comes in has passed scene_check.c before anything is changed. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool vxe_machine_holds(size_t bytes)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page <= 0 || bytes / (size_t)page < (size_t)pages;
}

void vxe_drop(void *array, int32_t *count, int32_t index, size_t element)
{
    char *gone = (char *)array + (size_t)index * element;
    --*count;
    memmove(gone, gone + element, (size_t)(*count - index) * element);
}

vxe_result vxe_check_number(const char *what, int32_t number, int32_t count, int32_t first, vxe_error *error)
{
    if (number >= first && number - first < count) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_ARGUMENT, "there is no %s %d; the scene has %d, numbered from %d", what,
                    (int)number, (int)count, (int)first);
}

void vxe_pad_name(char name[VXE_NAME_SIZE])
{
    const size_t length = strlen(name);
    memset(name + length, 0, VXE_NAME_SIZE - length);
}

/* calloc, so that the cells of a large workspace cost memory only where something is written. */
void *vxe_allocate_cells(size_t count, size_t element, const char *what, vxe_error *error)
{
    size_t bytes = 0;
    void *cells = NULL;
    if (vxe_multiply(count, element, &bytes) && vxe_machine_holds(bytes)) cells = calloc(count, element);
    if (cells == NULL) (void)vxe_fail_memory(error, what, bytes);
    return cells;
}

/* Copies only pieces that are not zero, for the same reason. The target is zero. */
void vxe_copy_cells(void *target, const void *source, size_t bytes)
{
    enum { piece = 4096 };
    static const char zeros[piece] = {0};
    for (size_t done = 0; done < bytes; done += piece) {
        const size_t part = bytes - done < piece ? bytes - done : piece;
        const char *from = (const char *)source + done;
        if (memcmp(from, zeros, part) != 0) memcpy((char *)target + done, from, part);
    }
}

vxe_result vxe_refuse_null(vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
}

vxe_result vxe_refuse_material(const vxe_scene *scene, int32_t material, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_ARGUMENT, "there is no material %d; the palette has %d", material,
                    scene->material_count);
}

vxe_result vxe_scene_create(double pitch, int32_t nx, int32_t ny, int32_t nz, vxe_scene **scene,
                            vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const int32_t size[3] = {nx, ny, nz};
    const vxe_result result = vxe_check_workspace(pitch, size, error);
    if (result != VXE_OK) return result;
    vxe_scene *made = calloc(1, sizeof *made);
    if (made == NULL) {
        (void)vxe_fail_memory(error, "a scene", sizeof *made);
        return VXE_ERROR_MEMORY;
    }
    made->pitch = pitch;
    memcpy(made->size, size, sizeof made->size);
    made->cell_count = (size_t)nx * (size_t)ny * (size_t)nz;
    made->environment = vxe_default_environment();
    made->voxels = vxe_allocate_cells(made->cell_count, sizeof *made->voxels, "the voxels", error);
    if (made->voxels == NULL) {
        vxe_scene_destroy(made);
        return VXE_ERROR_MEMORY;
    }
    *scene = made;
    return VXE_OK;
}

/* NULL when there is no memory; count > 0. */
static void *copy_array(const void *source, int32_t count, size_t element)
{
    void *copy = malloc((size_t)count * element);
    if (copy != NULL) memcpy(copy, source, (size_t)count * element);
    return copy;
}

static vxe_result copy_parts(const vxe_scene *scene, vxe_scene *copy, vxe_error *error)
{
    vxe_copy_cells(copy->voxels, scene->voxels, scene->cell_count * sizeof *scene->voxels);
    copy->voxel_count = scene->voxel_count;
    if (scene->actuation != NULL) {
        copy->actuation =
            vxe_allocate_cells(scene->cell_count, sizeof *scene->actuation, "the actuation of voxels", error);
        if (copy->actuation == NULL) return VXE_ERROR_MEMORY;
        vxe_copy_cells(copy->actuation, scene->actuation, scene->cell_count * sizeof *scene->actuation);
        copy->actuation_count = scene->actuation_count;
    }
    memcpy(copy->name, scene->name, sizeof copy->name);
    if (scene->description != NULL) {
        copy->description = vxe_text("%s", scene->description);
        if (copy->description == NULL)
            return vxe_fail_memory(error, "the description", strlen(scene->description));
    }
    if (scene->material_count > 0) {
        copy->materials = copy_array(scene->materials, scene->material_count, sizeof *scene->materials);
        if (copy->materials == NULL) return vxe_fail_memory(error, "the palette", sizeof *scene->materials);
        copy->material_count = scene->material_count;
        copy->material_capacity = (size_t)scene->material_count;
    }
    if (scene->region_count > 0) {
        copy->regions = calloc((size_t)scene->region_count, sizeof *copy->regions);
        if (copy->regions == NULL) return vxe_fail_memory(error, "the regions", sizeof *scene->regions);
        copy->region_capacity = (size_t)scene->region_count;
    }
    for (int32_t n = 0; n < scene->region_count; n++) {
        const vxe_result result = vxe_copy_region(&scene->regions[n], &copy->regions[n], error);
        if (result != VXE_OK) return result;
        copy->region_count = n + 1;
    }
    if (scene->signal_count > 0) {
        copy->signals = calloc((size_t)scene->signal_count, sizeof *copy->signals);
        if (copy->signals == NULL) return vxe_fail_memory(error, "the signals", sizeof *copy->signals);
        copy->signal_capacity = (size_t)scene->signal_count;
    }
    for (int32_t n = 0; n < scene->signal_count; n++) {
        const vxe_result result = vxe_copy_signal(&scene->signals[n], &copy->signals[n], error);
        if (result != VXE_OK) return result;
        copy->signal_count = n + 1;
    }
    if (scene->part_count > 0) {
        copy->parts = copy_array(scene->parts, scene->part_count, sizeof *scene->parts);
        if (copy->parts == NULL) return vxe_fail_memory(error, "the parts", sizeof *scene->parts);
        copy->part_count = scene->part_count;
        copy->part_capacity = (size_t)scene->part_count;
    }
    copy->environment = scene->environment;
    copy->stop = scene->stop;
    vxe_result result = vxe_copy_extras(scene, copy, error);
    if (result == VXE_OK) result = vxe_copy_world(scene, copy, error);
    return result != VXE_OK ? result : vxe_copy_output(&scene->output, &copy->output, error);
}

vxe_result vxe_scene_copy(const vxe_scene *scene, vxe_scene **copy, vxe_error *error)
{
    if (scene == NULL || copy == NULL) return vxe_refuse_null(error);
    vxe_scene *made = NULL;
    vxe_result result =
        vxe_scene_create(scene->pitch, scene->size[0], scene->size[1], scene->size[2], &made, error);
    if (result != VXE_OK) return result;
    result = copy_parts(scene, made, error);
    if (result != VXE_OK) {
        vxe_scene_destroy(made);
        return result;
    }
    *copy = made;
    return VXE_OK;
}

void vxe_scene_destroy(vxe_scene *scene)
{
    if (scene == NULL) return;
    for (int32_t n = 0; n < scene->signal_count; n++) vxe_free_signal(&scene->signals[n]);
    for (int32_t n = 0; n < scene->region_count; n++) vxe_free_region(&scene->regions[n]);
    vxe_free_extras(scene);
    vxe_free_world(scene);
    vxe_free_output(&scene->output);
    free(scene->description);
    free(scene->voxels);
    free(scene->actuation);
    free(scene->materials);
    free(scene->regions);
    free(scene->signals);
    free(scene->parts);
    free(scene);
}

double vxe_scene_pitch(const vxe_scene *scene) { return scene == NULL ? 0.0 : scene->pitch; }

void vxe_scene_size(const vxe_scene *scene, int32_t size[3])
{
    for (int a = 0; size != NULL && a < 3; a++) size[a] = scene == NULL ? 0 : scene->size[a];
}

int64_t vxe_scene_voxel_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->voxel_count; }

const char *vxe_scene_name(const vxe_scene *scene) { return scene == NULL ? "" : scene->name; }

const char *vxe_scene_description(const vxe_scene *scene)
{
    return scene == NULL || scene->description == NULL ? "" : scene->description;
}

vxe_result vxe_scene_describe(vxe_scene *scene, const char *name, const char *description, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_description(name, description, error);
    if (result != VXE_OK) return result;
    char *text = NULL;
    if (description != NULL && description[0] != '\0') {
        text = vxe_text("%s", description);
        if (text == NULL) return vxe_fail_memory(error, "the description", strlen(description));
    }
    if (name != NULL) {
        const size_t length = strlen(name);
        memmove(scene->name, name, length); /* it may be the scene's own */
        memset(scene->name + length, 0, sizeof scene->name - length);
    }
    if (description != NULL) {
        free(scene->description); /* last: name and description may be this text */
        scene->description = text;
    }
    return VXE_OK;
}

/* --- voxels --- */

vxe_result vxe_refuse_outside(const vxe_scene *scene, int32_t i, int32_t j, int32_t k, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_ARGUMENT,
                    "voxel (%d,%d,%d) is outside of the workspace of %d x %d x %d voxels", i, j, k,
                    scene->size[0], scene->size[1], scene->size[2]);
}

static void put_voxel(vxe_scene *scene, size_t cell, int32_t material)
{
    scene->voxel_count += (material != 0) - (scene->voxels[cell] != 0);
    scene->voxels[cell] = (uint16_t)material;
}

vxe_result vxe_scene_set_voxel(vxe_scene *scene, int32_t i, int32_t j, int32_t k, int32_t material,
                               vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    if (!vxe_scene_inside(scene, i, j, k)) return vxe_refuse_outside(scene, i, j, k, error);
    if (material < 0 || material > scene->material_count) return vxe_refuse_material(scene, material, error);
    put_voxel(scene, vxe_scene_cell(scene, i, j, k), material);
    return VXE_OK;
}

int32_t vxe_scene_voxel(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    if (scene == NULL || !vxe_scene_inside(scene, i, j, k)) return 0;
    return scene->voxels[vxe_scene_cell(scene, i, j, k)];
}

vxe_result vxe_scene_fill(vxe_scene *scene, const vxe_shape *shape, int32_t material, vxe_error *error)
{
    if (scene == NULL || shape == NULL) return vxe_refuse_null(error);
    if (material < 0 || material > scene->material_count) return vxe_refuse_material(scene, material, error);
    vxe_shape own;
    vxe_result result = vxe_settings_take(&vxe_shape_type, shape, &own, error);
    if (result == VXE_OK) result = vxe_check_shape("shape", &own, error);
    if (result != VXE_OK) return result;
    if (own.kind == VXE_SHAPE_CELLS)
        return vxe_fail(error, VXE_ERROR_INPUT, "shape: a list of cells is for regions only");
    const vxe_placed_shape placed = vxe_place_shape(&own, scene->pitch, scene->size);
    int32_t first[3];
    int32_t last[3];
    if (!vxe_shape_cells(&placed, scene->size, first, last)) return VXE_OK;
    for (int32_t k = first[2]; k <= last[2]; k++) {
        for (int32_t j = first[1]; j <= last[1]; j++) {
            size_t cell = vxe_scene_cell(scene, first[0], j, k);
            for (int32_t i = first[0]; i <= last[0]; i++, cell++) {
                const double centre[3] = {i + 0.5, j + 0.5, k + 0.5};
                if (scene->voxels[cell] != material && vxe_shape_contains(&placed, centre))
                    put_voxel(scene, cell, material);
            }
        }
    }
    return VXE_OK;
}

const uint16_t *vxe_scene_voxels(const vxe_scene *scene) { return scene == NULL ? NULL : scene->voxels; }

/* --- actuation --- */

static const settings_type actuation_type = {"vxe_actuation", sizeof(vxe_actuation),
                                             SETTINGS_END(vxe_actuation, period), NULL};

vxe_result vxe_put_actuation(vxe_scene *scene, int32_t i, int32_t j, int32_t k, cell_actuation own,
                             vxe_error *error)
{
    const vxe_result result = vxe_check_actuation(&own, i, j, k, error);
    if (result != VXE_OK) return result;
    const bool plain = own.phase == 0.0 && own.amplitude == 1.0 && own.period == 1.0;
    if (scene->actuation == NULL) {
        if (plain) return VXE_OK;
        scene->actuation =
            vxe_allocate_cells(scene->cell_count, sizeof *scene->actuation, "the actuation of voxels", error);
        if (scene->actuation == NULL) return VXE_ERROR_MEMORY;
    }
    cell_actuation *cell = &scene->actuation[vxe_scene_cell(scene, i, j, k)];
    scene->actuation_count += !plain - (cell->period != 0.0);
    *cell = plain ? (cell_actuation){0.0, 0.0, 0.0} : own;
    return VXE_OK;
}

cell_actuation vxe_cell_actuation(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    if (scene != NULL && scene->actuation != NULL && vxe_scene_inside(scene, i, j, k)) {
        const cell_actuation *cell = &scene->actuation[vxe_scene_cell(scene, i, j, k)];
        if (cell->period != 0.0) return *cell;
    }
    return (cell_actuation){.phase = 0.0, .amplitude = 1.0, .period = 1.0};
}

vxe_result vxe_scene_set_actuation(vxe_scene *scene, int32_t i, int32_t j, int32_t k,
                                   const vxe_actuation *actuation, vxe_error *error)
{
    if (scene == NULL || actuation == NULL) return vxe_refuse_null(error);
    if (!vxe_scene_inside(scene, i, j, k)) return vxe_refuse_outside(scene, i, j, k, error);
    vxe_actuation own;
    const vxe_result result = vxe_settings_take(&actuation_type, actuation, &own, error);
    if (result != VXE_OK) return result;
    return vxe_put_actuation(scene, i, j, k, (cell_actuation){own.phase, own.amplitude, own.period}, error);
}

void vxe_scene_get_actuation(const vxe_scene *scene, int32_t i, int32_t j, int32_t k,
                             vxe_actuation *actuation, size_t size)
{
    const cell_actuation own = vxe_cell_actuation(scene, i, j, k);
    const vxe_actuation given = {.phase = own.phase, .amplitude = own.amplitude, .period = own.period};
    vxe_settings_give(&actuation_type, &given, actuation, size);
}

bool vxe_scene_has_actuation(const vxe_scene *scene) { return scene != NULL && scene->actuation_count > 0; }
