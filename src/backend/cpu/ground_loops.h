/* Voxels that meet one surface of ground or solids and nothing else (sim/ground.h), side by side where they
 * lie in memory, as many at once as the loops over contacts have lanes. Part of contact_loops.h. */
#include "backend/cpu/inline.h"
#include "kernel/ground.h"
#include "kernel/patch.h"
#include "sim/ground.h"

/* ---- small numbers of lanes ------------------------------------------------------------------------------------------------- */

#if LANES == 1
ALWAYS real load_float(const float *a) { return (double)*a; }
ALWAYS void store_float(float *a, real r) { *a = (float)r; }
typedef uint32_t lane_places;
typedef uint8_t lane_latches;
ALWAYS real_mask mask_of_places(lane_places mask) { return (int)mask; }
ALWAYS lane_places places_of_mask(real_mask mask) { return (lane_places)-mask; }
ALWAYS real_mask latched(lane_latches latch, uint8_t how) { return latch == how; }
ALWAYS lane_latches latches_of_mask(real_mask mask) { return (lane_latches)-mask; }
#else
typedef float lane_floats __attribute__((vector_size(LANES * sizeof(float))));
ALWAYS real load_float(const float *a)
{
    lane_floats r;
    memcpy(&r, a, sizeof r);
    return __builtin_convertvector(r, real);
}
ALWAYS void store_float(float *a, real r)
{
    const lane_floats to = __builtin_convertvector(r, lane_floats);
    memcpy(a, &to, sizeof to);
}
typedef uint32_t lane_places __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef int32_t lane_places_mask __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef uint8_t lane_latches __attribute__((vector_size(LANES)));
ALWAYS real_mask mask_of_places(lane_places_mask mask) { return __builtin_convertvector(mask, real_mask); }
ALWAYS lane_places places_of_mask(real_mask mask)
{
    return (lane_places) __builtin_convertvector(mask, lane_places_mask);
}
ALWAYS real_mask latched(lane_latches latch, uint8_t how)
{
    return __builtin_convertvector(latch, real_mask) == (int64_t)how;
}
ALWAYS lane_latches latches_of_mask(real_mask mask) { return __builtin_convertvector(mask, lane_latches); }
#endif
ALWAYS lane_places load_places(const uint32_t *a)
{
    lane_places r;
    memcpy(&r, a, sizeof r);
    return r;
}
ALWAYS void store_places(uint32_t *a, lane_places r) { memcpy(a, &r, sizeof r); }
ALWAYS lane_latches load_latches(const uint8_t *a)
{
    lane_latches r;
    memcpy(&r, a, sizeof r);
    return r;
}
ALWAYS void store_latches(uint8_t *a, lane_latches r) { memcpy(a, &r, sizeof r); }

/* ---- what all of them have in common ----------------------------------------------------------------------------------------- */

/* Of a step. */
typedef struct ground_step {
    floor_step times;
    real half_pitch, per_pitch;     /* m, 1/m */
    bool grows;                     /* voxels do */
    bool single;                    /* velocities are floats: */
    float *velocity[3], *before[3]; /* these */
} ground_step;

ALWAYS ground_step ground_step_of(const vxe_sim *sim, const step_context *context)
{
    const double l = sim->model->view.pitch;
    ground_step g = {.times = {real_of(0.5 * context->before), real_of(0.5 * context->step),
                               real_of(context->kick), real_of(l), real_of(1)},
                     .half_pitch = real_of(0.5 * l),
                     .per_pitch = real_of(1.0 / l),
                     .grows = sim->model->actuated_count > 0,
                     .single = sim->host.velocities != NULL};
    if (g.single) sim->host.velocities(sim, g.velocity, g.before);
    return g;
}

/* Of an array, component by component. */
ALWAYS rvec load_doubles(double *const a[3], int32_t v)
{
    return (rvec){load(a[0] + v), load(a[1] + v), load(a[2] + v)};
}
ALWAYS void store_doubles(double *const a[3], int32_t v, rvec r)
{
    store(a[0] + v, r.x);
    store(a[1] + v, r.y);
    store(a[2] + v, r.z);
}
ALWAYS rvec load_floats(float *const a[3], int32_t v)
{
    return (rvec){load_float(a[0] + v), load_float(a[1] + v), load_float(a[2] + v)};
}
ALWAYS void store_floats(float *const a[3], int32_t v, rvec r)
{
    store_float(a[0] + v, r.x);
    store_float(a[1] + v, r.y);
    store_float(a[2] + v, r.z);
}

