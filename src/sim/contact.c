/* Pairs of voxels that touch: the middle of a step that is taken in parts. In: the pairs that may touch
 * (collide.c), velocities after the loads. Out: velocities after contact, what pairs remember.
 *
 * Each pair is solved exactly by kernel/contact.h, with what all others do at that moment; the pairs, and the
 * floor under their voxels, are gone through in order until nothing changes. They begin with the forces of
 * the last step, and after the first round only those are solved again whose voxels others have changed
 * since: of a heap at rest, few. So that implicit damping, which comes between loads and contacts, does not
 * work on bodies at rest, those forces act before it.
 *
 * Those in a row that share no voxel may as well be solved at once: a pair has a level, after those of the
 * pairs before it that have one of its voxels, and pairs of a level lie side by side in packs, for
 * backend/cpu/contact_loops.h. The result is that of the order of the list.
 *
 * All this is done in double on a copy of the few voxels concerned, whatever machine does the rest. */
#include "base/base.h"
#include "base/vec.h"
#include "kernel/pair.h"
#include "kernel/voxel.h"
#include "sim/collide.h"
#include "sim/floor.h"
#include "sim/ground.h"
#include "sim/islands.h"
#include "sim/rigid.h"

#include <string.h>

/* Rounds with ground and solids before damping: what comes of it is only a guess. */
#define GUESS_ROUNDS 1
/* What changes a force by less than this part of the largest is let pass: what energy is amiss then is the
 * square of it. */
#define CLOSE_ENOUGH 1e-4
#define THREADS_MOST 256

/* ---- constants of two materials --------------------------------------------------------------------------------------- */

static pair_constants constants_of(const vxe_sim *sim, int32_t first, int32_t second)
{
    const vxe_model *m = sim->model;
    const material_constants *a = &m->materials[first];
    const material_constants *b = &m->materials[second];
    /* two half columns in series */
    const double stiffness = 2.0 * a->youngs * b->youngs / (a->youngs + b->youngs) * m->view.pitch;
    const double mass = a->mass * b->mass / (a->mass + b->mass);
    const double damping = 2.0 * sim->environment.damping_contact * __builtin_sqrt(mass * stiffness);
    const double rough = sim->environment.collision_smooth ? 0.0 : 1.0;
    return (pair_constants){.stiffness = stiffness,
                            .damping = damping,
                            .still = rough * __builtin_sqrt(a->static_friction * b->static_friction),
                            .sliding = rough * __builtin_sqrt(a->dynamic_friction * b->dynamic_friction)};
}

void vxe_contacts_refresh(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    c->bodies_stay = false;
    vxe_ground_refresh(sim);
    if (c->constants == NULL) return;
    const int32_t count = sim->model->constant_count + 1;
    for (int32_t i = 1; i < count; i++) {
        for (int32_t j = 1; j < count; j++)
            c->constants[(size_t)i * (size_t)count + (size_t)j] = constants_of(sim, i, j);
    }
}

