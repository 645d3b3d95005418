/* JSON scenes: every key of the format value by value, round trips, every kind of error with its message,
 * hostile files, and that reader, schema and documentation know the same keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "io/json.h"
#include "voxelastic/voxelastic.h"

#include "same_scene.h"

#ifndef VXE_SOURCE_DIR
#define VXE_SOURCE_DIR "."
#endif

static vxe_scene *parse(const char *text)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    if (vxe_scene_parse_json(text, strlen(text), "test.json", NULL, &scene, &error) != VXE_OK)
        fail_msg("%s", error.message);
    return scene;
}

static char *print(const vxe_scene *scene)
{
    char *text = NULL;
    vxe_error error = {VXE_OK, ""};
    if (vxe_scene_print_json(scene, &text, &error) != VXE_OK) fail_msg("%s", error.message);
    return text;
}

static void write_file(const char *path, const char *text)
{
    assert_int_equal(vxe_write_file(path, text, strlen(text), NULL), VXE_OK);
}

/* --- round trips --- */

/* Printing and reading gives an equal scene, and printing that the same text. */
static void check_round_trip(const vxe_scene *scene)
{
    char *text = print(scene);
    vxe_scene *again = parse(text);
    char *text_again = print(again);
    same_scene(scene, again);
    assert_string_equal(text, text_again);
    free(text_again);
    free(text);
    vxe_scene_destroy(again);
}

/* --- a scene with every key --- */

