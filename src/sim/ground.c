/* Contacts with ground and solids: see ground.h. */
#include "sim/ground.h"

#include "base/base.h"
#include "kernel/voxel.h"
#include "sim/floor.h"
#include "sim/rigid.h"

#include <math.h>
#include <stdlib.h>

/* A voxel that is put this close to a surface stands on it, pitches. */
#define STANDS 1e-6

/* ---- memory --------------------------------------------------------------------------------------------------------- */

vxe_result vxe_ground_create(vxe_sim *sim, vxe_error *error)
{
    const size_t n = (size_t)sim->model->view.voxel_count;
    if (sim->model->world == NULL && sim->model->rigid_count == 0) return VXE_OK;
    ground_contacts *g = calloc(1, sizeof *g);
    if (g == NULL) return vxe_fail_memory(error, "contacts with the ground", sizeof *g);
    sim->ground = g;
    g->due = calloc(n + 1, sizeof *g->due);
    g->rows = calloc(WORLD_HITS * n + 1, sizeof *g->rows); /* untouched pages cost nothing */
    g->touched = calloc(n + 1, sizeof *g->touched);
    g->near = calloc(n + 1, sizeof *g->near);
    const size_t bytes = n * (WORLD_HITS * sizeof *g->rows + sizeof *g->due + 2 * sizeof *g->touched);
    if (g->due == NULL || g->rows == NULL || g->touched == NULL || g->near == NULL)
        return vxe_fail_memory(error, "contacts with the ground", bytes);
    sim->bytes += bytes;
    return VXE_OK;
}

