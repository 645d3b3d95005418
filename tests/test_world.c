/* How bodies begin: velocities and spins of all, of a region, of a part, and a part's pose. And what scenes
 * have of other files: ground from an image, a solid from a mesh. */
#include "support.h"
#include "voxelastic/io.h"

#include <png.h>

/* ---- start ---------------------------------------------------------------------------------------------------------- */

/* A bar of 6 voxels along x; its last two are a separate part. */
static vxe_scene *bar(void)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 6, 1, 1);
    const vxe_material_def def = vxe_default_material_def();
    fill_all(scene, put_material(scene, &def));
    vxe_part_def part = {.size = sizeof part, .name = "tip", .separate = true};
    require(vxe_scene_add_part(scene, &part, NULL, &error), &error);
    for (int32_t i = 4; i < 6; i++)
        require(vxe_scene_set_field(scene, VXE_FIELD_PART, i, 0, 0, 1.0, &error), &error);
    vxe_region_def region = region_of("left", box_of(0, 0, 0, 2, 1, 1));
    put_region(scene, &region);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
    set_environment(scene, &e);
    return scene;
}

static void put_start(vxe_scene *scene, vxe_start_def def)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_start(scene, &def, &error), &error);
}

/* Velocities add up; a spin is about the centre of mass of its voxels, or about a given one. */
static void test_velocities(void **state)
{
    (void)state;
    vxe_scene *scene = bar();
    put_start(scene, (vxe_start_def){.velocity = {0.1, 0.2, 0.3}});
    put_start(scene, (vxe_start_def){.region = "left", .spin = {0.0, 0.0, 10.0}});
    put_start(scene, (vxe_start_def){.part = "tip",
                                     .spin = {0.0, 5.0, 0.0},
                                     .has_center = true,
                                     .center = {0.0, 0.005, 0.005},
                                     .velocity = {0.0, 0.0, 1.0}});
    const bench b = start(scene);
    const vxe_state *s = vxe_sim_state(b.sim);
    for (int32_t v = 0; v < 6; v++) {
        const double x = 0.01 * v + 0.005;
        check_near("velocity along x", s->velocity[0][v], 0.1, 1e-15);
        check_near("velocity along y", s->velocity[1][v], 0.2 + (v < 2 ? 10.0 * (x - 0.01) : 0.0), 1e-15);
        check_near("velocity along z", s->velocity[2][v], 0.3 + (v >= 4 ? 1.0 - 5.0 * x : 0.0), 1e-15);
        check_near("spin about y", s->spin[1][v], v >= 4 ? 5.0 : 0.0, 0.0);
        check_near("spin about z", s->spin[2][v], v < 2 ? 10.0 : 0.0, 0.0);
    }
    /* it flies on with the momentum that it was given */
    double p0[3];
    double p1[3];
    double unused[3];
    vxe_sim_momentum(b.sim, p0, unused);
    step(b.sim, 500);
    check_well(b.sim);
    vxe_sim_momentum(b.sim, p1, unused);
    for (int a = 0; a < 3; a++) check_near("momentum", p1[a], p0[a], 1e-12 * length3(p0));
    finish(b);
}

/* A part that is turned and lifted is where a rigid body would be, and without strain: nothing moves. */
static void test_pose(void **state)
{
    (void)state;
    vxe_scene *scene = bar();
    put_start(scene,
              (vxe_start_def){.part = "tip", .rotation = {0.0, 0.7, 0.0}, .displacement = {0.0, 0.02, 0.03}});
    const bench b = start(scene);
    const double moved_to[2][3] = {
        {0.05 - 0.005 * cos(0.7), 0.025, 0.035 + 0.005 * sin(0.7)},
        {0.05 + 0.005 * cos(0.7), 0.025, 0.035 - 0.005 * sin(0.7)},
    };
    for (int pass = 0; pass < 2; pass++) {
        const vxe_state *s = vxe_sim_state(b.sim);
        for (int32_t v = 4; v < 6; v++) {
            for (int a = 0; a < 3; a++) check_near("place", s->position[a][v], moved_to[v - 4][a], 1e-14);
            check_near("orientation", s->orientation[0][v], cos(0.35), 1e-14);
            check_near("orientation", s->orientation[2][v], sin(0.35), 1e-14);
        }
        check_near("the rest", s->position[0][3], 0.035, 1e-15);
        step(b.sim, 500);
    }
    finish(b);
}

