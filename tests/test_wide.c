/* The wide backends have the same bits as the plain one: random bodies with everything a scene can have,
 * stepped by each instruction set this machine runs. */
#include "backend/cpu/wide.h"
#include "model/model.h"
#include "voxelastic/voxelastic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static double random_part(uint64_t *state) { return (double)random_bits(state) / 2147483648.0; }

/* Shape, fill, materials, elasticity, actuation, supports, loads and collisions all follow from the seed. */
static vxe_model *random_model(uint64_t seed)
{
    uint64_t r = seed * 7919 + 17;
    for (int i = 0; i < 8; i++) (void)random_bits(&r);
    const int32_t nx = 1 + (int32_t)(random_bits(&r) % 13);
    const int32_t ny = 1 + (int32_t)(random_bits(&r) % 9);
    const int32_t nz = 1 + (int32_t)(random_bits(&r) % 9);
    const double fill = seed % 3 == 0 ? 1.0 : 0.4 + 0.6 * random_part(&r);
    vxe_scene *scene = NULL;
    vxe_error error;
    assert_int_equal(vxe_scene_create(0.01, nx, ny, nz, &scene, &error), VXE_OK);
    const int32_t materials = 1 + (int32_t)(random_bits(&r) % 4);
    for (int32_t i = 0; i < materials; i++) {
        vxe_material_def def = vxe_default_material_def();
        def.youngs_modulus *= 1.0 + 9.0 * random_part(&r);
        def.density *= 1.0 + 3.0 * random_part(&r);
        def.poissons_ratio = 0.45 * random_part(&r);
        def.expansion = random_bits(&r) % 2 == 0 ? 0.0 : 0.02 * (random_part(&r) - 0.5);
        if (seed % 5 == 2 && i % 2 == 0) { /* yields soon, and breaks */
            def.law = VXE_LAW_BILINEAR;
            def.expansion = 0.0; /* which would take it far beyond yield within a step */
            def.yield_stress = 1e-3 * def.youngs_modulus;
            def.plastic_modulus = 0.1 * def.youngs_modulus;
            def.failure_stress = 2e-3 * def.youngs_modulus;
        }
        assert_int_equal(vxe_scene_add_material(scene, &def, NULL, &error), VXE_OK);
    }
    for (int32_t k = 0; k < nz; k++) {
        for (int32_t j = 0; j < ny; j++) {
            for (int32_t i = 0; i < nx; i++) {
                const bool here = random_part(&r) < fill || (i == 0 && j == 0 && k == 0);
                const int32_t material = here ? 1 + (int32_t)(random_bits(&r) % (uint64_t)materials) : 0;
                assert_int_equal(vxe_scene_set_voxel(scene, i, j, k, material, &error), VXE_OK);
            }
        }
    }
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 20.0;
    signal.period = 0.02;
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, &error), VXE_OK);
    vxe_region_def region = vxe_default_region_def();
    region.name[0] = 'a';
    region.shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {0.2, 1.0, 0.5}};
    if (seed % 3 != 2) { /* some degrees of freedom, in any mixture */
        region.fixed = seed % 3 == 0 ? VXE_DOF_ALL : (uint32_t)(1 + seed * 11 % 62);
    } else {
        region.force[0] = 0.01;
        region.torque[2] = 1e-4;
    }
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, &error), VXE_OK);
    vxe_environment e = vxe_default_environment();
    e.elasticity = random_bits(&r) % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    e.gravity[2] = -9.81;
    e.floor = random_bits(&r) % 3 != 0;
    e.damping_ground = random_bits(&r) % 2 == 0 ? 0.0 : 0.01;
    e.damping_rotation = random_part(&r);
    e.damping_turning = seed % 3 == 0 ? 24.5 : 1.0;
    e.links_unbalanced = seed % 8 < 4 && seed / 8 % 3 == 1; /* where damping is explicit anyway */
    e.plane = seed % 7 == 3 ? VXE_PLANE_XZ : VXE_PLANE_NONE;
    e.collisions = random_bits(&r) % 2 == 0 ? VXE_COLLISIONS_OFF : VXE_COLLISIONS_GRID;
    e.collision_distance = seed % 5 == 1 ? 1.5 : 1.0;
    e.collision_smooth = seed % 5 == 2;
    if (e.plane != VXE_PLANE_NONE) {
        region.torque[2] = 0.0;
        assert_int_equal(vxe_scene_set_region(scene, 0, &region, &error), VXE_OK);
    }
    assert_int_equal(vxe_scene_set_environment(scene, &e, &error), VXE_OK);
    if (!e.floor && seed % 2 == 1) {
        vxe_ground_def ground = vxe_default_ground_def();
        ground.kind = VXE_GROUND_ROUGH;
        ground.points[0] = ground.points[1] = 41;
        ground.spacing = 0.01;
        ground.origin[0] = ground.origin[1] = -0.15;
        ground.origin[2] = -0.0005;
        ground.height = 0.0005;
        ground.length = 0.03;
        if (vxe_scene_set_ground(scene, &ground, &error) != VXE_OK) fail_msg("%s", error.message);
    }
    vxe_model *model = NULL;
    if (vxe_compile(scene, &model, &error) != VXE_OK) fail_msg("seed %d: %s", (int)seed, error.message);
    vxe_scene_destroy(scene);
    return model;
}

