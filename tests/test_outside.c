/* What acts from outside, growth, own stiffness and the newer stop conditions: against formulas, the same on
 * every instruction set, through checkpoints, and with the energy account in balance. */
#include "support.h"

/* One voxel of 1 cm, 1 g, 1 MPa, without damping. */
static vxe_scene *lone_voxel(void)
{
    vxe_scene *scene = new_scene(0.01, 1, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    set_environment(scene, &e);
    return scene;
}

/* A face that moves outwards at v is pushed back by c A v^2, so v(t) = v0/(1 + c A v0 t/m). */
static void test_drag(void **state)
{
    (void)state;
    vxe_scene *scene = lone_voxel();
    vxe_environment e = vxe_scene_environment(scene);
    e.drag = 200.0;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_error error = {VXE_OK, ""};
    const double velocity[3] = {0.4, 0.0, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
    const vxe_stop stop = {.time = 0.5};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    const double k = 200.0 * 1e-4 / 1e-3; /* 1/m */
    /* first order in time: dt c A v0/m is 0.5 % here */
    check_near("speed", vxe_sim_state(b.sim)->velocity[0][0], 0.4 / (1.0 + k * 0.4 * 0.5), 0.005 * 0.08);
    check_near("way", moved(b.sim, 0, 0), log(1.0 + k * 0.4 * 0.5) / k, 0.005 * 0.08);
    const vxe_energy energy = vxe_sim_energy(b.sim);
    check_near("what it lost went into the fluid", energy.load_work, energy.kinetic - 0.5 * 1e-3 * 0.16,
               1e-7);
    finish(b);
}

static void test_force_field(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = lone_voxel();
    /* a spring of 0.4 N/m about the start, and a push along y after 0.1 s */
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_X, "0.4 * (0.005 - x)", &error), &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_Y, "0.002 * (t > 0.1)", &error), &error);
    bench b = start(scene);
    const double velocity[3] = {0.1, 0.0, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
    const vxe_stop stop = {.time = 0.2};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    /* frequency 20 rad/s; a step is at most 0.63 ms, a phase of 0.0127 */
    check_near("x", moved(b.sim, 0, 0), 0.1 / 20.0 * sin(20.0 * 0.2), 0.1 / 20.0 * 0.013);
    check_near("y", moved(b.sim, 0, 1), 0.5 * 2.0 * 0.1 * 0.1, 2e-4);
    finish(b);
}

/* A voxel's own stiffness is as good as a material's. */
static void test_own_stiffness(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    uint64_t hash[2];
    for (int own = 0; own < 2; own++) {
        vxe_scene *scene = new_scene(0.01, 6, 2, 2);
        const int32_t soft = add_material(scene, 1e6, 0.3, 1000.0);
        const int32_t stiff = add_material(scene, 3e6, 0.3, 1000.0);
        fill_all(scene, soft);
        if (own == 0) fill(scene, box_of(2, 0, 0, 2, 2, 2), stiff);
        for (int32_t n = 0; own == 1 && n < 8; n++)
            require(vxe_scene_set_field(scene, VXE_FIELD_STIFFNESS, 2 + n % 2, n / 2 % 2, n / 4, 3e6, &error),
                    &error);
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        (void)add_force(scene, "tip", box_of(5, 0, 0, 1, 2, 2), 0.0, 0.0, -0.5);
        bench b = start(scene);
        const vxe_model_view *view = vxe_model_get(b.model);
        for (int32_t v = 0; own == 1 && v < view->voxel_count; v++) assert_int_equal(view->material[v], 1);
        step(b.sim, 500);
        hash[own] = vxe_sim_hash(b.sim);
        finish(b);
    }
    assert_true(hash[0] == hash[1]);
}

static void test_stiffness_needs_linear(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 1, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.law = VXE_LAW_BILINEAR;
    def.yield_stress = 1e4;
    fill_all(scene, put_material(scene, &def));
    require(vxe_scene_set_field(scene, VXE_FIELD_STIFFNESS, 0, 0, 0, 2e6, &error), &error);
    assert_int_equal(vxe_scene_check(scene, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "needs the linear law"));
    vxe_scene_destroy(scene);
}

