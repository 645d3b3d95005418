/* Where stepping keeps the forces of fluid, force field and cilia, which loads.c tells. And kinetic damping,
 * and the quantities that formulas speak of. Loops are plain: scenes that have these are small. */
#include "sim/outside.h"

#include "base/base.h"
#include "base/vec.h"
#include "sim/collide.h"
#include "sim/life.h"
#include "sim/water.h"

#include <math.h>
#include <string.h>

#define MOTION                                                                                               \
    (STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) | STATE_SET(spin) | STATE_SET(growth))

void vxe_outside_reset(vxe_sim *sim)
{
    memset(&sim->watch, 0, sizeof sim->watch);
    sim->watch.next_sample = 0.0;
    sim->faces_known = false;
}

/* --- forces --- */

static void add_force(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    vxe_sim *sim = user;
    for (int a = 0; a < 3; a++) {
        sim->outside[a][voxel] += force[a];
        if (sim->outside_turn[0] != NULL) sim->outside_turn[a][voxel] += torque[a];
    }
}

void vxe_outside_forces(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    if (!m->outside) return;
    const size_t bytes = (size_t)m->view.voxel_count * sizeof(double);
    for (int a = 0; a < 3; a++) {
        memset(sim->outside[a], 0, bytes);
        if (sim->outside_turn[0] != NULL) memset(sim->outside_turn[a], 0, bytes);
    }
    const load_moment now = vxe_loads_now(sim, context->kick);
    const contact_loops *loops = sim->host.contacts;
    const bool stands = vxe_water_stands(sim);
    const bool drags = sim->environment.drag > 0.0;
    /* drag is told first and water last, as in that list */
    if (drags || stands) vxe_find_linked_faces(sim);
    if (drags) loops->drag(sim, context->kick);
    vxe_loads_each(sim, &now, LOAD_FIELD | LOAD_CILIA | LOAD_PUSHES | (stands ? 0U : LOAD_WATER), add_force,
                   sim);
    if (stands) loops->water(sim, context->kick);
}

/* --- after a step --- */

/* Three sums of kinetic energy that fall mean that the peak is behind: nearest to rest with all energy in
 * springs. Stopping there again and again brings a body to its equilibrium.
 *
 * Velocities belong to the middles of steps: with none there, at places that are half a step further, a fast
 * mode that was moving outwards would have more energy than before. So the body is at rest where it is, and
 * the next force acts for half a step, as at the start. Of a mode x of mass m and stiffness k that leaves
 * k x^2/2 (1 - dt^2 k/4m) of the energy a leapfrog conserves, the least there is at that place: what goes is
 * m u^2/2 with u the velocity half a step later, where the places are. */
static void damp_at_peaks(vxe_sim *sim)
{
    watch_state *w = &sim->watch;
    const vxe_model *m = sim->model;
    vxe_state_read(sim, MOTION);
    memmove(w->kinetic, w->kinetic + 1, 5 * sizeof w->kinetic[0]);
    w->kinetic[5] = vxe_kinetic_energy(sim);
    if (w->kinetic_count < 6) w->kinetic_count++;
    if (w->kinetic_count < 6) return;
    const double before = w->kinetic[0] + w->kinetic[1] + w->kinetic[2];
    const double now = w->kinetic[3] + w->kinetic[4] + w->kinetic[5];
    if (!(now < before)) return;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        for (int a = 0; a < 3; a++) {
            if ((vxe_held_by_scene(m, v) >> a & 1) == 0) sim->velocity[a][v] = 0.0;
            if ((vxe_held_by_scene(m, v) >> (a + 3) & 1) == 0) sim->spin[a][v] = 0.0;
        }
    }
    vxe_state_wrote(sim, STATE_SET(velocity) | STATE_SET(spin));
    w->kinetic_count = 0;
    w->stopped = 1;
    sim->account.load_work += sim->last.load_ahead; /* half a step further, where the body was stopped */
}

bool vxe_formula_uses(const vxe_formula *formula, vxe_variable variable)
{
    for (int32_t i = 0; i < formula->count; i++) {
        if (formula->tokens[i].operation == VXE_OP_VARIABLE &&
            formula->tokens[i].variable == (int32_t)variable)
            return true;
    }
    return false;
}

