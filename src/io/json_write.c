/* Writes a scene in the native JSON format (docs/scene-format.md) so that reading gives the same scene, bit
 * by bit: what the scene has, in a form that a person can read. Voxels become layers of rows; members at
 * their default are left out where that helps. */
#include "io/json_members.h"

#include <stdlib.h>
#include <string.h>

/* --- materials, signals, regions --- */

static void write_material(vxe_json_writer *w, const vxe_material_def *def)
{
    const vxe_material_def standard = vxe_default_material_def();
    vxe_json_enter(w, NULL, "{", false);
    const vxe_json_row *rest = vxe_json_write_members(w, vxe_json_material, def, &standard);
    vxe_json_write_friction(w, def->static_friction, def->dynamic_friction);
    vxe_json_write_color(w, def->color);
    rest = vxe_json_write_members(w, rest, def, &standard);
    if (def->table_count > 0)
        vxe_json_write_points(w, "table", def->table_strain, def->table_stress, def->table_count);
    (void)vxe_json_write_members(w, rest, def, &standard);
    vxe_json_close(w, "}");
}

static void write_signal(vxe_json_writer *w, const vxe_signal_def *def)
{
    const vxe_signal_def standard = vxe_default_signal_def();
    vxe_json_enter(w, NULL, "{", false);
    const vxe_json_row *rest = vxe_json_write_members(w, vxe_json_signal, def, &standard);
    vxe_json_write_word(w, "waveform", vxe_waveforms, (int)def->waveform);
    (void)vxe_json_write_members(w, rest, def, &standard);
    if (def->table_count > 0)
        vxe_json_write_points(w, "table", def->table_time, def->table_value, def->table_count);
    vxe_json_close(w, "}");
}

static void write_shape_cells(vxe_json_writer *w, const vxe_shape *shape)
{
    vxe_json_enter(w, "cells", "[", true);
    for (int32_t n = 0; n < shape->cell_count; n++) {
        vxe_json_begin(w, NULL);
        vxe_json_break_line(w);
        vxe_json_open(w, "[", true);
        for (int a = 0; a < 3; a++) vxe_json_write_integer(w, NULL, shape->cells[3 * (size_t)n + (size_t)a]);
        vxe_json_close(w, "]");
    }
    vxe_json_close(w, "]");
}

/* The members of a shape; the object is open. */
static void write_shape(vxe_json_writer *w, const vxe_shape *shape)
{
    if (shape->kind == VXE_SHAPE_CELLS) {
        write_shape_cells(w, shape);
        return;
    }
    switch (shape->kind) {
    case VXE_SHAPE_BOX: vxe_json_begin(w, "box"); break;
    case VXE_SHAPE_SPHERE: vxe_json_begin(w, "sphere"); break;
    case VXE_SHAPE_CYLINDER: vxe_json_begin(w, "cylinder"); break;
    case VXE_SHAPE_ELLIPSOID: vxe_json_begin(w, "ellipsoid"); break;
    case VXE_SHAPE_CELLS: break;
    }
    vxe_json_open(w, "{", true);
    if (shape->kind == VXE_SHAPE_BOX) {
        vxe_json_write_vector(w, "corner", shape->corner);
        vxe_json_write_vector(w, "size", shape->sides);
    } else {
        vxe_json_write_vector(w, "center", shape->center);
        if (shape->kind == VXE_SHAPE_ELLIPSOID)
            vxe_json_write_vector(w, "radius", shape->radius);
        else
            vxe_json_write_number(w, "radius", shape->radius[0]);
    }
    if (shape->kind == VXE_SHAPE_CYLINDER) {
        vxe_json_write_word(w, "axis", vxe_axes, (int)shape->axis);
        vxe_json_write_number(w, "length", shape->length);
    }
    vxe_json_close(w, "}");
    vxe_json_write_word(w, "units", vxe_units_words, (int)shape->units);
    vxe_json_write_unless(w, "thickness", shape->thickness, 0.0);
    if (shape->touch != VXE_TOUCH_OVERLAP) vxe_json_write_word(w, "touch", vxe_touches, (int)shape->touch);
}

static void write_region(vxe_json_writer *w, const vxe_region_def *def)
{
    const vxe_region_def standard = vxe_default_region_def();
    vxe_json_enter(w, NULL, "{", false);
    const vxe_json_row *rest = vxe_json_write_members(w, vxe_json_region, def, &standard);
    write_shape(w, &def->shape);
    if (def->fixed == VXE_DOF_ALL) {
        vxe_json_write_text(w, "fixed", def->clamp ? "clamp" : "all");
    } else if (def->fixed != 0) {
        vxe_json_enter(w, "fixed", "[", true);
        for (const vxe_choice *dof = vxe_dofs; dof->word != NULL; dof++) {
            if ((def->fixed & (uint32_t)dof->value) != 0) vxe_json_write_text(w, NULL, dof->word);
        }
        vxe_json_close(w, "]");
    }
    rest = vxe_json_write_members(w, rest, def, &standard);
    if (def->has_pivot) vxe_json_write_vector(w, "pivot", def->pivot);
    (void)vxe_json_write_members(w, rest, def, &standard);
    vxe_json_close(w, "}");
}

/* --- stop, output, the whole --- */

