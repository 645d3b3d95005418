/* Every rule of scene_whole.c, by its message: a good scene is broken in one way at a time. */
#include "broken_scene.h"

static const double rest[3] = {0, 0, 0};
static const double along_x[3] = {0.001, 0, 0};
static const double along_y[3] = {0, 0.001, 0};
static const double along_z[3] = {0, 0, 0.001};

static void edit_region(vxe_scene *s, int32_t region, uint32_t fixed, const double displacement[3],
                        double ramp)
{
    vxe_region_def def = *vxe_scene_region(s, region);
    def.fixed = fixed;
    memcpy(def.displacement, displacement, sizeof def.displacement);
    def.ramp = ramp;
    vxe_error error = {0};
    if (vxe_scene_set_region(s, region, &def, &error) != VXE_OK) fail_msg("%s", error.message);
}

static void move_region(vxe_scene *s, int32_t region, double corner)
{
    vxe_region_def def = *vxe_scene_region(s, region);
    def.shape.corner[0] = corner;
    assert_int_equal(vxe_scene_set_region(s, region, &def, NULL), VXE_OK);
}

static void turn_region(vxe_scene *s, int32_t region, double angle, bool has_pivot, double pivot, double ramp)
{
    vxe_region_def def = *vxe_scene_region(s, region);
    def.fixed = VXE_DOF_ALL;
    def.rotation[2] = angle;
    def.has_pivot = has_pivot;
    def.pivot[0] = pivot;
    def.ramp = ramp;
    assert_int_equal(vxe_scene_set_region(s, region, &def, NULL), VXE_OK);
}

/* Two balls whose boxes of cells meet where neither, or only one, is. */
static void place_balls(vxe_scene *s)
{
    for (int32_t n = 0; n < 2; n++) {
        vxe_region_def def = *vxe_scene_region(s, n);
        def.shape = (vxe_shape){.kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .radius = {2.0}};
        set_vector(def.shape.center, 4.0 * n, 3.0 * n, n);
        assert_int_equal(vxe_scene_set_region(s, n, &def, NULL), VXE_OK);
    }
    edit_region(s, 1, VXE_DOF_ALL, along_x, 1);
}

static void set_plane(vxe_scene *s, vxe_plane plane)
{
    vxe_environment environment = vxe_scene_environment(s);
    environment.plane = plane;
    assert_int_equal(vxe_scene_set_environment(s, &environment, NULL), VXE_OK);
}

static void load_region(vxe_scene *s, double fx, double fy, double fz, double tx, double ty, double tz)
{
    vxe_region_def def = *vxe_scene_region(s, 1);
    set_vector(def.force, fx, fy, fz);
    set_vector(def.torque, tx, ty, tz);
    assert_int_equal(vxe_scene_set_region(s, 1, &def, NULL), VXE_OK);
}

static void set_material_signal(vxe_scene *s, const char *name)
{
    vxe_material_def def = *vxe_scene_material(s, 1);
    write_name(def.signal, name);
    assert_int_equal(vxe_scene_set_material(s, 1, &def, NULL), VXE_OK);
}

static void add_twin_material(vxe_scene *s)
{
    vxe_material_def def = *vxe_scene_material(s, 1);
    assert_int_equal(vxe_scene_add_material(s, &def, NULL, NULL), VXE_OK);
    memcpy(s->materials[1].name, s->materials[0].name, VXE_NAME_SIZE);
}

static void add_twin_signal(vxe_scene *s)
{
    vxe_signal_def def = vxe_default_signal_def();
    write_name(def.name, "other");
    assert_int_equal(vxe_scene_add_signal(s, &def, NULL, NULL), VXE_OK);
    memcpy(s->signals[1].name, s->signals[0].name, VXE_NAME_SIZE);
}

static void play_once(vxe_scene *s)
{
    const double time[2] = {0.0, 1.0};
    vxe_signal_def def = vxe_default_signal_def();
    def.waveform = VXE_WAVE_TABLE;
    def.table_count = 2;
    def.table_time = def.table_value = time;
    def.period = 0.0;
    assert_int_equal(vxe_scene_set_signal(s, 0, &def, NULL), VXE_OK);
}

static void clear_row(vxe_scene *s, int32_t i)
{
    const vxe_shape box = {
        .kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .corner = {i, 0, 0}, .sides = {1, 3, 2}};
    assert_int_equal(vxe_scene_fill(s, &box, 0, NULL), VXE_OK);
}

#define LEFT_RIGHT "regions \"left\" and \"right\" prescribe different motions of voxel (0,0,0) "

