/* What is around a body is in its pictures: ground and every kind of solid, in its colour and size, the
 * surface of water, and all that in pictures from a replay. */
#include "picture/film.h"
#include "support.h"

#include "voxelastic/replay.h"

enum { WIDTH = 320, HEIGHT = 240 };

/* A blue slab of 8 x 8 cm; above its middle a red solid of 2 cm, below it green ground. */
static vxe_scene *scene_with(int kind, bool ground)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 8, 8, 4);
    vxe_material_def def = vxe_default_material_def();
    memcpy(def.color, (const uint8_t[4]){30, 60, 210, 255}, sizeof def.color);
    fill(scene, box_of(0, 0, 0, 8, 8, 1), put_material(scene, &def));
    if (ground) {
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = VXE_GROUND_ROUGH;
        g.points[0] = g.points[1] = 41;
        g.spacing = 0.02;
        g.origin[0] = g.origin[1] = -0.36;
        g.origin[2] = -0.02;
        g.height = 0.01;
        g.length = 0.1;
        memcpy(g.color, (const uint8_t[4]){30, 180, 40, 255}, sizeof g.color);
        require(vxe_scene_set_ground(scene, &g, &error), &error);
    }
    if (kind < 0) return scene;
    static const uint8_t cells[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    vxe_solid_def s = vxe_default_solid_def();
    (void)snprintf(s.name, sizeof s.name, "it");
    s.kind = (vxe_solid_kind)kind;
    for (int a = 0; a < 3; a++) {
        s.center[a] = a < 2 ? 0.04 : 0.025;
        s.sides[a] = 0.02;
        s.cells[a] = 2;
    }
    s.radius = 0.01;
    s.length = s.kind == VXE_SOLID_CYLINDER ? 0.02 : 0.0001;
    s.pitch = 0.01;
    if (s.kind == VXE_SOLID_CELLS) s.filled = cells;
    memcpy(s.color, (const uint8_t[4]){210, 30, 30, 255}, sizeof s.color);
    require(vxe_scene_add_solid(scene, &s, NULL, &error), &error);
    return scene;
}

/* Pixels with more than half of their light in red, green, blue. */
static void count_colors(const uint8_t *pixels, int counts[3])
{
    memset(counts, 0, 3 * sizeof counts[0]);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *p = pixels + 3 * (size_t)i;
        for (int c = 0; c < 3; c++) counts[c] += 2 * p[c] > p[0] + p[1] + p[2];
    }
}

static vxe_picture_def from_above(void)
{
    vxe_picture_def def = vxe_default_picture_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.legend = false;
    def.edges = false;
    def.elevation = 1.4999;
    def.azimuth = -1.5707963;
    def.zoom = 0.6;
    return def;
}

static void draw(const vxe_film *film, int counts[3])
{
    vxe_error error = {VXE_OK, ""};
    const vxe_picture_def def = from_above();
    uint8_t *pixels = malloc((size_t)3 * WIDTH * HEIGHT);
    assert_non_null(pixels);
    require(vxe_film_draw(film, &def, 0.0, pixels, &error), &error);
    count_colors(pixels, counts);
    free(pixels);
}

/* Takes the scene. */
static void picture_of(vxe_scene *scene, int counts[3])
{
    vxe_error error = {VXE_OK, ""};
    vxe_film *film = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_model *model = compile_scene(scene);
    vxe_sim *sim = new_sim(model, &def);
    require(vxe_film_create(sim, scene, NULL, &film, &error), &error);
    require(vxe_film_take(film, sim, &error), &error);
    draw(film, counts);
    vxe_film_destroy(film);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

static void test_solids(void **state)
{
    (void)state;
    int none[3];
    int box[3];
    picture_of(scene_with(-1, false), none);
    picture_of(scene_with(VXE_SOLID_BOX, false), box);
    assert_int_equal(none[0], 0);
    assert_int_equal(none[1], 0);
    /* a sixteenth of the slab, and nearer to the eye */
    check_above("a box over the slab", (double)box[0] / none[2], 1.0 / 16.0);
    check_below("a box over the slab", (double)box[0] / none[2], 1.5 / 16.0);
    static const struct {
        vxe_solid_kind kind;
        double part; /* of what the box covers, seen from above; balls are widest below its top */
    } others[] = {{VXE_SOLID_SPHERE, 0.22 * PI},
                  {VXE_SOLID_CYLINDER, 0.25 * PI},
                  {VXE_SOLID_CAPSULE, 0.22 * PI},
                  {VXE_SOLID_CELLS, 1.0}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        int counts[3];
        picture_of(scene_with((int)others[i].kind, false), counts);
        check_near("what a solid covers", (double)counts[0] / box[0], others[i].part, 0.05);
    }
}

/* Ground fills the picture around the slab, and hides none of it. */
static void test_ground(void **state)
{
    (void)state;
    int bare[3];
    int with[3];
    picture_of(scene_with(-1, false), bare);
    picture_of(scene_with(VXE_SOLID_SPHERE, true), with);
    check_above("ground", with[1], 0.5 * WIDTH * HEIGHT);
    check_near("slab and ball", with[0] + with[2], bare[2], 0.03 * bare[2]);
}

/* A body far beyond the edge of the ground, or on a slab of a hundred metres, seen from the side: what it is
 * on is there around it, and nothing of that is missing where it goes on past the eye. */
static void test_far(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = scene_with(-1, i == 0);
        const vxe_part_def part = {.name = "it", .separate = true};
        const vxe_start_def far = {.part = "it", .displacement = {3.0, 1.0, 0.0}};
        require(vxe_scene_add_part(scene, &part, NULL, &error), &error);
        for (int32_t v = 0; v < 64; v++)
            require(vxe_scene_set_field(scene, VXE_FIELD_PART, v % 8, v / 8, 0, 1.0, &error), &error);
        require(vxe_scene_add_start(scene, &far, &error), &error);
        if (i == 1) {
            vxe_solid_def s = vxe_default_solid_def();
            (void)snprintf(s.name, sizeof s.name, "slab");
            s.kind = VXE_SOLID_BOX;
            s.sides[0] = s.sides[1] = 100.0;
            s.sides[2] = 1.0;
            s.center[2] = -0.51;
            memcpy(s.color, (const uint8_t[4]){30, 180, 40, 255}, sizeof s.color);
            require(vxe_scene_add_solid(scene, &s, NULL, &error), &error);
        }
        vxe_scene *copy = NULL;
        require(vxe_scene_copy(scene, &copy, &error), &error);
        const bench b = start(copy);
        vxe_film *film = NULL;
        require(vxe_film_create(b.sim, scene, NULL, &film, &error), &error);
        require(vxe_film_take(film, b.sim, &error), &error);
        vxe_picture_def def = from_above();
        def.elevation = 0.5;
        def.zoom = 1.0;
        uint8_t *pixels = malloc((size_t)3 * WIDTH * HEIGHT);
        assert_non_null(pixels);
        require(vxe_film_draw(film, &def, 0.0, pixels, &error), &error);
        int counts[3];
        count_colors(pixels, counts);
        check_above("what there is of it and of the body", counts[1] + counts[2], 0.99 * WIDTH * HEIGHT);
        free(pixels);
        vxe_film_destroy(film);
        vxe_scene_destroy(scene);
        finish(b);
    }
}

