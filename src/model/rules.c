/* Rules, compiled: see rules.h. */
#include "model/rules.h"

#include "base/base.h"
#include "scene/rules.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of material that bonds may be between: they have a class for every two. */
#define BOND_MATERIALS_MAX 256

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* The first rule that may let a voxel grow in a cell; there is one. */
static int32_t reserving(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    int32_t r = 0;
    while (!vxe_rule_reserves(vxe_scene_rule(scene, r), i, j, k)) r++;
    return r;
}

const uint16_t *vxe_rule_cells(const vxe_scene *scene, uint16_t **copy, int64_t *count)
{
    const uint16_t *own = vxe_scene_voxels(scene);
    bool grows = false;
    *copy = NULL;
    *count = vxe_scene_voxel_count(scene);
    for (int32_t r = 0; r < vxe_scene_rule_count(scene); r++)
        grows = grows || vxe_rule_brings_voxels(vxe_scene_rule(scene, r));
    if (!grows) return own;
    int32_t size[3];
    vxe_scene_size(scene, size);
    const size_t cells = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    uint16_t *all = vxe_allocate(cells, sizeof *all);
    if (all == NULL) return NULL;
    memcpy(all, own, cells * sizeof *all);
    for (int32_t r = 0; r < vxe_scene_rule_count(scene); r++) {
        const vxe_rule_def *def = vxe_scene_rule(scene, r);
        if (!vxe_rule_brings_voxels(def)) continue;
        const uint16_t material = (uint16_t)vxe_scene_find_material(scene, def->other);
        for (int32_t k = def->corner[2]; k < def->corner[2] + def->cells[2]; k++) {
            for (int32_t j = def->corner[1]; j < def->corner[1] + def->cells[1]; j++) {
                const size_t row = ((size_t)k * (size_t)size[1] + (size_t)j) * (size_t)size[0];
                for (int32_t i = def->corner[0]; i < def->corner[0] + def->cells[0]; i++) {
                    if (all[row + (size_t)i] != 0) continue;
                    all[row + (size_t)i] = material;
                    ++*count;
                }
            }
        }
    }
    *copy = all;
    return all;
}

vxe_result vxe_build_latent(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    if (n == vxe_scene_voxel_count(scene)) return VXE_OK;
    m->latent = vxe_allocate((size_t)n, sizeof *m->latent);
    if (m->latent == NULL) return vxe_fail_memory(error, "the model", (size_t)n * sizeof *m->latent);
    m->bytes += (size_t)n * sizeof *m->latent;
    for (int32_t v = 0; v < n; v++) {
        const int32_t cell[3] = {m->cell[0][v], m->cell[1][v], m->cell[2][v]};
        if (vxe_scene_voxel(scene, cell[0], cell[1], cell[2]) != 0) continue;
        m->latent[v] = (uint16_t)(reserving(scene, cell[0], cell[1], cell[2]) + 1);
        m->latent_count++;
        m->view.mass -= m->materials[m->material[v]].mass;
    }
    return VXE_OK;
}

