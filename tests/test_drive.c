/* Driving from outside: arrays, targets, applied forces, sensors, bodies that change. */
#include "robot.h"

static int64_t actuated(const vxe_sim *sim) { return vxe_sim_actuated_count(sim); }

static double *targets_of(const vxe_sim *sim, double value)
{
    double *targets = malloc(((size_t)actuated(sim) + 1) * sizeof *targets);
    assert_non_null(targets);
    for (int64_t i = 0; i < actuated(sim); i++) targets[i] = value;
    return targets;
}

static vxe_array array_of(vxe_sim *sim, vxe_quantity quantity)
{
    vxe_error error = {VXE_OK, ""};
    vxe_array array;
    require(vxe_sim_array(sim, quantity, &array, &error), &error);
    return array;
}

static double get(const vxe_array *a, int64_t i, int64_t j)
{
    return *(const double *)((const char *)a->data + i * a->strides[0] + j * a->strides[1]);
}

/* ---- arrays --------------------------------------------------------------------------------------------------------- */

/* Every array shows the state it is the name of, and stays where it is. */
static void test_arrays(void **state)
{
    (void)state;
    const bench b = start(robot_scene(1, 0.1));
    vxe_array before[VXE_QUANTITY_COUNT];
    for (int q = 0; q < VXE_QUANTITY_COUNT; q++) before[q] = array_of(b.sim, (vxe_quantity)q);
    step(b.sim, 50);
    const vxe_state *s = vxe_sim_state(b.sim);
    const vxe_model_view *m = vxe_model_get(b.model);
    for (int q = 0; q < VXE_QUANTITY_COUNT; q++) {
        const vxe_array now = array_of(b.sim, (vxe_quantity)q);
        assert_ptr_equal(now.data, before[q].data);
        assert_memory_equal(now.shape, before[q].shape, sizeof now.shape);
        assert_memory_equal(now.strides, before[q].strides, sizeof now.strides);
        assert_non_null(now.unit);
        assert_non_null(vxe_quantity_name((vxe_quantity)q));
        assert_int_equal(now.place, VXE_PLACE_HOST);
    }
    const int32_t v = m->voxel_count - 1;
    for (int a = 0; a < 3; a++) {
        check_near("position", get(&before[VXE_QUANTITY_POSITION], v, a), s->position[a][v], 0.0);
        check_near("velocity", get(&before[VXE_QUANTITY_VELOCITY], v, a), s->velocity[a][v], 0.0);
        check_near("contact force", get(&before[VXE_QUANTITY_CONTACT_FORCE], v, a), s->contact_force[a][v],
                   0.0);
        check_near("start", get(&before[VXE_QUANTITY_START], v, a), m->start[a][v], 0.0);
        assert_int_equal(((const int32_t *)before[VXE_QUANTITY_CELL].data)[a * m->voxel_count + v],
                         m->cell[a][v]);
    }
    check_near("orientation", get(&before[VXE_QUANTITY_ORIENTATION], v, 3), s->orientation[3][v], 0.0);
    assert_ptr_equal(before[VXE_QUANTITY_MATERIAL].data, m->material);
    assert_int_equal(before[VXE_QUANTITY_ACTUATED].shape[0], actuated(b.sim));
    assert_null(vxe_quantity_name(VXE_QUANTITY_COUNT));
    finish(b);
}

