/* What is set from outside for single voxels, and lies in memory only once it is used. */
#ifndef SIM_DRIVE_H
#define SIM_DRIVE_H

#include "sim/sim.h"

/* Targets of the actuated voxels, (actuated_count) each. */
typedef struct sim_control {
    double *from;  /* growth at `begin` */
    double *to;    /* growth to be reached; NaN: what the signal asks for */
    double *begin; /* s */
    double *rate;  /* 1/s: how fast the way is made; infinity: at once; 0: the signal rules alone */
    bool whole;    /* no signal has a say any more */
} sim_control;

/* control.c: makes room, if there is none yet; */
vxe_result vxe_control_prepare(vxe_sim *sim, vxe_error *error);
void vxe_control_destroy(vxe_sim *sim);
/* whether any voxel has a target; */
bool vxe_control_used(const vxe_sim *sim);
/* place of a voxel among the actuated ones, or -1; */
int32_t vxe_find_actuated(const vxe_model *m, int32_t voxel);
/* back to the signals; */
void vxe_control_reset(vxe_sim *sim);
/* after `to` or `rate` were changed; */
void vxe_control_review(vxe_sim *sim);
/* sizes at a time, over what the signals ask for in `growth`, (voxel_count) */
void vxe_control_apply(const vxe_sim *sim, double time, double *growth);

/* signals.c: growth of actuated voxel number i at a temperature, K, limits included; and those limits */
double vxe_growth_of_temperature(const vxe_sim *sim, int32_t i, double temperature);
double vxe_growth_limited(const vxe_sim *sim, int32_t i, double growth);

/* array.c: room for forces on all voxels, if there is none yet; */
vxe_result vxe_applied_prepare(vxe_sim *sim, vxe_error *error);
void vxe_applied_reset(vxe_sim *sim);
/* whether any force is not zero; */
bool vxe_applied_used(const vxe_sim *sim);
/* that room, and what vxe_sim_array() keeps */
void vxe_arrays_destroy(vxe_sim *sim);

/* change.c: links of its own, so that some can be cut, if it has none yet */
vxe_result vxe_links_own(vxe_sim *sim, vxe_error *error);
/* and gives them back, where links cannot fail by themselves */
void vxe_links_disown(vxe_sim *sim);

#endif
