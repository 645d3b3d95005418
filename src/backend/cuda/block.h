/* A block of threads steps a whole body, thousands of steps at a time: one thread per voxel, the state in
 * shared memory. Between two barriers every thread runs a phase; on the host the threads of a block run one
 * after another through each phase, with the same result.
 *
 * Each link is computed once, by the thread of its near end; what it does to the far end goes through shared
 * memory and is added there in the CPU's order: links from -z, -y, -x, then the sum of those towards +z, +y,
 * +x. */
#ifndef BACKEND_CUDA_BLOCK_H
#define BACKEND_CUDA_BLOCK_H

#include "backend/cuda/pairs.h"

/* ---- in and out --------------------------------------------------------------------------------------------------- */

/* What needs no second look, on the safe side: squares of speed and spin, a link's stretch and its length. */
DEVICE void block_calm(block *b)
{
    const robot_control *c = b->c;
    const double less = 1.0 - 1e-6;
    double speed2 = c->speed2_most;
    if (c->fast2 < speed2) speed2 = c->fast2;
    if (c->speed_known < speed2) speed2 = c->speed_known;
    b->calm[0] = (real)(less * (speed2 < 1e37 ? speed2 : 1e37));
    b->calm[1] = (real)(less * (c->spin2_most < 1e37 ? c->spin2_most : 1e37));
    b->calm[2] = (real)(less * c->strain_known);
    b->calm[3] = (real)((2.0 - less) * CONTROL_CRUSHED * c->pitch);
}

/* A colour has half as many links as there are voxels, at most: half of the threads take them, in turn the
 * first and the second half, which are on different parts of a processor. So a thread has one link along each
 * axis, of the first or the second colour. */
DEVICE void block_take_damped(const block *b, block_own *o, int32_t v)
{
    const int32_t half = b->threads / 2;
    const int32_t second = v >= half;
    if ((b->is & IS_IMPLICIT) == 0) return;
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) o->damped[a] = b->r->damped[(2 * a + second) * half + v - second * half];
}

DEVICE void block_load(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v == 0) {
        *b->c = *r->control;
        b->c->why = ROBOT_RUNS;
        b->c->ready = 0;
        b->c->growth_most = 0.0;
        b->c->made_length = -1.0; /* what was made for steps is gone */
        control_begin(b->c);
        block_calm(b);
    }
    if ((b->is & IS_ACTUATED) != 0) {
        for (int32_t i = v + 1; i <= r->materials; i += b->threads)
            robot_signal(r, &b->sines[i], &b->sines_now[i], r->control->time);
    }
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        o->ends[a] = 0xffffffffU;
        o->kind[a] = 0;
        o->damped[a] = 0;
    }
    block_take_damped(b, o, v);
    o->near_force = o->near_moment = o->v0 = o->w0 = o->guess = rvec_make(0, 0, 0);
    o->near_sum = o->length = o->size = real_of(0);
    o->rest = o->source = o->past = 0.0;
    o->material = 0;
    o->fixed = o->stuck = o->driven = 0;
    if (v >= r->voxels) return;
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        o->ends[a] = ((uint32_t)r->next[a][v] & 0xffffU) | (uint32_t)r->previous[a][v] << 16;
        o->kind[a] = r->kind[a][v];
        b->position[a][v] = r->position[a][v];
    }
    block_put6(b->motion, v, robot_load3(r->velocity, v), robot_load3(r->spin, v));
    const rquat q = robot_load4(r->orientation, v);
    block_put4(b->orientation, v, q.w, q.x, q.y, q.z);
    b->growth[v] = r->growth[v];
    block_put2(b->size, v, (real)r->growth[v], (real)r->pressure[v]);
    o->material = r->material[v];
    o->fixed = (b->is & IS_FIXED) != 0 ? r->fixed_of[v] : 0;
    o->stuck = r->stuck[v];
    if ((b->is & IS_ACTUATED) != 0) o->driven = r->driven[v];
    if ((b->is & IS_ON_DISC) != 0) o->rest = r->floor_rest[v];
}

