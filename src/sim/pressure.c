/* From volume strains to pressures: each voxel by its modulus; voxels that share faces with unlike materials
 * together, so that stress is continuous.
 *
 * For the sharing ones p solves A p = S, A = 1/modulus on the diagonal plus sum c (p_v - p_w) over shared
 * faces. With D the diagonal of A this is p = B p + s, s = D^-1 S, and B joins voxels of unlike parity only.
 * So with halves e and o
 *
 *     p_o = B_oe p_e + s_o,    p_e = B_eo p_o + s_e = M p_e + t,    M = B_eo B_oe
 *
 * M has eigenvalues from 0 to r^2, r < 1 those of B. The solution for p_e is taken by a fixed number of
 * Chebyshev steps from zero, p_e' = w (p_e + g (M p_e + t - p_e)) + (1 - w) p_e'' with g = 2/(2 - r^2)
 * (Golub and Varga, Numer. Math. 3, 1961). So p = G S with G made of a fixed polynomial of a symmetric
 * matrix: G is symmetric, l^3/2 S.G S is a potential, and momentum and energy are kept exactly however many
 * steps there are. There are enough for four digits at the worst: more would change how far a beam of two
 * materials bends (validate: two) by 2e-6. */
#include "sim/pressure.h"

#include "base/base.h"
#include "kernel/strain.h"
#include "model/pressure.h"

#include <math.h>
#include <stdlib.h>

#define SHARING_DIGITS 1e4
#define SHARING_ARRAYS 5 /* of a half */
#define RADIUS_ROUNDS 8

static double modulus_of(const vxe_sim *sim, int32_t v)
{
    return sim->model->materials[sim->model->material[v]].pressure_modulus[sim->pressure_class[v]];
}

/* ---- who shares with whom ------------------------------------------------------------------------------------------ */

/* Up to six neighbours of a voxel, as numbers in the other half. */
typedef struct share_row {
    int32_t count;
    int32_t neighbour[6];
} share_row;

/* Slots of a run under construction. */
typedef struct slot_list {
    int count;
    int32_t offset[SHARING_SLOTS];
} slot_list;

static int slot_of(const int32_t *offset, int count, int32_t wanted)
{
    for (int k = 0; k < count; k++) {
        if (offset[k] == wanted) return k;
    }
    return -1;
}

/* Adds the block of rows that begins at `first` to a run that begins at `begin`; false: it does not fit. */
static bool add_block(slot_list *list, int32_t begin, int32_t first, const share_row *rows, int32_t count,
                      int32_t others)
{
    const int32_t end = first + SHARING_BLOCK;
    for (int32_t i = first; i < end && i < count; i++) {
        for (int k = 0; k < rows[i].count; k++) {
            const int32_t offset = rows[i].neighbour[k] - i;
            if (slot_of(list->offset, list->count, offset) >= 0) continue;
            if (list->count == SHARING_SLOTS) return false;
            list->offset[list->count++] = offset;
        }
    }
    for (int k = 0; k < list->count; k++) {
        /* what rows without that neighbour read */
        if (begin + list->offset[k] < -SHARING_PAD || end + list->offset[k] > others + SHARING_PAD)
            return false;
    }
    return true;
}

/* Slots that are computed, and what they take: a block has some work of its own, a run too. */
static int32_t slots_for(int count) { return count == 0 ? 2 : (count + 1) / 2 * 2; }
static int32_t cost_of(int32_t blocks, int count) { return blocks * (slots_for(count) + 3) + 5; }

/* The runs that take the least: `length` gets the blocks of the best run from each block on, and `least` what
 * everything from there on takes; both have room for one more than there are. */
static void choose_runs(const share_row *rows, int32_t count, int32_t others, int32_t *length, int64_t *least)
{
    const int32_t blocks = (count + SHARING_BLOCK - 1) / SHARING_BLOCK;
    least[blocks] = 0;
    for (int32_t b = blocks - 1; b >= 0; b--) {
        slot_list list = {.count = 0};
        least[b] = INT64_MAX;
        for (int32_t n = 1; n <= SHARING_BLOCKS && b + n <= blocks; n++) {
            if (!add_block(&list, b * SHARING_BLOCK, (b + n - 1) * SHARING_BLOCK, rows, count, others)) break;
            const int64_t cost = cost_of(n, list.count) + least[b + n];
            if (cost < least[b]) {
                least[b] = cost;
                length[b] = n;
            }
        }
    }
}