/* Growth of single voxels, without any signal. */
static void test_growth(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 3, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
    require(vxe_scene_set_field(scene, VXE_FIELD_SIZE_END, 1, 0, 0, 0.5, &error), &error);
    require(vxe_scene_set_field(scene, VXE_FIELD_GROWTH_BEGIN, 1, 0, 0, 0.1, &error), &error);
    require(vxe_scene_set_field(scene, VXE_FIELD_GROWTH_TIME, 1, 0, 0, 0.2, &error), &error);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.01);
    set_environment(scene, &e);
    bench b = start(scene);
    const vxe_stop half = {.time = 0.2};
    const vxe_stop all = {.time = 0.5};
    (void)vxe_sim_run(b.sim, &half, INT64_MAX);
    check_near("half grown", vxe_sim_state(b.sim)->growth[1], 0.25, 0.01);
    (void)vxe_sim_run(b.sim, &all, INT64_MAX);
    check_well(b.sim);
    check_near("grown", vxe_sim_state(b.sim)->growth[1], 0.5, 1e-12);
    check_near("the bar is longer", moved(b.sim, 2, 0), 0.005, 1e-6);
    finish(b);
}

/* A scene with all of it at once. */
static vxe_scene *busy_scene(void)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 6, 5, 4);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.01;
    fill_all(scene, put_material(scene, &def));
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 12.0;
    signal.period = 0.05;
    signal.delay = 0.01;
    signal.size_min = 0.95;
    signal.size_max = 1.05;
    (void)put_signal(scene, &signal);
    rng r = {7};
    for (int32_t n = 0; n < 120; n++) {
        require(vxe_scene_set_field(scene, VXE_FIELD_STIFFNESS, n % 6, n / 6 % 5, n / 30,
                                    rng_decades(&r, 3e5, 3e6), &error),
                &error);
        require(vxe_scene_set_field(scene, VXE_FIELD_SIZE_END, n % 6, n / 6 % 5, n / 30,
                                    rng_between(&r, -0.05, 0.05), &error),
                &error);
        require(vxe_scene_set_field(scene, VXE_FIELD_GROWTH_TIME, n % 6, n / 6 % 5, n / 30, 0.1, &error),
                &error);
        const vxe_actuation own = {.phase = rng_between(&r, 0, 1),
                                   .amplitude = rng_between(&r, 0, 1),
                                   .period = rng_between(&r, 0.5, 2)};
        require(vxe_scene_set_actuation(scene, n % 6, n / 6 % 5, n / 30, &own, &error), &error);
    }
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_X, "0.001 * (z > 0.02) * sin(100 * t)", &error),
            &error);
    require(vxe_scene_set_field(scene, VXE_FIELD_CILIA_Y, 0, 0, 3, 0.002, &error), &error);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.floor_sticky = true;
    e.floor_radius = 0.028;
    e.drag = 10.0;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

