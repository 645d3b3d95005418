/* voxelastic batch: options, and the run itself. */
#define _DEFAULT_SOURCE /* realpath */
#include "cli/batch.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_SECONDS 60.0 /* between lines of progress where there is no terminal */

enum {
    OPTION_OUTPUT,
    OPTION_BASE,
    OPTION_FITNESS,
    OPTION_TIME,
    OPTION_STEPS,
    OPTION_THREADS,
    OPTION_DEVICE,
    OPTION_SHARD,
    OPTION_BEST,
    OPTION_AGAIN,
    OPTION_RETRY,
    OPTION_ANYWHERE,
    OPTION_NO_DESIGNS,
    OPTION_NO_AUDIT,
    OPTION_PRECISION,
    OPTION_ISA,
    OPTION_DT_FRACTION,
    OPTION_BOND_DAMPING,
    OPTION_COLLISIONS,
    OPTION_DIALECT,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_COUNT
};

static const cli_option table[OPTION_COUNT] = {
    [OPTION_OUTPUT] = {"--output", 'o', "STORE",
                       "the store: one SQLite file, made if it is not there; a store that is there goes on"},
    [OPTION_BASE] = {"--base", 0, "SCENE", "scene of the lines that name none"},
    [OPTION_FITNESS] = {"--fitness", 0, "EXPR",
                        "what a design is worth, of the metrics below: 'speed_lengths - cost_of_transport' "
                        "(default: the scene's own formula, else distance)"},
    [OPTION_TIME] = {"--time", 0, "S", "stop at this time, unless a line says its own"},
    [OPTION_STEPS] = {"--steps", 0, "N", "stop after this many steps, likewise"},
    [OPTION_THREADS] = {"--threads", 0, "N", "designs at the same time (default: as many as processors)"},
    [OPTION_DEVICE] = {"--device", 0, "NAME",
                       "where steps are computed: cpu (the default), cuda or auto; on a GPU without the "
                       "energy account, which is kept by the CPU only"},
    [OPTION_SHARD] = {"--shard", 0, "K/N",
                      "run only part K of N, 1 to N, for job arrays; `voxelastic batch merge` puts the "
                      "stores together"},
    [OPTION_BEST] = {"--best", 0, "K",
                     "keep trace, checkpoint and replay of the K best designs in the store"},
    [OPTION_AGAIN] = {"--again", 0, NULL, "run designs again whose results are there"},
    [OPTION_RETRY] = {"--retry", 0, NULL, "run those again that could not be run"},
    [OPTION_ANYWHERE] = {"--anywhere", 0, NULL, "lines may name scene files out of their folder"},
    [OPTION_NO_DESIGNS] = {"--no-designs", 0, NULL, "do not keep the lines themselves in the store"},
    [OPTION_NO_AUDIT] = {"--no-audit", 0, NULL,
                         "do not keep the energy account: faster, but without cost of transport and works"},
    [OPTION_PRECISION] = {"--precision", 0, "NAME", "arithmetic: double (the default), fast or single"},
    [OPTION_ISA] = {"--isa", 0, "NAME", "instructions: auto (the default), plain, portable, avx2 or avx512"},
    [OPTION_DT_FRACTION] = {"--dt-fraction", 0, "F",
                            "part of the largest stable time step to use, up to 0.9 (the default)"},
    [OPTION_BOND_DAMPING] = {"--bond-damping", 0, "NAME", "explicit, implicit or auto (the default)"},
    [OPTION_COLLISIONS] = {"--collisions", 0, "SCHEME",
                           "off, grid, all_every, surface_every, all_horizon or surface_horizon, instead of "
                           "the scenes'"},
    [OPTION_DIALECT] = {"--dialect", 0, "NAME", CLI_DIALECT_HELP},
    [OPTION_JSON] = {"--json", 0, NULL, "print the summary as one JSON object on standard output"},
    [OPTION_QUIET] = {"--quiet", 'q', NULL, "no progress and no summary"},
    [OPTION_HELP] = {"--help", 'h', NULL, "this text"},
};