/* Velocities before the step, and as far as they have come. */
ALWAYS rvec velocity_before(const vxe_sim *sim, const ground_step *g, int32_t v)
{
    return g->single ? load_floats(g->before, v) : load_doubles(sim->velocity_before, v);
}
ALWAYS rvec velocity_now(const vxe_sim *sim, const ground_step *g, int32_t v)
{
    return g->single ? load_floats(g->velocity, v) : load_doubles(sim->velocity, v);
}
/* Those of lanes that are not `used` stay. */
ALWAYS void change_velocity(const vxe_sim *sim, const ground_step *g, int32_t v, real_mask used, rvec from,
                            rvec to)
{
    const rvec now = select_vec(used, to, from);
    if (g->single) {
        store_floats(g->velocity, v, now);
    } else {
        store_doubles(sim->velocity, v, now);
    }
}

/* m: from the middle of voxels to their surface. */
ALWAYS real half_sizes(const vxe_sim *sim, real half_pitch, int32_t v)
{
    return half_pitch * (real_of(1) + load(sim->growth[0] + v));
}

/* ---- who touches ------------------------------------------------------------------------------------------------------------- */

/* Voxels that have not left their cells, where the ground is even enough (world_cell): they touch it, which
 * is returned, or it is known when they are due. `unsure`: it must be looked for others. */
ALWAYS unsigned find_in_cells(const vxe_sim *sim, const ground_search *s, ground_pack *p,
                              const ground_cells *cells, int at, unsigned lanes, unsigned *unsure)
{
    const ground_contacts *g = sim->ground;
    const real zero = real_of(0);
    const real one = real_of(1);
    const real side = real_of(s->side);
    const int32_t v = p->first + at;
    const surface_patch patch = {load(cells->corner + at), load(cells->along_x + at),
                                 load(cells->along_y + at), load(cells->twist + at), side};
    const real x = patch_bring_near(real_of(s->per) * (load(sim->position[0] + v) - real_of(s->origin[0])),
                                    s->points[0]);
    const real y = patch_bring_near(real_of(s->per) * (load(sim->position[1] + v) - real_of(s->origin[1])),
                                    s->points[1]);
    const real z = load(sim->position[2] + v) - real_of(s->origin[2]);
    const rvec own = {side * (x - load(cells->number[0] + at)), side * (y - load(cells->number[1] + at)), z};
    const patch_place place = surface_patch_nearest(&patch, own);
    const patch_point point = surface_patch_point(&patch, &place, own, (real_mask)(zero > one));
    const real reach = half_sizes(sim, real_of(s->half), v) + real_of(s->margin);
    const real far = real_max(reach, point.distance);
    const real bends = far * load(cells->bends + at);
    const real folds = far * load(cells->folds + at);
    const real low = (one - bends) * real_min(place.x, place.y);
    const real high = (one - bends) * (side - real_max(place.x, place.y));
    const real alone = load(cells->alone + at);
    const real_mask sure = (real_mask)(bends < real_of(0.25)) & (real_mask)(far < load(cells->level + at)) &
                           (real_mask)(low > folds + load(cells->low + at)) &
                           (real_mask)(high > folds + load(cells->high + at)) &
                           (real_mask)(real_max(own.x, own.y) < load(cells->end + at)) &
                           (real_mask)(own.z - place.height > real_of(1e-6) * side) &
                           (real_mask)(real_of(g->way) < alone);
    const unsigned known = lanes & lanes_of(sure);
    const unsigned hit = known & lanes_of(point.distance < reach);
    *unsure = lanes & ~known;
    store_vec(p->normal, at, point.normal);
    store(p->distance + at, point.distance);
    store_places(p->place + at, load_places(cells->place + at));
    if ((known & ~hit) != 0) {
        const real due = real_of(g->way) + real_of(0.999) * (point.distance - real_of(s->largest));
        const real before = load(g->due + v);
        store(g->due + v, real_select(mask_of(known & ~hit), real_min(due, alone), before));
    }
    return hit;
}

