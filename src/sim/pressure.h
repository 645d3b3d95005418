/* The pressure of `solid`. */
#ifndef SIM_PRESSURE_H
#define SIM_PRESSURE_H

#include "sim/sim.h"

/* Voxels that share pressure fall into two halves, like the fields of a chess board: neighbours of one half
 * are in the other. Each half is a matrix whose rows are its voxels in the lattice's order and whose columns
 * are voxels of the other half. Rows are taken in blocks, and blocks in runs. In a run a slot is a distance,
 * in the other half's numbers, at which some of its rows have a neighbour: so vectors of rows can be computed
 * at once. A row without that neighbour has a coefficient of 0 there, and what is read may lie up to
 * SHARING_PAD numbers before or behind the array. */
#define SHARING_BLOCK 8
#define SHARING_BLOCKS 8 /* in a run, at most */
#define SHARING_SLOTS 48 /* in a run, at most: six for each row of a block */
#define SHARING_PAD 64
#define SHARING_STEPS_MAX 64

typedef struct share_run {
    int32_t begin, end;  /* rows, in whole blocks */
    int32_t slots;       /* an even number */
    int32_t offset;      /* where the distances of its slots begin */
    int64_t coefficient; /* where its coefficients begin: block by block, slot by slot */
} share_run;

typedef struct share_half {
    int32_t count;
    int32_t run_count;
    int32_t slot_count;        /* of all runs */
    int64_t coefficient_count; /* likewise */
    int32_t *voxel;            /* (count) */
    share_run *runs;
    int32_t *offset;     /* distances of all runs' slots */
    double *coefficient; /* weight of the share times `scale` */
    /* what follows has SHARING_PAD numbers before and behind */
    double *scale;        /* Pa: 1/diagonal */
    double *source;       /* Pa: scale times volume strain */
    double *pressure[3];  /* Pa: steps of the solution */
    const double *result; /* Pa: one of these, or the source */
} share_half;

typedef struct pressure_sharing {
    share_half half[2];
    int32_t *place; /* of the model's sharing voxels: twice their number in a half, + 1 in the second */
    double *memory; /* of all arrays */
    double *zero;
    int32_t steps; /* 0: nobody shares any more */
    double gain, radius;
} pressure_sharing;

/* Makes and frees sim->sharing. */
vxe_result vxe_pressure_create(vxe_sim *sim, vxe_error *error);
void vxe_pressure_destroy(vxe_sim *sim);

/* After a start, a resume or broken links: what sharing needs, and moduli. */
void vxe_pressure_prepare(vxe_sim *sim);

/* Pressures, Pa, from volume strains (half the sum of the strains of a voxel's faces); two arrays of
 * voxel_count. */
void vxe_pressure_from_volume(vxe_sim *sim, const double *volume, double *pressure);

/* The stage: pressures of the state from the volume strains in sim->volume, and their energy. */
sim_stage vxe_pressure_update;

/* Adds what loads on free faces do to the volume strains of their voxels at a time. */
void vxe_pressure_add_loads(const vxe_sim *sim, double time, double *volume);

#endif
