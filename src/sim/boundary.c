/* Where regions take their voxels, and how much of a load acts: the scene's values with their ramps, or what
 * was set while running. */
#include "kernel/signal.h"
#include "sim/sim.h"

static double ramp_part(double time, double begin, double length)
{
    if (length <= 0.0) return time >= begin ? 1.0 : 0.0;
    return signal_smooth((time - begin) / length);
}

double vxe_region_load_part(const vxe_sim *sim, int32_t region, double time)
{
    if (sim->regions[region].load_ramped == 0) return 1.0;
    return ramp_part(time, 0.0, sim->model->regions[region].def.ramp);
}

void vxe_region_displacement_at(const vxe_sim *sim, int32_t region, double time, double displacement[3])
{
    const sim_region *r = &sim->regions[region];
    const double part = ramp_part(time, r->ramp_begin, r->ramp);
    for (int a = 0; a < 3; a++) displacement[a] = r->from[a] + part * (r->to[a] - r->from[a]);
}

double vxe_region_turn_part(const vxe_sim *sim, int32_t region, double time)
{
    return ramp_part(time, 0.0, sim->model->regions[region].def.ramp);
}

/* What is asked for at once takes some steps: none moves a voxel by more than this part of a pitch, or turns
 * it by more than so many radians, or it would be torn off before its neighbours could feel it. */
#define MOVE_MOST 0.02

void vxe_regions_move(vxe_sim *sim, double time)
{
    const vxe_model *m = sim->model;
    const double most = MOVE_MOST * m->view.pitch;
    for (int32_t i = 0; i < m->view.region_count; i++) {
        sim_region *r = &sim->regions[i];
        if (m->regions[i].def.fixed == 0) continue;
        double wanted[3];
        vxe_region_displacement_at(sim, i, time, wanted);
        double way[3];
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            way[a] = wanted[a] - r->placed[a];
            square += way[a] * way[a];
        }
        const double part = square > most * most ? most / __builtin_sqrt(square) : 1.0;
        for (int a = 0; a < 3; a++) r->placed[a] = part < 1.0 ? r->placed[a] + part * way[a] : wanted[a];
        r->turned_before = r->turned;
        const double turn = vxe_region_turn_part(sim, i, time) - r->turned;
        r->turned = turn > r->turn_most    ? r->turned + r->turn_most
                    : turn < -r->turn_most ? r->turned - r->turn_most
                                           : vxe_region_turn_part(sim, i, time);
    }
}

/* The part of its rotation that a region may turn by in a step. */
double vxe_region_turn_most(const vxe_model *m, int32_t region)
{
    const vxe_region_def *def = &m->regions[region].def;
    double square = 0.0;
    double arm = 0.0;
    for (int a = 0; a < 3; a++) square += def->rotation[a] * def->rotation[a];
    if (!(square > 0.0)) return 1.0;
    for (int32_t k = m->region_begin[region]; k < m->region_begin[region + 1] && !def->in_place; k++) {
        double far = 0.0;
        for (int a = 0; a < 3; a++) {
            const double d = m->start[a][m->region_voxel[k]] - m->regions[region].pivot[a];
            far += d * d;
        }
        if (far > arm) arm = far;
    }
    const double angle = __builtin_sqrt(square);
    const double pitches = __builtin_sqrt(arm) / m->view.pitch;
    return MOVE_MOST / (pitches > 1.0 ? angle * pitches : angle);
}
