/* Ground and solids as faces: see scenery.h. */
#include "picture/scenery.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define GROUND_CELLS 160      /* drawn along a side of the ground */
#define ROUND 32              /* faces around a ball or a cylinder */
#define CUBE_FACES_MAX 400000 /* of a solid of cells */

/* Faces that grow; once memory has run out nothing is added. */
typedef struct builder {
    vxe_scenery *s;
    size_t corner_room, face_room, color_room;
    vxe_rgb color;
    bool failed;
} builder;

static uint32_t add_corner(builder *b, vec3 at)
{
    vxe_scenery *s = b->s;
    double *grown = vxe_grow(s->corner, (size_t)s->corner_count + 1, &b->corner_room, 3 * sizeof *grown);
    b->failed = b->failed || grown == NULL;
    if (b->failed) return 0;
    s->corner = grown;
    double *to = s->corner + 3 * (size_t)s->corner_count;
    to[0] = at.x;
    to[1] = at.y;
    to[2] = at.z;
    return (uint32_t)s->corner_count++;
}

static void add_face(builder *b, uint32_t a, uint32_t c, uint32_t d, uint32_t e)
{
    vxe_scenery *s = b->s;
    const size_t wanted = (size_t)s->face_count + 1;
    uint32_t *faces = vxe_grow(s->face, wanted, &b->face_room, 4 * sizeof *faces);
    if (faces != NULL) s->face = faces;
    vxe_rgb *colors = vxe_grow(s->color, wanted, &b->color_room, sizeof *colors);
    if (colors != NULL) s->color = colors;
    b->failed = b->failed || faces == NULL || colors == NULL;
    if (b->failed) return;
    const uint32_t corners[4] = {a, c, d, e};
    memcpy(s->face + 4 * (size_t)s->face_count, corners, sizeof corners);
    s->color[s->face_count++] = b->color;
}

static void add_ground(builder *b, const vxe_scene *scene, const vxe_ground_def *g)
{
    int32_t size[3];
    double low[2];
    int32_t count[2];
    double step[2];
    vxe_scene_size(scene, size);
    const double pitch = vxe_scene_pitch(scene);
    const double around = 1.5 * pitch * (size[0] > size[1] ? size[0] : size[1]);
    b->color = (vxe_rgb){g->color[0], g->color[1], g->color[2]};
    for (int a = 0; a < 2; a++) {
        double high = pitch * size[a] + around;
        low[a] = -around;
        if (g->points[a] <= GROUND_CELLS) { /* all of it */
            low[a] = fmin(low[a], g->origin[a]);
            high = fmax(high, g->origin[a] + g->spacing * (g->points[a] - 1));
        }
        const double span = high - low[a];
        double cells = ceil(span / g->spacing);
        if (cells > GROUND_CELLS) cells = GROUND_CELLS;
        if (cells < 1.0) cells = 1.0;
        count[a] = (int32_t)cells;
        step[a] = span / cells;
        if (span / g->spacing <= GROUND_CELLS) { /* its own points, so that edges are where they are */
            low[a] = g->origin[a] + g->spacing * floor((low[a] - g->origin[a]) / g->spacing);
            step[a] = g->spacing;
            count[a]++;
        }
    }
    const uint32_t first = (uint32_t)b->s->corner_count;
    for (int32_t j = 0; j <= count[1]; j++) {
        for (int32_t i = 0; i <= count[0]; i++) {
            const double x = low[0] + i * step[0];
            const double y = low[1] + j * step[1];
            (void)add_corner(b, (vec3){x, y, vxe_ground_height(g, x, y)});
        }
    }
    const uint32_t row = (uint32_t)count[0] + 1;
    for (uint32_t j = 0; j < (uint32_t)count[1]; j++) {
        for (uint32_t i = 0; i < (uint32_t)count[0]; i++) {
            const uint32_t at = first + j * row + i;
            add_face(b, at, at + 1, at + row + 1, at + row);
        }
    }
}

/* Where a point of a solid's own frame is. */
typedef struct placed_solid {
    const vxe_solid_def *def;
    quat turn;
} placed_solid;

static uint32_t put_corner(builder *b, const placed_solid *p, double x, double y, double z)
{
    return add_corner(b, vec3_add(vec3_from(p->def->center), quat_rotate(p->turn, (vec3){x, y, z})));
}

