/* One link: the Hessian of its energy against the paper's 12x12 matrix, its forces against
 * differences of its energy at large deformation, symmetry under swapping its ends and under rotation of the
 * world, and its damping. All constants come from a compiled scene, so the tables are tested too. */
#include "support.h"

#include "kernel/link.h"
#include "sim/sim.h"

/* ---- a link taken from a compiled scene ------------------------------------------------------------------------------ */

typedef struct material_pair {
    double youngs[2];
    double poisson[2];
    double density[2];
} material_pair;

static const material_pair like = {{1e6, 1e6}, {0.3, 0.3}, {1000, 1000}};
static const material_pair unlike = {{2.5e5, 4e7}, {0.1, 0.45}, {700, 5200}};

typedef struct one_link {
    bench bench;
    int axis;
    double l;
    const link_class *kind;
    const link_table *table;
} one_link;

/* Two voxels along an axis and the link between them. */
static one_link make_link(int axis, const material_pair *pair, vxe_elasticity elasticity,
                          double stretch_ratio, double rotation_ratio)
{
    int32_t size[3] = {1, 1, 1};
    size[axis] = 2;
    one_link link = {.axis = axis, .l = 0.004};
    vxe_scene *scene = new_scene(link.l, size[0], size[1], size[2]);
    vxe_error error = {VXE_OK, ""};
    for (int i = 0; i < 2; i++) {
        const int32_t material = add_material(scene, pair->youngs[i], pair->poisson[i], pair->density[i]);
        int32_t cell[3] = {0, 0, 0};
        cell[axis] = i;
        require(vxe_scene_set_voxel(scene, cell[0], cell[1], cell[2], material, &error), &error);
    }
    vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    e.damping_stretch = stretch_ratio;
    e.damping_rotation = rotation_ratio;
    set_environment(scene, &e);
    link.bench = start(scene);
    const uint32_t kind = link.bench.model->link_kind[axis][0];
    assert_true(kind > 0);
    for (int a = 0; a < 3; a++) {
        if (a != axis) assert_int_equal(link.bench.model->link_kind[a][0], 0);
    }
    link.kind = &link.bench.model->classes[kind - 1];
    link.table = &link.bench.sim->links[kind - 1];
    return link;
}

/* ---- poses ---------------------------------------------------------------------------------------------------------- */

typedef struct pose {
    rvec p[2];
    rquat q[2];
} pose;

static rquat quat_times(rquat a, rquat b)
{
    const rvec u = {a.x, a.y, a.z};
    const rvec v = {b.x, b.y, b.z};
    const rvec w = rvec_add(rvec_add(rvec_scale(a.w, v), rvec_scale(b.w, u)), rvec_cross(u, v));
    return (rquat){a.w * b.w - rvec_dot(u, v), w.x, w.y, w.z};
}

