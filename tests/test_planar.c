/* Planar scenes: for loads in the plane the motion is that of the three-dimensional scene, bit for bit at the
 * same step, in all three planes; and what would leave the plane is held. */
#include "support.h"

#include "freeze.h"

/* In-plane axes and normal of a plane. */
static const struct plane_axes {
    vxe_plane plane;
    int first, second, normal;
    const char *name;
} planes[3] = {{VXE_PLANE_XY, 0, 1, 2, "xy"}, {VXE_PLANE_XZ, 0, 2, 1, "xz"}, {VXE_PLANE_YZ, 1, 2, 0, "yz"}};

/* A plate of 8x4 in the plane and `layers` thick, of two materials, held at one end, loaded by a force and a
 * couple at the other, under gravity, driven by a signal; lying on the floor where the plane is upright. */
static vxe_scene *plate(const struct plane_axes *p, bool planar, int32_t layers, vxe_elasticity elasticity,
                        bool held)
{
    int32_t size[3] = {0, 0, 0};
    size[p->first] = 8;
    size[p->second] = 4;
    size[p->normal] = layers;
    vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2]);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.02;
    const int32_t soft = put_material(scene, &def);
    def.youngs_modulus = 5e6;
    def.poissons_ratio = 0.2;
    def.expansion = -0.01;
    def.density = 2000.0;
    const int32_t hard = put_material(scene, &def);
    fill_all(scene, soft);
    double corner[3] = {0.0, 0.0, 0.0};
    double side[3] = {size[0], size[1], size[2]};
    side[p->second] = 2.0;
    fill(scene, box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]), hard);
    side[p->second] = 4.0;
    side[p->first] = 1.0;
    if (held)
        add_fixed(scene, "wall", box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]),
                  VXE_DOF_ALL);
    corner[p->first] = 7.0;
    vxe_region_def tip = region_of("tip", box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]));
    tip.force[p->first] = 0.2 * layers;
    tip.force[p->second] = 0.7 * layers;
    tip.torque[p->normal] = -0.005 * layers;
    tip.ramp = 0.01;
    put_region(scene, &tip);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 5.0;
    beat.period = 0.02;
    put_signal(scene, &beat);
    vxe_environment e = environment_of(elasticity, 0.3, 0.002);
    e.gravity[p->second] = -9.81;
    e.gravity[p->first] = 2.0;
    e.floor = p->second == 2;
    e.plane = planar ? p->plane : VXE_PLANE_NONE;
    set_environment(scene, &e);
    return scene;
}

static void check_equal(const struct plane_axes *p, int32_t layers, vxe_elasticity elasticity, bool held)
{
    bench flat = start(plate(p, true, layers, elasticity, held));
    bench full = start(plate(p, false, layers, elasticity, held));
    /* modes across the plane only lower the limit */
    const double dt = vxe_sim_time_step(full.sim).dt;
    check_above("step of the planar scene", vxe_sim_time_step(flat.sim).dt, 0.999 * dt);
    /* at the same step the same operations are done on the same numbers, so the bits are equal */
    const int steps = is_quick() ? 400 : 4000;
    freeze_step(full.sim, dt);
    freeze_step(flat.sim, dt);
    step(full.sim, steps);
    step(flat.sim, steps);
    assert_true(full.sim->time_step.dt == dt && flat.sim->time_step.dt == dt);
    const vxe_state *s = vxe_sim_state(full.sim);
    double most = 0.0;
    for (int32_t v = 0; v < vxe_model_get(full.model)->voxel_count; v++)
        most = fmax(most, fabs(moved(full.sim, v, p->second)));
    print_message("    %s, %d layer(s), %s, %s: moves by %.2g pitches, hash %016llx\n", p->name, (int)layers,
                  elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid", held ? "held" : "free", most / 0.01,
                  (unsigned long long)vxe_sim_hash(full.sim));
    check_above("largest displacement in pitches", most / 0.01, 0.15); /* far from linear */
    assert_true(s->step == steps);
    for (int32_t v = 0; v < vxe_model_get(flat.model)->voxel_count; v++) {
        for (int a = 0; a < 3; a++) {
            if (vxe_sim_state(flat.sim)->position[a][v] != s->position[a][v]) {
                fail_msg("%s: voxel %d, axis %d: planar %.17g, full %.17g", p->name, (int)v, a,
                         vxe_sim_state(flat.sim)->position[a][v], s->position[a][v]);
            }
        }
    }
    assert_true(vxe_sim_hash(flat.sim) == vxe_sim_hash(full.sim));
    finish(flat);
    finish(full);
}

