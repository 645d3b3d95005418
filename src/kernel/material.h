/* The axial law of ONE link beyond linear: elastic up to the flow stress, then along the flow curve,
 * unloading with E. Hardening is isotropic: yielding in tension raises the limit in compression as much. */
#ifndef KERNEL_MATERIAL_H
#define KERNEL_MATERIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Plastic state of a link. */
typedef struct plastic_state {
    double strain;      /* plastic offset: stress = E (strain - offset) */
    double accumulated; /* sum of |changes| of the offset */
} plastic_state;

/* Brings the state to a new total strain; true if it yielded. The curve (model/flow.h) is straight between
 * points, so each piece is solved exactly: find the plastic step x >= 0 with |trial| - E x = flow
 * stress(accumulated + x). */
static inline bool plastic_update(plastic_state *state, double strain, double youngs,
                                  const double *curve_strain, const double *curve_stress, int32_t count)
{
    const double trial = youngs * (strain - state->strain);
    const double size = trial < 0.0 ? -trial : trial;
    const double at = state->accumulated;
    /* the piece of the curve that `at` lies on begins at point i */
    int32_t i = 0;
    while (i + 2 < count && curve_strain[i + 1] <= at) i++;
    double x = 0.0;
    for (;; i++) {
        const bool last = i + 2 >= count;
        const double run = count > 1 ? curve_strain[i + 1] - curve_strain[i] : 0.0;
        if (count > 1 && run <= 0.0) { /* upright: stress rises without flow, after the last point for ever */
            if (last || size - youngs * x <= curve_stress[i + 1]) break;
            continue;
        }
        const double slope = count > 1 ? (curve_stress[i + 1] - curve_stress[i]) / run : 0.0;
        const double excess = size - youngs * x - (curve_stress[i] + slope * (at + x - curve_strain[i]));
        if (excess <= 0.0) break;
        /* does it reach beyond the piece? By stress: a piece may be so steep that its strains hardly differ
         */
        const double end = last ? 0.0 : curve_strain[i + 1] - at;
        if (last || size - youngs * end <= curve_stress[i + 1]) {
            x += excess / (youngs + slope);
            break;
        }
        x = end;
    }
    if (x <= 0.0) return false;
    state->strain += trial < 0.0 ? -x : x;
    state->accumulated += x;
    return true;
}

#endif
