/* Equilibrium of the full nonlinear model: Newton's method along load steps, unstable states left for stable
 * ones, and damped relaxation where all that fails. In: a simulation in any pose. Out: the same at rest, and
 * a report that says how. */
#include "base/base.h"
#include "base/settings.h"
#include "base/vec.h"
#include "kernel/material.h"
#include "sim/floor.h"
#include "solve/loose.h"
#include "solve/rest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOPS_MAX 4e9 /* of a factor; more, and iteration is faster */

static const vxe_equilibrium_def defaults = {.size = sizeof(vxe_equilibrium_def),
                                             .tolerance = 1e-9,
                                             .iterations_max = 60,
                                             .load_steps_max = 1000,
                                             .relaxation_max = 1000000,
                                             .leave_unstable = true,
                                             .grip = VXE_FLOOR_STICK,
                                             .solver = VXE_SOLVER_AUTO,
                                             .time = -1.0};
static const settings_type equilibrium_type = {"vxe_equilibrium_def", sizeof(vxe_equilibrium_def),
                                               SETTINGS_END(vxe_equilibrium_def, progress), &defaults};

void vxe_equilibrium_def_init(vxe_equilibrium_def *def, size_t size)
{
    vxe_settings_give(&equilibrium_type, NULL, def, size);
}

const char *vxe_equilibrium_status_name(vxe_equilibrium_status status)
{
    switch (status) {
    case VXE_EQUILIBRIUM_STABLE: return "stable";
    case VXE_EQUILIBRIUM_BUCKLED: return "buckled";
    case VXE_EQUILIBRIUM_UNSTABLE: return "unstable";
    case VXE_EQUILIBRIUM_RELAXED: return "relaxed";
    case VXE_EQUILIBRIUM_NONE: return "none";
    }
    return "unknown";
}

static vxe_result check_def(const vxe_equilibrium_def *def, vxe_error *error)
{
    if (!(def->tolerance >= 1e-12 && def->tolerance <= 1e-2)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "tolerance %g is not within 1e-12 to 1e-2", def->tolerance);
    }
    if (def->iterations_max < 1 || def->iterations_max > 10000) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d iterations is not within 1 to 10000",
                        (int)def->iterations_max);
    }
    if (def->load_steps_max < 1 || def->load_steps_max > 100000) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d load steps is not within 1 to 100000",
                        (int)def->load_steps_max);
    }
    if (def->relaxation_max < 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "the number of relaxation steps is negative");
    if (def->grip != VXE_FLOOR_STICK && def->grip != VXE_FLOOR_SLIDE)
        return vxe_fail(error, VXE_ERROR_INPUT, "floor grip %d is not known", (int)def->grip);
    if (def->solver < VXE_SOLVER_AUTO || def->solver > VXE_SOLVER_ITERATIVE)
        return vxe_fail(error, VXE_ERROR_INPUT, "solver %d is not known", (int)def->solver);
    return VXE_OK;
}

/* One search by Newton's method. */
typedef struct search {
    vxe_sim *sim;
    const vxe_equilibrium_def *def;
    vxe_equilibrium *report;
    lattice l;
    equations q;
    newton n;
    pose saved;
    loose_bodies loose;
    bool carries;    /* what was held of loose bodies carries a load */
    bool floor;      /* there is some under the body */
    bool found;      /* the answer is in n.now */
    bool unsuitable; /* Newton cannot describe what happens: it need not be tried again */
    char why[256];   /* not found: why */
} search;

static void give_up(search *s, const char *why, bool unsuitable)
{
    (void)snprintf(s->why, sizeof s->why, "%s", why);
    s->unsuitable = unsuitable;
}

/* ---- the search --------------------------------------------------------------------------------------------------- */

static void tell(const vxe_equilibrium_def *def, const char *what, int64_t done)
{
    if (def->progress.tell != NULL) def->progress.tell(def->progress.user, what, done);
}

