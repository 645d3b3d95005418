/* What decides on the next step, on a device as in sim/step_pace.c and sim/step.c: the same numbers with the
 * same results. What seldom happens is left to the host: the device stops before such a step, and says why.
 */
#ifndef BACKEND_CUDA_CONTROL_H
#define BACKEND_CUDA_CONTROL_H

#ifdef __CUDACC__ /* as device code */
#define inline __device__ __forceinline__
#include "kernel/ringing.h"
#undef inline
#else
#include "kernel/ringing.h"
#endif

#include <stdint.h>

/* Why a device stopped. */
typedef enum robot_why {
    ROBOT_RUNS = 0,
    ROBOT_DONE, /* the steps or the time asked for */
    ROBOT_HOST, /* before a step that the host must take */
    ROBOT_LOOK, /* after a step in which something was amiss: the host finds out what */
    ROBOT_TIRED /* enough for this launch */
} robot_why;

/* What a step has found on its way; most find nothing. */
enum {
    FOUND_BAD = 1,      /* too fast, or not a number */
    FOUND_SHORT = 2,    /* a link that is crushed */
    FOUND_PEAK = 4,     /* a strain or speed larger than all before */
    FOUND_FAST = 8,     /* a voxel that may want shorter steps */
    FOUND_FALLEN = 16,  /* rates from which on the bound must be evaluated */
    FOUND_CRUSHED = 32, /* a link so short that it stiffens fast */
    FOUND_WRECK = 64    /* a voxel turned over or pressed through the floor */
};

typedef struct robot_control {
    /* asked for */
    int64_t steps_left;
    int64_t launch_left; /* steps of this launch */
    double end;          /* s */
    double look;         /* s: it stops when it has got there after a step */
    int32_t begun;       /* 1: one was taken */
    int32_t unused_too;  /* no gaps */
    /* the step: see vxe_sim */
    int64_t step;
    double time, last_time, last_dt;
    double dt, rate_at_bound; /* s, 1/s^2 */
    int64_t slow_since, looked;
    int32_t halvings, rises;
    int32_t rings; /* 1: damping so weak that strains shorten the step */
    int32_t risen; /* 1: all rates were smaller when they were measured last */
    int32_t fallen;
    int32_t implicit;
    double dt_fraction, pitch;
    double ringing_damping, ringing_impact, rang; /* kernel/ringing.h */
    double made_length, made_before; /* s: the step that rows of tables are made for, and the one before it */
    /* of the last step; exact when the device has stopped */
    double length_min, strain_max, speed_max, travel_max; /* as in step_measures */
    int64_t floor_contacts;
    /* peaks, and what they were before roots and divisions */
    double strain_peak, strain_time, speed_peak, speed_time;
    double strain_known, speed_known;
    int32_t fresh_peaks; /* 1: they begin with the next step */
    int32_t why;
    int32_t found;
    int32_t rates_new; /* 1: rates were measured since the start */
    int32_t unrisen;   /* 1: some rate is as large as it was at the bound */
    /* the step that is being taken */
    int32_t rated, keep;
    int32_t measure;      /* 1: what it measures is wanted exactly */
    int32_t rows;         /* 1: rows of tables are to be made for it */
    int32_t ready;        /* 1: control_calm() has gone on to the next step */
    int32_t rated_before; /* for control_undo(): */
    int64_t looked_before;
    double length, before, kick;
    double speed2_most, spin2_most; /* beyond is a fault */
    double fast2;                   /* m^2/s^2: from here on FOUND_FAST */
    double limits_length;           /* s: the step that these limits are for, */
    int64_t limits_halvings;        /* and its halvings */
    /* what it has measured so far: all voxels where `measure` is set, else those that are remarkable */
    double now_speed2,
        now_travel2;             /* m^2/s^2: squares of the largest speeds, of voxels that are free, of all */
    double now_size, now_length; /* m: the largest stretch, the shortest link */
    int64_t now_contacts;        /* with the floor */
    /* pairs of voxels that may touch: see sim/collide.c */
    int32_t pairs; /* 1: some are watched */
    int32_t lists; /* 1: the device can make the list of pairs */
    int32_t pair_count, pair_room;
    int32_t listed;        /* how often it has made it since the start */
    int32_t relist;        /* 1: it is to be made now */
    double horizon_wanted; /* m */
    double closed_before, way_before, largest_before,
        horizon_before; /* m: what the next four were before this step */
    double reach;       /* m: collision distance times pitch */
    double horizon, closed, way, largest, margin, rounding;
    double soonest;  /* m: no pair is due before `way` is this */
    double furthest; /* m: the largest coordinate, while the list is made */
    /* those that touch: see touch.h */
    int32_t touches;     /* 1: the device can solve their contacts */
    int32_t touch_room;  /* for so many */
    int32_t touch_count; /* in this step */
    int32_t touch_side;  /* which list */
    int32_t touching;    /* found so far */
    int32_t touch_levels;
    double touch_slight, touch_largest; /* N: what rounds let pass, what they have come across */
    int32_t touch_open;                 /* 1: latches that give way stay open */
    double collision_distance;
    int64_t now_pairs, pair_contacts;
    double growth_most; /* of a voxel in this step, 0 at least */
    double travel2;     /* m^2/s^2: square of the largest speed in this step, of any voxel */
} robot_control;

