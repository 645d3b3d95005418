/* Contacts of a body that takes a grid: sim/contact.c by a whole grid. A warp has a group of contacts: the
 * islands that lie in a pack, or a large one. Within a group those that share no voxel are solved at once, in
 * the order of the list, by levels. What rounds let pass depends on the largest force of all: so all groups
 * take a round together. */
#ifndef BACKEND_CUDA_GRID_TOUCH_H
#define BACKEND_CUDA_GRID_TOUCH_H

#include "backend/cuda/grid_pairs.h"

enum { TOUCH_BEGINS = 1, TOUCH_SOLVES = 2 }; /* what a launch does */
enum { OWNS_FIRST = 1, OWNS_SECOND = 2, OWNS_NEAR_FLOOR = 4 };
enum { LEVEL_NONE = -1, LEVEL_UNKNOWN = -2 };
enum { GROUP_CHANGED = 1, GROUP_DUE = 2 };

typedef struct touch_group {
    const robot *r;
    touch_pack *packs;
    int32_t first;  /* place of the first pack's first contact */
    int32_t count;  /* packs */
    int32_t places; /* of each of its islands */
    double slight;  /* N */
    int open;       /* latches that give way stay open */
} touch_group;

/* What a lane keeps to itself. */
typedef struct touch_lane {
    touch_row row;     /* where a group has one pack: its contact, */
    touch_end ends[2]; /* its voxels, */
    uint32_t with[2];  /* lanes that have its first voxel, its second one, */
    int32_t owns;      /* and what it looks after */
    double most;       /* N: the largest force that it has come across */
} touch_lane;

DEVICE int32_t group_count(const crowd *w)
{
    return island_places(w, ISLAND_CLASSES) / PACK_LANES + w->big_count;
}

DEVICE touch_group group_of(const robot *r, int32_t number)
{
    const crowd *w = r->crowd;
    const int32_t small = island_places(w, ISLAND_CLASSES) / PACK_LANES;
    touch_group g;
    int which = 0;
    g.r = r;
    g.count = 1;
    g.first = number * PACK_LANES;
    if (number >= small) {
        g.count = (r->big_size[number - small] + PACK_LANES - 1) / PACK_LANES;
        g.first = (small + r->big_at[number - small]) * PACK_LANES;
        g.places = g.count * PACK_LANES;
    } else {
        while (which + 1 < ISLAND_CLASSES && g.first >= island_places(w, which + 1)) which++;
        g.places = 1 << which;
    }
    g.packs = r->packs + g.first / PACK_LANES;
    g.slight = 0.0;
    return g;
}

/* ---- rows to and from packs ----------------------------------------------------------------------------------------- */

#define ROW_WORD(member) ((offsetof(touch_row, member) - offsetof(touch_row, reach)) / 8)
#define ROW_WORDS(member) (sizeof(((touch_row *)0)->member) / 8)

DEVICE void pack_load(const touch_pack *p, int32_t lane, touch_row *row)
{
    row->first = p->first[lane];
    row->second = p->second[lane];
    row->level = p->level[lane];
    row->seen[0] = p->seen[0][lane];
    row->seen[1] = p->seen[1][lane];
    DEVICE_UNROLL
    for (size_t k = 0; k < TOUCH_WORDS; k++) {
        const uint64_t word = p->word[k][lane];
        memcpy((char *)row + offsetof(touch_row, reach) + 8 * k, &word, 8);
    }
}

DEVICE void pack_store_words(touch_pack *p, int32_t lane, const touch_row *row, size_t begin, size_t count)
{
    DEVICE_UNROLL
    for (size_t k = 0; k < TOUCH_WORDS; k++) {
        uint64_t word;
        if (k < begin || k >= begin + count) continue;
        memcpy(&word, (const char *)row + offsetof(touch_row, reach) + 8 * k, 8);
        p->word[k][lane] = word;
    }
}

