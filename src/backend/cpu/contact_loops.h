/* Pairs of voxels that touch, and the floor under them, several at once (kernel/pair.h; sim/contact.c says
 * which and when). A translation unit chooses how many by VXE_LANES, as for the wide loops; without it, one
 * by one. Rows of a pack that are solved at once share no voxel, so the result is that of one after the
 * other. */
#ifdef VXE_LANES
#include "backend/cpu/records.h"
#define LANES VXE_LANES
#else
#define LANES 1
#endif
#include "kernel/pair.h"
#include "kernel/voxel.h"
#include "sim/collide.h"

#include <stddef.h>
#include <string.h>

/* ---- lanes ------------------------------------------------------------------------------------------------------------ */

static inline real load(const double *a)
{
    real r;
    memcpy(&r, a, sizeof r);
    return r;
}
static inline void store(double *a, real r) { memcpy(a, &r, sizeof r); }
static inline rvec load_vec(double a[3][PACK_ROWS], int at)
{
    return (rvec){load(a[0] + at), load(a[1] + at), load(a[2] + at)};
}
static inline void store_vec(double a[3][PACK_ROWS], int at, rvec r)
{
    store(a[0] + at, r.x);
    store(a[1] + at, r.y);
    store(a[2] + at, r.z);
}

/* The number `k` of each of some records. */
static inline real gather(const double *const *from, size_t k)
{
#if LANES == 1
    return from[0][k];
#elif LANES == 2
    return (real){from[0][k], from[1][k]};
#elif LANES == 4
    return (real){from[0][k], from[1][k], from[2][k], from[3][k]};
#else
    return (real){from[0][k], from[1][k], from[2][k], from[3][k],
                  from[4][k], from[5][k], from[6][k], from[7][k]};
#endif
}
static inline rvec gather_vec(const double *const *from, size_t k)
{
    return (rvec){gather(from, k), gather(from, k + 1), gather(from, k + 2)};
}
/* Which number of a record a member is. */
#define NUMBER(type, member) (offsetof(type, member) / sizeof(double))

/* 8 numbers of each of some records, from the number `k` on; only the first `count` are asked for. */
static inline void load_numbers(const double *const *from, size_t k, int count, real to[8])
{
#if LANES >= 4
    (void)count;
    for (int j = 0; j < LANES; j++) {
        for (int part = 0; part < 8 / LANES; part++) to[LANES * part + j] = load(from[j] + k + LANES * part);
    }
    for (int part = 0; part < 8 / LANES; part++) turn_rows(to + LANES * part);
#else
    for (int j = 0; j < count; j++) to[j] = gather(from, k + (size_t)j);
#endif
}
/* The first 8 numbers of the records of some lanes; `from` is spent. */
static inline void store_numbers(double *const *to, unsigned lanes, real from[8])
{
#if LANES >= 4
    for (int part = 0; part < 8 / LANES; part++) turn_rows(from + LANES * part);
    for (int j = 0; j < LANES; j++) {
        if ((lanes >> j & 1U) == 0) continue;
        for (int part = 0; part < 8 / LANES; part++) store(to[j] + LANES * part, from[LANES * part + j]);
    }
#else
    double rows[8][LANES];
    for (int j = 0; j < 8; j++) store(rows[j], from[j]);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int j = 0; j < 8; j++) to[i][j] = rows[j][i];
    }
#endif
}

#if LANES == 1
static inline real_mask mask_of(unsigned lanes) { return (int)(lanes & 1U); }
static inline unsigned lanes_of(real_mask mask) { return mask != 0; }
#else
static inline real_mask mask_of(unsigned lanes)
{
#if LANES == 2
    const real_mask bit = {1, 2};
#elif LANES == 4
    const real_mask bit = {1, 2, 4, 8};
#else
    const real_mask bit = {1, 2, 4, 8, 16, 32, 64, 128};
#endif
    return (bit & (int64_t)lanes) != 0;
}
static inline unsigned lanes_of(real_mask mask)
{
#if LANES == 8 && defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif LANES == 4 && defined(__AVX2__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    unsigned lanes = 0;
    for (int i = 0; i < LANES; i++) lanes |= (unsigned)(mask[i] & 1) << i;
    return lanes;
#endif
}
#endif
static inline rvec select_vec(real_mask mask, rvec a, rvec b)
{
    return (rvec){real_select(mask, a.x, b.x), real_select(mask, a.y, b.y), real_select(mask, a.z, b.z)};
}
/* Those of a pack's places that lanes from `at` on are. */
static inline unsigned some(unsigned places, int at) { return places >> at & ((1U << LANES) - 1); }

