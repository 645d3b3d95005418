/* Rigid parts: conservation, against the same parts made very stiff, contact, supports, the same bits. */
#include "support.h"

#include "model/model.h"
#include "sim/collide.h"
#include "sim/sim.h"

#define PITCH 0.01

static int32_t add_rigid(vxe_scene *scene, double youngs, double density)
{
    vxe_material_def def = vxe_default_material_def();
    (void)snprintf(def.name, sizeof def.name, "bone");
    def.youngs_modulus = youngs;
    def.density = density;
    def.rigid = true;
    return put_material(scene, &def);
}

static void set_motion(vxe_sim *sim, const double velocity[3], const double spin[3])
{
    vxe_error error = {VXE_OK, ""};
    double center[3];
    vxe_sim_center_of_mass(sim, center);
    require(vxe_sim_set_motion(sim, velocity, spin, center, &error), &error);
}

/* An L of three unlike arms: spins about no axis of symmetry. */
static vxe_scene *odd_scene(bool soft)
{
    vxe_scene *scene = new_scene(PITCH, 8, 5, 4);
    const int32_t rigid = add_rigid(scene, 1e6, 1500.0);
    fill(scene, box_of(0, 0, 0, 5, 1, 1), rigid);
    fill(scene, box_of(0, 0, 0, 1, 3, 1), rigid);
    fill(scene, box_of(0, 0, 0, 1, 1, 2), rigid);
    if (soft) {
        const int32_t gel = add_material(scene, 1e5, 0.3, 1000.0);
        fill(scene, box_of(5, 0, 0, 3, 2, 2), gel);
        fill(scene, box_of(1, 1, 1, 2, 3, 3), gel);
    }
    return scene;
}

static void momenta(const vxe_sim *sim, double linear[3], double angular[3])
{
    vxe_sim_momentum(sim, linear, angular);
}

static double change_of(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length3(d);
}

/* 10^5 steps of a spinning rigid body: energy and angular momentum to 1e-9. */
static void test_free_spin(void **state)
{
    (void)state;
    bench b = start(odd_scene(false));
    const double velocity[3] = {0.3, -0.2, 0.1};
    const double spin[3] = {20.0, 60.0, -35.0};
    set_motion(b.sim, velocity, spin);
    const double dt = vxe_sim_time_step(b.sim).dt;
    step(b.sim, 1);
    double p0[3];
    double l0[3];
    double p1[3];
    double l1[3];
    momenta(b.sim, p0, l0);
    const double k0 = vxe_kinetic_energy(b.sim);
    const int steps = is_quick() ? 10000 : 100000;
    double worst = 0.0;
    for (int i = 0; i < 100; i++) {
        step(b.sim, steps / 100);
        worst = fmax(worst, fabs(vxe_kinetic_energy(b.sim) / k0 - 1.0));
    }
    momenta(b.sim, p1, l1);
    print_message(
        "    %d steps of %.3g s (%.3f rad each): energy %.1e, angular momentum %.1e, momentum %.1e\n", steps,
        dt, dt * length3(spin), worst, change_of(l0, l1) / length3(l0), change_of(p0, p1) / length3(p0));
    check_below("change of energy", worst, 1e-9);
    check_below("change of angular momentum", change_of(l0, l1) / length3(l0), 1e-9);
    check_below("change of momentum", change_of(p0, p1) / length3(p0), 1e-9);
    /* no drift apart: links of the part are as long as they were */
    const vxe_state *s = vxe_sim_state(b.sim);
    for (int32_t v = 0; v < vxe_model_get(b.model)->voxel_count; v++) {
        for (int a = 0; a < 3; a++) {
            const int32_t w = vxe_model_get(b.model)->next[a][v];
            if (w < 0) continue;
            const double d[3] = {s->position[0][w] - s->position[0][v], s->position[1][w] - s->position[1][v],
                                 s->position[2][w] - s->position[2][v]};
            check_near("length", length3(d), PITCH, 1e-14);
        }
    }
    finish(b);
}

static void test_conservation(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        vxe_scene *scene = odd_scene(true);
        vxe_environment e =
            environment_of(i % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, i < 2 ? 0.0 : 1.0, 0.0);
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(scene, &def);
        const double velocity[3] = {0.3, -0.2, 0.1};
        const double spin[3] = {5.0, 10.0, -7.0};
        set_motion(b.sim, velocity, spin);
        double p0[3];
        double l0[3];
        double p1[3];
        double l1[3];
        momenta(b.sim, p0, l0);
        step(b.sim, is_quick() ? 4000 : 50000);
        momenta(b.sim, p1, l1);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        const double scale = energy.kinetic + fabs(energy.elastic) + fabs(energy.dissipated);
        print_message("    bond %g: momentum %.1e, angular momentum %.1e, account %.1e of %.2g J\n",
                      i < 2 ? 0.0 : 1.0, change_of(p0, p1) / length3(p0), change_of(l0, l1) / length3(l0),
                      energy.error / scale, scale);
        check_below("momentum", change_of(p0, p1) / length3(p0), 1e-11);
        check_below("angular momentum", change_of(l0, l1) / length3(l0), 1e-10);
        check_below("account", fabs(energy.error) / scale, 0.01);
        finish(b);
    }
}

