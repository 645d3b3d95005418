/* Linear equations with the stiffness matrix: conjugate gradients on K itself, preconditioned by a factor of
 * it (one or two iterations) or, where that would not fit, by the coarse model of coarse.h. */
#ifndef SOLVE_EQUATIONS_H
#define SOLVE_EQUATIONS_H

#include "solve/factor.h"
#include "voxelastic/solve.h"

struct coarse;

typedef struct equations {
    const lattice *l;
    sparse k;
    factor *direct;        /* NULL: iterative */
    struct coarse *coarse; /* NULL: direct */
    double shift;          /* of the last update */
    double *chord;         /* directions of the links, (3 links); NULL: no pressure is shared */
    const uint8_t *stuck;  /* as in the last fill */
    double *weight;        /* mass or inertia of the unknowns, (k.size) */
    double *work[4];       /* (k.size) each */
    vxe_solve_cost cost;
} equations;

/* The pattern and its analysis. VXE_SOLVER_AUTO takes a factor where it costs less than `flops` and fits into
 * a third of the memory. */
vxe_result vxe_equations_create(equations *q, const lattice *l, vxe_solver solver, double flops,
                                vxe_error *error);
void vxe_equations_destroy(equations *q);
/* Values of K in a pose; `stuck` (may be NULL, must live on): see vxe_sparse_fill(). */
void vxe_equations_fill(equations *q, const pose *p, bool floor, const uint8_t *stuck);
/* y = K x */
void vxe_equations_multiply(const equations *q, const double *x, double *y);
/* Prepares for solving with K, which belongs to a pose, plus shift times mass. */
factor_state vxe_equations_update(equations *q, const pose *p, double shift);
/* x = (K + shift M)^-1 b until the error, measured by energy, is below tolerance times what it was at x = 0.
 * FACTOR_NOT_POSITIVE: a direction of negative curvature turned up (iterative only; a factor finds out
 * before). */
factor_state vxe_equations_solve(equations *q, const double *b, double *x, double tolerance);

#endif
