/* Nothing from nothing: scenes that once gained energy, and random ones of every kind, mild and extreme. */
#include "sim/sim.h"
#include "trial_scene.h"

/* ---- scenes ----------------------------------------------------------------------------------------------------------- */

static bench load_scene(const char *name, vxe_sim_def def)
{
    char path[1024];
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    (void)snprintf(path, sizeof path, "%s/tests/faults/%s.json", VXE_SOURCE_DIR, name);
    require(vxe_scene_load_json(path, &scene, &error), &error);
    return start_with(scene, &def);
}

/* The account as it is printed adds up, to round-off of its largest figure. */
static void check_sums(const char *name, vxe_sim *sim)
{
    const vxe_energy e = vxe_sim_energy(sim);
    const double known =
        sim->account.start + e.load_work + e.actuation_work + e.motion_work - e.dissipated + e.error;
    if (!(fabs(e.total - (e.kinetic + e.elastic + e.gravity)) <= 1e-12 * sim->account.scale &&
          fabs(e.total - known) <= 1e-9 * sim->account.scale))
        fail_msg("%s: total %.9g J, kinetic + elastic + gravity %.9g J, by the account %.9g J", name, e.total,
                 e.kinetic + e.elastic + e.gravity, known);
}

static const struct fault_scene {
    const char *name;
    int64_t steps;
    double fraction;
    vxe_bond_damping bond_damping;
} fault_scenes[] = {
    {"undamped_collisions", 12000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"undamped_drop", 9000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"undamped_actuated", 5000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"longest_step", 4000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"break_drop", 3000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"break_force", 3000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"yield_drop", 3000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"yield_actuation", 3000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"floor_edge", 5000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"prescribed_jump", 3386, 0.464, VXE_BOND_DAMPING_IMPLICIT},
    {"closed_undamped", 3000, 0.721, VXE_BOND_DAMPING_AUTO},
    {"undamped_pair", 8000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"weak_damping", 4000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"sudden_motion", 3000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"grown_stiffer", 1000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"bounce_while_swinging", 2000, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
    {"bounce_off_balance", 1500, VXE_DT_FRACTION_MAX, VXE_BOND_DAMPING_AUTO},
};

/* They run to their end, and what does not balance is within 1 % of energy and work all the way. */
static void test_faults(void **state)
{
    (void)state;
    bool good = true;
    for (size_t i = 0; i < sizeof fault_scenes / sizeof *fault_scenes; i++) {
        const struct fault_scene *f = &fault_scenes[i];
        vxe_sim_def def = vxe_default_sim_def();
        def.dt_fraction = f->fraction;
        def.bond_damping = f->bond_damping;
        bench b = load_scene(f->name, def);
        const int64_t steps = is_quick() ? f->steps / 10 : f->steps;
        double worst = 0.0;
        vxe_result result = VXE_OK;
        for (int64_t n = 0; n < steps && result == VXE_OK; n += 100) {
            result = vxe_sim_step(b.sim, 100, NULL);
            worst = fmax(worst, fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale);
        }
        const vxe_energy e = vxe_sim_energy(b.sim);
        print_message("    %-20s error %.1e of energy and work; dissipated %.4g J, fastest %.3g m/s %s\n",
                      f->name, worst, e.dissipated, vxe_sim_speed_max(b.sim), vxe_sim_status(b.sim)->message);
        good = good && result == VXE_OK && worst < 0.01;
        check_sums(f->name, b.sim);
        /* what was lost is never less than nothing */
        check_above("dissipated", e.dissipated, -1e-9 * b.sim->account.scale);
        finish(b);
    }
    assert_true(good);
}

/* A voxel that comes in under the edge of a disc is not kicked: it falls as if there were none, from less
 * than 5 m (the fall of the scene's 5000 steps). */
static void test_floor_edge(void **state)
{
    (void)state;
    bench b = load_scene("floor_edge", vxe_default_sim_def());
    const double *gravity = b.model->environment.gravity;
    const double g = length3(gravity);
    for (int i = 0; i < 50; i++) {
        step(b.sim, 100);
        check_below("speed over that of free fall", vxe_sim_speed_max(b.sim),
                    1.0 + g * vxe_sim_time(b.sim)); /* 1 m/s: more than it has at the start */
    }
    finish(b);
}

/* Every scheme of finding contacts finds the same. */
static void test_schemes(void **state)
{
    (void)state;
    static const vxe_collisions schemes[] = {VXE_COLLISIONS_GRID, VXE_COLLISIONS_ALL_EVERY,
                                             VXE_COLLISIONS_ALL_HORIZON, VXE_COLLISIONS_SURFACE_EVERY,
                                             VXE_COLLISIONS_SURFACE_HORIZON};
    uint64_t expected = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        char path[1024];
        vxe_scene *scene = NULL;
        vxe_error error = {VXE_OK, ""};
        (void)snprintf(path, sizeof path, "%s/tests/faults/schemes.json", VXE_SOURCE_DIR);
        require(vxe_scene_load_json(path, &scene, &error), &error);
        vxe_environment e = vxe_scene_environment(scene);
        e.collisions = schemes[i];
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.dt_fraction = 0.763;
        def.audit = false;
        bench b = start_with(scene, &def);
        step(b.sim, is_quick() ? 300 : 2000);
        if (i == 0) expected = vxe_sim_hash(b.sim);
        assert_true(vxe_sim_hash(b.sim) == expected);
        finish(b);
    }
}

