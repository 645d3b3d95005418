/* Peaks: see peaks.h. A reset or a resume changes the number of the step by more than one, and begins anew.
 */
#include "sim/peaks.h"
#include "sim/sim.h"

void vxe_note_peaks(vxe_sim *sim)
{
    sim_peaks *p = &sim->peaks;
    if (sim->step != p->step + 1) p->peaks = (vxe_sim_peaks){0.0, sim->time, 0.0, sim->time};
    p->step = sim->step;
    if (sim->last.strain_max > p->peaks.strain) {
        p->peaks.strain = sim->last.strain_max;
        p->peaks.strain_time = sim->last_time;
    }
    if (sim->last.speed_max > p->peaks.speed) {
        p->peaks.speed = sim->last.speed_max;
        p->peaks.speed_time = sim->time;
    }
}

vxe_sim_peaks vxe_sim_peaks_get(const vxe_sim *sim)
{
    if (sim == NULL || sim->step != sim->peaks.step) return (vxe_sim_peaks){0.0, 0.0, 0.0, 0.0};
    return sim->peaks.peaks;
}
