/* The renderer: see render.h. The image is drawn in bands of rows. For some points of every pixel of a band
 * the nearest triangle is kept; then each pixel is lit once for every triangle that is seen in it. */
#include "picture/render.h"
#include "base/base.h"
#include "picture/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LAYERS_MAX: how often faces may cover the picture: files of anybody can be heaps of faces that take hours.
 */
enum { BAND = 32, SAMPLES_MAX = 16, LAYERS_MAX = 1000 };

/* A face as it is lit. */
typedef struct lit_face {
    float color[3];   /* of the voxel, 0 to 255 */
    float ambient;    /* light from around, where nothing is in its way */
    float key;        /* light of the lamp, where it is seen */
    float rim;        /* light added at grazing angles, 0 to 255 */
    float around[4];  /* part of the light from around that reaches the corners */
    float line[4][3]; /* distance from the sides, pixels: a x + b y + c */
    float line_part;  /* how strong the dark lines are */
} lit_face;

/* A triangle on the image. */
typedef struct flat_triangle {
    float edge[3][3]; /* >= 0 inside, by the corner on the other side: a x + b y + c */
    float depth[3];   /* 1/depth: a x + b y + c */
    float weight[3];  /* 1/depth of the corners */
    uint32_t face;
    uint8_t corner[3]; /* of the face */
    int32_t low[2];    /* pixels it may touch */
    int32_t high[2];
} flat_triangle;

typedef struct scene {
    const vxe_body *body;
    const float *corner;
    const vxe_look *look;
    vxe_canvas *canvas;
    vxe_shadow shadow;
    lit_face *faces;
    flat_triangle *triangles;
    size_t triangle_count;
    double covered; /* pixels that triangles may cover, counted for each */
    int samples;
    float sample[SAMPLES_MAX][2]; /* where in a pixel */
    float *depth;                 /* (BAND width samples) */
    uint32_t *seen;               /* number of the triangle + 1; 0: none */
    float back[3];                /* colours, 0 to 255: behind everything */
    float ground[3];              /* the floor */
    float ruled[3];               /* its lines */
    float water[3];               /* the surface of water */
    float *work;        /* (6 width): the floor of a row, its colours (red, green, blue), its pixels */
    int32_t touched[2]; /* columns that triangles of the band may touch */
    vec3 eye;
} scene;

/* The library's fmaxf() is a call, because of what is not a number; there is no such thing here. */
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float clampf(float x, float low, float high) { return smaller(larger(x, low), high); }

static float smoothstepf(float low, float high, float x)
{
    const float t = clampf((x - low) / (high - low), 0.0F, 1.0F);
    return t * t * (3.0F - 2.0F * t);
}

static void set_color(float color[3], uint32_t code)
{
    const vxe_rgb c = vxe_rgb_of(code);
    color[0] = c.r;
    color[1] = c.g;
    color[2] = c.b;
}

/* Evenly spread points: a rotated square of four, or sixteen in four such rows. */
static void place_samples(scene *s)
{
    s->samples = s->look->samples >= 16 ? 16 : s->look->samples >= 4 ? 4 : 1;
    if (s->samples == 1) s->sample[0][0] = s->sample[0][1] = 0.5F;
    const int side = s->samples == 16 ? 4 : 2;
    for (int i = 0; i < s->samples && s->samples > 1; i++) {
        const int x = i % side;
        const int y = i / side;
        const float n = (float)s->samples;
        s->sample[i][0] = ((float)(x * side + (side == 2 ? y : (y * 2 + y / 2) % 4)) + 0.5F) / n;
        s->sample[i][1] = ((float)(y * side + (side == 2 ? 1 - x : (x * 2 + x / 2) % 4)) + 0.5F) / n;
    }
}

/* ---- faces and triangles ------------------------------------------------------------------------------------------ */

static vec3 corner_of(const scene *s, uint32_t c)
{
    return vec3_make((double)s->corner[3 * (size_t)c], (double)s->corner[3 * (size_t)c + 1],
                     (double)s->corner[3 * (size_t)c + 2]);
}

/* The line through two points, as the distance to its left. */
static void make_line(const double a[3], const double b[3], float line[3])
{
    const double dx = b[0] - a[0];
    const double dy = b[1] - a[1];
    const double length = fmax(hypot(dx, dy), 1e-9);
    line[0] = (float)(dy / length);
    line[1] = (float)(-dx / length);
    line[2] = (float)((dx * a[1] - dy * a[0]) / length);
}

