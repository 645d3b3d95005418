/* Ground and solids of a model: see world.h. */
#include "model/world.h"

#include "base/base.h"
#include "base/vec.h"
#include "kernel/patch.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making --------------------------------------------------------------------------------------------------------- */

static double corner_height(const vxe_ground_def *g, int64_t i, int64_t j)
{
    const int64_t x = i < 0 ? 0 : i >= g->points[0] ? g->points[0] - 1 : i;
    const int64_t y = j < 0 ? 0 : j >= g->points[1] ? g->points[1] - 1 : j;
    return g->heights[y * g->points[0] + x];
}

/* Of the corners of a cell: those of its lower edge, then of its upper one. */
static void corner_heights(const vxe_ground_def *g, int64_t i, int64_t j, double heights[4])
{
    const bool inside = i >= 0 && j >= 0 && i + 1 < g->points[0] && j + 1 < g->points[1];
    if (inside) {
        const double *at = &g->heights[j * g->points[0] + i];
        heights[0] = at[0];
        heights[1] = at[1];
        heights[2] = at[g->points[0]];
        heights[3] = at[g->points[0] + 1];
        return;
    }
    for (int k = 0; k < 4; k++) heights[k] = corner_height(g, i + k % 2, j + k / 2);
}

static double larger(double a, double b) { return a > b ? a : b; }

static double highest(const double heights[4])
{
    return larger(larger(heights[0], heights[1]), larger(heights[2], heights[3]));
}

/* Of a square of cells, by its four quarters on the level below; level 0: of a cell. */
static double highest_of(const model_world *w, int level, int32_t i, int32_t j)
{
    if (level == 0) {
        double heights[4];
        corner_heights(&w->ground, i, j, heights);
        return highest(heights);
    }
    const int32_t *squares = w->squares[level];
    const int32_t x = i < 0 ? 0 : i >= squares[0] ? squares[0] - 1 : i;
    const int32_t y = j < 0 ? 0 : j >= squares[1] ? squares[1] - 1 : j;
    return w->highest[level][(size_t)y * (size_t)squares[0] + (size_t)x];
}

static double steepest_of(const vxe_ground_def *g)
{
    double rise = 0.0;
    for (int32_t j = 0; j < g->points[1]; j++) {
        const double *row = &g->heights[(size_t)j * (size_t)g->points[0]];
        const double *next = j + 1 < g->points[1] ? row + g->points[0] : row;
        for (int32_t n = 0; n < g->points[0]; n++) {
            rise = larger(rise, fabs(next[n] - row[n]));
            if (n + 1 < g->points[0]) rise = larger(rise, fabs(row[n + 1] - row[n]));
        }
    }
    return rise / g->spacing;
}

static vxe_result make_ground(const vxe_ground_def *def, model_world *w, vxe_error *error)
{
    const size_t count = (size_t)def->points[0] * (size_t)def->points[1];
    double *heights = malloc(count * sizeof *heights);
    if (heights == NULL) return vxe_fail_memory(error, "the ground", count * sizeof *heights);
    memcpy(heights, def->heights, count * sizeof *heights);
    w->ground = *def;
    w->ground.heights = heights;
    w->steepest = steepest_of(&w->ground);
    for (int a = 0; a < 2; a++) w->squares[0][a] = def->points[a] - 1;
    w->levels = 1;
    while (w->levels < WORLD_LEVELS &&
           (w->squares[w->levels - 1][0] > 1 || w->squares[w->levels - 1][1] > 1)) {
        const int level = w->levels;
        int32_t *squares = w->squares[level];
        for (int a = 0; a < 2; a++) squares[a] = (w->squares[level - 1][a] + 1) / 2;
        const size_t bytes = (size_t)squares[0] * (size_t)squares[1] * sizeof(double);
        w->highest[level] = malloc(bytes);
        if (w->highest[level] == NULL) return vxe_fail_memory(error, "the ground", bytes);
        for (int32_t j = 0; j < squares[1]; j++) {
            for (int32_t i = 0; i < squares[0]; i++) {
                const double low =
                    fmax(highest_of(w, level - 1, 2 * i, 2 * j), highest_of(w, level - 1, 2 * i + 1, 2 * j));
                const double high = fmax(highest_of(w, level - 1, 2 * i, 2 * j + 1),
                                         highest_of(w, level - 1, 2 * i + 1, 2 * j + 1));
                w->highest[level][(size_t)j * (size_t)squares[0] + (size_t)i] = fmax(low, high);
            }
        }
        w->levels++;
    }
    return VXE_OK;
}