/* The largest of all lanes. */
static inline double largest_of(real r)
{
    double a[LANES];
    store(a, r);
    double most = a[0];
    for (int i = 1; i < LANES; i++) most = a[i] > most ? a[i] : most;
    return most;
}

/* Lanes of a pack that come next and are solved at once: up to one after which a level ends. */
static inline unsigned next_run(const contact_pack *p, unsigned left)
{
    const unsigned ends = p->last & left;
    const unsigned end = ends & (0U - ends);
    return left & ((end << 1U) - 1U);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------- */

typedef struct row_bodies {
    double *first[LANES], *second[LANES]; /* the numbers of contact_body */
} row_bodies;

/* What contacts change of voxels, and how easily. */
typedef struct body_lanes {
    pair_motion now;
    real inverse_mass, inverse_inertia;
} body_lanes;

static inline row_bodies bodies_of(const vxe_sim *sim, const contact_pack *p, int at)
{
    row_bodies b;
    for (int i = 0; i < LANES; i++) {
        b.first[i] = (double *)&sim->collider->bodies[p->first[at + i]];
        b.second[i] = (double *)&sim->collider->bodies[p->second[at + i]];
    }
    return b;
}
static inline contact_body *body_at(double *numbers) { return (contact_body *)numbers; }

static inline body_lanes load_bodies(double *const *numbers)
{
    _Static_assert(NUMBER(contact_body, now) == 0 && NUMBER(contact_body, inverse_mass) == 6 &&
                       NUMBER(contact_body, inverse_inertia) == 7,
                   "what contacts change comes first");
    real r[8];
    load_numbers((const double *const *)numbers, 0, 8, r);
    return (body_lanes){{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}}, r[6], r[7]};
}
static inline void store_bodies(double *const *numbers, unsigned lanes, body_lanes b)
{
    real r[8] = {b.now.velocity.x, b.now.velocity.y, b.now.velocity.z, b.now.spin.x,
                 b.now.spin.y,     b.now.spin.z,     b.inverse_mass,   b.inverse_inertia};
    store_numbers(numbers, lanes, r);
}
static inline pair_motion motion_before(double *const *numbers)
{
    real r[8];
    load_numbers((const double *const *)numbers, NUMBER(contact_body, before), 6, r);
    return (pair_motion){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

/* Asks for what rows of another pack will need, while this one is computed: it lies here and there. */
static inline void fetch_pack(const vxe_sim *sim, const contact_pack *p, bool begins)
{
    const collider *c = sim->collider;
    for (int i = 0; i < PACK_ROWS; i++) {
        const contact_body *first = &c->bodies[p->first[i]];
        const contact_body *second = &c->bodies[p->second[i]];
        const contact_state *state = &c->list.state[p->pair[i]];
        __builtin_prefetch(first);
        __builtin_prefetch(second);
        __builtin_prefetch(state);
        __builtin_prefetch(&state->since);
        if (!begins) continue;
        __builtin_prefetch(first->before);
        __builtin_prefetch(second->before);
    }
}

/* Rigid parts move their voxels. */
static inline void follow_parts(const vxe_sim *sim, const contact_pack *p, int at, const row_bodies *b)
{
    for (unsigned left = some(p->special, at); left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        (void)vxe_body_now(sim, body_at(b->first[i]));
        (void)vxe_body_now(sim, body_at(b->second[i]));
    }
}

static inline pair_times times_of(const step_context *context)
{
    return (pair_times){real_of(context->before), real_of(context->step), real_of(context->kick)};
}
static inline pair_place place_of(contact_pack *p, int at)
{
    return (pair_place){load_vec(p->normal, at), load(p->arm1 + at), load(p->arm2 + at)};
}
static inline pair_yield yield_of(const contact_pack *p, int at)
{
    return (pair_yield){load(p->mobility + at), load(p->mobility_across + at), load(p->damp + at),
                        load(p->damp_across + at)};
}
static inline contact_spring spring_of(const contact_pack *p, int at, real edge)
{
    return pair_spring(load(p->stiffness + at), load(p->reach + at), edge);
}
static inline contact_grip grip_of(const contact_pack *p, int at)
{
    return pair_grip(load(p->stiffness + at), load(p->still + at), load(p->slides + at));
}
static inline pair_start start_of(contact_pack *p, int at)
{
    pair_start s = {.rest = load(p->rest + at),
                    .before = load(p->before + at),
                    .depth = load(p->depth + at),
                    .parting = load(p->parting + at),
                    .sliding = load_vec(p->sliding, at),
                    .stick = load_vec(p->stick, at)};
#if LANES == 1
    s.stuck = (int)p->stuck[at];
#else
    memcpy(&s.stuck, p->stuck + at, sizeof s.stuck);
#endif
    return s;
}
static inline pair_force force_of(contact_pack *p, int at)
{
    return (pair_force){load(p->force + at), load_vec(p->drag, at)};
}

/* A change of forces acts on the voxels of some lanes, which were as given. */
static inline void push(const vxe_sim *sim, const contact_pack *p, int at, unsigned lanes,
                        const row_bodies *b, pair_place place, pair_force change, pair_times t,
                        body_lanes first, body_lanes second)
{
    const rvec impulse = pair_impulse(place, change, t);
    const rvec turn = rvec_cross(place.normal, impulse);
    const rvec impulse1 = rvec_scale(real_of(-1), impulse);
    const rvec turn1 = rvec_scale(-place.arm1, turn);
    const rvec turn2 = rvec_scale(-place.arm2, turn);
    const unsigned special = some(p->special, at) & lanes;
    first.now.velocity = rvec_add(first.now.velocity, rvec_scale(first.inverse_mass, impulse1));
    first.now.spin = rvec_add(first.now.spin, rvec_scale(first.inverse_inertia, turn1));
    second.now.velocity = rvec_add(second.now.velocity, rvec_scale(second.inverse_mass, impulse));
    second.now.spin = rvec_add(second.now.spin, rvec_scale(second.inverse_inertia, turn2));
    store_bodies(b->first, lanes & ~special, first);
    store_bodies(b->second, lanes & ~special, second);
    if (special == 0) return;
    const rvec parts[4] = {impulse1, turn1, impulse, turn2};
    double pushes[12][LANES];
    for (int k = 0; k < 4; k++) {
        store(pushes[3 * k], parts[k].x);
        store(pushes[3 * k + 1], parts[k].y);
        store(pushes[3 * k + 2], parts[k].z);
    }
    for (unsigned left = special; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        vxe_push_body(sim, body_at(b->first[i]), vec3_make(pushes[0][i], pushes[1][i], pushes[2][i]),
                      vec3_make(pushes[3][i], pushes[4][i], pushes[5][i]));
        vxe_push_body(sim, body_at(b->second[i]), vec3_make(pushes[6][i], pushes[7][i], pushes[8][i]),
                      vec3_make(pushes[9][i], pushes[10][i], pushes[11][i]));
    }
}

/* ---- the beginning ---------------------------------------------------------------------------------------------------------- */

/* The number `k` of what materials make of rows; `same`: of all of them. */
static inline real constant_of_rows(const double *const *constants, bool same, size_t k)
{
    return same ? real_of(constants[0][k]) : gather(constants, k);
}

/* Where rows are, how far in they were half a step ago, the forces of the last step, which act at once where
 * none of the pack waits for another: `pushed`. Returns the lanes that press; `largest` grows. */
static inline unsigned place_rows(vxe_sim *sim, const step_context *context, contact_pack *p, int at,
                                  bool pushed, real *largest)
{
    const collider *c = sim->collider;
    const row_bodies b = bodies_of(sim, p, at);
    const pair_times t = times_of(context);
    const double *touch[LANES];
    const double *constants[LANES];
    const double *state[LANES];
    double growth1[LANES] = {0.0};
    double growth2[LANES] = {0.0};
    pair_constants own[LANES];
    const bool actuated = sim->model->actuated_count > 0;
    const pair_constants *const table = c->constants;
    const size_t kinds = (size_t)sim->model->constant_count + 1;
    const uint16_t *const material = sim->material;
    bool same = true;
    unsigned touching = 0;
    unsigned stuck = 0;
    for (int i = 0; i < LANES; i++) {
        const touching_pair *pair = &c->touching_pairs[p->touch[at + i]];
        const contact_state *s = &c->list.state[p->pair[at + i]];
        touch[i] = pair->offset;
        state[i] = (const double *)s;
        touching |= (unsigned)(s->touching != 0) << i;
        stuck |= (unsigned)(s->stuck != 0) << i;
        if (actuated) growth1[i] = sim->growth[0][pair->first];
        if (actuated) growth2[i] = sim->growth[0][pair->second];
        constants[i] =
            (const double *)(table != NULL ? &table[material[pair->first] * kinds + material[pair->second]]
                                           : vxe_pair_constants(sim, pair->first, pair->second, &own[i]));
        same &= constants[i] == constants[0];
    }
    const real one = real_of(1);
    const rvec d = gather_vec(touch, 0);
    const real distance = real_sqrt(rvec_dot(d, d));
    const real size1 = one + load(growth1);
    const real size2 = one + load(growth2);
    const real reach = real_of(0.5) * real_of(sim->environment.collision_distance * sim->model->view.pitch) *
                       (size1 + size2);
    pair_place place;
    place.normal = rvec_scale(one / distance, d);
    place.arm1 = size1 / (size1 + size2) * distance;
    place.arm2 = distance - place.arm1;
    store_vec(p->normal, at, place.normal);
    store(p->arm1 + at, place.arm1);
    store(p->arm2 + at, place.arm2);
    store(p->reach + at, reach);
    store(p->stiffness + at, constant_of_rows(constants, same, NUMBER(pair_constants, stiffness)));
    store(p->still + at, constant_of_rows(constants, same, NUMBER(pair_constants, still)));
    store(p->slides + at, constant_of_rows(constants, same, NUMBER(pair_constants, sliding)));

    const rvec n = place.normal;
    const real free = n.x * n.x + n.y * n.y + n.z * n.z;
    const body_lanes first = load_bodies(b.first);
    const body_lanes second = load_bodies(b.second);
    store(p->mobility + at, free * first.inverse_mass + free * second.inverse_mass);
    store(p->mobility_across + at,
          (first.inverse_mass + place.arm1 * place.arm1 * first.inverse_inertia) +
              (second.inverse_mass + place.arm2 * place.arm2 * second.inverse_inertia));
    for (unsigned left = some(p->special, at); left != 0; left &= left - 1)
        vxe_row_mobility(sim, p, at + __builtin_ctz(left));
    const real damping = constant_of_rows(constants, same, NUMBER(pair_constants, damping));
    store(p->damp + at, contact_press_damp(damping, load(p->mobility + at), t.kick, t.step));
    store(p->damp_across + at,
          contact_damp(real_of(CONTACT_TANGENT) * damping, load(p->mobility_across + at), t.kick));

    _Static_assert(NUMBER(contact_state, stick) == 0 && NUMBER(contact_state, rest) == 3 &&
                       NUMBER(contact_state, energy) == 4 && NUMBER(contact_state, force) == 5,
                   "here and in close_rows()");
    real kept[8];
    load_numbers(state, 0, 8, kept);
    const pair_memory memory = {.stick = {kept[0], kept[1], kept[2]},
                                .force = {kept[5], kept[6], kept[7]},
                                .rest = kept[3],
                                .stuck = mask_of(stuck),
                                .touching = mask_of(touching)};
    store(p->energy + at, kept[4]);
    const rvec before = pair_velocity(place, motion_before(b.first), motion_before(b.second));
    /* voxels that touch from further away than their size press on each other from the start, as in the
     * programs that have it so: what the springs then hold is energy that the scene begins with */
    const bool pressed = sim->step == 0 && sim->environment.collision_distance > 1.0;
    const pair_start start = pair_begin(place, reach - distance, memory, before, t, pressed);
    const pair_force last = pair_last_force(place, memory.force);
    store(p->rest + at, start.rest);
    store(p->before + at, start.before);
    store(p->depth + at, start.depth);
    store(p->parting + at, start.parting);
    store_vec(p->sliding, at, start.sliding);
    store_vec(p->stick, at, start.stick);
#if LANES == 1
    p->stuck[at] = -(int64_t)stuck;
#else
    memcpy(p->stuck + at, &start.stuck, sizeof start.stuck);
#endif
    store(p->force + at, last.along);
    store_vec(p->drag, at, last.drag);
    const unsigned lanes = some(p->used, at) & lanes_of(last.along > real_of(0));
    if (pushed && lanes != 0) push(sim, p, at, lanes, &b, place, last, t, first, second);
    *largest = real_select(mask_of(lanes) & (real_mask)(last.along > *largest), last.along, *largest);
    return lanes;
}

static double begin_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count)
{
    real largest = real_of(0);
    for (contact_pack *p = packs; p < packs + count; p++) {
        const bool one_level = next_run(p, p->used) == p->used;
        unsigned presses = 0;
        if (p + 1 < packs + count) fetch_pack(sim, p + 1, true);
        for (int at = 0; at < PACK_ROWS; at += LANES) {
            if (some(p->used, at) != 0) presses |= place_rows(sim, context, p, at, one_level, &largest) << at;
        }
        for (unsigned left = one_level ? 0 : p->used; left != 0;) {
            const unsigned run = next_run(p, left);
            left &= ~run;
            for (int at = 0; at < PACK_ROWS; at += LANES) {
                const unsigned lanes = some(run & presses, at);
                if (lanes == 0) continue;
                const row_bodies b = bodies_of(sim, p, at);
                push(sim, p, at, lanes, &b, place_of(p, at), force_of(p, at), times_of(context),
                     load_bodies(b.first), load_bodies(b.second));
            }
        }
    }
    return largest_of(largest);
}

/* ---- rounds ----------------------------------------------------------------------------------------------------------------- */

/* Latches of lanes of a pack give way. */
static inline void open_latches(contact_pack *p, int at, unsigned lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) p->stuck[at + __builtin_ctz(lanes)] = 0;
}