static void test_planar_equals_full(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        check_equal(&planes[i], 1, VXE_ELASTICITY_SOLID, true);
        check_equal(&planes[i], 1, VXE_ELASTICITY_SOLID, false);
        check_equal(&planes[i], 1, VXE_ELASTICITY_BEAM, true);
        /* with `beam` there is no lateral contraction, so a thick body stays in the plane too; its expansion
         * would not */
    }
}

/* A scene with loads out of its plane is refused (test_scene_check.c); edits while running may still bring
 * them, and they do nothing at all. Without the plane they would. */
static void push_out(vxe_sim *sim, const struct plane_axes *p)
{
    vxe_error error = {VXE_OK, ""};
    double push[3] = {0.1, 0.1, 0.1};
    double torque[3] = {0.001, 0.001, 0.001};
    push[p->normal] = 0.3;
    require(vxe_sim_set_load(sim, 1, push, torque, &error), &error);
    require(vxe_sim_pull(sim, 20, push, &error), &error);
    require(vxe_sim_set_gravity(sim, push, &error), &error);
    require(vxe_sim_set_velocity(sim, 21, push, push, &error), &error);
}

static void test_out_of_plane_is_held(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct plane_axes *p = &planes[i];
        for (int32_t layers = 1; layers <= 3; layers += 2) {
            bench flat = start(plate(p, true, layers, VXE_ELASTICITY_SOLID, true));
            bench full = start(plate(p, false, layers, VXE_ELASTICITY_SOLID, true));
            push_out(flat.sim, p);
            push_out(full.sim, p);
            step(flat.sim, 300);
            step(full.sim, 300);
            double out[2] = {0.0, 0.0};
            double turn = 0.0;
            const vxe_state *s = vxe_sim_state(flat.sim);
            for (int32_t v = 0; v < vxe_model_get(flat.model)->voxel_count; v++) {
                out[0] = fmax(out[0], fabs(moved(flat.sim, v, p->normal)));
                out[1] = fmax(out[1], fabs(moved(full.sim, v, p->normal)));
                turn = fmax(turn,
                            fabs(s->orientation[1 + p->first][v]) + fabs(s->orientation[1 + p->second][v]));
                turn = fmax(turn, fabs(s->velocity[p->normal][v]) + fabs(s->spin[p->first][v]) +
                                      fabs(s->spin[p->second][v]));
            }
            assert_true(out[0] == 0.0);
            assert_true(turn == 0.0);
            check_above("what the full scene does across the plane, m", out[1], 1e-4);
            finish(flat);
            finish(full);
        }
    }
}

/* A thick `beam` body under a load in the plane, without expansion: the distances between its layers differ
 * from the pitch by round-off, which moves the full one across the plane by as much; so equal to 1e-12
 * pitches instead of bit-equal. */
static void test_thick_beam_body(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct plane_axes *p = &planes[i];
        bench b[2];
        for (int planar = 0; planar < 2; planar++) {
            int32_t size[3] = {0, 0, 0};
            size[p->first] = 6;
            size[p->second] = 2;
            size[p->normal] = 3;
            vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2]);
            fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
            double side[3] = {size[0], size[1], size[2]};
            side[p->first] = 1.0;
            add_fixed(scene, "wall", box_of(0, 0, 0, side[0], side[1], side[2]), VXE_DOF_ALL);
            double corner[3] = {0.0, 0.0, 0.0};
            corner[p->first] = 5.0;
            vxe_region_def tip =
                region_of("tip", box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]));
            tip.force[p->second] = -1.5;
            put_region(scene, &tip);
            vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.1, 0.01);
            e.plane = planar != 0 ? p->plane : VXE_PLANE_NONE;
            set_environment(scene, &e);
            b[planar] = start(scene);
        }
        freeze_step(b[0].sim, b[0].sim->time_step.dt);
        freeze_step(b[1].sim, b[0].sim->time_step.dt);
        step(b[0].sim, 1000);
        step(b[1].sim, 1000);
        check_above("deflection in pitches",
                    fabs(moved(b[0].sim, voxel_at(b[0].sim, p->first == 0 ? 5 : 0, p->first == 1 ? 5 : 0, 0),
                               p->second)) /
                        0.01,
                    0.1);
        double most = 0.0;
        for (int32_t v = 0; v < vxe_model_get(b[0].model)->voxel_count; v++) {
            for (int a = 0; a < 3; a++)
                most = fmax(most, fabs(moved(b[0].sim, v, a) - moved(b[1].sim, v, a)) / 0.01);
        }
        print_message("    %s, 3 layers, beam: differs by %.1e pitches\n", p->name, most);
        check_below("difference of planar and full, in pitches", most, 1e-12);
        finish(b[0]);
        finish(b[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_equals_full),
        cmocka_unit_test(test_out_of_plane_is_held),
        cmocka_unit_test(test_thick_beam_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
