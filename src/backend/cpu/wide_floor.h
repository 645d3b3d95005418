/* The floor under a block of voxels. */
#ifndef BACKEND_CPU_WIDE_FLOOR_H
#define BACKEND_CPU_WIDE_FLOOR_H

#include "backend/cpu/wide_account.h"

ALWAYS wide_double floor_depth(const vxe_sim *sim, int32_t begin)
{
    const double l = sim->model->view.pitch;
#ifdef VXE_REAL_IS_FLOAT
    const wide_double growth = load_double(sim->growth[0] + begin);
    const wide_double size = {0.5 * l * (1.0 + growth.low), 0.5 * l * (1.0 + growth.high)};
#else
    const wide_double size = 0.5 * l * (1.0 + load_double(sim->growth[0] + begin));
#endif
    return subtract_double(size, load_double(sim->position[2] + begin));
}

ALWAYS voxel_constants floor_constants(const VXE_REAL *c)
{
    return (voxel_constants){constant_of(c, WIDE_INVERSE_MASS),    constant_of(c, WIDE_INVERSE_INERTIA),
                             constant_of(c, WIDE_GROUND_RATE),     constant_of(c, WIDE_FLOOR_STIFFNESS),
                             constant_of(c, WIDE_FLOOR_DAMPING),   constant_of(c, WIDE_STATIC_FRICTION),
                             constant_of(c, WIDE_DYNAMIC_FRICTION)};
}

/* Before a step: what of the floor depends on its length. */
static void prepare_floor(vxe_sim *sim, const step_context *context)
{
    wide_plan *plan = sim->cpu->plan;
    const double kick = context->kick;
    const double half_after = 0.5 * context->step;
    if (LIKELY(plan->floor_kick == kick && plan->floor_half == half_after) || !sim->environment.floor) return;
    plan->floor_kick = kick;
    plan->floor_half = half_after;
    VXE_REAL *c = plan->voxel_constants;
    for (int32_t i = 0; i < plan->voxel_patterns.count; i++, c += WIDE_VOXEL_CONSTANTS * VXE_LANES) {
        const floor_terms terms =
            floor_terms_of(floor_constants(c), real_of(kick), real_of(half_after), real_of(1));
        store_lanes(c + WIDE_FLOOR_DAMP * VXE_LANES, terms.damp);
        store_lanes(c + WIDE_FLOOR_DAMPED * VXE_LANES, terms.damped);
        store_lanes(c + WIDE_FLOOR_MOBILITY * VXE_LANES, terms.mobility);
        store_lanes(c + WIDE_FLOOR_MOMENTUM * VXE_LANES, terms.momentum);
    }
}

typedef uint8_t lane_bytes __attribute__((vector_size(VXE_LANES)));

/* What the floor does to a block that is near, but not in it: what voxel_on_floor_with() makes of that. */
ALWAYS floor_contact clear_of_floor(real_mask near, const rvec *velocity)
{
    const real_mask none = {0};
    const real still = real_of(0);
    floor_contact contact = {*velocity, {still, still, still}, none, none, none};
    contact.velocity.z = real_select(near, velocity->z + still, velocity->z);
    return contact;
}

