/* Voxels that touch each other, of a body that a block steps: sim/contact.c by many threads. Contacts that
 * share a voxel are solved one after the other in the order of the list, as there; those that share none, at
 * once: a contact waits for those before it that have one of its voxels, which gives it a level. */
#ifndef BACKEND_CUDA_TOUCH_H
#define BACKEND_CUDA_TOUCH_H

#include "backend/cuda/shared.h"

/* As in sim/contact.c. */
#define TOUCH_ROUNDS 32
#define TOUCH_GUESS_ROUNDS 1
#define TOUCH_CLOSE_ENOUGH 1e-4
#define TOUCH_FLOOR_FAR (-2)

DEVICE exact_rvec touch_from(const double *a)
{
    exact_rvec v;
    v.x = a[0];
    v.y = a[1];
    v.z = a[2];
    return v;
}
DEVICE exact_pair_motion touch_motion(const double *a)
{
    exact_pair_motion m;
    m.velocity = touch_from(a);
    m.spin = touch_from(a + 3);
    return m;
}
DEVICE exact_pair_times touch_times(const robot_control *c)
{
    exact_pair_times t;
    t.before = c->before;
    t.step = c->length;
    t.kick = c->kick;
    return t;
}

DEVICE uint8_t touch_fixed(const block *b, int32_t v)
{
    return (b->is & IS_FIXED) != 0 ? b->r->fixed_of[v] : 0;
}

/* ---- which ---------------------------------------------------------------------------------------------------------- */

/* Notes a pair that touches; in any order. */
DEVICE void touch_note(block *b, int32_t first, int32_t second)
{
#ifdef __CUDACC__
    const int32_t at = atomicAdd(&b->c->touching, 1);
#else
    const int32_t at = b->c->touching++;
#endif
    if (at < b->c->touch_room) b->r->noted[at] = (uint32_t)first << 16 | (uint32_t)second;
}

/* What a pair remembers from the last step; NULL: nothing. */
DEVICE const touch_state *touch_known(const block *b, uint32_t key)
{
    const touch *list = b->r->touches[b->c->touch_side];
    int32_t low = 0;
    int32_t high = b->c->touch_count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (list[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < b->c->touch_count && list[low].key == key ? &list[low].state : NULL;
}

/* In the order of the list, with what they remember. */
DEVICE void touch_sort(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const int32_t count = b->c->touching;
    touch *list = r->touches[1 - b->c->touch_side];
    (void)o;
    for (int32_t i = v; i < count; i += b->threads) {
        const uint32_t key = r->noted[i];
        int32_t place = 0;
        for (int32_t k = 0; k < count; k++) place += r->noted[k] < key;
        const touch_state *known = touch_known(b, key);
        touch_state none;
        none.stick[0] = none.stick[1] = none.stick[2] = none.rest = none.energy = none.since = 0.0;
        none.force[0] = none.force[1] = none.force[2] = 0.0;
        none.stuck = none.touching = 0;
        list[place].key = key;
        list[place].state = known != NULL ? *known : none;
    }
}

DEVICE void touch_sorted(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v != 0) return;
    b->c->touch_side = 1 - b->c->touch_side;
    b->c->touch_count = b->c->touching;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

DEVICE double touch_mobility_along(const block *b, int32_t v, exact_rvec n)
{
    const uint8_t fixed = touch_fixed(b, v);
    double free = 0.0;
    free += (fixed & 1) == 0 ? n.x * n.x : 0.0;
    free += (fixed & 2) == 0 ? n.y * n.y : 0.0;
    free += (fixed & 4) == 0 ? n.z * n.z : 0.0;
    return free * b->r->rows[b->r->material[v]].exact.inverse_mass;
}

DEVICE double touch_mobility_across(const block *b, int32_t v, double arm)
{
    const uint8_t fixed = touch_fixed(b, v);
    const exact_voxel_constants *t = &b->r->rows[b->r->material[v]].exact;
    return ((fixed & ROBOT_DOF_MOVE) != ROBOT_DOF_MOVE ? t->inverse_mass : 0.0) +
           ((fixed & ROBOT_DOF_TURN) != ROBOT_DOF_TURN ? arm * arm * t->inverse_inertia : 0.0);
}

/* Where rows are. */
DEVICE void touch_place(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    const touch *list = r->touches[c->touch_side];
    (void)o;
    if (v < r->voxels) r->bodies[v].level = -1;
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        touch_row *row = &r->touch_rows[i];
        const int32_t first = (int32_t)(list[i].key >> 16);
        const int32_t second = (int32_t)(list[i].key & 0xffffU);
        const double size1 = 1.0 + b->growth[first];
        const double size2 = 1.0 + b->growth[second];
        double offset[3];
        for (int a = 0; a < 3; a++) offset[a] = b->position[a][second] - b->position[a][first];
        const exact_rvec d = touch_from(offset);
        const double distance = CONTROL_SQRT(exact_rvec_dot(d, d));
        const touch_constants *k =
            &r->touch_constants[r->material[first] * (r->materials + 1) + r->material[second]];
        row->first = first;
        row->second = second;
        row->place.normal = exact_rvec_scale(1.0 / distance, d);
        row->place.arm1 = size1 / (size1 + size2) * distance;
        row->place.arm2 = distance - row->place.arm1;
        row->reach = contact_reach(c->reach, b->growth[first], b->growth[second]);
        row->distance = distance;
        row->spring = exact_pair_spring(k->stiffness, row->reach, exact_contact_edge(c->collision_distance));
        row->grip = exact_pair_grip(k->stiffness, k->still, k->sliding);
        row->yield.mobility = touch_mobility_along(b, first, row->place.normal) +
                              touch_mobility_along(b, second, row->place.normal);
        row->yield.across = touch_mobility_across(b, first, row->place.arm1) +
                            touch_mobility_across(b, second, row->place.arm2);
        row->yield.damp = exact_contact_damp(k->damping, row->yield.mobility, c->kick);
        row->yield.damp_across = exact_contact_damp(CONTACT_TANGENT * k->damping, row->yield.across, c->kick);
        row->seen[0] = row->seen[1] = -1;
    }
}

/* Levels: one more than those of the contacts before that share a voxel; -1: both are held. */
DEVICE void touch_levels(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    int32_t levels = 0;
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < b->c->touch_count; i++) {
        touch_row *row = &r->touch_rows[i];
        row->level = -1;
        if (!(row->yield.mobility > 0.0)) continue;
        touch_body *first = &r->bodies[row->first];
        touch_body *second = &r->bodies[row->second];
        row->level = (first->level > second->level ? first->level : second->level) + 1;
        first->level = second->level = row->level;
        if (row->level >= levels) levels = row->level + 1;
    }
    b->c->touch_levels = levels;
    b->c->touch_largest = 0.0;
}

