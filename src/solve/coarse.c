/* The two-level preconditioner: see coarse.h.
 *
 * One application is a symmetric cycle: Gauss-Seidel forwards, the coarse model solved exactly for what is
 * left, Gauss-Seidel backwards. The coarse unknowns are the six rigid motions of blocks of voxels (plain
 * aggregation, Galerkin: Kc = P^T K P), so rigid motions and slow bending of the body are seen exactly; what
 * the blocks cannot follow is local and Gauss-Seidel's. */
#include "solve/coarse.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_WANTED 4000 /* at most; the coarse model is then small beside the fine one */
#define NEIGHBOURS_MAX 27

struct coarse {
    int32_t count;       /* blocks */
    int32_t *block;      /* of a voxel, (voxels) */
    int32_t *voxel;      /* of an unknown, (size) */
    uint8_t *dof;        /* of an unknown, (size) */
    double *center;      /* m, (3 count) */
    double *arm;         /* m: of a voxel from its block's centre, (3 voxels) */
    int32_t *neighbours; /* blocks up to this one that couple with it, increasing, (NEIGHBOURS_MAX count) */
    int32_t *neighbour_count;
    sparse k; /* only its columns are used */
    factor *f;
    double *right; /* (6 count) */
    double *left;
    double *diagonal; /* of K + shift, (size) */
    double *rest;     /* (size) */
    size_t bytes;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

typedef struct keyed {
    int64_t key;
    int32_t voxel;
} keyed;

static int compare_keys(const void *a, const void *b)
{
    const keyed *x = a;
    const keyed *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->voxel < y->voxel ? -1 : x->voxel > y->voxel;
}

/* Cubes of `side` voxels, numbered in lattice order; voxels of different bodies are never in one block. */
static int32_t make_blocks(const lattice *l, int32_t side, keyed *list, int32_t *block)
{
    const vxe_model *m = l->model;
    const int64_t nx = m->view.size[0] / side + 1;
    const int64_t ny = m->view.size[1] / side + 1;
    for (int32_t v = 0; v < l->voxels; v++) {
        const int64_t cell =
            ((int64_t)(m->cell[2][v] / side) * ny + m->cell[1][v] / side) * nx + m->cell[0][v] / side;
        list[v] = (keyed){cell * l->body_count + l->body[v], v};
    }
    qsort(list, (size_t)l->voxels, sizeof *list, compare_keys);
    int32_t count = 0;
    for (int32_t i = 0; i < l->voxels; i++) {
        if (i > 0 && list[i].key != list[i - 1].key) count++;
        block[list[i].voxel] = count;
    }
    return count + 1;
}

static bool insert_neighbour(coarse *c, int32_t low, int32_t high)
{
    int32_t *list = &c->neighbours[NEIGHBOURS_MAX * (size_t)high];
    int32_t *count = &c->neighbour_count[high];
    int32_t at = 0;
    while (at < *count && list[at] < low) at++;
    if (at < *count && list[at] == low) return true;
    if (*count == NEIGHBOURS_MAX) return false;
    memmove(list + at + 1, list + at, (size_t)(*count - at) * sizeof *list);
    list[at] = low;
    (*count)++;
    return true;
}

/* The coarse pattern: full six by six blocks, upper triangle. */
static bool make_pattern(coarse *c, const lattice *l, const sparse *k)
{
    c->neighbours = vxe_allocate(NEIGHBOURS_MAX * (size_t)c->count, sizeof *c->neighbours);
    c->neighbour_count = vxe_allocate((size_t)c->count, sizeof *c->neighbour_count);
    if (c->neighbours == NULL || c->neighbour_count == NULL) return false;
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int64_t b = k->block_begin[v]; b < k->block_begin[v + 1]; b++) {
            const int32_t first = c->block[v];
            const int32_t second = c->block[k->block_voxel[b]];
            if (!insert_neighbour(c, first < second ? first : second, first < second ? second : first))
                return false;
        }
    }
    c->k.size = DOFS * (int64_t)c->count;
    c->k.column = vxe_allocate((size_t)c->k.size + 1, sizeof *c->k.column);
    if (c->k.column == NULL) return false;
    for (int64_t u = 0; u < c->k.size; u++) {
        c->k.column[u + 1] =
            c->k.column[u] + DOFS * (int64_t)(c->neighbour_count[u / DOFS] - 1) + u % DOFS + 1;
    }
    c->k.entries = c->k.column[c->k.size];
    c->k.row = vxe_allocate((size_t)c->k.entries, sizeof *c->k.row);
    c->k.value = vxe_allocate((size_t)c->k.entries, sizeof *c->k.value);
    if (c->k.row == NULL || c->k.value == NULL) return false;
    for (int64_t u = 0; u < c->k.size; u++) {
        int64_t at = c->k.column[u];
        const int32_t *list = &c->neighbours[NEIGHBOURS_MAX * (size_t)(u / DOFS)];
        for (int64_t i = 0; at < c->k.column[u + 1]; i++, at++)
            c->k.row[at] = DOFS * (int64_t)list[i / DOFS] + i % DOFS;
    }
    return true;
}

