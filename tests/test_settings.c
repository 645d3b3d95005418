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
        cmocka_unit_test(steps_and_readouts_report_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
