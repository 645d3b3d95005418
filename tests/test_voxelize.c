/* Meshes into voxels: volumes of closed, open, self-intersecting, inside out and loose meshes; the winding
 * number against its definition; several materials; bad meshes and bad grids. */
#include "meshes.h"

#include <sys/resource.h>
#include <time.h>

/* Of this process's work, whatever else the machine does. */
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static vxe_scene *fill_voxels(shape_mesh m, int32_t voxels, vxe_voxelize_report *report)
{
    vxe_mesh *mesh = make_mesh(m);
    const vxe_mesh *const meshes[1] = {mesh};
    const vxe_material_def material = vxe_default_material_def();
    vxe_voxelize_def def = vxe_default_voxelize_def();
    def.voxels = voxels;
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_voxelize(meshes, &material, 1, &def, &scene, report, &error), &error);
    vxe_mesh_destroy(mesh);
    free_mesh(m);
    return scene;
}

/* Fills a mesh, frees it, and compares the volume with what it should be, relative. */
static vxe_voxelize_report check_volume(const char *what, shape_mesh m, int32_t voxels, double volume,
                                        double tolerance)
{
    vxe_voxelize_report report;
    vxe_scene *scene = fill_voxels(m, voxels, &report);
    const double pitch = vxe_scene_pitch(scene);
    assert_int_equal(vxe_scene_voxel_count(scene), report.voxels);
    check_near("volume of the report", report.voxel_volume, (double)report.voxels * pitch * pitch * pitch,
               0.0);
    print_message("%-28s %9lld voxels  volume %.6g of %.6g (%+.3f %%)  open edges %d\n", what,
                  (long long)report.voxels, report.voxel_volume, volume,
                  100.0 * (report.voxel_volume / volume - 1.0), (int)report.open_edges);
    check_near(what, report.voxel_volume / volume, 1.0, tolerance);
    vxe_scene_destroy(scene);
    return report;
}

static double ball(double radius) { return 4.0 / 3.0 * PI * radius * radius * radius; }

static void test_closed(void **state)
{
    (void)state;
    const vxe_voxelize_report sphere =
        check_volume("sphere", sphere_mesh(0.3, -0.2, 0.1, 0.5, 128, 64), 64, ball(0.5), 0.01);
    assert_int_equal(sphere.open_edges, 0);
    check_near("mesh volume", sphere.mesh_volume, ball(0.5), 0.002 * ball(0.5)); /* it is inscribed */
    check_near("overlap", sphere.overlap_volume, 0.0, 0.0);
    (void)check_volume("torus", torus_mesh(1.0, 0.4, 64, 128), 80, 2.0 * PI * PI * 0.16, 0.01);
    shape_mesh turned = torus_mesh(1.0, 0.4, 64, 128);
    turn_mesh(&turned);
    (void)check_volume("torus, turned", turned, 80, 2.0 * PI * PI * 0.16, 0.01);
    /* A box along the grid is exact, whatever the coordinates. */
    const double low[3] = {-1.7, 0.3, 12.25};
    const double high[3] = {-1.7 + 2.0, 0.3 + 1.0, 12.25 + 0.5};
    (void)check_volume("box", box_mesh(low, high), 40, 1.0, 1e-12);
}

static void test_open(void **state)
{
    (void)state;
    rng random = {1};
    /* A cap of 10 degrees cut off the top, and a fiftieth of all triangles missing. */
    shape_mesh sphere = sphere_mesh(0.0, 0.0, 0.0, 0.5, 128, 72);
    for (int32_t t = sphere.triangle_count - 1; t >= 0; t--)
        if (sphere.vertex[3 * sphere.triangle[3 * t] + 2] > 0.5 * cos(10.0 * PI / 180.0))
            drop_triangle(&sphere, t);
    const vxe_voxelize_report capped = check_volume("sphere with a hole", sphere, 64, ball(0.5), 0.01);
    assert_true(capped.open_edges >= 128);
    shape_mesh torus = torus_mesh(1.0, 0.4, 64, 128);
    for (int i = 0; i < torus.triangle_count / 50; i++)
        drop_triangle(&torus, rng_int(&random, 0, torus.triangle_count - 1));
    (void)check_volume("torus with 2 % missing", torus, 80, 2.0 * PI * PI * 0.16, 0.01);
    torus = torus_mesh(1.0, 0.4, 64, 128);
    for (int i = 0; i < torus.triangle_count / 200; i++)
        flip_triangle(&torus, rng_int(&random, 0, torus.triangle_count - 1));
    (void)check_volume("torus, 0.5 % facing in", torus, 80, 2.0 * PI * PI * 0.16, 0.01);
    /* Cracks along every edge: nothing hangs together. */
    const vxe_voxelize_report soup =
        check_volume("loose triangles", loosen(torus_mesh(1.0, 0.4, 48, 96), 1e-4, &random), 48,
                     2.0 * PI * PI * 0.16, 0.015);
    assert_int_equal(soup.open_edges, 3 * 2 * 48 * 96);
    /* A box without its lid, whose rim lies in a plane of voxel centres. */
    const double low[3] = {0.0, 0.0, 0.0};
    const double high[3] = {1.0, 1.0, 0.525};
    shape_mesh box = box_mesh(low, high);
    drop_triangle(&box, 3);
    drop_triangle(&box, 2);
    vxe_voxelize_report report;
    vxe_scene *scene = fill_voxels(box, 20, &report);
    for (int32_t k = 0; k < 10; k++) /* full right up to the rim */
        assert_int_equal(vxe_scene_voxel(scene, 10, 10, k), 1);
    for (int32_t k = 0; k < 10; k++) assert_int_equal(vxe_scene_voxel(scene, 0, 19, k), 1);
    vxe_scene_destroy(scene);
}

