/* Ground, solids, water and start as JSON: a part of json_write.c, which includes it. */
#ifndef IO_JSON_WRITE_WORLD_H
#define IO_JSON_WRITE_WORLD_H

static void write_friction(writer *w, bool has, double still, double sliding)
{
    if (!has) return;
    begin(w, "friction");
    open_bracket(w, "{", true);
    write_number(w, "static", still);
    write_number(w, "dynamic", sliding);
    close_bracket(w, "}");
}

/* With equal numbers in a row as runs. */
static void write_runs(writer *w, const char *key, const double *numbers, const uint8_t *flags, size_t count)
{
    begin(w, key);
    open_bracket(w, "[", true);
    run_writer run = {0.0, 0};
    for (size_t i = 0; i < count; i++) {
        const double number = numbers != NULL ? numbers[i] : flags[i];
        add_to_run(w, &run, number);
    }
    end_run(w, &run);
    close_bracket(w, "]");
}

static void write_ground(writer *w, const vxe_scene *scene)
{
    const vxe_ground_def *g = vxe_scene_ground(scene);
    if (g == NULL) return;
    begin(w, "ground");
    open_bracket(w, "{", false);
    write_word(w, "kind", vxe_json_grounds, (int)g->kind);
    begin(w, "points");
    open_bracket(w, "[", true);
    for (int a = 0; a < 2; a++) {
        begin(w, NULL);
        put_integer(w, g->points[a]);
    }
    close_bracket(w, "]");
    write_number(w, "spacing", g->spacing);
    write_vector_unless_zero(w, "origin", g->origin);
    if (g->kind == VXE_GROUND_HEIGHTS) {
        write_runs(w, "heights", g->heights, NULL, (size_t)g->points[0] * (size_t)g->points[1]);
    } else {
        write_number(w, "height", g->height);
        write_number(w, "length", g->length);
        if (g->seed != 0) {
            begin(w, "seed");
            put_integer(w, g->seed);
        }
    }
    write_friction(w, g->has_friction, g->static_friction, g->dynamic_friction);
    write_color(w, g->color);
    close_bracket(w, "}");
}

static void write_solid(writer *w, const vxe_solid_def *s)
{
    static const char *const kinds[] = {"", "box", "sphere", "cylinder", "capsule", "cells"};
    begin(w, NULL);
    open_bracket(w, "{", false);
    write_text(w, "name", s->name);
    begin(w, kinds[s->kind]);
    open_bracket(w, "{", true);
    write_vector(w, "center", s->center);
    if (s->kind == VXE_SOLID_BOX) {
        write_vector(w, "size", s->size);
    } else if (s->kind == VXE_SOLID_CELLS) {
        write_number(w, "pitch", s->pitch);
        write_cells(w, "size", s->cells);
        write_runs(w, "filled", NULL, s->filled,
                   (size_t)s->cells[0] * (size_t)s->cells[1] * (size_t)s->cells[2]);
    } else {
        write_number(w, "radius", s->radius);
        if (s->kind != VXE_SOLID_SPHERE) write_number(w, "length", s->length);
    }
    close_bracket(w, "}");
    write_vector_unless_zero(w, "rotation", s->rotation);
    write_friction(w, s->has_friction, s->static_friction, s->dynamic_friction);
    write_color(w, s->color);
    close_bracket(w, "}");
}

static void write_solids(writer *w, const vxe_scene *scene)
{
    if (vxe_scene_solid_count(scene) == 0) return;
    begin(w, "solids");
    open_bracket(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_solid_count(scene); n++) write_solid(w, vxe_scene_solid(scene, n));
    close_bracket(w, "]");
}

static void write_water(writer *w, const vxe_scene *scene)
{
    const vxe_water_def *water = vxe_scene_water(scene);
    if (water == NULL) return;
    begin(w, "water");
    open_bracket(w, "{", false);
    write_number(w, "density", water->density);
    write_number(w, "normal_drag", water->normal);
    write_number(w, "tangential_drag", water->tangential);
    if (water->has_level) write_number(w, "level", water->level);
    bool flows = false;
    for (int a = 0; a < 3; a++)
        flows = flows || vxe_scene_formula(scene, (vxe_formula_role)(VXE_FORMULA_FLOW_X + a))[0] != '\0';
    if (flows) {
        begin(w, "flow");
        open_bracket(w, "[", true);
        for (int a = 0; a < 3; a++)
            write_text(w, NULL, vxe_scene_formula(scene, (vxe_formula_role)(VXE_FORMULA_FLOW_X + a)));
        close_bracket(w, "]");
    }
    close_bracket(w, "}");
}

static void write_starts(writer *w, const vxe_scene *scene)
{
    if (vxe_scene_start_count(scene) == 0) return;
    begin(w, "start");
    open_bracket(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *s = vxe_scene_start(scene, n);
        begin(w, NULL);
        open_bracket(w, "{", true);
        if (s->region[0] != '\0') write_text(w, "region", s->region);
        if (s->part[0] != '\0') write_text(w, "part", s->part);
        write_vector_unless_zero(w, "velocity", s->velocity);
        write_vector_unless_zero(w, "spin", s->spin);
        write_vector_unless_zero(w, "displacement", s->displacement);
        write_vector_unless_zero(w, "rotation", s->rotation);
        if (s->has_center) write_vector(w, "center", s->center);
        close_bracket(w, "}");
    }
    close_bracket(w, "]");
}

#endif
