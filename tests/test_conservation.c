/* What a free body must keep: no spin and no drift out of internal stress, no energy out
 * of vibration, momentum and angular momentum to round-off whatever its materials, pressure, damping and
 * actuation do, and no damping of rigid motion. */
#include "support.h"

#include "sim/sim.h"

/* Two unlike materials in a random mixture (repeatable, so without any symmetry), and one of them
 * expands. */
static vxe_scene *mixed_body(vxe_elasticity elasticity, double damping, double poisson, double expansion)
{
    vxe_scene *scene = new_scene(0.01, 8, 3, 3);
    vxe_material_def def = vxe_default_material_def();
    def.poissons_ratio = poisson;
    const int32_t light = put_material(scene, &def);
    def.density = 4000.0;
    def.expansion = expansion;
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
    const vxe_environment e = environment_of(elasticity, damping, 0.0);
    set_environment(scene, &e);
    return scene;
}

/* Angular momentum about the centre of mass over the smallest moment of inertia of the body, rad/s. */
static double body_spin(vxe_sim *sim)
{
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *state = vxe_sim_state(sim);
    double center[3];
    double momentum[3];
    double angular[3];
    vxe_sim_center_of_mass(sim, center);
    vxe_sim_momentum(sim, momentum, angular);
    const double own[3] = {angular[0] - center[1] * momentum[2] + center[2] * momentum[1],
                           angular[1] - center[2] * momentum[0] + center[0] * momentum[2],
                           angular[2] - center[0] * momentum[1] + center[1] * momentum[0]};
    double inertia[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const double mass = view->voxel_mass[view->material[v]];
        double square[3];
        for (int a = 0; a < 3; a++)
            square[a] = (state->position[a][v] - center[a]) * (state->position[a][v] - center[a]);
        for (int a = 0; a < 3; a++) {
            inertia[a] +=
                mass * (square[(a + 1) % 3] + square[(a + 2) % 3] + view->pitch * view->pitch / 6.0);
        }
    }
    return length3(own) / fmin(inertia[0], fmin(inertia[1], inertia[2]));
}

static void check_heated(vxe_elasticity elasticity)
{
    vxe_scene *scene = mixed_body(elasticity, 1.0, 0.3, 0.02);
    vxe_signal_def heat = vxe_default_signal_def();
    heat.base = 10.0; /* 10 K times 0.02 1/K: a mismatch of 20 % */
    put_signal(scene, &heat);
    bench b = start(scene);
    double before[3];
    vxe_sim_center_of_mass(b.sim, before);
    step(b.sim, is_quick() ? 20000 : 200000);
    check_above("the largest strain", vxe_sim_strain_max(b.sim), 0.05); /* the body is really stressed */
    double momentum[3];
    vxe_sim_momentum(b.sim, momentum, NULL);
    const double drift = length3(momentum) / vxe_model_get(b.model)->mass;
    const double spin = body_spin(b.sim);
    double fastest = 0.0;
    const vxe_state *state = vxe_sim_state(b.sim);
    for (int32_t v = 0; v < vxe_model_get(b.model)->voxel_count; v++) {
        const double own[3] = {state->spin[0][v], state->spin[1][v], state->spin[2][v]};
        fastest = fmax(fastest, length3(own));
    }
    print_message("    heated, %s: spin %.1e rad/s, fastest voxel %.1e rad/s, drift %.1e m/s\n",
                  elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid", spin, fastest, drift);
    check_below("spin", spin, 1e-9);    /* required */
    check_below("drift", drift, 1e-12); /* required */
    /* at rest a voxel's spin is the body's and round-off of the balance of moments: the same bound (in a
     * quick run it is not yet at rest) */
    if (!is_quick()) check_below("spin of the fastest voxel", fastest, 1e-9);
    finish(b);
}

static void test_heated_body_beam(void **state)
{
    (void)state;
    check_heated(VXE_ELASTICITY_BEAM);
}

static void test_heated_body_solid(void **state)
{
    (void)state;
    check_heated(VXE_ELASTICITY_SOLID);
}

/* ---- vibration ------------------------------------------------------------------------------------------------------ */

/* A bar bending freely at 2 m/s without damping: means over windows of 1000 steps stay within 2 % (required)
 * of the first over 1e5 steps. */
static void check_vibration(vxe_elasticity elasticity, double poisson)
{
    vxe_scene *scene = new_scene(0.01, 16, 2, 2);
    fill_all(scene, add_material(scene, 1e6, poisson, 1000));
    const vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    const vxe_model_view *view = vxe_model_get(b.model);
    vxe_error error = {VXE_OK, ""};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        /* symmetric about the middle and without momentum */
        const double velocity[3] = {0.0, 0.0, 2.0 * cos(2.0 * PI * (view->cell[0][v] + 0.5) / 16.0)};
        const double none[3] = {0.0, 0.0, 0.0};
        require(vxe_sim_set_velocity(b.sim, v, velocity, none, &error), &error);
    }
    const int windows = is_quick() ? 10 : 100;
    double first = 0.0;
    double lowest = INFINITY;
    double highest = 0.0;
    for (int w = 0; w < windows; w++) {
        double sum = 0.0;
        for (int i = 0; i < 1000; i++) {
            step(b.sim, 1);
            sum += vxe_sim_energy(b.sim).total;
        }
        sum /= 1000.0;
        if (w == 0) first = sum;
        lowest = fmin(lowest, sum);
        highest = fmax(highest, sum);
    }
    print_message(
        "    undamped bar, %s: mean energy of windows between %+.2f %% and %+.2f %% of the first (%.4g J)\n",
        elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid", 100.0 * (lowest / first - 1.0),
        100.0 * (highest / first - 1.0), first);
    check_above("energy put in, J", first,
                0.5 * 0.064 * 2.0 * 2.0 / 2.0 * 0.9); /* 64 g at 2 m/s, mean of cos^2 is a half */
    check_above("lowest window", lowest / first, 0.98);
    check_below("highest window", highest / first, 1.02);
    finish(b);
}

