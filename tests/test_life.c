/* Rules: voxels that stick, let go, disappear, grow and conduct. Momentum and energy through all of it; the
 * same bits on every machine, with any number of threads, and from a checkpoint anywhere. */
#include "living.h"

#include "sim/collide.h"
#include "sim/life.h"

/* ---- bonds ------------------------------------------------------------------------------------------------------------- */

/* Two blocks meet, stick, and go on as one: both momenta stay what they were. */
static void check_sticking(vxe_elasticity elasticity, double damping, bool audit)
{
    vxe_scene *scene = two_blocks(elasticity, damping);
    vxe_rule_def rule = bond_rule();
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = audit;
    const bench b = start_with(scene, &def);
    fly_together(b.sim, 0.2);
    check_flight(b.sim, 20000, 1e-12, 1e-12);
    const vxe_life life = vxe_sim_life(b.sim);
    assert_true(life.bonds >= 4);
    assert_int_equal(life.released, 0);
    /* they move as one */
    double apart[3] = {0.0, 0.0, 0.0};
    const vxe_state *s = vxe_sim_state(b.sim);
    const vxe_model_view *view = vxe_model_get(b.model);
    for (int32_t v = 0; v < view->voxel_count; v++) {
        for (int a = 0; a < 3; a++) apart[a] += (view->cell[0][v] < 4 ? -1.0 : 1.0) * s->position[a][v] / 27;
    }
    check_near("distance of the blocks", length3(apart), 0.033, 0.003);
    if (audit) {
        const vxe_energy e = vxe_sim_energy(b.sim);
        check_near("error of the account", e.error / (27 * 1e-6 * 1000 * 0.04), 0.0, 0.01);
    }
    finish(b);
}

static void test_stick(void **state)
{
    (void)state;
    check_sticking(VXE_ELASTICITY_SOLID, 0.0, false);
    check_sticking(VXE_ELASTICITY_SOLID, 0.1, true);
    check_sticking(VXE_ELASTICITY_SOLID, 1.0, true);
    check_sticking(VXE_ELASTICITY_BEAM, 0.0, true);
}

/* A bond that lets go at a stress, and one that a formula tells to. */
static void test_let_go(void **state)
{
    (void)state;
    for (int by = 0; by < 2; by++) {
        vxe_scene *scene = two_blocks(VXE_ELASTICITY_SOLID, 0.2);
        vxe_rule_def rule = bond_rule();
        rule.end = 0.08;
        if (by == 0) rule.stress = 50.0;
        if (by == 1) (void)snprintf(rule.release, sizeof rule.release, "t > 0.1");
        put_rule(scene, &rule);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        const bench b = start_with(scene, &def);
        fly_together(b.sim, 0.2);
        check_flight(b.sim, 20000, 1e-12, 1e-12);
        const vxe_life life = vxe_sim_life(b.sim);
        assert_true(life.bonded > 0);
        assert_true(life.released > 0);
        if (by == 1) assert_int_equal(life.bonds, 0);
        const vxe_energy e = vxe_sim_energy(b.sim);
        check_near("error of the account", e.error / (27e-3 * 0.04), 0.0, 0.01);
        finish(b);
    }
}

