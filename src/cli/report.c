/* Reports: see report.h. The JSON keys are documented in docs/man/voxelastic.1. */
#include "cli/report.h"
#include "cli/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers for people --- */

static const struct {
    double factor;
    const char *name;
} prefixes[] = {
    {1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},   {1.0, ""},
    {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"},
};
enum { NO_PREFIX = 4, PREFIX_COUNT = sizeof prefixes / sizeof prefixes[0] };

/* The prefix for a number of some unit; none where none fits, and never one that people do not use (ks).
 * Lengths go down to a tenth, so that 0.5438 mm stays what it is. The factor 0.99995 is for what would be
 * rounded to 1.000. */
static int find_prefix(double magnitude, const char *unit)
{
    const bool seconds = strcmp(unit, "s") == 0;
    const bool metres = strcmp(unit, "m") == 0;
    for (int i = seconds ? NO_PREFIX : 0; i < PREFIX_COUNT && magnitude < 1e15; i++) {
        const double least = metres && i >= NO_PREFIX ? 0.099995 : 0.99995;
        if (magnitude >= least * prefixes[i].factor) return i;
    }
    return NO_PREFIX;
}

quantity_text cli_quantity(double value, const char *unit)
{
    quantity_text out = {"-"};
    if (!isfinite(value)) return out;
    const int p = find_prefix(fabs(value), unit);
    (void)snprintf(out.text, sizeof out.text, "%.4g %s%s", value / prefixes[p].factor, prefixes[p].name,
                   unit);
    return out;
}

quantity_text cli_vector(const double value[3], const char *unit)
{
    quantity_text out = {"-"};
    if (!isfinite(value[0] + value[1] + value[2])) return out;
    const double largest = fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2])));
    const int p = find_prefix(largest, unit);
    double shown[3];
    for (int i = 0; i < 3; i++) {
        /* What does not show beside the largest is 0: four digits are printed. */
        shown[i] = fabs(value[i]) < 1e-4 * largest ? 0.0 : value[i] / prefixes[p].factor;
    }
    (void)snprintf(out.text, sizeof out.text, "(%.4g, %.4g, %.4g) %s%s", shown[0], shown[1], shown[2],
                   prefixes[p].name, unit);
    return out;
}

quantity_text cli_mass(double kilograms) { return cli_quantity(1e3 * kilograms, "g"); }

quantity_text cli_bytes(size_t bytes) { return cli_quantity((double)bytes, "B"); }

/* --- numbers for programs --- */

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL) return string;
    char plain[1024];
    size_t used = 0;
    for (; text[used] != '\0' && used + 1 < sizeof plain; used++) {
        plain[used] = (unsigned char)text[used] < 0x80 ? text[used] : '?';
    }
    plain[used] = '\0';
    return json_string(plain);
}

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_vector(const double value[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++) (void)json_array_append_new(array, cli_json_number(value[i]));
    return array;
}

json_t *cli_json_notes(const vxe_notes *notes)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) {
        const vxe_note *n = vxe_notes_get(notes, i);
        (void)json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:o}", "kind",
                                                    vxe_note_kind_name(n->kind), "line", (int)n->line, "what",
                                                    cli_json_text(n->what), "text", cli_json_text(n->text)));
    }
    return list;
}

static json_t *json_cell(const vxe_model_view *view, int32_t voxel)
{
    return json_pack("[i, i, i]", (int)view->cell[0][voxel], (int)view->cell[1][voxel],
                     (int)view->cell[2][voxel]);
}

json_t *cli_json_voxel(const vxe_model *model, int32_t voxel)
{
    const vxe_model_view *view = vxe_model_get(model);
    if (voxel < 0 || voxel >= view->voxel_count) return json_null();
    return json_pack("{s:i, s:o, s:s}", "number", (int)voxel, "cell", json_cell(view, voxel), "material",
                     vxe_model_material_name(model, view->material[voxel]));
}