/* Solves the rows of some lanes with what the others do now; `open`: latches that give way stay open. Returns
 * those whose forces have changed by more than `slight`, N. */
static inline unsigned solve_rows(vxe_sim *sim, pair_times t, contact_pack *p, int at, unsigned lanes,
                                  bool open, double slight, real *largest)
{
    const row_bodies b = bodies_of(sim, p, at);
    follow_parts(sim, p, at, &b);
    const body_lanes first = load_bodies(b.first);
    const body_lanes second = load_bodies(b.second);
    const pair_place place = place_of(p, at);
    const pair_force before = force_of(p, at);
    const real edge = real_of(contact_edge(sim->environment.collision_distance));
    const pair_answer answer =
        pair_solve(place, yield_of(p, at), start_of(p, at), before,
                   pair_velocity(place, first.now, second.now), spring_of(p, at, edge), grip_of(p, at), t);
    const pair_force after = answer.force;
    const pair_force change = {after.along - before.along, rvec_sub(after.drag, before.drag)};
    const real size = real_sqrt(change.along * change.along + rvec_dot(change.drag, change.drag));
    const real_mask mask = mask_of(lanes);
    store(p->force + at, real_select(mask, after.along, before.along));
    store_vec(p->drag, at, select_vec(mask, after.drag, before.drag));
    *largest = real_select(mask & (real_mask)(after.along > *largest), after.along, *largest);
    push(sim, p, at, lanes, &b, place, change, t, first, second);
    if (open) open_latches(p, at, lanes & lanes_of(answer.slips));
    return lanes & lanes_of(size > real_of(slight));
}