/* Ground damping of a rigid part with soft voxels at it, whose rates differ: what it takes is booked along
 * the velocities it leaves, or energy would appear with every pull of the soft ones. */
static void test_ground_damping(void **state)
{
    (void)state;
    static const double stiffer[] = {1.0, 10.0, 1000.0};
    for (int i = 0; i < 9; i++) {
        const int kind = i % 3; /* free; on a hinge; sliding, with damping of links */
        vxe_scene *scene = new_scene(PITCH, 6, 2, 2);
        const int32_t gel = add_material(scene, 1e6, 0.0, 1000.0);
        const int32_t bone = add_rigid(scene, 1e6 * stiffer[i / 3], 1000.0);
        fill(scene, box_of(0, 0, 0, 3, 2, 1), bone);
        fill(scene, box_of(3, 0, 0, 3, 1, 1), gel);
        fill(scene, box_of(0, 1, 1, 1, 1, 1), gel);
        if (kind == 1) (void)add_fixed(scene, "hinge", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_MOVE);
        if (kind == 2) (void)add_fixed(scene, "slide", box_of(0, 0, 0, 2, 1, 1), VXE_DOF_Z | VXE_DOF_TURN);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, kind == 2 ? 1.0 : 0.0, 0.05);
        e.gravity[0] = 5.0;
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(scene, &def);
        const double velocity[3] = {0.1, 0.1, 0.0};
        const double spin[3] = {0.0, 3.0, 2.0};
        if (kind == 0) set_motion(b.sim, velocity, spin);
        step(b.sim, 2000);
        assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        const double scale = energy.kinetic + energy.elastic + energy.dissipated;
        print_message("    kind %d, %4g times as stiff: account %.1e of %.2g J\n", kind, stiffer[i / 3],
                      energy.error / scale, scale);
        check_above("taken, of all", energy.dissipated / scale, 0.3);
        /* as exact as where nothing is damped: turning links leave some 1e-7 in steps of finite length */
        check_below("account", fabs(energy.error) / scale, 1e-5);
        finish(b);
    }
}

/* A soft bar with a rigid middle, clamped at one end, swings under its weight; against the same with a middle
 * 10^4 times as stiff. */
static bench bar(bool rigid, double stiffer)
{
    vxe_scene *scene = new_scene(PITCH, 14, 2, 2);
    const int32_t gel = add_material(scene, 2e6, 0.3, 1000.0);
    const int32_t bone =
        rigid ? add_rigid(scene, 2e6, 1500.0) : add_material(scene, 2e6 * stiffer, 0.3, 1500.0);
    fill_all(scene, gel);
    fill(scene, box_of(5, 0, 0, 5, 2, 2), bone);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.1, 0.0);
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    return start(scene);
}

