/* Where programs of the VoxCAD family disagree: one file, read by the rules of each, moves differently; and
 * what auto makes of files. Every test shows a trajectory that changes. */
#include "vxa_text.h"

/* A column of two voxels in the air. */
#define COLUMN                                                                                               \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>3</Z_Voxels><Data><Layer>0</Layer><Layer>1</Layer><Layer>1</Layer></Data></Structure>"
#define HELD                                                                                                 \
    "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>0.01</dX><dY>1</dY><dZ>1</dZ>"                  \
    "<DofFixed>63</DofFixed></FRegion></Boundary_Conditions>"

/* Nothing holds back what falls. */
#define LIGHT                                                                                                \
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0</SlowDampingZ></"  \
    "Damping>"

static double length_after(vxe_dialect dialect, const char *simulator, const char *environment, double time)
{
    return run_voxel(read_parts(dialect, simulator, environment, NULL, NULL), time, 3, 0, 0).x;
}

/* --- missing groups (4.2, 5) --- */

static void test_missing_damping(void **state)
{
    (void)state;
    static const char field[] = HELD STILL;
    char environment[1024];
    (void)snprintf(environment, sizeof environment,
                   "%s<Thermal><TempEnabled>1</TempEnabled>"
                   "<TempAmplitude>-20</TempAmplitude><VaryTempEnabled>0</VaryTempEnabled></Thermal>",
                   field);
    vxe_scene *e = read_parts(VXE_DIALECT_EVOSORO, "<GA/>", environment, NULL, NULL);
    vxe_scene *v = read_parts(VXE_DIALECT_VOXCRAFT, "<GA/>", environment, NULL, NULL);
    assert_true(vxe_scene_environment(e).damping_ground == 0.001 &&
                vxe_scene_environment(e).damping_stretch == 0.1);
    assert_true(vxe_scene_environment(v).damping_ground == 0.01 &&
                vxe_scene_environment(v).damping_stretch == 1.0);
    vxe_scene_destroy(e);
    vxe_scene_destroy(v);
    /* a shrinking bar swings with little damping and creeps with much */
    const double swings = length_after(VXE_DIALECT_EVOSORO, "<GA/>", environment, 0.004);
    const double creeps = length_after(VXE_DIALECT_VOXCRAFT, "<GA/>", environment, 0.004);
    assert_true(fabs(swings - creeps) > 1e-4);
}

/* A tag that is missing in a group that is there is 1.0: nearly frozen. */
static void test_missing_slow_damping(void **state)
{
    (void)state;
    const double slow =
        run_voxel(read_parts(VXE_DIALECT_EVOSORO, "<Damping><BondDampingZ>1</BondDampingZ></Damping>", NULL,
                             NULL, COLUMN),
                  0.02, 0, 0, 2)
            .z;
    const double free =
        run_voxel(read_parts(VXE_DIALECT_EVOSORO, "<GA/>", NULL, NULL, COLUMN), 0.02, 0, 0, 2).z;
    check_near("free fall", free, -0.5 * 9.81 * 0.02 * 0.02, 3e-4);
    assert_true(slow > 0.2 * free);
}

static void test_missing_environment(void **state)
{
    (void)state;
    /* without the group: gravity and floor; with an empty Gravity: both off */
    const double falls =
        run_voxel(read_parts(VXE_DIALECT_VOXCAD, DAMPED, NULL, NULL, COLUMN), 0.02, 0, 0, 2).z;
    vxe_scene *off = read_parts(VXE_DIALECT_EVOSORO, DAMPED, "<Gravity></Gravity>", NULL, COLUMN);
    assert_true(falls < -1e-4);
    assert_true(!vxe_scene_environment(off).floor);
    assert_true(run_voxel(off, 0.02, 0, 0, 2).z == 0.0);
}

/* --- gravity (5.2) --- */

