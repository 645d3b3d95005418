/* The loads from outside, one by one: see loads.h. */
#include "sim/loads.h"

#include "base/base.h"
#include "base/vec.h"
#include "kernel/water.h"
#include "sim/outside.h"
#include "sim/water.h"

#include <string.h>

static const double none[3] = {0.0, 0.0, 0.0};

load_moment vxe_loads_now(const vxe_sim *sim, double dt)
{
    load_moment now = {.time = sim->time,
                       .dt = dt,
                       .growth = sim->growth[0],
                       .position_stride = 1,
                       .orientation_stride = 1,
                       .velocity_stride = 1};
    for (int a = 0; a < 3; a++) {
        now.position[a] = sim->position[a];
        now.velocity[a] = sim->velocity[a];
        now.spin[a] = sim->spin[a];
    }
    for (int i = 0; i < 4; i++) now.orientation[i] = sim->orientation[i];
    return now;
}

static quat orientation_at(const load_moment *moment, int32_t v)
{
    const size_t at = (size_t)v * moment->orientation_stride;
    return (quat){moment->orientation[0][at], moment->orientation[1][at], moment->orientation[2][at],
                  moment->orientation[3][at]};
}

/* ---- kinds -------------------------------------------------------------------------------------------------------- */

static void tell_gravity(const vxe_sim *sim, load_sink sink, void *user)
{
    const vxe_model *m = sim->model;
    const double *gravity = sim->environment.gravity;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const double mass = m->materials[sim->material[v]].mass;
        const double force[3] = {mass * gravity[0], mass * gravity[1], mass * gravity[2]};
        sink(user, v, force, none);
    }
}

static bool is_loaded(const sim_region *region)
{
    for (int a = 0; a < 3; a++) {
        if (region->force[a] != 0.0 || region->torque[a] != 0.0) return true;
    }
    return false;
}

static void tell_regions(const vxe_sim *sim, const load_moment *moment, load_sink sink, void *user)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const sim_region *region = &sim->regions[r];
        const int32_t begin = m->region_begin[r];
        const int32_t end = m->region_begin[r + 1];
        if (!is_loaded(region) || end == begin) continue;
        const double part = moment->full ? 1.0 : vxe_region_load_part(sim, r, moment->time);
        const double share = part / (double)(end - begin);
        double force[3];
        double torque[3];
        for (int a = 0; a < 3; a++) {
            force[a] = share * region->force[a];
            torque[a] = share * region->torque[a];
        }
        for (int32_t i = begin; i < end; i++) sink(user, m->region_voxel[i], force, torque);
    }
}

static void tell_pulls(const vxe_sim *sim, load_sink sink, void *user)
{
    for (int32_t v = 0; sim->applied[0] != NULL && v < sim->model->view.voxel_count; v++) {
        const double force[3] = {sim->applied[0][v], sim->applied[1][v], sim->applied[2][v]};
        sink(user, v, force, none);
    }
    for (int32_t i = 0; i < sim->pull_count; i++) sink(user, sim->pulls[i].voxel, sim->pulls[i].force, none);
}

void vxe_add_linked_faces(const vxe_sim *sim, uint8_t *faces)
{
    const vxe_model *m = sim->model;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            faces[v] |= (uint8_t)(2 << (2 * a));
            faces[m->next[a][v]] |= (uint8_t)(1 << (2 * a));
        }
    }
}

void vxe_find_linked_faces(vxe_sim *sim)
{
    if (sim->faces_known) return;
    sim->faces_known = true;
    memset(sim->outside_faces[0], 0, (size_t)sim->model->view.voxel_count);
    vxe_add_linked_faces(sim, sim->outside_faces[0]);
}

/* A face that moves outwards at u is pushed back by drag times area times u^2: kernel/water.h. */
static void tell_drag(vxe_sim *sim, const load_moment *moment, load_sink sink, void *user)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    if (!(sim->environment.drag > 0.0) || sim->outside_faces[0] == NULL || moment->velocity[0] == NULL)
        return;
    vxe_find_linked_faces(sim);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const unsigned linked = sim->outside_faces[0][v];
        if (linked == 63 || sim->material[v] == 0) continue;
        const double side = l * (1.0 + moment->growth[v]);
        const double c = sim->environment.drag * side * side;
        const double mass = m->materials[sim->material[v]].mass;
        const quat q = orientation_at(moment, v);
        const size_t at = (size_t)v * moment->velocity_stride;
        const vec3 velocity = {moment->velocity[0][at], moment->velocity[1][at], moment->velocity[2][at]};
        for (int a = 0; a < 3; a++) {
            if ((linked >> (2 * a) & 3) == 3) continue;
            const vec3 axis = quat_rotate(q, axes[a]);
            const double along = vec3_dot(velocity, axis);
            const bool ahead = along > 0.0; /* of two faces one moves outwards */
            if (!(along > 0.0 || along < 0.0) || (linked >> (2 * a + (ahead ? 1 : 0)) & 1) != 0) continue;
            const double sign = ahead ? 1.0 : -1.0;
            const double speed = sign * along;
            const double size = sign * fluid_drag(c, speed, moment->dt, mass);
            const double force[3] = {-size * axis.x, -size * axis.y, -size * axis.z};
            sink(user, v, force, none);
        }
    }
}

