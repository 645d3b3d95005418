/* Rules in scenes with rigid parts: what voxels of a part cannot do is refused; all else goes on around them,
 * with the same bits on every machine, with any number of threads, and from a checkpoint anywhere. */
#include "living.h"

#include "sim/life.h"

static void set_text(char *to, size_t size, const char *text) { (void)snprintf(to, size, "%s", text); }

/* The menagerie with bones: in the block on the floor, and in the one that falls on it, on which buds grow.
 */
static vxe_scene *bony(vxe_elasticity elasticity, double bond_damping, int32_t columns, int32_t rows)
{
    vxe_scene *scene = menageries(elasticity, bond_damping, columns, rows);
    vxe_error error = {VXE_OK, ""};
    vxe_rule_def size =
        *vxe_scene_rule(scene, 3); /* where it follows pressure so fast, light damping lets it pump */
    assert_int_equal(size.kind, VXE_RULE_SIZE);
    set_text(size.value, sizeof size.value, "1 + pressure / 1e5");
    require(vxe_scene_set_rule(scene, 3, &size, &error), &error);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e6;
    def.rigid = true;
    copy_name(def.name, "bone");
    const int32_t bone = put_material(scene, &def);
    for (int32_t i = 0; i < columns * rows; i++) {
        const int32_t x = i % columns * 10;
        const int32_t y = i / columns * 5;
        fill(scene, box_of(x + 2, y, 0, 1, 3, 2), bone);
        fill(scene, box_of(x + 3, y + 1, 0, 1, 1, 1), bone);
        fill(scene, box_of(x + 2, y + 1, 5, 2, 1, 1), bone);
    }
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    copy_name(rule.material, "bone");
    rule.delay = 0.001;
    rule.refractory = 0.004;
    rule.fade_every = 0.001;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    copy_name(rule.material, "bone");
    copy_name(rule.other, "bud");
    rule.corner[2] = 2;
    rule.cells[0] = 10 * columns;
    rule.cells[1] = 5 * rows;
    rule.cells[2] = 1;
    rule.begin = 0.02;
    rule.every = 0.005;
    rule.chance = 0.2;
    put_rule(scene, &rule);
    rule = bond_rule();
    copy_name(rule.material, "bone");
    copy_name(rule.other, "bud");
    rule.stress = 1e4;
    rule.rest = 0.002;
    put_rule(scene, &rule);
    return scene;
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------ */

static vxe_scene *half_rigid(void)
{
    vxe_scene *scene = new_scene(0.01, 6, 2, 2);
    vxe_material_def def = vxe_default_material_def();
    copy_name(def.name, "soft");
    const int32_t soft = put_material(scene, &def);
    def.rigid = true;
    copy_name(def.name, "bone");
    const int32_t bone = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 2, 1, 1), soft);
    fill(scene, box_of(2, 0, 0, 2, 1, 1), bone);
    vxe_region_def region = region_of("left", box_of(0, 0, 0, 2, 1, 1));
    put_region(scene, &region);
    vxe_environment e = vxe_default_environment();
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

/* What compiling says to one rule; "": it takes it. */
static void check_rule_said(vxe_rule_def rule, const char *expected)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = half_rigid();
    vxe_model *model = NULL;
    put_rule(scene, &rule);
    const vxe_result result = vxe_compile(scene, &model, &error);
    if (expected[0] == '\0') {
        require(result, &error);
    } else {
        assert_int_equal(result, VXE_ERROR_INPUT);
        assert_null(model);
        assert_string_equal(error.message, expected);
    }
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

