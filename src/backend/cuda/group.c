/* Groups: see group.h. A group's memory on the device is one piece: robots, controls, numbers of those to
 * run, then all constants and all states. The host has a copy of constants and states, in which robots are
 * packed and unpacked. */
#include "backend/cuda/group.h"

#include "backend/cuda/block.h"
#include "backend/cuda/code.h"
#include "backend/cuda/grid_touch.h"
#include "base/base.h"
#include "base/pool.h"
#include "sim/collide.h"
#include "sim/pressure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_FIRST 256    /* steps of a group's first launch; */
#define LAUNCH_SECONDS 0.25 /* later as many as take about so long */
#define ALONE_FEW 4
#define LOADS (STATE_SET(force) | STATE_SET(moment) | STATE_SET(contact_force) | STATE_SET(held_velocity))

typedef struct gpu_group {
    const gpu *device;
    const robot_code *code;
    bool single;
    int32_t count, members;
    vxe_sim **sims; /* NULL: it has left */
    /* on the device */
    char *memory;
    char *robots;
    char *there[PIECES];
    robot_control *controls;
    int32_t *slots;
    /* on the host */
    char *host; /* its copy of pieces */
    char *here[PIECES];
    char *host_robots;  /* with the host's addresses */
    char *robots_there; /* with the device's */
    robot_control *host_controls;
    int32_t *host_slots;
    size_t *at[PIECES]; /* where those of each robot begin, (count + 1) */
    uint64_t *told;     /* hash of the tables that the device has */
    double seconds;     /* in launches so far */
    int32_t *run;       /* those that run now */
    uint8_t *moved;     /* bits: its constants, its links, its state are to be written */
    int64_t steps;      /* of a launch */
} gpu_group;

enum { MOVED_TABLES = 1, MOVED_LINKS = 2, MOVED_STATE = 4 };

static gpu_member *member_of(const vxe_sim *sim) { return sim->remote; }