/* How much bluer than red a pixel is. */
static int blueness(const vxe_film *film, int x, int y)
{
    vxe_error error = {VXE_OK, ""};
    const vxe_picture_def def = from_above();
    uint8_t *pixels = malloc((size_t)3 * WIDTH * HEIGHT);
    assert_non_null(pixels);
    require(vxe_film_draw(film, &def, 0.0, pixels, &error), &error);
    const uint8_t *p = pixels + (size_t)3 * (size_t)(y * WIDTH + x);
    const int blue = p[2] - p[0];
    free(pixels);
    return blue;
}

/* Water tints what is under its surface: the floor, not a box whose top is above it. */
static void test_water(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    int floor[3];
    int box[3];
    static const double levels[3] = {-1.0, 0.02, 0.06}; /* m; the box ends at 0.035 */
    for (int i = 0; i < 3; i++) {
        vxe_scene *scene = scene_with(VXE_SOLID_BOX, false);
        vxe_water_def water = vxe_default_water_def();
        water.has_level = true;
        water.level = levels[i];
        if (i > 0) require(vxe_scene_set_water(scene, &water, &error), &error);
        vxe_scene *copy = NULL;
        require(vxe_scene_copy(scene, &copy, &error), &error);
        const bench b = start(copy);
        vxe_film *film = NULL;
        require(vxe_film_create(b.sim, scene, NULL, &film, &error), &error);
        require(vxe_film_take(film, b.sim, &error), &error);
        floor[i] = blueness(film, WIDTH / 2, 20);
        box[i] = blueness(film, WIDTH / 2, HEIGHT / 2);
        vxe_film_destroy(film);
        vxe_scene_destroy(scene);
        finish(b);
    }
    assert_true(floor[1] > floor[0] + 15 && floor[2] > floor[0] + 15);
    assert_true(box[1] == box[0] && box[2] > box[0] + 40);
}

/* The same from a replay. */
static void test_replay(void **state)
{
    (void)state;
    if (!vxe_replay_available()) skip();
    vxe_error error = {VXE_OK, ""};
    const vxe_sim_def def = vxe_default_sim_def();
    const vxe_stop stop = {.time = 0.01};
    vxe_scene *scene = scene_with(VXE_SOLID_BOX, true);
    vxe_model *model = compile_scene(scene);
    vxe_sim *sim = new_sim(model, &def);
    vxe_replay *replay = NULL;
    require(vxe_replay_create(sim, scene, NULL, &stop, &replay, &error), &error);
    while (vxe_sim_run(sim, &stop, 1) == VXE_RUN_STEPS) {
        if (vxe_sim_time(sim) >= vxe_replay_next(replay)) vxe_replay_observe(replay, sim);
    }
    require(vxe_replay_write(replay, sim, "{\"status\": \"done\"}", "replay.html", &error), &error);
    vxe_replay_destroy(replay);
    int drawn[3];
    int kept[3];
    picture_of(scene_with(VXE_SOLID_BOX, true), drawn);
    vxe_film *film = NULL;
    require(vxe_film_load("replay.html", "material", &film, &error), &error);
    draw(film, kept);
    for (int c = 0; c < 3; c++) check_near("pixels of a colour", kept[c], drawn[c], 0.05 * drawn[c]);
    vxe_film_destroy(film);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids), cmocka_unit_test(test_ground), cmocka_unit_test(test_far),
        cmocka_unit_test(test_water),  cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