static vxe_result make_solid(const vxe_solid_def *def, world_solid *s, vxe_error *error)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    s->def = *def;
    s->def.filled = NULL;
    const quat q = quat_from_rotation(vec3_from(def->rotation));
    for (int a = 0; a < 3; a++) {
        const vec3 axis = quat_rotate(q, axes[a]);
        s->axes[a][0] = axis.x;
        s->axes[a][1] = axis.y;
        s->axes[a][2] = axis.z;
    }
    const double *size = def->sides;
    switch (def->kind) {
    case VXE_SOLID_BOX: s->ball = 0.5 * vec3_length(vec3_from(size)); break;
    case VXE_SOLID_SPHERE: s->ball = def->radius; break;
    case VXE_SOLID_CYLINDER:
        s->ball = sqrt(def->radius * def->radius + 0.25 * def->length * def->length);
        break;
    case VXE_SOLID_CAPSULE: s->ball = def->radius + 0.5 * def->length; break;
    case VXE_SOLID_CELLS: {
        const double sides[3] = {def->pitch * def->cells[0], def->pitch * def->cells[1],
                                 def->pitch * def->cells[2]};
        const size_t count = (size_t)def->cells[0] * (size_t)def->cells[1] * (size_t)def->cells[2];
        uint8_t *filled = malloc(count);
        if (filled == NULL) return vxe_fail_memory(error, "the cells of a solid", count);
        memcpy(filled, def->filled, count);
        s->def.filled = filled;
        s->ball = 0.5 * vec3_length(vec3_from(sides));
        break;
    }
    }
    return VXE_OK;
}

vxe_result vxe_world_create(const vxe_scene *scene, model_world **world, vxe_error *error)
{
    const vxe_ground_def *ground = vxe_scene_ground(scene);
    const int32_t solids = vxe_scene_solid_count(scene);
    *world = NULL;
    if (ground == NULL && solids == 0) return VXE_OK;
    model_world *w = calloc(1, sizeof *w);
    if (w == NULL) return vxe_fail_memory(error, "ground and solids", sizeof *w);
    *world = w;
    vxe_result result = ground != NULL ? make_ground(ground, w, error) : VXE_OK;
    if (solids > 0 && result == VXE_OK) {
        w->solids = calloc((size_t)solids, sizeof *w->solids);
        if (w->solids == NULL) return vxe_fail_memory(error, "the solids", sizeof *w->solids);
        w->solid_count = solids;
    }
    for (int32_t n = 0; n < solids && result == VXE_OK; n++)
        result = make_solid(vxe_scene_solid(scene, n), &w->solids[n], error);
    return result;
}

void vxe_world_destroy(model_world *w)
{
    if (w == NULL) return;
    free((void *)(uintptr_t)w->ground.heights);
    for (int level = 0; level < WORLD_LEVELS; level++) free(w->highest[level]);
    for (int32_t n = 0; n < w->solid_count; n++) free((void *)(uintptr_t)w->solids[n].def.filled);
    free(w->solids);
    free(w);
}

static uint64_t hash_friction(uint64_t h, bool has, double still, double sliding)
{
    h = vxe_hash_u64(h, has ? 1 : 0);
    return has ? vxe_hash_double(vxe_hash_double(h, still), sliding) : h;
}

uint64_t vxe_world_hash(uint64_t h, const model_world *w)
{
    if (w == NULL) return h;
    const vxe_ground_def *g = &w->ground;
    h = vxe_hash_u64(h, 0x776f726c64);
    if (g->heights != NULL) {
        for (int a = 0; a < 2; a++) h = vxe_hash_u64(h, (uint64_t)g->points[a]);
        for (int a = 0; a < 3; a++) h = vxe_hash_double(h, g->origin[a]);
        h = vxe_hash_double(h, g->spacing);
        h = vxe_hash_bytes(h, g->heights, (size_t)g->points[0] * (size_t)g->points[1] * sizeof(double));
        h = hash_friction(h, g->has_friction, g->static_friction, g->dynamic_friction);
    }
    for (int32_t n = 0; n < w->solid_count; n++) {
        const vxe_solid_def *d = &w->solids[n].def;
        const bool round = d->kind != VXE_SOLID_BOX && d->kind != VXE_SOLID_CELLS;
        h = vxe_hash_u64(h, (uint64_t)d->kind);
        for (int a = 0; a < 3; a++) {
            h = vxe_hash_double(vxe_hash_double(h, d->center[a]), d->rotation[a]);
            if (d->kind == VXE_SOLID_BOX) h = vxe_hash_double(h, d->sides[a]);
        }
        if (round) h = vxe_hash_double(h, d->radius);
        if (round && d->kind != VXE_SOLID_SPHERE) h = vxe_hash_double(h, d->length);
        h = hash_friction(h, d->has_friction, d->static_friction, d->dynamic_friction);
        if (d->filled == NULL) continue;
        h = vxe_hash_double(h, d->pitch);
        for (int a = 0; a < 3; a++) h = vxe_hash_u64(h, (uint64_t)d->cells[a]);
        h = vxe_hash_bytes(h, d->filled, (size_t)d->cells[0] * (size_t)d->cells[1] * (size_t)d->cells[2]);
    }
    return h;
}

