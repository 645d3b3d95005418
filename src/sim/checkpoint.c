/* Everything that changes, to bytes and back. One function lists it all, for counting, writing and reading
 * alike, so nothing is forgotten.
 *
 * Layout: magic, version, model hash, settings, payload size, hash of the payload, payload. Numbers are
 * little endian, as in the memory of every machine this is built for; others are refused at compile time. */
#include "base/base.h"
#include "base/settings.h"
#include "model/rules.h"
#include "sim/choices.h"
#include "sim/collide.h"
#include "sim/drive.h"
#include "sim/life.h"
#include "sim/pressure.h"

#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "checkpoints are little endian"
#endif

#define CHECKPOINT_VERSION 13U
#define COUNT_MAX (INT64_C(1) << 60) /* of steps and other counters: they can still count on */

static const char magic[8] = {'V', 'X', 'E', 'S', 'T', 'A', 'T', 'E'};

typedef struct header {
    char magic[8];
    uint32_t version;
    uint32_t precision;
    uint64_t model_hash;
    double dt_fraction;
    uint32_t audit;
    uint32_t bond_damping;
    uint64_t size;
    uint64_t hash;
} header;

typedef enum stream_mode { STREAM_COUNT, STREAM_WRITE, STREAM_READ } stream_mode;

typedef struct stream {
    stream_mode mode;
    unsigned char *at;
    size_t size;  /* bytes passed so far */
    size_t left;  /* bytes still to be read */
    bool missing; /* the bytes ended too early */
} stream;

static void pass(stream *s, void *data, size_t size)
{
    s->size += size;
    if (s->mode == STREAM_COUNT || size == 0) return;
    if (s->mode == STREAM_READ) {
        if (s->missing || size > s->left) {
            s->missing = true;
            return;
        }
        memcpy(data, s->at, size);
        s->left -= size;
    } else {
        memcpy(s->at, data, size);
    }
    s->at += size;
}

/* Pairs of voxels that are near, with what they remember. */
static void pass_pairs(stream *s, vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    int64_t count = c->list.count;
    pass(s, &count, sizeof count);
    if (count < 0 || count > c->capacity) {
        s->missing = true;
        return;
    }
    c->list.count = count;
    pass(s, c->list.first, (size_t)count * sizeof *c->list.first);
    pass(s, c->list.second, (size_t)count * sizeof *c->list.second);
    pass(s, c->list.state, (size_t)count * sizeof *c->list.state);
}

/* What happened to links. */
static void pass_events(stream *s, vxe_sim *sim)
{
    if (sim->events == NULL) return;
    int64_t count = sim->event_count;
    pass(s, &count, sizeof count);
    if (count < 0 || count > 2 * (int64_t)sim->model->view.link_count) {
        s->missing = true;
        return;
    }
    sim->event_count = count;
    pass(s, sim->events, (size_t)count * sizeof *sim->events);
}

/* Arrays of the manifest, all of a shape: component by component of one array after another; of links, axis
 * by axis of all of them. */
static void pass_component(stream *s, vxe_sim *sim, int id, int component)
{
    const state_field *f = &vxe_state_fields[id];
    void *array = vxe_state_at(sim, (state_id)id, component);
    if (array != NULL) pass(s, array, vxe_state_length(sim, (state_id)id) * f->size);
}
static void pass_arrays(stream *s, vxe_sim *sim, state_shape shape)
{
    const int turns = shape == PER_LINK ? 3 : 1;
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < STATE_COUNT; i++) {
            const state_field *f = &vxe_state_fields[i];
            if (f->shape != shape || (f->flags & STATE_SAVED) == 0) continue;
            const int begin = shape == PER_LINK ? turn : 0;
            const int end = shape == PER_LINK ? turn + 1 : f->components;
            for (int c = begin; c < end; c++) pass_component(s, sim, i, c);
        }
    }
}

