/* The scheduler of a run: see voxelastic/run.h. */
#include "voxelastic/run.h"
#include "base/base.h"
#include "scene/scene.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

#define SLACK 1e-9 /* of an interval: 3 * 0.1 counts as 0.3 */

typedef struct run_task {
    double next;  /* s */
    double every; /* s; 0: it sets itself */
    vxe_run_act *act;
    void *user;
} run_task;

struct vxe_run {
    vxe_sim *sim;
    vxe_stop stop;
    run_task *tasks;
    int32_t task_count;
    double piece_seconds;
    int64_t piece; /* steps: doubled and halved so that a piece takes about so long */
    bool (*cancel)(void *user);
    void *cancel_user;
    vxe_result (*progress)(void *user, vxe_sim *sim, vxe_error *error);
    void *progress_user;
};

double vxe_run_next(double time, double every)
{
    return every > 0.0 ? every * (floor(time / every + SLACK) + 1.0) : INFINITY;
}

double vxe_run_length(const vxe_sim *sim, const vxe_stop *stop, double period)
{
    double length = INFINITY;
    vxe_stop own;
    if (sim == NULL || stop == NULL || vxe_settings_take(&vxe_stop_type, stop, &own, NULL) != VXE_OK)
        return length;
    stop = &own;
    if (stop->time > 0.0) length = stop->time;
    if (stop->steps > 0) length = fmin(length, (double)stop->steps * vxe_sim_time_step(sim).dt);
    if (stop->cycles > 0.0 && period > 0.0) length = fmin(length, stop->cycles * period);
    return length;
}

vxe_result vxe_run_create(vxe_sim *sim, const vxe_stop *stop, vxe_run **run, vxe_error *error)
{
    if (sim == NULL || run == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_run_create: NULL");
    vxe_stop own = {0};
    if (stop != NULL) {
        const vxe_result result = vxe_settings_take(&vxe_stop_type, stop, &own, error);
        if (result != VXE_OK) return result;
    }
    vxe_run *made = vxe_allocate(1, sizeof *made);
    if (made == NULL) return vxe_fail_memory(error, "a run", sizeof *made);
    made->sim = sim;
    made->piece_seconds = 0.05;
    made->piece = 1;
    made->stop = own;
    *run = made;
    return VXE_OK;
}

void vxe_run_destroy(vxe_run *run)
{
    if (run == NULL) return;
    free(run->tasks);
    free(run);
}

void vxe_run_set_stop(vxe_run *run, const vxe_stop *stop)
{
    vxe_stop own = {0};
    if (run == NULL || (stop != NULL && vxe_settings_take(&vxe_stop_type, stop, &own, NULL) != VXE_OK))
        return;
    run->stop = own;
}

vxe_result vxe_run_add(vxe_run *run, double first, double every, vxe_run_act *act, void *user, int32_t *task,
                       vxe_error *error)
{
    if (run == NULL || act == NULL || !(every >= 0.0))
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_run_add: a run, something to do and an interval, 0 or more");
    run_task *tasks = realloc(run->tasks, ((size_t)run->task_count + 1) * sizeof *tasks);
    if (tasks == NULL) return vxe_fail_memory(error, "a run", sizeof *tasks);
    run->tasks = tasks;
    tasks[run->task_count] = (run_task){first, every, act, user};
    if (task != NULL) *task = run->task_count;
    run->task_count++;
    return VXE_OK;
}

void vxe_run_move(vxe_run *run, int32_t task, double next, double every)
{
    if (run == NULL || task < 0 || task >= run->task_count) return;
    run->tasks[task].next = next;
    run->tasks[task].every = every;
}

void vxe_run_set_cancel(vxe_run *run, bool (*cancel)(void *user), void *user)
{
    if (run == NULL) return;
    run->cancel = cancel;
    run->cancel_user = user;
}

void vxe_run_set_progress(vxe_run *run, vxe_result (*progress)(void *user, vxe_sim *sim, vxe_error *error),
                          void *user)
{
    if (run == NULL) return;
    run->progress = progress;
    run->progress_user = user;
}

void vxe_run_set_piece(vxe_run *run, double seconds)
{
    if (run != NULL) run->piece_seconds = seconds;
}

/* When the first of the tasks is due, s. */
static double time_due(const vxe_run *run)
{
    double due = INFINITY;
    for (int32_t i = 0; i < run->task_count; i++)
        due = fmin(due, run->tasks[i].next - SLACK * run->tasks[i].every);
    return due;
}

/* Does what is due. */
static vxe_result do_tasks(vxe_run *run, vxe_error *error)
{
    const double time = vxe_sim_time(run->sim);
    for (int32_t i = 0; i < run->task_count; i++) {
        const run_task due = run->tasks[i];
        if (time < due.next - SLACK * due.every) continue;
        double next = vxe_run_next(time, due.every);
        const vxe_result result = due.act(due.user, run->sim, &next, error);
        if (result != VXE_OK) return result;
        run->tasks[i].next = next;
    }
    return VXE_OK;
}

vxe_result vxe_run_piece(vxe_run *run, int64_t steps, vxe_run_outcome *outcome, vxe_error *error)
{
    if (run == NULL || outcome == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_run_piece: NULL");
    const int64_t most = steps < run->piece ? steps : run->piece;
    const int64_t before = run->sim->step;
    const double begun = vxe_seconds(VXE_CLOCK_STEADY);
    *outcome = (vxe_run_outcome){vxe_sim_run_to(run->sim, &run->stop, most, time_due(run)), false};
    const double took = vxe_seconds(VXE_CLOCK_STEADY) - begun;
    if (took > 1.6 * run->piece_seconds && run->piece > 1) {
        run->piece /= 2;
    } else if (took < 0.6 * run->piece_seconds && run->sim->step - before == run->piece &&
               run->piece < INT64_C(1) << 40) {
        run->piece *= 2;
    }
    if (outcome->reason != VXE_RUN_STEPS) return VXE_OK;
    const vxe_result result = do_tasks(run, error);
    if (result != VXE_OK || run->progress == NULL) return result;
    return run->progress(run->progress_user, run->sim, error);
}

vxe_result vxe_run_go(vxe_run *run, vxe_run_outcome *outcome, vxe_error *error)
{
    if (run == NULL || outcome == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_run_go: NULL");
    *outcome = (vxe_run_outcome){VXE_RUN_STEPS, false};
    vxe_result result = VXE_OK;
    while (result == VXE_OK && outcome->reason == VXE_RUN_STEPS && !outcome->cancelled) {
        if (run->cancel != NULL && run->cancel(run->cancel_user)) {
            outcome->cancelled = true;
        } else {
            result = vxe_run_piece(run, INT64_MAX, outcome, error);
        }
    }
    return result;
}