/* A bad array is refused and says what would do; nothing changes. */
static void test_set_array_refuses(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(robot_scene(1, 0.1));
    const uint64_t hash = vxe_sim_hash(b.sim);
    const int64_t n = vxe_model_get(b.model)->voxel_count;
    double *values = calloc((size_t)(4 * n), sizeof *values);
    assert_non_null(values);
    vxe_array a = {
        .data = values, .type = VXE_TYPE_F64, .dimensions = 2, .shape = {n, 2}, .strides = {16, 8}};
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_VELOCITY, &a, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "shape (52, 3)"));
    a.shape[1] = 3;
    a.strides[0] = 24;
    values[5] = INFINITY;
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_VELOCITY, &a, &error), VXE_ERROR_INPUT);
    values[5] = 0.0;
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_PRESSURE, &a, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "applied_force"));
    a.shape[1] = 4;
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_ORIENTATION, &a, &error), VXE_ERROR_INPUT);
    a.type = VXE_TYPE_I32;
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_ORIENTATION, &a, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_set_array(NULL, VXE_QUANTITY_VELOCITY, &a, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_set_array(b.sim, VXE_QUANTITY_VELOCITY, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_true(vxe_sim_hash(b.sim) == hash);
    free(values);
    finish(b);
}

/* A body in the air, moved and thrown by arrays (of floats, with a stride): it flies as one that was there.
 */
static void test_set_pose(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 3, 3, 3);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -10.0;
    set_environment(scene, &e);
    const bench b = start(scene);
    const int64_t n = 27;
    float values[27 * 4];
    vxe_array a = {
        .data = values, .type = VXE_TYPE_F32, .dimensions = 2, .shape = {n, 3}, .strides = {16, 4}};
    const vxe_model_view *m = vxe_model_get(b.model);
    for (int v = 0; v < n; v++) {
        for (int i = 0; i < 3; i++) values[4 * v + i] = (float)(m->start[i][v] + (i == 2 ? 1.0 : 0.0));
    }
    require(vxe_sim_set_array(b.sim, VXE_QUANTITY_POSITION, &a, &error), &error);
    for (int v = 0; v < n; v++) {
        for (int i = 0; i < 3; i++) values[4 * v + i] = i == 0 ? 2.0F : 0.0F;
    }
    require(vxe_sim_set_array(b.sim, VXE_QUANTITY_VELOCITY, &a, &error), &error);
    const vxe_stop stop = {.time = 0.1};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    /* a float of 1 m is known to 6e-8 m; the first step from rest is of first order: g dt^2/2 */
    const double dt = vxe_sim_time_step(b.sim).dt;
    check_near("x", center[0], 0.015 + 0.2, 1e-6);
    check_near("z", center[2], 1.015 - 0.05, 1e-6 + 10.0 * 0.1 * dt);
    finish(b);
}

/* ---- control -------------------------------------------------------------------------------------------------------- */

/* A free voxel reaches its size along a straight line in time, to the step; and goes back to its signal. */
static void test_ramp(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(robot_scene(3, 0.0));
    vxe_sim *sim = b.sim;
    const vxe_array voxels = array_of(sim, VXE_QUANTITY_ACTUATED);
    const int32_t *voxel = voxels.data;
    assert_true(voxels.shape[0] > 4);
    const double wanted[2] = {1.2, 0.9};
    require(vxe_sim_set_targets(sim, VXE_TARGET_SIZE, voxel, 2, wanted, 0.02, &error), &error);
    while (vxe_sim_time(sim) < 0.03) {
        const double time = vxe_sim_time(sim); /* sizes are those of the start of the step */
        step(sim, 1);
        const double part = fmin(1.0, time / 0.02);
        const double *growth = vxe_sim_state(sim)->growth;
        check_near("growth", growth[voxel[0]], 0.2 * part, 1e-15);
        check_near("growth", growth[voxel[1]], -0.1 * part, 1e-15);
        check_near("growth of others", growth[voxel[2]], 0.0, 0.0);
    }
    double *now = targets_of(sim, 0.0);
    vxe_sim_targets(sim, now);
    check_near("target", now[0], 1.2, 1e-15);
    assert_true(isnan(now[2]));
    free(now);
    /* by temperature: 0.01/K times 5 K */
    const double kelvin = 5.0;
    require(vxe_sim_set_targets(sim, VXE_TARGET_TEMPERATURE, voxel, 1, &kelvin, 0.0, &error), &error);
    step(sim, 1);
    check_near("growth", vxe_sim_state(sim)->growth[voxel[0]], 0.05, 1e-15);
    /* back to the signal, which asks for nothing here */
    const double back = NAN;
    const double begun = vxe_sim_time(sim);
    require(vxe_sim_set_targets(sim, VXE_TARGET_SIZE, voxel, 1, &back, 0.01, &error), &error);
    while (vxe_sim_time(sim) < begun + 0.02) {
        const double part = fmin(1.0, (vxe_sim_time(sim) - begun) / 0.01);
        step(sim, 1);
        check_near("growth", vxe_sim_state(sim)->growth[voxel[0]], 0.05 * (1.0 - part), 1e-15);
    }
    /* limits of any size */
    const double huge = 1e9;
    require(vxe_sim_set_targets(sim, VXE_TARGET_SIZE, voxel, 1, &huge, 1.0, &error), &error);
    now = targets_of(sim, 0.0);
    vxe_sim_targets(sim, now);
    check_near("target", now[0], 3.0, 0.0);
    free(now);
    finish(b);
}