static void light_face(scene *s, uint32_t f, const vec3 light, double seen[4][3], lit_face *lit)
{
    static const vec3 fill = {-0.7317, 0.6098, 0.3049};
    const vxe_body *body = s->body;
    const uint32_t *face = body->face + 4 * (size_t)f;
    vec3 at[4];
    vec3 middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        at[k] = corner_of(s, face[k]);
        middle = vec3_add(middle, vec3_scale(0.25, at[k]));
    }
    vec3 normal = vec3_cross(vec3_sub(at[2], at[0]), vec3_sub(at[3], at[1]));
    normal = vec3_scale(1.0 / fmax(vec3_length(normal), 1e-30), normal);
    vec3 to_eye = vec3_sub(s->eye, middle);
    to_eye = vec3_scale(1.0 / fmax(vec3_length(to_eye), 1e-30), to_eye);
    const double edge = 1.0 - fabs(vec3_dot(normal, to_eye));
    const vxe_rgb c = s->look->color[body->face_voxel[f]];
    *lit = (lit_face){
        .color = {c.r, c.g, c.b},
        .ambient = (float)(0.49 + 0.12 * fmax(vec3_dot(normal, fill), 0.0) + 0.14 * (0.5 + 0.5 * normal.z)),
        .key = (float)(0.43 * fmax(vec3_dot(normal, light), 0.0)),
        .rim = (float)(255.0 * 0.05 * edge * edge * edge),
    };
    for (int k = 0; k < 4; k++) {
        lit->around[k] = (float)body->hollow[4 * (size_t)f + (size_t)k] / 255.0F;
        if (!s->look->floor) continue;
        /* Near the floor less light comes from below, and from the side. */
        const double height = fmax(at[k].z - s->look->floor_height, 0.0);
        lit->around[k] *= (float)(1.0 - (normal.z > 0.5 ? 0.0 : 0.30) * exp(-0.55 * height));
    }
    /* Lines fade where a face is only a few pixels wide, or the body would turn black. */
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        make_line(seen[k], seen[(k + 1) % 4], lit->line[k]);
        least = fmin(least, hypot(seen[(k + 1) % 4][0] - seen[k][0], seen[(k + 1) % 4][1] - seen[k][1]));
    }
    lit->line_part =
        (float)(s->look->edges ? 0.42 * fmin(fmax(0.14 * least / s->look->line - 0.35, 0.0), 1.0) : 0.0);
}

/* Makes a triangle of three corners of a face; false: it is not seen. */
static bool make_triangle(const scene *s, uint32_t f, const uint8_t corner[3], double seen[4][3],
                          flat_triangle *t)
{
    const double *p[3] = {seen[corner[0]], seen[corner[1]], seen[corner[2]]};
    double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (!(area < -1e-9)) return false; /* y goes down: what looks at us is clockwise */
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    t->face = f;
    t->depth[0] = t->depth[1] = t->depth[2] = 0.0F;
    double depth[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        const double *a = p[(k + 1) % 3];
        const double *b = p[(k + 2) % 3];
        const double edge[3] = {(a[1] - b[1]) / area, (b[0] - a[0]) / area,
                                (a[0] * b[1] - b[0] * a[1]) / area};
        for (int i = 0; i < 3; i++) {
            t->edge[k][i] = (float)edge[i];
            depth[i] += p[k][2] * edge[i];
        }
        t->weight[k] = (float)p[k][2];
        t->corner[k] = corner[k];
        for (int a2 = 0; a2 < 2; a2++) {
            low[a2] = fmin(low[a2], p[k][a2]);
            high[a2] = fmax(high[a2], p[k][a2]);
        }
    }
    for (int i = 0; i < 3; i++) t->depth[i] = (float)depth[i];
    const int32_t size[2] = {s->canvas->width, s->canvas->height};
    for (int a = 0; a < 2; a++) {
        if (!(high[a] >= 0.0) || !(low[a] < size[a])) return false;
        t->low[a] = (int32_t)fmax(floor(low[a]), 0.0);
        t->high[a] = (int32_t)fmin(floor(high[a]), size[a] - 1);
    }
    return true;
}

