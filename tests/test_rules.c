/* Rules that push, cut, turn voxels into others, bring new ones and end a run. */
#include "living.h"

#include "base/base.h"
#include "scene/rules.h"
#include "scene/scene.h"
#include "sim/life.h"

static void set_text(char *to, const char *text) { (void)snprintf(to, VXE_RULE_FORMULA_SIZE, "%s", text); }

static vxe_scene *bar(int32_t length, double damping)
{
    vxe_scene *scene = new_scene(0.01, length, 1, 3);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "gel");
    fill(scene, box_of(0, 0, 0, length, 1, 1), put_material(scene, &def));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, damping, 0.0);
    set_environment(scene, &e);
    return scene;
}

static void run_to(vxe_sim *sim, double time)
{
    const vxe_stop stop = {.time = time};
    (void)vxe_sim_run(sim, &stop, INT64_MAX);
    check_well(sim);
}

/* ---- forces --------------------------------------------------------------------------------------------------------- */

/* A push of mass times g is gravity. */
static void test_push(void **state)
{
    (void)state;
    vxe_scene *scene = bar(4, 0.1);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
    rule.direction[2] = -9.81;
    set_text(rule.value, "mass");
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(scene, &def);
    run_to(b.sim, 0.2);
    check_near("way", moved(b.sim, 0, 2), -0.5 * 9.81 * 0.04, 1e-9);
    const vxe_energy e = vxe_sim_energy(b.sim);
    check_near("error of the account", e.error / e.load_work, 0.0, 1e-9);
    finish(b);
}

/* A push, a force field or a flow that no material bears is named as what is behind the end of the run, not
 * the gravity beside it. */
static void test_named(void **state)
{
    (void)state;
    static const char *const names[3] = {"a rule of kind push", "the force field", "the flow of water"};
    for (int i = 0; i < 3; i++) {
        vxe_scene *scene = bar(2, 0.1);
        vxe_error error = {VXE_OK, ""};
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.1, 0.0);
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        if (i == 0) {
            vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
            rule.direction[0] = 1.0;
            set_text(rule.value, "1e30 * (x > 0.01)");
            put_rule(scene, &rule);
        } else if (i == 1) {
            require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_X, "1e9", &error), &error);
        } else {
            const vxe_water_def water = vxe_default_water_def();
            require(vxe_scene_set_water(scene, &water, &error), &error);
            require(vxe_scene_set_formula(scene, VXE_FORMULA_FLOW_X, "1e300", &error), &error);
        }
        const bench b = start(scene);
        assert_int_not_equal(vxe_sim_step(b.sim, 100, NULL), VXE_OK);
        if (strstr(vxe_sim_status(b.sim)->message, names[i]) == NULL)
            fail_msg("\"%s\" does not name %s", vxe_sim_status(b.sim)->message, names[i]);
        finish(b);
    }
}

/* One that holds a voxel where it was is a spring. */
static void test_push_is_a_spring(void **state)
{
    (void)state;
    vxe_scene *scene = bar(1, 0.1);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
    rule.direction[0] = 1.0;
    set_text(rule.value, "-0.4 * (x - 0.005)");
    put_rule(scene, &rule);
    const bench b = start(scene);
    vxe_error error = {VXE_OK, ""};
    const double velocity[3] = {0.01, 0.0, 0.0};
    const double still[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_velocity(b.sim, 0, velocity, still, &error), &error);
    run_to(b.sim, 2.0 * PI / sqrt(0.4 / 1e-3) * 0.25); /* a quarter of a period */
    check_near("amplitude", moved(b.sim, 0, 0), 0.01 / sqrt(0.4 / 1e-3), 0.02 * 0.01 / sqrt(0.4 / 1e-3));
    finish(b);
}

/* Cilia by a formula: of the light that there is not, and of the body's size. */
static void test_stroke(void **state)
{
    (void)state;
    double way[2];
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = bar(2, 0.1);
        vxe_error error = {VXE_OK, ""};
        for (int32_t v = 0; v < 2; v++)
            require(vxe_scene_set_field(scene, VXE_FIELD_CILIA_Y, v, 0, 0, 1e-3, &error), &error);
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CILIA);
        if (i == 1) set_text(rule.value, "body");
        put_rule(scene, &rule);
        const bench b = start(scene);
        run_to(b.sim, 0.1);
        way[i] = moved(b.sim, 0, 1);
        finish(b);
    }
    check_near("way of cilia", way[0], 0.5 * 1.0 * 0.01, 1e-4);
    check_near("way of twice as strong ones", way[1] / way[0], 2.0, 0.01);
}