/* Stores the runs, or counts them and their slots. */
static void list_runs(share_half *half, const share_row *rows, int32_t others, const int32_t *length)
{
    const int32_t blocks = (half->count + SHARING_BLOCK - 1) / SHARING_BLOCK;
    int32_t slots = 0;
    int64_t coefficients = 0;
    half->run_count = 0;
    for (int32_t b = 0; b < blocks; b += length[b]) {
        slot_list list = {.count = 0};
        for (int32_t n = 0; n < length[b]; n++)
            (void)add_block(&list, b * SHARING_BLOCK, (b + n) * SHARING_BLOCK, rows, half->count, others);
        const share_run run = {b * SHARING_BLOCK, (b + length[b]) * SHARING_BLOCK, slots_for(list.count),
                               slots, coefficients};
        for (int k = 0; k < run.slots && half->runs != NULL; k++)
            half->offset[slots + k] = k < list.count ? list.offset[k] : 0;
        if (half->runs != NULL) half->runs[half->run_count] = run;
        half->run_count++;
        slots += run.slots;
        coefficients += (int64_t)length[b] * SHARING_BLOCK * run.slots;
    }
    half->slot_count = slots;
    half->coefficient_count = coefficients;
}

/* Numbers the voxels of both halves. */
static void divide(const vxe_model *m, pressure_sharing *s)
{
    for (int32_t i = 0; i < m->sharing_count; i++) {
        const int32_t v = m->sharing[i];
        const uint32_t parity =
            ((uint32_t)m->cell[0][v] + (uint32_t)m->cell[1][v] + (uint32_t)m->cell[2][v]) & 1U;
        share_half *half = parity == 0 ? &s->half[0] : &s->half[1];
        half->voxel[half->count] = v;
        s->place[i] = (int32_t)(2U * (uint32_t)half->count + parity);
        half->count++;
    }
}

static bool make_runs(const vxe_model *m, pressure_sharing *s)
{
    bool good = true;
    for (int h = 0; h < 2; h++) {
        share_half *half = &s->half[h];
        const int32_t others = s->half[1 - h].count;
        const size_t blocks = ((size_t)half->count + SHARING_BLOCK - 1) / SHARING_BLOCK;
        share_row *rows = vxe_allocate((size_t)half->count + 1, sizeof *rows);
        int32_t *length = vxe_allocate(blocks + 1, sizeof *length);
        int64_t *least = vxe_allocate(blocks + 1, sizeof *least);
        good = good && rows != NULL && length != NULL && least != NULL;
        for (int32_t i = 0; good && i < m->share_count; i++) {
            const int32_t one = s->place[m->shares[i].first];
            const int32_t two = s->place[m->shares[i].second];
            share_row *row = &rows[(one % 2 == h ? one : two) / 2];
            row->neighbour[row->count++] = (one % 2 == h ? two : one) / 2;
        }
        if (good) {
            choose_runs(rows, half->count, others, length, least);
            list_runs(half, rows, others, length);
            half->runs = vxe_allocate((size_t)half->run_count + 1, sizeof *half->runs);
            half->offset = vxe_allocate((size_t)half->slot_count + 1, sizeof *half->offset);
            good = half->runs != NULL && half->offset != NULL;
        }
        if (good) list_runs(half, rows, others, length);
        free(rows);
        free(length);
        free(least);
    }
    return good;
}

