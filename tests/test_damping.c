/* Implicit bond damping (sim/damping.c): it takes what it should from low modes, nothing from rigid motion
 * and from momentum, and never gives energy, however strong it is and however unlike the voxels are. */
#include "sim/sim.h"
#include "support.h"

static vxe_sim_def settings(vxe_bond_damping damping, double fraction)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.bond_damping = damping;
    def.dt_fraction = fraction;
    def.audit = false;
    return def;
}

static bench block(const int32_t size[3], double ratio, const vxe_sim_def *def)
{
    vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2]);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, ratio, 0.0);
    set_environment(scene, &e);
    return start_with(scene, def);
}

/* ---- low modes ------------------------------------------------------------------------------------------------------ */

/* The first stretching mode of a free block along x, and the first bending mode of a free bar. */
static double mode_at(bool bending, double s)
{
    const double b = 4.730040744862704;
    const double c = 0.982502214576238;
    return bending ? cosh(b * s) + cos(b * s) - c * (sinh(b * s) + sin(b * s)) : cos(PI * s);
}

static double mode_slope(bool bending, double s)
{
    const double b = 4.730040744862704;
    const double c = 0.982502214576238;
    return bending ? b * (sinh(b * s) - sin(b * s) - c * (cosh(b * s) + cos(b * s))) : 0.0;
}

/* Peaks of the free vibration give frequency and decay; returns decay over beta w^2/2. */
static double relative_damping(bench b, bool bending, double ratio)
{
    const vxe_model_view *view = vxe_model_get(b.model);
    const int axis = bending ? 2 : 0;
    const double length = view->size[0] * view->pitch;
    vxe_error error = {VXE_OK, ""};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const double s = (view->cell[0][v] + 0.5) / view->size[0];
        double velocity[3] = {0.0, 0.0, 0.0};
        velocity[axis] = 1e-3 * mode_at(bending, s);
        const double spin[3] = {0.0, -1e-3 * mode_slope(bending, s) / length, 0.0};
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    }
    double peak[8];
    double when[8];
    double last[2] = {0.0, 0.0};
    const double dt = vxe_sim_time_step(b.sim).dt;
    int count = 0;
    for (int64_t i = 0; count < 8 && i < 1000000; i++) {
        step(b.sim, 1);
        const vxe_state *state = vxe_sim_state(b.sim);
        double now = 0.0;
        for (int32_t v = 0; v < view->voxel_count; v++) {
            const double start = (view->cell[axis][v] + 0.5) * view->pitch;
            now += mode_at(bending, (view->cell[0][v] + 0.5) / view->size[0]) *
                   (state->position[axis][v] - start);
        }
        if (i > 2 && fabs(last[1]) > fabs(last[0]) && fabs(last[1]) >= fabs(now)) { /* a parabola's peak */
            const double curve = 0.5 * (last[0] + now) - last[1];
            const double slope = 0.5 * (now - last[0]);
            const double x = -slope / (2.0 * curve);
            peak[count] = fabs(last[1] + 0.5 * slope * x);
            when[count++] = state->time - dt + x * dt;
        }
        last[0] = last[1];
        last[1] = now;
    }
    assert_int_equal(count, 8);
    const double decay = log(peak[1] / peak[7]) / (when[7] - when[1]);
    const double turning = 6.0 * PI / (when[7] - when[1]);
    const double beta = ratio * sqrt(1000.0 * 0.01 * 0.01 / 1e6);
    return decay / (0.5 * beta * (turning * turning + decay * decay));
}

