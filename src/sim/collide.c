/* The horizon list: see collide.h.
 *
 * The guarantee. A pair that is not on the list was at least `horizon` apart when the list was made. Since
 * then no voxel has moved further than `travelled`, so it is at least horizon - 2 travelled apart now. It can
 * touch only if that is less than the largest current size of a voxel. The list is made again before this can
 * happen; the horizon is always larger than the largest size by half a pitch or more. `travelled` grows by
 * the largest speed times dt every step (no voxel is looked at); when that is used up, the distance really
 * moved is measured and often buys more time. What rounding can move a voxel far from the origin is added
 * every step, and sizes count a millionth larger than they are, so that no rounding anywhere, not even of the
 * contact stage in single precision, makes a pair touch that is not on the list of every scheme. */
#include "sim/collide.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

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

vxe_result vxe_collider_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    if (m->environment.collisions == VXE_COLLISIONS_OFF) return VXE_OK;
    collider *c = calloc(1, sizeof *c);
    if (c == NULL) return vxe_fail_memory(error, "collisions", sizeof *c);
    sim->collider = c;
    c->scheme = m->environment.collisions;
    /* links that can break may bring any voxel to the surface */
    const size_t most = scheme_uses_all(c->scheme) || m->nonlinear ? n : (size_t)m->view.surface_count;
    c->capacity = (int64_t)most * PAIRS_PER_VOXEL + 64;
    c->bucket_count = 64;
    while (c->bucket_count < 2 * most) c->bucket_count *= 2;
    vxe_result result = VXE_OK;
    (void)take(sim, &c->candidates, most, sizeof(int32_t), error, &result);
    for (int a = 0; a < 3; a++) {
        (void)take(sim, &c->previous[a], n, sizeof(int32_t), error, &result);
        (void)take(sim, &c->anchor[a], most, sizeof(double), error, &result);
        (void)take(sim, &c->grid_cell[a], most, sizeof(int64_t), error, &result);
    }
    pair_list *lists[2] = {&c->list, &c->spare};
    for (int i = 0; i < 2; i++) {
        (void)take(sim, &lists[i]->first, (size_t)c->capacity, sizeof(int32_t), error, &result);
        (void)take(sim, &lists[i]->second, (size_t)c->capacity, sizeof(int32_t), error, &result);
        (void)take(sim, &lists[i]->state, (size_t)c->capacity, sizeof(contact_state), error, &result);
        (void)take(sim, &lists[i]->due, (size_t)c->capacity, sizeof(double), error, &result);
    }
    (void)take(sim, &c->bucket_begin, c->bucket_count + 1, sizeof(int32_t), error, &result);
    (void)take(sim, &c->bucket_item, most, sizeof(int32_t), error, &result);
    (void)take(sim, &c->bucket_of, most, sizeof(int32_t), error, &result);
    return result;
}

void vxe_collider_destroy(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    for (int a = 0; a < 3; a++) {
        free(c->previous[a]);
        free(c->anchor[a]);
        free(c->grid_cell[a]);
    }
    free(c->candidates);
    free(c->list.first);
    free(c->list.second);
    free(c->list.state);
    free(c->list.due);
    free(c->spare.first);
    free(c->spare.second);
    free(c->spare.state);
    free(c->spare.due);
    free(c->bucket_begin);
    free(c->bucket_item);
    free(c->bucket_of);
    free(c);
    sim->collider = NULL;
}

static void gather_candidates(vxe_sim *sim)
{
    collider *c = sim->collider;
    c->candidate_count = 0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (scheme_uses_all(c->scheme) || sim->free_faces[v] > 0) c->candidates[c->candidate_count++] = v;
    }
    c->stale = 1;
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
    c->list.count = 0;
    c->largest = 0.0;
    c->tests = 0;
    c->rebuilds = 0;
    gather_candidates(sim);
}

void vxe_collider_links_changed(vxe_sim *sim)
{
    if (sim->collider != NULL) gather_candidates(sim);
}

/* ---- exclusion ---------------------------------------------------------------------------------------------------- */

/* Neighbour across face 0..5 = -x +x -y +y -z +z if a link is there, else -1. */
static int32_t linked_neighbour(const vxe_sim *sim, int32_t v, int face)
{
    const int a = face / 2;
    if (face % 2 != 0) return sim->link_kind[a][v] != 0 ? sim->model->next[a][v] : -1;
    const int32_t before = sim->collider->previous[a][v];
    return before >= 0 && sim->link_kind[a][before] != 0 ? before : -1;
}

