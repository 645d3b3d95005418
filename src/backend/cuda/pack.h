/* A simulation as a device's robot: where its arrays lie, and from the host's arrays to there and back.
 * Included by robot_double.c and robot_single.c, which choose `real`. */
#include "backend/cuda/block.h"
#include "backend/cuda/code.h"
#include "backend/cuda/grid_touch.h"
#include "backend/cuda/group.h"
#include "base/base.h"
#include "sim/collide.h"
#include "sim/pressure.h"

#include <math.h>
#include <string.h>

/* ---- where things lie ---------------------------------------------------------------------------------------------- */

/* Hands out pieces of memory; the addresses are not used here. */
typedef struct carver {
    char *base;
    size_t used;
} carver;

static void *carve(carver *c, size_t count, size_t size)
{
    void *at = c->base + c->used;
    c->used = (c->used + count * size + 15) & ~(size_t)15;
    return at;
}

/* Of a body that takes a grid: pairs and contacts. */
static void lay_out_pairs(robot *r, carver *s)
{
    const size_t n = (size_t)r->voxels;
    const size_t rows = GRID_TOUCHES(n);
    const size_t packs = GRID_PACKS(n);
    const size_t cells = (size_t)r->cells[0] * (size_t)r->cells[1] * (size_t)r->cells[2];
    r->crowd = carve(s, 1, sizeof(crowd));
    r->pair_first = carve(s, GRID_PAIRS(n), sizeof(int32_t));
    r->pair_second = carve(s, GRID_PAIRS(n), sizeof(int32_t));
    r->pair_due = carve(s, GRID_PAIRS(n), sizeof(double));
    r->pair_state = carve(s, GRID_PAIRS(n), sizeof(touch_state));
    for (int a = 0; a < 3; a++) r->anchor[a] = carve(s, n, sizeof(double));
    r->parent = carve(s, n, sizeof(int32_t));
    r->island_size = carve(s, n, sizeof(int32_t));
    r->island_at = carve(s, n, sizeof(int32_t));
    r->row_pair = carve(s, rows, sizeof(int32_t));
    r->row_island = carve(s, rows, sizeof(int32_t));
    r->row_rank = carve(s, rows, sizeof(int32_t));
    r->slot_pair = carve(s, packs * PACK_LANES, sizeof(int32_t));
    r->slot_sorted = carve(s, packs * PACK_LANES, sizeof(int32_t));
    r->packs = carve(s, packs, sizeof(touch_pack));
    for (int k = 0; k < 2; k++) r->group_due[k] = carve(s, packs, sizeof(int32_t));
    r->big_at = carve(s, packs, sizeof(int32_t));
    r->big_size = carve(s, packs, sizeof(int32_t));
    r->cell_begin = carve(s, cells + 1, sizeof(int32_t));
    r->cell_of = carve(s, n, sizeof(int32_t));
    r->cell_rank = carve(s, n, sizeof(int32_t));
    r->pair_begin = carve(s, n + 1, sizeof(int32_t));
    r->sums = carve(s, 4096, sizeof(int32_t)); /* one per block */
    r->hits = carve(s, n * HITS_MOST, sizeof(int32_t));
    r->items = carve(s, n, sizeof(cell_item));
    r->kept = carve(s, rows, sizeof(touch_kept));
}

