/* Shapes that the calibration of `solid` never saw: a concave corner, a hole, thin walls; nu from 0 to 0.49.
 * References by solid FEM (validation/reference.py). */
#include "validate/cases.h"
#include "validate/solids.h"

#define FEM "solid FEM, CalculiX 2.20 C3D20R, extrapolated from three meshes"

void case_bracket(validation *v)
{
    static const double down[SOLID_RATIOS] = {0.50035, 0.49454, 0.48663, 0.48376};
    static const double aside[SOLID_RATIOS] = {0.206613, 0.204814, 0.200577, 0.198915};
    static const double tolerance[2] = {0.04, 0.0135};
    static const val_basis basis = {
        FEM, "4 % with voxels of a quarter of the thickness, a third of that with voxels of a third: the "
             "corner is singular and makes the error of first order"};
    for (int32_t k = 1; k <= 3; k += 2) {
        for (int i = 0; i < SOLID_RATIOS; i++) {
            solid_def d = solid_of(solid_ratios[i]);
            d.k = k;
            double x = 0.0;
            const double z = solid_bracket(v, &d, &x);
            const char *pitch = k == 1 ? "1 mm" : "1/3 mm";
            val_compare(
                v, val_format("bracket.k%d.nu%g.z", (int)k, d.poisson).text,
                val_format("arm of an L under 0.01 N, downwards, pitch %s, nu %g", pitch, d.poisson).text,
                "mm", z, down[i], tolerance[k / 2], basis);
            val_compare(v, val_format("bracket.k%d.nu%g.x", (int)k, d.poisson).text,
                        val_format("the same, sideways, pitch %s, nu %g", pitch, d.poisson).text, "mm", x,
                        aside[i], tolerance[k / 2], basis);
        }
    }
}

void case_hole(validation *v)
{
    static const double reference[SOLID_RATIOS] = {0.13143, 0.13243, 0.1349, 0.1359};
    static const val_basis basis = {FEM ", +-0.1 %",
                                    "1.5 %: ribs of three voxels between a hole and edges, four corners"};
    for (int i = 0; i < SOLID_RATIOS; i++) {
        const solid_def d = solid_of(solid_ratios[i]);
        val_compare(v, val_format("hole.nu%g", d.poisson).text,
                    val_format("force on a plate with a square hole pulled by 1 %%, nu %g", d.poisson).text,
                    "N", solid_hole(v, &d), reference[i], 0.015, basis);
    }
}

void case_tube(validation *v)
{
    static const double torque[2][SOLID_RATIOS] = {{0.05879, 0.04534, 0.04074, 0.03968},
                                                   {0.07565, 0.05834, 0.05242, 0.05106}};
    static const double bending[2][SOLID_RATIOS] = {{0.09548, 0.10056, 0.10138, 0.10131},
                                                    {0.06571, 0.06705, 0.06622, 0.06574}};
    static const val_basis basis = {"solid FEM, CalculiX 2.20 C3D20R, two meshes",
                                    "2.5 %: walls of one or two voxels"};
    for (int32_t wall = 1; wall <= 2; wall++) {
        for (int i = 0; i < SOLID_RATIOS; i++) {
            const solid_def d = solid_of(solid_ratios[i]);
            const char *thick = wall == 1 ? "one voxel" : "two voxels";
            val_compare(v, val_format("tube.w%d.torsion.nu%g", (int)wall, d.poisson).text,
                        val_format("torque of a square tube 12x6x6 mm twisted by 0.01, wall %s, nu %g", thick,
                                   d.poisson)
                            .text,
                        "N mm", solid_tube_torque(v, &d, wall), torque[wall - 1][i], 0.025, basis);
            val_compare(
                v, val_format("tube.w%d.bending.nu%g", (int)wall, d.poisson).text,
                val_format("end of the same tube under 0.01 N, wall %s, nu %g", thick, d.poisson).text, "mm",
                solid_tube_bending(v, &d, wall), bending[wall - 1][i], 0.025, basis);
        }
    }
}

void case_strip(validation *v)
{
    static const double reference[2][SOLID_RATIOS] = {{0.40059, 0.3883, 0.3727, 0.3671},
                                                      {0.0503, 0.04902, 0.04733, 0.04674}};
    static const val_basis basis = {"solid FEM, CalculiX 2.20 C3D20R, two meshes",
                                    "1.5 %: two voxels across, which share pressure"};
    static const val_basis one = {
        "solid FEM, CalculiX 2.20 C3D20R, two meshes",
        "a limit: a sheet one voxel thick bends like crossed beams; its two curvatures are not coupled by "
        "nu, which makes it up to nu^2 too soft where a clamp keeps one of them away"};
    for (int32_t thickness = 1; thickness <= 2; thickness++) {
        for (int i = 0; i < SOLID_RATIOS; i++) {
            const solid_def d = solid_of(solid_ratios[i]);
            const double mean = solid_strip(v, &d, thickness);
            const bool limit = thickness == 1 && d.poisson > 0.0;
            val_compare(v, val_format("strip.t%d.nu%g", (int)thickness, d.poisson).text,
                        val_format("end of a strip 20x8 mm, %s thick, 0.1 mN across, nu %g",
                                   thickness == 1 ? "one voxel" : "two voxels", d.poisson)
                            .text,
                        "mm", mean, reference[thickness - 1][i], limit ? 0.0 : 0.015, limit ? one : basis);
        }
    }
}
