/** @file run.h
 *  Runs: stepping a simulation to its end while things are done on the way at simulated times: a row of a
 * trace, a checkpoint, a picture. A run steps in pieces that end where something is due and that are short
 * enough to be cancelled. A piece never shortens a step (only the stop condition does), so what is done on
 * the way, and when, does not change the motion.
 */
#ifndef VOXELASTIC_RUN_H
#define VOXELASTIC_RUN_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A run of one simulation. */
typedef struct vxe_run vxe_run;

/** How a run stands after vxe_run_go() or vxe_run_piece(). */
typedef struct vxe_run_outcome {
    vxe_run_reason reason; /**< why stepping ended; VXE_RUN_STEPS: it has not yet */
    bool cancelled;        /**< it was told to stop before its end */
} vxe_run_outcome;

/** Something that is done on the way. It may read the simulation but not step it. `*next` is when it will be
 * done next, s of simulated time: the multiple of its interval that follows, and free to be changed; infinity
 * ends it, a time that has passed means after the next step. Anything but VXE_OK ends the run with that
 * result and message. */
typedef vxe_result vxe_run_act(void *user, vxe_sim *sim, double *next, vxe_error *error);

/** A new run of `sim` (which must outlive it) until `stop` (copied; NULL: until it is cancelled or told).
 * VXE_ERROR_ARGUMENT or _MEMORY. */
VXE_API vxe_result vxe_run_create(vxe_sim *sim, const vxe_stop *stop, vxe_run **run, vxe_error *error);
/** Frees a run; NULL is fine. */
VXE_API void vxe_run_destroy(vxe_run *run);
/** Another stop condition from here on; NULL: none. */
VXE_API void vxe_run_set_stop(vxe_run *run, const vxe_stop *stop);
/** Adds something to do, first at time `first` and then at every multiple of `every`, s (0: only as it sets
 * itself). What is due at the same time is done in the order in which it was added. *task is its number, from
 * 0; may be NULL. VXE_ERROR_MEMORY, or _ARGUMENT for a negative interval. */
VXE_API vxe_result vxe_run_add(vxe_run *run, double first, double every, vxe_run_act *act, void *user,
                               int32_t *task, vxe_error *error);
/** Moves a task to another time, s, and interval. */
VXE_API void vxe_run_move(vxe_run *run, int32_t task, double next, double every);
/** Asked before each piece, on the thread that runs: true ends the run. NULL: never. */
VXE_API void vxe_run_set_cancel(vxe_run *run, bool (*cancel)(void *user), void *user);
/** Called after each piece, when everything due is done: for a progress bar. Anything but VXE_OK ends the
 * run. NULL: nobody is told. */
VXE_API void vxe_run_set_progress(vxe_run *run,
                                  vxe_result (*progress)(void *user, vxe_sim *sim, vxe_error *error),
                                  void *user);
/** How long a piece should take, s of real time, about; 0.05 at first. */
VXE_API void vxe_run_set_piece(vxe_run *run, double seconds);

/** Runs until the stop condition is met, the simulation fails or the run is cancelled. What was due at the
 * very end is not done: the caller finishes. Calling it again goes on. Returns what a task returned. */
VXE_API vxe_result vxe_run_go(vxe_run *run, vxe_run_outcome *outcome, vxe_error *error);
/** Does one piece of at most `steps` steps and what is due then: for those who have a loop of their own. */
VXE_API vxe_result vxe_run_piece(vxe_run *run, int64_t steps, vxe_run_outcome *outcome, vxe_error *error);

/** How long a run will take, s of simulated time, as far as `stop` tells (its time, steps, cycles of the
 * first signal of the model's scene, whose period is `period`; 0: none); infinity where it does not. */
VXE_API double vxe_run_length(const vxe_sim *sim, const vxe_stop *stop, double period);
/** The first multiple of `every` after `time`, with a billionth of slack, so that 3 * 0.1 counts as 0.3;
 * infinity for 0. */
VXE_API double vxe_run_next(double time, double every);

#ifdef __cplusplus
}
#endif

#endif
