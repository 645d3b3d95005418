/* Contacts of voxels with ground and solids. In: positions, sizes, the model's world. Out: rows for the
 * contact stage (contact.c), which solves them together with pairs of voxels. The law is the floor's
 * (kernel/voxel.h) in the frame of the surface's normal. */
#ifndef SIM_GROUND_H
#define SIM_GROUND_H

#include "base/vec.h"
#include "sim/collide.h"

/* A voxel and a surface that it may touch in this step. */
typedef struct ground_row {
    int32_t voxel;
    int32_t body;              /* number of its copy: collide.h */
    uint32_t place;            /* of the surface: model/world.h */
    uint8_t stuck;             /* its latch, as in sim->stuck */
    uint8_t count;             /* how many rows its voxel has, in the first of them; else 0 */
    vec3 axes[3];              /* two along the surface, and its normal */
    double distance;           /* m: from the surface to the voxel's centre */
    double rest;               /* m: depth from which it counts */
    double depth;              /* m, less `rest` */
    double half;               /* m: half a step ago, likewise */
    double held;               /* J: what the spring held when the last step ended */
    vec3 before;               /* m/s: the voxel before the step */
    bool coupled;              /* it does not give way alike in all directions */
    double mobility;           /* 1/kg, along the normal */
    double across;             /* likewise, along the surface */
    double still, sliding;     /* coefficients of friction */
    double stiffness, damping; /* N/m, N s/m: as of the floor */
    vec3 force;                /* N, on the voxel */
    int32_t lifts;             /* how often it has let go in this step's rounds */
    double grip;               /* the part of friction that acts: 1, or less where that lifted it */
} ground_row;

typedef struct ground_contacts {
    double way;     /* m: no voxel has come closer to a surface by more than this; never measured */
    double largest; /* m: no centre touches a surface from further now */
    double *due;    /* m: what `way` must be before a voxel can touch, (voxel_count) */
    int32_t *near;  /* voxels that may touch before `way` is `near_until`, increasing */
    int32_t near_count;
    double near_until;
    ground_row *rows; /* of this step, by voxel */
    int32_t row_count;
    int32_t *touched; /* voxels that touched something in the last step, increasing */
    int32_t touched_count;
    int32_t stale; /* 1: voxels may be anywhere */
} ground_contacts;

vxe_result vxe_ground_create(vxe_sim *sim, vxe_error *error);
void vxe_ground_destroy(vxe_sim *sim);
/* Voxels stand where they are put: what rests on a surface is held by it from the first step on. */
void vxe_ground_reset(vxe_sim *sim);
/* Voxels may be anywhere, or others are at the surface. */
void vxe_ground_changed(vxe_sim *sim);

/* In the collide stage: rows of this step. `margin`: m, as of pairs; `growth`: the largest there is. */
void vxe_ground_find(vxe_sim *sim, double margin, double growth);
/* Before damping, when the copies of voxels are there: where rows begin. */
void vxe_ground_begin(vxe_sim *sim, const step_context *context);
/* Solves a row with what all others do now; returns the change of its force, N. `guess`: before damping; its
 * last round decides which latches give way. */
double vxe_ground_solve(vxe_sim *sim, const step_context *context, ground_row *row, bool guess);
/* What rows leave behind, and their part of the account. */
void vxe_ground_close(vxe_sim *sim, const step_context *context);

#endif