static const char full[] =
    "{\"$schema\": \"../docs/scene.schema.json\",\n"
    " \"voxelastic\": 1,\n"
    " \"name\": \"everything \\u00e4\",\n"
    " \"description\": \"line one\\nline \\\"two\\\"\",\n"
    " \"lattice\": {\"pitch\": 0.002, \"size\": [8, 6, 5]},\n"
    " \"materials\": [\n"
    "  {\"name\": \"soft\"},\n"
    "  {\"name\": \"metal\", \"youngs_modulus\": 2e6, \"poissons_ratio\": 0.25, \"density\": 1200, "
    "\"expansion\": -0.01,\n"
    "   \"friction\": {\"static\": 0.9, \"dynamic\": 0.8}, \"color\": \"#01aBff80\", \"law\": \"bilinear\",\n"
    "   \"yield_stress\": 1e4, \"plastic_modulus\": 5e5, \"failure_stress\": 2e4, \"signal\": \"second\"},\n"
    "  {\"name\": \"foam\", \"law\": \"table\", \"table\": [[0, 0], [0.1, 1e5], [0.5, 1.5e5]], \"color\": "
    "\"#102030\"}\n"
    " ],\n"
    " \"shapes\": [\n"
    "  {\"box\": {\"corner\": [0, 0, 0], \"size\": [8, 6, 2]}, \"material\": \"soft\"},\n"
    "  {\"sphere\": {\"center\": [0.004, 0.006, 0.002], \"radius\": 0.002}, \"units\": \"metres\", "
    "\"material\": null},\n"
    "  {\"cylinder\": {\"center\": [6, 3, 1], \"radius\": 1, \"axis\": \"z\", \"length\": 2}, \"material\": "
    "\"metal\",\n"
    "   \"actuation\": {\"phase\": 0.25, \"amplitude\": 0.5, \"period\": 2}},\n"
    "  {\"ellipsoid\": {\"center\": [0.5, 0.5, 0.5], \"radius\": [0.1, 0.1, 0.1]}, \"units\": \"fraction\", "
    "\"material\": \"\"},\n"
    "  {\"box\": {\"corner\": [0, 0, 0], \"size\": [3, 3, 1]}, \"thickness\": 1, \"actuation\": {\"phase\": "
    "0.75}}\n"
    " ],\n"
    " \"layers\": {\"legend\": {\"f\": \"foam\", \"#\": \"soft\", \"\\u00e4\": null}, \"origin\": [1, 0, "
    "3],\n"
    "  \"layers\": [[\"ff.\", \"2f#\", \"\\u00e4\\u00e4f\"], {\"repeat\": 1, \"rows\": [\"3*f2#\"]}]},\n"
    " \"actuation\": {\"origin\": [7, 0, 0], \"size\": [1, 3, 2], \"phase\": [0.1, [4, 0.2], 0.3], "
    "\"amplitude\": 3},\n"
    " \"regions\": [\n"
    "  {\"name\": \"wall\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 6, 5]}, \"fixed\": \"all\", "
    "\"rotation\": [0.1, 0, 0],\n"
    "   \"pivot\": [0, 0.006, 0.005], \"displacement\": [1e-4, 2e-4, 3e-4], \"ramp\": 0.5},\n"
    "  {\"name\": \"load\", \"cylinder\": {\"center\": [0.9, 0.5, 0.2], \"radius\": 0.3, \"axis\": \"x\", "
    "\"length\": 0.2},\n"
    "   \"units\": \"fraction\", \"thickness\": 0.1, \"fixed\": [\"y\", \"rz\"], \"force\": [1, 2, 3], "
    "\"torque\": [4, 5, 6]}\n"
    " ],\n"
    " \"environment\": {\"gravity\": [1, 2, -3], \"floor\": true, \"damping\": {\"bond\": {\"stretch\": 0.5, "
    "\"rotation\": 0.25},\n"
    "   \"contact\": 0.75, \"ground\": 0.01}, \"elasticity\": \"beam\", \"plane\": \"none\", \"collisions\": "
    "\"surface_horizon\",\n"
    "   \"collision_horizon\": 3},\n"
    " \"signals\": [{\"name\": \"first\"},\n"
    "  {\"name\": \"second\", \"waveform\": \"table\", \"base\": 300, \"reference\": 290, \"amplitude\": 30, "
    "\"period\": 2,\n"
    "   \"phase\": 0.5, \"start\": 0.1, \"contract_only\": true, \"table\": [[0, 0], [0.5, 1], [2, -1]]},\n"
    "  {\"name\": \"third\", \"waveform\": \"table\", \"table\": [[0, 0], [9, 1]]}],\n"
    " \"stop\": {\"time\": 1.5, \"steps\": 9007199254740993, \"cycles\": 2.5, \"kinetic_energy\": 1e-9, "
    "\"speed\": 1e-6,\n"
    "  \"settle\": 0.25},\n"
    " \"output\": {\"trace\": [\"energy\", \"region:wall.reaction\"], \"every\": 0.01, \"checkpoint_every\": "
    "0.5}}\n";

static void check_full_materials(const vxe_scene *scene)
{
    assert_int_equal(vxe_scene_material_count(scene), 3);
    vxe_material_def soft = vxe_default_material_def();
    (void)vxe_copy_name(soft.name, "soft");
    same_material(vxe_scene_material(scene, 1), &soft);
    vxe_material_def metal = {.size = sizeof(vxe_material_def),
                              .name = "metal",
                              .youngs_modulus = 2e6,
                              .poissons_ratio = 0.25,
                              .density = 1200,
                              .expansion = -0.01,
                              .static_friction = 0.9,
                              .dynamic_friction = 0.8,
                              .color = {1, 0xab, 0xff, 0x80},
                              .law = VXE_LAW_BILINEAR,
                              .yield_stress = 1e4,
                              .plastic_modulus = 5e5,
                              .failure_stress = 2e4,
                              .signal = "second"};
    same_material(vxe_scene_material(scene, 2), &metal);
    vxe_material_def foam = vxe_default_material_def();
    (void)vxe_copy_name(foam.name, "foam");
    foam.law = VXE_LAW_TABLE;
    foam.table_count = 3;
    const double strain[] = {0, 0.1, 0.5};
    const double stress[] = {0, 1e5, 1.5e5};
    memcpy(foam.table_strain, strain, sizeof strain);
    memcpy(foam.table_stress, stress, sizeof stress);
    const uint8_t color[4] = {0x10, 0x20, 0x30, 255};
    memcpy(foam.color, color, sizeof color);
    same_material(vxe_scene_material(scene, 3), &foam);
}

