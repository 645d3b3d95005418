/* Links that yield, before the stages that need their elastic strains; and links that break: marked by the
 * sweep, taken out of the body between two steps. */
#include "kernel/material.h"
#include "kernel/strain.h"
#include "sim/collide.h"
#include "sim/pressure.h"

#include <string.h>

#define MARKED 2

void vxe_note_event(vxe_sim *sim, vxe_event_kind kind, int axis, int32_t voxel)
{
    const int32_t link = (int32_t)axis * sim->model->view.voxel_count + voxel;
    sim->events[sim->event_count++] = (vxe_event){sim->last_time, link, (int32_t)kind};
}

/* m: by how much the link between two voxels is longer than without load. */
static double stretch_of(const vxe_sim *sim, int32_t v, int32_t far)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        const double d = sim->position[i][far] - sim->position[i][v];
        square += d * d;
    }
    return __builtin_sqrt(square) -
           link_rest_length(sim->model->view.pitch, sim->growth[0][v], sim->growth[0][far]);
}

/* One link that can yield. Returns by how much its plastic strain grows. */
static double yield_link(vxe_sim *sim, int a, int32_t v, const link_class *c)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const int32_t far = m->next[a][v];
    const double strain = stretch_of(sim, v, far) / l;
    plastic_state state = {sim->plastic[a][v], sim->hardening[a][v]};
    const double before = state.strain;
    if (!plastic_update(&state, strain, c->youngs, m->flow_strain + c->flow_begin,
                        m->flow_stress + c->flow_begin, c->flow_count))
        return 0.0;
    sim->plastic[a][v] = state.strain;
    sim->hardening[a][v] = state.accumulated;
    if (sim->yielded[a][v] == 0) {
        sim->yielded[a][v] = 1;
        vxe_note_event(sim, VXE_EVENT_YIELD, a, v);
        sim->yielded_count++;
    }
    return state.strain - before;
}

static bool can_yield(const vxe_sim *sim, int a, int32_t v)
{
    const uint32_t kind = sim->link_kind[a][v];
    return kind != 0 && sim->model->classes[kind - 1].flow_count > 0;
}

void vxe_yield_links(vxe_sim *sim, const step_context *context)
{
    (void)context;
    const vxe_model *m = sim->model;
    if (!m->nonlinear) return;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (!can_yield(sim, a, v)) continue;
            const double flow = yield_link(sim, a, v, &m->classes[sim->link_kind[a][v] - 1]);
            if (sim->flow[a] != NULL) sim->flow[a][v] = flow;
        }
    }
}

void vxe_yield_newcomers(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    for (int a = 0; a < 3 && m->nonlinear; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (can_yield(sim, a, v) &&
                (sim->born[0][v] == sim->time || sim->born[0][m->next[a][v]] == sim->time))
                (void)yield_link(sim, a, v, &m->classes[sim->link_kind[a][v] - 1]);
        }
    }
}

/* What flowing took: the mean of the tensions before and after, over the way that it gave. With the energies
 * that the account counts this is exact, however far a step overshoots the yield stress. */
void vxe_book_yield(vxe_sim *sim, const step_context *context)
{
    (void)context;
    const vxe_model *m = sim->model;
    if (sim->flow[0] == NULL) return;
    const double l = m->view.pitch;
    tree_sum taken = {.count = 0}; /* of links, axis by axis */
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (!can_yield(sim, a, v)) {
                sum_add(&taken, 0.0);
                continue;
            }
            const link_class *c = &m->classes[sim->link_kind[a][v] - 1];
            const int32_t far = m->next[a][v];
            const double elastic = link_elastic_stretch(stretch_of(sim, v, far), l, sim->plastic[a][v]);
            double tension = link_axial_force(c->ka, elastic);
            if (m->environment.elasticity == VXE_ELASTICITY_SOLID)
                tension += l * l *
                           link_pressure_force(c->near_weight, sim->pressure[0][v], c->far_weight,
                                               sim->pressure[0][far]);
            sum_add(&taken, 0.5 * (sim->pulled[a][v] + tension) * l * sim->flow[a][v]);
            sim->pulled[a][v] = tension;
        }
    }
    sim->last.plastic += sum_total(&taken);
}

/* One more face of a voxel has no link. */
static void open_face(vxe_sim *sim, int32_t v)
{
    uint8_t *class = &sim->own_pressure_class[0][v];
    sim->own_free_faces[0][v]++;
    if (*class != PRESSURE_CLAMPED - 1 && *class != PRESSURE_CLASSES - 1) (*class)++;
}

static void take_out(vxe_sim *sim, int a, int32_t v)
{
    sim->own_kind[a][v] = 0;
    open_face(sim, v);
    open_face(sim, sim->model->next[a][v]);
}

/* Whether one end of a link is not there, or has grown apart from the other. */
static bool is_loose(const vxe_sim *sim, int a, int32_t v)
{
    if (sim->alive[0] == NULL || sim->model->link_kind[a][v] == 0) return false;
    return sim->alive[0][v] == 0 || sim->alive[0][sim->model->next[a][v]] == 0 || sim->unjoined[a][v] != 0;
}

void vxe_restore_links(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    sim->broken_count = 0;
    sim->yielded_count = 0;
    if (sim->own_kind[0] == NULL) return;
    for (int a = 0; a < 3; a++) memcpy(sim->own_kind[a], m->link_kind[a], n * sizeof(uint32_t));
    memcpy(sim->own_free_faces[0], m->free_faces, n);
    memcpy(sim->own_pressure_class[0], m->pressure_class, n);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->broken[a][v] != 0 || is_loose(sim, a, v)) take_out(sim, a, v);
            sim->broken_count += sim->broken[a][v] != 0;
            sim->yielded_count += sim->yielded[a][v];
        }
    }
    vxe_links_changed(sim);
}

void vxe_break_links(vxe_sim *sim, const step_context *context)
{
    if (sim->last.failed == 0) return;
    vxe_state_read(sim, STATE_SET(broken));
    const vxe_model *m = sim->model;
    /* with the account: what the body holds, in the middle of the step that is over, with and without them */
    const double before = sim->def.audit ? vxe_elastic_before(sim, 0.5 * context->step, BODY_CHANGES) : 0.0;
    bool any = false;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->broken[a][v] != MARKED) continue;
            sim->broken[a][v] = 1;
            vxe_note_event(sim, VXE_EVENT_BREAK, a, v);
            take_out(sim, a, v);
            sim->broken_count++;
            any = true;
        }
    }
    if (any) {
        vxe_links_changed(sim);
        vxe_collider_links_changed(sim);
        vxe_pressure_prepare(sim);
    }
    if (sim->def.audit)
        sim->account.dissipated += before - vxe_elastic_before(sim, 0.5 * context->step, BODY_CHANGED);
}