static rquat quat_about(rvec axis, double angle)
{
    const double size = sqrt(rvec_dot(axis, axis));
    const double s = size > 0.0 ? sin(0.5 * angle) / size : 0.0;
    return (rquat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

static rvec quat_apply(rquat q, rvec a)
{
    const rvec u = {q.x, q.y, q.z};
    const rvec t = rvec_scale(2.0, rvec_cross(u, a));
    return rvec_add(a, rvec_add(rvec_scale(q.w, t), rvec_cross(u, t)));
}

static rvec unit_axis(int axis)
{
    return (rvec){axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
}

static pose rest_pose(const one_link *link)
{
    const rquat one = {1, 0, 0, 0};
    return (pose){{{0, 0, 0}, rvec_scale(link->l, unit_axis(link->axis))}, {one, one}};
}

/* Moves degree of freedom 0..11 (three translations, three rotations of the near, then of the far voxel;
 * world axes) by x: translations in pitches, rotations in radians. */
static pose nudge(pose at, const one_link *link, int dof, double x)
{
    const int end = dof / 6;
    const rvec direction = unit_axis(dof % 3);
    if (dof % 6 < 3) {
        at.p[end] = rvec_add(at.p[end], rvec_scale(x * link->l, direction));
    } else {
        at.q[end] = quat_times(quat_about(direction, x), at.q[end]);
    }
    return at;
}

static double energy_at(const one_link *link, pose at)
{
    const link_chord chord = link_chord_of(rvec_sub(at.p[1], at.p[0]));
    const link_stiffness k = link_stiffness_of(link->table->cs, link->table->c, link->table->kt);
    const double stretch = chord.length - link->l;
    return 0.5 * link->kind->ka * stretch * stretch + link_energy(chord, at.q[0], at.q[1], link->axis, k);
}

static void spread(const link_load *load, double out[12])
{
    const rvec parts[4] = {rvec_scale(-1.0, load->force), load->near_moment, load->force, load->far_moment};
    for (int i = 0; i < 4; i++) {
        out[3 * i] = parts[i].x;
        out[3 * i + 1] = parts[i].y;
        out[3 * i + 2] = parts[i].z;
    }
}

/* Forces (N) and moments (N m) on both voxels. */
static void loads_at(const one_link *link, pose at, double out[12])
{
    const link_chord chord = link_chord_of(rvec_sub(at.p[1], at.p[0]));
    const link_stiffness k = link_stiffness_of(link->table->cs, link->table->c, link->table->kt);
    const link_load load =
        link_elastic(chord, at.q[0], at.q[1], link->axis, k, link->kind->ka * (chord.length - link->l));
    spread(&load, out);
}

/* A bend of up to 150 degrees, a twist of up to 150 degrees, an end turned against the chord by up to 75
 * degrees, a length of half to twice the pitch, anywhere in the world and turned in any way. */
static pose random_pose(const one_link *link, rng *r)
{
    const rvec along = unit_axis(link->axis);
    const rvec any = {rng_between(r, -1, 1), rng_between(r, -1, 1), rng_between(r, -1, 1)};
    const rvec across1 = rvec_cross(along, any);
    const rvec across2 =
        rvec_cross(along, (rvec){rng_between(r, -1, 1), rng_between(r, -1, 1), rng_between(r, -1, 1)});
    const double degree = PI / 180.0;
    const rquat first = quat_about(across1, rng_between(r, -75, 75) * degree);
    const rquat bend = quat_about(across2, rng_between(r, -150, 150) * degree);
    const rquat twist = quat_about(along, rng_between(r, -150, 150) * degree);
    const rquat world = quat_about(any, rng_between(r, -180, 180) * degree);
    pose at;
    at.p[0] = (rvec){rng_between(r, -1, 1) * link->l, rng_between(r, -1, 1) * link->l,
                     rng_between(r, -1, 1) * link->l};
    at.p[1] = rvec_add(at.p[0], quat_apply(world, rvec_scale(link->l * rng_between(r, 0.5, 2.0), along)));
    at.q[0] = quat_times(world, first);
    at.q[1] = quat_times(world, quat_times(quat_times(first, bend), twist));
    return at;
}

/* ---- the paper's matrix --------------------------------------------------------------------------------------------- */

/* K for a link along `axis`, made dimensionless like nudge(): rows and columns of translations times l. */
static void paper_matrix(const one_link *link, double a1, double a2, double b1, double b2, double b3,
                         double k[12][12])
{
    /* upper triangle, in the order x1 y1 z1 tx1 ty1 tz1 x2 y2 z2 tx2 ty2 tz2, for a link along x */
    const struct {
        int row, column;
        double value;
    } entries[] = {{0, 0, a1},       {0, 6, -a1},     {1, 1, b1},   {1, 5, b2},     {1, 7, -b1}, {1, 11, b2},
                   {2, 2, b1},       {2, 4, -b2},     {2, 8, -b1},  {2, 10, -b2},   {3, 3, a2},  {3, 9, -a2},
                   {4, 4, 2 * b3},   {4, 8, b2},      {4, 10, b3},  {5, 5, 2 * b3}, {5, 7, -b2}, {5, 11, b3},
                   {6, 6, a1},       {7, 7, b1},      {7, 11, -b2}, {8, 8, b1},     {8, 10, b2}, {9, 9, a2},
                   {10, 10, 2 * b3}, {11, 11, 2 * b3}};
    memset(k, 0, 144 * sizeof(double));
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        /* turning x y z cyclically takes the x link to the other axes */
        int at[2];
        const int from[2] = {entries[i].row, entries[i].column};
        double scale = 1.0;
        for (int j = 0; j < 2; j++) {
            at[j] = from[j] - from[j] % 3 + (from[j] % 3 + link->axis) % 3;
            if (from[j] % 6 < 3) scale *= link->l;
        }
        k[at[0]][at[1]] = entries[i].value * scale;
        k[at[1]][at[0]] = entries[i].value * scale;
    }
}

/* The paper's constants from its own formulas, equations 1 to 3 and 9 to 13. */
static void paper_constants_matrix(const one_link *link, const material_pair *pair, double k[12][12])
{
    double g[2];
    for (int i = 0; i < 2; i++) g[i] = pair->youngs[i] / (2.0 * (1.0 + pair->poisson[i]));
    const double ec = 2.0 * pair->youngs[0] * pair->youngs[1] / (pair->youngs[0] + pair->youngs[1]);
    const double gc = 2.0 * g[0] * g[1] / (g[0] + g[1]);
    const double l = link->l;
    const double inertia = l * l * l * l / 12.0;
    const double polar = l * l * l * l / 6.0;
    paper_matrix(link, ec * l * l / l, gc * polar / l, 12.0 * ec * inertia / (l * l * l),
                 6.0 * ec * inertia / (l * l), 2.0 * ec * inertia / l, k);
}

static double largest_of(double k[12][12])
{
    double most = 0.0;
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) most = fmax(most, fabs(k[i][j]));
    }
    return most;
}

