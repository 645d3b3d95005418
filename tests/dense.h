/* The largest stable step of a small body by brute force: stiffness and damping matrices from differences of
 * what vxe_sim_links() reports, and the longest step for which 4 M - 2 dt C - dt^2 K is positive definite, by
 * bisection with Cholesky's factorization. Nothing of src/sim/time_step.c is used. */
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include "support.h"

#include "sim/sim.h"

typedef struct dense {
    int32_t size;                /* 6 voxels */
    double *stiffness, *damping; /* M^-1/2 A M^-1/2, symmetric, row after row */
} dense;

/* Minus the loads of all links on all degrees of freedom. */
static inline void dense_loads(vxe_sim *sim, double *out)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const vxe_links *links = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_links(sim, &links, &error), &error);
    memset(out, 0, 6 * (size_t)n * sizeof *out);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            const size_t i = (size_t)a * (size_t)n + (size_t)v;
            double *near = out + 6 * (size_t)v;
            double *far = out + 6 * (size_t)m->view.next[a][v];
            for (int c = 0; c < 3; c++) {
                near[c] += links->force[c][i];
                far[c] -= links->force[c][i];
                near[3 + c] -= links->near_moment[c][i];
                far[3 + c] -= links->far_moment[c][i];
            }
        }
    }
}

static inline void dense_turn(vxe_sim *sim, int32_t v, int axis, double angle)
{
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = sim->orientation[i][v];
    const double c = cos(0.5 * angle);
    double s[3] = {0.0, 0.0, 0.0};
    s[axis] = sin(0.5 * angle);
    sim->orientation[0][v] = c * q[0] - s[0] * q[1] - s[1] * q[2] - s[2] * q[3];
    sim->orientation[1][v] = c * q[1] + s[0] * q[0] + s[1] * q[3] - s[2] * q[2];
    sim->orientation[2][v] = c * q[2] + s[1] * q[0] + s[2] * q[1] - s[0] * q[3];
    sim->orientation[3][v] = c * q[3] + s[2] * q[0] + s[0] * q[2] - s[1] * q[1];
}

static inline void dense_symmetrize(double *a, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j < i; j++) {
            const double mean =
                0.5 * (a[(size_t)i * (size_t)size + (size_t)j] + a[(size_t)j * (size_t)size + (size_t)i]);
            a[(size_t)i * (size_t)size + (size_t)j] = mean;
            a[(size_t)j * (size_t)size + (size_t)i] = mean;
        }
    }
}

/* Of the simulation as it is now; held degrees of freedom get zero rows and columns. */
static inline dense dense_of(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const size_t size = 6 * (size_t)n;
    dense d = {(int32_t)size, calloc(size * size, sizeof(double)), calloc(size * size, sizeof(double))};
    double *plus = calloc(size, sizeof(double));
    double *minus = calloc(size, sizeof(double));
    double *weight = calloc(size, sizeof(double));
    assert_true(d.stiffness != NULL && d.damping != NULL && plus != NULL && minus != NULL && weight != NULL);
    for (size_t i = 0; i < size; i++) {
        const int32_t v = (int32_t)(i / 6);
        const material_constants *c = &m->materials[m->material[v]];
        const int dof = (int)(i % 6);
        weight[i] = (m->fixed[v] >> dof & 1) != 0 ? 0.0 : 1.0 / sqrt(dof < 3 ? c->mass : c->inertia);
    }
    for (size_t j = 0; j < size; j++) {
        const int32_t v = (int32_t)(j / 6);
        const int dof = (int)(j % 6);
        if (weight[j] == 0.0) continue;
        const double h = 1e-5 * (dof < 3 ? m->view.pitch : 1.0);
        for (int side = -1; side <= 1; side += 2) {
            double old[4];
            for (int i = 0; i < 4; i++) old[i] = dof < 3 ? sim->position[dof][v] : sim->orientation[i][v];
            if (dof < 3) {
                sim->position[dof][v] += side * h;
            } else {
                dense_turn(sim, v, dof - 3, side * h);
            }
            dense_loads(sim, side < 0 ? minus : plus);
            for (int i = 0; i < 4; i++) {
                if (dof < 3) {
                    sim->position[dof][v] = old[0];
                } else {
                    sim->orientation[i][v] = old[i];
                }
            }
        }
        for (size_t i = 0; i < size; i++)
            d.stiffness[i * size + j] = weight[i] * weight[j] * (plus[i] - minus[i]) / (2.0 * h);
        /* loads are linear in velocities, so any unit will do */
        double *speed = dof < 3 ? &sim->velocity[dof][v] : &sim->spin[dof - 3][v];
        const double before = *speed;
        const double unit = dof < 3 ? 1.0 : 1.0 / m->view.pitch;
        *speed = before + unit;
        dense_loads(sim, plus);
        *speed = before - unit;
        dense_loads(sim, minus);
        *speed = before;
        for (size_t i = 0; i < size; i++)
            d.damping[i * size + j] = weight[i] * weight[j] * (plus[i] - minus[i]) / (2.0 * unit);
    }
    dense_symmetrize(d.stiffness, d.size);
    dense_symmetrize(d.damping, d.size);
    free(plus);
    free(minus);
    free(weight);
    return d;
}

static inline void dense_free(dense d)
{
    free(d.stiffness);
    free(d.damping);
}

/* Whether a step is shorter than the limit. `work` holds size^2 numbers. */
static inline bool dense_stable(const dense *d, double dt, double *work)
{
    const size_t n = (size_t)d->size;
    for (size_t i = 0; i < n * n; i++) work[i] = -2.0 * dt * d->damping[i] - dt * dt * d->stiffness[i];
    for (size_t i = 0; i < n; i++) work[i * n + i] += 4.0;
    for (size_t j = 0; j < n; j++) {
        const double *row = work + j * n;
        double pivot = row[j];
        for (size_t k = 0; k < j; k++) pivot -= row[k] * row[k];
        if (!(pivot > 0.0)) return false;
        pivot = sqrt(pivot);
        work[j * n + j] = pivot;
        for (size_t i = j + 1; i < n; i++) {
            double sum = work[i * n + j];
            const double *other = work + i * n;
            for (size_t k = 0; k < j; k++) sum -= other[k] * row[k];
            work[i * n + j] = sum / pivot;
        }
    }
    return true;
}

/* s; between 0 and `above`, which must be unstable. */
static inline double dense_limit(const dense *d, double above)
{
    double *work = calloc((size_t)d->size * (size_t)d->size, sizeof(double));
    assert_non_null(work);
    double low = 0.0;
    double high = above;
    assert_false(dense_stable(d, high, work));
    while (high - low > 1e-7 * high) {
        const double middle = 0.5 * (low + high);
        if (dense_stable(d, middle, work)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    free(work);
    return low;
}

#endif
