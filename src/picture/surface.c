/* Voxels, corners and faces that are drawn; see surface.h. */
#include "picture/surface.h"
#include "base/base.h"
#include "voxelastic/rules.h"
#include "base/vec.h"
#include "sim/life.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 8, SIDES = 6, POSE = 12 };

/* Corner c with x fastest is corner vtk_order[c] of a VTK hexahedron, and the other way round. */
static const uint8_t vtk_order[CORNERS] = {0, 1, 3, 2, 4, 5, 7, 6};

int64_t vxe_surface_changes(const vxe_sim *sim)
{
    int64_t broken = 0;
    vxe_sim_failures(sim, &broken, NULL);
    const vxe_life life = vxe_sim_life(sim);
    return broken + life.grown + life.removed + vxe_life_turned(sim);
}

void vxe_surface_destroy(vxe_surface *s)
{
    if (s == NULL) return;
    free(s->voxel);
    free(s->cell);
    free(s->material);
    free(s->hexahedron);
    free(s->face);
    free(s->face_voxel);
    free(s->face_side);
    free(s->link);
    free(s->link_number);
    free(s->corner_cell);
    vxe_surface_settle(s);
    free(s);
}

void vxe_surface_settle(vxe_surface *s)
{
    free(s->part);
    free(s->neighbour);
    free(s->share_begin);
    free(s->share);
    free(s->pose);
    s->part = s->neighbour = s->share_begin = s->share = NULL;
    s->pose = NULL;
    s->part_count = 0;
}

/* What building needs for every voxel or corner of the model. */
typedef struct plan {
    const vxe_sim *sim;
    const vxe_model_view *model;
    const vxe_skin_view *skin;
    uint8_t *free_sides; /* bits of sides without a link, (voxel_count) */
    int32_t *before[3];  /* the neighbour towards smaller coordinates, or -1 */
    int32_t *shown;      /* index among those shown, or -1 */
    int32_t *corner;     /* index among those placed, or -1, (corner_count of the skin) */
    int32_t *part;       /* index among those with a part, or -1 */
} plan;

static void plan_clear(plan *p)
{
    free(p->free_sides);
    free(p->shown);
    free(p->corner);
    free(p->part);
    for (int a = 0; a < 3; a++) free(p->before[a]);
}

static void set_all(int32_t *array, size_t count)
{
    if (array != NULL) memset(array, 0xff, count * sizeof *array); /* -1 */
}

static bool plan_make(plan *p)
{
    const size_t n = (size_t)p->model->voxel_count;
    const size_t corners = (size_t)p->skin->corner_count;
    p->free_sides = vxe_allocate(n, 1);
    p->shown = vxe_allocate(n, sizeof *p->shown);
    p->part = vxe_allocate(n, sizeof *p->part);
    p->corner = vxe_allocate(corners, sizeof *p->corner);
    bool good = p->free_sides != NULL && p->shown != NULL && p->part != NULL && p->corner != NULL;
    for (int a = 0; a < 3; a++) {
        p->before[a] = vxe_allocate(n, sizeof *p->before[a]);
        good = good && p->before[a] != NULL;
        set_all(p->before[a], n);
    }
    if (!good) return false;
    set_all(p->shown, n);
    set_all(p->part, n);
    set_all(p->corner, corners);
    for (int32_t i = 0; i < p->skin->face_count; i++) {
        p->free_sides[p->skin->face_voxel[i]] |= (uint8_t)(1U << p->skin->face_side[i]);
    }
    for (int a = 0; a < 3; a++) {
        for (size_t v = 0; v < n; v++) {
            if (p->model->next[a][v] >= 0) p->before[a][p->model->next[a][v]] = (int32_t)v;
        }
    }
    return true;
}

