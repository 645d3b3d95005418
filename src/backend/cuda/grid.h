/* One body over a grid of blocks: every stage of a step is a kernel with a thread per voxel. Voxels read
 * their neighbours and write to themselves only, so each link is computed twice, once for each end, in the
 * same order of sums as everywhere. A step at once goes from one copy of the state to the other.
 *
 * The control lies in the device's memory. A kernel of one block decides on the next step; once it has
 * stopped, those launched after it do nothing. So many steps can be launched without waiting. */
#ifndef BACKEND_CUDA_GRID_H
#define BACKEND_CUDA_GRID_H

#include "backend/cuda/gpu.h"
#include "backend/cuda/contacts.h"

#include <string.h>

#ifdef __CUDACC__
#define GRID_OR(place, bits) atomicOr((int *)(place), (int)(bits))
#define GRID_COUNT(place) atomicAdd((unsigned long long *)(place), 1ULL)
/* Numbers that are not negative are in the order of their bits. */
#define GRID_MOST(place, value)                                                                              \
    do {                                                                                                     \
        if ((value) > *(volatile double *)(place))                                                           \
            atomicMax((unsigned long long *)(place), (unsigned long long)__double_as_longlong(value));       \
    } while (0)
#define GRID_LEAST(place, value)                                                                             \
    do {                                                                                                     \
        if ((value) < *(volatile double *)(place))                                                           \
            atomicMin((unsigned long long *)(place), (unsigned long long)__double_as_longlong(value));       \
    } while (0)
#else
#define GRID_OR(place, bits) (*(place) |= (bits))
#define GRID_COUNT(place) (++*(place))
#define GRID_MOST(place, value)                                                                              \
    do {                                                                                                     \
        if ((value) > *(place)) *(place) = (value);                                                          \
    } while (0)
#define GRID_LEAST(place, value)                                                                             \
    do {                                                                                                     \
        if ((value) < *(place)) *(place) = (value);                                                          \
    } while (0)
#endif

/* The largest of the numbers of a warp's threads, none of which is negative. All of them come here. */
DEVICE void grid_most(double *place, double value)
{
#ifdef __CUDACC__
    const unsigned high = (unsigned)__double2hiint(value > 0.0 ? value : 0.0);
    const unsigned most = __reduce_max_sync(0xffffffffU, high);
    const unsigned low =
        __reduce_max_sync(0xffffffffU, value > 0.0 && high == most ? (unsigned)__double2loint(value) : 0U);
    const double all = __hiloint2double((int)most, (int)low);
    if (threadIdx.x % 32 == 0) GRID_MOST(place, all);
#else
    GRID_MOST(place, value);
#endif
}

