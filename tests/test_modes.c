/* Natural modes: the lattice's own frequencies (validation/cases.json), free bodies, multiple eigenvalues,
 * small bodies, and modes about a loaded state. */
#include "support.h"

#define PITCH 1e-3
#define YOUNGS 1e6

static vxe_modes *solve_modes(vxe_sim *sim, int32_t count)
{
    vxe_modes_def def = vxe_default_modes_def();
    def.count = count;
    vxe_modes *modes = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_solve_modes(sim, &def, &modes, &error), &error);
    return modes;
}

static bench bar(int32_t nx, int32_t ny, int32_t nz, vxe_elasticity elasticity, double poisson,
                 double density, bool held)
{
    vxe_scene *scene = new_scene(PITCH, nx, ny, nz);
    fill_all(scene, add_material(scene, YOUNGS, poisson, density));
    if (held) add_fixed(scene, "wall", box_of(0, 0, 0, 1, ny, nz), VXE_DOF_ALL);
    const vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    set_environment(scene, &e);
    return start(scene);
}

/* The thin beam, E/rho = 1e6 m^2/s^2: six bending frequencies to the digits of the reference (1e-5), each
 * twice, because the section is square; stretching by the formula of a chain of 19 masses (1e-9). */
static void test_thin_beam(void **state)
{
    (void)state;
    static const double bending[6] = {424.6496125149,   2649.0921026045, 7355.8403267976,
                                      14234.5766890009, 23149.740774938, 33902.3508971426};
    bench b = bar(20, 1, 1, VXE_ELASTICITY_BEAM, 0.0, 1.0, true);
    vxe_modes *modes = solve_modes(b.sim, 16);
    const vxe_modes_view *view = vxe_modes_get(modes);
    assert_int_equal(view->count, 16);
    assert_int_equal(view->rigid, 0);
    int found = 0;
    for (int32_t i = 0; i + 1 < view->count && found < 6; i++) {
        if (fabs(view->frequency[i + 1] - view->frequency[i]) > 1e-6 * view->frequency[i]) continue;
        check_near("bending frequency, Hz", view->frequency[i], bending[found], 1e-7 * bending[found]);
        found++;
        i++;
    }
    assert_int_equal(found, 6);
    const double chain = 1e6 / PI * sin(PI / (2.0 * 39.0));
    double nearest = INFINITY;
    for (int32_t i = 0; i < view->count; i++) nearest = fmin(nearest, fabs(view->frequency[i] - chain));
    check_below("stretching frequency, Hz", nearest, 1e-8 * chain);
    print_message("    thin beam: %.2f %.2f %.2f %.2f Hz\n", view->frequency[0], view->frequency[2],
                  view->frequency[4], view->frequency[8]);
    vxe_modes_destroy(modes);
    finish(b);
}

/* A chain that is long enough for Lanczos' process instead of the dense solver, the same formula, and both
 * modes of every pair. */
static void test_long_chain(void **state)
{
    (void)state;
    bench b = bar(60, 1, 1, VXE_ELASTICITY_BEAM, 0.0, 1.0, true);
    vxe_modes *modes = solve_modes(b.sim, 20);
    const vxe_modes_view *view = vxe_modes_get(modes);
    int pairs = 0;
    for (int32_t i = 0; i + 1 < view->count; i++) {
        assert_true(view->frequency[i + 1] >= view->frequency[i]);
        pairs += view->frequency[i + 1] - view->frequency[i] <= 1e-6 * view->frequency[i];
    }
    const double chain = 1e6 / PI * sin(PI / (2.0 * 119.0));
    double nearest = INFINITY;
    for (int32_t i = 0; i < view->count; i++) nearest = fmin(nearest, fabs(view->frequency[i] - chain));
    check_below("stretching frequency, Hz", nearest, 1e-8 * chain);
    /* among the 20 lowest there are bending pairs, two stretching and two twisting modes (and no half pair
     * but the last) */
    assert_true(pairs >= 7);
    vxe_modes_destroy(modes);
    finish(b);
}

