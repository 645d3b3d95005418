/* A simulation brought to rest: set into an equilibrium that was found, or relaxed by damped stepping. */
#ifndef SOLVE_REST_H
#define SOLVE_REST_H

#include "solve/newton.h"

/* Sets the simulation into the pose of `n`, at rest: everything that reading, saving and stepping need. */
void vxe_rest_set(vxe_sim *sim, const newton *n);
/* Pairs of voxels that are not linked and touch in the present pose, as the contact stage would find them. */
int64_t vxe_rest_touching_pairs(vxe_sim *sim);

/* How a relaxation stands. */
typedef struct relaxation {
    double time;      /* s: signals and loads stand still at this moment */
    int64_t steps;    /* done so far */
    double kinetic;   /* J: at the last look */
    double imbalance; /* unbalanced force over the largest force of a link, load or support */
    bool settled;
} relaxation;

/* Steps until forces balance to `tolerance`, at most `steps` steps. Whenever kinetic energy has passed a
 * peak, all motion is stopped (kinetic damping). VXE_ERROR_DIVERGED if the simulation fails. */
vxe_result vxe_relax(vxe_sim *sim, relaxation *r, int64_t steps, double tolerance, vxe_error *error);

#endif
