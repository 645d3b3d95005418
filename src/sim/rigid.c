/* Rigid parts: see rigid.h. */
#include "sim/rigid.h"

#include "base/base.h"
#include "kernel/link.h"
#include "kernel/voxel.h"
#include "model/rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static vec3 at(double *const arrays[3], int32_t v)
{
    return (vec3){arrays[0][v], arrays[1][v], arrays[2][v]};
}

static void put(double *const arrays[3], int32_t v, vec3 value)
{
    arrays[0][v] = value.x;
    arrays[1][v] = value.y;
    arrays[2][v] = value.z;
}

/* Mass, centre and inertia of a part, from the cells of its voxels. */
static void weigh_part(const vxe_model *m, int32_t number, rigid_part *p, vec3 *arms)
{
    const double l = m->view.pitch;
    const int32_t begin = m->rigid_begin[number];
    const int32_t end = m->rigid_begin[number + 1];
    vec3 sum = {0.0, 0.0, 0.0};
    p->mass = 0.0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t v = m->rigid_voxel[i];
        const double mass = m->materials[m->material[v]].mass;
        arms[i] = vec3_scale(l, (vec3){m->cell[0][v], m->cell[1][v], m->cell[2][v]});
        sum = vec3_add(sum, vec3_scale(mass, arms[i]));
        p->mass += mass;
    }
    const vec3 center = vec3_scale(1.0 / p->mass, sum);
    memset(&p->inertia, 0, sizeof p->inertia);
    for (int32_t i = begin; i < end; i++) {
        const material_constants *c = &m->materials[m->material[m->rigid_voxel[i]]];
        arms[i] = vec3_sub(arms[i], center);
        const double r[3] = {arms[i].x, arms[i].y, arms[i].z};
        const double square = vec3_dot(arms[i], arms[i]);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++)
                p->inertia.m[a][b] += (a == b ? c->inertia + c->mass * square : 0.0) - c->mass * r[a] * r[b];
        }
    }
    p->inverse = mat3_inverse(&p->inertia);
}

/* ---- what cannot turn ----------------------------------------------------------------------------------------------- */

/* Two voxels one above the other, both held in height: a tilt moves neither, at first, but brings them closer
 * in height by the square of it, so there is none. Velocities alone do not tell: the tilt would be free, then
 * be driven back with the more force the smaller it is, and so on. So such locks are found beforehand.
 *
 * What is held asks g . W = 0 of the spin W, with g = d x e for two voxels d apart that are held along e, and
 * b = e . (u x (u x d)) is what a turn about u adds to that, per square of its angle. Other turns can make up
 * for it if some S has g . S + b = 0 for all that is held; if not, u is locked. */
typedef struct spin_rows {
    double taken[4][4]; /* orthonormal: g, b */
    int32_t count;
} spin_rows;

#define LOCK_LEAST 1e-9 /* squares of what is nothing but round-off, of arms in pitches */

static void add_spin_row(spin_rows *rows, const double g[3], double b)
{
    double row[4] = {g[0], g[1], g[2], b};
    double square = 0.0;
    for (int32_t k = 0; k < rows->count; k++) {
        double share = 0.0;
        for (int i = 0; i < 4; i++) share += rows->taken[k][i] * row[i];
        for (int i = 0; i < 4; i++) row[i] -= share * rows->taken[k][i];
    }
    for (int i = 0; i < 4; i++) square += row[i] * row[i];
    if (!(square > LOCK_LEAST) || rows->count == 4) return;
    for (int i = 0; i < 4; i++) rows->taken[rows->count][i] = row[i] / sqrt(square);
    rows->count++;
}

/* Of a part as it starts; `turn`: u, or nothing for the spins that are held at once. */
static spin_rows list_spin_rows(const vxe_model *m, int32_t number, const vec3 *arms, vec3 turn)
{
    spin_rows rows = {.count = 0};
    int32_t first[3] = {-1, -1, -1};
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const uint8_t fixed = m->own_fixed[m->rigid_voxel[i]];
        for (int d = 0; d < 6; d++) {
            const double e[3] = {d % 3 == 0 ? 1.0 : 0.0, d % 3 == 1 ? 1.0 : 0.0, d % 3 == 2 ? 1.0 : 0.0};
            if ((fixed >> d & 1) == 0) continue;
            if (d >= 3) add_spin_row(&rows, e, 0.0);
            if (d < 3 && first[d] < 0) first[d] = i;
            if (d >= 3 || first[d] == i) continue;
            const vec3 apart = vec3_scale(1.0 / m->view.pitch, vec3_sub(arms[i], arms[first[d]]));
            const vec3 g = vec3_cross(apart, vec3_from(e));
            const double own[3] = {g.x, g.y, g.z};
            add_spin_row(&rows, own, vec3_dot(vec3_from(e), vec3_cross(turn, vec3_cross(turn, apart))));
        }
    }
    return rows;
}

