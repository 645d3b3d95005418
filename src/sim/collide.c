/* The horizon list: see collide.h.
 *
 * The guarantee. A pair that is not on the list was at least `horizon` apart when the list was made. Since
 * then no two voxels have come closer by more than `closed`, so it is at least horizon - closed apart now. It
 * can touch only if that is less than the largest current size of a voxel. The list is made again before this
 * can happen; the horizon is always larger than the largest size by half a pitch or more. `closed` grows by
 * twice the largest speed times dt every step (no voxel is looked at); when that is used up, what has really
 * been moved is measured and often buys more time: the ways of all voxels lie in a box, and no two of them
 * differ by more than its diagonal. What rounding can move a voxel far from the origin is added every step,
 * and sizes count a millionth larger than they are, so that no rounding anywhere makes a pair touch that is
 * not on the list of every scheme.
 *
 * In the same way a pair on the list is not looked at before it is due; and pairs that are due soon are on a
 * list of their own, `near`, which is made again when `way` has come that far. */
#include "sim/collide.h"

#include "base/base.h"
#include "sim/ground.h"
#include "sim/life.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Materials of which every two have their constants in a table; beyond, they are computed each time. */
#define PAIR_MATERIALS_MAX 64

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static bool scheme_uses_all(vxe_collisions scheme)
{
    return scheme == VXE_COLLISIONS_ALL_EVERY || scheme == VXE_COLLISIONS_ALL_HORIZON;
}
static bool scheme_every_step(vxe_collisions scheme)
{
    return scheme == VXE_COLLISIONS_ALL_EVERY || scheme == VXE_COLLISIONS_SURFACE_EVERY;
}

static bool take(vxe_sim *sim, void *pointer, size_t count, size_t size, vxe_error *error, vxe_result *result)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (*result == VXE_OK && vxe_multiply(count, size, &bytes))
        memory = calloc(bytes > 0 ? bytes : 1, 1); /* untouched pages cost nothing */
    memcpy(pointer, &memory, sizeof memory);
    if (memory == NULL && *result == VXE_OK) *result = vxe_fail_memory(error, "collisions", bytes);
    sim->bytes += memory != NULL ? bytes : 0;
    return memory != NULL;
}

/* Bytes of a line of the cache, and where the next one begins. */
#define LINE 64
static void *at_line(void *memory) { return (char *)memory + (LINE - (uintptr_t)memory % LINE) % LINE; }

