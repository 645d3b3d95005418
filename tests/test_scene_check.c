/* Every rule of scene_check.c, by its message (those of scene_whole.c are in test_scene_whole.c). A good
 * scene is broken in one way at a time; the rules of one def are tried twice: through the function that sets
 * it, which must leave the scene as it was, and written past it and found by vxe_scene_check(). */
#include "broken_scene.h"

#include <math.h>

/* --- materials --- */

static void make_bilinear(vxe_material_def *d, double yield, double plastic, double failure)
{
    d->law = VXE_LAW_BILINEAR;
    d->yield_stress = yield;
    d->plastic_modulus = plastic;
    d->failure_stress = failure;
}

/* Points (0, 0), (0.1, 1e5), (0.2, 1.5e5): slope E = 1e6 at first. */
static void make_table(vxe_material_def *d)
{
    d->law = VXE_LAW_TABLE;
    d->table_count = 3;
    d->table_strain[1] = 0.1;
    d->table_stress[1] = 1e5;
    d->table_strain[2] = 0.2;
    d->table_stress[2] = 1.5e5;
}

static const char *break_material(int n, vxe_material_def *d)
{
    BREAK(write_endless(d->name), "material: the name is longer than 63 bytes")
    BREAK(write_name(d->name, ""), "material: the name is empty")
    BREAK(write_name(d->name, "\xc3"), "material: the name is not valid UTF-8 or has control characters")
    BREAK(write_name(d->name, "a\nb"), "material: the name is not valid UTF-8 or has control characters")
    BREAK(d->youngs_modulus = 0, "material \"gel\": Young's modulus 0 is not within 0.001 to 1e+15 Pa")
    BREAK(d->youngs_modulus = 2e15, "material \"gel\": Young's modulus 2e+15 is not within 0.001 to 1e+15 Pa")
    BREAK(d->youngs_modulus = (double)NAN, "material \"gel\": Young's modulus is not a finite number")
    BREAK(d->poissons_ratio = 0.6, "material \"gel\": Poisson's ratio 0.6 is not within 0 to 0.49")
    BREAK(d->poissons_ratio = -0.1, "material \"gel\": Poisson's ratio -0.1 is not within 0 to 0.49")
    BREAK(d->density = 0, "material \"gel\": density 0 is not within 1e-06 to 1e+09 kg/m^3")
    BREAK(d->density = (double)INFINITY, "material \"gel\": density is not a finite number")
    BREAK(d->expansion = -1001, "material \"gel\": expansion -1001 is not within -1000 to 1000 1/K")
    BREAK(d->static_friction = 1001, "material \"gel\": static friction 1001 is not within 0 to 1000")
    BREAK(d->dynamic_friction = -1, "material \"gel\": dynamic friction -1 is not within 0 to 1000")
    BREAK(d->static_friction = 0.4, "material \"gel\": static friction 0.4 is below dynamic friction 0.5")
    BREAK(d->law = (vxe_law)0, "material \"gel\": law 0 is none of the choices (1 to 3)")
    BREAK(d->law = (vxe_law)4, "material \"gel\": law 4 is none of the choices (1 to 3)")
    BREAK(d->yield_stress = -1, "material \"gel\": yield stress -1 is not within 0 to 1e+15 Pa")
    BREAK(d->plastic_modulus = -1, "material \"gel\": plastic modulus -1 is not within 0 to 1e+15 Pa")
    BREAK(d->failure_stress = -1, "material \"gel\": failure stress -1 is not within 0 to 1e+15 Pa")
    BREAK(d->yield_stress = 5, "material \"gel\": yield stress 5 Pa belongs to the bilinear law only")
    BREAK(d->plastic_modulus = 5, "material \"gel\": plastic modulus 5 Pa belongs to the bilinear law only")
    BREAK(make_bilinear(d, 0, 1, 0), "material \"gel\": yield stress 0 Pa is not above 0")
    BREAK(make_bilinear(d, 1e5, 1e6, 0),
          "material \"gel\": plastic modulus 1000000 Pa is not below Young's modulus 1000000 Pa")
    BREAK(make_bilinear(d, 1e5, 1e4, 1e5),
          "material \"gel\": failure stress 100000 Pa is not above the yield stress 100000 Pa")
    BREAK(d->table_count = 2, "material \"gel\": a table of 2 points belongs to the table law only")
    BREAK((make_table(d), d->table_count = 1), "material \"gel\": the table has 1 points, not 2 to 64")
    BREAK((make_table(d), d->table_count = 65), "material \"gel\": the table has 65 points, not 2 to 64")
    BREAK((make_table(d), d->table_strain[0] = -0.1),
          "material \"gel\": strain of table point 1 -0.1 is not within 0 to 1000")
    BREAK((make_table(d), d->table_stress[2] = (double)NAN),
          "material \"gel\": stress of table point 3 is not a finite number")
    BREAK((make_table(d), d->table_stress[0] = 1),
          "material \"gel\": the table starts at strain 0 and stress 1 Pa, not at 0 and 0")
    BREAK((make_table(d), d->table_strain[0] = 0.01),
          "material \"gel\": the table starts at strain 0.01 and stress 0 Pa, not at 0 and 0")
    BREAK((make_table(d), d->table_strain[2] = 0.1),
          "material \"gel\": strain 0.1 of table point 3 is not above 0.1, the one before")
    BREAK((make_table(d), d->table_stress[2] = 9e4),
          "material \"gel\": stress 90000 Pa of table point 3 is below 100000 Pa, the one before")
    BREAK((make_table(d), d->table_stress[1] = 1.00001e5),
          "material \"gel\": the table's first slope 1000010 Pa is not Young's modulus 1000000 Pa")
    BREAK((make_table(d), d->table_stress[2] = 3e5),
          "material \"gel\": the table's slope 2000000 Pa up to point 3 is above Young's modulus 1000000 Pa")
    BREAK(write_endless(d->signal), "material \"gel\": signal: the name is longer than 63 bytes")
    BREAK(write_name(d->signal, "\xff"),
          "material \"gel\": signal: the name is not valid UTF-8 or has control characters")
    return NULL;
}