bool vxe_formulas_find(const vxe_sim *sim, vxe_formula_role first, const load_moment *moment,
                       vector_formulas *found)
{
    bool any = false;
    for (int a = 0; a < 3; a++) {
        const vxe_formula *formula = &sim->model->formulas[(int)first + a];
        found->formula[a] = formula->count > 0 ? formula : NULL;
        if (formula->count == 0) continue;
        any = true;
        vxe_formula_surroundings(sim, formula, moment, found->variables[a]);
    }
    return any;
}

static double field_at(vector_formulas *field, int a, const double place[3], const double velocity[3])
{
    if (field->formula[a] == NULL) return 0.0;
    for (int i = 0; i < 3; i++) {
        field->variables[a][VXE_VARIABLE_X + i] = place[i];
        field->variables[a][VXE_VARIABLE_VX + i] = velocity[i];
    }
    return vxe_formula_value(field->formula[a], field->variables[a]);
}

static void place_of(const load_moment *moment, int32_t v, double place[3])
{
    for (int a = 0; a < 3; a++) place[a] = moment->position[a][(size_t)v * moment->position_stride];
}

static void velocity_of(const load_moment *moment, int32_t v, double velocity[3])
{
    for (int a = 0; a < 3; a++)
        velocity[a] =
            moment->velocity[0] != NULL ? moment->velocity[a][(size_t)v * moment->velocity_stride] : 0.0;
}

static void tell_field(const vxe_sim *sim, const load_moment *moment, load_sink sink, void *user)
{
    vector_formulas field;
    if (!vxe_formulas_find(sim, VXE_FORMULA_FORCE_X, moment, &field)) return;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        double place[3];
        double velocity[3];
        double force[3];
        if (sim->material[v] == 0) continue;
        place_of(moment, v, place);
        velocity_of(moment, v, velocity);
        for (int a = 0; a < 3; a++) force[a] = field_at(&field, a, place, velocity);
        sink(user, v, force, none);
    }
}

void vxe_loads_field_slope(const vxe_sim *sim, const load_moment *moment, int32_t voxel, double slope[3][3])
{
    const double h = 1e-4 * sim->model->view.pitch;
    vector_formulas field;
    memset(slope, 0, 9 * sizeof(double));
    slope[2][2] = vxe_water_lift_slope(sim, moment, voxel);
    if (!vxe_formulas_find(sim, VXE_FORMULA_FORCE_X, moment, &field)) return;
    for (int d = 0; d < 3; d++) {
        double place[3];
        double velocity[3];
        place_of(moment, voxel, place);
        velocity_of(moment, voxel, velocity);
        const double middle = place[d];
        for (int a = 0; a < 3; a++) {
            place[d] = middle + h;
            const double after = field_at(&field, a, place, velocity);
            place[d] = middle - h;
            slope[a][d] += (after - field_at(&field, a, place, velocity)) / (2.0 * h);
        }
    }
}

static double number_of(const vxe_model *m, vxe_field field, int32_t v)
{
    return m->fields[field] != NULL ? m->fields[field][v] : 0.0;
}

static bool has_cilia(const vxe_model *m)
{
    for (int a = 0; a < 3; a++) {
        if (m->fields[VXE_FIELD_CILIA_X + a] != NULL || m->fields[VXE_FIELD_SHIFT_X + a] != NULL) return true;
    }
    for (int32_t r = 0; r < m->rule_count; r++) {
        if (m->rules[r].def.kind == VXE_RULE_CILIA && m->rules[r].def.every > 0.0) return true;
    }
    return false;
}

