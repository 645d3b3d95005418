/* Pairs of voxels that touch: the middle of a step that is taken in parts. In: the pairs that may touch
 * (collide.c), velocities after the loads. Out: velocities after contact, what pairs remember.
 *
 * Each pair is solved exactly by kernel/contact.h, with what all others do at that moment; the pairs, and the
 * floor under their voxels, are gone through in order until nothing changes. They begin with the forces of
 * the last step, and after the first round only those are solved again whose voxels others have changed
 * since: of a heap at rest, few. So that implicit damping, which comes between loads and contacts, does not
 * work on bodies at rest, contacts are also solved before it, as if there were none: that is where the rounds
 * after it begin.
 *
 * All this is done in double on a copy of the few voxels concerned, whatever machine does the rest. */
#include "base/base.h"
#include "base/vec.h"
#include "sim/collide.h"
#include "sim/floor.h"
#include "sim/ground.h"
#include "sim/islands.h"
#include "sim/rigid.h"

#include <string.h>

/* Rounds over all pairs; two are enough where no voxel has two contacts. */
#define ROUNDS 32
/* Before damping: what comes of it is only a guess. */
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
    if (c == NULL || c->constants == NULL) return;
    const int32_t count = sim->model->constant_count + 1;
    for (int32_t i = 1; i < count; i++) {
        for (int32_t j = 1; j < count; j++)
            c->constants[(size_t)i * (size_t)count + (size_t)j] = constants_of(sim, i, j);
    }
}

static pair_constants constants_between(const vxe_sim *sim, int32_t v, int32_t w)
{
    const collider *c = sim->collider;
    const uint16_t *material = sim->material;
    if (c->constants == NULL) return constants_of(sim, material[v], material[w]);
    const size_t count = (size_t)sim->model->constant_count + 1;
    return c->constants[(size_t)material[v] * count + material[w]];
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static vec3 across(vec3 a, vec3 n) { return vec3_sub(a, vec3_scale(vec3_dot(a, n), n)); }

/* The copy of a voxel. */
static int32_t body_of(vxe_sim *sim, int32_t v)
{
    collider *c = sim->collider;
    if (c->body_of[v] < 0) {
        c->body_of[v] = c->body_count;
        const voxel_table *t = &sim->voxels[sim->model->material[v]];
        c->bodies[c->body_count++] = (contact_body){.voxel = v,
                                                    .rigid = vxe_is_rigid(sim->model, v),
                                                    .fixed = sim->model->fixed[v],
                                                    .inverse_mass = t->inverse_mass,
                                                    .inverse_inertia = t->inverse_inertia};
    }
    return c->body_of[v];
}

const double *vxe_body_now(const vxe_sim *sim, contact_body *body)
{
    if (body->rigid != 0) vxe_rigid_velocity(sim, body->voxel, body->now);
    return body->now;
}

/* 1/kg: what a unit of impulse along a direction changes a voxel's velocity by. */
static double mobility_along(const vxe_sim *sim, int32_t v, vec3 n)
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
    return free * sim->voxels[sim->model->material[v]].inverse_mass;
}

/* The same across it, at the surface, where turning helps. A voxel that is partly held counts as free: the
 * rounds see to the difference. */
