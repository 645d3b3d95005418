/* Linear statics, and what all solvers stand on: the tangent stiffness of any pose against differences of
 * forces, the direct and the iterative solver against each other, closed forms and the reference values of
 * the lattice, and errors that name what can move. */
#include "support.h"

#include "solve/equations.h"
#include "solve/motions.h"

#define PITCH 1e-3
#define YOUNGS 1e6
#define DENSITY 1000.0

/* ---- scenes --------------------------------------------------------------------------------------------------------- */

static vxe_linear *solve_linear(vxe_sim *sim, vxe_solver solver)
{
    vxe_linear_def def = vxe_default_linear_def();
    def.solver = solver;
    vxe_linear *linear = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_solve_linear(sim, &def, &linear, &error), &error);
    return linear;
}

/* A bar along x: first layer held, last layer loaded. */
static bench cantilever(int32_t nx, int32_t ny, int32_t nz, vxe_elasticity elasticity, double poisson,
                        double fx, double fz, double torque_x)
{
    vxe_scene *scene = new_scene(PITCH, nx, ny, nz);
    fill_all(scene, add_material(scene, YOUNGS, poisson, DENSITY));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, ny, nz), VXE_DOF_ALL);
    vxe_region_def tip = region_of("tip", box_of(nx - 1, 0, 0, 1, ny, nz));
    tip.force[0] = fx;
    tip.force[2] = fz;
    tip.torque[0] = torque_x;
    put_region(scene, &tip);
    const vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    set_environment(scene, &e);
    return start(scene);
}

/* ---- tangent stiffness ---------------------------------------------------------------------------------------------- */

/* A lump of three materials with a hole, bent, stretched and grown at random: nothing is special about its
 * pose. */
static bench crooked(vxe_elasticity elasticity, rng *r)
{
    vxe_scene *scene = new_scene(PITCH, 4, 3, 3);
    const int32_t soft = add_material(scene, YOUNGS, 0.3, DENSITY);
    const int32_t stiff = add_material(scene, 8.0 * YOUNGS, 0.45, 2.0 * DENSITY);
    const int32_t plain = add_material(scene, 2.0 * YOUNGS, 0.0, DENSITY);
    fill_all(scene, soft);
    fill(scene, box_of(2, 0, 0, 2, 3, 3), stiff);
    fill(scene, box_of(0, 2, 0, 4, 1, 1), plain);
    fill(scene, box_of(1, 1, 1, 1, 1, 1), 0);
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 3, 3), VXE_DOF_X | VXE_DOF_RY);
    add_force(scene, "pull", box_of(3, 0, 0, 1, 3, 3), 0.1, 0.02, 0.0);
    vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    e.floor = true;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_sim *sim = b.sim;
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        for (int a = 0; a < 3; a++) sim->position[a][v] += rng_between(r, -0.15, 0.15) * PITCH;
        double q[4];
        for (int i = 0; i < 4; i++) q[i] = (i == 0 ? 1.0 : 0.0) + rng_between(r, -0.3, 0.3);
        const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; i++) sim->orientation[i][v] = q[i] / size;
        sim->growth[0][v] = rng_between(r, -0.1, 0.1);
    }
    return b;
}

/* Gradients, and forces of the engine itself. With q <- exp(theta) q, the gradient g changes by (H - [g x]/2)
 * theta (src/solve/torque.h). */