/* ---- random scenes ------------------------------------------------------------------------------------------------------ */

static void describe(uint64_t seed, const trial *t, const bench *b)
{
    print_message(
        "    seed %llu, %s, %dx%dx%d, bond damping %g, %s, contrast %.0f, actuation %.2f, gravity %.1f, "
        "fraction %.2f, damping %d: %s\n",
        (unsigned long long)seed, trial_names[t->family], (int)t->size[0], (int)t->size[1], (int)t->size[2],
        t->bond, t->elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid", t->contrast, t->actuation,
        t->gravity, t->def.dt_fraction, (int)t->def.bond_damping, vxe_sim_status(b->sim)->message);
}

/* Of 1000, every 17th by default: all families, whose number shares no factor with it. */
static void test_mild(void **state)
{
    (void)state;
    const uint64_t every = is_soak() ? 1 : is_quick() ? 101 : 17;
    int failed = 0;
    int count = 0;
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 1000; seed += every) {
        const trial t = make_trial(seed, false);
        const bench b = start_trial(&t);
        const vxe_result result = vxe_sim_step(b.sim, is_quick() ? 300 : 5000, NULL);
        const double error = fabs(vxe_sim_energy(b.sim).error) / (b.sim->account.scale + 1e-300);
        worst = fmax(worst, error);
        if (result != VXE_OK) {
            describe(seed, &t, &b);
            failed++;
        }
        count++;
        finish(b);
    }
    print_message("    %d mild scenes: %d failed; largest energy error %.1e of what passed\n", count, failed,
                  worst);
    assert_int_equal(failed, 0);
    check_below("energy error of mild scenes", worst, 0.02);
}

/* Extreme scenes may end, but then it is said which load is beyond the material; energy never appears. */
static void test_extreme(void **state)
{
    (void)state;
    const uint64_t every = is_soak() ? 1 : is_quick() ? 53 : 7;
    int unexplained = 0;
    int stopped = 0;
    int count = 0;
    for (uint64_t seed = 0; seed < 400; seed += every) {
        const trial t = make_trial(seed, true);
        const bench b = start_trial(&t);
        const vxe_result result = vxe_sim_step(b.sim, is_quick() ? 300 : 3000, NULL);
        const vxe_status *s = vxe_sim_status(b.sim);
        if (result != VXE_OK) {
            stopped++;
            if (s->fault == VXE_FAULT_ENERGY || s->fault == VXE_FAULT_NOT_FINITE ||
                strstr(s->message, "beyond the material") == NULL) {
                describe(seed, &t, &b);
                unexplained++;
            }
        }
        count++;
        finish(b);
    }
    print_message("    %d extreme scenes: %d stopped by their load, %d without a reason\n", count, stopped,
                  unexplained);
    assert_int_equal(unexplained, 0);
}

