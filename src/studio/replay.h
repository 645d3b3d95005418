/* Replays: what a run did, as one page that opens anywhere (docs/studio-protocol.md, "Replay"). A recorder
 * takes frames while the run goes on, and drops every second one when there are too many: so a replay has a
 * bounded size and covers all of the run, however long it is. */
#ifndef STUDIO_REPLAY_H
#define STUDIO_REPLAY_H

#include "voxelastic/voxelastic.h"

#include <jansson.h>

typedef struct replay replay;

/* A recorder for a run of `sim` that begins now and ends as `stop` says. The trace (may be NULL) is what is
 * plotted. *made is NULL, and that is no error, if this program has no pages. */
vxe_result replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace, const vxe_stop *stop,
                         replay **made, vxe_error *error);
/* Frees a recorder; NULL is fine, here and below: then nothing happens. */
void replay_destroy(replay *r);
/* When it is to be called again, s of simulated time; infinite without a recorder. */
double replay_next(const replay *r);
/* Records a frame and a row of the trace, if they are due. Gives the seconds that took. */
double replay_observe(replay *r, vxe_sim *sim);
/* Seconds spent on that in all. */
double replay_spent(const replay *r);
/* Records the last frame and writes the page. A recorder that ran out of memory on its way says so here. */
vxe_result replay_write(replay *r, vxe_sim *sim, const json_t *summary, const char *path, vxe_error *error);

#endif
