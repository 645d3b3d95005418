/* Many small simulations over all processors: threads take the next one when they have finished theirs. */
#include "base/base.h"
#include "base/pool.h"
#include "sim/sim.h"

#include <stdatomic.h>

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
    batch *b = context;
    (void)index;
    while (!atomic_load_explicit(&b->stopped, memory_order_relaxed)) {
        const int64_t i = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed);
        if (i >= b->count) return;
        vxe_batch_item *item = &b->items[i];
        if (item->sim != NULL) item->reason = vxe_sim_run(item->sim, &item->stop, item->steps);
        item->done = 1;
        atomic_fetch_add(&b->ended, 1);
        tell(b);
    }
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
