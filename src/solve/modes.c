/* Natural modes: K x = w^2 M x with M diagonal, about the pose of a simulation.
 *
 * With y = M^1/2 x the inverse of M^-1/2 (K + s M) M^-1/2 has the eigenvalues 1/(w^2 + s), so the lowest
 * modes are its largest ones, which Lanczos' process (ARPACK) finds first. s is 0 where K is positive, tiny
 * where bodies can move freely, and larger where the pose is unstable. Rigid motions are known and kept out.
 * One Lanczos vector sees one direction of a multiple eigenvalue, and bars of square section have double
 * ones: so the process is run again without what it has found, until that brings nothing lower. */
#include "base/base.h"
#include "base/settings.h"
#include "sim/modes.h"
#include "solve/arpack.h"
#include "solve/equations.h"
#include "solve/motions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DENSE_MAX 150   /* unknowns up to which the whole spectrum is computed at once */
#define DENSE_LIMIT 600 /* likewise when many modes are wanted */
#define FLOPS_MAX 3e11  /* of a factor; dozens of solves follow */

/* The problem while it is solved: vectors are y, of the free unknowns. */
typedef struct spectrum {
    lattice l;
    pose p;
    equations q;
    uint8_t *stuck;
    double *root; /* of the masses, (size) */
    double shift;
    int64_t size;
    double largest; /* of K_ii/M_ii: how large eigenvalues get, about */
    int32_t count;  /* vectors found */
    int32_t capacity;
    double *value;  /* w^2 */
    double *vector; /* orthonormal */
    double *work;   /* (size) */
    int32_t rigid;
    factor_state state;
    const vxe_progress *progress;
    int64_t solutions; /* of the equations, so far */
} spectrum;

static const vxe_modes_def defaults = {.size = sizeof(vxe_modes_def), .count = 6, .tolerance = 1e-10};
static const settings_type modes_type = {"vxe_modes_def", sizeof(vxe_modes_def),
                                         SETTINGS_END(vxe_modes_def, progress), &defaults};

void vxe_modes_def_init(vxe_modes_def *def, size_t size) { vxe_settings_give(&modes_type, NULL, def, size); }

/* ---- vectors ------------------------------------------------------------------------------------------------------ */

static double *vector_of(const spectrum *s, int32_t i) { return s->vector + (size_t)i * (size_t)s->size; }

/* Takes what has been found out of a vector. */
static void project(const spectrum *s, double *y)
{
    for (int32_t i = 0; i < s->count; i++) {
        const double *v = vector_of(s, i);
        const double part = sum_dot(v, y, (size_t)s->size);
        for (int64_t j = 0; j < s->size; j++) y[j] -= part * v[j];
    }
}

/* Adds a vector, made orthonormal to those before; false: nothing is left of it. */
static bool append(spectrum *s, const double *y, double value)
{
    if (s->count == s->capacity) {
        const int32_t capacity = 2 * s->capacity + 16;
        double *vectors = realloc(s->vector, (size_t)capacity * (size_t)s->size * sizeof *vectors);
        if (vectors != NULL) s->vector = vectors;
        double *values = realloc(s->value, (size_t)capacity * sizeof *values);
        if (values != NULL) s->value = values;
        if (vectors == NULL || values == NULL) {
            s->state = FACTOR_NO_MEMORY;
            return false;
        }
        s->capacity = capacity;
    }
    double *own = vector_of(s, s->count);
    memmove(own, y, (size_t)s->size * sizeof *own);
    const double before = sqrt(sum_dot(own, own, (size_t)s->size));
    for (int twice = 0; twice < 2; twice++) project(s, own);
    const double after = sqrt(sum_dot(own, own, (size_t)s->size));
    if (!(after > 1e-6 * before)) return false;
    for (int64_t j = 0; j < s->size; j++) own[j] /= after;
    s->value[s->count++] = value;
    return true;
}

/* out = M^1/2 (K + s M)^-1 M^1/2 in, without what has been found; in and out may not overlap. */
static void apply_inverse(spectrum *s, const double *in, double *out)
{
    for (int64_t i = 0; i < s->size; i++) out[i] = in[i];
    project(s, out);
    for (int64_t i = 0; i < s->size; i++) s->work[i] = s->root[i] * out[i];
    const factor_state state = vxe_equations_solve(&s->q, s->work, out, 1e-12);
    if (state != FACTOR_GOOD) s->state = state;
    for (int64_t i = 0; i < s->size; i++) out[i] *= s->root[i];
    project(s, out);
}

