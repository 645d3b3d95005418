/* Vectors and quaternions in double, for everything outside the stepping loops (those use src/kernel). */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <math.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

static inline vec3 vec3_make(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 vec3_from(const double a[3]) { return (vec3){a[0], a[1], a[2]}; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_length(vec3 a) { return sqrt(vec3_dot(a, a)); }

/* Unit quaternion w + xi + yj + zk. */
typedef struct quat {
    double w, x, y, z;
} quat;

/* The rotation by |r| radians about r. */
static inline quat quat_from_rotation(vec3 r)
{
    const double angle = vec3_length(r);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    return (quat){cos(0.5 * angle), s * r.x, s * r.y, s * r.z};
}

static inline vec3 quat_rotate(quat q, vec3 a)
{
    const vec3 u = {q.x, q.y, q.z};
    const vec3 t = vec3_scale(2.0, vec3_cross(u, a));
    return vec3_add(a, vec3_add(vec3_scale(q.w, t), vec3_cross(u, t)));
}

static inline quat quat_product(quat a, quat b)
{
    return (quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Of length 1. */
static inline quat quat_unit(quat q)
{
    const double per = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){per * q.w, per * q.x, per * q.y, per * q.z};
}

/* The turn back. */
static inline quat quat_conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }

#endif
