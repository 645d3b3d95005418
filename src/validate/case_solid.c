/* The continuum: blocks of the calibrated `solid` against 3-D elasticity, for nu 0, 0.3, 0.45 and 0.49.
 * References are exact where a formula exists, else solid FEM (CalculiX 2.20, quadratic bricks;
 * validation/reference.py computes them). Rows named .rigid, .noload and .noshare show the same with one
 * refinement of the pressure left out. */
#include "validate/cases.h"
#include "validate/solids.h"

#include <math.h>

#define FEM "solid FEM, CalculiX 2.20 C3D20R on graded meshes"

/* One quantity for several Poisson's ratios. */
typedef struct series {
    const char *name;
    const char *what;
    const char *unit;
    double (*measure)(validation *v, const solid_def *d);
    double reference[SOLID_RATIOS]; /* 0: not compared */
    double tolerance[SOLID_RATIOS];
    val_basis basis;
    int without;           /* refinement that is left out for the row before, or 0 */
    hold_kind before_hold; /* likewise */
    const char *before;    /* how that row is called */
    const char *before_what;
} series;

#define AS_LUMPS 0, HOLD_RIGID, "rigid", "held as rigid lumps" /* the row before, mostly */

/* Adds the rows of a series, and one line per ratio to a table of before and after. */
static void run_series(validation *v, const series *s, val_table *table)
{
    static const val_basis before_basis = {FEM, "what the refinement repairs"};
    for (int i = 0; i < SOLID_RATIOS; i++) {
        const double nu = solid_ratios[i];
        const double reference = s->reference[i];
        solid_def d = solid_of(nu);
        if (reference == 0.0) continue;
        const double value = s->measure(v, &d);
        d.without = s->without;
        d.hold = s->before_hold;
        const double before = s->measure(v, &d);
        val_compare(v, val_format("%s.nu%g", s->name, nu).text, val_format("%s, nu %g", s->what, nu).text,
                    s->unit, value, reference, s->tolerance[i], s->basis);
        val_compare(v, val_format("%s.nu%g.%s", s->name, nu, s->before).text,
                    val_format("the same, %s, nu %g", s->before_what, nu).text, s->unit, before, reference,
                    0.0, before_basis);
        val_add_cells(v, table,
                      val_format("%g|%.5g|%.5g|%.5g|%+.2f %%|%+.2f %%", nu, before, value, reference,
                                 100.0 * (before / reference - 1.0), 100.0 * (value / reference - 1.0))
                          .text);
    }
}

#define BEFORE_AFTER "nu|before|after|reference|error before|error after"

/* ---- tension -------------------------------------------------------------------------------------------------------- */

void case_uniaxial(validation *v)
{
    static const val_basis exact = {
        "exact: strain sigma/E along, -nu sigma/E across, everywhere",
        "1e-6: the patch test is met exactly; what remains is the solver's residual"};
    static const val_basis before = {"exact: strain sigma/E along, -nu sigma/E across, everywhere",
                                     "what the refinement repairs"};
    const double tolerance = vxe_solve_available() ? 1e-6 : 1e-5;
    val_table *table =
        val_add_table(v, "Tractions on loaded faces: worst strain of a link of a block 5x4x3 in tension",
                      "nu|along, before|along, after|across, before|across, after",
                      "In units of the exact strains. Before: the pressure of loaded voxels does not know of "
                      "the load, and the links at the ends are off; after: exact, corners included.");
    for (int i = 0; i < SOLID_RATIOS; i++) {
        solid_def d = solid_of(solid_ratios[i]);
        double axial[2];
        double lateral[2];
        for (int without = 0; without < 2; without++) {
            d.without = without != 0 ? WITHOUT_FACE_LOADS : 0;
            solid_uniaxial(v, &d, &axial[without], &lateral[without]);
        }
        const double goal = solid_ratios[i] > 0.0 ? 1.0 : 0.0;
        const char *across = solid_ratios[i] > 0.0 ? "worst strain across over -nu sigma/E"
                                                   : "worst strain across over sigma/E";
        val_compare(v, val_format("uniaxial.nu%g.along", d.poisson).text,
                    val_format("worst strain along over sigma/E, nu %g", d.poisson).text, "", axial[0], 1.0,
                    tolerance, exact);
        val_compare_absolute(v, val_format("uniaxial.nu%g.across", d.poisson).text,
                             val_format("%s, nu %g", across, d.poisson).text, "", lateral[0], goal, tolerance,
                             exact);
        if (d.poisson > 0.0) {
            val_compare(v, val_format("uniaxial.nu%g.along.noload", d.poisson).text,
                        val_format("along, without tractions on loaded faces, nu %g", d.poisson).text, "",
                        axial[1], 1.0, 0.0, before);
            val_compare(v, val_format("uniaxial.nu%g.across.noload", d.poisson).text,
                        val_format("across, without tractions on loaded faces, nu %g", d.poisson).text, "",
                        lateral[1], 1.0, 0.0, before);
        }
        val_add_cells(
            v, table,
            val_format("%g|%.5f|%.5f|%.5f|%.5f", d.poisson, axial[1], axial[0], lateral[1], lateral[0]).text);
    }
}

