/* Prescribed motion: see supports.h. */
#include "solve/supports.h"

#include "base/base.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double vxe_static_time(const vxe_sim *sim, double time)
{
    double end = time >= 0.0 ? time : sim->time;
    for (int32_t r = 0; r < sim->model->view.region_count; r++) {
        const sim_region *region = &sim->regions[r];
        end = fmax(end, fmax(region->ramp_begin + region->ramp, sim->model->regions[r].def.ramp));
    }
    return end;
}

void vxe_prescribed(const lattice *l, double *u)
{
    const vxe_model *m = l->model;
    memset(u, 0, DOFS * (size_t)l->voxels * sizeof *u);
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t v = m->held_voxel[h];
        for (size_t d = 0; d < DOFS; d++) {
            const int32_t r = m->held_region[DOFS * (size_t)h + d];
            if (r < 0) continue;
            const model_region *region = &m->regions[r];
            const vec3 rotation = vec3_from(region->def.rotation);
            const vec3 arm = vec3_make(m->start[0][v] - region->pivot[0], m->start[1][v] - region->pivot[1],
                                       m->start[2][v] - region->pivot[2]);
            const vec3 moved = vec3_cross(rotation, arm);
            const double turned[3] = {moved.x, moved.y, moved.z};
            u[DOFS * (size_t)v + d] =
                d < 3 ? l->sim->regions[r].to[d] + turned[d] : region->def.rotation[d - 3];
        }
    }
}

/* ---- the way there ------------------------------------------------------------------------------------------------ */

static bool turns(const model_region *region)
{
    return region->def.rotation[0] != 0.0 || region->def.rotation[1] != 0.0 || region->def.rotation[2] != 0.0;
}

/* Displacement of a voxel by a part of its region's rotation. */
static vec3 turned_by(const vxe_model *m, const model_region *region, int32_t v, double part)
{
    if (!turns(region)) return vec3_make(0.0, 0.0, 0.0);
    const vec3 arm = vec3_make(m->start[0][v] - region->pivot[0], m->start[1][v] - region->pivot[1],
                               m->start[2][v] - region->pivot[2]);
    return vec3_sub(quat_rotate(quat_from_rotation(vec3_scale(part, vec3_from(region->def.rotation))), arm),
                    arm);
}

/* How far a region has turned: nothing, all, or what its ramp says, whichever fits the places of the voxels
 * it holds best (relative to the first of them, so that its displacement does not matter). A simulation that
 * has not stepped yet is at 0 whatever the ramp says. */
static double turn_now(const lattice *l, const pose *p, int32_t region)
{
    const vxe_model *m = l->model;
    const model_region *r = &m->regions[region];
    const double candidates[3] = {0.0, vxe_region_turn_part(l->sim, region, l->sim->time), 1.0};
    double best = 0.0;
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const quat q = quat_from_rotation(vec3_scale(candidates[i], vec3_from(r->def.rotation)));
        double misfit = 0.0;
        int32_t first = -1;
        for (int32_t h = 0; h < m->held_count; h++) {
            if (m->held_region[DOFS * (size_t)h] != region) continue;
            const int32_t v = m->held_voxel[h];
            if (first < 0) first = v;
            const vec3 arm =
                vec3_make(m->start[0][v] - m->start[0][first], m->start[1][v] - m->start[1][first],
                          m->start[2][v] - m->start[2][first]);
            const vec3 now =
                vec3_sub(vec3_from(&p->position[3 * (size_t)v]), vec3_from(&p->position[3 * (size_t)first]));
            const vec3 off = vec3_sub(now, quat_rotate(q, arm));
            misfit += vec3_dot(off, off);
            if (m->held_region[DOFS * (size_t)h + 3] != region) continue;
            const double *own = &p->turn[4 * (size_t)v];
            const double fit = fabs(q.w * own[0] + q.x * own[1] + q.y * own[2] + q.z * own[3]);
            misfit += l->pitch * l->pitch * (1.0 - fit);
        }
        if (misfit < least - 1e-12 * l->pitch * l->pitch) {
            least = misfit;
            best = candidates[i];
        }
    }
    return best;
}

vxe_result vxe_support_path_create(const lattice *l, const pose *from, support_path *path, vxe_error *error)
{
    const vxe_model *m = l->model;
    const size_t regions = (size_t)m->view.region_count;
    *path = (support_path){vxe_allocate(3 * regions, sizeof(double)), vxe_allocate(regions, sizeof(double))};
    if (path->move == NULL || path->turn == NULL) {
        vxe_support_path_destroy(path);
        return vxe_fail_memory(error, "the supports", 4 * regions * sizeof(double));
    }
    for (int32_t r = 0; r < m->view.region_count; r++) {
        if (turns(&m->regions[r])) path->turn[r] = turn_now(l, from, r);
    }
    /* any voxel of a region tells where it is; the last one found does here */
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t v = m->held_voxel[h];
        for (size_t a = 0; a < 3; a++) {
            const int32_t r = m->held_region[DOFS * (size_t)h + a];
            if (r < 0) continue;
            const vec3 turned = turned_by(m, &m->regions[r], v, path->turn[r]);
            const double moved[3] = {turned.x, turned.y, turned.z};
            const double now = from->position[3 * (size_t)v + a] - m->start[a][v] - moved[a];
            path->move[3 * (size_t)r + a] = fabs(now) > 1e-12 * l->pitch ? now : 0.0; /* not round-off */
        }
    }
    return VXE_OK;
}

void vxe_support_path_destroy(support_path *path)
{
    free(path->move);
    free(path->turn);
    *path = (support_path){NULL, NULL};
}

void vxe_support_increments(const lattice *l, const support_path *path, const pose *p, double from, double to,
                            double *u)
{
    const vxe_model *m = l->model;
    memset(u, 0, DOFS * (size_t)l->voxels * sizeof *u);
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t v = m->held_voxel[h];
        for (size_t d = 0; d < DOFS; d++) {
            const int32_t r = m->held_region[DOFS * (size_t)h + d];
            if (r < 0) continue;
            const model_region *region = &m->regions[r];
            if (d >= 3) {
                u[DOFS * (size_t)v + d] = (to - from) * (1.0 - path->turn[r]) * region->def.rotation[d - 3];
                continue;
            }
            const double part = path->turn[r] + to * (1.0 - path->turn[r]);
            const vec3 turned = turned_by(m, region, v, part);
            const double moved[3] = {turned.x, turned.y, turned.z};
            const double begin = path->move[3 * (size_t)r + d];
            const double target = m->start[d][v] + begin + to * (l->sim->regions[r].to[d] - begin) + moved[d];
            u[DOFS * (size_t)v + d] = target - p->position[3 * (size_t)v + d];
        }
    }
}