static void test_low_modes(void **state)
{
    (void)state;
    static const struct {
        int32_t size[3];
        bool bending;
        double ratio;
        bool slow;
    } cases[] = {
        {{20, 2, 2}, true, 1.0, false},  {{20, 2, 2}, true, 0.3, false},  {{20, 3, 3}, true, 1.0, false},
        {{16, 6, 6}, true, 1.0, true},   {{16, 4, 4}, false, 1.0, false}, {{16, 16, 16}, false, 1.0, true},
        {{20, 1, 1}, false, 1.0, false}, {{20, 2, 2}, true, 2.0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (is_quick() && cases[i].slow) continue;
        const vxe_sim_def def = settings(VXE_BOND_DAMPING_AUTO, 0.9);
        bench b = block(cases[i].size, cases[i].ratio, &def);
        assert_true(b.sim->implicit);
        const vxe_time_step t = vxe_sim_time_step(b.sim);
        const double relative = relative_damping(b, cases[i].bending, cases[i].ratio);
        print_message(
            "    %dx%dx%d, %s, ratio %.1f: %.4f of the nominal damping at %.2f of the paper's step\n",
            (int)cases[i].size[0], (int)cases[i].size[1], (int)cases[i].size[2],
            cases[i].bending ? "bending" : "stretching", cases[i].ratio, relative, t.dt / t.classic);
        check_near("damping over nominal", relative, 1.0, 0.1);
        finish(b);
    }
}

/* The step is more than three times as long as with explicit damping. */
static void test_step(void **state)
{
    (void)state;
    const int32_t size[3] = {8, 8, 8};
    const vxe_sim_def defs[2] = {settings(VXE_BOND_DAMPING_EXPLICIT, 0.9),
                                 settings(VXE_BOND_DAMPING_AUTO, 0.9)};
    double dt[2];
    for (int i = 0; i < 2; i++) {
        bench b = block(size, 1.0, &defs[i]);
        dt[i] = vxe_sim_time_step(b.sim).dt;
        finish(b);
    }
    print_message("    the step is %.2f times as long\n", dt[1] / dt[0]);
    check_above("implicit over explicit step", dt[1] / dt[0], 3.0);
}

/* Implicit where the steps it allows are so much longer that fewer of them cost less; after an edit, too. */
static void test_choice(void **state)
{
    (void)state;
    const int32_t size[3] = {8, 8, 8};
    const vxe_bond_damping kinds[3] = {VXE_BOND_DAMPING_EXPLICIT, VXE_BOND_DAMPING_IMPLICIT,
                                       VXE_BOND_DAMPING_AUTO};
    const double ratios[6] = {0.05, 0.1, 0.2, 0.3, 0.5, 1.0};
    bool found[2] = {false, false};
    for (int i = 0; i < 6; i++) {
        double dt[3];
        bool implicit = false;
        for (int k = 0; k < 3; k++) {
            const vxe_sim_def def = settings(kinds[k], 0.9);
            bench b = block(size, ratios[i], &def);
            dt[k] = vxe_sim_time_step(b.sim).dt;
            implicit = b.sim->implicit;
            finish(b);
        }
        print_message("    ratio %.2f: steps %.2f times as long, %s\n", ratios[i], dt[1] / dt[0],
                      implicit ? "implicit" : "explicit");
        assert_true(implicit == (dt[1] > 1.5 * dt[0]));
        assert_true(dt[2] == dt[implicit ? 1 : 0]);
        found[implicit] = true;
    }
    assert_true(found[0] && found[1]);
    const vxe_sim_def def = settings(VXE_BOND_DAMPING_AUTO, 0.9);
    bench b = block(size, 0.05, &def);
    assert_false(b.sim->implicit);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_damping(b.sim, 1.0, 1.0, 1.0, 0.0, &error), &error);
    assert_true(b.sim->implicit);
    require(vxe_sim_set_damping(b.sim, 0.0, 0.0, 1.0, 0.0, &error), &error);
    assert_false(b.sim->implicit);
    finish(b);
}

/* ---- energy and momentum -------------------------------------------------------------------------------------------- */