static void test_control_refuses(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(robot_scene(3, 0.0));
    const double one = 1.0;
    const double infinite = INFINITY;
    const uint16_t *material = vxe_model_get(b.model)->material;
    int32_t soft = 0;
    while (material[soft] != 1) soft++;
    assert_int_equal(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, &soft, 1, &one, 0.0, &error),
                     VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "is not actuated: its material (\"material\")"));
    const int32_t far = 100000;
    assert_int_equal(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, &far, 1, &one, 0.0, &error),
                     VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, NULL, 1, &one, 0.0, &error),
                     VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_set_targets(b.sim, (vxe_target)7, NULL, 1, &one, 0.0, &error),
                     VXE_ERROR_ARGUMENT);
    const int32_t *voxel = array_of(b.sim, VXE_QUANTITY_ACTUATED).data;
    assert_int_equal(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, voxel, 1, &infinite, 0.0, &error),
                     VXE_ERROR_INPUT);
    assert_int_equal(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, voxel, 1, &one, -1.0, &error),
                     VXE_ERROR_INPUT);
    assert_int_equal(vxe_sim_set_targets(NULL, VXE_TARGET_SIZE, voxel, 1, &one, 0.0, NULL),
                     VXE_ERROR_ARGUMENT);
    vxe_sim_targets(NULL, NULL);
    assert_int_equal(vxe_sim_actuated_count(NULL), 0);
    finish(b);
}

/* Random targets at 100 Hz. */
static void drive_randomly(vxe_sim *sim, rng *r, int calls)
{
    vxe_error error = {VXE_OK, ""};
    double *targets = targets_of(sim, 1.0);
    for (int k = 0; k < calls; k++) {
        for (int64_t i = 0; i < actuated(sim); i++) targets[i] = rng_between(r, 0.85, 1.15);
        require(
            vxe_sim_set_targets(sim, VXE_TARGET_SIZE, NULL, (int32_t)actuated(sim), targets, 0.01, &error),
            &error);
        const vxe_stop stop = {.time = vxe_sim_time(sim) + 0.01};
        assert_int_equal(vxe_sim_run(sim, &stop, INT64_MAX), VXE_RUN_TIME);
    }
    free(targets);
}

/* The account books control as work of actuation, and balances. 2e-3: what it misses on a walking robot whose
 * signals do the same (contacts that open and close within steps). */
static void test_account(void **state)
{
    (void)state;
    const bench b = start(robot_scene(5, 0.1));
    rng r = {7};
    drive_randomly(b.sim, &r, 50);
    check_well(b.sim);
    const vxe_energy e = vxe_sim_energy(b.sim);
    check_above("work of actuation", e.actuation_work, 1e-4);
    check_near("load work", e.load_work, 0.0, 0.0);
    check_below("what does not balance", fabs(e.error), 5e-3 * (fabs(e.actuation_work) + e.dissipated));
    finish(b);
}

