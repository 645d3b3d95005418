/* Parts of a model that most scenes do not have: see extras.h. */
#include "model/extras.h"

#include "model/start.h"

#include "base/base.h"
#include "model/pressure.h"
#include "model/rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- voxels with a stiffness of their own ---------------------------------------------------------------------------- */

void vxe_set_stiffness(const vxe_model *m, material_constants *c, double youngs, double nu)
{
    c->youngs = youngs;
    c->shear = c->youngs / (2.0 * (1.0 + nu));
    c->lambda = c->youngs * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    for (int k = 0; k < PRESSURE_CLASSES; k++) {
        c->pressure_modulus[k] =
            m->environment.elasticity == VXE_ELASTICITY_SOLID ? vxe_pressure_modulus(c, k) : 0.0;
    }
}

/* A voxel that asks for another stiffness, for sorting. */
typedef struct wanted_variant {
    double youngs;
    int32_t voxel;
    uint16_t material;
} wanted_variant;

static int compare_variants(const void *a, const void *b)
{
    const wanted_variant *one = a;
    const wanted_variant *other = b;
    if (one->material != other->material) return one->material < other->material ? -1 : 1;
    if (one->youngs != other->youngs) return one->youngs < other->youngs ? -1 : 1;
    return (one->voxel > other->voxel) - (one->voxel < other->voxel);
}

/* Whether entry i of a sorted list differs from the one before. */
static bool is_new(const wanted_variant *wanted, int32_t i)
{
    return i == 0 || wanted[i].material != wanted[i - 1].material || wanted[i].youngs != wanted[i - 1].youngs;
}

/* Adds the variants of a sorted list to the tables. */
static vxe_result make_variants(vxe_model *m, const vxe_scene *scene, const wanted_variant *wanted,
                                int32_t count, vxe_error *error)
{
    int32_t total = m->view.material_count;
    for (int32_t i = 0; i < count; i++) total += is_new(wanted, i);
    if (total > UINT16_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "the voxels have %d kinds of stiffness, more than %d",
                        (int)total, UINT16_MAX);
    }
    material_constants *constants = vxe_allocate((size_t)total + 1, sizeof *constants);
    uint16_t *palette_of = vxe_allocate((size_t)total + 1, sizeof *palette_of);
    if (constants == NULL || palette_of == NULL) {
        free(constants);
        free(palette_of);
        return vxe_fail_memory(error, "the model", ((size_t)total + 1) * sizeof *constants);
    }
    const size_t old = (size_t)m->constant_count + 1;
    memcpy(constants, m->materials, old * sizeof *constants);
    memcpy(palette_of, m->palette_of, old * sizeof *palette_of);
    free(m->materials);
    free(m->palette_of);
    m->materials = constants;
    m->palette_of = palette_of;
    m->bytes += ((size_t)total + 1 - old) * (sizeof *constants + sizeof *palette_of);
    int32_t variant = m->view.material_count;
    for (int32_t i = 0; i < count; i++) {
        const wanted_variant *w = &wanted[i];
        if (is_new(wanted, i)) {
            variant++;
            constants[variant] = constants[w->material];
            palette_of[variant] = w->material;
            vxe_set_stiffness(m, &constants[variant], w->youngs,
                              vxe_scene_material(scene, w->material)->poissons_ratio);
        }
        m->material[w->voxel] = (uint16_t)variant;
    }
    m->constant_count = total;
    return VXE_OK;
}

