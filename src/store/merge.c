/* One store from several. */
#include "store/inside.h"

/* Designs are known by their hash, processes by their name: both get new numbers. What is there already stays
 * as it is. */
static const char take_over[] =
    "BEGIN IMMEDIATE;"
    "INSERT OR IGNORE INTO main.runs(uid, started, ended, how, version, host, pid, device, isa, precision, "
    "threads, rank, shard, shards, input, command, settings) SELECT uid, started, ended, how, version, host, "
    "pid, "
    "device, "
    "isa, precision, threads, rank, shard, shards, input, command, settings FROM other.runs ORDER BY run;"
    "INSERT OR IGNORE INTO main.designs(hash, id, line) SELECT hash, id, line FROM other.designs ORDER BY "
    "design;"
    "INSERT OR IGNORE INTO main.aliases SELECT id, hash, line FROM other.aliases;"
    /* the same design by another name */
    "INSERT OR IGNORE INTO main.aliases SELECT o.id, o.hash, o.line FROM other.designs o JOIN main.designs d "
    "ON d.hash=o.hash WHERE d.id<>o.id OR d.line<>o.line;"
    "CREATE TEMP TABLE pairs(old INTEGER PRIMARY KEY, new INTEGER);"
    "INSERT INTO pairs SELECT o.design, d.design FROM other.designs o JOIN main.designs d ON d.hash=o.hash;"
    "INSERT OR IGNORE INTO main.texts SELECT p.new, t.text, t.file FROM other.texts t JOIN pairs p ON "
    "p.old=t.design;";
static const char take_rows[] =
    "INSERT OR IGNORE INTO main.results SELECT p.new, r.repeat, r.status, r.reason, r.fitness, r.steps, "
    "r.time, "
    "r.wall, r.state_hash, r.finished, r.message, (SELECT m.run FROM main.runs m JOIN other.runs o ON "
    "o.uid=m.uid WHERE o.run=r.run) FROM other.results r JOIN pairs p ON p.old=r.design;";
static const char take_rest[] =
    "INSERT OR IGNORE INTO main.faults SELECT p.new, f.repeat, f.cause, f.voxel, f.i, f.j, f.k, f.time, "
    "f.value, "
    "f.message FROM other.faults f JOIN pairs p ON p.old=f.design;"
    "INSERT OR IGNORE INTO main.files SELECT p.new, f.repeat, f.name, f.data FROM other.files f JOIN pairs p "
    "ON p.old=f.design;"
    "DROP TABLE pairs; COMMIT";

static vxe_result take_metrics(batch_store *store, vxe_error *error)
{
    char names[2048] = "";
    char own[3072] = "";
    char sql[6144];
    size_t used = 0;
    size_t used_own = 0;
    for (int i = 0; i < METRIC_COUNT; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", vxe_metrics[i].name);
        used_own += (size_t)snprintf(own + used_own, sizeof own - used_own, ", m.%s", vxe_metrics[i].name);
    }
    (void)snprintf(sql, sizeof sql,
                   "INSERT OR IGNORE INTO main.metrics(design, repeat%s) SELECT p.new, m.repeat%s FROM "
                   "other.metrics m JOIN pairs p ON p.old=m.design",
                   names, own);
    return vxe_store_run(store, sql, error);
}

vxe_result vxe_store_merge(batch_store *store, const char *path, int64_t *added, vxe_error *error)
{
    batch_store *other = NULL;
    sqlite3_stmt *attach = NULL;
    vxe_result result = vxe_store_open(path, STORE_READ, &other, error); /* says what is wrong with it */
    vxe_store_close(other);
    if (result != VXE_OK) return result;
    result = vxe_store_prepare(store, "ATTACH DATABASE ?1 AS other", &attach, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
    if (sqlite3_step(attach) != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(attach);
    if (result != VXE_OK) return result;
    result = vxe_store_run(store, take_over, error);
    if (result == VXE_OK) result = vxe_store_run(store, take_rows, error);
    if (result == VXE_OK) *added = sqlite3_changes(store->db);
    if (result == VXE_OK) result = take_metrics(store, error);
    if (result == VXE_OK) result = vxe_store_run(store, take_rest, error);
    if (result != VXE_OK && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    (void)sqlite3_exec(store->db, "DETACH DATABASE other", NULL, NULL, NULL);
    return result;
}