/* Who is in the dark: as by looking at each voxel whether it, as an upright box, is between another and the
 * lamp. */
static void test_shadows(void **state)
{
    (void)state;
    rng r = {5};
    vxe_scene *scene = new_scene(0.01, 14, 13, 12);
    vxe_material_def def = vxe_default_material_def();
    copy_name(def.name, "gel");
    const int32_t gel = put_material(scene, &def);
    copy_name(def.name, "glass");
    def.transparent = true;
    const int32_t glass = put_material(scene, &def);
    for (int i = 0; i < 1500; i++)
        fill(scene, box_of(rng_int(&r, 0, 13), rng_int(&r, 0, 12), rng_int(&r, 0, 11), 1, 1, 1),
             i % 5 == 0 ? glass : gel);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    rule.shadows = true;
    rule.radius = 1e9;
    const double lamp[3] = {0.3, 0.07, 0.4};
    for (int a = 0; a < 3; a++) rule.position[a] = lamp[a];
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    rule.output = VXE_OUTPUT_MEMORY1;
    set_text(rule.value, "light");
    put_rule(scene, &rule);
    const bench b = start(scene);
    step(b.sim, 1);
    const int32_t n = b.sim->model->view.voxel_count;
    int dark = 0;
    for (int32_t v = 0; v < n; v++) {
        bool shaded = false;
        for (int32_t w = 0; w < n && !shaded; w++) {
            double enter = 0.0;
            double leave = 1.0;
            for (int a = 0; a < 3; a++) {
                const double way = lamp[a] - b.sim->position[a][v];
                const double one = (b.sim->position[a][w] - 0.005 - b.sim->position[a][v]) / way;
                const double two = (b.sim->position[a][w] + 0.005 - b.sim->position[a][v]) / way;
                enter = fmax(enter, fmin(one, two));
                leave = fmin(leave, fmax(one, two));
            }
            shaded = w != v && b.sim->model->view.material[w] == gel && enter < leave && leave > 0.0;
        }
        dark += shaded;
        check_near("light", b.sim->memory[0][v], shaded ? 0.0 : 1.0, 1e-9);
    }
    print_message("    %d of %d voxels in the dark\n", dark, (int)n);
    assert_true(dark > n / 4 && dark < n);
    finish(b);
}

/* What a rule knows of target voxels, and num_voxel: of two that may grow, the one that has. */
static void test_known(void **state)
{
    (void)state;
    static const char *const formulas[4] = {"targets", "numClosePairs", "targetCloseness", "num_voxel"};
    static const double expected[4] = {1.0, 1.0, 100.0, 5.0};
    vxe_scene *scene = new_scene(0.01, 6, 1, 4);
    vxe_error error = {VXE_OK, ""};
    vxe_material_def def = vxe_default_material_def();
    copy_name(def.name, "gel");
    fill(scene, box_of(0, 0, 0, 1, 1, 1), put_material(scene, &def));
    copy_name(def.name, "root");
    fill(scene, box_of(4, 0, 0, 1, 1, 1), put_material(scene, &def));
    copy_name(def.name, "goal");
    def.target = true;
    fill(scene, box_of(0, 0, 2, 1, 1, 2), put_material(scene, &def));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.1, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    e.floor = true;
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_experiment x = vxe_scene_experiment(scene);
    x.pair_distance = 1.5;
    require(vxe_scene_set_experiment(scene, &x, &error), &error);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_GROW);
    copy_name(rule.material, "root");
    copy_name(rule.other, "root");
    rule.corner[0] = 5;
    rule.cells[0] = rule.cells[1] = 1;
    rule.cells[2] = 2;
    rule.limit = 1;
    put_rule(scene, &rule);
    for (int i = 0; i < 4; i++) {
        rule = vxe_default_rule_def(VXE_RULE_CONTROL);
        rule.output = (vxe_rule_output)(VXE_OUTPUT_MEMORY1 + i);
        set_text(rule.value, formulas[i]);
        put_rule(scene, &rule);
    }
    const bench b = start(scene);
    const int32_t gel = voxel_at(b.sim, 0, 0, 0);
    step(b.sim, 1);
    check_near("touched before", b.sim->memory[0][gel], 0.0, 0.0);
    run_to(b.sim, 0.5); /* the two have come down on it, and rest */
    for (int i = 0; i < 4; i++)
        check_near(formulas[i], b.sim->memory[i][gel], expected[i], 0.02 * expected[i]);
    check_near("touched by the root", b.sim->memory[0][voxel_at(b.sim, 4, 0, 0)], 0.0, 0.0);
    finish(b);
}

