/* The physics of ONE voxel: new velocities from its total load (with ground damping, floor and friction), new
 * pose from its velocities. */
#ifndef KERNEL_VOXEL_H
#define KERNEL_VOXEL_H

#include "kernel/real.h"

/* What a voxel's material and the environment say; l is the pitch. */
typedef struct voxel_constants {
    real inverse_mass;    /* 1/kg */
    real inverse_inertia; /* 1/(kg m^2) */
    real ground_rate;     /* 1/s: 2 zeta_ground sqrt(E l/m) */
    real floor_stiffness; /* N/m: 2 E l */
    real floor_damping;   /* N s/m: 2 zeta_contact sqrt(m E l) */
    real static_friction;
    real dynamic_friction;
} voxel_constants;

/* What ground damping leaves of a velocity after a step. It is implicit: any ratio is stable, and every mode
 * decays at the same rate. */
static inline real voxel_keep(real rate, real dt) { return real_of(1) / (real_of(1) + dt * rate); }

/* `kick` is dt/mass for a force, dt/inertia for a moment. */
static inline rvec voxel_velocity(rvec velocity, rvec load, real keep, real kick)
{
    return rvec_scale(keep, rvec_add(velocity, rvec_scale(kick, load)));
}

typedef struct floor_contact {
    rvec velocity;   /* m/s, after contact */
    rvec force;      /* N, from the floor */
    real_mask stuck; /* the new latch */
} floor_contact;

/* A voxel that penetrates the floor by `depth` > 0 and would leave the step with `velocity`. `push` is the
 * horizontal load on it, N (z is not used). The damper acts on the velocity after the step (implicit, so that
 * any damping ratio is stable) and the floor never pulls. Friction: a stuck voxel does not move sideways
 * until |push| > mu_s N; a sliding one is slowed by mu_d N dt/m and latches when that would stop it. */
static inline floor_contact voxel_on_floor(rvec velocity, rvec push, real depth, real_mask stuck,
                                           voxel_constants c, real dt)
{
    const real zero = real_of(0);
    const real damp = dt * c.floor_damping * c.inverse_mass;
    const real spring = c.floor_stiffness * depth;
    const real after = (velocity.z + dt * spring * c.inverse_mass) / (real_of(1) + damp);
    const real normal = real_max(spring - c.floor_damping * after, zero);
    const real pushed = real_sqrt(push.x * push.x + push.y * push.y);
    const real speed = real_sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
    const real slow = c.dynamic_friction * normal * dt * c.inverse_mass;
    const real_mask stops = (stuck & (real_mask)(pushed <= c.static_friction * normal)) | (speed <= slow);
    const real keep = (speed - slow) / speed;
    floor_contact contact;
    contact.velocity.x = real_select(stops, zero, keep * velocity.x);
    contact.velocity.y = real_select(stops, zero, keep * velocity.y);
    contact.velocity.z = velocity.z + dt * normal * c.inverse_mass;
    contact.stuck = stops & (real_mask)(normal > zero);
    const real momentum = real_of(1) / (dt * c.inverse_mass);
    contact.force = (rvec){momentum * (contact.velocity.x - velocity.x),
                           momentum * (contact.velocity.y - velocity.y), normal};
    return contact;
}

/* q turned by the rotation vector dt w (world axes): the exponential by polynomials, exact to the last digit
 * for turns up to 1 rad, which is more than a step may turn. They are the best ones for up to 1 rad instead
 * of the beginning of a series, and computed in pairs, because a long chain of operations takes long. |q| is
 * 1 to round-off before and after: what it has strayed by is taken back without a root. */
static inline rquat voxel_turn(rquat q, rvec w, real dt)
{
    const real a = real_of(0.25) * dt * dt * rvec_dot(w, w); /* half the angle, squared */
    const real a2 = a * a;
#ifdef VXE_REAL_IS_FLOAT
    const real cosine = (real_of(1) - real_of(0.5) * a) +
                        a2 * (real_of(0.04166647344160386) + a * real_of(-0.0013827035380361724));
    const real sinc = (real_of(1) - real_of(1.0 / 6) * a) +
                      a2 * (real_of(0.008333311853039047) + a * real_of(-0.00019772513358926906));
#else
    const real cosine = (real_of(1) - real_of(0.5) * a) +
                        a2 * ((real_of(0.041666666666666644) + a * real_of(-0.0013888888888845244)) +
                              a2 * ((real_of(2.480158716190952e-05) + a * real_of(-2.7557162747016665e-07)) +
                                    a2 * real_of(2.0805186048440583e-09)));
    const real sinc = (real_of(1) + real_of(-0.16666666666666635) * a) +
                      a2 * ((real_of(0.008333333333272254) + a * real_of(-0.0001984126964579005)) +
                            a2 * (real_of(2.755710022606947e-06) + a * real_of(-2.4951933287704484e-08)));
#endif
    const real square = (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z);
    const real scale = real_of(1.5) - real_of(0.5) * square;
    const real c = cosine * scale;
    const rvec r = rvec_scale(sinc * scale * (real_of(0.5) * dt), w);
    const rvec v = {q.x, q.y, q.z};
    const rvec across = rvec_cross(r, v);
    return (rquat){c * q.w - rvec_dot(r, v), (c * q.x + q.w * r.x) + across.x,
                   (c * q.y + q.w * r.y) + across.y, (c * q.z + q.w * r.z) + across.z};
}

#endif
