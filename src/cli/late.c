/* What the solvers need of other libraries, loaded when it is first called. CHOLMOD and ARPACK bring twenty
 * more libraries with them, which is two thirds of the time that a program takes to start: most runs never
 * call them. Here are the functions that the linker finds instead of theirs. Part of the program only where
 * it holds the solvers itself and these libraries are shared ones (CMakeLists.txt). */
#include "cli/cli.h"
#include "solve/arpack_calls.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden"))) /* from the libraries, which must find their own */

/* A function of a library, or of one that it brings. A library that is not there ends the program: where the
 * system loads it at the start, it does so too. */
static void *find(const char *library, const char *name, bool needed)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL); /* counts when it is there already */
    void *found = handle != NULL ? dlsym(handle, name) : NULL;
    if (found == NULL && (needed || handle == NULL)) {
        cli_complain("the solvers need %s of %s: %s", name, library, dlerror());
        exit(CLI_FILE_PROBLEM);
    }
    return found;
}

#define FIND(function, library, name, needed)                                                                \
    do {                                                                                                     \
        void *found_ = find(library, name, needed);                                                          \
        memcpy(&(function), &found_, sizeof(function)); /* ISO C knows no pointer to both */                 \
    } while (0)

/* NOLINTBEGIN(bugprone-macro-parentheses): types and lists of parameters take none */
#define CHOLMOD(type, name, parameters, arguments)                                                           \
    HIDDEN type name parameters                                                                              \
    {                                                                                                        \
        type(*function) parameters;                                                                          \
        FIND(function, VXE_LATE_CHOLMOD, #name, true);                                                       \
        return function arguments;                                                                           \
    }

CHOLMOD(int, cholmod_l_start, (cholmod_common * c), (c))
CHOLMOD(int, cholmod_l_finish, (cholmod_common * c), (c))
CHOLMOD(cholmod_factor *, cholmod_l_analyze_p,
        (cholmod_sparse * a, SuiteSparse_long *order, SuiteSparse_long *set, size_t size, cholmod_common *c),
        (a, order, set, size, c))
CHOLMOD(int, cholmod_l_factorize, (cholmod_sparse * a, cholmod_factor *l, cholmod_common *c), (a, l, c))
CHOLMOD(int, cholmod_l_free_dense, (cholmod_dense * *x, cholmod_common *c), (x, c))
CHOLMOD(int, cholmod_l_free_factor, (cholmod_factor * *l, cholmod_common *c), (l, c))
CHOLMOD(int, cholmod_l_solve2,
        (int system, cholmod_factor *l, cholmod_dense *b, cholmod_sparse *set, cholmod_dense **x,
         cholmod_sparse **xset, cholmod_dense **y, cholmod_dense **e, cholmod_common *c),
        (system, l, b, set, x, xset, y, e, c))

/* NOLINTEND(bugprone-macro-parentheses) */

/* Threads of what CHOLMOD brings; see solve/factor.c for the numbers that mean "not known". */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int count);
int omp_get_max_active_levels(void);
void omp_set_max_active_levels(int levels);

static int number_from(const char *name, int absent)
{
    int (*function)(void);
    FIND(function, VXE_LATE_CHOLMOD, name, false);
    return function != NULL ? function() : absent;
}

static void number_to(const char *name, int number)
{
    void (*function)(int);
    FIND(function, VXE_LATE_CHOLMOD, name, false);
    if (function != NULL) function(number);
}

HIDDEN int openblas_get_num_threads(void) { return number_from("openblas_get_num_threads", 0); }
HIDDEN void openblas_set_num_threads(int count) { number_to("openblas_set_num_threads", count); }
HIDDEN int omp_get_max_active_levels(void) { return number_from("omp_get_max_active_levels", -1); }
HIDDEN void omp_set_max_active_levels(int levels) { number_to("omp_set_max_active_levels", levels); }

/* NOLINTBEGIN(bugprone-macro-parentheses): as above */
#define ARPACK(name, parameters, arguments)                                                                  \
    HIDDEN void name parameters                                                                              \
    {                                                                                                        \
        void(*function) parameters;                                                                          \
        FIND(function, VXE_LATE_ARPACK, #name, true);                                                        \
        function arguments;                                                                                  \
    }

#define REVERSE_PARAMETERS                                                                                   \
    (int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,         \
     double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,       \
     double *workl, const int *lworkl, int *info, size_t bmat_length, size_t which_length)
#define REVERSE_ARGUMENTS                                                                                    \
    (ido, bmat, n, which, nev, tol, resid, ncv, v, ldv, iparam, ipntr, workd, workl, lworkl, info,           \
     bmat_length, which_length)
ARPACK(dsaupd_, REVERSE_PARAMETERS, REVERSE_ARGUMENTS)
ARPACK(dnaupd_, REVERSE_PARAMETERS, REVERSE_ARGUMENTS)

ARPACK(dseupd_,
       (const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
        const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
        const double *tol, double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
        double *workd, double *workl, const int *lworkl, int *info, size_t howmny_length, size_t bmat_length,
        size_t which_length),
       (rvec, howmny, select, d, z, ldz, sigma, bmat, n, which, nev, tol, resid, ncv, v, ldv, iparam, ipntr,
        workd, workl, lworkl, info, howmny_length, bmat_length, which_length))
ARPACK(dneupd_,
       (const int *rvec, const char *howmny, int *select, double *dr, double *di, double *z, const int *ldz,
        const double *sigmar, const double *sigmai, double *workev, const char *bmat, const int *n,
        const char *which, const int *nev, const double *tol, double *resid, const int *ncv, double *v,
        const int *ldv, int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
        size_t howmny_length, size_t bmat_length, size_t which_length),
       (rvec, howmny, select, dr, di, z, ldz, sigmar, sigmai, workev, bmat, n, which, nev, tol, resid, ncv, v,
        ldv, iparam, ipntr, workd, workl, lworkl, info, howmny_length, bmat_length, which_length))
/* NOLINTEND(bugprone-macro-parentheses) */