bool vxe_rule_may_fill(const vxe_model *m, int32_t r, int32_t v)
{
    if (m->latent[v] == 0 || m->latent[v] == r + 1) return m->latent[v] != 0;
    return vxe_rule_reserves(&m->rules[r].def, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
}

/* ---- programs ----------------------------------------------------------------------------------------------------- */

static void note_senses(vxe_model *m, const vxe_formula *f)
{
    for (int32_t i = 0; i < f->count; i++) {
        if (f->tokens[i].operation == VXE_OP_VARIABLE) m->senses |= UINT64_C(1) << f->tokens[i].variable;
    }
}

static vxe_result parse(vxe_model *m, const char *text, vxe_formula *made, vxe_error *error)
{
    const vxe_result result = vxe_formula_parse(text, made, error);
    if (result == VXE_OK) note_senses(m, made);
    return result;
}

static vxe_result build_rule(vxe_model *m, const vxe_scene *scene, int32_t r, vxe_error *error)
{
    const vxe_rule_def *def = vxe_scene_rule(scene, r);
    model_rule *rule = &m->rules[r];
    rule->def = *def;
    rule->def.weights = NULL;
    rule->region = def->region[0] != '\0' ? vxe_scene_find_region(scene, def->region) : -1;
    vxe_result result = parse(m, def->when, &rule->when, error);
    if (result == VXE_OK) result = parse(m, def->value, &rule->value, error);
    if (result == VXE_OK) result = parse(m, def->release, &rule->release, error);
    for (int32_t i = 0; i < def->input_count && result == VXE_OK; i++)
        result = parse(m, def->inputs[i], &rule->inputs[i], error);
    if (result == VXE_OK && def->weight_count > 0) {
        const size_t bytes = (size_t)def->weight_count * sizeof(double);
        rule->weights = malloc(bytes);
        if (rule->weights == NULL) return vxe_fail_memory(error, "the weights of a network", bytes);
        memcpy(rule->weights, def->weights, bytes);
    }
    return result;
}

/* Which materials a rule is about, variants included. */
static bool is_of(const vxe_model *m, const char *name, int32_t constant)
{
    return name[0] == '\0' || strcmp(m->material_names[m->palette_of[constant]], name) == 0;
}

/* ---- bonds -------------------------------------------------------------------------------------------------------- */

/* A bond is a link whose pressure is not shared with its voxels: along it, it is as stiff as their material.
 */
static link_class bond_class(const vxe_model *m, const vxe_rule_def *def, int32_t near, int32_t far)
{
    const material_constants *m1 = &m->materials[near];
    const material_constants *m2 = &m->materials[far];
    const double l = m->view.pitch;
    /* half of a bond to a rigid part is rigid; two of them give way as their surfaces do */
    const bool one_rigid = m1->rigid != m2->rigid;
    const material_constants *soft = m1->rigid ? m2 : m1;
    const double youngs =
        def->stiffness *
        (one_rigid ? 2.0 * soft->youngs : 2.0 * m1->youngs * m2->youngs / (m1->youngs + m2->youngs));
    const double shear = def->stiffness * (one_rigid ? 2.0 * soft->shear
                                                     : 2.0 * m1->shear * m2->shear / (m1->shear + m2->shear));
    const bool beam = m->environment.elasticity == VXE_ELASTICITY_BEAM;
    return (link_class){.near_material = (uint16_t)near,
                        .far_material = (uint16_t)far,
                        .ka = youngs * l,
                        .ks = beam ? youngs * l : 2.0 * shear * l,
                        .kb = youngs * l * l * l / 12.0,
                        .kt = shear * l * l * l / 6.0,
                        .youngs = youngs,
                        .mass = m1->mass < m2->mass ? m1->mass : m2->mass,
                        .failure = def->stress};
}

/* For every rule and every two materials that it lets stick: the class of the bond + 1. */
static vxe_result build_bonds(vxe_model *m, vxe_error *error)
{
    const size_t kinds = (size_t)m->constant_count + 1;
    if (m->constant_count > BOND_MATERIALS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT,
                        "rules that bond need at most %d kinds of material and stiffness; there are %d",
                        BOND_MATERIALS_MAX, (int)m->constant_count);
    m->bond_class = vxe_allocate((size_t)m->rule_count * kinds * kinds, sizeof *m->bond_class);
    link_class *larger = realloc(
        m->classes, ((size_t)m->class_count + (size_t)m->rule_count * kinds * kinds) * sizeof *larger);
    if (larger != NULL) m->classes = larger;
    if (m->bond_class == NULL || larger == NULL)
        return vxe_fail_memory(error, "classes of bonds",
                               (size_t)m->rule_count * kinds * kinds * sizeof *larger);
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        if (def->kind != VXE_RULE_BOND) continue;
        const char *other = def->other[0] != '\0' ? def->other : def->material;
        const int64_t most = def->limit > 0 ? def->limit : 3 * (int64_t)m->view.voxel_count;
        m->bond_limit += most < 3 * (int64_t)m->view.voxel_count ? most : 3 * (int64_t)m->view.voxel_count;
        for (int32_t i = 1; i <= m->constant_count; i++) {
            for (int32_t j = 1; j <= m->constant_count; j++) {
                if (!(is_of(m, def->material, i) && is_of(m, other, j)) &&
                    !(is_of(m, def->material, j) && is_of(m, other, i)))
                    continue;
                m->classes[m->class_count] = bond_class(m, def, i, j);
                m->bond_class[((size_t)r * kinds + (size_t)i) * kinds + (size_t)j] =
                    (uint32_t)++m->class_count;
            }
        }
    }
    return VXE_OK;
}

/* ---- rigid parts ---------------------------------------------------------------------------------------------------- */

static bool is_in(const vxe_model *m, int32_t region, int32_t v)
{
    if (region < 0) return true;
    for (int32_t i = m->region_begin[region]; i < m->region_begin[region + 1]; i++) {
        if (m->region_voxel[i] == v) return true;
    }
    return false;
}

