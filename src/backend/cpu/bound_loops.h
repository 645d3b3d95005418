/* What links do to their ends that move a little (sim/bound.c), several at once as the loops over contacts
 * have lanes. Part of contact_loops.h. */
#include "kernel/link.h"
#include "sim/bound.h"

static inline rvec batch_vec(double a[3][BOUND_BATCH], int at)
{
    return (rvec){load(a[0] + at), load(a[1] + at), load(a[2] + at)};
}
static inline void keep_batch_vec(double a[3][BOUND_BATCH], int at, rvec r)
{
    store(a[0] + at, r.x);
    store(a[1] + at, r.y);
    store(a[2] + at, r.z);
}

static void operate_batch(bound_batch *b, bool stiffness)
{
    for (int i = 0; i < BOUND_BATCH; i += LANES) {
        const real inverse = load(b->inverse + i);
        const link_chord chord = {batch_vec(b->e, i), real_of(0), inverse,
                                  inverse}; /* its length is not needed */
        const link_damping_rates rates = {load(b->rates[0] + i), load(b->rates[1] + i), load(b->rates[2] + i),
                                          load(b->rates[3] + i)};
        const bound_ends ends = {batch_vec(b->apart, i), batch_vec(b->near_turn, i),
                                 batch_vec(b->far_turn, i)};
        const link_load load_of = bound_operate(chord, ends, rates, load(b->pull + i),
                                                stiffness ? load(b->tension + i) : real_of(0), stiffness);
        keep_batch_vec(b->force, i, load_of.force);
        keep_batch_vec(b->near_moment, i, load_of.near_moment);
        keep_batch_vec(b->far_moment, i, load_of.far_moment);
    }
}