/* ---- surfaces near a point -------------------------------------------------------------------------------------------- */

/* Keeps the nearest hits, in the order in which they came. */
static int keep_hit(world_hit hits[WORLD_HITS], int count, uint32_t place, surface_point surface)
{
    if (count == WORLD_HITS) {
        int worst = 0;
        for (int i = 1; i < WORLD_HITS; i++) {
            if (hits[i].surface.distance > hits[worst].surface.distance) worst = i;
        }
        if (!(surface.distance < hits[worst].surface.distance)) return count;
        for (int i = worst; i + 1 < WORLD_HITS; i++) hits[i] = hits[i + 1];
        count--;
    }
    hits[count] = (world_hit){place, surface};
    return count + 1;
}

/* Whether a hit is at a place of those kept. */
static bool is_kept(const world_hit *hits, int count, surface_point surface, double apart)
{
    const vec3 way = vec3_scale(-surface.distance, surface.normal);
    for (int n = 0; n < count; n++) {
        const surface_point *kept = &hits[n].surface;
        const vec3 off = vec3_add(vec3_scale(kept->distance, kept->normal), way);
        if (vec3_dot(off, off) < apart * apart) return true;
    }
    return false;
}

static surface_point point_of(patch_point p)
{
    return (surface_point){{p.normal.x, p.normal.y, p.normal.z}, p.distance};
}

static surface_patch patch_at(const vxe_ground_def *g, int64_t i, int64_t j)
{
    double heights[4];
    corner_heights(g, i, j, heights);
    return surface_patch_of(heights, g->spacing);
}

/* Places of two cells that are this close, in cells, are one; round-off is less. */
#define SAME_PLACE 1e-6
/* Over an edge, the nearest place has to be this far off to be the other cell's; in cells. */
#define OVER_EDGE 1e-9

/* Whether the distance falls over an edge that is left behind with such a slope; `rate`: half of what its
 * square does. Round-off decides nothing: where both cells have the place on the edge, the cell before it has
 * to keep it, or nobody does, and where both keep it, it is found to be one. */
static bool falls_over(double rate, double slope, double side)
{
    return rate < -OVER_EDGE * side * (1.0 + fabs(slope));
}

/* Whether the distance to the point falls where the ground goes on over the edge that a place is on: then the
 * cell beyond has a nearer place of its own. `at` and `place` are from the corner of cell (i,j). */
static bool goes_on(const vxe_ground_def *g, int64_t i, int64_t j, const patch_place *place, rvec at)
{
    const double above = place->height - at.z;
    if (place->x >= g->spacing) {
        const surface_patch next = patch_at(g, i + 1, j);
        const double slope = next.along_x + next.twist * place->y;
        if (falls_over(place->x - at.x + above * slope, slope, g->spacing)) return true;
    }
    if (place->y >= g->spacing) {
        const surface_patch next = patch_at(g, i, j + 1);
        const double slope = next.along_y + next.twist * place->x;
        if (falls_over(place->y - at.y + above * slope, slope, g->spacing)) return true;
    }
    return false;
}

static uint32_t cell_place(const vxe_ground_def *g, int64_t i, int64_t j)
{
    return (uint32_t)((j + 8) * (g->points[0] + 16) + (i + 8) + 1);
}

/* The cell that a coordinate is in, in cells; of what patch_bring_near() leaves. */
static int64_t cell_of(double x)
{
    const int64_t cell = (int64_t)x;
    return cell - (x < (double)cell ? 1 : 0);
}

