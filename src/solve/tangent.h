/* The exact second derivatives of the energy of a pose: of one link, applied to a vector, and as a sparse
 * matrix.
 *
 * Rotations are left increments, q <- exp(theta) q, with theta the coordinates in which the second
 * derivatives are taken; the matrix is then symmetric in any pose. Where a voxel's moments do not balance,
 * the derivative of the moments differs from it by half the cross-product matrix of the moment; at
 * equilibrium under forces they are the same. */
#ifndef SOLVE_TANGENT_H
#define SOLVE_TANGENT_H

#include "solve/lattice.h"

/* Rows then columns. */
typedef struct mat3 {
    double a[3][3];
} mat3;

/* Second derivatives of the energy of one link with respect to d = p2 - p1, theta1 and theta2. */
typedef struct link_tangent {
    mat3 dd, d1, d2, t11, t12, t22;
} link_tangent;

link_tangent vxe_link_tangent(const lattice *l, const pose *p, int32_t i);

/* y = K x, both (6 voxels), with the pressure, (floor) the floor's springs and, from the loads in l->slope,
 * the symmetric part of how the force field changes; held degrees of freedom are not special. */
void vxe_tangent_apply(const lattice *l, const pose *p, bool floor, const double *x, double *y);

/* Minus the symmetric part of how the force field at a voxel changes with its place: what it adds to K. */
mat3 vxe_field_stiffness(const lattice *l, int32_t v);

/* The upper triangle of K of the free unknowns, by columns. Where voxels share pressure, which couples whole
 * interfaces, it has each voxel's own modulus instead; equations.c makes up for that. */
typedef struct sparse {
    int64_t size; /* free unknowns */
    int64_t entries;
    int64_t *unknown; /* number of a degree of freedom, or -1: held; (6 voxels) */
    int64_t *column;  /* (size + 1) */
    int64_t *row;     /* increasing in a column, so that the diagonal is last; (entries) */
    double *value;    /* (entries) */
    /* blocks of a voxel's columns, by voxel */
    int64_t *block_begin;  /* (voxels + 1) */
    int32_t *block_voxel;  /* increasing; the last of a voxel is itself */
    uint8_t *block_linked; /* 1: six by six; 0: translations only */
    uint16_t *block_at[2]; /* entries before the block in the columns of translations and of rotations */
} sparse;

/* The pattern, without values. */
vxe_result vxe_sparse_create(sparse *k, const lattice *l, vxe_error *error);
void vxe_sparse_destroy(sparse *k);
size_t vxe_sparse_bytes(const sparse *k, const lattice *l);
/* Values of a pose. Degrees of freedom in `stuck` (may be NULL) are cut off: zero row and column, one on the
 * diagonal times its own size. */
void vxe_sparse_fill(sparse *k, const lattice *l, const pose *p, bool floor, const uint8_t *stuck);
/* y = K x for the free unknowns. */
void vxe_sparse_multiply(const sparse *k, const double *x, double *y);
/* Between all degrees of freedom and free unknowns. */
void vxe_sparse_gather(const sparse *k, const lattice *l, const double *all, double *free);
void vxe_sparse_scatter(const sparse *k, const lattice *l, const double *free, double *all);

#endif