static void check_tangent(vxe_elasticity elasticity)
{
    rng r = {11};
    bench b = crooked(elasticity, &r);
    lattice l;
    pose p;
    pose moved;
    vxe_error error = {VXE_OK, ""};
    require(vxe_lattice_create(&l, b.sim, 0.0, &error), &error);
    require(vxe_pose_create(&l, &p, &error), &error);
    require(vxe_pose_create(&l, &moved, &error), &error);
    vxe_pose_read(&l, &p);
    const size_t size = 6 * (size_t)l.voxels;
    double *x = calloc(size, sizeof *x);
    double *kx = calloc(size, sizeof *kx);
    double *g[3];
    for (int i = 0; i < 3; i++) g[i] = calloc(size, sizeof **g);
    for (size_t i = 0; i < size; i++) x[i] = rng_between(&r, -1.0, 1.0) * (i % 6 < 3 ? PITCH : 1.0);
    vxe_tangent_apply(&l, &p, true, x, kx);
    (void)vxe_lattice_gradient(&l, &p, true, g[0]);

    /* the energy's slope along x is g.x, both by central differences */
    const double h = 1e-5;
    double energy[2];
    for (int side = 0; side < 2; side++) {
        const double part = side == 0 ? h : -h;
        vxe_pose_copy(&l, &p, &moved);
        for (size_t v = 0; v < (size_t)l.voxels; v++) {
            const double theta[3] = {part * x[6 * v + 3], part * x[6 * v + 4], part * x[6 * v + 5]};
            for (size_t a = 0; a < 3; a++) moved.position[3 * v + a] += part * x[6 * v + a];
            vxe_pose_turn(&moved, (int32_t)v, theta);
        }
        energy[side] = vxe_lattice_gradient(&l, &moved, true, g[1 + side]).energy;
    }
    double slope = 0.0;
    for (size_t i = 0; i < size; i++) slope += g[0][i] * x[i];
    check_near("slope of the energy", (energy[0] - energy[1]) / (2.0 * h), slope, 1e-7 * fabs(slope));

    double worst = 0.0;
    double scale = 0.0;
    for (size_t v = 0; v < (size_t)l.voxels; v++) {
        for (size_t d = 0; d < 6; d++) {
            const size_t i = 6 * v + d;
            const double unit = d < 3 ? 1.0 : 1.0 / PITCH;
            double expected = kx[i];
            if (d >= 3) {
                const double *m = &g[0][6 * v + 3];
                const double *t = &x[6 * v + 3];
                const size_t a = (d - 3 + 1) % 3;
                const size_t c = (d - 3 + 2) % 3;
                expected -= 0.5 * (m[a] * t[c] - m[c] * t[a]);
            }
            worst = fmax(worst, unit * fabs((g[1][i] - g[2][i]) / (2.0 * h) - expected));
            scale = fmax(scale, unit * fabs(expected));
        }
    }
    /* central differences: h^2 times third derivatives over first, about 1e-9, and round-off of 1e-16/h */
    print_message("    tangent of a crooked body: off by %.1e of the largest force\n", worst / scale);
    check_below("tangent against differences of forces", worst / scale, 1e-7);

    /* the sparse matrix with what it leaves to equations.c is the same operator, symmetric, on the free
     * unknowns */
    equations q;
    require(vxe_equations_create(&q, &l, VXE_SOLVER_DIRECT, 1e12, &error), &error);
    vxe_equations_fill(&q, &p, true, NULL);
    for (size_t i = 0; i < size; i++) x[i] = q.k.unknown[i] >= 0 ? x[i] : 0.0;
    vxe_tangent_apply(&l, &p, true, x, kx);
    double *fx = calloc((size_t)q.k.size, sizeof *fx);
    double *fy = calloc((size_t)q.k.size, sizeof *fy);
    vxe_sparse_gather(&q.k, &l, x, fx);
    vxe_equations_multiply(&q, fx, fy);
    vxe_sparse_gather(&q.k, &l, kx, fx);
    worst = 0.0;
    for (int64_t i = 0; i < q.k.size; i++) worst = fmax(worst, fabs(fy[i] - fx[i]));
    check_below("matrix against links", worst / scale, 1e-12);
    free(fx);
    free(fy);
    vxe_equations_destroy(&q);
    for (int i = 0; i < 3; i++) free(g[i]);
    free(x);
    free(kx);
    vxe_pose_destroy(&p);
    vxe_pose_destroy(&moved);
    vxe_lattice_destroy(&l);
    finish(b);
}

static void test_tangent_beam(void **state)
{
    (void)state;
    check_tangent(VXE_ELASTICITY_BEAM);
}

static void test_tangent_solid(void **state)
{
    (void)state;
    check_tangent(VXE_ELASTICITY_SOLID);
}

/* ---- reference values ----------------------------------------------------------------------------------------------- */

/* One link, by formula: axial F/(E l), across 4 F/(E l), turn 6 F/(E l^2), twist 6 T/(G l^3). Nothing but
 * round-off is left out. */