/* Whole numbers in the order of numbers. */
DEVICE int64_t grid_order(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}
DEVICE double grid_number(int64_t order)
{
    const int64_t bits = order < 0 ? order ^ INT64_MAX : order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
/* ---- before a step ------------------------------------------------------------------------------------------------- */

/* Ends a step, if one was taken, and begins the next. One thread. */
DEVICE void grid_control(robot_control *c, int first)
{
    if (first) {
        c->why = ROBOT_RUNS;
    } else if (c->why == ROBOT_RUNS) {
        if (control_calm(c, c->unrisen)) {
            c->unrisen = 0;
            if (c->pairs) {
                control_pairs_end(c);
                control_pairs_begin(c);
            }
            return;
        }
        control_end(c);
    }
    if (c->why == ROBOT_RUNS) control_begin(c);
}

/* Pairs: nothing is known yet. Sizes that do not change are known. */
DEVICE void grid_prepare_pairs(const robot *r, robot_control *c, int32_t thread, int32_t threads)
{
    crowd *w = r->crowd;
    int32_t *numbers = (int32_t *)(void *)w;
    for (size_t i = offsetof(crowd, rows) / 4 + (size_t)thread; i < offsetof(crowd, spread) / 4;
         i += (size_t)threads)
        numbers[i] = 0;
    for (int32_t i = thread; i <= PAIR_ROUNDS; i += threads) w->most[i] = 0;
    for (int32_t i = thread; i <= PAIR_ROUNDS; i += threads) w->due[i] = 0;
    if (thread != 0) return;
    const double least = -CONTROL_NEVER;
    for (int k = 0; k < 7; k++) w->spread[k] = k == 0 ? 0 : grid_order(least);
    w->furthest = 0;
    if ((r->is & IS_ACTUATED) == 0) robot_watch(c);
}

/* What is the same for all voxels; then some threads. */
DEVICE void grid_prepare(const robot *r, robot_control *c, int32_t thread, int32_t threads)
{
    if ((r->is & IS_PAIRED) != 0) grid_prepare_pairs(r, c, thread, threads);
    if ((r->is & IS_ACTUATED) != 0) {
        for (int32_t i = thread + 1; i <= r->materials; i += threads)
            robot_signal(r, &r->sines[i], &r->sines_now[i], c->time);
    }
    if (c->rows) {
        for (int32_t i = thread; i < r->classes && c->implicit; i += threads)
            robot_make_brake(r, &r->links[i], c->kick);
        for (int32_t i = thread + 1; i <= r->materials; i += threads) robot_make_step(r, &r->rows[i], c);
        if (thread == 0) {
            c->made_length = c->length;
            c->made_before = c->before;
        }
    }
}

/* Returns its growth, if it is driven. */
DEVICE double grid_grow(const robot *r, int32_t v)
{
    const int32_t m = r->material[v];
    if (!r->driven[v]) return 0.0;
    r->growth[v] = robot_growth(r, &r->sines[m], &r->sines_now[m], v, r->control->time);
    return r->growth[v];
}

DEVICE void grid_hold(const robot *r, int32_t v)
{
    const robot_control *c = r->control;
    const uint8_t held = r->held_of[v];
    if (held == 0) return;
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        if (c->keep) {
            r->held_velocity[a][v] = (double)r->velocity[a][v];
            r->held_velocity[a + 3][v] = (double)r->spin[a][v];
        }
        if ((held >> a & 1) != 0)
            r->velocity[a][v] = (real)((r->target[a][v] - r->position[a][v]) / c->length);
        if ((held >> (a + 3) & 1) != 0) r->spin[a][v] = real_of(0);
    }
}

/* ---- pressure ------------------------------------------------------------------------------------------------------ */

/* Neighbours along x have consecutive numbers. */
DEVICE int32_t grid_next(const robot *r, int a, int32_t v) { return a == 0 ? v + 1 : r->next[a][v]; }
DEVICE int32_t grid_previous(const robot *r, int a, int32_t v) { return a == 0 ? v - 1 : r->previous[a][v]; }

DEVICE real grid_strain(const robot *r, int32_t near, int32_t far)
{
    const rvec d = robot_way(r->position, near, far);
    const real length = real_sqrt(rvec_dot(d, d));
    return link_strain(robot_stretch(r, length, (real)r->growth[near], (real)r->growth[far]),
                       r->inverse_pitch);
}

DEVICE void grid_pressure(const robot *r, int32_t v)
{
    double sum = 0.0;
    real near = real_of(0);
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        const int32_t from = r->from[a][v];
        if (from != 0)
            sum += (double)(r->links[from - 1].far_weight * grid_strain(r, grid_previous(r, a, v), v));
    }
    DEVICE_UNROLL
    for (int a = 2; a >= 0; a--) {
        const int32_t kind = r->kind[a][v];
        if (kind != 0) near = near + r->links[kind - 1].near_weight * grid_strain(r, v, grid_next(r, a, v));
    }
    sum += (double)near;
    r->pressure[v] = r->modulus[v] * sum;
    if ((r->is & IS_SHARING) == 0 || r->share_half[v] == 2) return;
    r->share_source[v] = r->share_scale[v] * sum;
    r->share_past[v] = 0.0;
    r->pressure[v] = r->share_source[v];
}

/* Half a step towards shared pressures: 2 step + half. */
DEVICE void grid_share(const robot *r, int32_t v, int pass)
{
    if (r->share_half[v] != (pass & 1)) return;
    double past = r->share_past[v];
    r->pressure[v] = robot_share(r, v, r->pressure, r->share_source[v], pass >> 1, &past);
    r->share_past[v] = past;
}

/* ---- links --------------------------------------------------------------------------------------------------------- */

typedef struct grid_load {
    rvec force, moment;
    real sum, length, size;
} grid_load;