/* The two ends of a link; false if there is none. */
static bool link_ends(const vxe_model_view *view, int32_t link, int *axis, int32_t ends[2])
{
    if (link < 0 || view->voxel_count <= 0 || link / view->voxel_count > 2) return false;
    *axis = link / view->voxel_count;
    ends[0] = link % view->voxel_count;
    ends[1] = view->next[*axis][ends[0]];
    return ends[1] >= 0;
}

static json_t *json_link(const vxe_model *model, int32_t link)
{
    static const char *const names[] = {"x", "y", "z"};
    int axis = 0;
    int32_t ends[2];
    if (!link_ends(vxe_model_get(model), link, &axis, ends)) return json_null();
    return json_pack("{s:s, s:o, s:o}", "axis", names[axis], "from", cli_json_voxel(model, ends[0]), "to",
                     cli_json_voxel(model, ends[1]));
}

json_t *cli_json_time_step(const vxe_model *model, const vxe_time_step *step, double fraction)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "dt", cli_json_number(step->dt),
                     "limit", cli_json_number(step->limit), "fraction", cli_json_number(fraction),
                     "frequency", cli_json_number(step->frequency), "damping", cli_json_number(step->damping),
                     "classic", cli_json_number(step->classic), "evaluations", (json_int_t)step->evaluations,
                     "voxel", cli_json_voxel(model, step->voxel), "link", json_link(model, step->link));
}

void cli_describe_time_step(const vxe_model *model, const vxe_time_step *step, char *text, size_t size)
{
    const vxe_model_view *view = vxe_model_get(model);
    const int32_t v = step->voxel;
    int axis = 0;
    int32_t ends[2];
    text[0] = '\0';
    if (v < 0 || v >= view->voxel_count) return;
    const int used =
        snprintf(text, size, "voxel (%d, %d, %d) of \"%s\"", (int)view->cell[0][v], (int)view->cell[1][v],
                 (int)view->cell[2][v], vxe_model_material_name(model, view->material[v]));
    if (used > 0 && (size_t)used < size && link_ends(view, step->link, &axis, ends)) {
        const int32_t other = ends[0] == v ? ends[1] : ends[0];
        (void)snprintf(text + used, size - (size_t)used, " and its link to (%d, %d, %d) of \"%s\"",
                       (int)view->cell[0][other], (int)view->cell[1][other], (int)view->cell[2][other],
                       vxe_model_material_name(model, view->material[other]));
    }
}

int cli_print_json(json_t *object)
{
    /* 15 digits: 0.1 stays 0.1. */
    char *text = object == NULL ? NULL : json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    if (text == NULL) {
        cli_complain("there is not enough memory for the summary");
        return CLI_FILE_PROBLEM;
    }
    (void)puts(text);
    free(text);
    return cli_finish_output(CLI_DONE);
}

int cli_print_json_error(const char *scene, const vxe_error *error)
{
    return cli_print_json(json_pack("{s:o, s:s, s:{s:s, s:o}}", "scene", cli_json_text(scene), "status",
                                    "error", "error", "kind", vxe_result_name(error->code), "message",
                                    cli_json_text(error->message)));
}

int cli_fail(const char *scene, bool json, const vxe_error *error)
{
    cli_complain("%s", error->message);
    if (json) (void)cli_print_json_error(scene, error);
    return cli_exit_status(error->code);
}

/* --- the summary of a run --- */

static const char *status_name(const run_report *report)
{
    if (report->reason == VXE_RUN_FAULT) return "failed";
    return report->interrupted ? "interrupted" : "done";
}

/* What rules have made of the body; null where there are none. */
static json_t *json_life(const run_report *report)
{
    const vxe_life life = vxe_sim_life(report->sim);
    if (vxe_scene_rule_count(report->scene) == 0) return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "present", (json_int_t)life.present, "grown",
                     (json_int_t)life.grown, "removed", (json_int_t)life.removed, "bonds",
                     (json_int_t)life.bonds, "bonded", (json_int_t)life.bonded, "released",
                     (json_int_t)life.released);
}