/* Load steps: the whole way first, halves where that fails. */
static newton_end follow_loads(search *s)
{
    newton *n = &s->n;
    double stride = 1.0;
    newton_end end = NEWTON_DONE;
    vxe_pose_copy(&s->l, &n->now, &s->saved);
    double part = 0.0;
    for (int32_t tries = 0; part < 1.0; tries++) {
        if (tries >= s->def->load_steps_max || stride < 1e-5) return end == NEWTON_DONE ? NEWTON_SLOW : end;
        const double target = fmin(part + stride, 1.0);
        const int32_t before = n->iterations;
        end = vxe_newton_solve(n, target);
        tell(s->def, "iterations of Newton's method", (int64_t)s->report->iterations + n->iterations);
        if (end == NEWTON_NO_MEMORY) return end;
        if (end == NEWTON_BLIND) {
            n->careful = true;
            vxe_newton_place(n, &s->saved, part);
            continue;
        }
        if (end == NEWTON_DONE) {
            part = target;
            vxe_pose_copy(&s->l, &n->now, &s->saved);
            s->report->load_steps++;
            if (n->iterations - before < 12) stride *= 2.0;
        } else {
            vxe_newton_place(n, &s->saved, part);
            stride *= 0.5;
        }
    }
    return NEWTON_DONE;
}

/* From the equilibrium that was found to a stable one. */
static newton_end find_stable(search *s)
{
    newton *n = &s->n;
    vxe_equilibrium *r = s->report;
    for (int tries = 0; tries < 20; tries++) {
        bool stable = true;
        newton_end end = vxe_newton_is_stable(n, &stable);
        if (end != NEWTON_DONE) return end;
        if (stable) {
            r->status = r->unstable_modes > 0 ? VXE_EQUILIBRIUM_BUCKLED : VXE_EQUILIBRIUM_STABLE;
            return NEWTON_DONE;
        }
        r->unstable_modes++;
        r->status = VXE_EQUILIBRIUM_UNSTABLE;
        if (!s->def->leave_unstable || n->skew) return NEWTON_DONE;
        n->careful = true; /* matrices on the way will not be positive */
        end = vxe_newton_leave(n);
        if (end == NEWTON_DONE) end = vxe_newton_solve(n, 1.0);
        if (end == NEWTON_NO_MEMORY) return end;
        if (end != NEWTON_DONE) {
            give_up(s, "the body buckles, and what it buckles into was not found", false);
            return end;
        }
    }
    give_up(s, "the body goes on buckling", false);
    return NEWTON_SLOW;
}

/* Links that the answer asks too much of. */
static int32_t count_overstressed(const search *s)
{
    const lattice *l = &s->l;
    const vxe_model *m = l->model;
    int32_t count = 0;
    if (!m->nonlinear) return 0;
    (void)vxe_lattice_energy(l, &s->n.now, s->floor);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const link_class *c = &m->classes[link->kind];
        const vec3 d = vec3_sub(vec3_from(&s->n.now.position[3 * (size_t)link->far]),
                                vec3_from(&s->n.now.position[3 * (size_t)link->near]));
        const double elastic = vxe_lattice_stretch(l, &s->n.now, i, sqrt(vec3_dot(d, d)));
        plastic_state state = {s->sim->plastic[link->axis][link->near],
                               s->sim->hardening[link->axis][link->near]};
        const double strain = elastic / l->pitch + state.strain;
        const bool yields =
            c->flow_count > 0 && plastic_update(&state, strain, c->youngs, m->flow_strain + c->flow_begin,
                                                m->flow_stress + c->flow_begin, c->flow_count);
        const bool breaks =
            c->failure > 0.0 && vxe_lattice_tension(l, i, elastic) > c->failure * l->pitch * l->pitch;
        count += yields || breaks;
    }
    return count;
}

