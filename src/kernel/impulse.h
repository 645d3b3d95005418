/* Impulses in ONE voxel. It has a value, which fades; a pulse, which it passes on when it is due; and a time
 * until which it takes no other. */
#ifndef KERNEL_IMPULSE_H
#define KERNEL_IMPULSE_H

#include <stdbool.h>

/* What its material says. */
typedef struct impulse_law {
    double delay;      /* s, from a voxel to the next */
    double threshold;  /* what is less is not taken, and a value that fades below it is 0 */
    double decay;      /* what is left from a voxel to the next */
    double refractory; /* s */
    double fade;       /* what is left of the value ... */
    double fade_every; /* ... after so many s */
} impulse_law;

typedef struct impulse_state {
    double value;
    double pulse;    /* 0: none */
    double due;      /* s: when it is passed on */
    double resting;  /* s: until then no impulse is taken */
    double fade_due; /* s */
} impulse_state;

/* Takes an impulse that is to be passed on at `due`; `forced`: even while it rests. */
static inline bool impulse_take(impulse_state *s, impulse_law k, double value, double due, bool forced)
{
    if (value < k.threshold || !(value > 0.0) || (!forced && s->resting > due)) return false;
    s->value = value;
    s->pulse = value * k.decay < k.threshold ? 0.0 : value * k.decay;
    s->due = due;
    s->resting = due + k.refractory;
    s->fade_due = due + k.fade_every;
    return true;
}

/* Whether it passes a pulse on now. */
static inline bool impulse_is_due(const impulse_state *s, double time)
{
    return s->pulse > 0.0 && time >= s->due;
}

/* After it did: it rests until the echo is over, too. */
static inline void impulse_passed(impulse_state *s, impulse_law k)
{
    s->pulse = 0.0;
    const double until = s->due + 2.0 * k.delay + k.refractory;
    if (until > s->resting) s->resting = until;
}

static inline void impulse_fade(impulse_state *s, impulse_law k, double time)
{
    if (k.fade >= 1.0) return; /* it stays lit */
    while (s->value > 0.0 && time >= s->fade_due) {
        s->value = s->value < k.threshold || k.fade <= 0.0 ? 0.0 : s->value * k.fade;
        if (s->value < 1e-300) s->value = 0.0;
        s->fade_due += k.fade_every;
    }
}

#endif