static int cells_apart(const vxe_model *m, int32_t v, int32_t w)
{
    int sum = 0;
    for (int a = 0; a < 3; a++) {
        const int64_t d = (int64_t)m->cell[a][v] - m->cell[a][w];
        if (d > 3 || d < -3) return 10;
        sum += (int)(d < 0 ? -d : d);
    }
    return sum;
}

/* Three links at most: the middle link joins a neighbour of one to a neighbour of the other, so two rings of
 * six are enough. */
bool vxe_collider_excluded(const vxe_sim *sim, int32_t first, int32_t second)
{
    const vxe_model *m = sim->model;
    const int apart = cells_apart(m, first, second);
    if (apart > 3) return false;
    for (int f = 0; f < 6; f++) {
        const int32_t near = linked_neighbour(sim, first, f);
        if (near < 0) continue;
        if (near == second) return true;
        if (cells_apart(m, near, second) > 2) continue;
        for (int g = 0; g < 6; g++) {
            const int32_t middle = linked_neighbour(sim, near, g);
            if (middle < 0) continue;
            if (middle == second) return true;
            if (cells_apart(m, middle, second) != 1) continue;
            for (int h = 0; h < 6; h++) {
                if (linked_neighbour(sim, middle, h) == second) return true;
            }
        }
    }
    return false;
}

/* ---- making the list ---------------------------------------------------------------------------------------------- */

static double distance_squared(const vxe_sim *sim, int32_t v, int32_t w)
{
    const double x = sim->position[0][w] - sim->position[0][v];
    const double y = sim->position[1][w] - sim->position[1][v];
    const double z = sim->position[2][w] - sim->position[2][v];
    return x * x + y * y + z * z;
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

/* Appends a pair if it is near enough and not excluded; false: no room. */
static bool consider(vxe_sim *sim, pair_list *list, int32_t v, int32_t w)
{
    collider *c = sim->collider;
    c->tests++;
    if (!(distance_squared(sim, v, w) < c->horizon * c->horizon) || vxe_collider_excluded(sim, v, w))
        return true;
    if (list->count == c->capacity) return false;
    list->first[list->count] = v;
    list->second[list->count] = w;
    list->state[list->count] = (contact_state){{0.0, 0.0, 0.0}, 0, 0};
    list->due[list->count] = 0.0;
    list->count++;
    return true;
}

static bool list_all_pairs(vxe_sim *sim, pair_list *list)
{
    const collider *c = sim->collider;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        for (int32_t j = i + 1; j < c->candidate_count; j++) {
            if (!consider(sim, list, c->candidates[i], c->candidates[j])) return false;
        }
    }
    return true;
}

static size_t bucket_of_cell(const collider *c, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)y * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                 (uint64_t)z * UINT64_C(0x165667b19e3779f9);
    h ^= h >> 29;
    return (size_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 32) & (c->bucket_count - 1);
}

/* Cell of a coordinate; far out, where it would overflow, everything shares a cell (a position that is not
 * finite is caught elsewhere). */
static int64_t grid_coordinate(double x, double size)
{
    const double cell = x / size;
    if (!(cell < 1e15 && cell > -1e15)) return 0;
    int64_t whole = (int64_t)cell;
    if ((double)whole > cell) whole--;
    return whole;
}

/* Candidates into buckets of cells as wide as the horizon (counting sort: stable, so each bucket is in
 * increasing order). */
static void fill_grid(vxe_sim *sim)
{
    collider *c = sim->collider;
    memset(c->bucket_begin, 0, (c->bucket_count + 1) * sizeof *c->bucket_begin);
    for (int32_t i = 0; i < c->candidate_count; i++) {
        /* from the first voxel, not from the origin, which may be far */
        for (int a = 0; a < 3; a++) {
            const double *x = sim->position[a];
            c->grid_cell[a][i] = grid_coordinate(x[c->candidates[i]] - x[c->candidates[0]], c->horizon);
        }
        const size_t bucket = bucket_of_cell(c, c->grid_cell[0][i], c->grid_cell[1][i], c->grid_cell[2][i]);
        c->bucket_of[i] = (int32_t)bucket;
        c->bucket_begin[bucket + 1]++;
    }
    for (size_t b = 0; b < c->bucket_count; b++) c->bucket_begin[b + 1] += c->bucket_begin[b];
    for (int32_t i = c->candidate_count - 1; i >= 0; i--) {
        /* from the back, so that begin[b + 1] walks down to the beginning of bucket b */
        c->bucket_item[--c->bucket_begin[c->bucket_of[i] + 1]] = i;
    }
    /* begin[b + 1] is now where bucket b begins: shift down */
    memmove(c->bucket_begin, c->bucket_begin + 1, c->bucket_count * sizeof *c->bucket_begin);
    c->bucket_begin[c->bucket_count] = c->candidate_count;
}

