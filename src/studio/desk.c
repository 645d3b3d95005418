/* The desk's queue and thread; see desk.h. The commands are in desk_scene.c and desk_sim.c. */
#include "studio/desk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AUTOSAVE_DELAY 1.5 /* s after the first change */

/* ---- the queue ---------------------------------------------------------------------------------------------------- */

bool desk_post(desk *d, uint64_t page, bool binary, unsigned char *data, size_t size)
{
    parcel *made = calloc(1, sizeof *made);
    if (made == NULL) {
        free(data);
        return false;
    }
    *made = (parcel){.page = page, .binary = binary, .size = size, .data = data};
    (void)pthread_mutex_lock(&d->mutex);
    if (d->last == NULL) {
        d->first = made;
    } else {
        d->last->next = made;
    }
    d->last = made;
    d->count++;
    d->bytes += size;
    (void)pthread_cond_signal(&d->arrived);
    (void)pthread_mutex_unlock(&d->mutex);
    return true;
}

bool desk_full(desk *d)
{
    (void)pthread_mutex_lock(&d->mutex);
    const bool full = d->count >= DESK_QUEUE_MAX || d->bytes >= DESK_BYTES_MAX;
    d->was_full = full;
    (void)pthread_mutex_unlock(&d->mutex);
    return full;
}

static void free_parcel(parcel *p)
{
    if (p == NULL) return;
    free(p->data);
    free(p);
}

/* Waits for the next message, at most until `due`; NULL: it is due, or the end. */
static parcel *take(desk *d, double due, bool *quit)
{
    struct timespec when = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &when);
    const double wait = fmin(fmax(due - studio_clock(), 0.0), 3600.0);
    const int64_t nanoseconds = when.tv_nsec + (int64_t)(1e9 * wait);
    when.tv_sec += (time_t)(nanoseconds / 1000000000);
    when.tv_nsec = (long)(nanoseconds % 1000000000);
    (void)pthread_mutex_lock(&d->mutex);
    int waited = 0;
    while (d->first == NULL && !d->quit && waited == 0) {
        waited = pthread_cond_timedwait(&d->arrived, &d->mutex, &when);
    }
    parcel *p = d->first;
    bool room = false;
    if (p != NULL) {
        d->first = p->next;
        if (d->first == NULL) d->last = NULL;
        d->count--;
        d->bytes -= p->size;
        room = d->was_full && d->count < DESK_QUEUE_MAX / 2 && d->bytes < DESK_BYTES_MAX / 2;
        if (room) d->was_full = false;
    }
    *quit = d->quit;
    (void)pthread_mutex_unlock(&d->mutex);
    if (room) d->out->wake(d->out->wake_target);
    return p;
}

/* ---- commands ----------------------------------------------------------------------------------------------------- */

static const desk_command *find_command(const char *verb)
{
    const desk_command *const lists[] = {desk_scene_commands, desk_sim_commands};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const desk_command *c = lists[i]; c->verb != NULL; c++) {
            if (strcmp(c->verb, verb) == 0) return c;
        }
    }
    return NULL;
}

/* Whether every member is one of `keys`. */
static bool check_members(const command *c, const char *keys, failure *f)
{
    enum { KEYS_MAX = 8 };
    char copy[160];
    const char *list[KEYS_MAX];
    size_t count = 0;
    (void)snprintf(copy, sizeof copy, "%s", keys);
    for (char *at = copy; *at != '\0' && count < KEYS_MAX;) {
        list[count++] = at;
        at += strcspn(at, " ");
        if (*at == ' ') *at++ = '\0';
    }
    return check_keys(c, list, count, f);
}

static json_t *carry_out(desk *d, const command *c, failure *f)
{
    const desk_command *found = find_command(c->verb);
    if (found == NULL) return no_reply(f, "unknown", "there is no command \"%.64s\"", c->verb);
    return check_members(c, found->keys, f) ? found->handle(d, c, f) : NULL;
}