static void test_refused(void **state)
{
    (void)state;
    vxe_rule_def rule = bond_rule();
    check_rule_said(rule, "");
    rule = vxe_default_rule_def(VXE_RULE_CUT);
    copy_name(rule.name, "axe");
    check_rule_said(rule,
                    "rule \"axe\" acts on rigid voxels, which cannot come apart: name a soft material, or "
                    "a region without them");
    rule = vxe_default_rule_def(VXE_RULE_BECOME);
    copy_name(rule.other, "soft");
    check_rule_said(rule,
                    "rule 0 of kind become acts on rigid voxels, which cannot become another material: name "
                    "a soft material, or a region without them");
    copy_name(rule.material, "soft");
    copy_name(rule.other, "bone");
    check_rule_said(rule, "rule 0 of kind become: voxels cannot become rigid or fixed");
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    check_rule_said(rule, "rule 0 of kind remove acts on rigid voxels, which cannot disappear: name a soft "
                          "material, or a region without them");
    copy_name(rule.region, "left");
    check_rule_said(rule, "");
    rule = vxe_default_rule_def(VXE_RULE_SIZE);
    set_text(rule.value, sizeof rule.value, "1");
    check_rule_said(rule,
                    "rule 0 of kind size acts on rigid voxels, which cannot change their size: name a soft "
                    "material, or a region without them");
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    set_text(rule.value, sizeof rule.value, "t");
    copy_name(rule.material, "bone");
    check_rule_said(rule,
                    "rule 0 of kind control acts on rigid voxels, which cannot change their size: name a "
                    "soft material, or a region without them");
    rule.output = VXE_OUTPUT_IMPULSE;
    check_rule_said(rule, "");
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    rule.corner[0] = 4;
    rule.cells[0] = 2;
    rule.cells[1] = rule.cells[2] = 1;
    copy_name(rule.other, "bone");
    check_rule_said(rule, "rule 0 of kind grow: what grows cannot be rigid: name a soft material as other");
    copy_name(rule.other, "soft");
    copy_name(rule.material, "bone");
    check_rule_said(rule, "");
    check_rule_said(vxe_default_rule_def(VXE_RULE_CONDUCT), "");
    check_rule_said(vxe_default_rule_def(VXE_RULE_PACE), "");
}

/* ---- what goes on --------------------------------------------------------------------------------------------------------- */

/* An impulse goes through a rigid part. */
static void test_impulse(void **state)
{
    (void)state;
    vxe_scene *scene = half_rigid();
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    rule.delay = 0.01;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_PACE);
    rule.period = 10.0;
    copy_name(rule.region, "left");
    set_text(rule.when, sizeof rule.when, "x < 0.01");
    put_rule(scene, &rule);
    fill(scene, box_of(4, 0, 0, 1, 1, 1), 1);
    const bench b = start(scene);
    const vxe_stop before = {.time = 0.025};
    (void)vxe_sim_run(b.sim, &before, INT64_MAX);
    check_above("impulse in the part", vxe_sim_impulse(b.sim, voxel_at(b.sim, 3, 0, 0)), 0.1);
    check_near("impulse beyond it", vxe_sim_impulse(b.sim, voxel_at(b.sim, 4, 0, 0)), 0.0, 0.0);
    const vxe_stop after = {.time = 0.035};
    (void)vxe_sim_run(b.sim, &after, INT64_MAX);
    check_above("impulse beyond the part", vxe_sim_impulse(b.sim, voxel_at(b.sim, 4, 0, 0)), 0.1);
    finish(b);
}

/* Two blocks with bones in them meet and stick: both momenta stay what they were. */
static void test_momentum(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        vxe_scene *scene = two_blocks(variant % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM,
                                      variant < 2 ? 0.1 : 1.0);
        vxe_material_def def = vxe_default_material_def();
        def.rigid = true;
        copy_name(def.name, "bone");
        const int32_t bone = put_material(scene, &def);
        fill(scene, box_of(0, 0, 0, 2, 3, 3), bone);
        fill(scene, box_of(6, 2, 2, 1, 1, 1), bone);
        vxe_rule_def rule = bond_rule();
        copy_name(rule.material, "glue");
        put_rule(scene, &rule);
        vxe_sim_def sim_def = vxe_default_sim_def();
        sim_def.audit = true;
        const bench b = start_with(scene, &sim_def);
        fly_together(b.sim, 0.2);
        step(b.sim, 1);
        check_flight(b.sim, is_quick() ? 3000 : 20000, 1e-11, 1e-9);
        assert_true(vxe_sim_life(b.sim).bonds >= 4);
        check_near("error of the account", vxe_sim_energy(b.sim).error / (27 * 1e-6 * 1000 * 0.04), 0.0,
                   0.01);
        finish(b);
    }
}

/* ---- bones that stick ----------------------------------------------------------------------------------------------------- */

/* A rigid block meets a soft one, or another rigid one: they stick, both momenta stay, and the account
 * balances. */
