/* Rigid parts: connected voxels of rigid materials, which move as one body of six degrees of freedom.
 *
 * For the loops their voxels are held, and move as their part says; what loads them, damps them or touches
 * them is summed up and moves the part. Nothing is kept beside the voxels' own state: where a part is and how
 * it moves follows from them at the beginning of each step. */
#ifndef SIM_RIGID_H
#define SIM_RIGID_H

#include "kernel/rigid.h"
#include "sim/sim.h"

/* A degree of freedom of a part that regions have taken, by that of one of its voxels. */
typedef struct rigid_hold {
    int32_t slot, dof; /* which voxel of model->rigid_voxel (-1: a lock), and which of its freedoms */
    double row[6];     /* what of the part's motion it is */
    double taken[6];   /* the motion that a unit of impulse along it causes, less what other holds take, */
    double scale;      /* per root of its energy */
} rigid_hold;

typedef struct rigid_part {
    double mass;           /* kg */
    mat3 inertia, inverse; /* kg m^2 about the centre of mass, and 1/(kg m^2); in the part's own frame */
    vec3 locks[3];         /* directions in space that it cannot turn about, beside those that are held */
    int32_t lock_count;
    /* of the step */
    vec3 center;
    quat turn;
    mat3 inertia_now, inverse_now; /* in space */
    double mobility[6][6];         /* what an impulse and its moment about the centre change `now` by */
    double keep, keep_turn;        /* of 1: what ground damping leaves of velocity and spin */
    double before[6];              /* m/s and rad/s: before the step */
    double now[6];                 /* as far as it has come */
    rigid_hold holds[6];           /* what regions hold of it */
    int32_t hold_count;
} rigid_part;

typedef struct rigid_joint {
    int32_t axis, near, far; /* a link with one rigid end */
} rigid_joint;

typedef struct rigid_parts {
    rigid_part *parts;   /* (model's rigid_count) */
    vec3 *arms;          /* m: from the centre to each voxel of model->rigid_voxel, in the part's own frame */
    vec3 *arms_now;      /* the same in space */
    int32_t *slot;       /* place of a voxel in rigid_voxel, (voxel_count) */
    int32_t *support;    /* place of each voxel of rigid_voxel in model->held_voxel, or -1 */
    rigid_joint *joints; /* (joint_count) */
    int32_t joint_count;
} rigid_parts;

vxe_result vxe_rigid_create(vxe_sim *sim, vxe_error *error);
void vxe_rigid_destroy(vxe_sim *sim);

/* Stages: where parts are and how they move; what loads do to them; damping of their joints; the end of what
 * changes their velocities, and its part of the account; their new poses. */
sim_stage vxe_rigid_begin, vxe_rigid_kick, vxe_rigid_damp, vxe_rigid_settle, vxe_rigid_place;

/* A link or bond between two voxels, at least one of them of a part, takes its share of their relative
 * motion; and voxels of parts learn of it. */
void vxe_rigid_brake(vxe_sim *sim, const step_context *context, int32_t near, int32_t far,
                     const brake_table *table);
void vxe_rigid_spread(vxe_sim *sim);

/* Velocity and spin of a voxel of a part, now. */
void vxe_rigid_velocity(const vxe_sim *sim, int32_t voxel, double velocity[6]);
/* The same as ground damping will leave them; */
void vxe_rigid_ahead(const vxe_sim *sim, int32_t voxel, double velocity[6]);
/* and what an impulse at a voxel's centre, N s, and a moment change them by. */
void vxe_rigid_response(const vxe_sim *sim, int32_t voxel, vec3 impulse, vec3 moment, double change[6]);
/* They act. */
void vxe_rigid_push(const vxe_sim *sim, int32_t voxel, vec3 impulse, vec3 moment);

#endif
