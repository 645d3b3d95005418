/* The time step: long where it can be, never longer than what is stable by brute force,
 * and random scenes that must not diverge. */
#include "dense.h"
#include "freeze.h"
#include "random_scene.h"

/* ---- how long ------------------------------------------------------------------------------------------------------- */

static void test_undamped_bulk_is_fast(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 12, 12, 12);
    fill_all(scene, add_material(scene, 1e6, 0.0, 1000));
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    const vxe_time_step t = vxe_sim_time_step(b.sim);
    check_near("the paper's step times w0", t.classic * sqrt(1e6 * 0.01 / 1e-3), 1.0 / (2.0 * PI), 1e-12);
    print_message("    undamped bulk: %.4f of the paper's step (limit of the infinite lattice 3.3588)\n",
                  t.dt / t.classic);
    check_above("the step over the paper's", t.dt / t.classic, 2.8); /* required */
    /* sqrt(14) w0 is the highest frequency of the infinite lattice: the limit of a block of it may exceed
     * 2/(sqrt(14) w0) by what its surface takes away, 1 % or so */
    check_near("the limit over that of the infinite lattice",
               t.limit / (2.0 / sqrt(14.0) / sqrt(1e6 * 0.01 / 1e-3)), 1.0, 0.02);
    assert_true(t.voxel >= 0 && t.link >= 0);
    finish(b);
}

/* ---- never longer than stable --------------------------------------------------------------------------------------- */

typedef struct small_body {
    const char *name;
    int32_t size[3];
    int32_t materials; /* 1 to 3, 10 and 1000 times as stiff, 5 and 50 times as heavy, in a random mixture */
    double poisson;
    vxe_elasticity elasticity;
    bool held;
    bool floor;
} small_body;

static const small_body bodies[] = {
    {"one link, beam", {2, 1, 1}, 1, 0.0, VXE_ELASTICITY_BEAM, false, false},
    {"one link, solid", {1, 1, 2}, 1, 0.45, VXE_ELASTICITY_SOLID, false, false},
    {"bar, beam", {1, 9, 1}, 1, 0.3, VXE_ELASTICITY_BEAM, false, false},
    {"bar, held", {9, 1, 1}, 1, 0.3, VXE_ELASTICITY_BEAM, true, false},
    {"plate, beam", {5, 5, 1}, 1, 0.3, VXE_ELASTICITY_BEAM, false, false},
    {"plate, solid, nu 0.45", {5, 1, 5}, 1, 0.45, VXE_ELASTICITY_SOLID, false, false},
    {"cube, beam", {4, 4, 4}, 1, 0.0, VXE_ELASTICITY_BEAM, false, false},
    {"cube, solid, nu 0.45", {4, 4, 4}, 1, 0.45, VXE_ELASTICITY_SOLID, false, false},
    {"cube, solid, nu 0.49", {3, 3, 3}, 1, 0.49, VXE_ELASTICITY_SOLID, false, false},
    {"unlike bar", {8, 1, 1}, 3, 0.3, VXE_ELASTICITY_BEAM, false, false},
    {"unlike cube, beam", {3, 4, 3}, 3, 0.3, VXE_ELASTICITY_BEAM, false, false},
    {"unlike cube, solid", {3, 4, 3}, 3, 0.45, VXE_ELASTICITY_SOLID, false, false},
    {"unlike block, held", {5, 3, 2}, 2, 0.4, VXE_ELASTICITY_SOLID, true, false},
    {"cube on the floor", {3, 3, 3}, 1, 0.3, VXE_ELASTICITY_SOLID, false, true},
    {"unlike cube on the floor", {3, 3, 3}, 3, 0.3, VXE_ELASTICITY_BEAM, false, true},
};