/* Second derivative of the energy by central differences of 6th order: weights of the first derivative at 1,
 * 2, 3 steps, in both directions. */
static double hessian_entry(const one_link *link, int row, int column, double h)
{
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const pose rest = rest_pose(link);
    double sum = 0.0;
    for (int i = 1; i <= 3; i++) {
        for (int j = 1; j <= 3; j++) {
            for (int s = -1; s <= 1; s += 2) {
                for (int t = -1; t <= 1; t += 2) {
                    const pose at = nudge(nudge(rest, link, row, s * i * h), link, column, t * j * h);
                    sum += s * t * weight[i - 1] * weight[j - 1] * energy_at(link, at);
                }
            }
        }
    }
    return sum / (h * h);
}

/* Minus the derivative of the loads, by central differences of 6th order. */
static void stiffness_column(const one_link *link, int column, double h, double out[12])
{
    static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    for (int d = 0; d < 12; d++) out[d] = 0.0;
    for (int i = 1; i <= 3; i++) {
        for (int s = -1; s <= 1; s += 2) {
            double loads[12];
            loads_at(link, nudge(rest_pose(link), link, column, s * i * h), loads);
            for (int d = 0; d < 12; d++)
                out[d] -= s * weight[i - 1] * loads[d] * (d % 6 < 3 ? link->l : 1.0) / h;
        }
    }
}

/* Required is 1e-10 of the matrix. 6th-order differences with steps of 0.004 pitch or radian are off
 * by about 100 h^6 = 4e-13 by truncation; round-off is 1e-16/h of the length, so 1e-13. */
static double worst_hessian(const one_link *link, double k[12][12])
{
    const double scale = largest_of(k);
    double worst = 0.0;
    for (int j = 0; j < 12; j++) {
        double column[12];
        stiffness_column(link, j, 0.004, column);
        for (int i = 0; i < 12; i++) {
            worst = fmax(worst, fabs(hessian_entry(link, i, j, 0.004) - k[i][j]) / scale);
            worst = fmax(worst, fabs(column[i] - k[i][j]) / scale);
        }
    }
    return worst;
}

