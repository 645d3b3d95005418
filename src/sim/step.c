/* One step, and many: the stages in their order, the choice of the step's length, and when to stop. */
#include "base/base.h"
#include "scene/scene.h"
#include "sim/collide.h"
#include "sim/going.h"
#include "sim/ground.h"
#include "sim/life.h"
#include "sim/outside.h"
#include "sim/pressure.h"
#include "sim/rigid.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void begin_clock(stage_clock *clock)
{
    if (clock == NULL) return;
    clock->next = 0;
    clock->begun = vxe_seconds(VXE_CLOCK_STEADY);
}

/* Books the time since the last stage ended. */
static void book_stage(stage_clock *clock, const char *name)
{
    const double now = vxe_seconds(VXE_CLOCK_STEADY);
    if (clock->next == STAGES_MAX) return;
    clock->name[clock->next] = name;
    clock->seconds[clock->next++] += now - clock->begun;
    clock->begun = now;
    if (clock->next > clock->count) clock->count = clock->next;
}

/* ---- stages ------------------------------------------------------------------------------------------------------- */

typedef enum stage_home { HOST, PLAIN } stage_home;

static const struct {
    const char *name;
    stage_home home;
    state_set reads, writes;
} lines[STAGE_COUNT] = {
#define X(name, on, reads, writes) {#name, on, reads, writes},
    STEP_STAGES(X)
#undef X
};

/* The stages that are the same for every machine. */
static sim_stage *const on_host[STAGE_COUNT] = {
    [STAGE_signals] = vxe_signals_update,   [STAGE_yield] = vxe_yield_links,
    [STAGE_pressure] = vxe_pressure_update, [STAGE_book] = vxe_book_yield,
    [STAGE_collide] = vxe_collide,          [STAGE_outside] = vxe_outside_forces,
    [STAGE_contacts] = vxe_contacts_begin,  [STAGE_apart] = vxe_contacts_solve,
    [STAGE_account] = vxe_account_step,     [STAGE_parts] = vxe_rigid_begin,
    [STAGE_carry] = vxe_rigid_kick,         [STAGE_joints] = vxe_rigid_damp,
    [STAGE_settle] = vxe_rigid_settle,      [STAGE_place] = vxe_rigid_place,
    [STAGE_bonds] = vxe_bonds_load,         [STAGE_brake] = vxe_bonds_brake,
};

void vxe_stage_run(vxe_sim *sim, stage_id id, const step_context *context)
{
    sim_stage *run = sim->device != NULL ? sim->device->stage[id] : NULL;
    state_place place = ON_DEVICE;
    if (run == NULL) {
        place = lines[id].home == HOST ? ON_HOST : ON_LOOPS;
        run = on_host[id] != NULL ? on_host[id] : sim->host.stage[id];
    }
    vxe_state_bring(sim, place, lines[id].reads | lines[id].writes);
    run(sim, context);
    vxe_state_changed(sim, place, lines[id].writes);
    if (sim->clock != NULL) book_stage(sim->clock, lines[id].name);
}

void vxe_tables_changed(vxe_sim *sim)
{
    sim->host.tables_changed(sim);
    if (sim->device != NULL) sim->device->tables_changed(sim);
}

