/* One step, and many: the stages in their order, the choice of the step's length, and when to stop. */
#include "sim/collide.h"
#include "sim/outside.h"
#include "sim/pressure.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double clock_seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin_clock(stage_clock *clock)
{
    if (clock == NULL) return;
    clock->next = 0;
    clock->begun = clock_seconds();
}

/* Books the time since the last stage ended. */
static void book_stage(stage_clock *clock, const char *name)
{
    const double now = clock_seconds();
    if (clock->next == STAGES_MAX) return;
    clock->name[clock->next] = name;
    clock->seconds[clock->next++] += now - clock->begun;
    clock->begun = now;
    if (clock->next > clock->count) clock->count = clock->next;
}

/* One stage: the call, and its time if somebody wants to know. */
#define STAGE(name, call)                                                                                    \
    do {                                                                                                     \
        call;                                                                                                \
        if (sim->clock != NULL) book_stage(sim->clock, name);                                                \
    } while (0)

/* What a thread does of a stage; the time lies in sim->kick_dt. */
static void part_strains(vxe_sim *sim, int part) { sim->backend->strains(sim, part); }
static void part_clear(vxe_sim *sim, int part) { sim->backend->clear(sim, part); }
static void part_cross(vxe_sim *sim, int part) { sim->backend->cross(sim, part); }
static void part_sweep(vxe_sim *sim, int part) { sim->backend->sweep(sim, sim->kick_dt, part); }
static void part_move_head(vxe_sim *sim, int part) { sim->backend->move_head(sim, sim->kick_dt, part); }
static void part_move(vxe_sim *sim, int part) { sim->backend->move(sim, sim->kick_dt, part); }

/* Pressure of `solid`, from the strains of links that have yielded where they must. */
static void find_pressure(vxe_sim *sim)
{
    vxe_yield_links(sim);
    if (sim->model->environment.elasticity == VXE_ELASTICITY_SOLID) {
        vxe_parts_run(sim, part_strains);
        vxe_pressure_update(sim);
    }
    vxe_book_yield(sim);
}

/* Links, floor, motion: everything that goes through the whole lattice. */
static void sweep_lattice(vxe_sim *sim, double dt)
{
    const size_t materials = (size_t)sim->model->constant_count + 1;
    const int32_t chunks = (sim->model->view.voxel_count + CHUNK - 1) / CHUNK;
    for (int32_t i = 0; i < chunks; i++) sim->measures[i] = (step_measures){.length_min = INFINITY};
    sim->rated = sim->step % RATES_EVERY == 0;
    for (int i = 0; i < sim->part_count; i++) memset(sim->parts[i].rates, 0, materials * sizeof(double));
    sim->kick_dt = dt;
    if (sim->part_count > 1) vxe_parts_run(sim, part_cross);
    vxe_parts_run(sim, part_sweep);
    if (sim->part_count > 1) vxe_parts_run(sim, part_move_head);
}

/* Where something comes between loads and motion: what the links take, what pushes voxels apart; then floor,
 * friction, new poses. */
static void damp_lattice(vxe_sim *sim, double dt)
{
    if (sim->implicit) vxe_damping_passes(sim, dt);
}
static void move_lattice(vxe_sim *sim)
{
    if (sim->split) vxe_parts_run(sim, part_move);
}

static double greater(double a, double b) { return a > b ? a : b; }

