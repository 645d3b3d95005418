/* Geometry of shapes, in units of the pitch. Comparisons leave a margin of 1e-9 pitch, so that decimal
 * fractions mean what they say: a box from 0.002 m to 0.005 m at pitch 0.001 m is three voxels, whatever
 * binary rounding makes of the quotients. */
#include "scene/scene.h"

#include <math.h>

#define MARGIN 1e-9                                /* pitch */
#define HALF_DIAGONAL 0.86602540378443864676372317 /* of a cube, pitch */

const settings_type vxe_shape_type = {"vxe_shape", sizeof(vxe_shape), SETTINGS_END(vxe_shape, cells), NULL};

vxe_placed_shape vxe_place_shape(const vxe_shape *shape, double pitch, const int32_t size[3])
{
    double along[3]; /* units of positions and of lengths along one axis */
    double across;   /* unit of radii and thickness */
    switch (shape->units) {
    case VXE_UNITS_FRACTION:
        for (int a = 0; a < 3; a++) along[a] = size[a];
        across = fmin(along[0], fmin(along[1], along[2]));
        break;
    case VXE_UNITS_VOXELS: along[0] = along[1] = along[2] = across = 1.0; break;
    case VXE_UNITS_METRES:
    default: along[0] = along[1] = along[2] = across = 1.0 / pitch; break;
    }
    vxe_placed_shape placed = {.thickness = shape->thickness * across, .touch = shape->touch};
    if (shape->kind == VXE_SHAPE_CELLS) {
        placed.cell_count = shape->cell_count;
        placed.cells = shape->cells;
        return placed;
    }
    for (int a = 0; a < 3; a++) {
        placed.round[a] = shape->kind == VXE_SHAPE_SPHERE || shape->kind == VXE_SHAPE_ELLIPSOID ||
                          (shape->kind == VXE_SHAPE_CYLINDER && a != (int)shape->axis);
        if (shape->kind == VXE_SHAPE_BOX) {
            placed.lower[a] = shape->corner[a] * along[a];
            placed.upper[a] = placed.lower[a] + shape->sides[a] * along[a];
        } else {
            const double radius = shape->kind == VXE_SHAPE_ELLIPSOID ? shape->radius[a] : shape->radius[0];
            placed.center[a] = shape->center[a] * along[a];
            placed.half[a] = placed.round[a] ? radius * across : 0.5 * shape->length * along[a];
            placed.lower[a] = placed.center[a] - placed.half[a];
            placed.upper[a] = placed.center[a] + placed.half[a];
        }
        const double extent = placed.round[a] ? placed.half[a] : placed.upper[a] - placed.lower[a];
        placed.thin[a] = !(extent > MARGIN);
        placed.flat = placed.flat || placed.thin[a];
    }
    return placed;
}

/* Whether the shape is hollow: what remains after shrinking it by its thickness has volume. */
static bool has_hollow(const vxe_placed_shape *s)
{
    if (!(s->thickness > 0.0)) return false;
    for (int a = 0; a < 3; a++) {
        if (!(s->upper[a] - s->lower[a] - 2.0 * s->thickness > 2.0 * MARGIN)) return false;
    }
    return true;
}

bool vxe_shape_contains(const vxe_placed_shape *s, const double point[3])
{
    double distance = 0.0; /* square, in units of the half axes */
    for (int a = 0; a < 3; a++) {
        if (s->round[a]) {
            const double d = (point[a] - s->center[a]) / (s->half[a] + MARGIN);
            distance += d * d;
        } else if (point[a] < s->lower[a] - MARGIN || point[a] >= s->upper[a] - MARGIN) {
            return false; /* lower face included, upper not: boxes side by side share no voxel and leave none
                             out */
        }
    }
    if (distance > 1.0) return false;
    if (!has_hollow(s)) return true;
    /* A point on the hollow's own surface belongs to the shell, so that shells are symmetric. */
    distance = 0.0;
    for (int a = 0; a < 3; a++) {
        if (s->round[a]) {
            const double d = (point[a] - s->center[a]) / (s->half[a] - s->thickness - MARGIN);
            distance += d * d;
        } else if (point[a] <= s->lower[a] + s->thickness + MARGIN ||
                   point[a] >= s->upper[a] - s->thickness - MARGIN) {
            return true;
        }
    }
    return distance >= 1.0;
}

/* Whether the cube lies in the hollow. The hollow is convex: its farthest corner decides, and along each axis
 * that is the farther end. */
static bool lies_in_hollow(const vxe_placed_shape *s, const double cube[3])
{
    double distance = 0.0;
    for (int a = 0; a < 3; a++) {
        if (s->round[a]) {
            const double d = fmax(s->center[a] - cube[a], cube[a] + 1.0 - s->center[a]) /
                             (s->half[a] - s->thickness + MARGIN);
            distance += d * d;
        } else if (cube[a] < s->lower[a] + s->thickness - MARGIN ||
                   cube[a] + 1.0 > s->upper[a] - s->thickness + MARGIN) {
            return false;
        }
    }
    return distance <= 1.0;
}

