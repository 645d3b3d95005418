/* voxelastic batch status, top, show and merge. */
#include "cli/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- options ---------------------------------------------------------------------------------------------- */

typedef struct show_options {
    const char *operands[2]; /* store and id */
    int operand_count;
    int wanted;
    int64_t count;
    int64_t repeat;
    const char *by;
    const char *scene;
    const char *trace;
    const char *checkpoint;
    const char *replay;
    bool json;
} show_options;

static bool take_count(const char *value, void *options)
{
    return cli_parse_count("-n", value, &((show_options *)options)->count);
}

#define TO(kind, member) CLI_TO(kind, show_options, member)
static const cli_option table[] = {
    {"--count", 'n', "N", "how many designs (default: 10)", CLI_BY(take_count)},
    {"--by", 0, "EXPR", "order by this expression instead of the fitness", TO(TEXT, by)},
    {"--repeat", 0, "R", "this repeat, from 1 (default: the first result)", TO(COUNT, repeat)},
    {"--scene", 0, "FILE", "write the scene of the design", TO(TEXT, scene)},
    {"--trace", 0, "FILE", "write the trace of its run", TO(TEXT, trace)},
    {"--checkpoint", 0, "FILE", "write the state at its end", TO(TEXT, checkpoint)},
    {"--replay", 0, "FILE", "write its replay", TO(TEXT, replay)},
    {"--json", 0, NULL, "print JSON", TO(FLAG, json)},
    CLI_HELP_ROW("the help of batch"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void batch_print_show_options(void) { cli_print_options(table, OPTION_COUNT); }

static int take_operand(const char *command, const char *value, void *options)
{
    show_options *o = options;
    if (o->operand_count == o->wanted) return cli_misuse(command, "what is \"%s\"?", value);
    o->operands[o->operand_count++] = value;
    return CLI_DONE;
}

/* As cli_parse(). */
static int parse(const char *command, int wanted, int count, char **arguments, show_options *o)
{
    const cli_syntax syntax = {command, cli_help_batch, table, OPTION_COUNT, take_operand, false};
    *o = (show_options){.count = 10, .wanted = wanted};
    const int status = cli_parse(&syntax, count, arguments, o);
    if (status != CLI_GO_ON || o->operand_count == wanted) return status;
    return cli_misuse(command, "which %s?", o->operand_count == 0 ? "store" : "design");
}

static int complain(const vxe_error *error)
{
    cli_complain("%s", error->message);
    return cli_exit_status(error->code);
}

/* ---- status ----------------------------------------------------------------------------------------------- */

static void print_moment(const char *what, double seconds)
{
    char text[64];
    const time_t whole = (time_t)seconds;
    struct tm parts;
    if (!(seconds > 0.0) || localtime_r(&whole, &parts) == NULL) return;
    (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    printf("  %-18s %s\n", what, text);
}

static json_t *json_runs(batch_store *store)
{
    json_t *list = json_array();
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(vxe_store_connection(store),
                           "SELECT run, host, device, precision, rank, shard, shards, version, how, input, "
                           "started, ended FROM runs ORDER BY run",
                           -1, &s, NULL) == SQLITE_OK) {
        while (sqlite3_step(s) == SQLITE_ROW) {
            const char *how = (const char *)sqlite3_column_text(s, 8);
            (void)json_array_append_new(
                list,
                json_pack(
                    "{s:I, s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:f, s:o}", "run",
                    (json_int_t)sqlite3_column_int64(s, 0), "host", (const char *)sqlite3_column_text(s, 1),
                    "device", (const char *)sqlite3_column_text(s, 2), "precision",
                    (const char *)sqlite3_column_text(s, 3), "rank", sqlite3_column_int(s, 4), "shard",
                    sqlite3_column_int(s, 5), "shards", sqlite3_column_int(s, 6), "version",
                    (const char *)sqlite3_column_text(s, 7), "how", how != NULL ? how : "not ended",
                    "started", sqlite3_column_double(s, 10), "ended",
                    sqlite3_column_type(s, 11) == SQLITE_NULL ? json_null()
                                                              : json_real(sqlite3_column_double(s, 11))));
        }
    }
    (void)sqlite3_finalize(s);
    return list;
}

int batch_command_status(int count, char **arguments)
{
    show_options o;
    vxe_error error = {VXE_OK, ""};
    batch_store *store = NULL;
    store_counts c;
    char *fitness_text = NULL;
    double runs = 0.0;
    int status = parse("batch status", 1, count, arguments, &o);
    if (status != CLI_GO_ON) return status;
    vxe_result result = vxe_store_open(o.operands[0], STORE_READ, &store, &error);
    if (result == VXE_OK) result = vxe_store_count(store, &c, &error);
    if (result == VXE_OK) result = vxe_store_get(store, "fitness", &fitness_text, &error);
    if (result == VXE_OK) result = vxe_store_number(store, "SELECT count(*) FROM runs", &runs, &error);
    if (result != VXE_OK) {
        status = complain(&error);
    } else if (o.json) {
        status = cli_print_json(json_pack(
            "{s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "store",
            cli_json_text(o.operands[0]), "schema", STORE_VERSION, "designs", (json_int_t)c.designs,
            "aliases", (json_int_t)c.aliases, "done", (json_int_t)c.done, "faults", (json_int_t)c.fault,
            "failed", (json_int_t)c.failed, "steps", (json_int_t)c.steps, "simulated_seconds",
            cli_json_number(c.time), "worker_seconds", cli_json_number(c.wall), "best",
            cli_json_number(c.best), "fitness", cli_json_text(fitness_text), "runs", json_runs(store)));
    } else {
        printf("%s\n\n", o.operands[0]);
        printf("  designs            %" PRId64 "\n", c.designs);
        if (c.aliases > 0) printf("  other names        %" PRId64 "\n", c.aliases);
        printf("  done               %" PRId64 "\n", c.done);
        printf("  faults             %" PRId64 "\n", c.fault);
        printf("  could not be run   %" PRId64 "\n", c.failed);
        printf("  simulated          %s, %" PRId64 " steps\n", cli_quantity(c.time, "s").text, c.steps);
        printf("  on workers         %s\n", cli_quantity(c.wall, "s").text);
        printf("  fitness            %s\n",
               fitness_text[0] != '\0' ? fitness_text : "the scene's formula, else distance");
        if (isfinite(c.best)) printf("  best               %.6g\n", c.best);
        printf("  runs               %.0f\n", runs);
        print_moment("first result", c.first);
        print_moment("last result", c.last);
        status = cli_finish_output(CLI_DONE);
    }
    free(fitness_text);
    vxe_store_close(store);
    return status;
}

/* ---- top -------------------------------------------------------------------------------------------------- */

/* A design and what it is worth. */
typedef struct ranked {
    int64_t design;
    int32_t repeat;
    double value;
    int64_t repeats; /* that the value is the mean of */
} ranked;

typedef struct ranking {
    fitness by;
    ranked *list; /* the best first */
    int64_t count;
    int64_t room;
} ranking;

/* Puts a design in its place, if it has one. */
static bool rank_row(void *user, const store_row *row)
{
    ranking *r = user;
    const double value = vxe_fitness_value(&r->by, row->metrics, row->time, (double)row->steps, row->wall);
    if (isnan(value) || (r->count == r->room && value <= r->list[r->count - 1].value)) return true;
    int64_t at = r->count < r->room ? r->count++ : r->count - 1;
    for (; at > 0 && r->list[at - 1].value < value; at--) r->list[at] = r->list[at - 1];
    r->list[at] = (ranked){row->design, row->repeat, value, 1};
    return true;
}

/* By the fitness of the store: the mean of a design's repeats, if there are any and all are done. */
static vxe_result rank_stored(batch_store *store, ranking *r, vxe_error *error)
{
    double repeats = 0.0;
    sqlite3_stmt *s = NULL;
    vxe_result result =
        vxe_store_number(store, "SELECT EXISTS(SELECT 1 FROM results WHERE repeat > 0)", &repeats, error);
    if (result != VXE_OK) return result;
    const char *sql =
        repeats > 0.0
            ? "SELECT design, min(repeat), avg(fitness), count(*) FROM results GROUP BY design HAVING "
              "count(fitness)=count(*) ORDER BY 3 DESC LIMIT ?1"
            : "SELECT design, repeat, fitness, 1 FROM results WHERE fitness IS NOT NULL ORDER BY fitness "
              "DESC "
              "LIMIT ?1";
    if (sqlite3_prepare_v2(vxe_store_connection(store), sql, -1, &s, NULL) != SQLITE_OK)
        return vxe_store_fail(store, error);
    (void)sqlite3_bind_int64(s, 1, r->room);
    int step = SQLITE_DONE;
    while (r->count < r->room && (step = sqlite3_step(s)) == SQLITE_ROW)
        r->list[r->count++] = (ranked){sqlite3_column_int64(s, 0), sqlite3_column_int(s, 1),
                                       sqlite3_column_double(s, 2), sqlite3_column_int64(s, 3)};
    if (step != SQLITE_ROW && step != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}

typedef struct printing {
    const ranked *one;
    int64_t place;
    json_t *list; /* NULL: print a line */
} printing;

static json_t *json_metrics(const store_row *row)
{
    json_t *metrics = json_object();
    for (int i = 0; i < METRIC_COUNT; i++)
        (void)json_object_set_new(metrics, vxe_metrics[i].name, cli_json_number(row->metrics[i]));
    return metrics;
}

static json_t *json_row(const store_row *row)
{
    return json_pack(
        "{s:o, s:s, s:I, s:i, s:s, s:s, s:o, s:I, s:o, s:o, s:s, s:o, s:o}", "id", cli_json_text(row->id),
        "hash", row->hash, "line", (json_int_t)row->number, "repeat", (int)row->repeat, "status", row->status,
        "reason", row->reason, "fitness", cli_json_number(row->fitness), "steps", (json_int_t)row->steps,
        "time", cli_json_number(row->time), "wall", cli_json_number(row->wall), "state_hash", row->state_hash,
        "message", row->message != NULL ? cli_json_text(row->message) : json_null(), "metrics",
        json_metrics(row));
}

static bool print_ranked(void *user, const store_row *row)
{
    const printing *p = user;
    if (p->list != NULL) {
        json_t *object = json_row(row);
        (void)json_object_set_new(object, "value", cli_json_number(p->one->value));
        (void)json_object_set_new(object, "repeats", json_integer(p->one->repeats));
        (void)json_array_append_new(p->list, object);
        return true;
    }
    printf("%6" PRId64 "  %-24s %14.6g %12s %12.4g %10.4g %10.4g %10s\n", p->place, row->id, p->one->value,
           cli_quantity(row->metrics[METRIC_DISTANCE], "m").text, row->metrics[METRIC_SPEED_LENGTHS],
           row->metrics[METRIC_COST_OF_TRANSPORT], row->metrics[METRIC_STRAIN_MAX],
           cli_quantity(row->time, "s").text);
    return true;
}

static vxe_result print_ranking(batch_store *store, const ranking *r, json_t *list, vxe_error *error)
{
    char where[96];
    vxe_result result = VXE_OK;
    if (list == NULL)
        printf("%6s  %-24s %14s %12s %12s %10s %10s %10s\n", "", "design", "fitness", "distance", "lengths/s",
               "transport", "strain", "time");
    for (int64_t i = 0; i < r->count && result == VXE_OK; i++) {
        printing p = {&r->list[i], i + 1, list};
        (void)snprintf(where, sizeof where, "r.design=%" PRId64 " AND r.repeat=%d", r->list[i].design,
                       (int)r->list[i].repeat);
        result = vxe_store_each(store, STORE_BY_DESIGN, where, 1, print_ranked, &p, error);
    }
    return result;
}

int batch_command_top(int count, char **arguments)
{
    show_options o;
    vxe_error error = {VXE_OK, ""};
    batch_store *store = NULL;
    ranking r = {.count = 0};
    int status = parse("batch top", 1, count, arguments, &o);
    if (status != CLI_GO_ON) return status;
    r.room = o.count < 1000000 ? o.count : 1000000;
    r.list = calloc((size_t)r.room, sizeof *r.list);
    vxe_result result = r.list == NULL ? vxe_fail_memory(&error, "a list", (size_t)r.room)
                                       : vxe_store_open(o.operands[0], STORE_READ, &store, &error);
    if (result == VXE_OK && o.by != NULL) {
        result = vxe_fitness_parse(o.by, &r.by, &error);
        if (result == VXE_OK)
            result = vxe_store_each(store, STORE_BY_DESIGN, "r.status='done'", 0, rank_row, &r, &error);
    } else if (result == VXE_OK) {
        result = rank_stored(store, &r, &error);
    }
    json_t *list = o.json ? json_array() : NULL;
    if (result == VXE_OK) result = print_ranking(store, &r, list, &error);
    if (result != VXE_OK) {
        json_decref(list);
        status = complain(&error);
    } else {
        status = o.json ? cli_print_json(list) : cli_finish_output(CLI_DONE);
    }
    vxe_fitness_free(&r.by);
    free(r.list);
    vxe_store_close(store);
    return status;
}

/* ---- show --------------------------------------------------------------------------------------------------- */

/* The number of the design with an id, another name, or a hash; 0: none. */
static vxe_result find_design(batch_store *store, const char *id, int64_t *design, vxe_error *error)
{
    static const char *const ways[] = {
        "SELECT design FROM designs WHERE id=?1 ORDER BY design DESC",
        "SELECT d.design FROM aliases a JOIN designs d ON d.hash=a.hash WHERE a.id=?1",
        "SELECT design FROM designs WHERE lower(hex(hash))=lower(?1)"};
    *design = 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && *design == 0; i++) {
        sqlite3_stmt *s = NULL;
        if (i == 2 && strlen(id) != DIGEST_TEXT - 1) break;
        if (sqlite3_prepare_v2(vxe_store_connection(store), ways[i], -1, &s, NULL) != SQLITE_OK)
            return vxe_store_fail(store, error);
        (void)sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW) *design = sqlite3_column_int64(s, 0);
        (void)sqlite3_finalize(s);
    }
    if (*design == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no design \"%.100s\"", vxe_store_path(store),
                        id);
    return VXE_OK;
}

/* The first result of a design. */
typedef struct shown {
    bool json;
    bool found;
    json_t *object;
    int32_t repeat;
} shown;

static bool show_row(void *user, const store_row *row)
{
    shown *s = user;
    s->repeat = row->repeat;
    s->found = true;
    if (s->json) {
        s->object = json_row(row);
        return false;
    }
    printf("%s\n\n", row->id);
    printf("  status             %s (%s)\n", row->status, row->reason);
    if (row->message != NULL) printf("  message            %s\n", row->message);
    printf("  line               %" PRId64 "\n", row->number);
    if (row->repeat > 0) printf("  repeat             %d\n", (int)row->repeat + 1);
    if (!isnan(row->fitness)) printf("  fitness            %.9g\n", row->fitness);
    printf("  simulated          %s in %" PRId64 " steps, computed in %s\n",
           cli_quantity(row->time, "s").text, row->steps, cli_quantity(row->wall, "s").text);
    printf("  state hash         %s\n", row->state_hash);
    printf("  design's hash      %s\n\n", row->hash);
    for (int i = 0; i < METRIC_COUNT; i++)
        if (!isnan(row->metrics[i]))
            printf("  %-18s %.6g %s\n", vxe_metrics[i].name, row->metrics[i], vxe_metrics[i].unit);
    return false;
}

static vxe_result save(const char *path, const void *data, size_t size, const char *what, vxe_error *error)
{
    if (path == NULL) return VXE_OK;
    if (data == NULL) return vxe_fail(error, VXE_ERROR_INPUT, "there is no %s: built without the page", what);
    return vxe_write_file(path, data, size, error);
}

/* Files of a run: those that were kept, else it is run again. */
static vxe_result save_files(batch_store *store, int64_t design, int32_t repeat, const show_options *o,
                             vxe_error *error)
{
    batch_files f;
    if (o->scene == NULL && o->trace == NULL && o->checkpoint == NULL && o->replay == NULL) return VXE_OK;
    vxe_result result = batch_again(store, design, repeat, &f, error);
    if (result != VXE_OK) return result;
    if (!f.same)
        cli_complain("run again, it gives another state than the store says: made by another version?");
    result = save(o->scene, f.scene, strlen(f.scene), "scene", error);
    if (result == VXE_OK) result = save(o->trace, f.trace, strlen(f.trace), "trace", error);
    if (result == VXE_OK) result = save(o->checkpoint, f.checkpoint, f.checkpoint_size, "checkpoint", error);
    if (result == VXE_OK) result = save(o->replay, f.replay, f.replay_size, "replay", error);
    batch_files_free(&f);
    return result;
}

int batch_command_show(int count, char **arguments)
{
    show_options o;
    vxe_error error = {VXE_OK, ""};
    batch_store *store = NULL;
    int64_t design = 0;
    char where[96];
    int status = parse("batch show", 2, count, arguments, &o);
    if (status != CLI_GO_ON) return status;
    shown s = {.json = o.json};
    vxe_result result = vxe_store_open(o.operands[0], STORE_READ, &store, &error);
    if (result == VXE_OK) result = find_design(store, o.operands[1], &design, &error);
    if (result == VXE_OK) {
        if (o.repeat > 0)
            (void)snprintf(where, sizeof where, "r.design=%" PRId64 " AND r.repeat=%" PRId64, design,
                           o.repeat - 1);
        else
            (void)snprintf(where, sizeof where, "r.design=%" PRId64, design);
        result = vxe_store_each(store, STORE_BY_DESIGN, where, 1, show_row, &s, &error);
    }
    if (result == VXE_OK && !s.found)
        result = vxe_fail(&error, VXE_ERROR_INPUT, "%s: no such repeat of \"%.100s\"", o.operands[0],
                          o.operands[1]);
    if (result == VXE_OK) result = save_files(store, design, s.repeat, &o, &error);
    if (result != VXE_OK) {
        json_decref(s.object);
        status = complain(&error);
    } else {
        status = o.json ? cli_print_json(s.object) : cli_finish_output(CLI_DONE);
    }
    vxe_store_close(store);
    return status;
}

/* ---- merge -------------------------------------------------------------------------------------------------- */

int batch_command_merge(int count, char **arguments)
{
    vxe_error error = {VXE_OK, ""};
    batch_store *store = NULL;
    if (count > 0 && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0)) {
        cli_help_batch();
        return cli_finish_output(CLI_DONE);
    }
    if (count < 2) return cli_misuse("batch merge", "which stores? STORE FROM...");
    vxe_result result = vxe_store_open(arguments[0], STORE_WRITE, &store, &error);
    for (int i = 1; i < count && result == VXE_OK; i++) {
        int64_t added = 0;
        char *mine = NULL;
        char *its = NULL;
        batch_store *other = NULL;
        result = vxe_store_merge(store, arguments[i], &added, &error);
        if (result == VXE_OK) printf("%s: %" PRId64 " results\n", arguments[i], added);
        /* the first one brings its fitness */
        if (result == VXE_OK) result = vxe_store_open(arguments[i], STORE_READ, &other, &error);
        if (result == VXE_OK) result = vxe_store_get(other, "fitness", &its, &error);
        if (result == VXE_OK) result = vxe_store_get(store, "fitness", &mine, &error);
        if (result == VXE_OK && mine[0] == '\0' && its[0] != '\0')
            result = vxe_store_set(store, "fitness", its, &error);
        else if (result == VXE_OK && strcmp(mine, its) != 0) {
            cli_complain("%s: its fitness is \"%s\", not \"%s\": valued again", arguments[i], its, mine);
            result = vxe_store_value(store, mine, &error);
        }
        free(mine);
        free(its);
        vxe_store_close(other);
    }
    vxe_store_close(store);
    return result != VXE_OK ? complain(&error) : cli_finish_output(CLI_DONE);
}
