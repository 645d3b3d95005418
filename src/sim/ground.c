/* Contacts with ground and solids: see ground.h. */
#include "sim/ground.h"

#include "base/base.h"
#include "kernel/ground.h"
#include "sim/floor.h"
#include "sim/rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A voxel that is put this close to a surface stands on it, pitches. */
#define STANDS 1e-6

#define LINE 64 /* bytes of the cache */

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static size_t block_count(const vxe_sim *sim)
{
    return ((size_t)sim->model->view.voxel_count + GROUND_BLOCK - 1) / GROUND_BLOCK;
}

/* Room that is not used is not touched, and costs nothing. */
static void *take(vxe_sim *sim, size_t count, size_t size, bool *ok)
{
    void *memory = calloc(count, size);
    *ok = *ok && memory != NULL;
    sim->bytes += memory != NULL ? count * size : 0;
    return memory;
}

vxe_result vxe_ground_create(vxe_sim *sim, vxe_error *error)
{
    const size_t n = (size_t)sim->model->view.voxel_count;
    const size_t blocks = block_count(sim);
    if (sim->model->world == NULL && sim->model->rigid_count == 0) return VXE_OK;
    ground_contacts *g = calloc(1, sizeof *g);
    if (g == NULL) return vxe_fail_memory(error, "contacts with the ground", sizeof *g);
    sim->ground = g;
    bool ok = true;
    g->due = take(sim, blocks * GROUND_BLOCK, sizeof *g->due, &ok);
    g->near = take(sim, blocks, sizeof *g->near, &ok);
    g->rows = take(sim, WORLD_HITS * n + 1, sizeof *g->rows, &ok);
    g->memory = take(sim, blocks * (sizeof *g->packs + sizeof *g->cells) + LINE, 1, &ok);
    if (g->memory != NULL) {
        g->packs = (ground_pack *)(void *)((char *)g->memory + (LINE - (uintptr_t)g->memory % LINE) % LINE);
        g->cells = (ground_cells *)(void *)(g->packs + blocks);
    }
    g->kinds = take(sim, (size_t)sim->model->constant_count + 1, sizeof *g->kinds, &ok);
    g->touched = take(sim, blocks, sizeof *g->touched, &ok);
    g->written = take(sim, blocks, sizeof *g->written, &ok);
    g->several = take(sim, blocks, 1, &ok);
    return ok ? VXE_OK : vxe_fail_memory(error, "contacts with the ground", n * sizeof *g->rows);
}

void vxe_ground_destroy(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    free(g->due);
    free(g->near);
    free(g->rows);
    free(g->memory);
    free(g->kinds);
    free(g->touched);
    free(g->written);
    free(g->several);
    free(g);
    sim->ground = NULL;
}

static double half_size(const vxe_sim *sim, int32_t v)
{
    return 0.5 * sim->model->view.pitch * (1.0 + sim->growth[0][v]);
}

/* The floor is a surface like others to voxels of rigid parts; to others it belongs to their motion. */
#define FLOOR_PLACE UINT32_C(0x7fffffff)
static bool meets_floor(const vxe_sim *sim, int32_t v)
{
    return sim->environment.floor && vxe_is_rigid(sim->model, v);
}

static int find_hits(const vxe_sim *sim, int32_t v, double margin, world_hit hits[WORLD_HITS])
{
    const model_world *world = sim->model->world;
    const double at[3] = {sim->position[0][v], sim->position[1][v], sim->position[2][v]};
    const double reach = half_size(sim, v) + margin;
    int count = world != NULL ? vxe_world_near(world, at, reach, hits) : 0;
    if (meets_floor(sim, v) && at[2] < reach && vxe_floor_under(sim, at[0], at[1])) {
        if (count == WORLD_HITS) count--;
        hits[count++] = (world_hit){FLOOR_PLACE, {{0.0, 0.0, 1.0}, at[2]}};
    }
    return count;
}

/* Where the bound of the world's surfaces is of no use, they are looked for up to so many pitches further. */
#define LOOK_FURTHER 0.5

/* m: no surface is nearer to a voxel's centre than this. `reach`: from where one would touch; `place`: of the
 * nearest, or 0 where that is not known. */
