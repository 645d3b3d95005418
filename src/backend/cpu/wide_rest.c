/* What rests: blocks of voxels that are held altogether by regions that do not move, and whose neighbours are
 * held likewise. A step leaves such a block as it is, whatever its length: its velocities are zero, the loads
 * of its links are those of the step before. So after one step in which that was seen (wide_rest.h), it is
 * left out of hold, strains, links, damping, motion and reactions, until a region moves, something is changed
 * between steps or loads act on voxels. A block that something touches is moved all the same, with the loads
 * of its links as they were kept; the links stay left out. */
#include "backend/cpu/wide.h"
#include "base/base.h"
#include "sim/collide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which blocks --------------------------------------------------------------------------------------------------- */

/* Voxels that stay where they are, 1 each. */
static void find_fixed(const vxe_model *m, uint8_t *fixed)
{
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t v = m->held_voxel[h];
        bool rests = m->fixed[v] == VXE_DOF_ALL && !vxe_is_rigid(m, v);
        for (int d = 0; d < 6; d++) {
            const int32_t region = m->held_region[6 * (size_t)h + (size_t)d];
            for (int a = 0; a < 3 && region >= 0; a++)
                rests = rests && m->regions[region].def.rotation[a] == 0.0;
        }
        fixed[v] = rests;
    }
    for (int32_t i = 0; i < m->actuated_count; i++) fixed[m->actuated_voxel[i]] = 0;
}

static int32_t root_of(int32_t *parent, int32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Pressure goes from voxel to voxel: with `solid` all of a body must stay. */
static bool keep_whole_bodies(const vxe_model *m, uint8_t *fixed)
{
    const int32_t n = m->view.voxel_count;
    int32_t *parent = vxe_allocate((size_t)n, sizeof *parent);
    if (parent == NULL) return false;
    for (int32_t v = 0; v < n; v++) parent[v] = v;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (m->link_kind[a][v] == 0) continue;
            const int32_t far = root_of(parent, m->next[a][v]);
            parent[far] = root_of(parent, v);
        }
    }
    for (int32_t v = 0; v < n; v++) {
        if (fixed[v] == 0) fixed[root_of(parent, v)] = 0;
    }
    for (int32_t v = 0; v < n; v++) {
        if (fixed[root_of(parent, v)] == 0) fixed[v] = 0;
    }
    free(parent);
    return true;
}

/* A block is what all its voxels are; those that wait for another thread never rest. */
static int32_t find_blocks(const vxe_sim *sim, const uint8_t *fixed, uint8_t *kind)
{
    const vxe_model *m = sim->model;
    const wide_plan *p = sim->cpu->plan;
    const int32_t n = m->view.voxel_count;
    memset(kind, REST_MOTION, (size_t)p->block_count);
    for (int32_t v = 0; v < n; v++) {
        if (fixed[v] == 0) kind[v / p->lanes] = 0;
        for (int a = 0; a < 3; a++) {
            if (m->link_kind[a][v] == 0) continue;
            const int32_t far = m->next[a][v];
            if (fixed[far] == 0) kind[v / p->lanes] = 0;
            if (fixed[v] == 0) kind[far / p->lanes] = 0;
        }
    }
    for (int32_t i = 1; i < sim->cpu->part_count; i++) {
        for (int32_t v = sim->cpu->parts[i].begin; v < sim->cpu->parts[i].head; v++) kind[v / p->lanes] = 0;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < p->block_count; i++) {
        if (kind[i] == 0) continue;
        kind[i] |= REST_LINKS;
        count++;
        for (int32_t v = i * p->lanes; v < (i + 1) * p->lanes && v < n; v++) {
            for (int a = 0; a < 3; a++) {
                if (m->link_kind[a][v] != 0 && kind[m->next[a][v] / p->lanes] == 0)
                    kind[i] &= (uint8_t)~REST_LINKS;
            }
        }
    }
    return count;
}