/* The same bits for every instruction set, and with one thread or two. */
static void test_same_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.isa = (vxe_isa)isa;
        vxe_scene *scene = robot_scene(9, 0.1);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        vxe_sim *sim = NULL;
        if (vxe_sim_create(model, &def, &sim, NULL) == VXE_OK) {
            rng r = {7};
            drive_randomly(sim, &r, 20);
            if (isa == VXE_ISA_PLAIN) hash = vxe_sim_hash(sim);
            assert_true(vxe_sim_hash(sim) == hash);
        }
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
    }
}

/* Saved in the middle of a ramp, with forces on: goes on with the same bits, in a simulation that had none.
 */
static void test_checkpoint(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(robot_scene(11, 0.1));
    rng r = {7};
    drive_randomly(b.sim, &r, 10);
    double force[52 * 3];
    for (int i = 0; i < 52 * 3; i++) force[i] = 1e-3 * rng_between(&r, -1.0, 1.0);
    const vxe_array a = {
        .data = force, .type = VXE_TYPE_F64, .dimensions = 2, .shape = {52, 3}, .strides = {24, 8}};
    require(vxe_sim_set_array(b.sim, VXE_QUANTITY_APPLIED_FORCE, &a, &error), &error);
    double *targets = targets_of(b.sim, 1.1);
    require(
        vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, NULL, (int32_t)actuated(b.sim), targets, 0.05, &error),
        &error);
    require(vxe_sim_break_link(b.sim, VXE_AXIS_X, voxel_at(b.sim, 1, 1, 3), &error), &error);
    step(b.sim, 10);
    const size_t size = vxe_sim_save_size(b.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    require(vxe_sim_save(b.sim, bytes, size, &error), &error);
    double felt[52 * 3];
    require(vxe_sim_sense(b.sim, VXE_SENSE_TOUCH_FLOOR, NULL, 0, felt, &error), &error);
    step(b.sim, 200);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *other = new_sim(b.model, &def);
    require(vxe_sim_load(other, bytes, size, &error), &error);
    double felt_after[52 * 3];
    require(vxe_sim_sense(other, VXE_SENSE_TOUCH_FLOOR, NULL, 0, felt_after, &error), &error);
    assert_memory_equal(felt, felt_after, sizeof felt);
    step(other, 200);
    assert_true(vxe_sim_hash(other) == vxe_sim_hash(b.sim));
    int64_t broken = 0;
    vxe_sim_failures(other, &broken, NULL);
    assert_int_equal(broken, 1);
    /* reset undoes all of it */
    vxe_sim *fresh = new_sim(b.model, &def);
    vxe_sim_reset(other);
    step(fresh, 100);
    step(other, 100);
    assert_true(vxe_sim_hash(other) == vxe_sim_hash(fresh));
    vxe_sim_destroy(fresh);
    vxe_sim_destroy(other);
    free(targets);
    free(bytes);
    finish(b);
}

/* ---- forces --------------------------------------------------------------------------------------------------------- */

/* A free body pulled by a force on every voxel: F = m a, and the work is that of a load. */
static void test_applied_force(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    for (int precision = VXE_PRECISION_DOUBLE; precision <= VXE_PRECISION_SINGLE; precision++) {
        vxe_scene *scene = new_scene(0.01, 4, 2, 2);
        fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
        vxe_sim_def def = vxe_default_sim_def();
        def.precision = (vxe_precision)precision;
        const bench b = start_with(scene, &def);
        double force[16][3];
        for (int v = 0; v < 16; v++) {
            force[v][0] = 1e-3;
            force[v][1] = 0.0;
            force[v][2] = 0.0;
        }
        const vxe_array a = {
            .data = force, .type = VXE_TYPE_F64, .dimensions = 2, .shape = {16, 3}, .strides = {24, 8}};
        require(vxe_sim_set_array(b.sim, VXE_QUANTITY_APPLIED_FORCE, &a, &error), &error);
        const vxe_stop stop = {.time = 0.1};
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        double velocity[3];
        require(vxe_sim_sense(b.sim, VXE_SENSE_CENTER_VELOCITY, NULL, 0, velocity, &error), &error);
        /* velocities belong to the middle of the last step */
        const double dt = vxe_sim_time_step(b.sim).dt;
        check_near("velocity", velocity[0], 1e-3 / 1e-3 * 0.1, 1.01 * dt);
        const vxe_energy e = vxe_sim_energy(b.sim);
        check_near("work", e.load_work, e.kinetic, 0.02 * e.kinetic);
        finish(b);
    }
}