vxe_result vxe_collider_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    /* ground, solids and rigid parts need some of what pairs need */
    if (m->environment.collisions == VXE_COLLISIONS_OFF && m->world == NULL && m->rigid_count == 0)
        return VXE_OK;
    collider *c = calloc(1, sizeof *c);
    if (c == NULL) return vxe_fail_memory(error, "collisions", sizeof *c);
    sim->collider = c;
    c->scheme = m->environment.collisions;
    /* links that can break may bring any voxel to the surface */
    const size_t most =
        scheme_uses_all(c->scheme) || sim->own_kind[0] != NULL ? n : (size_t)m->view.surface_count;
    c->capacity = (c->scheme == VXE_COLLISIONS_OFF ? 0 : (int64_t)most * PAIRS_PER_VOXEL) + 64;
    if (c->capacity > INT32_MAX) c->capacity = INT32_MAX; /* pairs have numbers of that size */
    c->cell_count = 64;
    while (c->cell_count < 2 * most) c->cell_count *= 2;
    vxe_collider_number_offsets(c);
    vxe_result result = VXE_OK;
    (void)take(sim, &c->candidates, most, sizeof(int32_t), error, &result);
    for (int a = 0; a < 3; a++) {
        (void)take(sim, &c->previous[a], n, sizeof(int32_t), error, &result);
        (void)take(sim, &c->anchor[a], most, sizeof(double), error, &result);
    }
    const size_t capacity = (size_t)c->capacity;
    (void)take(sim, &c->list.first, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->list.second, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->list.state, capacity, sizeof(contact_state), error, &result);
    (void)take(sim, &c->list.due, capacity, sizeof(double), error, &result);
    (void)take(sim, &c->near, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->near_due, capacity, sizeof(double), error, &result);
    (void)take(sim, &c->held, capacity, 1, error, &result);
    (void)take(sim, &c->touching, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->touching_pairs, capacity, sizeof(touching_pair), error, &result);
    (void)take(sim, &c->kept, capacity, sizeof(kept_contact), error, &result);
    (void)take(sim, &c->rows, capacity, sizeof(contact_row), error, &result);
    (void)take(sim, &c->row_order, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->level_end, capacity, sizeof(int32_t), error, &result);
    /* every thread begins a pack */
    const size_t packs = capacity / PACK_ROWS + VXE_THREADS_MAX + 1;
    if (take(sim, &c->pack_memory, packs * sizeof(contact_pack) + LINE, 1, error, &result))
        c->packs = at_line(c->pack_memory);
    if (take(sim, &c->body_memory, most * sizeof(contact_body) + LINE, 1, error, &result))
        c->bodies = at_line(c->body_memory);
    (void)take(sim, &c->body_rows, most, sizeof(body_rows), error, &result);
    (void)take(sim, &c->pack_due, packs, 1, error, &result);
    (void)take(sim, &c->floor_due, most, 1, error, &result);
    (void)take(sim, &c->body_of, n, sizeof(int32_t), error, &result);
    (void)take(sim, &c->marks, n / 64 + 1, sizeof(uint64_t), error, &result);
    const size_t materials = (size_t)m->constant_count + 1;
    if (materials <= PAIR_MATERIALS_MAX)
        (void)take(sim, &c->constants, materials * materials, sizeof(pair_constants), error, &result);
    (void)take(sim, &c->parted, capacity, sizeof(int32_t), error, &result);
    (void)take(sim, &c->exclusion, most, sizeof(uint32_t), error, &result);
    if (c->scheme == VXE_COLLISIONS_GRID && vxe_collider_is_few(most))
        (void)take(sim, &c->may_touch, vxe_collider_few_bytes(most), 1, error, &result);
    (void)take(sim, &c->cell_begin, c->cell_count + 1, sizeof(int32_t), error, &result);
    (void)take(sim, &c->cell_of, most, sizeof(int32_t), error, &result);
    (void)take(sim, &c->items, most, sizeof *c->items, error, &result);
    for (int a = 0; a < 3; a++)
        (void)take(sim, &c->item_place[a], most + OCTET, sizeof(double), error, &result);
    (void)take(sim, &c->pair_begin, most + 1, sizeof(int32_t), error, &result);
    return result;
}

void vxe_collider_destroy(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    for (int a = 0; a < 3; a++) {
        free(c->previous[a]);
        free(c->anchor[a]);
        free(c->item_place[a]);
    }
    free(c->candidates);
    free(c->list.first);
    free(c->list.second);
    free(c->list.state);
    free(c->list.due);
    free(c->near);
    free(c->near_due);
    free(c->held);
    free(c->touching);
    free(c->touching_pairs);
    free(c->parted);
    free(c->kept);
    free(c->rows);
    free(c->row_order);
    free(c->level_end);
    free(c->pack_memory);
    free(c->body_memory);
    free(c->body_rows);
    free(c->pack_due);
    free(c->floor_due);
    free(c->body_of);
    free(c->marks);
    free(c->constants);
    free(c->exclusion);
    free(c->may_touch);
    free(c->cell_begin);
    free(c->cell_of);
    free(c->items);
    free(c->pair_begin);
    free(c);
    sim->collider = NULL;
}

static void gather_candidates(vxe_sim *sim)
{
    collider *c = sim->collider;
    c->candidate_count = 0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (!vxe_is_present(sim, v)) continue;
        if (scheme_uses_all(c->scheme) || sim->free_faces[v] > 0) c->candidates[c->candidate_count++] = v;
    }
    memset(c->exclusion, 0, (size_t)c->candidate_count * sizeof *c->exclusion); /* not known */
    c->may_touch_known = false;
    c->touching_count = 0;
    c->parted_count = 0;
    c->stale = 1;
    vxe_ground_changed(sim);
}

void vxe_collider_reset(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    const vxe_model *m = sim->model;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) c->previous[a][v] = -1;
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (m->next[a][v] >= 0) c->previous[a][m->next[a][v]] = v;
        }
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) c->body_of[v] = -1;
    c->body_count = 0;
    c->list.count = 0;
    c->largest = 0.0;
    c->margin = 0.0;
    c->tests = 0;
    c->rebuilds = 0;
    gather_candidates(sim);
}

