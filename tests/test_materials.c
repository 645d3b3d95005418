/* Materials that yield and break: flow curves, the return to them, a full cycle, and a bar that breaks where
 * it is weak and collides with itself. */
#include "support.h"

#include "kernel/material.h"
#include "model/flow.h"
#include "sim/collide.h"

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
        assert_int_equal(vxe_sim_region_reaction(b.sim, 1, force, NULL, NULL), VXE_OK);
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
    assert_int_equal(vxe_sim_region_reaction(b.sim, pulled, force, NULL, NULL), VXE_OK);
    print_message("    broke at x = %d; pushed together: %lld contacts, nearest %.3f pitch, %.3f N\n",
                  (int)left, (long long)touched, nearest / 1e-3, force[0]);
    assert_true(touched > 0 && force[0] < -0.1);
    check_above("distance of the broken faces, pitches", nearest / 1e-3, 0.5);
    finish(b);
}

/* ---- an independent account of yielding --------------------------------------------------------------------------------- */

/* Total strain at which a material first carries more than `stress` when it is pulled, from its definition;
 * infinite if it never does. */
static double pulled_strain(const vxe_material_def *def, double stress)
{
    if (def->law == VXE_LAW_LINEAR) return stress / def->youngs_modulus;
    if (def->law == VXE_LAW_BILINEAR) {
        if (stress < def->yield_stress) return stress / def->youngs_modulus;
        if (def->plastic_modulus == 0.0) return INFINITY;
        return def->yield_stress / def->youngs_modulus + (stress - def->yield_stress) / def->plastic_modulus;
    }
    int32_t i = 0;
    while (i + 2 < def->table_count && def->table_stress[i + 1] <= stress) i++;
    const double rise = def->table_stress[i + 1] - def->table_stress[i];
    const double run = def->table_strain[i + 1] - def->table_strain[i];
    if (rise <= 0.0) return INFINITY; /* the last piece is flat and goes on for ever */
    return def->table_strain[i] + (stress - def->table_stress[i]) * run / rise;
}

/* A link of two materials under any history of strain, by bisection: two halves carry the same stress, each
 * hardens as it was pulled in one go. */
typedef struct slow_link {
    const vxe_material_def *first, *second;
    double youngs;
    double plastic;     /* offset */
    double accumulated; /* sum of its changes */
} slow_link;

static double flow_strain_at(const slow_link *k, double stress)
{
    const double first = pulled_strain(k->first, stress) - stress / k->first->youngs_modulus;
    const double second = pulled_strain(k->second, stress) - stress / k->second->youngs_modulus;
    return 0.5 * (first + second);
}

static slow_link new_slow_link(const vxe_material_def *first, const vxe_material_def *second)
{
    const double e1 = first->youngs_modulus;
    const double e2 = second->youngs_modulus;
    return (slow_link){first, second, 2.0 * e1 * e2 / (e1 + e2), 0.0, 0.0};
}

/* Stress after a new strain. The largest stress s that strain can drive: s + E (plastic strain at s - what
 * there is already) = |trial|. */
