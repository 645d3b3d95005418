/* A block of threads steps a whole body, thousands of steps at a time: one thread per voxel, the state in
 * shared memory. Between two barriers every thread runs a phase; on the host the threads of a block run one
 * after another through each phase, with the same result.
 *
 * Each link is computed once, by the thread of its near end; what it does to the far end goes through shared
 * memory and is added there in the CPU's order: links from -z, -y, -x, then the sum of those towards +z, +y,
 * +x. */
#ifndef BACKEND_CUDA_BLOCK_H
#define BACKEND_CUDA_BLOCK_H

#include "backend/cuda/physics.h"

#include <stddef.h>

#ifdef __CUDACC__
#define BLOCK_OR(place, bits) atomicOr((int *)(place), (int)(bits))
#define BLOCK_BARRIER() __syncthreads()
#define BLOCK_PHASE(call, b, o)                                                                              \
    do {                                                                                                     \
        call(b, &(o)[0], (int32_t)threadIdx.x);                                                              \
        __syncthreads();                                                                                     \
    } while (0)
#define BLOCK_PHASE_OF(call, b, o, with)                                                                     \
    do {                                                                                                     \
        call(b, &(o)[0], (int32_t)threadIdx.x, with);                                                        \
        __syncthreads();                                                                                     \
    } while (0)
/* Likewise; sets `any` if any thread has found something. Nobody needs to look it up, so that one thread can
 * go on and change it. */
#define BLOCK_PHASE_ANY(any, call, b, o) (any) |= __syncthreads_or(call(b, &(o)[0], (int32_t)threadIdx.x))
#else
#define BLOCK_PHASE_ANY(any, call, b, o)                                                                     \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) (any) |= call(b, &(o)[t_], t_);                        \
    } while (0)
#define BLOCK_OR(place, bits) (*(place) |= (bits))
#define BLOCK_PHASE(call, b, o)                                                                              \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) call(b, &(o)[t_], t_);                                 \
    } while (0)
#define BLOCK_PHASE_OF(call, b, o, with)                                                                     \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) call(b, &(o)[t_], t_, with);                           \
    } while (0)
#endif

/* The largest of all threads' numbers, none of which is negative, goes to a shared place. */
DEVICE void block_most(double *place, double value)
{
#ifdef __CUDACC__
    for (int k = 16; k > 0; k >>= 1) {
        const double other = __shfl_xor_sync(0xffffffffU, value, k);
        value = other > value ? other : value;
    }
    if (threadIdx.x % 32 == 0 && value > 0.0)
        atomicMax((unsigned long long *)place, (unsigned long long)__double_as_longlong(value));
#else
    if (value > *place) *place = value;
#endif
}

/* Where things are. */
typedef struct block {
    const robot *r;
    robot_control *c; /* shared */
    int32_t threads;
    /* shared, (threads) each */
    double *position[3];
    double *growth;
    double *pressure;
    real *orientation[4];
    real *velocity[3];
    real *spin[3];
    real *give[2][7]; /* what links do to their far ends: force, moment, rate; or strains */
} block;

/* What a thread keeps to itself. */
typedef struct block_own {
    int32_t next[3], previous[3];
    int32_t kind[3];
    int32_t material;
    rvec d[3];
    rvec force, moment;           /* from links towards smaller coordinates */
    rvec near_force, near_moment; /* towards larger ones */
    real sum, near_sum;           /* rates, or strains */
    real length, size;
    rvec v0, w0, guess;
    double rest, rate;
    double source, past; /* of shared pressure */
    double speed2, travel2;
    uint8_t fixed, stuck, parity, touches;
} block_own;

/* Bytes of shared memory. */
DEVICE size_t block_shared_bytes(int32_t threads)
{
    return sizeof(robot_control) + (size_t)threads * (5 * sizeof(double) + 24 * sizeof(real));
}

