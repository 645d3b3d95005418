/* Designs of a batch: the stream of lines, hashes, changes by path, voxels, repeats and fitness. */
#include "support.h"

#include "designs/outcome.h"

#define SCENE                                                                                                \
    "{\"voxelastic\":1,\"lattice\":{\"pitch\":0.01,\"size\":[3,2,1]},\"materials\":[{\"name\":\"soft\"},"    \
    "{\"name\":\"a.b\",\"expansion\":0.01}],\"shapes\":[{\"box\":{\"corner\":[0,0,0],\"size\":[3,2,1]},"     \
    "\"material\":\"soft\"}],\"signals\":[{\"name\":\"beat\",\"amplitude\":10}],\"stop\":{\"time\":0.5}}"

static const design_settings usual = {
    .label = "d.jsonl", .folder = ".", .sim = {.precision = VXE_PRECISION_DOUBLE, .dt_fraction = 0.9}};

static void write_text(const char *path, const char *text, size_t size)
{
    vxe_error error;
    require(vxe_write_file(path, text, size, &error), &error);
}

/* FNV-1a with 128 bits: values of its authors' definition. */
static void digest_is_fnv(void **state)
{
    static const struct {
        const char *text;
        const char *hash;
    } known[] = {{"", "6c62272e07bb014262b821756295c58d"},
                 {"a", "d228cb696f1a8caf78912b704e4a8964"},
                 {"foobar", "343e1662793c64bf6f0d3597ba446f18"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t bytes[DIGEST_SIZE];
        char text[DIGEST_TEXT];
        vxe_digest_store(vxe_digest_bytes(DIGEST_START, known[i].text, strlen(known[i].text)), bytes);
        vxe_digest_text(bytes, text);
        assert_string_equal(text, known[i].hash);
    }
}

/* ---- the stream ------------------------------------------------------------------------------------------- */

static int64_t read_all(const char *path, int64_t shard, int64_t shards, char *seen, size_t room)
{
    design_source *source = NULL;
    vxe_error error;
    int64_t count = 0;
    size_t used = 0;
    seen[0] = '\0';
    require(vxe_source_open(path, shard, shards, &source, &error), &error);
    for (bool found = true; found; count++) {
        design_item item;
        require(vxe_source_next(source, &item, &found, &error), &error);
        if (!found) break;
        used += (size_t)snprintf(seen + used, room - used, "%lld=%s;", (long long)item.number,
                                 item.text != NULL ? item.text : item.name);
        vxe_item_free(&item);
    }
    vxe_source_close(source);
    return count;
}

static void lines_are_a_stream(void **state)
{
    static const char text[] = "\xef\xbb\xbf"
                               "a\n\n  \t\r\nbb\r\nc\n\nlast";
    char seen[256];
    (void)state;
    write_text("lines.jsonl", text, sizeof text - 1);
    assert_int_equal(read_all("lines.jsonl", 1, 1, seen, sizeof seen), 4);
    assert_string_equal(seen, "1=a;4=bb\r;5=c;7=last;");
    assert_int_equal(read_all("lines.jsonl", 1, 3, seen, sizeof seen), 2);
    assert_string_equal(seen, "1=a;7=last;");
    assert_int_equal(read_all("lines.jsonl", 3, 3, seen, sizeof seen), 1);
    assert_string_equal(seen, "5=c;");
    write_text("empty.jsonl", "", 0);
    assert_int_equal(read_all("empty.jsonl", 1, 1, seen, sizeof seen), 0);
}

/* Lines longer than a block, and one that is longer than allowed, of which the rest is skipped. */
static void long_lines_end(void **state)
{
    const size_t size = DESIGN_LINE_MAX + 1000;
    char *text = malloc(size + 20);
    vxe_error error;
    design_source *source = NULL;
    design_item item;
    bool found = false;
    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text + 600000, "\n", 1);
    memcpy(text + size, "x\nlast\n", 7);
    write_text("long.jsonl", text, size + 7);
    require(vxe_source_open("long.jsonl", 1, 1, &source, &error), &error);
    require(vxe_source_next(source, &item, &found, &error), &error);
    assert_true(found && item.size == 600000 && !item.too_long);
    vxe_item_free(&item);
    require(vxe_source_next(source, &item, &found, &error), &error);
    assert_true(found && !item.too_long);
    vxe_item_free(&item);
    require(vxe_source_next(source, &item, &found, &error), &error);
    assert_true(found && item.size == 4);
    vxe_item_free(&item);
    vxe_source_close(source);
    memset(text, 'x', size);
    write_text("long.jsonl", text, size + 7);
    require(vxe_source_open("long.jsonl", 1, 1, &source, &error), &error);
    require(vxe_source_next(source, &item, &found, &error), &error);
    assert_true(found && item.too_long && item.size == DESIGN_LINE_MAX);
    vxe_item_free(&item);
    require(vxe_source_next(source, &item, &found, &error), &error);
    assert_true(found && strcmp(item.text, "last") == 0 && item.number == 2);
    vxe_item_free(&item);
    vxe_source_close(source);
    (void)remove("long.jsonl");
    free(text);
}

