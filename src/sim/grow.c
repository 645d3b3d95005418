/* Voxels that disappear and voxels that grow. What leaves takes its energy along and what comes brings its
 * own; both are booked. */
#include "sim/life.h"

#include "base/vec.h"
#include "model/rules.h"
#include "model/world.h"
#include "sim/floor.h"

#include <string.h>

/* J: kinetic energy of a voxel, and of its weight at the middle of the step that is over. */
static double kinetic_of(const vxe_sim *sim, int32_t v)
{
    const material_constants *c = &sim->model->materials[sim->model->material[v]];
    double energy = 0.0;
    for (int a = 0; a < 3; a++) {
        energy += 0.5 * c->mass * sim->velocity[a][v] * sim->velocity[a][v] +
                  0.5 * c->inertia * sim->spin[a][v] * sim->spin[a][v];
    }
    return energy;
}

static double weight_of(const vxe_sim *sim, int32_t v, double step)
{
    const vxe_model *m = sim->model;
    double energy = 0.0;
    for (int a = 0; a < 3; a++) {
        energy -= m->materials[m->material[v]].mass * sim->environment.gravity[a] *
                  (sim->position[a][v] - 0.5 * step * sim->velocity[a][v] - m->start[a][v]);
    }
    return energy;
}

/* J: what the floor under it holds at that moment. */
static double floor_of(const vxe_sim *sim, int32_t v, double step)
{
    const double depth = vxe_floor_depth(sim, v, sim->growth[0][v], sim->position[0][v], sim->position[1][v],
                                         sim->position[2][v] - 0.5 * step * sim->velocity[2][v]);
    const contact_spring spring = floor_spring(real_of(sim->voxels[sim->model->material[v]].floor_stiffness),
                                               real_of(sim->model->view.pitch));
    return depth > 0.0 ? contact_energy(depth, spring) : 0.0;
}

/* ---- disappearing -------------------------------------------------------------------------------------------------------- */

/* Nothing is there, and it does not move. */
static void leave_empty(vxe_sim *sim, int32_t v)
{
    sim->alive[0][v] = 0;
    sim->grower[0][v] = 0;
    sim->growth[0][v] = -1.0;
    if (sim->conjugate[0] != NULL) sim->conjugate[0][v] = 0.0;
    for (int a = 0; a < 3; a++) {
        sim->velocity[a][v] = 0.0;
        sim->spin[a][v] = 0.0;
    }
}

/* One that found no room leaves where it would have been: machines that keep poses are told, or they go on
 * with another state than a checkpoint has. What rests does not know of it. */
static void leave_again(vxe_sim *sim, int32_t v)
{
    leave_empty(sim, v);
    vxe_state_changed(sim, ON_HOST,
                      STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) | STATE_SET(spin) |
                          STATE_SET(growth) | STATE_SET(stuck) | STATE_SET(floor_rest));
}

static void take_away(vxe_sim *sim, int32_t v)
{
    leave_empty(sim, v);
    sim->pressure[0][v] = 0.0;
    sim->stuck[0][v] = 0;
    sim->impulse[0][v] = 0.0;
    for (int i = 0; i < 4; i++) sim->nerve[i][v] = 0.0;
    vxe_bonds_drop(sim, v);
    sim->life->counts.removed++;
}

void vxe_voxels_remove(vxe_sim *sim, double step)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    if (vxe_rules_mark(sim, VXE_RULE_REMOVE) == 0) return;
    const double before = sim->def.audit ? vxe_elastic_before(sim, 0.5 * step, BODY_CHANGES) : 0.0;
    double kinetic = 0.0;
    double weight = 0.0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (life->marked[v] == 0) continue;
        kinetic += kinetic_of(sim, v);
        weight += weight_of(sim, v, step);
        take_away(sim, v);
    }
    vxe_life_restore(sim);
    vxe_life_bodies_changed(sim);
    if (!sim->def.audit) return;
    sim->account.dissipated += kinetic + before - vxe_elastic_before(sim, 0.5 * step, BODY_CHANGED);
    sim->account.load_work -= weight; /* energy of weight leaves with its voxel */
}

/* ---- growing -------------------------------------------------------------------------------------------------------------- */

/* Whether there is room for a voxel where it is. */
static bool has_room(const vxe_sim *sim, int32_t w, double clearance)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const double near = clearance * l;
    const double at[3] = {sim->position[0][w], sim->position[1][w], sim->position[2][w]};
    world_hit hits[WORLD_HITS];
    if (sim->environment.floor && at[2] < near) return false;
    if (m->world != NULL && vxe_world_near(m->world, at, near, hits) > 0) return false;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (v == w || sim->alive[0][v] == 0) continue;
        const double reach = near + 0.5 * l * (1.0 + sim->growth[0][v]);
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            const double d = sim->position[a][v] - sim->position[a][w];
            square += d * d;
        }
        if (square < reach * reach) return false;
    }
    return true;
}