static void test_against_stiff(void **state)
{
    (void)state;
    bench soft = bar(true, 1.0);
    bench stiff = bar(false, 1e4);
    const double ratio = vxe_sim_time_step(soft.sim).dt / vxe_sim_time_step(stiff.sim).dt;
    const int32_t tip = voxel_at(soft.sim, 13, 0, 0);
    double apart = 0.0;
    double swing = 0.0;
    const int points = is_quick() ? 10 : 100;
    for (int i = 1; i <= points; i++) {
        const vxe_stop stop = {.time = 0.01 * i};
        assert_int_equal(vxe_sim_run(soft.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        assert_int_equal(vxe_sim_run(stiff.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        double d[3];
        double m[3];
        for (int a = 0; a < 3; a++) {
            m[a] = moved(stiff.sim, tip, a);
            d[a] = moved(soft.sim, tip, a) - m[a];
        }
        apart = fmax(apart, length3(d));
        swing = fmax(swing, length3(m));
    }
    print_message(
        "    rigid and 10^4 times stiffer: apart by %.3f %% of the swing of %.4f m; steps %.3g and %.3g s, "
        "%.0f times\n",
        100.0 * apart / swing, swing, vxe_sim_time_step(soft.sim).dt, vxe_sim_time_step(stiff.sim).dt, ratio);
    check_below("apart", apart, 0.01 * swing);
    check_above("ratio of steps", ratio, 30.0);
    finish(soft);
    finish(stiff);
}

/* ---- contact -------------------------------------------------------------------------------------------------------- */

/* A rigid ball and a rigid plank among soft ones, on the floor, on ground, on a solid. */
static vxe_scene *heap(double bond, int kind, vxe_collisions collisions)
{
    vxe_scene *scene = new_scene(PITCH, 9, 7, 12);
    const int32_t gel = add_material(scene, 3e5, 0.3, 1000.0);
    const int32_t bone = add_rigid(scene, 1e6, 2000.0);
    fill(scene, box_of(0, 0, 1, 9, 7, 2), gel);
    fill(scene, box_of(1, 1, 2, 2, 5, 1), bone);
    fill(scene,
         (vxe_shape){
             .kind = VXE_SHAPE_SPHERE, .units = VXE_UNITS_VOXELS, .center = {4.5, 3.5, 6.5}, .radius = {2.3}},
         bone);
    fill(scene, box_of(2, 0, 10, 6, 2, 2), bone);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, bond, 0.0);
    e.gravity[2] = -9.81;
    e.collisions = collisions;
    e.floor = kind == 0;
    set_environment(scene, &e);
    vxe_error error = {VXE_OK, ""};
    if (kind == 1) {
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = VXE_GROUND_ROUGH;
        g.points[0] = g.points[1] = 101;
        g.spacing = 0.8 * PITCH;
        g.origin[0] = g.origin[1] = -0.4;
        g.origin[2] = -0.01;
        g.height = 0.02;
        g.length = 0.04;
        require(vxe_scene_set_ground(scene, &g, &error), &error);
    }
    return scene;
}

static void test_heap(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(heap(i % 2 == 0 ? 1.0 : 0.05, i / 2, VXE_COLLISIONS_GRID), &def);
        const int chunks = is_quick() ? 10 : 60;
        int64_t pairs = 0;
        int64_t floor = 0;
        for (int k = 0; k < chunks; k++) {
            step(b.sim, 200);
            int64_t now[2];
            vxe_sim_contacts(b.sim, &now[0], &now[1]);
            floor += now[0];
            pairs += now[1];
        }
        const vxe_energy e = vxe_sim_energy(b.sim);
        const double scale = e.kinetic + fabs(e.elastic) + fabs(e.dissipated) + fabs(e.gravity);
        double center[3];
        vxe_sim_center_of_mass(b.sim, center);
        print_message(
            "    heap %d: %lld floor, %lld pair contacts; centre at %.4f m, speed %.3g m/s; account %.1e\n",
            i, (long long)floor, (long long)pairs, center[2], vxe_sim_speed_max(b.sim), e.error / scale);
        assert_true(pairs > 0 && floor > 0);
        check_below("account", fabs(e.error) / scale, 0.01);
        check_above("height of the centre, m", center[2], 0.01);
        finish(b);
    }
}

/* A corner of a rigid part that comes down where nothing slides: what stops it there may lift it off again.
 * Its spring is stiff, so a corner that nothing resists for one step would be energy from nothing. */
static void test_sticky_corners(void **state)
{
    (void)state;
    static const int throws[] = {20, 86, 122, 141, 150, 211, 215, 285}; /* of 300, those in which it does */
    double worst = 0.0;
    for (size_t k = 0; k < sizeof throws / sizeof throws[0]; k++) {
        const int i = throws[k];
        vxe_scene *scene = new_scene(PITCH, 2, 4, 7);
        const int32_t gel = add_material(scene, 3e6, 0.0, 1000.0); /* steps are as long as it allows */
        const int32_t rigid = add_rigid(scene, 3e9, 1000.0);
        fill(scene, box_of(1, 0, 1, 1, 4, 4), rigid);
        fill(scene, box_of(0, 1, 2, 1, 2, 2), gel);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
        e.gravity[2] = -9.81;
        e.floor = true;
        e.floor_sticky = true;
        e.damping_contact = 0.0;
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(scene, &def);
        const double velocity[3] = {0.1 * (i % 7) - 0.3, 0.15 * (i % 11) - 0.7, 0.03 * (i % 5)};
        const double spin[3] = {3.0 * (i % 13 - 6), 10.0 - 2.0 * (i % 10), 0.3 * (i % 17)};
        set_motion(b.sim, velocity, spin);
        step(b.sim, 1500);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        worst = fmax(worst, fabs(energy.error) / (energy.kinetic + energy.elastic + energy.dissipated));
        finish(b);
    }
    print_message("    sticky corners: account within %.1e of what there was\n", worst);
    /* rounds end when forces change by 1e-4 of the largest; what that leaves adds up over some impacts */
    check_below("account", worst, 1e-3);
}

/* Every pair that touches is on the list. */
static void test_list(void **state)
{
    (void)state;
    bench b = start(heap(0.1, 0, VXE_COLLISIONS_GRID));
    const vxe_model_view *view = vxe_model_get(b.model);
    int64_t touching = 0;
    for (int k = 0; k < (is_quick() ? 20 : 150); k++) {
        step(b.sim, 37);
        const vxe_state *s = vxe_sim_state(b.sim);
        const pair_list *list = &b.sim->collider->list;
        for (int32_t v = 0; v < view->voxel_count; v++) {
            for (int32_t w = v + 1; w < view->voxel_count; w++) {
                const double d[3] = {s->position[0][w] - s->position[0][v],
                                     s->position[1][w] - s->position[1][v],
                                     s->position[2][w] - s->position[2][v]};
                if (length3(d) >= PITCH || vxe_collider_excluded(b.sim, v, w)) continue;
                if (b.model->free_faces[v] == 0 || b.model->free_faces[w] == 0) continue;
                bool found = false;
                for (int64_t i = 0; i < list->count && !found; i++)
                    found = list->first[i] == v && list->second[i] == w;
                if (!found) fail_msg("voxels %d and %d touch and are not on the list", (int)v, (int)w);
                touching++;
            }
        }
    }
    print_message("    %lld contacts, all on the list\n", (long long)touching);
    assert_true(touching > 0);
    finish(b);
}

/* ---- supports ------------------------------------------------------------------------------------------------------- */

/* A rigid pendulum on a hinge: its period is that of physics. */
static void test_pendulum(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 1, 1, 20);
    const int32_t bone = add_rigid(scene, 1e6, 1000.0);
    fill_all(scene, bone);
    (void)add_fixed(scene, "hinge", box_of(0, 0, 19, 1, 1, 1), VXE_DOF_X | VXE_DOF_Y | VXE_DOF_Z);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    bench b = start_with(scene, &def);
    const double still[3] = {0.0, 0.0, 0.0};
    const double spin[3] = {0.0, 0.2, 0.0};
    set_motion(b.sim, still, spin);
    const int32_t top = voxel_at(b.sim, 0, 0, 19);
    double crossed[2] = {0.0, 0.0};
    int crossings = 0;
    double before = 0.0;
    double off = 0.0;
    while (crossings < 7 && vxe_sim_time(b.sim) < 10.0) {
        step(b.sim, 1);
        const double now = moved(b.sim, 0, 0);
        if (now * before < 0.0) {
            if (crossings == 0) crossed[0] = vxe_sim_time(b.sim);
            crossed[1] = vxe_sim_time(b.sim);
            crossings++;
        }
        before = now;
        for (int a = 0; a < 3; a++) off = fmax(off, fabs(moved(b.sim, top, a)));
    }
    /* bar of 20 cubes about the centre of the last: Steiner */
    const double d = 9.5 * PITCH;
    const double inertia = (400.0 + 1.0) * PITCH * PITCH / 12.0 + d * d;
    const double expected = 2.0 * PI * sqrt(inertia / (9.81 * d));
    print_message("    pendulum: period %.5f s, expected %.5f s; hinge off by %.1e m\n",
                  (crossed[1] - crossed[0]) / 3.0, expected, off);
    check_near("period, s", (crossed[1] - crossed[0]) / 3.0, expected, 0.002 * expected);
    check_below("hinge, m", off, 1e-6);
    finish(b);
}

/* A rigid part that is held all round stays exactly where it is, and so does its account: with a weight as
 * its only energy, any round-off would be energy without a cause. */
static void test_held(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        vxe_scene *scene = new_scene(PITCH, 4, 2, 3);
        const int32_t bone = add_rigid(scene, 1e5, 1000.0);
        fill(scene, box_of(0, 0, 0, 4, 2, 2), bone);
        fill(scene, box_of(1, 1, 2, 2, 1, 1), bone);
        if (kind == 0) (void)add_fixed(scene, "all", box_of(0, 0, 0, 4, 2, 3), VXE_DOF_MOVE | VXE_DOF_TURN);
        if (kind == 1) (void)add_fixed(scene, "xyz", box_of(0, 0, 0, 4, 2, 3), VXE_DOF_MOVE);
        if (kind == 2) (void)add_fixed(scene, "one", box_of(2, 1, 1, 1, 1, 1), VXE_DOF_MOVE | VXE_DOF_TURN);
        if (kind == 3) {
            (void)add_fixed(scene, "three", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_MOVE);
            (void)add_fixed(scene, "z", box_of(3, 0, 0, 1, 1, 1), VXE_DOF_Z);
        }
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
        e.gravity[0] = 3.0;
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(scene, &def);
        step(b.sim, 3000);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
        for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
            for (int a = 0; a < 3; a++) assert_true(moved(b.sim, v, a) == 0.0);
        }
        assert_true(energy.kinetic == 0.0 && energy.motion_work == 0.0 && energy.load_work == 0.0);
        assert_true(energy.total == 0.0 && energy.dissipated == 0.0 && energy.error == 0.0);
        finish(b);
    }
}

