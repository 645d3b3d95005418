/* Threads wait a short while by looking (a stage of a step takes some ten microseconds), then asleep. The
 * looking ends early where there are more threads than processors. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOOKS 4000 /* some ten microseconds */

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

int vxe_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
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