DEVICE link_found grid_link(const robot *r, int a, int32_t kind, int32_t near, int32_t far, int rated,
                            real *length)
{
    link_pose p;
    p.d = robot_way(r->position, near, far);
    p.length = real_sqrt(rvec_dot(p.d, p.d));
    p.q1 = robot_load4(r->orientation, near);
    p.q2 = robot_load4(r->orientation, far);
    p.growth1 = p.growth2 = p.pressure1 = p.pressure2 = real_of(0);
    if ((r->is & IS_ACTUATED) != 0) {
        p.growth1 = (real)r->growth[near];
        p.growth2 = (real)r->growth[far];
    }
    if ((r->is & IS_SOLID) != 0) {
        p.pressure1 = (real)r->pressure[near];
        p.pressure2 = (real)r->pressure[far];
    }
    p.v1 = p.w1 = p.v2 = p.w2 = rvec_make(0, 0, 0);
    if ((r->is & IS_IMPLICIT) == 0) {
        p.v1 = robot_load3(r->velocity, near);
        p.w1 = robot_load3(r->spin, near);
        p.v2 = robot_load3(r->velocity, far);
        p.w2 = robot_load3(r->spin, far);
    }
    *length = p.length;
    return robot_link(r, r->is, &r->links[kind - 1], a, &p, rated);
}

/* Threads next to each other have voxels next to each other: the link between them is computed once, by the
 * first. So a warp has one thread less for voxels: its first has the last voxel of the warp before, and
 * computes that link only. */
enum { GRID_LANES = 32, GRID_OWN_LANES = GRID_LANES - 1 };

DEVICE link_found grid_link_before(const robot *r, int32_t v, int rated, const link_found *own)
{
#ifdef __CUDACC__
    link_found f = *own;
    (void)r;
    (void)v;
    (void)rated;
    f.load.force.x = __shfl_up_sync(0xffffffffU, own->load.force.x, 1);
    f.load.force.y = __shfl_up_sync(0xffffffffU, own->load.force.y, 1);
    f.load.force.z = __shfl_up_sync(0xffffffffU, own->load.force.z, 1);
    f.load.far_moment.x = __shfl_up_sync(0xffffffffU, own->load.far_moment.x, 1);
    f.load.far_moment.y = __shfl_up_sync(0xffffffffU, own->load.far_moment.y, 1);
    f.load.far_moment.z = __shfl_up_sync(0xffffffffU, own->load.far_moment.z, 1);
    f.rate = __shfl_up_sync(0xffffffffU, own->rate, 1);
    return f;
#else
    real length;
    (void)own;
    return r->from[0][v] != 0 ? grid_link(r, 0, r->from[0][v], v - 1, v, rated, &length) : *own;
#endif
}

/* Adds what a link does to the voxel where it ends. */
DEVICE void grid_take(grid_load *t, const link_found *f)
{
    t->force = rvec_add(t->force, f->load.force);
    t->moment = rvec_add(t->moment, f->load.far_moment);
    t->sum = t->sum + f->rate;
}

/* And to the one where it begins; `near`: the sum of those. */
DEVICE void grid_give(grid_load *near, const link_found *f, real length)
{
    near->force = rvec_sub(near->force, f->load.force);
    near->moment = rvec_add(near->moment, f->load.near_moment);
    near->sum = near->sum + f->rate;
    if (length < near->length) near->length = length;
    if (f->size > near->size) near->size = f->size;
}

/* All that links do to a voxel. `there`: there is one; `whole`: more than the link towards +x is wanted. */
DEVICE grid_load grid_links(const robot *r, int32_t v, int there, int whole)
{
    const int rated = r->control->rated;
    grid_load t, near;
    link_found along;
    real length = real_of(0), along_length = real_of(0);
    near.force = near.moment = rvec_make(0, 0, 0);
    near.sum = near.size = real_of(0);
    near.length = real_of(1e30);
    t = near;
    along.load.force = along.load.near_moment = along.load.far_moment = near.force;
    along.rate = along.size = real_of(0);
    DEVICE_UNROLL
    for (int a = 2; a >= 1; a--) {
        const int32_t kind = whole ? r->from[a][v] : 0;
        if (kind == 0) continue;
        const link_found f = grid_link(r, a, kind, grid_previous(r, a, v), v, rated, &length);
        grid_take(&t, &f);
    }
    const int32_t out = there ? r->kind[0][v] : 0;
    if (out != 0) along = grid_link(r, 0, out, v, v + 1, rated, &along_length);
    const link_found before = grid_link_before(r, v, rated, &along);
    if (!whole) return t;
    if (r->from[0][v] != 0) grid_take(&t, &before);
    DEVICE_UNROLL
    for (int a = 2; a >= 1; a--) {
        const int32_t kind = r->kind[a][v];
        if (kind == 0) continue;
        const link_found f = grid_link(r, a, kind, v, grid_next(r, a, v), rated, &length);
        grid_give(&near, &f, length);
    }
    if (out != 0) grid_give(&near, &along, along_length);
    t.force = rvec_add(t.force, near.force);
    t.moment = rvec_add(t.moment, near.moment);
    t.sum = t.sum + near.sum;
    t.length = near.length;
    t.size = near.size;
    return t;
}