/* Regions that turn what they hold say themselves how it turns. */
static bool is_turned(const vxe_sim *sim, int32_t number)
{
    const vxe_model *m = sim->model;
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t h = sim->rigid->support[i];
        for (size_t d = 0; d < 6 && h >= 0; d++) {
            const int32_t region = m->held_region[6 * (size_t)h + d];
            if (region < 0) continue;
            const vec3 rotation = vec3_from(m->regions[region].def.rotation);
            if (vec3_dot(rotation, rotation) > 0.0) return true;
        }
    }
    return false;
}

static void find_locks(const vxe_sim *sim, int32_t number)
{
    const vxe_model *m = sim->model;
    rigid_part *p = &sim->rigid->parts[number];
    const spin_rows held = list_spin_rows(m, number, sim->rigid->arms, (vec3){0.0, 0.0, 0.0});
    spin_rows seen = held;
    p->lock_count = 0;
    if (is_turned(sim, number)) return;
    for (int a = 0; a < 3 && seen.count < 3; a++) {
        const double axis[3] = {a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0, a == 2 ? 1.0 : 0.0};
        const int32_t before = seen.count;
        add_spin_row(&seen, axis, 0.0);
        if (seen.count == before) continue;
        const vec3 turn = vec3_from(seen.taken[before]);
        if (list_spin_rows(m, number, sim->rigid->arms, turn).count > held.count)
            p->locks[p->lock_count++] = turn;
    }
}

vxe_result vxe_rigid_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    if (m->rigid_count == 0) return VXE_OK;
    const size_t n = (size_t)m->view.voxel_count;
    const size_t voxels = (size_t)m->rigid_begin[m->rigid_count];
    rigid_parts *r = calloc(1, sizeof *r);
    if (r == NULL) return vxe_fail_memory(error, "rigid parts", sizeof *r);
    sim->rigid = r;
    r->parts = calloc((size_t)m->rigid_count, sizeof *r->parts);
    r->arms = calloc(voxels, sizeof *r->arms);
    r->arms_now = calloc(voxels, sizeof *r->arms_now);
    r->slot = calloc(n, sizeof *r->slot);
    r->support = calloc(voxels, sizeof *r->support);
    r->joints = calloc(6 * voxels, sizeof *r->joints);
    if (r->parts == NULL || r->arms == NULL || r->arms_now == NULL || r->slot == NULL || r->support == NULL ||
        r->joints == NULL)
        return vxe_fail_memory(error, "rigid parts", voxels * 200);
    sim->bytes += voxels * (6 * sizeof *r->joints + 2 * sizeof *r->arms) + n * sizeof *r->slot;
    for (int32_t i = 0; i < m->rigid_count; i++) weigh_part(m, i, &r->parts[i], r->arms);
    for (size_t i = 0; i < voxels; i++) {
        r->slot[m->rigid_voxel[i]] = (int32_t)i;
        r->support[i] = -1;
    }
    for (int32_t h = 0; h < m->held_count; h++) {
        if (vxe_is_rigid(m, m->held_voxel[h])) r->support[r->slot[m->held_voxel[h]]] = h;
    }
    for (int32_t i = 0; i < m->rigid_count; i++) find_locks(sim, i);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            const int32_t far = m->next[a][v];
            if (far >= 0 && vxe_is_rigid(m, v) != vxe_is_rigid(m, far))
                r->joints[r->joint_count++] = (rigid_joint){a, v, far};
        }
    }
    return VXE_OK;
}

void vxe_rigid_destroy(vxe_sim *sim)
{
    rigid_parts *r = sim->rigid;
    if (r == NULL) return;
    free(r->parts);
    free(r->arms);
    free(r->arms_now);
    free(r->slot);
    free(r->support);
    free(r->joints);
    free(r);
    sim->rigid = NULL;
}

/* ---- a part and its voxels ------------------------------------------------------------------------------------------ */

void vxe_rigid_velocity(const vxe_sim *sim, int32_t v, double velocity[6])
{
    const rigid_part *p = &sim->rigid->parts[sim->model->rigid[v]];
    const vec3 turn = vec3_cross(vec3_from(p->now + 3), sim->rigid->arms_now[sim->rigid->slot[v]]);
    const double moved[3] = {turn.x, turn.y, turn.z};
    for (int a = 0; a < 3; a++) {
        velocity[a] = p->now[a] + moved[a];
        velocity[a + 3] = p->now[a + 3];
    }
}

static double dot6(const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int d = 0; d < 6; d++) sum += a[d] * b[d];
    return sum;
}

