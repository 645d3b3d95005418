/* Materials that yield and break: flow curves, the return to them, a full cycle, and a bar that breaks where
 * it is weak and collides with itself. */
#include "support.h"

#include "kernel/material.h"
#include "model/flow.h"
#include "sim/sim.h"

static vxe_material_def bilinear(double youngs, double yield, double plastic)
{
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = youngs;
    def.law = VXE_LAW_BILINEAR;
    def.yield_stress = yield;
    def.plastic_modulus = plastic;
    return def;
}

static double strain_at(const flow_curve *c, double youngs, double stress)
{
    double plastic = 0.0;
    for (int32_t i = 0; i + 1 < c->count; i++) {
        if (stress <= c->stress[i]) break;
        const double top = i + 2 < c->count && c->stress[i + 1] < stress ? c->stress[i + 1] : stress;
        plastic +=
            (top - c->stress[i]) * (c->strain[i + 1] - c->strain[i]) / (c->stress[i + 1] - c->stress[i]);
    }
    return stress / youngs + plastic;
}

/* Two halves in series share stress: at any stress the strain is the mean of theirs. */
static void test_pairs_share_stress(void **state)
{
    (void)state;
    const vxe_material_def a = bilinear(1e6, 1e4, 1e5);
    const vxe_material_def b = bilinear(4e6, 3e4, 1e6);
    flow_curve one;
    flow_curve two;
    flow_curve both;
    vxe_flow_of_pair(&a, &a, &one);
    vxe_flow_of_pair(&b, &b, &two);
    vxe_flow_of_pair(&a, &b, &both);
    const double series = 2.0 * 1e6 * 4e6 / (1e6 + 4e6);
    for (double stress = 1e3; stress < 8e4; stress += 1.7e3) {
        const double exact_a = stress <= 1e4 ? stress / 1e6 : 0.01 + (stress - 1e4) / 1e5;
        const double exact_b = stress <= 3e4 ? stress / 4e6 : 0.0075 + (stress - 3e4) / 1e6;
        check_near("strain of one", strain_at(&one, 1e6, stress), exact_a, 1e-12);
        check_near("strain of the other", strain_at(&two, 4e6, stress), exact_b, 1e-12);
        check_near("strain of both", strain_at(&both, series, stress), 0.5 * (exact_a + exact_b), 1e-12);
    }
    vxe_material_def flat = bilinear(1e6, 2e4, 0.0);
    vxe_flow_of_pair(&flat, &b, &both);
    assert_true(both.stress[both.count - 1] == 2e4); /* perfectly plastic: it can carry no more */
    const vxe_material_def linear = vxe_default_material_def();
    vxe_flow_of_pair(&linear, &linear, &both);
    assert_int_equal(both.count, 0);
}

/* The exact isotropic-hardening loop of a bilinear material, corner by corner. */
static void test_bilinear_cycle(void **state)
{
    (void)state;
    const double youngs = 1e6;
    const double yield = 1e4;
    const double plastic = 2e5;
    const vxe_material_def def = bilinear(youngs, yield, plastic);
    flow_curve c;
    vxe_flow_of_pair(&def, &def, &c);
    const double hardening = plastic * youngs / (youngs - plastic); /* stress over plastic strain */
    plastic_state s = {0.0, 0.0};
    double offset = 0.0;
    double limit = yield;
    double worst = 0.0;
    const double turns[] = {0.0, 0.05, -0.06, 0.08, -0.02, 0.03};
    for (int leg = 0; leg + 1 < 6; leg++) {
        const double sign = turns[leg + 1] > turns[leg] ? 1.0 : -1.0;
        for (int i = 1; i <= 400; i++) {
            const double strain = turns[leg] + (turns[leg + 1] - turns[leg]) * i / 400.0;
            (void)plastic_update(&s, strain, youngs, c.strain, c.stress, c.count);
            const double trial = youngs * (strain - offset);
            if (sign * trial > limit) { /* on the straight line beyond yield */
                const double more = (sign * trial - limit) / (youngs + hardening);
                offset += sign * more;
                limit += hardening * more;
            }
            worst = fmax(worst, fabs(youngs * (strain - s.strain) - youngs * (strain - offset)) / yield);
        }
    }
    print_message("    largest difference from the exact loop %.1e of the yield stress\n", worst);
    check_below("difference from the exact loop", worst, 1e-9);
}

/* The return to a curve with many pieces against small steps along it. */
static void test_return(void **state)
{
    (void)state;
    vxe_material_def def = vxe_default_material_def();
    def.law = VXE_LAW_TABLE;
    def.table_count = 5;
    const double strains[] = {0.0, 0.01, 0.03, 0.05, 0.1};
    const double stresses[] = {0.0, 1e4, 1.8e4, 1.8e4, 2e4};
    for (int i = 0; i < 5; i++) {
        def.table_strain[i] = strains[i];
        def.table_stress[i] = stresses[i];
    }
    flow_curve c;
    vxe_flow_of_pair(&def, &def, &c);
    rng r = {3};
    for (int round = 0; round < 200; round++) {
        const double target = rng_between(&r, -0.2, 0.2);
        plastic_state jump = {0.0, 0.0};
        plastic_state crawl = {0.0, 0.0};
        (void)plastic_update(&jump, target, 1e6, c.strain, c.stress, c.count);
        for (int i = 1; i <= 2000; i++)
            (void)plastic_update(&crawl, target * i / 2000.0, 1e6, c.strain, c.stress, c.count);
        check_near("plastic strain", jump.strain, crawl.strain,
                   1e-12); /* monotone loading: the way does not matter */
        const double stress = 1e6 * fabs(target - jump.strain);
        double exact = 0.0;
        for (int i = 0; i < 4; i++) {
            if (fabs(target) > strains[i])
                exact = stresses[i] + (fabs(target) - strains[i]) * (stresses[i + 1] - stresses[i]) /
                                          (strains[i + 1] - strains[i]);
        }
        check_near("stress on the table", stress, exact, 1e-8 * 2e4);
    }
}

