/* Results do not depend on the number of threads, in one simulation or over many; and what is asked for is
 * used or refused. */
#include "backend/cpu/wide.h"
#include "sim/islands.h"
#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Materials side by side, holes, actuation, a floor, friction, collisions. */
static vxe_model *body_with(double holes, int32_t nx, int32_t ny, int32_t nz, vxe_elasticity elasticity,
                            double bond)
{
    vxe_scene *scene = new_scene(0.01, nx, ny, nz + 2);
    vxe_material_def soft = vxe_default_material_def();
    soft.expansion = 0.01;
    const int32_t first = put_material(scene, &soft);
    vxe_material_def hard = vxe_default_material_def();
    hard.youngs_modulus *= 4.0;
    hard.density *= 1.5;
    const int32_t second = put_material(scene, &hard);
    rng r = {5};
    vxe_error error;
    for (int32_t k = 0; k < nz; k++) {
        for (int32_t j = 0; j < ny; j++) {
            for (int32_t i = 0; i < nx; i++) {
                const double part = rng_between(&r, 0.0, 1.0);
                const int32_t material = part < holes ? 0 : part < 0.6 ? first : second;
                assert_int_equal(vxe_scene_set_voxel(scene, i, j, k, material, &error), VXE_OK);
            }
        }
    }
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 2.0; /* at 10 a weakly damped body shakes itself to pieces after 2800 steps */
    signal.period = 0.01;
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, &error), VXE_OK);
    vxe_environment e = environment_of(elasticity, bond, 0.001);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    vxe_model *model = NULL;
    if (vxe_compile(scene, &model, &error) != VXE_OK) fail_msg("%s", error.message);
    vxe_scene_destroy(scene);
    return model;
}

static vxe_model *lively_body(int32_t nx, int32_t ny, int32_t nz, vxe_elasticity elasticity, double bond)
{
    return body_with(0.1, nx, ny, nz, elasticity, bond);
}

/* Columns of blocks that fall on each other and the floor: enough contacts for several threads, in islands.
 */
static vxe_model *falling_blocks(void)
{
    enum { COLUMNS = 8, BLOCKS = 5, SIDE = 2, GAP = 1, APART = 2 };
    vxe_scene *scene =
        new_scene(0.01, COLUMNS * (SIDE + APART), COLUMNS * (SIDE + APART), BLOCKS * (SIDE + GAP));
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    const int32_t material = put_material(scene, &def);
    for (int b = 0; b < COLUMNS * COLUMNS * BLOCKS; b++) {
        fill(scene,
             box_of(b % COLUMNS * (SIDE + APART), b / COLUMNS % COLUMNS * (SIDE + APART),
                    b / (COLUMNS * COLUMNS) * (SIDE + GAP), SIDE, SIDE, SIDE),
             material);
    }
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.3, 0.01);
    e.gravity[0] = 1.0;
    e.gravity[2] = -50.0;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    vxe_error error;
    vxe_model *model = NULL;
    if (vxe_compile(scene, &model, &error) != VXE_OK) fail_msg("%s", error.message);
    vxe_scene_destroy(scene);
    return model;
}

/* ThreadSanitizer does not see accesses of more than 16 bytes: under it the narrow vectors are used. */
#if defined(__SANITIZE_THREAD__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0
#endif

static uint64_t run(const vxe_model *model, int32_t threads, vxe_precision precision, bool audit,
                    int64_t steps, int32_t *used, int64_t *landed)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.threads = threads;
    def.precision = precision;
    def.audit = audit;
    if (WATCHED) def.isa = VXE_ISA_PORTABLE;
    vxe_sim *sim = NULL;
    vxe_error error;
    if (vxe_sim_create(model, &def, &sim, &error) != VXE_OK) fail_msg("%s", error.message);
    for (int64_t done = 0; done < steps; done += 5) {
        int64_t now = 0;
        if (vxe_sim_step(sim, steps - done < 5 ? steps - done : 5, NULL) != VXE_OK)
            fail_msg("%s", vxe_sim_status(sim)->message);
        vxe_sim_contacts(sim, &now, NULL);
        *landed += now;
    }
    const uint64_t hash = vxe_sim_hash(sim);
    *used = vxe_sim_threads(sim);
    vxe_sim_destroy(sim);
    return hash;
}

