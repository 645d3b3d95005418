/* voxelastic validate: every reference case. The cases and how they are shown are in src/validate. */
#include "cli/options.h"
#include "cli/output.h"
#include "validate/validate.h"
#include "voxelastic/solve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct validate_options {
    bool *chosen; /* (val_case_count) */
    bool some;    /* a CASE was given */
    bool list, quick, refine, json, markdown, quiet;
    const char *folder;
} validate_options;

#define TO(kind, member) CLI_TO(kind, validate_options, member)
static const cli_option table[] = {
    {"--list", 0, NULL, "list the cases and run none", TO(FLAG, list)},
    {"--quick", 0, NULL, "only the cases that take a second or two", TO(FLAG, quick)},
    {"--refine", 0, NULL,
     "also run continuum cases at two or three pitches and give the observed order of convergence",
     TO(FLAG, refine)},
    {"--output", 'o', "DIR",
     "write report.html, a page with tables and plots, and validation.json into this folder, which is made "
     "if it is not there",
     TO(NAME, folder)},
    CLI_JSON_ROW(validate_options),
    {"--markdown", 0, NULL, "print the tables as Markdown", TO(FLAG, markdown)},
    {"--quiet", 'q', NULL, "only the last line, and what fails", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_validate(void)
{
    printf("Usage: voxelastic validate [CASE...] [options]\n"
           "\n"
           "Compares the engine with exact formulas, with the paper it is built on, with the same lattice "
           "solved\n"
           "independently, and with 3-D elasticity. Each row gives our value, the reference, the error, what "
           "is allowed\n"
           "and why. CASE is a name of --list, or the first part of several (table1, lattice); without it, "
           "all are run.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, OPTION_COUNT);
    printf("\n"
           "Exit status: 0 everything passes; 2 bad usage; 3 something fails; 4 a file problem or not enough "
           "memory; 130\n"
           "interrupted.\n"
           "\n"
           "Examples:\n"
           "  voxelastic validate\n"
           "  voxelastic validate table1 table2 elastica\n"
           "  voxelastic validate --refine -o out\n"
           "  voxelastic validate --json | jq '.rows[] | select(.verdict == \"fail\")'\n");
}

/* Whether `name` names a case, or the part of its name before a dash. */
static bool matches(const char *name, const char *case_name)
{
    const size_t length = strlen(name);
    return strncmp(name, case_name, length) == 0 && (case_name[length] == '\0' || case_name[length] == '-');
}

static int choose(const char *command, const char *name, void *options)
{
    validate_options *o = options;
    const char *names[64];
    size_t count = 0;
    bool found = false;
    for (int i = 0; i < val_case_count; i++) {
        if (count < 64) names[count++] = val_cases[i].name;
        if (!matches(name, val_cases[i].name)) continue;
        o->chosen[i] = true;
        found = true;
    }
    o->some = true;
    if (found) return CLI_DONE;
    cli_complain_name(name, names, count, "; --list gives them", "%s: there is no case \"%s\"", command,
                      name);
    return CLI_BAD_INPUT;
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *json_row(const val_row *row)
{
    static const char *const verdicts[] = {"pass", "fail", "info", "skipped"};
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:o, s:s, s:s, s:s}", "case",
                     val_cases[row->case_index].name, "name", row->name, "what", row->what, "unit", row->unit,
                     "ours", cli_json_number(row->ours), "reference", cli_json_number(row->reference),
                     "error", cli_json_number(row->error), "absolute", (int)row->absolute, "tolerance",
                     row->tolerance > 0.0 ? json_real(row->tolerance) : json_null(), "source", row->source,
                     "reason", row->reason, "verdict", verdicts[row->verdict]);
}

static json_t *json_refinement(const val_refinement *r)
{
    json_t *pitches = json_array();
    json_t *values = json_array();
    for (int i = 0; i < r->pitches; i++) {
        (void)json_array_append_new(pitches, json_real(r->per_mm[i]));
        (void)json_array_append_new(values, cli_json_number(r->value[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "case",
                     val_cases[r->case_index].name, "name", r->name, "what", r->what, "unit", r->unit,
                     "voxels_per_mm", pitches, "values", values, "reference", cli_json_number(r->reference),
                     "limit", cli_json_number(r->limit), "order", cli_json_number(r->order), "source",
                     r->source);
}

static json_t *json_table(const val_table *t)
{
    json_t *rows = json_array();
    for (int r = 0; r <= t->rows; r++) {
        json_t *cells = json_array();
        for (int c = 0; c < t->columns; c++) (void)json_array_append_new(cells, json_string(t->cells[r][c]));
        (void)json_array_append_new(rows, cells);
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "case", val_cases[t->case_index].name, "title", t->title, "text",
                     t->text, "cells", rows);
}

static json_t *summary(const validation *v, bool interrupted)
{
    json_t *cases = json_array();
    json_t *rows = json_array();
    json_t *tables = json_array();
    json_t *refinements = json_array();
    const int failed = val_count(v, VAL_FAIL) + val_broken(v);
    for (int i = 0; i < val_case_count; i++) {
        const val_result *r = &v->results[i];
        if (!r->done) continue;
        (void)json_array_append_new(cases, json_pack("{s:s, s:s, s:s, s:f, s:o}", "name", val_cases[i].name,
                                                     "group", val_cases[i].group, "title", val_cases[i].title,
                                                     "seconds", r->seconds, "error",
                                                     r->broken ? cli_json_text(r->message) : json_null()));
    }
    for (int i = 0; i < v->row_count; i++) (void)json_array_append_new(rows, json_row(&v->rows[i]));
    for (int i = 0; i < v->table_count; i++) (void)json_array_append_new(tables, json_table(&v->tables[i]));
    for (int i = 0; i < v->refinement_count; i++) {
        (void)json_array_append_new(refinements, json_refinement(&v->refinements[i]));
    }
    return json_pack("{s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "version", vxe_version(),
                     "status",
                     interrupted  ? "interrupted"
                     : failed > 0 ? "failed"
                                  : "done",
                     "solvers", (int)vxe_solve_available(), "pass", val_count(v, VAL_PASS), "fail", failed,
                     "info", val_count(v, VAL_INFO), "skipped", val_count(v, VAL_SKIPPED), "cases", cases,
                     "rows", rows, "tables", tables, "refinements", refinements);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static vxe_result write_json(const validation *v, bool interrupted, const char *path, vxe_error *error)
{
    json_t *object = summary(v, interrupted);
    char *text = object == NULL ? NULL : json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    if (text == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the report");
    const vxe_result result = vxe_write_file(path, text, strlen(text), error);
    free(text);
    return result;
}

/* Makes the folder; before anything is run, so that a bad one is found at once. */
static vxe_result make_folder(const char *folder, char *path, size_t size, vxe_error *error)
{
    const size_t length = strlen(folder);
    if (length + 32 > size) return vxe_fail(error, VXE_ERROR_FILE, "%.100s...: the name is too long", folder);
    (void)snprintf(path, size, "%s%s", folder, folder[length - 1] == '/' ? "" : "/");
    return cli_make_folder(path, error);
}

static vxe_result write_files(const validation *v, bool interrupted, const char *folder, vxe_error *error)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%sreport.html", folder);
    const vxe_result result = val_write_page(v, path, error);
    if (result != VXE_OK) return result;
    (void)snprintf(path, sizeof path, "%svalidation.json", folder);
    return write_json(v, interrupted, path, error);
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static bool is_chosen(const validate_options *o, int i)
{
    if (o->some && !o->chosen[i]) return false;
    if (!o->quick) return true;
    return val_cases[i].speed == VAL_QUICK ||
           (val_cases[i].speed == VAL_QUICK_SOLVED && vxe_solve_available());
}

static void print_failures(const validation *v, int case_index)
{
    for (int i = 0; i < v->row_count; i++) {
        const val_row *row = &v->rows[i];
        if (row->case_index != case_index || row->verdict != VAL_FAIL) continue;
        printf("%s: %s: %s, reference %s %s, error %s, allowed %s\n", row->name, row->what,
               val_value_text(row->ours).text, val_value_text(row->reference).text, row->unit,
               val_error_text(row).text, val_tolerance_text(row).text);
    }
    if (v->results[case_index].broken)
        printf("%s: %s\n", val_cases[case_index].name, v->results[case_index].message);
}

static void run_cases(const validate_options *o, validation *v)
{
    const bool silent = o->json || o->markdown;
    for (int i = 0; i < val_case_count && !cli_interrupted(); i++) {
        if (!is_chosen(o, i)) continue;
        if ((silent || o->quiet) && isatty(STDERR_FILENO) != 0) {
            (void)fprintf(stderr, "\r%-60s\r%s", "", val_cases[i].title);
        }
        val_run(v, i);
        if (o->refine && !cli_interrupted()) val_refine(v, i);
        if (silent) continue;
        if (o->quiet) {
            print_failures(v, i);
        } else {
            val_print_case(v, i);
        }
        (void)fflush(stdout);
    }
    if ((silent || o->quiet) && isatty(STDERR_FILENO) != 0) (void)fprintf(stderr, "\r%-60s\r", "");
}

static int run(const validate_options *o, validation *v)
{
    char folder[4100] = "";
    vxe_error error = {VXE_OK, ""};
    if (o->folder != NULL && make_folder(o->folder, folder, sizeof folder, &error) != VXE_OK) {
        cli_complain("%s", error.message);
        return cli_exit_status(error.code);
    }
    cli_catch_interrupts();
    run_cases(o, v);
    const bool interrupted = cli_interrupted();
    int status = val_count(v, VAL_FAIL) + val_broken(v) > 0 ? CLI_DIVERGED : CLI_DONE;
    if (interrupted) status = CLI_INTERRUPTED;
    if (o->folder != NULL && write_files(v, interrupted, folder, &error) != VXE_OK) {
        cli_complain("%s", error.message);
        status = cli_exit_status(error.code);
    }
    if (o->json) {
        const int printed = cli_print_json(summary(v, interrupted));
        return status != CLI_DONE ? status : printed;
    }
    if (o->markdown) {
        val_print_markdown(v);
    } else {
        val_print_summary(v);
        if (o->folder != NULL) printf("written: %sreport.html, %svalidation.json\n", folder, folder);
    }
    return cli_finish_output(status);
}

static int list_cases(bool json)
{
    if (!json) {
        val_print_list();
        return cli_finish_output(CLI_DONE);
    }
    json_t *list = json_array();
    for (int i = 0; i < val_case_count; i++) {
        (void)json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", val_cases[i].name, "group",
                                                    val_cases[i].group, "title", val_cases[i].title));
    }
    return cli_print_json(json_pack("{s:o}", "cases", list));
}

int cli_command_validate(int count, char **arguments)
{
    static const cli_syntax syntax = {"validate", cli_help_validate, table, OPTION_COUNT, choose, false};
    validation v;
    validate_options o = {.chosen = calloc((size_t)val_case_count, sizeof(bool))};
    if (o.chosen == NULL || !val_create(&v)) {
        free(o.chosen);
        cli_complain("there is not enough memory");
        return CLI_FILE_PROBLEM;
    }
    int status = cli_parse(&syntax, count, arguments, &o);
    if (status == CLI_GO_ON && o.json && o.markdown)
        status = cli_misuse("validate", "--json or --markdown, not both");
    if (status == CLI_GO_ON) status = o.list ? list_cases(o.json) : run(&o, &v);
    val_destroy(&v);
    free(o.chosen);
    return status;
}
