/* Making the list of near pairs: who is excluded, and who is closer than the horizon.
 *
 * Nearly all voxels that are close to each other belong to one body and are excluded, so that is decided by
 * two look-ups: an offset in the lattice of at most three cells has a number, and every voxel has the set of
 * offsets that are three links away or less. The set is found once and again when links have changed.
 *
 * The grid has cells as wide as the horizon; x, y and z of a cell are taken modulo powers of two, four or
 * more, so that a grid of bounded size serves bodies that fly apart: cells that share a place cost tests and
 * find nothing wrong. Candidates are copied in the order of cells, so that a row of cells is one run of
 * memory: a cell is compared with five runs, which meets every pair of neighbouring cells once. */
#include "sim/collide.h"

#include <string.h>

/* ---- exclusion ---------------------------------------------------------------------------------------------------- */

/* Neighbour across face 0..5 = -x +x -y +y -z +z if a link is there, else -1. */
static int32_t linked_neighbour(const vxe_sim *sim, int32_t v, int face)
{
    const int a = face / 2;
    if (face % 2 != 0) return sim->link_kind[a][v] != 0 ? sim->model->next[a][v] : -1;
    const int32_t before = sim->collider->previous[a][v];
    return before >= 0 && sim->link_kind[a][before] != 0 ? before : -1;
}

void vxe_collider_number_offsets(collider *c)
{
    int count = 0;
    for (int i = 0; i < OFFSET_PLACES; i++) {
        const int x = i % 7 - 3;
        const int y = i / 7 % 7 - 3;
        const int z = i / 49;
        const int sum = (x < 0 ? -x : x) + (y < 0 ? -y : y) + z;
        const bool later = z > 0 || y > 0 || (y == 0 && x > 0);
        c->offset_bit[i] = (uint8_t)(sum <= 3 && later ? count++ : OFFSET_NONE);
    }
}

/* Marks the offsets that are up to three links away. */
static uint32_t find_exclusion(const vxe_sim *sim, int32_t v)
{
    const collider *c = sim->collider;
    static const int step[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    uint32_t set = 0;
    int path[3] = {0, 0, 0}; /* faces */
    int32_t at[4] = {v, 0, 0, 0};
    int depth = 0;
    /* every way of one, two or three links, the last face changing fastest */
    while (depth >= 0) {
        if (path[depth] == 6) {
            depth--;
            if (depth >= 0) path[depth]++;
            continue;
        }
        const bool back = depth > 0 && path[depth] == (path[depth - 1] ^ 1);
        const int32_t next = back ? -1 : linked_neighbour(sim, at[depth], path[depth]);
        if (next < 0) {
            path[depth]++;
            continue;
        }
        int offset[3] = {0, 0, 0};
        for (int i = 0; i <= depth; i++) {
            for (int a = 0; a < 3; a++) offset[a] += step[path[i]][a];
        }
        set |= UINT32_C(1) << c->offset_bit[vxe_offset_place(offset[0], offset[1], offset[2])];
        if (depth < 2) {
            at[++depth] = next;
            path[depth] = 0;
        } else {
            path[depth]++;
        }
    }
    return set & ~EXCLUSION_KNOWN; /* offsets without a number */
}

/* Without the mark that it is known. */
uint32_t vxe_collider_exclusion(vxe_sim *sim, int32_t i)
{
    collider *c = sim->collider;
    if ((c->exclusion[i] & EXCLUSION_KNOWN) == 0)
        c->exclusion[i] = find_exclusion(sim, c->candidates[i]) | EXCLUSION_KNOWN;
    return c->exclusion[i] & ~EXCLUSION_KNOWN;
}

bool vxe_collider_excluded(const vxe_sim *sim, int32_t first, int32_t second)
{
    const vxe_model *m = sim->model;
    const int32_t v = first < second ? first : second;
    const int32_t w = first < second ? second : first;
    int32_t d[3];
    for (int a = 0; a < 3; a++) d[a] = m->cell[a][w] - m->cell[a][v];
    return vxe_collider_in_set(sim->collider, find_exclusion(sim, v), d[0], d[1], d[2]);
}

/* ---- every pair ---------------------------------------------------------------------------------------------------- */

void vxe_collider_put(const vxe_sim *sim, const pair_list *list, int64_t i, int32_t v, int32_t w)
{
    const collider *c = sim->collider;
    list->first[i] = v;
    list->second[i] = w;
    list->state[i] = (contact_state){.stuck = 0};
    list->due[i] = vxe_collider_due(c, vxe_distance_squared(sim, v, w), 0.0);
}

bool vxe_collider_list_all(vxe_sim *sim, pair_list *list)
{
    collider *c = sim->collider;
    const vxe_model *m = sim->model;
    const double near = c->horizon * c->horizon;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int32_t v = c->candidates[i];
        const uint32_t set = vxe_collider_exclusion(sim, i);
        c->tests += c->candidate_count - 1 - i;
        for (int32_t j = i + 1; j < c->candidate_count; j++) {
            const int32_t w = c->candidates[j];
            if (!(vxe_distance_squared(sim, v, w) < near)) continue;
            if (vxe_collider_in_set(c, set, m->cell[0][w] - m->cell[0][v], m->cell[1][w] - m->cell[1][v],
                                    m->cell[2][w] - m->cell[2][v]))
                continue;
            /* all voxels are compared, but only those at the surface can touch, as in every scheme */
            if (sim->free_faces[v] == 0 || sim->free_faces[w] == 0) continue;
            if (list->count == c->capacity) return false;
            vxe_collider_put(sim, list, list->count++, v, w);
        }
    }
    return true;
}