/* What links have measured. */
DEVICE void grid_note_links(const robot *r, int32_t v, const grid_load *t, const voxel_row *row,
                            uint8_t fixed)
{
    robot_control *c = r->control;
    const double length = (double)t->length;
    const double size = (double)t->size;
    int found = robot_links_amiss(c, length, size);
    if (c->measure || found != 0) {
        GRID_MOST(&c->now_size, size);
        GRID_LEAST(&c->now_length, length);
    }
    if (c->rated) {
        const double rate = fixed == ROBOT_DOF_ALL ? 0.0 : (double)(t->sum * row->constants.inverse_mass);
        r->rate[v] = rate;
        if (rate > row->fall) found |= FOUND_FALLEN;
        if (rate >= row->rise && fixed != ROBOT_DOF_ALL && c->unrisen == 0) c->unrisen = 1;
    }
    if (found != 0) GRID_OR(&c->found, found);
}

/* ---- motion -------------------------------------------------------------------------------------------------------- */

DEVICE voxel_place grid_place(const robot *r, int32_t v)
{
    voxel_place p;
    p.x = r->position[0][v];
    p.y = r->position[1][v];
    p.z = r->position[2][v];
    p.growth = (r->is & IS_ACTUATED) != 0 ? r->growth[v] : 0.0;
    p.rest = (r->is & IS_ON_DISC) != 0 ? r->floor_rest[v] : 0.0;
    p.material = r->material[v];
    p.fixed = (r->is & IS_FIXED) != 0 ? r->fixed_of[v] : 0;
    p.stuck = (r->is & IS_ON_FLOOR) != 0 ? r->stuck[v] : 0;
    return p;
}

/* The end of a voxel's step, to the arrays of the new state; the square of its speed. `touched`: others that
 * it touches are a part of what it feels. */
DEVICE double grid_finish(const robot *r, int32_t v, const voxel_row *row, const voxel_place *p,
                          const voxel_motion *k, int touched, int halved)
{
    robot_control *c = r->control;
    const int parts = (r->is & IS_IMPLICIT) != 0; /* else the state is written to its other place */
    double *const *position = parts ? r->position : r->position2;
    real *const *orientation = parts ? r->orientation : r->orientation2;
    real *const *velocity = parts ? r->velocity : r->velocity2;
    real *const *spin = parts ? r->spin : r->spin2;
    const voxel_end e = robot_finish(r, r->is, row, p, k, halved);
    if ((r->is & IS_ON_FLOOR) != 0 && e.stuck != p->stuck) r->stuck[v] = e.stuck;
    const int found = robot_amiss(c, p->fixed, &e);
    if (found != 0) GRID_OR(&c->found, found);
    if ((c->measure || found != 0) && (p->fixed & ROBOT_DOF_MOVE) != ROBOT_DOF_MOVE)
        GRID_MOST(&c->now_speed2, e.speed2);
    if (c->measure) {
        GRID_MOST(&c->now_travel2, e.speed2);
        if (e.contact.z > real_of(0)) GRID_COUNT(&c->now_contacts);
    }
    if (c->keep) {
        robot_store3(r->force, v, e.total);
        robot_store3(r->moment, v, k->moment);
        r->contact_force[0][v] = (touched ? r->contact_force[0][v] : 0.0) + (double)e.contact.x;
        r->contact_force[1][v] = (touched ? r->contact_force[1][v] : 0.0) + (double)e.contact.y;
        r->contact_force[2][v] = (touched ? r->contact_force[2][v] : 0.0) + (double)e.contact.z;
    }
    robot_store3(velocity, v, e.v1);
    robot_store3(spin, v, e.w1);
    position[0][v] = p->x + c->length * (double)e.v1.x;
    position[1][v] = p->y + c->length * (double)e.v1.y;
    position[2][v] = p->z + c->length * (double)e.v1.z;
    const rquat q = voxel_turn(robot_load4(r->orientation, v), e.w1, row->step.length);
    orientation[0][v] = q.w;
    orientation[1][v] = q.x;
    orientation[2][v] = q.y;
    orientation[3][v] = q.z;
    return e.speed2;
}

