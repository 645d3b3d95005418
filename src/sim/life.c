/* Who is there, and when rules act: see life.h. */
#include "sim/life.h"

#include "base/base.h"
#include "sim/collide.h"
#include "sim/drive.h"
#include "sim/pressure.h"

#include <stdlib.h>
#include <string.h>

vxe_result vxe_life_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    if (m->rule_count == 0) return VXE_OK;
    sim_life *life = calloc(1, sizeof *life);
    if (life == NULL) return vxe_fail_memory(error, "rules", sizeof *life);
    sim->life = life;
    life->bond_capacity = m->bond_limit;
    life->material = vxe_allocate(n + 16, sizeof *life->material);
    life->next_look = vxe_allocate((size_t)m->rule_count, sizeof *life->next_look);
    life->bonds = vxe_allocate((size_t)life->bond_capacity + 1, sizeof *life->bonds);
    life->bond_count = vxe_allocate(n, 1);
    life->marked = vxe_allocate(n, 1);
    life->targets = vxe_allocate(n, sizeof *life->targets);
    bool shadows = false;
    for (int32_t r = 0; r < m->rule_count; r++) shadows = shadows || m->rules[r].def.shadows;
    const size_t boxes = shadows ? n / SHADE_RUN + n / (SHADE_RUN * SHADE_RUN) + 2 : 0;
    if (shadows) life->shade = vxe_allocate(6 * boxes, sizeof *life->shade);
    life->counted = vxe_allocate((size_t)m->rule_count, sizeof *life->counted);
    life->body = vxe_allocate(n, sizeof *life->body);
    life->outputs = vxe_allocate(n, VXE_OUTPUT_COUNT * sizeof *life->outputs);
    bool ok = life->outputs != NULL && life->material != NULL && life->next_look != NULL &&
              life->bonds != NULL && life->bond_count != NULL && life->marked != NULL &&
              life->counted != NULL && life->body != NULL && life->targets != NULL &&
              (life->shade != NULL || !shadows);
    for (int a = 0; a < 3; a++) {
        life->previous[a] = vxe_allocate(n, sizeof(int32_t));
        ok = ok && life->previous[a] != NULL;
    }
    const size_t bytes = n * (sizeof(uint16_t) + 2 + 5 * sizeof(int32_t)) +
                         ((size_t)life->bond_capacity + 1) * sizeof *life->bonds;
    if (!ok) return vxe_fail_memory(error, "rules", bytes);
    sim->bytes += bytes;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) life->previous[a][v] = -1;
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (m->next[a][v] >= 0) life->previous[a][m->next[a][v]] = v;
        }
    }
    memcpy(life->material, m->material, n * sizeof *life->material);
    sim->material = life->material;
    return m->changes ? vxe_links_own(sim, error) : VXE_OK;
}

void vxe_life_destroy(vxe_sim *sim)
{
    sim_life *life = sim->life;
    if (life == NULL) return;
    for (int a = 0; a < 3; a++) free(life->previous[a]);
    free(life->material);
    free(life->next_look);
    free(life->bonds);
    free(life->bond_count);
    free(life->marked);
    free(life->targets);
    free(life->shade);
    free(life->outputs);
    free(life->counted);
    free(life->body);
    free(life);
    sim->life = NULL;
}

void vxe_life_reset(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    if (life == NULL) return;
    memset(&life->counts, 0, sizeof life->counts);
    memset(life->counted, 0, (size_t)m->rule_count * sizeof *life->counted);
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        life->next_look[r] = def->begin;
        for (int32_t v = 0; def->kind == VXE_RULE_PACE && v < m->view.voxel_count; v++) {
            if (m->rule_about[(size_t)r * ((size_t)m->constant_count + 1) + m->material[v]])
                sim->nerve[4][v] = def->begin + def->phase * def->period;
        }
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        sim->alive[0][v] = m->latent == NULL || m->latent[v] == 0;
        sim->role[0][v] = m->material[v];
    }
    vxe_life_restore(sim);
}

void vxe_life_restore(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    sim_life *life = sim->life;
    if (life == NULL) return;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const bool there = sim->alive[0][v] != 0;
        life->material[v] = there ? (uint16_t)sim->role[0][v] : 0;
        if (!there) sim->growth[0][v] = -1.0;
        if (!there && sim->growth_before[0] != NULL) sim->growth_before[0][v] = -1.0;
    }
    memset(life->bond_count, 0, (size_t)m->view.voxel_count);
    for (int64_t i = 0; i < life->counts.bond_count; i++) {
        life->bond_count[life->bonds[i].first]++;
        life->bond_count[life->bonds[i].second]++;
    }
    life->sensed = false;
}

void vxe_life_bodies_changed(vxe_sim *sim)
{
    vxe_restore_links(sim);
    vxe_collider_links_changed(sim);
    vxe_pressure_prepare(sim);
    vxe_state_wrote(sim, STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) |
                             STATE_SET(spin) | STATE_SET(growth) | STATE_SET(growth_before) |
                             STATE_SET(stuck) | STATE_SET(pressure) | STATE_SET(plastic) |
                             STATE_SET(hardening) | STATE_SET(yielded));
}