static double slow_stress(slow_link *k, double strain)
{
    const double trial = k->youngs * (strain - k->plastic);
    double low = 0.0;
    double high = fabs(trial);
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (middle + k->youngs * fmax(flow_strain_at(k, middle) - k->accumulated, 0.0) <= fabs(trial)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double flow = (fabs(trial) - low) / k->youngs;
    k->plastic += trial < 0.0 ? -flow : flow;
    k->accumulated += flow;
    return trial < 0.0 ? -low : low;
}

static vxe_material_def random_material(rng *r)
{
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = rng_decades(r, 1e5, 1e7);
    const int kind = rng_int(r, 0, 3);
    if (kind == 0) return def;
    const double yield = def.youngs_modulus * rng_between(r, 0.002, 0.03);
    if (kind == 1) {
        const double part =
            rng_int(r, 0, 2) == 0 ? 0.0 : rng_between(r, 0.001, 0.9); /* sometimes perfectly plastic */
        return bilinear(def.youngs_modulus, yield, part * def.youngs_modulus);
    }
    def.law = VXE_LAW_TABLE;
    def.table_count = rng_int(r, 3, 8);
    def.table_strain[1] = yield / def.youngs_modulus;
    def.table_stress[1] = yield;
    for (int32_t i = 2; i < def.table_count; i++) {
        /* softer, flat, or as stiff as at first */
        const double slope[3] = {rng_between(r, 0.01, 0.8), 0.0, 1.0};
        const double run = rng_between(r, 0.005, 0.03);
        def.table_strain[i] = def.table_strain[i - 1] + run;
        def.table_stress[i] =
            def.table_stress[i - 1] + slope[rng_int(r, 0, 3) % 3] * run * def.youngs_modulus;
    }
    return def;
}

/* Any pair of laws, any history: the update against bisection. 1e-9 of the modulus times the strain: the
 * table's "as stiff as at first" pieces turn round-off of the strains, 1e-17, into stress with slopes of the
 * modulus, and 200 steps add up. */
static void test_random_histories(void **state)
{
    (void)state;
    rng r = {8};
    double worst = 0.0;
    int flowed = 0;
    for (int round = 0; round < (is_quick() ? 60 : 600); round++) {
        const vxe_material_def first = random_material(&r);
        const vxe_material_def second = rng_int(&r, 0, 1) == 0 ? first : random_material(&r);
        flow_curve c;
        vxe_flow_of_pair(&first, &second, &c);
        slow_link slow = new_slow_link(&first, &second);
        plastic_state fast = {0.0, 0.0};
        for (int i = 0; i < 200; i++) {
            const double strain = rng_between(&r, -0.1, 0.1);
            if (c.count > 0)
                flowed += plastic_update(&fast, strain, slow.youngs, c.strain, c.stress, c.count);
            const double exact = slow_stress(&slow, strain);
            worst = fmax(worst, fabs(slow.youngs * (strain - fast.strain) - exact) / (0.1 * slow.youngs));
        }
        if (!(worst <= 1e-9)) fail_msg("round %d: off by %.3g of the largest elastic stress", round, worst);
    }
    assert_true(flowed > 1000);
    print_message("    largest difference from bisection %.1e of the largest elastic stress\n", worst);
}

/* A table whose points lie on one line is elastic for ever, and so is one that ends with the slope it began
 * with once that is reached. */
static void test_straight_table(void **state)
{
    (void)state;
    vxe_material_def def = vxe_default_material_def();
    def.law = VXE_LAW_TABLE;
    def.table_count = 3;
    for (int i = 0; i < 3; i++) {
        def.table_strain[i] = 0.015625 * i; /* exact in binary, so that the plastic strain is exactly 0 */
        def.table_stress[i] = 15625.0 * i;
    }
    flow_curve c;
    vxe_flow_of_pair(&def, &def, &c);
    plastic_state s = {0.0, 0.0};
    assert_false(plastic_update(&s, 0.9, 1e6, c.strain, c.stress, c.count));
    assert_false(plastic_update(&s, -0.9, 1e6, c.strain, c.stress, c.count));
}

/* ---- one link in a simulation -------------------------------------------------------------------------------------------- */

/* Two voxels, one held and one led along x. */
static bench link_of(const vxe_material_def *first, const vxe_material_def *second, bool audit)
{
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    require(vxe_scene_set_voxel(scene, 0, 0, 0, put_material(scene, first), NULL), NULL);
    require(vxe_scene_set_voxel(scene, 1, 0, 0, put_material(scene, second), NULL), NULL);
    (void)add_fixed(scene, "held", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    (void)add_fixed(scene, "led", box_of(1, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    set_environment(scene, &e);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = audit;
    return start_with(scene, &def);
}

/* Takes the link to a strain and gives the stress it then carries. */
static double lead(vxe_sim *sim, double strain)
{
    vxe_error error = {VXE_OK, ""};
    const double to[3] = {0.01 * strain, 0.0, 0.0};
    require(vxe_sim_set_displacement(sim, 1, to, 0.0, &error), &error);
    step(sim, 12); /* at most ten to get there, and one to feel it */
    const vxe_links *links = NULL;
    require(vxe_sim_links(sim, &links, &error), &error);
    double force[3];
    assert_int_equal(vxe_sim_region_reaction(sim, 1, force, NULL, NULL), VXE_OK);
    return links->stress[0];
}

/* A cycle of tension, compression and tension again of a link in a simulation: the loop is the exact one to
 * 1e-9 of the yield stress, and what is lost in it is its area. */
static void test_link_cycle(void **state)
{
    (void)state;
    const double youngs = 1e6;
    const double yield = 1e4;
    const double plastic = 2e5;
    const vxe_material_def def = bilinear(youngs, yield, plastic);
    const double hardening = plastic * youngs / (youngs - plastic);
    const bench b = link_of(&def, &def, true);
    const double turns[] = {0.0, 0.04, -0.05, 0.06, 0.0};
    double worst = 0.0;
    double area = 0.0;
    double before = 0.0;
    double offset = 0.0;
    double limit = yield;
    const int points = 2000;
    for (int leg = 0; leg < 4; leg++) {
        const double sign = turns[leg + 1] > turns[leg] ? 1.0 : -1.0;
        const double move = (turns[leg + 1] - turns[leg]) / points;
        for (int i = 1; i <= points; i++) {
            const double strain = turns[leg] + move * i;
            const double stress = lead(b.sim, strain);
            /* the straight line beyond yield, with the limits of isotropic hardening */
            const double beyond = sign * youngs * (strain - offset) - limit;
            if (beyond > 0.0) {
                offset += sign * beyond / (youngs + hardening);
                limit += hardening * beyond / (youngs + hardening);
            }
            worst = fmax(worst, fabs(stress - youngs * (strain - offset)) / yield);
            area += 0.5 * (stress + before) * move * 1e-6;
            before = stress;
        }
    }
    print_message("    link cycle: largest difference from the exact loop %.1e of the yield stress\n", worst);
    check_below("difference from the exact loop", worst, 1e-9);
    const double lost = area - 0.5 * before * before / youngs * 1e-6; /* less what is still in the spring */
    const vxe_energy energy = vxe_sim_energy(b.sim);
    print_message("    link cycle: dissipated %.6g J, area of the loop %.6g J\n", energy.dissipated, lost);
    check_near("dissipated, J", energy.dissipated, lost, 0.01 * lost); /* the required per cent */
    int64_t broken = 0;
    int64_t yielded = 0;
    vxe_sim_failures(b.sim, &broken, &yielded);
    assert_int_equal(yielded, 1);
    assert_int_equal(broken, 0);
    finish(b);
}

/* Links of unlike laws in a simulation against bisection; to 1e-9 of the largest elastic stress as above. */
static void test_unlike_links(void **state)
{
    (void)state;
    rng r = {21};
    double worst = 0.0;
    for (int round = 0; round < (is_quick() ? 5 : 50); round++) {
        const vxe_material_def first = random_material(&r);
        const vxe_material_def second = random_material(&r);
        const bench b = link_of(&first, &second, false); /* jumps: no account */
        slow_link slow = new_slow_link(&first, &second);
        for (int i = 0; i < 40; i++) {
            const double strain = rng_between(&r, -0.1, 0.1);
            const double exact = slow_stress(&slow, strain);
            worst = fmax(worst, fabs(lead(b.sim, strain) - exact) / (0.1 * slow.youngs));
        }
        check_below("difference from bisection", worst, 1e-9);
        finish(b);
    }
    print_message("    unlike links: largest difference from bisection %.1e of the largest elastic stress\n",
                  worst);
}

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

/* A bar whose middle is perfectly plastic, pulled well past yield, carries the yield stress times its
 * section, in both elasticities and for any Poisson's ratio: flow is limited by the uniaxial stress. (The
 * ends stay elastic: next to a grip the pressure is not that of a long bar, and a link flows by its strain.)
 */
static void test_bar_carries_yield_stress(void **state)
{
    (void)state;
    for (int kind = 0; kind < (is_quick() ? 1 : 3); kind++) {
        vxe_scene *scene = new_scene(0.001, 20, 3, 3);
        vxe_material_def def = bilinear(1e6, 1e4, 0.0);
        def.poissons_ratio = kind == 2 ? 0.45 : 0.3;
        fill_all(scene, put_material(scene, &def));
        vxe_material_def elastic = vxe_default_material_def();
        elastic.poissons_ratio = def.poissons_ratio;
        const int32_t ends = put_material(scene, &elastic);
        fill(scene, box_of(0, 0, 0, 5, 3, 3), ends);
        fill(scene, box_of(15, 0, 0, 5, 3, 3), ends);
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 3, 3), VXE_DOF_X | VXE_DOF_TURN);
        vxe_region_def grip = region_of("grip", box_of(19, 0, 0, 1, 3, 3));
        grip.fixed = VXE_DOF_X | VXE_DOF_TURN;
        grip.displacement[0] = 19e-3 * 0.02; /* twice the strain at yield */
        grip.ramp = 0.05;
        (void)put_region(scene, &grip);
        const vxe_environment e =
            environment_of(kind == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID, 1.0, 0.05);
        set_environment(scene, &e);
        const bench b = start(scene);
        const vxe_stop stop = {.time = 0.08};
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        double force[3];
        assert_int_equal(vxe_sim_region_reaction(b.sim, 1, force, NULL, NULL), VXE_OK);
        print_message("    %s, nu %.2f: %.5f of the yield stress\n", kind == 0 ? "beam" : "solid",
                      def.poissons_ratio, force[0] / 0.09);
        check_near("force over section times yield stress", force[0] / 0.09, 1.0, 0.005);
        /* the work that went in was dissipated or is still there as elastic energy */
        const vxe_energy energy = vxe_sim_energy(b.sim);
        check_below("unaccounted energy over work", fabs(energy.error) / energy.motion_work, 0.01);
        finish(b);
    }
}

/* Links that break leave surface voxels behind: the middle of a bar 3 voxels thick is not watched for
 * contacts before, and is afterwards. */
static void test_broken_faces_are_surface(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.001, 10, 3, 3);
    vxe_material_def def = vxe_default_material_def();
    fill_all(scene, put_material(scene, &def));
    def.failure_stress = 5e4;
    fill(scene, box_of(5, 0, 0, 1, 3, 3), put_material(scene, &def));
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 3, 3), VXE_DOF_ALL);
    vxe_region_def grip = region_of("grip", box_of(9, 0, 0, 1, 3, 3));
    grip.fixed = VXE_DOF_ALL;
    grip.displacement[0] = 2e-3;
    grip.ramp = 0.02;
    (void)put_region(scene, &grip);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.02);
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    const bench b = start(scene);
    const int32_t surface = b.sim->collider->candidate_count;
    assert_int_equal(surface, b.model->view.surface_count);
    const int32_t inner = voxel_at(b.sim, 5, 1, 1);
    assert_int_equal(b.sim->free_faces[inner], 0);
    const vxe_stop stop = {.time = 0.03};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    int64_t broken = 0;
    vxe_sim_failures(b.sim, &broken, NULL);
    /* the weak layer has 9 links to each neighbour layer; only one of the two planes need break, and its 9
     * links do */
    assert_int_equal(broken, 9);
    int32_t opened = 0;
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        opened += b.model->free_faces[v] == 0 && b.sim->free_faces[v] > 0;
    }
    assert_int_equal(opened, 2); /* one on either side of the crack */
    assert_int_equal(b.sim->collider->candidate_count, surface + 2);
    assert_int_equal(b.sim->free_faces[inner], 1);
    const vxe_links *links = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_links(b.sim, &links, &error), &error);
    int marked = 0;
    for (int32_t i = 0; i < 3 * b.model->view.voxel_count; i++) {
        marked += links->broken[i];
        if (links->broken[i] != 0) check_near("stress of a broken link", links->stress[i], 0.0, 0.0);
    }
    assert_int_equal(marked, 9);
    /* what the broken links held went into the account */
    const vxe_energy energy = vxe_sim_energy(b.sim);
    check_below("unaccounted energy over work", fabs(energy.error) / energy.motion_work, 0.01);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_share_stress),
                                       cmocka_unit_test(test_bilinear_cycle),
                                       cmocka_unit_test(test_return),
                                       cmocka_unit_test(test_random_histories),
                                       cmocka_unit_test(test_straight_table),
                                       cmocka_unit_test(test_link_cycle),
                                       cmocka_unit_test(test_unlike_links),
                                       cmocka_unit_test(test_bar_carries_yield_stress),
                                       cmocka_unit_test(test_broken_faces_are_surface),
                                       cmocka_unit_test(test_bar_yields),
                                       cmocka_unit_test(test_bar_breaks_and_collides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
