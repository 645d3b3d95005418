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
static inline float vxe_shade_at(const vxe_shade_map *m, float x, float y)
{
    const float u = (x - m->origin[0]) * m->per - 0.5F;
    const float v = (y - m->origin[1]) * m->per - 0.5F;
    if (m->value == NULL || !(u >= 0.0F) || !(v >= 0.0F)) return 0.0F;
    const int32_t i = (int32_t)u;
    const int32_t j = (int32_t)v;
    if (i >= m->size[0] - 1 || j >= m->size[1] - 1) return 0.0F;
    const float *at = m->value + (size_t)j * (size_t)m->size[0] + (size_t)i;
    const float *above = at + m->size[0];
    const float f = u - (float)i;
    const float g = v - (float)j;
    return (1.0F - g) * ((1.0F - f) * at[0] + f * at[1]) + g * ((1.0F - f) * above[0] + f * above[1]);
}

/* How much of the lamp reaches a point of the body, 0 to 1. */
static inline float vxe_shadow_light(const vxe_shadow *s, const float p[3])
{
    const vxe_shade_map *m = &s->own;
    if (m->value == NULL) return 1.0F;
    float place[3];
    for (int a = 0; a < 3; a++) place[a] = s->axis[a][0] * p[0] + s->axis[a][1] * p[1] + s->axis[a][2] * p[2];
    const float u = (place[0] - m->origin[0]) * m->per - 1.0F;
    const float v = (place[1] - m->origin[1]) * m->per - 1.0F;
    if (!(u >= 0.0F) || !(v >= 0.0F)) return 1.0F;
    const int32_t i = (int32_t)u;
    const int32_t j = (int32_t)v;
    if (i >= m->size[0] - 2 || j >= m->size[1] - 2) return 1.0F;
    const float f = u - (float)i;
    const float g = v - (float)j;
    const float weight[3] = {1.0F - g, 1.0F, g};
    const float *row = m->value + (size_t)j * (size_t)m->size[0] + (size_t)i;
    float lit = 0.0F;
    for (int b = 0; b < 3; b++, row += m->size[0]) {
        const float first = row[0] <= place[2] ? 1.0F - f : 0.0F;
        const float middle = row[1] <= place[2] ? 1.0F : 0.0F;
        const float last = row[2] <= place[2] ? f : 0.0F;
        lit += weight[b] * (first + middle + last);
    }
    return 0.25F * lit;
}

#endif