DEVICE void block_lay_out(block *b, char *memory)
{
    const size_t n = (size_t)b->threads;
    b->c = (robot_control *)(void *)memory;
    double *wide = (double *)(void *)(memory + sizeof(robot_control));
    for (int a = 0; a < 3; a++) b->position[a] = wide + (size_t)a * n;
    b->growth = wide + 3 * n;
    b->pressure = wide + 4 * n;
    real *at = (real *)(void *)(wide + 5 * n);
    for (int i = 0; i < 4; i++) b->orientation[i] = at + (size_t)i * n;
    for (int a = 0; a < 3; a++) {
        b->velocity[a] = at + (size_t)(4 + a) * n;
        b->spin[a] = at + (size_t)(7 + a) * n;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 7; i++) b->give[k][i] = at + (size_t)(10 + 7 * k + i) * n;
    }
}

/* ---- in and out --------------------------------------------------------------------------------------------------- */

DEVICE void block_load(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v == 0) {
        *b->c = *r->control;
        b->c->why = ROBOT_RUNS;
        control_begin(b->c);
    }
    if (v >= r->voxels) {
        for (int a = 0; a < 3; a++) {
            o->next[a] = o->previous[a] = -1;
            o->kind[a] = 0;
        }
        o->length = real_of(0);
        return;
    }
    for (int a = 0; a < 3; a++) {
        o->next[a] = r->next[a][v];
        o->previous[a] = r->previous[a][v];
        o->kind[a] = r->kind[a][v];
        b->position[a][v] = r->position[a][v];
        b->velocity[a][v] = r->velocity[a][v];
        b->spin[a][v] = r->spin[a][v];
    }
    for (int i = 0; i < 4; i++) b->orientation[i][v] = r->orientation[i][v];
    b->growth[v] = r->growth[v];
    b->pressure[v] = r->pressure[v];
    o->material = r->material[v];
    o->fixed = r->fixed_of[v];
    o->parity = r->parity[v];
    o->stuck = r->stuck[v];
    o->rest = r->disc ? r->floor_rest[v] : 0.0;
    o->rate = r->rate[v];
    o->speed2 = o->travel2 = 0.0;
    o->guess = rvec_make(0, 0, 0);
    o->touches = 0;
}

DEVICE void block_store(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v == 0) *r->control = *b->c;
    if (v >= r->voxels) return;
    for (int a = 0; a < 3; a++) {
        r->position[a][v] = b->position[a][v];
        r->velocity[a][v] = b->velocity[a][v];
        r->spin[a][v] = b->spin[a][v];
    }
    for (int i = 0; i < 4; i++) r->orientation[i][v] = b->orientation[i][v];
    r->growth[v] = b->growth[v];
    r->pressure[v] = b->pressure[v];
    r->stuck[v] = o->stuck;
    if (r->disc) r->floor_rest[v] = o->rest;
    r->rate[v] = o->rate;
}

/* ---- before the links --------------------------------------------------------------------------------------------- */

/* What the signals say now, and the brakes of a new step. */
DEVICE void block_prepare(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    if (r->actuated) {
        for (int32_t i = v + 1; i <= r->materials; i += b->threads) robot_signal(r, i, b->c->time);
    }
    if (b->c->brakes) {
        for (int32_t i = v; i < r->classes; i += b->threads) robot_make_brake(r, i, b->c->kick);
        if (v == 0) b->c->brake_dt = b->c->kick;
    }
}

DEVICE void block_grow(block *b, block_own *o, int32_t v)
{
    double most = 0.0;
    if (v < b->r->voxels && b->r->driven[v]) {
        b->growth[v] = robot_growth(b->r, v, o->material, b->c->time);
        most = b->growth[v];
    }
    if (b->c->pairs) block_most(&b->c->growth_most, most > 0.0 ? most : 0.0);
}

/* Whether a pair touches, or may do so unseen: the host's step then. */
DEVICE int block_collide(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    (void)o;
    const pair_watch w = robot_watch(c);
    int touches = c->horizon - w.closed < w.largest;
    for (int32_t i = v; i < r->pair_count && !touches; i += b->threads)
        touches = robot_pair_touches(r, c, &w, i, b->position, b->growth);
    return touches;
}

DEVICE void block_watched(block *b, block_own *o, int32_t v, int touches)
{
    (void)o;
    if (v != 0) return;
    if (touches) {
        b->c->why = ROBOT_HOST;
        return;
    }
    const pair_watch w = robot_watch(b->c);
    b->c->closed = w.closed;
    b->c->way = w.way;
    b->c->largest = w.largest;
}

