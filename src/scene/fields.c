/* What a scene has beside voxels and loads: numbers of single voxels, formulas, what an experiment expects,
 * and pieces of other programs' files. */
#include "scene/scene.h"

#include "base/base.h"
#include "scene/expression.h"

#include <stdlib.h>
#include <string.h>

/* --- numbers of single voxels --- */

static const char *const field_names[VXE_FIELD_COUNT] = {
    [VXE_FIELD_STIFFNESS] = "stiffness",
    [VXE_FIELD_SIZE_START] = "size_start",
    [VXE_FIELD_SIZE_END] = "size_end",
    [VXE_FIELD_GROWTH_BEGIN] = "growth_begin",
    [VXE_FIELD_GROWTH_TIME] = "growth_time",
    [VXE_FIELD_PHASE_CHANGE] = "phase_change",
    [VXE_FIELD_AMPLITUDE_CHANGE] = "amplitude_change",
    [VXE_FIELD_CILIA_X] = "cilia_x",
    [VXE_FIELD_CILIA_Y] = "cilia_y",
    [VXE_FIELD_CILIA_Z] = "cilia_z",
    [VXE_FIELD_PART] = "part",
    [VXE_FIELD_SHIFT_X] = "shift_x",
    [VXE_FIELD_SHIFT_Y] = "shift_y",
    [VXE_FIELD_SHIFT_Z] = "shift_z",
    [VXE_FIELD_TRAIT1] = "trait1",
    [VXE_FIELD_TRAIT2] = "trait2",
    [VXE_FIELD_TRAIT3] = "trait3",
    [VXE_FIELD_TRAIT4] = "trait4",
};

const char *vxe_field_name(vxe_field field)
{
    return (int)field >= 0 && field < VXE_FIELD_COUNT ? field_names[field] : NULL;
}

vxe_result vxe_scene_set_field(vxe_scene *scene, vxe_field field, int32_t i, int32_t j, int32_t k,
                               double value, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    if (!vxe_scene_inside(scene, i, j, k)) return vxe_refuse_outside(scene, i, j, k, error);
    const vxe_result result = vxe_check_field(field, value, i, j, k, error);
    if (result != VXE_OK) return result;
    if (scene->fields[field] == NULL) {
        if (value == 0.0) return VXE_OK;
        scene->fields[field] =
            vxe_allocate_cells(scene->cell_count, sizeof(double), "numbers of voxels", error);
        if (scene->fields[field] == NULL) return VXE_ERROR_MEMORY;
    }
    double *cell = &scene->fields[field][vxe_scene_cell(scene, i, j, k)];
    scene->field_counts[field] += (value != 0.0) - (*cell != 0.0);
    *cell = value == 0.0 ? 0.0 : value; /* no negative zero */
    return VXE_OK;
}

double vxe_scene_field(const vxe_scene *scene, vxe_field field, int32_t i, int32_t j, int32_t k)
{
    if (scene == NULL || vxe_field_name(field) == NULL || scene->fields[field] == NULL ||
        !vxe_scene_inside(scene, i, j, k))
        return 0.0;
    return scene->fields[field][vxe_scene_cell(scene, i, j, k)];
}

bool vxe_scene_has_field(const vxe_scene *scene, vxe_field field)
{
    return scene != NULL && vxe_field_name(field) != NULL && scene->field_counts[field] > 0;
}

/* --- formulas --- */

static bool is_role(vxe_formula_role role) { return (int)role >= 0 && role < VXE_FORMULA_COUNT; }

const char *vxe_scene_formula(const vxe_scene *scene, vxe_formula_role role)
{
    return scene == NULL || !is_role(role) || scene->formulas[role] == NULL ? "" : scene->formulas[role];
}

vxe_result vxe_scene_set_formula(vxe_scene *scene, vxe_formula_role role, const char *text, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    if (!is_role(role)) return vxe_fail(error, VXE_ERROR_ARGUMENT, "there is no formula %d", (int)role);
    char *copy = NULL;
    if (text != NULL && text[0] != '\0') {
        vxe_formula parsed;
        if (strlen(text) > VXE_FORMULA_BYTES_MAX)
            return vxe_fail(error, VXE_ERROR_LIMIT, "formula: longer than %d bytes", VXE_FORMULA_BYTES_MAX);
        const vxe_result result = vxe_formula_parse(text, &parsed, error);
        if (result != VXE_OK) return result;
        const bool flows =
            role == VXE_FORMULA_FLOW_X || role == VXE_FORMULA_FLOW_Y || role == VXE_FORMULA_FLOW_Z;
        const char *own = NULL;  /* what only a rule knows */
        const char *body = NULL; /* what water does not have */
        for (int32_t i = 0; i < parsed.count; i++) {
            if (parsed.tokens[i].operation == VXE_OP_VARIABLE &&
                parsed.tokens[i].variable >= VXE_VARIABLE_OWN)
                own = vxe_formula_variables[parsed.tokens[i].variable];
            else if (flows && parsed.tokens[i].operation == VXE_OP_VARIABLE &&
                     parsed.tokens[i].variable > VXE_VARIABLE_T)
                body = vxe_formula_variables[parsed.tokens[i].variable];
        }
        if (own != NULL) {
            vxe_formula_free(&parsed);
            return vxe_fail(error, VXE_ERROR_INPUT, "formula: only rules know %s", own);
        }
        if (body != NULL) {
            vxe_formula_free(&parsed);
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "formula: the flow of water knows x, y, z and t, and not %s", body);
        }
        const bool empty = parsed.count == 0;
        vxe_formula_free(&parsed);
        copy = empty ? NULL : vxe_text("%s", text);
        if (copy == NULL && !empty) return vxe_fail_memory(error, "a formula", strlen(text));
    }
    free(scene->formulas[role]);
    scene->formulas[role] = copy;
    scene->stop.formula = scene->formulas[VXE_FORMULA_STOP] != NULL;
    return VXE_OK;
}