/* out = M^-1/2 K M^-1/2 in */
static void apply_stiffness(const spectrum *s, const double *in, double *out)
{
    for (int64_t i = 0; i < s->size; i++) s->work[i] = in[i] / s->root[i];
    vxe_equations_multiply(&s->q, s->work, out);
    for (int64_t i = 0; i < s->size; i++) out[i] /= s->root[i];
}

/* ---- Lanczos ------------------------------------------------------------------------------------------------------ */

static bool apply(void *context, const double *in, double *out)
{
    spectrum *s = context;
    apply_inverse(s, in, out);
    s->solutions++;
    if (s->progress->tell != NULL) {
        s->progress->tell(s->progress->user, "solutions of the equations", s->solutions);
    }
    return s->state == FACTOR_GOOD;
}

/* Brings the found vectors into increasing order of value, from `first` on. */
static void sort_found(spectrum *s, int32_t first)
{
    for (int32_t i = first; i < s->count; i++) {
        int32_t least = i;
        for (int32_t j = i + 1; j < s->count; j++) {
            if (s->value[j] < s->value[least]) least = j;
        }
        if (least == i) continue;
        const double value = s->value[i];
        s->value[i] = s->value[least];
        s->value[least] = value;
        for (int64_t j = 0; j < s->size; j++) {
            const double x = vector_of(s, i)[j];
            vector_of(s, i)[j] = vector_of(s, least)[j];
            vector_of(s, least)[j] = x;
        }
    }
}

/* Lanczos until `wanted` modes are there and another run brings nothing below them. */
static vxe_result find_by_lanczos(spectrum *s, int32_t wanted, double tolerance, double *start,
                                  vxe_error *error)
{
    const int32_t first = s->count;
    for (int64_t i = 0; i < s->size; i++) start[i] = vxe_noise((unsigned long long)i);
    int32_t ask = wanted;
    for (int run = 0; run < 100; run++) {
        double *values = NULL;
        double *vectors = NULL;
        project(s, start);
        const int found = vxe_arpack_symmetric((int)s->size, (int)(s->size - s->count), ask, tolerance, start,
                                               apply, s, &values, &vectors);
        int32_t added = 0;
        const double limit = s->count >= first + wanted ? s->value[first + wanted - 1] : INFINITY;
        for (int i = found; i-- > 0;) { /* largest last */
            const double value = 1.0 / values[i] - s->shift;
            if (value < limit * (1.0 - 1e-9 * (limit > 0.0 ? 1.0 : -1.0)))
                added += append(s, vectors + (size_t)i * (size_t)s->size, value);
        }
        free(values);
        free(vectors);
        if (found == -1) s->state = FACTOR_NO_MEMORY;
        if (s->state == FACTOR_NO_MEMORY)
            return vxe_fail_memory(error, "the modes", (size_t)s->size * 24 * (size_t)(wanted + 20));
        if (s->state == FACTOR_NOT_POSITIVE)
            return vxe_fail(error, VXE_ERROR_DIVERGED,
                            "the stiffness matrix is not positive to machine precision");
        if (found < 0)
            return vxe_fail(error, VXE_ERROR_DIVERGED, "Lanczos' process did not converge to %.3g",
                            tolerance);
        sort_found(s, first);
        if (added == 0) return VXE_OK;
        ask = s->count < first + wanted ? first + wanted - s->count + 1 : 2;
        if (s->count >= s->size) return VXE_OK;
    }
    return vxe_fail(error, VXE_ERROR_DIVERGED, "there are too many modes of the same frequency");
}

/* ---- all at once, for small bodies --------------------------------------------------------------------------------- */