static double mobility_across(const vxe_sim *sim, int32_t v, double arm, vec3 n)
{
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
    const uint8_t fixed = sim->model->fixed[v];
    const voxel_table *t = &sim->voxels[sim->model->material[v]];
    return ((fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE ? t->inverse_mass : 0.0) +
           ((fixed & VXE_DOF_TURN) != VXE_DOF_TURN ? arm * arm * t->inverse_inertia : 0.0);
}

/* Geometry of a pair that may touch. */
static void place_row(vxe_sim *sim, const step_context *context, int64_t i, contact_row *row)
{
    const collider *c = sim->collider;
    const touching_pair *pair = &c->touching_pairs[i];
    const double size1 = 1.0 + sim->growth[0][pair->first];
    const double size2 = 1.0 + sim->growth[0][pair->second];
    const vec3 d = vec3_from(pair->offset);
    const double distance = __builtin_sqrt(vec3_dot(d, d));
    const pair_constants k = constants_between(sim, pair->first, pair->second);
    row->normal = vec3_scale(1.0 / distance, d);
    row->reach = vxe_contact_reach(sim, pair->first, pair->second);
    row->distance = distance;
    row->arm1 = size1 / (size1 + size2) * distance;
    row->arm2 = distance - row->arm1;
    row->pair = c->touching[i];
    row->spring = (contact_spring){k.stiffness, CONTACT_STOP_STIFFNESS * k.stiffness,
                                   contact_edge(sim->environment.collision_distance) * row->reach};
    row->grip = (contact_grip){CONTACT_TANGENT * k.stiffness, k.still, k.sliding};
    row->mobility =
        mobility_along(sim, pair->first, row->normal) + mobility_along(sim, pair->second, row->normal);
    row->mobility_across = mobility_across(sim, pair->first, row->arm1, row->normal) +
                           mobility_across(sim, pair->second, row->arm2, vec3_scale(-1.0, row->normal));
    row->damp = contact_damp(k.damping, row->mobility, context->kick);
    row->damp_across = contact_damp(CONTACT_TANGENT * k.damping, row->mobility_across, context->kick);
}

/* Velocity of the second surface against the first, from velocities before the step or now. */
static vec3 surface_velocity(const contact_row *row, const double first[6], const double second[6])
{
    const vec3 v = vec3_sub(vec3_from(second), vec3_from(first));
    const vec3 turn =
        vec3_add(vec3_scale(row->arm1, vec3_from(first + 3)), vec3_scale(row->arm2, vec3_from(second + 3)));
    return vec3_sub(v, vec3_cross(turn, row->normal));
}

/* How far in it was half a step ago, what its springs hold, the force of the last step. */
static void begin_row(const vxe_sim *sim, const step_context *context, contact_row *row)
{
    const collider *c = sim->collider;
    const contact_state *state = &c->list.state[row->pair];
    const vec3 before = surface_velocity(row, c->bodies[row->first].before, c->bodies[row->second].before);
    row->parting = vec3_dot(before, row->normal);
    row->sliding = across(before, row->normal);
    /* a pair that is found in contact (its link broke, it was placed so) starts without energy stored */
    const double depth = row->reach - row->distance;
    const double met = depth + 0.5 * context->before * row->parting;
    const double deep = met > 0.0 ? met : 0.0;
    row->rest = state->touching == 0 || deep < state->rest ? deep : state->rest;
    /* but voxels that touch from further away than their size press on each other from the start, as in the
     * programs that have it so: what the springs then hold is energy that the scene begins with */
    if (sim->step == 0 && sim->environment.collision_distance > 1.0) row->rest = 0.0;
    row->depth = depth - row->rest;
    row->before = met - row->rest;
    row->stick = across(vec3_from(state->stick), row->normal);
    row->stuck = state->stuck;
    const vec3 last = vec3_from(state->force);
    const double along = vec3_dot(last, row->normal);
    row->force = along > 0.0 ? along : 0.0;
    row->drag = row->force > 0.0 ? across(last, row->normal) : vec3_make(0.0, 0.0, 0.0);
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

/* The same where nothing holds it. */
static inline void push_free(contact_body *body, vec3 impulse, vec3 turn)
{
    const double parts[6] = {impulse.x, impulse.y, impulse.z, turn.x, turn.y, turn.z};
    for (int d = 0; d < 6; d++) {
        body->impulse[d] += parts[d];
        body->now[d] += (d < 3 ? body->inverse_mass : body->inverse_inertia) * parts[d];
    }
}

/* A change of the force between a pair, N: equal and opposite, at one point. */
static inline void push_pair(vxe_sim *sim, const step_context *context, const contact_row *row, double force,
                             vec3 drag)
{
    collider *c = sim->collider;
    const vec3 impulse = vec3_scale(context->kick, vec3_add(vec3_scale(force, row->normal), drag));
    const vec3 turn = vec3_cross(row->normal, impulse);
    contact_body *first = &c->bodies[row->first];
    contact_body *second = &c->bodies[row->second];
    if ((first->rigid | first->fixed | second->rigid | second->fixed) == 0) { /* as most are */
        push_free(first, vec3_scale(-1.0, impulse), vec3_scale(-row->arm1, turn));
        push_free(second, impulse, vec3_scale(-row->arm2, turn));
    } else {
        vxe_push_body(sim, first, vec3_scale(-1.0, impulse), vec3_scale(-row->arm1, turn));
        vxe_push_body(sim, second, impulse, vec3_scale(-row->arm2, turn));
    }
}

/* ---- rounds -------------------------------------------------------------------------------------------------------------- */

static contact_press press_of(const step_context *context, const contact_row *row, double parting)
{
    return (contact_press){row->before, row->depth - 0.5 * context->step * parting,
                           0.5 * context->step * context->kick * row->mobility, row->damp};
}

/* Solves one pair with what the others do now; returns the change of its forces, N. */
static double solve_row(vxe_sim *sim, const step_context *context, contact_row *row)
{
    const collider *c = sim->collider;
    const vec3 now = surface_velocity(row, vxe_body_now(sim, &c->bodies[row->first]),
                                      vxe_body_now(sim, &c->bodies[row->second]));
    const double parting = vec3_dot(now, row->normal) - context->kick * row->mobility * row->force;
    const double force = contact_normal(press_of(context, row, parting), row->spring);
    const vec3 sliding =
        vec3_sub(across(now, row->normal), vec3_scale(context->kick * row->mobility_across, row->drag));
    const vec3 slide = vec3_scale(0.5 * context->kick, vec3_add(row->sliding, sliding));
    const contact_slip slip =
        contact_friction((rvec){row->stick.x, row->stick.y, row->stick.z}, (rvec){slide.x, slide.y, slide.z},
                         0.5 * context->kick * context->kick * row->mobility_across, row->damp_across, force,
                         row->stuck, row->grip);
    const vec3 drag = {slip.force.x, slip.force.y, slip.force.z};
    const double change = force - row->force;
    const vec3 turn = vec3_sub(drag, row->drag);
    push_pair(sim, context, row, change, turn);
    row->force = force;
    row->drag = drag;
    return __builtin_sqrt(change * change + vec3_dot(turn, turn));
}

/* Solves a pair, unless nobody has changed the motion of its voxels since it was solved; of rigid parts
 * nobody knows that. True: it has changed it by more than `slight` N. */
static bool visit_row(vxe_sim *sim, const step_context *context, int32_t i, double slight, double *largest)
{
    collider *c = sim->collider;
    row_watch *watch = &c->row_watches[i];
    body_watch *first = &c->body_watches[watch->first];
    body_watch *second = &c->body_watches[watch->second];
    if (watch->seen[0] == first->changes && watch->seen[1] == second->changes) return false;
    contact_row *row = &c->rows[i];
    const bool changed = solve_row(sim, context, row) > slight;
    if (row->force > *largest) *largest = row->force;
    first->changes += changed;
    second->changes += changed;
    const bool rigid = (c->bodies[row->first].rigid | c->bodies[row->second].rigid) != 0;
    watch->seen[0] = rigid ? -1 : first->changes;
    watch->seen[1] = second->changes;
    return changed;
}

/* Whether contacts depend on each other. A voxel with one surface and nothing else is solved at once. */
static bool are_coupled(const vxe_sim *sim)
{
    const ground_contacts *g = sim->ground;
    if (g == NULL || sim->collider->row_count > 0 || sim->environment.floor || sim->rigid != NULL)
        return true;
    for (int32_t i = 0; i < g->row_count; i++) {
        if (g->rows[i].count != 1) return true;
    }
    return false;
}

/* ---- before damping ------------------------------------------------------------------------------------------------------ */

/* What threads work on. */
typedef struct contact_work {
    const step_context *context;
    contact_islands islands;
    int rounds;    /* of a guess */
    double slight; /* N: what changes a force by less is let pass */
    double *force; /* N: the largest that each part has come across */
    bool *changed; /* whether a part has changed anything in this round */
    bool floor;
} contact_work;

/* Numbers of a part of `count`. */
static void share_evenly(const part_range *part, int64_t count, int64_t *begin, int64_t *end)
{
    *begin = count * part->index / part->count;
    *end = count * (part->index + 1) / part->count;
}

static void place_part(vxe_sim *sim, const part_range *part, void *context)
{
    collider *c = sim->collider;
    const contact_work *w = context;
    int64_t begin = 0;
    int64_t end = 0;
    share_evenly(part, c->touching_count, &begin, &end);
    for (int64_t i = begin; i < end; i++) place_row(sim, w->context, i, &c->rows[i]);
}

static void gather_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    int64_t begin = 0;
    int64_t end = 0;
    collider *c = sim->collider;
    share_evenly(part, c->body_count, &begin, &end);
    sim->host.gather(sim, w->context, c->bodies + begin, (int32_t)(end - begin));
    for (int64_t i = begin; i < end; i++)
        c->body_watches[i] = (body_watch){0, c->bodies[i].floor_near != 0 ? -1 : FLOOR_FAR};
}
static void scatter_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    int64_t begin = 0;
    int64_t end = 0;
    share_evenly(part, sim->collider->body_count, &begin, &end);
    for (int64_t i = begin; i < end; i++) (void)vxe_body_now(sim, &sim->collider->bodies[i]);
    sim->host.scatter(sim, w->context, sim->collider->bodies + begin, (int32_t)(end - begin));
}

