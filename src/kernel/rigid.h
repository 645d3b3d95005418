/* The free motion of ONE rigid body about its centre of mass, over a step, with its angular momentum. */
#ifndef KERNEL_RIGID_H
#define KERNEL_RIGID_H

#include "base/vec.h"

typedef struct mat3 {
    double m[3][3];
} mat3;

static inline vec3 mat3_times(const mat3 *a, vec3 v)
{
    return (vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                  a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                  a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

/* Of a symmetric matrix. */
static inline mat3 mat3_inverse(const mat3 *a)
{
    const double(*m)[3] = a->m;
    const double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1];
    const double c01 = m[0][2] * m[2][1] - m[0][1] * m[2][2];
    const double c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1];
    const double c11 = m[0][0] * m[2][2] - m[0][2] * m[2][0];
    const double c12 = m[0][2] * m[1][0] - m[0][0] * m[1][2];
    const double c22 = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    const double per = 1.0 / (m[0][0] * c00 + m[1][0] * c01 + m[2][0] * c02);
    return (mat3){{{per * c00, per * c01, per * c02},
                   {per * c01, per * c11, per * c12},
                   {per * c02, per * c12, per * c22}}};
}

/* The orientation after a step in which no moment acts. The spin is that of the mean of the momenta (in the
 * body's frame) before and after: the midpoint rule, whose turn by Cayley's map keeps the angular momentum in
 * space and the energy exactly, at any step. `inverse`: of the inertia, 1/(kg m^2); `momentum`: N m s, in
 * space. */
static inline quat rigid_turn(quat turn, vec3 momentum, const mat3 *inverse, double dt)
{
    const vec3 before = quat_rotate(quat_conjugate(turn), momentum);
    vec3 spin = mat3_times(inverse, before);
    quat step = {1.0, 0.0, 0.0, 0.0};
    for (int round = 0; round < 100; round++) {
        step = quat_unit((quat){1.0, 0.5 * dt * spin.x, 0.5 * dt * spin.y, 0.5 * dt * spin.z});
        const vec3 after = quat_rotate(quat_conjugate(step), before);
        const vec3 next = mat3_times(inverse, vec3_scale(0.5, vec3_add(before, after)));
        const vec3 change = vec3_sub(next, spin);
        spin = next;
        if (!(vec3_dot(change, change) > 1e-32 * vec3_dot(spin, spin))) break;
    }
    return quat_unit(quat_product(turn, step));
}

#endif