static void project_faces(scene *s, vec3 light)
{
    const vxe_body *body = s->body;
    for (int32_t f = 0; f < body->face_count; f++) {
        const uint32_t *face = body->face + 4 * (size_t)f;
        double seen[4][3];
        bool before = true; /* in front of the camera */
        for (int k = 0; k < 4; k++) {
            vxe_camera_see(&s->look->camera, corner_of(s, face[k]), seen[k]);
            before = before && seen[k][2] > 0.0 && isfinite(seen[k][0]) && isfinite(seen[k][1]);
        }
        if (!before) continue;
        /* Split where light changes less along the cut. */
        const uint8_t *around = body->hollow + 4 * (size_t)f;
        const bool turned = around[0] + around[2] < around[1] + around[3];
        const uint8_t split[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{1, 2, 3}, {1, 3, 0}}};
        bool shown = false;
        for (int half = 0; half < 2; half++) {
            if (make_triangle(s, (uint32_t)f, split[turned][half], seen, &s->triangles[s->triangle_count])) {
                const flat_triangle *t = &s->triangles[s->triangle_count++];
                s->covered += (t->high[0] - t->low[0] + 1.0) * (t->high[1] - t->low[1] + 1.0);
                shown = true;
            }
        }
        if (shown) light_face(s, (uint32_t)f, light, seen, &s->faces[f]);
    }
}

/* ---- what is seen ------------------------------------------------------------------------------------------------- */

/* Keeps a triangle where it is the nearest, in rows y0 to y1 of the band that begins at `top`. `n` samples: a
 * number that the compiler knows. */
static inline void fill_triangle(const scene *s, uint32_t number, int32_t top, int32_t y0, int32_t y1, int n)
{
    const flat_triangle *t = &s->triangles[number];
    const size_t width = (size_t)s->canvas->width;
    float offset[3][SAMPLES_MAX];
    float deeper[SAMPLES_MAX];
    float most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < n; k++) {
        deeper[k] = t->depth[0] * s->sample[k][0] + t->depth[1] * s->sample[k][1];
        for (int e = 0; e < 3; e++) {
            offset[e][k] = t->edge[e][0] * s->sample[k][0] + t->edge[e][1] * s->sample[k][1];
            most[e] = larger(most[e], offset[e][k]);
        }
    }
    for (int32_t y = y0; y <= y1; y++) {
        /* The columns in which all edges have something of a pixel on their inner side. */
        float first = (float)t->low[0];
        float last = (float)t->high[0];
        float at[3];
        for (int e = 0; e < 3; e++) {
            at[e] = t->edge[e][1] * (float)y + t->edge[e][2];
            const float zero = -(at[e] + most[e]) / t->edge[e][0];
            if (t->edge[e][0] > 0.0F) first = larger(first, zero - 1.0F);
            if (t->edge[e][0] < 0.0F) last = smaller(last, zero + 1.0F);
        }
        if (!(first <= last)) continue;
        const float base = t->depth[1] * (float)y + t->depth[2];
        for (int32_t x = (int32_t)first; x <= (int32_t)last; x++) {
            const float fx = (float)x;
            const float inside[3] = {at[0] + t->edge[0][0] * fx, at[1] + t->edge[1][0] * fx,
                                     at[2] + t->edge[2][0] * fx};
            const size_t cell = ((size_t)(y - top) * width + (size_t)x) * (size_t)n;
            float *depth = s->depth + cell;
            uint32_t *seen = s->seen + cell;
            const float here = base + t->depth[0] * fx;
            for (int k = 0; k < n; k++) {
                const float least = smaller(smaller(inside[0] + offset[0][k], inside[1] + offset[1][k]),
                                            inside[2] + offset[2][k]);
                const float near = here + deeper[k];
                const bool nearest = (least >= 0.0F) & (near > depth[k]);
                depth[k] = nearest ? near : depth[k];
                seen[k] = nearest ? number + 1 : seen[k];
            }
        }
    }
}

static void fill_band(scene *s, int32_t top, int32_t rows)
{
    const int32_t width = s->canvas->width;
    const size_t cells = (size_t)width * (size_t)rows * (size_t)s->samples;
    s->touched[0] = width;
    s->touched[1] = -1;
    for (size_t i = 0; i < s->triangle_count; i++) {
        const flat_triangle *t = &s->triangles[i];
        const int32_t y0 = t->low[1] > top ? t->low[1] : top;
        const int32_t y1 = t->high[1] < top + rows - 1 ? t->high[1] : top + rows - 1;
        if (y0 > y1) continue;
        if (s->touched[1] < 0) {
            memset(s->seen, 0, cells * sizeof *s->seen);
            memset(s->depth, 0, cells * sizeof *s->depth);
        }
        if (t->low[0] < s->touched[0]) s->touched[0] = t->low[0];
        if (t->high[0] > s->touched[1]) s->touched[1] = t->high[0];
        if (s->samples == 1) fill_triangle(s, (uint32_t)i, top, y0, y1, 1);
        if (s->samples == 4) fill_triangle(s, (uint32_t)i, top, y0, y1, 4);
        if (s->samples == 16) fill_triangle(s, (uint32_t)i, top, y0, y1, 16);
    }
}