void vxe_ground_destroy(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    free(g->due);
    free(g->rows);
    free(g->touched);
    free(g->near);
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

/* m: no surface is nearer to a voxel's centre than this. `reach`: from where one would touch. */
static double clearance(const vxe_sim *sim, int32_t v, double reach)
{
    const model_world *world = sim->model->world;
    const double l = sim->model->view.pitch;
    const double at[3] = {sim->position[0][v], sim->position[1][v], sim->position[2][v]};
    double clear = world != NULL ? vxe_world_clear(world, at) : INFINITY;
    if (clear < reach + 0.25 * LOOK_FURTHER * l) {
        world_hit hits[WORLD_HITS];
        double nearest = reach + LOOK_FURTHER * l;
        const int count = vxe_world_near(world, at, nearest, hits);
        for (int i = 0; i < count; i++) {
            if (hits[i].surface.distance < nearest) nearest = hits[i].surface.distance;
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

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

/* Everything is looked at again. */
static void start_again(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    g->touched_count = 0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        g->due[v] = -INFINITY;
        bool touches = false;
        for (int i = 0; i < WORLD_HITS; i++) touches = touches || sim->touch_place[i][v] != 0;
        if (touches) g->touched[g->touched_count++] = v;
    }
    g->way = 0.0;
    g->near_until = -INFINITY;
    g->largest = 0.0;
    g->stale = 0;
}

/* Two directions along a surface. */
static void set_frame(ground_row *row, vec3 n)
{
    const vec3 least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (vec3){1.0, 0.0, 0.0}
                       : fabs(n.y) <= fabs(n.z)                         ? (vec3){0.0, 1.0, 0.0}
                                                                        : (vec3){0.0, 0.0, 1.0};
    const vec3 side = vec3_cross(n, least);
    row->axes[0] = vec3_scale(1.0 / sqrt(vec3_dot(side, side)), side);
    row->axes[1] = vec3_cross(n, row->axes[0]);
    row->axes[2] = n;
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
        ground_row *row = &rows[i];
        row->voxel = v;
        row->place = hits[i].place;
        row->stuck = 0;
        row->count = (uint8_t)(i == 0 ? count : 0);
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
        set_frame(row, hits[i].surface.normal);
        double still = 0.0;
        double sliding = 0.0;
        if (row->place != FLOOR_PLACE &&
            vxe_world_friction(sim->model->world, row->place, &still, &sliding)) {
            row->still = sqrt(row->still * still);
            row->sliding = sqrt(row->sliding * sliding);
        }
    }
    g->row_count += count;
}

/* Voxels that are not listed need not be looked at until `way` is as much further, pitches. */
#define NEAR_WAY 0.05

static void list_near(vxe_sim *sim)
{
    ground_contacts *g = sim->ground;
    const collider *c = sim->collider;
    g->near_until = g->way + NEAR_WAY * sim->model->view.pitch;
    g->near_count = 0;
    for (int32_t i = 0; i < c->candidate_count; i++) {
        const int32_t v = c->candidates[i];
        if (sim->free_faces[v] == 0) continue; /* some schemes have these, too */
        if (!(g->due[v] > g->near_until)) g->near[g->near_count++] = v;
    }
}

void vxe_ground_find(vxe_sim *sim, double margin, double growth)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    if (g->stale != 0) start_again(sim);
    const double largest = 1.000001 * (0.5 * sim->model->view.pitch * (1.0 + growth) + margin);
    g->way += 1e-9 * sim->model->view.pitch + (largest > g->largest ? largest - g->largest : 0.0);
    g->largest = largest;
    g->row_count = 0;
    if (g->way > g->near_until) list_near(sim);
    for (int32_t i = 0; i < g->near_count; i++) {
        const int32_t v = g->near[i];
        if (g->due[v] > g->way) continue;
        world_hit hits[WORLD_HITS];
        const int count = find_hits(sim, v, margin, hits);
        if (count > 0) {
            add_rows(sim, v, hits, count);
            continue;
        }
        g->due[v] = g->way + 0.999 * (clearance(sim, v, largest) - largest);
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

/* By how much the depth may be off from one step to the next: the square of the way in pitches, for as round
 * as an edge is to a voxel that touches it, 2/l, a way w takes it off by 2/l w^2/8; and round-off, pitches.
 */
#define CURVED 0.25
#define STEADY 1e-6

/* What rows take over from those of the step before: each from one at its own place, if that had come as
 * deep, or else from one of the same surface that has no successor; where there are several, from that whose
 * depth is nearest. Places alone do not tell: cubes of a solid share them, and two rows may pass each other's
 * cell. One that is found deeper than what it goes on from had come counts from deeper: the surface has
 * jumped, which gives no energy. */
static void inherit(const vxe_sim *sim, const step_context *context, ground_row *rows)
{
    const int32_t v = rows->voxel;
    const int count = rows->count;
    const double l = sim->model->view.pitch;
    const double way = context->before * vec3_length(rows->before);
    const double steady = CURVED * way * way / l + STEADY * l;
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
            rows[row].rest = sim->touch_rest[from][v];
            rows[row].held = sim->touch_energy[from][v];
            const double jump = rows[row].half - came[from];
            if (jump > steady) rows[row].rest += jump;
        }
    }
    for (int i = 0; i < count; i++) {
        if (!found[i]) rows[i].rest = -1.0; /* it counts from where it is found */
    }
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
        /* what is found in contact starts without energy stored */
        const double deep = row->half > 0.0 ? row->half : 0.0;
        if (row->rest < 0.0 || deep < row->rest) row->rest = deep;
        row->depth -= row->rest;
        row->half -= row->rest;
    }
}

static rvec in_frame(const ground_row *row, vec3 v, double across)
{
    return (rvec){across * vec3_dot(row->axes[0], v), across * vec3_dot(row->axes[1], v),
                  vec3_dot(row->axes[2], v)};
}

static vec3 out_of_frame(const ground_row *row, rvec v)
{
    return vec3_add(vec3_scale(v.x, row->axes[0]),
                    vec3_add(vec3_scale(v.y, row->axes[1]), vec3_scale(v.z, row->axes[2])));
}

/* What a row's force has done to the velocity of its voxel, as far as solving the row knows: where one is
 * held or belongs to a part, what friction does along the normal and the normal force along the surface
 * counts as if others did it, or the force would not be that of the depth it leads to. */
