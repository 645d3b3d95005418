/* The routines of ARPACK that are used. */
#ifndef SOLVE_ARPACK_CALLS_H
#define SOLVE_ARPACK_CALLS_H

#include <stddef.h>

/* Fortran 77: every argument by reference, then the lengths of the strings. */
typedef void arpack_update(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
                           const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
                           int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl,
                           int *info, size_t bmat_length, size_t which_length);
extern arpack_update dsaupd_, dnaupd_;
extern void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
                    const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
                    const double *tol, double *resid, const int *ncv, double *v, const int *ldv, int *iparam,
                    int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
                    size_t howmny_length, size_t bmat_length, size_t which_length);
extern void dneupd_(const int *rvec, const char *howmny, int *select, double *dr, double *di, double *z,
                    const int *ldz, const double *sigmar, const double *sigmai, double *workev,
                    const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
                    double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
                    double *workd, double *workl, const int *lworkl, int *info, size_t howmny_length,
                    size_t bmat_length, size_t which_length);

#endif