const pair_constants *vxe_pair_constants(const vxe_sim *sim, int32_t v, int32_t w, pair_constants *own)
{
    const collider *c = sim->collider;
    const uint16_t *material = sim->material;
    if (c->constants == NULL) {
        *own = constants_of(sim, material[v], material[w]);
        return own;
    }
    const size_t count = (size_t)sim->model->constant_count + 1;
    return &c->constants[(size_t)material[v] * count + material[w]];
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static vec3 across(vec3 a, vec3 n) { return vec3_sub(a, vec3_scale(vec3_dot(a, n), n)); }

/* The copy of a voxel; what moves is gathered later. */
static int32_t make_body(vxe_sim *sim, int32_t v)
{
    collider *c = sim->collider;
    const int32_t own = c->body_count++;
    const voxel_table *t = &sim->voxels[sim->model->material[v]];
    contact_body *body = &c->bodies[own];
    body->voxel = v;
    body->rigid = vxe_is_rigid(sim->model, v);
    body->fixed = sim->model->fixed[v];
    body->inverse_mass = t->inverse_mass;
    body->inverse_inertia = t->inverse_inertia;
    c->body_rows[own] = (body_rows){-1, -1, v, (body->rigid | body->fixed) != 0, 0};
    c->body_of[v] = own;
    return own;
}
static inline int32_t body_of(vxe_sim *sim, int32_t v)
{
    const int32_t known = sim->collider->body_of[v];
    return known >= 0 ? known : make_body(sim, v);
}

const double *vxe_body_now(const vxe_sim *sim, contact_body *body)
{
    if (body->rigid != 0) vxe_rigid_ahead(sim, body->voxel, body->now);
    return body->now;
}

/* ---- ground damping ------------------------------------------------------------------------------------------------------ */

/* What ground damping will leave of a voxel's velocity (0) and spin (1), half of which it has taken. */
static void find_keeps(const vxe_sim *sim, const step_context *context, int32_t v, double keep[2])
{
    const double rate = sim->voxels[sim->material[v]].ground_rate;
    keep[0] = voxel_keep_half(rate, context->kick);
    keep[1] = voxel_keep_half(sim->environment.damping_turning * rate, context->kick);
}

/* A contact ends a step as deep as the velocities after it lead to, and those are damped: so copies of voxels
 * have them, and answer to impulses, as all of ground damping will leave them. What is held is not damped; of
 * the floor's part all but the damping stays. */
static void damp_body(const vxe_sim *sim, const step_context *context, contact_body *b, bool near_floor)
{
    const voxel_table *t = &sim->voxels[sim->model->material[b->voxel]];
    double keep[2];
    find_keeps(sim, context, b->voxel, keep);
    b->inverse_mass = keep[0] * keep[0] * t->inverse_mass;
    b->inverse_inertia = keep[1] * keep[1] * t->inverse_inertia;
    for (int d = 0; d < 6; d++) {
        if ((b->fixed >> d & 1) != 0) continue;
        const bool floor = d < 3 && near_floor;
        const double own = floor ? b->floor[d] : 0.0;
        const double free = b->now[d] - own;
        if (floor) b->floor[d] = own + (1.0 - keep[0]) * free;
        b->now[d] = keep[d / 3] * free + (floor ? b->floor[d] : 0.0);
    }
}

/* And back: damping comes to all voxels later, in a stage of its own. */
static void undamp_body(const vxe_sim *sim, const step_context *context, contact_body *b, bool near_floor)
{
    double keep[2];
    find_keeps(sim, context, b->voxel, keep);
    for (int d = 0; d < 6; d++) {
        if ((b->fixed >> d & 1) != 0) continue;
        if (d < 3 && near_floor) {
            b->floor[d] = b->now[d] - (b->now[d] - b->floor[d]) / keep[0];
        } else {
            b->now[d] /= keep[d / 3];
        }
    }
}

/* 1/kg: what a unit of impulse along a direction changes a voxel's velocity by. */
static double mobility_along(const vxe_sim *sim, int32_t v, vec3 n, double inverse_mass)
{
    if (vxe_is_rigid(sim->model, v)) {
        double change[6];
        vxe_rigid_response(sim, v, n, (vec3){0.0, 0.0, 0.0}, change);
        return vec3_dot(vec3_from(change), n);
    }
    const uint8_t fixed = sim->model->fixed[v];
    const double part[3] = {n.x * n.x, n.y * n.y, n.z * n.z};
    double free = 0.0;
    for (int a = 0; a < 3; a++) free += (fixed >> a & 1) == 0 ? part[a] : 0.0;
    return free * inverse_mass;
}

/* The same across it, at the surface, where turning helps. A voxel that is partly held counts as free: the
 * rounds see to the difference. */
static double mobility_across(const vxe_sim *sim, const contact_body *b, double arm, vec3 n)
{
    const int32_t v = b->voxel;
    if (vxe_is_rigid(sim->model, v)) { /* no more than along two directions together */
        const vec3 least = fabs(n.x) < 0.7 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0};
        const vec3 side = across(least, n);
        vec3 t = vec3_scale(1.0 / sqrt(vec3_dot(side, side)), side);
        double sum = 0.0;
        for (int i = 0; i < 2; i++, t = vec3_cross(n, t)) {
            double change[6];
            vxe_rigid_response(sim, v, t, vec3_scale(arm, vec3_cross(n, t)), change);
            const vec3 surface =
                vec3_add(vec3_from(change), vec3_scale(arm, vec3_cross(vec3_from(change + 3), n)));
            sum += vec3_dot(surface, t);
        }
        return sum;
    }
    return ((b->fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE ? b->inverse_mass : 0.0) +
           ((b->fixed & VXE_DOF_TURN) != VXE_DOF_TURN ? arm * arm * b->inverse_inertia : 0.0);
}

void vxe_row_mobility(const vxe_sim *sim, contact_pack *p, int i)
{
    const contact_body *first = &sim->collider->bodies[p->first[i]];
    const contact_body *second = &sim->collider->bodies[p->second[i]];
    const vec3 n = {p->normal[0][i], p->normal[1][i], p->normal[2][i]};
    p->mobility[i] = mobility_along(sim, first->voxel, n, first->inverse_mass) +
                     mobility_along(sim, second->voxel, n, second->inverse_mass);
    p->mobility_across[i] = mobility_across(sim, first, p->arm1[i], n) +
                            mobility_across(sim, second, p->arm2[i], vec3_scale(-1.0, n));
}

void vxe_push_body(const vxe_sim *sim, contact_body *body, vec3 impulse, vec3 turn)
{
    if (body->rigid != 0) vxe_rigid_push(sim, body->voxel, impulse, turn);
    const double parts[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    for (int d = 0; d < 6; d++) {
        const double inverse = d < 3 ? body->inverse_mass : body->inverse_inertia;
        body->impulse[d] += parts[d];
        if ((body->fixed >> d & 1) == 0) body->now[d] += inverse * parts[d];
    }
}

/* Whether nothing but its one surface touches the voxel of a row, which is solved at once then. */
static bool is_alone(const vxe_sim *sim, const ground_row *row)
{
    return row->count == 1 && sim->collider->body_rows[row->body].first < 0 && !sim->environment.floor &&
           sim->rigid == NULL;
}

/* Whether contacts depend on each other. */
static bool are_coupled(const vxe_sim *sim)
{
    const ground_contacts *g = sim->ground;
    if (g == NULL || sim->collider->row_count > 0) return true;
    for (int32_t i = 0; i < g->row_count; i++) {
        if (!is_alone(sim, &g->rows[i])) return true;
    }
    return false;
}

/* ---- before damping ------------------------------------------------------------------------------------------------------ */

/* What threads work on. */
typedef struct contact_work {
    const step_context *context;
    contact_islands islands;
    double slight;     /* N: what changes a force by less is let pass */
    double *force;     /* N: the largest that each part has come across */
    bool *changed;     /* whether a part has changed anything in this round */
    int64_t *pressing; /* pairs of each part that press on each other */
    bool floor;
    bool again; /* damping has come between */
    int round;
} contact_work;

/* Numbers of a part of `count`. */
static void share_evenly(const part_range *part, int64_t count, int64_t *begin, int64_t *end)
{
    *begin = count * part->index / part->count;
    *end = count * (part->index + 1) / part->count;
}

static void gather_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    int64_t begin = 0;
    int64_t end = 0;
    const collider *c = sim->collider;
    share_evenly(part, c->body_count, &begin, &end);
    sim->host.gather(sim, c->bodies + begin, (int32_t)(end - begin), w->again);
    for (int64_t i = begin; sim->environment.damping_ground > 0.0 && i < end; i++) {
        if (c->body_rows[i].level >= 0 && c->bodies[i].rigid == 0)
            damp_body(sim, w->context, &c->bodies[i], c->body_rows[i].floor_near != 0);
    }
}
static void scatter_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    int64_t begin = 0;
    int64_t end = 0;
    const collider *c = sim->collider;
    share_evenly(part, c->body_count, &begin, &end);
    for (int64_t i = begin; sim->rigid != NULL && i < end; i++) {
        if (c->bodies[i].rigid != 0) vxe_rigid_velocity(sim, c->bodies[i].voxel, c->bodies[i].now);
    }
    for (int64_t i = begin; sim->environment.damping_ground > 0.0 && i < end; i++) {
        if (c->body_rows[i].level >= 0 && c->bodies[i].rigid == 0)
            undamp_body(sim, w->context, &c->bodies[i], c->body_rows[i].floor_near != 0);
    }
    sim->host.scatter(sim, w->context, c->bodies + begin, (int32_t)(end - begin));
}

