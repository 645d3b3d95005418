/* Ground, solids, water: what bodies meet beside the floor; and how they begin. Named grounds are made here,
 * once, into heights. */
#include "scene/scene.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_LEAST 1e-9 /* m */
#define LENGTH_MOST 1e6   /* m */

/* ---- rules ---------------------------------------------------------------------------------------------------------- */

static vxe_result check_within(const char *who, const char *what, double value, double least, double most,
                               vxe_error *error)
{
    if (isfinite(value) && value >= least && value <= most) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %.9g is not within %g to %g", who, what, value, least,
                    most);
}

static vxe_result check_place(const char *who, const char *what, const double place[3], vxe_error *error)
{
    vxe_result result = VXE_OK;
    for (int a = 0; a < 3 && result == VXE_OK; a++)
        result = check_within(who, what, place[a], -LENGTH_MOST, LENGTH_MOST, error);
    return result;
}

static vxe_result check_friction(const char *who, bool has, double still, double sliding, vxe_error *error)
{
    if (!has) return VXE_OK;
    vxe_result result = check_within(who, "static friction", still, 0.0, 1e6, error);
    if (result == VXE_OK) result = check_within(who, "dynamic friction", sliding, 0.0, 1e6, error);
    if (result == VXE_OK && sliding > still) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: dynamic friction %.9g is above static friction %.9g",
                          who, sliding, still);
    }
    return result;
}

static vxe_result check_ground(const vxe_ground_def *def, vxe_error *error)
{
    static const char who[] = "ground";
    if ((int)def->kind < VXE_GROUND_HEIGHTS || def->kind > VXE_GROUND_ROUGH)
        return vxe_fail(error, VXE_ERROR_INPUT, "ground: kind %d is not known", (int)def->kind);
    for (int a = 0; a < 2; a++) {
        if (def->points[a] < 2 || def->points[a] > VXE_GROUND_SIDE_MAX) {
            return vxe_fail(error, VXE_ERROR_INPUT, "ground: %d points along %c are not within 2 to %d",
                            (int)def->points[a], 'x' + a, VXE_GROUND_SIDE_MAX);
        }
    }
    vxe_result result = check_within(who, "spacing", def->spacing, LENGTH_LEAST, LENGTH_MOST, error);
    if (result == VXE_OK) result = check_place(who, "origin", def->origin, error);
    if (result == VXE_OK)
        result = check_friction(who, def->has_friction, def->static_friction, def->dynamic_friction, error);
    if (result != VXE_OK) return result;
    if (def->kind != VXE_GROUND_HEIGHTS) {
        result = check_within(who, "height", def->height, 0.0, LENGTH_MOST, error);
        if (result == VXE_OK)
            result = check_within(who, "length", def->length, LENGTH_LEAST, LENGTH_MOST, error);
        return result;
    }
    if (def->heights == NULL) return vxe_fail(error, VXE_ERROR_INPUT, "ground: it has no heights");
    const size_t count = (size_t)def->points[0] * (size_t)def->points[1];
    for (size_t i = 0; i < count; i++) {
        if (isfinite(def->heights[i]) && fabs(def->heights[i]) <= LENGTH_MOST) continue;
        return vxe_fail(error, VXE_ERROR_INPUT, "ground: heights: number %zu is not within -%g to %g m", i,
                        LENGTH_MOST, LENGTH_MOST);
    }
    return VXE_OK;
}