/* Contacts between a target voxel and another that have begun. */
static void count_hits(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    int64_t touching = 0;
    if (sim->collider == NULL) return;
    const pair_list *list = &sim->collider->list;
    for (int64_t i = 0; i < list->count; i++) {
        const bool one = m->materials[sim->material[list->first[i]]].target;
        const bool other = m->materials[sim->material[list->second[i]]].target;
        if (one != other && list->state[i].touching != 0) touching++;
    }
    if (touching > sim->watch.touching) sim->watch.hit += (double)(touching - sim->watch.touching);
    sim->watch.touching = touching;
}

static void measured_center(const vxe_sim *sim, double center[3])
{
    const vxe_model *m = sim->model;
    mass_center sum;
    memset(&sum, 0, sizeof sum);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const material_constants *c = &m->materials[sim->material[v]];
        vxe_center_add(&sum, c->unmeasured ? 0.0 : c->mass, sim->position, v);
    }
    if (!vxe_center_of(&sum, center)) memset(center, 0, 3 * sizeof *center);
}

static void measured_velocity(const vxe_sim *sim, double velocity[3])
{
    const vxe_model *m = sim->model;
    double mass = 0.0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const material_constants *c = &m->materials[sim->material[v]];
        if (c->unmeasured) continue;
        mass += c->mass;
        for (int a = 0; a < 3; a++) sum[a] += c->mass * sim->velocity[a][v];
    }
    for (int a = 0; a < 3; a++) velocity[a] = mass > 0.0 ? sum[a] / mass : 0.0;
}

/* Once per period of the first signal: the angle between the last two ways of the centre of mass. */
static void sample_way(vxe_sim *sim)
{
    watch_state *w = &sim->watch;
    const double period = sim->model->view.signal_count > 0 ? sim->signals[0].period : 0.0;
    if (!(period > 0.0) || sim->time < w->next_sample) return;
    w->next_sample += period * (1.0 + floor((sim->time - w->next_sample) / period));
    vxe_state_read(sim, STATE_SET(position));
    memmove(w->way[0], w->way[1], 2 * sizeof w->way[0]);
    measured_center(sim, w->way[2]);
    if (w->way_count < 3) w->way_count++;
    if (w->way_count < 3) return;
    const vec3 a = {w->way[1][0] - w->way[0][0], w->way[1][1] - w->way[0][1], w->way[1][2] - w->way[0][2]};
    const vec3 b = {w->way[2][0] - w->way[1][0], w->way[2][1] - w->way[1][1], w->way[2][2] - w->way[1][2]};
    const double product = sqrt(vec3_dot(a, a) * vec3_dot(b, b));
    if (product > 0.0) w->angle = acos(fmax(-1.0, fmin(1.0, vec3_dot(a, b) / product)));
}

/* Growth slows down where the body loses speed: see vxe_environment. */
static void slow_growth(vxe_sim *sim)
{
    watch_state *w = &sim->watch;
    const vxe_environment *e = &sim->model->environment;
    if (w->slow != 0) w->growth_lag += (1.0 - e->slow_factor) * sim->last_dt;
    if (w->windows > 0 && sim->time < w->window_end) return;
    double center[3];
    vxe_state_read(sim, STATE_SET(position));
    measured_center(sim, center);
    const vec3 d = {center[0] - w->window[0], center[1] - w->window[1], center[2] - w->window[2]};
    const double way = sqrt(vec3_dot(d, d));
    /* a way is known from the second look on, another to compare it with from the third */
    w->slow = w->windows >= 2 && way < (1.0 - e->slow_loss) * w->window_way;
    w->window_way = way;
    memcpy(w->window, center, sizeof w->window);
    w->window_end = sim->time + e->slow_window;
    w->windows++;
}

void vxe_outside_after(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (sim->environment.kinetic_damping) damp_at_peaks(sim);
    if (m->watches_hits) count_hits(sim);
    if (m->watches_way) sample_way(sim);
    if (m->grows && m->environment.slow_window > 0.0) slow_growth(sim);
}