static double clearance(const vxe_sim *sim, int32_t v, double reach, uint32_t *place)
{
    const model_world *world = sim->model->world;
    const double l = sim->model->view.pitch;
    const double at[3] = {sim->position[0][v], sim->position[1][v], sim->position[2][v]};
    double clear = world != NULL ? vxe_world_clear(world, at) : INFINITY;
    *place = 0;
    if (clear < reach + 0.25 * LOOK_FURTHER * l) {
        world_hit hits[WORLD_HITS];
        double nearest = reach + LOOK_FURTHER * l;
        const int count = vxe_world_near(world, at, nearest, hits);
        for (int i = 0; i < count; i++) {
            if (!(hits[i].surface.distance < nearest)) continue;
            nearest = hits[i].surface.distance;
            *place = hits[i].place;
        }
        if (nearest > clear) clear = nearest;
    }
    return meets_floor(sim, v) && at[2] < clear ? at[2] : clear;
}

void vxe_ground_reset(vxe_sim *sim)
{
    if (sim->ground == NULL) return;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        world_hit hits[WORLD_HITS];
        if (sim->free_faces[v] == 0 || sim->material[v] == 0) continue;
        const int count = find_hits(sim, v, STANDS * sim->model->view.pitch, hits);
        for (int i = 0; i < count; i++) {
            const double deep = half_size(sim, v) - hits[i].surface.distance;
            sim->touch_place[i][v] = hits[i].place;
            sim->touch_stuck[i][v] = STUCK_FRESH;
            sim->touch_rest[i][v] = deep > 0.0 ? deep : 0.0;
            sim->touch_distance[i][v] = hits[i].surface.distance;
        }
    }
    vxe_ground_changed(sim);
}

void vxe_ground_changed(vxe_sim *sim)
{
    if (sim->ground != NULL) sim->ground->stale = 1;
}

static vec3 vec3_of(rvec a) { return (vec3){a.x, a.y, a.z}; }
static rvec rvec_of(vec3 a) { return (rvec){a.x, a.y, a.z}; }

/* ---- who may touch -------------------------------------------------------------------------------------------------- */

/* Everything is looked at again. */
static void start_again(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    const collider *c = sim->collider;
    const int32_t n = sim->model->view.voxel_count;
    g->touched_count = 0;
    for (size_t v = 0; v < block_count(sim) * GROUND_BLOCK; v++) g->due[v] = INFINITY;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        /* some schemes have others, too */
        if (sim->free_faces[c->candidates[i]] != 0) g->due[c->candidates[i]] = -INFINITY;
    }
    for (int32_t begin = 0; begin < n; begin += GROUND_BLOCK) {
        const int32_t end = begin + GROUND_BLOCK < n ? begin + GROUND_BLOCK : n;
        bool touches = false;
        bool several = false;
        for (int32_t v = begin; v < end; v++) {
            touches = touches || sim->touch_place[0][v] != 0;
            for (int i = 1; i < WORLD_HITS; i++) several = several || sim->touch_place[i][v] != 0;
        }
        g->several[begin / GROUND_BLOCK] = several;
        if (touches || several) g->touched[g->touched_count++] = begin / GROUND_BLOCK;
    }
    g->way = 0.0;
    g->near_until = -INFINITY;
    g->largest = 0.0;
    g->begun++;
    g->stale = 0;
}

/* Of a surface that has friction of its own, both count. */
static void mix_friction(const vxe_sim *sim, uint32_t place, double *still, double *sliding)
{
    double own_still = 0.0;
    double own_sliding = 0.0;
    if (place == FLOOR_PLACE || sim->model->world == NULL ||
        !vxe_world_friction(sim->model->world, place, &own_still, &own_sliding))
        return;
    *still = sqrt(*still * own_still);
    *sliding = sqrt(*sliding * own_sliding);
}