/* ---- plans ------------------------------------------------------------------------------------------------ */

static vxe_result plan_line(design_reader *reader, const char *line, design_plan *plan, vxe_error *error)
{
    design_item item = {.number = 3, .size = strlen(line), .text = (char *)(uintptr_t)line};
    return vxe_plan_read(reader, &item, plan, error);
}

/* The hash of a line as text. */
static void hash_line(const char *line, char hash[DIGEST_TEXT])
{
    design_reader *reader = NULL;
    design_plan plan;
    vxe_error error;
    require(vxe_reader_create(&usual, &reader, &error), &error);
    require(plan_line(reader, line, &plan, &error), &error);
    vxe_digest_text(plan.hash, hash);
    vxe_plan_free(&plan);
    vxe_reader_destroy(reader);
}

static void hashes_are_of_content(void **state)
{
    static const char *const same[] = {
        "{\"id\":\"x\",\"scene\":" SCENE ",\"changes\":{\"stop.time\":1,\"environment.gravity\":2}}",
        "{\"changes\":{\"environment.gravity\":2.0,\"stop.time\":1.0},\"repeats\":4,\"scene\":" SCENE "}"};
    static const char *const others[] = {"{\"id\":\"x\",\"scene\":" SCENE "}",
                                         "{\"scene\":" SCENE ",\"time\":1}",
                                         "{\"scene\":" SCENE ",\"steps\":1}",
                                         "{\"scene\":" SCENE ",\"voxels\":\"111111\"}",
                                         "{\"scene\":" SCENE ",\"spread\":0.1}",
                                         "{\"scene\":" SCENE
                                         ",\"changes\":{\"stop.time\":1,\"environment.gravity\":3}}"};
    char first[DIGEST_TEXT];
    char hash[DIGEST_TEXT];
    char seen[8][DIGEST_TEXT];
    (void)state;
    hash_line(same[0], first);
    hash_line(same[1], hash);
    assert_string_equal(first, hash);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        hash_line(others[i], seen[i]);
        assert_string_not_equal(seen[i], first);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(seen[i], seen[j]);
    }
    /* a file of the same name and other bytes */
    write_text("s.json", SCENE, strlen(SCENE));
    hash_line("{\"scene\":\"s.json\"}", first);
    write_text("s.json", SCENE " ", strlen(SCENE) + 1);
    hash_line("{\"scene\":\"s.json\"}", hash);
    assert_string_not_equal(first, hash);
}

/* Makes the scene of a line. */
static vxe_result make_line(const char *line, int32_t repeat, vxe_scene **scene, vxe_error *error)
{
    design_reader *reader = NULL;
    design_plan plan;
    vxe_stop stop;
    require(vxe_reader_create(&usual, &reader, error), error);
    vxe_result result = plan_line(reader, line, &plan, error);
    if (result == VXE_OK) result = vxe_plan_scene(reader, &plan, repeat, scene, &stop, error);
    vxe_plan_free(&plan);
    vxe_reader_destroy(reader);
    return result;
}

static void changes_go_by_path(void **state)
{
    vxe_scene *scene = NULL;
    vxe_error error;
    (void)state;
    require(make_line("{\"scene\":" SCENE
                      ",\"changes\":{\"materials.soft.density\":1234,\"materials[\\\"a.b\\\"]"
                      ".density\":999,\"signals[0].period\":0.25,\"environment.damping.bond\":0.125,"
                      "\"signals[1]\":{\"name\":\"more\"}},\"voxels\":[0,1,2,2,2,2],"
                      "\"phase\":{\"origin\":[2,0,0],\"size\":[1,2,1],\"values\":[0.25,0.5]}}",
                      0, &scene, &error),
            &error);
    assert_true(vxe_scene_material(scene, 1)->density == 1234.0);
    assert_true(vxe_scene_material(scene, 2)->density == 999.0);
    assert_true(vxe_scene_signal(scene, 0)->period == 0.25);
    assert_string_equal(vxe_scene_signal(scene, 1)->name, "more");
    assert_true(vxe_scene_voxel_count(scene) == 5 && vxe_scene_voxel(scene, 1, 0, 0) == 1);
    assert_true(vxe_scene_actuation(scene, 2, 1, 0).phase == 0.5);
    vxe_scene_destroy(scene);
}

/* The first repeat is the design itself; the others differ from it by at most the spread, and always the same
 * way. */
static void repeats_are_spread(void **state)
{
    static const char line[] = "{\"scene\":" SCENE ",\"repeats\":9,\"spread\":0.1}";
    double seen[9];
    vxe_error error;
    (void)state;
    for (int32_t r = 0; r < 9; r++) {
        vxe_scene *scene = NULL;
        vxe_scene *again = NULL;
        require(make_line(line, r, &scene, &error), &error);
        require(make_line(line, r, &again, &error), &error);
        seen[r] = vxe_scene_material(scene, 1)->youngs_modulus;
        assert_true(seen[r] == vxe_scene_material(again, 1)->youngs_modulus);
        assert_true(r > 0 ? seen[r] != seen[r - 1] : seen[r] == 1e6);
        check_near("stiffness", seen[r], 1e6, 0.1e6);
        vxe_scene_destroy(scene);
        vxe_scene_destroy(again);
    }
}

