/* Linear statics: K u = f about the start of the model. In: a simulation. Out: displacements, reactions,
 * strains and stresses. */
#include "base/base.h"
#include "base/settings.h"
#include "base/vec.h"
#include "sim/floor.h"
#include "sim/pressure.h"
#include "solve/equations.h"
#include "solve/motions.h"
#include "solve/supports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than this, and iteration is faster than a factor. */
#define FLOPS_MAX 2e9

struct vxe_linear {
    const vxe_model *model;
    vxe_linear_view view;
    double *memory;
    double *reaction; /* (6 voxels), voxel by voxel */
};

/* Arrays of a solution, each (voxels), in this order in memory. */
enum {
    DISPLACEMENT = 0,
    ROTATION = 3,
    REACTION = 6,
    REACTION_MOMENT = 9,
    GROWTH = 12,
    PRESSURE = 13,
    LINK_STRAIN = 14,
    LINK_STRESS = 17,
    VOXEL_STRAIN = 20,
    VOXEL_STRESS = 23,
    ARRAYS = 26
};

static const vxe_linear_def defaults = {
    .size = sizeof(vxe_linear_def), .solver = VXE_SOLVER_AUTO, .tolerance = 1e-8, .time = -1.0};
static const settings_type linear_type = {"vxe_linear_def", sizeof(vxe_linear_def),
                                          SETTINGS_END(vxe_linear_def, time), &defaults};

void vxe_linear_def_init(vxe_linear_def *def, size_t size)
{
    vxe_settings_give(&linear_type, NULL, def, size);
}

static vxe_result check_def(const vxe_linear_def *def, vxe_error *error)
{
    if (def->solver < VXE_SOLVER_AUTO || def->solver > VXE_SOLVER_ITERATIVE)
        return vxe_fail(error, VXE_ERROR_INPUT, "solver %d is not known", (int)def->solver);
    if (!(def->tolerance >= 1e-14 && def->tolerance <= 1e-2)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "tolerance %g is not within 1e-14 to 1e-2", def->tolerance);
    }
    return VXE_OK;
}

/* ---- solving ------------------------------------------------------------------------------------------------------ */

static vxe_result check_supports(const lattice *l, const pose *p, vxe_error *error)
{
    free_motions motions;
    vxe_result result = vxe_free_motions(l, p, l->held, &motions, error);
    if (result != VXE_OK) return result;
    if (motions.count > 0) {
        char text[768];
        vxe_describe_motions(l, &motions, text, sizeof text);
        result = vxe_fail(error, VXE_ERROR_INPUT, "the supports do not hold everything: %s%s", text,
                          l->sim->environment.floor
                              ? " (the floor holds nothing in linear statics; `equilibrium` knows it)"
                              : "");
    }
    vxe_free_motions_destroy(&motions);
    return result;
}

/* Work space: all of (6 voxels). */
typedef struct linear_work {
    double *u;     /* displacements and rotations */
    double *force; /* what the links exert at u: growth's part minus K u */
    double *right; /* loads and growth's forces */
    double *b;     /* (unknowns) */
    double *x;     /* (unknowns) */
} linear_work;

static double scaled_norm(const lattice *l, const double *v, const sparse *k)
{
    double sum = 0.0;
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        if (k->unknown[i] < 0) continue;
        const double x = i % DOFS < 3 ? v[i] : v[i] / l->pitch;
        sum += x * x;
    }
    return sqrt(sum);
}

