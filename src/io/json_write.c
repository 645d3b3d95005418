/* Writes a scene in the native JSON format (docs/scene-format.md) so that reading gives the same scene, bit
 * by bit: what the scene has, in a form that a person can read. Voxels become layers of rows; members at
 * their default are left out where that helps. */
#include "io/json_text.h"

#include <stdlib.h>
#include <string.h>

/* --- materials, signals, regions --- */

static void write_material(vxe_json_writer *w, const vxe_material_def *def)
{
    const vxe_material_def standard = vxe_default_material_def();
    vxe_json_begin(w, NULL);
    vxe_json_open(w, "{", false);
    vxe_json_write_text(w, "name", def->name);
    vxe_json_write_number(w, "youngs_modulus", def->youngs_modulus);
    vxe_json_write_number(w, "poissons_ratio", def->poissons_ratio);
    vxe_json_write_number(w, "density", def->density);
    vxe_json_write_unless(w, "expansion", def->expansion, standard.expansion);
    vxe_json_begin(w, "friction");
    vxe_json_open(w, "{", true);
    vxe_json_write_number(w, "static", def->static_friction);
    vxe_json_write_number(w, "dynamic", def->dynamic_friction);
    vxe_json_close(w, "}");
    vxe_json_write_color(w, def->color);
    if (def->law != standard.law) vxe_json_write_word(w, "law", vxe_json_laws, (int)def->law);
    vxe_json_write_unless(w, "yield_stress", def->yield_stress, standard.yield_stress);
    vxe_json_write_unless(w, "plastic_modulus", def->plastic_modulus, standard.plastic_modulus);
    vxe_json_write_unless(w, "failure_stress", def->failure_stress, standard.failure_stress);
    if (def->table_count > 0)
        vxe_json_write_points(w, "table", def->table_strain, def->table_stress, def->table_count);
    if (def->signal[0] != '\0') vxe_json_write_text(w, "signal", def->signal);
    vxe_json_write_unless(w, "delay", def->delay, 0.0);
    vxe_json_write_if(w, "fixed", def->fixed);
    vxe_json_write_if(w, "unmeasured", def->unmeasured);
    vxe_json_write_if(w, "target", def->target);
    vxe_json_write_if(w, "rigid", def->rigid);
    vxe_json_write_unless(w, "ground_damping", def->ground_damping, standard.ground_damping);
    vxe_json_write_if(w, "transparent", def->transparent);
    vxe_json_close(w, "}");
}

static void write_signal(vxe_json_writer *w, const vxe_signal_def *def)
{
    vxe_json_begin(w, NULL);
    vxe_json_open(w, "{", false);
    vxe_json_write_text(w, "name", def->name);
    vxe_json_write_word(w, "waveform", vxe_json_waveforms, (int)def->waveform);
    vxe_json_write_number(w, "base", def->base);
    vxe_json_write_number(w, "reference", def->reference);
    vxe_json_write_number(w, "amplitude", def->amplitude);
    vxe_json_write_number(w, "period", def->period);
    vxe_json_write_unless(w, "phase", def->phase, 0.0);
    vxe_json_write_unless(w, "start", def->start, 0.0);
    vxe_json_write_if(w, "contract_only", def->contract_only);
    vxe_json_write_if(w, "cool_only", def->cool_only);
    vxe_json_write_unless(w, "delay", def->delay, 0.0);
    vxe_json_write_unless(w, "size_min", def->size_min, 0.0);
    vxe_json_write_unless(w, "size_max", def->size_max, 0.0);
    if (def->table_count > 0)
        vxe_json_write_points(w, "table", def->table_time, def->table_value, def->table_count);
    vxe_json_close(w, "}");
}

static void write_shape_cells(vxe_json_writer *w, const vxe_shape *shape)
{
    vxe_json_begin(w, "cells");
    vxe_json_open(w, "[", true);
    for (int32_t n = 0; n < shape->cell_count; n++) {
        vxe_json_begin(w, NULL);
        vxe_json_break_line(w);
        vxe_json_open(w, "[", true);
        for (int a = 0; a < 3; a++) {
            vxe_json_begin(w, NULL);
            vxe_json_put_integer(w, shape->cells[3 * (size_t)n + (size_t)a]);
        }
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
        vxe_json_write_vector(w, "size", shape->size);
    } else {
        vxe_json_write_vector(w, "center", shape->center);
        if (shape->kind == VXE_SHAPE_ELLIPSOID)
            vxe_json_write_vector(w, "radius", shape->radius);
        else
            vxe_json_write_number(w, "radius", shape->radius[0]);
    }
    if (shape->kind == VXE_SHAPE_CYLINDER) {
        vxe_json_write_word(w, "axis", vxe_json_axes, (int)shape->axis);
        vxe_json_write_number(w, "length", shape->length);
    }
    vxe_json_close(w, "}");
    vxe_json_write_word(w, "units", vxe_json_units, (int)shape->units);
    vxe_json_write_unless(w, "thickness", shape->thickness, 0.0);
    if (shape->touch != VXE_TOUCH_OVERLAP)
        vxe_json_write_word(w, "touch", vxe_json_touches, (int)shape->touch);
}

