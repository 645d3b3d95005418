/* Results in the forms of other programs: what is counted and when, evosoro's file, voxcraft's report,
 * histories written and read. */
#include "observed.h"

#include <unistd.h>

/* A push of 4 mN on each of 4 voxels of 1 g: 4 m/s^2 along y. */
#define PUSHED                                                                                               \
    STILL "<Boundary_Conditions><FRegion><PrimType>0</PrimType><dX>1</dX><dY>1</dY><dZ>1</dZ>"               \
          "<ForceY>0.016</ForceY></FRegion></Boundary_Conditions>"

static void test_evosoro_file(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene =
        read_parts(VXE_DIALECT_AUTO,
                   FREE_DAMPING "<GA><FitnessFileName>r.xml</FitnessFileName></GA><StopCondition>"
                                "<InitCmTime>0.1</InitCmTime></StopCondition>",
                   PUSHED "<SaveTraces>1</SaveTraces><TimeBetweenTraces>0.05</TimeBetweenTraces>"
                          "<NormDistByVol>1</NormDistByVol><NormalizationExponent>2</NormalizationExponent>",
                   NULL, NULL);
    vxe_model *model = compile_scene(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    vxe_observer *o = observe(sim, scene, 0.3, NULL);
    require(vxe_observer_save_evosoro(o, "r.xml", &error), &error);
    char *text = file_text("r.xml");
    /* from 0.1 s to 0.3 s: 2 (0.09 - 0.01) m, in voxels of 1 cm; half a step of 0.3 ms is 0.3 % */
    check_near("FinalDist", tag(text, "FinalDist"), 16.0, 0.1);
    check_near("finalDistY", tag(text, "finalDistY"), 16.0, 0.1);
    check_near("NormFinalDist", tag(text, "NormFinalDist"), tag(text, "FinalDist") / 16.0, 1e-9);
    check_near("Lifetime", tag(text, "Lifetime"), 0.3, 1e-12);
    check_near("normDistY", tag(text, "normDistY"), 16.0, 0.1);
    check_near("VoxelNumber", tag(text, "VoxelNumber"), 4.0, 0.0);
    check_near("RobotVolumeStart", tag(text, "RobotVolumeStart"), 4e-6, 1e-15);
    check_near("ConvexHullVolumeEnd", tag(text, "ConvexHullVolumeEnd"), 4e-6, 1e-12);
    static const char *const names[] = {"NormRegimeDist",
                                        "NormFrozenDist",
                                        "AnteriorDist",
                                        "PosteriorDist",
                                        "AnteriorY",
                                        "PosteriorY",
                                        "EndOfLifePosteriorY",
                                        "FallAdjPostY",
                                        "NumNonFeetTouchingFloor",
                                        "NumTouchingFloor",
                                        "FoundNeedleInHaystack",
                                        "PushDist",
                                        "TraceX",
                                        "Volume"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) (void)tag(text, names[i]);
    /* scripts look line by line */
    assert_non_null(strstr(text, "\n    <FinalDist>"));
    /* it may be written again, but not over something else */
    require(vxe_observer_save_evosoro(o, "r.xml", &error), &error);
    FILE *f = fopen("other.xml", "wb");
    assert_non_null(f);
    (void)fputs("precious", f);
    (void)fclose(f);
    assert_int_equal(vxe_observer_save_evosoro(o, "other.xml", &error), VXE_ERROR_FILE);
    free(text);
    text = file_text("other.xml");
    assert_string_equal(text, "precious");
    free(text);
    vxe_observer_destroy(o);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* The hull of an L of three voxels: a box of 2 x 2 less half a voxel. */
static void test_hull(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene =
        read_parts(VXE_DIALECT_EVOSORO, FREE_DAMPING, STILL, NULL,
                   "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels><Y_Voxels>2</Y_Voxels>"
                   "<Z_Voxels>1</Z_Voxels><Data><Layer>1110</Layer></Data></Structure>");
    vxe_model *model = compile_scene(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    vxe_observer *o = observe(sim, scene, 0.001, NULL);
    require(vxe_observer_save_evosoro(o, "hull.xml", &error), &error);
    char *text = file_text("hull.xml");
    check_near("hull", tag(text, "ConvexHullVolumeStart"), 3.5e-6, 1e-11);
    free(text);
    vxe_observer_destroy(o);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

static void test_voxcraft_report(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    static const char *const names[] = {"slow.vxd", "fast one.vxd", "9.vxd"};
    static const char *const fields[] = {"<mtCONST>0.001</mtCONST>", "<mtCONST>0.003</mtCONST>",
                                         "<mtCONST>0</mtCONST>"};
    vxe_scene *scenes[3];
    vxe_model *models[3];
    vxe_observer *observers[3];
    for (int i = 0; i < 3; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator,
                       FREE_DAMPING
                       "<FitnessFunction>%s</FitnessFunction><ForceField><y_forcefield>%s</y_forcefield>"
                       "</ForceField><SavePositionOfAllVoxels>1</SavePositionOfAllVoxels>",
                       i == 2 ? "<mtSQRT><mtCONST>-1</mtCONST></mtSQRT>" : "<mtVAR>y</mtVAR>", fields[i]);
        static const char palette[] = BLOCK_MATERIAL
            "<Material><Name>Load</Name><Mechanical><Elastic_Mod>1e6</Elastic_Mod><Density>1000</Density>"
            "<isMeasured>0</isMeasured></Mechanical></Material>";
        scenes[i] = read_parts(
            VXE_DIALECT_AUTO, simulator, STILL, palette,
            "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>1</Y_Voxels>"
            "<Z_Voxels>1</Z_Voxels><Data><Layer>112</Layer></Data></Structure>");
        models[i] = compile_scene(scenes[i]);
        const vxe_sim_def def = vxe_default_sim_def();
        vxe_sim *sim = new_sim(models[i], &def);
        observers[i] = observe(sim, scenes[i], 0.1, NULL);
        vxe_sim_destroy(sim);
    }
    require(vxe_report_save_voxcraft("report.vxr", "some/where/robots/", names, observers, NULL, 3, &error),
            &error);
    char *text = file_text("report.vxr");
    assert_non_null(
        strstr(text, "<report><inputdir>robots</inputdir><bestfit><filename>fast one.vxd</filename>"));
    /* best first, what is no number last; names that XML can hold */
    const char *fast = strstr(text, "<fast_one>");
    const char *slow = strstr(text, "<slow>");
    const char *none = strstr(text, "<_9>");
    assert_true(fast != NULL && slow != NULL && none != NULL && fast < slow && slow < none);
    assert_non_null(strstr(none, "<fitness_score>nan</fitness_score>"));
    /* 3 mN on 1 g for 0.1 s: 1.5 cm, less half a step of 0.3 ms */
    check_near("fitness", tag(fast, "fitness_score"), 0.015, 1e-4);
    check_near("num_voxel", tag(fast, "num_voxel"), 3, 0);
    check_near("num_measured_voxel", tag(fast, "num_measured_voxel"), 2, 0);
    check_near("voxSize", tag(fast, "voxSize"), 0.01, 0);
    check_near("currentTime", tag(fast, "currentTime"), 0.1, 1e-12);
    check_near("numClosePairs", tag(fast, "numClosePairs"), 0, 0);
    check_near("distance", tag(fast, "total_distance_of_all_voxels"), 2 * tag(fast, "fitness_score"), 1e-9);
    /* its coordinates begin at the centre of the first voxel; the third voxel is not measured */
    assert_non_null(strstr(fast, "<initialCenterOfMass><x>0.005</x>"));
    assert_non_null(
        strstr(fast, "<init_pos>0.000000,0.000000,0.000000;0.010000,0.000000,0.000000;0.020000,"));
    assert_non_null(strstr(fast, "<mats>1;1;2;</mats>"));
    free(text);
    for (int i = 0; i < 3; i++) {
        vxe_observer_destroy(observers[i]);
        vxe_model_destroy(models[i]);
        vxe_scene_destroy(scenes[i]);
    }
}

/* When results begin and end, by formulas and by a restart. */
static void test_windows(void **state)
{
    (void)state;
    static const struct {
        const char *tags;
        double start;
        double end;
    } all[] = {
        {"<Condition><ResultStartCondition><mtGREATERTHAN><mtVAR>t</mtVAR><mtCONST>0.05</mtCONST></"
         "mtGREATERTHAN>"
         "</ResultStartCondition><ResultEndCondition><mtGREATERTHAN><mtVAR>t</mtVAR><mtCONST>0.1</mtCONST>"
         "</mtGREATERTHAN></ResultEndCondition></Condition>",
         0.05, 0.1},
        {"<SecondaryExperiment>1</SecondaryExperiment><ReinitializeInitialPositionAfterThisManySeconds>0.15"
         "</ReinitializeInitialPositionAfterThisManySeconds>",
         0.15, 0.2},
        {"<EnableExpansion>0</EnableExpansion>", 0.0, 0.2},
    };
    for (size_t i = 0; i < 3; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator, FREE_DAMPING "%s", all[i].tags);
        vxe_scene *scene = read_parts(VXE_DIALECT_VOXCRAFT, simulator, PUSHED, NULL, NULL);
        vxe_model *model = compile_scene(scene);
        const vxe_sim_def def = vxe_default_sim_def();
        vxe_sim *sim = new_sim(model, &def);
        vxe_observer *o = observe(sim, scene, 0.2, NULL);
        const vxe_outcome r = vxe_observer_outcome(o);
        check_near("start", r.start_time, all[i].start, 1e-3);
        check_near("end", r.end_time, all[i].end, 1e-3);
        const double way = 2.0 * (r.end_time * r.end_time - r.start_time * r.start_time);
        check_near("way", r.end_center[1] - r.start_center[1], way, 0.01 * way + 1e-4);
        vxe_observer_destroy(o);
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

static void test_history(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene =
        read_parts(VXE_DIALECT_AUTO,
                   FREE_DAMPING "<RecordHistory><RecordStepSize>100</RecordStepSize>"
                                "<RecordVoxel>1</RecordVoxel><RecordLink>1</RecordLink></RecordHistory>",
                   PUSHED, NULL, NULL);
    vxe_model *model = compile_scene(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    vxe_observer *o = observe(sim, scene, 0.1, "run.history");
    vxe_history *h = NULL;
    require(vxe_history_load("run.history", &h, &error), &error);
    assert_int_equal(vxe_history_count(h), 11); /* the first step, then every 10 ms */
    assert_true(vxe_history_voxel_size(h) == 0.01);
    uint8_t color[4];
    vxe_history_color(h, 1, color);
    assert_true(color[0] == 255 && color[1] == 128 && color[2] == 0 && color[3] == 255);
    vxe_history_color(h, 2, color);
    assert_true(color[0] == 128);
    assert_int_equal(vxe_history_get(h, 0)->step, 0);
    const vxe_history_frame *last = vxe_history_get(h, vxe_history_count(h) - 1);
    check_near("time", last->time, 0.1, 1e-6);
    assert_int_equal(last->voxel_count, 4);
    assert_int_equal(last->link_count, 3);
    for (int32_t v = 0; v < 4; v++) {
        for (int a = 0; a < 3; a++) { /* 0.1 mm is all a history holds */
            check_near("position", last->voxels[v].position[a], vxe_sim_state(sim)->position[a][v] - 0.005,
                       5.1e-5);
            check_near("corner", last->voxels[v].high[a], 0.005, 5.1e-5);
        }
        assert_int_equal(last->voxels[v].material, 1);
        check_near("orientation", last->voxels[v].orientation[0], 1.0, 1e-4);
    }
    check_near("end of a link", last->links[3], last->voxels[1].position[0], 1e-4);
    assert_null(vxe_history_get(h, 11));
    vxe_history_destroy(h);
    vxe_observer_destroy(o);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    /* one that is not finished leaves nothing */
    assert_int_equal(access("run.history.tmp", F_OK), -1);
}

static void test_history_noise(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_history *h = NULL;
    static const char text[] =
        "GPU found\n\x1b[32mcolour\x1b[0m\n{{{setting}}}<rescale>0.001</rescale>\r\n "
        "{{{setting}}}<rescale>5</rescale>\n"
        "real_stepsize: 3\n<<<Step0 Time:0.5>>>1,2,3,90,0.00,0.00,0.71,-5,-5,-5,5,5,5,2,;<<<>>>\nbye";
    require(vxe_history_parse(text, sizeof text - 1, "h", &h, &error), &error);
    const vxe_history_voxel *v = vxe_history_get(h, 0)->voxels;
    check_near("position", v->position[1], 0.002, 1e-15);
    check_near("angle", v->orientation[0], cos(PI / 4.0), 1e-12);
    check_near("axis", v->orientation[3], sin(PI / 4.0), 1e-12);
    assert_true(v->material == 2 && v->signal == 0.0);
    vxe_history_destroy(h);
    assert_int_equal(vxe_history_parse("noise\n", 6, "h", &h, &error), VXE_ERROR_INPUT);
    static const char cut[] = "a\n<<<Step0 Time:0.5>>>1,2,3,;<<<>>>\n";
    assert_int_equal(vxe_history_parse(cut, sizeof cut - 1, "h", &h, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "h:2: a voxel with fewer than 14 numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evosoro_file),    cmocka_unit_test(test_hull),
        cmocka_unit_test(test_voxcraft_report), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_history),         cmocka_unit_test(test_history_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