/* Whether something that is not always there is, and room for it where it is read. */
static bool pass_presence(stream *s, vxe_sim *sim, bool here, vxe_result (*prepare)(vxe_sim *, vxe_error *))
{
    int32_t present = here ? 1 : 0;
    pass(s, &present, sizeof present);
    if (s->mode == STREAM_READ && present != 0 && (s->missing || prepare(sim, NULL) != VXE_OK))
        s->missing = true;
    return present != 0 && !s->missing;
}

/* Targets of voxels, forces on them, and whether links were cut that cannot fail by themselves. */
static void pass_drive(stream *s, vxe_sim *sim)
{
    if (pass_presence(s, sim, vxe_control_used(sim), vxe_control_prepare)) {
        pass(s, sim->control->from, 4 * (size_t)sim->model->actuated_count * sizeof(double));
    } else if (s->mode == STREAM_READ) {
        vxe_control_reset(sim);
    }
    if (pass_presence(s, sim, vxe_applied_used(sim), vxe_applied_prepare)) {
        pass(s, sim->applied[0], 3 * (size_t)sim->model->view.voxel_count * sizeof(double));
    } else if (s->mode == STREAM_READ) {
        vxe_applied_reset(sim);
    }
    const bool cut = pass_presence(s, sim, sim->broken[0] != NULL, vxe_links_own);
    if (!cut && s->mode == STREAM_READ && !s->missing) vxe_links_disown(sim);
}

/* Bonds, when rules look next, and what they have counted. */
static void pass_life(stream *s, vxe_sim *sim)
{
    sim_life *life = sim->life;
    if (life == NULL) return;
    life_counts counts = life->counts;
    pass(s, &counts, sizeof counts);
    if (counts.bond_count < 0 || counts.bond_count > life->bond_capacity) {
        s->missing = true;
        return;
    }
    life->counts = counts;
    pass(s, life->next_look, (size_t)sim->model->rule_count * sizeof *life->next_look);
    pass(s, life->counted, (size_t)sim->model->rule_count * sizeof *life->counted);
    pass(s, life->bonds, (size_t)counts.bond_count * sizeof *life->bonds);
}

/* The rule that brought a voxel + 1: what is carried over to another scene is looked up by it. */
static bool is_sane_grower(const vxe_model *m, uint32_t grower, int32_t v)
{
    if (grower == 0) return true;
    return m->latent != NULL && grower <= (uint32_t)m->rule_count &&
           vxe_rule_may_fill(m, (int32_t)grower - 1, v);
}

static bool is_sane_life(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const sim_life *life = sim->life;
    const int32_t n = m->view.voxel_count;
    if (life == NULL) return true;
    for (int32_t v = 0; v < n; v++) {
        if (sim->alive[0][v] > 1) return false;
        const uint32_t role = sim->role[0][v];
        if (role < 1 || role > (uint32_t)m->constant_count ||
            m->materials[role].mass != m->materials[m->material[v]].mass ||
            m->materials[role].youngs != m->materials[m->material[v]].youngs)
            return false;
        if (!is_sane_grower(m, sim->grower[0][v], v)) return false;
        for (int a = 0; a < 3; a++) {
            if (sim->unjoined[a][v] > 1) return false;
        }
    }
    for (int64_t i = 0; i < life->counts.bond_count; i++) {
        const sim_bond *b = &life->bonds[i];
        if (b->first < 0 || b->second <= b->first || b->second >= n || b->kind == 0 ||
            b->kind > (uint32_t)m->class_count || b->rule < 0 || b->rule >= m->rule_count)
            return false;
        if (sim->alive[0][b->first] == 0 || sim->alive[0][b->second] == 0) return false;
    }
    for (int32_t r = 0; r < m->rule_count; r++) {
        if (life->counted[r] < 0 || life->counted[r] > COUNT_MAX) return false;
    }
    const life_counts *c = &life->counts;
    return c->grown >= 0 && c->removed >= 0 && c->bonded >= 0 && c->released >= 0;
}