static void test_beam_is_the_papers_matrix(void **state)
{
    (void)state;
    const material_pair *const pairs[] = {&like, &unlike};
    double worst = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < 2; i++) {
            one_link link = make_link(axis, pairs[i], VXE_ELASTICITY_BEAM, 0.0, 0.0);
            double k[12][12];
            paper_constants_matrix(&link, pairs[i], k);
            worst = fmax(worst, worst_hessian(&link, k));
            finish(link.bench);
        }
    }
    print_message("    Hessian against the paper's matrix: %.1e\n", worst);
    check_below("the Hessian's distance from the paper's matrix", worst, 1e-10);
}

/* `solid` has the same form with its own four stiffnesses; a lone pair has the torsion constant of a square
 * bar. The pressure is not part of the link. */
static void test_solid_constants(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        one_link link = make_link(axis, &unlike, VXE_ELASTICITY_SOLID, 0.0, 0.0);
        const double l = link.l;
        const double g1 = unlike.youngs[0] / (2.0 * (1.0 + unlike.poisson[0]));
        const double g2 = unlike.youngs[1] / (2.0 * (1.0 + unlike.poisson[1]));
        const double mu = 2.0 * g1 * g2 / (g1 + g2);
        const double ec = 2.0 * unlike.youngs[0] * unlike.youngs[1] / (unlike.youngs[0] + unlike.youngs[1]);
        const double ks = 2.0 * mu * l;
        const double kb = ec * l * l * l / 12.0;
        double k[12][12];
        /* validation/README.md: b1 = ks, b2 = ks l/2, 2 b3 = ks l^2/4 + kb and the off-diagonal one ks l^2/4
         * - kb */
        paper_matrix(&link, 2.0 * mu * l, 0.1405770149 * mu * l * l * l, ks, 0.5 * ks * l,
                     0.5 * (0.25 * ks * l * l + kb), k);
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 12; j++) {
                if (i % 6 >= 3 && j % 6 >= 3 && i / 6 != j / 6 && i % 6 == j % 6 && i % 3 != axis)
                    k[i][j] = 0.25 * ks * l * l - kb;
            }
        }
        check_below("the distance from the solid matrix", worst_hessian(&link, k),
                    1e-9); /* the torsion constant above has ten digits */
        check_near("share of the near pressure", link.kind->near_weight, g2 / (g1 + g2), 1e-15);
        check_near("share of the far pressure", link.kind->far_weight, g1 / (g1 + g2), 1e-15);
        finish(link.bench);
    }
    /* with a neighbour on the side the torsion constant is mu l^3/6 */
    vxe_scene *scene = new_scene(0.004, 2, 2, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
    bench b = start(scene);
    const double mu = 1e6 / 2.6;
    for (int a = 0; a < 2; a++) {
        const link_class *c = &b.model->classes[b.model->link_kind[a][0] - 1];
        check_near("torsion with neighbours", c->kt / (mu * 0.004 * 0.004 * 0.004 / 6.0), 1.0, 1e-14);
    }
    finish(b);
}

/* ---- forces are minus the gradient ---------------------------------------------------------------------------------- */

/* 4th-order differences with a step of 1e-3: truncation 1e-12 times the fifth derivative (a stretched link
 * has derivatives of order 10 to 100 of its own scale), round-off 1e-16/1e-3 of the energy. 1e-9 of the
 * largest load of the pose is ten times the worst seen. */
static void test_loads_are_the_gradient(void **state)
{
    (void)state;
    rng r = {1};
    double worst = 0.0;
    const int count = is_quick() ? 50 : 2000;
    for (int i = 0; i < count; i++) {
        const vxe_elasticity elasticity = i % 2 == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID;
        one_link link = make_link(i % 3, i % 4 < 2 ? &like : &unlike, elasticity, 0.0, 0.0);
        const pose at = random_pose(&link, &r);
        double loads[12];
        loads_at(&link, at, loads);
        double scale = 0.0;
        for (int d = 0; d < 12; d++) {
            if (d % 6 < 3) loads[d] *= link.l;
            scale = fmax(scale, fabs(loads[d]));
        }
        const double h = 1e-3;
        for (int d = 0; d < 12; d++) {
            const double near =
                energy_at(&link, nudge(at, &link, d, h)) - energy_at(&link, nudge(at, &link, d, -h));
            const double far =
                energy_at(&link, nudge(at, &link, d, 2 * h)) - energy_at(&link, nudge(at, &link, d, -2 * h));
            const double slope = (8.0 * near - far) / (12.0 * h);
            worst = fmax(worst, fabs(loads[d] + slope) / scale);
        }
        finish(link.bench);
    }
    print_message("    loads against differences of the energy: %.1e\n", worst);
    check_below("the loads' distance from the gradient", worst, 1e-9);
}

