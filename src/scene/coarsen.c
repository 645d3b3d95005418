/* A scene with larger voxels: blocks of fine voxels become one each. See vxe_scene_coarsen().
 *
 * Mixtures that are nearly alike share a material, whose figures are the means of its voxels, so that mass is
 * kept to the last digit. How near is found by trying: as fine as the palette allows. */
#include "base/base.h"
#include "scene/mixture.h"
#include "voxelastic/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR_MIN = 2, FACTOR_MAX = 64, MIXTURES_MAX = 1000, FIGURES = 6 };

/* Materials made for mixtures: sums over their voxels. */
typedef struct mixture_sum {
    int64_t key[FIGURES + 1];
    int64_t count;
    mixture sum;
    bool single; /* all of one material and voids */
    double full; /* sum of the parts that are not void */
} mixture_sum;

typedef struct coarsener {
    const vxe_scene *fine;
    int32_t factor;
    int32_t size[3]; /* of the coarse scene */
    vxe_scene *made;
    double *youngs;   /* (factor^3): of the block at hand */
    double *share;    /* (material_count + 1): cells of each material in the block */
    uint16_t *voxels; /* (coarse cells): material, or material_count + 1 + mixture */
    mixture_sum sums[MIXTURES_MAX];
    int32_t sum_count;
    double tolerance;
    vxe_coarsen_report report;
} coarsener;

/* What is in a block. */
typedef struct block {
    int32_t first[3];
    int32_t filled;
    int32_t only; /* the material, if there is but one; else -1; 0: empty */
} block;

static void free_coarsener(coarsener *c)
{
    if (c == NULL) return;
    free(c->youngs);
    free(c->share);
    free(c->voxels);
    free(c);
}

/* Counts the materials of a block and takes down its stiffnesses. */
static block look_at(coarsener *c, int32_t i, int32_t j, int32_t k)
{
    const int32_t f = c->factor;
    block b = {{i * f, j * f, k * f}, 0, 0};
    const bool own = vxe_scene_has_field(c->fine, VXE_FIELD_STIFFNESS);
    memset(c->share, 0, ((size_t)c->fine->material_count + 1) * sizeof *c->share);
    for (int32_t n = 0; n < f * f * f; n++) {
        const int32_t x = b.first[0] + n % f;
        const int32_t y = b.first[1] + n / f % f;
        const int32_t z = b.first[2] + n / f / f;
        const int32_t m = vxe_scene_voxel(c->fine, x, y, z);
        c->youngs[n] = 0.0;
        if (m == 0) continue;
        c->youngs[n] = c->fine->materials[m - 1].youngs_modulus;
        if (own) {
            const double stiffness = vxe_scene_field(c->fine, VXE_FIELD_STIFFNESS, x, y, z);
            if (stiffness > 0.0) c->youngs[n] = stiffness;
        }
        c->share[m] += 1.0;
        b.only = b.filled == 0 || b.only == m ? m : -1;
        b.filled++;
    }
    return b;
}

static mixture mix(coarsener *c, const block *b)
{
    const double cells = (double)c->factor * c->factor * c->factor;
    mixture m = {.main = 1};
    double stiff = 0.0;
    m.youngs = vxe_mixture_stiffness(c->youngs, c->factor);
    for (int32_t n = 1; n <= c->fine->material_count; n++) {
        const vxe_material_def *def = &c->fine->materials[n - 1];
        const double part = c->share[n] / b->filled;
        if (!(part > 0.0)) continue;
        m.density += def->density * c->share[n] / cells;
        m.poisson += def->poissons_ratio * part;
        m.static_friction += def->static_friction * part;
        m.dynamic_friction += def->dynamic_friction * part;
        m.expansion += def->expansion * def->youngs_modulus * part;
        stiff += def->youngs_modulus * part;
        for (int i = 0; i < 4; i++) m.color[i] += def->color[i] * part;
        if (c->share[n] > c->share[m.main]) m.main = n;
    }
    m.expansion /= stiff;
    return m;
}

