/* How blocks of consecutive voxels are linked, and what they are made of. Blocks with the same classes or
 * materials in the same lanes share a pattern of constants. */
#include "backend/cpu/wide.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing from the hash of a pattern to its number + 1. */
typedef struct pattern_map {
    wide_patterns *patterns;
    size_t size; /* bytes of a pattern */
    int32_t *slots;
    size_t capacity; /* a power of two */
} pattern_map;

static size_t find_slot(const pattern_map *map, const uint32_t *pattern)
{
    size_t slot = (size_t)(vxe_hash_bytes(VXE_HASH_START, pattern, map->size) >> 16) & (map->capacity - 1);
    while (map->slots[slot] != 0) {
        const uint32_t *other =
            map->patterns->members + (size_t)(map->slots[slot] - 1) * (map->size / sizeof *other);
        if (memcmp(other, pattern, map->size) == 0) break;
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

/* Room for one more pattern in the list and the map; false: no memory. */
static bool make_room(pattern_map *map)
{
    wide_patterns *p = map->patterns;
    if ((size_t)p->count * 2 < map->capacity) return true;
    const size_t capacity = map->capacity == 0 ? 64 : 2 * map->capacity;
    uint32_t *members = realloc(p->members, capacity / 2 * map->size);
    if (members == NULL) return false;
    p->members = members;
    int32_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) return false;
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    for (int32_t i = 0; i < p->count; i++)
        slots[find_slot(map, p->members + (size_t)i * (map->size / sizeof *members))] = i + 1;
    return true;
}

static bool number_pattern(pattern_map *map, const uint32_t *pattern, int32_t *number)
{
    if (!make_room(map)) return false;
    wide_patterns *p = map->patterns;
    const size_t slot = find_slot(map, pattern);
    if (map->slots[slot] == 0) {
        memcpy(p->members + (size_t)p->count * (map->size / sizeof *pattern), pattern, map->size);
        map->slots[slot] = ++p->count;
    }
    *number = map->slots[slot] - 1;
    return true;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

/* The runs of consecutive far ends of a block; returns how many. */
static int find_segments(const vxe_model *m, int a, int32_t begin, int32_t lanes, wide_segment *segments)
{
    int count = 0;
    for (int32_t i = 0; i < lanes && begin + i < m->view.voxel_count; i++) {
        if (m->link_kind[a][begin + i] == 0) continue;
        const int32_t far = m->next[a][begin + i] - i;
        if (count == 0 || segments[count - 1].far != far) segments[count++] = (wide_segment){far, 0};
        segments[count - 1].lanes |= 1U << i;
    }
    return count;
}

/* Which lanes have links now. */
static uint32_t linked_lanes(const vxe_sim *sim, int a, int32_t begin, int32_t lanes)
{
    uint32_t bits = 0;
    for (int32_t i = 0; i < lanes && begin + i < sim->model->view.voxel_count; i++) {
        if (sim->link_kind[a][begin + i] != 0) bits |= 1U << i;
    }
    return bits;
}

static bool add_segments(wide_plan *p, const wide_segment *segments, int count, size_t *capacity)
{
    wide_segment *list =
        vxe_grow(p->segments, (size_t)(p->segment_count + count) + 1, capacity, sizeof *list);
    if (list == NULL) return false;
    p->segments = list;
    memcpy(p->segments + p->segment_count, segments, (size_t)count * sizeof *segments);
    p->segment_count += count;
    return true;
}

static bool describe_links(const vxe_model *m, wide_plan *p, pattern_map *map, int a, int32_t i,
                           size_t *capacity)
{
    const int32_t begin = i * p->lanes;
    wide_segment segments[LANES_MAX];
    const int count = find_segments(m, a, begin, p->lanes, segments);
    wide_block *b = &p->links[a][i];
    memset(b, 0, sizeof *b);
    b->far = begin; /* without links: read, but not used */
    for (int32_t j = 0; j < p->lanes && begin + j < m->view.voxel_count; j++) {
        const int32_t place = a == 0 ? begin + j : m->cell[a][begin + j];
        if (place % 2 == 0) b->even |= 1U << j;
    }
    if (count == 0) return true;
    b->alike = 1;
    uint32_t pattern[LANES_MAX] = {0};
    for (int32_t j = 0; j < p->lanes && begin + j < m->view.voxel_count; j++) {
        pattern[j] = m->link_kind[a][begin + j];
        if (pattern[j] == 0) continue;
        const link_class *c = &m->classes[pattern[j] - 1];
        b->lanes |= 1U << j;
        if (c->failure > 0.0) b->can_break = 1;
        if (m->fixed[begin + j] != 0 || m->fixed[m->next[a][begin + j]] != 0) b->held = 1;
        if (m->materials[c->near_material].mass != m->materials[c->far_material].mass) b->alike = 0;
    }
    b->far = segments[0].far;
    if (count > 1) {
        b->far = WIDE_SPLIT;
        b->segment = p->segment_count;
        b->segment_count = (uint16_t)count;
    }
    return number_pattern(map, pattern, &b->constants) &&
           (count == 1 || add_segments(p, segments, count, capacity));
}

/* The near ends of the links that end in a block; `near` has those of all voxels, or -1. */
static bool describe_pull(const vxe_model *m, wide_plan *p, int a, const int32_t *near, int32_t i,
                          size_t *capacity)
{
    const int32_t begin = i * p->lanes;
    wide_segment segments[LANES_MAX];
    wide_pull *pull = &p->pulls[a][i];
    int count = 0;
    for (int32_t j = 0; j < p->lanes && begin + j < m->view.voxel_count; j++) {
        if (near[begin + j] < 0) continue;
        const int32_t from = near[begin + j] - j;
        if (count == 0 || segments[count - 1].far != from) segments[count++] = (wide_segment){from, 0};
        segments[count - 1].lanes |= 1U << j;
        pull->lanes |= 1U << j;
    }
    if (count == 0) return true;
    pull->from = segments[0].far;
    if (count == 1) return true;
    pull->segment = p->segment_count;
    pull->segment_count = count;
    return add_segments(p, segments, count, capacity);
}

static bool describe_pulls(const vxe_model *m, wide_plan *p, int a, size_t *capacity)
{
    const int32_t n = m->view.voxel_count;
    int32_t *near = vxe_allocate((size_t)n, sizeof *near);
    if (near == NULL) return false;
    for (int32_t v = 0; v < n; v++) near[v] = -1;
    for (int32_t v = 0; v < n; v++) {
        if (m->link_kind[a][v] != 0) near[m->next[a][v]] = v;
    }
    bool ok = true;
    for (int32_t i = 0; i < p->block_count && ok; i++) ok = describe_pull(m, p, a, near, i, capacity);
    free(near);
    return ok;
}

static bool create_ring(const vxe_model *m, wide_plan *p, int a, int32_t parts)
{
    wide_ring *ring = &p->rings[a];
    const int32_t lanes = p->lanes;
    int32_t furthest = 0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->link_kind[a][v] != 0 && m->next[a][v] - v > furthest) furthest = m->next[a][v] - v;
    }
    ring->size = (furthest + 2 * lanes - 1) / lanes * lanes;
    /* an odd number of cache lines, as in sim.c */
    const size_t line = 64 / p->real_size;
    ring->stride = (((size_t)ring->size + 2 * (size_t)lanes + line - 1) / line | 1) * line;
    ring->numbers = vxe_allocate((size_t)parts * RING_ARRAYS * ring->stride, p->real_size);
    return ring->numbers != NULL;
}