/* The first rounds of a part. */
static void guess_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    contact_row *all = sim->collider->rows;
    double largest = 0.0;
    for (int32_t i = 0; i < rows.count; i++) {
        contact_row *row = &all[island_member(&rows, i)];
        begin_row(sim, w->context, row);
        if (row->force > 0.0) push_pair(sim, w->context, row, row->force, row->drag);
        if (row->force > largest) largest = row->force;
    }
    w->force[part->index] = largest;
    for (int round = 0; round < w->rounds; round++) {
        for (int32_t i = 0; i < rows.count; i++)
            (void)solve_row(sim, w->context, &all[island_member(&rows, i)]);
    }
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

/* Rows whose voxels cannot move against each other are left out. */
static void list_rows(vxe_sim *sim)
{
    collider *c = sim->collider;
    for (int64_t i = 0; i < c->touching_count; i++) {
        contact_row *row = &c->rows[c->row_count];
        if (c->row_count < i) *row = c->rows[i];
        if (!(row->mobility > 0.0)) continue; /* both are held */
        const touching_pair *pair = &c->touching_pairs[i];
        if (vxe_is_rigid(sim->model, pair->first) &&
            sim->model->rigid[pair->first] == sim->model->rigid[pair->second])
            continue; /* they never move against each other */
        row->first = body_of(sim, c->touching_pairs[i].first);
        row->second = body_of(sim, c->touching_pairs[i].second);
        c->row_watches[c->row_count++] = (row_watch){row->first, row->second, {-1, -1}};
    }
}