static void test_bones_stick(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        vxe_scene *scene =
            two_blocks(variant % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, variant < 2   ? 0.0
                                                                                      : variant < 4 ? 0.1
                                                                                                    : 1.0);
        make_rigid(scene, box_of(0, 0, 0, 3, 3, 3));
        if (variant % 3 != 0) make_rigid(scene, box_of(5, 1, 1, 3, 3, 3));
        vxe_rule_def rule = bond_rule();
        put_rule(scene, &rule);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        const bench b = start_with(scene, &def);
        fly_together(b.sim, 0.2);
        step(b.sim, 1);
        /* undamped ones take shorter steps, and round-off adds up step by step */
        check_flight(b.sim, is_quick() ? 3000 : variant < 2 ? 10000 : 20000, 1e-11, 1e-9);
        const vxe_life life = vxe_sim_life(b.sim);
        assert_true(life.bonds >= 4);
        assert_int_equal(life.released, 0);
        /* they move as one: the middle of both stays as far away */
        const vxe_state *s = vxe_sim_state(b.sim);
        const vxe_model_view *view = vxe_model_get(b.model);
        double apart[3] = {0.0, 0.0, 0.0};
        for (int32_t v = 0; v < view->voxel_count; v++) {
            for (int a = 0; a < 3; a++)
                apart[a] += (view->cell[0][v] < 4 ? -1.0 : 1.0) * s->position[a][v] / 27;
        }
        check_near("distance of the blocks", length3(apart), 0.033, 0.003);
        check_near("error of the account", vxe_sim_energy(b.sim).error / (27 * 1e-6 * 1000 * 0.04), 0.0,
                   0.01);
        finish(b);
    }
}

/* A soft rod that is bonded to a rigid block is as stiff as one that is joined to it. */
static void test_bond_is_a_joint(void **state)
{
    (void)state;
    check_bonded_rod(true);
}

/* ---- bits ----------------------------------------------------------------------------------------------------------------- */

#define RUN 2000

static void test_same_bits(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        const vxe_elasticity elasticity = variant % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
        outcome first = {0};
        vxe_scene *scene = bony(elasticity, variant % 3 == 0 ? 0.1 : 1.0, 1, 1);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        double error = 0.0;
        int on_bones = 0;
        for (int isa = VXE_ISA_PLAIN; isa <= VXE_ISA_AVX512; isa++) {
            vxe_sim_def def = vxe_default_sim_def();
            def.audit = variant >= 2;
            def.precision = variant == 4 || variant == 5 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
            def.isa = (vxe_isa)isa;
            vxe_sim *sim = NULL;
            if (vxe_sim_create(model, &def, &sim, NULL) != VXE_OK) continue;
            step(sim, is_quick() ? RUN / 4 : RUN);
            check_well(sim);
            if (isa == VXE_ISA_PLAIN) first = outcome_of(sim);
            check_equal(first, outcome_of(sim));
            for (int32_t v = 0; v < vxe_model_get(model)->voxel_count; v++) /* only bones grow there */
                on_bones += vxe_model_get(model)->cell[2][v] == 2 && vxe_sim_present(sim, v);
            if (def.audit) error = fabs(vxe_sim_energy(sim).error) / sim->account.scale;
            vxe_sim_destroy(sim);
        }
        print_message("    %lld grown, %lld removed, %lld bonded, %lld released; error of the account %.1e\n",
                      (long long)first.life.grown, (long long)first.life.removed,
                      (long long)first.life.bonded, (long long)first.life.released, error);
        check_below("error of the account", error, 0.01);
        assert_true(is_quick() || (first.life.grown > 0 && first.life.removed > 0 && first.life.bonded > 0));
        assert_true(is_quick() || on_bones > 0);
        vxe_model_destroy(model);
    }
}

static void test_threads(void **state)
{
    (void)state;
    vxe_scene *scene = bony(VXE_ELASTICITY_SOLID, 1.0, 2, 4);
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    check_threads(model, true, RUN / 5);
    vxe_model_destroy(model);
}

/* In the middle of changes; the one that goes on does so on another machine. */
static void test_restart(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench whole = start_with(bony(VXE_ELASTICITY_SOLID, 1.0, 1, 1), &def);
    def.isa = VXE_ISA_PLAIN;
    const bench other = start_with(bony(VXE_ELASTICITY_SOLID, 1.0, 1, 1), &def);
    vxe_error error = {VXE_OK, ""};
    for (int i = 0; i < (is_quick() ? 5 : 40); i++) {
        step(whole.sim, 50);
        const size_t size = vxe_sim_save_size(whole.sim);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        require(vxe_sim_save(whole.sim, bytes, size, &error), &error);
        require(vxe_sim_load(other.sim, bytes, size, &error), &error);
        free(bytes);
        check_equal(outcome_of(whole.sim), outcome_of(other.sim));
        step(whole.sim, 30);
        step(other.sim, 30);
        check_equal(outcome_of(whole.sim), outcome_of(other.sim));
    }
    const vxe_life life = vxe_sim_life(whole.sim);
    assert_true(is_quick() || (life.grown > 0 && life.removed > 0 && life.bonded > 0));
    finish(whole);
    finish(other);
}