/* ---- sources -------------------------------------------------------------------------------------------------------- */

#define FLASHES 400

/* Which flashes of a lamp came, one bit each: it should flash every 0.01 s, and is looked at in the middle of
 * them. */
static int flashes(double chance, int64_t seed, double dt_fraction, uint8_t came[FLASHES])
{
    vxe_scene *scene = bar(1, 0.1);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    rule.chance = chance;
    rule.seed = seed;
    (void)snprintf(rule.when, sizeof rule.when, "sin(%.17g * t)", 200.0 * PI);
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    rule.output = VXE_OUTPUT_MEMORY1;
    set_text(rule.value, "lamps");
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.dt_fraction = dt_fraction;
    const bench b = start_with(scene, &def);
    int count = 0;
    for (int i = 0; i < FLASHES; i++) {
        run_to(b.sim, 0.01 * i + 0.0025);
        came[i] = (uint8_t)b.sim->memory[0][0];
        count += came[i];
        run_to(b.sim, 0.01 * i + 0.0045); /* what was drawn stays */
        assert_true(b.sim->memory[0][0] == came[i]);
        run_to(b.sim, 0.01 * i + 0.0075);
        assert_true(b.sim->memory[0][0] == 0.0);
    }
    finish(b);
    return count;
}

/* Lamps that come on by chance: as often as that says, by their seed, however long steps are. */
static void test_lamps(void **state)
{
    (void)state;
    uint8_t came[4][FLASHES];
    assert_int_equal(flashes(1.0, 0, 0.9, came[0]), FLASHES);
    const int half = flashes(0.5, 0, 0.9, came[0]);
    check_near("flashes of 400", half, 200.0, 30.0); /* three times the scatter of 400 coins */
    assert_int_equal(flashes(0.5, 0, 0.3, came[1]), half);
    assert_memory_equal(came[0], came[1], sizeof came[0]);
    (void)flashes(0.5, 1, 0.9, came[2]);
    assert_memory_not_equal(came[0], came[2], sizeof came[0]);
    check_near("flashes of 400, seldom", flashes(0.1, 0, 0.9, came[3]), 40.0, 18.0);
}

/* ---- bodies --------------------------------------------------------------------------------------------------------- */

/* A stretched bar is cut in the middle: two bodies, momentum as before, its energy booked. */
static void test_cut(void **state)
{
    (void)state;
    vxe_scene *scene = bar(8, 0.05);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CUT);
    rule.begin = 0.002; /* while its ends part */
    rule.end = 0.01;
    set_text(rule.when, "x > 0.04 && x < 0.05");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    rule.output = VXE_OUTPUT_MEMORY1;
    set_text(rule.value, "body");
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(scene, &def);
    vxe_error error = {VXE_OK, ""};
    const double still[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < 8; v++) {
        const double velocity[3] = {v < 4 ? -0.05 : 0.05, 0.0, 0.0};
        require(vxe_sim_set_velocity(b.sim, v, velocity, still, &error), &error);
    }
    const double whole = 0.5 * 8e-3 * 0.05 * 0.05;
    run_to(b.sim, 0.0015);
    assert_true(b.sim->memory[0][0] == 8.0);
    run_to(b.sim, 0.2);
    int64_t broken = 0;
    vxe_sim_failures(b.sim, &broken, NULL);
    assert_int_equal(broken, 2);
    const double sizes[8] = {4, 4, 4, 4, 1, 3, 3, 3};
    for (int32_t v = 0; v < 8; v++) assert_true(b.sim->memory[0][v] == sizes[v]);
    check_above("gap", moved(b.sim, 7, 0) - moved(b.sim, 0, 0), 0.005);
    double momentum[3];
    double turning[3];
    vxe_sim_momentum(b.sim, momentum, turning);
    check_near("momentum", momentum[0], 0.0, 1e-14);
    check_near("error of the account", vxe_sim_energy(b.sim).error / whole, 0.0, 0.01);
    finish(b);
}

