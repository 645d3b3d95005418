/* Contacts of voxels, one pair or one voxel at a time: sim/contact.c and backend/cpu/contact_loops.h over the
 * arrays of robot.h, in the same order of operations. Blocks that step a body each (touch.h) and grids
 * (grid_touch.h) are made of these. */
#ifndef BACKEND_CUDA_CONTACTS_H
#define BACKEND_CUDA_CONTACTS_H

#include "backend/cuda/physics.h"

/* As in sim/contact.c. */
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

DEVICE uint8_t touch_fixed(const robot *r, int is, int32_t v)
{
    return (is & IS_FIXED) != 0 ? r->fixed_of[v] : 0;
}

DEVICE touch_state touch_nothing(void)
{
    touch_state none;
    none.stick[0] = none.stick[1] = none.stick[2] = none.rest = none.energy = none.since = 0.0;
    none.force[0] = none.force[1] = none.force[2] = 0.0;
    none.stuck = none.touching = 0;
    return none;
}

/* What ground damping leaves of a velocity, or of a spin: find_keeps() of sim/contact.c. */
DEVICE double touch_keep(const robot *r, const robot_control *c, int32_t v, int spin)
{
    const voxel_row *row = &r->rows[r->material[v]];
    return exact_voxel_keep_half(spin ? row->exact_turning_rate : row->exact.ground_rate, c->kick);
}
DEVICE double touch_inverse_mass(const robot *r, const robot_control *c, int32_t v)
{
    const double inverse = r->rows[r->material[v]].exact.inverse_mass;
    const double keep = (r->is & IS_DAMPED) != 0 ? touch_keep(r, c, v, 0) : 1.0;
    return keep * keep * inverse;
}
DEVICE double touch_inverse_inertia(const robot *r, const robot_control *c, int32_t v)
{
    const double inverse = r->rows[r->material[v]].exact.inverse_inertia;
    const double keep = (r->is & IS_DAMPED) != 0 ? touch_keep(r, c, v, 1) : 1.0;
    return keep * keep * inverse;
}

/* ---- where a pair is ------------------------------------------------------------------------------------------------ */

DEVICE double touch_mobility_along(const robot *r, int is, int32_t v, exact_rvec n, double inverse_mass)
{
    const uint8_t fixed = touch_fixed(r, is, v);
    double free = 0.0;
    free += (fixed & 1) == 0 ? n.x * n.x : 0.0;
    free += (fixed & 2) == 0 ? n.y * n.y : 0.0;
    free += (fixed & 4) == 0 ? n.z * n.z : 0.0;
    return free * inverse_mass;
}

DEVICE double touch_mobility_across(const robot *r, int is, const robot_control *c, int32_t v, double arm)
{
    const uint8_t fixed = touch_fixed(r, is, v);
    return ((fixed & ROBOT_DOF_MOVE) != ROBOT_DOF_MOVE ? touch_inverse_mass(r, c, v) : 0.0) +
           ((fixed & ROBOT_DOF_TURN) != ROBOT_DOF_TURN ? arm * arm * touch_inverse_inertia(r, c, v) : 0.0);
}

/* Where the row of two voxels is. */
DEVICE void touch_place_row(const robot *r, int is, const robot_control *c, double *const position[3],
                            const double *growth, int32_t first, int32_t second, touch_row *row)
{
    const double size1 = 1.0 + growth[first];
    const double size2 = 1.0 + growth[second];
    double offset[3];
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) offset[a] = position[a][second] - position[a][first];
    const exact_rvec d = touch_from(offset);
    const double distance = CONTROL_SQRT(exact_rvec_dot(d, d));
    const touch_constants *k =
        &r->touch_constants[r->material[first] * (r->materials + 1) + r->material[second]];
    row->first = first;
    row->second = second;
    row->place.normal = exact_rvec_scale(1.0 / distance, d);
    row->place.arm1 = size1 / (size1 + size2) * distance;
    row->place.arm2 = distance - row->place.arm1;
    row->reach = contact_reach(c->reach, growth[first], growth[second]);
    row->distance = distance;
    row->spring = exact_pair_spring(k->stiffness, row->reach, exact_contact_edge(c->collision_distance));
    row->grip = exact_pair_grip(k->stiffness, k->still, k->sliding);
    row->yield.mobility =
        touch_mobility_along(r, is, first, row->place.normal, touch_inverse_mass(r, c, first)) +
        touch_mobility_along(r, is, second, row->place.normal, touch_inverse_mass(r, c, second));
    row->yield.across = touch_mobility_across(r, is, c, first, row->place.arm1) +
                        touch_mobility_across(r, is, c, second, row->place.arm2);
    row->yield.damp = exact_contact_press_damp(k->damping, row->yield.mobility, c->kick, c->length);
    row->yield.damp_across = exact_contact_damp(CONTACT_TANGENT * k->damping, row->yield.across, c->kick);
    row->seen[0] = row->seen[1] = -1;
}

