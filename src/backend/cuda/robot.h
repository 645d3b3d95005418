/* A body in the memory of a device: what the kernels read and write of it. The same for one that a block of
 * threads steps alone and one that takes a whole grid. Included after VXE_REAL was chosen; a translation unit
 * has one precision. */
#ifndef BACKEND_CUDA_ROBOT_H
#define BACKEND_CUDA_ROBOT_H

#include "backend/cuda/control.h"
#include "kernel/voxel.h"

/* A class of links. */
typedef struct link_row {
    real ka;                             /* N/m */
    real cs, twice_bend, twice_twist;    /* link_stiffness */
    real axial, shear, bending, torsion; /* link_damping_rates */
    real rate, rate_across;              /* of link_rate() */
    real near_area, far_area;            /* m^2: pitch^2 times the weight */
    real near_weight, far_weight;        /* of the strain */
    real brake[2][5];                    /* link_brake, for half of the step and for all of it */
    double damp_axial, damp_shear;       /* what brakes are made of: see kernel/brake.h */
    double damp_bending, damp_torsion;
    double near_mass, far_mass;
} link_row;

/* A material. */
typedef struct voxel_row {
    voxel_constants constants;
    real turning_rate; /* 1/s: ground damping of spins */
    real mass, inertia;
    rvec weight; /* N */
    double exact_mass, exact_inertia;
    double fall; /* 1/s^2: rates from here on mean that the bound may have fallen */
    double rise; /* and from here on that it has not risen */
} voxel_row;

/* A material and its signal: see sim/signals.c. */
typedef struct sine_row {
    int32_t driven;
    int32_t cool_only, contract_only;
    int32_t waveform;    /* 0 sine, 1 square, 2 ramp, 3 table */
    int32_t table_count; /* points of a table, */
    int32_t table_begin; /* which begin here in robot.points: times, then values */
    double table_period; /* s; 0 or less: it is not repeated */
    double base, reference, amplitude, period, phase;
    double start, begin; /* s: its rise, and when it begins */
    double expansion;
    double least, most; /* growth */
} sine_row;

/* How sizes follow from signals. */
enum {
    ACTUATED_BY_SINES = 1,    /* each voxel with a phase of its own: see growth_of_sines() */
    ACTUATED_BY_MATERIAL = 2, /* all voxels of a material alike */
    ACTUATED_EACH = 3         /* each by itself */
};

/* What a signal says at a moment. */
typedef struct sine_now {
    double along, across, expansion;
    double growth; /* by material */
} sine_now;

typedef struct robot {
    int32_t voxels, classes, materials; /* materials are numbered from 1 */
    int32_t solid, implicit, unbalanced, actuated, floor, disc, held, fixed;
    double pitch;
    double edge;      /* m: radius of the floor, if it is a disc */
    double middle[2]; /* m: of the disc */
    real small_pitch; /* the pitch as real */
    real inverse_pitch;
    real inverse_area;
    robot_control *control;
    const int32_t *next[3];     /* -1: no link */
    const int32_t *previous[3]; /* likewise */
    const uint16_t *kind[3];    /* class + 1, 0: none */
    const uint16_t *material;
    const uint8_t *fixed_of;
    const uint8_t *parity; /* bit a: of the place along axis a */
    const double *modulus; /* Pa; solid */
    const double *wave[3]; /* actuated: see vxe_model.waves, or .actuation */
    const double *points;  /* of all tables */
    const uint8_t *driven; /* actuated: its size follows its material's sine */
    /* pressure that voxels share: see sim/pressure.c */
    int32_t share_steps;
    double share_gain;
    const double *share_omega; /* of each step, (share_steps) */
    const uint8_t *share_half; /* 0, 1, or 2: it shares none */
    const double *share_scale;
    const int32_t *share_with[6]; /* other voxels, -1: no more */
    const double *share_weight[6];
    const double *target[3]; /* held: m */
    const uint8_t *held_of;  /* held: degrees of freedom that regions hold */
    /* pairs of voxels that may touch */
    int32_t pair_count;
    const int32_t *pair_first, *pair_second;
    double *pair_due; /* m */
    link_row *links;
    const voxel_row *rows;
    const sine_row *sines;
    sine_now *sines_now;
    /* the state; of what is double-buffered, [0] */
    double *position[3];
    real *orientation[4];
    real *velocity[3];
    real *spin[3];
    uint8_t *stuck;
    double *growth;
    double *pressure;
    double *floor_rest;   /* disc */
    double *held_load[6]; /* where something is fixed */
    /* of the last step that keeps them */
    real *force[3];
    real *moment[3];
    double *contact_force[3];
    double *held_velocity[6]; /* held: before the step */
    /* of the last step: rates of the last that measured them */
    double *rate;
    /* of a body that takes a grid of blocks: links that come in, and */
    const uint16_t *from[3]; /* class + 1 of the link that ends here */
    double *position2[3];    /* the state after the step, where that is taken at once; */
    real *orientation2[4];
    real *velocity2[3];
    real *spin2[3];
    real *kicked[6]; /* velocities before the step, and the floor's guess, where it is in parts */
    real *guess[3];
    double *share_source, *share_past;
} robot;

#endif
