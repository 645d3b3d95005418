/* Collisions and reproducibility: a heap of blocks with friction, actuation and breaking
 * links goes on with the same bits from a checkpoint taken anywhere, in both precisions, whichever scheme
 * finds the pairs before and after, and whichever instructions do the arithmetic. */
#include "pile.h"

#include "sim/collide.h"

#define POINTS 12

static vxe_sim_def settings(vxe_precision precision)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = precision;
    return def;
}

/* What a run has come to. */
typedef struct summary {
    uint64_t hash;
    int64_t pairs, broken, yielded;
    double dt, dissipated, error;
} summary;

static summary sum_up(vxe_sim *sim)
{
    summary s = {.hash = vxe_sim_hash(sim), .dt = vxe_sim_time_step(sim).dt};
    vxe_sim_contacts(sim, NULL, &s.pairs);
    vxe_sim_failures(sim, &s.broken, &s.yielded);
    const vxe_energy e = vxe_sim_energy(sim);
    s.dissipated = e.dissipated;
    s.error = e.error;
    return s;
}

/* Everything to the last bit, the account of energy too. */
static void check_same(summary a, summary b)
{
    assert_true(a.hash == b.hash);
    assert_int_equal(a.pairs, b.pairs);
    assert_int_equal(a.broken, b.broken);
    assert_int_equal(a.yielded, b.yielded);
    check_near("time step", a.dt, b.dt, 0.0);
    check_near("dissipated energy", a.dissipated, b.dissipated, 0.0);
    check_near("error of the account", a.error, b.error, 0.0);
}

static void save(const vxe_sim *sim, unsigned char **buffer, size_t *size)
{
    vxe_error error = {VXE_OK, ""};
    *size = vxe_sim_save_size(sim);
    *buffer = malloc(*size);
    assert_non_null(*buffer);
    require(vxe_sim_save(sim, *buffer, *size, &error), &error);
}

static void load(vxe_sim *sim, const unsigned char *buffer, size_t size)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_load(sim, buffer, size, &error), &error);
}

static void resume_anywhere(pile_options options, vxe_precision precision, int64_t steps)
{
    const vxe_sim_def def = settings(precision);
    const bench b = start_with(pile_scene(options), &def);
    unsigned char *saved[POINTS];
    size_t sizes[POINTS];
    int64_t at[POINTS];
    int64_t touching = 0;
    for (int i = 0; i < POINTS; i++) {
        /* uneven distances, so that a list may have been made just before, just after, or long ago */
        at[i] = steps * i / POINTS + 7 * i;
        step(b.sim, at[i] - b.sim->step);
        save(b.sim, &saved[i], &sizes[i]);
        int64_t pairs = 0;
        vxe_sim_contacts(b.sim, NULL, &pairs);
        touching += pairs;
    }
    step(b.sim, steps + 100 - b.sim->step);
    const summary whole = sum_up(b.sim);
    for (int i = 0; i < POINTS; i++) {
        /* into a new simulation, and into the one that is already further */
        vxe_sim *other = new_sim(b.model, &def);
        vxe_sim *target = i % 3 == 2 ? b.sim : other;
        load(target, saved[i], sizes[i]);
        assert_int_equal(target->step, at[i]);
        step(target, steps + 100 - at[i]);
        check_same(sum_up(target), whole);
        vxe_sim_destroy(other);
        free(saved[i]);
    }
    print_message("    %s precision: %d places within %lld steps, %lld pairs touching there, %lld links "
                  "broken: the same bits\n",
                  precision == VXE_PRECISION_DOUBLE ? "double" : "single", POINTS, (long long)steps,
                  (long long)touching, (long long)whole.broken);
    if (!is_quick()) {
        assert_true(touching > 20);
        assert_true((whole.broken > 0) == options.breaking);
    }
    finish(b);
}

static void test_resume_double(void **state)
{
    (void)state;
    resume_anywhere((pile_options){VXE_COLLISIONS_GRID, true, 0.8}, VXE_PRECISION_DOUBLE,
                    is_quick() ? 200 : 3000);
    resume_anywhere((pile_options){VXE_COLLISIONS_SURFACE_HORIZON, false, 1.5}, VXE_PRECISION_DOUBLE,
                    is_quick() ? 100 : 1500);
}

static void test_resume_single(void **state)
{
    (void)state;
    resume_anywhere((pile_options){VXE_COLLISIONS_GRID, true, 0.8}, VXE_PRECISION_SINGLE,
                    is_quick() ? 200 : 3000);
    resume_anywhere((pile_options){VXE_COLLISIONS_ALL_EVERY, false, 0.0}, VXE_PRECISION_SINGLE,
                    is_quick() ? 100 : 1000);
}

/* The scheme is not part of what a checkpoint belongs to: what one scheme left, another takes up. */
static void test_resume_with_another_scheme(void **state)
{
    (void)state;
    const int64_t steps = is_quick() ? 150 : 1500;
    const vxe_sim_def def = settings(VXE_PRECISION_DOUBLE);
    const vxe_collisions schemes[3] = {VXE_COLLISIONS_GRID, VXE_COLLISIONS_ALL_EVERY,
                                       VXE_COLLISIONS_SURFACE_HORIZON};
    bench b[3];
    for (int i = 0; i < 3; i++) b[i] = start_with(pile_scene((pile_options){schemes[i], true, 0.8}), &def);
    step(b[0].sim, steps);
    unsigned char *saved = NULL;
    size_t size = 0;
    save(b[0].sim, &saved, &size);
    for (int i = 1; i < 3; i++) load(b[i].sim, saved, size);
    free(saved);
    for (int i = 0; i < 3; i++) step(b[i].sim, steps);
    for (int i = 1; i < 3; i++) check_same(sum_up(b[i].sim), sum_up(b[0].sim));
    for (int i = 0; i < 3; i++) finish(b[i]);
}

/* Contacts among voxels that are stepped several at a time. */
static void test_every_instruction_set(void **state)
{
    (void)state;
    const vxe_isa sets[5] = {VXE_ISA_PLAIN, VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512, VXE_ISA_AUTO};
    const int64_t steps = is_quick() ? 100 : 1500;
    uint64_t hash = 0;
    int compared = 0;
    for (int i = 0; i < 5; i++) {
        vxe_sim_def def = settings(VXE_PRECISION_DOUBLE);
        def.isa = sets[i];
        vxe_scene *scene = pile_scene((pile_options){VXE_COLLISIONS_GRID, false, 0.8});
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        vxe_sim *sim = NULL;
        vxe_error error = {VXE_OK, ""};
        if (vxe_sim_create(model, &def, &sim, &error) ==
            VXE_OK) { /* refused where the machine does not have it */
            step(sim, steps);
            if (compared++ == 0) hash = vxe_sim_hash(sim);
            assert_true(vxe_sim_hash(sim) == hash);
        }
        vxe_sim_destroy(sim);
        vxe_model_destroy(model);
    }
    assert_true(compared >= 3);
    print_message("    %d instruction sets: the same bits\n", compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume_double),
        cmocka_unit_test(test_resume_single),
        cmocka_unit_test(test_resume_with_another_scheme),
        cmocka_unit_test(test_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