static void compare(const char *name, vxe_model *model, vxe_precision precision, bool audit, int64_t steps)
{
    static const int32_t counts[] = {2, 3, 8};
    int32_t used = 0;
    int64_t landed = 0;
    const uint64_t expected = run(model, 1, precision, audit, steps, &used, &landed);
    assert_int_equal(used, 1);
    assert_true(is_quick() || landed > 0); /* the floor was part of it */
    int32_t most = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint64_t hash = run(model, counts[i], precision, audit, steps, &used, &landed);
        if (hash != expected) fail_msg("%s: %d threads give another state", name, (int)counts[i]);
        if (used > most) most = used;
    }
    print_message("    %s, %lld steps: the same for 1, 2, 3 and up to %d threads\n", name, (long long)steps,
                  (int)most);
    vxe_model_destroy(model);
}

static int64_t steps_of(int64_t usual) { return is_soak() ? 10000 : is_quick() ? usual / 10 : usual; }

/* Bond damping of ratio 0.2 is a force, of ratio 1 implicit. */
static void test_same_bits(void **state)
{
    (void)state;
    compare("cube, beam", lively_body(16, 16, 16, VXE_ELASTICITY_BEAM, 0.2), VXE_PRECISION_DOUBLE, false,
            steps_of(250));
    compare("cube, beam, implicit", lively_body(16, 16, 16, VXE_ELASTICITY_BEAM, 1.0), VXE_PRECISION_DOUBLE,
            false, steps_of(250));
    compare("cube, solid, account", lively_body(14, 13, 15, VXE_ELASTICITY_SOLID, 1.0), VXE_PRECISION_DOUBLE,
            true, steps_of(200));
    /* a plane that is larger than a thread's part, and rows shorter than a vector */
    compare("plate", lively_body(40, 50, 2, VXE_ELASTICITY_SOLID, 0.2), VXE_PRECISION_DOUBLE, false,
            steps_of(200));
    compare("plate, implicit", lively_body(40, 50, 2, VXE_ELASTICITY_SOLID, 1.0), VXE_PRECISION_DOUBLE, false,
            steps_of(200));
    compare("column", lively_body(3, 2, 700, VXE_ELASTICITY_BEAM, 1.0), VXE_PRECISION_DOUBLE, true,
            steps_of(200));
    /* without holes: blocks of the lattice, whose threads meet in whole layers, instead of lists */
    compare("full cube, account", body_with(0.0, 16, 16, 16, VXE_ELASTICITY_SOLID, 0.2), VXE_PRECISION_DOUBLE,
            true, steps_of(150));
    compare("full cube, implicit, account", body_with(0.0, 17, 13, 16, VXE_ELASTICITY_SOLID, 1.0),
            VXE_PRECISION_DOUBLE, true, steps_of(150));
    compare("full plate", body_with(0.0, 41, 50, 2, VXE_ELASTICITY_SOLID, 0.2), VXE_PRECISION_SINGLE, true,
            steps_of(150));
    compare("cube, single", lively_body(16, 16, 16, VXE_ELASTICITY_SOLID, 1.0), VXE_PRECISION_SINGLE, false,
            steps_of(200));
    compare("cube, fast", lively_body(16, 16, 16, VXE_ELASTICITY_SOLID, 0.2), VXE_PRECISION_FAST, true,
            steps_of(150)); /* one thread, whatever is asked for */
}

/* Lists of pairs, and contacts: islands of them on threads of their own. */
static void test_contacts(void **state)
{
    (void)state;
    vxe_model *model = falling_blocks();
    vxe_sim_def def = vxe_default_sim_def();
    def.threads = 2;
    vxe_sim *sim = NULL;
    vxe_error error;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_OK);
    int shared = 0; /* steps whose contacts two threads solve: or nothing would be compared here */
    for (int i = 0; i < 300; i++) {
        assert_int_equal(vxe_sim_step(sim, 1, &error), VXE_OK);
        shared += vxe_islands_found(sim).parts == 2;
    }
    assert_true(shared > 30);
    vxe_sim_destroy(sim);
    compare("falling blocks", model, VXE_PRECISION_DOUBLE, true, steps_of(400));
}

/* What two threads compute of the same, at sixteen parts of a cube, each of less than three layers. */
static void test_twice(void **state)
{
    (void)state;
    const vxe_elasticity kinds[2] = {VXE_ELASTICITY_BEAM, VXE_ELASTICITY_SOLID};
    for (int i = 0; i < 2; i++) {
        vxe_model *model = body_with(0.0, 46, 46, 46, kinds[i], 0.2);
        vxe_sim_def def = vxe_default_sim_def();
        def.threads = 16;
        vxe_sim *sim = NULL;
        vxe_error error;
        assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_OK);
        const double twice = vxe_wide_plan_twice(sim);
        print_message("    %s: %.2f %% of what is computed of links is computed twice\n",
                      i == 0 ? "beam" : "solid", 100.0 * twice);
        if (i == 0) assert_true(twice == 0.0);
        if (i == 1) assert_true(twice > 0.0 && twice < 0.02);
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
    }
}