static void test_gravity_switch(void **state)
{
    (void)state;
    static const char off[] = "<Gravity><GravEnabled>0</GravEnabled><GravAcc>-9.81</GravAcc></Gravity>";
    assert_true(run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, off, NULL, COLUMN), 0.02, 0, 0, 2).z ==
                0.0);
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCAD, DAMPED, off, NULL, COLUMN), 0.02, 0, 0, 2).z <
                -1e-4);
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, off, NULL, COLUMN), 0.02, 0, 0, 2).z <
                -1e-4);
}

static void test_slope(void **state)
{
    (void)state;
    static const char slope[] = "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-10</GravAcc>"
                                "<FloorEnabled>0</FloorEnabled><FloorSlope>30</FloorSlope></Gravity>";
    static const char still[] =
        "<Damping><BondDampingZ>1</BondDampingZ><SlowDampingZ>0</SlowDampingZ></Damping>";
    const place e = run_voxel(read_parts(VXE_DIALECT_EVOSORO, still, slope, NULL, COLUMN), 0.05, 0, 0, 2);
    const place c = run_voxel(read_parts(VXE_DIALECT_VOXCAD, still, slope, NULL, COLUMN), 0.05, 0, 0, 2);
    const double way = 0.5 * 10.0 * 0.05 * 0.05;
    /* half a step, at most 0.3 ms, more or less of the way */
    check_near("along the slope", e.x, -way * 0.5, 0.02 * way);
    check_near("downwards", e.z, -way * cos(PI / 6.0), 0.02 * way);
    assert_true(c.x == 0.0);
}

/* Where z is counted from: half a voxel lower in the later engines. A field that pulls only below z = 0.012
 * m. */
static void test_floor_height(void **state)
{
    (void)state;
    static const char field[] =
        DAMPED "<ForceField><x_forcefield><mtMUL><mtCONST>0.01</mtCONST><mtLESSTHAN><mtVAR>z</mtVAR>"
               "<mtCONST>0.012</mtCONST></mtLESSTHAN></mtMUL></x_forcefield></ForceField>";
    /* the lower voxel's centre is at 0.015 in this program's scenes, at 0.010 in voxcraft's */
    const double v = run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, field, STILL, NULL, COLUMN), 0.02, 0, 0, 1).x;
    assert_true(v > 1e-5);
    vxe_scene *native = read_parts(VXE_DIALECT_VOXCRAFT, field, STILL, NULL, COLUMN);
    vxe_error error = {VXE_OK, ""};
    assert_string_equal(vxe_scene_formula(native, VXE_FORMULA_FORCE_X), "0.01 * ((z - 0.005) < 0.012)");
    require(vxe_scene_set_formula(native, VXE_FORMULA_FORCE_X, "0.01 * (z < 0.012)", &error), &error);
    assert_true(run_voxel(native, 0.02, 0, 0, 1).x == 0.0);
}

/* --- actuation (5.3) --- */

#define WARM(tags) HELD STILL "<Thermal>" tags "<TempBase>25</TempBase><TempPeriod>0.4</TempPeriod></Thermal>"
#define VARIES "<TempEnabled>1</TempEnabled><VaryTempEnabled>1</VaryTempEnabled>"

/* A quarter of a period in, the bar is at its largest where expansion is allowed. */
static void test_contraction_only(void **state)
{
    (void)state;
    static const char warm[] = WARM(VARIES "<TempAmplitude>10</TempAmplitude>");
    const double voxcad = length_after(VXE_DIALECT_VOXCAD, DAMPED, warm, 0.1);
    const double evosoro = length_after(VXE_DIALECT_EVOSORO, DAMPED, warm, 0.1);
    const double voxcraft = length_after(VXE_DIALECT_VOXCRAFT, DAMPED, warm, 0.1);
    const double expands =
        length_after(VXE_DIALECT_VOXCRAFT, DAMPED "<EnableExpansion>1</EnableExpansion>", warm, 0.1);
    check_near("VoxCAD expands", voxcad, 3 * 0.01 * 0.1, 1e-4);
    check_near("evosoro does not", evosoro, 0.0, 1e-6);
    check_near("nor does voxcraft", voxcraft, 0.0, 1e-6);
    check_near("unless told to", expands, 3 * 0.01 * 0.1, 1e-4);
    /* and all contract */
    const double shrinks = length_after(VXE_DIALECT_EVOSORO, DAMPED, warm, 0.3);
    check_near("evosoro contracts", shrinks, -3 * 0.01 * 0.1, 1e-4);
    /* evosoro's other engine has no upper limit */
    const double water = length_after(VXE_DIALECT_EVOSORO, DAMPED,
                                      HELD "<FluidEnvironment>0</FluidEnvironment>" STILL "<Thermal>" VARIES
                                           "<TempAmplitude>10</TempAmplitude><TempBase>25</TempBase>"
                                           "<TempPeriod>0.4</TempPeriod></Thermal>",
                                      0.1);
    check_near("the engine for land and water expands", water, 3 * 0.01 * 0.1, 1e-4);
}

