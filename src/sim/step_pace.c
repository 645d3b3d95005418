/* When the time step changes.
 *
 * What a leapfrog conserves of a mode depends on the step, so that every change of the step feeds the fastest
 * modes, most of all near the limit: a step that follows a bound up and down is a pump. So it goes down at
 * once, and up only after long calm, twice as long after each time that it did. */
#include "kernel/ringing.h"
#include "sim/life.h"
#include "sim/loads.h"

#include <math.h>
#include <string.h>

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
    if (vxe_time_step_refresh(sim)) vxe_tables_changed(sim);
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
    if (sim->step - pace->slow_since >= patience_of(pace) && vxe_ringing_damping(sim) >= RINGING_ENDLESS) {
        pace->halvings--;
        pace->rises++;
        pace->slow_since = sim->step;
    }
}

double vxe_ringing_damping(const vxe_sim *sim)
{
    if (sim->model->view.link_count == 0) return 1.0; /* nothing can ring */
    return fmax(sim->environment.damping_stretch, sim->environment.damping_rotation);
}

double vxe_ringing_impact(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    double slowest = INFINITY;
    if (!sim->environment.floor && sim->collider == NULL && sim->ground == NULL) return 0.0;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        slowest = fmin(slowest, m->view.pitch * sqrt(c->youngs * m->view.pitch / c->mass));
    }
    return RINGING_IMPACT / slowest;
}

/* It stays short as long as it rings. `rang`: how much it was strained lately. */
static void bound_ringing(vxe_sim *sim, double strain, double rang)
{
    step_pace *pace = &sim->pace;
    const double damping = vxe_ringing_damping(sim);
    if (damping >= RINGING_DAMPING) return;
    const double ahead = vxe_ringing_impact(sim) * sim->last.speed_max;
    const bool touches = sim->last.floor_contacts + sim->last.pair_contacts > 0;
    if (ringing_fraction(damping, strain, ahead, 1) < 1.0) pace->slow_since = sim->step;
    const double fraction = ringing_fraction(damping, strain, ahead, ringing_calm(rang, ahead, touches));
    while (sim->def.dt_fraction / (double)(1 << pace->halvings) > fraction) pace->halvings++;
}

/* What a step has shown of it. */
static void note_ringing(vxe_sim *sim)
{
    const double damping = vxe_ringing_damping(sim);
    if (damping >= RINGING_DAMPING) return;
    sim->pace.rang = ringing_lately(sim->pace.rang, damping, sim->last.strain_max,
                                    vxe_ringing_impact(sim) * sim->last.speed_max,
                                    sim->last.floor_contacts + sim->last.pair_contacts > 0);
}

static void add_load(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    double *sums = user; /* N, N m */
    (void)voxel;
    sums[0] += sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    sums[1] += sqrt(torque[0] * torque[0] + torque[1] * torque[1] + torque[2] * torque[2]);
}

/* m/s: by how much velocities differ, at most; and how fast something moves. */
static double velocity_spread(const vxe_sim *sim, double *fastest)
{
    double spread = 0.0;
    double square = 0.0;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
            low = fmin(low, sim->velocity[a][v]);
            high = fmax(high, sim->velocity[a][v]);
        }
        if (high > low) spread = fmax(spread, high - low);
        if (high >= low) square += fmax(low * low, high * high);
    }
    *fastest = sqrt(square);
    return spread;
}

/* Whether voxels may press on each other before anything has moved: they reach further than they are large,
 * or parts were put somewhere else. */
static bool may_begin_pressed(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    if (sim->collider == NULL && !sim->environment.floor) return false;
    if (sim->collider != NULL && sim->environment.collision_distance > 1.0) return true;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (fabs(m->start[a][v] - (m->cell[a][v] + 0.5) * l) > 1e-9 * l) return true;
        }
    }
    return false;
}

/* What to suppose of the motion of a region: 0, it stays where it is. */
static double region_strain(const vxe_sim *sim, int32_t region)
{
    const sim_region *r = &sim->regions[region];
    double square = 0.0;
    double turn = 0.0;
    for (int a = 0; a < 3; a++) {
        square += r->to[a] * r->to[a];
        turn += fabs(sim->model->regions[region].def.rotation[a]);
    }
    if (square == 0.0 && turn == 0.0) return 0.0;
    const double impact = vxe_ringing_impact(sim);
    const double fastest = r->ramp > 0.0 ? 2.0 * sqrt(square) / r->ramp : INFINITY; /* ramps are smooth */
    return impact > 0.0 && impact * fastest > 0.1 ? RINGING_JUMP : RINGING_START;
}

/* What a body may be strained by that is loaded at once, roughly and rather too much: all loads together bend
 * a bar one voxel thick, as long as the body and of its softest material, and swing it to twice that; what
 * moves goes on as far. Motion that is asked for, and loads that follow the body or the clock, can do
 * anything. */
