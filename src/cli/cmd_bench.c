/* voxelastic bench: how fast the engine is on this machine. */
#include "cli/bench.h"
#include "cli/options.h"

#include "base/pool.h"

#include <stdlib.h>

enum { DEFAULT_REPEAT = 5 };
#define DEFAULT_SECONDS 0.3
#define QUICK_SECONDS 0.01
#define DEVICE_SECONDS 2.0 /* a GPU's runs begin and end with copies */

/* What was asked for. */
typedef struct bench_options {
    bench_settings settings;
    const char **names; /* of cases; they belong to others */
    size_t name_count;
    const char *compare; /* NULL: with nothing */
    bool has_repeat;
    bool list;
    bool json;
} bench_options;

static bool take_repeat(const char *text, void *options)
{
    bench_options *o = options;
    if (!cli_parse_count("--repeat", text, &o->settings.repeat)) return false;
    if (o->settings.repeat > BENCH_REPEATS_MAX)
        return cli_complain("--repeat: %s is greater than %d", text, BENCH_REPEATS_MAX);
    o->has_repeat = true;
    return true;
}

#define TO(kind, member) CLI_TO(kind, bench_options, member)
#define WORDS(member, words) CLI_WORDS(bench_options, settings.member, words)
static const cli_option table[] = {
    {"--precision", 0, "NAME", "arithmetic: double (the default), fast or single",
     WORDS(sim.precision, vxe_precisions)},
    {"--isa", 0, "NAME",
     "instructions: auto (the default: the widest this machine has), plain, portable, avx2 or avx512",
     WORDS(sim.isa, vxe_isas)},
    {"--device", 0, "NAME", "where steps are computed: cpu (the default), cuda or auto",
     WORDS(sim.device, vxe_devices)},
    {"--threads", 0, "N", "threads (default 1; beside a GPU all processors)",
     TO(THREADS, settings.sim.threads)},
    {"--repeat", 0, "N", "time each case N times and take the fastest, up to 100 (default 5)",
     CLI_BY(take_repeat)},
    {"--audit", 0, NULL, "keep the energy account, as runs do by default; without it, it is off",
     TO(FLAG, settings.sim.audit)},
    {"--large", 0, NULL, "also the cases and sizes of a million voxels, which take minutes",
     TO(FLAG, settings.large)},
    {"--quick", 0, NULL, "few steps and small sizes, to try the command: the figures mean little",
     TO(FLAG, settings.quick)},
    {"--compare", 0, "OLD.json",
     "compare with what --json printed earlier; without CASE, measure the cases that are in it",
     TO(TEXT, compare)},
    {"--list", 0, NULL, "list the cases and measure nothing", TO(FLAG, list)},
    CLI_JSON_ROW(bench_options),
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_bench(void)
{
    printf(
        "Usage: voxelastic bench [CASE...] [options]\n"
        "\n"
        "Measures speed: voxel steps per second, simulated seconds per second, memory, time per stage, and "
        "how\n"
        "much of what one core of this machine can do is used. Without CASE, measures all cases of --list "
        "but\n"
        "\"collisions\", \"terrain\" and the large ones. Sizes and variants of other cases are understood "
        "too: cube30,\n"
        "pile50000-off, cube46-solid (-solid, -beam: elasticity; -off, -grid: collision detection; "
        "-implicit:\n"
        "implicit bond damping, which is explicit otherwise; -default: energy account and damping as runs "
        "have\n"
        "them without options). Populations (robots, controllers) always have these defaults.\n"
        "\n"
        "Resting bodies are timed at rest, actuated ones over whole cycles, by the wall clock, on one core. "
        "The\n"
        "share of the peak counts the operations that the method needs: 197 per link and 74 per voxel, 665 "
        "for a\n"
        "voxel inside a body; the share of bandwidth, its state read and written once.\n"
        "\n"
        "Options:\n");
    cli_print_options(table, OPTION_COUNT);
}

static int take_case(const char *command, const char *value, void *options)
{
    bench_options *o = options;
    (void)command;
    o->names[o->name_count++] = value;
    return CLI_DONE;
}

/* Reads the arguments, as cli_parse() does; `names` has room for all of them. */
static int parse(int count, char **arguments, const char **names, bench_options *o)
{
    static const cli_syntax syntax = {"bench", cli_help_bench, table, OPTION_COUNT, take_case, false};
    *o =
        (bench_options){.settings = {.sim = vxe_default_sim_def(), .repeat = DEFAULT_REPEAT}, .names = names};
    o->settings.sim.audit = false;
    o->settings.sim.threads = 0;
    const int status = cli_parse(&syntax, count, arguments, o);
    const bool device = o->settings.sim.device != VXE_DEVICE_CPU;
    if (o->settings.sim.threads == 0) o->settings.sim.threads = device ? (int32_t)vxe_processors() : 1;
    o->settings.seconds = o->settings.quick ? QUICK_SECONDS : device ? DEVICE_SECONDS : DEFAULT_SECONDS;
    if (o->settings.quick && !o->has_repeat) o->settings.repeat = 1;
    return status;
}

static int list_cases(bool json)
{
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; i < bench_list_count; i++) {
        const bench_listed *c = &bench_list[i];
        if (json) {
            (void)json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:b}", "name", c->name,
                                                        "description", c->summary, "standard",
                                                        (int)c->standard, "large", (int)c->large));
        } else {
            printf("  %-14s %s%s\n", c->name, c->summary, c->large ? " (--large)" : "");
        }
    }
    return json ? cli_print_json(json_pack("{s:o}", "cases", list)) : cli_finish_output(CLI_DONE);
}

