/* Shadows; see shadow.h. The lamp is a disc of directions: from each of some points of it the faces that it
 * sees are projected onto the floor, and where none of them falls, that point is seen. So shadows are sharp
 * where the body stands on the floor and soft further away. */
#include "picture/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The library's fmaxf() is a call, because of what is not a number. */
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }

enum { KEY_CELLS = 300, SKY_CELLS = 120, OWN_CELLS = 768, MANY_FACES = 40000 };
#define GOLDEN 2.399963229728653 /* the golden angle: spreads points evenly over a disc */

void vxe_shadow_clear(vxe_shadow *s)
{
    free(s->key.value);
    free(s->sky.value);
    free(s->own.value);
    memset(s, 0, sizeof *s);
}

/* How often faces may cover a map: what lies further down in such a heap casts no shadow of its own. */
#define LAYERS_MAX 500.0

/* Cells that may be looked at for all triangles of a map. */
static double work_of(const vxe_shade_map *m, int32_t faces)
{
    return LAYERS_MAX * (double)m->size[0] * (double)m->size[1] + 64.0 * (double)faces;
}

/* Counting (`stamp` not NULL): adds a share to every cell whose middle lies in a triangle, unless it has the
 * mark. Else raises it to the height of the triangle there, the corners' third number. */
static void fill_triangle(const vxe_shade_map *m, const float *p, const float *q, const float *r,
                          uint8_t *stamp, uint8_t mark, float share, double *work)
{
    const float qx = q[0] - p[0];
    const float qy = q[1] - p[1];
    const float rx = r[0] - p[0];
    const float ry = r[1] - p[1];
    const float area = qx * ry - qy * rx;
    if (area == 0.0F || !isfinite(area)) return;
    const float scale = 1.0F / area;
    const float least[2] = {smaller(smaller(p[0], q[0]), r[0]), smaller(smaller(p[1], q[1]), r[1])};
    const float most[2] = {larger(larger(p[0], q[0]), r[0]), larger(larger(p[1], q[1]), r[1])};
    const int32_t x0 = (int32_t)larger(ceilf(least[0] - 0.5F), 0.0F);
    const int32_t x1 = (int32_t)smaller(floorf(most[0] - 0.5F), (float)(m->size[0] - 1));
    const int32_t y0 = (int32_t)larger(ceilf(least[1] - 0.5F), 0.0F);
    const int32_t y1 = (int32_t)smaller(floorf(most[1] - 0.5F), (float)(m->size[1] - 1));
    if (!(x0 <= x1 && y0 <= y1)) return;
    *work -= (x1 - x0 + 1.0) * (y1 - y0 + 1.0);
    if (!(*work > 0.0)) return;
    for (int32_t y = y0; y <= y1; y++) {
        const float dy = (float)y + 0.5F - p[1];
        for (int32_t x = x0; x <= x1; x++) {
            const float dx = (float)x + 0.5F - p[0];
            const float u = scale * (dx * ry - dy * rx);
            const float v = scale * (dy * qx - dx * qy);
            if (u < 0.0F || v < 0.0F || u + v > 1.0F) continue;
            const size_t i = (size_t)y * (size_t)m->size[0] + (size_t)x;
            if (stamp == NULL) {
                m->value[i] = larger(m->value[i], p[2] + u * (q[2] - p[2]) + v * (r[2] - p[2]));
            } else if (stamp[i] != mark) {
                stamp[i] = mark;
                m->value[i] += share;
            }
        }
    }
}

/* Lays a lattice of at most `cells` along its longer side over a box, with a margin; false: no memory. */
static bool lay_map(vxe_shade_map *m, const float low[2], const float high[2], int32_t cells, float margin)
{
    const float longest = fmaxf(high[0] - low[0], high[1] - low[1]) + 2.0F * margin;
    if (!(longest > 0.0F) || !isfinite(longest)) return false;
    m->per = (float)cells / longest;
    for (int a = 0; a < 2; a++) {
        m->origin[a] = low[a] - margin;
        m->size[a] = (int32_t)ceilf((high[a] - low[a] + 2.0F * margin) * m->per) + 2;
    }
    m->value = calloc((size_t)m->size[0] * (size_t)m->size[1], sizeof *m->value);
    return m->value != NULL;
}

/* Two passes of a small blur, which takes away the steps between the points of the lamp. */
static void smooth(vxe_shade_map *m)
{
    const int32_t w = m->size[0];
    const int32_t h = m->size[1];
    float *copy = malloc((size_t)w * (size_t)h * sizeof *copy);
    if (copy == NULL) return;
    for (int pass = 0; pass < 4; pass++) {
        const size_t stride = pass % 2 == 0 ? 1 : (size_t)w;
        memcpy(copy, m->value, (size_t)w * (size_t)h * sizeof *copy);
        for (int32_t y = 1; y < h - 1; y++)
            for (int32_t x = 1; x < w - 1; x++) {
                const size_t i = (size_t)y * (size_t)w + (size_t)x;
                m->value[i] = 0.25F * copy[i - stride] + 0.5F * copy[i] + 0.25F * copy[i + stride];
            }
    }
    free(copy);
}

/* Fills the faces that look one way (side 1: towards the light, -1: away from it) on a map where corner i is
 * at placed[stride i]. */
static void fill_faces(vxe_shade_map *m, const vxe_body *body, const float *placed, size_t stride, float side,
                       uint8_t *stamp, uint8_t mark, float share)
{
    double work = work_of(m, body->face_count);
    for (int32_t f = 0; f < body->face_count; f++) {
        const uint32_t *face = body->face + 4 * (size_t)f;
        for (size_t half = 0; half < 2; half++) {
            const float *p = placed + stride * (size_t)face[0];
            const float *q = placed + stride * (size_t)face[1 + half];
            const float *r = placed + stride * (size_t)face[2 + half];
            if (side * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) <= 0.0F) continue;
            fill_triangle(m, p, q, r, stamp, mark, share, &work);
        }
    }
}

