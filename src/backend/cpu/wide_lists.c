/* Lists of links by axis, for their loads: see wide_lists.h. */
#include "backend/cpu/wide.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* How far from its first voxel a window reaches: two vectors, where they can be permuted. */
static int32_t window_of(const wide_plan *p)
{
    return (size_t)p->lanes * p->real_size <= 16 ? 255 : 2 * p->lanes;
}

/* ---- bundles ------------------------------------------------------------------------------------------------------- */

/* Whether the link that begins at v fits into a bundle. */
static bool fits(const wide_plan *p, const wide_list_bundle *b, int32_t v, int32_t far)
{
    return b->count < p->lanes && v - b->near < window_of(p) && far - b->far < window_of(p) &&
           v / CHUNK == b->near / CHUNK;
}

/* Counts the bundles of an axis, or fills them in. */
static void fill_bundles(const vxe_model *m, const wide_plan *p, int a, wide_list *list)
{
    const int32_t n = m->view.voxel_count;
    wide_list_bundle open = {.count = 0};
    int32_t next_chunk = 0;
    list->link_count = 0;
    list->bundle_count = 0;
    list->rest_count = 0;
    for (int32_t v = 0; v <= n; v++) {
        const bool end = v == n;
        if (!end && m->link_kind[a][v] == 0) continue;
        const int32_t far = end ? 0 : m->next[a][v];
        if (open.count > 0 && (end || !fits(p, &open, v, far))) {
            open.last = end || v / CHUNK != open.near / CHUNK;
            if (list->bundles != NULL) list->bundles[list->bundle_count] = open;
            list->bundle_count++;
            list->rest_count += open.rests;
            open.count = 0;
        }
        if (end) break;
        if (open.count == 0)
            open = (wide_list_bundle){.link = list->link_count, .near = v, .far = far, .rests = 1};
        for (; list->first != NULL && next_chunk <= v / CHUNK; next_chunk++)
            list->first[next_chunk] = list->bundle_count;
        if (list->near_at != NULL) {
            const size_t at = (size_t)list->bundle_count * (size_t)p->lanes;
            list->near_at[at + open.count] = (uint8_t)(v - open.near);
            list->far_at[at + open.count] = (uint8_t)(far - open.far);
        }
        open.linked |= 1U << open.count;
        if (m->classes[m->link_kind[a][v] - 1].failure > 0.0) open.can_break = 1;
        if (!vxe_wide_rests(p, v) || !vxe_wide_rests(p, far)) open.rests = 0;
        open.count++;
        list->link_count++;
    }
    for (; list->first != NULL && next_chunk <= (n + CHUNK - 1) / CHUNK; next_chunk++)
        list->first[next_chunk] = list->bundle_count;
}

/* Which links begin or end in the blocks. Both are in the order of the list. */
static void fill_ends(const vxe_model *m, const wide_plan *p, int a, wide_list *list)
{
    int32_t link = 0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->link_kind[a][v] == 0) continue;
        const int32_t voxel[2] = {v, m->next[a][v]};
        for (int e = 0; e < 2; e++) {
            wide_list_ends *ends = (e == 0 ? list->out : list->in) + voxel[e] / p->lanes;
            if (ends->lanes == 0) ends->from = link;
            ends->lanes |= 1U << (uint32_t)(voxel[e] % p->lanes);
            (e == 0 ? list->out_at : list->in_at)[voxel[e]] = (uint8_t)(link - ends->from);
        }
        link++;
    }
}

static bool number_bundles(const vxe_model *m, const wide_plan *p, int a, wide_list *list,
                           pattern_numbering *number, void *map)
{
    bool ok = true;
    for (int32_t i = 0; i < list->bundle_count && ok; i++) {
        wide_list_bundle *b = &list->bundles[i];
        const uint8_t *at = list->near_at + (size_t)i * (size_t)p->lanes;
        uint32_t pattern[LANES_MAX] = {0}; /* lanes without a link are like the first: fewer patterns */
        for (int j = 0; j < p->lanes; j++) pattern[j] = m->link_kind[a][b->near + at[j < b->count ? j : 0]];
        ok = number(map, pattern, &b->constants);
    }
    return ok;
}

/* ---- which bodies -------------------------------------------------------------------------------------------------- */

/* What things take, in full blocks of links: a bundle, spreading over a block of voxels what its links do,
 * and what is split of a block. Measured on cubes, robots and blocks with holes. */
#define BUNDLE_COST 1.3
/* All of it in bodies whose lists do not stay in the cache. */
#define LARGE_COST 1.4
#define LARGE_VOXELS 16384

static double spread_cost(const wide_plan *p) { return p->lanes >= 8 ? 0.75 : 0.3; }
static double split_cost(const wide_plan *p) { return p->lanes >= 16 ? 2.0 : p->lanes >= 8 ? 1.2 : 0.4; }