static void test_crossing(void **state)
{
    (void)state;
    /* Two spheres that overlap: what they share counts once. */
    const double d = 0.6; /* distance of the centres */
    const double lens = PI * (4.0 * 0.5 + d) * (2.0 * 0.5 - d) * (2.0 * 0.5 - d) / 12.0;
    const vxe_voxelize_report two =
        check_volume("two spheres in one",
                     join_meshes(sphere_mesh(0, 0, 0, 0.5, 128, 64), sphere_mesh(d, 0, 0, 0.5, 128, 64)), 96,
                     2.0 * ball(0.5) - lens, 0.01);
    check_near("mesh volume counts twice", two.mesh_volume, 2.0 * ball(0.5), 0.004 * ball(0.5));
    check_near("overlap", two.overlap_volume, lens, 0.02 * lens);
    /* A tube that passes through itself: as large as all points near its middle line. */
    const int steps = 100;
    double eight = 0.0;
    for (int i = 0; i < steps * steps; i++) {
        const double place[2] = {-1.3 + 2.6 * (i % steps + 0.5) / steps,
                                 -0.8 + 1.6 * (i / steps + 0.5) / steps};
        double nearest = 1.0;
        for (int n = 0; n < 500; n++) {
            double p[3];
            eight_point(2.0 * PI * n / 500, p);
            nearest =
                fmin(nearest, (p[0] - place[0]) * (p[0] - place[0]) + (p[1] - place[1]) * (p[1] - place[1]));
        }
        /* The height of the tube above a point of the plane. */
        if (nearest < 0.04) eight += 2.0 * sqrt(0.04 - nearest) * 2.6 * 1.6 / steps / steps;
    }
    const vxe_voxelize_report tube =
        check_volume("tube through itself", eight_mesh(0.2, 64, 256), 144, eight, 0.01);
    check_above("overlap", tube.overlap_volume, 0.01);
    /* A torus whose tube is wider than its ring: the part where it overlaps itself is inside out there, so
     * the winding number is 0, and the volume is Pappus' signed one. */
    (void)check_volume("spindle torus", torus_mesh(0.3, 0.5, 128, 128), 80, 2.0 * PI * PI * 0.3 * 0.25, 0.01);
    /* Inside out, and with a cavity. */
    shape_mesh inverted = sphere_mesh(0, 0, 0, 0.5, 128, 64);
    for (int32_t t = 0; t < inverted.triangle_count; t++) flip_triangle(&inverted, t);
    (void)check_volume("sphere inside out", inverted, 64, ball(0.5), 0.01);
    shape_mesh cavity = sphere_mesh(0, 0, 0, 0.3, 128, 64);
    for (int32_t t = 0; t < cavity.triangle_count; t++) flip_triangle(&cavity, t);
    (void)check_volume("sphere with a cavity", join_meshes(sphere_mesh(0, 0, 0, 0.5, 128, 64), cavity), 96,
                       ball(0.5) - ball(0.3), 0.01);
}

