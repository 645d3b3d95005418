/* A design of the store once more: simulations give the same bits every time, so that traces, checkpoints and
 * replays of the best need not be recorded while nobody knows which those are. */
#include "cli/batch.h"

#include "voxelastic/replay.h"
#include "voxelastic/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_ROWS = 1000, TRACE_STEPS = 100, PATH_ROOM = 4096 };

/* ---- settings ----------------------------------------------------------------------------------------------- */

char *batch_settings_print(const batch_options *options, const char *label)
{
    const design_settings *d = &options->designs;
    char place[PATH_ROOM] = "";
    if (getcwd(place, sizeof place) == NULL) place[0] = '\0';
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:b, s:i, s:i, s:f, s:i, s:b, s:f, s:I, s:i}", "label",
                             cli_json_text(label), "directory", cli_json_text(place), "folder",
                             d->folder != NULL ? cli_json_text(d->folder) : json_null(), "base",
                             d->base != NULL ? cli_json_text(d->base) : json_null(), "anywhere",
                             (int)d->anywhere, "dialect", (int)d->dialect, "precision", (int)d->sim.precision,
                             "dt_fraction", d->sim.dt_fraction, "bond_damping", (int)d->sim.bond_damping,
                             "audit", (int)d->sim.audit, "time", d->time, "steps", (json_int_t)d->steps,
                             "collisions", d->has_collisions ? (int)d->collisions : -1);
    char *text = json == NULL ? NULL : json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(json);
    return text;
}

/* The texts belong to the object. */
static design_settings read_settings(const json_t *json)
{
    design_settings d = {.sim = vxe_default_sim_def()};
    const int collisions = (int)json_integer_value(json_object_get(json, "collisions"));
    d.label = json_string_value(json_object_get(json, "label"));
    if (d.label == NULL) d.label = "design";
    d.folder = json_string_value(json_object_get(json, "folder"));
    d.base = json_string_value(json_object_get(json, "base"));
    d.anywhere = json_is_true(json_object_get(json, "anywhere"));
    d.dialect = (vxe_dialect)json_integer_value(json_object_get(json, "dialect"));
    d.sim.precision = (vxe_precision)json_integer_value(json_object_get(json, "precision"));
    d.sim.dt_fraction = json_number_value(json_object_get(json, "dt_fraction"));
    d.sim.bond_damping = (vxe_bond_damping)json_integer_value(json_object_get(json, "bond_damping"));
    d.sim.audit = json_is_true(json_object_get(json, "audit"));
    d.sim.threads = 1;
    d.time = json_number_value(json_object_get(json, "time"));
    d.steps = json_integer_value(json_object_get(json, "steps"));
    d.has_collisions = collisions >= 0;
    d.collisions = (vxe_collisions)(collisions >= 0 ? collisions : 0);
    return d;
}

/* ---- what the store has of a design --------------------------------------------------------------------------- */

typedef struct stored {
    design_item item;
    json_t *settings;
    char state_hash[20];
} stored;

