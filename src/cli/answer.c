/* What `solve`, `equilibrium` and `modes` share: see answer.h. */
#include "cli/answer.h"

#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------------------------------------------- */

#define ANSWER_ALL 0xffffU /* every command has it */

static bool take_folder(const char *text, void *options)
{
    if (text[0] == '\0') cli_complain("--output: the name is empty");
    ((answer_options *)options)->folder = text;
    return text[0] != '\0';
}

static bool take_solver(const char *text, void *options)
{
    static const vxe_choice solvers[] = {{"auto", VXE_SOLVER_AUTO},
                                         {"direct", VXE_SOLVER_DIRECT},
                                         {"iterative", VXE_SOLVER_ITERATIVE},
                                         {NULL, 0}};
    int solver = 0;
    if (!vxe_choice_find(solvers, text, &solver))
        return cli_complain("--solver: \"%s\" is none of auto, direct, iterative", text);
    ((answer_options *)options)->solver = (vxe_solver)solver;
    return true;
}

static bool take_relax(const char *text, void *options)
{
    answer_options *o = options;
    o->relax = 0;
    return strcmp(text, "0") == 0 || cli_parse_count("--relax", text, &o->relax);
}

#define TO(kind, member) CLI_TO(kind, answer_options, member)
static const struct {
    unsigned mask;
    cli_option option;
} table[] = {
    {ANSWER_ALL,
     {"--output", 'o', "DIR", "write summary.json and the tables of numbers (CSV) into this folder",
      CLI_BY(take_folder)}},
    {ANSWER_ALL, CLI_JSON_ROW(answer_options)},
    {ANSWER_ALL, CLI_DIALECT_ROW(answer_options, dialect)},
    {ANSWER_COUNT, {"--count", 'n', "N", "how many modes, rigid motions included (6)", TO(COUNT, count)}},
    {ANSWER_EQUILIBRIUM,
     {"--equilibrium", 0, NULL, "about the equilibrium under the loads, not about the start",
      TO(FLAG, equilibrium)}},
    {ANSWER_TIME, {"--time", 0, "S", "when the signals are read, in seconds (0)", TO(TIME, time)}},
    {ANSWER_TOLERANCE,
     {"--tolerance", 0, "X", "relative accuracy that is asked for", TO(POSITIVE, tolerance)}},
    {ANSWER_SOLVER,
     {"--solver", 0, "NAME", "of the linear equations: auto, direct or iterative (auto)",
      CLI_BY(take_solver)}},
    {ANSWER_SLIDE,
     {"--slide", 0, NULL, "no friction on the floor (otherwise voxels stick where they touch)",
      TO(FLAG, slide)}},
    {ANSWER_UNSTABLE,
     {"--keep-unstable", 0, NULL, "report an unstable equilibrium instead of leaving it for a stable one",
      TO(FLAG, keep_unstable)}},
    {ANSWER_RELAX,
     {"--relax", 0, "N", "time steps of relaxation at most, where Newton's method fails (1000000; 0: none)",
      CLI_BY(take_relax)}},
    {ANSWER_ALL, CLI_HELP_ROW("this text")},
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

/* The options of a mask; their number. */
static int select_options(unsigned mask, cli_option options[TABLE_SIZE])
{
    int count = 0;
    for (int i = 0; i < TABLE_SIZE; i++)
        if (table[i].mask == ANSWER_ALL || (table[i].mask & mask) != 0) options[count++] = table[i].option;
    return count;
}

void answer_print_options(unsigned mask)
{
    cli_option options[TABLE_SIZE];
    cli_print_options(options, select_options(mask, options));
}

static int parse(const char *command, unsigned mask, void (*help)(void), int count, char **arguments,
                 answer_options *options)
{
    cli_option choice[TABLE_SIZE];
    const cli_syntax syntax = {command, help, choice, select_options(mask, choice), cli_take_scene, true};
    *options = (answer_options){.solver = VXE_SOLVER_AUTO, .time = -1.0, .relax = -1};
    const int status = cli_parse(&syntax, count, arguments, options);
    return status == CLI_GO_ON ? cli_need_scene(command, options->scene) : status;
}

/* ---- scene and folder ----------------------------------------------------------------------------------------------- */

static vxe_result open_scene(answer *a, const answer_options *options, vxe_error *error)
{
    *a = (answer){.options = *options, .report = json_object(), .outputs = json_array()};
    vxe_result result = cli_load_scene(options->scene, options->dialect, &a->scene, NULL, error);
    if (result == VXE_OK) result = cli_compile(options->scene, a->scene, &a->model, error);
    if (result == VXE_OK) {
        const vxe_sim_def def = vxe_default_sim_def();
        result = vxe_sim_create(a->model, &def, &a->sim, error);
    }
    if (result == VXE_OK && options->folder != NULL) {
        const size_t length = strlen(options->folder);
        a->folder = vxe_text("%s%s", options->folder, options->folder[length - 1] == '/' ? "" : "/");
        if (a->folder == NULL) return vxe_fail_memory(error, "the name of a folder", length);
        result = cli_make_folder(a->folder, error);
    }
    if (result == VXE_OK) {
        const vxe_model_view *view = vxe_model_get(a->model);
        answer_set(a, "scene", cli_json_text(options->scene));
        answer_set(a, "name", cli_json_text(vxe_scene_name(a->scene)));
        answer_set(a, "version", json_string(vxe_version()));
        answer_set(a, "status", json_string("done"));
        answer_set(a, "voxels", json_integer(view->voxel_count));
        answer_set(a, "links", json_integer(view->link_count));
        answer_set(a, "materials", json_integer(view->material_count));
    }
    return result;
}

/* ---- report --------------------------------------------------------------------------------------------------------- */

void answer_set(answer *a, const char *key, json_t *value)
{
    (void)json_object_set_new(a->report, key, value);
}

void answer_set_cost(answer *a, const vxe_solve_cost *cost)
{
    answer_set(a, "wall_seconds", cli_json_number(a->wall));
    answer_set(a, "solver", json_string(cost->solver == VXE_SOLVER_ITERATIVE ? "iterative" : "direct"));
    answer_set(a, "unknowns", json_integer(cost->unknowns));
    answer_set(a, "matrix_entries", json_integer(cost->matrix_entries));
    answer_set(a, "factor_entries", cli_json_number(cost->factor_entries));
    answer_set(a, "factor_flops", cli_json_number(cost->factor_flops));
    answer_set(a, "factorizations", json_integer(cost->factorizations));
    answer_set(a, "solver_iterations", json_integer(cost->iterations));
    answer_set(a, "solver_bytes", json_integer((json_int_t)cost->bytes));
}

/* What became of a region. */
typedef struct answer_region {
    double displacement[3], reaction[3], moment[3];
} answer_region;

static answer_region region_of(const answer *a, const vxe_linear *linear, int32_t r)
{
    answer_region region;
    if (linear != NULL) {
        (void)vxe_linear_region_displacement(linear, r, region.displacement, NULL);
        (void)vxe_linear_region_reaction(linear, r, region.reaction, region.moment, NULL);
    } else {
        (void)vxe_sim_region_displacement(a->sim, r, region.displacement, NULL);
        (void)vxe_sim_region_reaction(a->sim, r, region.reaction, region.moment, NULL);
    }
    return region;
}

void answer_set_regions(answer *a, const vxe_linear *linear)
{
    json_t *regions = json_array();
    for (int32_t r = 0; r < vxe_model_get(a->model)->region_count; r++) {
        const answer_region region = region_of(a, linear, r);
        (void)json_array_append_new(regions, json_pack("{s:o, s:o, s:o, s:o}", "name",
                                                       cli_json_text(vxe_model_region_name(a->model, r)),
                                                       "displacement", cli_json_vector(region.displacement),
                                                       "reaction", cli_json_vector(region.reaction),
                                                       "reaction_moment", cli_json_vector(region.moment)));
    }
    answer_set(a, "regions", regions);
}

void answer_region_rows(const answer *a, const vxe_linear *linear)
{
    for (int32_t r = 0; r < vxe_model_get(a->model)->region_count; r++) {
        const answer_region region = region_of(a, linear, r);
        cli_print_row(vxe_model_region_name(a->model, r), "moves %s, is held by %s",
                      cli_vector(region.displacement, "m").text, cli_vector(region.reaction, "N").text);
    }
}

void answer_cost_row(const answer *a, const vxe_solve_cost *cost)
{
    if (cost->solver == VXE_SOLVER_ITERATIVE) {
        cli_print_row("computed", "in %s: %lld unknowns, %lld iterations, %s",
                      cli_quantity(a->wall, "s").text, (long long)cost->unknowns, (long long)cost->iterations,
                      cli_bytes(cost->bytes).text);
    } else {
        cli_print_row("computed", "in %s: %lld unknowns, %d factorization%s of %.3g entries, %s",
                      cli_quantity(a->wall, "s").text, (long long)cost->unknowns, (int)cost->factorizations,
                      cost->factorizations == 1 ? "" : "s", cost->factor_entries,
                      cli_bytes(cost->bytes).text);
    }
}

quantity_text answer_cell(const answer *a, int32_t voxel)
{
    const vxe_model_view *view = vxe_model_get(a->model);
    quantity_text out;
    (void)snprintf(out.text, sizeof out.text, "(%d, %d, %d)", (int)view->cell[0][voxel],
                   (int)view->cell[1][voxel], (int)view->cell[2][voxel]);
    return out;
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

vxe_result answer_path(const answer *a, const char *name, char **path, vxe_error *error)
{
    *path = vxe_text("%s%s", a->folder, name);
    return *path != NULL ? VXE_OK : vxe_fail_memory(error, "the name of a file", strlen(a->folder));
}

vxe_result answer_list(answer *a, char *path, vxe_result result)
{
    if (result == VXE_OK) (void)json_array_append_new(a->outputs, cli_json_text(path));
    free(path);
    return result;
}

vxe_result answer_file_open(answer *a, const char *name, const char *columns, answer_file *file,
                            vxe_error *error)
{
    *file = (answer_file){.first = true};
    vxe_result result = answer_path(a, name, &file->path, error);
    if (result != VXE_OK) return result;
    result = vxe_file_open(&file->file, file->path, error);
    if (result != VXE_OK) {
        free(file->path);
        return result;
    }
    (void)fprintf(file->file.stream, "%s\n", columns);
    return VXE_OK;
}

void answer_number(answer_file *file, double value)
{
    (void)fprintf(file->file.stream, "%s%.12g", file->first ? "" : ",",
                  value == 0.0 ? 0.0 : value); /* no -0 */
    file->first = false;
}

void answer_end_line(answer_file *file)
{
    (void)fputc('\n', file->file.stream);
    file->first = true;
}

vxe_result answer_file_close(answer *a, answer_file *file, vxe_error *error)
{
    return answer_list(a, file->path, vxe_file_commit(&file->file, error));
}

static vxe_result write_summary(answer *a, vxe_error *error)
{
    char *path = NULL;
    vxe_result result = answer_path(a, "summary.json", &path, error);
    if (result != VXE_OK) return result;
    (void)json_array_append_new(a->outputs, cli_json_text(path));
    answer_set(a, "outputs", json_incref(a->outputs));
    char *text = json_dumps(a->report, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    result = text == NULL ? vxe_fail_memory(error, "the summary", 0)
                          : vxe_write_file(path, text, strlen(text), error);
    free(text);
    free(path);
    return result;
}

int answer_command(const char *command, unsigned mask, void (*help)(void), int count, char **arguments,
                   vxe_result (*find)(answer *a, vxe_error *error))
{
    answer_options options;
    int status = parse(command, mask, help, count, arguments, &options);
    if (status != CLI_GO_ON) return status;
    answer a;
    vxe_error error = {VXE_OK, ""};
    vxe_result result = open_scene(&a, &options, &error);
    a.begun = cli_clock();
    if (result == VXE_OK) result = find(&a, &error);
    if (result == VXE_OK && a.folder != NULL) result = write_summary(&a, &error);
    if (result != VXE_OK) {
        status = cli_fail(options.scene, options.json, &error);
    } else if (options.json) {
        if (a.folder == NULL) answer_set(&a, "outputs", json_incref(a.outputs));
        status = cli_print_json(json_incref(a.report));
    } else {
        if (a.folder != NULL) cli_print_row("files", "in %s", a.folder);
        status = cli_finish_output(CLI_DONE);
    }
    vxe_sim_destroy(a.sim);
    vxe_model_destroy(a.model);
    vxe_scene_destroy(a.scene);
    json_decref(a.report);
    json_decref(a.outputs);
    free(a.folder);
    return status;
}
