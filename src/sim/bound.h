/* Bounds of the highest frequency and of the strongest damping: see bound.c. */
#ifndef SIM_BOUND_H
#define SIM_BOUND_H

#include "kernel/link.h"
#include "sim/sim.h"

/* Voxels: from here on a residual of 3 % is small enough, below 1 %, and links are not kept. */
#define BOUND_LARGE 20000

/* A link during an evaluation: N/m, its tension over its length. */
typedef struct bound_link {
    link_chord chord;
    double tension;
} bound_link;

/* Which operator. */
typedef enum bound_kind { BOUND_STIFFNESS, BOUND_DAMPING } bound_kind;

/* Voxels of rigid parts count as free ones, which give way more: so the bound stays one. */
static inline uint8_t vxe_bound_fixed(const vxe_model *m, int32_t v)
{
    return vxe_is_rigid(m, v) ? 0 : m->fixed[v];
}

/* Stiffness of a voxel's links over its mass, 1/s^2: where the highest frequency is to be expected. */
static inline double vxe_bound_ratio(const vxe_sim *sim, int32_t v, const double *link_sum)
{
    return sim->material[v] != 0 ? link_sum[v] / sim->model->materials[sim->material[v]].mass : 0.0;
}

/* Looks at positions, sizes and pressures: what follows is about the scene as it is then. */
void vxe_bound_look(vxe_sim *sim);
/* N/m: sums the rates (link_rate()) of each voxel's links; (voxel_count). */
void vxe_bound_survey(vxe_sim *sim, double *link_sum);
/* 1/s^2 or 1/s: upper bound of the largest eigenvalue of M^-1 A, A the stiffness or the damping matrix.
 * `ratio_max`: the largest of vxe_bound_ratio(). Below `enough` nobody needs it exactly, and it may be larger
 * than it must; 0: always. Above `more` neither: once the eigenvalue itself is known to be larger, `more` is
 * the answer; INFINITY: never. */
double vxe_bound_of(vxe_sim *sim, bound_kind kind, const double *link_sum, double ratio_max, double enough,
                    double more);

#endif