/* The pairs of one voxel, sorted by the second: the same order as from all pairs. Few and nearly sorted:
 * insertion. */
static void sort_tail(pair_list *list, int64_t begin)
{
    for (int64_t i = begin + 1; i < list->count; i++) {
        const int32_t w = list->second[i];
        int64_t j = i;
        for (; j > begin && list->second[j - 1] > w; j--) list->second[j] = list->second[j - 1];
        list->second[j] = w;
    }
}

static bool list_by_grid(vxe_sim *sim, pair_list *list)
{
    const collider *c = sim->collider;
    fill_grid(sim);
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int64_t begin = list->count;
        for (int near = 0; near < 27; near++) {
            const int64_t x = c->grid_cell[0][i] + near % 3 - 1;
            const int64_t y = c->grid_cell[1][i] + near / 3 % 3 - 1;
            const int64_t z = c->grid_cell[2][i] + near / 9 - 1;
            const size_t bucket = bucket_of_cell(c, x, y, z);
            for (int32_t k = c->bucket_begin[bucket]; k < c->bucket_begin[bucket + 1]; k++) {
                const int32_t j = c->bucket_item[k];
                if (j <= i || c->grid_cell[0][j] != x || c->grid_cell[1][j] != y || c->grid_cell[2][j] != z)
                    continue;
                if (!consider(sim, list, c->candidates[i], c->candidates[j])) return false;
            }
        }
        sort_tail(list, begin);
    }
    return true;
}

/* Contacts that exist go on in the new list: both lists are sorted, so one walk finds them. */
static void carry_states(const pair_list *from, pair_list *to)
{
    int64_t j = 0;
    for (int64_t i = 0; i < from->count; i++) {
        if (from->state[i].touching == 0) continue;
        while (j < to->count && (to->first[j] < from->first[i] ||
                                 (to->first[j] == from->first[i] && to->second[j] < from->second[i])))
            j++;
        if (j < to->count && to->first[j] == from->first[i] && to->second[j] == from->second[i])
            to->state[j] = from->state[i];
    }
}

static void make_list(vxe_sim *sim, double largest)
{
    collider *c = sim->collider;
    const double l = sim->model->view.pitch;
    double horizon = sim->environment.collision_horizon * l;
    if (horizon < largest + 0.5 * l) horizon = largest + 0.5 * l;
    if (scheme_every_step(c->scheme)) horizon = largest;
    /* when the list has no room for so many, watch a shorter way ahead and look again sooner */
    for (int attempt = 0; attempt < 8; attempt++) {
        c->horizon = horizon;
        c->spare.count = 0;
        const bool fits =
            c->scheme == VXE_COLLISIONS_GRID ? list_by_grid(sim, &c->spare) : list_all_pairs(sim, &c->spare);
        if (fits) break;
        horizon = largest + 0.4 * (horizon - largest);
        if (attempt == 7) sim->last.crowded = 1;
    }
    carry_states(&c->list, &c->spare);
    const pair_list made = c->spare;
    c->spare = c->list;
    c->list = made;
    double furthest = l;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        for (int a = 0; a < 3; a++) {
            const double x = sim->position[a][c->candidates[i]];
            c->anchor[a][i] = x;
            if (x > furthest || -x > furthest) furthest = x < 0.0 ? -x : x;
        }
    }
    c->rounding = 4.0e-16 * furthest;
    c->travelled = 0.0;
    c->way = 0.0;
    c->stale = 0;
    c->rebuilds++;
}

static double measure_travel(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    double most = 0.0;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int32_t v = c->candidates[i];
        const double x = sim->position[0][v] - c->anchor[0][i];
        const double y = sim->position[1][v] - c->anchor[1][i];
        const double z = sim->position[2][v] - c->anchor[2][i];
        const double square = x * x + y * y + z * z;
        if (!(square <= most)) most = square;
    }
    return __builtin_sqrt(most);
}

void vxe_collide(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    const double largest = 1.000001 * sim->model->view.pitch * (1.0 + growth_max(sim));
    c->travelled += c->rounding;
    c->way += 2.0 * c->rounding + (largest > c->largest ? largest - c->largest : 0.0);
    c->largest = largest;
    bool current = c->stale == 0 && !scheme_every_step(c->scheme);
    if (current && c->horizon - 2.0 * c->travelled < largest) {
        /* the sum of largest speeds is used up: what has really been moved? */
        c->travelled = measure_travel(sim);
        /* worth it only if it buys some time */
        current = c->horizon - 2.0 * c->travelled > largest + 0.1 * (c->horizon - largest);
    }
    if (!current) make_list(sim, largest);
}
