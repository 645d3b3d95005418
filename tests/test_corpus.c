/* Real files of other programs, where the corpus is there: VXE_CORPUS names its folder, or it lies beside the
 * source folder in shared/corpus. Each loads, is what it is, runs to its stop condition and survives a round
 * trip. */
#include "vxa_text.h"

#include <sys/stat.h>

static char corpus[4096];

/* Skips the test where there is no corpus. */
static void need_corpus(void)
{
    const char *named = getenv("VXE_CORPUS");
    struct stat info;
    (void)snprintf(corpus, sizeof corpus, "%s", named != NULL ? named : VXE_SOURCE_DIR "/../shared/corpus");
    if (stat(corpus, &info) == 0) return;
    print_message("no corpus in %s: VXE_CORPUS=FOLDER names one\n", corpus);
    skip();
}

/* What a person (and another decoder) finds in a file. */
typedef struct known {
    const char *file;
    int32_t voxels;
    int32_t counts[5]; /* by material */
    int32_t regions;
    double amplitude; /* K */
    double period;    /* s */
    double stop;      /* s; 0: a formula */
    vxe_dialect dialect;
    vxe_run_reason reason;
} known;

static const known files[] = {
    {"evosoro/Example_1.vxa", 98, {0, 56, 14, 28}, 0, 14, 0.025, 1, VXE_DIALECT_EVOSORO, VXE_RUN_TIME},
    {"evosoro/Example_2.vxa", 743, {407, 33, 303, 0}, 0, 14, 0.025, 0.25, VXE_DIALECT_EVOSORO, VXE_RUN_TIME},
    {"evosoro/Example_stickyFloorBC.vxa",
     642,
     {192, 302, 133, 15},
     1,
     14,
     0.0250063,
     0.25,
     VXE_DIALECT_EVOSORO,
     VXE_RUN_TIME},
    {"evosoro/Example_withPhaseOffset.vxa",
     79,
     {0, 0, 79, 0},
     0,
     14,
     0.147004731751,
     3.24009463502,
     VXE_DIALECT_EVOSORO,
     VXE_RUN_TIME},
    {"evosoro/full_cross.vxa",
     343,
     {27, 0, 316, 0},
     0,
     14,
     0.273845619941,
     13.692280997,
     VXE_DIALECT_EVOSORO,
     VXE_RUN_TIME},
    {"evosoro/hexapus.vxa", 160, {0, 0, 160, 0}, 0, 14, -1, 13.183127027, VXE_DIALECT_EVOSORO, VXE_RUN_TIME},
    {"evosoro/quadruped_land.vxa",
     172,
     {59, 0, 113, 0},
     0,
     14,
     -1,
     15.7248337332,
     VXE_DIALECT_EVOSORO,
     VXE_RUN_TIME},
    {"voxcraft/base.vxa", 1, {1}, 0, 0, 0.1, 0, VXE_DIALECT_VOXCRAFT, VXE_RUN_FORMULA},
    {"voxcraft/robot.vxd", 1, {1}, 0, 0, 0.1, 0, VXE_DIALECT_VOXCRAFT, VXE_RUN_FORMULA},
    {"voxcraft", 1, {1}, 0, 0, 0.1, 0, VXE_DIALECT_VOXCRAFT, VXE_RUN_FORMULA},
};
enum { FILE_COUNT = sizeof files / sizeof files[0] };

static vxe_scene *load(const char *file, vxe_notes **notes)
{
    char path[8192];
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    (void)snprintf(path, sizeof path, "%s/%s", corpus, file);
    require(vxe_scene_load(path, NULL, &scene, notes, &error), &error);
    return scene;
}

