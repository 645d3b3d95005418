/* What a file of the VoxCAD family has in its workspace: voxels, composites, regions, materials. */
#include "vxa_text.h"

#include <zlib.h>

/* --- voxels --- */

static const char *const encodings[] = {
    "<Structure "
    "Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>2</Y_Voxels><Z_Voxels>1</Z_Voxels>"
    "<Data><Layer><![CDATA[012203]]></Layer></Data></Structure>",
    "<Structure "
    "Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>2</Y_Voxels><Z_Voxels>1</Z_Voxels>"
    "<Data><Layer> 012203 \r\n</Layer></Data></Structure>",
    "<Structure Compression=\"BASE64\"><X_Voxels>3</X_Voxels><Y_Voxels>2</Y_Voxels><Z_Voxels>1</Z_Voxels>"
    "<Data><Layer><![CDATA[AAECAgAD]]></Layer></Data></Structure>",
    "<Structure Compression=\"SOMETHING\"><X_Voxels>3</X_Voxels><Y_Voxels>2</Y_Voxels><Z_Voxels>1</Z_Voxels>"
    "<Data><Layer><![CDATA[AAECAgAD]]></Layer></Data></Structure>",
};

#define THREE BLOCK_MATERIAL BLOCK_MATERIAL BLOCK_MATERIAL

static void check_six(const vxe_scene *scene)
{
    static const int32_t expected[6] = {0, 1, 2, 2, 0, 3};
    for (int32_t n = 0; n < 6; n++) assert_int_equal(vxe_scene_voxel(scene, n % 3, n / 3, 0), expected[n]);
}

static void test_encodings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, NULL, NULL, THREE, encodings[i]);
        check_six(scene);
        vxe_scene_destroy(scene);
    }
}

/* Bytes in base 64. */
static void encode(const unsigned char *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned long bits = 0;
        for (size_t n = 0; n < 3; n++) bits = bits << 8 | (i + n < size ? bytes[i + n] : 0);
        for (size_t n = 0; n < 4; n++) text[used++] = i + n > size ? '=' : digits[bits >> (18 - 6 * n) & 63];
    }
    text[used] = '\0';
}

static char *packed_structure(const unsigned char *cells, size_t size, const char *kind, int32_t side)
{
    const size_t skip = strcmp(kind, "QT_ZLIB") == 0 ? 4 : 0;
    uLongf length = compressBound((uLong)size);
    unsigned char *packed = malloc(length + 4);
    char *layer = malloc(2 * (length + 8));
    char *text = malloc(2 * (length + 8) + 512);
    assert_true(packed != NULL && layer != NULL && text != NULL);
    assert_int_equal(compress(packed + skip, &length, cells, (uLong)size), Z_OK);
    for (size_t i = 0; i < skip; i++) packed[i] = (unsigned char)(size >> (8 * (3 - i)) & 255);
    encode(packed, length + skip, layer);
    (void)snprintf(text, 2 * (length + 8) + 512,
                   "<Structure Compression=\"%s\"><X_Voxels>%d</X_Voxels><Y_Voxels>2</Y_Voxels>"
                   "<Z_Voxels>1</Z_Voxels><Data><Layer><![CDATA[%s]]></Layer></Data></Structure>",
                   kind, (int)side, layer);
    free(layer);
    free(packed);
    return text;
}

static void test_compressed_layers(void **state)
{
    (void)state;
    static const unsigned char cells[6] = {0, 1, 2, 2, 0, 3};
    static const char *const kinds[] = {"ZLIB", "QT_ZLIB"};
    for (size_t i = 0; i < 2; i++) {
        char *structure = packed_structure(cells, 6, kinds[i], 3);
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, NULL, NULL, THREE, structure);
        check_six(scene);
        vxe_scene_destroy(scene);
        free(structure);
    }
}

/* A stream that unpacks to far more than the layer has room for stops at the layer's size. */
static void test_compression_bomb(void **state)
{
    (void)state;
    const size_t size = 64u << 20;
    unsigned char *zeros = calloc(size, 1);
    assert_non_null(zeros);
    char *structure = packed_structure(zeros, size, "ZLIB", 3);
    char *text = vxa_text(NULL, NULL, THREE, structure);
    check_refused(text, "not a compressed stream of 6 voxels");
    free(text);
    free(structure);
    free(zeros);
}

