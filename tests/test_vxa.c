/* Files of the VoxCAD family: encodings, regions, materials, formulas, remarks, round trips, and what is
 * refused. */
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

static int32_t count_touched(const vxe_scene *scene, int32_t region)
{
    int32_t size[3];
    int32_t count = 0;
    vxe_scene_size(scene, size);
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) count += vxe_scene_region_touches(scene, region, i, j, k);
        }
    }
    return count;
}

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

/* --- stop conditions --- */

static vxe_stop stop_of(vxe_dialect dialect, const char *inside)
{
    char simulator[2048];
    (void)snprintf(simulator, sizeof simulator, DAMPED "<StopCondition>%s</StopCondition>", inside);
    vxe_scene *scene =
        read_parts(dialect, simulator, STILL "<Thermal><TempPeriod>0.5</TempPeriod></Thermal>", NULL, NULL);
    const vxe_stop stop = vxe_scene_stop(scene);
    vxe_scene_destroy(scene);
    return stop;
}

#define TYPE(number, value)                                                                                  \
    "<StopConditionType>" #number "</StopConditionType><StopConditionValue>" #value "</StopConditionValue>"

static void test_stop_types(void **state)
{
    (void)state;
    assert_int_equal(stop_of(VXE_DIALECT_EVOSORO, TYPE(1, 250)).steps, 250);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1.5)).time == 1.5);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1.5) "<AfterlifeTime>0.5</AfterlifeTime>").time == 2.0);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(3, 4)).cycles == 4.0);
    /* thousandths per voxel; the bar has four */
    check_near("energy", stop_of(VXE_DIALECT_EVOSORO, TYPE(4, 2)).energy_change, 8e-3, 1e-15);
    check_near("kinetic energy", stop_of(VXE_DIALECT_EVOSORO, TYPE(5, 2)).kinetic_energy, 8e-3, 1e-15);
    check_near("movement", stop_of(VXE_DIALECT_EVOSORO, TYPE(6, 2)).movement, 2e-3, 1e-15);
    assert_int_equal(stop_of(VXE_DIALECT_EVOSORO, TYPE(6, 2)).settle_steps, 10000);
    assert_int_equal(stop_of(VXE_DIALECT_VOXCAD, TYPE(6, 2)).settle_steps, 500);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(7, 3)).time == 3.0);
    check_near("its movement", stop_of(VXE_DIALECT_EVOSORO, TYPE(7, 3)).movement, 5e-8, 1e-20);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(8, 3)).time == 2.0); /* its error is always 0 */
    assert_int_equal(stop_of(VXE_DIALECT_VOXCAD, TYPE(2, 1)).after_steps, 1000);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1) "<InitCmTime>0.25</InitCmTime>").after == 0.25);
    assert_int_equal(stop_of(VXE_DIALECT_VOXCRAFT, "").steps, 1000000);
    assert_true(stop_of(VXE_DIALECT_VOXCRAFT,
                        "<StopConditionFormula><mtSUB><mtVAR>t</mtVAR><mtCONST>1</mtCONST>"
                        "</mtSUB></StopConditionFormula>")
                    .formula);
}

/* --- formulas --- */