/* Voxels of negative expansion: evosoro limits the size, voxcraft the temperature. */
static void test_negative_expansion(void **state)
{
    (void)state;
    static const char palette[] = "<Material><Name>Neg</Name><Mechanical><Elastic_Mod>1e6</"
                                  "Elastic_Mod><Density>1000</Density><CTE>-0.01</CTE>"
                                  "</Mechanical></Material>";
    static const char warm[] = WARM(VARIES "<TempAmplitude>10</TempAmplitude>");
    const double e = run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, warm, palette, NULL), 0.1, 3, 0, 0).x;
    const double v = run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, warm, palette, NULL), 0.1, 3, 0, 0).x;
    const double e_later =
        run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, warm, palette, NULL), 0.3, 3, 0, 0).x;
    const double v_later =
        run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, warm, palette, NULL), 0.3, 3, 0, 0).x;
    check_near("evosoro contracts when warm", e, -3e-3, 1e-4);
    check_near("voxcraft ignores warmth", v, 0.0, 1e-6);
    check_near("evosoro does not expand when cold", e_later, 0.0, 1e-6);
    check_near("voxcraft expands when cold", v_later, 3e-3, 1e-4);
}

/* TempAmp is absolute, TempAmplitude relative, and wins. */
static void test_temperature_names(void **state)
{
    (void)state;
    const double old = length_after(VXE_DIALECT_VOXCAD, DAMPED, WARM(VARIES "<TempAmp>35</TempAmp>"), 0.1);
    const double new =
        length_after(VXE_DIALECT_VOXCAD, DAMPED, WARM(VARIES "<TempAmplitude>35</TempAmplitude>"), 0.1);
    const double both =
        length_after(VXE_DIALECT_VOXCAD, DAMPED,
                     WARM(VARIES "<TempAmp>35</TempAmp><TempAmplitude>5</TempAmplitude>"), 0.1);
    check_near("10 K above the base", old, 3 * 0.01 * 0.1, 1e-4);
    check_near("35 K above the base", new, 3 * 0.01 * 0.35, 4e-4);
    check_near("5 K above the base", both, 3 * 0.01 * 0.05, 1e-4);
}

static void test_temperature_switches(void **state)
{
    (void)state;
    static const char off[] = WARM(
        "<TempEnabled>0</TempEnabled><VaryTempEnabled>1</VaryTempEnabled><TempAmplitude>10</TempAmplitude>");
    assert_true(length_after(VXE_DIALECT_VOXCAD, DAMPED, off, 0.3) == 0.0);
    check_near("voxcraft actuates all the same", length_after(VXE_DIALECT_VOXCRAFT, DAMPED, off, 0.3), -3e-3,
               1e-4);
    /* not varying: constant expansion */
    static const char constant[] = WARM("<TempEnabled>1</TempEnabled><TempAmplitude>10</TempAmplitude>");
    check_near("constant", length_after(VXE_DIALECT_VOXCAD, DAMPED, constant, 0.3), 3e-3, 1e-5);
    check_near("constant, contracting only", length_after(VXE_DIALECT_VOXCRAFT, DAMPED, constant, 0.3), 0.0,
               1e-9);
}

