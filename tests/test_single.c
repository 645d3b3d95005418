/* Single precision against double, each with its own tolerance: statics, free bodies, stability, and far from
 * the origin. A float carries 6e-8 of its value; positions are double, and differences of positions are taken
 * in double, so lengths and strains of links are good to 6e-8 of the pitch wherever the body is. */
#include "random_scene.h"

#include "sim/sim.h"

static vxe_sim_def settings(vxe_precision precision)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = precision;
    return def;
}

/* The paper's thick cantilever, its first layer at x = `at` in a long workspace; 3000 steps with
 * near-critical damping bring it to rest. */
static double thick_cantilever(vxe_precision precision, vxe_elasticity elasticity, int32_t at)
{
    vxe_scene *scene = new_scene(1e-3, at + 10, 5, 5);
    fill(scene, box_of(at, 0, 0, 10, 5, 5), add_material(scene, 1e6, 0.3, 1000));
    add_fixed(scene, "wall", box_of(at, 0, 0, 1, 5, 5), VXE_DOF_ALL);
    const int32_t tip = add_force(scene, "tip", box_of(at + 9, 0, 0, 1, 5, 5), 0.0, 0.0, -0.1);
    const vxe_environment e = environment_of(elasticity, 0.0, 0.06);
    set_environment(scene, &e);
    const vxe_sim_def def = settings(precision);
    bench b = start_with(scene, &def);
    step(b.sim, 3000);
    double d[3];
    assert_int_equal(vxe_sim_region_displacement(b.sim, tip, d, NULL), VXE_OK);
    finish(b);
    return -1e3 * d[2];
}

/* Errors of strain of 6e-8 against a strain of some 1e-2 leave 1e-5; ten links add up. 1e-4
 * (validation/README.md allows 1e-3). */
static void test_statics(void **state)
{
    (void)state;
    const double exact = thick_cantilever(VXE_PRECISION_DOUBLE, VXE_ELASTICITY_BEAM, 0);
    check_near("double, mm", exact, 0.5438, 0.0005);
    const double beam = thick_cantilever(VXE_PRECISION_SINGLE, VXE_ELASTICITY_BEAM, 0);
    const double solid = thick_cantilever(VXE_PRECISION_SINGLE, VXE_ELASTICITY_SOLID, 0);
    print_message("    thick cantilever in single: beam %.5f mm (double %.5f mm), solid %.5f mm\n", beam,
                  exact, solid);
    check_near("single, mm", beam, exact, 1e-4 * exact);
    check_near("single, solid, mm", solid, thick_cantilever(VXE_PRECISION_DOUBLE, VXE_ELASTICITY_SOLID, 0),
               1e-4 * exact);
}

/* 60 m away: 60000 pitches, where a float position would be good to 4 pitches/1000. The same tolerance as at
 * home. In double: a length is good to 7e-15 m of 60 m, 7e-12 of a pitch, against strains of 1e-2. */
static void test_far_from_the_origin(void **state)
{
    (void)state;
    static const vxe_precision precisions[2] = {VXE_PRECISION_DOUBLE, VXE_PRECISION_SINGLE};
    for (int i = 0; i < 2; i++) {
        const double home = thick_cantilever(precisions[i], VXE_ELASTICITY_SOLID, 0);
        const double away = thick_cantilever(precisions[i], VXE_ELASTICITY_SOLID, 60000);
        print_message("    %s, 60 m away: changes by %.1e\n", i == 0 ? "double" : "single",
                      fabs(away / home - 1.0));
        check_near("tip, mm", away, home, (i == 0 ? 1e-8 : 1e-4) * home);
    }
}

/* Free, hot and of two materials, as in test_conservation.c. Forces between voxels are good to 6e-8 of
 * themselves, some 10 N here; at rest the error is the same in every step, so that it adds up: 6e-8 x 10 N x
 * 0.4 s = 2e-7 kg m/s at worst, of a body of 0.2 kg, and 5 cm times that of angular momentum over
 * 3e-5 kg m^2. */
