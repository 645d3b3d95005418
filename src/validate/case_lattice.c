/* Blocks of `beam` links held as rigid lumps: the paper's lattice solved exactly. Whatever nu is, such a
 * block behaves as if nu were 0; nu enters by the torsion of links only. The continuum truth is in
 * case_solid.c. */
#include "validate/cases.h"
#include "validate/solids.h"

static const val_basis direct = {"direct stiffness, computed independently",
                                 "0.01 %: the same linear equations"};
static const val_basis eigen = {"eigenvalues of the lattice, computed independently",
                                "0.01 %: the same eigenproblem"};

static solid_def lattice_of(double poisson)
{
    solid_def d = solid_of(poisson);
    d.elasticity = VXE_ELASTICITY_BEAM;
    d.hold = HOLD_RIGID;
    return d;
}

void case_lattice_torsion(validation *v)
{
    static const double reference[3] = {0.05313936038731997, 0.05230276541350273, 0.05201339351088656};
    for (int i = 0; i < 3; i++) {
        const solid_def d = lattice_of(solid_ratios[i]);
        val_compare(v, val_format("lattice.torsion.nu%g", d.poisson).text,
                    val_format("torque of 10x5x5 twisted by 0.01, nu %g", d.poisson).text, "N mm",
                    solid_torsion(v, &d), reference[i], 1e-4, direct);
    }
}

void case_lattice_shear(validation *v)
{
    for (int i = 0; i < 3; i++) {
        const solid_def d = lattice_of(solid_ratios[i]);
        val_compare(v, val_format("lattice.shear.nu%g", d.poisson).text,
                    val_format("force on 10x10x10 sheared by 0.09 mm, nu %g", d.poisson).text, "N",
                    solid_shear(v, &d), 0.3379059297694423, 1e-4, direct);
    }
}

void case_lattice_two(validation *v)
{
    const solid_def d = lattice_of(0.0);
    val_compare(v, "lattice.two", "end of 20x4x4, top half 100 times stiffer, 0.01 N", "mm", solid_two(v, &d),
                0.07681690809214999, 1e-4, direct);
}

void case_lattice_free(validation *v)
{
    static const double reference[3][6] = {{764.3076632742738, 1052.9014326252538, 1052.9014326263753,
                                            1328.4820539847815, 1328.4820539860807, 1383.9263842754456},
                                           {759.6829897292522, 1052.9014326257798, 1052.9014326263616,
                                            1328.4820539859238, 1328.4820539906661, 1383.9263842758844},
                                           {758.076353830639, 1052.9014326259442, 1052.9014326321073,
                                            1328.4820539832963, 1328.4820539863892, 1383.9263842755063}};
    if (val_needs_solvers(v, "lattice.free", "free modes of 10x10x5")) return;
    for (int i = 0; i < 3; i++) {
        const solid_def d = lattice_of(solid_ratios[i]);
        double f[6];
        solid_free(v, &d, 6, f);
        for (int m = 0; m < 6; m++) {
            val_compare(v, val_format("lattice.free.nu%g.%d", d.poisson, m + 1).text,
                        val_format("elastic mode %d of a free block 10x10x5, nu %g", m + 1, d.poisson).text,
                        "Hz", f[m], reference[i][m], 1e-4, eigen);
        }
    }
}