void case_rollers(validation *v)
{
    static const char *const names[3] = {"pulled", "pulled, held along y", "pulled, held along y and z"};
    static const val_basis tension = {"exact: 1", "0.01 %: met exactly"};
    static const val_basis flat = {"exact: 1/(1 - nu^2)",
                                   "2 %: at edges where two rollers meet a voxel has one pressure for both"};
    static const val_basis closed = {
        "exact: (1 - nu)/((1 + nu)(1 - 2 nu))",
        "a limit: at edges and corners where rollers meet a voxel has one pressure for "
        "all, and confined bodies resist by pressure alone"};
    for (int i = 0; i < SOLID_RATIOS; i++) {
        const double nu = solid_ratios[i];
        const double exact[3] = {1.0, 1.0 / (1.0 - nu * nu), (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))};
        for (int pairs = 0; pairs < 3; pairs++) {
            const solid_def d = solid_of(nu);
            const double modulus = solid_rollers(v, &d, pairs);
            const double tolerance = pairs == 0 || nu == 0.0 ? 1e-4 : pairs == 1 ? 0.02 : 0.0;
            val_compare(
                v, val_format("rollers.nu%g.pairs%d", nu, pairs).text,
                val_format("modulus over E of 9x4x4 mm between rollers, %s, nu %g", names[pairs], nu).text,
                "", modulus, exact[pairs], tolerance,
                pairs == 0 || nu == 0.0 ? tension
                : pairs == 1            ? flat
                                        : closed);
        }
    }
}

/* ---- bending -------------------------------------------------------------------------------------------------------- */

void case_cantilever(validation *v)
{
    static const series linear = {"fem.cant",
                                  "end of 9x5x5 mm under 0.1 N, clamped",
                                  "mm",
                                  solid_cantilever,
                                  {0.55373, 0.56129, 0.5504, 0.5452},
                                  {0.005, 0.015, 0.026, 0.03},
                                  {FEM, "0.5 % for the clamp, plus what a bar of five voxels bends too "
                                        "little: 0, 1.0, 2.1, 2.5 % (case bending)"},
                                  AS_LUMPS};
    static const val_basis nonlinear = {"solid FEM, CalculiX 2.20, NLGEOM", "as above"};
    static const double large[2] = {0.5526372673333336, 0.5601505898000008};
    val_table *table = val_add_table(
        v, "Clamps: end of a cantilever 9x5x5 mm under 0.1 N, mm; held as rigid lumps, and clamped",
        BEFORE_AFTER,
        "At nu > 0 rigid lumps look better than they are: a layer that cannot shear (too stiff) and one that "
        "can contract (too soft) cancel.");
    run_series(v, &linear, table);
    for (int i = 0; i < 2; i++) {
        const solid_def d = solid_of(solid_ratios[i]);
        val_compare(v, val_format("fem.cant.nonlinear.nu%g", d.poisson).text,
                    val_format("the same with large rotations (equilibrium), nu %g", d.poisson).text, "mm",
                    solid_cantilever_nonlinear(v, &d), large[i], linear.tolerance[i], nonlinear);
    }
}

