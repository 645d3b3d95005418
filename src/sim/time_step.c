/* The largest stable time step, from a bound on the highest frequency and the strongest damping of the scene
 * as it is now (bound.c).
 *
 * For the step v += dt a, x += dt v with a = -M^-1 (K x + C v), C and K symmetric and not negative, the
 * motion is stable when
 *
 *     dt^2 K + 2 dt C < 4 M
 *
 * (write C v at the middle of the step: the mass becomes M - dt C/2, and the energy of the usual leapfrog
 * argument stays positive). With upper bounds f^2 of M^-1 K and g of M^-1 C the step is the positive root of
 * dt^2 f^2 + 2 dt g = 4. When the step follows the bound: step_pace.c. */
#include "sim/bound.h"

#include <math.h>
#include <string.h>

static void name_the_pace(vxe_sim *sim, const double *link_sum)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    vxe_time_step *t = &sim->time_step;
    double most = -1.0;
    t->voxel = -1;
    t->link = -1;
    for (int32_t v = 0; v < n; v++) {
        if (vxe_bound_fixed(m, v) == VXE_DOF_ALL) continue;
        const double ratio = vxe_bound_ratio(sim, v, link_sum);
        if (ratio > most) {
            most = ratio;
            t->voxel = v;
        }
    }
    double stiffest = 0.0;
    double w0 = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const uint32_t link = sim->link_kind[a][v];
            if (link == 0) continue;
            const link_class *c = &m->classes[link - 1];
            const double rate = __builtin_sqrt(c->youngs * m->view.pitch / c->mass);
            if (rate > w0) w0 = rate;
            if ((v == t->voxel || m->next[a][v] == t->voxel) && c->ka + c->ks > stiffest) {
                stiffest = c->ka + c->ks;
                t->link = (int32_t)(a * n + v);
            }
        }
    }
    t->classic = w0 > 0.0 ? 1.0 / (2.0 * 3.14159265358979323846 * w0) : 0.0;
}

/* The largest sum over mass of a voxel that can move; of each material in `rates`. */
static double largest_ratio(const vxe_sim *sim, double *rates)
{
    const vxe_model *m = sim->model;
    double most = 0.0;
    memset(rates, 0, ((size_t)m->constant_count + 1) * sizeof *rates);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const double ratio = vxe_bound_ratio(sim, v, sim->bound_sum[0]);
        if (vxe_bound_fixed(m, v) == VXE_DOF_ALL) continue;
        if (ratio > rates[sim->material[v]]) rates[sim->material[v]] = ratio;
        if (ratio > most) most = ratio;
    }
    return most;
}

bool vxe_time_step_refresh(vxe_sim *sim)
{
    bool changed = false;
    const double l = sim->model->view.pitch;
    const double per_step = sim->time_step.dt > 0.0 && !sim->implicit ? 2.0 / sim->time_step.dt : 0.0;
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        const link_class *c = &sim->model->classes[i];
        link_table *t = &sim->links[i];
        const double rate = c->ka + per_step * t->axial;
        const double across = c->ks * l * l + 4.0 * per_step * t->shear;
        changed = changed || t->rate != rate || t->rate_across != across;
        t->rate = rate;
        t->rate_across = across;
    }
    return changed;
}

/* s: the longest stable step of a stiffness and a damping, 1/s^2 and 1/s. */
static double limit_of(const vxe_sim *sim, double stiffness, double damping)
{
    const vxe_model *m = sim->model;
    if (stiffness > 0.0) return (__builtin_sqrt(damping * damping + 4.0 * stiffness) - damping) / stiffness;
    /* nothing pulls on anything: separate voxels in the air, or all held. Take the usual rule of their own
     * material. */
    double slowest = 0.0;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const double rate = __builtin_sqrt(m->materials[i].youngs * m->view.pitch / m->materials[i].mass);
        if (rate > slowest) slowest = rate;
    }
    return 1.0 / (3.14159265358979323846 * slowest);
}