/* ---- light -------------------------------------------------------------------------------------------------------- */

/* The colour of a triangle at a point of the image. */
static void light_point(const scene *s, const flat_triangle *t, float x, float y, float color[3])
{
    const lit_face *lit = &s->faces[t->face];
    const uint32_t *face = s->body->face + 4 * (size_t)t->face;
    float share[3];
    float sum = 0.0F;
    for (int k = 0; k < 3; k++) {
        share[k] = larger(t->edge[k][0] * x + t->edge[k][1] * y + t->edge[k][2], 0.0F) * t->weight[k];
        sum += share[k];
    }
    const float scale = sum > 0.0F ? 1.0F / sum : 0.0F;
    float around = 0.0F;
    float point[3] = {0.0F, 0.0F, 0.0F};
    for (int k = 0; k < 3; k++) {
        const float part = share[k] * scale;
        const float *c = s->corner + 3 * (size_t)face[t->corner[k]];
        around += part * lit->around[t->corner[k]];
        for (int a = 0; a < 3; a++) point[a] += part * c[a];
    }
    const float lamp = lit->key > 0.0F ? vxe_shadow_light(&s->shadow, point) : 0.0F;
    float light = lit->ambient * around + lit->key * lamp * (0.4F + 0.6F * around);
    float nearest = INFINITY;
    for (int k = 0; k < 4; k++)
        nearest = smaller(nearest, lit->line[k][0] * x + lit->line[k][1] * y + lit->line[k][2]);
    const float line = lit->line_part * (1.0F - smoothstepf(0.25F, 1.05F, nearest / (float)s->look->line));
    const float tint[3] = {0.25F, 0.25F, 0.28F};
    for (int a = 0; a < 3; a++)
        color[a] = (lit->color[a] * light + lit->rim) * (1.0F - line * (1.0F - tint[a]));
}

/* A level surface in one row of pixels: the floor, or that of water. */
typedef struct level_row {
    bool seen;
    float near;      /* 1/depth, the same in the whole row */
    float start[2];  /* place on it at x = 0, from the target */
    float along[2];  /* what a pixel to the right adds */
    float across[2]; /* what a pixel down adds: at x = 0 */
    float turn[2];   /* and how that grows with x */
} level_row;

/* A ray through a pixel of the row goes along forward + x right + y up; the camera is level, so a row meets
 * the surface along a straight line with even steps. `z`: where it is. */
static level_row find_level(const scene *s, double z, int32_t y)
{
    const vxe_camera *c = &s->look->camera;
    level_row row = {false, 0.0F, {0}, {0}, {0}, {0}};
    const double v = -(y + 0.5 - c->middle[1]) / c->focal;
    const double u = (0.5 - c->middle[0]) / c->focal;
    const double drop = c->forward.z + v * c->up.z;
    const double height = s->eye.z - z;
    if (!(fabs(drop) > 1e-4) || !(height * drop < 0.0)) return row;
    const double t = -height / drop;
    const double step = t / c->focal;
    const double forward[2] = {c->forward.x + v * c->up.x, c->forward.y + v * c->up.y};
    const double right[2] = {c->right.x, c->right.y};
    const double up[2] = {c->up.x, c->up.y};
    const double eye[2] = {s->eye.x, s->eye.y};
    row.seen = true;
    row.near = (float)(1.0 / t);
    for (int a = 0; a < 2; a++) {
        row.start[a] = (float)(eye[a] + t * (forward[a] + u * right[a]));
        row.along[a] = (float)(step * right[a]);
        row.across[a] = (float)(-step * (up[a] - (forward[a] + u * right[a]) * c->up.z / drop));
        row.turn[a] = (float)(step * right[a] / c->focal * c->up.z / drop);
    }
    return row;
}