/* A voxel with contacts as far as it has come. `again`: after damping. */
DEVICE void touch_gather(block *b, block_own *o, int32_t v, int again)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->bodies[v].level < 0) return;
    touch_body *body = &r->bodies[v];
    const voxel_place p = block_place(b, o, v);
    rvec v1, w1;
    double depth = 0.0;
    block_get6(b->motion, v, &v1, &w1);
    const int floor = robot_near_floor(r, b->is, &p, &depth);
    if (floor) v1 = rvec_sub(v1, o->guess);
    if (!again) {
        body->floor[0] = floor ? (double)o->guess.x : 0.0;
        body->floor[1] = floor ? (double)o->guess.y : 0.0;
        body->floor[2] = floor ? (double)o->guess.z : 0.0;
    }
    body->before[0] = (double)o->v0.x;
    body->before[1] = (double)o->v0.y;
    body->before[2] = (double)o->v0.z;
    body->before[3] = (double)o->w0.x;
    body->before[4] = (double)o->w0.y;
    body->before[5] = (double)o->w0.z;
    body->now[0] = (double)v1.x + body->floor[0];
    body->now[1] = (double)v1.y + body->floor[1];
    body->now[2] = (double)v1.z + body->floor[2];
    body->now[3] = (double)w1.x;
    body->now[4] = (double)w1.y;
    body->now[5] = (double)w1.z;
    for (int d = 0; d < 6; d++) body->impulse[d] = 0.0;
    body->changes = 0;
    body->floor_seen = floor ? -1 : TOUCH_FLOOR_FAR;
}

DEVICE void touch_scatter(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->bodies[v].level < 0) return;
    const touch_body *body = &r->bodies[v];
    block_put6(b->motion, v, rvec_make((real)body->now[0], (real)body->now[1], (real)body->now[2]),
               rvec_make((real)body->now[3], (real)body->now[4], (real)body->now[5]));
    o->guess = rvec_make((real)body->floor[0], (real)body->floor[1], (real)body->floor[2]);
    if (o->fixed == 0) return;
    for (int d = 0; d < 6; d++) r->held_load[d][v] += body->impulse[d] / b->c->kick;
}

/* Of the second surface against the first, as the bodies move now. */
DEVICE exact_rvec touch_velocity(const robot *r, const touch_row *row)
{
    return exact_pair_velocity(row->place, touch_motion(r->bodies[row->first].now),
                               touch_motion(r->bodies[row->second].now));
}