/* ---- a voxel --------------------------------------------------------------------------------------------------------- */

/* damp_body() and undamp_body() of sim/contact.c. */
DEVICE void touch_damp_body(touch_body *b, uint8_t fixed, double keep, double keep_turn)
{
    const int near_floor = b->floor_seen != TOUCH_FLOOR_FAR;
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) {
        if ((fixed >> d & 1) != 0) continue;
        const int floor = d < 3 && near_floor;
        const double own = floor ? b->floor[d % 3] : 0.0;
        const double free = b->now[d] - own;
        if (floor) b->floor[d % 3] = own + (1.0 - keep) * free;
        b->now[d] = (d < 3 ? keep : keep_turn) * free + (floor ? b->floor[d % 3] : 0.0);
    }
}
DEVICE void touch_undamp_body(touch_body *b, uint8_t fixed, double keep, double keep_turn)
{
    const int near_floor = b->floor_seen != TOUCH_FLOOR_FAR;
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) {
        if ((fixed >> d & 1) != 0) continue;
        if (d < 3 && near_floor) {
            b->floor[d % 3] = b->now[d] - (b->now[d] - b->floor[d % 3]) / keep;
        } else {
            b->now[d] /= d < 3 ? keep : keep_turn;
        }
    }
}
/* Before its motion goes back to the state. */
DEVICE void touch_leave_body(const robot *r, int is, const robot_control *c, int32_t v)
{
    if ((is & IS_DAMPED) != 0)
        touch_undamp_body(&r->bodies[v], touch_fixed(r, is, v), touch_keep(r, c, v, 0),
                          touch_keep(r, c, v, 1));
}

/* A voxel with contacts as far as it has come: velocities before the step, now, and the floor's guess.
 * `again`: after damping. */
DEVICE void touch_gather_body(const robot *r, int is, const robot_control *c, int32_t v, const voxel_place *p,
                              rvec v0, rvec w0, rvec v1, rvec w1, rvec guess, int again)
{
    touch_body *body = &r->bodies[v];
    double depth = 0.0;
    const int floor = robot_near_floor(r, is, p, &depth);
    if (floor) v1 = rvec_sub(v1, guess);
    if (!again) {
        body->floor[0] = floor ? (double)guess.x : 0.0;
        body->floor[1] = floor ? (double)guess.y : 0.0;
        body->floor[2] = floor ? (double)guess.z : 0.0;
    }
    body->before[0] = (double)v0.x;
    body->before[1] = (double)v0.y;
    body->before[2] = (double)v0.z;
    body->before[3] = (double)w0.x;
    body->before[4] = (double)w0.y;
    body->before[5] = (double)w0.z;
    body->now[0] = (double)v1.x + body->floor[0];
    body->now[1] = (double)v1.y + body->floor[1];
    body->now[2] = (double)v1.z + body->floor[2];
    body->now[3] = (double)w1.x;
    body->now[4] = (double)w1.y;
    body->now[5] = (double)w1.z;
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) body->impulse[d] = 0.0;
    body->changes = 0;
    body->floor_seen = floor ? -1 : TOUCH_FLOOR_FAR;
    body->inverse_mass = touch_inverse_mass(r, c, v);
    body->inverse_inertia = touch_inverse_inertia(r, c, v);
    if ((is & IS_DAMPED) != 0)
        touch_damp_body(body, p->fixed, touch_keep(r, c, v, 0), touch_keep(r, c, v, 1));
}