static void check_full_voxels(const vxe_scene *scene)
{
    assert_int_equal(vxe_scene_voxel(scene, 0, 0, 0), 1);
    assert_int_equal(vxe_scene_voxel(scene, 1, 2, 0), 0); /* in the sphere */
    assert_int_equal(vxe_scene_voxel(scene, 6, 3, 1), 2); /* in the cylinder */
    assert_int_equal(vxe_scene_voxel(scene, 7, 5, 1), 1);
    assert_int_equal(vxe_scene_voxel(scene, 0, 0, 2), 0);
    static const int32_t drawn[2][3][3] = {{{3, 3, 0}, {3, 3, 1}, {0, 0, 3}},
                                           {{3, 1, 1}, {3, 1, 1}, {3, 1, 1}}};
    for (int32_t k = 0; k < 2; k++) {
        for (int32_t j = 0; j < 3; j++) {
            for (int32_t i = 0; i < 3; i++)
                assert_int_equal(vxe_scene_voxel(scene, 1 + i, j, 3 + k), drawn[k][j][i]);
        }
    }
    assert_int_equal(vxe_scene_voxel(scene, 4, 0, 3), 0);
    const vxe_actuation a = vxe_scene_actuation(scene, 6, 3, 1);
    same_number(a.phase, 0.25);
    same_number(a.amplitude, 0.5);
    same_number(a.period, 2);
    same_number(vxe_scene_actuation(scene, 1, 1, 0).phase, 0.75);
    same_number(vxe_scene_actuation(scene, 3, 0, 0).phase, 0);
    static const double phase[2][3] = {{0.1, 0.2, 0.2}, {0.2, 0.2, 0.3}};
    for (int32_t k = 0; k < 2; k++) {
        for (int32_t j = 0; j < 3; j++) {
            same_number(vxe_scene_actuation(scene, 7, j, k).phase, phase[k][j]);
            same_number(vxe_scene_actuation(scene, 7, j, k).amplitude, 3);
            same_number(vxe_scene_actuation(scene, 7, j, k).period, 1);
        }
    }
}

static void check_full_regions(const vxe_scene *scene)
{
    assert_int_equal(vxe_scene_region_count(scene), 2);
    vxe_region_def wall = {.size = sizeof(vxe_region_def),
                           .name = "wall",
                           .shape = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .sides = {1, 6, 5}},
                           .fixed = VXE_DOF_ALL,
                           .displacement = {1e-4, 2e-4, 3e-4},
                           .rotation = {0.1, 0, 0},
                           .has_pivot = true,
                           .pivot = {0, 0.006, 0.005},
                           .ramp = 0.5};
    same_region(vxe_scene_region(scene, 0), &wall);
    vxe_region_def load = {.size = sizeof(vxe_region_def),
                           .name = "load",
                           .shape = {.kind = VXE_SHAPE_CYLINDER,
                                     .units = VXE_UNITS_FRACTION,
                                     .center = {0.9, 0.5, 0.2},
                                     .radius = {0.3, 0, 0},
                                     .axis = VXE_AXIS_X,
                                     .length = 0.2,
                                     .thickness = 0.1},
                           .fixed = VXE_DOF_Y | VXE_DOF_RZ,
                           .force = {1, 2, 3},
                           .torque = {4, 5, 6}};
    same_region(vxe_scene_region(scene, 1), &load);
}

