/* The physics of ONE link: potential, forces and moments, damping.
 *
 * With d = p2 - p1, len = |d|, e = d/len, t1 and t2 the body axes of the two voxels along the link, n and s
 * their other axes:
 *
 *   U = tension part + cs [(1 - e.t1) + (1 - e.t2)] + c (1 - t1.t2) + kt/2 [1 + t1.t2 - n1.n2 - s1.s2],
 *   cs = ks l^2/2, c = kb - ks l^2/4
 *
 * (Kuzkin and Asonov, Phys. Rev. E 86, 051301, 2012). Forces and moments are its exact gradient. The sum n1 x
 * n2 + s1 x s2 + t1 x t2 is 4 w v of the relative quaternion (w, v), and n1.n2 + s1.s2 + t1.t2 = 4 w^2 - 1,
 * so only t1 and t2 are ever needed. */
#ifndef KERNEL_LINK_H
#define KERNEL_LINK_H

#include "kernel/real.h"

/* What a link is made of; l is the pitch. */
typedef struct link_stiffness {
    real cs; /* N m: ks l^2/2 */
    real c;  /* N m: kb - ks l^2/4 */
    real kt; /* N m: torsion */
} link_stiffness;

/* Damping coefficients: beta times the stiffness they belong to. */
typedef struct link_damping_rates {
    real axial;   /* N s/m: beta_stretch ka */
    real shear;   /* N m s: beta_rotation cs/2 */
    real bending; /* N m s: beta_rotation kb */
    real torsion; /* N m s: beta_rotation kt */
} link_damping_rates;

typedef struct link_chord {
    rvec e;
    real length;
    real inverse; /* 1/length */
} link_chord;

/* Forces on the two ends; the near voxel gets minus `force`. */
typedef struct link_load {
    rvec force;       /* N, on the far voxel */
    rvec near_moment; /* N m */
    rvec far_moment;  /* N m */
} link_load;

static inline link_chord link_chord_of(rvec d)
{
    const real length = real_sqrt(rvec_dot(d, d));
    const real inverse = real_of(1) / length;
    return (link_chord){rvec_scale(inverse, d), length, inverse};
}

/* Gradient of U; `tension` is dU/dlen, whatever law it comes from. */
static inline link_load link_elastic(link_chord chord, rquat q1, rquat q2, int axis, link_stiffness k,
                                     real tension)
{
    const rvec t1 = rquat_axis(q1, axis);
    const rvec t2 = rquat_axis(q2, axis);
    const rquat turn = rquat_relative(q1, q2);
    const rvec sum = rvec_add(t1, t2);
    const real along = rvec_dot(sum, chord.e);
    const rvec across = rvec_sub(sum, rvec_scale(along, chord.e));
    const rvec shear = rvec_scale(k.cs * chord.inverse, across);
    /* the same couple, with opposite signs, on both voxels */
    const rvec couple = rvec_add(rvec_scale(k.c - k.kt, rvec_cross(t1, t2)),
                                 rvec_scale(real_of(2) * k.kt * turn.w, (rvec){turn.x, turn.y, turn.z}));
    link_load load;
    load.force = rvec_sub(shear, rvec_scale(tension, chord.e));
    load.near_moment = rvec_add(rvec_scale(k.cs, rvec_cross(t1, chord.e)), couple);
    load.far_moment = rvec_sub(rvec_scale(k.cs, rvec_cross(t2, chord.e)), couple);
    return load;
}

/* U without its axial part, J. Differences of unit vectors instead of 1 - cos: no cancellation when the link
 * is nearly straight. */
static inline real link_energy(link_chord chord, rquat q1, rquat q2, int axis, link_stiffness k)
{
    const rvec t1 = rquat_axis(q1, axis);
    const rvec t2 = rquat_axis(q2, axis);
    const rquat turn = rquat_relative(q1, q2);
    const rvec d1 = rvec_sub(chord.e, t1);
    const rvec d2 = rvec_sub(chord.e, t2);
    const rvec d12 = rvec_sub(t2, t1);
    const real bend = rvec_dot(d12, d12) * real_of(0.5); /* 1 - t1.t2 */
    const real twist = real_of(2) * (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z) - bend;
    return k.cs * real_of(0.5) * (rvec_dot(d1, d1) + rvec_dot(d2, d2)) + k.c * bend + k.kt * twist;
}

/* Minus (damping matrix) times velocities. The matrix is the link's stiffness at the current pose, without
 * the part that comes from its present load, times beta: zero for rigid motion, no net force or torque, never
 * adds power. With beta = 1 it is the stiffness itself, and the time-step bound uses it so. */
static inline link_load link_damping(link_chord chord, rvec relative_velocity, rvec spin1, rvec spin2,
                                     link_damping_rates rates)
{
    const rvec e = chord.e;
    const rvec chord_spin = rvec_scale(chord.inverse, rvec_cross(e, relative_velocity));
    const rvec r1 = rvec_sub(spin1, chord_spin);
    const rvec r2 = rvec_sub(spin2, chord_spin);
    const real along1 = rvec_dot(r1, e);
    const real along2 = rvec_dot(r2, e);
    const rvec q1 = rvec_sub(r1, rvec_scale(along1, e));
    const rvec q2 = rvec_sub(r2, rvec_scale(along2, e));
    const rvec shear = rvec_scale(-rates.shear, rvec_add(q1, q2));
    const rvec couple = rvec_add(rvec_scale(rates.bending, rvec_sub(q2, q1)),
                                 rvec_scale(rates.torsion * (along2 - along1), e));
    const real stretch = rates.axial * rvec_dot(relative_velocity, e);
    link_load load;
    load.near_moment = rvec_add(shear, couple);
    load.far_moment = rvec_sub(shear, couple);
    load.force =
        rvec_sub(rvec_scale(real_of(2) * chord.inverse, rvec_cross(e, shear)), rvec_scale(stretch, e));
    return load;
}

#endif