void vxe_collider_links_changed(vxe_sim *sim)
{
    if (sim->collider != NULL) gather_candidates(sim);
}

/* ---- the list ----------------------------------------------------------------------------------------------------- */

double vxe_distance_squared(const vxe_sim *sim, int32_t v, int32_t w)
{
    const double x = sim->position[0][w] - sim->position[0][v];
    const double y = sim->position[1][w] - sim->position[1][v];
    const double z = sim->position[2][w] - sim->position[2][v];
    return x * x + y * y + z * z;
}

double vxe_collider_due(const collider *c, double square, double way)
{
    return way + 0.999999 * (__builtin_sqrt(square) - c->largest) - 1e-6 * c->largest;
}

static double growth_max(const vxe_sim *sim)
{
    double most = 0.0;
    const vxe_model *m = sim->model;
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const double g = sim->growth[0][m->actuated_voxel[i]];
        if (g > most) most = g;
    }
    return most;
}

/* Puts the contacts that exist aside, while the list is made again in its place: how many there are. */
static int64_t keep_contacts(collider *c)
{
    int64_t count = 0;
    for (int64_t i = 0; i < c->list.count; i++) {
        if (c->list.state[i].touching != 0)
            c->kept[count++] = (kept_contact){c->list.first[i], c->list.second[i], c->list.state[i]};
    }
    return count;
}

/* They go on in the new list: both are sorted, so one walk finds them. */
static void restore_contacts(collider *c, int64_t count)
{
    const pair_list *list = &c->list;
    int64_t i = 0;
    for (int64_t k = 0; k < count; k++) {
        const kept_contact *kept = &c->kept[k];
        while (i < list->count && (list->first[i] < kept->first ||
                                   (list->first[i] == kept->first && list->second[i] < kept->second)))
            i++;
        if (i == list->count || list->first[i] != kept->first || list->second[i] != kept->second) continue;
        list->state[i] = kept->state;
        c->held[i] = 1;
        list->due[i] = 0.0; /* if it has parted, that must be seen */
    }
}

static void make_list(vxe_sim *sim)
{
    collider *c = sim->collider;
    const double l = sim->model->view.pitch;
    const double largest = c->largest;
    double horizon = sim->environment.collision_horizon * l;
    if (horizon < largest + 0.5 * l) horizon = largest + 0.5 * l;
    if (scheme_every_step(c->scheme)) horizon = largest;
    const int64_t contacts = keep_contacts(c);
    /* when the list has no room for so many, watch a shorter way ahead and look again sooner */
    for (int attempt = 0; attempt < 8; attempt++) {
        c->horizon = horizon;
        c->list.count = 0;
        const bool fits = c->may_touch != NULL               ? vxe_collider_list_few(sim, &c->list)
                          : c->scheme == VXE_COLLISIONS_GRID ? vxe_collider_list_by_grid(sim, &c->list)
                                                             : vxe_collider_list_all(sim, &c->list);
        if (fits) break;
        horizon = largest + 0.4 * (horizon - largest);
        if (attempt == 7) sim->last.crowded = 1;
    }
    memset(c->held, 0, (size_t)c->list.count);
    restore_contacts(c, contacts);
    vxe_bonds_mask(sim);
    double furthest = l;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        for (int a = 0; a < 3; a++) {
            const double x = sim->position[a][c->candidates[i]];
            c->anchor[a][i] = x;
            if (x > furthest || -x > furthest) furthest = x < 0.0 ? -x : x;
        }
    }
    c->rounding = 4.0e-16 * furthest;
    c->closed = 0.0;
    c->way = 0.0;
    c->way_before = 0.0;
    c->near_until = -1.0;
    c->bodies_stay = false;
    c->stale = 0;
    c->rebuilds++;
}

