/* The stiffness of a pose as a sparse matrix: see tangent.h.
 *
 * The pattern is made of blocks: a voxel with itself and its linked neighbours (six by six), and, where there
 * is pressure, two voxels that are linked to a third one (translations only). Blocks are numbered by the
 * voxel of their columns, the later of the two. */
#include "base/base.h"
#include "kernel/link.h"
#include "solve/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A voxel, three linked before it, nine at two links' distance before it. */
#define BLOCKS_MAX 13

/* ---- pattern ------------------------------------------------------------------------------------------------------ */

static int32_t other_end(const lattice_link *link, int32_t v)
{
    return link->near == v ? link->far : link->near;
}

static int32_t neighbour(const lattice *l, int32_t v, int face)
{
    const int32_t i = l->faces[DOFS * (size_t)v + (size_t)face];
    return i < 0 ? -1 : other_end(&l->links[i], v);
}

static void insert_block(int32_t *list, int *count, int32_t v)
{
    int at = 0;
    while (at < *count && list[at] < v) at++;
    if (at < *count && list[at] == v) return;
    memmove(list + at + 1, list + at, (size_t)(*count - at) * sizeof *list);
    list[at] = v;
    (*count)++;
}

/* The blocks in the columns of a voxel, increasing. */
static int list_blocks(const lattice *l, int32_t v, int32_t list[BLOCKS_MAX])
{
    int count = 0;
    list[count++] = v;
    for (int f = 0; f < FACE_COUNT; f++) {
        const int32_t middle = neighbour(l, v, f);
        if (middle < 0) continue;
        if (middle < v) insert_block(list, &count, middle);
        if (l->modulus == NULL || !(l->modulus[middle] > 0.0)) continue;
        for (int g = 0; g < FACE_COUNT; g++) {
            const int32_t w = neighbour(l, middle, g);
            if (w >= 0 && w < v) insert_block(list, &count, w);
        }
    }
    return count;
}

static bool is_linked(const lattice *l, int32_t v, int32_t w)
{
    if (v == w) return true;
    for (int f = 0; f < FACE_COUNT; f++) {
        if (neighbour(l, v, f) == w) return true;
    }
    return false;
}

/* Degrees of freedom before d that are free. */
static int free_before(uint8_t held, int d)
{
    int count = 0;
    for (int i = 0; i < d; i++) count += (held >> i & 1) == 0;
    return count;
}

static vxe_result no_memory(sparse *k, size_t bytes, vxe_error *error)
{
    vxe_sparse_destroy(k);
    return vxe_fail_memory(error, "the stiffness matrix", bytes);
}

vxe_result vxe_sparse_create(sparse *k, const lattice *l, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    int32_t list[BLOCKS_MAX];
    *k = (sparse){0};
    k->unknown = vxe_allocate(DOFS * n, sizeof *k->unknown);
    k->block_begin = vxe_allocate(n + 1, sizeof *k->block_begin);
    if (k->unknown == NULL || k->block_begin == NULL) return no_memory(k, 7 * n * sizeof(int64_t), error);
    for (size_t v = 0; v < n; v++) {
        for (size_t d = 0; d < DOFS; d++)
            k->unknown[DOFS * v + d] = (l->held[v] >> d & 1) == 0 ? k->size++ : -1;
        k->block_begin[v + 1] = k->block_begin[v] + list_blocks(l, (int32_t)v, list);
    }
    const size_t blocks = (size_t)k->block_begin[n];
    k->block_voxel = vxe_allocate(blocks, sizeof *k->block_voxel);
    k->block_linked = vxe_allocate(blocks, sizeof *k->block_linked);
    for (int i = 0; i < 2; i++) k->block_at[i] = vxe_allocate(blocks, sizeof *k->block_at[i]);
    k->column = vxe_allocate((size_t)k->size + 1, sizeof *k->column);
    if (k->block_voxel == NULL || k->block_linked == NULL || k->block_at[0] == NULL ||
        k->block_at[1] == NULL || k->column == NULL) {
        return no_memory(k, blocks * 9, error);
    }
    /* counts, then columns */
    for (size_t v = 0; v < n; v++) {
        const int count = list_blocks(l, (int32_t)v, list);
        const size_t begin = (size_t)k->block_begin[v];
        int before[2] = {0, 0};
        for (int b = 0; b < count; b++) {
            const size_t at = begin + (size_t)b;
            const int32_t w = list[b];
            const bool linked = is_linked(l, (int32_t)v, w);
            k->block_voxel[at] = w;
            k->block_linked[at] = linked;
            for (int i = 0; i < 2; i++) k->block_at[i][at] = (uint16_t)before[i];
            if ((size_t)w == v) continue;
            before[0] += free_before(l->held[w], linked ? 6 : 3);
            before[1] += linked ? free_before(l->held[w], 6) : 0;
        }
        for (int d = 0; d < DOFS; d++) {
            const int64_t c = k->unknown[DOFS * v + (size_t)d];
            if (c >= 0) k->column[c + 1] = k->column[c] + before[d / 3] + free_before(l->held[v], d + 1);
        }
    }
    k->entries = k->column[k->size];
    k->row = vxe_allocate((size_t)k->entries, sizeof *k->row);
    k->value = vxe_allocate((size_t)k->entries, sizeof *k->value);
    if (k->row == NULL || k->value == NULL) return no_memory(k, (size_t)k->entries * 16, error);
    for (size_t v = 0; v < n; v++) {
        for (int d = 0; d < DOFS; d++) {
            const int64_t c = k->unknown[DOFS * v + (size_t)d];
            if (c < 0) continue;
            int64_t at = k->column[c];
            for (int64_t b = k->block_begin[v]; b < k->block_begin[v + 1]; b++) {
                const size_t w = (size_t)k->block_voxel[b];
                if (k->block_linked[b] == 0 && d >= 3) continue;
                const int rows = w == v ? d + 1 : k->block_linked[b] != 0 ? 6 : 3;
                for (int r = 0; r < rows; r++) {
                    const int64_t u = k->unknown[DOFS * w + (size_t)r];
                    if (u >= 0) k->row[at++] = u;
                }
            }
        }
    }
    return VXE_OK;
}

