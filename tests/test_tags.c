/* Tags of other programs' files that ask for measures, growth and histories: what they do. */
#include "observed.h"

#include "base/base.h"

/* Seven materials, the last ones to find and to push; all of 1 g and 1 MPa. */
#define SEVEN(last)                                                                                          \
    MATERIAL("1", "")                                                                                        \
    MATERIAL("2", "")                                                                                        \
    MATERIAL("3", "") MATERIAL("4", "") MATERIAL("5", "") MATERIAL("6", "") MATERIAL("7", last)
#define MATERIAL(name, extra)                                                                                \
    "<Material><Name>" name "</Name><Mechanical><Elastic_Mod>1e6</Elastic_Mod><Density>1000</Density>" extra \
    "</Mechanical></Material>"
#define LIFE(time, afterlife)                                                                                \
    "<StopCondition><StopConditionType>2</StopConditionType><StopConditionValue>" #time                      \
    "</StopConditionValue><AfterlifeTime>" #afterlife "</AfterlifeTime></StopCondition>"
#define EVOSORO "<GA><FitnessFileName>r.xml</FitnessFileName></GA>"

typedef struct run {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_observer *observer;
    char *text; /* of evosoro's file */
} run;

static run run_scene(vxe_scene *scene, double time, const char *history)
{
    vxe_error error = {VXE_OK, ""};
    const vxe_sim_def def = vxe_default_sim_def();
    run r = {.scene = scene, .model = compile_scene(scene)};
    r.sim = new_sim(r.model, &def);
    r.observer = observe(r.sim, scene, time, history);
    require(vxe_observer_save_evosoro(r.observer, "r.xml", &error), &error);
    r.text = file_text("r.xml");
    return r;
}

static void end_run(run r)
{
    free(r.text);
    vxe_observer_destroy(r.observer);
    vxe_sim_destroy(r.sim);
    vxe_model_destroy(r.model);
    vxe_scene_destroy(r.scene);
}

/* ---- what robots find and push --------------------------------------------------------------------------------------- */

/* A voxel is pushed along y against another that lies 3 cells further. */
#define TOWARDS                                                                                              \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>5</Y_Voxels>"                 \
    "<Z_Voxels>1</Z_Voxels><Data><Layer>10007</Layer></Data></Structure>"
#define SHOVED                                                                                               \
    STILL "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>1</dX><dY>0.1</dY><dZ>1</dZ>"             \
          "<ForceY>0.004</ForceY></FRegion></Boundary_Conditions>"
#define MEET FREE_DAMPING EVOSORO "<Collisions><SelfColEnabled>1</SelfColEnabled></Collisions>"

static void test_needle(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene =
            read_parts(VXE_DIALECT_EVOSORO, MEET,
                       i == 0 ? SHOVED : SHOVED "<NeedleInHaystack>1</NeedleInHaystack>", SEVEN(""), TOWARDS);
        assert_string_equal(vxe_scene_experiment(scene).needle, i == 0 ? "" : "7");
        /* they touch at 1.5 voxels: after 2.5 cm at 4 m/s^2 */
        vxe_error error = {VXE_OK, ""};
        vxe_scene *copy = NULL;
        require(vxe_scene_copy(scene, &copy, &error), &error);
        run r = run_scene(copy, 0.10, NULL);
        check_near("before they meet", tag(r.text, "FoundNeedleInHaystack"), 0.0, 0.0);
        check_near("before they meet", tag(r.text, "PushDist"), 0.0, 0.0);
        end_run(r);
        r = run_scene(scene, 0.13, NULL);
        check_near("after", tag(r.text, "FoundNeedleInHaystack"), i, 0.0);
        check_above("after", tag(r.text, "PushDist"), 0.01);
        end_run(r);
    }
}

