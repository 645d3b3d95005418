/* Readers of mesh files: the same mesh in every format, units, transforms, broken and hostile files, any
 * locale. */
#include "io/archive.h"
#include "meshes.h"

#include <locale.h>
#include <stdint.h>

/* A text or a binary that grows. */
typedef struct paper {
    char *data;
    size_t size;
} paper;

static void add_bytes(paper *p, const void *data, size_t size)
{
    p->data = realloc(p->data, p->size + size + 1);
    assert_non_null(p->data);
    if (size > 0) memcpy(p->data + p->size, data, size);
    p->size += size;
    p->data[p->size] = '\0';
}

static void add_text(paper *p, const char *format, ...) VXE_PRINTF(2, 3);
static void add_text(paper *p, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof line);
    add_bytes(p, line, (size_t)length);
}

/* Bytes of a number in either order. */
static void add_number(paper *p, const void *value, size_t size, bool big)
{
    const unsigned char *bytes = value;
    for (size_t i = 0; i < size; i++)
        add_bytes(p, &bytes[big ? size - 1 - i : i], 1); /* tests run on x86 and ARM */
}

static void add_float(paper *p, double value, bool big)
{
    const float number = (float)value;
    add_number(p, &number, sizeof number, big);
}

static paper stl_text(shape_mesh m)
{
    paper p = {NULL, 0};
    add_text(&p, "solid test of all\n");
    for (int32_t t = 0; t < m.triangle_count; t++) {
        add_text(&p, " facet normal nan 0 1e99\n  outer loop\n");
        for (int i = 0; i < 3; i++) {
            const double *v = m.vertex + 3 * m.triangle[3 * t + i];
            add_text(&p, "   vertex %.9g %.9e %+.9f\r\n", v[0], v[1], v[2]);
        }
        add_text(&p, "  endloop\n ENDFACET\n");
    }
    add_text(&p, "endsolid test of all\n");
    return p;
}

static paper stl_binary(shape_mesh m)
{
    paper p = {NULL, 0};
    char header[80] = "solid but binary";
    const uint32_t count = (uint32_t)m.triangle_count;
    add_bytes(&p, header, sizeof header);
    add_number(&p, &count, 4, false);
    for (int32_t t = 0; t < m.triangle_count; t++) {
        for (int i = 0; i < 3; i++) add_float(&p, 0.0, false);
        for (int i = 0; i < 9; i++) add_float(&p, m.vertex[3 * m.triangle[3 * t + i / 3] + i % 3], false);
        add_bytes(&p, "\0\0", 2);
    }
    return p;
}

static paper obj_text(shape_mesh m)
{
    paper p = {NULL, 0};
    add_text(&p, "# comment\nmtllib none.mtl\no thing\n");
    for (int32_t v = 0; v < m.vertex_count; v++)
        add_text(&p, "v %.9g %.9g %.9g 1.0\nvn 0 0 1\n", m.vertex[3 * v], m.vertex[3 * v + 1],
                 m.vertex[3 * v + 2]);
    for (int32_t t = 0; t < m.triangle_count; t++) {
        const int32_t *c = m.triangle + 3 * t;
        if (t % 2 == 0) {
            add_text(&p, "f %d/1/2 %d//3 %d\n", c[0] + 1, c[1] + 1, c[2] + 1);
        } else {
            add_text(&p, "f %d %d %d # back\n", c[0] - m.vertex_count, c[1] - m.vertex_count,
                     c[2] - m.vertex_count);
        }
    }
    return p;
}

static paper ply_file(shape_mesh m, const char *format)
{
    paper p = {NULL, 0};
    const bool text = strcmp(format, "ascii") == 0;
    const bool big = strcmp(format, "binary_big_endian") == 0;
    add_text(&p, "ply\nformat %s 1.0\ncomment made up\n", format);
    add_text(
        &p,
        "element vertex %d\nproperty uchar red\nproperty double x\nproperty float y\nproperty float32 z\n",
        (int)m.vertex_count);
    add_text(&p,
             "element face %d\nproperty list uchar short flags\nproperty list uint8 int "
             "vertex_indices\nend_header\n",
             (int)m.triangle_count);
    for (int32_t v = 0; v < m.vertex_count; v++) {
        const double *c = m.vertex + 3 * v;
        if (text) {
            add_text(&p, "255 %.9g %.9g %.9g\n", c[0], c[1], c[2]);
        } else {
            add_bytes(&p, "\xff", 1);
            add_number(&p, &c[0], 8, big);
            add_float(&p, c[1], big);
            add_float(&p, c[2], big);
        }
    }
    for (int32_t t = 0; t < m.triangle_count; t++) {
        const int32_t *c = m.triangle + 3 * t;
        if (text) {
            add_text(&p, "2 -7 9 3 %d %d %d\n", c[0], c[1], c[2]);
        } else {
            add_bytes(&p, "\x01\x00\x01\x03", 4);
            for (int i = 0; i < 3; i++) add_number(&p, &c[i], 4, big);
        }
    }
    return p;
}

