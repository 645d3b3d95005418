/* voxelastic info: what is in a scene.
 *
 * As `check`, it does everything that `run` does before its first step, so what it accepts will run. */
#include "cli/info_rules.h"
#include "cli/info_world.h"
#include "cli/options.h"
#include "cli/report.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what both forms need --- */

/* The degrees of freedom in a mask: "x y rz". */
static void print_dofs(uint32_t mask, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const vxe_choice *dof = vxe_dofs; dof->word != NULL; dof++) {
        if ((mask & (uint32_t)dof->value) != 0 && used + 4 < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " ", dof->word);
        }
    }
}

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

/* Voxels of each material, [0] unused; NULL if there is no memory. */
static int64_t *count_materials(const vxe_model_view *view)
{
    int64_t *counts = calloc((size_t)view->material_count + 1, sizeof *counts);
    for (int32_t v = 0; counts != NULL && v < view->voxel_count; v++) counts[view->material[v]]++;
    return counts;
}

/* First and last lattice coordinate in use along each axis. */
static void find_extent(const vxe_model_view *view, int32_t first[3], int32_t last[3])
{
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = INT32_MAX;
        last[axis] = -1;
        for (int32_t v = 0; v < view->voxel_count; v++) {
            const int32_t at = view->cell[axis][v];
            first[axis] = at < first[axis] ? at : first[axis];
            last[axis] = at > last[axis] ? at : last[axis];
        }
    }
}

/* --- for people --- */

static void print_materials(const cli_subject *s, const vxe_model_view *view, const int64_t *counts)
{
    printf("\n  materials\n");
    for (int32_t m = 1; m <= view->material_count; m++) {
        const vxe_material_def *def = vxe_scene_material(s->scene, m);
        char line[320] = "";
        vxe_append(line, sizeof line, "%s, nu %.4g, %.4g kg/m^3",
                   cli_quantity(def->youngs_modulus, "Pa").text, def->poissons_ratio, def->density);
        if (def->rigid) vxe_append(line, sizeof line, ", rigid");
        if (def->law != VXE_LAW_LINEAR) {
            vxe_append(line, sizeof line, ", %s", vxe_choice_word(vxe_laws, (int)def->law));
        }
        if (def->failure_stress > 0.0) {
            vxe_append(line, sizeof line, ", breaks at %s", cli_quantity(def->failure_stress, "Pa").text);
        }
        if (def->expansion != 0.0) {
            vxe_append(line, sizeof line, ", expansion %.4g 1/K", def->expansion);
            if (def->signal[0] != '\0') vxe_append(line, sizeof line, " by \"%s\"", def->signal);
        }
        printf("    %-16s %9" PRId64 " voxels  %s\n", def->name, counts[m], line);
    }
}

static void print_regions(const cli_subject *s, const vxe_model_view *view)
{
    printf("\n  regions%s\n", view->region_count == 0 ? "            none" : "");
    for (int32_t r = 0; r < view->region_count; r++) {
        const vxe_region_def *def = vxe_scene_region(s->scene, r);
        char line[512] = "";
        char dofs[32];
        print_dofs(def->fixed, dofs, sizeof dofs);
        if (def->fixed != 0) vxe_append(line, sizeof line, "  holds %s", dofs);
        const struct {
            const char *what, *unit;
            const double *value;
        } vectors[] = {{"moves by", "m", def->displacement},
                       {"turns by", "rad", def->rotation},
                       {"force", "N", def->force},
                       {"torque", "N m", def->torque}};
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
            if (!is_zero(vectors[i].value))
                vxe_append(line, sizeof line, "  %s %s", vectors[i].what,
                           cli_vector(vectors[i].value, vectors[i].unit).text);
        }
        if (def->ramp > 0.0) vxe_append(line, sizeof line, "  within %s", cli_quantity(def->ramp, "s").text);
        if (line[0] == '\0') vxe_append(line, sizeof line, "  only watches");
        printf("    %-16s %9" PRId32 " voxels%s\n", def->name,
               view->region_begin[r + 1] - view->region_begin[r], line);
    }
}