/* What becomes of another material is what that is to rules and to the floor. */
static void test_become(void **state)
{
    (void)state;
    vxe_scene *scene = bar(4, 1.0);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "ice");
    def.static_friction = def.dynamic_friction = 0.0;
    (void)put_material(scene, &def);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.floor = true;
    e.gravity[0] = 1.0;
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BECOME);
    copy_name(rule.material, "gel");
    copy_name(rule.other, "ice");
    rule.begin = 0.2;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    copy_name(rule.material, "ice");
    rule.begin = 0.4;
    set_text(rule.when, "x < 0.02");
    put_rule(scene, &rule);
    const bench b = start(scene);
    run_to(b.sim, 0.19);
    check_near("way of what friction holds", moved(b.sim, 3, 0), 0.0, 1e-4);
    run_to(b.sim, 0.39);
    check_near("way on ice", moved(b.sim, 3, 0), 0.5 * 1.0 * 0.19 * 0.19, 1e-3);
    run_to(b.sim, 0.5);
    assert_int_equal(vxe_sim_life(b.sim).removed, 0); /* all have slid beyond 0.02 m */
    finish(b);
    scene = bar(2, 1.0);
    def.density = 500.0;
    (void)put_material(scene, &def);
    rule = vxe_default_rule_def(VXE_RULE_BECOME);
    copy_name(rule.material, "gel");
    copy_name(rule.other, "ice");
    put_rule(scene, &rule);
    vxe_model *model = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_compile(scene, &model, &error), VXE_ERROR_INPUT);
    assert_string_equal(
        error.message,
        "rule 0 of kind become: voxels of \"gel\" cannot become \"ice\", which is not as dense and stiff");
    vxe_scene_destroy(scene);
}

/* ---- supply and end ------------------------------------------------------------------------------------------------- */

/* Voxels fall from three places on a floor, six in all; a place that is taken waits; then they go, and the
 * run ends. */
static vxe_scene *shop(void)
{
    vxe_scene *scene = new_scene(0.01, 8, 3, 8);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "rock");
    fill(scene, box_of(0, 0, 0, 1, 1, 1), put_material(scene, &def));
    copy_name(def.name, "sand");
    (void)put_material(scene, &def);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_SUPPLY);
    copy_name(rule.other, "sand");
    rule.begin = 0.01;
    rule.every = 0.1;
    rule.limit = 6;
    rule.places[0] = 3;
    rule.spacing[0] = 0.02;
    rule.position[0] = 0.005; /* the first is where the rock is */
    rule.position[1] = 0.005;
    rule.position[2] = 0.005;
    rule.corner[2] = 6;
    rule.cells[0] = 8;
    rule.cells[1] = 3;
    rule.cells[2] = 2;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_PUSH); /* out of the way */
    copy_name(rule.material, "sand");
    rule.direction[1] = 1.0;
    set_text(rule.value, "mass * 8");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    copy_name(rule.material, "sand");
    rule.begin = 0.5;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_END);
    copy_name(rule.material, "sand");
    rule.begin = 0.3;
    put_rule(scene, &rule);
    return scene;
}

static void test_supply(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(shop(), &def);
    run_to(b.sim, 0.09);
    assert_int_equal(vxe_sim_life(b.sim).grown, 2);
    assert_int_equal(vxe_sim_life(b.sim).present, 3);
    run_to(b.sim, 0.45);
    assert_int_equal(vxe_sim_life(b.sim).grown, 6);
    check_below("error of the account", fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale, 0.01);
    const vxe_stop stop = {.time = 1.0};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_RULE);
    check_near("the end", vxe_sim_time(b.sim), 0.5, 1e-3);
    assert_int_equal(vxe_sim_life(b.sim).present, 1);
    finish(b);
}

/* Voxels that a cold signal keeps small are small from their first moment: two of them at 0.93 pitches just
 * touch, lie there as they came, and what they would hold at their full size is not in the account. */
