/* The energy account and the diagnosis: kinetic + elastic + gravity = start + work - dissipated, in every
 * kind of scene; an energy error that is put in by hand is found; and so is every other way in which a
 * simulation can fail, with voxel, time and cause. */
#include "support.h"

#include "sim/sim.h"
#include "voxelastic/drive.h"

/* ---- the balance ---------------------------------------------------------------------------------------------------- */

/* Runs and returns the largest |error| seen over the largest sum of energies and work seen, the scale of the
 * account itself. */
static double run_balance(vxe_sim *sim, int64_t steps)
{
    double worst = 0.0;
    double scale = 0.0;
    for (int64_t i = 0; i < steps; i++) {
        step(sim, 1);
        const vxe_energy e = vxe_sim_energy(sim);
        const double sum = e.kinetic + fabs(e.elastic) + fabs(e.load_work) + fabs(e.actuation_work) +
                           fabs(e.motion_work) + fabs(e.dissipated);
        scale = fmax(scale, sum);
        worst = fmax(worst, fabs(e.error));
    }
    assert_true(scale > 0.0);
    return worst / scale;
}

static vxe_scene *bar(int32_t nx, int32_t ny, int32_t nz, const vxe_environment *e)
{
    vxe_scene *scene = new_scene(0.01, nx, ny, nz);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.01;
    const int32_t soft = put_material(scene, &def);
    def.youngs_modulus = 5e6;
    def.density = 3000.0;
    def.poissons_ratio = 0.45;
    def.expansion = 0.0;
    const int32_t hard = put_material(scene, &def);
    fill_all(scene, soft);
    fill(scene, box_of(0, 0, 0, nx, ny, nz / 2), hard);
    set_environment(scene, e);
    return scene;
}

/* For linear forces the account is exact at any step (plain_loops.h); what remains is the nonlinearity of
 * large displacement, of second order in the step: the product of strain and (w dt)^2 of the modes that carry
 * the energy. 1e-3 for a cantilever whose tip moves by half its length. */
static void test_loaded_cantilever(void **state)
{
    (void)state;
    static const vxe_elasticity kinds[2] = {VXE_ELASTICITY_SOLID, VXE_ELASTICITY_BEAM};
    for (int i = 0; i < 2; i++) {
        const vxe_environment e = environment_of(kinds[i], 0.3, 0.01);
        vxe_scene *scene = bar(8, 2, 2, &e);
        add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        add_force(scene, "tip", box_of(7, 0, 0, 1, 2, 2), 0.0, 0.0, -6.0);
        bench b = start(scene);
        const double worst = run_balance(b.sim, is_quick() ? 1000 : 10000);
        const vxe_energy end = vxe_sim_energy(b.sim);
        print_message("    loaded cantilever, %s: %.1e; load %.4g J, stored %.4g J, dissipated %.4g J\n",
                      i == 0 ? "solid" : "beam", worst, end.load_work, end.elastic, end.dissipated);
        check_below("energy error of a loaded cantilever", worst, 1e-3);
        if (!is_quick()) {
            double d[3];
            assert_int_equal(vxe_sim_region_displacement(b.sim, 1, d, NULL), VXE_OK);
            check_above("tip deflection, m", -d[2], 0.02);
            /* at rest; with `solid` a load also works on the faces it presses (PHYSICS.md 9) */
            check_near("work of the load over force times way", end.load_work / (-6.0 * d[2]), 1.0,
                       i == 0 ? 1e-3 : 1e-6);
        }
        finish(b);
    }
}

/* A load that grows slowly, then is changed at once: nearly linear, so nearly exact. With `solid` the load
 * itself enters the pressure. */
static void test_changing_load(void **state)
{
    (void)state;
    static const vxe_elasticity kinds[2] = {VXE_ELASTICITY_SOLID, VXE_ELASTICITY_BEAM};
    for (int i = 0; i < 2; i++) {
        const vxe_environment e = environment_of(kinds[i], 0.5, 0.05);
        vxe_scene *scene = bar(5, 2, 2, &e);
        vxe_region_def end = region_of("left", box_of(0, 0, 0, 1, 2, 2));
        end.force[0] = -20.0;
        end.ramp = 0.05;
        put_region(scene, &end);
        end = region_of("right", box_of(4, 0, 0, 1, 2, 2));
        end.force[0] = 20.0;
        end.ramp = 0.05;
        put_region(scene, &end);
        bench b = start(scene);
        double worst = run_balance(b.sim, 1000);
        print_message("    growing load, %s: %.1e\n", i == 0 ? "solid" : "beam", worst);
        check_below("energy error of a growing load", worst, 1e-5);
        const double more[2][3] = {{-40.0, 5.0, 0.0}, {40.0, -5.0, 0.0}};
        const double none[3] = {0.0, 0.0, 0.0};
        vxe_error error = {VXE_OK, ""};
        for (int32_t r = 0; r < 2; r++) require(vxe_sim_set_load(b.sim, r, more[r], none, &error), &error);
        worst = run_balance(b.sim, 1000);
        print_message("    load changed at once, %s: %.1e\n", i == 0 ? "solid" : "beam", worst);
        check_below("energy error of a load changed at once", worst, 1e-4);
        finish(b);
    }
}