/* Shapes are orthonormal by mass and satisfy K x = w^2 M x, as the forces of the engine see it: displaced by
 * a little of the shape, each voxel is pulled back by w^2 m times its displacement. */
static void test_shapes(void **state)
{
    (void)state;
    bench b = bar(10, 3, 2, VXE_ELASTICITY_SOLID, 0.3, 1000.0, true);
    const vxe_model_view *m = vxe_model_get(b.model);
    vxe_modes *modes = solve_modes(b.sim, 5);
    const vxe_modes_view *view = vxe_modes_get(modes);
    const double mass = 1000.0 * PITCH * PITCH * PITCH;
    const double inertia = mass * PITCH * PITCH / 6.0;
    for (int32_t i = 0; i < 5; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int c = 0; c < 6; c++) {
                const double *x = vxe_modes_shape(modes, i, c);
                const double *y = vxe_modes_shape(modes, j, c);
                for (int32_t v = 0; v < m->voxel_count; v++) sum += (c < 3 ? mass : inertia) * x[v] * y[v];
            }
            check_near("mass product of shapes", sum, i == j ? 1.0 : 0.0, 1e-8);
        }
    }
    assert_null(vxe_modes_shape(modes, 5, 0));
    assert_null(vxe_modes_shape(modes, 0, 6));
    check_below("imbalance", view->imbalance, 1e-8); /* round-off of positions: 1e-15 of strain over 1e-6 */
    vxe_modes_destroy(modes);
    finish(b);
}

/* A free block: six rigid motions at 0 Hz, then the lattice's own frequencies (0.3 %, validation/cases.json)
 * and, for `solid`, those of the continuum (1 %, validation/README.md 5). */
static void test_free_block(void **state)
{
    (void)state;
    static const double beam[6] = {764.3076632743,  1052.9014326253, 1052.9014326264,
                                   1328.4820539848, 1328.4820539861, 1383.9263842754};
    static const double solid[6] = {668.6, 953.0, 1139.4, 1224.0, 1296.9, 1296.9};
    for (int i = 0; i < 2; i++) {
        bench b = i == 0 ? bar(10, 10, 5, VXE_ELASTICITY_BEAM, 0.0, 1000.0, false)
                         : bar(10, 10, 5, VXE_ELASTICITY_SOLID, 0.3, 1000.0, false);
        vxe_modes *modes = solve_modes(b.sim, 12);
        const vxe_modes_view *view = vxe_modes_get(modes);
        assert_int_equal(view->rigid, 6);
        assert_int_equal(view->unstable, 0);
        for (int32_t j = 0; j < 6; j++) {
            assert_true(view->frequency[j] == 0.0);
            const double expected = i == 0 ? beam[j] : solid[j];
            check_near("frequency, Hz", view->frequency[6 + j], expected, (i == 0 ? 1e-6 : 0.01) * expected);
        }
        print_message("    free block, %s: %.2f %.2f %.2f %.2f %.2f %.2f Hz\n", i == 0 ? "beam" : "solid",
                      view->frequency[6], view->frequency[7], view->frequency[8], view->frequency[9],
                      view->frequency[10], view->frequency[11]);
        vxe_modes_destroy(modes);
        finish(b);
    }
}