/* Unlike voxels with holes, and velocities at random. */
static bench random_body(uint64_t seed, double ratio, const vxe_sim_def *def, bool held)
{
    rng r = {seed};
    vxe_scene *scene = new_scene(0.01, 5, 4, 4);
    for (int m = 0; m < 3; m++) {
        add_material(scene, m == 0 ? 1e6 : m == 1 ? 3e7 : 1e5, 0.3, m == 0 ? 1000 : m == 1 ? 30000 : 100);
    }
    vxe_error error = {VXE_OK, ""};
    for (int32_t k = 0; k < 4; k++) {
        for (int32_t j = 0; j < 4; j++) {
            for (int32_t i = 0; i < 5; i++) {
                if (rng_int(&r, 0, 4) == 0 && i != 0) continue;
                require(vxe_scene_set_voxel(scene, i, j, k, rng_int(&r, 1, 3), &error), &error);
            }
        }
    }
    if (held) add_fixed(scene, "wall", box_of(0, 0, 0, 1, 4, 4), VXE_DOF_ALL);
    if (held) add_fixed(scene, "guide", box_of(3, 0, 0, 1, 4, 1), VXE_DOF_Z);
    vxe_environment e =
        environment_of(seed % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, ratio, 0.0);
    set_environment(scene, &e);
    bench b = start_with(scene, def);
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        double velocity[3];
        double spin[3];
        for (int a = 0; a < 3; a++) {
            velocity[a] = rng_between(&r, -1e-3, 1e-3);
            spin[a] = rng_between(&r, -0.1, 0.1);
        }
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    }
    return b;
}

/* The passes alone, at any strength: kinetic energy falls, momenta stay. */
static void test_passes(void **state)
{
    (void)state;
    static const double ratios[] = {0.01, 1.0, 30.0, 1000.0};
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const vxe_sim_def def = settings(VXE_BOND_DAMPING_IMPLICIT, VXE_DT_FRACTION_MAX);
        bench b = random_body(seed, ratios[seed % 4], &def, false);
        const double dt = 4e-4; /* much longer than the bound */
        const step_context context = {.step = dt, .before = dt, .kick = dt, .implicit = true, .split = true};
        double before[2][3];
        double after[2][3];
        vxe_sim_momentum(b.sim, before[0], before[1]);
        double kinetic = vxe_kinetic_energy(b.sim);
        const double first = kinetic;
        for (int i = 0; i < 5; i++) {
            vxe_damp(b.sim, &context);
            const double now = vxe_kinetic_energy(b.sim);
            check_below("kinetic energy after over before", now / kinetic, 1.0 + 1e-14);
            kinetic = now;
        }
        check_below("kinetic energy left", kinetic / first, 0.99);
        vxe_sim_momentum(b.sim, after[0], after[1]);
        const double scale = sqrt(2.0 * first * vxe_model_get(b.model)->mass);
        for (int a = 0; a < 3; a++) {
            worst = fmax(worst, fabs(after[0][a] - before[0][a]) / scale);
            worst = fmax(worst, fabs(after[1][a] - before[1][a]) / (0.02 * scale));
        }
        finish(b);
    }
    print_message("    momenta changed by %.1e of their scale\n", worst);
    check_below("change of momenta", worst, 1e-14);
}

/* Nothing drives it: the energy of a body at its longest stable step never rises, and in the end it rests. */
static void test_never_explodes(void **state)
{
    (void)state;
    static const double ratios[] = {0.3, 1.0, 5.0, 1000.0};
    const uint64_t seeds = is_quick() ? 4 : 24;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        vxe_sim_def def = settings(VXE_BOND_DAMPING_IMPLICIT, VXE_DT_FRACTION_MAX);
        def.audit = true;
        bench b = random_body(seed, ratios[seed / 2 % 4], &def, seed % 3 == 0);
        step(b.sim, 1);
        double most = vxe_sim_energy(b.sim).total;
        for (int i = 0; i < 40; i++) {
            step(b.sim, 50);
            const double now = vxe_sim_energy(b.sim).total;
            check_below("energy over what it was", now / most, 1.0 + 1e-6);
            most = now;
        }
        finish(b);
    }
}

