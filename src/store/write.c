/* Writing results: groups of them in one transaction each. */
#include "store/inside.h"

enum { SQL_SIZE = 4096 };

/* INSERT INTO metrics with a place for each. */
static void print_metrics_sql(char sql[SQL_SIZE])
{
    size_t used = (size_t)snprintf(sql, SQL_SIZE, "INSERT OR REPLACE INTO metrics(design, repeat");
    for (int i = 0; i < METRIC_COUNT; i++)
        used += (size_t)snprintf(sql + used, SQL_SIZE - used, ", %s", vxe_metrics[i].name);
    used += (size_t)snprintf(sql + used, SQL_SIZE - used, ") VALUES(?, ?");
    for (int i = 0; i < METRIC_COUNT; i++) used += (size_t)snprintf(sql + used, SQL_SIZE - used, ", ?");
    (void)snprintf(sql + used, SQL_SIZE - used, ")");
}

/* A statement, prepared when it is used first; NULL after a message. */
static sqlite3_stmt *statement(batch_store *store, int which, vxe_error *error)
{
    /* NOLINTBEGIN(bugprone-suspicious-missing-comma) */
    static const char *const all[STORE_STATEMENTS] = {
        [STORE_ADD_DESIGN] = "INSERT INTO designs(hash, id, line) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING",
        [STORE_FIND_DESIGN] = "SELECT design FROM designs WHERE hash=?1",
        [STORE_ADD_TEXT] = "INSERT OR REPLACE INTO texts(design, text, file) VALUES(?1, ?2, ?3)",
        [STORE_ADD_RESULT] = "INSERT INTO results VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) "
                             "ON CONFLICT DO NOTHING",
        [STORE_REPLACE_RESULT] =
            "INSERT OR REPLACE INTO results VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        [STORE_ADD_FAULT] = "INSERT OR REPLACE INTO faults VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        [STORE_DROP_FAULT] = "DELETE FROM faults WHERE design=?1 AND repeat=?2",
        [STORE_ADD_ALIAS] = "INSERT OR IGNORE INTO aliases(id, hash, line) VALUES(?1, ?2, ?3)",
        [STORE_HAS] = "SELECT d.id FROM designs d JOIN results r ON r.design=d.design WHERE d.hash=?1 AND "
                      "r.repeat=?2",
    };
    /* NOLINTEND(bugprone-suspicious-missing-comma) */
    if (store->statements[which] == NULL) {
        char sql[SQL_SIZE];
        if (which == STORE_ADD_METRICS) print_metrics_sql(sql);
        if (vxe_store_prepare(store, which == STORE_ADD_METRICS ? sql : all[which], &store->statements[which],
                              error) != VXE_OK)
            return NULL;
    }
    (void)sqlite3_reset(store->statements[which]);
    return store->statements[which];
}

/* Runs a statement that gives no rows. */
static vxe_result finish(batch_store *store, sqlite3_stmt *s, vxe_error *error)
{
    const int step = sqlite3_step(s);
    const vxe_result result = step == SQLITE_DONE ? VXE_OK : vxe_store_fail(store, error);
    (void)sqlite3_reset(s);
    return result;
}

static void bind_number(sqlite3_stmt *s, int at, double value)
{
    if (isfinite(value))
        (void)sqlite3_bind_double(s, at, value);
    else
        (void)sqlite3_bind_null(s, at);
}