/* The same for a whole body of two materials, some expanded, with the pressure of `solid`: the sum of
 * vxe_sim_voxels()' energies against the loads of vxe_sim_links(). Displacements of 0.2 pitch and turns of
 * 0.4 rad; tolerance as above, relative to the largest load in the body. */
static double body_energy(vxe_sim *sim)
{
    const vxe_voxels *voxels = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_voxels(sim, &voxels, &error), &error);
    double sum = 0.0;
    for (int32_t v = 0; v < vxe_model_get(vxe_sim_model(sim))->voxel_count; v++) sum += voxels->energy[v];
    return sum;
}

static void turn_voxel(vxe_sim *sim, int32_t v, rvec axis, double angle)
{
    const rquat q = {sim->orientation[0][v], sim->orientation[1][v], sim->orientation[2][v],
                     sim->orientation[3][v]};
    const rquat n = quat_times(quat_about(axis, angle), q);
    sim->orientation[0][v] = n.w;
    sim->orientation[1][v] = n.x;
    sim->orientation[2][v] = n.y;
    sim->orientation[3][v] = n.z;
}

static void move_dof(vxe_sim *sim, int32_t v, int d, double x)
{
    if (d < 3) {
        sim->position[d][v] += x * sim->model->view.pitch;
    } else {
        turn_voxel(sim, v, unit_axis(d - 3), x);
    }
}

static void check_body_gradient(vxe_elasticity elasticity)
{
    vxe_scene *scene = new_scene(0.004, 3, 2, 2);
    const int32_t soft = add_material(scene, 1e6, 0.45, 1000);
    const int32_t hard = add_material(scene, 8e6, 0.2, 2000);
    fill_all(scene, soft);
    fill(scene, box_of(1, 0, 0, 2, 1, 2), hard);
    const vxe_environment e = environment_of(elasticity, 0.0, 0.0);
    set_environment(scene, &e);
    bench b = start(scene);
    const int32_t n = b.model->view.voxel_count;
    rng r = {2};
    for (int32_t v = 0; v < n; v++) {
        for (int d = 0; d < 6; d++) move_dof(b.sim, v, d, rng_between(&r, -1.0, 1.0) * (d < 3 ? 0.2 : 0.4));
        b.sim->growth[0][v] = rng_between(&r, -0.1, 0.1);
    }
    const vxe_links *links = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_links(b.sim, &links, &error), &error);
    double loads[12][6] = {{0.0}};
    assert_int_equal(n, 12);
    double scale = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const int32_t far = b.model->view.next[a][v];
            if (far < 0) continue;
            const size_t i = (size_t)a * (size_t)n + (size_t)v;
            for (int c = 0; c < 3; c++) {
                loads[v][c] -= 0.004 * links->force[c][i];
                loads[far][c] += 0.004 * links->force[c][i];
                loads[v][3 + c] += links->near_moment[c][i];
                loads[far][3 + c] += links->far_moment[c][i];
            }
        }
    }
    for (int32_t v = 0; v < n; v++) {
        for (int d = 0; d < 6; d++) scale = fmax(scale, fabs(loads[v][d]));
    }
    double worst = 0.0;
    const double h = 1e-3;
    for (int32_t v = 0; v < n; v++) {
        for (int d = 0; d < 6; d++) {
            double u[4];
            const double at[4] = {-2 * h, -h, h, 2 * h};
            for (int i = 0; i < 4; i++) {
                move_dof(b.sim, v, d, at[i]);
                u[i] = body_energy(b.sim);
                move_dof(b.sim, v, d, -at[i]);
            }
            worst =
                fmax(worst, fabs(loads[v][d] + (8.0 * (u[2] - u[1]) - (u[3] - u[0])) / (12.0 * h)) / scale);
        }
    }
    print_message("    body, %s: %.1e\n", elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid with pressure",
                  worst);
    check_below("the body's loads' distance from the gradient", worst, 1e-9);
    finish(b);
}

