/* Lengths, strains, tensions and depths of ONE link, voxel or contact. Positions are double whatever `real`
 * is, so what is measured from a position is double too. */
#ifndef KERNEL_STRAIN_H
#define KERNEL_STRAIN_H

#include "kernel/real.h"

/* ---- links -------------------------------------------------------------------------------------------------------- */

/* m: length of a link without load. `growth`: of its voxels, size/pitch - 1. */
static inline real link_rest_length(real pitch, real near_growth, real far_growth)
{
    return pitch * (real_of(1) + real_of(0.5) * (near_growth + far_growth));
}

/* m: what is elastic of a stretch (length less length without load); `plastic` is a strain. */
static inline real link_elastic_stretch(real stretch, real pitch, real plastic)
{
    return stretch - pitch * plastic;
}

/* Strain: stretch over the pitch, whatever the length without load. */
static inline real link_strain(real stretch, real inverse_pitch) { return stretch * inverse_pitch; }

/* N: what the link itself pulls with; ka in N/m. */
static inline real link_axial_force(real ka, real elastic_stretch) { return ka * elastic_stretch; }

/* N: what the pressures of its two voxels add. `area`: pitch^2 times the voxel's weight, m^2; pressures in
 * Pa.
 */
static inline real link_pressure_force(real near_area, real near_pressure, real far_area, real far_pressure)
{
    return near_area * near_pressure + far_area * far_pressure;
}

/* J: of the link itself, without bending, shear and twist, which are link_energy(). */
static inline real link_stretch_energy(real ka, real elastic_stretch)
{
    return real_of(0.5) * ka * elastic_stretch * elastic_stretch;
}

/* J: the force conjugate to the growth of either voxel; `half_pitch` in m. */
static inline real link_growth_force(real half_pitch, real tension) { return -(half_pitch * tension); }

/* ---- voxels ------------------------------------------------------------------------------------------------------- */

/* J/m^3: energy of a voxel's pressure (Pa) at its volume strain, per volume of a voxel. */
static inline real pressure_energy_density(real volume_strain, real pressure)
{
    return real_of(0.5) * volume_strain * pressure;
}

/* Whether there is floor under a place. x and y count from the middle of the floor, m; `edge2` is the square
 * of its radius, m^2; 0: it has no end. */
static inline int floor_is_under(double x, double y, double edge2)
{
    return edge2 == 0.0 || x * x + y * y <= edge2;
}

/* m: how deep a voxel whose centre is at `height` is in the floor; negative: above it. */
static inline double floor_depth_of(double pitch, double growth, double height)
{
    return 0.5 * pitch * (1.0 + growth) - height;
}

/* ---- contacts ----------------------------------------------------------------------------------------------------- */

/* m: distance of the centres of two voxels at which they begin to touch. */
static inline double contact_reach(double pitch, double growth1, double growth2)
{
    return 0.5 * pitch * ((1.0 + growth1) + (1.0 + growth2));
}

#endif