void cli_help_batch(void)
{
    printf("Usage: voxelastic batch INPUT -o STORE [options]\n"
           "       voxelastic batch status STORE [--json]\n"
           "       voxelastic batch top STORE [-n N] [--by EXPR] [--json]\n"
           "       voxelastic batch show STORE ID [--scene FILE] [--trace FILE] [--checkpoint FILE]\n"
           "                             [--replay FILE] [--repeat R] [--json]\n"
           "       voxelastic batch export STORE [-o FILE] [--format NAME] [-n N]\n"
           "       voxelastic batch merge STORE FROM...\n"
           "\n"
           "Runs very many designs on all processors, with results in a database; killed at any moment and\n"
           "started again, it goes on. INPUT is a file of JSON lines, one design each ({\"id\": \"a\", "
           "\"scene\":\n"
           "\"robot.json\", \"changes\": {\"signals[0].period\": 0.4}}), - for lines on standard input, a "
           "folder of\n"
           "scenes, a folder with base.vxa and overlays (.vxd), or a scene.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, OPTION_COUNT);
    printf("\nOptions of status, top and show:\n");
    batch_print_show_options();
    printf("\nOptions of export:\n");
    batch_print_export_options();
    printf(
        "\n"
        "export writes by the end of FILE, or by --format: table, csv, jsonl, vxr (voxcraft's report), html\n"
        "(a page with fitness over time, a histogram and replays of the best).\n"
        "\n"
        "Metrics, for --fitness and --by; NaN and faults come last:\n");
    for (int i = 0; i < METRIC_COUNT; i++)
        printf("  %-18s %s%s%s\n", vxe_metrics[i].name, vxe_metrics[i].unit,
               vxe_metrics[i].unit[0] != '\0' ? ": " : "", vxe_metrics[i].what);
    printf("  %-18s of the run: s simulated, steps, s of real time\n", "time steps wall");
    printf(
        "\n"
        "Started by mpirun, rank 0 keeps the store and the others work (docs/cluster.md).\n"
        "\n"
        "Exit status: 0 everything was run, whatever became of it; 2 bad usage or input; 4 a file problem,\n"
        "such as a full disk; 130 interrupted. The store is valid and goes on in all cases.\n"
        "\n"
        "Examples:\n"
        "  voxelastic batch designs.jsonl -o runs.db --time 5 --fitness speed_lengths\n"
        "  voxelastic batch top runs.db -n 5\n"
        "  voxelastic batch show runs.db robot-17 --replay robot-17.html\n"
        "  voxelastic batch export runs.db -o report.html\n");
}

/* ---- options ---------------------------------------------------------------------------------------------- */

/* K/N */
static bool parse_shard(const char *text, int64_t *shard, int64_t *shards)
{
    char *end = NULL;
    const long long k = strtoll(text, &end, 10);
    const long long n = *end == '/' ? strtoll(end + 1, &end, 10) : 0;
    if (*end != '\0' || k < 1 || n < k || n > 1000000000) {
        cli_complain("--shard: \"%s\" is not K/N with K from 1 to N", text);
        return false;
    }
    *shard = k;
    *shards = n;
    return true;
}

/* A path that stays right wherever it is read. */
static bool make_absolute(const char *path, char **absolute)
{
    *absolute = realpath(path, NULL);
    if (*absolute == NULL) cli_complain("%s: there is no such file", path);
    return *absolute != NULL;
}

static bool take_option(int option, const char *value, batch_options *o, bool *help)
{
    design_settings *d = &o->designs;
    switch (option) {
    case OPTION_OUTPUT: o->store = value; return true;
    case OPTION_BASE: free(o->base); return make_absolute(value, &o->base);
    case OPTION_FITNESS: o->fitness = value; return true;
    case OPTION_TIME: return cli_parse_positive("--time", value, &d->time);
    case OPTION_STEPS: return cli_parse_count("--steps", value, &d->steps);
    case OPTION_THREADS: return cli_parse_threads(value, &o->threads);
    case OPTION_DEVICE: return cli_parse_device(value, &d->sim.device);
    case OPTION_SHARD: return parse_shard(value, &o->shard, &o->shards);
    case OPTION_BEST: return cli_parse_count("--best", value, &o->best);
    case OPTION_AGAIN: o->again = true; return true;
    case OPTION_RETRY: o->retry = true; return true;
    case OPTION_ANYWHERE: d->anywhere = true; return true;
    case OPTION_NO_DESIGNS: o->no_designs = true; return true;
    case OPTION_NO_AUDIT: d->sim.audit = false; return true;
    case OPTION_PRECISION: return cli_parse_precision(value, &d->sim.precision);
    case OPTION_ISA: return cli_parse_isa(value, &d->sim.isa);
    case OPTION_DT_FRACTION: return cli_parse_fraction(value, &d->sim.dt_fraction);
    case OPTION_BOND_DAMPING: return cli_parse_bond_damping(value, &d->sim.bond_damping);
    case OPTION_COLLISIONS: d->has_collisions = true; return cli_parse_collisions(value, &d->collisions);
    case OPTION_DIALECT: return cli_parse_dialect(value, &d->dialect);
    case OPTION_JSON: o->json = true; return true;
    case OPTION_QUIET: o->quiet = true; return true;
    default: *help = true; return true;
    }
}

/* The folder of the designs. */
static bool find_folder(batch_options *o)
{
    char *copy = malloc(strlen(o->input) + 3);
    if (copy == NULL) return false;
    (void)snprintf(copy, strlen(o->input) + 3, "%s", o->input);
    char *slash = strrchr(copy, '/');
    if (slash == NULL) {
        (void)snprintf(copy, strlen(o->input) + 3, ".");
    } else {
        slash[slash == copy ? 1 : 0] = '\0';
    }
    o->folder = realpath(copy, NULL);
    free(copy);
    return true; /* a folder that is not there is told when the input is opened */
}

static int parse(int count, char **arguments, batch_options *o, bool *help)
{
    cli_arguments a = {"batch", count, arguments, 0, NULL, false};
    const char *value = "";
    for (int option = 0; option != CLI_END && !*help;) {
        option = cli_next_argument(&a, table, OPTION_COUNT, &value);
        if (option == CLI_WRONG) return cli_point_to_help("batch");
        if (option == CLI_OPERAND && o->input != NULL) {
            cli_complain("batch: one input at a time: \"%s\" after \"%s\"", value, o->input);
            return cli_point_to_help("batch");
        }
        if (option == CLI_OPERAND) o->input = value;
        if (option >= 0 && !take_option(option, value, o, help)) return CLI_BAD_INPUT;
    }
    if (*help) return CLI_DONE;
    if (o->input == NULL || o->store == NULL || o->store[0] == '\0') {
        cli_complain("batch: %s",
                     o->input == NULL ? "which designs? A file of lines, or a folder" : "where to? -o STORE");
        return cli_point_to_help("batch");
    }
    if (!find_folder(o)) return CLI_FILE_PROBLEM;
    o->designs.folder = o->folder;
    o->designs.base = o->base;
    return CLI_DONE;
}

/* The arguments in one text, for the store. */
static char *join(int count, char **arguments)
{
    size_t size = 1;
    for (int i = 0; i < count; i++) size += strlen(arguments[i]) + 1;
    char *text = calloc(size, 1);
    size_t used = 0;
    for (int i = 0; i < count && text != NULL; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", arguments[i]);
    return text;
}

/* ---- the run ------------------------------------------------------------------------------------------------ */

typedef struct clerk {
    const batch_options *options;
    batch_crew *crew;
    progress bar;
    double begun;  /* on cli_clock() */
    double logged; /* likewise: the last line where there is no terminal */
} clerk;

static void show_progress(clerk *k, bool last)
{
    char text[200];
    char best[80] = "";
    const batch_counts c = batch_crew_count(k->crew);
    const double seconds = cli_clock() - k->begun;
    const double rate = (double)(c.done + c.fault + c.failed) / fmax(seconds, 1e-9);
    const double part = batch_crew_part(k->crew);
    if (k->options->quiet) return;
    if (isfinite(c.best)) (void)snprintf(best, sizeof best, "  best %.5g (%.40s)", c.best, c.best_id);
    (void)snprintf(text, sizeof text, "%" PRId64 " done  %" PRId64 " failed  %" PRId64 " known  %.4g/s%s",
                   c.done, c.fault + c.failed, c.skipped, rate, best);
    if (k->bar.shown) {
        if (!last) (void)cli_progress_text(&k->bar, part, text);
        return;
    }
    if (last || cli_clock() - k->logged < LOG_SECONDS) return;
    k->logged = cli_clock();
    if (part > 0.0)
        (void)fprintf(stderr, "%.0f s: %s  %.0f %%, about %.0f s left\n", seconds, text, 100.0 * part,
                      seconds * (1.0 - part) / part);
    else
        (void)fprintf(stderr, "%.0f s: %s\n", seconds, text);
    (void)fflush(stderr);
}

/* Writes what comes in until all is done; rank 0 of several also serves the others. */
static vxe_result write_all(clerk *k, vxe_batch *batch, batch_ranks *ranks, vxe_error *error)
{
    bool told = false;
    bool others = ranks->ranks > 1;
    vxe_result result = VXE_OK;
    for (;;) {
        if (others) others = batch_ranks_serve(k->crew, ranks, &result, error);
        const bool over = !others && (batch == NULL || vxe_batch_wait(batch, 0.0));
        if (result == VXE_OK) result = batch_crew_write(k->crew, over, error);
        if (result == VXE_OK) result = batch_crew_problem(k->crew, error);
        show_progress(k, false);
        if (result != VXE_OK || over) return result;
        if (cli_interrupted() && !told) {
            told = true;
            batch_crew_stop(k->crew);
            vxe_batch_cancel(batch);
        }
        batch_crew_wait(k->crew, others ? 2e-4 : 0.02);
    }
}

static json_t *summary(const clerk *k, const char *status, double seconds)
{
    const batch_counts c = batch_crew_count(k->crew);
    const double ran = (double)(c.done + c.fault + c.failed);
    return json_pack(
        "{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "input",
        cli_json_text(k->options->input), "store", cli_json_text(k->options->store), "status", status, "done",
        (json_int_t)c.done, "faults", (json_int_t)c.fault, "failed", (json_int_t)c.failed, "skipped",
        (json_int_t)c.skipped, "seconds", cli_json_number(seconds), "designs_per_second",
        cli_json_number(ran / fmax(seconds, 1e-9)), "store_seconds", cli_json_number(c.store_seconds), "best",
        cli_json_number(c.best), "best_id", c.best_id[0] != '\0' ? cli_json_text(c.best_id) : json_null());
}

static void print_summary(const clerk *k, const char *status, double seconds)
{
    const batch_counts c = batch_crew_count(k->crew);
    const double ran = (double)(c.done + c.fault + c.failed);
    printf("%s: %s\n\n", k->options->input, status);
    printf("  done               %" PRId64 "\n", c.done);
    if (c.fault > 0) printf("  faults             %" PRId64 "\n", c.fault);
    if (c.failed > 0) printf("  could not be run   %" PRId64 "\n", c.failed);
    if (c.skipped > 0) printf("  known before       %" PRId64 "\n", c.skipped);
    printf("  took               %s, %.4g designs/s\n", cli_quantity(seconds, "s").text,
           ran / fmax(seconds, 1e-9));
    if (isfinite(c.best)) printf("  best               %.6g (%s)\n", c.best, c.best_id);
    printf("  store              %s\n", k->options->store);
}

/* The run of this process: alone, or as rank 0. */
static vxe_result run_crew(clerk *k, batch_ranks *ranks, vxe_error *error)
{
    const batch_options *o = k->options;
    const batch_port port = batch_crew_port(k->crew);
    vxe_batch *batch = NULL;
    vxe_result result = VXE_OK;
    /* Rank 0 of several leaves the work to the others, so that they never wait for it. */
    if (ranks->ranks == 1) result = batch_work_start(&port, o->threads, &batch, error);
    if (result == VXE_OK) result = write_all(k, batch, ranks, error);
    if (result == VXE_OK && ranks->leftover && !cli_interrupted()) { /* what they had in hand is left */
        batch_ranks alone = {.ranks = 1};
        result = batch_work_start(&port, o->threads, &batch, error);
        if (result == VXE_OK) result = write_all(k, batch, &alone, error);
    }
    batch_crew_stop(k->crew); /* also where something went wrong: nobody may wait */
    vxe_batch_destroy(batch);
    cli_progress_end(&k->bar);
    return result;
}

static int tell(const clerk *k, const char *status, int outcome)
{
    const double seconds = cli_clock() - k->begun;
    if (k->options->json) {
        const int printed = cli_print_json(summary(k, status, seconds));
        return outcome == CLI_DONE ? printed : outcome;
    }
    if (k->options->quiet) return outcome;
    print_summary(k, status, seconds);
    return cli_finish_output(outcome);
}

/* What went wrong, and that nothing is lost by it. */
static int complain(const batch_options *options, vxe_result result, const vxe_error *error)
{
    cli_complain("%s", error->message);
    if (!options->quiet && !options->json)
        cli_complain("what %s holds is whole; the same command goes on with it", options->store);
    return cli_exit_status(result);
}

static int run(const batch_options *options, batch_ranks *ranks)
{
    vxe_error error = {VXE_OK, ""};
    vxe_error last = {VXE_OK, ""};
    clerk k = {.options = options, .begun = cli_clock(), .logged = cli_clock()};
    vxe_result result = batch_crew_open(options, &k.crew, &error);
    if (result != VXE_OK) {
        cli_complain("%s", error.message);
        ranks->left = ranks->ranks - 1;
        batch_ranks_end(ranks, cli_exit_status(result));
        return cli_exit_status(result);
    }
    cli_progress_start(&k.bar, options->quiet);
    result = run_crew(&k, ranks, &error);
    const bool interrupted = cli_interrupted();
    const char *status = result != VXE_OK ? "stopped" : interrupted ? "interrupted" : "done";
    if (result == VXE_OK) result = batch_crew_write(k.crew, true, &error);
    if (result == VXE_OK && !interrupted && options->best > 0)
        result = batch_keep_best(batch_crew_store(k.crew), options->best, options->quiet, &error);
    int outcome = result != VXE_OK ? complain(options, result, &error)
                  : interrupted    ? CLI_INTERRUPTED
                                   : CLI_DONE;
    if (result == VXE_OK || options->json) outcome = tell(&k, result != VXE_OK ? "stopped" : status, outcome);
    const vxe_result closed = batch_crew_close(k.crew, result == VXE_OK ? status : NULL, &last);
    if (result == VXE_OK && closed != VXE_OK) outcome = complain(options, closed, &last);
    batch_ranks_end(ranks, outcome);
    return outcome;
}

int cli_command_batch(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **arguments);
    } commands[] = {{"status", batch_command_status},
                    {"top", batch_command_top},
                    {"show", batch_command_show},
                    {"export", batch_command_export},
                    {"merge", batch_command_merge}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && count > 0; i++)
        if (strcmp(arguments[0], commands[i].name) == 0) return commands[i].run(count - 1, arguments + 1);
    batch_options options = {.designs = {.sim = vxe_default_sim_def()}, .shard = 1, .shards = 1};
    bool help = false;
    int status = parse(count, arguments, &options, &help);
    if (status == CLI_DONE && help) {
        cli_help_batch();
        status = cli_finish_output(CLI_DONE);
    } else if (status == CLI_DONE) {
        char *command = join(count, arguments);
        batch_ranks ranks;
        options.command = command != NULL ? command : "";
        cli_catch_interrupts();
        if (!batch_ranks_begin(&ranks, options.designs.sim.device != VXE_DEVICE_CPU)) {
            status = CLI_BAD_INPUT;
        } else {
            cli_settle_device(&options.designs.sim); /* not before it is known which GPU */
            status = ranks.rank == 0 ? run(&options, &ranks) : batch_ranks_work(&options);
        }
        free(command);
    }
    free(options.folder);
    free(options.base);
    return status;
}