static char *copy_column(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    char *copy = text == NULL ? NULL : malloc(strlen(text) + 1);
    if (copy != NULL) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

/* A relative path, seen from where the batch was run. */
static char *place_file(char *file, const json_t *settings)
{
    const char *place = json_string_value(json_object_get(settings, "directory"));
    if (file == NULL || file[0] == '/' || place == NULL) return file;
    char *whole = vxe_text("%s/%s", place, file);
    free(file);
    return whole;
}

static vxe_result fetch(batch_store *store, int64_t design, int32_t repeat, stored *found, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    *found = (stored){.settings = NULL};
    if (sqlite3_prepare_v2(
            vxe_store_connection(store),
            "SELECT d.line, t.text, t.file, r.state_hash, u.settings FROM results r JOIN designs "
            "d USING(design) LEFT JOIN texts t USING(design) JOIN runs u USING(run) WHERE "
            "r.design=?1 AND r.repeat=?2",
            -1, &s, NULL) != SQLITE_OK)
        return vxe_store_fail(store, error);
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, repeat);
    vxe_result result = VXE_OK;
    if (sqlite3_step(s) != SQLITE_ROW) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no such result", vxe_store_path(store));
    } else {
        const char *settings = (const char *)sqlite3_column_text(s, 4);
        const char *hash = (const char *)sqlite3_column_text(s, 3);
        found->item.number = sqlite3_column_int64(s, 0);
        found->item.text = copy_column(s, 1);
        found->item.size = found->item.text == NULL ? 0 : strlen(found->item.text);
        found->settings = json_loads(settings != NULL ? settings : "{}", 0, NULL);
        found->item.file = place_file(copy_column(s, 2), found->settings);
        (void)snprintf(found->state_hash, sizeof found->state_hash, "%s", hash != NULL ? hash : "");
        if (found->item.file != NULL) {
            const char *slash = strrchr(found->item.file, '/');
            const char *name = slash != NULL ? slash + 1 : found->item.file;
            found->item.name = malloc(strlen(name) + 1);
            if (found->item.name != NULL) memcpy(found->item.name, name, strlen(name) + 1);
        }
        if (found->item.text == NULL && (found->item.file == NULL || found->item.name == NULL))
            result = vxe_fail(error, VXE_ERROR_INPUT,
                              "%s: the design itself was not kept (--no-designs), so it cannot be run again",
                              vxe_store_path(store));
    }
    (void)sqlite3_finalize(s);
    return result;
}

/* ---- running it ----------------------------------------------------------------------------------------------- */

typedef struct rerun {
    vxe_scene *scene;
    vxe_stop stop;
    vxe_model *model;
    vxe_sim *sim;
    vxe_trace *trace;
    vxe_replay *replay;
    double *row;
    double last; /* s; time of the last row */
    FILE *text;  /* the trace */
} rerun;

static void write_row(rerun *r)
{
    const int32_t columns = vxe_trace_columns(r->trace);
    if (vxe_sim_time(r->sim) <= r->last) return;
    r->last = vxe_sim_time(r->sim);
    vxe_trace_read(r->trace, r->sim, r->row);
    for (int32_t c = 0; c < columns; c++) (void)fprintf(r->text, c > 0 ? ",%.9g" : "%.9g", r->row[c]);
    (void)fputc('\n', r->text);
}

static vxe_result take_row(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    (void)sim;
    (void)next;
    (void)error;
    write_row(user);
    return VXE_OK;
}

static vxe_result take_frame(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    const rerun *r = user;
    (void)error;
    vxe_replay_observe(r->replay, sim);
    *next = vxe_replay_next(r->replay);
    return VXE_OK;
}

static bool is_cancelled(void *user)
{
    (void)user;
    return cli_interrupted();
}

static vxe_result step_all(rerun *r, vxe_error *error)
{
    const vxe_signal_def *signal = vxe_scene_signal(r->scene, 0);
    const double length = vxe_run_length(r->sim, &r->stop, signal != NULL ? signal->period : 0.0);
    const double every = isfinite(length) ? length / TRACE_ROWS : TRACE_STEPS * vxe_sim_time_step(r->sim).dt;
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {VXE_RUN_STEPS, false};
    write_row(r);
    vxe_result result = vxe_run_create(r->sim, &r->stop, &run, error);
    if (result == VXE_OK)
        result = vxe_run_add(run, vxe_run_next(0.0, every), every, take_row, r, NULL, error);
    if (result == VXE_OK && r->replay != NULL)
        result = vxe_run_add(run, vxe_replay_next(r->replay), 0.0, take_frame, r, NULL, error);
    vxe_run_set_cancel(run, is_cancelled, NULL);
    if (result == VXE_OK) result = vxe_run_go(run, &outcome, error);
    if (result == VXE_OK && outcome.cancelled) result = vxe_fail(error, VXE_ERROR_ARGUMENT, "interrupted");
    write_row(r);
    vxe_run_destroy(run);
    return result;
}