/* ---- sensors -------------------------------------------------------------------------------------------------------- */

/* A bar with a weight of its own hanging from a held end: sensed strain is the library's own; volume follows.
 */
static void test_strain(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(robot_scene(13, 0.1));
    step(b.sim, 400);
    const vxe_voxels *voxels = NULL;
    double strain[52][3];
    double volume[52];
    require(vxe_sim_sense(b.sim, VXE_SENSE_STRAIN, NULL, 0, &strain[0][0], &error), &error);
    require(vxe_sim_sense(b.sim, VXE_SENSE_VOLUME, NULL, 0, volume, &error), &error);
    require(vxe_sim_voxels(b.sim, &voxels, &error), &error);
    double largest = 0.0;
    for (int v = 0; v < 52; v++) {
        for (int a = 0; a < 3; a++) {
            check_near("strain", strain[v][a], voxels->strain[a][v], 1e-12);
            largest = fmax(largest, fabs(strain[v][a]));
        }
        check_near("volume", volume[v], 1.0, 0.6);
    }
    check_above("largest strain", largest, 1e-3);
    /* a choice of voxels, backwards */
    const int32_t some[3] = {40, 7, 3};
    double own[3][3];
    require(vxe_sim_sense(b.sim, VXE_SENSE_STRAIN, some, 3, &own[0][0], &error), &error);
    for (int i = 0; i < 3; i++) assert_memory_equal(own[i], strain[some[i]], sizeof own[i]);
    const int32_t bad = 52;
    assert_int_equal(vxe_sim_sense(b.sim, VXE_SENSE_STRAIN, &bad, 1, &own[0][0], &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_sense(b.sim, VXE_SENSE_COUNT, NULL, 0, &own[0][0], &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_sense(NULL, VXE_SENSE_STRAIN, NULL, 0, &own[0][0], NULL), VXE_ERROR_ARGUMENT);
    for (int s = 0; s < VXE_SENSE_COUNT; s++) {
        assert_non_null(vxe_sense_name((vxe_sense)s));
        assert_true(vxe_sense_width((vxe_sense)s) > 0);
    }
    assert_null(vxe_sense_name(VXE_SENSE_COUNT));
    finish(b);
}

/* A voxel on another on the floor, apart from each other: the floor bears both, the upper one touches only
 * the lower one, and the list says so. */
static void test_touch(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 1, 1, 3);
    const int32_t material = add_material(scene, 1e5, 0.0, 1000.0);
    require(vxe_scene_set_voxel(scene, 0, 0, 0, material, &error), &error);
    require(vxe_scene_set_voxel(scene, 0, 0, 2, material, &error), &error);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    e.plane = VXE_PLANE_XZ;
    set_environment(scene, &e);
    const bench b = start(scene);
    settle(b.sim, 1e-7, 0.0, 1000000);
    const double weight = 1e-3 * 9.81;
    double floor[2][3];
    double bodies[2][3];
    double touch[2];
    require(vxe_sim_sense(b.sim, VXE_SENSE_TOUCH_FLOOR, NULL, 0, &floor[0][0], &error), &error);
    require(vxe_sim_sense(b.sim, VXE_SENSE_TOUCH_BODIES, NULL, 0, &bodies[0][0], &error), &error);
    require(vxe_sim_sense(b.sim, VXE_SENSE_TOUCH, NULL, 0, touch, &error), &error);
    /* 1e-4: the rest of the motion */
    check_near("floor under the lower one", floor[0][2], 2.0 * weight, 1e-4 * weight);
    check_near("floor under the upper one", floor[1][2], 0.0, 0.0);
    check_near("on the lower one", bodies[0][2], -weight, 1e-4 * weight);
    check_near("on the upper one", bodies[1][2], weight, 1e-4 * weight);
    check_near("touch", touch[0], 3.0, 0.0);
    check_near("touch", touch[1], 2.0, 0.0);
    vxe_contact contacts[4];
    assert_int_equal(vxe_sim_contact_list(b.sim, contacts, 4), 2);
    assert_int_equal(vxe_sim_contact_list(b.sim, NULL, 0), 2);
    assert_int_equal(vxe_sim_contact_list(NULL, NULL, 0), 0);
    assert_int_equal(contacts[0].voxel, 0);
    assert_int_equal(contacts[0].other, -1);
    check_near("where", contacts[0].position[2], 0.0, 1e-4);
    check_near("force", contacts[0].force[2], 2.0 * weight, 1e-4 * weight);
    assert_int_equal(contacts[1].voxel, 0);
    assert_int_equal(contacts[1].other, 1);
    check_near("where", contacts[1].position[2], 0.01, 1e-4);
    check_near("force", contacts[1].force[2], -weight, 1e-4 * weight);
    finish(b);
}

/* A body that spins about z at w: velocities in its own axes do not turn, centres are where they are. */
static void test_frames(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e7, 0.3, 1000.0));
    (void)put_region(scene, &(vxe_region_def){.size = sizeof(vxe_region_def),
                                              .name = "right",
                                              .shape = box_of(1.0, 0.0, 0.0, 1.0, 1.0, 1.0)});
    const bench b = start(scene);
    const double still[3] = {0.0, 0.0, 0.0};
    const double spin[3] = {0.0, 0.0, 10.0};
    const double center[3] = {0.01, 0.005, 0.005};
    require(vxe_sim_set_motion(b.sim, still, spin, center, &error), &error);
    const vxe_stop stop = {.time = 0.1};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    double own[2][3];
    require(vxe_sim_sense(b.sim, VXE_SENSE_VELOCITY_OWN, NULL, 0, &own[0][0], &error), &error);
    /* 2e-3: half a step between velocity and orientation, and the bar stretches a little */
    check_near("along x", own[1][0], 0.0, 2e-3 * 0.05);
    check_near("along y", own[1][1], 10.0 * 0.005, 2e-3 * 0.05);
    const vxe_model_view *m = vxe_model_get(b.model);
    double middle[3];
    require(vxe_sim_sense(b.sim, VXE_SENSE_CENTER, m->region_voxel, m->region_begin[1], middle, &error),
            &error);
    check_near("x of the right one", middle[0], 0.01 + 0.005 * cos(1.0), 2e-3 * 0.01);
    check_near("y of the right one", middle[1], 0.005 + 0.005 * sin(1.0), 2e-3 * 0.01);
    double velocity[3];
    require(vxe_sim_sense(b.sim, VXE_SENSE_CENTER_VELOCITY, NULL, 0, velocity, &error), &error);
    check_near("velocity of all", length3(velocity), 0.0, 1e-12);
    double q[2][4];
    require(vxe_sim_sense(b.sim, VXE_SENSE_ORIENTATION, NULL, 0, &q[0][0], &error), &error);
    check_near("turned by", 2.0 * atan2(q[0][3], q[0][0]), 1.0, 2e-3);
    finish(b);
}