static bool allocate(coarse *c, const lattice *l, const sparse *k)
{
    const size_t n = (size_t)l->voxels;
    const size_t size = (size_t)k->size;
    c->block = vxe_allocate(n, sizeof *c->block);
    c->arm = vxe_allocate(3 * n, sizeof *c->arm);
    c->voxel = vxe_allocate(size, sizeof *c->voxel);
    c->dof = vxe_allocate(size, sizeof *c->dof);
    c->diagonal = vxe_allocate(size, sizeof *c->diagonal);
    c->rest = vxe_allocate(size, sizeof *c->rest);
    keyed *list = vxe_allocate(n, sizeof *list);
    if (c->block == NULL || c->arm == NULL || c->voxel == NULL || c->dof == NULL || c->diagonal == NULL ||
        c->rest == NULL || list == NULL) {
        free(list);
        return false;
    }
    for (int32_t side = 3;; side++) {
        c->count = make_blocks(l, side, list, c->block);
        if (c->count <= BLOCKS_WANTED || side > 64) break;
    }
    free(list);
    for (size_t i = 0; i < DOFS * n; i++) {
        if (k->unknown[i] < 0) continue;
        c->voxel[k->unknown[i]] = (int32_t)(i / DOFS);
        c->dof[k->unknown[i]] = (uint8_t)(i % DOFS);
    }
    c->center = vxe_allocate(3 * (size_t)c->count, sizeof *c->center);
    c->right = vxe_allocate(DOFS * (size_t)c->count, sizeof *c->right);
    c->left = vxe_allocate(DOFS * (size_t)c->count, sizeof *c->left);
    c->bytes = n * 28 + size * 21 + (size_t)c->count * 256;
    return c->center != NULL && c->right != NULL && c->left != NULL && make_pattern(c, l, k);
}

vxe_result vxe_coarse_create(const lattice *l, const sparse *k, coarse **out, vxe_error *error)
{
    coarse *c = calloc(1, sizeof *c);
    if (c == NULL || !allocate(c, l, k)) {
        vxe_coarse_destroy(c);
        return vxe_fail_memory(error, "the coarse model", (size_t)k->size * 40);
    }
    const vxe_result result = vxe_factor_create(NULL, &c->k, &c->f, error);
    if (result != VXE_OK) {
        vxe_coarse_destroy(c);
        return result;
    }
    c->bytes += (size_t)c->k.entries * 16 + vxe_factor_cost(c->f).bytes;
    *out = c;
    return VXE_OK;
}

void vxe_coarse_destroy(coarse *c)
{
    if (c == NULL) return;
    vxe_factor_destroy(c->f);
    vxe_sparse_destroy(&c->k);
    free(c->block);
    free(c->voxel);
    free(c->dof);
    free(c->center);
    free(c->arm);
    free(c->neighbours);
    free(c->neighbour_count);
    free(c->right);
    free(c->left);
    free(c->diagonal);
    free(c->rest);
    free(c);
}

size_t vxe_coarse_bytes(const coarse *c) { return c->bytes; }

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* How an unknown follows the six motions of its block: at most three are not zero. */
typedef struct follow {
    int count;
    int motion[3];
    double part[3];
} follow;

static follow follow_of(const coarse *c, int64_t u)
{
    const int d = c->dof[u];
    if (d >= 3) return (follow){1, {d, 0, 0}, {1.0, 0.0, 0.0}};
    const double *arm = &c->arm[3 * (size_t)c->voxel[u]];
    const int a = (d + 1) % 3;
    const int b = (d + 2) % 3;
    return (follow){3, {d, 3 + a, 3 + b}, {1.0, arm[b], -arm[a]}};
}

/* Centres are the first voxels': any point of the block will do. */
static void place_blocks(coarse *c, const lattice *l, const pose *p)
{
    for (int32_t v = l->voxels; v-- > 0;) {
        memcpy(&c->center[3 * (size_t)c->block[v]], &p->position[3 * (size_t)v], 3 * sizeof(double));
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        for (size_t a = 0; a < 3; a++)
            c->arm[3 * (size_t)v + a] =
                p->position[3 * (size_t)v + a] - c->center[3 * (size_t)c->block[v] + a];
    }
}

/* Where the entry (row, column) of the coarse matrix is; row <= column. */
static int64_t coarse_entry(const coarse *c, int64_t row, int64_t column)
{
    const int32_t *list = &c->neighbours[NEIGHBOURS_MAX * (size_t)(column / DOFS)];
    int32_t i = 0;
    while (list[i] != row / DOFS) i++;
    return c->k.column[column] + DOFS * (int64_t)i + row % DOFS;
}

