/* The middle of `batch`: designs come from a source, workers take them, and what became of them goes into the
 * store in groups. Workers do not wait for the store, unless far too much waits to be written. */
#include "cli/batch.h"
#include "cli/options.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A group is written when it is so old or so large. */
#define GROUP_SECONDS 0.25
enum { GROUP_MOST = 4096, WAITING_MOST = 32768, BUCKETS = 4096 };

/* A design that somebody works on, or whose outcome is not written yet. */
typedef struct claim {
    struct claim *next;
    uint8_t hash[DIGEST_SIZE];
    int32_t repeat;
    char id[DESIGN_ID_SIZE];
} claim;

/* The further repeats of a design. */
typedef struct more_repeats {
    struct more_repeats *next;
    design_item item;
    int32_t repeat;
    int32_t repeats;
    bool returned; /* its repeats wait elsewhere */
} more_repeats;

struct batch_crew {
    const batch_options *options;
    design_settings settings;
    design_source *source;
    design_reader *reader;
    batch_store *store;
    fitness worth;
    int64_t run;          /* of this process */
    pthread_mutex_t lock; /* of what follows */
    batch_store *look;    /* what is done */
    claim *claims[BUCKETS];
    more_repeats *repeats;
    bool stopped;
    vxe_error problem;
    store_alias *aliases;
    size_t alias_count;
    size_t alias_room;
    int64_t skipped;
    pthread_mutex_t queue_lock; /* of what follows */
    pthread_cond_t filled;
    pthread_cond_t emptied;
    design_outcome *queue;
    size_t queued;
    size_t room;
    double oldest; /* on cli_clock() */
    bool draining; /* nobody may wait any more */
    bool lost;     /* there was no memory for an outcome: everything ends, and it is run next time */
    batch_counts counts;
};

/* ---- claims ----------------------------------------------------------------------------------------------- */

static claim **find_claim(batch_crew *crew, const uint8_t hash[DIGEST_SIZE], int32_t repeat)
{
    const size_t bucket = ((size_t)hash[0] << 8 | hash[1]) % BUCKETS;
    claim **at = &crew->claims[bucket];
    while (*at != NULL && ((*at)->repeat != repeat || memcmp((*at)->hash, hash, DIGEST_SIZE) != 0))
        at = &(*at)->next;
    return at;
}

static void drop_claim(batch_crew *crew, const uint8_t hash[DIGEST_SIZE], int32_t repeat)
{
    claim **at = find_claim(crew, hash, repeat);
    claim *gone = *at;
    if (gone == NULL) return;
    *at = gone->next;
    free(gone);
}

/* ---- taking ----------------------------------------------------------------------------------------------- */

/* With the lock: everything ends because of this. */
static void give_up(batch_crew *crew, const vxe_error *problem)
{
    if (crew->problem.code == VXE_OK) crew->problem = *problem;
    crew->stopped = true;
}