/* The next of some bytes, from `k` on, that is not zero; `count`: there is none. */
static inline int64_t next_due(const uint8_t *due, int64_t k, int64_t count)
{
    for (; k < count && due[k] == 0; k++) {
        uint64_t eight = 0;
        while (k + 8 <= count && (memcpy(&eight, due + k, sizeof eight), eight == 0)) k += 8;
        if (k == count || due[k] != 0) break;
    }
    return k;
}

static bool solve_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count,
                        int round, double slight, double *largest)
{
    const collider *c = sim->collider;
    const bool all = round == 0;
    const bool open = round >= PAIR_ROUNDS_LATCHED;
    const pair_times t = times_of(context);
    uint8_t *due = c->pack_due + (packs - c->packs);
    real most = real_of(*largest);
    bool any = false;
    for (int64_t k = all ? 0 : next_due(due, 0, count); k < count;
         k = all ? k + 1 : next_due(due, k + 1, count)) {
        contact_pack *p = &packs[k];
        if (all) due[k] = 0;
        for (unsigned left = p->used; left != 0;) {
            const unsigned run = next_run(p, left);
            left &= ~run;
            const unsigned now = all ? run : run & due[k];
            if (now == 0) continue;
            unsigned changed = 0;
            due[k] &= (uint8_t)~now;
            for (int at = 0; at < PACK_ROWS; at += LANES) {
                const unsigned lanes = some(now, at);
                if (lanes != 0) changed |= solve_rows(sim, t, p, at, lanes, open, slight, &most) << at;
            }
            any |= changed != 0;
            const int32_t slot = (int32_t)((p - c->packs) * PACK_ROWS);
            for (; changed != 0; changed &= changed - 1) {
                const int i = __builtin_ctz(changed);
                vxe_body_changed(c, p->first[i], slot + i);
                vxe_body_changed(c, p->second[i], slot + i);
            }
            /* of rigid parts nobody knows whether others have moved them */
            for (unsigned rest = now & p->special; rest != 0; rest &= rest - 1) {
                const int i = __builtin_ctz(rest);
                if ((c->bodies[p->first[i]].rigid | c->bodies[p->second[i]].rigid) != 0)
                    due[k] |= (uint8_t)(1U << i);
            }
        }
    }
    *largest = largest_of(most);
    return any;
}

