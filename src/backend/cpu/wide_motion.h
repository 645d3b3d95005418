/* The motion of a block of voxels: plain_motion.h, VXE_LANES voxels at a time. Included by wide_loops.h. */
#ifndef BACKEND_CPU_WIDE_MOTION_H
#define BACKEND_CPU_WIDE_MOTION_H

#include "backend/cpu/wide_floor.h"

/* Whether the voxels of a block are moved one by one: where they touch a floor with an edge, or one in which
 * some began. */
ALWAYS bool moves_singly(const sweep *w, const block_floor *f)
{
    return f->touching && w->sim->floor_rest[0] != NULL;
}

/* Makes a block ready for that. */
static void make_single(const sweep *w, int32_t i)
{
    const vxe_sim *sim = w->sim;
    wide_plan *plan = sim->cpu->plan;
    if (sim->collider == NULL && plan->touched[i] != 0) {
        const rvec none = {real_of(0), real_of(0), real_of(0)};
        store_double_vec(sim->contact_force[0] + i * VXE_LANES, (ptrdiff_t)sim->stride, none);
    }
    plan->touched[i] = 1;
}

ALWAYS const VXE_REAL *voxel_constants_of(const sweep *w, int32_t i)
{
    return (const VXE_REAL *)w->plan->voxel_constants +
           (size_t)w->plan->materials[i] * (WIDE_VOXEL_CONSTANTS * VXE_LANES);
}

/* New velocities from loads. */
ALWAYS block_motion kick_lanes(const sweep *w, int32_t i, double dt, const block_sums *total,
                               const wide_audit audit)
{
    const native_state *s = w->s;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c = voxel_constants_of(w, i);
    const real mass = constant_of(c, WIDE_MASS);
    const rvec weight = {mass * w->gravity[0], mass * w->gravity[1], mass * w->gravity[2]};
    block_motion k;
    k.load = rvec_add(total->force, weight);
    k.moment = total->moment;
    k.rate = total->rate;
    k.v0 = load_vec(s->velocity[0] + begin, stride);
    k.w0 = load_vec(s->spin[0] + begin, stride);
    const real push = real_of(dt) * constant_of(c, WIDE_INVERSE_MASS);
    const real turn = real_of(dt) * constant_of(c, WIDE_INVERSE_INERTIA);
    k.v1 = voxel_velocity(k.v0, k.load, real_of(1), push);
    k.w1 = voxel_velocity(k.w0, k.moment, real_of(1), turn);
    if (audit != AUDIT_NONE) {
        k.lost_force = total->lost_force;
        k.lost_moment = total->lost_moment;
        k.kept_force = rvec_sub(k.load, k.lost_force);
        k.kept_moment = rvec_sub(k.moment, k.lost_moment);
        k.free_velocity = k.v1;
        k.free_spin = k.w1;
    }
    return k;
}