DEVICE void block_store(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if ((b->is & IS_PAIRED) != 0 && b->c->touch_side != 0) { /* which list of contacts travels */
        for (int32_t i = v; i < b->c->touch_count; i += b->threads) r->touches[0][i] = r->touches[1][i];
    }
    if (v == 0) {
        *r->control = *b->c;
        r->control->touch_side = 0;
    }
    if (v >= r->voxels) return;
    rvec velocity, spin;
    block_get6(b->motion, v, &velocity, &spin);
    robot_store3(r->velocity, v, velocity);
    robot_store3(r->spin, v, spin);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) r->position[a][v] = b->position[a][v];
    const real4 q = block_get4(b->orientation, v);
    r->orientation[0][v] = q.x;
    r->orientation[1][v] = q.y;
    r->orientation[2][v] = q.z;
    r->orientation[3][v] = q.w;
    r->growth[v] = b->growth[v];
    r->stuck[v] = o->stuck;
    if ((b->is & IS_ON_DISC) != 0) r->floor_rest[v] = o->rest;
}

/* ---- before the links --------------------------------------------------------------------------------------------- */

/* Rows for a new length of steps. */
DEVICE void block_prepare(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    for (int32_t i = v; i < r->classes && (b->is & IS_IMPLICIT) != 0; i += b->threads)
        robot_make_brake(r, &b->links[i], b->c->kick);
    for (int32_t i = b->threads - v; i <= r->materials; i += b->threads)
        robot_make_step(r, &b->rows[i], b->c);
    if (v == 0) {
        b->c->made_length = b->c->length;
        b->c->made_before = b->c->before;
    }
}

/* Growth in the step that begins at a time. The voxel keeps the one it has until then. */
DEVICE void block_grow_until(block *b, const block_own *o, int32_t v, double time)
{
    double most = 0.0;
    if (v < b->r->voxels) {
        double grown = b->growth[v];
        if (o->driven) {
            grown = robot_growth(b->r, &b->sines[o->material], &b->sines_now[o->material], v, time);
            most = grown;
            b->size[2 * v] = (real)grown;
        }
        b->grown[v] = grown;
    }
    if ((b->is & IS_PAIRED) != 0) block_most(&b->c->growth_most, most > 0.0 ? most : 0.0);
}

DEVICE void block_grow(block *b, block_own *o, int32_t v) { block_grow_until(b, o, v, b->c->time); }

DEVICE void block_watch_first(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v == 0 && b->c->why == ROBOT_RUNS) block_watch(b);
}

/* Held degrees of freedom get the velocity that takes them where they shall be after this step. */
DEVICE void block_hold(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    if (v >= r->voxels || r->held_of[v] == 0) return;
    const uint8_t held = r->held_of[v];
    rvec now[2];
    block_get6(b->motion, v, &now[0], &now[1]);
    if (b->c->keep) {
        for (int k = 0; k < 2; k++) {
            r->held_velocity[3 * k][v] = (double)now[k].x;
            r->held_velocity[3 * k + 1][v] = (double)now[k].y;
            r->held_velocity[3 * k + 2][v] = (double)now[k].z;
        }
    }
    if ((held & 1) != 0) now[0].x = (real)((r->target[0][v] - b->position[0][v]) / b->c->length);
    if ((held & 2) != 0) now[0].y = (real)((r->target[1][v] - b->position[1][v]) / b->c->length);
    if ((held & 4) != 0) now[0].z = (real)((r->target[2][v] - b->position[2][v]) / b->c->length);
    if ((held & 8) != 0) now[1].x = real_of(0);
    if ((held & 16) != 0) now[1].y = real_of(0);
    if ((held & 32) != 0) now[1].z = real_of(0);
    block_put6(b->motion, v, now[0], now[1]);
}

/* What signals will say in the next step: threads of the last warp. */
DEVICE void block_signals(block *b, int32_t v)
{
    const double then = b->c->time + b->c->length;
    for (int32_t i = b->threads - v; i <= b->r->materials; i += b->threads)
        robot_signal(b->r, &b->sines[i], &b->sines_now[i], then);
}

