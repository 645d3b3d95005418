/* Shadows: on the floor, soft because the light is not a point and because the body hides some of the sky;
 * and of the body on itself. Lengths are in the units of the corners; the floor is at z = `floor`. */
#ifndef PICTURE_SHADOW_H
#define PICTURE_SHADOW_H

#include "picture/body.h"

/* Numbers on a square lattice over a part of a plane. */
typedef struct vxe_shade_map {
    float origin[2]; /* where cell (0, 0) begins */
    float per;       /* cells per length */
    int32_t size[2];
    float *value; /* (size[0] size[1]); NULL: nothing there */
} vxe_shade_map;

typedef struct vxe_shadow {
    vxe_shade_map key; /* part of the lamp that is hidden from the floor, 0 to 1 */
    vxe_shade_map sky; /* part of the sky that is hidden from the floor */
    vxe_shade_map own; /* height, along the light, above which everything is lit */
    float axis[3][3];  /* of `own`: across the light, across it, towards the light */
} vxe_shadow;

/* Finds them for corners (3 each); `light` is the direction towards the lamp, `detail` 1 for
 * a large picture and less for a smaller one. Parts that do not fit into
 * memory are left out: pictures then have less of a shadow, and nothing else happens. */
void vxe_shadow_cast(const vxe_body *body, const float *corner, const double light[3], float floor,
                     bool on_floor, double detail, vxe_shadow *shadow);
void vxe_shadow_clear(vxe_shadow *shadow);

/* A value between the cells; 0 outside. */
float vxe_shade_at(const vxe_shade_map *map, float x, float y);
/* How much of the lamp reaches a point of the body, 0 to 1. */
float vxe_shadow_light(const vxe_shadow *shadow, const float point[3]);

#endif
