/* Links that yield, before the stages that need their elastic strains; and links that break: marked by the
 * sweep, taken out of the body between two steps. */
#include "kernel/material.h"
#include "sim/collide.h"
#include "sim/pressure.h"

#include <string.h>

#define MARKED 2

void vxe_note_event(vxe_sim *sim, vxe_event_kind kind, int axis, int32_t voxel)
{
    const int32_t link = (int32_t)axis * sim->model->view.voxel_count + voxel;
    sim->events[sim->event_count++] = (vxe_event){sim->last_time, link, (int32_t)kind};
}

/* One link that can yield. Returns the energy that takes, J. */
static double yield_link(vxe_sim *sim, int a, int32_t v, const link_class *c)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const int32_t far = m->next[a][v];
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        const double d = sim->position[i][far] - sim->position[i][v];
        square += d * d;
    }
    const double rest = l * (1.0 + 0.5 * (sim->growth[0][v] + sim->growth[0][far]));
    const double strain = (__builtin_sqrt(square) - rest) / l;
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
    const double mean = strain - 0.5 * (state.strain + before); /* of the elastic strain while it flowed */
    /* work of the whole tension; the pressure is that of the step before */
    const double shared = c->near_weight * sim->pressure[0][v] + c->far_weight * sim->pressure[0][far];
    return l * l * (c->ka * mean + l * shared) * (state.strain - before);
}

void vxe_yield_links(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (!m->nonlinear) return;
    double taken = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0 || m->classes[kind - 1].flow_count == 0) continue;
            taken += yield_link(sim, a, v, &m->classes[kind - 1]);
        }
    }
    sim->last.plastic += taken;
}

/* One more face of a voxel has no link. */
static void open_face(vxe_sim *sim, int32_t v)
{
    uint8_t *class = &sim->own_pressure_class[v];
    sim->own_free_faces[v]++;
    if (*class != PRESSURE_CLAMPED - 1 && *class != PRESSURE_CLASSES - 1) (*class)++;
}

static void take_out(vxe_sim *sim, int a, int32_t v)
{
    sim->own_kind[a][v] = 0;
    open_face(sim, v);
    open_face(sim, sim->model->next[a][v]);
    sim->broken_count++;
}

void vxe_restore_links(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    sim->broken_count = 0;
    sim->yielded_count = 0;
    if (!m->nonlinear) return;
    for (int a = 0; a < 3; a++) memcpy(sim->own_kind[a], m->link_kind[a], n * sizeof(uint32_t));
    memcpy(sim->own_free_faces, m->free_faces, n);
    memcpy(sim->own_pressure_class, m->pressure_class, n);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->broken[a][v] != 0) take_out(sim, a, v);
            sim->yielded_count += sim->yielded[a][v];
        }
    }
    sim->backend->links_changed(sim);
}

void vxe_break_links(vxe_sim *sim)
{
    if (sim->last.failed == 0) return;
    const vxe_model *m = sim->model;
    bool any = false;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->broken[a][v] != MARKED) continue;
            sim->broken[a][v] = 1;
            vxe_note_event(sim, VXE_EVENT_BREAK, a, v);
            take_out(sim, a, v);
            any = true;
        }
    }
    if (!any) return;
    sim->account.broke = 1;
    sim->backend->links_changed(sim);
    vxe_collider_links_changed(sim);
    vxe_pressure_prepare(sim);
}