static void check_full_rest(const vxe_scene *scene)
{
    const vxe_environment e = vxe_scene_environment(scene);
    same_numbers(e.gravity, (const double[]){1, 2, -3}, 3);
    assert_true(e.floor);
    same_number(e.damping_stretch, 0.5);
    same_number(e.damping_rotation, 0.25);
    same_number(e.damping_contact, 0.75);
    same_number(e.damping_ground, 0.01);
    assert_int_equal(e.elasticity, VXE_ELASTICITY_BEAM);
    assert_int_equal(e.plane, VXE_PLANE_NONE);
    assert_int_equal(e.collisions, VXE_COLLISIONS_SURFACE_HORIZON);
    same_number(e.collision_horizon, 3);
    assert_int_equal(vxe_scene_signal_count(scene), 3);
    vxe_signal_def first = vxe_default_signal_def();
    (void)vxe_copy_name(first.name, "first");
    same_signal(vxe_scene_signal(scene, 0), &first);
    vxe_signal_def second = {.size = sizeof(vxe_signal_def),
                             .name = "second",
                             .waveform = VXE_WAVE_TABLE,
                             .base = 300,
                             .reference = 290,
                             .amplitude = 30,
                             .period = 2,
                             .phase = 0.5,
                             .start = 0.1,
                             .contract_only = true,
                             .table_count = 3};
    const double time[] = {0, 0.5, 2};
    const double value[] = {0, 1, -1};
    second.table_time = time;
    second.table_value = value;
    same_signal(vxe_scene_signal(scene, 1), &second);
    same_number(vxe_scene_signal(scene, 2)->amplitude, 1);
    same_number(vxe_scene_signal(scene, 2)->period, 0);
    const vxe_stop stop = vxe_scene_stop(scene);
    same_number(stop.time, 1.5);
    assert_true(stop.steps == INT64_C(9007199254740993)); /* not a double */
    same_number(stop.cycles, 2.5);
    same_number(stop.kinetic_energy, 1e-9);
    same_number(stop.speed, 1e-6);
    same_number(stop.settle, 0.25);
    const vxe_output_def *output = vxe_scene_output(scene);
    assert_int_equal(output->trace_count, 2);
    assert_string_equal(output->trace[1], "region:wall.reaction");
    same_number(output->every, 0.01);
    same_number(output->checkpoint_every, 0.5);
}

static void test_full_scene(void **state)
{
    (void)state;
    vxe_scene *scene = parse(full);
    int32_t size[3];
    vxe_scene_size(scene, size);
    assert_int_equal(size[0], 8);
    assert_int_equal(size[1], 6);
    assert_int_equal(size[2], 5);
    same_number(vxe_scene_pitch(scene), 0.002);
    assert_string_equal(vxe_scene_name(scene), "everything \xc3\xa4");
    assert_string_equal(vxe_scene_description(scene), "line one\nline \"two\"");
    check_full_materials(scene);
    check_full_voxels(scene);
    check_full_regions(scene);
    check_full_rest(scene);
    check_round_trip(scene);
    vxe_scene_destroy(scene);
}

/* --- short forms and defaults --- */

#define HEAD "{\"voxelastic\": 1,\n\"lattice\": {\"pitch\": 0.001, \"size\": [4, 3, 2]},\n"
#define SOFT "\"materials\": [{\"name\": \"soft\"}],\n"
#define BODY                                                                                                 \
    HEAD SOFT                                                                                                \
        "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [4, 3, 2]}, \"material\": \"soft\"}],\n"

