/* Playing a simulation; see player.h. */
#include "studio/player.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define SLICE 0.0025         /* s: what a slice should take, about */
#define SLICE_STEPS 4.0      /* but so many steps, since the last of them costs more: it can be looked at */
#define SLICE_MOST 0.03      /* s: and never so long that the page has to wait */
#define FRAME_INTERVAL 0.015 /* s between frames at least: 60 a second */
#define FRAME_SHARE 4.0      /* making frames may take one part in so many of the time */
#define STATUS_INTERVAL 0.1
#define STATUS_SHARE 20.0 /* telling may take one part in so many of the time, and so may probes */
#define TRACE_INTERVAL 0.1
#define RATE_INTERVAL 0.5
#define LOOK_INTERVAL 0.002 /* s of simulated time between looks at what is largest, at least */
#define LOOK_STEPS 10.0     /* and steps */
#define LOOK_SHARE 100.0    /* looks may take one part in so many of the time */
#define LAG_MAX 0.25        /* s: what real time may fall behind before it is given up */
enum { LARGE = 20000 };     /* voxels: of so many, the body is shown before its recording begins */

double studio_clock(void) { return vxe_seconds(VXE_CLOCK_STEADY); }

/* ---- slices ------------------------------------------------------------------------------------------------------- */

/* Counts time and steps from now on. */
static void start_clock(player *p)
{
    const double now = studio_clock();
    p->base_time = vxe_sim_time(p->sim);
    p->base_wall = now;
    p->rate = (play_rate){.since = now, .time = p->base_time, .step = vxe_sim_state(p->sim)->step};
}

static void measure_rate(player *p, double now)
{
    const double passed = now - p->rate.since;
    if (passed < RATE_INTERVAL) return;
    const double time = vxe_sim_time(p->sim);
    const int64_t step = vxe_sim_state(p->sim)->step;
    p->rate.real_time = (time - p->rate.time) / passed;
    p->rate.steps = (double)(step - p->rate.step) / passed;
    p->rate.since = now;
    p->rate.time = time;
    p->rate.step = step;
}

/* The steps of this slice; 0: real time is not there yet, come back after *rest seconds. */
static int64_t plan_slice(player *p, double now, double *rest)
{
    const double dt = vxe_sim_time_step(p->sim).dt;
    const double time = vxe_sim_time(p->sim);
    int64_t steps = INT64_MAX;
    if (p->steps_left > 0) {
        steps = p->steps_left;
    } else if (p->real_time) {
        double target = p->base_time + p->factor * (now - p->base_wall);
        if (target - time > LAG_MAX * p->factor + dt) { /* too slow: do not run after it */
            p->base_time = time;
            p->base_wall = now - 0.5 * LAG_MAX;
            target = time + 0.5 * LAG_MAX * p->factor;
        }
        const double due = (target - time) / dt;
        if (due < 1.0) {
            *rest = fmin((1.0 - due) * dt / p->factor, 0.05);
            return 0;
        }
        if (due < 1e15) steps = (int64_t)due;
    }
    return steps;
}

static vxe_result record_row(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    player *p = user;
    (void)error;
    traced_record(&p->traced, sim);
    *next = p->traced.next;
    return VXE_OK;
}

static vxe_result take_picture(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    player *p = user;
    (void)error;
    recording_take(p->recording, sim, p->scene, studio_clock());
    *next = recording_next(p->recording);
    return VXE_OK;
}

/* Looks at what is largest, and puts the next look off until this one has paid: all links are measured for
 * it, which takes as long as some steps. */
static void look_now(player *p)
{
    play_looks *l = &p->looks;
    const double begun = studio_clock();
    const double time = vxe_sim_time(p->sim);
    const double pace = begun > l->wall ? fmax(0.0, time - l->time) / (begun - l->wall) : 0.0;
    vxe_figures_look(p->figures, p->sim);
    l->time = time;
    l->wall = studio_clock();
    l->next = fmax(vxe_figures_next(p->figures), time + LOOK_SHARE * (l->wall - begun) * pace);
}

static vxe_result look(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    player *p = user;
    (void)sim;
    (void)error;
    look_now(p);
    *next = p->looks.next;
    return VXE_OK;
}