static void test_body_loads_are_the_gradient(void **state)
{
    (void)state;
    check_body_gradient(VXE_ELASTICITY_BEAM);
    check_body_gradient(VXE_ELASTICITY_SOLID);
}

/* ---- symmetry ------------------------------------------------------------------------------------------------------- */

/* Naming the far voxel first reverses the link's direction, so the bodies' axes along it are reversed as
 * well: half a turn about an axis across. Everything is a handful of products of numbers of order one, so
 * 1e-14 of the largest load is round-off. */
static void test_swapping_ends(void **state)
{
    (void)state;
    rng r = {3};
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        one_link link =
            make_link(i % 3, &unlike, i % 2 == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID, 1.0, 0.5);
        material_pair reversed = unlike;
        for (int j = 0; j < 2; j++) {
            reversed.youngs[j] = unlike.youngs[1 - j];
            reversed.poisson[j] = unlike.poisson[1 - j];
            reversed.density[j] = unlike.density[1 - j];
        }
        one_link swapped =
            make_link(i % 3, &reversed, i % 2 == 0 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID, 1.0, 0.5);
        assert_memory_equal(link.table, swapped.table,
                            offsetof(link_table, rate)); /* the rest is the time step's */
        assert_true(link.kind->ka == swapped.kind->ka);
        assert_true(link.kind->near_weight == swapped.kind->far_weight);
        const pose at = random_pose(&link, &r);
        const rquat half = quat_about(unit_axis((link.axis + 1) % 3), PI);
        const pose other = {{at.p[1], at.p[0]}, {quat_times(at.q[1], half), quat_times(at.q[0], half)}};
        double before[12];
        double after[12];
        loads_at(&link, at, before);
        loads_at(&swapped, other, after);
        double scale[2] = {0.0, 0.0};
        for (int d = 0; d < 12; d++) scale[d % 6 / 3] = fmax(scale[d % 6 / 3], fabs(before[d]));
        for (int d = 0; d < 12; d++)
            worst = fmax(worst, fabs(after[(d + 6) % 12] - before[d]) / scale[d % 6 / 3]);
        const double u = energy_at(&link, at);
        worst = fmax(worst, fabs(energy_at(&swapped, other) - u) / u);
        finish(link.bench);
        finish(swapped.bench);
    }
    print_message("    swapping ends: %.1e\n", worst);
    check_below("what swapping the ends changes", worst, 1e-14);
}

/* Turning the world turns the loads and leaves the energy; forces cancel and so do all moments. */
static void test_turning_the_world(void **state)
{
    (void)state;
    rng r = {4};
    double worst = 0.0;
    double torque = 0.0;
    for (int i = 0; i < 300; i++) {
        one_link link = make_link(i % 3, &unlike, VXE_ELASTICITY_BEAM, 1.0, 0.5);
        const pose at = random_pose(&link, &r);
        const rquat turn =
            quat_about((rvec){rng_between(&r, -1, 1), rng_between(&r, -1, 1), rng_between(&r, -1, 1)},
                       rng_between(&r, -PI, PI));
        pose turned = at;
        for (int j = 0; j < 2; j++) {
            turned.p[j] = quat_apply(turn, at.p[j]);
            turned.q[j] = quat_times(turn, at.q[j]);
        }
        double before[12];
        double after[12];
        loads_at(&link, at, before);
        loads_at(&link, turned, after);
        double scale[2] = {0.0, 0.0};
        for (int d = 0; d < 12; d++) scale[d % 6 / 3] = fmax(scale[d % 6 / 3], fabs(before[d]));
        for (int j = 0; j < 4; j++) {
            const rvec expected =
                quat_apply(turn, (rvec){before[3 * j], before[3 * j + 1], before[3 * j + 2]});
            const rvec off = rvec_sub((rvec){after[3 * j], after[3 * j + 1], after[3 * j + 2]}, expected);
            worst = fmax(worst, sqrt(rvec_dot(off, off)) / scale[j % 2]);
        }
        const rvec m1 = {before[3], before[4], before[5]};
        const rvec m2 = {before[9], before[10], before[11]};
        const rvec f2 = {before[6], before[7], before[8]};
        const rvec sum = rvec_add(rvec_add(m1, m2), rvec_cross(rvec_sub(at.p[1], at.p[0]), f2));
        torque = fmax(torque, sqrt(rvec_dot(sum, sum)) / (scale[1] + link.l * scale[0]));
        finish(link.bench);
    }
    print_message("    turning the world: %.1e, net torque: %.1e\n", worst, torque);
    check_below("what turning the world changes", worst, 1e-13);
    check_below("net torque", torque, 1e-14);
}