static void find_chunks(const vxe_sim *sim, wide_rest *r)
{
    const wide_plan *p = sim->cpu->plan;
    const int32_t n = sim->model->view.voxel_count;
    int32_t h = 0;
    memset(r->chunk, 1, (size_t)(n + CHUNK - 1) / CHUNK);
    for (int32_t i = 0; i < p->block_count; i++) {
        if ((r->kind[i] & REST_LINKS) == 0) r->chunk[i * p->lanes / CHUNK] = 0;
        while (h < sim->model->held_count && sim->model->held_voxel[h] < i * p->lanes) h++;
        r->support[i] = h;
        r->busy[i] = -1;
    }
    r->support[p->block_count] = sim->model->held_count;
    r->awake[p->block_count] = p->block_count;
    for (int32_t i = p->block_count - 1; i >= 0; i--) r->awake[i] = r->kind[i] == 0 ? i : r->awake[i + 1];
    while (r->first_awake < n && r->kind[r->first_awake / p->lanes] != 0) r->first_awake += p->lanes;
    for (int32_t i = 0; i * CHUNK < n; i++) r->chunk_busy[i] = -1;
}

vxe_result vxe_wide_rest_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    wide_plan *p = sim->cpu->plan;
    wide_rest *r = &p->rest;
    if (m->held_count == 0 || m->rule_count > 0) return VXE_OK;
    const size_t n = (size_t)m->view.voxel_count;
    const size_t blocks = (size_t)p->block_count;
    const size_t chunks = (n + CHUNK - 1) / CHUNK;
    const size_t regions = 3 * (size_t)m->view.region_count;
    const size_t padded = blocks * (size_t)p->lanes;
    uint8_t *fixed = vxe_allocate(n, 1);
    uint8_t *kind = vxe_allocate(blocks, 1);
    bool ok = fixed != NULL && kind != NULL;
    if (ok) find_fixed(m, fixed);
    if (ok && m->environment.elasticity == VXE_ELASTICITY_SOLID) ok = keep_whole_bodies(m, fixed);
    const bool any = ok && find_blocks(sim, fixed, kind) > 0;
    free(fixed);
    if (!any) {
        free(kind);
        return ok ? VXE_OK : vxe_fail_memory(error, "the simulation", n + blocks);
    }
    r->kind = kind;
    r->chunk = vxe_allocate(chunks, 1);
    r->busy = vxe_allocate(blocks, sizeof *r->busy);
    r->chunk_busy = vxe_allocate(chunks, sizeof *r->chunk_busy);
    r->support = vxe_allocate(blocks + 1, sizeof *r->support);
    r->awake = vxe_allocate(blocks + 1, sizeof *r->awake);
    r->totals = vxe_allocate(6 * padded, p->real_size);
    r->volume = vxe_allocate(padded, sizeof *r->volume);
    r->measures = vxe_allocate(chunks, sizeof *r->measures);
    r->placed = vxe_allocate(regions + 1, sizeof *r->placed);
    const size_t bytes = chunks * (1 + sizeof *r->chunk_busy + sizeof *r->measures) +
                         blocks * (1 + sizeof *r->busy + sizeof *r->support + sizeof *r->awake) +
                         padded * (6 * p->real_size + sizeof *r->volume);
    if (r->chunk == NULL || r->busy == NULL || r->chunk_busy == NULL || r->support == NULL ||
        r->awake == NULL || r->totals == NULL || r->volume == NULL || r->measures == NULL ||
        r->placed == NULL)
        return vxe_fail_memory(error, "the simulation", bytes);
    sim->bytes += bytes;
    for (size_t i = 0; i < regions; i++) r->placed[i] = NAN; /* nowhere yet */
    find_chunks(sim, r);
    return VXE_OK;
}

void vxe_wide_rest_destroy(wide_plan *p)
{
    wide_rest *r = &p->rest;
    free(r->kind);
    free(r->chunk);
    free(r->busy);
    free(r->chunk_busy);
    free(r->support);
    free(r->awake);
    free(r->totals);
    free(r->volume);
    free(r->measures);
    free(r->placed);
}