/* Version 0.92: one text, every byte an index. */
static void test_old_version(void **state)
{
    (void)state;
    char text[8192] =
        "\n\n<DMF Version=\"0.92\"><Lattice><Lattice_Dim>0.002</Lattice_Dim></Lattice><Palette>";
    for (int i = 0; i < 9; i++) (void)strcat(text, BLOCK_MATERIAL);
    (void)strcat(text,
                 "</Palette><Structure Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels>"
                 "<Y_Voxels>1</Y_Voxels><Z_Voxels>2</Z_Voxels><Data>\t\t\r\n\t\t</Data></Structure></DMF>");
    vxe_scene *scene = read_text(text, VXE_DIALECT_AUTO, NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 4);
    assert_int_equal(vxe_scene_voxel(scene, 1, 0, 1), 9); /* a tab is byte 9 */
    vxe_scene_destroy(scene);
}

static void test_layers_are_counted(void **state)
{
    (void)state;
    char *text =
        vxa_text(NULL, NULL, NULL,
                 "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels><Y_Voxels>2</Y_Voxels>"
                 "<Z_Voxels>2</Z_Voxels><Data><Layer>1111</Layer>\n<Layer>111</Layer></Data></Structure>");
    check_refused(text, "test.vxa:8: Layer: the layer has 3 voxels, not 4");
    free(text);
    text = vxa_text(NULL, NULL, NULL,
                    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels><Y_Voxels>2</Y_Voxels>"
                    "<Z_Voxels>2</Z_Voxels><Data><Layer>1111</Layer></Data></Structure>");
    check_refused(text, "1 layers, not 2");
    free(text);
    text = vxa_text(NULL, NULL, NULL,
                    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"
                    "<Z_Voxels>1</Z_Voxels><Data><Layer>5</Layer></Data></Structure>");
    check_refused(text, "palette index 5; the palette has 1");
    free(text);
    text = vxa_text(NULL, NULL, NULL,
                    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1e9</X_Voxels><Y_Voxels>1</Y_Voxels>"
                    "<Z_Voxels>1</Z_Voxels><Data><Layer>5</Layer></Data></Structure>");
    check_refused(text, "X_Voxels: 1000000000 is not within 1 to 1000000");
    free(text);
}

/* --- composites --- */

static void test_composites(void **state)
{
    (void)state;
    static const char palette[] = BLOCK_MATERIAL BLOCK_MATERIAL
        "<Material><MatType>1</MatType><Name>Tile</Name><Structure Compression=\"ASCII_READABLE\">"
        "<X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>12</Layer></Data></Structure><X_Offset>1</X_Offset></Material>"
        "<Material><Name>Mix</Name><RandIndex1>1</RandIndex1><RandIndex2>0</RandIndex2>"
        "<PercIndex1>0.25</PercIndex1></Material>";
    char layer[1200];
    memset(layer, '4', 1000);
    (void)snprintf(layer + 1000, 8, "%s", "");
    char structure[4096];
    (void)snprintf(
        structure, sizeof structure,
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1000</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>2</Z_Voxels><Data><Layer>%s</Layer><Layer>3333%.996s</Layer></Data></Structure>",
        layer, layer);
    char *text = vxa_text("<GA/>", NULL, palette, structure);
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(text, VXE_DIALECT_EVOSORO, &notes);
    static const int32_t tile[4] = {2, 1, 2, 1};
    for (int32_t i = 0; i < 4; i++) assert_int_equal(vxe_scene_voxel(scene, i, 0, 1), tile[i]);
    int32_t count = 0;
    for (int32_t i = 0; i < 1000; i++) count += vxe_scene_voxel(scene, i, 0, 0) == 1;
    /* 1000 draws of 0.25: standard deviation 14, so four of them */
    check_near("a quarter of the mixture", count, 250.0, 55.0);
    vxe_scene *again = read_text(text, VXE_DIALECT_EVOSORO, NULL);
    assert_true(hash_of(scene) == hash_of(again));
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    vxe_scene_destroy(again);
    free(text);
}

