/* Links out of balance, as programs that follow the published equations to the letter have them
 * (links_unbalanced): the force across a link is its couples over the pitch instead of over its length. */
#include "support.h"

#include "kernel/link.h"
#include "sim/sim.h"

#define PITCH 0.01

/* Couples alike, force across times length over pitch: a torque of (1 - length/pitch) of the couples is left
 * over. At one pitch there is no difference. */
static void test_one_link(void **state)
{
    (void)state;
    const rquat straight = {1.0, 0.0, 0.0, 0.0};
    const rquat bent = {cos(0.2), 0.0, 0.0, sin(0.2)};
    const link_stiffness k = link_stiffness_of(1.0, 0.3, 0.1);
    for (int i = 0; i < 3; i++) {
        const double length = PITCH * (0.8 + 0.2 * i);
        link_chord chord = link_chord_of((rvec){length, 0.0, 0.0});
        const link_load fair = link_elastic(chord, straight, bent, 0, k, 0.5);
        chord.lever = 1.0 / PITCH;
        const link_load load = link_elastic(chord, straight, bent, 0, k, 0.5);
        const double couples = load.near_moment.z + load.far_moment.z;
        check_above("couples", fabs(couples), 0.1);
        check_near("near moment", load.near_moment.z, fair.near_moment.z, 0.0);
        check_near("far moment", load.far_moment.z, fair.far_moment.z, 0.0);
        check_near("along", load.force.x, fair.force.x, 1e-12);
        check_near("across", load.force.y, fair.force.y * length / PITCH, 1e-12 * fabs(fair.force.y));
        check_near("torque", couples + length * fair.force.y, 0.0, 1e-15);
        check_near("torque left over", couples + length * load.force.y, (1.0 - length / PITCH) * couples,
                   1e-14);
        const rvec excess =
            link_excess(chord, link_elastic_parts(chord, straight, bent, rquat_half_axis(straight, 0),
                                                  rquat_half_axis(bent, 0), k, 0.5));
        check_near("excess", excess.y, load.force.y - fair.force.y, 1e-12 * fabs(fair.force.y));
    }
}

/* kg m^2/s: about the origin. */
static double angular_momentum_z(vxe_sim *sim)
{
    vxe_state_read(sim, vxe_state_with(STATE_DEVICE));
    double sum = 0.0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        const double m = 1000.0 * PITCH * PITCH * PITCH;
        sum += m * (sim->position[0][v] * sim->velocity[1][v] - sim->position[1][v] * sim->velocity[0][v]);
        sum += m * PITCH * PITCH / 6.0 * sim->spin[2][v];
    }
    return sum;
}

/* A free bar in vacuum that is half as long again as its pitch says, bent: in balance it never turns. */
static bench swollen_bar(bool unbalanced)
{
    vxe_scene *scene = new_scene(PITCH, 4, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    def.density = 1000.0;
    def.expansion = 0.03;
    fill_all(scene, put_material(scene, &def));
    vxe_signal_def signal = vxe_default_signal_def();
    signal.name[0] = 's';
    signal.amplitude = 10.0;
    signal.period = 0.05;
    (void)put_signal(scene, &signal);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.5, 0.0);
    e.links_unbalanced = unbalanced;
    set_environment(scene, &e);
    bench b = start(scene);
    b.sim->velocity[1][0] = 0.05;
    b.sim->velocity[1][1] = -0.05;
    b.sim->spin[2][3] = 3.0;
    vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
    return b;
}

static void test_free_bar(void **state)
{
    (void)state;
    double change[2];
    for (int unbalanced = 0; unbalanced < 2; unbalanced++) {
        bench b = swollen_bar(unbalanced == 1);
        const double before = angular_momentum_z(b.sim);
        const vxe_stop stop = {.time = 0.04};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        change[unbalanced] = fabs(angular_momentum_z(b.sim) / before - 1.0);
        const vxe_energy e = vxe_sim_energy(b.sim);
        check_above("work of actuation", fabs(e.actuation_work), 1e-9);
        /* what links make out of nothing is booked with what damping takes */
        check_below("what the account does not explain", fabs(e.error), 0.01 * fabs(e.actuation_work));
        assert_int_equal(b.sim->implicit, unbalanced == 0);
        finish(b);
    }
    print_message("    angular momentum changes by %.1e in balance, by %.1e without\n", change[0], change[1]);
    check_below("change of angular momentum in balance", change[0], 1e-11);
    check_above("change of angular momentum out of balance", change[1], 0.01);
}

/* Whoever asks for implicit damping gets explicit, and after a change of damping too. */
static void test_explicit(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 3, 2, 2);
    fill_all(scene, add_material(scene, 1e5, 0.0, 1000.0));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.links_unbalanced = true;
    set_environment(scene, &e);
    vxe_sim_def def = vxe_default_sim_def();
    def.bond_damping = VXE_BOND_DAMPING_IMPLICIT;
    bench b = start_with(scene, &def);
    assert_false(b.sim->implicit);
    require(vxe_sim_set_damping(b.sim, 0.8, 0.8, 1.0, 0.0, NULL), NULL);
    assert_false(b.sim->implicit);
    step(b.sim, 100);
    check_well(b.sim);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_link),
        cmocka_unit_test(test_free_bar),
        cmocka_unit_test(test_explicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