/* The constant part, then the state, then what needs not be brought anywhere. */
static void lay_out(const vxe_sim *sim, robot *r, robot_pieces at, robot_room *room)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    carver c = {at.at[PIECE_LINKS], 0};
    for (int a = 0; a < 3; a++) {
        r->next[a] = carve(&c, n, sizeof(int32_t));
        r->previous[a] = carve(&c, n, sizeof(int32_t));
        r->kind[a] = carve(&c, n, sizeof(uint16_t));
    }
    const bool grid = vxe_gpu_is_large(sim);
    for (int a = 0; a < 3 && grid; a++) r->from[a] = carve(&c, n, sizeof(uint16_t));
    r->material = carve(&c, n, sizeof(uint16_t));
    r->fixed_of = carve(&c, n, 1);
    r->parity = carve(&c, n, 1);
    if (!grid && (r->is & IS_IMPLICIT) != 0)
        r->damped = carve(&c, 6 * ((size_t)BLOCK_THREADS(m->view.voxel_count) / 2), sizeof(damped_link));
    if ((r->is & IS_SOLID) != 0) r->modulus = carve(&c, n, sizeof(double));
    if ((r->is & IS_ACTUATED) != 0) {
        for (int k = 0; k < 3; k++) r->wave[k] = carve(&c, n, sizeof(double));
        r->driven = carve(&c, n, 1);
    }
    if (sim->sharing != NULL) {
        r->share_half = carve(&c, n, 1);
        r->share_scale = carve(&c, n, sizeof(double));
        for (int k = 0; k < 6; k++) {
            r->share_with[k] = carve(&c, n, sizeof(int32_t));
            r->share_weight[k] = carve(&c, n, sizeof(double));
        }
    }
    const bool pairs = sim->collider != NULL;
    const size_t pair_room = grid ? GRID_PAIRS(n) : ROBOT_PAIRS(n);
    for (int a = 0; a < 3 && pairs; a++) r->cell[a] = carve(&c, n, sizeof(int16_t));
    if (pairs) r->exclusion = carve(&c, n, sizeof(uint32_t));
    if (pairs) r->offset_bit = carve(&c, OFFSET_PLACES, 1);
    if (pairs && grid) r->candidates = carve(&c, n, sizeof(int32_t));
    room->bytes[PIECE_LINKS] = c.used;
    c = (carver){at.at[PIECE_TABLES], 0};
    if (pairs && sim->collider->constants != NULL)
        r->touch_constants =
            carve(&c, ((size_t)r->materials + 1) * ((size_t)r->materials + 1), sizeof(touch_constants));
    if (sim->sharing != NULL) r->share_omega = carve(&c, SHARING_STEPS_MAX, sizeof(double));
    r->points = carve(&c, m->signal_table_count, sizeof(double));
    if ((r->is & IS_HELD) != 0) {
        for (int a = 0; a < 3; a++) r->target[a] = carve(&c, n, sizeof(double));
        r->held_of = carve(&c, n, 1);
    }
    r->links = carve(&c, (size_t)r->classes + 1, sizeof(link_row));
    r->rows = carve(&c, (size_t)r->materials + 1, sizeof(voxel_row));
    r->sines = carve(&c, (size_t)r->materials + 1, sizeof(sine_row));
    r->sines_now = carve(&c, (size_t)r->materials + 1, sizeof(sine_now));
    room->bytes[PIECE_TABLES] = c.used;
    carver s = {at.at[PIECE_STATE], 0};
    for (int a = 0; a < 3; a++) r->position[a] = carve(&s, n, sizeof(double));
    r->growth = carve(&s, n, sizeof(double));
    r->pressure = carve(&s, n, sizeof(double));
    for (int i = 0; i < 4; i++) r->orientation[i] = carve(&s, n, sizeof(real));
    for (int a = 0; a < 3; a++) r->velocity[a] = carve(&s, n, sizeof(real));
    for (int a = 0; a < 3; a++) r->spin[a] = carve(&s, n, sizeof(real));
    r->stuck = carve(&s, n, 1);
    if ((r->is & IS_ON_DISC) != 0) r->floor_rest = carve(&s, n, sizeof(double));
    r->rate = carve(&s, n, sizeof(double));
    for (int a = 0; a < 3; a++) {
        r->force[a] = carve(&s, n, sizeof(real));
        r->moment[a] = carve(&s, n, sizeof(real));
        r->contact_force[a] = carve(&s, n, sizeof(double));
    }
    for (int d = 0; d < 6 && (r->is & IS_HELD) != 0; d++) r->held_velocity[d] = carve(&s, n, sizeof(double));
    room->bytes[PIECE_STATE] = s.used;
    s = (carver){at.at[PIECE_PAIRS], 0};
    if (pairs && !grid) {
        r->pair_first = carve(&s, pair_room, sizeof(int32_t));
        r->pair_second = carve(&s, pair_room, sizeof(int32_t));
        r->pair_due = carve(&s, pair_room, sizeof(double));
        for (int a = 0; a < 3; a++) r->anchor[a] = carve(&s, n, sizeof(double));
        r->touches[0] = carve(&s, ROBOT_TOUCHES(n), sizeof(touch));
    }
    room->bytes[PIECE_PAIRS] = s.used;
    s = (carver){at.at[PIECE_ROOM], 0};
    for (int d = 0; d < 6 && (r->is & IS_FIXED) != 0; d++) r->held_load[d] = carve(&s, n, sizeof(double));
    if (pairs) r->bodies = carve(&s, n, sizeof(touch_body));
    if (pairs && !grid) {
        r->touches[1] = carve(&s, ROBOT_TOUCHES(n), sizeof(touch));
        r->noted = carve(&s, ROBOT_TOUCHES(n), sizeof(uint32_t));
        r->touch_rows = carve(&s, ROBOT_TOUCHES(n), sizeof(touch_row));
    }
    if (pairs && grid) lay_out_pairs(r, &s);
    if (grid && sim->sharing != NULL) {
        r->share_source = carve(&s, n, sizeof(double));
        r->share_past = carve(&s, n, sizeof(double));
    }
    if (grid) { /* the one or the other, in the same place, unless contacts take both */
        carver parts = s;
        for (int d = 0; d < 12; d++) r->passing[d / 6][d % 6] = carve(&parts, n, sizeof(real));
        for (int a = 0; a < 3; a++) r->guess[a] = carve(&parts, n, sizeof(real));
        if (pairs) s = parts;
        for (int a = 0; a < 3; a++) r->position2[a] = carve(&s, n, sizeof(double));
        for (int i = 0; i < 4; i++) r->orientation2[i] = carve(&s, n, sizeof(real));
        for (int a = 0; a < 3; a++) r->velocity2[a] = carve(&s, n, sizeof(real));
        for (int a = 0; a < 3; a++) r->spin2[a] = carve(&s, n, sizeof(real));
        if (parts.used > s.used) s.used = parts.used;
    }
    room->bytes[PIECE_ROOM] = s.used;
}