/* An archive of one model. */
static paper zip_model(const char *entry, const char *model, size_t size)
{
    vxe_error error = {VXE_OK, ""};
    const archive_part part = {entry, model, size, NULL};
    require(vxe_archive_write("test.3mf", &part, 1, &error), &error);
    paper p = {NULL, 0};
    require(vxe_read_file("test.3mf", (size_t)1 << 30, &p.data, &p.size, &error), &error);
    return p;
}

static void add_model_mesh(paper *p, shape_mesh m)
{
    add_text(p, "<mesh><vertices>\n");
    for (int32_t v = 0; v < m.vertex_count; v++)
        add_text(p, "<vertex x=\"%.9g\" y=\"%.9g\" z=\"%.9g\"/>\n", m.vertex[3 * v], m.vertex[3 * v + 1],
                 m.vertex[3 * v + 2]);
    add_text(p, "</vertices><triangles>\n");
    for (int32_t t = 0; t < m.triangle_count; t++)
        add_text(p, "<triangle v1=\"%d\" v2=\"%d\" v3=\"%d\"/>\n", m.triangle[3 * t], m.triangle[3 * t + 1],
                 m.triangle[3 * t + 2]);
    add_text(p, "</triangles></mesh>");
}

static const char model_head[] = "<?xml version=\"1.0\"?>\n<model unit=\"%s\" "
                                 "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">"
                                 "<resources>\n";

static paper threemf(shape_mesh m)
{
    paper p = {NULL, 0};
    add_text(&p, model_head, "centimeter");
    add_text(&p, "<object id=\"3\" type=\"model\">");
    add_model_mesh(&p, m);
    add_text(&p, "</object></resources><build><item objectid=\"3\"/></build></model>\n");
    paper z = zip_model("3D/3dmodel.model", p.data, p.size);
    free(p.data);
    return z;
}

static vxe_mesh *parse(paper p, const char *name, double unit)
{
    vxe_mesh *mesh = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_mesh_parse(p.data, p.size, name, unit, &mesh, &error), &error);
    return mesh;
}

/* The mesh of a file that is freed is the box from (0,0,0) to (1,2,3) units. */
static void check_box(paper p, const char *name, double unit)
{
    vxe_mesh *mesh = parse(p, name, 0.01);
    const vxe_mesh_view *view = vxe_mesh_get(mesh);
    assert_int_equal(view->vertex_count, 8);
    assert_int_equal(view->triangle_count, 12);
    assert_int_equal(view->open_edges, 0);
    for (int a = 0; a < 3; a++) {
        check_near("lower", view->lower[a], unit * -0.5, 1e-15);
        check_near("upper", view->upper[a], unit * (a + 0.5), 1e-15);
    }
    check_near("volume", view->volume, 6.0 * unit * unit * unit, 1e-15);
    check_near("area", view->area, 22.0 * unit * unit, 1e-15);
    vxe_mesh_destroy(mesh);
    free(p.data);
}

static void test_formats(void **state)
{
    (void)state;
    const double low[3] = {-0.5, -0.5, -0.5};
    const double high[3] = {0.5, 1.5, 2.5};
    shape_mesh box = box_mesh(low, high);
    const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}; /* those that this machine has */
    for (int i = 0; i < 3; i++) {
        if (i == 0) {
            check_box(stl_text(box), "box.stl", 0.01);
            check_box(stl_binary(box), "BOX.STL", 0.01);
            check_box(obj_text(box), "box.obj", 0.01);
            check_box(ply_file(box, "ascii"), "box.ply", 0.01);
            check_box(ply_file(box, "binary_little_endian"), "box.ply", 0.01);
            check_box(ply_file(box, "binary_big_endian"), "box.ply", 0.01);
            check_box(threemf(box), "box.3mf", 0.01); /* says centimetres itself */
        } else {
            paper text = stl_text(box); /* written with points */
            if (setlocale(LC_ALL, locales[i]) == NULL) print_message("no locale %s here\n", locales[i]);
            check_box(text, "box.stl", 0.01);
            assert_non_null(setlocale(LC_ALL, "C"));
        }
    }
    /* A file on disk. */
    paper p = stl_binary(box);
    vxe_error error = {VXE_OK, ""};
    require(vxe_write_file("box.stl", p.data, p.size, &error), &error);
    vxe_mesh *mesh = NULL;
    require(vxe_mesh_load("box.stl", 1e-3, &mesh, &error), &error);
    check_near("volume", vxe_mesh_get(mesh)->volume, 6e-9, 1e-20);
    vxe_mesh_destroy(mesh);
    free(p.data);
    free_mesh(box);
}