static vxe_result check_solid(const vxe_solid_def *def, vxe_error *error)
{
    char who[VXE_NAME_SIZE + 16];
    if (memchr(def->name, '\0', VXE_NAME_SIZE) == NULL || def->name[0] == '\0' || !vxe_valid_text(def->name))
        return vxe_fail(error, VXE_ERROR_INPUT, "solid: the name is empty, too long or not valid UTF-8");
    (void)snprintf(who, sizeof who, "solid \"%s\"", def->name);
    vxe_result result = check_place(who, "center", def->center, error);
    for (int a = 0; a < 3 && result == VXE_OK; a++)
        result = check_within(who, "rotation", def->rotation[a], -1e3, 1e3, error);
    if (result == VXE_OK)
        result = check_friction(who, def->has_friction, def->static_friction, def->dynamic_friction, error);
    if (result != VXE_OK) return result;
    switch (def->kind) {
    case VXE_SOLID_BOX:
        for (int a = 0; a < 3 && result == VXE_OK; a++)
            result = check_within(who, "size", def->sides[a], LENGTH_LEAST, LENGTH_MOST, error);
        return result;
    case VXE_SOLID_SPHERE: return check_within(who, "radius", def->radius, LENGTH_LEAST, LENGTH_MOST, error);
    case VXE_SOLID_CYLINDER:
    case VXE_SOLID_CAPSULE:
        result = check_within(who, "radius", def->radius, LENGTH_LEAST, LENGTH_MOST, error);
        if (result != VXE_OK) return result;
        return check_within(who, "length", def->length, def->kind == VXE_SOLID_CAPSULE ? 0.0 : LENGTH_LEAST,
                            LENGTH_MOST, error);
    case VXE_SOLID_CELLS: break;
    default: return vxe_fail(error, VXE_ERROR_INPUT, "%s: kind %d is not known", who, (int)def->kind);
    }
    result = check_within(who, "pitch", def->pitch, LENGTH_LEAST, LENGTH_MOST, error);
    if (result != VXE_OK) return result;
    double cells = 1.0;
    for (int a = 0; a < 3; a++) cells *= (double)def->cells[a];
    if (def->cells[0] < 1 || def->cells[1] < 1 || def->cells[2] < 1 || cells > VXE_SOLID_CELLS_MAX ||
        def->filled == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the cells are not 1 to %d", who, VXE_SOLID_CELLS_MAX);
    }
    const size_t count = (size_t)def->cells[0] * (size_t)def->cells[1] * (size_t)def->cells[2];
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) any = def->filled[i] != 0;
    if (!any) return vxe_fail(error, VXE_ERROR_INPUT, "%s: none of its cells is filled", who);
    return VXE_OK;
}

/* ---- ground --------------------------------------------------------------------------------------------------------- */

static const double level[4] = {0.0, 0.0, 0.0, 0.0};
static const vxe_ground_def ground_defaults = {.size = sizeof(vxe_ground_def),
                                               .kind = VXE_GROUND_HEIGHTS,
                                               .points = {2, 2},
                                               .spacing = 1.0,
                                               .heights = level,
                                               .static_friction = 1.0,
                                               .dynamic_friction = 0.5,
                                               .color = {150, 148, 140, 255}};
static const settings_type ground_type = {"vxe_ground_def", sizeof(vxe_ground_def),
                                          SETTINGS_END(vxe_ground_def, color), &ground_defaults};

void vxe_ground_def_init(vxe_ground_def *def, size_t size)
{
    vxe_settings_give(&ground_type, NULL, def, size);
}

