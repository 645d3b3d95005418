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
    real shear;       /* N m: cs */
    real twice_bend;  /* N m: 2 (c - kt) */
    real twice_twist; /* N m: 2 kt */
} link_stiffness;

static inline link_stiffness link_stiffness_of(real cs, real c, real kt)
{
    return (link_stiffness){cs, real_of(2) * (c - kt), real_of(2) * kt};
}

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
    real lever;   /* 1/m: what turns couples into forces across the chord; 1/length keeps the balance */
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
    return (link_chord){rvec_scale(inverse, d), length, inverse, inverse};
}

/* A link's loads before they are taken apart. With s = t1 + t2 and t = t2 - t1 every load of a link is made
 * of three things: a vector G across the chord, whose couple P = G x e turns both voxels the same way and
 * whose part across e shears them; a couple A that turns them opposite ways; and the pull along the chord. */
typedef struct link_parts {
    rvec across; /* N m: G */
    rvec couple; /* N m: A */
    real pull;   /* N */
} link_parts;

static inline link_parts link_parts_add(link_parts a, link_parts b)
{
    return (link_parts){rvec_add(a.across, b.across), rvec_add(a.couple, b.couple), a.pull + b.pull};
}

static inline link_load link_load_of(link_chord chord, link_parts parts)
{
    const rvec both = rvec_cross(parts.across, chord.e);
    const real twice = real_of(2) * chord.lever;
    const real along = twice * rvec_dot(parts.across, chord.e) + parts.pull;
    return (link_load){rvec_sub(rvec_scale(twice, parts.across), rvec_scale(along, chord.e)),
                       rvec_sub(both, parts.couple), rvec_add(both, parts.couple)};
}

/* N, on the far voxel: what the lever of an unbalanced link adds to the gradient. */
static inline rvec link_excess(link_chord chord, link_parts parts)
{
    const rvec across = rvec_sub(parts.across, rvec_scale(rvec_dot(parts.across, chord.e), chord.e));
    return rvec_scale(real_of(2) * (chord.lever - chord.inverse), across);
}

/* Gradient of U; `tension` is dU/dlen, whatever law it comes from. half1 and half2 are t1/2 and t2/2. */
static inline link_parts link_elastic_parts(link_chord chord, rquat q1, rquat q2, rvec half1, rvec half2,
                                            link_stiffness k, real tension)
{
    const rquat turn = rquat_relative(q1, q2);
    const rvec s = rvec_add(half1, half2);
    const rvec t = rvec_sub(half2, half1);
#ifdef VXE_REAL_IS_FLOAT
    /* G is needed across the chord only. Along it is nearly all of it, and what that would leave as round-off
     * in the couple and in the forces would not balance: bodies that turn would gain energy. */
    const rvec across = rvec_scale(k.shear, rvec_sub(s, chord.e));
#else
    const rvec across = rvec_scale(k.shear, s);
#endif
    const rvec arm = rvec_add(rvec_scale(k.shear, chord.e), rvec_scale(k.twice_bend, s));
    const rvec twist = rvec_scale(k.twice_twist * turn.w, (rvec){turn.x, turn.y, turn.z});
    return (link_parts){across, rvec_sub(rvec_cross(t, arm), twist), tension};
}

static inline link_load link_elastic(link_chord chord, rquat q1, rquat q2, int axis, link_stiffness k,
                                     real tension)
{
    return link_load_of(chord, link_elastic_parts(chord, q1, q2, rquat_half_axis(q1, axis),
                                                  rquat_half_axis(q2, axis), k, tension));
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
    const real kt = real_of(0.5) * k.twice_twist;
    return real_of(0.5) * (k.shear * (rvec_dot(d1, d1) + rvec_dot(d2, d2)) + k.twice_bend * bend) +
           kt * (bend + twist);
}

/* N/m: what a link adds to K + 2 C/dt of its voxels. `rate` and `across` are those parts at length 1 m, along
 * the link (ka + 2/dt axial damping) and across it (ks l^2 + 8/dt shear damping); tension adds to the latter.
 */