/* Rigid parts, ground, solids and water: mild ones do not end, extreme ones only by their material. */
static void test_world(void **state)
{
    (void)state;
    const int count = is_soak() ? 200 : is_quick() ? 6 : 40;
    int failed = 0;
    int stopped = 0;
    int64_t touched = 0;
    int64_t parts = 0;
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        const bool extreme = i % 4 == 3;
        const trial t = make_trial(TRIAL_WORLD_SEED + (uint64_t)i, extreme);
        const bench b = start_trial(&t);
        vxe_result result = VXE_OK;
        for (int piece = 0; piece < 20 && result == VXE_OK; piece++) {
            int64_t now = 0;
            result = vxe_sim_step(b.sim, is_quick() ? 30 : 250, NULL);
            vxe_sim_contacts(b.sim, &now, NULL);
            touched += now;
        }
        parts += b.model->rigid_count;
        const vxe_status *s = vxe_sim_status(b.sim);
        if (!extreme)
            worst = fmax(worst, fabs(vxe_sim_energy(b.sim).error) / (b.sim->account.scale + 1e-300));
        stopped += result != VXE_OK;
        if (result != VXE_OK &&
            (!extreme || s->fault == VXE_FAULT_ENERGY || s->fault == VXE_FAULT_NOT_FINITE ||
             strstr(s->message, "beyond the material") == NULL)) {
            describe(TRIAL_WORLD_SEED + (uint64_t)i, &t, &b);
            failed++;
        }
        finish(b);
    }
    print_message(
        "    %d scenes with %lld rigid parts, %lld contacts with ground and solids seen: %d stopped by "
        "their load, %d failed; largest energy error %.1e\n",
        count, (long long)parts, (long long)touched, stopped, failed, worst);
    assert_int_equal(failed, 0);
    assert_true(parts > 0 && touched > 0);
    check_below("energy error", worst, 0.02);
}

/* Scenes with rules, mild and extreme: 40, or 200. */
static void test_living(void **state)
{
    (void)state;
    const int wanted = is_soak() ? 200 : is_quick() ? 8 : 40;
    int failed = 0;
    int count = 0;
    int supplied = 0;
    int became = 0;
    double worst = 0.0;
    vxe_life all = {0};
    for (uint64_t seed = 0; count < wanted; seed++) {
        const bool extreme = count % 2 == 1;
        trial t = make_trial(seed, extreme);
        if (!t.rules) {
            vxe_scene_destroy(t.scene);
            continue;
        }
        const bench b = start_trial(&t);
        const vxe_result result = vxe_sim_step(b.sim, is_quick() ? 300 : 3000, NULL);
        const vxe_status *s = vxe_sim_status(b.sim);
        const vxe_life life = vxe_sim_life(b.sim);
        all.grown += life.grown;
        all.removed += life.removed;
        all.bonded += life.bonded;
        all.released += life.released;
        for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
            if (!vxe_sim_present(b.sim, v)) continue;
            const int32_t rule = b.model->latent != NULL ? (int32_t)b.model->latent[v] - 1 : -1;
            supplied += rule >= 0 && b.model->rules[rule].def.kind == VXE_RULE_SUPPLY;
            became += strcmp(b.model->material_names[b.model->palette_of[b.sim->material[v]]], "twin") == 0;
        }
        const bool explained = extreme && strstr(s->message, "beyond the material") != NULL &&
                               s->fault != VXE_FAULT_ENERGY && s->fault != VXE_FAULT_NOT_FINITE;
        if (result != VXE_OK && !explained) {
            describe(seed, &t, &b);
            failed++;
        }
        if (!extreme)
            worst = fmax(worst, fabs(vxe_sim_energy(b.sim).error) / (b.sim->account.scale + 1e-300));
        count++;
        finish(b);
    }
    print_message(
        "    %d scenes with rules: %d failed; %lld voxels grew or were supplied (%d of these are left), %lld "
        "disappeared, %d are others, %lld bonds were made, %lld let go; largest energy error %.1e\n",
        count, failed, (long long)all.grown, supplied, (long long)all.removed, became, (long long)all.bonded,
        (long long)all.released, worst);
    assert_int_equal(failed, 0);
    check_below("energy error of mild scenes", worst, 0.02);
    if (is_quick()) return;
    assert_true(all.grown > 0 && all.removed > 0 && all.bonded > 0 && all.released > 0);
    assert_true(supplied > 0 && became > 0);
}

