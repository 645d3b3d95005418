/* The physics of ONE pair of voxels that may touch, between two half steps: where it begins, its forces with
 * what all others do now, what it leaves behind. The law of the contact itself is kernel/contact.h. Contacts
 * are always solved in double. */
#ifndef KERNEL_PAIR_H
#define KERNEL_PAIR_H

#include "kernel/contact.h"

/* s: the step before, this one, and what velocities change over. */
typedef struct pair_times {
    real before, step, kick;
} pair_times;

/* m/s and rad/s, of one voxel. */
typedef struct pair_motion {
    rvec velocity, spin;
} pair_motion;

/* Where the surfaces meet. */
typedef struct pair_place {
    rvec normal;     /* from the first to the second */
    real arm1, arm2; /* m: from the centres to the point of contact */
} pair_place;

/* What it does to the motion of its voxels. */
typedef struct pair_yield {
    real mobility, across; /* 1/kg: along the normal, and across it */
    real damp, damp_across;
} pair_yield;

/* Half a step ago and now. */
typedef struct pair_start {
    real rest;          /* m: depth from which it counts */
    real before, depth; /* m: half a step ago and now, less that */
    real parting;       /* m/s: before the step */
    rvec sliding;       /* m/s: likewise */
    rvec stick;         /* m: half a step ago */
    real_mask stuck;
} pair_start;

/* N, on the second voxel: along the normal and across it. */
typedef struct pair_force {
    real along;
    rvec drag;
} pair_force;

/* What a pair remembers from the last step. */
typedef struct pair_memory {
    rvec stick, force;
    real rest;
    real_mask stuck, touching;
} pair_memory;

static inline rvec pair_across(rvec a, rvec n) { return rvec_sub(a, rvec_scale(rvec_dot(a, n), n)); }

static inline contact_spring pair_spring(real stiffness, real reach, real edge)
{
    return (contact_spring){stiffness, real_of(CONTACT_STOP_STIFFNESS) * stiffness, edge * reach};
}
static inline contact_grip pair_grip(real stiffness, real still, real sliding)
{
    return (contact_grip){real_of(CONTACT_TANGENT) * stiffness, still, sliding};
}

/* Velocity of the second surface against the first. */
static inline rvec pair_velocity(pair_place p, pair_motion first, pair_motion second)
{
    const rvec v = rvec_sub(second.velocity, first.velocity);
    const rvec turn = rvec_add(rvec_scale(p.arm1, first.spin), rvec_scale(p.arm2, second.spin));
    return rvec_sub(v, rvec_cross(turn, p.normal));
}

/* `depth`: m, of the surfaces in each other now; `pressed`: in the first step pairs that are within reach
 * press on each other with all of it. */
static inline pair_start pair_begin(pair_place p, real depth, pair_memory m, rvec velocity, pair_times t,
                                    int pressed)
{
    const real zero = real_of(0);
    pair_start s;
    s.parting = rvec_dot(velocity, p.normal);
    s.sliding = pair_across(velocity, p.normal);
    /* a pair that is found in contact (its link broke, it was placed so) starts without energy stored */
    const real met = depth + real_of(0.5) * t.before * s.parting;
    const real deep = real_select(met > zero, met, zero);
    s.rest = real_select((real_mask)(m.touching == 0) | (real_mask)(deep < m.rest), deep, m.rest);
    if (pressed) s.rest = zero;
    s.depth = depth - s.rest;
    s.before = met - s.rest;
    s.stick = pair_across(m.stick, p.normal);
    s.stuck = m.stuck;
    return s;
}

/* The force of the last step, where the normal is now. */
static inline pair_force pair_last_force(pair_place p, rvec last)
{
    const real zero = real_of(0);
    const real along = rvec_dot(last, p.normal);
    const rvec drag = pair_across(last, p.normal);
    const real_mask presses = along > zero;
    return (pair_force){real_select(presses, along, zero),
                        {real_select(presses, drag.x, zero), real_select(presses, drag.y, zero),
                         real_select(presses, drag.z, zero)}};
}

/* Rounds over the pairs of a step, each with what all others do; most are over after four. Where static
 * friction is stronger than sliding friction, pairs can go on for ever: one slips, which relieves another,
 * which then holds the first. So latches that give way later stay open for the step. */
#define PAIR_ROUNDS 32
#define PAIR_ROUNDS_LATCHED 4

typedef struct pair_answer {
    pair_force force;
    real_mask slips; /* its latch gives way */
} pair_answer;

/* The forces with what all others do: `now` is the velocity with the forces `f`. */
static inline pair_answer pair_solve(pair_place p, pair_yield y, pair_start s, pair_force f, rvec now,
                                     contact_spring spring, contact_grip grip, pair_times t)
{
    const real half = real_of(0.5);
    const real parting = rvec_dot(now, p.normal) - t.kick * y.mobility * f.along;
    const contact_press press = {s.before, s.depth - half * t.step * parting,
                                 half * t.step * t.kick * y.mobility, y.damp};
    const real along = contact_normal(press, spring);
    const rvec sliding = rvec_sub(pair_across(now, p.normal), rvec_scale(t.kick * y.across, f.drag));
    const rvec slide = rvec_scale(half * t.kick, rvec_add(s.sliding, sliding));
    const contact_slip slip = contact_friction(s.stick, slide, half * t.kick * t.kick * y.across,
                                               y.damp_across, along, s.stuck, grip);
    return (pair_answer){{along, slip.force}, s.stuck & (real_mask)(slip.stuck == 0)};
}

/* N s: what a force does to the second voxel in a step. */
static inline rvec pair_impulse(pair_place p, pair_force f, pair_times t)
{
    return rvec_scale(t.kick, rvec_add(rvec_scale(f.along, p.normal), f.drag));
}

/* What is left behind. */
typedef struct pair_end {
    rvec stick;   /* m */
    real energy;  /* J: in its springs */
    real after;   /* m: depth half a step ahead */
    real parting; /* m/s: after the step */
    rvec slid;    /* m */
    real_mask stuck;
} pair_end;

static inline pair_end pair_close(pair_place p, pair_yield y, pair_start s, pair_force f, rvec now,
                                  contact_spring spring, contact_grip grip, pair_times t)
{
    const real half = real_of(0.5);
    pair_end e;
    e.parting = rvec_dot(now, p.normal);
    e.after = s.depth - half * t.step * e.parting;
    e.slid = rvec_scale(half * t.kick, rvec_add(s.sliding, pair_across(now, p.normal)));
    /* the slide that there was, with the force that acted: contact_friction() finds the same again */
    const real yield = half * t.kick * t.kick * y.across;
    const rvec free = rvec_sub(e.slid, rvec_scale(yield, f.drag));
    const contact_slip slip = contact_friction(s.stick, free, yield, y.damp_across, f.along, s.stuck, grip);
    const real stretched = half * grip.stiffness * rvec_dot(slip.stick, slip.stick);
    e.stick = slip.stick;
    e.energy = contact_energy(e.after, spring) + stretched;
    e.stuck = slip.stuck;
    return e;
}

#endif