/* Voxels, their corners and the faces. */
static bool list_shown(vxe_surface *s, plan *p, vxe_shown shown)
{
    const vxe_model_view *m = p->model;
    for (int32_t v = 0; v < m->voxel_count; v++) {
        const bool wanted = shown == VXE_SHOWN_ALL || (vxe_sim_present(p->sim, v) &&
                                                       (shown == VXE_SHOWN_PRESENT || p->free_sides[v] != 0));
        if (wanted) p->shown[v] = s->voxel_count++;
    }
    const size_t n = (size_t)s->voxel_count;
    const size_t f = (size_t)p->skin->face_count;
    s->voxel = vxe_allocate(n, sizeof *s->voxel);
    s->cell = vxe_allocate(3 * n, sizeof *s->cell);
    s->material = vxe_allocate(n, sizeof *s->material);
    s->hexahedron = vxe_allocate(CORNERS * n, sizeof *s->hexahedron);
    s->face = vxe_allocate(4 * f, sizeof *s->face);
    s->face_voxel = vxe_allocate(f, sizeof *s->face_voxel);
    s->face_side = vxe_allocate(f, 1);
    s->corner_cell = vxe_allocate(3 * CORNERS * n, sizeof *s->corner_cell);
    if (s->voxel == NULL || s->cell == NULL || s->material == NULL || s->hexahedron == NULL ||
        s->face == NULL || s->face_voxel == NULL || s->face_side == NULL || s->corner_cell == NULL) {
        return false;
    }
    for (int32_t v = 0; v < m->voxel_count; v++) {
        const int32_t i = p->shown[v];
        if (i < 0) continue;
        s->voxel[i] = (uint32_t)v;
        s->material[i] = vxe_life_material(p->sim, v);
        for (int a = 0; a < 3; a++) s->cell[3 * i + a] = m->cell[a][v];
        for (int c = 0; c < CORNERS; c++) {
            int32_t *corner = &p->corner[p->skin->voxel_corner[CORNERS * v + vtk_order[c]]];
            if (*corner < 0) {
                *corner = s->corner_count++;
                for (int a = 0; a < 3; a++) {
                    s->corner_cell[3 * (size_t)*corner + (size_t)a] = m->cell[a][v] + (c >> a & 1);
                }
            }
            s->hexahedron[CORNERS * i + c] = (uint32_t)*corner;
        }
    }
    for (size_t i = 0; i < f; i++) {
        if (p->shown[p->skin->face_voxel[i]] < 0) continue; /* nothing is there */
        const size_t face = (size_t)s->face_count++;
        s->face_voxel[face] = (uint32_t)p->shown[p->skin->face_voxel[i]];
        s->face_side[face] = p->skin->face_side[i];
        for (size_t c = 0; c < 4; c++)
            s->face[4 * face + c] = (uint32_t)p->corner[p->skin->face_corner[4 * i + c]];
    }
    return true;
}

/* Which voxels have a part in the corners, and in which. */
static bool list_shares(vxe_surface *s, plan *p)
{
    const vxe_model_view *m = p->model;
    const size_t corners = (size_t)s->corner_count;
    s->share_begin = vxe_allocate(corners + 1, sizeof *s->share_begin);
    if (s->share_begin == NULL) return false;
    for (int32_t v = 0; v < m->voxel_count; v++) {
        bool has = false;
        for (int c = 0; c < CORNERS; c++) {
            const int32_t corner = p->corner[p->skin->voxel_corner[CORNERS * v + c]];
            if (corner < 0) continue;
            s->share_begin[corner + 1]++;
            has = true;
        }
        if (has) p->part[v] = s->part_count++;
    }
    for (size_t c = 0; c < corners; c++) s->share_begin[c + 1] += s->share_begin[c];
    const size_t shares = (size_t)s->share_begin[corners];
    const size_t parts = (size_t)s->part_count;
    s->share = vxe_allocate(shares, sizeof *s->share);
    s->part = vxe_allocate(parts, sizeof *s->part);
    s->neighbour = vxe_allocate(SIDES * parts, sizeof *s->neighbour);
    s->pose = vxe_allocate(POSE * parts, sizeof *s->pose);
    int32_t *filled = vxe_allocate(corners, sizeof *filled);
    if (s->share == NULL || s->part == NULL || s->neighbour == NULL || s->pose == NULL || filled == NULL) {
        free(filled);
        return false;
    }
    for (int32_t v = 0; v < m->voxel_count; v++) {
        const int32_t i = p->part[v];
        if (i < 0) continue;
        s->part[i] = v;
        for (int a = 0; a < 3; a++) {
            s->neighbour[SIDES * i + 2 * a] = (p->free_sides[v] >> 2 * a & 1) != 0 ? -1 : p->before[a][v];
            s->neighbour[SIDES * i + 2 * a + 1] =
                (p->free_sides[v] >> (2 * a + 1) & 1) != 0 ? -1 : m->next[a][v];
        }
        for (int c = 0; c < CORNERS; c++) {
            const int32_t corner = p->corner[p->skin->voxel_corner[CORNERS * v + vtk_order[c]]];
            if (corner >= 0) s->share[s->share_begin[corner] + filled[corner]++] = CORNERS * i + c;
        }
    }
    free(filled);
    return true;
}