static json_t *json_energy(const vxe_energy *e)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kinetic", cli_json_number(e->kinetic),
        "elastic", cli_json_number(e->elastic), "gravity", cli_json_number(e->gravity), "total",
        cli_json_number(e->total), "load_work", cli_json_number(e->load_work), "actuation_work",
        cli_json_number(e->actuation_work), "motion_work", cli_json_number(e->motion_work), "dissipated",
        cli_json_number(e->dissipated), "error", cli_json_number(e->error), "time", cli_json_number(e->time));
}

static json_t *json_fault(const vxe_model *model, const vxe_status *status)
{
    if (status->fault == VXE_FAULT_NONE) return json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:o}", "cause", vxe_fault_name(status->fault), "message",
                     status->message, "voxel", cli_json_voxel(model, status->voxel), "time",
                     cli_json_number(status->time), "step", (json_int_t)status->step, "value",
                     cli_json_number(status->value));
}

static json_t *json_outputs(const output_list *outputs)
{
    json_t *array = json_array();
    for (int i = 0; i < outputs->count; i++) {
        (void)json_array_append_new(array, cli_json_text(outputs->paths[i]));
    }
    return array;
}

static double voxel_steps_per_second(const run_report *report, int64_t step)
{
    const double voxels = (double)vxe_model_get(vxe_sim_model(report->sim))->voxel_count;
    return report->wall > 0.0 ? voxels * (double)(step - report->first_step) / report->wall : 0.0;
}

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

/* Remarks of a kind, and how many. */
static int64_t count_notes(const vxe_notes *notes, vxe_note_kind kind)
{
    int64_t count = 0;
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) count += vxe_notes_get(notes, i)->kind == kind;
    return count;
}

/* The largest of the run, each with when and where. */
static void set_peaks(json_t *o, const vxe_model *model, const vxe_figures *figures)
{
    static const char *const names[VXE_PEAK_KINDS] = {
        [VXE_PEAK_STRAIN] = "strain_max",
        [VXE_PEAK_SPEED] = "speed_max",
        [VXE_PEAK_DISPLACEMENT] = "displacement_max",
        [VXE_PEAK_STRESS] = "stress_max",
    };
    static const vxe_peak_kind order[] = {VXE_PEAK_DISPLACEMENT, VXE_PEAK_STRAIN, VXE_PEAK_STRESS,
                                          VXE_PEAK_SPEED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const vxe_peak peak = vxe_figures_peak(figures, order[i]);
        char key[64];
        set(o, names[order[i]], cli_json_number(peak.value));
        (void)snprintf(key, sizeof key, "%s_time", names[order[i]]);
        set(o, key, cli_json_number(peak.time));
        (void)snprintf(key, sizeof key, "%s_voxel", names[order[i]]);
        set(o, key, cli_json_voxel(model, peak.voxel));
    }
}

static json_t *json_gait(const vxe_figures *figures)
{
    const vxe_gait g = vxe_figures_gait(figures);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "body_length",
                     cli_json_number(g.body_length), "distance", cli_json_number(g.distance), "path_length",
                     cli_json_number(g.path_length), "speed", cli_json_number(g.speed), "speed_body_lengths",
                     cli_json_number(g.speed_lengths), "actuation_work", cli_json_number(g.actuation_work),
                     "cost_of_transport", cli_json_number(g.cost_of_transport), "duty_factor",
                     cli_json_number(g.duty_factor), "contact_part", cli_json_number(g.contact_part));
}