/* ---- in a step ------------------------------------------------------------------------------------------------------ */

void vxe_wide_rest_strains(vxe_sim *sim)
{
    wide_rest *r = &sim->cpu->plan->rest;
    r->left_out = r->calm && !sim->disturbed;
}

/* Whether no region has moved since the last step. */
static bool regions_rest(const vxe_sim *sim, wide_rest *r)
{
    bool rest = true;
    for (int32_t i = 0; i < sim->model->view.region_count; i++) {
        for (int a = 0; a < 3; a++) {
            double *before = &r->placed[3 * (size_t)i + (size_t)a];
            rest = rest && *before == sim->regions[i].placed[a];
            *before = sim->regions[i].placed[a];
        }
    }
    return rest;
}

static void keep_busy(const vxe_sim *sim, wide_rest *r, int32_t i, int64_t last)
{
    int64_t *chunk = &r->chunk_busy[i * sim->cpu->plan->lanes / CHUNK];
    if (r->busy[i] < last) r->busy[i] = last;
    if (*chunk < last) *chunk = last;
}

void vxe_wide_rest_touched(vxe_sim *sim)
{
    const wide_plan *p = sim->cpu->plan;
    wide_rest *r = &sim->cpu->plan->rest;
    for (int32_t i = 0; r->floor != 0 && i < p->block_count; i++) {
        if ((r->kind[i] & REST_IN) != 0) keep_busy(sim, r, i, sim->step + 1);
    }
    for (int64_t k = 0; sim->collider != NULL && k < sim->collider->touching_count; k++) {
        const touching_pair *pair = &sim->collider->touching_pairs[k];
        if (vxe_wide_rests(p, pair->first)) keep_busy(sim, r, pair->first / p->lanes, sim->step + 1);
        if (vxe_wide_rests(p, pair->second)) keep_busy(sim, r, pair->second / p->lanes, sim->step + 1);
    }
}

void vxe_wide_rest_begin(vxe_sim *sim, const step_context *context)
{
    wide_rest *r = &sim->cpu->plan->rest;
    r->left_out = false;
    if (r->kind == NULL) return;
    r->regions = regions_rest(sim, r);
    if (sim->disturbed || !r->regions || context->loaded || context->bonded ||
        context->implicit != r->implicit || sim->ground != NULL || sim->life != NULL)
        r->calm = r->measured = false;
    sim->disturbed = false;
    r->implicit = context->implicit;
    if (!r->calm || (context->measure && !r->measured)) return;
    r->left_out = true;
    vxe_wide_rest_touched(sim);
}

int32_t vxe_supports_at_rest(const vxe_sim *sim, int32_t support, bool busy)
{
    const wide_plan *p = sim->cpu->plan;
    if (p == NULL || !p->rest.left_out) return support;
    const wide_rest *r = &p->rest;
    int32_t i = sim->model->held_voxel[support] / p->lanes;
    const int32_t awake = r->awake[i];
    const int32_t per_chunk = CHUNK / p->lanes;
    if (awake == i || (busy && r->busy[i] >= sim->step)) return support;
    while (busy && i < awake && r->busy[i] < sim->step) {
        const int32_t chunk = i / per_chunk;
        i = r->chunk_busy[chunk] < sim->step ? (chunk + 1) * per_chunk : i + 1;
    }
    return r->support[busy && i < awake ? i : awake];
}

int32_t vxe_first_awake(const vxe_sim *sim)
{
    const wide_plan *p = sim->cpu->plan;
    return p != NULL && p->rest.left_out ? p->rest.first_awake : 0;
}

bool vxe_chunk_rests(const vxe_sim *sim, int32_t chunk)
{
    const wide_plan *p = sim->cpu->plan;
    return p != NULL && p->rest.left_out && p->rest.chunk[chunk] != 0 &&
           p->rest.chunk_busy[chunk] < sim->step;
}
