/* Workers that take one design after the other: see voxelastic/batch.h. Uses the public interface only. */
#include "voxelastic/batch.h"

#include "base/base.h"
#include "base/pool.h"
#include "base/settings.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECE_SECONDS 0.02 /* between two looks at whether the batch was cancelled */

struct vxe_batch {
    vxe_batch_def def;
    pthread_t *threads;
    int32_t thread_count;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t more;  /* there are designs to take, or the end has come */
    pthread_cond_t over;  /* a design ended */
    vxe_batch_counts counts;
    int64_t next;          /* the design that is taken next */
    bool closing;          /* the workers are to end */
    atomic_uint cancelled; /* how often it was: a design ends when this is not what it was at its start */
};

static const vxe_batch_def defaults = {.size = sizeof(vxe_batch_def)};
static const settings_type batch_type = {"vxe_batch_def", sizeof(vxe_batch_def),
                                         SETTINGS_END(vxe_batch_def, ended), &defaults};

void vxe_batch_def_init(vxe_batch_def *def, size_t size) { vxe_settings_give(&batch_type, NULL, def, size); }

static double clock_seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- one design ------------------------------------------------------------------------------------------- */

/* A design on its way. */
typedef struct flight {
    vxe_batch *batch;
    int64_t index;
    unsigned cancelled; /* what the batch's was at the start */
    vxe_design design;
    vxe_sim_def settings; /* the design's */
    vxe_stop stop;        /* likewise */
    vxe_sim *sim;
    double look_next; /* s of simulated time; infinity: never */
    vxe_batch_end end;
    vxe_error error;
} flight;

static bool is_cancelled(const flight *f) { return atomic_load(&f->batch->cancelled) != f->cancelled; }

/* Lets somebody look. */
static void look(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    f->look_next = INFINITY;
    if (def->look != NULL)
        f->end.result = def->look(def->user, f->index, f->sim, f->design.context, &f->look_next, &f->error);
}

/* Steps that may be done at once without passing the next look: half of what the time step promises, because
 * it may grow on the way; the last ones are done one by one. */
static int64_t steps_before_look(const flight *f, int64_t most)
{
    const double steps = 0.5 * (f->look_next - vxe_sim_time(f->sim)) / vxe_sim_time_step(f->sim).dt;
    if (!(steps > 1.0)) return 1;
    return steps < (double)most ? (int64_t)steps : most;
}

/* Steps until `time`, or the end, or cancelled, or refused by `look`. */
static vxe_run_reason run_until(flight *f, double time, int64_t *piece)
{
    vxe_stop stop = f->stop;
    if (isfinite(time)) stop.time = time;
    vxe_run_reason reason = VXE_RUN_STEPS;
    while (reason == VXE_RUN_STEPS && f->end.result == VXE_OK && !is_cancelled(f)) {
        const int64_t steps = steps_before_look(f, *piece);
        const double begun = clock_seconds();
        reason = vxe_sim_run(f->sim, &stop, steps);
        const double took = clock_seconds() - begun;
        if (took > 2.0 * PIECE_SECONDS && *piece > 1) {
            *piece /= 2;
        } else if (took < 0.5 * PIECE_SECONDS && steps == *piece && *piece < INT64_C(1) << 40) {
            *piece *= 2;
        }
        if (reason == VXE_RUN_STEPS && vxe_sim_time(f->sim) >= f->look_next) look(f);
    }
    return reason;
}

/* From one call of control to the next. */
static void run_controlled(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    const double every = f->design.control_every;
    const bool controlled = def->control != NULL && every > 0.0;
    const vxe_stop *stop = &f->stop;
    const double last = stop->time > 0.0 ? fmax(stop->time, stop->after) : INFINITY;
    int64_t piece = 64;
    for (int64_t call = 1; f->end.reason == VXE_RUN_STEPS; call++) {
        if (controlled) f->end.result = def->control(def->user, f->index, f->sim, &f->end.stopped, &f->error);
        if (f->end.stopped || f->end.result != VXE_OK) return;
        const double time = controlled ? (double)call * every : INFINITY;
        const bool between = time < last * (1.0 - 1e-12);
        f->end.reason = run_until(f, between ? time : INFINITY, &piece);
        if (f->end.result != VXE_OK) return;
        if (between && f->end.reason == VXE_RUN_TIME) f->end.reason = VXE_RUN_STEPS; /* not its own time */
        f->end.cancelled = f->end.reason == VXE_RUN_STEPS && is_cancelled(f);
        if (f->end.cancelled) return;
    }
}

