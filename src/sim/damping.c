/* Implicit bond damping.
 *
 * Explicit damping of ratio 1 shortens the stable step fourfold. Here each link in turn takes its share of
 * the relative motion of its ends, as if it were alone: an impulse that the velocities feel at once, computed
 * from the exact decay (1 - exp(-x)), so that it can stop a motion but never turn it round. Links are taken
 * by colours, so that the order within one does not matter, first forwards for half of the step and then
 * backwards for the other half; the two halves of the middle colour are one.
 *
 * Forwards and backwards make the whole symmetric: with D what it leaves of the velocities, D = B B' has
 * eigenvalues from 0 to 1. A step is v <- D (v - dt K x/M), x <- x + dt v. With Z = 1/D - 1 >= 0 that is the
 * leapfrog with masses (1 + Z/2) M and a damping Z/2 taken in the middle of the step, which never gains
 * energy as long as dt^2 K < 4 (1 + Z/2) M: so damping can only extend the stable step of the undamped body.
 * Momentum and angular momentum are kept by every single impulse. Low modes are damped as they should be up
 * to the square of x; where x would become large the step is kept short enough: vxe_damping_longest(). */
#include "kernel/brake.h"
#include "sim/life.h"

/* What a step with the passes takes, over one without: measured on cubes, robots and bodies with holes, with
 * the account, which all runs keep unless told not to (1.24 to 1.8). The same on every machine and with every
 * setting, so that results are. */
#define IMPLICIT_COST 1.5

/* Largest x of stretching, and of shearing, whose ratio is that of two voxels of the same kind. Up to here
 * low modes of bars and blocks are damped within 7 % of what they should be. */
#define STRETCH_MOST 1.0
#define SHEAR_MOST 2.5

void vxe_damping_choose(vxe_sim *sim)
{
    const vxe_environment *e = &sim->environment;
    const double most = e->damping_stretch > e->damping_rotation ? e->damping_stretch : e->damping_rotation;
    /* with implicit damping it hangs on the step where links that are out of balance take a body */
    sim->implicit = most > 0.0 && sim->def.bond_damping != VXE_BOND_DAMPING_EXPLICIT && !e->links_unbalanced;
    sim->undecided = sim->implicit && sim->def.bond_damping == VXE_BOND_DAMPING_AUTO;
}

double vxe_damping_implicit_cost(void) { return IMPLICIT_COST; }

void vxe_damping_decide(vxe_sim *sim, double implicit_step, double explicit_step)
{
    sim->implicit = implicit_step > IMPLICIT_COST * explicit_step;
    sim->undecided = false;
}

double vxe_damping_longest(const vxe_sim *sim)
{
    double longest = __builtin_inf();
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        const link_table *t = &sim->links[i];
        if (!sim->model->classes[i].moves) continue;
        const link_mobility mobility = link_mobility_of(t->near_mass, t->far_mass, sim->model->view.pitch);
        const double stretch = STRETCH_MOST / (t->axial * mobility.axial);
        const double shear = SHEAR_MOST / (t->shear * mobility.shear);
        if (stretch < longest) longest = stretch;
        if (shear < longest) longest = shear;
    }
    return longest;
}

static brake_table brake_table_of(const vxe_sim *sim, const link_table *t, double time)
{
    const brake_source source = {t->axial, t->shear, t->bending, t->torsion, t->near_mass, t->far_mass};
    const brake_numbers b = brake_of(source, sim->model->view.pitch, time);
    return (brake_table){b.axial, b.shear, b.bending, b.excess, b.far};
}

static void make_brakes(vxe_sim *sim, double dt)
{
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        link_table *t = &sim->links[i];
        t->brake[0] = brake_table_of(sim, t, 0.5 * dt);
        t->brake[1] = brake_table_of(sim, t, dt);
        const link_class *c = &sim->model->classes[i];
        if (sim->model->materials[c->near_material].rigid == sim->model->materials[c->far_material].rigid)
            continue;
        t->joint = t->brake[0]; /* rigid parts have a stage of their own */
        t->brake[0] = t->brake[1] = (brake_table){.far = t->brake[0].far};
    }
    sim->brake_dt = dt;
    vxe_tables_changed(sim);
}

/* Forwards for half of the step, then backwards; the two halves of the middle pass are one. */
const damping_pass vxe_damping_order[DAMPING_PASSES] = {
    {2, 0, false}, {2, 1, false}, {1, 0, false}, {1, 1, false}, {0, 0, false}, {0, 1, true},
    {0, 0, false}, {1, 1, false}, {1, 0, false}, {2, 1, false}, {2, 0, false}};

void vxe_damping_prepare(vxe_sim *sim, const step_context *context)
{
    if (context->kick != sim->brake_dt) make_brakes(sim, context->kick);
}

void vxe_damp(vxe_sim *sim, const step_context *context)
{
    vxe_damping_prepare(sim, context);
    const bool bonded = sim->life != NULL && sim->life->counts.bond_count > 0;
    for (int half = 0; half < 2; half++) { /* bonds before and after, in reverse: the whole stays symmetric */
        if (bonded) {
            sim->life->backwards = half == 1;
            vxe_stage_run(sim, STAGE_brake, context);
        }
        if (half == 0) vxe_stage_run(sim, STAGE_damp, context);
    }
}