static void test_math_trees(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        const char *text;
    } pairs[] = {
        {"<mtSQRT><mtADD><mtMUL><mtVAR>x</mtVAR><mtVAR>x</mtVAR></mtMUL><mtCONST>-2e-3</mtCONST></mtADD></"
         "mtSQRT>",
         "sqrt(((x * x) + (-0.002)))"},
        {"<mtAND><mtGREATERTHAN><mtVAR>t</mtVAR><mtPI/></mtGREATERTHAN><mtNOT><mtVAR>hit</mtVAR></mtNOT></"
         "mtAND>",
         "(t > 3.141592653589793) && not(hit)"},
        {"<mtINT><mtDIV><mtVAR>numClosePairs</mtVAR><mtVAR>num_voxel</mtVAR></mtDIV></mtINT>",
         "round((numClosePairs / num_voxel))"},
        {"<mtPOW><mtNORMALCDF><mtVAR>angle</mtVAR></mtNORMALCDF><mtLOG><mtE/></mtLOG></mtPOW>",
         "normalcdf(angle) ^ log(2.718281828459045)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator, DAMPED "<FitnessFunction>%s</FitnessFunction>",
                       pairs[i].tree);
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, simulator, STILL, NULL, NULL);
        assert_string_equal(vxe_scene_formula(scene, VXE_FORMULA_FITNESS), pairs[i].text);
        vxe_scene_destroy(scene);
    }
    static const struct {
        const char *tree;
        const char *words;
    } wrong[] = {{"<mtADD><mtCONST>1</mtCONST></mtADD>", "mtADD: 1 operands, not 2"},
                 {"<mtVAR>w</mtVAR>", "mtVAR: the variable \"w\" is not known"},
                 {"<mtFOO/>", "mtFOO: not an operation of a formula"},
                 {"<mtCONST>inf</mtCONST>", "mtCONST: it is not a finite number"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator, "<FitnessFunction>%s</FitnessFunction>", wrong[i].tree);
        char *text = vxa_text(simulator, NULL, NULL, NULL);
        check_refused(text, wrong[i].words);
        free(text);
    }
}

/* --- remarks and round trips --- */

static const char odd_file[] =
    "<VXA Version=\"1.1\">\n"                                                                         /* 1 */
    "<Mystery><Inside at=\"1\">a &amp; b</Inside></Mystery>\n"                                        /* 2 */
    "<Simulator>\n"                                                                                   /* 3 */
    "<Integration><DtFrac>0.7</DtFrac></Integration>\n"                                               /* 4 */
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>1</ColDampingZ>\n"                           /* 5 */
    "<SlowDampingZ>0.1</SlowDampingZ></Damping>\n"                                                    /* 6 */
    "<Features><PoissonKickBackEnabled>1</PoissonKickBackEnabled></Features>\n"                       /* 7 */
    "<GA><FitnessFileName>a/b.xml</FitnessFileName></GA>\n"                                           /* 8 */
    "<StopCondition><StopConditionType>2</StopConditionType>\n"                                       /* 9 */
    "<StopConditionValue>1</StopConditionValue></StopCondition>\n"                                    /* 10 */
    "<Whatever>7</Whatever><Whatever>8</Whatever>\n"                                                  /* 11 */
    "</Simulator>\n"                                                                                  /* 12 */
    "<Environment>" STILL "\n"                                                                        /* 13 */
    "<LightSource><X>1</X></LightSource>\n"                                                           /* 14 */
    "<FallingProhibited>0</FallingProhibited><NeedleInHaystack>1</NeedleInHaystack>\n"                /* 15 */
    "</Environment>\n"                                                                                /* 16 */
    "<VXC Version=\"0.93\"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>\n"                      /* 17 */
    "<Palette>" BLOCK_MATERIAL "<Material><Name>B</Name><Mechanical><Elastic_Mod>1e6</Elastic_Mod>\n" /* 18 */
    "<Density>1000</Density><Glow>5</Glow></Mechanical></Material></Palette>\n"                       /* 19 */
    BAR_STRUCTURE "</VXC></VXA>\n";

static void test_remarks(void **state)
{
    (void)state;
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(odd_file, VXE_DIALECT_AUTO, &notes);
    check_note(notes, "dialect", VXE_NOTE_READ, 8);
    check_note(notes, "Mystery", VXE_NOTE_UNKNOWN, 2);
    check_note(notes, "Simulator/Integration/DtFrac", VXE_NOTE_READ, 4);
    check_note(notes, "Simulator/Features/PoissonKickBackEnabled", VXE_NOTE_IGNORED, 7);
    check_note(notes, "Simulator/Whatever", VXE_NOTE_UNKNOWN, 11);
    check_note(notes, "Environment/LightSource", VXE_NOTE_NOT_SIMULATED, 14);
    check_note(notes, "Environment/NeedleInHaystack", VXE_NOTE_NOT_SIMULATED, 15);
    assert_null(find_note(notes, "Environment/FallingProhibited")); /* 0 asks for what happens anyway */
    check_note(notes, "VXC/Palette/Material/Mechanical/Glow", VXE_NOTE_UNKNOWN, 19);
    assert_int_equal(vxe_notes_count(notes), 8);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
}

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