/* At rest under a small load half of its work is stored and half was dissipated (Clapeyron); geometry changes
 * that by the square of the strain, 1e-3. */
static void test_clapeyron(void **state)
{
    (void)state;
    static const vxe_elasticity kinds[2] = {VXE_ELASTICITY_SOLID, VXE_ELASTICITY_BEAM};
    for (int i = 0; i < 2; i++) {
        const vxe_environment e = environment_of(kinds[i], 0.0, 0.05);
        vxe_scene *scene = bar(6, 2, 2, &e);
        add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        add_force(scene, "tip", box_of(5, 0, 0, 1, 2, 2), 0.02, 0.0, -0.01);
        vxe_sim_def def = vxe_default_sim_def();
        def.dt_fraction = 0.3; /* what a load that comes at once gives is known to (dt w)^2/8 of it */
        bench b = start_with(scene, &def);
        settle(b.sim, 1e-9, 0.0, 400000);
        const vxe_energy end = vxe_sim_energy(b.sim);
        print_message("    Clapeyron, %s: stored %.6f, dissipated %.6f of the load's work\n",
                      i == 0 ? "solid" : "beam", end.elastic / end.load_work, end.dissipated / end.load_work);
        check_near("stored over work", end.elastic / end.load_work, 0.5, 1e-3);
        check_near("dissipated over work", end.dissipated / end.load_work, 0.5, 1e-3);
        finish(b);
    }
}

/* A contact that begins within a step starts with up to v dt of penetration too much: ½ k (v dt)^2 with k
 * dt^2 of the order of the mass at the default step, so some per cent of the energy of an impact are lost or
 * gained each time, at random. 0.05 of all energy that passed, which is also what the diagnosis allows.
 * Contact damping takes most of it here. */
static void test_bouncing_block(void **state)
{
    (void)state;
    static const double contact[3] = {0.0, 0.3, 1.0};
    for (int i = 0; i < 3; i++) {
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.2, 0.0);
        e.floor = true;
        e.gravity[2] = -9.81;
        e.damping_contact = contact[i];
        bench b = start(bar(4, 3, 4, &e));
        const double velocity[3] = {1.5, 0.0, 1.0};
        const double spin[3] = {0.0, 15.0, 5.0};
        double center[3];
        vxe_sim_center_of_mass(b.sim, center);
        vxe_error error = {VXE_OK, ""};
        require(vxe_sim_set_motion(b.sim, velocity, spin, center, &error), &error);
        const double worst = run_balance(b.sim, is_quick() ? 2000 : 20000);
        print_message("    bouncing block, contact damping %.1f: %.1e; dissipated %.3g J\n", contact[i],
                      worst, vxe_sim_energy(b.sim).dissipated);
        check_below("energy error of a bouncing block", worst, 0.05);
        check_above("dissipated, J", vxe_sim_energy(b.sim).dissipated, 0.01);
        finish(b);
    }
}

/* As the cantilever; 20 % of actuation. */
static void test_actuated_body(void **state)
{
    (void)state;
    static const double bonds[2] = {0.0, 1.0};
    for (int i = 0; i < 2; i++) {
        const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, bonds[i], 0.0);
        vxe_scene *scene = bar(6, 3, 4, &e);
        vxe_signal_def beat = vxe_default_signal_def();
        beat.amplitude = 20.0;
        beat.period = 0.01;
        put_signal(scene, &beat);
        bench b = start(scene);
        const double worst = run_balance(b.sim, is_quick() ? 1000 : 10000);
        print_message("    actuated body, damping %.0f: %.1e; work of actuation %.3g J\n", bonds[i], worst,
                      vxe_sim_energy(b.sim).actuation_work);
        check_below("energy error of an actuated body", worst, 3e-3);
        finish(b);
    }
}

/* A prescribed stretch by a ramp: the supports' work, which must be the integral of their reaction, is stored
 * or dissipated. */
static void test_prescribed_motion(void **state)
{
    (void)state;
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.02);
    vxe_scene *scene = bar(6, 2, 2, &e);
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    vxe_region_def grip = region_of("grip", box_of(5, 0, 0, 1, 2, 2));
    grip.fixed = VXE_DOF_ALL;
    grip.displacement[0] = 0.01;
    grip.displacement[2] = 0.005;
    grip.rotation[0] = 0.6;
    grip.ramp = 0.1;
    put_region(scene, &grip);
    bench b = start(scene);
    double worst = 0.0;
    double work = 0.0;
    double before[3] = {0.0, 0.0, 0.0};
    double turn_before = 0.0;
    const int64_t steps = is_quick() ? 1500 : 8000;
    for (int64_t i = 0; i < steps; i++) {
        step(b.sim, 1);
        double force[3];
        double moment[3];
        double at[3];
        assert_int_equal(vxe_sim_region_reaction(b.sim, 1, force, moment, NULL), VXE_OK);
        assert_int_equal(vxe_sim_region_displacement(b.sim, 1, at, NULL), VXE_OK);
        for (int a = 0; a < 3; a++) {
            work += force[a] * (at[a] - before[a]);
            before[a] = at[a];
        }
        /* the moment is about the pivot where it was at the start; take it to where it is now */
        const double now = 2.0 * atan2(vxe_sim_state(b.sim)->orientation[1][voxel_at(b.sim, 5, 0, 0)],
                                       vxe_sim_state(b.sim)->orientation[0][voxel_at(b.sim, 5, 0, 0)]);
        work += (moment[0] - (at[1] * force[2] - at[2] * force[1])) * (now - turn_before);
        turn_before = now;
        worst = fmax(worst, fabs(vxe_sim_energy(b.sim).error));
    }
    const vxe_energy end = vxe_sim_energy(b.sim);
    worst /= end.motion_work;
    print_message("    prescribed motion: %.1e; work %.5g J (from reactions %.5g J), stored %.5g J, "
                  "dissipated %.3g J\n",
                  worst, end.motion_work, work, end.elastic, end.dissipated);
    check_below("energy error of prescribed motion", worst, 1e-3); /* as the cantilever */
    /* reactions at the beginning of a step times the way in it: first order in the step, 0.1 % at a thousand
     * steps per ramp */
    check_near("work of the reactions over the account's", work / end.motion_work, 1.0, 0.01);
    finish(b);
}