/* Rigid parts are what they are: impulses go through them, they stick, and soft voxels may grow on them, but
 * none of their voxels comes, goes, changes or comes off. */
static vxe_result refuse_rigid(const vxe_model *m, const vxe_scene *scene, int32_t r, vxe_error *error)
{
    const model_rule *rule = &m->rules[r];
    const vxe_rule_def *def = &rule->def;
    char who[RULE_WHO_SIZE];
    vxe_name_rule(def, r, who);
    if (vxe_rule_brings_voxels(def) &&
        vxe_scene_material(scene, vxe_scene_find_material(scene, def->other))->rigid)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: what %s cannot be rigid: name a soft material as other",
                        who, def->kind == VXE_RULE_GROW ? "grows" : "appears");
    const bool sized =
        def->kind == VXE_RULE_SIZE || (def->kind == VXE_RULE_CONTROL && def->output == VXE_OUTPUT_SIZE);
    const char *what = sized                          ? "change their size"
                       : def->kind == VXE_RULE_REMOVE ? "disappear"
                       : def->kind == VXE_RULE_CUT    ? "come apart"
                       : def->kind == VXE_RULE_BECOME ? "become another material"
                                                      : NULL;
    if (what == NULL) return VXE_OK;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (!vxe_is_rigid(m, v)) continue;
        if (!is_of(m, def->material, m->material[v]) || !is_in(m, rule->region, v)) continue;
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s acts on rigid voxels, which cannot %s: name a soft material, or a region without "
                        "them",
                        who, what);
    }
    return VXE_OK;
}

/* What voxels become moves as they did: it is as heavy and as stiff, and neither of the two is held or rigid.
 */
static vxe_result check_become(vxe_model *m, const vxe_scene *scene, int32_t r, vxe_error *error)
{
    model_rule *rule = &m->rules[r];
    char who[RULE_WHO_SIZE];
    if (rule->def.kind != VXE_RULE_BECOME) return VXE_OK;
    vxe_name_rule(&rule->def, r, who);
    rule->other = vxe_scene_find_material(scene, rule->def.other);
    const material_constants *other = &m->materials[rule->other];
    if (other->rigid || other->fixed)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: voxels cannot become rigid or fixed", who);
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        if (!is_of(m, rule->def.material, i) || c->fixed || c->rigid ||
            (c->mass == other->mass && c->youngs == other->youngs))
            continue;
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: voxels of \"%s\" cannot become \"%s\", which is not as dense and stiff", who,
                        m->material_names[m->palette_of[i]], rule->def.other);
    }
    return VXE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* What follows from a rule for the materials it is about. */
static void note_rule(vxe_model *m, int32_t r)
{
    const vxe_rule_def *def = &m->rules[r].def;
    const size_t kinds = (size_t)m->constant_count + 1;
    const bool sized =
        def->kind == VXE_RULE_SIZE || (def->kind == VXE_RULE_CONTROL && def->output == VXE_OUTPUT_SIZE);
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const bool about = is_of(m, def->material, i);
        m->rule_about[(size_t)r * kinds + (size_t)i] = about;
        if (about && sized) m->materials[i].resized = true;
        if (def->kind == VXE_RULE_HEAT && m->materials[i].expansion != 0.0) m->materials[i].resized = true;
        if (about && def->kind == VXE_RULE_CONDUCT && m->materials[i].conducts == 0)
            m->materials[i].conducts = r + 1;
        if (about && def->kind == VXE_RULE_CILIA && m->materials[i].cilia == 0) m->materials[i].cilia = r + 1;
        m->resizes = m->resizes || m->materials[i].resized;
    }
    m->conducts = m->conducts || def->kind == VXE_RULE_CONDUCT;
    m->changes = m->changes || def->kind == VXE_RULE_REMOVE || def->kind == VXE_RULE_CUT ||
                 def->kind == VXE_RULE_BECOME || vxe_rule_brings_voxels(def);
    m->strokes = m->strokes || (def->kind == VXE_RULE_CILIA && def->value[0] != '\0');
    m->pushes = m->pushes || def->kind == VXE_RULE_PUSH;
    m->ends = m->ends || def->kind == VXE_RULE_END;
    m->outside = m->outside || def->kind == VXE_RULE_PUSH;
    m->bonds = m->bonds || def->kind == VXE_RULE_BOND;
    if (def->kind == VXE_RULE_CILIA && def->every > 0.0) m->outside = true;
    m->shines = m->shines || def->kind == VXE_RULE_LIGHT || def->kind == VXE_RULE_HEAT;
    if (def->kind == VXE_RULE_HEAT) m->senses |= UINT64_C(1) << VXE_VARIABLE_HEAT;
}