static vxe_run_reason do_steps(player *p, double begun, int64_t steps)
{
    const vxe_stop stop = vxe_model_stop(p->model);
    vxe_run_outcome outcome = {VXE_RUN_STEPS, false};
    vxe_run_set_stop(p->run, p->unstoppable ? NULL : &stop);
    vxe_run_move(p->run, 0, p->traced.trace != NULL ? p->traced.next : INFINITY, p->traced.interval);
    vxe_run_move(p->run, 1, recording_next(p->recording), 0.0);
    vxe_run_move(p->run, 2, p->looks.next, 0.0);
    if (p->pull.voxel < 0) {
        (void)vxe_run_piece(p->run, steps, &outcome, NULL);
        return outcome.reason;
    }
    for (int64_t i = 0; i < steps && outcome.reason == VXE_RUN_STEPS; i++) {
        if (i > 0 && studio_clock() - begun > SLICE) break;
        live_pull_step(p);
        (void)vxe_run_piece(p->run, 1, &outcome, NULL);
    }
    return outcome.reason;
}

/* Takes the first picture of a run and its first figures. */
static void record_start(player *p)
{
    const double every = fmax(LOOK_INTERVAL, LOOK_STEPS * vxe_sim_time_step(p->sim).dt);
    p->recording = recording_create(p->runs, p->sim, p->scene);
    (void)vxe_figures_create(p->sim, every, &p->figures, NULL);
    p->looks = (play_looks){vxe_figures_next(p->figures), vxe_sim_time(p->sim), studio_clock()};
    p->unrecorded = false;
    p->status_changed = true;
}

/* Does some steps; gives how long nothing is to be done, s. */
static double play_slice(player *p)
{
    const double begun = studio_clock();
    double rest = 0.0;
    const int64_t steps = plan_slice(p, begun, &rest);
    if (steps == 0) return rest;
    if (p->unrecorded) record_start(p);
    const int64_t before = vxe_sim_state(p->sim)->step;
    /* of this thread: others that have the processor do not make slices longer */
    const double computed = vxe_seconds(VXE_CLOCK_THREAD);
    const vxe_run_reason reason = do_steps(p, begun, steps);
    const int64_t done = vxe_sim_state(p->sim)->step - before;
    p->change++;
    if (done > 0) {
        const double step = (vxe_seconds(VXE_CLOCK_THREAD) - computed) / (double)done;
        vxe_run_set_piece(p->run, fmin(SLICE_MOST, fmax(SLICE, SLICE_STEPS * step)));
    }
    recording_watch(p->recording, p->sim);
    if (reason != VXE_RUN_STEPS) look_now(p);
    if (reason != VXE_RUN_STEPS) traced_record(&p->traced, p->sim);
    if (p->steps_left > 0) {
        p->steps_left -= done < p->steps_left ? done : p->steps_left;
        if (p->steps_left == 0) {
            look_now(p);
            recording_keep(p->recording, p->sim, p->scene);
            p->state = PLAY_PAUSED;
            p->status_changed = true;
        }
    }
    if (reason == VXE_RUN_FAULT) {
        p->state = PLAY_FAILED;
    } else if (reason != VXE_RUN_STEPS) {
        p->state = PLAY_STOPPED;
        p->reason = reason;
    }
    if (reason != VXE_RUN_STEPS) {
        p->steps_left = 0;
        p->status_changed = true;
        recording_keep(p->recording, p->sim, p->scene);
        if (reason == VXE_RUN_FAULT)
            recording_mark(p->recording, vxe_sim_time(p->sim), "failure",
                           vxe_fault_name(vxe_sim_status(p->sim)->fault));
    }
    return 0.0;
}

/* ---- what the page gets ------------------------------------------------------------------------------------------- */

void player_publish(player *p)
{
    if (!outbox_open(p->out)) return;
    const double now = studio_clock();
    const bool pausing = p->state != PLAY_RUNNING;
    if (p->sim == NULL) {
        if (p->status_changed) outbox_post(p->out, message_text(MESSAGE_STATUS, status_json(p)), 0);
        p->status_changed = false;
        return;
    }
    measure_rate(p, now);
    failure ignored = {NULL, ""};
    /* Meshes do not pile up in front of a page that does not read. */
    const bool torn = vxe_surface_changes(p->sim) != p->changes && now >= p->frame_due &&
                      !outbox_busy(p->out, MESSAGE_MESH);
    if (p->surface == NULL || torn) {
        if (!picture_surface(p, &ignored)) return;
        outbox_post(p->out, picture_mesh(p), 0);
        p->shown = -1;
    }
    if (p->wanted && p->shown != p->change && (pausing || now >= p->frame_due)) {
        outbox_post(p->out, picture_frame(p), 0);
        const double took = studio_clock() - now;
        p->wanted = false;
        p->shown = p->change;
        p->frame_due = now + fmax(FRAME_INTERVAL, FRAME_SHARE * took);
    }
    const bool told = p->status_changed || (!pausing && now >= p->status_due);
    if (told) {
        outbox_post(p->out, message_text(MESSAGE_STATUS, status_json(p)), 0);
        p->status_changed = false;
        p->status_due = now + fmax(STATUS_INTERVAL, STATUS_SHARE * (studio_clock() - now));
    }
    if (told && json_array_size(p->probes) > 0 && (pausing || now >= p->probes_due)) {
        const double begun = studio_clock();
        outbox_post(p->out, message_text(MESSAGE_PROBES, probes_json(p)), 0);
        p->probes_due = now + STATUS_SHARE * (studio_clock() - begun);
    }
    if (pausing || (now >= p->trace_due && !outbox_busy(p->out, MESSAGE_TRACE))) {
        outbox_post(p->out, traced_message(&p->traced, p->serial), 0);
        p->trace_due = now + TRACE_INTERVAL;
    }
}