static void add_rows(vxe_sim *sim, int32_t v, const world_hit *hits, int count)
{
    ground_contacts *g = sim->ground;
    const voxel_table *t = &sim->voxels[sim->model->material[v]];
    const material_constants *c = &sim->model->materials[sim->model->material[v]];
    const bool rigid = vxe_is_rigid(sim->model, v); /* the floor is not among what moves these */
    const double k = c->youngs * sim->model->view.pitch;
    ground_row *rows = &g->rows[g->row_count];
    for (int i = 0; i < count; i++) {
        const vec3 n = hits[i].surface.normal;
        ground_row *row = &rows[i];
        row->voxel = v;
        row->place = hits[i].place;
        row->stuck = 0;
        row->count = (uint8_t)(i == 0 ? count : 0);
        const ground_frame frame = ground_frame_of((rvec){n.x, n.y, n.z});
        row->axes[0] = vec3_of(frame.side);
        row->axes[1] = vec3_of(frame.ahead);
        row->axes[2] = n;
        row->distance = hits[i].surface.distance;
        row->held = 0.0;
        row->coupled = rigid || sim->model->fixed[v] != 0;
        row->still = t->static_friction;
        row->sliding = t->dynamic_friction;
        row->stiffness = rigid ? 2.0 * k : t->floor_stiffness;
        row->damping = rigid ? 2.0 * sim->environment.damping_contact * sqrt(c->mass * k) : t->floor_damping;
        row->force = (vec3){0.0, 0.0, 0.0};
        row->lifts = 0;
        row->grip = 1.0;
        mix_friction(sim, row->place, &row->still, &row->sliding);
    }
    g->row_count += count;
}

/* The surface of a voxel that meets one only. */
static void add_place(const vxe_sim *sim, ground_pack *pack, int32_t v, const world_hit *hit)
{
    const voxel_table *t = &sim->voxels[sim->model->material[v]];
    const int i = v % GROUND_BLOCK;
    pack->used |= (uint8_t)(1U << i);
    pack->normal[0][i] = hit->surface.normal.x;
    pack->normal[1][i] = hit->surface.normal.y;
    pack->normal[2][i] = hit->surface.normal.z;
    pack->distance[i] = hit->surface.distance;
    pack->place[i] = hit->place;
    if (hit->place < WORLD_SOLID) return;
    pack->solid |= (uint8_t)(1U << i);
    pack->still[i] = t->static_friction;
    pack->sliding[i] = t->dynamic_friction;
    mix_friction(sim, hit->place, &pack->still[i], &pack->sliding[i]);
}

/* What of the ground is known of a voxel from now on, which has been nearest to a place. */
static void keep_cell(vxe_sim *sim, int32_t v, uint32_t place)
{
    ground_contacts *g = sim->ground;
    const model_world *world = sim->model->world;
    ground_cells *cells = &g->cells[v / GROUND_BLOCK];
    const int i = v % GROUND_BLOCK;
    world_cell cell;
    if (world == NULL) return;
    if (!(g->way < cells->alone[i])) {
        const double at[3] = {sim->position[0][v], sim->position[1][v], sim->position[2][v]};
        cells->alone[i] = g->way + 0.999 * (vxe_world_solids_clear(world, at) - g->largest);
    }
    if (cells->place[i] == place || !vxe_world_cell(world, place, &cell)) return;
    cells->place[i] = place;
    cells->corner[i] = cell.corner;
    cells->along_x[i] = cell.along_x;
    cells->along_y[i] = cell.along_y;
    cells->twist[i] = cell.twist;
    for (int a = 0; a < 2; a++) cells->number[a][i] = cell.number[a];
    cells->bends[i] = cell.bends;
    cells->folds[i] = cell.folds;
    cells->level[i] = cell.level;
    cells->low[i] = cell.low;
    cells->high[i] = cell.high;
    cells->end[i] = cell.end;
}

void vxe_ground_look(vxe_sim *sim, const ground_search *search, ground_pack *pack, int32_t v)
{
    ground_contacts *g = sim->ground;
    world_hit hits[WORLD_HITS];
    const int count = find_hits(sim, v, search->margin, hits);
    const bool paired = search->paired != NULL && (search->paired[v / 64] >> (v % 64) & 1) != 0;
    const bool free = search->packs && sim->model->fixed[v] == 0;
    uint32_t place = count == 1 ? hits[0].place : 0;
    if (count == 0) g->due[v] = g->way + 0.999 * (clearance(sim, v, g->largest, &place) - g->largest);
    if (place != 0 && free) keep_cell(sim, v, place);
    if (count == 1 && free && !paired) {
        add_place(sim, pack, v, hits);
    } else if (count > 0) {
        add_rows(sim, v, hits, count);
    }
}

/* Voxels of blocks that are not listed need not be looked at until `way` is as much further, pitches. */
#define NEAR_WAY 0.05

