/* Grids: NPY and NPZ in and out, MagicaVoxel, stacks of PNG images, palettes, and files that are wrong. */
#include "support.h"

#include "io/archive.h"
#include "io/npy.h"

#include <png.h>
#include <stdint.h>

/* Bytes that grow. */
typedef struct paper {
    char data[65536];
    size_t size;
} paper;

static void add_bytes(paper *p, const void *data, size_t size)
{
    assert_true(p->size + size <= sizeof p->data);
    memcpy(p->data + p->size, data, size);
    p->size += size;
}

static void add_number(paper *p, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        const char byte = (char)(value >> (8 * i));
        add_bytes(p, &byte, 1);
    }
}

/* An array 2 x 3 x 4 whose [i,j,k] is 0 if i = 1, else 1 + (j + k) % 3, of any type. */
static int32_t value_of(int32_t i, int32_t j, int32_t k) { return i == 1 ? 0 : 1 + (j + k) % 3; }

static void print_array(paper *p, const char *descr, size_t item, bool big, bool fortran)
{
    char dictionary[128];
    const int length =
        snprintf(dictionary, sizeof dictionary, "{'shape': (2, 3, 4), 'descr': '%s', 'fortran_order': %s}\n",
                 descr, fortran ? "True" : "False");
    p->size = 0;
    add_bytes(p, "\x93NUMPY\x02\x00", 8); /* version 2: four bytes of length */
    add_number(p, (uint32_t)length);
    add_bytes(p, dictionary, (size_t)length);
    for (int n = 0; n < 24; n++) {
        const int32_t value =
            fortran ? value_of(n % 2, n / 2 % 3, n / 6) : value_of(n / 12, n / 4 % 3, n % 4);
        for (size_t i = 0; i < item; i++) {
            const char byte = i == (big ? item - 1 : 0) ? (char)value : 0;
            add_bytes(p, &byte, 1);
        }
    }
}

static vxe_scene *parse(const paper *p, const char *name, const vxe_grid_def *def)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_parse_grid(p->data, p->size, name, def, &scene, &error), &error);
    return scene;
}

static void check_array(const vxe_scene *scene)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    assert_int_equal(size[0], 2);
    assert_int_equal(size[1], 3);
    assert_int_equal(size[2], 4);
    for (int32_t n = 0; n < 24; n++)
        assert_int_equal(vxe_scene_voxel(scene, n / 12, n / 4 % 3, n % 4),
                         value_of(n / 12, n / 4 % 3, n % 4));
}

static void test_npy(void **state)
{
    (void)state;
    static const struct {
        const char *descr;
        size_t item;
        bool big;
    } types[] = {{"|u1", 1, false}, {"|i1", 1, false}, {"<u2", 2, false}, {">i2", 2, true},
                 {"<i4", 4, false}, {">u4", 4, true},  {"<i8", 8, false}, {">u8", 8, true}};
    paper p;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int fortran = 0; fortran < 2; fortran++) {
            print_array(&p, types[t].descr, types[t].item, types[t].big, fortran != 0);
            vxe_scene *scene = parse(&p, "a.npy", NULL);
            check_array(scene);
            check_near("pitch", vxe_scene_pitch(scene), 1e-3, 0.0);
            assert_string_equal(vxe_scene_material(scene, 2)->name, "material 2");
            vxe_scene_destroy(scene);
        }
    }
    /* A palette, and a pitch. */
    vxe_scene *palette = new_scene(1.0, 1, 1, 1);
    const char *const names[4] = {"gel", "bone", "skin", "not used"};
    for (int i = 0; i < 4; i++) {
        vxe_material_def def = vxe_default_material_def();
        (void)snprintf(def.name, sizeof def.name, "%s", names[i]);
        def.youngs_modulus = 1e5 * (i + 1);
        (void)put_material(palette, &def);
    }
    print_array(&p, "<i4", 4, false, false);
    const vxe_grid_def def = {.pitch = 0.02, .palette = palette};
    vxe_scene *scene = parse(&p, "a.npy", &def);
    check_array(scene);
    check_near("pitch", vxe_scene_pitch(scene), 0.02, 0.0);
    assert_int_equal(vxe_scene_material_count(scene), 4);
    check_near("stiffness", vxe_scene_material(scene, 3)->youngs_modulus, 3e5, 0.0);
    vxe_scene_destroy(scene);
    vxe_scene_destroy(palette);
}

