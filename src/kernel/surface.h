/* Where fixed surfaces are nearest to a point: ONE patch of the ground, ONE solid. Double whatever `real` is,
 * as all that is measured from positions. Distances are negative inside; normals point out of the solid. */
#ifndef KERNEL_SURFACE_H
#define KERNEL_SURFACE_H

#include "base/vec.h"

typedef struct surface_point {
    vec3 normal;     /* of length 1 */
    double distance; /* m */
} surface_point;

/* ---- ground --------------------------------------------------------------------------------------------------------- */

/* A cell of the ground: h = corner + along_x x + along_y y + twist x y for x and y from 0 to side. */
typedef struct surface_patch {
    double corner, along_x, along_y, twist;
    double side;
} surface_patch;

static inline surface_patch surface_patch_of(const double heights[4], double side)
{
    const double per = 1.0 / side;
    return (surface_patch){heights[0], per * (heights[1] - heights[0]), per * (heights[2] - heights[0]),
                           per * per * ((heights[3] - heights[2]) - (heights[1] - heights[0])), side};
}

static inline double surface_patch_height(const surface_patch *p, double x, double y)
{
    return p->corner + p->along_x * x + (p->along_y + p->twist * x) * y;
}

/* The place on a patch that is nearest to a point, both from the patch's corner. */
typedef struct patch_place {
    double x, y, height;
    int on_x, on_y; /* -1, 1: on an edge towards smaller or larger x (y); 0: between them */
} patch_place;

static inline double patch_clamp(double x, double side) { return x < 0.0 ? 0.0 : x > side ? side : x; }

/* Newton's method, along one axis only where the other is at its edge or the two would not converge; along
 * one axis the distance is a parabola. A patch that is plane takes one step. */
static inline patch_place surface_patch_nearest(const surface_patch *p, vec3 at)
{
    double x = patch_clamp(at.x, p->side);
    double y = patch_clamp(at.y, p->side);
    for (int round = 0; round < 12; round++) {
        const double hx = p->along_x + p->twist * y;
        const double hy = p->along_y + p->twist * x;
        const double above = surface_patch_height(p, x, y) - at.z;
        const double gx = x - at.x + above * hx;
        const double gy = y - at.y + above * hy;
        const double xx = 1.0 + hx * hx;
        const double yy = 1.0 + hy * hy;
        const double xy = hx * hy + above * p->twist;
        const int x_held = (x <= 0.0 && gx > 0.0) || (x >= p->side && gx < 0.0);
        const int y_held = (y <= 0.0 && gy > 0.0) || (y >= p->side && gy < 0.0);
        const double both = xx * yy - xy * xy;
        const int newton = !x_held && !y_held && both > 1e-3 * xx * yy;
        const double per = newton ? 1.0 / both : 0.0;
        const double dx = newton ? per * (xy * gy - yy * gx) : x_held ? 0.0 : -gx / xx;
        const double dy = newton ? per * (xy * gx - xx * gy) : y_held ? 0.0 : -gy / yy;
        const double to_x = patch_clamp(x + dx, p->side);
        const double to_y = patch_clamp(y + dy, p->side);
        const double way = (to_x > x ? to_x - x : x - to_x) + (to_y > y ? to_y - y : y - to_y);
        x = to_x;
        y = to_y;
        if (!(way > (newton ? 1e-8 : 1e-14) * p->side)) break; /* the error is the square of Newton's step */
    }
    return (patch_place){x, y, surface_patch_height(p, x, y),
                         x <= 0.0       ? -1
                         : x >= p->side ? 1
                                        : 0,
                         y <= 0.0       ? -1
                         : y >= p->side ? 1
                                        : 0};
}

/* From a place on a patch to the point; `below`: the point is inside the ground. */
static inline surface_point surface_patch_point(const surface_patch *p, const patch_place *place, vec3 at,
                                                int below)
{
    vec3 way = {at.x - place->x, at.y - place->y, at.z - place->height};
    const double length = sqrt(vec3_dot(way, way));
    if (length > 1e-9 * p->side) {
        const double sign = below ? -1.0 : 1.0;
        return (surface_point){vec3_scale(sign / length, way), sign * length};
    }
    way = (vec3){-(p->along_x + p->twist * place->y), -(p->along_y + p->twist * place->x), 1.0};
    return (surface_point){vec3_scale(1.0 / sqrt(vec3_dot(way, way)), way), 0.0};
}

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
