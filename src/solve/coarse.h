/* A preconditioner that needs little memory: symmetric Gauss-Seidel on the voxels, plus a coarse model in
 * which blocks of voxels move rigidly. */
#ifndef SOLVE_COARSE_H
#define SOLVE_COARSE_H

#include "solve/factor.h"

typedef struct coarse coarse;

vxe_result vxe_coarse_create(const lattice *l, const sparse *k, coarse **out, vxe_error *error);
void vxe_coarse_destroy(coarse *c);
size_t vxe_coarse_bytes(const coarse *c);
/* Takes the values of K + shift diag(weight), at a pose. */
factor_state vxe_coarse_update(coarse *c, const lattice *l, const pose *p, const sparse *k, double shift,
                               const double *weight);
/* z = M^-1 r */
void vxe_coarse_apply(coarse *c, const sparse *k, const double *r, double *z);

#endif