static vxe_result find_densely(spectrum *s, vxe_error *error)
{
    const size_t n = (size_t)s->size;
    double *matrix = vxe_allocate(n * n, sizeof(double));
    double *vectors = vxe_allocate(n * n, sizeof(double));
    double *values = vxe_allocate(n, sizeof(double));
    double *unit = vxe_allocate(n, sizeof(double));
    vxe_result result = VXE_OK;
    if (matrix == NULL || vectors == NULL || values == NULL || unit == NULL) {
        result = vxe_fail_memory(error, "the modes", 2 * n * n * sizeof(double));
    } else {
        for (size_t i = 0; i < n; i++) {
            memset(unit, 0, n * sizeof *unit);
            unit[i] = 1.0;
            project(s, unit); /* rigid motions are already there: push them out of the way, to the top */
            apply_stiffness(s, unit, matrix + i * n);
            project(s, matrix + i * n);
            for (int32_t r = 0; r < s->count; r++) {
                const double part = 10.0 * s->largest * vector_of(s, r)[i];
                for (size_t j = 0; j < n; j++) matrix[i * n + j] += part * vector_of(s, r)[j];
            }
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++)
                matrix[i * n + j] = matrix[j * n + i] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
        }
        vxe_symmetric_eigen(matrix, (int)n, values, vectors);
        const int32_t rigid = s->count;
        for (size_t i = 0; i + (size_t)rigid < n; i++) {
            for (size_t j = 0; j < n; j++) unit[j] = vectors[j * n + i];
            (void)append(s, unit, values[i]);
        }
        if (s->state == FACTOR_NO_MEMORY)
            result = vxe_fail_memory(error, "the modes", n * n * sizeof(double));
    }
    free(matrix);
    free(vectors);
    free(values);
    free(unit);
    return result;
}

/* ---- setting up --------------------------------------------------------------------------------------------------- */

/* Rigid motions that the pose really has at no cost; not more than `most`. */
static vxe_result find_rigid(spectrum *s, int32_t most, vxe_error *error)
{
    const lattice *l = &s->l;
    uint8_t *held = vxe_allocate((size_t)l->voxels, 1);
    double *y = vxe_allocate((size_t)s->size, sizeof *y);
    double *ky = vxe_allocate((size_t)s->size, sizeof *ky);
    free_motions motions = {0, NULL};
    vxe_result result = VXE_OK;
    if (held == NULL || y == NULL || ky == NULL) {
        result = vxe_fail_memory(error, "the modes", (size_t)s->size * 16);
    } else {
        for (int32_t v = 0; v < l->voxels; v++) {
            held[v] = (uint8_t)(l->held[v] | s->stuck[v]);
            if (l->sim->environment.floor && vxe_lattice_touches(l, &s->p, v)) held[v] |= VXE_DOF_Z;
        }
        result = vxe_free_motions(l, &s->p, held, &motions, error);
    }
    for (int32_t i = 0; i < motions.count && s->count < most && result == VXE_OK; i++) {
        memset(y, 0, (size_t)s->size * sizeof *y);
        for (int32_t v = 0; v < l->voxels; v++) {
            for (int d = 0; d < DOFS && l->body[v] == motions.items[i].body; d++) {
                const int64_t u = s->q.k.unknown[DOFS * (size_t)v + (size_t)d];
                if (u >= 0 && (s->stuck[v] >> d & 1) == 0)
                    y[u] = s->root[u] * vxe_motion_at(&motions.items[i], &s->p, v, d);
            }
        }
        const double size = sum_dot(y, y, (size_t)s->size);
        apply_stiffness(s, y, ky);
        if (size > 0.0 && fabs(sum_dot(y, ky, (size_t)s->size)) <= 1e-10 * s->largest * size)
            (void)append(s, y, 0.0);
        if (s->state == FACTOR_NO_MEMORY) result = vxe_fail_memory(error, "the modes", (size_t)s->size * 8);
    }
    s->rigid = s->count;
    vxe_free_motions_destroy(&motions);
    free(held);
    free(y);
    free(ky);
    return result;
}

/* A shift that makes K + s M positive. */
static vxe_result find_shift(spectrum *s, vxe_error *error)
{
    double shift = s->rigid > 0 ? 1e-10 * s->largest : 0.0;
    for (int i = 0; i < 40; i++) {
        const factor_state state = vxe_equations_update(&s->q, &s->p, shift);
        if (state == FACTOR_GOOD) {
            s->shift = shift;
            return VXE_OK;
        }
        if (state == FACTOR_NO_MEMORY)
            return vxe_fail_memory(error, "the factor of the stiffness matrix", s->q.cost.bytes);
        shift = shift > 0.0 ? 10.0 * shift : 1e-12 * s->largest;
    }
    return vxe_fail(error, VXE_ERROR_DIVERGED, "the stiffness matrix is not finite");
}