static void test_unknown_survives(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = read_text(odd_file, VXE_DIALECT_AUTO, NULL);
    vxe_scene *again = NULL;
    require(vxe_scene_save(scene, "odd.json", NULL, &error), &error);
    require(vxe_scene_load("odd.json", NULL, &again, NULL, &error), &error);
    require(vxe_scene_save(again, "odd.vxa", NULL, &error), &error);
    char *text = file_text("odd.vxa");
    assert_non_null(strstr(text, "<Inside at=\"1\">a &amp; b</Inside>"));
    assert_non_null(strstr(text, "<Whatever>7</Whatever>"));
    assert_non_null(strstr(text, "<LightSource>"));
    assert_non_null(strstr(text, "<NeedleInHaystack>1</NeedleInHaystack>"));
    const char *second = strstr(text, "ID=\"2\"");
    assert_true(second != NULL && strstr(second, "<Glow>5</Glow>") != NULL &&
                strstr(text, "<Glow>") > second);
    vxe_scene *third = NULL;
    require(vxe_scene_load("odd.vxa", NULL, &third, NULL, &error), &error);
    assert_true(hash_of(scene) == hash_of(again) && hash_of(scene) == hash_of(third));
    assert_string_equal(vxe_scene_experiment(third).result_file, "a/b.xml");
    free(text);
    vxe_scene_destroy(scene);
    vxe_scene_destroy(again);
    vxe_scene_destroy(third);
}

/* A scene with everything tags cannot say comes back through a .vxa, and a .vxc. */
static void test_rich_scene(void **state)
{
    (void)state;
    static const char *const files[] = {"rich.vxa", "rich.vxc"};
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 5, 4, 3);
    vxe_material_def def = vxe_default_material_def();
    def.poissons_ratio = 0.45;
    def.expansion = 0.02;
    def.delay = 0.125;
    (void)snprintf(def.name, sizeof def.name, "stuff & <such>");
    (void)snprintf(def.signal, sizeof def.signal, "second");
    const int32_t m = put_material(scene, &def);
    fill_all(scene, m);
    vxe_signal_def signal = vxe_default_signal_def();
    (void)put_signal(scene, &signal);
    (void)snprintf(signal.name, sizeof signal.name, "second");
    signal.waveform = VXE_WAVE_SQUARE;
    signal.amplitude = 1.0 / 3.0;
    (void)put_signal(scene, &signal);
    vxe_region_def region = region_of("shell", (vxe_shape){.kind = VXE_SHAPE_ELLIPSOID,
                                                           .units = VXE_UNITS_METRES,
                                                           .center = {0.02, 0.02, 0.01},
                                                           .radius = {0.02, 0.01, 0.01},
                                                           .thickness = 0.005});
    region.force[1] = 0.1;
    (void)put_region(scene, &region);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 4, 3), VXE_DOF_ALL);
    vxe_environment e = vxe_default_environment();
    e.damping_rotation = 0.25;
    e.gravity[1] = 1.5;
    e.drag = 3.25;
    e.plane = VXE_PLANE_NONE;
    set_environment(scene, &e);
    require(vxe_scene_set_field(scene, VXE_FIELD_STIFFNESS, 1, 1, 1, 2.5e6, &error), &error);
    require(vxe_scene_set_field(scene, VXE_FIELD_SIZE_END, 2, 1, 1, 0.1, &error), &error);
    require(vxe_scene_set_actuation(scene, 3, 1, 1, &(vxe_actuation){0.1, 0.5, 2.0}, &error), &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_X, "0.001 * sin(t) - z", &error), &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_STOP, "t - 2 > 0", &error), &error);
    const vxe_stop stop = {.time = 0.75, .speed = 1e-6, .settle = 0.5};
    require(vxe_scene_set_stop(scene, &stop, &error), &error);
    char *native = NULL;
    require(vxe_scene_print_json(scene, &native, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        vxe_scene *again = NULL;
        char *text = NULL;
        require(vxe_scene_save(scene, files[i], NULL, &error), &error);
        require(vxe_scene_load(files[i], NULL, &again, NULL, &error), &error);
        require(vxe_scene_print_json(again, &text, &error), &error);
        assert_true(hash_of(scene) == hash_of(again));
        assert_string_equal(text, native);
        free(text);
        vxe_scene_destroy(again);
    }
    free(native);
    vxe_scene_destroy(scene);
}