/* By how much two voxels can have come closer since the list was made. */
static double measure_closed(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    double most = 0.0;
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int32_t v = c->candidates[i];
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            const double way = sim->position[a][v] - c->anchor[a][i];
            square += way * way;
            low[a] = way < low[a] ? way : low[a];
            high[a] = way > high[a] ? way : high[a];
        }
        if (!(square <= most)) most = square; /* also if it is not a number */
    }
    const double twice = 2.0 * __builtin_sqrt(most);
    double diagonal = 0.0;
    for (int a = 0; a < 3; a++) diagonal += (high[a] - low[a]) * (high[a] - low[a]);
    diagonal = __builtin_sqrt(diagonal);
    return diagonal < twice ? diagonal : twice;
}

/* ---- who touches --------------------------------------------------------------------------------------------------- */

/* Threads look at parts of a list, where it is long enough for that, and each puts what it finds where its
 * part begins; then the finds are brought together, in the order of the list. */
#define PAIRS_PER_THREAD 1024
#define THREADS_MOST 256

typedef struct pair_search {
    int64_t count; /* of the list */
    int64_t found[THREADS_MOST], apart[THREADS_MOST];
} pair_search;

static int64_t search_begin(const pair_search *s, int index, int parts) { return s->count * index / parts; }

/* Searches all parts; returns how many they were. */
static int32_t search_pairs(vxe_sim *sim, pair_search *s, part_task *task)
{
    if (s->count >= PAIRS_PER_THREAD * sim->threads) {
        sim->host.divide(sim, task, s);
        return sim->threads;
    }
    const part_range all = {0, 1, 0, sim->model->view.voxel_count, 0};
    task(sim, &all, s);
    return 1;
}

/* Pairs that are due within the next few steps. */
static void list_near_part(vxe_sim *sim, const part_range *part, void *context)
{
    pair_search *s = context;
    const collider *c = sim->collider;
    const int64_t begin = search_begin(s, part->index, part->count);
    const int64_t end = search_begin(s, part->index + 1, part->count);
    int32_t *near = c->near + begin;
    double *due = c->near_due + begin;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        near[count] = (int32_t)i;
        due[count] = c->list.due[i];
        count += !(c->list.due[i] > c->near_until);
    }
    s->found[part->index] = count;
}

/* `made`: so is the list in this step. */
static void list_near(vxe_sim *sim, bool made)
{
    collider *c = sim->collider;
    if (c->near_until < 0.0 && !made) { /* others have changed what pairs remember */
        for (int64_t i = 0; i < c->list.count; i++) c->held[i] = (uint8_t)c->list.state[i].touching;
    }
    const double few_steps = 8.0 * (c->way - c->way_before);
    const double little = 0.02 * sim->model->view.pitch;
    c->near_until = c->way + (few_steps > little ? few_steps : little);
    pair_search s = {.count = c->list.count};
    const int32_t parts = search_pairs(sim, &s, list_near_part);
    c->near_count = 0;
    for (int32_t p = 0; p < parts; p++) {
        const int64_t begin = search_begin(&s, p, parts);
        memmove(c->near + c->near_count, c->near + begin, (size_t)s.found[p] * sizeof *c->near);
        memmove(c->near_due + c->near_count, c->near_due + begin, (size_t)s.found[p] * sizeof *c->near_due);
        c->near_count += s.found[p];
    }
}

/* Whether a pair is due or touches cannot be guessed, and jumping the wrong way takes as long as looking at
 * it: so both are counted without jumps. */
