/* Voxels that meet one surface of ground or solids and nothing else (sim/ground.h), side by side where they
 * lie in memory, as many at once as the loops over contacts have lanes. Part of contact_loops.h. */
#include "kernel/patch.h"
#include "sim/ground.h"

/* ---- small numbers of lanes ------------------------------------------------------------------------------------------------- */

#if LANES == 1
typedef uint32_t lane_places;
typedef uint8_t lane_latches;
static inline real_mask mask_of_places(lane_places mask) { return (int)mask; }
static inline lane_places places_of_mask(real_mask mask) { return (lane_places)-mask; }
static inline real_mask latched(lane_latches latch, uint8_t how) { return latch == how; }
static inline lane_latches latches_of_mask(real_mask mask) { return (lane_latches)-mask; }
#else
typedef uint32_t lane_places __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef int32_t lane_places_mask __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef uint8_t lane_latches __attribute__((vector_size(LANES)));
static inline real_mask mask_of_places(lane_places_mask mask)
{
    return __builtin_convertvector(mask, real_mask);
}
static inline lane_places places_of_mask(real_mask mask)
{
    return (lane_places)__builtin_convertvector(mask, lane_places_mask);
}
static inline real_mask latched(lane_latches latch, uint8_t how)
{
    return __builtin_convertvector(latch, real_mask) == (int64_t)how;
}
static inline lane_latches latches_of_mask(real_mask mask)
{
    return __builtin_convertvector(mask, lane_latches);
}
#endif
static inline lane_places load_places(const uint32_t *a)
{
    lane_places r;
    memcpy(&r, a, sizeof r);
    return r;
}
static inline void store_places(uint32_t *a, lane_places r) { memcpy(a, &r, sizeof r); }
static inline lane_latches load_latches(const uint8_t *a)
{
    lane_latches r;
    memcpy(&r, a, sizeof r);
    return r;
}
static inline void store_latches(uint8_t *a, lane_latches r) { memcpy(a, &r, sizeof r); }

/* Of an array of the state, component by component. */
static inline rvec load_state(double *const a[3], int32_t v)
{
    return (rvec){load(a[0] + v), load(a[1] + v), load(a[2] + v)};
}

/* m: from the middle of voxels to their surface. */
static inline real half_sizes(const vxe_sim *sim, int32_t v)
{
    const real half = real_of(0.5 * sim->model->view.pitch);
    return sim->model->actuated_count > 0 ? half * (real_of(1) + load(sim->growth[0] + v)) : half;
}

/* ---- who touches ------------------------------------------------------------------------------------------------------------- */

/* Voxels that have not left their cells, where the ground is even enough (world_cell): they touch it, which
 * is returned, or it is known when they are due. `unsure`: it must be looked for others. */
