/* Scenes: workspace, palette, voxels, signals, actuation, copies, misuse. Shapes are in test_regions.c, the
 * messages of the rules in test_scene_check.c. */
#include "plain_scene.h"
#include "voxelastic/model.h"

#include <math.h>

/* --- parts --- */

/* Each field has a range: what is far beyond it is refused with its unit, what is in it is kept. */
static void test_fields(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.01, 2, 2, 2);
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        vxe_error error = {VXE_OK, ""};
        const double inside = f == VXE_FIELD_STIFFNESS ? 1e5 : f == VXE_FIELD_PART ? 1.0 : 0.25;
        assert_int_equal(vxe_scene_set_field(scene, (vxe_field)f, 1, 0, 1, 1e200, &error), VXE_ERROR_INPUT);
        assert_non_null(strstr(error.message, "is not within"));
        assert_int_equal(vxe_scene_set_field(scene, (vxe_field)f, 1, 0, 1, inside, &error), VXE_OK);
        assert_true(vxe_scene_field(scene, (vxe_field)f, 1, 0, 1) == inside);
    }
    vxe_scene_destroy(scene);
}

/* Four voxels in a row: a separate part in the middle of it cuts two links, a bonded one none. */
static void test_parts(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.01, 4, 1, 1);
    (void)add_material(scene, "rubber");
    for (int32_t i = 0; i < 4; i++) assert_int_equal(vxe_scene_set_voxel(scene, i, 0, 0, 1, NULL), VXE_OK);
    vxe_part_def def = {.name = "ball"};
    int32_t part = 0;
    assert_int_equal(vxe_scene_add_part(scene, &def, &part, NULL), VXE_OK);
    assert_int_equal(part, 1);
    assert_int_equal(vxe_scene_add_part(scene, &def, &part, NULL), VXE_ERROR_INPUT);
    snprintf(def.name, sizeof def.name, "finger");
    assert_int_equal(vxe_scene_add_part(scene, &def, &part, NULL), VXE_OK);
    assert_int_equal(part, 2);
    assert_int_equal(vxe_scene_set_field(scene, VXE_FIELD_PART, 1, 0, 0, 1.5, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_set_field(scene, VXE_FIELD_PART, 1, 0, 0, 1.0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_field(scene, VXE_FIELD_PART, 2, 0, 0, 1.0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_field(scene, VXE_FIELD_PART, 3, 0, 0, 2.0, NULL), VXE_OK);
    const int32_t expected[2][2] = {{3, 1}, {1, 3}}; /* links and bodies: bonded, separate */
    uint64_t hash[2];
    for (int separate = 0; separate < 2; separate++) {
        def = *vxe_scene_part(scene, 1);
        def.separate = separate != 0;
        assert_int_equal(vxe_scene_set_part(scene, 1, &def, NULL), VXE_OK);
        vxe_scene *copy = NULL;
        assert_int_equal(vxe_scene_copy(scene, &copy, NULL), VXE_OK);
        vxe_model *model = NULL;
        vxe_error error = {0};
        if (vxe_compile(copy, &model, &error) != VXE_OK) fail_msg("%s", error.message);
        assert_int_equal(vxe_model_get(model)->link_count, expected[separate][0]);
        assert_int_equal(vxe_model_get(model)->body_count, expected[separate][1]);
        hash[separate] = vxe_model_hash(model);
        vxe_model_destroy(model);
        vxe_scene_destroy(copy);
    }
    assert_true(hash[0] != hash[1]);
    assert_int_equal(vxe_scene_remove_part(scene, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_part_count(scene), 1);
    assert_string_equal(vxe_scene_part(scene, 1)->name, "finger");
    assert_true(vxe_scene_field(scene, VXE_FIELD_PART, 2, 0, 0) == 0.0);
    assert_true(vxe_scene_field(scene, VXE_FIELD_PART, 3, 0, 0) == 1.0);
    assert_int_equal(vxe_scene_set_field(scene, VXE_FIELD_PART, 0, 0, 0, 2.0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_ERROR_INPUT); /* there is no part 2 any more */
    vxe_scene_destroy(scene);
}

/* --- workspace --- */

static void test_create(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 5, 10, 6);
    int32_t n[3];
    vxe_scene_size(scene, n);
    assert_int_equal(n[0], 5);
    assert_int_equal(n[1], 10);
    assert_int_equal(n[2], 6);
    assert_true(vxe_scene_pitch(scene) == 0.001);
    assert_int_equal(vxe_scene_voxel_count(scene), 0);
    assert_int_equal(vxe_scene_material_count(scene), 0);
    assert_int_equal(vxe_scene_region_count(scene), 0);
    assert_int_equal(vxe_scene_signal_count(scene), 0);
    assert_int_equal(vxe_scene_output(scene)->trace_count, 0);
    assert_true(vxe_scene_stop(scene).time == 0.0);
    const vxe_environment environment = vxe_scene_environment(scene);
    assert_true(environment.damping_stretch == 1.0 && environment.damping_rotation == 1.0);
    assert_true(environment.damping_contact == 1.0 && environment.damping_ground == 0.0);
    assert_int_equal(environment.elasticity, VXE_ELASTICITY_SOLID);
    assert_false(environment.floor);
    vxe_scene_destroy(scene);
    vxe_scene_destroy(NULL);
}

static void test_create_limits(void **state)
{
    (void)state;
    vxe_scene *scene = NULL;
    vxe_error error = {0};
    assert_int_equal(vxe_scene_create(0.001, 1000000, 1000000, 1000000, &scene, &error), VXE_ERROR_LIMIT);
    assert_int_equal(error.code, VXE_ERROR_LIMIT);
    assert_string_equal(error.message,
                        "workspace: 1000000 x 1000000 x 1000000 are 1000000000000000000 cells, "
                        "more than 2000000000");
    assert_int_equal(vxe_scene_create(0.001, 1000001, 1, 1, &scene, NULL), VXE_ERROR_LIMIT);
    assert_int_equal(vxe_scene_create(0.001, INT32_MAX, INT32_MAX, INT32_MAX, &scene, NULL), VXE_ERROR_LIMIT);
    assert_int_equal(vxe_scene_create(0.001, 0, 1, 1, &scene, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_create(0.001, 1, -1, 1, &scene, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_create(0.0, 1, 1, 1, &scene, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_create((double)NAN, 1, 1, 1, &scene, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_create(0.001, 1, 1, 1, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_null(scene);
    assert_true(vxe_machine_holds(1));
    assert_false(vxe_machine_holds(SIZE_MAX));
}

/* The largest workspace: 4 GB of voxels, which cost nothing until they are used, and 48 GB of actuation.
 * Where the machine has less, the answer is an error and the scene is as it was. */
static void test_memory(void **state)
{
    (void)state;
    vxe_scene *scene = NULL;
    vxe_error error = {0};
    const size_t cells = (size_t)VXE_CELLS_MAX;
    if (vxe_machine_holds(cells * sizeof(cell_actuation))) skip();
    const vxe_result result = vxe_scene_create(0.001, 2000, 1000, 1000, &scene, &error);
    if (result == VXE_OK) {
        const vxe_actuation actuation = {.phase = 0.5, .amplitude = 1.0, .period = 1.0};
        assert_int_equal(vxe_scene_set_voxel(scene, 1999, 999, 999, 0, NULL), VXE_OK);
        assert_int_equal(vxe_scene_set_actuation(scene, 0, 0, 0, &actuation, &error), VXE_ERROR_MEMORY);
        assert_string_equal(error.message,
                            "there is not enough memory for the actuation of voxels (48000000000 bytes)");
        assert_false(vxe_scene_has_actuation(scene));
    } else {
        assert_int_equal(result, VXE_ERROR_MEMORY);
        assert_string_equal(error.message, "there is not enough memory for the voxels (4000000000 bytes)");
        assert_null(scene);
    }
    vxe_scene_destroy(scene);
}

static void test_describe(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    assert_string_equal(vxe_scene_name(scene), "");
    assert_string_equal(vxe_scene_description(scene), "");
    assert_int_equal(vxe_scene_describe(scene, "worm", "crawls\nslowly", NULL), VXE_OK);
    assert_int_equal(vxe_scene_describe(scene, NULL, NULL, NULL), VXE_OK);
    assert_string_equal(vxe_scene_name(scene), "worm");
    assert_string_equal(vxe_scene_description(scene), "crawls\nslowly");
    assert_int_equal(vxe_scene_describe(scene, "snake", "\xff", NULL), VXE_ERROR_INPUT);
    assert_string_equal(vxe_scene_name(scene), "worm");
    /* the scene's own texts as arguments */
    assert_int_equal(vxe_scene_describe(scene, vxe_scene_description(scene), vxe_scene_name(scene), NULL),
                     VXE_OK);
    assert_string_equal(vxe_scene_name(scene), "crawls\nslowly");
    assert_string_equal(vxe_scene_description(scene), "worm");
    assert_int_equal(vxe_scene_describe(scene, "", "", NULL), VXE_OK);
    assert_string_equal(vxe_scene_name(scene), "");
    assert_string_equal(vxe_scene_description(scene), "");
    vxe_scene_destroy(scene);
}

/* --- palette --- */

static void test_palette(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 4, 1, 1);
    assert_int_equal(add_material(scene, "a"), 1);
    assert_int_equal(add_material(scene, "b"), 2);
    assert_int_equal(add_material(scene, "c"), 3);
    assert_int_equal(vxe_scene_find_material(scene, "b"), 2);
    assert_int_equal(vxe_scene_find_material(scene, "d"), 0);
    assert_null(vxe_scene_material(scene, 0));
    assert_null(vxe_scene_material(scene, 4));
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(vxe_scene_set_voxel(scene, i, 0, 0, i + 1, NULL), VXE_OK);

    vxe_material_def def = *vxe_scene_material(scene, 2);
    def.density = -1.0;
    assert_int_equal(vxe_scene_set_material(scene, 2, &def, NULL), VXE_ERROR_INPUT);
    assert_true(vxe_scene_material(scene, 2)->density == 1000.0);
    def.density = 2000.0;
    assert_int_equal(vxe_scene_set_material(scene, 2, &def, NULL), VXE_OK); /* its own name is no duplicate */
    assert_string_equal(vxe_scene_material(scene, 2)->name, "b");
    assert_true(vxe_scene_material(scene, 2)->density == 2000.0);
    assert_int_equal(vxe_scene_set_material(scene, 4, &def, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_material(scene, 0, &def, NULL), VXE_ERROR_ARGUMENT);

    vxe_error error = {0};
    assert_int_equal(vxe_scene_remove_material(scene, 9, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no material 9; the palette has 3");
    assert_int_equal(vxe_scene_remove_material(scene, 2, NULL), VXE_OK);
    assert_int_equal(vxe_scene_material_count(scene), 2);
    assert_string_equal(vxe_scene_material(scene, 2)->name, "c");
    assert_int_equal(vxe_scene_voxel(scene, 0, 0, 0), 1);
    assert_int_equal(vxe_scene_voxel(scene, 1, 0, 0), 0);
    assert_int_equal(vxe_scene_voxel(scene, 2, 0, 0), 2);
    assert_int_equal(vxe_scene_voxel_count(scene), 2);
    vxe_scene_destroy(scene);
}

static void test_name_variants(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    add_material(scene, "gel");
    add_material(scene, "gel");
    add_material(scene, "gel");
    assert_string_equal(vxe_scene_material(scene, 2)->name, "gel (2)");
    assert_string_equal(vxe_scene_material(scene, 3)->name, "gel (3)");
    assert_int_equal(vxe_scene_remove_material(scene, 2, NULL), VXE_OK);
    add_material(scene, "gel");
    assert_string_equal(vxe_scene_material(scene, 3)->name, "gel (2)"); /* the smallest that is free */
    add_material(scene, "gel (2)");
    assert_string_equal(vxe_scene_material(scene, 4)->name, "gel (2) (2)");
    /* a scene's own material as argument, while the palette grows */
    for (int n = 0; n < 20; n++) {
        assert_int_equal(vxe_scene_add_material(scene, vxe_scene_material(scene, 1), NULL, NULL), VXE_OK);
    }
    assert_string_equal(vxe_scene_material(scene, 24)->name, "gel (23)");
    vxe_material_def def = *vxe_scene_material(scene, 4);
    snprintf(def.name, sizeof def.name, "gel");
    assert_int_equal(vxe_scene_set_material(scene, 4, &def, NULL), VXE_OK);
    assert_string_equal(vxe_scene_material(scene, 4)->name, "gel (24)");
    vxe_scene_destroy(scene);
}

/* 63 bytes that end in two-byte characters: the variant is cut between characters. */
static void test_long_name_variant(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    char name[VXE_NAME_SIZE];
    memset(name, 'x', 55);
    memcpy(name + 55, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 9);
    assert_int_equal(strlen(name), 63);
    add_material(scene, name);
    add_material(scene, name);
    char expected[VXE_NAME_SIZE];
    memcpy(expected, name, 59); /* 59 + " (2)" fits exactly and ends after the second character */
    memcpy(expected + 59, " (2)", 5);
    assert_string_equal(vxe_scene_material(scene, 2)->name, expected);
    for (int n = 3; n <= 10; n++) add_material(scene, name);
    memcpy(expected + 57, " (10)", 6); /* 58 bytes would cut the second character */
    assert_string_equal(vxe_scene_material(scene, 10)->name, expected);
    vxe_scene_destroy(scene);
}

static void test_palette_full(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    for (int n = 0; n < VXE_MATERIALS_MAX; n++) add_material(scene, "m");
    assert_string_equal(vxe_scene_material(scene, VXE_MATERIALS_MAX)->name, "m (4096)");
    const vxe_material_def def = vxe_default_material_def();
    vxe_error error = {0};
    assert_int_equal(vxe_scene_add_material(scene, &def, NULL, &error), VXE_ERROR_LIMIT);
    assert_string_equal(error.message, "material \"material\": the palette is full with 4096 materials");
    assert_int_equal(vxe_scene_set_voxel(scene, 0, 0, 0, VXE_MATERIALS_MAX, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel(scene, 0, 0, 0), VXE_MATERIALS_MAX);
    assert_int_equal(vxe_scene_check(scene, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

/* --- voxels and shapes --- */

static void test_voxels(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 3, 4, 5);
    vxe_error error = {0};
    add_material(scene, "a");
    assert_int_equal(vxe_scene_set_voxel(scene, 2, 1, 3, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_voxel(scene, 2, 1, 3, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(scene), 1);
    assert_int_equal(vxe_scene_voxels(scene)[(3 * 4 + 1) * 3 + 2], 1);
    assert_int_equal(vxe_scene_set_voxel(scene, 3, 0, 0, 1, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "voxel (3,0,0) is outside of the workspace of 3 x 4 x 5 voxels");
    assert_int_equal(vxe_scene_set_voxel(scene, 0, -1, 0, 1, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_voxel(scene, 0, 0, 5, 1, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_voxel(scene, 0, 0, 0, 2, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no material 2; the palette has 1");
    assert_int_equal(vxe_scene_set_voxel(scene, 0, 0, 0, -1, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_voxel(scene, 3, 0, 0), 0);
    assert_int_equal(vxe_scene_voxel(scene, 0, -1, 0), 0);
    assert_int_equal(vxe_scene_set_voxel(scene, 2, 1, 3, 0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(scene), 0);
    vxe_scene_destroy(scene);
}

/* --- signals, actuation, output --- */

static void test_signals(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 2, 2, 2);
    vxe_error error = {0};
    double time[3] = {0.0, 0.5, 1.0};
    double value[3] = {0.0, 1.0, -1.0};
    vxe_signal_def def = vxe_default_signal_def();
    int32_t number = -1;
    assert_int_equal(vxe_scene_add_signal(scene, &def, &number, NULL), VXE_OK);
    assert_int_equal(number, 0);
    assert_int_equal(vxe_scene_add_signal(scene, &def, NULL, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "signal \"temperature\": the name is already in use");
    snprintf(def.name, sizeof def.name, "light");
    def.waveform = VXE_WAVE_TABLE;
    def.table_count = 3;
    def.table_time = time;
    def.table_value = value;
    assert_int_equal(vxe_scene_add_signal(scene, &def, &number, NULL), VXE_OK);
    assert_int_equal(number, 1);
    time[1] = value[1] = 77.0; /* the scene has its own */
    const vxe_signal_def *stored = vxe_scene_signal(scene, 1);
    assert_true(stored->table_time[1] == 0.5 && stored->table_value[1] == 1.0);
    assert_true(stored->table_time[2] == 1.0 && stored->table_value[2] == -1.0);
    vxe_signal_def again = *stored; /* with the scene's tables */
    again.amplitude = 5.0;
    again.table_count = 2;
    assert_int_equal(vxe_scene_set_signal(scene, 1, &again, NULL), VXE_OK);
    stored = vxe_scene_signal(scene, 1);
    assert_true(stored->amplitude == 5.0 && stored->table_count == 2 && stored->table_value[1] == 1.0);
    assert_int_equal(vxe_scene_set_signal(scene, 2, &again, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_remove_signal(scene, -1, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no signal -1; the scene has 2, numbered from 0");
    assert_int_equal(vxe_scene_find_signal(scene, "light"), 1);
    assert_int_equal(vxe_scene_remove_signal(scene, 0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_find_signal(scene, "light"), 0);
    assert_int_equal(vxe_scene_find_signal(scene, "temperature"), -1);
    assert_true(vxe_scene_signal(scene, 0)->table_value[1] == 1.0);
    assert_null(vxe_scene_signal(scene, 1));
    def = vxe_default_signal_def();
    for (int n = 1; n < VXE_SIGNALS_MAX; n++) {
        snprintf(def.name, sizeof def.name, "signal %d", n);
        assert_int_equal(vxe_scene_add_signal(scene, &def, NULL, NULL), VXE_OK);
    }
    snprintf(def.name, sizeof def.name, "last");
    assert_int_equal(vxe_scene_add_signal(scene, &def, NULL, &error), VXE_ERROR_LIMIT);
    assert_string_equal(error.message, "signal \"last\": the scene is full with 256 signals");
    vxe_scene_destroy(scene);
}

static void test_actuation(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 2, 3, 4);
    vxe_actuation a = vxe_scene_actuation(scene, 0, 0, 0);
    assert_true(a.phase == 0.0 && a.amplitude == 1.0 && a.period == 1.0);
    assert_false(vxe_scene_has_actuation(scene));
    assert_int_equal(vxe_scene_set_actuation(scene, 1, 2, 3, &a, NULL),
                     VXE_OK); /* nothing special: nothing stored */
    assert_null(scene->actuation);
    a = (vxe_actuation){.phase = 0.25, .period = 2.0};
    assert_int_equal(vxe_scene_set_actuation(scene, 1, 2, 3, &a, NULL), VXE_OK);
    assert_true(vxe_scene_has_actuation(scene));
    a = vxe_scene_actuation(scene, 1, 2, 3);
    assert_true(a.phase == 0.25 && a.amplitude == 0.0 && a.period == 2.0);
    a = vxe_scene_actuation(scene, 1, 2, 2);
    assert_true(a.phase == 0.0 && a.amplitude == 1.0 && a.period == 1.0);
    a = vxe_scene_actuation(scene, 9, 9, 9);
    assert_true(a.phase == 0.0 && a.amplitude == 1.0 && a.period == 1.0);
    a.period = 0.0;
    assert_int_equal(vxe_scene_set_actuation(scene, 1, 2, 3, &a, NULL), VXE_ERROR_INPUT);
    a.period = 1.0;
    assert_int_equal(vxe_scene_set_actuation(scene, 2, 2, 3, &a, NULL), VXE_ERROR_ARGUMENT);
    assert_true(vxe_scene_has_actuation(scene));
    assert_int_equal(vxe_scene_set_actuation(scene, 1, 2, 3, &a, NULL), VXE_OK);
    assert_false(vxe_scene_has_actuation(scene));
    vxe_scene_destroy(scene);
}

static void test_output(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    char first[] = "energy";
    const char *names[2] = {first, "center_of_mass"};
    vxe_output_def output = {.trace_count = 2, .trace = names, .every = 0.1};
    assert_int_equal(vxe_scene_set_output(scene, &output, NULL), VXE_OK);
    first[0] = 'X';
    const vxe_output_def *stored = vxe_scene_output(scene);
    assert_int_equal(stored->trace_count, 2);
    assert_string_equal(stored->trace[0], "energy");
    assert_string_equal(stored->trace[1], "center_of_mass");
    vxe_output_def own = *stored;
    own.trace_count = 1;
    own.trace++;
    assert_int_equal(vxe_scene_set_output(scene, &own, NULL), VXE_OK);
    assert_int_equal(vxe_scene_output(scene)->trace_count, 1);
    assert_string_equal(vxe_scene_output(scene)->trace[0], "center_of_mass");
    own.every = -1.0;
    assert_int_equal(vxe_scene_set_output(scene, &own, NULL), VXE_ERROR_INPUT);
    assert_true(vxe_scene_output(scene)->every == 0.1);
    vxe_scene_destroy(scene);
}

static void test_copy(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 30, 20, 10);
    add_material(scene, "a");
    add_material(scene, "b");
    const vxe_shape ball = {
        .kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_FRACTION, .center = {0.5, 0.5, 0.5}, .radius = {0.4}};
    assert_int_equal(vxe_scene_fill(scene, &ball, 2, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_voxel(scene, 29, 19, 9, 1, NULL), VXE_OK);
    const vxe_actuation actuation = {.phase = 0.5, .amplitude = 2.0, .period = 3.0};
    assert_int_equal(vxe_scene_set_actuation(scene, 29, 19, 9, &actuation, NULL), VXE_OK);
    vxe_region_def region = vxe_default_region_def();
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, NULL), VXE_OK);
    const double time[2] = {0.0, 1.0};
    const double value[2] = {0.0, 3.0};
    vxe_signal_def signal = vxe_default_signal_def();
    signal.waveform = VXE_WAVE_TABLE;
    signal.table_count = 2;
    signal.table_time = time;
    signal.table_value = value;
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, NULL), VXE_OK);
    const char *names[1] = {"energy"};
    const vxe_output_def output = {.trace_count = 1, .trace = names};
    assert_int_equal(vxe_scene_set_output(scene, &output, NULL), VXE_OK);
    const vxe_stop stop = {.time = 2.0};
    assert_int_equal(vxe_scene_set_stop(scene, &stop, NULL), VXE_OK);
    vxe_environment environment = vxe_default_environment();
    environment.gravity[2] = -9.81;
    assert_int_equal(vxe_scene_set_environment(scene, &environment, NULL), VXE_OK);
    assert_int_equal(vxe_scene_describe(scene, "name", "text", NULL), VXE_OK);

    vxe_scene *copy = NULL;
    assert_int_equal(vxe_scene_copy(scene, &copy, NULL), VXE_OK);
    const int64_t count = vxe_scene_voxel_count(scene);
    assert_memory_equal(vxe_scene_voxels(scene), vxe_scene_voxels(copy), 6000 * sizeof(uint16_t));
    /* the copy can be edited ... */
    add_material(copy, "c");
    assert_int_equal(vxe_scene_remove_material(copy, 2, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(copy), 1);
    assert_int_equal(vxe_scene_voxel_count(scene), count);
    assert_int_equal(vxe_scene_material_count(scene), 2);
    /* ... and outlives the original */
    vxe_scene_destroy(scene);
    assert_string_equal(vxe_scene_name(copy), "name");
    assert_string_equal(vxe_scene_description(copy), "text");
    assert_true(vxe_scene_actuation(copy, 29, 19, 9).period == 3.0);
    assert_true(vxe_scene_has_actuation(copy));
    assert_int_equal(vxe_scene_find_region(copy, "region"), 0);
    assert_true(vxe_scene_signal(copy, 0)->table_value[1] == 3.0);
    assert_string_equal(vxe_scene_output(copy)->trace[0], "energy");
    assert_true(vxe_scene_stop(copy).time == 2.0);
    assert_true(vxe_scene_environment(copy).gravity[2] == -9.81);
    snprintf(region.name, sizeof region.name, "more");
    snprintf(signal.name, sizeof signal.name, "more");
    assert_int_equal(vxe_scene_add_region(copy, &region, NULL, NULL), VXE_OK);
    assert_int_equal(vxe_scene_add_signal(copy, &signal, NULL, NULL), VXE_OK);
    vxe_scene_destroy(copy);

    copy = NULL;
    scene = make_scene(1.0, 1, 1, 1); /* and one with nothing in it */
    assert_int_equal(vxe_scene_copy(scene, &copy, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(copy), 0);
    vxe_scene_destroy(copy);
    vxe_scene_destroy(scene);
}

/* --- misuse --- */

static void test_null(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    vxe_scene *none = NULL;
    vxe_error error = {0};
    const vxe_material_def material = vxe_default_material_def();
    const vxe_region_def region = vxe_default_region_def();
    const vxe_signal_def signal = vxe_default_signal_def();
    const vxe_environment environment = vxe_default_environment();
    const vxe_stop stop = {0};
    const vxe_output_def output = {0};
    const vxe_actuation actuation = {.amplitude = 1.0, .period = 1.0};
    assert_int_equal(vxe_scene_copy(NULL, &none, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "an argument is NULL that must not be");
    assert_int_equal(vxe_scene_copy(scene, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_check(NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_describe(NULL, "a", "b", NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_material(NULL, &material, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_material(scene, NULL, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_material(NULL, 1, &material, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_material(scene, 1, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_remove_material(NULL, 1, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_voxel(NULL, 0, 0, 0, 0, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_fill(NULL, &region.shape, 0, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_fill(scene, NULL, 0, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_actuation(NULL, 0, 0, 0, &actuation, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_actuation(scene, 0, 0, 0, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_region(NULL, &region, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_region(scene, NULL, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_region(NULL, 0, &region, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_region(scene, 0, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_remove_region(NULL, 0, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_signal(NULL, &signal, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_signal(scene, NULL, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_signal(NULL, 0, &signal, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_signal(scene, 0, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_remove_signal(NULL, 0, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_environment(NULL, &environment, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_environment(scene, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_stop(NULL, &stop, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_stop(scene, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_output(NULL, &output, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_output(scene, NULL, NULL), VXE_ERROR_ARGUMENT);
    int32_t n[3] = {7, 7, 7};
    vxe_scene_size(NULL, n);
    vxe_scene_size(scene, NULL);
    assert_int_equal(n[0] + n[1] + n[2], 0);
    assert_true(vxe_scene_pitch(NULL) == 0.0);
    assert_int_equal(vxe_scene_voxel_count(NULL), 0);
    assert_string_equal(vxe_scene_name(NULL), "");
    assert_string_equal(vxe_scene_description(NULL), "");
    assert_int_equal(vxe_scene_material_count(NULL), 0);
    assert_null(vxe_scene_material(NULL, 1));
    assert_int_equal(vxe_scene_find_material(NULL, "a"), 0);
    assert_int_equal(vxe_scene_find_material(scene, NULL), 0);
    assert_int_equal(vxe_scene_voxel(NULL, 0, 0, 0), 0);
    assert_null(vxe_scene_voxels(NULL));
    assert_true(vxe_scene_actuation(NULL, 0, 0, 0).period == 1.0);
    assert_false(vxe_scene_has_actuation(NULL));
    assert_int_equal(vxe_scene_region_count(NULL), 0);
    assert_null(vxe_scene_region(NULL, 0));
    assert_int_equal(vxe_scene_find_region(NULL, "a"), -1);
    assert_int_equal(vxe_scene_find_region(scene, NULL), -1);
    assert_false(vxe_scene_region_touches(NULL, 0, 0, 0, 0));
    assert_int_equal(vxe_scene_signal_count(NULL), 0);
    assert_null(vxe_scene_signal(NULL, 0));
    assert_int_equal(vxe_scene_find_signal(NULL, "a"), -1);
    assert_int_equal(vxe_scene_find_signal(scene, NULL), -1);
    assert_true(vxe_scene_environment(NULL).collision_horizon == vxe_default_environment().collision_horizon);
    assert_true(vxe_scene_stop(NULL).time == 0.0);
    assert_null(vxe_scene_output(NULL));
    vxe_scene_destroy(scene);
}

/* A def of zeros is refused; a default one is accepted. */
static void test_zero_defs(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 1, 1, 1);
    const vxe_material_def material = {0};
    const vxe_region_def region = {0};
    const vxe_signal_def signal = {0};
    const vxe_environment environment = {0};
    assert_int_equal(vxe_scene_add_material(scene, &material, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_set_environment(scene, &environment, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(
        vxe_scene_material_count(scene) + vxe_scene_region_count(scene) + vxe_scene_signal_count(scene), 0);
    const vxe_material_def good_material = vxe_default_material_def();
    const vxe_region_def good_region = vxe_default_region_def();
    const vxe_signal_def good_signal = vxe_default_signal_def();
    const vxe_environment good_environment = vxe_default_environment();
    assert_int_equal(vxe_scene_add_material(scene, &good_material, NULL, NULL), VXE_OK);
    assert_int_equal(vxe_scene_add_region(scene, &good_region, NULL, NULL), VXE_OK);
    assert_int_equal(vxe_scene_add_signal(scene, &good_signal, NULL, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_environment(scene, &good_environment, NULL), VXE_OK);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_create_limits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_name_variants),
        cmocka_unit_test(test_long_name_variant),
        cmocka_unit_test(test_palette_full),
        cmocka_unit_test(test_voxels),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_actuation),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_zero_defs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