void case_bending(validation *v)
{
    enum { SIDES = 5 };
    /* of the calibrated lattice, with pressure shared where a bar is two voxels thick, by ratio and side of
     * the bar; 0: not known */
    static const double lattice[SOLID_RATIOS][SIDES] = {{1.0, 1.0, 1.0, 1.0, 1.0},
                                                        {1.0, 1.006, 1.023, 1.014, 1.010},
                                                        {1.0, 1.014, 1.050, 1.031, 1.021},
                                                        {1.0}};
    static const val_basis computed = {"the same lattice, computed independently",
                                       "0.1 %: the reference has four digits"};
    static const val_basis exact = {
        "exact: 1", "pressure is one number per voxel, so across a thin bar in bending it cannot follow the "
                    "stress; falls with the square of the number of voxels"};
    val_table *table = val_add_table(v, "Bending stiffness of a bar of N x N voxels, over E I",
                                     "nu|N = 1|N = 2|N = 3|N = 4|N = 5", "Exact is 1.");
    for (int i = 0; i < SOLID_RATIOS; i++) {
        double value[SIDES];
        for (int32_t side = 1; side <= SIDES; side++) {
            const solid_def d = solid_of(solid_ratios[i]);
            value[side - 1] = solid_bending(v, &d, side);
            const bool known = lattice[i][side - 1] > 0.0;
            val_compare(v, val_format("bending.nu%g.n%d", d.poisson, (int)side).text,
                        val_format("EI of a bar %dx%d over E I, nu %g", (int)side, (int)side, d.poisson).text,
                        "", value[side - 1], known ? lattice[i][side - 1] : 1.0, known ? 1e-3 : 0.0,
                        known ? computed : exact);
        }
        val_add_cells(v, table,
                      val_format("%g|%.4f|%.4f|%.4f|%.4f|%.4f", solid_ratios[i], value[0], value[1], value[2],
                                 value[3], value[4])
                          .text);
    }
}

/* ---- torsion, shear, compression ------------------------------------------------------------------------------------ */

void case_torsion(validation *v)
{
    static const series torsion = {
        "fem.tors",
        "torque of 9x5x5 mm twisted by 0.01 rad, clamped",
        "N mm",
        solid_torsion,
        {0.04956, 0.038231, 0.034355, 0.03346},
        {0.005, 0.005, 0.005, 0.005},
        {FEM, "0.5 %: five voxels across; torsion is all shear, where the constants are exact"},
        AS_LUMPS};
    val_table *table = val_add_table(
        v, "Clamps: torque of a bar 9x5x5 mm twisted by 0.01 rad, N mm; held as rigid lumps, and clamped",
        BEFORE_AFTER, "A layer of rigid lumps cannot warp nor shear.");
    run_series(v, &torsion, table);
}

void case_shear(validation *v)
{
    static const series shear = {"fem.shear",
                                 "force on a bonded block 10x10x9 mm sheared by 0.01",
                                 "N",
                                 solid_shear,
                                 {0.31981, 0.2714, 0.25825, 0.2560},
                                 {0.005, 0.015, 0.015, 0.015},
                                 {FEM, "0.5 % at nu 0; 1.5 % above: at the edges of the bonded faces "
                                       "pressure is singular, and a voxel is a tenth of the side"},
                                 AS_LUMPS};
    val_table *table = val_add_table(
        v, "Clamps: force on a bonded block 10x10x9 mm sheared by 0.01, N; held as rigid lumps, and clamped",
        BEFORE_AFTER, "");
    run_series(v, &shear, table);
}

void case_compression(validation *v)
{
    static const series force = {
        "fem.comp",
        "force on a bonded block 10x10x9 mm pressed by 1 %",
        "N",
        solid_compression_force,
        {1.0, 1.0721, 1.1978, 1.2534},
        {0.001, 0.005, 0.02, 0.04},
        {FEM,
         "one pressure per voxel: 0.5 % at nu 0.3; its error grows as lambda/mu, which is 1.5, 9 and 49"},
        AS_LUMPS};
    static const series bulge = {"fem.bulge",
                                 "bulge of its side at mid height",
                                 "mm",
                                 solid_compression_bulge,
                                 {0.0, 0.01603, 0.02808, 0.03237},
                                 {0.0, 0.01, 0.02, 0.05},
                                 {FEM, "1 % at nu 0.3, growing as lambda/mu like the force"},
                                 AS_LUMPS};
    val_table *table = val_add_table(v,
                                     "Clamps: force on a bonded block pressed by 1 %, N, then bulge of its "
                                     "side, mm; held as rigid lumps, and clamped",
                                     BEFORE_AFTER,
                                     "The outer faces of rigid lumps count as free, so that pressure cannot "
                                     "build up at the plates: too soft.");
    run_series(v, &force, table);
    run_series(v, &bulge, table);
}

/* ---- two materials -------------------------------------------------------------------------------------------------- */

void case_two(validation *v)
{
    static const series two = {
        "fem.two",
        "end of 19x4x4 mm under 0.01 N, top half 100 times stiffer",
        "mm",
        solid_two,
        {0.07733, 0.076467, 0.0751, 0.07458},
        {0.007, 0.007, 0.007, 0.007},
        {FEM, "0.7 %: two voxels per layer; 0.5 % remain at nu 0, where pressure plays no part"},
        WITHOUT_SHARING,
        HOLD_CLAMP,
        "noshare",
        "without shared pressure"};
    val_table *table = val_add_table(
        v,
        "Pressure continuity between unlike materials: end of a two-material cantilever 19x4x4 mm, mm; not "
        "shared, and shared",
        BEFORE_AFTER,
        "Without it the two sides of the interface have the same strain but not the same stress.");
    run_series(v, &two, table);
}

