/* What `solve`, `equilibrium` and `modes` share: see answer.h. */
#include "cli/answer.h"

#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- options -------------------------------------------------------------------------------------------------------- */

#define ANSWER_ALL 0xffffU /* every command has it */

static const struct {
    unsigned mask;
    cli_option option;
} table[] = {
    {ANSWER_ALL,
     {"--output", 'o', "DIR", "write summary.json and the tables of numbers (CSV) into this folder"}},
    {ANSWER_ALL, {"--json", 0, NULL, "print one JSON object on standard output, and nothing else there"}},
    {ANSWER_ALL, {"--dialect", 0, "NAME", CLI_DIALECT_HELP}},
    {ANSWER_COUNT, {"--count", 'n', "N", "how many modes, rigid motions included (6)"}},
    {ANSWER_EQUILIBRIUM,
     {"--equilibrium", 0, NULL, "about the equilibrium under the loads, not about the start"}},
    {ANSWER_TIME, {"--time", 0, "S", "when the signals are read, in seconds (0)"}},
    {ANSWER_TOLERANCE, {"--tolerance", 0, "X", "relative accuracy that is asked for"}},
    {ANSWER_SOLVER, {"--solver", 0, "NAME", "of the linear equations: auto, direct or iterative (auto)"}},
    {ANSWER_SLIDE,
     {"--slide", 0, NULL, "no friction on the floor (otherwise voxels stick where they touch)"}},
    {ANSWER_UNSTABLE,
     {"--keep-unstable", 0, NULL, "report an unstable equilibrium instead of leaving it for a stable one"}},
    {ANSWER_RELAX,
     {"--relax", 0, "N", "time steps of relaxation at most, where Newton's method fails (1000000; 0: none)"}},
    {ANSWER_ALL, {"--help", 'h', NULL, "this text"}},
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

/* The options of a mask; their number. */
static int select_options(unsigned mask, cli_option options[TABLE_SIZE], int number[TABLE_SIZE])
{
    int count = 0;
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (table[i].mask != ANSWER_ALL && (table[i].mask & mask) == 0) continue;
        options[count] = table[i].option;
        number[count++] = i;
    }
    return count;
}

void answer_print_options(unsigned mask)
{
    cli_option options[TABLE_SIZE];
    int number[TABLE_SIZE];
    cli_print_options(options, select_options(mask, options, number));
}

static bool parse_solver(const char *text, vxe_solver *solver)
{
    static const char *const names[] = {"auto", "direct", "iterative"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *solver = (vxe_solver)(VXE_SOLVER_AUTO + i);
            return true;
        }
    }
    cli_complain("--solver: \"%s\" is none of auto, direct, iterative", text);
    return false;
}

/* Zero or more, where only more than zero has a parser. */
static bool parse_zero_or(const char *text) { return strcmp(text, "0") == 0; }

static bool take_option(const cli_option *option, const char *value, answer_options *o)
{
    const char *name = option->name;
    if (strcmp(name, "--json") == 0)
        o->json = true;
    else if (strcmp(name, "--equilibrium") == 0)
        o->equilibrium = true;
    else if (strcmp(name, "--slide") == 0)
        o->slide = true;
    else if (strcmp(name, "--keep-unstable") == 0)
        o->keep_unstable = true;
    else if (strcmp(name, "--output") == 0)
        o->folder = value;
    else if (strcmp(name, "--solver") == 0)
        return parse_solver(value, &o->solver);
    else if (strcmp(name, "--dialect") == 0)
        return cli_parse_dialect(value, &o->dialect);
    else if (strcmp(name, "--tolerance") == 0)
        return cli_parse_positive(name, value, &o->tolerance);
    else if (strcmp(name, "--count") == 0)
        return cli_parse_count(name, value, &o->count);
    else if (strcmp(name, "--time") == 0) {
        o->time = 0.0;
        return parse_zero_or(value) || cli_parse_positive(name, value, &o->time);
    } else if (strcmp(name, "--relax") == 0) {
        o->relax = 0;
        return parse_zero_or(value) || cli_parse_count(name, value, &o->relax);
    }
    if (o->folder != NULL && o->folder[0] == '\0') {
        cli_complain("--output: the name is empty");
        return false;
    }
    return true;
}

int answer_parse(const char *command, unsigned mask, void (*help)(void), int count, char **arguments,
                 answer_options *options)
{
    cli_option choice[TABLE_SIZE];
    int number[TABLE_SIZE];
    const int choices = select_options(mask, choice, number);
    cli_arguments a = {command, count, arguments, 0, NULL, false};
    const char *value = NULL;
    *options = (answer_options){.solver = VXE_SOLVER_AUTO, .time = -1.0, .relax = -1};
    for (;;) {
        const int option = cli_next_argument(&a, choice, choices, &value);
        if (option == CLI_WRONG) return cli_point_to_help(command);
        if (option == CLI_END) break;
        if (option == CLI_OPERAND) {
            if (options->scene != NULL) {
                cli_complain("%s: one scene at a time: \"%s\" after \"%s\"", command, value, options->scene);
                return cli_point_to_help(command);
            }
            options->scene = value;
        } else if (number[option] == TABLE_SIZE - 1) {
            options->scene = NULL;
            help();
            return cli_finish_output(CLI_DONE);
        } else if (!take_option(&choice[option], value, options)) {
            return cli_point_to_help(command);
        }
    }
    if (options->scene == NULL) {
        cli_complain("%s: which scene? A file, or - for standard input", command);
        return cli_point_to_help(command);
    }
    return CLI_DONE;
}