/* Energy balances, instruction sets and threads agree, and a checkpoint goes on with the same bits. */
static void test_busy_scene(void **state)
{
    (void)state;
    static const vxe_isa all[] = {VXE_ISA_PLAIN, VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512};
    vxe_scene *scene = busy_scene();
    vxe_model *model = compile_scene(scene);
    vxe_error error = {VXE_OK, ""};
    uint64_t expected = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.isa = all[i];
        vxe_sim *sim = NULL;
        if (vxe_sim_create(model, &def, &sim, &error) != VXE_OK) continue; /* not on this machine */
        step(sim, 400);
        const size_t size = vxe_sim_save_size(sim);
        void *saved = malloc(size);
        assert_non_null(saved);
        require(vxe_sim_save(sim, saved, size, &error), &error);
        step(sim, 400);
        const uint64_t hash = vxe_sim_hash(sim);
        const vxe_energy energy = vxe_sim_energy(sim);
        check_below("error of the energy account", fabs(energy.error),
                    0.05 * (fabs(energy.dissipated) + fabs(energy.load_work) + fabs(energy.actuation_work)));
        vxe_sim_reset(sim);
        require(vxe_sim_load(sim, saved, size, &error), &error);
        step(sim, 400);
        assert_true(vxe_sim_hash(sim) == hash);
        if (i == 0) expected = hash;
        assert_true(hash == expected);
        free(saved);
        vxe_sim_destroy(sim);
    }
    for (int32_t threads = 1; threads <= 3; threads++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.threads = threads;
        vxe_sim *sim = new_sim(model, &def);
        step(sim, 800);
        assert_true(vxe_sim_hash(sim) == expected);
        vxe_sim_destroy(sim);
    }
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* The same in single precision, to its accuracy. */
static void test_busy_scene_single(void **state)
{
    (void)state;
    vxe_scene *scene = busy_scene();
    vxe_model *model = compile_scene(scene);
    vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *exact = new_sim(model, &def);
    def.precision = VXE_PRECISION_SINGLE;
    vxe_sim *single = new_sim(model, &def);
    const vxe_stop stop = {.time = 0.02};
    (void)vxe_sim_run(exact, &stop, INT64_MAX);
    (void)vxe_sim_run(single, &stop, INT64_MAX);
    check_well(single);
    double a[3];
    double b[3];
    vxe_sim_center_of_mass(exact, a);
    vxe_sim_center_of_mass(single, b);
    /* the body moves by some 0.1 mm; single precision keeps 1e-4 of that over 100 steps */
    for (int i = 0; i < 3; i++) check_near("centre of mass", b[i], a[i], 1e-7);
    vxe_sim_destroy(single);
    vxe_sim_destroy(exact);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* A stretched bar that would swing for long comes to rest. */
static void test_kinetic_damping(void **state)
{
    (void)state;
    double swing[2];
    for (int damped = 0; damped < 2; damped++) {
        vxe_scene *scene = new_scene(0.01, 8, 1, 1);
        fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        (void)add_force(scene, "tip", box_of(7, 0, 0, 1, 1, 1), 0.0, 0.0, -1e-3);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.1, 0.0);
        e.kinetic_damping = damped == 1;
        set_environment(scene, &e);
        bench b = start(scene);
        const vxe_stop stop = {.time = 1.0};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        swing[damped] = vxe_sim_speed_max(b.sim);
        finish(b);
    }
    assert_true(swing[0] > 1e-3);
    assert_true(swing[1] < 1e-9);
}

/* What it stops is booked: the account adds up all the way, a load that stays does the work of its whole way,
 * and nothing that was lost comes back. */
static void test_kinetic_damping_account(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 4, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    (void)add_force(scene, "tip", box_of(3, 0, 0, 1, 1, 1), 0.0, 0.0, 0.05);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    e.kinetic_damping = true;
    set_environment(scene, &e);
    bench b = start(scene);
    double first = 0.0;
    double lost = 0.0;
    for (int i = 0; i < 500; i++) {
        step(b.sim, 1);
        const vxe_energy now = vxe_sim_energy(b.sim);
        const double begun = now.total - now.load_work + now.dissipated - now.error;
        if (i == 0) first = begun;
        check_near("what the account began with", begun, first, 1e-12 * now.load_work); /* round-off */
        assert_true(now.dissipated >= lost - 1e-12 * now.load_work);
        lost = now.dissipated;
    }
    const vxe_energy end = vxe_sim_energy(b.sim);
    const double work = 0.05 * moved(b.sim, 3, 2);
    check_near("work of the load", end.load_work, work, 1e-3 * work); /* of the first step, half is missing */
    check_near("lost", end.dissipated, 0.5 * work, 2e-3 * work);
    check_below("error", fabs(end.error), 1e-6 * work);
    finish(b);
}

/* A stop takes energy, and makes none, also of modes that are as fast as steps can follow. */
static void test_kinetic_damping_free(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 3, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    e.kinetic_damping = true;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_error error = {VXE_OK, ""};
    for (int32_t v = 0; v < 3; v++) {
        const double velocity[3] = {v == 1 ? 0.02 : -0.01, 0.0, 0.1};
        const double spin[3] = {0.0, 1.0, 1.0};
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    }
    double most = INFINITY;
    for (int i = 0; i < 3000; i++) {
        step(b.sim, 1);
        const vxe_energy now = vxe_sim_energy(b.sim);
        if (i > 0) assert_true(now.total <= most * (1.0 + 1e-4) + 1e-12);
        if (i == 0 || now.total < most) most = now.total;
    }
    check_below("energy left", most, 1e-7); /* J: of 2e-5 */
    finish(b);
}

