/* How threads share the lattice: each takes a run of whole chunks. A body below a certain size is worth one
 * thread only: what it gains by a second is lost in waiting. */
#include "backend/cpu/machine.h"
#include "base/base.h"
#include "base/pool.h"
#include "base/sum.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VOXELS_PER_THREAD 8000 /* a choice on the safe side: docs/performance.md */
#define LANES_MOST 16          /* a block may look this far beyond what it needs */

int32_t vxe_parts_threads(const vxe_sim *sim)
{
    const int32_t n = sim->model->view.voxel_count;
    const int32_t chunks = (n + CHUNK - 1) / CHUNK;
    int32_t count = sim->def.threads;
    if (count == 0) {
        count = n / VOXELS_PER_THREAD;
        const int cores = count > 1 ? vxe_cores("") : 1;
        if (count > cores) count = cores;
    }
    if (count > chunks) count = chunks;
    return count < 1 ? 1 : count;
}

/* Where the first links that come into a part begin, and where the last that leaves the one before ends. */
static int32_t find_crossings(const vxe_model *m, int32_t cut, int32_t first[3])
{
    int32_t last = cut - 1;
    for (int a = 0; a < 3; a++) {
        first[a] = cut;
        for (int32_t v = 0; v < cut; v++) {
            if (m->link_kind[a][v] == 0 || m->next[a][v] < cut) continue;
            if (v < first[a]) first[a] = v;
            if (m->next[a][v] > last) last = m->next[a][v];
        }
    }
    return last;
}

vxe_result vxe_parts_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const int32_t chunks = (n + CHUNK - 1) / CHUNK;
    const int32_t count = sim->threads;
    const size_t rates = (size_t)m->constant_count + 1 + 8; /* apart from each other's cache lines */
    cpu_machine *cpu = vxe_allocate(1, sizeof *cpu);
    sweep_part *parts = vxe_allocate((size_t)count, sizeof *parts);
    double *memory = vxe_allocate((size_t)count * rates, sizeof *memory);
    if (cpu == NULL || parts == NULL || memory == NULL) {
        free(cpu);
        free(parts);
        free(memory);
        return vxe_fail_memory(error, "the simulation", (size_t)count * sizeof *parts);
    }
    sim->cpu = cpu;
    cpu->part_count = count;
    cpu->parts = parts;
    parts[0].rates = memory;
    if (sim->def.audit) {
        const size_t stride = (size_t)n + LANES_MOST;
        cpu->terms[0] = vxe_allocate(ACCOUNT_SUM_COUNT * stride, sizeof(double));
        if (cpu->terms[0] == NULL)
            return vxe_fail_memory(error, "the simulation", ACCOUNT_SUM_COUNT * stride * sizeof(double));
        sim->bytes += ACCOUNT_SUM_COUNT * stride * sizeof(double);
        for (size_t i = 1; i < ACCOUNT_SUM_COUNT; i++) cpu->terms[i] = cpu->terms[0] + i * stride;
    }
    for (int i = 0; i < count; i++) {
        sweep_part *part = &parts[i];
        part->rates = memory + (size_t)i * rates;
        part->begin = (int32_t)((int64_t)chunks * i / count) * CHUNK;
        part->end = i + 1 < count ? (int32_t)((int64_t)chunks * (i + 1) / count) * CHUNK : n;
        const int32_t last = find_crossings(m, part->begin, part->cross);
        if (i == 0) continue;
        /* whole blocks, and what a block at the end of the part before may look at beyond its links */
        for (int a = 0; a < 3; a++) part->cross[a] = part->cross[a] / LANES_MOST * LANES_MOST;
        part->head = (last + 2 * LANES_MOST) / LANES_MOST * LANES_MOST;
        if (part->head > part->end) part->head = part->end;
    }
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (m->link_kind[a][v] != 0 && m->next[a][v] - v > cpu->reach[a])
                cpu->reach[a] = m->next[a][v] - v;
        }
    }
    return count > 1 ? vxe_pool_create(count, &cpu->pool, error) : VXE_OK;
}

void vxe_parts_destroy(vxe_sim *sim)
{
    cpu_machine *cpu = sim->cpu;
    if (cpu == NULL) return;
    vxe_pool_destroy(cpu->pool);
    free(cpu->terms[0]);
    free(cpu->parts[0].rates);
    free(cpu->parts);
    free(cpu);
    sim->cpu = NULL;
}

/* ---- stages ------------------------------------------------------------------------------------------------------- */

typedef struct stage_call {
    vxe_sim *sim;
    const step_context *context;
    part_stage *stage;
} stage_call;

static void call_stage(void *call, int index)
{
    const stage_call *own = call;
    own->stage(own->sim, own->context, index);
}

void vxe_parts_run(vxe_sim *sim, const step_context *context, part_stage *stage)
{
    if (sim->cpu->pool == NULL) {
        stage(sim, context, 0);
        return;
    }
    stage_call call = {sim, context, stage};
    vxe_pool_run(sim->cpu->pool, call_stage, &call);
}

typedef struct task_call {
    vxe_sim *sim;
    part_task *task;
    void *context;
} task_call;

static void call_task(void *call, int index)
{
    const task_call *own = call;
    const sweep_part *part = &own->sim->cpu->parts[index];
    part_range range = {index, own->sim->cpu->part_count, part->begin, part->end, part->begin};
    for (int a = 0; a < 3; a++) {
        if (part->cross[a] < range.before) range.before = part->cross[a];
    }
    own->task(own->sim, &range, own->context);
}