/* Polygons become fans; digits beyond what a double holds are read right. */
static void test_details(void **state)
{
    (void)state;
    paper p = {NULL, 0};
    add_text(&p,
             "v 0 0 0\nv 1.00000000000000000000000000000 0 0\nv 1 1e0 0\nv 0 100000000000000000000e-20 0\n"
             "v 0 0 1\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n");
    vxe_mesh *mesh = parse(p, "pyramid.obj", 1.0);
    assert_int_equal(vxe_mesh_get(mesh)->triangle_count, 6);
    assert_int_equal(vxe_mesh_get(mesh)->open_edges, 0);
    check_near("pyramid", vxe_mesh_get(mesh)->volume, 1.0 / 3.0, 1e-15);
    vxe_mesh_destroy(mesh);
    free(p.data);
    /* 3MF: components, transforms, mirrors; supports are left out. */
    const double low[3] = {0, 0, 0};
    const double high[3] = {1, 1, 1};
    shape_mesh cube = box_mesh(low, high);
    paper model = {NULL, 0};
    add_text(&model, model_head, "millimeter");
    add_text(&model, "<object id=\"1\">");
    add_model_mesh(&model, cube);
    add_text(&model,
             "</object><object id=\"2\"><components>"
             "<component objectid=\"1\"/>"
             "<component objectid=\"1\" transform=\"-1 0 0 0 1 0 0 0 1 5 0 0\"/>" /* mirrored: 4 to 5 */
             "</components></object><object id=\"9\" type=\"support\">");
    add_model_mesh(&model, cube);
    add_text(&model,
             "</object></resources><build><item objectid=\"2\" transform=\"0 2 0 -1 0 0 0 0 1 0 0 10\"/>"
             "<item objectid=\"9\" transform=\"9 0 0 0 9 0 0 0 9 0 0 0\"/></build></model>");
    p = zip_model("Any/thing.model", model.data, model.size);
    mesh = parse(p, "two.3mf", 1.0);
    const vxe_mesh_view *view = vxe_mesh_get(mesh);
    assert_int_equal(view->triangle_count, 24);
    check_near("volume", view->volume, 2e-9 * 2.0, 1e-20);
    check_near("x", view->lower[0], -1e-3, 1e-15);
    check_near("y", view->upper[1], 10e-3, 1e-15);
    check_near("z", view->lower[2], 10e-3, 1e-15);
    vxe_mesh_destroy(mesh);
    free(p.data);
    free(model.data);
    free_mesh(cube);
}

static void refuse(const char *data, size_t size, const char *name, vxe_result expected, const char *text)
{
    vxe_mesh *mesh = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_mesh_parse(data, size, name, 1.0, &mesh, &error);
    if (result != expected || strstr(error.message, text) == NULL)
        fail_msg("%s: %s instead of %s, \"%s\" instead of \"%s\"", name, vxe_result_name(result),
                 vxe_result_name(expected), error.message, text);
    assert_null(mesh);
}

static void refuse_text(const char *text, const char *name, const char *message)
{
    refuse(text, strlen(text), name, VXE_ERROR_INPUT, message);
}

