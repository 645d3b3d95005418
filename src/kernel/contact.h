/* The physics of ONE contact between two voxels that are not linked: a spring and damper that never attract,
 * and Coulomb friction with a spring from the point where they stick. Forces are equal and opposite and act
 * at one point, so both momenta are kept.
 *
 * A voxel touches others as a ball of its current size times the environment's collision distance. The point
 * of contact divides the line of centres in proportion to the two sizes. */
#ifndef KERNEL_CONTACT_H
#define KERNEL_CONTACT_H

#include "kernel/real.h"

/* The two materials' part; l is the pitch. */
typedef struct contact_constants {
    real stiffness;       /* N/m: Ec l, two half columns in series */
    real damping;         /* N s/m: see contact_damping() */
    real tangent;         /* N/m: of the sticking spring */
    real tangent_damping; /* N s/m */
    real static_friction; /* sqrt(mu1 mu2) */
    real dynamic_friction;
    real stop;  /* N/m: a second spring, for deep contacts */
    real slack; /* the part of the reach before it: see contact_slack() */
} contact_constants;

/* Motion of the two voxels. */
typedef struct contact_motion {
    rvec v1, w1, v2, w2;
} contact_motion;

typedef struct contact_result {
    rvec force;   /* N, on the second voxel */
    rvec moment1; /* N m, on the first */
    rvec moment2; /* N m, on the second */
    rvec spring;  /* N, the part of `force` that comes from springs */
    rvec moment1_spring, moment2_spring;
    real squeeze;    /* N, what the springs press them apart with */
    rvec stick;      /* m, the sticking spring's new extension: second relative to first */
    real_mask stuck; /* the new latch */
    real energy;     /* J, in both springs */
    real slipped;    /* J, taken by sliding */
} contact_result;

/* The tangent spring is weaker than the normal one because voxels also turn: 1/m1 + 1/m2 becomes 5/2 times
 * that for equal cubes (I = m l^2/6, arm l/2), so 2/5 gives it the same frequency. */
#define CONTACT_TANGENT 0.4

/* The stop: voxels pressed together by more than CONTACT_STOP_DEPTH of their size meet a second spring, as
 * stiff as the time step allows whatever the material: CONTACT_STOP_SPRING of reduced mass over dt^2, so that
 * in one step it undoes that part of the excess depth of a pair that is alone. Without it a fast corner slips
 * between four voxels of the other body, whose centres leave a gap that a ball passes when 0.29 deep. */
#define CONTACT_STOP_DEPTH 0.05
#define CONTACT_STOP_SPRING 0.5

/* N s/m: a damper c between two voxels of reduced mass m, divided by 1 + 2 dt c/m: it then acts nearly as an
 * implicit one and two contacts together stay stable at any step. */
static inline double contact_damping(double c, double m, double dt) { return c / (1.0 + 2.0 * dt * c / m); }

/* The depth at which the stop begins, as a part of the reach, which is `distance` times their size. */
static inline double contact_slack(double distance)
{
    return (distance - 1.0 + CONTACT_STOP_DEPTH) / distance;
}

/* d: centre to centre; reach: distance at which they begin to touch (half the sum of their sizes, times the
 * collision distance); share: the
 * first voxel's part of the distance. Only for |d| < reach. */
static inline contact_result contact_forces(rvec d, real reach, real share, contact_motion motion, rvec stick,
                                            real_mask stuck, contact_constants c, real dt)
{
    const real distance = real_sqrt(rvec_dot(d, d));
    const rvec n = rvec_scale(real_of(1) / distance, d);
    const real depth = reach - distance;
    const rvec arm1 = rvec_scale(share * distance, n);
    const rvec arm2 = rvec_sub(arm1, d);
    const rvec velocity = rvec_sub(rvec_add(motion.v2, rvec_cross(motion.w2, arm2)),
                                   rvec_add(motion.v1, rvec_cross(motion.w1, arm1)));
    const real parting = rvec_dot(velocity, n);
    const rvec sliding = rvec_sub(velocity, rvec_scale(parting, n));

    const real excess = real_max(depth - c.slack * reach, real_of(0));
    const real spring = c.stiffness * depth + c.stop * excess;
    const real normal = real_max(spring - c.damping * parting, real_of(0));

    /* the sticking spring follows the surface, then stretches by what the surfaces have slid */
    const rvec flat = rvec_sub(stick, rvec_scale(rvec_dot(stick, n), n));
    const rvec trial = rvec_add(flat, rvec_scale(dt, sliding));
    const real length = real_sqrt(rvec_dot(trial, trial));
    const real pull = c.tangent * length;
    const real limit = real_select(stuck, c.static_friction, c.dynamic_friction) * normal;
    contact_result r;
    r.stuck = pull <= limit;
    const real keep = real_select(r.stuck, real_of(1), c.dynamic_friction * normal / pull);
    r.stick = rvec_scale(keep, trial);
    /* the work of the mean of the forces before and after, less what the spring has gained by it */
    r.slipped = real_of(0.5) * c.tangent * (real_of(1) - keep) * rvec_dot(trial, rvec_add(flat, r.stick));
    const rvec tangent_spring = rvec_scale(-c.tangent, r.stick);
    const rvec damped = rvec_sub(tangent_spring, rvec_scale(c.tangent_damping, sliding));
    /* damping must not carry more than friction can */
    const real size = real_sqrt(rvec_dot(damped, damped));
    const rvec limited = rvec_scale(real_select(size > limit, limit / size, real_of(1)), damped);
    const rvec tangent = {real_select(r.stuck, limited.x, tangent_spring.x),
                          real_select(r.stuck, limited.y, tangent_spring.y),
                          real_select(r.stuck, limited.z, tangent_spring.z)};
    r.force = rvec_add(rvec_scale(normal, n), tangent);
    r.spring = rvec_add(rvec_scale(spring, n), tangent_spring);
    r.moment1 = rvec_cross(r.force, arm1); /* arm1 x (-force) */
    r.moment2 = rvec_cross(arm2, r.force);
    r.moment1_spring = rvec_cross(r.spring, arm1);
    r.moment2_spring = rvec_cross(arm2, r.spring);
    r.squeeze = spring;
    r.energy = real_of(0.5) * (c.stiffness * depth * depth + c.stop * excess * excess +
                               c.tangent * rvec_dot(r.stick, r.stick));
    return r;
}

#endif