/* Closed undamped scenes keep their total energy. */
static void test_closed(void **state)
{
    (void)state;
    const int64_t steps = is_soak() ? 100000 : is_quick() ? 1000 : 20000;
    int count = 0;
    for (uint64_t seed = 0; count < (is_soak() ? 20 : 3); seed++) {
        trial t = make_trial(seed, false);
        if (t.family != TRIAL_FREE || !t.closed) {
            vxe_scene_destroy(t.scene);
            continue;
        }
        const bench b = start_trial(&t);
        step(b.sim, 1);
        const double begin = vxe_sim_energy(b.sim).total;
        double worst = 0.0;
        for (int i = 0; i < 20; i++) {
            step(b.sim, steps / 20);
            worst = fmax(worst, fabs(vxe_sim_energy(b.sim).total / begin - 1.0));
        }
        check_below("change of the total energy of a closed scene", worst, 0.02);
        count++;
        finish(b);
    }
}

/* ---- restitution ---------------------------------------------------------------------------------------------------------- */

/* Part of the energy that a body comes back with from a fall of `height` pitches. Energy of the whole motion:
 * what it keeps as vibrations counts. */
static double returned(const int32_t size[3], double bond, double height, vxe_elasticity elasticity)
{
    vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2] + 1);
    fill(scene, box_of(0, 0, 1, size[0], size[1], size[2]), add_material(scene, 1e6, 0.3, 1000));
    vxe_environment e = environment_of(elasticity, bond, 0.0);
    e.floor = true;
    e.gravity[2] = -9.81;
    e.damping_contact = bond;
    set_environment(scene, &e);
    bench b = start(scene);
    const double speed = sqrt(2.0 * 9.81 * 0.01 * height);
    const double velocity[3] = {0.0, 0.0, -speed};
    const double none[3] = {0.0, 0.0, 0.0};
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
    step(b.sim, 1);
    const double mass = vxe_model_get(b.model)->mass;
    const double before = vxe_sim_energy(b.sim).total;
    bool touched = false;
    for (int i = 0; i < 20000; i++) {
        step(b.sim, 4);
        int64_t floor = 0;
        vxe_sim_contacts(b.sim, &floor, NULL);
        touched = touched || floor > 0;
        double momentum[3];
        vxe_sim_momentum(b.sim, momentum, NULL);
        if (touched && floor == 0 && momentum[2] > 0.0) break;
    }
    const double after = vxe_sim_energy(b.sim).total;
    /* from the height of the floor upwards */
    const double zero = -mass * 9.81 * 0.01;
    finish(b);
    return (after - zero) / (before - zero);
}

/* No body comes back with more than it had, whatever the height; without damping those of 4^3 and more keep
 * at least 0.9 of it. 1e-6: the energy at the start of a fall is that of the step's middle. */
static void test_restitution(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{1, 1, 1}, {2, 2, 2}, {4, 4, 4}, {2, 2, 8}, {6, 6, 2}};
    static const double bonds[3] = {0.0, 0.1, 1.0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < 3; k++) {
            double low = 1.0;
            double high = 0.0;
            for (int h = 0; h < (is_quick() ? 2 : 10); h++) {
                const double part = returned(sizes[i], bonds[k], 1.0 + 1.37 * h, VXE_ELASTICITY_SOLID);
                low = fmin(low, part);
                high = fmax(high, part);
            }
            print_message("    %dx%dx%d, damping %.1f: %.4f to %.4f of the energy comes back\n",
                          (int)sizes[i][0], (int)sizes[i][1], (int)sizes[i][2], bonds[k], low, high);
            check_below("energy that comes back", high, 1.0 + 1e-6);
            if (bonds[k] == 0.0) check_above("energy that comes back without damping", low, 0.9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults), cmocka_unit_test(test_floor_edge), cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_mild),   cmocka_unit_test(test_living),     cmocka_unit_test(test_extreme),
        cmocka_unit_test(test_world),  cmocka_unit_test(test_closed),     cmocka_unit_test(test_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
