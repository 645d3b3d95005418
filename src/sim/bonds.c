/* Bonds: links between voxels that met, in the pose in which they met. Their loads are added before those of
 * the lattice's links, their damping acts before and after that of the lattice, so that the whole stays
 * symmetric (damping.c). A pair that is bonded does not collide. */
#include "kernel/bond.h"
#include "kernel/link.h"
#include "kernel/strain.h"
#include "sim/collide.h"
#include "sim/life.h"
#include "sim/rigid.h"

#include <math.h>

static rvec at(double *const a[3], int32_t v) { return (rvec){a[0][v], a[1][v], a[2][v]}; }

static void add(double *const a[3], int32_t v, rvec x)
{
    a[0][v] += x.x;
    a[1][v] += x.y;
    a[2][v] += x.z;
}

static quat pose(const vxe_sim *sim, int32_t v)
{
    return (quat){sim->orientation[0][v], sim->orientation[1][v], sim->orientation[2][v],
                  sim->orientation[3][v]};
}

static rquat turned(const vxe_sim *sim, int32_t v, const double turn[4])
{
    const quat q = quat_product(pose(sim, v), (quat){turn[0], turn[1], turn[2], turn[3]});
    return (rquat){q.w, q.x, q.y, q.z};
}

/* A bond as it is now. */
typedef struct bond_now {
    link_chord chord;
    rquat q1, q2;
    double stretch, tension; /* m, N */
} bond_now;

static bond_now measure(const vxe_sim *sim, const sim_bond *b)
{
    const double half = 0.5 * sim->model->view.pitch;
    bond_now now;
    now.chord = link_chord_of(rvec_sub(at(sim->position, b->second), at(sim->position, b->first)));
    now.q1 = turned(sim, b->first, b->near_turn);
    now.q2 = turned(sim, b->second, b->far_turn);
    now.stretch =
        now.chord.length - (b->rest + half * (sim->growth[0][b->first] + sim->growth[0][b->second]));
    now.tension = link_axial_force(sim->model->classes[b->kind - 1].ka, now.stretch);
    return now;
}

static link_stiffness stiffness_of(const link_table *t) { return link_stiffness_of(t->cs, t->c, t->kt); }

/* ---- loads ----------------------------------------------------------------------------------------------------------- */

void vxe_bonds_load(vxe_sim *sim, const step_context *context)
{
    sim_life *life = sim->life;
    const double l = sim->model->view.pitch;
    step_measures *sums = &sim->measures[0];
    for (int64_t i = 0; i < life->counts.bond_count; i++) {
        sim_bond *b = &life->bonds[i];
        const link_class *c = &sim->model->classes[b->kind - 1];
        const link_table *t = &sim->links[b->kind - 1];
        const int32_t v = b->first;
        const int32_t w = b->second;
        const bond_now now = measure(sim, b);
        link_parts parts = link_elastic_parts(now.chord, now.q1, now.q2, rquat_half_axis(now.q1, 0),
                                              rquat_half_axis(now.q2, 0), stiffness_of(t), now.tension);
        if (!context->implicit) {
            const link_parts damping = link_damping_parts(
                now.chord, rvec_sub(at(sim->velocity, w), at(sim->velocity, v)), at(sim->spin, v),
                at(sim->spin, w), (link_damping_rates){t->axial, t->shear, t->bending, t->torsion});
            parts = link_parts_add(parts, damping);
            if (sim->def.audit) {
                const link_load lost = link_load_of(now.chord, damping);
                add(sim->lost_force, w, lost.force);
                add(sim->lost_force, v, rvec_scale(-1.0, lost.force));
                add(sim->lost_moment, w, lost.far_moment);
                add(sim->lost_moment, v, lost.near_moment);
            }
        }
        const link_load load = link_load_of(now.chord, parts);
        add(sim->force, w, load.force);
        add(sim->force, v, rvec_scale(-1.0, load.force));
        add(sim->moment, w, load.far_moment);
        add(sim->moment, v, load.near_moment);
        const double rate = link_rate(now.chord, now.tension, t->rate, t->rate_across);
        sim->link_sum[0][v] += rate;
        sim->link_sum[0][w] += rate;
        if (now.chord.length < sums->length_min) sums->length_min = now.chord.length;
        const double size = now.stretch < 0.0 ? -now.stretch : now.stretch;
        if (size > sums->strain_max) sums->strain_max = size;
        b->tension = now.tension;
        b->failed = c->failure > 0.0 && now.tension > c->failure * l * l;
        if (!sim->def.audit) continue;
        if (context->measure)
            sim->last.elastic += link_stretch_energy(c->ka, now.stretch) +
                                 link_energy(now.chord, now.q1, now.q2, 0, stiffness_of(t));
        const double conjugate = link_growth_force(0.5 * l, now.tension);
        sim->conjugate[0][v] += conjugate;
        sim->conjugate[0][w] += conjugate;
    }
}

