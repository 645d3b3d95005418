/* Solvers beside the studio; see solver.h. solve_worker.c is the other end. */
#define _GNU_SOURCE /* pipe2, posix_spawn_file_actions_addclosefrom_np */
#include "studio/solver.h"
#include "picture/measure.h"
#include "studio/shape_field.h"
#include "studio/solve_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TELL_INTERVAL 0.2 /* s */

void solver_init(solver *s, outbox *out, player *p)
{
    memset(s, 0, sizeof *s);
    (void)pthread_mutex_init(&s->mutex, NULL);
    s->out = out;
    s->player = p;
}

static void forget(solver *s)
{
    json_decref(s->result);
    json_decref(s->progress);
    free(s->shapes);
    free(s->frequencies);
    free(s->request);
    s->result = NULL;
    s->progress = NULL;
    s->shapes = NULL;
    s->frequencies = NULL;
    s->request = NULL;
    s->request_size = 0;
    s->shape_count = 0;
    s->message[0] = '\0';
}

void solver_end(solver *s)
{
    solver_cancel(s);
    forget(s);
    (void)pthread_mutex_destroy(&s->mutex);
}

bool solver_is_running(solver *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    const bool running = s->state == SOLVE_RUNNING;
    (void)pthread_mutex_unlock(&s->mutex);
    return running;
}

static json_t *describe(const solver *s)
{
    static const char *const kinds[] = {"equilibrium", "linear", "modes"};
    static const char *const states[] = {"none", "running", "done", "failed", "cancelled"};
    if (s->state == SOLVE_NONE) return NULL;
    const double seconds = s->state == SOLVE_RUNNING ? studio_clock() - s->begun : s->seconds;
    json_t *o = json_pack("{s:s, s:I, s:s, s:s, s:o}", "event", "solve", "job", (json_int_t)s->job, "kind",
                          kinds[s->kind], "state", states[s->state], "seconds", vxe_number_json(seconds));
    if (s->state == SOLVE_RUNNING && s->progress != NULL) (void)json_object_set(o, "progress", s->progress);
    if (s->state == SOLVE_DONE) (void)json_object_set(o, "result", s->result);
    if (s->state == SOLVE_FAILED || s->state == SOLVE_CANCELLED) {
        (void)json_object_set_new(o, "message", text_json(s->message));
    }
    return o;
}

json_t *solver_json(solver *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    json_t *o = describe(s);
    (void)pthread_mutex_unlock(&s->mutex);
    return o;
}

static void tell(solver *s)
{
    json_t *o = solver_json(s);
    if (o != NULL) outbox_post(s->out, message_text(MESSAGE_SOLVE, o), 0);
}

/* ---- the process -------------------------------------------------------------------------------------------------- */

/* Starts the worker with pipes to its input and from its output. */
static bool spawn(solver *s, int *input, int *output, failure *f)
{
    int to[2];
    int from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return fail(f, "file", "no pipe to the solver: %s", strerror(errno));
    if (pipe2(from, O_CLOEXEC) != 0) {
        (void)fail(f, "file", "no pipe from the solver: %s", strerror(errno));
        (void)close(to[0]);
        (void)close(to[1]);
        return false;
    }
    char name[] = "voxelastic";
    char verb[] = "studio";
    char option[] = SOLVE_WORKER_OPTION;
    char *const arguments[] = {name, verb, option, NULL};
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    (void)posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    (void)posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    pid_t process = 0;
    (void)pthread_mutex_lock(&s->mutex);
    const int problem = s->cancelled
                            ? ECANCELED
                            : posix_spawn(&process, "/proc/self/exe", &actions, NULL, arguments, environ);
    if (problem == 0) s->process = process;
    (void)pthread_mutex_unlock(&s->mutex);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(to[0]);
    (void)close(from[1]);
    if (problem != 0) {
        (void)close(to[1]);
        (void)close(from[0]);
        return fail(f, "file", "the solver could not be started: %s", strerror(problem));
    }
    *input = to[1];
    *output = from[0];
    return true;
}