/* Every voxel of a mesh with all kinds of faults, against the sum of all solid angles. */
static void test_definition(void **state)
{
    (void)state;
    rng random = {7};
    shape_mesh m = join_meshes(torus_mesh(1.0, 0.4, 16, 24), sphere_mesh(0.9, 0.1, 0.2, 0.5, 16, 12));
    turn_mesh(&m);
    for (int i = 0; i < 40; i++) drop_triangle(&m, rng_int(&random, 0, m.triangle_count - 1));
    for (int i = 0; i < 10; i++) flip_triangle(&m, rng_int(&random, 0, m.triangle_count - 1));
    vxe_mesh *mesh = make_mesh(m);
    const vxe_mesh_view *view = vxe_mesh_get(mesh);
    const vxe_mesh *const meshes[1] = {mesh};
    const vxe_material_def material = vxe_default_material_def();
    vxe_voxelize_def def = vxe_default_voxelize_def();
    def.voxels = is_quick() ? 16 : 32;
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_voxelize(meshes, &material, 1, &def, &scene, NULL, &error), &error);
    int32_t size[3];
    vxe_scene_size(scene, size);
    const double pitch = vxe_scene_pitch(scene);
    int64_t unclear = 0;
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                const int32_t cell[3] = {i, j, k};
                double point[3];
                for (int a = 0; a < 3; a++) point[a] = view->lower[a] + pitch * (cell[a] + 0.5);
                const double winding = fabs(vxe_mesh_winding(mesh, point));
                if (fabs(winding - 0.5) < 0.01) { /* what the tree is allowed */
                    unclear++;
                    continue;
                }
                assert_int_equal(vxe_scene_voxel(scene, i, j, k), winding > 0.5 ? 1 : 0);
            }
        }
    }
    check_below("unclear voxels", (double)unclear, 0.01 * size[0] * size[1] * size[2]);
    vxe_scene_destroy(scene);
    vxe_mesh_destroy(mesh);
    free_mesh(m);
}

/* A million triangles at 256^3, with time and memory; and an open one. */
static void test_large(void **state)
{
    (void)state;
    if (is_quick()) skip();
    for (int open = 0; open < 2; open++) {
        shape_mesh m = sphere_mesh(0.1, 0.2, 0.3, 1.0, 1000, 501);
        assert_int_equal(m.triangle_count, 1000000);
        turn_mesh(&m);
        if (open)
            for (int32_t t = 0; t < 1000; t++) drop_triangle(&m, 700 * t);
        const double begun = seconds();
        (void)check_volume(open ? "10^6 triangles, 1000 missing" : "10^6 triangles", m, 256, ball(1.0), 0.01);
        struct rusage usage;
        (void)getrusage(RUSAGE_SELF, &usage);
        print_message("  %.2f s of CPU, %ld MB at most\n", seconds() - begun, usage.ru_maxrss / 1024);
        check_below("MB", (double)usage.ru_maxrss / 1024.0, 1000.0);
    }
}

static void note_progress(void *user, double done)
{
    double *last = user;
    assert_true(done >= *last && done <= 1.0 + 1e-12);
    *last = done;
}

static void test_materials(void **state)
{
    (void)state;
    const double low[3] = {0.0, 0.0, 0.0};
    const double high[3] = {0.02, 0.01, 0.01};
    const double inner_low[3] = {0.005, 0.0, 0.0};
    const double inner_high[3] = {0.01, 0.01, 0.005};
    const double far_low[3] = {0.03, 0.0, 0.0};
    const double far_high[3] = {0.04, 0.01, 0.01};
    shape_mesh m[3] = {box_mesh(low, high), box_mesh(inner_low, inner_high), box_mesh(far_low, far_high)};
    vxe_mesh *mesh[3];
    for (int i = 0; i < 3; i++) mesh[i] = make_mesh(m[i]);
    vxe_material_def materials[3] = {vxe_default_material_def(), vxe_default_material_def(),
                                     vxe_default_material_def()};
    (void)snprintf(materials[0].name, sizeof materials[0].name, "gel");
    (void)snprintf(materials[1].name, sizeof materials[1].name, "bone");
    (void)snprintf(materials[2].name, sizeof materials[2].name, "gel");
    double done = 0.0;
    vxe_voxelize_def def = {.pitch = 0.001, .progress = note_progress, .user = &done};
    vxe_voxelize_report reports[3];
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_mesh *const meshes[3] = {mesh[0], mesh[1], mesh[2]};
    require(vxe_voxelize(meshes, materials, 3, &def, &scene, reports, &error), &error);
    check_near("progress", done, 1.0, 1e-12);
    int32_t size[3];
    vxe_scene_size(scene, size);
    assert_int_equal(size[0], 40);
    assert_int_equal(size[1], 10);
    assert_int_equal(size[2], 10);
    assert_int_equal(vxe_scene_material_count(scene), 2);
    assert_int_equal(reports[0].voxels, 2000);
    assert_int_equal(reports[1].voxels, 250);
    assert_int_equal(reports[1].taken, 250);
    assert_int_equal(reports[2].voxels, 1000);
    assert_int_equal(vxe_scene_voxel_count(scene), 3000);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 0, 0, 0))->name, "gel");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 7, 5, 4))->name, "bone");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 7, 5, 5))->name, "gel");
    assert_int_equal(vxe_scene_voxel(scene, 25, 5, 5), 0);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 35, 5, 5))->name, "gel");
    vxe_scene_destroy(scene);
    for (int i = 0; i < 3; i++) {
        vxe_mesh_destroy(mesh[i]);
        free_mesh(m[i]);
    }
}