vxe_result vxe_build_variants(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    m->view.material = m->material;
    if (n < 1 || !vxe_scene_has_field(scene, VXE_FIELD_STIFFNESS)) return VXE_OK;
    m->palette_material = vxe_allocate((size_t)n, sizeof *m->palette_material);
    wanted_variant *wanted = vxe_allocate((size_t)n, sizeof *wanted);
    if (m->palette_material == NULL || wanted == NULL) {
        free(wanted);
        return vxe_fail_memory(error, "the model", (size_t)n * sizeof *wanted);
    }
    m->bytes += (size_t)n * sizeof *m->palette_material;
    memcpy(m->palette_material, m->material, (size_t)n * sizeof *m->material);
    m->view.material = m->palette_material;
    int32_t count = 0;
    for (int32_t v = 0; v < n; v++) {
        const double youngs =
            vxe_scene_field(scene, VXE_FIELD_STIFFNESS, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
        if (youngs == 0.0 || youngs == m->materials[m->material[v]].youngs) continue;
        wanted[count++] = (wanted_variant){youngs, v, m->material[v]};
    }
    qsort(wanted, (size_t)count, sizeof *wanted, compare_variants);
    const vxe_result result = make_variants(m, scene, wanted, count, error);
    free(wanted);
    return result;
}

/* ---- fields and formulas --------------------------------------------------------------------------------------------- */

/* The number of the separate part that each voxel belongs to, 0: it is bonded to what it touches. None where
 * no part is separate, so that names alone change nothing. */
static vxe_result build_parts(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    bool apart = false;
    for (int32_t p = 1; p <= vxe_scene_part_count(scene); p++)
        apart = apart || vxe_scene_part(scene, p)->separate;
    if (!apart || !vxe_scene_has_field(scene, VXE_FIELD_PART)) return VXE_OK;
    double *parts = vxe_allocate((size_t)n, sizeof *parts);
    if (parts == NULL) return vxe_fail_memory(error, "the model", (size_t)n * sizeof *parts);
    m->fields[VXE_FIELD_PART] = parts;
    m->bytes += (size_t)n * sizeof *parts;
    for (int32_t v = 0; v < n; v++) {
        const double part =
            vxe_scene_field(scene, VXE_FIELD_PART, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
        const vxe_part_def *def = vxe_scene_part(scene, (int32_t)part);
        parts[v] = def != NULL && def->separate ? part : 0.0;
    }
    return VXE_OK;
}

vxe_result vxe_build_extras(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (f == VXE_FIELD_STIFFNESS || f == VXE_FIELD_PART || !vxe_scene_has_field(scene, (vxe_field)f))
            continue;
        m->fields[f] = vxe_allocate((size_t)n, sizeof(double));
        if (m->fields[f] == NULL) return vxe_fail_memory(error, "the model", (size_t)n * sizeof(double));
        m->bytes += (size_t)n * sizeof(double);
        for (int32_t v = 0; v < n; v++)
            m->fields[f][v] =
                vxe_scene_field(scene, (vxe_field)f, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
    }
    const vxe_result parted = build_parts(m, scene, error);
    if (parted != VXE_OK) return parted;
    for (int r = 0; r < VXE_FORMULA_COUNT; r++) {
        const vxe_result result =
            vxe_formula_parse(vxe_scene_formula(scene, (vxe_formula_role)r), &m->formulas[r], error);
        if (result != VXE_OK) return result;
        for (int32_t i = 0; i < m->formulas[r].count; i++) {
            const vxe_token *t = &m->formulas[r].tokens[i];
            if (t->operation != VXE_OP_VARIABLE) continue;
            m->watches_hits = m->watches_hits || t->variable == VXE_VARIABLE_HIT;
            m->watches_way = m->watches_way || t->variable == VXE_VARIABLE_ANGLE;
        }
    }
    m->watches_hits = m->watches_hits || vxe_scene_experiment(scene).needle[0] != '\0';
    m->grows = m->fields[VXE_FIELD_SIZE_START] != NULL || m->fields[VXE_FIELD_SIZE_END] != NULL ||
               m->fields[VXE_FIELD_PHASE_CHANGE] != NULL || m->fields[VXE_FIELD_AMPLITUDE_CHANGE] != NULL;
    m->outside = m->environment.drag > 0.0 || m->fields[VXE_FIELD_CILIA_X] != NULL ||
                 m->fields[VXE_FIELD_CILIA_Y] != NULL || m->fields[VXE_FIELD_CILIA_Z] != NULL;
    for (int a = 0; a < 3; a++) m->outside = m->outside || m->fields[VXE_FIELD_SHIFT_X + a] != NULL;
    for (int a = 0; a < 3; a++) m->outside = m->outside || m->formulas[VXE_FORMULA_FORCE_X + a].count > 0;
    const vxe_water_def *water = vxe_scene_water(scene);
    m->has_water = water != NULL;
    if (m->has_water) m->water = *water;
    m->outside = m->outside || m->has_water;
    m->pair_distance = vxe_scene_experiment(scene).pair_distance * m->view.pitch;
    const vxe_experiment experiment = vxe_scene_experiment(scene);
    if (experiment.fall[0] != '\0') m->fall = vxe_scene_find_material(scene, experiment.fall);
    return VXE_OK;
}

/* ---- hash ------------------------------------------------------------------------------------------------------------ */

/* A number that most models have at zero: hashed only where it is not, with its kind and place. */
static uint64_t hash_if(uint64_t h, uint64_t kind, uint64_t place, double value)
{
    if (value == 0.0) return h;
    return vxe_hash_double(vxe_hash_u64(vxe_hash_u64(h, kind), place), value);
}

/* Goes on with a hash; models without extras leave it as it is. */
static uint64_t hash_extras(uint64_t h, const vxe_model *m)
{
    const vxe_environment *e = &m->environment;
    h = hash_if(h, 1, 0, e->floor_sticky ? 1.0 : 0.0);
    h = hash_if(h, 2, 0, e->floor_radius);
    h = hash_if(h, 3, 0, e->drag);
    h = hash_if(h, 4, 0, e->kinetic_damping ? 1.0 : 0.0);
    for (int32_t i = 1; i <= m->constant_count; i++)
        h = hash_if(h, 11, (uint64_t)i, m->materials[i].rigid ? 1.0 : 0.0);
    for (int32_t i = 1; i <= m->constant_count; i++) {
        h = hash_if(h, 14, (uint64_t)i, m->materials[i].ground_damping - 1.0);
        h = hash_if(h, 15, (uint64_t)i, m->materials[i].transparent ? 1.0 : 0.0);
    }
    h = hash_if(h, 12, 0, e->pause_time > 0.0 ? e->pause_begin : 0.0);
    h = hash_if(h, 13, 0, e->pause_time);
    if (e->slow_window > 0.0) {
        h = hash_if(h, 16, 0, e->slow_window);
        h = hash_if(h, 17, 0, e->slow_loss);
        h = hash_if(h, 18, 0, e->slow_factor);
    }
    for (int32_t i = 1; i <= m->constant_count; i++) h = hash_if(h, 5, (uint64_t)i, m->materials[i].delay);
    for (int32_t r = 0; r < m->view.region_count; r++)
        h = hash_if(h, 6, (uint64_t)r, m->regions[r].def.in_place ? 1.0 : 0.0);
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        const vxe_signal_def *d = &m->signals[s].def;
        h = hash_if(h, 7, (uint64_t)s, d->cool_only ? 1.0 : 0.0);
        h = hash_if(h, 8, (uint64_t)s, d->delay);
        h = hash_if(h, 9, (uint64_t)s, d->size_min);
        h = hash_if(h, 10, (uint64_t)s, d->size_max);
    }
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        for (int32_t v = 0; m->fields[f] != NULL && v < m->view.voxel_count; v++)
            h = hash_if(h, 32 + (uint64_t)f, (uint64_t)v, m->fields[f][v]);
    }
    for (int r = VXE_FORMULA_FORCE_X; r <= VXE_FORMULA_FLOW_Z; r++) {
        for (int32_t i = 0; i < m->formulas[r].count; i++) {
            const vxe_token *t = &m->formulas[r].tokens[i];
            h = vxe_hash_u64(h, 64 + (uint64_t)r);
            h = vxe_hash_u64(h, (uint64_t)t->operation << 8 | (uint64_t)t->variable);
            h = vxe_hash_double(h, t->number);
        }
    }
    return h;
}