/* What is linked to others cannot be put elsewhere. */
static void test_refused(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_model *model = NULL;
    vxe_scene *scene = bar();
    const vxe_start_def lifted = {.region = "left", .displacement = {0.0, 0.0, 0.01}};
    assert_int_equal(vxe_scene_add_start(scene, &lifted, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "only a part can be displaced or rotated"));
    put_start(scene, (vxe_start_def){.part = "nobody", .velocity = {1.0, 0.0, 0.0}});
    assert_int_equal(vxe_compile(scene, &model, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nobody"));
    vxe_scene_destroy(scene);
}

/* ---- other files ---------------------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* White is as high as is said, grey as high as its number, the last row of an image is at y = 0; of 8 and of
 * 16 bits. */
static void test_image(void **state)
{
    (void)state;
    static const uint8_t gray[2 * 3] = {0, 51, 255, /* the upper row: y = 0.1 */ 102, 153, 204};
    uint16_t fine[2 * 3];
    for (int i = 0; i < 6; i++) fine[i] = (uint16_t)(257 * gray[i]);
    write_text(
        "hills.json",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 1]}, \"materials\": [{\"name\": "
        "\"a\"}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"material\": \"a\"}],"
        "\"ground\": {\"heights\": \"hills.png\", \"spacing\": 0.1, \"height\": 0.5}}");
    for (int bits = 8; bits <= 16; bits += 8) {
        vxe_error error = {VXE_OK, ""};
        vxe_scene *scene = NULL;
        png_image image;
        memset(&image, 0, sizeof image);
        image.version = PNG_IMAGE_VERSION;
        image.width = 3;
        image.height = 2;
        image.format = bits == 8 ? PNG_FORMAT_GRAY : PNG_FORMAT_LINEAR_Y;
        const void *pixels = bits == 8 ? (const void *)gray : (const void *)fine;
        assert_true(png_image_write_to_file(&image, "hills.png", 0, pixels, 0, NULL) != 0);
        require(vxe_scene_load("hills.json", NULL, &scene, NULL, &error), &error);
        const vxe_ground_def *g = vxe_scene_ground(scene);
        assert_non_null(g);
        assert_int_equal(g->points[0], 3);
        assert_int_equal(g->points[1], 2);
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < 3; i++)
                check_near("height", vxe_ground_height(g, 0.1 * i, 0.1 * j),
                           0.5 * gray[3 * (1 - j) + i] / 255.0, 1e-12);
        }
        check_near("half way", vxe_ground_height(g, 0.05, 0.0), 0.5 * 0.5 * (102 + 153) / 255.0, 1e-12);
        vxe_scene_destroy(scene);
    }
    write_text(
        "points.json",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 1]}, \"ground\": {\"heights\": "
        "\"hills.png\", \"spacing\": 0.1, \"height\": 0.5,\n\"points\": [3, 3]}}");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *none = NULL;
    assert_int_equal(vxe_scene_load("points.json", NULL, &none, NULL, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "points.json:2: ground.points: not those of the image, 3 x 2");
}

/* A cube of 4 cm, in cubes of 1 cm; a voxel that falls on it comes to lie there. */
static void test_mesh(void **state)
{
    (void)state;
    write_text("box.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 0 0 4\nv 4 0 4\nv 4 4 4\nv 0 4 4\n"
                          "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_text(
        "mesh.json",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 6]}, \"materials\": [{\"name\": "
        "\"a\"}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 5], \"size\": [1, 1, 1]}, \"material\": \"a\"}],"
        "\"environment\": {\"gravity\": true, \"damping\": {\"contact\": 1}}, \"solids\": [{\"name\": "
        "\"box\", "
        "\"mesh\": {\"file\": \"box.obj\", \"unit\": 0.01, \"pitch\": 0.01, \"center\": [0.005, 0.005, "
        "0.02]}}]}");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_load("mesh.json", NULL, &scene, NULL, &error), &error);
    const vxe_solid_def *s = vxe_scene_solid(scene, 0);
    assert_int_equal(s->kind, VXE_SOLID_CELLS);
    int filled = 0;
    for (int i = 0; i < s->cells[0] * s->cells[1] * s->cells[2]; i++) filled += s->filled[i];
    assert_int_equal(filled, 64);
    const bench b = start(scene);
    const vxe_stop stop = {.time = 0.5};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    check_near("height of a voxel on the mesh, m", vxe_sim_state(b.sim)->position[2][0], 0.045, 1e-4);
    finish(b);
}

/* A cube of 0.1 m from cubes of 0.03 m: four along each side, its middle where the mesh's middle is. */
static void test_mesh_middle(void **state)
{
    (void)state;
    write_text("part.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_text("part.json",
               "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 1]}, \"materials\": "
               "[{\"name\": \"a\"}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, "
               "\"material\": \"a\"}], \"solids\": [{\"name\": \"p\", \"mesh\": {\"file\": \"part.obj\", "
               "\"unit\": 0.1, \"pitch\": 0.03, \"center\": [0, 0, 0]}}]}");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_load("part.json", NULL, &scene, NULL, &error), &error);
    const vxe_solid_def *s = vxe_scene_solid(scene, 0);
    for (int a = 0; a < 3; a++) assert_int_equal(s->cells[a], 4);
    for (int i = 0; i < 64; i++) assert_int_equal(s->filled[i], 1);
    vxe_scene_destroy(scene);
}

/* What is understood, but perhaps not meant, is remarked on. */
static void test_remarks(void **state)
{
    (void)state;
    static const char *const said[2] = {"0.05 m is less than the 0.1 m between points", "4 open edges"};
    static const char *const what[2] = {"ground.length", "solids[0].mesh.file"};
    write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_text(
        "remarks.json",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 1]}, \"materials\": "
        "[{\"name\": \"a\"}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, "
        "\"material\": \"a\"}], \"ground\": {\"kind\": \"steps\", \"points\": [3, 3], \"spacing\": 0.1, "
        "\"height\": 0.1,\n\"length\": 0.05}, \"solids\": [{\"name\": \"p\", \"mesh\": {\"file\": "
        "\"open.obj\", \"unit\": 0.1, \"pitch\": 0.02, \"center\": [0, 0, -1]}}]}");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_notes *notes = NULL;
    require(vxe_scene_load("remarks.json", NULL, &scene, &notes, &error), &error);
    assert_int_equal(vxe_notes_count(notes), 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(vxe_notes_get(notes, i)->what, what[i]);
        assert_non_null(strstr(vxe_notes_get(notes, i)->text, said[i]));
        assert_int_equal(vxe_notes_get(notes, i)->line, 2);
    }
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities), cmocka_unit_test(test_pose), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_image),      cmocka_unit_test(test_mesh), cmocka_unit_test(test_mesh_middle),
        cmocka_unit_test(test_remarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