/* Whether a point is further from all of a cell than a distance, whose square is `far`, by the cell's box. */
static bool is_beyond(const double heights[4], double side, rvec at, double far)
{
    const double x = at.x < 0.0 ? at.x : at.x > side ? at.x - side : 0.0;
    const double y = at.y < 0.0 ? at.y : at.y > side ? at.y - side : 0.0;
    const double over = at.z - highest(heights);
    return x * x + y * y + (over > 0.0 ? over * over : 0.0) > far;
}

/* How far aside the nearest place of the surface can be from a point so far below it, m. */
static double steep_way(const model_world *w, double depth)
{
    const double aside = 1.000001 * depth * w->steepest + 1e-6 * w->ground.spacing;
    return aside < depth ? aside : depth;
}

/* Cells that are looked at. Beyond the edge the ground is the same everywhere along x (y), and
 * patch_bring_near() leaves points no further out than this: what is further is not nearer. */
typedef struct cell_window {
    int64_t low[2], high[2];
} cell_window;

static cell_window window_of(const vxe_ground_def *g, double x, double y, double cells)
{
    cell_window w;
    const double at[2] = {x, y};
    for (int a = 0; a < 2; a++) {
        w.low[a] = cell_of(larger(at[a] - cells, -2.0));
        w.high[a] = cell_of(fmin(at[a] + cells, g->points[a]));
    }
    return w;
}

/* The place of those looked at that is nearest to a point in the ground. */
typedef struct way_out {
    double x, y; /* of the point, in cells */
    double z;
    surface_point nearest;
    int64_t cell[2];
} way_out;

/* Cells (i,j) of one row or column, which the window has to have. Of places that are as near the first
 * counts, row by row. */
static void look_along(const vxe_ground_def *g, const int64_t low[2], const int64_t high[2], way_out *out)
{
    const double c = g->spacing;
    for (int64_t j = low[1]; j <= high[1]; j++) {
        for (int64_t i = low[0]; i <= high[0]; i++) {
            const rvec own = {c * (out->x - (double)i), c * (out->y - (double)j), out->z};
            const surface_patch patch = patch_at(g, i, j);
            const patch_place place = surface_patch_nearest(&patch, own);
            const surface_point point = point_of(surface_patch_point(&patch, &place, own, 1));
            const bool before = j < out->cell[1] || (j == out->cell[1] && i < out->cell[0]);
            if (point.distance > out->nearest.distance ||
                (point.distance == out->nearest.distance && before)) {
                out->nearest = point;
                out->cell[0] = i;
                out->cell[1] = j;
            }
        }
    }
}

/* Out of the ground by the shortest way: ring by ring around the cell the point is under, until none can be
 * nearer. Far below steep ground that is a few cells, where all that are as near as the surface above the
 * point could be a whole workspace. Of a ring only what the window has is gone through: in ground that is a
 * narrow strip the rest would be the square of its length. */
static int nearest_inside(const vxe_ground_def *g, double x, double y, double z, const cell_window *w,
                          world_hit hits[WORLD_HITS], int count)
{
    const int64_t middle[2] = {cell_of(x), cell_of(y)};
    way_out out = {x, y, z, {{0.0, 0.0, 1.0}, -INFINITY}, {0, 0}};
    for (int64_t ring = 0; !(g->spacing * (double)(ring - 1) > -1.000001 * out.nearest.distance); ring++) {
        bool beyond = true;
        for (int along = 0; along < 2; along++) { /* its rows, then its columns, which have no corners */
            const int across = 1 - along;
            const int64_t half = along == 0 ? ring : ring - 1;
            for (int side = -1; side <= 1; side += 2) {
                const int64_t line = middle[across] + side * ring;
                if (line < w->low[across] || line > w->high[across]) continue;
                beyond = false;
                if (side > 0 && ring == 0) continue;
                int64_t low[2];
                int64_t high[2];
                low[across] = high[across] = line;
                low[along] = middle[along] - half > w->low[along] ? middle[along] - half : w->low[along];
                high[along] = middle[along] + half < w->high[along] ? middle[along] + half : w->high[along];
                look_along(g, low, high, &out);
            }
        }
        if (beyond) break;
    }
    return keep_hit(hits, count, cell_place(g, out.cell[0], out.cell[1]), out.nearest);
}

/* The nearest place of a cell is a hit only if the distance is least there, also as the ground goes on; that
 * of all cells always is, or what is near would be taken to be far. Where the distance is least, the place is
 * not further from the point, along x (y), than its height above the place times a slope. So cells further
 * away than `reach` times the largest slope have none. */
