/* The drag of a fluid, and of water, on the faces of ONE voxel, and how much of it is below the surface. */
#ifndef KERNEL_WATER_H
#define KERNEL_WATER_H

#include "kernel/real.h"

/* N: what a fluid of this drag (kg/m) pushes a face back with that moves outwards at `speed` (m/s). Divided
 * by what keeps it from turning the motion round within a step of `dt`, so that any drag is stable. */
static inline real fluid_drag(real drag, real speed, real dt, real mass)
{
    return drag * speed * speed / (real_of(1) + drag * speed * dt / mass);
}

/* Of 1: how much of a cube of this side whose middle is at `height` is below the level. It counts as standing
 * upright. */
static inline real water_wet(real level, real height, real side)
{
    const real part = real_of(0.5) + (level - height) / side;
    return real_min(real_max(part, real_of(0)), real_of(1));
}

/* Coefficients of a face, kg/m: density/2 times area times coefficient of drag. */
typedef struct water_face {
    real normal, tangential;
} water_face;

/* What faces feel, together: N, N m; kg/s: force per velocity, outwards and along a face. */
typedef struct water_drag {
    rvec force, torque;
    real rate, twist;
} water_drag;

static inline water_drag water_none(void)
{
    const rvec zero = {real_of(0), real_of(0), real_of(0)};
    return (water_drag){zero, zero, zero.x, zero.x};
}

/* A face that moves at u (m/s) against the water, `arm` m from the middle; `n` points out of the body. */
static inline water_drag water_drag_of(rvec n, rvec arm, rvec u, water_face face)
{
    const real zero = real_of(0);
    const real out = rvec_dot(u, n);
    const rvec along = rvec_sub(u, rvec_scale(out, n));
    water_drag d;
    d.rate = real_select((real_mask)(out > zero), face.normal * out, zero);
    d.twist = face.tangential * real_sqrt(rvec_dot(along, along));
    d.force = rvec_scale(real_of(-1), rvec_add(rvec_scale(d.rate * out, n), rvec_scale(d.twist, along)));
    d.torque = rvec_cross(arm, d.force);
    return d;
}

static inline water_drag water_sum(water_drag a, water_drag b)
{
    return (water_drag){rvec_add(a.force, b.force), rvec_add(a.torque, b.torque), a.rate + b.rate,
                        a.twist + b.twist};
}

/* What all faces of a voxel may take within a step of `dt`: so much of it that they stop its motion and do
 * not turn it round. A force along a face also turns the voxel, which makes it give way 5/2 times as much (I
 * = m l^2/6, arm l/2). */
static inline real water_share(water_drag d, real dt, real mass)
{
    const real part = (d.rate + real_of(2.5) * d.twist) * dt / mass;
    return real_of(1) /
           real_sqrt(real_of(1) + part * part); /* next to nothing is taken off in common steps */
}

#endif
