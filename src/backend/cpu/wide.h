/* The wide backends: the same kernels over several voxels at once. Each instruction set has its own
 * translation unit that includes wide_loops.h; blocks of the lattice are described once per simulation.
 * Results have the same bits as the plain backend's. */
#ifndef BACKEND_CPU_WIDE_H
#define BACKEND_CPU_WIDE_H

#include "sim/sim.h"

#define LANES_MAX 8

/* The links along one axis that start in a block of consecutive voxels. */
typedef struct wide_block {
    int32_t far;    /* WIDE_NONE: there are none; WIDE_GATHER: far ends anywhere; else lane i's is far + i */
    uint32_t lanes; /* bit i: lane i has one */
    int32_t constants; /* which pattern of classes, in wide_plan.constants */
} wide_block;

#define WIDE_NONE (-1)
#define WIDE_GATHER (-2)

/* Constants of a pattern of classes, lane by lane: WIDE_CONSTANTS groups of `lanes` numbers. */
enum {
    WIDE_KA,
    WIDE_KS,
    WIDE_NEAR_WEIGHT,
    WIDE_FAR_WEIGHT,
    WIDE_CS,
    WIDE_C,
    WIDE_KT,
    WIDE_AXIAL,
    WIDE_SHEAR,
    WIDE_BENDING,
    WIDE_TORSION,
    WIDE_CONSTANTS
};

typedef struct wide_plan {
    int32_t lanes;
    int32_t block_count;
    wide_block *links[3];
    uint8_t *uniform; /* 1: all voxels of the block are of one material and none is held, (block_count) */
    int32_t pattern_count;
    uint32_t *patterns; /* class + 1 per lane, 0: none, (pattern_count x lanes) */
    double *constants;  /* (pattern_count x WIDE_CONSTANTS x lanes), zero in lanes without a link */
} wide_plan;

/* Makes and frees sim->plan for a number of lanes. */
vxe_result vxe_wide_plan_create(vxe_sim *sim, int32_t lanes, vxe_error *error);
void vxe_wide_plan_destroy(vxe_sim *sim);
/* Fills the constants again after the tables of the simulation changed. */
void vxe_wide_plan_refresh(vxe_sim *sim);

/* plain_double.c: parts that are the same, and single voxels */
void vxe_plain_clear_loads(vxe_sim *sim);
void vxe_plain_integrate_range(vxe_sim *sim, double dt, int32_t begin, int32_t end);
void vxe_plain_integrate_finish(vxe_sim *sim, double dt);

extern const sim_backend vxe_backend_plain_double;
extern const sim_backend vxe_backend_plain_single;
extern const sim_backend vxe_backend_wide_portable; /* 2 lanes: SSE2, NEON */
#ifdef __x86_64__
extern const sim_backend vxe_backend_wide_avx2;   /* 4 lanes */
extern const sim_backend vxe_backend_wide_avx512; /* 8 lanes */
#endif

#endif