#ifdef __CUDACC__
#define DEVICE static __device__ __forceinline__
#define DEVICE_UNROLL _Pragma("unroll") /* what is indexed can then be in registers */
#define DEVICE_ROLLED _Pragma("unroll 1")
#define CONTROL_SQRT __dsqrt_rn
#else
#define DEVICE static inline
#define DEVICE_ROLLED
#define DEVICE_UNROLL
#define CONTROL_SQRT __builtin_sqrt
#endif

#define CONTROL_NEVER (1.0 / 0.0)
#define CONTROL_STRAIN_MAX 10.0 /* as in sim/diagnose.c */
#define CONTROL_LENGTH_MIN 0.05
#define CONTROL_CRUSHED 0.7
#define CONTROL_WRECK_STEPS 512
#define CONTROL_RATES_EVERY 4

DEVICE int64_t control_patience(const robot_control *c)
{
    return INT64_C(4096) << (c->rises < 20 ? c->rises : 20);
}

/* 1/2^n. */
DEVICE double control_part(int32_t n)
{
    double part = 1.0;
    for (int32_t i = 0; i < n; i++) part *= 0.5;
    return part;
}

/* bound_ringing() of sim/step_pace.c. */
DEVICE void control_ringing(robot_control *c)
{
    if (!c->rings) return;
    const double strain = c->strain_max;
    const double ahead = c->ringing_impact * c->speed_max;
    const int touches = c->floor_contacts + c->pair_contacts > 0;
    c->rang = ringing_lately(c->rang, c->ringing_damping, strain, ahead, touches);
    if (ringing_fraction(c->ringing_damping, strain, ahead, 1) < 1.0) c->slow_since = c->step;
    const double fraction =
        ringing_fraction(c->ringing_damping, strain, ahead, ringing_calm(c->rang, ahead, touches));
    while (c->dt_fraction / (double)(1 << c->halvings) > fraction) c->halvings++;
}

/* bound_way() of sim/step_pace.c. */
DEVICE void control_way(robot_control *c)
{
    const double shortest = c->length_min; /* 0 before the first step */
    const double most = shortest > 0.0 && shortest < 0.5 * c->pitch ? 0.5 * shortest : 0.25 * c->pitch;
    const double way = c->speed_max * c->dt;
    while (c->halvings < 6 && way > most * (double)(1 << c->halvings)) {
        c->halvings++;
        c->slow_since = c->step;
    }
    if (c->halvings == 0) return;
    if (way > 0.4 * most * (double)(1 << c->halvings)) c->slow_since = c->step;
    if (c->step - c->slow_since >= control_patience(c) && c->ringing_damping >= RINGING_ENDLESS) {
        c->halvings--;
        c->rises++;
        c->slow_since = c->step;
    }
}

/* margin_of() of sim/collide.c; it is seldom far from the last one. */
DEVICE void control_pairs_begin(robot_control *c)
{
    const double way = 1.5 * c->travel_max;
    const double least = 0x1p-20 * c->pitch;
    double margin = c->margin > least ? c->margin : least;
    while (margin > least && !(0.5 * margin < way)) margin *= 0.5;
    while (margin < way && margin < 0.5 * c->pitch) margin *= 2.0;
    c->margin = margin;
    c->travel2 = 0.0;
    c->now_pairs = 0;
}

DEVICE void control_pairs_end(robot_control *c)
{
    c->travel_max = c->length * CONTROL_SQRT(c->travel2);
    c->closed += 2.0 * c->travel_max;
    c->way += 2.0 * c->travel_max;
    c->pair_contacts = c->now_pairs;
}

/* Chooses the next step, or says why there is none. */
DEVICE void control_begin(robot_control *c)
{
    if (c->time >= c->end - 1e-9 * c->dt || c->steps_left == 0 || (c->begun && c->time >= c->look)) {
        c->why = ROBOT_DONE;
        return;
    }
    if (c->launch_left == 0) {
        c->why = ROBOT_TIRED;
        return;
    }
    if (c->fallen) {
        c->why = ROBOT_HOST;
        return;
    }
    if (!c->risen) {
        c->looked = c->step;
    } else if (c->step - c->looked >= control_patience(c)) {
        c->why = ROBOT_HOST;
        return;
    }
    control_ringing(c);
    control_way(c);
    const double dt = c->dt * control_part(c->halvings);
    const double longest = c->end - c->time;
    c->keep = c->steps_left == 1 || longest < 1.5 * dt || c->time + dt >= c->look;
    c->length = dt < longest ? dt : longest;
    c->before = c->last_dt;
    c->kick = 0.5 * (c->last_dt + c->length);
    c->rated = c->step % CONTROL_RATES_EVERY == 0 || c->length_min < CONTROL_CRUSHED * c->pitch;
    c->rows = c->length != c->made_length || c->before != c->made_before;
    /* whatever may end after this step must be measured */
    c->measure = c->rings || c->fresh_peaks || c->keep || c->launch_left == 1 ||
                 (c->risen && c->step + 1 - c->looked >= control_patience(c));
    if (c->length != c->limits_length || c->halvings != c->limits_halvings) {
        c->limits_length = c->length;
        c->limits_halvings = c->halvings;
        c->speed2_most = 0.25 * c->pitch * c->pitch / (c->length * c->length);
        c->spin2_most = 1.0 / (c->length * c->length);
        const double least = (c->halvings == 0 ? 0.25 : 0.1) * c->pitch * (double)(1 << c->halvings) / c->dt;
        c->fast2 = 0.999999 * (least * least);
    }
    c->now_speed2 = c->now_travel2 = c->now_size = 0.0;
    c->now_length = 1e300;
    c->now_contacts = 0;
    c->found = 0;
    c->unrisen = 0;
    if (c->pairs) control_pairs_begin(c);
}