/* What ground damping does to a velocity of a part, of what it is free to do: impulses, N s and N m s. */
static void drag_impulse(const rigid_part *p, const double now[6], double impulse[6])
{
    const vec3 turn = vec3_scale(p->keep_turn - 1.0, mat3_times(&p->inertia_now, vec3_from(now + 3)));
    for (int a = 0; a < 3; a++) impulse[a] = (p->keep - 1.0) * p->mass * now[a];
    impulse[3] = turn.x;
    impulse[4] = turn.y;
    impulse[5] = turn.z;
}

static void damp_motion(const rigid_part *p, double now[6])
{
    if (p->keep == 1.0 && p->keep_turn == 1.0) return;
    double impulse[6];
    drag_impulse(p, now, impulse);
    for (int d = 0; d < 6; d++) { /* supports keep going what they hold */
        if (p->hold_count == 0) now[d] *= d < 3 ? p->keep : p->keep_turn;
        if (p->hold_count > 0) now[d] += dot6(p->mobility[d], impulse);
    }
}

void vxe_rigid_ahead(const vxe_sim *sim, int32_t v, double velocity[6])
{
    const rigid_part *p = &sim->rigid->parts[sim->model->rigid[v]];
    double now[6];
    memcpy(now, p->now, sizeof now);
    damp_motion(p, now);
    const vec3 turn = vec3_cross(vec3_from(now + 3), sim->rigid->arms_now[sim->rigid->slot[v]]);
    const double moved[3] = {turn.x, turn.y, turn.z};
    for (int a = 0; a < 3; a++) {
        velocity[a] = now[a] + moved[a];
        velocity[a + 3] = now[a + 3];
    }
}

/* What an impulse at a voxel does to its part. */
static void part_change(const vxe_sim *sim, int32_t v, vec3 impulse, vec3 moment, double change[6])
{
    const rigid_part *p = &sim->rigid->parts[sim->model->rigid[v]];
    const vec3 turn = vec3_add(moment, vec3_cross(sim->rigid->arms_now[sim->rigid->slot[v]], impulse));
    const double all[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    for (int d = 0; d < 6; d++) {
        change[d] = 0.0;
        for (int e = 0; e < 6; e++) change[d] += p->mobility[d][e] * all[e];
    }
}

void vxe_rigid_response(const vxe_sim *sim, int32_t v, vec3 impulse, vec3 moment, double change[6])
{
    part_change(sim, v, impulse, moment, change);
    damp_motion(&sim->rigid->parts[sim->model->rigid[v]], change);
    const vec3 turn = vec3_cross(vec3_from(change + 3), sim->rigid->arms_now[sim->rigid->slot[v]]);
    change[0] += turn.x;
    change[1] += turn.y;
    change[2] += turn.z;
}

void vxe_rigid_push(const vxe_sim *sim, int32_t v, vec3 impulse, vec3 moment)
{
    rigid_part *p = &sim->rigid->parts[sim->model->rigid[v]];
    double change[6];
    part_change(sim, v, impulse, moment, change);
    for (int d = 0; d < 6; d++) p->now[d] += change[d];
}

/* What the velocity of a voxel of a turning part is more (or less) at another time than now, m/s. Velocities
 * of voxels belong to the middle of a step and poses to its ends; those of a part belong to its pose, so that
 * momentum is exact. Where the two meet in a joint, they must speak of the same time. */
static vec3 at_time(const vxe_sim *sim, int32_t v, double time)
{
    const rigid_part *p = &sim->rigid->parts[sim->model->rigid[v]];
    const vec3 spin = vec3_from(p->now + 3);
    const vec3 arm = sim->rigid->arms_now[sim->rigid->slot[v]];
    return vec3_scale(time, vec3_cross(spin, vec3_cross(spin, arm)));
}

/* Velocities of all voxels of a part, `time` from now. */
static void write_velocities(vxe_sim *sim, int32_t number, double time)
{
    const vxe_model *m = sim->model;
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        double velocity[6];
        vxe_rigid_velocity(sim, v, velocity);
        put(sim->velocity, v, vec3_add(vec3_from(velocity), at_time(sim, v, time)));
        put(sim->spin, v, vec3_from(velocity + 3));
    }
}

/* ---- where parts are ------------------------------------------------------------------------------------------------ */

static mat3 turned_matrix(quat q, const mat3 *a)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    mat3 r;
    for (int i = 0; i < 3; i++) {
        const vec3 column = quat_rotate(q, mat3_times(a, quat_rotate(quat_conjugate(q), axes[i])));
        r.m[0][i] = column.x;
        r.m[1][i] = column.y;
        r.m[2][i] = column.z;
    }
    return r;
}