/* ---- the grid ------------------------------------------------------------------------------------------------------ */

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

/* Numbers of cells along each axis: as many as the candidates need, but not more than there is room for. */
static void choose_sizes(collider *c, const double low[3], const double high[3], double size)
{
    int64_t count = 1;
    for (int a = 0; a < 3; a++) {
        const double wanted = (high[a] - low[a]) / size + 1.0;
        c->grid_size[a] = 4;
        while (c->grid_size[a] < wanted && c->grid_size[a] < (INT32_C(1) << 20)) c->grid_size[a] *= 2;
        count *= c->grid_size[a];
    }
    while (count > (int64_t)c->cell_count) {
        int longest = 0;
        for (int a = 1; a < 3; a++) longest = c->grid_size[a] > c->grid_size[longest] ? a : longest;
        c->grid_size[longest] /= 2;
        count /= 2;
    }
}

/* What threads share of making a list. */
#define CANDIDATES_PER_THREAD 1024
#define THREADS_MOST 256

typedef struct list_work {
    double origin[3], size;
    pair_list *list;
    double low[THREADS_MOST][3], high[THREADS_MOST][3];
    int64_t found[THREADS_MOST], tests[THREADS_MOST];
    bool full[THREADS_MOST];
} list_work;

/* Does a task on all threads, if there is enough to do; returns in how many parts. */
static int32_t divide(vxe_sim *sim, part_task *task, list_work *work)
{
    if (sim->collider->candidate_count >= CANDIDATES_PER_THREAD * sim->threads) {
        sim->host.divide(sim, task, work);
        return sim->threads;
    }
    const part_range all = {0, 1, 0, sim->model->view.voxel_count, 0};
    task(sim, &all, work);
    return 1;
}

/* The candidates of a part. */
static int32_t candidate_begin(const collider *c, int32_t index, int32_t parts)
{
    return (int32_t)((int64_t)c->candidate_count * index / parts);
}

/* The box of a part's candidates. */
static void box_part(vxe_sim *sim, const part_range *part, void *context)
{
    list_work *w = context;
    const collider *c = sim->collider;
    const int32_t begin = candidate_begin(c, part->index, part->count);
    const int32_t end = candidate_begin(c, part->index + 1, part->count);
    for (int a = 0; a < 3 && begin < end; a++) {
        double low = sim->position[a][c->candidates[begin]];
        double high = low;
        for (int32_t i = begin + 1; i < end; i++) {
            const double x = sim->position[a][c->candidates[i]];
            if (x < low) low = x;
            if (x > high) high = x;
        }
        w->low[part->index][a] = low;
        w->high[part->index][a] = high;
    }
}

