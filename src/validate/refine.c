/* Refinement: continuum cases at two or three pitches, with the observed order of convergence. */
#include "validate/solids.h"
#include "validate/validate.h"

enum { RATIOS = 3 };
static const double ratios[RATIOS] = {0.0, 0.3, 0.45};

#define FEM "solid FEM, CalculiX 2.20"

/* One quantity at several pitches and Poisson's ratios. */
typedef struct ladder {
    const char *name;
    const char *what;
    const char *unit;
    vxe_result (*measure)(const solid_def *d, double *value, vxe_error *error);
    int32_t k[VAL_PITCHES];
    int pitches;
    double reference[RATIOS]; /* 0: not compared */
} ladder;

static vxe_result climb(validation *v, const ladder *l, vxe_error *error)
{
    for (int i = 0; i < RATIOS; i++) {
        double per_mm[VAL_PITCHES];
        double value[VAL_PITCHES];
        if (l->reference[i] == 0.0) continue;
        for (int p = 0; p < l->pitches; p++) {
            solid_def d = solid_of(ratios[i]);
            d.k = l->k[p];
            per_mm[p] = l->k[p];
            const vxe_result result = l->measure(&d, &value[p], error);
            if (result != VXE_OK) return result;
        }
        val_add_refinement(v, val_format("%s.nu%g", l->name, ratios[i]).text,
                           val_format("%s, nu %g", l->what, ratios[i]).text, l->unit, l->pitches, per_mm,
                           value, l->reference[i], FEM);
    }
    return VXE_OK;
}

static vxe_result study_cantilever(validation *v, vxe_error *error)
{
    static const ladder l = {
        "refine.cantilever",       "end of a cantilever", "mm", solid_cantilever, {1, 2, 4}, 3,
        {0.55373, 0.56129, 0.5504}};
    return climb(v, &l, error);
}

static vxe_result study_torsion(validation *v, vxe_error *error)
{
    static const ladder l = {
        "refine.torsion", "torque", "N mm", solid_torsion, {1, 2, 4}, 3, {0.04956, 0.038231, 0.034355}};
    return climb(v, &l, error);
}

static vxe_result study_shear(validation *v, vxe_error *error)
{
    static const ladder l = {"refine.shear",
                             "force on a sheared block",
                             "N",
                             solid_shear,
                             {1, 2, 3},
                             3,
                             {0.31981, 0.2714, 0.25825}};
    return climb(v, &l, error);
}

static vxe_result press_force(const solid_def *d, double *value, vxe_error *error)
{
    double bulge = 0.0;
    return solid_compression(d, value, &bulge, error);
}

static vxe_result press_bulge(const solid_def *d, double *value, vxe_error *error)
{
    double force = 0.0;
    return solid_compression(d, &force, value, error);
}

static vxe_result study_compression(validation *v, vxe_error *error)
{
    static const ladder force = {
        "refine.compression", "force on a pressed block", "N", press_force, {1, 2, 3}, 3,
        {0.0, 1.0721, 1.1978}};
    static const ladder bulge = {
        "refine.bulge", "bulge of a pressed block", "mm", press_bulge, {1, 2, 3}, 3, {0.0, 0.01603, 0.02808}};
    const vxe_result result = climb(v, &force, error);
    return result != VXE_OK ? result : climb(v, &bulge, error);
}

static vxe_result study_two(validation *v, vxe_error *error)
{
    static const ladder l = {"refine.two",
                             "end of a two-material cantilever",
                             "mm",
                             solid_two,
                             {1, 2, 3},
                             3,
                             {0.07733, 0.076467, 0.0751}};
    return climb(v, &l, error);
}

/* Uses the side of the bar instead of the pitch: voxels across it. */
static vxe_result bend(const solid_def *d, double *value, vxe_error *error)
{
    solid_def plain = *d;
    plain.k = 1;
    return solid_bending(&plain, d->k, value, error);
}

static vxe_result study_bending(validation *v, vxe_error *error)
{
    static const ladder l = {
        "refine.bending", "EI of a bar over E I, by voxels across", "", bend, {2, 4, 8}, 3, {0.0, 1.0, 1.0}};
    return climb(v, &l, error);
}

static vxe_result study_free(validation *v, vxe_error *error)
{
    static const double reference[6] = {668.6172, 953.0335, 1139.383, 1223.954, 1296.889, 1296.889};
    static const double per_mm[2] = {1.0, 2.0};
    double f[2][6];
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

static vxe_result study_rod_modes(validation *v, vxe_error *error)
{
    static const double reference[6] = {404.163, 404.163, 2503.968, 2503.968, 6887.874, 6887.874};
    static const double per_mm[3] = {1.0, 2.0, 4.0};
    double f[3][6];
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

static vxe_result bracket_down(const solid_def *d, double *value, vxe_error *error)
{
    double aside = 0.0;
    return solid_bracket(d, value, &aside, error);
}

static vxe_result study_bracket(validation *v, vxe_error *error)
{
    static const ladder l = {"refine.bracket",           "arm of an L", "mm", bracket_down, {1, 3, 5}, 3,
                             {0.50035, 0.49454, 0.48663}};
    return climb(v, &l, error);
}

static vxe_result study_hole(validation *v, vxe_error *error)
{
    static const ladder l = {"refine.hole",
                             "force on a plate with a hole",
                             "N",
                             solid_hole,
                             {1, 3, 5},
                             3,
                             {0.13143, 0.13243, 0.1349}};
    return climb(v, &l, error);
}

static vxe_result tube_one(const solid_def *d, double *value, vxe_error *error)
{
    double mean = 0.0;
    return solid_tube(d, 1, value, &mean, error);
}

static vxe_result study_tube(validation *v, vxe_error *error)
{
    static const ladder l = {"refine.tube",
                             "torque of a tube, wall 1 mm",
                             "N mm",
                             tube_one,
                             {1, 2, 4},
                             3,
                             {0.05879, 0.04534, 0.04074}};
    return climb(v, &l, error);
}

static vxe_result strip_one(const solid_def *d, double *value, vxe_error *error)
{
    return solid_strip(d, 1, value, error);
}

static vxe_result study_strip(validation *v, vxe_error *error)
{
    static const ladder l = {
        "refine.strip",           "end of a strip 1 mm thick", "mm", strip_one, {1, 2, 4}, 3,
        {0.40059, 0.3883, 0.3727}};
    return climb(v, &l, error);
}

const val_study val_studies[] = {
    {"cantilever", study_cantilever},
    {"torsion", study_torsion},
    {"shear", study_shear},
    {"compression", study_compression},
    {"two", study_two},
    {"bending", study_bending},
    {"free", study_free},
    {"rod-modes", study_rod_modes},
    {"bracket", study_bracket},
    {"hole", study_hole},
    {"tube", study_tube},
    {"strip", study_strip},
};
const int val_study_count = sizeof val_studies / sizeof val_studies[0];