static void describe(const vxe_sim *sim, robot *r)
{
    const vxe_model *m = sim->model;
    memset(r, 0, sizeof *r);
    r->voxels = m->view.voxel_count;
    r->classes = m->class_count;
    r->materials = m->constant_count;
    r->is = (m->environment.elasticity == VXE_ELASTICITY_SOLID ? IS_SOLID : 0) |
            (sim->implicit ? IS_IMPLICIT : 0) | (m->actuated_count > 0 ? IS_ACTUATED : 0) |
            (sim->environment.floor ? IS_ON_FLOOR : 0) | (sim->floor_rest[0] != NULL ? IS_ON_DISC : 0) |
            (m->held_count > 0 ? IS_HELD : 0) | (sim->held_load[0] != NULL ? IS_FIXED : 0) |
            (sim->sharing != NULL && sim->sharing->steps > 0 ? IS_SHARING : 0) |
            (sim->collider != NULL ? IS_PAIRED : 0) | (m->environment.links_unbalanced ? IS_UNBALANCED : 0) |
            (sim->collider != NULL && sim->environment.damping_ground > 0.0 ? IS_DAMPED : 0);
    r->actuated = m->actuated_count == 0                 ? 0
                  : vxe_signals_are_sines(m)             ? ACTUATED_BY_SINES
                  : m->actuation[0] == NULL && !m->grows ? ACTUATED_BY_MATERIAL
                                                         : ACTUATED_EACH;
    r->share_steps = sim->sharing != NULL ? sim->sharing->steps : 0;
    r->share_gain = sim->sharing != NULL ? sim->sharing->gain : 0.0;
    r->pitch = m->view.pitch;
    r->edge = sim->environment.floor_radius;
    for (int a = 0; a < 2; a++) r->middle[a] = 0.5 * m->view.pitch * m->view.size[a];
    r->small_pitch = (real)m->view.pitch;
    r->inverse_pitch = real_of(1) / r->small_pitch;
    r->inverse_area = (real)(1.0 / (m->view.pitch * m->view.pitch));
    if (sim->collider == NULL) return;
    r->candidate_count = sim->collider->candidate_count;
    /* cells are two voxels wide, or more */
    for (int a = 0; a < 3; a++) {
        r->cells[a] = 4;
        while (2 * r->cells[a] < m->view.size[a] && r->cells[a] < (1 << 20)) r->cells[a] *= 2;
    }
    while ((int64_t)r->cells[0] * r->cells[1] * r->cells[2] > 2 * (int64_t)r->voxels + 64) {
        int longest = 0;
        for (int a = 1; a < 3; a++) longest = r->cells[a] > r->cells[longest] ? a : longest;
        r->cells[longest] /= 2;
    }
}

/* Which kernel steps it. */
static int robot_variant(const void *at)
{
    const robot *r = at;
    if (r->voxels > GPU_SPECIAL_VOXELS || r->classes > BLOCK_CLASSES_MOST ||
        r->materials > BLOCK_MATERIALS_MOST)
        return GPU_GENERAL;
    if (r->is == IS_PLAIN) return GPU_USUAL;
    if (r->is == (IS_PLAIN | IS_PAIRED)) return GPU_TOUCHING;
    return (r->is & ~IS_PLAIN) == 0 ? GPU_PLAIN : GPU_GENERAL;
}

static robot_room robot_measure(const vxe_sim *sim)
{
    robot r;
    robot_room room;
    describe(sim, &r);
    lay_out(sim, &r, (robot_pieces){{NULL}}, &room);
    return room;
}

/* ---- constants ----------------------------------------------------------------------------------------------------- */

static void pack_links(const vxe_sim *sim, const robot *r)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    for (int32_t i = 0; i < m->class_count; i++) {
        const link_class *c = &m->classes[i];
        const link_table *t = &sim->links[i];
        r->links[i] = (link_row){.ka = (real)c->ka,
                                 .cs = (real)t->cs,
                                 .twice_bend = (real)(2.0 * (t->c - t->kt)),
                                 .twice_twist = (real)(2.0 * t->kt),
                                 .axial = (real)t->axial,
                                 .shear = (real)t->shear,
                                 .bending = (real)t->bending,
                                 .torsion = (real)t->torsion,
                                 .rate = (real)t->rate,
                                 .rate_across = (real)t->rate_across,
                                 .near_area = (real)(l * l * c->near_weight),
                                 .far_area = (real)(l * l * c->far_weight),
                                 .near_weight = (real)c->near_weight,
                                 .far_weight = (real)c->far_weight,
                                 .damp_axial = t->axial,
                                 .damp_shear = t->shear,
                                 .damp_bending = t->bending,
                                 .damp_torsion = t->torsion,
                                 .near_mass = t->near_mass,
                                 .far_mass = t->far_mass};
    }
}