static void write_stop(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_stop stop = vxe_scene_stop(scene);
    vxe_json_enter(w, "stop", "{", true);
    (void)vxe_json_write_members(w, vxe_json_stop, &stop, &(vxe_stop){.time = 0.0});
    vxe_json_write_formula(w, scene, "formula", VXE_FORMULA_STOP);
    vxe_json_close(w, "}");
}

static void write_output(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_output_def *output = vxe_scene_output(scene);
    vxe_json_enter(w, "output", "{", false);
    vxe_json_enter(w, "trace", "[", output->trace_count <= 4);
    for (int32_t i = 0; i < output->trace_count; i++) vxe_json_write_text(w, NULL, output->trace[i]);
    vxe_json_close(w, "]");
    (void)vxe_json_write_members(w, vxe_json_output + 1, output, &(vxe_output_def){.every = 0.0});
    vxe_json_close(w, "}");
}

static void write_experiment(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_experiment e = vxe_scene_experiment(scene);
    const vxe_json_writer before = *w;
    vxe_json_enter(w, "experiment", "{", false);
    (void)vxe_json_write_members(w, vxe_json_experiment, &e, &(vxe_experiment){.begin = 0.0});
    vxe_json_write_formula(w, scene, "fitness", VXE_FORMULA_FITNESS);
    vxe_json_write_formula(w, scene, "begin_when", VXE_FORMULA_BEGIN);
    vxe_json_write_formula(w, scene, "end_when", VXE_FORMULA_END);
    const bool empty = !w->filled[w->depth - 1];
    vxe_json_close(w, "}");
    if (empty) vxe_json_take_back(w, &before);
}

static void write_foreign(vxe_json_writer *w, const vxe_scene *scene)
{
    const char *path = NULL;
    const char *text = NULL;
    if (!vxe_scene_foreign(scene, 0, &path, &text)) return;
    vxe_json_enter(w, "foreign", "[", false);
    for (int32_t n = 0; vxe_scene_foreign(scene, n, &path, &text); n++) {
        vxe_json_enter(w, NULL, "{", true);
        vxe_json_write_text(w, "path", path);
        vxe_json_write_text(w, "text", text);
        vxe_json_close(w, "}");
    }
    vxe_json_close(w, "]");
}

static void write_scene(vxe_json_writer *w, const vxe_scene *scene)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    vxe_json_open(w, "{", false);
    vxe_json_write_integer(w, "voxelastic", VXE_SCENE_VERSION);
    if (vxe_scene_name(scene)[0] != '\0') vxe_json_write_text(w, "name", vxe_scene_name(scene));
    if (vxe_scene_description(scene)[0] != '\0')
        vxe_json_write_text(w, "description", vxe_scene_description(scene));
    vxe_json_enter(w, "lattice", "{", true);
    vxe_json_write_number(w, "pitch", vxe_scene_pitch(scene));
    vxe_json_write_cells(w, "size", size);
    vxe_json_close(w, "}");
    vxe_json_enter(w, "materials", "[", false);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++)
        write_material(w, vxe_scene_material(scene, m));
    vxe_json_close(w, "]");
    vxe_json_write_layers(w, scene);
    vxe_json_write_actuation(w, scene);
    vxe_json_write_parts(w, scene);
    vxe_json_write_fields(w, scene);
    vxe_json_enter(w, "regions", "[", false);
    for (int32_t n = 0; n < vxe_scene_region_count(scene); n++) write_region(w, vxe_scene_region(scene, n));
    vxe_json_close(w, "]");
    vxe_json_write_environment(w, scene);
    vxe_json_write_rules(w, scene);
    vxe_json_write_ground(w, scene);
    vxe_json_write_solids(w, scene);
    vxe_json_write_water(w, scene);
    vxe_json_write_starts(w, scene);
    vxe_json_enter(w, "signals", "[", false);
    for (int32_t n = 0; n < vxe_scene_signal_count(scene); n++) write_signal(w, vxe_scene_signal(scene, n));
    vxe_json_close(w, "]");
    write_stop(w, scene);
    write_output(w, scene);
    write_experiment(w, scene);
    write_foreign(w, scene);
    vxe_json_close(w, "}");
    vxe_json_put(w, "\n");
}

vxe_result vxe_scene_print_json(const vxe_scene *scene, char **text, vxe_error *error)
{
    if (scene == NULL || text == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    vxe_json_writer w = {0};
    write_scene(&w, scene);
    vxe_result result = VXE_OK;
    if (w.failed) {
        result = vxe_fail_memory(error, "the scene as JSON", w.capacity);
    } else if (w.used > VXE_SCENE_BYTES_MAX || vxe_json_count_values(w.text, w.used) > VXE_JSON_VALUES_MAX) {
        result = vxe_fail(error, VXE_ERROR_LIMIT,
                          "the scene is too large for JSON: it would have more than %zu bytes or %d values",
                          VXE_SCENE_BYTES_MAX, VXE_JSON_VALUES_MAX);
    }
    if (result != VXE_OK) {
        free(w.text);
        return result;
    }
    *text = w.text;
    return VXE_OK;
}

vxe_result vxe_scene_save_json(const vxe_scene *scene, const char *path, vxe_error *error)
{
    if (path == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    char *text = NULL;
    vxe_result result = vxe_scene_print_json(scene, &text, error);
    if (text == NULL) return result;
    result = vxe_write_file(path, text, strlen(text), error);
    free(text);
    return result;
}