/* A number from 0 to 1 for every point of a lattice. */
static double random_at(uint32_t seed, int32_t i, int32_t j)
{
    uint64_t z = ((uint64_t)seed << 32) ^ ((uint64_t)(uint32_t)i * UINT64_C(0x9e3779b1)) ^
                 ((uint64_t)(uint32_t)j * UINT64_C(0x85ebca77) << 16);
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double smooth(double t) { return t * t * (3.0 - 2.0 * t); }

static double rough_at(const vxe_ground_def *def, double x, double y)
{
    const double u = x / def->length;
    const double v = y / def->length;
    const int32_t i = (int32_t)floor(u);
    const int32_t j = (int32_t)floor(v);
    const double s = smooth(u - i);
    const double t = smooth(v - j);
    const double low = (1.0 - s) * random_at(def->seed, i, j) + s * random_at(def->seed, i + 1, j);
    const double high = (1.0 - s) * random_at(def->seed, i, j + 1) + s * random_at(def->seed, i + 1, j + 1);
    return def->height * ((1.0 - t) * low + t * high);
}

/* x and y from the first point, m. A thousandth of the spacing keeps edges that fall on points where they
 * are, whatever rounding does. */
static double named_height(const vxe_ground_def *def, double x, double y)
{
    const double edge = x + 1e-3 * def->spacing;
    switch (def->kind) {
    case VXE_GROUND_SLOPE: return def->height * x / def->length;
    case VXE_GROUND_STEPS: return fmod(floor(edge / def->length), 2.0) == 0.0 ? 0.0 : def->height;
    case VXE_GROUND_STAIRS: return def->height * floor(edge / def->length);
    case VXE_GROUND_GAP: {
        const double middle = 0.5 * def->spacing * (def->points[0] - 1);
        return fabs(x - middle) < 0.5 * def->length - 1e-3 * def->spacing ? -def->height : 0.0;
    }
    case VXE_GROUND_ROUGH: return rough_at(def, x, y);
    case VXE_GROUND_HEIGHTS: break;
    }
    return 0.0;
}

static vxe_result copy_ground(const vxe_ground_def *def, vxe_ground_def **copy, vxe_error *error)
{
    const size_t count = (size_t)def->points[0] * (size_t)def->points[1];
    vxe_ground_def *made = malloc(sizeof *made);
    double *heights = malloc(count * sizeof *heights);
    if (made == NULL || heights == NULL) {
        free(made);
        free(heights);
        return vxe_fail_memory(error, "the ground", count * sizeof *heights);
    }
    *made = *def;
    for (int32_t j = 0; j < def->points[1]; j++) {
        for (int32_t i = 0; i < def->points[0]; i++) {
            const size_t at = (size_t)j * (size_t)def->points[0] + (size_t)i;
            heights[at] = def->kind == VXE_GROUND_HEIGHTS
                              ? def->heights[at]
                              : named_height(def, i * def->spacing, j * def->spacing);
        }
    }
    made->heights = heights;
    *copy = made;
    return VXE_OK;
}

static void free_ground(vxe_ground_def *ground)
{
    if (ground == NULL) return;
    free((void *)(uintptr_t)ground->heights);
    free(ground);
}

vxe_result vxe_scene_set_ground(vxe_scene *scene, const vxe_ground_def *def, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    vxe_ground_def *made = NULL;
    vxe_ground_def own;
    vxe_result result = def != NULL ? vxe_settings_take(&ground_type, def, &own, error) : VXE_OK;
    if (result == VXE_OK && def != NULL) result = check_ground(&own, error);
    if (result == VXE_OK && def != NULL) result = copy_ground(&own, &made, error);
    if (result != VXE_OK) return result;
    free_ground(scene->ground);
    scene->ground = made;
    return VXE_OK;
}

const vxe_ground_def *vxe_scene_ground(const vxe_scene *scene)
{
    return scene == NULL ? NULL : scene->ground;
}

double vxe_ground_height(const vxe_ground_def *def, double x, double y)
{
    if (def == NULL || def->heights == NULL) return 0.0;
    double part[2];
    size_t at[2][2];
    const double place[2] = {(x - def->origin[0]) / def->spacing, (y - def->origin[1]) / def->spacing};
    for (int a = 0; a < 2; a++) {
        const double last = (double)(def->points[a] - 1);
        const double inside = fmin(fmax(place[a], 0.0), last);
        const double low = fmin(floor(inside), last - 1.0);
        part[a] = inside - low;
        at[a][0] = (size_t)low;
        at[a][1] = (size_t)low + 1;
    }
    const size_t row = (size_t)def->points[0];
    const double *h = def->heights;
    const double low =
        (1.0 - part[0]) * h[at[1][0] * row + at[0][0]] + part[0] * h[at[1][0] * row + at[0][1]];
    const double high =
        (1.0 - part[0]) * h[at[1][1] * row + at[0][0]] + part[0] * h[at[1][1] * row + at[0][1]];
    return def->origin[2] + (1.0 - part[1]) * low + part[1] * high;
}

/* ---- solids --------------------------------------------------------------------------------------------------------- */

static const vxe_solid_def solid_defaults = {.size = sizeof(vxe_solid_def),
                                             .name = "solid",
                                             .kind = VXE_SOLID_BOX,
                                             .sides = {1.0, 1.0, 1.0},
                                             .radius = 0.5,
                                             .length = 1.0,
                                             .static_friction = 1.0,
                                             .dynamic_friction = 0.5,
                                             .color = {130, 134, 145, 255}};
static const settings_type solid_type = {"vxe_solid_def", sizeof(vxe_solid_def),
                                         SETTINGS_END(vxe_solid_def, color), &solid_defaults};

void vxe_solid_def_init(vxe_solid_def *def, size_t size) { vxe_settings_give(&solid_type, NULL, def, size); }

static vxe_result copy_solid(const vxe_solid_def *def, vxe_solid_def *copy, vxe_error *error)
{
    vxe_solid_def made = *def;
    vxe_pad_name(made.name);
    made.filled = NULL;
    if (def->kind == VXE_SOLID_CELLS) {
        const size_t count = (size_t)def->cells[0] * (size_t)def->cells[1] * (size_t)def->cells[2];
        uint8_t *filled = malloc(count);
        if (filled == NULL) return vxe_fail_memory(error, "the cells of a solid", count);
        for (size_t i = 0; i < count; i++) filled[i] = def->filled[i] != 0;
        made.filled = filled;
    }
    *copy = made;
    return VXE_OK;
}

static void free_solid(vxe_solid_def *def) { free((void *)(uintptr_t)def->filled); }

vxe_result vxe_scene_add_solid(vxe_scene *scene, const vxe_solid_def *def, int32_t *solid, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_solid_def own;
    vxe_result result = vxe_settings_take(&solid_type, def, &own, error);
    if (result == VXE_OK) result = check_solid(&own, error);
    if (result != VXE_OK) return result;
    for (int32_t n = 0; n < scene->solid_count; n++) {
        if (strcmp(scene->solids[n].name, own.name) == 0)
            return vxe_fail(error, VXE_ERROR_INPUT, "solid \"%s\": the name is already in use", own.name);
    }
    if (scene->solid_count >= VXE_SOLIDS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "the scene is full with %d solids", VXE_SOLIDS_MAX);
    vxe_solid_def made = {0}; /* before growing: def may be one of the scene's own */
    result = copy_solid(&own, &made, error);
    if (result != VXE_OK) return result;
    vxe_solid_def *grown =
        vxe_grow(scene->solids, (size_t)scene->solid_count + 1, &scene->solid_capacity, sizeof *grown);
    if (grown == NULL) {
        free_solid(&made);
        return vxe_fail_memory(error, "the solids", sizeof *grown * (size_t)scene->solid_count);
    }
    scene->solids = grown;
    scene->solids[scene->solid_count] = made;
    if (solid != NULL) *solid = scene->solid_count;
    scene->solid_count++;
    return VXE_OK;
}

vxe_result vxe_scene_remove_solid(vxe_scene *scene, int32_t solid, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_number("solid", solid, scene->solid_count, 0, error);
    if (result != VXE_OK) return result;
    free_solid(&scene->solids[solid]);
    vxe_drop(scene->solids, &scene->solid_count, solid, sizeof *scene->solids);
    return VXE_OK;
}

int32_t vxe_scene_solid_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->solid_count; }