void player_greet(player *p)
{
    vxe_surface_destroy(p->surface);
    p->surface = NULL;
    p->shown = -1;
    p->wanted = false;
    p->asked = false;
    p->frame_due = 0.0;
    traced_resend(&p->traced);
}

/* ---- the thread --------------------------------------------------------------------------------------------------- */

static void wait_until(player *p, double seconds)
{
    struct timespec when = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &when);
    const int64_t nanoseconds = when.tv_nsec + (int64_t)(1e9 * seconds);
    when.tv_sec += (time_t)(nanoseconds / 1000000000);
    when.tv_nsec = (long)(nanoseconds % 1000000000);
    (void)pthread_cond_timedwait(&p->work, &p->mutex, &when);
}

/* Takes over what was asked for while the player was busy. */
static void take_asked(player *p)
{
    p->wanted = p->wanted || p->asked;
    p->asked = false;
}

/* A large body is seen before its recording begins, which takes a while. */
static bool may_record(const player *p) { return p->unrecorded && p->sim != NULL && p->shown == p->change; }

static void *play(void *argument)
{
    player *p = argument;
    (void)pthread_mutex_lock(&p->mutex);
    while (!p->quit) {
        const bool running = p->state == PLAY_RUNNING;
        if (p->waiting > 0 || (!running && !may_record(p))) {
            (void)pthread_cond_wait(&p->work, &p->mutex);
            continue;
        }
        p->busy = true;
        (void)pthread_mutex_unlock(&p->mutex);
        if (!running) record_start(p);
        const double rest = running ? play_slice(p) : 0.0;
        (void)pthread_mutex_lock(&p->mutex);
        do {
            take_asked(p);
            (void)pthread_mutex_unlock(&p->mutex);
            player_publish(p);
            (void)pthread_mutex_lock(&p->mutex);
        } while (p->asked && p->state != PLAY_RUNNING); /* no slice comes after this one */
        p->busy = false;
        (void)pthread_cond_broadcast(&p->idle);
        if (rest > 0.0 && p->waiting == 0 && !p->quit) wait_until(p, rest);
    }
    (void)pthread_mutex_unlock(&p->mutex);
    return NULL;
}

void player_enter(player *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->waiting++;
    while (p->busy) (void)pthread_cond_wait(&p->idle, &p->mutex);
    p->waiting--;
    take_asked(p);
}

bool player_ask(player *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    const bool later = p->busy;
    p->asked = p->asked || later;
    (void)pthread_mutex_unlock(&p->mutex);
    return later;
}

void player_leave(player *p)
{
    (void)pthread_cond_broadcast(&p->work);
    (void)pthread_mutex_unlock(&p->mutex);
}

bool player_start(player *p, outbox *out, failure *f)
{
    memset(p, 0, sizeof *p);
    p->out = out;
    p->real_time = true;
    p->factor = 1.0;
    p->pull.voxel = -1;
    p->probes = json_array();
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&p->mutex, NULL);
    (void)pthread_cond_init(&p->work, &attributes);
    (void)pthread_cond_init(&p->idle, NULL);
    (void)pthread_condattr_destroy(&attributes);
    const int problem = pthread_create(&p->thread, NULL, play, p);
    p->started = problem == 0;
    return p->started || fail(f, "memory", "no thread for the simulation: %s", strerror(problem));
}

void player_end(player *p)
{
    if (p->started) {
        player_enter(p);
        p->quit = true;
        player_leave(p);
        (void)pthread_join(p->thread, NULL);
    }
    player_unload(p);
    json_decref(p->probes);
    traced_destroy(&p->traced);
    (void)pthread_cond_destroy(&p->idle);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_mutex_destroy(&p->mutex);
}

/* ---- control ------------------------------------------------------------------------------------------------------ */