/* The part of a cone of directions, `spread` wide (tangent of the half angle) about `light`, that the body
 * hides. */
static void cast_on_floor(const vxe_body *body, const float *corner, const double light[3], double spread,
                          float floor, int points, int32_t cells, float reach, vxe_shade_map *m)
{
    const size_t n = (size_t)body->corner_count;
    const double across[2][3] = {
        {-light[1], light[0], 0.0},
        {-light[0] * light[2], -light[1] * light[2], light[0] * light[0] + light[1] * light[1]}};
    double length[2];
    for (int k = 0; k < 2; k++) {
        length[k] =
            sqrt(across[k][0] * across[k][0] + across[k][1] * across[k][1] + across[k][2] * across[k][2]);
        if (!(length[k] > 0.0)) length[k] = 1.0;
    }
    float low[2] = {INFINITY, INFINITY};
    float high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        /* As far as the middle of the light throws it, and as high as it is to both sides. */
        const float z = fmaxf(corner[3 * i + 2] - floor, 0.0F);
        for (int a = 0; a < 2; a++) {
            const float at = corner[3 * i + (size_t)a] - z * (float)(light[a] / light[2]);
            low[a] = fminf(low[a], at - reach * z);
            high[a] = fmaxf(high[a], at + reach * z);
        }
    }
    float *placed = malloc((2 * n + 1) * sizeof *placed);
    if (placed == NULL || !lay_map(m, low, high, cells, 1.0F)) {
        free(placed);
        return;
    }
    uint8_t *stamp = calloc((size_t)m->size[0] * (size_t)m->size[1], 1);
    for (int k = 0; k < points && stamp != NULL; k++) {
        const double radius = spread * sqrt((k + 0.5) / points);
        double d[3];
        for (int a = 0; a < 3; a++)
            d[a] = light[a] + radius * (cos(GOLDEN * k) * across[0][a] / length[0] +
                                        sin(GOLDEN * k) * across[1][a] / length[1]);
        if (!(d[2] > 0.05)) continue;
        const float slope[2] = {(float)(d[0] / d[2]), (float)(d[1] / d[2])};
        for (size_t i = 0; i < n; i++) {
            const float z = fmaxf(corner[3 * i + 2] - floor, 0.0F);
            for (size_t a = 0; a < 2; a++)
                placed[2 * i + a] = (corner[3 * i + a] - z * slope[a] - m->origin[a]) * m->per;
        }
        /* Faces that look away from the light lie in the shadow of those that do not. */
        fill_faces(m, body, placed, 2, 1.0F, stamp, (uint8_t)(k + 1), 1.0F / (float)points);
    }
    free(stamp);
    free(placed);
    smooth(m);
}

/* How high, along the light, the faces that look away from it reach: what lies below is in the shadow. (Faces
 * that look towards it would shadow themselves by round-off.) */
static void cast_on_itself(const vxe_body *body, const float *corner, const double light[3], int32_t cells,
                           vxe_shadow *s)
{
    const size_t n = (size_t)body->corner_count;
    const double flat = sqrt(light[0] * light[0] + light[1] * light[1]);
    const double a0[3] = {flat > 0.0 ? -light[1] / flat : 1.0, flat > 0.0 ? light[0] / flat : 0.0, 0.0};
    const double a1[3] = {light[1] * a0[2] - light[2] * a0[1], light[2] * a0[0] - light[0] * a0[2],
                          light[0] * a0[1] - light[1] * a0[0]};
    for (int k = 0; k < 3; k++) {
        s->axis[0][k] = (float)a0[k];
        s->axis[1][k] = (float)a1[k];
        s->axis[2][k] = (float)light[k];
    }
    float *placed = malloc((3 * n + 1) * sizeof *placed);
    if (placed == NULL) return;
    float low[2] = {INFINITY, INFINITY};
    float high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        const float *c = corner + 3 * i;
        for (size_t k = 0; k < 3; k++) {
            placed[3 * i + k] = s->axis[k][0] * c[0] + s->axis[k][1] * c[1] + s->axis[k][2] * c[2];
            if (k == 2) continue;
            low[k] = fminf(low[k], placed[3 * i + k]);
            high[k] = fmaxf(high[k], placed[3 * i + k]);
        }
    }
    vxe_shade_map *m = &s->own;
    if (!lay_map(m, low, high, cells, 0.5F)) {
        free(placed);
        return;
    }
    for (size_t i = 0; i < (size_t)m->size[0] * (size_t)m->size[1]; i++) m->value[i] = -INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++) placed[3 * i + k] = (placed[3 * i + k] - m->origin[k]) * m->per;
    fill_faces(m, body, placed, 3, -1.0F, NULL, 0, 0.0F);
    free(placed);
}

void vxe_shadow_cast(const vxe_body *body, const float *corner, const double light[3], float floor,
                     bool on_floor, double detail, vxe_shadow *s)
{
    static const double zenith[3] = {0.0, 0.0, 1.0};
    const int points = body->face_count > MANY_FACES || detail < 0.5 ? 10 : 20;
    const double part = fmin(fmax(detail, 0.25), 1.0);
    memset(s, 0, sizeof *s);
    cast_on_itself(body, corner, light, (int32_t)(part * OWN_CELLS), s);
    if (!on_floor) return;
    cast_on_floor(body, corner, light, 0.16, floor, points, (int32_t)(part * KEY_CELLS), 0.35F, &s->key);
    cast_on_floor(body, corner, zenith, 1.2, floor, points, (int32_t)(part * SKY_CELLS), 1.3F, &s->sky);
}