/* A number as steps of the tolerance. */
static int64_t steps_of(double value, double scale, double tolerance)
{
    return scale > 0.0 && tolerance > 0.0 ? llround(value / scale / tolerance) : 0;
}

/* The mixture's place among the sums; -1: there are too many. */
static int32_t find_sum(coarsener *c, const mixture *m, int32_t only)
{
    const double t = c->tolerance;
    int64_t key[FIGURES + 1] = {llround(log(m->youngs) / t),
                                llround(log(m->density) / t),
                                steps_of(m->poisson, 0.5, t),
                                steps_of(m->static_friction, 1.0, t),
                                steps_of(m->dynamic_friction, 1.0, t),
                                m->expansion == 0.0 ? INT64_MIN : llround(m->expansion / 1e-2 / t),
                                m->main};
    for (int32_t n = 0; n < c->sum_count; n++)
        if (memcmp(c->sums[n].key, key, sizeof key) == 0) return n;
    if (c->sum_count == MIXTURES_MAX || c->sum_count == VXE_MATERIALS_MAX - c->fine->material_count)
        return -1;
    mixture_sum *new = &c->sums[c->sum_count];
    *new = (mixture_sum){.single = true, .sum = {.main = m->main}};
    memcpy(new->key, key, sizeof key);
    new->single = only > 0;
    return c->sum_count++;
}

static void add_to_sum(mixture_sum *s, const mixture *m, bool single, double full)
{
    s->count++;
    s->single = s->single && single;
    s->full += full;
    s->sum.youngs += m->youngs;
    s->sum.density += m->density;
    s->sum.poisson += m->poisson;
    s->sum.expansion += m->expansion;
    s->sum.static_friction += m->static_friction;
    s->sum.dynamic_friction += m->dynamic_friction;
    for (int i = 0; i < 4; i++) s->sum.color[i] += m->color[i];
}

static bool is_simplified(const coarsener *c)
{
    for (int32_t n = 1; n <= c->fine->material_count; n++)
        if (c->share[n] > 0.0 && (c->fine->materials[n - 1].law != VXE_LAW_LINEAR ||
                                  c->fine->materials[n - 1].failure_stress > 0.0))
            return true;
    return false;
}

/* Sorts all blocks into materials and mixtures; false: there are too many mixtures. */
static bool sort_blocks(coarsener *c)
{
    const int32_t cells = c->factor * c->factor * c->factor;
    uint16_t *voxel = c->voxels;
    const bool own = vxe_scene_has_field(c->fine, VXE_FIELD_STIFFNESS);
    c->sum_count = 0;
    c->report = (vxe_coarsen_report){.tolerance = c->tolerance};
    for (int32_t k = 0; k < c->size[2]; k++) {
        for (int32_t j = 0; j < c->size[1]; j++) {
            for (int32_t i = 0; i < c->size[0]; i++, voxel++) {
                const block b = look_at(c, i, j, k);
                *voxel = 0;
                if (b.filled == 0) continue;
                c->report.voxels++;
                if (b.only > 0 && b.filled == cells && !own) {
                    *voxel = (uint16_t)b.only;
                    continue;
                }
                const mixture m = mix(c, &b);
                const int32_t n = find_sum(c, &m, b.only);
                if (n < 0) return false;
                add_to_sum(&c->sums[n], &m, b.only > 0, (double)b.filled / cells);
                *voxel = (uint16_t)(c->fine->material_count + 1 + n);
                c->report.mixed++;
                if (is_simplified(c)) c->report.simplified++;
            }
        }
    }
    return true;
}