static void test_one_link(void **state)
{
    (void)state;
    const double force = 1e-6;
    bench b = cantilever(2, 1, 1, VXE_ELASTICITY_BEAM, 0.25, force, -force, 1e-9);
    vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
    const vxe_linear_view *view = vxe_linear_get(linear);
    const double unit = force / (YOUNGS * PITCH);
    const double shear = YOUNGS / 2.5;
    check_near("stretch", view->displacement[0][1], unit, 1e-9 * unit);
    check_near("deflection", view->displacement[2][1], -4.0 * unit, 4e-9 * unit);
    check_near("turn", view->rotation[1][1], 6.0 * unit / PITCH, 6e-9 * unit / PITCH);
    check_near("twist", view->rotation[0][1], 6e-9 / (shear * PITCH * PITCH * PITCH),
               6e-18 / (shear * PITCH * PITCH * PITCH));
    check_near("strain", view->link_strain[0], force / (YOUNGS * PITCH * PITCH),
               1e-9 * force / (YOUNGS * PITCH * PITCH));
    check_near("stress", view->link_stress[0], force / (PITCH * PITCH), 1e-9 * force / (PITCH * PITCH));
    double reaction[3];
    double moment[3];
    assert_int_equal(vxe_linear_region_reaction(linear, 0, reaction, moment, NULL), VXE_OK);
    check_near("reaction, x", reaction[0], -force, 1e-12 * force);
    check_near("reaction, z", reaction[2], force, 1e-12 * force);
    check_near("moment", moment[1], -force * PITCH, 1e-12 * force * PITCH);
    check_near("torque", moment[0], -1e-9, 1e-20);
    vxe_linear_destroy(linear);
    finish(b);
}

/* Paper, Table 1, and validation/cases.json: 1e-4, which is their last digit. */
static void test_cantilevers(void **state)
{
    (void)state;
    bench b = cantilever(20, 1, 1, VXE_ELASTICITY_BEAM, 0.3, 0.0, -3e-5, 0.0);
    vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
    print_message("    thin cantilever, linear: %.6f mm, residual %.1e\n",
                  1e3 * vxe_linear_get(linear)->displacement_max, vxe_linear_get(linear)->residual);
    check_near("thin, mm", 1e3 * vxe_linear_get(linear)->displacement_max, 0.82308, 0.82308e-4);
    vxe_linear_destroy(linear);
    finish(b);
    b = cantilever(10, 5, 5, VXE_ELASTICITY_BEAM, 0.3, 0.0, -0.1, 0.0);
    linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
    const vxe_linear_view *view = vxe_linear_get(linear);
    double mean[3];
    double most = 0.0;
    assert_int_equal(vxe_linear_region_displacement(linear, 1, mean, NULL), VXE_OK);
    for (int32_t i = b.model->view.region_begin[1]; i < b.model->view.region_begin[2]; i++) {
        most = fmax(most, -view->displacement[2][b.model->view.region_voxel[i]]);
    }
    const double centre = -view->displacement[2][voxel_at(b.sim, 9, 2, 2)];
    print_message("    thick cantilever, linear: largest %.6f, mean %.6f, centre %.6f mm\n", 1e3 * most,
                  -1e3 * mean[2], 1e3 * centre);
    check_near("largest, mm", 1e3 * most, 0.546118, 0.546118e-4);
    check_near("mean, mm", -1e3 * mean[2], 0.545105, 0.545105e-4);
    check_near("centre, mm", 1e3 * centre, 0.543933, 0.543933e-4);
    check_near("half the work of the load", view->energy, 0.5 * 0.1 * -mean[2], 1e-9 * view->energy);
    vxe_linear_destroy(linear);
    finish(b);
}

/* 20x4x4 with 100 MPa above 1 MPa: validation/cases.json "lattice.two", 1e-3. */
static void test_two_materials(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 20, 4, 4);
    fill_all(scene, add_material(scene, YOUNGS, 0.0, DENSITY));
    fill(scene, box_of(0, 0, 2, 20, 4, 2), add_material(scene, 100.0 * YOUNGS, 0.0, DENSITY));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 4, 4), VXE_DOF_ALL);
    add_force(scene, "tip", box_of(19, 0, 0, 1, 4, 4), 0.0, 0.0, -0.01);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    for (vxe_solver solver = VXE_SOLVER_DIRECT; solver <= VXE_SOLVER_ITERATIVE; solver++) {
        vxe_linear *linear = solve_linear(b.sim, solver);
        double mean[3];
        assert_int_equal(vxe_linear_region_displacement(linear, 1, mean, NULL), VXE_OK);
        check_near("mean tip, mm", -1e3 * mean[2], 0.07681690809, 0.0768e-3);
        vxe_linear_destroy(linear);
    }
    finish(b);
}

/* Prescribed motion: a bar between two layers, one turned by 0.01 rad about x; a cube whose top layer is
 * moved sideways. Torque and force from validation/cases.json (direct stiffness), 1e-3. */