/* What bounces on ground, or on voxels that are held, under ground damping: contacts end each step as deep as
 * the damped velocities lead to. They went by velocities without damping, which left up to 3 % of what passed
 * unexplained. A voxel that falls upright, soft or rigid, has nothing but this, and the account is exact. */
static void test_damped_bounces(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        const bool ground = kind % 2 == 0;
        vxe_scene *scene = new_scene(0.01, 3, 3, 4);
        vxe_material_def def = vxe_default_material_def();
        def.youngs_modulus = 1e4;
        fill(scene, box_of(0, 0, 0, 3, 3, 1), put_material(scene, &def));
        def.rigid = kind / 2 == 1;
        fill(scene, box_of(1, 1, 3, 1, 1, 1), put_material(scene, &def));
        (void)add_fixed(scene, "slab", box_of(0, 0, 0, 3, 3, 1), VXE_DOF_ALL);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.01);
        e.damping_contact = 0.0;
        e.gravity[2] = -50.0;
        if (kind / 2 == 2) e.damping_contact = 0.3;
        if (!ground) e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        if (ground) {
            vxe_ground_def g = vxe_default_ground_def();
            vxe_error error = {VXE_OK, ""};
            g.kind = VXE_GROUND_STEPS;
            g.points[0] = g.points[1] = 3;
            g.spacing = 1.0;
            g.height = 0.0;
            g.length = 10.0;
            g.origin[0] = g.origin[1] = -1.0;
            g.origin[2] = 0.01;
            require(vxe_scene_set_ground(scene, &g, &error), &error);
        }
        bench b = start(scene);
        check_below("error over energy and work, ground damping and contacts", run_balance(b.sim, 4000),
                    1e-9);
        check_well(b.sim);
        assert_true(vxe_sim_energy(b.sim).dissipated > 0.0);
        finish(b);
    }
}

/* A block that is put with a corner below the floor begins without energy in it, and presses on it later with
 * what it weighs, as on ground; it was thrown off at thousands of pitches per second. */
static void test_begins_in_floor(void **state)
{
    (void)state;
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.0);
    e.floor = true;
    e.gravity[2] = -9.81;
    vxe_scene *scene = new_scene(0.01, 2, 2, 2);
    vxe_error error = {VXE_OK, ""};
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    set_environment(scene, &e);
    const vxe_part_def part = {.name = "block", .separate = true};
    require(vxe_scene_add_part(scene, &part, NULL, &error), &error);
    for (int32_t i = 0; i < 8; i++)
        require(vxe_scene_set_field(scene, VXE_FIELD_PART, i % 2, i / 2 % 2, i / 4, 1.0, &error), &error);
    const vxe_start_def put = {
        .part = "block", .rotation = {0.4, 0.3, 0.0}, .displacement = {0.0, 0.0, -0.002}};
    require(vxe_scene_add_start(scene, &put, &error), &error);
    vxe_model *model = compile_scene(scene);
    const int64_t steps = is_quick() ? 200 : 3000;
    check_same_bits("begins in the floor", model, VXE_PRECISION_DOUBLE, is_quick() ? 50 : 300);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = new_sim(model, &def);
    double fastest = 0.0;
    for (int64_t n = 0; n < steps; n += 20) {
        step(sim, 20);
        fastest = fmax(fastest, vxe_sim_speed_max(sim));
    }
    check_well(sim);
    check_below("speed over that of a fall from its height", fastest, sqrt(2.0 * 9.81 * 0.02));
    double force = 0.0;
    for (int32_t v = 0; v < 8; v++) force += sim->contact_force[2][v];
    if (!is_quick()) check_near("what the floor bears over the weight", force / (8e-3 * 9.81), 1.0, 0.05);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* Such a block that also swells and shrinks in jumps: what it counts from comes up with it, and what the
 * floor held is lost then. It was taken for work of what it had not held, which came back as if it had been
 * lost. */
