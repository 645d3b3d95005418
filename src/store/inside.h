/* Inside the store. */
#ifndef STORE_INSIDE_H
#define STORE_INSIDE_H

#include "store/store.h"

#include <math.h>

#define STORE_NOTHING NAN

/* Statements that are kept. */
enum {
    STORE_ADD_DESIGN,
    STORE_FIND_DESIGN,
    STORE_ADD_TEXT,
    STORE_ADD_RESULT,
    STORE_REPLACE_RESULT,
    STORE_ADD_METRICS,
    STORE_ADD_FAULT,
    STORE_DROP_FAULT,
    STORE_ADD_ALIAS,
    STORE_HAS,
    STORE_STATEMENTS
};

struct batch_store {
    sqlite3 *db;
    char *path;
    char *lock_path;
    int lock; /* descriptor; -1: none */
    bool locked;
    sqlite3_stmt *statements[STORE_STATEMENTS];
};

vxe_result vxe_store_run(batch_store *store, const char *sql, vxe_error *error);
vxe_result vxe_store_prepare(batch_store *store, const char *sql, sqlite3_stmt **statement, vxe_error *error);

/* A number; NaN for NULL. */
static inline double vxe_store_double(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? STORE_NOTHING
                                                                 : sqlite3_column_double(statement, column);
}

#endif