static void test_prescribed(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 10, 5, 5);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 5, 5), VXE_DOF_ALL);
    vxe_region_def turn = region_of("turned", box_of(9, 0, 0, 1, 5, 5));
    turn.fixed = VXE_DOF_ALL;
    turn.rotation[0] = 0.01;
    put_region(scene, &turn);
    const vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_AUTO);
    double force[3];
    double moment[3];
    assert_int_equal(vxe_linear_region_reaction(linear, 1, force, moment, NULL), VXE_OK);
    print_message("    torsion: %.8f N mm\n", 1e3 * moment[0]);
    check_near("torque, N mm", 1e3 * moment[0], 0.05230276541, 0.0523e-3);
    check_near("no net force", length3(force), 0.0, 1e-12);
    vxe_linear_destroy(linear);
    finish(b);

    const int32_t n = is_quick() ? 6 : 10;
    scene = new_scene(PITCH, n, n, n);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    add_fixed(scene, "floor", box_of(0, 0, 0, n, n, 1), VXE_DOF_ALL);
    vxe_region_def top = region_of("top", box_of(0, 0, n - 1, n, n, 1));
    top.fixed = VXE_DOF_ALL;
    top.displacement[0] = 0.09e-3;
    put_region(scene, &top);
    set_environment(scene, &e);
    b = start(scene);
    double found[2][3];
    for (int i = 0; i < 2; i++) {
        linear = solve_linear(b.sim, i == 0 ? VXE_SOLVER_DIRECT : VXE_SOLVER_ITERATIVE);
        assert_int_equal(vxe_linear_region_reaction(linear, 1, found[i], NULL, NULL), VXE_OK);
        vxe_linear_destroy(linear);
    }
    print_message("    shear: %.8f N\n", found[0][0]);
    if (!is_quick()) check_near("force, N", found[0][0], 0.33790592977, 0.3379e-3);
    check_near("direct and iterative", found[1][0], found[0][0], 1e-8);
    finish(b);
}

/* ---- solid, growth, gravity ----------------------------------------------------------------------------------------- */

/* `solid` in tension: a bar held at one end along x only, so that it may contract: stress F/A, strain
 * stress/E, lateral -nu times that, in every link. The traction on the loaded face is part of it, so nothing
 * but round-off remains. */
