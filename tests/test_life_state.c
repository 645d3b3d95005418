/* Rules on every machine: the same bits with any number of threads and from a checkpoint anywhere, states
 * that are carried over, the account and the list of pairs through thousands of changes. */
#include "living.h"

#include "sim/collide.h"
#include "sim/life.h"

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
        check_threads(model, variant == 1, RUN / 5);
        vxe_model_destroy(model);
    }
}

/* So many contacts at once that threads share them: a plate falls on another and sticks to it. */
static void test_threads_bond(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 24, 24, 3);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    const int32_t soft = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 24, 24, 1), soft);
    fill(scene, box_of(0, 0, 2, 24, 24, 1), soft);
    vxe_environment e = vxe_default_environment();
    e.collisions = VXE_COLLISIONS_GRID;
    e.floor = true;
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    const vxe_rule_def rule = bond_rule();
    put_rule(scene, &rule);
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    outcome first = {0};
    for (int32_t threads = 1; threads <= 2; threads++) {
        vxe_sim_def sim_def = vxe_default_sim_def();
        sim_def.threads = threads;
        vxe_sim *sim = new_sim(model, &sim_def);
        int64_t most = 0;
        for (int i = 0; i < 1000 && vxe_sim_life(sim).bonded == 0; i++) {
            step(sim, 1);
            if (sim->collider->row_count > most) most = sim->collider->row_count;
        }
        check_well(sim);
        assert_true(most >= 256);
        if (threads == 1) first = outcome_of(sim);
        check_equal(first, outcome_of(sim));
        vxe_sim_destroy(sim);
    }
    assert_true(first.life.bonded > 0);
    vxe_model_destroy(model);
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

/* A bound that would allow longer steps than those in force, with explicit damping, leaves nothing behind
 * that a checkpoint does not have: each time that voxels were supplied, it is read and goes on to the next.
 */
static void test_restart_supply(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.08, 3, 8, 9);
    vxe_material_def def = vxe_default_material_def();
    copy_name(def.name, "muscle");
    const int32_t muscle = put_material(scene, &def);
    fill(scene, box_of(1, 3, 1, 1, 2, 1), muscle);
    fill(scene, box_of(1, 4, 3, 1, 1, 1), muscle);
    def.youngs_modulus *= 3.0; /* unlike links: how much they count depends on the step */
    copy_name(def.name, "bone");
    fill(scene, box_of(1, 4, 4, 1, 1, 1), put_material(scene, &def));
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    e.damping_rotation = 0.004;
    e.gravity[0] = -3.0;
    e.gravity[2] = -3.0;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    (void)snprintf(rule.value, sizeof rule.value, "0.05 * sin(t / 0.12 + x / 0.24)");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_SUPPLY);
    copy_name(rule.other, "muscle");
    rule.cells[0] = 3;
    rule.cells[1] = 8;
    rule.cells[2] = 9;
    put_rule(scene, &rule);
    vxe_sim_def sim_def = vxe_default_sim_def();
    sim_def.bond_damping = VXE_BOND_DAMPING_EXPLICIT;
    const bench whole = start_with(scene, &sim_def);
    vxe_sim *parts = new_sim(whole.model, &sim_def);
    vxe_error error = {VXE_OK, ""};
    int longer = 0;
    for (int looks = 0; looks < 8; looks++) {
        const size_t size = vxe_sim_save_size(whole.sim);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        require(vxe_sim_save(whole.sim, bytes, size, &error), &error);
        require(vxe_sim_load(parts, bytes, size, &error), &error);
        free(bytes);
        const int64_t grown = vxe_sim_life(whole.sim).grown;
        for (int i = 0; i < 50 && vxe_sim_life(whole.sim).grown == grown; i++) {
            step(whole.sim, 10);
            step(parts, 10);
        }
        assert_true(vxe_sim_life(whole.sim).grown > grown);
        check_equal(outcome_of(whole.sim), outcome_of(parts));
        const vxe_time_step first = whole.sim->time_step;
        const vxe_time_step second = parts->time_step;
        assert_true(first.dt == second.dt && first.limit == second.limit);
        assert_true(first.frequency == second.frequency && first.damping == second.damping);
        longer += whole.sim->time_step.dt < 0.999 * sim_def.dt_fraction * whole.sim->time_step.limit;
    }
    assert_true(longer > 0); /* steps that could have been longer, and were not */
    vxe_sim_destroy(parts);
    finish(whole);
}