static int32_t add_moved(vxe_scene *scene, const char *name, int32_t x, uint32_t dofs, const double moved[3],
                         const double turned[3], double ramp)
{
    vxe_error error = {VXE_OK, ""};
    vxe_region_def def = vxe_default_region_def();
    (void)snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = box_of(x, 0, 0, 1, 1, 1);
    def.fixed = dofs;
    def.ramp = ramp;
    def.has_pivot = true;
    for (int a = 0; a < 3; a++) {
        def.displacement[a] = moved[a];
        def.rotation[a] = turned[a];
        def.pivot[a] = PITCH;
    }
    int32_t region = -1;
    require(vxe_scene_add_region(scene, &def, &region, &error), &error);
    return region;
}

/* A rigid table on three rollers rests, too: it is free to slide and turn, so round-off moves it, and the
 * account does not take that for energy. */
static void test_rollers(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.0107, 7, 5, 3);
    const int32_t bone = add_rigid(scene, 1e3, 1000.0);
    fill(scene, box_of(0, 0, 0, 7, 5, 1), bone);
    fill(scene, box_of(2, 2, 1, 2, 1, 2), bone);
    (void)add_fixed(scene, "one", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_Z);
    (void)add_fixed(scene, "two", box_of(6, 0, 0, 1, 1, 1), VXE_DOF_Z);
    (void)add_fixed(scene, "three", box_of(3, 4, 0, 1, 1, 1), VXE_DOF_Z);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    bench b = start_with(scene, &def);
    step(b.sim, 20000);
    assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        for (int a = 0; a < 3; a++)
            check_near("way, m", moved(b.sim, v, a), 0.0, 1e-13); /* it drifts, unheld */
    }
    finish(b);
}