/* Room for all numbers, in whole cache lines: both halves have arrays of one length. */
static bool make_arrays(vxe_sim *sim, pressure_sharing *s)
{
    const size_t line = 64 / sizeof(double);
    const int32_t most = s->half[0].count > s->half[1].count ? s->half[0].count : s->half[1].count;
    const size_t stride = ((size_t)most + 2 * SHARING_PAD + SHARING_BLOCK + line - 1) / line * line;
    const size_t coefficients = (size_t)(s->half[0].coefficient_count + s->half[1].coefficient_count);
    const size_t all = coefficients + (2 * SHARING_ARRAYS + 1) * stride + line;
    s->memory = vxe_allocate(all, sizeof *s->memory);
    if (s->memory == NULL) return false;
    sim->bytes += all * sizeof *s->memory;
    double *at = s->memory + (64 - (uintptr_t)s->memory % 64) / sizeof(double) % line;
    for (int h = 0; h < 2; h++) {
        s->half[h].coefficient = at;
        at += s->half[h].coefficient_count;
    }
    at += SHARING_PAD;
    for (int h = 0; h < 2; h++) {
        share_half *half = &s->half[h];
        double **arrays[] = {&half->scale, &half->source, &half->pressure[0], &half->pressure[1],
                             &half->pressure[2]};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++, at += stride) *arrays[i] = at;
    }
    s->zero = at;
    return true;
}

vxe_result vxe_pressure_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t sharing = (size_t)m->sharing_count;
    if (m->environment.elasticity != VXE_ELASTICITY_SOLID) return VXE_OK;
    if (m->share_count == 0) return VXE_OK;
    pressure_sharing *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "the pressure", sizeof *s);
    sim->sharing = s;
    s->place = vxe_allocate(sharing, sizeof *s->place);
    for (int h = 0; h < 2; h++) s->half[h].voxel = vxe_allocate(sharing, sizeof(int32_t));
    bool good = s->place != NULL && s->half[0].voxel != NULL && s->half[1].voxel != NULL;
    if (good) divide(m, s);
    if (!good || !make_runs(m, s) || !make_arrays(sim, s))
        return vxe_fail_memory(error, "the pressure", 2 * SHARING_ARRAYS * sharing * sizeof(double));
    sim->bytes += 3 * sharing * sizeof(int32_t);
    for (int h = 0; h < 2; h++)
        sim->bytes += (size_t)s->half[h].run_count * sizeof(share_run) +
                      (size_t)s->half[h].slot_count * sizeof(int32_t);
    return VXE_OK;
}