static bool create_heads(vxe_sim *sim, wide_plan *p)
{
    p->heads = vxe_allocate((size_t)sim->cpu->part_count, sizeof *p->heads);
    for (int32_t i = 0; i < sim->cpu->part_count && p->heads != NULL; i++) {
        const sweep_part *part = &sim->cpu->parts[i];
        wide_head *head = &p->heads[i];
        const size_t voxels = part->head > part->begin ? (size_t)(part->head - part->begin) : 0;
        const size_t line = 64 / p->real_size;
        head->stride = ((voxels + line - 1) / line | 1) * line;
        const size_t count = HEAD_GROUPS * RING_PULLED_MOST * (voxels > 0 ? head->stride : 0);
        head->numbers = vxe_allocate(count + RING_PULLED_MOST, p->real_size);
        if (head->numbers == NULL) return false;
        head->carry = (char *)head->numbers + count * p->real_size;
        sim->bytes += count * p->real_size;
    }
    return p->heads != NULL;
}

/* The next pattern, although there may be one like it. */
static bool add_pattern(pattern_map *map, const uint32_t *pattern, int32_t *number)
{
    if (!make_room(map)) return false;
    wide_patterns *p = map->patterns;
    memcpy(p->members + (size_t)p->count * (map->size / sizeof *pattern), pattern, map->size);
    *number = p->count++;
    return true;
}