/* Where rows begin, and the forces of the last step. */
DEVICE void touch_begin(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    (void)o;
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        touch_row *row = &r->touch_rows[i];
        const touch_state *state = &r->touches[c->touch_side][i].state;
        if (row->level < 0) continue;
        const exact_rvec before = exact_pair_velocity(row->place, touch_motion(r->bodies[row->first].before),
                                                      touch_motion(r->bodies[row->second].before));
        exact_pair_memory memory;
        memory.stick = touch_from(state->stick);
        memory.force = touch_from(state->force);
        memory.rest = state->rest;
        memory.stuck = state->stuck;
        memory.touching = state->touching;
        row->start = exact_pair_begin(row->place, row->reach - row->distance, memory, before, touch_times(c),
                                      c->step == 0 && c->collision_distance > 1.0);
        row->force = exact_pair_last_force(row->place, memory.force);
        if (row->force.along > 0.0) BLOCK_MOST(&b->c->touch_largest, row->force.along);
    }
}

/* ---- rounds --------------------------------------------------------------------------------------------------------- */

DEVICE void touch_push(const block *b, int32_t v, exact_rvec impulse, exact_rvec turn)
{
    const uint8_t fixed = touch_fixed(b, v);
    const exact_voxel_constants *t = &b->r->rows[b->r->material[v]].exact;
    touch_body *body = &b->r->bodies[v];
    const double parts[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) {
        body->impulse[d] += parts[d];
        if ((fixed >> d & 1) == 0) body->now[d] += (d < 3 ? t->inverse_mass : t->inverse_inertia) * parts[d];
    }
}

/* A change of its forces acts. */
DEVICE void touch_push_pair(const block *b, const touch_row *row, exact_pair_force change)
{
    const exact_rvec impulse = exact_pair_impulse(row->place, change, touch_times(b->c));
    const exact_rvec turn = exact_rvec_cross(row->place.normal, impulse);
    touch_push(b, row->first, exact_rvec_scale(-1.0, impulse), exact_rvec_scale(-row->place.arm1, turn));
    touch_push(b, row->second, impulse, exact_rvec_scale(-row->place.arm2, turn));
}

/* Begins with the forces of the last step. */
DEVICE void touch_last(block *b, block_own *o, int32_t v, int32_t level)
{
    (void)o;
    for (int32_t i = v; i < b->c->touch_count; i += b->threads) {
        const touch_row *row = &b->r->touch_rows[i];
        if (row->level == level && row->force.along > 0.0) touch_push_pair(b, row, row->force);
    }
}

/* Solves a row with what the others do now: the change of its forces, N. */
DEVICE double touch_solve_row(block *b, touch_row *row)
{
    const exact_pair_force after =
        exact_pair_solve(row->place, row->yield, row->start, row->force, touch_velocity(b->r, row),
                         row->spring, row->grip, touch_times(b->c));
    exact_pair_force change;
    change.along = after.along - row->force.along;
    change.drag = exact_rvec_sub(after.drag, row->force.drag);
    touch_push_pair(b, row, change);
    row->force = after;
    return CONTROL_SQRT(change.along * change.along + exact_rvec_dot(change.drag, change.drag));
}

DEVICE void touch_guess(block *b, block_own *o, int32_t v, int32_t level)
{
    (void)o;
    for (int32_t i = v; i < b->c->touch_count; i += b->threads) {
        touch_row *row = &b->r->touch_rows[i];
        if (row->level == level) (void)touch_solve_row(b, row);
    }
}

/* Those whose voxels others have changed since. */
DEVICE int touch_visit(block *b, block_own *o, int32_t v, int32_t level)
{
    const robot *r = b->r;
    int any = 0;
    (void)o;
    for (int32_t i = v; i < b->c->touch_count; i += b->threads) {
        touch_row *row = &r->touch_rows[i];
        touch_body *first = &r->bodies[row->first];
        touch_body *second = &r->bodies[row->second];
        if (row->level != level || (row->seen[0] == first->changes && row->seen[1] == second->changes))
            continue;
        const int changed = touch_solve_row(b, row) > b->c->touch_slight;
        if (row->force.along > 0.0) BLOCK_MOST(&b->c->touch_largest, row->force.along);
        row->seen[0] = first->changes += changed;
        row->seen[1] = second->changes += changed;
        any |= changed;
    }
    return any;
}