static void print_environment(const cli_subject *s)
{
    const vxe_environment e = vxe_scene_environment(s->scene);
    printf("\n  environment\n");
    printf("    %-16s %s\n", "gravity", is_zero(e.gravity) ? "none" : cli_vector(e.gravity, "m/s^2").text);
    char floor[96] = "none";
    if (e.floor) (void)snprintf(floor, sizeof floor, "at z = 0%s", e.floor_sticky ? ", sticky" : "");
    if (e.floor && e.floor_radius > 0.0) {
        vxe_append(floor, sizeof floor, ", a disc of radius %s", cli_quantity(e.floor_radius, "m").text);
    }
    printf("    %-16s %s\n", "floor", floor);
    if (e.drag > 0.0) printf("    %-16s drag %.6g kg/m^3 on free faces\n", "fluid", e.drag);
    for (int a = 0; a < 3; a++) {
        const char *formula = vxe_scene_formula(s->scene, (vxe_formula_role)(VXE_FORMULA_FORCE_X + a));
        if (formula[0] != '\0') printf("    %s%c          %s N\n", "force ", 'x' + a, formula);
    }
    if (e.kinetic_damping) {
        printf("    %-16s all motion stops when the kinetic energy has peaked\n", "kinetic damping");
    }
    printf("    %-16s stretch %.4g, rotation %.4g, contact %.4g, ground %.4g", "damping ratios",
           e.damping_stretch, e.damping_rotation, e.damping_contact, e.damping_ground);
    if (e.damping_turning != 1.0) printf(" (turning %.4g times)", e.damping_turning);
    printf("\n");
    printf("    %-16s %s%s\n", "elasticity", vxe_choice_word(vxe_elasticities, (int)e.elasticity),
           e.links_unbalanced ? ", links out of balance" : "");
    if (e.plane != VXE_PLANE_NONE) {
        printf("    %-16s %s\n", "plane", vxe_choice_word(vxe_planes, (int)e.plane));
    }
    if (e.collisions == VXE_COLLISIONS_OFF) {
        printf("    %-16s off\n", "collisions");
    } else {
        printf("    %-16s %s, at %.4g voxels%s, horizon %.4g voxels\n", "collisions",
               vxe_choice_word(vxe_collisions_words, (int)e.collisions), e.collision_distance,
               e.collision_smooth ? ", without friction" : "", e.collision_horizon);
    }
}

static void print_signals(const cli_subject *s)
{
    const int32_t count = vxe_scene_signal_count(s->scene);
    printf("\n  signals%s\n", count == 0 ? "            none" : "");
    for (int32_t i = 0; i < count; i++) {
        const vxe_signal_def *def = vxe_scene_signal(s->scene, i);
        printf("    %-16s %s, base %.4g K, reference %.4g K, amplitude %.4g K, period %s, phase %.4g%s\n",
               def->name, vxe_choice_word(vxe_waveforms, (int)def->waveform), def->base, def->reference,
               def->amplitude, cli_quantity(def->period, "s").text, def->phase,
               def->contract_only ? ", contract only" : "");
        if (def->cool_only) printf("    %-16s values above the reference are cut off\n", "");
        if (def->delay > 0.0) printf("    %-16s from %s on\n", "", cli_quantity(def->delay, "s").text);
        if (def->size_min > 0.0 || def->size_max > 0.0) {
            printf("    %-16s sizes from %.4g to %.4g pitches\n", "",
                   def->size_min > 0.0 ? def->size_min : 0.1, def->size_max > 0.0 ? def->size_max : 3.0);
        }
    }
}

/* Numbers of single voxels: how many have one, and their range. */
static void print_fields(const cli_subject *s, const vxe_model_view *view)
{
    bool special[3] = {false, false, false};
    for (int f = -3; f < VXE_FIELD_COUNT; f++) {
        static const char *const own[3] = {"phase", "amplitude", "period"};
        double least = INFINITY;
        double most = -INFINITY;
        int64_t count = 0;
        for (int32_t v = 0; v < view->voxel_count; v++) {
            const int32_t i = view->cell[0][v];
            const int32_t j = view->cell[1][v];
            const int32_t k = view->cell[2][v];
            double value = 0.0;
            if (f >= 0) {
                value = vxe_scene_field(s->scene, (vxe_field)f, i, j, k);
                count += value != 0.0;
                if (value == 0.0) continue;
            } else {
                const vxe_actuation a = vxe_scene_actuation(s->scene, i, j, k);
                value = f == -3 ? a.phase : f == -2 ? a.amplitude : a.period;
                special[f + 3] = special[f + 3] || value != (f == -3 ? 0.0 : 1.0);
                count++;
            }
            least = fmin(least, value);
            most = fmax(most, value);
        }
        if (f >= 0 ? count == 0 : !special[f + 3]) continue;
        printf("    %-16s %9" PRId64 " voxels  %.6g to %.6g\n",
               f >= 0 ? vxe_field_name((vxe_field)f) : own[f + 3], count, least, most);
    }
}