/* Which of the voxels of a block are near. */
ALWAYS unsigned due_of(const ground_contacts *g, int32_t v)
{
    return lanes_of((real_mask)((real_mask)(load(g->due + v) > real_of(g->way)) == 0));
}

static void find_ground(vxe_sim *sim, const ground_search *s)
{
    ground_contacts *g = sim->ground;
    for (int32_t k = 0; k < g->near_count; k++) {
        const int32_t block = g->near[k];
        ground_pack *p = &g->packs[g->pack_count];
        unsigned due = 0;
        unsigned unsure = 0;
        unsigned hit = 0;
        p->first = block * GROUND_BLOCK;
        for (int at = 0; at < GROUND_BLOCK; at += LANES) due |= due_of(g, p->first + at) << at;
        unsigned elsewhere = s->packs ? 0 : due;
        if (s->paired != NULL)
            elsewhere |= due & (unsigned)(s->paired[p->first / 64] >> (p->first % 64) & 0xff);
        for (int at = 0; at < GROUND_BLOCK; at += LANES) {
            const unsigned lanes = some(due & ~elsewhere, at);
            unsigned left = 0;
            if (lanes == 0) continue;
            hit |= find_in_cells(sim, s, p, &g->cells[block], at, lanes, &left) << at;
            unsure |= left << at;
        }
        p->used = (uint8_t)hit;
        p->solid = 0;
        for (unsigned left = unsure | elsewhere; left != 0; left &= left - 1)
            vxe_ground_look(sim, s, p, p->first + __builtin_ctz(left));
        if (p->used != 0) g->pack_count++;
    }
}

/* ---- the contact ------------------------------------------------------------------------------------------------------------- */

/* What materials make of contacts of some lanes; those without one are like the first that has one. */
typedef struct ground_lane_kinds {
    voxel_constants constants;
    floor_terms terms;
} ground_lane_kinds;

ALWAYS ground_lane_kinds alike_lanes(const ground_kind *k)
{
    return (ground_lane_kinds){
        {.inverse_mass = real_of(k->inverse_mass),
         .floor_stiffness = real_of(k->stiffness),
         .static_friction = real_of(k->still),
         .dynamic_friction = real_of(k->sliding)},
        {real_of(k->damp), real_of(k->damped), real_of(k->mobility), real_of(k->momentum)}};
}

static __attribute__((noinline)) void mixed_lanes(const vxe_sim *sim, const ground_pack *p, int at,
                                                  unsigned lanes, ground_lane_kinds *to)
{
    const double *kinds[LANES];
    const ground_kind *of = sim->ground->kinds;
    const int32_t any = sim->model->material[p->first + at + __builtin_ctz(lanes)];
    bool same = p->solid == 0;
    for (int i = 0; i < LANES; i++) {
        const int32_t own = (lanes >> i & 1U) != 0 ? sim->model->material[p->first + at + i] : any;
        kinds[i] = (const double *)&of[own];
        same &= own == any;
    }
    if (same) {
        *to = alike_lanes(&of[any]);
        return;
    }
    real n[8];
    load_numbers(kinds, 0, 8, n);
    *to = (ground_lane_kinds){{.inverse_mass = n[NUMBER(ground_kind, inverse_mass)],
                               .floor_stiffness = n[NUMBER(ground_kind, stiffness)],
                               .static_friction = n[NUMBER(ground_kind, still)],
                               .dynamic_friction = n[NUMBER(ground_kind, sliding)]},
                              {n[NUMBER(ground_kind, damp)], n[NUMBER(ground_kind, damped)],
                               n[NUMBER(ground_kind, mobility)], n[NUMBER(ground_kind, momentum)]}};
    const unsigned solid = some(p->solid, at);
    if (solid == 0) return;
    voxel_constants *c = &to->constants;
    c->static_friction = real_select(mask_of(solid), load(p->still + at), c->static_friction);
    c->dynamic_friction = real_select(mask_of(solid), load(p->sliding + at), c->dynamic_friction);
}

ALWAYS ground_lane_kinds kinds_of(const vxe_sim *sim, const ground_pack *p, int at, unsigned lanes)
{
    _Static_assert(sizeof(ground_kind) == 8 * sizeof(double), "load_numbers() has eight");
    if (sim->model->constant_count == 1 && p->solid == 0) return alike_lanes(&sim->ground->kinds[1]);
    ground_lane_kinds k;
    mixed_lanes(sim, p, at, lanes, &k);
    return k;
}

