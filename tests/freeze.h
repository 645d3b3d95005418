/* The one place where tests reach into the choice of the time step: it is set by hand and never chosen again.
 */
#ifndef TESTS_FREEZE_H
#define TESTS_FREEZE_H

#include "sim/sim.h"

#include <math.h>

static inline void freeze_step(vxe_sim *sim, double dt)
{
    sim->time_step.dt = dt;
    sim->pace.halvings = 0;
    sim->rate_at_bound = NAN; /* no comparison with it is ever true */
}

#endif