/* ---- damping -------------------------------------------------------------------------------------------------------- */

static void damping_at(const one_link *link, pose at, const rvec velocity[2], const rvec spin[2],
                       double out[12])
{
    const link_table *t = link->table;
    const link_chord chord = link_chord_of(rvec_sub(at.p[1], at.p[0]));
    const link_load load = link_damping(chord, rvec_sub(velocity[1], velocity[0]), spin[0], spin[1],
                                        (link_damping_rates){t->axial, t->shear, t->bending, t->torsion});
    spread(&load, out);
}

static double largest_load(const one_link *link, const double loads[12])
{
    double most = 0.0;
    for (int d = 0; d < 12; d++) most = fmax(most, fabs(loads[d]) * (d % 6 < 3 ? link->l : 1.0));
    return most;
}

static rvec random_vector(rng *r, double size)
{
    return (rvec){rng_between(r, -size, size), rng_between(r, -size, size), rng_between(r, -size, size)};
}

/* At the rest pose damping is -beta K times the velocities, with beta = zeta sqrt(m_min/(Ec l)) for stretch
 * and rotation each; a few products, so 1e-13. */
static void test_damping_is_stiffness_times_beta(void **state)
{
    (void)state;
    const double ratio[2] = {0.7, 0.2};
    for (int axis = 0; axis < 3; axis++) {
        one_link link = make_link(axis, &unlike, VXE_ELASTICITY_BEAM, ratio[0], ratio[1]);
        const double l = link.l;
        const double ec = 2.0 * unlike.youngs[0] * unlike.youngs[1] / (unlike.youngs[0] + unlike.youngs[1]);
        const double lighter = fmin(unlike.density[0], unlike.density[1]) * l * l * l;
        double k[12][12];
        paper_constants_matrix(&link, &unlike, k);
        const double scale = largest_of(k) * sqrt(lighter / (ec * l));
        for (int j = 0; j < 12; j++) {
            const rvec none = {0, 0, 0};
            rvec velocity[2] = {none, none};
            rvec spin[2] = {none, none};
            const rvec unit = unit_axis(j % 3);
            if (j % 6 < 3) {
                velocity[j / 6] = rvec_scale(l, unit);
            } else {
                spin[j / 6] = unit;
            }
            double loads[12];
            damping_at(&link, rest_pose(&link), velocity, spin, loads);
            /* the stretch ratio belongs to translation along the axis alone */
            const double beta = ratio[j % 6 < 3 && j % 3 == axis ? 0 : 1] * sqrt(lighter / (ec * l));
            for (int i = 0; i < 12; i++) {
                check_near("damping load", loads[i] * (i % 6 < 3 ? l : 1.0), -beta * k[i][j], 1e-13 * scale);
            }
        }
        finish(link.bench);
    }
}

/* Rigid motion, at any pose: fast spin (300 rad/s) and fast translation (50 m/s). The scale is what the same
 * damper does when one end is stopped. Required is 1e-12; differences of velocities of 50 m/s are
 * known to 1e-14 of themselves. */