static int32_t count_slipping(const search *s)
{
    const lattice *l = &s->l;
    int32_t count = 0;
    for (int32_t v = 0; v < l->voxels; v++) {
        const double depth = s->floor ? vxe_lattice_depth(l, &s->n.now, v) : -1.0;
        if (!(depth > 0.0) || s->n.stuck[v] == 0) continue;
        const voxel_table *t = &s->sim->voxels[l->model->material[v]];
        const double x = l->load[DOFS * (size_t)v] - s->n.gradient[DOFS * (size_t)v];
        const double y = l->load[DOFS * (size_t)v + 1] - s->n.gradient[DOFS * (size_t)v + 1];
        count += sqrt(x * x + y * y) >
                 t->static_friction * vxe_lattice_floor_force(l, &s->n.now, v) * (1.0 + 1e-6);
    }
    return count;
}

static void add_costs(vxe_equilibrium *report, const search *s)
{
    vxe_solve_cost *c = &report->cost;
    const vxe_solve_cost *own = &s->q.cost;
    if (own->unknowns == 0) return;
    const int32_t factorizations = c->factorizations + own->factorizations;
    const int64_t iterations = c->iterations + own->iterations;
    *c = *own;
    c->factorizations = factorizations;
    c->iterations = iterations;
    report->iterations += s->n.iterations;
}

/* Lets go of what a search has made; another may follow. */
static void drop_newton(search *s)
{
    add_costs(s->report, s);
    vxe_newton_destroy(&s->n);
    vxe_equations_destroy(&s->q);
}

/* Newton's method with bodies held as they are now. */
static vxe_result run_newton(search *s, vxe_error *error)
{
    vxe_result result = vxe_equations_create(&s->q, &s->l, s->def->solver, FLOPS_MAX, error);
    if (result == VXE_OK) result = vxe_newton_create(&s->n, &s->l, &s->q, error);
    if (result != VXE_OK) return result;
    newton *n = &s->n;
    n->floor = s->floor;
    n->grip = s->def->grip == VXE_FLOOR_STICK;
    n->tolerance = s->def->tolerance;
    n->iterations_max = s->def->iterations_max;
    vxe_pose_copy(&s->l, &s->saved, &n->now);
    result = vxe_newton_begin(n, error);
    if (result != VXE_OK) return result;
    newton_end end = follow_loads(s);
    if (end == NEWTON_DONE) end = find_stable(s);
    if (end == NEWTON_NO_MEMORY) return vxe_fail_memory(error, "Newton's method", s->q.cost.bytes);
    if (end != NEWTON_DONE) {
        if (s->why[0] == '\0') give_up(s, vxe_newton_end_name(end), false);
        return VXE_OK;
    }
    if (count_overstressed(s) > 0) {
        give_up(s, "links yield or break", true);
        return VXE_OK;
    }
    if (s->loose.any && vxe_loose_carry(n)) {
        s->carries = true;
        give_up(s, "a body that nothing holds is pushed away", false);
        return VXE_OK;
    }
    if (s->loose.any && s->report->status != VXE_EQUILIBRIUM_UNSTABLE) {
        bool falls = false;
        result = vxe_loose_fall(n, s->def->solver, FLOPS_MAX, &falls, error);
        if (falls) {
            s->report->status = VXE_EQUILIBRIUM_UNSTABLE;
            s->report->unstable_modes++;
        }
    }
    if (result == VXE_OK && s->loose.any) result = vxe_loose_recenter(&s->l, &n->now, error);
    s->found = result == VXE_OK;
    return result;
}

/* Lets bodies swing from s->saved until they hang, and searches from there. *done: they do hang. */
static vxe_result run_hanging(search *s, bool *done, vxe_error *error)
{
    memcpy(s->l.held, s->l.model->fixed, (size_t)s->l.voxels);
    vxe_lattice_load(&s->l, &s->saved);
    vxe_result result = vxe_swing(&s->l, &s->saved, done, error);
    if (result != VXE_OK || !*done) return result;
    for (int32_t v = 0; v < s->l.voxels && s->floor; v++) { /* it would hit the floor on its way */
        if (vxe_lattice_touches(&s->l, &s->saved, v)) *done = false;
    }
    if (!*done) return VXE_OK;
    s->loose = (loose_bodies){false, false, ""};
    result = vxe_hold_loose(&s->l, &s->saved, s->def->grip == VXE_FLOOR_STICK, true, &s->loose, error);
    if (result != VXE_OK || s->loose.driven) return result;
    s->why[0] = '\0';
    s->report->unstable_modes = 0;
    return run_newton(s, error);
}