/* --- a run of the bench --- */

typedef struct bench_run {
    const bench_options *options;
    json_t *old;       /* NULL: nothing to compare with */
    bench_case *cases; /* (case_count) */
    size_t case_count;
    bool collisions; /* the tables of collision detection as well */
    bool terrain;    /* that of ground */
    bench_machine machine;
    bench_result *results; /* (result_count) */
    size_t result_count;
    json_t *tables; /* of collision detection, as JSON */
    json_t *ground; /* of ground */
} bench_run;

/* Adds the case of a name. */
static vxe_result add_case(bench_run *r, const char *name, vxe_error *error)
{
    bench_case found;
    const vxe_result result = bench_find_case(name, &found, error);
    if (result == VXE_OK && found.kind == BENCH_COLLISIONS) {
        r->collisions = true;
    } else if (result == VXE_OK && found.kind == BENCH_TERRAIN) {
        r->terrain = true;
    } else if (result == VXE_OK) {
        r->cases[r->case_count++] = found;
    }
    return result;
}

/* Which cases: those that were named, else those of the old results, else the standard ones. */
static vxe_result choose_cases(bench_run *r, vxe_error *error)
{
    const bench_options *o = r->options;
    const json_t *old = json_object_get(r->old, "cases");
    const bool by_old = o->name_count == 0 && r->old != NULL;
    const size_t most = o->name_count > 0 ? o->name_count : by_old ? json_array_size(old) : bench_list_count;
    vxe_result result = VXE_OK;
    r->cases = calloc(most + 1, sizeof *r->cases);
    r->results = calloc(most + 1, sizeof *r->results);
    if (r->cases == NULL || r->results == NULL) {
        return vxe_fail_memory(error, "the results", most * sizeof *r->results);
    }
    for (size_t i = 0; i < most && result == VXE_OK; i++) {
        if (o->name_count > 0) {
            result = add_case(r, o->names[i], error);
        } else if (by_old) {
            const char *name = json_string_value(json_object_get(json_array_get(old, i), "name"));
            result = name == NULL ? vxe_fail(error, VXE_ERROR_INPUT, "%s: a case without a name", o->compare)
                                  : add_case(r, name, error);
        } else if (bench_list[i].standard && (!bench_list[i].large || o->settings.large)) {
            result = add_case(r, bench_list[i].name, error);
        }
    }
    return result;
}

