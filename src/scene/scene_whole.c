/* Rules of a scene as a whole: those of all its parts, and those that concern several of them. */
#include "scene/scene.h"

#include "base/base.h"

#include <string.h>

/* A box of cells and the shape in it. */
typedef struct area {
    vxe_placed_shape shape;
    bool empty;
    int32_t first[3];
    int32_t last[3];
} area;

static area region_area(const vxe_scene *scene, const vxe_region_def *def)
{
    area made = {.shape = vxe_place_shape(&def->shape, scene->pitch, scene->size)};
    made.empty = !vxe_shape_cells(&made.shape, scene->size, made.first, made.last);
    return made;
}

/* The first voxel of a box of cells that is not empty and touched by one shape, or by both. */
static bool find_touched(const vxe_scene *scene, const int32_t first[3], const int32_t last[3],
                         const vxe_placed_shape *one, const vxe_placed_shape *other, int32_t found[3])
{
    for (int32_t k = first[2]; k <= last[2]; k++) {
        for (int32_t j = first[1]; j <= last[1]; j++) {
            const uint16_t *row = &scene->voxels[vxe_scene_cell(scene, 0, j, k)];
            for (int32_t i = first[0]; i <= last[0]; i++) {
                if (row[i] == 0 || !vxe_shape_touches(one, i, j, k)) continue;
                if (other != NULL && !vxe_shape_touches(other, i, j, k)) continue;
                found[0] = i;
                found[1] = j;
                found[2] = k;
                return true;
            }
        }
    }
    return false;
}

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

static bool same_vector(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The first degree of freedom (0..5) that both regions fix and move differently, or -1. Resting is the same
 * at any ramp. A rotation moves a voxel by its pivot too, and the mean positions that stand for a missing
 * pivot differ from region to region. */
static int find_contradiction(const vxe_region_def *a, const vxe_region_def *b)
{
    const uint32_t shared = a->fixed & b->fixed;
    const bool turning = !is_zero(a->rotation) || !is_zero(b->rotation);
    const bool same_turn = !turning || (same_vector(a->rotation, b->rotation) && a->ramp == b->ramp);
    const bool same_pivot =
        !turning || (a->in_place && b->in_place) ||
        (!a->in_place && !b->in_place && a->has_pivot && b->has_pivot && same_vector(a->pivot, b->pivot));
    for (int n = 0; n < 6; n++) {
        if ((shared & ((uint32_t)1 << n)) == 0) continue;
        if (n >= 3) {
            if (!same_turn) return n;
            continue;
        }
        const double x = a->displacement[n];
        const double y = b->displacement[n];
        const bool same_move = (x == 0.0 && y == 0.0) || (x == y && a->ramp == b->ramp);
        if (!same_move || !same_turn || !same_pivot) return n;
    }
    return -1;
}

/* Against the regions before it; all of them touch something. */
static vxe_result check_contradictions(const vxe_scene *scene, int32_t region, const area *here,
                                       vxe_error *error)
{
    const vxe_region_def *one = &scene->regions[region];
    for (int32_t n = 0; n < region; n++) {
        const vxe_region_def *other = &scene->regions[n];
        const int dof = find_contradiction(other, one);
        if (dof < 0) continue;
        const area there = region_area(scene, other);
        int32_t first[3];
        int32_t last[3];
        for (int a = 0; a < 3; a++) { /* only where the two boxes of cells meet */
            first[a] = here->first[a] > there.first[a] ? here->first[a] : there.first[a];
            last[a] = here->last[a] < there.last[a] ? here->last[a] : there.last[a];
        }
        int32_t voxel[3];
        if (find_touched(scene, first, last, &here->shape, &there.shape, voxel)) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "regions \"%s\" and \"%s\" prescribe different motions of voxel (%d,%d,%d) %s %c",
                            other->name, one->name, voxel[0], voxel[1], voxel[2], dof < 3 ? "along" : "about",
                            'x' + dof % 3);
        }
    }
    return VXE_OK;
}