/* The list. */
static void pass_everything(stream *s, vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    pass(s, &sim->step, sizeof sim->step);
    pass(s, &sim->time, sizeof sim->time);
    pass_drive(s, sim);
    pass_arrays(s, sim, PER_VOXEL);
    pass_arrays(s, sim, PER_LINK);
    pass(s, sim->environment.gravity, sizeof sim->environment.gravity);
    pass(s, &sim->environment.damping_stretch, sizeof(double));
    pass(s, &sim->environment.damping_rotation, sizeof(double));
    pass(s, &sim->environment.damping_contact, sizeof(double));
    pass(s, &sim->environment.damping_ground, sizeof(double));
    pass(s, sim->regions, (size_t)m->view.region_count * sizeof *sim->regions);
    pass(s, sim->signals, (size_t)m->view.signal_count * sizeof *sim->signals);
    pass(s, sim->pulls, sizeof sim->pulls);
    pass(s, &sim->pull_count, sizeof sim->pull_count);
    pass_arrays(s, sim, PER_SUPPORT);
    pass(s, &sim->time_step, sizeof sim->time_step);
    pass(s, &sim->pace, sizeof sim->pace);
    pass(s, &sim->last_dt, sizeof sim->last_dt);
    pass(s, &sim->rate_at_bound, sizeof sim->rate_at_bound);
    for (int i = 0; i < 2; i++) pass(s, sim->rates[i], ((size_t)m->constant_count + 1) * sizeof(double));
    pass(s, &sim->last, sizeof sim->last);
    pass(s, &sim->peaks, sizeof sim->peaks);
    pass(s, &sim->account, sizeof sim->account);
    pass(s, &sim->energy, sizeof sim->energy);
    pass(s, &sim->status, sizeof sim->status);
    pass(s, sim->calm_since, sizeof sim->calm_since);
    pass(s, sim->calm_floor, sizeof sim->calm_floor);
    pass(s, &sim->watch, sizeof sim->watch);
    pass_pairs(s, sim);
    pass_events(s, sim);
    pass_life(s, sim);
}

/* Whether what was read can be stepped without harm: every number that is used as an index is in its range.
 */
static bool is_sane(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    if (sim->step < 0 || sim->step > COUNT_MAX || sim->time_step.evaluations < 0 ||
        sim->time_step.evaluations > COUNT_MAX)
        return false;
    if (sim->pull_count < 0 || sim->pull_count > PULLS_MAX) return false;
    for (int32_t i = 0; i < sim->pull_count; i++) {
        if (sim->pulls[i].voxel < 0 || sim->pulls[i].voxel >= n) return false;
    }
    for (int a = 0; a < 3 && sim->broken[0] != NULL; a++) {
        for (int32_t v = 0; v < n; v++) {
            const uint8_t most = m->link_kind[a][v] != 0 ? 1 : 0;
            if (sim->broken[a][v] > most || sim->yielded[a][v] > most) return false;
        }
    }
    if (sim->status.voxel < -1 || sim->status.voxel >= n || (unsigned)sim->status.fault > VXE_FAULT_DEVICE)
        return false;
    if (sim->status.message[sizeof sim->status.message - 1] != '\0') return false;
    if (sim->time_step.voxel < -1 || sim->time_step.voxel >= n || sim->time_step.link < -1 ||
        sim->time_step.link >= 3 * (int64_t)n)
        return false;
    if (!(sim->time_step.dt > 0.0)) return false;
    for (int i = 0; i < SEEN_KINDS; i++)
        if (sim->peaks.seen[i].voxel < -1 || sim->peaks.seen[i].voxel >= n) return false;
    if (sim->peaks.peaks.strain_voxel < -1 || sim->peaks.peaks.strain_voxel >= n ||
        sim->peaks.peaks.speed_voxel < -1 || sim->peaks.peaks.speed_voxel >= n)
        return false;
    if (sim->pace.halvings < 0 || sim->pace.halvings > 6 || sim->pace.rises < 0 || sim->pace.slow_since < 0 ||
        sim->pace.looked < 0 || sim->pace.implicit < 0 || sim->pace.implicit > 1 || sim->pace.expect < 0 ||
        sim->pace.expect >= EDITS)
        return false;
    if (sim->watch.kinetic_count < 0 || sim->watch.kinetic_count > 6 || sim->watch.energy_count < 0 ||
        sim->watch.energy_count > 10 || sim->watch.way_count < 0 || sim->watch.way_count > 3 ||
        sim->watch.windows < 0 || sim->watch.windows > COUNT_MAX || sim->watch.stopped < 0 ||
        sim->watch.stopped > 1)
        return false;
    /* each link yields once and breaks once at most: the log never outgrows its room */
    int64_t happened = 0;
    for (int a = 0; a < 3 && sim->broken[0] != NULL; a++) {
        for (int32_t v = 0; v < n; v++) happened += sim->broken[a][v] + sim->yielded[a][v];
    }
    if (happened != sim->event_count) return false;
    for (int64_t i = 0; i < sim->event_count; i++) {
        if (sim->events[i].link < 0 || sim->events[i].link >= 3 * (int64_t)n) return false;
    }
    for (int64_t i = 0; sim->collider != NULL && i < sim->collider->list.count; i++) {
        const pair_list *list = &sim->collider->list;
        if (list->first[i] < 0 || list->second[i] <= list->first[i] || list->second[i] >= n) return false;
    }
    return is_sane_life(sim);
}