static inline unsigned find_in_cells(const vxe_sim *sim, const ground_search *s, ground_pack *p,
                                     const ground_cells *cells, int at, unsigned lanes, unsigned *unsure)
{
    const ground_contacts *g = sim->ground;
    const real zero = real_of(0);
    const real one = real_of(1);
    const real side = real_of(s->side);
    const int32_t v = p->first + at;
    const surface_patch patch = {load(cells->corner + at), load(cells->along_x + at),
                                 load(cells->along_y + at), load(cells->twist + at), side};
    const real x = real_of(s->per) * (load(sim->position[0] + v) - real_of(s->origin[0]));
    const real y = real_of(s->per) * (load(sim->position[1] + v) - real_of(s->origin[1]));
    const real z = load(sim->position[2] + v) - real_of(s->origin[2]);
    const rvec own = {side * (x - load(cells->number[0] + at)), side * (y - load(cells->number[1] + at)), z};
    const patch_place place = surface_patch_nearest(&patch, own);
    const patch_point point = surface_patch_point(&patch, &place, own, (real_mask)(zero > one));
    const real reach = half_sizes(sim, v) + real_of(s->margin);
    const real far = real_max(reach, point.distance);
    const real edge =
        real_min(real_min(place.x, side - place.x), real_min(place.y, side - place.y));
    const real bends = far * load(cells->bends + at);
    const real alone = load(cells->alone + at);
    const real_mask sure =
        (real_mask)(bends < real_of(0.25)) & (real_mask)(far < load(cells->level + at)) &
        (real_mask)((one - bends) * edge > far * load(cells->folds + at) + load(cells->close + at)) &
        (real_mask)(own.z - place.height > real_of(1e-6) * side) & (real_mask)(real_of(g->way) < alone);
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
static inline unsigned due_of(const ground_contacts *g, int32_t v)
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
static inline void kinds_of(const vxe_sim *sim, const ground_pack *p, int at, unsigned lanes,
                            voxel_constants *c, floor_terms *terms)
{
    const ground_contacts *g = sim->ground;
    const double *kinds[LANES];
    bool same = true;
    if (sim->model->constant_count == 1) {
        for (int i = 0; i < LANES; i++) kinds[i] = (const double *)&g->kinds[1];
    } else {
        const int32_t any = p->first + at + __builtin_ctz(lanes);
        for (int i = 0; i < LANES; i++) {
            const int32_t v = (lanes >> i & 1U) != 0 ? p->first + at + i : any;
            kinds[i] = (const double *)&g->kinds[sim->model->material[v]];
            same &= kinds[i] == kinds[0];
        }
    }
#define OF_KIND(member) constant_of_rows(kinds, same, NUMBER(ground_kind, member))
    *c = (voxel_constants){.inverse_mass = OF_KIND(inverse_mass),
                           .floor_stiffness = OF_KIND(stiffness),
                           .static_friction = OF_KIND(still),
                           .dynamic_friction = OF_KIND(sliding)};
    *terms =
        (floor_terms){OF_KIND(damp), OF_KIND(damped), OF_KIND(mobility), OF_KIND(momentum)};
#undef OF_KIND
    const unsigned solid = some(p->solid, at);
    if (solid == 0) return;
    c->static_friction = real_select(mask_of(solid), load(p->still + at), c->static_friction);
    c->dynamic_friction = real_select(mask_of(solid), load(p->sliding + at), c->dynamic_friction);
}

/* Lanes of a pack: what they are, and what becomes of them. */
typedef struct ground_lanes {
    ground_frame frame;
    voxel_constants constants;
    floor_terms terms;
    rvec before, now, force;
    real_mask fresh, stuck; /* latches */
} ground_lanes;

/* As vxe_ground_solve() does. Returns what the floor's law says. */
static inline floor_contact solve_ground(const vxe_sim *sim, const step_context *context, ground_lanes *l,
                                         real depth, rvec force)
{
    const real kick = real_of(context->kick);
    const real mobility = l->constants.inverse_mass;
    const floor_step times = {real_of(0.5 * context->before), real_of(0.5 * context->step), kick,
                              real_of(sim->model->view.pitch), real_of(1)};
    const rvec own = rvec_scale(kick, rvec_scale(mobility, force));
    const rvec free = ground_into(l->frame, rvec_sub(l->now, own));
    const floor_contact contact = ground_contact(ground_into(l->frame, l->before), free, depth, l->stuck,
                                                 l->fresh, l->constants, times, l->terms);
    l->force = ground_out_of(l->frame, contact.force);
    const rvec impulse = rvec_scale(kick, rvec_sub(l->force, force));
    l->now = rvec_add(l->now, rvec_scale(mobility, impulse));
    return contact;
}

static inline void set_latches(ground_lanes *l, lane_latches latches)
{
    l->fresh = latched(latches, STUCK_FRESH);
    l->stuck = (real_mask)(latched(latches, 0) == 0);
}
static inline lane_latches latches_of(real_mask stuck, real_mask fresh)
{
    return (latches_of_mask(fresh) & STUCK_FRESH) | (latches_of_mask(stuck) & ~latches_of_mask(fresh) & 1);
}

/* Where lanes begin: vxe_ground_begin(), and what that takes over. */
static inline void begin_lanes(vxe_sim *sim, const step_context *context, ground_pack *p, int at,
                               unsigned lanes, bool guess)
{
    const real zero = real_of(0);
    const int32_t v = p->first + at;
    ground_lanes l = {.frame = ground_frame_of(load_vec(p->normal, at)),
                      .before = load_vec(p->before, at),
                      .now = load_vec(p->now, at)};
    const real size = half_sizes(sim, v);
    const real depth = size - load(p->distance + at);
    const real half = depth + real_of(0.5 * context->before) * rvec_dot(l.before, l.frame.normal);
    const real way = real_of(context->before) * real_sqrt(rvec_dot(l.before, l.before));
    const real steady = ground_steady(way, real_of(sim->model->view.pitch));
    const lane_places places = load_places(p->place + at);
    const lane_places touched = load_places(sim->touch_place[0] + v);
    const lane_places others = load_places(sim->touch_place[1] + v) | load_places(sim->touch_place[2] + v);
    const real_mask known = mask_of_places(touched != 0);
    const real_mask strange = (known & mask_of_places(touched != places)) | mask_of_places(others != 0);
    const real came = size - load(sim->touch_distance[0] + v);
    real rest = ground_jumped(load(sim->touch_rest[0] + v), half, came, steady);
    rest = real_select(known, rest, real_of(-1));
    store(p->held + at, real_select(known, load(sim->touch_energy[0] + v), zero));
    store_latches(p->stuck + at, load_latches(sim->touch_stuck[0] + v) & latches_of_mask(known));
    if (real_any(strange)) {
        store(p->rest + at, rest);
        store(p->half + at, half);
        for (unsigned left = lanes & lanes_of(strange); left != 0; left &= left - 1)
            vxe_ground_inherit(sim, context, p, at + __builtin_ctz(left));
        rest = load(p->rest + at);
    }
    rest = ground_counts_from(rest, half);
    store_vec(p->side, at, l.frame.side);
    store(p->rest + at, rest);
    store(p->depth + at, depth - rest);
    store(p->half + at, half - rest);
    if (!guess) {
        store_vec(p->force, at, (rvec){zero, zero, zero});
        return;
    }
    kinds_of(sim, p, at, lanes, &l.constants, &l.terms);
    const lane_latches latches = load_latches(p->stuck + at);
    set_latches(&l, latches);
    const floor_contact contact = solve_ground(sim, context, &l, depth - rest, (rvec){zero, zero, zero});
    store_latches(p->stuck + at, latches & ~latches_of_mask(contact.slips));
    store_vec(p->force, at, l.force);
    store_vec(p->now, at, l.now);
}

static void begin_ground(vxe_sim *sim, const step_context *context, bool guess)
{
    const ground_contacts *g = sim->ground;
    for (ground_pack *p = g->packs; p < g->packs + g->pack_count; p++) {
        for (int at = 0; at < GROUND_BLOCK; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes != 0) begin_lanes(sim, context, p, at, lanes, guess);
        }
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------------------- */

/* What some lanes of pack `k` add to the account. `energy`: J, in their springs. */
static inline void book_ground(const vxe_sim *sim, const step_context *context, int64_t k, int at,
                               unsigned lanes, const ground_course *course, real energy)
{
    const ground_contacts *g = sim->ground;
    const real zero = real_of(0);
    const real_mask mask = mask_of(lanes);
    const int64_t to = k * GROUND_BLOCK + at;
    const bool grows = sim->model->actuated_count > 0;
    const ground_account a = ground_book(*course, energy, grows, real_of(context->kick),
                                         real_of(0.25 * (context->before - context->step)));
    store(g->booked[GROUND_GAINED] + to, real_select(mask, a.gained, zero));
    if (grows) store(g->booked[GROUND_SWELLING] + to, real_select(mask, a.swelling, zero));
    if (!context->measure) return;
    store(g->booked[GROUND_SHIFT] + to, real_select(mask, a.shift, zero));
    store(g->booked[GROUND_CONTACT] + to, real_select(mask, energy, zero));
}

/* Nothing is there of some lanes. */
static inline void leave_lanes(const vxe_sim *sim, const step_context *context, const ground_pack *p, int64_t k,
                               int at)
{
    const int32_t v = p->first + at;
    const real zero = real_of(0);
    const ground_course none = {.half = zero};
    const lane_places nowhere = {0};
    const lane_latches open = {0};
    store_places(sim->touch_place[0] + v, nowhere);
    store_latches(sim->touch_stuck[0] + v, open);
    store(sim->touch_rest[0] + v, zero);
    store(sim->touch_energy[0] + v, zero);
    store(sim->touch_distance[0] + v, zero);
    if (sim->def.audit) book_ground(sim, context, k, at, 0, &none, zero);
}

/* The forces, and what is left behind. Returns the lanes whose force has changed by more than `slight`, N. */
static inline unsigned end_lanes(vxe_sim *sim, const step_context *context, ground_pack *p, int64_t k, int at,
                                 unsigned lanes, double slight, real *largest)
{
    const real zero = real_of(0);
    const int32_t v = p->first + at;
    const real_mask used = mask_of(lanes);
    ground_lanes l = {.frame = ground_frame_beside(load_vec(p->normal, at), load_vec(p->side, at)),
                      .before = load_vec(p->before, at),
                      .now = load_vec(p->now, at)};
    const rvec force = load_vec(p->force, at);
    const real depth = load(p->depth + at);
    kinds_of(sim, p, at, lanes, &l.constants, &l.terms);
    set_latches(&l, load_latches(p->stuck + at));
    const floor_contact contact = solve_ground(sim, context, &l, depth, force);
    store_vec(p->now, at, l.now);
    const real is = rvec_dot(l.now, l.frame.normal);
    const real after = depth - real_of(0.5 * context->step) * is;
    const real normal = rvec_dot(l.force, l.frame.normal);
    const real rest = load(p->rest + at);
    const real size = half_sizes(sim, v);
    const contact_spring spring =
        floor_spring(l.constants.floor_stiffness, real_of(sim->model->view.pitch));
    const real energy = contact_energy(after, spring);
    const real_mask presses = used & (real_mask)(normal > zero);
    const real_mask touches = used & ((real_mask)(rest > zero) | presses | (real_mask)(after > zero));
    store_places(sim->touch_place[0] + v, load_places(p->place + at) & places_of_mask(touches));
    store_latches(sim->touch_stuck[0] + v,
                  latches_of(contact.stuck, contact.fresh) & latches_of_mask(touches));
    store(sim->touch_rest[0] + v, real_select(touches, rest, zero));
    store(sim->touch_energy[0] + v, real_select(touches, energy, zero));
    store(sim->touch_distance[0] + v, real_select(touches, size - (rest + after), zero));
    if (sim->def.audit) {
        real grown = zero;
        if (sim->model->actuated_count > 0)
            grown = real_of(0.5 * sim->model->view.pitch) *
                    (load(sim->growth[0] + v) - load(sim->growth_before[0] + v));
        const ground_course course = {
            load(p->half + at), after, rvec_dot(l.before, l.frame.normal), is, normal, load(p->held + at),
            grown,              spring};
        book_ground(sim, context, k, at, lanes, &course, energy);
    }
    if (context->keep) {
        double parts[3][LANES];
        store(parts[0], l.force.x);
        store(parts[1], l.force.y);
        store(parts[2], l.force.z);
        for (unsigned left = lanes; left != 0; left &= left - 1) {
            const int i = __builtin_ctz(left);
            for (int a = 0; a < 3; a++) sim->contact_force[a][v + i] += parts[a][i];
        }
    }
    sim->last.floor_contacts += __builtin_popcount(lanes_of(presses));
    *largest = real_select(used & (real_mask)(normal > *largest), normal, *largest);
    if (slight < 0.0) return 0;
    const rvec change = rvec_sub(l.force, force);
    return lanes & lanes_of(real_sqrt(rvec_dot(change, change)) > real_of(slight));
}

static double end_ground(vxe_sim *sim, const step_context *context, double slight, bool *changed)
{
    const ground_contacts *g = sim->ground;
    real largest = real_of(0);
    for (int64_t k = 0; k < g->pack_count; k++) {
        ground_pack *p = &g->packs[k];
        for (int at = 0; at < GROUND_BLOCK; at += LANES) {
            const unsigned lanes = some(p->used, at);
            if (lanes == 0) {
                leave_lanes(sim, context, p, k, at);
            } else if (end_lanes(sim, context, p, k, at, lanes, slight, &largest) != 0) {
                *changed = true;
            }
        }
    }
    return largest_of(largest);
}
