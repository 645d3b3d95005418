/* Making the list of near pairs of a small body.
 *
 * Candidates are taken eight at a time, in their order, which is that of the lattice: so an octet is a piece
 * of a row or two. Octets whose boxes are further apart than the horizon are left out, the others compared in
 * vectors. Which candidates may touch at all, because no three links lead from one to the other, is a bit per
 * pair. Pairs come in the order of the list. */
#include "base/base.h"
#include "sim/collide.h"

#include <math.h>
#include <string.h>

static int32_t octets_of(int32_t candidates) { return (candidates + OCTET - 1) / OCTET; }

bool vxe_collider_is_few(size_t candidates) { return candidates <= (size_t)OCTETS_MOST * OCTET; }

size_t vxe_collider_few_bytes(size_t candidates)
{
    const size_t octets = (candidates + OCTET - 1) / OCTET;
    return octets * OCTET * octets;
}

/* A bit for each pair, set if it can collide; those behind the last candidate never do. */
static void find_who_may_touch(vxe_sim *sim)
{
    collider *c = sim->collider;
    const vxe_model *m = sim->model;
    const int32_t n = c->candidate_count;
    const size_t octets = (size_t)octets_of(n);
    memset(c->may_touch, 0, octets * OCTET * octets);
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = c->candidates[i];
        const uint32_t set = vxe_collider_exclusion(sim, i);
        uint8_t *bits = c->may_touch + (size_t)i * octets;
        for (int32_t j = i + 1; j < n; j++) {
            const int32_t w = c->candidates[j];
            const bool excluded =
                vxe_collider_in_set(c, set, m->cell[0][w] - m->cell[0][v], m->cell[1][w] - m->cell[1][v],
                                    m->cell[2][w] - m->cell[2][v]);
            bits[j / OCTET] |= (uint8_t)((excluded ? 0U : 1U) << (j % OCTET));
        }
    }
    c->may_touch_known = true;
}

/* Places and boxes. What is behind the last is near to nothing: no bit is set for it, and its box is far
 * away. */
static void fill_octets(const vxe_sim *sim, octet_search *s)
{
    const collider *c = sim->collider;
    const int32_t n = c->candidate_count;
    for (int a = 0; a < 3; a++) {
        for (int32_t k = 0; k < s->octet_count; k++) {
            double low = INFINITY;
            double high = -INFINITY;
            for (int32_t i = k * OCTET; i < (k + 1) * OCTET; i++) {
                const double place = i < n ? sim->position[a][c->candidates[i]] : NAN;
                low = place < low ? place : low;
                high = place > high ? place : high;
                s->place[a][i] = place;
            }
            s->low[a][k] = low;
            s->high[a][k] = high;
        }
        for (int32_t k = s->octet_count; k % OCTET != 0; k++) s->low[a][k] = s->high[a][k] = INFINITY;
    }
}

bool vxe_collider_list_few(vxe_sim *sim, pair_list *list)
{
    collider *c = sim->collider;
    const contact_loops *loops = sim->host.contacts;
    octet_search s;
    s.octet_count = octets_of(c->candidate_count);
    s.near = c->horizon * c->horizon;
    s.may_touch = c->may_touch;
    if (!c->may_touch_known) find_who_may_touch(sim);
    fill_octets(sim, &s);
    for (int32_t k = 0; k < s.octet_count; k++) {
        const int64_t found = loops->octet(&s, k, list->first + list->count, list->second + list->count,
                                           c->capacity - list->count, &c->tests);
        if (found < 0) return false;
        list->count += found;
    }
    for (int64_t i = 0; i < list->count; i++)
        vxe_collider_put(sim, list, i, c->candidates[list->first[i]], c->candidates[list->second[i]]);
    return true;
}