/* A shape without volume need only touch, but only where it is thin: a flat box of 2 x 2 voxels in a face of
 * the lattice acts on the voxels on both sides of that face, not on those around it. */
static double touch_margin(const vxe_placed_shape *s, int axis)
{
    return (s->round[axis] ? s->flat : s->thin[axis]) ? MARGIN : -MARGIN;
}

static bool is_listed(const vxe_placed_shape *s, int32_t i, int32_t j, int32_t k)
{
    int32_t low = 0;
    int32_t high = s->cell_count - 1;
    while (low <= high) {
        const int32_t middle = low + (high - low) / 2;
        const int32_t *cell = &s->cells[3 * (size_t)middle];
        const int order = cell[2] != k   ? (cell[2] < k ? -1 : 1)
                          : cell[1] != j ? (cell[1] < j ? -1 : 1)
                          : cell[0] != i ? (cell[0] < i ? -1 : 1)
                                         : 0;
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return false;
}

/* Stretching the axes by the half axes turns the round part into a unit ball and the cube into a box, whose
 * nearest point to the centre is found axis by axis: the test is exact. An open convex body overlaps the cube
 * with positive volume exactly if it holds a point of it. */
bool vxe_shape_touches(const vxe_placed_shape *s, int32_t i, int32_t j, int32_t k)
{
    if (s->cell_count > 0) return is_listed(s, i, j, k);
    if (s->touch != VXE_TOUCH_OVERLAP) {
        const double centre[3] = {i + 0.5, j + 0.5, k + 0.5};
        if (s->touch == VXE_TOUCH_CENTER) return vxe_shape_contains(s, centre);
        double square = 0.0;
        for (int a = 0; a < 3; a++) square += (centre[a] - s->center[a]) * (centre[a] - s->center[a]);
        const double reach = s->half[0] + HALF_DIAGONAL + MARGIN;
        return square <= reach * reach;
    }
    const double cube[3] = {i, j, k};
    double distance = 0.0;
    for (int a = 0; a < 3; a++) {
        const double margin = touch_margin(s, a);
        if (s->round[a]) {
            const double d =
                fmax(0.0, fmax(cube[a] - s->center[a], s->center[a] - cube[a] - 1.0)) / (s->half[a] + margin);
            distance += d * d;
        } else if (fmin(s->upper[a], cube[a] + 1.0) - fmax(s->lower[a], cube[a]) < -margin) {
            return false;
        }
    }
    if (s->flat) return distance <= 1.0;
    if (distance >= 1.0) return false;
    /* The shell surrounds the hollow on all sides, so a cube that reaches into the shape and is not inside
     * the hollow meets the shell. */
    return !has_hollow(s) || !lies_in_hollow(s, cube);
}

bool vxe_shape_cells(const vxe_placed_shape *s, const int32_t size[3], int32_t first[3], int32_t last[3])
{
    if (s->cell_count > 0) {
        for (int a = 0; a < 3; a++) {
            first[a] = size[a];
            last[a] = -1;
        }
        for (int32_t n = 0; n < s->cell_count; n++) {
            for (int a = 0; a < 3; a++) {
                const int32_t at = s->cells[3 * (size_t)n + (size_t)a];
                if (at >= 0 && at < size[a] && at < first[a]) first[a] = at;
                if (at >= 0 && at < size[a] && at > last[a]) last[a] = at;
            }
        }
        return first[0] <= last[0] && first[1] <= last[1] && first[2] <= last[2];
    }
    if (s->touch == VXE_TOUCH_REACH) { /* a ball */
        for (int a = 0; a < 3; a++) {
            const double low = floor(s->lower[a] - 2.0);
            const double high = ceil(s->upper[a] + 2.0);
            if (!(low <= size[a] - 1) || !(high >= 0.0)) return false;
            first[a] = (int32_t)fmax(low, 0.0);
            last[a] = (int32_t)fmin(high, size[a] - 1);
        }
        return true;
    }
    for (int a = 0; a < 3; a++) {
        const bool closed = touch_margin(s, a) > 0.0;
        const double low = closed ? ceil(s->lower[a] - 1.0 - MARGIN) : floor(s->lower[a] + MARGIN);
        const double high = closed ? floor(s->upper[a] + MARGIN) : ceil(s->upper[a] - MARGIN) - 1.0;
        if (!(low <= size[a] - 1) || !(high >= 0.0) || !(low <= high)) return false;
        first[a] = (int32_t)fmax(low, 0.0);
        last[a] = (int32_t)fmin(high, size[a] - 1);
    }
    return true;
}
