/* Loads from outside in the solvers: force fields, cilia and a floor that is a disc, in linear statics and
 * equilibrium against time stepping; and the list of loads itself. */
#include "support.h"

#include "sim/floor.h"
#include "sim/loads.h"

#define PITCH 1e-3
#define YOUNGS 1e6
#define DENSITY 1000.0
#define W0 31622.776601683795 /* rad/s: sqrt(E l/m) */

/* rad/s over W0: the first mode of a cantilever. */
static double first_mode(int links, double thickness)
{
    return 3.516 / (links * links) * thickness / sqrt(12.0);
}

static void set_formula(vxe_scene *scene, vxe_formula_role role, const char *text)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_formula(scene, role, text, &error), &error);
}

static void set_cilia(vxe_scene *scene, vxe_field field, int32_t i, int32_t j, int32_t k, double force)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_field(scene, field, i, j, k, force, &error), &error);
}

/* A bar of 2x2 voxels held at its left end, damped critically by the ground. */
static vxe_scene *bar(int32_t nx, vxe_elasticity elasticity)
{
    vxe_scene *scene = new_scene(PITCH, nx, 2, 2);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    const vxe_environment e = environment_of(elasticity, 0.0, first_mode(nx - 1, 2.0));
    set_environment(scene, &e);
    return scene;
}

/* Largest distance of a voxel between two simulations over the largest displacement of the second. */
static double apart(vxe_sim *a, vxe_sim *b)
{
    const vxe_state *first = vxe_sim_state(a);
    const vxe_state *second = vxe_sim_state(b);
    double most = 0.0;
    for (int32_t v = 0; v < vxe_model_get(vxe_sim_model(a))->voxel_count; v++) {
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = first->position[i][v] - second->position[i][v];
        most = fmax(most, length3(d));
    }
    return most / vxe_sim_displacement_max(b, NULL);
}

/* Equilibrium of a bar with its loads, by every solver, against stepping; and the list of loads against what
 * the supports carry. */
static void check_against_stepping(const char *what, vxe_scene *scene, double mode)
{
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *stepped = new_sim(model, &def);
    settle(stepped, 1e-10, 3.0 / (mode * W0), 3000000);
    check_above("it bends, pitches", vxe_sim_displacement_max(stepped, NULL) / PITCH, 0.3);
    for (int i = 0; i < 2; i++) {
        vxe_equilibrium_def how = vxe_default_equilibrium_def();
        how.solver = i == 0 ? VXE_SOLVER_DIRECT : VXE_SOLVER_ITERATIVE;
        how.relaxation_max = 0; /* by Newton's method */
        vxe_sim *solved = new_sim(model, &def);
        vxe_equilibrium report;
        vxe_error error = {VXE_OK, ""};
        require(vxe_solve_equilibrium(solved, &how, &report, &error), &error);
        assert_int_equal(report.status, VXE_EQUILIBRIUM_STABLE);
        print_message("    %s: %d iterations, apart by %.1e of the displacement\n", what,
                      (int)report.iterations, apart(solved, stepped));
        check_below("solved against stepped", apart(solved, stepped), 1e-6);
        double force[2][3];
        assert_int_equal(vxe_sim_region_reaction(solved, 0, force[0], NULL, NULL), VXE_OK);
        assert_int_equal(vxe_sim_region_reaction(stepped, 0, force[1], NULL, NULL), VXE_OK);
        for (int a = 0; a < 3; a++)
            check_near("reaction", force[0][a], force[1][a], 1e-6 * length3(force[1]));
        step(solved, 20);
        check_below("speed after the answer, m/s", vxe_sim_speed_max(solved), 1e-8);
        vxe_sim_destroy(solved);
    }
    vxe_sim_destroy(stepped);
    vxe_model_destroy(model);
}

/* A field that grows along the bar; one that softens it (a spring that pushes away); one that no energy
 * belongs to (it turns round the axis of the bar); one that changes in time, at the moment asked for. */
static void test_force_fields(void **state)
{
    (void)state;
    const double mode = first_mode(19, 2.0);
    vxe_scene *scene = bar(20, VXE_ELASTICITY_SOLID);
    set_formula(scene, VXE_FORMULA_FORCE_Z, "-4e-5 * (1 + 100 * x)");
    check_against_stepping("a field that grows along the bar", scene, mode);
    scene = bar(20, VXE_ELASTICITY_BEAM);
    set_formula(scene, VXE_FORMULA_FORCE_Z, "0.008 * (z + 0.0005)");
    check_against_stepping("a field that softens", scene, mode);
    scene = bar(20, VXE_ELASTICITY_SOLID);
    set_formula(scene, VXE_FORMULA_FORCE_Y, "-0.01 * (z - 0.001)");
    set_formula(scene, VXE_FORMULA_FORCE_Z, "0.01 * (y - 0.001) + 1e-5");
    check_against_stepping("a field that turns", scene, mode);
}

