/* Second derivatives of the energy of one link, and of a whole pose applied to a vector: see tangent.h. */
#include "solve/tangent.h"
#include "solve/pose.h"

#include "kernel/strain.h"
#include "sim/pressure.h"

#include <math.h>
#include <string.h>

/* ---- one link ----------------------------------------------------------------------------------------------------- */

static mat3 outer(double s, rvec a, rvec b)
{
    return (mat3){{{s * a.x * b.x, s * a.x * b.y, s * a.x * b.z},
                   {s * a.y * b.x, s * a.y * b.y, s * a.y * b.z},
                   {s * a.z * b.x, s * a.z * b.y, s * a.z * b.z}}};
}

static mat3 diagonal(double s) { return (mat3){{{s, 0.0, 0.0}, {0.0, s, 0.0}, {0.0, 0.0, s}}}; }

static mat3 add(mat3 a, mat3 b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) a.a[i][j] += b.a[i][j];
    }
    return a;
}

static mat3 symmetric(double s, rvec a, rvec b) { return add(outer(0.5 * s, a, b), outer(0.5 * s, b, a)); }

/* s (I - e e^T) [t x] */
static mat3 across_cross(double s, rvec e, rvec t)
{
    const mat3 cross = {{{0.0, -t.z, t.y}, {t.z, 0.0, -t.x}, {-t.y, t.x, 0.0}}};
    const rvec along = rvec_cross(e, t); /* e^T [t x] */
    mat3 m = outer(-s, e, along);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m.a[i][j] += s * cross.a[i][j];
    }
    return m;
}

/* A term w a.b of the energy, a fixed to the first voxel and b to the second: with exp(theta) a = a + theta x
 * a + theta x (theta x a)/2, the second derivatives are w (sym(a b^T) - (a.b) I) for either rotation twice, w
 * ((a.b) I - b a^T) for the first and the second. */
static mat3 product_same(double w, rvec a, rvec b)
{
    return add(symmetric(w, a, b), diagonal(-w * rvec_dot(a, b)));
}
static mat3 product_mixed(double w, rvec a, rvec b)
{
    return add(outer(-w, b, a), diagonal(w * rvec_dot(a, b)));
}

/* d^2(e.t)/dd^2 times w, e = d/|d| */
static mat3 chord_twice(double w, rvec e, rvec t, double inverse)
{
    const double s = w * inverse * inverse;
    const double along = rvec_dot(e, t);
    return add(add(symmetric(-2.0 * s, t, e), diagonal(-s * along)), outer(3.0 * s * along, e, e));
}

/* The link's own potential; the pressure enters by its tension only. */
link_tangent vxe_link_tangent(const lattice *l, const pose *p, int32_t i)
{
    const lattice_link *link = &l->links[i];
    const link_table *k = &l->sim->links[link->kind];
    const link_chord chord = pose_chord(p, link);
    const rvec e = chord.e;
    rvec first[3];
    rvec second[3];
    for (int a = 0; a < 3; a++) {
        first[a] = rquat_axis(pose_orientation(p, link->near), a);
        second[a] = rquat_axis(pose_orientation(p, link->far), a);
    }
    const rvec t1 = first[link->axis];
    const rvec t2 = second[link->axis];
    const double tension = vxe_lattice_tension(l, i, vxe_lattice_stretch(l, p, i, chord.length));
    const double side = l->slack ? 0.0 : tension * chord.inverse;

    /* U = axial + cs (2 - e.t1 - e.t2) - (c - kt) t1.t2 - kt/2 (sum of all three a1.a2) + constants */
    link_tangent t;
    t.dd = add(outer(l->model->classes[link->kind].ka - side, e, e), diagonal(side));
    t.dd =
        add(t.dd, add(chord_twice(-k->cs, e, t1, chord.inverse), chord_twice(-k->cs, e, t2, chord.inverse)));
    t.d1 = across_cross(k->cs * chord.inverse, e, t1);
    t.d2 = across_cross(k->cs * chord.inverse, e, t2);
    const mat3 bend = product_same(k->kt - k->c, t1, t2);
    t.t11 = add(bend, product_same(-k->cs, e, t1));
    t.t22 = add(bend, product_same(-k->cs, e, t2));
    t.t12 = product_mixed(k->kt - k->c, t1, t2);
    for (int a = 0; a < 3; a++) {
        const mat3 twist = product_same(-0.5 * k->kt, first[a], second[a]);
        t.t11 = add(t.t11, twist);
        t.t22 = add(t.t22, twist);
        t.t12 = add(t.t12, product_mixed(-0.5 * k->kt, first[a], second[a]));
    }
    return t;
}