static void list_near(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    const collider *c = sim->collider;
    g->near_until = g->way + NEAR_WAY * sim->model->view.pitch;
    g->near_count = 0;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int32_t v = c->candidates[i];
        const int32_t block = v / GROUND_BLOCK;
        if (g->due[v] > g->near_until || (g->near_count > 0 && g->near[g->near_count - 1] == block)) continue;
        g->near[g->near_count++] = block;
        if (g->cells[block].made == g->begun) continue;
        g->cells[block].made = g->begun;
        for (int k = 0; k < GROUND_BLOCK; k++) g->cells[block].alone[k] = -INFINITY;
    }
}

void vxe_ground_find(vxe_sim *sim, double margin, double growth)
{
    ground_contacts *g = sim->ground;
    collider *c = sim->collider;
    if (g == NULL) return;
    if (g->stale != 0) start_again(sim);
    const double half = 0.5 * sim->model->view.pitch;
    const double largest = 1.000001 * (half * (1.0 + growth) + margin);
    g->way += 1e-9 * sim->model->view.pitch + (largest > g->largest ? largest - g->largest : 0.0);
    g->largest = largest;
    g->row_count = 0;
    g->pack_count = 0;
    g->turn++;
    if (g->way > g->near_until) list_near(sim);
    ground_search search = {.half = half,
                            .margin = margin,
                            .largest = largest,
                            .side = 1.0,
                            .per = 1.0,
                            .packs = sim->rigid == NULL && !sim->environment.floor &&
                                     !(sim->environment.damping_ground > 0.0),
                            .paired = c->touching_count > 0 ? c->marks : NULL};
    if (sim->model->world != NULL && sim->model->world->ground.heights != NULL) {
        const vxe_ground_def *ground = &sim->model->world->ground;
        memcpy(search.origin, ground->origin, sizeof search.origin);
        search.side = ground->spacing;
        for (int a = 0; a < 2; a++) search.points[a] = ground->points[a];
        search.per = 1.0 / ground->spacing;
    }
    for (int64_t i = 0; i < c->touching_count; i++) {
        const int32_t ends[2] = {c->touching_pairs[i].first, c->touching_pairs[i].second};
        for (int e = 0; e < 2; e++) c->marks[ends[e] / 64] |= UINT64_C(1) << (ends[e] % 64);
    }
    sim->host.contacts->ground_find(sim, &search);
    for (int64_t i = 0; i < c->touching_count; i++)
        c->marks[c->touching_pairs[i].first / 64] = c->marks[c->touching_pairs[i].second / 64] = 0;
}

void vxe_ground_refresh(vxe_sim *sim)
{
    if (sim->ground != NULL) sim->ground->kick = 0.0;
}

/* What materials make of contacts in steps of this length. */
static void make_kinds(vxe_sim *sim, const step_context *context)
{
    ground_contacts *g = sim->ground;
    if (g->kick == context->kick && g->step == context->step) return;
    g->kick = context->kick;
    g->step = context->step;
    for (int32_t i = 1; i <= sim->model->constant_count; i++) {
        const voxel_table *t = &sim->voxels[i];
        const voxel_constants c = {.inverse_mass = t->inverse_mass, .floor_damping = t->floor_damping};
        const floor_terms terms = floor_terms_of(c, context->kick, 0.5 * context->step, 1.0);
        ground_kind *kind = &g->kinds[i];
        *kind = (ground_kind){t->inverse_mass, t->floor_stiffness, t->static_friction, t->dynamic_friction,
                              terms.damp,      terms.damped,       terms.mobility,     terms.momentum};
        if (sim->model->world != NULL) mix_friction(sim, 1, &kind->still, &kind->sliding);
    }
}

/* ---- solving -------------------------------------------------------------------------------------------------------- */

/* How a voxel gives way to forces along the axes of a row; one that is held hardly does. Along the surface
 * the larger of both counts, with what one does to the other. */