/* ---- rules --------------------------------------------------------------------------------------------------------- */

bool vxe_rule_acts(const vxe_sim *sim, int32_t r)
{
    const vxe_rule_def *def = &sim->model->rules[r].def;
    return sim->time >= def->begin && (def->end == 0.0 || sim->time < def->end);
}

bool vxe_rule_is_due(vxe_sim *sim, int32_t r)
{
    double *next = &sim->life->next_look[r];
    if (!vxe_rule_acts(sim, r) || sim->time < *next) return false;
    *next += sim->model->rules[r].def.every;
    if (*next < sim->time) *next = sim->time;
    return true;
}

static bool is_in_region(const vxe_model *m, int32_t region, int32_t v)
{
    int32_t low = m->region_begin[region];
    int32_t high = m->region_begin[region + 1] - 1;
    while (low <= high) {
        const int32_t middle = low + (high - low) / 2;
        if (m->region_voxel[middle] == v) return true;
        if (m->region_voxel[middle] < v) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return false;
}

bool vxe_rule_is_about(const vxe_sim *sim, int32_t r, int32_t v)
{
    const vxe_model *m = sim->model;
    const size_t kinds = (size_t)m->constant_count + 1;
    if (sim->alive[0][v] == 0 || !m->rule_about[(size_t)r * kinds + sim->role[0][v]]) return false;
    return m->rules[r].region < 0 || is_in_region(m, m->rules[r].region, v);
}

double vxe_rule_random(const vxe_sim *sim, int32_t r, int32_t v)
{
    uint64_t h = vxe_hash_u64(VXE_HASH_START, (uint64_t)sim->model->rules[r].def.seed);
    h = vxe_hash_u64(vxe_hash_u64(vxe_hash_u64(h, (uint64_t)r), (uint64_t)v), (uint64_t)sim->step);
    return vxe_hash_fraction(h);
}

/* ---- the stage ----------------------------------------------------------------------------------------------------- */

void vxe_live(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    vxe_state_read(sim, vxe_state_with(STATE_PUBLIC | STATE_SAVED));
    sim->life->sensed = false;
    if (m->conducts) vxe_impulses_spread(sim);
    if (m->shines) vxe_sources_look(sim);
    vxe_rules_drive(sim, context->step);
    bool stiffer = false;
    if (m->changes) {
        vxe_voxels_remove(sim, context->step);
        vxe_links_cut(sim, context->step);
        vxe_voxels_become(sim);
    }
    if (m->bonds) {
        vxe_bonds_release(sim, context->step);
        stiffer = vxe_bonds_make(sim);
    }
    if (m->changes) stiffer = vxe_voxels_grow(sim, context->step) || stiffer;
    if (m->strokes || m->pushes) vxe_rules_push(sim);
    if (m->ends) vxe_rules_end(sim);
    if (!stiffer) return;
    vxe_time_step_shorten(sim);
    sim->account.cut |= CUT_BY_RULES;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

vxe_life vxe_sim_life(const vxe_sim *sim)
{
    vxe_life life = {.present = sim != NULL ? sim->model->view.voxel_count : 0};
    if (sim == NULL || sim->life == NULL) return life;
    const life_counts *c = &sim->life->counts;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) life.present -= sim->alive[0][v] == 0;
    life.grown = c->grown;
    life.removed = c->removed;
    life.bonds = c->bond_count;
    life.bonded = c->bonded;
    life.released = c->released;
    return life;
}

bool vxe_sim_present(const vxe_sim *sim, int32_t voxel)
{
    return sim != NULL && voxel >= 0 && voxel < sim->model->view.voxel_count && vxe_is_present(sim, voxel);
}

uint16_t vxe_life_material(const vxe_sim *sim, int32_t v)
{
    const vxe_model *m = sim->model;
    return sim->life == NULL ? m->view.material[v] : m->palette_of[sim->role[0][v]];
}

int64_t vxe_life_turned(const vxe_sim *sim) { return sim->life == NULL ? 0 : sim->life->turned; }

double vxe_sim_impulse(const vxe_sim *sim, int32_t voxel)
{
    if (sim == NULL || sim->life == NULL || voxel < 0 || voxel >= sim->model->view.voxel_count) return 0.0;
    return sim->impulse[0][voxel];
}

bool vxe_sim_bond(const vxe_sim *sim, int64_t bond, vxe_bond *out)
{
    if (sim == NULL || sim->life == NULL || out == NULL || bond < 0 || bond >= sim->life->counts.bond_count)
        return false;
    const sim_bond *b = &sim->life->bonds[bond];
    *out = (vxe_bond){b->first, b->second, b->since, b->length, b->tension};
    return true;
}
