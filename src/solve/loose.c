/* Bodies that nothing holds: see loose.h. */
#include "solve/loose.h"

#include "base/base.h"
#include "solve/arpack.h"
#include "solve/motions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `count` numbers per body. */
static double *per_body(const lattice *l, size_t count, vxe_result *result, vxe_error *error)
{
    double *memory = vxe_allocate(count * (size_t)l->body_count, sizeof *memory);
    if (memory == NULL)
        *result = vxe_fail_memory(error, "the bodies", count * (size_t)l->body_count * sizeof *memory);
    return memory;
}

vxe_result vxe_put_down(const lattice *l, pose *p, bool *any, vxe_error *error)
{
    vxe_result result = VXE_OK;
    *any = false;
    if (!l->sim->environment.floor || !(l->sim->environment.gravity[2] < 0.0)) return VXE_OK;
    double *depth = per_body(l, 1, &result, error);
    if (depth == NULL) return result;
    for (int32_t b = 0; b < l->body_count; b++) depth[b] = -INFINITY;
    for (int32_t v = 0; v < l->voxels; v++) {
        const bool held = (l->held[v] & VXE_DOF_Z) != 0;
        depth[l->body[v]] = fmax(depth[l->body[v]], held ? 0.0 : vxe_lattice_depth(l, p, v));
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        if (depth[l->body[v]] > -1e-9 * l->pitch || depth[l->body[v]] == -INFINITY) continue;
        p->position[3 * (size_t)v + 2] += depth[l->body[v]];
        *any = true;
    }
    free(depth);
    return VXE_OK;
}

/* ---- holding -------------------------------------------------------------------------------------------------------- */

/* The voxel nearest to the middle of each body, into middle[]. */
static vxe_result find_middles(const lattice *l, const pose *p, int32_t *middle, vxe_error *error)
{
    vxe_result result = VXE_OK;
    double *sums = per_body(l, 5, &result, error); /* centre, voxels, nearest distance */
    if (sums == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        for (size_t a = 0; a < 3; a++) s[a] += p->position[3 * (size_t)v + a];
        s[3] += 1.0;
        s[4] = INFINITY;
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            const double d = p->position[3 * (size_t)v + a] - s[a] / s[3];
            square += d * d;
        }
        if (square < s[4]) {
            s[4] = square;
            middle[l->body[v]] = v;
        }
    }
    free(sums);
    return VXE_OK;
}

/* Holds as many degrees of freedom of a voxel as there are free motions, so that each of them would move what
 * is held: elimination with pivots. */
static void hold_voxel(lattice *l, const pose *p, int32_t v, const free_motion *items, int count)
{
    double m[DOFS][DOFS];
    for (int j = 0; j < count; j++) {
        for (int d = 0; d < DOFS; d++) m[j][d] = vxe_motion_at(&items[j], p, v, d) * (d < 3 ? 1.0 : l->pitch);
    }
    for (int done = 0; done < count; done++) {
        int row = done;
        int column = -1;
        for (int j = done; j < count; j++) {
            for (int d = 0; d < DOFS; d++) {
                if ((l->held[v] >> d & 1) != 0) continue;
                if (column < 0 || fabs(m[j][d]) > fabs(m[row][column])) {
                    row = j;
                    column = d;
                }
            }
        }
        if (column < 0 || m[row][column] == 0.0) return;
        l->held[v] |= (uint8_t)(1 << column);
        for (int d = 0; d < DOFS; d++) {
            const double x = m[row][d];
            m[row][d] = m[done][d];
            m[done][d] = x;
        }
        for (int j = done + 1; j < count; j++) {
            const double f = m[j][column] / m[done][column];
            for (int d = 0; d < DOFS; d++) m[j][d] -= f * m[done][d];
        }
    }
}

/* First motion of each body; [bodies]: their number. */
static void index_motions(const lattice *l, const free_motions *motions, int32_t *first)
{
    int32_t i = 0;
    for (int32_t b = 0; b <= l->body_count; b++) {
        while (i < motions->count && motions->items[i].body < b) i++;
        first[b] = i;
    }
}