/* What the floor does to a block. */
ALWAYS floor_contact floor_on_block(const sweep *w, int32_t begin, const real *depth, const VXE_REAL *c,
                                    double dt, const rvec *before, const rvec *load, const rvec *velocity)
{
    const vxe_sim *sim = w->sim;
    lane_bytes held = {0};
    memcpy(&held, sim->stuck[0] + begin, VXE_LANES);
    const real_mask grip = __builtin_convertvector(held, real_mask);
    const real_mask stuck = grip != 0;
    const real_mask fresh = grip == STUCK_FRESH;
    const voxel_constants constants = floor_constants(c);
    floor_step times = {real_of(0.5 * w->context->before), real_of(0.5 * w->context->step), real_of(dt),
                        w->pitch, real_of(1)};
    /* lanes beyond the last voxel have no mass; and what is not near is not looked at by the plain backend */
    const real_mask near =
        (constants.inverse_mass > 0) & (*depth > (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch);
    const real_mask reaches = (real_mask)(*depth + times.half_before * before->z > 0) |
                              (real_mask)(*depth - times.half_after * velocity->z > 0);
    if (!real_any((near & reaches) | stuck)) return clear_of_floor(near, velocity);
    floor_terms terms = {constant_of(c, WIDE_FLOOR_DAMP), constant_of(c, WIDE_FLOOR_DAMPED),
                         constant_of(c, WIDE_FLOOR_MOBILITY), constant_of(c, WIDE_FLOOR_MOMENTUM)};
    if (w->plan->kind[begin / VXE_LANES] == WIDE_HELD) {
        times.gives = real_select(holds(held_lanes(w, begin), VXE_DOF_Z), real_of(FLOOR_HELD), times.gives);
        terms = floor_terms_of(constants, times.kick, times.half_after, times.gives);
    }
    floor_contact contact =
        voxel_on_floor_with(*before, *velocity, *load, *depth, stuck, fresh, constants, times, terms);
    contact.velocity = select_vec(near, contact.velocity, *velocity);
    contact.force = keep_vec(contact.force, near);
    contact.stuck = contact.stuck & near;
    contact.fresh = contact.fresh & near;
    return contact;
}

/* A block that stands on the floor: its velocity without the floor and with it; what pushes it, and then what
 * the floor does. */
typedef struct block_stand {
    rvec velocity, force;
} block_stand;

/* `began`: velocities before the step. */
static __attribute__((noinline)) void stand_on_floor(const sweep *w, int32_t begin, const VXE_REAL *c,
                                                     double dt, const VXE_REAL *began, bool held,
                                                     block_stand *stand, step_measures *sums)
{
    vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const real depth = narrow(floor_depth(sim, begin));
    const rvec before = load_vec(began, s->stride);
    if (held) /* loads do not move what is held: the force is that of the depth it leads to */
        stand->velocity = held_vec(held_lanes(w, begin), VXE_DOF_X, before, stand->velocity);
    const floor_contact contact =
        floor_on_block(w, begin, &depth, c, dt, &before, &stand->force, &stand->velocity);
    if (held || w->keep) store_vec(s->force[0] + begin, s->stride, rvec_add(stand->force, contact.force));
    stand->velocity = contact.velocity;
    stand->force = contact.force;
    const real_mask grip = (contact.fresh & STUCK_FRESH) | (contact.stuck & ~contact.fresh & 1);
    const lane_bytes bytes = __builtin_convertvector(grip, lane_bytes);
    memcpy(sim->stuck[0] + begin, &bytes, VXE_LANES);
    sums->floor_contacts += __builtin_popcount(lanes_beyond(contact.force.z, real_of(0)));
    if (sim->collider == NULL) {
        store_double_vec(sim->contact_force[0] + begin, (ptrdiff_t)sim->stride, contact.force);
    } else {
        for (int a = 0; a < 3; a++) {
            const real part = a == 0 ? contact.force.x : a == 1 ? contact.force.y : contact.force.z;
            double *at = sim->contact_force[a] + begin;
            store_double(at, add_double(load_double(at), widen(part)));
        }
    }
    sim->cpu->plan->touched[begin / VXE_LANES] = 1;
}

/* What the floor holds, and its part of what the energy jumps by: audit_floor() of plain_motion.h. After
 * book_block(). */
static void measure_floor(const sweep *w, int32_t begin, const real *depth, const VXE_REAL *c,
                          const rvec *before, const rvec *after, const rvec *force)
{
    const vxe_sim *sim = w->sim;
    double *const *terms = sim->cpu->terms;
    const real_mask near = *depth > (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch;
    const uint8_t *fixed = sim->model->fixed;
    const wide_double way = scale_double(0.5 * w->context->step, widen(after->z));
    const real left = narrow(subtract_double(floor_depth(sim, begin), way));
    const contact_spring spring = floor_spring(constant_of(c, WIDE_FLOOR_STIFFNESS), w->pitch);
    store_double(terms[SUM_contact] + begin, widen(real_keep(contact_energy(left, spring), near)));
    const double change = 0.25 * (w->context->before - w->context->step);
    if (change == 0.0) return;
    VXE_REAL lanes[4][VXE_LANES];
    store_lanes(lanes[0], force->z);
    store_lanes(lanes[1], after->z);
    store_lanes(lanes[2], before->z);
    store_lanes(lanes[3], real_keep(real_of(1), near));
    for (int j = 0; j < VXE_LANES; j++) {
        if (!(lanes[3][j] > 0)) continue;
        const double shift = change * (double)lanes[0][j] * ((double)lanes[1][j] - (double)lanes[2][j]);
        terms[SUM_shift][begin + j] = shift + terms[SUM_shift][begin + j];
        if ((fixed[begin + j] & VXE_DOF_Z) == 0)
            terms[SUM_lost_work][begin + j] = -shift + terms[SUM_lost_work][begin + j];
    }
}

/* What growing voxels do to the floor they stand on: likewise. */
static void book_swelling(const sweep *w, int32_t begin, const real *depth, const VXE_REAL *c,
                          const rvec *before)
{
    const vxe_sim *sim = w->sim;
    const wide_double change =
        subtract_double(load_double(sim->growth[0] + begin), load_double(sim->growth_before[0] + begin));
    const wide_double grown = scale_double(0.5 * sim->model->view.pitch, change);
    const wide_double way = scale_double(0.5 * w->context->before, widen(before->z));
    const wide_double met = add_double(floor_depth(sim, begin), way);
    const contact_spring spring = floor_spring(constant_of(c, WIDE_FLOOR_STIFFNESS), w->pitch);
    const real work =
        contact_energy(narrow(met), spring) - contact_energy(narrow(subtract_double(met, grown)), spring);
    const real_mask near = *depth > (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch;
    store_double(sim->cpu->terms[SUM_swelling] + begin, widen(real_keep(work, near)));
}

/* How deep a block is in the floor, and whether that can touch it in this step. */
typedef struct block_floor {
    real depth;
    bool touching;
} block_floor;

ALWAYS block_floor floor_under(const sweep *w, int32_t begin)
{
    block_floor f = {real_of(0), false};
    if (w->sim->environment.floor) {
        f.depth = narrow(floor_depth(w->sim, begin));
        f.touching = lanes_beyond(f.depth, (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch) != 0;
    }
    return f;
}

#endif