static void test_shrinks_in_floor(void **state)
{
    (void)state;
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.0);
    e.floor = true;
    e.damping_contact = 0.0;
    e.gravity[2] = -9.81;
    vxe_scene *scene = new_scene(0.01, 2, 2, 1);
    vxe_error error = {VXE_OK, ""};
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    def.expansion = 0.01;
    fill_all(scene, put_material(scene, &def));
    set_environment(scene, &e);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.waveform = VXE_WAVE_SQUARE;
    beat.amplitude = 1.0;
    beat.period = 0.02;
    put_signal(scene, &beat);
    const vxe_part_def part = {.name = "block", .separate = true};
    require(vxe_scene_add_part(scene, &part, NULL, &error), &error);
    for (int32_t i = 0; i < 4; i++)
        require(vxe_scene_set_field(scene, VXE_FIELD_PART, i % 2, i / 2, 0, 1.0, &error), &error);
    const vxe_start_def put = {.part = "block", .displacement = {0.0, 0.0, -0.002}};
    require(vxe_scene_add_start(scene, &put, &error), &error);
    bench b = start(scene);
    double most = 0.0;
    double back = 0.0;
    for (int n = 0; n < (is_quick() ? 200 : 2000); n++) {
        step(b.sim, 1);
        const double taken = vxe_sim_energy(b.sim).dissipated;
        if (n > 0) back = fmax(back, most - taken);
        most = n > 0 ? fmax(most, taken) : taken;
    }
    check_well(b.sim);
    check_below("what came back of what was lost", back / b.sim->account.scale, 1e-3);
    finish(b);
}

/* A column whose lowest voxel is held in the floor, a little deep, and loaded from above: what presses on the
 * held voxel goes to its support, and the floor's force is that of its depth. */
static void test_held_in_floor(void **state)
{
    (void)state;
    static const vxe_bond_damping ways[2] = {VXE_BOND_DAMPING_EXPLICIT, VXE_BOND_DAMPING_IMPLICIT};
    for (int i = 0; i < 2; i++) {
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.1);
        e.floor = true;
        vxe_scene *scene = bar(1, 1, 4, &e);
        vxe_region_def foot = region_of("foot", box_of(0, 0, 0, 1, 1, 1));
        foot.fixed = VXE_DOF_ALL;
        foot.displacement[2] = -0.0005;
        put_region(scene, &foot);
        add_force(scene, "load", box_of(0, 0, 3, 1, 1, 1), 0.0, 0.0, -5.0);
        vxe_sim_def def = vxe_default_sim_def();
        def.bond_damping = ways[i];
        bench b = start_with(scene, &def);
        step(b.sim, 6000);
        check_well(b.sim);
        const int32_t v = voxel_at(b.sim, 0, 0, 0);
        const double depth = 0.5 * 0.01 - vxe_sim_state(b.sim)->position[2][v];
        check_near("depth", depth, 0.0005, 1e-9);
        const double expected = b.sim->voxels[b.sim->material[v]].floor_stiffness * depth;
        /* a voxel that is held gives way to the floor by a millionth of what a free one does */
        check_near("the floor's force over that of its depth", b.sim->contact_force[2][v] / expected, 1.0,
                   2e-6);
        finish(b);
    }
}

/* A link that breaks while its voxels shrink: what they do afterwards is not booked with its tension. A third
 * of what passed was. What is left is of second order in the step, of which a period has some sixty. */
