/* When a run ends, beside time and number of steps: quantities that have settled, and formulas. */
#include "sim/floor.h"
#include "sim/life.h"
#include "sim/outside.h"

#include <math.h>
#include <string.h>

/* How long something must have settled, s. */
static double settle_time(const vxe_sim *sim, const vxe_stop *stop)
{
    if (stop->settle > 0.0) return stop->settle;
    return (stop->settle_steps > 0 ? (double)stop->settle_steps : 1000.0) * sim->time_step.dt;
}

/* Whether a quantity has stayed below its floor long enough; i: 0 kinetic energy, 1 speed, 2 movement. */
static bool is_calm(vxe_sim *sim, int i, double value, double floor, double settle)
{
    if (sim->calm_floor[i] != floor) {
        sim->calm_floor[i] = floor;
        sim->calm_since[i] = -1.0;
    }
    if (!(value < floor)) {
        sim->calm_since[i] = -1.0;
        return false;
    }
    if (sim->calm_since[i] < 0.0) sim->calm_since[i] = sim->time;
    return sim->time - sim->calm_since[i] >= settle;
}

/* Ten samples of the energy over the time of settling, all as near to the newest as asked. */
static bool is_steady(vxe_sim *sim, double change, double settle)
{
    watch_state *w = &sim->watch;
    if (w->energy_count > 0 && sim->time < w->energy_next) return false;
    w->energy_next = sim->time + 0.1 * settle;
    memmove(w->energy, w->energy + 1, 9 * sizeof w->energy[0]);
    w->energy[9] = vxe_kinetic_energy(sim) + sim->energy.elastic;
    if (w->energy_count < 10) w->energy_count++;
    if (w->energy_count < 10) return false;
    for (int i = 0; i < 9; i++) {
        if (!(fabs(w->energy[i] - w->energy[9]) <= change)) return false;
    }
    return true;
}

/* Whether more voxels of the material that is not to touch the floor do than others: a robot that fell. */
static bool has_fallen(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    int64_t more = 0;
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC));
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (sim->material[v] == 0 || !(vxe_floor_depth(sim, v, sim->growth[0][v], sim->position[0][v],
                                                       sim->position[1][v], sim->position[2][v]) > 0.0))
            continue;
        more += m->view.material[v] == m->fall ? 1 : -1;
    }
    return more > 0;
}

vxe_run_reason vxe_stop_reason(vxe_sim *sim, const vxe_stop *stop)
{
    if (sim->time < stop->after || sim->step < stop->after_steps) return VXE_RUN_STEPS;
    if (sim->life != NULL && sim->life->counts.ended != 0) return VXE_RUN_RULE;
    if (sim->model->fall > 0 && sim->environment.floor && has_fallen(sim)) return VXE_RUN_FALL;
    if (stop->formula && sim->model->formulas[VXE_FORMULA_STOP].count > 0) {
        const vxe_formula *formula = &sim->model->formulas[VXE_FORMULA_STOP];
        double variables[VXE_VARIABLE_COUNT];
        vxe_state_read(sim, vxe_state_with(STATE_PUBLIC));
        vxe_formula_context(sim, formula, variables);
        if (vxe_formula_value(formula, variables) > 0.0) return VXE_RUN_FORMULA;
    }
    if (sim->step % VXE_STOP_EVERY != 0 || sim->step == 0) return VXE_RUN_STEPS;
    if (!(stop->kinetic_energy > 0.0 || stop->speed > 0.0 || stop->movement > 0.0 ||
          stop->energy_change > 0.0))
        return VXE_RUN_STEPS;
    const double settle = settle_time(sim, stop);
    vxe_run_reason reason = VXE_RUN_STEPS;
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC));
    if (stop->energy_change > 0.0 && is_steady(sim, stop->energy_change, settle))
        reason = VXE_RUN_ENERGY_CHANGE;
    if (stop->kinetic_energy > 0.0 && is_calm(sim, 0, vxe_kinetic_energy(sim), stop->kinetic_energy, settle))
        reason = VXE_RUN_KINETIC_ENERGY;
    if (stop->speed > 0.0 && is_calm(sim, 1, vxe_sim_speed_max(sim), stop->speed, settle))
        reason = VXE_RUN_SPEED;
    if (stop->movement > 0.0 &&
        is_calm(sim, 2, vxe_sim_speed_max(sim) * sim->time_step.dt, stop->movement, settle))
        reason = VXE_RUN_MOVEMENT;
    return reason;
}