static void test_supply_of_driven(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 3, 3, 3);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "rock");
    fill(scene, box_of(0, 0, 0, 1, 1, 1), put_material(scene, &def));
    copy_name(def.name, "sand");
    def.expansion = 0.01;
    vxe_signal_def cold = vxe_default_signal_def();
    cold.base = cold.reference - 6.0;
    cold.amplitude = 0.0;
    put_signal(scene, &cold);
    (void)put_material(scene, &def);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_SUPPLY);
    copy_name(rule.other, "sand");
    rule.begin = 0.01;
    rule.every = 1.0;
    rule.clearance = 0.4;
    rule.places[0] = 2;
    rule.spacing[0] = 0.0093;
    rule.position[2] = 0.05;
    for (int a = 0; a < 3; a++) rule.cells[a] = a == 2 ? 1 : 3;
    rule.corner[2] = 2;
    put_rule(scene, &rule);
    vxe_sim_def settings = vxe_default_sim_def();
    settings.audit = true;
    const bench b = start_with(scene, &settings);
    run_to(b.sim, 0.02);
    assert_int_equal(vxe_sim_life(b.sim).grown, 2);
    const vxe_energy energy = vxe_sim_energy(b.sim);
    assert_true(energy.total == 0.0 && energy.actuation_work == 0.0 && energy.error == 0.0);
    finish(b);
}

/* All of them together, step by step the same on every machine and from any checkpoint. */
static void test_same_bits(void **state)
{
    (void)state;
    outcome first = {0};
    vxe_error error = {VXE_OK, ""};
    for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
        vxe_scene *scene = shop();
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BECOME);
        copy_name(rule.material, "sand");
        copy_name(rule.other, "rock");
        rule.begin = 0.25;
        rule.chance = 0.001;
        put_rule(scene, &rule);
        rule = bond_rule();
        put_rule(scene, &rule);
        rule = vxe_default_rule_def(VXE_RULE_CUT);
        rule.begin = rule.every = 0.15;
        set_text(rule.when, "body > 1");
        put_rule(scene, &rule);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        def.isa = (vxe_isa)isa;
        vxe_model *model = compile_scene(scene);
        vxe_sim *sim = NULL;
        vxe_sim *other = NULL;
        vxe_scene_destroy(scene);
        if (vxe_sim_create(model, &def, &sim, NULL) != VXE_OK) {
            vxe_model_destroy(model);
            continue;
        }
        require(vxe_sim_create(model, &def, &other, &error), &error);
        for (int i = 1; i <= 20; i++) {
            run_to(sim, 0.02 * i);
            const size_t size = vxe_sim_save_size(sim);
            unsigned char *bytes = malloc(size);
            assert_non_null(bytes);
            require(vxe_sim_save(sim, bytes, size, &error), &error);
            require(vxe_sim_load(other, bytes, size, &error), &error);
            free(bytes);
            step(sim, 10);
            step(other, 10);
            check_equal(outcome_of(sim), outcome_of(other));
        }
        if (isa == VXE_ISA_PLAIN) first = outcome_of(sim);
        check_equal(first, outcome_of(sim));
        vxe_sim_destroy(other);
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
    }
    assert_true(first.life.grown == 6 && first.life.bonded > 0);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------ */

static void check_said(vxe_rule_def rule, const char *expected)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = bar(2, 1.0);
    assert_int_equal(vxe_scene_add_rule(scene, &rule, NULL, &error),
                     rule.size == 0 ? VXE_ERROR_ARGUMENT : VXE_ERROR_INPUT);
    assert_string_equal(error.message, expected);
    vxe_scene_destroy(scene);
}

static void test_refused(void **state)
{
    (void)state;
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
    check_said(rule, "rule of kind push: value, the force, is missing");
    set_text(rule.value, "1");
    check_said(rule, "rule of kind push: direction is missing");
    check_said(vxe_default_rule_def(VXE_RULE_BECOME),
               "rule of kind become: other, the material they become, is missing");
    rule = vxe_default_rule_def(VXE_RULE_SUPPLY);
    check_said(rule, "rule of kind supply: size: 0 cells are not within 1 to 10000000");
    for (int a = 0; a < 3; a++) rule.cells[a] = 1;
    check_said(rule, "rule of kind supply: other, the material of new voxels, is missing");
    rule.places[1] = 0;
    check_said(rule, "rule of kind supply: places 0 is not within 1 to 10000");
    rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    set_text(rule.when, "sin(t) + 0.1 * x");
    check_said(rule, "rule of kind light: when: of time alone; it knows t, and not x");
    rule = vxe_default_rule_def(VXE_RULE_CUT);
    rule.size = 0;
    check_said(rule, "vxe_rule_def: its size is not set; settings start from their defaults "
                     "(vxe_default_...)");
}

/* A cell that waits for voxels of two materials is found as by looking through all pairs of rules, the first
 * pair first, and through their cells. */