/* The time before which evosoro does not actuate. */
static void test_actuation_begins(void **state)
{
    (void)state;
    static const char warm[] = WARM(VARIES "<TempAmplitude>-10</TempAmplitude>");
    static const char late[] = DAMPED "<StopCondition><InitCmTime>0.2</InitCmTime></StopCondition>";
    assert_true(length_after(VXE_DIALECT_EVOSORO, late, warm, 0.1) == 0.0);
    check_near("without it", length_after(VXE_DIALECT_EVOSORO, DAMPED, warm, 0.1), -3e-3, 1e-4);
    check_near("VoxCAD does not know it", length_after(VXE_DIALECT_VOXCAD, late, warm, 0.1), -3e-3, 1e-4);
    /* time goes on meanwhile: at 0.5 s a period of 0.4 s is a quarter in again */
    check_near("later", length_after(VXE_DIALECT_EVOSORO, late, warm, 0.5), -3e-3, 1e-4);
}

/* Phases of single voxels: VoxCAD has none. */
static void test_phase_offset(void **state)
{
    (void)state;
    static const char structure[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>4</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>1111</Layer></Data><PhaseOffset><Layer><![CDATA[0.5, "
        "0.5,0.5,0.5,]]></Layer></PhaseOffset>"
        "</Structure>";
    static const char warm[] = WARM(VARIES "<TempAmplitude>10</TempAmplitude>");
    check_near("evosoro",
               run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, warm, NULL, structure), 0.1, 3, 0, 0).x,
               -3e-3, 1e-4);
    check_near("voxcraft",
               run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, warm, NULL, structure), 0.1, 3, 0, 0).x,
               -3e-3, 1e-4);
    check_near("VoxCAD",
               run_voxel(read_parts(VXE_DIALECT_VOXCAD, DAMPED, warm, NULL, structure), 0.1, 3, 0, 0).x, 3e-3,
               1e-4);
}

/* Stiffness, growth and amplitude of single voxels. */
static void test_voxel_layers(void **state)
{
    (void)state;
    static const char soft[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>4</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>1111</Layer></Data><Stiffness><MinElasticMod>1</MinElasticMod><Layer>5e5,5e5,5e5,5e5</"
        "Layer>"
        "</Stiffness></Structure>";
    static const char pulled[] =
        "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>0.01</dX><dY>1</dY><dZ>1</dZ>"
        "<DofFixed>63</DofFixed></FRegion><FRegion><PrimType>0</PrimType><X>0.99</X><dX>0.01</dX><dY>1</"
        "dY><dZ>1</dZ>"
        "<ForceX>1</ForceX></FRegion></Boundary_Conditions>" STILL;
    /* three links of E l = 1e4 N/m, or half of that */
    check_near("as the material",
               run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, pulled, NULL, soft), 0.5, 3, 0, 0).x, 3e-4,
               3e-6);
    check_near("as the layer",
               run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, pulled, NULL, soft), 0.5, 3, 0, 0).x, 6e-4,
               6e-6);
    static const char grows[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>4</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>1111</Layer></Data><FinalVoxelSize><Layer>1,1,1,1</Layer></FinalVoxelSize>"
        "<StartGrowthTime><Layer>0.1,0.1,0.1,0.1</Layer></StartGrowthTime>"
        "<GrowthTime><Layer>0.5,0.5,0.5,0.5</Layer></GrowthTime></Structure>";
    static const char life[] = DAMPED "<StopCondition><StopConditionType>2</StopConditionType>"
                                      "<StopConditionValue>1</StopConditionValue></StopCondition>";
    static const char amplitude[] = HELD STILL "<GrowthAmplitude>0.2</GrowthAmplitude>";
    check_near("not yet",
               run_voxel(read_parts(VXE_DIALECT_EVOSORO, life, amplitude, NULL, grows), 0.09, 3, 0, 0).x, 0.0,
               1e-9);
    /* begins at 0.1 s, takes half of the rest: 0.45 s; at 0.325 s half of 0.2 */
    check_near("half way",
               run_voxel(read_parts(VXE_DIALECT_EVOSORO, life, amplitude, NULL, grows), 0.325, 3, 0, 0).x,
               3e-3, 1e-4);
    check_near("grown",
               run_voxel(read_parts(VXE_DIALECT_EVOSORO, life, amplitude, NULL, grows), 0.9, 3, 0, 0).x, 6e-3,
               1e-5);
}

