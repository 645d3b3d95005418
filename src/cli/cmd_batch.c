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

/* K/N */
static bool take_shard(const char *text, void *options)
{
    batch_options *o = options;
    char *end = NULL;
    const long long k = strtoll(text, &end, 10);
    const long long n = *end == '/' ? strtoll(end + 1, &end, 10) : 0;
    if (*end != '\0' || k < 1 || n < k || n > 1000000000)
        return cli_complain("--shard: \"%s\" is not K/N with K from 1 to N", text);
    o->shard = k;
    o->shards = n;
    return true;
}

/* A path that stays right wherever it is read. */
static bool take_base(const char *path, void *options)
{
    batch_options *o = options;
    free(o->base);
    o->base = realpath(path, NULL);
    if (o->base == NULL) cli_complain("%s: there is no such file", path);
    return o->base != NULL;
}

static bool take_collisions(const char *value, void *options)
{
    design_settings *d = &((batch_options *)options)->designs;
    d->has_collisions = true;
    return cli_parse_choice("--collisions", value, vxe_collisions_words, &d->collisions);
}

#define TO(kind, member) CLI_TO(kind, batch_options, member)
#define WORDS(member, words) CLI_WORDS(batch_options, designs.sim.member, words)
static const cli_option table[] = {
    {"--output", 'o', "STORE",
     "the store: one SQLite file, made if it is not there; a store that is there goes on", TO(TEXT, store)},
    {"--base", 0, "SCENE", "scene of the lines that name none", CLI_BY(take_base)},
    {"--fitness", 0, "EXPR",
     "what a design is worth, of the metrics below: 'speed_lengths - cost_of_transport' (default: the "
     "scene's own formula, else distance)",
     TO(TEXT, fitness)},
    {"--time", 0, "S", "stop at this time, unless a line says its own", TO(POSITIVE, designs.time)},
    {"--steps", 0, "N", "stop after this many steps, likewise", TO(COUNT, designs.steps)},
    {"--threads", 0, "N", "designs at the same time (default: as many as processors)", TO(THREADS, threads)},
    {"--device", 0, "NAME",
     "where steps are computed: cpu (the default), cuda or auto; on a GPU without the energy account, which "
     "is kept by the CPU only",
     WORDS(device, vxe_devices)},
    {"--shard", 0, "K/N",
     "run only part K of N, 1 to N, for job arrays; `voxelastic batch merge` puts the stores together",
     CLI_BY(take_shard)},
    {"--best", 0, "K", "keep trace, checkpoint and replay of the K best designs in the store",
     TO(COUNT, best)},
    {"--again", 0, NULL, "run designs again whose results are there", TO(FLAG, again)},
    {"--retry", 0, NULL, "run those again that could not be run", TO(FLAG, retry)},
    {"--anywhere", 0, NULL, "lines may name scene files out of their folder", TO(FLAG, designs.anywhere)},
    {"--no-designs", 0, NULL, "do not keep the lines themselves in the store", TO(FLAG, no_designs)},
    {"--no-audit", 0, NULL, "do not keep the energy account: faster, but without cost of transport and works",
     TO(FLAG_OFF, designs.sim.audit)},
    {"--precision", 0, "NAME", "arithmetic: double (the default), fast or single",
     WORDS(precision, vxe_precisions)},
    {"--isa", 0, "NAME", "instructions: auto (the default), plain, portable, avx2 or avx512",
     WORDS(isa, vxe_isas)},
    {"--dt-fraction", 0, "F", "part of the largest stable time step to use, up to 0.9 (the default)",
     TO(FRACTION, designs.sim.dt_fraction)},
    {"--bond-damping", 0, "NAME", "explicit, implicit or auto (the default)",
     WORDS(bond_damping, vxe_bond_dampings)},
    {"--collisions", 0, "SCHEME",
     "off, grid, all_every, surface_every, all_horizon or surface_horizon, instead of the scenes'",
     CLI_BY(take_collisions)},
    CLI_DIALECT_ROW(batch_options, designs.dialect),
    {"--json", 0, NULL, "print the summary as one JSON object on standard output", TO(FLAG, json)},
    {"--quiet", 'q', NULL, "no progress and no summary", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

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

static int take_input(const char *command, const char *value, void *options)
{
    batch_options *o = options;
    if (o->input != NULL)
        return cli_misuse(command, "one input at a time: \"%s\" after \"%s\"", value, o->input);
    o->input = value;
    return CLI_DONE;
}

static int parse(int count, char **arguments, batch_options *o)
{
    static const cli_syntax syntax = {"batch", cli_help_batch, table, OPTION_COUNT, take_input, false};
    const int status = cli_parse(&syntax, count, arguments, o);
    if (status != CLI_GO_ON) return status;
    if (o->input == NULL || o->store == NULL || o->store[0] == '\0')
        return cli_misuse("batch", "%s",
                          o->input == NULL ? "which designs? A file of lines, or a folder"
                                           : "where to? -o STORE");
    if (!find_folder(o)) return CLI_FILE_PROBLEM;
    o->designs.folder = o->folder;
    o->designs.base = o->base;
    return CLI_GO_ON;
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
    int status = parse(count, arguments, &options);
    if (status == CLI_GO_ON) {
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