static bool describe_voxels(const vxe_sim *sim, wide_plan *p, pattern_map *map, int32_t i)
{
    const vxe_model *m = sim->model;
    const int32_t begin = i * p->lanes;
    uint32_t pattern[LANES_MAX] = {0};
    p->kind[i] = WIDE_UNIFORM;
    for (int32_t j = 0; j < p->lanes && begin + j < m->view.voxel_count; j++) {
        pattern[j] = sim->material[begin + j];
        if (p->kind[i] == WIDE_UNIFORM && pattern[j] != pattern[0]) p->kind[i] = WIDE_MIXED;
        if (m->fixed[begin + j] != 0) p->kind[i] = WIDE_HELD;
    }
    /* where voxels come and go every block has a pattern of its own, which changes with them */
    return m->changes ? add_pattern(map, pattern, &p->materials[i])
                      : number_pattern(map, pattern, &p->materials[i]);
}

static void follow_voxels(vxe_sim *sim, wide_plan *p)
{
    const vxe_model *m = sim->model;
    for (int32_t i = 0; i < p->block_count; i++) {
        const int32_t begin = i * p->lanes;
        uint32_t *pattern = p->voxel_patterns.members + (size_t)p->materials[i] * (size_t)p->lanes;
        if (p->kind[i] != WIDE_HELD) p->kind[i] = WIDE_UNIFORM;
        for (int32_t j = 0; j < p->lanes && begin + j < m->view.voxel_count; j++) {
            pattern[j] = sim->material[begin + j];
            if (p->kind[i] == WIDE_UNIFORM && pattern[j] != pattern[0]) p->kind[i] = WIDE_MIXED;
        }
    }
    vxe_wide_plan_refresh(sim);
}

static bool number_links(void *map, const uint32_t *pattern, int32_t *number)
{
    return number_pattern(map, pattern, number);
}

static bool describe_blocks(vxe_sim *sim, wide_plan *p)
{
    const vxe_model *m = sim->model;
    const size_t size = (size_t)p->lanes * sizeof(uint32_t);
    pattern_map links = {&p->link_patterns, size, NULL, 0};
    pattern_map voxels = {&p->voxel_patterns, size, NULL, 0};
    size_t capacity = 0;
    bool ok = true;
    for (int32_t i = 0; i < p->block_count && ok; i++) {
        for (int a = 0; a < 3 && ok; a++) ok = describe_links(m, p, &links, a, i, &capacity);
        ok = ok && describe_voxels(sim, p, &voxels, i);
    }
    for (int a = 1; a < 3 && ok; a++) ok = describe_pulls(m, p, a, &capacity);
    ok = ok && vxe_wide_bundles_create(sim, number_links, &links, NULL) == VXE_OK;
    ok = ok && vxe_wide_lists_create(sim, number_links, &links, NULL) == VXE_OK;
    free(links.slots);
    free(voxels.slots);
    return ok;
}