static void pack_materials(const vxe_sim *sim, const robot *r)
{
    const vxe_model *m = sim->model;
    voxel_row *rows = r->rows;
    sine_row *sines = (sine_row *)(uintptr_t)r->sines;
    const double *gravity = sim->environment.gravity;
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        const voxel_table *t = &sim->voxels[i];
        voxel_row *row = &rows[i];
        row->constants =
            (voxel_constants){(real)t->inverse_mass,    (real)t->inverse_inertia, (real)t->ground_rate,
                              (real)t->floor_stiffness, (real)t->floor_damping,   (real)t->static_friction,
                              (real)t->dynamic_friction};
        row->turning_rate = (real)sim->environment.damping_turning * row->constants.ground_rate;
        row->exact_turning_rate = sim->environment.damping_turning * t->ground_rate;
        row->mass = (real)c->mass;
        row->inertia = (real)c->inertia;
        row->weight =
            (rvec){row->mass * (real)gravity[0], row->mass * (real)gravity[1], row->mass * (real)gravity[2]};
        row->exact_mass = c->mass;
        row->exact_inertia = c->inertia;
        row->exact = (exact_voxel_constants){t->inverse_mass,    t->inverse_inertia, t->ground_rate,
                                             t->floor_stiffness, t->floor_damping,   t->static_friction,
                                             t->dynamic_friction};
        row->fall = fmax(1.05 * sim->rates[0][i], 0.6 * sim->rate_at_bound);
        row->rise = 0.8 * sim->rate_at_bound;
        sine_row *s = &sines[i];
        memset(s, 0, sizeof *s);
        if ((r->is & IS_ACTUATED) == 0 || c->signal < 0) continue;
        const vxe_signal_def *def = &m->signals[c->signal].def;
        const sim_signal *now = &sim->signals[c->signal];
        *s = (sine_row){.driven = 1,
                        .cool_only = def->cool_only,
                        .contract_only = def->contract_only,
                        .waveform = (int32_t)def->waveform - VXE_WAVE_SINE,
                        .table_count = def->table_count,
                        .table_begin =
                            def->table_count > 0 ? (int32_t)(def->table_time - m->signal_tables) : 0,
                        .table_period = def->period,
                        .base = now->base,
                        .reference = def->reference,
                        .amplitude = now->amplitude,
                        .period = now->period,
                        .phase = now->phase,
                        .start = def->start,
                        .begin = fmax(def->delay, c->delay),
                        .expansion = c->expansion,
                        .least = def->size_min > 0.0 ? def->size_min - 1.0 : GROWTH_MIN,
                        .most = def->size_max > 0.0 ? def->size_max - 1.0 : GROWTH_MAX};
    }
}

/* Shares, row by row in the order of the host's slots. */
static void pack_sharing(const vxe_sim *sim, const robot *r)
{
    const pressure_sharing *s = sim->sharing;
    memset((void *)(uintptr_t)r->share_half, 2, (size_t)r->voxels);
    for (int k = 0; k < 6; k++) memset((void *)(uintptr_t)r->share_with[k], 0xff, (size_t)r->voxels * 4);
    for (int h = 0; h < 2; h++) {
        const share_half *half = &s->half[h];
        for (int32_t n = 0; n < half->run_count; n++) {
            const share_run *run = &half->runs[n];
            for (int32_t i = run->begin; i < run->end && i < half->count; i++) {
                const int32_t v = half->voxel[i];
                const int32_t row = i - run->begin;
                const double *c = half->coefficient + run->coefficient +
                                  (ptrdiff_t)(row / SHARING_BLOCK) * run->slots * SHARING_BLOCK +
                                  row % SHARING_BLOCK;
                int count = 0;
                ((uint8_t *)(uintptr_t)r->share_half)[v] = (uint8_t)h;
                ((double *)(uintptr_t)r->share_scale)[v] = half->scale[i];
                for (int32_t k = 0; k < run->slots && count < 6; k++) {
                    if (c[k * SHARING_BLOCK] == 0.0) continue;
                    const int32_t other = i + half->offset[run->offset + k];
                    ((int32_t *)(uintptr_t)r->share_with[count])[v] = s->half[1 - h].voxel[other];
                    ((double *)(uintptr_t)r->share_weight[count++])[v] = c[k * SHARING_BLOCK];
                }
            }
        }
    }
}

static void pack_omegas(const vxe_sim *sim, const robot *r)
{
    double *at = (double *)(uintptr_t)r->share_omega;
    double weight = 2.0;
    double omega = 1.0;
    for (int32_t k = 0; k < r->share_steps; k++) {
        at[k] = omega;
        weight = 1.0 / (1.0 - 0.25 * sim->sharing->radius * sim->sharing->radius * weight);
        omega = weight;
    }
}