/* How strong lines `step` apart are at a place, where a pixel is `wide` and so is a line, times `line`.
 * Without branches, so that compilers do many at a time. */
static inline float ruled_at(float place, float step, float per, float wide, float line)
{
    const float at = place * per;
    const float nearest = (at + 12582912.0F) - 12582912.0F; /* the nearest whole number, up to 2^22 */
    const float away = fabsf(at - nearest) * step;
    const float part = clampf(0.5F * (line + 1.0F) - away / wide, 0.0F, 1.0F);
    return part * clampf(1.6F - 4.0F * wide * per, 0.0F,
                         1.0F); /* fades where lines are too close to be told apart */
}

/* The columns of a row in which a shadow may lie. */
static void find_shadow(const vxe_shade_map *m, const level_row *row, int32_t width, int32_t range[2])
{
    double low = 0.0;
    double high = m->value == NULL ? -1.0 : width - 1;
    for (int a = 0; a < 2; a++) {
        const double begin = (double)(m->origin[a] - row->start[a]);
        const double end = begin + (double)((float)m->size[a] / (m->per > 0.0F ? m->per : 1.0F));
        const double step = (double)row->along[a];
        if (fabs(step) < 1e-12) {
            if (begin > 0.0 || end < 0.0) high = -1.0;
            continue;
        }
        low = fmax(low, fmin(begin / step, end / step));
        high = fmin(high, fmax(begin / step, end / step));
    }
    const bool any = low <= high && low < width && high >= 0.0;
    range[0] = any ? (int32_t)low : 0;
    range[1] = any ? (int32_t)high : -1;
}

/* How much of the floor is seen in the pixels of a row, and how much of its lines. */
static void rule_floor(const vxe_look *look, const level_row *row, int32_t width, float *restrict fade,
                       float *restrict ruled)
{
    const float step = (float)look->floor_step;
    const float line = (float)look->line;
    const float from[2] = {(float)look->floor_from[0], (float)look->floor_from[1]};
    const float scale = 1.0F / (float)(2.6 * look->view_height);
    const level_row r = *row;
    for (int32_t x = 0; x < width; x++) {
        const float n = (float)x;
        const float px = r.start[0] + r.along[0] * n;
        const float py = r.start[1] + r.along[1] * n;
        const float wx = fabsf(r.along[0]) + fabsf(r.across[0] + r.turn[0] * n) + 1e-9F;
        const float wy = fabsf(r.along[1]) + fabsf(r.across[1] + r.turn[1] * n) + 1e-9F;
        const float away = clampf((sqrtf(px * px + py * py) * scale - 0.2F) * 1.25F, 0.0F, 1.0F);
        const float near = 1.0F - away * away * (3.0F - 2.0F * away);
        const float fine = larger(ruled_at(px - from[0], step, 1.0F / step, wx, line),
                                  ruled_at(py - from[1], step, 1.0F / step, wy, line));
        const float strong = larger(ruled_at(px - from[0], 5.0F * step, 0.2F / step, wx, line),
                                    ruled_at(py - from[1], 5.0F * step, 0.2F / step, wy, line));
        fade[x] = 0.45F * near;
        ruled[x] = near * larger(0.26F * fine, 0.55F * strong);
    }
}

/* The colours of a row of the floor: red, then green, then blue of all pixels. */
static void color_floor(const scene *s, const level_row *row, float *color)
{
    const vxe_look *look = s->look;
    const int32_t width = s->canvas->width;
    float *fade = s->work;
    float *ruled = s->work + width;
    rule_floor(look, row, width, fade, ruled);
    for (int a = 0; a < 3; a++) {
        float *restrict to = color + (size_t)a * (size_t)width;
        const float back = s->back[a];
        const float more = s->ground[a] - s->back[a];
        const float lines = s->ruled[a];
        for (int32_t x = 0; x < width; x++) {
            const float ground = back + fade[x] * more;
            to[x] = ground + ruled[x] * (lines - ground);
        }
    }
    const vxe_shade_map *maps[2] = {&s->shadow.key, &s->shadow.sky};
    const float depth[2] = {look->dark ? 0.30F : 0.23F, look->dark ? 0.35F : 0.27F};
    for (int k = 0; k < 2; k++) {
        int32_t range[2];
        find_shadow(maps[k], row, width, range);
        for (int32_t x = range[0]; x <= range[1]; x++) {
            const float hidden = depth[k] * vxe_shade_at(maps[k], row->start[0] + row->along[0] * (float)x,
                                                         row->start[1] + row->along[1] * (float)x);
            if (hidden == 0.0F) continue;
            color[x] *= 1.0F - hidden;
            color[width + x] *= 1.0F - hidden;
            color[2 * width + x] *= 1.0F - 0.92F * hidden; /* shadows are a little blue */
        }
    }
}

