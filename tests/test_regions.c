/* Shapes: which cells they fill, and which they touch as regions. */
#include "plain_scene.h"

#include <math.h>

static int64_t count_material(const vxe_scene *scene, int32_t material)
{
    int32_t n[3];
    int64_t count = 0;
    vxe_scene_size(scene, n);
    for (int64_t c = 0; c < (int64_t)n[0] * n[1] * n[2]; c++) {
        count += vxe_scene_voxels(scene)[c] == material;
    }
    return count;
}

static int64_t fill_count(vxe_scene *scene, const vxe_shape *shape)
{
    const vxe_shape all = make_box(VXE_UNITS_FRACTION, 0, 0, 0, 1, 1, 1);
    assert_int_equal(vxe_scene_fill(scene, &all, 0, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(scene), 0);
    assert_int_equal(vxe_scene_fill(scene, shape, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_voxel_count(scene), count_material(scene, 1));
    return vxe_scene_voxel_count(scene);
}

/* Boxes with decimal corners are exactly the voxels they say, in all units and at every place. */
static void test_decimal_boxes(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 100, 3, 3);
    add_material(scene, "a");
    vxe_shape box = make_box(VXE_UNITS_METRES, 0.002, 0, 0, 0.003, 0.003, 0.003);
    assert_int_equal(fill_count(scene, &box), 27);
    assert_int_equal(vxe_scene_voxel(scene, 1, 0, 0), 0);
    assert_int_equal(vxe_scene_voxel(scene, 2, 0, 0), 1);
    assert_int_equal(vxe_scene_voxel(scene, 4, 0, 0), 1);
    assert_int_equal(vxe_scene_voxel(scene, 5, 0, 0), 0);
    vxe_region_def region = vxe_default_region_def();
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, NULL), VXE_OK);
    const double unit[3] = {0.001, 0.01, 1.0}; /* of one voxel, in metres, fractions, voxels */
    for (int units = VXE_UNITS_METRES; units <= VXE_UNITS_VOXELS; units++) {
        const double side = units == VXE_UNITS_FRACTION ? 1.0 : 3.0 * unit[units - 1];
        for (int first = 0; first < 100; first++) {
            for (int length = 1; first + length <= 100; length += 13) {
                region.shape = make_box((vxe_units)units, first * unit[units - 1], 0, 0,
                                        length * unit[units - 1], side, side);
                assert_int_equal(fill_count(scene, &region.shape), 9 * length);
                assert_int_equal(vxe_scene_set_region(scene, 0, &region, NULL), VXE_OK);
                for (int32_t i = 0; i < 100; i++) {
                    const bool within = i >= first && i < first + length;
                    assert_int_equal(vxe_scene_voxel(scene, i, 1, 1), within);
                    assert_int_equal(vxe_scene_region_touches(scene, 0, i, 1, 1), within);
                }
            }
        }
    }
    /* boxes that meet in the middle of a voxel share none and leave none out */
    box = make_box(VXE_UNITS_VOXELS, 0, 0, 0, 2.5, 3, 3);
    assert_int_equal(fill_count(scene, &box), 2 * 9);
    box = make_box(VXE_UNITS_VOXELS, 2.5, 0, 0, 97.5, 3, 3);
    assert_int_equal(fill_count(scene, &box), 98 * 9);
    /* outside parts are ignored */
    box = make_box(VXE_UNITS_METRES, -1e9, -1, -1, 1e9, 2, 2);
    assert_int_equal(fill_count(scene, &box), 0);
    box = make_box(VXE_UNITS_METRES, -5e8, -1, -1, 1e9, 2, 2);
    assert_int_equal(fill_count(scene, &box), 900);
    vxe_scene_destroy(scene);
}

/* Counts against the plain formulas, by pure metres and without margins (no centre lies on a surface here).
 */