static void test_vibrating_bar(void **state)
{
    (void)state;
    check_vibration(VXE_ELASTICITY_BEAM, 0.3);
    check_vibration(VXE_ELASTICITY_SOLID, 0.3);
}

/* ---- momentum ------------------------------------------------------------------------------------------------------- */

/* A spinning, flying, actuated body of two materials. Every step adds forces that cancel to 1e-16 of
 * themselves, which over 20000 steps adds up to something between 1e-14 (its square root) and 1e-12 (in
 * proportion) of what passes between voxels in a step; the arms of angular momentum and of the path come on
 * top. */
static void check_momenta(vxe_elasticity elasticity, double damping)
{
    vxe_scene *scene = mixed_body(elasticity, damping, 0.45, 0.02);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 10.0;
    beat.period = 0.05;
    put_signal(scene, &beat);
    bench b = start(scene);
    const double velocity[3] = {1.0, -2.0, 0.5};
    const double spin[3] = {5.0, 20.0, -10.0};
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
    double p0[3];
    double h0[3];
    vxe_sim_momentum(b.sim, p0, h0);
    double strain = 0.0;
    for (int i = 0; i < 100; i++) {
        step(b.sim, is_quick() ? 20 : 200);
        strain = fmax(strain, vxe_sim_strain_max(b.sim));
    }
    double p1[3];
    double h1[3];
    vxe_sim_momentum(b.sim, p1, h1);
    double change[2] = {0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        change[0] = fmax(change[0], fabs(p1[a] - p0[a]) / length3(p0));
        change[1] = fmax(change[1], fabs(h1[a] - h0[a]) / length3(h0));
    }
    /* the centre of mass goes where its momentum takes it: the sum of steps is exact to round-off too */
    double moved_to[3];
    vxe_sim_center_of_mass(b.sim, moved_to);
    const double mass = vxe_model_get(b.model)->mass;
    double path = 0.0;
    for (int a = 0; a < 3; a++)
        path = fmax(path, fabs(moved_to[a] - center[a] - p0[a] / mass * vxe_sim_time(b.sim)));
    print_message(
        "    %s, damping %g: momentum changed by %.1e, angular momentum by %.1e (relative), path by %.1e m\n",
        elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid", damping, change[0], change[1], path);
    check_below("change of momentum", change[0], 1e-13);
    check_below("change of angular momentum", change[1], 3e-12);
    check_below("distance from the straight path, m", path, 1e-11);
    check_above("the largest strain", strain, 0.05); /* actuation is really on */
    finish(b);
}

static void test_momentum(void **state)
{
    (void)state;
    check_momenta(VXE_ELASTICITY_SOLID, 0.0);
    check_momenta(VXE_ELASTICITY_SOLID, 1.0);
    check_momenta(VXE_ELASTICITY_BEAM, 0.1);
}

/* ---- rigid motion --------------------------------------------------------------------------------------------------- */

static double largest_damping(const vxe_sim *sim)
{
    double most = 0.0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        for (int a = 0; a < 3; a++) {
            most = fmax(most, fabs(sim->lost_force[a][v]) * sim->model->view.pitch);
            most = fmax(most, fabs(sim->lost_moment[a][v]));
        }
    }
    return most;
}

/* A whole body in fast rigid motion: no damping force above 1e-12 (required) of what it is when one voxel
 * stands still. */
static void test_rigid_motion_is_not_damped(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.bond_damping = VXE_BOND_DAMPING_EXPLICIT;
    def.isa = VXE_ISA_PLAIN; /* whose loops leave the damping load of every voxel in its array */
    bench b = start_with(mixed_body(VXE_ELASTICITY_SOLID, 1.0, 0.3, 0.0), &def);
    const double velocity[3] = {30.0, -10.0, 20.0};
    const double spin[3] = {50.0, 100.0, -80.0};
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
    step(b.sim, 1);
    const double rigid = largest_damping(b.sim);
    vxe_sim_reset(b.sim);
    require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
    const double none[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_velocity(b.sim, 40, none, none, &error), &error);
    step(b.sim, 1);
    const double other = largest_damping(b.sim);
    print_message("    damping of rigid motion: %.1e of the non-rigid scale\n", rigid / other);
    check_above("damping of motion that is not rigid", other, 1e-3);
    check_below("damping of rigid motion", rigid / other, 1e-12);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heated_body_beam),
        cmocka_unit_test(test_heated_body_solid),
        cmocka_unit_test(test_vibrating_bar),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_rigid_motion_is_not_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