/* The floor under a voxel, likewise. */
DEVICE int touch_floor(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    if (v >= r->voxels || r->bodies[v].level < 0) return 0;
    touch_body *body = &r->bodies[v];
    if (body->floor_seen == body->changes || body->floor_seen == TOUCH_FLOOR_FAR) return 0;
    const voxel_place p = block_place(b, o, v);
    double depth = 0.0;
    (void)robot_near_floor(r, b->is, &p, &depth);
    const voxel_row *row = &r->rows[o->material];
    exact_floor_step times;
    times.half_before = 0.5 * c->before;
    times.half_after = 0.5 * c->length;
    times.kick = c->kick;
    times.pitch = r->pitch;
    times.gives = (o->fixed & ROBOT_DOF_Z) != 0 ? FLOOR_HELD : 1.0;
    const double keep = exact_voxel_keep(row->exact.ground_rate, c->kick);
    const exact_rvec free = exact_rvec_sub(touch_from(body->now), touch_from(body->floor));
    const exact_rvec before = touch_from(body->before);
    const exact_rvec load = exact_rvec_scale(row->exact_mass / c->kick, exact_rvec_sub(free, before));
    const exact_rvec after =
        exact_voxel_on_floor(before, exact_rvec_scale(keep, free), load, depth, o->stuck != 0,
                             o->stuck == ROBOT_STUCK_FRESH, row->exact, times)
            .velocity;
    const double to[3] = {after.x, after.y, after.z};
    const double from[3] = {free.x, free.y, free.z};
    double square = 0.0;
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        if ((o->fixed >> a & 1) != 0) continue;
        const double change = to[a] - body->now[a];
        square += change * change;
        body->floor[a] = to[a] - from[a];
        body->now[a] = to[a];
    }
    const int changed = row->exact_mass * CONTROL_SQRT(square) > c->touch_slight * c->kick;
    body->floor_seen = body->changes += changed;
    return changed;
}

DEVICE void touch_round(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v == 0) b->c->touch_slight = TOUCH_CLOSE_ENOUGH * b->c->touch_largest;
}

/* What a pair remembers. */
DEVICE void touch_close(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    robot_control *c = b->c;
    (void)o;
    if (c->keep && v < r->voxels) {
        for (int a = 0; a < 3; a++) r->contact_force[a][v] = 0.0;
    }
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        const touch_row *row = &r->touch_rows[i];
        touch_state *state = &r->touches[c->touch_side][i].state;
        if (row->level < 0) continue;
        const exact_pair_end end =
            exact_pair_close(row->place, row->yield, row->start, row->force, touch_velocity(r, row),
                             row->spring, row->grip, touch_times(c));
        const exact_rvec total =
            exact_rvec_add(exact_rvec_scale(row->force.along, row->place.normal), row->force.drag);
        if (row->force.along > 0.0) BLOCK_COUNT(&c->now_pairs);
        state->energy = end.energy;
        state->stick[0] = end.stick.x;
        state->stick[1] = end.stick.y;
        state->stick[2] = end.stick.z;
        state->rest = row->start.rest;
        state->force[0] = total.x;
        state->force[1] = total.y;
        state->force[2] = total.z;
        state->stuck = end.stuck != 0 && row->force.along > 0.0;
        state->since = state->touching != 0 ? state->since : c->time;
        state->touching = row->start.rest > 0.0 || row->force.along > 0.0 || end.after > 0.0;
    }
}

/* What voxels feel, in the order of the list. */
DEVICE void touch_forces(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < b->c->touch_count; i++) {
        const touch_row *row = &r->touch_rows[i];
        const touch_state *state = &r->touches[b->c->touch_side][i].state;
        for (int a = 0; a < 3 && row->level >= 0; a++) {
            r->contact_force[a][row->first] -= state->force[a];
            r->contact_force[a][row->second] += state->force[a];
        }
    }
}

/* ---- the two parts -------------------------------------------------------------------------------------------------- */

/* vxe_contacts_begin(). */
DEVICE void block_touch_begin(block *b, block_own *o)
{
    BLOCK_PHASE(touch_place, b, o);
    BLOCK_PHASE(touch_levels, b, o);
    BLOCK_PHASE_OF(touch_gather, b, o, 0);
    BLOCK_PHASE(touch_begin, b, o);
    for (int32_t level = 0; level < b->c->touch_levels; level++) BLOCK_PHASE_OF(touch_last, b, o, level);
    if (!b->c->implicit) return; /* it goes on at once */
    for (int round = 0; round < TOUCH_GUESS_ROUNDS; round++) {
        for (int32_t level = 0; level < b->c->touch_levels; level++) BLOCK_PHASE_OF(touch_guess, b, o, level);
    }
    BLOCK_PHASE(touch_scatter, b, o);
}

/* vxe_contacts_solve(). */
DEVICE void block_touch_solve(block *b, block_own *o)
{
    if (b->c->implicit) BLOCK_PHASE_OF(touch_gather, b, o, 1);
    for (int round = 0; round < TOUCH_ROUNDS && b->c->touch_levels > 0; round++) {
        int changed = 0;
        BLOCK_PHASE(touch_round, b, o);
        for (int32_t level = 0; level < b->c->touch_levels; level++)
            BLOCK_PHASE_ANY_OF(changed, touch_visit, b, o, level);
        BLOCK_PHASE_ANY(changed, touch_floor, b, o);
        if (!changed) break;
    }
    BLOCK_PHASE(touch_close, b, o);
    if (b->c->keep) BLOCK_PHASE(touch_forces, b, o);
    BLOCK_PHASE(touch_scatter, b, o);
}

#endif
