/* Ground and solids as faces: see scenery.h. */
#include "picture/scenery.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define GROUND_CELLS 160      /* drawn along a side of the ground near the body */
#define FAR_CELLS 20          /* beyond them on each side, */
#define FAR_STEP 1.3          /* each so many times as wide as the one before: 800 cells in all */
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

/* Where the corners of the ground are drawn along an axis. */
typedef struct ground_lines {
    double at[GROUND_CELLS + 2 + 2 * FAR_CELLS]; /* m */
    int32_t count;
} ground_lines;

/* m: where a part is put, by its displacement; false: it stays where it is. */
static bool displacement_of(const vxe_scene *scene, int32_t part, double by[3])
{
    const vxe_part_def *def = vxe_scene_part(scene, part);
    bool moved = false;
    memset(by, 0, 3 * sizeof *by);
    for (int32_t n = 0; def != NULL && n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *start = vxe_scene_start(scene, n);
        if (strcmp(start->part, def->name) != 0) continue;
        for (int a = 0; a < 3; a++) {
            by[a] += start->displacement[a];
            moved = moved || start->displacement[a] != 0.0;
        }
    }
    return moved;
}

/* m: where the body is at the start, along x and y: the workspace, but for parts that are put elsewhere. */
static void find_body(const vxe_scene *scene, double low[2], double high[2])
{
    int32_t size[3];
    bool any = false;
    double by[3];
    vxe_scene_size(scene, size);
    const double pitch = vxe_scene_pitch(scene);
    for (int a = 0; a < 2; a++) {
        low[a] = 0.0;
        high[a] = pitch * size[a];
    }
    for (int32_t part = 1; part <= vxe_scene_part_count(scene); part++)
        any = displacement_of(scene, part, by) || any;
    if (!any) return;
    int32_t last = -1;
    for (int a = 0; a < 2; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_voxel(scene, i, j, k) == 0) continue;
                const int32_t part = (int32_t)vxe_scene_field(scene, VXE_FIELD_PART, i, j, k);
                if (part != last) (void)displacement_of(scene, part, by);
                last = part;
                const int32_t cell[2] = {i, j};
                for (int a = 0; a < 2; a++) {
                    low[a] = fmin(low[a], pitch * cell[a] + by[a]);
                    high[a] = fmax(high[a], pitch * (cell[a] + 1) + by[a]);
                }
            }
        }
    }
}

/* Around the body as fine as the ground is, or as may be; from there on further and further apart, as far as
 * a body may go in a picture: beyond its edge the ground goes on. */
static void lay_lines(const vxe_ground_def *g, int a, const double body[2][2], ground_lines *lines)
{
    const double around = 1.5 * fmax(body[1][0] - body[0][0], body[1][1] - body[0][1]);
    double low = body[0][a] - around;
    double high = body[1][a] + around;
    if (g->points[a] <= GROUND_CELLS) { /* all of it, and what is around the body if that is not too far */
        const double first = g->origin[a];
        const double last = first + g->spacing * (g->points[a] - 1);
        const bool far = fmax(high, last) - fmin(low, first) > GROUND_CELLS * g->spacing;
        low = far ? first : fmin(low, first);
        high = far ? last : fmax(high, last);
    }
    const double span = high - low;
    double cells = fmin(fmax(ceil(span / g->spacing), 1.0), GROUND_CELLS);
    double step = span / cells;
    if (span / g->spacing <= GROUND_CELLS) { /* its own points, so that edges are where they are */
        low = g->origin[a] + g->spacing * floor((low - g->origin[a]) / g->spacing);
        step = g->spacing;
        cells += 1.0;
    }
    lines->count = (int32_t)cells + 1 + 2 * FAR_CELLS;
    double width = FAR_STEP * step;
    for (int n = 0; n <= (int)cells; n++) lines->at[FAR_CELLS + n] = low + n * step;
    for (int n = 0; n < FAR_CELLS; n++) {
        double *last = &lines->at[lines->count - FAR_CELLS + n];
        double *first = &lines->at[FAR_CELLS - 1 - n];
        first[0] = first[1] - width;
        last[0] = last[-1] + width;
        width *= FAR_STEP;
    }
}