/* Everything up to an answer in s->n.now, or the reason why there is none. */
static vxe_result run_search(search *s, vxe_error *error)
{
    vxe_result result = vxe_pose_create(&s->l, &s->saved, error);
    if (result != VXE_OK) return result;
    vxe_pose_read(&s->l, &s->saved);
    bool fell = false;
    bool hangs = false;
    result = vxe_put_down(&s->l, &s->saved, &fell, error);
    if (result != VXE_OK) return result;
    if (fell && s->l.body_count > 1 && s->sim->environment.collisions != VXE_COLLISIONS_OFF) {
        give_up(s, "a body falls and may land on another", false);
        return VXE_OK;
    }
    vxe_lattice_load(&s->l, &s->saved);
    result = vxe_hold_loose(&s->l, &s->saved, s->def->grip == VXE_FLOOR_STICK, false, &s->loose, error);
    if (result != VXE_OK) return result;
    if (s->loose.driven) {
        char text[sizeof s->loose.text];
        memcpy(text, s->loose.text, sizeof text);
        result = run_hanging(s, &hangs, error);
        if (result != VXE_OK || hangs) return result;
        if (!s->floor) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "there is no equilibrium: %s, and the loads do not balance", text);
        }
        /* it may fall over, and come to rest otherwise */
        (void)snprintf(s->why, sizeof s->why, "%.200s, and the loads do not balance", text);
        return VXE_OK;
    }
    result = run_newton(s, error);
    if (result != VXE_OK || !s->carries) return result;
    /* what was held must swing: bent, the body hangs otherwise */
    vxe_pose_copy(&s->l, &s->n.now, &s->saved);
    drop_newton(s);
    return run_hanging(s, &hangs, error);
}

/* What one search came to, beside the report. */
typedef struct outcome {
    bool found;
    bool unsuitable; /* another search will not help */
    bool disturbed;  /* not found, and the simulation is not as it was */
    char why[256];
} outcome;

/* Searches from where the simulation is, and sets it there. */
static vxe_result search_from_here(vxe_sim *sim, const vxe_equilibrium_def *def, double time,
                                   vxe_equilibrium *report, outcome *out, vxe_error *error)
{
    search s;
    memset(&s, 0, sizeof s);
    memset(out, 0, sizeof *out);
    s.sim = sim;
    s.def = def;
    s.report = report;
    vxe_result result = vxe_lattice_create(&s.l, sim, time, error);
    for (int32_t v = 0; result == VXE_OK && v < s.l.voxels; v++)
        s.floor = s.floor || vxe_floor_under(sim, sim->position[0][v], sim->position[1][v]);
    if (result == VXE_OK) result = run_search(&s, error);
    if (result == VXE_OK && s.found) {
        vxe_rest_set(sim, &s.n);
        out->found = vxe_rest_touching_pairs(sim) == 0;
        if (out->found) {
            report->change = s.n.change;
            report->residual = s.n.imbalance;
            report->energy = s.n.measures.energy;
            report->touching = s.n.measures.touching;
            report->slipping = count_slipping(&s);
        } else {
            give_up(&s, "voxels that are not linked touch each other", true);
            out->disturbed = true;
        }
    }
    if (!out->found) report->status = VXE_EQUILIBRIUM_NONE;
    memcpy(out->why, s.why, sizeof s.why);
    out->unsuitable = s.unsuitable;
    drop_newton(&s);
    vxe_pose_destroy(&s.saved);
    vxe_lattice_destroy(&s.l);
    return result;
}

/* ---- the fallback ------------------------------------------------------------------------------------------------- */

/* The whole state, to come back to. */
typedef struct snapshot {
    void *bytes;
    size_t size;
} snapshot;