static void refused(const char *line, const char *says)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_not_equal(make_line(line, 0, &scene, &error), VXE_OK);
    assert_null(scene);
    if (strncmp(error.message, "d.jsonl:3: ", 11) != 0 || strstr(error.message, says) == NULL)
        fail_msg("%s\ndoes not say \"%s\"", error.message, says);
}

static void bad_lines_are_told(void **state)
{
    (void)state;
    refused("{\"scene\":", "not valid JSON");
    refused("17", "not valid JSON");
    refused("[]", "a design is an object");
    refused("{\"scen\":1}", "did you mean \"scene\"");
    refused("{\"id\":\"a\"}", "\"scene\" is missing");
    refused("{\"scene\":\"../a.json\"}", "leads out of the folder");
    refused("{\"scene\":\"a/../../b.json\"}", "leads out of the folder");
    refused("{\"scene\":\"/tmp/a.json\"}", "leads out of the folder");
    refused("{\"scene\":\"none.json\"}", "No such file");
    refused("{\"scene\":" SCENE ",\"time\":0}", "time: must be");
    refused("{\"scene\":" SCENE ",\"repeats\":1.5}", "repeats: must be a whole number");
    refused("{\"scene\":" SCENE ",\"spread\":2}", "spread: must be");
    refused("{\"scene\":" SCENE ",\"changes\":[]}", "changes: must be an object");
    refused("{\"scene\":" SCENE ",\"changes\":{\"materials.hard.density\":1}}", "there is no such element");
    refused("{\"scene\":" SCENE ",\"changes\":{\"materials[7].density\":1}}", "there is no such element");
    refused("{\"scene\":" SCENE ",\"changes\":{\"a..b\":1}}", "is not a path");
    refused("{\"scene\":" SCENE ",\"changes\":{\"lattice.pitch.x\":1}}", "is not a path");
    refused("{\"scene\":" SCENE ",\"changes\":{\"materials.soft.densiti\":1}}", "did you mean \"density\"");
    refused("{\"scene\":" SCENE ",\"changes\":{\"stop\":null}}", "does not say when to stop");
    refused("{\"scene\":" SCENE ",\"voxels\":[1,1]}", "2 numbers for a block of 3 x 2 x 1");
    refused("{\"scene\":" SCENE ",\"voxels\":[1,1,1,1,1,3]}", "voxels[5]");
    refused("{\"scene\":" SCENE ",\"voxels\":\"11111x\"}", "voxels[5]");
    refused("{\"scene\":" SCENE ",\"voxels\":{\"origin\":[3,0,0],\"values\":[1]}}", "not in the workspace");
    refused("{\"scene\":" SCENE ",\"phase\":[0,0,0,0,0,\"a\"]}", "phase[5]: must be a number");
    refused("{\"scene\":" SCENE ",\"id\":\"a\",\"id\":\"b\"}", "duplicate");
}

/* ---- fitness ---------------------------------------------------------------------------------------------- */

static double value_of(const char *text, const double metrics[METRIC_COUNT])
{
    fitness f = {.formula = {0, NULL}};
    vxe_error error;
    require(vxe_fitness_parse(text, &f, &error), &error);
    const double value = vxe_fitness_value(&f, metrics, 5.0, 100.0, 0.5);
    vxe_fitness_free(&f);
    return value;
}

static void fitness_is_any_expression(void **state)
{
    double m[METRIC_COUNT];
    fitness f = {.formula = {0, NULL}};
    vxe_error error;
    (void)state;
    for (int i = 0; i < METRIC_COUNT; i++) m[i] = NAN;
    m[METRIC_DISTANCE] = 3.0;
    m[METRIC_SPEED_LENGTHS] = 2.0;
    assert_true(value_of("", m) == 3.0);
    assert_true(value_of("speed_lengths^2 - distance/2", m) == 2.5);
    assert_true(value_of("steps/time + wall", m) == 20.5);
    assert_true(isnan(value_of("distance - cost_of_transport", m)));
    m[METRIC_FORMULA] = 7.0;
    assert_true(value_of("", m) == 7.0);
    assert_int_equal(vxe_fitness_parse("speeed", &f, &error), VXE_ERROR_INPUT);
    assert_int_equal(vxe_fitness_parse("speed +", &f, &error), VXE_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest_is_fnv),      cmocka_unit_test(lines_are_a_stream),
        cmocka_unit_test(long_lines_end),     cmocka_unit_test(hashes_are_of_content),
        cmocka_unit_test(changes_go_by_path), cmocka_unit_test(repeats_are_spread),
        cmocka_unit_test(bad_lines_are_told), cmocka_unit_test(fitness_is_any_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