/* The cells of a part's candidates. */
static void cell_part(vxe_sim *sim, const part_range *part, void *context)
{
    const list_work *w = context;
    const collider *c = sim->collider;
    const int32_t end = candidate_begin(c, part->index + 1, part->count);
    for (int32_t i = candidate_begin(c, part->index, part->count); i < end; i++) {
        int64_t at[3];
        for (int a = 0; a < 3; a++) {
            const double x = sim->position[a][c->candidates[i]] - w->origin[a];
            at[a] = grid_coordinate(x, w->size) & (c->grid_size[a] - 1);
        }
        c->cell_of[i] = (int32_t)((at[2] * c->grid_size[1] + at[1]) * c->grid_size[0] + at[0]);
    }
}

/* Copies a part's candidates to their places, which are in `pair_begin`. */
static void item_part(vxe_sim *sim, const part_range *part, void *context)
{
    const collider *c = sim->collider;
    const vxe_model *m = sim->model;
    const int32_t end = candidate_begin(c, part->index + 1, part->count);
    (void)context;
    for (int32_t i = candidate_begin(c, part->index, part->count); i < end; i++) {
        const int32_t v = c->candidates[i];
        const int32_t at = c->pair_begin[i];
        c->items[at] =
            (grid_item){{m->cell[0][v], m->cell[1][v], m->cell[2][v]}, i, vxe_collider_exclusion(sim, i)};
        for (int a = 0; a < 3; a++) c->item_place[a][at] = sim->position[a][v];
    }
}

/* Candidates into cells (counting sort: stable, so each cell is in increasing order). */
static void fill_grid(vxe_sim *sim, list_work *w)
{
    collider *c = sim->collider;
    w->size = 1.000000001 * c->horizon; /* rounding must not part neighbours by two cells */
    double high[3] = {0.0, 0.0, 0.0};
    const int32_t parts = divide(sim, box_part, w);
    for (int a = 0; a < 3; a++) {
        w->origin[a] = c->candidate_count > 0 ? w->low[0][a] : 0.0;
        high[a] = c->candidate_count > 0 ? w->high[0][a] : 0.0;
        for (int32_t p = 1; p < parts; p++) {
            if (w->low[p][a] < w->origin[a]) w->origin[a] = w->low[p][a];
            if (w->high[p][a] > high[a]) high[a] = w->high[p][a];
        }
    }
    choose_sizes(c, w->origin, high, w->size);
    const size_t cells = (size_t)c->grid_size[0] * (size_t)c->grid_size[1] * (size_t)c->grid_size[2];
    memset(c->cell_begin, 0, (cells + 1) * sizeof *c->cell_begin);
    (void)divide(sim, cell_part, w);
    for (int32_t i = 0; i < c->candidate_count; i++) c->cell_begin[c->cell_of[i] + 1]++;
    for (size_t b = 0; b < cells; b++) c->cell_begin[b + 1] += c->cell_begin[b];
    /* from the back, so that begin[b + 1] walks down to the beginning of cell b */
    for (int32_t i = c->candidate_count - 1; i >= 0; i--)
        c->pair_begin[i] = --c->cell_begin[c->cell_of[i] + 1];
    (void)divide(sim, item_part, w);
    /* begin[b + 1] is now where cell b begins: shift down */
    memmove(c->cell_begin, c->cell_begin + 1, cells * sizeof *c->cell_begin);
    c->cell_begin[cells] = c->candidate_count;
}

/* Where a part notes pairs of candidates, in `near` and `touching`. */
typedef struct pair_notes {
    int64_t count, end;
} pair_notes;

/* Notes the pairs of one item with the hits, but for those that are linked, which nobody can guess: so they
 * are counted without jumps. False: no room. */