/* Voxels of a small rigid body that are held one above the other, in some freedoms only, and moved at once:
 * turns that would change their places by the square of the angle only are not there. Round-off of them was
 * driven back with ever more force. */
static void test_locks(void **state)
{
    (void)state;
    static const struct {
        int32_t cells[5][3];
        int32_t held; /* the first of these */
        uint32_t dofs;
        double moved[3];
        bool turns; /* about x: that is free */
    } cases[] = {
        {{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}},
         3,
         VXE_DOF_Y | VXE_DOF_Z | VXE_DOF_RX | VXE_DOF_RY,
         {0, 0.0002, -0.0005},
         false},
        {{{0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}},
         4,
         VXE_DOF_Y | VXE_DOF_RX | VXE_DOF_RY,
         {0, -0.0005, 0},
         false},
        {{{1, 0, 0}, {0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {0, 1, 1}},
         2,
         VXE_DOF_X | VXE_DOF_Y | VXE_DOF_RZ,
         {0.001, 0.001, 0},
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vxe_scene *scene = new_scene(PITCH, 2, 2, 2);
        const int32_t bone = add_rigid(scene, 1e6, 1000.0);
        vxe_region_def def = vxe_default_region_def();
        (void)snprintf(def.name, sizeof def.name, "hold");
        for (int k = 0; k < 5; k++) {
            const int32_t *c = cases[i].cells[k];
            fill(scene, box_of(c[0], c[1], c[2], 1, 1, 1), bone);
        }
        def.shape = (vxe_shape){.size = sizeof def.shape,
                                .kind = VXE_SHAPE_CELLS,
                                .units = VXE_UNITS_VOXELS,
                                .cell_count = cases[i].held,
                                .cells = cases[i].cells[0]};
        def.fixed = cases[i].dofs;
        memcpy(def.displacement, cases[i].moved, sizeof def.displacement);
        (void)put_region(scene, &def);
        vxe_sim_def settings = vxe_default_sim_def();
        settings.audit = true;
        bench b = start_with(scene, &settings);
        step(b.sim, 30);
        const double moving = vxe_sim_energy(b.sim).kinetic;
        step(b.sim, 3000);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        print_message("    held %d: %.3g J of motion, then %.3g J; account %.1e J\n", (int)i, moving,
                      energy.kinetic, energy.error);
        assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
        if (cases[i].turns) {
            /* one axis is left, on which nothing acts: what the account of 3000 steps may be off by */
            check_near("motion, J", energy.kinetic, moving, 1e-3 * moving);
            check_above("motion, J", moving, 1e-7);
        } else {
            /* of 1e-2 J in the steps of the move; the square of what round-off leaves of velocities */
            check_below("motion, J", energy.kinetic, 1e-20);
        }
        finish(b);
    }
}

/* Two regions at the ends of a rigid bar: what they ask for is one motion of it, or is refused. */
static void test_contradictions(void **state)
{
    (void)state;
    static const uint32_t all = VXE_DOF_MOVE | VXE_DOF_TURN;
    static const struct {
        uint32_t dofs[2];
        double moved[2][3];
        double turned[2][3];
        double ramp[2];
        const char *refused; /* NULL: it is one motion */
    } cases[] = {
        {{all, all}, {{0, 0, 0.05}, {0, 0, 0.05}}, {{0}}, {0.2, 0.2}, NULL},
        {{all, all}, {{0, 0, 0.05}, {0, 0, -0.05}}, {{0}}, {0.2, 0.2}, "(3,0,0) along z"},
        {{all, all}, {{0, 0, 0.05}, {0, 0, 0.05}}, {{0}}, {0.2, 0.3}, "(3,0,0) along z"},
        {{all, all}, {{0}}, {{0, 0, 1}, {0, 0, 1}}, {0.2, 0.2}, NULL},
        {{all, all}, {{0}}, {{0, 0, 1}, {0, 0, -1}}, {0.2, 0.2}, "(3,0,0) along x"},
        {{VXE_DOF_MOVE, VXE_DOF_MOVE}, {{0}, {0.01, 0, 0}}, {{0}}, {0, 0}, "(3,0,0) along x"},
        {{VXE_DOF_MOVE, VXE_DOF_Z}, {{0}, {0, 0, 0.01}}, {{0}}, {0.2, 0.2}, NULL}, /* a lever */
        {{VXE_DOF_X, VXE_DOF_Y}, {{0.01, 0, 0}, {0, 0.02, 0}}, {{0}}, {0.2, 0.1}, NULL},
        {{all, VXE_DOF_RY}, {{0, 0, 0.05}, {0}}, {{0}}, {0.2, 0.2}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vxe_scene *scene = new_scene(PITCH, 4, 2, 2);
        fill_all(scene, add_rigid(scene, 1e6, 1000.0));
        for (int n = 0; n < 2; n++)
            (void)add_moved(scene, n == 0 ? "a" : "b", 3 * n, cases[i].dofs[n], cases[i].moved[n],
                            cases[i].turned[n], cases[i].ramp[n]);
        vxe_model *model = NULL;
        vxe_error error = {VXE_OK, ""};
        const vxe_result result = vxe_compile(scene, &model, &error);
        char expected[160] = "";
        if (cases[i].refused != NULL)
            (void)snprintf(expected, sizeof expected,
                           "regions \"a\" and \"b\": different motions are prescribed of one rigid body, at "
                           "voxel %s",
                           cases[i].refused);
        assert_string_equal(error.message, expected);
        assert_int_equal(result, cases[i].refused != NULL ? VXE_ERROR_INPUT : VXE_OK);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* A region that holds one voxel. */
static void hold_voxel(vxe_scene *scene, const char *name, int32_t x, int32_t y, uint32_t dofs,
                       double along_x)
{
    vxe_region_def def = region_of(name, box_of(x, y, 0, 1, 1, 1));
    def.fixed = dofs;
    def.displacement[0] = along_x;
    put_region(scene, &def);
}

static void check_culprits(vxe_scene *scene, const char *expected)
{
    vxe_model *model = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_compile(scene, &model, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, expected);
    vxe_scene_destroy(scene);
}

#define DIFFERENT ": different motions are prescribed of one rigid body, at voxel "

/* Who contradicts whom where it takes several equations: the turn of a rod along y is the difference of two
 * motions along x. */
static void test_culprits(void **state)
{
    (void)state;
    static const struct {
        int32_t own, fixed; /* voxels, and more behind them, of a fixed material */
        struct {
            const char *name; /* NULL: no more regions */
            int32_t y;
            uint32_t dofs;
            double along_x;
        } hold[3];
        const char *expected;
    } cases[] = {
        {1, 1, {{"A", 0, VXE_DOF_X, 0.001}}, "region \"A\" and a fixed material" DIFFERENT "(0,1,0) about z"},
        {2,
         0,
         {{"A", 0, VXE_DOF_X, 0.001}, {"B", 1, VXE_DOF_ALL, 0}},
         "regions \"A\" and \"B\"" DIFFERENT "(0,1,0) about z"},
        {2,
         0,
         {{"B", 0, VXE_DOF_ALL, 0}, {"A", 1, VXE_DOF_X, 0.001}},
         "regions \"B\" and \"A\"" DIFFERENT "(0,1,0) along x"},
        {3,
         0,
         {{"A", 0, VXE_DOF_X, 0.001}, {"B", 1, VXE_DOF_X, 0}, {"C", 2, VXE_DOF_X, 0}},
         "regions \"B\" and \"C\"" DIFFERENT "(0,2,0) along x"},
        /* C lies between them and has nothing to do with it */
        {3,
         0,
         {{"A", 0, VXE_DOF_X, 0.001}, {"C", 1, VXE_DOF_Y, 0}, {"B", 2, VXE_DOF_ALL, 0}},
         "regions \"A\" and \"B\"" DIFFERENT "(0,2,0) about z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vxe_scene *scene = new_scene(PITCH, 1, cases[i].own + cases[i].fixed, 1);
        vxe_material_def def = vxe_default_material_def();
        def.rigid = true;
        fill_all(scene, put_material(scene, &def));
        def.fixed = true;
        const int32_t fixed = put_material(scene, &def);
        if (cases[i].fixed > 0) fill(scene, box_of(0, cases[i].own, 0, 1, cases[i].fixed, 1), fixed);
        for (int n = 0; n < 3 && cases[i].hold[n].name != NULL; n++)
            hold_voxel(scene, cases[i].hold[n].name, 0, cases[i].hold[n].y, cases[i].hold[n].dofs,
                       cases[i].hold[n].along_x);
        check_culprits(scene, cases[i].expected);
    }
    /* two voxels that turn in place are not one body, whatever is asked of a third that the turn would move
     */
    vxe_scene *scene = new_scene(PITCH, 2, 4, 1);
    fill_all(scene, add_rigid(scene, 1e6, 1000.0));
    hold_voxel(scene, "A", 1, 0, VXE_DOF_Y, 0.0);
    vxe_region_def turn = region_of("turn", box_of(0, 2, 0, 1, 2, 1));
    turn.fixed = VXE_DOF_X | VXE_DOF_TURN;
    turn.rotation[2] = 0.1;
    turn.in_place = true;
    put_region(scene, &turn);
    check_culprits(scene, "region \"turn\" by itself" DIFFERENT "(0,3,0) along x");
}

/* A rigid grip pulls a soft bar off a wall, slowly: what either exerts, in full. */
static void test_grip(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) { /* the grip is held by one voxel, or by a layer's translations */
        vxe_scene *scene = new_scene(PITCH, 8, 2, 2);
        const int32_t gel = add_material(scene, 1e5, 0.3, 1000.0);
        const int32_t bone = add_rigid(scene, 1e6, 2000.0);
        fill_all(scene, gel);
        fill(scene, box_of(6, 0, 0, 2, 2, 2), bone);
        const int32_t wall = add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        vxe_region_def def =
            region_of("grip", kind == 0 ? box_of(7, 1, 0, 1, 1, 1) : box_of(7, 0, 0, 1, 2, 2));
        def.fixed = kind == 0 ? VXE_DOF_ALL : VXE_DOF_X | VXE_DOF_Y | VXE_DOF_Z;
        def.displacement[0] = 0.1 * PITCH;
        def.ramp = 0.05;
        const int32_t grip = put_region(scene, &def);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        vxe_sim_def settings = vxe_default_sim_def();
        settings.audit = true;
        bench b = start_with(scene, &settings);
        const vxe_stop stop = {.time = 1.0}; /* until it rests: quick runs too */
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        double weight[3] = {0.0, 0.0, 0.0};
        double turn = 0.0; /* of the weight about the grip's pivot, N m */
        vxe_error error = {VXE_OK, ""};
        double force[2][3];
        double moment[2][3];
        require(vxe_sim_region_reaction(b.sim, wall, force[0], moment[0], &error), &error);
        require(vxe_sim_region_reaction(b.sim, grip, force[1], moment[1], &error), &error);
        const vxe_state *s = vxe_sim_state(b.sim);
        const double *pivot = b.model->regions[grip].pivot;
        for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
            const double own = 9.81 * b.model->materials[b.model->material[v]].mass;
            weight[2] += own;
            turn += own * (s->position[0][v] - pivot[0]);
        }
        for (int a = 0; a < 3; a++)
            check_near("sum of reactions, N", force[0][a] + force[1][a], weight[a], 1e-6 * force[1][0]);
        /* moments about y: those of supports, of the wall's forces about the other pivot, of weight */
        const double *there = b.model->regions[wall].pivot;
        const double apart = (there[2] - pivot[2]) * force[0][0] - (there[0] - pivot[0]) * force[0][2];
        check_near("moment, N m", moment[0][1] + moment[1][1] + apart, -turn, 1e-6 * force[1][0] * PITCH);
        print_message("    grip %d: pulls with %.4f N; reactions and weight of %.4f N sum up to %.1e N\n",
                      kind, force[1][0], weight[2], force[0][2] + force[1][2] - weight[2]);
        check_above("pull, N", force[1][0], 0.1);
        const vxe_energy energy = vxe_sim_energy(b.sim);
        check_near("work of the grip, J", energy.motion_work + energy.load_work,
                   energy.elastic + energy.kinetic + energy.gravity + energy.dissipated,
                   0.01 * fabs(energy.motion_work));
        check_above("work of the grip, J", energy.motion_work, 0.0);
        finish(b);
    }
}

/* ---- what regions turn ---------------------------------------------------------------------------------------------- */

/* A bone of no symmetry that a region turns is where this says as soon as the region rests, and so strains no
 * soft voxels that the region holds with it. */
static void check_turned(int kind, double ramp)
{
    static const double rotation[3] = {0.4, 1.9, -0.7};
    static const double displacement[3] = {0.3 * PITCH, -0.2 * PITCH, 0.1 * PITCH};
    vxe_scene *scene = odd_scene(false);
    if (kind == 2) fill(scene, box_of(1, 1, 0, 1, 1, 1), add_material(scene, 1e5, 0.3, 1000.0));
    vxe_region_def def = region_of("hand", box_of(0, 0, 0, 8, 5, 4));
    if (kind == 1) def.shape = box_of(4, 0, 0, 1, 1, 1);
    def.fixed = VXE_DOF_ALL;
    def.ramp = ramp;
    def.has_pivot = true;
    const double pivot[3] = {0.02, 0.01, 0.03};
    memcpy(def.pivot, pivot, sizeof pivot);
    memcpy(def.rotation, rotation, sizeof rotation);
    memcpy(def.displacement, displacement, sizeof displacement);
    (void)put_region(scene, &def);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.0);
    set_environment(scene, &e);
    vxe_sim_def settings = vxe_default_sim_def();
    settings.audit = true;
    bench b = start_with(scene, &settings);
    const vxe_stop stop = {.time = 1.0};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    const vxe_state *s = vxe_sim_state(b.sim);
    const quat turn = quat_from_rotation(vec3_from(rotation));
    const double expected[4] = {turn.w, turn.x, turn.y, turn.z};
    double off = 0.0;
    double turned = 0.0;
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        const vec3 at = {b.model->start[0][v], b.model->start[1][v], b.model->start[2][v]};
        const vec3 arm = quat_rotate(turn, vec3_sub(at, vec3_from(pivot)));
        const vec3 to = vec3_add(vec3_add(vec3_from(pivot), vec3_from(displacement)), arm);
        const double apart[3] = {s->position[0][v] - to.x, s->position[1][v] - to.y,
                                 s->position[2][v] - to.z};
        double same = 0.0;
        for (int i = 0; i < 4; i++) same += expected[i] * s->orientation[i][v];
        for (int i = 0; i < 4; i++)
            turned = fmax(turned, fabs(s->orientation[i][v] - (same > 0.0 ? 1.0 : -1.0) * expected[i]));
        off = fmax(off, length3(apart));
    }
    const vxe_energy energy = vxe_sim_energy(b.sim);
    print_message("    held %d, ramp %g s: off by %.1e m and %.1e in %d steps; elastic %.1e J\n", kind, ramp,
                  off, turned, (int)s->step, energy.elastic);
    /* round-off of as many turns as there were steps, some thousand */
    check_below("place, m", off, 1e-14);
    check_below("orientation", turned, 1e-12);
    check_below("elastic energy, J", energy.elastic, 1e-20);
    finish(b);
}

static void test_turned(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* all of it; one voxel; all, with a soft one */
        check_turned(kind, 0.0);
        check_turned(kind, 0.05);
    }
}