/* --- collisions (4.3, 4.9) --- */

/* A voxel that falls on a held one stops on it, or passes. */
static void test_collisions(void **state)
{
    (void)state;
    static const char pair[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>6</Z_Voxels>"
        "<Data><Layer>1</Layer><Layer>0</Layer><Layer>0</Layer><Layer>0</Layer><Layer>0</Layer><Layer>1</"
        "Layer></Data>"
        "</Structure>";
    static const char falls[] = "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>1</dX><dY>1</"
                                "dY><dZ>0.01</dZ><DofFixed>63</DofFixed>"
                                "</FRegion></Boundary_Conditions><Gravity><GravEnabled>1</"
                                "GravEnabled><GravAcc>-9.81</GravAcc></Gravity>";
    static const char on[] = LIGHT "<Collisions><SelfColEnabled>1</SelfColEnabled></Collisions>";
    static const char off[] = LIGHT "<AttachDetach><EnableCollision>0</EnableCollision></AttachDetach>";
    const double rests = -4 * 0.01; /* centres one voxel length apart; the programs repel from further away */
    check_near("evosoro", run_voxel(read_parts(VXE_DIALECT_EVOSORO, on, falls, NULL, pair), 0.4, 0, 0, 5).z,
               rests + 0.5 * 0.01, 1e-4);
    assert_true(run_voxel(read_parts(VXE_DIALECT_EVOSORO, LIGHT, falls, NULL, pair), 0.4, 0, 0, 5).z <
                2 * rests);
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCAD, on, falls, NULL, pair), 0.4, 0, 0, 5).z < 2 * rests);
    check_near("voxcraft",
               run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, LIGHT, falls, NULL, pair), 0.4, 0, 0, 5).z,
               rests + 0.25 * 0.01, 1e-4);
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, off, falls, NULL, pair), 0.4, 0, 0, 5).z <
                2 * rests);
}

/* --- Poisson's ratio (4.4) --- */

/* A bar twisted at its end: with the ratio taken as 0 its shear modulus is E/2, else E/2.6. */
static void test_poisson_switch(void **state)
{
    (void)state;
    static const char twisted[] =
        "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>0.01</dX><dY>1</dY><dZ>1</dZ>"
        "<DofFixed>63</DofFixed></FRegion><FRegion><PrimType>0</PrimType><X>0.99</X><dX>0.01</dX><dY>1</"
        "dY><dZ>1</dZ>"
        "<TorqueX>1e-3</TorqueX></FRegion></Boundary_Conditions>" STILL;
    double turn[3];
    static const vxe_dialect dialects[3] = {VXE_DIALECT_VOXCAD, VXE_DIALECT_EVOSORO, VXE_DIALECT_VOXCAD};
    for (int i = 0; i < 3; i++) {
        bench b = start(read_parts(dialects[i],
                                   i == 2 ? DAMPED "<Features><VolumeEffectsEnabled>1</VolumeEffectsEnabled>"
                                                   "</Features>"
                                          : DAMPED,
                                   twisted, NULL, NULL));
        const vxe_stop stop = {.time = 0.5};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        turn[i] = vxe_sim_state(b.sim)->orientation[1][voxel_at(b.sim, 3, 0, 0)];
        finish(b);
    }
    check_near("more twist with the ratio", turn[1] / turn[0], 1.3, 0.01);
    /* volume effects: the true torsion of a square bar, 0.1406 instead of 1/6 */
    check_near("and with volume effects", turn[2] / turn[1], (1.0 / 6.0) / 0.140577, 0.02);
}