/* Solves for the free unknowns; w->u holds what is prescribed when it begins, everything when it is done. */
static vxe_result solve(const lattice *l, const pose *start, equations *q, const linear_work *w,
                        double tolerance, double *residual, vxe_error *error)
{
    const size_t size = DOFS * (size_t)l->voxels;
    /* forces of growth: what the links of the undeformed lattice exert at their new sizes */
    pose grown = *start;
    grown.growth = l->growth;
    (void)vxe_lattice_gradient(l, &grown, false, w->right);
    for (size_t i = 0; i < size; i++) w->right[i] = l->load[i] - w->right[i];
    vxe_tangent_apply(l, start, false, w->u, w->force);
    for (size_t i = 0; i < size; i++) w->force[i] = w->right[i] - w->force[i];
    const double scale = scaled_norm(l, w->force, &q->k);
    *residual = 0.0;
    if (q->k.size == 0 || scale == 0.0) return VXE_OK;
    vxe_equations_fill(q, start, false, NULL);
    const factor_state state = vxe_equations_update(q, start, 0.0);
    if (state == FACTOR_NO_MEMORY)
        return vxe_fail_memory(error, "the factor of the stiffness matrix", q->cost.bytes);
    if (state == FACTOR_NOT_POSITIVE)
        return vxe_fail(error, VXE_ERROR_DIVERGED, "the stiffness matrix is singular to machine precision");
    /* Corrections from the forces of the links themselves, which know the differences of displacements
     * exactly, where the matrix only has rounded sums: so long slender bodies keep their digits. What is left
     * of the residual when corrections stop is the rounding of u. */
    double before = INFINITY;
    for (int round = 0; round < 8; round++) {
        vxe_sparse_gather(&q->k, l, w->force, w->b);
        if (vxe_equations_solve(q, w->b, w->x, 1e-6) != FACTOR_GOOD) {
            return vxe_fail(error, VXE_ERROR_DIVERGED,
                            "the stiffness matrix is not positive to machine precision");
        }
        double change = 0.0;
        double size_of_u = 0.0;
        for (size_t i = 0; i < size; i++) {
            if (q->k.unknown[i] < 0) continue;
            const double step = w->x[q->k.unknown[i]];
            w->u[i] += step;
            const double unit = i % DOFS < 3 ? 1.0 : l->pitch;
            change = fmax(change, unit * fabs(step));
            size_of_u = fmax(size_of_u, unit * fabs(w->u[i]));
        }
        vxe_tangent_apply(l, start, false, w->u, w->force);
        for (size_t i = 0; i < size; i++) w->force[i] = w->right[i] - w->force[i];
        *residual = scaled_norm(l, w->force, &q->k) / scale;
        if (*residual <= 1e-3 * tolerance || change <= 1e-12 * size_of_u) return VXE_OK;
        if (change <= tolerance * size_of_u && change > 0.5 * before) return VXE_OK;
        if (round > 0 && change > 0.5 * before) break;
        before = change;
    }
    if (*residual <= tolerance) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_DIVERGED, "the residual is %.3g, more than %.3g, after %lld iterations",
                    *residual, tolerance, (long long)q->cost.iterations);
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

static vxe_result allocate_view(vxe_linear *s, const lattice *l, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    s->memory = vxe_allocate(ARRAYS * n, sizeof(double));
    s->reaction = vxe_allocate(DOFS * n, sizeof(double));
    if (s->memory == NULL || s->reaction == NULL)
        return vxe_fail_memory(error, "the solution", (ARRAYS + DOFS) * n * sizeof(double));
    vxe_linear_view *v = &s->view;
    v->voxel_count = l->voxels;
    for (size_t a = 0; a < 3; a++) {
        v->displacement[a] = s->memory + (DISPLACEMENT + a) * n;
        v->rotation[a] = s->memory + (ROTATION + a) * n;
        v->reaction[a] = s->memory + (REACTION + a) * n;
        v->reaction_moment[a] = s->memory + (REACTION_MOMENT + a) * n;
        v->voxel_strain[a] = s->memory + (VOXEL_STRAIN + a) * n;
        v->voxel_stress[a] = s->memory + (VOXEL_STRESS + a) * n;
    }
    v->growth = s->memory + GROWTH * n;
    v->pressure = s->memory + PRESSURE * n;
    v->link_strain = s->memory + LINK_STRAIN * n;
    v->link_stress = s->memory + LINK_STRESS * n;
    return VXE_OK;
}

/* Strain, pressure and stress of the links under the displacements u. */
static void fill_links(vxe_linear *s, const lattice *l, const double *u)
{
    const vxe_model *m = l->model;
    const size_t n = (size_t)l->voxels;
    double *strain = s->memory + LINK_STRAIN * n;
    double *stress = s->memory + LINK_STRESS * n;
    memcpy(l->volume, l->loaded, n * sizeof *l->volume);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const size_t at = (size_t)link->axis * n + (size_t)link->near;
        const double stretch = u[DOFS * (size_t)link->far + (size_t)link->axis] -
                               u[DOFS * (size_t)link->near + (size_t)link->axis];
        /* without sums that would cost digits where nothing grows */
        const double grown =
            link_rest_length(l->pitch, l->growth[link->near], l->growth[link->far]) - l->pitch;
        double elastic = stretch - grown;
        if (l->plastic != NULL) elastic = link_elastic_stretch(elastic, l->pitch, l->plastic[i]);
        const double e = link_strain(elastic, 1.0 / l->pitch);
        strain[at] = e;
        l->volume[link->near] += m->classes[link->kind].near_weight * e;
        l->volume[link->far] += m->classes[link->kind].far_weight * e;
        s->view.strain_max = fmax(s->view.strain_max, fabs(e));
    }
    if (l->modulus != NULL) vxe_pressure_from_volume(l->sim, l->volume, l->pressure);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const link_class *c = &m->classes[link->kind];
        const size_t at = (size_t)link->axis * n + (size_t)link->near;
        stress[at] = vxe_lattice_tension(l, i, l->pitch * strain[at]) / (l->pitch * l->pitch);
        const bool yields = c->flow_count > 0 && c->youngs * fabs(strain[at]) > m->flow_stress[c->flow_begin];
        const bool breaks = c->failure > 0.0 && stress[at] > c->failure;
        s->view.overstressed += yields || breaks;
        const size_t near = (size_t)link->near;
        const size_t far = (size_t)link->far;
        for (int end = 0; end < 2; end++) {
            const size_t v = end == 0 ? near : far;
            const size_t a = (size_t)link->axis;
            const bool both = l->faces[DOFS * v + 2 * a] >= 0 && l->faces[DOFS * v + 2 * a + 1] >= 0;
            s->memory[(VOXEL_STRAIN + a) * n + v] += (both ? 0.5 : 1.0) * strain[at];
            s->memory[(VOXEL_STRESS + a) * n + v] += (both ? 0.5 : 1.0) * stress[at];
        }
    }
    for (int32_t v = 0; v < l->voxels; v++) s->memory[PRESSURE * n + (size_t)v] = lattice_pressure(l, v);
}

