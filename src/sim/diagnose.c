/* The energy account, and whether the simulation can go on: after every step, from what the stages measured
 * on their way. */
#include "sim/floor.h"
#include "sim/water.h"

#include <math.h>
#include <stdio.h>

#define STRAIN_MAX 10.0
#define LENGTH_MIN 0.05       /* of the pitch */
#define WRECK_STEPS 512       /* between looks for voxels that have turned over */
#define ENERGY_TOLERANCE 0.03 /* of the energies and work that have passed: see docs/physics.md */
#define NOISE_DOUBLE 1e-9     /* strain: below it, for the account, all is round-off */
#define NOISE_SINGLE 3e-6
#define NOISE_SWELLS 2e-16 /* strain that is round-off, while sizes change by as much as they are */
#define NOISE_PLACE 4e-15  /* of the workspace: places, for the account, are only as exact */
#define NOISE_STEPS 1000.0 /* after so many steps round-off has added up to as much again */

/* At intervals, at the first step, after edits, where the length of the step changes (what that makes is
 * measured, too), and when somebody can look. */
bool vxe_account_is_due(const vxe_sim *sim, double step, bool keep)
{
    return sim->def.audit && (keep || (sim->step + 1) % MEASURE_EVERY == 0 || sim->account.started == 0 ||
                              step != sim->last_dt || sim->environment.kinetic_damping);
}

/* Closes the books of the step that has just been taken; figures belong to its middle. What is remembered
 * depends on steps at intervals only, not on who looks in between. */
void vxe_account_step(vxe_sim *sim, const step_context *context)
{
    if (!sim->def.audit) return;
    const step_measures *s = &sim->last;
    energy_account *a = &sim->account;
    vxe_energy *e = &sim->energy;
    a->load_work += s->load_work;
    a->motion_work += s->motion_work;
    a->actuation_work += 0.5 * vxe_growth_work(sim) + s->swelling;
    /* what contacts took from the motion and did not keep is lost; what they gave beyond that is an error */
    if (sim->step == 0) a->contact = s->contact - s->swelling; /* nothing is known of a step before */
    a->dissipated += s->plastic - s->lost_work + s->swelling + s->gained;
    /* what grew, or stuck, acts over a kick that is half of the longer step: that is work of what grew it */
    if ((a->cut & CUT_BY_RULES) != 0 && context->step != context->before) a->actuation_work += s->shift;
    a->cut &= CUT_AT_TIME;
    if (!context->measure) return;
    double dissipated = a->dissipated - (s->contact - a->contact);
    e->time = sim->time + 0.5 * context->step;
    e->kinetic = s->kinetic;
    e->elastic = s->elastic - s->ahead + s->load_ahead + s->contact;
    e->gravity = s->gravity;
    e->total = e->kinetic + e->elastic + e->gravity;
    const bool first = a->started == 0;
    /* A step of another length makes or takes energy, which is an error; but not that of a step that was cut
     * to end at a time asked for, and of the next, for whoever asks can ask for another time. */
    const bool cut = context->step < sim->time_step.dt / (double)(1 << sim->pace.halvings);
    double known = a->load_work + a->actuation_work + a->motion_work - dissipated;
    if (first) {
        a->start = e->total - known - e->error;
        a->taken_most = dissipated; /* an edit of velocities may have changed what contacts hold */
        a->started = 1;
    } else if (sim->watch.stopped != 0) { /* what is missing since then was taken with the motion */
        const double taken = a->start + known + e->error - e->total;
        a->dissipated += taken;
        dissipated += taken;
        known -= taken;
    } else if (context->step != context->before && (cut || a->cut != 0)) {
        a->start += s->shift;
    }
    a->cut = cut ? CUT_AT_TIME : 0;
    e->error = e->total - a->start - known;
    e->load_work = a->load_work;
    e->actuation_work = a->actuation_work;
    e->motion_work = a->motion_work;
    e->dissipated = dissipated;
    if (!first && (sim->step + 1) % MEASURE_EVERY != 0) return;
    if (dissipated > a->taken_most) a->taken_most = dissipated;
    const double moved = e->kinetic + fabs(e->elastic) + fabs(dissipated) + fabs(a->load_work) +
                         fabs(a->actuation_work) + fabs(a->motion_work);
    if (moved > a->scale) a->scale = moved;
}

/* What is likely to be behind a fault: of all that loads the body, what is largest for its softest material.
 */
typedef struct suspect {
    double strain; /* what it would strain the material by, about */
    char name[128];
} suspect;