/* --- equilibrium mode (4.6) --- */

static void test_equilibrium_mode(void **state)
{
    (void)state;
    static const char mode[] =
        "<Damping><BondDampingZ>0.001</BondDampingZ><ColDampingZ>1</ColDampingZ>"
        "<SlowDampingZ>0</SlowDampingZ></Damping>"
        "<EquilibriumMode><EquilibriumModeEnabled>1</EquilibriumModeEnabled></EquilibriumMode>";
    static const char pulled[] =
        "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>0.01</dX><dY>1</dY><dZ>1</dZ>"
        "<DofFixed>63</DofFixed></FRegion><FRegion><PrimType>0</PrimType><X>0.99</X><dX>0.01</dX><dY>1</"
        "dY><dZ>1</dZ>"
        "<ForceX>1</ForceX></FRegion></Boundary_Conditions>" STILL;
    vxe_scene *e = read_parts(VXE_DIALECT_EVOSORO, mode, pulled, NULL, NULL);
    vxe_scene *c = read_parts(VXE_DIALECT_VOXCAD, mode, pulled, NULL, NULL);
    vxe_scene *v = read_parts(VXE_DIALECT_VOXCRAFT, mode, pulled, NULL, NULL);
    assert_true(vxe_scene_environment(e).damping_stretch == 0.1 &&
                vxe_scene_environment(c).damping_stretch == 1.0);
    assert_true(!vxe_scene_environment(v).kinetic_damping &&
                vxe_scene_environment(v).damping_stretch == 0.001);
    check_near("at rest", run_voxel(e, 0.2, 3, 0, 0).x, 3e-4, 1e-9);
    check_near("at rest too", run_voxel(c, 0.2, 3, 0, 0).x, 3e-4, 1e-9);
    assert_true(fabs(run_voxel(v, 0.2, 3, 0, 0).x - 3e-4) > 1e-6); /* still swinging */
}

/* --- floor (5.4) --- */

static void test_sticky_floor(void **state)
{
    (void)state;
    static const char slippery[] = "<Material><Name>Ice</Name><Mechanical><Elastic_Mod>1e6</"
                                   "Elastic_Mod><Density>1000</Density><uStatic>0.1</uStatic>"
                                   "<uDynamic>0.05</uDynamic></Mechanical></Material>";
#define SLOPE(tags)                                                                                          \
    "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled>"            \
    "<FloorSlope>20</FloorSlope></Gravity>" tags
    const double slides =
        run_voxel(read_parts(VXE_DIALECT_EVOSORO, LIGHT, SLOPE(""), slippery, NULL), 0.2, 0, 0, 0).x;
    const double sticks = run_voxel(read_parts(VXE_DIALECT_EVOSORO, LIGHT,
                                               SLOPE("<StickyFloor>1</StickyFloor>"), slippery, NULL),
                                    0.2, 0, 0, 0)
                              .x;
    assert_true(slides < -0.01);
    assert_true(fabs(sticks) < 1e-5);
}