/* `force`: K u minus loads and growth's forces, which is zero where a degree of freedom is free and the
 * support's force where it is held. */
static void fill_voxels(vxe_linear *s, const lattice *l, const double *u, const double *force)
{
    const size_t n = (size_t)l->voxels;
    double farthest = -1.0;
    for (size_t v = 0; v < n; v++) {
        double square = 0.0;
        double turned = 0.0;
        for (size_t a = 0; a < 3; a++) {
            s->memory[(DISPLACEMENT + a) * n + v] = u[DOFS * v + a];
            s->memory[(ROTATION + a) * n + v] = u[DOFS * v + 3 + a];
            square += u[DOFS * v + a] * u[DOFS * v + a];
            turned += u[DOFS * v + 3 + a] * u[DOFS * v + 3 + a];
        }
        for (size_t d = 0; d < DOFS; d++) {
            const double own = (l->held[v] >> d & 1) != 0 ? force[DOFS * v + d] : 0.0;
            s->reaction[DOFS * v + d] = own;
            s->memory[(REACTION + d) * n + v] = own;
        }
        s->memory[GROWTH * n + v] = l->growth[v];
        if (square > farthest) {
            farthest = square;
            s->view.displacement_voxel = (int32_t)v;
        }
        s->view.rotation_max = fmax(s->view.rotation_max, sqrt(turned));
        const double depth =
            vxe_floor_depth(l->sim, (int32_t)v, l->growth[v], l->model->start[0][v] + u[DOFS * v],
                            l->model->start[1][v] + u[DOFS * v + 1], l->model->start[2][v] + u[DOFS * v + 2]);
        if (depth > 1e-6 * l->pitch * (1.0 + l->growth[v])) s->view.below_floor++;
    }
    s->view.displacement_max = sqrt(farthest);
}

/* Elastic energy of u: half of u K u, less the work of growth's forces, plus what growth alone would store;
 * that is U(start + u), to second order. */
static double elastic_energy(const lattice *l, const pose *start, const double *u, const double *right,
                             const double *force)
{
    pose grown = *start;
    grown.growth = l->growth;
    const double energy = vxe_lattice_energy(l, &grown, false).energy;
    tree_sum work = {.count = 0};
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        const double stiff = force[i] + right[i];    /* K u */
        const double growth = right[i] - l->load[i]; /* minus the gradient of U at the start */
        sum_add(&work, u[i] * (0.5 * stiff - growth));
    }
    return energy + sum_total(&work);
}

/* Solves into `s`, whose arrays are there. */
static vxe_result fill_solution(vxe_linear *s, const lattice *l, const pose *start, const vxe_linear_def *def,
                                vxe_error *error)
{
    const size_t size = DOFS * (size_t)l->voxels;
    equations q;
    vxe_result result = vxe_equations_create(&q, l, def->solver, FLOPS_MAX, error);
    if (result != VXE_OK) return result;
    const size_t unknowns = (size_t)q.k.size;
    double *memory = vxe_allocate(3 * size + 2 * unknowns, sizeof *memory);
    if (memory == NULL) {
        vxe_equations_destroy(&q);
        return vxe_fail_memory(error, "the solution", 5 * size * sizeof *memory);
    }
    const linear_work w = {memory, memory + size, memory + 2 * size, memory + 3 * size,
                           memory + 3 * size + unknowns};
    vxe_prescribed(l, w.u);
    result = solve(l, start, &q, &w, def->tolerance, &s->view.residual, error);
    if (result == VXE_OK) {
        vxe_tangent_apply(l, start, false, w.u, w.force);
        for (size_t i = 0; i < size; i++) w.force[i] -= w.right[i];
        s->view.energy = elastic_energy(l, start, w.u, w.right, w.force);
        fill_voxels(s, l, w.u, w.force);
        fill_links(s, l, w.u);
        s->view.cost = q.cost;
    }
    free(memory);
    vxe_equations_destroy(&q);
    return result;
}

