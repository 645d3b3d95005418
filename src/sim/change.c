/* Bodies that change while they move: links that are cut, and a state that goes on in another scene. */
#include "base/base.h"
#include "base/vec.h"
#include "model/rigid.h"
#include "sim/collide.h"
#include "sim/drive.h"
#include "sim/life.h"
#include "sim/pressure.h"
#include "voxelastic/drive.h"

#include <stdlib.h>
#include <string.h>

/* In `broken`: to be taken out by vxe_break_links(). */
#define MARKED 2

/* ---- cutting ---------------------------------------------------------------------------------------------- */

/* Pairs as they are, from a collider with room for surface voxels only to one with room for all. */
static vxe_result widen_collider(vxe_sim *sim, vxe_error *error)
{
    collider *old = sim->collider;
    if (old == NULL) return VXE_OK;
    sim->collider = NULL;
    const vxe_result result = vxe_collider_create(sim, error);
    if (result != VXE_OK) {
        vxe_collider_destroy(sim);
        sim->collider = old;
        return result;
    }
    vxe_collider_reset(sim);
    collider *c = sim->collider;
    const size_t count = (size_t)old->list.count;
    c->list.count = old->list.count;
    memcpy(c->list.first, old->list.first, count * sizeof *c->list.first);
    memcpy(c->list.second, old->list.second, count * sizeof *c->list.second);
    memcpy(c->list.state, old->list.state, count * sizeof *c->list.state);
    c->tests = old->tests;
    c->rebuilds = old->rebuilds;
    sim->collider = old;
    vxe_collider_destroy(sim);
    sim->collider = c;
    vxe_contacts_refresh(sim);
    return VXE_OK;
}

vxe_result vxe_links_own(vxe_sim *sim, vxe_error *error)
{
    if (sim->own_kind[0] != NULL) return VXE_OK;
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count + 16; /* vectors may reach beyond the last */
    uint32_t *kind[3] = {NULL, NULL, NULL};
    vxe_event *events = vxe_allocate(2 * (size_t)m->view.link_count + 1, sizeof *events);
    bool ok = events != NULL;
    for (int a = 0; a < 3; a++) {
        kind[a] = vxe_allocate(n, sizeof **kind);
        ok = ok && kind[a] != NULL;
    }
    uint8_t *parts[8] = {NULL};
    for (int i = 0; i < 8 && ok; i++) {
        parts[i] = vxe_allocate(n, 1);
        ok = parts[i] != NULL;
    }
    for (int a = 0; a < 3 && ok; a++) sim->own_kind[a] = kind[a]; /* the collider makes room by it */
    vxe_result result =
        ok ? widen_collider(sim, error) : vxe_fail_memory(error, "links that can be cut", 20 * n);
    if (result != VXE_OK) {
        for (int a = 0; a < 3; a++) {
            sim->own_kind[a] = NULL;
            free(kind[a]);
        }
        for (int i = 0; i < 8; i++) free(parts[i]);
        free(events);
        return result;
    }
    for (int a = 0; a < 3; a++) {
        sim->link_kind[a] = sim->own_kind[a];
        sim->broken[a] = parts[a];
        sim->yielded[a] = parts[3 + a];
    }
    sim->own_free_faces[0] = parts[6];
    sim->own_pressure_class[0] = parts[7];
    sim->free_faces = sim->own_free_faces[0];
    sim->pressure_class = sim->own_pressure_class[0];
    sim->events = events;
    sim->event_count = 0;
    sim->bytes += 20 * n + 2 * (size_t)m->view.link_count * sizeof *events;
    vxe_restore_links(sim);
    return VXE_OK;
}

void vxe_links_disown(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (m->nonlinear || m->changes || sim->own_kind[0] == NULL) return;
    for (int a = 0; a < 3; a++) {
        free(sim->own_kind[a]);
        free(sim->broken[a]);
        free(sim->yielded[a]);
        sim->own_kind[a] = NULL;
        sim->broken[a] = NULL;
        sim->yielded[a] = NULL;
        sim->link_kind[a] = m->link_kind[a];
    }
    free(sim->own_free_faces[0]);
    free(sim->own_pressure_class[0]);
    free(sim->events);
    sim->own_free_faces[0] = NULL;
    sim->own_pressure_class[0] = NULL;
    sim->events = NULL;
    sim->event_count = 0;
    sim->broken_count = 0;
    sim->free_faces = m->free_faces;
    sim->pressure_class = m->pressure_class;
    vxe_links_changed(sim);
    vxe_collider_links_changed(sim);
}

vxe_result vxe_sim_break_link(vxe_sim *sim, vxe_axis axis, int32_t voxel, vxe_error *error)
{
    if (sim == NULL || (unsigned)axis > VXE_AXIS_Z || voxel < 0 || voxel >= sim->model->view.voxel_count)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_break_link: no such voxel or axis");
    if (sim->link_kind[axis][voxel] == 0) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "no link along %c starts at voxel %d", 'x' + (int)axis,
                        (int)voxel);
    }
    const vxe_result result = vxe_links_own(sim, error);
    if (result != VXE_OK) return result;
    const double began = sim->last_time;
    sim->broken[axis][voxel] = MARKED;
    sim->last.failed = 1;
    sim->last_time = sim->time; /* when the event happened */
    vxe_break_links(sim, &(step_context){.step = sim->last_dt});
    sim->last.failed = 0;
    sim->last_time = began;
    return VXE_OK;
}

