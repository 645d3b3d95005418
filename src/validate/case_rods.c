/* Slender rods at large rotation: the elastica, a rod rolled up by a moment, and a bimorph. `beam` constants,
 * 1 mm, 1 MPa. */
#include "validate/cases.h"
#include "validate/trial.h"

#include <math.h>

static const double pitch = 1e-3;
static const double youngs = 1e6;

static double bending_stiffness(void) { return youngs * pitch * pitch * pitch * pitch / 12.0; }

/* A rod along x of `links` links, held at its first voxel, at rest under what acts on the last. */
static void rod(trial *t, int32_t links, const double force[3], const double torque[3])
{
    trial_begin(t, VXE_ELASTICITY_BEAM, pitch, links + 1, 1, 1);
    trial_fill(t, trial_all(t), trial_material(t, youngs, 0.0, 1000.0));
    (void)trial_hold(t, trial_layer(t, 0, 0), HOLD_RIGID);
    (void)trial_load(t, trial_layer(t, 0, 1), force, torque);
    trial_plane(t, VXE_PLANE_XZ);
    trial_equilibrium(t);
}

/* Adds the line of the voxels' centres to a plot, in lengths of the rod. */
static void plot_rod(validation *v, val_plot *plot, const trial *t, int32_t links, const char *name,
                     int color)
{
    double x[64];
    double z[64];
    if (!trial_good(t)) return;
    for (int32_t i = 0; i <= links && i < 64; i++) {
        x[i] = ((double)i + trial_moved(t, i, 0, 0, 0) / pitch) / links;
        z[i] = trial_moved(t, i, 0, 0, 2) / pitch / links;
    }
    val_add_series(v, plot, name, VAL_POINTS, color, links + 1, x, z);
}

/* The exact curve of an elastica from its tip's angle: theta'' = -load cos theta, by Runge-Kutta from the
 * clamp, where theta' = sqrt(2 load sin(tip)). */
enum { CURVE = 201 };

static void exact_elastica(double load, double tip_angle, double *x, double *z)
{
    const double h = 1.0 / (CURVE - 1);
    double angle = 0.0;
    double bend = sqrt(2.0 * load * sin(tip_angle));
    x[0] = 0.0;
    z[0] = 0.0;
    for (int i = 1; i < CURVE; i++) {
        const double a1 = bend;
        const double b1 = -load * cos(angle);
        const double a2 = bend + 0.5 * h * b1;
        const double b2 = -load * cos(angle + 0.5 * h * a1);
        const double a3 = bend + 0.5 * h * b2;
        const double b3 = -load * cos(angle + 0.5 * h * a2);
        const double a4 = bend + h * b3;
        const double b4 = -load * cos(angle + h * a3);
        const double before = angle;
        angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        bend += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
        const double middle = 0.5 * (before + angle);
        x[i] = x[i - 1] + h / 6.0 * (cos(before) + 4.0 * cos(middle) + cos(angle));
        z[i] = z[i - 1] + h / 6.0 * (sin(before) + 4.0 * sin(middle) + sin(angle));
    }
}

static const struct {
    double load;       /* P L^2/EI */
    double lattice[2]; /* x/L and z/L of 19 links */
    double exact[3];   /* angle, x/L and z/L of the tip */
} elastica[4] = {
    {1.0, {0.943677, 0.301711}, {0.46135194971187865, 0.9435667637166228, 0.30172077379981355}},
    {2.0, {0.839718, 0.493468}, {0.7817498315565429, 0.8393582791748327, 0.4934574803967118}},
    {5.0, {0.61335, 0.714203}, {1.2153681176116813, 0.6123716392755701, 0.7137915236119128}},
    {10.0, {0.446508, 0.811923}, {1.4302855388038582, 0.4450044022462487, 0.8106090248802966}},
};

static double elastica_tip(trial *t, int32_t links, double load, double tip[2])
{
    const double length = links * pitch;
    rod(t, links, (const double[3]){0.0, 0.0, load * bending_stiffness() / (length * length)}, NULL);
    tip[0] = 1.0 + trial_moved(t, links, 0, 0, 0) / length;
    tip[1] = trial_moved(t, links, 0, 0, 2) / length;
    return length;
}