/* A new voxel is joined to all its neighbours in the lattice that are about where they should be. */
#define JOIN_WITHIN 0.3   /* pitches */
#define JOIN_TURNED 0.966 /* cosine of half the angle: 30 degrees */

static bool fits(const vxe_sim *sim, int32_t w, int32_t u, int axis, double side)
{
    const double l = sim->model->view.pitch;
    const double rest = 0.5 * l * (2.0 + sim->growth[0][w] + sim->growth[0][u]);
    double turn = 0.0;
    for (int i = 0; i < 4; i++) turn += sim->orientation[i][w] * sim->orientation[i][u];
    const quat q = {sim->orientation[0][w], sim->orientation[1][w], sim->orientation[2][w],
                    sim->orientation[3][w]};
    const vec3 way = {axis == 0 ? side * rest : 0.0, axis == 1 ? side * rest : 0.0,
                      axis == 2 ? side * rest : 0.0};
    const vec3 there = quat_rotate(q, way);
    const vec3 amiss = {sim->position[0][u] - sim->position[0][w] - there.x,
                        sim->position[1][u] - sim->position[1][w] - there.y,
                        sim->position[2][u] - sim->position[2][w] - there.z};
    const double square = vec3_dot(amiss, amiss);
    return square < JOIN_WITHIN * JOIN_WITHIN * l * l && turn * turn > JOIN_TURNED * JOIN_TURNED;
}

/* Which of the links of a voxel in the lattice it has. */
static void join(vxe_sim *sim, int32_t w)
{
    const vxe_model *m = sim->model;
    for (int a = 0; a < 3; a++) {
        const int32_t next = m->next[a][w];
        const int32_t before = sim->life->previous[a][w];
        if (next >= 0 && sim->alive[0][next] != 0) sim->unjoined[a][w] = !fits(sim, w, next, a, 1.0);
        if (before >= 0 && sim->alive[0][before] != 0)
            sim->unjoined[a][before] = !fits(sim, w, before, a, -1.0);
    }
}

/* Links that come have nothing of those that were there before. */
static void forget_links(vxe_sim *sim, int32_t w)
{
    for (int a = 0; a < 3; a++) {
        const int32_t ends[2] = {w, sim->life->previous[a][w]};
        for (int k = 0; k < 2 && sim->plastic[a] != NULL; k++) {
            if (ends[k] < 0) continue;
            sim->plastic[a][ends[k]] = sim->hardening[a][ends[k]] = 0.0;
            if (sim->pulled[a] != NULL) sim->pulled[a][ends[k]] = 0.0;
        }
    }
}

/* A voxel as it begins, wherever that is; what it will be driven to at once, it is from the start: else it
 * would swell or shrink in one step, against whatever it touches. */
static void begin_life(vxe_sim *sim, int32_t r, int32_t w)
{
    sim->growth[0][w] = 0.0;
    sim->alive[0][w] = 1;
    sim->grower[0][w] = (uint32_t)r + 1;
    sim->role[0][w] = sim->model->material[w];
    sim->developed[0][w] = sim->driven[0][w] = sim->driven[1][w] = 0.0;
    sim->born[0][w] = sim->time;
    double *size = sim->scratch[0];
    memcpy(size, sim->growth[0], (size_t)sim->model->view.voxel_count * sizeof *size);
    vxe_growth_at(sim, sim->time, size);
    sim->growth[0][w] = size[w];
    forget_links(sim, w);
}

/* What a new voxel brings, for the account. */
static void book_newcomer(vxe_sim *sim, int32_t w, double step)
{
    if (!sim->def.audit) return;
    const double pressed = floor_of(sim, w, step);
    sim->account.actuation_work += kinetic_of(sim, w) + pressed;
    sim->account.contact += pressed;
    sim->account.load_work += weight_of(sim, w, step);
}

/* A voxel appears beside another; false: there is no room, or it may not be there. */
static bool appear(vxe_sim *sim, int32_t r, int32_t v, int32_t w, int axis, double side)
{
    const vxe_model *m = sim->model;
    const model_rule *rule = &m->rules[r];
    if (sim->broken[axis][side > 0.0 ? v : w] != 0) return false; /* it could not hold on */
    begin_life(sim, r, w);
    vxe_place_beside(sim, w, v, axis, side);
    if (sim->floor_rest[0] != NULL) sim->floor_rest[0][w] = vxe_is_over_disc(sim, w) ? 0.0 : PASSES_FLOOR;
    if (has_room(sim, w, rule->def.clearance) && vxe_rule_allows(sim, r, &rule->value, w)) return true;
    leave_again(sim, w);
    return false;
}

