/* Rigid motions that nothing holds: found from the supports, body by body, and named for messages.
 *
 * Links resist stretch, shear, bending and torsion, so a connected body has no mechanism of its own: what can
 * move freely moves rigidly. */
#ifndef SOLVE_MOTIONS_H
#define SOLVE_MOTIONS_H

#include "solve/lattice.h"

/* One free motion: voxel v of the body moves by move + turn x (p_v - center) and turns by `turn`. */
typedef struct free_motion {
    int32_t body;
    double center[3]; /* m */
    double move[3];
    double turn[3]; /* 1/m: so that `move` is a number */
} free_motion;

typedef struct free_motions {
    int32_t count;
    free_motion *items; /* in order of bodies; orthogonal in a body */
} free_motions;

/* `held`: vxe_dof bits of what is held, (voxels); positions of a pose. */
vxe_result vxe_free_motions(const lattice *l, const pose *p, const uint8_t *held, free_motions *motions,
                            vxe_error *error);
void vxe_free_motions_destroy(free_motions *motions);

/* "body 1 can move along x, y, z and turn about x; body 2 ..." into text. */
void vxe_describe_motions(const lattice *l, const free_motions *motions, char *text, size_t size);

/* Component d of the motion at a voxel of its body. */
double vxe_motion_at(const free_motion *motion, const pose *p, int32_t v, int d);

/* Eigenvalues, increasing, and eigenvectors (columns of `vectors`) of a symmetric matrix of `size` rows, by
 * Jacobi's rotations; the matrix is destroyed. */
void vxe_symmetric_eigen(double *matrix, int size, double *values, double *vectors);

#endif
