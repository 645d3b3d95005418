/* Bounds of the highest frequency and of the strongest damping: see bound.c. */
#ifndef SIM_BOUND_H
#define SIM_BOUND_H

#include "kernel/link.h"
#include "sim/sim.h"

/* Voxels: from here on a residual of 3 % is small enough, below 1 %, and links are not kept. */
#define BOUND_LARGE 20000

#ifndef VXE_LANES
/* A link during an evaluation: N/m, its tension over its length. */
typedef struct bound_link {
    link_chord chord;
    double tension;
} bound_link;
#endif

/* Which operator. */
typedef enum bound_kind { BOUND_STIFFNESS, BOUND_DAMPING } bound_kind;

/* Links that a vector of the process is applied to at once, in the order of the voxels they start at, and
 * what they do to their ends. */
#define BOUND_BATCH 8
typedef double bound_numbers[BOUND_BATCH];
typedef struct bound_batch {
    bound_numbers e[3], inverse; /* link_chord */
    bound_numbers tension, pull; /* N/m: tension over length; N: of the pressure */
    bound_numbers rates[4];      /* link_damping_rates */
    bound_numbers apart[3], near_turn[3], far_turn[3];
    bound_numbers force[3], near_moment[3], far_moment[3]; /* link_load */
    int32_t near[BOUND_BATCH], far[BOUND_BATCH];
    int count;
} bound_batch;

/* How the ends of a link move: apart, and how both turn. */
typedef struct bound_ends {
    rvec apart, near_turn, far_turn;
} bound_ends;

/* What a link does to its ends, as minus the operator of link_damping(): with its stiffness, or with its
 * damping. N: `pull` of the pressure; N/m: `tension` over its length. */
static inline link_load bound_operate(link_chord chord, bound_ends ends, link_damping_rates rates, real pull,
                                      real tension, const bool stiffness)
{
    link_parts parts = link_damping_parts(chord, ends.apart, ends.near_turn, ends.far_turn, rates);
    parts.pull = parts.pull + pull;
    link_load load = link_load_of(chord, parts);
    if (stiffness) {
        const rvec aside = rvec_sub(ends.apart, rvec_scale(rvec_dot(ends.apart, chord.e), chord.e));
        load.force = rvec_sub(load.force, rvec_scale(tension, aside));
    }
    return load;
}

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
