/* Where regions take their voxels, and how much of a load acts: the scene's values with their ramps, or what
 * was set while running. */
#include "kernel/signal.h"
#include "sim/sim.h"

static double ramp_part(double time, double begin, double length)
{
    if (length <= 0.0) return time >= begin ? 1.0 : 0.0;
    return signal_smooth((time - begin) / length);
}

double vxe_region_load_part(const vxe_sim *sim, int32_t region, double time)
{
    if (sim->regions[region].load_ramped == 0) return 1.0;
    return ramp_part(time, 0.0, sim->model->regions[region].def.ramp);
}

void vxe_region_displacement_at(const vxe_sim *sim, int32_t region, double time, double displacement[3])
{
    const sim_region *r = &sim->regions[region];
    const double part = ramp_part(time, r->ramp_begin, r->ramp);
    for (int a = 0; a < 3; a++) displacement[a] = r->from[a] + part * (r->to[a] - r->from[a]);
}

double vxe_region_turn_part(const vxe_sim *sim, int32_t region, double time)
{
    return ramp_part(time, 0.0, sim->model->regions[region].def.ramp);
}
