/* Carrying out a step of displacements and rotations that is not small. */
#ifndef SOLVE_WARP_H
#define SOLVE_WARP_H

#include "solve/factor.h"

typedef struct warp warp;

vxe_result vxe_warp_create(const lattice *l, warp **out, vxe_error *error);
void vxe_warp_destroy(warp *w);
/* to = from moved by `part` of the step, (6 voxels); degrees of freedom in `stuck` (may be NULL) keep to the
 * straight line. VXE_ERROR_MEMORY. */
vxe_result vxe_warp_move(warp *w, const pose *from, const double *step, double part, const uint8_t *stuck,
                         pose *to, vxe_error *error);

#endif