/* Held degrees of freedom get the velocity that takes them where they shall be after this step. */
DEVICE void block_hold(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    if (v >= r->voxels || r->held_of[v] == 0) return;
    const uint8_t held = r->held_of[v];
    for (int a = 0; a < 3; a++) {
        if (b->c->keep) {
            r->held_velocity[a][v] = (double)b->velocity[a][v];
            r->held_velocity[a + 3][v] = (double)b->spin[a][v];
        }
        if ((held >> a & 1) != 0)
            b->velocity[a][v] = (real)((r->target[a][v] - b->position[a][v]) / b->c->length);
        if ((held >> (a + 3) & 1) != 0) b->spin[a][v] = real_of(0);
    }
}

/* Ways to the far ends, and strains for the pressure. */
DEVICE void block_strains(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    real near = real_of(0);
    for (int a = 2; a >= 0; a--) {
        if (o->kind[a] == 0) continue;
        const int32_t far = o->next[a];
        o->d[a] = robot_way(b->position, v, far);
        if (!r->solid) continue;
        const link_row *t = &r->links[o->kind[a] - 1];
        const real length = real_sqrt(rvec_dot(o->d[a], o->d[a]));
        const real strain =
            link_strain(robot_stretch(r, length, b->growth[v], b->growth[far]), r->inverse_pitch);
        b->give[0][a][v] = t->far_weight * strain;
        near = near + t->near_weight * strain;
    }
    o->sum = near;
}

DEVICE void block_pressure(block *b, block_own *o, int32_t v)
{
    if (v >= b->r->voxels) return;
    double sum = 0.0;
    for (int a = 2; a >= 0; a--) {
        if (o->previous[a] >= 0) sum += (double)b->give[0][a][o->previous[a]];
    }
    sum += (double)o->sum;
    b->pressure[v] = b->r->modulus[v] * sum;
    if (b->r->share_steps == 0 || b->r->share_half[v] == 2) return;
    o->source = b->r->share_scale[v] * sum;
    o->past = 0.0;
    b->pressure[v] = o->source; /* the second half begins with it, the first half with nothing */
}

/* Half a step towards shared pressures: 2 step + half. */
DEVICE void block_share(block *b, block_own *o, int32_t v, int pass)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->share_half[v] != (pass & 1)) return;
    b->pressure[v] = robot_share(r, v, b->pressure, o->source, pass >> 1, &o->past);
}

/* ---- links -------------------------------------------------------------------------------------------------------- */

DEVICE void block_take(block *b, block_own *o, int a)
{
    const int32_t p = o->previous[a];
    if (p < 0) return;
    real *const *give = b->give[a & 1];
    o->force = rvec_add(o->force, rvec_make(give[0][p], give[1][p], give[2][p]));
    o->moment = rvec_add(o->moment, rvec_make(give[3][p], give[4][p], give[5][p]));
    if (b->c->rated) o->sum = o->sum + give[6][p];
}

/* Takes what came along the axis before, and computes the link along this one. */
DEVICE void block_link(block *b, block_own *o, int32_t v, int a)
{
    const robot *r = b->r;
    if (a == 2) {
        o->force = o->moment = o->near_force = o->near_moment = rvec_make(0, 0, 0);
        o->sum = o->near_sum = real_of(0);
        o->length = real_of(1e30);
        o->size = real_of(0);
    } else {
        block_take(b, o, a + 1);
    }
    if (o->kind[a] == 0) return;
    const int32_t far = o->next[a];
    link_pose p;
    p.d = o->d[a];
    p.q1 = robot_load4(b->orientation, v);
    p.q2 = robot_load4(b->orientation, far);
    p.growth1 = b->growth[v];
    p.growth2 = b->growth[far];
    p.pressure1 = b->pressure[v];
    p.pressure2 = b->pressure[far];
    rvec v1 = rvec_make(0, 0, 0), w1 = v1, v2 = v1, w2 = v1;
    if (!r->implicit) {
        v1 = robot_load3(b->velocity, v);
        w1 = robot_load3(b->spin, v);
        v2 = robot_load3(b->velocity, far);
        w2 = robot_load3(b->spin, far);
    }
    const link_found f =
        robot_link(r, &r->links[o->kind[a] - 1], a, &p, v1, w1, v2, w2, r->implicit, b->c->rated);
    real *const *give = b->give[a & 1];
    give[0][v] = f.load.force.x;
    give[1][v] = f.load.force.y;
    give[2][v] = f.load.force.z;
    give[3][v] = f.load.far_moment.x;
    give[4][v] = f.load.far_moment.y;
    give[5][v] = f.load.far_moment.z;
    if (b->c->rated) give[6][v] = f.rate;
    o->near_force = rvec_sub(o->near_force, f.load.force);
    o->near_moment = rvec_add(o->near_moment, f.load.near_moment);
    o->near_sum = o->near_sum + f.rate;
    if (f.length < o->length) o->length = f.length;
    if (f.size > o->size) o->size = f.size;
}

