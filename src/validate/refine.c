/* Refinement: continuum cases at two or three pitches, with the observed order of convergence. */
#include "validate/solids.h"
#include "validate/validate.h"

#include <string.h>

enum { RATIOS = 3 };
static const double ratios[RATIOS] = {0.0, 0.3, 0.45};

#define FEM "solid FEM, CalculiX 2.20"

/* Uses the side of the bar instead of the pitch: voxels across it. */
static vxe_result bend(const solid_def *d, double *value, vxe_error *error)
{
    solid_def plain = *d;
    plain.k = 1;
    return solid_bending(&plain, d->k, value, error);
}

static vxe_result bracket_down(const solid_def *d, double *value, vxe_error *error)
{
    double aside = 0.0;
    return solid_bracket(d, value, &aside, error);
}

static vxe_result tube_one(const solid_def *d, double *value, vxe_error *error)
{
    double mean = 0.0;
    return solid_tube(d, 1, value, &mean, error);
}

static vxe_result strip_one(const solid_def *d, double *value, vxe_error *error)
{
    return solid_strip(d, 1, value, error);
}

/* Quantities at three pitches and several Poisson's ratios. */
static const struct {
    const char *case_name;
    const char *name;
    const char *what;
    const char *unit;
    vxe_result (*measure)(const solid_def *d, double *value, vxe_error *error);
    int32_t k[VAL_PITCHES];
    double reference[RATIOS]; /* 0: not compared */
} ladders[] = {
    {"cantilever",
     "refine.cantilever",
     "end of a cantilever",
     "mm",
     solid_cantilever,
     {1, 2, 4},
     {0.55373, 0.56129, 0.5504}},
    {"torsion", "refine.torsion", "torque", "N mm", solid_torsion, {1, 2, 4}, {0.04956, 0.038231, 0.034355}},
    {"shear",
     "refine.shear",
     "force on a sheared block",
     "N",
     solid_shear,
     {1, 2, 3},
     {0.31981, 0.2714, 0.25825}},
    {"compression",
     "refine.compression",
     "force on a pressed block",
     "N",
     solid_compression_force,
     {1, 2, 3},
     {0.0, 1.0721, 1.1978}},
    {"compression",
     "refine.bulge",
     "bulge of a pressed block",
     "mm",
     solid_compression_bulge,
     {1, 2, 3},
     {0.0, 0.01603, 0.02808}},
    {"two",
     "refine.two",
     "end of a two-material cantilever",
     "mm",
     solid_two,
     {1, 2, 3},
     {0.07733, 0.076467, 0.0751}},
    {"bending",
     "refine.bending",
     "EI of a bar over E I, by voxels across",
     "",
     bend,
     {2, 4, 8},
     {0.0, 1.0, 1.0}},
    {"bracket", "refine.bracket", "arm of an L", "mm", bracket_down, {1, 3, 5}, {0.50035, 0.49454, 0.48663}},
    {"hole",
     "refine.hole",
     "force on a plate with a hole",
     "N",
     solid_hole,
     {1, 3, 5},
     {0.13143, 0.13243, 0.1349}},
    {"tube",
     "refine.tube",
     "torque of a tube, wall 1 mm",
     "N mm",
     tube_one,
     {1, 2, 4},
     {0.05879, 0.04534, 0.04074}},
    {"strip",
     "refine.strip",
     "end of a strip 1 mm thick",
     "mm",
     strip_one,
     {1, 2, 4},
     {0.40059, 0.3883, 0.3727}},
};
enum { LADDERS = sizeof ladders / sizeof ladders[0] };

/* The ladders of a case. */
static vxe_result climb(validation *v, const char *case_name, vxe_error *error)
{
    for (int n = 0; n < LADDERS * RATIOS; n++) {
        const int l = n / RATIOS;
        const int i = n % RATIOS;
        double per_mm[VAL_PITCHES];
        double value[VAL_PITCHES];
        if (strcmp(ladders[l].case_name, case_name) != 0 || ladders[l].reference[i] == 0.0) continue;
        for (int p = 0; p < VAL_PITCHES; p++) {
            solid_def d = solid_of(ratios[i]);
            d.k = ladders[l].k[p];
            per_mm[p] = d.k;
            const vxe_result result = ladders[l].measure(&d, &value[p], error);
            if (result != VXE_OK) return result;
        }
        val_add_refinement(v, val_format("%s.nu%g", ladders[l].name, ratios[i]).text,
                           val_format("%s, nu %g", ladders[l].what, ratios[i]).text, ladders[l].unit,
                           VAL_PITCHES, per_mm, value, ladders[l].reference[i], FEM);
    }
    return VXE_OK;
}

static vxe_result study_free(validation *v, const char *case_name, vxe_error *error)
{
    static const double reference[6] = {668.6172, 953.0335, 1139.383, 1223.954, 1296.889, 1296.889};
    static const double per_mm[2] = {1.0, 2.0};
    double f[2][6];
    (void)case_name;
    if (!vxe_solve_available()) return VXE_OK;
    for (int p = 0; p < 2; p++) {
        solid_def d = solid_of(0.3);
        d.k = p + 1;
        const vxe_result result = solid_free(&d, 6, f[p], error);
        if (result != VXE_OK) return result;
    }
    for (int m = 0; m < 6; m++) {
        const double value[2] = {f[0][m], f[1][m]};
        val_add_refinement(v, val_format("refine.free.nu0.3.%d", m + 1).text,
                           val_format("mode %d of a free block, nu 0.3", m + 1).text, "Hz", 2, per_mm, value,
                           reference[m], FEM);
    }
    return VXE_OK;
}

static vxe_result study_rod_modes(validation *v, const char *case_name, vxe_error *error)
{
    static const double reference[6] = {404.163, 404.163, 2503.968, 2503.968, 6887.874, 6887.874};
    static const double per_mm[3] = {1.0, 2.0, 4.0};
    double f[3][6];
    (void)case_name;
    if (!vxe_solve_available()) return VXE_OK;
    for (int p = 0; p < 3; p++) {
        solid_def d = solid_of(0.3);
        d.k = 1 << p;
        const vxe_result result = solid_rod_modes(&d, 20, 6, f[p], error);
        if (result != VXE_OK) return result;
    }
    for (int m = 0; m < 6; m += 2) {
        const double value[3] = {f[0][m], f[1][m], f[2][m]};
        val_add_refinement(v, val_format("refine.rod.%d", m / 2 + 1).text,
                           val_format("bending mode %d of a bar 20x1x1 mm, nu 0.3", m / 2 + 1).text, "Hz", 3,
                           per_mm, value, reference[m], FEM);
    }
    return VXE_OK;
}

const val_study val_studies[] = {
    {"cantilever", climb}, {"torsion", climb}, {"shear", climb},     {"compression", climb},
    {"two", climb},        {"bending", climb}, {"free", study_free}, {"rod-modes", study_rod_modes},
    {"bracket", climb},    {"hole", climb},    {"tube", climb},      {"strip", climb},
};
const int val_study_count = sizeof val_studies / sizeof val_studies[0];