static bool note_pairs(const collider *c, const grid_item *one, const int32_t *hits, int64_t count,
                       pair_notes *notes)
{
    if (count > notes->end - notes->count) return false; /* all might be noted */
    int64_t noted = notes->count;
    for (int64_t i = 0; i < count; i++) {
        const grid_item *other = &c->items[hits[i]];
        const bool ahead = one->candidate < other->candidate;
        const int32_t turn = ahead ? 1 : -1;
        c->near[noted] = ahead ? one->candidate : other->candidate;
        c->touching[noted] = ahead ? other->candidate : one->candidate;
        noted += !vxe_collider_in_set(
            c, ahead ? one->exclusion : other->exclusion, turn * (other->cell[0] - one->cell[0]),
            turn * (other->cell[1] - one->cell[1]), turn * (other->cell[2] - one->cell[2]));
    }
    notes->count = noted;
    return true;
}

/* The runs of items that a cell is compared with. */
typedef struct run_list {
    int32_t begin[10], end[10];
    int count;
} run_list;

static void add_run(const collider *c, run_list *runs, int64_t first, int64_t last)
{
    if (c->cell_begin[first] == c->cell_begin[last + 1]) return;
    runs->begin[runs->count] = c->cell_begin[first];
    runs->end[runs->count++] = c->cell_begin[last + 1];
}

/* The cells from x - 1 to x + 1 of a row; at an end of the grid the third one lies at the other end. */
static void add_row(const collider *c, run_list *runs, int64_t x, int64_t y, int64_t z)
{
    const int64_t nx = c->grid_size[0];
    const int64_t row = ((z & (c->grid_size[2] - 1)) * c->grid_size[1] + (y & (c->grid_size[1] - 1))) * nx;
    add_run(c, runs, row + (x > 0 ? x - 1 : 0), row + (x + 1 < nx ? x + 1 : x));
    if (x == 0) add_run(c, runs, row + nx - 1, row + nx - 1);
    if (x == nx - 1) add_run(c, runs, row, row);
}

/* Notes the pairs of one item with those of a run that are closer than the horizon, some at a time; false: no
 * room. */
#define HITS 256
static bool search_run(const vxe_sim *sim, int32_t one, int32_t begin, int32_t end, pair_notes *notes)
{
    const collider *c = sim->collider;
    int32_t hits[HITS + OCTET];
    for (int32_t k = begin; k < end; k += HITS) {
        const int32_t stop = k + HITS < end ? k + HITS : end;
        const int32_t count =
            sim->host.contacts->near(c->item_place, one, k, stop, c->horizon * c->horizon, hits);
        if (count > 0 && !note_pairs(c, &c->items[one], hits, count, notes)) return false;
    }
    return true;
}

/* The pairs of near items whose first cell is in a row of the grid, each once; false: no room. */
static bool search_row(const vxe_sim *sim, int64_t y, int64_t z, pair_notes *notes, int64_t *tests)
{
    const collider *c = sim->collider;
    const int64_t nx = c->grid_size[0];
    int64_t cell = (z * c->grid_size[1] + y) * nx;
    for (int64_t x = 0; x < nx; x++, cell++) {
        const int32_t begin = c->cell_begin[cell];
        const int32_t end = c->cell_begin[cell + 1];
        if (begin == end) continue;
        run_list runs;
        runs.count = 0;
        const int64_t next = x + 1 < nx ? cell + 1 : cell + 1 - nx;
        add_run(c, &runs, next, next);
        add_row(c, &runs, x, y + 1, z);
        for (int64_t j = -1; j <= 1; j++) add_row(c, &runs, x, y + j, z + 1);
        for (int32_t k = begin; k < end; k++) {
            *tests += end - k - 1;
            if (!search_run(sim, k, k + 1, end, notes)) return false;
            for (int i = 0; i < runs.count; i++) {
                *tests += runs.end[i] - runs.begin[i];
                if (!search_run(sim, k, runs.begin[i], runs.end[i], notes)) return false;
            }
        }
    }
    return true;
}