/* A voxel's new velocities from all its links. */
DEVICE voxel_motion grid_kicked(const robot *r, int32_t v, const grid_load *t, const voxel_row *row,
                                voxel_place *p)
{
    const robot_control *c = r->control;
    voxel_motion k;
    grid_note_links(r, v, t, row, p->fixed);
    k.v0 = robot_load3(r->velocity, v);
    k.w0 = robot_load3(r->spin, v);
    k.moment = t->moment;
    robot_kick(row, t->force, &k);
    robot_settle(r, r->is, p, 0.5 * c->before * (double)k.v0.z);
    if ((r->is & IS_ON_DISC) != 0) r->floor_rest[v] = p->rest;
    return k;
}

/* The first part of a step in parts: with the floor's guess. */
DEVICE voxel_motion grid_kicked_in_parts(const robot *r, int32_t v, const grid_load *t, voxel_place *p,
                                         rvec *guess)
{
    const voxel_row *row = &r->rows[p->material];
    voxel_motion k = grid_kicked(r, v, t, row, p);
    const uint8_t stuck = p->stuck;
    *guess = rvec_make(0, 0, 0);
    robot_damp(row, &k);
    robot_keep_held(p->fixed, k.v0, k.w0, &k.v1, &k.w1);
    k.v1 = robot_guess(r, r->is, row, p, &k, guess);
    if ((r->is & IS_ON_FLOOR) != 0 && p->stuck != stuck) r->stuck[v] = p->stuck;
    if (p->fixed == 0) return k;
    r->held_load[0][v] = (double)k.load.x;
    r->held_load[1][v] = (double)k.load.y;
    r->held_load[2][v] = (double)k.load.z;
    r->held_load[3][v] = (double)k.moment.x;
    r->held_load[4][v] = (double)k.moment.y;
    r->held_load[5][v] = (double)k.moment.z;
    return k;
}

/* ---- voxels with contacts ------------------------------------------------------------------------------------------- */

/* As far as it has come; `again`: after damping. */
DEVICE void grid_gather(const robot *r, int32_t v, const voxel_place *p, const voxel_motion *k, rvec guess,
                        int again)
{
    touch_gather_body(r, r->is, r->control, v, p, k->v0, k->w0, k->v1, k->w1, guess, again);
}

/* What contacts have made of it; supports feel it. */
DEVICE void grid_scatter(const robot *r, int32_t v, voxel_motion *k, rvec *guess)
{
    const touch_body *body = &r->bodies[v];
    touch_leave_body(r, r->is, r->control, v);
    k->v1 = rvec_make((real)body->now[0], (real)body->now[1], (real)body->now[2]);
    k->w1 = rvec_make((real)body->now[3], (real)body->now[4], (real)body->now[5]);
    *guess = rvec_make((real)body->floor[0], (real)body->floor[1], (real)body->floor[2]);
    if (touch_fixed(r, r->is, v) == 0) return;
    for (int d = 0; d < 6; d++) r->held_load[d][v] += body->impulse[d] / r->control->kick;
}

/* What comes of it goes to where damping takes it. */
DEVICE void grid_keep_parts(const robot *r, int32_t v, const voxel_motion *k, rvec guess)
{
    if ((r->is & IS_ON_FLOOR) != 0) robot_store3(r->guess, v, guess);
    robot_store3(r->passing[0], v, k->v1);
    robot_store3(r->passing[0] + 3, v, k->w1);
}

