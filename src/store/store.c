/* Opening a store, its schema, and its small tables: see store.h. */
#define _DEFAULT_SOURCE /* flock, gethostname */
#include "store/store.h"
#include "store/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Metrics are columns, so that rows are short and queries plain: SELECT id, speed FROM ... */
static const char schema[] =
    "CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE runs(run INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, started REAL NOT NULL, ended REAL, "
    "how TEXT, version TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, device TEXT NOT NULL, "
    "isa TEXT, precision TEXT, threads INTEGER, rank INTEGER, shard INTEGER, shards INTEGER, input TEXT, "
    "command TEXT, settings TEXT);"
    "CREATE TABLE designs(design INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, id TEXT NOT NULL, "
    "line INTEGER NOT NULL);"
    "CREATE INDEX designs_by_id ON designs(id);"
    "CREATE TABLE texts(design INTEGER PRIMARY KEY, text TEXT, file TEXT);"
    "CREATE TABLE aliases(id TEXT NOT NULL, hash BLOB NOT NULL, line INTEGER NOT NULL, "
    "PRIMARY KEY(id, hash, line)) WITHOUT ROWID;"
    "CREATE TABLE results(design INTEGER NOT NULL, repeat INTEGER NOT NULL, status TEXT NOT NULL, "
    "reason TEXT NOT NULL, fitness REAL, steps INTEGER, time REAL, wall REAL, state_hash TEXT, "
    "finished REAL, message TEXT, run INTEGER NOT NULL, PRIMARY KEY(design, repeat)) WITHOUT ROWID;"
    "CREATE INDEX results_by_fitness ON results(fitness);"
    "CREATE TABLE faults(design INTEGER NOT NULL, repeat INTEGER NOT NULL, cause TEXT NOT NULL, voxel "
    "INTEGER, "
    "i INTEGER, j INTEGER, k INTEGER, time REAL, value REAL, message TEXT, PRIMARY KEY(design, repeat)) "
    "WITHOUT ROWID;"
    "CREATE TABLE files(design INTEGER NOT NULL, repeat INTEGER NOT NULL, name TEXT NOT NULL, data BLOB, "
    "PRIMARY KEY(design, repeat, name));";

sqlite3 *vxe_store_connection(batch_store *store) { return store->db; }
const char *vxe_store_path(const batch_store *store) { return store->path; }

/* Whether a write of a page may have found no room. SQLite keeps errno only as it happens to be when a
 * statement ends, which is often after another call has changed it; so the disk and the limit on the size of
 * files are looked at. */
static bool no_room(const batch_store *store)
{
    enum {
        A_PAGE = 65536
    }; /* the largest that SQLite writes at once, and its index of the log grows by half of it */
    static const char *const files[] = {"", "-wal", "-shm"};
    struct statvfs disk;
    struct rlimit limit;
    if (statvfs(store->path, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < A_PAGE) return true;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
    if (limit.rlim_cur < A_PAGE) return true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct stat info;
        char path[4096];
        (void)snprintf(path, sizeof path, "%s%s", store->path, files[i]);
        if (stat(path, &info) == 0 && (uint64_t)info.st_size > limit.rlim_cur - A_PAGE) return true;
    }
    return false;
}

vxe_result vxe_store_fail(const batch_store *store, vxe_error *error)
{
    const int code = sqlite3_errcode(store->db);
    const int system = sqlite3_system_errno(store->db);
    if (code == SQLITE_FULL || system == ENOSPC || system == EFBIG || system == EDQUOT ||
        (code == SQLITE_IOERR && no_room(store)))
        return vxe_fail(error, VXE_ERROR_FILE, "%s: there is no room left for the store (%s)", store->path,
                        system != 0 ? strerror(system) : sqlite3_errmsg(store->db));
    if (code == SQLITE_NOMEM)
        return vxe_fail(error, VXE_ERROR_MEMORY, "%s: there is not enough memory", store->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: is damaged, or no store of a batch: %s", store->path,
                        sqlite3_errmsg(store->db));
    return vxe_fail(error, VXE_ERROR_FILE, "%s: %s%s%s", store->path, sqlite3_errmsg(store->db),
                    system != 0 ? ": " : "", system != 0 ? strerror(system) : "");
}

vxe_result vxe_store_run(batch_store *store, const char *sql, vxe_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? VXE_OK
                                                                       : vxe_store_fail(store, error);
}

vxe_result vxe_store_prepare(batch_store *store, const char *sql, sqlite3_stmt **statement, vxe_error *error)
{
    return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK
               ? VXE_OK
               : vxe_store_fail(store, error);
}