static bool send_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(descriptor, data, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

/* Takes word of progress off the front of what the process has said so far, which may end with the answer or
 * a part of it. True: the answer has begun, and nothing but it follows. */
static bool take_progress(solver *s, char *data, size_t *size)
{
    uint64_t length = 0;
    while (*size >= sizeof length) {
        memcpy(&length, data, sizeof length);
        if (length > *size - sizeof length) return false;
        json_t *said = json_loadb(data + sizeof length, length, 0, NULL);
        json_t *progress = json_incref(json_object_get(said, "progress"));
        json_decref(said);
        if (progress == NULL) return true;
        const size_t taken = sizeof length + length;
        *size -= taken;
        memmove(data, data + taken, *size);
        (void)pthread_mutex_lock(&s->mutex);
        json_decref(s->progress);
        s->progress = progress;
        (void)pthread_mutex_unlock(&s->mutex);
    }
    return false;
}

/* Everything the process says, with word of the time it takes. */
static bool receive_all(solver *s, int descriptor, char **data, size_t *size)
{
    size_t room = 65536;
    char *buffer = malloc(room);
    double told = studio_clock() + TELL_INTERVAL;
    bool answering = false;
    *size = 0;
    while (buffer != NULL) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        if (poll(&wait, 1, (int)(1000.0 * TELL_INTERVAL)) == 0) {
            tell(s);
            continue;
        }
        if (*size == room) {
            char *larger = room > SIZE_MAX / 4 ? NULL : realloc(buffer, 2 * room);
            if (larger == NULL) break;
            buffer = larger;
            room *= 2;
        }
        const ssize_t got = read(descriptor, buffer + *size, room - *size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) break;
        if (got == 0) {
            *data = buffer;
            return true;
        }
        *size += (size_t)got;
        if (!answering) answering = take_progress(s, buffer, size);
        if (studio_clock() >= told) {
            tell(s);
            told = studio_clock() + TELL_INTERVAL;
        }
    }
    free(buffer);
    return false;
}

/* ---- the answer --------------------------------------------------------------------------------------------------- */

/* Takes arrays out of an answer; false: it is not what a worker writes. */
static bool take_shapes(solver *s, const json_t *header, const char *data, size_t size)
{
    const json_int_t count = json_integer_value(json_object_get(header, "shapes"));
    const json_int_t voxels = json_integer_value(json_object_get(header, "voxels"));
    if (count == 0) return size == 0;
    size_t bytes = 0;
    if (count < 0 || voxels < 0 ||
        !vxe_multiply((size_t)count, 6 * sizeof(double) * (size_t)voxels, &bytes) || bytes != size) {
        return false;
    }
    s->shapes = malloc(size + 1);
    s->frequencies = calloc((size_t)count, sizeof *s->frequencies);
    if (s->shapes == NULL || s->frequencies == NULL) return false;
    memcpy(s->shapes, data, size);
    s->shape_count = (int32_t)count;
    s->voxel_count = (int32_t)voxels;
    const json_t *list = json_object_get(json_object_get(header, "result"), "frequencies");
    for (size_t i = 0; i < (size_t)count; i++) s->frequencies[i] = json_number_value(json_array_get(list, i));
    return true;
}

/* Puts the simulation where the equilibrium is. */
static bool take_state(solver *s, const char *data, size_t size, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    player *p = s->player;
    bool good = false;
    player_enter(p);
    if (p->sim == NULL || p->serial != s->serial) {
        (void)fail(f, "none", "the simulation has gone");
    } else if (vxe_sim_load(p->sim, data, size, &error) != VXE_OK) {
        (void)fail_error(f, &error);
    } else {
        p->state = PLAY_PAUSED;
        good = true;
        traced_restart(&p->traced, p->sim);
        player_changed(p);
        player_publish(p);
    }
    player_leave(p);
    return good;
}

