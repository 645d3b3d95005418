/* One step, and many: the stages in their order, the choice of the step's length, and when to stop. */
#include "sim/collide.h"
#include "sim/outside.h"

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

/* The algorithm. Everything a stage needs was left by those above it. */
static void take_step(vxe_sim *sim, double dt)
{
    const sim_backend *backend = sim->backend;
    memset(&sim->last, 0, sizeof sim->last);
    sim->last_time = sim->time;
    STAGE("signals", vxe_signals_update(sim));       /* sizes of actuated voxels */
    STAGE("hold", backend->hold(sim, dt));           /* velocities of held degrees of freedom */
    STAGE("strains", backend->strains(sim));         /* yielding, pressure */
    STAGE("links", backend->links(sim));             /* forces and moments of links */
    STAGE("collide", vxe_collide(sim));              /* which voxels can touch */
    STAGE("contacts", backend->contacts(sim, dt));   /* forces and moments where they do */
    STAGE("outside", vxe_outside_forces(sim, dt));   /* fluid, force fields */
    STAGE("loads", backend->loads(sim, dt));         /* forces and torques of regions */
    STAGE("integrate", backend->integrate(sim, dt)); /* floor, friction, new velocities, new poses */
    STAGE("account", vxe_account_step(sim));         /* energy */
    if (sim->collider != NULL) sim->collider->travelled += sim->last.travel_max;
    sim->time += dt;
    sim->step++;
    STAGE("break", vxe_break_links(sim)); /* what failed in this step is gone in the next */
    vxe_outside_after(sim);               /* kinetic damping, what formulas speak of */
}

/* One step, at most `longest` seconds. False: it failed. */
static bool advance(vxe_sim *sim, double longest)
{
    if (sim->status.fault != VXE_FAULT_NONE) return false;
    bool ok = false;
    begin_clock(sim->clock);
    STAGE("time step", if (vxe_time_step_stale(sim)) vxe_time_step_update(sim));
    take_step(sim, sim->time_step.dt < longest ? sim->time_step.dt : longest);
    STAGE("diagnose", ok = vxe_diagnose_step(sim));
    return ok;
}

vxe_result vxe_sim_step(vxe_sim *sim, int64_t steps)
{
    if (sim == NULL || steps < 0) return VXE_ERROR_ARGUMENT;
    bool ok = sim->status.fault == VXE_FAULT_NONE;
    for (int64_t i = 0; i < steps && ok; i++) ok = advance(sim, INFINITY);
    sim->backend->download(sim);
    return ok ? VXE_OK : VXE_ERROR_DIVERGED;
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
        } else {
            reason = vxe_stop_reason(sim, stop);
        }
        if (reason != VXE_RUN_STEPS || i >= steps) break;
        (void)advance(sim, end - sim->time);
    }
    sim->backend->download(sim);
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