/* Whether the loads drive a body along a free motion. */
static vxe_result find_driven(const lattice *l, const pose *p, const free_motions *motions,
                              const int32_t *first, bool *driven, vxe_error *error)
{
    double *sums = vxe_allocate(2 * (size_t)motions->count, sizeof *sums); /* work, and sum of its sizes */
    if (sums == NULL)
        return vxe_fail_memory(error, "the free motions", 2 * (size_t)motions->count * sizeof *sums);
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int32_t i = first[l->body[v]]; i < first[l->body[v] + 1]; i++) {
            for (int d = 0; d < DOFS; d++) {
                const double part =
                    l->load[DOFS * (size_t)v + (size_t)d] * vxe_motion_at(&motions->items[i], p, v, d);
                sums[2 * (size_t)i] += part;
                sums[2 * (size_t)i + 1] += fabs(part);
            }
        }
    }
    for (int32_t i = 0; i < motions->count; i++) {
        if (fabs(sums[2 * (size_t)i]) > 1e-7 * sums[2 * (size_t)i + 1]) *driven = true;
    }
    free(sums);
    return VXE_OK;
}

/* What holds in a pose: regions, the plane, and the floor under bodies that are pressed on it. */
static vxe_result find_held(const lattice *l, const pose *p, bool grip, uint8_t *held, vxe_error *error)
{
    vxe_result result = VXE_OK;
    double *weight = per_body(l, 1, &result, error); /* N: what presses a body down is negative */
    if (weight == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) weight[l->body[v]] += l->load[DOFS * (size_t)v + 2];
    for (int32_t v = 0; v < l->voxels; v++) {
        held[v] = l->held[v];
        if (!l->sim->environment.floor || !vxe_lattice_touches(l, p, v) || !(weight[l->body[v]] < 0.0))
            continue;
        held[v] |= grip ? VXE_DOF_MOVE : VXE_DOF_Z;
    }
    free(weight);
    return VXE_OK;
}

/* Work space of vxe_hold_loose(). */
typedef struct loose_work {
    uint8_t *held;   /* (voxels) */
    int32_t *first;  /* motion of each body, (bodies + 1) */
    int32_t *middle; /* voxel of each body, (bodies) */
} loose_work;

static vxe_result hold_all(lattice *l, const pose *p, bool grip, const loose_work *w, loose_bodies *loose,
                           vxe_error *error)
{
    free_motions motions = {0, NULL};
    vxe_result result = find_held(l, p, grip, w->held, error);
    if (result == VXE_OK) result = vxe_free_motions(l, p, w->held, &motions, error);
    if (result != VXE_OK || motions.count == 0) return result;
    index_motions(l, &motions, w->first);
    result = find_driven(l, p, &motions, w->first, &loose->driven, error);
    if (result == VXE_OK && loose->driven) vxe_describe_motions(l, &motions, loose->text, sizeof loose->text);
    if (result == VXE_OK && !loose->driven) result = find_middles(l, p, w->middle, error);
    for (int32_t b = 0; b < l->body_count && result == VXE_OK && !loose->driven; b++) {
        const int32_t begin = w->first[b];
        if (begin == w->first[b + 1]) continue;
        hold_voxel(l, p, w->middle[b], &motions.items[begin], (int)(w->first[b + 1] - begin));
        loose->any = true;
    }
    vxe_free_motions_destroy(&motions);
    return result;
}

vxe_result vxe_hold_loose(lattice *l, const pose *p, bool grip, loose_bodies *loose, vxe_error *error)
{
    const loose_work w = {vxe_allocate((size_t)l->voxels, 1),
                          vxe_allocate((size_t)l->body_count + 1, sizeof(int32_t)),
                          vxe_allocate((size_t)l->body_count, sizeof(int32_t))};
    vxe_result result = VXE_OK;
    loose->any = false;
    loose->driven = false;
    if (w.held == NULL || w.first == NULL || w.middle == NULL) {
        result = vxe_fail_memory(error, "the supports", (size_t)l->voxels * 9);
    } else {
        result = hold_all(l, p, grip, &w, loose, error);
    }
    free(w.held);
    free(w.first);
    free(w.middle);
    return result;
}

