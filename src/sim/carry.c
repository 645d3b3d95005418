/* What rules have done, taken over into a simulation of another scene: see vxe_sim_carry() of change.c. */
#include "sim/life.h"

#include "model/rules.h"

#include <math.h>
#include <string.h>

/* ---- who is there ---------------------------------------------------------------------------------------------------- */

void vxe_life_carry_voxels(vxe_sim *to, const vxe_sim *from, int32_t *source)
{
    const vxe_model *m = to->model;
    if (to->life == NULL && from->life == NULL) return;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const int32_t w = source[v];
        if (w < 0) continue;
        const bool reserved = m->latent != NULL && m->latent[v] != 0;
        const bool was_reserved = from->model->latent != NULL && from->model->latent[w] != 0;
        const bool was_there = vxe_is_present(from, w);
        if (reserved) {
            /* what grew stays; what the other scene had of its own was edited away */
            to->alive[0][v] = was_there && was_reserved;
        } else if (m->changes) {
            /* what was removed stays away; what had not grown yet is now a voxel of the scene */
            to->alive[0][v] = was_there || was_reserved;
        }
        if (!vxe_is_present(to, v) || !was_there) source[v] = -1;
    }
    vxe_life_restore(to);
}

/* ---- what they know -------------------------------------------------------------------------------------------------- */

/* The same rule in the other scene, or -1: by its name, or without one by its place. */
static int32_t counterpart(const vxe_model *m, const vxe_model *other, int32_t r)
{
    const vxe_rule_def *def = &m->rules[r].def;
    for (int32_t k = 0; k < other->rule_count && def->name[0] != '\0'; k++) {
        const vxe_rule_def *own = &other->rules[k].def;
        if (own->kind == def->kind && strcmp(own->name, def->name) == 0) return k;
    }
    if (def->name[0] != '\0' || r >= other->rule_count) return -1;
    const vxe_rule_def *own = &other->rules[r].def;
    return own->kind == def->kind && own->name[0] == '\0' ? r : -1;
}

static void copy_numbers(double *const to[], double *const from[], int count, int32_t v, int32_t w)
{
    for (int i = 0; i < count; i++) to[i][v] = from[i][w];
}

/* What it has become, if there is such a material, as heavy and stiff as its own. */
static void carry_role(vxe_sim *to, const vxe_sim *from, int32_t v, int32_t w)
{
    const vxe_model *m = to->model;
    if (from->role[0][w] == from->model->material[w]) return;
    const char *name = from->model->material_names[from->model->palette_of[from->role[0][w]]];
    for (int32_t i = 1; i <= m->constant_count; i++) {
        if (strcmp(m->material_names[m->palette_of[i]], name) != 0 ||
            m->materials[i].mass != m->materials[m->material[v]].mass ||
            m->materials[i].youngs != m->materials[m->material[v]].youngs)
            continue;
        to->role[0][v] = (uint32_t)i;
        return;
    }
}

static void copy_voxel(vxe_sim *to, const vxe_sim *from, int32_t v, int32_t w)
{
    copy_numbers(to->impulse, from->impulse, 1, v, w);
    copy_numbers(to->nerve, from->nerve, 5, v, w);
    copy_numbers(to->memory, from->memory, 4, v, w);
    copy_numbers(to->driven, from->driven, 2, v, w);
    copy_numbers(to->developed, from->developed, 1, v, w);
    copy_numbers(to->born, from->born, 1, v, w);
    copy_numbers(to->shy, from->shy, 1, v, w);
    copy_numbers(to->sense, from->sense, SENSES, v, w);
    copy_numbers(to->stroke, from->stroke, 1, v, w);
    copy_numbers(to->pushed, from->pushed, 3, v, w);
    carry_role(to, from, v, w);
    if (from->grower[0][w] != 0 && to->model->latent != NULL && to->model->latent[v] != 0) {
        const int32_t r = counterpart(from->model, to->model, (int32_t)from->grower[0][w] - 1);
        to->grower[0][v] =
            r >= 0 && vxe_rule_may_fill(to->model, r, v) ? (uint32_t)r + 1 : to->model->latent[v];
    }
    for (int a = 0; a < 3; a++) to->unjoined[a][v] = from->unjoined[a][w];
}

/* The first of `begin`, `begin` + `every` and so on that is not over. */
static double next_from(double time, double begin, double every)
{
    if (begin >= time || !(every > 0.0)) return begin > time ? begin : time;
    return begin + every * ceil((time - begin) / every);
}

static void carry_times(vxe_sim *to, const vxe_sim *from, const int32_t *source)
{
    const vxe_model *m = to->model;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        const int32_t k = from->life != NULL ? counterpart(m, from->model, r) : -1;
        const vxe_rule_def *own = k >= 0 ? &from->model->rules[k].def : NULL;
        const bool same = own != NULL && own->begin == def->begin && own->every == def->every;
        to->life->counted[r] = k >= 0 ? from->life->counted[k] : 0;
        to->life->next_look[r] =
            same ? from->life->next_look[k] : next_from(to->time, def->begin, def->every);
        for (int32_t v = 0; def->kind == VXE_RULE_PACE && v < m->view.voxel_count; v++) {
            if (!m->rule_about[(size_t)r * ((size_t)m->constant_count + 1) + m->material[v]]) continue;
            if (own != NULL && source[v] >= 0) continue; /* it goes on beating */
            to->nerve[4][v] = next_from(to->time, def->begin + def->phase * def->period, def->period);
        }
    }
}

/* ---- bonds ----------------------------------------------------------------------------------------------------------- */

/* The voxel that has taken over from one of `from`, or -1. */
static int32_t successor(const vxe_sim *to, const vxe_sim *from, const int32_t *source, int32_t w)
{
    const int32_t *const *cell = from->model->view.cell;
    const int32_t v = vxe_model_voxel_at(to->model, cell[0][w], cell[1][w], cell[2][w]);
    return v >= 0 && source[v] == w ? v : -1;
}

/* Their order stays; voxels have the same order in every lattice. */
static void carry_bonds(vxe_sim *to, const vxe_sim *from, const int32_t *source)
{
    sim_life *life = to->life;
    for (int64_t i = 0; i < from->life->counts.bond_count; i++) {
        sim_bond b = from->life->bonds[i];
        if (!to->model->bonds || life->counts.bond_count >= life->bond_capacity) return;
        b.rule = counterpart(from->model, to->model, b.rule);
        b.first = successor(to, from, source, b.first);
        b.second = successor(to, from, source, b.second);
        if (b.rule < 0 || b.first < 0 || b.second < 0) continue;
        b.kind = vxe_bond_class(to, b.rule, b.first, b.second);
        if (b.kind == 0) continue; /* these materials do not stick any more */
        life->bonds[life->counts.bond_count++] = b;
    }
}

void vxe_life_carry(vxe_sim *to, const vxe_sim *from, const int32_t *source)
{
    if (to->life == NULL) return;
    if (from->life != NULL) {
        for (int32_t v = 0; v < to->model->view.voxel_count; v++) {
            if (source[v] >= 0) copy_voxel(to, from, v, source[v]);
        }
        const life_counts *c = &from->life->counts;
        to->life->counts = (life_counts){c->grown, c->removed, c->bonded, c->released, 0, 0};
        carry_bonds(to, from, source);
    }
    carry_times(to, from, source);
    vxe_life_restore(to);
}
