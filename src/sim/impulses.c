/* Impulses that spread from voxel to voxel through links and bonds. All that are due are passed on at once
 * and the largest that arrives counts, so the order of voxels does not matter. Times are those at which
 * things are due, not the ends of steps, so the speed does not depend on the step. */
#include "kernel/impulse.h"
#include "sim/life.h"

#include <string.h>

static impulse_law law_of(const vxe_sim *sim, int32_t v)
{
    const vxe_model *m = sim->model;
    const vxe_rule_def *def = &m->rules[m->materials[sim->role[0][v]].conducts - 1].def;
    return (impulse_law){def->delay, def->threshold, def->decay, def->refractory, def->fade, def->fade_every};
}

static bool conducts(const vxe_sim *sim, int32_t v)
{
    return sim->alive[0][v] != 0 && sim->model->materials[sim->role[0][v]].conducts != 0;
}

static impulse_state state_of(const vxe_sim *sim, int32_t v)
{
    return (impulse_state){sim->impulse[0][v], sim->nerve[0][v], sim->nerve[1][v], sim->nerve[2][v],
                           sim->nerve[3][v]};
}

static void keep_state(vxe_sim *sim, int32_t v, impulse_state s)
{
    sim->impulse[0][v] = s.value;
    sim->nerve[0][v] = s.pulse;
    sim->nerve[1][v] = s.due;
    sim->nerve[2][v] = s.resting;
    sim->nerve[3][v] = s.fade_due;
}

/* A pulse of one voxel is offered to another; of several the largest counts, of equal ones the first. */
static void offer(vxe_sim *sim, int32_t from, int32_t to)
{
    if (sim->life->marked[from] == 0 || !conducts(sim, to)) return;
    const double value = sim->nerve[0][from];
    const double due = sim->nerve[1][from] + law_of(sim, from).delay;
    double *best = &sim->offer[0][to];
    double *when = &sim->offer[1][to];
    if (value < *best || (value == *best && due >= *when)) return;
    *best = value;
    *when = due;
}

void vxe_impulse_force(vxe_sim *sim, int32_t v, double value, double due)
{
    if (!conducts(sim, v)) return;
    impulse_state s = state_of(sim, v);
    if (impulse_take(&s, law_of(sim, v), value, due, true)) keep_state(sim, v, s);
}

static void fire_pacemakers(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        if (def->kind != VXE_RULE_PACE || !vxe_rule_acts(sim, r)) continue;
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            double *next = &sim->nerve[4][v];
            if (sim->time < *next || !vxe_rule_is_about(sim, r, v)) continue;
            const double due = *next;
            while (*next <= sim->time) *next += def->period;
            if (vxe_rule_allows(sim, r, &m->rules[r].when, v)) vxe_impulse_force(sim, v, def->strength, due);
        }
    }
}

void vxe_impulses_spread(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    sim_life *life = sim->life;
    memset(sim->offer[0], 0, (size_t)n * sizeof(double));
    bool any = false;
    for (int32_t v = 0; v < n; v++) {
        const impulse_state s = state_of(sim, v);
        life->marked[v] = conducts(sim, v) && impulse_is_due(&s, sim->time);
        any = any || life->marked[v] != 0;
    }
    for (int a = 0; a < 3 && any; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            offer(sim, v, m->next[a][v]);
            offer(sim, m->next[a][v], v);
        }
    }
    for (int64_t i = 0; any && i < life->counts.bond_count; i++) {
        offer(sim, life->bonds[i].first, life->bonds[i].second);
        offer(sim, life->bonds[i].second, life->bonds[i].first);
    }
    for (int32_t v = 0; v < n; v++) {
        if (!conducts(sim, v)) continue;
        const impulse_law law = law_of(sim, v);
        impulse_state s = state_of(sim, v);
        if (life->marked[v] != 0) impulse_passed(&s, law);
        if (sim->offer[0][v] > 0.0) (void)impulse_take(&s, law, sim->offer[0][v], sim->offer[1][v], false);
        impulse_fade(&s, law, sim->time);
        keep_state(sim, v, s);
    }
    fire_pacemakers(sim);
}