static void test_contents(void **state)
{
    (void)state;
    need_corpus();
    for (size_t i = 0; i < FILE_COUNT; i++) {
        const known *k = &files[i];
        vxe_scene *scene = load(k->file, NULL);
        assert_int_equal(vxe_scene_voxel_count(scene), k->voxels);
        int32_t counts[6] = {0};
        int32_t size[3];
        vxe_scene_size(scene, size);
        for (int32_t n = 0; n < size[0] * size[1] * size[2]; n++) counts[vxe_scene_voxels(scene)[n]]++;
        for (int m = 0; m < 5; m++) assert_int_equal(counts[m + 1], k->counts[m]);
        assert_int_equal(vxe_scene_region_count(scene), k->regions);
        assert_true(vxe_scene_signal(scene, 0)->amplitude == k->amplitude);
        if (k->period > 0) assert_true(vxe_scene_signal(scene, 0)->period == k->period);
        assert_true(vxe_scene_stop(scene).time == k->stop);
        assert_int_equal(vxe_scene_experiment(scene).dialect, k->dialect);
        vxe_scene_destroy(scene);
    }
}

/* Numbers of single voxels, and the fluid. */
static void test_layers(void **state)
{
    (void)state;
    need_corpus();
    vxe_scene *scene = load("evosoro/full_cross.vxa", NULL);
    assert_true(vxe_scene_environment(scene).drag == 750.0 && !vxe_scene_environment(scene).floor);
    assert_true(vxe_scene_field(scene, VXE_FIELD_STIFFNESS, 0, 0, 0) == 493050.769995);
    assert_true(vxe_scene_actuation(scene, 0, 0, 0).phase == -0.369383505657);
    vxe_scene_destroy(scene);
    scene = load("evosoro/Example_withPhaseOffset.vxa", NULL);
    assert_true(vxe_scene_signal(scene, 0)->delay == 0.3 && vxe_scene_stop(scene).after == 0.3);
    assert_string_equal(vxe_scene_experiment(scene).result_file,
                        "fitnessFiles/softbotsOutput--id_150897.xml");
    assert_true(vxe_scene_actuation(scene, 3, 0, 0).phase != 0.0);
    vxe_scene_destroy(scene);
    scene = load("evosoro/Example_stickyFloorBC.vxa", NULL);
    assert_int_equal(vxe_scene_region(scene, 0)->fixed, VXE_DOF_ALL);
    assert_true(vxe_scene_region_touches(scene, 0, 5, 5, 0) && !vxe_scene_region_touches(scene, 0, 5, 5, 1));
    vxe_scene_destroy(scene);
}

static void test_runs(void **state)
{
    (void)state;
    need_corpus();
    for (size_t i = 0; i < FILE_COUNT; i++) {
        vxe_scene *scene = load(files[i].file, NULL);
        bench b = start(scene);
        vxe_stop stop = vxe_model_stop(b.model);
        if (is_quick() && stop.time > 0.1) stop.time = 0.1;
        const vxe_run_reason reason = vxe_sim_run(b.sim, &stop, INT64_MAX);
        if (reason == VXE_RUN_FAULT) fail_msg("%s: %s", files[i].file, vxe_sim_status(b.sim)->message);
        assert_int_equal(reason, files[i].reason);
        finish(b);
    }
}

/* vxa -> json -> vxa -> json: the same model, and from the second file on the same text. */
static void test_round_trips(void **state)
{
    (void)state;
    need_corpus();
    vxe_error error = {VXE_OK, ""};
    for (size_t i = 0; i < FILE_COUNT; i++) {
        vxe_scene *scene = load(files[i].file, NULL);
        const uint64_t hash = hash_of(scene);
        static const char *const steps[] = {"a.json", "b.vxa", "c.json", "d.vxa", "e.vxc"};
        for (size_t n = 0; n < 5; n++) {
            require(vxe_scene_save(scene, steps[n], NULL, &error), &error);
            vxe_scene_destroy(scene);
            require(vxe_scene_load(steps[n], NULL, &scene, NULL, &error), &error);
            if (hash_of(scene) != hash) fail_msg("%s is another model after %s", files[i].file, steps[n]);
        }
        vxe_scene_destroy(scene);
    }
}

/* No tag of these files is unknown, and what is told has no effect in the programs they were made for, but
 * for the time step. */
