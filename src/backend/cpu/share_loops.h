/* Pressure shared between voxels: the loops of sim/pressure.c, for every instruction set. Numbers are double
 * in every precision. Included by plain_loops.h and wide_loops.h; each number is computed by itself in a
 * fixed order, so lanes do not change it. */
#ifndef BACKEND_CPU_SHARE_LOOPS_H
#define BACKEND_CPU_SHARE_LOOPS_H

#include "sim/pressure.h"

#include <stdbool.h>
#include <string.h>

#ifdef VXE_LANES
/* Half of the widest vectors: what is read begins anywhere, and of these fewer cross a cache line. */
#define SHARE_BYTES (VXE_LANES * sizeof(VXE_REAL) < 32 ? VXE_LANES * sizeof(VXE_REAL) : 32)
#define SHARE_LANES (SHARE_BYTES / sizeof(double))
typedef double share_numbers __attribute__((vector_size(SHARE_BYTES)));
#else
#define SHARE_LANES 1
typedef double share_numbers;
#endif
_Static_assert(SHARING_BLOCK % SHARE_LANES == 0, "a block of rows is some vectors");

#define SHARE_ALWAYS static inline __attribute__((always_inline))

SHARE_ALWAYS share_numbers share_load(const double *a)
{
    share_numbers r;
    memcpy(&r, a, sizeof r);
    return r;
}

/* How a half of the solution goes on from the rows' sums: see sim/pressure.c. */
typedef struct share_step {
    double now_weight, sum_weight, past_weight;
    const double *now, *past; /* NULL: the sums themselves are wanted */
    double *out;
} share_step;

/* Numbers of a vector of rows from its sums. */
SHARE_ALWAYS void share_finish(const share_step *s, ptrdiff_t i, share_numbers sum, const bool plain)
{
    if (!plain) {
        sum = s->sum_weight * sum + s->now_weight * share_load(s->now + i);
        sum = sum + s->past_weight * share_load(s->past + i);
    }
    memcpy(s->out + i, &sum, sizeof sum);
}

/* The rows of a run with few slots: their number is known, so there is no loop. */
SHARE_ALWAYS void share_few(const share_half *h, const share_run *run, const double *other,
                            const share_step *step, const int slots, const bool plain)
{
    const double *c = h->coefficient + run->coefficient;
    const int32_t *offset = h->offset + run->offset;
    const double *x[12];
    for (int k = 0; k < slots; k++) x[k] = other + offset[k];
    const double *source = h->source;
    const share_step s = *step;
    const ptrdiff_t end = run->end;
    for (ptrdiff_t begin = run->begin; begin < end; begin += SHARING_BLOCK, c += slots * SHARING_BLOCK) {
        for (ptrdiff_t j = 0; j < SHARING_BLOCK; j += (ptrdiff_t)SHARE_LANES) {
            share_numbers sum = share_load(source + begin + j);
            for (int k = 0; k < slots; k++)
                sum = sum + share_load(c + k * SHARING_BLOCK + j) * share_load(x[k] + begin + j);
            share_finish(&s, begin + j, sum, plain);
        }
    }
}

/* The same with any number of slots. */
static void share_many(const share_half *h, const share_run *run, const double *other, const share_step *step)
{
    const double *c = h->coefficient + run->coefficient;
    const int32_t *offset = h->offset + run->offset;
    for (ptrdiff_t begin = run->begin; begin < run->end;
         begin += SHARING_BLOCK, c += run->slots * SHARING_BLOCK) {
        for (ptrdiff_t j = 0; j < SHARING_BLOCK; j += (ptrdiff_t)SHARE_LANES) {
            const ptrdiff_t i = begin + j;
            share_numbers sum = share_load(h->source + i);
            for (int32_t k = 0; k < run->slots; k++)
                sum = sum + share_load(c + k * SHARING_BLOCK + j) * share_load(other + i + offset[k]);
            share_finish(step, i, sum, step->now == NULL);
        }
    }
}

/* Runs of a half from one on: out = B other + source (`plain`), or a step towards it. */
SHARE_ALWAYS void share_rows(const share_half *h, int32_t first, int32_t end, const double *other,
                             const share_step *step, const bool plain)
{
    for (int32_t r = first; r < end; r++) {
        const share_run *run = &h->runs[r];
        switch (run->slots) {
        case 2: share_few(h, run, other, step, 2, plain); break;
        case 4: share_few(h, run, other, step, 4, plain); break;
        case 6: share_few(h, run, other, step, 6, plain); break;
        case 8: share_few(h, run, other, step, 8, plain); break;
        case 10: share_few(h, run, other, step, 10, plain); break;
        case 12: share_few(h, run, other, step, 12, plain); break;
        default: share_many(h, run, other, step); break;
        }
    }
}

/* A half of a step, for a thread. */
typedef struct share_work {
    const share_half *half;
    const double *other;
    share_step step;
} share_work;

static void share_part(vxe_sim *sim, const part_range *part, void *context)
{
    const share_work *work = context;
    const int64_t runs = work->half->run_count;
    const int32_t first = (int32_t)(runs * part->index / part->count);
    const int32_t end = (int32_t)(runs * (part->index + 1) / part->count);
    (void)sim;
    if (work->step.now == NULL) {
        share_rows(work->half, first, end, work->other, &work->step, true);
    } else {
        share_rows(work->half, first, end, work->other, &work->step, false);
    }
}

/* Halves with fewer rows for each thread are not worth waiting for others. */
#define SHARE_ROWS 2048

static void share_divided(vxe_sim *sim, share_work work)
{
    if (work.half->count >= SHARE_ROWS * sim->threads) {
        sim->host.divide(sim, share_part, &work);
    } else {
        const part_range all = {0, 1, 0, 0, 0};
        share_part(sim, &all, &work);
    }
}

/* Fills in `result` of both halves from their sources. */
static void share_pressure(vxe_sim *sim, pressure_sharing *s)
{
    share_half *even = &s->half[0];
    share_half *odd = &s->half[1];
    const double *now = s->zero;
    const double *past = s->zero;
    const double *other = odd->source;
    double weight = 2.0;
    double omega = 1.0;
    for (int32_t k = 0; k < s->steps; k++) {
        const share_step step = {omega * (1.0 - s->gain), omega * s->gain, 1.0 - omega, now, past,
                                 even->pressure[k % 3]};
        share_divided(sim, (share_work){even, other, step});
        past = now;
        now = step.out;
        share_divided(sim, (share_work){odd, now, {.out = odd->pressure[0]}});
        other = odd->pressure[0];
        weight = 1.0 / (1.0 - 0.25 * s->radius * s->radius * weight);
        omega = weight;
    }
    even->result = now;
    odd->result = other;
}

#endif