static void find_response(const vxe_sim *sim, ground_row *row)
{
    const uint8_t fixed = sim->model->fixed[row->voxel];
    const double alone = sim->collider->bodies[row->body].inverse_mass;
    row->mobility = row->across = alone;
    if (!row->coupled) return;
    double response[3][3];
    for (int i = 0; i < 3; i++) {
        const vec3 n = row->axes[i];
        double change[6] = {0.0};
        if (vxe_is_rigid(sim->model, row->voxel)) {
            vxe_rigid_response(sim, row->voxel, n, (vec3){0.0, 0.0, 0.0}, change);
        } else {
            const double part[3] = {n.x, n.y, n.z};
            for (int a = 0; a < 3; a++) change[a] = (fixed >> a & 1) == 0 ? alone * part[a] : 0.0;
        }
        for (int j = 0; j < 3; j++) response[j][i] = vec3_dot(vec3_from(change), row->axes[j]);
    }
    const double one = response[0][0] + fabs(response[0][1]);
    const double other = response[1][1] + fabs(response[0][1]);
    row->mobility = fmax(response[2][2], FLOOR_HELD * alone);
    row->across = fmax(fmax(one, other), FLOOR_HELD * alone);
}

/* What rows take over from those of the step before: each from one at its own place, if that had come as
 * deep, or else from one of the same surface that has no successor; where there are several, from that whose
 * depth is nearest. Places alone do not tell: cubes of a solid share them, and two rows may pass each other's
 * cell. */
static void inherit(const vxe_sim *sim, const step_context *context, ground_row *rows)
{
    const int32_t v = rows->voxel;
    const int count = rows->count;
    const double l = sim->model->view.pitch;
    const double way = context->before * context->before * vec3_dot(rows->before, rows->before);
    const double steady = ground_steady(way, l, 1.0 / l);
    const double size = half_size(sim, v);
    bool taken[WORLD_HITS] = {false};
    bool found[WORLD_HITS] = {false};
    double came[WORLD_HITS] = {0.0}; /* how deep each had come */
    for (int old = 0; old < WORLD_HITS; old++) {
        taken[old] = sim->touch_place[old][v] == 0;
        came[old] = size - sim->touch_distance[old][v];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (;;) {
            double least = pass == 0 ? steady : INFINITY;
            int row = -1;
            int from = -1;
            for (int i = 0; i < count; i++) {
                for (int old = 0; old < WORLD_HITS && !found[i]; old++) {
                    const uint32_t place = sim->touch_place[old][v];
                    const double off = fabs(rows[i].half - came[old]);
                    if (taken[old] || !(off < least)) continue;
                    if (pass == 0 ? place != rows[i].place
                                  : !vxe_world_same(sim->model->world, place, rows[i].place))
                        continue;
                    least = off;
                    row = i;
                    from = old;
                }
            }
            if (row < 0) break;
            taken[from] = found[row] = true;
            rows[row].stuck = sim->touch_stuck[from][v];
            rows[row].rest = ground_jumped(sim->touch_rest[from][v], rows[row].half, came[from], steady);
            rows[row].held = sim->touch_energy[from][v];
        }
    }
    for (int i = 0; i < count; i++) {
        if (!found[i]) rows[i].rest = -1.0; /* it counts from where it is found */
    }
}

void vxe_ground_inherit(const vxe_sim *sim, const step_context *context, ground_pack *pack, int place)
{
    ground_row row = {.voxel = pack->first + place,
                      .place = pack->place[place],
                      .count = 1,
                      .half = pack->half[place],
                      .before = {pack->before[0][place], pack->before[1][place], pack->before[2][place]}};
    inherit(sim, context, &row);
    pack->rest[place] = row.rest;
    pack->held[place] = row.held;
    pack->stuck[place] = row.stuck;
}

void vxe_ground_begin(vxe_sim *sim, const step_context *context)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    for (int32_t i = 0; i < g->row_count; i++) {
        ground_row *row = &g->rows[i];
        row->before = vec3_from(sim->collider->bodies[row->body].before);
        find_response(sim, row);
        row->depth = half_size(sim, row->voxel) - row->distance;
        row->half = row->depth + 0.5 * context->before * vec3_dot(row->before, row->axes[2]);
    }
    for (int32_t i = 0; i < g->row_count; i++) {
        ground_row *row = &g->rows[i];
        if (row->count > 0) inherit(sim, context, row);
        row->rest = ground_counts_from(row->rest, row->half);
        row->depth -= row->rest;
        row->half -= row->rest;
    }
}

static ground_frame frame_of(const ground_row *row)
{
    return (ground_frame){rvec_of(row->axes[0]), rvec_of(row->axes[1]), rvec_of(row->axes[2])};
}

/* Velocities along the surface count as if it yielded there as it does along the normal: forces are right
 * then. */
