/* Whether a device can take the next step of a simulation: see docs/gpu.md. */
#include "backend/cuda/code.h"
#include "backend/cuda/group.h"

#include "sim/collide.h"
#include "sim/loads.h"

/* Regions that hold must hold still: what moves is left to the host. */
static bool regions_hold_still(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    for (int32_t i = 0; i < m->view.region_count; i++) {
        const model_region *r = &m->regions[i];
        const sim_region *now = &sim->regions[i];
        if (r->def.fixed == 0) continue;
        double wanted[3];
        vxe_region_displacement_at(sim, i, sim->time, wanted);
        for (int a = 0; a < 3; a++) {
            if (r->def.rotation[a] != 0.0 || wanted[a] != now->placed[a]) return false;
            if (now->from[a] != now->to[a] && sim->time < now->ramp_begin + now->ramp) return false;
        }
    }
    return true;
}

/* Pairs that may touch, and contacts, have room on the device. */
static bool pairs_have_room(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    const int32_t n = sim->model->view.voxel_count;
    if (c == NULL) return true;
    const bool every = c->scheme == VXE_COLLISIONS_ALL_EVERY || c->scheme == VXE_COLLISIONS_SURFACE_EVERY;
    if (every || c->stale != 0 || c->rebuilds == 0) return false;
    if (c->constants == NULL && (c->touching_count > 0 || c->parted_count > 0)) return false;
    const bool grid = vxe_gpu_is_large(sim);
    return c->list.count <= (grid ? GRID_PAIRS(n) : ROBOT_PAIRS(n)) &&
           c->touching_count + c->parted_count <= (grid ? GRID_TOUCHES(n) : ROBOT_TOUCHES(n));
}

bool vxe_gpu_takes(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const gpu_member *member = sim->remote;
    const int64_t alone = member->alone_until - sim->step; /* far away after a reset */
    if (sim->pace.expect != EDIT_NONE) return false;       /* the next step sees to it */
    if (sim->def.precision == VXE_PRECISION_FAST || sim->def.audit || (alone > 0 && alone <= ALONE_MOST))
        return false;
    if (m->class_count > (vxe_gpu_is_large(sim) ? UINT16_MAX - 1 : ROBOT_CLASSES_MAX)) return false;
    if (m->rule_count > 0) return false; /* rules look at voxels after every step */
    if (m->nonlinear || sim->own_kind[0] != NULL) return false;
    if (!pairs_have_room(sim) || sim->ground != NULL || sim->rigid != NULL || m->outside ||
        sim->environment.kinetic_damping)
        return false;
    if (m->watches_hits || m->watches_way) return false;
    if ((vxe_loads_present(sim) & ~(unsigned)LOAD_GRAVITY) != 0) return false;
    if (m->actuated_count > 0 && (sim->control != NULL || m->grows)) return false;
    for (int32_t i = 0; i < m->view.signal_count; i++) {
        if ((unsigned)m->signals[i].def.waveform > VXE_WAVE_TABLE) return false;
    }
    return regions_hold_still(sim);
}