/* A body that moves as a rigid one goes on. */
static void test_rigid_motion(void **state)
{
    (void)state;
    const vxe_sim_def def = settings(VXE_BOND_DAMPING_IMPLICIT, 0.9);
    bench b = random_body(5, 10.0, &def, false);
    const double velocity[3] = {3.0, -1.0, 2.0};
    const double spin[3] = {5.0, 10.0, -8.0};
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
    const double before = vxe_kinetic_energy(b.sim);
    const step_context context = {
        .step = 1e-3, .before = 1e-3, .kick = 1e-3, .implicit = true, .split = true};
    for (int i = 0; i < 100; i++) vxe_damp(b.sim, &context);
    check_near("kinetic energy over what it was", vxe_kinetic_energy(b.sim) / before, 1.0, 1e-12);
    finish(b);
}

/* The supports of a bar feel what damping takes: pushed through a damped bar, the reaction is the push. */
static void test_supports(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 6, 2, 2);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    vxe_region_def grip = region_of("grip", box_of(5, 0, 0, 1, 2, 2));
    grip.fixed = VXE_DOF_ALL;
    grip.displacement[0] = 0.01;
    grip.ramp = 1.0; /* smooth: 0.015 m/s half way */
    put_region(scene, &grip);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 50.0, 0.0);
    set_environment(scene, &e);
    const vxe_sim_def def = settings(VXE_BOND_DAMPING_AUTO, 0.9);
    bench b = start_with(scene, &def);
    const vxe_stop stop = {.time = 0.5};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    double wall[3];
    double pull[3];
    assert_int_equal(vxe_sim_region_reaction(b.sim, 0, wall, NULL, NULL), VXE_OK);
    assert_int_equal(vxe_sim_region_reaction(b.sim, 1, pull, NULL, NULL), VXE_OK);
    /* spring E A/L u and damper beta E A/L u' of five links in a row, four side by side */
    const double beta = 50.0 * sqrt(1000.0 * 0.01 * 0.01 / 1e6);
    const double expected = 4.0 * 1e4 / 5.0 * (0.005 + beta * 0.015);
    check_near("pull of the grip, N", pull[0], expected, 0.01 * expected);
    check_near("sum of the reactions, N", wall[0] + pull[0], 0.0, 1e-6 * expected);
    finish(b);
}

/* Ground damping that takes hold of spins more than of velocities, and implicit damping of the links: what
 * both take of a cantilever that sags never comes back. One after the other they were no damping of some
 * motions: two fifths of the energy came from nothing, and the run stopped. 1e-9: round-off. */
static void test_uneven_ground(void **state)
{
    (void)state;
    static const double grounds[3][2] = {{0.01, 100.0}, {0.3, 100.0}, {1.0, 0.0}}; /* ratio, of turning */
    for (int i = 0; i < 6; i++) {
        vxe_scene *scene = new_scene(0.01, 8, 2, 2);
        fill_all(scene, add_material(scene, 1e5, 0.3, 1000.0));
        if (i < 3) (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, grounds[i % 3][0]);
        e.damping_turning = grounds[i % 3][1];
        e.gravity[0] = 3.0;
        e.gravity[2] = -9.81;
        e.floor = i >= 3;
        set_environment(scene, &e);
        vxe_sim_def def = settings(VXE_BOND_DAMPING_IMPLICIT, 0.9);
        def.audit = true;
        bench b = start_with(scene, &def);
        double most = 0.0;
        double back = 0.0;
        for (int n = 0; n < 400; n++) {
            step(b.sim, 1);
            const double taken = vxe_sim_energy(b.sim).dissipated;
            most = fmax(most, taken);
            back = fmax(back, most - taken);
        }
        check_well(b.sim);
        check_below("what came back of what damping took", back / most, 1e-9);
        finish(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_low_modes),      cmocka_unit_test(test_step),
        cmocka_unit_test(test_choice),         cmocka_unit_test(test_passes),
        cmocka_unit_test(test_never_explodes), cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_supports),       cmocka_unit_test(test_uneven_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