static void print_stop(const cli_subject *s)
{
    const vxe_stop stop = vxe_scene_stop(s->scene);
    char line[512] = "";
    if (stop.time > 0.0) vxe_append(line, sizeof line, ", at %s", cli_quantity(stop.time, "s").text);
    if (stop.steps > 0) vxe_append(line, sizeof line, ", after %" PRId64 " steps", stop.steps);
    if (stop.cycles > 0.0) vxe_append(line, sizeof line, ", after %.6g cycles", stop.cycles);
    if (stop.kinetic_energy > 0.0) {
        vxe_append(line, sizeof line, ", kinetic energy below %s",
                   cli_quantity(stop.kinetic_energy, "J").text);
    }
    if (stop.speed > 0.0) {
        vxe_append(line, sizeof line, ", speed below %s", cli_quantity(stop.speed, "m/s").text);
    }
    if (stop.energy_change > 0.0) {
        vxe_append(line, sizeof line, ", energy steady within %s",
                   cli_quantity(stop.energy_change, "J").text);
    }
    if (stop.movement > 0.0) {
        vxe_append(line, sizeof line, ", movement below %s per step", cli_quantity(stop.movement, "m").text);
    }
    if (stop.formula) {
        vxe_append(line, sizeof line, ", when %.100s > 0", vxe_scene_formula(s->scene, VXE_FORMULA_STOP));
    }
    if (stop.after > 0.0) {
        vxe_append(line, sizeof line, ", not before %s", cli_quantity(stop.after, "s").text);
    }
    if (stop.after_steps > 0) vxe_append(line, sizeof line, ", not before step %" PRId64, stop.after_steps);
    printf("\n  %-18s %s\n", "stop",
           line[0] == '\0' ? "no condition: a run needs --time or --steps" : line + 2);
}

static void print_trace(const cli_subject *s)
{
    const vxe_output_def *output = vxe_scene_output(s->scene);
    printf("  %-18s ", "trace");
    for (int32_t i = 0; i < output->trace_count; i++) printf("%s%s", i == 0 ? "" : ", ", output->trace[i]);
    printf("%s", output->trace_count == 0 ? "the standard quantities" : "");
    if (output->every > 0.0) printf(", every %s", cli_quantity(output->every, "s").text);
    printf("\n");
}

static void print_notes(const cli_subject *s)
{
    const int32_t count = vxe_notes_count(s->notes);
    if (count > 0) printf("\n  remarks on the file\n");
    for (int32_t i = 0; i < count; i++) {
        const vxe_note *note = vxe_notes_get(s->notes, i);
        char line[32] = "";
        if (note->line > 0) (void)snprintf(line, sizeof line, "line %d", (int)note->line);
        printf("    %-10s %-13s %s: %s\n", line, vxe_note_kind_name(note->kind), note->what, note->text);
    }
}