/* The block's way is its own; the robot's distance is that of the rest. */
static void test_block(void **state)
{
    (void)state;
    double way[2];
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = read_parts(
            VXE_DIALECT_EVOSORO, MEET,
            i == 0 ? SHOVED : SHOVED "<BlockPushing>1</BlockPushing><BlockMaterial>2</BlockMaterial>",
            SEVEN(""),
            "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>5</Y_Voxels>"
            "<Z_Voxels>1</Z_Voxels><Data><Layer>10002</Layer></Data></Structure>");
        assert_string_equal(vxe_scene_experiment(scene).block, i == 0 ? "" : "2");
        const run r = run_scene(scene, 0.16, NULL);
        const vxe_state *s = vxe_sim_state(r.sim);
        const double pushed = (s->position[1][1] - 0.045) / 0.01;
        check_above("the block", pushed, 0.2);
        check_near("PushDist", tag(r.text, "PushDist"), i == 0 ? 0.0 : pushed, 1e-9);
        way[i] = tag(r.text, "finalDistY");
        const double robot = (s->position[1][0] - 0.005) / 0.01;
        check_near("distance", way[i], i == 0 ? 0.5 * (robot + pushed) : robot, 1e-9);
        end_run(r);
    }
}

/* 4 m/s^2 along y: the rear end of the body at 0.1 s, and that it had a life of 0.1 s. */
static void test_afterlife(void **state)
{
    (void)state;
    vxe_scene *scene = read_parts(VXE_DIALECT_EVOSORO, FREE_DAMPING EVOSORO LIFE(0.1, 0.1),
                                  STILL "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>1</dX>"
                                        "<dY>1</dY><dZ>1</dZ><ForceY>0.016</ForceY></FRegion>"
                                        "</Boundary_Conditions>",
                                  NULL, NULL);
    assert_true(vxe_scene_stop(scene).time == 0.2);
    const run r = run_scene(scene, 0.2, NULL);
    check_near("EndOfLifePosteriorY", tag(r.text, "EndOfLifePosteriorY"), 0.5 + 2.0, 0.03);
    check_near("PosteriorY", tag(r.text, "PosteriorY"), 0.5 + 8.0, 0.05);
    check_near("NormRegimeDist", tag(r.text, "NormRegimeDist"),
               tag(r.text, "PosteriorDist") - tag(r.text, "EndOfLifePosteriorY"), 1e-9);
    check_near("Lifetime", tag(r.text, "Lifetime"), 0.1, 1e-3);
    end_run(r);
}

/* ---- growth ---------------------------------------------------------------------------------------------------------- */

#define BUD                                                                                                  \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>1</Z_Voxels><Data><Layer>1</Layer></Data><InitialVoxelSize><Layer>0,</Layer>"                 \
    "</InitialVoxelSize><FinalVoxelSize><Layer>1,</Layer></FinalVoxelSize></Structure>"
#define GROWS STILL "<GrowthAmplitude>0.5</GrowthAmplitude>"
#define SLOWS                                                                                                \
    GROWS "<NumTimeStepsInWindow>20</NumTimeStepsInWindow><MaxSlowdownPermitted>0.2</MaxSlowdownPermitted>"  \
          "<BallisticSlowdownFact>0.25</BallisticSlowdownFact>"

/* A voxel that grows flies along, and is stopped in the middle of its life: from the second window after that
 * on it grows at a quarter of the pace for a window; a still body loses no more speed. */
static double size_at_end(const char *environment, double stopped, bool again)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = read_parts(VXE_DIALECT_EVOSORO, FREE_DAMPING EVOSORO LIFE(0.1, 0), environment,
                                  MATERIAL("1", ""), BUD);
    vxe_model *model = compile_scene(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    const double velocity[3] = {0.1, 0.0, 0.0};
    const double still[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_velocity(sim, 0, velocity, still, &error), &error);
    vxe_stop stop = {.time = stopped};
    (void)vxe_sim_run(sim, &stop, INT64_MAX);
    require(vxe_sim_set_velocity(sim, 0, still, still, &error), &error);
    stop.time = 0.09;
    while (vxe_sim_run(sim, &stop, 7) == VXE_RUN_STEPS) {
        if (!again) continue;
        /* another goes on from here, in the middle of it all */
        const size_t size = vxe_sim_save_size(sim);
        void *bytes = malloc(size);
        require(vxe_sim_save(sim, bytes, size, &error), &error);
        vxe_sim_destroy(sim);
        sim = new_sim(model, &def);
        require(vxe_sim_load(sim, bytes, size, &error), &error);
        free(bytes);
    }
    check_well(sim);
    const double size = 1.0 + vxe_sim_state(sim)->growth[0];
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    return size;
}