/* What rounds change of it. */
DEVICE void pack_store_solved(touch_pack *p, int32_t lane, const touch_row *row)
{
    pack_store_words(p, lane, row, ROW_WORD(start.stuck), 1);
    pack_store_words(p, lane, row, ROW_WORD(force), ROW_WORDS(force));
}

/* ---- order and levels ------------------------------------------------------------------------------------------------ */

/* Contacts of an island in the order of the list. */
DEVICE void group_sort(const touch_group *g, touch_lane *o, int32_t lane)
{
    const robot *r = g->r;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t at = g->first + k * PACK_LANES + lane;
        const int32_t begin = g->first + (at - g->first) / g->places * g->places;
        const int32_t pair = r->slot_pair[at];
        int32_t rank = at - begin; /* places without a contact are the last ones */
        if (pair >= 0) {
            rank = 0;
            for (int32_t i = begin; i < begin + g->places; i++) {
                const int32_t other = r->slot_pair[i];
                rank += other >= 0 && other < pair;
            }
        }
        r->slot_sorted[begin + rank] = pair;
    }
}

DEVICE void group_take(const touch_group *g, touch_lane *o, int32_t lane)
{
    const robot *r = g->r;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t pair = r->slot_sorted[g->first + k * PACK_LANES + lane];
        touch_pack *p = &g->packs[k];
        p->pair[lane] = pair;
        p->first[lane] = pair >= 0 ? r->pair_first[pair] : -1;
        p->second[lane] = pair >= 0 ? r->pair_second[pair] : -1;
        p->level[lane] = pair >= 0 ? LEVEL_UNKNOWN : LEVEL_NONE;
    }
}

/* Who comes before it. */
DEVICE void group_order(const touch_group *g, touch_lane *o, int32_t lane)
{
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        touch_pack *p = &g->packs[k];
        const int32_t at = k * PACK_LANES + lane;
        const int32_t first = p->first[lane];
        const int32_t second = p->second[lane];
        int32_t before[2] = {-1, -1};
        if (p->pair[lane] < 0) continue;
        for (int32_t i = at / g->places * g->places; i < at; i++) {
            const touch_pack *other = &g->packs[i / PACK_LANES];
            const int32_t one = other->first[i % PACK_LANES];
            const int32_t two = other->second[i % PACK_LANES];
            if (one == first || two == first) before[0] = i;
            if (one == second || two == second) before[1] = i;
        }
        p->before[0][lane] = before[0];
        p->before[1][lane] = before[1];
        if (g->count == 1) { /* lanes with the same voxels */
            uint32_t with[2] = {0, 0};
            for (int32_t i = at / g->places * g->places; i < (at / g->places + 1) * g->places; i++) {
                const int32_t one = p->first[i];
                const int32_t two = p->second[i];
                if (one == first || two == first) with[0] |= 1U << i;
                if (one == second || two == second) with[1] |= 1U << i;
            }
            p->with[0][lane] = with[0];
            p->with[1][lane] = with[1];
        }
        p->owns[lane] = (before[0] < 0 ? OWNS_FIRST : 0) | (before[1] < 0 ? OWNS_SECOND : 0);
        p->seen[0][lane] = p->seen[1][lane] = -1;
    }
}

/* Levels: one more than those of the contacts before that share a voxel. Whether some are left. */
DEVICE int group_level(const touch_group *g, touch_lane *o, int32_t lane)
{
    int left = 0;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        touch_pack *p = &g->packs[k];
        int32_t level = 0;
        if (p->level[lane] != LEVEL_UNKNOWN) continue;
        DEVICE_UNROLL
        for (int e = 0; e < 2; e++) {
            const int32_t i = p->before[e][lane];
            if (i < 0 || level == LEVEL_UNKNOWN) continue;
            const int32_t other = WHOLE_LOOK(&g->packs[i / PACK_LANES].level[i % PACK_LANES]);
            level = other == LEVEL_UNKNOWN ? LEVEL_UNKNOWN : other >= level ? other + 1 : level;
        }
        if (level == LEVEL_UNKNOWN) {
            left = 1;
        } else {
            WHOLE_LOOK(&p->level[lane]) = level;
        }
    }
    return left;
}