/* A bond between blocks in line is a link: pulled, two bonded rods are as stiff as one. */
static void test_bond_is_a_link(void **state)
{
    (void)state;
    double stretch[2];
    for (int whole = 0; whole < 2; whole++) {
        vxe_scene *scene = new_scene(0.01, 8, 1, 1);
        (void)add_material(scene, 1e5, 0.0, 1000.0);
        fill_all(scene, 1);
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        (void)add_force(scene, "pull", box_of(7, 0, 0, 1, 1, 1), 0.2, 0.0, 0.0);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.05);
        e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        if (whole == 0) { /* parted between cells 3 and 4, which touch */
            vxe_error error = {VXE_OK, ""};
            vxe_part_def part = {.separate = true};
            copy_name(part.name, "end");
            int32_t number = 0;
            require(vxe_scene_add_part(scene, &part, &number, &error), &error);
            for (int32_t i = 4; i < 8; i++)
                require(vxe_scene_set_field(scene, VXE_FIELD_PART, i, 0, 0, number, &error), &error);
            vxe_rule_def rule = bond_rule();
            put_rule(scene, &rule);
        }
        const bench b = start(scene);
        step(b.sim, 30000);
        check_well(b.sim);
        if (whole == 0) assert_int_equal(vxe_sim_life(b.sim).bonds, 1);
        stretch[whole] = moved(b.sim, 7, 0);
        finish(b);
    }
    check_near("stretch of the bonded rod", stretch[0] / stretch[1], 1.0, 2e-3);
}

/* ---- voxels that come and go ---------------------------------------------------------------------------------------------- */

static void test_remove(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 6, 3, 3);
    (void)add_material(scene, 1e5, 0.3, 1000.0);
    fill_all(scene, 1);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.05, 0.0);
    e.gravity[2] = -1.0;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    rule.begin = 0.02;
    (void)snprintf(rule.when, sizeof rule.when, "x > 0.03");
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(scene, &def);
    vxe_error error = {VXE_OK, ""};
    const double v0[3] = {0.0, 0.0, 0.3};
    const double spin[3] = {0.0, 20.0, 5.0};
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    require(vxe_sim_set_motion(b.sim, v0, spin, center, &error), &error);
    step(b.sim, 30000);
    check_well(b.sim);
    const vxe_life life = vxe_sim_life(b.sim);
    assert_true(life.removed > 0);
    assert_int_equal(life.present, 54 - life.removed);
    const vxe_energy energy = vxe_sim_energy(b.sim);
    const double scale = 54e-3 * (0.5 * 0.09 + 0.5 * 400 * 4e-4);
    check_near("error of the account", energy.error / scale, 0.0, 0.01);
    for (int32_t v = 0; v < 54; v++) {
        assert_true(vxe_sim_present(b.sim, v) == (vxe_sim_state(b.sim)->growth[v] > -1.0));
    }
    finish(b);
}

/* What is left of a body is what a body of the rest would be. */
static void test_rest_is_a_body(void **state)
{
    (void)state;
    double tip[2];
    for (int cut = 0; cut < 2; cut++) {
        vxe_scene *scene = new_scene(0.01, 10, 3, 4);
        (void)add_material(scene, 1e6, 0.3, 1000.0);
        fill(scene, box_of(0, 0, 0, 10, 3, cut == 1 ? 4 : 3), 1);
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 3, 4), VXE_DOF_ALL);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.05);
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
        (void)snprintf(rule.when, sizeof rule.when, "z > 0.029 && t > 0.001");
        if (cut == 1) put_rule(scene, &rule);
        const bench b = start(scene);
        step(b.sim, 20000);
        check_well(b.sim);
        if (cut == 1) assert_int_equal(vxe_sim_life(b.sim).removed, 30);
        tip[cut] = moved(b.sim, voxel_at(b.sim, 9, 0, 0), 2);
        finish(b);
    }
    check_near("deflection", tip[1] / tip[0], 1.0, 1e-3);
}

/* A rod that grows to a length is, in the end, a rod of that length. */
static void test_grown_is_a_body(void **state)
{
    (void)state;
    double tip[2];
    for (int grown = 0; grown < 2; grown++) {
        vxe_scene *scene = new_scene(0.01, 8, 2, 2);
        (void)add_material(scene, 1e6, 0.3, 1000.0);
        fill(scene, box_of(0, 0, 0, grown == 1 ? 2 : 8, 2, 2), 1);
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.05);
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_GROW);
        copy_name(rule.other, "material");
        rule.size[0] = 8;
        rule.size[1] = rule.size[2] = 2;
        rule.every = 0.002;
        if (grown == 1) put_rule(scene, &rule);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        const bench b = start_with(scene, &def);
        step(b.sim, 20000);
        check_well(b.sim);
        const vxe_life life = vxe_sim_life(b.sim);
        assert_int_equal(life.present, 32);
        assert_int_equal(life.grown, grown == 1 ? 24 : 0);
        if (grown == 1) assert_int_equal(vxe_model_get(b.model)->reserved_count, 24);
        tip[grown] = vxe_sim_state(b.sim)->position[2][voxel_at(b.sim, 7, 0, 0)];
        finish(b);
    }
    /* voxels that grew at a bent end are bent from the start: what the others weigh is missing */
    check_near("height of the tip", tip[1], tip[0], 2e-4);
}