static void pack_held(const vxe_sim *sim, const robot *r)
{
    const vxe_model *m = sim->model;
    uint8_t *held_of = (uint8_t *)(uintptr_t)r->held_of;
    memset(held_of, 0, (size_t)r->voxels);
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t v = m->held_voxel[h];
        const int32_t *decides = &m->held_region[6 * (size_t)h];
        for (int d = 0; d < 6; d++) {
            if (decides[d] < 0) continue;
            held_of[v] |= (uint8_t)(1U << d);
            if (d < 3)
                ((double *)(uintptr_t)r->target[d])[v] = m->start[d][v] + sim->regions[decides[d]].placed[d];
        }
    }
}

/* Links by colours: each has room for as many as half of the threads can take. */
static void pack_damped(const robot *r)
{
    const int32_t room = BLOCK_THREADS(r->voxels) / 2;
    damped_link *at = (damped_link *)(uintptr_t)r->damped;
    int32_t count[6] = {0};
    memset(at, 0, 6 * (size_t)room * sizeof *at);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < r->voxels; v++) {
            if (r->kind[a][v] == 0) continue;
            const int k = 2 * a + (r->parity[v] >> a & 1);
            at[k * room + count[k]++] = DAMPED_LINK(v, r->next[a][v], r->kind[a][v]);
        }
    }
}

/* Who can touch whom. */
static void pack_candidates(const vxe_sim *sim, const robot *r)
{
    const vxe_model *m = sim->model;
    const collider *c = sim->collider;
    uint32_t *exclusion = (uint32_t *)(uintptr_t)r->exclusion;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < r->voxels; v++)
            ((int16_t *)(uintptr_t)r->cell[a])[v] = (int16_t)m->cell[a][v];
    }
    memset(exclusion, 0, (size_t)r->voxels * sizeof *exclusion);
    for (int32_t i = 0; i < c->candidate_count; i++)
        exclusion[c->candidates[i]] = c->exclusion[i] | EXCLUSION_KNOWN;
    memcpy((void *)(uintptr_t)r->offset_bit, c->offset_bit, sizeof c->offset_bit);
    if (r->candidates != NULL)
        memcpy((void *)(uintptr_t)r->candidates, c->candidates,
               (size_t)c->candidate_count * sizeof *c->candidates);
}

/* The list of pairs, there and back. */
static void pack_pairs(const vxe_sim *sim, const robot *r)
{
    const collider *c = sim->collider;
    const size_t count = (size_t)c->list.count;
    memcpy(r->pair_first, c->list.first, count * sizeof *c->list.first);
    memcpy(r->pair_second, c->list.second, count * sizeof *c->list.second);
    memcpy(r->pair_due, c->list.due, count * sizeof *c->list.due);
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < c->candidate_count; i++) r->anchor[a][c->candidates[i]] = c->anchor[a][i];
    }
    _Static_assert(sizeof(touch_state) == sizeof(contact_state), "the same");
    size_t touches = 0;
    for (size_t i = 0; i < count; i++) {
        if (c->list.state[i].touching == 0) continue;
        touch *to = &r->touches[0][touches++];
        to->key = (uint32_t)c->list.first[i] << 16 | (uint32_t)c->list.second[i];
        memcpy(&to->state, &c->list.state[i], sizeof to->state);
    }
}

static void unpack_list(collider *c, const robot *r, const robot_control *control)
{
    const size_t count = (size_t)control->pair_count;
    memcpy(c->list.first, r->pair_first, count * sizeof *c->list.first);
    memcpy(c->list.second, r->pair_second, count * sizeof *c->list.second);
    memcpy(c->list.due, r->pair_due, count * sizeof *c->list.due);
    c->list.count = (int64_t)count;
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < c->candidate_count; i++) c->anchor[a][i] = r->anchor[a][c->candidates[i]];
    }
    c->horizon = control->horizon;
    c->rounding = control->rounding;
    c->rebuilds += control->listed;
}

/* Those of a body that takes a grid go directly from the one to the other. */
static const char *robot_send_pairs(const vxe_sim *sim, const void *at, const gpu *device)
{
    const robot *r = at;
    const collider *c = sim->collider;
    const size_t count = (size_t)c->list.count;
    const size_t anchors = (size_t)c->candidate_count * sizeof(double);
    const char *wrong = device->write(r->pair_first, c->list.first, count * sizeof(int32_t));
    if (wrong == NULL) wrong = device->write(r->pair_second, c->list.second, count * sizeof(int32_t));
    if (wrong == NULL) wrong = device->write(r->pair_due, c->list.due, count * sizeof(double));
    if (wrong == NULL) wrong = device->write(r->pair_state, c->list.state, count * sizeof(contact_state));
    for (int a = 0; a < 3 && wrong == NULL; a++) wrong = device->write(r->anchor[a], c->anchor[a], anchors);
    return wrong;
}