/* Order and levels of the groups of a warp. */
DEVICE void touch_order_groups(const robot *r, touch_lane *o, int32_t warp, int32_t warps)
{
    const int32_t count = group_count(r->crowd);
    for (int32_t i = warp; i < count; i += warps) {
        const touch_group group = group_of(r, i);
        const touch_group *g = &group;
        int left = 0;
        WARP_PHASE(group_sort, g, o);
        WARP_PHASE(group_take, g, o);
        WARP_PHASE(group_order, g, o);
        do {
            left = 0;
            WARP_ANY(left, group_level, g, o);
        } while (left);
    }
}

/* The voxels that a contact looks after. */
DEVICE int32_t group_own(const touch_pack *p, int32_t lane, int e)
{
    if (p->pair[lane] < 0 || (p->owns[lane] & (e == 0 ? OWNS_FIRST : OWNS_SECOND)) == 0) return -1;
    return e == 0 ? p->first[lane] : p->second[lane];
}

/* Places in packs. */
DEVICE int32_t group_places(const crowd *w)
{
    return island_places(w, ISLAND_CLASSES) + w->big_packs * PACK_LANES;
}

/* ---- the beginning --------------------------------------------------------------------------------------------------- */

/* Where contacts begin: by threads that need nothing of each other. */
DEVICE void touch_begin_rows(const robot *r, int32_t thread, int32_t threads)
{
    const robot_control *c = r->control;
    const int32_t count = group_places(r->crowd);
    double most = 0.0;
    for (int32_t i = thread; i < count; i += threads) {
        touch_pack *p = &r->packs[i / PACK_LANES];
        const int32_t lane = i % PACK_LANES;
        touch_row row;
        if (p->pair[lane] < 0) continue;
        touch_place_row(r, r->is, c, r->position, r->growth, p->first[lane], p->second[lane], &row);
        touch_begin_row(r, c, &r->pair_state[p->pair[lane]], &row);
        if (row.force.along > most) most = row.force.along;
        pack_store_words(p, lane, &row, 0, TOUCH_WORDS);
        for (int e = 0; e < 2; e++) {
            const int32_t v = group_own(p, lane, e);
            if (v >= 0 && r->bodies[v].floor_seen != TOUCH_FLOOR_FAR) p->owns[lane] |= OWNS_NEAR_FLOOR;
        }
    }
    whole_largest(&r->crowd->most[0], most);
}

/* ---- rounds --------------------------------------------------------------------------------------------------------- */

DEVICE int group_is_due(const robot *r, const touch_row *row)
{
    return row->seen[0] != r->bodies[row->first].changes || row->seen[1] != r->bodies[row->second].changes;
}

/* What is needed of a row to tell whether it is due. */
DEVICE void group_peek(const touch_group *g, touch_lane *o, int32_t lane, int32_t k)
{
    o->row.first = g->packs[k].first[lane];
    o->row.second = g->packs[k].second[lane];
    o->row.level = g->packs[k].level[lane];
    o->row.seen[0] = g->packs[k].seen[0][lane];
    o->row.seen[1] = g->packs[k].seen[1][lane];
}

/* The level after one that has contacts whose voxels others have changed since. */
DEVICE int32_t group_next(const touch_group *g, touch_lane *o, int32_t lane, int32_t after)
{
    int32_t least = INT32_MAX;
    for (int32_t k = 0; k < g->count; k++) {
        group_peek(g, o, lane, k);
        if (o->row.level <= after || o->row.level >= least) continue;
        if (group_is_due(g->r, &o->row)) least = o->row.level;
    }
    return least;
}