/* What the chunks measured, in their order. */
static void collect(vxe_sim *sim, double dt)
{
    step_measures *last = &sim->last;
    const int32_t chunks = (sim->model->view.voxel_count + CHUNK - 1) / CHUNK;
    last->length_min = INFINITY;
    for (int32_t i = 0; i < chunks; i++) {
        const step_measures *m = &sim->measures[i];
        last->length_min = m->length_min < last->length_min ? m->length_min : last->length_min;
        last->strain_max = greater(last->strain_max, m->strain_max);
        last->speed_max = greater(last->speed_max, m->speed_max);
        last->travel_max = greater(last->travel_max, m->travel_max);
        last->bad |= m->bad;
        last->failed |= m->failed;
        last->floor_contacts += m->floor_contacts;
        last->kinetic += m->kinetic;
        last->elastic += m->elastic;
        last->ahead += m->ahead;
        last->shift += m->shift;
        last->contact += m->contact;
        last->gravity += m->gravity;
        last->lost_work += m->lost_work;
        last->swelling += m->swelling;
    }
    /* they were collected as squares, and as a length */
    last->speed_max = sqrt(last->speed_max);
    last->travel_max = sim->sweep_dt * sqrt(last->travel_max);
    last->strain_max /= sim->model->view.pitch;
    for (int32_t i = 1; i <= sim->model->constant_count && sim->rated; i++) {
        sim->rates[1][i] = 0.0;
        for (int j = 0; j < sim->part_count; j++)
            sim->rates[1][i] = greater(sim->rates[1][i], sim->parts[j].rates[i]);
    }
    sim->backend->close(sim, dt);
}

/* Whether anything but links, weight and the floor can act on voxels. */
static bool is_loaded(const vxe_sim *sim)
{
    if (sim->outside[0] != NULL || sim->applied[0] != NULL || sim->pull_count > 0) return true;
    for (int32_t r = 0; r < sim->model->view.region_count; r++) {
        const sim_region *region = &sim->regions[r];
        for (int a = 0; a < 3; a++) {
            if (region->force[a] != 0.0 || region->torque[a] != 0.0) return true;
        }
    }
    return false;
}

/* The algorithm. Everything a stage needs was left by those above it. */
static void take_step(vxe_sim *sim, double step)
{
    const sim_backend *backend = sim->backend;
    vxe_state_give(sim, ~UINT64_C(0));
    const double dt = 0.5 * (sim->last_dt + step); /* see sim_backend */
    sim->sweep_dt = step;
    if (sim->collider != NULL) sim->collider->travel = sim->last.travel_max;
    memset(&sim->last, 0, sizeof sim->last);
    sim->last_time = sim->time;
    STAGE("signals", vxe_signals_update(sim)); /* sizes of actuated voxels */
    STAGE("pressure", find_pressure(sim));     /* yielding, pressure */
    STAGE("collide", vxe_collide(sim));        /* which voxels may touch */
    sim->split = sim->implicit || (sim->collider != NULL && sim->collider->touching_count > 0);
    sim->loaded = is_loaded(sim);
    STAGE("clear", vxe_parts_run(sim, part_clear)); /* loads of the step before */
    STAGE("outside", vxe_outside_forces(sim, dt));  /* fluid, force fields */
    STAGE("loads", backend->loads(sim, dt));        /* forces and torques of regions */
    STAGE("hold", backend->hold(sim, step));        /* velocities of held degrees of freedom */
    STAGE("sweep", sweep_lattice(sim, dt));         /* links, new velocities; floor, friction, new poses */
    STAGE("contacts", vxe_contacts_begin(sim, dt)); /* which pairs, and a guess of their forces */
    STAGE("damp", damp_lattice(sim, dt));           /* bond damping, where it is implicit; */
    STAGE("apart", vxe_contacts_solve(sim, dt));    /* pairs that touch push each other apart; */
    STAGE("move", move_lattice(sim));        /* after either, floor, friction and new poses come here */
    STAGE("collect", collect(sim, dt));      /* what was measured on the way */
    STAGE("account", vxe_account_step(sim)); /* energy */
    if (sim->collider != NULL) {
        sim->collider->closed += 2.0 * sim->last.travel_max;
        sim->collider->way += 2.0 * sim->last.travel_max;
    }
    sim->time += step;
    sim->last_dt = step;
    sim->step++;
    vxe_state_took(sim, ~UINT64_C(0));
    vxe_note_peaks(sim);
    STAGE("break", vxe_break_links(sim)); /* what failed in this step is gone in the next */
    vxe_outside_after(sim);               /* kinetic damping, what formulas speak of */
}

