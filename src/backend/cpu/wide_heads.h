/* Where two threads meet. What the links of one part of the lattice do to the first voxels of the next is
 * known when its sweep is done: it lies in its rings. Until then the sum of each of these voxels' loads waits
 * in its pieces, because the links from the part before come first in it. Included by wide_loops.h. */
#ifndef BACKEND_CPU_WIDE_HEADS_H
#define BACKEND_CPU_WIDE_HEADS_H

#include "backend/cpu/wide_links.h"

/* A block of a part's head when the sweep has come to it. */
typedef struct head_block {
    int32_t i;
    ring_place y, z;
    block_sums carry, out, near;
} head_block;

ALWAYS int part_number(const sweep *w) { return (int)(w->part - w->sim->cpu->parts); }

/* Where the pieces of a group begin: 0, 1 and 2 for links along x, y and z that end here, HEAD_OWN. */
ALWAYS VXE_REAL *head_place(const sweep *w, int group, int32_t i)
{
    const wide_head *head = &w->plan->heads[part_number(w)];
    return (VXE_REAL *)head->numbers + (size_t)group * RING_PULLED_MOST * head->stride +
           (i * VXE_LANES - w->part->begin);
}

static void put_group(const sweep *w, int group, int32_t i, const block_sums *t)
{
    const ptrdiff_t stride = (ptrdiff_t)w->plan->heads[part_number(w)].stride;
    VXE_REAL *to = head_place(w, group, i);
    store_vec(to + RING_FORCE * stride, stride, t->force);
    store_vec(to + RING_MOMENT * stride, stride, t->moment);
    store_lanes(to + RING_RATE * stride, t->rate);
    if (w->audit == AUDIT_NONE) return;
    store_lanes(to + RING_CONJUGATE * stride, t->conjugate);
    store_vec(to + RING_LOST_FORCE * stride, stride, t->lost_force);
    store_vec(to + RING_LOST_MOMENT * stride, stride, t->lost_moment);
}

static block_sums get_group(const sweep *w, int group, int32_t i)
{
    const ptrdiff_t stride = (ptrdiff_t)w->plan->heads[part_number(w)].stride;
    const VXE_REAL *from = head_place(w, group, i);
    block_sums t = no_sums();
    t.force = load_vec(from + RING_FORCE * stride, stride);
    t.moment = load_vec(from + RING_MOMENT * stride, stride);
    t.rate = load_lanes(from + RING_RATE * stride);
    if (w->audit == AUDIT_NONE) return t;
    t.conjugate = load_lanes(from + RING_CONJUGATE * stride);
    t.lost_force = load_vec(from + RING_LOST_FORCE * stride, stride);
    t.lost_moment = load_vec(from + RING_LOST_MOMENT * stride, stride);
    return t;
}

/* In the sweep: what links of this part do, total_of() in its pieces. */
static __attribute__((noinline)) void keep_head(const sweep *w, const head_block *b)
{
    const bool lossy = w->audit != AUDIT_NONE && !w->implicit;
    for (int a = 1; a < 3; a++) {
        block_sums t = no_sums();
        wide_double conjugate = widen(real_of(0));
        pull_loads(w, b->i, a, w->audit, w->rated, w->implicit, a == 1 ? b->y : b->z, &t, &conjugate);
        t.conjugate = narrow(conjugate);
        put_group(w, a, b->i, &t);
    }
    const block_sums *carry = &b->carry;
    const block_sums *out = &b->out;
    block_sums x = no_sums();
    block_sums own = no_sums();
    add_near(w, b->i, 2, w->audit, w->rated, w->implicit, b->z, &own);
    add_near(w, b->i, 1, w->audit, w->rated, w->implicit, b->y, &own);
    x.force = shift_vec(carry->force, out->force);
    x.moment = shift_vec(carry->moment, out->moment);
    own.force = rvec_sub(own.force, out->force);
    own.moment = rvec_add(own.moment, out->near_moment);
    if (w->rated) {
        x.rate = SHIFT_IN(carry->rate, out->rate);
        own.rate = own.rate + out->rate;
    }
    if (w->audit != AUDIT_NONE && w->actuated) {
        x.conjugate = SHIFT_IN(carry->conjugate, out->conjugate);
        own.conjugate = own.conjugate + out->conjugate;
    }
    if (lossy) {
        x.lost_force = shift_vec(carry->lost_force, out->lost_force);
        x.lost_moment = shift_vec(carry->lost_moment, out->lost_moment);
        own.lost_force = rvec_sub(own.lost_force, out->lost_force);
        own.lost_moment = rvec_add(own.lost_moment, out->lost_near);
    }
    put_group(w, 0, b->i, &x);
    put_group(w, HEAD_OWN, b->i, &own);
    if (w->audit == AUDIT_MEASURE)
        store_double(w->sim->cpu->terms[SUM_elastic] + b->i * VXE_LANES, widen(b->near.elastic));
}