DEVICE int group_visit(const touch_group *g, touch_lane *o, int32_t lane, int32_t level)
{
    const robot *r = g->r;
    int any = 0;
    for (int32_t k = 0; k < g->count; k++) {
        touch_pack *p = &g->packs[k];
        touch_row *row = &o->row;
        group_peek(g, o, lane, k);
        if (row->level != level || !group_is_due(r, row)) continue;
        pack_load(p, lane, row);
        const int changed = touch_solve_row(r, r->is, r->control, row, g->open) > g->slight;
        if (row->force.along > o->most) o->most = row->force.along;
        row->seen[0] = r->bodies[row->first].changes += changed;
        row->seen[1] = r->bodies[row->second].changes += changed;
        p->seen[0][lane] = row->seen[0];
        p->seen[1][lane] = row->seen[1];
        pack_store_solved(p, lane, row);
        if (changed) any = GROUP_CHANGED;
    }
    return any;
}

DEVICE int group_floor_under(const touch_group *g, int32_t v)
{
    const robot *r = g->r;
    voxel_place place = grid_place(r, v);
    const uint8_t stuck = place.stuck;
    touch_floor_round round;
    round.slight = g->slight;
    round.open = g->open;
    const int changed = touch_floor_body(r, r->is, r->control, round, &r->bodies[v], &place);
    if (place.stuck != stuck) r->stuck[v] = place.stuck;
    return changed;
}

/* The floor under their voxels, likewise. */
DEVICE int group_floor(const touch_group *g, touch_lane *o, int32_t lane)
{
    const robot *r = g->r;
    int any = 0;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        const touch_pack *p = &g->packs[k];
        if (p->pair[lane] < 0 || (p->owns[lane] & OWNS_NEAR_FLOOR) == 0) continue;
        for (int e = 0; e < 2; e++) {
            const int32_t v = group_own(p, lane, e);
            if (v < 0) continue;
            const touch_body *body = &r->bodies[v];
            if (body->floor_seen == body->changes || body->floor_seen == TOUCH_FLOOR_FAR) continue;
            if (group_floor_under(g, v)) any = GROUP_CHANGED;
        }
    }
    return any;
}

/* Whether the next round has anything to do: the floor has just been looked at. */
DEVICE int group_left(const touch_group *g, touch_lane *o, int32_t lane)
{
    for (int32_t k = 0; k < g->count; k++) {
        group_peek(g, o, lane, k);
        if (o->row.level >= 0 && group_is_due(g->r, &o->row)) return GROUP_DUE;
    }
    return 0;
}

/* A round of a large island: what of GROUP_CHANGED and GROUP_DUE is so. */
DEVICE int group_round(const touch_group *g, touch_lane *o)
{
    int found = 0;
    int32_t level = -1;
    for (;;) {
        int32_t next;
        WARP_LEAST(next, group_next, g, o, level);
        if (next == INT32_MAX) break;
        level = next;
        WARP_ANY_OF(found, group_visit, g, o, level);
    }
    WARP_ANY(found, group_floor, g, o);
    if ((found & GROUP_CHANGED) != 0) WARP_ANY(found, group_left, g, o);
    return found;
}

/* A pack by itself: its contacts stay with their lanes, and who is due is a bit per lane. */
DEVICE void pack_fetch(const touch_group *g, touch_lane *o, int32_t lane)
{
    const robot *r = g->r;
    const touch_pack *p = g->packs;
    if (p->pair[lane] < 0) {
        o->row.level = LEVEL_NONE;
        o->owns = 0;
        o->with[0] = o->with[1] = 0;
        return;
    }
    pack_load(p, lane, &o->row);
    o->with[0] = p->with[0][lane];
    o->with[1] = p->with[1][lane];
    o->owns = p->owns[lane];
    o->ends[0] = touch_end_of(r, r->is, o->row.first);
    o->ends[1] = touch_end_of(r, r->is, o->row.second);
}

DEVICE int pack_has(const touch_group *g, touch_lane *o, int32_t lane)
{
    (void)g;
    return o->row.level >= 0 ? (int)(1U << lane) : 0;
}

/* A level of a round, and who is due, changed in it. */
typedef struct pack_level {
    int32_t level;
    uint32_t due, changed;
} pack_level;