/* Out and in again, both formats; names of all alphabets survive in NPZ. */
static void test_round_trip(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.0025, 5, 4, 3);
    const char *const names[3] = {"Gew\xc3\xbcrz \xe6\xa9\xa1\xe8\x83\xb6 \xf0\x9f\x90\x99", "empty",
                                  "third"};
    for (int i = 0; i < 3; i++) {
        vxe_material_def def = vxe_default_material_def();
        (void)snprintf(def.name, sizeof def.name, "%s", names[i]);
        (void)put_material(scene, &def);
    }
    rng random = {3};
    for (int32_t n = 0; n < 60; n++) {
        const int32_t m = rng_int(&random, 0, 2);
        require(vxe_scene_set_voxel(scene, n % 5, n / 5 % 4, n / 20, m == 2 ? 3 : m, &error), &error);
    }
    const char *const files[2] = {"grid.npz", "grid.npy"};
    for (int f = 0; f < 2; f++) {
        vxe_scene *again = NULL;
        require(vxe_scene_save_grid(scene, files[f], &error), &error);
        require(vxe_scene_load_grid(files[f], NULL, &again, &error), &error);
        for (int32_t n = 0; n < 60; n++) {
            const int32_t m = vxe_scene_voxel(scene, n % 5, n / 5 % 4, n / 20);
            const int32_t found = vxe_scene_voxel(again, n % 5, n / 5 % 4, n / 20);
            if (f == 0) {
                assert_int_equal(found, m);
            } else { /* material 2 has no voxel, so 3 is the second */
                assert_int_equal(found, m == 3 ? 2 : m);
            }
        }
        if (f == 0) {
            check_near("pitch", vxe_scene_pitch(again), 0.0025, 0.0);
            for (int i = 0; i < 3; i++) assert_string_equal(vxe_scene_material(again, i + 1)->name, names[i]);
        }
        vxe_scene_destroy(again);
    }
    assert_int_equal(vxe_scene_save_grid(scene, "grid.txt", &error), VXE_ERROR_INPUT);
    assert_int_equal(vxe_scene_save_grid(scene, "nowhere/grid.npz", &error), VXE_ERROR_FILE);
    assert_int_equal(vxe_scene_save_grid(scene, "nowhere/grid.npy", &error), VXE_ERROR_FILE);
    vxe_scene_destroy(scene);
    /* An archive of others: the only grid in it counts. */
    paper p;
    char list[NPY_HEADER + 3] = {0};
    const int64_t shape[1] = {3};
    vxe_npy_print_header(list, "|u1", shape, 1);
    print_array(&p, "<i4", 4, false, true);
    const archive_part parts[3] = {{"list.npy", list, sizeof list, NULL},
                                   {"thing.npy", p.data, p.size, NULL},
                                   {"other.npy", p.data, p.size, NULL}};
    require(vxe_archive_write("other.npz", parts, 2, &error), &error);
    vxe_scene *again = NULL;
    require(vxe_scene_load_grid("other.npz", NULL, &again, &error), &error);
    check_array(again);
    vxe_scene_destroy(again);
    require(vxe_archive_write("other.npz", parts, 3, &error), &error);
    assert_int_equal(vxe_scene_load_grid("other.npz", NULL, &again, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "must be called \"voxels\""));
    require(vxe_archive_write("other.npz", parts, 1, &error), &error);
    assert_int_equal(vxe_scene_load_grid("other.npz", NULL, &again, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no array [x,y,z]"));
}

/* ---- MagicaVoxel ---------------------------------------------------------------------------------------------------- */

static void add_chunk(paper *p, const char *id, const paper *content)
{
    add_bytes(p, id, 4);
    add_number(p, (uint32_t)content->size);
    add_number(p, 0);
    add_bytes(p, content->data, content->size);
}

static void add_model(paper *p, const uint32_t size[3], const unsigned char *voxels, uint32_t count)
{
    paper c = {.size = 0};
    for (int a = 0; a < 3; a++) add_number(&c, size[a]);
    add_chunk(p, "SIZE", &c);
    c.size = 0;
    add_number(&c, count);
    add_bytes(&c, voxels, 4 * (size_t)count);
    add_chunk(p, "XYZI", &c);
}

static void add_string(paper *p, const char *text)
{
    add_number(p, (uint32_t)strlen(text));
    add_bytes(p, text, strlen(text));
}

static void add_transform(paper *p, uint32_t id, uint32_t child, const char *move, const char *turn)
{
    paper c = {.size = 0};
    add_number(&c, id);
    add_number(&c, 0); /* attributes */
    add_number(&c, child);
    add_number(&c, UINT32_MAX);
    add_number(&c, 0);
    add_number(&c, 1);
    add_number(&c, turn != NULL ? 2 : 1);
    add_string(&c, "_t");
    add_string(&c, move);
    if (turn != NULL) {
        add_string(&c, "_r");
        add_string(&c, turn);
    }
    add_chunk(p, "nTRN", &c);
}

static void begin_vox(paper *p)
{
    p->size = 0;
    add_bytes(p, "VOX ", 4);
    add_number(p, 150);
    add_bytes(p, "MAIN", 4);
    add_number(p, 0);
    add_number(p, 0);
}

static void test_vox(void **state)
{
    (void)state;
    paper p;
    paper c = {.size = 0};
    const uint32_t size[3] = {3, 2, 4};
    const unsigned char voxels[12] = {0, 0, 0, 1, 2, 1, 3, 255, 1, 0, 0, 1};
    begin_vox(&p);
    add_model(&p, size, voxels, 3);
    for (int i = 0; i < 256; i++) add_number(&c, i == 0 ? 0xff0000ffU : i == 254 ? 0xff00ff00U : 0xff777777U);
    add_chunk(&p, "RGBA", &c);
    vxe_scene *scene = parse(&p, "a.vox", NULL);
    int32_t sides[3];
    vxe_scene_size(scene, sides);
    assert_int_equal(sides[0], 3);
    assert_int_equal(sides[2], 4);
    assert_int_equal(vxe_scene_voxel_count(scene), 3);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 0, 0, 0))->name, "#ff0000");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 2, 1, 3))->name, "#00ff00");
    vxe_scene_destroy(scene);
    /* A scene: the same model twice, once moved, once turned a quarter about z (x' = -y, y' = x) and moved.
     */
    add_transform(&p, 0, 1, "0 0 0", NULL);
    c.size = 0;
    add_number(&c, 1);
    add_number(&c, 0);
    add_number(&c, 2);
    add_number(&c, 2);
    add_number(&c, 4);
    add_chunk(&p, "nGRP", &c);
    for (uint32_t n = 0; n < 2; n++) {
        add_transform(&p, 2 + 2 * n, 3 + 2 * n, n == 0 ? "10 20 30" : "100 0 2", n == 0 ? NULL : "17");
        c.size = 0;
        add_number(&c, 3 + 2 * n);
        add_number(&c, 0);
        add_number(&c, 1);
        add_number(&c, 0);
        add_number(&c, 0);
        add_chunk(&p, "nSHP", &c);
    }
    scene = parse(&p, "b.vox", NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 6);
    vxe_scene_size(scene, sides);
    /* The first is at x 9..11, y 19..20, z 28..31; the second (pivot 1, 1, 2) at x 99..100, y -1..1, z 0..3.
     */
    assert_int_equal(sides[0], 100 - 9 + 1);
    assert_int_equal(sides[1], 20 + 1 + 1);
    assert_int_equal(sides[2], 32);
    assert_int_equal(vxe_scene_voxel(scene, 9 - 9, 19 + 1, 28), 2);
    assert_int_equal(vxe_scene_voxel(scene, 11 - 9, 20 + 1, 31), 1);
    assert_int_equal(vxe_scene_voxel(scene, 100 - 9, -1 + 1, 0), 2);
    assert_int_equal(vxe_scene_voxel(scene, 99 - 9, 1 + 1, 3), 1);
    assert_int_equal(vxe_scene_voxel(scene, 100 - 9, 0 + 1, 0), 2);
    vxe_scene_destroy(scene);
}