static void test_composites_in_circles(void **state)
{
    (void)state;
    char *text =
        vxa_text(NULL, NULL,
                 "<Material><Name>A</Name><RandIndex1>2</RandIndex1><RandIndex2>2</RandIndex2></Material>"
                 "<Material><Name>B</Name><RandIndex1>1</RandIndex1><RandIndex2>1</RandIndex2></Material>",
                 NULL);
    check_refused(text, "stand for each other without end");
    free(text);
}

/* --- regions --- */

#define FIXED_BOX "<FRegion><PrimType>0</PrimType><X>0</X><Y>0</Y><Z>0</Z><dX>0.01</dX><dY>1</dY><dZ>1</dZ>"
#define CUBE_STRUCTURE                                                                                       \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>5</X_Voxels><Y_Voxels>5</Y_Voxels>"                 \
    "<Z_Voxels>5</Z_Voxels><Data><Layer>1111111111111111111111111</Layer>"                                   \
    "<Layer>1111111111111111111111111</Layer><Layer>1111111111111111111111111</Layer>"                       \
    "<Layer>1111111111111111111111111</Layer><Layer>1111111111111111111111111</Layer></Data></Structure>"

static vxe_scene *read_regions(vxe_dialect dialect, const char *list)
{
    char environment[4096];
    (void)snprintf(environment, sizeof environment, STILL "<Boundary_Conditions>%s</Boundary_Conditions>",
                   list);
    return read_parts(dialect, DAMPED, environment, NULL, CUBE_STRUCTURE);
}

static void test_region_shapes(void **state)
{
    (void)state;
    vxe_scene *scene = read_regions(
        VXE_DIALECT_VOXCAD,
        "<NumBCs>9</NumBCs>" FIXED_BOX "<DofFixed>63</DofFixed></FRegion>"
        /* radius of the largest side: 1 voxel; centres within 1 + 0.866 of the middle: 1 + 6 + 12 + 8 = 27 */
        "<FRegion><PrimType>2</PrimType><X>0.5</X><Y>0.5</Y><Z>0.5</Z><Radius>0.2</Radius><ForceX>1</"
        "ForceX></FRegion>"
        /* 1.2 voxels about the axis: centres at 0 and 1 across, 5 of them, 5 along */
        "<FRegion><PrimType>1</PrimType><X>0</X><Y>0.5</Y><Z>0.5</Z><dX>1</dX><Radius>0.24</Radius>"
        "<ForceY>2</ForceY></FRegion>"
        /* an octahedron that holds the middle centre and its 6 neighbours */
        "<FRegion><PrimType>3</PrimType><X>0.2</X><Y>0.2</Y><Z>0.2</Z><dX>0.6</dX><dY>0.6</dY><dZ>0.6</dZ>"
        "<CMesh><Vertices><Vertex><Vx>1</Vx></Vertex><Vertex><Vx>-1</Vx></Vertex><Vertex><Vy>1</Vy></Vertex>"
        "<Vertex><Vy>-1</Vy></Vertex><Vertex><Vz>1</Vz></Vertex><Vertex><Vz>-1</Vz></Vertex></"
        "Vertices><Facets>"
        "<Facet><V0>0</V0><V1>2</V1><V2>4</V2></Facet><Facet><V0>2</V0><V1>1</V1><V2>4</V2></Facet>"
        "<Facet><V0>1</V0><V1>3</V1><V2>4</V2></Facet><Facet><V0>3</V0><V1>0</V1><V2>4</V2></Facet>"
        "<Facet><V0>2</V0><V1>0</V1><V2>5</V2></Facet><Facet><V0>1</V0><V1>2</V1><V2>5</V2></Facet>"
        "<Facet><V0>3</V0><V1>1</V1><V2>5</V2></Facet><Facet><V0>0</V0><V1>3</V1><V2>5</V2></Facet>"
        "</Facets></CMesh><ForceZ>3</ForceZ></FRegion>"
        "<FRegion><PrimType>2</PrimType><X>5</X><Y>5</Y><Z>5</Z></FRegion>"
        "<FRegion><X>5</X></FRegion>");
    assert_int_equal(vxe_scene_region_count(scene), 4);
    assert_int_equal(count_touched(scene, 0), 25);
    assert_int_equal(count_touched(scene, 1), 27);
    assert_int_equal(count_touched(scene, 2), 25);
    assert_int_equal(count_touched(scene, 3), 7);
    assert_int_equal(vxe_scene_region(scene, 0)->fixed, VXE_DOF_ALL);
    assert_true(vxe_scene_region(scene, 1)->force[0] == 1.0 && vxe_scene_region(scene, 2)->force[1] == 2.0 &&
                vxe_scene_region(scene, 3)->force[2] == 3.0);
    vxe_scene_destroy(scene);
}