/* Bodies with fewer modes than are asked for, down to a single voxel. */
static void test_small(void **state)
{
    (void)state;
    bench b = bar(1, 1, 1, VXE_ELASTICITY_SOLID, 0.3, 1000.0, false);
    vxe_modes *modes = solve_modes(b.sim, 20);
    assert_int_equal(vxe_modes_get(modes)->count, 6);
    assert_int_equal(vxe_modes_get(modes)->rigid, 6);
    vxe_modes_destroy(modes);
    finish(b);

    /* two voxels: w^2 = 2 k/m for stretch, 2 kt/I for twist, 2 kb/I for bending against each other, ks (2/m +
     * l^2/(2 I)) = 5 ks/m for shear */
    b = bar(2, 1, 1, VXE_ELASTICITY_BEAM, 0.0, 1000.0, false);
    modes = solve_modes(b.sim, 20);
    const vxe_modes_view *view = vxe_modes_get(modes);
    assert_int_equal(view->count, 12);
    assert_int_equal(view->rigid, 6);
    const double unit = YOUNGS * PITCH / (1000.0 * PITCH * PITCH * PITCH); /* k/m */
    const double expected[6] = {unit, unit, unit, 2.0 * unit, 5.0 * unit, 5.0 * unit};
    for (int i = 0; i < 6; i++)
        check_near("square of the frequency over k/m", view->square[6 + i] / unit, expected[i] / unit, 1e-9);
    vxe_modes_destroy(modes);
    finish(b);

    b = bar(1, 1, 1, VXE_ELASTICITY_SOLID, 0.3, 1000.0, true);
    vxe_modes_def def = vxe_default_modes_def();
    vxe_error error = {VXE_OK, ""};
    modes = NULL;
    assert_int_equal(vxe_solve_modes(b.sim, &def, &modes, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "every degree of freedom is held: there are no modes");
    def.count = 0;
    assert_int_equal(vxe_solve_modes(b.sim, &def, &modes, &error), VXE_ERROR_INPUT);
    finish(b);
}

/* A string: tension T raises the frequencies of a long bar held at both ends. Bending and tension together:
 * w^2 = (pi/L)^2 T/(rho A) + (pi/L)^4 EI/(rho A) for hinged ends; held ends lie above, and the excess over
 * the unloaded bar is at least the string's. Compression lowers them, and beyond the buckling load the
 * straight state has a negative square. */
static void test_about_equilibrium(void **state)
{
    (void)state;
    double first[3];
    const double length = 39.0 * PITCH;
    const double strain = 0.1;
    for (int i = 0; i < 3; i++) {
        vxe_scene *scene = new_scene(PITCH, 40, 1, 1);
        fill_all(scene, add_material(scene, YOUNGS, 0.0, 1000.0));
        add_fixed(scene, "left", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        vxe_region_def right = region_of("right", box_of(39, 0, 0, 1, 1, 1));
        right.fixed = VXE_DOF_ALL;
        right.displacement[0] = (i == 0 ? 0.0 : i == 1 ? strain : -0.1 * strain) * length;
        put_region(scene, &right);
        const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
        set_environment(scene, &e);
        bench b = start(scene);
        vxe_equilibrium_def def = vxe_default_equilibrium_def();
        def.leave_unstable = false;
        vxe_equilibrium report;
        vxe_error error = {VXE_OK, ""};
        require(vxe_solve_equilibrium(b.sim, &def, &report, &error), &error);
        vxe_modes *modes = solve_modes(b.sim, 2);
        first[i] = vxe_modes_get(modes)->square[0];
        assert_int_equal(vxe_modes_get(modes)->unstable, i == 2 ? 2 : 0);
        assert_int_equal(report.status, i == 2 ? VXE_EQUILIBRIUM_UNSTABLE : VXE_EQUILIBRIUM_STABLE);
        if (i == 2) assert_true(vxe_modes_get(modes)->frequency[0] < 0.0);
        vxe_modes_destroy(modes);
        finish(b);
    }
    /* the string alone, mass per length m/(l (1 + strain)) */
    const double wave = PI / (length * (1.0 + strain));
    const double string = wave * wave * YOUNGS * strain * (1.0 + strain) / 1000.0;
    print_message("    first mode: %.2f Hz unloaded, %.2f Hz stretched by 10 %% (string alone %.2f Hz)\n",
                  sqrt(first[0]) / (2.0 * PI), sqrt(first[1]) / (2.0 * PI), sqrt(string) / (2.0 * PI));
    check_above("stretched", first[1], string);
    check_below("stretched", first[1], 1.3 * string);
}

int main(void)
{
    if (!vxe_solve_available()) return 0; /* built without the solvers */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin_beam), cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_shapes),    cmocka_unit_test(test_free_block),
        cmocka_unit_test(test_small),     cmocka_unit_test(test_about_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