DEVICE int32_t pack_next(const touch_group *g, touch_lane *o, int32_t lane, pack_level now)
{
    (void)g;
    return (now.due >> lane & 1U) != 0 && o->row.level > now.level ? o->row.level : INT32_MAX;
}

DEVICE int pack_visit(const touch_group *g, touch_lane *o, int32_t lane, pack_level now)
{
    if ((now.due >> lane & 1U) == 0 || o->row.level != now.level) return 0;
    const double change = touch_solve_ends(g->r, touch_times(g->r->control), &o->row, o->ends, g->open);
    if (o->row.force.along > o->most) o->most = o->row.force.along;
    return change > g->slight ? (int)(1U << lane) : 0;
}

/* Who is due after it. */
DEVICE int pack_mark(const touch_group *g, touch_lane *o, int32_t lane, pack_level now)
{
    const uint32_t own = 1U << lane;
    const uint32_t others = (o->with[0] | o->with[1]) & ~own;
    (void)g;
    return ((now.due & own) != 0 && o->row.level != now.level) || (now.changed & others) != 0 ? (int)own : 0;
}

/* The floor under a voxel that it looks after, if contacts have changed its motion: lanes that have it, if
 * the floor changes it. */
DEVICE int pack_floor(const touch_group *g, touch_lane *o, int32_t lane, uint32_t changed)
{
    const robot *r = g->r;
    uint32_t any = 0;
    (void)lane;
    if ((o->owns & OWNS_NEAR_FLOOR) == 0) return 0;
    for (int e = 0; e < 2; e++) {
        const int32_t v = e == 0 ? o->row.first : o->row.second;
        if ((o->owns & (e == 0 ? OWNS_FIRST : OWNS_SECOND)) == 0 || (changed & o->with[e]) == 0) continue;
        if (r->bodies[v].floor_seen == TOUCH_FLOOR_FAR) continue;
        if (group_floor_under(g, v)) any |= o->with[e];
    }
    return (int)any;
}

DEVICE void pack_keep(const touch_group *g, touch_lane *o, int32_t lane, uint32_t due)
{
    if (o->row.level >= 0) pack_store_solved(g->packs, lane, &o->row);
    g->packs->due = due;
}

/* A round of a pack. */
DEVICE int pack_round(const touch_group *g, touch_lane *o, int round)
{
    pack_level now;
    uint32_t all = 0; /* that have changed */
    WARP_PHASE(pack_fetch, g, o);
    now.level = -1;
    now.due = g->packs->due;
    if (round == 0) {
        int has = 0;
        WARP_ANY(has, pack_has, g, o);
        now.due = (uint32_t)has;
    }
    for (;;) {
        int32_t next;
        int changed = 0, due = 0;
        WARP_LEAST(next, pack_next, g, o, now);
        if (next == INT32_MAX) break;
        now.level = next;
        WARP_ANY_OF(changed, pack_visit, g, o, now);
        now.changed = (uint32_t)changed;
        all |= now.changed;
        WARP_ANY_OF(due, pack_mark, g, o, now);
        now.due = (uint32_t)due;
    }
    int hit = 0;
    if (round == 0 || all != 0) WARP_ANY_OF(hit, pack_floor, g, o, round == 0 ? 0xffffffffU : all);
    now.due |= (uint32_t)hit;
    WARP_PHASE_OF(pack_keep, g, o, now.due);
    return (all != 0 || hit != 0 ? GROUP_CHANGED : 0) | (now.due != 0 ? GROUP_DUE : 0);
}

typedef struct touch_round_of {
    int number;
    double largest; /* N: force so far */
} touch_round_of;

/* One more that is due in the next round. One of the lanes. */
DEVICE void group_note(const robot *r, int32_t group, int round)
{
    const int32_t at = WHOLE_ADD(&r->crowd->due[round + 1], 1);
    r->group_due[round & 1][at] = group;
}

