/* Bringing a simulation to rest: see rest.h. */
#include "solve/rest.h"

#include "base/base.h"
#include "sim/collide.h"
#include "sim/floor.h"

#include <math.h>
#include <string.h>

/* ---- setting ------------------------------------------------------------------------------------------------------ */

static void set_voxels(vxe_sim *sim, const newton *n)
{
    const lattice *l = n->l;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        const double depth = n->floor ? vxe_lattice_depth(l, &n->now, (int32_t)v) : -1.0;
        const double normal = depth > 0.0 ? vxe_lattice_floor_force(l, &n->now, (int32_t)v) : 0.0;
        sim->stuck[0][v] = depth > 0.0 && n->stuck[v] != 0;
        for (size_t a = 0; a < 3; a++) {
            const double total = l->load[DOFS * v + a] - n->gradient[DOFS * v + a];
            const double friction = sim->stuck[0][v] != 0 && a < 2 ? -total : 0.0;
            sim->position[a][v] = n->now.position[3 * v + a];
            sim->velocity[a][v] = 0.0;
            sim->spin[a][v] = 0.0;
            sim->force[a][v] = total + friction;
            sim->moment[a][v] = l->load[DOFS * v + 3 + a] - n->gradient[DOFS * v + 3 + a];
            sim->contact_force[a][v] = a == 2 ? normal : friction;
        }
        for (size_t i = 0; i < 4; i++) sim->orientation[i][v] = n->now.turn[4 * v + i];
        sim->growth[0][v] = n->now.growth[v];
        sim->pressure[0][v] = lattice_pressure(l, (int32_t)v);
        if (sim->floor_rest[0] != NULL) { /* where it met the floor; where there is none it will pass */
            const bool over = vxe_floor_under(sim, sim->position[0][v], sim->position[1][v]);
            const bool met = sim->floor_rest[0][v] != PASSES_FLOOR;
            sim->floor_rest[0][v] = !over ? PASSES_FLOOR : met ? sim->floor_rest[0][v] : 0.0;
        }
        if (sim->def.audit) {
            sim->growth_before[0][v] = n->now.growth[v];
            for (int a = 0; a < 3; a++) {
                sim->lost_force[a][v] = 0.0;
                sim->lost_moment[a][v] = 0.0;
            }
        }
    }
}

/* Ramps have ended. */
static void set_regions(vxe_sim *sim)
{
    for (int32_t r = 0; r < sim->model->view.region_count; r++) {
        sim_region *region = &sim->regions[r];
        memcpy(region->from, region->to, sizeof region->from);
        memcpy(region->pressed, region->force, sizeof region->pressed);
        memcpy(region->placed, region->to, sizeof region->placed);
        region->turned = region->turned_before = vxe_region_turn_part(sim, r, sim->time);
        region->ramp = 0.0;
        region->load_ramped = 0;
    }
}

void vxe_rest_set(vxe_sim *sim, const newton *n)
{
    const lattice *l = n->l;
    const vxe_model *m = sim->model;
    sim->time = l->time;
    vxe_lattice_load(l, &n->now);
    const lattice_measures measures = vxe_lattice_gradient(l, &n->now, n->floor, n->gradient);
    set_voxels(sim, n);
    set_regions(sim);
    for (int32_t h = 0; h < m->held_count; h++) {
        const size_t v = (size_t)m->held_voxel[h];
        for (size_t d = 0; d < DOFS; d++) {
            const bool held = (m->held_dofs[h] >> d & 1) != 0;
            sim->held_velocity[0][DOFS * (size_t)h + d] = 0.0;
            sim->reaction[0][DOFS * (size_t)h + d] =
                held ? n->gradient[DOFS * v + d] - l->load[DOFS * v + d] : 0.0;
        }
    }
    memset(&sim->last, 0, sizeof sim->last);
    sim->last.length_min = l->link_count > 0 ? measures.length_min : m->view.pitch;
    sim->last.strain_max = measures.strain_max;
    sim->last.elastic = measures.energy;
    sim->last.floor_contacts = measures.touching;
    sim->account.started = 0; /* the account goes on from here */
    sim->energy.time = sim->time;
    sim->energy.kinetic = 0.0;
    sim->energy.elastic = measures.energy;
    sim->energy.gravity = 0.0;
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int a = 0; a < 3; a++) {
            const double weight = m->materials[m->material[v]].mass * sim->environment.gravity[a];
            sim->energy.gravity -= weight * (sim->position[a][v] - m->start[a][v]);
        }
    }
    sim->energy.total = sim->energy.elastic + sim->energy.gravity;
    for (int i = 0; i < 2; i++) sim->calm_since[i] = -1.0;
    vxe_collider_links_changed(sim); /* the list of near pairs is made again */
    vxe_state_wrote(sim, vxe_state_with(STATE_DEVICE));
    vxe_time_step_update(sim);
}