/* The colour of a pixel in which the body is seen. */
static void color_pixel(const scene *s, const uint32_t *seen, int32_t x, int32_t y, const float behind[3],
                        float sum[3])
{
    const int n = s->samples;
    sum[0] = sum[1] = sum[2] = 0.0F;
    for (int k = 0; k < n;) {
        int same = k + 1;
        float place[2] = {s->sample[k][0], s->sample[k][1]};
        for (; same < n && seen[same] == seen[k]; same++) {
            place[0] += s->sample[same][0];
            place[1] += s->sample[same][1];
        }
        const float count = (float)(same - k);
        float color[3] = {behind[0], behind[1], behind[2]};
        if (seen[k] != 0)
            light_point(s, &s->triangles[seen[k] - 1], (float)x + place[0] / count,
                        (float)y + place[1] / count, color);
        for (int a = 0; a < 3; a++) sum[a] += count / (float)n * color[a];
        k = same;
    }
}

/* Water tints what is seen through it. From above that is what is behind its surface, as far as that reaches.
 * From below it is everything; what is beyond the surface less, so that one sees where the surface is. */
static void tint_row(const scene *s, const level_row *water, bool below, const level_row *floor, int32_t y,
                     int32_t top, float *color)
{
    const int32_t width = s->canvas->width;
    const int n = s->samples;
    const float scale = 1.0F / (float)(2.6 * s->look->view_height);
    const float strength = s->look->dark ? 0.26F : 0.22F;
    for (int32_t x = 0; x < width; x++) {
        const float px = water->start[0] + water->along[0] * (float)x;
        const float py = water->start[1] + water->along[1] * (float)x;
        const float away = smoothstepf(0.2F, 1.0F, sqrtf(px * px + py * py) * scale);
        const size_t cell = ((size_t)(y - top) * (size_t)width + (size_t)x) * (size_t)n;
        const bool drawn = x >= s->touched[0] && x <= s->touched[1];
        int behind = 0;
        for (int k = 0; k < n && water->seen; k++) {
            const bool body = drawn && s->seen[cell + (size_t)k] != 0;
            const float near = body ? s->depth[cell + (size_t)k] : floor->seen ? floor->near : 0.0F;
            behind += water->near > near;
        }
        const float surface = (1.0F - away) * (float)behind / (float)n;
        const float part = strength * (below ? 1.0F - 0.6F * surface : surface);
        for (int a = 0; a < 3; a++) {
            float *c = &color[a * width + x];
            *c += part * (s->water[a] - *c);
        }
    }
}

/* A row of pixels from its colours; `bytes` (3 width) is work space. */
static void write_row(const float *restrict color, int32_t width, uint8_t *restrict bytes,
                      uint8_t *restrict to)
{
    for (int32_t i = 0; i < 3 * width; i++)
        bytes[i] = (uint8_t)(int32_t)clampf(color[i] + 0.5F, 0.0F, 255.0F);
    for (int32_t x = 0; x < width; x++)
        for (int a = 0; a < 3; a++) to[3 * x + a] = bytes[a * width + x];
}

static void light_band(const scene *s, int32_t top, int32_t rows)
{
    const int32_t width = s->canvas->width;
    const size_t n = (size_t)s->samples;
    /* An eye just at the surface is above it: the surface would be a line that no row meets. */
    const double least = s->eye.z - 1e-6 * s->look->camera.distance;
    const bool below = s->look->water_height > s->eye.z + 1e-6 * s->look->camera.distance;
    const double level = below ? s->look->water_height : fmin(s->look->water_height, least);
    for (int32_t y = top; y < top + rows; y++) {
        level_row row = find_level(s, s->look->floor_height, y);
        row.seen = row.seen && s->look->floor && s->eye.z > s->look->floor_height;
        float *color = s->work + 2 * (size_t)width;
        if (row.seen) {
            color_floor(s, &row, color);
        } else {
            for (int a = 0; a < 3; a++)
                for (int32_t x = 0; x < width; x++) color[a * width + x] = s->back[a];
        }
        for (int32_t x = s->touched[0]; x <= s->touched[1]; x++) {
            const uint32_t *seen = s->seen + ((size_t)(y - top) * (size_t)width + (size_t)x) * n;
            uint32_t any = 0;
            for (size_t k = 0; k < n; k++) any |= seen[k];
            if (any == 0) continue;
            const float behind[3] = {color[x], color[width + x], color[2 * width + x]};
            float sum[3];
            color_pixel(s, seen, x, y, behind, sum);
            for (int a = 0; a < 3; a++) color[a * width + x] = sum[a];
        }
        const level_row water = find_level(s, level, y);
        if (s->look->water && (below || water.seen)) tint_row(s, &water, below, &row, y, top, color);
        write_row(color, width, (uint8_t *)(s->work + 5 * (size_t)width),
                  s->canvas->pixels + 3 * (size_t)y * (size_t)width);
    }
}