/* N, in the voxel's own frame. */
static vec3 cilia_of(const vxe_sim *sim, const load_moment *moment, int32_t v)
{
    const vxe_model *m = sim->model;
    const int32_t r = m->materials[sim->material[v]].cilia - 1;
    double own[3];
    for (int a = 0; a < 3; a++) own[a] = number_of(m, (vxe_field)(VXE_FIELD_CILIA_X + a), v);
    double factor = 1.0;
    if (r >= 0) {
        const vxe_rule_def *def = &m->rules[r].def;
        const bool on = moment->time >= def->begin && (def->end == 0.0 || moment->time < def->end);
        factor = on ? def->factor : 0.0;
        if (def->value[0] != '\0') factor *= sim->stroke[0][v];
        for (int a = 0; a < 2 && def->every > 0.0; a++) {
            uint64_t h = vxe_hash_u64(VXE_HASH_START, (uint64_t)def->seed);
            h = vxe_hash_u64(vxe_hash_u64(h, 2 * (uint64_t)v + (uint64_t)a),
                             (uint64_t)(int64_t)(moment->time / def->every));
            own[a] = def->strength * (2.0 * vxe_hash_fraction(h) - 1.0);
        }
    }
    for (int a = 0; a < 3 && sim->impulse[0] != NULL; a++)
        own[a] += sim->impulse[0][v] * number_of(m, (vxe_field)(VXE_FIELD_SHIFT_X + a), v);
    return (vec3){factor * own[0], factor * own[1], factor * own[2]};
}

/* They turn with their voxels. */
static void tell_cilia(const vxe_sim *sim, const load_moment *moment, load_sink sink, void *user)
{
    const vxe_model *m = sim->model;
    if (!has_cilia(m)) return;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (sim->free_faces[v] == 0 || sim->material[v] == 0) continue;
        const vec3 turned = quat_rotate(orientation_at(moment, v), cilia_of(sim, moment, v));
        const double force[3] = {turned.x, turned.y, turned.z};
        sink(user, v, force, none);
    }
}

/* What rules push voxels with. */
static void tell_pushes(const vxe_sim *sim, load_sink sink, void *user)
{
    if (!sim->model->pushes) return;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        const double force[3] = {sim->pushed[0][v], sim->pushed[1][v], sim->pushed[2][v]};
        if (sim->material[v] != 0) sink(user, v, force, none);
    }
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

void vxe_loads_each(vxe_sim *sim, const load_moment *moment, unsigned kinds, load_sink sink, void *user)
{
    if ((kinds & LOAD_GRAVITY) != 0) tell_gravity(sim, sink, user);
    if ((kinds & LOAD_REGIONS) != 0) tell_regions(sim, moment, sink, user);
    if ((kinds & LOAD_DRAG) != 0) tell_drag(sim, moment, sink, user);
    if ((kinds & LOAD_FIELD) != 0) tell_field(sim, moment, sink, user);
    if ((kinds & LOAD_CILIA) != 0) tell_cilia(sim, moment, sink, user);
    if ((kinds & LOAD_PUSHES) != 0) tell_pushes(sim, sink, user);
    if ((kinds & LOAD_PULLS) != 0) tell_pulls(sim, sink, user);
    if ((kinds & LOAD_WATER) != 0) vxe_water_each(sim, moment, sink, user);
    if ((kinds & LOAD_OTHER) != 0 && sim->other_load != NULL) sim->other_load->tell(sim, sink, user);
}

unsigned vxe_loads_present(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    unsigned kinds = 0;
    for (int a = 0; a < 3; a++) {
        if (sim->environment.gravity[a] != 0.0) kinds |= LOAD_GRAVITY;
        if (m->formulas[VXE_FORMULA_FORCE_X + a].count > 0) kinds |= LOAD_FIELD;
    }
    for (int32_t r = 0; r < m->view.region_count; r++) {
        if (is_loaded(&sim->regions[r])) kinds |= LOAD_REGIONS;
    }
    if (sim->environment.drag > 0.0) kinds |= LOAD_DRAG;
    if (has_cilia(m)) kinds |= LOAD_CILIA;
    if (m->has_water) kinds |= LOAD_WATER;
    if (m->pushes) kinds |= LOAD_PUSHES;
    if (sim->pull_count > 0 || sim->applied[0] != NULL) kinds |= LOAD_PULLS;
    if (sim->other_load != NULL) kinds |= LOAD_OTHER;
    return kinds;
}

unsigned vxe_loads_following(const vxe_sim *sim)
{
    static const vxe_variable places[] = {VXE_VARIABLE_X, VXE_VARIABLE_Y, VXE_VARIABLE_Z,
                                          VXE_VARIABLE_CLOSENESS, VXE_VARIABLE_PAIRS};
    unsigned kinds = (vxe_loads_present(sim) & LOAD_CILIA) | (vxe_water_follows(sim) ? LOAD_WATER : 0U);
    for (int a = 0; a < 3; a++) {
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            if (vxe_formula_uses(&sim->model->formulas[VXE_FORMULA_FORCE_X + a], places[i]))
                kinds |= LOAD_FIELD;
        }
    }
    return kinds;
}
