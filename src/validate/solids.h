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

/* The ratios of the cases. */
enum { SOLID_RATIOS = 4 };
extern const double solid_ratios[SOLID_RATIOS];

/* `solid`, clamped, one voxel per mm. */
solid_def solid_of(double poisson);

/* Lengths in mm, forces in N, moments in N mm. */

/* 9x5x5, 0.1 N across the end: mean deflection of the end. */
double solid_cantilever(validation *v, const solid_def *d);
/* The same by equilibrium. */
double solid_cantilever_nonlinear(validation *v, const solid_def *d);
/* 9x5x5, one end turned by 0.01 rad: torque. */
double solid_torsion(validation *v, const solid_def *d);
/* 10x10x9 bonded between plates, one moved by 0.09 along x: force. */
double solid_shear(validation *v, const solid_def *d);
/* The same, pressed together by 0.09: force, and bulge of the middle of a side. */
double solid_compression_force(validation *v, const solid_def *d);
double solid_compression_bulge(validation *v, const solid_def *d);
/* 19x4x4, top half 100 MPa, 0.01 N across the end: mean deflection of the end. */
double solid_two(validation *v, const solid_def *d);
/* 10x10x5, free, 1000 kg/m^3: the first elastic frequencies, Hz. */
void solid_free(validation *v, const solid_def *d, int32_t count, double *frequency);
/* A bar 1x1 mm in section, 1 kg/m^3, clamped at one end: frequencies, Hz. A clamp in a plane of centres makes
 * it half a voxel longer than whole voxels, so the geometric mean of the lengths half a voxel below and above
 * `length` mm is taken. */
void solid_rod_modes(validation *v, const solid_def *d, int32_t length, int32_t count, double *frequency);
/* Uniform tension of a block of 5x4x3 voxels: worst of the link strains over sigma/E along the axis, and the
 * worst of those across it over -nu sigma/E (nu = 0: plain strain). */
void solid_uniaxial(validation *v, const solid_def *d, double *axial, double *lateral);
/* A block 9x4x4 (ten layers) stretched by 0.1 % between rollers at its ends, and held by rollers on one side
 * (0 pairs), or on both sides along y (1), or along y and z (2): stress over strain, over E. */
double solid_rollers(validation *v, const solid_def *d, int pairs);
/* A bar 12 long of side x side voxels bent by end moments: EI over E side^4/12. */
double solid_bending(validation *v, const solid_def *d, int32_t side);
/* An L, see validation/reference.py: deflection of the end of its arm along z, and along x. k odd. */
double solid_bracket(validation *v, const solid_def *d, double *aside);
/* A plate with a square hole, pulled by 0.12: force. k odd. */
double solid_hole(validation *v, const solid_def *d);
/* A square tube: torque for 0.01 rad, deflection under 0.01 N. */
double solid_tube_torque(validation *v, const solid_def *d, int32_t wall);
double solid_tube_bending(validation *v, const solid_def *d, int32_t wall);
/* A strip 20x8, clamped, 1e-4 N across its end: mean deflection. */
double solid_strip(validation *v, const solid_def *d, int32_t thickness);

#endif
