/* Reading results. */
#include "store/inside.h"

#include <string.h>

enum { SQL_SIZE = 4096, FIXED = 15 };

static void print_sql(char sql[SQL_SIZE], store_order order, const char *where, int64_t limit)
{
    size_t used = (size_t)snprintf(
        sql, SQL_SIZE,
        "SELECT r.design, r.repeat, d.id, d.hash, d.line, r.status, r.reason, r.fitness, r.steps, r.time, "
        "r.wall, r.state_hash, r.finished, r.message, r.run");
    for (int i = 0; i < METRIC_COUNT; i++)
        used += (size_t)snprintf(sql + used, SQL_SIZE - used, ", m.%s", vxe_metrics[i].name);
    /* the order of CROSS JOIN is kept: results lead, the others are looked up by their number */
    used +=
        (size_t)snprintf(sql + used, SQL_SIZE - used,
                         " FROM results r CROSS JOIN designs d ON d.design=r.design LEFT JOIN metrics m ON "
                         "m.design=r.design AND m.repeat=r.repeat");
    if (where != NULL) used += (size_t)snprintf(sql + used, SQL_SIZE - used, " WHERE %s", where);
    used += (size_t)snprintf(sql + used, SQL_SIZE - used, "%s",
                             order == STORE_BY_FITNESS ? " ORDER BY r.fitness DESC"
                                                       : " ORDER BY r.design, r.repeat");
    if (limit > 0) (void)snprintf(sql + used, SQL_SIZE - used, " LIMIT %lld", (long long)limit);
}

static const char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text != NULL ? text : "";
}

static void read_row(sqlite3_stmt *s, store_row *row)
{
    row->design = sqlite3_column_int64(s, 0);
    row->repeat = sqlite3_column_int(s, 1);
    row->id = text_of(s, 2);
    uint8_t hash[DIGEST_SIZE] = {0};
    const void *blob = sqlite3_column_blob(s, 3);
    if (blob != NULL && sqlite3_column_bytes(s, 3) == DIGEST_SIZE) memcpy(hash, blob, DIGEST_SIZE);
    vxe_digest_text(hash, row->hash);
    row->number = sqlite3_column_int64(s, 4);
    row->status = text_of(s, 5);
    row->reason = text_of(s, 6);
    row->fitness = vxe_store_double(s, 7);
    row->steps = sqlite3_column_int64(s, 8);
    row->time = vxe_store_double(s, 9);
    row->wall = vxe_store_double(s, 10);
    row->state_hash = text_of(s, 11);
    row->finished = vxe_store_double(s, 12);
    row->message = (const char *)sqlite3_column_text(s, 13);
    row->run = sqlite3_column_int64(s, 14);
    for (int i = 0; i < METRIC_COUNT; i++) row->metrics[i] = vxe_store_double(s, FIXED + i);
}

vxe_result vxe_store_each(batch_store *store, store_order order, const char *where, int64_t limit,
                          store_take *take, void *user, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    char sql[SQL_SIZE];
    store_row row = {.design = 0};
    print_sql(sql, order, where, limit);
    vxe_result result = vxe_store_prepare(store, sql, &s, error);
    int step = SQLITE_DONE;
    while (result == VXE_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
        read_row(s, &row);
        if (!take(user, &row)) {
            step = SQLITE_DONE;
            break;
        }
    }
    if (result == VXE_OK && step != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}

vxe_result vxe_store_count(batch_store *store, store_counts *counts, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    double number = 0.0;
    *counts = (store_counts){.best = STORE_NOTHING};
    vxe_result result = vxe_store_number(store, "SELECT count(*) FROM designs", &number, error);
    counts->designs = (int64_t)number;
    if (result == VXE_OK) result = vxe_store_number(store, "SELECT count(*) FROM aliases", &number, error);
    counts->aliases = (int64_t)number;
    if (result == VXE_OK)
        result = vxe_store_number(store, "SELECT max(fitness) FROM results", &counts->best, error);
    if (result == VXE_OK)
        result = vxe_store_prepare(store,
                                   "SELECT status, count(*), sum(steps), total(time), total(wall), "
                                   "min(finished), max(finished) FROM results GROUP BY status",
                                   &s, error);
    int step = SQLITE_DONE;
    while (result == VXE_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
        const char *status = text_of(s, 0);
        const int64_t count = sqlite3_column_int64(s, 1);
        if (strcmp(status, "done") == 0) counts->done = count;
        if (strcmp(status, "fault") == 0) counts->fault = count;
        if (strcmp(status, "failed") == 0) counts->failed = count;
        counts->steps += sqlite3_column_int64(s, 2);
        counts->time += sqlite3_column_double(s, 3);
        counts->wall += sqlite3_column_double(s, 4);
        const double first = vxe_store_double(s, 5);
        const double last = vxe_store_double(s, 6);
        counts->first = counts->first > 0.0 ? fmin(counts->first, first) : first;
        counts->last = fmax(counts->last, last);
    }
    if (result == VXE_OK && step != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}
