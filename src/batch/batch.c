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

#define PIECE_SECONDS 0.02  /* between two looks at whether the batch was cancelled */
#define SHARED_SECONDS 0.25 /* likewise, of designs that are stepped together: each costs a launch */

struct vxe_batch {
    vxe_batch_def def;
    pthread_t *threads;
    int32_t thread_count;
    int32_t together;     /* designs that a worker has in hand at a time */
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

/* ---- one design ------------------------------------------------------------------------------------------- */

/* A design on its way. */
typedef struct flight {
    vxe_batch *batch;
    int64_t index;
    unsigned cancelled; /* what the batch's was at the start */
    double begun;       /* s, of the clock */
    vxe_design design;
    vxe_sim_def settings; /* the design's */
    vxe_stop stop;        /* likewise */
    vxe_stop goal;        /* the same, or sooner: when control is called next */
    int64_t calls;        /* of control, so far */
    vxe_sim *sim;
    double look_next; /* s of simulated time; infinity: never */
    bool over;
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
    f->over = f->end.result != VXE_OK;
}

/* Steps that may be done at once without passing the next look: half of what the time step promises, because
 * it may grow on the way; the last ones are done one by one. */
static int64_t steps_before_look(const flight *f, int64_t most)
{
    const double steps = 0.5 * (f->look_next - vxe_sim_time(f->sim)) / vxe_sim_time_step(f->sim).dt;
    if (!(steps > 1.0)) return 1;
    return steps < (double)most ? (int64_t)steps : most;
}

/* Calls control, and finds out until when to step. */
static void control(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    const double every = f->design.control_every;
    f->goal = f->stop;
    if (def->control == NULL || !(every > 0.0)) return;
    f->end.result = def->control(def->user, f->index, f->sim, &f->end.stopped, &f->error);
    f->over = f->end.stopped || f->end.result != VXE_OK;
    const double next = (double)++f->calls * every;
    const double last = f->stop.time > 0.0 ? fmax(f->stop.time, f->stop.after) : INFINITY;
    if (next < last * (1.0 - 1e-12)) f->goal.time = next;
}

/* Stepping has ended, for some reason. */
static void go_on(flight *f, vxe_run_reason reason)
{
    const bool at_control = reason == VXE_RUN_TIME && f->goal.time != f->stop.time;
    f->end.cancelled = (at_control || reason == VXE_RUN_STEPS) && is_cancelled(f);
    if (f->end.cancelled) {
        f->over = true;
    } else if (at_control) {
        control(f);
    } else if (reason == VXE_RUN_STEPS) {
        if (vxe_sim_time(f->sim) >= f->look_next) look(f);
    } else {
        f->end.reason = reason;
        f->over = true;
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
static bool take_off(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    f->begun = vxe_seconds(VXE_CLOCK_STEADY);
    f->settings = vxe_default_sim_def();
    f->design = (vxe_design){.settings = &f->settings, .stop = &f->stop};
    f->end.result = def->make(def->user, f->index, &f->design, &f->error);
    if (f->design.none && f->end.result == VXE_OK) return false;
    if (f->end.result == VXE_OK) f->end.result = prepare(f);
    f->over = f->end.result != VXE_OK;
    if (!f->over) look(f);
    if (!f->over) control(f);
    return true;
}

static void land(flight *f)
{
    const vxe_batch_def *def = &f->batch->def;
    if (f->end.reason == VXE_RUN_FAULT) {
        (void)vxe_fail(&f->error, VXE_ERROR_DIVERGED, "%s", vxe_sim_status(f->sim)->message);
    } else if (f->end.result == VXE_OK) {
        f->error.message[0] = '\0';
    }
    f->end.message = f->error.message;
    f->end.context = f->design.context;
    f->end.seconds = vxe_seconds(VXE_CLOCK_STEADY) - f->begun;
    if (def->ended != NULL) def->ended(def->user, f->index, f->sim, &f->end);
}

static void clear_away(flight *f)
{
    if (!f->end.keep) {
        vxe_sim_destroy(f->sim);
        if (!f->design.shared) vxe_model_destroy(f->design.model);
    }
    vxe_scene_destroy(f->design.scene);
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

/* The designs that a worker has in hand. */
typedef struct crew {
    vxe_batch *batch;
    flight *flights;
    int32_t *order; /* which they are: those in hand come first */
    vxe_batch_item *items;
    int32_t count;
    int64_t piece; /* steps from one look at who is over to the next */
} crew;

static flight *in_hand(const crew *c, int32_t i) { return &c->flights[c->order[i]]; }

/* With the lock: forgets the designs that nobody has taken. */
static void drop_rest(vxe_batch *batch) { batch->counts.added = batch->next; }

/* With the lock, but not while a design is made. False: there is none. */
static bool take_one(crew *c)
{
    vxe_batch *batch = c->batch;
    if (batch->closing || batch->next >= batch->counts.added) return false;
    flight *f = in_hand(c, c->count);
    memset(f, 0, sizeof *f);
    f->batch = batch;
    f->index = batch->next++;
    f->cancelled = atomic_load(&batch->cancelled);
    batch->counts.started++;
    (void)pthread_mutex_unlock(&batch->lock);
    const bool there = take_off(f);
    if (!there) clear_away(f);
    (void)pthread_mutex_lock(&batch->lock);
    if (there) {
        c->count++;
    } else {
        batch->counts.started--;
        drop_rest(batch);
        batch->counts.added--;
        batch->next--;
        (void)pthread_cond_broadcast(&batch->over);
    }
    return there;
}

/* Ends what is over; the others close up. */
static void land_some(crew *c)
{
    int32_t left = 0;
    for (int32_t i = 0; i < c->count; i++) {
        flight *f = in_hand(c, i);
        if (f->over) {
            land(f);
            const bool failed = f->end.result != VXE_OK || f->end.reason == VXE_RUN_FAULT;
            clear_away(f);
            (void)pthread_mutex_lock(&c->batch->lock);
            c->batch->counts.ended++;
            if (failed) c->batch->counts.failed++;
            (void)pthread_cond_broadcast(&c->batch->over);
            (void)pthread_mutex_unlock(&c->batch->lock);
            continue;
        }
        const int32_t which = c->order[i]; /* they stay where they are: parts of them are pointed to */
        c->order[i] = c->order[left];
        c->order[left++] = which;
    }
    c->count = left;
}

static bool goes_on(void *context, int64_t ended, int64_t count)
{
    const crew *c = context;
    (void)ended;
    (void)count;
    return !is_cancelled(in_hand(c, 0));
}

static void fly_on(crew *c)
{
    vxe_error error = {VXE_OK, ""};
    const double begun = vxe_seconds(VXE_CLOCK_STEADY);
    bool whole = true;
    for (int32_t i = 0; i < c->count; i++) {
        flight *f = in_hand(c, i);
        const int64_t steps = steps_before_look(f, c->piece);
        if (steps != c->piece) whole = false;
        c->items[i] = (vxe_batch_item){.sim = f->sim, .stop = &f->goal, .steps = steps};
    }
    const vxe_result result = vxe_batch_run(c->items, c->count, 1, c->count > 1 ? goes_on : NULL, c, &error);
    const double took = vxe_seconds(VXE_CLOCK_STEADY) - begun;
    const double wanted = c->batch->together > 1 ? SHARED_SECONDS : PIECE_SECONDS;
    if (took > 2.0 * wanted && c->piece > 1) {
        c->piece /= 2;
    } else if (took < 0.5 * wanted && whole && c->piece < INT64_C(1) << 40) {
        c->piece *= 2;
    }
    for (int32_t i = 0; i < c->count; i++) {
        flight *f = in_hand(c, i);
        if (result == VXE_OK) {
            go_on(f, c->items[i].done != 0 ? c->items[i].reason : VXE_RUN_STEPS);
        } else {
            f->end.result = result;
            f->error = error;
            f->over = true;
        }
    }
}

static bool make_crew(vxe_batch *batch, crew *c)
{
    const size_t room = (size_t)batch->together;
    *c = (crew){.batch = batch, .piece = 64};
    c->items = calloc(room, sizeof *c->items);
    c->order = calloc(room, sizeof *c->order);
    c->flights = calloc(room, sizeof *c->flights);
    for (int32_t i = 0; c->order != NULL && i < batch->together; i++) c->order[i] = i;
    return c->items != NULL && c->order != NULL && c->flights != NULL;
}

static void *work(void *context)
{
    vxe_batch *batch = context;
    crew c;
    const bool ok = make_crew(batch, &c);
    (void)pthread_mutex_lock(&batch->lock);
    while (ok && (!batch->closing || c.count > 0)) {
        /* A device lays out those that it steps together anew when others join: not for a few. */
        if (c.count <= batch->together - (batch->together + 3) / 4) {
            while (c.count < batch->together && take_one(&c)) {
            }
        }
        if (c.count == 0) {
            if (!batch->closing && batch->next >= batch->counts.added)
                (void)pthread_cond_wait(&batch->more, &batch->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&batch->lock);
        land_some(&c);
        if (c.count > 0) fly_on(&c);
        land_some(&c);
        (void)pthread_mutex_lock(&batch->lock);
    }
    (void)pthread_mutex_unlock(&batch->lock);
    free(c.flights);
    free(c.order);
    free(c.items);
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
    if (def->together < 0 || def->together > VXE_TOGETHER_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d designs together are not within 0 to %d",
                        (int)def->together, VXE_TOGETHER_MAX);
    }
    vxe_batch *b = calloc(1, sizeof *b);
    if (b == NULL) return vxe_fail_memory(error, "a batch", sizeof *b);
    b->def = *def;
    b->together = def->together > 0 ? def->together : 1;
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
