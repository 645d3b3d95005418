/* What bodies of a scene meet, and how they begin, for `voxelastic info`. */
#include "cli/info_world.h"

#include "base/words.h"
#include "cli/report.h"
#include "scene/choices.h"

#include <math.h>
#include <stdio.h>

#define SOLIDS_SHOWN 20 /* more are counted only */

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

static void find_heights(const vxe_ground_def *g, double *lowest, double *highest)
{
    *lowest = INFINITY;
    *highest = -INFINITY;
    for (size_t i = 0; i < (size_t)g->points[0] * (size_t)g->points[1]; i++) {
        *lowest = fmin(*lowest, g->heights[i]);
        *highest = fmax(*highest, g->heights[i]);
    }
    *lowest += g->origin[2];
    *highest += g->origin[2];
}

static const char *kind_of(const vxe_solid_def *d)
{
    static const char *const names[] = {"", "box", "sphere", "cylinder", "capsule", "cells"};
    return names[d->kind];
}

static int64_t cubes_of(const vxe_solid_def *d)
{
    int64_t cubes = 0;
    for (int64_t i = 0; d->filled != NULL && i < (int64_t)d->cells[0] * d->cells[1] * d->cells[2]; i++)
        cubes += d->filled[i];
    return cubes;
}

/* ---- for people ----------------------------------------------------------------------------------------------------- */

static void print_friction(bool has, double still, double sliding)
{
    if (has) printf(", friction %.4g and %.4g", still, sliding);
    printf("\n");
}

static void print_ground(const vxe_ground_def *g)
{
    double low = 0.0;
    double high = 0.0;
    find_heights(g, &low, &high);
    printf("\n  %-18s %s: %d x %d points, %s apart, from %s\n", "ground",
           vxe_choice_word(vxe_grounds, (int)g->kind), (int)g->points[0], (int)g->points[1],
           cli_quantity(g->spacing, "m").text, cli_vector(g->origin, "m").text);
    printf("  %-18s z from %s to ", "", cli_quantity(low, "m").text);
    printf("%s", cli_quantity(high, "m").text);
    print_friction(g->has_friction, g->static_friction, g->dynamic_friction);
}

static void print_solid(const vxe_solid_def *d)
{
    printf("    %-16s %s", d->name, kind_of(d));
    const bool round = d->kind != VXE_SOLID_BOX && d->kind != VXE_SOLID_CELLS;
    if (d->kind == VXE_SOLID_BOX) printf(" of %s", cli_vector(d->sides, "m").text);
    if (d->kind == VXE_SOLID_CELLS)
        printf(" of %s, %lld filled", cli_quantity(d->pitch, "m").text, (long long)cubes_of(d));
    if (round) printf(" of radius %s", cli_quantity(d->radius, "m").text);
    if (round && d->kind != VXE_SOLID_SPHERE) printf(" and length %s", cli_quantity(d->length, "m").text);
    printf(", at %s", cli_vector(d->center, "m").text);
    if (!is_zero(d->rotation)) printf(", turned by %s", cli_vector(d->rotation, "rad").text);
    print_friction(d->has_friction, d->static_friction, d->dynamic_friction);
}

static void print_water(const vxe_scene *scene, const vxe_water_def *w)
{
    printf("\n  %-18s %.6g kg/m^3, drag %.4g outwards and %.4g along faces, ", "water", w->density, w->normal,
           w->tangential);
    if (w->has_level) printf("up to z = %s\n", cli_quantity(w->level, "m").text);
    if (!w->has_level) printf("everywhere\n");
    for (int a = 0; a < 3; a++) {
        const char *flow = vxe_scene_formula(scene, (vxe_formula_role)(VXE_FORMULA_FLOW_X + a));
        if (flow[0] != '\0') printf("  %-18s flow %c = %s m/s\n", "", 'x' + a, flow);
    }
}

static void print_start(const vxe_start_def *d)
{
    const bool all = d->region[0] == '\0' && d->part[0] == '\0';
    printf("    %-16s", all ? "all" : d->part[0] != '\0' ? d->part : d->region);
    const char *separator = " ";
    const struct {
        const char *what;
        const double *value;
        const char *unit;
    } members[] = {{"moved by", d->displacement, "m"},
                   {"turned by", d->rotation, "rad"},
                   {"velocity", d->velocity, "m/s"},
                   {"spin", d->spin, "rad/s"}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (is_zero(members[i].value)) continue;
        printf("%s%s %s", separator, members[i].what, cli_vector(members[i].value, members[i].unit).text);
        separator = ", ";
    }
    printf("%s\n", separator[0] == ' ' ? " at rest" : "");
}