/* One step, at most `longest` seconds. False: it failed. `last`: the state may be looked at afterwards; only
 * then are the loads on voxels kept, which takes longer. */
static bool advance(vxe_sim *sim, double longest, bool last)
{
    if (sim->status.fault != VXE_FAULT_NONE) return false;
    bool ok = false;
    begin_clock(sim->clock);
    double dt = 0.0;
    STAGE("time step", dt = vxe_time_step_next(sim));
    sim->keep_loads = last || sim->def.audit || longest < 1.5 * dt;
    take_step(sim, dt < longest ? dt : longest);
    STAGE("diagnose", ok = vxe_diagnose_step(sim));
    return ok;
}

/* Brings the state where it can be looked at. */
static void show_state(vxe_sim *sim)
{
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC | STATE_SAVED));
    if (sim->status.fault == VXE_FAULT_NONE || sim->keep_loads) return;
    for (int i = 0; i < 3; i++) { /* nobody knew that this step would be the last */
        memset(sim->force[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
        memset(sim->moment[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
        if (sim->collider != NULL)
            memset(sim->contact_force[i], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
    }
}

vxe_result vxe_sim_step(vxe_sim *sim, int64_t steps)
{
    if (sim == NULL || steps < 0) return VXE_ERROR_ARGUMENT;
    bool ok = sim->status.fault == VXE_FAULT_NONE;
    for (int64_t i = 0; i < steps && ok; i++) ok = advance(sim, INFINITY, i + 1 == steps);
    show_state(sim);
    return ok ? VXE_OK : VXE_ERROR_DIVERGED;
}

/* Whether a run may end after the next step, beside by its time. */
static bool may_stop(const vxe_sim *sim, const vxe_stop *stop)
{
    if (stop->steps > 0 && sim->step + 1 >= stop->steps) return true;
    if (stop->formula && sim->model->formulas[VXE_FORMULA_STOP].count > 0) return true;
    return (sim->step + 1) % VXE_STOP_EVERY == 0 && (stop->kinetic_energy > 0.0 || stop->speed > 0.0 ||
                                                     stop->movement > 0.0 || stop->energy_change > 0.0);
}

vxe_run_reason vxe_sim_run(vxe_sim *sim, const vxe_stop *stop, int64_t steps)
{
    if (sim == NULL || stop == NULL) return VXE_RUN_FAULT;
    double end = stop->time > 0.0 ? fmax(stop->time, stop->after) : INFINITY;
    vxe_run_reason at_end = VXE_RUN_TIME;
    if (stop->cycles > 0.0 && sim->model->view.signal_count > 0 &&
        stop->cycles * sim->signals[0].period < end) {
        end = stop->cycles * sim->signals[0].period;
        at_end = VXE_RUN_CYCLES;
    }
    vxe_run_reason reason = VXE_RUN_STEPS;
    for (int64_t i = 0;; i++) {
        /* a remainder that is only round-off is not worth a step */
        if (sim->status.fault != VXE_FAULT_NONE) {
            reason = VXE_RUN_FAULT;
        } else if (sim->time >= end - 1e-9 * sim->time_step.dt) {
            reason = at_end;
        } else if (stop->steps > 0 && sim->step >= stop->steps && sim->step >= stop->after_steps) {
            reason = VXE_RUN_STOP_STEPS;
        } else if (i > 0 || sim->step == 0) { /* what an edit does shows after a step */
            reason = vxe_stop_reason(sim, stop);
        }
        if (reason != VXE_RUN_STEPS || i >= steps) break;
        (void)advance(sim, end - sim->time, i + 1 >= steps || may_stop(sim, stop));
    }
    show_state(sim);
    return reason;
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
    }
    return "unknown";
}
