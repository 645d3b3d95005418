/* Newton's method with torques: see torque.h. */
#include "solve/torque.h"

#include "base/base.h"
#include "solve/arpack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KRYLOV_MAX 120

/* Cilia of a voxel that can turn, or a force field that no energy belongs to. */
static bool follows_without_energy(const newton *n, size_t v)
{
    const lattice *l = n->l;
    const int64_t *u = &n->q->k.unknown[DOFS * v];
    if (l->cilia != NULL && (u[3] >= 0 || u[4] >= 0 || u[5] >= 0)) {
        const double *f = &l->cilia[3 * v];
        if (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0) return true;
    }
    for (size_t i = 0; i < 3 && l->slope != NULL; i++) {
        const size_t j = (i + 1) % 3;
        const double a = l->slope[9 * v + 3 * i + j];
        const double b = l->slope[9 * v + 3 * j + i];
        if (u[i] >= 0 && u[j] >= 0 && fabs(a - b) > 1e-6 * (fabs(a) + fabs(b))) return true;
    }
    return false;
}

bool vxe_torque_matters(const newton *n)
{
    const lattice *l = n->l;
    for (size_t v = 0; v < (size_t)l->voxels && l->follows; v++) {
        if (follows_without_energy(n, v)) return true;
    }
    if (!l->torques) return false;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        const double *t = &l->load[DOFS * v + 3];
        for (size_t a = 0; a < 3; a++) {
            /* a torque about an axis couples the rotations about the two others */
            const int64_t b = n->q->k.unknown[DOFS * v + 3 + (a + 1) % 3];
            const int64_t c = n->q->k.unknown[DOFS * v + 3 + (a + 2) % 3];
            if (t[a] != 0.0 && b >= 0 && c >= 0) return true;
        }
    }
    return false;
}

/* y -= what the forces that follow the voxel change by, without what K has of it: its symmetric part. */
static void add_following(const newton *n, size_t v, const double *x, double *y)
{
    const lattice *l = n->l;
    const int64_t *u = &n->q->k.unknown[DOFS * v];
    double in[DOFS];
    double out[3] = {0.0, 0.0, 0.0};
    for (size_t d = 0; d < DOFS; d++) in[d] = u[d] >= 0 ? x[u[d]] : 0.0;
    for (size_t a = 0; a < 3; a++) {
        const size_t b = (a + 1) % 3;
        const size_t c = (a + 2) % 3;
        if (l->cilia != NULL) out[a] += in[3 + b] * l->cilia[3 * v + c] - in[3 + c] * l->cilia[3 * v + b];
        for (size_t j = 0; j < 3 && l->slope != NULL; j++)
            out[a] += 0.5 * (l->slope[9 * v + 3 * a + j] - l->slope[9 * v + 3 * j + a]) * in[j];
    }
    for (size_t a = 0; a < 3; a++) {
        if (u[a] >= 0) y[u[a]] -= out[a];
    }
}

/* y += S x */
static void add_skew(const newton *n, const double *x, double *y)
{
    const lattice *l = n->l;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        const double *t = &l->load[DOFS * v + 3];
        const double *offset = &n->offset[DOFS * v + 3];
        const int64_t *u = &n->q->k.unknown[DOFS * v + 3];
        double torque[3];
        double turn[3];
        for (int a = 0; a < 3; a++) {
            torque[a] = t[a] - (1.0 - n->part) * offset[a];
            turn[a] = u[a] >= 0 ? x[u[a]] : 0.0;
        }
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3;
            const int c = (a + 2) % 3;
            if (u[a] >= 0) y[u[a]] -= 0.5 * (torque[b] * turn[c] - torque[c] * turn[b]);
        }
        if (l->follows) add_following(n, v, x, y);
    }
}

/* ---- GMRES -------------------------------------------------------------------------------------------------------- */

typedef struct gmres {
    double *basis; /* (size (KRYLOV_MAX + 1)) */
    double *work;  /* (size) */
    double h[KRYLOV_MAX + 1][KRYLOV_MAX];
    double cosine[KRYLOV_MAX], sine[KRYLOV_MAX];
    double right[KRYLOV_MAX + 1];
} gmres;

/* Adds a column to the triangle; the size of what is left. */
static double rotate_column(gmres *g, int k)
{
    for (int i = 0; i < k; i++) {
        const double x = g->h[i][k];
        g->h[i][k] = g->cosine[i] * x + g->sine[i] * g->h[i + 1][k];
        g->h[i + 1][k] = -g->sine[i] * x + g->cosine[i] * g->h[i + 1][k];
    }
    const double size = hypot(g->h[k][k], g->h[k + 1][k]);
    g->cosine[k] = size > 0.0 ? g->h[k][k] / size : 1.0;
    g->sine[k] = size > 0.0 ? g->h[k + 1][k] / size : 0.0;
    g->h[k][k] = size;
    g->right[k + 1] = -g->sine[k] * g->right[k];
    g->right[k] *= g->cosine[k];
    return fabs(g->right[k + 1]);
}