static vxe_result take_snapshot(const vxe_sim *sim, snapshot *s, vxe_error *error)
{
    free(s->bytes); /* the size varies with the pairs of voxels that are near */
    s->size = vxe_sim_save_size(sim);
    s->bytes = malloc(s->size);
    if (s->bytes == NULL) return vxe_fail_memory(error, "the state before the search", s->size);
    return vxe_sim_save(sim, s->bytes, s->size, error);
}

static void return_to(vxe_sim *sim, const snapshot *s)
{
    (void)vxe_sim_load(sim, s->bytes, s->size, NULL); /* its own state: always good */
}

#define RELAX_FIRST 1000   /* steps before Newton is tried again; then four times as many */
#define RELAX_BALANCE 1e-9 /* where forces balance to this, relaxation is done */
#define RELAX_DAMPING 0.1  /* bond damping at most: more makes steps short */

/* Stepping for relaxation keeps no account: motion is stopped again and again. */
static void pause_account(vxe_sim *sim) { sim->def.audit = false; }

/* The account goes on from what it finds. */
static void resume_account(vxe_sim *sim)
{
    sim->energy = vxe_sim_energy(sim);
    sim->def.audit = true;
    sim->account.started = 0;
    memcpy(sim->growth_before[0], sim->growth[0], (size_t)sim->model->view.voxel_count * sizeof(double));
}

/* Relaxes, and tries to finish by Newton's method from time to time. */
static vxe_result relax(vxe_sim *sim, const vxe_equilibrium_def *def, double time, vxe_equilibrium *report,
                        outcome *out, vxe_error *error)
{
    snapshot here = {NULL, 0};
    relaxation r = {.time = time};
    const vxe_environment scene = sim->environment;
    const bool audit = sim->def.audit;
    const int64_t step = sim->step;
    int64_t chunk = RELAX_FIRST;
    pause_account(sim);
    vxe_result result =
        vxe_sim_set_damping(sim, fmin(scene.damping_stretch, RELAX_DAMPING),
                            fmin(scene.damping_rotation, RELAX_DAMPING), scene.damping_contact, 0.0, error);
    while (result == VXE_OK && !out->found && !r.settled && r.steps < def->relaxation_max) {
        const int64_t left = def->relaxation_max - r.steps;
        result = vxe_relax(sim, &r, chunk < left ? chunk : left, RELAX_BALANCE, error);
        chunk = 3 * r.steps;
        tell(def, "time steps of relaxation", r.steps);
        if (result != VXE_OK || out->unsuitable) continue;
        result = take_snapshot(sim, &here, error);
        if (result == VXE_OK) result = search_from_here(sim, def, time, report, out, error);
        if (result == VXE_OK && out->found && report->slipping > 0) { /* it slid, and will slide on */
            out->found = false;
            out->disturbed = true;
        }
        if (result == VXE_OK && out->disturbed) return_to(sim, &here);
    }
    free(here.bytes);
    report->relaxation_steps = r.steps;
    if (result == VXE_OK && (out->found || r.settled)) {
        result = vxe_sim_set_damping(sim, scene.damping_stretch, scene.damping_rotation,
                                     scene.damping_contact, scene.damping_ground, error);
    }
    if (result == VXE_OK && !out->found && r.settled) {
        out->found = true;
        report->residual = r.imbalance;
        report->energy = vxe_sim_energy(sim).elastic;
        int64_t floor = 0;
        vxe_sim_contacts(sim, &floor, NULL);
        report->touching = (int32_t)floor;
    }
    if (audit) resume_account(sim);
    if (out->found) {
        sim->step = step;
        report->status = VXE_EQUILIBRIUM_RELAXED;
    }
    return result;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void describe(vxe_equilibrium *r, const char *why)
{
    const char *slip =
        r->slipping > 0 ? "; friction would not hold all voxels that are taken as stuck to the floor" : "";
    switch (r->status) {
    case VXE_EQUILIBRIUM_STABLE:
        (void)snprintf(r->message, sizeof r->message,
                       "stable equilibrium, by Newton's method: %d load step%s, %d iterations%s",
                       (int)r->load_steps, r->load_steps == 1 ? "" : "s", (int)r->iterations, slip);
        break;
    case VXE_EQUILIBRIUM_BUCKLED:
        (void)snprintf(r->message, sizeof r->message,
                       "unstable: buckled. An equilibrium under these loads is unstable and was left; this "
                       "is a stable one, others may be as good. Newton's "
                       "method: %d load step%s, %d iterations%s",
                       (int)r->load_steps, r->load_steps == 1 ? "" : "s", (int)r->iterations, slip);
        break;
    case VXE_EQUILIBRIUM_UNSTABLE:
        (void)snprintf(r->message, sizeof r->message,
                       "unstable equilibrium: the smallest push leads away from it%s", slip);
        break;
    case VXE_EQUILIBRIUM_RELAXED:
        (void)snprintf(
            r->message, sizeof r->message,
            "equilibrium by damped relaxation in %lld time steps%s, because Newton's method failed: %s%s",
            (long long)r->relaxation_steps, r->change > 0.0 ? " and Newton's method at the end" : "", why,
            slip);
        break;
    case VXE_EQUILIBRIUM_NONE: break;
    }
}

static vxe_result find(vxe_sim *sim, const vxe_equilibrium_def *def, const snapshot *before,
                       vxe_equilibrium *report, vxe_error *error)
{
    const double time = vxe_static_time(sim, def->time);
    outcome out;
    vxe_result result = search_from_here(sim, def, time, report, &out, error);
    if (result != VXE_OK) return result;
    if (out.found) {
        describe(report, "");
        return VXE_OK;
    }
    char why[256];
    memcpy(why, out.why, sizeof why);
    if (def->relaxation_max == 0)
        return vxe_fail(error, VXE_ERROR_DIVERGED, "no equilibrium was found by Newton's method: %s", why);
    if (out.disturbed) return_to(sim, before);
    report->unstable_modes = 0;
    result = relax(sim, def, time, report, &out, error);
    if (result != VXE_OK) {
        char reason[512];
        (void)snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, error->message);
        return vxe_fail(error, result,
                        "no equilibrium was found: Newton's method failed (%s) and so did relaxation after "
                        "%lld steps: %s",
                        why, (long long)report->relaxation_steps, reason);
    }
    if (!out.found) {
        return vxe_fail(error, VXE_ERROR_DIVERGED,
                        "no equilibrium was found: Newton's method failed (%s) and %lld steps of relaxation "
                        "did not settle",
                        why, (long long)report->relaxation_steps);
    }
    describe(report, why);
    return VXE_OK;
}