/* Somebody edits the tags of a written file: they count, for the part they are about. */
static void test_edited_tags_count(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    vxe_environment e = vxe_default_environment();
    e.gravity[0] = 1.0; /* tags cannot say it */
    e.damping_ground = 0.5;
    set_environment(scene, &e);
    require(vxe_scene_save(scene, "edit.vxa", NULL, &error), &error);
    char *text = file_text("edit.vxa");
    char *at = strstr(text, "<SlowDampingZ>0.5</SlowDampingZ>");
    assert_non_null(at);
    memcpy(at, "<SlowDampingZ>0.7</SlowDampingZ>", 32);
    vxe_notes *notes = NULL;
    vxe_scene *again = read_text(text, VXE_DIALECT_AUTO, &notes);
    assert_true(vxe_scene_environment(again).damping_ground == 0.7);
    assert_true(vxe_scene_environment(again).gravity[0] == 0.0);
    assert_non_null(strstr(find_note(notes, "Voxelastic")->text, "edited since"));
    vxe_notes_destroy(notes);
    vxe_scene_destroy(again);
    vxe_scene_destroy(scene);
    free(text);
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

/* --- numbers --- */

static void test_numbers(void **state)
{
    (void)state;
    vxe_notes *notes = NULL;
    char *text =
        vxa_text("<Damping><BondDampingZ> 1.7378e-005 </BondDampingZ><ColDampingZ>0.5 or so</ColDampingZ>"
                 "<SlowDampingZ>much</SlowDampingZ></Damping>",
                 "<Gravity><GravEnabled>true</GravEnabled><GravAcc></GravAcc><FloorEnabled>2</FloorEnabled>"
                 "</Gravity>",
                 NULL, NULL);
    vxe_scene *scene = read_text(text, VXE_DIALECT_EVOSORO, &notes);
    const vxe_environment e = vxe_scene_environment(scene);
    assert_true(e.damping_stretch == 1.7378e-5 && e.damping_contact == 0.5 && e.damping_ground == 0.0);
    assert_true(e.floor && e.gravity[2] == -9.81); /* an empty leaf is absent */
    check_note(notes, "ColDampingZ", VXE_NOTE_CHANGED, 3);
    check_note(notes, "SlowDampingZ", VXE_NOTE_CHANGED, 3);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
}

/* --- safety --- */

static void test_hostile_xml(void **state)
{
    (void)state;
    check_refused("<!DOCTYPE VXA [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><VXA>&b;</VXA>",
                  "not accepted");
    check_refused("<?xml version=\"1.0\"?><!-- x --><!DOCTYPE VXA SYSTEM \"file:///etc/passwd\"><VXA/>",
                  "not accepted");
    check_refused("<VXA>&undefined;</VXA>", "test.vxa:1: not valid XML");
    check_refused("<VXA><Simulator></VXA>", "test.vxa:1: not valid XML");
    check_refused("<VXA/>", "there is neither VXC nor Structure");
    check_refused("", "empty");
    char *deep = malloc(300 * 7 + 16);
    assert_non_null(deep);
    size_t used = 0;
    for (int i = 0; i < 300; i++) used += (size_t)sprintf(deep + used, "<a>");
    for (int i = 0; i < 300; i++) used += (size_t)sprintf(deep + used, "</a>");
    check_refused(deep, "elements inside each other");
    free(deep);
}

static void test_result_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *becomes;
    } paths[] = {{"fitness/a.xml", "fitness/a.xml"}, {"/etc/passwd", "passwd"},    {"../../x.xml", "x.xml"},
                 {"a/../../b.xml", "b.xml"},         {"C:\\temp\\r.xml", "r.xml"}, {"a/..", "fitness.xml"}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char simulator[512];
        (void)snprintf(simulator, sizeof simulator, DAMPED "<GA><FitnessFileName>%s</FitnessFileName></GA>",
                       paths[i].path);
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, simulator, STILL, NULL, NULL);
        assert_string_equal(vxe_scene_experiment(scene).result_file, paths[i].becomes);
        vxe_scene_destroy(scene);
    }
}