static void add_ground(builder *b, const vxe_scene *scene, const vxe_ground_def *g)
{
    ground_lines lines[2] = {{.count = 0}};
    double body[2][2];
    find_body(scene, body[0], body[1]);
    for (int a = 0; a < 2; a++) lay_lines(g, a, (const double(*)[2])body, &lines[a]);
    b->color = (vxe_rgb){g->color[0], g->color[1], g->color[2]};
    const uint32_t first = (uint32_t)b->s->corner_count;
    for (int32_t j = 0; j < lines[1].count; j++) {
        for (int32_t i = 0; i < lines[0].count; i++) {
            const double x = lines[0].at[i];
            const double y = lines[1].at[j];
            (void)add_corner(b, (vec3){x, y, vxe_ground_height(g, x, y)});
        }
    }
    const uint32_t row = (uint32_t)lines[0].count;
    for (uint32_t j = 0; j + 1 < (uint32_t)lines[1].count; j++) {
        for (uint32_t i = 0; i + 1 < row; i++) {
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

/* ---- joined with a body --------------------------------------------------------------------------------------------- */

#define PIECE 0.3        /* of the distance from the eye: pieces are no larger than this */
#define PIECE_LEAST 1e-3 /* of that of the body */
#define SPLITS_MAX 40    /* a face is cut in two, so many times at most */
#define PIECES_MAX 100000

/* Faces cut into pieces, for a face is drawn only where all of it is before the camera: what is left out then
 * is beside the picture. */
typedef struct face_pieces {
    float *corner; /* (12 count) */
    int32_t *face; /* that they are of, (count) */
    int32_t count, room;
    const vxe_camera *camera;
    bool failed;
} face_pieces;

static void keep_piece(face_pieces *p, const vec3 at[4], int32_t face)
{
    if (p->count == p->room && !p->failed) {
        const int32_t room = 2 * p->room + 256;
        float *grown = realloc(p->corner, 12 * (size_t)room * sizeof *grown);
        if (grown != NULL) p->corner = grown;
        int32_t *faces = realloc(p->face, (size_t)room * sizeof *faces);
        if (faces != NULL) p->face = faces;
        p->failed = grown == NULL || faces == NULL;
        if (!p->failed) p->room = room;
    }
    if (p->failed || p->count >= PIECES_MAX) return;
    for (int k = 0; k < 4; k++) {
        const double corner[3] = {at[k].x, at[k].y, at[k].z};
        for (int a = 0; a < 3; a++)
            p->corner[12 * (size_t)p->count + 3 * (size_t)k + (size_t)a] = (float)corner[a];
    }
    p->face[p->count++] = face;
}

static vec3 middle_of(vec3 a, vec3 b) { return vec3_scale(0.5, vec3_add(a, b)); }

static bool is_too_large(const face_pieces *p, const vec3 at[4])
{
    const vxe_camera *c = p->camera;
    const vec3 eye = vec3_sub(c->target, vec3_scale(c->distance, c->forward));
    const vec3 middle = middle_of(middle_of(at[0], at[2]), middle_of(at[1], at[3]));
    double reach = 0.0;
    int before = 0;
    for (int k = 0; k < 4; k++) {
        reach = fmax(reach, vec3_length(vec3_sub(at[k], middle)));
        before += vec3_dot(vec3_sub(at[k], eye), c->forward) > 0.0;
    }
    if (before == 0 || before == 4) return false;
    const double away = fmax(vec3_length(vec3_sub(middle, eye)) - reach, PIECE_LEAST * c->distance);
    return 2.0 * reach > PIECE * away;
}

static double length_of(const vec3 at[4], int k) { return vec3_length(vec3_sub(at[(k + 1) % 4], at[k])); }

/* Across its longer sides, so that pieces become neither long nor thin. */
static void cut(face_pieces *p, const vec3 at[4], int32_t face, int splits)
{
    if (splits == SPLITS_MAX || !is_too_large(p, at)) {
        keep_piece(p, at, face);
        return;
    }
    const int from = length_of(at, 0) + length_of(at, 2) > length_of(at, 1) + length_of(at, 3) ? 0 : 1;
    const vec3 one = middle_of(at[from], at[from + 1]);
    const vec3 other = middle_of(at[(from + 2) % 4], at[(from + 3) % 4]);
    vec3 half[4]; /* in the same order, so that it is seen from the same side */
    memcpy(half, at, sizeof half);
    half[from + 1] = one;
    half[(from + 2) % 4] = other;
    cut(p, half, face, splits + 1);
    memcpy(half, at, sizeof half);
    half[from] = one;
    half[(from + 3) % 4] = other;
    cut(p, half, face, splits + 1);
}

/* Corners of a face from the target, in units. */
static void face_corners(const vxe_scenery *s, int32_t f, const double target[3], double unit, vec3 at[4])
{
    for (int k = 0; k < 4; k++) {
        const double *from = s->corner + 3 * (size_t)s->face[4 * (size_t)f + (size_t)k];
        at[k] = vec3_scale(1.0 / unit, vec3_sub(vec3_from(from), vec3_from(target)));
    }
}

static bool cut_faces(const vxe_scenery *s, const vxe_camera *camera, const double target[3], double unit,
                      face_pieces *p)
{
    *p = (face_pieces){.camera = camera};
    for (int32_t f = 0; f < s->face_count; f++) {
        vec3 at[4];
        face_corners(s, f, target, unit, at);
        cut(p, at, f, 0);
    }
    return !p->failed;
}

vxe_result vxe_scenery_join(const vxe_scenery *s, const vxe_drawn *own, const vxe_camera *camera,
                            const double target[3], double unit, vxe_drawn *joined, vxe_error *error)
{
    const vxe_body *body = &own->body;
    const size_t corners = (size_t)body->corner_count;
    const size_t faces = (size_t)body->face_count;
    const size_t voxels = (size_t)body->voxel_count;
    face_pieces pieces;
    const bool cuts = cut_faces(s, camera, target, unit, &pieces);
    const size_t more = (size_t)pieces.count;
    vxe_body *all = &joined->body;
    *all = *body;
    all->corner_count += 4 * pieces.count;
    all->face_count += pieces.count;
    all->voxel_count += pieces.count; /* each face has a colour of its own */
    all->face = malloc(4 * (faces + more) * sizeof *all->face);
    all->face_voxel = malloc((faces + more) * sizeof *all->face_voxel);
    all->hollow = malloc(4 * (faces + more));
    joined->corner = malloc(3 * (corners + 4 * more) * sizeof *joined->corner);
    joined->color = malloc((voxels + more + 1) * sizeof *joined->color);
    const bool good = cuts && all->face != NULL && all->face_voxel != NULL && all->hollow != NULL &&
                      joined->corner != NULL && joined->color != NULL;
    if (good) {
        memcpy(all->face, body->face, 4 * faces * sizeof *body->face);
        memcpy(all->face_voxel, body->face_voxel, faces * sizeof *body->face_voxel);
        memcpy(all->hollow, body->hollow, 4 * faces);
        memcpy(joined->corner, own->corner, 3 * corners * sizeof *own->corner);
        if (more > 0) memcpy(joined->corner + 3 * corners, pieces.corner, 12 * more * sizeof *pieces.corner);
        memcpy(joined->color, own->color, voxels * sizeof *own->color);
        memset(all->hollow + 4 * faces, 255, 4 * more);
        for (size_t f = 0; f < more; f++) {
            for (size_t k = 0; k < 4; k++) all->face[4 * (faces + f) + k] = (uint32_t)(corners + 4 * f + k);
            all->face_voxel[faces + f] = (uint32_t)(voxels + f);
            joined->color[voxels + f] = s->color[pieces.face[f]];
        }
    }
    free(pieces.corner);
    free(pieces.face);
    if (good) return VXE_OK;
    vxe_scenery_part(joined);
    return vxe_fail_memory(error, "a picture", 30 * more);
}

void vxe_scenery_part(vxe_drawn *joined)
{
    free(joined->body.face);
    free(joined->body.face_voxel);
    free(joined->body.hollow);
    free(joined->corner);
    free(joined->color);
}