static void find_pose(vxe_sim *sim, int32_t number)
{
    const vxe_model *m = sim->model;
    rigid_parts *r = sim->rigid;
    rigid_part *p = &r->parts[number];
    const int32_t begin = m->rigid_begin[number];
    const int32_t first = m->rigid_voxel[begin];
    p->turn = quat_unit((quat){sim->orientation[0][first], sim->orientation[1][first],
                               sim->orientation[2][first], sim->orientation[3][first]});
    p->center = vec3_sub(at(sim->position, first), quat_rotate(p->turn, r->arms[begin]));
    p->inertia_now = turned_matrix(p->turn, &p->inertia);
    p->inverse_now = turned_matrix(p->turn, &p->inverse);
    for (int32_t i = begin; i < m->rigid_begin[number + 1]; i++)
        r->arms_now[i] = quat_rotate(p->turn, r->arms[i]);
}

/* What a part is free to do in its plane. The plane takes the rest by forces, which leave the momentum along
 * it and the angular momentum about its normal. */
static void flatten(const rigid_part *p, uint8_t plane, vec3 turning, double now[6])
{
    const double about[3] = {turning.x, turning.y, turning.z};
    for (int d = 0; d < 6; d++) {
        if ((plane >> d & 1) != 0)
            now[d] = 0.0;
        else if (d >= 3)
            now[d] = about[d - 3] / p->inertia_now.m[d - 3][d - 3];
    }
}

/* Momentum and angular momentum of its voxels are the part's: whatever they were set to, it moves as one, and
 * in its plane. */
static void find_motion(vxe_sim *sim, int32_t number)
{
    const vxe_model *m = sim->model;
    rigid_part *p = &sim->rigid->parts[number];
    vec3 momentum = {0.0, 0.0, 0.0};
    vec3 turning = {0.0, 0.0, 0.0};
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        const material_constants *c = &m->materials[m->material[v]];
        const vec3 own = vec3_scale(c->mass, at(sim->velocity, v));
        momentum = vec3_add(momentum, own);
        turning = vec3_add(turning, vec3_add(vec3_cross(sim->rigid->arms_now[i], own),
                                             vec3_scale(c->inertia, at(sim->spin, v))));
    }
    const vec3 velocity = vec3_scale(1.0 / p->mass, momentum);
    const vec3 spin = mat3_times(&p->inverse_now, turning);
    double now[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    const uint8_t plane = vxe_plane_dofs(m->environment.plane);
    if (plane != 0) flatten(p, plane, turning, now);
    memcpy(p->now, now, sizeof now);
    memcpy(p->before, now, sizeof now);
}

/* What damping against the resting world leaves of velocity and spin of a part. */
static void find_keeps(const vxe_sim *sim, const step_context *context, int32_t number)
{
    const vxe_model *m = sim->model;
    rigid_part *p = &sim->rigid->parts[number];
    double rate = 0.0;
    p->keep = p->keep_turn = 1.0;
    if (!(sim->environment.damping_ground > 0.0)) return;
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const uint16_t material = m->material[m->rigid_voxel[i]];
        rate += m->materials[material].mass / p->mass * sim->voxels[material].ground_rate;
    }
    p->keep = voxel_keep(rate, context->kick);
    p->keep_turn = voxel_keep(sim->environment.damping_turning * rate, context->kick);
}

void vxe_rigid_begin(vxe_sim *sim, const step_context *context)
{
    for (int32_t i = 0; i < sim->model->rigid_count; i++) {
        find_pose(sim, i);
        find_motion(sim, i);
        find_keeps(sim, context, i);
        write_velocities(sim, i, -0.5 * context->before);
    }
}

/* ---- loads ---------------------------------------------------------------------------------------------------------- */

#define HOLD_LEAST 1e-9

/* Takes what the row of a hold speaks of, if others have not already: false. `least`: square of what is left
 * of it by round-off, 1/kg or 1/(kg m^2). */
static bool take_row(const rigid_part *p, rigid_hold *hold, double least)
{
    double way[6];
    for (int e = 0; e < 6; e++) way[e] = dot6(p->mobility[e], hold->row);
    const double whole = dot6(hold->row, way);
    if (!(whole > least)) return false;
    hold->scale = 1.0 / sqrt(whole);
    for (int e = 0; e < 6; e++) hold->taken[e] = hold->scale * way[e];
    return true;
}

/* The degree of freedom of a voxel as one of its part. */
static bool take_freedom(const vxe_sim *sim, const rigid_part *p, int32_t slot, int d, rigid_hold *hold)
{
    const double l = sim->model->view.pitch;
    const vec3 arm = sim->rigid->arms_now[slot];
    const double r[3] = {arm.x, arm.y, arm.z};
    *hold = (rigid_hold){.slot = slot, .dof = d};
    hold->row[d] = 1.0;
    if (d < 3) { /* e . (W x r) = W . (r x e) */
        hold->row[3 + (d + 1) % 3] = r[(d + 2) % 3];
        hold->row[3 + (d + 2) % 3] = -r[(d + 1) % 3];
    }
    return take_row(p, hold, HOLD_LEAST / p->mass * (d < 3 ? 1.0 : 1.0 / (l * l)));
}