static void test_short_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double gravity[3];
    } cases[] = {{BODY "\"environment\": {\"gravity\": true}}", {0, 0, -9.81}},
                 {BODY "\"environment\": {\"gravity\": false}}", {0, 0, 0}},
                 {BODY "\"environment\": {\"gravity\": 1.5}}", {0, 0, -1.5}},
                 {BODY "\"environment\": {\"gravity\": 0}}", {0, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vxe_scene *scene = parse(cases[i].text);
        const vxe_environment e = vxe_scene_environment(scene);
        same_numbers(e.gravity, cases[i].gravity, 3);
        same_number(e.damping_stretch, 1);
        assert_int_equal(vxe_scene_voxel_count(scene), 24);
        vxe_scene_destroy(scene);
    }
    vxe_scene *scene =
        parse(BODY "\"environment\": {\"damping\": {\"bond\": 0.5}}, \"stop\": {\"steps\": 1e6}}");
    same_number(vxe_scene_environment(scene).damping_stretch, 0.5);
    same_number(vxe_scene_environment(scene).damping_rotation, 0.5);
    assert_int_equal(vxe_scene_stop(scene).steps, 1000000);
    vxe_scene_destroy(scene);
    scene = parse("\xef\xbb\xbf" BODY "\"name\": \"with a byte order mark\"}");
    vxe_scene_destroy(scene);
}

/* --- round trips of scenes made at random --- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* All 52 bits of the fraction are used, so nearly every number needs 16 or 17 digits. */
static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)(next_random(seed) >> 11) / 9007199254740992.0);
}

static void random_vector(uint64_t *seed, double low, double high, double vector[3])
{
    for (int a = 0; a < 3; a++) vector[a] = between(seed, low, high);
}

static vxe_scene *random_scene(uint64_t *seed, int32_t materials, const int32_t size[3], bool coarse)
{
    vxe_scene *scene = NULL;
    assert_int_equal(vxe_scene_create(between(seed, 1e-4, 1e-2), size[0], size[1], size[2], &scene, NULL),
                     VXE_OK);
    for (int32_t m = 0; m < materials; m++) {
        vxe_material_def def = vxe_default_material_def();
        (void)snprintf(def.name, sizeof def.name, "m\"%d\\ \xe2\x82\xac", (int)m);
        def.youngs_modulus = between(seed, 1e3, 1e9);
        def.poissons_ratio = between(seed, 0, 0.49);
        def.density = between(seed, 1, 1e4);
        def.expansion = between(seed, -1, 1);
        def.static_friction = between(seed, 0.5, 1);
        def.dynamic_friction = between(seed, 0, 0.5);
        for (int a = 0; a < 4; a++) def.color[a] = (uint8_t)next_random(seed);
        assert_int_equal(vxe_scene_add_material(scene, &def, NULL, NULL), VXE_OK);
    }
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                const int32_t m = coarse ? (i / 7 + j / 5 + k / 3) % (materials + 1)
                                         : (int32_t)(next_random(seed) % (uint64_t)(materials + 1));
                (void)vxe_scene_set_voxel(scene, i, j, k, m, NULL);
                if (coarse || next_random(seed) % 3 != 0) continue;
                const vxe_actuation actuation = {.phase = between(seed, -1, 1),
                                                 .amplitude = between(seed, 0, 2),
                                                 .period = between(seed, 0.5, 2)};
                assert_int_equal(vxe_scene_set_actuation(scene, i, j, k, &actuation, NULL), VXE_OK);
            }
        }
    }
    (void)vxe_scene_set_voxel(scene, 0, 0, 0, 1, NULL);
    for (int32_t r = 0; r < 4; r++) {
        vxe_region_def def = vxe_default_region_def();
        (void)snprintf(def.name, sizeof def.name, "region %d", (int)r);
        def.shape.kind = (vxe_shape_kind)(r + 1);
        def.shape.units = (vxe_units)(r % 3 + 1);
        random_vector(seed, 0, 100, def.shape.sides);
        random_vector(seed, 10, 20, def.shape.radius);
        def.shape.length = between(seed, 1, 10);
        def.shape.axis = (vxe_axis)(r % 3);
        def.fixed = r == 0 ? (uint32_t)(next_random(seed) % 64) : 0;
        def.has_pivot = r == 2;
        random_vector(seed, -1, 1, def.pivot);
        random_vector(seed, -1, 1, def.force);
        random_vector(seed, -1, 1, def.torque);
        def.ramp = between(seed, 0, 1);
        def.force[0] = -0.0;
        assert_int_equal(vxe_scene_add_region(scene, &def, NULL, NULL), VXE_OK);
    }
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = between(seed, 0, 30);
    signal.phase = between(seed, 0, 1);
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, NULL), VXE_OK);
    const vxe_stop stop = {
        .time = between(seed, 0, 1), .kinetic_energy = between(seed, 0, 1e-300), .speed = 5e-324};
    assert_int_equal(vxe_scene_set_stop(scene, &stop, NULL), VXE_OK);
    return scene;
}