/* The last part. */
DEVICE double grid_finish_parts(const robot *r, int32_t v, const voxel_place *p, voxel_motion *k, rvec guess,
                                int touched)
{
    const voxel_row *row = &r->rows[p->material];
    double depth = 0.0;
    if (robot_near_floor(r, r->is, p, &depth)) k->v1 = rvec_sub(k->v1, guess);
    robot_load_of(r, row, v, p->fixed, k);
    return grid_finish(r, v, row, p, k, touched, 1);
}

/* A step at once. Where some voxels touch, all take it in parts; those that do wait for their contacts. */
DEVICE double grid_move_at_once(const robot *r, int32_t v, const grid_load *t, int paired)
{
    voxel_place p = grid_place(r, v);
    if (paired && r->control->touch_count > 0) {
        rvec guess;
        voxel_motion k = grid_kicked_in_parts(r, v, t, &p, &guess);
        if (r->parent[v] < 0) return grid_finish_parts(r, v, &p, &k, guess, 0);
        grid_gather(r, v, &p, &k, guess, 0);
        return 0.0;
    }
    const voxel_row *row = &r->rows[p.material];
    const voxel_motion k = grid_kicked(r, v, t, row, &p);
    return grid_finish(r, v, row, &p, &k, 0, 0);
}

DEVICE void grid_kick(const robot *r, int32_t v, const grid_load *t, int paired)
{
    voxel_place p = grid_place(r, v);
    rvec guess;
    const voxel_motion k = grid_kicked_in_parts(r, v, t, &p, &guess);
    grid_keep_parts(r, v, &k, guess);
    if (paired && r->parent[v] >= 0) grid_gather(r, v, &p, &k, guess, 0);
}

/* ---- damping ------------------------------------------------------------------------------------------------------- */

/* Passes along one axis are taken together: of a voxel's links only those along it matter, so what happens to
 * a few voxels in a row can be found out from their velocities before. They go from one copy of the
 * velocities to the other: z twice, y twice, x three times, y twice, z twice. */
enum { GRID_DAMPINGS = 5 };

typedef struct grid_motion {
    rvec velocity, spin;
} grid_motion;

DEVICE grid_motion grid_passing(real *const from[6], int32_t v)
{
    grid_motion m;
    m.velocity = robot_load3(from, v);
    m.spin = robot_load3(from + 3, v);
    return m;
}

/* What a link does to its ends. Those whose results count feel it at their supports. */
DEVICE void grid_brake(const robot *r, int a, int32_t near, int32_t far, grid_motion *one, grid_motion *two,
                       int full, int one_counts, int two_counts)
{
    const rvec d = robot_way(r->position, near, far);
    link_ends before;
    before.velocity1 = one->velocity;
    before.spin1 = one->spin;
    before.velocity2 = two->velocity;
    before.spin2 = two->spin;
    link_ends now =
        robot_brake(r, &r->links[r->kind[a][near] - 1], d, real_of(1) / rvec_dot(d, d), before, full);
    if ((r->is & IS_FIXED) != 0) {
        if (one_counts)
            robot_support(r, r->control, near, one->velocity, one->spin, &now.velocity1, &now.spin1);
        else
            robot_keep_held(r->fixed_of[near], one->velocity, one->spin, &now.velocity1, &now.spin1);
        if (two_counts)
            robot_support(r, r->control, far, two->velocity, two->spin, &now.velocity2, &now.spin2);
        else
            robot_keep_held(r->fixed_of[far], two->velocity, two->spin, &now.velocity2, &now.spin2);
    }
    one->velocity = now.velocity1;
    one->spin = now.spin1;
    two->velocity = now.velocity2;
    two->spin = now.spin2;
}

DEVICE void grid_pass(real *const to[6], int32_t v, const grid_motion *m)
{
    robot_store3(to, v, m->velocity);
    robot_store3(to + 3, v, m->spin);
}

/* Two passes: links of the colour `first`, then the others. The near end of one of the latter does it for
 * both, or a voxel that has none. */