/* Ways to the far ends, and strains for the pressure. */
DEVICE void block_strains(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    real near = real_of(0);
    if ((b->is & IS_ACTUATED) != 0 && (b->is & IS_IMPLICIT) == 0) block_signals(b, v);
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        if (o->kind[a] == 0) continue;
        const int32_t far = block_next(o, a);
        const rvec d = robot_way(b->position, v, far);
        const real length = real_sqrt(rvec_dot(d, d));
        block_put4(b->way[a], v, d.x, d.y, d.z, length);
        if ((b->is & IS_SOLID) == 0) continue;
        const link_row *t = &b->links[o->kind[a] - 1];
        const real strain =
            link_strain(robot_stretch(r, length, b->size[2 * v], b->size[2 * far]), r->inverse_pitch);
        b->strain[a][v] = t->far_weight * strain;
        near = near + t->near_weight * strain;
    }
    o->near_sum = near;
}

/* And, in a step that has begun by itself, what block_end() leaves to it: whether pairs are to be looked at.
 */
DEVICE int block_strains_and_watch(block *b, block_own *o, int32_t v)
{
    block_strains(b, o, v);
    return v == b->threads - 1 ? block_watch_on(b) : 0;
}

DEVICE void block_pressure(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels) return;
    double sum = 0.0;
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        const int32_t from = block_previous(o, a);
        if (from != BLOCK_NONE) sum += (double)b->strain[a][from];
    }
    sum += (double)o->near_sum;
    double pressure = r->modulus[v] * sum;
    if ((b->is & IS_SHARING) != 0 && r->share_half[v] != 2) {
        o->source = r->share_scale[v] * sum;
        o->past = 0.0;
        pressure = o->source; /* the second half begins with it, the first half with nothing */
    }
    r->pressure[v] = pressure;
    b->size[2 * v + 1] = (real)pressure;
}

/* Half a step towards shared pressures: 2 step + half. */
DEVICE void block_share(block *b, block_own *o, int32_t v, int pass)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->share_half[v] != (pass & 1)) return;
    const double pressure = robot_share(r, v, r->pressure, o->source, pass >> 1, &o->past);
    r->pressure[v] = pressure;
    b->size[2 * v + 1] = (real)pressure;
}

/* ---- links -------------------------------------------------------------------------------------------------------- */

/* Those that begin at a voxel. */
DEVICE void block_links(block *b, block_own *o, int32_t v)
{
    const int rated = b->c->rated;
    link_pose p;
    if ((b->is & IS_ACTUATED) != 0 && v < b->r->voxels) b->growth[v] = b->grown[v]; /* from here on */
    const real4 q1 = block_get4(b->orientation, v);
    p.q1.w = q1.x, p.q1.x = q1.y, p.q1.y = q1.z, p.q1.z = q1.w;
    block_get2(b->size, v, &p.growth1, &p.pressure1);
    p.v1 = p.w1 = p.v2 = p.w2 = rvec_make(0, 0, 0);
    if ((b->is & IS_IMPLICIT) == 0) block_get6(b->motion, v, &p.v1, &p.w1);
    o->near_force = o->near_moment = rvec_make(0, 0, 0);
    o->near_sum = real_of(0);
    o->length = real_of(1e30);
    o->size = real_of(0);
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        if (o->kind[a] == 0) continue;
        const int32_t far = block_next(o, a);
        const real4 way = block_get4(b->way[a], v);
        const real4 q2 = block_get4(b->orientation, far);
        p.d = rvec_make(way.x, way.y, way.z);
        p.length = way.w;
        p.q2.w = q2.x, p.q2.x = q2.y, p.q2.y = q2.z, p.q2.z = q2.w;
        block_get2(b->size, far, &p.growth2, &p.pressure2);
        if ((b->is & IS_IMPLICIT) == 0) {
            block_get6(b->motion, far, &p.v2, &p.w2);
        } else {
            b->way[a].zw[FOUR_STRIDE * v + 1] = real_of(1) / rvec_dot(p.d, p.d);
        }
        const link_found f = robot_link(b->r, b->is, &b->links[o->kind[a] - 1], a, &p, rated);
        block_put6(b->give[a], v, f.load.force, f.load.far_moment);
        if (rated) b->give_rate[a][v] = f.rate;
        o->near_force = rvec_sub(o->near_force, f.load.force);
        o->near_moment = rvec_add(o->near_moment, f.load.near_moment);
        o->near_sum = o->near_sum + f.rate;
        if (p.length < o->length) o->length = p.length;
        if (f.size > o->size) o->size = f.size;
    }
}

