/* How threads share the lattice: each takes a run of whole chunks. A body below a certain size is worth one
 * thread only: what it gains by a second is lost in waiting. */
#include "base/base.h"
#include "base/pool.h"
#include "sim/sim.h"

#include <stdlib.h>

#define VOXELS_PER_THREAD 8000 /* a choice on the safe side: docs/performance.md */
#define LANES_MOST 16          /* a block may look this far beyond what it needs */

/* The number of threads: what was asked for, or what the body is worth; never more than it has chunks. */
static int thread_count(const vxe_sim *sim)
{
    const int32_t n = sim->model->view.voxel_count;
    const int32_t chunks = (n + CHUNK - 1) / CHUNK;
    int32_t count = sim->def.threads;
    if (!sim->backend->parallel) return 1;
    if (count == 0) {
        const int processors = vxe_processors();
        count = n / VOXELS_PER_THREAD;
        if (count > processors) count = processors;
    }
    if (count > chunks) count = chunks;
    return count < 1 ? 1 : (int)count;
}

/* Where the first link that comes into a part begins, and where the last that leaves the one before ends. */
static void find_crossings(const vxe_model *m, int32_t cut, int32_t *first, int32_t *last)
{
    *first = cut;
    *last = cut - 1;
    for (int32_t v = 0; v < cut; v++) {
        for (int a = 0; a < 3; a++) {
            if (m->link_kind[a][v] == 0 || m->next[a][v] < cut) continue;
            if (v < *first) *first = v;
            if (m->next[a][v] > *last) *last = m->next[a][v];
        }
    }
}

vxe_result vxe_parts_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const int32_t chunks = (n + CHUNK - 1) / CHUNK;
    const int count = thread_count(sim);
    const size_t rates = (size_t)m->constant_count + 1 + 8; /* apart from each other's cache lines */
    sim->parts = vxe_allocate((size_t)count, sizeof *sim->parts);
    double *memory = vxe_allocate((size_t)count * rates, sizeof *memory);
    if (sim->parts == NULL || memory == NULL) {
        free(memory);
        return vxe_fail_memory(error, "the simulation", (size_t)count * sizeof *sim->parts);
    }
    sim->part_count = count;
    for (int i = 0; i < count; i++) {
        sweep_part *part = &sim->parts[i];
        part->rates = memory + (size_t)i * rates;
        part->begin = (int32_t)((int64_t)chunks * i / count) * CHUNK;
        part->end = i + 1 < count ? (int32_t)((int64_t)chunks * (i + 1) / count) * CHUNK : n;
        int32_t last = 0;
        find_crossings(m, part->begin, &part->cross, &last);
        if (i == 0) {
            part->cross = 0;
            part->head = 0;
            continue;
        }
        /* whole blocks, and what a block at the end of the part before may look at beyond its links */
        part->cross = part->cross / LANES_MOST * LANES_MOST;
        part->head = (last + 2 * LANES_MOST) / LANES_MOST * LANES_MOST;
        if (part->head > part->end) part->head = part->end;
    }
    return count > 1 ? vxe_pool_create(count, &sim->pool, error) : VXE_OK;
}

void vxe_parts_destroy(vxe_sim *sim)
{
    vxe_pool_destroy(sim->pool);
    if (sim->parts != NULL) free(sim->parts[0].rates);
    free(sim->parts);
    sim->parts = NULL;
}

typedef struct stage_call {
    vxe_sim *sim;
    void (*stage)(vxe_sim *sim, int part);
} stage_call;

static void call_stage(void *context, int index)
{
    const stage_call *call = context;
    call->stage(call->sim, index);
}

void vxe_parts_run(vxe_sim *sim, void (*stage)(vxe_sim *sim, int part))
{
    if (sim->pool == NULL) {
        stage(sim, 0);
        return;
    }
    stage_call call = {sim, stage};
    vxe_pool_run(sim->pool, call_stage, &call);
}
