/* What rules do with all that has happened in a step: forces on voxels and of cilia, which last for the next
 * step, and the end of the run. */
#include "sim/life.h"

#include <math.h>
#include <string.h>

static void push(vxe_sim *sim, int32_t r)
{
    const model_rule *rule = &sim->model->rules[r];
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (!vxe_rule_is_about(sim, r, v) || !vxe_rule_allows(sim, r, &rule->when, v)) continue;
        const double force = vxe_rule_value(sim, r, &rule->value, v);
        if (!isfinite(force)) continue;
        for (int a = 0; a < 3; a++) sim->pushed[a][v] += force * rule->def.direction[a];
    }
}

static void stroke(vxe_sim *sim, int32_t r)
{
    const model_rule *rule = &sim->model->rules[r];
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (!vxe_rule_is_about(sim, r, v)) continue;
        const double factor = vxe_rule_value(sim, r, &rule->value, v);
        sim->stroke[0][v] = isfinite(factor) ? factor : 0.0;
    }
}

void vxe_rules_push(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    sim->life->sensed = false; /* bodies may have changed since */
    for (int a = 0; a < 3; a++)
        memset(sim->pushed[a], 0, (size_t)m->view.voxel_count * sizeof sim->pushed[a][0]);
    for (int32_t r = 0; r < m->rule_count; r++) {
        if (!vxe_rule_acts(sim, r)) continue;
        if (m->rules[r].def.kind == VXE_RULE_PUSH) push(sim, r);
        if (m->rules[r].def.kind == VXE_RULE_CILIA && m->rules[r].value.count > 0) stroke(sim, r);
    }
}

void vxe_rules_end(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const model_rule *rule = &m->rules[r];
        if (rule->def.kind != VXE_RULE_END || !vxe_rule_is_due(sim, r)) continue;
        bool any = false;
        for (int32_t v = 0; v < m->view.voxel_count && !any; v++)
            any = vxe_rule_is_about(sim, r, v) && vxe_rule_allows(sim, r, &rule->when, v);
        if (!any) sim->life->counts.ended = 1;
    }
}