/* ---- modes ---------------------------------------------------------------------------------------------------------- */

void case_free(validation *v)
{
    enum { COUNT = 12 };
    static const double reference[SOLID_RATIOS][COUNT] = {
        {761.8126, 1050.437, 1050.437, 1328.471, 1328.471, 1378.528, 1451.478, 1451.478, 1581.144, 1581.144,
         1581.144, 1851.55},
        {668.6172, 953.0335, 1139.383, 1223.954, 1296.889, 1296.889, 1342.694, 1342.694, 1386.755, 1557.36,
         1635.607, 1742.75},
        {633.275, 914.77, 1163.26, 1189.99, 1273.23, 1273.23, 1294.75, 1294.75, 1313.07, 1530.89, 1552.38,
         1692.83},
        {624.764, 905.41, 1148.51, 1203.64, 1266.39, 1266.39, 1282.60, 1282.60, 1295.32, 1522.77, 1532.24,
         1679.97}};
    static const double tolerance[SOLID_RATIOS] = {0.006, 0.01, 0.0155, 0.0175};
    static const val_basis basis = {FEM, "0.5 % for five voxels across, plus half of what such a bar bends "
                                         "too little: 0, 1.0, 2.1, 2.5 % (case bending)"};
    if (val_needs_solvers(v, "fem.free", "free modes of a block 10x10x5 mm")) return;
    for (int i = 0; i < SOLID_RATIOS; i++) {
        const solid_def d = solid_of(solid_ratios[i]);
        double f[COUNT];
        solid_free(v, &d, COUNT, f);
        for (int m = 0; m < COUNT; m++) {
            val_compare(
                v, val_format("fem.free.nu%g.%d", d.poisson, m + 1).text,
                val_format("elastic mode %d of a free block 10x10x5 mm, nu %g", m + 1, d.poisson).text, "Hz",
                f[m], reference[i][m], tolerance[i], basis);
        }
    }
}

void case_rod_modes(validation *v)
{
    enum { COUNT = 14, RODS = 3 };
    typedef struct rod_modes {
        int32_t length;
        double poisson;
        double reference[COUNT];
    } rod_modes;
    static const rod_modes rods[RODS] = {
        {19,
         0.0,
         {446.6681, 446.6681, 2769.464, 2769.464, 7626.681, 7626.681, 8558.118, 13157.89, 14604.24, 14604.24,
          23475.08, 23475.08, 25674.02, 33967.56}},
        {20,
         0.0,
         {403.1891, 403.1891, 2502.45, 2502.45, 6902.015, 6902.015, 8129.992, 12500.0, 13243.67, 13243.67,
          21337.9, 21337.9, 24389.69, 30951.89}},
        {20,
         0.3,
         {404.163, 404.163, 2503.968, 2503.968, 6887.874, 6887.874, 7131.502, 12520.62, 13170.29, 13170.29,
          21134.74, 21134.74, 21394.37, 30526.11}}};
    static const val_basis two = {FEM, "0.5 %: two voxels across"};
    static const val_basis one = {FEM, "1 %: one voxel across, with the shear of a square bar"};
    if (val_needs_solvers(v, "fem.cantmodes", "modes of a clamped bar 1x1 mm in section")) return;
    for (int r = 0; r < 2 * RODS; r++) {
        const rod_modes *rod = &rods[r % RODS];
        const bool thin = r >= RODS;
        solid_def d = solid_of(rod->poisson);
        double f[COUNT];
        d.k = thin ? 1 : 2;
        solid_rod_modes(v, &d, rod->length, COUNT, f);
        for (int m = 0; m < COUNT; m++) {
            val_compare(v,
                        val_format("fem.cantmodes.%sL%d.nu%g.%d", thin ? "k1." : "", (int)rod->length,
                                   rod->poisson, m + 1)
                            .text,
                        val_format("mode %d of a clamped bar %dx1x1 mm, %s thick, nu %g", m + 1,
                                   (int)rod->length, thin ? "1 voxel" : "2 voxels", rod->poisson)
                            .text,
                        "Hz", f[m], rod->reference[m], thin ? 0.01 : 0.005, thin ? one : two);
        }
    }
}