/* An impulse on a voxel; what it did is kept of those that are held. */
DEVICE void touch_push(const robot *r, int is, int32_t v, exact_rvec impulse, exact_rvec turn)
{
    const uint8_t fixed = touch_fixed(r, is, v);
    touch_body *body = &r->bodies[v];
    const double parts[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) {
        if (fixed != 0) body->impulse[d] += parts[d];
        if ((fixed >> d & 1) == 0)
            body->now[d] += (d < 3 ? body->inverse_mass : body->inverse_inertia) * parts[d];
    }
}

/* What a voxel does in a contact: how it moves, and how easily. */
typedef struct touch_end {
    double inverse_mass, inverse_inertia;
    uint8_t fixed;
} touch_end;

DEVICE touch_end touch_end_of(const robot *r, int is, int32_t v)
{
    touch_end e;
    e.inverse_mass = r->bodies[v].inverse_mass;
    e.inverse_inertia = r->bodies[v].inverse_inertia;
    e.fixed = touch_fixed(r, is, v);
    return e;
}

/* touch_push() of a voxel that moves as told. */
DEVICE void touch_push_end(touch_body *body, const touch_end *e, exact_pair_motion now, exact_rvec impulse,
                           exact_rvec turn)
{
    const double parts[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    const double from[6] = {now.velocity.x, now.velocity.y, now.velocity.z,
                            now.spin.x,     now.spin.y,     now.spin.z};
    DEVICE_UNROLL
    for (int d = 0; d < 6; d++) {
        if (e->fixed != 0) body->impulse[d] += parts[d];
        if ((e->fixed >> d & 1) == 0)
            body->now[d] = from[d] + (d < 3 ? e->inverse_mass : e->inverse_inertia) * parts[d];
    }
}

/* What of a round the floor needs to know. */
typedef struct touch_floor_round {
    double slight; /* N: it lets pass */
    int open;      /* latches that give way stay open */
} touch_floor_round;

/* The floor under a voxel, if others have changed its motion since: whether it changes it. */
DEVICE int touch_floor_body(const robot *r, int is, const robot_control *c, touch_floor_round round,
                            touch_body *body, voxel_place *p)
{
    double depth = 0.0;
    (void)robot_near_floor(r, is, p, &depth);
    const voxel_row *row = &r->rows[p->material];
    exact_floor_step times;
    times.half_before = 0.5 * c->before;
    times.half_after = 0.5 * c->length;
    times.kick = c->kick;
    times.pitch = r->pitch;
    times.gives = (p->fixed & ROBOT_DOF_Z) != 0 ? FLOOR_HELD : 1.0;
    const double undamp = 1.0 + c->kick * row->exact.ground_rate; /* 1/voxel_keep() */
    const exact_rvec damped = exact_rvec_sub(touch_from(body->now), touch_from(body->floor));
    const exact_rvec before = touch_from(body->before);
    exact_rvec free = damped;
    exact_rvec kept = damped;
    if ((p->fixed & 1) == 0) free.x = undamp * damped.x;
    if ((p->fixed & 2) == 0) free.y = undamp * damped.y;
    if ((p->fixed & 4) == 0) free.z = undamp * damped.z;
    const exact_rvec load = exact_rvec_scale(row->exact_mass / c->kick, exact_rvec_sub(free, before));
    if ((p->fixed & 1) != 0) kept.x = before.x; /* as in robot_finish() */
    if ((p->fixed & 2) != 0) kept.y = before.y;
    if ((p->fixed & 4) != 0) kept.z = before.z;
    const exact_floor_contact contact = exact_voxel_on_floor(
        before, kept, load, depth, p->stuck != 0, p->stuck == ROBOT_STUCK_FRESH, row->exact, times);
    const exact_rvec after = contact.velocity;
    if (round.open && contact.slips != 0) p->stuck = 0;
    const double to[3] = {after.x, after.y, after.z};
    const double from[3] = {damped.x, damped.y, damped.z};
    double square = 0.0;
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        if ((p->fixed >> a & 1) != 0) continue;
        const double change = to[a] - body->now[a];
        square += change * change;
        body->floor[a] = to[a] - from[a];
        body->now[a] = to[a];
    }
    const int changed = row->exact_mass * CONTROL_SQRT(square) > round.slight * c->kick;
    body->floor_seen = body->changes += changed;
    return changed;
}

