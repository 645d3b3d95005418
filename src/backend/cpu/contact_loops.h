/* Pairs of voxels that touch, and the floor under them, several at once (kernel/pair.h; sim/contact.c says
 * which and when). A translation unit chooses how many by VXE_LANES, as for the wide loops; without it, one
 * by one. Rows of a pack that are solved at once share no voxel, so the result is that of one after the
 * other. */
#include "kernel/pair.h"
#include "kernel/voxel.h"
#include "sim/collide.h"

#include <stddef.h>
#include <string.h>

#ifdef VXE_LANES
#define LANES VXE_LANES
#else
#define LANES 1
#endif

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
    contact_body *first[LANES], *second[LANES];
    const double *first_numbers[LANES], *second_numbers[LANES];
} row_bodies;

static inline row_bodies bodies_of(const vxe_sim *sim, const contact_pack *p, int at)
{
    row_bodies b;
    for (int i = 0; i < LANES; i++) {
        b.first[i] = &sim->collider->bodies[p->first[at + i]];
        b.second[i] = &sim->collider->bodies[p->second[at + i]];
        b.first_numbers[i] = (const double *)b.first[i];
        b.second_numbers[i] = (const double *)b.second[i];
    }
    return b;
}

static inline pair_motion motion_of(const double *const *bodies, size_t k)
{
    return (pair_motion){gather_vec(bodies, k), gather_vec(bodies, k + 3)};
}

