/* Newton's method for the balance of forces, at one part of the way from where a body is to where its loads
 * and supports take it.
 *
 * At part s the sizes and the held voxels are s of the way, and what was out of balance at the start is still
 * carried by (1 - s) of itself: from an unloaded start that is s times the loads, and it works from any pose.
 */
#ifndef SOLVE_NEWTON_H
#define SOLVE_NEWTON_H

#include "solve/equations.h"
#include "solve/supports.h"
#include "solve/warp.h"

/* How an attempt ended. */
typedef enum newton_end {
    NEWTON_DONE,
    NEWTON_SLOW,  /* more iterations than allowed */
    NEWTON_STUCK, /* no step leads downhill */
    NEWTON_WILD,  /* links were crushed or torn */
    NEWTON_BLIND, /* the matrix is not positive, and iteration has been too rough to tell since when */
    NEWTON_NO_MEMORY
} newton_end;

typedef struct newton {
    const lattice *l;
    equations *q;
    warp *w;
    bool floor;       /* the floor's springs act */
    bool grip;        /* voxels on it do not slide */
    double tolerance; /* of the last change, relative to the largest displacement */
    int32_t iterations_max;
    support_path path;
    pose now;
    pose trial;
    uint8_t *stuck;      /* vxe_dof bits that friction holds, (voxels) */
    double *growth_from; /* sizes at part 0, (voxels) */
    double *offset;      /* what was out of balance at part 0, (6 voxels) */
    double *load;        /* N and N m: from outside in the pose `now`, (6 voxels) */
    double *residual;    /* N and N m, (6 voxels) */
    double *gradient;    /* likewise */
    double *step;        /* likewise: m and rad */
    double *spare;
    double *b; /* (unknowns) */
    double *x;
    double *probe[2]; /* likewise; iterative only */
    bool careful;     /* iterative: see vxe_newton_solve() */
    bool skew;        /* torques or other loads act that have no energy: see torque.h */
    double part;      /* of `now` */
    double shift;     /* that the last matrix needed to be positive, 1/s^2; 0: none */
    double change;    /* last, relative */
    double imbalance; /* unbalanced force over the largest sum of forces on a voxel */
    lattice_measures measures;
    int32_t iterations; /* in all */
} newton;

vxe_result vxe_newton_create(newton *n, const lattice *l, equations *q, vxe_error *error);
void vxe_newton_destroy(newton *n);
/* Makes the present pose the start of a way: part 0. */
vxe_result vxe_newton_begin(newton *n, vxe_error *error);
/* Back to a pose on the way that was found before. */
void vxe_newton_place(newton *n, const pose *p, double part);
/* Goes from n->part to `part`. What is left in n->now after a failure is not an equilibrium.
 *
 * A factor tells whether the matrix is positive, so a body on its way to an unstable equilibrium gets there.
 * Conjugate gradients find out only when they meet a negative direction, and their error leads away along it.
 * So where iteration meets one it gives up (NEWTON_BLIND) unless it is `careful`: then it examines every
 * matrix and solves to the last digits. */
newton_end vxe_newton_solve(newton *n, double part);
/* Whether the equilibrium that was found at part 1 is stable; if not, n->step is the direction in which it is
 * weakest. */
newton_end vxe_newton_is_stable(newton *n, bool *stable);
/* From an unstable equilibrium along n->step as far as energy falls. */
newton_end vxe_newton_leave(newton *n);
const char *vxe_newton_end_name(newton_end end);

#endif