void vxe_pressure_destroy(vxe_sim *sim)
{
    pressure_sharing *s = sim->sharing;
    if (s == NULL) return;
    for (int h = 0; h < 2; h++) {
        free(s->half[h].voxel);
        free(s->half[h].runs);
        free(s->half[h].offset);
    }
    free(s->place);
    free(s->memory);
    free(s);
    sim->sharing = NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* A share is gone when its link is. */
static double weight_of(const vxe_sim *sim, const pressure_share *share)
{
    return sim->link_kind[share->axis][sim->model->sharing[share->first]] != 0 ? share->weight : 0.0;
}

/* Where the coefficient of a share lies in the row of one of its ends. */
static double *coefficient_of(const pressure_sharing *s, int32_t end, int32_t other)
{
    const share_half *half = &s->half[end % 2];
    const int32_t i = end / 2;
    int32_t low = 0;
    int32_t high = half->run_count - 1;
    while (low < high) { /* the last run that begins at i or before */
        const int32_t middle = (low + high + 1) / 2;
        if (half->runs[middle].begin <= i) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const share_run *run = &half->runs[low];
    const int64_t row = i - run->begin;
    const int64_t line =
        row / SHARING_BLOCK * run->slots + slot_of(half->offset + run->offset, run->slots, other / 2 - i);
    return &half->coefficient[run->coefficient + line * SHARING_BLOCK + row % SHARING_BLOCK];
}

/* Upper bound of the eigenvalues of B, all whose numbers are positive or zero: the largest of (B x)/x, for
 * any positive x (Collatz). From x = 1, the sum of a row, x is improved by some steps of x + B x. */
static double radius_of(const vxe_sim *sim, const pressure_sharing *s)
{
    const vxe_model *m = sim->model;
    double bound = 1.0;
    for (int h = 0; h < 2; h++) {
        for (int32_t i = 0; i < s->half[h].count; i++) s->half[h].pressure[0][i] = 1.0;
    }
    for (int round = 0; round < RADIUS_ROUNDS; round++) {
        double most = 0.0;
        for (int h = 0; h < 2; h++) {
            for (int32_t i = 0; i < s->half[h].count; i++) s->half[h].pressure[1][i] = 0.0;
        }
        for (int32_t i = 0; i < m->share_count; i++) {
            const int32_t one = s->place[m->shares[i].first];
            const int32_t two = s->place[m->shares[i].second];
            const share_half *first = &s->half[one % 2];
            const share_half *second = &s->half[two % 2];
            const double c = weight_of(sim, &m->shares[i]);
            first->pressure[1][one / 2] += c * first->scale[one / 2] * second->pressure[0][two / 2];
            second->pressure[1][two / 2] += c * second->scale[two / 2] * first->pressure[0][one / 2];
        }
        for (int h = 0; h < 2; h++) {
            for (int32_t i = 0; i < s->half[h].count; i++) {
                double *x = &s->half[h].pressure[0][i];
                const double product = s->half[h].pressure[1][i];
                if (product > most * *x) most = product / *x;
                *x += product;
            }
        }
        if (most < bound) bound = most;
    }
    return bound;
}

static void prepare_sharing(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    pressure_sharing *s = sim->sharing;
    for (int h = 0; h < 2; h++) {
        for (int32_t i = 0; i < s->half[h].count; i++) s->half[h].scale[i] = 0.0;
    }
    for (int32_t i = 0; i < m->share_count; i++) {
        const int32_t ends[2] = {s->place[m->shares[i].first], s->place[m->shares[i].second]};
        const double c = weight_of(sim, &m->shares[i]);
        for (int e = 0; e < 2; e++) s->half[ends[e] % 2].scale[ends[e] / 2] += c;
    }
    for (int h = 0; h < 2; h++) {
        share_half *half = &s->half[h];
        for (int32_t i = 0; i < half->count; i++) {
            const double modulus = modulus_of(sim, half->voxel[i]);
            half->scale[i] = modulus / (1.0 + modulus * half->scale[i]); /* 1/diagonal */
        }
    }
    for (int32_t i = 0; i < m->share_count; i++) {
        const int32_t ends[2] = {s->place[m->shares[i].first], s->place[m->shares[i].second]};
        const double c = weight_of(sim, &m->shares[i]);
        for (int e = 0; e < 2; e++)
            *coefficient_of(s, ends[e], ends[1 - e]) = c * s->half[ends[e] % 2].scale[ends[e] / 2];
    }
    const double radius = radius_of(sim, s);
    const double square = radius * radius;
    const double steps = square > 0.0 ? ceil(acosh(SHARING_DIGITS) / acosh((2.0 - square) / square)) : 0.0;
    s->steps = steps < SHARING_STEPS_MAX ? (int32_t)steps : SHARING_STEPS_MAX;
    s->gain = 2.0 / (2.0 - square);
    s->radius = square / (2.0 - square);
}

void vxe_pressure_prepare(vxe_sim *sim)
{
    for (int32_t v = 0; sim->modulus[0] != NULL && v < sim->model->view.voxel_count; v++)
        sim->modulus[0][v] = modulus_of(sim, v);
    vxe_state_wrote(sim, STATE_SET(modulus));
    if (sim->sharing != NULL) prepare_sharing(sim);
}

/* ---- pressures ---------------------------------------------------------------------------------------------------- */

typedef struct pressing {
    const double *volume;
    double *pressure;
} pressing;

/* The voxels of a half that are a part's. */
static void half_range(const share_half *half, const part_range *part, int32_t range[2])
{
    range[0] = (int32_t)((int64_t)half->count * part->index / part->count);
    range[1] = (int32_t)((int64_t)half->count * (part->index + 1) / part->count);
}

/* Pressures of a part by their own moduli, and the sources of those that share. */
static void press_part(vxe_sim *sim, const part_range *part, void *context)
{
    const double *volume = ((const pressing *)context)->volume;
    double *pressure = ((const pressing *)context)->pressure;
    const double *modulus = sim->modulus[0];
    const pressure_sharing *s = sim->sharing;
    for (int32_t v = part->begin; v < part->end; v++) pressure[v] = modulus[v] * volume[v];
    for (int h = 0; s != NULL && s->steps > 0 && h < 2; h++) {
        const share_half *half = &s->half[h];
        double *source = half->source;
        const double *scale = half->scale;
        const int32_t *voxel = half->voxel;
        int32_t range[2];
        half_range(half, part, range);
        for (int32_t i = range[0]; i < range[1]; i++) source[i] = scale[i] * volume[voxel[i]];
    }
}

/* What these share. */
static void spread_part(vxe_sim *sim, const part_range *part, void *context)
{
    double *pressure = ((const pressing *)context)->pressure;
    for (int h = 0; h < 2; h++) {
        const share_half *half = &sim->sharing->half[h];
        const double *result = half->result;
        const int32_t *voxel = half->voxel;
        int32_t range[2];
        half_range(half, part, range);
        for (int32_t i = range[0]; i < range[1]; i++) pressure[voxel[i]] = result[i];
    }
}

void vxe_pressure_from_volume(vxe_sim *sim, const double *volume, double *pressure)
{
    pressing p = {volume, pressure};
    sim->host.divide(sim, press_part, &p);
    if (sim->sharing == NULL || sim->sharing->steps == 0) return;
    sim->host.share(sim, sim->sharing);
    sim->host.divide(sim, spread_part, &p);
}

void vxe_pressure_add_loads(const vxe_sim *sim, double time, double *volume)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const double *force = sim->regions[r].force;
        if (force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0) continue;
        const int32_t begin = m->region_begin[r];
        const int32_t end = m->region_begin[r + 1];
        const double part = vxe_region_load_part(sim, r, time) / (double)(end - begin);
        for (int32_t i = begin; i < end; i++) {
            const double *load = &m->face_load[3 * (size_t)i];
            volume[m->region_voxel[i]] +=
                part * (load[0] * force[0] + load[1] * force[1] + load[2] * force[2]);
        }
    }
}

