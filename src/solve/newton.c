/* Newton's method: see newton.h. Tangents are exact, steps follow turning links (warp.h), and each must lower
 * the energy of the body and its loads. Where the matrix is not positive it gets as much of the mass matrix
 * as it takes, so that steps still lead downhill. */
#include "solve/newton.h"

#include "base/base.h"
#include "solve/arpack.h"
#include "solve/torque.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOLVE_TOLERANCE 1e-6 /* of the linear equations; Newton's own error is larger until the last step */
#define CAREFUL_TOLERANCE 1e-13
#define PROBE_TOLERANCE 1e-9

/* ---- memory ------------------------------------------------------------------------------------------------------- */

vxe_result vxe_newton_create(newton *n, const lattice *l, equations *q, vxe_error *error)
{
    const size_t voxels = (size_t)l->voxels;
    *n = (newton){.l = l, .q = q};
    vxe_result result = vxe_pose_create(l, &n->now, error);
    if (result == VXE_OK) result = vxe_pose_create(l, &n->trial, error);
    if (result == VXE_OK) result = vxe_warp_create(l, &n->w, error);
    if (result == VXE_OK) {
        n->stuck = vxe_allocate(voxels, 1);
        n->growth_from = vxe_allocate(voxels, sizeof(double));
        double **const arrays[6] = {&n->offset, &n->residual, &n->gradient, &n->step, &n->spare, &n->load};
        bool complete = n->stuck != NULL && n->growth_from != NULL;
        for (int i = 0; i < 6; i++) {
            *arrays[i] = vxe_allocate(DOFS * voxels, sizeof(double));
            complete = complete && *arrays[i] != NULL;
        }
        n->b = vxe_allocate((size_t)q->k.size, sizeof(double));
        n->x = vxe_allocate((size_t)q->k.size, sizeof(double));
        complete = complete && n->b != NULL && n->x != NULL;
        for (int i = 0; i < 2 && q->direct == NULL; i++) {
            n->probe[i] = vxe_allocate((size_t)q->k.size, sizeof(double));
            complete = complete && n->probe[i] != NULL;
        }
        if (!complete) result = vxe_fail_memory(error, "Newton's method", 49 * voxels * sizeof(double));
    }
    if (result != VXE_OK) vxe_newton_destroy(n);
    return result;
}

void vxe_newton_destroy(newton *n)
{
    vxe_pose_destroy(&n->now);
    vxe_pose_destroy(&n->trial);
    vxe_warp_destroy(n->w);
    vxe_support_path_destroy(&n->path);
    free(n->stuck);
    free(n->growth_from);
    free(n->offset);
    free(n->load);
    free(n->residual);
    free(n->gradient);
    free(n->step);
    free(n->spare);
    free(n->b);
    free(n->x);
    for (int i = 0; i < 2; i++) free(n->probe[i]);
    *n = (newton){0};
}

/* ---- forces ------------------------------------------------------------------------------------------------------- */

static bool is_free(const newton *n, size_t i)
{
    return n->q->k.unknown[i] >= 0 && (n->stuck[i / DOFS] >> (i % DOFS) & 1) == 0;
}

static double unit_of(const lattice *l, size_t i) { return i % DOFS < 3 ? 1.0 : 1.0 / l->pitch; }

/* Loads and gradient of the pose `now`. */
static void find_forces(newton *n)
{
    const lattice *l = n->l;
    vxe_lattice_load(l, &n->now);
    memcpy(n->load, l->load, DOFS * (size_t)l->voxels * sizeof *n->load);
    n->measures = vxe_lattice_gradient(l, &n->now, n->floor, n->gradient);
}

/* What is out of balance at a part of the way, zero where it is held; its size relative to what acts. */
static void find_residual(newton *n, double part)
{
    const lattice *l = n->l;
    find_forces(n);
    double most = 0.0;
    double scale = vxe_lattice_small_force(l);
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        const double load = n->load[i] - (1.0 - part) * n->offset[i];
        scale = fmax(scale, unit_of(l, i) * fmax(fabs(load), fabs(n->gradient[i])));
        n->residual[i] = is_free(n, i) ? load - n->gradient[i] : 0.0;
        most = fmax(most, unit_of(l, i) * fabs(n->residual[i]));
    }
    n->imbalance = scale > 0.0 ? most / scale : 0.0;
}

/* What friction holds: voxels that press on the floor, or (at the beginning) only touch it. True if that has
 * changed. */