static void test_errors(void **state)
{
    (void)state;
    refuse_text("", "a.stl", "a.stl: the file is empty");
    refuse_text("hello", "a.stl", "not an STL file");
    refuse_text("solid\nendsolid\n", "a.stl", "a.stl: the mesh has no triangles");
    refuse_text("solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 nan\n", "a.stl",
                "a.stl:4: \"nan\" is not a finite number");
    refuse_text("solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 1 2 1,5\n", "a.stl",
                "a.stl:5: \"1,5\" is not a finite number");
    refuse_text("solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendloop", "a.stl",
                "\"endloop\" where \"vertex\" should be");
    refuse_text("solid\nfacet", "a.stl", "cut off");
    refuse_text("solid\nnonsense", "a.stl", "a.stl:2: \"nonsense\" where \"facet\" should be");
    char stl[84 + 50];
    memset(stl, 0, sizeof stl);
    stl[80] = 2;
    refuse(stl, sizeof stl, "b.stl", VXE_ERROR_INPUT, "cut off: 2 triangles are promised, 1 are there");
    stl[80] = 1;
    refuse(stl, sizeof stl, "b.stl", VXE_ERROR_INPUT, "have no area");
    memcpy(stl + 84 + 12 + 16, "\0\0\x80\x7f", 4);
    refuse(stl, sizeof stl, "b.stl", VXE_ERROR_INPUT, "triangle 1: y of corner 2 is not a finite number");
    refuse_text("hello\n", "a.obj", "not an OBJ file");
    refuse_text("v 0 0\n", "a.obj", "a.obj:1: \"\" is not a finite number");
    refuse_text("v 0 0 0\nf 1 1\n", "a.obj", "a.obj:2: a face of 2 corners");
    refuse_text("v 0 0 0\nf 0 1 1\n", "a.obj", "a.obj:2: \"0\" is not the number of a vertex");
    refuse_text("v 0 0 0\nf 1 1 -2\n", "a.obj", "there is no such vertex");
    refuse_text("v 0 0 0\nf 1 1 7\n", "a.obj", "names vertex 7, but there are 1");
    refuse_text("v 0 0 0\nv 1e999 0 0\n", "a.obj", "a.obj:2: \"1e999\" is not a finite number");
    refuse_text("hello\n", "a.ply", "does not begin with \"ply\"");
    refuse_text("ply\nformat ascii 1.0\n", "a.ply", "cut off in the header");
    refuse_text("ply\nformat morse 1.0\n", "a.ply", "a.ply:2: \"morse\" is no format");
    refuse_text("ply\nformat ascii 1.0\nelement vertex -1\n", "a.ply",
                "a.ply:3: \"-1\" is not a number of elements");
    refuse_text("ply\nproperty float x\n", "a.ply", "is a property of no element");
    refuse_text("ply\nelement vertex 1\nproperty complex x\n", "a.ply", "\"complex\" is not a type");
    refuse_text("ply\nformat ascii 1.0\nelement vertex 900000000000\nproperty float x\nend_header\n1 2",
                "a.ply", "900000000000 times \"vertex\" is promised, but the file is too short");
    refuse_text("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1", "a.ply",
                "no vertices with x, y and z");
    refuse_text("PK", "a.3mf", "not a ZIP archive");
    refuse_text("", "a.xyz", "end in .stl, .obj, .ply or .3mf");
    vxe_mesh *mesh = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_mesh_load("missing.stl", 1.0, &mesh, &error), VXE_ERROR_FILE);
    assert_int_equal(vxe_mesh_parse("", 0, "a.stl", 0.0, &mesh, &error), VXE_ERROR_ARGUMENT);
}

static void refuse_model(const char *model, const char *text)
{
    paper p = zip_model("3D/3dmodel.model", model, strlen(model));
    refuse(p.data, p.size, "a.3mf", VXE_ERROR_INPUT, text);
    free(p.data);
}

static void test_hostile(void **state)
{
    (void)state;
    refuse_model("", "a.3mf: the model, line");
    refuse_model("<model>", "a.3mf: the model, line");
    refuse_model("<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>", "document types and entities");
    refuse_model("<!DOCTYPE model [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><model unit=\"&b;\"/>",
                 "document types and entities");
    refuse_model("<model unit=\"furlong\"/>", "unknown unit \"furlong\"");
    refuse_model("<model/>", "does not say what to build");
    refuse_model("<model><build><item objectid=\"4\"/></build></model>", "object 4 is used but not defined");
    refuse_model(
        "<model><resources><object id=\"1\"><components><component objectid=\"1\"/></components></object>"
        "</resources><build><item objectid=\"1\"/></build></model>",
        "object 1 is used but not defined before");
    refuse_model("<model><resources><object id=\"1\"><mesh><vertices><vertex x=\"1\" y=\"2\"/>",
                 "lacks \"z\"");
    refuse_model("<model><resources><object id=\"1\"><mesh><vertices><vertex x=\"1\" y=\"2\" z=\"inf\"/>",
                 "not a number: \"inf\"");
    refuse_model("<model><resources><object id=\"1\"><mesh><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/>"
                 "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>",
                 "names vertex 0, but there are 0");
    /* A bomb: 64 MB of spaces in some 64 kB. */
    const size_t size = (size_t)64 << 20;
    char *spaces = malloc(size);
    assert_non_null(spaces);
    memset(spaces, ' ', size);
    paper p = zip_model("3D/3dmodel.model", spaces, size);
    free(spaces);
    assert_true(p.size < size / 200);
    refuse(p.data, p.size, "bomb.3mf", VXE_ERROR_LIMIT, "decompression bomb");
    free(p.data);
    /* Components that double eighteen times over. */
    paper model = {NULL, 0};
    add_text(&model, "<model><resources><object id=\"0\"/>");
    for (int i = 1; i <= 14; i++) {
        add_text(&model, "<object id=\"%d\"><components>", i);
        for (int j = 0; j < 4; j++) add_text(&model, "<component objectid=\"%d\"/>", i - 1);
        add_text(&model, "</components></object>");
    }
    add_text(&model, "</resources><build><item objectid=\"14\"/></build></model>");
    p = zip_model("3D/3dmodel.model", model.data, model.size);
    refuse(p.data, p.size, "many.3mf", VXE_ERROR_LIMIT, "components within components: too many");
    free(p.data);
    free(model.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
