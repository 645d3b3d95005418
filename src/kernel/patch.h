/* Where ONE cell of the ground is nearest to a point. In double, as all that is measured from positions. */
#ifndef KERNEL_PATCH_H
#define KERNEL_PATCH_H

#include "kernel/real.h"

/* A cell of the ground: h = corner + along_x x + along_y y + twist x y for x and y from 0 to side, m. */
typedef struct surface_patch {
    real corner, along_x, along_y, twist;
    real side;
} surface_patch;

/* Of the heights of its corners: those of its lower edge, then of its upper one. */
static inline surface_patch surface_patch_of(const real heights[4], real side)
{
    const real per = real_of(1) / side;
    return (surface_patch){heights[0], per * (heights[1] - heights[0]), per * (heights[2] - heights[0]),
                           per * per * ((heights[3] - heights[2]) - (heights[1] - heights[0])), side};
}

static inline real surface_patch_height(const surface_patch *p, real x, real y)
{
    return p->corner + p->along_x * x + (p->along_y + p->twist * x) * y;
}

/* Beyond the edge of a grid of so many points the ground is the same everywhere along x (y): a point far out
 * can as well be near. In cells. */
static inline real patch_bring_near(real x, double points)
{
    const real low = real_of(-1.5);
    const real high = real_of(points + 0.5);
    return real_select(x < low, low, real_select(x > high, high, x));
}

/* The place on a patch that is nearest to a point, both from the patch's corner. */
typedef struct patch_place {
    real x, y, height;
} patch_place;

static inline real patch_clamp(real x, real side)
{
    const real zero = real_of(0);
    return real_select(x < zero, zero, real_select(x > side, side, x));
}

/* Newton's method, along one axis only where the other is at its edge or the two would not converge; along
 * one axis the distance is a parabola. A patch that is plane takes one step. */
static inline patch_place surface_patch_nearest(const surface_patch *p, rvec at)
{
    const real zero = real_of(0);
    const real one = real_of(1);
    real x = patch_clamp(at.x, p->side);
    real y = patch_clamp(at.y, p->side);
    real_mask goes_on = p->side > zero;
    for (int round = 0; round < 12 && real_any(goes_on); round++) {
        const real hx = p->along_x + p->twist * y;
        const real hy = p->along_y + p->twist * x;
        const real above = surface_patch_height(p, x, y) - at.z;
        const real gx = x - at.x + above * hx;
        const real gy = y - at.y + above * hy;
        if (!real_any((real_mask)(gx != zero) | (real_mask)(gy != zero))) break;
        const real xx = one + hx * hx;
        const real yy = one + hy * hy;
        const real xy = hx * hy + above * p->twist;
        const real_mask x_held = ((real_mask)(x <= zero) & (real_mask)(gx > zero)) |
                                 ((real_mask)(x >= p->side) & (real_mask)(gx < zero));
        const real_mask y_held = ((real_mask)(y <= zero) & (real_mask)(gy > zero)) |
                                 ((real_mask)(y >= p->side) & (real_mask)(gy < zero));
        const real both = xx * yy - xy * xy;
        const real_mask newton =
            (real_mask)(x_held == 0) & (real_mask)(y_held == 0) & (real_mask)(both > real_of(1e-3) * xx * yy);
        const real per = one / both;
        real dx = per * (xy * gy - yy * gx);
        real dy = per * (xy * gx - xx * gy);
        if (real_any((real_mask)(newton == 0))) {
            dx = real_select(newton, dx, real_select(x_held, zero, (zero - gx) / xx));
            dy = real_select(newton, dy, real_select(y_held, zero, (zero - gy) / yy));
        }
        const real to_x = patch_clamp(x + dx, p->side);
        const real to_y = patch_clamp(y + dy, p->side);
        const real way = real_max(to_x - x, x - to_x) + real_max(to_y - y, y - to_y);
        x = real_select(goes_on, to_x, x);
        y = real_select(goes_on, to_y, y);
        /* the error is the square of Newton's step */
        const real little = real_select(newton, real_of(1e-8), real_of(1e-14)) * p->side;
        goes_on = goes_on & (real_mask)(way > little);
    }
    return (patch_place){x, y, surface_patch_height(p, x, y)};
}

/* The point as seen from such a place. */
typedef struct patch_point {
    rvec normal;   /* of length 1 */
    real distance; /* m */
} patch_point;

/* `below`: the point is inside the ground. */
static inline patch_point surface_patch_point(const surface_patch *p, const patch_place *place, rvec at,
                                              real_mask below)
{
    const real zero = real_of(0);
    const real one = real_of(1);
    const rvec way = {at.x - place->x, at.y - place->y, at.z - place->height};
    const real length = real_sqrt(rvec_dot(way, way));
    const real sign = real_select(below, zero - one, one);
    const real_mask apart = length > real_of(1e-9) * p->side;
    patch_point point = {rvec_scale(sign / length, way), sign * length};
    if (real_any((real_mask)(apart == 0))) {
        const rvec up = {zero - (p->along_x + p->twist * place->y), zero - (p->along_y + p->twist * place->x),
                         one};
        const rvec normal = rvec_scale(one / real_sqrt(rvec_dot(up, up)), up);
        point.normal =
            (rvec){real_select(apart, point.normal.x, normal.x), real_select(apart, point.normal.y, normal.y),
                   real_select(apart, point.normal.z, normal.z)};
        point.distance = real_select(apart, point.distance, zero);
    }
    return point;
}

#endif
