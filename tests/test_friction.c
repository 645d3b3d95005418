/* Floor and friction. A slope is a floor under tilted gravity. A plate of one layer loads
 * its voxels evenly, so it slips exactly where the law says; thicker soft blocks slip earlier, and where is
 * printed. */
#include "support.h"
#include "voxelastic/solve.h"

#define STATIC 0.8
#define DYNAMIC 0.5
#define GRAVITY 9.81

/* A block lying at rest on a level floor. */
static bench resting_block(int32_t nx, int32_t ny, int32_t nz, double youngs)
{
    vxe_scene *scene = new_scene(0.01, nx, ny, nz);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = youngs;
    def.static_friction = STATIC;
    def.dynamic_friction = DYNAMIC;
    fill_all(scene, put_material(scene, &def));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.02);
    e.floor = true;
    e.gravity[2] = -GRAVITY;
    set_environment(scene, &e);
    bench b = start(scene);
    settle(b.sim, 1e-7, 0.0, 200000);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_damping(b.sim, 1.0, 1.0, 1.0, 0.0, &error),
            &error); /* the ground must not hold what slides */
    return b;
}

static void tilt(vxe_sim *sim, double slope)
{
    const double angle = atan(slope);
    const double gravity[3] = {GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle)};
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_gravity(sim, gravity, &error), &error);
}

/* From slope to slope in small parts, so that the block is not shaken. */
static void tilt_slowly(vxe_sim *sim, double from, double to, int parts, int64_t steps)
{
    for (int i = 1; i <= parts; i++) {
        tilt(sim, from + (to - from) * i / parts);
        step(sim, steps);
    }
}

static double center_x(const vxe_sim *sim)
{
    double center[3];
    vxe_sim_center_of_mass(sim, center);
    return center[0];
}

static int32_t count_stuck(vxe_sim *sim)
{
    const vxe_state *s = vxe_sim_state(sim);
    int32_t count = 0;
    for (int32_t v = 0; v < vxe_model_get(vxe_sim_model(sim))->voxel_count; v++) count += s->stuck[v];
    return count;
}

/* Holds 1 % below the static coefficient and slips 1 % above (required). */
static void test_plate_on_a_slope(void **state)
{
    (void)state;
    bench b = resting_block(6, 4, 1, 1e6);
    assert_int_equal(count_stuck(b.sim), 24);
    const double at = center_x(b.sim);
    tilt_slowly(b.sim, 0.0, 0.99 * STATIC, 50, 100);
    step(b.sim, 5000);
    /* a stuck voxel does not move at all */
    check_near("way on the slope 1 % below, m", center_x(b.sim) - at, 0.0, 1e-15);
    assert_int_equal(count_stuck(b.sim), 24);
    tilt_slowly(b.sim, 0.99 * STATIC, 1.01 * STATIC, 2, 100);
    const double begin = center_x(b.sim);
    const double time = vxe_sim_time(b.sim);
    double speed[3];
    vxe_sim_momentum(b.sim, speed, NULL);
    const double v0 = speed[0] / vxe_model_get(b.model)->mass;
    step(b.sim, 5000);
    assert_int_equal(count_stuck(b.sim), 0);
    /* sliding: a = g (sin - mu_d cos); half a step of time is all that is uncertain */
    const double angle = atan(1.01 * STATIC);
    const double t = vxe_sim_time(b.sim) - time;
    const double expected = v0 * t + 0.5 * GRAVITY * (sin(angle) - DYNAMIC * cos(angle)) * t * t;
    print_message("    plate: holds at 0.99, slips at 1.01 mu_s and slides %.5f m in %.4f s (law: %.5f m)\n",
                  center_x(b.sim) - begin, t, expected);
    check_near("way down the slope, m", center_x(b.sim) - begin, expected, 0.005 * expected);
    finish(b);
}

/* The slope at which a block begins to slide as a whole, to 1 % of mu_s. */
static double slip_slope(int32_t layers, double youngs)
{
    bench b = resting_block(6, 4, layers, youngs);
    const double at = center_x(b.sim);
    double slope = 0.0;
    tilt_slowly(b.sim, 0.0, 0.4 * STATIC, 20, 200);
    for (slope = 0.4 * STATIC; slope < 1.1 * STATIC; slope += 0.01 * STATIC) {
        tilt_slowly(b.sim, slope, slope + 0.01 * STATIC, 4, 300);
        const vxe_state *s = vxe_sim_state(b.sim);
        /* all its feet have slipped by a hundredth of a voxel */
        bool slipped = true;
        for (int32_t j = 0; j < 4; j++) {
            for (int32_t i = 0; i < 6; i++) {
                const int32_t v = voxel_at(b.sim, i, j, 0);
                slipped = slipped && (s->stuck[v] == 0 && moved(b.sim, v, 0) > 1e-4);
            }
        }
        if (slipped) break;
    }
    assert_true(center_x(b.sim) > at);
    finish(b);
    return slope / STATIC;
}