/* The part goes on as its last hold says, which has its say no more. */
static void apply_hold(rigid_part *p, double given)
{
    const rigid_hold *hold = &p->holds[p->hold_count++];
    const double amiss = hold->scale * (given - dot6(hold->row, p->now));
    for (int e = 0; e < 6; e++) p->now[e] += amiss * hold->taken[e];
    for (int e = 0; e < 6; e++) {
        for (int f = 0; f < 6; f++) p->mobility[e][f] -= hold->taken[e] * hold->taken[f];
    }
}

static void lock_part(const vxe_sim *sim, rigid_part *p)
{
    const double l = sim->model->view.pitch;
    for (int32_t k = 0; k < p->lock_count; k++) {
        rigid_hold *hold = &p->holds[p->hold_count];
        *hold = (rigid_hold){.slot = -1, .row = {0.0, 0.0, 0.0, p->locks[k].x, p->locks[k].y, p->locks[k].z}};
        if (take_row(p, hold, HOLD_LEAST / (p->mass * l * l))) apply_hold(p, 0.0);
    }
}

/* Degrees of freedom of its voxels that are held go as their regions have said (velocities after the hold
 * stage): each takes one from the part. The rest of the motion changes as little as possible. What is held at
 * rest in all of them rests exactly: the work of its weight on what round-off leaves would be energy without
 * a cause. */
static void hold_part(const vxe_sim *sim, int32_t number)
{
    const vxe_model *m = sim->model;
    rigid_part *p = &sim->rigid->parts[number];
    const uint8_t plane = vxe_plane_dofs(m->environment.plane);
    bool moves = false;
    p->hold_count = 0;
    lock_part(sim, p);
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        for (int d = 0; d < 6 && p->hold_count < 6; d++) {
            rigid_hold *hold = &p->holds[p->hold_count];
            if ((m->own_fixed[v] >> d & 1) == 0 || !take_freedom(sim, p, i, d, hold)) continue;
            const double given = d < 3 ? sim->velocity[d][v] : sim->spin[d - 3][v];
            moves = moves || given != 0.0;
            apply_hold(p, given);
        }
    }
    for (int d = 0; d < 6; d++) { /* of the plane, no round-off is left */
        if ((plane >> d & 1) == 0) continue;
        p->now[d] = 0.0;
        for (int e = 0; e < 6; e++) p->mobility[d][e] = p->mobility[e][d] = 0.0;
    }
    if (p->hold_count == 6) memset(p->mobility, 0, sizeof p->mobility);
    if (p->hold_count == 6 && !moves) memset(p->now, 0, sizeof p->now);
}

/* What loads exert on a part, N and N m about its centre. */
static void load_of_part(const vxe_sim *sim, int32_t number, double load[6])
{
    const vxe_model *m = sim->model;
    vec3 force = {0.0, 0.0, 0.0};
    vec3 moment = {0.0, 0.0, 0.0};
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        const vec3 own = {sim->held_load[0][v], sim->held_load[1][v], sim->held_load[2][v]};
        const vec3 turn = {sim->held_load[3][v], sim->held_load[4][v], sim->held_load[5][v]};
        force = vec3_add(force, own);
        moment = vec3_add(moment, vec3_add(turn, vec3_cross(sim->rigid->arms_now[i], own)));
    }
    const double all[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    memcpy(load, all, sizeof all);
}

void vxe_rigid_kick(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    for (int32_t number = 0; number < m->rigid_count; number++) {
        rigid_part *p = &sim->rigid->parts[number];
        double impulse[6];
        load_of_part(sim, number, impulse);
        for (int d = 0; d < 6; d++) impulse[d] *= context->kick;
        memset(p->mobility, 0, sizeof p->mobility);
        for (int a = 0; a < 3; a++) {
            p->mobility[a][a] = 1.0 / p->mass;
            for (int b = 0; b < 3; b++) p->mobility[a + 3][b + 3] = p->inverse_now.m[a][b];
        }
        for (int d = 0; d < 6; d++) p->now[d] += dot6(p->mobility[d], impulse);
        hold_part(sim, number);
        write_velocities(sim, number, 0.0);
    }
}

/* ---- damping of joints ---------------------------------------------------------------------------------------------- */

static rvec real3(const double v[3]) { return (rvec){v[0], v[1], v[2]}; }