static rvec in_frame(const ground_row *row, vec3 v)
{
    const double alike = row->mobility / row->across;
    const rvec own = ground_into(frame_of(row), rvec_of(v));
    return (rvec){alike * own.x, alike * own.y, own.z};
}

static vec3 out_of_frame(const ground_row *row, rvec v) { return vec3_of(ground_out_of(frame_of(row), v)); }

/* What a row's force has done to the velocity of its voxel, as far as solving the row knows: where one is
 * held or belongs to a part, what friction does along the normal and the normal force along the surface
 * counts as if others did it, or the force would not be that of the depth it leads to. */
static vec3 moved_by(const ground_row *row)
{
    if (!row->coupled) return vec3_scale(row->mobility, row->force);
    const rvec push = ground_into(frame_of(row), rvec_of(row->force));
    return out_of_frame(row, (rvec){row->across * push.x, row->across * push.y, row->mobility * push.z});
}

/* Friction that stops a corner of a rigid part turns the part, and may lift that corner off: then nothing
 * presses, nothing rubs, the corner comes down again, and rounds would go on for ever, to end with a corner
 * inside the ground that nothing has resisted. In between lies the friction that leaves just some pressure.
 * Halving it finds that within a factor of two. A part of friction takes energy as the whole of it does. */
#define LIFTS_LET_PASS 2

static vec3 gripping(ground_row *row, rvec force)
{
    if (force.z > 0.0) return out_of_frame(row, (rvec){row->grip * force.x, row->grip * force.y, force.z});
    if (row->coupled && vec3_dot(row->force, row->axes[2]) > 0.0 && ++row->lifts > LIFTS_LET_PASS)
        row->grip *= 0.5;
    return out_of_frame(row, force);
}

double vxe_ground_solve(vxe_sim *sim, const step_context *context, ground_row *row, bool guess)
{
    contact_body *body = &sim->collider->bodies[row->body];
    const voxel_table *t = &sim->voxels[sim->model->material[row->voxel]];
    const voxel_constants c = {row->mobility, t->inverse_inertia, 0.0,         row->stiffness,
                               row->damping,  row->still,         row->sliding};
    const floor_step times = {0.5 * context->before, 0.5 * context->step, context->kick,
                              sim->model->view.pitch, 1.0};
    const vec3 own = vec3_scale(context->kick, moved_by(row));
    const rvec free = in_frame(row, vec3_sub(vec3_from(vxe_body_now(sim, body)), own));
    const floor_contact contact = ground_contact(
        in_frame(row, row->before), free, row->depth, row->stuck != 0, row->stuck == STUCK_FRESH, c, times,
        floor_terms_of(c, times.kick, times.half_after, times.gives));
    if (guess) {
        if (contact.slips != 0) row->stuck = 0;
    } else {
        row->stuck = contact.fresh != 0 ? STUCK_FRESH : contact.stuck != 0;
        if (row->grip < 1.0) row->stuck = 0;
    }
    const vec3 force = gripping(row, contact.force);
    const vec3 change = vec3_sub(force, row->force);
    const vec3 impulse = vec3_scale(context->kick, change);
    row->force = force;
    if (row->coupled) {
        vxe_push_body(sim, body, impulse, (vec3){0.0, 0.0, 0.0});
    } else {
        body->now[0] += row->mobility * impulse.x;
        body->now[1] += row->mobility * impulse.y;
        body->now[2] += row->mobility * impulse.z;
    }
    return sqrt(vec3_dot(change, change));
}

void vxe_ground_guess(vxe_sim *sim, const step_context *context, bool between)
{
    ground_contacts *g = sim->ground;
    if (g == NULL || g->pack_count == 0) return;
    make_kinds(sim, context);
    sim->host.contacts->ground_begin(sim, context, between);
}

double vxe_ground_settle(vxe_sim *sim, const step_context *context, double slight, bool *changed)
{
    ground_contacts *g = sim->ground;
    if (g == NULL || g->pack_count == 0) return 0.0;
    make_kinds(sim, context);
    return sim->host.contacts->ground_end(sim, context, slight, changed, g->booked);
}

/* ---- after it ------------------------------------------------------------------------------------------------------- */

