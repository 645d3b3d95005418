/* What the pressure of `solid` makes of supports and loads: faces held by rollers, forces on whole bodies,
 * and bodies one and two voxels thick. */
#include "support.h"

#include "sim/sim.h"

#define PITCH 1e-3
#define YOUNGS 1e6
#define STRAIN 1e-3

/* A block of nx x ny x nz voxels between rollers: its first layer along x is held along x; its last is pulled
 * by a strain, or by the force that belongs to it. */
typedef struct block {
    int32_t nx, ny, nz;
    double poisson;
    bool pulled;   /* by a force */
    int confined;  /* axes across which both faces have rollers: none, y, or y and z */
    int symmetric; /* 1: the first layers along y and z have rollers, as planes of symmetry */
} block;

static const int32_t whole = 1000;

static bench start_block(const block *b)
{
    vxe_scene *scene = new_scene(PITCH, b->nx, b->ny, b->nz);
    fill_all(scene, add_material(scene, YOUNGS, b->poisson, 1000.0));
    add_fixed(scene, "x0", box_of(0, 0, 0, 1, whole, whole), VXE_DOF_X);
    vxe_region_def end = region_of("x1", box_of(b->nx - 1, 0, 0, 1, whole, whole));
    if (b->pulled) {
        end.force[0] = STRAIN * YOUNGS * b->ny * b->nz * PITCH * PITCH;
    } else {
        end.fixed = VXE_DOF_X;
        end.displacement[0] = STRAIN * (b->nx - 1) * PITCH;
    }
    put_region(scene, &end);
    if (b->confined > 0 || b->symmetric != 0) {
        add_fixed(scene, "y0", box_of(0, 0, 0, whole, 1, whole), VXE_DOF_Y);
        add_fixed(scene, "z0", box_of(0, 0, 0, whole, whole, 1), VXE_DOF_Z);
    } else { /* as little as it takes */
        add_fixed(scene, "pin", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_Y | VXE_DOF_Z | VXE_DOF_RX | VXE_DOF_RY);
    }
    if (b->confined > 0) add_fixed(scene, "y1", box_of(0, b->ny - 1, 0, whole, 1, whole), VXE_DOF_Y);
    if (b->confined > 1) add_fixed(scene, "z1", box_of(0, 0, b->nz - 1, whole, whole, 1), VXE_DOF_Z);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.02);
    set_environment(scene, &e);
    return start(scene);
}

/* Stress over strain, over Young's modulus, by linear statics; how far it contracts, over the strain. */
static double stiffness_of(const block *b, double *contraction)
{
    bench s = start_block(b);
    vxe_linear *linear = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_linear_def def = vxe_default_linear_def();
    require(vxe_solve_linear(s.sim, &def, &linear, &error), &error);
    double moved_by[3];
    double force[3];
    assert_int_equal(vxe_linear_region_displacement(linear, 1, moved_by, NULL), VXE_OK);
    assert_int_equal(vxe_linear_region_reaction(linear, 0, force, NULL, NULL), VXE_OK);
    const double strain = moved_by[0] / ((b->nx - 1) * PITCH);
    const double stress = -force[0] / (b->ny * b->nz * PITCH * PITCH);
    const vxe_linear_view *view = vxe_linear_get(linear);
    const int32_t low = voxel_at(s.sim, 0, 0, 0);
    const int32_t high = voxel_at(s.sim, 0, b->ny - 1, 0);
    if (contraction != NULL && b->ny > 1)
        *contraction =
            (view->displacement[1][low] - view->displacement[1][high]) / ((b->ny - 1) * PITCH) / strain;
    vxe_linear_destroy(linear);
    finish(s);
    return stress / strain / YOUNGS;
}

/* Tension between rollers is exact (to the four digits of shared pressure where it is two voxels thick), at
 * any ratio, size and kind of loading: modulus and contraction, at the held layer too. */
static void test_tension(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{10, 4, 4}, {10, 4, 2}, {5, 5, 5}, {4, 6, 6}, {10, 10, 1}, {2, 3, 3}};
    static const double ratios[] = {0.0, 0.3, 0.45, 0.49};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t j = 0; j < 4; j++) {
            for (int way = 0; way < 4; way++) {
                const block b = {sizes[i][0], sizes[i][1], sizes[i][2], ratios[j], way % 2 == 1, 0, way / 2};
                double contraction = 0.0;
                const double digits = b.nx == 2 || b.ny == 2 || b.nz == 2 ? 1e-4 : 1e-8;
                check_near("modulus between rollers", stiffness_of(&b, &contraction), 1.0, digits);
                check_near("contraction at the roller", contraction, ratios[j], digits);
            }
        }
    }
}