/* J/m^3; what the pressures do against loads that have changed since the last step: a load does its work on
 * the faces it acts on, too. `told`: the loads are now known. */
static double work_of_change(vxe_sim *sim, bool told)
{
    const vxe_model *m = sim->model;
    tree_sum work = {.count = 0};
    for (int32_t r = 0; r < m->view.region_count; r++) {
        sim_region *region = &sim->regions[r];
        const double part = vxe_region_load_part(sim, r, sim->time);
        double change[3];
        for (int a = 0; a < 3; a++) change[a] = part * region->force[a] - region->pressed[a];
        if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) continue;
        const int32_t begin = m->region_begin[r];
        const int32_t end = m->region_begin[r + 1];
        for (int32_t i = begin; i < end; i++) {
            const double *load = &m->face_load[3 * (size_t)i];
            sum_add(&work, sim->pressure[0][m->region_voxel[i]] *
                               (load[0] * change[0] + load[1] * change[1] + load[2] * change[2]) /
                               (double)(end - begin));
        }
        for (int a = 0; a < 3 && told; a++) region->pressed[a] = part * region->force[a];
    }
    return sum_total(&work);
}

void vxe_pressure_update(vxe_sim *sim, const step_context *context)
{
    const double l = sim->model->view.pitch;
    vxe_pressure_add_loads(sim, sim->time, sim->volume[0]);
    const double before = work_of_change(sim, false);
    vxe_pressure_from_volume(sim, sim->volume[0], sim->pressure[0]);
    const double after = work_of_change(sim, true);
    sim->account.load_work += 0.5 * (before + after) * l * l * l;
    if (!context->measure) return;
    tree_sum energy = {.count = 0};
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++)
        sum_add(&energy, pressure_energy_density(sim->volume[0][v], sim->pressure[0][v]));
    sim->last.elastic += sum_total(&energy) * l * l * l;
}
