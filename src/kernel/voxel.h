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

/* Ground damping is implicit: any ratio is stable, and every mode decays at the same rate. */
static inline rvec voxel_velocity(rvec velocity, rvec acceleration, real rate, real dt)
{
    const real keep = real_of(1) / (real_of(1) + dt * rate);
    return rvec_scale(keep, rvec_add(velocity, rvec_scale(dt, acceleration)));
}

#ifndef VXE_LANES /* the floor is for single voxels: most never touch it */

typedef struct floor_contact {
    rvec velocity; /* m/s, after contact */
    rvec force;    /* N, from the floor */
    int stuck;     /* the new latch */
} floor_contact;

/* A voxel that penetrates the floor by `depth` > 0 and would leave the step with `velocity`. `push` is the
 * horizontal load on it, N (z is not used). The damper acts on the velocity after the step (implicit, so that
 * any damping ratio is stable) and the floor never pulls. Friction: a stuck voxel does not move sideways
 * until |push| > mu_s N; a sliding one is slowed by mu_d N dt/m and latches when that would stop it. */
static inline floor_contact voxel_on_floor(rvec velocity, rvec push, real depth, int stuck, voxel_constants c,
                                           real dt)
{
    const real damp = dt * c.floor_damping * c.inverse_mass;
    const real spring = c.floor_stiffness * depth;
    const real after = (velocity.z + dt * spring * c.inverse_mass) / (real_of(1) + damp);
    const real normal = real_max(spring - c.floor_damping * after, real_of(0));
    floor_contact contact;
    contact.velocity = velocity;
    contact.velocity.z = velocity.z + dt * normal * c.inverse_mass;
    const real pushed = real_sqrt(push.x * push.x + push.y * push.y);
    if (stuck && pushed <= c.static_friction * normal) {
        contact.velocity.x = 0;
        contact.velocity.y = 0;
        contact.stuck = normal > 0;
    } else {
        const real speed = real_sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
        const real slow = c.dynamic_friction * normal * dt * c.inverse_mass;
        if (speed <= slow) {
            contact.velocity.x = 0;
            contact.velocity.y = 0;
            contact.stuck = normal > 0;
        } else {
            const real keep = (speed - slow) / speed;
            contact.velocity.x = keep * velocity.x;
            contact.velocity.y = keep * velocity.y;
            contact.stuck = 0;
        }
    }
    const real momentum = real_of(1) / (dt * c.inverse_mass);
    contact.force = (rvec){momentum * (contact.velocity.x - velocity.x),
                           momentum * (contact.velocity.y - velocity.y), normal};
    return contact;
}

#endif

/* q turned by the rotation vector dt w (world axes): the exponential by its series, exact to the last digit
 * for turns up to 2 rad, which is far more than a step may turn. Renormalised without a root: |q| is 1 to
 * round-off before and after. */
static inline rquat voxel_turn(rquat q, rvec w, real dt)
{
    const rvec h = rvec_scale(real_of(0.5) * dt, w); /* half the rotation vector */
    const real a = rvec_dot(h, h);
    const real cosine =
        real_of(1) +
        a * (real_of(-1.0 / 2) +
             a * (real_of(1.0 / 24) +
                  a * (real_of(-1.0 / 720) +
                       a * (real_of(1.0 / 40320) + a * (real_of(-1.0 / 3628800) +
                                                        a * (real_of(1.0 / 479001600.0) +
                                                             a * (real_of(-1.0 / 87178291200.0) +
                                                                  a * real_of(1.0 / 20922789888000.0))))))));
    const real sinc =
        real_of(1) +
        a * (real_of(-1.0 / 6) +
             a * (real_of(1.0 / 120) +
                  a * (real_of(-1.0 / 5040) + a * (real_of(1.0 / 362880) +
                                                   a * (real_of(-1.0 / 39916800.0) +
                                                        a * (real_of(1.0 / 6227020800.0) +
                                                             a * (real_of(-1.0 / 1307674368000.0) +
                                                                  a * real_of(1.0 / 355687428096000.0))))))));
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
