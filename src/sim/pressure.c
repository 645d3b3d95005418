/* From volume strains to pressures: each voxel by its modulus; voxels that share faces with unlike materials
 * together, so that stress is continuous.
 *
 * For the sharing ones p solves A p = S, A = 1/modulus on the diagonal plus sum c (p_v - p_w) over shared
 * faces. The solution is taken by a fixed number of Chebyshev steps from zero: p = G S with G a fixed
 * polynomial of a symmetric matrix, so G is symmetric, l^3/2 S.G S is a potential, and momentum and energy
 * are kept exactly however many steps there are. There are enough for six digits. */
#include "sim/pressure.h"

#include "model/pressure.h"

#include <math.h>

#define SHARING_DIGITS 1e6
#define SHARING_STEPS_MAX 64

static double modulus_of(const vxe_sim *sim, int32_t v)
{
    return sim->model->materials[sim->model->material[v]].pressure_modulus[sim->pressure_class[v]];
}

/* A share is gone when its link is. */
static double weight_of(const vxe_sim *sim, const pressure_share *share)
{
    return sim->link_kind[share->axis][sim->model->sharing[share->first]] != 0 ? share->weight : 0.0;
}

void vxe_pressure_prepare(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    double *scale = sim->sharing[0]; /* modulus/(1 + modulus sum c): 1/diagonal */
    double radius = 0.0;
    for (int32_t i = 0; i < m->sharing_count; i++) scale[i] = 0.0;
    for (int32_t i = 0; i < m->share_count; i++) {
        const double c = weight_of(sim, &m->shares[i]);
        scale[m->shares[i].first] += c;
        scale[m->shares[i].second] += c;
    }
    for (int32_t i = 0; i < m->sharing_count; i++) {
        const double modulus = modulus_of(sim, m->sharing[i]);
        const double part = modulus * scale[i] / (1.0 + modulus * scale[i]);
        if (part > radius) radius = part; /* Gershgorin: eigenvalues of D^-1 A lie in 1 -+ radius */
        scale[i] = modulus / (1.0 + modulus * scale[i]);
    }
    sim->sharing_radius = radius;
    const double steps = radius > 0.0 ? ceil(acosh(SHARING_DIGITS) / acosh(1.0 / radius)) : 0.0;
    sim->sharing_steps = steps < SHARING_STEPS_MAX ? (int32_t)steps : SHARING_STEPS_MAX;
}

/* Chebyshev iteration (Saad, Iterative Methods, algorithm 12.1) with centre 1 and half width `radius`. */
static void share_pressure(const vxe_sim *sim, const double *volume, double *pressure)
{
    const vxe_model *m = sim->model;
    const double *scale = sim->sharing[0];
    double *residual = sim->sharing[1]; /* D^-1 (S - A p) */
    double *step = sim->sharing[2];
    double *product = sim->sharing[3];
    for (int32_t i = 0; i < m->sharing_count; i++) {
        residual[i] = scale[i] * volume[m->sharing[i]];
        step[i] = residual[i];
        pressure[m->sharing[i]] = 0.0;
    }
    double before = sim->sharing_radius;
    for (int32_t k = 0; k < sim->sharing_steps; k++) {
        for (int32_t i = 0; i < m->sharing_count; i++) {
            pressure[m->sharing[i]] += step[i];
            product[i] = 0.0;
        }
        for (int32_t i = 0; i < m->share_count; i++) {
            const pressure_share *share = &m->shares[i];
            const double c = weight_of(sim, share);
            product[share->first] += c * step[share->second];
            product[share->second] += c * step[share->first];
        }
        const double now = 1.0 / (2.0 / sim->sharing_radius - before);
        for (int32_t i = 0; i < m->sharing_count; i++) {
            residual[i] -= step[i] - scale[i] * product[i];
            step[i] = now * before * step[i] + 2.0 * now / sim->sharing_radius * residual[i];
        }
        before = now;
    }
}

void vxe_pressure_from_volume(const vxe_sim *sim, const double *volume, double *pressure)
{
    const vxe_model *m = sim->model;
    for (int32_t v = 0; v < m->view.voxel_count; v++) pressure[v] = modulus_of(sim, v) * volume[v];
    if (sim->sharing_steps > 0) share_pressure(sim, volume, pressure);
}

void vxe_pressure_add_loads(const vxe_sim *sim, double time, double *volume)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const double *force = sim->regions[r].force;
        if (force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0) continue;
        const int32_t begin = m->region_begin[r];
        const int32_t end = m->region_begin[r + 1];
        const double part = vxe_region_load_part(sim, r, time) / (double)(end - begin);
        for (int32_t i = begin; i < end; i++) {
            const double *load = &m->face_load[3 * (size_t)i];
            volume[m->region_voxel[i]] +=
                part * (load[0] * force[0] + load[1] * force[1] + load[2] * force[2]);
        }
    }
}

/* J/m^3; what the pressures do against loads that have changed since the last step: a load does its work on
 * the faces it acts on, too. `told`: the loads are now known. */
static double work_of_change(vxe_sim *sim, bool told)
{
    const vxe_model *m = sim->model;
    double work = 0.0;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        sim_region *region = &sim->regions[r];
        const double part = vxe_region_load_part(sim, r, sim->time);
        double change[3];
        for (int a = 0; a < 3; a++) change[a] = part * region->force[a] - region->pressed[a];
        if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) continue;
        const int32_t begin = m->region_begin[r];
        const int32_t end = m->region_begin[r + 1];
        for (int32_t i = begin; i < end; i++) {
            const double *load = &m->face_load[3 * (size_t)i];
            work += sim->pressure[0][m->region_voxel[i]] *
                    (load[0] * change[0] + load[1] * change[1] + load[2] * change[2]) / (double)(end - begin);
        }
        for (int a = 0; a < 3 && told; a++) region->pressed[a] = part * region->force[a];
    }
    return work;
}

void vxe_pressure_update(vxe_sim *sim)
{
    const double l = sim->model->view.pitch;
    vxe_pressure_add_loads(sim, sim->time, sim->volume[0]);
    const double before = work_of_change(sim, false);
    vxe_pressure_from_volume(sim, sim->volume[0], sim->pressure[0]);
    const double after = work_of_change(sim, true);
    sim->account.load_work += 0.5 * (before + after) * l * l * l;
    if (!sim->def.audit) return;
    double energy = 0.0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++)
        energy += 0.5 * sim->volume[0][v] * sim->pressure[0][v];
    sim->last.elastic += energy * l * l * l;
}