static void test_free_body(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 8, 3, 3);
    vxe_material_def def = vxe_default_material_def();
    const int32_t light = put_material(scene, &def);
    def.density = 4000.0;
    def.expansion = 0.02;
    const int32_t heavy = put_material(scene, &def);
    rng r = {7};
    vxe_error error = {VXE_OK, ""};
    for (int32_t k = 0; k < 3; k++) {
        for (int32_t j = 0; j < 3; j++) {
            for (int32_t i = 0; i < 8; i++) {
                require(vxe_scene_set_voxel(scene, i, j, k, rng_int(&r, 0, 1) == 0 ? light : heavy, &error),
                        &error);
            }
        }
    }
    vxe_signal_def heat = vxe_default_signal_def();
    heat.base = 10.0;
    put_signal(scene, &heat);
    const vxe_sim_def single = settings(VXE_PRECISION_SINGLE);
    bench b = start_with(scene, &single);
    const vxe_stop stop = {.time = is_quick() ? 0.04 : 0.4};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    double momentum[3];
    double angular[3];
    double center[3];
    vxe_sim_momentum(b.sim, momentum, angular);
    vxe_sim_center_of_mass(b.sim, center);
    const double mass = vxe_model_get(b.model)->mass;
    const double drift = length3(momentum) / mass;
    const double own[3] = {angular[0] - center[1] * momentum[2] + center[2] * momentum[1],
                           angular[1] - center[2] * momentum[0] + center[0] * momentum[2],
                           angular[2] - center[0] * momentum[1] + center[1] * momentum[0]};
    const double spin = length3(own) / (mass * 0.03 * 0.03 / 6.0); /* about its long axis */
    print_message(
        "    heated body in single: drift %.1e m/s, spin %.1e rad/s, energy error %.1e of what passed\n",
        drift, spin, fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale);
    check_below("drift, m/s", drift, 1e-6);
    check_below("spin, rad/s", spin, 5e-4);
    check_below("energy error", fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale, 1e-3);
    finish(b);
}

/* An undamped bar keeps its energy in single, too: 1000-step windows within 2 %, as in double. */
static void test_vibrating_bar(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 16, 2, 2);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    set_environment(scene, &e);
    const vxe_sim_def single = settings(VXE_PRECISION_SINGLE);
    bench b = start_with(scene, &single);
    const vxe_model_view *view = vxe_model_get(b.model);
    vxe_error error = {VXE_OK, ""};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const double velocity[3] = {0.0, 0.0, 2.0 * cos(2.0 * PI * (view->cell[0][v] + 0.5) / 16.0)};
        const double none[3] = {0.0, 0.0, 0.0};
        require(vxe_sim_set_velocity(b.sim, v, velocity, none, &error), &error);
    }
    double first = 0.0;
    double worst = 0.0;
    for (int w = 0; w < (is_quick() ? 3 : 20); w++) {
        double sum = 0.0;
        for (int i = 0; i < 1000; i++) {
            step(b.sim, 1);
            sum += vxe_sim_energy(b.sim).total / 1000.0;
        }
        if (w == 0) first = sum;
        worst = fmax(worst, fabs(sum / first - 1.0));
    }
    print_message("    undamped bar in single: mean energy of windows within %.2f %%\n", 100.0 * worst);
    check_below("change of the mean energy", worst, 0.02);
    finish(b);
}

/* How far apart the same body is in single and in double after 1000 steps, in pitches. */
static double drift_of(int kind, double bond)
{
    double *positions[2] = {NULL, NULL};
    size_t count = 0;
    for (int p = 0; p < 2; p++) {
        vxe_scene *scene = new_scene(0.01, 20, 5, 5);
        vxe_material_def def = vxe_default_material_def();
        const int32_t plain = put_material(scene, &def);
        def.expansion = 0.01;
        def.youngs_modulus *= 3.0;
        const int32_t active = put_material(scene, &def);
        fill_all(scene, plain);
        if (kind == 0) { /* a bar that bends under its weight */
            add_fixed(scene, "wall", box_of(0, 0, 0, 1, 5, 5), VXE_DOF_ALL);
        } else { /* a free body that wriggles in the air */
            fill(scene, box_of(4, 0, 0, 12, 5, 2), active);
            vxe_signal_def beat = vxe_default_signal_def();
            beat.amplitude = 10.0;
            beat.period = 0.05;
            put_signal(scene, &beat);
        }
        vxe_environment e = environment_of(kind == 2 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, bond, 0.0);
        if (kind == 0) e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_sim_def def_sim = settings(p == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE);
        def_sim.audit = false;
        bench b = start_with(scene, &def_sim);
        step(b.sim, 1000);
        count = (size_t)vxe_model_get(b.model)->voxel_count;
        positions[p] = malloc(3 * count * sizeof(double));
        assert_non_null(positions[p]);
        for (int a = 0; a < 3; a++) {
            memcpy(positions[p] + (size_t)a * count, vxe_sim_state(b.sim)->position[a],
                   count * sizeof(double));
        }
        finish(b);
    }
    double most = 0.0;
    for (size_t i = 0; i < 3 * count; i++) most = fmax(most, fabs(positions[0][i] - positions[1][i]));
    free(positions[0]);
    free(positions[1]);
    return most / 0.01;
}