static vxe_result add_materials(coarsener *c, vxe_error *error)
{
    vxe_result result = VXE_OK;
    int32_t number = 0;
    for (int32_t n = 0; n < c->fine->material_count && result == VXE_OK; n++)
        result = vxe_scene_add_material(c->made, &c->fine->materials[n], &number, error);
    for (int32_t n = 0; n < c->sum_count && result == VXE_OK; n++) {
        const mixture_sum *s = &c->sums[n];
        const double count = (double)s->count;
        const vxe_material_def *main = &c->fine->materials[s->sum.main - 1];
        vxe_material_def def = *main;
        if (s->single && strlen(main->name) < 40) {
            (void)snprintf(def.name, sizeof def.name, "%.40s, %.0f %% full", main->name,
                           100.0 * s->full / count);
        } else {
            (void)snprintf(def.name, sizeof def.name, "mixture %d", (int)n + 1);
        }
        def.law = VXE_LAW_LINEAR;
        def.yield_stress = def.plastic_modulus = def.failure_stress = 0.0;
        def.table_count = 0;
        memset(def.table_strain, 0, sizeof def.table_strain);
        memset(def.table_stress, 0, sizeof def.table_stress);
        def.youngs_modulus = s->sum.youngs / count;
        def.poissons_ratio = fmin(s->sum.poisson / count, 0.49);
        def.density = s->sum.density / count;
        def.expansion = s->sum.expansion / count;
        def.dynamic_friction = s->sum.dynamic_friction / count;
        def.static_friction = fmax(s->sum.static_friction / count, def.dynamic_friction);
        for (int i = 0; i < 4; i++) def.color[i] = (uint8_t)(s->sum.color[i] / count + 0.5);
        result = vxe_scene_add_material(c->made, &def, &number, error);
    }
    return result;
}

/* The part that most voxels of a block belong to; of several, the lowest. */
static double commonest_part(const coarsener *c, int32_t i, int32_t j, int32_t k)
{
    const int32_t f = c->factor;
    double best = 0.0;
    int32_t most = 0;
    if (!vxe_scene_has_field(c->fine, VXE_FIELD_PART)) return 0.0;
    for (int32_t part = 0; part <= vxe_scene_part_count(c->fine); part++) {
        int32_t count = 0;
        for (int32_t n = 0; n < f * f * f; n++) {
            const int32_t x = i * f + n % f;
            const int32_t y = j * f + n / f % f;
            const int32_t z = k * f + n / f / f;
            count += vxe_scene_voxel(c->fine, x, y, z) != 0 &&
                     vxe_scene_field(c->fine, VXE_FIELD_PART, x, y, z) == part;
        }
        if (count <= most) continue;
        most = count;
        best = part;
    }
    return best;
}

/* Means over the voxels of a block of what voxels have of their own. */
static vxe_result copy_own(coarsener *c, int32_t i, int32_t j, int32_t k, bool actuated, vxe_error *error)
{
    const int32_t f = c->factor;
    double turn[2] = {0.0, 0.0}; /* phases are angles: their mean is that of directions */
    vxe_actuation mean = {.phase = 0.0};
    double field[VXE_FIELD_COUNT] = {0.0};
    double count = 0.0;
    for (int32_t n = 0; n < f * f * f; n++) {
        const int32_t x = i * f + n % f;
        const int32_t y = j * f + n / f % f;
        const int32_t z = k * f + n / f / f;
        if (vxe_scene_voxel(c->fine, x, y, z) == 0) continue;
        count += 1.0;
        if (actuated) {
            const vxe_actuation a = vxe_scene_actuation(c->fine, x, y, z);
            turn[0] += cos(2.0 * 3.14159265358979323846 * a.phase);
            turn[1] += sin(2.0 * 3.14159265358979323846 * a.phase);
            mean.amplitude += a.amplitude;
            mean.period += a.period;
        }
        for (int n_field = 0; n_field < VXE_FIELD_COUNT; n_field++)
            field[n_field] += vxe_scene_field(c->fine, (vxe_field)n_field, x, y, z);
    }
    vxe_result result = VXE_OK;
    if (count == 0.0) return result;
    field[VXE_FIELD_PART] = count * commonest_part(c, i, j, k);
    if (actuated) {
        mean.phase =
            hypot(turn[0], turn[1]) > 1e-9 ? atan2(turn[1], turn[0]) / (2.0 * 3.14159265358979323846) : 0.0;
        mean.amplitude /= count;
        mean.period /= count;
        result = vxe_scene_set_actuation(c->made, i, j, k, &mean, error);
    }
    for (int n = 0; n < VXE_FIELD_COUNT && result == VXE_OK; n++) {
        const bool force = n == VXE_FIELD_CILIA_X || n == VXE_FIELD_CILIA_Y || n == VXE_FIELD_CILIA_Z;
        if (field[n] == 0.0 || n == VXE_FIELD_STIFFNESS) continue; /* the mixtures have it */
        result =
            vxe_scene_set_field(c->made, (vxe_field)n, i, j, k, force ? field[n] : field[n] / count, error);
    }
    return result;
}