static void add_entry(coarse *c, int64_t i, int64_t j, double value)
{
    const follow fi = follow_of(c, i);
    const follow fj = follow_of(c, j);
    const int64_t gi = DOFS * (int64_t)c->block[c->voxel[i]];
    const int64_t gj = DOFS * (int64_t)c->block[c->voxel[j]];
    for (int a = 0; a < fi.count; a++) {
        for (int b = 0; b < fj.count; b++) {
            const int64_t row = gi + fi.motion[a];
            const int64_t column = gj + fj.motion[b];
            const double part = value * fi.part[a] * fj.part[b];
            /* an entry off the diagonal of K stands for two, which in a diagonal block of the coarse matrix
             * both land in the upper triangle or on the diagonal */
            if (gi != gj) {
                c->k.value[row < column ? coarse_entry(c, row, column) : coarse_entry(c, column, row)] +=
                    part;
            } else {
                if (row <= column) c->k.value[coarse_entry(c, row, column)] += part;
                if (i != j && column <= row) c->k.value[coarse_entry(c, column, row)] += part;
            }
        }
    }
}

factor_state vxe_coarse_update(coarse *c, const lattice *l, const pose *p, const sparse *k, double shift,
                               const double *weight)
{
    place_blocks(c, l, p);
    memset(c->k.value, 0, (size_t)c->k.entries * sizeof *c->k.value);
    for (int64_t j = 0; j < k->size; j++) {
        const int64_t last = k->column[j + 1] - 1;
        for (int64_t at = k->column[j]; at < last; at++) {
            if (k->value[at] != 0.0) add_entry(c, k->row[at], j, k->value[at]);
        }
        c->diagonal[j] = k->value[last] + (shift != 0.0 ? shift * weight[j] : 0.0);
        if (!(c->diagonal[j] > 0.0)) return FACTOR_NOT_POSITIVE;
        add_entry(c, j, j, c->diagonal[j]);
    }
    /* motions that a block does not have, because they are held or the same as others, must not stop the
     * factorisation */
    for (int64_t u = 0; u < c->k.size; u++) {
        double *at = &c->k.value[c->k.column[u + 1] - 1];
        *at = *at > 0.0 ? *at * (1.0 + 1e-9) : 1.0;
    }
    return vxe_factor_update(c->f, &c->k, 0.0, NULL);
}

/* ---- one cycle ---------------------------------------------------------------------------------------------------- */

static void add_coarse(coarse *c, const sparse *k, const double *rest, double *z)
{
    memset(c->right, 0, (size_t)c->k.size * sizeof *c->right);
    for (int64_t u = 0; u < k->size; u++) {
        const follow f = follow_of(c, u);
        double *right = &c->right[DOFS * (size_t)c->block[c->voxel[u]]];
        for (int a = 0; a < f.count; a++) right[f.motion[a]] += f.part[a] * rest[u];
    }
    if (vxe_factor_solve(c->f, c->right, c->left, NULL) != VXE_OK) return;
    for (int64_t u = 0; u < k->size; u++) {
        const follow f = follow_of(c, u);
        const double *left = &c->left[DOFS * (size_t)c->block[c->voxel[u]]];
        for (int a = 0; a < f.count; a++) z[u] += f.part[a] * left[f.motion[a]];
    }
}

void vxe_coarse_apply(coarse *c, const sparse *k, const double *r, double *z)
{
    double *rest = c->rest;
    /* forwards: (D + L) z = r; what is left is -U z */
    memset(rest, 0, (size_t)k->size * sizeof *rest);
    for (int64_t j = 0; j < k->size; j++) {
        double sum = r[j];
        const int64_t last = k->column[j + 1] - 1;
        for (int64_t at = k->column[j]; at < last; at++) sum -= k->value[at] * z[k->row[at]];
        z[j] = sum / c->diagonal[j];
        for (int64_t at = k->column[j]; at < last; at++) rest[k->row[at]] -= k->value[at] * z[j];
    }
    add_coarse(c, k, rest, z);
    /* backwards: (D + U) dz = r - K z */
    memcpy(rest, r, (size_t)k->size * sizeof *rest);
    for (int64_t j = 0; j < k->size; j++) {
        const int64_t last = k->column[j + 1] - 1;
        double sum = c->diagonal[j] * z[j];
        for (int64_t at = k->column[j]; at < last; at++) {
            sum += k->value[at] * z[k->row[at]];
            rest[k->row[at]] -= k->value[at] * z[j];
        }
        rest[j] -= sum;
    }
    for (int64_t j = k->size; j-- > 0;) {
        const int64_t last = k->column[j + 1] - 1;
        const double change = rest[j] / c->diagonal[j];
        for (int64_t at = k->column[j]; at < last; at++) rest[k->row[at]] -= k->value[at] * change;
        z[j] += change;
    }
}