static void test_random_round_trips(void **state)
{
    (void)state;
    uint64_t seed = 20;
    for (int n = 0; n < 20; n++) {
        const int32_t size[3] = {1 + (int32_t)(next_random(&seed) % 9), 1 + n % 7, 1 + n % 5};
        vxe_scene *scene = random_scene(&seed, 1 + n % 4, size, false);
        check_round_trip(scene);
        vxe_scene_destroy(scene);
    }
    vxe_scene *wide =
        random_scene(&seed, 100, (const int32_t[3]){150, 6, 4}, true); /* rows in the short form */
    check_round_trip(wide);
    vxe_scene_destroy(wide);
    vxe_scene *palette = random_scene(&seed, VXE_MATERIALS_MAX, (const int32_t[3]){128, 16, 4}, false);
    check_round_trip(palette);
    vxe_scene_destroy(palette);
}

static void test_large_solid_is_small(void **state)
{
    (void)state;
    vxe_scene *scene =
        parse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.001, \"size\": [300, 200, 100]},\n" SOFT
              "\"layers\": {\"legend\": {\"a\": \"soft\"}, \"origin\": [100, 0, 0],\n"
              "\"layers\": [{\"repeat\": 90, \"rows\": [\"200*200a\"]}]}}");
    assert_int_equal(vxe_scene_voxel_count(scene), 200 * 200 * 90);
    assert_int_equal(vxe_scene_voxel(scene, 99, 0, 0), 0);
    assert_int_equal(vxe_scene_voxel(scene, 100, 199, 89), 1);
    char *text = print(scene);
    assert_true(strlen(text) < 2000);
    assert_non_null(strstr(text, "\"200*200a\""));
    free(text);
    check_round_trip(scene);
    vxe_scene_destroy(scene);
}

static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    vxe_scene *before = parse(full);
    char *text = print(before);
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    char *text_there = print(before);
    vxe_scene *there = parse(full);
    check_round_trip(there);
    same_scene(before, there);
    (void)setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, text_there);
    free(text);
    free(text_there);
    vxe_scene_destroy(before);
    vxe_scene_destroy(there);
    if (!found) skip();
}

/* --- files --- */

