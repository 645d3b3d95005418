/* Many small simulations over all processors: threads take the next one when they have finished theirs. */
#include "base/base.h"
#include "base/pool.h"
#include "sim/going.h"

#include <math.h>
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

static const vxe_stop *stop_of(const vxe_batch_item *item)
{
    static const vxe_stop none = {0};
    return item->stop != NULL ? item->stop : &none;
}

static void run_items(void *context, int index)
{
    batch *b = context;
    (void)index;
    while (!atomic_load_explicit(&b->stopped, memory_order_relaxed)) {
        const int64_t i = atomic_fetch_add_explicit(&b->next, 1, memory_order_relaxed);
        if (i >= b->count) return;
        vxe_batch_item *item = &b->items[i];
        if (item->done != 0) continue; /* a device has run it */
        if (item->sim != NULL) item->reason = vxe_sim_run(item->sim, stop_of(item), item->steps);
        item->done = 1;
        atomic_fetch_add(&b->ended, 1);
        tell(b);
    }
}

/* ---- on a device ------------------------------------------------------------------------------------------- */

/* Items that a device steps together. */
typedef struct convoy {
    batch *b;
    sim_going *going;
    vxe_batch_item **items;
    vxe_sim **sims;
    step_limits *limits;
    int32_t count;
    atomic_int_fast32_t next;
} convoy;

/* Before a launch: what the host has to do for each, one after the other. */
static void host_part(void *context, int index)
{
    convoy *c = context;
    (void)index;
    for (;;) {
        const int32_t i = (int32_t)atomic_fetch_add(&c->next, 1);
        if (i >= c->count) return;
        sim_going *g = &c->going[i];
        step_limits *l = &c->limits[i];
        vxe_batch_item *item = c->items[i];
        if (item->done != 0 || l->tired) continue;
        l->again = false;
        bool over = vxe_going_over(g);
        while (!over && (l->host || !g->sim->device->takes(g->sim)) && !atomic_load(&c->b->stopped)) {
            vxe_going_step(g);
            l->host = false;
            over = vxe_going_over(g);
        }
        if (!over) continue;
        vxe_going_end(g);
        item->reason = g->reason;
        item->done = 1;
        atomic_fetch_add(&c->b->ended, 1);
        tell(c->b);
    }
}

static void host_parts(convoy *c, vxe_pool *pool)
{
    atomic_store(&c->next, 0);
    if (pool != NULL) {
        vxe_pool_run(pool, host_part, c);
    } else {
        host_part(c, 0);
    }
}

static void run_convoy(convoy *c, vxe_pool *pool)
{
    const sim_backend *device = c->sims[0]->device;
    int32_t valid = 0;
    for (int32_t i = 0; i < c->count; i++) {
        vxe_batch_item *item = c->items[i];
        if (!vxe_going_begin(&c->going[valid], c->sims[i], item->stop, item->steps, INFINITY)) {
            item->reason = VXE_RUN_FAULT;
            item->done = 1;
            atomic_fetch_add(&c->b->ended, 1);
            continue;
        }
        c->items[valid] = item;
        c->sims[valid] = c->sims[i];
        c->limits[valid] = c->limits[i];
        valid++;
    }
    c->count = valid;
    for (;;) {
        host_parts(c, pool);
        /* those that go on come first */
        int32_t left = 0;
        for (int32_t i = 0; i < c->count; i++) {
            if (c->items[i]->done != 0) continue;
            c->items[left] = c->items[i];
            c->sims[left] = c->sims[i];
            c->going[left] = c->going[i];
            c->limits[left] = c->limits[i];
            const bool again = c->limits[left].again;
            c->limits[left] = vxe_going_limits(&c->going[left]);
            c->limits[left].again = again;
            left++;
        }
        c->count = left;
        tell(c->b);
        if (left == 0 || atomic_load(&c->b->stopped)) break;
        device->advance(c->sims, c->limits, left, pool);
        for (int32_t i = 0; i < left; i++) {
            step_limits *l = &c->limits[i];
            c->going[i].taken += l->taken;
            if (c->sims[i]->status.fault != VXE_FAULT_NONE) l->tired = false;
            if (l->taken == 0 && !l->tired) l->host = true; /* it goes on anyway */
            l->again = l->tired;
        }
    }
    for (int32_t i = 0; i < c->count; i++) vxe_going_end(&c->going[i]); /* stopped */
}

/* Items whose simulations are on a device, as many at a time as it has room for. */
static void run_convoys(batch *b, const sim_backend *device, convoy *all, vxe_pool *pool)
{
    int32_t count = 0;
    for (int64_t i = 0; i < b->count; i++) {
        if (b->items[i].sim == NULL || b->items[i].sim->device != device) continue;
        all->items[count] = &b->items[i];
        all->sims[count++] = b->items[i].sim;
    }
    for (int32_t at = 0; at < count && !atomic_load(&b->stopped);) {
        const int32_t some = device->room(all->sims + at, count - at);
        convoy c = {.b = b,
                    .going = all->going + at,
                    .items = all->items + at,
                    .sims = all->sims + at,
                    .limits = all->limits + at,
                    .count = some};
        run_convoy(&c, pool);
        at += some;
    }
}

static vxe_result run_on_device(batch *b, const sim_backend *device, int32_t threads, vxe_error *error)
{
    const size_t n = (size_t)b->count;
    convoy all = {.b = b,
                  .going = vxe_allocate(n, sizeof(sim_going)),
                  .items = vxe_allocate(n, sizeof(vxe_batch_item *)),
                  .sims = vxe_allocate(n, sizeof(vxe_sim *)),
                  .limits = vxe_allocate(n, sizeof(step_limits))};
    vxe_pool *pool = NULL;
    vxe_result result = VXE_OK;
    const int used = threads > 0 ? threads : vxe_processors();
    if (all.going == NULL || all.items == NULL || all.sims == NULL || all.limits == NULL) {
        result = vxe_fail_memory(error, "a batch", n * sizeof(sim_going));
    } else {
        if (used > 1) result = vxe_pool_create(used, &pool, error);
        if (result == VXE_OK) run_convoys(b, device, &all, pool);
        vxe_pool_destroy(pool);
    }
    free(all.going);
    free(all.items);
    free(all.sims);
    free(all.limits);
    return result;
}

/* The device that takes whole steps of some item; NULL: none. */
static const sim_backend *device_of(const batch *b)
{
    for (int64_t i = 0; i < b->count; i++) {
        const vxe_sim *sim = b->items[i].sim;
        if (b->items[i].done == 0 && sim != NULL && sim->device != NULL && sim->device->advance != NULL)
            return sim->device;
    }
    return NULL;
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
    const sim_backend *device = device_of(&b);
    if (device != NULL) {
        const vxe_result ran = run_on_device(&b, device, threads, error);
        if (ran != VXE_OK || atomic_load(&b.stopped)) return ran;
    }
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