/* ---- carrying over ---------------------------------------------------------------------------------------- */

typedef struct carrier {
    vxe_sim *to;
    const vxe_sim *from;
    int32_t *source; /* the voxel of `from` at the same place, or -1, (voxels of `to`) */
    int32_t *queue;  /* voxels that have their pose, (voxels of `to`) */
    uint8_t *placed; /* 1: it is in the queue */
} carrier;

static void copy_voxel(const carrier *c, int32_t v, int32_t w)
{
    vxe_sim *to = c->to;
    const vxe_sim *from = c->from;
    const uint8_t plane = vxe_plane_dofs(to->model->environment.plane);
    for (int a = 0; a < 3; a++) {
        if ((vxe_held_by_scene(to->model, v) >> a & 1) == 0 ||
            (vxe_held_by_scene(from->model, w) >> a & 1) != 0)
            to->position[a][v] = from->position[a][w];
        to->velocity[a][v] = (plane >> a & 1) != 0 ? 0.0 : from->velocity[a][w];
        to->spin[a][v] = (plane >> (a + 3) & 1) != 0 ? 0.0 : from->spin[a][w];
    }
    for (int i = 0; i < 4; i++) to->orientation[i][v] = from->orientation[i][w];
    to->growth[0][v] = from->growth[0][w];
    to->pressure[0][v] = from->pressure[0][w];
    to->stuck[0][v] = from->stuck[0][w];
    for (int a = 0; from->applied[0] != NULL && a < 3; a++) to->applied[a][v] = from->applied[a][w];
}

static void copy_targets(const carrier *c)
{
    const sim_control *from = c->from->control;
    if (from == NULL) return;
    sim_control *to = c->to->control;
    for (int32_t i = 0; i < c->to->model->actuated_count; i++) {
        const int32_t w = c->source[c->to->model->actuated_voxel[i]];
        const int32_t k = w >= 0 ? vxe_find_actuated(c->from->model, w) : -1;
        if (k < 0) continue;
        to->from[i] = from->from[k];
        to->to[i] = from->to[k];
        to->begin[i] = from->begin[k];
        to->rate[i] = from->rate[k];
    }
    vxe_control_review(c->to);
}

/* Plastic strain, and links that are no more. */
static void copy_links(const carrier *c)
{
    vxe_sim *to = c->to;
    const vxe_sim *from = c->from;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < to->model->view.voxel_count; v++) {
            const int32_t w = c->source[v];
            if (w < 0 || to->model->link_kind[a][v] == 0 || from->model->link_kind[a][w] == 0) continue;
            if (to->plastic[a] != NULL && from->plastic[a] != NULL) {
                to->plastic[a][v] = from->plastic[a][w];
                to->hardening[a][v] = from->hardening[a][w];
            }
            if (from->broken[a] == NULL) continue;
            if (from->yielded[a][w] != 0 && to->plastic[a] != NULL) {
                to->yielded[a][v] = 1;
                vxe_note_event(to, VXE_EVENT_YIELD, a, v);
            }
            if (from->broken[a][w] != 0) {
                to->broken[a][v] = 1;
                vxe_note_event(to, VXE_EVENT_BREAK, a, v);
            }
        }
    }
    vxe_restore_links(to);
}

/* A new voxel beside one that has its pose: where a rigid body would have it, moving with it. */
void vxe_place_beside(vxe_sim *to, int32_t v, int32_t near, int a, double side)
{
    const double l = to->model->view.pitch;
    const quat q = {to->orientation[0][near], to->orientation[1][near], to->orientation[2][near],
                    to->orientation[3][near]};
    const double length = side * l * (1.0 + 0.5 * (to->growth[0][near] + to->growth[0][v]));
    const vec3 arm =
        quat_rotate(q, vec3_make(a == 0 ? length : 0.0, a == 1 ? length : 0.0, a == 2 ? length : 0.0));
    const vec3 spin = vec3_make(to->spin[0][near], to->spin[1][near], to->spin[2][near]);
    const vec3 turn = vec3_cross(spin, arm);
    const double arms[3] = {arm.x, arm.y, arm.z};
    const double turns[3] = {turn.x, turn.y, turn.z};
    for (int i = 0; i < 3; i++) {
        if ((vxe_held_by_scene(to->model, v) >> i & 1) == 0) {
            to->position[i][v] = to->position[i][near] + arms[i];
            to->velocity[i][v] = to->velocity[i][near] + turns[i];
        }
        if ((vxe_held_by_scene(to->model, v) >> (i + 3) & 1) == 0) to->spin[i][v] = to->spin[i][near];
    }
    for (int i = 0; i < 4 && (vxe_held_by_scene(to->model, v) & VXE_DOF_TURN) == 0; i++)
        to->orientation[i][v] = to->orientation[i][near];
    to->stuck[0][v] = 0;
}