/* Whether lists serve a body better than its blocks. The bundles have been counted. */
static bool is_worth(const wide_plan *p)
{
    double blocks = 0.0;
    double bundles = 0.0;
    int32_t moved = 0;
    for (int32_t i = 0; i < p->block_count; i++) moved += !vxe_wide_rests(p, i * p->lanes);
    for (int a = 0; a < 3; a++) {
        bundles += (double)(p->lists[a].bundle_count - p->lists[a].rest_count);
        for (int32_t i = 0; i < p->block_count; i++) {
            const wide_block *b = &p->links[a][i];
            if (vxe_wide_rests(p, i * p->lanes)) continue;
            if (b->lanes != 0) blocks += 1.0;
            if (b->far == WIDE_SPLIT) blocks += split_cost(p);
            if (a > 0 && p->pulls[a][i].segment_count > 0) blocks += split_cost(p);
        }
    }
    const double size = p->block_count * p->lanes > LARGE_VOXELS ? LARGE_COST : 1.0;
    return size * (BUNDLE_COST * bundles + spread_cost(p) * (double)moved) < blocks;
}

static bool create_axis(const vxe_sim *sim, int a, size_t *bytes)
{
    const vxe_model *m = sim->model;
    const wide_plan *p = sim->cpu->plan;
    wide_list *list = &sim->cpu->plan->lists[a];
    const size_t chunks = (size_t)(m->view.voxel_count + CHUNK - 1) / CHUNK;
    const size_t blocks = (size_t)p->block_count;
    const size_t lanes = (size_t)p->lanes;
    const size_t count = (size_t)list->bundle_count;
    const size_t line = 64 / p->real_size;
    list->stride = (((size_t)list->link_count + 2 * lanes + line - 1) / line | 1) * line;
    list->bundles = vxe_allocate(count + 1, sizeof *list->bundles);
    list->first = vxe_allocate(chunks + 1, sizeof *list->first);
    list->near_at = vxe_allocate((count + 1) * lanes, 1);
    list->far_at = vxe_allocate((count + 1) * lanes, 1);
    list->out = vxe_allocate(blocks, sizeof *list->out);
    list->in = vxe_allocate(blocks, sizeof *list->in);
    list->out_at = vxe_allocate(blocks * lanes, 1);
    list->in_at = vxe_allocate(blocks * lanes, 1);
    list->numbers = vxe_allocate(LIST_ARRAYS * list->stride, p->real_size);
    if (list->bundles == NULL || list->first == NULL || list->near_at == NULL || list->far_at == NULL ||
        list->out == NULL || list->in == NULL || list->out_at == NULL || list->in_at == NULL ||
        list->numbers == NULL)
        return false;
    *bytes += (count + 1) * (sizeof *list->bundles + 2 * lanes) + chunks * sizeof *list->first +
              blocks * 2 * (sizeof *list->out + lanes) + LIST_ARRAYS * list->stride * p->real_size;
    fill_bundles(m, p, a, list);
    fill_ends(m, p, a, list);
    return true;
}

vxe_result vxe_wide_lists_create(vxe_sim *sim, pattern_numbering *number, void *map, vxe_error *error)
{
    wide_plan *p = sim->cpu->plan;
    for (int a = 0; a < 3; a++) fill_bundles(sim->model, p, a, &p->lists[a]);
    /* Links that are out of balance are computed here only: sweeps are for what is usual. */
    if (!is_worth(p) && !sim->model->environment.links_unbalanced) return VXE_OK;
    size_t bytes = 0;
    for (int a = 0; a < 3; a++) {
        if (!create_axis(sim, a, &bytes) || !number_bundles(sim->model, p, a, &p->lists[a], number, map))
            return vxe_fail_memory(error, "the simulation", bytes);
    }
    sim->bytes += bytes;
    p->listed = true;
    vxe_wide_lists_links(sim);
    return VXE_OK;
}

void vxe_wide_lists_links(vxe_sim *sim)
{
    const wide_plan *p = sim->cpu->plan;
    for (int a = 0; a < 3 && p->listed; a++) {
        const wide_list *list = &p->lists[a];
        for (int32_t i = 0; i < list->bundle_count; i++) {
            wide_list_bundle *b = &list->bundles[i];
            const uint8_t *at = list->near_at + (size_t)i * (size_t)p->lanes;
            b->lanes = 0;
            for (int j = 0; j < b->count; j++) {
                if (sim->link_kind[a][b->near + at[j]] != 0) b->lanes |= 1U << j;
            }
        }
    }
}

void vxe_wide_lists_destroy(wide_plan *p)
{
    for (int a = 0; a < 3; a++) {
        wide_list *list = &p->lists[a];
        free(list->bundles);
        free(list->first);
        free(list->near_at);
        free(list->far_at);
        free(list->out);
        free(list->in);
        free(list->out_at);
        free(list->in_at);
        free(list->numbers);
    }
}