/* ---- impulses ------------------------------------------------------------------------------------------------------------- */

/* A pulse travels a pitch per delay, falls off by the decay, and two that meet end each other. */
static void test_impulse(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 40, 1, 1);
    (void)add_material(scene, 1e5, 0.3, 1000.0);
    fill_all(scene, 1);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    rule.delay = 0.005;
    rule.decay = 0.99;
    rule.refractory = 0.05;
    rule.threshold = 0.01;
    rule.fade_every = 100.0;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_PACE);
    rule.period = 10.0;
    (void)snprintf(rule.when, sizeof rule.when, "x < 0.01 || x > 0.39");
    put_rule(scene, &rule);
    const bench b = start(scene);
    double arrived[40] = {0.0};
    while (vxe_sim_time(b.sim) < 0.15) {
        step(b.sim, 1);
        for (int32_t v = 0; v < 40; v++) {
            if (arrived[v] == 0.0 && vxe_sim_impulse(b.sim, v) > 0.0) arrived[v] = vxe_sim_time(b.sim);
        }
    }
    const double dt = vxe_sim_time_step(b.sim).dt;
    /* a voxel has the value as soon as the one before passes it on */
    for (int32_t v = 1; v < 20; v++) check_near("arrival", arrived[v], 0.005 * (v - 1), 3.0 * dt);
    for (int32_t v = 20; v < 39; v++) check_near("arrival", arrived[v], 0.005 * (38 - v), 3.0 * dt);
    check_near("value", vxe_sim_impulse(b.sim, 10), pow(0.99, 10), 1e-12);
    finish(b);
}

/* ---- controllers ---------------------------------------------------------------------------------------------------------- */

/* A network of two layers, by hand; a lamp that moves. */
static void test_network(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 3, 1, 1);
    (void)add_material(scene, 1e5, 0.3, 1000.0);
    fill_all(scene, 1);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    const double weights[] = {0.1,  1.0, -2.0, -0.2, 0.5, 0.5,  /* two neurons of two inputs */
                              0.05, 1.5, -0.7, 0.0,  1.0, 0.0}; /* two outputs */
    rule.input_count = 2;
    rule.layer_count = 2;
    rule.layers[0] = rule.layers[1] = 2;
    (void)snprintf(rule.inputs[0], sizeof rule.inputs[0], "light");
    (void)snprintf(rule.inputs[1], sizeof rule.inputs[1], "10 * x");
    rule.weights = weights;
    rule.weight_count = 12;
    rule.output = VXE_OUTPUT_MEMORY1;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    rule.position[0] = 0.1;
    rule.swing[0] = 0.05;
    rule.frequency[0] = 25.0;
    rule.radius = 0.05;
    rule.strength = 3.0;
    put_rule(scene, &rule);
    const bench b = start(scene);
    step(b.sim, 200);
    const double t = vxe_sim_time(b.sim);
    for (int32_t v = 0; v < 3; v++) {
        const double x = vxe_sim_state(b.sim)->position[0][v];
        const double r = x - 0.1 - 0.05 * sin(2.0 * acos(-1.0) * 25.0 * t);
        const double y = 0.005;
        const double light = 3.0 / (1.0 + (r * r + 2 * y * y) / 0.0025);
        const double h1 = tanh(0.1 + light - 2.0 * 10.0 * x);
        const double h2 = tanh(-0.2 + 0.5 * light + 0.5 * 10.0 * x);
        check_near("first output", b.sim->memory[0][v], tanh(0.05 + 1.5 * h1 - 0.7 * h2), 1e-12);
        check_near("second output", b.sim->memory[1][v], tanh(h1), 1e-12);
    }
    finish(b);
}

