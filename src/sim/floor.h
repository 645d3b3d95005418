/* The floor of a simulation, as edited: where it is and how deep voxels are in it. */
#ifndef SIM_FLOOR_H
#define SIM_FLOOR_H

#include "kernel/strain.h"
#include "sim/sim.h"

/* Whether there is floor under a place: a plane, or a disc around the middle of the workspace. */
static inline bool vxe_floor_under(const vxe_sim *sim, double x, double y)
{
    const vxe_model_view *view = &sim->model->view;
    const double radius = sim->environment.floor_radius;
    return sim->environment.floor &&
           floor_is_under(x - 0.5 * view->pitch * view->size[0], y - 0.5 * view->pitch * view->size[1],
                          radius * radius) != 0;
}

/* m: how deep a voxel of this growth at x, y, z is in the floor; negative: above it, or there is none. */
static inline double vxe_floor_depth(const vxe_sim *sim, double growth, double x, double y, double z)
{
    return vxe_floor_under(sim, x, y) ? floor_depth_of(sim->model->view.pitch, growth, z) : -__builtin_inf();
}

#endif