/* s: the step with implicit damping. */
static double implicit_step(const vxe_sim *sim, double stiffness)
{
    const double dt = sim->def.dt_fraction * limit_of(sim, stiffness, 0.0);
    const double longest = vxe_damping_longest(sim);
    return longest < dt ? longest : dt;
}

/* 1/s: with more damping than this vxe_damping_decide() is for implicit damping, whatever it is exactly: the
 * explicit step L obeys L^2 f^2 + 2 L g = 4 and falls with g. A thousandth is for rounding. */
static double implicit_above(const vxe_sim *sim, double stiffness)
{
    const double longest =
        implicit_step(sim, stiffness) / (vxe_damping_implicit_cost() * sim->def.dt_fraction);
    return stiffness > 0.0 && longest > 0.0
               ? 1.001 * fmax((4.0 - longest * longest * stiffness) / (2.0 * longest), 0.0)
               : INFINITY;
}

/* The bound, and the step that it allows. `shorter`, s: nobody wants to know by how much a step could be
 * longer than that; 0: somebody does. */
static void evaluate(vxe_sim *sim, double shorter)
{
    const vxe_model *m = sim->model;
    vxe_time_step *t = &sim->time_step;
    double *link_sum = sim->bound_sum[0];
    vxe_bound_look(sim);
    vxe_bound_survey(sim, link_sum);
    double most = largest_ratio(sim, sim->rates[0]);
    const double ratio_max = most > 0.0 ? most : 1.0;
    const bool damped = (sim->undecided || !sim->implicit) &&
                        (sim->environment.damping_stretch > 0.0 || sim->environment.damping_rotation > 0.0);
    double damping = 0.0;
    double stiffness = 0.0;
    if (sim->undecided) {
        stiffness = vxe_bound_of(sim, BOUND_STIFFNESS, link_sum, ratio_max, 0.0, INFINITY);
        if (damped)
            damping =
                vxe_bound_of(sim, BOUND_DAMPING, link_sum, ratio_max, 0.0, implicit_above(sim, stiffness));
        vxe_damping_decide(sim, implicit_step(sim, stiffness),
                           sim->def.dt_fraction * limit_of(sim, stiffness, damping));
        sim->pace.implicit = sim->implicit ? 1 : 0;
    } else {
        if (damped) damping = vxe_bound_of(sim, BOUND_DAMPING, link_sum, ratio_max, 0.0, INFINITY);
        const double longest = shorter / sim->def.dt_fraction;
        const double enough = longest > 0.0 ? (4.0 - 2.0 * longest * damping) / (longest * longest) : 0.0;
        stiffness = vxe_bound_of(sim, BOUND_STIFFNESS, link_sum, ratio_max, enough, INFINITY);
    }
    if (sim->implicit) damping = 0.0;
    t->frequency = __builtin_sqrt(stiffness);
    t->damping = damping;
    t->limit = limit_of(sim, stiffness, damping);
    t->dt = sim->implicit ? implicit_step(sim, stiffness) : sim->def.dt_fraction * t->limit;
    /* before the tables follow: they are those of the step in force, which is all that a checkpoint has */
    if (shorter > 0.0 && t->dt > shorter) t->dt = shorter;
    t->evaluations++;
    name_the_pace(sim, link_sum);
    /* what the sweep will compare with, every step: stability needs dt^2 (K + 2 C/dt) < 4 M */
    if (vxe_time_step_refresh(sim)) {
        vxe_tables_changed(sim);
        vxe_bound_survey(sim, link_sum);
        most = largest_ratio(sim, sim->rates[0]);
    }
    sim->rate_at_bound = most;
    memcpy(sim->rates[1], sim->rates[0], ((size_t)m->constant_count + 1) * sizeof(double));
}

void vxe_time_step_update(vxe_sim *sim) { evaluate(sim, 0.0); }

void vxe_time_step_shorten(vxe_sim *sim) { evaluate(sim, sim->time_step.dt); }