/* Rows of a part to their places in the packs. */
static void pack_rows(vxe_sim *sim, const island_share *share)
{
    collider *c = sim->collider;
    for (int32_t k = 0; k < share->count; k++) {
        contact_row *row = &c->rows[share->numbers[k]];
        const int i = k % PACK_ROWS;
        contact_pack *p = &c->packs[share->first_pack + k / PACK_ROWS];
        if (i == 0) {
            p->used = p->last = p->special = 0;
            for (int place = 0; place < PACK_ROWS; place++) { /* for lanes that nobody asks for */
                p->first[place] = p->second[place] = row->first;
                p->touch[place] = row->touch;
                p->pair[place] = row->pair;
            }
        }
        body_rows *first = &c->body_rows[row->first];
        body_rows *second = &c->body_rows[row->second];
        const bool ends = k + 1 == share->count || c->rows[share->numbers[k + 1]].level != row->level;
        row->slot = (int32_t)(share->first_pack * PACK_ROWS) + k;
        p->first[i] = row->first;
        p->second[i] = row->second;
        p->touch[i] = row->touch;
        p->pair[i] = row->pair;
        const char *state = (const char *)&c->list.state[p->pair[i]]; /* soon needed, and far away */
        __builtin_prefetch(state);
        __builtin_prefetch(state + sizeof(contact_state) - 1);
        p->next[0][i] = first->first;
        p->next[1][i] = second->first;
        first->first = 2 * row->slot;
        second->first = 2 * row->slot + 1;
        p->used |= (uint8_t)(1U << i);
        if (ends || i + 1 == PACK_ROWS) p->last |= (uint8_t)(1U << i);
        p->special |= (uint8_t)((first->special | second->special) << i);
    }
}