static int near_ground(const model_world *w, const double at[3], double reach, world_hit hits[WORLD_HITS],
                       int count)
{
    const vxe_ground_def *g = &w->ground;
    const double c = g->spacing;
    const double per = 1.0 / c;
    const double x = patch_bring_near(per * (at[0] - g->origin[0]), g->points[0]);
    const double y = patch_bring_near(per * (at[1] - g->origin[1]), g->points[1]);
    const double z = at[2] - g->origin[2];
    const int64_t i0 = cell_of(x);
    const int64_t j0 = cell_of(y);
    const surface_patch under = patch_at(g, i0, j0);
    const double over = z - surface_patch_height(&under, c * (x - (double)i0), c * (y - (double)j0));
    const bool below = over < 0.0;
    const double far = 1.000001 * reach * reach; /* round-off decides nothing */
    /* a slope that falls away comes closer than what is straight below */
    if (!below && over * over > far * (1.0 + 2.0 * w->steepest * w->steepest)) return count;
    const double aside = 1.000001 * reach * w->steepest + 1e-6 * c; /* round-off decides nothing */
    const double wide = below ? steep_way(w, -over) : aside < reach ? aside : reach;
    const cell_window window = window_of(g, x, y, per * wide);
    if (below) return nearest_inside(g, x, y, z, &window, hits, count);
    surface_point nearest = {{0.0, 0.0, 1.0}, reach};
    uint32_t nearest_place = 0;
    for (int64_t j = window.low[1]; j <= window.high[1]; j++) {
        for (int64_t i = window.low[0]; i <= window.high[0]; i++) {
            const rvec own = {c * (x - (double)i), c * (y - (double)j), z};
            const bool is_under = i == i0 && j == j0;
            double heights[4];
            if (!is_under) corner_heights(g, i, j, heights);
            if (!is_under && is_beyond(heights, c, own, far)) continue;
            const surface_patch patch = is_under ? under : surface_patch_of(heights, c);
            const patch_place place = surface_patch_nearest(&patch, own);
            const surface_point point = point_of(surface_patch_point(&patch, &place, own, 0));
            if (!(point.distance < reach)) continue;
            if (point.distance < nearest.distance) {
                nearest = point;
                nearest_place = cell_place(g, i, j);
            }
            /* a place on an edge belongs to the cell before it */
            if (place.x <= 0.0 || place.y <= 0.0 || goes_on(g, i, j, &place, own)) continue;
            if (is_kept(hits, count, point, SAME_PLACE * c)) continue;
            count = keep_hit(hits, count, cell_place(g, i, j), point);
        }
    }
    /* Newton's method may find another place than the nearest of the cell that an edge belongs to, where this
     * is much twisted or steep, and only one of two cells may have the edge within reach. */
    if (nearest_place != 0 && !is_kept(hits, count, nearest, SAME_PLACE * c))
        count = keep_hit(hits, count, nearest_place, nearest);
    return count;
}

static vec3 into_solid(const world_solid *s, const double at[3])
{
    double own[3];
    for (int a = 0; a < 3; a++) {
        own[a] = 0.0;
        for (int i = 0; i < 3; i++) own[a] += s->axes[a][i] * (at[i] - s->def.center[i]);
    }
    return vec3_from(own);
}

static surface_point out_of_solid(const world_solid *s, surface_point p)
{
    const double own[3] = {p.normal.x, p.normal.y, p.normal.z};
    double out[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) out[i] += s->axes[a][i] * own[a];
    }
    p.normal = vec3_from(out);
    return p;
}

static bool is_filled(const vxe_solid_def *d, int64_t i, int64_t j, int64_t k)
{
    if (i < 0 || j < 0 || k < 0 || i >= d->cells[0] || j >= d->cells[1] || k >= d->cells[2]) return false;
    return d->filled[(k * d->cells[1] + j) * d->cells[0] + i] != 0;
}

/* A point inside a cube: out by the nearest face that is free. */
static surface_point out_of_cube(const vxe_solid_def *d, const int64_t cell[3], const double own[3])
{
    surface_point best = {{0.0, 0.0, 1.0}, -INFINITY};
    for (int f = 0; f < 6; f++) {
        int64_t next[3] = {cell[0], cell[1], cell[2]};
        const int axis = f / 2;
        next[axis] += f % 2 == 0 ? -1 : 1;
        if (is_filled(d, next[0], next[1], next[2])) continue;
        const double deep =
            f % 2 == 0 ? own[axis] - (double)cell[axis] : (double)(cell[axis] + 1) - own[axis];
        if (!(-deep * d->pitch > best.distance)) continue;
        double normal[3] = {0.0, 0.0, 0.0};
        normal[f / 2] = f % 2 == 0 ? -1.0 : 1.0;
        best = (surface_point){vec3_from(normal), -deep * d->pitch};
    }
    return best.distance > -INFINITY ? best : (surface_point){{0.0, 0.0, 1.0}, -d->pitch};
}

