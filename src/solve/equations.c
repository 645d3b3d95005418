/* Linear equations with the stiffness matrix: see equations.h. */
#include "solve/equations.h"

#include "base/base.h"
#include "kernel/strain.h"
#include "sim/pressure.h"
#include "solve/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the machine, bytes; 0: not known. */
static double machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : 0.0;
}

/* A factor of a body of this many unknowns takes at least so many operations that its analysis is not worth
 * while. (A chain, the cheapest body, takes about 200 per unknown and grows in proportion.) */
static bool is_hopeless(int64_t unknowns, double flops)
{
    return 200.0 * (double)unknowns > flops || (double)unknowns > 2e6;
}

vxe_result vxe_equations_create(equations *q, const lattice *l, vxe_solver solver, double flops,
                                vxe_error *error)
{
    *q = (equations){.l = l};
    vxe_result result = vxe_sparse_create(&q->k, l, error);
    if (result != VXE_OK) return result;
    const size_t size = (size_t)q->k.size;
    q->weight = vxe_allocate(size, sizeof(double));
    bool complete = q->weight != NULL;
    for (int i = 0; i < 4; i++) {
        q->work[i] = vxe_allocate(size, sizeof(double));
        complete = complete && q->work[i] != NULL;
    }
    if (l->shares) {
        q->chord = vxe_allocate(3 * (size_t)l->link_count, sizeof(double));
        complete = complete && q->chord != NULL;
    }
    if (!complete) {
        vxe_equations_destroy(q);
        return vxe_fail_memory(error, "the equations", 5 * size * sizeof(double));
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int d = 0; d < DOFS; d++) {
            const int64_t u = q->k.unknown[DOFS * (size_t)v + (size_t)d];
            if (u >= 0) q->weight[u] = vxe_lattice_mass(l, v, d);
        }
    }
    q->cost =
        (vxe_solve_cost){.solver = VXE_SOLVER_DIRECT, .unknowns = q->k.size, .matrix_entries = q->k.entries};
    q->cost.bytes = vxe_sparse_bytes(&q->k, l) + 5 * size * sizeof(double);
    if (size == 0) return VXE_OK;
    if (solver == VXE_SOLVER_AUTO && is_hopeless(q->k.size, flops)) solver = VXE_SOLVER_ITERATIVE;
    if (solver != VXE_SOLVER_ITERATIVE) {
        result = vxe_factor_create(l, &q->k, &q->direct, error);
        if (result == VXE_OK) {
            const factor_cost cost = vxe_factor_cost(q->direct);
            const bool dear = cost.flops > flops || (double)cost.bytes > machine_memory() / 3.0;
            if (solver == VXE_SOLVER_AUTO && dear) {
                vxe_factor_destroy(q->direct);
                q->direct = NULL;
            } else {
                q->cost.factor_entries = cost.entries;
                q->cost.factor_flops = cost.flops;
                q->cost.bytes += cost.bytes;
            }
        } else if (solver == VXE_SOLVER_AUTO) {
            result = VXE_OK; /* what is too large for a factor may still be iterated */
        }
    }
    if (result == VXE_OK && q->direct == NULL) {
        result = vxe_coarse_create(l, &q->k, &q->coarse, error);
        if (result == VXE_OK) q->cost.bytes += vxe_coarse_bytes(q->coarse);
        q->cost.solver = VXE_SOLVER_ITERATIVE;
    }
    if (result != VXE_OK) vxe_equations_destroy(q);
    return result;
}

void vxe_equations_destroy(equations *q)
{
    vxe_factor_destroy(q->direct);
    vxe_coarse_destroy(q->coarse);
    vxe_sparse_destroy(&q->k);
    free(q->weight);
    free(q->chord);
    for (int i = 0; i < 4; i++) free(q->work[i]);
    *q = (equations){0};
}

factor_state vxe_equations_update(equations *q, const pose *p, double shift)
{
    q->shift = shift;
    if (q->k.size == 0) return FACTOR_GOOD;
    if (q->direct == NULL) return vxe_coarse_update(q->coarse, q->l, p, &q->k, shift, q->weight);
    q->cost.factorizations++;
    return vxe_factor_update(q->direct, &q->k, shift, q->weight);
}

static factor_state precondition(equations *q, const double *r, double *z)
{
    if (q->direct != NULL)
        return vxe_factor_solve(q->direct, r, z, NULL) == VXE_OK ? FACTOR_GOOD : FACTOR_NO_MEMORY;
    vxe_coarse_apply(q->coarse, &q->k, r, z);
    return FACTOR_GOOD;
}

