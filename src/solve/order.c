/* Nested dissection: cut the body by a plane of voxels, number both halves first and the plane last, and go
 * on with the halves. The cut is the one that separates the most with the fewest (smallest cut/(left * right)
 * over all planes of the three axes).
 *
 * Pressure couples the translations of voxels two links apart, so a cut then takes the translations of the
 * next plane too: nine unknowns per voxel of the plane instead of twelve. */
#include "solve/order.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* A voxel with what of it is still to be numbered. */
enum { TRANSLATIONS = 1, ROTATIONS = 2, BOTH = 3 };
typedef struct part {
    int32_t voxel;
    int32_t what;
} part;

typedef struct dissection {
    const lattice *l;
    const sparse *k;
    bool thick; /* cuts take the next plane's translations */
    part *spare;
    int64_t *order;
    int64_t next;   /* numbers are given from the last to the first */
    int64_t *count; /* voxels per plane, for the longest side */
} dissection;

/* Numbers parts from the last on. */
static void number_parts(dissection *d, const part *parts, int64_t count)
{
    for (int64_t i = count; i-- > 0;) {
        for (int dof = DOFS; dof-- > 0;) {
            if ((parts[i].what & (dof < 3 ? TRANSLATIONS : ROTATIONS)) == 0) continue;
            const int64_t u = d->k->unknown[DOFS * (size_t)parts[i].voxel + (size_t)dof];
            if (u >= 0) d->order[--d->next] = u;
        }
    }
}

typedef struct cut {
    int axis; /* -1: there is none */
    int32_t plane;
    double score;
} cut;

static void try_axis(dissection *d, const part *parts, int64_t count, int axis, cut *best)
{
    const int32_t *cell = d->l->model->cell[axis];
    int32_t low = cell[parts[0].voxel];
    int32_t high = low;
    for (int64_t i = 1; i < count; i++) {
        const int32_t c = cell[parts[i].voxel];
        if (c < low) low = c;
        if (c > high) high = c;
    }
    if (high - low < 2) return;
    memset(d->count, 0, (size_t)(high - low + 1) * sizeof *d->count);
    for (int64_t i = 0; i < count; i++) d->count[cell[parts[i].voxel] - low]++;
    int64_t left = 0;
    for (int32_t c = low; c < high; c++) {
        const int64_t own = d->count[c - low];
        const int64_t right = count - left - own;
        if (left > 0 && right > 0) {
            const double score = ((double)own + 0.1) / ((double)left * (double)right);
            if (best->axis < 0 || score < best->score) *best = (cut){axis, c, score};
        }
        left += own;
    }
}

static void dissect(dissection *d, part *parts, int64_t count)
{
    cut best = {-1, 0, 0.0};
    for (int a = 0; a < 3 && count > 2; a++) try_axis(d, parts, count, a, &best);
    if (best.axis < 0) {
        number_parts(d, parts, count);
        return;
    }
    /* left, right, cut: in place, through the spare copy */
    const int32_t *cell = d->l->model->cell[best.axis];
    int64_t left = 0;
    int64_t right = 0;
    int64_t middle = 0;
    for (int64_t i = 0; i < count; i++) left += cell[parts[i].voxel] < best.plane;
    memcpy(d->spare, parts, (size_t)count * sizeof *parts);
    int64_t total = count;
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        if (cell[d->spare[i].voxel] < best.plane) parts[at++] = d->spare[i];
    }
    for (int64_t i = 0; i < count; i++) {
        part p = d->spare[i];
        const int32_t c = cell[p.voxel];
        if (c <= best.plane) continue;
        if (d->thick && c == best.plane + 1) p.what &= ROTATIONS;
        if (p.what == 0) continue;
        parts[left + right++] = p;
    }
    for (int64_t i = 0; i < total; i++) {
        part p = d->spare[i];
        const int32_t c = cell[p.voxel];
        if (c == best.plane + 1 && d->thick) {
            p.what &= TRANSLATIONS;
        } else if (c != best.plane) {
            continue;
        }
        if (p.what != 0) d->spare[middle++] = p; /* never ahead of i */
    }
    number_parts(d, d->spare, middle);
    dissect(d, parts + left, right);
    dissect(d, parts, left);
}

vxe_result vxe_order_unknowns(const lattice *l, const sparse *k, int64_t *order, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    int32_t longest = 1;
    for (int a = 0; a < 3; a++) longest = l->model->view.size[a] > longest ? l->model->view.size[a] : longest;
    part *parts = vxe_allocate(2 * n, sizeof *parts);
    dissection d = {.l = l, .k = k, .thick = l->modulus != NULL, .order = order, .next = k->size};
    d.spare = parts == NULL ? NULL : parts + n;
    d.count = vxe_allocate((size_t)longest, sizeof *d.count);
    vxe_result result = VXE_OK;
    if (parts == NULL || d.count == NULL) {
        result = vxe_fail_memory(error, "the order of elimination", 2 * n * sizeof *parts);
    } else {
        for (size_t v = 0; v < n; v++) parts[v] = (part){(int32_t)v, BOTH};
        dissect(&d, parts, (int64_t)n);
    }
    free(parts);
    free(d.count);
    return result;
}