static void print_info(const cli_subject *s, const int64_t *counts)
{
    const vxe_model_view *view = vxe_model_get(s->model);
    const vxe_time_step step = vxe_sim_time_step(s->sim);
    int32_t first[3];
    int32_t last[3];
    char cause[256];
    find_extent(view, first, last);
    cli_describe_time_step(s->model, &step, cause, sizeof cause);

    const char *name = vxe_scene_name(s->scene);
    printf("%s%s%s\n", s->label, name[0] == '\0' ? "" : ": ", name);
    if (vxe_scene_description(s->scene)[0] != '\0') printf("\n%s\n", vxe_scene_description(s->scene));
    printf("\n  %-18s %d x %d x %d voxels of %s\n", "workspace", (int)view->size[0], (int)view->size[1],
           (int)view->size[2], cli_quantity(view->pitch, "m").text);
    printf("  %-18s %.6g x %.6g x %.6g mm\n", "size of the body",
           1e3 * view->pitch * (last[0] - first[0] + 1), 1e3 * view->pitch * (last[1] - first[1] + 1),
           1e3 * view->pitch * (last[2] - first[2] + 1));
    printf("  %-18s %d (%d at the surface), %d links, %d %s\n", "voxels", (int)view->voxel_count,
           (int)view->surface_count, (int)view->link_count, (int)view->body_count,
           view->body_count == 1 ? "body" : "bodies");
    if (view->reserved_count > 0)
        printf("  %-18s %d of them are not there at the start: they may grow\n", "",
               (int)view->reserved_count);
    printf("  %-18s %s\n", "mass", cli_mass(view->mass).text);
    print_materials(s, view, counts);
    print_regions(s, view);
    print_environment(s);
    cli_print_world(s->scene);
    print_signals(s);
    print_fields(s, view);
    cli_print_rules(s->scene);
    print_stop(s);
    print_trace(s);
    const double fraction = vxe_sim_settings(s->sim).dt_fraction;
    const bool damped = step.dt < (1.0 - 1e-9) * fraction * step.limit; /* which limits it further */
    printf("  %-18s %s, %.4g of the limit %s\n", "time step", cli_quantity(step.dt, "s").text,
           damped ? step.dt / step.limit : fraction, cli_quantity(step.limit, "s").text);
    if (damped) {
        printf("  %-18s longer ones would weaken bond damping\n", "");
    } else if (cause[0] != '\0') {
        printf("  %-18s set by %s\n", "", cause);
    }
    printf("  %-18s model %s, simulation %s\n", "memory", cli_bytes(vxe_model_bytes(s->model)).text,
           cli_bytes(vxe_sim_bytes(s->sim)).text);
    print_notes(s);
}

/* --- for programs --- */

static json_t *json_materials(const cli_subject *s, const vxe_model_view *view, const int64_t *counts)
{
    json_t *list = json_array();
    for (int32_t m = 1; m <= view->material_count; m++) {
        const vxe_material_def *d = vxe_scene_material(s->scene, m);
        (void)json_array_append_new(
            list,
            json_pack("{s:o, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "name",
                      cli_json_text(d->name), "voxels", (json_int_t)counts[m], "rigid", d->rigid ? 1 : 0,
                      "youngs_modulus", cli_json_number(d->youngs_modulus), "poissons_ratio",
                      cli_json_number(d->poissons_ratio), "density", cli_json_number(d->density), "expansion",
                      cli_json_number(d->expansion), "static_friction", cli_json_number(d->static_friction),
                      "dynamic_friction", cli_json_number(d->dynamic_friction), "law",
                      vxe_choice_word(vxe_laws, (int)d->law), "failure_stress",
                      cli_json_number(d->failure_stress), "voxel_mass", cli_json_number(view->voxel_mass[m]),
                      "signal", cli_json_text(d->signal)));
    }
    return list;
}

static json_t *json_regions(const cli_subject *s, const vxe_model_view *view)
{
    json_t *list = json_array();
    for (int32_t r = 0; r < view->region_count; r++) {
        const vxe_region_def *d = vxe_scene_region(s->scene, r);
        char dofs[32];
        print_dofs(d->fixed, dofs, sizeof dofs);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_text(d->name),
                            "voxels", (int)(view->region_begin[r + 1] - view->region_begin[r]), "fixed", dofs,
                            "displacement", cli_json_vector(d->displacement), "rotation",
                            cli_json_vector(d->rotation), "force", cli_json_vector(d->force), "torque",
                            cli_json_vector(d->torque), "ramp", cli_json_number(d->ramp)));
    }
    return list;
}

static json_t *json_environment(const cli_subject *s)
{
    const vxe_environment e = vxe_scene_environment(s->scene);
    return json_pack("{s:o, s:b, s:{s:o, s:o, s:o, s:o, s:o}, s:s, s:s, s:s, s:o, s:o, s:b, s:b}", "gravity",
                     cli_json_vector(e.gravity), "floor", (int)e.floor, "damping", "stretch",
                     cli_json_number(e.damping_stretch), "rotation", cli_json_number(e.damping_rotation),
                     "contact", cli_json_number(e.damping_contact), "ground",
                     cli_json_number(e.damping_ground), "ground_turning", cli_json_number(e.damping_turning),
                     "elasticity", vxe_choice_word(vxe_elasticities, (int)e.elasticity), "plane",
                     vxe_choice_word(vxe_planes, (int)e.plane), "collisions",
                     vxe_choice_word(vxe_collisions_words, (int)e.collisions), "collision_horizon",
                     cli_json_number(e.collision_horizon), "collision_distance",
                     cli_json_number(e.collision_distance), "collision_smooth", (int)e.collision_smooth,
                     "links_unbalanced", (int)e.links_unbalanced);
}

