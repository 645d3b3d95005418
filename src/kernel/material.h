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
        const double run = count > 1 ? curve_strain[i + 1] - curve_strain[i] : 0.0;
        if (count > 1 && run <= 0.0 && i + 2 >= count) break; /* it ends upright: elastic from here on */
        const double slope = run > 0.0 ? (curve_stress[i + 1] - curve_stress[i]) / run : 0.0;
        const double here = at + x;
        const double limit = curve_stress[i] + slope * (here - curve_strain[i]);
        const double excess = size - youngs * x - limit;
        if (excess <= 0.0) break;
        const double step = excess / (youngs + slope);
        if (i + 2 >= count || here + step <= curve_strain[i + 1]) {
            x += step;
            break;
        }
        x = curve_strain[i + 1] - at;
    }
    if (x <= 0.0) return false;
    state->strain += trial < 0.0 ? -x : x;
    state->accumulated += x;
    return true;
}

#endif