static double imbalance(const spectrum *s, vxe_result *result, vxe_error *error)
{
    const lattice *l = &s->l;
    double *gradient = vxe_allocate(DOFS * (size_t)l->voxels, sizeof *gradient);
    if (gradient == NULL) {
        *result = vxe_fail_memory(error, "the modes", DOFS * (size_t)l->voxels * sizeof *gradient);
        return 0.0;
    }
    (void)vxe_lattice_gradient(l, &s->p, l->sim->environment.floor, gradient);
    double most = 0.0;
    double scale = vxe_lattice_small_force(l);
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        const double unit = i % DOFS < 3 ? 1.0 : 1.0 / l->pitch;
        scale = fmax(scale, unit * fabs(l->load[i]));
        scale = fmax(scale, unit * fabs(gradient[i]));
        const bool free =
            (l->held[i / DOFS] >> (i % DOFS) & 1) == 0 && (s->stuck[i / DOFS] >> (i % DOFS) & 1) == 0;
        if (free) most = fmax(most, unit * fabs(l->load[i] - gradient[i]));
    }
    free(gradient);
    return scale > 0.0 ? most / scale : 0.0;
}

/* Lattice, pose, K; everything but the modes. */
static vxe_result open_spectrum(spectrum *s, vxe_sim *sim, double *unbalanced, vxe_error *error)
{
    vxe_result result = vxe_lattice_create(&s->l, sim, sim->time, error);
    if (result == VXE_OK) result = vxe_pose_create(&s->l, &s->p, error);
    if (result != VXE_OK) return result;
    const lattice *l = &s->l;
    vxe_pose_read(l, &s->p);
    s->stuck = vxe_allocate((size_t)l->voxels, 1);
    if (s->stuck == NULL) return vxe_fail_memory(error, "the modes", (size_t)l->voxels);
    for (int32_t v = 0; v < l->voxels; v++) s->stuck[v] = sim->stuck[0][v] != 0 ? VXE_DOF_X | VXE_DOF_Y : 0;
    /* what is stuck is held: there is no stiffness in it */
    for (int32_t v = 0; v < l->voxels; v++) s->l.held[v] |= s->stuck[v];
    *unbalanced = imbalance(s, &result, error);
    if (result == VXE_OK) result = vxe_equations_create(&s->q, l, VXE_SOLVER_AUTO, FLOPS_MAX, error);
    if (result != VXE_OK) return result;
    s->size = s->q.k.size;
    if (s->size == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "every degree of freedom is held: there are no modes");
    if (s->size > INT32_MAX / 64)
        return vxe_fail(error, VXE_ERROR_LIMIT,
                        "the body has too many degrees of freedom for the search of modes");
    s->root = vxe_allocate((size_t)s->size, sizeof *s->root);
    s->work = vxe_allocate((size_t)s->size, sizeof *s->work);
    if (s->root == NULL || s->work == NULL) return vxe_fail_memory(error, "the modes", (size_t)s->size * 16);
    vxe_equations_fill(&s->q, &s->p, sim->environment.floor, NULL);
    for (int64_t i = 0; i < s->size; i++) {
        s->root[i] = sqrt(s->q.weight[i]);
        s->largest = fmax(s->largest, s->q.k.value[s->q.k.column[i + 1] - 1] / s->q.weight[i]);
    }
    return VXE_OK;
}

