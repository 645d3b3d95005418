/* The world that a scene's bodies live in, as JSON: environment, rules, ground, solids, water and start. */
#include "io/json_members.h"
#include "voxelastic/world.h"

/* Three formulas of a vector, from role `first` on, unless all are empty. */
static void write_formulas(vxe_json_writer *w, const vxe_scene *scene, const char *key,
                           vxe_formula_role first)
{
    const char *formulas[3];
    bool any = false;
    for (int a = 0; a < 3; a++) {
        formulas[a] = vxe_scene_formula(scene, (vxe_formula_role)((int)first + a));
        any = any || formulas[a][0] != '\0';
    }
    if (!any) return;
    vxe_json_enter(w, key, "[", true);
    for (int a = 0; a < 3; a++) vxe_json_write_text(w, NULL, formulas[a]);
    vxe_json_close(w, "]");
}

void vxe_json_write_environment(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_environment environment = vxe_scene_environment(scene);
    const vxe_environment standard = vxe_default_environment();
    vxe_json_enter(w, "environment", "{", false);
    vxe_json_write_vector(w, "gravity", environment.gravity);
    const vxe_json_row *rest = vxe_json_write_members(w, vxe_json_environment + 1, &environment, &standard);
    vxe_json_enter(w, "damping", "{", true);
    if (vxe_json_same_bits(environment.damping_stretch, environment.damping_rotation)) {
        vxe_json_write_number(w, "bond", environment.damping_stretch);
    } else {
        vxe_json_enter(w, "bond", "{", true);
        vxe_json_write_number(w, "stretch", environment.damping_stretch);
        vxe_json_write_number(w, "rotation", environment.damping_rotation);
        vxe_json_close(w, "}");
    }
    vxe_json_write_number(w, "contact", environment.damping_contact);
    vxe_json_write_number(w, "ground", environment.damping_ground);
    vxe_json_write_unless(w, "ground_turning", environment.damping_turning, 1.0);
    vxe_json_close(w, "}");
    (void)vxe_json_write_members(w, rest, &environment, &standard);
    write_formulas(w, scene, "force_field", VXE_FORMULA_FORCE_X);
    vxe_json_close(w, "}");
}

static void write_network(vxe_json_writer *w, const vxe_rule_def *def)
{
    if (def->output != VXE_OUTPUT_SIZE) vxe_json_write_text(w, "output", vxe_rule_output_names[def->output]);
    if (def->input_count == 0) return;
    vxe_json_enter(w, "inputs", "[", true);
    for (int32_t i = 0; i < def->input_count; i++) vxe_json_write_text(w, NULL, def->inputs[i]);
    vxe_json_close(w, "]");
    vxe_json_enter(w, "layers", "[", true);
    for (int32_t i = 0; i < def->layer_count; i++) vxe_json_write_integer(w, NULL, def->layers[i]);
    vxe_json_close(w, "]");
    vxe_json_enter(w, "weights", "[", true);
    for (int32_t i = 0; i < def->weight_count; i++) vxe_json_write_number(w, NULL, def->weights[i]);
    vxe_json_close(w, "]");
}

void vxe_json_write_rules(vxe_json_writer *w, const vxe_scene *scene)
{
    if (vxe_scene_rule_count(scene) == 0) return;
    vxe_json_enter(w, "rules", "[", false);
    for (int32_t n = 0; n < vxe_scene_rule_count(scene); n++) {
        const vxe_rule_def *def = vxe_scene_rule(scene, n);
        const vxe_rule_def standard = vxe_default_rule_def(def->kind);
        vxe_json_enter(w, NULL, "{", true);
        vxe_json_write_text(w, "kind", vxe_rule_kind_name(def->kind));
        for (size_t i = 0; i < vxe_rule_member_count; i++) {
            const vxe_json_row row = vxe_json_rule_row(&vxe_rule_members[i]);
            if ((vxe_rule_members[i].kinds >> def->kind & 1U) != 0)
                vxe_json_write_row(w, &row, def, &standard);
        }
        if (def->kind == VXE_RULE_CONTROL) write_network(w, def);
        vxe_json_close(w, "}");
    }
    vxe_json_close(w, "]");
}

void vxe_json_write_friction(vxe_json_writer *w, double still, double sliding)
{
    vxe_json_enter(w, "friction", "{", true);
    vxe_json_write_number(w, "static", still);
    vxe_json_write_number(w, "dynamic", sliding);
    vxe_json_close(w, "}");
}