/* --- what formulas speak of --- */

static void target_pairs(const vxe_sim *sim, const load_moment *moment, double *closeness, double *pairs)
{
    const vxe_model *m = sim->model;
    *closeness = 0.0;
    *pairs = 0.0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (!m->materials[sim->material[v]].target) continue;
        for (int32_t w = v + 1; w < m->view.voxel_count; w++) {
            if (!m->materials[sim->material[w]].target) continue;
            double square = 0.0;
            for (int a = 0; a < 3; a++) {
                const double d = moment->position[a][(size_t)w * moment->position_stride] -
                                 moment->position[a][(size_t)v * moment->position_stride];
                square += d * d;
            }
            const double distance = sqrt(square);
            if (distance > 0.0) *closeness += 1.0 / distance;
            if (distance < m->pair_distance) *pairs += 1.0;
        }
    }
}

void vxe_target_pairs(const vxe_sim *sim, double *closeness, double *pairs)
{
    const load_moment now = vxe_loads_now(sim, 0.0);
    target_pairs(sim, &now, closeness, pairs);
}

double vxe_voxels_so_far(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int64_t grown = sim->life != NULL ? sim->life->counts.grown : 0;
    return (double)(m->view.voxel_count - m->latent_count + grown);
}

void vxe_formula_surroundings(const vxe_sim *sim, const vxe_formula *formula, const load_moment *moment,
                              double variables[VXE_VARIABLE_COUNT])
{
    memset(variables, 0, VXE_VARIABLE_COUNT * sizeof variables[0]);
    variables[VXE_VARIABLE_T] = moment->time;
    variables[VXE_VARIABLE_HIT] = sim->watch.hit;
    variables[VXE_VARIABLE_ANGLE] = sim->watch.angle;
    variables[VXE_VARIABLE_VOXELS] = vxe_voxels_so_far(sim);
    if (vxe_formula_uses(formula, VXE_VARIABLE_CLOSENESS) || vxe_formula_uses(formula, VXE_VARIABLE_PAIRS))
        target_pairs(sim, moment, &variables[VXE_VARIABLE_CLOSENESS], &variables[VXE_VARIABLE_PAIRS]);
}

void vxe_formula_context(const vxe_sim *sim, const vxe_formula *formula, double variables[VXE_VARIABLE_COUNT])
{
    const load_moment now = vxe_loads_now(sim, 0.0);
    vxe_formula_surroundings(sim, formula, &now, variables);
    if (vxe_formula_uses(formula, VXE_VARIABLE_X) || vxe_formula_uses(formula, VXE_VARIABLE_Y) ||
        vxe_formula_uses(formula, VXE_VARIABLE_Z))
        measured_center(sim, &variables[VXE_VARIABLE_X]);
    if (vxe_formula_uses(formula, VXE_VARIABLE_VX) || vxe_formula_uses(formula, VXE_VARIABLE_VY) ||
        vxe_formula_uses(formula, VXE_VARIABLE_VZ))
        measured_velocity(sim, &variables[VXE_VARIABLE_VX]);
}

double vxe_sim_formula(vxe_sim *sim, vxe_formula_role role, const double origin[3])
{
    if (sim == NULL || (int)role < 0 || role >= VXE_FORMULA_COUNT) return NAN;
    const vxe_formula *formula = &sim->model->formulas[role];
    double variables[VXE_VARIABLE_COUNT];
    vxe_state_read(sim, MOTION);
    vxe_formula_context(sim, formula, variables);
    for (int a = 0; origin != NULL && a < 3; a++) variables[VXE_VARIABLE_X + a] -= origin[a];
    return vxe_formula_value(formula, variables);
}

void vxe_sim_measured_center(const vxe_sim *sim, double center[3])
{
    if (sim != NULL && center != NULL) measured_center(sim, center);
}

int64_t vxe_sim_close_pairs(const vxe_sim *sim)
{
    double closeness = 0.0;
    double pairs = 0.0;
    if (sim == NULL) return 0;
    const load_moment now = vxe_loads_now(sim, 0.0);
    target_pairs(sim, &now, &closeness, &pairs);
    return (int64_t)pairs;
}
