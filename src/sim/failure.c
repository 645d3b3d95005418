/* Links that break: marked by the link stage, taken out of the body between two steps. */
#include "sim/collide.h"
#include "sim/pressure.h"

#include <string.h>

#define MARKED 2

void vxe_note_event(vxe_sim *sim, vxe_event_kind kind, int axis, int32_t voxel)
{
    const int32_t link = (int32_t)axis * sim->model->view.voxel_count + voxel;
    sim->events[sim->event_count++] = (vxe_event){sim->last_time, link, (int32_t)kind};
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
    vxe_collider_links_changed(sim);
    vxe_pressure_prepare(sim);
}