/* Lanes of a pack: what they are, and what becomes of them. */
typedef struct ground_lanes {
    ground_frame frame;
    rvec before, now, force;
    real depth;
    lane_latches latches;
} ground_lanes;

/* As vxe_ground_solve() does, from the force there was. Returns what the floor's law says. */
ALWAYS floor_contact solve_ground(const ground_step *g, const ground_lane_kinds *k, ground_lanes *l)
{
    const real kick = g->times.kick;
    const real mobility = k->constants.inverse_mass;
    const rvec own = rvec_scale(kick, rvec_scale(mobility, l->force));
    const rvec free = ground_into(l->frame, rvec_sub(l->now, own));
    const real_mask fresh = latched(l->latches, STUCK_FRESH);
    const real_mask stuck = (real_mask)(latched(l->latches, 0) == 0);
    const floor_contact contact = ground_contact(ground_into(l->frame, l->before), free, l->depth, stuck,
                                                 fresh, k->constants, g->times, k->terms);
    const rvec force = ground_out_of(l->frame, contact.force);
    const rvec impulse = rvec_scale(kick, rvec_sub(force, l->force));
    l->force = force;
    l->now = rvec_add(l->now, rvec_scale(mobility, impulse));
    return contact;
}

/* The depth from which some lanes count, with what they take over; and latches. As vxe_ground_begin() does.
 */
ALWAYS real begin_depth(vxe_sim *sim, const step_context *context, const ground_step *g, ground_pack *p,
                        int at, unsigned lanes, rvec before, real size, real half)
{
    const real zero = real_of(0);
    const int32_t v = p->first + at;
    const real twice = g->times.half_before + g->times.half_before;
    const real steady = ground_steady(twice * twice * rvec_dot(before, before), g->times.pitch, g->per_pitch);
    const lane_places touched = load_places(sim->touch_place[0] + v);
    const lane_places others = load_places(sim->touch_place[1] + v) | load_places(sim->touch_place[2] + v);
    const real_mask known = mask_of_places(touched != 0);
    const real_mask strange =
        (known & mask_of_places(touched != load_places(p->place + at))) | mask_of_places(others != 0);
    const real came = size - load(sim->touch_distance[0] + v);
    const real rest = ground_jumped(load(sim->touch_rest[0] + v), half, came, steady);
    const real counts = real_select(known, rest, real_of(-1));
    store(p->held + at, real_select(known, load(sim->touch_energy[0] + v), zero));
    store_latches(p->stuck + at, load_latches(sim->touch_stuck[0] + v) & latches_of_mask(known));
    if (!real_any(strange)) return counts;
    store(p->rest + at, counts);
    store(p->half + at, half);
    store_vec(p->before, at, before);
    for (unsigned left = lanes & lanes_of(strange); left != 0; left &= left - 1)
        vxe_ground_inherit(sim, context, p, at + __builtin_ctz(left));
    return load(p->rest + at);
}

ALWAYS void begin_lanes(vxe_sim *sim, const step_context *context, const ground_step *g, ground_pack *p,
                        int at, unsigned lanes, const bool guess)
{
    const real zero = real_of(0);
    ground_lanes l = {.frame = ground_frame_of(load_vec(p->normal, at)),
                      .before = velocity_before(sim, g, p->first + at),
                      .force = {zero, zero, zero}};
    const real size = half_sizes(sim, g->half_pitch, p->first + at);
    const real depth = size - load(p->distance + at);
    const real half = depth + g->times.half_before * rvec_dot(l.before, l.frame.normal);
    const real rest =
        ground_counts_from(begin_depth(sim, context, g, p, at, lanes, l.before, size, half), half);
    l.depth = depth - rest;
    store_vec(p->side, at, l.frame.side);
    store(p->rest + at, rest);
    store(p->depth + at, l.depth);
    store(p->half + at, half - rest);
    if (guess) {
        const rvec now = velocity_now(sim, g, p->first + at);
        const ground_lane_kinds kinds = kinds_of(sim, p, at, lanes);
        l.now = now;
        l.latches = load_latches(p->stuck + at);
        const floor_contact contact = solve_ground(g, &kinds, &l);
        store_latches(p->stuck + at, l.latches & ~latches_of_mask(contact.slips));
        change_velocity(sim, g, p->first + at, mask_of(lanes), now, l.now);
    }
    store_vec(p->force, at, l.force);
}

