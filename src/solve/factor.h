/* Solving K x = b: a Cholesky factorisation by CHOLMOD, in the order of order.h. */
#ifndef SOLVE_FACTOR_H
#define SOLVE_FACTOR_H

#include "solve/tangent.h"

typedef struct factor factor;

/* What became of a factorisation. */
typedef enum factor_state {
    FACTOR_GOOD,
    FACTOR_NOT_POSITIVE, /* the matrix has a zero or negative eigenvalue */
    FACTOR_NO_MEMORY
} factor_state;

typedef struct factor_cost {
    double entries; /* of the triangular factor */
    double flops;   /* of one factorisation */
    size_t bytes;   /* of the factor; the working memory is about as much again for chunky bodies */
} factor_cost;

/* Analyses the pattern of K; values are not read. Without a lattice (NULL) CHOLMOD chooses the order, and of
 * K only the columns are used. */
vxe_result vxe_factor_create(const lattice *l, const sparse *k, factor **out, vxe_error *error);
void vxe_factor_destroy(factor *f);
factor_cost vxe_factor_cost(const factor *f);
/* Factorises K + shift * diag(weight); weight may be NULL when shift is 0. K is unchanged afterwards. */
factor_state vxe_factor_update(factor *f, sparse *k, double shift, const double *weight);
/* x = K^-1 b, both (k->size); VXE_ERROR_MEMORY. */
vxe_result vxe_factor_solve(factor *f, const double *b, double *x, vxe_error *error);

#endif
