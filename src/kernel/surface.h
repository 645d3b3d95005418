/* Where ONE solid is nearest to a point; patch.h has the ground. Double whatever `real` is, as all that is
 * measured from positions. Distances are negative inside; normals point out of the solid. */
#ifndef KERNEL_SURFACE_H
#define KERNEL_SURFACE_H

#include "base/vec.h"

typedef struct surface_point {
    vec3 normal;     /* of length 1 */
    double distance; /* m */
} surface_point;

/* ---- solids --------------------------------------------------------------------------------------------------------- */

/* All in the solid's own frame, from its middle. */

static inline double surface_sign(double x) { return x < 0.0 ? -1.0 : 1.0; }

static inline surface_point surface_of_ball(vec3 at, double radius)
{
    const double length = sqrt(vec3_dot(at, at));
    const vec3 up = {0.0, 0.0, 1.0};
    return (surface_point){length > 0.0 ? vec3_scale(1.0 / length, at) : up, length - radius};
}

static inline surface_point surface_of_capsule(vec3 at, double radius, double length)
{
    const double half = 0.5 * length;
    const double along = at.z < -half ? -half : at.z > half ? half : at.z;
    return surface_of_ball((vec3){at.x, at.y, at.z - along}, radius);
}

static inline surface_point surface_of_box(vec3 at, vec3 half)
{
    const vec3 out = {fabs(at.x) - half.x, fabs(at.y) - half.y, fabs(at.z) - half.z};
    const vec3 side = {surface_sign(at.x), surface_sign(at.y), surface_sign(at.z)};
    if (out.x <= 0.0 && out.y <= 0.0 && out.z <= 0.0) { /* inside: the nearest face */
        if (out.z >= out.x && out.z >= out.y) return (surface_point){{0.0, 0.0, side.z}, out.z};
        if (out.y >= out.x) return (surface_point){{0.0, side.y, 0.0}, out.y};
        return (surface_point){{side.x, 0.0, 0.0}, out.x};
    }
    const vec3 way = {out.x > 0.0 ? side.x * out.x : 0.0, out.y > 0.0 ? side.y * out.y : 0.0,
                      out.z > 0.0 ? side.z * out.z : 0.0};
    const double length = sqrt(vec3_dot(way, way));
    return (surface_point){vec3_scale(1.0 / length, way), length};
}

static inline surface_point surface_of_cylinder(vec3 at, double radius, double length)
{
    const double from_axis = sqrt(at.x * at.x + at.y * at.y);
    const vec3 outwards =
        from_axis > 0.0 ? (vec3){at.x / from_axis, at.y / from_axis, 0.0} : (vec3){1.0, 0.0, 0.0};
    const surface_point flat =
        surface_of_box((vec3){from_axis, 0.0, at.z}, (vec3){radius, INFINITY, 0.5 * length});
    return (surface_point){vec3_add(vec3_scale(flat.normal.x, outwards), (vec3){0.0, 0.0, flat.normal.z}),
                           flat.distance};
}

#endif
