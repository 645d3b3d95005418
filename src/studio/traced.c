/* Recorded traces; see history.h. */
#include "studio/traced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 20000, NAMES_MAX = 64, VALUES_MAX = 4000000 };

void traced_destroy(traced *h)
{
    json_decref(h->names);
    json_decref(h->missing);
    vxe_trace_destroy(h->trace);
    free(h->rows);
    memset(h, 0, sizeof *h);
}

/* Rows that are kept: fewer if they are long. */
static size_t rows_max(const traced *h)
{
    const size_t fit = VALUES_MAX / (size_t)(h->columns > 0 ? h->columns : 1);
    return fit < ROWS_MAX ? fit / 2 * 2 : ROWS_MAX;
}

/* Some 2000 rows of a run that ends, 200 of a period, or one every hundred steps. */
static double choose_interval(vxe_sim *sim, const vxe_scene *scene)
{
    const vxe_stop stop = vxe_scene_stop(scene);
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    const double dt = vxe_sim_time_step(sim).dt;
    if (stop.time > 0.0) return fmax(dt, stop.time / 2000.0);
    if (signal != NULL && signal->period > 0.0) return fmax(dt, signal->period / 200.0);
    return 100.0 * dt;
}

void traced_start(traced *h, vxe_sim *sim, const vxe_scene *scene)
{
    vxe_trace_destroy(h->trace);
    free(h->rows);
    json_decref(h->missing);
    h->trace = NULL;
    h->rows = NULL;
    h->missing = json_array();
    h->columns = 0;
    h->count = 0;
    h->sent = SIZE_MAX;
    const char *names[NAMES_MAX];
    int32_t count = 0;
    size_t i = 0;
    json_t *item = NULL;
    if (sim == NULL) return;
    json_array_foreach(h->names, i, item)
    {
        vxe_trace *trial = NULL;
        const char *name = json_string_value(item);
        if (count < NAMES_MAX && vxe_trace_create(sim, &name, 1, &trial, NULL) == VXE_OK) {
            names[count++] = name;
        } else {
            (void)json_array_append(h->missing, item);
        }
        vxe_trace_destroy(trial);
    }
    if (count == 0 || vxe_trace_create(sim, names, count, &h->trace, NULL) != VXE_OK) return;
    h->columns = vxe_trace_columns(h->trace);
    h->rows = calloc(rows_max(h) * (size_t)h->columns, sizeof *h->rows);
    if (h->rows == NULL) {
        vxe_trace_destroy(h->trace);
        h->trace = NULL;
        return;
    }
    h->interval = h->every > 0.0 ? h->every : choose_interval(sim, scene);
    traced_restart(h, sim);
}

/* Column of a trace by its name; -1: there is none. */
static int32_t find_column(const traced *h, const char *name)
{
    for (int32_t c = 0; c < h->columns; c++)
        if (strcmp(vxe_trace_column(h->trace, c), name) == 0) return c;
    return -1;
}

/* Puts the rows of an older trace of the same simulation before the first of this one; what that did not
 * have is not a number. */
static void take_over(traced *h, const traced *old)
{
    if (h->trace == NULL || old->trace == NULL || h->count != 1) return;
    const size_t width = (size_t)h->columns;
    size_t apart = 1; /* every row, or every second, ... */
    size_t count = 0;
    double *now = h->rows;
    const double time = now[0];
    while (old->count / apart + 2 > rows_max(h)) apart *= 2;
    double *last = malloc(width * sizeof *last);
    if (last == NULL) return;
    memcpy(last, now, width * sizeof *last);
    for (size_t i = 0; i < old->count; i += apart) {
        const double *row = old->rows + i * (size_t)old->columns;
        if (row[0] >= time) break;
        for (int32_t c = 0; c < h->columns; c++) {
            const int32_t from = find_column(old, vxe_trace_column(h->trace, c));
            h->rows[count * width + (size_t)c] = from < 0 ? (double)NAN : row[from];
        }
        count++;
    }
    memcpy(h->rows + count * width, last, width * sizeof *last);
    h->count = count + 1;
    if (h->every == old->every) h->interval = old->interval * (double)apart;
    h->next = time + h->interval;
    free(last);
}