/* As kernel/link.h has it for two voxels. A voxel of a part gives way less than one by itself, so this never
 * takes more than there is. */
void vxe_rigid_brake(vxe_sim *sim, const step_context *context, int32_t near, int32_t far,
                     const brake_table *table)
{
    const vxe_model *m = sim->model;
    const link_brake brake = {table->axial, table->shear, table->bending, table->excess, table->far};
    const int32_t ends[2] = {near, far};
    double before[2][6];
    for (int e = 0; e < 2; e++) {
        for (int a = 0; a < 3; a++) {
            before[e][a] = sim->velocity[a][ends[e]];
            before[e][a + 3] = sim->spin[a][ends[e]];
        }
        if (!vxe_is_rigid(m, ends[e])) continue;
        vxe_rigid_velocity(sim, ends[e], before[e]);
        const vec3 more = at_time(sim, ends[e], 0.5 * context->step);
        before[e][0] += more.x;
        before[e][1] += more.y;
        before[e][2] += more.z;
    }
    const vec3 chord = vec3_sub(at(sim->position, far), at(sim->position, near));
    const link_ends was = {real3(before[0]), real3(before[0] + 3), real3(before[1]), real3(before[1] + 3)};
    const link_ends now = link_braked((rvec){chord.x, chord.y, chord.z}, was, brake,
                                      1.0 / (m->view.pitch * m->view.pitch), false);
    const rvec to[2][2] = {{now.velocity1, now.spin1}, {now.velocity2, now.spin2}};
    for (int e = 0; e < 2; e++) {
        const int32_t v = ends[e];
        const material_constants *c = &m->materials[m->material[v]];
        const vec3 impulse = vec3_scale(
            c->mass, (vec3){to[e][0].x - before[e][0], to[e][0].y - before[e][1], to[e][0].z - before[e][2]});
        const vec3 moment =
            vec3_scale(c->inertia, (vec3){to[e][1].x - before[e][3], to[e][1].y - before[e][4],
                                          to[e][1].z - before[e][5]});
        const double all[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
        if (vxe_is_rigid(m, v)) vxe_rigid_push(sim, v, impulse, moment);
        for (int d = 0; d < 6; d++) {
            if (m->fixed[v] != 0) sim->held_load[d][v] += all[d] / context->kick;
            if ((m->fixed[v] >> d & 1) != 0) continue;
            const double inverse = 1.0 / (d < 3 ? c->mass : c->inertia);
            if (d < 3) sim->velocity[d][v] += inverse * all[d];
            if (d >= 3) sim->spin[d - 3][v] += inverse * all[d];
        }
    }
}

void vxe_rigid_spread(vxe_sim *sim)
{
    for (int32_t i = 0; i < sim->model->rigid_count; i++) write_velocities(sim, i, 0.0);
}

void vxe_rigid_damp(vxe_sim *sim, const step_context *context)
{
    const rigid_parts *r = sim->rigid;
    vxe_damping_prepare(sim, context);
    for (int32_t i = 0; i < r->joint_count; i++) {
        const rigid_joint *j = &r->joints[context->back ? r->joint_count - 1 - i : i];
        const uint32_t kind = sim->link_kind[j->axis][j->near];
        if (kind != 0) vxe_rigid_brake(sim, context, j->near, j->far, &sim->links[kind - 1].joint);
    }
    vxe_rigid_spread(sim);
}

/* ---- the end of a step ---------------------------------------------------------------------------------------------- */

static double kinetic(const rigid_part *p, const double u[6])
{
    const vec3 spin = vec3_from(u + 3);
    return 0.5 * (p->mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
                  vec3_dot(spin, mat3_times(&p->inertia_now, spin)));
}

/* Work of what is not conservative, of supports, and the jump where steps change: plain_motion.h. Every load
 * works along the mean of the velocities before and after the step, ground damping (`drag`) included: so do
 * the elastic forces of soft voxels, whose links move as the part does in the end. */
static void book_part(vxe_sim *sim, const step_context *context, int32_t number, const double drag[6])
{
    const vxe_model *m = sim->model;
    rigid_part *p = &sim->rigid->parts[number];
    double loads = 0.0;
    double kept = 0.0;
    double jump = 0.0;
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        const vec3 old = vec3_cross(vec3_from(p->before + 3), sim->rigid->arms_now[i]);
        const double was[6] = {p->before[0] + old.x, p->before[1] + old.y, p->before[2] + old.z,
                               p->before[3],         p->before[4],         p->before[5]};
        double now[6];
        vxe_rigid_velocity(sim, v, now);
        for (int d = 0; d < 6; d++) {
            const double own = d < 3 ? sim->kept_force[d][v] : sim->kept_moment[d - 3][v];
            loads += 0.5 * context->kick * sim->held_load[d][v] * (was[d] + now[d]);
            kept += 0.5 * context->kick * own * (was[d] + now[d]);
            jump += 0.25 * (context->before - context->step) * own * (now[d] - was[d]);
        }
    }
    const double work = 0.5 * context->kick * (dot6(drag, p->before) + dot6(drag, p->now));
    sim->last.lost_work += loads - kept + work;
    sim->last.shift += jump;
    sim->last.motion_work += kinetic(p, p->now) - kinetic(p, p->before) - loads - work;
}

