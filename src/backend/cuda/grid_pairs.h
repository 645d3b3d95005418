/* Pairs of voxels of a body that takes a grid: watched, listed again when others might come near, as in
 * sim/collide.c, those that touch found, and these put into islands: contacts that share voxels, directly or
 * through others. Islands need nothing of each other. Which comes first, and where they lie, is decided by
 * chance; within an island contacts get the order of the list: grid_touch.h. */
#ifndef BACKEND_CUDA_GRID_PAIRS_H
#define BACKEND_CUDA_GRID_PAIRS_H

#include "backend/cuda/whole.h"

/* ---- whether the list is good ------------------------------------------------------------------------------------- */

DEVICE void pairs_watch(const robot *r, int32_t thread, int32_t threads)
{
    (void)threads;
    if (thread == 0) robot_watch(r->control);
}

/* Too many, or more than the device can do. */
DEVICE void pairs_leave(const robot *r, int32_t thread, int32_t threads)
{
    (void)threads;
    if (thread == 0) robot_unwatch(r->control);
}

/* How far voxels have come since they were listed. */
DEVICE void pairs_ways(const robot *r, int32_t thread, int32_t threads)
{
    double most = 0.0;
    double low[3], high[3];
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        low[a] = CONTROL_NEVER;
        high[a] = -CONTROL_NEVER;
    }
    for (int32_t i = thread; i < r->candidate_count; i += threads) {
        const int32_t v = r->candidates[i];
        double square = 0.0;
        DEVICE_UNROLL
        for (int a = 0; a < 3; a++) {
            const double way = r->position[a][v] - r->anchor[a][i];
            square += way * way;
            low[a] = way < low[a] ? way : low[a];
            high[a] = way > high[a] ? way : high[a];
        }
        if (!(square <= most)) most = square;
    }
    whole_largest(&r->crowd->spread[0], most);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
        whole_largest(&r->crowd->spread[1 + a], high[a]);
        whole_largest(&r->crowd->spread[4 + a], -low[a]);
    }
}

