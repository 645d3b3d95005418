/* Links that break: marked by the link stage, taken out of the body between two steps. */
#include "sim/collide.h"
#include "sim/pressure.h"

#define MARKED 2

/* One more face of a voxel has no link. */
static void open_face(vxe_sim *sim, int32_t v)
{
    uint8_t *class = &sim->own_pressure_class[v];
    sim->own_free_faces[v]++;
    if (*class != PRESSURE_CLAMPED - 1 && *class != PRESSURE_CLASSES - 1) (*class)++;
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
            sim->own_kind[a][v] = 0;
            open_face(sim, v);
            open_face(sim, m->next[a][v]);
            sim->broken_count++;
            any = true;
        }
    }
    if (!any) return;
    sim->account.broke = 1;
    vxe_collider_links_changed(sim);
    vxe_pressure_prepare(sim);
}