static const char *break_scene(int n, vxe_scene *s)
{
    BREAK(vxe_scene_remove_material(s, 1, NULL), "the scene has no voxels")
    BREAK(set_material_signal(s, "temperatur"),
          "material \"gel\": there is no signal \"temperatur\"; did you mean \"temperature\"?")
    BREAK(set_material_signal(s, "light"), "material \"gel\": there is no signal \"light\"")
    BREAK(add_twin_material(s), "material \"gel\": the name is already in use")
    BREAK(memcpy(s->regions[1].name, s->regions[0].name, VXE_NAME_SIZE),
          "region \"left\": the name is already in use")
    BREAK(add_twin_signal(s), "signal \"temperature\": the name is already in use")
    BREAK(clear_row(s, 3), "region \"right\": it touches no voxel")
    BREAK(move_region(s, 1, 4), "region \"right\": it touches no voxel")
    BREAK(move_region(s, 0, -1e8), "region \"left\": it touches no voxel")
    BREAK(vxe_scene_remove_signal(s, 0, NULL), "stop: cycles 2 needs a first signal with a period above 0")
    BREAK(play_once(s), "stop: cycles 2 needs a first signal with a period above 0")
    /* two regions, one voxel */
    BREAK((move_region(s, 1, 0), edit_region(s, 1, VXE_DOF_X, along_x, 0)), LEFT_RIGHT "along x")
    BREAK((move_region(s, 1, 0), edit_region(s, 1, VXE_DOF_MOVE, along_z, 1)), LEFT_RIGHT "along z")
    BREAK((move_region(s, 1, 0), edit_region(s, 0, VXE_DOF_X, along_x, 1),
           edit_region(s, 1, VXE_DOF_X, along_x, 2)),
          LEFT_RIGHT "along x")
    BREAK((move_region(s, 1, 0.5), edit_region(s, 1, VXE_DOF_X, along_x, 0)), LEFT_RIGHT "along x")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, false, 0, 1), edit_region(s, 1, VXE_DOF_RZ, rest, 1)),
          LEFT_RIGHT "about z")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, false, 0, 1), edit_region(s, 1, VXE_DOF_Y, rest, 1)),
          LEFT_RIGHT "along y")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, true, 0, 1), turn_region(s, 1, 1, true, 0.1, 1)),
          LEFT_RIGHT "along x")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, false, 0, 1), turn_region(s, 1, 1, false, 0, 1)),
          LEFT_RIGHT "along x")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, true, 0, 1), turn_region(s, 1, 1, true, 0, 2)),
          LEFT_RIGHT "along x")
    BREAK((clear_row(s, 0), move_region(s, 0, 0.5), move_region(s, 1, 1),
           edit_region(s, 1, VXE_DOF_X, along_x, 0)),
          "regions \"left\" and \"right\" prescribe different motions of voxel (1,0,0) along x")
    /* out of the plane */
    BREAK((set_plane(s, VXE_PLANE_XY), edit_region(s, 0, VXE_DOF_ALL, along_z, 0)),
          "region \"left\": displacement z 0.001 m leads out of the plane xy")
    BREAK((set_plane(s, VXE_PLANE_XZ), edit_region(s, 0, VXE_DOF_ALL, along_y, 0)),
          "region \"left\": displacement y 0.001 m leads out of the plane xz")
    BREAK((set_plane(s, VXE_PLANE_YZ), edit_region(s, 0, VXE_DOF_ALL, along_x, 0)),
          "region \"left\": displacement x 0.001 m leads out of the plane yz")
    BREAK((set_plane(s, VXE_PLANE_XZ), turn_region(s, 0, 1, false, 0, 0)),
          "region \"left\": rotation z 1 rad leads out of the plane xz")
    BREAK((set_plane(s, VXE_PLANE_XY), load_region(s, 1, 1, 2, 0, 0, 0)),
          "region \"right\": force z 2 N leads out of the plane xy")
    BREAK((set_plane(s, VXE_PLANE_XY), load_region(s, 1, 1, 0, 0, 3, 1)),
          "region \"right\": torque y 3 N m leads out of the plane xy")
    return NULL;
}

static void test_whole_scene(void **state)
{
    (void)state;
    for (int n = 0;; n++) {
        vxe_scene *scene = make_good();
        vxe_error error = {0};
        const char *message = break_scene(n, scene);
        if (message != NULL) expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        vxe_scene_destroy(scene);
        if (message == NULL) break;
    }
}