static void answer(desk *d, const command *c, json_t *reply, const failure *f)
{
    if (f->code == NULL && !c->has_id) {
        json_decref(reply);
        return;
    }
    json_t *o = reply == NULL ? json_object() : reply;
    if (f->code != NULL) {
        (void)json_object_clear(o);
        (void)json_object_set_new(o, "error",
                                  json_pack("{s:s, s:o}", "code", f->code, "message", text_json(f->message)));
    }
    if (c->has_id) {
        (void)json_object_set_new(o, "id", json_integer(c->id));
        (void)json_object_set_new(o, "ok", json_boolean(f->code == NULL));
    } else {
        (void)json_object_set_new(o, "event", json_string("error"));
    }
    outbox_post(d->out, message_text(MESSAGE_REPLY, o), d->page);
    outbox_wait(d->out, d->page);
}

void desk_handle(desk *d, uint64_t page, bool binary, const unsigned char *data, size_t size)
{
    command c;
    failure f = {NULL, ""};
    json_t *reply = NULL;
    d->page = page;
    if (command_parse(&c, data, size, binary, &f)) reply = carry_out(d, &c, &f);
    answer(d, &c, reply, &f);
    command_clear(&c);
}

static void save_aside(desk *d)
{
    failure f = {NULL, ""};
    if (!autosave_write(&d->autosave, &d->folder, &d->document, &f) &&
        strcmp(d->autosave_problem, f.message) != 0) {
        (void)snprintf(d->autosave_problem, sizeof d->autosave_problem, "%s", f.message);
        outbox_post(d->out,
                    message_text(MESSAGE_REPLY, json_pack("{s:s, s:{s:s, s:o}}", "event", "error", "error",
                                                          "code", f.code, "message", text_json(f.message))),
                    0);
    }
    d->autosave_due = INFINITY;
}

static void *work(void *argument)
{
    desk *d = argument;
    bool quit = false;
    while (!quit) {
        parcel *p = take(d, d->autosave_due, &quit);
        if (p != NULL && !quit) {
            desk_handle(d, p->page, p->binary, p->data, p->size);
            const bool unsaved = d->document.revision != d->autosave.revision;
            if (unsaved && isinf(d->autosave_due)) d->autosave_due = studio_clock() + AUTOSAVE_DELAY;
        }
        free_parcel(p);
        if (studio_clock() >= d->autosave_due) save_aside(d);
    }
    return NULL;
}

bool desk_start(desk *d, const studio_options *options, outbox *out, player *p, solver *s, failure *f)
{
    memset(d, 0, sizeof *d);
    d->options = options;
    d->out = out;
    d->player = p;
    d->solver = s;
    d->folder.descriptor = -1;
    d->document.saved = -1;
    d->autosave_due = INFINITY;
    autosave_init(&d->autosave);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&d->mutex, NULL);
    (void)pthread_cond_init(&d->arrived, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    if (!folder_open(&d->folder, options->folder, f)) return false;
    if (options->scene != NULL && !desk_open(d, options->scene, f)) return false;
    if (options->demo != NULL && !desk_open_demo(d, options->demo, f)) return false;
    const int problem = pthread_create(&d->thread, NULL, work, d);
    d->started = problem == 0;
    return d->started || fail(f, "memory", "no thread for commands: %s", strerror(problem));
}

void desk_end(desk *d)
{
    failure ignored = {NULL, ""};
    if (d->started) {
        (void)pthread_mutex_lock(&d->mutex);
        d->quit = true;
        (void)pthread_cond_broadcast(&d->arrived);
        (void)pthread_mutex_unlock(&d->mutex);
        (void)pthread_join(d->thread, NULL);
        (void)autosave_write(&d->autosave, &d->folder, &d->document, &ignored);
    }
    while (d->first != NULL) {
        parcel *next = d->first->next;
        free_parcel(d->first);
        d->first = next;
    }
    autosave_close(&d->autosave);
    document_clear(&d->document);
    folder_close(&d->folder);
    (void)pthread_cond_destroy(&d->arrived);
    (void)pthread_mutex_destroy(&d->mutex);
}