static vxe_result fill(coarsener *c, vxe_error *error)
{
    vxe_result result = VXE_OK;
    const double cell = pow(vxe_scene_pitch(c->made), 3.0);
    const bool actuated = vxe_scene_has_actuation(c->fine);
    bool own = actuated;
    for (int n = 0; n < VXE_FIELD_COUNT; n++)
        own = own || (n != VXE_FIELD_STIFFNESS && vxe_scene_has_field(c->fine, (vxe_field)n));
    const uint16_t *voxel = c->voxels;
    for (int32_t k = 0; k < c->size[2]; k++) {
        for (int32_t j = 0; j < c->size[1]; j++) {
            for (int32_t i = 0; i < c->size[0] && result == VXE_OK; i++, voxel++) {
                if (*voxel == 0) continue;
                result = vxe_scene_set_voxel(c->made, i, j, k, *voxel, error);
                c->report.mass += cell * vxe_scene_material(c->made, *voxel)->density;
                if (own && result == VXE_OK) result = copy_own(c, i, j, k, actuated, error);
            }
        }
    }
    return result;
}

/* A region at the same place in metres. */
static vxe_result copy_region(const coarsener *c, int32_t n, vxe_error *error)
{
    vxe_region_def def = *vxe_scene_region(c->fine, n);
    vxe_shape *s = &def.shape;
    int32_t *cells = NULL;
    int32_t number = 0;
    const double pitch = c->fine->pitch;
    if (s->kind == VXE_SHAPE_CELLS) {
        cells = malloc(3 * (size_t)s->cell_count * sizeof *cells);
        if (cells == NULL) return vxe_fail_memory(error, "a region", 12 * (size_t)s->cell_count);
        int32_t kept = 0;
        for (int32_t i = 0; i < s->cell_count; i++) {
            int32_t cell[3];
            bool known = false;
            for (int a = 0; a < 3; a++) cell[a] = s->cells[3 * i + a] / c->factor;
            /* Neighbours in the list are neighbours in space: looking back a little finds nearly all. */
            for (int32_t back = kept - 1; back >= 0 && back >= kept - 64 && !known; back--)
                known = memcmp(cells + 3 * back, cell, sizeof cell) == 0;
            if (!known) memcpy(cells + 3 * kept++, cell, sizeof cell);
        }
        s->cells = cells;
        s->cell_count = kept;
    } else if (s->units != VXE_UNITS_METRES) {
        const double shortest = fmin(c->fine->size[0], fmin(c->fine->size[1], c->fine->size[2]));
        const bool part = s->units == VXE_UNITS_FRACTION;
        for (int a = 0; a < 3; a++) {
            const double along = part ? pitch * c->fine->size[a] : pitch;
            s->corner[a] *= along;
            s->sides[a] *= along;
            s->center[a] *= along;
            s->radius[a] *= part ? pitch * shortest : pitch;
        }
        s->length *= part ? pitch * c->fine->size[s->axis] : pitch;
        s->thickness *= part ? pitch * shortest : pitch;
        s->units = VXE_UNITS_METRES;
    }
    const vxe_result result = vxe_scene_add_region(c->made, &def, &number, error);
    free(cells);
    return result;
}