/* A round of the groups of a warp. Contacts that have changed are followed by others that are due. */
DEVICE void touch_round_groups(const robot *r, touch_lane *o, int32_t warp, int32_t warps, touch_round_of now)
{
    const crowd *w = r->crowd;
    const int round = now.number;
    const int32_t count = round == 0 ? group_count(w) : w->due[round];
#ifdef __CUDACC__
    o->most = now.largest;
#else
    for (int l = 0; l < WHOLE_LANES; l++) o[l].most = now.largest;
#endif
    for (int32_t i = warp; i < count; i += warps) {
        const int32_t number = round == 0 ? i : r->group_due[(round - 1) & 1][i];
        touch_group group = group_of(r, number);
        group.slight = TOUCH_CLOSE_ENOUGH * now.largest;
        group.open = round >= PAIR_ROUNDS_LATCHED;
        const int found = group.count == 1 ? pack_round(&group, o, round) : group_round(&group, o);
#ifdef __CUDACC__
        if (threadIdx.x % 32 != 0) continue;
#endif
        if ((found & GROUP_DUE) != 0) group_note(r, number, round);
    }
#ifdef __CUDACC__
    whole_largest(&r->crowd->most[round + 1], o->most);
#else
    for (int l = 0; l < WHOLE_LANES; l++) whole_largest(&r->crowd->most[round + 1], o[l].most);
#endif
}

/* ---- the forces of the last step --------------------------------------------------------------------------------- */

/* The level after one that has forces of the last step. */
DEVICE int32_t group_next_last(const touch_group *g, touch_lane *o, int32_t lane, int32_t after)
{
    int32_t least = INT32_MAX;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        const touch_pack *p = &g->packs[k];
        const int32_t level = p->level[lane];
        double force = 0.0;
        if (level <= after || level >= least) continue;
        memcpy(&force, &p->word[ROW_WORD(force)][lane], sizeof force);
        if (force > 0.0) least = level;
    }
    return least;
}

DEVICE void group_last(const touch_group *g, touch_lane *o, int32_t lane, int32_t level)
{
    for (int32_t k = 0; k < g->count; k++) {
        if (g->packs[k].level[lane] != level) continue;
        pack_load(&g->packs[k], lane, &o->row);
        if (o->row.force.along > 0.0) touch_push_pair(g->r, g->r->is, g->r->control, &o->row, o->row.force);
    }
}

/* Of a pack by itself. */
DEVICE int pack_presses(const touch_group *g, touch_lane *o, int32_t lane)
{
    (void)g;
    return o->row.level >= 0 && o->row.force.along > 0.0 ? (int)(1U << lane) : 0;
}

DEVICE void pack_last(const touch_group *g, touch_lane *o, int32_t lane, pack_level now)
{
    if ((now.due >> lane & 1U) != 0 && o->row.level == now.level)
        touch_push_pair(g->r, g->r->is, g->r->control, &o->row, o->row.force);
}

/* Of the groups of a warp. */
DEVICE void touch_last_groups(const robot *r, touch_lane *o, int32_t warp, int32_t warps, double unused)
{
    const int32_t count = group_count(r->crowd);
    (void)unused;
    for (int32_t i = warp; i < count; i += warps) {
        const touch_group group = group_of(r, i);
        const touch_group *g = &group;
        pack_level now;
        int presses = 0;
        now.level = -1;
        now.changed = 0;
        if (g->count == 1) {
            WARP_PHASE(pack_fetch, g, o);
            WARP_ANY(presses, pack_presses, g, o);
        }
        now.due = (uint32_t)presses;
        for (;;) {
            int32_t next;
            if (g->count == 1) {
                WARP_LEAST(next, pack_next, g, o, now);
            } else {
                WARP_LEAST(next, group_next_last, g, o, now.level);
            }
            if (next == INT32_MAX) break;
            now.level = next;
            if (g->count == 1) {
                WARP_PHASE_OF(pack_last, g, o, now);
            } else {
                WARP_PHASE_OF(group_last, g, o, now.level);
            }
        }
    }
}