vxe_result vxe_wide_plan_create(vxe_sim *sim, int32_t lanes, size_t real_size, vxe_error *error)
{
    const vxe_model *m = sim->model;
    wide_plan *p = calloc(1, sizeof *p);
    if (p == NULL) return vxe_fail_memory(error, "the simulation", sizeof *p);
    sim->cpu->plan = p;
    p->lanes = lanes;
    p->real_size = real_size;
    p->block_count = (m->view.voxel_count + lanes - 1) / lanes;
    const size_t count = (size_t)p->block_count;
    p->materials = vxe_allocate(count, sizeof *p->materials);
    p->kind = vxe_allocate(count, 1);
    p->touched = vxe_allocate(count, 1);
    bool ok = p->materials != NULL && p->kind != NULL && p->touched != NULL;
    for (int a = 0; a < 3; a++) {
        p->links[a] = vxe_allocate(count, sizeof(wide_block));
        ok = ok && p->links[a] != NULL;
        if (a == 0) continue;
        p->pulls[a] = vxe_allocate(count, sizeof(wide_pull));
        ok = ok && p->pulls[a] != NULL && create_ring(m, p, a, sim->cpu->part_count);
    }
    ok = ok && create_heads(sim, p) && vxe_wide_rest_create(sim, NULL) == VXE_OK && describe_blocks(sim, p);
    const size_t link_numbers = (size_t)p->link_patterns.count * WIDE_CONSTANTS * (size_t)lanes;
    const size_t voxel_numbers = (size_t)p->voxel_patterns.count * WIDE_VOXEL_CONSTANTS * (size_t)lanes;
    if (ok) p->link_constants = vxe_allocate(link_numbers + 1, real_size);
    const size_t brakes = (size_t)p->link_patterns.count * WIDE_BRAKES * (size_t)lanes;
    if (ok) p->brakes = vxe_allocate(brakes + 1, real_size);
    if (ok) p->voxel_constants = vxe_allocate(voxel_numbers + 1, real_size);
    if (!ok || p->link_constants == NULL || p->brakes == NULL || p->voxel_constants == NULL)
        return vxe_fail_memory(error, "the simulation", 3 * count * sizeof(wide_block));
    sim->bytes +=
        count * (3 * sizeof(wide_block) + 2 * sizeof(wide_pull) + sizeof(int32_t) + 2) +
        (size_t)sim->cpu->part_count * RING_ARRAYS * (p->rings[1].stride + p->rings[2].stride) * real_size +
        (link_numbers + brakes + voxel_numbers) * real_size + (size_t)p->segment_count * sizeof(wide_segment);
    return VXE_OK;
}

/* ---- constants ------------------------------------------------------------------------------------------------------ */

/* Writes the numbers of one lane of a pattern. */
static void put_lane(const wide_plan *p, void *constants, int32_t lane_of_all, const double *values,
                     int count)
{
    const size_t lanes = (size_t)p->lanes;
    const size_t first = (size_t)lane_of_all / lanes * (size_t)count * lanes + (size_t)lane_of_all % lanes;
    for (size_t k = 0; k < (size_t)count; k++) {
        if (p->real_size == sizeof(float)) {
            ((float *)constants)[first + k * lanes] = (float)values[k];
        } else {
            ((double *)constants)[first + k * lanes] = values[k];
        }
    }
}

void vxe_wide_plan_refresh(vxe_sim *sim)
{
    wide_plan *p = sim->cpu->plan;
    const vxe_model *m = sim->model;
    if (p == NULL) return;
    p->floor_kick = 0.0;
    const double area = m->view.pitch * m->view.pitch;
    for (int32_t i = 0; i < p->link_patterns.count * p->lanes; i++) {
        const uint32_t kind = p->link_patterns.members[i];
        if (kind == 0) continue;
        const link_class *c = &m->classes[kind - 1];
        const link_table *t = &sim->links[kind - 1];
        const double values[WIDE_CONSTANTS] = {
            [WIDE_KA] = c->ka,
            [WIDE_NEAR_STRAIN] = c->near_weight,
            [WIDE_FAR_STRAIN] = c->far_weight,
            [WIDE_NEAR_PRESSURE] = area * c->near_weight,
            [WIDE_FAR_PRESSURE] = area * c->far_weight,
            [WIDE_ACROSS] = t->cs,
            [WIDE_TWICE_BEND] = 2.0 * (t->c - t->kt),
            [WIDE_TWICE_TWIST] = 2.0 * t->kt,
            [WIDE_AXIAL] = t->axial,
            [WIDE_SHEAR] = t->shear,
            [WIDE_BENDING] = t->bending,
            [WIDE_TORSION] = t->torsion,
            [WIDE_RATE] = t->rate,
            [WIDE_RATE_ACROSS] = t->rate_across,
            [WIDE_FAILURE] = c->failure > 0.0 ? c->failure * m->view.pitch * m->view.pitch : INFINITY,
        };
        put_lane(p, p->link_constants, i, values, WIDE_CONSTANTS);
        const brake_table *half = &t->brake[0];
        const brake_table *full = &t->brake[1];
        const double brakes[WIDE_BRAKES] = {
            [WIDE_BRAKE_AXIAL] = half->axial,
            [WIDE_BRAKE_SHEAR] = half->shear,
            [WIDE_BRAKE_BENDING] = half->bending,
            [WIDE_BRAKE_EXCESS] = half->excess,
            [WIDE_BRAKE_FULL + WIDE_BRAKE_AXIAL] = full->axial,
            [WIDE_BRAKE_FULL + WIDE_BRAKE_SHEAR] = full->shear,
            [WIDE_BRAKE_FULL + WIDE_BRAKE_BENDING] = full->bending,
            [WIDE_BRAKE_FULL + WIDE_BRAKE_EXCESS] = full->excess,
            [WIDE_BRAKE_FAR] = half->far,
        };
        put_lane(p, p->brakes, i, brakes, WIDE_BRAKES);
    }
    for (int32_t i = 0; i < p->voxel_patterns.count * p->lanes; i++) {
        const uint32_t material = p->voxel_patterns.members[i];
        if (material == 0 && !m->changes) continue;
        const voxel_table *t = &sim->voxels[material];
        const double values[WIDE_VOXEL_CONSTANTS] = {
            [WIDE_INVERSE_MASS] = t->inverse_mass,
            [WIDE_INVERSE_INERTIA] = t->inverse_inertia,
            [WIDE_GROUND_RATE] = t->ground_rate,
            [WIDE_MASS] = m->materials[material].mass,
            [WIDE_INERTIA] = m->materials[material].inertia,
            [WIDE_FLOOR_STIFFNESS] = t->floor_stiffness,
            [WIDE_FLOOR_DAMPING] = t->floor_damping,
            [WIDE_STATIC_FRICTION] = t->static_friction,
            [WIDE_DYNAMIC_FRICTION] = t->dynamic_friction,
        };
        put_lane(p, p->voxel_constants, i, values, WIDE_VOXEL_CONSTANTS);
    }
}