json_t *cli_summary(const run_report *report)
{
    json_t *o = json_object();
    if (o == NULL) return NULL;
    const vxe_model *model = vxe_sim_model(report->sim);
    const vxe_model_view *view = vxe_model_get(model);
    const vxe_state *state = vxe_sim_state(report->sim);
    const vxe_sim_def def = vxe_sim_settings(report->sim);
    const vxe_time_step step = vxe_sim_time_step(report->sim);
    const vxe_energy energy = vxe_sim_energy(report->sim);
    int32_t farthest = -1;
    const double displacement = vxe_sim_displacement_max(report->sim, &farthest);
    double center[3];
    char hash[17];
    vxe_sim_center_of_mass(report->sim, center);
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, vxe_sim_hash(report->sim));

    set(o, "scene", cli_json_text(report->label));
    set(o, "name", cli_json_text(vxe_scene_name(report->scene)));
    set(o, "version", json_string(vxe_version()));
    set(o, "status", json_string(status_name(report)));
    set(o, "stop_reason",
        json_string(report->interrupted ? "interrupted" : vxe_run_reason_name(report->reason)));
    set(o, "fault", json_fault(model, vxe_sim_status(report->sim)));
    set(o, "voxels", json_integer(view->voxel_count));
    set(o, "links", json_integer(view->link_count));
    set(o, "life", json_life(report));
    set(o, "materials", json_integer(view->material_count));
    set(o, "steps", json_integer((json_int_t)state->step));
    set(o, "time", cli_json_number(state->time));
    set(o, "dt", cli_json_number(step.dt));
    set(o, "time_step", cli_json_time_step(model, &step, def.dt_fraction));
    set(o, "resumed",
        report->resumed == NULL ? json_null()
                                : json_pack("{s:I, s:o}", "step", (json_int_t)report->first_step, "time",
                                            cli_json_number(report->first_time)));
    set(o, "wall_seconds", cli_json_number(report->wall));
    set(o, "voxel_steps_per_second", cli_json_number(voxel_steps_per_second(report, state->step)));
    set(o, "threads", json_integer(vxe_sim_threads(report->sim)));
    set(o, "precision", json_string(vxe_choice_word(vxe_precisions, (int)def.precision)));
    set(o, "isa", json_string(vxe_sim_isa(report->sim)));
    set(o, "center_of_mass_start", cli_json_vector(report->center_start));
    set(o, "center_of_mass_end",
        vxe_sim_life(report->sim).present > 0 ? cli_json_vector(center) : json_null());
    set_peaks(o, model, report->figures);
    set(o, "at_end",
        json_pack("{s:o, s:o, s:o, s:o}", "displacement_max", cli_json_number(displacement),
                  "displacement_max_voxel", cli_json_voxel(model, farthest), "strain_max",
                  cli_json_number(vxe_sim_strain_max(report->sim)), "speed_max",
                  cli_json_number(vxe_sim_speed_max(report->sim))));
    set(o, "gait", json_gait(report->figures));
    set(o, "energy", json_energy(&energy));
    set(o, "state_hash", json_string(hash));
    if (report->observer != NULL && vxe_scene_formula(report->scene, VXE_FORMULA_FITNESS)[0] != '\0') {
        const vxe_outcome outcome = vxe_observer_outcome(report->observer);
        set(o, "fitness", cli_json_number(outcome.fitness));
    }
    const vxe_dialect dialect = vxe_scene_experiment(report->scene).dialect;
    if (dialect != VXE_DIALECT_AUTO) set(o, "dialect", json_string(vxe_dialect_name(dialect)));
    if (vxe_notes_count(report->notes) > 0) {
        set(o, "tags_without_effect",
            json_pack("{s:I, s:I, s:I}", "ignored", (json_int_t)count_notes(report->notes, VXE_NOTE_IGNORED),
                      "not_simulated", (json_int_t)count_notes(report->notes, VXE_NOTE_NOT_SIMULATED),
                      "unknown", (json_int_t)count_notes(report->notes, VXE_NOTE_UNKNOWN)));
    }
    set(o, "outputs", json_outputs(&report->outputs));
    return o;
}

/* --- the same for people --- */