/* ---- planes --------------------------------------------------------------------------------------------------------- */

enum { START, MOTION, VELOCITIES, CARRIED };

/* A bone of no symmetry, by itself or with a soft leg, that spins about an axis across the plane's normal. It
 * stays in the plane, whatever set it going. */
static void check_plane(bool soft, int kind)
{
    static const double velocity[3] = {0.2, 0.3, -0.1};
    static const double spin[3] = {20.0, 7.0, -9.0};
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = odd_scene(false);
    if (soft) fill(scene, box_of(5, 0, 0, 3, 1, 1), add_material(scene, 1e5, 0.3, 1000.0));
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.5, 0.0);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    vxe_model *free_model = NULL;
    if (kind == CARRIED) {
        set_environment(scene, &e);
        free_model = compile_scene(scene);
    }
    e.plane = VXE_PLANE_XZ;
    set_environment(scene, &e);
    if (kind == START) {
        vxe_start_def own = {.has_center = false};
        memcpy(own.velocity, velocity, sizeof velocity);
        memcpy(own.spin, spin, sizeof spin);
        require(vxe_scene_add_start(scene, &own, &error), &error);
    }
    bench b = start_with(scene, &def);
    const int32_t n = b.model->view.voxel_count;
    if (kind == MOTION) set_motion(b.sim, velocity, spin);
    for (int32_t v = 0; v < n && kind == VELOCITIES; v++)
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    if (kind == CARRIED) {
        vxe_sim *from = NULL;
        require(vxe_sim_create(free_model, &def, &from, &error), &error);
        set_motion(from, velocity, spin);
        require(vxe_sim_carry(b.sim, from, &error), &error);
        vxe_sim_destroy(from);
    }
    double p0[3];
    double l0[3];
    double p1[3];
    double l1[3];
    double off = 0.0;
    double turned = 0.0;
    momenta(b.sim, p0, l0);
    for (int i = 0; i < 300; i++) {
        step(b.sim, 1);
        const vxe_state *s = vxe_sim_state(b.sim);
        for (int32_t v = 0; v < n; v++) {
            off = fmax(off, fabs(moved(b.sim, v, 1)));
            turned = fmax(turned, fmax(fabs(s->orientation[1][v]), fabs(s->orientation[3][v])));
        }
    }
    momenta(b.sim, p1, l1);
    const vxe_energy energy = vxe_sim_energy(b.sim);
    print_message("    %s, kind %d: out of the plane by %.1e m and %.1e, work of motion %.1e of %.1e J\n",
                  soft ? "with a soft leg" : "bone", kind, off, turned, energy.motion_work, energy.kinetic);
    assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_NONE);
    /* round-off of 300 steps, and of places of 0.05 m */
    check_below("way out of the plane, m", off, 1e-15);
    check_below("turn out of the plane", turned, 1e-14);
    check_above("kinetic energy, J", energy.kinetic, 0.0);
    check_below("work of motion, J", fabs(energy.motion_work), 1e-12 * energy.kinetic);
    /* the plane takes nothing of these */
    check_near("momentum along x, N s", p1[0], p0[0], 1e-11 * length3(p0));
    check_near("momentum along z, N s", p1[2], p0[2], 1e-11 * length3(p0));
    check_near("angular momentum about y, N m s", l1[1], l0[1], 1e-10 * length3(l0));
    finish(b);
    vxe_model_destroy(free_model);
}

static void test_plane(void **state)
{
    (void)state;
    for (int kind = START; kind <= CARRIED; kind++) {
        check_plane(false, kind);
        check_plane(true, kind);
    }
}

/* ---- the same bits -------------------------------------------------------------------------------------------------- */

static void test_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char what[32];
        vxe_scene *scene = heap(i % 2 == 0 ? 1.0 : 0.0, i / 2 % 2, VXE_COLLISIONS_GRID);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        (void)snprintf(what, sizeof what, "kind %d", i);
        check_same_bits(what, model, i < 4 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE, 700);
        vxe_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_spin),      cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_ground_damping), cmocka_unit_test(test_against_stiff),
        cmocka_unit_test(test_heap),           cmocka_unit_test(test_sticky_corners),
        cmocka_unit_test(test_list),           cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_held),           cmocka_unit_test(test_rollers),
        cmocka_unit_test(test_locks),          cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_culprits),       cmocka_unit_test(test_grip),
        cmocka_unit_test(test_turned),         cmocka_unit_test(test_plane),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