#define STRAIN_SHARE 0.1 /* of what a link takes: 20 of 197 operations */

double vxe_wide_plan_twice(const vxe_sim *sim)
{
    const wide_plan *p = sim->cpu->plan;
    const vxe_model *m = sim->model;
    const bool solid = m->environment.elasticity == VXE_ELASTICITY_SOLID;
    int64_t twice = 0;
    for (int i = 0; p != NULL && !p->listed && solid && i < sim->cpu->part_count; i++) {
        const sweep_part *part = &sim->cpu->parts[i];
        for (int a = 0; a < 3; a++) {
            for (int32_t v = part->cross[a]; v < part->begin; v++) twice += m->link_kind[a][v] != 0;
        }
    }
    return m->view.link_count > 0 ? STRAIN_SHARE * (double)twice / (double)m->view.link_count : 0.0;
}

void vxe_wide_plan_links(vxe_sim *sim)
{
    wide_plan *p = sim->cpu->plan;
    if (p == NULL) return;
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < p->block_count; i++)
            p->links[a][i].lanes = linked_lanes(sim, a, i * p->lanes, p->lanes);
    }
    for (int a = 1; a < 3; a++) {
        const uint32_t *kind = sim->link_kind[a];
        for (int32_t i = 0; i < p->block_count; i++) p->pulls[a][i].lanes = 0;
        for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
            if (kind[v] == 0) continue;
            const int32_t far = sim->model->next[a][v];
            p->pulls[a][far / p->lanes].lanes |= 1U << (uint32_t)(far % p->lanes);
        }
    }
    if (sim->model->changes) follow_voxels(sim, p);
    vxe_wide_bundles_links(sim);
    vxe_wide_lists_links(sim);
}

void vxe_wide_plan_destroy(vxe_sim *sim)
{
    if (sim->cpu == NULL) return;
    wide_plan *p = sim->cpu->plan;
    if (p == NULL) return;
    for (int a = 0; a < 3; a++) {
        free(p->links[a]);
        free(p->pulls[a]);
        free(p->rings[a].numbers);
    }
    for (int32_t i = 0; i < sim->cpu->part_count && p->heads != NULL; i++) free(p->heads[i].numbers);
    free(p->heads);
    vxe_wide_bundles_destroy(p);
    vxe_wide_lists_destroy(p);
    vxe_wide_rest_destroy(p);
    free(p->segments);
    free(p->materials);
    free(p->kind);
    free(p->touched);
    free(p->link_patterns.members);
    free(p->voxel_patterns.members);
    free(p->link_constants);
    free(p->brakes);
    free(p->voxel_constants);
    free(p);
    sim->cpu->plan = NULL;
}
