/* Grids of labels into scenes: see grid.h. And the door to all readers of grids. */
#include "io/grid.h"
#include "base/words.h"
#include "io/npy.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A few bytes can ask for a large workspace; that is slow, not wrong, and of no use to a fuzzer. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define CELLS_MAX INT64_C(100000)
#else
#define CELLS_MAX VXE_CELLS_MAX
#endif

vxe_result vxe_grid_create(const char *name, const int64_t size[3], grid **made, vxe_error *error)
{
    double cells = 1.0;
    for (int a = 0; a < 3; a++) {
        if (size[a] < 1)
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: a grid of %lld x %lld x %lld has no voxels",
                            name, (long long)size[0], (long long)size[1], (long long)size[2]);
        cells *= (double)size[a];
    }
    if (size[0] > VXE_SIDE_MAX || size[1] > VXE_SIDE_MAX || size[2] > VXE_SIDE_MAX ||
        cells > (double)CELLS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT,
                        "%.500s: %lld x %lld x %lld voxels; at most %d along a side and %lld in all are read",
                        name, (long long)size[0], (long long)size[1], (long long)size[2], VXE_SIDE_MAX,
                        (long long)CELLS_MAX);
    const size_t count = (size_t)cells;
    grid *g = vxe_machine_holds(4 * count) ? vxe_allocate(1, sizeof *g) : NULL;
    if (g != NULL) g->label = calloc(count, sizeof *g->label);
    if (g == NULL || g->label == NULL) {
        free(g);
        return vxe_fail_memory(error, name, 4 * count);
    }
    g->name = name;
    for (int a = 0; a < 3; a++) g->size[a] = (int32_t)size[a];
    *made = g;
    return VXE_OK;
}

void vxe_grid_destroy(grid *g)
{
    if (g == NULL) return;
    free(g->label);
    free(g);
}

uint16_t vxe_grid_label(grid *g, int64_t value, vxe_error *error)
{
    /* Neighbours are mostly alike. */
    if (g->last > 0 && g->value[g->last - 1] == value) return (uint16_t)g->last;
    for (int32_t i = 0; i < g->count; i++) {
        if (g->value[i] != value) continue;
        g->last = i + 1;
        return (uint16_t)g->last;
    }
    if (g->count == VXE_MATERIALS_MAX) {
        (void)vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: more than %d different values", g->name,
                       VXE_MATERIALS_MAX);
        return 0;
    }
    g->value[g->count++] = value;
    g->last = g->count;
    return (uint16_t)g->last;
}

static int compare_values(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the material of each label, 0 for empty. */
static vxe_result choose_materials(grid *g, const vxe_scene *palette, grid_describe *describe, void *user,
                                   vxe_scene *scene, int32_t *material, vxe_error *error)
{
    int64_t *sorted = malloc(VXE_MATERIALS_MAX * sizeof *sorted);
    if (sorted == NULL) return vxe_fail_memory(error, g->name, VXE_MATERIALS_MAX * sizeof *sorted);
    memcpy(sorted, g->value, (size_t)g->count * sizeof *sorted);
    if (g->count > 1) qsort(sorted, (size_t)g->count, sizeof *sorted, compare_values);
    vxe_result result = VXE_OK;
    for (int32_t i = 0; i < g->count && result == VXE_OK; i++) {
        vxe_material_def def = vxe_default_material_def();
        bool empty = false;
        int32_t number = 0;
        result = describe(user, sorted[i], &def, &empty, error);
        if (result == VXE_OK && !empty) {
            number = vxe_scene_find_material(scene, def.name);
            if (number == 0 && palette != NULL) {
                result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the palette has no material \"%s\"",
                                  g->name, def.name);
            } else if (number == 0) {
                result = vxe_scene_add_material(scene, &def, &number, error);
            }
        }
        for (int32_t label = 0; label < g->count; label++)
            if (g->value[label] == sorted[i]) material[label] = number;
    }
    free(sorted);
    return result;
}

static vxe_result copy_palette(const vxe_scene *palette, vxe_scene *scene, vxe_error *error)
{
    vxe_result result = VXE_OK;
    for (int32_t m = 1; m <= vxe_scene_material_count(palette) && result == VXE_OK; m++) {
        vxe_material_def def = *vxe_scene_material(palette, m);
        int32_t number = 0;
        def.signal[0] = '\0'; /* the signals stay behind */
        result = vxe_scene_add_material(scene, &def, &number, error);
    }
    return result;
}

vxe_result vxe_grid_scene(grid *g, double pitch, const vxe_scene *palette, grid_describe *describe,
                          void *user, vxe_scene **scene, vxe_error *error)
{
    vxe_scene *made = NULL;
    int32_t *material = vxe_allocate(VXE_MATERIALS_MAX, sizeof *material);
    if (material == NULL) return vxe_fail_memory(error, g->name, VXE_MATERIALS_MAX * sizeof *material);
    vxe_result result = vxe_scene_create(pitch, g->size[0], g->size[1], g->size[2], &made, error);
    if (result == VXE_OK && palette != NULL) result = copy_palette(palette, made, error);
    if (result == VXE_OK) result = choose_materials(g, palette, describe, user, made, material, error);
    const uint16_t *label = g->label;
    for (int32_t k = 0; k < g->size[2] && result == VXE_OK; k++)
        for (int32_t j = 0; j < g->size[1] && result == VXE_OK; j++)
            for (int32_t i = 0; i < g->size[0] && result == VXE_OK; i++, label++)
                if (*label != 0 && material[*label - 1] != 0)
                    result = vxe_scene_set_voxel(made, i, j, k, material[*label - 1], error);
    free(material);
    if (result != VXE_OK) {
        vxe_scene_destroy(made);
        return result;
    }
    *scene = made;
    return VXE_OK;
}