static void test_breaking_while_driven(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 4, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 3e7;
    def.expansion = -0.06;
    def.failure_stress = 8e5;
    fill_all(scene, put_material(scene, &def));
    (void)add_fixed(scene, "walls", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    (void)add_fixed(scene, "others", box_of(3, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    set_environment(scene, &e);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 3.0;
    beat.period = 0.01;
    put_signal(scene, &beat);
    bench b = start(scene);
    step(b.sim, 1000);
    check_well(b.sim);
    int64_t broken = 0;
    vxe_sim_failures(b.sim, &broken, NULL);
    assert_true(broken > 0);
    const vxe_energy end = vxe_sim_energy(b.sim);
    check_near("energy error over work", end.error / end.actuation_work, 0.0, 1e-3);
    finish(b);
}

/* An undamped pair of which one is moved at once, with a floor far below: the step is short from the start,
 * not from where the pair already swings, or a quarter of its energy comes of the change. */
static void test_jump_above_floor(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 2, 3, 2);
    const int32_t soft = add_material(scene, 1e6, 0.3, 1000.0);
    fill(scene, box_of(0, 0, 1, 2, 1, 1), soft);
    vxe_region_def hold = region_of("hold", box_of(0, 0, 1, 1, 1, 1));
    hold.fixed = VXE_DOF_X;
    hold.displacement[0] = -0.0002;
    put_region(scene, &hold);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    e.floor = true;
    set_environment(scene, &e);
    bench b = start(scene);
    step(b.sim, 1000);
    const vxe_energy end = vxe_sim_energy(b.sim);
    assert_true(end.total > 0.0);
    check_near("energy error over energy", end.error / end.total, 0.0, 1e-3); /* as others here */
    finish(b);
}

/* An undamped bar of four voxels, free, whose size a signal drives. */
static bench driven_bar(const vxe_signal_def *signal)
{
    vxe_scene *scene = new_scene(0.01, 4, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.01;
    fill_all(scene, put_material(scene, &def));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    set_environment(scene, &e);
    put_signal(scene, signal);
    return start(scene);
}

static void check_work(bench b, int64_t steps)
{
    step(b.sim, steps);
    const vxe_energy end = vxe_sim_energy(b.sim);
    check_above("actuation work", end.actuation_work, 0.0);
    check_near("energy error over actuation work", end.error / end.actuation_work, 0.0, 1e-3); /* as above */
    finish(b);
}

/* Signals that jump long after the start: steps are short from the start, so that none is shortened while the
 * bar already swings. */
static void test_late_jumps(void **state)
{
    (void)state;
    vxe_signal_def late = vxe_default_signal_def();
    late.amplitude = 7.0;
    late.phase = 0.25;
    late.period = late.delay = 0.02;
    check_work(driven_bar(&late), 2000);
    static const double times[4] = {0.0, 0.0199, 0.02, 1.0};
    static const double values[4] = {0.0, 0.0, 7.0, 7.0};
    vxe_signal_def once = vxe_default_signal_def();
    once.waveform = VXE_WAVE_TABLE;
    once.amplitude = 1.0;
    once.period = 0.0;
    once.table_count = 4;
    once.table_time = times;
    once.table_value = values;
    check_work(driven_bar(&once), 2000);
}

/* Sizes that somebody asks for at once, of a bar at rest. */
static void test_edited_sizes(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    const vxe_signal_def still = vxe_default_signal_def();
    bench b = driven_bar(&still);
    step(b.sim, 300);
    require(vxe_sim_set_signal(b.sim, 0, 3.0, 0.0, still.period, &error), &error);
    check_work(b, 1000);
    static const double sizes[4] = {1.05, 1.05, 1.05, 1.05};
    b = driven_bar(&still);
    step(b.sim, 300);
    require(vxe_sim_set_targets(b.sim, VXE_TARGET_SIZE, NULL, 4, sizes, 0.0, &error), &error);
    check_work(b, 1000);
}

/* Somebody who edits and then asks for a time: the step that is cut for it is no error, as it is without the
 * edit. */
static void test_cut_after_edits(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    static const double none[3] = {0.0, 0.0, 0.0};
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    vxe_scene *scene = bar(6, 2, 2, &e);
    add_fixed(scene, "end", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    vxe_region_def tip = region_of("tip", box_of(5, 0, 0, 1, 2, 2));
    put_region(scene, &tip);
    const vxe_start_def kick = {.region = "tip", .velocity = {0.5, 0.3, 0.0}};
    require(vxe_scene_add_start(scene, &kick, &error), &error);
    bench b = start(scene);
    step(b.sim, 300);
    for (int i = 0; i < 40; i++) {
        require(vxe_sim_set_gravity(b.sim, none, &error), &error);
        const vxe_stop soon = {.time = vxe_sim_time(b.sim) + 0.15 * b.sim->last_dt};
        assert_int_equal(vxe_sim_run(b.sim, &soon, 1000), VXE_RUN_TIME);
        step(b.sim, 40);
    }
    const vxe_energy end = vxe_sim_energy(b.sim);
    check_above("energy", end.total, 0.0);
    check_near("energy error over energy", end.error / end.total, 0.0, 1e-4); /* 6e-6 here */
    finish(b);
}

/* A body at rest on the floor, and one on top of it, whose last step is cut to next to nothing: it stays at
 * rest, with contact damping that would stop it within a step. */
static void test_cut_at_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
        e.floor = true;
        e.damping_contact = 1.0;
        e.gravity[2] = -9.81;
        vxe_scene *scene = new_scene(0.01, 3, 3, 4);
        const int32_t soft = add_material(scene, 1e6, 0.3, 1000.0);
        fill(scene, box_of(0, 0, 0, 3, 3, 2), soft);
        fill(scene, box_of(0, 0, 3, 3, 3, 1), soft); /* falls onto it */
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.bond_damping = i % 2 == 0 ? VXE_BOND_DAMPING_EXPLICIT : VXE_BOND_DAMPING_IMPLICIT;
        bench b = start_with(scene, &def);
        step(b.sim, 4000);
        const double before = vxe_sim_energy(b.sim).kinetic;
        const vxe_stop soon = {.time =
                                   vxe_sim_time(b.sim) + pow(10.0, -3.0 * (i / 2)) * 0.5 * b.sim->last_dt};
        assert_int_equal(vxe_sim_run(b.sim, &soon, 10), VXE_RUN_TIME);
        const vxe_energy end = vxe_sim_energy(b.sim);
        check_below("kinetic energy after the cut", end.kinetic, 2.0 * before + 1e-12 * b.sim->account.scale);
        step(b.sim, 100);
        check_well(b.sim);
        finish(b);
    }
}

/* Two undamped voxels that swing for ever: no step becomes longer, which would take a sixth of it. */
static void test_endless_swing(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    set_environment(scene, &e);
    vxe_region_def end = region_of("end", box_of(0, 0, 0, 1, 1, 1));
    put_region(scene, &end);
    const vxe_start_def kick = {.region = "end", .velocity = {0.07, 0.0, 0.0}};
    require(vxe_scene_add_start(scene, &kick, &error), &error);
    bench b = start(scene);
    step(b.sim, 2);
    const double total = vxe_sim_energy(b.sim).total;
    step(b.sim, 20000);
    check_near("energy", vxe_sim_energy(b.sim).total / total, 1.0, 1e-6);
    finish(b);
}

/* Where a run ends it is looked at whether voxels have turned over, whatever the number of its steps. */
static void test_wreck_at_the_end(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    step(b.sim, 10);
    b.sim->position[0][1] = b.sim->position[0][0] - 0.01; /* on the other side */
    vxe_state_wrote(b.sim, STATE_SET(position));
    const vxe_stop stop = {.steps = 11};
    assert_int_equal(vxe_sim_run(b.sim, &stop, 100), VXE_RUN_FAULT);
    assert_int_equal(vxe_sim_status(b.sim)->fault, VXE_FAULT_FOLDED);
    finish(b);
}

/* Bodies that begin faster than a quarter of a pitch in a step take shorter ones from the first on. */
static void test_fast_start(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
    set_environment(scene, &e);
    const vxe_start_def fly = {.velocity = {26.0, 0.0, 0.0}};
    require(vxe_scene_add_start(scene, &fly, &error), &error);
    bench b = start(scene);
    step(b.sim, 100);
    check_well(b.sim);
    finish(b);
}

/* Yielding and breaking take energy: they are in the account, too. */
static void test_yielding_and_breaking(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = new_scene(0.01, 6, 2, 2);
        vxe_material_def def = vxe_default_material_def();
        if (i == 0) {
            def.law = VXE_LAW_BILINEAR;
            def.yield_stress = 2e4;
            def.plastic_modulus = 1e5;
        } else {
            def.failure_stress = 5e4;
        }
        fill_all(scene, put_material(scene, &def));
        add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
        vxe_region_def grip = region_of("grip", box_of(5, 0, 0, 1, 2, 2));
        grip.fixed = VXE_DOF_ALL;
        grip.displacement[0] = 0.006;
        grip.ramp = 0.1;
        put_region(scene, &grip);
        const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.2, 0.02);
        set_environment(scene, &e);
        bench b = start(scene);
        const double worst = run_balance(b.sim, is_quick() ? 1000 : 4000);
        int64_t broken = 0;
        int64_t yielded = 0;
        vxe_sim_failures(b.sim, &broken, &yielded);
        const vxe_energy end = vxe_sim_energy(b.sim);
        print_message("    %s: %.1e; %lld broken, %lld yielded, dissipated %.4g of %.4g J\n",
                      i == 0 ? "yielding" : "breaking", worst, (long long)broken, (long long)yielded,
                      end.dissipated, end.motion_work);
        /* the flow of a step is taken at its mean stress: second order in the step */
        check_below("energy error", worst, 5e-3);
        if (!is_quick()) {
            assert_true(i == 0 ? yielded > 0 : broken > 0);
            check_above("dissipated over work", end.dissipated / end.motion_work, 0.5);
        }
        finish(b);
    }
}