static json_t *json_signals(const cli_subject *s)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < vxe_scene_signal_count(s->scene); i++) {
        const vxe_signal_def *d = vxe_scene_signal(s->scene, i);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name", cli_json_text(d->name),
                            "waveform", vxe_choice_word(vxe_waveforms, (int)d->waveform), "base",
                            cli_json_number(d->base), "reference", cli_json_number(d->reference), "amplitude",
                            cli_json_number(d->amplitude), "period", cli_json_number(d->period), "phase",
                            cli_json_number(d->phase), "start", cli_json_number(d->start), "contract_only",
                            (int)d->contract_only));
    }
    return list;
}

static json_t *json_stop(const cli_subject *s)
{
    const vxe_stop stop = vxe_scene_stop(s->scene);
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:o}", "time",
                     cli_json_number(stop.time), "steps", (json_int_t)stop.steps, "cycles",
                     cli_json_number(stop.cycles), "kinetic_energy", cli_json_number(stop.kinetic_energy),
                     "speed", cli_json_number(stop.speed), "settle", cli_json_number(stop.settle),
                     "settle_steps", (json_int_t)stop.settle_steps, "energy_change",
                     cli_json_number(stop.energy_change), "movement", cli_json_number(stop.movement), "after",
                     cli_json_number(stop.after), "after_steps", (json_int_t)stop.after_steps, "formula",
                     cli_json_text(vxe_scene_formula(s->scene, VXE_FORMULA_STOP)));
}

static json_t *json_trace(const cli_subject *s)
{
    json_t *list = json_array();
    for (int32_t c = 0; c < vxe_trace_columns(s->trace); c++) {
        (void)json_array_append_new(list, cli_json_text(vxe_trace_column(s->trace, c)));
    }
    return list;
}

static json_t *make_json(const cli_subject *s, const int64_t *counts)
{
    const vxe_model_view *view = vxe_model_get(s->model);
    const vxe_time_step step = vxe_sim_time_step(s->sim);
    int32_t first[3];
    int32_t last[3];
    double size[3];
    char hash[20];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, vxe_model_hash(s->model));
    find_extent(view, first, last);
    for (int axis = 0; axis < 3; axis++) size[axis] = view->pitch * (last[axis] - first[axis] + 1);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:[i, i, i], s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:I, s:I}, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o}",
        "scene", cli_json_text(s->label), "name", cli_json_text(vxe_scene_name(s->scene)), "description",
        cli_json_text(vxe_scene_description(s->scene)), "pitch", cli_json_number(view->pitch), "workspace",
        (int)view->size[0], (int)view->size[1], (int)view->size[2], "size", cli_json_vector(size), "voxels",
        (int)view->voxel_count, "surface_voxels", (int)view->surface_count, "links", (int)view->link_count,
        "bodies", (int)view->body_count, "mass", cli_json_number(view->mass), "materials",
        json_materials(s, view, counts), "regions", json_regions(s, view), "environment", json_environment(s),
        "signals", json_signals(s), "stop", json_stop(s), "trace", json_trace(s), "time_step",
        cli_json_time_step(s->model, &step, vxe_sim_settings(s->sim).dt_fraction), "memory", "model",
        (json_int_t)vxe_model_bytes(s->model), "sim", (json_int_t)vxe_sim_bytes(s->sim), "notes",
        cli_json_notes(s->notes), "model_hash", hash, "reserved", (int)view->reserved_count, "rules",
        cli_json_rules(s->scene), "ground", cli_json_ground(s->scene), "solids", cli_json_solids(s->scene),
        "water", cli_json_water(s->scene), "start", cli_json_starts(s->scene));
}

/* --- the command --- */

typedef struct info_options {
    const char *scene;
    vxe_dialect dialect;
    bool json;
} info_options;