void cli_print_row(const char *name, const char *format, ...)
{
    va_list arguments;
    printf("  %-17s ", name);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* "stop time reached", "interrupted", ... */
static const char *ending(const run_report *report)
{
    if (report->interrupted) return "interrupted";
    switch (report->reason) {
    case VXE_RUN_STEPS: break;
    case VXE_RUN_TIME: return "stop time reached";
    case VXE_RUN_STOP_STEPS: return "number of steps reached";
    case VXE_RUN_CYCLES: return "number of cycles reached";
    case VXE_RUN_KINETIC_ENERGY: return "settled: the kinetic energy stays below its limit";
    case VXE_RUN_SPEED: return "settled: the speed stays below its limit";
    case VXE_RUN_FAULT: return "failed";
    case VXE_RUN_FORMULA: return "the stop formula is met";
    case VXE_RUN_ENERGY_CHANGE: return "settled: the energy stays what it is";
    case VXE_RUN_RULE: return "a rule has ended it";
    case VXE_RUN_FALL: return "the robot has fallen";
    case VXE_RUN_MOVEMENT: return "settled: the movement stays below its limit";
    }
    return "ended";
}

static void print_work(const vxe_energy *e)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"loads", e->load_work}, {"actuation", e->actuation_work}, {"prescribed motion", e->motion_work}};
    char text[160] = "";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value != 0.0)
            vxe_append(text, sizeof text, "%s%s %s", text[0] == '\0' ? "" : ", ", parts[i].name,
                       cli_quantity(parts[i].value, "J").text);
    }
    cli_print_row("work", "%s%sdissipated %s, unaccounted %s", text, text[0] == '\0' ? "" : ", ",
                  cli_quantity(e->dissipated, "J").text, cli_quantity(e->error, "J").text);
}

void cli_describe_peak(const run_report *report, vxe_peak_kind kind, const char *unit, int digits,
                       char value[64], char place[120])
{
    const vxe_peak peak = vxe_figures_peak(report->figures, kind);
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(report->sim));
    if (unit[0] == '%') {
        (void)snprintf(value, 64, "%.*g %%", digits, 100.0 * peak.value);
    } else {
        (void)snprintf(value, 64, "%s", cli_quantity(peak.value, unit).text);
    }
    place[0] = '\0';
    if (peak.voxel >= 0 && peak.voxel < view->voxel_count && peak.value > 0.0)
        (void)snprintf(place, 120, "at %s, voxel (%d, %d, %d)", cli_quantity(peak.time, "s").text,
                       (int)view->cell[0][peak.voxel], (int)view->cell[1][peak.voxel],
                       (int)view->cell[2][peak.voxel]);
}

/* The largest of the run: "4.65 % at most, at 2.31 s, voxel (4, 0, 2)". */
static void print_peak(const char *name, const run_report *report, vxe_peak_kind kind, const char *unit)
{
    char value[64];
    char place[120];
    cli_describe_peak(report, kind, unit, 4, value, place);
    cli_print_row(name, "%s at most%s%s", value, place[0] != '\0' ? ", " : "", place);
}

/* How it got on, if it got anywhere. */
static void print_gait(const vxe_figures *figures, const vxe_model_view *view)
{
    const vxe_gait g = vxe_figures_gait(figures);
    char text[160] = "";
    if (!(g.distance > 0.5 * view->pitch)) return;
    cli_print_row("travelled", "%s in %s: %s, %.3g body lengths/s; the way is %s long",
                  cli_quantity(g.distance, "m").text, cli_quantity(g.duration, "s").text,
                  cli_quantity(g.speed, "m/s").text, g.speed_lengths, cli_quantity(g.path_length, "m").text);
    if (isfinite(g.cost_of_transport) && g.actuation_work != 0.0) {
        vxe_append(text, sizeof text, "cost of transport %.3g", g.cost_of_transport);
    }
    if (isfinite(g.duty_factor)) {
        vxe_append(text, sizeof text, "%sduty factor %.2f, touching %.0f %% of the time",
                   text[0] != '\0' ? ", " : "", g.duty_factor, 100.0 * g.contact_part);
    }
    if (text[0] != '\0') cli_print_row("gait", "%s", text);
}

/* As it is at the start. Links of voxels that may come are links of the model: they are not counted. */
static void print_body(const vxe_model_view *view)
{
    const int32_t voxels = view->voxel_count - view->reserved_count;
    char links[64];
    (void)snprintf(links, sizeof links, "%d link%s", (int)view->link_count, plural(view->link_count));
    if (view->reserved_count > 0)
        (void)snprintf(links, sizeof links, "places for %d more", (int)view->reserved_count);
    cli_print_row("body", "%d voxel%s, %s, %d material%s, %s", (int)voxels, plural(voxels), links,
                  (int)view->material_count, plural(view->material_count), cli_mass(view->mass).text);
}

