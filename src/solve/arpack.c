/* ARPACK: see arpack.h. */
#include "solve/arpack.h"

#include "base/base.h"
#include "solve/arpack_calls.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

double vxe_noise(unsigned long long i)
{
    uint64_t x = (i + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (double)(x >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

/* What a run works in. */
typedef struct arpack_run {
    int n, nev, ncv, lworkl;
    double tolerance;
    double *resid, *basis, *workd, *workl, *values;
    int *select;
    int ido, info;
    int iparam[11];
    int ipntr[14];
} arpack_run;

static bool open_run(arpack_run *r, int size, int wanted, int ncv, int lworkl, double tolerance,
                     const double *start)
{
    *r = (arpack_run){
        .n = size, .nev = wanted, .ncv = ncv, .lworkl = lworkl, .tolerance = tolerance, .info = 1};
    r->iparam[0] = 1; /* exact shifts */
    r->iparam[2] = 3000;
    r->iparam[3] = 1;
    r->iparam[6] = 1; /* A x = lambda x */
    const size_t n = (size_t)size;
    r->resid = vxe_allocate(n, sizeof(double));
    r->basis = vxe_allocate(n * (size_t)ncv, sizeof(double));
    r->workd = vxe_allocate(3 * n, sizeof(double));
    r->workl = vxe_allocate((size_t)lworkl, sizeof(double));
    r->values = vxe_allocate((size_t)ncv + 1, sizeof(double));
    r->select = vxe_allocate((size_t)ncv, sizeof(int));
    if (r->resid == NULL || r->basis == NULL || r->workd == NULL || r->workl == NULL || r->values == NULL ||
        r->select == NULL)
        return false;
    for (int i = 0; i < size; i++) r->resid[i] = start != NULL ? start[i] : vxe_noise((unsigned long long)i);
    return true;
}

static void close_run(arpack_run *r)
{
    free(r->resid);
    free(r->basis);
    free(r->workd);
    free(r->workl);
    free(r->values);
    free(r->select);
}

/* Goes on until ARPACK has had enough: -2, or -3 where the operator failed. */
static int iterate(arpack_run *r, arpack_update *update, const char *which, arpack_apply apply, void *context)
{
    for (;;) {
        update(&r->ido, "I", &r->n, which, &r->nev, &r->tolerance, r->resid, &r->ncv, r->basis, &r->n,
               r->iparam, r->ipntr, r->workd, r->workl, &r->lworkl, &r->info, 1, 2);
        if (r->ido != 1 && r->ido != -1) return -2;
        if (!apply(context, r->workd + r->ipntr[0] - 1, r->workd + r->ipntr[1] - 1)) return -3;
    }
}

int vxe_arpack_symmetric(int size, int room, int wanted, double tolerance, const double *start,
                         arpack_apply apply, void *context, double **values, double **vectors)
{
    const int nev = wanted < room - 1 ? wanted : room - 1;
    if (nev < 1) return 0;
    const int ncv = 2 * nev + 20 < room ? 2 * nev + 20 : room;
    arpack_run r;
    int found = -1;
    if (open_run(&r, size, nev, ncv, ncv * (ncv + 8), tolerance, start)) {
        (void)pthread_mutex_lock(&one_at_a_time);
        found = iterate(&r, dsaupd_, "LA", apply, context);
        if (found == -2 && r.info == 0) {
            const int yes = 1;
            const double sigma = 0.0;
            dseupd_(&yes, "A", r.select, r.values, r.basis, &r.n, &sigma, "I", &r.n, "LA", &r.nev,
                    &r.tolerance, r.resid, &r.ncv, r.basis, &r.n, r.iparam, r.ipntr, r.workd, r.workl,
                    &r.lworkl, &r.info, 1, 1, 2);
            if (r.info == 0) found = r.iparam[4];
        }
        (void)pthread_mutex_unlock(&one_at_a_time);
    }
    if (found >= 0) {
        *values = r.values;
        *vectors = r.basis;
        r.values = NULL;
        r.basis = NULL;
    }
    close_run(&r);
    return found;
}

int vxe_arpack_general(int size, int wanted, arpack_apply apply, void *context, double *real,
                       double *imaginary)
{
    const int nev = wanted < size - 2 ? wanted : size - 2;
    if (nev < 1) return 0;
    const int ncv = 2 * nev + 20 < size ? 2 * nev + 20 : size;
    arpack_run r;
    int found = -1;
    double *workev = vxe_allocate(3 * (size_t)ncv, sizeof *workev);
    if (open_run(&r, size, nev, ncv, 3 * ncv * (ncv + 2), 1e-6, NULL) && workev != NULL) {
        (void)pthread_mutex_lock(&one_at_a_time);
        found = iterate(&r, dnaupd_, "LM", apply, context);
        if (found == -2 && r.info == 0) {
            const int no = 0;
            const double sigma = 0.0;
            dneupd_(&no, "A", r.select, real, imaginary, r.basis, &r.n, &sigma, &sigma, workev, "I", &r.n,
                    "LM", &r.nev, &r.tolerance, r.resid, &r.ncv, r.basis, &r.n, r.iparam, r.ipntr, r.workd,
                    r.workl, &r.lworkl, &r.info, 1, 1, 2);
            if (r.info == 0) found = r.iparam[4] < wanted ? r.iparam[4] : wanted;
        }
        (void)pthread_mutex_unlock(&one_at_a_time);
    }
    free(workev);
    close_run(&r);
    return found;
}