static int64_t failures[2]; /* links that broke and yielded in all runs: so that this too was tried */

/* Runs so far with explicit and implicit bond damping, of `beam` and `solid`, in double and single. */
static int kinds[2][2][2];

/* Runs so far that touched ground at their end. */
static int grounded;

/* Wide runs so far whose links were taken by blocks and from lists. */
static int ways[2];

/* Runs so far that took all of a step in one sweep, of bodies longer than what that has under way. */
static int swept;

static uint64_t run(const vxe_model *model, vxe_precision precision, vxe_isa isa, vxe_bond_damping damping,
                    bool audit, int64_t steps, vxe_energy *energy)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = precision;
    def.isa = isa;
    def.audit = audit;
    def.bond_damping = damping;
    vxe_sim *sim = NULL;
    vxe_error error;
    if (vxe_sim_create(model, &def, &sim, &error) != VXE_OK) return 0; /* this machine does not have it */
    if (vxe_sim_step(sim, steps, NULL) != VXE_OK)
        fail_msg("%s: %s", vxe_sim_isa(sim), vxe_sim_status(sim)->message);
    const uint64_t hash = vxe_sim_hash(sim);
    if (sim->cpu->plan != NULL) ways[sim->cpu->plan->listed ? 1 : 0]++;
    if (sim->cpu->whole && 2 * vxe_parts_behind(sim) < sim->model->view.voxel_count) swept++;
    int64_t broken = 0;
    int64_t yielded = 0;
    vxe_sim_failures(sim, &broken, &yielded);
    failures[0] += broken;
    failures[1] += yielded;
    int64_t contacts = 0;
    vxe_sim_contacts(sim, &contacts, NULL);
    grounded += sim->ground != NULL && contacts > 0;
    *energy = vxe_sim_energy(sim);
    vxe_sim_destroy(sim);
    return hash;
}

static bool is_solid(const vxe_model *model) { return model->environment.elasticity == VXE_ELASTICITY_SOLID; }

static void test_same_bits(void **state)
{
    (void)state;
    const char *quick = getenv("VXE_QUICK");
    const uint64_t scenes = quick != NULL ? 12 : 60;
    const vxe_isa sets[] = {VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512};
    int compared[3] = {0, 0, 0};
    for (uint64_t seed = 0; seed < scenes; seed++) {
        vxe_model *model = random_model(seed);
        const vxe_precision precision = seed % 4 == 3 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
        const vxe_bond_damping damping =
            seed / 4 % 2 == 0 ? VXE_BOND_DAMPING_EXPLICIT : VXE_BOND_DAMPING_IMPLICIT;
        kinds[damping == VXE_BOND_DAMPING_IMPLICIT][is_solid(model)][precision == VXE_PRECISION_SINGLE]++;
        vxe_energy plain;
        const uint64_t expected = run(model, precision, VXE_ISA_PLAIN, damping, true, 300, &plain);
        for (int i = 0; i < 3; i++) {
            for (int audit = 0; audit < 2; audit++) {
                vxe_energy energy;
                const uint64_t hash = run(model, precision, sets[i], damping, audit != 0, 300, &energy);
                if (hash == 0) continue;
                if (hash != expected)
                    fail_msg("seed %d, isa %d, audit %d: the state differs", (int)seed, (int)sets[i], audit);
                compared[i]++;
                if (audit == 0) continue;
                /* the account too is summed in the same order */
                assert_true(energy.kinetic == plain.kinetic && energy.elastic == plain.elastic &&
                            energy.dissipated == plain.dissipated && energy.error == plain.error);
            }
        }
        vxe_model_destroy(model);
    }
    print_message("    same bits as plain: portable %d, avx2 %d, avx512 %d runs\n", compared[0], compared[1],
                  compared[2]);
    assert_int_equal(compared[0], 2 * (int)scenes);
    assert_true(failures[0] > 0 && failures[1] > 0);
    assert_true(ways[0] > 0 && ways[1] > 0);
    assert_true(grounded > 0);
    for (int i = 0; i < 8 && quick == NULL; i++) assert_true(kinds[i / 4][i / 2 % 2][i % 2] > 0);
}