static int32_t find_dispute(const vxe_scene *scene, char *said, size_t size)
{
    for (int32_t n = 0; n < vxe_scene_rule_count(scene); n++) {
        for (int32_t m = 0; m < n; m++) {
            const vxe_rule_def *rules[2] = {vxe_scene_rule(scene, n), vxe_scene_rule(scene, m)};
            if (strcmp(rules[0]->other, rules[1]->other) == 0) continue;
            for (int32_t c = 0; c < 6 * 5 * 4; c++) {
                const int32_t i = c % 6;
                const int32_t j = c / 6 % 5;
                const int32_t k = c / 30;
                if (vxe_scene_voxel(scene, i, j, k) != 0 || !vxe_rule_reserves(rules[0], i, j, k) ||
                    !vxe_rule_reserves(rules[1], i, j, k))
                    continue;
                (void)snprintf(
                    said, size,
                    "rule %d of kind grow: other: cell (%d,%d,%d) is also of rule %d of kind grow, "
                    "whose new voxels are of another material",
                    (int)n, (int)i, (int)j, (int)k, (int)m);
                return n;
            }
        }
    }
    (void)snprintf(said, size, "%s", "");
    return -1;
}

static void test_disputed_cells(void **state)
{
    (void)state;
    static const char *const names[3] = {"a", "b", "c"};
    rng r = {31};
    int disputed = 0;
    int later = 0; /* not with the first rule */
    for (int i = 0; i < 1000; i++) {
        vxe_scene *scene = new_scene(0.01, 6, 5, 4);
        vxe_material_def def = vxe_default_material_def();
        for (int m = 0; m < 3; m++) {
            copy_name(def.name, names[m]);
            (void)put_material(scene, &def);
        }
        fill(scene, box_of(rng_int(&r, 0, 3), rng_int(&r, 0, 2), 0, 3, 3, 4), 1);
        for (int n = 0; n < 8; n++) {
            vxe_rule_def rule = vxe_default_rule_def(rng_int(&r, 0, 7) > 0 ? VXE_RULE_GROW : VXE_RULE_CUT);
            if (rule.kind == VXE_RULE_GROW) {
                const int32_t size[3] = {6, 5, 4};
                copy_name(rule.other, names[rng_int(&r, 0, 5) / 3 + (n == 7)]);
                for (int a = 0; a < 3; a++) {
                    rule.corner[a] = rng_int(&r, 0, size[a] - 1);
                    rule.cells[a] =
                        rng_int(&r, 1, size[a] - rule.corner[a] < 3 ? size[a] - rule.corner[a] : 3);
                }
            }
            put_rule(scene, &rule);
        }
        char expected[256];
        vxe_error error = {VXE_OK, ""};
        int32_t wrong = -1;
        const int32_t found = find_dispute(scene, expected, sizeof expected);
        assert_int_equal(vxe_find_wrong_rule(scene, &wrong, &error), found < 0 ? VXE_OK : VXE_ERROR_INPUT);
        assert_string_equal(error.message, expected);
        if (found >= 0) assert_int_equal(wrong, found);
        disputed += found >= 0;
        later += found >= 0 && strstr(expected, "of rule 0") == NULL;
        vxe_scene_destroy(scene);
    }
    print_message("    %d of 1000 disputed, %d not with the first rule\n", disputed, later);
    assert_true(disputed > 100 && disputed < 990 && later > 100);
}

/* As many rules as there may be, for the same cells, all of which have voxels: none is disputed, and that is
 * found in one pass. */
static void test_many_shared_cells(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 21, 21, 21);
    vxe_material_def def = vxe_default_material_def();
    copy_name(def.name, "a");
    fill_all(scene, put_material(scene, &def));
    copy_name(def.name, "b");
    (void)put_material(scene, &def);
    for (int n = 0; n < VXE_RULES_MAX; n++) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_GROW);
        copy_name(rule.other, n % 2 == 0 ? "a" : "b");
        for (int a = 0; a < 3; a++) rule.cells[a] = 21;
        put_rule(scene, &rule);
    }
    vxe_error error = {VXE_OK, ""};
    require(vxe_check_rules(scene, &error), &error);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_push_is_a_spring),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_shadows),
        cmocka_unit_test(test_lamps),
        cmocka_unit_test(test_stroke),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_become),
        cmocka_unit_test(test_supply),
        cmocka_unit_test(test_supply_of_driven),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_disputed_cells),
        cmocka_unit_test(test_many_shared_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