/* Work of driven sizes is in the account. */
static void test_control_account(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 6, 2, 2);
    (void)add_material(scene, 1e5, 0.3, 1000.0);
    fill_all(scene, 1);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.0);
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    (void)snprintf(rule.value, sizeof rule.value, "0.1 * sin(200 * t + 50 * x) + 0.5 * strain");
    rule.every = 0.001;
    rule.rate = 30.0;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_SIZE);
    (void)snprintf(rule.value, sizeof rule.value, "0.5 - vx");
    rule.maximum = 0.2;
    put_rule(scene, &rule);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(scene, &def);
    step(b.sim, 100000);
    check_well(b.sim);
    const vxe_energy energy = vxe_sim_energy(b.sim);
    assert_true(energy.actuation_work > 0.0);
    check_near("error of the account", energy.error / energy.actuation_work, 0.0, 0.01);
    for (int32_t v = 0; v < 24; v++) check_below("developed", b.sim->developed[0][v], 0.2 + 1e-15);
    finish(b);
}

/* ---- bits ------------------------------------------------------------------------------------------------------------------ */

#define RUN 2000

static void test_same_bits(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        const vxe_elasticity elasticity = variant % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
        outcome first = {0};
        for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
            vxe_sim_def def = vxe_default_sim_def();
            def.audit = variant >= 4;
            def.precision = variant == 2 || variant == 3 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
            def.isa = (vxe_isa)isa;
            vxe_scene *scene = menagerie(elasticity, variant % 3 == 0 ? 0.1 : 1.0);
            vxe_model *model = compile_scene(scene);
            vxe_scene_destroy(scene);
            vxe_sim *sim = NULL;
            if (vxe_sim_create(model, &def, &sim, NULL) == VXE_OK) {
                step(sim, RUN);
                check_well(sim);
                const outcome now = outcome_of(sim);
                if (isa == VXE_ISA_PLAIN) first = now;
                check_equal(first, now);
                vxe_sim_destroy(sim);
            }
            vxe_model_destroy(model);
        }
        if (variant == 0) {
            assert_true(first.life.grown > 0);
            assert_true(first.life.removed > 0);
            assert_true(first.life.bonded > 0);
            assert_true(first.life.released > 0);
        }
    }
}

/* A large one, of several threads' parts, with changes in all of them. */
static void test_threads(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        vxe_scene *scene = menageries(VXE_ELASTICITY_SOLID, variant == 0 ? 0.1 : 1.0, 2, 4);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        check_threads(model, variant == 1, RUN / 2);
        vxe_model_destroy(model);
    }
}

/* In the middle of every change; the one that goes on does so on another machine. */
static void test_restart(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench whole = start_with(menagerie(VXE_ELASTICITY_SOLID, 1.0), &def);
    def.isa = VXE_ISA_PLAIN;
    const bench parts = start_with(menagerie(VXE_ELASTICITY_SOLID, 1.0), &def);
    vxe_error error = {VXE_OK, ""};
    vxe_life before = vxe_sim_life(whole.sim);
    int changes = 0;
    for (int64_t i = 0; i < RUN; i++) {
        step(whole.sim, 1);
        const vxe_life now = vxe_sim_life(whole.sim);
        const bool changed = now.grown != before.grown || now.removed != before.removed ||
                             now.bonded != before.bonded || now.released != before.released;
        before = now;
        if (!changed && i % 500 != 0) continue;
        changes++;
        /* into another simulation, which goes on for a while */
        const size_t size = vxe_sim_save_size(whole.sim);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        require(vxe_sim_save(whole.sim, bytes, size, &error), &error);
        require(vxe_sim_load(parts.sim, bytes, size, &error), &error);
        free(bytes);
        check_equal(outcome_of(whole.sim), outcome_of(parts.sim));
        const int64_t few = 20;
        step(whole.sim, few);
        step(parts.sim, few);
        i += few;
        check_equal(outcome_of(whole.sim), outcome_of(parts.sim));
        before = vxe_sim_life(whole.sim);
    }
    assert_true(changes > 10);
    finish(whole);
    finish(parts);
}