/* A bar pulled slowly past yield carries the flow stress, in `solid` too; the account balances. */
static void test_bar_yields(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        vxe_scene *scene = new_scene(0.001, 12, 3, 3);
        vxe_material_def def = bilinear(1e6, 1e4, 1e5);
        def.poissons_ratio = kind == 0 ? 0.0 : 0.3;
        fill_all(scene, put_material(scene, &def));
        vxe_region_def wall = region_of("wall", box_of(0, 0, 0, 1, 3, 3));
        wall.fixed = VXE_DOF_X | VXE_DOF_TURN; /* free to contract sideways: uniaxial stress */
        (void)put_region(scene, &wall);
        vxe_region_def grip = region_of("grip", box_of(11, 0, 0, 1, 3, 3));
        grip.fixed = VXE_DOF_X | VXE_DOF_TURN;
        grip.displacement[0] = 11e-3 * 0.03;
        grip.ramp = 0.05;
        (void)put_region(scene, &grip);
        const vxe_environment e =
            environment_of(kind == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID, 1.0, 0.05);
        set_environment(scene, &e);
        bench b = start(scene);
        const vxe_stop stop = {.time = 0.07};
        if (vxe_sim_run(b.sim, &stop, INT64_MAX) != VXE_RUN_TIME)
            fail_msg("%s", vxe_sim_status(b.sim)->message);
        double force[3];
        assert_int_equal(vxe_sim_region_reaction(b.sim, 1, force, NULL), VXE_OK);
        int64_t yielded = 0;
        vxe_sim_failures(b.sim, NULL, &yielded);
        const double exact = 9e-6 * (1e4 + (0.03 - 0.01) * 1e5); /* area times bilinear stress at 3 % */
        print_message("    %s: %.6f N, exact %.6f N, %lld links yielded\n", kind == 0 ? "beam" : "solid",
                      force[0], exact, (long long)yielded);
        /* beam: every link is uniaxial. solid: end layers, held straight, share the plastic flow a little
         * unevenly */
        check_near("force, N", force[0], exact, (kind == 0 ? 1e-3 : 3e-2) * exact);
        assert_true(yielded >= 99);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        check_below("unaccounted energy over work", fabs(energy.error) / energy.motion_work, 0.01);
        finish(b);
    }
}

/* A bar with a weak place breaks there; its halves, pushed together again, collide and never run into each
 * other. */
static void test_bar_breaks_and_collides(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.001, 14, 2, 2);
    vxe_material_def def = vxe_default_material_def();
    def.failure_stress = 2e5;
    fill_all(scene, put_material(scene, &def));
    def.failure_stress = 1e5;
    fill(scene, box_of(7, 0, 0, 1, 2, 2), put_material(scene, &def));
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    vxe_region_def grip = region_of("grip", box_of(13, 0, 0, 1, 2, 2));
    grip.fixed = VXE_DOF_ALL;
    grip.displacement[0] = 3e-3;
    grip.ramp = 0.02;
    const int32_t pulled = put_region(scene, &grip);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.02);
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_stop stop = {.time = 0.03};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    int64_t broken = 0;
    vxe_sim_failures(b.sim, &broken, NULL);
    assert_int_equal(broken, 4); /* one plane of links */
    int64_t events = 0;
    const vxe_event *log = vxe_sim_events(b.sim, &events);
    assert_int_equal(events, 4);
    const int32_t n = b.model->view.voxel_count;
    for (int64_t i = 0; i < events; i++) {
        const int32_t x = b.model->cell[0][log[i].link % n];
        assert_int_equal(log[i].kind, VXE_EVENT_BREAK);
        assert_true(log[i].link < n && (x == 6 || x == 7));     /* along x, at the weak layer */
        assert_int_equal(b.model->cell[0][log[0].link % n], x); /* all in one plane */
    }
    const int32_t left = b.model->cell[0][log[0].link % n];
    const double back[3] = {-1e-3, 0.0, 0.0};
    vxe_error error;
    require(vxe_sim_set_displacement(b.sim, pulled, back, 0.02, &error), &error);
    double nearest = INFINITY;
    int64_t touched = 0;
    for (int i = 0; i < 60; i++) {
        stop.time += 5e-4;
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        int64_t pairs = 0;
        vxe_sim_contacts(b.sim, NULL, &pairs);
        touched += pairs;
        for (int32_t y = 0; y < 4; y++) {
            const int32_t v = voxel_at(b.sim, left, y % 2, y / 2);
            const int32_t w = voxel_at(b.sim, left + 1, y % 2, y / 2);
            nearest = fmin(nearest, b.sim->position[0][w] - b.sim->position[0][v]);
        }
    }
    double force[3];
    assert_int_equal(vxe_sim_region_reaction(b.sim, pulled, force, NULL), VXE_OK);
    print_message("    broke at x = %d; pushed together: %lld contacts, nearest %.3f pitch, %.3f N\n",
                  (int)left, (long long)touched, nearest / 1e-3, force[0]);
    assert_true(touched > 0 && force[0] < -0.1);
    check_above("distance of the broken faces, pitches", nearest / 1e-3, 0.5);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_share_stress),
                                       cmocka_unit_test(test_bilinear_cycle), cmocka_unit_test(test_return),
                                       cmocka_unit_test(test_bar_yields),
                                       cmocka_unit_test(test_bar_breaks_and_collides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