static void suspect_forces(const vxe_sim *sim, double softest, suspect *most)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const sim_region *region = &sim->regions[r];
        const double count = (double)(m->region_begin[r + 1] - m->region_begin[r]);
        double force = 0.0;
        double moved = 0.0;
        for (int a = 0; a < 3; a++) {
            force += fabs(region->force[a]) + fabs(region->torque[a]) / l;
            moved += fabs(region->to[a]) / l;
        }
        for (int a = 0; a < 3; a++) moved += fabs(m->regions[r].def.rotation[a]);
        const double strain = force / (fmax(count, 1.0) * softest * l * l);
        if (strain > most->strain) {
            most->strain = strain;
            (void)snprintf(most->name, sizeof most->name, "the load of region \"%.40s\"",
                           m->regions[r].def.name);
        }
        if (0.2 * moved > most->strain) {
            most->strain = 0.2 * moved;
            (void)snprintf(most->name, sizeof most->name, "the motion of region \"%.40s\"",
                           m->regions[r].def.name);
        }
    }
}

static void take_largest(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    double *largest = user;
    (void)voxel;
    (void)torque;
    for (int a = 0; a < 3; a++) { /* what is no number is too large to be one */
        if (!(fabs(force[a]) <= *largest)) *largest = isfinite(force[a]) ? fabs(force[a]) : 1e300;
    }
}

/* Loads that voxels have one by one: the largest on one of them, on the body as it began but at rest and
 * upright, since of one that failed neither places nor motion need be numbers. */
static void suspect_loads(vxe_sim *sim, double softest, suspect *most)
{
    static const struct {
        unsigned kind;
        const char *name;
    } loads[] = {{LOAD_FIELD, "the force field"},
                 {LOAD_CILIA, "the force of cilia"},
                 {LOAD_PUSHES, "a rule of kind push"},
                 {LOAD_WATER, "the flow of water"}};
    static const double upright[4] = {1.0, 0.0, 0.0, 0.0};
    const double l = sim->model->view.pitch;
    const unsigned there = vxe_loads_present(sim);
    load_moment moment = vxe_loads_now(sim, 0.0);
    for (int a = 0; a < 3; a++) {
        moment.velocity[a] = moment.spin[a] = NULL;
        moment.position[a] = sim->model->start[a];
    }
    moment.position_stride = 1;
    for (int i = 0; i < 4; i++) moment.orientation[i] = &upright[i];
    moment.orientation_stride = 0;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        double force = 0.0;
        if ((there & loads[i].kind) == 0 || (loads[i].kind == LOAD_WATER && vxe_water_stands(sim))) continue;
        vxe_loads_each(sim, &moment, loads[i].kind, take_largest, &force);
        const double strain = force / (softest * l * l);
        if (strain > most->strain) {
            most->strain = strain;
            (void)snprintf(most->name, sizeof most->name, "%s", loads[i].name);
        }
    }
}

static suspect find_suspect(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    suspect most = {0.0, "what acts on it"};
    if (m->has_water && !vxe_water_stands(sim))
        (void)snprintf(most.name, sizeof most.name, "the flow of water");
    double softest = INFINITY;
    double heaviest = 0.0;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        softest = fmin(softest, m->materials[i].youngs);
        heaviest = fmax(heaviest, m->materials[i].mass / (l * l * l));
    }
    const double *g = sim->environment.gravity;
    const double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const int32_t *size = m->view.size;
    const double height = l * fmax(size[0], fmax(size[1], size[2]));
    const double weight = heaviest * gravity * height / softest;
    if (weight > most.strain) {
        most.strain = weight;
        (void)snprintf(most.name, sizeof most.name, "gravity of %.3g m/s^2", gravity);
    }
    double grown = 0.0;
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        if (sim->material[v] != 0) grown = fmax(grown, fabs(sim->growth[0][v])); /* it is there */
    }
    if (grown > most.strain) {
        most.strain = grown;
        (void)snprintf(most.name, sizeof most.name, "actuation by %.3g %%", 100.0 * grown);
    }
    double weakest = softest; /* what yields bears no more: at that, 5 % of strain */
    for (int32_t i = 0; i < m->class_count; i++) {
        if (m->classes[i].flow_count > 0)
            weakest = fmin(weakest, 20.0 * m->flow_stress[m->classes[i].flow_begin]);
    }
    suspect_forces(sim, weakest, &most);
    suspect_loads(sim, weakest, &most);
    const bool hits = sim->environment.floor || sim->collider != NULL || sim->ground != NULL;
    const double speed =
        hits && isfinite(sim->last.speed_max) ? sim->last.speed_max * sqrt(heaviest / softest) : 0.0;
    if (most.strain < 0.05 && speed > 0.05) { /* fast pieces are also what other loads leave */
        most.strain = speed;
        (void)snprintf(most.name, sizeof most.name, "an impact at %.3g m/s", sim->last.speed_max);
    }
    return most;
}