static void test_round_floor(void **state)
{
    (void)state;
    static const char disc[] =
        "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled>"
        "</Gravity><FloorRadius>0.02</FloorRadius>";
    static const char two[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>9</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>100010001</Layer></Data></Structure>";
    /* the middle one stands; those at 4 voxels from it are beyond the edge */
    assert_true(fabs(run_voxel(read_parts(VXE_DIALECT_EVOSORO, LIGHT, disc, NULL, two), 0.1, 4, 0, 0).z) <
                1e-4);
    assert_true(run_voxel(read_parts(VXE_DIALECT_EVOSORO, LIGHT, disc, NULL, two), 0.1, 8, 0, 0).z < -0.02);
    assert_true(fabs(run_voxel(read_parts(VXE_DIALECT_VOXCAD, LIGHT, disc, NULL, two), 0.1, 8, 0, 0).z) <
                1e-4);
}

static void test_fluid(void **state)
{
    (void)state;
    static const char water[] =
        HELD "<Gravity><GravEnabled>1</GravEnabled></Gravity><FluidEnvironment>1</FluidEnvironment>"
             "<AggregateDragCoefficient>100</AggregateDragCoefficient>";
    vxe_scene *e = read_parts(VXE_DIALECT_EVOSORO, LIGHT, water, NULL, NULL);
    vxe_scene *c = read_parts(VXE_DIALECT_VOXCAD, LIGHT, water, NULL, NULL);
    assert_true(vxe_scene_environment(e).drag == 100.0 && vxe_scene_environment(c).drag == 0.0);
    assert_true(run_voxel(e, 0.1, 3, 0, 0).z == 0.0); /* no weight in the fluid */
    assert_true(run_voxel(c, 0.1, 3, 0, 0).z < -1e-5);
}

/* --- overlays (8) and formulas (9) --- */

static void test_stop_formula(void **state)
{
    (void)state;
    vxe_scene *scene =
        read_parts(VXE_DIALECT_AUTO,
                   DAMPED "<StopCondition><StopConditionFormula><mtSUB><mtCONST>-0.004</mtCONST>"
                          "<mtVAR>z</mtVAR></mtSUB></StopConditionFormula></StopCondition>",
                   "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc></Gravity>", NULL, NULL);
    bench b = start(scene);
    const vxe_stop stop = vxe_model_stop(b.model);
    assert_int_equal(vxe_sim_run(b.sim, &stop, 1000000), VXE_RUN_FORMULA);
    /* it falls from 0 (voxcraft's coordinates) to -0.004 m */
    check_near("where it stops", moved(b.sim, 0, 2), -0.004, 5e-5);
    finish(b);
}

static void test_fixed_material(void **state)
{
    (void)state;
    static const char palette[] = "<Material><Name>Rock</Name><Mechanical><Elastic_Mod>1e6</"
                                  "Elastic_Mod><Density>1000</Density><Fixed>1</Fixed>"
                                  "</Mechanical></Material>";
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, NULL, palette, COLUMN), 0.1, 0, 0, 2).z ==
                0.0);
    assert_true(run_voxel(read_parts(VXE_DIALECT_EVOSORO, DAMPED, NULL, palette, COLUMN), 0.02, 0, 0, 2).z <
                0.0);
}

static void test_delayed_material(void **state)
{
    (void)state;
    static const char palette[] = "<Material><Name>Late</Name><Mechanical><Elastic_Mod>1e6</"
                                  "Elastic_Mod><Density>1000</Density><CTE>0.01</CTE>"
                                  "<TurnOnThermalExpansionAfterThisManySeconds>0.2</"
                                  "TurnOnThermalExpansionAfterThisManySeconds></Mechanical>"
                                  "</Material>";
    static const char cold[] = WARM("<TempEnabled>1</TempEnabled><TempAmplitude>-10</TempAmplitude>");
    assert_true(run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, cold, palette, NULL), 0.15, 3, 0, 0).x ==
                0.0);
    check_near("then",
               run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, DAMPED, cold, palette, NULL), 0.6, 3, 0, 0).x,
               -3e-3, 1e-5);
}

static void test_cilia(void **state)
{
    (void)state;
    static const char palette[] = "<Material><Name>Hairy</Name><Mechanical><Elastic_Mod>1e6</"
                                  "Elastic_Mod><Density>1000</Density><Cilia>2</Cilia>"
                                  "</Mechanical></Material>";
    static const char structure[] =
        "<Structure "
        "Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>"
        "<Data><Layer>1</Layer></Data><BaseCiliaForce><Layer>0,0.001,0,</Layer></BaseCiliaForce></Structure>";
    static const char free[] =
        "<Damping><BondDampingZ>1</BondDampingZ><SlowDampingZ>0</SlowDampingZ></Damping>";
    char on[512];
    (void)snprintf(on, sizeof on, "%s<EnableCilia>1</EnableCilia>", free);
    /* 2 mN on 1 g for 0.1 s: 1 cm, give or take half a step of at most 0.7 ms */
    check_near("pushed",
               run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, on, STILL, palette, structure), 0.1, 0, 0, 0).y,
               0.01, 2e-4);
    assert_true(
        run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, free, STILL, palette, structure), 0.1, 0, 0, 0).y == 0.0);
}

