/* What the studio and its solving process say to each other, through pipes between two copies of one program:
 * a length (8 bytes), so much JSON, then data. Before its answer the worker may say {"progress": ...},
 * without data, any number of times. */
#ifndef STUDIO_SOLVE_WORKER_H
#define STUDIO_SOLVE_WORKER_H

#include "studio/solver.h"
#include "studio/studio.h"

#define SOLVE_WORKER_OPTION "--solve-worker"

/* The request for a solution of the player's simulation as it is; freed by free(). Inside the player. */
bool solve_request(const player *p, solve_kind kind, int count, char **request, size_t *size, failure *f);

#endif