static void fail(vxe_sim *sim, vxe_fault fault, int32_t voxel, double value, const char *what)
{
    vxe_status *s = &sim->status;
    const vxe_model *m = sim->model;
    s->fault = fault;
    s->voxel = voxel;
    s->time = sim->time;
    s->step = sim->step;
    s->value = value;
    char place[64] = "";
    if (voxel >= 0) {
        (void)snprintf(place, sizeof place, "voxel (%d,%d,%d), ", (int)m->cell[0][voxel],
                       (int)m->cell[1][voxel], (int)m->cell[2][voxel]);
    }
    const suspect load = find_suspect(sim);
    /* energy without a cause needs a load that is not small */
    const bool named = fault != VXE_FAULT_ENERGY || load.strain > 0.01;
    (void)snprintf(s->message, sizeof s->message, "%stime %.6g s, step %lld: %s%s%s", place, sim->time,
                   (long long)sim->step, what, named ? "; beyond the material is, most likely, " : "",
                   named ? load.name : "");
}

/* The first voxel with a number that is not finite, or else the fastest one. */
static void fail_motion(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const double l = m->view.pitch;
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC));
    int32_t fastest = -1;
    double speed = -1.0;
    for (int32_t v = 0; v < n; v++) {
        double sum = 0.0;
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            sum += sim->position[a][v] + sim->velocity[a][v] + sim->spin[a][v];
            const double turn =
                l * sim->spin[a][v]; /* a turn counts by what it moves at half a voxel's distance, twice */
            square += sim->velocity[a][v] * sim->velocity[a][v] + 0.25 * turn * turn;
        }
        for (int i = 0; i < 4; i++) sum += sim->orientation[i][v];
        if (!isfinite(sum) || !isfinite(square)) {
            fail(sim, VXE_FAULT_NOT_FINITE, v, sum, "its position or velocity is not a finite number");
            return;
        }
        if ((vxe_held_by_scene(m, v) & VXE_DOF_MOVE) != VXE_DOF_MOVE && square > speed) {
            speed = square;
            fastest = v;
        }
    }
    speed = sqrt(speed);
    char what[160];
    (void)snprintf(
        what, sizeof what,
        "it moves at %.4g m/s, more than half a pitch (or turns more than a radian) in one step of %.4g s",
        speed, sim->time_step.dt);
    fail(sim, VXE_FAULT_TOO_FAST, fastest, speed, what);
}

/* The near voxel of the shortest link, or of the one with the largest strain. Positions have moved on by one
 * step since they were measured: near enough. */
static int32_t find_link(const vxe_sim *sim, bool shortest)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    int32_t found = -1;
    double most = -1.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            const int32_t far = m->next[a][v];
            double square = 0.0;
            for (int i = 0; i < 3; i++) {
                const double d = sim->position[i][far] - sim->position[i][v];
                square += d * d;
            }
            const double strain = sqrt(square) / l - 1.0 - 0.5 * (sim->growth[0][v] + sim->growth[0][far]);
            const double size = shortest ? 1.0 / (1.0 + sqrt(square) / l) : fabs(strain);
            if (size > most) {
                most = size;
                found = v;
            }
        }
    }
    return found;
}

/* kg: of all voxels that are there. */
static double mass_there(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (sim->alive[0] == NULL) return m->view.mass;
    double mass = 0.0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) mass += m->materials[sim->material[v]].mass;
    return mass;
}

/* J; what the account may miss. Its last part is the energy of strains, and the work of weight on ways, that
 * are only round-off, which is all there is in a body at rest. A rigid one has no strains. Before that, what
 * a change of the step makes of weight: in the middle of a step a falling body is g dt^2/8 from its parabola,
 * which is next to nothing, but not beside what a body has that has just begun to move. Twice that: the step
 * before may have been longer. */
static double energy_tolerance(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const double noise = sim->def.precision == VXE_PRECISION_DOUBLE ? NOISE_DOUBLE : NOISE_SINGLE;
    double stiffest = 0.0;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        if (m->materials[i].youngs > stiffest) stiffest = m->materials[i].youngs;
    }
    const double *g = sim->environment.gravity;
    const int32_t *size = m->view.size;
    const double fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double weight = mass_there(sim) * fall;
    const double falls = 0.25 * weight * fall * sim->time_step.dt * sim->time_step.dt;
    const double swells = m->actuated_count > 0 ? NOISE_SWELLS : 0.0;
    const double strains = stiffest * l * l * l * m->view.voxel_count * (noise * noise + swells);
    const double ways = weight * l * fmax(size[0], fmax(size[1], size[2])) * NOISE_PLACE;
    return ENERGY_TOLERANCE * sim->account.scale + falls +
           (strains + ways) * (1.0 + (double)sim->step / NOISE_STEPS);
}