/* Rigid parts move their voxels. */
static inline void follow_parts(const vxe_sim *sim, const contact_pack *p, int at, const row_bodies *b)
{
    for (unsigned left = some(p->special, at); left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        (void)vxe_body_now(sim, b->first[i]);
        (void)vxe_body_now(sim, b->second[i]);
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

/* A change of forces acts on the voxels of some lanes, which had the motion given. */
static inline void push(const vxe_sim *sim, const contact_pack *p, int at, unsigned lanes,
                        const row_bodies *b, pair_place place, pair_force change, pair_times t,
                        pair_motion first, pair_motion second)
{
    const rvec impulse = pair_impulse(place, change, t);
    const rvec turn = rvec_cross(place.normal, impulse);
    const rvec impulse1 = rvec_scale(real_of(-1), impulse);
    const rvec turn1 = rvec_scale(-place.arm1, turn);
    const rvec turn2 = rvec_scale(-place.arm2, turn);
    const unsigned special = some(p->special, at) & lanes;
    const real mass1 = gather(b->first_numbers, NUMBER(contact_body, inverse_mass));
    const real mass2 = gather(b->second_numbers, NUMBER(contact_body, inverse_mass));
    const real inertia1 = gather(b->first_numbers, NUMBER(contact_body, inverse_inertia));
    const real inertia2 = gather(b->second_numbers, NUMBER(contact_body, inverse_inertia));
    const rvec ends[4] = {rvec_add(first.velocity, rvec_scale(mass1, impulse1)),
                          rvec_add(first.spin, rvec_scale(inertia1, turn1)),
                          rvec_add(second.velocity, rvec_scale(mass2, impulse)),
                          rvec_add(second.spin, rvec_scale(inertia2, turn2))};
    double now[12][LANES];
    for (int k = 0; k < 4; k++) {
        store(now[3 * k], ends[k].x);
        store(now[3 * k + 1], ends[k].y);
        store(now[3 * k + 2], ends[k].z);
    }
    for (unsigned left = lanes & ~special; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (int d = 0; d < 6; d++) {
            b->first[i]->now[d] = now[d][i];
            b->second[i]->now[d] = now[d + 6][i];
        }
    }
    if (special == 0) return;
    const rvec parts[4] = {impulse1, turn1, impulse, turn2};
    for (int k = 0; k < 4; k++) {
        store(now[3 * k], parts[k].x);
        store(now[3 * k + 1], parts[k].y);
        store(now[3 * k + 2], parts[k].z);
    }
    for (unsigned left = special; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        vxe_push_body(sim, b->first[i], vec3_make(now[0][i], now[1][i], now[2][i]),
                      vec3_make(now[3][i], now[4][i], now[5][i]));
        vxe_push_body(sim, b->second[i], vec3_make(now[6][i], now[7][i], now[8][i]),
                      vec3_make(now[9][i], now[10][i], now[11][i]));
    }
}

/* ---- the beginning ---------------------------------------------------------------------------------------------------------- */

/* Where rows are, how far in they were half a step ago, the forces of the last step. */
static inline void place_rows(vxe_sim *sim, const step_context *context, contact_pack *p, int at)
{
    const collider *c = sim->collider;
    const row_bodies b = bodies_of(sim, p, at);
    const pair_times t = times_of(context);
    const double *touch[LANES];
    const double *constants[LANES];
    const double *state[LANES];
    double growth1[LANES];
    double growth2[LANES];
    pair_constants own[LANES];
    unsigned touching = 0;
    unsigned stuck = 0;
    for (int i = 0; i < LANES; i++) {
        const touching_pair *pair = &c->touching_pairs[p->touch[at + i]];
        const contact_state *s = &c->list.state[p->pair[at + i]];
        touch[i] = pair->offset;
        state[i] = (const double *)s;
        touching |= (unsigned)(s->touching != 0) << i;
        stuck |= (unsigned)(s->stuck != 0) << i;
        growth1[i] = sim->growth[0][pair->first];
        growth2[i] = sim->growth[0][pair->second];
        constants[i] = (const double *)vxe_pair_constants(sim, pair->first, pair->second, &own[i]);
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
    store(p->stiffness + at, gather(constants, NUMBER(pair_constants, stiffness)));
    store(p->still + at, gather(constants, NUMBER(pair_constants, still)));
    store(p->slides + at, gather(constants, NUMBER(pair_constants, sliding)));

    const rvec n = place.normal;
    const real free = n.x * n.x + n.y * n.y + n.z * n.z;
    const real mass1 = gather(b.first_numbers, NUMBER(contact_body, inverse_mass));
    const real mass2 = gather(b.second_numbers, NUMBER(contact_body, inverse_mass));
    const real inertia1 = gather(b.first_numbers, NUMBER(contact_body, inverse_inertia));
    const real inertia2 = gather(b.second_numbers, NUMBER(contact_body, inverse_inertia));
    store(p->mobility + at, free * mass1 + free * mass2);
    store(p->mobility_across + at,
          (mass1 + place.arm1 * place.arm1 * inertia1) + (mass2 + place.arm2 * place.arm2 * inertia2));
    for (unsigned left = some(p->special, at); left != 0; left &= left - 1)
        vxe_row_mobility(sim, p, at + __builtin_ctz(left));
    const real damping = gather(constants, NUMBER(pair_constants, damping));
    store(p->damp + at, contact_damp(damping, load(p->mobility + at), t.kick));
    store(p->damp_across + at,
          contact_damp(real_of(CONTACT_TANGENT) * damping, load(p->mobility_across + at), t.kick));

    const pair_memory memory = {.stick = gather_vec(state, NUMBER(contact_state, stick)),
                                .force = gather_vec(state, NUMBER(contact_state, force)),
                                .rest = gather(state, NUMBER(contact_state, rest)),
                                .stuck = mask_of(stuck),
                                .touching = mask_of(touching)};
    const rvec before = pair_velocity(place, motion_of(b.first_numbers, NUMBER(contact_body, before)),
                                      motion_of(b.second_numbers, NUMBER(contact_body, before)));
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
    for (int i = 0; i < LANES; i++) p->stuck[at + i] = -(int64_t)(stuck >> i & 1U);
    store(p->force + at, last.along);
    store_vec(p->drag, at, last.drag);
}

static double begin_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count)
{
    double largest = 0.0;
    for (contact_pack *p = packs; p < packs + count; p++) {
        for (int at = 0; at < PACK_ROWS; at += LANES) {
            if (some(p->used, at) != 0) place_rows(sim, context, p, at);
        }
        unsigned presses = 0;
        for (int i = 0; i < PACK_ROWS; i++) {
            if ((p->used >> i & 1) == 0 || !(p->force[i] > 0.0)) continue;
            presses |= 1U << i;
            if (p->force[i] > largest) largest = p->force[i];
        }
        for (unsigned left = p->used; left != 0;) {
            const unsigned run = next_run(p, left);
            left &= ~run;
            for (int at = 0; at < PACK_ROWS; at += LANES) {
                const unsigned lanes = some(run & presses, at);
                if (lanes == 0) continue;
                const row_bodies b = bodies_of(sim, p, at);
                push(sim, p, at, lanes, &b, place_of(p, at), force_of(p, at), times_of(context),
                     motion_of(b.first_numbers, NUMBER(contact_body, now)),
                     motion_of(b.second_numbers, NUMBER(contact_body, now)));
            }
        }
    }
    return largest;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------------------- */

/* Solves the rows of some lanes with what the others do now. Returns those whose forces have changed by more
 * than `slight`, N. */
static inline unsigned solve_rows(vxe_sim *sim, pair_times t, contact_pack *p, int at, unsigned lanes,
                                  double slight, real *largest)
{
    const row_bodies b = bodies_of(sim, p, at);
    follow_parts(sim, p, at, &b);
    const pair_motion first = motion_of(b.first_numbers, NUMBER(contact_body, now));
    const pair_motion second = motion_of(b.second_numbers, NUMBER(contact_body, now));
    const pair_place place = place_of(p, at);
    const pair_force before = force_of(p, at);
    const real edge = real_of(contact_edge(sim->environment.collision_distance));
    const pair_force after =
        pair_solve(place, yield_of(p, at), start_of(p, at), before, pair_velocity(place, first, second),
                   spring_of(p, at, edge), grip_of(p, at), t);
    const pair_force change = {after.along - before.along, rvec_sub(after.drag, before.drag)};
    const real size = real_sqrt(change.along * change.along + rvec_dot(change.drag, change.drag));
    const real_mask mask = mask_of(lanes);
    store(p->force + at, real_select(mask, after.along, before.along));
    store_vec(p->drag, at, select_vec(mask, after.drag, before.drag));
    *largest = real_select(mask & (real_mask)(after.along > *largest), after.along, *largest);
    push(sim, p, at, lanes, &b, place, change, t, first, second);
    return lanes & lanes_of(size > real_of(slight));
}

/* Rows of a run whose voxels others have changed since they were solved. */
static inline unsigned due_of(const collider *c, const contact_pack *p, unsigned run)
{
    unsigned due = 0;
    for (unsigned left = run; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const bool same = p->seen[0][i] == c->body_watches[p->first[i]].changes &&
                          p->seen[1][i] == c->body_watches[p->second[i]].changes;
        due |= (unsigned)!same << i;
    }
    return due;
}

static bool solve_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count,
                        bool all, double slight, double *largest)
{
    const collider *c = sim->collider;
    const pair_times t = times_of(context);
    real most = real_of(*largest);
    bool any = false;
    for (contact_pack *p = packs; p < packs + count; p++) {
        for (unsigned left = p->used; left != 0;) {
            const unsigned run = next_run(p, left);
            left &= ~run;
            const unsigned due = all ? run : due_of(c, p, run);
            if (due == 0) continue;
            unsigned changed = 0;
            for (int at = 0; at < PACK_ROWS; at += LANES) {
                const unsigned lanes = some(due, at);
                if (lanes != 0) changed |= solve_rows(sim, t, p, at, lanes, slight, &most) << at;
            }
            any |= changed != 0;
            for (unsigned rest = all ? 0 : due; rest != 0; rest &= rest - 1) {
                const int i = __builtin_ctz(rest);
                const int step = (int)(changed >> i & 1U);
                body_watch *first = &c->body_watches[p->first[i]];
                body_watch *second = &c->body_watches[p->second[i]];
                first->changes += step;
                second->changes += step;
                /* of rigid parts nobody knows whether others have moved them */
                const bool rigid = (p->special >> i & 1) != 0 &&
                                   (c->bodies[p->first[i]].rigid | c->bodies[p->second[i]].rigid) != 0;
                p->seen[0][i] = rigid ? -1 : first->changes;
                p->seen[1][i] = second->changes;
            }
        }
    }
    *largest = largest_of(most);
    return any;
}

/* ---- the floor -------------------------------------------------------------------------------------------------------------- */

/* The floor under some voxels. Returns the lanes whose motion it has changed by more than `slight`, N. */
static inline unsigned floor_lanes(vxe_sim *sim, const step_context *context, contact_body *const *bodies,
                                   unsigned lanes, double slight)
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
    const rvec free = rvec_sub(now, own);
    const rvec load_on = rvec_scale(mass / kick, rvec_sub(free, before));
    const rvec to =
        voxel_on_floor(before, rvec_scale(voxel_keep(k.ground_rate, kick), free), load_on,
                       gather(numbers, NUMBER(contact_body, depth)), mask_of(stuck), mask_of(fresh), k, times)
            .velocity;
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
    store(part[0], to.x - free.x);
    store(part[1], to.y - free.y);
    store(part[2], to.z - free.z);
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

static bool floor_bodies(vxe_sim *sim, const step_context *context, const int32_t *numbers, int32_t count,
                         double slight)
{
    const collider *c = sim->collider;
    bool any = false;
    contact_body *bodies[LANES];
    body_watch *watches[LANES];
    int due = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = numbers != NULL ? numbers[k] : k;
        body_watch *watch = &c->body_watches[i];
        if (watch->floor != watch->changes && watch->floor != FLOOR_FAR) {
            bodies[due] = &c->bodies[i];
            watches[due++] = watch;
        }
        if (due < LANES && (k + 1 < count || due == 0)) continue;
        for (int lane = due; lane < LANES; lane++) bodies[lane] = bodies[0];
        const unsigned changed = floor_lanes(sim, context, bodies, (1U << due) - 1U, slight);
        any |= changed != 0;
        for (int lane = 0; lane < due; lane++) {
            watches[lane]->changes += (int)(changed >> lane & 1U);
            watches[lane]->floor = bodies[lane]->rigid != 0 ? -1 : watches[lane]->changes;
        }
        due = 0;
    }
    return any;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------- */

/* What rows add to the account. `energy`: J, what they hold now. */
static inline void book(const vxe_sim *sim, const step_context *context, contact_pack *p, int at,
                        pair_start s, pair_force f, pair_end e, contact_spring spring, contact_grip grip)
{
    const real zero = real_of(0);
    const real half = real_of(0.5);
    double energies[LANES];
    double reach_before[LANES];
    for (int i = 0; i < LANES; i++) {
        const int32_t v = sim->collider->bodies[p->first[at + i]].voxel;
        const int32_t w = sim->collider->bodies[p->second[at + i]].voxel;
        energies[i] = sim->collider->list.state[p->pair[at + i]].energy;
        reach_before[i] = vxe_contact_reach_of(sim, sim->growth_before[0][v], sim->growth_before[0][w]);
    }
    /* what it held half a step ago, but for voxels that have grown since */
    const real stick = half * grip.stiffness * rvec_dot(s.stick, s.stick);
    const real stored = contact_energy(s.before, spring) + stick;
    real swelling = zero;
    if (sim->model->actuated_count > 0) {
        const real grown = load(p->reach + at) - load(reach_before);
        swelling = stored - stick - contact_energy(s.before - grown, spring);
    }
    const real geometry = stored - swelling - load(energies);
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

static inline void close_rows(vxe_sim *sim, const step_context *context, contact_pack *p, int at,
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
    const rvec now = pair_velocity(place, motion_of(b.first_numbers, NUMBER(contact_body, now)),
                                   motion_of(b.second_numbers, NUMBER(contact_body, now)));
    const pair_end end =
        pair_close(place, yield_of(p, at), start, force, now, spring, grip, times_of(context));
    if (sim->def.audit) book(sim, context, p, at, start, force, end, spring, grip);
    const rvec total = rvec_add(rvec_scale(force.along, place.normal), force.drag);
    const real zero = real_of(0);
    const unsigned stuck = lanes_of(end.stuck & (real_mask)(force.along > zero));
    const unsigned touching = lanes_of((real_mask)(start.rest > zero) | (real_mask)(force.along > zero) |
                                       (real_mask)(end.after > zero));
    double stick[3][LANES];
    double forces[3][LANES];
    double energy[LANES];
    store(stick[0], end.stick.x);
    store(stick[1], end.stick.y);
    store(stick[2], end.stick.z);
    store(forces[0], total.x);
    store(forces[1], total.y);
    store(forces[2], total.z);
    store(energy, end.energy);
    for (unsigned left = lanes; left != 0; left &= left - 1) {
        const int i = __builtin_ctz(left);
        contact_state *state = &c->list.state[p->pair[at + i]];
        for (int a = 0; context->keep && a < 3; a++) {
            sim->contact_force[a][b.first[i]->voxel] -= forces[a][i];
            sim->contact_force[a][b.second[i]->voxel] += forces[a][i];
        }
        *state = (contact_state){{stick[0][i], stick[1][i], stick[2][i]},
                                 p->rest[at + i],
                                 energy[i],
                                 {forces[0][i], forces[1][i], forces[2][i]},
                                 (int32_t)(stuck >> i & 1U),
                                 (int32_t)(touching >> i & 1U),
                                 state->touching != 0 ? state->since : sim->time};
    }
}

static int64_t close_packs(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count)
{
    int64_t pressing = 0;
    for (contact_pack *p = packs; p < packs + count; p++) {
        for (int at = 0; at < PACK_ROWS; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes != 0) close_rows(sim, context, p, at, lanes);
        }
        for (int i = 0; i < PACK_ROWS; i++) pressing += (p->used >> i & 1) != 0 && p->force[i] > 0.0;
    }
    return pressing;
}

const contact_loops CONTACT_LOOPS = {begin_packs, solve_packs, floor_bodies, close_packs};