/* ---- the floor -------------------------------------------------------------------------------------------------------------- */

/* The floor under some voxels, as solve_rows() does pairs. */
static inline unsigned floor_lanes(vxe_sim *sim, const step_context *context, contact_body *const *bodies,
                                   unsigned lanes, bool open, double slight)
{
    const vxe_model *m = sim->model;
    const double *numbers[LANES];
    double table[7][LANES];
    double masses[LANES];
    double gives[LANES];
    unsigned stuck = 0;
    unsigned fresh = 0;
    unsigned held[3] = {0, 0, 0};
    for (int i = 0; i < LANES; i++) {
        const contact_body *b = bodies[i];
        const voxel_table *v = &sim->voxels[m->material[b->voxel]];
        numbers[i] = (const double *)b;
        table[0][i] = v->inverse_mass;
        table[1][i] = v->inverse_inertia;
        table[2][i] = v->ground_rate;
        table[3][i] = v->floor_stiffness;
        table[4][i] = v->floor_damping;
        table[5][i] = v->static_friction;
        table[6][i] = v->dynamic_friction;
        masses[i] = m->materials[m->material[b->voxel]].mass;
        gives[i] = (b->fixed & VXE_DOF_Z) != 0 ? FLOOR_HELD : 1.0;
        stuck |= (unsigned)(sim->stuck[0][b->voxel] != 0) << i;
        fresh |= (unsigned)(sim->stuck[0][b->voxel] == STUCK_FRESH) << i;
        for (int a = 0; a < 3; a++) held[a] |= (unsigned)(b->fixed >> a & 1) << i;
    }
    const real kick = real_of(context->kick);
    const real mass = load(masses);
    const voxel_constants k = {load(table[0]), load(table[1]), load(table[2]), load(table[3]),
                               load(table[4]), load(table[5]), load(table[6])};
    const floor_step times = {real_of(0.5 * context->before), real_of(0.5 * context->step), kick,
                              real_of(m->view.pitch), load(gives)};
    const rvec now = gather_vec(numbers, NUMBER(contact_body, now));
    const rvec before = gather_vec(numbers, NUMBER(contact_body, before));
    const rvec own = gather_vec(numbers, NUMBER(contact_body, floor));
    const rvec damped = rvec_sub(now, own);
    const real undamp = real_of(1) + kick * k.ground_rate; /* 1/voxel_keep() */
    const rvec free = {real_select(mask_of(held[0]), damped.x, undamp * damped.x),
                       real_select(mask_of(held[1]), damped.y, undamp * damped.y),
                       real_select(mask_of(held[2]), damped.z, undamp * damped.z)};
    const rvec load_on = rvec_scale(mass / kick, rvec_sub(free, before));
    const rvec kept = {real_select(mask_of(held[0]), before.x, damped.x), /* as in finish_voxel() */
                       real_select(mask_of(held[1]), before.y, damped.y),
                       real_select(mask_of(held[2]), before.z, damped.z)};
    const floor_contact contact =
        voxel_on_floor(before, kept, load_on, gather(numbers, NUMBER(contact_body, depth)), mask_of(stuck),
                       mask_of(fresh), k, times);
    const rvec to = contact.velocity;
    for (unsigned left = open ? lanes & lanes_of(contact.slips) : 0; left != 0; left &= left - 1)
        sim->stuck[0][bodies[__builtin_ctz(left)]->voxel] = 0;
    const real zero = real_of(0);
    const rvec change = rvec_sub(to, now);
    const real x = real_select(mask_of(held[0]), zero, change.x * change.x);
    const real y = real_select(mask_of(held[1]), zero, change.y * change.y);
    const real z = real_select(mask_of(held[2]), zero, change.z * change.z);
    double velocity[3][LANES];
    double part[3][LANES];
    store(velocity[0], to.x);
    store(velocity[1], to.y);
    store(velocity[2], to.z);
    store(part[0], to.x - damped.x);
    store(part[1], to.y - damped.y);
    store(part[2], to.z - damped.z);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int a = 0; a < 3; a++) {
            if ((bodies[i]->fixed >> a & 1) != 0) continue;
            bodies[i]->floor[a] = part[a][i];
            bodies[i]->now[a] = velocity[a][i];
        }
    }
    return lanes & lanes_of(mass * real_sqrt(x + y + z) > real_of(slight * context->kick));
}