/* What rules have made of it, if they have. */
static void print_life(vxe_life life)
{
    if (life.grown > 0 || life.removed > 0)
        cli_print_row("changes", "%" PRId64 " voxel%s came, %" PRId64 " went: %" PRId64 " at the end",
                      life.grown, plural(life.grown), life.removed, life.present);
    if (life.bonded > 0)
        cli_print_row("bonds", "%" PRId64 " made, %" PRId64 " let go: %" PRId64 " at the end", life.bonded,
                      life.released, life.bonds);
}

void cli_print_table(const run_report *report)
{
    const vxe_model *model = vxe_sim_model(report->sim);
    const vxe_model_view *view = vxe_model_get(model);
    const vxe_state *state = vxe_sim_state(report->sim);
    const vxe_energy e = vxe_sim_energy(report->sim);
    const int64_t steps = state->step - report->first_step;
    const double simulated = state->time - report->first_time;
    double moved[3];
    vxe_sim_center_of_mass(report->sim, moved);
    for (int axis = 0; axis < 3; axis++) moved[axis] -= report->center_start[axis];

    printf("%s: %s\n\n", report->label, ending(report));
    print_body(view);
    print_life(vxe_sim_life(report->sim));
    cli_print_row("time", "%s after %" PRId64 " steps; the time step is %s",
                  cli_quantity(state->time, "s").text, state->step,
                  cli_quantity(vxe_sim_time_step(report->sim).dt, "s").text);
    cli_print_row("computed",
                  "%" PRId64 " steps in %s: %.3g times real time, %.3g million voxel steps per second", steps,
                  cli_quantity(report->wall, "s").text, report->wall > 0.0 ? simulated / report->wall : 0.0,
                  1e-6 * voxel_steps_per_second(report, state->step));
    if (vxe_sim_life(report->sim).present > 0)
        cli_print_row("centre of mass", "moved by %s", cli_vector(moved, "m").text);
    else
        cli_print_row("centre of mass", "-");
    print_gait(report->figures, view);
    print_peak("displacement", report, VXE_PEAK_DISPLACEMENT, "m");
    print_peak("strain", report, VXE_PEAK_STRAIN, "%");
    print_peak("stress", report, VXE_PEAK_STRESS, "Pa");
    print_peak("speed", report, VXE_PEAK_SPEED, "m/s");
    cli_print_row("energy", "kinetic %s, elastic %s, gravity %s", cli_quantity(e.kinetic, "J").text,
                  cli_quantity(e.elastic, "J").text, cli_quantity(e.gravity, "J").text);
    if (vxe_sim_settings(report->sim).audit) print_work(&e);
    cli_print_row("state hash", "%016" PRIx64, vxe_sim_hash(report->sim));
    const vxe_dialect dialect = vxe_scene_experiment(report->scene).dialect;
    if (dialect != VXE_DIALECT_AUTO && report->notes != NULL) {
        cli_print_row("dialect",
                      "%s; %lld tags are ignored, %lld not simulated, %lld unknown (see \"voxelastic info\")",
                      vxe_dialect_name(dialect), (long long)count_notes(report->notes, VXE_NOTE_IGNORED),
                      (long long)count_notes(report->notes, VXE_NOTE_NOT_SIMULATED),
                      (long long)count_notes(report->notes, VXE_NOTE_UNKNOWN));
    }
    if (report->observer != NULL && vxe_scene_formula(report->scene, VXE_FORMULA_FITNESS)[0] != '\0') {
        cli_print_row("fitness", "%.9g", vxe_observer_outcome(report->observer).fitness);
    }
    for (int i = 0; i < report->outputs.count; i++) {
        cli_print_row(i == 0 ? "written" : "", "%s", report->outputs.paths[i]);
    }
}