/* measure_closed() of sim/collide.c, and whether that is worth it. */
DEVICE void pairs_closed(const robot *r, int32_t thread, int32_t threads)
{
    robot_control *c = r->control;
    const int64_t *spread = r->crowd->spread;
    double diagonal = 0.0;
    (void)threads;
    if (thread != 0) return;
    const double twice = 2.0 * CONTROL_SQRT(grid_number(spread[0]));
    for (int a = 0; a < 3; a++) {
        const double side = grid_number(spread[1 + a]) - -grid_number(spread[4 + a]);
        diagonal += side * side;
    }
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

/* ---- making it ------------------------------------------------------------------------------------------------------ */

/* Sums of all numbers before each, and of all behind the last. */
DEVICE void whole_sum(const robot *r, int32_t *numbers, int32_t count)
{
#ifdef __CUDACC__
    __shared__ int32_t parts[33];
    const int32_t threads = (int32_t)blockDim.x, blocks = (int32_t)gridDim.x;
    const int32_t at = (int32_t)threadIdx.x, lane = at % 32, warp = at / 32;
    const int32_t share = ((count + blocks - 1) / blocks + threads - 1) / threads * threads;
    const int32_t begin = (int32_t)blockIdx.x * share;
    const int32_t end = begin + share < count ? begin + share : count;
    int32_t sum = 0;
    if (at < 33) parts[at] = 0;
    __syncthreads();
    for (int32_t i = begin + at; i < end; i += threads) sum += numbers[i];
    sum = __reduce_add_sync(0xffffffffU, sum);
    if (lane == 0) atomicAdd(&parts[32], sum);
    __syncthreads();
    if (at == 0) r->sums[blockIdx.x] = parts[32];
    whole_wait(r);
    if (at == 0) parts[32] = 0;
    __syncthreads();
    sum = 0;
    for (int32_t b = at; b < (int32_t)blockIdx.x; b += threads) sum += r->sums[b];
    sum = __reduce_add_sync(0xffffffffU, sum);
    if (lane == 0) atomicAdd(&parts[32], sum);
    __syncthreads();
    int32_t before = parts[32];
    for (int32_t i = begin + at; i - at < end; i += threads) {
        const int32_t own = i < end ? numbers[i] : 0;
        int32_t upto = own;
        for (int d = 1; d < 32; d *= 2) {
            const int32_t other = __shfl_up_sync(0xffffffffU, upto, d);
            if (lane >= d) upto += other;
        }
        if (lane == 31) parts[warp] = upto;
        __syncthreads();
        int32_t others = 0, all = 0;
        for (int32_t k = 0; k < threads / 32; k++) {
            if (k < warp) others += parts[k];
            all += parts[k];
        }
        if (i < end) numbers[i] = before + others + upto - own;
        before += all;
        __syncthreads();
    }
    if (at == 0 && (int32_t)blockIdx.x == blocks - 1) numbers[count] = before;
    whole_wait(r);
#else
    int32_t sum = 0;
    (void)r;
    for (int32_t i = 0; i <= count; i++) {
        const int32_t own = i < count ? numbers[i] : 0;
        numbers[i] = sum;
        sum += own;
    }
#endif
}

DEVICE int32_t list_cells(const robot *r) { return r->cells[0] * r->cells[1] * r->cells[2]; }

/* Puts the contacts that exist aside; cells are empty. */
DEVICE void list_keep(const robot *r, int32_t thread, int32_t threads)
{
    const int32_t lane = thread % WHOLE_LANES;
    const int32_t count = r->control->pair_count;
    for (int32_t i = thread; i <= list_cells(r); i += threads) r->cell_begin[i] = 0;
    for (int32_t i = thread; i - lane < count; i += threads) {
        const int kept = i < count && r->pair_state[i].touching != 0;
        const int32_t at = whole_reserve(&r->crowd->kept, kept);
        if (!kept || at >= r->control->touch_room) continue;
        r->kept[at].first = r->pair_first[i];
        r->kept[at].second = r->pair_second[i];
        r->kept[at].state = r->pair_state[i];
    }
}

/* grid_coordinate() of sim/collide_list.c, within the grid. */
DEVICE int32_t list_coordinate(double x, double size, int32_t cells)
{
    const double cell = x / size;
    if (!(cell < 1e15 && cell > -1e15)) return 0;
    int64_t whole = (int64_t)cell;
    if ((double)whole > cell) whole--;
    return (int32_t)(whole & (cells - 1));
}

DEVICE void list_place(const robot *r, int32_t thread, int32_t threads)
{
    const double size = 1.000000001 * r->control->horizon; /* rounding must not part neighbours by two */
    for (int32_t i = thread; i < r->candidate_count; i += threads) {
        const int32_t v = r->candidates[i];
        const int32_t x = list_coordinate(r->position[0][v], size, r->cells[0]);
        const int32_t y = list_coordinate(r->position[1][v], size, r->cells[1]);
        const int32_t z = list_coordinate(r->position[2][v], size, r->cells[2]);
        const int32_t cell = (z * r->cells[1] + y) * r->cells[0] + x;
        r->cell_of[i] = cell;
        r->cell_rank[i] = WHOLE_ADD(&r->cell_begin[cell], 1);
    }
}

DEVICE void list_items(const robot *r, int32_t thread, int32_t threads)
{
    double furthest = 0.0;
    for (int32_t i = thread; i < r->candidate_count; i += threads) {
        const int32_t v = r->candidates[i];
        cell_item *item = &r->items[r->cell_begin[r->cell_of[i]] + r->cell_rank[i]];
        item->candidate = i;
        item->voxel = v;
        DEVICE_UNROLL
        for (int a = 0; a < 3; a++) {
            const double x = r->position[a][v];
            item->at[a] = x;
            if (x > furthest || -x > furthest) furthest = x < 0.0 ? -x : x;
        }
    }
    whole_largest(&r->crowd->furthest, furthest);
}

/* The pairs of an item with later ones of a run: how many there are then. Their second voxels are put in
 * order from a place on, as far as there is room. */
DEVICE int32_t list_run(const robot *r, const cell_item *one, int32_t first, int32_t last, int32_t *seconds,
                        int32_t room, int32_t count)
{
    const robot_control *c = r->control;
    const double near = c->horizon * c->horizon;
    const int32_t end = r->cell_begin[last + 1];
    for (int32_t k = r->cell_begin[first]; k < end; k++) {
        const cell_item *other = &r->items[k];
        if (other->candidate <= one->candidate) continue;
        const double x = other->at[0] - one->at[0];
        const double y = other->at[1] - one->at[1];
        const double z = other->at[2] - one->at[2];
        if (!(x * x + y * y + z * z < near) || !robot_may_touch(r, one->voxel, other->voxel)) continue;
        if (count < room) {
            int32_t j = count;
            for (; j > 0 && seconds[j - 1] > other->voxel; j--) seconds[j] = seconds[j - 1];
            seconds[j] = other->voxel;
        }
        count++;
    }
    return count;
}

/* Of all runs around it. At an end of the grid the cell beside lies at the other end. */
DEVICE int32_t list_around(const robot *r, const cell_item *one, int32_t *seconds, int32_t room)
{
    const int32_t nx = r->cells[0], ny = r->cells[1], nz = r->cells[2];
    const int32_t cell = r->cell_of[one->candidate];
    const int32_t x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
    int32_t count = 0;
    for (int k = 0; k < 9; k++) {
        const int32_t row = (((z + k / 3 - 1) & (nz - 1)) * ny + ((y + k % 3 - 1) & (ny - 1))) * nx;
        const int32_t left = x > 0 ? x - 1 : 0, right = x + 1 < nx ? x + 1 : x;
        count = list_run(r, one, row + left, row + right, seconds, room, count);
        if (x == 0) count = list_run(r, one, row + nx - 1, row + nx - 1, seconds, room, count);
        if (x == nx - 1) count = list_run(r, one, row, row, seconds, room, count);
    }
    return count;
}

DEVICE void list_count(const robot *r, int32_t thread, int32_t threads)
{
    for (int32_t k = thread; k < r->candidate_count; k += threads) {
        const cell_item one = r->items[k];
        r->pair_begin[one.candidate] = list_around(r, &one, &r->hits[(int64_t)k * HITS_MOST], HITS_MOST);
    }
}

DEVICE void list_room(const robot *r, int32_t thread, int32_t threads)
{
    robot_control *c = r->control;
    const int32_t count = r->pair_begin[r->candidate_count];
    (void)threads;
    if (thread != 0) return;
    if (count > c->pair_room || r->crowd->kept > c->touch_room) {
        robot_unwatch(c); /* the host has more */
    } else {
        c->pair_count = count;
    }
}

DEVICE void list_pairs(const robot *r, int32_t thread, int32_t threads)
{
    for (int32_t k = thread; k < r->candidate_count; k += threads) {
        const cell_item one = r->items[k];
        const int32_t i = one.candidate;
        const int32_t begin = r->pair_begin[i];
        const int32_t count = r->pair_begin[i + 1] - begin;
        const int32_t *seconds = &r->hits[(int64_t)k * HITS_MOST];
        if (count > HITS_MOST) {
            (void)list_around(r, &one, r->pair_second + begin, count);
            seconds = r->pair_second + begin;
        }
        for (int32_t j = 0; j < count; j++) {
            const int32_t w = seconds[j];
            r->pair_first[begin + j] = one.voxel;
            r->pair_second[begin + j] = w;
            r->pair_due[begin + j] = robot_due(r->control, robot_distance2(r->position, one.voxel, w), 0.0);
            r->pair_state[begin + j] = touch_nothing();
        }
        DEVICE_UNROLL
        for (int a = 0; a < 3; a++) r->anchor[a][i] = one.at[a];
    }
}

/* Contacts go on in the new list. */
DEVICE void list_restore(const robot *r, int32_t thread, int32_t threads)
{
    robot_control *c = r->control;
    for (int32_t k = thread; k < r->crowd->kept; k += threads) {
        const touch_kept *kept = &r->kept[k];
        int32_t low = 0;
        int32_t high = c->pair_count;
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (r->pair_first[middle] < kept->first ||
                (r->pair_first[middle] == kept->first && r->pair_second[middle] < kept->second)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == c->pair_count || r->pair_first[low] != kept->first || r->pair_second[low] != kept->second)
            continue;
        r->pair_state[low] = kept->state;
        r->pair_due[low] = 0.0; /* if it has parted, that must be seen */
    }
    if (thread != 0) return;
    const double furthest = grid_number(r->crowd->furthest);
    c->rounding = 4.0e-16 * (furthest > c->pitch ? furthest : c->pitch);
    c->closed = c->way = 0.0;
    c->closed_before = c->way_before = 0.0; /* this is not done again */
    c->horizon_before = c->horizon;
    c->listed++;
}

DEVICE void pairs_list(const robot *r)
{
    WHOLE_PHASE(list_keep, r);
    WHOLE_PHASE(list_place, r);
    whole_sum(r, r->cell_begin, list_cells(r));
    WHOLE_PHASE(list_items, r);
    WHOLE_PHASE(list_count, r);
    whole_sum(r, r->pair_begin, r->candidate_count);
    WHOLE_PHASE(list_room, r);
    if (r->control->why != ROBOT_RUNS) return;
    WHOLE_PHASE(list_pairs, r);
    WHOLE_PHASE(list_restore, r);
}

/* ---- who touches -------------------------------------------------------------------------------------------------- */

/* can_part() of sim/contact.c. */
DEVICE int pairs_can_part(const robot *r, int32_t v, int32_t w, double square)
{
    if ((touch_fixed(r, r->is, v) | touch_fixed(r, r->is, w)) == 0) return square > 0.0;
    double offset[3];
    for (int a = 0; a < 3; a++) offset[a] = r->position[a][w] - r->position[a][v];
    const exact_rvec n = exact_rvec_scale(1.0 / CONTROL_SQRT(square), touch_from(offset));
    return touch_mobility_along(r, r->is, v, n, 1.0) + touch_mobility_along(r, r->is, w, n, 1.0) > 0.0;
}

/* Whether a pair that is due has a contact now; if not, its next look is put off. */
DEVICE int pairs_look(const robot *r, int32_t i)
{
    const robot_control *c = r->control;
    const int32_t v = r->pair_first[i];
    const int32_t w = r->pair_second[i];
    double due = 0.0;
    if (robot_pair_touches(c, v, w, r->position, r->growth, &due)) {
        if (pairs_can_part(r, v, w, robot_distance2(r->position, v, w))) return 1;
        (void)WHOLE_ADD(&r->crowd->idle, 1);
    } else if (r->pair_state[i].touching != 0) {
        r->pair_state[i] = touch_nothing(); /* it is looked at again in the next step */
    } else {
        r->pair_due[i] = due;
    }
    return 0;
}

/* A thread has some at a time, so that they get their places together. */
enum { PAIRS_AT_ONCE = 8 };

DEVICE void pairs_touching(const robot *r, int32_t thread, int32_t threads)
{
    const robot_control *c = r->control;
    const int32_t lane = thread % WHOLE_LANES;
    const int32_t count = c->pair_count;
    const double way = c->way;
    for (int32_t begin = (thread - lane) * PAIRS_AT_ONCE; begin < count; begin += threads * PAIRS_AT_ONCE) {
        double due[PAIRS_AT_ONCE];
        uint32_t found = 0;
        int32_t number = 0;
        DEVICE_UNROLL
        for (int k = 0; k < PAIRS_AT_ONCE; k++) {
            const int32_t i = begin + k * WHOLE_LANES + lane;
            due[k] = i < count ? r->pair_due[i] : CONTROL_NEVER;
        }
        DEVICE_UNROLL
        for (int k = 0; k < PAIRS_AT_ONCE; k++) {
            if (due[k] > way || !pairs_look(r, begin + k * WHOLE_LANES + lane)) continue;
            found |= 1U << k;
            number++;
        }
        int32_t at = whole_reserve(&r->crowd->rows, number);
        for (int k = 0; k < PAIRS_AT_ONCE; k++) {
            if ((found >> k & 1U) == 0) continue;
            if (at < c->touch_room) r->row_pair[at] = begin + k * WHOLE_LANES + lane;
            at++;
        }
    }
}

/* ---- islands -------------------------------------------------------------------------------------------------------- */

/* The first voxel of an island so far; the way to it gets shorter. */
DEVICE int32_t island_of(const robot *r, int32_t v)
{
    for (;;) {
        const int32_t next = WHOLE_LOOK(&r->parent[v]);
        if (next == v) return v;
        const int32_t after = WHOLE_LOOK(&r->parent[next]);
        if (after == next) return next;
        WHOLE_LOOK(&r->parent[v]) = after;
        v = after;
    }
}

/* Sets a number, if it is what it was: what it is. */
DEVICE int32_t island_swap(int32_t *place, int32_t was, int32_t to)
{
#ifdef __CUDACC__
    return atomicCAS(place, was, to);
#else
    const int32_t is = *place;
    if (is == was) *place = to;
    return is;
#endif
}

/* Joins the voxels of each contact. Places in packs are empty. */
DEVICE void island_join(const robot *r, int32_t thread, int32_t threads)
{
    const int32_t rows = r->crowd->rows;
    for (int32_t i = thread; i < 2 * rows + PACK_LANES * ISLAND_CLASSES; i += threads) r->slot_pair[i] = -1;
    for (int32_t i = thread; i < rows; i += threads) {
        int32_t one = r->pair_first[r->row_pair[i]];
        int32_t two = r->pair_second[r->row_pair[i]];
        (void)island_swap(&r->parent[one], -1, one);
        (void)island_swap(&r->parent[two], -1, two);
        for (;;) {
            one = island_of(r, one);
            two = island_of(r, two);
            if (one == two) break;
            const int32_t later = one > two ? one : two;
            const int32_t earlier = one > two ? two : one;
            if (island_swap(&r->parent[later], later, earlier) == later) break;
        }
    }
}

DEVICE void island_count(const robot *r, int32_t thread, int32_t threads)
{
    for (int32_t i = thread; i < r->crowd->rows; i += threads) {
        const int32_t island = island_of(r, r->pair_first[r->row_pair[i]]);
        r->row_island[i] = island;
        r->row_rank[i] = WHOLE_ADD(&r->island_size[island], 1);
    }
}

/* log2 of the places of an island of so many; ISLAND_CLASSES: it has packs of its own. */
DEVICE int island_class(int32_t size)
{
    int which = 0;
    while (which < ISLAND_CLASSES && (1 << which) < size) which++;
    return which;
}

/* The first contact of each asks for a place. */
DEVICE void island_ask(const robot *r, int32_t thread, int32_t threads)
{
    crowd *w = r->crowd;
    const int32_t lane = thread % WHOLE_LANES;
    for (int32_t i = thread; i - lane < w->rows; i += threads) {
        const int first = i < w->rows && r->row_rank[i] == 0;
        const int32_t island = first ? r->row_island[i] : 0;
        const int32_t size = first ? r->island_size[island] : 0;
        const int own = first ? island_class(size) : -1;
        for (int which = 0; which < ISLAND_CLASSES; which++) {
            const int32_t at = whole_reserve(&w->classes[which], own == which);
            if (own == which) r->island_at[island] = at;
        }
        if (own != ISLAND_CLASSES) continue;
        const int32_t big = WHOLE_ADD(&w->big_count, 1);
        const int32_t at = WHOLE_ADD(&w->big_packs, (size + PACK_LANES - 1) / PACK_LANES);
        r->island_at[island] = at;
        r->big_at[big] = at;
        r->big_size[big] = size;
        if (size > ISLAND_MOST) w->too_big = 1;
    }
}

/* The first place of a class; of the last: how many places there are. */
DEVICE int32_t island_places(const crowd *w, int which)
{
    int32_t sum = 0;
    for (int k = 0; k < which; k++) sum += ((w->classes[k] << k) + PACK_LANES - 1) / PACK_LANES * PACK_LANES;
    return sum;
}

DEVICE void island_place(const robot *r, int32_t thread, int32_t threads)
{
    const crowd *w = r->crowd;
    const int32_t small = island_places(w, ISLAND_CLASSES);
    for (int32_t i = thread; i < w->rows; i += threads) {
        const int32_t island = r->row_island[i];
        const int which = island_class(r->island_size[island]);
        const int32_t at = r->island_at[island];
        const int32_t begin =
            which < ISLAND_CLASSES ? island_places(w, which) + (at << which) : small + at * PACK_LANES;
        r->slot_pair[begin + r->row_rank[i]] = r->row_pair[i];
    }
}

DEVICE void pairs_told(const robot *r, int32_t thread, int32_t threads)
{
    (void)threads;
    if (thread == 0) r->control->touch_count = r->crowd->rows + r->crowd->idle;
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

DEVICE void pairs_run(const robot *r)
{
    const robot_control *c = r->control;
    const crowd *w = r->crowd;
    if (c->why != ROBOT_RUNS) return;
    if ((r->is & IS_ACTUATED) != 0) WHOLE_PHASE(pairs_watch, r);
    if (c->horizon - c->closed < c->largest) { /* the sum of largest speeds is used up */
        WHOLE_PHASE(pairs_ways, r);
        WHOLE_PHASE(pairs_closed, r);
        if (c->why != ROBOT_RUNS) return;
        if (c->relist) pairs_list(r);
        if (c->why != ROBOT_RUNS) return;
    }
    WHOLE_PHASE(pairs_touching, r);
    if (w->rows > c->touch_room || (w->rows + w->idle > 0 && !c->touches)) {
        WHOLE_PHASE(pairs_leave, r);
        return;
    }
    if (w->rows > 0) {
        WHOLE_PHASE(island_join, r);
        WHOLE_PHASE(island_count, r);
        WHOLE_PHASE(island_ask, r);
        if (w->too_big) {
            WHOLE_PHASE(pairs_leave, r);
            return;
        }
        WHOLE_PHASE(island_place, r);
    }
    WHOLE_PHASE(pairs_told, r);
}

#endif
