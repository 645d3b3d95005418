/* Islands of contacts: see islands.h. */
#include "sim/islands.h"
#include "base/roots.h"

/* Fewer pairs for each thread are not worth waiting for others. */
#define ROWS_PER_THREAD 128

/* Of the collider's arrays, which serve while a list of pairs is made, or before contacts begin: the island
 * of a body, then of its first body the thread; rows and bodies in order; where the threads' lists end. */
static int32_t *islands_of(const collider *c) { return c->cell_of; }
static int32_t *sizes_of(const collider *c) { return c->level_end; }
static int32_t *rows_of(const collider *c) { return c->parted; }
static int32_t *bodies_of(const collider *c) { return c->pair_begin; }
static int32_t *ends_of(const collider *c) { return c->cell_begin; }

/* How many threads share them. Rigid parts, ground and solids join what is far apart. */
static int32_t parts_for(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    if (sim->rigid != NULL || sim->ground != NULL) return 1;
    int64_t parts = c->row_count / ROWS_PER_THREAD;
    if (parts > sim->threads) parts = sim->threads;
    if (parts > (int64_t)(c->cell_count / 2) - 1) parts = (int64_t)(c->cell_count / 2) - 1;
    return parts < 1 ? 1 : (int32_t)parts;
}

/* Counting sort by threads: of bodies, or of rows in the order given, which are where their bodies are. */
static void sort_by_part(const collider *c, const int32_t *rows, int64_t count, int32_t parts, int32_t *end,
                         int32_t *order)
{
    const int32_t *part = sizes_of(c);
    int32_t sum = 0;
    for (int32_t p = 0; p < parts; p++) end[p] = 0;
    for (int64_t i = 0; i < count; i++) end[part[rows != NULL ? c->rows[rows[i]].first : i]]++;
    for (int32_t p = 0; p < parts; p++) {
        const int32_t own = end[p];
        end[p] = sum;
        sum += own;
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t own = rows != NULL ? rows[i] : (int32_t)i;
        order[end[part[rows != NULL ? c->rows[own].first : own]]++] = own;
    }
}

contact_islands vxe_islands_found(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    const int32_t parts = parts_for(sim);
    const int32_t *end = ends_of(c);
    return (contact_islands){parts, parts > 1 ? rows_of(c) : c->row_order, bodies_of(c), end, end + parts};
}

contact_islands vxe_islands_find(vxe_sim *sim)
{
    const collider *c = sim->collider;
    const contact_islands found = vxe_islands_found(sim);
    if (found.parts == 1) return found;
    int32_t *island = islands_of(c);
    int32_t *size = sizes_of(c);
    for (int32_t b = 0; b < c->body_count; b++) {
        island[b] = b;
        size[b] = 0;
    }
    for (int64_t i = 0; i < c->row_count; i++) {
        const int32_t one = vxe_root(island, c->rows[i].first);
        const int32_t two = vxe_root(island, c->rows[i].second);
        if (one < two) {
            island[two] = one;
        } else {
            island[one] = two;
        }
    }
    for (int64_t i = 0; i < c->row_count; i++) size[vxe_root(island, c->rows[i].first)]++;
    /* threads get islands in the order of their first bodies, until each has its share of rows */
    int64_t rows = 0;
    for (int32_t b = 0; b < c->body_count; b++) {
        const int32_t first = vxe_root(island, b);
        const int32_t own = first == b ? size[b] : 0;
        int32_t part = (int32_t)(rows * found.parts / c->row_count);
        if (part == found.parts) part--; /* bodies without rows, behind all that have some */
        size[b] = first == b ? part : size[first];
        rows += own;
    }
    sort_by_part(c, NULL, c->body_count, found.parts, ends_of(c) + found.parts, bodies_of(c));
    sort_by_part(c, c->row_order, c->row_count, found.parts, ends_of(c), rows_of(c));
    return found;
}

/* Numbers of a part: *numbers, or all. */
static island_share share_of(int32_t parts, const int32_t *numbers, const int32_t *end, int64_t count,
                             const part_range *part)
{
    if (parts == 1) return (island_share){numbers, part->index == 0 ? (int32_t)count : 0, 0};
    if (part->index >= parts) return (island_share){NULL, 0, 0};
    int64_t packs = 0;
    for (int32_t p = 0; p < part->index; p++)
        packs += (end[p] - (p > 0 ? end[p - 1] : 0) + PACK_ROWS - 1) / PACK_ROWS;
    const int32_t begin = part->index == 0 ? 0 : end[part->index - 1];
    return (island_share){numbers + begin, end[part->index] - begin, packs};
}

island_share vxe_islands_rows(const vxe_sim *sim, const contact_islands *islands, const part_range *part)
{
    return share_of(islands->parts, islands->rows, islands->row_end, sim->collider->row_count, part);
}
island_share vxe_islands_bodies(const vxe_sim *sim, const contact_islands *islands, const part_range *part)
{
    return share_of(islands->parts, islands->parts > 1 ? islands->bodies : NULL, islands->body_end,
                    sim->collider->body_count, part);
}
