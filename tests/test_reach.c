/* Voxels that touch from further away than their size (collision_distance), contacts without friction
 * (collision_smooth) and turning that is damped more than moving (damping_turning). */
#include "support.h"

#include "sim/sim.h"

#define PITCH 0.01

/* A chain of voxels that comes back beside its beginning: (1,0) and (0,1) touch by their edges, with nothing
 * between them and many links the other way round. */
static vxe_scene *hook(double distance)
{
    static const int cells[][2] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}, {4, 3},
                                   {3, 3}, {2, 3}, {1, 3}, {0, 3}, {0, 2}, {0, 1}};
    vxe_scene *scene = new_scene(PITCH, 5, 4, 1);
    const int32_t material = add_material(scene, 1e5, 0.0, 1000.0);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        require(vxe_scene_set_voxel(scene, cells[i][0], cells[i][1], 0, material, NULL), NULL);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    e.damping_contact = 0.0;
    e.collisions = VXE_COLLISIONS_GRID;
    e.collision_distance = distance;
    set_environment(scene, &e);
    return scene;
}

/* A contact that is there at the start holds the energy of its spring, k (1.5 - sqrt 2)^2 l^2/2 with k = E l,
 * and the body swings with that and never with more: the stop spring, which is as stiff as the step allows,
 * is not reached. The account explains all but 1 % of it over ten thousand steps (contact forces are found to
 * 1e-4). */
static void test_contact_from_the_start(void **state)
{
    (void)state;
    const double depth = (1.5 - sqrt(2.0)) * PITCH;
    const double stored = 0.5 * 1e5 * PITCH * depth * depth;
    bench b = start(hook(1.5));
    double most = 0.0;
    for (int i = 0; i < 1000; i++) {
        step(b.sim, 10);
        const vxe_energy e = vxe_sim_energy(b.sim);
        if (e.kinetic > most) most = e.kinetic;
        check_near("what the account does not explain", e.error, 0.0, 0.01 * stored);
    }
    check_below("kinetic energy", most, stored);
    check_above("kinetic energy", most, 0.1 * stored);
    finish(b);
    b = start(hook(1.25)); /* sqrt 2 apart: no contact */
    step(b.sim, 1000);
    check_below("speed", vxe_sim_speed_max(b.sim), 1e-12); /* round-off */
    finish(b);
}

/* A voxel falls beside the top of another: the push has no sideways friction and turns nothing. */
static void test_smooth(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        vxe_scene *scene = new_scene(PITCH, 1, 1, 4);
        const int32_t material = add_material(scene, 1e5, 0.0, 1000.0);
        require(vxe_scene_set_voxel(scene, 0, 0, 0, material, NULL), NULL);
        require(vxe_scene_set_voxel(scene, 0, 0, 3, material, NULL), NULL);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
        e.collisions = VXE_COLLISIONS_GRID;
        e.collision_distance = 1.25;
        e.collision_smooth = smooth == 1;
        e.gravity[0] = 1.0;
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        (void)add_fixed(scene, "below", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        bench b = start(scene);
        const vxe_stop stop = {.time = 0.08};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        int64_t pairs = 0;
        const double turned = fabs(b.sim->orientation[2][1]);
        vxe_sim_contacts(b.sim, NULL, &pairs);
        if (smooth == 1)
            check_below("turned", turned, 1e-12); /* round-off */
        else
            check_above("turned", turned, 1e-4);
        check_above("height", b.sim->position[2][1], 0.5 * PITCH + 1.1 * PITCH);
        finish(b);
    }
}

/* A voxel that turns alone slows down as exp(-2 zeta factor sqrt(E l/m) t). The step's implicit form differs
 * from it by the square of the exponent per step, far below a thousandth here. */
static void test_turning(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 1, 1, 1);
    const int32_t material = add_material(scene, 1e5, 0.0, 1000.0);
    fill_all(scene, material);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 1e-5);
    e.damping_turning = 24.5;
    set_environment(scene, &e);
    bench b = start(scene);
    b.sim->spin[0][0] = 1.0;
    b.sim->velocity[0][0] = 1.0;
    vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
    step(b.sim, 1000);
    const double rate = 2.0 * 1e-5 * sqrt(1e5 * PITCH / (1000.0 * PITCH * PITCH * PITCH));
    const double time = vxe_sim_time(b.sim);
    vxe_state_read(b.sim, vxe_state_with(STATE_DEVICE));
    check_near("velocity", b.sim->velocity[0][0], exp(-rate * time), 1e-3 * exp(-rate * time));
    check_near("spin", b.sim->spin[0][0], exp(-24.5 * rate * time), 1e-3 * exp(-24.5 * rate * time));
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_from_the_start),
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