static void test_files(void **state)
{
    (void)state;
    vxe_scene *scene = parse(full);
    vxe_scene *loaded = NULL;
    vxe_error error;
    assert_int_equal(vxe_scene_save_json(scene, "saved.json", &error), VXE_OK);
    assert_int_equal(vxe_scene_load_json("saved.json", &loaded, &error), VXE_OK);
    same_scene(scene, loaded);
    vxe_scene_destroy(loaded);
    vxe_scene_destroy(scene);
    loaded = NULL;
    assert_int_equal(vxe_scene_load_json("missing.json", &loaded, &error), VXE_ERROR_FILE);
    assert_string_equal(error.message, "missing.json: No such file or directory");
    assert_int_equal(vxe_scene_load_json(".", &loaded, &error), VXE_ERROR_FILE);
    assert_null(loaded);
    assert_int_equal(vxe_scene_load_json(NULL, &loaded, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_parse_json(NULL, 1, "x", NULL, &loaded, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_parse_json("", 0, "x", NULL, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_print_json(NULL, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_save_json(NULL, "x.json", &error), VXE_ERROR_ARGUMENT);
}

#define WITH_TABLE(name)                                                                                     \
    BODY "\"signals\": [{\"name\": \"t\",\n \"waveform\": \"table\", \"table\": " name "}]}"

static void refuse_file(const char *scene_text, const char *csv, vxe_result code, const char *message)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    write_file("tables/t.csv", csv);
    write_file("tables/s.json", scene_text);
    assert_int_equal(vxe_scene_load_json("tables/s.json", &scene, &error), code);
    assert_string_equal(error.message, message);
    assert_null(scene);
}

static void test_csv(void **state)
{
    (void)state;
    (void)mkdir("tables", 0755);
    (void)mkdir("tables/deep", 0755);
    write_file("tables/deep/t.csv",
               "\xef\xbb\xbf# a comment\r\ntime, value\r\n\r\n0, 0\r\n .5 ,\t+1e0\n2.,-1E-1");
    write_file("tables/s.json", WITH_TABLE("\"deep/t.csv\""));
    vxe_scene *scene = NULL;
    vxe_error error;
    if (vxe_scene_load_json("tables/s.json", &scene, &error) != VXE_OK) fail_msg("%s", error.message);
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    assert_int_equal(signal->table_count, 3);
    same_numbers(signal->table_time, (const double[]){0, 0.5, 2}, 3);
    same_numbers(signal->table_value, (const double[]){0, 1, -0.1}, 3);
    check_round_trip(scene);
    vxe_scene_destroy(scene);
    const char *good = WITH_TABLE("\"t.csv\"");
#define AT "tables/s.json:6: signals[0].table: "
    refuse_file(good, "0,0\n1\n", VXE_ERROR_INPUT,
                AT "tables/t.csv:2: 1 column; a table has two: time,value");
    refuse_file(good, "0,0\n1,2,3\n", VXE_ERROR_INPUT,
                AT "tables/t.csv:2: 3 columns; a table has two: time,value");
    refuse_file(good, "t,v\n0,0\n1,x\n", VXE_ERROR_INPUT, AT "tables/t.csv:3: the value is not a number");
    refuse_file(good, "t,v\nt,v\n0,0\n", VXE_ERROR_INPUT, AT "tables/t.csv:2: the time is not a number");
    refuse_file(good, "0,0\n1,1e999\n", VXE_ERROR_INPUT, AT "tables/t.csv:2: the value is not a number");
    refuse_file(good, "0,0\n1,nan\n", VXE_ERROR_INPUT, AT "tables/t.csv:2: the value is not a number");
    refuse_file(good, "0,0\n0x1,1\n", VXE_ERROR_INPUT, AT "tables/t.csv:2: the time is not a number");
    refuse_file(good, "0,0\n1e,1\n", VXE_ERROR_INPUT, AT "tables/t.csv:2: the time is not a number");
    refuse_file(good, "", VXE_ERROR_INPUT, AT "tables/t.csv: a table needs at least two points, this has 0");
    refuse_file(good, "0,0\n0,1\n", VXE_ERROR_INPUT,
                AT "signal \"t\": time 0 s of table point 2 is not after 0 s, the one before");
    refuse_file(WITH_TABLE("\"no.csv\""), "", VXE_ERROR_FILE, AT "tables/no.csv: No such file or directory");
    refuse_file(WITH_TABLE("\"../t.csv\""), "", VXE_ERROR_INPUT,
                AT "\"../t.csv\" is not a relative path without \"..\"");
    refuse_file(WITH_TABLE("\"a/..\""), "", VXE_ERROR_INPUT,
                AT "\"a/..\" is not a relative path without \"..\"");
    refuse_file(WITH_TABLE("\"/etc/passwd\""), "", VXE_ERROR_INPUT,
                AT "\"/etc/passwd\" is not a relative path without \"..\"");
    refuse_file(WITH_TABLE("\"\""), "", VXE_ERROR_INPUT, AT "\"\" is not a relative path without \"..\"");
    scene = NULL;
    assert_int_equal(vxe_scene_parse_json(good, strlen(good), "s.json", NULL, &scene, &error),
                     VXE_ERROR_INPUT);
    assert_string_equal(error.message,
                        "s.json:6: signals[0].table: a scene that does not come from a file cannot name one");
    /* One point too many. */
    char *long_csv = malloc((size_t)(VXE_SIGNAL_TABLE_MAX + 1) * 12 + 1);
    assert_non_null(long_csv);
    size_t used = 0;
    for (int i = 0; i <= VXE_SIGNAL_TABLE_MAX; i++)
        used += (size_t)snprintf(long_csv + used, 13, "%d,0\n", i);
    refuse_file(good, long_csv, VXE_ERROR_LIMIT, AT "tables/t.csv:1000001: more than 1000000 points");
    free(long_csv);
}

/* --- what is in the tree --- */

static void test_scenes_load(void **state)
{
    (void)state;
    DIR *folder = opendir(VXE_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/scenes/%s", VXE_SOURCE_DIR, entry->d_name);
        vxe_scene *scene = NULL;
        vxe_error error;
        if (vxe_scene_load_json(path, &scene, &error) != VXE_OK) fail_msg("%s", error.message);
        check_round_trip(scene);
        vxe_scene_destroy(scene);
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

/* Every key of the reader is in the schema, under the definition of the same name, and the other way round.
 */
static void test_schema(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *schema =
        json_load_file(VXE_SOURCE_DIR "/docs/scene.schema.json", JSON_REJECT_DUPLICATES, &problem);
    if (schema == NULL) fail_msg("scene.schema.json:%d: %s", problem.line, problem.text);
    for (int kind = 0; kind < VXE_JSON_KIND_COUNT; kind++) {
        const vxe_json_keys table = vxe_json_keys_of((vxe_json_kind)kind);
        const json_t *definition = json_object_get(json_object_get(schema, "$defs"), table.name);
        const json_t *properties = json_object_get(definition, "properties");
        if (properties == NULL) fail_msg("the schema has no definition \"%s\"", table.name);
        assert_true(json_is_false(json_object_get(definition, "additionalProperties")));
        for (size_t i = 0; i < table.count; i++) {
            if (json_object_get(properties, table.keys[i]) == NULL)
                fail_msg("%s.%s is not in the schema", table.name, table.keys[i]);
        }
        assert_int_equal(json_object_size(properties), table.count);
    }
    json_decref(schema);
}

static void test_documentation(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(vxe_read_file(VXE_SOURCE_DIR "/docs/scene-format.md", 1 << 20, &text, &size, NULL),
                     VXE_OK);
    for (int kind = 0; kind < VXE_JSON_KIND_COUNT; kind++) {
        const vxe_json_keys table = vxe_json_keys_of((vxe_json_kind)kind);
        for (size_t i = 0; i < table.count; i++) {
            char quoted[64];
            char code[64];
            (void)snprintf(code, sizeof code, "`%s`", table.keys[i]);
            (void)snprintf(quoted, sizeof quoted, "\"%s\":", table.keys[i]);
            if (strstr(text, code) == NULL && strstr(text, quoted) == NULL)
                fail_msg("docs/scene-format.md does not mention %s", code);
        }
    }
    const vxe_choice *const words[] = {
        vxe_laws,   vxe_units_words,      vxe_axes,     vxe_dofs, vxe_elasticities,
        vxe_planes, vxe_collisions_words, vxe_waveforms};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (const vxe_choice *word = words[i]; word->word != NULL; word++) {
            char quoted[64];
            (void)snprintf(quoted, sizeof quoted, "\"%s\"", word->word);
            if (strstr(text, quoted) == NULL) fail_msg("docs/scene-format.md does not mention %s", quoted);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_scene),
        cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_random_round_trips),
        cmocka_unit_test(test_large_solid_is_small),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_scenes_load),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_documentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
