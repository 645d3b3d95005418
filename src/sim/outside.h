/* What acts on a body from outside beside regions and contacts: fluid, force fields, cilia; and what formulas
 * speak of. All of it costs nothing where a scene has none. */
#ifndef SIM_OUTSIDE_H
#define SIM_OUTSIDE_H

#include "sim/loads.h"

void vxe_outside_reset(vxe_sim *sim);

/* The stage before loads: forces of this step into sim->outside, which the loads stage adds. */
sim_stage vxe_outside_forces;
/* The stage after a step: stops all motion where kinetic damping asks for it, and keeps what formulas speak
 * of. */
void vxe_outside_after(vxe_sim *sim);

/* What a formula speaks of, now. x, y, z are the centre of mass of the measured voxels. */
void vxe_formula_context(const vxe_sim *sim, const vxe_formula *formula,
                         double variables[VXE_VARIABLE_COUNT]);
/* The same at another moment, without x, y and z. */
void vxe_formula_surroundings(const vxe_sim *sim, const vxe_formula *formula, const load_moment *moment,
                              double variables[VXE_VARIABLE_COUNT]);
/* Of all pairs of voxels of target materials: the sum of 1/distance, 1/m, and how many are close. */
void vxe_target_pairs(const vxe_sim *sim, double *closeness, double *pairs);
/* Voxels that are or were there: what num_voxel is. Those that may grow count once they did. */
double vxe_voxels_so_far(const vxe_sim *sim);
bool vxe_formula_uses(const vxe_formula *formula, vxe_variable variable);

#define VXE_STOP_EVERY 16 /* steps: conditions that are not formulas are looked at this often */
/* stop.c: whether a condition of `stop` other than time and number of steps is met; VXE_RUN_STEPS: none. */
vxe_run_reason vxe_stop_reason(vxe_sim *sim, const vxe_stop *stop);

#endif