/* ---- a pair ---------------------------------------------------------------------------------------------------------- */

/* Of the second surface against the first, as the bodies move now. */
DEVICE exact_rvec touch_velocity(const robot *r, const touch_row *row)
{
    return exact_pair_velocity(row->place, touch_motion(r->bodies[row->first].now),
                               touch_motion(r->bodies[row->second].now));
}

/* Where a row begins, and the forces of the last step. */
DEVICE void touch_begin_row(const robot *r, const robot_control *c, const touch_state *state, touch_row *row)
{
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
}

/* A change of its forces acts. */
DEVICE void touch_push_pair(const robot *r, int is, const robot_control *c, const touch_row *row,
                            exact_pair_force change)
{
    const exact_rvec impulse = exact_pair_impulse(row->place, change, touch_times(c));
    const exact_rvec turn = exact_rvec_cross(row->place.normal, impulse);
    touch_push(r, is, row->first, exact_rvec_scale(-1.0, impulse), exact_rvec_scale(-row->place.arm1, turn));
    touch_push(r, is, row->second, impulse, exact_rvec_scale(-row->place.arm2, turn));
}

/* Solves a row with what the others do now; `open`: a latch that gives way stays open. The change of its
 * forces, N. */
DEVICE double touch_solve_row(const robot *r, int is, const robot_control *c, touch_row *row, int open)
{
    const exact_pair_answer answer =
        exact_pair_solve(row->place, row->yield, row->start, row->force, touch_velocity(r, row), row->spring,
                         row->grip, touch_times(c));
    const exact_pair_force after = answer.force;
    exact_pair_force change;
    change.along = after.along - row->force.along;
    change.drag = exact_rvec_sub(after.drag, row->force.drag);
    touch_push_pair(r, is, c, row, change);
    row->force = after;
    if (open && answer.slips) row->start.stuck = 0;
    return CONTROL_SQRT(change.along * change.along + exact_rvec_dot(change.drag, change.drag));
}

/* The same, of voxels that are known already. */
DEVICE double touch_solve_ends(const robot *r, exact_pair_times t, touch_row *row, const touch_end ends[2],
                               int open)
{
    touch_body *first = &r->bodies[row->first];
    touch_body *second = &r->bodies[row->second];
    const exact_pair_motion one = touch_motion(first->now);
    const exact_pair_motion two = touch_motion(second->now);
    const exact_pair_answer answer =
        exact_pair_solve(row->place, row->yield, row->start, row->force,
                         exact_pair_velocity(row->place, one, two), row->spring, row->grip, t);
    const exact_pair_force after = answer.force;
    exact_pair_force change;
    change.along = after.along - row->force.along;
    change.drag = exact_rvec_sub(after.drag, row->force.drag);
    const exact_rvec impulse = exact_pair_impulse(row->place, change, t);
    const exact_rvec turn = exact_rvec_cross(row->place.normal, impulse);
    touch_push_end(first, &ends[0], one, exact_rvec_scale(-1.0, impulse),
                   exact_rvec_scale(-row->place.arm1, turn));
    touch_push_end(second, &ends[1], two, impulse, exact_rvec_scale(-row->place.arm2, turn));
    row->force = after;
    if (open && answer.slips) row->start.stuck = 0;
    return CONTROL_SQRT(change.along * change.along + exact_rvec_dot(change.drag, change.drag));
}

/* What a pair remembers. */
DEVICE void touch_close_row(const robot *r, const robot_control *c, const touch_row *row, touch_state *state)
{
    const exact_pair_end end =
        exact_pair_close(row->place, row->yield, row->start, row->force, touch_velocity(r, row), row->spring,
                         row->grip, touch_times(c));
    const exact_rvec total =
        exact_rvec_add(exact_rvec_scale(row->force.along, row->place.normal), row->force.drag);
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

#endif