vxe_camera vxe_camera_make(int32_t width, int32_t height, double azimuth, double elevation)
{
    const double c = cos(elevation);
    vxe_camera camera = {
        .right = {-sin(azimuth), cos(azimuth), 0.0},
        .forward = {-c * cos(azimuth), -c * sin(azimuth), -sin(elevation)},
        .distance = 1.0,
        .focal = 0.5 * height / 0.28674538575880792, /* tan(16 degrees) */
        .middle = {0.5 * width, 0.5 * height},
    };
    camera.up = vec3_cross(camera.right, camera.forward);
    return camera;
}

vxe_result vxe_render(const vxe_body *body, const float *corner, const vxe_look *look, vxe_canvas *canvas,
                      vxe_error *error)
{
    scene s = {.body = body, .corner = corner, .look = look, .canvas = canvas};
    const vxe_camera *c = &look->camera;
    s.eye = vec3_sub(c->target, vec3_scale(c->distance, c->forward));
    place_samples(&s);
    set_color(s.back, look->dark ? 0x12171e : 0xf5f7fa);
    set_color(s.ground, look->dark ? 0x2a3441 : 0xdfe5ec);
    set_color(s.ruled, look->dark ? 0x5b6878 : 0x93a0b1);
    set_color(s.water, look->dark ? 0x4f9fe8 : 0x3b8ad8);
    /* The lamp stands to the left of the camera and above it, so that shadows fall to the right. */
    vec3 light = vec3_add(
        vec3_add(vec3_scale(-0.62, c->right), vec3_scale(-0.42, vec3_make(c->forward.x, c->forward.y, 0.0))),
        vec3_make(0.0, 0.0, 0.85));
    light = vec3_scale(1.0 / vec3_length(light), light);
    const size_t cells = (size_t)canvas->width * BAND * (size_t)s.samples;
    s.faces = malloc(((size_t)body->face_count + 1) * sizeof *s.faces);
    s.triangles = malloc((2 * (size_t)body->face_count + 1) * sizeof *s.triangles);
    s.depth = malloc(cells * sizeof *s.depth);
    s.seen = malloc(cells * sizeof *s.seen);
    s.work = malloc(6 * (size_t)canvas->width * sizeof *s.work);
    const bool good =
        s.faces != NULL && s.triangles != NULL && s.depth != NULL && s.seen != NULL && s.work != NULL;
    bool piled = false;
    if (good) {
        const double towards[3] = {light.x, light.y, light.z};
        project_faces(&s, light);
        piled = s.covered >
                LAYERS_MAX * (double)canvas->width * (double)canvas->height + 64.0 * (double)s.triangle_count;
        if (!piled)
            vxe_shadow_cast(body, corner, towards, (float)look->floor_height, look->floor,
                            canvas->width / 1000.0, &s.shadow);
        for (int32_t top = 0; top < canvas->height && !piled; top += BAND) {
            const int32_t rows = canvas->height - top < BAND ? canvas->height - top : BAND;
            fill_band(&s, top, rows);
            light_band(&s, top, rows);
        }
    }
    vxe_shadow_clear(&s.shadow);
    free(s.faces);
    free(s.triangles);
    free(s.depth);
    free(s.seen);
    free(s.work);
    if (piled)
        return vxe_fail(error, VXE_ERROR_LIMIT, "the faces cover the picture more than %d times", LAYERS_MAX);
    return good ? VXE_OK : vxe_fail_memory(error, "a picture", 400 * (size_t)body->face_count + 8 * cells);
}