static int64_t grow_by(vxe_sim *sim, int32_t r, double step)
{
    const vxe_model *m = sim->model;
    const model_rule *rule = &m->rules[r];
    sim_life *life = sim->life;
    int64_t grown = 0;
    int64_t there = 0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        there += sim->grower[0][v] == (uint32_t)r + 1;
        life->marked[v] = sim->alive[0][v]; /* what grows now does not grow on before the next look */
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (life->marked[v] == 0 || !vxe_rule_is_about(sim, r, v)) continue;
        if (rule->def.chance < 1.0 && vxe_rule_random(sim, r, v) >= rule->def.chance) continue;
        if (!vxe_rule_allows(sim, r, &rule->when, v)) continue;
        for (int f = 0; f < 6; f++) {
            const int a = f / 2;
            const int32_t w = f % 2 == 0 ? m->next[a][v] : life->previous[a][v];
            if (w < 0 || sim->alive[0][w] != 0 || !vxe_rule_may_fill(m, r, w)) continue;
            if (rule->def.limit > 0 && there >= rule->def.limit) return grown;
            if (!appear(sim, r, v, w, a, f % 2 == 0 ? 1.0 : -1.0)) continue;
            join(sim, w);
            book_newcomer(sim, w, step);
            there++;
            grown++;
        }
    }
    return grown;
}

/* ---- appearing ------------------------------------------------------------------------------------------------------------ */

/* A voxel that waits appears at a place, at rest and joined to nobody; false: there is no room, or it may not
 * be there. */
static bool appear_at(vxe_sim *sim, int32_t r, int32_t w, const double place[3])
{
    const model_rule *rule = &sim->model->rules[r];
    const double upright[4] = {1.0, 0.0, 0.0, 0.0};
    begin_life(sim, r, w);
    for (int a = 0; a < 3; a++) {
        const int32_t before = sim->life->previous[a][w];
        sim->position[a][w] = place[a];
        sim->velocity[a][w] = sim->spin[a][w] = 0.0;
        sim->unjoined[a][w] = 1;
        if (before >= 0) sim->unjoined[a][before] = 1;
    }
    for (int i = 0; i < 4; i++) sim->orientation[i][w] = upright[i];
    sim->stuck[0][w] = 0;
    if (sim->floor_rest[0] != NULL) sim->floor_rest[0][w] = vxe_is_over_disc(sim, w) ? 0.0 : PASSES_FLOOR;
    if (has_room(sim, w, rule->def.clearance) && vxe_rule_allows(sim, r, &rule->value, w)) return true;
    leave_again(sim, w);
    return false;
}

static int64_t supply_by(vxe_sim *sim, int32_t r, double step)
{
    const vxe_model *m = sim->model;
    const vxe_rule_def *def = &m->rules[r].def;
    double variables[VXE_VARIABLE_COUNT] = {0.0};
    variables[VXE_VARIABLE_T] = sim->time;
    if (m->rules[r].when.count > 0 && !(vxe_formula_value(&m->rules[r].when, variables) > 0.0)) return 0;
    int64_t made = 0;
    int32_t w = 0; /* the next that waits */
    const int64_t places = (int64_t)def->places[0] * def->places[1] * def->places[2];
    for (int64_t i = 0; i < places; i++) {
        const int64_t index[3] = {i % def->places[0], i / def->places[0] % def->places[1],
                                  i / def->places[0] / def->places[1]};
        double place[3];
        for (int a = 0; a < 3; a++) place[a] = def->position[a] + def->spacing[a] * (double)index[a];
        while (w < m->view.voxel_count && (!vxe_rule_may_fill(m, r, w) || sim->alive[0][w] != 0)) w++;
        if (w >= m->view.voxel_count || (def->limit > 0 && sim->life->counted[r] >= def->limit)) break;
        if (def->chance < 1.0 && vxe_rule_random(sim, r, (int32_t)i) >= def->chance) continue;
        if (!appear_at(sim, r, w, place)) continue;
        book_newcomer(sim, w, step);
        sim->life->counted[r]++;
        made++;
    }
    return made;
}

bool vxe_voxels_grow(vxe_sim *sim, double step)
{
    const vxe_model *m = sim->model;
    int64_t grown = 0;
    double before = 0.0;
    bool looked = false;
    for (int32_t r = 0; r < m->rule_count && m->latent != NULL; r++) {
        const vxe_rule_kind kind = m->rules[r].def.kind;
        if ((kind != VXE_RULE_GROW && kind != VXE_RULE_SUPPLY) || !vxe_rule_is_due(sim, r)) continue;
        if (!looked && sim->def.audit) before = vxe_elastic_before(sim, 0.5 * step, BODY_CHANGES);
        looked = true;
        grown += kind == VXE_RULE_GROW ? grow_by(sim, r, step) : supply_by(sim, r, step);
    }
    if (grown > 0) {
        sim->life->counts.grown += grown;
        vxe_life_restore(sim);
        vxe_yield_newcomers(sim);
        vxe_life_bodies_changed(sim);
    }
    /* links of a voxel that grew into a bent body are strained from the start: growing does that work */
    if (looked && sim->def.audit) {
        const double after = vxe_elastic_before(sim, 0.5 * step, BODY_CHANGED);
        if (grown > 0) sim->account.actuation_work += after - before;
    }
    return grown > 0;
}
