/* Refinement: continuum cases at two or three pitches, with the observed order of convergence. */
#include "validate/solids.h"
#include "validate/validate.h"

#include <string.h>

#define FEM "solid FEM, CalculiX 2.20"

/* Uses the side of the bar instead of the pitch: voxels across it. */
static double bend(validation *v, const solid_def *d)
{
    solid_def plain = *d;
    plain.k = 1;
    return solid_bending(v, &plain, d->k);
}

static double bracket_down(validation *v, const solid_def *d)
{
    double aside = 0.0;
    return solid_bracket(v, d, &aside);
}

static double tube_one(validation *v, const solid_def *d) { return solid_tube_torque(v, d, 1); }

static double strip_one(validation *v, const solid_def *d) { return solid_strip(v, d, 1); }

/* Quantities at three pitches, for the ratios 0, 0.3 and 0.45. */
enum { RATIOS = 3 };
typedef struct ladder {
    const char *name;
    const char *what;
    const char *unit;
    double (*measure)(validation *v, const solid_def *d);
    int32_t k[VAL_PITCHES];
    double reference[RATIOS]; /* 0: not compared */
} ladder;
static const ladder ladders[] = {
    {"cantilever", "end of a cantilever", "mm", solid_cantilever, {1, 2, 4}, {0.55373, 0.56129, 0.5504}},
    {"torsion", "torque", "N mm", solid_torsion, {1, 2, 4}, {0.04956, 0.038231, 0.034355}},
    {"shear", "force on a sheared block", "N", solid_shear, {1, 2, 3}, {0.31981, 0.2714, 0.25825}},
    {"compression", "force on a pressed block", "N", solid_compression_force, {1, 2, 3}, {0, 1.0721, 1.1978}},
    {"bulge", "bulge of a pressed block", "mm", solid_compression_bulge, {1, 2, 3}, {0, 0.01603, 0.02808}},
    {"two", "end of a two-material cantilever", "mm", solid_two, {1, 2, 3}, {0.07733, 0.076467, 0.0751}},
    {"bending", "EI of a bar over E I, by voxels across", "", bend, {2, 4, 8}, {0.0, 1.0, 1.0}},
    {"bracket", "arm of an L", "mm", bracket_down, {1, 3, 5}, {0.50035, 0.49454, 0.48663}},
    {"hole", "force on a plate with a hole", "N", solid_hole, {1, 3, 5}, {0.13143, 0.13243, 0.1349}},
    {"tube", "torque of a tube, wall 1 mm", "N mm", tube_one, {1, 2, 4}, {0.05879, 0.04534, 0.04074}},
    {"strip", "end of a strip 1 mm thick", "mm", strip_one, {1, 2, 4}, {0.40059, 0.3883, 0.3727}},
};

static void climb(validation *v, const char *name)
{
    const ladder *l = ladders;
    while (strcmp(l->name, name) != 0) l++;
    for (int i = 0; i < RATIOS; i++) {
        solid_def d = solid_of(solid_ratios[i]);
        double per_mm[VAL_PITCHES];
        double value[VAL_PITCHES];
        if (l->reference[i] == 0.0) continue;
        for (int p = 0; p < VAL_PITCHES; p++) {
            d.k = l->k[p];
            per_mm[p] = d.k;
            value[p] = l->measure(v, &d);
        }
        val_add_refinement(v, val_format("refine.%s.nu%g", name, d.poisson).text,
                           val_format("%s, nu %g", l->what, d.poisson).text, l->unit, VAL_PITCHES, per_mm,
                           value, l->reference[i], FEM);
    }
}

static void study_free(validation *v, const char *name)
{
    static const double reference[6] = {668.6172, 953.0335, 1139.383, 1223.954, 1296.889, 1296.889};
    static const double per_mm[2] = {1.0, 2.0};
    double f[2][6];
    if (!vxe_solve_available()) return;
    for (int p = 0; p < 2; p++) {
        solid_def d = solid_of(0.3);
        d.k = p + 1;
        solid_free(v, &d, 6, f[p]);
    }
    for (int m = 0; m < 6; m++) {
        const double value[2] = {f[0][m], f[1][m]};
        val_add_refinement(v, val_format("refine.%s.nu0.3.%d", name, m + 1).text,
                           val_format("mode %d of a free block, nu 0.3", m + 1).text, "Hz", 2, per_mm, value,
                           reference[m], FEM);
    }
}

static void study_rod_modes(validation *v, const char *name)
{
    static const double reference[6] = {404.163, 404.163, 2503.968, 2503.968, 6887.874, 6887.874};
    static const double per_mm[3] = {1.0, 2.0, 4.0};
    double f[3][6];
    if (!vxe_solve_available()) return;
    for (int p = 0; p < 3; p++) {
        solid_def d = solid_of(0.3);
        d.k = 1 << p;
        solid_rod_modes(v, &d, 20, 6, f[p]);
    }
    for (int m = 0; m < 6; m += 2) {
        const double value[3] = {f[0][m], f[1][m], f[2][m]};
        val_add_refinement(v, val_format("refine.%s.%d", name, m / 2 + 1).text,
                           val_format("bending mode %d of a bar 20x1x1 mm, nu 0.3", m / 2 + 1).text, "Hz", 3,
                           per_mm, value, reference[m], FEM);
    }
}

const val_study val_studies[] = {
    {"cantilever", "cantilever", climb},
    {"torsion", "torsion", climb},
    {"shear", "shear", climb},
    {"compression", "compression", climb},
    {"compression", "bulge", climb},
    {"two", "two", climb},
    {"bending", "bending", climb},
    {"free", "free", study_free},
    {"rod-modes", "rod", study_rod_modes},
    {"bracket", "bracket", climb},
    {"hole", "hole", climb},
    {"tube", "tube", climb},
    {"strip", "strip", climb},
};
const int val_study_count = sizeof val_studies / sizeof val_studies[0];
