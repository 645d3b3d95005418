/* Many processes by MPI. Rank 0 reads designs and owns the store; the others ask it for designs, in groups,
 * and send what became of them along. Only the first thread of a process speaks. */
#include "cli/batch.h"

#include <dirent.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TAG_HELLO = 1, /* to 0: name of the machine */
    TAG_ASK,       /* to 0: how many designs are wanted, and outcomes */
    TAG_OUTCOMES,  /* to 0: outcomes, or just a sign of life */
    TAG_BYE,       /* to 0: outcomes, the last */
    TAG_DESIGNS    /* from 0: designs; none: there are no more */
};
enum { WANTED_MOST = 2048, HOST_SIZE = 256 };
#define MESSAGE_MOST ((size_t)1 << 30) /* bytes; what is over goes into the next message */
#define FLUSH_SECONDS 0.3
#define SIGN_SECONDS 3.0      /* between signs of life */
#define SILENCE_SECONDS 30.0  /* after which a rank counts as lost, where MPI goes on without it */
#define FAREWELL_SECONDS 10.0 /* of patience with ranks that do not answer after an interrupt */

/* Bytes that grow. */
typedef struct parcel {
    char *bytes;
    size_t size;
    size_t room;
    size_t at; /* of reading */
} parcel;

static bool put(parcel *p, const void *data, size_t size)
{
    char *bytes = vxe_grow(p->bytes, p->size + size, &p->room, 1);
    if (bytes == NULL && size > 0) return false;
    p->bytes = bytes;
    if (size > 0) memcpy(p->bytes + p->size, data, size);
    p->size += size;
    return true;
}

/* A text, or nothing. */
static bool put_text(parcel *p, const char *text, size_t size)
{
    const int64_t length = text == NULL ? -1 : (int64_t)size;
    return put(p, &length, sizeof length) && (text == NULL || put(p, text, size));
}

static bool get(parcel *p, void *data, size_t size)
{
    if (size > p->size - p->at) return false;
    memcpy(data, p->bytes + p->at, size);
    p->at += size;
    return true;
}

static bool get_text(parcel *p, char **text, size_t *size)
{
    int64_t length = 0;
    *text = NULL;
    if (!get(p, &length, sizeof length)) return false;
    if (length < 0) return true;
    if ((size_t)length > p->size - p->at) return false;
    *text = malloc((size_t)length + 1);
    if (*text == NULL) return false;
    (*text)[length] = '\0';
    if (size != NULL) *size = (size_t)length;
    return get(p, *text, (size_t)length);
}

static bool put_outcome(parcel *p, const design_outcome *o)
{
    return put(p, o, sizeof *o) && put_text(p, o->text, o->text == NULL ? 0 : strlen(o->text));
}

static bool put_task(parcel *p, const batch_task *t)
{
    const design_item *i = &t->item;
    return put(p, &t->repeat, sizeof t->repeat) && put(p, &i->number, sizeof i->number) &&
           put_text(p, i->text, i->size) && put_text(p, i->file, i->file == NULL ? 0 : strlen(i->file)) &&
           put_text(p, i->name, i->name == NULL ? 0 : strlen(i->name));
}

static bool get_task(parcel *p, batch_task *t)
{
    design_item *i = &t->item;
    memset(t, 0, sizeof *t);
    const bool good = get(p, &t->repeat, sizeof t->repeat) && get(p, &i->number, sizeof i->number) &&
                      get_text(p, &i->text, &i->size) && get_text(p, &i->file, NULL) &&
                      get_text(p, &i->name, NULL);
    if (!good) vxe_item_free(i);
    return good;
}

