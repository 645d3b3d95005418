/* The physics of ONE voxel: new velocities from its total load (with ground damping, floor and friction), new
 * pose from its velocities. */
#ifndef KERNEL_VOXEL_H
#define KERNEL_VOXEL_H

#include "kernel/contact.h"

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

/* Where bond damping or contacts come between new velocities and new poses, ground damping is around them,
 * half before and half after: damping of bodies that ground damping does not take hold of evenly, as of spins
 * more than of velocities, or of unlike materials, would else be a matrix that is not symmetric, which gives
 * energy to some motions. */
static inline real voxel_keep_half(real rate, real dt) { return real_sqrt(voxel_keep(rate, dt)); }

/* `kick` is dt/mass for a force, dt/inertia for a moment. */
static inline rvec voxel_velocity(rvec velocity, rvec load, real keep, real kick)
{
    return rvec_scale(keep, rvec_add(velocity, rvec_scale(kick, load)));
}

/* Depth in the floor, in pitches, from which on a second spring acts: half a voxel that is pressed flat is
 * not a spring any more. Its stiffness is CONTACT_STOP_STIFFNESS times the first. */
#define FLOOR_STOP_DEPTH 0.25

/* The spring of the floor: `pitch` in m. */
static inline contact_spring floor_spring(real stiffness, real pitch)
{
    return (contact_spring){stiffness, real_of(CONTACT_STOP_STIFFNESS) * stiffness,
                            real_of(FLOOR_STOP_DEPTH) * pitch};
}

/* Times of a step, s: positions move over the whole of it, velocities change over `kick`. */
typedef struct floor_step {
    real half_before; /* half of the step before */
    real half_after;  /* and of this one */
    real kick;
    real pitch; /* m */
    real
        gives; /* 1, or next to nothing for a voxel whose height is held: it does not give way to the floor */
} floor_step;

#define FLOOR_HELD 1e-6

/* What of the floor is the same as long as the step is: quotients, which take long. */
typedef struct floor_terms {
    real damp;     /* of 1: contact_press_damp() */
    real damped;   /* of 1: 1/(1 + damp) */
    real mobility; /* 1/kg: what a force does to velocities, of which ground damping leaves a part */
    real momentum; /* kg/s: of a change of velocity, over `kick` */
} floor_terms;

static inline floor_terms floor_terms_of(voxel_constants c, real kick, real half_after, real gives)
{
    const real one = real_of(1);
    const real mobility = c.inverse_mass * voxel_keep(c.ground_rate, kick);
    const real damp = contact_press_damp(c.floor_damping, mobility * gives, kick, half_after + half_after);
    return (floor_terms){damp, one / (one + damp), mobility, one / (kick * mobility)};
}

typedef struct floor_contact {
    rvec velocity;   /* m/s, after contact */
    rvec force;      /* N, from the floor */
    real_mask stuck; /* the new latch */
    real_mask fresh; /* it still stands as it was put */
    real_mask slips; /* its latch gives way */
} floor_contact;

/* A voxel at `depth` in the floor (negative above it) that had the velocity `before` and would have
 * `velocity` after the step, ground damping included. `push` is the load on it without the floor, N. The
 * normal force is that of kernel/contact.h. Friction opposes the mean of the velocities before and after, so
 * that it never adds energy: a stuck voxel does not move sideways until |push| > mu_s N; a sliding one is
 * slowed by mu_d N dt/m and latches when that would stop it, unless it is just being turned back. For a
 * `fresh` one, which was put on the floor at the start, N is at least what presses it onto the floor, until
 * it has come to rest there: to a hundredth of N, and to a thousandth of its depth in half a step. */