/* ---- many at once --------------------------------------------------------------------------------------------------- */

enum { ROBOTS = 24 };

typedef struct watch {
    atomic_int calls;
    int64_t last;
    int64_t stop_at; /* 0: never */
} watch;

static bool look(void *context, int64_t ended, int64_t count)
{
    watch *w = context;
    atomic_fetch_add(&w->calls, 1);
    assert_int_equal(count, ROBOTS);
    w->last = ended;
    return w->stop_at == 0 || ended < w->stop_at;
}

static vxe_sim *robot(const vxe_model *model)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.threads = 1;
    vxe_sim *sim = NULL;
    vxe_error error;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_OK);
    return sim;
}

static void test_batch(void **state)
{
    (void)state;
    vxe_batch_item items[ROBOTS];
    vxe_stop stops[ROBOTS];
    vxe_model *models[ROBOTS];
    uint64_t expected[ROBOTS];
    vxe_error error;
    for (int i = 0; i < ROBOTS; i++) {
        models[i] =
            lively_body(3 + i % 4, 4, 3 + i % 3, i % 2 == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID,
                        i % 3 == 0 ? 0.2 : 1.0);
        vxe_sim *alone = robot(models[i]);
        stops[i] = (vxe_stop){.time = 0.01 + 0.001 * i};
        assert_int_equal(vxe_sim_run(alone, &stops[i], INT64_MAX), VXE_RUN_TIME);
        expected[i] = vxe_sim_hash(alone);
        vxe_sim_destroy(alone);
        items[i] = (vxe_batch_item){.sim = robot(models[i]), .stop = &stops[i], .steps = INT64_MAX};
    }
    /* one of them ends with a fault, which does not trouble the others */
    const double much[3] = {1e9, 0.0, 0.0};
    assert_int_equal(vxe_sim_pull(items[5].sim, 0, much, &error), VXE_OK);
    watch w = {0};
    assert_int_equal(vxe_batch_run(items, ROBOTS, 3, look, &w, &error), VXE_OK);
    assert_true(w.calls >= 1);
    for (int i = 0; i < ROBOTS; i++) {
        assert_int_equal(items[i].done, 1);
        if (i == 5) {
            assert_int_equal(items[i].reason, VXE_RUN_FAULT);
            assert_int_not_equal(vxe_sim_status(items[i].sim)->fault, VXE_FAULT_NONE);
        } else {
            assert_int_equal(items[i].reason, VXE_RUN_TIME);
            assert_true(vxe_sim_hash(items[i].sim) == expected[i]);
        }
        vxe_sim_reset(items[i].sim);
    }
    /* stopped early: what has not ended says so, and can be run later */
    w = (watch){.stop_at = 4};
    assert_int_equal(vxe_batch_run(items, ROBOTS, 2, look, &w, &error), VXE_OK);
    int left = 0;
    for (int i = 0; i < ROBOTS; i++) left += items[i].done == 0;
    assert_true(left > 0);
    for (int i = 0; i < ROBOTS; i++) {
        vxe_sim_destroy(items[i].sim);
        vxe_model_destroy(models[i]);
    }
    assert_int_equal(vxe_batch_run(NULL, 0, 0, NULL, NULL, &error), VXE_OK);
    assert_int_equal(vxe_batch_run(NULL, 1, 0, NULL, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_batch_run(items, 1, 1000, NULL, NULL, &error), VXE_ERROR_INPUT);
}

/* A small body is not worth a second thread. */
static void test_choice(void **state)
{
    (void)state;
    int32_t used = 0;
    vxe_model *model = lively_body(6, 6, 6, VXE_ELASTICITY_BEAM, 0.2);
    int64_t landed = 0;
    (void)run(model, 0, VXE_PRECISION_DOUBLE, false, 1, &used, &landed);
    assert_int_equal(used, 1);
    vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = NULL;
    vxe_error error;
    def.threads = -1;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "-1 threads are not within 0 to 256");
    vxe_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_twice),
                                       cmocka_unit_test(test_contacts), cmocka_unit_test(test_batch),
                                       cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