/* Forces that turn with their voxels: at the tip, upwards and along. */
static void test_cilia(void **state)
{
    (void)state;
    const double mode = first_mode(19, 2.0);
    vxe_scene *scene = bar(20, VXE_ELASTICITY_SOLID);
    for (int32_t n = 0; n < 4; n++) {
        set_cilia(scene, VXE_FIELD_CILIA_Z, 19, n % 2, n / 2, 1e-3);
        set_cilia(scene, VXE_FIELD_CILIA_Y, 10, n % 2, n / 2, -4e-4);
        set_cilia(scene, VXE_FIELD_CILIA_X, 15, n % 2, n / 2, -4e-4);
    }
    check_against_stepping("cilia", scene, mode);
}

/* Linear statics: small loads bend it as little as the equilibrium says. */
static void test_linear(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = bar(12, VXE_ELASTICITY_SOLID);
        if (i == 0) {
            set_formula(scene, VXE_FORMULA_FORCE_Z, "-4e-9 * (1 + 100 * x)");
            set_formula(scene, VXE_FORMULA_FORCE_X, "1e-8 * sin(1000 * y)");
        } else {
            set_cilia(scene, VXE_FIELD_CILIA_Z, 11, 0, 0, 1e-7);
        }
        bench b = start(scene);
        vxe_linear *linear = NULL;
        vxe_equilibrium report;
        vxe_error error = {VXE_OK, ""};
        const vxe_linear_def def = vxe_default_linear_def();
        const vxe_equilibrium_def how = vxe_default_equilibrium_def();
        require(vxe_solve_linear(b.sim, &def, &linear, &error), &error);
        require(vxe_solve_equilibrium(b.sim, &how, &report, &error), &error);
        const vxe_linear_view *view = vxe_linear_get(linear);
        check_above("displacement, pitches", view->displacement_max / PITCH, 1e-7);
        for (int32_t v = 0; v < view->voxel_count; v++) {
            for (int a = 0; a < 3; a++) {
                check_near("displacement", view->displacement[a][v], moved(b.sim, v, a),
                           1e-4 * view->displacement_max);
            }
        }
        double force[3];
        assert_int_equal(vxe_linear_region_reaction(linear, 0, force, NULL, NULL), VXE_OK);
        if (i == 1) check_near("reaction", force[2], -1e-7, 1e-15);
        vxe_linear_destroy(linear);
        finish(b);
    }
}

/* A bar that lies on a disc of three voxels, without friction, and hangs down on both sides: the floor
 * carries it there and nowhere else, in equilibrium as in stepping. */
static void test_disc(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 15, 1, 2);
    vxe_material_def def = vxe_default_material_def();
    def.static_friction = def.dynamic_friction = 0.0;
    fill(scene, box_of(0, 0, 0, 15, 1, 1), put_material(scene, &def));
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.1, 0.0);
    e.kinetic_damping = true;
    e.gravity[2] = -200.0;
    e.floor = true;
    e.floor_radius = 1.6 * PITCH;
    set_environment(scene, &e);
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    const vxe_sim_def sim_def = vxe_default_sim_def();
    vxe_sim *solved = new_sim(model, &sim_def);
    vxe_sim *stepped = new_sim(model, &sim_def);
    vxe_equilibrium_def how = vxe_default_equilibrium_def();
    how.grip = VXE_FLOOR_SLIDE;
    how.relaxation_max = 0;
    vxe_equilibrium report;
    vxe_error error = {VXE_OK, ""};
    require(vxe_solve_equilibrium(solved, &how, &report, &error), &error);
    settle(stepped, 1e-10, 0.02, 3000000);
    print_message("    on a disc: %d voxels touch, apart by %.1e of the displacement; %s\n",
                  (int)report.touching, apart(solved, stepped), report.message);
    check_below("solved against stepped", apart(solved, stepped), 1e-5);
    assert_true(report.touching >= 2 && report.touching <= 3);
    assert_true(moved(solved, 0, 2) < -0.5 * PITCH); /* the ends are below the floor, where there is none */
    const double weight = 15.0 * DENSITY * PITCH * PITCH * PITCH * 200.0;
    double carried = 0.0;
    for (int32_t v = 0; v < 15; v++) carried += vxe_sim_state(solved)->contact_force[2][v];
    check_near("what the floor carries, N", carried, weight, 1e-9 * weight);
    /* and what its springs store is in the energy that is read */
    check_near("energy", vxe_sim_energy(solved).elastic, report.energy, 1e-12);
    vxe_sim_destroy(solved);
    vxe_sim_destroy(stepped);
    vxe_model_destroy(model);
}