static void add_cube(builder *b, const placed_solid *p, const double low[3], const double high[3],
                     unsigned sides)
{
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t corner[8];
    for (int k = 0; k < 8; k++) {
        corner[k] = put_corner(b, p, (k & 1) != 0 ? high[0] : low[0], (k & 2) != 0 ? high[1] : low[1],
                               (k & 4) != 0 ? high[2] : low[2]);
    }
    for (int f = 0; f < 6; f++) {
        if ((sides >> f & 1) == 0) continue;
        add_face(b, corner[faces[f][0]], corner[faces[f][1]], corner[faces[f][2]], corner[faces[f][3]]);
    }
}

static bool is_filled(const vxe_solid_def *d, int32_t i, int32_t j, int32_t k)
{
    if (i < 0 || j < 0 || k < 0 || i >= d->cells[0] || j >= d->cells[1] || k >= d->cells[2]) return false;
    return d->filled[((size_t)k * (size_t)d->cells[1] + (size_t)j) * (size_t)d->cells[0] + (size_t)i] != 0;
}

static void add_cells(builder *b, const placed_solid *p)
{
    static const int8_t next[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    const vxe_solid_def *d = p->def;
    const int32_t most = b->s->face_count + CUBE_FACES_MAX;
    for (int32_t k = 0; k < d->cells[2] && b->s->face_count < most; k++) {
        for (int32_t j = 0; j < d->cells[1]; j++) {
            for (int32_t i = 0; i < d->cells[0]; i++) {
                const int32_t cell[3] = {i, j, k};
                unsigned sides = 0;
                double low[3];
                double high[3];
                if (!is_filled(d, i, j, k)) continue;
                for (int f = 0; f < 6; f++) {
                    if (!is_filled(d, i + next[f][0], j + next[f][1], k + next[f][2])) sides |= 1U << f;
                }
                for (int a = 0; a < 3; a++) {
                    low[a] = d->pitch * (cell[a] - 0.5 * d->cells[a]);
                    high[a] = low[a] + d->pitch;
                }
                if (sides != 0) add_cube(b, p, low, high, sides);
            }
        }
    }
}

/* A shape turned about z: rings of radii and heights from below to above; the ends are points. */
static void add_turned(builder *b, const placed_solid *p, const double (*ring)[2], int rings)
{
    uint32_t first = 0;
    for (int r = 0; r < rings; r++) {
        for (int i = 0; i < ROUND; i++) {
            const double angle = 2.0 * 3.14159265358979323846 * i / ROUND;
            const uint32_t c = put_corner(b, p, ring[r][0] * cos(angle), ring[r][0] * sin(angle), ring[r][1]);
            if (r == 0 && i == 0) first = c;
        }
    }
    for (uint32_t r = 0; r + 1 < (uint32_t)rings; r++) {
        for (uint32_t i = 0; i < ROUND; i++) {
            const uint32_t a = first + r * ROUND + i;
            const uint32_t c = first + r * ROUND + (i + 1) % ROUND;
            add_face(b, a, c, c + ROUND, a + ROUND);
        }
    }
}

static void add_solid(builder *b, const vxe_solid_def *d)
{
    const placed_solid p = {d, quat_from_rotation(vec3_from(d->rotation))};
    double ring[ROUND + 2][2];
    int rings = 0;
    b->color = (vxe_rgb){d->color[0], d->color[1], d->color[2]};
    if (d->kind == VXE_SOLID_BOX) {
        const double high[3] = {0.5 * d->sides[0], 0.5 * d->sides[1], 0.5 * d->sides[2]};
        const double low[3] = {-high[0], -high[1], -high[2]};
        add_cube(b, &p, low, high, 63);
    } else if (d->kind == VXE_SOLID_CELLS) {
        add_cells(b, &p);
    } else if (d->kind == VXE_SOLID_CYLINDER) {
        const double ends[4][2] = {{0.0, -0.5 * d->length},
                                   {d->radius, -0.5 * d->length},
                                   {d->radius, 0.5 * d->length},
                                   {0.0, 0.5 * d->length}};
        add_turned(b, &p, ends, 4);
    } else {
        const double half = d->kind == VXE_SOLID_CAPSULE ? 0.5 * d->length : 0.0;
        const int halves = ROUND / 2;
        for (int i = 0; i <= halves; i++) { /* the middle twice: the sides of a capsule */
            const double angle = 3.14159265358979323846 * ((double)i / halves - 0.5);
            const bool middle = 2 * i == halves;
            for (int twice = 0; twice < (middle && half > 0.0 ? 2 : 1); twice++) {
                const double shift = 2 * i < halves || (middle && twice == 0) ? -half : half;
                ring[rings][0] = d->radius * cos(angle);
                ring[rings++][1] = d->radius * sin(angle) + shift;
            }
        }
        add_turned(b, &p, (const double(*)[2])ring, rings);
    }
}

vxe_result vxe_scenery_create(const vxe_scene *scene, vxe_scenery **scenery, vxe_error *error)
{
    const vxe_ground_def *ground = vxe_scene_ground(scene);
    *scenery = NULL;
    if (ground == NULL && vxe_scene_solid_count(scene) == 0) return VXE_OK;
    builder b = {.s = calloc(1, sizeof *b.s)};
    if (b.s == NULL) return vxe_fail_memory(error, "ground and solids", sizeof *b.s);
    if (ground != NULL) add_ground(&b, scene, ground);
    for (int32_t n = 0; n < vxe_scene_solid_count(scene); n++) add_solid(&b, vxe_scene_solid(scene, n));
    if (b.failed) {
        vxe_scenery_destroy(b.s);
        return vxe_fail_memory(error, "ground and solids", 1000000);
    }
    *scenery = b.s;
    return VXE_OK;
}

void vxe_scenery_destroy(vxe_scenery *s)
{
    if (s == NULL) return;
    free(s->corner);
    free(s->face);
    free(s->color);
    free(s);
}

vxe_result vxe_scenery_join(const vxe_scenery *s, const vxe_drawn *own, const double target[3], double unit,
                            vxe_drawn *joined, vxe_error *error)
{
    const vxe_body *body = &own->body;
    const size_t corners = (size_t)body->corner_count;
    const size_t faces = (size_t)body->face_count;
    const size_t voxels = (size_t)body->voxel_count;
    const size_t more = (size_t)s->face_count;
    vxe_body *all = &joined->body;
    *all = *body;
    all->corner_count += s->corner_count;
    all->face_count += s->face_count;
    all->voxel_count += s->face_count; /* each face has a colour of its own */
    all->face = malloc(4 * (faces + more) * sizeof *all->face);
    all->face_voxel = malloc((faces + more) * sizeof *all->face_voxel);
    all->hollow = malloc(4 * (faces + more));
    joined->corner = malloc(3 * (corners + (size_t)s->corner_count) * sizeof *joined->corner);
    joined->color = malloc((voxels + more + 1) * sizeof *joined->color);
    if (all->face == NULL || all->face_voxel == NULL || all->hollow == NULL || joined->corner == NULL ||
        joined->color == NULL) {
        vxe_scenery_part(joined);
        return vxe_fail_memory(error, "a picture", 30 * more);
    }
    memcpy(all->face, body->face, 4 * faces * sizeof *body->face);
    memcpy(all->face_voxel, body->face_voxel, faces * sizeof *body->face_voxel);
    memcpy(all->hollow, body->hollow, 4 * faces);
    memcpy(joined->corner, own->corner, 3 * corners * sizeof *own->corner);
    memcpy(joined->color, own->color, voxels * sizeof *own->color);
    memset(all->hollow + 4 * faces, 255, 4 * more);
    for (size_t f = 0; f < more; f++) {
        for (size_t k = 0; k < 4; k++)
            all->face[4 * (faces + f) + k] = s->face[4 * f + k] + (uint32_t)corners;
        all->face_voxel[faces + f] = (uint32_t)(voxels + f);
        joined->color[voxels + f] = s->color[f];
    }
    for (size_t i = 0; i < 3 * (size_t)s->corner_count; i++)
        joined->corner[3 * corners + i] = (float)((s->corner[i] - target[i % 3]) / unit);
    return VXE_OK;
}

void vxe_scenery_part(vxe_drawn *joined)
{
    free(joined->body.face);
    free(joined->body.face_voxel);
    free(joined->body.hollow);
    free(joined->corner);
    free(joined->color);
}