static inline void find_touching(vxe_sim *sim, const part_range *part, pair_search *s, const bool actuated)
{
    collider *c = sim->collider;
    const pair_list *list = &c->list;
    const double still = vxe_contact_reach_of(sim, 0.0, 0.0);
    const double *const growth = sim->growth[0];
    const double *const x = sim->position[0];
    const double *const y = sim->position[1];
    const double *const z = sim->position[2];
    const int64_t begin = search_begin(s, part->index, part->count);
    const int64_t end = search_begin(s, part->index + 1, part->count);
    int32_t *const due = c->touching + begin; /* the touching ones are put in their place as they are found */
    int32_t *const parted_ones = c->parted + begin;
    double *const near_due = c->near_due;
    int64_t due_count = 0;
    for (int64_t k = begin; k < end; k++) {
        due[due_count] = (int32_t)k;
        due_count += !(near_due[k] > c->way);
    }
    int64_t touching = 0;
    int64_t apart = 0;
    for (int64_t j = 0; j < due_count; j++) {
        const int32_t k = due[j];
        const int32_t i = c->near[k];
        const int32_t v = list->first[i];
        const int32_t w = list->second[i];
        const touching_pair pair = {{x[w] - x[v], y[w] - y[v], z[w] - z[v]}, v, w};
        const double *d = pair.offset;
        const double reach = c->margin + (actuated ? vxe_contact_reach_of(sim, growth[v], growth[w]) : still);
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const bool touches = square < reach * reach;
        near_due[k] = (double)!touches * square; /* nothing: due again; else for below */
        c->held[i] |= (uint8_t)touches;
        parted_ones[apart] = k;
        due[touching] = i;
        c->touching_pairs[begin + touching] = pair;
        touching += touches;
        apart += !touches;
    }
    int64_t parted = 0;
    for (int64_t j = 0; j < apart; j++) {
        const int32_t k = parted_ones[j];
        const int32_t i = c->near[k];
        if (c->held[i] != 0 && list->state[i].touching != 0) {
            parted_ones[parted++] = i;
            near_due[k] = 0.0; /* looked at again in the next step */
        } else {
            c->held[i] = 0;
            near_due[k] = list->due[i] = vxe_collider_due(c, near_due[k], c->way);
        }
    }
    s->found[part->index] = touching;
    s->apart[part->index] = parted;
}

static void find_touching_part(vxe_sim *sim, const part_range *part, void *context)
{
    if (sim->model->actuated_count > 0) {
        find_touching(sim, part, context, true);
    } else {
        find_touching(sim, part, context, false);
    }
}

static void list_touching(vxe_sim *sim)
{
    collider *c = sim->collider;
    pair_search s = {.count = c->near_count};
    const int32_t parts = search_pairs(sim, &s, find_touching_part);
    c->touching_count = 0;
    c->parted_count = 0;
    for (int32_t p = 0; p < parts; p++) {
        const int64_t begin = search_begin(&s, p, parts);
        memmove(c->touching + c->touching_count, c->touching + begin,
                (size_t)s.found[p] * sizeof *c->touching);
        memmove(c->touching_pairs + c->touching_count, c->touching_pairs + begin,
                (size_t)s.found[p] * sizeof *c->touching_pairs);
        memmove(c->parted + c->parted_count, c->parted + begin, (size_t)s.apart[p] * sizeof *c->parted);
        c->touching_count += s.found[p];
        c->parted_count += s.apart[p];
    }
}

/* m: what two voxels can close in by within half a step, as fast as the last step was and half as fast again;
 * in powers of two, so that it seldom changes. A pair that is faster still is found in contact a step later,
 * and starts without energy stored. */
static double margin_of(const vxe_sim *sim)
{
    const double l = sim->model->view.pitch;
    const double way = 1.5 * sim->collider->travel;
    double margin = 0x1p-20 * l;
    while (margin < way && margin < 0.5 * l) margin *= 2.0;
    return margin;
}

/* Pairs that touch; `most`: the largest growth there is. */
static void find_pairs(vxe_sim *sim, double most)
{
    collider *c = sim->collider;
    const double largest = 1.000001 * (vxe_contact_reach_of(sim, most, most) + c->margin);
    c->closed += 2.0 * c->rounding;
    c->way += 2.0 * c->rounding + (largest > c->largest ? largest - c->largest : 0.0);
    c->largest = largest;
    bool current = c->stale == 0 && !scheme_every_step(c->scheme);
    if (current && c->horizon - c->closed < largest) {
        /* the sum of largest speeds is used up: what has really been moved? */
        c->closed = measure_closed(sim);
        /* worth it only if it buys some time */
        current = c->horizon - c->closed > largest + 0.1 * (c->horizon - largest);
    }
    if (!current) make_list(sim);
    if (c->way > c->near_until) list_near(sim, !current);
    c->way_before = c->way;
    list_touching(sim);
}

void vxe_collide(vxe_sim *sim, const step_context *context)
{
    (void)context;
    collider *c = sim->collider;
    if (c == NULL) return;
    const double most = growth_max(sim);
    c->margin = margin_of(sim);
    if (c->scheme != VXE_COLLISIONS_OFF) find_pairs(sim, most);
    vxe_ground_find(sim, c->margin, most);
}