/* ---- after the search ----------------------------------------------------------------------------------------------- */

bool vxe_loose_carry(const newton *n)
{
    const lattice *l = n->l;
    double most = 0.0;
    double scale = vxe_lattice_small_force(l);
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        const double unit = i % DOFS < 3 ? 1.0 : 1.0 / l->pitch;
        const double total = unit * fabs(l->load[i] - n->gradient[i]);
        scale = fmax(scale, unit * fabs(l->load[i]));
        scale = fmax(scale, unit * fabs(n->gradient[i]));
        const uint8_t own = (uint8_t)(l->held[i / DOFS] & ~l->model->fixed[i / DOFS]);
        if ((own >> (i % DOFS) & 1) != 0) most = fmax(most, total);
    }
    return most > 1e-6 * scale;
}

/* Whether K + a little of M has a negative eigenvalue: then K has one, and not only neutral motions. */
static factor_state examine(equations *q, const pose *p)
{
    double stiffest = 0.0;
    for (int64_t i = 0; i < q->k.size; i++) {
        stiffest = fmax(stiffest, q->k.value[q->k.column[i + 1] - 1] / q->weight[i]);
    }
    double *b = vxe_allocate(2 * (size_t)q->k.size, sizeof *b);
    if (b == NULL) return FACTOR_NO_MEMORY;
    factor_state state = vxe_equations_update(q, p, 1e-9 * stiffest);
    for (int64_t i = 0; i < q->k.size; i++) b[i] = sqrt(q->weight[i]) * vxe_scatter((unsigned long long)i);
    if (state == FACTOR_GOOD) state = vxe_equations_solve(q, b, b + q->k.size, 1e-6);
    free(b);
    return state;
}

vxe_result vxe_loose_fall(const newton *n, vxe_solver solver, double flops, bool *falls, vxe_error *error)
{
    lattice l = *n->l; /* all but what is held is the same */
    equations q;
    *falls = false;
    l.held = vxe_allocate((size_t)l.voxels, 1);
    if (l.held == NULL) return vxe_fail_memory(error, "the supports", (size_t)l.voxels);
    memcpy(l.held, l.model->fixed, (size_t)l.voxels);
    vxe_result result = vxe_equations_create(&q, &l, solver, flops, error);
    if (result == VXE_OK) {
        vxe_equations_fill(&q, &n->now, n->floor, n->stuck);
        const factor_state state = examine(&q, &n->now);
        if (state == FACTOR_NO_MEMORY)
            result = vxe_fail_memory(error, "the examination of stability", q.cost.bytes);
        *falls = state == FACTOR_NOT_POSITIVE;
        vxe_equations_destroy(&q);
    }
    free(l.held);
    return result;
}

vxe_result vxe_loose_recenter(const lattice *l, pose *p, vxe_error *error)
{
    const vxe_model *m = l->model;
    vxe_result result = VXE_OK;
    if (l->sim->environment.floor) return VXE_OK;
    double *sums = per_body(l, 5, &result, error); /* moved, mass, voxels that are held */
    if (sums == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        const double mass = m->materials[m->material[v]].mass;
        for (size_t a = 0; a < 3; a++)
            s[a] += mass * (p->position[3 * (size_t)v + a] - l->sim->position[a][v]);
        s[3] += mass;
        s[4] += m->fixed[v] != 0;
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        const double *s = &sums[5 * (size_t)l->body[v]];
        for (size_t a = 0; a < 3 && s[4] == 0.0; a++) p->position[3 * (size_t)v + a] -= s[a] / s[3];
    }
    free(sums);
    return VXE_OK;
}