void vxe_sparse_destroy(sparse *k)
{
    free(k->unknown);
    free(k->column);
    free(k->row);
    free(k->value);
    free(k->block_begin);
    free(k->block_voxel);
    free(k->block_linked);
    for (int i = 0; i < 2; i++) free(k->block_at[i]);
    *k = (sparse){0};
}

size_t vxe_sparse_bytes(const sparse *k, const lattice *l)
{
    return (size_t)k->entries * 16 + (size_t)k->size * 8 + (size_t)l->voxels * 7 * 8 +
           (size_t)k->block_begin[l->voxels] * 9;
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

typedef struct filler {
    sparse *k;
    const lattice *l;
    const uint8_t *stuck;
} filler;

static bool is_stuck(const filler *f, size_t v, int d)
{
    return f->stuck != NULL && (f->stuck[v] >> d & 1) != 0;
}

/* Adds a 3x3 block at degrees of freedom (row, first_row) and (column, first_column), row <= column; of a
 * diagonal block the upper triangle. */
static void add_upper(const filler *f, size_t row, int first_row, size_t column, int first_column,
                      const mat3 *m)
{
    const sparse *k = f->k;
    int64_t b = k->block_begin[column];
    while ((size_t)k->block_voxel[b] != row) b++;
    const uint16_t before = k->block_at[first_column / 3][b];
    for (int c = 0; c < 3; c++) {
        const int64_t u = k->unknown[DOFS * column + (size_t)(first_column + c)];
        if (u < 0 || is_stuck(f, column, first_column + c)) continue;
        int64_t at = k->column[u] + before + free_before(f->l->held[row], first_row);
        for (int r = 0; r < 3; r++) {
            if (row == column && first_row + r > first_column + c) break;
            if (k->unknown[DOFS * row + (size_t)(first_row + r)] < 0) continue;
            if (!is_stuck(f, row, first_row + r)) k->value[at] += m->a[r][c];
            at++;
        }
    }
}

static void add_block(const filler *f, int32_t row, int first_row, int32_t column, int first_column,
                      const mat3 *m)
{
    if (row <= column) {
        add_upper(f, (size_t)row, first_row, (size_t)column, first_column, m);
        return;
    }
    mat3 t;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) t.a[i][j] = m->a[j][i];
    }
    add_upper(f, (size_t)column, first_column, (size_t)row, first_row, &t);
}

static mat3 scaled(double s, const mat3 *m)
{
    mat3 r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) r.a[i][j] = s * m->a[i][j];
    }
    return r;
}

static void add_link(const filler *f, const pose *p, int32_t i)
{
    const lattice_link *link = &f->l->links[i];
    const link_tangent t = vxe_link_tangent(f->l, p, i);
    const mat3 minus_dd = scaled(-1.0, &t.dd);
    const mat3 minus_d1 = scaled(-1.0, &t.d1);
    const mat3 minus_d2 = scaled(-1.0, &t.d2);
    mat3 d1_turned;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) d1_turned.a[a][b] = t.d1.a[b][a];
    }
    add_block(f, link->near, 0, link->near, 0, &t.dd);
    add_block(f, link->near, 0, link->near, 3, &minus_d1);
    add_block(f, link->near, 3, link->near, 3, &t.t11);
    add_block(f, link->far, 0, link->far, 0, &t.dd);
    add_block(f, link->far, 0, link->far, 3, &t.d2);
    add_block(f, link->far, 3, link->far, 3, &t.t22);
    add_block(f, link->near, 0, link->far, 0, &minus_dd);
    add_block(f, link->near, 0, link->far, 3, &minus_d2);
    add_block(f, link->near, 3, link->far, 0, &d1_turned);
    add_block(f, link->near, 3, link->far, 3, &t.t12);
}