static void write_region(vxe_json_writer *w, const vxe_region_def *def)
{
    vxe_json_begin(w, NULL);
    vxe_json_open(w, "{", false);
    vxe_json_write_text(w, "name", def->name);
    write_shape(w, &def->shape);
    if (def->fixed == VXE_DOF_ALL) {
        vxe_json_write_text(w, "fixed", def->clamp ? "clamp" : "all");
    } else if (def->fixed != 0) {
        vxe_json_begin(w, "fixed");
        vxe_json_open(w, "[", true);
        for (const vxe_json_word *dof = vxe_json_dofs; dof->word != NULL; dof++) {
            if ((def->fixed & (uint32_t)dof->value) != 0) vxe_json_write_text(w, NULL, dof->word);
        }
        vxe_json_close(w, "]");
    }
    vxe_json_write_vector_unless_zero(w, "displacement", def->displacement);
    vxe_json_write_vector_unless_zero(w, "rotation", def->rotation);
    if (def->has_pivot) vxe_json_write_vector(w, "pivot", def->pivot);
    vxe_json_write_vector_unless_zero(w, "force", def->force);
    vxe_json_write_vector_unless_zero(w, "torque", def->torque);
    vxe_json_write_unless(w, "ramp", def->ramp, 0.0);
    vxe_json_write_if(w, "in_place", def->in_place);
    vxe_json_close(w, "}");
}

/* --- stop, output, the whole --- */

static void write_stop(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_stop stop = vxe_scene_stop(scene);
    vxe_json_begin(w, "stop");
    vxe_json_open(w, "{", true);
    vxe_json_write_unless(w, "time", stop.time, 0.0);
    if (stop.steps != 0) {
        vxe_json_begin(w, "steps");
        vxe_json_put_integer(w, stop.steps);
    }
    vxe_json_write_unless(w, "cycles", stop.cycles, 0.0);
    vxe_json_write_unless(w, "kinetic_energy", stop.kinetic_energy, 0.0);
    vxe_json_write_unless(w, "speed", stop.speed, 0.0);
    vxe_json_write_unless(w, "settle", stop.settle, 0.0);
    vxe_json_write_count_unless_zero(w, "settle_steps", stop.settle_steps);
    vxe_json_write_unless(w, "energy_change", stop.energy_change, 0.0);
    vxe_json_write_unless(w, "movement", stop.movement, 0.0);
    vxe_json_write_unless(w, "after", stop.after, 0.0);
    vxe_json_write_count_unless_zero(w, "after_steps", stop.after_steps);
    vxe_json_write_formula(w, scene, "formula", VXE_FORMULA_STOP);
    vxe_json_close(w, "}");
}

static void write_output(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_output_def *output = vxe_scene_output(scene);
    vxe_json_begin(w, "output");
    vxe_json_open(w, "{", false);
    vxe_json_begin(w, "trace");
    vxe_json_open(w, "[", output->trace_count <= 4);
    for (int32_t i = 0; i < output->trace_count; i++) vxe_json_write_text(w, NULL, output->trace[i]);
    vxe_json_close(w, "]");
    vxe_json_write_unless(w, "every", output->every, 0.0);
    vxe_json_write_unless(w, "checkpoint_every", output->checkpoint_every, 0.0);
    vxe_json_close(w, "}");
}