/* Ground damping acts; `drag`: N and N m about its centre. */
static void damp_part(vxe_sim *sim, const step_context *context, int32_t number, double drag[6])
{
    rigid_part *p = &sim->rigid->parts[number];
    double impulse[6];
    drag_impulse(p, p->now, impulse);
    for (int d = 0; d < 6; d++) drag[d] = impulse[d] / context->kick;
    damp_motion(p, p->now);
}

/* What regions exert on a part: what makes it move as they say, beside its loads. Of several voxels whose
 * supports could each bear it, the first do. */
static void record_supports(vxe_sim *sim, const step_context *context, int32_t number, const double drag[6])
{
    const vxe_model *m = sim->model;
    const rigid_part *p = &sim->rigid->parts[number];
    for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
        const int32_t h = sim->rigid->support[i];
        for (int d = 0; d < 6 && h >= 0; d++) sim->reaction[0][6 * (size_t)h + (size_t)d] = 0.0;
    }
    if (p->hold_count == 0) return;
    double missing[6];
    load_of_part(sim, number, missing);
    double change[6];
    for (int d = 0; d < 6; d++) change[d] = (p->now[d] - p->before[d]) / context->kick;
    const vec3 turn = mat3_times(&p->inertia_now, vec3_from(change + 3));
    const double needed[6] = {
        p->mass * change[0], p->mass * change[1], p->mass * change[2], turn.x, turn.y, turn.z};
    for (int d = 0; d < 6; d++) missing[d] = needed[d] - missing[d] - drag[d];
    double part[6];
    for (int k = 0; k < p->hold_count; k++) part[k] = dot6(p->holds[k].taken, missing);
    for (int k = p->hold_count - 1; k >= 0; k--) { /* the last has nothing of those before it */
        const rigid_hold *hold = &p->holds[k];
        const double force = hold->scale * part[k];
        for (int j = 0; j < k; j++) part[j] -= force * dot6(hold->row, p->holds[j].taken);
        const int32_t h = hold->slot >= 0 ? sim->rigid->support[hold->slot] : -1;
        if (h >= 0) sim->reaction[0][6 * (size_t)h + (size_t)hold->dof] = force;
    }
}

void vxe_rigid_settle(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    for (int32_t number = 0; number < m->rigid_count; number++) {
        double drag[6];
        damp_part(sim, context, number, drag);
        if (sim->def.audit) book_part(sim, context, number, drag);
        record_supports(sim, context, number, drag);
        write_velocities(sim, number, 0.0);
        for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
            const int32_t v = m->rigid_voxel[i];
            const vec3 velocity = at(sim->velocity, v);
            const vec3 spin = at(sim->spin, v);
            put(sim->velocity_before, v, velocity); /* what is held goes on as it did */
            put(sim->spin_before, v, spin);
            if ((m->own_fixed[v] & VXE_DOF_MOVE) == VXE_DOF_MOVE) continue;
            step_measures *sums = &sim->measures[v / CHUNK];
            const double speed2 = vec3_dot(velocity, velocity);
            if (speed2 > sums->speed_max) sums->speed_max = speed2;
            if (!(speed2 <= 0.25 * l * l / (context->step * context->step)) ||
                !(vec3_dot(spin, spin) <= 1.0 / (context->step * context->step)))
                sums->bad = 1;
        }
    }
}

typedef enum turn_kind {
    TURN_FREE,  /* by its angular momentum */
    TURN_AXIS,  /* about one axis at most, which stays where it is */
    TURN_GIVEN, /* altogether as its holds say */
} turn_kind;

/* From the two invariants of what moments change the spin by: none of it is left for what holds have taken.
 */
static turn_kind kind_of_turn(const rigid_part *p)
{
    if (p->hold_count == 0) return TURN_FREE;
    double trace = 0.0;
    double free = 0.0;
    double pairs = 0.0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        const double(*m)[6] = p->mobility;
        trace += m[a + 3][a + 3];
        free += p->inverse_now.m[a][a];
        pairs += m[a + 3][a + 3] * m[b + 3][b + 3] - m[a + 3][b + 3] * m[b + 3][a + 3];
    }
    if (!(trace > HOLD_LEAST * free)) return TURN_GIVEN;
    return pairs > HOLD_LEAST * free * free ? TURN_FREE : TURN_AXIS;
}