static bool find_stuck(newton *n, bool beginning)
{
    bool changed = false;
    for (int32_t v = 0; v < n->l->voxels; v++) {
        const bool presses = beginning ? vxe_lattice_touches(n->l, &n->now, v)
                                       : vxe_lattice_depth(n->l, &n->now, v) > 1e-12 * n->l->pitch;
        const uint8_t stuck = n->floor && n->grip && presses ? VXE_DOF_X | VXE_DOF_Y : 0;
        changed = changed || stuck != n->stuck[v];
        n->stuck[v] = stuck;
    }
    return changed;
}

static void set_growth(newton *n, pose *p, double part)
{
    for (int32_t v = 0; v < n->l->voxels; v++)
        p->growth[v] = n->growth_from[v] + part * (n->l->growth[v] - n->growth_from[v]);
}

vxe_result vxe_newton_begin(newton *n, vxe_error *error)
{
    const lattice *l = n->l;
    vxe_support_path_destroy(&n->path);
    const vxe_result result = vxe_support_path_create(l, &n->now, &n->path, error);
    if (result != VXE_OK) return result;
    memcpy(n->growth_from, n->now.growth, (size_t)l->voxels * sizeof(double));
    n->part = 0.0;
    n->shift = 0.0;
    (void)find_stuck(n, true);
    find_forces(n);
    n->skew = vxe_torque_matters(n);
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) n->offset[i] = n->load[i] - n->gradient[i];
    return VXE_OK;
}

void vxe_newton_place(newton *n, const pose *p, double part)
{
    vxe_pose_copy(n->l, p, &n->now);
    n->part = part;
    (void)find_stuck(n, part == 0.0);
}

/* ---- steps -------------------------------------------------------------------------------------------------------- */

/* How large eigenvalues of M^-1 K get, about. */
static double stiffest(const equations *q)
{
    double most = 0.0;
    for (int64_t i = 0; i < q->k.size; i++)
        most = fmax(most, q->k.value[q->k.column[i + 1] - 1] / q->weight[i]);
    return most;
}

/* A right side that has all directions in it: conjugate gradients meet a negative one if there is one. */
static void fill_with_noise(const equations *q, double *b)
{
    for (int64_t i = 0; i < q->k.size; i++) b[i] = sqrt(q->weight[i]) * vxe_noise((unsigned long long)i);
}

/* Whether the matrix that was updated last is positive; a factor of it would have told. */
static factor_state probe(const newton *n)
{
    fill_with_noise(n->q, n->probe[0]);
    return vxe_equations_solve(n->q, n->probe[0], n->probe[1], PROBE_TOLERANCE);
}

/* n->x = (K + shift M)^-1 n->b with the least shift of a few that makes the matrix positive. */
static newton_end solve_downhill(newton *n, double tolerance)
{
    const double top = stiffest(n->q);
    double shift = n->shift > 1e-13 * top ? 0.125 * n->shift : 0.0;
    for (int i = 0; i < 60; i++) {
        factor_state state = vxe_equations_update(n->q, &n->now, shift);
        if (state == FACTOR_GOOD && n->careful && n->q->direct == NULL) state = probe(n);
        if (state == FACTOR_GOOD) state = vxe_equations_solve(n->q, n->b, n->x, tolerance);
        if (state == FACTOR_GOOD) {
            n->shift = shift;
            return NEWTON_DONE;
        }
        if (state == FACTOR_NO_MEMORY) return NEWTON_NO_MEMORY;
        shift = shift > 0.0 ? 4.0 * shift : 1e-12 * top;
    }
    return NEWTON_STUCK;
}