static void send_parcel(const parcel *p, int to, int tag)
{
    (void)MPI_Send(p->bytes, (int)p->size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static bool receive(parcel *p, const MPI_Status *status)
{
    int size = 0;
    (void)MPI_Get_count(status, MPI_BYTE, &size);
    p->bytes = malloc((size_t)size + 1);
    p->size = p->room = (size_t)size;
    p->at = 0;
    if (p->bytes == NULL) return false;
    return MPI_Recv(p->bytes, size, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static void rest(double seconds)
{
    const struct timespec t = {0, (long)(1e9 * seconds)};
    (void)nanosleep(&t, NULL);
}

/* ---- beginning and end ---------------------------------------------------------------------------------------- */

/* Whether something started this process as one of several. */
static bool is_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL) return true;
    return false;
}

/* Each process of a machine with several GPUs gets one, unless somebody has chosen; before CUDA is first
 * used. Rank 0 needs none. */
static void choose_gpu(void)
{
    MPI_Comm neighbours;
    int local = 0;
    int count = 0;
    char text[16];
    DIR *folder = opendir("/proc/driver/nvidia/gpus");
    for (const struct dirent *d = NULL; folder != NULL && (d = readdir(folder)) != NULL;)
        count += d->d_name[0] != '.';
    if (folder != NULL) (void)closedir(folder);
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
    (void)MPI_Comm_rank(neighbours, &local);
    (void)MPI_Comm_free(&neighbours);
    if (count < 2) return;
    (void)snprintf(text, sizeof text, "%d", (local + count - 1) % count);
    (void)setenv("CUDA_VISIBLE_DEVICES", text, 0);
}

bool batch_ranks_begin(batch_ranks *ranks, bool gpu)
{
    int provided = 0;
    *ranks = (batch_ranks){.ranks = 1};
    if (!is_started()) return true;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
        return cli_complain("batch: MPI cannot be started");
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks->ranks);
    if (gpu) choose_gpu();
    return true;
}

/* What rank 0 knows of another. */
struct batch_rank {
    int64_t run;       /* its number in the store */
    double heard;      /* on cli_clock() */
    bool ended;        /* said goodbye, or is lost */
    batch_task *tasks; /* what it has in hand */
    size_t count;
    size_t room;
};

void batch_ranks_end(batch_ranks *ranks, int status)
{
    int begun = 0;
    int ended = 0;
    for (int r = 0; ranks->of != NULL && r < ranks->ranks; r++) {
        for (size_t i = 0; i < ranks->of[r].count; i++) batch_task_free(&ranks->of[r].tasks[i]);
        free(ranks->of[r].tasks);
    }
    free(ranks->of);
    ranks->of = NULL;
    (void)MPI_Initialized(&begun);
    (void)MPI_Finalized(&ended);
    if (!begun || ended) return;
    if (ranks->left > 0 || ranks->lost > 0) (void)MPI_Abort(MPI_COMM_WORLD, status);
    (void)MPI_Finalize();
}

/* ---- rank 0 --------------------------------------------------------------------------------------------------- */

/* A rank has finished this. */
static void forget(struct batch_rank *from, const design_outcome *o)
{
    for (size_t i = 0; i < from->count; i++) {
        batch_task *t = &from->tasks[i];
        if (t->repeat != o->repeat || memcmp(t->plan.hash, o->hash, DIGEST_SIZE) != 0) continue;
        batch_task_free(t);
        *t = from->tasks[--from->count];
        return;
    }
}

static bool remember(struct batch_rank *of, batch_task *task)
{
    batch_task *tasks = vxe_grow(of->tasks, of->count + 1, &of->room, sizeof *tasks);
    if (tasks == NULL) return false;
    of->tasks = tasks;
    json_decref(task->plan.root); /* the text is enough */
    task->plan.root = NULL;
    of->tasks[of->count++] = *task;
    return true;
}

/* The outcomes of a message, with the number of the process they come from. */
static bool take_outcomes(batch_crew *crew, parcel *p, struct batch_rank *from)
{
    const batch_port port = batch_crew_port(crew);
    design_outcome *o = malloc(sizeof *o);
    bool good = o != NULL;
    while (good && p->at < p->size) {
        good = get(p, o, sizeof *o);
        if (good) {
            o->text = NULL;
            good = get_text(p, &o->text, NULL);
        }
        if (!good) break;
        o->run = from->run;
        forget(from, o);
        port.give(port.user, NULL, o);
    }
    free(o);
    return good;
}

/* What a design that cannot even be read becomes, without a worker. */
static void record_problem(const batch_port *port, batch_task *task)
{
    design_outcome *o = calloc(1, sizeof *o);
    vxe_batch_end end = {.result = task->problem.code, .message = task->problem.message};
    if (o == NULL) {
        port->give(port->user, task, NULL);
        return;
    }
    batch_outcome_begin(o, task, !port->options->no_designs);
    vxe_outcome_fill(o, NULL, &end, NULL);
    port->give(port->user, task, o);
    free(o);
}

/* Up to `wanted` designs for a rank. */
static bool send_designs(batch_crew *crew, struct batch_rank *of, int to, int32_t wanted)
{
    const batch_port port = batch_crew_port(crew);
    parcel p = {.size = 0};
    bool good = true;
    for (int32_t n = 0; n < wanted && good && p.size < MESSAGE_MOST / 2;) {
        batch_task task;
        if (cli_interrupted() || !port.take(port.user, &task)) break;
        if (task.problem.code != VXE_OK) {
            record_problem(&port, &task);
            batch_task_free(&task);
            continue;
        }
        good = put_task(&p, &task) && remember(of, &task);
        if (!good) batch_task_free(&task);
        n++;
    }
    if (good) send_parcel(&p, to, TAG_DESIGNS);
    free(p.bytes);
    return good;
}

/* What a rank had in hand goes to others. */
static void give_back(batch_crew *crew, batch_ranks *ranks, struct batch_rank *from)
{
    if (from->count > 0) ranks->leftover = true;
    for (size_t i = 0; i < from->count; i++) batch_crew_return(crew, &from->tasks[i]);
    from->count = 0;
}

static vxe_result answer(batch_crew *crew, batch_ranks *ranks, const MPI_Status *status, vxe_error *error)
{
    parcel p = {.size = 0};
    struct batch_rank *from = &ranks->of[status->MPI_SOURCE];
    char host[HOST_SIZE] = "";
    int32_t wanted = 0;
    vxe_result result = VXE_OK;
    bool good = receive(&p, status);
    from->heard = cli_clock();
    switch (status->MPI_TAG) {
    case TAG_HELLO:
        good = good && get(&p, host, p.size < sizeof host ? p.size : sizeof host - 1);
        if (good) result = batch_crew_run(crew, status->MPI_SOURCE, host, &from->run, error);
        break;
    case TAG_ASK:
        good = good && get(&p, &wanted, sizeof wanted) && take_outcomes(crew, &p, from) &&
               send_designs(crew, from, status->MPI_SOURCE, wanted);
        break;
    default:
        good = good && take_outcomes(crew, &p, from);
        if (status->MPI_TAG != TAG_BYE || from->ended) break;
        from->ended = true;
        ranks->left--;
        if (!cli_interrupted()) give_back(crew, ranks, from); /* it ran out of memory */
        result = batch_crew_end_run(crew, from->run, cli_interrupted() ? "interrupted" : "done", error);
        break;
    }
    free(p.bytes);
    if (!good)
        result = vxe_fail(error, VXE_ERROR_MEMORY, "batch: a message of rank %d was not understood",
                          status->MPI_SOURCE);
    return result;
}

/* Ranks that have said nothing for long are lost; what they had in hand goes to others. */
static void look_after(batch_crew *crew, batch_ranks *ranks)
{
    for (int r = 1; r < ranks->ranks; r++) {
        struct batch_rank *one = &ranks->of[r];
        if (one->ended || cli_clock() - one->heard < SILENCE_SECONDS) continue;
        cli_complain(
            "batch: rank %d has been silent for %.0f s and counts as lost; others take its %zu designs", r,
            SILENCE_SECONDS, one->count);
        give_back(crew, ranks, one);
        one->ended = true;
        ranks->left--;
        ranks->lost++;
    }
}

bool batch_ranks_serve(batch_crew *crew, batch_ranks *ranks, vxe_result *result, vxe_error *error)
{
    if (ranks->of == NULL) {
        ranks->of = calloc((size_t)ranks->ranks, sizeof *ranks->of);
        if (ranks->of == NULL) {
            *result = vxe_fail_memory(error, "ranks", (size_t)ranks->ranks);
            return false;
        }
        ranks->left = ranks->ranks - 1;
        for (int r = 0; r < ranks->ranks; r++) ranks->of[r].heard = cli_clock();
    }
    bool quiet = false;
    /* a while of answering, then back to the store */
    for (int i = 0; i < 64 && *result == VXE_OK && ranks->left > 0 && !quiet; i++) {
        int there = 0;
        MPI_Status status;
        (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        quiet = !there;
        if (there) *result = answer(crew, ranks, &status, error);
    }
    if (quiet) look_after(crew, ranks);
    if (cli_interrupted() && ranks->interrupted == 0.0) ranks->interrupted = cli_clock();
    if (ranks->left > 0 && ranks->interrupted > 0.0 && cli_clock() - ranks->interrupted > FAREWELL_SECONDS)
        *result = vxe_fail(error, VXE_ERROR_FILE, "batch: %d ranks do not answer any more", ranks->left);
    return *result == VXE_OK && ranks->left > 0;
}

/* ---- the others ------------------------------------------------------------------------------------------------- */

/* What a rank has in hand. */
typedef struct outpost {
    design_reader *reader;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    batch_task *tasks; /* a ring */
    int first;
    int count;
    bool over; /* there are no more */
    parcel outcomes;
    double oldest; /* on cli_clock() */
    bool broken;   /* no memory */
} outpost;

static bool take(void *user, batch_task *task)
{
    outpost *o = user;
    (void)pthread_mutex_lock(&o->lock);
    while (o->count == 0 && !o->over) (void)pthread_cond_wait(&o->changed, &o->lock);
    const bool found = o->count > 0;
    if (found) {
        *task = o->tasks[o->first];
        o->first = (o->first + 1) % WANTED_MOST;
        o->count--;
    }
    (void)pthread_mutex_unlock(&o->lock);
    if (found) (void)vxe_plan_read(o->reader, &task->item, &task->plan, &task->problem);
    return found;
}

static void give(void *user, const batch_task *task, design_outcome *outcome)
{
    outpost *o = user;
    (void)task;
    if (outcome == NULL) return; /* broken off: rank 0 forgets it when the run ends */
    (void)pthread_mutex_lock(&o->lock);
    if (o->outcomes.size == 0) o->oldest = cli_clock();
    if (!put_outcome(&o->outcomes, outcome)) o->broken = true;
    (void)pthread_mutex_unlock(&o->lock);
    free(outcome->text);
    outcome->text = NULL;
}

/* With the lock: takes the outcomes out. */
static parcel take_parcel(outpost *o)
{
    const parcel p = o->outcomes;
    o->outcomes = (parcel){.size = 0};
    return p;
}

/* Asks for designs and sends outcomes along. */
static bool ask(outpost *o, int32_t wanted)
{
    parcel message = {.size = 0};
    parcel designs = {.size = 0};
    MPI_Status status;
    (void)pthread_mutex_lock(&o->lock);
    parcel outcomes = take_parcel(o);
    (void)pthread_mutex_unlock(&o->lock);
    bool good = put(&message, &wanted, sizeof wanted) && put(&message, outcomes.bytes, outcomes.size);
    free(outcomes.bytes);
    if (good) {
        send_parcel(&message, 0, TAG_ASK);
        /* rank 0 may be busy with its store: the workers go on meanwhile */
        for (int there = 0; !there;) {
            (void)MPI_Iprobe(0, TAG_DESIGNS, MPI_COMM_WORLD, &there, &status);
            if (!there) rest(2e-4);
        }
        good = receive(&designs, &status);
    }
    free(message.bytes);
    (void)pthread_mutex_lock(&o->lock);
    o->over = o->over || !good || designs.size == 0;
    while (good && designs.at < designs.size && o->count < WANTED_MOST) {
        batch_task *t = &o->tasks[(o->first + o->count) % WANTED_MOST];
        good = get_task(&designs, t);
        if (good) o->count++;
    }
    (void)pthread_cond_broadcast(&o->changed);
    (void)pthread_mutex_unlock(&o->lock);
    free(designs.bytes);
    return good;
}

static void send_outcomes(outpost *o, int tag)
{
    (void)pthread_mutex_lock(&o->lock);
    parcel p = take_parcel(o);
    (void)pthread_mutex_unlock(&o->lock);
    send_parcel(&p, 0, tag);
    free(p.bytes);
}

/* Until everything is done. How many are asked for at once grows while answers are used up quickly. */
static bool converse(outpost *o, vxe_batch *batch)
{
    const int32_t workers = vxe_batch_threads(batch);
    int32_t wanted = 2 * workers;
    double asked = cli_clock();
    double spoken = cli_clock();
    bool good = true;
    bool told = false;
    while (good && !vxe_batch_wait(batch, 0.0)) {
        if (cli_interrupted() && !told) {
            told = true;
            (void)pthread_mutex_lock(&o->lock);
            o->over = true;
            for (; o->count > 0; o->count--) {
                batch_task_free(&o->tasks[o->first]);
                o->first = (o->first + 1) % WANTED_MOST;
            }
            (void)pthread_cond_broadcast(&o->changed);
            (void)pthread_mutex_unlock(&o->lock);
            vxe_batch_cancel(batch);
        }
        (void)pthread_mutex_lock(&o->lock);
        const bool short_of = !o->over && o->count <= wanted / 4;
        const bool old = o->outcomes.size > 0 && cli_clock() - o->oldest > FLUSH_SECONDS;
        const bool large = o->outcomes.size > MESSAGE_MOST / 4;
        good = !o->broken;
        (void)pthread_mutex_unlock(&o->lock);
        if (short_of && good) {
            const double now = cli_clock();
            if (now - asked < 0.1 && wanted < WANTED_MOST / 2) wanted *= 2;
            if (now - asked > 1.0 && wanted > 2 * workers) wanted /= 2;
            asked = spoken = now;
            good = ask(o, wanted);
        } else if (old || large || cli_clock() - spoken > SIGN_SECONDS) {
            spoken = cli_clock();
            send_outcomes(o, TAG_OUTCOMES);
        } else {
            rest(1e-3);
        }
    }
    return good;
}

int batch_ranks_work(const batch_options *options)
{
    vxe_error error = {VXE_OK, ""};
    outpost o = {.over = false};
    vxe_batch *batch = NULL;
    char host[HOST_SIZE] = "";
    design_settings settings = options->designs;
    (void)pthread_mutex_init(&o.lock, NULL);
    (void)pthread_cond_init(&o.changed, NULL);
    o.tasks = calloc(WANTED_MOST, sizeof *o.tasks);
    settings.label = options->input;
    vxe_result result = o.tasks == NULL ? vxe_fail_memory(&error, "designs", WANTED_MOST * sizeof *o.tasks)
                                        : vxe_reader_create(&settings, &o.reader, &error);
    const batch_port port = {.user = &o, .reader = o.reader, .options = options, .take = take, .give = give};
    (void)gethostname(host, sizeof host - 1);
    (void)MPI_Send(host, (int)strlen(host), MPI_BYTE, 0, TAG_HELLO, MPI_COMM_WORLD);
    if (result == VXE_OK) result = batch_work_start(&port, options->threads, &batch, &error);
    bool good = result == VXE_OK;
    if (good) good = converse(&o, batch);
    (void)pthread_mutex_lock(&o.lock);
    o.over = true;
    (void)pthread_cond_broadcast(&o.changed);
    (void)pthread_mutex_unlock(&o.lock);
    vxe_batch_destroy(batch);
    send_outcomes(&o, TAG_BYE);
    if (result != VXE_OK) cli_complain("%s", error.message);
    if (result == VXE_OK && !good) cli_complain("batch: there is not enough memory");
    for (; o.count > 0; o.count--) {
        batch_task_free(&o.tasks[o.first]);
        o.first = (o.first + 1) % WANTED_MOST;
    }
    free(o.tasks);
    free(o.outcomes.bytes);
    vxe_reader_destroy(o.reader);
    (void)pthread_cond_destroy(&o.changed);
    (void)pthread_mutex_destroy(&o.lock);
    batch_ranks alone = {.ranks = 0};
    batch_ranks_end(&alone, CLI_DONE);
    return good ? (cli_interrupted() ? CLI_INTERRUPTED : CLI_DONE) : CLI_FILE_PROBLEM;
}