void case_elastica(validation *v)
{
    static const val_basis lattice = {"the same bond with 19 links, computed independently",
                                      "1e-5: the reference is given to six digits"};
    static const val_basis exact = {"exact: elliptic integrals (inextensible elastica)",
                                    "0.2 % with 40 links: the bond is of second order, 0.3 % with 19"};
    val_plot *plot = val_add_plot(
        v, "The elastica: a rod of 19 links under a dead load at its end", "x/L", "z/L",
        "Points: voxels at rest. Lines: exact, from elliptic integrals, for P L^2/EI = 1, 2, 5, 10.");
    if (plot != NULL) plot->same_scale = true;
    for (int i = 0; i < 4; i++) {
        double tip[2];
        double x[CURVE];
        double z[CURVE];
        trial t = trial_of(v);
        (void)elastica_tip(&t, 19, elastica[i].load, tip);
        val_compare(v, val_format("elastica.a%g.n19.x", elastica[i].load).text,
                    val_format("tip x/L, P L^2/EI = %g, 19 links", elastica[i].load).text, "", tip[0],
                    elastica[i].lattice[0], 1e-5, lattice);
        val_compare(v, val_format("elastica.a%g.n19.y", elastica[i].load).text,
                    val_format("tip z/L, P L^2/EI = %g, 19 links", elastica[i].load).text, "", tip[1],
                    elastica[i].lattice[1], 1e-5, lattice);
        exact_elastica(elastica[i].load, elastica[i].exact[0], x, z);
        val_add_series(v, plot, val_format("exact, %g", elastica[i].load).text, VAL_LINE, i, CURVE, x, z);
        plot_rod(v, plot, &t, 19, val_format("voxels, %g", elastica[i].load).text, i);
        trial_end(&t);
        (void)elastica_tip(&t, 40, elastica[i].load, tip);
        val_compare(v, val_format("elastica.exact.a%g.x", elastica[i].load).text,
                    val_format("tip x/L, P L^2/EI = %g, 40 links", elastica[i].load).text, "", tip[0],
                    elastica[i].exact[1], 2e-3, exact);
        val_compare(v, val_format("elastica.exact.a%g.y", elastica[i].load).text,
                    val_format("tip z/L, P L^2/EI = %g, 40 links", elastica[i].load).text, "", tip[1],
                    elastica[i].exact[2], 2e-3, exact);
        trial_end(&t);
    }
}

/* Tip of a rod rolled up by an end moment phi EI/L about -y, in lengths. */
static void rolled_tip(trial *t, int32_t links, double phi, double tip[2])
{
    const double length = links * pitch;
    rod(t, links, NULL, (const double[3]){0.0, -phi * bending_stiffness() / length, 0.0});
    tip[0] = 1.0 + trial_moved(t, links, 0, 0, 0) / length;
    tip[1] = trial_moved(t, links, 0, 0, 2) / length;
}

void case_roll(validation *v)
{
    static const val_basis lattice = {"the same bond, computed independently",
                                      "2e-5 of L: the reference has five decimals"};
    static const val_basis exact = {"exact: an arc", "0.8 % and 2.2 % of L: a link that turns by a is "
                                                     "stiffer than a beam by 5/24 a^2, 0.5 % and 2 % here"};
    static const struct {
        const char *name;
        const char *what;
        int32_t links;
        double phi;
        double tip[2];
    } rolls[4] = {
        {"half.n19", "half circle, 19 links", 19, PI, {0.00563, 0.64087}},
        {"full.n19", "full circle, 19 links", 19, 2.0 * PI, {-0.02169, 0.00145}},
        {"half.n20", "half circle, 20 links", 20, PI, {0.00508, 0.64046}},
        {"full.n20", "full circle, 20 links", 20, 2.0 * PI, {-0.01967, 0.00119}},
    };
    val_plot *plot =
        val_add_plot(v, "A rod rolled up by a moment at its end", "x/L", "z/L",
                     "Points: voxels at rest, 20 links. Lines: arcs of half a circle and of a full one.");
    if (plot != NULL) plot->same_scale = true;
    for (int i = 0; i < 4; i++) {
        double tip[2];
        trial t = trial_of(v);
        const double phi = rolls[i].phi;
        const double arc[2] = {sin(phi) / phi, (1.0 - cos(phi)) / phi};
        rolled_tip(&t, rolls[i].links, phi, tip);
        val_compare_absolute(v, val_format("roll.%s.x", rolls[i].name).text,
                             val_format("tip x/L, %s", rolls[i].what).text, "", tip[0], rolls[i].tip[0], 2e-5,
                             lattice);
        val_compare_absolute(v, val_format("roll.%s.z", rolls[i].name).text,
                             val_format("tip z/L, %s", rolls[i].what).text, "", tip[1], rolls[i].tip[1], 2e-5,
                             lattice);
        if (rolls[i].links == 20) {
            double x[CURVE];
            double z[CURVE];
            for (int k = 0; k < CURVE; k++) {
                const double part = phi * k / (CURVE - 1.0);
                x[k] = sin(part) / phi;
                z[k] = (1.0 - cos(part)) / phi;
            }
            val_add_series(v, plot, val_format("exact, %s", i < 3 ? "half circle" : "full circle").text,
                           VAL_LINE, i - 2, CURVE, x, z);
            plot_rod(v, plot, &t, 20, val_format("voxels, %s", i < 3 ? "half circle" : "full circle").text,
                     i - 2);
            const double off = hypot(tip[0] - arc[0], tip[1] - arc[1]);
            val_compare_absolute(
                v, val_format("roll.exact.%s", rolls[i].name).text,
                val_format("distance of the tip from the arc's end over L, %s", rolls[i].what).text, "", off,
                0.0, i < 3 ? 0.008 : 0.022, exact);
        }
        trial_end(&t);
    }
}