static vxe_result check_region_in_scene(const vxe_scene *scene, int32_t region, vxe_error *error)
{
    const vxe_region_def *def = &scene->regions[region];
    vxe_result result = vxe_check_region(def, error);
    if (result == VXE_OK) result = vxe_check_region_name(scene, def->name, region, error);
    if (result != VXE_OK) return result;
    result = vxe_check_region_plane(def, scene->environment.plane, error);
    if (result != VXE_OK) return result;
    const area here = region_area(scene, def);
    int32_t voxel[3];
    if (here.empty || !find_touched(scene, here.first, here.last, &here.shape, NULL, voxel)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "region \"%s\": it touches no voxel", def->name);
    }
    return check_contradictions(scene, region, &here, error);
}

static vxe_result check_parts(const vxe_scene *scene, vxe_error *error)
{
    const double *part = scene->fields[VXE_FIELD_PART];
    for (int32_t n = 1; n <= scene->part_count; n++) {
        const vxe_result result = vxe_check_part(scene, &scene->parts[n - 1], n, error);
        if (result != VXE_OK) return result;
    }
    for (size_t cell = 0; part != NULL && cell < scene->cell_count; cell++) {
        if (part[cell] <= scene->part_count) continue;
        return vxe_fail(error, VXE_ERROR_INPUT, "voxel (%zu,%zu,%zu): part %.0f is none of the scene's %d",
                        cell % (size_t)scene->size[0], cell / (size_t)scene->size[0] % (size_t)scene->size[1],
                        cell / (size_t)scene->size[0] / (size_t)scene->size[1], part[cell],
                        scene->part_count);
    }
    return VXE_OK;
}

/* A stiffness of its own replaces the one number of a linear law; other laws have more. */
static vxe_result check_stiffness(const vxe_scene *scene, vxe_error *error)
{
    for (size_t cell = 0; scene->fields[VXE_FIELD_STIFFNESS] != NULL && cell < scene->cell_count; cell++) {
        const uint16_t material = scene->voxels[cell];
        if (material == 0 || scene->fields[VXE_FIELD_STIFFNESS][cell] == 0.0) continue;
        const vxe_material_def *def = &scene->materials[material - 1];
        if (def->law != VXE_LAW_LINEAR) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "material \"%s\": a voxel has a stiffness of its own, which needs the linear law",
                            def->name);
        }
    }
    return VXE_OK;
}

static vxe_result check_palette(const vxe_scene *scene, vxe_error *error)
{
    for (int32_t m = 0; m < scene->material_count; m++) {
        const vxe_material_def *def = &scene->materials[m];
        const vxe_result result = vxe_check_material(def, error);
        if (result != VXE_OK) return result;
        if (def->signal[0] != '\0' && vxe_scene_find_signal(scene, def->signal) < 0) {
            const char *names[VXE_SIGNALS_MAX];
            for (int32_t n = 0; n < scene->signal_count; n++) names[n] = scene->signals[n].name;
            const char *nearest = vxe_nearest_name(def->signal, names, (size_t)scene->signal_count);
            return vxe_fail(error, VXE_ERROR_INPUT, "material \"%s\": there is no signal \"%s\"%s%s%s",
                            def->name, def->signal, nearest == NULL ? "" : "; did you mean \"",
                            nearest == NULL ? "" : nearest, nearest == NULL ? "" : "\"?");
        }
        for (int32_t n = 0; n < m; n++) {
            if (strcmp(scene->materials[n].name, def->name) == 0) {
                return vxe_fail(error, VXE_ERROR_INPUT, "material \"%s\": the name is already in use",
                                def->name);
            }
        }
    }
    return VXE_OK;
}

/* Checks the actuation of cells, `left` at most; those that have voxels (or all cells). Pages that were never
 * written are many, and reading them takes time. */