/* The packs of a part. */
static contact_pack *packs_of(const vxe_sim *sim, const island_share *share, int64_t *count)
{
    *count = (share->count + PACK_ROWS - 1) / PACK_ROWS;
    return sim->collider->packs + share->first_pack;
}

/* The forces of the last step, of a part. */
static void begin_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    int64_t count = 0;
    contact_pack *packs = packs_of(sim, &rows, &count);
    pack_rows(sim, &rows);
    w->force[part->index] = sim->host.contacts->begin(sim, w->context, packs, count);
}

/* A task for all parts, on threads if there is enough to do. */
static void divide(vxe_sim *sim, const contact_work *work, part_task *task, void *context)
{
    if (work->islands.parts > 1) {
        sim->host.divide(sim, task, context);
    } else {
        const part_range all = {0, 1, 0, sim->model->view.voxel_count, 0};
        task(sim, &all, context);
    }
}

/* N: the largest force so far. */
static double largest_force(const contact_work *work)
{
    double largest = 0.0;
    for (int32_t p = 0; p < work->islands.parts; p++)
        if (work->force[p] > largest) largest = work->force[p];
    return largest;
}

/* Whether velocities change between both halves of this. */
static bool is_between(const vxe_sim *sim) { return sim->implicit || sim->rigid != NULL; }

/* Whether two voxels can move against each other, of which one is held or of a rigid part. */
static bool can_part(const vxe_sim *sim, const touching_pair *pair)
{
    const vxe_model *m = sim->model;
    const vec3 d = vec3_from(pair->offset);
    const double square = vec3_dot(d, d);
    if (vxe_is_rigid(m, pair->first) && m->rigid[pair->first] == m->rigid[pair->second]) return false;
    const vec3 n = vec3_scale(1.0 / __builtin_sqrt(square), d);
    return mobility_along(sim, pair->first, n, 1.0) + mobility_along(sim, pair->second, n, 1.0) > 0.0;
}

static void mark(uint64_t *marks, int32_t v) { marks[v / 64] |= UINT64_C(1) << (v % 64); }

/* The voxels of pairs that touch, in their order in memory: what is gathered lies close together. While the
 * list of pairs stays, they do, whether they touch or not, and those that come are put behind them. */
static void find_bodies(vxe_sim *sim)
{
    collider *c = sim->collider;
    if (c->bodies_stay) {
        for (int32_t i = 0; i < c->body_count; i++) {
            c->body_rows[i].first = -1;
            c->body_rows[i].level = -1;
        }
        return;
    }
    for (int32_t i = 0; i < c->body_count; i++) c->body_of[c->body_rows[i].voxel] = -1;
    c->body_count = 0;
    /* ground and rigid parts have bodies of their own */
    c->bodies_stay = sim->ground == NULL && sim->rigid == NULL;
    if (c->touching_count == 0) return;
    for (int64_t i = 0; i < c->touching_count; i++) {
        mark(c->marks, c->touching_pairs[i].first);
        mark(c->marks, c->touching_pairs[i].second);
    }
    const int32_t words = (sim->model->view.voxel_count + 63) / 64;
    for (int32_t k = 0; k < words; k++) {
        for (uint64_t left = c->marks[k]; left != 0; left &= left - 1)
            (void)body_of(sim, 64 * k + __builtin_ctzll(left));
        c->marks[k] = 0;
    }
}