DEVICE void grid_damp_twice(const robot *r, int32_t v, int a, int first, real *const from[6],
                            real *const to[6])
{
    const int late = (r->parity[v] >> a & 1) != first; /* its own link is of the second colour */
    const int32_t out = r->kind[a][v], in = r->from[a][v];
    if (!late && in != 0) return;
    grid_motion here = grid_passing(from, v);
    if (!late && out != 0) {
        const int32_t other = grid_next(r, a, v);
        grid_motion there = grid_passing(from, other);
        grid_brake(r, a, v, other, &here, &there, 0, 1, 0);
    }
    if (late && in != 0) {
        const int32_t other = grid_previous(r, a, v);
        grid_motion there = grid_passing(from, other);
        grid_brake(r, a, other, v, &there, &here, 0, 0, 1);
    }
    if (late && out != 0) {
        const int32_t far = grid_next(r, a, v);
        grid_motion end = grid_passing(from, far);
        if (r->kind[a][far] != 0) {
            const int32_t other = grid_next(r, a, far);
            grid_motion there = grid_passing(from, other);
            grid_brake(r, a, far, other, &end, &there, 0, 1, 0);
        }
        grid_brake(r, a, v, far, &here, &end, 0, 1, 1);
        grid_pass(to, far, &end);
    }
    grid_pass(to, v, &here);
}

/* Three passes along x: even links, odd ones for the whole step, even ones. The even voxel does it for both
 * ends of an even link. */
DEVICE void grid_damp_x(const robot *r, int32_t v, real *const from[6], real *const to[6])
{
    const int odd = v & 1;
    const int32_t in = r->from[0][v];
    const int32_t out = r->kind[0][v];
    if (odd && in != 0) return;
    const int two = !odd && out != 0;
    const int32_t last = two ? v + 1 : v;
    const int before = !odd && in != 0;                              /* an odd link comes in, */
    const int after = two ? r->kind[0][last] != 0 : odd && out != 0; /* and one goes out */
    grid_motion here = grid_passing(from, v);
    grid_motion end = here;
    if (two) {
        end = grid_passing(from, last);
        grid_brake(r, 0, v, last, &here, &end, 0, 1, 1);
    }
    if (before) {
        grid_motion left = grid_passing(from, v - 1);
        if (r->from[0][v - 1] != 0) {
            grid_motion more = grid_passing(from, v - 2);
            grid_brake(r, 0, v - 2, v - 1, &more, &left, 0, 0, 0);
        }
        grid_brake(r, 0, v - 1, v, &left, &here, 1, 0, 1);
    }
    if (after) {
        grid_motion mine = two ? end : here;
        grid_motion right = grid_passing(from, last + 1);
        if (r->kind[0][last + 1] != 0) {
            grid_motion more = grid_passing(from, last + 2);
            grid_brake(r, 0, last + 1, last + 2, &right, &more, 0, 0, 0);
        }
        grid_brake(r, 0, last, last + 1, &mine, &right, 1, 1, 0);
        if (two) {
            end = mine;
        } else {
            here = mine;
        }
    }
    if (two) {
        grid_brake(r, 0, v, last, &here, &end, 0, 1, 1);
        grid_pass(to, last, &end);
    }
    grid_pass(to, v, &here);
}

DEVICE void grid_damp(const robot *r, int32_t v, int pass)
{
    real *const *from = r->passing[pass & 1];
    real *const *to = r->passing[1 - (pass & 1)];
    if (pass == 2) {
        grid_damp_x(r, v, from, to);
    } else {
        grid_damp_twice(r, v, pass == 0 || pass == 4 ? 2 : 1, pass > 2, from, to);
    }
}

/* A voxel with contacts between these and damping: before it, or after it (`again`). */
DEVICE void grid_body(const robot *r, int32_t v, int again)
{
    real *const *motion = r->passing[again ? GRID_DAMPINGS & 1 : 0];
    voxel_motion k;
    rvec guess = rvec_make(0, 0, 0);
    if (r->parent[v] < 0) return;
    if (!again) {
        grid_scatter(r, v, &k, &guess);
        grid_keep_parts(r, v, &k, guess);
        return;
    }
    const voxel_place p = grid_place(r, v);
    k.v0 = robot_load3(r->velocity, v);
    k.w0 = robot_load3(r->spin, v);
    k.v1 = robot_load3(motion, v);
    k.w1 = robot_load3(motion + 3, v);
    if ((r->is & IS_ON_FLOOR) != 0) guess = robot_load3(r->guess, v);
    grid_gather(r, v, &p, &k, guess, 1);
}