void vxe_parts_divide(vxe_sim *sim, part_task *task, void *context)
{
    task_call call = {sim, task, context};
    if (sim->cpu->pool == NULL) {
        call_task(&call, 0);
    } else {
        vxe_pool_run(sim->cpu->pool, call_task, &call);
    }
}

/* The sums of the chunks of a part, one kind. */
static void sum_terms(vxe_sim *sim, int part, account_sum which)
{
    static const size_t place[ACCOUNT_SUM_COUNT] = {
#define X(name) offsetof(step_measures, name),
        ACCOUNT_SUMS(X)
#undef X
    };
    const bool flows = which == SUM_lost_work || which == SUM_swelling; /* of what rests there are none */
    const int32_t end = sim->cpu->parts[part].end;
    for (int32_t begin = sim->cpu->parts[part].begin; begin < end; begin += CHUNK) {
        const int32_t size = begin + CHUNK < end ? CHUNK : end - begin;
        const bool none = flows && vxe_chunk_rests(sim, begin / CHUNK);
        const double sum = none ? 0.0 : sum_of(sim->cpu->terms[which] + begin, (size_t)size);
        memcpy((char *)&sim->measures[begin / CHUNK] + place[which], &sum, sizeof sum);
    }
}

void vxe_parts_sum(vxe_sim *sim, const step_context *context, int part)
{
    sum_terms(sim, part, SUM_lost_work);
    if (vxe_swells(sim)) sum_terms(sim, part, SUM_swelling);
    if (!context->measure) return;
#define X(name) sum_terms(sim, part, SUM_##name);
    ACCOUNT_STORES(X)
#undef X
}

void vxe_parts_clear_rates(vxe_sim *sim)
{
    const size_t materials = (size_t)sim->model->constant_count + 1;
    for (int i = 0; i < sim->cpu->part_count; i++)
        memset(sim->cpu->parts[i].rates, 0, materials * sizeof(double));
}

void vxe_parts_keep_rates(vxe_sim *sim, const step_context *context)
{
    for (int32_t i = 1; i <= sim->model->constant_count && context->rated; i++) {
        double most = 0.0;
        for (int j = 0; j < sim->cpu->part_count; j++) {
            const double own = sim->cpu->parts[j].rates[i];
            most = own > most ? own : most;
        }
        sim->rates[1][i] = most;
    }
}

/* ---- damping ------------------------------------------------------------------------------------------------------ */

enum { STRIP = 256, BLOCK = 16 };

/* All passes in one sweep, each behind the one before: as soon as that is done with every voxel that a
 * strip's links touch, which lie at most `reach` further on, and a pass never comes back to voxels behind.
 * The velocities then come from the nearest cache and not, eleven times, from a further one. Likewise what
 * kicks and moves voxels, before the first pass and behind the last. */
static void damp_staggered(const vxe_sim *sim, const damping_work *work)
{
    enum { KICK = 0, MOVE = DAMPING_PASSES + 1 };
    const int32_t n = sim->model->view.voxel_count;
    const int first = work->kick != NULL ? KICK : KICK + 1;
    const int last = work->move != NULL ? MOVE : MOVE - 1;
    int32_t done[MOVE + 1];
    for (int k = 0; k <= MOVE; k++) done[k] = vxe_first_awake(sim) / CHUNK * CHUNK;
    while (done[last] < n) {
        for (int k = first; k <= last; k++) {
            int32_t limit = k > first ? done[k - 1] : done[k] + (k == KICK ? CHUNK : STRIP);
            if (k > first && k < MOVE && limit < n) {
                limit -= sim->cpu->reach[vxe_damping_order[k - 1].axis] + BLOCK;
                limit = limit > 0 ? limit / STRIP * STRIP : 0;
            }
            if (limit > n) limit = n;
            if (limit <= done[k]) continue;
            if (k == KICK) {
                work->kick(work->own, done[k], limit);
            } else if (k == MOVE) {
                work->move(work->own, done[k], limit);
            } else {
                work->damp(work->own, 0, vxe_damping_order[k - 1], done[k], limit);
            }
            done[k] = limit;
        }
    }
}

int32_t vxe_parts_behind(const vxe_sim *sim)
{
    int32_t behind = CHUNK + STRIP;
    for (int k = 0; k < DAMPING_PASSES; k++)
        behind += sim->cpu->reach[vxe_damping_order[k].axis] + BLOCK + STRIP;
    return behind;
}

/* A pass of all threads. */
typedef struct pass_call {
    const vxe_sim *sim;
    const damping_work *work;
    damping_pass pass;
} pass_call;

static void call_pass(void *call, int index)
{
    const pass_call *own = call;
    const sweep_part *part = &own->sim->cpu->parts[index];
    own->work->damp(own->work->own, index, own->pass, part->begin, part->end);
}

void vxe_parts_damp(vxe_sim *sim, const damping_work *work)
{
    if (sim->cpu->pool == NULL) {
        damp_staggered(sim, work);
        return;
    }
    for (int k = 0; k < DAMPING_PASSES; k++) {
        pass_call call = {sim, work, vxe_damping_order[k]};
        vxe_pool_run(sim->cpu->pool, call_pass, &call);
    }
}
