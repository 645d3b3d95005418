/* Bodies: voxels that links and bonds join. How large they are, what comes apart, what becomes another. */
#include "sim/life.h"
#include "base/roots.h"

#include <string.h>

/* ---- how large ------------------------------------------------------------------------------------------------------ */

static void unite(int32_t *body, int32_t v, int32_t w)
{
    const int32_t a = vxe_root(body, v);
    const int32_t b = vxe_root(body, w);
    if (a < b) body[b] = a;
    if (b < a) body[a] = b;
}

void vxe_bodies_find(const vxe_sim *sim, int32_t *body)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const sim_life *life = sim->life;
    for (int32_t v = 0; v < n; v++) body[v] = v;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] != 0) unite(body, v, m->next[a][v]);
        }
    }
    for (int64_t i = 0; life != NULL && i < life->counts.bond_count; i++)
        unite(body, life->bonds[i].first, life->bonds[i].second);
    for (int32_t v = 0; v < n; v++) body[v] = vxe_root(body, v);
}

void vxe_bodies_sense(vxe_sim *sim)
{
    const int32_t n = sim->model->view.voxel_count;
    const int32_t *body = sim->life->body;
    double *size = sim->sense[SENSE_BODY];
    vxe_bodies_find(sim, sim->life->body);
    memset(size, 0, (size_t)n * sizeof *size);
    for (int32_t v = 0; v < n; v++) size[body[v]] += sim->alive[0][v] != 0 ? 1.0 : 0.0;
    for (int32_t v = 0; v < n; v++) size[v] = size[body[v]]; /* the first comes first */
}

/* ---- coming apart --------------------------------------------------------------------------------------------------- */

int64_t vxe_rules_mark(vxe_sim *sim, vxe_rule_kind kind)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    int64_t count = 0;
    bool cleared = false;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const model_rule *rule = &m->rules[r];
        if (rule->def.kind != kind || !vxe_rule_is_due(sim, r)) continue;
        if (!cleared) memset(life->marked, 0, (size_t)m->view.voxel_count);
        cleared = true;
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (!vxe_rule_is_about(sim, r, v) || life->marked[v] != 0) continue;
            if (rule->def.chance < 1.0 && vxe_rule_random(sim, r, v) >= rule->def.chance) continue;
            if (!vxe_rule_allows(sim, r, &rule->when, v)) continue;
            life->marked[v] = 1;
            count++;
        }
    }
    return count;
}

void vxe_links_cut(vxe_sim *sim, double step)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    if (vxe_rules_mark(sim, VXE_RULE_CUT) == 0) return;
    const double before = sim->def.audit ? vxe_elastic_before(sim, 0.5 * step, BODY_CHANGES) : 0.0;
    bool any = false;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            if (life->marked[v] == 0 && life->marked[m->next[a][v]] == 0) continue;
            sim->broken[a][v] = 1;
            vxe_note_event(sim, VXE_EVENT_BREAK, a, v);
            any = true;
        }
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        any = any || (life->marked[v] != 0 && life->bond_count[v] > 0);
        if (life->marked[v] != 0) vxe_bonds_drop(sim, v);
    }
    if (any) {
        vxe_life_restore(sim);
        vxe_life_bodies_changed(sim);
    }
    if (sim->def.audit) sim->account.dissipated += before - vxe_elastic_before(sim, 0.5 * step, BODY_CHANGED);
}

/* ---- becoming ------------------------------------------------------------------------------------------------------- */

void vxe_voxels_become(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    bool any = false;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const model_rule *rule = &m->rules[r];
        if (rule->def.kind != VXE_RULE_BECOME || !vxe_rule_is_due(sim, r)) continue;
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (!vxe_rule_is_about(sim, r, v) || m->materials[sim->role[0][v]].fixed) continue;
            if (rule->def.chance < 1.0 && vxe_rule_random(sim, r, v) >= rule->def.chance) continue;
            if (!vxe_rule_allows(sim, r, &rule->when, v)) continue;
            if (sim->role[0][v] == (uint32_t)rule->other) continue;
            sim->role[0][v] = (uint32_t)rule->other;
            any = true;
        }
    }
    if (!any) return;
    sim->life->turned++;
    vxe_life_restore(sim);
    vxe_life_bodies_changed(sim); /* machines keep what follows from materials */
}