static const char *robot_fetch_pairs(vxe_sim *sim, const void *at, const robot_control *control,
                                     const gpu *device)
{
    const robot *r = at;
    collider *c = sim->collider;
    const size_t count = (size_t)control->pair_count;
    const size_t anchors = (size_t)c->candidate_count * sizeof(double);
    const char *wrong = NULL;
    if (control->listed > 0) {
        wrong = device->read(c->list.first, r->pair_first, count * sizeof(int32_t));
        if (wrong == NULL) wrong = device->read(c->list.second, r->pair_second, count * sizeof(int32_t));
        if (wrong == NULL) wrong = device->read(c->list.due, r->pair_due, count * sizeof(double));
        for (int a = 0; a < 3 && wrong == NULL; a++)
            wrong = device->read(c->anchor[a], r->anchor[a], anchors);
        c->list.count = (int64_t)count;
        c->horizon = control->horizon;
        c->rounding = control->rounding;
        c->rebuilds += control->listed;
    }
    if (wrong == NULL) wrong = device->read(c->list.state, r->pair_state, count * sizeof(contact_state));
    return wrong;
}

static void robot_unpack_pairs(vxe_sim *sim, const void *at, const robot_control *control)
{
    const robot *r = at;
    collider *c = sim->collider;
    if (control->listed > 0) unpack_list(c, r, control);
    int32_t k = 0; /* both are in the same order */
    for (int64_t i = 0; i < c->list.count; i++) {
        const uint32_t key = (uint32_t)c->list.first[i] << 16 | (uint32_t)c->list.second[i];
        c->list.state[i] = (contact_state){.stuck = 0};
        if (k == control->touch_count || r->touches[0][k].key != key) continue;
        memcpy(&c->list.state[i], &r->touches[0][k++].state, sizeof c->list.state[i]);
    }
}

static void robot_pack_constants(const vxe_sim *sim, void *at, robot_pieces pieces, bool links)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    robot *r = at;
    robot_room room;
    describe(sim, r);
    lay_out(sim, r, pieces, &room);
    if ((r->is & IS_HELD) != 0) pack_held(sim, r);
    pack_links(sim, r);
    pack_materials(sim, r);
    if (r->share_steps > 0) pack_omegas(sim, r);
    if (r->touch_constants != NULL) {
        _Static_assert(sizeof(touch_constants) == sizeof(pair_constants), "the same");
        memcpy((void *)(uintptr_t)r->touch_constants, sim->collider->constants,
               ((size_t)r->materials + 1) * ((size_t)r->materials + 1) * sizeof(touch_constants));
    }
    memcpy((void *)(uintptr_t)r->points, m->signal_tables, m->signal_table_count * sizeof(double));
    if (!links) return;
    if (sim->sharing != NULL) pack_sharing(sim, r);
    for (int a = 0; a < 3; a++) {
        int32_t *next = (int32_t *)(uintptr_t)r->next[a];
        int32_t *previous = (int32_t *)(uintptr_t)r->previous[a];
        uint16_t *kind = (uint16_t *)(uintptr_t)r->kind[a];
        for (int32_t v = 0; v < n; v++) previous[v] = -1;
        for (int32_t v = 0; v < n; v++) {
            kind[v] = (uint16_t)sim->link_kind[a][v];
            next[v] = kind[v] != 0 ? m->next[a][v] : -1;
            if (kind[v] != 0) previous[m->next[a][v]] = v;
        }
    }
    for (int a = 0; a < 3 && r->from[0] != NULL; a++) {
        uint16_t *from = (uint16_t *)(uintptr_t)r->from[a];
        for (int32_t v = 0; v < n; v++) from[v] = r->previous[a][v] >= 0 ? r->kind[a][r->previous[a][v]] : 0;
    }
    uint8_t *parity = (uint8_t *)(uintptr_t)r->parity;
    for (int32_t v = 0; v < n; v++)
        parity[v] = (uint8_t)((v & 1) | (m->cell[1][v] & 1) << 1 | (m->cell[2][v] & 1) << 2);
    if (r->damped != NULL) pack_damped(r);
    if (r->exclusion != NULL) pack_candidates(sim, r);
    memcpy((void *)(uintptr_t)r->material, m->material, (size_t)n * sizeof *m->material);
    memcpy((void *)(uintptr_t)r->fixed_of, m->fixed, (size_t)n);
    if ((r->is & IS_SOLID) != 0)
        memcpy((void *)(uintptr_t)r->modulus, sim->modulus[0], (size_t)n * sizeof(double));
    if ((r->is & IS_ACTUATED) != 0) {
        uint8_t *driven = (uint8_t *)(uintptr_t)r->driven;
        memset(driven, 0, (size_t)n);
        for (int32_t i = 0; i < m->actuated_count; i++) {
            const int32_t v = m->actuated_voxel[i];
            driven[v] = 1;
            for (int k = 0; k < 3; k++) {
                const double *from = r->actuated != ACTUATED_BY_SINES ? m->actuation[k]
                                     : k < 2                          ? m->waves[k]
                                                                      : NULL;
                ((double *)(uintptr_t)r->wave[k])[v] = from != NULL ? from[i] : k == 0 ? 0.0 : 1.0;
            }
        }
    }
}