static bench make_body(const small_body *body, double bond, double fraction)
{
    vxe_scene *scene = new_scene(0.01, body->size[0], body->size[1], body->size[2]);
    for (int32_t m = 0; m < body->materials; m++) {
        add_material(scene,
                     m == 0   ? 1e6
                     : m == 1 ? 1e7
                              : 1e9,
                     body->poisson,
                     m == 0   ? 5000
                     : m == 1 ? 1000
                              : 50000);
    }
    rng r = {11};
    vxe_error error = {VXE_OK, ""};
    for (int32_t k = 0; k < body->size[2]; k++) {
        for (int32_t j = 0; j < body->size[1]; j++) {
            for (int32_t i = 0; i < body->size[0]; i++) {
                require(vxe_scene_set_voxel(scene, i, j, k, rng_int(&r, 1, body->materials), &error), &error);
            }
        }
    }
    if (body->held) add_fixed(scene, "wall", box_of(0, 0, 0, 1, body->size[1], body->size[2]), VXE_DOF_ALL);
    vxe_environment e = environment_of(body->elasticity, bond, 0.0);
    e.floor = body->floor;
    e.damping_contact = 0.0;
    set_environment(scene, &e);
    vxe_sim_def def = vxe_default_sim_def();
    def.dt_fraction = fraction;
    def.audit = false;
    def.bond_damping = VXE_BOND_DAMPING_EXPLICIT; /* implicit damping does not limit the step: test_damping */
    return start_with(scene, &def);
}

/* The engine's limit must not exceed the true one; and it should not be far below: the bound adds 1 % of
 * frequency squared or the residual of 24 Lanczos steps, takes stiffness and damping at their worst together
 * (near nu = 0.5 the stiffest mode is one of pressure, which has no damping: 0.84). The floor sets no limit.
 */
static void test_limit_against_brute_force(void **state)
{
    (void)state;
    static const double bonds[3] = {0.0, 0.2, 1.0};
    double lowest = 1.0;
    double highest = 0.0;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        for (int z = 0; z < 3; z++) {
            if (is_quick() && (i + (size_t)z) % 5 != 0) continue;
            bench b = make_body(&bodies[i], bonds[z], 0.9);
            const vxe_time_step t = vxe_sim_time_step(b.sim);
            dense d = dense_of(b.sim);
            const double exact = dense_limit(&d, 100.0 * t.limit);
            dense_free(d);
            print_message("    %-26s damping %.1f: limit %.4f of the exact one, %.3f of the paper's step\n",
                          bodies[i].name, bonds[z], t.limit / exact, t.limit / t.classic);
            /* 1e-6: the differences behind the exact one */
            if (t.limit > exact * (1.0 + 1e-6))
                fail_msg("%s: the limit is longer than what is stable", bodies[i].name);
            if (t.limit < 0.8 * exact) fail_msg("%s: the limit is needlessly short", bodies[i].name);
            lowest = fmin(lowest, t.limit / exact);
            highest = fmax(highest, t.limit / exact);
            finish(b);
        }
    }
    print_message("    limit over exact limit: %.4f to %.4f\n", lowest, highest);
}

/* Without damping: random velocities of 1 um/s stay small for 20000 steps at the engine's own limit, and blow
 * up within 2000 at 1 % above the exact one. */
static double grow(bench b, double dt, int64_t steps)
{
    rng r = {12};
    vxe_error error = {VXE_OK, ""};
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        double velocity[3];
        double spin[3];
        for (int a = 0; a < 3; a++) {
            velocity[a] = rng_between(&r, -1e-6, 1e-6);
            spin[a] = rng_between(&r, -1e-4, 1e-4);
        }
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    }
    freeze_step(b.sim, dt);
    double most = 0.0;
    for (int64_t i = 0; i < steps; i += 50) {
        if (vxe_sim_step(b.sim, 50, NULL) != VXE_OK) return INFINITY;
        most = fmax(most, vxe_sim_speed_max(b.sim));
    }
    return most;
}