/* Everything but the voxels and the palette. */
static vxe_result copy_rest(const coarsener *c, vxe_error *error)
{
    const vxe_scene *fine = c->fine;
    int32_t number = 0;
    const vxe_environment environment = vxe_scene_environment(fine);
    const vxe_stop stop = vxe_scene_stop(fine);
    const vxe_experiment experiment = vxe_scene_experiment(fine);
    vxe_result result = vxe_scene_describe(c->made, vxe_scene_name(fine), vxe_scene_description(fine), error);
    if (result == VXE_OK) result = vxe_scene_set_environment(c->made, &environment, error);
    for (int32_t n = 0; n < vxe_scene_signal_count(fine) && result == VXE_OK; n++)
        result = vxe_scene_add_signal(c->made, vxe_scene_signal(fine, n), &number, error);
    for (int32_t n = 1; n <= vxe_scene_part_count(fine) && result == VXE_OK; n++)
        result = vxe_scene_add_part(c->made, vxe_scene_part(fine, n), &number, error);
    for (int32_t n = 0; n < vxe_scene_region_count(fine) && result == VXE_OK; n++)
        result = copy_region(c, n, error);
    for (int n = 0; n < VXE_FORMULA_COUNT && result == VXE_OK; n++)
        result = vxe_scene_set_formula(c->made, (vxe_formula_role)n,
                                       vxe_scene_formula(fine, (vxe_formula_role)n), error);
    if (result == VXE_OK) result = vxe_scene_set_stop(c->made, &stop, error);
    if (result == VXE_OK) result = vxe_scene_set_experiment(c->made, &experiment, error);
    if (result == VXE_OK) result = vxe_scene_set_output(c->made, vxe_scene_output(fine), error);
    return result;
}

vxe_result vxe_scene_coarsen(const vxe_scene *scene, int32_t factor, vxe_scene **coarse,
                             vxe_coarsen_report *report, vxe_error *error)
{
    static const double tolerances[] = {1e-9, 0.01, 0.03, 0.1, 0.3};
    if (scene == NULL || coarse == NULL) return vxe_refuse_null(error);
    if (factor < FACTOR_MIN || factor > FACTOR_MAX)
        return vxe_fail(error, VXE_ERROR_INPUT, "voxels can be made %d to %d times as large, not %d",
                        FACTOR_MIN, FACTOR_MAX, (int)factor);
    coarsener *c = calloc(1, sizeof *c);
    if (c == NULL) return vxe_fail_memory(error, "coarser voxels", sizeof *c);
    c->fine = scene;
    c->factor = factor;
    for (int a = 0; a < 3; a++) c->size[a] = (scene->size[a] + factor - 1) / factor;
    vxe_result result =
        vxe_scene_create(scene->pitch * factor, c->size[0], c->size[1], c->size[2], &c->made, error);
    const size_t cells = (size_t)c->size[0] * (size_t)c->size[1] * (size_t)c->size[2];
    c->youngs = malloc((size_t)factor * (size_t)factor * (size_t)factor * sizeof *c->youngs);
    c->share = malloc(((size_t)scene->material_count + 1) * sizeof *c->share);
    c->voxels = calloc(cells, sizeof *c->voxels);
    if (result == VXE_OK && (c->youngs == NULL || c->share == NULL || c->voxels == NULL))
        result = vxe_fail_memory(error, "coarser voxels", cells * sizeof *c->voxels);
    bool sorted = false;
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0] && !sorted && result == VXE_OK; i++) {
        c->tolerance = tolerances[i];
        sorted = sort_blocks(c);
    }
    if (result == VXE_OK && !sorted)
        result = vxe_fail(error, VXE_ERROR_LIMIT, "the mixtures of the larger voxels are too many materials");
    if (result == VXE_OK) result = add_materials(c, error);
    if (result == VXE_OK) result = fill(c, error);
    if (result == VXE_OK) result = copy_rest(c, error);
    c->report.materials = c->sum_count;
    if (result == VXE_OK) {
        if (report != NULL) *report = c->report;
        *coarse = c->made;
    } else {
        vxe_scene_destroy(c->made);
    }
    free_coarsener(c);
    return result;
}