static inline real link_rate(link_chord chord, real tension, real rate, real across)
{
    return rate + chord.inverse * (across * chord.inverse + real_max(tension, real_of(0)));
}

/* Minus (damping matrix) times velocities. The matrix is the link's stiffness at the current pose, without
 * the part that comes from its present load, times beta: zero for rigid motion, no net force or torque, never
 * adds power. With beta = 1 it is the stiffness itself, and the time-step bound uses it so. */
static inline link_parts link_damping_parts(link_chord chord, rvec relative_velocity, rvec spin1, rvec spin2,
                                            link_damping_rates rates)
{
    const rvec e = chord.e;
    const rvec both = rvec_add(spin1, spin2);
    const rvec apart = rvec_sub(spin2, spin1);
    const rvec across =
        rvec_scale(rates.shear,
                   rvec_sub(rvec_cross(both, e), rvec_scale(real_of(2) * chord.inverse, relative_velocity)));
    const real twist = (rates.bending - rates.torsion) * rvec_dot(apart, e);
    const rvec couple = rvec_sub(rvec_scale(twist, e), rvec_scale(rates.bending, apart));
    return (link_parts){across, couple, rates.axial * rvec_dot(relative_velocity, e)};
}

static inline link_load link_damping(link_chord chord, rvec relative_velocity, rvec spin1, rvec spin2,
                                     link_damping_rates rates)
{
    return link_load_of(chord, link_damping_parts(chord, relative_velocity, spin1, spin2, rates));
}

/* What a link alone takes from the relative motion of its ends within a time: the change of the near end's
 * velocity per relative velocity. Each is (1 - exp(-x))/mu over the near end's mass or inertia, with x = time
 * coefficient mu and mu what a unit of impulse changes the relative velocity by. */
typedef struct link_brake {
    real axial;   /* of 1 */
    real shear;   /* m^2: 4 times that of a link of one pitch */
    real bending; /* of 1 */
    real excess;  /* of 1: bending less torsion */
    real far;     /* near end's mass over the far end's */
} link_brake;

/* Velocities of the two ends. */
typedef struct link_ends {
    rvec velocity1, spin1, velocity2, spin2;
} link_ends;

/* The same damping as an impulse: the velocities it leaves. `d` is the vector between the ends: its length is
 * needed squared only. `inverse_area` is 1/l^2; a voxel's inertia is m l^2/6. A short link yields more to a
 * shearing impulse; below one pitch the brake is eased as much, so that it never turns the motion round.
 * `inverse`: 1/|d|^2. `alike`: the ends have the same mass. */
static inline link_ends link_braked_at(rvec d, real inverse, link_ends e, link_brake k, real inverse_area,
                                       const int alike)
{
    const rvec apart = rvec_sub(e.velocity2, e.velocity1);
    const rvec both = rvec_add(e.spin1, e.spin2);
    const rvec bend = rvec_sub(e.spin2, e.spin1);
    const real slide = rvec_dot(apart, d) * inverse;
    const real shear = k.shear * real_min(inverse, inverse_area);
    const rvec sheared = rvec_sub(rvec_cross(both, rvec_scale(real_of(0.5), d)), apart);
    const rvec across = rvec_scale(shear, sheared);
    const rvec turn = rvec_scale(real_of(3) * inverse_area, rvec_cross(across, d));
    const real twist = k.excess * (rvec_dot(bend, d) * inverse);
    const rvec couple = rvec_sub(rvec_scale(twist, d), rvec_scale(k.bending, bend));
    const rvec push = rvec_add(across, rvec_scale(slide * (shear - k.axial), d));
    const rvec back = rvec_add(turn, couple);
    return (link_ends){rvec_sub(e.velocity1, push), rvec_add(e.spin1, rvec_sub(turn, couple)),
                       rvec_add(e.velocity2, alike ? push : rvec_scale(k.far, push)),
                       rvec_add(e.spin2, alike ? back : rvec_scale(k.far, back))};
}

static inline link_ends link_braked(rvec d, link_ends e, link_brake k, real inverse_area, const int alike)
{
    return link_braked_at(d, real_of(1) / rvec_dot(d, d), e, k, inverse_area, alike);
}

#endif