/* The last part: MOVES_ALL or, where they may touch, MOVES_PAIRED; MOVES_TOUCHED: those whose step waited for
 * their contacts. */
enum { MOVES_ALL, MOVES_PAIRED, MOVES_TOUCHED };

DEVICE double grid_move(const robot *r, int32_t v, int which)
{
    const int touched = which != MOVES_ALL && r->parent[v] >= 0;
    voxel_motion k;
    rvec guess = rvec_make(0, 0, 0);
    if (which == MOVES_TOUCHED && !touched) return 0.0;
    const voxel_place p = grid_place(r, v);
    k.v0 = robot_load3(r->velocity, v);
    k.w0 = robot_load3(r->spin, v);
    if (touched) {
        grid_scatter(r, v, &k, &guess);
        r->parent[v] = -1; /* it is in no island then */
        r->island_size[v] = 0;
    } else {
        k.v1 = robot_load3(r->passing[GRID_DAMPINGS & 1], v);
        k.w1 = robot_load3(r->passing[GRID_DAMPINGS & 1] + 3, v);
        if ((r->is & IS_ON_FLOOR) != 0) guess = robot_load3(r->guess, v);
    }
    return grid_finish_parts(r, v, &p, &k, guess, touched);
}

/* ---- after it ------------------------------------------------------------------------------------------------------ */

/* The new state is the second one where the step was taken at once. */
DEVICE void grid_look(const robot *r, int32_t v)
{
    double *const *position = (r->is & IS_IMPLICIT) != 0 ? r->position : r->position2;
    real *const *orientation = (r->is & IS_IMPLICIT) != 0 ? r->orientation : r->orientation2;
    voxel_place p = grid_place(r, v);
    p.z = position[2][v];
    double depth = 0.0;
    int wreck = robot_near_floor(r, r->is, &p, &depth) && depth > r->pitch * (1.0 + p.growth) && p.fixed == 0;
    DEVICE_UNROLL
    for (int a = 0; a < 3 && !wreck; a++) {
        if (r->kind[a][v] == 0) continue;
        const int32_t far = r->next[a][v];
        wreck =
            robot_is_folded(position, v, far, robot_load4(orientation, v), robot_load4(orientation, far), a);
    }
    if (wreck) GRID_OR(&r->control->found, FOUND_WRECK);
}

/* Before the first step of a launch. */
DEVICE void grid_clear(const robot *r, int32_t v)
{
    if (v == 0) r->crowd->arrived = 0;
    r->parent[v] = -1;
    r->island_size[v] = 0;
}

/* Stages with links: `own`: the thread has a voxel of its own, not only that of another. Returns what
 * grid_stage() does. */
DEVICE double grid_stage_with_links(const robot *r, int stage, int with, int32_t v, int there, int own)
{
    const grid_load t = grid_links(r, v, there, own);
    if (!own) return 0.0;
    if (stage == GPU_MOVE_AT_ONCE) return grid_move_at_once(r, v, &t, with);
    grid_kick(r, v, &t, with);
    return 0.0;
}

/* Of a voxel that moves: the square of its speed; of one that grows: by how much. */
DEVICE double grid_stage(const robot *r, int stage, int with, int32_t v)
{
    switch (stage) {
    case GPU_GROW: return grid_grow(r, v);
    case GPU_HOLD: grid_hold(r, v); break;
    case GPU_PRESSURE: grid_pressure(r, v); break;
    case GPU_SHARE: grid_share(r, v, with); break;
    case GPU_MOVE_AT_ONCE:
    case GPU_KICK: return grid_stage_with_links(r, stage, with, v, 1, 1);
    case GPU_DAMP: grid_damp(r, v, with); break;
    case GPU_MOVE: return grid_move(r, v, with);
    case GPU_BODIES: grid_body(r, v, with); break;
    case GPU_LOOK: grid_look(r, v); break;
    case GPU_CLEAR: grid_clear(r, v); break;
    default: break;
    }
    return 0.0;
}

/* What pairs need of all voxels: where it goes. */
DEVICE double *grid_watched(const robot *r, int stage, int with)
{
    if (!with) return NULL;
    return stage == GPU_GROW                                ? &r->control->growth_most
           : stage == GPU_MOVE || stage == GPU_MOVE_AT_ONCE ? &r->control->travel2
                                                            : NULL;
}

#endif