static newton_end run_gmres(newton *n, gmres *g, const double *b, double *x)
{
    equations *q = n->q;
    const int64_t size = q->k.size;
    if (vxe_equations_solve(q, b, g->basis, 1e-8) != FACTOR_GOOD) return NEWTON_STUCK;
    const double first = sqrt(sum_dot(g->basis, g->basis, (size_t)size));
    memset(x, 0, (size_t)size * sizeof *x);
    if (first == 0.0) return NEWTON_DONE;
    for (int64_t i = 0; i < size; i++) g->basis[i] /= first;
    g->right[0] = first;
    int k = 0;
    double left = first;
    while (k < KRYLOV_MAX && left > 1e-8 * first) {
        const double *v = g->basis + (size_t)k * (size_t)size;
        double *next = g->basis + (size_t)(k + 1) * (size_t)size;
        vxe_equations_multiply(q, v, g->work);
        add_skew(n, v, g->work);
        if (vxe_equations_solve(q, g->work, next, 1e-8) != FACTOR_GOOD) return NEWTON_STUCK;
        for (int i = 0; i <= k; i++) {
            const double *own = g->basis + (size_t)i * (size_t)size;
            g->h[i][k] = sum_dot(own, next, (size_t)size);
            for (int64_t j = 0; j < size; j++) next[j] -= g->h[i][k] * own[j];
        }
        const double rest = sqrt(sum_dot(next, next, (size_t)size));
        g->h[k + 1][k] = rest;
        for (int64_t j = 0; j < size && rest > 0.0; j++) next[j] /= rest;
        left = rotate_column(g, k++);
        if (rest == 0.0) break;
    }
    for (int i = k; i-- > 0;) {
        double sum = g->right[i];
        for (int j = i + 1; j < k; j++) sum -= g->h[i][j] * g->right[j];
        g->right[i] = sum / g->h[i][i];
        const double *own = g->basis + (size_t)i * (size_t)size;
        for (int64_t j = 0; j < size; j++) x[j] += g->right[i] * own[j];
    }
    return isfinite(x[0]) ? NEWTON_DONE : NEWTON_STUCK;
}

newton_end vxe_torque_solve(newton *n, const double *b, double *x)
{
    const size_t size = (size_t)n->q->k.size;
    gmres *g = calloc(1, sizeof *g);
    newton_end end = NEWTON_NO_MEMORY;
    if (g != NULL) {
        g->basis = vxe_allocate((KRYLOV_MAX + 1) * size, sizeof(double));
        g->work = vxe_allocate(size, sizeof(double));
        if (g->basis != NULL && g->work != NULL) end = run_gmres(n, g, b, x);
        free(g->basis);
        free(g->work);
    }
    free(g);
    return end;
}

/* ---- stability ---------------------------------------------------------------------------------------------------- */

typedef struct torque_operator {
    newton *n;
    double *work;
    newton_end end;
} torque_operator;

/* out = (K + S)^-1 M in */
static bool apply(void *context, const double *in, double *out)
{
    torque_operator *o = context;
    for (int64_t i = 0; i < o->n->q->k.size; i++) o->work[i] = o->n->q->weight[i] * in[i];
    o->end = vxe_torque_solve(o->n, o->work, out);
    return o->end == NEWTON_DONE;
}

newton_end vxe_torque_is_stable(newton *n, bool *stable)
{
    enum { WANTED = 8 };
    const int64_t size = n->q->k.size;
    double real[WANTED + 1] = {0.0};
    double imaginary[WANTED + 1] = {0.0};
    torque_operator o = {n, vxe_allocate((size_t)size, sizeof(double)), NEWTON_DONE};
    if (o.work == NULL) return NEWTON_NO_MEMORY;
    const int found = vxe_arpack_general((int)size, WANTED, apply, &o, real, imaginary);
    free(o.work);
    if (o.end != NEWTON_DONE) return o.end;
    if (found < 0) return NEWTON_STUCK;
    *stable = true;
    for (int i = 0; i < found; i++) {
        /* 1/lambda has the sign of lambda in its real part */
        const double size2 = real[i] * real[i] + imaginary[i] * imaginary[i];
        if (real[i] < -1e-9 * sqrt(size2)) *stable = false;
    }
    return NEWTON_DONE;
}