static char *copy_of(const char *text, size_t size)
{
    char *copy = text == NULL ? NULL : malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

static bool copy_item(const design_item *item, design_item *copy)
{
    *copy = *item;
    copy->text = copy_of(item->text, item->size);
    copy->file = item->file == NULL ? NULL : copy_of(item->file, strlen(item->file));
    copy->name = item->name == NULL ? NULL : copy_of(item->name, strlen(item->name));
    return (item->text == NULL) == (copy->text == NULL) && (item->file == NULL) == (copy->file == NULL) &&
           (item->name == NULL) == (copy->name == NULL);
}

/* With the lock: the next item and which repeat of it. */
static bool next_item(batch_crew *crew, batch_task *task, bool *returned)
{
    vxe_error error = {VXE_OK, ""};
    bool found = false;
    if (crew->stopped) return false;
    more_repeats *more = crew->repeats;
    if (more != NULL) {
        *returned = more->returned;
        task->repeat = more->repeat++;
        if (more->repeat < more->repeats) {
            if (!copy_item(&more->item, &task->item)) {
                vxe_item_free(&task->item);
                (void)vxe_fail_memory(&error, "a design", more->item.size);
                give_up(crew, &error);
                return false;
            }
        } else {
            crew->repeats = more->next;
            task->item = more->item;
            free(more);
        }
        return true;
    }
    if (vxe_source_next(crew->source, &task->item, &found, &error) != VXE_OK) {
        give_up(crew, &error);
        return false;
    }
    return found;
}

/* With the lock: the repeats after the first wait until somebody has time. */
static void add_repeats(batch_crew *crew, const batch_task *task)
{
    vxe_error error = {VXE_OK, ""};
    more_repeats *more = calloc(1, sizeof *more);
    if (more == NULL || !copy_item(&task->item, &more->item)) {
        if (more != NULL) vxe_item_free(&more->item);
        free(more);
        (void)vxe_fail_memory(&error, "a design", task->item.size);
        give_up(crew, &error);
        return;
    }
    more->repeat = 1;
    more->repeats = task->plan.repeats;
    more->next = crew->repeats;
    crew->repeats = more;
}

/* With the lock: a design that has another name already. */
static void add_alias(batch_crew *crew, const batch_task *task, const char *id)
{
    if (task->repeat > 0 || strcmp(id, task->plan.id) == 0) return;
    store_alias *larger = vxe_grow(crew->aliases, crew->alias_count + 1, &crew->alias_room, sizeof *larger);
    if (larger == NULL) return; /* it is found again in the next run */
    crew->aliases = larger;
    store_alias *a = &crew->aliases[crew->alias_count++];
    memcpy(a->hash, task->plan.hash, DIGEST_SIZE);
    memcpy(a->id, task->plan.id, DESIGN_ID_SIZE);
    a->number = task->item.number;
}

/* With the lock: whether a design is to be run; if so it is claimed. */
static bool claim_task(batch_crew *crew, const batch_task *task)
{
    vxe_error error = {VXE_OK, ""};
    char id[DESIGN_ID_SIZE] = "";
    bool there = false;
    claim **at = find_claim(crew, task->plan.hash, task->repeat);
    if (*at != NULL) {
        add_alias(crew, task, (*at)->id);
        crew->skipped++;
        return false;
    }
    if (!crew->options->again &&
        vxe_store_has(crew->look, task->plan.hash, task->repeat, &there, id, &error) != VXE_OK) {
        give_up(crew, &error);
        return false;
    }
    if (there) {
        add_alias(crew, task, id);
        crew->skipped++;
        return false;
    }
    claim *mine = calloc(1, sizeof *mine);
    if (mine == NULL) {
        (void)vxe_fail_memory(&error, "a design", sizeof *mine);
        give_up(crew, &error);
        return false;
    }
    memcpy(mine->hash, task->plan.hash, DIGEST_SIZE);
    memcpy(mine->id, task->plan.id, DESIGN_ID_SIZE);
    mine->repeat = task->repeat;
    *at = mine;
    return true;
}

void batch_crew_return(batch_crew *crew, batch_task *task)
{
    more_repeats *more = calloc(1, sizeof *more);
    (void)pthread_mutex_lock(&crew->lock);
    drop_claim(crew, task->plan.hash, task->repeat);
    if (more != NULL) { /* else it is run next time */
        more->item = task->item;
        more->repeat = task->repeat;
        more->repeats = task->repeat + 1;
        more->returned = true;
        more->next = crew->repeats;
        crew->repeats = more;
        task->item = (design_item){.number = 0};
    }
    (void)pthread_mutex_unlock(&crew->lock);
    batch_task_free(task);
}

static bool take(void *user, batch_task *task)
{
    batch_crew *crew = user;
    for (;;) {
        memset(task, 0, sizeof *task);
        (void)pthread_mutex_lock(&crew->lock);
        bool returned = false;
        bool found = next_item(crew, task, &returned);
        (void)pthread_mutex_unlock(&crew->lock);
        if (!found) return false;
        (void)vxe_plan_read(crew->reader, &task->item, &task->plan, &task->problem);
        (void)pthread_mutex_lock(&crew->lock);
        if (task->repeat == 0 && task->plan.repeats > 1 && !returned) add_repeats(crew, task);
        found = claim_task(crew, task);
        (void)pthread_mutex_unlock(&crew->lock);
        if (found) return true;
        batch_task_free(task);
    }
}

/* ---- giving ----------------------------------------------------------------------------------------------- */

/* With the queue's lock. */
static void count(batch_crew *crew, const design_outcome *o)
{
    batch_counts *c = &crew->counts;
    if (o->status == OUTCOME_FAILED) c->failed++;
    if (o->status == OUTCOME_FAULT) c->fault++;
    if (o->status != OUTCOME_DONE) return;
    c->done++;
    const double worth = vxe_fitness_value(&crew->worth, o->metrics, o->time, (double)o->steps, o->wall);
    if (!isfinite(worth) || worth <= c->best) return;
    c->best = worth;
    memcpy(c->best_id, o->id, sizeof c->best_id);
}

static void give(void *user, const batch_task *task, design_outcome *outcome)
{
    batch_crew *crew = user;
    if (outcome == NULL) {
        (void)pthread_mutex_lock(&crew->lock);
        drop_claim(crew, task->plan.hash, task->repeat);
        (void)pthread_mutex_unlock(&crew->lock);
        return;
    }
    if (outcome->run == 0) outcome->run = crew->run;
    (void)pthread_mutex_lock(&crew->queue_lock);
    while (crew->queued >= WAITING_MOST && !crew->draining)
        (void)pthread_cond_wait(&crew->emptied, &crew->queue_lock);
    design_outcome *queue = vxe_grow(crew->queue, crew->queued + 1, &crew->room, sizeof *queue);
    if (queue != NULL) {
        crew->queue = queue;
        if (crew->queued == 0) crew->oldest = cli_clock();
        crew->queue[crew->queued++] = *outcome;
        outcome->text = NULL;
        count(crew, outcome);
    } else {
        crew->lost = true;
    }
    free(outcome->text);
    outcome->text = NULL;
    if (crew->queued == GROUP_MOST) (void)pthread_cond_signal(&crew->filled);
    (void)pthread_mutex_unlock(&crew->queue_lock);
}

void batch_crew_wait(batch_crew *crew, double seconds)
{
    struct timespec until = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_mutex_lock(&crew->queue_lock);
    if (crew->queued < GROUP_MOST) (void)pthread_cond_timedwait(&crew->filled, &crew->queue_lock, &until);
    (void)pthread_mutex_unlock(&crew->queue_lock);
}

/* Takes everything out of the queue that is to be written now. */
static size_t empty_queue(batch_crew *crew, bool now, design_outcome **group)
{
    (void)pthread_mutex_lock(&crew->queue_lock);
    const size_t queued = crew->queued;
    const bool due =
        queued > 0 && (now || queued >= GROUP_MOST || cli_clock() - crew->oldest >= GROUP_SECONDS);
    if (due) {
        *group = crew->queue;
        crew->queue = NULL;
        crew->queued = 0;
        crew->room = 0;
        (void)pthread_cond_broadcast(&crew->emptied);
    }
    (void)pthread_mutex_unlock(&crew->queue_lock);
    return due ? queued : 0;
}

vxe_result batch_crew_write(batch_crew *crew, bool now, vxe_error *error)
{
    const double begun = vxe_seconds(VXE_CLOCK_THREAD);
    design_outcome *group = NULL;
    const size_t size = empty_queue(crew, now, &group);
    (void)pthread_mutex_lock(&crew->lock);
    store_alias *aliases = crew->aliases;
    size_t alias_count = crew->alias_count;
    if (size > 0 || now || alias_count > GROUP_MOST) {
        crew->aliases = NULL;
        crew->alias_count = 0;
        crew->alias_room = 0;
    } else {
        aliases = NULL;
        alias_count = 0;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    if (size == 0 && alias_count == 0) {
        free(aliases);
        return VXE_OK;
    }
    const vxe_result result = vxe_store_add(crew->store, group, size, aliases, alias_count, &crew->worth,
                                            crew->options->again, error);
    if (result == VXE_OK) {
        (void)pthread_mutex_lock(&crew->lock);
        for (size_t i = 0; i < size; i++) drop_claim(crew, group[i].hash, group[i].repeat);
        (void)pthread_mutex_unlock(&crew->lock);
    }
    for (size_t i = 0; i < size; i++) free(group[i].text);
    free(group);
    free(aliases);
    crew->counts.store_seconds += vxe_seconds(VXE_CLOCK_THREAD) - begun;
    return result;
}

/* ---- the crew --------------------------------------------------------------------------------------------- */

vxe_result batch_crew_run(batch_crew *crew, int32_t rank, const char *host, int64_t *run, vxe_error *error)
{
    const batch_options *o = crew->options;
    char *settings = batch_settings_print(o, vxe_source_label(crew->source));
    if (settings == NULL) return vxe_fail_memory(error, "settings", sizeof *o);
    const store_run r = {.input = o->input,
                         .command = o->command,
                         .settings = settings,
                         .device = vxe_choice_word(vxe_devices, (int)o->designs.sim.device),
                         .precision = vxe_choice_word(vxe_precisions, (int)o->designs.sim.precision),
                         .host = host,
                         .threads = o->threads,
                         .rank = rank,
                         .shard = o->shard,
                         .shards = o->shards};
    const vxe_result result = vxe_store_begin_run(crew->store, &r, run, error);
    free(settings);
    return result;
}

vxe_result batch_crew_end_run(batch_crew *crew, int64_t run, const char *how, vxe_error *error)
{
    return vxe_store_end_run(crew->store, run, how, error);
}

/* The fitness asked for, or that of the store; a new one values everything that is there again. */
static vxe_result choose_fitness(batch_crew *crew, vxe_error *error)
{
    char *stored = NULL;
    const char *asked = crew->options->fitness;
    vxe_result result = vxe_store_get(crew->store, "fitness", &stored, error);
    if (result == VXE_OK) result = vxe_fitness_parse(asked != NULL ? asked : stored, &crew->worth, error);
    if (result == VXE_OK && asked != NULL && strcmp(asked, stored) != 0)
        result = vxe_store_value(crew->store, asked, error);
    free(stored);
    return result;
}

vxe_result batch_crew_open(const batch_options *options, batch_crew **crew, vxe_error *error)
{
    batch_crew *c = calloc(1, sizeof *c);
    if (c == NULL) return vxe_fail_memory(error, "a batch", sizeof *c);
    c->options = options;
    c->settings = options->designs;
    c->counts.best = -INFINITY;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_mutex_init(&c->queue_lock, NULL);
    (void)pthread_cond_init(&c->filled, NULL);
    (void)pthread_cond_init(&c->emptied, NULL);
    vxe_result result = vxe_source_open(options->input, options->shard, options->shards, &c->source, error);
    if (result == VXE_OK) {
        c->settings.label = vxe_source_label(c->source);
        result = vxe_reader_create(&c->settings, &c->reader, error);
    }
    if (result == VXE_OK) result = vxe_store_open(options->store, STORE_WRITE, &c->store, error);
    if (result == VXE_OK) result = vxe_store_open(options->store, STORE_LOOK, &c->look, error);
    if (result == VXE_OK && options->retry) result = vxe_store_forget_failed(c->store, error);
    if (result == VXE_OK) result = choose_fitness(c, error);
    if (result == VXE_OK) result = batch_crew_run(c, 0, NULL, &c->run, error);
    if (result != VXE_OK) {
        (void)batch_crew_close(c, NULL, NULL);
        return result;
    }
    *crew = c;
    return VXE_OK;
}

vxe_result batch_crew_close(batch_crew *crew, const char *how, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (crew == NULL) return result;
    if (crew->store != NULL && how != NULL) {
        result = batch_crew_write(crew, true, error);
        if (result == VXE_OK) result = vxe_store_end_run(crew->store, crew->run, how, error);
    }
    vxe_store_close(crew->look);
    vxe_store_close(crew->store);
    vxe_reader_destroy(crew->reader);
    vxe_source_close(crew->source);
    vxe_fitness_free(&crew->worth);
    for (size_t i = 0; i < crew->queued; i++) free(crew->queue[i].text);
    free(crew->queue);
    free(crew->aliases);
    while (crew->repeats != NULL) {
        more_repeats *more = crew->repeats;
        crew->repeats = more->next;
        vxe_item_free(&more->item);
        free(more);
    }
    for (int i = 0; i < BUCKETS; i++) {
        while (crew->claims[i] != NULL) {
            claim *gone = crew->claims[i];
            crew->claims[i] = gone->next;
            free(gone);
        }
    }
    (void)pthread_cond_destroy(&crew->filled);
    (void)pthread_cond_destroy(&crew->emptied);
    (void)pthread_mutex_destroy(&crew->lock);
    (void)pthread_mutex_destroy(&crew->queue_lock);
    free(crew);
    return result;
}

batch_port batch_crew_port(batch_crew *crew)
{
    return (batch_port){
        .user = crew, .reader = crew->reader, .options = crew->options, .take = take, .give = give};
}

batch_store *batch_crew_store(batch_crew *crew) { return crew->store; }

void batch_crew_stop(batch_crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock);
    crew->stopped = true;
    (void)pthread_mutex_unlock(&crew->lock);
    (void)pthread_mutex_lock(&crew->queue_lock);
    crew->draining = true;
    (void)pthread_cond_broadcast(&crew->emptied);
    (void)pthread_mutex_unlock(&crew->queue_lock);
}

vxe_result batch_crew_problem(batch_crew *crew, vxe_error *error)
{
    (void)pthread_mutex_lock(&crew->queue_lock);
    const bool lost = crew->lost;
    (void)pthread_mutex_unlock(&crew->queue_lock);
    if (lost) return vxe_fail_memory(error, "results", sizeof(design_outcome));
    (void)pthread_mutex_lock(&crew->lock);
    if (crew->problem.code != VXE_OK) *error = crew->problem;
    const vxe_result result = crew->problem.code;
    (void)pthread_mutex_unlock(&crew->lock);
    return result;
}

batch_counts batch_crew_count(batch_crew *crew)
{
    (void)pthread_mutex_lock(&crew->queue_lock);
    batch_counts counts = crew->counts;
    (void)pthread_mutex_unlock(&crew->queue_lock);
    (void)pthread_mutex_lock(&crew->lock);
    counts.skipped = crew->skipped;
    (void)pthread_mutex_unlock(&crew->lock);
    if (!isfinite(counts.best)) counts.best = NAN;
    return counts;
}

double batch_crew_part(batch_crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock);
    const double part = vxe_source_part(crew->source);
    (void)pthread_mutex_unlock(&crew->lock);
    return part;
}