/* The same with addresses of the device: what it is handed. */
static void robot_address(const vxe_sim *sim, void *at, robot_pieces pieces, robot_control *control)
{
    robot *r = at;
    robot_room room;
    describe(sim, r);
    lay_out(sim, r, pieces, &room);
    r->control = control;
}

/* ---- state ---------------------------------------------------------------------------------------------------------- */

static void reals_from(real *to, const double *from, size_t n)
{
    for (size_t v = 0; v < n; v++) to[v] = (real)from[v];
}
static void doubles_from(double *to, const real *from, size_t n)
{
    for (size_t v = 0; v < n; v++) to[v] = (double)from[v];
}

static void robot_pack_state(const vxe_sim *sim, const void *at)
{
    const robot *r = at;
    const size_t n = (size_t)r->voxels;
    const size_t bytes = n * sizeof(double);
    for (int a = 0; a < 3; a++) {
        memcpy(r->position[a], sim->position[a], bytes);
        reals_from(r->velocity[a], sim->velocity[a], n);
        reals_from(r->spin[a], sim->spin[a], n);
    }
    for (int i = 0; i < 4; i++) reals_from(r->orientation[i], sim->orientation[i], n);
    memcpy(r->growth, sim->growth[0], bytes);
    memcpy(r->pressure, sim->pressure[0], bytes);
    memcpy(r->stuck, sim->stuck[0], n);
    if ((r->is & IS_ON_DISC) != 0) memcpy(r->floor_rest, sim->floor_rest[0], bytes);
    memset(r->rate, 0, bytes);
    if (r->touches[0] != NULL) pack_pairs(sim, r);
}

/* Arrays of a robot on their way back. */
typedef struct unpacking {
    const robot *robot;
    state_set arrays;
} unpacking;

#define WANTED(name) ((arrays & STATE_SET(name)) != 0)
static void unpack_part(vxe_sim *sim, const part_range *part, void *context)
{
    const robot *r = ((const unpacking *)context)->robot;
    const state_set arrays = ((const unpacking *)context)->arrays;
    const size_t from = (size_t)part->begin;
    const size_t n = (size_t)(part->end - part->begin);
    const size_t bytes = n * sizeof(double);
    for (int a = 0; a < 3; a++) {
        if (WANTED(position)) memcpy(sim->position[a] + from, r->position[a] + from, bytes);
        if (WANTED(velocity)) doubles_from(sim->velocity[a] + from, r->velocity[a] + from, n);
        if (WANTED(spin)) doubles_from(sim->spin[a] + from, r->spin[a] + from, n);
        if (WANTED(force)) doubles_from(sim->force[a] + from, r->force[a] + from, n);
        if (WANTED(moment)) doubles_from(sim->moment[a] + from, r->moment[a] + from, n);
        if (WANTED(contact_force)) memcpy(sim->contact_force[a] + from, r->contact_force[a] + from, bytes);
    }
    for (int i = 0; i < 4 && WANTED(orientation); i++)
        doubles_from(sim->orientation[i] + from, r->orientation[i] + from, n);
    if (WANTED(growth)) memcpy(sim->growth[0] + from, r->growth + from, bytes);
    if (WANTED(pressure)) memcpy(sim->pressure[0] + from, r->pressure + from, bytes);
    if (WANTED(stuck)) memcpy(sim->stuck[0] + from, r->stuck + from, n);
    if ((r->is & IS_ON_DISC) != 0 && WANTED(floor_rest))
        memcpy(sim->floor_rest[0] + from, r->floor_rest + from, bytes);
}

/* Voxels from which on all threads of the host unpack a body. */
#define UNPACK_TOGETHER 100000

static void robot_unpack_state(vxe_sim *sim, const void *at, state_set arrays)
{
    const robot *r = at;
    const vxe_model *m = sim->model;
    unpacking u = {r, arrays};
    if (r->voxels >= UNPACK_TOGETHER) {
        sim->host.divide(sim, unpack_part, &u);
    } else {
        const part_range all = {0, 1, 0, r->voxels, 0};
        unpack_part(sim, &all, &u);
    }
    for (int32_t h = 0; h < m->held_count && WANTED(held_velocity); h++) {
        for (int d = 0; d < 6; d++)
            sim->held_velocity[0][6 * (size_t)h + (size_t)d] = r->held_velocity[d][m->held_voxel[h]];
    }
}
#undef WANTED

/* What the time step depends on. */
static void robot_unpack_rates(vxe_sim *sim, const void *at)
{
    const robot *r = at;
    const vxe_model *m = sim->model;
    memset(sim->rates[1], 0, ((size_t)m->constant_count + 1) * sizeof(double));
    for (int32_t v = 0; v < r->voxels; v++) {
        double *most = &sim->rates[1][m->material[v]];
        if (r->rate[v] > *most) *most = r->rate[v];
    }
}