static const robot_code *code_of(const vxe_sim *sim)
{
    return sim->def.precision == VXE_PRECISION_SINGLE ? &vxe_robot_code_single : &vxe_robot_code_double;
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

static size_t rounded(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static void destroy_group(gpu_group *g)
{
    if (g->memory != NULL) g->device->release(g->memory);
    free(g->sims);
    if (g->host != NULL) g->device->release_host(g->host);
    free(g->host_robots);
    free(g->robots_there);
    free(g->host_controls);
    free(g->host_slots);
    for (int p = 0; p < PIECES; p++) free(g->at[p]);
    free(g->told);
    free(g->run);
    free(g->moved);
    free(g);
}

void vxe_gpu_leave(vxe_sim *sim)
{
    gpu_member *member = member_of(sim);
    gpu_group *g = member != NULL ? member->group : NULL;
    if (g == NULL) return;
    member->group = NULL;
    member->links_old = true;
    g->sims[member->place] = NULL;
    if (--g->members == 0) destroy_group(g);
}

static bool lay_out_group(gpu_group *g, size_t *device_bytes)
{
    for (int32_t i = 0; i < g->count; i++) {
        const robot_room room = g->code->measure(g->sims[i]);
        for (int p = 0; p < PIECES; p++) g->at[p][i + 1] = g->at[p][i] + rounded(room.bytes[p]);
    }
    const size_t n = (size_t)g->count;
    const size_t robots = rounded(n * g->code->bytes);
    const size_t controls = rounded(n * sizeof(robot_control));
    const size_t slots = rounded(n * sizeof(int32_t));
    size_t there = robots + controls + slots;
    size_t here = 0;
    for (int p = 0; p < PIECES; p++) {
        there += g->at[p][g->count];
        if (p < PIECES_HERE) here += g->at[p][g->count];
    }
    *device_bytes = there;
    g->host = g->device->allocate_host(here);
    g->host_robots = vxe_allocate(n, g->code->bytes);
    if (g->host == NULL || g->host_robots == NULL) return false;
    void *memory = NULL;
    if (g->device->allocate(*device_bytes, &memory) != NULL) return false;
    g->memory = memory;
    g->robots = g->memory;
    g->controls = (robot_control *)(void *)(g->robots + robots);
    g->slots = (int32_t *)(void *)(g->robots + robots + controls);
    char *next_there = g->robots + robots + controls + slots;
    char *next_here = g->host;
    for (int p = 0; p < PIECES; p++) {
        g->there[p] = next_there;
        next_there += g->at[p][g->count];
        if (p >= PIECES_HERE) continue;
        g->here[p] = next_here;
        next_here += g->at[p][g->count];
    }
    return true;
}

static robot_pieces pieces_here(const gpu_group *g, int32_t i)
{
    robot_pieces r = {{NULL}};
    for (int p = 0; p < PIECES_HERE; p++) r.at[p] = g->here[p] + g->at[p][i];
    return r;
}
static robot_pieces pieces_there(const gpu_group *g, int32_t i)
{
    robot_pieces r;
    for (int p = 0; p < PIECES; p++) r.at[p] = g->there[p] + g->at[p][i];
    return r;
}

/* A group of these; NULL: there is no room, after a message. */
static gpu_group *make_group(vxe_sim *const *sims, int32_t count, vxe_error *error)
{
    const size_t n = (size_t)count;
    size_t bytes = 0;
    gpu_group *g = calloc(1, sizeof *g);
    if (g == NULL) {
        (void)vxe_fail_memory(error, "the GPU's copies", sizeof *g);
        return NULL;
    }
    g->device = member_of(sims[0])->device;
    g->code = code_of(sims[0]);
    g->single = sims[0]->def.precision == VXE_PRECISION_SINGLE;
    g->count = g->members = count;
    g->sims = vxe_allocate(n, sizeof(vxe_sim *));
    g->host_controls = vxe_allocate(n, sizeof *g->host_controls);
    g->host_slots = vxe_allocate(n, sizeof *g->host_slots);
    g->told = vxe_allocate(n, sizeof *g->told);
    g->run = vxe_allocate(n, sizeof(int32_t));
    g->moved = vxe_allocate(n, 1);
    g->steps = g->device->launch_most < LAUNCH_FIRST ? g->device->launch_most : LAUNCH_FIRST;
    char *robots = vxe_allocate(n, g->code->bytes);
    g->robots_there = robots;
    bool made = g->told != NULL && g->run != NULL && g->moved != NULL && g->sims != NULL &&
                g->host_controls != NULL && g->host_slots != NULL && robots != NULL;
    for (int p = 0; p < PIECES; p++) {
        g->at[p] = calloc(n + 1, sizeof(size_t));
        made = made && g->at[p] != NULL;
    }
    if (made) {
        memcpy(g->sims, sims, n * sizeof(vxe_sim *));
        made = lay_out_group(g, &bytes);
    }
    if (!made) {
        (void)vxe_fail(error, VXE_ERROR_MEMORY, "the GPU has no room for %.3g GB; %d simulations at once",
                       1e-9 * (double)bytes, (int)count);
        destroy_group(g);
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        gpu_member *member = member_of(sims[i]);
        vxe_gpu_leave(sims[i]);
        member->group = g;
        member->place = i;
        member->links_old = true;
        sims[i]->old[ON_DEVICE] |= vxe_gpu_keeps();
    }
    return g;
}

static void *host_robot(const gpu_group *g, int32_t i) { return g->host_robots + (size_t)i * g->code->bytes; }
static char *robot_there(const gpu_group *g, int32_t i)
{
    return g->robots_there + (size_t)i * g->code->bytes;
}

/* ---- in and out ------------------------------------------------------------------------------------------------------ */

/* Whether the device can list pairs: in the order of the grid's, if it knows who is near whom by links. */
static bool can_list(const vxe_sim *sim)
{
    const collider *c = sim->collider;
    bool known = c->scheme == VXE_COLLISIONS_GRID;
    for (int a = 0; a < 3; a++) known = known && sim->model->view.size[a] < INT16_MAX;
    for (int32_t i = 0; i < c->candidate_count && known; i++)
        known = (c->exclusion[i] & EXCLUSION_KNOWN) != 0;
    return known;
}

/* What a simulation has of a control, and back. */
static void fill_control(const vxe_sim *sim, robot_control *c)
{
    const vxe_model *m = sim->model;
    const vxe_environment *e = &sim->environment;
    const sim_peaks *p = &sim->peaks;
    memset(c, 0, sizeof *c);
    c->end = INFINITY;
    c->look = INFINITY;
    c->step = sim->step;
    c->time = sim->time;
    c->last_time = sim->last_time;
    c->last_dt = sim->last_dt;
    c->dt = sim->time_step.dt;
    c->rate_at_bound = sim->rate_at_bound;
    c->slow_since = sim->pace.slow_since;
    c->rang = sim->pace.rang;
    c->looked = sim->pace.looked;
    c->halvings = sim->pace.halvings;
    c->rises = sim->pace.rises;
    c->ringing_damping = vxe_ringing_damping(sim);
    c->ringing_impact = vxe_ringing_impact(sim);
    c->rings = c->ringing_damping < RINGING_DAMPING;
    c->risen = vxe_rates_may_have_risen(sim);
    c->fallen = vxe_rates_may_have_fallen(sim);
    c->implicit = sim->implicit;
    c->dt_fraction = sim->def.dt_fraction;
    c->pitch = m->view.pitch;
    c->made_length = c->made_before = -1.0;
    c->length_min = sim->last.length_min;
    c->strain_max = sim->last.strain_max;
    c->speed_max = sim->last.speed_max;
    c->travel_max = sim->last.travel_max;
    c->floor_contacts = sim->last.floor_contacts;
    const collider *pairs = sim->collider;
    if (pairs != NULL) {
        const bool grid = vxe_gpu_is_large(sim);
        const int32_t n = m->view.voxel_count;
        const int32_t room = grid ? GRID_PAIRS(n) : ROBOT_PAIRS(n);
        c->pairs = 1;
        c->lists = can_list(sim);
        c->touches = pairs->constants != NULL;
        c->touch_room = grid ? GRID_TOUCHES(n) : ROBOT_TOUCHES(n);
        for (int64_t i = 0; i < pairs->list.count && !grid; i++)
            c->touch_count += pairs->list.state[i].touching != 0;
        c->collision_distance = e->collision_distance;
        c->pair_contacts = sim->last.pair_contacts;
        c->pair_count = (int32_t)pairs->list.count;
        c->pair_room = room < 12 * pairs->candidate_count
                           ? room
                           : 12 * pairs->candidate_count; /* the host has twice as much */
        c->horizon_wanted = e->collision_horizon * m->view.pitch;
        c->reach = e->collision_distance * m->view.pitch;
        c->horizon = pairs->horizon;
        c->closed = pairs->closed;
        c->way = pairs->way;
        c->largest = pairs->largest;
        c->margin = pairs->margin;
        c->rounding = pairs->rounding;
    }
    c->fresh_peaks = sim->step != p->step;
    c->strain_peak = p->peaks.strain;
    c->strain_time = p->peaks.strain_time;
    c->speed_peak = p->peaks.speed;
    c->speed_time = p->peaks.speed_time;
    /* what these were before they were divided, or a root was taken: not above that */
    c->strain_known = c->fresh_peaks ? 0.0 : p->peaks.strain * c->pitch * (1.0 - 1e-12);
    c->speed_known = c->fresh_peaks ? 0.0 : p->peaks.speed * p->peaks.speed * (1.0 - 1e-12);
}

static void take_control(vxe_sim *sim, const robot_control *c)
{
    sim->step = c->step;
    sim->time = c->time;
    sim->last_time = c->last_time;
    sim->last_dt = c->last_dt;
    sim->pace.slow_since = c->slow_since;
    sim->pace.rang = c->rang;
    sim->pace.looked = c->looked;
    sim->pace.halvings = c->halvings;
    sim->pace.rises = c->rises;
    sim->last = (step_measures){.length_min = c->length_min,
                                .strain_max = c->strain_max,
                                .speed_max = c->speed_max,
                                .travel_max = c->travel_max,
                                .floor_contacts = c->floor_contacts,
                                .pair_contacts = c->pair_contacts,
                                .bad = (c->found & FOUND_BAD) != 0};
    if (sim->collider != NULL) {
        sim->collider->closed = c->closed;
        sim->collider->way = c->way;
        sim->collider->way_before = c->way;
        sim->collider->largest = c->largest;
        sim->collider->margin = c->margin;
        sim->collider->near_until = -1.0; /* pairs that are due soon are to be found again */
    }
    sim_peaks *p = &sim->peaks;
    if (p->step > c->step || c->strain_peak != p->peaks.strain) p->peaks.strain_voxel = -1; /* not known */
    if (p->step > c->step || c->speed_peak != p->peaks.speed) p->peaks.speed_voxel = -1;
    p->peaks.strain = c->strain_peak;
    p->peaks.strain_time = c->strain_time;
    p->peaks.speed = c->speed_peak;
    p->peaks.speed_time = c->speed_time;
    p->step = c->step;
}

/* The device has failed: the simulation is what the host knows of it, and stays so. */
static void lose(vxe_sim *sim, const char *why)
{
    gpu_member *member = member_of(sim);
    take_control(sim, &member->saved);
    sim->old[ON_HOST] &= ~vxe_gpu_keeps();
    sim->old[ON_DEVICE] |= vxe_gpu_keeps();
    sim->status.fault = VXE_FAULT_DEVICE;
    sim->status.voxel = -1;
    sim->status.time = sim->time;
    sim->status.step = sim->step;
    (void)snprintf(sim->status.message, sizeof sim->status.message,
                   "the GPU fails: %s; the state is that of time %.6g s, step %lld", why, sim->time,
                   (long long)sim->step);
}

void vxe_gpu_upload(vxe_sim *sim, state_set arrays)
{
    (void)arrays; /* vxe_gpu_advance() does it, for many at once */
    (void)sim;
}

/* Whether the device has made a list of pairs, or knows contacts. */
static bool has_new_pairs(const robot_control *c)
{
    return c->pairs != 0 && (c->listed > 0 || c->touch_count > 0);
}

static const char *read_piece(gpu_group *g, int32_t i, robot_piece p)
{
    const size_t at = g->at[p][i];
    return g->device->read(g->here[p] + at, g->there[p] + at, g->at[p][i + 1] - at);
}

static const char *read_all(gpu_group *g, robot_piece p)
{
    return g->device->read(g->here[p], g->there[p], g->at[p][g->count]);
}

void vxe_gpu_download(vxe_sim *sim, state_set arrays)
{
    gpu_member *member = member_of(sim);
    gpu_group *g = member->group;
    const int32_t i = member->place;
    if (sim->status.fault == VXE_FAULT_DEVICE) return;
    if (!member->fresh) {
        const char *wrong = read_piece(g, i, PIECE_STATE);
        if (wrong == NULL && has_new_pairs(&g->host_controls[i])) wrong = read_piece(g, i, PIECE_PAIRS);
        if (wrong != NULL) {
            lose(sim, wrong);
            return;
        }
        member->fresh = true;
    }
    g->code->unpack_state(sim, host_robot(g, i), member->kept ? arrays : arrays & ~LOADS);
}

/* Packs what the device has not. */
static void pack(gpu_group *g, int32_t i)
{
    vxe_sim *sim = g->sims[i];
    gpu_member *member = member_of(sim);
    const bool state_old = (sim->old[ON_DEVICE] & vxe_gpu_keeps()) != 0;
    char *there = robot_there(g, i);
    if (state_old) vxe_state_read(sim, vxe_gpu_keeps());
    g->code->pack_constants(sim, host_robot(g, i), pieces_here(g, i), member->links_old);
    g->code->address(sim, there, pieces_there(g, i), g->controls + i);
    uint64_t hash = vxe_hash_bytes(VXE_HASH_START, there, g->code->bytes);
    const size_t *tables = &g->at[PIECE_TABLES][i];
    hash = vxe_hash_bytes(hash, g->here[PIECE_TABLES] + tables[0], tables[1] - tables[0]);
    g->moved[i] = (uint8_t)((hash != g->told[i] || member->links_old ? MOVED_TABLES : 0) |
                            (member->links_old ? MOVED_LINKS : 0));
    g->told[i] = hash;
    member->links_old = false;
    fill_control(sim, &g->host_controls[i]);
    if (!state_old) g->host_controls[i].touch_count = member->touches; /* with some that have just parted */
    if (!state_old) return;
    g->code->pack_state(sim, host_robot(g, i));
    g->moved[i] |= MOVED_STATE;
    sim->old[ON_DEVICE] &= ~vxe_gpu_keeps();
    member->saved = g->host_controls[i];
}

/* A part of all robots: those that have moved one by one, or all at once if these are many. */
static const char *write_part(gpu_group *g, int32_t count, uint8_t which, robot_piece p)
{
    char *to = g->there[p];
    const char *from = g->here[p];
    const size_t *at = g->at[p];
    int32_t moved = 0;
    const char *wrong = NULL;
    for (int32_t k = 0; k < count; k++) moved += (g->moved[g->run[k]] & which) != 0;
    if (at[g->count] == 0) return NULL;
    if (moved > 256 || moved == g->count) return g->device->write(to, from, at[g->count]);
    for (int32_t k = 0; k < count && wrong == NULL; k++) {
        const int32_t i = g->run[k];
        if ((g->moved[i] & which) == 0) continue;
        if (at[i + 1] > at[i]) wrong = g->device->write(to + at[i], from + at[i], at[i + 1] - at[i]);
    }
    return wrong;
}

static const char *write_packed(gpu_group *g, int32_t count)
{
    const char *wrong = write_part(g, count, MOVED_LINKS, PIECE_LINKS);
    if (wrong == NULL) wrong = write_part(g, count, MOVED_TABLES, PIECE_TABLES);
    if (wrong == NULL) wrong = write_part(g, count, MOVED_STATE, PIECE_STATE);
    if (wrong == NULL) wrong = write_part(g, count, MOVED_STATE, PIECE_PAIRS);
    for (int32_t k = 0; k < count && wrong == NULL; k++) {
        const int32_t i = g->run[k];
        const vxe_sim *sim = g->sims[i];
        if (sim->collider != NULL && vxe_gpu_is_large(sim) && (g->moved[i] & MOVED_STATE) != 0)
            wrong = g->code->send_pairs(sim, robot_there(g, i), g->device);
    }
    bool robots = false;
    for (int32_t k = 0; k < count; k++) robots = robots || (g->moved[g->run[k]] & MOVED_TABLES) != 0;
    if (wrong == NULL && robots)
        wrong = g->device->write(g->robots, g->robots_there, (size_t)g->count * g->code->bytes);
    return wrong;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

static const char *launch_steps(gpu_group *g, int32_t i);

/* Robots that blocks of so many threads step, of one variant. */
static const char *launch_blocks(gpu_group *g, const int32_t *which, int32_t count, int32_t threads,
                                 int variant, int32_t *sent)
{
    const int32_t begin = *sent;
    size_t shared = 0;
    for (int32_t i = 0; i < count; i++) {
        const vxe_sim *sim = g->sims[which[i]];
        const char *packed = g->robots_there + (size_t)which[i] * g->code->bytes;
        if (vxe_gpu_is_large(sim) || BLOCK_THREADS(sim->model->view.voxel_count) != threads ||
            g->code->variant(packed) != variant)
            continue;
        g->host_slots[(*sent)++] = which[i];
        const size_t bytes = g->code->shared(threads, packed);
        if (bytes > shared) shared = bytes;
    }
    if (*sent == begin) return NULL;
    const int32_t some = *sent - begin;
    const char *wrong =
        g->device->write(g->slots + begin, g->host_slots + begin, (size_t)some * sizeof(int32_t));
    const gpu_launch l = {.robots = g->robots,
                          .slots = g->slots + begin,
                          .count = some,
                          .threads = threads,
                          .shared = shared,
                          .single = g->single,
                          .variant = variant};
    return wrong == NULL ? g->device->blocks(&l) : wrong;
}

/* One launch of several robots, all that have the same kernel together. */
static const char *launch(gpu_group *g, const int32_t *which, int32_t count)
{
    int32_t sent = 0;
    const char *wrong = NULL;
    for (int32_t most = 1; most <= BLOCK_VOXELS_MAX && wrong == NULL; most = BLOCK_THREADS(most) + 1) {
        for (int variant = 0; variant < GPU_VARIANTS && wrong == NULL; variant++)
            wrong = launch_blocks(g, which, count, BLOCK_THREADS(most), variant, &sent);
    }
    for (int32_t i = 0; i < count && wrong == NULL; i++) {
        if (vxe_gpu_is_large(g->sims[which[i]])) wrong = launch_steps(g, which[i]);
    }
    const char *late = g->device->finish();
    return wrong != NULL ? wrong : late;
}

/* Steps of a body that takes a grid. */
static const char *launch_steps(gpu_group *g, int32_t i)
{
    const gpu *d = g->device;
    const vxe_sim *sim = g->sims[i];
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const bool solid = m->environment.elasticity == VXE_ELASTICITY_SOLID;
    const int share_steps = sim->sharing != NULL ? sim->sharing->steps : 0;
    char *r = robot_there(g, i);
    const robot_control *c = &g->host_controls[i];
    const int64_t steps = c->launch_left < c->steps_left ? c->launch_left : c->steps_left;
    /* with what changes with edits and bounds */
    g->code->address(sim, r, pieces_there(g, i), g->controls + i);
    const bool pairs = sim->collider != NULL;
    const char *wrong = pairs ? d->stage(g->single, r, n, GPU_CLEAR, 0) : NULL;
    if (wrong == NULL) wrong = d->stage(g->single, r, n, GPU_CONTROL, 1);
#define STAGE(name, with)                                                                                    \
    if (wrong == NULL) wrong = d->stage(g->single, r, n, GPU_##name, with)
    for (int64_t k = 0; k < steps && wrong == NULL; k++) {
        if (m->actuated_count > 0) STAGE(GROW, pairs);
        if (pairs) STAGE(PAIRS, 0);
        if (pairs) STAGE(ROWS, 0);
        if (m->held_count > 0) STAGE(HOLD, 0);
        if (solid) STAGE(PRESSURE, 0);
        for (int pass = 0; pass < 2 * share_steps; pass++) STAGE(SHARE, pass);
        if (sim->implicit) {
            STAGE(KICK, pairs);
            if (pairs) STAGE(ROWS, 1);
            if (pairs) STAGE(TOUCH, TOUCH_BEGINS);
            if (pairs) STAGE(BODIES, 0);
            for (int pass = 0; pass < GRID_DAMPINGS; pass++) STAGE(DAMP, pass);
            if (pairs) STAGE(BODIES, 1);
            if (pairs) STAGE(TOUCH, TOUCH_SOLVES);
            if (pairs) STAGE(ROWS, 2);
            STAGE(MOVE, pairs ? MOVES_PAIRED : MOVES_ALL);
        } else {
            STAGE(MOVE_AT_ONCE, pairs);
            if (pairs) STAGE(ROWS, 1);
            if (pairs) STAGE(TOUCH, TOUCH_BEGINS | TOUCH_SOLVES);
            if (pairs) STAGE(ROWS, 2);
            if (pairs) STAGE(MOVE, MOVES_TOUCHED);
        }
        if ((c->step + k + 1) % CONTROL_WRECK_STEPS == 0) STAGE(LOOK, 0);
        if (!sim->implicit) g->code->turn(r);
        STAGE(CONTROL, 0);
    }
#undef STAGE
    return wrong;
}

/* After an odd number of steps at once the state is in the other place. */
static const char *put_back(gpu_group *g, int32_t i, int64_t taken)
{
    const vxe_sim *sim = g->sims[i];
    void *to[16];
    const void *from[16];
    size_t bytes[16];
    if (sim->implicit || taken % 2 == 0) return NULL;
    char *r = robot_there(g, i);
    g->code->address(sim, r, pieces_there(g, i), g->controls + i);
    const int count = g->code->halves(r, to, from, bytes);
    const char *wrong = NULL;
    for (int k = 0; k < count && wrong == NULL; k++) wrong = g->device->copy(to[k], from[k], bytes[k]);
    return wrong;
}

/* To and fro takes longer than a step: who comes back at once stays away for some steps, and for more of them
 * every time. */
static void rest(gpu_member *member, const step_limits *limit, int64_t step)
{
    if (limit->taken >= ALONE_FEW) member->alone = 0;
    if (!limit->host || limit->taken >= ALONE_FEW) return;
    member->alone = member->alone == 0 ? 1 : 2 * member->alone < ALONE_MOST ? 2 * member->alone : ALONE_MOST;
    member->alone_until = step + member->alone;
}

/* What the host makes of a robot that has stopped: what it counts, and whether it is to see the state. */
static void settle(gpu_group *g, int32_t i, step_limits *limit)
{
    vxe_sim *sim = g->sims[i];
    gpu_member *member = member_of(sim);
    const robot_control *c = &g->host_controls[i];
    member->touches = c->touch_count;
    limit->taken = c->step - sim->step;
    limit->host = c->why == ROBOT_HOST;
    limit->tired = c->why == ROBOT_TIRED;
    sim->pace.looked = c->looked;
    rest(member, limit, c->step);
    if (limit->taken == 0) return;
    take_control(sim, c);
    member->steps += limit->taken;
    member->kept = c->keep != 0;
    member->fresh = false;
    member->unseen = true;
    sim->loads_known = c->keep != 0;
    vxe_state_changed(sim, ON_DEVICE, vxe_gpu_keeps());
    if (sim->model->held_count > 0) vxe_regions_move(sim, sim->time);
}

/* All that the host keeps of a simulation that has stopped. */
static void show(gpu_group *g, int32_t i)
{
    vxe_sim *sim = g->sims[i];
    gpu_member *member = member_of(sim);
    const robot_control *c = &g->host_controls[i];
    member->unseen = false;
    vxe_state_read(sim, vxe_gpu_keeps());
    if (sim->status.fault == VXE_FAULT_DEVICE) return;
    if (c->rates_new) g->code->unpack_rates(sim, host_robot(g, i));
    const char *wrong = NULL;
    if (c->pairs && vxe_gpu_is_large(sim)) {
        wrong = g->code->fetch_pairs(sim, robot_there(g, i), c, g->device);
    } else if (c->pairs) {
        g->code->unpack_pairs(sim, host_robot(g, i), c);
    }
    if (wrong != NULL) {
        lose(sim, wrong);
        return;
    }
    fill_control(sim, &member->saved);
    if (c->keep && sim->model->held_count > 0) {
        const step_context context = {.step = c->length, .before = c->before, .kick = c->kick, .keep = true};
        vxe_stage_run(sim, STAGE_close, &context);
    }
    if (c->why == ROBOT_LOOK) (void)vxe_diagnose_step(sim);
}

/* What threads of the host do for each robot that runs. */
typedef struct group_work {
    gpu_group *group;
    step_limits *limits; /* by robot that runs */
    int32_t count;
    bool read; /* the host has a copy of all states */
    atomic_int_fast32_t next;
    void (*act)(struct group_work *work, int32_t k);
} group_work;

static void do_some(void *context, int index)
{
    group_work *w = context;
    (void)index;
    for (;;) {
        const int32_t k = (int32_t)atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
        if (k >= w->count) return;
        w->act(w, k);
    }
}

static void do_all(group_work *w, vxe_pool *pool, void (*act)(group_work *work, int32_t k))
{
    atomic_store(&w->next, 0);
    w->act = act;
    if (pool != NULL && w->count > 1) {
        vxe_pool_run(pool, do_some, w);
    } else {
        do_some(w, 0);
    }
}

static void pack_one(group_work *w, int32_t k)
{
    gpu_group *g = w->group;
    const int32_t i = g->run[k];
    g->moved[i] = 0;
    if (!w->limits[k].again) pack(g, i);
    robot_control *c = &g->host_controls[i];
    c->steps_left = w->limits[k].most;
    c->end = w->limits[k].end;
    c->look = w->limits[k].look;
    c->begun = w->limits[k].begun;
    c->launch_left = g->steps;
}

static void show_one(group_work *w, int32_t k)
{
    gpu_group *g = w->group;
    const int32_t i = g->run[k];
    settle(g, i, &w->limits[k]);
    if (w->read) member_of(g->sims[i])->fresh = true;
    if (!w->limits[k].tired && member_of(g->sims[i])->unseen) show(g, i);
}

/* Steps of some of a group's members. `run` is set. */
static void run_group(gpu_group *g, step_limits *limits, int32_t count, vxe_pool *pool)
{
    group_work work = {.group = g, .limits = limits, .count = count};
    do_all(&work, pool, pack_one);
    const char *wrong = write_packed(g, count);
    const size_t controls = (size_t)g->count * sizeof *g->controls;
    if (wrong == NULL) wrong = g->device->write(g->controls, g->host_controls, controls);
    const double begun = vxe_seconds(VXE_CLOCK_STEADY);
    if (wrong == NULL) wrong = launch(g, g->run, count);
    const double took = vxe_seconds(VXE_CLOCK_STEADY) - begun;
    g->seconds += took;
    if (took < 0.6 * LAUNCH_SECONDS && 2 * g->steps <= g->device->launch_most) g->steps *= 2;
    if (took > 2.0 * LAUNCH_SECONDS && g->steps > 1) g->steps /= 2;
    if (wrong == NULL) wrong = g->device->read(g->host_controls, g->controls, controls);
    int32_t stopped = 0;
    for (int32_t k = 0; k < count; k++) {
        const robot_control *c = &g->host_controls[g->run[k]];
        stopped += c->why != ROBOT_TIRED;
        if (wrong != NULL) lose(g->sims[g->run[k]], wrong);
    }
    for (int32_t k = 0; k < count && wrong == NULL; k++) {
        const int32_t i = g->run[k];
        if (vxe_gpu_is_large(g->sims[i])) wrong = put_back(g, i, g->host_controls[i].step - g->sims[i]->step);
        if (wrong != NULL) lose(g->sims[i], wrong);
    }
    if (wrong != NULL) return;
    const bool at_once = stopped > 64 && stopped > g->count / 4;
    if (at_once) wrong = read_all(g, PIECE_STATE);
    for (int32_t k = 0; k < count && at_once && wrong == NULL; k++) {
        if (!has_new_pairs(&g->host_controls[g->run[k]])) continue;
        wrong = read_all(g, PIECE_PAIRS); /* of all, if there are some */
        break;
    }
    work.read = at_once && wrong == NULL;
    do_all(&work, work.read ? pool : NULL, show_one); /* the device is asked by one thread */
}

/* Members of one group; NULL: they are not. */
static gpu_group *common_group(vxe_sim *const *sims, int32_t count)
{
    gpu_group *g = member_of(sims[0])->group;
    for (int32_t i = 1; i < count && g != NULL; i++) g = member_of(sims[i])->group == g ? g : NULL;
    return g;
}

void vxe_gpu_advance(vxe_sim *const *sims, step_limits *limits, int32_t count, vxe_pool *pool)
{
    vxe_error error = {VXE_OK, ""};
    gpu_group *g = common_group(sims, count);
    if (g == NULL) {
        for (int32_t k = 0; k < count; k++) limits[k].again = false;
        g = make_group(sims, count, &error);
    }
    for (int32_t k = 0; k < count && g == NULL; k++) {
        fill_control(sims[k], &member_of(sims[k])->saved); /* which the host has whole */
        lose(sims[k], error.message);
    }
    if (g == NULL) return;
    for (int32_t k = 0; k < count; k++) g->run[k] = member_of(sims[k])->place;
    run_group(g, limits, count, pool);
}

double vxe_gpu_seconds(const vxe_sim *sim)
{
    const gpu_member *member = sim->device != NULL && sim->device->advance != NULL ? member_of(sim) : NULL;
    return member != NULL && member->group != NULL ? member->group->seconds : 0.0;
}

int32_t vxe_gpu_room(vxe_sim *const *sims, int32_t count)
{
    gpu_facts facts;
    const gpu *device = member_of(sims[0])->device;
    if (device->open(&facts) != NULL) return count; /* which will be told when it is used */
    size_t bytes = 0;
    size_t most = facts.free_memory / 10 * 9;
    if (!vxe_memory_holds(most)) most = vxe_memory_free() / 10 * 9; /* the host has a copy of all */
    for (int32_t i = 0; i < count; i++) {
        const robot_code *code = code_of(sims[i]);
        const robot_room room = code->measure(sims[i]);
        bytes += code->bytes + sizeof(robot_control) + 64;
        for (int p = 0; p < PIECES; p++) bytes += rounded(room.bytes[p]);
        const bool other = code != code_of(sims[0]);
        if (i > 0 && (other || bytes > most)) return i;
    }
    return count;
}