static void test_voxel_limit(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    vxe_error error = {0};
    scene->voxel_count = VXE_VOXELS_MAX + 1;
    expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_LIMIT,
           "the scene has 500000001 voxels, more than 500000000");
    vxe_scene_destroy(scene);
}

/* What looks odd and is allowed. */
static const char *bend_scene(int n, vxe_scene *s)
{
    BREAK((move_region(s, 1, 0), edit_region(s, 1, VXE_DOF_X, rest, 5)), "both rest, at different ramps")
    BREAK((move_region(s, 1, 0), edit_region(s, 0, VXE_DOF_X, along_x, 1),
           edit_region(s, 1, VXE_DOF_X, along_x, 1)),
          "the same motion twice")
    BREAK((move_region(s, 1, 0), edit_region(s, 0, VXE_DOF_Y, along_y, 1),
           edit_region(s, 1, VXE_DOF_X, along_x, 2)),
          "different degrees of freedom")
    BREAK((move_region(s, 1, 0), turn_region(s, 0, 1, true, 0, 1), turn_region(s, 1, 1, true, 0, 1)),
          "the same rotation about the same pivot")
    BREAK((move_region(s, 1, 1), edit_region(s, 1, VXE_DOF_ALL, along_x, 1)), "neighbours")
    BREAK((clear_row(s, 1), move_region(s, 0, 0.5), move_region(s, 1, 1.5),
           edit_region(s, 1, VXE_DOF_X, along_x, 0)),
          "regions that share empty cells only")
    BREAK(place_balls(s), "balls side by side")
    BREAK((move_region(s, 1, 0)), "a force on a held region")
    BREAK(load_region(s, 0, 0, 0, 0, 0, 0), "a region that does nothing")
    BREAK((set_plane(s, VXE_PLANE_XY), turn_region(s, 0, 1, false, 0, 0), load_region(s, 1, 1, 0, 0, 0, 1)),
          "motion within the plane")
    return NULL;
}

static void test_allowed(void **state)
{
    (void)state;
    for (int n = 0;; n++) {
        vxe_scene *scene = make_good();
        vxe_error error = {0};
        const char *name = bend_scene(n, scene);
        if (name != NULL && vxe_scene_check(scene, &error) != VXE_OK) fail_msg("%s: %s", name, error.message);
        vxe_scene_destroy(scene);
        if (name == NULL) break;
    }
    vxe_scene *scene = make_good(); /* expansion, but no signal */
    vxe_material_def def = *vxe_scene_material(scene, 1);
    def.expansion = 0.01;
    assert_int_equal(vxe_scene_set_material(scene, 1, &def, NULL), VXE_OK);
    assert_int_equal(vxe_scene_remove_signal(scene, 0, NULL), VXE_OK);
    const vxe_stop stop = {.kinetic_energy = 1e-9, .speed = 1e-3};
    assert_int_equal(vxe_scene_set_stop(scene, &stop, NULL), VXE_OK);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

/* Two hundred small regions with motions of their own in a workspace of ten million voxels: only their
 * neighbourhoods are searched. Without that this test would take minutes. */
static void test_large_scene(void **state)
{
    (void)state;
    vxe_scene *scene = NULL;
    assert_int_equal(vxe_scene_create(0.001, 250, 200, 200, &scene, NULL), VXE_OK);
    const vxe_material_def material = vxe_default_material_def();
    assert_int_equal(vxe_scene_add_material(scene, &material, NULL, NULL), VXE_OK);
    vxe_region_def def = vxe_default_region_def();
    def.shape.units = VXE_UNITS_FRACTION;
    set_vector(def.shape.sides, 1, 1, 1);
    assert_int_equal(vxe_scene_fill(scene, &def.shape, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(scene), 10000000);
    def.shape = (vxe_shape){
        .kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .center = {0, 100, 100}, .radius = {0.4}};
    def.fixed = VXE_DOF_ALL;
    for (int n = 0; n < 200; n++) {
        snprintf(def.name, sizeof def.name, "ball %d", n);
        def.shape.center[0] = n + 0.5;
        def.displacement[0] = 1e-5 * (n + 1);
        assert_int_equal(vxe_scene_add_region(scene, &def, NULL, NULL), VXE_OK);
    }
    vxe_error error = {0};
    if (vxe_scene_check(scene, &error) != VXE_OK) fail_msg("%s", error.message);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_scene),
        cmocka_unit_test(test_voxel_limit),
        cmocka_unit_test(test_allowed),
        cmocka_unit_test(test_large_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