static void test_solid_patch(void **state)
{
    (void)state;
    static const double poisson[3] = {0.0, 0.3, 0.49};
    for (int i = 0; i < 3; i++) {
        vxe_scene *scene = new_scene(PITCH, 5, 4, 3);
        fill_all(scene, add_material(scene, YOUNGS, poisson[i], DENSITY));
        const double stress = 1e3;
        add_force(scene, "left", box_of(0, 0, 0, 1, 4, 3), -12.0 * stress * PITCH * PITCH, 0.0, 0.0);
        add_force(scene, "right", box_of(4, 0, 0, 1, 4, 3), 12.0 * stress * PITCH * PITCH, 0.0, 0.0);
        add_fixed(scene, "corner", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        bench b = start(scene);
        vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
        const vxe_linear_view *view = vxe_linear_get(linear);
        double worst = 0.0;
        const int32_t n = b.model->view.voxel_count;
        for (int a = 0; a < 3; a++) {
            for (int32_t v = 0; v < n; v++) {
                if (b.model->view.next[a][v] < 0) continue;
                const double strain = a == 0 ? stress / YOUNGS : -poisson[i] * stress / YOUNGS;
                worst = fmax(worst, fabs(view->link_strain[(size_t)a * (size_t)n + (size_t)v] - strain) *
                                        YOUNGS / stress);
                worst = fmax(worst, fabs(view->link_stress[(size_t)a * (size_t)n + (size_t)v] -
                                         (a == 0 ? stress : 0.0)) /
                                        stress);
            }
        }
        check_below("strain and stress of the patch", worst, 1e-9);
        vxe_linear_destroy(linear);
        finish(b);
    }
}

/* Uniform growth of a body that is held at one voxel: every voxel moves by growth times its distance, nothing
 * is strained. A body that is held at both ends is stressed by -E growth along it (nu = 0, so that the held
 * layers do not disturb). */
static void test_growth(void **state)
{
    (void)state;
    const double growth = 1e-3;
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = new_scene(PITCH, 8, 3, 2);
        vxe_material_def def = vxe_default_material_def();
        def.expansion = 1e-4;
        def.poissons_ratio = i == 0 ? 0.3 : 0.0;
        fill_all(scene, put_material(scene, &def));
        vxe_signal_def signal = vxe_default_signal_def();
        signal.base = 10.0;
        put_signal(scene, &signal);
        add_fixed(scene, "one", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        if (i == 1) add_fixed(scene, "ends", box_of(0, 0, 0, 1, 3, 2), VXE_DOF_X);
        if (i == 1) add_fixed(scene, "others", box_of(7, 0, 0, 1, 3, 2), VXE_DOF_X);
        bench b = start(scene);
        vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
        const vxe_linear_view *view = vxe_linear_get(linear);
        const int32_t tip = voxel_at(b.sim, 7, 2, 1);
        if (i == 0) {
            check_near("x of the far corner", view->displacement[0][tip], 7.0 * PITCH * growth, 1e-9 * PITCH);
            check_near("y of the far corner", view->displacement[1][tip], 2.0 * PITCH * growth, 1e-9 * PITCH);
            check_below("strain", view->strain_max, 1e-12);
            check_below("energy", fabs(view->energy), 1e-18);
        } else {
            const int32_t middle = voxel_at(b.sim, 4, 1, 1);
            check_near("stress between walls", view->voxel_stress[0][middle], -def.youngs_modulus * growth,
                       1e-9 * def.youngs_modulus * growth);
            double force[3];
            assert_int_equal(vxe_linear_region_reaction(linear, 2, force, NULL, NULL), VXE_OK);
            check_near("the wall pushes", force[0], -6.0 * PITCH * PITCH * def.youngs_modulus * growth,
                       6e-9 * PITCH * PITCH * def.youngs_modulus * growth);
        }
        vxe_linear_destroy(linear);
        finish(b);
    }
}

/* A hanging bar: reactions carry its weight. */
static void test_weight(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(PITCH, 2, 2, 6);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    add_fixed(scene, "ceiling", box_of(0, 0, 5, 2, 2, 1), VXE_DOF_ALL);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    bench b = start(scene);
    vxe_linear *linear = solve_linear(b.sim, VXE_SOLVER_DIRECT);
    double force[3];
    assert_int_equal(vxe_linear_region_reaction(linear, 0, force, NULL, NULL), VXE_OK);
    const double weight = 24.0 * DENSITY * PITCH * PITCH * PITCH * 9.81;
    check_near("reaction", force[2], weight, 1e-10 * weight);
    vxe_linear_destroy(linear);
    finish(b);
}

/* ---- errors --------------------------------------------------------------------------------------------------------- */

static void check_refused(vxe_scene *scene, const char *expected)
{
    bench b = start(scene);
    const vxe_linear_def def = vxe_default_linear_def();
    vxe_linear *linear = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_solve_linear(b.sim, &def, &linear, &error), VXE_ERROR_INPUT);
    assert_null(linear);
    if (strcmp(error.message, expected) != 0)
        fail_msg("message is \"%s\", expected \"%s\"", error.message, expected);
    finish(b);
}

static vxe_scene *block(int32_t nx, int32_t ny, int32_t nz)
{
    vxe_scene *scene = new_scene(PITCH, nx, ny, nz);
    fill_all(scene, add_material(scene, YOUNGS, 0.3, DENSITY));
    return scene;
}

static void test_free_motions(void **state)
{
    (void)state;
    check_refused(
        block(3, 3, 3),
        "the supports do not hold everything: body 1 can move along x, y, z and turn about x, y, z");
    vxe_scene *scene = block(5, 2, 2);
    add_fixed(scene, "rail", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_Y | VXE_DOF_Z);
    check_refused(scene, "the supports do not hold everything: body 1 can move along x and turn about y, z");
    scene = block(5, 2, 2);
    add_fixed(scene, "ball", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_MOVE);
    check_refused(scene, "the supports do not hold everything: body 1 can turn about x, y, z");
    scene = block(5, 2, 2);
    add_fixed(scene, "hinge", box_of(0, 0, 0, 1, 2, 1), VXE_DOF_MOVE);
    check_refused(scene, "the supports do not hold everything: body 1 can turn about y");
    scene = block(7, 2, 2);
    fill(scene, box_of(3, 0, 0, 1, 2, 2), 0);
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    check_refused(scene, "the supports do not hold everything: body 2 (with voxel 4,0,0) can move along x, "
                         "y, z and turn about x, y, z");
    scene = block(3, 3, 3);
    vxe_environment e = vxe_default_environment();
    e.plane = VXE_PLANE_XY;
    set_environment(scene, &e);
    check_refused(scene, "the supports do not hold everything: body 1 can move along x, y and turn about z");
    scene = block(3, 3, 3);
    e = vxe_default_environment();
    e.floor = true;
    set_environment(scene, &e);
    check_refused(scene, "the supports do not hold everything: body 1 can move along x, y, z and turn about "
                         "x, y, z (the floor holds nothing in "
                         "linear statics; `equilibrium` knows it)");
}

