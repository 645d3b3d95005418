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

static inline rvec voxel_velocity(rvec velocity, rvec acceleration, real keep, real dt)
{
    return rvec_scale(keep, rvec_add(velocity, rvec_scale(dt, acceleration)));
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

/* q turned by the rotation vector dt w (world axes): the exponential by its series, exact to the last digit
 * for turns up to 1 rad, which is more than a step may turn. Renormalised without a root: |q| is 1 to
 * round-off before and after. */
static inline rquat voxel_turn(rquat q, rvec w, real dt)
{
    const rvec h = rvec_scale(real_of(0.5) * dt, w); /* half the rotation vector */
    const real a = rvec_dot(h, h);
    real cosine = real_of(1.0 / 40320);
    real sinc = real_of(-1.0 / 5040);
#ifndef VXE_REAL_IS_FLOAT /* what only longer numbers can hold */
    cosine = cosine + a * (real_of(-1.0 / 3628800) +
                           a * (real_of(1.0 / 479001600.0) + a * real_of(-1.0 / 87178291200.0)));
    sinc = sinc +
           a * (real_of(1.0 / 362880) + a * (real_of(-1.0 / 39916800.0) + a * real_of(1.0 / 6227020800.0)));
#endif
    cosine = real_of(1) +
             a * (real_of(-1.0 / 2) + a * (real_of(1.0 / 24) + a * (real_of(-1.0 / 720) + a * cosine)));
    sinc = real_of(1) + a * (real_of(-1.0 / 6) + a * (real_of(1.0 / 120) + a * sinc));
    const rvec r = rvec_scale(sinc, h);
    const rvec v = {q.x, q.y, q.z};
    const rvec across = rvec_cross(r, v);
    rquat n;
    n.w = cosine * q.w - rvec_dot(r, v);
    n.x = cosine * q.x + q.w * r.x + across.x;
    n.y = cosine * q.y + q.w * r.y + across.y;
    n.z = cosine * q.z + q.w * r.z + across.z;
    const real square = n.w * n.w + n.x * n.x + n.y * n.y + n.z * n.z;
    const real scale = real_of(1.5) - real_of(0.5) * square;
    n.w *= scale;
    n.x *= scale;
    n.y *= scale;
    n.z *= scale;
    return n;
}

#endif
