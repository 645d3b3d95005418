/* Corners and surface of a simulation: voxels, links and poses in, a mesh out. See voxelastic/skin.h.
 *
 * Numbering. Slot 8 v + c is corner c of voxel v. A link joins the four slots of the face it crosses with
 * those of the neighbour; slots joined, directly or by way of others, are one corner. All slots that can ever
 * be joined lie at the same corner of the lattice, so at most eight meet.
 *
 * Places. A voxel's own corner is p + R (sx, sy, sz)/2, where the size s along an axis is the mean length of
 * its links there, or pitch (1 + growth) without any: so the free end of a stretched bar is as long as the
 * rest. */
#include "base/base.h"
#include "base/roots.h"
#include "base/vec.h"
#include "sim/pose.h"
#include "voxelastic/skin.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 8, SIDES = 6 };

/* Signs of the corners, in the order of a VTK hexahedron. */
static const int8_t corner_sign[CORNERS][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                               {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
/* Corners of the sides -x, +x, -y, +y, -z, +z, counterclockwise from outside. */
static const uint8_t side_corner[SIDES][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                              {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};
/* Corner c of the far voxel that meets corner c of the near one's + side, by axis: same signs but along it.
 */
static const uint8_t opposite[3][CORNERS] = {
    {1, 0, 3, 2, 5, 4, 7, 6}, {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}};

struct vxe_skin {
    vxe_skin_view view;
    const vxe_model *model;
    uint64_t broken;       /* which links were broken when the corners were numbered: mark_broken() */
    int32_t *voxel_corner; /* (8 n) */
    int32_t *face_corner;
    int32_t *face_voxel;
    uint8_t *face_side;
    double *corner; /* (3 corner_count) */
    uint8_t *share; /* voxels that share a corner, (corner_count) */
    double *size;   /* m; sizes along the three axes, (3 n), work space */
    uint8_t *links; /* links along the three axes, (3 n), work space */
};

static void free_arrays(vxe_skin *skin)
{
    free(skin->voxel_corner);
    free(skin->face_corner);
    free(skin->face_voxel);
    free(skin->face_side);
    free(skin->corner);
    free(skin->share);
    free(skin->size);
    free(skin->links);
}

void vxe_skin_destroy(vxe_skin *skin)
{
    if (skin == NULL) return;
    free_arrays(skin);
    free(skin);
}

/* A hash of the links that are broken. (Not their number: a simulation may be reset, or resume elsewhere.) */
static uint64_t mark_broken(const vxe_pose *pose)
{
    uint64_t hash = VXE_HASH_START;
    if (pose->broken[0] == NULL) return hash;
    const int32_t n = vxe_model_get(pose->model)->voxel_count;
    for (int32_t i = 0; i < 3 * n; i++)
        if (pose->broken[i / n][i % n] != 0) hash = vxe_hash_u64(hash, (uint64_t)i);
    for (int32_t v = 0; v < n; v++) /* who is not there, and has no links */
        if (!(pose->growth[v] > -1.0)) hash = vxe_hash_u64(hash, (uint64_t)(3 * (int64_t)n + v));
    return hash;
}

/* Whether a side of a voxel has a link. */
static bool is_linked(const vxe_pose *pose, int32_t v, int side, const uint8_t *linked)
{
    return side % 2 != 0 ? pose->linked[side / 2][v] != 0 : (linked[v] >> (side / 2) & 1) != 0;
}

/* Joins the slots of all links; the root of a corner is its lowest slot. */
static void join_slots(const vxe_pose *pose, int32_t *parent)
{
    const vxe_model_view *m = vxe_model_get(pose->model);
    const int32_t n = m->voxel_count;
    for (int32_t slot = 0; slot < CORNERS * n; slot++) parent[slot] = slot;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (pose->linked[a][v] == 0) continue;
            for (int i = 0; i < 4; i++) {
                const int c = side_corner[2 * a + 1][i];
                const int32_t near = vxe_root(parent, CORNERS * v + c);
                const int32_t far = vxe_root(parent, CORNERS * m->next[a][v] + opposite[a][c]);
                if (near < far) {
                    parent[far] = near;
                } else {
                    parent[near] = far;
                }
            }
        }
    }
}

/* Replaces roots by numbers of corners, in place; gives how many there are. Roots come before their slots. */
static int32_t number_corners(int32_t *parent, int32_t slots)
{
    int32_t count = 0;
    for (int32_t slot = 0; slot < slots; slot++) {
        /* A parent is lower than its slot, so it has its number already, unless it is the slot itself. */
        parent[slot] = parent[slot] == slot ? count++ : parent[parent[slot]];
    }
    return count;
}

/* Numbers corners and faces of the links as they are now. */
static vxe_result build(vxe_skin *skin, const vxe_pose *pose, int32_t version, vxe_error *error)
{
    const vxe_model_view *m = vxe_model_get(pose->model);
    const int32_t n = m->voxel_count;
    const size_t voxels = (size_t)n;
    vxe_skin made = {.model = pose->model};
    uint8_t *linked = vxe_allocate(voxels, 1); /* bits of the axes with a link towards smaller coordinates */
    made.voxel_corner = vxe_allocate(CORNERS * voxels, sizeof *made.voxel_corner);
    made.size = vxe_allocate(3 * voxels, sizeof *made.size);
    made.links = vxe_allocate(3 * voxels, 1);
    size_t faces = 0;
    if (linked != NULL && made.voxel_corner != NULL) {
        join_slots(pose, made.voxel_corner);
        made.view.corner_count = number_corners(made.voxel_corner, CORNERS * n);
        faces = SIDES * voxels;
        for (int a = 0; a < 3; a++) {
            for (int32_t v = 0; v < n; v++) {
                if (pose->linked[a][v] == 0) continue;
                linked[m->next[a][v]] |= (uint8_t)(1U << a);
                faces -= 2;
            }
        }
        made.corner = vxe_allocate(3 * (size_t)made.view.corner_count, sizeof *made.corner);
        made.share = vxe_allocate((size_t)made.view.corner_count, 1);
        made.face_corner = vxe_allocate(4 * faces, sizeof *made.face_corner);
        made.face_voxel = vxe_allocate(faces, sizeof *made.face_voxel);
        made.face_side = vxe_allocate(faces, 1);
    }
    if (made.size == NULL || made.links == NULL || made.corner == NULL || made.share == NULL ||
        made.face_corner == NULL || made.face_voxel == NULL || made.face_side == NULL || linked == NULL) {
        free(linked);
        free_arrays(&made);
        return vxe_fail_memory(error, "the corners of the voxels", 100 * voxels);
    }
    for (size_t slot = 0; slot < CORNERS * voxels; slot++) made.share[made.voxel_corner[slot]]++;
    size_t face = 0;
    for (int32_t v = 0; v < n; v++) {
        for (int side = 0; side < SIDES; side++) {
            if (is_linked(pose, v, side, linked)) continue;
            for (int i = 0; i < 4; i++)
                made.face_corner[4 * face + (size_t)i] =
                    made.voxel_corner[CORNERS * v + side_corner[side][i]];
            made.face_voxel[face] = v;
            made.face_side[face] = (uint8_t)side;
            face++;
        }
    }
    free(linked);
    made.view.voxel_count = n;
    made.view.face_count = (int32_t)faces;
    made.view.version = version;
    made.view.voxel_corner = made.voxel_corner;
    made.view.corner = made.corner;
    made.view.face_corner = made.face_corner;
    made.view.face_voxel = made.face_voxel;
    made.view.face_side = made.face_side;
    made.broken = mark_broken(pose);
    *skin = made;
    return VXE_OK;
}

static vec3 place_of(const vxe_pose *pose, int32_t v)
{
    return vec3_make(pose->position[0][v], pose->position[1][v], pose->position[2][v]);
}

/* Sizes of the voxels along their own axes, m. */
static void measure_sizes(vxe_skin *skin, const vxe_pose *pose)
{
    const vxe_model_view *m = vxe_model_get(pose->model);
    const size_t n = (size_t)m->voxel_count;
    memset(skin->size, 0, 3 * n * sizeof *skin->size);
    memset(skin->links, 0, 3 * n);
    for (int a = 0; a < 3; a++) {
        double *size = skin->size + (size_t)a * n;
        uint8_t *links = skin->links + (size_t)a * n;
        for (int32_t v = 0; v < m->voxel_count; v++) {
            if (pose->linked[a][v] == 0) continue;
            const int32_t far = m->next[a][v];
            const double length = vec3_length(vec3_sub(place_of(pose, far), place_of(pose, v)));
            size[v] += length;
            size[far] += length;
            links[v]++;
            links[far]++;
        }
        for (int32_t v = 0; v < m->voxel_count; v++)
            size[v] = links[v] == 0 ? m->pitch * (1.0 + pose->growth[v]) : size[v] / links[v];
    }
}

static void place_corners(vxe_skin *skin, const vxe_pose *pose)
{
    const int32_t n = skin->view.voxel_count;
    const size_t corners = (size_t)skin->view.corner_count;
    measure_sizes(skin, pose);
    memset(skin->corner, 0, 3 * corners * sizeof *skin->corner);
    for (int32_t v = 0; v < n; v++) {
        const quat q = {pose->orientation[0][v], pose->orientation[1][v], pose->orientation[2][v],
                        pose->orientation[3][v]};
        const vec3 p = place_of(pose, v);
        vec3 half[3];
        for (int a = 0; a < 3; a++) {
            const double s = 0.5 * skin->size[(size_t)a * (size_t)n + (size_t)v];
            half[a] = quat_rotate(q, vec3_make(a == 0 ? s : 0.0, a == 1 ? s : 0.0, a == 2 ? s : 0.0));
        }
        for (int c = 0; c < CORNERS; c++) {
            vec3 at = p;
            for (int a = 0; a < 3; a++) at = vec3_add(at, vec3_scale(corner_sign[c][a], half[a]));
            double *corner = skin->corner + 3 * (size_t)skin->voxel_corner[CORNERS * v + c];
            corner[0] += at.x;
            corner[1] += at.y;
            corner[2] += at.z;
        }
    }
    for (size_t c = 0; c < corners; c++)
        for (int i = 0; i < 3; i++) skin->corner[3 * c + (size_t)i] /= skin->share[c];
}

vxe_result vxe_skin_create(const vxe_sim *sim, vxe_skin **skin, vxe_error *error)
{
    if (sim == NULL || skin == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_skin_create: NULL");
    const vxe_pose pose = vxe_sim_pose(sim);
    const int32_t voxels = vxe_model_get(pose.model)->voxel_count;
    if (voxels > INT32_MAX / CORNERS) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "%d voxels are too many to number their corners",
                        (int)voxels);
    }
    vxe_skin *made = vxe_allocate(1, sizeof *made);
    if (made == NULL) return vxe_fail_memory(error, "a skin", sizeof *made);
    const vxe_result result = build(made, &pose, 1, error);
    if (result != VXE_OK) {
        vxe_skin_destroy(made);
        return result;
    }
    place_corners(made, &pose);
    *skin = made;
    return VXE_OK;
}

vxe_result vxe_skin_update(vxe_skin *skin, const vxe_sim *sim, vxe_error *error)
{
    if (skin == NULL || sim == NULL || vxe_sim_model(sim) != skin->model)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_skin_update: a skin and a simulation of its model");
    const vxe_pose pose = vxe_sim_pose(sim);
    if (mark_broken(&pose) != skin->broken) {
        vxe_skin made = {.model = skin->model};
        const vxe_result result = build(&made, &pose, skin->view.version + 1, error);
        if (result != VXE_OK) return result;
        vxe_skin old = *skin;
        *skin = made;
        free_arrays(&old);
    }
    place_corners(skin, &pose);
    return VXE_OK;
}

const vxe_skin_view *vxe_skin_get(const vxe_skin *skin) { return skin == NULL ? NULL : &skin->view; }