static void refuse_mesh(shape_mesh m, const char *text)
{
    vxe_mesh *mesh = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_mesh_create(m.vertex, m.vertex_count, m.triangle, m.triangle_count, &mesh, &error),
                     VXE_ERROR_INPUT);
    if (strstr(error.message, text) == NULL) fail_msg("nothing like \"%s\" in: %s", text, error.message);
    assert_null(mesh);
    free_mesh(m);
}

static void refuse_grid(double pitch, int32_t voxels, double scale, vxe_result expected, const char *text)
{
    const double low[3] = {0.0, 0.0, 0.0};
    const double high[3] = {scale, scale, scale};
    shape_mesh m = box_mesh(low, high);
    vxe_mesh *mesh = make_mesh(m);
    const vxe_mesh *const meshes[1] = {mesh};
    const vxe_material_def material = vxe_default_material_def();
    const vxe_voxelize_def def = {.pitch = pitch, .voxels = voxels};
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_voxelize(meshes, &material, 1, &def, &scene, NULL, &error), expected);
    if (strstr(error.message, text) == NULL) fail_msg("nothing like \"%s\" in: %s", text, error.message);
    assert_null(scene);
    vxe_mesh_destroy(mesh);
    free_mesh(m);
}

static void test_bad(void **state)
{
    (void)state;
    const double low[3] = {0.0, 0.0, 0.0};
    const double high[3] = {1.0, 1.0, 1.0};
    refuse_mesh(new_mesh(3, 0), "no triangles");
    shape_mesh m = box_mesh(low, high);
    m.vertex[10] = NAN;
    refuse_mesh(m, "vertex 4: y is not a finite number");
    m = box_mesh(low, high);
    m.vertex[2] = 1e300;
    refuse_mesh(m, "vertex 1: z is 1e+300");
    m = box_mesh(low, high);
    m.triangle[35] = 8;
    refuse_mesh(m, "triangle 12 names vertex 9, but there are 8");
    m = box_mesh(low, high);
    for (int i = 0; i < 24; i++) m.vertex[i] = i / 3; /* all on a line */
    refuse_mesh(m, "no area");
    refuse_grid(0.0, 0, 1.0, VXE_ERROR_INPUT, "0 voxels along the longest side");
    refuse_grid(1e-10, 0, 1.0, VXE_ERROR_INPUT, "not within");
    refuse_grid(1e-6, 0, 1.0, VXE_ERROR_LIMIT, "is the unit right?");
    refuse_grid(0.0, 10, 1e30, VXE_ERROR_INPUT, "is the unit right?");
    refuse_grid(0.001, 0, 1e30, VXE_ERROR_LIMIT, "is the unit right?");
    refuse_grid(-1.0, 0, 1.0, VXE_ERROR_INPUT, "not within");
    refuse_grid(NAN, 0, 1.0, VXE_ERROR_INPUT, "not within");
    /* Area but no volume: a sheet, there and back. */
    m = new_mesh(4, 4);
    const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0.7, 0, 1, 0.7};
    const int32_t sheet[12] = {0, 1, 2, 0, 2, 3, 2, 1, 0, 3, 2, 0};
    memcpy(m.vertex, square, sizeof square);
    memcpy(m.triangle, sheet, sizeof sheet);
    vxe_mesh *mesh = make_mesh(m);
    const vxe_mesh *const meshes[1] = {mesh};
    const vxe_material_def material = vxe_default_material_def();
    const vxe_voxelize_def def = {.voxels = 10};
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_voxelize(meshes, &material, 1, &def, &scene, NULL, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no voxel centre lies inside"));
    assert_int_equal(vxe_voxelize(NULL, &material, 1, &def, &scene, NULL, &error), VXE_ERROR_ARGUMENT);
    vxe_mesh_destroy(mesh);
    free_mesh(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed),     cmocka_unit_test(test_open),      cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_definition), cmocka_unit_test(test_materials), cmocka_unit_test(test_bad),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