static void write_experiment(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_experiment e = vxe_scene_experiment(scene);
    const bool formulas = vxe_scene_formula(scene, VXE_FORMULA_FITNESS)[0] != '\0' ||
                          vxe_scene_formula(scene, VXE_FORMULA_BEGIN)[0] != '\0' ||
                          vxe_scene_formula(scene, VXE_FORMULA_END)[0] != '\0';
    if (!formulas && e.dialect == VXE_DIALECT_AUTO && e.result_file[0] == '\0' && e.trace_every == 0.0 &&
        !e.by_volume && e.volume_exponent == 0.0 && e.begin == 0.0 && e.restart == 0.0 &&
        e.history_every == 0.0 && !e.history_voxels && !e.history_links && !e.positions &&
        e.pair_distance == 0.0 && e.fall[0] == '\0' && e.needle[0] == '\0' && e.block[0] == '\0' &&
        e.afterlife == 0.0 && e.group_at == 0.0 && !e.history_inside && !e.history_moving &&
        e.history_bodies[0] == '\0')
        return;
    vxe_json_begin(w, "experiment");
    vxe_json_open(w, "{", false);
    if (e.dialect != VXE_DIALECT_AUTO) vxe_json_write_word(w, "dialect", vxe_json_dialects, (int)e.dialect);
    if (e.result_file[0] != '\0') vxe_json_write_text(w, "result_file", e.result_file);
    if (e.result_path[0] != '\0') vxe_json_write_text(w, "result_path", e.result_path);
    vxe_json_write_unless(w, "trace_every", e.trace_every, 0.0);
    vxe_json_write_if(w, "by_volume", e.by_volume);
    vxe_json_write_unless(w, "volume_exponent", e.volume_exponent, 0.0);
    vxe_json_write_unless(w, "begin", e.begin, 0.0);
    vxe_json_write_unless(w, "restart", e.restart, 0.0);
    vxe_json_write_unless(w, "history_every", e.history_every, 0.0);
    vxe_json_write_if(w, "history_voxels", e.history_voxels);
    vxe_json_write_if(w, "history_links", e.history_links);
    vxe_json_write_if(w, "positions", e.positions);
    vxe_json_write_unless(w, "pair_distance", e.pair_distance, 0.0);
    if (e.fall[0] != '\0') vxe_json_write_text(w, "fall", e.fall);
    if (e.needle[0] != '\0') vxe_json_write_text(w, "needle", e.needle);
    if (e.block[0] != '\0') vxe_json_write_text(w, "block", e.block);
    vxe_json_write_unless(w, "afterlife", e.afterlife, 0.0);
    vxe_json_write_unless(w, "group_at", e.group_at, 0.0);
    vxe_json_write_if(w, "history_inside", e.history_inside);
    vxe_json_write_if(w, "history_moving", e.history_moving);
    if (e.history_bodies[0] != '\0') vxe_json_write_text(w, "history_bodies", e.history_bodies);
    vxe_json_write_formula(w, scene, "fitness", VXE_FORMULA_FITNESS);
    vxe_json_write_formula(w, scene, "begin_when", VXE_FORMULA_BEGIN);
    vxe_json_write_formula(w, scene, "end_when", VXE_FORMULA_END);
    vxe_json_close(w, "}");
}

static void write_foreign(vxe_json_writer *w, const vxe_scene *scene)
{
    const char *path = NULL;
    const char *text = NULL;
    if (!vxe_scene_foreign(scene, 0, &path, &text)) return;
    vxe_json_begin(w, "foreign");
    vxe_json_open(w, "[", false);
    for (int32_t n = 0; vxe_scene_foreign(scene, n, &path, &text); n++) {
        vxe_json_begin(w, NULL);
        vxe_json_open(w, "{", true);
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
    vxe_json_begin(w, "voxelastic");
    vxe_json_put_integer(w, VXE_SCENE_VERSION);
    if (vxe_scene_name(scene)[0] != '\0') vxe_json_write_text(w, "name", vxe_scene_name(scene));
    if (vxe_scene_description(scene)[0] != '\0')
        vxe_json_write_text(w, "description", vxe_scene_description(scene));
    vxe_json_begin(w, "lattice");
    vxe_json_open(w, "{", true);
    vxe_json_write_number(w, "pitch", vxe_scene_pitch(scene));
    vxe_json_write_cells(w, "size", size);
    vxe_json_close(w, "}");
    vxe_json_begin(w, "materials");
    vxe_json_open(w, "[", false);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++)
        write_material(w, vxe_scene_material(scene, m));
    vxe_json_close(w, "]");
    vxe_json_write_layers(w, scene);
    vxe_json_write_actuation(w, scene);
    vxe_json_write_parts(w, scene);
    vxe_json_write_fields(w, scene);
    vxe_json_begin(w, "regions");
    vxe_json_open(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_region_count(scene); n++) write_region(w, vxe_scene_region(scene, n));
    vxe_json_close(w, "]");
    vxe_json_write_environment(w, scene);
    vxe_json_write_rules(w, scene);
    vxe_json_write_ground(w, scene);
    vxe_json_write_solids(w, scene);
    vxe_json_write_water(w, scene);
    vxe_json_write_starts(w, scene);
    vxe_json_begin(w, "signals");
    vxe_json_open(w, "[", false);
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
