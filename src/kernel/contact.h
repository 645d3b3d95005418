/* The physics of ONE contact, with the floor or between two voxels that are not linked: a spring that returns
 * what it received at any step, a damper and Coulomb friction that only take.
 *
 * A spring evaluated at the positions of whole steps gains or loses whatever its kink hides inside a step.
 * Here its force is that of the energy U at half steps, where velocities live. With `before` the depth half a
 * step ago, `after` that of half a step ahead:
 *
 *     N (before - after) = U(before) - U(after)
 *
 * Work and energy then agree exactly, whatever the step, the stiffness and the moment of impact, so contacts
 * do not limit the step (docs/physics.md has the derivation). `after` depends on N: with `free` the depth
 * half a step ahead without contact, after = free - yield N. U is made of parabolas, so each piece of it
 * gives one quadratic equation. */
#ifndef KERNEL_CONTACT_H
#define KERNEL_CONTACT_H

#include "kernel/real.h"

/* U(depth) = stiffness/2 depth^2 + stop/2 (depth - edge)^2, each where it is positive. The second spring is
 * for deep contacts: voxels that have come in that far are in danger of passing each other. */
typedef struct contact_spring {
    real stiffness; /* N/m */
    real stop;      /* N/m */
    real edge;      /* m, > 0 */
} contact_spring;

/* Depth, as a part of the size, from which on the second spring acts, and its stiffness over the first. Four
 * voxels side by side let a ball pass that is 0.29 deep. */
#define CONTACT_STOP_DEPTH 0.1
#define CONTACT_STOP_STIFFNESS 20.0

/* The same as a part of the distance at which two voxels touch, if that is `distance` times their size: the
 * second spring is about the voxels themselves. */
static inline double contact_edge(double distance)
{
    return (distance - 1.0 + CONTACT_STOP_DEPTH) / distance;
}

static inline real contact_energy(real depth, contact_spring s)
{
    const real zero = real_of(0);
    const real first = real_max(depth, zero);
    const real second = real_max(depth - s.edge, zero);
    return real_of(0.5) * (s.stiffness * first * first + s.stop * second * second);
}

/* N: the springs' force at rest at a depth. */
static inline real contact_rest_force(real depth, contact_spring s)
{
    const real zero = real_of(0);
    return s.stiffness * real_max(depth, zero) + s.stop * real_max(depth - s.edge, zero);
}

/* How a step moves a contact along its normal. */
typedef struct contact_press {
    real before; /* m: depth half a step ago */
    real free;   /* m: half a step ahead without contact */
    real yield;  /* m/N: what a force takes from that, > 0 */
    real damp;   /* of 1: see contact_press_damp() */
} contact_press;

/* The damper c (N s/m) acts on the mean of the velocities before and after, so that it never adds energy,
 * weakened so that it can stop a motion within a step and not turn it round; `mobility` is 1/kg. */
static inline real contact_damp(real c, real mobility, real dt)
{
    const real y = real_of(0.5) * dt * c * mobility;
    return y / (real_of(1) + y);
}

/* The same of a press, whose way from half a step ago to half a step ahead is not `kick` times the mean of
 * the velocities where steps differ, nor its yield that of the way: a step that is cut short must not be
 * damped as if its voxel had come all that way in it. */
static inline real contact_press_damp(real c, real mobility, real kick, real step)
{
    return contact_damp(c, mobility, kick) * (step / kick);
}

/* contact_normal_of() where the second spring may act in some lane (`deep`), or in none, which leaves a good
 * part out. */
static inline real contact_normal_in(contact_press p, contact_spring s, real damped, const int deep)
{
    const real zero = real_of(0);
    const real one = real_of(1);
    const real half = real_of(0.5);
    const real a = p.before;
    const real damp = real_select(a > zero, p.damp, zero);
    const real share = real_select(a > zero, damped, one);
    const real free = share * (p.free + damp * a);
    const real c = share * p.yield;
    const real in = real_max(a, zero);
    const real stored = deep ? contact_energy(a, s) : half * (s.stiffness * in * in);
    /* On which piece of U the step ends. after + c N(after) = free has one root, because N grows with
     * `after`: compare both sides at the ends of the pieces. */
    const real_mask past_zero =
        (real_mask)(free * in > c * stored) | ((real_mask)(a <= zero) & (real_mask)(free > zero));
    /* U = k/2 depth^2 + slope depth + level there */
    real k = real_select(past_zero, s.stiffness, zero);
    real slope = zero;
    real level = zero;
    real_mask deeper = (real_mask)(a <= zero) & past_zero;
    real_mask shallower = (real_mask)(a > zero) & (real_mask)(k <= zero);
    if (deep) {
        const real from_edge = a - s.edge;
        const real_mask off_edge = from_edge * from_edge > zero;
        const real chord =
            (stored - half * s.stiffness * s.edge * s.edge) / real_select(off_edge, from_edge, one);
        const real at_edge = s.edge + c * real_select(off_edge, chord, s.stiffness * s.edge);
        const real_mask past_edge = (real_mask)(free > s.edge) & (real_mask)(at_edge < free);
        k = real_select(past_edge, s.stiffness + s.stop, k);
        slope = real_select(past_edge, zero - s.stop * s.edge, zero);
        level = real_select(past_edge, half * s.stop * s.edge * s.edge, zero);
        deeper = ((real_mask)(a <= s.edge) & past_edge) | deeper;
        shallower = ((real_mask)(a > s.edge) & ~past_edge) | ((real_mask)(a > zero) & (real_mask)(k <= zero));
    }
    /* It began on the same piece: the mean of the forces at both ends. */
    const real mean = half * k * (a + free);
    real force = (deep ? mean + slope : mean) / (one + half * k * c);
    if (real_any(deeper | shallower)) {
        /* It began on another: c (1 + k c/2) N^2 + middle N - given = 0. Of the two roots the one whose
         * `after` lies on the far piece, each without cancellation. */
        const real middle = a - free - k * c * free - slope * c;
        const real given = stored - (half * k * free * free + slope * free + level);
        const real lead = c * (one + half * k * c);
        const real root = real_sqrt(real_max(middle * middle + real_of(4) * lead * given, zero));
        const real inwards = real_of(-2) * given / (root - middle);
        const real outwards =
            real_select(middle > zero, real_of(2) * given / (middle + root), (root - middle) / (lead + lead));
        force = real_select(deeper, inwards, real_select(shallower, outwards, force));
    }
    return real_max(share * (force + damp * (p.free - a) / p.yield), zero);
}

