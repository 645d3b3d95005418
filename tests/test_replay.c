/* Replays of bodies that change: every frame has the surface of its moment. */
#include "living.h"
#include "picture/film.h"
#include "support.h"

#include "base/base.h"

/* A row of eight voxels, red and blue, at rest. At 10 ms a red one goes, at 20 ms a blue one grows at its
 * end, at 30 ms all red ones become green. */
static vxe_scene *make_scene(void)
{
    static const struct {
        const char *name;
        uint8_t color[4];
    } palette[] = {{"red", {220, 30, 30, 255}}, {"blue", {30, 30, 220, 255}}, {"green", {30, 200, 30, 255}}};
    vxe_scene *scene = new_scene(0.01, 10, 1, 1);
    for (size_t i = 0; i < 3; i++) {
        vxe_material_def def = vxe_default_material_def();
        (void)snprintf(def.name, sizeof def.name, "%s", palette[i].name);
        memcpy(def.color, palette[i].color, sizeof def.color);
        (void)put_material(scene, &def);
    }
    fill(scene, box_of(0, 0, 0, 4, 1, 1), 1);
    fill(scene, box_of(4, 0, 0, 4, 1, 1), 2);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    rule.begin = 0.01;
    (void)snprintf(rule.when, sizeof rule.when, "x < 0.01");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    rule.begin = 0.02;
    (void)snprintf(rule.material, sizeof rule.material, "blue");
    (void)snprintf(rule.other, sizeof rule.other, "blue");
    rule.cells[0] = 9;
    rule.cells[1] = rule.cells[2] = 1;
    (void)snprintf(rule.value, sizeof rule.value, "x > 0.08");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_BECOME);
    rule.begin = 0.03;
    (void)snprintf(rule.material, sizeof rule.material, "red");
    (void)snprintf(rule.other, sizeof rule.other, "green");
    put_rule(scene, &rule);
    return scene;
}

/* Runs a scene to its end and writes its replay. */
static void write_replay(const vxe_scene *scene, double end, const char *path)
{
    vxe_error error = {VXE_OK, ""};
    vxe_model *model = compile_scene(scene);
    vxe_sim *sim = NULL;
    vxe_replay *replay = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    const vxe_stop stop = {.time = end};
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    require(vxe_replay_create(sim, scene, NULL, &stop, &replay, &error), &error);
    while (vxe_sim_run(sim, &stop, 1) == VXE_RUN_STEPS)
        if (vxe_sim_time(sim) >= vxe_replay_next(replay)) vxe_replay_observe(replay, sim);
    require(vxe_replay_write(replay, sim, NULL, path, &error), &error);
    vxe_replay_destroy(replay);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
}

/* How many voxels of each material a frame has. */
static void count_voxels(const vxe_body *body, int counts[4])
{
    memset(counts, 0, 4 * sizeof *counts);
    for (int32_t v = 0; v < body->voxel_count; v++) {
        assert_in_range(body->material[v], 1, 3);
        counts[body->material[v]]++;
    }
}

static void test_frames_have_their_body(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    if (!vxe_replay_available()) skip();
    vxe_scene *scene = make_scene();
    write_replay(scene, 0.04, "changing.html");
    vxe_film *film = NULL;
    require(vxe_film_load("changing.html", "strain", &film, &error), &error);
    check_above("frames", vxe_film_count(film), 150);
    /* What came between two frames is seen at the second. */
    const double slack = 0.04 / 150.0;
    int seen[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < vxe_film_count(film); i++) {
        const vxe_shot *shot = &film->shots[i];
        const double t = shot->time;
        const int phase = t < 0.01 ? 0 : t < 0.02 ? 1 : t < 0.03 ? 2 : 3;
        if (t - 0.01 * phase < slack && phase > 0) continue;
        static const int expected[4][4] = {{0, 4, 4, 0}, {0, 3, 4, 0}, {0, 3, 5, 0}, {0, 0, 5, 3}};
        int counts[4];
        count_voxels(shot->body, counts);
        assert_memory_equal(counts, expected[phase], sizeof counts);
        /* A row of n voxels: 4 n + 2 faces, 4 (n + 1) corners; from its first voxel to its last. */
        const int n = shot->body->voxel_count;
        assert_int_equal(shot->body->face_count, 4 * n + 2);
        assert_int_equal(shot->body->corner_count, 4 * (n + 1));
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t c = 0; c < shot->body->corner_count; c++) {
            low = fmin(low, shot->origin[0] + (double)shot->corner[3 * (size_t)c]);
            high = fmax(high, shot->origin[0] + (double)shot->corner[3 * (size_t)c]);
        }
        check_near("where it begins", low, phase == 0 ? 0.0 : 0.01, 2e-4);
        check_near("where it ends", high, phase < 2 ? 0.08 : 0.09, 2e-4);
        seen[phase]++;
    }
    for (int phase = 0; phase < 4; phase++) check_above("frames of a phase", seen[phase], 20);
    vxe_film_destroy(film);
    vxe_scene_destroy(scene);
}

