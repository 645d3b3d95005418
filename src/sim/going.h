/* A run on its way, step by step or many steps at a time: what vxe_sim_run() and batches are made of. */
#ifndef SIM_GOING_H
#define SIM_GOING_H

#include "sim/sim.h"

typedef struct sim_going {
    vxe_sim *sim;
    vxe_stop stop;
    int64_t steps; /* at most */
    int64_t taken;
    double end;            /* s */
    double look;           /* s: from here on somebody wants to look at the state */
    vxe_run_reason at_end; /* the reason if it comes to that */
    vxe_run_reason reason; /* VXE_RUN_STEPS: only the steps are used up */
} sim_going;

/* `stop`: of any version; NULL: after `steps`. False: not a valid one. */
bool vxe_going_begin(sim_going *g, vxe_sim *sim, const vxe_stop *stop, int64_t steps, double look);
/* Whether it is over, and why. */
bool vxe_going_over(sim_going *g);
/* How far it can go before anybody must look whether it is. */
step_limits vxe_going_limits(const sim_going *g);
/* One step of the host's. */
void vxe_going_step(sim_going *g);
/* When it is over: the state can be looked at. */
void vxe_going_end(sim_going *g);

#endif
