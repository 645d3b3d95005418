/** @file batch.h
 *  Populations: many designs, each made, simulated, controlled and judged on a worker of its own. A batch
 * lasts: its threads wait for more designs until it is destroyed. As many simulations are alive at a time as
 * there are workers (times `together`), so a population needs no more memory than that. Every design gives
 * the same bits as if it were run alone, and what goes wrong with one does not touch the others.
 */
#ifndef VOXELASTIC_BATCH_H
#define VOXELASTIC_BATCH_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VXE_TOGETHER_MAX 65536 /**< most designs that a worker has in hand */
#define VXE_TOGETHER_GPU 1024  /**< what suits a GPU */

/** A batch. */
typedef struct vxe_batch vxe_batch;

/** What a worker is to simulate. */
typedef struct vxe_design {
    vxe_scene *scene;      /**< compiled and destroyed by the batch; NULL: `model` */
    vxe_model *model;      /**< destroyed by the batch, unless `shared` */
    bool shared;           /**< the model is the caller's, and may serve other designs too */
    bool none;             /**< there is no such design, nor any after it: the batch hands out no more */
    vxe_sim_def *settings; /**< of the simulation, to be changed: the defaults at first, the batch's; 0
                              threads stand for 1 here */
    vxe_stop *stop;        /**< when it is over, to be set: all zero at first, the batch's */
    double control_every;  /**< s of simulated time from one call of `control` to the next; 0: none */
    void *context;         /**< the caller's: `look` and `ended` get it */
} vxe_design;

/** How a design ended. */
typedef struct vxe_batch_end {
    vxe_result result;     /**< VXE_OK; or what went wrong before it ran, or what `control` returned */
    vxe_run_reason reason; /**< why stepping ended; VXE_RUN_STEPS: it never came to an end */
    bool cancelled;        /**< the batch was cancelled while it ran */
    bool stopped;          /**< `control` ended it */
    double seconds;        /**< s; wall time, making included */
    void *context;         /**< of the design */
    bool keep;             /**< set by `ended`: simulation and model are the caller's from now on */
    const char *message;   /**< what went wrong, faults included; empty if nothing; valid during the call */
} vxe_batch_end;

/** What is done with designs, on the worker's thread; for different designs at the same time. */
typedef struct vxe_batch_def {
    size_t size;     /**< of this struct, as vxe_default_batch_def() sets it */
    int32_t threads; /**< workers, 1 to VXE_THREADS_MAX; 0: as many as there are processors */
    void *user;      /**< handed to all of them */
    /** Builds design number `index`; *design has the defaults. What it sets there belongs to the batch even
     * if it fails. Anything but VXE_OK ends this design with that result and message. */
    vxe_result (*make)(void *user, int64_t index, vxe_design *design, vxe_error *error);
    /** Called at the start and then at every multiple of control_every, to which steps are shortened: reads
     * and drives the simulation but does not step it. *stop = true ends the design, as does anything but
     * VXE_OK. NULL: nobody controls. */
    vxe_result (*control)(void *user, int64_t index, vxe_sim *sim, bool *stop, vxe_error *error);
    /** Reads the simulation, at the start and then after the first step that ends at *next (s of simulated
     * time) or later; sets *next, infinity for never again. No step is shortened for it, so that looking
     * changes nothing. Anything but VXE_OK ends the design. NULL: nobody looks. */
    vxe_result (*look)(void *user, int64_t index, vxe_sim *sim, void *context, double *next,
                       vxe_error *error);
    /** It is over. `sim` is NULL where there was none. NULL: nobody is told. */
    void (*ended)(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end);
    /** Designs that a worker has in hand at a time and steps together, up to VXE_TOGETHER_MAX; 0: one. For
     * designs whose settings name a GPU, which wants thousands: one that ends makes room for the next. */
    int32_t together;
} vxe_batch_def;

/** How far a batch is. */
typedef struct vxe_batch_counts {
    int64_t added;   /**< designs handed to it */
    int64_t started; /**< designs that a worker took */
    int64_t ended;   /**< designs that are over */
    int64_t failed;  /**< of those: could not be made, or ended by a fault */
} vxe_batch_counts;

/** Fills a struct of `size` bytes with what vxe_default_batch_def() returns. */
VXE_API void vxe_batch_def_init(vxe_batch_def *def, size_t size);
/** All processors, no callbacks: `make` must be set. */
static inline vxe_batch_def vxe_default_batch_def(void)
{
    vxe_batch_def def;
    vxe_batch_def_init(&def, sizeof def);
    return def;
}
/** A new batch whose workers wait for designs. VXE_ERROR_ARGUMENT, _INPUT (threads) or _MEMORY. */
VXE_API vxe_result vxe_batch_create(const vxe_batch_def *def, vxe_batch **batch, vxe_error *error);
/** Cancels what is left, waits for the workers and frees all; NULL is fine. Not from a callback. */
VXE_API void vxe_batch_destroy(vxe_batch *batch);
/** Hands over `count` more designs: their numbers go on from those before, from 0. VXE_ERROR_ARGUMENT. */
VXE_API vxe_result vxe_batch_add(vxe_batch *batch, int64_t count, vxe_error *error);
/** Waits until everything is over, or `seconds` of real time (negative: without limit). True: it is over. */
VXE_API bool vxe_batch_wait(vxe_batch *batch, double seconds);
/** Drops the designs that were not taken yet, and ends those that run within some hundredths of a second
 * (`ended` is told). May be called from any thread and from callbacks. More can be added afterwards. */
VXE_API void vxe_batch_cancel(vxe_batch *batch);
/** How far it is. */
VXE_API vxe_batch_counts vxe_batch_count(vxe_batch *batch);
/** Number of workers; 0 for NULL. */
VXE_API int32_t vxe_batch_threads(const vxe_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
