/* Lists of links by colour, for implicit damping: see wide_bundles.h. A bundle is as many links as there are
 * lanes; those with held ends have bundles of their own. */
#include "backend/cpu/wide.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Beyond so many voxels blocks in lattice order, of which neighbours are still at hand, are faster. */
#define BUNDLE_VOXELS 16384

/* What a split block takes, in full blocks. Measured on cubes, robots and blocks with holes, as is what a
 * bundle takes: turning records costs the more the more lanes there are. */
#define SPLIT_COST 3.5

static double bundle_cost(const wide_plan *p)
{
    if (p->lanes <= 2) return 0.95;
    return (size_t)p->lanes * p->real_size <= 32 ? 1.4 : 1.7;
}

static int colour_of(const vxe_model *m, int a, int32_t v)
{
    return 2 * a + ((a == 0 ? v : m->cell[a][v]) & 1);
}

static bool is_held(const vxe_model *m, int a, int32_t v)
{
    return m->fixed[v] != 0 || m->fixed[m->next[a][v]] != 0;
}

/* Whether lists serve a body better than its blocks. */
static bool is_worth(const vxe_model *m, const wide_plan *p)
{
    if (m->view.voxel_count > BUNDLE_VOXELS) return false;
    static const double passes[WIDE_COLOURS] = {2, 1, 2, 2, 2, 2};
    double blocks = 0.0;
    double links[WIDE_COLOURS] = {0};
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < p->block_count; i++) {
            const wide_block *b = &p->links[a][i];
            if (vxe_wide_rests(p, i * p->lanes)) continue;
            for (int parity = 0; parity < 2; parity++) {
                const uint32_t lanes = b->lanes & (parity == 0 ? b->even : ~b->even);
                if (lanes == 0) continue;
                links[2 * a + parity] += __builtin_popcount(lanes);
                blocks += passes[2 * a + parity] * (a == 0                                 ? 0.5
                                                    : b->far == WIDE_SPLIT || b->held != 0 ? SPLIT_COST
                                                                                           : 1.0);
            }
        }
    }
    double bundles = 0.0;
    for (int c = 0; c < WIDE_COLOURS; c++) bundles += passes[c] * (links[c] / p->lanes + 0.5);
    return bundle_cost(p) * bundles < blocks;
}

/* Puts the links of a colour, held or not, into bundles from `first` on; returns the next. */
static int32_t fill_colour(const vxe_model *m, wide_bundles *b, int32_t lanes, int colour, bool held,
                           int32_t first)
{
    const int a = colour / 2;
    const int32_t n = m->view.voxel_count;
    int32_t count = 0;
    for (int32_t v = 0; v < n; v++) {
        if (m->link_kind[a][v] == 0 || colour_of(m, a, v) != colour || is_held(m, a, v) != held) continue;
        b->linked[first * lanes + count] = v;
        count++;
    }
    const int32_t end = first + (count + lanes - 1) / lanes;
    for (int32_t i = first * lanes + count; i < end * lanes; i++) b->linked[i] = n; /* nothing */
    for (int32_t i = first; i < end; i++) {
        b->kind[i] = held ? WIDE_BUNDLE_HELD : WIDE_BUNDLE_ALIKE;
        for (int32_t j = 0; j < lanes; j++) {
            const int32_t v = b->linked[i * lanes + j];
            if (v >= n || held) continue;
            const link_class *c = &m->classes[m->link_kind[a][v] - 1];
            if (m->materials[c->near_material].mass != m->materials[c->far_material].mass)
                b->kind[i] = WIDE_BUNDLE_MIXED;
        }
    }
    return end;
}

vxe_result vxe_wide_bundles_create(vxe_sim *sim, pattern_numbering *number, void *map, vxe_error *error)
{
    const vxe_model *m = sim->model;
    wide_plan *p = sim->cpu->plan;
    wide_bundles *b = &p->bundles;
    if (sim->cpu->part_count > 1 || !is_worth(m, p)) return VXE_OK;
    const int32_t n = m->view.voxel_count;
    const int32_t most = m->view.link_count / p->lanes + 2 * WIDE_COLOURS;
    const size_t slots = (size_t)most * (size_t)p->lanes;
    const size_t records = ((size_t)n + 2 + LANES_MAX) * WIDE_RECORD;
    b->linked = vxe_allocate(slots, sizeof *b->linked);
    b->near = vxe_allocate(slots, sizeof *b->near);
    b->far = vxe_allocate(slots, sizeof *b->far);
    b->constants = vxe_allocate((size_t)most, sizeof *b->constants);
    b->kind = vxe_allocate((size_t)most, 1);
    b->places = vxe_allocate(records / WIDE_RECORD * WIDE_PLACE, sizeof *b->places);
    b->distances = vxe_allocate(4 * slots, p->real_size);
    b->records = vxe_allocate(records, p->real_size);
    if (b->linked == NULL || b->near == NULL || b->far == NULL || b->constants == NULL || b->kind == NULL ||
        b->places == NULL || b->distances == NULL || b->records == NULL)
        return vxe_fail_memory(error, "the simulation", slots * (12 + 4 * p->real_size));
    int32_t next = 0;
    for (int colour = 0; colour < WIDE_COLOURS; colour++) {
        b->begin[colour] = next;
        next = fill_colour(m, b, p->lanes, colour, false, next);
        next = fill_colour(m, b, p->lanes, colour, true, next);
        for (int32_t i = b->begin[colour]; i < next; i++) {
            uint32_t pattern[LANES_MAX] = {0};
            bool rests = true;
            for (int32_t j = 0; j < p->lanes; j++) {
                const int32_t v = b->linked[i * p->lanes + j];
                if (v >= n) continue;
                pattern[j] = m->link_kind[colour / 2][v];
                rests = rests && vxe_wide_rests(p, v) && vxe_wide_rests(p, m->next[colour / 2][v]);
            }
            if (rests) b->kind[i] = WIDE_BUNDLE_REST;
            if (!number(map, pattern, &b->constants[i]))
                return vxe_fail_memory(error, "the simulation", slots);
        }
    }
    b->begin[WIDE_COLOURS] = next;
    sim->bytes += slots * (12 + 4 * p->real_size) + (size_t)most * 5 + records * p->real_size +
                  records / WIDE_RECORD * WIDE_PLACE * sizeof *b->places;
    vxe_wide_bundles_links(sim);
    return VXE_OK;
}

void vxe_wide_bundles_links(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const wide_plan *p = sim->cpu->plan;
    const wide_bundles *b = &p->bundles;
    const int32_t n = m->view.voxel_count;
    if (b->linked == NULL) return;
    for (int colour = 0; colour < WIDE_COLOURS; colour++) {
        const int a = colour / 2;
        for (int32_t i = b->begin[colour] * p->lanes; i < b->begin[colour + 1] * p->lanes; i++) {
            const int32_t v = b->linked[i];
            const bool there = v < n && sim->link_kind[a][v] != 0;
            b->near[i] = (there ? v : n) * WIDE_RECORD;
            b->far[i] = (there ? m->next[a][v] : n + 1) * WIDE_RECORD;
        }
    }
}

void vxe_wide_bundles_destroy(wide_plan *p)
{
    wide_bundles *b = &p->bundles;
    free(b->linked);
    free(b->near);
    free(b->far);
    free(b->constants);
    free(b->kind);
    free(b->places);
    free(b->distances);
    free(b->records);
}