/* The rows of the grid that a part looks at: those where its share of the items begins. */
static void search_part(vxe_sim *sim, const part_range *part, void *context)
{
    list_work *w = context;
    const collider *c = sim->collider;
    const int64_t rows = (int64_t)c->grid_size[1] * c->grid_size[2];
    const int32_t first = candidate_begin(c, part->index, part->count);
    const int32_t end = candidate_begin(c, part->index + 1, part->count);
    pair_notes notes = {c->capacity * part->index / part->count,
                        c->capacity * (part->index + 1) / part->count};
    const int64_t begin = notes.count;
    int64_t tests = 0;
    bool fits = true;
    for (int64_t r = 0; r < rows && fits; r++) {
        const int32_t at = c->cell_begin[r * c->grid_size[0]];
        if (at == c->cell_begin[(r + 1) * c->grid_size[0]] || at < first || at >= end) continue;
        fits = search_row(sim, r % c->grid_size[1], r / c->grid_size[1], &notes, &tests);
    }
    w->found[part->index] = notes.count - begin;
    w->tests[part->index] = tests;
    w->full[part->index] = !fits;
}

/* All pairs of near items, each once; false: no room. Threads have a share of the room each: where one has
 * not enough, or the list becomes nearly full, one thread looks again. So there is room for as many, however
 * many threads there are. */
static bool find_pairs(vxe_sim *sim, list_work *w)
{
    collider *c = sim->collider;
    int32_t parts = divide(sim, search_part, w);
    bool fits = true;
    int64_t count = 0;
    for (int32_t p = 0; p < parts; p++) {
        fits = fits && !w->full[p];
        count += w->found[p];
    }
    if (parts > 1 && (!fits || count > c->capacity / 4 * 3)) {
        const part_range all = {0, 1, 0, sim->model->view.voxel_count, 0};
        search_part(sim, &all, w);
        fits = !w->full[0];
        parts = 1;
    }
    c->raw_count = 0;
    for (int32_t p = 0; p < parts; p++) {
        const int64_t begin = c->capacity * p / parts;
        memmove(c->near + c->raw_count, c->near + begin, (size_t)w->found[p] * sizeof *c->near);
        memmove(c->touching + c->raw_count, c->touching + begin, (size_t)w->found[p] * sizeof *c->touching);
        c->raw_count += w->found[p];
        c->tests += w->tests[p];
    }
    return fits;
}

/* The pairs of one voxel, sorted by the second. Few: insertion. */
static void sort_run(int32_t *numbers, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const int32_t w = numbers[i];
        int64_t j = i;
        for (; j > 0 && numbers[j - 1] > w; j--) numbers[j] = numbers[j - 1];
        numbers[j] = w;
    }
}

/* The pairs of a part's candidates, whose ends are in `pair_begin`. */
static void append_part(vxe_sim *sim, const part_range *part, void *context)
{
    const list_work *w = context;
    const collider *c = sim->collider;
    const pair_list *list = w->list;
    const int32_t end = candidate_begin(c, part->index + 1, part->count);
    for (int32_t i = candidate_begin(c, part->index, part->count); i < end; i++) {
        const int64_t from = i > 0 ? c->pair_begin[i - 1] : 0;
        sort_run(list->second + from, c->pair_begin[i] - from);
        for (int64_t k = from; k < c->pair_begin[i]; k++)
            vxe_collider_put(sim, list, k, c->candidates[i], c->candidates[list->second[k]]);
    }
}

/* By first voxel (counting sort) and second: the same order as from all pairs. */
static void sort_pairs(vxe_sim *sim, list_work *w)
{
    collider *c = sim->collider;
    int32_t *begin = c->pair_begin;
    const int32_t n = c->candidate_count;
    memset(begin, 0, ((size_t)n + 1) * sizeof *begin);
    for (int64_t i = 0; i < c->raw_count; i++) begin[c->near[i] + 1]++;
    for (int32_t i = 0; i < n; i++) begin[i + 1] += begin[i];
    for (int64_t i = 0; i < c->raw_count; i++) w->list->second[begin[c->near[i]]++] = c->touching[i];
    /* begin[i] is now where the pairs of i end */
    (void)divide(sim, append_part, w);
    w->list->count = c->raw_count;
}

bool vxe_collider_list_by_grid(vxe_sim *sim, pair_list *list)
{
    list_work work;
    work.list = list;
    fill_grid(sim, &work);
    if (!find_pairs(sim, &work)) return false;
    sort_pairs(sim, &work);
    return true;
}