/* ---- change --------------------------------------------------------------------------------------------------------- */

/* A hanging chain whose middle link is cut: the lower half falls freely; the same for every instruction set,
 * in materials that cannot fail by themselves, and with collisions, which find the new faces. */
static void test_cut(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    uint64_t hash = 0;
    for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
        vxe_scene *scene = new_scene(0.01, 3, 3, 8);
        fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
        (void)add_fixed(scene, "top", box_of(0.0, 0.0, 7.0, 3.0, 3.0, 1.0), VXE_DOF_ALL);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
        e.gravity[2] = -10.0;
        e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        vxe_sim_def def = vxe_default_sim_def();
        def.isa = (vxe_isa)isa;
        vxe_sim *sim = NULL;
        if (vxe_sim_create(model, &def, &sim, NULL) == VXE_OK) {
            settle(sim, 1e-5, 0.0, 100000);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    const int32_t v = voxel_at(sim, i, j, 3);
                    require(vxe_sim_break_link(sim, VXE_AXIS_Z, v, &error), &error);
                    assert_int_equal(vxe_sim_break_link(sim, VXE_AXIS_Z, v, &error), VXE_ERROR_ARGUMENT);
                }
            }
            int64_t events = 0;
            const vxe_event *event = vxe_sim_events(sim, &events);
            assert_int_equal(events, 9);
            check_near("when", event[0].time, vxe_sim_time(sim), 0.0);
            const double from = vxe_sim_state(sim)->position[2][0];
            const double begun = vxe_sim_time(sim);
            const vxe_stop stop = {.time = begun + 0.05};
            assert_int_equal(vxe_sim_run(sim, &stop, INT64_MAX), VXE_RUN_TIME);
            double low[3];
            int32_t lower[36];
            for (int i = 0; i < 36; i++) lower[i] = i;
            require(vxe_sim_sense(sim, VXE_SENSE_CENTER, lower, 36, low, &error), &error);
            check_near("fallen by", low[2], 0.02 - 0.5 * 10.0 * 0.05 * 0.05, 4e-4);
            assert_true(vxe_sim_state(sim)->position[2][0] < from);
            if (isa == VXE_ISA_PLAIN) hash = vxe_sim_hash(sim);
            assert_true(vxe_sim_hash(sim) == hash);
        }
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
    }
    assert_int_equal(vxe_sim_break_link(NULL, VXE_AXIS_X, 0, NULL), VXE_ERROR_ARGUMENT);
}