static void test_materials(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_material_def good = *vxe_scene_material(scene, 1);
    for (int n = 0;; n++) {
        vxe_material_def def = good;
        vxe_error error = {0};
        const char *message = break_material(n, &def);
        if (message == NULL) break;
        expect(vxe_scene_set_material(scene, 1, &def, &error), &error, VXE_ERROR_INPUT, message);
        expect(vxe_scene_add_material(scene, &def, NULL, &error), &error, VXE_ERROR_INPUT, message);
        assert_int_equal(vxe_scene_material_count(scene), 1);
        assert_memory_equal(vxe_scene_material(scene, 1), &good, sizeof good);
        scene->materials[0] = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->materials[0] = good;
    }
    /* the edges of what is allowed */
    vxe_material_def def = good;
    def.poissons_ratio = 0.49;
    def.expansion = -1000;
    def.static_friction = def.dynamic_friction = 1000;
    def.failure_stress = 1;
    assert_int_equal(vxe_scene_set_material(scene, 1, &def, NULL), VXE_OK);
    def = good;
    make_bilinear(&def, 1e5, 0, 1.1e5);
    assert_int_equal(vxe_scene_set_material(scene, 1, &def, NULL), VXE_OK);
    def = good;
    make_table(&def);
    def.table_stress[1] = 1.0000001e5;
    def.table_stress[2] = 1.0000001e5;
    assert_int_equal(vxe_scene_set_material(scene, 1, &def, NULL), VXE_OK);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

/* --- regions --- */

static void make_shape(vxe_region_def *d, vxe_shape_kind kind)
{
    d->shape = (vxe_shape){.kind = kind, .units = VXE_UNITS_METRES, .radius = {1, 1, 1}, .length = 1};
}

static const char *break_region(int n, vxe_region_def *d)
{
    BREAK(write_endless(d->name), "region: the name is longer than 63 bytes")
    BREAK(write_name(d->name, ""), "region: the name is empty")
    BREAK(write_name(d->name, "a\tb"), "region: the name is not valid UTF-8 or has control characters")
    BREAK(d->shape.kind = (vxe_shape_kind)0,
          "region \"left\": kind of shape 0 is none of the choices (1 to 5)")
    BREAK(d->shape.kind = (vxe_shape_kind)6,
          "region \"left\": kind of shape 6 is none of the choices (1 to 5)")
    BREAK(d->shape.units = (vxe_units)0, "region \"left\": units 0 is none of the choices (1 to 3)")
    BREAK(d->shape.corner[1] = (double)NAN, "region \"left\": corner y is not a finite number")
    BREAK(d->shape.corner[2] = 2e9, "region \"left\": corner z 2e+09 is not within -1e+09 to 1e+09 voxels")
    BREAK(d->shape.sides[0] = -1, "region \"left\": size x -1 is not within 0 to 1e+09 voxels")
    BREAK((d->shape.sides[0] = -1, d->shape.units = VXE_UNITS_FRACTION),
          "region \"left\": size x -1 is not within 0 to 1e+09 of the workspace")
    BREAK(d->shape.thickness = -1, "region \"left\": thickness -1 is not within 0 to 1e+09 voxels")
    BREAK((make_shape(d, VXE_SHAPE_SPHERE), d->shape.center[0] = (double)INFINITY),
          "region \"left\": center x is not a finite number")
    BREAK((make_shape(d, VXE_SHAPE_SPHERE), d->shape.radius[0] = -1),
          "region \"left\": radius -1 is not within 0 to 1e+09 m")
    BREAK((make_shape(d, VXE_SHAPE_ELLIPSOID), d->shape.radius[2] = -1),
          "region \"left\": radius z -1 is not within 0 to 1e+09 m")
    BREAK((make_shape(d, VXE_SHAPE_CYLINDER), d->shape.radius[0] = -1),
          "region \"left\": radius -1 is not within 0 to 1e+09 m")
    BREAK((make_shape(d, VXE_SHAPE_CYLINDER), d->shape.axis = (vxe_axis)3),
          "region \"left\": axis 3 is none of the choices (0 to 2)")
    BREAK((make_shape(d, VXE_SHAPE_CYLINDER), d->shape.length = -1),
          "region \"left\": length -1 is not within 0 to 1e+09 m")
    BREAK(d->displacement[0] = (double)NAN, "region \"left\": displacement x is not a finite number")
    BREAK(d->displacement[0] = 1e10, "region \"left\": displacement x 1e+10 is not within -1e+09 to 1e+09 m")
    BREAK(d->rotation[1] = 1e7, "region \"left\": rotation y 10000000 is not within -1e+06 to 1e+06 rad")
    BREAK((d->has_pivot = true, d->pivot[2] = (double)NAN), "region \"left\": pivot z is not a finite number")
    BREAK(d->force[2] = -1e16, "region \"left\": force z -1e+16 is not within -1e+15 to 1e+15 N")
    BREAK(d->torque[0] = (double)INFINITY, "region \"left\": torque x is not a finite number")
    BREAK(d->ramp = -1, "region \"left\": ramp -1 is not within 0 to 1e+12 s")
    BREAK(d->fixed = 0xc1, "region \"left\": fixed has bits 0xc0 that are not degrees of freedom")
    BREAK((d->clamp = true, d->fixed = VXE_DOF_MOVE),
          "region \"left\": a clamp needs all six degrees of freedom fixed")
    BREAK((d->fixed = VXE_DOF_TURN, d->rotation[0] = 1),
          "region \"left\": a rotation needs all six degrees of freedom fixed")
    BREAK((d->fixed = VXE_DOF_X | VXE_DOF_Z, d->displacement[1] = 1),
          "region \"left\": a displacement along y needs y fixed")
    return NULL;
}

static void test_regions(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_region_def good = *vxe_scene_region(scene, 0);
    for (int n = 0;; n++) {
        vxe_region_def def = good;
        vxe_error error = {0};
        const char *message = break_region(n, &def);
        if (message == NULL) break;
        expect(vxe_scene_set_region(scene, 0, &def, &error), &error, VXE_ERROR_INPUT, message);
        expect(vxe_scene_add_region(scene, &def, NULL, &error), &error, VXE_ERROR_INPUT, message);
        assert_int_equal(vxe_scene_region_count(scene), 2);
        assert_memory_equal(vxe_scene_region(scene, 0), &good, sizeof good);
        scene->regions[0] = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->regions[0] = good;
    }
    vxe_region_def def = good; /* members of other shapes and an unused pivot do not matter */
    def.shape.radius[0] = def.shape.length = def.shape.center[0] = def.pivot[0] = (double)NAN;
    def.shape.axis = (vxe_axis)7;
    assert_int_equal(vxe_scene_set_region(scene, 0, &def, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

/* --- environment --- */

static const char *break_environment(int n, vxe_environment *d)
{
    BREAK(d->gravity[0] = (double)NAN, "environment: gravity x is not a finite number")
    BREAK(d->gravity[2] = -2e6, "environment: gravity z -2000000 is not within -1e+06 to 1e+06 m/s^2")
    BREAK(set_vector(d->gravity, 8e5, 8e5, 0),
          "environment: magnitude of gravity 1131370.85 is not within 0 to 1e+06 m/s^2")
    BREAK(d->damping_stretch = -1, "environment: stretch damping -1 is not within 0 to 1000")
    BREAK(d->damping_rotation = 1001, "environment: rotation damping 1001 is not within 0 to 1000")
    BREAK(d->damping_contact = (double)NAN, "environment: contact damping is not a finite number")
    BREAK(d->damping_ground = -0.5, "environment: ground damping -0.5 is not within 0 to 1000")
    BREAK(d->collision_horizon = 1.4, "environment: collision horizon 1.4 is not within 1.5 to 10 voxels")
    BREAK(d->damping_turning = -1, "environment: turning damping -1 is not within 0 to 100")
    BREAK(d->damping_turning = 101, "environment: turning damping 101 is not within 0 to 100")
    BREAK(d->collision_distance = 0.9, "environment: collision distance 0.9 is not within 1 to 1.5 voxels")
    BREAK(d->collision_distance = 1.6, "environment: collision distance 1.6 is not within 1 to 1.5 voxels")
    BREAK(d->collision_horizon = 11, "environment: collision horizon 11 is not within 1.5 to 10 voxels")
    BREAK(d->elasticity = (vxe_elasticity)0, "environment: elasticity 0 is none of the choices (1 to 2)")
    BREAK(d->plane = (vxe_plane)4, "environment: plane 4 is none of the choices (0 to 3)")
    BREAK(d->collisions = (vxe_collisions)6, "environment: collisions 6 is none of the choices (0 to 5)")
    BREAK((d->plane = VXE_PLANE_XY, d->gravity[2] = -9.81),
          "environment: gravity z -9.81 m/s^2 leads out of the plane xy")
    BREAK((d->plane = VXE_PLANE_XZ, d->gravity[1] = 1),
          "environment: gravity y 1 m/s^2 leads out of the plane xz")
    BREAK((d->plane = VXE_PLANE_YZ, d->gravity[0] = 1),
          "environment: gravity x 1 m/s^2 leads out of the plane yz")
    return NULL;
}

static void test_environment(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_environment good = vxe_scene_environment(scene);
    for (int n = 0;; n++) {
        vxe_environment def = good;
        vxe_error error = {0};
        const char *message = break_environment(n, &def);
        if (message == NULL) break;
        expect(vxe_scene_set_environment(scene, &def, &error), &error, VXE_ERROR_INPUT, message);
        const vxe_environment now = vxe_scene_environment(scene);
        assert_true(now.gravity[2] == good.gravity[2] && now.plane == good.plane);
        scene->environment = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->environment = good;
    }
    vxe_environment def = good;
    def.plane = VXE_PLANE_XZ;
    def.gravity[2] = -9.81;
    assert_int_equal(vxe_scene_set_environment(scene, &def, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

/* --- signals --- */

/* Tables for signals, made anew for every break. */
typedef struct signal_table {
    double time[3];
    double value[3];
} signal_table;

static void give_table(vxe_signal_def *d, const signal_table *t)
{
    d->waveform = VXE_WAVE_TABLE;
    d->table_count = 3;
    d->table_time = t->time;
    d->table_value = t->value;
}

static const char *break_signal(int n, vxe_signal_def *d, signal_table *t)
{
    BREAK(write_endless(d->name), "signal: the name is longer than 63 bytes")
    BREAK(write_name(d->name, ""), "signal: the name is empty")
    BREAK(write_name(d->name, "\xe2\x82"), "signal: the name is not valid UTF-8 or has control characters")
    BREAK(d->waveform = (vxe_waveform)0, "signal \"temperature\": waveform 0 is none of the choices (1 to 4)")
    BREAK(d->waveform = (vxe_waveform)5, "signal \"temperature\": waveform 5 is none of the choices (1 to 4)")
    BREAK(d->base = (double)NAN, "signal \"temperature\": base is not a finite number")
    BREAK(d->reference = 2e9, "signal \"temperature\": reference 2e+09 is not within -1e+09 to 1e+09 K")
    BREAK(d->amplitude = -2e9, "signal \"temperature\": amplitude -2e+09 is not within -1e+09 to 1e+09 K")
    BREAK(d->phase = (double)INFINITY, "signal \"temperature\": phase is not a finite number")
    BREAK(d->start = -1, "signal \"temperature\": start -1 is not within 0 to 1e+12 s")
    BREAK(d->period = 0, "signal \"temperature\": period 0 is not within 1e-09 to 1e+12 s")
    BREAK((give_table(d, t), d->period = -1),
          "signal \"temperature\": period -1 is not within 1e-09 to 1e+12 s")
    BREAK(d->table_count = 3,
          "signal \"temperature\": a table of 3 points belongs to the table waveform only")
    BREAK((give_table(d, t), d->table_count = 1),
          "signal \"temperature\": the table has 1 points, not 2 to 1000000")
    BREAK((give_table(d, t), d->table_count = 1000001),
          "signal \"temperature\": the table has 1000001 points, not 2 to 1000000")
    BREAK((give_table(d, t), d->table_time = NULL),
          "signal \"temperature\": the table has no times or no values")
    BREAK((give_table(d, t), d->table_value = NULL),
          "signal \"temperature\": the table has no times or no values")
    BREAK((give_table(d, t), t->time[0] = 0.1),
          "signal \"temperature\": the table starts at time 0.1 s, not at 0")
    BREAK((give_table(d, t), t->time[1] = -1),
          "signal \"temperature\": time of table point 2 -1 is not within 0 to 1e+12 s")
    BREAK((give_table(d, t), t->value[2] = (double)NAN),
          "signal \"temperature\": value of table point 3 is not a finite number")
    BREAK((give_table(d, t), t->time[2] = 0.5),
          "signal \"temperature\": time 0.5 s of table point 3 is not after 0.5 s, the one before")
    BREAK((give_table(d, t), d->period = 0.75),
          "signal \"temperature\": the table ends at 1 s, after the period of 0.75 s")
    return NULL;
}

static void test_signals(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_signal_def good = *vxe_scene_signal(scene, 0);
    for (int n = 0;; n++) {
        signal_table table = {{0.0, 0.5, 1.0}, {0.0, 1.0, 0.0}};
        vxe_signal_def def = good;
        vxe_error error = {0};
        const char *message = break_signal(n, &def, &table);
        if (message == NULL) break;
        expect(vxe_scene_set_signal(scene, 0, &def, &error), &error, VXE_ERROR_INPUT, message);
        expect(vxe_scene_add_signal(scene, &def, NULL, &error), &error, VXE_ERROR_INPUT, message);
        assert_int_equal(vxe_scene_signal_count(scene), 1);
        scene->signals[0] = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->signals[0] = good;
    }
    const signal_table table = {{0.0, 0.5, 1.0}, {0.0, 1.0, 0.0}};
    vxe_signal_def def = good;
    give_table(&def, &table);
    assert_int_equal(vxe_scene_set_signal(scene, 0, &def, NULL), VXE_OK);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

static const char *break_actuation(int n, vxe_actuation *d)
{
    BREAK(d->phase = (double)NAN, "voxel (1,2,0): actuation phase is not a finite number")
    BREAK(d->amplitude = 1e10, "voxel (1,2,0): actuation amplitude 1e+10 is not within -1e+09 to 1e+09")
    BREAK(d->period = -2, "voxel (1,2,0): actuation period -2 is not within 1e-09 to 1e+09")
    return NULL;
}

static void test_actuation(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_actuation good = {.phase = 0.5, .amplitude = 2.0, .period = 3.0};
    assert_int_equal(vxe_scene_set_actuation(scene, 1, 2, 0, &good, NULL), VXE_OK);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    for (int n = 0;; n++) {
        vxe_actuation def = good;
        vxe_error error = {0};
        const char *message = break_actuation(n, &def);
        if (message == NULL) break;
        expect(vxe_scene_set_actuation(scene, 1, 2, 0, &def, &error), &error, VXE_ERROR_INPUT, message);
        assert_true(vxe_scene_actuation(scene, 1, 2, 0).period == 3.0);
        cell_actuation *cell = &scene->actuation[vxe_scene_cell(scene, 1, 2, 0)];
        const cell_actuation before = *cell;
        *cell = (cell_actuation){def.phase, def.amplitude, def.period};
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        *cell = before;
    }
    vxe_scene_destroy(scene);
}

/* --- stop, output, texts --- */

static const char *break_stop(int n, vxe_stop *d)
{
    BREAK(d->time = -1, "stop: time -1 is not within 0 to 1e+12 s")
    BREAK(d->time = (double)NAN, "stop: time is not a finite number")
    BREAK(d->steps = -5, "stop: steps -5 is negative")
    BREAK(d->cycles = -1, "stop: cycles -1 is not within 0 to 1e+12")
    BREAK(d->kinetic_energy = (double)INFINITY, "stop: kinetic energy is not a finite number")
    BREAK(d->speed = -1, "stop: speed -1 is not within 0 to 1e+15 m/s")
    BREAK(d->settle = -1, "stop: settle -1 is not within 0 to 1e+12 s")
    return NULL;
}

static void test_stop(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_stop good = vxe_scene_stop(scene);
    for (int n = 0;; n++) {
        vxe_stop def = good;
        vxe_error error = {0};
        const char *message = break_stop(n, &def);
        if (message == NULL) break;
        expect(vxe_scene_set_stop(scene, &def, &error), &error, VXE_ERROR_INPUT, message);
        assert_true(vxe_scene_stop(scene).time == 1.0);
        scene->stop = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->stop = good;
    }
    vxe_scene_destroy(scene);
}

static const char *break_output(int n, vxe_output_def *d, const char *names[2], char long_name[257])
{
    BREAK(d->every = -1, "output: every -1 is not within 0 to 1e+12 s")
    BREAK(d->checkpoint_every = (double)NAN, "output: checkpoint interval is not a finite number")
    BREAK(d->trace_count = -1, "output: the trace has -1 names, not 0 to 1000")
    BREAK(d->trace_count = 1001, "output: the trace has 1001 names, not 0 to 1000")
    BREAK(d->trace = NULL, "output: trace name 1 is empty")
    BREAK(names[1] = NULL, "output: trace name 2 is empty")
    BREAK(names[1] = "", "output: trace name 2 is empty")
    BREAK((memset(long_name, 'x', 256), names[0] = long_name),
          "output: trace name 1 is longer than 255 bytes")
    BREAK(names[1] = "\xff", "output: trace name 2 is not valid UTF-8 or has control characters")
    BREAK(names[1] = "energy\n", "output: trace name 2 is not valid UTF-8 or has control characters")
    return NULL;
}

static void test_output(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    const vxe_output_def good = *vxe_scene_output(scene);
    for (int n = 0;; n++) {
        const char *names[2] = {"energy", "dt"};
        char long_name[257] = {0};
        vxe_output_def def = {.trace_count = 2, .trace = names};
        vxe_error error = {0};
        const char *message = break_output(n, &def, names, long_name);
        if (message == NULL) break;
        expect(vxe_scene_set_output(scene, &def, &error), &error, VXE_ERROR_INPUT, message);
        assert_string_equal(vxe_scene_output(scene)->trace[0], "energy");
        scene->output = def;
        expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT, message);
        scene->output = good;
    }
    vxe_scene_destroy(scene);
}

static void test_texts(void **state)
{
    (void)state;
    vxe_scene *scene = make_good();
    vxe_error error = {0};
    char *text = calloc(1, 65537);
    assert_non_null(text);
    memset(text, 'x', 65536);
    expect(vxe_scene_describe(scene, NULL, text, &error), &error, VXE_ERROR_INPUT,
           "scene: the description has 65536 bytes, more than 65535");
    text[65535] = '\0';
    assert_int_equal(vxe_scene_describe(scene, NULL, text, NULL), VXE_OK);
    text[256] = '\0';
    expect(vxe_scene_describe(scene, text, NULL, &error), &error, VXE_ERROR_INPUT,
           "scene: the name has 256 bytes, more than 255");
    text[255] = '\0';
    assert_int_equal(vxe_scene_describe(scene, text, NULL, NULL), VXE_OK);
    expect(vxe_scene_describe(scene, "\x01", NULL, &error), &error, VXE_ERROR_INPUT,
           "scene: the name is not valid UTF-8 or has control characters");
    expect(vxe_scene_describe(scene, NULL, "\xff", &error), &error, VXE_ERROR_INPUT,
           "scene: the description is not valid UTF-8 or has control characters");
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    scene->name[0] = '\x01';
    expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT,
           "scene: the name is not valid UTF-8 or has control characters");
    free(text);
    vxe_scene_destroy(scene);
}

static void test_workspace(void **state)
{
    (void)state;
    vxe_scene *scene = NULL;
    vxe_error error = {0};
    expect(vxe_scene_create(1e-10, 1, 1, 1, &scene, &error), &error, VXE_ERROR_INPUT,
           "workspace: pitch 1e-10 is not within 1e-09 to 1000 m");
    expect(vxe_scene_create(1001, 1, 1, 1, &scene, &error), &error, VXE_ERROR_INPUT,
           "workspace: pitch 1001 is not within 1e-09 to 1000 m");
    expect(vxe_scene_create((double)NAN, 1, 1, 1, &scene, &error), &error, VXE_ERROR_INPUT,
           "workspace: pitch is not a finite number");
    expect(vxe_scene_create(1, 1, 0, 1, &scene, &error), &error, VXE_ERROR_INPUT,
           "workspace: side y has 0 voxels, fewer than 1");
    expect(vxe_scene_create(1, 1, 1, 1000001, &scene, &error), &error, VXE_ERROR_LIMIT,
           "workspace: side z has 1000001 voxels, more than 1000000");
    expect(vxe_scene_create(1, 2000, 1000, 1001, &scene, &error), &error, VXE_ERROR_LIMIT,
           "workspace: 2000 x 1000 x 1001 are 2002000000 cells, more than 2000000000");
    assert_null(scene);
    scene = make_good();
    scene->pitch = 0.0;
    expect(vxe_scene_check(scene, &error), &error, VXE_ERROR_INPUT,
           "workspace: pitch 0 is not within 1e-09 to 1000 m");
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workspace),   cmocka_unit_test(test_texts),
        cmocka_unit_test(test_materials),   cmocka_unit_test(test_regions),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_actuation),   cmocka_unit_test(test_stop),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