/* The rows of this step, their levels, and their order by them. Voxels at one place have no normal. Rigid
 * parts join what is far apart: rows with voxels of any have levels of their own. */
static void list_rows(vxe_sim *sim)
{
    collider *c = sim->collider;
    int32_t levels = 0;
    int32_t rigid_level = -1;
    find_bodies(sim);
    for (int64_t i = 0; i < c->touching_count; i++) {
        const touching_pair *pair = &c->touching_pairs[i];
        contact_row *row = &c->rows[c->row_count];
        row->first = body_of(sim, pair->first);
        row->second = body_of(sim, pair->second);
        const bool special = (c->body_rows[row->first].special | c->body_rows[row->second].special) != 0;
        const double *d = pair->offset;
        if (special ? !can_part(sim, pair) : !(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 0.0)) continue;
        row->touch = (int32_t)i;
        row->pair = c->touching[i];
        c->row_count++;
        int32_t *first = &c->body_rows[row->first].level;
        int32_t *second = &c->body_rows[row->second].level;
        int32_t level = *first > *second ? *first : *second;
        const bool rigid =
            sim->rigid != NULL && (c->bodies[row->first].rigid | c->bodies[row->second].rigid) != 0;
        if (rigid && rigid_level > level) level = rigid_level;
        level++;
        if (rigid) rigid_level = level;
        row->level = *first = *second = level;
        while (levels <= level) c->level_end[levels++] = 0;
        c->level_end[level]++;
    }
    int32_t sum = 0;
    for (int32_t level = 0; level < levels; level++) {
        const int32_t own = c->level_end[level];
        c->level_end[level] = sum;
        sum += own;
    }
    for (int64_t i = 0; i < c->row_count; i++) c->row_order[c->level_end[c->rows[i].level]++] = (int32_t)i;
}

void vxe_contacts_begin(vxe_sim *sim, const step_context *context)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    for (int64_t k = 0; k < c->parted_count; k++) /* nothing is left between them */
        c->list.state[c->parted[k]] = (contact_state){.stuck = 0};
    c->row_count = 0;
    list_rows(sim);
    ground_contacts *g = sim->ground;
    const int32_t ground_rows = g != NULL ? g->row_count : 0;
    for (int32_t i = 0; i < ground_rows; i++) {
        g->rows[i].body = body_of(sim, g->rows[i].voxel);
        if (c->body_rows[g->rows[i].body].level < 0) c->body_rows[g->rows[i].body].level = 0;
    }
    vxe_ground_guess(sim, context, is_between(sim));
    if (c->row_count + ground_rows == 0) return;
    double forces[THREADS_MOST] = {0.0};
    contact_work work = {.context = context, .islands = vxe_islands_find(sim), .force = forces};
    divide(sim, &work, gather_part, &work);
    divide(sim, &work, begin_part, &work);
    c->force_most = largest_force(&work);
    if (g != NULL) vxe_ground_begin(sim, context);
    if (!is_between(sim)) return;                                     /* it goes on at once */
    for (int round = 0; g != NULL && round < GUESS_ROUNDS; round++) { /* one thread does all, then */
        double largest = 0.0;
        (void)sim->host.contacts->solve(sim, context, c->packs, (c->row_count + PACK_ROWS - 1) / PACK_ROWS, 0,
                                        0.0, &largest);
        for (int32_t i = 0; i < ground_rows; i++)
            (void)vxe_ground_solve(sim, context, &g->rows[i], round + 1 == GUESS_ROUNDS);
    }
    divide(sim, &work, scatter_part, &work);
}

/* ---- after it ------------------------------------------------------------------------------------------------------- */

/* A round of a part. */
static void round_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const contact_loops *loops = sim->host.contacts;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    int64_t count = 0;
    contact_pack *packs = packs_of(sim, &rows, &count);
    bool changed = loops->solve(sim, w->context, packs, count, w->round, w->slight, &w->force[part->index]);
    if (w->floor) {
        const island_share bodies = vxe_islands_bodies(sim, &w->islands, part);
        changed |= loops->floor(sim, w->context, bodies.numbers, bodies.count, w->round, w->slight);
    }
    w->changed[part->index] = changed;
}

static void close_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    int64_t count = 0;
    contact_pack *packs = packs_of(sim, &rows, &count);
    w->pressing[part->index] = sim->host.contacts->close(sim, w->context, packs, count);
}

