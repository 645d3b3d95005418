/** @file figures.h
 *  Figures of a run: the largest strain, stress, speed and displacement with when and where, and how a body
 * gets on. They are found by looking now and then; strain and speed are measured in every step, so that
 * nothing in between is missed. Peaks are those since the start of the simulation: checkpoints keep them.
 */
#ifndef VOXELASTIC_FIGURES_H
#define VOXELASTIC_FIGURES_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is largest. */
typedef enum vxe_peak_kind {
    VXE_PEAK_STRAIN,       /**< of a link, positive or negative, in size; from every step */
    VXE_PEAK_SPEED,        /**< of a voxel, m/s; from every step */
    VXE_PEAK_DISPLACEMENT, /**< of a voxel from its start, m; when it was looked */
    VXE_PEAK_STRESS,       /**< mean of a voxel's links along an axis, in size, Pa; when it was looked */
    VXE_PEAK_KINDS         /**< how many there are */
} vxe_peak_kind;

/** Where and when something was largest. */
typedef struct vxe_peak {
    double value;  /**< see vxe_peak_kind */
    double time;   /**< s */
    int32_t voxel; /**< where (of a strain: the near voxel of the link); -1: nowhere */
} vxe_peak;

/** How a body gets on, from the first look to the last. NaN where there is no such thing. */
typedef struct vxe_gait {
    double duration;       /**< s */
    double body_length;    /**< m; the longer horizontal side of the box around all voxels at their start */
    double distance;       /**< m; horizontal, between the centre of mass then and now */
    double path_length;    /**< m; horizontal way of the centre of mass, with its detours */
    double speed;          /**< m/s; distance by duration */
    double speed_lengths;  /**< body lengths per second */
    double actuation_work; /**< J; done by expanding and contracting voxels; with audit only */
    double cost_of_transport; /**< actuation work by weight and distance; with gravity and audit only */
    double duty_factor; /**< part of the time that a voxel touches the floor or others, in the mean over those
                           that do so at all; NaN: none does */
    double contact_part; /**< part of the time that any voxel touches */
    double height;       /**< m; of the centre of mass, in the mean over all looks */
    double rise;         /**< m; how far the centre of mass rose above where it was at first, at most */
} vxe_gait;

/** Figures on their way. */
typedef struct vxe_figures vxe_figures;

/** Begins with a first look at `sim`; `every`: s between looks. VXE_ERROR_MEMORY, or _ARGUMENT. */
VXE_API vxe_result vxe_figures_create(vxe_sim *sim, double every, vxe_figures **figures, vxe_error *error);
/** Frees them; NULL is fine. */
VXE_API void vxe_figures_destroy(vxe_figures *figures);
/** When to look next, s of simulated time. A look takes about as long as a step. */
VXE_API double vxe_figures_next(const vxe_figures *figures);
/** Looks. To be called at vxe_figures_next(), and at the end. */
VXE_API void vxe_figures_look(vxe_figures *figures, vxe_sim *sim);
/** The largest so far. */
VXE_API vxe_peak vxe_figures_peak(const vxe_figures *figures, vxe_peak_kind kind);
/** The gait so far. */
VXE_API vxe_gait vxe_figures_gait(const vxe_figures *figures);

#ifdef __cplusplus
}
#endif

#endif