static double strain_to_come(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const unsigned known = LOAD_GRAVITY | LOAD_REGIONS | LOAD_PULLS;
    double asked = 0.0;
    for (int32_t r = 0; r < m->view.region_count; r++) asked = fmax(asked, region_strain(sim, r));
    if ((vxe_loads_present(sim) & ~known) != 0 || m->rule_count > 0 || may_begin_pressed(sim))
        asked = fmax(asked, RINGING_START);
    if (asked > 0.0) return asked;
    vxe_state_read(sim,
                   STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) | STATE_SET(growth));
    double sums[2] = {0.0, 0.0};
    load_moment moment = vxe_loads_now(sim, 0.0);
    moment.full = true;
    vxe_loads_each(sim, &moment, known, add_load, sums);
    const double l = m->view.pitch;
    double softest = INFINITY;
    double slowest = INFINITY;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        softest = fmin(softest, c->youngs);
        slowest = fmin(slowest, l * sqrt(c->youngs * l / c->mass));
    }
    const int32_t *size = m->view.size;
    const double cells = fmax(size[0], fmax(size[1], size[2]));
    const double bent = 6.0 * (cells * sums[0] + sums[1] / l) / (softest * l * l);
    double fastest = 0.0;
    const double spread = velocity_spread(sim, &fastest);
    return fmin(fmax(2.0 * (bent + spread / slowest), vxe_ringing_impact(sim) * fastest), RINGING_START);
}

/* The largest growth of a link, of either sign. */
static double largest_growth(const vxe_sim *sim, const double *growth)
{
    const vxe_model *m = sim->model;
    double most = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            const double strain = 0.5 * __builtin_fabs(growth[v] + growth[m->next[a][v]]);
            if (strain > most) most = strain;
        }
    }
    return most;
}

/* What links may be strained by because voxels change their size: now, at once, and ever. */
static double growth_to_come(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (m->actuated_count == 0) return 0.0;
    double *size = sim->scratch[0];
    vxe_state_read(sim, STATE_SET(growth));
    memset(size, 0, (size_t)m->view.voxel_count * sizeof *size);
    vxe_growth_at(sim, sim->time, size);
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        size[v] += size[v] - sim->growth[0][v]; /* what comes at once goes on to twice as much */
    }
    const double now = largest_growth(sim, size);
    vxe_growth_most(sim, size);
    return fmax(now, largest_growth(sim, size));
}

void vxe_time_step_expect(vxe_sim *sim, step_edit edit)
{
    if (edit == EDIT_LOADS && vxe_ringing_damping(sim) >= RINGING_DAMPING) return; /* nothing is looked at */
    if (sim->pace.expect < (int64_t)edit) sim->pace.expect = (int64_t)edit;
}

/* How fast voxels are, as the step before would have measured it. */
static void look_at_motion(vxe_sim *sim)
{
    double most = 0.0;
    vxe_state_read(sim, STATE_SET(velocity));
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        const double *const *u = (const double *const *)sim->velocity;
        most = fmax(most, u[0][v] * u[0][v] + u[1][v] * u[1][v] + u[2][v] * u[2][v]);
    }
    sim->last.speed_max = sqrt(most);
}

/* What edits, or the start, may want. */
static void look_ahead(vxe_sim *sim, step_edit edit)
{
    sim->pace.expect = EDIT_NONE;
    if (edit >= EDIT_MOTION) look_at_motion(sim);
    if (vxe_ringing_damping(sim) >= RINGING_DAMPING) return;
    const double grown = growth_to_come(sim);
    const double strained = edit == EDIT_PLACES ? RINGING_START : strain_to_come(sim);
    bound_ringing(sim, grown, grown);
    bound_ringing(sim, strained, strained);
}

/* As the scene begins: sizes of the first step for the bound, which are not there before it. */
void vxe_time_step_begin(vxe_sim *sim)
{
    double *growth = sim->growth[0];
    vxe_growth_at(sim, 0.0, growth);
    vxe_time_step_update(sim);
    memset(growth, 0, (size_t)sim->model->view.voxel_count * sizeof *growth);
    look_ahead(sim, EDIT_MOTION);
}

double vxe_time_step_next(vxe_sim *sim)
{
    step_pace *pace = &sim->pace;
    if (pace->expect != EDIT_NONE) {
        const int32_t halvings = pace->halvings;
        look_ahead(sim, (step_edit)pace->expect);
        /* what was edited acts over a kick that is half of the longer step: that is the edit's work */
        if (pace->halvings != halvings) sim->account.started = 0;
    }
    if (vxe_rates_may_have_fallen(sim)) {
        vxe_time_step_shorten(sim);
        pace->looked = sim->step;
    } else if (!vxe_rates_may_have_risen(sim)) {
        pace->looked = sim->step;
    } else if (sim->step - pace->looked >= patience_of(pace)) {
        pace->looked = sim->step;
        if (vxe_ringing_damping(sim) >= RINGING_ENDLESS) try_longer(sim);
    }
    note_ringing(sim);
    bound_ringing(sim, sim->last.strain_max, pace->rang);
    bound_way(sim);
    return sim->time_step.dt / (double)(1 << pace->halvings);
}
