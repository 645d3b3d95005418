/* Voxels and links of a body on a device: backend/cpu/plain_loops.h and plain_motion.h over the arrays of
 * robot.h, one voxel at a time, in the same order of operations. The block program (block.h) and the kernels
 * of one body (grid.h) are made of these. */
#ifndef BACKEND_CUDA_PHYSICS_H
#define BACKEND_CUDA_PHYSICS_H

#include "backend/cuda/robot.h"
#include "kernel/brake.h"
#include "kernel/link.h"
#include "kernel/signal.h"
#include "kernel/strain.h"

/* As in sim/sim.h. */
#define ROBOT_STUCK_FRESH 2
#define ROBOT_NO_OFFSET 31
#define ROBOT_PASSES_FLOOR (1.0 / 0.0)
enum { ROBOT_DOF_Z = 4, ROBOT_DOF_MOVE = 7, ROBOT_DOF_TURN = 56, ROBOT_DOF_ALL = 63 };

DEVICE rvec rvec_make(real x, real y, real z)
{
    rvec v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

DEVICE rvec robot_load3(real *const a[3], int32_t v) { return rvec_make(a[0][v], a[1][v], a[2][v]); }
DEVICE void robot_store3(real *const a[3], int32_t v, rvec x)
{
    a[0][v] = x.x;
    a[1][v] = x.y;
    a[2][v] = x.z;
}
DEVICE rquat robot_load4(real *const a[4], int32_t v)
{
    rquat q;
    q.w = a[0][v];
    q.x = a[1][v];
    q.y = a[2][v];
    q.z = a[3][v];
    return q;
}
/* The vector from one voxel to another; the difference is taken in double. */
DEVICE rvec robot_way(double *const p[3], int32_t from, int32_t to)
{
    return rvec_make((real)(p[0][to] - p[0][from]), (real)(p[1][to] - p[1][from]),
                     (real)(p[2][to] - p[2][from]));
}

/* ---- links -------------------------------------------------------------------------------------------------------- */

/* m: how much longer a link is than without load. */
DEVICE real robot_stretch(const robot *r, real length, real near_growth, real far_growth)
{
    return length - link_rest_length(r->small_pitch, near_growth, far_growth);
}

/* What the state of a link's ends is. */
typedef struct link_pose {
    rvec d;
    real length; /* m: of d */
    rquat q1, q2;
    real growth1, growth2, pressure1, pressure2;
    rvec v1, w1, v2, w2; /* where they are needed */
} link_pose;

typedef struct link_found {
    link_load load;
    real rate, size;
} link_found;

DEVICE link_found robot_link(const robot *r, int is, const link_row *t, int axis, const link_pose *p,
                             int rated)
{
    link_chord chord;
    chord.inverse = real_of(1) / p->length;
    chord.e = rvec_scale(chord.inverse, p->d);
    chord.length = p->length;
    chord.lever = (is & IS_UNBALANCED) != 0 ? r->inverse_pitch : chord.inverse;
    const real stretch = robot_stretch(r, chord.length, p->growth1, p->growth2);
    real tension = link_axial_force(t->ka, stretch);
    if ((is & IS_SOLID) != 0)
        tension = tension + link_pressure_force(t->near_area, p->pressure1, t->far_area, p->pressure2);
    link_stiffness k;
    k.shear = t->cs;
    k.twice_bend = t->twice_bend;
    k.twice_twist = t->twice_twist;
    link_parts parts = link_elastic_parts(chord, p->q1, p->q2, rquat_half_axis(p->q1, axis),
                                          rquat_half_axis(p->q2, axis), k, tension);
    if ((is & IS_IMPLICIT) == 0) {
        link_damping_rates rates;
        rates.axial = t->axial;
        rates.shear = t->shear;
        rates.bending = t->bending;
        rates.torsion = t->torsion;
        parts = link_parts_add(parts, link_damping_parts(chord, rvec_sub(p->v2, p->v1), p->w1, p->w2, rates));
    }
    link_found f;
    f.load = link_load_of(chord, parts);
    f.rate = rated ? link_rate(chord, tension, t->rate, t->rate_across) : real_of(0);
    f.size = stretch < real_of(0) ? -stretch : stretch;
    return f;
}

/* `inverse`: 1/|d|^2. */
DEVICE link_ends robot_brake(const robot *r, const link_row *t, rvec d, real inverse, link_ends before,
                             int full)
{
    const real *b = t->brake[full];
    link_brake k;
    k.axial = b[0];
    k.shear = b[1];
    k.bending = b[2];
    k.excess = b[3];
    k.far = t->brake_far;
    return link_braked_at(d, inverse, before, k, r->inverse_area, 0);
}

/* The brakes of a class for a step. */
DEVICE void robot_make_brake(const robot *r, link_row *t, double dt)
{
    brake_source s;
    s.axial = t->damp_axial;
    s.shear = t->damp_shear;
    s.bending = t->damp_bending;
    s.torsion = t->damp_torsion;
    s.near_mass = t->near_mass;
    s.far_mass = t->far_mass;
    for (int full = 0; full < 2; full++) {
        const brake_numbers b = brake_of(s, r->pitch, full ? dt : 0.5 * dt);
        t->brake[full][0] = (real)b.axial;
        t->brake[full][1] = (real)b.shear;
        t->brake[full][2] = (real)b.bending;
        t->brake[full][3] = (real)b.excess;
        t->brake_far = (real)b.far;
    }
}

/* What the voxels of a material make of a step. */
DEVICE void robot_make_step(const robot *r, voxel_row *row, const robot_control *c)
{
    const real kick = (real)c->kick;
    const real per_second = (real)(1.0 / c->kick);
    step_row *s = &row->step;
    s->keep = voxel_keep(row->constants.ground_rate, kick);
    s->keep_turn = voxel_keep(row->turning_rate, kick);
    s->half = voxel_keep_half(row->constants.ground_rate, kick);
    s->half_turn = voxel_keep_half(row->turning_rate, kick);
    s->kick_mass = kick * row->constants.inverse_mass;
    s->kick_inertia = kick * row->constants.inverse_inertia;
    s->load_mass = row->mass * per_second;
    s->load_inertia = row->inertia * per_second;
    s->length = (real)c->length;
    s->floor.half_before = (real)(0.5 * c->before);
    s->floor.half_after = (real)(0.5 * c->length);
    s->floor.kick = kick;
    s->floor.pitch = r->small_pitch;
    s->floor.gives = real_of(1);
}

/* ---- signals ------------------------------------------------------------------------------------------------------ */

/* As in sim/signals.c. */
DEVICE double robot_limited(const sine_row *s, double growth)
{
    return growth < s->least ? s->least : growth > s->most ? s->most : growth;
}

DEVICE double robot_table_value(const robot *r, const sine_row *s, double time)
{
    const double *times = r->points + s->table_begin;
    const double *values = times + s->table_count;
    int32_t low = 0;
    int32_t high = s->table_count - 1;
    if (time <= times[0]) return values[0];
    if (time >= times[high]) return values[high];
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double part = (time - times[low]) / (times[high] - times[low]);
    return values[low] + part * (values[high] - values[low]);
}

/* 0 sine, 1 square, 2 ramp, 3 table */
DEVICE double robot_wave(const robot *r, const sine_row *s, double time, double phase, double rate)
{
    if (s->waveform == 3 && s->table_period <= 0.0) return robot_table_value(r, s, time * rate);
    const double fraction = signal_fraction(time * rate / s->period + s->phase + phase);
    if (s->waveform == 0) return signal_sine(fraction);
    if (s->waveform == 1) return signal_square(fraction);
    if (s->waveform == 2) return signal_triangle(fraction);
    return robot_table_value(r, s, fraction * s->table_period);
}

DEVICE double robot_grown(const robot *r, const sine_row *s, double time, double phase, double amplitude,
                          double rate)
{
    double growth = 0.0;
    if (s->expansion != 0.0 && time >= s->begin) {
        const double begin = s->start > 0.0 ? signal_smooth(time / s->start) : 1.0;
        const double value = s->base + begin * s->amplitude * amplitude * robot_wave(r, s, time, phase, rate);
        const double excess = value - s->reference;
        const double own = s->expansion * (s->cool_only && excess > 0.0 ? 0.0 : excess);
        growth += s->contract_only && own > 0.0 ? 0.0 : own;
    }
    return robot_limited(s, growth);
}

/* What is the same for all voxels of a material. */
DEVICE void robot_signal(const robot *r, const sine_row *s, sine_now *now, double time)
{
    if (!s->driven) return;
    if (r->actuated == ACTUATED_BY_MATERIAL) now->growth = robot_grown(r, s, time, 0.0, 1.0, 1.0);
    if (r->actuated != ACTUATED_BY_SINES) return;
    const double swing = (s->start > 0.0 ? signal_smooth(time / s->start) : 1.0) * s->amplitude;
    const double fraction = signal_fraction(time / s->period + s->phase);
    now->along = swing * signal_sine(fraction);
    now->across = swing * signal_sine(signal_fraction(fraction + 0.25));
    now->expansion = time >= s->begin ? s->expansion : 0.0;
}

DEVICE double robot_growth(const robot *r, const sine_row *s, const sine_now *now, int32_t v, double time)
{
    if (!s->driven) return 0.0;
    if (r->actuated == ACTUATED_BY_MATERIAL) return now->growth;
    if (r->actuated == ACTUATED_EACH)
        return robot_grown(r, s, time, r->wave[0][v], r->wave[1][v], r->wave[2][v]);
    const double middle = s->base - s->reference;
    const double excess = middle + (now->along * r->wave[0][v] + now->across * r->wave[1][v]);
    const double own = now->expansion * (s->cool_only && excess > 0.0 ? 0.0 : excess);
    return robot_limited(s, s->contract_only && own > 0.0 ? 0.0 : own);
}

/* ---- pressure ------------------------------------------------------------------------------------------------------ */

/* A step of share_pressure() (backend/cpu/share_loops.h) for one voxel: `all` are the pressures so far, of
 * both halves. `now` and `past`: its own in the last two steps, of the first half only. */
DEVICE double robot_share(const robot *r, int32_t v, const double *all, double source, int32_t step,
                          double *past)
{
    double sum = source;
    for (int k = 0; k < 6; k++) {
        const int32_t other = r->share_with[k][v];
        if (other < 0) break;
        sum = sum + r->share_weight[k][v] * all[other];
    }
    if (r->share_half[v] != 0) return sum;
    const double omega = r->share_omega[step];
    const double now = step > 0 ? all[v] : 0.0;
    sum = omega * r->share_gain * sum + omega * (1.0 - r->share_gain) * now;
    sum = sum + (1.0 - omega) * *past;
    *past = now;
    return sum;
}

/* ---- pairs ---------------------------------------------------------------------------------------------------------- */

/* What vxe_collide() (sim/collide.c) counts before it looks at pairs. */
DEVICE void robot_watch(robot_control *c)
{
    const double largest = 1.000001 * (contact_reach(c->reach, c->growth_most, c->growth_most) + c->margin);
    c->closed_before = c->closed;
    c->way_before = c->way;
    c->largest_before = c->largest;
    c->horizon_before = c->horizon;
    c->closed += 2.0 * c->rounding;
    c->way += 2.0 * c->rounding + (largest > c->largest ? largest - c->largest : 0.0);
    c->largest = largest;
    c->growth_most = 0.0; /* from here on that of the next step */
}

/* The host begins this step anew. */
DEVICE void robot_unwatch(robot_control *c)
{
    c->closed = c->closed_before;
    c->way = c->way_before;
    c->largest = c->largest_before;
    c->horizon = c->horizon_before;
    c->why = ROBOT_HOST;
}

DEVICE double robot_distance2(double *const p[3], int32_t v, int32_t w)
{
    const double x = p[0][w] - p[0][v];
    const double y = p[1][w] - p[1][v];
    const double z = p[2][w] - p[2][v];
    return x * x + y * y + z * z;
}

DEVICE double robot_due(const robot_control *c, double square, double way)
{
    return way + 0.999999 * (CONTROL_SQRT(square) - c->largest) - 1e-6 * c->largest;
}

/* Whether a pair touches in this step. If not, its next look is put off. */
DEVICE int robot_pair_touches(const robot_control *c, int32_t v, int32_t w, double *const position[3],
                              const double *growth, double *due)
{
    const double square = robot_distance2(position, v, w);
    const double reach = c->margin + contact_reach(c->reach, growth[v], growth[w]);
    if (square < reach * reach) return 1;
    *due = robot_due(c, square, c->way);
    return 0;
}

/* Whether two voxels, the first of them earlier in the lattice, can touch at all: offset_place() and
 * is_in_set() of sim/collide_list.c. */
DEVICE int robot_may_touch(const robot *r, int32_t v, int32_t w)
{
    const uint32_t column = (uint32_t)(r->cell[0][w] - r->cell[0][v] + 3);
    const uint32_t row = (uint32_t)(r->cell[1][w] - r->cell[1][v] + 3);
    const uint32_t layer = (uint32_t)(r->cell[2][w] - r->cell[2][v]);
    if (column >= 7U || row >= 7U || layer >= 4U) return 1;
    const uint32_t bit = r->offset_bit[(layer * 7U + row) * 7U + column];
    return bit == ROBOT_NO_OFFSET || (r->exclusion[v] >> bit & 1U) == 0;
}

/* ---- voxels ------------------------------------------------------------------------------------------------------- */

/* A voxel on its way through a step. */
typedef struct voxel_motion {
    rvec v0, w0, v1, w1;
    rvec load, moment;
} voxel_motion;

/* Where it is, and what it is. */
typedef struct voxel_place {
    double x, y, z, growth;
    double rest; /* of a floor with an edge */
    int32_t material;
    uint8_t fixed, stuck;
} voxel_place;

/* Whether the floor can touch it in this step; `depth` in m. */
DEVICE int robot_near_floor(const robot *r, int is, const voxel_place *p, double *depth)
{
    if ((is & IS_ON_FLOOR) == 0) return 0;
    *depth = floor_depth_of(r->pitch, p->growth, p->z);
    if ((is & IS_ON_DISC) != 0) {
        if (p->rest == ROBOT_PASSES_FLOOR) return 0;
        *depth -= p->rest;
    }
    return *depth > -FLOOR_NEAR * r->pitch;
}

/* vxe_settle_on_disc() of sim/floor.h. */
DEVICE void robot_settle(const robot *r, int is, voxel_place *p, double fall)
{
    if ((is & IS_ON_DISC) == 0) return;
    const double before = floor_depth_of(r->pitch, p->growth, p->z) + fall;
    if (!floor_is_under(p->x - r->middle[0], p->y - r->middle[1], r->edge * r->edge)) {
        p->rest = ROBOT_PASSES_FLOOR;
    } else if (p->rest == ROBOT_PASSES_FLOOR) {
        if (before < 0.5 * r->pitch * (1.0 + p->growth)) p->rest = before > 0.0 ? before : 0.0;
    } else if (before < p->rest) {
        p->rest = before > 0.0 ? before : 0.0;
    }
}

DEVICE floor_step robot_floor_step(const voxel_row *row, uint8_t fixed)
{
    floor_step t = row->step.floor;
    if ((fixed & ROBOT_DOF_Z) != 0) t.gives = (real)FLOOR_HELD;
    return t;
}

/* Held degrees of freedom go on as they did. */
DEVICE void robot_keep_held(uint8_t fixed, rvec v0, rvec w0, rvec *v1, rvec *w1)
{
    if (fixed == 0) return;
    if ((fixed & 1) != 0) v1->x = v0.x;
    if ((fixed & 2) != 0) v1->y = v0.y;
    if ((fixed & 4) != 0) v1->z = v0.z;
    if ((fixed & 8) != 0) w1->x = w0.x;
    if ((fixed & 16) != 0) w1->y = w0.y;
    if ((fixed & 32) != 0) w1->z = w0.z;
}

/* New velocities from loads. */
DEVICE void robot_kick(const voxel_row *row, rvec force, voxel_motion *k)
{
    k->load = rvec_add(force, row->weight);
    k->v1 = voxel_velocity(k->v0, k->load, real_of(1), row->step.kick_mass);
    k->w1 = voxel_velocity(k->w0, k->moment, real_of(1), row->step.kick_inertia);
}

/* The first half of ground damping, in the first part of a step. */
DEVICE void robot_damp(const voxel_row *row, voxel_motion *k)
{
    k->v1 = rvec_scale(row->step.half, k->v1);
    k->w1 = rvec_scale(row->step.half_turn, k->w1);
}

/* What the floor would make of a velocity; its part goes to `guess`. */
DEVICE rvec robot_guess(const robot *r, int is, const voxel_row *row, voxel_place *p, const voxel_motion *k,
                        rvec *guess)
{
    double depth = 0.0;
    if (!robot_near_floor(r, is, p, &depth)) return k->v1;
    rvec kept = rvec_scale(row->step.half, k->v1);
    rvec none = rvec_make(0, 0, 0);
    robot_keep_held(p->fixed, k->v0, none, &kept, &none);
    const floor_contact contact =
        voxel_on_floor(k->v0, kept, k->load, (real)depth, p->stuck != 0, p->stuck == ROBOT_STUCK_FRESH,
                       row->constants, robot_floor_step(row, p->fixed));
    if (contact.slips != 0) p->stuck = 0;
    rvec after = contact.velocity;
    robot_keep_held(p->fixed, k->v0, none, &after, &none);
    *guess = rvec_sub(after, k->v1);
    return after;
}

/* The load that lies between velocities before the step and now, of a voxel that is not held. */
DEVICE void robot_load_so_far(const voxel_row *row, voxel_motion *k)
{
    const rvec v1 = rvec_scale(real_of(1) / row->step.half, k->v1);
    const rvec w1 = rvec_scale(real_of(1) / row->step.half_turn, k->w1);
    k->load = rvec_scale(row->step.load_mass, rvec_sub(v1, k->v0));
    k->moment = rvec_scale(row->step.load_inertia, rvec_sub(w1, k->w0));
}

/* change_held() of backend/cpu/plain_motion.h: what supports feel of new velocities, and those they leave. */
DEVICE void robot_support(const robot *r, const robot_control *c, int32_t v, rvec v0, rvec w0, rvec *velocity,
                          rvec *spin)
{
    const uint8_t fixed = r->fixed_of[v];
    if (fixed == 0) return;
    const voxel_row *row = &r->rows[r->material[v]];
    const double per_second = 1.0 / c->kick;
    const rvec force = rvec_scale((real)(row->exact_mass * per_second), rvec_sub(*velocity, v0));
    const rvec moment = rvec_scale((real)(row->exact_inertia * per_second), rvec_sub(*spin, w0));
    r->held_load[0][v] += (double)force.x;
    r->held_load[1][v] += (double)force.y;
    r->held_load[2][v] += (double)force.z;
    r->held_load[3][v] += (double)moment.x;
    r->held_load[4][v] += (double)moment.y;
    r->held_load[5][v] += (double)moment.z;
    robot_keep_held(fixed, v0, w0, velocity, spin);
}

/* The load of a step in parts. */
DEVICE void robot_load_of(const robot *r, const voxel_row *row, int32_t v, uint8_t fixed, voxel_motion *k)
{
    if (fixed == 0) {
        robot_load_so_far(row, k);
        return;
    }
    k->load = rvec_make((real)r->held_load[0][v], (real)r->held_load[1][v], (real)r->held_load[2][v]);
    k->moment = rvec_make((real)r->held_load[3][v], (real)r->held_load[4][v], (real)r->held_load[5][v]);
}

typedef struct voxel_end {
    rvec v1, w1, total, contact;
    double speed2;
    uint8_t stuck;
} voxel_end;

/* Ground damping, floor, friction, what is held. `parts`: half of that damping has acted. */
DEVICE voxel_end robot_finish(const robot *r, int is, const voxel_row *row, const voxel_place *p,
                              const voxel_motion *k, int parts)
{
    voxel_end e;
    e.v1 = rvec_scale(parts ? row->step.half : row->step.keep, k->v1);
    e.w1 = rvec_scale(parts ? row->step.half_turn : row->step.keep_turn, k->w1);
    e.total = k->load;
    e.contact = rvec_make(0, 0, 0);
    e.stuck = 0;
    double depth = 0.0;
    if (robot_near_floor(r, is, p, &depth)) {
        robot_keep_held(p->fixed, k->v0, k->w0, &e.v1, &e.w1);
        const floor_contact contact =
            voxel_on_floor(k->v0, e.v1, k->load, (real)depth, p->stuck != 0, p->stuck == ROBOT_STUCK_FRESH,
                           row->constants, robot_floor_step(row, p->fixed));
        e.v1 = contact.velocity;
        e.contact = contact.force;
        e.total = rvec_add(k->load, e.contact);
        e.stuck = (uint8_t)(contact.fresh != 0 ? ROBOT_STUCK_FRESH : contact.stuck != 0);
    }
    robot_keep_held(p->fixed, k->v0, k->w0, &e.v1, &e.w1);
    e.speed2 = (double)rvec_dot(e.v1, e.v1);
    return e;
}

/* What is amiss with a voxel's new motion. */
DEVICE int robot_amiss(const robot_control *c, uint8_t fixed, const voxel_end *e)
{
    int found = 0;
    if ((fixed & ROBOT_DOF_MOVE) == ROBOT_DOF_MOVE) return 0;
    if (!(e->speed2 <= c->speed2_most) || !((double)rvec_dot(e->w1, e->w1) <= c->spin2_most))
        found |= FOUND_BAD;
    if (e->speed2 > c->fast2) found |= FOUND_FAST;
    if (e->speed2 > c->speed_known) found |= FOUND_PEAK;
    return found;
}

/* And with its links: the length of the shortest and the largest stretch. */
DEVICE int robot_links_amiss(const robot_control *c, double length, double size)
{
    int found = 0;
    if (size > c->strain_known) found |= FOUND_PEAK;
    if (length < CONTROL_CRUSHED * c->pitch) found |= FOUND_CRUSHED;
    if (length < CONTROL_LENGTH_MIN * c->pitch) found |= FOUND_SHORT;
    return found;
}

/* Whether a voxel has sunk or turned over: sim/diagnose.c. */
DEVICE int robot_is_folded(double *const p[3], int32_t v, int32_t far, rquat q1, rquat q2, int axis)
{
    const double d[3] = {p[0][far] - p[0][v], p[1][far] - p[1][v], p[2][far] - p[2][v]};
    for (int e = 0; e < 2; e++) {
        const rquat q = e == 0 ? q1 : q2;
        const double w = (double)q.w, x = (double)q.x, y = (double)q.y, z = (double)q.z;
        double t[3];
        if (axis == 0) {
            t[0] = 1.0 - 2.0 * (y * y + z * z), t[1] = 2.0 * (x * y + w * z), t[2] = 2.0 * (x * z - w * y);
        } else if (axis == 1) {
            t[0] = 2.0 * (x * y - w * z), t[1] = 1.0 - 2.0 * (x * x + z * z), t[2] = 2.0 * (y * z + w * x);
        } else {
            t[0] = 2.0 * (x * z + w * y), t[1] = 2.0 * (y * z - w * x), t[2] = 1.0 - 2.0 * (x * x + y * y);
        }
        if (d[0] * t[0] + d[1] * t[1] + d[2] * t[2] < 0.0) return 1;
    }
    return 0;
}

#endif