/* N >= 0: the force between the surfaces during the step. A contact that begins in this step is not damped
 * yet. `damped` is 1/(1 + p.damp), which is the same for many. */
static inline real contact_normal_of(contact_press p, contact_spring s, real damped)
{
    const real most = real_max(p.before, p.free); /* and more than what damping leaves of p.free */
    return real_any((real_mask)(most > s.edge)) ? contact_normal_in(p, s, damped, 1)
                                                : contact_normal_in(p, s, damped, 0);
}

static inline real contact_normal(contact_press p, contact_spring s)
{
    return contact_normal_of(p, s, real_of(1) / (real_of(1) + p.damp));
}

/* Depth half a step ahead under a force, m. */
static inline real contact_after(contact_press p, real force) { return p.free - p.yield * force; }

/* ---- friction between two voxels ------------------------------------------------------------------------------------ */

/* A spring from the point where the surfaces stick, stretched by what they slide; it gives way where it
 * pulls more than friction can bear. Its extension too belongs to half steps, and its force is the mean of
 * those before and after. */
typedef struct contact_grip {
    real stiffness; /* N/m */
    real still;     /* coefficient of friction while it sticks */
    real sliding;   /* and while it slides */
} contact_grip;

/* The tangent spring is weaker than the normal one because voxels also turn: 1/m1 + 1/m2 becomes 5/2 times
 * that for equal cubes (I = m l^2/6, arm l/2), so 2/5 gives it the same frequency. */
#define CONTACT_TANGENT 0.4

typedef struct contact_slip {
    rvec force;      /* N, on the second voxel */
    rvec stick;      /* m, the extension half a step ahead */
    real_mask stuck; /* the new latch */
} contact_slip;

/* `stick`: extension half a step ago; `slide`: what the surfaces would slide until half a step ahead without
 * friction, m, second against first; `yield`: what a force takes from that, m/N; `damp`: contact_damp();
 * `normal`: N. What sliding and the damper take is never negative: sliding, the spring keeps no more than it
 * had and the work done on it. */
static inline contact_slip contact_friction(rvec stick, rvec slide, real yield, real damp, real normal,
                                            real_mask stuck, contact_grip g)
{
    const real zero = real_of(0);
    const real one = real_of(1);
    const real half = real_of(0.5);
    const real limit = real_select(stuck, g.still, g.sliding) * normal;
    const real most = g.sliding * normal;
    /* what friction can no longer bear is let go first */
    const real length = real_sqrt(rvec_dot(stick, stick));
    const real bears = limit / g.stiffness;
    const rvec borne = rvec_scale(real_select(length > bears, bears / real_max(length, bears), one), stick);
    const real reach = half * g.stiffness + damp / real_select(yield > zero, yield, one);
    const rvec pull = rvec_add(rvec_scale(g.stiffness, borne), rvec_scale(reach, slide));
    const real against = one + reach * yield;
    const real size = real_sqrt(rvec_dot(pull, pull));
    contact_slip r;
    r.stuck = size <= against * limit;
    const rvec along = rvec_scale(one / real_select(size > zero, size, one), pull);
    const real strength = real_select(r.stuck, size / against, most);
    r.force = rvec_scale(zero - strength, along);
    const rvec slid = rvec_sub(slide, rvec_scale(yield * strength, along));
    const rvec moved = rvec_add(borne, slid);
    const real worked = rvec_dot(borne, borne) + real_of(2) * (most / g.stiffness) * rvec_dot(along, slid);
    const real kept = real_min(most / g.stiffness, real_sqrt(real_max(worked, zero)));
    r.stick =
        (rvec){real_select(r.stuck, moved.x, kept * along.x), real_select(r.stuck, moved.y, kept * along.y),
               real_select(r.stuck, moved.z, kept * along.z)};
    return r;
}

#endif