double vxe_bonds_energy(const vxe_sim *sim, double time)
{
    double energy = 0.0;
    double power = 0.0;
    for (int64_t i = 0; sim->life != NULL && i < sim->life->counts.bond_count; i++) {
        const sim_bond *b = &sim->life->bonds[i];
        const link_table *t = &sim->links[b->kind - 1];
        const bond_now now = measure(sim, b);
        const link_load load = link_elastic(now.chord, now.q1, now.q2, 0, stiffness_of(t), now.tension);
        energy += link_stretch_energy(sim->model->classes[b->kind - 1].ka, now.stretch) +
                  link_energy(now.chord, now.q1, now.q2, 0, stiffness_of(t));
        power += rvec_dot(load.force, rvec_sub(at(sim->velocity, b->second), at(sim->velocity, b->first))) +
                 rvec_dot(load.near_moment, at(sim->spin, b->first)) +
                 rvec_dot(load.far_moment, at(sim->spin, b->second));
    }
    return energy + time * power;
}

/* ---- damping ------------------------------------------------------------------------------------------------------------ */

/* New velocities; where a degree of freedom is held its support feels them: as in backend/cpu/plain_motion.h.
 */
static void change_voxel(vxe_sim *sim, const step_context *context, int32_t v, rvec velocity, rvec spin)
{
    const uint8_t fixed = sim->model->fixed[v];
    const material_constants *c = &sim->model->materials[sim->model->material[v]];
    const double move[3] = {velocity.x, velocity.y, velocity.z};
    const double turn[3] = {spin.x, spin.y, spin.z};
    for (int a = 0; a < 3; a++) {
        if (fixed != 0) {
            sim->held_load[a][v] += c->mass / context->kick * (move[a] - sim->velocity[a][v]);
            sim->held_load[a + 3][v] += c->inertia / context->kick * (turn[a] - sim->spin[a][v]);
        }
        if ((fixed >> a & 1) == 0) sim->velocity[a][v] = move[a];
        if ((fixed >> (a + 3) & 1) == 0) sim->spin[a][v] = turn[a];
    }
}

static void brake(vxe_sim *sim, const step_context *context, const sim_bond *b)
{
    const link_table *t = &sim->links[b->kind - 1];
    const bool rigid1 = vxe_is_rigid(sim->model, b->first);
    const bool rigid2 = vxe_is_rigid(sim->model, b->second);
    const brake_table *k = rigid1 != rigid2 ? &t->joint : &t->brake[0];
    if (rigid1 || rigid2) {
        vxe_rigid_brake(sim, context, b->first, b->second, k);
        return;
    }
    const double l = sim->model->view.pitch;
    const link_ends before = {at(sim->velocity, b->first), at(sim->spin, b->first),
                              at(sim->velocity, b->second), at(sim->spin, b->second)};
    const link_ends now =
        link_braked(rvec_sub(at(sim->position, b->second), at(sim->position, b->first)), before,
                    (link_brake){k->axial, k->shear, k->bending, k->excess, k->far}, 1.0 / (l * l), 0);
    change_voxel(sim, context, b->first, now.velocity1, now.spin1);
    change_voxel(sim, context, b->second, now.velocity2, now.spin2);
}