/* The run that ends becomes the last one, unless there is nothing to see of it. */
static void start_recording(player *p)
{
    if (recording_frames(p->recording) > 1) {
        recording_destroy(p->last);
        p->last = p->recording;
    } else {
        recording_destroy(p->recording);
    }
    vxe_figures_destroy(p->figures);
    p->figures = NULL;
    p->recording = NULL;
    p->runs++;
    p->unrecorded = p->sim != NULL;
    if (p->sim != NULL && vxe_model_get(p->model)->voxel_count < LARGE) record_start(p);
}

recording *player_recording(player *p, int64_t run)
{
    if (p->recording != NULL && recording_run(p->recording) == run) return p->recording;
    return p->last != NULL && recording_run(p->last) == run ? p->last : NULL;
}

static void free_simulation(player *p)
{
    vxe_surface_destroy(p->surface);
    picture_forget(p);
    live_free(p);
    vxe_run_destroy(p->run);
    vxe_sim_destroy(p->sim);
    vxe_model_destroy(p->model);
    vxe_scene_destroy(p->scene);
    p->surface = NULL;
    p->run = NULL;
    p->sim = NULL;
    p->model = NULL;
    p->scene = NULL;
    p->pull.voxel = -1;
    p->state = PLAY_NONE;
    p->steps_left = 0;
}

void player_unload(player *p)
{
    traced_start(&p->traced, NULL, NULL);
    free_simulation(p);
    recording_destroy(p->recording);
    recording_destroy(p->last);
    vxe_figures_destroy(p->figures);
    p->figures = NULL;
    p->unrecorded = false;
    p->recording = NULL;
    p->last = NULL;
    p->status_changed = true;
}

bool player_load(player *p, const vxe_scene *scene, const vxe_sim_def *def, int64_t revision, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *copy = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_run *run = NULL;
    vxe_result result = vxe_scene_copy(scene, &copy, &error);
    if (result == VXE_OK) result = vxe_compile(copy, &model, &error);
    if (result == VXE_OK) result = vxe_sim_create(model, def, &sim, &error);
    if (result == VXE_OK) result = vxe_run_create(sim, NULL, &run, &error);
    if (result == VXE_OK) result = vxe_run_add(run, INFINITY, 0.0, record_row, p, NULL, &error);
    if (result == VXE_OK) result = vxe_run_add(run, INFINITY, 0.0, take_picture, p, NULL, &error);
    if (result == VXE_OK) result = vxe_run_add(run, INFINITY, 0.0, look, p, NULL, &error);
    if (result != VXE_OK) {
        vxe_run_destroy(run);
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
        vxe_scene_destroy(copy);
        return fail_error(f, &error);
    }
    /* The old trace refers to the old simulation. */
    traced_start(&p->traced, NULL, NULL);
    free_simulation(p);
    p->scene = copy;
    p->model = model;
    p->sim = sim;
    p->run = run;
    vxe_run_set_piece(run, SLICE);
    p->serial++;
    p->revision = revision;
    p->state = PLAY_PAUSED;
    p->unstoppable = false;
    p->rate = (play_rate){0};
    if (!live_start(p, f)) {
        player_unload(p);
        return false;
    }
    traced_start(&p->traced, sim, copy);
    start_recording(p);
    start_clock(p);
    player_changed(p);
    return true;
}

void player_changed(player *p)
{
    p->change++;
    p->status_changed = true;
}

void player_play(player *p)
{
    if (p->state == PLAY_FAILED || p->state == PLAY_RUNNING) {
        p->steps_left = 0;
        return;
    }
    if (p->state == PLAY_STOPPED) p->unstoppable = true;
    p->state = PLAY_RUNNING;
    p->steps_left = 0;
    start_clock(p);
    p->status_changed = true;
}

void player_pause(player *p)
{
    if (p->state != PLAY_RUNNING) return;
    p->state = PLAY_PAUSED;
    p->steps_left = 0;
    p->status_changed = true;
    look_now(p);
    recording_keep(p->recording, p->sim, p->scene);
}

void player_step(player *p, int64_t steps)
{
    if (p->state == PLAY_FAILED) return;
    if (p->state == PLAY_STOPPED) p->unstoppable = true;
    p->state = PLAY_RUNNING;
    p->steps_left = steps;
    start_clock(p);
}

void player_reset(player *p)
{
    failure ignored = {NULL, ""};
    vxe_sim_reset(p->sim);
    live_free(p);
    (void)live_start(p, &ignored);
    p->pull.voxel = -1;
    p->state = PLAY_PAUSED;
    p->unstoppable = false;
    p->steps_left = 0;
    traced_restart(&p->traced, p->sim);
    start_recording(p);
    start_clock(p);
    player_changed(p);
}

void player_speed(player *p, bool real_time, double factor)
{
    p->real_time = real_time;
    p->factor = factor;
    if (p->sim != NULL) start_clock(p);
    p->status_changed = true;
}