static void close_spectrum(spectrum *s)
{
    vxe_equations_destroy(&s->q);
    vxe_pose_destroy(&s->p);
    vxe_lattice_destroy(&s->l);
    free(s->stuck);
    free(s->root);
    free(s->value);
    free(s->vector);
    free(s->work);
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

/* Squares once more, by Rayleigh's quotient with the links themselves: they know differences that are lost in
 * the rounded sums of the matrix, which matters for the lowest modes of long slender bodies. */
static vxe_result refine_squares(spectrum *s, vxe_error *error)
{
    const lattice *l = &s->l;
    const size_t size = DOFS * (size_t)l->voxels;
    double *x = vxe_allocate(size, sizeof *x);
    double *kx = vxe_allocate(size, sizeof *kx);
    if (x == NULL || kx == NULL) {
        free(x);
        free(kx);
        return vxe_fail_memory(error, "the modes", 2 * size * sizeof *x);
    }
    for (int32_t i = 0; i < s->count; i++) {
        if (s->value[i] == 0.0) continue; /* rigid */
        for (int64_t j = 0; j < s->size; j++) s->work[j] = vector_of(s, i)[j] / s->root[j];
        vxe_sparse_scatter(&s->q.k, l, s->work, x);
        vxe_tangent_apply(l, &s->p, l->sim->environment.floor, x, kx);
        s->value[i] = sum_dot(x, kx, size);
    }
    free(x);
    free(kx);
    return VXE_OK;
}

static vxe_result make_modes(spectrum *s, int32_t wanted, vxe_modes *m, vxe_error *error)
{
    const size_t n = (size_t)s->l.voxels;
    const vxe_result result = refine_squares(s, error);
    if (result != VXE_OK) return result;
    sort_found(s, 0); /* unstable ones first, then rigid ones */
    const int32_t count = s->count < wanted ? s->count : wanted;
    m->frequency = vxe_allocate((size_t)count, sizeof(double));
    m->square = vxe_allocate((size_t)count, sizeof(double));
    m->shape = vxe_allocate((size_t)count * DOFS * n, sizeof(double));
    if (m->frequency == NULL || m->square == NULL || m->shape == NULL) {
        return vxe_fail_memory(error, "the modes", (size_t)count * DOFS * n * sizeof(double));
    }
    vxe_modes_view *view = &m->view;
    view->count = count;
    view->voxel_count = s->l.voxels;
    view->frequency = m->frequency;
    view->square = m->square;
    for (int32_t i = 0; i < count; i++) {
        const double square = s->value[i];
        m->square[i] = square;
        m->frequency[i] = (square < 0.0 ? -sqrt(-square) : sqrt(square)) / (2.0 * PI);
        view->unstable += square < 0.0;
        view->rigid += square == 0.0;
        /* a repeatable sign: the largest component is positive */
        const double *y = vector_of(s, i);
        double largest = 0.0;
        for (int64_t j = 0; j < s->size; j++) {
            const double x = y[j] / s->root[j];
            if (fabs(x) > fabs(largest) * (1.0 + 1e-9)) largest = x;
        }
        const double sign = largest < 0.0 ? -1.0 : 1.0;
        for (size_t v = 0; v < n; v++) {
            for (size_t d = 0; d < DOFS; d++) {
                const int64_t u = s->q.k.unknown[DOFS * v + d];
                m->shape[((size_t)i * DOFS + d) * n + v] = u >= 0 ? sign * y[u] / s->root[u] : 0.0;
            }
        }
    }
    view->cost = s->q.cost;
    return VXE_OK;
}

vxe_result vxe_solve_modes(vxe_sim *sim, const vxe_modes_def *def, vxe_modes **modes, vxe_error *error)
{
    if (sim == NULL || def == NULL || modes == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_solve_modes: NULL");
    vxe_modes_def own;
    vxe_result result = vxe_settings_take(&modes_type, def, &own, error);
    if (result == VXE_OK) result = vxe_refuse_living(sim, error);
    if (result != VXE_OK) return result;
    def = &own;
    if (def->count < 1 || def->count > 10000)
        return vxe_fail(error, VXE_ERROR_INPUT, "%d modes is not within 1 to 10000", (int)def->count);
    if (!(def->tolerance >= 1e-15 && def->tolerance <= 1e-2)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "tolerance %g is not within 1e-15 to 1e-2", def->tolerance);
    }
    spectrum s;
    memset(&s, 0, sizeof s);
    s.progress = &def->progress;
    vxe_modes *m = calloc(1, sizeof *m);
    if (m == NULL) return vxe_fail_memory(error, "the modes", sizeof *m);
    result = open_spectrum(&s, sim, &m->view.imbalance, error);
    if (result == VXE_OK) result = find_rigid(&s, s.size <= DENSE_LIMIT ? INT32_MAX : def->count, error);
    if (result == VXE_OK) {
        const int32_t wanted = (int64_t)def->count < s.size ? def->count : (int32_t)s.size;
        const bool dense = s.size <= DENSE_MAX || (s.size <= DENSE_LIMIT && 3 * (int64_t)wanted > s.size);
        if (dense) {
            result = find_densely(&s, error);
        } else {
            result = find_shift(&s, error);
            /* a pose with negative squares needs those below the rigid motions too, so what is asked for is
             * not less for being rigid */
            const int32_t more = s.shift > 2e-10 * s.largest ? wanted : wanted - s.rigid;
            double *start = vxe_allocate((size_t)s.size, sizeof *start);
            if (start == NULL) result = vxe_fail_memory(error, "the modes", (size_t)s.size * sizeof *start);
            if (result == VXE_OK && more > 0)
                result = find_by_lanczos(&s, more, def->tolerance, start, error);
            free(start);
        }
        if (result == VXE_OK) result = make_modes(&s, wanted, m, error);
    }
    close_spectrum(&s);
    if (result == VXE_OK) {
        *modes = m;
    } else {
        vxe_modes_destroy(m);
    }
    return result;
}