/* ---- motion ------------------------------------------------------------------------------------------------------- */

DEVICE voxel_place block_place(const block *b, const block_own *o, int32_t v)
{
    voxel_place p;
    p.x = b->position[0][v];
    p.y = b->position[1][v];
    p.z = b->position[2][v];
    p.growth = b->growth[v];
    p.rest = o->rest;
    p.material = o->material;
    p.fixed = o->fixed;
    p.stuck = o->stuck;
    return p;
}

/* All that links do to a voxel, and its new velocities. */
DEVICE voxel_motion block_kicked(block *b, block_own *o, int32_t v, voxel_place *p)
{
    const robot *r = b->r;
    const voxel_row *row = &r->rows[o->material];
    block_take(b, o, 0);
    o->force = rvec_add(o->force, o->near_force);
    o->moment = rvec_add(o->moment, o->near_moment);
    if (b->c->rated) {
        o->sum = o->sum + o->near_sum;
        o->rate = o->fixed == ROBOT_DOF_ALL ? 0.0 : (double)(o->sum * row->constants.inverse_mass);
    }
    voxel_motion k;
    k.v0 = robot_load3(b->velocity, v);
    k.w0 = robot_load3(b->spin, v);
    k.moment = o->moment;
    robot_kick(b->c, row, o->force, &k);
    *p = block_place(b, o, v);
    robot_settle(r, p, 0.5 * b->c->before * (double)k.v0.z);
    o->rest = p->rest;
    return k;
}

/* The end of a voxel's step. */
DEVICE int block_finish(block *b, block_own *o, int32_t v, const voxel_place *p, const voxel_motion *k)
{
    const robot *r = b->r;
    robot_control *c = b->c;
    const voxel_row *row = &r->rows[o->material];
    const voxel_end e = robot_finish(r, c, row, p, k);
    o->stuck = e.stuck;
    o->touches = e.contact.z > real_of(0);
    o->travel2 = e.speed2;
    o->speed2 = (o->fixed & ROBOT_DOF_MOVE) != ROBOT_DOF_MOVE ? e.speed2 : 0.0;
    int found = robot_amiss(c, p, &e, (double)o->length, (double)o->size);
    if (c->rated) {
        if (o->rate > row->fall) found |= FOUND_FALLEN;
        if (o->rate >= row->rise && o->fixed != ROBOT_DOF_ALL) BLOCK_OR(&c->unrisen, 1);
    }
    if (found != 0) BLOCK_OR(&c->found, found);
    if (c->keep) {
        robot_store3(r->force, v, e.total);
        robot_store3(r->moment, v, k->moment);
        r->contact_force[0][v] = (double)e.contact.x;
        r->contact_force[1][v] = (double)e.contact.y;
        r->contact_force[2][v] = (double)e.contact.z;
    }
    robot_store3(b->velocity, v, e.v1);
    robot_store3(b->spin, v, e.w1);
    b->position[0][v] += c->length * (double)e.v1.x;
    b->position[1][v] += c->length * (double)e.v1.y;
    b->position[2][v] += c->length * (double)e.v1.z;
    const rquat q = voxel_turn(robot_load4(b->orientation, v), e.w1, (real)c->length);
    b->orientation[0][v] = q.w;
    b->orientation[1][v] = q.x;
    b->orientation[2][v] = q.y;
    b->orientation[3][v] = q.z;
    return found;
}