void vxe_links_changed(vxe_sim *sim)
{
    vxe_state_wrote(sim, STATE_SET(own_kind) | STATE_SET(broken) | STATE_SET(own_free_faces) |
                             STATE_SET(own_pressure_class));
    sim->faces_known = false;
    if (sim->native == NULL) return; /* the machines are not there yet */
    sim->host.links_changed(sim);
    if (sim->device != NULL) sim->device->links_changed(sim);
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

static double greater(double a, double b) { return a > b ? a : b; }

static int32_t chunk_count(const vxe_sim *sim) { return (sim->model->view.voxel_count + CHUNK - 1) / CHUNK; }

/* Of one measure, by the place it has. */
static double sum_chunks(const vxe_sim *sim, size_t place)
{
    const int32_t count = chunk_count(sim);
    double x;
    if (count == 1) { /* mostly */
        memcpy(&x, (const char *)&sim->measures[0] + place, sizeof x);
        return x + 0.0;
    }
    tree_sum sum = {.count = 0};
    for (int32_t i = 0; i < count; i++) {
        memcpy(&x, (const char *)&sim->measures[i] + place, sizeof x);
        sum_add(&sum, x);
    }
    return sum_total(&sum);
}

/* What the chunks measured; in *chunk the numbers of those where strain and speed were largest. */
static void collect(vxe_sim *sim, const step_context *context, int32_t chunk[2])
{
    step_measures *last = &sim->last;
    last->length_min = INFINITY;
    for (int32_t i = 0; i < chunk_count(sim); i++) {
        const step_measures *m = &sim->measures[i];
        last->length_min = m->length_min < last->length_min ? m->length_min : last->length_min;
        if (m->strain_max > last->strain_max) chunk[0] = i;
        if (m->speed_max > last->speed_max) chunk[1] = i;
        last->strain_max = greater(last->strain_max, m->strain_max);
        last->speed_max = greater(last->speed_max, m->speed_max);
        last->travel_max = greater(last->travel_max, m->travel_max);
        last->bad |= m->bad;
        last->failed |= m->failed;
        last->floor_contacts += m->floor_contacts;
    }
#define X(name) last->name += sum_chunks(sim, offsetof(step_measures, name));
    if (sim->def.audit) {
        ACCOUNT_FLOWS(X)
    }
    if (context->measure) {
        ACCOUNT_STORES(X)
    }
#undef X
    /* they were collected as squares, and as a length */
    last->speed_max = sqrt(last->speed_max);
    last->travel_max = context->step * sqrt(last->travel_max);
    last->strain_max /= sim->model->view.pitch;
}

#define STAGE(name) vxe_stage_run(sim, STAGE_##name, &context)

/* The algorithm. Everything a stage needs was left by those above it. */
static void take_step(vxe_sim *sim, double step, bool keep)
{
    const double before = sim->watch.stopped != 0 ? 0.0 : sim->last_dt;
    step_context context = {.step = step,
                            .before = before,
                            .kick = 0.5 * (before + step),
                            .implicit = sim->implicit,
                            .rated = sim->step % RATES_EVERY == 0 ||
                                     sim->last.length_min < CRUSHED * sim->model->view.pitch,
                            .keep = keep,
                            .measure = vxe_account_is_due(sim, step, keep)};
    const vxe_model *m = sim->model;
    const bool solid = m->environment.elasticity == VXE_ELASTICITY_SOLID;
    if (sim->collider != NULL) sim->collider->travel = sim->last.travel_max;
    memset(&sim->last, 0, sizeof sim->last);
    for (int32_t i = 0; i < chunk_count(sim); i++) sim->measures[i] = (step_measures){.length_min = INFINITY};
    sim->last_time = sim->time;
    if (m->actuated_count > 0) STAGE(signals);
    if (m->nonlinear) STAGE(yield);
    if (solid) STAGE(strains);
    if (solid) STAGE(pressure);
    if (m->nonlinear) STAGE(book);
    if (sim->collider != NULL) STAGE(collide);
    const bool bonded = sim->life != NULL && sim->life->counts.bond_count > 0;
    context.bonded = bonded;
    context.touching = (sim->collider != NULL && sim->collider->touching_count > 0) ||
                       (sim->ground != NULL && sim->ground->row_count + sim->ground->pack_count > 0);
    context.split = sim->implicit || context.touching || sim->rigid != NULL;
    context.loaded = bonded || (vxe_loads_present(sim) & ~(unsigned)LOAD_GRAVITY) != 0;
    STAGE(clear);
    if (sim->step == 0 && (m->strokes || m->pushes)) vxe_rules_push(sim);
    if (m->outside) STAGE(outside);
    if (context.loaded) STAGE(loads);
    if (sim->rigid != NULL) STAGE(parts);
    vxe_regions_move(sim, sim->time + step);
    if (m->held_count > 0) STAGE(hold);
    if (bonded) STAGE(bonds);
    STAGE(links);
    if (context.split) STAGE(kick);
    if (sim->rigid != NULL) STAGE(carry);
    if (sim->collider != NULL) STAGE(contacts);
    /* damping is the same forwards and backwards, or it would pump: joints of rigid parts are around it */
    if (sim->implicit && sim->rigid != NULL) STAGE(joints);
    if (sim->implicit) vxe_damp(sim, &context);
    context.back = true;
    if (sim->implicit && sim->rigid != NULL) STAGE(joints);
    if (sim->collider != NULL) STAGE(apart);
    if (sim->rigid != NULL) STAGE(settle);
    STAGE(move);
    if (sim->rigid != NULL) STAGE(place);
    int32_t chunk[2] = {0, 0};
    collect(sim, &context, chunk);
    if (context.loaded || m->held_count > 0) STAGE(close);
    if (sim->def.audit) STAGE(account);
    sim->watch.stopped = 0;
    if (sim->collider != NULL) {
        sim->collider->closed += 2.0 * sim->last.travel_max;
        sim->collider->way += 2.0 * sim->last.travel_max;
        if (sim->ground != NULL) sim->ground->way += sim->last.travel_max;
    }
    sim->time += step;
    sim->last_dt = step;
    sim->loads_known = keep;
    sim->step++;
    vxe_note_peaks(sim, chunk);
    vxe_break_links(sim, &context);                 /* what failed in this step is gone in the next */
    vxe_outside_after(sim);                         /* kinetic damping, what formulas speak of */
    if (m->rule_count > 0) vxe_live(sim, &context); /* what voxels do by themselves */
}

/* One step, at most `longest` seconds. False: it failed. `last`, or when it reaches the time `look`: the
 * state may be looked at afterwards; only then are the loads on voxels kept, which takes longer. */
static bool advance(vxe_sim *sim, double longest, bool last, double look)
{
    if (sim->status.fault != VXE_FAULT_NONE) return false;
    begin_clock(sim->clock);
    const double dt = vxe_time_step_next(sim);
    if (sim->clock != NULL) book_stage(sim->clock, "time step");
    const bool touched = (sim->model->senses >> VXE_VARIABLE_TOUCH & 1) != 0 ||
                         (sim->model->senses >> VXE_VARIABLE_NEAR_TOUCH & 1) != 0;
    take_step(sim, dt < longest ? dt : longest,
              last || touched || longest < 1.5 * dt || sim->time + dt >= look);
    const bool ok = vxe_diagnose_step(sim);
    if (sim->clock != NULL) book_stage(sim->clock, "diagnose");
    return ok;
}

/* Brings the state where it can be looked at. */
static void show_state(vxe_sim *sim)
{
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC | STATE_SAVED));
    if (sim->status.fault == VXE_FAULT_NONE || sim->loads_known) return;
    for (int i = 0; i < 3; i++) { /* nobody knew that this step would be the last */
        memset(sim->force[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
        memset(sim->moment[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
        memset(sim->contact_force[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
    }
}

/* Whole steps by a device that takes such: how many it took, 0: none. */
static int64_t advance_there(vxe_sim *sim, step_limits *limits)
{
    const sim_backend *d = sim->device;
    if (d == NULL || d->advance == NULL || limits->most <= 0 || !d->takes(sim)) return 0;
    int64_t taken = 0;
    do {
        d->advance(&sim, limits, 1, NULL);
        taken += limits->taken;
        limits->most -= limits->taken;
        limits->begun = limits->begun || limits->taken > 0;
        limits->again = true;
    } while (limits->tired && sim->status.fault == VXE_FAULT_NONE);
    return taken;
}

vxe_result vxe_sim_step(vxe_sim *sim, int64_t steps, vxe_error *error)
{
    if (sim == NULL || steps < 0)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_step: a simulation and 0 or more steps");
    bool ok = sim->status.fault == VXE_FAULT_NONE;
    for (int64_t i = 0; i < steps && ok; i++) {
        i += advance_there(sim, &(step_limits){.most = steps - i, .end = INFINITY, .look = INFINITY});
        ok = sim->status.fault == VXE_FAULT_NONE;
        if (i < steps && ok) ok = advance(sim, INFINITY, i + 1 == steps, INFINITY);
    }
    show_state(sim);
    return ok ? VXE_OK : vxe_fail(error, VXE_ERROR_DIVERGED, "%s", sim->status.message);
}

/* Whether conditions are looked at every VXE_STOP_EVERY steps. */
static bool looks_at_motion(const vxe_stop *stop)
{
    return stop->kinetic_energy > 0.0 || stop->speed > 0.0 || stop->movement > 0.0 ||
           stop->energy_change > 0.0;
}
static bool looks_at_formula(const vxe_sim *sim, const vxe_stop *stop)
{
    return stop->formula && sim->model->formulas[VXE_FORMULA_STOP].count > 0;
}

static bool looks_each_step(const vxe_sim *sim, const vxe_stop *stop)
{
    return looks_at_formula(sim, stop) || sim->model->ends || sim->model->fall > 0;
}

/* Whether a run may end after the next step, beside by its time. */
static bool may_stop(const vxe_sim *sim, const vxe_stop *stop)
{
    if (stop->steps > 0 && sim->step + 1 >= stop->steps) return true;
    if (looks_each_step(sim, stop)) return true;
    return (sim->step + 1) % VXE_STOP_EVERY == 0 && looks_at_motion(stop);
}

bool vxe_going_begin(sim_going *g, vxe_sim *sim, const vxe_stop *given, int64_t steps, double look)
{
    vxe_stop own = {0};
    const vxe_stop *stop = &own;
    if (given != NULL && vxe_settings_take(&vxe_stop_type, given, &own, NULL) != VXE_OK) return false;
    *g = (sim_going){.sim = sim,
                     .stop = own,
                     .steps = steps,
                     .look = look,
                     .end = stop->time > 0.0 ? fmax(stop->time, stop->after) : INFINITY,
                     .at_end = VXE_RUN_TIME};
    if (stop->cycles > 0.0 && sim->model->view.signal_count > 0 &&
        stop->cycles * sim->signals[0].period < g->end) {
        g->end = stop->cycles * sim->signals[0].period;
        g->at_end = VXE_RUN_CYCLES;
    }
    return true;
}

bool vxe_going_over(sim_going *g)
{
    vxe_sim *sim = g->sim;
    const vxe_stop *stop = &g->stop;
    g->reason = VXE_RUN_STEPS;
    /* a remainder that is only round-off is not worth a step */
    if (sim->status.fault != VXE_FAULT_NONE) {
        g->reason = VXE_RUN_FAULT;
    } else if (sim->time >= g->end - 1e-9 * sim->time_step.dt) {
        g->reason = g->at_end;
    } else if (stop->steps > 0 && sim->step >= stop->steps && sim->step >= stop->after_steps) {
        g->reason = VXE_RUN_STOP_STEPS;
    } else if (g->taken > 0 || sim->step == 0) { /* what an edit does shows after a step */
        g->reason = vxe_stop_reason(sim, stop);
    }
    if (g->reason != VXE_RUN_STEPS && g->reason != VXE_RUN_FAULT && g->taken > 0 && !vxe_diagnose_end(sim))
        g->reason = VXE_RUN_FAULT;
    return g->reason != VXE_RUN_STEPS || g->taken >= g->steps || (g->taken > 0 && sim->time >= g->look);
}

step_limits vxe_going_limits(const sim_going *g)
{
    const vxe_sim *sim = g->sim;
    int64_t most = g->steps - g->taken;
    if (looks_each_step(sim, &g->stop)) most = 1;
    if (g->stop.steps > 0) {
        const int64_t left = g->stop.steps - sim->step; /* until after_steps it looks after each */
        if (left < most) most = left > 1 ? left : 1;
    }
    if (looks_at_motion(&g->stop)) {
        const int64_t left = VXE_STOP_EVERY - sim->step % VXE_STOP_EVERY;
        if (left < most) most = left;
    }
    return (step_limits){.most = most, .end = g->end, .look = g->look, .begun = g->taken > 0};
}

void vxe_going_step(sim_going *g)
{
    (void)advance(g->sim, g->end - g->sim->time, g->taken + 1 >= g->steps || may_stop(g->sim, &g->stop),
                  g->look);
    g->taken++;
}

void vxe_going_end(sim_going *g) { show_state(g->sim); }

vxe_run_reason vxe_sim_run(vxe_sim *sim, const vxe_stop *stop, int64_t steps)
{
    return sim == NULL || stop == NULL ? VXE_RUN_FAULT : vxe_sim_run_to(sim, stop, steps, INFINITY);
}

vxe_run_reason vxe_sim_run_to(vxe_sim *sim, const vxe_stop *stop, int64_t steps, double look)
{
    sim_going g;
    if (!vxe_going_begin(&g, sim, stop, steps, look)) return VXE_RUN_FAULT;
    while (!vxe_going_over(&g)) {
        step_limits limits = vxe_going_limits(&g);
        const int64_t taken = advance_there(sim, &limits);
        g.taken += taken;
        if (taken == 0) vxe_going_step(&g);
    }
    vxe_going_end(&g);
    return g.reason;
}

const char *vxe_run_reason_name(vxe_run_reason reason)
{
    switch (reason) {
    case VXE_RUN_STEPS: return "not finished";
    case VXE_RUN_TIME: return "time";
    case VXE_RUN_STOP_STEPS: return "steps";
    case VXE_RUN_CYCLES: return "cycles";
    case VXE_RUN_KINETIC_ENERGY: return "kinetic energy";
    case VXE_RUN_SPEED: return "speed";
    case VXE_RUN_FAULT: return "fault";
    case VXE_RUN_FORMULA: return "formula";
    case VXE_RUN_ENERGY_CHANGE: return "energy change";
    case VXE_RUN_MOVEMENT: return "movement";
    case VXE_RUN_RULE: return "rule";
    case VXE_RUN_FALL: return "fall";
    }
    return "unknown";
}