static vxe_result begin(rerun *r, const design_settings *settings, char **text, size_t *size,
                        vxe_error *error)
{
    static const char *const names[] = {"center_of_mass", "energy", "displacement_max", "strain_max"};
    vxe_result result = vxe_compile(r->scene, &r->model, error);
    if (result == VXE_OK) result = vxe_sim_create(r->model, &settings->sim, &r->sim, error);
    if (result == VXE_OK) result = vxe_trace_create(r->sim, names, 4, &r->trace, error);
    if (result == VXE_OK && vxe_replay_available())
        result = vxe_replay_create(r->sim, r->scene, r->trace, &r->stop, &r->replay, error);
    if (result != VXE_OK) return result;
    r->last = -1.0;
    r->row = calloc((size_t)vxe_trace_columns(r->trace), sizeof *r->row);
    r->text = open_memstream(text, size);
    if (r->row == NULL || r->text == NULL) return vxe_fail_memory(error, "a trace", sizeof *r);
    for (int32_t c = 0; c < vxe_trace_columns(r->trace); c++)
        (void)fprintf(r->text, "%s%s", c > 0 ? "," : "", vxe_trace_column(r->trace, c));
    (void)fputc('\n', r->text);
    return VXE_OK;
}

static vxe_result save_checkpoint(const rerun *r, batch_files *files, vxe_error *error)
{
    files->checkpoint_size = vxe_sim_save_size(r->sim);
    files->checkpoint = malloc(files->checkpoint_size);
    if (files->checkpoint == NULL) return vxe_fail_memory(error, "a checkpoint", files->checkpoint_size);
    return vxe_sim_save(r->sim, files->checkpoint, files->checkpoint_size, error);
}

/* A replay is written as a file, and read back. */
static vxe_result save_replay(rerun *r, batch_files *files, vxe_error *error)
{
    const char *place = getenv("TMPDIR");
    char path[PATH_ROOM];
    if (r->replay == NULL) return VXE_OK;
    (void)snprintf(path, sizeof path, "%s/voxelastic-XXXXXX",
                   place != NULL && place[0] == '/' ? place : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    (void)close(file);
    vxe_result result = vxe_replay_write(r->replay, r->sim, NULL, path, error);
    if (result == VXE_OK)
        result = vxe_read_file(path, (size_t)1 << 30, &files->replay, &files->replay_size, error);
    (void)unlink(path);
    return result;
}

vxe_result batch_again(batch_store *store, int64_t design, int32_t repeat, batch_files *files,
                       vxe_error *error)
{
    stored from;
    rerun r = {.scene = NULL};
    design_reader *reader = NULL;
    design_plan plan = {.root = NULL};
    size_t trace_size = 0;
    char hash[20];
    *files = (batch_files){.trace = NULL};
    vxe_result result = fetch(store, design, repeat, &from, error);
    const design_settings settings = read_settings(from.settings);
    if (result == VXE_OK) result = vxe_reader_create(&settings, &reader, error);
    if (result == VXE_OK) result = vxe_plan_read(reader, &from.item, &plan, error);
    if (result == VXE_OK) result = vxe_plan_scene(reader, &plan, repeat, &r.scene, &r.stop, error);
    if (result == VXE_OK) result = vxe_scene_print_json(r.scene, &files->scene, error);
    if (result == VXE_OK) result = begin(&r, &settings, &files->trace, &trace_size, error);
    if (result == VXE_OK) result = step_all(&r, error);
    if (result == VXE_OK) result = save_checkpoint(&r, files, error);
    if (result == VXE_OK) result = save_replay(&r, files, error);
    if (r.text != NULL && fclose(r.text) != 0 && result == VXE_OK)
        result = vxe_fail_memory(error, "a trace", trace_size);
    if (result == VXE_OK) {
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, vxe_sim_hash(r.sim));
        files->same = strcmp(hash, from.state_hash) == 0;
    }
    free(r.row);
    vxe_replay_destroy(r.replay);
    vxe_trace_destroy(r.trace);
    vxe_sim_destroy(r.sim);
    vxe_model_destroy(r.model);
    vxe_scene_destroy(r.scene);
    vxe_plan_free(&plan);
    vxe_reader_destroy(reader);
    vxe_item_free(&from.item);
    json_decref(from.settings);
    if (result != VXE_OK) batch_files_free(files);
    return result;
}