static void test_remarks(void **state)
{
    (void)state;
    need_corpus();
    for (size_t i = 0; i < FILE_COUNT; i++) {
        vxe_notes *notes = NULL;
        vxe_scene *scene = load(files[i].file, &notes);
        for (int32_t n = 0; n < vxe_notes_count(notes); n++) {
            const vxe_note *note = vxe_notes_get(notes, n);
            if (note->kind == VXE_NOTE_UNKNOWN || note->kind == VXE_NOTE_CHANGED)
                fail_msg("%s:%d: %s: %s", files[i].file, (int)note->line, note->what, note->text);
            if (note->kind == VXE_NOTE_NOT_SIMULATED)
                assert_string_equal(note->what, "Simulator/Integration/DtFrac");
            for (int32_t m = 0; m < n; m++) { /* once each */
                const vxe_note *other = vxe_notes_get(notes, m);
                if (note->line > 0 && other->line == note->line && strcmp(other->what, note->what) == 0)
                    fail_msg("%s:%d: %s twice", files[i].file, (int)note->line, note->what);
            }
        }
        vxe_notes_destroy(notes);
        vxe_scene_destroy(scene);
    }
}

/* Where evosoro's own engines take their samples, in voxel lengths, and how near we come with their links. */
static void test_where_they_get(void **state)
{
    (void)state;
    need_corpus();
    static const struct {
        const char *file;
        double pitch, distance, way[3], share; /* way: 0 where not known */
    } samples[] = {
        {"evosoro/Example_2.vxa", 0.001, 23.2, {0}, 0.04},
        {"evosoro/Example_withPhaseOffset.vxa", 0.01, 9.9, {0}, 0.05},
        {"evosoro/hexapus.vxa", 0.05, 17.2, {0}, 0.05},
        {"evosoro/quadruped_land.vxa", 0.05, 98.0, {98.0, 0.5, 0.0}, 0.08},
        {"evosoro/pusher_land.vxa", 0.05, 231.0, {0}, 0.05},
        {"evosoro/flapping_passive_tissue.vxa", 0.05, 20.0, {15.6, -1.1, -12.5}, 0.04},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0] && !is_quick(); i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = false;
        def.dt_fraction = 0.7;
        vxe_scene *scene = load(samples[i].file, NULL);
        vxe_environment e = vxe_scene_environment(scene);
        e.links_unbalanced = true; /* as `voxelyze` has it */
        set_environment(scene, &e);
        bench b = start_with(scene, &def);
        double from[3];
        double to[3];
        vxe_sim_center_of_mass(b.sim, from);
        const vxe_stop stop = vxe_model_stop(b.model);
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        vxe_sim_center_of_mass(b.sim, to);
        for (int a = 0; a < 3; a++) to[a] = (to[a] - from[a]) / samples[i].pitch;
        const double distance = samples[i].distance;
        print_message("    %s: (%.1f, %.1f, %.1f)\n", samples[i].file, to[0], to[1], to[2]);
        check_near("distance", length3(to), distance, samples[i].share * distance);
        for (int a = 0; a < 3; a++) to[a] = samples[i].way[a] != 0.0 ? to[a] - samples[i].way[a] : 0.0;
        if (length3(samples[i].way) > 0.0) check_below("beside", length3(to), samples[i].share * distance);
        finish(b);
    }
}

static void test_history(void **state)
{
    (void)state;
    need_corpus();
    char path[8192];
    vxe_error error = {VXE_OK, ""};
    vxe_history *history = NULL;
    (void)snprintf(path, sizeof path, "%s/voxcraft/m805-30-lines.history", corpus);
    require(vxe_history_load(path, &history, &error), &error);
    assert_true(vxe_history_count(history) > 10);
    for (int32_t i = 0; i < vxe_history_count(history); i++) {
        assert_int_equal(vxe_history_get(history, i)->voxel_count, 145);
        if (i > 0) assert_true(vxe_history_get(history, i)->time > vxe_history_get(history, i - 1)->time);
    }
    assert_true(vxe_history_voxel_size(history) == 0.016667);
    vxe_history_destroy(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_remarks),  cmocka_unit_test(test_where_they_get),
        cmocka_unit_test(test_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