/* Files whose mesh never changes say nothing of meshes, and are read; wrong meshes are not. */
static void test_files(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    if (!vxe_replay_available()) skip();
    vxe_scene *scene = make_scene();
    write_replay(scene, 0.009, "still.html");
    write_replay(scene, 0.015, "changing.html");
    char *text = NULL;
    size_t size = 0;
    vxe_film *film = NULL;
    require(vxe_read_file("still.html", (size_t)1 << 28, &text, &size, &error), &error);
    static const char none[] = "\"meshes\":[],";
    char *found = strstr(text, none);
    assert_non_null(found);
    assert_null(strstr(text, "\"mesh\":1"));
    memset(found, ' ', sizeof none - 1);
    require(vxe_film_parse(text, size, "old", NULL, &film, &error), &error);
    assert_int_equal(film->shots[film->count - 1].body->voxel_count, 8);
    vxe_film_destroy(film);
    free(text);
    static const char *const wrong[] = {"\"mesh\":2", "\"mesh\":9", "\"mesh\":-", "\"mesh\":\""};
    require(vxe_read_file("changing.html", (size_t)1 << 28, &text, &size, &error), &error);
    found = strstr(text, "\"mesh\":1");
    assert_non_null(found);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(found, wrong[i], strlen(wrong[i]));
        assert_int_equal(vxe_film_parse(text, size, "wrong", NULL, &film, &error), VXE_ERROR_INPUT);
        assert_non_null(strstr(error.message, "wrong: "));
    }
    free(text);
    vxe_scene_destroy(scene);
}

/* A large plate that loses voxels at every step: fewer frames, from the start to the end, within the budget.
 */
static void test_budget(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    if (!vxe_replay_available()) skip();
    vxe_scene *scene = new_scene(0.01, 80, 80, 1);
    (void)add_material(scene, 1e5, 0.3, 1000.0);
    fill_all(scene, 1);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    rule.chance = 1e-3;
    put_rule(scene, &rule);
    vxe_model *model = compile_scene(scene);
    vxe_sim *sim = NULL;
    vxe_replay *replay = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    const vxe_stop stop = {.time = 100.0 * vxe_sim_time_step(sim).dt};
    require(vxe_replay_create(sim, scene, NULL, &stop, &replay, &error), &error);
    while (vxe_sim_run(sim, &stop, 1) == VXE_RUN_STEPS)
        if (vxe_sim_time(sim) >= vxe_replay_next(replay)) vxe_replay_observe(replay, sim);
    require(vxe_replay_write(replay, sim, NULL, "plate.html", &error), &error);
    vxe_film *film = NULL;
    require(vxe_film_load("plate.html", NULL, &film, &error), &error);
    size_t bytes = 0; /* of the packed arrays */
    for (int32_t i = 0; i < film->count; i++) {
        const vxe_body *b = film->shots[i].body;
        bytes += 6 * (size_t)b->corner_count + 5 * (size_t)b->voxel_count;
        if (i > 0 && b == film->shots[i - 1].body) continue;
        bytes += 34 * (size_t)b->voxel_count + 3 * (size_t)b->face_count;
        if (i > 0) assert_true(b->voxel_count < film->shots[i - 1].body->voxel_count);
    }
    check_below("MiB", (double)bytes / 1048576.0, 16.0);
    check_above("MiB", (double)bytes / 1048576.0, 5.0);
    check_near("the start", vxe_film_time(film, 0), 0.0, 0.0);
    check_near("the end", vxe_film_time(film, film->count - 1), vxe_sim_time(sim), 1e-12);
    assert_int_equal(film->shots[film->count - 1].body->voxel_count, vxe_sim_life(sim).present);
    vxe_film_destroy(film);
    vxe_replay_destroy(replay);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames_have_their_body),
                                       cmocka_unit_test(test_files), cmocka_unit_test(test_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