vxe_result vxe_solve_linear(vxe_sim *sim, const vxe_linear_def *def, vxe_linear **linear, vxe_error *error)
{
    if (sim == NULL || def == NULL || linear == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_solve_linear: NULL");
    vxe_linear_def own;
    vxe_result result = vxe_settings_take(&linear_type, def, &own, error);
    if (result == VXE_OK) result = vxe_refuse_living(sim, error);
    def = &own;
    if (result == VXE_OK) result = check_def(def, error);
    if (result != VXE_OK) return result;
    lattice l;
    pose start = {NULL, NULL, NULL};
    vxe_linear *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "the solution", sizeof *s);
    s->model = sim->model;
    result = vxe_lattice_create(&l, sim, vxe_static_time(sim, def->time), error);
    if (result == VXE_OK) {
        l.slack = true;
        result = vxe_pose_create(&l, &start, error);
    }
    if (result == VXE_OK) {
        vxe_pose_start(&l, &start);
        vxe_lattice_load(&l, &start);
        result = check_supports(&l, &start, error);
    }
    if (result == VXE_OK) result = allocate_view(s, &l, error);
    if (result == VXE_OK) result = fill_solution(s, &l, &start, def, error);
    vxe_pose_destroy(&start);
    vxe_lattice_destroy(&l);
    if (result != VXE_OK) {
        vxe_linear_destroy(s);
        return result;
    }
    *linear = s;
    return VXE_OK;
}

void vxe_linear_destroy(vxe_linear *linear)
{
    if (linear == NULL) return;
    free(linear->memory);
    free(linear->reaction);
    free(linear);
}

const vxe_linear_view *vxe_linear_get(const vxe_linear *linear)
{
    return linear != NULL ? &linear->view : NULL;
}

vxe_result vxe_linear_region_displacement(const vxe_linear *linear, int32_t region, double displacement[3],
                                          vxe_error *error)
{
    if (linear == NULL || displacement == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_linear_region_displacement: NULL");
    const vxe_model *m = linear->model;
    const vxe_result result = vxe_check_region_number(m, region, error);
    if (result != VXE_OK) return result;
    const int32_t begin = m->region_begin[region];
    const int32_t end = m->region_begin[region + 1];
    for (int a = 0; a < 3; a++) {
        tree_sum sum = {.count = 0};
        for (int32_t i = begin; i < end; i++) sum_add(&sum, linear->view.displacement[a][m->region_voxel[i]]);
        displacement[a] = sum_total(&sum) / (double)(end - begin);
    }
    return VXE_OK;
}

vxe_result vxe_linear_region_reaction(const vxe_linear *linear, int32_t region, double force[3],
                                      double moment[3], vxe_error *error)
{
    if (linear == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_linear_region_reaction: NULL");
    const vxe_model *m = linear->model;
    const vxe_result result = vxe_check_region_number(m, region, error);
    if (result != VXE_OK) return result;
    vec3 sum = {0.0, 0.0, 0.0};
    vec3 turn = {0.0, 0.0, 0.0};
    for (int32_t h = 0; h < m->held_count; h++) {
        const size_t v = (size_t)m->held_voxel[h];
        double own[DOFS];
        for (size_t d = 0; d < DOFS; d++)
            own[d] = m->held_region[DOFS * (size_t)h + d] == region ? linear->reaction[DOFS * v + d] : 0.0;
        const double *pivot = m->regions[region].pivot;
        const vec3 arm =
            vec3_make(m->start[0][v] - pivot[0], m->start[1][v] - pivot[1], m->start[2][v] - pivot[2]);
        sum = vec3_add(sum, vec3_from(own));
        turn = vec3_add(turn, vec3_add(vec3_from(own + 3), vec3_cross(arm, vec3_from(own))));
    }
    const double first[3] = {sum.x, sum.y, sum.z};
    const double second[3] = {turn.x, turn.y, turn.z};
    if (force != NULL) memcpy(force, first, sizeof first);
    if (moment != NULL) memcpy(moment, second, sizeof second);
    return VXE_OK;
}