const vxe_solid_def *vxe_scene_solid(const vxe_scene *scene, int32_t solid)
{
    if (scene == NULL || solid < 0 || solid >= scene->solid_count) return NULL;
    return &scene->solids[solid];
}

/* ---- water ---------------------------------------------------------------------------------------------------------- */

static const vxe_water_def water_defaults = {
    .size = sizeof(vxe_water_def), .density = 1000.0, .normal = 1.0, .tangential = 0.05};
static const settings_type water_type = {"vxe_water_def", sizeof(vxe_water_def),
                                         SETTINGS_END(vxe_water_def, level), &water_defaults};

void vxe_water_def_init(vxe_water_def *def, size_t size) { vxe_settings_give(&water_type, NULL, def, size); }

static vxe_result check_water(const vxe_water_def *def, vxe_error *error)
{
    static const char who[] = "water";
    vxe_result result = check_within(who, "density", def->density, 0.0, 1e9, error);
    if (result == VXE_OK) result = check_within(who, "normal drag", def->normal, 0.0, 1e6, error);
    if (result == VXE_OK) result = check_within(who, "tangential drag", def->tangential, 0.0, 1e6, error);
    if (result == VXE_OK && def->has_level)
        result = check_within(who, "level", def->level, -LENGTH_MOST, LENGTH_MOST, error);
    return result;
}

vxe_result vxe_scene_set_water(vxe_scene *scene, const vxe_water_def *def, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    vxe_water_def *made = NULL;
    if (def != NULL) {
        vxe_water_def own;
        vxe_result result = vxe_settings_take(&water_type, def, &own, error);
        if (result == VXE_OK) result = check_water(&own, error);
        if (result != VXE_OK) return result;
        made = malloc(sizeof *made);
        if (made == NULL) return vxe_fail_memory(error, "the water", sizeof *made);
        *made = own;
    }
    free(scene->water);
    scene->water = made;
    return VXE_OK;
}

const vxe_water_def *vxe_scene_water(const vxe_scene *scene) { return scene == NULL ? NULL : scene->water; }

/* ---- start ---------------------------------------------------------------------------------------------------------- */

static const settings_type start_type = {"vxe_start_def", sizeof(vxe_start_def),
                                         SETTINGS_END(vxe_start_def, center), NULL};

static bool is_moved(const vxe_start_def *def)
{
    for (int a = 0; a < 3; a++) {
        if (def->displacement[a] != 0.0 || def->rotation[a] != 0.0) return true;
    }
    return false;
}