vxe_result vxe_solve_equilibrium(vxe_sim *sim, const vxe_equilibrium_def *def, vxe_equilibrium *report,
                                 vxe_error *error)
{
    if (sim == NULL || def == NULL || report == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_solve_equilibrium: NULL");
    vxe_equilibrium_def own;
    vxe_result result = vxe_settings_take(&equilibrium_type, def, &own, error);
    if (result == VXE_OK) result = vxe_refuse_living(sim, error);
    def = &own;
    if (result == VXE_OK) result = check_def(def, error);
    if (result != VXE_OK) return result;
    memset(report, 0, sizeof *report);
    report->status = VXE_EQUILIBRIUM_NONE;
    vxe_error cause = {VXE_OK, ""};
    if (sim->status.fault != VXE_FAULT_NONE) {
        result =
            vxe_fail(&cause, VXE_ERROR_DIVERGED, "the simulation has failed before: %s", sim->status.message);
    } else {
        snapshot before = {NULL, 0};
        result = take_snapshot(sim, &before, &cause);
        if (result == VXE_OK) {
            result = find(sim, def, &before, report, &cause);
            if (result != VXE_OK) return_to(sim, &before);
        }
        free(before.bytes);
    }
    if (result != VXE_OK) {
        report->status = VXE_EQUILIBRIUM_NONE;
        (void)snprintf(report->message, sizeof report->message, "%.*s", (int)sizeof report->message - 1,
                       cause.message);
        if (error != NULL) *error = cause;
    }
    return result;
}

bool vxe_solve_available(void) { return true; }