void vxe_equations_fill(equations *q, const pose *p, bool floor, const uint8_t *stuck)
{
    const lattice *l = q->l;
    vxe_sparse_fill(&q->k, l, p, floor, stuck);
    q->stuck = stuck;
    for (int32_t i = 0; i < l->link_count && q->chord != NULL; i++) {
        const double *near = &p->position[3 * (size_t)l->links[i].near];
        const double *far = &p->position[3 * (size_t)l->links[i].far];
        const double d[3] = {far[0] - near[0], far[1] - near[1], far[2] - near[2]};
        const double inverse = 1.0 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (size_t a = 0; a < 3; a++) q->chord[3 * (size_t)i + a] = inverse * d[a];
    }
}

/* The unknown that moves a voxel along an axis; -1: none. */
static int64_t mover(const equations *q, int32_t v, size_t a)
{
    if (q->stuck != NULL && (q->stuck[v] >> a & 1) != 0) return -1;
    return q->k.unknown[DOFS * (size_t)v + a];
}

/* What sharing does to the pressure of each voxel, which the matrix does not know. */
static void add_sharing(const equations *q, const double *x, double *y)
{
    const lattice *l = q->l;
    double *volume = l->spare[0];
    double *pressure = l->spare[1];
    memset(volume, 0, (size_t)l->voxels * sizeof *volume);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            vxe_pressure_from_volume(l->sim, volume, pressure);
            for (int32_t v = 0; v < l->voxels; v++) pressure[v] -= l->modulus[v] * volume[v];
        }
        for (int32_t i = 0; i < l->link_count; i++) {
            const lattice_link *link = &l->links[i];
            const link_class *c = &l->model->classes[link->kind];
            const double *e = &q->chord[3 * (size_t)i];
            double stretch = 0.0;
            const double area = l->pitch * l->pitch;
            const double tension = link_pressure_force(area * c->near_weight, pressure[link->near],
                                                       area * c->far_weight, pressure[link->far]);
            for (size_t a = 0; a < 3; a++) {
                const int64_t near = mover(q, link->near, a);
                const int64_t far = mover(q, link->far, a);
                if (pass == 0) {
                    stretch += e[a] * ((far >= 0 ? x[far] : 0.0) - (near >= 0 ? x[near] : 0.0)) / l->pitch;
                    continue;
                }
                if (near >= 0) y[near] -= tension * e[a];
                if (far >= 0) y[far] += tension * e[a];
            }
            if (pass == 0) {
                volume[link->near] += c->near_weight * stretch;
                volume[link->far] += c->far_weight * stretch;
            }
        }
    }
}

void vxe_equations_multiply(const equations *q, const double *x, double *y)
{
    vxe_sparse_multiply(&q->k, x, y);
    if (q->chord != NULL) add_sharing(q, x, y);
}

static void multiply(const equations *q, const double *x, double *y)
{
    vxe_equations_multiply(q, x, y);
    for (int64_t i = 0; q->shift != 0.0 && i < q->k.size; i++) y[i] += q->shift * q->weight[i] * x[i];
}

factor_state vxe_equations_solve(equations *q, const double *b, double *x, double tolerance)
{
    const int64_t n = q->k.size;
    double *r = q->work[0];
    double *z = q->work[1];
    double *p = q->work[2];
    double *kp = q->work[3];
    const int64_t most = q->direct != NULL ? 200 : 20000;
    double first = 0.0;
    double before = 0.0;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, b, (size_t)n * sizeof *r);
    for (int64_t i = 0; i < most && n > 0; i++) {
        const factor_state state = precondition(q, r, z);
        if (state != FACTOR_GOOD) return state;
        const double now = sum_dot(r, z, (size_t)n);
        if (i == 0) first = now;
        if (!(now > tolerance * tolerance * first)) return now >= 0.0 ? FACTOR_GOOD : FACTOR_NOT_POSITIVE;
        const double beta = i > 0 ? now / before : 0.0;
        for (int64_t j = 0; j < n; j++) p[j] = z[j] + beta * p[j];
        multiply(q, p, kp);
        const double curvature = sum_dot(p, kp, (size_t)n);
        if (!(curvature > 0.0)) return FACTOR_NOT_POSITIVE;
        const double alpha = now / curvature;
        for (int64_t j = 0; j < n; j++) {
            x[j] += alpha * p[j];
            r[j] -= alpha * kp[j];
        }
        before = now;
        q->cost.iterations++;
    }
    return FACTOR_GOOD;
}