/* Reads an answer: length, JSON, data. */
static bool take_answer(solver *s, const char *data, size_t size, failure *f)
{
    uint64_t length = 0;
    if (size < sizeof length) return fail(f, "memory", "the solver ended without an answer");
    memcpy(&length, data, sizeof length);
    if (length > size - sizeof length) return fail(f, "memory", "the solver's answer is cut off");
    json_t *header = json_loadb(data + sizeof length, length, 0, NULL);
    const char *rest = data + sizeof length + length;
    const size_t rest_size = size - sizeof length - length;
    const char *problem = json_string_value(json_object_get(header, "error"));
    bool good = false;
    if (header == NULL) {
        (void)fail(f, "memory", "the solver's answer is damaged");
    } else if (problem != NULL) {
        (void)fail(f, "input", "%s", problem);
    } else if (s->kind == SOLVE_EQUILIBRIUM) {
        good = take_state(s, rest, rest_size, f);
    } else {
        good = take_shapes(s, header, rest, rest_size) ||
               fail(f, "memory", "there is not enough memory for the answer");
    }
    if (good) s->result = json_incref(json_object_get(header, "result"));
    json_decref(header);
    return good;
}

static void *work(void *argument)
{
    solver *s = argument;
    failure f = {NULL, ""};
    int input = -1;
    int output = -1;
    char *data = NULL;
    size_t size = 0;
    bool good = spawn(s, &input, &output, &f);
    if (good) {
        const bool sent = send_all(input, s->request, s->request_size);
        (void)close(input);
        const bool received = receive_all(s, output, &data, &size);
        (void)close(output);
        int status = 0;
        const pid_t process = s->process; /* only this thread writes it */
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
        (void)pthread_mutex_lock(&s->mutex);
        s->process = 0;
        const bool cancelled = s->cancelled;
        (void)pthread_mutex_unlock(&s->mutex);
        good = !cancelled && sent && received && take_answer(s, data, size, &f);
        if (!good && WIFSIGNALED(status)) {
            f.code = NULL;
            (void)fail(&f, "memory", "the solver was ended by signal %d", WTERMSIG(status));
        }
    }
    free(data);
    (void)pthread_mutex_lock(&s->mutex);
    s->seconds = studio_clock() - s->begun;
    s->state = good ? SOLVE_DONE : s->cancelled ? SOLVE_CANCELLED : SOLVE_FAILED;
    (void)snprintf(s->message, sizeof s->message, "%s",
                   s->state == SOLVE_CANCELLED ? "cancelled"
                   : f.code != NULL            ? f.message
                                               : "the solver ended without an answer");
    json_t *o = describe(s);
    (void)pthread_mutex_unlock(&s->mutex);
    outbox_post(s->out, message_text(MESSAGE_SOLVE, o), 0);
    return NULL;
}

/* ---- control ------------------------------------------------------------------------------------------------------ */

static void join(solver *s)
{
    if (s->joinable) (void)pthread_join(s->thread, NULL);
    s->joinable = false;
}

bool solver_start(solver *s, solve_kind kind, int count, failure *f)
{
    if (!vxe_solve_available()) return fail(f, "input", "this program was built without the solvers");
    join(s); /* it has ended: the desk asked */
    forget(s);
    if (!solve_request(s->player, kind, count, &s->request, &s->request_size, f)) return false;
    (void)pthread_mutex_lock(&s->mutex);
    s->job++;
    s->serial = s->player->serial;
    s->kind = kind;
    s->state = SOLVE_RUNNING;
    s->begun = studio_clock();
    s->cancelled = false;
    (void)pthread_mutex_unlock(&s->mutex);
    const int problem = pthread_create(&s->thread, NULL, work, s);
    s->joinable = problem == 0;
    if (problem != 0) {
        s->state = SOLVE_FAILED;
        return fail(f, "memory", "no thread for the solver: %s", strerror(problem));
    }
    return true;
}