void batch_files_free(batch_files *files)
{
    free(files->trace);
    free(files->checkpoint);
    free(files->replay);
    free(files->scene);
    *files = (batch_files){.trace = NULL};
}

/* ---- the best --------------------------------------------------------------------------------------------------- */

typedef struct best_list {
    int64_t *designs;
    int32_t *repeats;
    int64_t count;
} best_list;

static bool note_best(void *user, const store_row *row)
{
    best_list *list = user;
    list->designs[list->count] = row->design;
    list->repeats[list->count++] = row->repeat;
    return true;
}

static vxe_result keep(batch_store *store, int64_t design, int32_t repeat, vxe_error *error)
{
    batch_files f;
    char *there = NULL;
    size_t size = 0;
    vxe_result result = batch_kept_file(store, design, repeat, "state.vxck", &there, &size, error);
    const bool known = there != NULL;
    free(there);
    if (result != VXE_OK || known) return result;
    result = batch_again(store, design, repeat, &f, error);
    if (result != VXE_OK) return result;
    if (!f.same)
        cli_complain("design %" PRId64 " gives another state than the store says: made by another version?",
                     design);
    result = vxe_store_put_file(store, design, repeat, "trace.csv", f.trace, strlen(f.trace), error);
    if (result == VXE_OK)
        result =
            vxe_store_put_file(store, design, repeat, "state.vxck", f.checkpoint, f.checkpoint_size, error);
    if (result == VXE_OK && f.replay != NULL)
        result = vxe_store_put_file(store, design, repeat, "replay.html", f.replay, f.replay_size, error);
    batch_files_free(&f);
    return result;
}

vxe_result batch_keep_best(batch_store *store, int64_t count, bool quiet, vxe_error *error)
{
    best_list list = {.count = 0};
    if (count > 10000) count = 10000;
    list.designs = calloc((size_t)count, sizeof *list.designs);
    list.repeats = calloc((size_t)count, sizeof *list.repeats);
    vxe_result result = list.designs == NULL || list.repeats == NULL
                            ? vxe_fail_memory(error, "the best designs", (size_t)count)
                            : vxe_store_each(store, STORE_BY_FITNESS, "r.fitness IS NOT NULL", count,
                                             note_best, &list, error);
    if (result == VXE_OK && list.count > 0 && !quiet)
        (void)fprintf(stderr, "recording the best %" PRId64 " designs\n", list.count);
    for (int64_t i = 0; i < list.count && result == VXE_OK && !cli_interrupted(); i++)
        result = keep(store, list.designs[i], list.repeats[i], error);
    free(list.designs);
    free(list.repeats);
    return result;
}

vxe_result batch_kept_file(batch_store *store, int64_t design, int32_t repeat, const char *name, char **data,
                           size_t *size, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    vxe_result result = VXE_OK;
    *data = NULL;
    if (sqlite3_prepare_v2(vxe_store_connection(store),
                           "SELECT data FROM files WHERE design=?1 AND repeat=?2 AND name=?3", -1, &s,
                           NULL) != SQLITE_OK)
        return vxe_store_fail(store, error);
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, repeat);
    (void)sqlite3_bind_text(s, 3, name, -1, SQLITE_STATIC);
    const int step = sqlite3_step(s);
    if (step == SQLITE_ROW) {
        const size_t bytes = (size_t)sqlite3_column_bytes(s, 0);
        const void *blob = sqlite3_column_blob(s, 0);
        *data = malloc(bytes + 1);
        if (*data == NULL) {
            result = vxe_fail_memory(error, name, bytes);
        } else {
            if (bytes > 0) memcpy(*data, blob, bytes);
            (*data)[bytes] = '\0';
            *size = bytes;
        }
    } else if (step != SQLITE_DONE) {
        result = vxe_store_fail(store, error);
    }
    (void)sqlite3_finalize(s);
    return result;
}
