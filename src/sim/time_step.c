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
 * dt^2 f^2 + 2 dt g = 4.
 *
 * What a leapfrog conserves of a mode depends on the step, so that every change of the step feeds the fastest
 * modes, most of all near the limit: a step that follows a bound up and down is a pump. So it goes down at
 * once, and up only after long calm, twice as long after each time that it did. */
#include "sim/bound.h"

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

void vxe_time_step_refresh(vxe_sim *sim)
{
    const double l = sim->model->view.pitch;
    const double per_step = sim->time_step.dt > 0.0 && !sim->implicit ? 2.0 / sim->time_step.dt : 0.0;
    for (int32_t i = 0; i < sim->model->class_count; i++) {
        const link_class *c = &sim->model->classes[i];
        link_table *t = &sim->links[i];
        t->rate = c->ka + per_step * t->axial;
        t->rate_across = c->ks * l * l + 4.0 * per_step * t->shear;
    }
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

/* The bound, and the step that it allows. `shorter`, s: nobody wants to know by how much a step could be
 * longer than that; 0: somebody does. */
static void evaluate(vxe_sim *sim, double shorter)
{
    const vxe_model *m = sim->model;
    vxe_time_step *t = &sim->time_step;
    double *link_sum = sim->bound_sum[0];
    vxe_bound_look(sim);
    vxe_bound_survey(sim, link_sum);
    double ratio_max = largest_ratio(sim, sim->rates[0]);
    if (ratio_max <= 0.0) ratio_max = 1.0;
    const bool damped = (sim->undecided || !sim->implicit) &&
                        (sim->environment.damping_stretch > 0.0 || sim->environment.damping_rotation > 0.0);
    double damping = !damped ? 0.0 : vxe_bound_of(sim, BOUND_DAMPING, link_sum, ratio_max, 0.0);
    const double longest = shorter / sim->def.dt_fraction;
    const double enough =
        sim->undecided || !(longest > 0.0) ? 0.0 : (4.0 - 2.0 * longest * damping) / (longest * longest);
    const double stiffness = vxe_bound_of(sim, BOUND_STIFFNESS, link_sum, ratio_max, enough);
    if (sim->undecided) {
        vxe_damping_decide(sim, implicit_step(sim, stiffness),
                           sim->def.dt_fraction * limit_of(sim, stiffness, damping));
        sim->pace.implicit = sim->implicit ? 1 : 0;
    }
    if (sim->implicit) damping = 0.0;
    t->frequency = __builtin_sqrt(stiffness);
    t->damping = damping;
    t->limit = limit_of(sim, stiffness, damping);
    t->dt = sim->implicit ? implicit_step(sim, stiffness) : sim->def.dt_fraction * t->limit;
    t->evaluations++;
    name_the_pace(sim, link_sum);
    vxe_time_step_refresh(sim);
    vxe_tables_changed(sim);
    /* what the sweep will compare with, every step: stability needs dt^2 (K + 2 C/dt) < 4 M */
    vxe_bound_survey(sim, link_sum);
    sim->rate_at_bound = largest_ratio(sim, sim->rates[0]);
    memcpy(sim->rates[1], sim->rates[0], ((size_t)m->constant_count + 1) * sizeof(double));
}

void vxe_time_step_update(vxe_sim *sim) { evaluate(sim, 0.0); }

/* ---- when it changes ------------------------------------------------------------------------------------------------- */

/* Steps for which a longer step must have been possible before it is taken. */
static int64_t patience_of(const step_pace *pace)
{
    return INT64_C(4096) << (pace->rises < 20 ? pace->rises : 20);
}

/* Whether the bound may have come down: with the largest fraction, 11 % (all damping) to 23 % (none) are left
 * at a bound. The sums say how a material's own limit changes, not which of two materials has the lower one
 * unless they are far apart: so each is watched by itself once it comes near. */
bool vxe_rates_may_have_fallen(const vxe_sim *sim)
{
    for (int32_t i = 1; i <= sim->model->constant_count; i++) {
        const double now = sim->rates[1][i];
        if (now > 1.05 * sim->rates[0][i] && now > 0.6 * sim->rate_at_bound) return true;
    }
    return false;
}

/* Whether it may have come up by a tenth or more. */
bool vxe_rates_may_have_risen(const vxe_sim *sim)
{
    for (int32_t i = 1; i <= sim->model->constant_count; i++) {
        if (!(sim->rates[1][i] < 0.8 * sim->rate_at_bound)) return false;
    }
    return true;
}

/* Looks whether a longer step is possible, and goes back to the bound there was if not. */
static void try_longer(vxe_sim *sim)
{
    const vxe_time_step before = sim->time_step;
    const double rate = sim->rate_at_bound;
    const size_t bytes = ((size_t)sim->model->constant_count + 1) * sizeof(double);
    memcpy(sim->rates[2], sim->rates[0], bytes);
    vxe_time_step_update(sim);
    if (sim->time_step.dt > 1.1 * before.dt) {
        sim->pace.rises++;
        return;
    }
    const int64_t evaluations = sim->time_step.evaluations;
    sim->time_step = before;
    sim->time_step.evaluations = evaluations;
    sim->rate_at_bound = rate;
    memcpy(sim->rates[0], sim->rates[2], bytes);
    vxe_time_step_refresh(sim);
    vxe_tables_changed(sim);
}

/* A step takes the fastest voxel a quarter of a pitch at most, and half of the shortest link: the step is
 * halved until it does. Beyond a 64th it is not motion but a fault, which is found after the step. */
static void bound_way(vxe_sim *sim)
{
    const double pitch = sim->model->view.pitch;
    const double shortest = sim->last.length_min; /* 0 before the first step */
    const double most = shortest > 0.0 && shortest < 0.5 * pitch ? 0.5 * shortest : 0.25 * pitch;
    step_pace *pace = &sim->pace;
    const double way = sim->last.speed_max * sim->time_step.dt;
    while (pace->halvings < 6 && way > most * (double)(1 << pace->halvings)) {
        pace->halvings++;
        pace->slow_since = sim->step;
    }
    if (pace->halvings == 0) return;
    if (way > 0.4 * most * (double)(1 << pace->halvings)) pace->slow_since = sim->step;
    if (sim->step - pace->slow_since >= patience_of(pace)) {
        pace->halvings--;
        pace->rises++;
        pace->slow_since = sim->step;
    }
}

/* Without damping, waves as short as a voxel go on for ever, and where strains are large all others feed
 * them. At a step near its limit a leapfrog keeps a good part of their energy where no account sees it. A
 * shorter one does less so. */
static const struct {
    double strain, fraction;
} ringing[] = {{0.01, 0.5}, {0.05, 0.25}};

static void bound_ringing(vxe_sim *sim, double strain)
{
    const vxe_environment *e = &sim->environment;
    step_pace *pace = &sim->pace;
    if (e->damping_stretch >= RINGING_DAMPING || e->damping_rotation >= RINGING_DAMPING) return;
    for (size_t i = 0; i < sizeof ringing / sizeof *ringing && strain > ringing[i].strain; i++) {
        while (sim->def.dt_fraction / (double)(1 << pace->halvings) > ringing[i].fraction) pace->halvings++;
        pace->slow_since = sim->step; /* it stays so as long as it rings */
    }
}

void vxe_time_step_begin(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    double *growth = sim->growth[0];
    double most = 0.0;
    vxe_growth_at(sim, 0.0, growth); /* sizes of the first step */
    for (int a = 0; a < 3; a++) {
        for (size_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            const double strain = 0.5 * __builtin_fabs(growth[v] + growth[m->next[a][v]]);
            if (strain > most) most = strain;
        }
    }
    vxe_time_step_update(sim);
    bound_ringing(sim, most);
    memset(growth, 0, n * sizeof *growth);
}

double vxe_time_step_next(vxe_sim *sim)
{
    step_pace *pace = &sim->pace;
    if (vxe_rates_may_have_fallen(sim)) {
        const double before = sim->time_step.dt;
        evaluate(sim, before);
        if (sim->time_step.dt > before) sim->time_step.dt = before;
        pace->looked = sim->step;
    } else if (!vxe_rates_may_have_risen(sim)) {
        pace->looked = sim->step;
    } else if (sim->step - pace->looked >= patience_of(pace)) {
        pace->looked = sim->step;
        try_longer(sim);
    }
    bound_ringing(sim, sim->last.strain_max);
    bound_way(sim);
    return sim->time_step.dt / (double)(1 << pace->halvings);
}
