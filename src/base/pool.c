/* Threads wait a short while by looking (a stage of a step takes some ten microseconds), then asleep. The
 * looking ends early where there are more threads than processors. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOKS 4000 /* some ten microseconds */
#define PATH_LENGTH 512

typedef struct pool_thread {
    struct vxe_pool *pool;
    int index;
    pthread_t thread;
} pool_thread;

struct vxe_pool {
    int count;
    int started; /* threads beside the caller */
    int looks;
    pool_thread *threads;
    vxe_pool_task *task;
    void *context;
    atomic_uint round; /* changes when there is a task */
    atomic_int left;   /* threads that have not finished it */
    atomic_bool over;
    pthread_mutex_t lock;
    pthread_cond_t begin;
    pthread_cond_t done;
};

/* Processors that control groups leave to this process, of `count`. */
static int within_quota(const char *root, int count)
{
    char path[PATH_LENGTH];
    double quota = 0.0;
    double period = 0.0;
    (void)snprintf(path, sizeof path, "%s/sys/fs/cgroup/cpu.max", root);
    FILE *file = fopen(path, "r");
    if (file == NULL) return count;
    const bool limited = fscanf(file, "%lf %lf", &quota, &period) == 2 && quota > 0.0 && period > 0.0;
    (void)fclose(file);
    if (!limited || quota >= period * count) return count;
    const int whole = (int)(quota / period);
    return (double)whole * period < quota ? whole + 1 : whole;
}

/* Whether a processor is another face of a core that one before it in the set has, too. */
static bool shares_core(const char *root, const cpu_set_t *set, int processor)
{
    char path[PATH_LENGTH];
    bool shared = false;
    int first;
    (void)snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", root,
                   processor);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (fscanf(file, "%d", &first) == 1) { /* numbers and ranges: 0,8 or 0-1 */
        int last = first;
        int mark = fgetc(file);
        if (mark == '-' && fscanf(file, "%d", &last) == 1) mark = fgetc(file);
        for (int i = first; i <= last && i < processor && i >= 0; i++)
            shared = shared || CPU_ISSET((size_t)i, set);
        if (mark != ',') break;
    }
    (void)fclose(file);
    return shared;
}

int vxe_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? within_quota("", count) : 1;
}

int vxe_cores(const char *root)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int count = 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t)i, &set) && !shares_core(root, &set, i)) count++;
    }
    return count > 0 ? within_quota(root, count) : 1;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits for a round other than `seen`. */
static unsigned wait_round(vxe_pool *pool, unsigned seen)
{
    for (int i = 0; i < pool->looks; i++) {
        const unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen) return round;
        relax();
    }
    (void)pthread_mutex_lock(&pool->lock);
    unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire);
    while (round == seen) {
        (void)pthread_cond_wait(&pool->begin, &pool->lock);
        round = atomic_load_explicit(&pool->round, memory_order_acquire);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return round;
}

static void *work(void *argument)
{
    const pool_thread *own = argument;
    vxe_pool *pool = own->pool;
    unsigned seen = 0;
    for (;;) {
        seen = wait_round(pool, seen);
        if (atomic_load_explicit(&pool->over, memory_order_relaxed)) return NULL;
        pool->task(pool->context, own->index);
        if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_acq_rel) == 1) {
            (void)pthread_mutex_lock(&pool->lock);
            (void)pthread_cond_signal(&pool->done);
            (void)pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void begin_round(vxe_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    (void)pthread_cond_broadcast(&pool->begin);
    (void)pthread_mutex_unlock(&pool->lock);
}

void vxe_pool_run(vxe_pool *pool, vxe_pool_task *task, void *context)
{
    pool->task = task;
    pool->context = context;
    atomic_store_explicit(&pool->left, pool->started, memory_order_relaxed);
    begin_round(pool);
    task(context, 0);
    for (int i = 0; i < pool->looks; i++) {
        if (atomic_load_explicit(&pool->left, memory_order_acquire) == 0) return;
        relax();
    }
    (void)pthread_mutex_lock(&pool->lock);
    while (atomic_load_explicit(&pool->left, memory_order_acquire) > 0)
        (void)pthread_cond_wait(&pool->done, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
}

vxe_result vxe_pool_create(int count, vxe_pool **pool, vxe_error *error)
{
    vxe_pool *p = calloc(1, sizeof *p);
    if (p == NULL) return vxe_fail_memory(error, "threads", sizeof *p);
    p->threads = calloc((size_t)count, sizeof *p->threads);
    if (p->threads == NULL) {
        free(p);
        return vxe_fail_memory(error, "threads", (size_t)count * sizeof *p->threads);
    }
    p->count = count;
    p->looks = count <= vxe_processors() ? LOOKS : 1;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->begin, NULL);
    (void)pthread_cond_init(&p->done, NULL);
    for (int i = 1; i < count; i++) {
        p->threads[i] = (pool_thread){p, i, 0};
        if (pthread_create(&p->threads[i].thread, NULL, work, &p->threads[i]) != 0) {
            vxe_pool_destroy(p);
            return vxe_fail(error, VXE_ERROR_MEMORY, "thread %d of %d cannot be started", i + 1, count);
        }
        p->started++;
    }
    *pool = p;
    return VXE_OK;
}

void vxe_pool_destroy(vxe_pool *pool)
{
    if (pool == NULL) return;
    atomic_store_explicit(&pool->over, true, memory_order_relaxed);
    begin_round(pool);
    for (int i = 1; i <= pool->started; i++) (void)pthread_join(pool->threads[i].thread, NULL);
    (void)pthread_cond_destroy(&pool->begin);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}