/* Pressed so hard that the floor's second spring acts: equilibrium and stepping agree, and the floor carries
 * all. */
static void test_deep(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 2, 2, 1);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
    e.damping_contact = 1.0;
    e.gravity[2] = -1e6;
    e.floor = true;
    set_environment(scene, &e);
    bench solved = start(scene);
    vxe_equilibrium report;
    vxe_error error = {VXE_OK, ""};
    vxe_equilibrium_def how = vxe_default_equilibrium_def();
    how.relaxation_max = 0;
    require(vxe_solve_equilibrium(solved.sim, &how, &report, &error), &error);
    /* a spring of 2 E l to a quarter of a pitch, 21 times as stiff beyond; 1 N for each voxel */
    const double edge = 0.25 * PITCH;
    const double k = 2.0 * YOUNGS * PITCH;
    const double depth = edge + (1.0 - k * edge) / (21.0 * k);
    for (int32_t v = 0; v < 4; v++) check_near("depth", -moved(solved.sim, v, 2), depth, 1e-9 * depth);
    step(solved.sim, 200);
    for (int32_t v = 0; v < 4; v++)
        check_near("depth, stepped", -moved(solved.sim, v, 2), depth, 1e-6 * depth);
    finish(solved);
}

/* A body beside the disc falls for ever, and that is said at once. */
static void test_beside_disc(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 20, 1, 4);
    fill(scene, box_of(15, 0, 1, 3, 1, 1), add_material(scene, YOUNGS, 0.3, DENSITY));
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.floor_radius = 3.0 * PITCH;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_equilibrium report;
    vxe_error error = {VXE_OK, ""};
    const vxe_equilibrium_def def = vxe_default_equilibrium_def();
    assert_int_equal(vxe_solve_equilibrium(b.sim, &def, &report, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "there is no equilibrium"));
    assert_true(vxe_floor_under(b.sim, 10.0 * PITCH, 0.5 * PITCH));
    assert_false(vxe_floor_under(b.sim, 13.1 * PITCH, 0.5 * PITCH));
    finish(b);
}

typedef struct load_sums {
    double force[3];
    double torque[3];
    int32_t count;
} load_sums;

static void add_up(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    load_sums *sums = user;
    assert_true(voxel >= 0);
    sums->count++;
    for (int a = 0; a < 3; a++) {
        sums->force[a] += force[a];
        sums->torque[a] += torque[a];
    }
}

static load_sums total_of(vxe_sim *sim, unsigned kinds)
{
    load_sums sums = {.count = 0};
    const load_moment now = vxe_loads_now(sim, 0.0);
    vxe_loads_each(sim, &now, kinds, add_up, &sums);
    return sums;
}

