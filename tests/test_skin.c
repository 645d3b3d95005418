/* The skin of a simulation: how corners are shared, that the surface is closed, where stretched, turned and
 * broken bodies end. */
#include "support.h"

/* Volume inside the faces, m^3, each cut into four triangles about its middle; zero net area says that the
 * surface is closed. */
static double skin_volume(const vxe_skin_view *s)
{
    double volume = 0.0;
    double area[3] = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int32_t f = 0; f < s->face_count; f++) {
        const double *p[4];
        double middle[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 4; i++) {
            p[i] = s->corner + 3 * (size_t)s->face_corner[4 * f + i];
            for (int a = 0; a < 3; a++) middle[a] += 0.25 * p[i][a];
        }
        for (int i = 0; i < 4; i++) {
            const double *b = p[i];
            const double *c = p[(i + 1) % 4];
            for (int a = 0; a < 3; a++) {
                const int y = (a + 1) % 3;
                const int z = (a + 2) % 3;
                const double normal =
                    0.5 * ((b[y] - middle[y]) * (c[z] - middle[z]) - (b[z] - middle[z]) * (c[y] - middle[y]));
                volume += normal * middle[a] / 3.0;
                area[a] += normal;
                total += fabs(normal);
            }
        }
    }
    for (int a = 0; a < 3; a++) check_near("net area", area[a], 0.0, 1e-12 * total);
    return volume;
}

static vxe_skin *new_skin(const vxe_sim *sim)
{
    vxe_skin *skin = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_skin_create(sim, &skin, &error), &error);
    return skin;
}

static void update(vxe_skin *skin, const vxe_sim *sim)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_skin_update(skin, sim, &error), &error);
}

static void test_block(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 3, 2, 2);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
    bench b = start(scene);
    vxe_skin *skin = new_skin(b.sim);
    const vxe_skin_view *s = vxe_skin_get(skin);
    assert_int_equal(s->voxel_count, 12);
    assert_int_equal(s->corner_count, 4 * 3 * 3);
    assert_int_equal(s->face_count, 2 * (3 * 2 + 3 * 2 + 2 * 2));
    check_near("volume", skin_volume(s), 12e-6, 1e-17);
    /* Every voxel has its corners in the order promised. */
    static const int sign[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const vxe_model_view *view = vxe_model_get(b.model);
    for (int32_t v = 0; v < 12; v++)
        for (int c = 0; c < 8; c++)
            for (int a = 0; a < 3; a++)
                check_near("corner", s->corner[3 * s->voxel_corner[8 * v + c] + a],
                           0.01 * (view->cell[a][v] + sign[c][a]), 1e-15);
    /* A side is the one it is said to be. */
    for (int32_t f = 0; f < s->face_count; f++) {
        const int axis = s->face_side[f] / 2;
        const double plane = 0.01 * (view->cell[axis][s->face_voxel[f]] + s->face_side[f] % 2);
        for (int i = 0; i < 4; i++)
            check_near("face", s->corner[3 * s->face_corner[4 * f + i] + axis], plane, 1e-15);
    }
    vxe_skin_destroy(skin);
    finish(b);
}

/* Two voxels that meet in an edge only are two bodies: nothing is shared. Around a lattice corner voxels that
 * are joined by way of others share it. */
static void test_sharing(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 2, 2);
    const int32_t material = add_material(scene, 1e6, 0.3, 1000);
    require(vxe_scene_set_voxel(scene, 0, 0, 0, material, &error), &error);
    require(vxe_scene_set_voxel(scene, 1, 1, 0, material, &error), &error);
    bench b = start(scene);
    vxe_skin *skin = new_skin(b.sim);
    assert_int_equal(vxe_skin_get(skin)->corner_count, 16);
    check_near("volume", skin_volume(vxe_skin_get(skin)), 2e-6, 1e-17);
    vxe_skin_destroy(skin);
    finish(b);

    scene = new_scene(0.01, 2, 2, 2); /* three in an L: the edge where all meet has two corners, not six */
    const int32_t again = add_material(scene, 1e6, 0.3, 1000);
    require(vxe_scene_set_voxel(scene, 0, 0, 0, again, &error), &error);
    require(vxe_scene_set_voxel(scene, 1, 0, 0, again, &error), &error);
    require(vxe_scene_set_voxel(scene, 1, 1, 0, again, &error), &error);
    b = start(scene);
    skin = new_skin(b.sim);
    assert_int_equal(vxe_skin_get(skin)->corner_count, 16);
    assert_int_equal(vxe_skin_get(skin)->face_count, 14);
    check_near("volume", skin_volume(vxe_skin_get(skin)), 3e-6, 1e-17);
    vxe_skin_destroy(skin);
    finish(b);
}

