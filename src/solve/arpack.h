/* ARPACK behind two functions. It keeps its place in variables of its own, so one run at a time in a process:
 * both wait for each other. */
#ifndef SOLVE_ARPACK_H
#define SOLVE_ARPACK_H

#include <stdbool.h>

/* out = A in, both (size), not overlapping; false ends the search. */
typedef bool (*arpack_apply)(void *context, const double *in, double *out);

/* The `wanted` largest eigenvalues of a symmetric A, increasing, and their vectors (size each, orthonormal),
 * both to be freed with free(). `start`: where to begin, (size); `room`: how many dimensions A really has.
 * The number found; -1: no memory; -2: not converged; -3: A failed. */
int vxe_arpack_symmetric(int size, int room, int wanted, double tolerance, const double *start,
                         arpack_apply apply, void *context, double **values, double **vectors);

/* The `wanted` eigenvalues of largest modulus of any A, into arrays of wanted + 1. Likewise. */
int vxe_arpack_general(int size, int wanted, arpack_apply apply, void *context, double *real,
                       double *imaginary);

/* A repeatable number between -1 and 1. */
double vxe_noise(unsigned long long i);

#endif