static const cli_option table[] = {
    CLI_DIALECT_ROW(info_options, dialect),
    CLI_HELP_ROW("this text"),
    CLI_JSON_ROW(info_options),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_info(void)
{
    printf(
        "Usage: voxelastic info SCENE [options]\n"
        "\n"
        "Tells what is in a scene: voxels, materials, regions, environment, ground, solids, water, start, "
        "signals, "
        "rules, when it stops, its time step\n"
        "and what sets it, the memory it needs. SCENE is a file of a known format, or - for standard input.\n"
        "\n"
        "Options:\n");
    cli_print_options(table, OPTION_COUNT);
}

/* What is in a recording: it is no scene, but people want to know all the same. */
static int tell_history(const char *path, bool json)
{
    vxe_error error = {VXE_OK, ""};
    vxe_history *history = NULL;
    if (vxe_history_load(path, &history, &error) != VXE_OK) return cli_fail(path, json, &error);
    const int32_t frames = vxe_history_count(history);
    const vxe_history_frame *first = vxe_history_get(history, 0);
    const vxe_history_frame *last = vxe_history_get(history, frames - 1);
    int32_t least = INT32_MAX;
    int32_t most = 0;
    for (int32_t i = 0; i < frames; i++) {
        const int32_t voxels = vxe_history_get(history, i)->voxel_count;
        least = voxels < least ? voxels : least;
        most = voxels > most ? voxels : most;
    }
    double way[3] = {0.0, 0.0, 0.0}; /* of the middle of the voxels */
    const vxe_history_frame *const ends[2] = {first, last};
    for (int e = 0; e < 2; e++) {
        for (int32_t v = 0; v < ends[e]->voxel_count; v++) {
            for (int a = 0; a < 3; a++) {
                way[a] += (e == 0 ? -1.0 : 1.0) * ends[e]->voxels[v].position[a] / ends[e]->voxel_count;
            }
        }
    }
    int status = CLI_DONE;
    if (json) {
        status = cli_print_json(
            json_pack("{s:o, s:s, s:i, s:[i, i], s:o, s:o, s:o, s:i, s:o}", "recording", cli_json_text(path),
                      "kind", "voxcraft history", "frames", (int)frames, "voxels", (int)least, (int)most,
                      "time_first", cli_json_number(first->time), "time_last", cli_json_number(last->time),
                      "voxel_size", cli_json_number(vxe_history_voxel_size(history)), "links",
                      (int)last->link_count, "way", cli_json_vector(way)));
    } else {
        printf("%s: a recording in voxcraft's form\n\n", path);
        printf("  %-18s %d, from %s to %s\n", "frames", (int)frames, cli_quantity(first->time, "s").text,
               cli_quantity(last->time, "s").text);
        printf("  %-18s %d to %d at the surface, of %s\n", "voxels", (int)least, (int)most,
               cli_quantity(vxe_history_voxel_size(history), "m").text);
        printf("  %-18s %d in the last frame\n", "links", (int)last->link_count);
        printf("  %-18s %s, of the middle of the voxels\n", "way", cli_vector(way, "m").text);
        status = cli_finish_output(CLI_DONE);
    }
    vxe_history_destroy(history);
    return status;
}

int cli_command_info(int count, char **arguments)
{
    static const cli_syntax syntax = {"info", cli_help_info, table, OPTION_COUNT, cli_take_scene, true};
    info_options o = {.dialect = VXE_DIALECT_AUTO};
    int status = cli_parse(&syntax, count, arguments, &o);
    if (status == CLI_GO_ON) status = cli_need_scene("info", o.scene);
    if (status != CLI_GO_ON) return status;
    if (vxe_ends_with(o.scene, ".history")) return tell_history(o.scene, o.json);
    cli_subject s;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = cli_load_subject(&s, o.scene, o.dialect, &error);
    int64_t *counts = result == VXE_OK ? count_materials(vxe_model_get(s.model)) : NULL;
    if (result != VXE_OK || counts == NULL) {
        if (result == VXE_OK) {
            (void)vxe_fail(&error, VXE_ERROR_MEMORY, "there is not enough memory to count the voxels");
        }
        status = cli_fail(o.scene, o.json, &error);
    } else if (o.json) {
        status = cli_print_json(make_json(&s, counts));
    } else {
        print_info(&s, counts);
        status = cli_finish_output(CLI_DONE);
    }
    free(counts);
    cli_destroy_subject(&s);
    return status;
}