/* --- experiments --- */

const settings_type vxe_experiment_type = {"vxe_experiment", sizeof(vxe_experiment),
                                           SETTINGS_END(vxe_experiment, pair_distance), NULL};

void vxe_scene_get_experiment(const vxe_scene *scene, vxe_experiment *experiment, size_t size)
{
    vxe_settings_give(&vxe_experiment_type, scene != NULL ? &scene->experiment : NULL, experiment, size);
}

vxe_result vxe_scene_set_experiment(vxe_scene *scene, const vxe_experiment *experiment, vxe_error *error)
{
    if (scene == NULL || experiment == NULL) return vxe_refuse_null(error);
    vxe_experiment own;
    vxe_result result = vxe_settings_take(&vxe_experiment_type, experiment, &own, error);
    if (result == VXE_OK) result = vxe_check_experiment(&own, error);
    if (result == VXE_OK) scene->experiment = own;
    return result;
}

/* --- pieces of other programs' files --- */

vxe_result vxe_scene_add_foreign(vxe_scene *scene, const char *path, const char *text, vxe_error *error)
{
    if (scene == NULL || path == NULL || text == NULL) return vxe_refuse_null(error);
    const size_t path_size = strlen(path) + 1;
    const size_t text_size = strlen(text) + 1;
    if (scene->foreign_count >= VXE_FOREIGN_MAX || path_size > 4096 || text_size > VXE_FOREIGN_BYTES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "foreign: too much that is not known");
    if (!vxe_valid_text(path)) return vxe_fail(error, VXE_ERROR_INPUT, "foreign: a path is not valid UTF-8");
    scene_foreign *grown =
        vxe_grow(scene->foreign, (size_t)scene->foreign_count + 1, &scene->foreign_capacity, sizeof *grown);
    if (grown != NULL) scene->foreign = grown;
    char *block = grown == NULL ? NULL : malloc(path_size + text_size);
    if (block == NULL) return vxe_fail_memory(error, "foreign", text_size);
    memcpy(block, path, path_size);
    memcpy(block + path_size, text, text_size);
    scene->foreign[scene->foreign_count++] = (scene_foreign){block, block + path_size};
    return VXE_OK;
}

bool vxe_scene_foreign(const vxe_scene *scene, int32_t index, const char **path, const char **text)
{
    if (scene == NULL || index < 0 || index >= scene->foreign_count) return false;
    if (path != NULL) *path = scene->foreign[index].path;
    if (text != NULL) *text = scene->foreign[index].text;
    return true;
}

/* --- all of it --- */

vxe_result vxe_copy_extras(const vxe_scene *scene, vxe_scene *copy, vxe_error *error)
{
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (scene->fields[f] == NULL) continue;
        copy->fields[f] = vxe_allocate_cells(scene->cell_count, sizeof(double), "numbers of voxels", error);
        if (copy->fields[f] == NULL) return VXE_ERROR_MEMORY;
        vxe_copy_cells(copy->fields[f], scene->fields[f], scene->cell_count * sizeof(double));
        copy->field_counts[f] = scene->field_counts[f];
    }
    for (int r = 0; r < VXE_FORMULA_COUNT; r++) {
        if (scene->formulas[r] == NULL) continue;
        copy->formulas[r] = vxe_text("%s", scene->formulas[r]);
        if (copy->formulas[r] == NULL) return vxe_fail_memory(error, "a formula", strlen(scene->formulas[r]));
    }
    copy->experiment = scene->experiment;
    for (int32_t n = 0; n < scene->foreign_count; n++) {
        const vxe_result result =
            vxe_scene_add_foreign(copy, scene->foreign[n].path, scene->foreign[n].text, error);
        if (result != VXE_OK) return result;
    }
    return vxe_copy_rules(scene, copy, error);
}

void vxe_free_extras(vxe_scene *scene)
{
    vxe_free_rules(scene);
    for (int f = 0; f < VXE_FIELD_COUNT; f++) free(scene->fields[f]);
    for (int r = 0; r < VXE_FORMULA_COUNT; r++) free(scene->formulas[r]);
    for (int32_t n = 0; n < scene->foreign_count; n++) free(scene->foreign[n].path);
    free(scene->foreign);
}