/* Rough ground, a ball in the way, of which some reserved cells are a part. */
static void test_on_ground(void **state)
{
    (void)state;
    outcome first = {0};
    for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
        vxe_error error = {VXE_OK, ""};
        vxe_scene *scene = menagerie(VXE_ELASTICITY_SOLID, 1.0);
        vxe_environment e = vxe_scene_environment(scene);
        e.floor = false;
        set_environment(scene, &e);
        vxe_ground_def ground = vxe_default_ground_def();
        ground.kind = VXE_GROUND_ROUGH;
        ground.points[0] = ground.points[1] = 60;
        ground.spacing = 0.01;
        ground.origin[0] = ground.origin[1] = -0.25;
        ground.origin[2] = -0.02;
        ground.height = 0.02;
        ground.length = 0.05;
        require(vxe_scene_set_ground(scene, &ground, &error), &error);
        vxe_solid_def ball = vxe_default_solid_def();
        ball.kind = VXE_SOLID_SPHERE;
        ball.radius = 0.015;
        ball.center[0] = 0.075;
        ball.center[1] = 0.025;
        ball.center[2] = 0.055;
        require(vxe_scene_add_solid(scene, &ball, NULL, &error), &error);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        def.isa = (vxe_isa)isa;
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        vxe_sim *sim = NULL;
        if (vxe_sim_create(model, &def, &sim, NULL) == VXE_OK) {
            step(sim, 2 * RUN);
            check_well(sim);
            if (isa == VXE_ISA_PLAIN) first = outcome_of(sim);
            check_equal(first, outcome_of(sim));
            for (int32_t v = 0; v < vxe_model_get(model)->voxel_count; v++) {
                double square = 0.0;
                for (int a = 0; a < 3; a++) square += pow(sim->position[a][v] - ball.center[a], 2);
                if (vxe_sim_present(sim, v)) check_above("distance to the ball", sqrt(square), 0.015);
            }
            check_below("error of the account", fabs(vxe_sim_energy(sim).error) / sim->account.scale, 0.01);
            vxe_sim_destroy(sim);
        }
        vxe_model_destroy(model);
    }
    assert_true(first.life.grown > 0 && first.life.removed > 0);
}

/* ---- other scenes and machines --------------------------------------------------------------------------------------------- */

