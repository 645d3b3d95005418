/* The pose of a simulation: see pose.h. */
#include "sim/pose.h"
#include "sim/sim.h"

vxe_pose vxe_sim_pose(const vxe_sim *sim)
{
    vxe_pose pose = {.model = sim->model, .growth = sim->growth[0]};
    for (int a = 0; a < 3; a++) {
        pose.position[a] = sim->position[a];
        pose.linked[a] = sim->link_kind[a];
        pose.broken[a] = sim->broken[a];
    }
    for (int a = 0; a < 4; a++) pose.orientation[a] = sim->orientation[a];
    return pose;
}