static void test_round_shapes(void **state)
{
    (void)state;
    enum { nx = 20, ny = 16, nz = 12 };
    const double pitch = 0.002;
    vxe_scene *scene = make_scene(pitch, nx, ny, nz);
    add_material(scene, "a");
    const vxe_shape shapes[] = {
        {.kind = VXE_SHAPE_SPHERE,
         .units = VXE_UNITS_METRES,
         .center = {0.021, 0.0153, 0.0124},
         .radius = {0.0101}},
        {.kind = VXE_SHAPE_ELLIPSOID,
         .units = VXE_UNITS_METRES,
         .center = {0.02, 0.0163, 0.0124},
         .radius = {0.0181, 0.0091, 0.0053}},
        {.kind = VXE_SHAPE_CYLINDER,
         .units = VXE_UNITS_METRES,
         .center = {0.021, 0.0153, 0.0124},
         .radius = {0.0083},
         .axis = VXE_AXIS_X,
         .length = 0.0203},
        {.kind = VXE_SHAPE_CYLINDER,
         .units = VXE_UNITS_METRES,
         .center = {0.021, 0.0153, 0.0124},
         .radius = {0.0083},
         .axis = VXE_AXIS_Z,
         .length = 0.0203},
    };
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        for (int shell = 0; shell < 2; shell++) {
            vxe_shape shape = shapes[n];
            if (shell) shape.thickness = 0.0023;
            int64_t count = 0;
            for (int c = 0; c < nx * ny * nz; c++) {
                const double p[3] = {(c % nx + 0.5) * pitch, (c / nx % ny + 0.5) * pitch,
                                     (c / nx / ny + 0.5) * pitch};
                bool in[2];
                for (int level = 0; level < 2; level++) {
                    const double t = level == 0 ? 0.0 : shape.thickness;
                    double sum = 0.0;
                    in[level] = true;
                    for (int a = 0; a < 3; a++) {
                        const double d = p[a] - shape.center[a];
                        if (shape.kind == VXE_SHAPE_CYLINDER && a == (int)shape.axis) {
                            if (fabs(d) > 0.5 * shape.length - t) in[level] = false;
                        } else {
                            const double r =
                                (shape.kind == VXE_SHAPE_ELLIPSOID ? shape.radius[a] : shape.radius[0]) - t;
                            sum += d * d / (r * r);
                        }
                    }
                    if (sum > 1.0) in[level] = false;
                }
                count += in[0] && !(shell && in[1]);
            }
            assert_true(count > 50);
            assert_int_equal(fill_count(scene, &shape), count);
        }
    }
    vxe_scene_destroy(scene);
}

static void test_box_shell(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.1, 6, 6, 6);
    add_material(scene, "a");
    vxe_shape box = make_box(VXE_UNITS_METRES, 0, 0, 0, 0.6, 0.6, 0.6);
    box.thickness = 0.1;
    assert_int_equal(fill_count(scene, &box), 216 - 64);
    box.thickness = 0.2;
    assert_int_equal(fill_count(scene, &box), 216 - 8);
    box.thickness = 0.3;
    assert_int_equal(fill_count(scene, &box), 216);
    box.thickness = 0.05; /* the hollow ends at centres: they belong to the shell, on both sides */
    assert_int_equal(fill_count(scene, &box), 216 - 64);
    box.units = VXE_UNITS_FRACTION;
    box.sides[0] = box.sides[1] = box.sides[2] = 1.0;
    box.thickness = 1.0 / 6.0;
    assert_int_equal(fill_count(scene, &box), 216 - 64);
    vxe_scene_destroy(scene);
}

/* Fractions: positions by the side of each axis, radii and thickness by the shortest side, a cylinder's
 * length by its axis' side. */
static void test_fractions(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.5, 40, 20, 10);
    add_material(scene, "a");
    vxe_shape fraction = {.kind = VXE_SHAPE_CYLINDER,
                          .units = VXE_UNITS_FRACTION,
                          .center = {0.25, 0.5, 0.5},
                          .radius = {0.4},
                          .axis = VXE_AXIS_X,
                          .length = 0.3,
                          .thickness = 0.1};
    vxe_shape voxels = {.kind = VXE_SHAPE_CYLINDER,
                        .units = VXE_UNITS_VOXELS,
                        .center = {10, 10, 5},
                        .radius = {4},
                        .axis = VXE_AXIS_X,
                        .length = 12,
                        .thickness = 1};
    const int64_t count = fill_count(scene, &voxels);
    assert_true(count > 100);
    assert_int_equal(fill_count(scene, &fraction), count);
    fraction.kind = voxels.kind = VXE_SHAPE_ELLIPSOID;
    const double half[3] = {0.4, 0.7, 0.2};
    for (int a = 0; a < 3; a++) {
        fraction.radius[a] = half[a];
        voxels.radius[a] = 10.0 * half[a];
    }
    const int64_t other = fill_count(scene, &voxels);
    assert_true(other > 50);
    assert_int_equal(fill_count(scene, &fraction), other);
    vxe_scene_destroy(scene);
}