/* What rollers confine. The mean of a voxel's faces is all there is at an edge where two rollers meet, so
 * this is not exact; it was up to 15 and 68 % too soft with held faces taken as free. */
static void test_confined(void **state)
{
    (void)state;
    static const double ratios[] = {0.3, 0.45};
    static const double allowed[2][2] = {{0.02, 0.045}, {0.05, 0.1}};
    for (int i = 0; i < 2; i++) {
        const double nu = ratios[i];
        const double exact[2] = {1.0 / (1.0 - nu * nu), (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))};
        for (int sides = 1; sides <= 2; sides++) {
            static const int32_t sizes[][3] = {{10, 4, 4}, {5, 5, 5}, {10, 2, 2}, {10, 10, 10}};
            for (int k = 0; k < 4; k++) {
                for (int pulled = 0; pulled < 2; pulled++) {
                    const block b = {sizes[k][0], sizes[k][1], sizes[k][2], nu, pulled != 0, sides, 1};
                    const double modulus = stiffness_of(&b, NULL) / exact[sides - 1];
                    print_message("    %dx%dx%d, nu %.2f, confined by %d pair%s of rollers: %+.2f %%\n",
                                  (int)b.nx, (int)b.ny, (int)b.nz, nu, sides, sides > 1 ? "s" : "",
                                  100.0 * (modulus - 1.0));
                    check_near("confined modulus", modulus, 1.0, allowed[sides - 1][i]);
                }
            }
        }
    }
}

/* Stepping, equilibrium and linear statics are one physics there too; energy is in balance, and every
 * instruction set gives the same bits. */
static void test_stepping(void **state)
{
    (void)state;
    static const vxe_isa all[] = {VXE_ISA_PLAIN, VXE_ISA_PORTABLE, VXE_ISA_AVX2, VXE_ISA_AVX512};
    const block b = {6, 4, 3, 0.4, true, 1, 1};
    bench stepped = start_block(&b);
    bench solved = start_block(&b);
    vxe_error error = {VXE_OK, ""};
    vxe_equilibrium report;
    const vxe_equilibrium_def def = vxe_default_equilibrium_def();
    require(vxe_solve_equilibrium(solved.sim, &def, &report, &error), &error);
    settle(stepped.sim, 1e-10, 0.01, 1000000);
    const double size = vxe_sim_displacement_max(solved.sim, NULL);
    for (int32_t v = 0; v < 72; v++) {
        for (int a = 0; a < 3; a++)
            check_near("solved against stepped", moved(solved.sim, v, a), moved(stepped.sim, v, a),
                       1e-6 * size);
    }
    const vxe_energy e = vxe_sim_energy(stepped.sim);
    check_below("error of the energy account", fabs(e.error), 1e-6 * e.load_work);
    finish(solved);
    uint64_t expected = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vxe_sim_def how = vxe_default_sim_def();
        how.isa = all[i];
        vxe_sim *sim = NULL;
        if (vxe_sim_create(stepped.model, &how, &sim, &error) != VXE_OK) continue; /* not on this machine */
        step(sim, 300);
        if (i == 0) expected = vxe_sim_hash(sim);
        assert_true(vxe_sim_hash(sim) == expected);
        vxe_sim_destroy(sim);
    }
    finish(stepped);
}