static vxe_result check_start(const vxe_start_def *def, vxe_error *error)
{
    static const char who[] = "start";
    if (memchr(def->region, '\0', VXE_NAME_SIZE) == NULL || memchr(def->part, '\0', VXE_NAME_SIZE) == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "start: a name is longer than %d bytes", VXE_NAME_SIZE - 1);
    if (def->region[0] != '\0' && def->part[0] != '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "start: it is of a region or of a part, not of both");
    if (is_moved(def) && def->part[0] == '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "start: only a part can be displaced or rotated");
    vxe_result result = check_place(who, "velocity", def->velocity, error);
    for (int a = 0; a < 3 && result == VXE_OK; a++)
        result = check_within(who, "spin", def->spin[a], -1e9, 1e9, error);
    if (result == VXE_OK) result = check_place(who, "displacement", def->displacement, error);
    if (result == VXE_OK) result = check_place(who, "center", def->center, error);
    for (int a = 0; a < 3 && result == VXE_OK; a++)
        result = check_within(who, "rotation", def->rotation[a], -1e3, 1e3, error);
    return result;
}

vxe_result vxe_check_start_in_scene(const vxe_scene *scene, const vxe_start_def *def, vxe_error *error)
{
    const vxe_result result = check_start(def, error);
    if (result != VXE_OK) return result;
    if (def->region[0] != '\0' && vxe_scene_find_region(scene, def->region) < 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "start: there is no region \"%s\"", def->region);
    const vxe_part_def *part = NULL;
    for (int32_t p = 1; p <= scene->part_count && part == NULL; p++) {
        if (strcmp(scene->parts[p - 1].name, def->part) == 0) part = &scene->parts[p - 1];
    }
    if (def->part[0] != '\0' && part == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "start: there is no part \"%s\"", def->part);
    if (is_moved(def) && (part == NULL || !part->separate)) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "start: part \"%s\" is bonded to what it touches; only a separate part can be put "
                        "elsewhere",
                        def->part);
    }
    return VXE_OK;
}

vxe_result vxe_scene_add_start(vxe_scene *scene, const vxe_start_def *def, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_start_def made; /* before growing: def may be one of the scene's own */
    vxe_result result = vxe_settings_take(&start_type, def, &made, error);
    if (result == VXE_OK) result = check_start(&made, error);
    if (result != VXE_OK) return result;
    if (scene->start_count >= VXE_STARTS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "the scene is full with %d starts", VXE_STARTS_MAX);
    vxe_start_def *grown =
        vxe_grow(scene->starts, (size_t)scene->start_count + 1, &scene->start_capacity, sizeof *grown);
    if (grown == NULL) return vxe_fail_memory(error, "the starts", sizeof *grown);
    scene->starts = grown;
    scene->starts[scene->start_count] = made;
    vxe_pad_name(scene->starts[scene->start_count].region);
    vxe_pad_name(scene->starts[scene->start_count].part);
    scene->start_count++;
    return VXE_OK;
}

void vxe_scene_clear_starts(vxe_scene *scene)
{
    if (scene != NULL) scene->start_count = 0;
}

int32_t vxe_scene_start_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->start_count; }

const vxe_start_def *vxe_scene_start(const vxe_scene *scene, int32_t start)
{
    if (scene == NULL || start < 0 || start >= scene->start_count) return NULL;
    return &scene->starts[start];
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

vxe_result vxe_check_world(const vxe_scene *scene, vxe_error *error)
{
    vxe_result result = scene->ground != NULL ? check_ground(scene->ground, error) : VXE_OK;
    for (int32_t n = 0; n < scene->solid_count && result == VXE_OK; n++)
        result = check_solid(&scene->solids[n], error);
    if (result == VXE_OK && scene->water != NULL) result = check_water(scene->water, error);
    for (int32_t n = 0; n < scene->start_count && result == VXE_OK; n++)
        result = vxe_check_start_in_scene(scene, &scene->starts[n], error);
    return result;
}

vxe_result vxe_copy_world(const vxe_scene *scene, vxe_scene *copy, vxe_error *error)
{
    vxe_result result = scene->ground != NULL ? copy_ground(scene->ground, &copy->ground, error) : VXE_OK;
    for (int32_t n = 0; n < scene->solid_count && result == VXE_OK; n++)
        result = vxe_scene_add_solid(copy, &scene->solids[n], NULL, error);
    if (result == VXE_OK) result = vxe_scene_set_water(copy, scene->water, error);
    for (int32_t n = 0; n < scene->start_count && result == VXE_OK; n++)
        result = vxe_scene_add_start(copy, &scene->starts[n], error);
    return result;
}

void vxe_free_world(vxe_scene *scene)
{
    free_ground(scene->ground);
    for (int32_t n = 0; n < scene->solid_count; n++) free_solid(&scene->solids[n]);
    free(scene->solids);
    free(scene->water);
    free(scene->starts);
}