/* New velocities and poses at once. */
DEVICE int block_move_at_once(block *b, block_own *o, int32_t v)
{
    int found = 0;
    if (v < b->r->voxels) {
        voxel_place p;
        const voxel_motion k = block_kicked(b, o, v, &p);
        found = block_finish(b, o, v, &p, &k);
    }
    if (b->c->pairs) block_most(&b->c->travel2, v < b->r->voxels ? o->travel2 : 0.0);
    return found;
}

/* The first part of a step in parts. */
DEVICE void block_kick(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels) return;
    voxel_place p;
    voxel_motion k = block_kicked(b, o, v, &p);
    o->v0 = k.v0;
    o->w0 = k.w0;
    robot_keep_held(o->fixed, k.v0, k.w0, &k.v1, &k.w1);
    k.v1 = robot_guess(r, b->c, &r->rows[o->material], &p, &k, &o->guess);
    o->stuck = p.stuck;
    robot_store3(b->velocity, v, k.v1);
    robot_store3(b->spin, v, k.w1);
    if (o->fixed == 0) return;
    r->held_load[0][v] = (double)k.load.x;
    r->held_load[1][v] = (double)k.load.y;
    r->held_load[2][v] = (double)k.load.z;
    r->held_load[3][v] = (double)k.moment.x;
    r->held_load[4][v] = (double)k.moment.y;
    r->held_load[5][v] = (double)k.moment.z;
}

/* A pass of implicit damping: axis, parity, and whether for all of the step, as 4 axis + 2 parity + full. */
DEVICE void block_damp(block *b, block_own *o, int32_t v, int pass)
{
    const robot *r = b->r;
    const int a = pass >> 2;
    if (o->kind[a] == 0 || (o->parity >> a & 1) != (pass >> 1 & 1)) return;
    const int32_t far = o->next[a];
    link_ends before;
    before.velocity1 = robot_load3(b->velocity, v);
    before.spin1 = robot_load3(b->spin, v);
    before.velocity2 = robot_load3(b->velocity, far);
    before.spin2 = robot_load3(b->spin, far);
    const rvec d = a == 0 ? o->d[0] : a == 1 ? o->d[1] : o->d[2];
    const link_ends now = robot_brake(r, &r->links[o->kind[a] - 1], d, before, pass & 1);
    robot_change(r, b->c, b->velocity, b->spin, v, now.velocity1, now.spin1);
    robot_change(r, b->c, b->velocity, b->spin, far, now.velocity2, now.spin2);
}

/* The last part. */
DEVICE int block_move_voxel(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const voxel_place p = block_place(b, o, v);
    voxel_motion k;
    double depth = 0.0;
    k.v0 = o->v0;
    k.w0 = o->w0;
    k.v1 = robot_load3(b->velocity, v);
    k.w1 = robot_load3(b->spin, v);
    if (robot_near_floor(r, &p, &depth)) k.v1 = rvec_sub(k.v1, o->guess);
    robot_load_of(r, b->c, &r->rows[o->material], v, o->fixed, &k);
    return block_finish(b, o, v, &p, &k);
}

DEVICE int block_move(block *b, block_own *o, int32_t v)
{
    const int found = v < b->r->voxels ? block_move_voxel(b, o, v) : 0;
    if (b->c->pairs) block_most(&b->c->travel2, v < b->r->voxels ? o->travel2 : 0.0);
    return found;
}

/* ---- after it ----------------------------------------------------------------------------------------------------- */

DEVICE int block_look(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels) return 0;
    const voxel_place p = block_place(b, o, v);
    double depth = 0.0;
    int wreck = robot_near_floor(r, &p, &depth) && depth > r->pitch * (1.0 + p.growth) && o->fixed == 0;
    for (int a = 0; a < 3 && !wreck; a++) {
        if (o->kind[a] != 0) wreck = robot_is_folded(b->position, b->orientation, v, o->next[a], a);
    }
    if (wreck) BLOCK_OR(&b->c->found, FOUND_WRECK);
    return wreck;
}

