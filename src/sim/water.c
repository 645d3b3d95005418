/* The loads of water: see water.h. */
#include "sim/water.h"

#include "kernel/water.h"
#include "sim/outside.h"

#include <math.h>

/* The velocity of the water. */
static rvec flow_at(vector_formulas *flow, rvec at)
{
    double value[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        if (flow->formula[a] == NULL) continue;
        flow->variables[a][VXE_VARIABLE_X] = at.x;
        flow->variables[a][VXE_VARIABLE_Y] = at.y;
        flow->variables[a][VXE_VARIABLE_Z] = at.z;
        value[a] = vxe_formula_value(flow->formula[a], flow->variables[a]);
        if (!isfinite(value[a])) value[a] = 0.0;
    }
    return (rvec){value[0], value[1], value[2]};
}

/* A voxel in the water. */
typedef struct wet_voxel {
    rvec at, velocity, spin;
    rquat turn;
    double side, mass;
} wet_voxel;

static rvec read3(const double *const arrays[3], size_t stride, int32_t v)
{
    const size_t at = (size_t)v * stride;
    return arrays[0] == NULL ? (rvec){0.0, 0.0, 0.0} : (rvec){arrays[0][at], arrays[1][at], arrays[2][at]};
}

static wet_voxel read_voxel(const vxe_sim *sim, const load_moment *moment, int32_t v)
{
    const size_t at = (size_t)v * moment->orientation_stride;
    return (wet_voxel){.at = read3(moment->position, moment->position_stride, v),
                       .velocity = read3(moment->velocity, moment->velocity_stride, v),
                       .spin = read3(moment->spin, moment->velocity_stride, v),
                       .turn = {moment->orientation[0][at], moment->orientation[1][at],
                                moment->orientation[2][at], moment->orientation[3][at]},
                       .side = sim->model->view.pitch * (1.0 + moment->growth[v]),
                       .mass = sim->model->materials[sim->model->material[v]].mass};
}

static void tell_lift(const vxe_sim *sim, int32_t v, const wet_voxel *w, load_sink sink, void *user)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const vxe_water_def *water = &sim->model->water;
    const double wet = water->has_level ? water_wet(water->level, w->at.z, w->side) : 1.0;
    const double displaced = water->density * wet * w->side * w->side * w->side;
    if (!(displaced > 0.0)) return;
    const double *g = sim->environment.gravity;
    const double force[3] = {-displaced * g[0], -displaced * g[1], -displaced * g[2]};
    sink(user, v, force, none);
}

/* All free faces of a voxel together, so that they do not turn its motion round within a step. */
static void tell_drag(const vxe_sim *sim, const load_moment *moment, int32_t v, const wet_voxel *w,
                      vector_formulas *flow, load_sink sink, void *user)
{
    const vxe_water_def *water = &sim->model->water;
    const double pressure = 0.5 * water->density * w->side * w->side;
    water_drag sum = water_none();
    for (int f = 0; f < 6; f++) {
        if ((sim->outside_faces[0][v] >> f & 1) != 0) continue;
        const rvec n = rvec_scale(f % 2 == 0 ? -1.0 : 1.0, rquat_axis(w->turn, f / 2));
        const rvec arm = rvec_scale(0.5 * w->side, n);
        const rvec at = rvec_add(w->at, arm);
        const double wet = water->has_level ? water_wet(water->level, at.z, w->side) : 1.0;
        if (!(wet > 0.0)) continue;
        const rvec moves = rvec_add(w->velocity, rvec_cross(w->spin, arm));
        const rvec u = flow != NULL ? rvec_sub(moves, flow_at(flow, at)) : moves;
        sum = water_sum(sum, water_drag_of(n, arm, u,
                                           (water_face){wet * pressure * water->normal,
                                                        wet * pressure * water->tangential}));
    }
    if (!(sum.rate + sum.twist > 0.0)) return;
    const double share = water_share(sum, moment->dt, w->mass);
    const double own[3] = {share * sum.force.x, share * sum.force.y, share * sum.force.z};
    const double turn[3] = {share * sum.torque.x, share * sum.torque.y, share * sum.torque.z};
    sink(user, v, own, turn);
}

void vxe_water_each(vxe_sim *sim, const load_moment *moment, load_sink sink, void *user)
{
    const vxe_model *m = sim->model;
    const vxe_water_def *water = &m->water;
    if (!m->has_water || !(water->density > 0.0) || moment->position[0] == NULL) return;
    const bool drags = water->normal > 0.0 || water->tangential > 0.0;
    vector_formulas flow;
    const bool flows = vxe_formulas_find(sim, VXE_FORMULA_FLOW_X, moment, &flow);
    if (drags) vxe_find_linked_faces(sim);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (sim->material[v] == 0) continue;
        const wet_voxel w = read_voxel(sim, moment, v);
        if (water->has_level && w.at.z - w.side > water->level) continue;
        tell_lift(sim, v, &w, sink, user);
        if (drags && sim->outside_faces[0][v] != 63)
            tell_drag(sim, moment, v, &w, flows ? &flow : NULL, sink, user);
    }
}

bool vxe_water_stands(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    for (int a = 0; a < 3; a++) {
        if (m->formulas[VXE_FORMULA_FLOW_X + a].count > 0) return false;
    }
    return m->has_water && m->water.density > 0.0;
}

double vxe_water_lift_slope(const vxe_sim *sim, const load_moment *moment, int32_t v)
{
    const vxe_water_def *water = &sim->model->water;
    if (!sim->model->has_water || !water->has_level) return 0.0;
    const wet_voxel w = read_voxel(sim, moment, v);
    const double wet = water_wet(water->level, w.at.z, w.side);
    return wet > 0.0 && wet < 1.0 ? water->density * w.side * w.side * sim->environment.gravity[2] : 0.0;
}

bool vxe_water_follows(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    bool flows = false;
    for (int a = 0; a < 3; a++) flows = flows || m->formulas[VXE_FORMULA_FLOW_X + a].count > 0;
    return m->has_water && (m->water.has_level || flows);
}