void cli_print_world(const vxe_scene *scene)
{
    const int32_t solids = vxe_scene_solid_count(scene);
    const int32_t starts = vxe_scene_start_count(scene);
    if (vxe_scene_ground(scene) != NULL) print_ground(vxe_scene_ground(scene));
    if (solids > 0) printf("\n  %-18s %d\n", "solids", (int)solids);
    for (int32_t n = 0; n < solids && n < SOLIDS_SHOWN; n++) print_solid(vxe_scene_solid(scene, n));
    if (solids > SOLIDS_SHOWN) printf("    and %d more\n", (int)(solids - SOLIDS_SHOWN));
    if (vxe_scene_water(scene) != NULL) print_water(scene, vxe_scene_water(scene));
    if (starts > 0) printf("\n  start\n");
    for (int32_t n = 0; n < starts && n < SOLIDS_SHOWN; n++) print_start(vxe_scene_start(scene, n));
    if (starts > SOLIDS_SHOWN) printf("    and %d more\n", (int)(starts - SOLIDS_SHOWN));
}

/* ---- for programs --------------------------------------------------------------------------------------------------- */

static json_t *json_friction(bool has, double still, double sliding)
{
    if (!has) return json_null();
    return json_pack("{s:o, s:o}", "static", cli_json_number(still), "dynamic", cli_json_number(sliding));
}

json_t *cli_json_ground(const vxe_scene *scene)
{
    const vxe_ground_def *g = vxe_scene_ground(scene);
    if (g == NULL) return json_null();
    double low = 0.0;
    double high = 0.0;
    find_heights(g, &low, &high);
    return json_pack(
        "{s:s, s:[i, i], s:o, s:o, s:o, s:o, s:o}", "kind", vxe_choice_word(vxe_grounds, (int)g->kind),
        "points", (int)g->points[0], (int)g->points[1], "spacing", cli_json_number(g->spacing), "origin",
        cli_json_vector(g->origin), "lowest", cli_json_number(low), "highest", cli_json_number(high),
        "friction", json_friction(g->has_friction, g->static_friction, g->dynamic_friction));
}

json_t *cli_json_solids(const vxe_scene *scene)
{
    json_t *list = json_array();
    for (int32_t n = 0; n < vxe_scene_solid_count(scene); n++) {
        const vxe_solid_def *d = vxe_scene_solid(scene, n);
        json_t *solid =
            json_pack("{s:o, s:s, s:o, s:o, s:o}", "name", cli_json_text(d->name), "kind", kind_of(d),
                      "center", cli_json_vector(d->center), "rotation", cli_json_vector(d->rotation),
                      "friction", json_friction(d->has_friction, d->static_friction, d->dynamic_friction));
        const bool round = d->kind != VXE_SOLID_BOX && d->kind != VXE_SOLID_CELLS;
        if (d->kind == VXE_SOLID_BOX) (void)json_object_set_new(solid, "size", cli_json_vector(d->sides));
        if (round) (void)json_object_set_new(solid, "radius", cli_json_number(d->radius));
        if (round && d->kind != VXE_SOLID_SPHERE)
            (void)json_object_set_new(solid, "length", cli_json_number(d->length));
        if (d->kind == VXE_SOLID_CELLS) {
            (void)json_object_set_new(solid, "pitch", cli_json_number(d->pitch));
            (void)json_object_set_new(solid, "filled", json_integer((json_int_t)cubes_of(d)));
        }
        (void)json_array_append_new(list, solid);
    }
    return list;
}

json_t *cli_json_water(const vxe_scene *scene)
{
    const vxe_water_def *w = vxe_scene_water(scene);
    if (w == NULL) return json_null();
    json_t *flow = json_array();
    for (int a = 0; a < 3; a++) {
        const vxe_formula_role role = (vxe_formula_role)(VXE_FORMULA_FLOW_X + a);
        (void)json_array_append_new(flow, cli_json_text(vxe_scene_formula(scene, role)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "density", cli_json_number(w->density), "normal_drag",
                     cli_json_number(w->normal), "tangential_drag", cli_json_number(w->tangential), "level",
                     w->has_level ? cli_json_number(w->level) : json_null(), "flow", flow);
}

json_t *cli_json_starts(const vxe_scene *scene)
{
    json_t *list = json_array();
    for (int32_t n = 0; n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *d = vxe_scene_start(scene, n);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "region", cli_json_text(d->region), "part",
                            cli_json_text(d->part), "velocity", cli_json_vector(d->velocity), "spin",
                            cli_json_vector(d->spin), "displacement", cli_json_vector(d->displacement),
                            "rotation", cli_json_vector(d->rotation)));
    }
    return list;
}