/* ---- motion ------------------------------------------------------------------------------------------------------- */

/* All that links do to a voxel, and its new velocities. `unrisen`: its rate is as large as it was at the
 * bound. */
DEVICE voxel_motion block_kicked(block *b, block_own *o, int32_t v, voxel_place *p, int *unrisen)
{
    const robot *r = b->r;
    robot_control *c = b->c;
    const voxel_row *row = &b->rows[o->material];
    const int rated = c->rated;
    rvec force = rvec_make(0, 0, 0), moment = force;
    real sum = real_of(0);
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        const int32_t from = block_previous(o, a);
        rvec push, turn;
        if (from == BLOCK_NONE) continue;
        block_get6(b->give[a], from, &push, &turn);
        force = rvec_add(force, push);
        moment = rvec_add(moment, turn);
        if (rated) sum = sum + b->give_rate[a][from];
    }
    force = rvec_add(force, o->near_force);
    moment = rvec_add(moment, o->near_moment);
    int found = 0;
    if (!(o->size <= b->calm[2]) || !(o->length >= b->calm[3]))
        found = robot_links_amiss(c, (double)o->length, (double)o->size);
    if (rated) {
        sum = sum + o->near_sum;
        const double rate = o->fixed == ROBOT_DOF_ALL ? 0.0 : (double)(sum * row->constants.inverse_mass);
        r->rate[v] = rate;
        if (rate > row->fall) found |= FOUND_FALLEN;
        *unrisen = rate >= row->rise && o->fixed != ROBOT_DOF_ALL;
    }
    if (c->measure || found != 0) {
        BLOCK_MOST(&c->now_size, (double)o->size);
        BLOCK_LEAST(&c->now_length, (double)o->length);
    }
    if (found != 0) BLOCK_OR(&c->found, found);
    voxel_motion k;
    block_get6(b->motion, v, &k.v0, &k.w0);
    k.moment = moment;
    robot_kick(row, force, &k);
    *p = block_place(b, o, v);
    robot_settle(r, b->is, p, 0.5 * c->before * (double)k.v0.z);
    o->rest = p->rest;
    return k;
}

/* The end of a voxel's step: its speed, squared, and whether something is remarkable about it. */
DEVICE double block_finish(block *b, block_own *o, int32_t v, const voxel_place *p, const voxel_motion *k,
                           int parts, int *any)
{
    const robot *r = b->r;
    robot_control *c = b->c;
    const voxel_row *row = &b->rows[o->material];
    const voxel_end e = robot_finish(r, b->is, row, p, k, parts);
    int found = 0;
    o->stuck = e.stuck;
    if (!(rvec_dot(e.v1, e.v1) <= b->calm[0]) || !(rvec_dot(e.w1, e.w1) <= b->calm[1]))
        found = robot_amiss(c, o->fixed, &e);
    if (found != 0) BLOCK_OR(&c->found, found);
    *any = found != 0;
    if ((c->measure || found != 0) && (o->fixed & ROBOT_DOF_MOVE) != ROBOT_DOF_MOVE)
        BLOCK_MOST(&c->now_speed2, e.speed2);
    if (c->measure) {
        BLOCK_MOST(&c->now_travel2, e.speed2);
        if (e.contact.z > real_of(0)) BLOCK_COUNT(&c->now_contacts);
    }
    if (c->keep) {
        robot_store3(r->force, v, e.total);
        robot_store3(r->moment, v, k->moment);
        const int touching = (b->is & IS_PAIRED) != 0 && c->touch_count > 0; /* then there is a part of it */
        r->contact_force[0][v] = (touching ? r->contact_force[0][v] : 0.0) + (double)e.contact.x;
        r->contact_force[1][v] = (touching ? r->contact_force[1][v] : 0.0) + (double)e.contact.y;
        r->contact_force[2][v] = (touching ? r->contact_force[2][v] : 0.0) + (double)e.contact.z;
    }
    block_put6(b->motion, v, e.v1, e.w1);
    b->position[0][v] = p->x + c->length * (double)e.v1.x;
    b->position[1][v] = p->y + c->length * (double)e.v1.y;
    b->position[2][v] = p->z + c->length * (double)e.v1.z;
    const real4 at = block_get4(b->orientation, v);
    rquat q;
    q.w = at.x, q.x = at.y, q.y = at.z, q.z = at.w;
    q = voxel_turn(q, e.w1, row->step.length);
    block_put4(b->orientation, v, q.w, q.x, q.y, q.z);
    return e.speed2;
}