/* ---- PNG ------------------------------------------------------------------------------------------------------------ */

static void write_png(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_write_to_file(&image, path, 0, rgba, 0, NULL) != 0);
}

static void test_png(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const uint8_t low[24] = {
        255, 0, 0,   255, 0,   0, 0, 255, 9, 9, 9,   0,    /* top row: red, black, transparent */
        0,   0, 255, 255, 255, 0, 0, 255, 0, 0, 255, 255}; /* bottom row: blue, red, blue */
    uint8_t high[24];
    memset(high, 255, sizeof high); /* white */
    write_png("low.png", low, 3, 2);
    write_png("high.png", high, 3, 2);
    write_png("small.png", high, 2, 2);
    const char *const paths[2] = {"low.png", "high.png"};
    vxe_scene *scene = NULL;
    require(vxe_scene_load_images(paths, 2, NULL, &scene, &error), &error);
    int32_t size[3];
    vxe_scene_size(scene, size);
    assert_int_equal(size[0], 3);
    assert_int_equal(size[1], 2);
    assert_int_equal(size[2], 2);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 0, 1, 0))->name, "#ff0000");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 0, 0, 0))->name, "#0000ff");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 1, 0, 0))->name, "#ff0000");
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 1, 1, 1))->name, "#ffffff");
    assert_int_equal(vxe_scene_voxel(scene, 1, 1, 0), 0);
    assert_int_equal(vxe_scene_voxel(scene, 2, 1, 0), 0);
    vxe_scene_destroy(scene);
    /* A colour map; white is empty. */
    const vxe_color_name colors[4] = {
        {{255, 0, 0}, "gel"}, {{0, 0, 255}, "bone"}, {{0, 0, 0}, "void filler"}, {{255, 255, 255}, ""}};
    vxe_grid_def def = {.pitch = 5e-5, .colors = colors, .color_count = 4};
    require(vxe_scene_load_images(paths, 2, &def, &scene, &error), &error);
    assert_int_equal(vxe_scene_voxel_count(scene), 5);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 1, 1, 0))->name, "void filler");
    vxe_scene_destroy(scene);
    def.color_count = 2; /* white is not in the map */
    assert_int_equal(vxe_scene_load_images(paths, 2, &def, &scene, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nothing says what the colour #ffffff stands for"));
    /* A palette by its colours. */
    vxe_scene *palette = new_scene(1.0, 1, 1, 1);
    vxe_material_def material = vxe_default_material_def();
    (void)snprintf(material.name, sizeof material.name, "white stuff");
    memset(material.color, 255, 3);
    (void)put_material(palette, &material);
    def = (vxe_grid_def){.palette = palette};
    const char *const white[1] = {"high.png"};
    require(vxe_scene_load_images(white, 1, &def, &scene, &error), &error);
    assert_string_equal(vxe_scene_material(scene, vxe_scene_voxel(scene, 0, 0, 0))->name, "white stuff");
    vxe_scene_destroy(scene);
    vxe_scene_destroy(palette);
    const char *const uneven[2] = {"low.png", "small.png"};
    assert_int_equal(vxe_scene_load_images(uneven, 2, NULL, &scene, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "small.png: 2 x 2 pixels, but the first image has 3 x 2"));
    require(vxe_write_file("bad.png", "no image", 8, &error), &error);
    const char *const bad[1] = {"bad.png"};
    assert_int_equal(vxe_scene_load_images(bad, 1, NULL, &scene, &error), VXE_ERROR_INPUT);
    const char *const missing[1] = {"missing.png"};
    assert_int_equal(vxe_scene_load_images(missing, 1, NULL, &scene, &error), VXE_ERROR_FILE);
}

/* ---- what is wrong -------------------------------------------------------------------------------------------------- */

static void refuse(const paper *p, const char *name, vxe_result expected, const char *text)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_parse_grid(p->data, p->size, name, NULL, &scene, &error);
    if (result != expected || strstr(error.message, text) == NULL)
        fail_msg("%s: %s instead of %s, \"%s\" instead of \"%s\"", name, vxe_result_name(result),
                 vxe_result_name(expected), error.message, text);
    assert_null(scene);
}