void solver_cancel(solver *s)
{
    (void)pthread_mutex_lock(&s->mutex);
    if (s->state == SOLVE_RUNNING) {
        s->cancelled = true;
        if (s->process > 0) (void)kill(s->process, SIGKILL);
    }
    (void)pthread_mutex_unlock(&s->mutex);
    join(s);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------- */

/* The field that a shape is coloured by, of the voxels shown; false: there is no memory. */
static bool color_shape(const solver *s, int number, const double *const displacement[3], double scale,
                        float *values, double range[2])
{
    const player *p = s->player;
    const vxe_model_view *model = vxe_model_get(p->model);
    const vxe_surface *shown = p->surface;
    const size_t n = (size_t)model->voxel_count;
    range[0] = range[1] = 0.0;
    if (!vxe_measure_is_linear(number)) {
        return vxe_measure_read(number, p->sim, p->scene, shown->voxel, shown->voxel_count, values, range,
                                NULL) == VXE_OK;
    }
    const shape_source source = {
        model,
        p->scene,
        {displacement[0], displacement[1], displacement[2]},
        s->kind == SOLVE_LINEAR ? vxe_sim_state(p->sim)->growth : NULL,
    };
    double *all = malloc((n + 1) * sizeof *all);
    const bool good = all != NULL && shape_field_read(&source, number, scale, all);
    if (good) {
        range[0] = INFINITY;
        range[1] = -INFINITY;
        for (size_t v = 0; v < n; v++) {
            range[0] = fmin(range[0], all[v]);
            range[1] = fmax(range[1], all[v]);
        }
        for (int32_t i = 0; i < shown->voxel_count; i++) values[i] = (float)all[shown->voxel[i]];
    }
    free(all);
    return good;
}

message *solver_shape(solver *s, int64_t job, int64_t mode, int number, failure *f)
{
    player *p = s->player;
    if (solver_is_running(s) || s->state != SOLVE_DONE || s->job != job || s->serial != p->serial ||
        mode >= s->shape_count || p->surface == NULL)
        return no_reply(f, "none", "there is no such shape");
    const vxe_model_view *model = vxe_model_get(p->model);
    const size_t n = (size_t)s->voxel_count;
    const size_t shown = (size_t)p->surface->voxel_count;
    const size_t m = (size_t)p->surface->corner_count;
    const double *shape = s->shapes + 6 * n * (size_t)mode;
    const double *const displacement[3] = {shape, shape + n, shape + 2 * n};
    const double *const rotation[3] = {shape + 3 * n, shape + 4 * n, shape + 5 * n};
    float *numbers = calloc(6 * m + shown + 1, sizeof *numbers);
    if (numbers == NULL) return no_reply(f, "memory", "there is not enough memory for the shape");
    float *motion = numbers + 3 * m;
    float *field = motion + 3 * m;
    double largest = 0.0;
    for (size_t v = 0; v < n; v++) {
        largest = fmax(largest, hypot(hypot(shape[v], shape[n + v]), shape[2 * n + v]));
    }
    const bool modes = s->kind == SOLVE_MODES;
    const double scale = modes && largest > 0.0 ? model->pitch / largest : 1.0;
    double range[2] = {0.0, 0.0};
    if (number > 0 && !color_shape(s, number, displacement, scale, field, range)) {
        free(numbers);
        (void)fail(f, "memory", "there is not enough memory for the shape");
        return NULL;
    }
    double origin[3];
    picture_origin(p, origin);
    vxe_surface_pose(p->surface, model, modes ? vxe_sim_state(p->sim) : NULL);
    vxe_surface_corners(p->surface, origin, numbers);
    vxe_surface_motion(p->surface, displacement, rotation, scale, motion);
    const message_array arrays[] = {
        {"corners", "f32", 3 * m, numbers}, {"motion", "f32", 3 * m, motion}, {"field", "f32", shown, field}};
    json_t *header = json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "kind", "shape", "job",
                               (json_int_t)job, "mesh", (json_int_t)p->mesh, "mode", (json_int_t)mode,
                               "frequency", modes ? vxe_number_json(s->frequencies[mode]) : json_null(),
                               "amplitude", vxe_number_json(scale * largest), "field",
                               vxe_measure_json(number, range), "origin", vxe_vector_json(origin));
    message *made = message_binary(MESSAGE_REPLY, header, arrays, number > 0 ? 3 : 2);
    free(numbers);
    return made;
}