static vxe_result check_actuations(const vxe_scene *scene, bool with_voxels, int64_t left, vxe_error *error)
{
    const size_t wide = (size_t)scene->size[0];
    const size_t deep = (size_t)scene->size[1];
    for (size_t cell = 0; cell < scene->cell_count && left > 0; cell++) {
        if (with_voxels && scene->voxels[cell] == 0) continue;
        if (scene->actuation[cell].period == 0.0) continue;
        const vxe_result result =
            vxe_check_actuation(&scene->actuation[cell], (int32_t)(cell % wide),
                                (int32_t)(cell / wide % deep), (int32_t)(cell / wide / deep), error);
        if (result != VXE_OK) return result;
        left--;
    }
    return left == 0 || !with_voxels ? VXE_OK : check_actuations(scene, false, scene->actuation_count, error);
}

static vxe_result check_voxels(const vxe_scene *scene, vxe_error *error)
{
    if (scene->voxel_count == 0) return vxe_fail(error, VXE_ERROR_INPUT, "the scene has no voxels");
    if (scene->voxel_count > VXE_VOXELS_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "the scene has %lld voxels, more than %lld",
                        (long long)scene->voxel_count, (long long)VXE_VOXELS_MAX);
    }
    return scene->actuation == NULL ? VXE_OK : check_actuations(scene, true, scene->actuation_count, error);
}

static vxe_result check_experiment_names(const vxe_scene *scene, vxe_error *error)
{
    const vxe_experiment *e = &scene->experiment;
    const struct {
        const char *what, *name;
    } names[] = {
        {"fall", e->fall}, {"needle", e->needle}, {"block", e->block}, {"history_bodies", e->history_bodies}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].name[0] != '\0' && vxe_scene_find_material(scene, names[i].name) <= 0)
            return vxe_fail(error, VXE_ERROR_INPUT, "experiment: %s: there is no material \"%s\"",
                            names[i].what, names[i].name);
    }
    const int32_t needle = vxe_scene_find_material(scene, e->needle);
    if (e->needle[0] != '\0' && !vxe_scene_material(scene, needle)->target)
        return vxe_fail(error, VXE_ERROR_INPUT, "experiment: needle: material \"%s\" is no target",
                        e->needle);
    return VXE_OK;
}

vxe_result vxe_scene_check(const vxe_scene *scene, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    vxe_result result = vxe_check_workspace(scene->pitch, scene->size, error);
    if (result == VXE_OK) result = vxe_check_description(scene->name, scene->description, error);
    if (result == VXE_OK) result = check_palette(scene, error);
    if (result == VXE_OK) result = check_voxels(scene, error);
    if (result == VXE_OK) result = check_stiffness(scene, error);
    if (result == VXE_OK) result = check_parts(scene, error);
    if (result == VXE_OK) result = vxe_check_experiment(&scene->experiment, error);
    if (result == VXE_OK) result = check_experiment_names(scene, error);
    if (result == VXE_OK) result = vxe_check_environment(&scene->environment, error);
    if (result == VXE_OK) result = vxe_check_world(scene, error);
    for (int32_t n = 0; result == VXE_OK && n < scene->region_count; n++)
        result = check_region_in_scene(scene, n, error);
    for (int32_t n = 0; result == VXE_OK && n < scene->signal_count; n++) {
        result = vxe_check_signal(&scene->signals[n], error);
        if (result == VXE_OK) result = vxe_check_signal_name(scene, scene->signals[n].name, n, error);
    }
    if (result == VXE_OK) result = vxe_check_stop(&scene->stop, error);
    if (result == VXE_OK) result = vxe_check_output(&scene->output, error);
    if (result == VXE_OK) result = vxe_check_rules(scene, error);
    if (result != VXE_OK) return result;
    if (scene->stop.cycles > 0.0 && (scene->signal_count == 0 || !(scene->signals[0].period > 0.0))) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "stop: cycles %.9g needs a first signal with a period above 0", scene->stop.cycles);
    }
    return VXE_OK;
}
