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
#include "sim/sim.h"

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
    sim->implicit = most > 0.0 && sim->def.bond_damping != VXE_BOND_DAMPING_EXPLICIT;
    sim->undecided = sim->implicit && sim->def.bond_damping == VXE_BOND_DAMPING_AUTO;
}

void vxe_damping_decide(vxe_sim *sim, double implicit_step, double explicit_step)
{
    sim->implicit = implicit_step > IMPLICIT_COST * explicit_step;
    sim->undecided = false;
}

/* 1 - exp(-x) for x >= 0 by arithmetic alone, so that it has the same bits everywhere: the series for a small
 * part of x, doubled. */
static double decay(double x)
{
    if (x > 40.0) return 1.0;
    int doublings = 0;
    while (x > 0.0625) {
        x *= 0.5;
        doublings++;
    }
    double sum = 0.0;
    for (int i = 10; i >= 1; i--) sum = (1.0 - sum) * (x / i);
    for (int i = 0; i < doublings; i++) sum *= 2.0 - sum;
    return sum;
}

/* What a unit of impulse changes the relative velocity by: stretching, shearing, turning. */
typedef struct link_mobility {
    double axial, shear, turn;
} link_mobility;

static link_mobility mobility_of(const vxe_sim *sim, const link_table *t)
{
    const double l = sim->model->view.pitch;
    const double axial = 1.0 / t->near_mass + 1.0 / t->far_mass;
    const double turn = 6.0 / (l * l) * axial; /* inertia is m l^2/6 */
    return (link_mobility){axial, turn + 4.0 * axial / (l * l), turn};
}

double vxe_damping_longest(const vxe_sim *sim)
{
    double longest = __builtin_inf();
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        const link_table *t = &sim->links[i];
        const link_mobility mobility = mobility_of(sim, t);
        const double stretch = STRETCH_MOST / (t->axial * mobility.axial);
        const double shear = SHEAR_MOST / (t->shear * mobility.shear);
        if (stretch < longest) longest = stretch;
        if (shear < longest) longest = shear;
    }
    return longest;
}

static brake_table brake_of(const vxe_sim *sim, const link_table *t, link_mobility mobility, double time)
{
    const double l = sim->model->view.pitch;
    const double shear = decay(time * t->shear * mobility.shear);
    const double bending = decay(time * t->bending * mobility.turn);
    const double torsion = decay(time * t->torsion * mobility.turn);
    /* Ends of unlike inertia: bending and shearing are not independent, and both at once could take more than
     * there is. The larger eigenvalue of what they take says how much. */
    const double unlike = 6.0 / (l * l) * (1.0 / t->near_mass - 1.0 / t->far_mass);
    const double product = unlike * unlike * shear * bending / (mobility.shear * mobility.turn);
    const double difference = shear - bending;
    const double most = 0.5 * (shear + bending + __builtin_sqrt(difference * difference + 4.0 * product));
    const double ease = most > 1.0 ? 1.0 / most : 1.0;
    const double inertia = t->near_mass * l * l / 6.0;
    return (brake_table){.axial = decay(time * t->axial * mobility.axial) / (mobility.axial * t->near_mass),
                         .shear = 4.0 * ease * shear / (mobility.shear * t->near_mass),
                         .bending = ease * bending / (mobility.turn * inertia),
                         .excess = (ease * bending - torsion) / (mobility.turn * inertia),
                         .far = t->near_mass / t->far_mass};
}

static void make_brakes(vxe_sim *sim, double dt)
{
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        link_table *t = &sim->links[i];
        const link_mobility mobility = mobility_of(sim, t);
        t->brake[0] = brake_of(sim, t, mobility, 0.5 * dt);
        t->brake[1] = brake_of(sim, t, mobility, dt);
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
    vxe_stage_run(sim, STAGE_damp, context);
}