/* Gravity and kinetic energy have their usual values: a falling body. */
static void test_falling_body(void **state)
{
    (void)state;
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -9.81;
    bench b = start(bar(3, 2, 2, &e));
    while (vxe_sim_time(b.sim) < 0.2) step(b.sim, 10);
    const vxe_energy s = vxe_sim_energy(b.sim);
    const double mass = vxe_model_get(b.model)->mass;
    /* at the beginning of the last step; half a step of time is uncertain */
    const double speed = 9.81 * s.time;
    check_near("kinetic energy over m v^2/2", s.kinetic / (0.5 * mass * speed * speed), 1.0,
               2.0 * vxe_sim_time_step(b.sim).dt / 0.2);
    check_near("gravity over -m v^2/2", s.gravity / (-0.5 * mass * speed * speed), 1.0,
               2.0 * vxe_sim_time_step(b.sim).dt / 0.2);
    check_near("balance, J", s.error, 0.0, 1e-12 * s.kinetic);
    finish(b);
}

/* A body at rest, far from the origin, on which nothing acts: all its energies are round-off, and none of
 * them is an error. */
static void test_nothing_happens(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        vxe_scene *scene = new_scene(0.003, 5003, 2, 2);
        fill(scene, box_of(5000, 0, 0, 3, 2, 2), add_material(scene, 1e6, 0.3, 1000));
        const vxe_environment e =
            environment_of(i < 2 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, i % 2, 0.0);
        set_environment(scene, &e);
        for (int single = 0; single < 2; single++) {
            vxe_sim_def def = vxe_default_sim_def();
            def.precision = single != 0 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
            vxe_scene *copy = NULL;
            vxe_error error = {VXE_OK, ""};
            require(vxe_scene_copy(scene, &copy, &error), &error);
            bench b = start_with(copy, &def);
            step(b.sim, is_quick() ? 500 : 5000);
            check_below("speed, m/s", vxe_sim_speed_max(b.sim),
                        single != 0 ? 1e-3 : 1e-8); /* w0 times round-off of a length, 1e4/s x 2e-15 m (2e-10
                                                       m in single), times the root of the steps */
            finish(b);
        }
        vxe_scene_destroy(scene);
    }
}

/* ---- faults --------------------------------------------------------------------------------------------------------- */