/* The conditions that settle, each by itself. */
static void test_stop_conditions(void **state)
{
    (void)state;
    static const struct {
        vxe_stop stop;
        vxe_run_reason reason;
    } all[] = {
        {{.energy_change = 1e-12, .settle_steps = 500}, VXE_RUN_ENERGY_CHANGE},
        {{.movement = 1e-11, .settle_steps = 500}, VXE_RUN_MOVEMENT},
        {{.kinetic_energy = 1e-14, .settle_steps = 500}, VXE_RUN_KINETIC_ENERGY},
        {{.formula = true}, VXE_RUN_FORMULA},
        {{.steps = 10, .after_steps = 300}, VXE_RUN_STOP_STEPS},
        {{.time = 0.01, .after = 0.03}, VXE_RUN_TIME},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vxe_scene *scene = new_scene(0.01, 4, 1, 1);
        fill_all(scene, add_material(scene, 1e6, 0.0, 1000.0));
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        (void)add_force(scene, "tip", box_of(3, 0, 0, 1, 1, 1), 1e-3, 0.0, 0.0);
        vxe_error error = {VXE_OK, ""};
        require(vxe_scene_set_formula(scene, VXE_FORMULA_STOP, "t > 0.05 && x > 0.02", &error), &error);
        bench b = start(scene);
        const vxe_run_reason reason = vxe_sim_run(b.sim, &all[i].stop, 2000000);
        if (reason != all[i].reason)
            fail_msg("%s instead of %s", vxe_run_reason_name(reason), vxe_run_reason_name(all[i].reason));
        /* cut into pieces it ends at the same step */
        const int64_t steps = vxe_sim_state(b.sim)->step;
        vxe_sim_reset(b.sim);
        while (vxe_sim_run(b.sim, &all[i].stop, 7) == VXE_RUN_STEPS)
            assert_true(vxe_sim_state(b.sim)->step < 2000000);
        assert_true(vxe_sim_state(b.sim)->step == steps);
        if (all[i].stop.after_steps > 0) assert_int_equal(steps, 300);
        if (all[i].stop.after > 0.0) check_near("not before", vxe_sim_time(b.sim), 0.03, 1e-12);
        finish(b);
    }
}

/* Target voxels: pairs, and hits that begin. */
static void test_targets(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 1, 1, 7);
    vxe_material_def def = vxe_default_material_def();
    const int32_t plain = put_material(scene, &def);
    def.target = true;
    const int32_t target = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 1, 1, 1), plain);
    fill(scene, box_of(0, 0, 3, 1, 1, 1), target);
    fill(scene, box_of(0, 0, 6, 1, 1, 1), target);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    const vxe_experiment experiment = {.pair_distance = 3.5};
    require(vxe_scene_set_experiment(scene, &experiment, &error), &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FITNESS,
                                  "100 * hit + 10 * numClosePairs + targetCloseness", &error),
            &error);
    bench b = start(scene);
    check_near("at the start: one pair, 3 cm apart", vxe_sim_formula(b.sim, VXE_FORMULA_FITNESS, NULL),
               10.0 + 1.0 / 0.03, 1e-9);
    assert_int_equal(vxe_sim_close_pairs(b.sim), 1);
    const vxe_stop stop = {.time = 0.5};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    const double hits = floor(vxe_sim_formula(b.sim, VXE_FORMULA_FITNESS, NULL) / 100.0);
    check_above("hits when the heap has come down", hits, 1.0);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_force_field),
        cmocka_unit_test(test_own_stiffness),
        cmocka_unit_test(test_stiffness_needs_linear),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_busy_scene),
        cmocka_unit_test(test_busy_scene_single),
        cmocka_unit_test(test_kinetic_damping),
        cmocka_unit_test(test_kinetic_damping_account),
        cmocka_unit_test(test_kinetic_damping_free),
        cmocka_unit_test(test_stop_conditions),
        cmocka_unit_test(test_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