static void test_slow_growth(void **state)
{
    (void)state;
    const double free_growth = size_at_end(GROWS, 0.04, false);
    check_near("growth by itself", free_growth, 1.45, 0.005);
    const double slowed = size_at_end(SLOWS, 0.04, false);
    /* a window is 20 DtFrac/(2 pi) pitch/c = 0.9 ms long, c = 31.6 m/s; the body stops within one, which may
     * be the window in which it is found, or that and the next: of growth at 5/s three quarters are missing
     */
    const double window = 20.0 * 0.9 / (2.0 * PI) * 0.01 / sqrt(1e6 / 1000.0);
    check_above("growth that is slowed down", free_growth - slowed, 0.9 * 0.75 * 5.0 * window);
    check_below("growth that is slowed down", free_growth - slowed, 2.2 * 0.75 * 5.0 * window);
    assert_true(size_at_end(SLOWS, 0.04, true) == slowed);
    assert_true(size_at_end(SLOWS, 0.09, false) == size_at_end(GROWS, 0.09, false)); /* it flies on */
}

static void test_growth_limit(void **state)
{
    (void)state;
    vxe_scene *scene = read_parts(VXE_DIALECT_EVOSORO, FREE_DAMPING EVOSORO LIFE(0.1, 0),
                                  GROWS "<GrowthSpeedLimit>2</GrowthSpeedLimit>", MATERIAL("1", ""), BUD);
    check_near("time of growth", vxe_scene_field(scene, VXE_FIELD_GROWTH_TIME, 0, 0, 0), 0.25, 1e-12);
    const run r = run_scene(scene, 0.1, NULL);
    check_near("size", 1.0 + vxe_sim_state(r.sim)->growth[0], 1.2, 0.003);
    end_run(r);
}

/* ---- signals --------------------------------------------------------------------------------------------------------- */