void vxe_bonds_brake(vxe_sim *sim, const step_context *context)
{
    const int64_t count = sim->life->counts.bond_count;
    for (int64_t i = 0; i < count; i++)
        brake(sim, context, &sim->life->bonds[sim->life->backwards ? count - 1 - i : i]);
    if (sim->rigid != NULL) vxe_rigid_spread(sim);
}

/* ---- letting go ---------------------------------------------------------------------------------------------------------- */

/* Place of a pair on the list, or -1. */
static int64_t find_pair(const pair_list *list, int32_t first, int32_t second)
{
    int64_t low = 0;
    int64_t high = list->count - 1;
    while (low <= high) {
        const int64_t middle = low + (high - low) / 2;
        const int32_t v = list->first[middle];
        const int32_t w = list->second[middle];
        if (v == first && w == second) return middle;
        if (v < first || (v == first && w < second)) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

/* A pair collides from now on, or does not. */
static void let_collide(vxe_sim *sim, const sim_bond *b, bool collide)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    const int64_t i = find_pair(&c->list, b->first, b->second);
    if (i < 0) return;
    c->list.state[i] = (contact_state){.stuck = 0};
    c->list.due[i] = collide ? 0.0 : INFINITY;
    c->near_until = -1.0; /* the list of those that are near is made again */
}

void vxe_bonds_mask(vxe_sim *sim)
{
    for (int64_t i = 0; sim->life != NULL && i < sim->life->counts.bond_count; i++)
        let_collide(sim, &sim->life->bonds[i], false);
}

/* The last one takes its place: the order is that of what happened, the same everywhere. */
static void take_out(vxe_sim *sim, int64_t i)
{
    sim_life *life = sim->life;
    sim_bond *b = &life->bonds[i];
    const double rest = sim->time + sim->model->rules[b->rule].def.rest;
    if (rest > sim->shy[0][b->first]) sim->shy[0][b->first] = rest;
    if (rest > sim->shy[0][b->second]) sim->shy[0][b->second] = rest;
    life->bond_count[b->first]--;
    life->bond_count[b->second]--;
    let_collide(sim, b, true);
    *b = life->bonds[--life->counts.bond_count];
    life->counts.released++;
}

void vxe_bonds_drop(vxe_sim *sim, int32_t voxel)
{
    sim_life *life = sim->life;
    for (int64_t i = life->counts.bond_count - 1; i >= 0 && life->bond_count[voxel] > 0; i--) {
        if (life->bonds[i].first == voxel || life->bonds[i].second == voxel) take_out(sim, i);
    }
}

static bool lets_go(vxe_sim *sim, const sim_bond *b)
{
    const model_rule *rule = &sim->model->rules[b->rule];
    if (b->failed != 0) return true;
    if (rule->release.count == 0) return false;
    return vxe_rule_value(sim, b->rule, &rule->release, b->first) > 0.0 ||
           vxe_rule_value(sim, b->rule, &rule->release, b->second) > 0.0;
}

void vxe_bonds_release(vxe_sim *sim, double step)
{
    sim_life *life = sim->life;
    bool any = false;
    double before = 0.0;
    for (int64_t i = life->counts.bond_count - 1; i >= 0; i--) {
        if (!lets_go(sim, &life->bonds[i])) continue;
        if (!any && sim->def.audit) before = vxe_bonds_energy(sim, 0.5 * step);
        any = true;
        take_out(sim, i);
    }
    if (any && sim->def.audit) sim->account.dissipated += before - vxe_bonds_energy(sim, 0.5 * step);
}

/* ---- sticking ------------------------------------------------------------------------------------------------------------ */

uint32_t vxe_bond_class(const vxe_sim *sim, int32_t rule, int32_t v, int32_t w)
{
    const vxe_model *m = sim->model;
    const size_t kinds = (size_t)m->constant_count + 1;
    return m->bond_class[((size_t)rule * kinds + sim->role[0][v]) * kinds + sim->role[0][w]];
}

static void put_turn(double turn[4], quat q)
{
    turn[0] = q.w;
    turn[1] = q.x;
    turn[2] = q.y;
    turn[3] = q.z;
}

static void stick(vxe_sim *sim, int32_t r, int32_t v, int32_t w)
{
    sim_life *life = sim->life;
    const link_chord chord = link_chord_of(rvec_sub(at(sim->position, w), at(sim->position, v)));
    const quat frame = bond_frame((vec3){chord.e.x, chord.e.y, chord.e.z});
    sim_bond b = {
        .first = v, .second = w, .rule = r, .kind = vxe_bond_class(sim, r, v, w), .since = sim->time};
    b.length = chord.length;
    b.rest = chord.length - 0.5 * sim->model->view.pitch * (sim->growth[0][v] + sim->growth[0][w]);
    put_turn(b.near_turn, bond_turn(pose(sim, v), frame));
    put_turn(b.far_turn, bond_turn(pose(sim, w), frame));
    life->bonds[life->counts.bond_count++] = b;
    life->counts.bonded++;
    life->bond_count[v]++;
    life->bond_count[w]++;
    let_collide(sim, &b, false);
}

/* Voxels that have come through their surfaces, nearer to each other than this part of the distance at which
 * they touch, do not stick: a link of next to no length is as stiff across as steps are short. */
#define STICKS_FROM 0.5

static bool may_stick(vxe_sim *sim, int32_t r, int64_t pair, int64_t made)
{
    const vxe_model *m = sim->model;
    const model_rule *rule = &m->rules[r];
    const vxe_rule_def *def = &rule->def;
    const pair_list *list = &sim->collider->list;
    const contact_state *s = &list->state[pair];
    const int32_t v = list->first[pair];
    const int32_t w = list->second[pair];
    if (vxe_bond_class(sim, r, v, w) == 0 || made >= (def->limit > 0 ? def->limit : INT64_MAX)) return false;
    if (sim->life->bond_count[v] >= def->most || sim->life->bond_count[w] >= def->most) return false;
    if (sim->time < sim->shy[0][v] || sim->time < sim->shy[0][w]) return false;
    const double least = STICKS_FROM * vxe_contact_reach(sim, v, w);
    if (vxe_distance_squared(sim, v, w) < least * least) return false;
    if (m->rules[r].region >= 0 && !vxe_rule_is_about(sim, r, v) && !vxe_rule_is_about(sim, r, w))
        return false;
    const double force2 = s->force[0] * s->force[0] + s->force[1] * s->force[1] + s->force[2] * s->force[2];
    if (force2 < def->force * def->force || sim->time - s->since < def->time) return false;
    if (def->chance < 1.0 && vxe_rule_random(sim, r, v) >= def->chance) return false;
    return vxe_rule_allows(sim, r, &rule->when, v) && vxe_rule_allows(sim, r, &rule->when, w);
}

bool vxe_bonds_make(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    const collider *c = sim->collider;
    bool any = false;
    for (int32_t r = 0; r < m->rule_count && c != NULL; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        if (def->kind != VXE_RULE_BOND || !vxe_rule_is_due(sim, r)) continue;
        int64_t made = 0;
        for (int64_t i = 0; i < life->counts.bond_count && def->limit > 0; i++)
            made += life->bonds[i].rule == r;
        for (int64_t k = 0; k < c->touching_count; k++) {
            const int64_t i = c->touching[k];
            if (c->list.state[i].touching == 0 || !(c->list.due[i] < INFINITY)) continue;
            if (life->counts.bond_count >= life->bond_capacity || !may_stick(sim, r, i, made)) continue;
            stick(sim, r, c->list.first[i], c->list.second[i]);
            made++;
            any = true;
        }
    }
    return any;
}