/* The pressure of one voxel: pitch^3 modulus (grad S)(grad S)^T over the voxel and its linked neighbours.
 * What bends S itself is in the links' tension. */
static void add_pressure(const filler *f, const pose *p, int32_t v)
{
    const lattice *l = f->l;
    int32_t voxels[FACE_COUNT + 1] = {v};
    rvec slope[FACE_COUNT + 1] = {{0.0, 0.0, 0.0}};
    int count = 1;
    for (int face = 0; face < FACE_COUNT; face++) {
        const int32_t i = l->faces[DOFS * (size_t)v + (size_t)face];
        if (i < 0) continue;
        const lattice_link *link = &l->links[i];
        const int32_t w = other_end(link, v);
        const double *here = &p->position[3 * (size_t)v];
        const double *there = &p->position[3 * (size_t)w];
        const rvec out = link_chord_of((rvec){there[0] - here[0], there[1] - here[1], there[2] - here[2]}).e;
        const rvec g = rvec_scale(lattice_weight(l, link, v) / l->pitch, out);
        voxels[count] = w;
        slope[count] = g;
        slope[0] = rvec_sub(slope[0], g);
        count++;
    }
    const double s = l->pitch * l->pitch * l->pitch * l->modulus[v];
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            if (voxels[a] > voxels[b]) continue;
            const rvec x = rvec_scale(s, slope[a]);
            const rvec y = slope[b];
            const mat3 m = {{{x.x * y.x, x.x * y.y, x.x * y.z},
                             {x.y * y.x, x.y * y.y, x.y * y.z},
                             {x.z * y.x, x.z * y.y, x.z * y.z}}};
            add_block(f, voxels[a], 0, voxels[b], 0, &m);
        }
    }
}

void vxe_sparse_fill(sparse *k, const lattice *l, const pose *p, bool floor, const uint8_t *stuck)
{
    const filler f = {k, l, stuck};
    (void)vxe_lattice_energy(l, p, floor); /* pressures */
    memset(k->value, 0, (size_t)k->entries * sizeof *k->value);
    for (int32_t i = 0; i < l->link_count; i++) add_link(&f, p, i);
    for (int32_t v = 0; v < l->voxels && l->modulus != NULL; v++) {
        if (l->modulus[v] > 0.0) add_pressure(&f, p, v);
    }
    for (int32_t v = 0; v < l->voxels && l->slope != NULL && !l->slack; v++) {
        const mat3 m = vxe_field_stiffness(l, v);
        add_block(&f, v, 0, v, 0, &m);
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        const double stiffness = l->sim->voxels[l->model->material[v]].floor_stiffness;
        const int64_t z = k->unknown[DOFS * (size_t)v + 2];
        if (floor && z >= 0) k->value[k->column[z + 1] - 1] += vxe_lattice_floor_stiffness(l, p, v);
        for (int d = 0; d < DOFS && stuck != NULL; d++) {
            const int64_t u = k->unknown[DOFS * (size_t)v + (size_t)d];
            if (u >= 0 && is_stuck(&f, (size_t)v, d))
                k->value[k->column[u + 1] - 1] = d < 3 ? stiffness : stiffness * l->pitch * l->pitch;
        }
    }
}

void vxe_sparse_multiply(const sparse *k, const double *x, double *y)
{
    memset(y, 0, (size_t)k->size * sizeof *y);
    for (int64_t c = 0; c < k->size; c++) {
        const int64_t last = k->column[c + 1] - 1;
        double sum = k->value[last] * x[c];
        for (int64_t i = k->column[c]; i < last; i++) {
            sum += k->value[i] * x[k->row[i]];
            y[k->row[i]] += k->value[i] * x[c];
        }
        y[c] += sum;
    }
}

void vxe_sparse_gather(const sparse *k, const lattice *l, const double *all, double *free)
{
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        if (k->unknown[i] >= 0) free[k->unknown[i]] = all[i];
    }
}

void vxe_sparse_scatter(const sparse *k, const lattice *l, const double *free, double *all)
{
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++)
        all[i] = k->unknown[i] >= 0 ? free[k->unknown[i]] : 0.0;
}