/* An animal loses a voxel by an edit: all else goes on, what rules have done included. */
static void test_carry(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(menagerie(VXE_ELASTICITY_SOLID, 1.0), &def);
    while (vxe_sim_life(b.sim).bonds == 0 || vxe_sim_life(b.sim).removed == 0) step(b.sim, 50);
    vxe_scene *edited = menagerie(VXE_ELASTICITY_SOLID, 1.0);
    require(vxe_scene_set_voxel(edited, 7, 1, 0, 0, &error), &error);
    require(vxe_scene_set_voxel(edited, 5, 0, 3, 1, &error), &error);
    const bench c = start_with(edited, &def);
    require(vxe_sim_carry(c.sim, b.sim, &error), &error);
    const vxe_life was = vxe_sim_life(b.sim);
    const vxe_life now = vxe_sim_life(c.sim);
    assert_int_equal(now.present, was.present); /* one less, one more */
    assert_int_equal(now.grown, was.grown);
    assert_int_equal(now.removed, was.removed);
    assert_int_equal(now.bonds, was.bonds);
    for (int64_t i = 0; i < was.bonds; i++) {
        vxe_bond one;
        vxe_bond other;
        assert_true(vxe_sim_bond(b.sim, i, &one) && vxe_sim_bond(c.sim, i, &other));
        const vxe_model_view *m = vxe_model_get(b.model);
        assert_int_equal(other.first, voxel_at(c.sim, m->cell[0][one.first], m->cell[1][one.first],
                                               m->cell[2][one.first]));
        check_near("when it was made", other.time, one.time, 0.0);
        check_near("length", other.length, one.length, 0.0);
    }
    const vxe_model_view *m = vxe_model_get(c.model);
    int conducting = 0;
    for (int32_t v = 0; v < m->voxel_count; v++) {
        const int32_t w = vxe_model_voxel_at(b.model, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
        if (w < 0) continue;
        assert_int_equal(vxe_sim_present(c.sim, v), vxe_sim_present(b.sim, w));
        if (!vxe_sim_present(c.sim, v)) continue;
        check_near("impulse", vxe_sim_impulse(c.sim, v), vxe_sim_impulse(b.sim, w), 0.0);
        check_near("developed", c.sim->developed[0][v], b.sim->developed[0][w], 0.0);
        conducting += vxe_sim_impulse(c.sim, v) > 0.0;
    }
    assert_true(conducting > 0);
    step(c.sim, 3000);
    check_well(c.sim);
    assert_true(vxe_sim_life(c.sim).grown > was.grown);
    check_below("error of the account", fabs(vxe_sim_energy(c.sim).error) / c.sim->account.scale, 0.01);
    /* a scene without rules has all its voxels, and none that grew */
    vxe_scene *plain = menagerie(VXE_ELASTICITY_SOLID, 1.0);
    while (vxe_scene_rule_count(plain) > 0) require(vxe_scene_remove_rule(plain, 0, &error), &error);
    const bench d = start(plain);
    require(vxe_sim_carry(d.sim, c.sim, &error), &error);
    assert_int_equal(vxe_sim_life(d.sim).present, vxe_model_get(d.model)->voxel_count);
    step(d.sim, 1000);
    check_well(d.sim);
    /* and back: what had not grown has not */
    const bench back = start_with(menagerie(VXE_ELASTICITY_SOLID, 1.0), &def);
    require(vxe_sim_carry(back.sim, d.sim, &error), &error);
    assert_int_equal(vxe_sim_life(back.sim).present, vxe_model_get(d.model)->voxel_count);
    step(back.sim, 1000);
    check_well(back.sim);
    finish(back);
    finish(d);
    finish(c);
    finish(b);
}

/* A device says that it cannot; `auto` leaves it to the CPU. */
static void test_device(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = menagerie(VXE_ELASTICITY_SOLID, 1.0);
    vxe_model *model = compile_scene(scene);
    vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = NULL;
    def.device = VXE_DEVICE_EMULATED;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_ERROR_INPUT);
    assert_null(sim);
    assert_non_null(strstr(error.message, "the scene has rules, which a GPU cannot follow"));
    def.device = VXE_DEVICE_AUTO;
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    step(sim, 10);
    check_well(sim);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* The start again is the start. */
static void test_reset(void **state)
{
    (void)state;
    const bench b = start(menagerie(VXE_ELASTICITY_SOLID, 1.0));
    step(b.sim, 1000);
    const outcome first = outcome_of(b.sim);
    vxe_sim_reset(b.sim);
    step(b.sim, 1000);
    check_equal(first, outcome_of(b.sim));
    finish(b);
}

/* Through thousands of changes the account balances. */
static void test_long_account(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(menagerie(VXE_ELASTICITY_SOLID, 0.5), &def);
    double worst = 0.0;
    const int64_t steps = is_soak() ? 100000 : is_quick() ? 2000 : 20000;
    for (int64_t i = 0; i < steps; i += 1000) {
        step(b.sim, 1000);
        worst = fmax(worst, fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale);
    }
    check_well(b.sim);
    const vxe_life life = vxe_sim_life(b.sim);
    print_message(
        "    %lld steps: %lld grown, %lld removed, %lld bonded, %lld released; largest error %.1e\n",
        (long long)steps, (long long)life.grown, (long long)life.removed, (long long)life.bonded,
        (long long)life.released, worst);
    check_below("error of the account over what passed", worst, 0.01);
    finish(b);
}

static bool is_on_list(const collider *c, int32_t v, int32_t w)
{
    for (int64_t i = 0; i < c->list.count; i++) {
        if (c->list.first[i] == v && c->list.second[i] == w) return true;
    }
    return false;
}

static bool is_bonded(const vxe_sim *sim, int32_t v, int32_t w)
{
    vxe_bond bond;
    for (int64_t i = 0; vxe_sim_bond(sim, i, &bond); i++) {
        if (bond.first == v && bond.second == w) return true;
    }
    return false;
}

/* Whoever touches is on the list of pairs, grown voxels and those of broken links too; by looking at all
 * pairs. */
static void test_list(void **state)
{
    (void)state;
    const bench b = start(menagerie(VXE_ELASTICITY_SOLID, 0.5));
    const int32_t n = vxe_model_get(b.model)->voxel_count;
    double *before = malloc(3 * (size_t)n * sizeof *before);
    uint8_t *there = malloc((size_t)n);
    assert_true(before != NULL && there != NULL);
    int64_t found = 0;
    for (int i = 0; i < (is_quick() ? 300 : 2000); i++) {
        for (int32_t v = 0; v < n; v++) {
            for (int a = 0; a < 3; a++) before[3 * v + a] = b.sim->position[a][v];
            there[v] = b.sim->alive[0][v];
        }
        step(b.sim, 1);
        for (int32_t v = 0; v < n; v++) {
            for (int32_t w = v + 1; w < n; w++) {
                double square = 0.0;
                if (there[v] == 0 || there[w] == 0 || b.sim->alive[0][v] == 0 || b.sim->alive[0][w] == 0)
                    continue;
                for (int a = 0; a < 3; a++) square += pow(before[3 * w + a] - before[3 * v + a], 2);
                const double reach = vxe_contact_reach(b.sim, v, w);
                if (!(square < reach * reach) || b.sim->free_faces[v] == 0 || b.sim->free_faces[w] == 0)
                    continue;
                if (vxe_collider_excluded(b.sim, v, w) || is_bonded(b.sim, v, w)) continue;
                if (!is_on_list(b.sim->collider, v, w)) {
                    /* a voxel that lost a link in this very step comes to the surface with the next list */
                    assert_int_equal(b.sim->collider->stale, 1);
                    continue;
                }
                found++;
            }
        }
    }
    assert_true(found > 0);
    free(before);
    free(there);
    finish(b);
}

/* ---- demos ------------------------------------------------------------------------------------------------------------------ */

static bench start_demo(const char *name, bool audit)
{
    char path[512];
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = audit;
    (void)snprintf(path, sizeof path, "%s/scenes/%s.json", VXE_SOURCE_DIR, name);
    require(vxe_scene_load_json(path, &scene, &error), &error);
    return start_with(scene, &def);
}

static void run_to(vxe_sim *sim, double time)
{
    const vxe_stop stop = {.time = time};
    (void)vxe_sim_run(sim, &stop, INT64_MAX);
    check_well(sim);
}

/* They meet, hold against a pull, and part. */
static void test_sticking_demo(void **state)
{
    (void)state;
    const bench b = start_demo("sticking", true);
    run_to(b.sim, 0.75);
    assert_true(vxe_sim_life(b.sim).bonds >= 16);
    run_to(b.sim, 1.5);
    assert_int_equal(vxe_sim_life(b.sim).bonds, 0);
    const vxe_state *s = vxe_sim_state(b.sim);
    const double gap = s->position[0][voxel_at(b.sim, 9, 0, 0)] - s->position[0][voxel_at(b.sim, 5, 0, 0)];
    check_above("gap between the blocks", gap, 0.02);
    const vxe_energy e = vxe_sim_energy(b.sim);
    check_near("error of the account", e.error / e.load_work, 0.0, 0.01);
    finish(b);
}

/* It grows behind the post, on both sides of it, and never into it. */
static void test_growing_demo(void **state)
{
    (void)state;
    const bench b = start_demo("growing", true);
    const vxe_model_view *view = vxe_model_get(b.model);
    run_to(b.sim, 0.4);
    int behind = 0;
    int beside[2] = {0, 0};
    const vxe_state *s = vxe_sim_state(b.sim);
    for (int32_t v = 0; v < view->voxel_count; v++) {
        if (!vxe_sim_present(b.sim, v) || view->material[v] != 1) continue;
        if (view->cell[0][v] > 10 && view->cell[1][v] == 5) behind++;
        if (view->cell[0][v] == 7) beside[view->cell[1][v] < 5 ? 0 : 1]++;
        for (int32_t w = 0; w < view->voxel_count; w++) {
            double square = 0.0;
            if (view->material[w] != 2) continue;
            for (int a = 0; a < 3; a++) square += pow(s->position[a][v] - s->position[a][w], 2);
            check_above("distance to the post", sqrt(square), 0.008);
        }
    }
    assert_true(behind > 0 && beside[0] > 0 && beside[1] > 0);
    finish(b);
}

/* One pacemaker carries the whole body along; without it nothing moves. */
static void test_pacemaker_demo(void **state)
{
    (void)state;
    double start[3];
    double end[3];
    const bench b = start_demo("pacemaker", true);
    vxe_sim_center_of_mass(b.sim, start);
    run_to(b.sim, 3.0);
    vxe_sim_center_of_mass(b.sim, end);
    check_above("way", end[0] - start[0], 0.015);
    const vxe_energy e = vxe_sim_energy(b.sim);
    check_near("error of the account", e.error / e.actuation_work, 0.0, 0.01);
    finish(b);
}

/* Voxels that are not there stay out of everything. */
static void test_absent(void **state)
{
    (void)state;
    const bench b = start(menagerie(VXE_ELASTICITY_SOLID, 1.0));
    for (int i = 0; i < 20; i++) {
        step(b.sim, 100);
        const vxe_state *s = vxe_sim_state(b.sim);
        double mass = 0.0;
        double sum = 0.0;
        const vxe_model_view *view = vxe_model_get(b.model);
        for (int32_t v = 0; v < view->voxel_count; v++) {
            if (!vxe_sim_present(b.sim, v)) {
                check_near("size", s->growth[v], -1.0, 0.0);
                for (int a = 0; a < 3; a++) check_near("velocity", s->velocity[a][v], 0.0, 0.0);
                continue;
            }
            assert_true(s->growth[v] > -0.95);
            mass += view->voxel_mass[view->material[v]];
            sum += view->voxel_mass[view->material[v]] * s->position[2][v];
        }
        double center[3];
        vxe_sim_center_of_mass(b.sim, center);
        check_near("height of the centre of mass", center[2], sum / mass, 1e-12);
    }
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stick),
        cmocka_unit_test(test_let_go),
        cmocka_unit_test(test_bond_is_a_link),
        cmocka_unit_test(test_remove),
        cmocka_unit_test(test_rest_is_a_body),
        cmocka_unit_test(test_grown_is_a_body),
        cmocka_unit_test(test_impulse),
        cmocka_unit_test(test_network),
        cmocka_unit_test(test_control_account),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_on_ground),
        cmocka_unit_test(test_carry),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_long_account),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_sticking_demo),
        cmocka_unit_test(test_growing_demo),
        cmocka_unit_test(test_pacemaker_demo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