/* Bones, voxels that grow on them, links that are cut: whoever touches is on the list. */
static void test_list(void **state)
{
    (void)state;
    vxe_scene *scene = bony(VXE_ELASTICITY_SOLID, 0.5, 1, 1);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CUT);
    copy_name(rule.material, "bud");
    rule.begin = 0.025;
    rule.every = 0.003;
    rule.chance = 0.05;
    put_rule(scene, &rule);
    const bench b = start(scene);
    const int64_t found = check_list(b.sim, is_quick() ? 300 : 2000);
    const vxe_life life = vxe_sim_life(b.sim);
    int64_t broken = 0;
    vxe_sim_failures(b.sim, &broken, NULL);
    print_message("    %lld contacts, all on the list; %lld grown, %lld removed, %lld links broken\n",
                  (long long)found, (long long)life.grown, (long long)life.removed, (long long)broken);
    assert_true(found > 0);
    assert_true(is_quick() || (life.grown > 0 && life.removed > 0 && broken > 0));
    finish(b);
}

/* Two blocks with bones hop on each other, stick and let go by impulses, while buds grow on the bones and
 * fall off: 10^5 steps. */
static vxe_scene *hoppers(void)
{
    vxe_scene *scene = new_scene(0.01, 4, 4, 8);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "glue");
    fill(scene, box_of(1, 1, 0, 2, 2, 2), put_material(scene, &def));
    fill(scene, box_of(1, 1, 3, 2, 2, 2), 1);
    copy_name(def.name, "bud");
    (void)put_material(scene, &def);
    make_rigid(scene, box_of(1, 1, 0, 2, 1, 1));
    make_rigid(scene, box_of(1, 1, 4, 2, 2, 1));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.0);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    rule.delay = 0.001;
    rule.refractory = 0.005;
    rule.fade_every = 0.001;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_PACE);
    copy_name(rule.material, "glue");
    rule.period = 0.06;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    copy_name(rule.material, "glue");
    set_text(rule.value, sizeof rule.value, "0.15 * impulse");
    rule.rate = 20.0;
    put_rule(scene, &rule);
    rule = bond_rule();
    copy_name(rule.material, "glue");
    rule.stress = 5e3;
    rule.rest = 0.002;
    set_text(rule.release, sizeof rule.release, "impulse > 0.95");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    copy_name(rule.material, "bone");
    copy_name(rule.other, "bud");
    rule.corner[2] = 4;
    rule.cells[0] = rule.cells[1] = 4;
    rule.cells[2] = 2;
    rule.every = 0.02;
    rule.chance = 0.1;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    copy_name(rule.material, "bud");
    rule.every = 0.03;
    rule.chance = 0.2;
    put_rule(scene, &rule);
    return scene;
}

static void test_long_account(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    const bench b = start_with(hoppers(), &def);
    const int64_t steps = is_quick() ? 5000 : 100000;
    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        step(b.sim, steps / 100);
        /* what passed is from the last look of the account: before the first ones, what there is counts */
        const vxe_energy e = vxe_sim_energy(b.sim);
        worst = fmax(worst, fabs(e.error) / fmax(b.sim->account.scale, e.kinetic + e.elastic));
    }
    check_well(b.sim);
    const vxe_life life = vxe_sim_life(b.sim);
    print_message(
        "    %lld steps: %lld grown, %lld removed, %lld bonded, %lld released; largest error %.1e of "
        "what passed\n",
        (long long)steps, (long long)life.grown, (long long)life.removed, (long long)life.bonded,
        (long long)life.released, worst);
    check_below("error of the account over what passed", worst, 0.01);
    assert_true(is_quick() ||
                (life.grown > 50 && life.removed > 50 && life.bonded > 50 && life.released > 50));
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_impulse),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_bones_stick),
        cmocka_unit_test(test_bond_is_a_joint),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_long_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