/* ---- applied to a vector ------------------------------------------------------------------------------------------ */

static void add_product(const mat3 *m, const double x[3], double sign, double y[3])
{
    for (int i = 0; i < 3; i++) y[i] += sign * (m->a[i][0] * x[0] + m->a[i][1] * x[1] + m->a[i][2] * x[2]);
}

static void add_transposed(const mat3 *m, const double x[3], double sign, double y[3])
{
    for (int i = 0; i < 3; i++) y[i] += sign * (m->a[0][i] * x[0] + m->a[1][i] * x[1] + m->a[2][i] * x[2]);
}

/* Stretch of a link under the displacements x, divided by the pitch, and its direction. */
static double stretch_of(const lattice *l, const pose *p, const lattice_link *link, const double *x, rvec *e)
{
    *e = pose_chord(p, link).e;
    const double *far = &x[DOFS * (size_t)link->far];
    const double *near = &x[DOFS * (size_t)link->near];
    return (e->x * (far[0] - near[0]) + e->y * (far[1] - near[1]) + e->z * (far[2] - near[2])) / l->pitch;
}

/* Adds the forces of the changes of pressure that displacements x bring about. */
static void add_pressure(const lattice *l, const pose *p, const double *x, double *y)
{
    double *volume = l->spare[0];
    double *pressure = l->spare[1];
    memset(volume, 0, (size_t)l->voxels * sizeof *volume);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) vxe_pressure_from_volume(l->sim, volume, pressure);
        for (int32_t i = 0; i < l->link_count; i++) {
            const lattice_link *link = &l->links[i];
            const link_class *c = &l->model->classes[link->kind];
            rvec e;
            const double stretch = stretch_of(l, p, link, x, &e);
            if (pass == 0) {
                volume[link->near] += c->near_weight * stretch;
                volume[link->far] += c->far_weight * stretch;
                continue;
            }
            const double area = l->pitch * l->pitch;
            const double tension = link_pressure_force(area * c->near_weight, pressure[link->near],
                                                       area * c->far_weight, pressure[link->far]);
            const double force[3] = {tension * e.x, tension * e.y, tension * e.z};
            for (size_t a = 0; a < 3; a++) {
                y[DOFS * (size_t)link->far + a] += force[a];
                y[DOFS * (size_t)link->near + a] -= force[a];
            }
        }
    }
}

mat3 vxe_field_stiffness(const lattice *l, int32_t v)
{
    const double *s = &l->slope[9 * (size_t)v];
    mat3 m;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) m.a[i][j] = -0.5 * (s[3 * i + j] + s[3 * j + i]);
    }
    return m;
}

void vxe_tangent_apply(const lattice *l, const pose *p, bool floor, const double *x, double *y)
{
    (void)vxe_lattice_energy(l, p, floor); /* pressures */
    memset(y, 0, DOFS * (size_t)l->voxels * sizeof *y);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const link_tangent t = vxe_link_tangent(l, p, i);
        const double *x1 = &x[DOFS * (size_t)link->near];
        const double *x2 = &x[DOFS * (size_t)link->far];
        double *y1 = &y[DOFS * (size_t)link->near];
        double *y2 = &y[DOFS * (size_t)link->far];
        const double d[3] = {x2[0] - x1[0], x2[1] - x1[1], x2[2] - x1[2]};
        double force[3] = {0.0, 0.0, 0.0};
        add_product(&t.dd, d, 1.0, force);
        add_product(&t.d1, x1 + 3, 1.0, force);
        add_product(&t.d2, x2 + 3, 1.0, force);
        for (int a = 0; a < 3; a++) {
            y1[a] -= force[a];
            y2[a] += force[a];
        }
        add_transposed(&t.d1, d, 1.0, y1 + 3);
        add_product(&t.t11, x1 + 3, 1.0, y1 + 3);
        add_product(&t.t12, x2 + 3, 1.0, y1 + 3);
        add_transposed(&t.d2, d, 1.0, y2 + 3);
        add_transposed(&t.t12, x1 + 3, 1.0, y2 + 3);
        add_product(&t.t22, x2 + 3, 1.0, y2 + 3);
    }
    if (l->modulus != NULL) add_pressure(l, p, x, y);
    for (int32_t v = 0; v < l->voxels && l->slope != NULL && !l->slack; v++) {
        const mat3 m = vxe_field_stiffness(l, v);
        add_product(&m, &x[DOFS * (size_t)v], 1.0, &y[DOFS * (size_t)v]);
    }
    for (int32_t v = 0; v < l->voxels && floor; v++)
        y[DOFS * (size_t)v + 2] += vxe_lattice_floor_stiffness(l, p, v) * x[DOFS * (size_t)v + 2];
}
