/* Which blocks of voxels can be loaded as vectors, which need care, and what their links are made of. Blocks
 * with the same classes in the same lanes share a pattern of constants. */
#include "backend/cpu/wide.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing from the hash of a pattern to its number + 1. */
typedef struct pattern_map {
    int32_t *slots;
    size_t capacity; /* a power of two */
} pattern_map;

static size_t find_slot(const pattern_map *map, const wide_plan *p, const uint32_t *pattern)
{
    const size_t size = (size_t)p->lanes * sizeof *pattern;
    size_t slot = (size_t)(vxe_hash_bytes(VXE_HASH_START, pattern, size) >> 16) & (map->capacity - 1);
    while (map->slots[slot] != 0) {
        const uint32_t *other = p->patterns + (size_t)(map->slots[slot] - 1) * (size_t)p->lanes;
        if (memcmp(other, pattern, size) == 0) break;
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

/* Room for one more pattern in the list and the map; false: no memory. */
static bool make_room(pattern_map *map, wide_plan *p)
{
    if ((size_t)p->pattern_count * 2 < map->capacity) return true;
    pattern_map larger = {NULL, map->capacity == 0 ? 64 : 2 * map->capacity};
    uint32_t *patterns = realloc(p->patterns, larger.capacity / 2 * (size_t)p->lanes * sizeof *patterns);
    if (patterns != NULL) p->patterns = patterns;
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (patterns == NULL || larger.slots == NULL) {
        free(larger.slots);
        return false;
    }
    for (int32_t i = 0; i < p->pattern_count; i++) {
        larger.slots[find_slot(&larger, p, p->patterns + (size_t)i * (size_t)p->lanes)] = i + 1;
    }
    free(map->slots);
    *map = larger;
    return true;
}

static bool number_pattern(pattern_map *map, wide_plan *p, const uint32_t *pattern, int32_t *number)
{
    if (!make_room(map, p)) return false;
    const size_t slot = find_slot(map, p, pattern);
    if (map->slots[slot] == 0) {
        memcpy(p->patterns + (size_t)p->pattern_count * (size_t)p->lanes, pattern,
               (size_t)p->lanes * sizeof *pattern);
        map->slots[slot] = ++p->pattern_count;
    }
    *number = map->slots[slot] - 1;
    return true;
}

static wide_block describe_links(const vxe_model *m, int a, int32_t begin, int32_t lanes, uint32_t *pattern)
{
    wide_block b = {WIDE_NONE, 0, 0};
    bool scattered = false;
    memset(pattern, 0, LANES_MAX * sizeof *pattern);
    for (int32_t i = 0; i < lanes && begin + i < m->view.voxel_count; i++) {
        const int32_t v = begin + i;
        if (m->link_kind[a][v] == 0) continue;
        const int32_t far = m->next[a][v] - i;
        if (b.lanes == 0) b.far = far;
        scattered = scattered || far != b.far;
        b.lanes |= 1U << i;
        pattern[i] = m->link_kind[a][v];
    }
    if (scattered) b.far = WIDE_GATHER;
    return b;
}

static bool describe_blocks(const vxe_model *m, wide_plan *p)
{
    pattern_map map = {NULL, 0};
    bool ok = true;
    for (int32_t i = 0; i < p->block_count && ok; i++) {
        const int32_t begin = i * p->lanes;
        for (int a = 0; a < 3 && ok; a++) {
            uint32_t pattern[LANES_MAX];
            p->links[a][i] = describe_links(m, a, begin, p->lanes, pattern);
            if (p->links[a][i].lanes != 0) ok = number_pattern(&map, p, pattern, &p->links[a][i].constants);
        }
        bool same = begin + p->lanes <= m->view.voxel_count;
        for (int32_t v = begin; v < begin + p->lanes && same; v++)
            same = m->material[v] == m->material[begin] && m->fixed[v] == 0;
        p->uniform[i] = same;
    }
    free(map.slots);
    return ok;
}

vxe_result vxe_wide_plan_create(vxe_sim *sim, int32_t lanes, vxe_error *error)
{
    const vxe_model *m = sim->model;
    wide_plan *p = calloc(1, sizeof *p);
    if (p == NULL) return vxe_fail_memory(error, "the simulation", sizeof *p);
    sim->plan = p;
    p->lanes = lanes;
    p->block_count = (m->view.voxel_count + lanes - 1) / lanes;
    const size_t count = (size_t)p->block_count;
    p->uniform = vxe_allocate(count, 1);
    bool ok = p->uniform != NULL;
    for (int a = 0; a < 3; a++) {
        p->links[a] = vxe_allocate(count, sizeof(wide_block));
        ok = ok && p->links[a] != NULL;
    }
    ok = ok && describe_blocks(m, p);
    const size_t numbers = (size_t)p->pattern_count * WIDE_CONSTANTS * (size_t)lanes;
    if (ok) p->constants = vxe_allocate(numbers, sizeof(double));
    if (!ok || p->constants == NULL)
        return vxe_fail_memory(error, "the simulation", 3 * count * sizeof(wide_block));
    sim->bytes += count * (3 * sizeof(wide_block) + 1) + numbers * sizeof(double);
    return VXE_OK;
}

void vxe_wide_plan_refresh(vxe_sim *sim)
{
    const wide_plan *p = sim->plan;
    if (p == NULL) return;
    for (int32_t i = 0; i < p->pattern_count * p->lanes; i++) {
        const uint32_t kind = p->patterns[i];
        if (kind == 0) continue;
        const link_class *c = &sim->model->classes[kind - 1];
        const link_table *t = &sim->links[kind - 1];
        const double values[WIDE_CONSTANTS] = {c->ka,    c->ks,      c->near_weight, c->far_weight,
                                               t->cs,    t->c,       t->kt,          t->axial,
                                               t->shear, t->bending, t->torsion};
        double *target = p->constants + (size_t)(i / p->lanes) * WIDE_CONSTANTS * (size_t)p->lanes +
                         (size_t)(i % p->lanes);
        for (int k = 0; k < WIDE_CONSTANTS; k++) target[(size_t)k * (size_t)p->lanes] = values[k];
    }
}

void vxe_wide_plan_destroy(vxe_sim *sim)
{
    wide_plan *p = sim->plan;
    if (p == NULL) return;
    for (int a = 0; a < 3; a++) free(p->links[a]);
    free(p->uniform);
    free(p->patterns);
    free(p->constants);
    free(p);
    sim->plan = NULL;
}