static bool list_links(vxe_surface *s, const plan *p)
{
    const vxe_model_view *m = p->model;
    s->link = vxe_allocate(2 * (size_t)m->link_count, sizeof *s->link);
    s->link_number = vxe_allocate((size_t)m->link_count, sizeof *s->link_number);
    if (s->link == NULL || s->link_number == NULL) return false;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->voxel_count && s->link_count < m->link_count; v++) {
            if (m->next[a][v] < 0 || p->shown[v] < 0 || p->shown[m->next[a][v]] < 0) continue;
            s->link[2 * s->link_count] = (uint32_t)p->shown[v];
            s->link[2 * s->link_count + 1] = (uint32_t)p->shown[m->next[a][v]];
            s->link_number[s->link_count++] = a * m->voxel_count + v;
        }
    }
    return true;
}

vxe_result vxe_surface_create(vxe_sim *sim, vxe_shown shown, bool links, vxe_surface **made, vxe_error *error)
{
    vxe_skin *skin = NULL;
    const vxe_result result = vxe_skin_create(sim, &skin, error);
    if (result != VXE_OK) return result;
    plan p = {.sim = sim, .model = vxe_model_get(vxe_sim_model(sim)), .skin = vxe_skin_get(skin)};
    vxe_surface *s = calloc(1, sizeof *s);
    const bool good = s != NULL && plan_make(&p) &&
                      list_shown(s, &p, shown == VXE_SHOWN_SURFACE && links ? VXE_SHOWN_PRESENT : shown) &&
                      list_shares(s, &p) && (!links || list_links(s, &p));
    plan_clear(&p);
    vxe_skin_destroy(skin);
    if (!good) {
        vxe_surface_destroy(s);
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the surface");
    }
    *made = s;
    return VXE_OK;
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static vec3 place_of(const double *const position[3], int32_t v)
{
    return vec3_make(position[0][v], position[1][v], position[2][v]);
}

/* As vxe_skin does it: along an axis a voxel is as long as its links there are in the mean, or as its growth
 * makes it where it has none. */
static double size_along(const vxe_surface *s, int32_t i, int a, const vxe_state *state, double pitch)
{
    const int32_t v = s->part[i];
    double length = 0.0;
    int links = 0;
    if (!(state->growth[v] > -1.0)) return 0.0; /* it is not there */
    for (int side = 2 * a; side < 2 * a + 2; side++) {
        const int32_t other = s->neighbour[SIDES * i + side];
        if (other < 0 || !(state->growth[other] > -1.0)) continue;
        length += vec3_length(vec3_sub(place_of(state->position, other), place_of(state->position, v)));
        links++;
    }
    return links == 0 ? pitch * (1.0 + state->growth[v]) : length / links;
}

void vxe_surface_pose(vxe_surface *s, const vxe_model_view *model, const vxe_state *state)
{
    for (int32_t i = 0; i < s->part_count; i++) {
        const int32_t v = s->part[i];
        double *pose = s->pose + POSE * (size_t)i;
        if (state == NULL) {
            memset(pose, 0, POSE * sizeof *pose);
            for (int a = 0; a < 3; a++) {
                pose[a] = model->start[a][v];
                pose[3 + 4 * a] = 0.5 * model->pitch;
            }
            continue;
        }
        const quat q = {state->orientation[0][v], state->orientation[1][v], state->orientation[2][v],
                        state->orientation[3][v]};
        for (int a = 0; a < 3; a++) {
            const double half = 0.5 * size_along(s, i, a, state, model->pitch);
            const vec3 axis =
                quat_rotate(q, vec3_make(a == 0 ? half : 0.0, a == 1 ? half : 0.0, a == 2 ? half : 0.0));
            pose[a] = state->position[a][v];
            pose[3 + 3 * a] = axis.x;
            pose[4 + 3 * a] = axis.y;
            pose[5 + 3 * a] = axis.z;
        }
    }
}

/* From the voxel's centre to its corner c. */
static vec3 arm_of(const double *pose, int c)
{
    vec3 arm = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        const double sign = (c >> a & 1) != 0 ? 1.0 : -1.0;
        arm = vec3_add(arm, vec3_scale(sign, vec3_from(pose + 3 + 3 * a)));
    }
    return arm;
}