/* Whether a cube is there, and none next to it where the point is. */
static bool is_open(const vxe_solid_def *d, const int64_t cell[3], const int side[3])
{
    if (!is_filled(d, cell[0], cell[1], cell[2])) return false;
    for (int a = 0; a < 3; a++) {
        int64_t next[3] = {cell[0], cell[1], cell[2]};
        next[a] += side[a];
        if (side[a] != 0 && is_filled(d, next[0], next[1], next[2])) return false;
    }
    return true;
}

/* Whether a place where cubes meet belongs to one before this; `beside`: where others are, along each axis.
 */
static bool has_before(const vxe_solid_def *d, const int64_t cell[3], const int side[3], const int beside[3])
{
    for (unsigned some = 1; some < 8; some++) {
        int64_t other[3];
        int order = 0; /* before this or behind it: what the last axis says */
        bool any = true;
        for (int a = 0; a < 3; a++) {
            const bool moved = (some >> a & 1U) != 0;
            other[a] = cell[a] + (moved ? beside[a] : 0);
            any = any && !(moved && beside[a] == 0);
            if (moved) order = beside[a];
        }
        if (any && order < 0 && is_open(d, other, side)) return true;
    }
    return false;
}

/* The cubes of a solid near a point. Of each the nearest place counts, unless another cube covers it. */
static int near_cells(const world_solid *s, uint32_t first_place, const double at[3], double reach,
                      world_hit hits[WORLD_HITS], int count)
{
    const vxe_solid_def *d = &s->def;
    const vec3 from_middle = into_solid(s, at);
    const double middle[3] = {from_middle.x, from_middle.y, from_middle.z};
    double own[3];
    int64_t low[3];
    int64_t high[3];
    int64_t here[3];
    for (int a = 0; a < 3; a++) {
        own[a] = middle[a] / d->pitch + 0.5 * d->cells[a];
        if (own[a] < -1e6 || own[a] > 1e9) return count;
        low[a] = (int64_t)floor(own[a] - reach / d->pitch);
        high[a] = (int64_t)floor(own[a] + reach / d->pitch);
        here[a] = (int64_t)floor(own[a]);
        if (low[a] < 0) low[a] = 0;
        if (high[a] >= d->cells[a]) high[a] = d->cells[a] - 1;
    }
    if (is_filled(d, here[0], here[1], here[2]))
        return keep_hit(hits, count, first_place + 13, out_of_solid(s, out_of_cube(d, here, own)));
    for (int64_t k = low[2]; k <= high[2]; k++) {
        for (int64_t j = low[1]; j <= high[1]; j++) {
            for (int64_t i = low[0]; i <= high[0]; i++) {
                if (!is_filled(d, i, j, k)) continue;
                const int64_t cell[3] = {i, j, k};
                int side[3];
                double way[3];
                int beside[3];
                for (int a = 0; a < 3; a++) {
                    const double from = own[a] - (double)cell[a];
                    side[a] = from < 0.0 ? -1 : from > 1.0 ? 1 : 0;
                    way[a] = from < 0.0 ? from : from > 1.0 ? from - 1.0 : 0.0;
                    beside[a] = from == 0.0 ? -1 : from == 1.0 ? 1 : 0;
                }
                const double length = vec3_length(vec3_from(way));
                if (!(length * d->pitch < reach) || !(length > 0.0) || !is_open(d, cell, side) ||
                    has_before(d, cell, side, beside))
                    continue;
                const surface_point p = {vec3_scale(1.0 / length, vec3_from(way)), length * d->pitch};
                const uint32_t place =
                    first_place + (uint32_t)(side[0] + 1 + 3 * (side[1] + 1) + 9 * (side[2] + 1));
                count = keep_hit(hits, count, place, out_of_solid(s, p));
            }
        }
    }
    return count;
}