static void test_limit_is_where_it_blows_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        if (bodies[i].floor || (is_quick() && i % 4 != 0)) continue;
        bench b = make_body(&bodies[i], 0.0, VXE_DT_FRACTION_MAX);
        dense d = dense_of(b.sim);
        const double limit = vxe_sim_time_step(b.sim).limit;
        const double exact = dense_limit(&d, 100.0 * limit);
        dense_free(d);
        const double below = grow(b, limit, is_quick() ? 2000 : 20000);
        vxe_sim_reset(b.sim);
        const double above = grow(b, 1.01 * exact, 2000);
        /* at a part f of the limit the highest mode swings 1/sqrt(1 - f^2) times as wide as it should: a
         * hundred for f = 0.99995 */
        if (!(below < 1e-3)) fail_msg("%s: at its own limit it grows to %.3g m/s", bodies[i].name, below);
        if (!(above > 1e-1))
            fail_msg("%s: 1 %% above the exact limit it is still at %.3g m/s", bodies[i].name, above);
        finish(b);
    }
}

/* Bodies of two materials whose sizes change at different times, so that the link that sets the step changes,
 * or the step passes from what stiffness to what damping allows. */
static const struct moving_body {
    const char *name;
    vxe_elasticity elasticity;
    double bond;
    double density[2];
    double youngs[2];
    double expansion[2];
    double period;
} moving_bodies[] = {
    /* the heavy ones contract first and are the shortest; then the light ones do, less, but are faster */
    {"in turn", VXE_ELASTICITY_BEAM, 0.1, {1000, 100}, {1e6, 1e6}, {-0.5, 0.4}, 0.015},
    {"in turn, solid", VXE_ELASTICITY_SOLID, 0.1, {1000, 100}, {1e6, 1e6}, {-0.5, 0.4}, 0.015},
    /* the stiffest for its mass does not change; the other overtakes it in damping before it does in
       stiffness */
    {"overtaken by damping", VXE_ELASTICITY_BEAM, 1.0, {1000, 2100}, {1e6, 1e6}, {0.0, -0.46}, 0.1},
    {"overtaken by damping, solid", VXE_ELASTICITY_SOLID, 1.0, {1000, 2100}, {1e6, 1e6}, {0.0, -0.46}, 0.1},
    {"stiff and soft", VXE_ELASTICITY_BEAM, 0.5, {4000, 1000}, {2e7, 1e6}, {0.02, -0.5}, 0.05},
    {"all together", VXE_ELASTICITY_SOLID, 0.0, {1000, 1000}, {1e6, 1e6}, {-0.5, -0.5}, 0.03},
};

/* The step in use must stay below the exact limit of every moment; the margin of the default fraction is
 * there for what happens between evaluations. And evaluations cost as much as ten to thirty steps each, so
 * there should not be many, even here where sizes change by half within a hundred steps. */
static void test_step_follows_actuation(void **state)
{
    (void)state;
    bool good = true;
    for (size_t i = 0; i < sizeof moving_bodies / sizeof *moving_bodies; i++) {
        const struct moving_body *body = &moving_bodies[i];
        vxe_scene *scene = new_scene(0.01, 3, 3, 4);
        for (int m = 0; m < 2; m++) {
            vxe_material_def def = vxe_default_material_def();
            def.density = body->density[m];
            def.youngs_modulus = body->youngs[m];
            def.expansion = body->expansion[m];
            fill(scene, box_of(0, 0, 2 * m, 3, 3, 2), put_material(scene, &def));
        }
        vxe_signal_def beat = vxe_default_signal_def();
        beat.amplitude = 1.0;
        beat.period = body->period;
        put_signal(scene, &beat);
        const vxe_environment e = environment_of(body->elasticity, body->bond, 0.01);
        set_environment(scene, &e);
        bench b = start_explicit(scene);
        double worst = 0.5; /* of the exact limit: no body of these stays below */
        double *work =
            calloc((size_t)36 * vxe_model_get(b.model)->voxel_count * vxe_model_get(b.model)->voxel_count,
                   sizeof *work);
        assert_non_null(work);
        const double end = (is_quick() ? 0.5 : 1.5) * body->period;
        while (vxe_sim_time(b.sim) < end) {
            step(b.sim, 20);
            dense d = dense_of(b.sim);
            const vxe_time_step t = vxe_sim_time_step(b.sim);
            /* the exact limit is dear: only where it is worse than ever */
            if (!dense_stable(&d, t.dt / worst, work)) worst = t.dt / dense_limit(&d, 100.0 * t.limit);
            dense_free(d);
        }
        const int64_t evaluations = vxe_sim_time_step(b.sim).evaluations;
        const int64_t steps = vxe_sim_state(b.sim)->step;
        print_message("    %-28s step at most %.4f of the exact limit, %lld evaluations in %lld steps\n",
                      body->name, worst, (long long)evaluations, (long long)steps);
        free(work);
        good = good && worst > 0.5 && worst < 1.0 && evaluations < steps / 5;
        finish(b);
    }
    assert_true(good);
}