#define POSE_ROUNDS 20

/* The way of a part's centre and its turn in a step, `way`, such that what is held arrives where its region
 * wants it: velocities are those of chords, so a step along them would leave it beside that by the square of
 * the turn. What a change of `way` does is taken from the holds as they were before the step; each round
 * leaves so much of the error as the part turns, which is little. */
static void meet_holds(const vxe_sim *sim, const rigid_part *p, double step, double way[6])
{
    const rigid_parts *r = sim->rigid;
    const uint8_t plane = vxe_plane_dofs(sim->model->environment.plane);
    double next[6];
    for (int d = 0; d < 6; d++) next[d] = way[d] = step * p->now[d];
    double least = INFINITY;
    for (int round = 0; round < POSE_ROUNDS; round++) {
        const quat turn = quat_unit(quat_product(quat_from_rotation(vec3_from(next + 3)), p->turn));
        double change[6] = {0.0};
        double amiss = 0.0;
        for (int k = 0; k < p->hold_count; k++) {
            const rigid_hold *hold = &p->holds[k];
            double missing = step * dot6(hold->row, p->now) - dot6(hold->row, next);
            if (hold->slot >= 0 && hold->dof < 3) {
                const vec3 arm = vec3_sub(quat_rotate(turn, r->arms[hold->slot]), r->arms_now[hold->slot]);
                const double moved[3] = {arm.x, arm.y, arm.z};
                missing = step * dot6(hold->row, p->now) - next[hold->dof] - moved[hold->dof];
            }
            amiss += hold->scale * hold->scale * missing * missing;
            const double share = hold->scale * (missing - dot6(hold->row, change));
            for (int d = 0; d < 6; d++) change[d] += share * hold->taken[d];
        }
        if (!(amiss < least)) break; /* nothing but round-off is left */
        least = amiss;
        for (int d = 0; d < 6; d++) way[d] = next[d];
        for (int d = 0; d < 6; d++) next[d] += (plane >> d & 1) == 0 ? change[d] : 0.0;
    }
}

void vxe_rigid_place(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    rigid_parts *r = sim->rigid;
    for (int32_t number = 0; number < m->rigid_count; number++) {
        rigid_part *p = &r->parts[number];
        const bool rests = dot6(p->now, p->now) == 0.0; /* where it is: round-off does not move it */
        const vec3 momentum = mat3_times(&p->inertia_now, vec3_from(p->now + 3));
        vec3 center = vec3_add(p->center, vec3_scale(context->step, vec3_from(p->now)));
        const turn_kind kind = kind_of_turn(p);
        quat turn;
        vec3 spin;
        if (kind == TURN_GIVEN && !rests) {
            double way[6];
            meet_holds(sim, p, context->step, way);
            center = vec3_add(p->center, vec3_from(way));
            spin = vec3_from(p->now + 3);
            turn = quat_unit(quat_product(quat_from_rotation(vec3_from(way + 3)), p->turn));
        } else if (kind != TURN_FREE || p->lock_count > 0) { /* the plane holds, too */
            spin = vec3_from(p->now + 3);
            turn = quat_unit(quat_product(quat_from_rotation(vec3_scale(context->step, spin)), p->turn));
        } else {
            turn = rigid_turn(p->turn, momentum, &p->inverse, context->step);
            spin = quat_rotate(turn, mat3_times(&p->inverse, quat_rotate(quat_conjugate(turn), momentum)));
        }
        for (int32_t i = m->rigid_begin[number]; i < m->rigid_begin[number + 1]; i++) {
            const int32_t v = m->rigid_voxel[i];
            const vec3 arm = quat_rotate(turn, r->arms[i]);
            const vec3 way = vec3_add(vec3_sub(center, p->center), vec3_sub(arm, r->arms_now[i]));
            const double speed2 = vec3_dot(way, way) / (context->step * context->step);
            step_measures *sums = &sim->measures[v / CHUNK];
            if (speed2 > sums->travel_max) sums->travel_max = speed2; /* lists of neighbours rely on it */
            if (rests) {
                put(sim->velocity, v, (vec3){0.0, 0.0, 0.0});
                put(sim->spin, v, (vec3){0.0, 0.0, 0.0});
                continue;
            }
            put(sim->position, v, vec3_add(center, arm));
            put(sim->velocity, v, vec3_add(vec3_from(p->now), vec3_cross(spin, arm)));
            put(sim->spin, v, spin);
            sim->orientation[0][v] = turn.w;
            sim->orientation[1][v] = turn.x;
            sim->orientation[2][v] = turn.y;
            sim->orientation[3][v] = turn.z;
        }
    }
}
