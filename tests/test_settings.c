/* Structs of settings from programs of other versions. */
#include "base/settings.h"
#include "support.h"

/* Settings of a first version, of the one that this library has, and of one that is to come. */
typedef struct settings_1 {
    size_t size;
    int32_t count;
} settings_1;
typedef struct settings_2 {
    size_t size;
    int32_t count;
    double part;
} settings_2;
typedef struct settings_3 {
    size_t size;
    int32_t count;
    double part;
    int64_t more;
} settings_3;

static const settings_2 standard = {sizeof(settings_2), 7, 0.5};
static const settings_type known = {"settings", sizeof(settings_2), SETTINGS_END(settings_2, count),
                                    &standard};
static const settings_type zeros = {"settings", sizeof(settings_2), SETTINGS_END(settings_2, count), NULL};

static void earlier_programs_get_the_defaults_of_what_came_later(void **state)
{
    (void)state;
    const settings_1 given = {sizeof given, 3};
    settings_2 own;
    assert_int_equal(vxe_settings_take(&known, &given, &own, NULL), VXE_OK);
    assert_int_equal(own.count, 3);
    assert_true(own.part == 0.5);
    assert_int_equal(own.size, sizeof own);
}

static void later_programs_may_not_set_what_is_not_known(void **state)
{
    (void)state;
    settings_3 given = {sizeof given, 3, 0.25, 0};
    settings_2 own;
    vxe_error error;
    assert_int_equal(vxe_settings_take(&known, &given, &own, &error), VXE_OK);
    assert_true(own.part == 0.25);
    given.more = 1;
    assert_int_equal(vxe_settings_take(&known, &given, &own, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "settings: it has settings that this version does not know");
}

static void a_size_that_is_none_is_refused(void **state)
{
    (void)state;
    settings_2 given = {0, 3, 0.25};
    settings_2 own;
    vxe_error error;
    assert_int_equal(vxe_settings_take(&known, &given, &own, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(
        error.message, "settings: its size is not set; settings start from their defaults (vxe_default_...)");
    given.size = 1000000000;
    assert_int_equal(vxe_settings_take(&zeros, &given, &own, &error), VXE_ERROR_ARGUMENT);
    given.size = 0; /* without defaults: the first version, the rest zero */
    assert_int_equal(vxe_settings_take(&zeros, &given, &own, &error), VXE_OK);
    assert_int_equal(own.count, 3);
    assert_true(own.part == 0.0);
}

static void settings_are_given_as_far_as_there_is_room(void **state)
{
    (void)state;
    settings_1 early = {0, 0};
    settings_3 late = {0, 0, 0.0, 9};
    vxe_settings_give(&known, NULL, &early, sizeof early);
    assert_int_equal(early.size, sizeof early);
    assert_int_equal(early.count, 7);
    const settings_2 other = {sizeof other, 4, 2.0};
    vxe_settings_give(&known, &other, &late, sizeof late);
    assert_int_equal(late.size, sizeof late);
    assert_true(late.count == 4 && late.part == 2.0 && late.more == 0);
}

/* The public functions: a struct of zeros is refused, one of a longer kind is taken. */
static void public_settings_carry_their_size(void **state)
{
    (void)state;
    vxe_error error;
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    const vxe_material_def nothing = {.youngs_modulus = 1e6};
    assert_int_equal(vxe_scene_add_material(scene, &nothing, NULL, &error), VXE_ERROR_ARGUMENT);
    struct {
        vxe_material_def def;
        double more[4];
    } longer = {vxe_default_material_def(), {0.0}};
    longer.def.size = sizeof longer;
    longer.def.density = 500.0;
    assert_int_equal(vxe_scene_add_material(scene, &longer.def, NULL, &error), VXE_OK);
    assert_true(vxe_scene_material(scene, 1)->density == 500.0);
    assert_int_equal(vxe_scene_material(scene, 1)->size, sizeof(vxe_material_def));
    longer.more[0] = 1.0;
    assert_int_equal(vxe_scene_add_material(scene, &longer.def, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_environment(scene).size, sizeof(vxe_environment));
    vxe_scene_destroy(scene);
}

/* What a program of the first version has: a struct that ends where that did, so that reading on is found. */
static void *first_version(const void *def, size_t size)
{
    void *made = malloc(size);
    assert_non_null(made);
    memcpy(made, def, size);
    memcpy(made, &size, sizeof size);
    return made;
}

static void parts_of_scenes_are_taken_from_earlier_programs(void **state)
{
    (void)state;
    vxe_error error;
    vxe_scene *scene = new_scene(0.01, 2, 2, 1);
    const int32_t gel = add_material(scene, 1e6, 0.3, 1000.0);
    const vxe_shape left = box_of(0, 0, 0, 1, 2, 1);
    vxe_shape *shape = first_version(&left, SETTINGS_END(vxe_shape, cells));
    require(vxe_scene_fill(scene, shape, gel, &error), &error);
    assert_int_equal(vxe_scene_voxel_count(scene), 2);
    vxe_region_def region = vxe_default_region_def();
    memcpy(&region.shape, shape, SETTINGS_END(vxe_shape, cells));
    require(vxe_scene_add_region(scene, &region, NULL, &error), &error);
    assert_int_equal(vxe_scene_region(scene, 0)->shape.size, sizeof(vxe_shape));
    const vxe_actuation own = {.phase = 0.25, .amplitude = 2.0, .period = 3.0};
    vxe_actuation *actuation = first_version(&own, SETTINGS_END(vxe_actuation, period));
    require(vxe_scene_set_actuation(scene, 0, 1, 0, actuation, &error), &error);
    assert_true(vxe_scene_actuation(scene, 0, 1, 0).amplitude == 2.0);
    assert_int_equal(vxe_scene_actuation(scene, 0, 1, 0).size, sizeof(vxe_actuation));
    vxe_ground_def ground = vxe_default_ground_def();
    ground.spacing = 2.0;
    vxe_ground_def *early_ground = first_version(&ground, SETTINGS_END(vxe_ground_def, color));
    require(vxe_scene_set_ground(scene, early_ground, &error), &error);
    assert_true(vxe_scene_ground(scene)->spacing == 2.0);
    vxe_solid_def solid = vxe_default_solid_def();
    solid.sides[1] = 3.0;
    vxe_solid_def *early_solid = first_version(&solid, SETTINGS_END(vxe_solid_def, color));
    require(vxe_scene_add_solid(scene, early_solid, NULL, &error), &error);
    assert_true(vxe_scene_solid(scene, 0)->sides[1] == 3.0);
    vxe_water_def water = vxe_default_water_def();
    water.density = 900.0;
    vxe_water_def *early_water = first_version(&water, SETTINGS_END(vxe_water_def, level));
    require(vxe_scene_set_water(scene, early_water, &error), &error);
    assert_true(vxe_scene_water(scene)->density == 900.0);
    const vxe_start_def start = {.velocity = {0.5, 0.0, 0.0}};
    vxe_start_def *early_start = first_version(&start, SETTINGS_END(vxe_start_def, center));
    require(vxe_scene_add_start(scene, early_start, &error), &error);
    assert_true(vxe_scene_start(scene, 0)->velocity[0] == 0.5);
    assert_int_equal(vxe_scene_start(scene, 0)->size, sizeof(vxe_start_def));
    free(shape);
    free(actuation);
    free(early_ground);
    free(early_solid);
    free(early_water);
    free(early_start);
    vxe_scene_destroy(scene);
}

static void parts_of_scenes_that_nobody_filled_in_are_refused(void **state)
{
    (void)state;
    vxe_error error;
    vxe_scene *scene = new_scene(0.01, 2, 2, 1);
    const int32_t gel = add_material(scene, 1e6, 0.3, 1000.0);
#define UNSET ": its size is not set; settings start from their defaults (vxe_default_...)"
    assert_int_equal(vxe_scene_set_ground(scene, &(vxe_ground_def){.spacing = 1.0}, &error),
                     VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_ground_def" UNSET);
    assert_int_equal(vxe_scene_add_solid(scene, &(vxe_solid_def){.name = "a"}, NULL, &error),
                     VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_solid_def" UNSET);
    assert_int_equal(vxe_scene_set_water(scene, &(vxe_water_def){.density = 1.0}, &error),
                     VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_water_def" UNSET);
    /* Without defaults a size of 0 is the first version's; then it is the rest that is missing. */
    assert_int_equal(vxe_scene_fill(scene, &(vxe_shape){.units = VXE_UNITS_VOXELS}, gel, &error),
                     VXE_ERROR_INPUT);
    assert_string_equal(error.message, "shape: kind of shape 0 is none of the choices (1 to 5)");
    assert_int_equal(vxe_scene_set_actuation(scene, 0, 0, 0, &(vxe_actuation){.phase = 0.5}, &error),
                     VXE_ERROR_INPUT);
    assert_string_equal(error.message, "voxel (0,0,0): actuation period 0 is not within 1e-09 to 1e+09");
#define NONE ": its size is neither 0 nor that of the struct"
    vxe_shape shape = box_of(0, 0, 0, 1, 2, 1);
    shape.size = 5;
    assert_int_equal(vxe_scene_fill(scene, &shape, gel, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_shape" NONE);
    vxe_region_def region = region_of("wall", shape);
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_shape" NONE);
    region.shape.size = sizeof region.shape + 8; /* a shape that would reach into what follows it */
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_region_def: its shape's size is none that can be");
    assert_int_equal(vxe_scene_set_actuation(scene, 0, 0, 0, &(vxe_actuation){1, 0.5, 1.0, 1.0}, &error),
                     VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_actuation" NONE);
    assert_int_equal(vxe_scene_add_start(scene, &(vxe_start_def){.size = 1}, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "vxe_start_def" NONE);
    vxe_scene_destroy(scene);
}

/* Stepping tells what went wrong, as everything else does. */
static void steps_and_readouts_report_errors(void **state)
{
    (void)state;
    vxe_error error;
    vxe_scene *scene = new_scene(0.01, 2, 2, 2);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    bench b = start(scene);
    assert_int_equal(vxe_sim_step(b.sim, -1, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(error.code, VXE_ERROR_ARGUMENT);
    double moved[3];
    assert_int_equal(vxe_sim_region_displacement(b.sim, 5, moved, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no region 5; the model has 0, numbered from 0");
    const double much[3] = {1e12, 0.0, 0.0};
    assert_int_equal(vxe_sim_pull(b.sim, 0, much, &error), VXE_OK);
    assert_int_equal(vxe_sim_step(b.sim, 1000, &error), VXE_ERROR_DIVERGED);
    assert_string_equal(error.message, vxe_sim_status(b.sim)->message);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(earlier_programs_get_the_defaults_of_what_came_later),
        cmocka_unit_test(later_programs_may_not_set_what_is_not_known),
        cmocka_unit_test(a_size_that_is_none_is_refused),
        cmocka_unit_test(settings_are_given_as_far_as_there_is_room),
        cmocka_unit_test(public_settings_carry_their_size),
        cmocka_unit_test(parts_of_scenes_are_taken_from_earlier_programs),
        cmocka_unit_test(parts_of_scenes_that_nobody_filled_in_are_refused),
        cmocka_unit_test(steps_and_readouts_report_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