static void close_row(vxe_sim *sim, const step_context *context, const ground_row *row, int slot)
{
    const int32_t v = row->voxel;
    const vec3 now = vec3_from(vxe_body_now(sim, &sim->collider->bodies[row->body]));
    const double parting = vec3_dot(now, row->axes[2]);
    const double after = row->depth - 0.5 * context->step * parting;
    const double normal = vec3_dot(row->force, row->axes[2]);
    const contact_spring spring = floor_spring(row->stiffness, sim->model->view.pitch);
    const double energy = contact_energy(after, spring);
    if (sim->def.audit) {
        const bool grows = sim->model->actuated_count > 0;
        const double grown =
            grows ? 0.5 * sim->model->view.pitch * (sim->growth[0][v] - sim->growth_before[0][v]) : 0.0;
        const ground_course course = {
            row->half, after, vec3_dot(row->before, row->axes[2]), parting, normal, row->held, grown, spring};
        const ground_account a =
            ground_book(course, energy, grows, context->kick, 0.25 * (context->before - context->step));
        sim->last.shift += a.shift;
        sim->last.lost_work -= a.shift;
        sim->last.contact += energy;
        sim->last.swelling += a.swelling;
        sim->last.gained += a.gained;
    }
    if (normal > 0.0) sim->last.floor_contacts++;
    if (context->keep) {
        sim->contact_force[0][v] += row->force.x;
        sim->contact_force[1][v] += row->force.y;
        sim->contact_force[2][v] += row->force.z;
    }
    if (!(row->rest > 0.0 || normal > 0.0 || after > 0.0)) return;
    sim->touch_place[slot][v] = row->place;
    sim->touch_stuck[slot][v] = row->stuck;
    sim->touch_rest[slot][v] = row->rest;
    sim->touch_energy[slot][v] = energy;
    sim->touch_distance[slot][v] = half_size(sim, v) - (row->rest + after);
    if (slot > 0) sim->ground->several[v / GROUND_BLOCK] = 1;
}

/* Nothing is left of what voxels of a block touched, from one slot on. */
static void forget(vxe_sim *sim, int32_t block, int first_slot)
{
    const int32_t begin = block * GROUND_BLOCK;
    const int32_t n = sim->model->view.voxel_count;
    const size_t count = (size_t)(begin + GROUND_BLOCK < n ? GROUND_BLOCK : n - begin);
    for (int slot = first_slot; slot < WORLD_HITS; slot++) {
        memset(sim->touch_place[slot] + begin, 0, count * sizeof *sim->touch_place[slot]);
        memset(sim->touch_stuck[slot] + begin, 0, count);
        memset(sim->touch_rest[slot] + begin, 0, count * sizeof(double));
        memset(sim->touch_energy[slot] + begin, 0, count * sizeof(double));
        memset(sim->touch_distance[slot] + begin, 0, count * sizeof(double));
    }
    sim->ground->several[block] = 0;
}

/* A block that voxels of this step are in. */
static void note_touched(ground_contacts *g, int32_t block)
{
    if (g->written[block] == g->turn) return;
    g->written[block] = g->turn;
    g->touched[g->touched_count++] = block;
}

/* Packs have written the first slots of their blocks. */
void vxe_ground_close(vxe_sim *sim, const step_context *context)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    const int32_t before = g->touched_count;
    g->touched_count = 0;
    for (int32_t i = 0; i < g->pack_count; i++) g->written[g->packs[i].first / GROUND_BLOCK] = g->turn;
    for (int32_t i = 0; i < before; i++) {
        const int32_t block = g->touched[i];
        const bool packed = g->written[block] == g->turn;
        if (!packed || g->several[block] != 0) forget(sim, block, packed ? 1 : 0);
    }
    for (int32_t i = 0; i < g->pack_count; i++)
        g->touched[g->touched_count++] = g->packs[i].first / GROUND_BLOCK;
    for (int32_t i = 0; i < g->row_count; i += g->rows[i].count) {
        note_touched(g, g->rows[i].voxel / GROUND_BLOCK);
        for (int slot = 0; slot < g->rows[i].count; slot++) close_row(sim, context, &g->rows[i + slot], slot);
    }
    if (!sim->def.audit || g->pack_count == 0) return;
    sim->last.gained += g->booked[GROUND_GAINED];
    sim->last.swelling += g->booked[GROUND_SWELLING];
    sim->last.shift += g->booked[GROUND_SHIFT];
    sim->last.lost_work -= g->booked[GROUND_SHIFT];
    sim->last.contact += g->booked[GROUND_CONTACT];
}