static size_t payload_size(const vxe_sim *sim)
{
    stream s = {STREAM_COUNT, NULL, 0, 0, false};
    pass_everything(&s, (vxe_sim *)(uintptr_t)sim); /* counting changes nothing */
    return s.size;
}

/* Of a list with `count` entries of `each` bytes, those that could still come. */
static size_t room_left(int64_t capacity, int64_t count, size_t each)
{
    return capacity > count ? (size_t)(capacity - count) * each : 0;
}

size_t vxe_checkpoint_most(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const collider *c = sim->collider;
    const size_t pair = sizeof *c->list.first + sizeof *c->list.second + sizeof *c->list.state;
    size_t most = sizeof(header) + payload_size(sim);
    if (c != NULL) most += room_left(c->capacity, c->list.count, pair);
    if (sim->life != NULL)
        most += room_left(sim->life->bond_capacity, sim->life->counts.bond_count, sizeof *sim->life->bonds);
    /* what edits bring: targets, forces, and links that were cut, with what happened to them */
    most += 4 * (size_t)m->actuated_count * sizeof(double) + 3 * (size_t)m->view.voxel_count * sizeof(double);
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        if (f->shape == PER_LINK) most += 3 * (size_t)m->view.voxel_count * (size_t)f->each * f->size;
    }
    return most + 2 * (size_t)m->view.link_count * sizeof *sim->events;
}

size_t vxe_sim_save_size(const vxe_sim *sim) { return sim != NULL ? sizeof(header) + payload_size(sim) : 0; }

vxe_result vxe_sim_save(const vxe_sim *sim, void *buffer, size_t size, vxe_error *error)
{
    if (sim == NULL || buffer == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_save: NULL");
    const size_t payload = payload_size(sim);
    if (size < sizeof(header) + payload) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_save: the buffer has %zu bytes and needs %zu",
                        size, sizeof(header) + payload);
    }
    unsigned char *bytes = buffer;
    stream s = {STREAM_WRITE, bytes + sizeof(header), 0, 0, false};
    pass_everything(&s, (vxe_sim *)(uintptr_t)sim); /* writing only reads */
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = CHECKPOINT_VERSION;
    h.precision = (uint32_t)sim->def.precision;
    h.model_hash = vxe_model_hash(sim->model);
    h.dt_fraction = sim->def.dt_fraction;
    h.audit = sim->def.audit ? 1 : 0;
    h.bond_damping = (uint32_t)sim->def.bond_damping;
    h.size = payload;
    h.hash = vxe_hash_bytes(VXE_HASH_START, bytes + sizeof(header), payload);
    memcpy(bytes, &h, sizeof h);
    return VXE_OK;
}