static void test_fill_errors(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 2, 2, 2);
    vxe_error error = {0};
    vxe_shape shape = make_box(VXE_UNITS_VOXELS, 0, 0, 0, 2, 2, 2);
    assert_int_equal(vxe_scene_fill(scene, &shape, 1, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no material 1; the palette has 0");
    shape.sides[1] = -1.0;
    assert_int_equal(vxe_scene_fill(scene, &shape, 0, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "shape: size y -1 is not within 0 to 1e+09 voxels");
    memset(&shape, 0, sizeof shape);
    assert_int_equal(vxe_scene_fill(scene, &shape, 0, &error), VXE_ERROR_INPUT);
    vxe_scene_destroy(scene);
}

/* --- regions --- */

/* Number of cells a shape touches, by the scene's own function. */
static int count_touched(vxe_scene *scene, const vxe_shape *shape)
{
    vxe_region_def def = vxe_default_region_def();
    def.shape = *shape;
    int32_t number = -1;
    int32_t n[3];
    int count = 0;
    vxe_scene_size(scene, n);
    assert_int_equal(vxe_scene_add_region(scene, &def, &number, NULL), VXE_OK);
    const vxe_placed_shape placed = vxe_place_shape(shape, vxe_scene_pitch(scene), n);
    int32_t first[3] = {0, 0, 0};
    int32_t last[3] = {-1, -1, -1};
    vxe_shape_cells(&placed, n, first, last);
    for (int32_t k = 0; k < n[2]; k++) {
        for (int32_t j = 0; j < n[1]; j++) {
            for (int32_t i = 0; i < n[0]; i++) {
                if (!vxe_scene_region_touches(scene, number, i, j, k)) continue;
                count++;
                assert_true(i >= first[0] && i <= last[0] && j >= first[1] && j <= last[1] && k >= first[2] &&
                            k <= last[2]);
            }
        }
    }
    assert_false(vxe_scene_region_touches(scene, number, -1, 0, 0));
    assert_false(vxe_scene_region_touches(scene, number, n[0], 0, 0));
    assert_int_equal(vxe_scene_remove_region(scene, number, NULL), VXE_OK);
    return count;
}

static void test_region_boxes(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 5, 10, 5);
    vxe_shape box = make_box(VXE_UNITS_FRACTION, 0, 0, 0, 1, 0.01, 1);
    assert_int_equal(count_touched(scene, &box), 25); /* the paper's ends: one layer each */
    box = make_box(VXE_UNITS_FRACTION, 0, 0.99, 0, 1, 0.01, 1);
    assert_int_equal(count_touched(scene, &box), 25);
    box = make_box(VXE_UNITS_METRES, 0, 0, 0, 0.005, 0.003, 0.005); /* ends at a face */
    assert_int_equal(count_touched(scene, &box), 75);
    box = make_box(VXE_UNITS_METRES, 0, 0.003, 0, 0.005, 0.003, 0.005);
    assert_int_equal(count_touched(scene, &box), 75);
    box = make_box(VXE_UNITS_METRES, 0, 0, 0, 0.005, 0.0030001, 0.005); /* and a little beyond */
    assert_int_equal(count_touched(scene, &box), 100);
    box = make_box(VXE_UNITS_METRES, -1, -1, -1, 0.9, 3, 3);
    assert_int_equal(count_touched(scene, &box), 0);
    /* without volume: every cube that is touched */
    box = make_box(VXE_UNITS_METRES, 0, 0, 0, 0.005, 0, 0.005); /* the outer face */
    assert_int_equal(count_touched(scene, &box), 25);
    box = make_box(VXE_UNITS_METRES, 0, 0.01, 0, 0.005, 0, 0.005);
    assert_int_equal(count_touched(scene, &box), 25);
    box = make_box(VXE_UNITS_METRES, 0, 0.003, 0, 0.005, 0, 0.005); /* between two layers */
    assert_int_equal(count_touched(scene, &box), 50);
    box = make_box(VXE_UNITS_METRES, 0, 0.0035, 0, 0.005, 0, 0.005);
    assert_int_equal(count_touched(scene, &box), 25);
    box = make_box(VXE_UNITS_VOXELS, 1, 1, 1, 0, 0,
                   0); /* a point: in a corner, in an edge, in a face, inside */
    assert_int_equal(count_touched(scene, &box), 8);
    box = make_box(VXE_UNITS_VOXELS, 1, 1, 1.5, 0, 0, 0);
    assert_int_equal(count_touched(scene, &box), 4);
    box = make_box(VXE_UNITS_VOXELS, 1, 1.5, 1.5, 0, 0, 0);
    assert_int_equal(count_touched(scene, &box), 2);
    box = make_box(VXE_UNITS_VOXELS, 1.5, 1.5, 1.5, 0, 0, 0);
    assert_int_equal(count_touched(scene, &box), 1);
    box = make_box(VXE_UNITS_VOXELS, 1, 2, 1, 2, 0,
                   2); /* flat: both sides of the face, and nothing around it */
    assert_int_equal(count_touched(scene, &box), 8);
    /* shells */
    box = make_box(VXE_UNITS_VOXELS, 0, 0, 0, 5, 5, 5);
    box.thickness = 1.0;
    assert_int_equal(count_touched(scene, &box), 125 - 27);
    box.thickness = 0.5;
    assert_int_equal(count_touched(scene, &box), 125 - 27);
    box.thickness = 1.001;
    assert_int_equal(count_touched(scene, &box), 125 - 1);
    vxe_scene_destroy(scene);
}

static void test_region_round(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 5, 5, 5);
    vxe_shape s = {
        .kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .center = {2.5, 2.5, 2.5}, .radius = {0.5}};
    assert_int_equal(count_touched(scene, &s), 1); /* reaches the faces, not beyond */
    s.radius[0] = 0.51;
    assert_int_equal(count_touched(scene, &s), 7);
    s.radius[0] = sqrt(0.5) + 0.001;
    assert_int_equal(count_touched(scene, &s), 19);
    s.radius[0] = sqrt(0.75);
    assert_int_equal(count_touched(scene, &s), 19);
    s.radius[0] = sqrt(0.75) + 0.001;
    assert_int_equal(count_touched(scene, &s), 27);
    s.radius[0] = 0.0;
    assert_int_equal(count_touched(scene, &s), 1);
    s.center[0] = s.center[1] = s.center[2] = 2.0;
    assert_int_equal(count_touched(scene, &s), 8);
    s.radius[0] = 1.0; /* 8 around the corner; the sphere only touches the next faces */
    assert_int_equal(count_touched(scene, &s), 8);
    s.radius[0] = 1.001;
    assert_int_equal(count_touched(scene, &s), 8 + 6 * 4);
    /* a shell whose hollow holds exactly the middle cube */
    s = (vxe_shape){
        .kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .center = {2.5, 2.5, 2.5}, .radius = {5.0}};
    s.thickness = 5.0 - sqrt(0.75);
    assert_int_equal(count_touched(scene, &s), 124);
    s.thickness += 0.001;
    assert_int_equal(count_touched(scene, &s), 125);
    /* cylinders: a disc times an interval */
    s = (vxe_shape){.kind = VXE_SHAPE_CYLINDER,
                    .units = VXE_UNITS_VOXELS,
                    .center = {2.5, 2.5, 2.5},
                    .radius = {0.51},
                    .axis = VXE_AXIS_Y,
                    .length = 3.0};
    assert_int_equal(count_touched(scene, &s), 3 * 5);
    s.length = 3.01;
    assert_int_equal(count_touched(scene, &s), 5 * 5);
    s.length = 0.0; /* a disc in the middle of a layer: what it touches */
    assert_int_equal(count_touched(scene, &s), 5);
    s.radius[0] = 0.0; /* a line along the axis */
    s.length = 5.0;
    assert_int_equal(count_touched(scene, &s), 5);
    s.center[0] = 2.0;
    assert_int_equal(count_touched(scene, &s), 10);
    vxe_scene_destroy(scene);
}