/* The number of a design, which is added if it is new. */
static vxe_result put_design(batch_store *store, const design_outcome *o, sqlite3_int64 *design,
                             vxe_error *error)
{
    sqlite3_stmt *s = statement(store, STORE_ADD_DESIGN, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_blob(s, 1, o->hash, DIGEST_SIZE, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 2, o->id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 3, o->number);
    vxe_result result = finish(store, s, error);
    if (result != VXE_OK) return result;
    if (sqlite3_changes(store->db) == 0) {
        s = statement(store, STORE_FIND_DESIGN, error);
        if (s == NULL) return VXE_ERROR_FILE;
        (void)sqlite3_bind_blob(s, 1, o->hash, DIGEST_SIZE, SQLITE_STATIC);
        result = sqlite3_step(s) == SQLITE_ROW ? VXE_OK : vxe_store_fail(store, error);
        *design = result == VXE_OK ? sqlite3_column_int64(s, 0) : 0;
        (void)sqlite3_reset(s);
        return result;
    }
    *design = sqlite3_last_insert_rowid(store->db);
    if (o->text == NULL) return VXE_OK;
    s = statement(store, STORE_ADD_TEXT, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_int64(s, 1, *design);
    (void)sqlite3_bind_text(s, o->is_file ? 3 : 2, o->text, -1, SQLITE_STATIC);
    (void)sqlite3_bind_null(s, o->is_file ? 2 : 3);
    return finish(store, s, error);
}

static vxe_result put_fault(batch_store *store, sqlite3_int64 design, const design_outcome *o,
                            vxe_error *error)
{
    sqlite3_stmt *s = statement(store, STORE_ADD_FAULT, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, o->repeat);
    (void)sqlite3_bind_text(s, 3, o->fault_cause, -1, SQLITE_STATIC);
    for (int i = 0; i < 4; i++) {
        if (o->fault_voxel >= 0)
            (void)sqlite3_bind_int(s, 4 + i, i == 0 ? o->fault_voxel : o->fault_cell[i - 1]);
        else
            (void)sqlite3_bind_null(s, 4 + i);
    }
    bind_number(s, 8, o->fault_time);
    bind_number(s, 9, o->fault_value);
    (void)sqlite3_bind_text(s, 10, o->message, -1, SQLITE_STATIC);
    return finish(store, s, error);
}

static vxe_result put_metrics(batch_store *store, sqlite3_int64 design, const design_outcome *o,
                              vxe_error *error)
{
    sqlite3_stmt *s = statement(store, STORE_ADD_METRICS, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, o->repeat);
    for (int i = 0; i < METRIC_COUNT; i++) bind_number(s, 3 + i, o->metrics[i]);
    return finish(store, s, error);
}

static vxe_result put_outcome(batch_store *store, const design_outcome *o, const fitness *worth, bool again,
                              vxe_error *error)
{
    sqlite3_int64 design = 0;
    char hash[24];
    vxe_result result = put_design(store, o, &design, error);
    if (result != VXE_OK) return result;
    sqlite3_stmt *s = statement(store, again ? STORE_REPLACE_RESULT : STORE_ADD_RESULT, error);
    if (s == NULL) return VXE_ERROR_FILE;
    const bool ran = o->status != OUTCOME_FAILED;
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)o->state_hash);
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, o->repeat);
    (void)sqlite3_bind_text(s, 3, vxe_outcome_status_name((outcome_status)o->status), -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 4, o->reason, -1, SQLITE_STATIC);
    bind_number(s, 5,
                o->status == OUTCOME_DONE
                    ? vxe_fitness_value(worth, o->metrics, o->time, (double)o->steps, o->wall)
                    : STORE_NOTHING);
    (void)sqlite3_bind_int64(s, 6, o->steps);
    bind_number(s, 7, ran ? o->time : STORE_NOTHING);
    bind_number(s, 8, o->wall);
    (void)sqlite3_bind_text(s, 9, ran ? hash : NULL, -1, SQLITE_STATIC);
    bind_number(s, 10, o->finished);
    (void)sqlite3_bind_text(s, 11, o->message[0] != '\0' ? o->message : NULL, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 12, o->run);
    result = finish(store, s, error);
    if (result != VXE_OK || sqlite3_changes(store->db) == 0) return result;
    if (ran) result = put_metrics(store, design, o, error);
    if (result == VXE_OK && o->status == OUTCOME_FAULT) return put_fault(store, design, o, error);
    if (result == VXE_OK && again) {
        s = statement(store, STORE_DROP_FAULT, error);
        if (s == NULL) return VXE_ERROR_FILE;
        (void)sqlite3_bind_int64(s, 1, design);
        (void)sqlite3_bind_int(s, 2, o->repeat);
        result = finish(store, s, error);
    }
    return result;
}