/* Five beats in a cycle of 0.1 s; a signal goes ten voxels in one. */
static void test_signaling(void **state)
{
    (void)state;
    vxe_scene *scene = read_parts(
        VXE_DIALECT_EVOSORO, FREE_DAMPING EVOSORO,
        STILL "<Thermal><TempPeriod>0.1</TempPeriod></Thermal><Signaling><DepolarizationsPerTempCycle>5"
              "</DepolarizationsPerTempCycle><RepolarizationsPerTempCycle>20</RepolarizationsPerTempCycle>"
              "<SignalingUpdatesPerTempCycle>10</SignalingUpdatesPerTempCycle></Signaling>"
              "<LightSource><X>1</X><Y>2</Y><Z>3</Z></LightSource>",
        MATERIAL("1", "<IsPacemaker>1</IsPacemaker>") MATERIAL("2", "<IsConductive>1</IsConductive>")
            MATERIAL("3", ""),
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>4</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>1</Z_Voxels><Data><Layer>1223</Layer></Data></Structure>");
    const vxe_rule_def *light = vxe_scene_rule(scene, 0);
    assert_int_equal(light->kind, VXE_RULE_LIGHT);
    assert_true(light->position[0] == 1.0 && light->position[1] == 2.0 && light->position[2] == 3.0);
    vxe_model *model = compile_scene(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    int fired[4] = {0};
    double first[4] = {0.0};
    double before[4] = {0.0};
    while (vxe_sim_time(sim) < 0.095) {
        step(sim, 1);
        for (int32_t v = 0; v < 4; v++) {
            const double now = vxe_sim_impulse(sim, v);
            if (now > before[v] && fired[v]++ == 0) first[v] = vxe_sim_time(sim);
            before[v] = now;
        }
    }
    assert_int_equal(fired[0], 5);
    assert_int_equal(fired[3], 0);
    check_below("the second voxel, which is told at once", first[1] - first[0], 1e-3);
    check_near("the third voxel", first[2] - first[1], 0.01, 1e-3);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* ---- histories ------------------------------------------------------------------------------------------------------- */

#define RECORD(extra)                                                                                        \
    DAMPED "<RecordHistory><RecordStepSize>100</RecordStepSize><RecordLink>1</RecordLink>" extra             \
           "</RecordHistory>"
/* A cube of 3 x 3 x 3, its lowest layer fixed. */
#define CUBE                                                                                                 \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>3</Y_Voxels>"                 \
    "<Z_Voxels>3</Z_Voxels><Data><Layer>222222222</Layer><Layer>111111111</Layer><Layer>111111111</Layer>"   \
    "</Data></Structure>"

static int count_of(const char *from, const char *to, char sign)
{
    int count = 0;
    for (const char *c = from; c < to; c++) count += *c == sign;
    return count;
}

static void test_history_choices(void **state)
{
    (void)state;
    static const struct {
        const char *simulator;
        int voxels, links;
    } cases[] = {
        {RECORD(""), 26, 54},
        {RECORD("<SurfaceVoxelsOnly>0</SurfaceVoxelsOnly>"), 27, 54},
        {RECORD("<RecordFixedVoxels>0</RecordFixedVoxels>"), 17, 33},
        {RECORD("<RecordFixedVoxels>0</RecordFixedVoxels><SurfaceVoxelsOnly>0</SurfaceVoxelsOnly>"
                "<RecordCoMTraceOfEachVoxelGroupfOfThisMaterial>1"
                "</RecordCoMTraceOfEachVoxelGroupfOfThisMaterial>"),
         18, 33},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const run r = run_scene(read_parts(VXE_DIALECT_VOXCRAFT, cases[i].simulator, STILL,
                                           MATERIAL("a", "") MATERIAL("b", "<Fixed>1</Fixed>"), CUBE),
                                0.005, "run.history");
        char *text = file_text("run.history");
        const char *voxels = strstr(text, ">>>");
        const char *links = strstr(text, "|[[[");
        assert_non_null(voxels);
        assert_non_null(links);
        const char *end = strstr(links, "[[[]]]");
        assert_non_null(end);
        assert_int_equal(count_of(voxels, links, ';'), cases[i].voxels);
        assert_int_equal(count_of(links, end, ';'), cases[i].links);
        const char *bodies = strstr(text, "|{{{0}}}");
        assert_true((bodies != NULL) == (i == 3));
        /* the one body, from the centre of the first voxel on */
        if (bodies != NULL) assert_memory_equal(bodies, "|{{{0}}}0.0100,0.0100,0.0100,;{{{}}}\n", 37);
        free(text);
        end_run(r);
    }
}

/* Voxels that went are not recorded, impulses are. */
static void test_history_of_life(void **state)
{
    (void)state;
    const run r = run_scene(
        read_parts(VXE_DIALECT_VOXCRAFT,
                   RECORD("") "<EnableSignals>1</EnableSignals><SecondaryExperiment>1</SecondaryExperiment>",
                   STILL,
                   MATERIAL("a", "<isPaceMaker>1</isPaceMaker><PaceMakerPeriod>1</PaceMakerPeriod>")
                       MATERIAL("b", "<RemoveFromSimulationAfterThisManySeconds>0.005"
                                     "</RemoveFromSimulationAfterThisManySeconds>"),
                   "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>1</Y_Voxels>"
                   "<Z_Voxels>1</Z_Voxels><Data><Layer>112</Layer></Data></Structure>"),
        0.011, "run.history");
    vxe_history *h = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_history_load("run.history", &h, &error), &error);
    const vxe_history_frame *first = vxe_history_get(h, 0);
    const vxe_history_frame *last = vxe_history_get(h, vxe_history_count(h) - 1);
    assert_int_equal(first->voxel_count, 3);
    assert_int_equal(last->voxel_count, 2);
    assert_int_equal(first->link_count, 2);
    assert_int_equal(last->link_count, 1);
    check_near("impulse", first->voxels[0].signal, 100.0, 0.1);
    vxe_history_destroy(h);
    end_run(r);
}

static void test_raw_print(void **state)
{
    (void)state;
    char *text = vxa_text(RECORD(""), STILL, MATERIAL("a", ""), NULL);
    const char *root = strstr(text, "<VXA Version=\"1.1\">");
    assert_non_null(root);
    char whole[8192];
    (void)snprintf(
        whole, sizeof whole,
        "<VXA Version=\"1.1\"><RawPrint>{{{setting}}}&lt;cylinder&gt;&lt;x&gt;1&lt;/x&gt;&lt;/cylinder"
        "&gt;</RawPrint>%s",
        root + strlen("<VXA Version=\"1.1\">"));
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(whole, VXE_DIALECT_VOXCRAFT, &notes);
    check_note(notes, "RawPrint", VXE_NOTE_READ, 0);
    vxe_notes_destroy(notes);
    const run r = run_scene(scene, 0.005, "run.history");
    char *history = file_text("run.history");
    assert_non_null(strstr(history, "\n{{{setting}}}<cylinder><x>1</x></cylinder>\n<<<Step0"));
    free(history);
    free(text);
    end_run(r);
}

/* ---- bodies ---------------------------------------------------------------------------------------------------------- */

/* Two pieces of 2 and 3 voxels of a sticky material, and one of 4 that is not. */
static void test_largest_group(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vxe_error error = {VXE_OK, ""};
        const run r = run_scene(
            read_parts(VXE_DIALECT_VOXCRAFT,
                       i == 0 ? DAMPED : DAMPED "<AttachDetach><EnableAttach>1</EnableAttach></AttachDetach>",
                       STILL, MATERIAL("a", "<Sticky>1</Sticky>") MATERIAL("b", ""),
                       "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>10</X_Voxels><Y_Voxels>3"
                       "</Y_Voxels><Z_Voxels>1</Z_Voxels><Data><Layer>110001110000000000002222000000</Layer>"
                       "</Data></Structure>"),
            0.005, NULL);
        vxe_observer *const observers[1] = {r.observer};
        const char *const names[1] = {"a.vxd"};
        require(vxe_report_save_voxcraft("report.vxr", "in", names, observers, NULL, 1, &error), &error);
        char *text = file_text("report.vxr");
        assert_true((strstr(text, "<largestStickyGroupSize>") != NULL) == (i == 1));
        if (i == 1) check_near("largest group", tag(text, "largestStickyGroupSize"), 3.0, 0.0);
        free(text);
        end_run(r);
    }
}

/* ---- the Voxelyze library -------------------------------------------------------------------------------------------- */

static void test_scaled(void **state)
{
    (void)state;
    const char *text =
        "{\"voxelSize\": 0.01, \"materials\": [{\"youngsModulus\": 1e6, \"density\": 1000.0},"
        "{\"youngsModulus\": 1e6, \"density\": 1000.0, \"externalScaleFactor\": [1.2, 1.2, %s]}],"
        "\"voxels\": [0,0,0,0, 2,0,0,1]}";
    const vxe_load_def def = {.dialect = VXE_DIALECT_AUTO};
    for (int i = 0; i < 2; i++) {
        char whole[512];
        vxe_scene *scene = NULL;
        vxe_error error = {VXE_OK, ""};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(whole, sizeof whole, text, i == 0 ? "1.2" : "1.0");
#pragma GCC diagnostic pop
        const vxe_result result =
            vxe_scene_parse(whole, strlen(whole), "a.vxl.json", NULL, &def, &scene, NULL, &error);
        if (i == 1) {
            assert_int_equal(result, VXE_ERROR_INPUT);
            assert_non_null(strstr(error.message, "voxels are cubes"));
            continue;
        }
        require(result, &error);
        vxe_model *model = compile_scene(scene);
        const vxe_sim_def usual = vxe_default_sim_def();
        vxe_sim *sim = new_sim(model, &usual);
        step(sim, 10);
        assert_true(vxe_sim_state(sim)->growth[0] == 0.0);
        check_near("size", 1.0 + vxe_sim_state(sim)->growth[1], 1.2, 1e-12);
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* ---- what cannot be --------------------------------------------------------------------------------------------------- */

#define CYCLE(extra)                                                                                         \
    DAMPED "<SecondaryExperiment>1</SecondaryExperiment><SelfReplication>1</SelfReplication>"                \
           "<ReinitializeInitialPositionAfterThisManySeconds>1</"                                            \
           "ReinitializeInitialPositionAfterThisManySeconds>" extra

static void test_refused(void **state)
{
    (void)state;
    char *text =
        vxa_text(CYCLE(""), STILL,
                 MATERIAL("a", "") "<Material><Name>b</Name><Mechanical><Elastic_Mod>2e6</Elastic_Mod>"
                                   "<Density>1000</Density></Mechanical></Material>",
                 NULL);
    check_refused(text, "a voxel cannot change its mass");
    free(text);
    text = vxa_text(CYCLE("<MaxNewVoxelsAddedMidSim>10</MaxNewVoxelsAddedMidSim><WorldSize>9</WorldSize>"),
                    STILL, MATERIAL("a", "") MATERIAL("b", ""), NULL);
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(text, VXE_DIALECT_VOXCRAFT, &notes);
    check_note(notes, "MaxNewVoxelsAddedMidSim", VXE_NOTE_CHANGED, 0);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
}

static const vxe_rule_def *lamp_of(const vxe_scene *scene)
{
    for (int32_t r = 0; r < vxe_scene_rule_count(scene); r++) {
        if (vxe_scene_rule(scene, r)->kind == VXE_RULE_LIGHT) return vxe_scene_rule(scene, r);
    }
    fail_msg("there is no lamp");
    return NULL;
}

/* Through the native format and back as a .vxa: all of it is still asked for. */
static void test_round_trip(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene =
            i == 0 ? read_parts(VXE_DIALECT_EVOSORO, MEET LIFE(0.1, 0.05),
                                SLOWS "<NeedleInHaystack>1</NeedleInHaystack><BlockPushing>1</BlockPushing>"
                                      "<BlockMaterial>2</BlockMaterial>",
                                SEVEN(""), BUD)
                   : read_parts(VXE_DIALECT_VOXCRAFT,
                                CYCLE("<ComputeLargestSitckyGroupForFirstRound>1"
                                      "</ComputeLargestSitckyGroupForFirstRound><UsingLightSource>1"
                                      "</UsingLightSource><RandomizeLightB>1</RandomizeLightB><RandomSeed>5"
                                      "</RandomSeed><LightBFunction><mtVAR>t</mtVAR></LightBFunction>"
                                      "<RecordHistory><RecordStepSize>100</RecordStepSize>"
                                      "<SurfaceVoxelsOnly>0</SurfaceVoxelsOnly><RecordFixedVoxels>0"
                                      "</RecordFixedVoxels><RecordCoMTraceOfEachVoxelGroupfOfThisMaterial>2"
                                      "</RecordCoMTraceOfEachVoxelGroupfOfThisMaterial></RecordHistory>"),
                                STILL, MATERIAL("a", "") MATERIAL("b", ""), NULL);
        const vxe_experiment e = vxe_scene_experiment(scene);
        const vxe_environment around = vxe_scene_environment(scene);
        const int32_t rules = vxe_scene_rule_count(scene);
        if (i == 0) {
            check_above("window", around.slow_window, 0.0);
            assert_true(around.slow_loss == 0.2 && around.slow_factor == 0.25 && e.afterlife == 0.05);
            assert_string_equal(e.needle, "7");
            assert_string_equal(e.block, "2");
        } else {
            assert_true(e.group_at == 1.0 && e.history_inside && e.history_moving);
            assert_string_equal(e.history_bodies, "b");
            assert_true(lamp_of(scene)->chance == 0.5 && lamp_of(scene)->seed == 5);
        }
        static const char *const files[] = {"a.json", "a.vxa"};
        for (int k = 0; k < 2; k++) {
            vxe_scene *again = NULL;
            require(vxe_scene_save(scene, files[k], NULL, &error), &error);
            require(vxe_scene_load(files[k], NULL, &again, NULL, &error), &error);
            const vxe_experiment f = vxe_scene_experiment(again);
            const vxe_environment now = vxe_scene_environment(again);
            assert_true(now.slow_window == around.slow_window && now.slow_loss == around.slow_loss &&
                        now.slow_factor == around.slow_factor);
            assert_true(f.afterlife == e.afterlife && f.group_at == e.group_at &&
                        f.history_inside == e.history_inside && f.history_moving == e.history_moving);
            assert_string_equal(f.needle, e.needle);
            assert_string_equal(f.block, e.block);
            assert_string_equal(f.history_bodies, e.history_bodies);
            assert_int_equal(vxe_scene_rule_count(again), rules);
            if (i == 1) assert_true(lamp_of(again)->chance == 0.5);
            vxe_scene_destroy(again);
        }
        vxe_scene_destroy(scene);
    }
}

/* A file that is written again says the same in its tags alone: those who know nothing of the element
 * Voxelastic read the same scene. */
static void test_for_others(void **state)
{
    (void)state;
#define LAYER(tag, a, b) "<" tag "><Layer>" a "," b ",</Layer></" tag ">"
#define TWO                                                                                                  \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>1</Z_Voxels><Data><Layer>12</Layer></Data>"
#define CHANGES                                                                                              \
    LAYER("PhaseOffset", "0.1", "0.2")                                                                       \
    LAYER("FinalPhaseOffset", "0.3", "-0.2")                                                                 \
    LAYER("TempAmpDamp", "0.7", "0.6")                                                                       \
    LAYER("FinalTempAmpDamp", "0.9", "0.5")                                                                  \
    LAYER("InitialVoxelSize", "-0.3", "0.2") LAYER("FinalVoxelSize", "0.37", "-0.7")
    static const char *const heat =
        "<Thermal><TempEnabled>1</TempEnabled><VaryTempEnabled>1</VaryTempEnabled><TempBase>25</TempBase>"
        "<TempAmplitude>10</TempAmplitude><TempPeriod>0.1</TempPeriod></Thermal>"
        "<GrowthAmplitude>0.4</GrowthAmplitude><MinGrowthTime>0.05</MinGrowthTime>";
    static const char *const life =
        "<StopCondition><StopConditionType>2</StopConditionType><StopConditionValue>1</StopConditionValue>"
        "<InitCmTime>0.1</InitCmTime><AfterlifeTime>0.5</AfterlifeTime><MidLifeFreezeTime>0.2"
        "</MidLifeFreezeTime><ActuationStartTime>0.25</ActuationStartTime></StopCondition>";
    static const char *const lives =
        "<SecondaryExperiment>1</SecondaryExperiment><EnableSignals>1</EnableSignals><EnableCilia>1"
        "</EnableCilia><RandomizeCiliaEvery>0.1</RandomizeCiliaEvery>";
    const struct {
        vxe_dialect dialect;
        const char *simulator, *environment, *palette, *structure;
    } files[] = {
        {VXE_DIALECT_EVOSORO, life, heat, SEVEN(""),
         TWO CHANGES LAYER("StartGrowthTime", "0.2", "0.1")
             LAYER("GrowthTime", "0.35", "0.4") "</Structure>"},
        {VXE_DIALECT_EVOSORO, life, heat, SEVEN(""), TWO CHANGES "</Structure>"},
        {VXE_DIALECT_EVOSORO, life, heat, SEVEN(""),
         TWO LAYER("InitialVoxelSize", "-0.3", "0.2") "</Structure>"},
        {VXE_DIALECT_VOXCRAFT, lives, STILL,
         MATERIAL("a", "<LockZ>1</LockZ><isPaceMaker>1</isPaceMaker><PaceMakerPeriod>0.1</PaceMakerPeriod>")
             MATERIAL("b", "<NoSpin>1</NoSpin><Cilia>1</Cilia><RemoveFromSimulationAfterThisManySeconds>1"
                           "</RemoveFromSimulationAfterThisManySeconds>"),
         TWO "</Structure>"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        vxe_error error = {VXE_OK, ""};
        vxe_scene *scene = read_parts(files[i].dialect, files[i].simulator, files[i].environment,
                                      files[i].palette, files[i].structure);
        char *text = NULL;
        size_t size = 0;
        require(vxe_scene_save(scene, "others.vxa", NULL, &error), &error);
        require(vxe_read_file("others.vxa", 1000000, &text, &size, &error), &error);
        char *own = strstr(text, "<Voxelastic");
        assert_non_null(own);
        const char *end = strstr(own, "</VXA>");
        assert_non_null(end);
        memmove(own, end, strlen(end) + 1);
        vxe_scene *again = read_text(text, files[i].dialect, NULL);
        assert_int_equal(hash_of(again), hash_of(scene));
        assert_int_equal(vxe_scene_rule_count(again), vxe_scene_rule_count(scene));
        assert_int_equal(vxe_scene_region_count(again), vxe_scene_region_count(scene));
        assert_true(vxe_scene_stop(again).time == vxe_scene_stop(scene).time &&
                    vxe_scene_experiment(again).afterlife == vxe_scene_experiment(scene).afterlife &&
                    vxe_scene_signal(again, 0)->delay == vxe_scene_signal(scene, 0)->delay);
        vxe_scene_destroy(again);
        vxe_scene_destroy(scene);
        free(text);
    }
}

/* Changes of phase alone come where life ends, as in evosoro: there is no time for them. */
static void test_late_growth(void **state)
{
    (void)state;
    vxe_scene *scene = read_parts(VXE_DIALECT_EVOSORO, LIFE(1, 0), "<GrowthAmplitude>0.4</GrowthAmplitude>",
                                  SEVEN(""), TWO LAYER("FinalPhaseOffset", "0.3", "0.3") "</Structure>");
    assert_true(vxe_scene_field(scene, VXE_FIELD_GROWTH_BEGIN, 0, 0, 0) == 1.0);
    vxe_scene_destroy(scene);
    scene = read_parts(VXE_DIALECT_EVOSORO, LIFE(1, 0), "<GrowthAmplitude>0.4</GrowthAmplitude>", SEVEN(""),
                       TWO LAYER("FinalPhaseOffset", "0.3", "0.3")
                           LAYER("FinalVoxelSize", "0", "0") "</Structure>");
    assert_true(vxe_scene_field(scene, VXE_FIELD_GROWTH_BEGIN, 0, 0, 0) == 0.0);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needle),          cmocka_unit_test(test_block),
        cmocka_unit_test(test_afterlife),       cmocka_unit_test(test_slow_growth),
        cmocka_unit_test(test_growth_limit),    cmocka_unit_test(test_signaling),
        cmocka_unit_test(test_history_choices), cmocka_unit_test(test_history_of_life),
        cmocka_unit_test(test_raw_print),       cmocka_unit_test(test_largest_group),
        cmocka_unit_test(test_scaled),          cmocka_unit_test(test_refused),
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_for_others),
        cmocka_unit_test(test_late_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
