/* Pairs of voxels of a body that a block steps: watched, and listed again when others might come near, as in
 * sim/collide.c. */
#ifndef BACKEND_CUDA_PAIRS_H
#define BACKEND_CUDA_PAIRS_H

#include "backend/cuda/touch.h"

/* Before the links nothing else is in that place. */
DEVICE double *block_scratch(const block *b) { return (double *)(void *)b->way[0].xy; }

/* One thread, when a step has begun. */
DEVICE void block_watch(block *b)
{
    b->c->touching = 0;
    b->c->soonest = 1e300;
    robot_watch(b->c);
}

/* One thread, in a step that has begun by itself: whether pairs are to be looked at. */
DEVICE int block_watch_on(block *b)
{
    robot_control *c = b->c;
    control_pairs_end(c);
    control_pairs_begin(c);
    robot_watch(c);
    if (c->horizon - c->closed >= c->largest && (c->pair_count == 0 || c->way < c->soonest)) return 0;
    c->touching = 0;
    c->soonest = 1e300;
    return 1;
}

/* How far voxels have come since they were listed: along each axis. */
DEVICE void block_ways(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    double *at = block_scratch(b);
    const int listed = v < r->voxels && r->exclusion[v] != 0;
    (void)o;
    for (int a = 0; a < 3; a++)
        at[a * b->threads + v] = listed ? b->position[a][v] - r->anchor[a][v] : CONTROL_NEVER;
}

/* The largest of those of some voxels, squared, and their bounds; then of all. */
enum { WAY_PARTS = 16 };
typedef struct block_spread {
    double most, low[3], high[3];
} block_spread;

DEVICE block_spread block_no_spread(void)
{
    block_spread s;
    s.most = 0.0;
    for (int a = 0; a < 3; a++) {
        s.low[a] = CONTROL_NEVER;
        s.high[a] = -CONTROL_NEVER;
    }
    return s;
}

DEVICE void block_spread_ways(block *b, block_own *o, int32_t v)
{
    const double *at = block_scratch(b);
    block_spread s = block_no_spread();
    (void)o;
    if (v >= WAY_PARTS) return;
    for (int32_t i = v; i < b->r->voxels; i += WAY_PARTS) {
        double square = 0.0;
        if (at[i] == CONTROL_NEVER) continue;
        for (int a = 0; a < 3; a++) {
            const double way = at[a * b->threads + i];
            square += way * way;
            s.low[a] = way < s.low[a] ? way : s.low[a];
            s.high[a] = way > s.high[a] ? way : s.high[a];
        }
        if (!(square <= s.most)) s.most = square; /* also if it is not a number */
    }
    ((block_spread *)(void *)(block_scratch(b) + 3 * b->threads))[v] = s;
}

/* measure_closed() of sim/collide.c, and whether that is worth it. */
DEVICE void block_closed(block *b, block_own *o, int32_t v)
{
    robot_control *c = b->c;
    const block_spread *parts = (const block_spread *)(const void *)(block_scratch(b) + 3 * b->threads);
    block_spread all = block_no_spread();
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < WAY_PARTS; i++) {
        for (int a = 0; a < 3; a++) {
            all.low[a] = parts[i].low[a] < all.low[a] ? parts[i].low[a] : all.low[a];
            all.high[a] = parts[i].high[a] > all.high[a] ? parts[i].high[a] : all.high[a];
        }
        if (!(parts[i].most <= all.most)) all.most = parts[i].most;
    }
    const double twice = 2.0 * CONTROL_SQRT(all.most);
    double diagonal = 0.0;
    for (int a = 0; a < 3; a++) diagonal += (all.high[a] - all.low[a]) * (all.high[a] - all.low[a]);
    diagonal = CONTROL_SQRT(diagonal);
    c->closed = diagonal < twice ? diagonal : twice;
    c->relist = !(c->horizon - c->closed > c->largest + 0.1 * (c->horizon - c->largest));
    if (!c->relist) return;
    if (!c->lists) {
        robot_unwatch(c);
        return;
    }
    c->horizon = c->horizon_wanted;
    if (c->horizon < c->largest + 0.5 * c->pitch) c->horizon = c->largest + 0.5 * c->pitch;
}

/* The pairs of which a voxel is the first; written from `at` on, if that is not negative. How many there
 * are. */