static vxe_result put_alias(batch_store *store, const store_alias *a, vxe_error *error)
{
    sqlite3_stmt *s = statement(store, STORE_ADD_ALIAS, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_text(s, 1, a->id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob(s, 2, a->hash, DIGEST_SIZE, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 3, a->number);
    return finish(store, s, error);
}

/* Ends a transaction; after an error what it did is undone, and the first message stays. */
static vxe_result end_transaction(batch_store *store, vxe_result result, vxe_error *error)
{
    if (result == VXE_OK) result = vxe_store_run(store, "COMMIT", error);
    if (result != VXE_OK && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

vxe_result vxe_store_add(batch_store *store, const design_outcome *outcomes, size_t count,
                         const store_alias *aliases, size_t alias_count, const fitness *worth, bool again,
                         vxe_error *error)
{
    vxe_result result = vxe_store_run(store, "BEGIN IMMEDIATE", error);
    if (result != VXE_OK) return result;
    for (size_t i = 0; i < count && result == VXE_OK; i++)
        result = put_outcome(store, &outcomes[i], worth, again, error);
    for (size_t i = 0; i < alias_count && result == VXE_OK; i++)
        result = put_alias(store, &aliases[i], error);
    return end_transaction(store, result, error);
}

vxe_result vxe_store_has(batch_store *store, const uint8_t hash[DIGEST_SIZE], int32_t repeat, bool *there,
                         char id[DESIGN_ID_SIZE], vxe_error *error)
{
    sqlite3_stmt *s = statement(store, STORE_HAS, error);
    if (s == NULL) return VXE_ERROR_FILE;
    (void)sqlite3_bind_blob(s, 1, hash, DIGEST_SIZE, SQLITE_STATIC);
    (void)sqlite3_bind_int(s, 2, repeat);
    const int step = sqlite3_step(s);
    *there = step == SQLITE_ROW;
    if (*there) (void)snprintf(id, DESIGN_ID_SIZE, "%s", (const char *)sqlite3_column_text(s, 0));
    const vxe_result result =
        step == SQLITE_ROW || step == SQLITE_DONE ? VXE_OK : vxe_store_fail(store, error);
    (void)sqlite3_reset(s);
    return result;
}

vxe_result vxe_store_forget_failed(batch_store *store, vxe_error *error)
{
    vxe_result result = vxe_store_run(store, "BEGIN IMMEDIATE", error);
    if (result != VXE_OK) return result;
    result = vxe_store_run(
        store,
        "CREATE TEMP TABLE gone AS SELECT design FROM results WHERE status='failed';"
        "DELETE FROM results WHERE status='failed';"
        "DELETE FROM texts WHERE design IN (SELECT design FROM gone) AND design NOT IN (SELECT design FROM "
        "results);"
        "DELETE FROM designs WHERE design IN (SELECT design FROM gone) AND design NOT IN (SELECT design FROM "
        "results);"
        "DROP TABLE gone",
        error);
    return end_transaction(store, result, error);
}

vxe_result vxe_store_put_file(batch_store *store, int64_t design, int32_t repeat, const char *name,
                              const void *data, size_t size, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    vxe_result result =
        vxe_store_prepare(store, "INSERT OR REPLACE INTO files VALUES(?1, ?2, ?3, ?4)", &s, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_int64(s, 1, design);
    (void)sqlite3_bind_int(s, 2, repeat);
    (void)sqlite3_bind_text(s, 3, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob64(s, 4, data, size, SQLITE_STATIC);
    if (sqlite3_step(s) != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

/* The SQL function worth(time, steps, wall, metrics...). */
static void worth_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const fitness *f = sqlite3_user_data(context);
    double numbers[METRIC_COUNT + 3];
    for (int i = 0; i < METRIC_COUNT + 3; i++)
        numbers[i] = i < count && sqlite3_value_type(values[i]) != SQLITE_NULL
                         ? sqlite3_value_double(values[i])
                         : STORE_NOTHING;
    const double value = vxe_fitness_value(f, numbers + 3, numbers[0], numbers[1], numbers[2]);
    if (isfinite(value))
        sqlite3_result_double(context, value);
    else
        sqlite3_result_null(context);
}

vxe_result vxe_store_value(batch_store *store, const char *text, vxe_error *error)
{
    fitness f = {.formula = {0, NULL}};
    char sql[SQL_SIZE];
    vxe_result result = vxe_fitness_parse(text, &f, error);
    if (result != VXE_OK) return result;
    if (sqlite3_create_function(store->db, "worth", -1, SQLITE_UTF8, &f, worth_function, NULL, NULL) !=
        SQLITE_OK)
        result = vxe_store_fail(store, error);
    size_t used = (size_t)snprintf(
        sql, sizeof sql,
        "UPDATE results SET fitness=(SELECT worth(results.time, results.steps, results.wall");
    for (int i = 0; i < METRIC_COUNT; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", m.%s", vxe_metrics[i].name);
    (void)snprintf(sql + used, sizeof sql - used,
                   ") FROM metrics m WHERE m.design=results.design AND m.repeat=results.repeat) WHERE "
                   "status='done'");
    if (result == VXE_OK) result = vxe_store_run(store, "BEGIN IMMEDIATE", error);
    if (result == VXE_OK) {
        result = vxe_store_run(store, sql, error);
        if (result == VXE_OK) result = vxe_store_set(store, "fitness", text, error);
        result = end_transaction(store, result, error);
    }
    (void)sqlite3_create_function(store->db, "worth", -1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    vxe_fitness_free(&f);
    return result;
}