/* The list itself: what there is, how much of it, and what follows the body. */
static void test_list(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = bar(6, VXE_ELASTICITY_SOLID);
    vxe_region_def tip = region_of("tip", box_of(5, 0, 0, 1, 2, 2));
    tip.force[1] = 0.5;
    tip.torque[0] = 0.25;
    tip.ramp = 1.0;
    put_region(scene, &tip);
    set_formula(scene, VXE_FORMULA_FORCE_X, "3 * y + 5 * x");
    set_cilia(scene, VXE_FIELD_CILIA_Z, 3, 1, 1, 7.0);
    vxe_environment e = vxe_scene_environment(scene);
    e.gravity[2] = -10.0;
    e.drag = 2.0;
    set_environment(scene, &e);
    vxe_water_def water = vxe_default_water_def();
    water.has_level = true;
    water.level = PITCH;
    require(vxe_scene_set_water(scene, &water, &error), &error);
    vxe_rule_def push = vxe_default_rule_def(VXE_RULE_PUSH);
    push.direction[1] = 2.0;
    push.value[0] = 'x';
    require(vxe_scene_add_rule(scene, &push, NULL, &error), &error);
    bench b = start(scene);
    const double pull[3] = {1.0, 2.0, 3.0};
    require(vxe_sim_pull(b.sim, 4, pull, &error), &error);
    assert_int_equal(vxe_loads_present(b.sim), LOAD_ALL & ~LOAD_OTHER);
    assert_int_equal(vxe_loads_following(b.sim), LOAD_FIELD | LOAD_CILIA | LOAD_WATER);
    check_near("lift", total_of(b.sim, LOAD_WATER).force[2], 12.0 * PITCH * PITCH * PITCH * 1e3 * 10.0,
               1e-12);
    check_near("weight", total_of(b.sim, LOAD_GRAVITY).force[2], -24.0 * 1e-6 * 10.0, 1e-15);
    assert_int_equal(total_of(b.sim, LOAD_GRAVITY).count, 24);
    /* the ramp has not begun */
    check_near("force", total_of(b.sim, LOAD_REGIONS).force[1], 0.0, 0.0);
    load_moment later = vxe_loads_now(b.sim, 0.0);
    later.full = true;
    load_sums sums = {.count = 0};
    vxe_loads_each(b.sim, &later, LOAD_REGIONS, add_up, &sums);
    check_near("force", sums.force[1], 0.5, 1e-15);
    check_near("torque", sums.torque[0], 0.25, 1e-15);
    check_near("field", total_of(b.sim, LOAD_FIELD).force[0], 24.0 * (3.0 * PITCH + 5.0 * 3.0 * PITCH),
               1e-12);
    check_near("cilia", total_of(b.sim, LOAD_CILIA).force[2], 7.0, 1e-15);
    check_near("pull", total_of(b.sim, LOAD_PULLS).force[1], 2.0, 0.0);
    assert_int_equal(total_of(b.sim, LOAD_DRAG).count, 0); /* nothing moves */
    const double velocity[3] = {0.1, 0.0, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    require(vxe_sim_set_motion(b.sim, velocity, none, none, &error), &error);
    check_near("drag", total_of(b.sim, LOAD_DRAG).force[0], -4.0 * 2.0 * PITCH * PITCH * 0.01, 1e-12);
    double slope[3][3];
    vxe_loads_field_slope(b.sim, &later, 4, slope);
    check_near("slope", slope[0][0], 5.0, 1e-8);
    check_near("slope", slope[0][1], 3.0, 1e-8);
    check_near("slope", slope[1][0], 0.0, 0.0);
    check_near("slope", slope[2][2], 0.0, 0.0);
    finish(b);
}

/* A force by the recipe of docs/architecture.md: a wind along y that presses on the voxels of the upper
 * layer. */
static void tell_wind(const vxe_sim *sim, load_sink sink, void *user)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const double force[3] = {0.0, 2e-4, 0.0};
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (sim->model->cell[2][v] == 1) sink(user, v, force, none);
    }
}

/* Stepping, account and solvers feel it alike. */
static void test_new_force(void **state)
{
    (void)state;
    static const other_load wind = {tell_wind};
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = bar(6, VXE_ELASTICITY_SOLID);
    vxe_environment e = vxe_scene_environment(scene);
    e.damping_ground = 0.05; /* so that it comes to rest soon */
    set_environment(scene, &e);
    bench stepped = start(scene);
    stepped.sim->other_load = &wind;
    const vxe_sim_def settings = vxe_default_sim_def();
    vxe_sim *solved = new_sim(stepped.model, &settings);
    solved->other_load = &wind;
    const vxe_linear_def linear_def = vxe_default_linear_def();
    vxe_linear *linear = NULL;
    require(vxe_solve_linear(solved, &linear_def, &linear, &error), &error);
    const vxe_equilibrium_def def = vxe_default_equilibrium_def();
    vxe_equilibrium report;
    require(vxe_solve_equilibrium(solved, &def, &report, &error), &error);
    settle(stepped.sim, 1e-8, 0.05, 10000000);
    const double far = vxe_sim_displacement_max(solved, NULL);
    check_above("displacement", far, 1e-6);
    check_near("stepping", vxe_sim_displacement_max(stepped.sim, NULL), far, 1e-4 * far);
    check_near("linear", vxe_linear_get(linear)->displacement_max, far, 1e-2 * far);
    const vxe_energy energy = vxe_sim_energy(stepped.sim);
    check_above("work of the wind", energy.load_work, energy.elastic);
    /* bending is not quite linear; a load that the account did not know would be missing as a whole */
    check_below("account", fabs(energy.error), 1e-7 * energy.load_work);
    vxe_linear_destroy(linear);
    vxe_sim_destroy(solved);
    finish(stepped);
}

int main(void)
{
    if (!vxe_solve_available()) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),         cmocka_unit_test(test_linear),
        cmocka_unit_test(test_force_fields), cmocka_unit_test(test_cilia),
        cmocka_unit_test(test_disc),         cmocka_unit_test(test_deep),
        cmocka_unit_test(test_beside_disc),  cmocka_unit_test(test_new_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
