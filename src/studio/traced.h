/* The trace of a simulation in the studio: quantities the page asked for, row by row, kept so that a page
 * that comes back finds all of it. */
#ifndef STUDIO_TRACED_H
#define STUDIO_TRACED_H

#include "studio/command.h"
#include "studio/message.h"
#include "voxelastic/voxelastic.h"

typedef struct traced {
    json_t *names;    /* what the page asked for */
    json_t *missing;  /* of those: not in this model */
    double every;     /* s, as asked; 0: chosen */
    vxe_trace *trace; /* NULL: nothing to record */
    int32_t columns;
    double interval; /* s between rows */
    double next;     /* s; when the next row is due */
    double *rows;
    size_t count; /* rows */
    size_t sent;  /* rows the page has; more than count: everything changed */
} traced;

void traced_destroy(traced *h);
/* Takes new names (a list of texts). Rows so far stay; in columns that are new they are not numbers. `sim`
 * may be NULL. */
bool traced_set(traced *h, json_t *names, double every, vxe_sim *sim, const vxe_scene *scene, failure *f);
/* Begins anew with another simulation (NULL: none). */
void traced_start(traced *h, vxe_sim *sim, const vxe_scene *scene);
/* Forgets all rows and records the first. */
void traced_restart(traced *h, vxe_sim *sim);
/* Records a row if one is due. */
void traced_record(traced *h, vxe_sim *sim);
/* The page knows nothing. */
void traced_resend(traced *h);
/* {"names", "columns", "every", "missing"} */
json_t *traced_json(const traced *h);
/* The rows the page does not have; NULL: it has all. */
message *traced_message(traced *h, int64_t serial);

#endif