/* ---- the end --------------------------------------------------------------------------------------------------------- */

/* What pairs remember: by threads that need nothing of each other. */
DEVICE void touch_close_rows(const robot *r, int32_t thread, int32_t threads)
{
    const int32_t count = group_places(r->crowd);
    int32_t pressing = 0;
    for (int32_t i = thread; i < count; i += threads) {
        const touch_pack *p = &r->packs[i / PACK_LANES];
        const int32_t lane = i % PACK_LANES;
        touch_row row;
        if (p->pair[lane] < 0) continue;
        pack_load(p, lane, &row);
        touch_close_row(r, r->control, &row, &r->pair_state[p->pair[lane]]);
        pressing += row.force.along > 0.0;
    }
    whole_add(&r->control->now_pairs, pressing);
}

DEVICE void group_feel_nothing(const touch_group *g, touch_lane *o, int32_t lane)
{
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        for (int e = 0; e < 2; e++) {
            const int32_t v = group_own(&g->packs[k], lane, e);
            for (int a = 0; a < 3 && v >= 0; a++) g->r->contact_force[a][v] = 0.0;
        }
    }
}

/* What voxels feel, in the order of the list. */
DEVICE int32_t group_next_level(const touch_group *g, touch_lane *o, int32_t lane, int32_t after)
{
    int32_t least = INT32_MAX;
    (void)o;
    for (int32_t k = 0; k < g->count; k++) {
        const int32_t level = g->packs[k].level[lane];
        if (level > after && level < least) least = level;
    }
    return least;
}

DEVICE void group_feel(const touch_group *g, touch_lane *o, int32_t lane, int32_t level)
{
    const robot *r = g->r;
    for (int32_t k = 0; k < g->count; k++) {
        const touch_row *row = &o->row;
        if (g->packs[k].level[lane] != level) continue;
        pack_load(&g->packs[k], lane, &o->row);
        const exact_rvec total =
            exact_rvec_add(exact_rvec_scale(row->force.along, row->place.normal), row->force.drag);
        const double force[3] = {total.x, total.y, total.z};
        for (int a = 0; a < 3; a++) {
            r->contact_force[a][row->first] -= force[a];
            r->contact_force[a][row->second] += force[a];
        }
    }
}

DEVICE void touch_feel_groups(const robot *r, touch_lane *o, int32_t warp, int32_t warps, double unused)
{
    const int32_t count = group_count(r->crowd);
    (void)unused;
    for (int32_t i = warp; i < count; i += warps) {
        const touch_group group = group_of(r, i);
        const touch_group *g = &group;
        int32_t level = -1;
        WARP_PHASE(group_feel_nothing, g, o);
        for (;;) {
            int32_t next;
            WARP_LEAST(next, group_next_level, g, o, level);
            if (next == INT32_MAX) break;
            level = next;
            WARP_PHASE_OF(group_feel, g, o, level);
        }
    }
}

/* ---- the program ---------------------------------------------------------------------------------------------------- */

/* `o`: a thread's own, on the host that of the lanes of a warp. */
DEVICE void touch_run(const robot *r, touch_lane *o, int what)
{
    if (r->control->why != ROBOT_RUNS || r->crowd->rows == 0) return;
    if ((what & TOUCH_BEGINS) != 0) WHOLE_WARPS(touch_last_groups, r, o, 0.0);
    if ((what & TOUCH_SOLVES) == 0) return;
    touch_round_of now;
    now.largest = 0.0;
    for (now.number = 0; now.number < PAIR_ROUNDS; now.number++) {
        const double force = grid_number(r->crowd->most[now.number]);
        if (force > now.largest) now.largest = force;
        WHOLE_WARPS(touch_round_groups, r, o, now);
        if (r->crowd->due[now.number + 1] == 0) break;
    }
    if (r->control->keep) WHOLE_WARPS(touch_feel_groups, r, o, 0.0);
}

#endif