/* ---- as if by a device ----------------------------------------------------------------------------------------------- */

static size_t robot_shared(int32_t threads, const void *at)
{
    const bool tables = robot_variant(at) != GPU_GENERAL;
    return block_shared_bytes(threads) + (tables ? block_table_bytes(at) : 0);
}

static size_t robot_shared_most(int32_t threads)
{
    const robot largest = {.classes = BLOCK_CLASSES_MOST, .materials = BLOCK_MATERIALS_MOST};
    return block_shared_bytes(threads) +
           (threads <= BLOCK_THREADS(GPU_SPECIAL_VOXELS) ? block_table_bytes(&largest) : 0);
}

static void robot_emulate(const void *robots, int32_t which, int32_t threads, void *shared, void *own)
{
    const robot *r = &((const robot *)robots)[which];
    block b = {.threads = threads, .is = r->is};
    block_lay_out(&b, shared, r, robot_variant(r) != GPU_GENERAL);
    block_run(&b, own, r);
}

static void robot_emulate_stage(const void *at, int32_t voxels, int stage, int with)
{
    const robot *r = at;
    if (stage == GPU_CONTROL) {
        grid_control(r->control, with);
        if (r->control->why == ROBOT_RUNS) grid_prepare(r, r->control, 0, 1);
        return;
    }
    if (stage == GPU_PAIRS) {
        pairs_run(r);
        return;
    }
    if (stage == GPU_ROWS) {
        touch_lane lanes[WHOLE_LANES];
        if (r->control->why != ROBOT_RUNS || r->crowd->rows == 0) return;
        for (int32_t w = 0; w < WHOLE_HOST_WARPS && with == 0; w++)
            touch_order_groups(r, lanes, w, WHOLE_HOST_WARPS);
        for (int32_t t = 0; t < WHOLE_HOST_THREADS && with == 1; t++)
            touch_begin_rows(r, t, WHOLE_HOST_THREADS);
        for (int32_t t = 0; t < WHOLE_HOST_THREADS && with == 2; t++)
            touch_close_rows(r, t, WHOLE_HOST_THREADS);
        return;
    }
    if (stage == GPU_TOUCH) {
        touch_lane lanes[WHOLE_LANES];
        memset(lanes, 0, sizeof lanes);
        touch_run(r, lanes, with);
        return;
    }
    double *const watched = grid_watched(r, stage, with);
    if (r->control->why != ROBOT_RUNS && stage != GPU_CLEAR) return;
    for (int32_t v = 0; v < voxels; v++) {
        const double value = grid_stage(r, stage, with, v);
        if (watched != NULL) grid_most(watched, value);
    }
}

static void robot_turn(void *at)
{
    robot *r = at;
    robot other = *r;
    memcpy(other.position, r->position2, sizeof other.position);
    memcpy(other.orientation, r->orientation2, sizeof other.orientation);
    memcpy(other.velocity, r->velocity2, sizeof other.velocity);
    memcpy(other.spin, r->spin2, sizeof other.spin);
    memcpy(other.position2, r->position, sizeof other.position);
    memcpy(other.orientation2, r->orientation, sizeof other.orientation);
    memcpy(other.velocity2, r->velocity, sizeof other.velocity);
    memcpy(other.spin2, r->spin, sizeof other.spin);
    *r = other;
}

static int robot_halves(const void *at, void *to[16], const void *from[16], size_t bytes[16])
{
    const robot *r = at;
    const size_t n = (size_t)r->voxels;
    int count = 0;
    for (int a = 0; a < 3; a++, count++) {
        to[count] = r->position[a];
        from[count] = r->position2[a];
        bytes[count] = n * sizeof(double);
    }
    for (int i = 0; i < 10; i++, count++) {
        to[count] = i < 4 ? r->orientation[i] : i < 7 ? r->velocity[i - 4] : r->spin[i - 7];
        from[count] = i < 4 ? r->orientation2[i] : i < 7 ? r->velocity2[i - 4] : r->spin2[i - 7];
        bytes[count] = n * sizeof(real);
    }
    return count;
}

const robot_code ROBOT_CODE = {.bytes = sizeof(robot),
                               .own_bytes = sizeof(block_own),
                               .measure = robot_measure,
                               .pack_constants = robot_pack_constants,
                               .address = robot_address,
                               .variant = robot_variant,
                               .pack_state = robot_pack_state,
                               .unpack_state = robot_unpack_state,
                               .unpack_rates = robot_unpack_rates,
                               .unpack_pairs = robot_unpack_pairs,
                               .send_pairs = robot_send_pairs,
                               .fetch_pairs = robot_fetch_pairs,
                               .shared = robot_shared,
                               .shared_most = robot_shared_most,
                               .emulate = robot_emulate,
                               .emulate_stage = robot_emulate_stage,
                               .turn = robot_turn,
                               .halves = robot_halves};