/* --- which one --- */

static vxe_dialect found(const char *simulator, const char *environment, const char *structure)
{
    vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, simulator, environment, NULL, structure);
    const vxe_dialect dialect = vxe_scene_experiment(scene).dialect;
    vxe_scene_destroy(scene);
    return dialect;
}

static void test_auto(void **state)
{
    (void)state;
    assert_int_equal(found(DAMPED, STILL, NULL), VXE_DIALECT_VOXCAD);
    assert_int_equal(found("<GA><FitnessFileName>a.xml</FitnessFileName></GA>", STILL, NULL),
                     VXE_DIALECT_EVOSORO);
    assert_int_equal(found("<StopCondition><InitCmTime>0</InitCmTime></StopCondition>", STILL, NULL),
                     VXE_DIALECT_EVOSORO);
    assert_int_equal(found(DAMPED, STILL "<StickyFloor>1</StickyFloor>", NULL), VXE_DIALECT_EVOSORO);
    assert_int_equal(found("<RecordHistory><RecordStepSize>1</RecordStepSize></RecordHistory>", STILL, NULL),
                     VXE_DIALECT_VOXCRAFT);
    assert_int_equal(
        found("<AttachDetach><EnableCollision>1</EnableCollision></AttachDetach><GA/>", STILL, NULL),
        VXE_DIALECT_VOXCRAFT);
}

/* Brains are elements that only successors of evosoro have: with no other trace of it, they say whose a file
 * is, and the robot is not run without one. */
static void test_auto_controllers(void **state)
{
    (void)state;
    static const char *const tags[] = {
        "ControllerSynapseWeights", "ForwardModelSynapseWeights", "RegenerationModelSynapseWeights",
        "VestibularContribution",   "StressContribution",         "PressureContribution",
        "StressAdaptationRate",     "PressureAdaptationRate"};
    for (size_t i = 0; i < 2 * sizeof tags / sizeof tags[0]; i++) {
        const char *tag = tags[i / 2];
        char structure[512];
        (void)snprintf(
            structure, sizeof structure,
            "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"
            "<Z_Voxels>1</Z_Voxels><Data><Layer>1</Layer></Data><%s><Layer>%s</Layer></%s></Structure>",
            tag, i % 2 == 0 ? "0.0" : "0.5", tag);
        if (i % 2 == 0) {
            assert_int_equal(found(DAMPED, STILL, structure), VXE_DIALECT_EVOSORO);
            continue;
        }
        char *text = vxa_text(DAMPED, STILL, NULL, structure);
        check_refused(text, tag);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_damping),
        cmocka_unit_test(test_missing_slow_damping),
        cmocka_unit_test(test_missing_environment),
        cmocka_unit_test(test_gravity_switch),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_floor_height),
        cmocka_unit_test(test_contraction_only),
        cmocka_unit_test(test_negative_expansion),
        cmocka_unit_test(test_temperature_names),
        cmocka_unit_test(test_temperature_switches),
        cmocka_unit_test(test_actuation_begins),
        cmocka_unit_test(test_phase_offset),
        cmocka_unit_test(test_voxel_layers),
        cmocka_unit_test(test_collisions),
        cmocka_unit_test(test_poisson_switch),
        cmocka_unit_test(test_equilibrium_mode),
        cmocka_unit_test(test_sticky_floor),
        cmocka_unit_test(test_round_floor),
        cmocka_unit_test(test_fluid),
        cmocka_unit_test(test_stop_formula),
        cmocka_unit_test(test_fixed_material),
        cmocka_unit_test(test_delayed_material),
        cmocka_unit_test(test_cilia),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_auto_controllers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