DEVICE int32_t block_pairs_of(block *b, int32_t v, int32_t at)
{
    const robot *r = b->r;
    const double near = b->c->horizon * b->c->horizon;
    int32_t count = 0;
    if (r->exclusion[v] == 0) return 0;
    for (int32_t w = v + 1; w < r->voxels; w++) {
        const double square = robot_distance2(b->position, v, w);
        if (!(square < near) || r->exclusion[w] == 0 || !robot_may_touch(r, v, w)) continue;
        if (at >= 0) {
            r->pair_first[at + count] = v;
            r->pair_second[at + count] = w;
            r->pair_due[at + count] = robot_due(b->c, square, 0.0);
        }
        count++;
    }
    return count;
}

DEVICE void block_count_pairs(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v < b->r->voxels) ((int32_t *)(void *)block_scratch(b))[v] = block_pairs_of(b, v, -1);
}

/* Where those of each voxel begin: no other order would be that of the host. */
DEVICE void block_place_pairs(block *b, block_own *o, int32_t v)
{
    int32_t *at = (int32_t *)(void *)block_scratch(b);
    int32_t sum = 0;
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < b->r->voxels; i++) {
        const int32_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    b->c->furthest = b->c->pitch;
    if (sum <= b->c->pair_room) {
        b->c->pair_count = sum;
    } else {
        robot_unwatch(b->c); /* the host has more room */
    }
}

DEVICE void block_list_pairs(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    double furthest = 0.0;
    (void)o;
    if (v < r->voxels && r->exclusion[v] != 0) {
        (void)block_pairs_of(b, v, ((const int32_t *)(const void *)block_scratch(b))[v]);
        for (int a = 0; a < 3; a++) {
            const double x = b->position[a][v];
            r->anchor[a][v] = x;
            if (x > furthest || -x > furthest) furthest = x < 0.0 ? -x : x;
        }
    }
    block_most(&b->c->furthest, furthest);
}

DEVICE void block_listed(block *b, block_own *o, int32_t v)
{
    robot_control *c = b->c;
    (void)o;
    if (v != 0) return;
    c->rounding = 4.0e-16 * c->furthest;
    c->closed = c->way = 0.0;
    c->closed_before = c->way_before = 0.0; /* this is not done again */
    c->horizon_before = c->horizon;
    c->listed++;
}

/* Whether some pair touches. */
DEVICE int block_touching(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const double *growth = (b->is & IS_ACTUATED) != 0 ? b->grown : b->growth;
    int touches = 0;
    double soonest = 1e300;
    (void)o;
    for (int32_t i = v; i < b->c->pair_count; i += b->threads) {
        double due = r->pair_due[i];
        if (!(due > b->c->way)) {
            const int32_t first = r->pair_first[i];
            const int32_t second = r->pair_second[i];
            if (robot_pair_touches(b->c, first, second, b->position, growth, &due)) {
                touch_note(b, first, second);
                touches = 1;
                due = 0.0;
            } else {
                r->pair_due[i] = due;
            }
        }
        if (due < soonest) soonest = due;
    }
    if (soonest < 1e300) BLOCK_LEAST(&b->c->soonest, soonest > 0.0 ? soonest : 0.0);
    return touches;
}

/* Too many, or more than the device can do. */
DEVICE void block_leave(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v == 0) robot_unwatch(b->c);
}

/* Before the links of a step. */
DEVICE void block_watch_pairs(block *b, block_own *o)
{
    int touches = 0;
    if (b->c->horizon - b->c->closed < b->c->largest) { /* the sum of largest speeds is used up */
        BLOCK_PHASE(block_ways, b, o);
        BLOCK_PHASE(block_spread_ways, b, o);
        BLOCK_PHASE(block_closed, b, o);
        if (b->c->why == ROBOT_RUNS && b->c->relist) {
            BLOCK_PHASE(block_count_pairs, b, o);
            BLOCK_PHASE(block_place_pairs, b, o);
            if (b->c->why == ROBOT_RUNS) {
                BLOCK_PHASE(block_list_pairs, b, o);
                BLOCK_PHASE(block_listed, b, o);
            }
        }
    }
    if (b->c->why != ROBOT_RUNS) return;
    BLOCK_PHASE_ANY(touches, block_touching, b, o);
    if (!touches && b->c->touch_count == 0) return;
    if (touches && (!b->c->touches || b->c->touching > b->c->touch_room)) {
        BLOCK_PHASE(block_leave, b, o);
        return;
    }
    BLOCK_PHASE(touch_sort, b, o);
    BLOCK_PHASE(touch_sorted, b, o);
}

#endif
