/* Specimens of the continuum cases at any pitch, each giving the numbers that are compared. Sizes in mm, 1
 * MPa. The layers that are held have their centres in the planes where the solid is bonded, so a bar of span
 * L has L k + 1 layers, k voxels per mm. */
#ifndef VALIDATE_SOLIDS_H
#define VALIDATE_SOLIDS_H

#include "validate/trial.h"

typedef struct solid_def {
    vxe_elasticity elasticity;
    double poisson;
    int32_t k; /* voxels per mm */
    hold_kind hold;
    int without; /* refinements left out */
} solid_def;

/* `solid`, clamped, one voxel per mm. */
solid_def solid_of(double poisson);

/* Each returns a result and fills its values; lengths in mm, forces in N, moments in N mm. */

/* 9x5x5, 0.1 N across the end: mean deflection of the end. */
vxe_result solid_cantilever(const solid_def *d, double *mean, vxe_error *error);
/* The same by equilibrium. */
vxe_result solid_cantilever_nonlinear(const solid_def *d, double *mean, vxe_error *error);
/* 9x5x5, one end turned by 0.01 rad: torque. */
vxe_result solid_torsion(const solid_def *d, double *torque, vxe_error *error);
/* 10x10x9 bonded between plates, one moved by 0.09 along x: force. */
vxe_result solid_shear(const solid_def *d, double *force, vxe_error *error);
/* The same, pressed together by 0.09: force, and bulge of the middle of a side. */
vxe_result solid_compression_force(const solid_def *d, double *force, vxe_error *error);
vxe_result solid_compression_bulge(const solid_def *d, double *bulge, vxe_error *error);
/* 19x4x4, top half 100 MPa, 0.01 N across the end: mean deflection of the end. */
vxe_result solid_two(const solid_def *d, double *mean, vxe_error *error);
/* 10x10x5, free, 1000 kg/m^3: the first elastic frequencies, Hz. */
vxe_result solid_free(const solid_def *d, int32_t count, double *frequency, vxe_error *error);
/* A bar 1x1 mm in section, 1 kg/m^3, clamped at one end: frequencies, Hz. A clamp in a plane of centres makes
 * it half a voxel longer than whole voxels, so the geometric mean of the lengths half a voxel below and above
 * `length` mm is taken. */
vxe_result solid_rod_modes(const solid_def *d, int32_t length, int32_t count, double *frequency,
                           vxe_error *error);
/* Uniform tension of a block of 5x4x3 voxels: worst of the link strains over sigma/E along the axis, and the
 * worst of those across it over -nu sigma/E (nu = 0: plain strain). */
vxe_result solid_uniaxial(const solid_def *d, double *axial, double *lateral, vxe_error *error);
/* A block 9x4x4 (ten layers) stretched by 0.1 % between rollers at its ends, and held by rollers on one side
 * (0 pairs), or on both sides along y (1), or along y and z (2): stress over strain, over E. */
vxe_result solid_rollers(const solid_def *d, int pairs, double *modulus, vxe_error *error);
/* A bar 12 long of side x side voxels bent by end moments: EI over E side^4/12. */
vxe_result solid_bending(const solid_def *d, int32_t side, double *stiffness, vxe_error *error);
/* An L, see validation/reference.py: deflection of the end of its arm, along z and x. k odd. */
vxe_result solid_bracket(const solid_def *d, double *down, double *aside, vxe_error *error);
/* A plate with a square hole, pulled by 0.12: force. k odd. */
vxe_result solid_hole(const solid_def *d, double *force, vxe_error *error);
/* A square tube: torque for 0.01 rad, deflection under 0.01 N. */
vxe_result solid_tube(const solid_def *d, int32_t wall, double *torque, double *mean, vxe_error *error);
/* A strip 20x8, clamped, 1e-4 N across its end: mean deflection. */
vxe_result solid_strip(const solid_def *d, int32_t thickness, double *mean, vxe_error *error);

#endif