static uint64_t hash_doubles(uint64_t h, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) h = vxe_hash_double(h, values[i]);
    return h;
}

uint64_t vxe_hash_model(const vxe_model *m)
{
    uint64_t h = VXE_HASH_START;
    h = vxe_hash_double(h, m->view.pitch);
    const int32_t n = m->view.voxel_count;
    h = vxe_hash_u64(h, (uint64_t)n);
    for (int32_t v = 0; v < n; v++) {
        for (int a = 0; a < 3; a++) h = vxe_hash_u64(h, (uint64_t)m->cell[a][v]);
        h = vxe_hash_u64(h, m->material[v]);
        h = vxe_hash_u64(h, m->fixed[v]);
    }
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        const double values[] = {c->youngs,    c->shear,           c->lambda,          c->mass,
                                 c->expansion, c->static_friction, c->dynamic_friction};
        h = hash_doubles(h, values, sizeof values / sizeof *values);
        h = vxe_hash_u64(h, (uint64_t)(int64_t)c->signal);
    }
    for (int32_t i = 0; i < m->class_count; i++) h = vxe_hash_double(h, m->classes[i].failure);
    h = hash_doubles(h, m->flow_strain, (size_t)m->flow_total);
    h = hash_doubles(h, m->flow_stress, (size_t)m->flow_total);
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const vxe_region_def *d = &m->regions[r].def;
        h = vxe_hash_u64(h, (uint64_t)d->fixed << 1 | (d->clamp ? 1U : 0U));
        h = hash_doubles(h, d->displacement, 3);
        h = hash_doubles(h, d->rotation, 3);
        h = hash_doubles(h, d->force, 3);
        h = hash_doubles(h, d->torque, 3);
        h = vxe_hash_double(h, d->ramp);
        h = hash_doubles(h, m->regions[r].pivot, 3);
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++)
            h = vxe_hash_u64(h, (uint64_t)m->region_voxel[i]);
    }
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        const vxe_signal_def *d = &m->signals[s].def;
        const double values[] = {d->base, d->reference, d->amplitude, d->period, d->phase, d->start};
        h = hash_doubles(h, values, sizeof values / sizeof *values);
        h = vxe_hash_u64(h, (uint64_t)d->waveform * 2 + (d->contract_only ? 1U : 0U));
    }
    h = hash_doubles(h, m->signal_tables, 2 * m->signal_table_count);
    for (int i = 0; i < 3; i++) {
        if (m->actuation[i] != NULL) h = hash_doubles(h, m->actuation[i], (size_t)m->actuated_count);
    }
    const vxe_environment *e = &m->environment;
    h = hash_doubles(h, e->gravity, 3);
    const double values[] = {e->damping_stretch, e->damping_rotation, e->damping_contact, e->damping_ground,
                             e->collision_horizon};
    h = hash_doubles(h, values, sizeof values / sizeof *values);
    /* what came later counts only where it is used: scenes without keep their hash */
    if (e->collision_distance != 1.0) h = vxe_hash_double(h, e->collision_distance);
    if (e->damping_turning != 1.0) h = vxe_hash_double(vxe_hash_u64(h, 1), e->damping_turning);
    if (e->collision_smooth) h = vxe_hash_u64(h, 2);
    if (e->links_unbalanced) h = vxe_hash_u64(h, 7);
    h = vxe_hash_u64(h, (uint64_t)e->floor | (uint64_t)e->elasticity << 8 | (uint64_t)e->plane << 16);
    h = vxe_hash_u64(h, e->collisions != VXE_COLLISIONS_OFF);
    h = vxe_world_hash(hash_extras(h, m), m->world);
    if (m->has_water) {
        const double water[] = {m->water.density, m->water.normal, m->water.tangential,
                                m->water.has_level ? m->water.level : 0.0, m->water.has_level ? 1.0 : 0.0};
        h = hash_doubles(h, water, sizeof water / sizeof *water);
    }
    return vxe_hash_rules(vxe_hash_start(h, m), m);
}