vxe_result vxe_store_number(batch_store *store, const char *sql, double *value, vxe_error *error)
{
    sqlite3_stmt *statement = NULL;
    vxe_result result = vxe_store_prepare(store, sql, &statement, error);
    if (result != VXE_OK) return result;
    const int step = sqlite3_step(statement);
    *value = step == SQLITE_ROW ? vxe_store_double(statement, 0) : STORE_NOTHING;
    if (step != SQLITE_ROW && step != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(statement);
    return result;
}

/* ---- opening ---------------------------------------------------------------------------------------------- */

static vxe_result create_schema(batch_store *store, vxe_error *error)
{
    char text[160];
    vxe_result result = vxe_store_run(store, "BEGIN IMMEDIATE", error);
    if (result == VXE_OK) result = vxe_store_run(store, schema, error);
    if (result == VXE_OK)
        result = vxe_store_run(store,
                               "CREATE TABLE metrics(design INTEGER NOT NULL, repeat INTEGER NOT NULL, "
                               "PRIMARY KEY(design, repeat)) WITHOUT ROWID;",
                               error);
    for (int i = 0; i < METRIC_COUNT && result == VXE_OK; i++) {
        (void)snprintf(text, sizeof text, "ALTER TABLE metrics ADD COLUMN %s REAL", vxe_metrics[i].name);
        result = vxe_store_run(store, text, error);
    }
    (void)snprintf(text, sizeof text, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
                   STORE_APPLICATION, STORE_VERSION);
    return result == VXE_OK ? vxe_store_run(store, text, error) : result;
}

/* VXE_OK for a store of this version; *empty: there is nothing in the file. */
static vxe_result check_version(batch_store *store, bool *empty, vxe_error *error)
{
    double application = 0.0;
    double version = 0.0;
    double tables = 0.0;
    vxe_result result = vxe_store_number(store, "PRAGMA application_id", &application, error);
    if (result == VXE_OK) result = vxe_store_number(store, "PRAGMA user_version", &version, error);
    if (result == VXE_OK)
        result = vxe_store_number(store, "SELECT count(*) FROM sqlite_master", &tables, error);
    if (result != VXE_OK) return result;
    *empty = application == 0.0 && tables == 0.0;
    if (*empty) return VXE_OK;
    if ((int)application != STORE_APPLICATION)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a database, but no store of a batch", store->path);
    if ((int)version > STORE_VERSION)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: a store of version %d, made by a newer Voxelastic; this one knows version %d",
                        store->path, (int)version, STORE_VERSION);
    return VXE_OK;
}