/* --- Voxelyze JSON --- */

static void test_voxelyze_json(void **state)
{
    (void)state;
    static const char text[] =
        "{\"voxelSize\": 0.005, \"gravityAcceleration\": 1.0, \"floorEnabled\": true,\n"
        " \"materials\": [{\"youngsModulus\": 1e6, \"density\": 1000.0, \"name\": \"Rubber\", \"red\": "
        "50}],\n"
        " \"voxels\": [-1,0,0,0, 0,0,0,0, 1,0,0,0],\n"
        " \"externals\": [{\"fixed\": [true,true,true,true,true,true], \"voxelIndices\": [0]},\n"
        "  {\"force\": [0.0,0.0,-0.1], \"voxelIndices\": [1, 2]}]}";
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = read_text(text, VXE_DIALECT_AUTO, NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 3);
    assert_int_equal(count_touched(scene, 1), 2);
    check_near("force in all", vxe_scene_region(scene, 1)->force[2], -0.2, 1e-15);
    assert_true(vxe_scene_environment(scene).gravity[2] == -9.81 && vxe_scene_environment(scene).floor);
    vxe_scene *again = NULL;
    require(vxe_scene_save(scene, "three.vxl.json", NULL, &error), &error);
    require(vxe_scene_load("three.vxl.json", NULL, &again, NULL, &error), &error);
    assert_true(hash_of(scene) == hash_of(again));
    vxe_scene_destroy(again);
    vxe_scene_destroy(scene);
    /* the library's own writer forgets the last bracket */
    vxe_notes *notes = NULL;
    scene =
        read_text("{\"voxelSize\": 0.005, \"materials\": [{\"youngsModulus\": 1e6}], \"voxels\": [0,0,0,0]",
                  VXE_DIALECT_AUTO, &notes);
    check_note(notes, "}", VXE_NOTE_CHANGED, 0);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    check_refused("{\"voxelSize\": 0.005, \"materials\": [{}], \"voxels\": [0,0,0,1]}",
                  "a material that there is not");
    check_refused("{\"voxelSize\": 0.005, \"materials\": [{}], \"voxels\": [0,0,0]}", "not a multiple of 4");
}