vxe_result vxe_build_rules(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    const int32_t count = vxe_scene_rule_count(scene);
    if (count == 0) return VXE_OK;
    const size_t kinds = (size_t)m->constant_count + 1;
    m->rules = vxe_allocate((size_t)count, sizeof *m->rules);
    m->rule_about = vxe_allocate((size_t)count * kinds, sizeof *m->rule_about);
    if (m->rules == NULL || m->rule_about == NULL)
        return vxe_fail_memory(error, "rules", (size_t)count * sizeof *m->rules);
    m->bytes += (size_t)count * (sizeof *m->rules + kinds);
    m->rule_count = count;
    for (int32_t r = 0; r < count; r++) {
        vxe_result result = build_rule(m, scene, r, error);
        if (result == VXE_OK) result = refuse_rigid(m, scene, r, error);
        if (result == VXE_OK) result = check_become(m, scene, r, error);
        if (result != VXE_OK) return result;
        note_rule(m, r);
    }
    m->watches_hits = m->watches_hits || (m->senses >> VXE_VARIABLE_HIT & 1U) != 0;
    m->watches_way = m->watches_way || (m->senses >> VXE_VARIABLE_ANGLE & 1U) != 0;
    return m->bonds ? build_bonds(m, error) : VXE_OK;
}

void vxe_free_model_rules(vxe_model *m)
{
    for (int32_t r = 0; r < m->rule_count; r++) {
        model_rule *rule = &m->rules[r];
        vxe_formula_free(&rule->when);
        vxe_formula_free(&rule->value);
        vxe_formula_free(&rule->release);
        for (int i = 0; i < VXE_NETWORK_INPUTS_MAX; i++) vxe_formula_free(&rule->inputs[i]);
        free(rule->weights);
    }
    free(m->rules);
    free(m->rule_about);
    free(m->bond_class);
    free(m->latent);
}

/* ---- hash ---------------------------------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t h, const char *text) { return vxe_hash_bytes(h, text, strlen(text) + 1); }

static uint64_t hash_member(uint64_t h, const rule_member *m, const void *at)
{
    switch (m->type) {
    case RULE_NUMBER: return vxe_hash_double(h, *(const double *)at);
    case RULE_INTEGER: return vxe_hash_u64(h, (uint64_t) * (const int32_t *)at);
    case RULE_SEED: return vxe_hash_u64(h, (uint64_t) * (const int64_t *)at);
    case RULE_FLAG: return vxe_hash_u64(h, *(const bool *)at ? 1U : 0U);
    case RULE_NAME:
    case RULE_FORMULA: return hash_text(h, at);
    case RULE_VECTOR:
        for (int a = 0; a < 3; a++) h = vxe_hash_double(h, ((const double *)at)[a]);
        return h;
    case RULE_CELLS:
        for (int a = 0; a < 3; a++) h = vxe_hash_u64(h, (uint64_t)((const int32_t *)at)[a]);
        return h;
    }
    return h;
}

uint64_t vxe_hash_rules(uint64_t h, const vxe_model *m)
{
    for (int32_t r = 0; r < m->rule_count; r++) {
        const model_rule *rule = &m->rules[r];
        h = vxe_hash_u64(h, 128 + (uint64_t)rule->def.kind);
        for (size_t i = 1; i < vxe_rule_member_count; i++) { /* all but the name */
            if ((vxe_rule_members[i].kinds >> rule->def.kind & 1U) != 0)
                h = hash_member(h, &vxe_rule_members[i], vxe_rule_at(&rule->def, &vxe_rule_members[i]));
        }
        if (rule->def.kind != VXE_RULE_CONTROL) continue;
        h = vxe_hash_u64(h, (uint64_t)rule->def.output);
        for (int32_t i = 0; i < rule->def.input_count; i++) h = hash_text(h, rule->def.inputs[i]);
        for (int32_t i = 0; i < rule->def.layer_count; i++)
            h = vxe_hash_u64(h, (uint64_t)rule->def.layers[i]);
        for (int32_t i = 0; i < rule->def.weight_count; i++) h = vxe_hash_double(h, rule->weights[i]);
    }
    for (int32_t v = 0; m->latent != NULL && v < m->view.voxel_count; v++) h = vxe_hash_u64(h, m->latent[v]);
    return h;
}