/* The floor under some bodies, as many as there are lanes at most, and who must be solved again then. */
static bool floor_some(vxe_sim *sim, const step_context *context, const int32_t *numbers, int count,
                       bool open, double slight)
{
    const collider *c = sim->collider;
    contact_body *bodies[LANES];
    for (int lane = 0; lane < LANES; lane++) bodies[lane] = &c->bodies[numbers[lane < count ? lane : 0]];
    const unsigned changed = floor_lanes(sim, context, bodies, (1U << count) - 1U, open, slight);
    for (int lane = 0; lane < count; lane++) {
        if ((changed >> lane & 1U) != 0) vxe_body_changed(c, numbers[lane], -1);
        c->floor_due[numbers[lane]] = bodies[lane]->rigid; /* as of pairs */
    }
    return changed != 0;
}

static bool floor_bodies(vxe_sim *sim, const step_context *context, const int32_t *numbers, int32_t count,
                         int round, double slight)
{
    const bool open = round >= PAIR_ROUNDS_LATCHED;
    const uint8_t *due = sim->collider->floor_due;
    bool any = false;
    int32_t some_due[LANES];
    int found = 0;
    for (int64_t k = 0; k < count; k++) {
        if (numbers == NULL) k = next_due(due, k, count);
        if (k == count) break;
        const int32_t body = numbers != NULL ? numbers[k] : (int32_t)k;
        if (due[body] == 0) continue;
        some_due[found++] = body;
        if (found < LANES) continue;
        any |= floor_some(sim, context, some_due, found, open, slight);
        found = 0;
    }
    if (found > 0) any |= floor_some(sim, context, some_due, found, open, slight);
    return any;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------- */

/* What rows add to the account. `energy`: J, what they hold now. */
static inline void book(const vxe_sim *sim, const step_context *context, contact_pack *p, int at,
                        pair_start s, pair_force f, pair_end e, contact_spring spring, contact_grip grip)
{
    const real zero = real_of(0);
    const real half = real_of(0.5);
    /* what it held half a step ago, but for voxels that have grown since */
    const real stick = half * grip.stiffness * rvec_dot(s.stick, s.stick);
    const real stored = contact_energy(s.before, spring) + stick;
    real swelling = zero;
    if (sim->model->actuated_count > 0) {
        double reach_before[LANES];
        for (int i = 0; i < LANES; i++) {
            const int32_t v = sim->collider->bodies[p->first[at + i]].voxel;
            const int32_t w = sim->collider->bodies[p->second[at + i]].voxel;
            reach_before[i] = vxe_contact_reach_of(sim, sim->growth_before[0][v], sim->growth_before[0][w]);
        }
        const real grown = load(p->reach + at) - load(reach_before);
        swelling = stored - stick - contact_energy(s.before - grown, spring);
        /* the depth from which it counts may have come down */
        swelling = real_max(swelling, zero - load(p->energy + at));
    }
    const real geometry = stored - swelling - load(p->energy + at);
    const real work =
        half * real_of(context->kick) * f.along * (s.parting + e.parting) + rvec_dot(f.drag, e.slid);
    /* where the step changes, the energy at half steps jumps, as that of links does: plain_motion.h */
    const real shift = real_of(0.25 * (context->before - context->step)) * f.along * (e.parting - s.parting);
    const real made = e.energy - stored + work - shift;
    store(p->booked[ROW_SHIFT] + at, shift);
    store(p->booked[ROW_CONTACT] + at, e.energy);
    store(p->booked[ROW_SWELLING] + at, swelling);
    store(p->booked[ROW_GAINED] + at,
          real_select(geometry > zero, geometry, zero) + real_select(made > zero, made, zero));
}

/* Returns how many press. */
static inline int close_rows(vxe_sim *sim, const step_context *context, contact_pack *p, int at,
                             unsigned lanes)
{
    collider *c = sim->collider;
    const row_bodies b = bodies_of(sim, p, at);
    follow_parts(sim, p, at, &b);
    const pair_place place = place_of(p, at);
    const pair_start start = start_of(p, at);
    const pair_force force = force_of(p, at);
    const contact_spring spring =
        spring_of(p, at, real_of(contact_edge(sim->environment.collision_distance)));
    const contact_grip grip = grip_of(p, at);
    const rvec now = pair_velocity(place, load_bodies(b.first).now, load_bodies(b.second).now);
    const pair_end end =
        pair_close(place, yield_of(p, at), start, force, now, spring, grip, times_of(context));
    if (sim->def.audit) book(sim, context, p, at, start, force, end, spring, grip);
    const rvec total = rvec_add(rvec_scale(force.along, place.normal), force.drag);
    const real zero = real_of(0);
    const unsigned stuck = lanes_of(end.stuck & (real_mask)(force.along > zero));
    const unsigned touching = lanes_of((real_mask)(start.rest > zero) | (real_mask)(force.along > zero) |
                                       (real_mask)(end.after > zero));
    double *kept[LANES];
    for (int i = 0; i < LANES; i++) kept[i] = (double *)&c->list.state[p->pair[at + i]];
    real numbers[8] = {end.stick.x, end.stick.y, end.stick.z, start.rest,
                       end.energy,  total.x,     total.y,     total.z};
    store_numbers(kept, lanes, numbers);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        contact_state *state = (contact_state *)kept[i];
        if (state->touching == 0) state->since = sim->time;
        state->stuck = (int32_t)(stuck >> i & 1U);
        state->touching = (int32_t)(touching >> i & 1U);
        for (int a = 0; context->keep && a < 3; a++) {
            sim->contact_force[a][body_at(b.first[i])->voxel] -= state->force[a];
            sim->contact_force[a][body_at(b.second[i])->voxel] += state->force[a];
        }
    }
    return __builtin_popcount(lanes & lanes_of(force.along > zero));
}

static int64_t close_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count)
{
    int64_t pressing = 0;
    for (contact_pack *p = packs; p < packs + count; p++) {
        if (p + 1 < packs + count) fetch_pack(sim, p + 1, false);
        for (int at = 0; at < PACK_ROWS; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes != 0) pressing += close_rows(sim, context, p, at, lanes);
        }
    }
    return pressing;
}

#include "backend/cpu/bound_loops.h"
#include "backend/cpu/ground_loops.h"
#include "backend/cpu/octet_loops.h"
#include "backend/cpu/outside_loops.h"

const contact_loops CONTACT_LOOPS = {
    .begin = begin_packs,
    .solve = solve_packs,
    .floor = floor_bodies,
    .close = close_packs,
    .octet = pairs_of_octet,
    .near = near_points,
    .drag = drag_on_all,
    .water = water_on_all,
    .push = push_all,
    .ground_find = find_ground,
    .ground_begin = begin_ground,
    .ground_end = end_ground,
    .operate = operate_batch,
};