/* After a failure: the code, the status and its message, no further step; a reset heals. */
static void check_fault(vxe_sim *sim, vxe_fault fault, const char *message)
{
    const vxe_status *s = vxe_sim_status(sim);
    if (s->fault != fault)
        fail_msg("expected \"%s\", found \"%s\": %s", vxe_fault_name(fault), vxe_fault_name(s->fault),
                 s->message);
    if (strstr(s->message, message) == NULL) fail_msg("expected \"%s\" in \"%s\"", message, s->message);
    assert_non_null(strstr(s->message, "time "));
    assert_non_null(strstr(s->message, "step "));
    assert_true(s->step == vxe_sim_state(sim)->step);
    assert_true(s->time == vxe_sim_time(sim));
    print_message("    %s: %s\n", vxe_fault_name(fault), s->message);
    const uint64_t hash = vxe_sim_hash(sim);
    const vxe_stop stop = {.time = 1e9};
    assert_int_equal(vxe_sim_step(sim, 1, NULL), VXE_ERROR_DIVERGED);
    assert_int_equal(vxe_sim_run(sim, &stop, 10), VXE_RUN_FAULT);
    assert_true(vxe_sim_hash(sim) == hash);
    vxe_sim_reset(sim);
    assert_int_equal(vxe_sim_status(sim)->fault, VXE_FAULT_NONE);
    assert_string_equal(vxe_sim_status(sim)->message, "");
}

/* A body swinging freely; in the middle all its velocities are changed by a factor, past the interface. Found
 * within the 64 steps between two checks. */
static void inject(double factor)
{
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.01, 0.0);
    bench b = start(bar(6, 2, 2, &e));
    const vxe_model_view *view = vxe_model_get(b.model);
    vxe_error error = {VXE_OK, ""};
    const double none[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const double velocity[3] = {view->cell[0][v] - 2.5, 0.0, 0.5 * view->cell[0][v]};
        require(vxe_sim_set_velocity(b.sim, v, velocity, none, &error), &error);
    }
    step(b.sim, 500);
    check_below("energy error before", fabs(vxe_sim_energy(b.sim).error) / b.sim->account.scale, 0.01);
    const double kinetic = vxe_sim_energy(b.sim).kinetic;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < view->voxel_count; v++) {
            b.sim->velocity[a][v] *= factor;
            b.sim->spin[a][v] *= factor;
        }
    }
    vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
    assert_int_equal(vxe_sim_step(b.sim, 128, NULL), VXE_ERROR_DIVERGED);
    assert_true(vxe_sim_state(b.sim)->step <= 500 + 64);
    /* the reported energy is the injected one: kinetic energy at that moment times factor^2 - 1 (the
     * account's kinetic energy is a step older) */
    check_near("reported energy over the injected one",
               vxe_sim_status(b.sim)->value / (kinetic * (factor * factor - 1.0)), 1.0, 0.2);
    check_fault(b.sim, VXE_FAULT_ENERGY, "J appeared without a cause");
    finish(b);
}

static void test_injected_energy(void **state)
{
    (void)state;
    inject(1.2);
    inject(0.8);
}

/* Without the audit nobody looks. */
static void test_no_audit(void **state)
{
    (void)state;
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.01, 0.0);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = false;
    bench b = start_with(bar(6, 2, 2, &e), &def);
    const double velocity[3] = {1.0, 0.0, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
    step(b.sim, 100);
    for (int32_t v = 0; v < vxe_model_get(b.model)->voxel_count; v++) b.sim->velocity[0][v] *= 2.0;
    step(b.sim, 200);
    check_near("kinetic energy over m v^2/2",
               vxe_sim_energy(b.sim).kinetic / (0.5 * vxe_model_get(b.model)->mass * 4.0), 1.0, 1e-9);
    finish(b);
}

static void test_not_finite(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.precision = single != 0 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
        const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
        bench b = start_with(bar(6, 2, 2, &e), &def);
        step(b.sim, 10);
        const int32_t v = voxel_at(b.sim, 0, 0, 0);
        b.sim->velocity[1][v] = NAN;
        vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
        assert_int_equal(vxe_sim_step(b.sim, 100, NULL), VXE_ERROR_DIVERGED);
        assert_int_equal(
            vxe_sim_state(b.sim)->step,
            11); /* at once; by then its neighbours have it too, and the first of them is named */
        assert_int_equal(vxe_sim_status(b.sim)->voxel, v);
        check_fault(b.sim, VXE_FAULT_NOT_FINITE, "voxel (0,0,0)");
        /* infinity that comes in by an orientation */
        step(b.sim, 10);
        b.sim->orientation[2][v] = INFINITY;
        vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
        assert_int_equal(vxe_sim_step(b.sim, 100, NULL), VXE_ERROR_DIVERGED);
        assert_true(vxe_sim_state(b.sim)->step <= 12);
        check_fault(b.sim, VXE_FAULT_NOT_FINITE, "not a finite number");
        finish(b);
    }
}

static vxe_scene *squeezed(vxe_elasticity elasticity, double force)
{
    const vxe_environment e = environment_of(elasticity, 1.0, 0.1);
    vxe_scene *scene = bar(5, 2, 2, &e);
    vxe_region_def side = region_of("left", box_of(0, 0, 0, 1, 2, 2));
    side.force[0] = force;
    side.ramp = 0.05;
    put_region(scene, &side);
    side = region_of("right", box_of(4, 0, 0, 1, 2, 2));
    side.force[0] = -force;
    side.ramp = 0.05;
    put_region(scene, &side);
    return scene;
}