bool traced_set(traced *h, json_t *names, double every, vxe_sim *sim, const vxe_scene *scene, failure *f)
{
    size_t i = 0;
    json_t *item = NULL;
    if (!json_is_array(names) || json_array_size(names) > NAMES_MAX) {
        return fail(f, "argument", "\"names\" is not a list of at most %d texts", NAMES_MAX);
    }
    json_array_foreach(names, i, item)
    {
        if (!json_is_string(item)) return fail(f, "argument", "names[%zu] is not a text", i);
        if (sim == NULL) continue;
        vxe_error error = {VXE_OK, ""};
        vxe_trace *trial = NULL;
        const char *name = json_string_value(item);
        const vxe_result result = vxe_trace_create(sim, &name, 1, &trial, &error);
        vxe_trace_destroy(trial);
        if (result != VXE_OK) return fail_error(f, &error);
    }
    traced old = *h; /* what was recorded stays */
    h->trace = NULL;
    h->rows = NULL;
    json_decref(h->names);
    h->names = json_incref(names);
    h->every = every;
    traced_start(h, sim, scene);
    if (sim != NULL) take_over(h, &old);
    vxe_trace_destroy(old.trace);
    free(old.rows);
    return true;
}

static void add_row(traced *h, vxe_sim *sim)
{
    if (h->count >= rows_max(h)) {
        /* Every second one goes: the history stays bounded and covers everything. */
        const size_t width = (size_t)h->columns;
        for (size_t i = 1; 2 * i < h->count; i++) {
            memcpy(h->rows + i * width, h->rows + 2 * i * width, width * sizeof *h->rows);
        }
        h->count = (h->count + 1) / 2;
        h->interval *= 2.0;
        h->sent = SIZE_MAX;
    }
    vxe_trace_read(h->trace, sim, h->rows + h->count * (size_t)h->columns);
    h->count++;
}

void traced_restart(traced *h, vxe_sim *sim)
{
    h->count = 0;
    h->sent = SIZE_MAX;
    if (h->trace == NULL) return;
    add_row(h, sim);
    h->next = vxe_sim_time(sim) + h->interval;
}

void traced_record(traced *h, vxe_sim *sim)
{
    if (h->trace == NULL || vxe_sim_time(sim) < h->next - 1e-9 * h->interval) return;
    add_row(h, sim);
    h->next = h->interval * (floor(vxe_sim_time(sim) / h->interval + 1e-9) + 1.0);
}

void traced_resend(traced *h) { h->sent = SIZE_MAX; }

json_t *traced_json(const traced *h)
{
    json_t *columns = json_array();
    for (int32_t c = 0; c < h->columns; c++) {
        (void)json_array_append_new(columns, json_string(vxe_trace_column(h->trace, c)));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "names", h->names == NULL ? json_array() : json_incref(h->names),
                     "columns", columns, "every", number_json(h->trace == NULL ? h->every : h->interval),
                     "missing", h->missing == NULL ? json_array() : json_incref(h->missing));
}

message *traced_message(traced *h, int64_t serial)
{
    const size_t first = h->sent > h->count ? 0 : h->sent;
    if (h->sent == h->count || (h->trace == NULL && h->sent == SIZE_MAX && h->columns == 0)) return NULL;
    const size_t rows = h->count - first;
    json_t *columns = json_array();
    for (int32_t c = 0; c < h->columns; c++) {
        (void)json_array_append_new(columns, json_string(vxe_trace_column(h->trace, c)));
    }
    const message_array array = {"rows", "f64", rows * (size_t)h->columns,
                                 h->rows + first * (size_t)h->columns};
    h->sent = h->count;
    return message_binary(MESSAGE_TRACE,
                          json_pack("{s:s, s:I, s:o, s:I, s:I}", "kind", "trace", "serial",
                                    (json_int_t)serial, "columns", columns, "first", (json_int_t)first,
                                    "rows", (json_int_t)rows),
                          &array, 1);
}