static void begin_ground(vxe_sim *sim, const step_context *context, bool guess)
{
    const ground_contacts *g = sim->ground;
    const ground_step step = ground_step_of(sim, context);
    for (ground_pack *p = g->packs; p < g->packs + g->pack_count; p++) {
        for (int at = 0; at < GROUND_BLOCK; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes == 0) continue;
            if (guess) {
                begin_lanes(sim, context, &step, p, at, lanes, true);
            } else {
                begin_lanes(sim, context, &step, p, at, lanes, false);
            }
        }
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------------------- */

/* Sums over packs, lane by lane, as trees: of 2^k packs each, where bit k of the count is set. */
typedef struct ground_sum {
    row_numbers part[32];
} ground_sum;

/* Of pack number `k`. */
ALWAYS void add_pack(ground_sum *s, uint32_t k, int at, real x)
{
    int level = 0;
    for (; (k & 1) != 0; k >>= 1) x = load(s->part[level++] + at) + x;
    store(s->part[level] + at, x);
}
static double total_of_packs(const ground_sum *s, uint32_t count)
{
    double sum[2 * GROUND_BLOCK] = {0.0};
    int level = 0;
    for (; count != 0; count >>= 1, level++) {
        for (int i = 0; (count & 1) != 0 && i < GROUND_BLOCK; i++) sum[i] = s->part[level][i] + sum[i];
    }
    return sum_leaves(sum) + 0.0;
}

typedef struct ground_sums {
    ground_sum of[GROUND_TERMS];
} ground_sums;

/* Whether a term is wanted in this step. */
ALWAYS bool is_booked(const vxe_sim *sim, const step_context *context, ground_term term)
{
    if (term == GROUND_GAINED) return sim->def.audit;
    return sim->def.audit && (term == GROUND_SWELLING ? sim->model->actuated_count > 0 : context->measure);
}

/* What some lanes of pack `k` add to the account. `energy`: J, in their springs. */
ALWAYS void book_lanes(const vxe_sim *sim, const step_context *context, ground_sums *sums, uint32_t k, int at,
                       real_mask used, ground_account a, real energy)
{
    const real zero = real_of(0);
    const real terms[GROUND_TERMS] = {[GROUND_GAINED] = a.gained,
                                      [GROUND_SWELLING] = a.swelling,
                                      [GROUND_SHIFT] = a.shift,
                                      [GROUND_CONTACT] = energy};
    for (int i = 0; i < GROUND_TERMS; i++) {
        if (is_booked(sim, context, (ground_term)i))
            add_pack(&sums->of[i], k, at, real_select(used, terms[i], zero));
    }
}

/* No lanes are used: nothing is left of what they touched. */
static void leave_lanes(const vxe_sim *sim, const step_context *context, const ground_pack *p,
                        ground_sums *sums, uint32_t k, int at)
{
    const int32_t v = p->first + at;
    const real zero = real_of(0);
    const lane_places nowhere = {0};
    const lane_latches open = {0};
    store_places(sim->touch_place[0] + v, nowhere);
    store_latches(sim->touch_stuck[0] + v, open);
    store(sim->touch_rest[0] + v, zero);
    store(sim->touch_energy[0] + v, zero);
    store(sim->touch_distance[0] + v, zero);
    book_lanes(sim, context, sums, k, at, mask_of(0), (ground_account){zero, zero, zero}, zero);
}

/* Contact forces, where somebody will ask for them. */
static void show_force(const vxe_sim *sim, int32_t v, unsigned lanes, rvec force)
{
    double parts[3][LANES];
    store(parts[0], force.x);
    store(parts[1], force.y);
    store(parts[2], force.z);
    for (; lanes != 0; lanes &= lanes - 1) {
        const int i = __builtin_ctz(lanes);
        for (int a = 0; a < 3; a++) sim->contact_force[a][v + i] += parts[a][i];
    }
}

/* The forces of pack `k`, and what is left behind. Returns the lanes whose force has changed by more than
 * `slight`, N. */
ALWAYS unsigned end_lanes(vxe_sim *sim, const step_context *context, const ground_step *g, uint32_t k, int at,
                          unsigned lanes, double slight, ground_sums *sums, real *largest)
{
    ground_pack *p = &sim->ground->packs[k];
    const real zero = real_of(0);
    const int32_t v = p->first + at;
    const real_mask used = mask_of(lanes);
    const rvec now = velocity_now(sim, g, p->first + at);
    const rvec force = load_vec(p->force, at);
    const ground_lane_kinds kinds = kinds_of(sim, p, at, lanes);
    ground_lanes l = {.frame = ground_frame_beside(load_vec(p->normal, at), load_vec(p->side, at)),
                      .before = velocity_before(sim, g, p->first + at),
                      .now = now,
                      .force = force,
                      .depth = load(p->depth + at),
                      .latches = load_latches(p->stuck + at)};
    const floor_contact contact = solve_ground(g, &kinds, &l);
    change_velocity(sim, g, v, used, now, l.now);
    const real is = rvec_dot(l.now, l.frame.normal);
    const real after = l.depth - g->times.half_after * is;
    const real normal = rvec_dot(l.force, l.frame.normal);
    const real rest = load(p->rest + at);
    const real size = half_sizes(sim, g->half_pitch, v);
    const contact_spring spring = floor_spring(kinds.constants.floor_stiffness, g->times.pitch);
    const real energy = contact_energy(after, spring);
    const real_mask presses = used & (real_mask)(normal > zero);
    const real_mask touches = used & ((real_mask)(rest > zero) | presses | (real_mask)(after > zero));
    const lane_latches fresh = latches_of_mask(contact.fresh);
    const lane_latches latches = (fresh & STUCK_FRESH) | (latches_of_mask(contact.stuck) & ~fresh & 1);
    store_places(sim->touch_place[0] + v, load_places(p->place + at) & places_of_mask(touches));
    store_latches(sim->touch_stuck[0] + v, latches & latches_of_mask(touches));
    store(sim->touch_rest[0] + v, real_select(touches, rest, zero));
    store(sim->touch_energy[0] + v, real_select(touches, energy, zero));
    store(sim->touch_distance[0] + v, real_select(touches, size - (rest + after), zero));
    if (sim->def.audit) {
        real grown = zero;
        if (g->grows) grown = g->half_pitch * (load(sim->growth[0] + v) - load(sim->growth_before[0] + v));
        const ground_course course = {load(p->half + at),
                                      after,
                                      rvec_dot(l.before, l.frame.normal),
                                      is,
                                      normal,
                                      load(p->held + at),
                                      grown,
                                      spring};
        const ground_account account = ground_book(course, energy, g->grows, g->times.kick,
                                                   real_of(0.25 * (context->before - context->step)));
        book_lanes(sim, context, sums, k, at, used, account, energy);
    }
    if (context->keep) show_force(sim, v, lanes, l.force);
    sim->last.floor_contacts += __builtin_popcount(lanes_of(presses));
    *largest = real_select(used & (real_mask)(normal > *largest), normal, *largest);
    if (slight < 0.0) return 0;
    const rvec change = rvec_sub(l.force, force);
    return lanes & lanes_of(real_sqrt(rvec_dot(change, change)) > real_of(slight));
}

static double end_ground(vxe_sim *sim, const step_context *context, double slight, bool *changed,
                         double *total)
{
    const ground_step step = ground_step_of(sim, context);
    const uint32_t count = (uint32_t)sim->ground->pack_count;
    ground_sums sums; /* no level is read before it is written */
    real largest = real_of(0);
    for (uint32_t k = 0; k < count; k++) {
        const ground_pack *p = &sim->ground->packs[k];
        for (int at = 0; at < GROUND_BLOCK; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes == 0) {
                leave_lanes(sim, context, p, &sums, k, at);
            } else if (end_lanes(sim, context, &step, k, at, lanes, slight, &sums, &largest) != 0) {
                *changed = true;
            }
        }
    }
    for (int i = 0; i < GROUND_TERMS; i++)
        total[i] = is_booked(sim, context, (ground_term)i) ? total_of_packs(&sums.of[i], count) : 0.0;
    return largest_of(largest);
}