void vxe_contacts_begin(vxe_sim *sim, const step_context *context)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    for (int64_t k = 0; k < c->parted_count; k++) /* nothing is left between them */
        c->list.state[c->parted[k]] = (contact_state){.stuck = 0};
    c->row_count = c->touching_count; /* as many as there can be */
    c->body_count = 0;
    double forces[THREADS_MOST] = {0.0};
    contact_work work = {.context = context, .islands = vxe_islands_found(sim), .force = forces};
    divide(sim, &work, place_part, &work);
    c->row_count = 0;
    list_rows(sim);
    ground_contacts *g = sim->ground;
    const int32_t ground_rows = g != NULL ? g->row_count : 0;
    for (int32_t i = 0; i < ground_rows; i++) g->rows[i].body = body_of(sim, g->rows[i].voxel);
    if (c->body_count == 0) return;
    work.islands = vxe_islands_find(sim);
    divide(sim, &work, gather_part, &work);
    if (g == NULL && is_between(sim)) work.rounds = GUESS_ROUNDS;
    divide(sim, &work, guess_part, &work);
    c->force_most = largest_force(&work);
    if (g != NULL) vxe_ground_begin(sim, context);
    if (!is_between(sim)) return; /* it goes on at once */
    for (int round = 0; g != NULL && round < GUESS_ROUNDS; round++) {
        for (int64_t i = 0; i < c->row_count; i++) (void)solve_row(sim, context, &c->rows[i]);
        for (int32_t i = 0; i < ground_rows; i++)
            (void)vxe_ground_solve(sim, context, &g->rows[i], round + 1 == GUESS_ROUNDS);
    }
    divide(sim, &work, scatter_part, &work);
}

/* ---- after it ------------------------------------------------------------------------------------------------------- */