/* New voxels, layer after layer from those that were there. */
static void place_new(const carrier *c)
{
    vxe_sim *to = c->to;
    const vxe_model *m = to->model;
    int32_t count = 0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        c->placed[v] = c->source[v] >= 0;
        if (c->placed[v] != 0) c->queue[count++] = v;
    }
    for (int32_t next = 0; next < count; next++) {
        const int32_t v = c->queue[next];
        for (int a = 0; a < 3; a++) {
            for (int side = 0; side < 2; side++) {
                int32_t cell[3] = {m->cell[0][v], m->cell[1][v], m->cell[2][v]};
                cell[a] += side == 0 ? 1 : -1;
                const int32_t w = vxe_model_voxel_at(m, cell[0], cell[1], cell[2]);
                if (w < 0 || c->placed[w] != 0 || to->link_kind[a][side == 0 ? v : w] == 0) continue;
                vxe_place_beside(to, w, v, a, side == 0 ? 1.0 : -1.0);
                c->placed[w] = 1;
                c->queue[count++] = w;
            }
        }
    }
}

/* Time, and edits of what has the same name. */
static void copy_rest(const carrier *c)
{
    vxe_sim *to = c->to;
    const vxe_sim *from = c->from;
    to->time = from->time;
    to->step = from->step;
    to->last_dt = from->last_dt;
    to->watch.growth_lag = from->watch.growth_lag; /* what has grown has */
    memcpy(to->environment.gravity, from->environment.gravity, sizeof to->environment.gravity);
    to->environment.damping_stretch = from->environment.damping_stretch;
    to->environment.damping_rotation = from->environment.damping_rotation;
    to->environment.damping_contact = from->environment.damping_contact;
    to->environment.damping_ground = from->environment.damping_ground;
    for (int32_t s = 0; s < to->model->view.signal_count; s++) {
        const int32_t k = vxe_model_find_signal(from->model, to->model->signals[s].def.name);
        if (k >= 0) to->signals[s] = from->signals[k];
    }
    for (int32_t r = 0; r < to->model->view.region_count; r++) {
        const int32_t k = vxe_model_find_region(from->model, to->model->regions[r].def.name);
        if (k < 0 || to->model->regions[r].def.fixed != from->model->regions[k].def.fixed) continue;
        to->regions[r] = from->regions[k];
        to->regions[r].turn_most = vxe_region_turn_most(to->model, r);
    }
}

static vxe_result make_room(const carrier *c, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (c->from->applied[0] != NULL) result = vxe_applied_prepare(c->to, error);
    if (result == VXE_OK && c->from->control != NULL) result = vxe_control_prepare(c->to, error);
    if (result == VXE_OK && c->from->broken_count > 0) result = vxe_links_own(c->to, error);
    return result;
}

vxe_result vxe_sim_carry(vxe_sim *to, const vxe_sim *from, vxe_error *error)
{
    if (to == NULL || from == NULL || to == from)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_carry: NULL, or one simulation twice");
    if (to->model->view.pitch != from->model->view.pitch) {
        return vxe_fail(error, VXE_ERROR_INPUT, "a state of pitch %g m cannot go on at pitch %g m",
                        from->model->view.pitch, to->model->view.pitch);
    }
    const size_t n = (size_t)to->model->view.voxel_count;
    carrier c = {to, from, calloc(n + 1, sizeof(int32_t)), calloc(n + 1, sizeof(int32_t)), calloc(n + 1, 1)};
    if (c.source == NULL || c.queue == NULL || c.placed == NULL) {
        free(c.source);
        free(c.queue);
        free(c.placed);
        return vxe_fail_memory(error, "carrying a state over", n * 9);
    }
    vxe_result result = make_room(&c, error);
    if (result == VXE_OK) {
        vxe_sim_reset(to);
        copy_rest(&c);
        for (int32_t v = 0; v < to->model->view.voxel_count; v++) {
            const int32_t *const *cell = to->model->view.cell;
            c.source[v] = vxe_model_voxel_at(from->model, cell[0][v], cell[1][v], cell[2][v]);
        }
        vxe_life_carry_voxels(to, from, c.source);
        for (int32_t v = 0; v < to->model->view.voxel_count; v++) {
            if (c.source[v] >= 0) copy_voxel(&c, v, c.source[v]);
        }
        vxe_life_carry(to, from, c.source);
        copy_links(&c);
        copy_targets(&c);
        place_new(&c);
        to->account.started = 0;
        vxe_damping_choose(to);
        vxe_sim_refresh_tables(to);
        vxe_pressure_prepare(to);
        vxe_collider_links_changed(to);
        vxe_state_wrote(to, vxe_state_with(STATE_DEVICE));
        vxe_time_step_update(to);
    }
    free(c.source);
    free(c.queue);
    free(c.placed);
    return result;
}
