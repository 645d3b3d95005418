/* Pressure shared between unlike materials: it solves the equations to four digits, its operator is symmetric
 * to round-off (so that it has a potential), and every instruction set gives the same bits; for regular and
 * random bodies, with links that have broken. */
#include "support.h"

#include "sim/pressure.h"

#include <stdio.h>
#include <string.h>

/* Layers (round 0), stripes of odd width, or cells at random of three materials, with holes. */
static vxe_scene *make_scene(int round, rng *r)
{
    const int32_t size[3] = {rng_int(r, 3, 14), rng_int(r, 2, 11), rng_int(r, 2, 9)};
    vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2]);
    int32_t materials[3];
    for (int i = 0; i < 3; i++) {
        vxe_material_def def = vxe_default_material_def();
        def.youngs_modulus = rng_decades(r, 1e5, 1e7);
        def.poissons_ratio = rng_between(r, 0.05, 0.49);
        def.failure_stress = 1e9; /* so that links can be taken out */
        materials[i] = put_material(scene, &def);
    }
    for (int32_t c = 0; c < size[0] * size[1] * size[2]; c++) {
        const int32_t x = c % size[0];
        const int32_t y = c / size[0] % size[1];
        const int32_t z = c / (size[0] * size[1]);
        const int32_t kind = round % 3 == 0 ? z : round % 3 == 1 ? (x + 2 * y) / 3 : rng_int(r, 0, 2);
        if (round % 3 == 2 && rng_between(r, 0.0, 1.0) > 0.8) continue;
        require(vxe_scene_set_voxel(scene, x, y, z, materials[kind % 3], NULL), NULL);
    }
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    set_environment(scene, &e);
    return scene;
}

static void break_links(vxe_sim *sim, rng *r)
{
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
            if (sim->own_kind[a][v] == 0 || rng_between(r, 0.0, 1.0) > 0.1) continue;
            sim->broken[a][v] = 2;
            sim->last.failed = 1;
        }
    }
    vxe_break_links(sim, &(step_context){.step = 0.0});
}

/* |D^-1/2 (A p - S)| over |D^1/2 p|, by the definition; D is the diagonal of A. The steps promise that the
 * error of the even half is 1e-4 of it in this norm, and D^-1/2 A D^-1/2, with the odd half
 * eliminated, is not larger than 1. */
static double residual_of(const vxe_sim *sim, const double *volume, const double *pressure)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    double *left = calloc(2 * (size_t)n, sizeof *left);
    double square = 0.0;
    double scale = 0.0;
    assert_non_null(left);
    double *diagonal = left + n;
    for (int32_t v = 0; v < n; v++) {
        const material_constants *c = &m->materials[m->material[v]];
        diagonal[v] = 1.0 / c->pressure_modulus[sim->pressure_class[v]];
        left[v] = diagonal[v] * pressure[v] - volume[v];
    }
    for (int32_t i = 0; i < m->share_count; i++) {
        const pressure_share *share = &m->shares[i];
        const int32_t v = m->sharing[share->first];
        const int32_t w = m->sharing[share->second];
        if (sim->link_kind[share->axis][v] == 0) continue;
        left[v] += share->weight * (pressure[v] - pressure[w]);
        left[w] += share->weight * (pressure[w] - pressure[v]);
        diagonal[v] += share->weight;
        diagonal[w] += share->weight;
    }
    for (int32_t v = 0; v < n; v++) {
        square += left[v] * left[v] / diagonal[v];
        scale += diagonal[v] * pressure[v] * pressure[v];
    }
    free(left);
    return sqrt(square / scale);
}

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double worst_residual, worst_asymmetry;
static int sharing_bodies;

static void check_body(vxe_sim *sim, vxe_sim *const others[], int count, rng *r)
{
    const int32_t n = sim->model->view.voxel_count;
    double *memory = malloc(5 * (size_t)n * sizeof *memory);
    assert_non_null(memory);
    double *const volume[2] = {memory, memory + n};
    double *const pressure[2] = {memory + 2 * n, memory + 3 * n};
    double *const other = memory + 4 * n;
    for (int i = 0; i < 2; i++) {
        for (int32_t v = 0; v < n; v++) volume[i][v] = rng_between(r, -1.0, 1.0);
        vxe_pressure_from_volume(sim, volume[i], pressure[i]);
        worst_residual = fmax(worst_residual, residual_of(sim, volume[i], pressure[i]));
        for (int j = 0; j < count; j++) {
            vxe_pressure_from_volume(others[j], volume[i], other);
            assert_memory_equal(other, pressure[i], (size_t)n * sizeof *other);
        }
    }
    const double one = dot(volume[0], pressure[1], n);
    const double two = dot(volume[1], pressure[0], n);
    const double size = sqrt(dot(volume[0], pressure[0], n) * dot(volume[1], pressure[1], n));
    worst_asymmetry = fmax(worst_asymmetry, fabs(one - two) / size);
    free(memory);
}

static void test_sharing(void **state)
{
    (void)state;
    rng r = {7};
    for (int round = 0; round < (is_quick() ? 12 : 150); round++) {
        static const vxe_isa sets[] = {VXE_ISA_PLAIN, VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512};
        vxe_scene *scene = make_scene(round, &r);
        vxe_model *model = compile_scene(scene);
        vxe_sim *sims[4];
        int count = 0;
        for (int i = 0; i < 4; i++) {
            vxe_sim_def def = vxe_default_sim_def();
            def.isa = sets[i];
            if (vxe_sim_create(model, &def, &sims[count], NULL) == VXE_OK) count++;
        }
        assert_true(count >= 2);
        sharing_bodies += sims[0]->sharing != NULL;
        check_body(sims[0], sims + 1, count - 1, &r);
        const rng before = r;
        for (int i = 0; i < count; i++) {
            r = before; /* the same links in all */
            break_links(sims[i], &r);
        }
        check_body(sims[0], sims + 1, count - 1, &r);
        for (int i = 0; i < count; i++) vxe_sim_destroy(sims[i]);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
    print_message("    %d bodies that share: residual %.1e, asymmetry %.1e\n", sharing_bodies, worst_residual,
                  worst_asymmetry);
    assert_true(sharing_bodies > 5);
    check_below("residual", worst_residual, 1.001e-4);
    check_below("asymmetry", worst_asymmetry, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sharing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