/* The exact tests against samples: a cube in which a fine grid of points finds the shape is touched, and few
 * cubes are touched (those that the shape barely enters) in which it finds nothing. */
static void test_region_samples(void **state)
{
    (void)state;
    enum { n = 8, samples = 12 };
    const int32_t size[3] = {n, n, n};
    const vxe_shape shapes[] = {
        {.kind = VXE_SHAPE_ELLIPSOID,
         .units = VXE_UNITS_VOXELS,
         .center = {3.7, 4.1, 4.4},
         .radius = {3.3, 2.2, 1.4}},
        {.kind = VXE_SHAPE_ELLIPSOID,
         .units = VXE_UNITS_VOXELS,
         .center = {3.7, 4.1, 4.4},
         .radius = {3.3, 3.2, 2.9},
         .thickness = 0.7},
        {.kind = VXE_SHAPE_CYLINDER,
         .units = VXE_UNITS_VOXELS,
         .center = {3.7, 4.1, 4.4},
         .radius = {2.9},
         .axis = VXE_AXIS_Z,
         .length = 5.3},
        {.kind = VXE_SHAPE_CYLINDER,
         .units = VXE_UNITS_VOXELS,
         .center = {3.7, 4.1, 4.4},
         .radius = {3.4},
         .axis = VXE_AXIS_X,
         .length = 6.3,
         .thickness = 0.6},
        {.kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .center = {3.7, 4.1, 4.4}, .radius = {2.8}},
        {.kind = VXE_SHAPE_BOX,
         .units = VXE_UNITS_VOXELS,
         .corner = {1.3, 0.2, 2.6},
         .sides = {5.1, 6.4, 4.1},
         .thickness = 0.8},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const vxe_placed_shape placed = vxe_place_shape(&shapes[s], 0.01, size);
        int touched = 0;
        int sampled = 0;
        for (int32_t c = 0; c < n * n * n; c++) {
            const int32_t cell[3] = {c % n, c / n % n, c / n / n};
            bool found = false;
            for (int p = 0; p < samples * samples * samples && !found; p++) {
                const int q[3] = {p % samples, p / samples % samples, p / samples / samples};
                double point[3];
                for (int a = 0; a < 3; a++) point[a] = cell[a] + (q[a] + 0.5) / samples;
                found = vxe_shape_contains(&placed, point);
            }
            const bool exact = vxe_shape_touches(&placed, cell[0], cell[1], cell[2]);
            if (found) assert_true(exact);
            touched += exact;
            sampled += found;
        }
        assert_true(sampled > 20);
        assert_true(touched - sampled <= touched / 10); /* only slivers escape the samples */
    }
}