/* Takes a payload whose header was found good; false: it does not fit this simulation. */
static bool read_payload(vxe_sim *sim, const unsigned char *payload, size_t size)
{
    stream s = {STREAM_READ, (unsigned char *)(uintptr_t)payload, 0, size, false};
    pass_everything(&s, sim);
    if (s.missing || s.left != 0 || !is_sane(sim)) return false;
    vxe_life_restore(sim);
    vxe_restore_links(sim);
    vxe_control_review(sim);
    vxe_damping_choose(sim);
    if (sim->undecided) sim->implicit = sim->pace.implicit != 0;
    sim->undecided = false;
    vxe_sim_refresh_tables(sim);
    vxe_pressure_prepare(sim);
    vxe_collider_links_changed(sim); /* the list is made again; contacts carry over */
    vxe_state_wrote(sim, vxe_state_with(STATE_DEVICE));
    return true;
}

vxe_result vxe_sim_load(vxe_sim *sim, const void *buffer, size_t size, vxe_error *error)
{
    if (sim == NULL || buffer == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_load: NULL");
    header h;
    if (size < sizeof h)
        return vxe_fail(error, VXE_ERROR_INPUT, "this is not a checkpoint: only %zu bytes", size);
    memcpy(&h, buffer, sizeof h);
    const unsigned char *payload = (const unsigned char *)buffer + sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "this is not a checkpoint");
    if (h.version != CHECKPOINT_VERSION) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "the checkpoint has version %u; this program reads version %u", h.version,
                        CHECKPOINT_VERSION);
    }
    if (h.size != size - sizeof h || h.hash != vxe_hash_bytes(VXE_HASH_START, payload, size - sizeof h)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "the checkpoint is damaged or cut short");
    }
    if (h.model_hash != vxe_model_hash(sim->model))
        return vxe_fail(error, VXE_ERROR_INPUT, "the checkpoint belongs to another scene");
    if (h.precision != (uint32_t)sim->def.precision || h.dt_fraction != sim->def.dt_fraction ||
        h.audit != (sim->def.audit ? 1U : 0U) || h.bond_damping != (uint32_t)sim->def.bond_damping) {
        return vxe_fail(
            error, VXE_ERROR_INPUT,
            "the checkpoint was made with other settings (precision %s, time step fraction %g, audit %s, "
            "bond damping %s)",
            vxe_choice_word(vxe_precisions, (int)h.precision), h.dt_fraction, h.audit != 0 ? "on" : "off",
            vxe_choice_word(vxe_bond_dampings, (int)h.bond_damping));
    }
    /* a payload can still be wrong in itself: keep the way back */
    const size_t own_size = vxe_sim_save_size(sim);
    unsigned char *own = malloc(own_size);
    if (own == NULL) return vxe_fail_memory(error, "the state before loading", own_size);
    vxe_result result = vxe_sim_save(sim, own, own_size, error);
    if (result == VXE_OK && !read_payload(sim, payload, size - sizeof h)) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "the checkpoint does not fit this scene");
        (void)read_payload(sim, own + sizeof h, own_size - sizeof h);
    }
    free(own);
    return result;
}

vxe_result vxe_checkpoint_settings(const void *buffer, size_t size, vxe_sim_def *def, vxe_error *error)
{
    header h;
    if (buffer == NULL || def == NULL || def->size < SETTINGS_END(vxe_sim_def, bond_damping))
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_checkpoint_settings: a checkpoint, and settings of vxe_default_sim_def()");
    if (size >= sizeof h) memcpy(&h, buffer, sizeof h);
    if (size < sizeof h || memcmp(h.magic, magic, sizeof magic) != 0 || h.version != CHECKPOINT_VERSION)
        return vxe_fail(error, VXE_ERROR_INPUT, "this is not a checkpoint of version %u", CHECKPOINT_VERSION);
    vxe_sim_def_init(def, def->size);
    def->precision = (vxe_precision)h.precision;
    def->dt_fraction = h.dt_fraction;
    def->audit = h.audit != 0;
    def->bond_damping = (vxe_bond_damping)h.bond_damping;
    return VXE_OK;
}