static void test_drift(void **state)
{
    (void)state;
    static const char *const names[3] = {"bending bar", "wriggling body", "wriggling solid body"};
    for (int kind = 0; kind < 3; kind++) {
        for (int damped = 0; damped < 2; damped++) {
            const double drift = drift_of(kind, damped == 0 ? 0.1 : 1.0);
            print_message("    %s, bond damping %g: %.1e pitches off double after 1000 steps\n", names[kind],
                          damped == 0 ? 0.1 : 1.0, drift);
            check_below("drift, pitches", drift, 1e-5);
        }
    }
}

/* Some of the random scenes of test_stability.c, shorter. */
static void test_random_scenes(void **state)
{
    (void)state;
    int failed = 0;
    int count = 0;
    double error_max = 0.0;
    for (uint64_t seed = 3; seed <= RANDOM_SCENES; seed += is_quick() ? 50 : 8) {
        random_facts f;
        const vxe_sim_def single = settings(VXE_PRECISION_SINGLE);
        bench b = start_with(random_scene(seed, &f), &single);
        if (vxe_sim_step(b.sim, is_quick() ? 300 : 1500, NULL) != VXE_OK) {
            print_message("    seed %llu failed: %s\n", (unsigned long long)seed,
                          vxe_sim_status(b.sim)->message);
            failed++;
        }
        error_max = fmax(error_max, fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale);
        count++;
        finish(b);
    }
    print_message("    %d random scenes in single: %d failed, largest energy error %.1e of what passed\n",
                  count, failed, error_max);
    assert_int_equal(failed, 0);
}

/* The same steps and the same choices of the step; the state itself differs. */
static void test_differs_and_repeats(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        random_facts f;
        const vxe_sim_def def = settings(i == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE);
        bench b = start_with(random_scene(3, &f), &def);
        step(b.sim, 200);
        hash[i] = vxe_sim_hash(b.sim);
        finish(b);
    }
    assert_true(hash[0] != hash[1]);
    assert_true(hash[1] == hash[2]);
}

/* A block that stands askew and turns by 4e-5 rad per step, in a body that would bear 1e8 times the load of
 * that. Round-off of forces is 6e-8 of ks l, whatever acts; where forces and couples of a link do not
 * balance, or a voxel does not turn as its spin says, that does work: kinetic energy changed by a tenth in
 * 2000 steps. Now it adds up at random: 1e-5 would be ten times what is seen. */
static void test_slow_turn(void **state)
{
    (void)state;
    static const double dampings[2] = {0.05, 1.0};
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = new_scene(1e-3, 3, 3, 3);
        fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
        vxe_error error = {VXE_OK, ""};
        int32_t number = -1;
        const vxe_part_def part = {.name = "block", .separate = true};
        require(vxe_scene_add_part(scene, &part, &number, &error), &error);
        for (int32_t v = 0; v < 27; v++)
            require(vxe_scene_set_field(scene, VXE_FIELD_PART, v % 3, v / 3 % 3, v / 9, number, &error),
                    &error);
        const vxe_start_def start = {.part = "block", .rotation = {1.5, 0.2, 2.0}, .spin = {1.0, 2.0, 0.5}};
        require(vxe_scene_add_start(scene, &start, &error), &error);
        const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, dampings[i], 0.0);
        set_environment(scene, &e);
        const vxe_sim_def single = settings(VXE_PRECISION_SINGLE);
        bench b = start_with(scene, &single);
        step(b.sim, 2000);
        const double before = vxe_sim_energy(b.sim).kinetic;
        step(b.sim, is_quick() ? 1000 : 8000);
        const double change = vxe_sim_energy(b.sim).kinetic / before - 1.0;
        print_message("    slow turn, damping %g: kinetic energy changes by %.1e\n", dampings[i], change);
        check_near("kinetic energy", change, 0.0, 1e-4);
        assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
        finish(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statics),       cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_free_body),     cmocka_unit_test(test_slow_turn),
        cmocka_unit_test(test_vibrating_bar), cmocka_unit_test(test_drift),
        cmocka_unit_test(test_random_scenes), cmocka_unit_test(test_differs_and_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