/* A bar under tension is stretched over its whole length, its free end included; and its skin turns with it.
 */
static void test_stretch(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 6, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    vxe_environment environment = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.05);
    set_environment(scene, &environment);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    (void)add_force(scene, "tip", box_of(5, 0, 0, 1, 1, 1), 10.0, 0.0, 0.0); /* strain 10 N/(1 MPa 1 cm^2) */
    bench b = start(scene);
    vxe_skin *skin = new_skin(b.sim);
    const int32_t version = vxe_skin_get(skin)->version;
    settle(b.sim, 1e-9, 0.0, 2000000);
    update(skin, b.sim);
    const vxe_skin_view *s = vxe_skin_get(skin);
    assert_int_equal(s->version, version);
    double low = 1.0;
    double high = -1.0;
    for (int32_t c = 0; c < s->corner_count; c++) {
        low = fmin(low, s->corner[3 * c]);
        high = fmax(high, s->corner[3 * c]);
    }
    check_near("length", high - low, 0.06 * 1.1, 1e-8);
    check_near("volume", skin_volume(s), 6e-6 * 1.1, 1e-12);
    vxe_skin_destroy(skin);
    finish(b);
}

/* Turned bodies keep their volume. */
static void test_turn(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 4, 2, 3);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    bench b = start(scene);
    const double none[3] = {0.0, 0.0, 0.0};
    const double spin[3] = {0.3, -0.2, 0.5};
    const double center[3] = {0.02, 0.01, 0.015};
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, none, spin, center, &error), &error);
    const vxe_stop stop = {.time = 2.0};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    check_above("turn", vxe_sim_displacement_max(b.sim, NULL), 0.01);
    vxe_skin *skin = new_skin(b.sim);
    check_near("volume", skin_volume(vxe_skin_get(skin)), 24e-6,
               24e-6 * 1e-5); /* spin stretches it a little */
    vxe_skin_destroy(skin);
    finish(b);
}

static void test_break(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 4, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.failure_stress = 5e4;
    fill_all(scene, put_material(scene, &def));
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    (void)add_force(scene, "tip", box_of(3, 0, 0, 1, 1, 1), 10.0, 0.0, 0.0);
    bench b = start(scene);
    vxe_skin *skin = new_skin(b.sim);
    const int32_t version = vxe_skin_get(skin)->version;
    assert_int_equal(vxe_skin_get(skin)->corner_count, 20);
    int64_t broken = 0;
    for (int i = 0; i < 100000 && broken == 0; i++) {
        step(b.sim, 1);
        vxe_sim_failures(b.sim, &broken, NULL);
    }
    assert_true(broken > 0);
    update(skin, b.sim);
    assert_int_equal(vxe_skin_get(skin)->version, version + 1);
    assert_int_equal(vxe_skin_get(skin)->corner_count, 20 + 4 * broken);
    assert_int_equal(vxe_skin_get(skin)->face_count, 18 + 2 * broken);
    (void)skin_volume(vxe_skin_get(skin));
    vxe_sim_reset(b.sim); /* and whole again */
    update(skin, b.sim);
    assert_int_equal(vxe_skin_get(skin)->corner_count, 20);
    check_near("volume", skin_volume(vxe_skin_get(skin)), 4e-6, 1e-17);
    vxe_skin_destroy(skin);
    finish(b);
}

static void test_misuse(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_skin *skin = NULL;
    assert_int_equal(vxe_skin_create(NULL, &skin, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_skin_update(NULL, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_null(vxe_skin_get(NULL));
    vxe_skin_destroy(NULL);
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    vxe_scene *copy = NULL;
    require(vxe_scene_copy(scene, &copy, &error), &error);
    bench one = start(scene);
    bench two = start(copy);
    skin = new_skin(one.sim);
    assert_int_equal(vxe_skin_update(skin, two.sim, &error), VXE_ERROR_ARGUMENT);
    vxe_skin_destroy(skin);
    finish(one);
    finish(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block), cmocka_unit_test(test_sharing), cmocka_unit_test(test_stretch),
        cmocka_unit_test(test_turn),  cmocka_unit_test(test_break),   cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