static vec3 moved_by(const ground_row *row)
{
    if (!row->coupled) return vec3_scale(row->mobility, row->force);
    const rvec push = in_frame(row, row->force, 1.0);
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
    /* velocities along the surface count as if it yielded there as it does along the normal: forces are right
     * then */
    const double alike = row->mobility / row->across;
    const voxel_constants c = {row->mobility, t->inverse_inertia, 0.0,         row->stiffness,
                               row->damping,  row->still,         row->sliding};
    const floor_step times = {0.5 * context->before, 0.5 * context->step, context->kick,
                              sim->model->view.pitch, 1.0};
    const vec3 own = vec3_scale(context->kick, moved_by(row));
    const rvec free = in_frame(row, vec3_sub(vec3_from(vxe_body_now(sim, body)), own), alike);
    const rvec before = in_frame(row, row->before, alike);
    const rvec push = rvec_scale(1.0 / (context->kick * row->mobility), rvec_sub(free, before));
    const floor_contact contact =
        voxel_on_floor(before, free, push, row->depth, row->stuck != 0, row->stuck == STUCK_FRESH, c, times);
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

/* ---- after it ------------------------------------------------------------------------------------------------------- */

/* As of pairs: contact.c. */
static void book_row(vxe_sim *sim, const step_context *context, const ground_row *row, double normal,
                     double parting, double after, contact_spring spring)
{
    const double was = vec3_dot(row->before, row->axes[2]);
    const double energy = contact_energy(after, spring);
    const double held = contact_energy(row->half, spring);
    double swelling = 0.0;
    if (sim->model->actuated_count > 0) {
        const int32_t v = row->voxel;
        const double grown = 0.5 * sim->model->view.pitch * (sim->growth[0][v] - sim->growth_before[0][v]);
        swelling = held - contact_energy(row->half - grown, spring);
        if (swelling < -row->held) swelling = -row->held; /* the depth from which it counts has come down */
    }
    const double geometry = held - swelling - row->held;
    const double work = 0.5 * context->kick * normal * (was + parting);
    const double shift = 0.25 * (context->before - context->step) * normal * (parting - was);
    const double made = energy - held + work - shift;
    sim->last.shift += shift;
    sim->last.lost_work -= shift;
    sim->last.contact += energy;
    sim->last.swelling += swelling;
    sim->last.gained += (geometry > 0.0 ? geometry : 0.0) + (made > 0.0 ? made : 0.0);
}

static void close_row(vxe_sim *sim, const step_context *context, const ground_row *row, int slot)
{
    const int32_t v = row->voxel;
    const vec3 now = vec3_from(vxe_body_now(sim, &sim->collider->bodies[row->body]));
    const double parting = vec3_dot(now, row->axes[2]);
    const double after = row->depth - 0.5 * context->step * parting;
    const double normal = vec3_dot(row->force, row->axes[2]);
    const contact_spring spring = floor_spring(row->stiffness, sim->model->view.pitch);
    if (sim->def.audit) book_row(sim, context, row, normal, parting, after, spring);
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
    sim->touch_energy[slot][v] = contact_energy(after, spring);
    sim->touch_distance[slot][v] = half_size(sim, v) - (row->rest + after);
}

void vxe_ground_close(vxe_sim *sim, const step_context *context)
{
    ground_contacts *g = sim->ground;
    if (g == NULL) return;
    for (int32_t i = 0; i < g->touched_count; i++) {
        for (int slot = 0; slot < WORLD_HITS; slot++) {
            if (sim->touch_place[slot][g->touched[i]] == 0) continue;
            sim->touch_place[slot][g->touched[i]] = 0;
            sim->touch_stuck[slot][g->touched[i]] = 0;
            sim->touch_rest[slot][g->touched[i]] = 0.0;
            sim->touch_energy[slot][g->touched[i]] = 0.0;
            sim->touch_distance[slot][g->touched[i]] = 0.0;
        }
    }
    g->touched_count = 0;
    for (int32_t i = 0; i < g->row_count; i += g->rows[i].count) {
        for (int slot = 0; slot < g->rows[i].count; slot++) close_row(sim, context, &g->rows[i + slot], slot);
        g->touched[g->touched_count++] = g->rows[i].voxel;
    }
}