/* Every demo scene, in double and in single. */
static void test_demo_scenes(void **state)
{
    (void)state;
    static const char *const names[] = {"ball",   "cantilever", "clapper", "cloth",    "gradient",
                                        "kicker", "quadruped",  "walker",  "gripper",  "swimmer",
                                        "pin",    "sticking",   "growing", "pacemaker"};
    const int64_t steps = getenv("VXE_QUICK") != NULL ? 20 : 200;
    for (size_t s = 0; s < sizeof names / sizeof names[0]; s++) {
        char path[1024];
        vxe_scene *scene = NULL;
        vxe_model *model = NULL;
        vxe_error error;
        (void)snprintf(path, sizeof path, "%s/scenes/%s.json", VXE_SOURCE_DIR, names[s]);
        assert_int_equal(vxe_scene_load_json(path, &scene, &error), VXE_OK);
        assert_int_equal(vxe_compile(scene, &model, &error), VXE_OK);
        vxe_scene_destroy(scene);
        for (int kind = 0; kind < 4; kind++) {
            const int single = kind % 2;
            const vxe_bond_damping damping = kind < 2 ? VXE_BOND_DAMPING_EXPLICIT : VXE_BOND_DAMPING_IMPLICIT;
            const vxe_precision precision = single != 0 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
            vxe_energy energy;
            const uint64_t expected = run(model, precision, VXE_ISA_PLAIN, damping, false, steps, &energy);
            for (vxe_isa isa = VXE_ISA_PORTABLE; isa <= VXE_ISA_AVX512; isa++) {
                const uint64_t hash = run(model, precision, isa, damping, false, steps, &energy);
                if (hash != 0 && hash != expected)
                    fail_msg("%s, isa %d, single %d, implicit %d: the state differs", names[s], (int)isa,
                             single, kind / 2);
            }
        }
        vxe_model_destroy(model);
    }
}

/* A block that is longer than what one sweep of links, damping and motion has under way, held at one end; or
 * with a weak layer, which breaks. */
static vxe_model *long_model(bool breaks)
{
    enum { LENGTH = 16, WIDTH = 8, HEIGHT = 80 };
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_error error;
    assert_int_equal(vxe_scene_create(0.01, LENGTH, WIDTH, HEIGHT, &scene, &error), VXE_OK);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = breaks ? 0.0 : 0.01;
    assert_int_equal(vxe_scene_add_material(scene, &def, NULL, &error), VXE_OK);
    if (breaks) def.failure_stress = 1e-3 * def.youngs_modulus;
    assert_int_equal(vxe_scene_add_material(scene, &def, NULL, &error), VXE_OK);
    for (int32_t k = 0; k < HEIGHT; k++) {
        for (int32_t j = 0; j < WIDTH; j++) {
            for (int32_t i = 0; i < LENGTH; i++) {
                const int32_t material = k % 16 == 3 ? 2 : 1;
                assert_int_equal(vxe_scene_set_voxel(scene, i, j, k, material, &error), VXE_OK);
            }
        }
    }
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 20.0;
    signal.period = 0.02;
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, &error), VXE_OK);
    vxe_region_def region = vxe_default_region_def();
    region.name[0] = 'a';
    region.shape = (vxe_shape){.kind = VXE_SHAPE_BOX,
                               .units = VXE_UNITS_VOXELS,
                               .corner = {2, 0, HEIGHT - 1},
                               .sides = {5, WIDTH, 1}};
    region.fixed = breaks ? VXE_DOF_ALL : VXE_DOF_X;
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, &error), VXE_OK);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = breaks ? -500.0 : -50.0; /* away from the end that is held, or onto the floor */
    e.floor = !breaks;
    assert_int_equal(vxe_scene_set_environment(scene, &e, &error), VXE_OK);
    if (vxe_compile(scene, &model, &error) != VXE_OK) fail_msg("%s", error.message);
    vxe_scene_destroy(scene);
    return model;
}

static void test_one_sweep(void **state)
{
    (void)state;
    const vxe_isa sets[] = {VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512};
    for (int kind = 0; kind < 4; kind++) {
        vxe_model *model = long_model(kind % 2 != 0);
        const vxe_precision precision = kind / 2 == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        const int64_t broken = failures[0];
        const int before = swept;
        vxe_energy plain;
        const uint64_t expected =
            run(model, precision, VXE_ISA_PLAIN, VXE_BOND_DAMPING_IMPLICIT, true, 70, &plain);
        if (kind % 2 != 0) assert_true(failures[0] > broken);
        for (int i = 0; i < 3; i++) {
            for (int audit = 0; audit < 2; audit++) {
                vxe_energy energy;
                const uint64_t hash =
                    run(model, precision, sets[i], VXE_BOND_DAMPING_IMPLICIT, audit != 0, 70, &energy);
                if (hash == 0) continue;
                assert_true(hash == expected);
                if (audit == 0) continue;
                assert_true(energy.kinetic == plain.kinetic && energy.elastic == plain.elastic &&
                            energy.dissipated == plain.dissipated && energy.error == plain.error);
            }
        }
        assert_true(swept > before);
        vxe_model_destroy(model);
    }
}

/* What is asked for is used, or refused. */
static void test_choice(void **state)
{
    (void)state;
    vxe_model *model = random_model(3);
    vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = NULL;
    vxe_error error;
    def.isa = VXE_ISA_PORTABLE;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_OK);
    assert_string_equal(vxe_sim_isa(sim), "portable");
    vxe_sim_destroy(sim);
    def.isa = (vxe_isa)99;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "this machine does not have the instructions asked for (isa 99)");
    vxe_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_demo_scenes),
                                       cmocka_unit_test(test_one_sweep), cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