/* Of a moved voxel, and of a thread without one: what it does before the next step. */
DEVICE void block_moved(block *b, block_own *o, int32_t v, double speed2)
{
    if ((b->is & IS_PAIRED) != 0) block_most(&b->c->travel2, speed2);
    if ((b->is & IS_ACTUATED) != 0)
        block_grow_until(b, o, v, b->c->ready ? b->c->time : b->c->time + b->c->length);
}

/* New velocities and poses at once. */
DEVICE int block_move_at_once(block *b, block_own *o, int32_t v)
{
    int unrisen = 0, found = 0;
    double speed2 = 0.0;
    if (v < b->r->voxels) {
        voxel_place p;
        const voxel_motion k = block_kicked(b, o, v, &p, &unrisen);
        speed2 = block_finish(b, o, v, &p, &k, 0, &found);
    }
    block_moved(b, o, v, speed2);
    return unrisen;
}

/* ---- damping ------------------------------------------------------------------------------------------------------ */

/* Passes: axis, parity, and whether for all of the step, as 4 axis + 2 parity + full. Forwards and backwards
 * alike. */
enum { BLOCK_PASSES = 11, BLOCK_SIGNALS_PASS = 2, BLOCK_CALM_PASS = 6 };
DEVICE int block_pass(int k) { return (int)(UINT64_C(0x8a4603064a8) >> 4 * k & 15); }

/* The first part of a step in parts. */
DEVICE int block_kick(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    int unrisen = 0;
    if (v >= r->voxels) return 0;
    voxel_place p;
    voxel_motion k = block_kicked(b, o, v, &p, &unrisen);
    o->v0 = k.v0;
    o->w0 = k.w0;
    robot_damp(&b->rows[o->material], &k);
    robot_keep_held(o->fixed, k.v0, k.w0, &k.v1, &k.w1);
    k.v1 = robot_guess(r, b->is, &b->rows[o->material], &p, &k, &o->guess);
    o->stuck = p.stuck;
    block_put6(b->motion, v, k.v1, k.w1);
    if (o->fixed == 0) return unrisen;
    r->held_load[0][v] = (double)k.load.x;
    r->held_load[1][v] = (double)k.load.y;
    r->held_load[2][v] = (double)k.load.z;
    r->held_load[3][v] = (double)k.moment.x;
    r->held_load[4][v] = (double)k.moment.y;
    r->held_load[5][v] = (double)k.moment.z;
    return unrisen;
}

/* During damping nobody needs registers for what was before it, nor the place of what links gave. */
DEVICE void block_park(block *b, block_own *o, int32_t v)
{
    block_put6(b->give[0], v, o->v0, o->w0);
    block_put4(b->give[1].four, v, o->guess.x, o->guess.y, o->guess.z, real_of(0));
}

DEVICE void block_fetch(block *b, block_own *o, int32_t v)
{
    block_get6(b->give[0], v, &o->v0, &o->w0);
    const real4 guess = block_get4(b->give[1].four, v);
    o->guess = rvec_make(guess.x, guess.y, guess.z);
}