static vxe_result prepare(flight *f)
{
    vxe_design *d = &f->design;
    if (d->scene == NULL && d->model == NULL)
        return vxe_fail(&f->error, VXE_ERROR_ARGUMENT, "a design has neither a scene nor a model");
    if (d->settings != &f->settings || d->stop != &f->stop)
        return vxe_fail(&f->error, VXE_ERROR_ARGUMENT,
                        "`settings` and `stop` of a design are to be filled in, not replaced");
    vxe_result result = VXE_OK;
    if (d->scene != NULL && d->model == NULL) {
        d->shared = false;
        result = vxe_compile(d->scene, &d->model, &f->error);
    }
    if (f->settings.threads == 0) f->settings.threads = 1;
    if (result == VXE_OK) result = vxe_sim_create(d->model, &f->settings, &f->sim, &f->error);
    return result;
}

/* False: there is no such design. */
static bool fly(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    const double begun = clock_seconds();
    f->settings = vxe_default_sim_def();
    f->stop = (vxe_stop){0};
    f->design = (vxe_design){.settings = &f->settings, .stop = &f->stop};
    f->end.result = def->make(def->user, f->index, &f->design, &f->error);
    const bool none = f->design.none && f->end.result == VXE_OK;
    if (!none) {
        if (f->end.result == VXE_OK) f->end.result = prepare(f);
        if (f->end.result == VXE_OK) look(f);
        if (f->end.result == VXE_OK) run_controlled(f);
        if (f->end.reason == VXE_RUN_FAULT) {
            (void)vxe_fail(&f->error, VXE_ERROR_DIVERGED, "%s", vxe_sim_status(f->sim)->message);
        } else if (f->end.result == VXE_OK) {
            f->error.message[0] = '\0';
        }
        f->end.message = f->error.message;
        f->end.context = f->design.context;
        f->end.seconds = clock_seconds() - begun;
        if (def->ended != NULL) def->ended(def->user, f->index, f->sim, &f->end);
    }
    if (!f->end.keep) {
        vxe_sim_destroy(f->sim);
        if (!f->design.shared) vxe_model_destroy(f->design.model);
    }
    vxe_scene_destroy(f->design.scene);
    return !none;
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

/* With the lock: forgets the designs that nobody has taken. */
static void drop_rest(vxe_batch *batch) { batch->counts.added = batch->next; }

static void *work(void *context)
{
    vxe_batch *batch = context;
    flight *f = malloc(sizeof *f); /* its messages are too large for the stacks of some machines */
    (void)pthread_mutex_lock(&batch->lock);
    while (!batch->closing && f != NULL) {
        if (batch->next >= batch->counts.added) {
            (void)pthread_cond_wait(&batch->more, &batch->lock);
            continue;
        }
        memset(f, 0, sizeof *f);
        f->batch = batch;
        f->index = batch->next++;
        f->cancelled = atomic_load(&batch->cancelled);
        batch->counts.started++;
        (void)pthread_mutex_unlock(&batch->lock);
        const bool was = fly(f);
        (void)pthread_mutex_lock(&batch->lock);
        if (was) {
            batch->counts.ended++;
            if (f->end.result != VXE_OK || f->end.reason == VXE_RUN_FAULT) batch->counts.failed++;
        } else {
            batch->counts.started--;
            drop_rest(batch);
            batch->counts.added--;
            batch->next--;
        }
        (void)pthread_cond_broadcast(&batch->over);
    }
    (void)pthread_mutex_unlock(&batch->lock);
    free(f);
    return NULL;
}

vxe_result vxe_batch_create(const vxe_batch_def *def, vxe_batch **batch, vxe_error *error)
{
    if (def == NULL || batch == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_batch_create: NULL");
    vxe_batch_def own;
    const vxe_result taken = vxe_settings_take(&batch_type, def, &own, error);
    if (taken != VXE_OK) return taken;
    def = &own;
    if (def->make == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_batch_create: `make` must be set");
    if (def->threads < 0 || def->threads > VXE_THREADS_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d threads are not within 0 to %d", (int)def->threads,
                        VXE_THREADS_MAX);
    }
    vxe_batch *b = calloc(1, sizeof *b);
    if (b == NULL) return vxe_fail_memory(error, "a batch", sizeof *b);
    b->def = *def;
    const int32_t wanted = def->threads > 0 ? def->threads : vxe_processors();
    b->threads = calloc((size_t)wanted, sizeof *b->threads);
    if (b->threads == NULL) {
        free(b);
        return vxe_fail_memory(error, "a batch", (size_t)wanted * sizeof(pthread_t));
    }
    pthread_condattr_t monotonic; /* waiting must not end early because somebody sets the clock */
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->more, NULL);
    (void)pthread_cond_init(&b->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    while (b->thread_count < wanted) {
        if (pthread_create(&b->threads[b->thread_count], NULL, work, b) != 0) {
            vxe_batch_destroy(b);
            return vxe_fail(error, VXE_ERROR_MEMORY, "%d threads cannot be started", (int)wanted);
        }
        b->thread_count++;
    }
    *batch = b;
    return VXE_OK;
}

void vxe_batch_destroy(vxe_batch *batch)
{
    if (batch == NULL) return;
    vxe_batch_cancel(batch);
    (void)pthread_mutex_lock(&batch->lock);
    batch->closing = true;
    (void)pthread_cond_broadcast(&batch->more);
    (void)pthread_mutex_unlock(&batch->lock);
    for (int32_t i = 0; i < batch->thread_count; i++) (void)pthread_join(batch->threads[i], NULL);
    (void)pthread_cond_destroy(&batch->more);
    (void)pthread_cond_destroy(&batch->over);
    (void)pthread_mutex_destroy(&batch->lock);
    free(batch->threads);
    free(batch);
}

vxe_result vxe_batch_add(vxe_batch *batch, int64_t count, vxe_error *error)
{
    if (batch == NULL || count < 0)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_batch_add: no batch or a negative number");
    (void)pthread_mutex_lock(&batch->lock);
    batch->counts.added = count < INT64_MAX - batch->counts.added ? batch->counts.added + count : INT64_MAX;
    (void)pthread_cond_broadcast(&batch->more);
    (void)pthread_mutex_unlock(&batch->lock);
    return VXE_OK;
}

bool vxe_batch_wait(vxe_batch *batch, double seconds)
{
    if (batch == NULL) return true;
    struct timespec until = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    const bool limited = seconds >= 0.0 && seconds < 1e9;
    if (limited) {
        const double whole = floor(seconds);
        until.tv_sec += (time_t)whole;
        until.tv_nsec += (long)(1e9 * (seconds - whole));
        if (until.tv_nsec >= 1000000000L) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000L;
        }
    }
    (void)pthread_mutex_lock(&batch->lock);
    bool late = false;
    while (batch->counts.ended < batch->counts.added && !late) {
        if (limited) {
            late = pthread_cond_timedwait(&batch->over, &batch->lock, &until) != 0;
        } else {
            (void)pthread_cond_wait(&batch->over, &batch->lock);
        }
    }
    const bool over = batch->counts.ended >= batch->counts.added;
    (void)pthread_mutex_unlock(&batch->lock);
    return over;
}

void vxe_batch_cancel(vxe_batch *batch)
{
    if (batch == NULL) return;
    (void)pthread_mutex_lock(&batch->lock);
    drop_rest(batch);
    atomic_fetch_add(&batch->cancelled, 1U);
    (void)pthread_cond_broadcast(&batch->over);
    (void)pthread_mutex_unlock(&batch->lock);
}

vxe_batch_counts vxe_batch_count(vxe_batch *batch)
{
    if (batch == NULL) return (vxe_batch_counts){0};
    (void)pthread_mutex_lock(&batch->lock);
    const vxe_batch_counts counts = batch->counts;
    (void)pthread_mutex_unlock(&batch->lock);
    return counts;
}

int32_t vxe_batch_threads(const vxe_batch *batch) { return batch != NULL ? batch->thread_count : 0; }