static void test_old_regions(void **state)
{
    (void)state;
    vxe_scene *scene = read_parts(VXE_DIALECT_VOXCAD, DAMPED,
                                  STILL "<Fixed_Regions><NumFixed>1</NumFixed>" FIXED_BOX
                                        "<Fixed>1</Fixed></FRegion></Fixed_Regions><Forced_Regions>"
                                        "<NumForced>1</NumForced><FRegion><PrimType>0</PrimType><X>0.99</X>"
                                        "<dX>0.01</dX><dY>1</dY><dZ>1</dZ><TorqueY>0.5</TorqueY></FRegion>"
                                        "</Forced_Regions>",
                                  NULL, CUBE_STRUCTURE);
    assert_int_equal(vxe_scene_region_count(scene), 2);
    assert_int_equal(vxe_scene_region(scene, 0)->fixed, VXE_DOF_ALL);
    assert_true(vxe_scene_region_touches(scene, 0, 0, 0, 0) && !vxe_scene_region_touches(scene, 0, 1, 0, 0));
    assert_true(vxe_scene_region_touches(scene, 1, 4, 0, 0) && !vxe_scene_region_touches(scene, 1, 3, 0, 0));
    assert_true(vxe_scene_region(scene, 1)->torque[1] == 0.5);
    vxe_scene_destroy(scene);
}

/* A prescribed rotation turns each voxel about its own centre. */
static void test_prescribed_motion(void **state)
{
    (void)state;
    vxe_scene *scene =
        read_regions(VXE_DIALECT_VOXCAD, FIXED_BOX "<DofFixed>63</DofFixed><DisplaceX>-0.002</DisplaceX>"
                                                   "<AngDisplaceX>0.2</AngDisplaceX></FRegion>");
    bench b = start(scene);
    const vxe_stop stop = {.time = 0.3};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    const int32_t v = voxel_at(b.sim, 0, 4, 4);
    check_near("displacement", moved(b.sim, v, 0), -0.002, 1e-12);
    check_near("displacement across", moved(b.sim, v, 1), 0.0, 1e-12);
    check_near("half the turn", vxe_sim_state(b.sim)->orientation[1][v], sin(0.1), 1e-9);
    finish(b);
}

/* --- materials --- */

static vxe_scene *read_mechanical(vxe_dialect dialect, const char *mechanical)
{
    char palette[2048];
    (void)snprintf(palette, sizeof palette,
                   "<Material><Name>M</Name><Mechanical>%s<Density>1000</Density></Mechanical></Material>",
                   mechanical);
    return read_parts(dialect, DAMPED, STILL, palette, NULL);
}