static surface_point solid_surface(const world_solid *s, const double at[3])
{
    const vxe_solid_def *d = &s->def;
    const vec3 own = into_solid(s, at);
    switch (d->kind) {
    case VXE_SOLID_SPHERE: return surface_of_ball(own, d->radius);
    case VXE_SOLID_CYLINDER: return surface_of_cylinder(own, d->radius, d->length);
    case VXE_SOLID_CAPSULE: return surface_of_capsule(own, d->radius, d->length);
    case VXE_SOLID_BOX: return surface_of_box(own, vec3_scale(0.5, vec3_from(d->sides)));
    case VXE_SOLID_CELLS: break;
    }
    const double sides[3] = {d->pitch * d->cells[0], d->pitch * d->cells[1], d->pitch * d->cells[2]};
    return surface_of_box(own, vec3_scale(0.5, vec3_from(sides)));
}

static double from_ball(const world_solid *s, const double at[3])
{
    double square = 0.0;
    for (int a = 0; a < 3; a++) square += (at[a] - s->def.center[a]) * (at[a] - s->def.center[a]);
    return sqrt(square) - s->ball;
}

int vxe_world_near(const model_world *w, const double at[3], double reach, world_hit hits[WORLD_HITS])
{
    int count = 0;
    if (w->ground.heights != NULL) count = near_ground(w, at, reach, hits, count);
    for (int32_t n = 0; n < w->solid_count; n++) {
        const world_solid *s = &w->solids[n];
        if (from_ball(s, at) > reach) continue;
        const uint32_t place = WORLD_SOLID + WORLD_SIDES * (uint32_t)n;
        if (s->def.kind == VXE_SOLID_CELLS) {
            count = near_cells(s, place, at, reach, hits, count);
            continue;
        }
        const surface_point p = solid_surface(s, at);
        if (p.distance < reach) count = keep_hit(hits, count, place, out_of_solid(s, p));
    }
    return count;
}

/* Of gentle ground, its height under the point and the largest slope tell. Else squares of cells around the
 * point, from small to large: as far as they reach, none is higher than the highest of them. */
static double ground_clear(const model_world *w, const double at[3])
{
    const vxe_ground_def *g = &w->ground;
    const double x = patch_bring_near((at[0] - g->origin[0]) / g->spacing, g->points[0]);
    const double y = patch_bring_near((at[1] - g->origin[1]) / g->spacing, g->points[1]);
    const double z = at[2] - g->origin[2];
    if (w->steepest < 0.5) {
        const int64_t i = cell_of(x);
        const int64_t j = cell_of(y);
        const surface_patch under = patch_at(g, i, j);
        const double over =
            z - surface_patch_height(&under, g->spacing * (x - (double)i), g->spacing * (y - (double)j));
        return over > 0.0 ? 0.999999 * over / sqrt(1.0 + 2.0 * w->steepest * w->steepest) : 0.0;
    }
    double clear = 0.0;
    double side = g->spacing;
    for (int level = 0; level < w->levels; level++, side *= 2.0) {
        const double per = g->spacing / side;
        const int32_t i = (int32_t)floor(x * per);
        const int32_t j = (int32_t)floor(y * per);
        double top = -INFINITY;
        for (int32_t dj = -1; dj <= 1; dj++) {
            for (int32_t di = -1; di <= 1; di++) top = larger(top, highest_of(w, level, i + di, j + dj));
        }
        const double own = fmin(side, z - top);
        if (own > clear) clear = own;
        if (z - top < side) break; /* larger squares are not lower */
    }
    return clear;
}

double vxe_world_clear(const model_world *w, const double at[3])
{
    const double clear = w->ground.heights != NULL ? ground_clear(w, at) : INFINITY;
    return fmin(clear, vxe_world_solids_clear(w, at));
}

double vxe_world_solids_clear(const model_world *w, const double at[3])
{
    double clear = INFINITY;
    for (int32_t n = 0; n < w->solid_count; n++) {
        const double from = from_ball(&w->solids[n], at);
        const double own = from > w->solids[n].ball ? from : solid_surface(&w->solids[n], at).distance;
        if (own < clear) clear = own;
    }
    return clear;
}