static void refuse_header(const char *dictionary, vxe_result expected, const char *text)
{
    paper p = {.size = 0};
    const size_t length = strlen(dictionary);
    add_bytes(&p, "\x93NUMPY\x01\x00", 8);
    const char size[2] = {(char)(length & 0xff), (char)(length >> 8)};
    add_bytes(&p, size, 2);
    add_bytes(&p, dictionary, length);
    refuse(&p, "a.npy", expected, text);
}

static void test_errors(void **state)
{
    (void)state;
    paper p = {.size = 0};
    refuse(&p, "a.npy", VXE_ERROR_INPUT, "does not begin as an NPY file");
    refuse(&p, "a.npz", VXE_ERROR_INPUT, "the file is empty");
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "not a MagicaVoxel file");
    add_bytes(&p, "PK\x03\x04", 4);
    refuse(&p, "a.npz", VXE_ERROR_INPUT, "not a ZIP archive");
    refuse(&p, "a.txt", VXE_ERROR_INPUT, ".npy, .npz or .vox");
    refuse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1)}", VXE_ERROR_INPUT,
                  "an array of type \"f8\"");
    refuse_header("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}", VXE_ERROR_INPUT,
                  "2 dimensions");
    refuse_header("{'descr': '<i4', 'fortran_order': False, 'shape': (-1, 1, 1)}", VXE_ERROR_INPUT,
                  "the shape");
    refuse_header("{'descr': '<i4', 'fortran_order': Maybe, 'shape': (1, 1, 1)}", VXE_ERROR_INPUT,
                  "the order");
    refuse_header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", VXE_ERROR_INPUT,
                  "the type");
    refuse_header("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2, 2)}", VXE_ERROR_INPUT,
                  "cut off: 32 bytes of numbers are promised, 0 are there");
    refuse_header("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2, 2)}", VXE_ERROR_INPUT,
                  "has no voxels");
    refuse_header(
        "{'descr': '<i8', 'fortran_order': False, 'shape': (999999999999, 999999999999, 999999999999)}",
        VXE_ERROR_LIMIT, "too many");
    print_array(&p, "<i4", 4, false, false);
    p.data[p.size - 49] = (char)0x80; /* the last of the first half */
    refuse(&p, "a.npy", VXE_ERROR_INPUT, "[0,2,3] is -2147483645");
    p.size -= 1;
    refuse(&p, "a.npy", VXE_ERROR_INPUT, "cut off");
    /* A bomb: a gigabyte of zeros that a header calls eight bytes. */
    vxe_error error = {VXE_OK, ""};
    const size_t size = (size_t)64 << 20;
    char *zeros = calloc(size, 1);
    assert_non_null(zeros);
    const int64_t shape[3] = {2, 2, 2};
    vxe_npy_print_header(zeros, "|u1", shape, 3);
    const archive_part part = {"voxels.npy", zeros, size, NULL};
    require(vxe_archive_write("bomb.npz", &part, 1, &error), &error);
    free(zeros);
    vxe_scene *scene = NULL;
    assert_int_equal(vxe_scene_load_grid("bomb.npz", NULL, &scene, &error), VXE_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "decompression bomb"));
    /* MagicaVoxel. */
    begin_vox(&p);
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "a shape without its model");
    add_bytes(&p, "SIZE", 4);
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "cut off");
    const uint32_t sides[3] = {1, 1, 1};
    const unsigned char outside[4] = {0, 1, 0, 1};
    begin_vox(&p);
    add_model(&p, sides, outside, 1);
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "a voxel outside of its model");
    begin_vox(&p);
    add_model(&p, sides, outside, 0);
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "there are no voxels");
    add_transform(&p, 0, 0, "0 0 0", NULL); /* contains itself */
    refuse(&p, "a.vox", VXE_ERROR_INPUT, "contains itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_vox),
        cmocka_unit_test(test_png), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