void vxe_grid_color(int64_t number, uint8_t color[4])
{
    /* Hues by the golden angle: neighbours differ, and none repeats soon. */
    const double turn = fmod((double)number * 0.61803398875, 1.0) * 6.0;
    for (int c = 0; c < 3; c++) {
        const double away =
            fabs(fmod(turn + 6.0 - 2.0 * c, 6.0) - 3.0) - 1.0; /* 0 to 1: that colour's share */
        color[c] = (uint8_t)(70.0 + 170.0 * fmin(fmax(away, 0.0), 1.0));
    }
    color[3] = 255;
}

vxe_result vxe_grid_describe_number(void *user, int64_t value, vxe_material_def *material, bool *empty,
                                    vxe_error *error)
{
    const grid_numbers *n = user;
    *empty = false;
    if (value >= 1 && value <= n->name_count) {
        memcpy(material->name, n->names[value - 1], VXE_NAME_SIZE);
    } else if (n->palette != NULL) {
        const vxe_material_def *found =
            value > INT32_MAX || value < 1 ? NULL : vxe_scene_material(n->palette, (int32_t)value);
        if (found == NULL)
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: number %lld, but the palette has %d materials",
                            n->grid->name, (long long)value, (int)vxe_scene_material_count(n->palette));
        *material = *found;
    } else {
        (void)snprintf(material->name, sizeof material->name, "material %lld", (long long)value);
    }
    if (n->palette == NULL) vxe_grid_color(value, material->color);
    return VXE_OK;
}

vxe_result vxe_grid_describe_color(void *user, int64_t value, vxe_material_def *material, bool *empty,
                                   vxe_error *error)
{
    const grid_colors *c = user;
    const uint32_t rgb = (uint32_t)(value - 1);
    const uint8_t color[4] = {(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, 255};
    *empty = false;
    for (int32_t i = 0; i < c->def->color_count; i++) {
        if (memcmp(c->def->colors[i].color, color, 3) != 0) continue;
        *empty = c->def->colors[i].material[0] == '\0';
        memcpy(material->name, c->def->colors[i].material, VXE_NAME_SIZE);
        memcpy(material->color, color, sizeof color);
        return VXE_OK;
    }
    for (int32_t m = 1; c->def->palette != NULL && m <= vxe_scene_material_count(c->def->palette); m++) {
        const vxe_material_def *found = vxe_scene_material(c->def->palette, m);
        if (memcmp(found->color, color, 3) != 0) continue;
        *material = *found;
        return VXE_OK;
    }
    *empty = c->black_is_empty && rgb == 0;
    if (!*empty && (c->def->palette != NULL || c->def->color_count > 0))
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: nothing says what the colour #%06x stands for",
                        c->grid->name, (unsigned)rgb);
    (void)snprintf(material->name, sizeof material->name, "#%06x", (unsigned)rgb);
    memcpy(material->color, color, sizeof color);
    return VXE_OK;
}

const settings_type vxe_grid_type = {"vxe_grid_def", sizeof(vxe_grid_def),
                                     SETTINGS_END(vxe_grid_def, color_count), NULL};

void vxe_grid_def_init(vxe_grid_def *def, size_t size) { vxe_settings_give(&vxe_grid_type, NULL, def, size); }

vxe_result vxe_scene_parse_grid(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                                vxe_scene **scene, vxe_error *error)
{
    vxe_grid_def own = vxe_default_grid_def();
    if (data == NULL || name == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_scene_parse_grid: NULL");
    const vxe_result taken = def != NULL ? vxe_settings_take(&vxe_grid_type, def, &own, error) : VXE_OK;
    if (taken != VXE_OK) return taken;
    def = &own;
    if (vxe_ends_like(name, ".npy")) return vxe_grid_read_npy(data, size, name, def, scene, error);
    if (vxe_ends_like(name, ".npz")) return vxe_grid_read_npz(data, size, name, def, scene, error);
    if (vxe_ends_like(name, ".vox")) return vxe_grid_read_vox(data, size, name, def, scene, error);
    if (vxe_ends_like(name, ".png")) return vxe_grid_read_png(data, size, name, def, scene, error);
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "%.500s: grids are read from files that end in .npy, .npz or .vox", name);
}

vxe_result vxe_scene_load_grid(const char *path, const vxe_grid_def *def, vxe_scene **scene, vxe_error *error)
{
    if (path == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_scene_load_grid: NULL");
    char *data = NULL;
    size_t size = 0;
    vxe_result result = vxe_ends_like(path, ".npy") ? vxe_npy_check_file(path, error) : VXE_OK;
    if (result == VXE_OK) result = vxe_read_file(path, GRID_BYTES_MAX, &data, &size, error);
    if (result != VXE_OK) return result;
    result = vxe_scene_parse_grid(data, size, path, def, scene, error);
    free(data);
    return result;
}