/* Pass `k`: even ones are taken by the first half of the threads, as their links are. While the other half
 * has nothing to do, some of its threads prepare the next step. */
DEVICE void block_damp(block *b, block_own *o, int32_t v, int k, int unrisen)
{
    const robot *r = b->r;
    const int second = v >= b->threads / 2;
    if ((k & 1) != second) {
        if (k == BLOCK_SIGNALS_PASS && (b->is & IS_ACTUATED) != 0) block_signals(b, v);
        if (k == BLOCK_CALM_PASS && v == b->threads / 2) b->c->ready = control_calm(b->c, unrisen);
        return;
    }
    const int pass = block_pass(k);
    const damped_link link = pass >= 8 ? o->damped[2] : pass >= 4 ? o->damped[1] : o->damped[0];
    if (link != 0) {
        const int32_t near = (int32_t)(link & 1023U);
        const int32_t far = (int32_t)(link >> 10 & 1023U);
        link_ends before;
        block_get6(b->motion, near, &before.velocity1, &before.spin1);
        block_get6(b->motion, far, &before.velocity2, &before.spin2);
        const size_t n = (size_t)b->threads;
        const real4 way = block_get4(block_four_at(b->way[0].xy + (size_t)(pass >> 2) * 4 * n, n), near);
        link_ends now = robot_brake(r, &b->links[(link >> 20) - 1], rvec_make(way.x, way.y, way.z), way.w,
                                    before, pass & 1);
        if ((b->is & IS_FIXED) != 0) {
            robot_support(r, b->c, near, before.velocity1, before.spin1, &now.velocity1, &now.spin1);
            robot_support(r, b->c, far, before.velocity2, before.spin2, &now.velocity2, &now.spin2);
        }
        block_put6(b->motion, near, now.velocity1, now.spin1);
        block_put6(b->motion, far, now.velocity2, now.spin2);
    }
}

/* The last part; whether something is remarkable. */
DEVICE int block_move(block *b, block_own *o, int32_t v)
{
    int found = 0;
    const robot *r = b->r;
    double speed2 = 0.0;
    if (v < r->voxels) {
        const voxel_place p = block_place(b, o, v);
        voxel_motion k;
        double depth = 0.0;
        k.v0 = o->v0;
        k.w0 = o->w0;
        block_get6(b->motion, v, &k.v1, &k.w1);
        if (robot_near_floor(r, b->is, &p, &depth)) k.v1 = rvec_sub(k.v1, o->guess);
        robot_load_of(r, &b->rows[o->material], v, o->fixed, &k);
        speed2 = block_finish(b, o, v, &p, &k, 1, &found);
    }
    block_moved(b, o, v, speed2);
    return found;
}

/* ---- after it ----------------------------------------------------------------------------------------------------- */

/* Whether a voxel has sunk or turned over. */
DEVICE void block_look(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels) return;
    const voxel_place p = block_place(b, o, v);
    double depth = 0.0;
    int wreck =
        robot_near_floor(r, b->is, &p, &depth) && depth > r->pitch * (1.0 + p.growth) && o->fixed == 0;
    DEVICE_UNROLL
    for (int a = 0; a < 3 && !wreck; a++) {
        if (o->kind[a] == 0) continue;
        const int32_t far = block_next(o, a);
        const real4 at = block_get4(b->orientation, v);
        const real4 there = block_get4(b->orientation, far);
        rquat q1, q2;
        q1.w = at.x, q1.x = at.y, q1.y = at.z, q1.z = at.w;
        q2.w = there.x, q2.x = there.y, q2.y = there.z, q2.z = there.w;
        wreck = robot_is_folded(b->position, v, far, q1, q2, a);
    }
    if (wreck) BLOCK_OR(&b->c->found, FOUND_WRECK);
}