/* What a step has measured, to where one thread sums it up: the exchange is free now. */
DEVICE void block_measure(block *b, block_own *o, int32_t v)
{
    double *at = (double *)(void *)b->give[0][0]; /* 14 reals per thread: room for 7 floats and more */
    const int32_t n = b->threads;
    at[v] = o->speed2;
    at[n + v] = o->travel2;
    at[2 * n + v] = (double)o->size;
    at[3 * n + v] = (double)o->length;
    at[4 * n + v] = (double)o->touches;
}

DEVICE void block_sum_up(block *b)
{
    const double *at = (const double *)(const void *)b->give[0][0];
    const int32_t n = b->threads;
    robot_control *c = b->c;
    c->speed_max = c->travel_max = c->strain_max = 0.0;
    c->length_min = (double)ROBOT_PASSES_FLOOR;
    c->floor_contacts = 0;
    for (int32_t v = 0; v < b->r->voxels; v++) {
        if (at[v] > c->speed_max) c->speed_max = at[v];
        if (at[n + v] > c->travel_max) c->travel_max = at[n + v];
        if (at[2 * n + v] > c->strain_max) c->strain_max = at[2 * n + v];
        if (at[3 * n + v] < c->length_min) c->length_min = at[3 * n + v];
        c->floor_contacts += at[4 * n + v] != 0.0;
    }
    if (c->length_min >= 1e29) c->length_min = (double)ROBOT_PASSES_FLOOR; /* there is no link */
}

DEVICE void block_end(block *b, block_own *o, int32_t v, int measured)
{
    (void)o;
    if (v != 0) return;
    if (measured) block_sum_up(b);
    control_end(b->c, measured);
    if (b->c->why == ROBOT_RUNS) control_begin(b->c);
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

/* `o`: a thread's own, on the host that of all threads. */
DEVICE void block_run(block *b, block_own *o)
{
    const robot *r = b->r;
    BLOCK_PHASE(block_load, b, o);
    while (b->c->why == ROBOT_RUNS) {
        /* of this step: later one thread goes on to the next */
        const int look = (b->c->step + 1) % CONTROL_WRECK_STEPS == 0;
        int measured = b->c->measure;
        if (r->actuated || b->c->brakes) BLOCK_PHASE(block_prepare, b, o);
        if (r->actuated) BLOCK_PHASE(block_grow, b, o);
        if (b->c->pairs) {
            int touches = 0;
            BLOCK_PHASE_ANY(touches, block_collide, b, o);
            BLOCK_PHASE_OF(block_watched, b, o, touches);
            if (touches) break;
        }
        if (r->held) BLOCK_PHASE(block_hold, b, o);
        BLOCK_PHASE(block_strains, b, o);
        if (r->solid) BLOCK_PHASE(block_pressure, b, o);
        for (int pass = 0; pass < 2 * r->share_steps; pass++) BLOCK_PHASE_OF(block_share, b, o, pass);
        BLOCK_PHASE_OF(block_link, b, o, 2);
        BLOCK_PHASE_OF(block_link, b, o, 1);
        BLOCK_PHASE_OF(block_link, b, o, 0);
        if (r->implicit) {
            BLOCK_PHASE(block_kick, b, o);
            BLOCK_PHASE_OF(block_damp, b, o, 8);
            BLOCK_PHASE_OF(block_damp, b, o, 10);
            BLOCK_PHASE_OF(block_damp, b, o, 4);
            BLOCK_PHASE_OF(block_damp, b, o, 6);
            BLOCK_PHASE_OF(block_damp, b, o, 0);
            BLOCK_PHASE_OF(block_damp, b, o, 3);
            BLOCK_PHASE_OF(block_damp, b, o, 0);
            BLOCK_PHASE_OF(block_damp, b, o, 6);
            BLOCK_PHASE_OF(block_damp, b, o, 4);
            BLOCK_PHASE_OF(block_damp, b, o, 10);
            BLOCK_PHASE_OF(block_damp, b, o, 8);
            BLOCK_PHASE_ANY(measured, block_move, b, o);
        } else {
            BLOCK_PHASE_ANY(measured, block_move_at_once, b, o);
        }
        if (look) BLOCK_PHASE_ANY(measured, block_look, b, o);
        if (measured) BLOCK_PHASE(block_measure, b, o);
        BLOCK_PHASE_OF(block_end, b, o, measured);
    }
    BLOCK_PHASE(block_store, b, o);
}

#endif