/* What voxcraft's tags ask voxels to do becomes rules, and the tags are kept. */
static void test_rules(void **state)
{
    (void)state;
    static const char material[] =
        "<Material ID=\"1\"><MatType>0</MatType><Name>Nerve</Name><Mechanical><MatModel>0</MatModel>"
        "<Elastic_Mod>1e+006</Elastic_Mod><Density>1000</Density><uStatic>1</uStatic><uDynamic>0.5</uDynamic>"
        "<Sticky>1</Sticky><Cilia>2</Cilia><isPaceMaker>1</isPaceMaker><PaceMakerPeriod>0.2</PaceMakerPeriod>"
        "<signalValueDecay>0.8</signalValueDecay><signalTimeDelay>0.01</signalTimeDelay>"
        "<inactivePeriod>0.02</inactivePeriod>"
        "<RemoveFromSimulationAfterThisManySeconds>3</RemoveFromSimulationAfterThisManySeconds>"
        "<TurnOnCiliaAfterThisManySeconds>0.5</TurnOnCiliaAfterThisManySeconds></Mechanical></Material>";
    static const char simulator[] = DAMPED
        "<AttachDetach><EnableCollision>1</EnableCollision><EnableAttach>1</EnableAttach>"
        "<AttachCondition><Condition_0><mtSUB><mtVAR>t</mtVAR><mtCONST>1</mtCONST></mtSUB></Condition_0>"
        "</AttachCondition></AttachDetach><EnableSignals>1</EnableSignals><EnableCilia>1</EnableCilia>"
        "<SecondaryExperiment>1</SecondaryExperiment>"
        "<SurfaceGrowth><EnableGrowth>1</EnableGrowth><GrowInterval>0.1</GrowInterval>"
        "<GrowRate>0.3</GrowRate></SurfaceGrowth>";
    char *text = vxa_text(simulator, STILL, material, NULL);
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(text, VXE_DIALECT_VOXCRAFT, &notes);
    static const vxe_rule_kind kinds[] = {VXE_RULE_CONDUCT, VXE_RULE_PACE, VXE_RULE_REMOVE,
                                          VXE_RULE_CILIA,   VXE_RULE_BOND, VXE_RULE_GROW};
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(vxe_scene_rule_count(scene), 6);
        for (int32_t n = 0; n < 6; n++) assert_int_equal(vxe_scene_rule(scene, n)->kind, kinds[n]);
        check_near("delay", vxe_scene_rule(scene, 0)->delay, 0.01, 0.0);
        check_near("decay", vxe_scene_rule(scene, 0)->decay, 0.8, 0.0);
        check_near("period", vxe_scene_rule(scene, 1)->period, 0.2, 0.0);
        check_near("strength", vxe_scene_rule(scene, 1)->strength, 100.0, 0.0);
        check_near("removal", vxe_scene_rule(scene, 2)->begin, 3.0, 0.0);
        check_near("cilia", vxe_scene_rule(scene, 3)->begin, 0.5, 0.0);
        assert_true(strstr(vxe_scene_rule(scene, 4)->when, "t - 1") != NULL);
        check_near("chance", vxe_scene_rule(scene, 5)->chance, 0.3, 0.0);
        vxe_model *model = NULL;
        vxe_error error = {VXE_OK, ""};
        require(vxe_compile(scene, &model, &error), &error);
        vxe_model_destroy(model);
        if (pass == 1) break;
        /* written and read again */
        require(vxe_scene_save(scene, "rules.vxa", NULL, &error), &error);
        vxe_scene_destroy(scene);
        const vxe_load_def def = {.dialect = VXE_DIALECT_VOXCRAFT};
        require(vxe_scene_load("rules.vxa", &def, &scene, NULL, &error), &error);
        assert_int_equal(remove("rules.vxa"), 0);
    }
    const vxe_note *note = find_note(notes, "Simulator/EnableSignals");
    assert_non_null(note);
    assert_int_equal(note->kind, VXE_NOTE_READ);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
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
        cmocka_unit_test(test_stop_types),
        cmocka_unit_test(test_math_trees),
        cmocka_unit_test(test_remarks),
        cmocka_unit_test(test_unknown_survives),
        cmocka_unit_test(test_rich_scene),
        cmocka_unit_test(test_edited_tags_count),
        cmocka_unit_test(test_palette_and_conditions),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_hostile_xml),
        cmocka_unit_test(test_result_paths),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_voxelyze_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