/* Over all rows, in their order: what is not nothing for all of them. */
static void sum_rows(vxe_sim *sim, const step_context *context)
{
    const collider *c = sim->collider;
    tree_sum sums[ROW_TERMS] = {{.count = 0}};
    row_term terms[ROW_TERMS] = {ROW_CONTACT, ROW_GAINED};
    int term_count = 2;
    if (context->before != context->step) terms[term_count++] = ROW_SHIFT;
    if (sim->model->actuated_count > 0) terms[term_count++] = ROW_SWELLING;
    for (int64_t begin = 0; begin < c->row_count; begin += SUM_LEAVES) {
        double leaves[ROW_TERMS][SUM_LEAVES] = {{0.0}};
        const int64_t left = c->row_count - begin;
        const int count = left < SUM_LEAVES ? (int)left : SUM_LEAVES;
        for (int i = 0; i < count; i++) {
            const int32_t slot = c->rows[begin + i].slot;
            const contact_pack *p = &c->packs[slot / PACK_ROWS];
            for (int k = 0; k < term_count; k++) leaves[k][i] = p->booked[terms[k]][slot % PACK_ROWS];
        }
        for (int k = 0; k < term_count; k++) {
            const row_term term = terms[k];
            if (count == SUM_LEAVES) {
                sum_add_leaves(&sums[term], sum_leaves(leaves[k]));
            } else {
                for (int i = 0; i < count; i++) sum_add(&sums[term], leaves[k][i]);
            }
        }
    }
    sim->last.shift += sum_total(&sums[ROW_SHIFT]);
    sim->last.lost_work -= sum_total(&sums[ROW_SHIFT]);
    sim->last.contact += sum_total(&sums[ROW_CONTACT]);
    sim->last.swelling += sum_total(&sums[ROW_SWELLING]);
    sim->last.gained += sum_total(&sums[ROW_GAINED]);
}

/* One round of all, the ground's and the solids' too; true: something has changed. */
static bool take_round(vxe_sim *sim, contact_work *work)
{
    collider *c = sim->collider;
    ground_contacts *g = sim->ground;
    bool changed = false;
    work->slight = CLOSE_ENOUGH * largest_force(work);
    divide(sim, work, round_part, work);
    for (int32_t p = 0; p < work->islands.parts; p++) changed |= work->changed[p];
    const double alone =
        work->round == 0 ? vxe_ground_settle(sim, work->context, work->slight, &changed) : 0.0;
    for (int32_t i = 0; g != NULL && i < g->row_count; i++) {
        ground_row *row = &g->rows[i];
        if (work->round > 0 && !row->coupled && is_alone(sim, row)) continue;
        const bool own = vxe_ground_solve(sim, work->context, row, false) > work->slight;
        const double force = vec3_dot(row->force, row->axes[2]);
        if (own) vxe_body_changed(c, row->body, -1);
        changed |= own;
        if (force > work->force[0]) work->force[0] = force;
    }
    if (alone > work->force[0]) work->force[0] = alone;
    if (g != NULL)
        changed |=
            sim->host.contacts->floor(sim, work->context, NULL, c->body_count, work->round, work->slight);
    return changed;
}

void vxe_contacts_solve(vxe_sim *sim, const step_context *context)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    if (c->row_count == 0 && (sim->ground == NULL || sim->ground->row_count == 0)) {
        bool unused = false;
        (void)vxe_ground_settle(sim, context, -1.0, &unused);
        vxe_ground_close(sim, context);
        return;
    }
    double forces[THREADS_MOST] = {0.0};
    bool changed[THREADS_MOST] = {false};
    int64_t pressing[THREADS_MOST] = {0};
    contact_work work = {.context = context,
                         .islands = vxe_islands_found(sim),
                         .force = forces,
                         .changed = changed,
                         .pressing = pressing,
                         .floor = sim->ground == NULL, /* the floor comes after the ground */
                         .again = true};
    if (is_between(sim)) divide(sim, &work, gather_part, &work);
    forces[0] = c->force_most;
    const int rounds = are_coupled(sim) ? PAIR_ROUNDS : 1;
    while (work.round < rounds && take_round(sim, &work)) work.round++;
    c->rounds = work.round;
    divide(sim, &work, close_part, &work);
    for (int32_t p = 0; p < work.islands.parts; p++) sim->last.pair_contacts += pressing[p];
    if (sim->def.audit) sum_rows(sim, context);
    vxe_ground_close(sim, context);
    divide(sim, &work, scatter_part, &work);
}