/* Most steps are followed by one that is just like them, if nothing is found in them. Goes on to that one, in
 * the same words as control_end() and control_begin(), but for pairs, of which nothing is known before voxels
 * have moved: see control_pairs_end(). 0: they are to decide. */
DEVICE int control_calm(robot_control *c, int unrisen)
{
    const double time = c->time + c->length;
    const int64_t step = c->step + 1;
    const int64_t patience = control_patience(c);
    const double dt = c->dt * control_part(c->halvings);
    const double longest = c->end - time;
    const int risen = c->rated ? !unrisen && c->rate_at_bound > 0.0 : c->risen;
    if (c->measure || c->found != 0 || c->touch_count > 0 || c->fallen || c->rings || c->fresh_peaks)
        return 0;
    if (c->steps_left <= 2 || c->launch_left <= 2) return 0;
    if (time >= c->end - 1e-9 * c->dt || longest < 1.5 * dt || time + dt >= c->look) return 0;
    if (c->length != dt || c->before != dt || c->limits_length != dt) return 0;
    if (c->halvings != 0 && step - c->slow_since >= patience) return 0;
    if (risen && step + 1 - c->looked >= patience) return 0;
    c->looked_before = c->looked;
    c->rated_before = c->rated;
    if (!risen) c->looked = step;
    c->last_time = c->time;
    c->time = time;
    c->last_dt = c->length;
    c->step = step;
    c->steps_left--;
    c->launch_left--;
    c->begun = 1;
    c->speed_max = c->strain_max = 0.0;
    c->length_min = 1e300;
    if (c->rated) {
        c->rates_new = 1;
        c->risen = risen;
    }
    c->rated = step % CONTROL_RATES_EVERY == 0;
    c->rows = 0;
    return 1;
}

/* Something was found in the step after all: the control is as it was before control_calm(), but for what
 * control_end() sets anew. */
DEVICE void control_undo(robot_control *c)
{
    c->step--;
    c->time = c->last_time;
    c->steps_left++;
    c->launch_left++;
    c->looked = c->looked_before;
    c->rated = c->rated_before;
}

/* After a step. What was not measured was not remarkable. */
DEVICE void control_end(robot_control *c)
{
    const int measured = c->measure != 0 || c->found != 0;
    c->last_time = c->time;
    c->time += c->length;
    c->last_dt = c->length;
    c->step++;
    c->steps_left--;
    c->begun = 1;
    c->launch_left--;
    if (!measured) {
        c->speed_max = 0.0;
        c->strain_max = 0.0;
        c->length_min = 1e300;
    } else {
        if (c->now_size > c->strain_known) c->strain_known = c->now_size;
        if (c->now_speed2 > c->speed_known) c->speed_known = c->now_speed2;
        c->length_min = c->now_length < 1e29 ? c->now_length : CONTROL_NEVER; /* there may be no link */
        c->strain_max = c->now_size / c->pitch;
        c->speed_max = CONTROL_SQRT(c->now_speed2);
        c->travel_max = c->length * CONTROL_SQRT(c->now_travel2);
        c->floor_contacts = c->now_contacts;
        if (c->fresh_peaks) {
            c->strain_peak = c->speed_peak = 0.0;
            c->strain_time = c->speed_time = c->time;
            c->fresh_peaks = 0;
        }
        if (c->strain_max > c->strain_peak) {
            c->strain_peak = c->strain_max;
            c->strain_time = c->last_time;
        }
        if (c->speed_max > c->speed_peak) {
            c->speed_peak = c->speed_max;
            c->speed_time = c->time;
        }
    }
    if (c->pairs) control_pairs_end(c);
    if (c->rated) {
        c->rates_new = 1;
        c->risen = !c->unrisen && c->rate_at_bound > 0.0;
        c->fallen = (c->found & FOUND_FALLEN) != 0;
    }
    if ((c->found & (FOUND_BAD | FOUND_SHORT | FOUND_WRECK)) != 0 ||
        (measured && c->strain_max > CONTROL_STRAIN_MAX))
        c->why = ROBOT_LOOK;
}

#endif
