/** @file replay.h
 *  Replays: what a run did, as one page (HTML) that opens in any browser without a network: the moving body,
 * measures to colour it by, and plots of a trace. A recorder takes frames while the run goes on, and drops
 * every second one when there are too many: so a replay has a bounded size and covers all of the run, however
 * long it is. Each frame has the surface of its moment: links that broke, voxels that came and went.
 */
#ifndef VOXELASTIC_REPLAY_H
#define VOXELASTIC_REPLAY_H

#include "io.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A recorder. */
typedef struct vxe_replay vxe_replay;

/** Whether this library was built with the replay's page; without it nothing can be written. */
VXE_API bool vxe_replay_available(void);
/** The page of replays without a replay in it: its text and size, bytes; valid as long as the library. False
 * where it was built without, or for NULL. */
VXE_API bool vxe_replay_blank(const unsigned char **text, size_t *size);
/** A recorder for a run of `sim` that begins now and ends as `stop` says. `scene` is what its model was made
 * from; the trace (may be NULL) is what is plotted. Both must outlive it. VXE_ERROR_MEMORY, or _ARGUMENT if
 * there is no page. */
VXE_API vxe_result vxe_replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace,
                                     const vxe_stop *stop, vxe_replay **replay, vxe_error *error);
/** Frees a recorder; NULL is fine. */
VXE_API void vxe_replay_destroy(vxe_replay *replay);
/** When it is to be called again, s of simulated time; infinity for NULL. */
VXE_API double vxe_replay_next(const vxe_replay *replay);
/** Records a frame and a row of the trace, if they are due. */
VXE_API void vxe_replay_observe(vxe_replay *replay, vxe_sim *sim);
/** Seconds of processor time spent on that so far; 0 for NULL. */
VXE_API double vxe_replay_seconds(const vxe_replay *replay);
/** A small picture (PNG) that stands for the replay: its icon, and what is seen until it is there. Copied; at
 * most 1 MB. VXE_ERROR_ARGUMENT or _MEMORY. */
VXE_API vxe_result vxe_replay_set_picture(vxe_replay *replay, const uint8_t *png, size_t size,
                                          vxe_error *error);
/** Records the last frame and writes the page. `summary` (may be NULL) is a JSON object that the page shows.
 * VXE_ERROR_FILE; _INPUT for a summary that is none; _MEMORY, also if memory ran out on the way. */
VXE_API vxe_result vxe_replay_write(vxe_replay *replay, vxe_sim *sim, const char *summary, const char *path,
                                    vxe_error *error);

#ifdef __cplusplus
}
#endif

#endif