/* Thicker blocks slip between the dynamic and the static coefficient: the slope shifts the load to the lower
 * side, whose voxels hold more than the upper ones. */
static void test_thicker_blocks(void **state)
{
    (void)state;
    static const double moduli[2] = {1e6, 3e4};
    for (int i = 0; i < 2; i++) {
        for (int32_t layers = 1; layers <= (is_quick() ? 1 : 6); layers = layers == 1 ? 3 : layers + 3) {
            const double slope = slip_slope(layers, moduli[i]);
            print_message("    %d layer(s), %g Pa: slips at %.2f mu_s (mu_d is %.3f mu_s)\n", (int)layers,
                          moduli[i], slope, DYNAMIC / STATIC);
            check_below("slope over mu_s", slope, 1.005);
            check_above("slope over mu_s", slope, DYNAMIC / STATIC - 0.01);
        }
    }
}

/* v^2/(2 mu_d g) to 1 % (required); it ends at rest and latched. */
static void test_stopping_distance(void **state)
{
    (void)state;
    static const double speeds[3] = {0.2, 1.0, 2.0};
    for (int i = 0; i < 3; i++) {
        bench b = resting_block(6, 4, 1, 1e6);
        const double velocity[3] = {0.6 * speeds[i], -0.8 * speeds[i], 0.0};
        const double none[3] = {0.0, 0.0, 0.0};
        vxe_error error = {VXE_OK, ""};
        double begin[3];
        vxe_sim_center_of_mass(b.sim, begin);
        require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
        settle(b.sim, 1e-9, 0.0, 200000);
        double end[3];
        vxe_sim_center_of_mass(b.sim, end);
        const double way = hypot(end[0] - begin[0], end[1] - begin[1]);
        const double expected = speeds[i] * speeds[i] / (2.0 * DYNAMIC * GRAVITY);
        print_message("    from %.1f m/s: stops after %.6f m, %+.3f %%\n", speeds[i], way,
                      100.0 * (way / expected - 1.0));
        check_near("stopping distance, m", way, expected, 0.01 * expected);
        check_near("direction", (end[1] - begin[1]) / (end[0] - begin[0]), -0.8 / 0.6, 1e-3);
        assert_int_equal(count_stuck(b.sim), 24);
        finish(b);
    }
}

/* A block thrown onto the floor, spinning: no voxel is ever pulled down or sped up sideways, at any damping.
 */
static void test_floor_never_pulls(void **state)
{
    (void)state;
    static const double ratios[3] = {0.0, 1.0, 5.0};
    for (int i = 0; i < 3; i++) {
        vxe_scene *scene = new_scene(0.01, 4, 3, 5);
        fill(scene, box_of(0, 0, 1, 4, 3, 4), add_material(scene, 1e6, 0.3, 1000));
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.1, 0.0);
        e.floor = true;
        e.gravity[2] = -GRAVITY;
        e.damping_contact = ratios[i];
        set_environment(scene, &e);
        bench b = start(scene);
        const double velocity[3] = {1.0, 0.5, -2.0};
        const double spin[3] = {5.0, 20.0, 10.0};
        double center[3];
        vxe_sim_center_of_mass(b.sim, center);
        vxe_error error = {VXE_OK, ""};
        require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
        const int steps = is_quick() ? 2000 : 20000;
        int64_t touches = 0;
        double top = 0.0;
        for (int n = 0; n < steps; n++) {
            step(b.sim, 1);
            const vxe_state *s = vxe_sim_state(b.sim);
            for (int32_t v = 0; v < vxe_model_get(b.model)->voxel_count; v++) {
                const double fx = s->contact_force[0][v];
                const double fy = s->contact_force[1][v];
                const double fz = s->contact_force[2][v];
                if (fz < 0.0) fail_msg("step %d: the floor pulls voxel %d with %g N", n, (int)v, fz);
                if (fz == 0.0 && (fx != 0.0 || fy != 0.0))
                    fail_msg("step %d: friction without pressure on voxel %d", n, (int)v);
                /* Coulomb: at most mu_s N while it sticks (friction 1.0 and 0.5), which latching may reach,
                 * at round-off */
                if (hypot(fx, fy) > fz * (1.0 + 1e-12) + 1e-15)
                    fail_msg("step %d: friction %g N under %g N on voxel %d", n, hypot(fx, fy), fz, (int)v);
                top = fmax(top, fz);
            }
            int64_t contacts = 0;
            vxe_sim_contacts(b.sim, &contacts, NULL);
            touches += contacts;
        }
        print_message("    contact damping %.0f: %lld contacts, largest force %.3g N\n", ratios[i],
                      (long long)touches, top);
        check_above("contacts", (double)touches, 100.0);
        finish(b);
    }
}