/* Voxels that find no room: the loops go on with the same state as a checkpoint. */
static void test_restart_no_room(void **state)
{
    (void)state;
    static const char text[] =
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [12, 4, 8]}, "
        "\"materials\": [{\"name\": \"b\"}], \"shapes\": [{\"box\": {\"corner\": [6, 1, 1], "
        "\"size\": [3, 1, 3]}, \"material\": \"b\"}], "
        "\"environment\": {\"gravity\": true, \"collisions\": \"grid\"}, "
        "\"ground\": {\"kind\": \"slope\", \"points\": [40, 40], \"spacing\": 0.02, \"height\": 0, "
        "\"length\": 0.1, \"origin\": [-0.2, -0.2, 0.005]}, "
        "\"rules\": [{\"kind\": \"grow\", \"material\": \"b\", \"other\": \"b\", "
        "\"corner\": [0, 0, 0], \"size\": [12, 4, 8], \"chance\": 0.3, \"every\": 0}]}";
    for (int precision = VXE_PRECISION_DOUBLE; precision <= VXE_PRECISION_SINGLE; precision++) {
        vxe_error wrong = {VXE_OK, ""};
        vxe_scene *scene = NULL;
        require(vxe_scene_parse_json(text, strlen(text), "coral", NULL, &scene, &wrong), &wrong);
        vxe_sim_def sim_def = vxe_default_sim_def();
        sim_def.precision = (vxe_precision)precision;
        const bench whole = start_with(scene, &sim_def);
        vxe_sim *parts = new_sim(whole.model, &sim_def);
        vxe_error error = {VXE_OK, ""};
        for (int looks = 0; looks < 40; looks++) {
            step(whole.sim, 10);
            const size_t size = vxe_sim_save_size(whole.sim);
            unsigned char *bytes = malloc(size);
            assert_non_null(bytes);
            require(vxe_sim_save(whole.sim, bytes, size, &error), &error);
            require(vxe_sim_load(parts, bytes, size, &error), &error);
            free(bytes);
            step(whole.sim, 3);
            step(parts, 3);
            check_equal(outcome_of(whole.sim), outcome_of(parts));
        }
        assert_true(vxe_sim_life(whole.sim).grown > 0);
        vxe_sim_destroy(parts);
        finish(whole);
    }
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

/* A checkpoint that says of a voxel that a rule brought it which there is not, or which may not, is refused.
 */
static void test_growers(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const bench b = start(menagerie(VXE_ELASTICITY_SOLID, 1.0));
    while (vxe_sim_life(b.sim).grown == 0) step(b.sim, 50);
    const vxe_model *m = b.model;
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *other = new_sim(m, &def);
    const size_t size = vxe_sim_save_size(b.sim);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    int32_t grown = 0;
    int32_t own = 0; /* of the scene: no rule brought it */
    while (b.sim->grower[0][grown] == 0) grown++;
    while (m->latent[own] != 0) own++;
    const uint32_t grower = b.sim->grower[0][grown];
    const struct {
        int32_t voxel;
        uint32_t grower;
        bool good;
    } cases[] = {
        {grown, grower, true},
        {grown, 0, true}, /* as one that another scene had of its own */
        {grown, (uint32_t)m->rule_count + 1, false},
        {grown, 0x7fffff00U, false},
        {grown, UINT32_MAX, false},
        {grown, 1, false}, /* it conducts */
        {own, grower, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t before = b.sim->grower[0][cases[i].voxel];
        b.sim->grower[0][cases[i].voxel] = cases[i].grower;
        require(vxe_sim_save(b.sim, bytes, size, &error), &error);
        b.sim->grower[0][cases[i].voxel] = before;
        vxe_sim_reset(other);
        const vxe_result result = vxe_sim_load(other, bytes, size, &error);
        assert_int_equal(result, cases[i].good ? VXE_OK : VXE_ERROR_INPUT);
        if (!cases[i].good) assert_string_equal(error.message, "the checkpoint does not fit this scene");
        vxe_sim *edited = new_sim(m, &def);
        require(vxe_sim_carry(edited, other, &error), &error);
        vxe_sim_destroy(edited);
    }
    free(bytes);
    vxe_sim_destroy(other);
    finish(b);
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

/* Whatever the device: what it cannot follow the host does, with the same bits. */
static void test_device(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = menagerie(VXE_ELASTICITY_SOLID, 1.0);
    vxe_model *model = compile_scene(scene);
    const vxe_device devices[] = {VXE_DEVICE_CPU, VXE_DEVICE_EMULATED, VXE_DEVICE_AUTO};
    uint64_t hashes[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        vxe_sim *sim = NULL;
        def.device = devices[i];
        require(vxe_sim_create(model, &def, &sim, &error), &error);
        step(sim, 400);
        check_well(sim);
        hashes[i] = vxe_sim_hash(sim);
        vxe_sim_destroy(sim);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
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

/* Grown voxels and those of broken links too. */
static void test_list(void **state)
{
    (void)state;
    const bench b = start(menagerie(VXE_ELASTICITY_SOLID, 0.5));
    assert_true(check_list(b.sim, is_quick() ? 300 : 2000) > 0);
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
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_threads_bond), cmocka_unit_test(test_restart),
        cmocka_unit_test(test_on_ground),    cmocka_unit_test(test_carry),
        cmocka_unit_test(test_device),       cmocka_unit_test(test_reset),
        cmocka_unit_test(test_absent),       cmocka_unit_test(test_long_account),
        cmocka_unit_test(test_list),         cmocka_unit_test(test_restart_supply),
        cmocka_unit_test(test_growers),      cmocka_unit_test(test_restart_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
