/* Voxels that touch each other, of a body that a block steps: sim/contact.c by many threads. Contacts that
 * share a voxel are solved one after the other in the order of the list, as there; those that share none, at
 * once: a contact waits for those before it that have one of its voxels, which gives it a level. */
#ifndef BACKEND_CUDA_TOUCH_H
#define BACKEND_CUDA_TOUCH_H

#include "backend/cuda/contacts.h"
#include "backend/cuda/shared.h"

/* ---- which ---------------------------------------------------------------------------------------------------------- */

/* Notes a pair that touches; in any order. */
DEVICE void touch_note(block *b, int32_t first, int32_t second)
{
#ifdef __CUDACC__
    const int32_t at = atomicAdd(&b->c->touching, 1);
#else
    const int32_t at = b->c->touching++;
#endif
    if (at < b->c->touch_room) b->r->noted[at] = (uint32_t)first << 16 | (uint32_t)second;
}

/* What a pair remembers from the last step; NULL: nothing. */
DEVICE const touch_state *touch_known(const block *b, uint32_t key)
{
    const touch *list = b->r->touches[b->c->touch_side];
    int32_t low = 0;
    int32_t high = b->c->touch_count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (list[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < b->c->touch_count && list[low].key == key ? &list[low].state : NULL;
}

/* In the order of the list, with what they remember. */
DEVICE void touch_sort(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const int32_t count = b->c->touching;
    touch *list = r->touches[1 - b->c->touch_side];
    (void)o;
    for (int32_t i = v; i < count; i += b->threads) {
        const uint32_t key = r->noted[i];
        int32_t place = 0;
        for (int32_t k = 0; k < count; k++) place += r->noted[k] < key;
        const touch_state *known = touch_known(b, key);
        list[place].key = key;
        list[place].state = known != NULL ? *known : touch_nothing();
    }
}

DEVICE void touch_sorted(block *b, block_own *o, int32_t v)
{
    (void)o;
    if (v != 0) return;
    b->c->touch_side = 1 - b->c->touch_side;
    b->c->touch_count = b->c->touching;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

/* Where rows are. */
DEVICE void touch_place(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    const touch *list = r->touches[c->touch_side];
    (void)o;
    if (v < r->voxels) r->bodies[v].level = -1;
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        touch_place_row(r, b->is, c, b->position, b->growth, (int32_t)(list[i].key >> 16),
                        (int32_t)(list[i].key & 0xffffU), &r->touch_rows[i]);
    }
}

/* Levels: one more than those of the contacts before that share a voxel; -1: both are held. */
DEVICE void touch_levels(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    int32_t levels = 0;
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < b->c->touch_count; i++) {
        touch_row *row = &r->touch_rows[i];
        row->level = -1;
        if (!(row->yield.mobility > 0.0)) continue;
        touch_body *first = &r->bodies[row->first];
        touch_body *second = &r->bodies[row->second];
        row->level = (first->level > second->level ? first->level : second->level) + 1;
        first->level = second->level = row->level;
        if (row->level >= levels) levels = row->level + 1;
    }
    b->c->touch_levels = levels;
    b->c->touch_largest = 0.0;
}

/* A voxel with contacts as far as it has come. `again`: after damping. */
DEVICE void touch_gather(block *b, block_own *o, int32_t v, int again)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->bodies[v].level < 0) return;
    const voxel_place p = block_place(b, o, v);
    rvec v1, w1;
    block_get6(b->motion, v, &v1, &w1);
    touch_gather_body(r, b->is, b->c, v, &p, o->v0, o->w0, v1, w1, o->guess, again);
}

DEVICE void touch_scatter(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    if (v >= r->voxels || r->bodies[v].level < 0) return;
    const touch_body *body = &r->bodies[v];
    touch_leave_body(r, b->is, b->c, v);
    block_put6(b->motion, v, rvec_make((real)body->now[0], (real)body->now[1], (real)body->now[2]),
               rvec_make((real)body->now[3], (real)body->now[4], (real)body->now[5]));
    o->guess = rvec_make((real)body->floor[0], (real)body->floor[1], (real)body->floor[2]);
    if (o->fixed == 0) return;
    for (int d = 0; d < 6; d++) r->held_load[d][v] += body->impulse[d] / b->c->kick;
}

/* Where rows begin, and the forces of the last step. */
DEVICE void touch_begin(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    (void)o;
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        touch_row *row = &r->touch_rows[i];
        const touch_state *state = &r->touches[c->touch_side][i].state;
        if (row->level < 0) continue;
        touch_begin_row(r, c, state, row);
        if (row->force.along > 0.0) BLOCK_MOST(&b->c->touch_largest, row->force.along);
    }
}

/* ---- rounds --------------------------------------------------------------------------------------------------------- */