static void test_region_list(void **state)
{
    (void)state;
    vxe_scene *scene = make_scene(0.001, 2, 2, 2);
    vxe_region_def def = vxe_default_region_def();
    vxe_error error = {0};
    const char *names[3] = {"left", "middle", "right"};
    for (int32_t n = 0; n < 3; n++) {
        int32_t number = -1;
        snprintf(def.name, sizeof def.name, "%s", names[n]);
        assert_int_equal(vxe_scene_add_region(scene, &def, &number, NULL), VXE_OK);
        assert_int_equal(number, n);
    }
    assert_int_equal(vxe_scene_add_region(scene, &def, NULL, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "region \"right\": the name is already in use");
    assert_int_equal(vxe_scene_set_region(scene, 0, &def, NULL), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_set_region(scene, 2, &def, NULL), VXE_OK);
    assert_int_equal(vxe_scene_set_region(scene, 3, &def, &error), VXE_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no region 3; the scene has 3, numbered from 0");
    assert_int_equal(vxe_scene_find_region(scene, "middle"), 1);
    assert_int_equal(vxe_scene_find_region(scene, "top"), -1);
    assert_null(vxe_scene_region(scene, 3));
    assert_null(vxe_scene_region(scene, -1));
    assert_int_equal(vxe_scene_remove_region(scene, 3, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_scene_remove_region(scene, 1, NULL), VXE_OK);
    assert_int_equal(vxe_scene_region_count(scene), 2);
    assert_string_equal(vxe_scene_region(scene, 1)->name, "right");
    for (int n = 2; n < VXE_REGIONS_MAX; n++) {
        snprintf(def.name, sizeof def.name, "region %d", n);
        assert_int_equal(vxe_scene_add_region(scene, &def, NULL, NULL), VXE_OK);
    }
    snprintf(def.name, sizeof def.name, "last");
    assert_int_equal(vxe_scene_add_region(scene, &def, NULL, &error), VXE_ERROR_LIMIT);
    assert_string_equal(error.message, "region \"last\": the scene is full with 4096 regions");
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal_boxes), cmocka_unit_test(test_round_shapes),
        cmocka_unit_test(test_box_shell),     cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_fill_errors),   cmocka_unit_test(test_region_boxes),
        cmocka_unit_test(test_region_round),  cmocka_unit_test(test_region_samples),
        cmocka_unit_test(test_region_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