/* The floor under one of the voxels, in the same way. */
static bool visit_floor(vxe_sim *sim, const step_context *context, int32_t i, double slight)
{
    body_watch *watch = &sim->collider->body_watches[i];
    if (watch->floor == watch->changes || watch->floor == FLOOR_FAR) return false;
    contact_body *body = &sim->collider->bodies[i];
    const int32_t v = body->voxel;
    const vxe_model *m = sim->model;
    const voxel_table *t = &sim->voxels[m->material[v]];
    const double mass = m->materials[m->material[v]].mass;
    const voxel_constants c = {t->inverse_mass,  t->inverse_inertia, t->ground_rate,     t->floor_stiffness,
                               t->floor_damping, t->static_friction, t->dynamic_friction};
    const floor_step times = {0.5 * context->before, 0.5 * context->step, context->kick, m->view.pitch,
                              (body->fixed & VXE_DOF_Z) != 0 ? FLOOR_HELD : 1.0};
    const double keep = voxel_keep(c.ground_rate, context->kick);
    rvec free = {body->now[0] - body->floor[0], body->now[1] - body->floor[1], body->now[2] - body->floor[2]};
    const rvec before = {body->before[0], body->before[1], body->before[2]};
    const rvec load = rvec_scale(mass / context->kick, rvec_sub(free, before));
    const rvec after = voxel_on_floor(before, rvec_scale(keep, free), load, body->depth,
                                      sim->stuck[0][v] != 0, sim->stuck[0][v] == STUCK_FRESH, c, times)
                           .velocity;
    const double to[3] = {after.x, after.y, after.z};
    const double from[3] = {free.x, free.y, free.z};
    double square = 0.0;
    for (int a = 0; a < 3; a++) {
        if ((body->fixed >> a & 1) != 0) continue;
        const double change = to[a] - body->now[a];
        square += change * change;
        body->floor[a] = to[a] - from[a];
        body->now[a] = to[a];
    }
    const bool changed = mass * __builtin_sqrt(square) > slight * context->kick;
    watch->changes += changed;
    watch->floor = body->rigid != 0 ? -1 : watch->changes;
    return changed;
}

/* What a pair remembers, and its part of the account. */
static void close_row(vxe_sim *sim, const step_context *context, contact_row *row)
{
    collider *c = sim->collider;
    contact_state *state = &c->list.state[row->pair];
    contact_body *first = &c->bodies[row->first];
    contact_body *second = &c->bodies[row->second];
    const vec3 now = surface_velocity(row, vxe_body_now(sim, first), vxe_body_now(sim, second));
    const double parting = vec3_dot(now, row->normal);
    const double after = row->depth - 0.5 * context->step * parting;
    const vec3 slid = vec3_scale(0.5 * context->kick, vec3_add(row->sliding, across(now, row->normal)));
    /* the slide that there was, with the force that acted: contact_friction() finds the same again */
    const double yield = 0.5 * context->kick * context->kick * row->mobility_across;
    const vec3 free = vec3_sub(slid, vec3_scale(yield, row->drag));
    const contact_slip slip =
        contact_friction((rvec){row->stick.x, row->stick.y, row->stick.z}, (rvec){free.x, free.y, free.z},
                         yield, row->damp_across, row->force, row->stuck, row->grip);
    const double stretched = 0.5 * row->grip.stiffness * rvec_dot(slip.stick, slip.stick);
    const double energy = contact_energy(after, row->spring) + stretched;
    const vec3 total = vec3_add(vec3_scale(row->force, row->normal), row->drag);
    if (sim->def.audit) {
        /* what it held half a step ago, but for voxels that have grown since */
        const int32_t v = first->voxel;
        const int32_t w = second->voxel;
        const double stick = 0.5 * row->grip.stiffness * vec3_dot(row->stick, row->stick);
        const double stored = contact_energy(row->before, row->spring) + stick;
        double swelling = 0.0;
        if (sim->model->actuated_count > 0) {
            const double grown =
                row->reach - vxe_contact_reach_of(sim, sim->growth_before[0][v], sim->growth_before[0][w]);
            swelling = stored - stick - contact_energy(row->before - grown, row->spring);
        }
        const double geometry = stored - swelling - state->energy;
        const double work =
            0.5 * context->kick * row->force * (row->parting + parting) + vec3_dot(row->drag, slid);
        /* where the step changes, the energy at half steps jumps, as that of links does: plain_motion.h */
        const double change = 0.25 * (context->before - context->step);
        const double shift = change * row->force * (parting - row->parting);
        const double made = energy - stored + work - shift;
        row->booked[ROW_SHIFT] = shift;
        row->booked[ROW_CONTACT] = energy;
        row->booked[ROW_SWELLING] = swelling;
        row->booked[ROW_GAINED] = (geometry > 0.0 ? geometry : 0.0) + (made > 0.0 ? made : 0.0);
    }
    if (context->keep) {
        const double force[3] = {total.x, total.y, total.z};
        for (int a = 0; a < 3; a++) {
            sim->contact_force[a][first->voxel] -= force[a];
            sim->contact_force[a][second->voxel] += force[a];
        }
    }
    *state = (contact_state){{slip.stick.x, slip.stick.y, slip.stick.z},
                             row->rest,
                             energy,
                             {total.x, total.y, total.z},
                             slip.stuck != 0 && row->force > 0.0,
                             row->rest > 0.0 || row->force > 0.0 || after > 0.0,
                             state->touching != 0 ? state->since : sim->time};
}