static void test_crushed_and_torn(void **state)
{
    (void)state;
    bench b = start(squeezed(VXE_ELASTICITY_SOLID, 5000.0));
    assert_int_equal(vxe_sim_step(b.sim, 1000000, NULL), VXE_ERROR_DIVERGED);
    assert_true(vxe_sim_status(b.sim)->voxel >= 0);
    check_below("strain in the status", vxe_sim_status(b.sim)->value, -0.95);
    check_fault(b.sim, VXE_FAULT_TOO_SHORT, "the body is crushed");
    finish(b);
    b = start(squeezed(VXE_ELASTICITY_BEAM, -20000.0)); /* `solid` would be crushed sideways first */
    assert_int_equal(vxe_sim_step(b.sim, 1000000, NULL), VXE_ERROR_DIVERGED);
    check_above("strain in the status", vxe_sim_status(b.sim)->value, 10.0);
    check_fault(b.sim, VXE_FAULT_TOO_LONG, "more than the body can bear");
    finish(b);
}

static void test_too_fast(void **state)
{
    (void)state;
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    bench b = start(bar(6, 2, 2, &e));
    const int32_t v = voxel_at(b.sim, 5, 1, 1);
    const double velocity[3] = {1e5, 0.0, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_set_velocity(b.sim, v, velocity, none, &error), &error);
    assert_int_equal(vxe_sim_step(b.sim, 10, NULL), VXE_ERROR_DIVERGED);
    assert_int_equal(vxe_sim_status(b.sim)->voxel, v);
    check_near("speed in the status, m/s", vxe_sim_status(b.sim)->value, 1e5, 1.0);
    check_fault(b.sim, VXE_FAULT_TOO_FAST, "voxel (5,1,1)");
    /* and by spin */
    require(vxe_sim_set_velocity(b.sim, v, none, velocity, &error), &error);
    assert_int_equal(vxe_sim_step(b.sim, 10, NULL), VXE_ERROR_DIVERGED);
    check_fault(b.sim, VXE_FAULT_TOO_FAST, "voxel (5,1,1)");
    finish(b);
}

/* The paper's Appendix: 5x10x5 mm of 10 MPa, held at one end, with a thousand times the load it can bear. It
 * must stay finite or stop with a clear status. */
static void test_one_kilonewton(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++) {
        vxe_scene *scene = new_scene(1e-3, 5, 10, 5);
        fill_all(scene, add_material(scene, 1e7, 0.3, 1e6 * 1e-3));
        add_fixed(scene, "wall", box_of(0, 0, 0, 5, 1, 5), VXE_DOF_ALL);
        add_force(scene, "tip", box_of(0, 9, 0, 5, 1, 5), 0.0, 0.0, -1000.0);
        const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.013);
        set_environment(scene, &e);
        vxe_sim_def def = vxe_default_sim_def();
        def.precision = single != 0 ? VXE_PRECISION_SINGLE : VXE_PRECISION_DOUBLE;
        bench b = start_with(scene, &def);
        const vxe_result result = vxe_sim_step(b.sim, 400, NULL);
        print_message("    1 kN: %s after %lld steps; %s\n", vxe_result_name(result),
                      (long long)vxe_sim_state(b.sim)->step, vxe_sim_status(b.sim)->message);
        if (result == VXE_OK) {
            const vxe_state *s = vxe_sim_state(b.sim);
            for (int32_t v = 0; v < vxe_model_get(b.model)->voxel_count; v++) {
                for (int a = 0; a < 3; a++)
                    assert_true(isfinite(s->position[a][v]) && isfinite(s->velocity[a][v]));
            }
        } else {
            assert_int_equal(result, VXE_ERROR_DIVERGED);
            assert_true(vxe_sim_status(b.sim)->voxel >= 0 ||
                        vxe_sim_status(b.sim)->fault == VXE_FAULT_ENERGY);
            assert_true(vxe_sim_status(b.sim)->fault != VXE_FAULT_NOT_FINITE); /* it is seen before that */
            assert_true(strlen(vxe_sim_status(b.sim)->message) > 20);
        }
        finish(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loaded_cantilever),
        cmocka_unit_test(test_changing_load),
        cmocka_unit_test(test_clapeyron),
        cmocka_unit_test(test_bouncing_block),
        cmocka_unit_test(test_actuated_body),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_held_in_floor),
        cmocka_unit_test(test_damped_bounces),
        cmocka_unit_test(test_begins_in_floor),
        cmocka_unit_test(test_shrinks_in_floor),
        cmocka_unit_test(test_breaking_while_driven),
        cmocka_unit_test(test_jump_above_floor),
        cmocka_unit_test(test_late_jumps),
        cmocka_unit_test(test_cut_at_rest),
        cmocka_unit_test(test_endless_swing),
        cmocka_unit_test(test_fast_start),
        cmocka_unit_test(test_wreck_at_the_end),
        cmocka_unit_test(test_edited_sizes),
        cmocka_unit_test(test_cut_after_edits),
        cmocka_unit_test(test_yielding_and_breaking),
        cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_falling_body),
        cmocka_unit_test(test_injected_energy),
        cmocka_unit_test(test_no_audit),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_crushed_and_torn),
        cmocka_unit_test(test_too_fast),
        cmocka_unit_test(test_one_kilonewton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
