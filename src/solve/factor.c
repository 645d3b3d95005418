/* CHOLMOD behind a small face: see factor.h. BLAS is kept to one thread while it works, so that a solution
 * has the same bits every time. */
#include "solve/factor.h"

#include "base/base.h"
#include "solve/order.h"

#include <cholmod.h>

#include <stdlib.h>
#include <string.h>

/* Of OpenBLAS and of OpenMP, where they are in the process (BLAS may be OpenBLAS, CHOLMOD may use OpenMP in
 * small loops); otherwise absent. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int omp_get_max_active_levels(void) __attribute__((weak));
extern void omp_set_max_active_levels(int levels) __attribute__((weak));

/* What is put back afterwards. */
typedef struct thread_settings {
    int blas;   /* threads; 0: not known */
    int levels; /* of parallel regions; -1: not known */
} thread_settings;

static thread_settings begin_single_thread(void)
{
    thread_settings before = {0, -1};
    if (openblas_get_num_threads != NULL && openblas_set_num_threads != NULL) {
        before.blas = openblas_get_num_threads();
        if (before.blas > 1) openblas_set_num_threads(1);
    }
    if (omp_get_max_active_levels != NULL && omp_set_max_active_levels != NULL) {
        before.levels = omp_get_max_active_levels();
        omp_set_max_active_levels(0);
    }
    return before;
}

static void end_single_thread(thread_settings before)
{
    if (before.blas > 1) openblas_set_num_threads(before.blas);
    if (before.levels >= 0) omp_set_max_active_levels(before.levels);
}

struct factor {
    cholmod_common common;
    cholmod_factor *l;
    cholmod_sparse matrix; /* a view of the sparse K */
    cholmod_dense *y;      /* work space of solves */
    cholmod_dense *e;
    cholmod_dense *x;
    double *diagonal; /* of K while a shift is on it */
};

/* K as CHOLMOD sees it. */
static cholmod_sparse view_of(const sparse *k)
{
    cholmod_sparse a;
    memset(&a, 0, sizeof a);
    a.nrow = (size_t)k->size;
    a.ncol = (size_t)k->size;
    a.nzmax = (size_t)k->entries;
    a.p = k->column;
    a.i = k->row;
    a.x = k->value;
    a.stype = 1; /* upper triangle */
    a.itype = CHOLMOD_LONG;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = 1;
    a.packed = 1;
    return a;
}

vxe_result vxe_factor_create(const lattice *l, const sparse *k, factor **out, vxe_error *error)
{
    _Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "CHOLMOD's long is 64 bits");
    factor *f = calloc(1, sizeof *f);
    int64_t *order = vxe_allocate((size_t)k->size, sizeof *order);
    if (f != NULL) f->diagonal = vxe_allocate((size_t)k->size, sizeof *f->diagonal);
    vxe_result result = VXE_OK;
    if (f == NULL || order == NULL || f->diagonal == NULL) {
        if (f != NULL) free(f->diagonal);
        free(f);
        free(order);
        return vxe_fail_memory(error, "the order of elimination", (size_t)k->size * sizeof *order);
    }
    (void)cholmod_l_start(&f->common);
    f->common.print = 0;
    if (l != NULL) {
        f->common.nmethods = 1;
        f->common.method[0].ordering = CHOLMOD_GIVEN;
        f->common.postorder = 1;
    }
    f->common.quick_return_if_not_posdef = 1;
    f->common.final_ll = 1;
    f->matrix = view_of(k);
    if (l != NULL) result = vxe_order_unknowns(l, k, order, error);
    if (result == VXE_OK) {
        f->l = cholmod_l_analyze_p(&f->matrix, l != NULL ? order : NULL, NULL, 0, &f->common);
        if (f->l == NULL) {
            result =
                f->common.status == CHOLMOD_TOO_LARGE
                    ? vxe_fail(error, VXE_ERROR_LIMIT, "the stiffness matrix is too large for CHOLMOD")
                    : vxe_fail_memory(error, "the analysis of the stiffness matrix", (size_t)k->entries * 16);
        }
    }
    free(order);
    if (result != VXE_OK) {
        vxe_factor_destroy(f);
        return result;
    }
    *out = f;
    return VXE_OK;
}

void vxe_factor_destroy(factor *f)
{
    if (f == NULL) return;
    (void)cholmod_l_free_dense(&f->x, &f->common);
    (void)cholmod_l_free_dense(&f->y, &f->common);
    (void)cholmod_l_free_dense(&f->e, &f->common);
    (void)cholmod_l_free_factor(&f->l, &f->common);
    (void)cholmod_l_finish(&f->common);
    free(f->diagonal);
    free(f);
}

factor_cost vxe_factor_cost(const factor *f)
{
    const double entries = f->l->is_super != 0 ? (double)f->l->xsize : f->common.lnz;
    return (factor_cost){f->common.lnz, f->common.fl, (size_t)(entries * (f->l->is_super != 0 ? 8.0 : 16.0))};
}

factor_state vxe_factor_update(factor *f, sparse *k, double shift, const double *weight)
{
    f->matrix = view_of(k);
    const thread_settings threads = begin_single_thread();
    for (int64_t i = 0; shift != 0.0 && i < k->size; i++) {
        double *at = &k->value[k->column[i + 1] - 1];
        f->diagonal[i] = *at;
        *at += shift * weight[i];
    }
    (void)cholmod_l_factorize(&f->matrix, f->l, &f->common);
    for (int64_t i = 0; shift != 0.0 && i < k->size; i++) k->value[k->column[i + 1] - 1] = f->diagonal[i];
    end_single_thread(threads);
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE)
        return FACTOR_NO_MEMORY;
    return f->common.status == CHOLMOD_NOT_POSDEF || f->l->minor < f->l->n ? FACTOR_NOT_POSITIVE
                                                                           : FACTOR_GOOD;
}

vxe_result vxe_factor_solve(factor *f, const double *b, double *x, vxe_error *error)
{
    cholmod_dense right;
    memset(&right, 0, sizeof right);
    right.nrow = f->l->n;
    right.ncol = 1;
    right.nzmax = f->l->n;
    right.d = f->l->n;
    right.x = (void *)(uintptr_t)b; /* only read */
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    const thread_settings threads = begin_single_thread();
    const int done = cholmod_l_solve2(CHOLMOD_A, f->l, &right, NULL, &f->x, NULL, &f->y, &f->e, &f->common);
    end_single_thread(threads);
    if (done == 0 || f->x == NULL) return vxe_fail_memory(error, "a solution", 3 * f->l->n * sizeof(double));
    memcpy(x, f->x->x, f->l->n * sizeof *x);
    return VXE_OK;
}
