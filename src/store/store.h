/* The store of a batch: one SQLite file with a write-ahead log. docs/batch.md has the schema. Whatever
 * happens to the program or the machine, the file holds what was committed last, whole. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "designs/outcome.h"

#include <sqlite3.h>

#define STORE_VERSION 1              /* of the schema */
#define STORE_APPLICATION 0x56584542 /* "VXEB": what `file` and others know it by */

typedef enum store_mode {
    STORE_READ,  /* must be there; nothing is changed */
    STORE_WRITE, /* made if it is not there; refused while another program writes it */
    STORE_LOOK   /* a second connection of the program that writes */
} store_mode;

typedef struct batch_store batch_store;

/* Opens a store. VXE_ERROR_FILE; VXE_ERROR_INPUT for a file that is no store, or of a newer version. */
vxe_result vxe_store_open(const char *path, store_mode mode, batch_store **store, vxe_error *error);
/* Commits nothing: what was not committed is gone. NULL is fine. */
void vxe_store_close(batch_store *store);
/* The connection, for queries. */
sqlite3 *vxe_store_connection(batch_store *store);
const char *vxe_store_path(const batch_store *store);
/* The error of the last call: "PATH: ...", VXE_ERROR_FILE (a full disk, too). */
vxe_result vxe_store_fail(const batch_store *store, vxe_error *error);

/* What a process did: a row of `runs`. */
typedef struct store_run {
    const char *input;
    const char *command;  /* arguments */
    const char *settings; /* JSON: what makes the same designs and results again */
    const char *device;   /* "cpu" */
    const char *isa;
    const char *precision;
    const char *host; /* NULL: this one */
    int32_t threads;
    int32_t rank;
    int64_t shard;
    int64_t shards;
} store_run;
/* Adds one and gives its number. */
vxe_result vxe_store_begin_run(batch_store *store, const store_run *run, int64_t *number, vxe_error *error);
vxe_result vxe_store_end_run(batch_store *store, int64_t number, const char *how, vxe_error *error);

/* A text of the store's own: "fitness". Empty if there is none. Freed by free(). */
vxe_result vxe_store_get(batch_store *store, const char *key, char **value, vxe_error *error);
vxe_result vxe_store_set(batch_store *store, const char *key, const char *value, vxe_error *error);

/* Another name for a design that is there already. */
typedef struct store_alias {
    uint8_t hash[DIGEST_SIZE];
    char id[DESIGN_ID_SIZE];
    int64_t number;
} store_alias;

/* write.c: one transaction. `again`: results that are there are replaced, else the new ones are dropped. */
vxe_result vxe_store_add(batch_store *store, const design_outcome *outcomes, size_t count,
                         const store_alias *aliases, size_t alias_count, const fitness *worth, bool again,
                         vxe_error *error);
/* Whether a result is there; *id is that of the design. */
vxe_result vxe_store_has(batch_store *store, const uint8_t hash[DIGEST_SIZE], int32_t repeat, bool *there,
                         char id[DESIGN_ID_SIZE], vxe_error *error);
/* Forgets designs that could not be run. */
vxe_result vxe_store_forget_failed(batch_store *store, vxe_error *error);
/* Values every result anew. */
vxe_result vxe_store_value(batch_store *store, const char *text, vxe_error *error);
/* Keeps a file of a result: "trace.csv", "state.vxck", "replay.html". */
vxe_result vxe_store_put_file(batch_store *store, int64_t design, int32_t repeat, const char *name,
                              const void *data, size_t size, vxe_error *error);

/* merge.c: takes everything of another store that is not there yet. */
vxe_result vxe_store_merge(batch_store *store, const char *path, int64_t *added, vxe_error *error);

/* read.c: all about one result. Texts are valid until the next call. */
typedef struct store_row {
    int64_t design;
    int32_t repeat;
    const char *id;
    char hash[DIGEST_TEXT];
    int64_t number;
    const char *status;
    const char *reason;
    double fitness; /* NaN: none */
    int64_t steps;
    double time;
    double wall;
    const char *state_hash;
    double finished;
    const char *message; /* may be NULL */
    int64_t run;
    double metrics[METRIC_COUNT];
} store_row;

/* What is read, and in which order. */
typedef enum store_order {
    STORE_BY_DESIGN, /* as they came */
    STORE_BY_FITNESS /* the best first, those without last */
} store_order;

/* Calls `take` for each row until it returns false. `where` (may be NULL) is SQL; `limit` 0: all. */
typedef bool store_take(void *user, const store_row *row);
vxe_result vxe_store_each(batch_store *store, store_order order, const char *where, int64_t limit,
                          store_take *take, void *user, vxe_error *error);

typedef struct store_counts {
    int64_t designs;
    int64_t aliases;
    int64_t done;
    int64_t fault;
    int64_t failed;
    int64_t steps;
    double time;  /* s, simulated */
    double wall;  /* s of all workers */
    double first; /* s since 1970; of the first and last result */
    double last;
    double best; /* NaN: none */
} store_counts;
vxe_result vxe_store_count(batch_store *store, store_counts *counts, vxe_error *error);

/* One number of a query; NaN: NULL or no row. */
vxe_result vxe_store_number(batch_store *store, const char *sql, double *value, vxe_error *error);

#endif