/* Begins with the forces of the last step. */
DEVICE void touch_last(block *b, block_own *o, int32_t v, int32_t level)
{
    (void)o;
    for (int32_t i = v; i < b->c->touch_count; i += b->threads) {
        const touch_row *row = &b->r->touch_rows[i];
        if (row->level == level && row->force.along > 0.0)
            touch_push_pair(b->r, b->is, b->c, row, row->force);
    }
}

/* Those whose voxels others have changed since. */
DEVICE int touch_visit(block *b, block_own *o, int32_t v, int32_t level)
{
    const robot *r = b->r;
    int any = 0;
    (void)o;
    for (int32_t i = v; i < b->c->touch_count; i += b->threads) {
        touch_row *row = &r->touch_rows[i];
        touch_body *first = &r->bodies[row->first];
        touch_body *second = &r->bodies[row->second];
        if (row->level != level || (row->seen[0] == first->changes && row->seen[1] == second->changes))
            continue;
        const int changed = touch_solve_row(r, b->is, b->c, row, b->c->touch_open) > b->c->touch_slight;
        if (row->force.along > 0.0) BLOCK_MOST(&b->c->touch_largest, row->force.along);
        row->seen[0] = first->changes += changed;
        row->seen[1] = second->changes += changed;
        any |= changed;
    }
    return any;
}

/* The floor under a voxel, likewise. */
DEVICE int touch_floor(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    const robot_control *c = b->c;
    if (v >= r->voxels || r->bodies[v].level < 0) return 0;
    touch_body *body = &r->bodies[v];
    if (body->floor_seen == body->changes || body->floor_seen == TOUCH_FLOOR_FAR) return 0;
    voxel_place p = block_place(b, o, v);
    touch_floor_round round;
    round.slight = c->touch_slight;
    round.open = c->touch_open;
    const int changed = touch_floor_body(r, b->is, c, round, body, &p);
    o->stuck = p.stuck;
    return changed;
}

DEVICE void touch_round(block *b, block_own *o, int32_t v, int32_t round)
{
    (void)o;
    if (v != 0) return;
    b->c->touch_slight = TOUCH_CLOSE_ENOUGH * b->c->touch_largest;
    b->c->touch_open = round >= PAIR_ROUNDS_LATCHED;
}

/* What a pair remembers. */
DEVICE void touch_close(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    robot_control *c = b->c;
    (void)o;
    if (c->keep && v < r->voxels) {
        for (int a = 0; a < 3; a++) r->contact_force[a][v] = 0.0;
    }
    for (int32_t i = v; i < c->touch_count; i += b->threads) {
        const touch_row *row = &r->touch_rows[i];
        touch_state *state = &r->touches[c->touch_side][i].state;
        if (row->level < 0) continue;
        if (row->force.along > 0.0) BLOCK_COUNT(&c->now_pairs);
        touch_close_row(r, c, row, state);
    }
}

/* What voxels feel, in the order of the list. */
DEVICE void touch_forces(block *b, block_own *o, int32_t v)
{
    const robot *r = b->r;
    (void)o;
    if (v != 0) return;
    for (int32_t i = 0; i < b->c->touch_count; i++) {
        const touch_row *row = &r->touch_rows[i];
        const touch_state *state = &r->touches[b->c->touch_side][i].state;
        for (int a = 0; a < 3 && row->level >= 0; a++) {
            r->contact_force[a][row->first] -= state->force[a];
            r->contact_force[a][row->second] += state->force[a];
        }
    }
}

/* ---- the two parts -------------------------------------------------------------------------------------------------- */

/* vxe_contacts_begin(). */
DEVICE void block_touch_begin(block *b, block_own *o)
{
    BLOCK_PHASE(touch_place, b, o);
    BLOCK_PHASE(touch_levels, b, o);
    BLOCK_PHASE_OF(touch_gather, b, o, 0);
    BLOCK_PHASE(touch_begin, b, o);
    for (int32_t level = 0; level < b->c->touch_levels; level++) BLOCK_PHASE_OF(touch_last, b, o, level);
    if (!b->c->implicit) return; /* it goes on at once */
    BLOCK_PHASE(touch_scatter, b, o);
}

/* vxe_contacts_solve(). */
DEVICE void block_touch_solve(block *b, block_own *o)
{
    if (b->c->implicit) BLOCK_PHASE_OF(touch_gather, b, o, 1);
    for (int round = 0; round < PAIR_ROUNDS && b->c->touch_levels > 0; round++) {
        int changed = 0;
        BLOCK_PHASE_OF(touch_round, b, o, round);
        for (int32_t level = 0; level < b->c->touch_levels; level++)
            BLOCK_PHASE_ANY_OF(changed, touch_visit, b, o, level);
        BLOCK_PHASE_ANY(changed, touch_floor, b, o);
        if (!changed) break;
    }
    BLOCK_PHASE(touch_close, b, o);
    if (b->c->keep) BLOCK_PHASE(touch_forces, b, o);
    BLOCK_PHASE(touch_scatter, b, o);
}

#endif
