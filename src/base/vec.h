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

#endif
