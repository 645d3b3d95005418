/* The drag of water on ONE face, and how much of a cube is below its surface. */
#ifndef KERNEL_WATER_H
#define KERNEL_WATER_H

#include "base/vec.h"

/* Of 1: how much of a cube of this side whose middle is at `height` is below the level. It counts as standing
 * upright. */
static inline double water_wet(double level, double height, double side)
{
    const double part = 0.5 + (level - height) / side;
    return part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
}

/* Coefficients of a face, kg/m: density/2 times area times coefficient of drag. */
typedef struct water_face {
    double normal, tangential;
} water_face;

/* What a face feels that moves at u (m/s) against the water; `n` points out of the body. */
typedef struct water_drag {
    vec3 force;         /* N */
    double rate, twist; /* kg/s: force per velocity, outwards and along the face */
} water_drag;

static inline water_drag water_drag_of(vec3 n, vec3 u, water_face face)
{
    const double out = vec3_dot(u, n);
    const vec3 along = vec3_sub(u, vec3_scale(out, n));
    water_drag d;
    d.rate = out > 0.0 ? face.normal * out : 0.0;
    d.twist = face.tangential * sqrt(vec3_dot(along, along));
    d.force = vec3_scale(-1.0, vec3_add(vec3_scale(d.rate * out, n), vec3_scale(d.twist, along)));
    return d;
}

/* What all faces of a voxel may take within a step of `dt`: so much of it that they stop its motion and do
 * not turn it round. A force along a face also turns the voxel, which makes it give way 5/2 times as much (I
 * = m l^2/6, arm l/2). Rates in kg/s. */
static inline double water_share(double rate, double twist, double dt, double mass)
{
    const double part = (rate + 2.5 * twist) * dt / mass;
    return 1.0 / sqrt(1.0 + part * part); /* next to nothing is taken off in common steps */
}

#endif