static void test_laws(void **state)
{
    (void)state;
    vxe_scene *s = read_mechanical(VXE_DIALECT_VOXCAD, "<MatModel>1</MatModel><Elastic_Mod>2e6</Elastic_Mod>"
                                                       "<Fail_Stress>3e5</Fail_Stress>");
    assert_true(vxe_scene_material(s, 1)->failure_stress == 3e5 &&
                vxe_scene_material(s, 1)->youngs_modulus == 2e6);
    vxe_scene_destroy(s);
    s = read_mechanical(VXE_DIALECT_EVOSORO, "<MatModel>1</MatModel><Elastic_Mod>2e6</Elastic_Mod>"
                                             "<Fail_Strain>0.1</Fail_Strain>");
    check_near("stress at the failure strain", vxe_scene_material(s, 1)->failure_stress, 2e5, 1e-9);
    vxe_scene_destroy(s);
    s = read_mechanical(VXE_DIALECT_VOXCAD, "<MatModel>2</MatModel><Elastic_Mod>2e6</Elastic_Mod>"
                                            "<Plastic_Mod>1e5</Plastic_Mod><Yield_Stress>4e4</Yield_Stress>");
    assert_int_equal(vxe_scene_material(s, 1)->law, VXE_LAW_BILINEAR);
    assert_true(vxe_scene_material(s, 1)->plastic_modulus == 1e5 &&
                vxe_scene_material(s, 1)->yield_stress == 4e4);
    vxe_scene_destroy(s);
    s = read_mechanical(
        VXE_DIALECT_VOXCAD,
        "<MatModel>3</MatModel><SSData><NumDataPts>3</NumDataPts><StrainData><Strain>0</Strain>"
        "<Strain>0.1</Strain><Strain>0.5</Strain></StrainData><StressData><Stress>0</Stress>"
        "<Stress>2e5</Stress><Stress>3e5</Stress></StressData></SSData>");
    assert_int_equal(vxe_scene_material(s, 1)->law, VXE_LAW_TABLE);
    assert_int_equal(vxe_scene_material(s, 1)->table_count, 3);
    check_near("modulus from the data", vxe_scene_material(s, 1)->youngs_modulus, 2e6, 1e-6);
    vxe_scene_destroy(s);
}

/* Materials without mechanics have those of the one before. */
static void test_inherited_mechanics(void **state)
{
    (void)state;
    vxe_scene *s = read_parts(VXE_DIALECT_VOXCAD, DAMPED, STILL,
                              BLOCK_MATERIAL "<Material><Name>Copy</Name></Material>", NULL);
    assert_true(vxe_scene_material(s, 2)->youngs_modulus == 1e6 &&
                vxe_scene_material(s, 2)->expansion == 0.01);
    assert_string_equal(vxe_scene_material(s, 2)->name, "Copy");
    vxe_scene_destroy(s);
}

/* --- parts of a scene --- */

static void test_palette_and_conditions(void **state)
{
    (void)state;
    vxe_scene *scene = read_text("<Palette>" THREE "</Palette>", VXE_DIALECT_AUTO, NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 3);
    assert_int_equal(vxe_scene_voxel(scene, 4, 0, 0), 3);
    vxe_scene_destroy(scene);
    scene = read_text("<Environment><Boundary_Conditions>" FIXED_BOX "<DofFixed>7</DofFixed></FRegion>"
                      "</Boundary_Conditions>" STILL "</Environment>",
                      VXE_DIALECT_AUTO, NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 1000);
    assert_int_equal(count_touched(scene, 0), 100);
    vxe_scene_destroy(scene);
    scene = read_text(
        "<VXC Version=\"0.94\"><Lattice><Lattice_Dim>0.002</Lattice_Dim><X_Dim_Adj>0.5</X_Dim_Adj></Lattice>"
        "<Palette>" BLOCK_MATERIAL "</Palette>" BAR_STRUCTURE "</VXC>",
        VXE_DIALECT_AUTO, NULL);
    assert_true(vxe_scene_pitch(scene) == 0.001);
    assert_true(vxe_scene_environment(scene).floor && vxe_scene_environment(scene).gravity[2] == -9.81);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_compressed_layers),
        cmocka_unit_test(test_compression_bomb),
        cmocka_unit_test(test_old_version),
        cmocka_unit_test(test_layers_are_counted),
        cmocka_unit_test(test_composites),
        cmocka_unit_test(test_composites_in_circles),
        cmocka_unit_test(test_region_shapes),
        cmocka_unit_test(test_old_regions),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_inherited_mechanics),
        cmocka_unit_test(test_palette_and_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