/* Only one program writes. The lock is a file beside the store: SQLite's own ones end with a transaction. */
static vxe_result lock(batch_store *store, vxe_error *error)
{
    store->lock_path = vxe_text("%s-lock", store->path);
    if (store->lock_path == NULL) return vxe_fail_memory(error, "a path", strlen(store->path));
    for (;;) {
        struct stat mine;
        struct stat there;
        store->lock = open(store->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (store->lock < 0)
            return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", store->lock_path, strerror(errno));
        if (flock(store->lock, LOCK_EX | LOCK_NB) != 0)
            return vxe_fail(error, VXE_ERROR_FILE, "%s: another batch writes to it just now", store->path);
        /* whoever had it before may have removed it in between */
        if (fstat(store->lock, &mine) == 0 && stat(store->lock_path, &there) == 0 &&
            mine.st_ino == there.st_ino)
            break;
        (void)close(store->lock);
    }
    store->locked = true;
    return VXE_OK;
}

static vxe_result open_database(batch_store *store, store_mode mode, vxe_error *error)
{
    /* readers too may have to tidy up a log that was left behind, where they are allowed to */
    const int flags =
        mode == STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
    struct stat info;
    if (mode != STORE_WRITE && stat(store->path, &info) != 0)
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", store->path, strerror(errno));
    vxe_result result = vxe_check_plain(store->path, error);
    if (result != VXE_OK) return result;
    if (sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return store->db == NULL ? vxe_fail_memory(error, "a store", sizeof *store)
                                 : vxe_store_fail(store, error);
    (void)sqlite3_extended_result_codes(store->db, 0);
    (void)sqlite3_busy_timeout(store->db, 60000);
    bool empty = false;
    result = check_version(store, &empty, error);
    if (result != VXE_OK) return result;
    if (mode != STORE_WRITE) {
        if (empty) return vxe_fail(error, VXE_ERROR_INPUT, "%s: there is nothing in this store", store->path);
        return vxe_store_run(
            store, "PRAGMA query_only=1; PRAGMA cache_size=-65536; PRAGMA mmap_size=1073741824", error);
    }
    /* every commit is on the disk when it returns */
    result = vxe_store_run(store,
                           "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-131072;"
                           "PRAGMA wal_autocheckpoint=4000",
                           error);
    return result == VXE_OK && empty ? create_schema(store, error) : result;
}

vxe_result vxe_store_open(const char *path, store_mode mode, batch_store **store, vxe_error *error)
{
    batch_store *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "a store", sizeof *s);
    s->lock = -1;
    s->path = malloc(strlen(path) + 1);
    vxe_result result = VXE_OK;
    if (s->path == NULL) {
        result = vxe_fail_memory(error, "a store", strlen(path));
    } else {
        memcpy(s->path, path, strlen(path) + 1);
        if (mode == STORE_WRITE) result = lock(s, error);
        if (result == VXE_OK) result = open_database(s, mode, error);
    }
    if (result != VXE_OK) {
        vxe_store_close(s);
        return result;
    }
    *store = s;
    return VXE_OK;
}

void vxe_store_close(batch_store *store)
{
    if (store == NULL) return;
    for (int i = 0; i < STORE_STATEMENTS; i++) (void)sqlite3_finalize(store->statements[i]);
    if (store->locked && store->db != NULL) { /* alone: the log goes into the file, and one file is left */
        (void)sqlite3_busy_timeout(store->db, 0);
        (void)sqlite3_exec(store->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    }
    (void)sqlite3_close(store->db);
    if (store->locked) (void)unlink(store->lock_path);
    if (store->lock >= 0) (void)close(store->lock);
    free(store->lock_path);
    free(store->path);
    free(store);
}

/* ---- runs and settings -------------------------------------------------------------------------------------- */

vxe_result vxe_store_begin_run(batch_store *store, const store_run *run, int64_t *number, vxe_error *error)
{
    char host[256] = "";
    char uid[384];
    sqlite3_stmt *s = NULL;
    if (run->host != NULL) {
        (void)snprintf(host, sizeof host, "%s", run->host);
    } else if (gethostname(host, sizeof host - 1) != 0) {
        host[0] = '\0';
    }
    const double started = vxe_seconds(VXE_CLOCK_DAY);
    (void)snprintf(uid, sizeof uid, "%s-%ld-%d-%.6f", host, (long)getpid(), (int)run->rank, started);
    vxe_result result = vxe_store_prepare(
        store,
        "INSERT INTO runs(uid, started, version, host, pid, device, isa, precision, threads, rank, shard, "
        "shards, input, command, settings) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)",
        &s, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_text(s, 1, uid, -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(s, 2, started);
    (void)sqlite3_bind_text(s, 3, vxe_version(), -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 4, host, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s, 5, (sqlite3_int64)getpid());
    (void)sqlite3_bind_text(s, 6, run->device, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 7, run->isa, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 8, run->precision, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int(s, 9, run->threads);
    (void)sqlite3_bind_int(s, 10, run->rank);
    (void)sqlite3_bind_int64(s, 11, run->shard);
    (void)sqlite3_bind_int64(s, 12, run->shards);
    (void)sqlite3_bind_text(s, 13, run->input, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 14, run->command, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 15, run->settings, -1, SQLITE_STATIC);
    if (sqlite3_step(s) != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    if (result == VXE_OK) *number = sqlite3_last_insert_rowid(store->db);
    return result;
}

vxe_result vxe_store_end_run(batch_store *store, int64_t number, const char *how, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    vxe_result result = vxe_store_prepare(store, "UPDATE runs SET ended=?2, how=?3 WHERE run=?1", &s, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_int64(s, 1, number);
    (void)sqlite3_bind_double(s, 2, vxe_seconds(VXE_CLOCK_DAY));
    (void)sqlite3_bind_text(s, 3, how, -1, SQLITE_STATIC);
    if (sqlite3_step(s) != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}

vxe_result vxe_store_get(batch_store *store, const char *key, char **value, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    vxe_result result = vxe_store_prepare(store, "SELECT value FROM settings WHERE key=?1", &s, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    const int step = sqlite3_step(s);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    if (step != SQLITE_ROW && step != SQLITE_DONE) result = vxe_store_fail(store, error);
    if (text == NULL) text = "";
    *value = result == VXE_OK ? malloc(strlen(text) + 1) : NULL;
    if (*value != NULL) memcpy(*value, text, strlen(text) + 1);
    if (result == VXE_OK && *value == NULL) result = vxe_fail_memory(error, "a store", strlen(text));
    (void)sqlite3_finalize(s);
    return result;
}

vxe_result vxe_store_set(batch_store *store, const char *key, const char *value, vxe_error *error)
{
    sqlite3_stmt *s = NULL;
    vxe_result result = vxe_store_prepare(store, "INSERT OR REPLACE INTO settings VALUES(?1, ?2)", &s, error);
    if (result != VXE_OK) return result;
    (void)sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 2, value, -1, SQLITE_STATIC);
    if (sqlite3_step(s) != SQLITE_DONE) result = vxe_store_fail(store, error);
    (void)sqlite3_finalize(s);
    return result;
}