/* What is noted of held voxels: how far they get, and nothing else unless they are free to go somewhere. */
ALWAYS real note_held(const sweep *w, int32_t i, real_mask fixed, real speed2, real rate, const bool rated,
                      step_measures *sums)
{
    const vxe_model *m = w->sim->model;
    const int32_t begin = i * VXE_LANES;
    const uint32_t *materials = w->plan->voxel_patterns.members + (size_t)w->plan->materials[i] * VXE_LANES;
    VXE_REAL speeds[VXE_LANES];
    VXE_REAL all[VXE_LANES];
    store_lanes(speeds, speed2);
    store_lanes(all, rate);
    for (int j = 0; begin + j < end_of_block(w, begin); j++) {
        if ((double)speeds[j] > sums->travel_max) sums->travel_max = (double)speeds[j];
        if (!rated || (m->fixed[begin + j] == VXE_DOF_ALL && !vxe_is_rigid(m, begin + j))) continue;
        if ((double)all[j] > w->part->rates[materials[j]]) w->part->rates[materials[j]] = (double)all[j];
    }
    return real_keep(speed2, (fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE);
}

/* keeps_of() of plain_motion.h. */
typedef struct lane_keeps {
    real velocity, spin;
} lane_keeps;

ALWAYS lane_keeps keeps_of_lanes(const sweep *w, const VXE_REAL *c, double dt, const bool half)
{
    const real rate = constant_of(c, WIDE_GROUND_RATE);
    const real kick = real_of(dt);
    const real keep = half ? voxel_keep_half(rate, kick) : voxel_keep(rate, kick);
    if (LIKELY(w->turning == 1)) return (lane_keeps){keep, keep};
    const real turning = real_of(w->turning) * rate;
    return (lane_keeps){keep, half ? voxel_keep_half(turning, kick) : voxel_keep(turning, kick)};
}

/* The first half of ground damping, in the first part of a step. */
ALWAYS void damp_lanes(const sweep *w, int32_t i, double dt, block_motion *k)
{
    if (!w->ground) return;
    const lane_keeps keeps = keeps_of_lanes(w, voxel_constants_of(w, i), dt, true);
    k->v1 = rvec_scale(keeps.velocity, k->v1);
    k->w1 = rvec_scale(keeps.spin, k->w1);
}

/* Ground damping, floor, friction, what is `held`; then new poses. `began` has the velocities before the
 * step: read again where the floor wants them, so that they need not wait for it in registers. */
ALWAYS void finish_block(const sweep *w, int32_t i, double dt, const block_motion *k, const VXE_REAL *began,
                         const block_floor *f, const wide_audit audit, const unsigned losses,
                         const bool rated, const bool held, block_measures *measures, step_measures *sums)
{
    vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    wide_plan *plan = sim->cpu->plan;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c = voxel_constants_of(w, i);
    rvec v = k->v1;
    rvec spin = k->w1;
    if (w->ground) {
        const lane_keeps keeps = keeps_of_lanes(w, c, dt, losses == LOSES_VELOCITY);
        v = rvec_scale(keeps.velocity, v);
        spin = rvec_scale(keeps.spin, spin);
    }
    if (held || w->keep) {
        store_vec(s->force[0] + begin, stride, k->load);
        store_vec(s->moment[0] + begin, stride, k->moment);
    }
    rvec pressed = {real_of(0), real_of(0), real_of(0)}; /* by the floor */
    if (UNLIKELY(f->touching)) {
        block_stand stand = {v, k->load}; /* copies, so that these can stay in registers */
        stand_on_floor(w, begin, c, dt, began, held, &stand, sums);
        v = stand.velocity;
        if (audit != AUDIT_NONE) pressed = stand.force;
    } else {
        memset(sim->stuck[0] + begin, 0, VXE_LANES);
        if (UNLIKELY(plan->touched[i] != 0)) {
            const rvec none = {real_of(0), real_of(0), real_of(0)};
            if (sim->collider == NULL)
                store_double_vec(sim->contact_force[0] + begin, (ptrdiff_t)sim->stride, none);
            plan->touched[i] = 0;
        }
    }
    block_motion kept;
    real_mask fixed = {0};
    if (held) {
        fixed = held_lanes(w, begin);
        v = held_vec(fixed, VXE_DOF_X, k->v0, v);
        spin = held_vec(fixed, VXE_DOF_RX, k->w0, spin);
    }
    if (held && audit != AUDIT_NONE) { /* what is held loses nothing, and its support feels the floor */
        const rvec none = {real_of(0), real_of(0), real_of(0)};
        VXE_REAL *lost = s->lost_force[0] + begin;
        store_vec(lost, stride, rvec_add(load_vec(lost, stride), keep_vec(pressed, fixed != 0)));
        kept = *k;
        kept.free_velocity = held_vec(fixed, VXE_DOF_X, v, k->free_velocity);
        kept.free_spin = held_vec(fixed, VXE_DOF_RX, spin, k->free_spin);
        kept.lost_force = held_vec(fixed, VXE_DOF_X, none, k->lost_force);
        kept.lost_moment = held_vec(fixed, VXE_DOF_RX, none, k->lost_moment);
        k = &kept;
    }
    if (audit != AUDIT_NONE) {
        if (losses == LOSES_LOAD && (w->ground || UNLIKELY(f->touching))) {
            book_block(w, begin, k, v, spin, c, dt, audit, LOSES_LOAD | LOSES_VELOCITY);
        } else {
            book_block(w, begin, k, v, spin, c, dt, audit, losses);
        }
        if (w->swells) {
            if (UNLIKELY(f->touching)) {
                const real deep = f->depth;
                const rvec before = k->v0;
                book_swelling(w, begin, &deep, c, &before);
            } else {
                store_double(sim->cpu->terms[SUM_swelling] + begin, widen(real_of(0)));
            }
        }
        if (audit == AUDIT_MEASURE && f->touching) {
            const real deep = f->depth;
            const rvec before = k->v0;
            const rvec after = v;
            const rvec from_floor = pressed;
            measure_floor(w, begin, &deep, c, &before, &after, &from_floor);
        }
    }
    real speed2 = rvec_dot(v, v);
    real spin2 = rvec_dot(spin, spin);
    if (held) {
        const real rate = k->rate * constant_of(c, WIDE_INVERSE_MASS);
        speed2 = note_held(w, i, fixed, speed2, rate, rated, sums);
        spin2 = real_keep(spin2, (fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE);
    }
    measures->bad |=
        lanes_beyond(speed2, (real){0} + w->speed2_limit) | lanes_beyond(spin2, (real){0} + w->spin2_limit);
    measures->speed2_max = real_max(speed2, measures->speed2_max);
    if (rated && !held) note_rates(w, i, k->rate * constant_of(c, WIDE_INVERSE_MASS), &measures->rates);
    const rquat q = voxel_turn(load_quat(s->orientation[0] + begin, stride), spin, real_of(w->context->step));
    store_vec(s->velocity[0] + begin, stride, v);
    store_vec(s->spin[0] + begin, stride, spin);
    VXE_REAL *turned = s->orientation[0] + begin;
    store_lanes(turned, q.w);
    store_lanes(turned + stride, q.x);
    store_lanes(turned + 2 * stride, q.y);
    store_lanes(turned + 3 * stride, q.z);
    double *p = sim->position[0] + begin;
    const ptrdiff_t apart = (ptrdiff_t)sim->stride;
    store_double(p, add_double(load_double(p), scale_double(w->context->step, widen(v.x))));
    store_double(p + apart, add_double(load_double(p + apart), scale_double(w->context->step, widen(v.y))));
    store_double(p + 2 * apart,
                 add_double(load_double(p + 2 * apart), scale_double(w->context->step, widen(v.z))));
}

/* Loads go to their arrays, for those who want single voxels. */
ALWAYS void store_total(const sweep *w, int32_t begin, const block_sums *total, const wide_audit audit)
{
    const native_state *s = w->s;
    store_vec(s->force[0] + begin, s->stride, total->force);
    store_vec(s->moment[0] + begin, s->stride, total->moment);
    store_lanes(s->link_sum[0] + begin, total->rate);
    if (audit == AUDIT_NONE) return;
    store_vec(s->lost_force[0] + begin, s->stride, total->lost_force);
    store_vec(s->lost_moment[0] + begin, s->stride, total->lost_moment);
}

ALWAYS block_sums stored_total(const sweep *w, int32_t begin, const wide_audit audit)
{
    const native_state *s = w->s;
    block_sums total = no_sums();
    total.force = load_vec(s->force[0] + begin, s->stride);
    total.moment = load_vec(s->moment[0] + begin, s->stride);
    total.rate = load_lanes(s->link_sum[0] + begin);
    if (audit == AUDIT_NONE) return total;
    total.lost_force = load_vec(s->lost_force[0] + begin, s->stride);
    total.lost_moment = load_vec(s->lost_moment[0] + begin, s->stride);
    return total;
}

/* What links do to a block that may rest, for steps in which they are left out. */
static void keep_total(const sweep *w, int32_t i, const block_sums *total)
{
    const wide_rest *r = &w->plan->rest;
    if (r->kind == NULL || r->kind[i] == 0 || w->rest != NULL) return;
    const ptrdiff_t stride = (ptrdiff_t)w->plan->block_count * VXE_LANES;
    VXE_REAL *kept = (VXE_REAL *)r->totals + i * VXE_LANES;
    store_vec(kept, stride, total->force);
    store_vec(kept + 3 * stride, stride, total->moment);
}

static void close_measures(const sweep *w, block_measures *b, step_measures *sums)
{
    VXE_REAL most[VXE_LANES];
    store_lanes(most, b->speed2_max);
    if (b->bad != 0) sums->bad = 1;
    for (int i = 0; i < VXE_LANES; i++) {
        const double speed2 = (double)most[i];
        if (speed2 > sums->speed_max) sums->speed_max = speed2;
        if (speed2 > sums->travel_max) sums->travel_max = speed2;
    }
    flush_rates(w, &b->rates);
}

ALWAYS block_measures no_measures(void) { return (block_measures){real_of(0), 0, {0, real_of(0)}}; }

/* A block some of whose voxels are held, or that stands on a floor with an edge. Functions of their own, so
 * that the loops over all blocks keep their registers: loads come through their arrays. */
static __attribute__((noinline)) void move_held(const sweep *w, int32_t i, double dt, const wide_audit audit,
                                                const bool rated, step_measures *sums)
{
    const int32_t begin = i * VXE_LANES;
    const block_floor f = floor_under(w, begin);
    if (moves_singly(w, &f)) {
        make_single(w, i);
        WIDE_PLAIN(integrate)(w->sim, w->context, begin, end_of_block(w, begin), w->part->rates, sums);
        return;
    }
    const block_sums total = stored_total(w, begin, audit);
    keep_total(w, i, &total);
    const block_motion k = kick_lanes(w, i, dt, &total, audit);
    block_measures measures = no_measures();
    finish_block(w, i, dt, &k, w->s->velocity[0] + begin, &f, audit, LOSES_LOAD, rated, true, &measures,
                 sums);
    close_measures(w, &measures, sums);
}

/* New velocities from loads, new poses from new velocities. */
ALWAYS void move_block(const sweep *w, int32_t i, double dt, const block_sums *total, const wide_audit audit,
                       const bool rated, block_measures *measures, step_measures *sums)
{
    const int32_t begin = i * VXE_LANES;
    const block_floor f = floor_under(w, begin);
    if (UNLIKELY(w->plan->kind[i] == WIDE_HELD || moves_singly(w, &f))) {
        store_total(w, begin, total, audit);
        move_held(w, i, dt, audit, rated, sums);
        return;
    }
    const block_motion k = kick_lanes(w, i, dt, total, audit);
    finish_block(w, i, dt, &k, w->s->velocity[0] + begin, &f, audit, LOSES_LOAD, rated, false, measures,
                 sums);
}

/* What the floor would do without damping; what it adds to the velocities is noted. */
static void guess_floor(const sweep *w, int32_t i, double dt, const real *depth, const rvec *before,
                        const rvec *load, rvec *velocity)
{
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c = voxel_constants_of(w, i);
    rvec kept = rvec_scale(voxel_keep_half(constant_of(c, WIDE_GROUND_RATE), real_of(dt)), *velocity);
    if (w->plan->kind[i] == WIDE_HELD) kept = held_vec(held_lanes(w, begin), VXE_DOF_X, *before, kept);
    floor_contact contact = floor_on_block(w, begin, depth, c, dt, before, load, &kept);
    const real_mask near = *depth > (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch;
    if (w->plan->kind[i] == WIDE_HELD)
        contact.velocity = held_vec(held_lanes(w, begin), VXE_DOF_X, *before, contact.velocity);
    const rvec guess = keep_vec(rvec_sub(contact.velocity, *velocity), near);
    const real_mask slips = contact.slips & near;
    for (int j = 0; j < VXE_LANES; j++) {
        if (slips[j] != 0) w->sim->stuck[0][begin + j] = 0;
    }
    store_double_vec(w->sim->guess[0] + begin, (ptrdiff_t)w->sim->stride, guess);
    *velocity = select_vec(near, contact.velocity, *velocity);
}

/* Where a block keeps what the third part of a step needs to know of the first. In one sweep of all three,
 * blocks that are moved make room for those that are kicked: so little memory that it stays in the cache. */
ALWAYS int32_t before_place(const sweep *w, int32_t begin) { return begin & w->before_mask; }

/* Whether the third part of a step needs the velocities before it. */
ALWAYS bool needs_before(const sweep *w, bool touching, const wide_audit audit)
{
    return audit != AUDIT_NONE || w->keep || UNLIKELY(touching || w->touching);
}

/* The first part of a step that is taken in three, of such a block as move_held() has. */
static __attribute__((noinline)) void kick_held(const sweep *w, int32_t i, double dt, const wide_audit audit)
{
    const native_state *s = w->s;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const block_floor f = floor_under(w, begin);
    if (moves_singly(w, &f)) {
        WIDE_PLAIN(kick)(w->sim, w->context, begin, end_of_block(w, begin));
        return;
    }
    const block_sums total = stored_total(w, begin, audit);
    keep_total(w, i, &total);
    const real_mask fixed = held_lanes(w, begin);
    block_motion k = kick_lanes(w, i, dt, &total, audit);
    damp_lanes(w, i, dt, &k);
    k.v1 = held_vec(fixed, VXE_DOF_X, k.v0, k.v1);
    k.w1 = held_vec(fixed, VXE_DOF_RX, k.w0, k.w1);
    if (f.touching) guess_floor(w, i, dt, &f.depth, &k.v0, &k.load, &k.v1);
    store_vec(s->velocity[0] + begin, stride, k.v1);
    store_vec(s->spin[0] + begin, stride, k.w1);
    store_vec(s->velocity_before[0] + begin, stride, k.v0);
    store_vec(s->spin_before[0] + begin, stride, k.w0);
    store_double_vec(w->sim->held_load[0] + begin, (ptrdiff_t)w->sim->stride, k.load);
    store_double_vec(w->sim->held_load[3] + begin, (ptrdiff_t)w->sim->stride, k.moment);
    if (audit == AUDIT_NONE) return;
    store_vec(s->kept_force[0] + begin, stride, k.kept_force);
    store_vec(s->kept_moment[0] + begin, stride, k.kept_moment);
}

/* That of the others: see plain_motion.h. */
ALWAYS void kick_block(const sweep *w, int32_t i, double dt, const block_sums *total, const wide_audit audit)
{
    const native_state *s = w->s;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const block_floor f = floor_under(w, begin);
    const bool touching = f.touching;
    if (w->rated) store_lanes(s->link_sum[0] + begin, total->rate);
    if (UNLIKELY(w->plan->kind[i] == WIDE_HELD || moves_singly(w, &f))) {
        store_total(w, begin, total, audit);
        kick_held(w, i, dt, audit);
        return;
    }
    block_motion k = kick_lanes(w, i, dt, total, audit);
    damp_lanes(w, i, dt, &k);
    if (UNLIKELY(touching)) {
        const real deep = f.depth; /* copies, as above */
        const rvec pushed = k.load;
        const rvec before = k.v0;
        rvec moving = k.v1;
        guess_floor(w, i, dt, &deep, &before, &pushed, &moving);
        k.v1 = moving;
    }
    store_vec(s->velocity[0] + begin, stride, k.v1);
    store_vec(s->spin[0] + begin, stride, k.w1);
    const int32_t at = before_place(w, begin);
    if (needs_before(w, touching, audit)) {
        store_vec(s->velocity_before[0] + at, stride, k.v0);
        store_vec(s->spin_before[0] + at, stride, k.w0);
    }
    if (audit == AUDIT_NONE) return;
    store_vec(s->kept_force[0] + at, stride, k.kept_force);
    store_vec(s->kept_moment[0] + at, stride, k.kept_moment);
}

/* The third: velocities before and now, without the floor's guess, and the load between them. */
ALWAYS block_motion motion_so_far(const sweep *w, int32_t i, double dt, const block_floor *f,
                                  const wide_audit audit, const bool held)
{
    const native_state *s = w->s;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const int32_t at = held ? begin : before_place(w, begin);
    const VXE_REAL *c = voxel_constants_of(w, i);
    const VXE_REAL per_second = (VXE_REAL)(1.0 / dt);
    block_motion k = {.v1 = load_vec(s->velocity[0] + begin, stride),
                      .w1 = load_vec(s->spin[0] + begin, stride)};
    if (UNLIKELY(f->touching)) {
        const rvec added = load_double_vec(w->sim->guess[0] + begin, (ptrdiff_t)w->sim->stride);
        k.v1 = rvec_sub(k.v1, keep_vec(added, f->depth > (real){0} - (VXE_REAL)FLOOR_NEAR * w->pitch));
    }
    if (held || needs_before(w, f->touching, audit)) {
        k.v0 = load_vec(s->velocity_before[0] + at, stride);
        k.w0 = load_vec(s->spin_before[0] + at, stride);
    }
    if (held || needs_before(w, f->touching, AUDIT_NONE)) {
        rvec v1 = k.v1;
        rvec w1 = k.w1;
        if (w->ground) {
            const lane_keeps keeps = keeps_of_lanes(w, c, dt, true);
            v1 = rvec_scale(real_of(1) / keeps.velocity, v1);
            w1 = rvec_scale(real_of(1) / keeps.spin, w1);
        }
        k.load = rvec_scale(constant_of(c, WIDE_MASS) * per_second, rvec_sub(v1, k.v0));
        k.moment = rvec_scale(constant_of(c, WIDE_INERTIA) * per_second, rvec_sub(w1, k.w0));
    }
    if (w->rated) k.rate = load_lanes(s->link_sum[0] + begin);
    if (audit != AUDIT_NONE) {
        const real push = real_of(dt) * constant_of(c, WIDE_INVERSE_MASS);
        const real turn = real_of(dt) * constant_of(c, WIDE_INVERSE_INERTIA);
        k.kept_force = load_vec(s->kept_force[0] + at, stride);
        k.kept_moment = load_vec(s->kept_moment[0] + at, stride);
        k.free_velocity = voxel_velocity(k.v0, k.kept_force, real_of(1), push);
        k.free_spin = voxel_velocity(k.w0, k.kept_moment, real_of(1), turn);
    }
    return k;
}

/* Its end, of such a block as move_held() has. */
static __attribute__((noinline)) void move_held_damped(const sweep *w, int32_t i, double dt,
                                                       const wide_audit audit, step_measures *sums)
{
    const native_state *s = w->s;
    const int32_t begin = i * VXE_LANES;
    const ptrdiff_t apart = (ptrdiff_t)w->sim->stride;
    const block_floor f = floor_under(w, begin);
    if (moves_singly(w, &f)) {
        make_single(w, i);
        WIDE_PLAIN(move)(w->sim, w->context, begin, end_of_block(w, begin), w->part->rates, sums);
        return;
    }
    const real_mask any = held_lanes(w, begin) != 0;
    block_motion k = motion_so_far(w, i, dt, &f, audit, true);
    k.load = select_vec(any, load_double_vec(w->sim->held_load[0] + begin, apart), k.load);
    k.moment = select_vec(any, load_double_vec(w->sim->held_load[3] + begin, apart), k.moment);
    if (audit != AUDIT_NONE) { /* what supports feel */
        store_vec(s->lost_force[0] + begin, s->stride, rvec_sub(k.load, k.kept_force));
        store_vec(s->lost_moment[0] + begin, s->stride, rvec_sub(k.moment, k.kept_moment));
    }
    block_measures measures = no_measures();
    finish_block(w, i, dt, &k, s->velocity_before[0] + begin, &f, audit, LOSES_VELOCITY, w->rated, true,
                 &measures, sums);
    close_measures(w, &measures, sums);
}

/* And that of the others. */
ALWAYS void move_damped(const sweep *w, int32_t i, double dt, const wide_audit audit,
                        block_measures *measures, step_measures *sums)
{
    const block_floor f = floor_under(w, i * VXE_LANES);
    if (UNLIKELY(w->plan->kind[i] == WIDE_HELD || moves_singly(w, &f))) {
        move_held_damped(w, i, dt, audit, sums);
        return;
    }
    const block_motion k = motion_so_far(w, i, dt, &f, audit, false);
    const VXE_REAL *began = w->s->velocity_before[0] + before_place(w, i * VXE_LANES);
    finish_block(w, i, dt, &k, began, &f, audit, LOSES_VELOCITY, w->rated, false, measures, sums);
}

#endif