/* A round of a part. */
static void round_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    double largest = w->force[part->index];
    bool changed = false;
    for (int32_t i = 0; i < rows.count; i++) {
        const int32_t row = island_member(&rows, i);
        changed |= visit_row(sim, w->context, row, w->slight, &largest);
    }
    w->force[part->index] = largest;
    if (w->floor) {
        const island_share bodies = vxe_islands_bodies(sim, &w->islands, part);
        for (int32_t i = 0; i < bodies.count; i++)
            changed |= visit_floor(sim, w->context, island_member(&bodies, i), w->slight);
    }
    w->changed[part->index] = changed;
}

static void close_part(vxe_sim *sim, const part_range *part, void *context)
{
    const contact_work *w = context;
    const island_share rows = vxe_islands_rows(sim, &w->islands, part);
    for (int32_t i = 0; i < rows.count; i++)
        close_row(sim, w->context, &sim->collider->rows[island_member(&rows, i)]);
}

/* Over all rows, in their order. */
static void sum_rows(vxe_sim *sim)
{
    const collider *c = sim->collider;
    tree_sum sums[ROW_TERMS] = {{.count = 0}};
    for (int64_t i = 0; i < c->row_count; i++) {
        if (c->rows[i].force > 0.0) sim->last.pair_contacts++;
        for (int term = 0; sim->def.audit && term < ROW_TERMS; term++)
            sum_add(&sums[term], c->rows[i].booked[term]);
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
    for (int32_t i = 0; g != NULL && i < g->row_count; i++) {
        ground_row *row = &g->rows[i];
        const bool own = vxe_ground_solve(sim, work->context, row, false) > work->slight;
        const double force = vec3_dot(row->force, row->axes[2]);
        c->body_watches[row->body].changes += own;
        changed |= own;
        if (force > work->force[0]) work->force[0] = force;
    }
    for (int32_t i = 0; g != NULL && i < c->body_count; i++)
        changed |= visit_floor(sim, work->context, i, work->slight);
    return changed;
}

void vxe_contacts_solve(vxe_sim *sim, const step_context *context)
{
    collider *c = sim->collider;
    if (c == NULL) return;
    double forces[THREADS_MOST] = {0.0};
    bool changed[THREADS_MOST] = {false};
    contact_work work = {.context = context,
                         .islands = vxe_islands_found(sim),
                         .force = forces,
                         .changed = changed,
                         .floor = sim->ground == NULL}; /* the floor comes after the ground */
    if (c->body_count > 0 && is_between(sim)) divide(sim, &work, gather_part, &work);
    forces[0] = c->force_most;
    const int rounds = c->body_count == 0 ? 0 : are_coupled(sim) ? ROUNDS : 1;
    for (int round = 0; round < rounds; round++) {
        if (!take_round(sim, &work)) break;
    }
    divide(sim, &work, close_part, &work);
    sum_rows(sim);
    vxe_ground_close(sim, context);
    if (c->body_count > 0) divide(sim, &work, scatter_part, &work);
    for (int32_t i = 0; i < c->body_count; i++) c->body_of[c->bodies[i].voxel] = -1;
}