/* A point or a line that is held, and faces that nothing pushes at, count as free. */
static void test_unpushed(void **state)
{
    (void)state;
    const block b = {6, 4, 4, 0.3, true, 0, 1};
    bench s = start_block(&b);
    const uint8_t *pressed = s.sim->model->pressed;
    assert_non_null(pressed);
    for (int32_t v = 0; v < 96; v++) assert_int_equal(pressed[v], s.sim->model->cell[0][v] == 0 ? 1 : 0);
    finish(s);
    const block confined = {6, 4, 4, 0.3, true, 1, 1};
    s = start_block(&confined);
    pressed = s.sim->model->pressed;
    for (int32_t v = 0; v < 96; v++) {
        const int32_t y = s.sim->model->cell[1][v];
        assert_int_equal(pressed[v] >> 1, y == 0 || y == 3 ? 1 : 0);
    }
    finish(s);
    vxe_scene *scene = new_scene(PITCH, 12, 3, 3);
    fill_all(scene, add_material(scene, YOUNGS, 0.4, 1000.0));
    add_fixed(scene, "left", box_of(0, 0, 0, 1, whole, 1), VXE_DOF_Z);
    add_fixed(scene, "right", box_of(11, 0, 0, 1, whole, 1), VXE_DOF_Z);
    add_fixed(scene, "pin", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_X);
    add_force(scene, "middle", box_of(5, 0, 2, 2, whole, 1), 1e-3, 0.0, -1e-3);
    s = start(scene);
    for (int32_t v = 0; v < 108; v++) assert_int_equal(s.sim->model->pressed[v], 0);
    finish(s);
}

/* A force on a whole plate that lies on the floor is shared evenly: it holds 1 % below the static coefficient
 * and slips 1 % above, whatever Poisson's ratio. Read as a pull at the plate's edges it slipped 5 to 10 %
 * early. */
static void test_plate_slips(void **state)
{
    (void)state;
    static const double ratios[] = {0.0, 0.3, 0.45};
    for (int i = 0; i < 6; i++) {
        const double part = i % 2 == 0 ? 0.99 : 1.01;
        vxe_scene *scene = new_scene(0.01, 6, 4, 1);
        vxe_material_def def = vxe_default_material_def();
        def.poissons_ratio = ratios[i / 2];
        def.static_friction = 0.8;
        def.dynamic_friction = 0.5;
        fill_all(scene, put_material(scene, &def));
        vxe_region_def all = region_of("all", box_of(0, 0, 0, whole, whole, whole));
        all.force[0] = part * 0.8 * 24.0 * def.density * 1e-6 * 9.81;
        all.ramp = 1.0;
        put_region(scene, &all);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
        e.floor = true;
        e.gravity[2] = -9.81;
        set_environment(scene, &e);
        bench b = start(scene);
        const vxe_stop stop = {.time = 1.3};
        (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
        check_well(b.sim);
        if (i % 2 == 0) {
            check_below("way of a plate that must hold, m", fabs(moved(b.sim, 0, 0)), 1e-5);
        } else {
            check_above("way of a plate that must slip, m", moved(b.sim, 0, 0), 0.01);
        }
        finish(b);
    }
}

/* A bar one voxel thick yields to shear as a square bar does. Natural frequencies over the first one, against
 * those of the solid (CalculiX, 20x1x1 mm, nu 0.3), whose length does not matter then: 1 %, where ks = 2 mu l
 * gives 5.4.
 */
static void test_thin_bar(void **state)
{
    (void)state;
    static const double solid[] = {404.163, 2503.968, 6887.874, 13170.29, 21134.74, 30526.11};
    vxe_scene *scene = new_scene(PITCH, 21, 1, 1);
    fill_all(scene, add_material(scene, 1e9, 0.3, 1000.0));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_modes *modes = NULL;
    vxe_error error = {VXE_OK, ""};
    vxe_modes_def def = vxe_default_modes_def();
    def.count = 20;
    require(vxe_solve_modes(b.sim, &def, &modes, &error), &error);
    const vxe_modes_view *view = vxe_modes_get(modes);
    int found = 0;
    for (int32_t i = 0; i + 1 < view->count && found < 6; i++) {
        if (fabs(view->frequency[i + 1] / view->frequency[i] - 1.0) > 1e-6)
            continue; /* bending comes in pairs */
        const double over = view->frequency[i] / view->frequency[0] / (solid[found] / solid[0]);
        print_message("    bending mode %d of a bar one voxel thick, nu 0.3: %+.2f %%\n", found + 1,
                      100.0 * (over - 1.0));
        check_near("frequency over the first", over, 1.0, 0.01);
        found++;
        i++;
    }
    assert_int_equal(found, 6);
    vxe_modes_destroy(modes);
    finish(b);
}

int main(void)
{
    if (!vxe_solve_available()) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tension),  cmocka_unit_test(test_confined),    cmocka_unit_test(test_stepping),
        cmocka_unit_test(test_unpushed), cmocka_unit_test(test_plate_slips), cmocka_unit_test(test_thin_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
