/* Many small simulations over all processors: threads take the next one when they have finished theirs. */
#include "base/base.h"
#include "base/pool.h"
#include "sim/sim.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct batch {
    vxe_batch_item *items;
    int64_t count;
    vxe_batch_progress *progress;
    void *context;
    atomic_int_fast64_t next;
    atomic_int_fast64_t ended;
    atomic_bool stopped;
    atomic_flag telling; /* one thread tells at a time; the others do not wait for it */
} batch;

static void tell(batch *b)
{
    if (b->progress == NULL || atomic_flag_test_and_set_explicit(&b->telling, memory_order_acquire)) return;
    if (!b->progress(b->context, atomic_load(&b->ended), b->count)) atomic_store(&b->stopped, true);
    atomic_flag_clear_explicit(&b->telling, memory_order_release);
}

static void run_items(void *context, int index)
{
    static const vxe_stop none = {0};
    batch *b = context;
    (void)index;
    while (!atomic_load_explicit(&b->stopped, memory_order_relaxed)) {
        const int64_t i = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed);
        if (i >= b->count) return;
        vxe_batch_item *item = &b->items[i];
        if (item->sim != NULL)
            item->reason = vxe_sim_run(item->sim, item->stop != NULL ? item->stop : &none, item->steps);
        item->done = 1;
        atomic_fetch_add(&b->ended, 1);
        tell(b);
    }
}

static int compare_addresses(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *)a;
    const uintptr_t y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* A simulation that is there twice would be stepped by two threads at once. */
static vxe_result check_distinct(const vxe_batch_item *items, int64_t count, vxe_error *error)
{
    if (count < 2) return VXE_OK;
    uintptr_t *sims = vxe_allocate((size_t)count, sizeof *sims);
    if (sims == NULL) return vxe_fail_memory(error, "a batch", (size_t)count * sizeof *sims);
    for (int64_t i = 0; i < count; i++) sims[i] = (uintptr_t)items[i].sim;
    qsort(sims, (size_t)count, sizeof *sims, compare_addresses);
    bool twice = false;
    for (int64_t i = 1; i < count && !twice; i++) twice = sims[i] != 0 && sims[i] == sims[i - 1];
    free(sims);
    return twice ? vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_batch_run: a simulation is there twice") : VXE_OK;
}

vxe_result vxe_batch_run(vxe_batch_item *items, int64_t count, int32_t threads, vxe_batch_progress *progress,
                         void *context, vxe_error *error)
{
    if (count < 0 || (items == NULL && count > 0))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_batch_run: no items");
    if (threads < 0 || threads > VXE_THREADS_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d threads are not within 0 to %d", (int)threads,
                        VXE_THREADS_MAX);
    }
    const vxe_result distinct = check_distinct(items, count, error);
    if (distinct != VXE_OK) return distinct;
    batch b = {.items = items, .count = count, .progress = progress, .context = context};
    atomic_flag_clear(&b.telling);
    for (int64_t i = 0; i < count; i++) items[i].done = 0;
    int64_t used = threads > 0 ? threads : vxe_processors();
    if (used > count) used = count;
    if (used <= 1) {
        run_items(&b, 0);
        return VXE_OK;
    }
    vxe_pool *pool = NULL;
    const vxe_result result = vxe_pool_create((int)used, &pool, error);
    if (result != VXE_OK) return result;
    vxe_pool_run(pool, run_items, &b);
    vxe_pool_destroy(pool);
    return VXE_OK;
}