/* With equal numbers in a row as runs. */
static void write_runs(vxe_json_writer *w, const char *key, const double *numbers, const uint8_t *flags,
                       size_t count)
{
    vxe_json_enter(w, key, "[", true);
    vxe_json_run run = {0.0, 0};
    for (size_t i = 0; i < count; i++) {
        const double number = numbers != NULL ? numbers[i] : flags[i];
        vxe_json_add_to_run(w, &run, number);
    }
    vxe_json_end_run(w, &run);
    vxe_json_close(w, "]");
}

void vxe_json_write_ground(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_ground_def *g = vxe_scene_ground(scene);
    if (g == NULL) return;
    vxe_json_enter(w, "ground", "{", false);
    vxe_json_write_word(w, "kind", vxe_grounds, (int)g->kind);
    vxe_json_enter(w, "points", "[", true);
    for (int a = 0; a < 2; a++) vxe_json_write_integer(w, NULL, g->points[a]);
    vxe_json_close(w, "]");
    vxe_json_write_number(w, "spacing", g->spacing);
    vxe_json_write_vector_unless_zero(w, "origin", g->origin);
    if (g->kind == VXE_GROUND_HEIGHTS) {
        write_runs(w, "heights", g->heights, NULL, (size_t)g->points[0] * (size_t)g->points[1]);
    } else {
        vxe_json_write_number(w, "height", g->height);
        vxe_json_write_number(w, "length", g->length);
        if (g->kind == VXE_GROUND_ROUGH && g->seed != 0) vxe_json_write_integer(w, "seed", g->seed);
    }
    if (g->has_friction) vxe_json_write_friction(w, g->static_friction, g->dynamic_friction);
    vxe_json_write_color(w, g->color);
    vxe_json_close(w, "}");
}

static void write_solid(vxe_json_writer *w, const vxe_solid_def *s)
{
    static const char *const kinds[] = {"", "box", "sphere", "cylinder", "capsule", "cells"};
    vxe_json_enter(w, NULL, "{", false);
    vxe_json_write_text(w, "name", s->name);
    vxe_json_enter(w, kinds[s->kind], "{", true);
    vxe_json_write_vector(w, "center", s->center);
    if (s->kind == VXE_SOLID_BOX) {
        vxe_json_write_vector(w, "size", s->sides);
    } else if (s->kind == VXE_SOLID_CELLS) {
        vxe_json_write_number(w, "pitch", s->pitch);
        vxe_json_write_cells(w, "size", s->cells);
        write_runs(w, "filled", NULL, s->filled,
                   (size_t)s->cells[0] * (size_t)s->cells[1] * (size_t)s->cells[2]);
    } else {
        vxe_json_write_number(w, "radius", s->radius);
        if (s->kind != VXE_SOLID_SPHERE) vxe_json_write_number(w, "length", s->length);
    }
    vxe_json_close(w, "}");
    vxe_json_write_vector_unless_zero(w, "rotation", s->rotation);
    if (s->has_friction) vxe_json_write_friction(w, s->static_friction, s->dynamic_friction);
    vxe_json_write_color(w, s->color);
    vxe_json_close(w, "}");
}

void vxe_json_write_solids(vxe_json_writer *w, const vxe_scene *scene)
{
    if (vxe_scene_solid_count(scene) == 0) return;
    vxe_json_enter(w, "solids", "[", false);
    for (int32_t n = 0; n < vxe_scene_solid_count(scene); n++) write_solid(w, vxe_scene_solid(scene, n));
    vxe_json_close(w, "]");
}

void vxe_json_write_water(vxe_json_writer *w, const vxe_scene *scene)
{
    const vxe_water_def *water = vxe_scene_water(scene);
    if (water == NULL) return;
    vxe_json_enter(w, "water", "{", false);
    (void)vxe_json_write_members(w, vxe_json_water, water, water);
    if (water->has_level) vxe_json_write_number(w, "level", water->level);
    write_formulas(w, scene, "flow", VXE_FORMULA_FLOW_X);
    vxe_json_close(w, "}");
}

void vxe_json_write_starts(vxe_json_writer *w, const vxe_scene *scene)
{
    if (vxe_scene_start_count(scene) == 0) return;
    vxe_json_enter(w, "start", "[", false);
    for (int32_t n = 0; n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *s = vxe_scene_start(scene, n);
        vxe_json_enter(w, NULL, "{", true);
        (void)vxe_json_write_members(w, vxe_json_start, s, &(vxe_start_def){.has_center = false});
        if (s->has_center) vxe_json_write_vector(w, "center", s->center);
        vxe_json_close(w, "}");
    }
    vxe_json_close(w, "]");
}