/* ---- bimorph -------------------------------------------------------------------------------------------------------- */

enum { BIMORPH_LENGTH = 24, BIMORPH_END = 8 };

/* Two layers that grow and shrink by `strain`, held at one voxel, where nothing pulls. */
static void bimorph(trial *t, double strain)
{
    trial_begin(t, VXE_ELASTICITY_BEAM, pitch, BIMORPH_LENGTH, 1, 2);
    trial_fill(t, box_at(0, 0, 0, BIMORPH_LENGTH, 1, 1), trial_expanding(t, youngs, 0.0, 1000.0, 0.01));
    trial_fill(t, box_at(0, 0, 1, BIMORPH_LENGTH, 1, 1), trial_expanding(t, youngs, 0.0, 1000.0, -0.01));
    (void)trial_hold(t, box_at(0, 0, 0, 1, 1, 1), HOLD_RIGID);
    trial_plane(t, VXE_PLANE_XZ);
    trial_temperature(t, strain / 0.01);
}

/* Turn of a voxel about -y in the plane xz, rad, between -pi and pi. */
static double angle_of(const trial *t, int32_t i, int32_t k)
{
    const int32_t voxel = trial_voxel(t, i, 0, k);
    if (voxel < 0) return (double)NAN;
    const vxe_state *state = vxe_sim_state(t->sim);
    return -2.0 * atan2(state->orientation[2][voxel], state->orientation[0][voxel]);
}

/* Mean turn from column to column in the middle, away from what the ends do. */
static double turn_per_voxel(const trial *t)
{
    const int32_t first = BIMORPH_END;
    const int32_t last = BIMORPH_LENGTH - 1 - BIMORPH_END;
    double sum = 0.0;
    for (int32_t k = 0; k < 2; k++) {
        for (int32_t i = first; i < last; i++) {
            sum += remainder(angle_of(t, i + 1, k) - angle_of(t, i, k), 2.0 * PI);
        }
    }
    return sum / (2.0 * (last - first));
}

void case_bimorph(validation *v)
{
    static const struct {
        double strain;
        double lattice;
        double solid;
    } rows[4] = {
        {0.01, 0.014999718770959567, 0.015},
        {0.1, 0.149544, 0.149606},
        {0.2, 0.296453, 0.296855},
        {0.3, 0.438494, 0.439434},
    };
    static const val_basis lattice = {"the same bond, computed independently",
                                      "1e-4: the reference has six digits"};
    static const val_basis solid = {"finite-strain continuum (Biot, nu = 0)",
                                    "0.3 %: a column turns by up to 0.44 rad, second order"};
    static const val_basis linear = {"exact: Timoshenko's bimetal, 1.5 strain per layer thickness",
                                     "1e-6: EA and EI of a layered lattice are exact"};
    trial t = trial_of(v);
    bimorph(&t, 0.01);
    trial_linear(&t, 0);
    if (trial_good(&t) && t.linear != NULL) {
        double sum = 0.0;
        for (int32_t k = 0; k < 2; k++) {
            sum -= 0.5 * (trial_turned(&t, BIMORPH_LENGTH - 1 - BIMORPH_END, 0, k, 1) -
                          trial_turned(&t, BIMORPH_END, 0, k, 1));
        }
        val_compare(v, "bimorph.linear", "turn per voxel, strain +-0.01, linear solve", "rad",
                    sum / (BIMORPH_LENGTH - 1 - 2 * BIMORPH_END), 0.015, 1e-6, linear);
    }
    trial_end(&t);
    for (int i = 0; i < 4; i++) {
        bimorph(&t, rows[i].strain);
        trial_equilibrium(&t);
        const double turn = turn_per_voxel(&t);
        val_compare(v, val_format("bimorph.eps%g", rows[i].strain).text,
                    val_format("turn per voxel, strain +-%g", rows[i].strain).text, "rad", turn,
                    rows[i].lattice, 1e-4, lattice);
        val_compare(v, val_format("bimorph.solid.eps%g", rows[i].strain).text,
                    val_format("the same against the continuum, strain +-%g", rows[i].strain).text, "rad",
                    turn, rows[i].solid, 3e-3, solid);
        trial_end(&t);
    }
}