static inline floor_contact voxel_on_floor_with(rvec before, rvec velocity, rvec push, real depth,
                                                real_mask stuck, real_mask fresh, voxel_constants c,
                                                floor_step t, floor_terms terms)
{
    const real zero = real_of(0);
    const real half = real_of(0.5);
    const contact_press press = {depth + t.half_before * before.z, depth - t.half_after * velocity.z,
                                 t.half_after * t.kick * terms.mobility * t.gives, terms.damp};
    /* clear of the floor all the time, or not */
    const real_mask touches = (real_mask)(press.before > zero) | (real_mask)(press.free > zero);
    real normal = zero;
    if (real_any(touches)) {
        const contact_spring spring = floor_spring(c.floor_stiffness, t.pitch);
        normal = real_select(touches, contact_normal_of(press, spring, terms.damped), zero);
    }
    const real pushed = real_sqrt(push.x * push.x + push.y * push.y);
    const int any_fresh = real_any(fresh);
    real pressed = normal;
    if (any_fresh) pressed = real_select(fresh, real_max(normal, zero - push.z), normal);
    const real bears = c.static_friction * pressed;
    real_mask stops = stuck & (real_mask)(pushed <= bears);
    floor_contact contact;
    contact.slips = stuck & (real_mask)(pushed > bears);
    contact.velocity.x = zero;
    contact.velocity.y = zero;
    if (real_any(touches & (real_mask)(stops == 0))) { /* not all stand still */
        const real speed = real_sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
        const real slow = c.dynamic_friction * normal * t.kick * terms.mobility;
        const real ahead = before.x * velocity.x + before.y * velocity.y;
        const real mean_x = half * (before.x + velocity.x);
        const real mean_y = half * (before.y + velocity.y);
        const real mean = real_sqrt(mean_x * mean_x + mean_y * mean_y);
        const real_mask slides = mean > half * slow;
        const real share = slow / real_select(slides, mean, real_of(1));
        stops = stops | ((real_mask)(speed <= slow) & (real_mask)(ahead >= zero));
        const real x = real_select(slides, velocity.x - share * mean_x, zero - before.x);
        const real y = real_select(slides, velocity.y - share * mean_y, zero - before.y);
        contact.velocity.x = real_select(stops, zero, x);
        contact.velocity.y = real_select(stops, zero, y);
    }
    contact.velocity.z = velocity.z + t.kick * normal * terms.mobility;
    contact.stuck = stops & (real_mask)(normal > zero);
    contact.fresh = fresh;
    if (any_fresh) {
        const real amiss = normal + push.z;
        const real falls = t.half_after * contact.velocity.z;
        contact.fresh = contact.stuck & fresh &
                        ((real_mask)(real_of(1e4) * amiss * amiss > normal * normal) |
                         (real_mask)(real_of(1e6) * falls * falls > depth * depth));
    }
    contact.force = (rvec){terms.momentum * (contact.velocity.x - velocity.x),
                           terms.momentum * (contact.velocity.y - velocity.y), normal};
    contact.velocity.x = real_select(touches, contact.velocity.x, velocity.x);
    contact.velocity.y = real_select(touches, contact.velocity.y, velocity.y);
    contact.force.x = real_select(touches, contact.force.x, zero);
    contact.force.y = real_select(touches, contact.force.y, zero);
    return contact;
}

static inline floor_contact voxel_on_floor(rvec before, rvec velocity, rvec push, real depth, real_mask stuck,
                                           real_mask fresh, voxel_constants c, floor_step t)
{
    return voxel_on_floor_with(before, velocity, push, depth, stuck, fresh, c, t,
                               floor_terms_of(c, t.kick, t.half_after, t.gives));
}

/* How near the floor a voxel must be, in pitches, to touch it within the next half step, however fast: none
 * moves more than half a pitch in a step. */
#define FLOOR_NEAR 0.3

#ifdef VXE_REAL_IS_FLOAT

/* As below. What a turn adds is computed by itself, and rounded once, with the sum: a slow turn is no more
 * than some hundred last digits of a float, and what three roundings lost of it in the same way in each step
 * was up to a part in 200, of which links and their damping made energy. */
static inline rquat voxel_turn(rquat q, rvec w, real dt)
{
    const real half = real_of(0.5);
    const real a = real_of(0.25) * dt * dt * rvec_dot(w, w); /* half the angle, squared */
    const real a2 = a * a;
    const real less = a2 * (real_of(0.04166647344160386) + a * real_of(-0.0013827035380361724)) - half * a;
    const real sinc = (real_of(1) - real_of(1.0 / 6) * a) +
                      a2 * (real_of(0.008333311853039047) + a * real_of(-0.00019772513358926906));
    const real strayed = half * (real_of(1) - ((q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z)));
    const real scale = real_of(1) + strayed;
    const real c = less * scale + strayed; /* the cosine, less 1 */
    const rvec r = rvec_scale(sinc * scale * (half * dt), w);
    const rvec v = {q.x, q.y, q.z};
    const rvec across = rvec_cross(r, v);
    return (rquat){q.w + (c * q.w - rvec_dot(r, v)), q.x + ((c * q.x + q.w * r.x) + across.x),
                   q.y + ((c * q.y + q.w * r.y) + across.y), q.z + ((c * q.z + q.w * r.z) + across.z)};
}

#else

/* q turned by the rotation vector dt w (world axes): the exponential by polynomials, exact to the last digit
 * for turns up to 1 rad, which is more than a step may turn. They are the best ones for up to 1 rad instead
 * of the beginning of a series, and computed in pairs, because a long chain of operations takes long. |q| is
 * 1 to round-off before and after: what it has strayed by is taken back without a root. */
static inline rquat voxel_turn(rquat q, rvec w, real dt)
{
    const real a = real_of(0.25) * dt * dt * rvec_dot(w, w); /* half the angle, squared */
    const real a2 = a * a;
    const real cosine = (real_of(1) - real_of(0.5) * a) +
                        a2 * ((real_of(0.041666666666666644) + a * real_of(-0.0013888888888845244)) +
                              a2 * ((real_of(2.480158716190952e-05) + a * real_of(-2.7557162747016665e-07)) +
                                    a2 * real_of(2.0805186048440583e-09)));
    const real sinc = (real_of(1) + real_of(-0.16666666666666635) * a) +
                      a2 * ((real_of(0.008333333333272254) + a * real_of(-0.0001984126964579005)) +
                            a2 * (real_of(2.755710022606947e-06) + a * real_of(-2.4951933287704484e-08)));
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

#endif