static double largest_move(const lattice *l, const pose *a, const pose *b)
{
    double most = 0.0;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        double square = 0.0;
        for (size_t i = 0; i < 3; i++) {
            const double d = a->position[3 * v + i] - b->position[3 * v + i];
            square += d * d;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Largest displacement from the start of the model; a ten thousandth of the pitch where there is none. */
static double displacement_scale(const lattice *l, const pose *p)
{
    double most = 1e-4 * l->pitch;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            const double d = p->position[3 * v + a] - l->model->start[a][v];
            square += d * d;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* Energy of body and loads that a move from n->now to n->trial gains; torques work along the step, which is
 * exact for turns about one axis, and loads that change by their mean, which is exact where they change in
 * proportion. */
static double energy_change(const newton *n, double part, double length, const lattice_measures *after)
{
    const lattice *l = n->l;
    double work = 0.0;
    vxe_lattice_load(l, &n->trial);
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        for (size_t d = 0; d < DOFS; d++) {
            const size_t i = DOFS * v + d;
            const double load = 0.5 * (n->load[i] + l->load[i]) - (1.0 - part) * n->offset[i];
            work += load *
                    (d < 3 ? n->trial.position[3 * v + d] - n->now.position[3 * v + d] : length * n->step[i]);
        }
    }
    return after->energy - n->measures.energy - work;
}

static bool is_sane(const lattice *l, const lattice_measures *m)
{
    return isfinite(m->energy) && m->length_min > 0.05 * l->pitch && m->strain_max < 5.0;
}

/* Moves n->now along n->step by as much of it as lowers the energy. `slope`: its change per unit of the step,
 * negative. `moved`: supports move with the step, so that energies say nothing and all of it is taken;
 * likewise where there is no energy because torques act. *taken: the part of the step. */
static newton_end search_line(newton *n, double part, double slope, bool moved, double *taken)
{
    const bool any = moved || n->skew;
    const double least =
        1e-14 * vxe_lattice_small_force(n->l) * n->l->pitch; /* J: round-off of a body that is not strained */
    double length = 1.0;
    bool wild = false;
    for (int i = 0; i < 30; i++) {
        if (vxe_warp_move(n->w, &n->now, n->step, length, n->stuck, &n->trial, NULL) != VXE_OK)
            return NEWTON_NO_MEMORY;
        const lattice_measures after = vxe_lattice_energy(n->l, &n->trial, n->floor);
        wild = !is_sane(n->l, &after);
        const double change = wild ? INFINITY : energy_change(n, part, length, &after);
        const double noise = least + 1e-12 * (fabs(n->measures.energy) + fabs(after.energy));
        if (!wild && (any || change <= 1e-4 * length * slope || fabs(length * slope) <= noise)) {
            const pose swap = n->now;
            n->now = n->trial;
            n->trial = swap;
            *taken = length;
            return NEWTON_DONE;
        }
        if (any)
            return NEWTON_WILD; /* half of a prescribed motion is not allowed: the load step must be smaller
                                 */
        const double parabola = wild ? 0.25 : -slope * length / (2.0 * (change - slope * length));
        length *= fmin(fmax(parabola, 0.1), 0.5);
        if (length < 1e-9) break;
    }
    return wild ? NEWTON_WILD : NEWTON_STUCK;
}

newton_end vxe_newton_solve(newton *n, double part)
{
    const lattice *l = n->l;
    const size_t size = DOFS * (size_t)l->voxels;
    double settled = INFINITY;
    for (int32_t i = 0; i < n->iterations_max; i++) {
        bool moved = false;
        if (i == 0) {
            vxe_support_increments(l, &n->path, &n->now, n->part, part, n->step);
            for (size_t j = 0; j < size; j++) {
                /* dregs of round-off are not a motion */
                if (fabs(n->step[j]) <= 1e-14 * (j % DOFS < 3 ? l->pitch : 1.0)) n->step[j] = 0.0;
                moved = moved || n->step[j] != 0.0;
            }
            set_growth(n, &n->now, part);
            n->part = part;
        } else {
            memset(n->step, 0, size * sizeof *n->step);
        }
        find_residual(n, part);
        if (moved) {
            vxe_tangent_apply(l, &n->now, n->floor, n->step, n->spare);
            for (size_t j = 0; j < size; j++) n->residual[j] -= is_free(n, j) ? n->spare[j] : 0.0;
        }
        vxe_equations_fill(n->q, &n->now, n->floor, n->stuck);
        vxe_sparse_gather(&n->q->k, l, n->residual, n->b);
        const bool iterates = n->q->direct == NULL;
        newton_end end = solve_downhill(n, iterates && n->careful ? CAREFUL_TOLERANCE : SOLVE_TOLERANCE);
        if (end == NEWTON_DONE && n->shift > 0.0 && iterates && !n->careful) return NEWTON_BLIND;
        if (end == NEWTON_DONE && n->skew) end = vxe_torque_solve(n, n->b, n->x);
        if (end != NEWTON_DONE) return end;
        n->iterations++;
        double slope = 0.0;
        for (size_t j = 0; j < size; j++) {
            const int64_t u = n->q->k.unknown[j];
            if (u < 0) continue;
            n->step[j] += n->x[u];
            slope -= n->b[u] * n->x[u];
        }
        double taken = 0.0;
        end = search_line(n, part, slope, moved, &taken);
        if (end != NEWTON_DONE) return end;
        const bool other = find_stuck(n, false);
        const double scale = displacement_scale(l, &n->now);
        n->change = largest_move(l, &n->now, &n->trial) / scale;
        /* A last change that is small enough; or changes that are small and no longer fall, which is
         * round-off. A shifted matrix makes small steps far from the goal too, so forces must balance as
         * well. */
        const bool calm = n->change <= n->tolerance || (n->change <= 1e-6 && n->change > 0.5 * settled);
        if (taken >= 1.0 && !moved && !other && calm) {
            find_residual(n, part);
            if (n->shift == 0.0 || n->skew || n->imbalance <= 1e-8) return NEWTON_DONE;
        }
        settled = n->change;
    }
    return NEWTON_SLOW;
}

/* ---- stability ---------------------------------------------------------------------------------------------------- */

newton_end vxe_newton_is_stable(newton *n, bool *stable)
{
    equations *q = n->q;
    const int64_t size = q->k.size;
    *stable = true;
    if (size == 0) return NEWTON_DONE;
    find_forces(n);
    vxe_equations_fill(q, &n->now, n->floor, n->stuck);
    fill_with_noise(q, n->b);
    n->shift = 0.0;
    newton_end end = solve_downhill(n, PROBE_TOLERANCE);
    if (end != NEWTON_DONE || n->shift == 0.0) return end;
    if (n->skew) return vxe_torque_is_stable(n, stable);
    /* the weakest direction, by inverse iteration */
    double quotient = 0.0;
    for (int i = 0; i < 30; i++) {
        tree_sum sum = {.count = 0};
        for (int64_t j = 0; j < size; j++) sum_add(&sum, q->weight[j] * n->x[j] * n->x[j]);
        const double scale = 1.0 / sqrt(sum_total(&sum));
        for (int64_t j = 0; j < size; j++) {
            n->x[j] *= scale;
            n->b[j] = q->weight[j] * n->x[j];
        }
        vxe_sparse_scatter(&q->k, n->l, n->x, n->step);
        vxe_tangent_apply(n->l, &n->now, n->floor, n->step, n->spare);
        const double before = quotient;
        quotient = 0.0;
        for (size_t j = 0; j < DOFS * (size_t)n->l->voxels; j++) {
            if (is_free(n, j)) quotient += n->step[j] * n->spare[j];
        }
        if (i > 2 && fabs(quotient - before) <= 1e-4 * fabs(quotient)) break;
        const factor_state state = vxe_equations_solve(q, n->b, n->x, 1e-6);
        if (state != FACTOR_GOOD) return state == FACTOR_NO_MEMORY ? NEWTON_NO_MEMORY : NEWTON_STUCK;
    }
    /* what is zero to round-off is not a fall */
    *stable = quotient > -1e-13 * stiffest(q);
    return NEWTON_DONE;
}

newton_end vxe_newton_leave(newton *n)
{
    const lattice *l = n->l;
    const size_t size = DOFS * (size_t)l->voxels;
    double most = 0.0;
    for (size_t i = 0; i < size; i++) {
        if (!is_free(n, i)) n->step[i] = 0.0;
        const double own = n->step[i] / unit_of(l, i);
        if (fabs(own) > fabs(most) * (1.0 + 1e-9)) most = own;
    }
    if (most == 0.0) return NEWTON_STUCK;
    const double scale = 0.01 * l->pitch / most; /* a hundredth of a pitch, with a repeatable sign */
    for (size_t i = 0; i < size; i++) n->step[i] *= scale;
    find_residual(n, n->part);
    double length = 1.0;
    double best = 0.0;
    double chosen = 0.0;
    for (int i = 0; i < 40; i++) {
        if (vxe_warp_move(n->w, &n->now, n->step, length, n->stuck, &n->trial, NULL) != VXE_OK)
            return NEWTON_NO_MEMORY;
        const lattice_measures after = vxe_lattice_energy(l, &n->trial, n->floor);
        const double change = is_sane(l, &after) ? energy_change(n, n->part, length, &after) : INFINITY;
        if (!(change < best)) break;
        best = change;
        chosen = length;
        length *= 2.0;
    }
    if (chosen == 0.0) return NEWTON_STUCK;
    if (vxe_warp_move(n->w, &n->now, n->step, chosen, n->stuck, &n->trial, NULL) != VXE_OK)
        return NEWTON_NO_MEMORY;
    const pose swap = n->now;
    n->now = n->trial;
    n->trial = swap;
    (void)find_stuck(n, false);
    return NEWTON_DONE;
}

const char *vxe_newton_end_name(newton_end end)
{
    switch (end) {
    case NEWTON_DONE: return "it converged";
    case NEWTON_SLOW: return "it did not converge";
    case NEWTON_STUCK: return "no step led downhill";
    case NEWTON_WILD: return "links were crushed or torn";
    case NEWTON_BLIND: return "the stiffness matrix is not positive";
    case NEWTON_NO_MEMORY: return "there was not enough memory";
    }
    return "unknown";
}