/* A walking robot loses a leg and gains another: what stayed keeps pose and motion, the new voxels hang on.
 */
static void test_carry(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = robot_scene(15, 0.1);
    const bench b = start(robot_scene(15, 0.1));
    rng r = {5};
    drive_randomly(b.sim, &r, 20);
    for (int k = 0; k < 2; k++) {
        require(vxe_scene_set_voxel(scene, 0, 0, k, 0, &error), &error);
        require(vxe_scene_set_voxel(scene, 2, 3, k, 1, &error), &error);
    }
    const bench c = start(scene);
    require(vxe_sim_carry(c.sim, b.sim, &error), &error);
    check_near("time", vxe_sim_time(c.sim), vxe_sim_time(b.sim), 0.0);
    const vxe_model_view *m = vxe_model_get(c.model);
    const vxe_state *now = vxe_sim_state(c.sim);
    const vxe_state *was = vxe_sim_state(b.sim);
    int kept = 0;
    for (int32_t v = 0; v < m->voxel_count; v++) {
        const int32_t w = vxe_model_voxel_at(b.model, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
        if (w < 0) continue;
        kept++;
        for (int a = 0; a < 3; a++) {
            check_near("position", now->position[a][v], was->position[a][w], 0.0);
            check_near("velocity", now->velocity[a][v], was->velocity[a][w], 0.0);
        }
    }
    assert_int_equal(kept, 50);
    /* the new ones are about a pitch from their neighbours */
    const int32_t added = voxel_at(c.sim, 2, 3, 1);
    const int32_t above = voxel_at(c.sim, 2, 3, 2);
    double square = 0.0;
    for (int a = 0; a < 3; a++) square += pow(now->position[a][added] - now->position[a][above], 2.0);
    check_near("distance", sqrt(square), 0.01, 0.002);
    step(c.sim, 500);
    check_well(c.sim);
    /* into the same scene: it goes on as if nothing had happened, but for contacts that are found anew */
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *same = new_sim(b.model, &def);
    require(vxe_sim_carry(same, b.sim, &error), &error);
    double here[3];
    double there[3];
    const vxe_stop stop = {.time = vxe_sim_time(b.sim) + 0.01};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    (void)vxe_sim_run(same, &stop, INT64_MAX);
    vxe_sim_center_of_mass(b.sim, here);
    vxe_sim_center_of_mass(same, there);
    for (int a = 0; a < 3; a++) check_near("centre", there[a], here[a], 1e-5);
    vxe_sim_destroy(same);
    vxe_scene *other = new_scene(0.02, 2, 2, 2);
    fill_all(other, add_material(other, 1e6, 0.3, 1000.0));
    const bench d = start(other);
    assert_int_equal(vxe_sim_carry(d.sim, b.sim, &error), VXE_ERROR_INPUT);
    assert_int_equal(vxe_sim_carry(NULL, b.sim, NULL), VXE_ERROR_ARGUMENT);
    finish(d);
    finish(c);
    finish(b);
}

/* ---- boxes of voxels ------------------------------------------------------------------------------------------------- */

static void test_boxes(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 4, 3, 2);
    (void)add_material(scene, 1e6, 0.3, 1000.0);
    const int32_t first[3] = {1, 1, 0};
    const int32_t size[3] = {2, 2, 2};
    const uint16_t materials[8] = {1, 0, 0, 1, 1, 1, 0, 0};
    require(vxe_scene_set_voxels(scene, first, size, materials, &error), &error);
    assert_int_equal(vxe_scene_voxel_count(scene), 4);
    for (int n = 0; n < 8; n++)
        assert_int_equal(vxe_scene_voxel(scene, 1 + n % 2, 1 + n / 2 % 2, n / 4), materials[n]);
    const uint16_t wrong[8] = {0, 0, 0, 0, 0, 0, 0, 2};
    assert_int_equal(vxe_scene_set_voxels(scene, first, size, wrong, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_voxel_count(scene), 4);
    const int32_t large[3] = {4, 1, 1};
    assert_int_equal(vxe_scene_set_voxels(scene, first, large, materials, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "not inside the workspace of 4 x 3 x 2"));
    double numbers[8] = {0.5, 0.5, 0.5, 0.5, 0.25, 0.5, 0.5, 0.5};
    require(vxe_scene_set_actuations(scene, first, size, numbers, NULL, numbers, &error), &error);
    const vxe_actuation own = vxe_scene_actuation(scene, 1, 1, 1);
    check_near("phase", own.phase, 0.25, 0.0);
    check_near("amplitude", own.amplitude, 1.0, 0.0);
    check_near("period", own.period, 0.25, 0.0);
    require(vxe_scene_set_fields(scene, VXE_FIELD_SIZE_END, first, size, numbers, &error), &error);
    check_near("field", vxe_scene_field(scene, VXE_FIELD_SIZE_END, 1, 1, 1), 0.25, 0.0);
    numbers[7] = -1.0;
    assert_int_equal(vxe_scene_set_actuations(scene, first, size, NULL, NULL, numbers, &error),
                     VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_set_voxels(NULL, first, size, materials, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_actuations(NULL, first, size, NULL, NULL, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_fields(scene, VXE_FIELD_COUNT, first, size, numbers, NULL),
                     VXE_ERROR_ARGUMENT);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_set_array_refuses),
        cmocka_unit_test(test_set_pose),
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_control_refuses),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_applied_force),
        cmocka_unit_test(test_strain),
        cmocka_unit_test(test_touch),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_carry),
        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