/* ---- scene and folder ----------------------------------------------------------------------------------------------- */

vxe_result answer_open(answer *a, const answer_options *options, vxe_error *error)
{
    *a = (answer){.options = *options, .report = json_object(), .outputs = json_array()};
    vxe_result result = cli_load_scene(options->scene, options->dialect, &a->scene, NULL, error);
    if (result == VXE_OK) result = vxe_compile(a->scene, &a->model, error);
    if (result == VXE_OK) {
        const vxe_sim_def def = vxe_default_sim_def();
        result = vxe_sim_create(a->model, &def, &a->sim, error);
    }
    if (result == VXE_OK && options->folder != NULL) {
        const size_t length = strlen(options->folder);
        a->folder = malloc(length + 2);
        if (a->folder == NULL) return vxe_fail_memory(error, "the name of a folder", length);
        (void)snprintf(a->folder, length + 2, "%s%s", options->folder,
                       options->folder[length - 1] == '/' ? "" : "/");
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

void answer_close(answer *a)
{
    vxe_sim_destroy(a->sim);
    vxe_model_destroy(a->model);
    vxe_scene_destroy(a->scene);
    json_decref(a->report);
    json_decref(a->outputs);
    free(a->folder);
}

int answer_fail(answer *a, const vxe_error *error)
{
    cli_complain("%s", error->message);
    if (a->options.json) (void)cli_print_json_error(a->options.scene, error);
    return cli_exit_status(error->code);
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

json_t *answer_region(const answer *a, int32_t region, const double displacement[3], const double reaction[3],
                      const double moment[3])
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "name", cli_json_text(vxe_model_region_name(a->model, region)));
    (void)json_object_set_new(object, "displacement", cli_json_vector(displacement));
    (void)json_object_set_new(object, "reaction", cli_json_vector(reaction));
    (void)json_object_set_new(object, "reaction_moment", cli_json_vector(moment));
    return object;
}

void answer_row(const char *name, const char *format, ...)
{
    va_list arguments;
    printf("  %-17s ", name);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

void answer_cost_row(const answer *a, const vxe_solve_cost *cost)
{
    if (cost->solver == VXE_SOLVER_ITERATIVE) {
        answer_row("computed", "in %s: %lld unknowns, %lld iterations, %s", cli_quantity(a->wall, "s").text,
                   (long long)cost->unknowns, (long long)cost->iterations, cli_bytes(cost->bytes).text);
    } else {
        answer_row("computed", "in %s: %lld unknowns, %d factorization%s of %.3g entries, %s",
                   cli_quantity(a->wall, "s").text, (long long)cost->unknowns, (int)cost->factorizations,
                   cost->factorizations == 1 ? "" : "s", cost->factor_entries, cli_bytes(cost->bytes).text);
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

vxe_result answer_file_open(answer *a, const char *name, const char *columns, answer_file *file,
                            vxe_error *error)
{
    const size_t length = strlen(a->folder) + strlen(name) + 1;
    *file = (answer_file){.first = true};
    file->path = malloc(length);
    if (file->path == NULL) return vxe_fail_memory(error, "the name of a file", length);
    (void)snprintf(file->path, length, "%s%s", a->folder, name);
    const vxe_result result = vxe_file_open(&file->file, file->path, error);
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

vxe_result answer_file_close(answer *a, answer_file *file, bool discard, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (discard) {
        vxe_file_discard(&file->file);
    } else {
        result = vxe_file_commit(&file->file, error);
        if (result == VXE_OK) (void)json_array_append_new(a->outputs, cli_json_text(file->path));
    }
    free(file->path);
    file->path = NULL;
    return result;
}

static vxe_result write_summary(answer *a, vxe_error *error)
{
    const size_t length = strlen(a->folder) + sizeof "summary.json";
    char *path = malloc(length);
    if (path == NULL) return vxe_fail_memory(error, "the name of a file", length);
    (void)snprintf(path, length, "%ssummary.json", a->folder);
    (void)json_array_append_new(a->outputs, cli_json_text(path));
    answer_set(a, "outputs", json_incref(a->outputs));
    char *text = json_dumps(a->report, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    vxe_result result = text == NULL ? vxe_fail_memory(error, "the summary", 0)
                                     : vxe_write_file(path, text, strlen(text), error);
    free(text);
    free(path);
    return result;
}

int answer_finish(answer *a, int status)
{
    vxe_error error = {VXE_OK, ""};
    if (a->folder != NULL && write_summary(a, &error) != VXE_OK) return answer_fail(a, &error);
    if (a->folder == NULL) answer_set(a, "outputs", json_incref(a->outputs));
    if (a->options.json) {
        const int printed = cli_print_json(json_incref(a->report));
        return status == CLI_DONE ? printed : status;
    }
    if (a->folder != NULL) answer_row("files", "in %s", a->folder);
    return cli_finish_output(status);
}