int64_t vxe_rest_touching_pairs(vxe_sim *sim)
{
    if (sim->collider == NULL) return 0;
    vxe_stage_run(sim, STAGE_collide, &(step_context){.step = 0.0});
    const pair_list *list = &sim->collider->list;
    const double l = sim->model->view.pitch;
    int64_t touching = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t v = list->first[i];
        const int32_t w = list->second[i];
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            const double d = sim->position[a][w] - sim->position[a][v];
            square += d * d;
        }
        const double reach = contact_reach(l, sim->growth[0][v], sim->growth[0][w]);
        touching += square < reach * reach;
    }
    return touching;
}

/* ---- relaxing ----------------------------------------------------------------------------------------------------- */

static double largest3(double most, double x, double y, double z)
{
    return fmax(most, sqrt(x * x + y * y + z * z));
}

/* What is out of balance, over the largest force that acts anywhere. */
static vxe_result find_imbalance(vxe_sim *sim, double *imbalance, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const size_t n = (size_t)m->view.voxel_count;
    const vxe_links *links = NULL;
    const vxe_result result = vxe_sim_links(sim, &links, error);
    if (result != VXE_OK) return result;
    double scale = 0.0;
    double most = 0.0;
    for (size_t i = 0; i < 3 * n; i++)
        scale = largest3(scale, links->force[0][i], links->force[1][i], links->force[2][i]);
    for (size_t v = 0; v < n; v++) {
        const uint8_t fixed = m->fixed[v];
        const bool stuck = sim->stuck[0][v] != 0;
        double force[3];
        double moment[3];
        for (int a = 0; a < 3; a++) {
            force[a] = (fixed >> a & 1) != 0 || (stuck && a < 2) ? 0.0 : sim->force[a][v];
            moment[a] = (fixed >> (a + 3) & 1) != 0 ? 0.0 : sim->moment[a][v] / l;
        }
        most = largest3(most, force[0], force[1], force[2]);
        most = largest3(most, moment[0], moment[1], moment[2]);
        scale = largest3(scale, sim->contact_force[0][v], sim->contact_force[1][v], sim->contact_force[2][v]);
    }
    *imbalance = scale > 0.0 ? most / scale : 0.0;
    return VXE_OK;
}

vxe_result vxe_relax(vxe_sim *sim, relaxation *r, int64_t steps, double tolerance, vxe_error *error)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const int64_t end = r->steps + steps;
    while (r->steps < end && !r->settled) {
        /* until the moment the answer belongs to, ramps and signals go their way; then they stand still */
        const bool before = sim->time < r->time;
        vxe_result result = vxe_sim_step(sim, 1, error);
        if (result != VXE_OK) return result;
        r->steps++;
        if (before) continue;
        sim->time = r->time;
        if (r->steps % 4 != 0) continue;
        const double kinetic = vxe_kinetic_energy(sim);
        if (kinetic < r->kinetic) {
            result = vxe_sim_set_motion(sim, none, none, none, error);
            if (result == VXE_OK) result = find_imbalance(sim, &r->imbalance, error);
            if (result != VXE_OK) return result;
            r->settled = r->imbalance <= tolerance;
            r->kinetic = 0.0;
        } else {
            r->kinetic = kinetic;
        }
    }
    return VXE_OK;
}