static bool has_size(const double *pose)
{
    for (int i = 3; i < POSE; i++) {
        if (pose[i] != 0.0) return true;
    }
    return false;
}

void vxe_surface_corners(const vxe_surface *s, const double origin[3], float *corners)
{
    for (int32_t corner = 0; corner < s->corner_count; corner++) {
        vec3 sum = {0.0, 0.0, 0.0};
        int there = 0; /* voxels without size do not pull at those they will belong to */
        const int32_t begin = s->share_begin[corner];
        const int32_t end = s->share_begin[corner + 1];
        for (int32_t i = begin; i < end; i++)
            there += has_size(s->pose + POSE * (size_t)(s->share[i] / CORNERS)) ? 1 : 0;
        for (int32_t i = begin; i < end; i++) {
            const double *pose = s->pose + POSE * (size_t)(s->share[i] / CORNERS);
            if (there > 0 && !has_size(pose)) continue;
            sum = vec3_add(sum, vec3_add(vec3_from(pose), arm_of(pose, s->share[i] % CORNERS)));
        }
        const vec3 mean = vec3_scale(1.0 / (there > 0 ? there : end - begin), sum);
        corners[3 * (size_t)corner] = (float)(mean.x - origin[0]);
        corners[3 * (size_t)corner + 1] = (float)(mean.y - origin[1]);
        corners[3 * (size_t)corner + 2] = (float)(mean.z - origin[2]);
    }
}

void vxe_surface_motion(const vxe_surface *s, const double *const displacement[3],
                        const double *const rotation[3], double scale, float *motion)
{
    for (int32_t corner = 0; corner < s->corner_count; corner++) {
        vec3 sum = {0.0, 0.0, 0.0};
        const int32_t end = s->share_begin[corner + 1];
        for (int32_t i = s->share_begin[corner]; i < end; i++) {
            const int32_t part = s->share[i] / CORNERS;
            const int32_t v = s->part[part];
            const vec3 arm = arm_of(s->pose + POSE * (size_t)part, s->share[i] % CORNERS);
            sum = vec3_add(sum, place_of(displacement, v));
            sum = vec3_add(sum, vec3_cross(place_of(rotation, v), arm));
        }
        const vec3 mean = vec3_scale(scale / (end - s->share_begin[corner]), sum);
        motion[3 * (size_t)corner] = (float)mean.x;
        motion[3 * (size_t)corner + 1] = (float)mean.y;
        motion[3 * (size_t)corner + 2] = (float)mean.z;
    }
}

void vxe_surface_start(const vxe_surface *s, double pitch, const double origin[3], float *corners)
{
    for (size_t i = 0; i < 3 * (size_t)s->corner_count; i++) {
        corners[i] = (float)(s->corner_cell[i] * pitch - origin[i % 3]);
    }
}