/* The function of a place that is half the square of its distance to a point above has slope zero at the
 * place q that is nearest in a cell, if that is not on its edge. On the straight way d from there to another
 * place its second derivative is d.d or more, but for what the ground's twist takes of it, H T d.d at most,
 * and but for folds upwards at the edges of cells, where the slope falls by H K times what of d is across the
 * edge. H is how far below the point the ground is, K by how much its slope along x (y) grows at an edge. So
 * where one edge across x and one across y lie on the way, the function grows all the way, if
 *
 *     (1 - H T) |d| > sqrt(2) H K,
 *
 * and |d| is not less than the distance from q to the edge that is crossed. Then no other place is one of
 * least distance, and the point is not below the ground.
 *
 * That holds for the cells next to this one and their neighbours. Others must be too far away: with `far` the
 * distance from the point to q, and a slope along x and y of L there, q is no further aside than far L, and
 * no other place matters that is further aside than far; or than far times the largest slope of all, if that
 * is less. On the way between such places the ground is no more than far (1 + sqrt(2) L (1 + sqrt(2) L))
 * below the point. The doubt that round-off leaves about edges (SAME_PLACE, OVER_EDGE) is less than `low`
 * and `high`.
 *
 * Where all is level, nothing changes at an edge but whose it is: that of the cell before it, as far as
 * OVER_EDGE. */
bool vxe_world_cell(const model_world *w, uint32_t place, world_cell *cell)
{
    const vxe_ground_def *g = &w->ground;
    if (g->heights == NULL || place == 0 || place >= WORLD_SOLID) return false;
    const int64_t row = g->points[0] + 16;
    const int64_t i = (int64_t)(place - 1) % row - 8;
    const int64_t j = (int64_t)(place - 1) / row - 8;
    const double per = 1.0 / g->spacing;
    double h[4][4];
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) h[y][x] = corner_height(g, i + x - 1, j + y - 1);
    }
    double steep = 0.0;
    double fold = 0.0;
    double twist = 0.0;
    for (int k = 0; k < 4; k++) {
        for (int n = 0; n < 3; n++) {
            steep = larger(steep, per * larger(fabs(h[k][n + 1] - h[k][n]), fabs(h[n + 1][k] - h[n][k])));
            if (n == 0) continue;
            fold = larger(fold, per * ((h[k][n + 1] - h[k][n]) - (h[k][n] - h[k][n - 1])));
            fold = larger(fold, per * ((h[n + 1][k] - h[n][k]) - (h[n][k] - h[n - 1][k])));
        }
    }
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 3; x++)
            twist =
                larger(twist, per * per * fabs((h[y + 1][x + 1] - h[y + 1][x]) - (h[y][x + 1] - h[y][x])));
    }
    const double below = 1.0 + 1.5 * steep * (1.0 + 1.5 * steep);
    const surface_patch patch = patch_at(g, i, j);
    *cell = (world_cell){.corner = patch.corner,
                         .along_x = patch.along_x,
                         .along_y = patch.along_y,
                         .twist = patch.twist,
                         .number = {(double)i, (double)j},
                         .bends = below * twist,
                         .folds = 1.5 * below * fold,
                         .level = 0.99 * g->spacing / (1.0 + steep),
                         .low = 4.0 * SAME_PLACE * g->spacing,
                         .high = 4.0 * SAME_PLACE * g->spacing,
                         .end = INFINITY};
    if (!(steep > 0.0)) {
        cell->low = 2.0 * OVER_EDGE * g->spacing;
        cell->high = -1.0;
        cell->end = (1.0 + 0.5 * OVER_EDGE) * g->spacing;
    }
    const double level = 0.49 * g->spacing / (w->steepest + 1e-12);
    if (level > cell->level) cell->level = level;
    return true;
}

bool vxe_world_same(const model_world *w, uint32_t before, uint32_t now)
{
    if (before == now) return true;
    if (before >= WORLD_SOLID || now >= WORLD_SOLID) {
        /* around an edge of the same solid */
        return before >= WORLD_SOLID && now >= WORLD_SOLID && before / WORLD_SIDES == now / WORLD_SIDES;
    }
    const int32_t row = w->ground.points[0] + 16;
    const int32_t di = (int32_t)((before - 1) % (uint32_t)row) - (int32_t)((now - 1) % (uint32_t)row);
    const int32_t dj = (int32_t)((before - 1) / (uint32_t)row) - (int32_t)((now - 1) / (uint32_t)row);
    return di >= -1 && di <= 1 && dj >= -1 && dj <= 1;
}

bool vxe_world_friction(const model_world *w, uint32_t place, double *still, double *sliding)
{
    const vxe_solid_def *d =
        place >= WORLD_SOLID ? &w->solids[(place - WORLD_SOLID) / WORLD_SIDES].def : NULL;
    const bool has = d != NULL ? d->has_friction : w->ground.has_friction;
    *still = d != NULL ? d->static_friction : w->ground.static_friction;
    *sliding = d != NULL ? d->dynamic_friction : w->ground.dynamic_friction;
    return has;
}