static void test_arguments(void **state)
{
    (void)state;
    bench b = cantilever(3, 1, 1, VXE_ELASTICITY_BEAM, 0.3, 0.0, 1e-6, 0.0);
    vxe_linear_def def = vxe_default_linear_def();
    vxe_linear *linear = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_solve_linear(NULL, &def, &linear, &error), VXE_ERROR_ARGUMENT);
    def.tolerance = 0.0;
    assert_int_equal(vxe_solve_linear(b.sim, &def, &linear, &error), VXE_ERROR_INPUT);
    assert_string_equal(error.message, "tolerance 0 is not within 1e-14 to 1e-2");
    def = (vxe_linear_def){0};
    assert_int_equal(vxe_solve_linear(b.sim, &def, &linear, NULL), VXE_ERROR_ARGUMENT);
    vxe_linear_destroy(NULL);
    assert_null(vxe_linear_get(NULL));
    finish(b);
}

/* ---- size ----------------------------------------------------------------------------------------------------------- */

/* The iterative solver gives the direct one's answer in a few dozen iterations, chunky or slender, also
 * nearly incompressible and with a contrast of a thousand. */
static void test_iterative(void **state)
{
    (void)state;
    static const struct {
        int32_t nx, ny, nz;
        double poisson, contrast;
    } cases[] = {
        {20, 10, 10, 0.3, 1.0}, {200, 4, 4, 0.3, 1.0}, {12, 12, 12, 0.49, 1.0}, {24, 8, 8, 0.3, 1000.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (is_quick() && i != 3) continue;
        vxe_scene *scene = block(cases[i].nx, cases[i].ny, cases[i].nz);
        if (cases[i].contrast != 1.0) {
            const int32_t stiff = add_material(scene, cases[i].contrast * YOUNGS, 0.2, DENSITY);
            for (int32_t x = 0; x < cases[i].nx; x += 4) fill(scene, box_of(x, 2, 2, 2, 3, 5), stiff);
        }
        vxe_material_def soft = *vxe_scene_material(scene, 1);
        soft.poissons_ratio = cases[i].poisson;
        vxe_error error = {VXE_OK, ""};
        require(vxe_scene_set_material(scene, 1, &soft, &error), &error);
        add_fixed(scene, "wall", box_of(0, 0, 0, 1, cases[i].ny, cases[i].nz), VXE_DOF_ALL);
        add_force(scene, "tip", box_of(cases[i].nx - 1, 0, 0, 1, cases[i].ny, cases[i].nz), 0.0, 1e-4, -1e-3);
        bench b = start(scene);
        vxe_linear *direct = solve_linear(b.sim, VXE_SOLVER_DIRECT);
        vxe_linear *iterative = solve_linear(b.sim, VXE_SOLVER_ITERATIVE);
        const vxe_linear_view *a = vxe_linear_get(direct);
        const vxe_linear_view *c = vxe_linear_get(iterative);
        double worst = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            for (int32_t v = 0; v < a->voxel_count; v++)
                worst = fmax(worst, fabs(a->displacement[axis][v] - c->displacement[axis][v]));
        }
        print_message("    %dx%dx%d, nu %.2f, contrast %g: %lld iterations, off by %.1e\n", (int)cases[i].nx,
                      (int)cases[i].ny, (int)cases[i].nz, cases[i].poisson, cases[i].contrast,
                      (long long)c->cost.iterations, worst / a->displacement_max);
        assert_int_equal(c->cost.solver, VXE_SOLVER_ITERATIVE);
        check_below("iterative against direct", worst / a->displacement_max, 1e-8);
        vxe_linear_destroy(direct);
        vxe_linear_destroy(iterative);
        finish(b);
    }
}

int main(void)
{
    if (!vxe_solve_available()) return 0; /* built without the solvers */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangent_beam),  cmocka_unit_test(test_tangent_solid),
        cmocka_unit_test(test_one_link),      cmocka_unit_test(test_cantilevers),
        cmocka_unit_test(test_two_materials), cmocka_unit_test(test_prescribed),
        cmocka_unit_test(test_solid_patch),   cmocka_unit_test(test_growth),
        cmocka_unit_test(test_weight),        cmocka_unit_test(test_free_motions),
        cmocka_unit_test(test_arguments),     cmocka_unit_test(test_iterative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