static vxe_result measure_all(bench_run *r, vxe_error *error)
{
    const bench_options *o = r->options;
    vxe_result result = VXE_OK;
    bench_progress(&o->settings, "measuring the machine");
    bench_measure_machine(&r->machine, (int)o->settings.sim.threads, o->settings.quick);
    bench_progress_end();
    if (!o->json) bench_print_machine(&r->machine, &o->settings);
    if (!o->json && r->case_count > 0) bench_print_heading();
    for (size_t i = 0; i < r->case_count && result == VXE_OK; i++) {
        result = bench_measure(&r->cases[i], &o->settings, &r->results[i], error);
        if (result != VXE_OK) {
            bench_progress_end();
            return result;
        }
        r->result_count = i + 1;
        if (!o->json) bench_print_result(&r->results[i], &r->machine);
    }
    if (!o->json) {
        bench_print_stages(r->results, r->result_count);
        bench_print_disturbance(r->results, r->result_count);
    }
    if (r->collisions) {
        if (!o->json && r->case_count > 0) printf("\n");
        r->tables = o->json ? json_object() : NULL;
        result = bench_collisions(&o->settings, r->tables, error);
    }
    if (result == VXE_OK && r->terrain) {
        if (!o->json && (r->case_count > 0 || r->collisions)) printf("\n");
        r->ground = o->json ? json_object() : NULL;
        result = bench_terrain(&o->settings, r->ground, error);
    }
    return result;
}

static json_t *make_json(bench_run *r)
{
    const bench_settings *s = &r->options->settings;
    json_t *list = json_array();
    for (size_t i = 0; i < r->result_count; i++) {
        (void)json_array_append_new(list, bench_json_result(&r->results[i], &r->machine));
    }
    json_t *o =
        json_pack("{s:s, s:o, s:{s:I, s:o, s:b, s:b}, s:o}", "version", vxe_version(), "machine",
                  bench_json_machine(&r->machine), "settings", "repeat", (json_int_t)s->repeat, "seconds",
                  cli_json_number(s->seconds), "large", (int)s->large, "quick", (int)s->quick, "cases", list);
    if (r->tables != NULL) (void)json_object_set(o, "collisions", r->tables);
    if (r->ground != NULL) (void)json_object_set(o, "terrain", r->ground);
    if (r->old != NULL) {
        (void)json_object_set_new(o, "comparison",
                                  bench_json_comparison(r->old, r->results, r->result_count, &r->machine));
    }
    return o;
}

static int run_bench(const bench_options *options)
{
    bench_run r = {.options = options};
    vxe_error error = {VXE_OK, ""};
    int status = CLI_DONE;
    vxe_result result = options->compare != NULL ? bench_load_old(options->compare, &r.old, &error) : VXE_OK;
    if (result == VXE_OK) result = choose_cases(&r, &error);
    if (result == VXE_OK) result = measure_all(&r, &error);
    if (result != VXE_OK) {
        status = cli_fail("bench", options->json, &error);
    } else if (options->json) {
        status = cli_print_json(make_json(&r));
    } else {
        if (r.old != NULL) bench_print_comparison(r.old, r.results, r.result_count, &r.machine);
        status = cli_finish_output(CLI_DONE);
    }
    json_decref(r.tables);
    json_decref(r.ground);
    json_decref(r.old);
    free(r.results);
    free(r.cases);
    return status;
}

int cli_command_bench(int count, char **arguments)
{
    bench_options options;
    const char **names = calloc((size_t)count + 1, sizeof *names);
    if (names == NULL) {
        cli_complain("there is not enough memory for the arguments");
        return CLI_FILE_PROBLEM;
    }
    int status = parse(count, arguments, names, &options);
    if (status == CLI_GO_ON) status = options.list ? list_cases(options.json) : run_bench(&options);
    free(names);
    return status;
}
