/* Flow curves: see flow.h. */
#include "model/flow.h"

/* Plastic strain = total strain - stress/E along a material's own curve. */
static void flow_of_material(const vxe_material_def *def, flow_curve *curve)
{
    curve->count = 0;
    if (def->law == VXE_LAW_BILINEAR) {
        curve->strain[0] = 0.0;
        curve->stress[0] = def->yield_stress;
        curve->count = 1;
        if (def->plastic_modulus > 0.0) {
            /* a second point, one yield stress further up, carries the slope */
            curve->stress[1] = 2.0 * def->yield_stress;
            curve->strain[1] = def->yield_stress * (1.0 / def->plastic_modulus - 1.0 / def->youngs_modulus);
            curve->count = 2;
        }
    } else if (def->law == VXE_LAW_TABLE) {
        for (int32_t i = 1; i < def->table_count; i++) {
            double strain = def->table_strain[i] - def->table_stress[i] / def->youngs_modulus;
            if (i == 1 || strain < curve->strain[curve->count - 1])
                strain = i == 1 ? 0.0 : curve->strain[curve->count - 1];
            curve->strain[curve->count] = strain;
            curve->stress[curve->count] = def->table_stress[i];
            curve->count++;
        }
        /* a table of two points is a straight line: elastic for ever */
        if (def->table_count == 2) curve->count = 0;
    }
}

/* Slope of plastic strain over stress beyond the last point; negative: the stress cannot rise any more. */
static double last_compliance(const flow_curve *c)
{
    if (c->count == 0) return 0.0;
    if (c->count == 1) return -1.0;
    const double rise = c->stress[c->count - 1] - c->stress[c->count - 2];
    return rise > 0.0 ? (c->strain[c->count - 1] - c->strain[c->count - 2]) / rise : -1.0;
}

/* Plastic strain at a stress; where the curve is flat, at the beginning or the end of the flat piece. */
static double strain_at(const flow_curve *c, double stress, bool end)
{
    if (c->count == 0 || stress < c->stress[0]) return 0.0;
    double strain = c->strain[0];
    for (int32_t i = 1; i < c->count; i++) {
        if (c->stress[i] < stress) {
            strain = c->strain[i];
        } else if (c->stress[i] == stress) {
            if (c->stress[i - 1] < stress || end) strain = c->strain[i];
        } else {
            if (c->stress[i - 1] >= stress) return strain;
            const double part = (stress - c->stress[i - 1]) / (c->stress[i] - c->stress[i - 1]);
            return c->strain[i - 1] + part * (c->strain[i] - c->strain[i - 1]);
        }
    }
    const double beyond = stress - c->stress[c->count - 1];
    if (beyond > 0.0) strain = c->strain[c->count - 1] + beyond * last_compliance(c);
    return strain;
}

static void append_point(flow_curve *curve, double strain, double stress)
{
    if (curve->count > 0 && curve->strain[curve->count - 1] == strain &&
        curve->stress[curve->count - 1] == stress)
        return;
    curve->strain[curve->count] = strain;
    curve->stress[curve->count] = stress;
    curve->count++;
}

void vxe_flow_of_pair(const vxe_material_def *first, const vxe_material_def *second, flow_curve *curve)
{
    flow_curve a;
    flow_curve b;
    flow_of_material(first, &a);
    flow_of_material(second, &b);
    curve->count = 0;
    if (a.count == 0 && b.count == 0) return;
    const double slope_a = last_compliance(&a);
    const double slope_b = last_compliance(&b);
    /* walk both curves in order of stress; stop where one of them cannot carry more */
    double ceiling = -1.0;
    if (slope_a < 0.0 && a.count > 0) ceiling = a.stress[a.count - 1];
    if (slope_b < 0.0 && b.count > 0 && (ceiling < 0.0 || b.stress[b.count - 1] < ceiling))
        ceiling = b.stress[b.count - 1];
    int32_t i = 0;
    int32_t j = 0;
    double stress = 0.0;
    while (i < a.count || j < b.count) {
        if (j >= b.count || (i < a.count && a.stress[i] <= b.stress[j])) {
            stress = a.stress[i++];
        } else {
            stress = b.stress[j++];
        }
        if (ceiling >= 0.0 && stress > ceiling) break;
        if (curve->count > 0 && stress == curve->stress[curve->count - 1]) continue; /* both ends are there */
        append_point(curve, 0.5 * (strain_at(&a, stress, false) + strain_at(&b, stress, false)), stress);
        append_point(curve, 0.5 * (strain_at(&a, stress, true) + strain_at(&b, stress, true)), stress);
    }
    if (ceiling >= 0.0) {
        /* flat from here on: a last piece of zero slope */
        append_point(curve, curve->strain[curve->count - 1] + 1.0, curve->stress[curve->count - 1]);
    } else {
        const double compliance = 0.5 * (slope_a + slope_b);
        const double rise = curve->stress[0];
        append_point(curve, curve->strain[curve->count - 1] + rise * compliance,
                     curve->stress[curve->count - 1] + rise);
    }
}