/* Voxels that are not what they seem any more: turned past a right angle against a link, or pressed through
 * the floor. Looked at from time to time. */
static bool look_for_wrecks(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC));
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        double depth = 0.0;
        if (vxe_is_near_floor(sim, v, &depth) && depth > l * (1.0 + sim->growth[0][v]) &&
            vxe_held_by_scene(m, v) == 0) {
            fail(sim, VXE_FAULT_SUNK, v, depth, "it has been pressed through the floor");
            return true;
        }
        for (int a = 0; a < 3; a++) {
            if (sim->link_kind[a][v] == 0) continue;
            const int32_t far = m->next[a][v];
            const rvec d = {sim->position[0][far] - sim->position[0][v],
                            sim->position[1][far] - sim->position[1][v],
                            sim->position[2][far] - sim->position[2][v]};
            const int32_t ends[2] = {v, far};
            for (int e = 0; e < 2; e++) {
                const rquat q = {sim->orientation[0][ends[e]], sim->orientation[1][ends[e]],
                                 sim->orientation[2][ends[e]], sim->orientation[3][ends[e]]};
                if (!(rvec_dot(d, rquat_axis(q, a)) < 0.0)) continue;
                fail(sim, VXE_FAULT_FOLDED, ends[e], 0.0,
                     "it has turned by more than a right angle against its neighbour");
                return true;
            }
        }
    }
    return false;
}

bool vxe_diagnose_end(vxe_sim *sim) { return sim->step % WRECK_STEPS == 0 || !look_for_wrecks(sim); }

bool vxe_diagnose_step(vxe_sim *sim)
{
    const double l = sim->model->view.pitch;
    const step_measures *s = &sim->last;
    char what[160];
    if (s->bad != 0) {
        fail_motion(sim);
    } else if (s->length_min < LENGTH_MIN * l) {
        (void)snprintf(what, sizeof what, "a link of it is only %.3g of the pitch long: the body is crushed",
                       s->length_min / l);
        fail(sim, VXE_FAULT_TOO_SHORT, find_link(sim, true), s->length_min / l - 1.0, what);
    } else if (s->strain_max > STRAIN_MAX) {
        (void)snprintf(what, sizeof what,
                       "a link of it is strained by %.3g: the load is more than the body can bear",
                       s->strain_max);
        fail(sim, VXE_FAULT_TOO_LONG, find_link(sim, false), s->strain_max, what);
    } else if (sim->step % WRECK_STEPS == 0 && look_for_wrecks(sim)) {
        return false;
    } else if (s->crowded != 0) {
        fail(sim, VXE_FAULT_CROWDED, -1, 0.0,
             "more voxels are pressed together than the list of near pairs can hold");
    } else if (sim->def.audit && sim->step % MEASURE_EVERY == 0 &&
               sim->account.taken_most - sim->energy.dissipated > energy_tolerance(sim)) {
        const double back = sim->account.taken_most - sim->energy.dissipated;
        (void)snprintf(what, sizeof what,
                       "%.3g J came back that had been lost (%.3g J of energy and work in all)", back,
                       sim->account.scale);
        fail(sim, VXE_FAULT_ENERGY, -1, back, what);
    } else if (sim->def.audit && sim->step % MEASURE_EVERY == 0 &&
               !(fabs(sim->energy.error) <= energy_tolerance(sim))) {
        (void)snprintf(what, sizeof what,
                       "%.3g J appeared without a cause (%.3g J of energy and work in all)",
                       sim->energy.error, sim->account.scale);
        fail(sim, VXE_FAULT_ENERGY, -1, sim->energy.error, what);
    }
    return sim->status.fault == VXE_FAULT_NONE;
}

const char *vxe_fault_name(vxe_fault fault)
{
    switch (fault) {
    case VXE_FAULT_NONE: return "none";
    case VXE_FAULT_NOT_FINITE: return "not finite";
    case VXE_FAULT_TOO_SHORT: return "too short";
    case VXE_FAULT_TOO_LONG: return "too long";
    case VXE_FAULT_TOO_FAST: return "too fast";
    case VXE_FAULT_ENERGY: return "energy";
    case VXE_FAULT_CROWDED: return "crowded";
    case VXE_FAULT_FOLDED: return "folded";
    case VXE_FAULT_SUNK: return "sunk";
    case VXE_FAULT_DEVICE: return "device";
    }
    return "unknown";
}