/* At the end of a sweep: what its last link along x does to the voxel behind it. */
static __attribute__((noinline)) void keep_carry(const sweep *w, const block_sums *last)
{
    VXE_REAL *to = w->plan->heads[part_number(w)].carry;
    const real all[RING_PULLED_MOST] = {
        last->force.x,      last->force.y,       last->force.z,       last->moment.x,     last->moment.y,
        last->moment.z,     last->rate,          last->conjugate,     last->lost_force.x, last->lost_force.y,
        last->lost_force.z, last->lost_moment.x, last->lost_moment.y, last->lost_moment.z};
    for (int d = 0; d < ring_arrays(w->audit, w->implicit); d++) to[d] = all[d][VXE_LANES - 1];
}

/* Lanes of a block whose near ends, `from` on, belong to a part. */
static uint32_t lanes_from(const sweep_part *part, int32_t from, uint32_t lanes)
{
    for (int32_t j = 0; j < VXE_LANES; j++) {
        if (from + j < part->begin || from + j >= part->end) lanes &= ~(1U << j);
    }
    return lanes;
}

/* Links along y or z that begin in parts before: from the rings of these. */
static void fill_group(const sweep *w, int a, int32_t i)
{
    const wide_pull *p = &w->plan->pulls[a][i];
    const wide_ring *ring = &w->plan->rings[a];
    const wide_segment whole = {p->from, p->lanes};
    const wide_segment *segments = p->segment_count == 0 ? &whole : w->plan->segments + p->segment;
    const int count = p->segment_count == 0 ? 1 : p->segment_count;
    const ptrdiff_t stride = (ptrdiff_t)w->plan->heads[part_number(w)].stride;
    const int arrays = ring_arrays(w->audit, w->implicit);
    for (int k = 0; k < count; k++) {
        const int32_t from = segments[k].far;
        for (int q = part_number(w) - 1; q >= 0; q--) {
            const sweep_part *part = &w->sim->cpu->parts[q];
            if (from + VXE_LANES <= part->begin) continue;
            const uint32_t lanes = lanes_from(part, from, segments[k].lanes & p->lanes);
            if (lanes != 0) {
                const int32_t at = (from - part->begin + ring->size) % ring->size;
                const VXE_REAL *source =
                    (const VXE_REAL *)ring->numbers + (size_t)q * RING_ARRAYS * ring->stride + at;
                for (int d = 0; d < arrays; d++) {
                    if (d == RING_RATE && !w->rated) continue; /* that is of an earlier step */
                    copy_lanes(head_place(w, a, i) + d * stride, source + (size_t)d * ring->stride, lanes);
                }
            }
            if (from >= part->begin) break;
        }
    }
}

/* And the one along x, into the first voxel. */
static void fill_first(const sweep *w, int32_t i)
{
    const ptrdiff_t stride = (ptrdiff_t)w->plan->heads[part_number(w)].stride;
    const VXE_REAL *carry = w->plan->heads[part_number(w) - 1].carry;
    for (int d = 0; d < ring_arrays(w->audit, w->implicit); d++) head_place(w, 0, i)[d * stride] = carry[d];
}

static void add_group(const block_sums *from, block_sums *t, wide_double *conjugate)
{
    t->force = rvec_add(t->force, from->force);
    t->moment = rvec_add(t->moment, from->moment);
    t->rate = t->rate + from->rate;
    t->lost_force = rvec_add(t->lost_force, from->lost_force);
    t->lost_moment = rvec_add(t->lost_moment, from->lost_moment);
    *conjugate = add_double(*conjugate, widen(from->conjugate));
}

/* When all sweeps are done: the whole load of a block of a head. */
static block_sums add_heads(const sweep *w, int32_t i)
{
    const native_state *s = w->s;
    const int32_t begin = i * VXE_LANES;
    const bool lossy = w->audit != AUDIT_NONE && !w->implicit;
    double *conjugates = w->audit != AUDIT_NONE && w->actuated ? w->sim->conjugate[0] + begin : NULL;
    wide_double conjugate = widen(real_of(0));
    block_sums t = no_sums();
    for (int a = 1; a < 3; a++) fill_group(w, a, i);
    if (begin == w->part->begin) fill_first(w, i);
    if (w->loaded) {
        t.force = load_vec(s->force[0] + begin, s->stride);
        t.moment = load_vec(s->moment[0] + begin, s->stride);
        t.rate = load_lanes(s->link_sum[0] + begin);
    }
    if (w->audit != AUDIT_NONE && w->context->bonded) {
        if (conjugates != NULL) conjugate = load_double(conjugates);
        if (lossy) t.lost_force = load_vec(s->lost_force[0] + begin, s->stride);
        if (lossy) t.lost_moment = load_vec(s->lost_moment[0] + begin, s->stride);
    }
    for (int group = 2; group >= 0; group--) {
        const block_sums pulled = get_group(w, group, i);
        add_group(&pulled, &t, &conjugate);
    }
    const block_sums own = get_group(w, HEAD_OWN, i);
    add_group(&own, &t, &conjugate);
    if (conjugates != NULL) store_double(conjugates, conjugate);
    return t;
}

#endif