typedef enum start_kind { ON_THE_FLOOR, IN_EQUILIBRIUM, ABOVE_THE_FLOOR } start_kind;

/* How far a block slides down a slope in half a second after `wait` seconds; `first`: in those. */
static double slide(start_kind kind, int32_t layers, double dynamic, double slope, double wait, double *first)
{
    const int32_t gap = kind == ABOVE_THE_FLOOR;
    vxe_scene *scene = new_scene(0.01, 4, 4, layers + gap);
    vxe_material_def def = vxe_default_material_def();
    def.static_friction = STATIC;
    def.dynamic_friction = dynamic;
    fill(scene, box_of(0, 0, gap, 4, 4, layers), put_material(scene, &def));
    const double angle = atan(slope);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.floor = true;
    e.gravity[0] = GRAVITY * sin(angle);
    e.gravity[2] = -GRAVITY * cos(angle);
    set_environment(scene, &e);
    bench b = start(scene);
    if (kind == IN_EQUILIBRIUM) {
        const vxe_equilibrium_def how = vxe_default_equilibrium_def();
        vxe_equilibrium report;
        vxe_error error = {VXE_OK, ""};
        require(vxe_solve_equilibrium(b.sim, &how, &report, &error), &error);
    }
    double at = center_x(b.sim);
    double way = 0.0;
    for (int half = 0; half < 2; half++) {
        const vxe_stop stop = {.time = vxe_sim_time(b.sim) + (half == 0 ? wait : 0.5)};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        way = center_x(b.sim) - at;
        at += way;
        if (half == 0) *first = way;
    }
    finish(b);
    return way;
}

/* A plate that is put on a slope holds from the first step on below mu_s, and slips above: to 1 %; so it does
 * if it starts from its equilibrium. */
static void test_plate_from_the_start(void **state)
{
    (void)state;
    for (start_kind kind = ON_THE_FLOOR; kind <= IN_EQUILIBRIUM; kind++) {
        double first = 0.0;
        check_below("way of a plate below mu_s, m", slide(kind, 1, DYNAMIC, 0.99 * STATIC, 0.5, &first),
                    1e-12);
        check_below("way of a plate below mu_s at first, m", first, 1e-9);
        check_above("way of a plate above mu_s, m", slide(kind, 1, DYNAMIC, 1.01 * STATIC, 0.5, &first), 0.1);
        check_above("way of a plate above mu_s at first, m", first, 0.05);
    }
}

/* A thicker block with one coefficient: it shears by a small part of a voxel and lies still; 1 % above it
 * goes on and on. Without friction it would slide 2.3 m in the second half second. */
static void test_block_from_the_start(void **state)
{
    (void)state;
    for (start_kind kind = ON_THE_FLOOR; kind <= IN_EQUILIBRIUM; kind++) {
        double first = 0.0;
        const double below = slide(kind, 3, STATIC, 0.99 * STATIC, 0.5, &first);
        check_below("way of a block below mu at first, m", first, 1e-3);
        check_below("way of a block below mu, m", below, 1e-12);
        const double above = slide(kind, 3, STATIC, 1.01 * STATIC, 0.5, &first);
        check_above("way of a block above mu, m", above, 1e-2);
        check_above("gain of way of a block above mu, m", above - first, 4e-3);
    }
}

/* What falls onto a slope bounces and gains speed along it, and is then slowed down or sped up by the 1 %
 * between slope and friction: 0.06 m/s^2. So it comes to rest after some seconds, or never. */
static void test_fall_onto_a_slope(void **state)
{
    (void)state;
    for (int32_t layers = 1; layers <= 3; layers += 2) {
        double first = 0.0;
        const double below = slide(ABOVE_THE_FLOOR, layers, STATIC, 0.99 * STATIC, 5.0, &first);
        print_message("    %d layer(s): lies still after %.3f m", (int)layers, first);
        check_below("way of a fallen block below mu, m", below, 1e-12);
        const double above = slide(ABOVE_THE_FLOOR, layers, STATIC, 1.01 * STATIC, 0.5, &first);
        const double later = slide(ABOVE_THE_FLOOR, layers, STATIC, 1.01 * STATIC, 1.0, &first);
        const double angle = atan(1.01 * STATIC);
        const double gain = GRAVITY * (sin(angle) - STATIC * cos(angle)) * 0.5 * 0.5;
        print_message(" below mu; above it gains %.4f m each half second (law: %.4f m)\n", later - above,
                      gain);
        check_near("gain of way of a fallen block, m", later - above, gain, 0.01 * gain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plate_from_the_start), cmocka_unit_test(test_block_from_the_start),
        cmocka_unit_test(test_fall_onto_a_slope),    cmocka_unit_test(test_plate_on_a_slope),
        cmocka_unit_test(test_thicker_blocks),       cmocka_unit_test(test_stopping_distance),
        cmocka_unit_test(test_floor_never_pulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