/* One thread decides on the next step. */
DEVICE void block_end(block *b, block_own *o, int32_t v, int unrisen)
{
    robot_control *c = b->c;
    (void)o;
    if (v != 0) return;
    if (c->ready) {
        control_undo(c);
        c->ready = 0;
    } else if (control_calm(c, unrisen)) {
        if ((b->is & IS_PAIRED) == 0) return;
        control_pairs_end(c);
        control_pairs_begin(c);
        block_watch(b);
        return;
    }
    c->unrisen = unrisen;
    control_end(c);
    if (c->why == ROBOT_RUNS) control_begin(c);
    if (c->why != ROBOT_RUNS) return;
    block_calm(b);
    if ((b->is & IS_PAIRED) != 0) block_watch(b);
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

#ifdef __CUDACC__
#define BLOCK_DAMP(k, unrisen)                                                                               \
    do {                                                                                                     \
        block_damp(b, o, (int32_t)threadIdx.x, k, unrisen);                                                  \
        __syncthreads();                                                                                     \
    } while (0)
#else
#define BLOCK_DAMP(k, unrisen)                                                                               \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < b->threads; t_++) block_damp(b, &o[t_], t_, k, unrisen);                   \
    } while (0)
#endif

/* `o`: a thread's own, on the host that of all threads. */
DEVICE void block_run(block *b, block_own *o, const robot *there)
{
    BLOCK_PHASE_OF(block_bring, b, o, there);
    const robot *r = b->r;
    BLOCK_PHASE(block_load, b, o);
    if ((b->is & IS_ACTUATED) != 0) BLOCK_PHASE(block_grow, b, o);
    if ((b->is & IS_PAIRED) != 0) BLOCK_PHASE(block_watch_first, b, o);
    int begun = 0; /* 1: a step that went on by itself */
    while (b->c->why == ROBOT_RUNS) {
        /* of this step: later one thread goes on to the next */
        const int look = (b->c->step + 1) % CONTROL_WRECK_STEPS == 0;
        int unrisen = 0, found = 0;
        if (b->c->rows) BLOCK_PHASE(block_prepare, b, o);
        int watch = !begun;
        if ((b->is & IS_PAIRED) != 0 && begun) BLOCK_PHASE_ANY(watch, block_strains_and_watch, b, o);
        if ((b->is & IS_PAIRED) != 0 && watch) {
            block_watch_pairs(b, o);
            if (b->c->why != ROBOT_RUNS) break;
        }
        if ((b->is & IS_PAIRED) == 0 || watch) BLOCK_PHASE(block_strains, b, o);
        if ((b->is & IS_HELD) != 0) BLOCK_PHASE(block_hold, b, o);
        begun = 0;
        if ((b->is & IS_SOLID) != 0) BLOCK_PHASE(block_pressure, b, o);
        if ((b->is & IS_SHARING) != 0) {
            for (int pass = 0; pass < 2 * r->share_steps; pass++) BLOCK_PHASE_OF(block_share, b, o, pass);
        }
        BLOCK_PHASE(block_links, b, o);
        const int touching = (b->is & IS_PAIRED) != 0 && b->c->touch_count > 0;
        if ((b->is & IS_IMPLICIT) != 0 || touching) {
            BLOCK_PHASE_ANY(unrisen, block_kick, b, o);
            if (touching) block_touch_begin(b, o);
            if ((b->is & IS_IMPLICIT) != 0) {
                BLOCK_EACH(block_park, b, o);
                /* not unrolled: code that is run once in a step is fetched anew every time */
                DEVICE_ROLLED
                for (int k = 0; k < BLOCK_PASSES; k++) BLOCK_DAMP(k, unrisen);
                BLOCK_EACH(block_fetch, b, o);
            }
            if (touching) block_touch_solve(b, o);
            BLOCK_PHASE_ANY(found, block_move, b, o);
            if (!found && !look && b->c->ready) { /* to the next step, which has begun */
                begun = 1;
                continue;
            }
        } else {
            BLOCK_PHASE_ANY(unrisen, block_move_at_once, b, o);
        }
        if (look) BLOCK_PHASE(block_look, b, o);
        BLOCK_PHASE_OF(block_end, b, o, unrisen);
    }
    BLOCK_PHASE(block_store, b, o);
}

#endif