static void test_damping_leaves_rigid_motion(void **state)
{
    (void)state;
    rng r = {5};
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        one_link link = make_link(i % 3, i % 2 == 0 ? &like : &unlike,
                                  i % 4 < 2 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID, 1.0, 1.0);
        const pose at = random_pose(&link, &r);
        const rvec velocity = random_vector(&r, 50.0);
        const rvec turn = random_vector(&r, 300.0);
        rvec v[2];
        for (int j = 0; j < 2; j++) v[j] = rvec_add(velocity, rvec_cross(turn, at.p[j]));
        const rvec w[2] = {turn, turn};
        double rigid[12];
        damping_at(&link, at, v, w, rigid);
        const rvec v_stopped[2] = {v[0], {0, 0, 0}};
        const rvec w_stopped[2] = {turn, {0, 0, 0}};
        double other[12];
        damping_at(&link, at, v_stopped, w_stopped, other);
        worst = fmax(worst, largest_load(&link, rigid) / largest_load(&link, other));
        finish(link.bench);
    }
    print_message("    damping of rigid motion: %.1e of the non-rigid scale\n", worst);
    check_below("damping of rigid motion", worst, 1e-12);
}

/* Any pose, any velocities (every other time nearly rigid, where power is small and cancellation large): no
 * net torque (the net force is zero by construction), and power is only ever taken. Both to round-off of what
 * the damper does when one end is stopped. */
static void test_damping_takes_power(void **state)
{
    (void)state;
    rng r = {6};
    double torque = 0.0;
    double power = -1.0;
    for (int i = 0; i < 1000; i++) {
        one_link link = make_link(i % 3, i % 2 == 0 ? &like : &unlike,
                                  i % 4 < 2 ? VXE_ELASTICITY_BEAM : VXE_ELASTICITY_SOLID,
                                  rng_between(&r, 0, 1), rng_between(&r, 0, 1));
        const pose at = random_pose(&link, &r);
        const double loose = i % 8 < 4 ? 1.0 : 1e-6;
        const rvec turn = random_vector(&r, 1.0 / link.l);
        const rvec arm = rvec_cross(turn, rvec_sub(at.p[1], at.p[0]));
        const rvec v[2] = {random_vector(&r, loose), rvec_add(arm, random_vector(&r, loose))};
        const rvec w[2] = {rvec_add(turn, random_vector(&r, loose / link.l)),
                           rvec_add(turn, random_vector(&r, loose / link.l))};
        double load[12];
        damping_at(&link, at, v, w, load);
        const rvec m1 = {load[3], load[4], load[5]};
        const rvec m2 = {load[9], load[10], load[11]};
        const rvec f2 = {load[6], load[7], load[8]};
        const rvec sum = rvec_add(rvec_add(m1, m2), rvec_cross(rvec_sub(at.p[1], at.p[0]), f2));
        const rvec v_stopped[2] = {v[0], {0, 0, 0}};
        const rvec w_stopped[2] = {w[0], {0, 0, 0}};
        double other[12];
        damping_at(&link, at, v_stopped, w_stopped, other);
        const double scale = largest_load(&link, other); /* N m; speeds are 1 m/s and one pitch of arm */
        torque = fmax(torque, sqrt(rvec_dot(sum, sum)) / scale);
        power = fmax(power, (rvec_dot(f2, rvec_sub(v[1], v[0])) + rvec_dot(m1, w[0]) + rvec_dot(m2, w[1])) *
                                link.l / scale);
        finish(link.bench);
    }
    print_message("    damping: net torque %.1e, largest power %.1e (relative)\n", torque, power);
    check_below("net torque of damping", torque, 1e-14);
    check_below("power of damping", power, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_is_the_papers_matrix),
        cmocka_unit_test(test_solid_constants),
        cmocka_unit_test(test_loads_are_the_gradient),
        cmocka_unit_test(test_body_loads_are_the_gradient),
        cmocka_unit_test(test_swapping_ends),
        cmocka_unit_test(test_turning_the_world),
        cmocka_unit_test(test_damping_is_stiffness_times_beta),
        cmocka_unit_test(test_damping_leaves_rigid_motion),
        cmocka_unit_test(test_damping_takes_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
