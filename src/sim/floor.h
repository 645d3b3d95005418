/* Where the floor is for a voxel: a plane, or a disc around the middle of the workspace. The law of the
 * contact itself is in kernel/voxel.h. */
#ifndef SIM_FLOOR_H
#define SIM_FLOOR_H

#include "kernel/strain.h"
#include "kernel/voxel.h"
#include "sim/sim.h"

/* Whether there is floor under a place. */
static inline bool vxe_floor_under(const vxe_sim *sim, double x, double y)
{
    const vxe_model_view *view = &sim->model->view;
    const double edge = sim->environment.floor_radius;
    return sim->environment.floor && floor_is_under(x - 0.5 * view->pitch * view->size[0],
                                                    y - 0.5 * view->pitch * view->size[1], edge * edge) != 0;
}

/* Whether the centre of a voxel is over the disc, or the floor has no edge. */
static inline bool vxe_is_over_disc(const vxe_sim *sim, int32_t v)
{
    const vxe_model_view *view = &sim->model->view;
    const double edge = sim->environment.floor_radius;
    return floor_is_under(sim->position[0][v] - 0.5 * view->pitch * view->size[0],
                          sim->position[1][v] - 0.5 * view->pitch * view->size[1], edge * edge) != 0;
}

/* How deep a voxel is in the floor as if that were a plane, m. */
static inline double vxe_plane_depth(const vxe_sim *sim, int32_t v)
{
    return floor_depth_of(sim->model->view.pitch, sim->growth[0][v], sim->position[2][v]);
}

/* m: how deep a voxel would be in the floor at another size and place; negative: above it, or there is none.
 * At the edge of a disc, or where it began below the floor, it meets the floor where it came in. */
static inline double vxe_floor_depth(const vxe_sim *sim, int32_t v, double growth, double x, double y,
                                     double z)
{
    if (!vxe_floor_under(sim, x, y)) return -__builtin_inf();
    const double depth = floor_depth_of(sim->model->view.pitch, growth, z);
    if (sim->floor_rest[0] == NULL) return depth;
    if (sim->floor_rest[0][v] != PASSES_FLOOR) return depth - sim->floor_rest[0][v];
    return depth < 0.5 * sim->model->view.pitch * (1.0 + growth) ? depth : -__builtin_inf();
}

/* The floor's springs under a voxel. */
static inline contact_spring vxe_floor_spring(const vxe_sim *sim, int32_t v)
{
    return floor_spring(real_of(sim->voxels[sim->material[v]].floor_stiffness),
                        real_of(sim->model->view.pitch));
}

/* Whether the floor can touch a voxel in this step, and how deep it is in it, m. */
static inline bool vxe_is_near_floor(const vxe_sim *sim, int32_t v, double *depth)
{
    if (!sim->environment.floor || sim->material[v] == 0) return false;
    *depth = vxe_plane_depth(sim, v);
    if (sim->floor_rest[0] != NULL) {
        if (sim->floor_rest[0][v] == PASSES_FLOOR) return false;
        *depth -= sim->floor_rest[0][v];
    }
    return *depth > -FLOOR_NEAR * sim->model->view.pitch;
}

/* m: how deep in the floor a voxel begins, put there by the scene. */
static inline double vxe_floor_start(const vxe_model *m, int32_t v)
{
    const double depth = floor_depth_of(m->view.pitch, 0.0, m->start[2][v]);
    return m->environment.floor && depth > 1e-9 * m->view.pitch ? depth : 0.0;
}

/* What counts of the floor as it begins. */
static inline double vxe_floor_rest_start(const vxe_sim *sim, int32_t v)
{
    const vxe_model *m = sim->model;
    const double rest = vxe_floor_start(m, v);
    const bool under = m->environment.floor_radius > 0.0 && !(rest < 0.5 * m->view.pitch);
    return under || !vxe_is_over_disc(sim, v) ? PASSES_FLOOR : rest;
}

/* At the edge of a disc a voxel can come in from the side, already below the surface, and a part may be put
 * there at the start. It meets the floor where it is then, without energy stored, and what it rises by later
 * counts; one whose centre is below a disc passes under it. `fall`: m, by how much it was deeper half a step
 * ago. */
static inline void vxe_settle_on_disc(vxe_sim *sim, int32_t v, double fall)
{
    if (sim->floor_rest[0] == NULL) return;
    double *rest = &sim->floor_rest[0][v];
    const double before = vxe_plane_depth(sim, v) + fall;
    if (!vxe_is_over_disc(sim, v)) {
        *rest = PASSES_FLOOR;
    } else if (*rest == PASSES_FLOOR) {
        if (before < 0.5 * sim->model->view.pitch * (1.0 + sim->growth[0][v]))
            *rest = before > 0.0 ? before : 0.0;
    } else if (before < *rest) {
        *rest = before > 0.0 ? before : 0.0;
    }
}

#endif