/* ---- random scenes -------------------------------------------------------------------------------------------------- */

/* Whether a scene that failed does so at the same moment, in the same voxel and for the same stated reason,
 * with a quarter of the step: then it is the body that is crushed, and not the method. */
static bool is_crushed_anyhow(uint64_t seed, const vxe_sim *failed)
{
    random_facts f;
    vxe_sim_def def = vxe_default_sim_def();
    def.dt_fraction = 0.25 * VXE_DT_FRACTION_MAX;
    const double time = vxe_sim_time(failed);
    const vxe_status *first = vxe_sim_status(failed);
    const bench b = start_with(random_scene(seed, &f), &def);
    const vxe_stop stop = {.time = 1.01 * time};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    const vxe_status *again = vxe_sim_status(b.sim);
    const bool same = again->fault == first->fault && again->voxel == first->voxel &&
                      strstr(again->message, "beyond the material") != NULL &&
                      fabs(vxe_sim_time(b.sim) - time) < 1e-3 * time;
    finish(b);
    return same;
}

static void test_random_scenes(void **state)
{
    (void)state;
    const uint64_t every = is_soak() ? 1 : is_quick() ? 25 : 5;
    const int64_t steps = is_quick() ? 500 : 5000;
    int failed = 0;
    int crushed = 0;
    int count = 0;
    double error_max = 0.0;
    uint64_t error_seed = 0;
    int64_t voxels = 0;
    for (uint64_t seed = every; seed <= RANDOM_SCENES; seed += every) {
        random_facts f;
        bench b = start(random_scene(seed, &f));
        const vxe_result result = vxe_sim_step(b.sim, steps, NULL);
        if (result != VXE_OK) {
            const bool anyhow = is_crushed_anyhow(seed, b.sim);
            print_message("    seed %llu %s: %dx%dx%d, %lld voxels of %d materials (stiffness 1 to %.0f, "
                          "density 1 to %.0f), damping %g, actuation %.2f, %s: %s\n",
                          (unsigned long long)seed, anyhow ? "is crushed" : "failed", (int)f.size[0],
                          (int)f.size[1], (int)f.size[2], (long long)f.voxels, (int)f.materials,
                          f.stiffness_contrast, f.density_contrast, f.bond, f.actuation,
                          f.elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid",
                          vxe_sim_status(b.sim)->message);
            crushed += anyhow;
            failed += !anyhow;
        }
        const double error = fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale;
        if (error > error_max) {
            error_max = error;
            error_seed = seed;
        }
        voxels += f.voxels;
        count++;
        finish(b);
    }
    print_message("    %d random scenes, %lld voxels, %lld steps each: %d failed, %d crushed; largest "
                  "energy error %.2e of what passed (seed %llu)\n",
                  count, (long long)voxels, (long long)steps, failed, crushed, error_max,
                  (unsigned long long)error_seed);
    assert_int_equal(failed, 0);
    assert_true(RANDOM_SCENES * crushed <= count); /* one, whose actuation leaves a twentieth of a link */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamped_bulk_is_fast),
        cmocka_unit_test(test_limit_against_brute_force),
        cmocka_unit_test(test_limit_is_where_it_blows_up),
        cmocka_unit_test(test_step_follows_actuation),
        cmocka_unit_test(test_random_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
