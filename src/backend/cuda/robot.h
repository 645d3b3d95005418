/* A body in the memory of a device: what the kernels read and write of it. The same for one that a block of
 * threads steps alone and one that takes a whole grid. Included after VXE_REAL was chosen; a translation unit
 * has one precision. */
#ifndef BACKEND_CUDA_ROBOT_H
#define BACKEND_CUDA_ROBOT_H

#include "backend/cuda/control.h"
#include "backend/cuda/exact.h"
#include "kernel/voxel.h"

#include <stddef.h>

/* Rows of tables are read by fours. */
#ifdef __cplusplus
#define ROBOT_ROW alignas(16)
#else
#define ROBOT_ROW _Alignas(16)
#endif

/* A class of links. */
typedef struct link_row {
    ROBOT_ROW real ka;                   /* N/m */
    real cs, twice_bend, twice_twist;    /* link_stiffness */
    real near_area, far_area;            /* m^2: pitch^2 times the weight */
    real near_weight, far_weight;        /* of the strain */
    real axial, shear, bending, torsion; /* link_damping_rates */
    real brake[2][4];              /* link_brake, for half of the step and for all of it: axial, shear, */
    real brake_far;                /* bending, excess; and far, which is the same for both */
    real rate, rate_across;        /* of link_rate() */
    double damp_axial, damp_shear; /* what brakes are made of: see kernel/brake.h */
    double damp_bending, damp_torsion;
    double near_mass, far_mass;
} link_row;

/* What a material's voxels make of a step: it changes with the step's length only. */
typedef struct step_row {
    real keep, keep_turn;         /* voxel_keep() of ground damping, of velocities and spins */
    real half, half_turn;         /* voxel_keep_half() */
    real kick_mass, kick_inertia; /* s/kg, s/(kg m^2) */
    real load_mass, load_inertia; /* kg/s, kg m^2/s: from velocities to loads */
    real length;                  /* s */
    floor_step floor;             /* of a voxel that is free */
} step_row;

/* A material. */
typedef struct voxel_row {
    ROBOT_ROW voxel_constants constants;
    step_row step;
    real turning_rate; /* 1/s: ground damping of spins */
    rvec weight;       /* N */
    real mass, inertia;
    double exact_mass, exact_inertia, exact_turning_rate;
    exact_voxel_constants exact;
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

/* What a body is, as bits. */
enum {
    IS_SOLID = 1,
    IS_IMPLICIT = 2, /* damping */
    IS_ACTUATED = 4,
    IS_ON_FLOOR = 8,
    IS_ON_DISC = 16,     /* a floor with an edge, or in which some voxel began */
    IS_HELD = 32,        /* some voxels, by regions */
    IS_FIXED = 64,       /* some degrees of freedom */
    IS_SHARING = 128,    /* pressures */
    IS_PAIRED = 256,     /* voxels may touch each other */
    IS_UNBALANCED = 512, /* environment.links_unbalanced */
    IS_DAMPED = 1024     /* voxels that may touch each other, by ground damping */
};
/* Bodies that are nothing but this have kernels of their own. */
#define IS_PLAIN (IS_SOLID | IS_IMPLICIT | IS_ACTUATED | IS_ON_FLOOR)

/* A link in a pass of damping: near and far end in ten bits each, then its class + 1; 0: none. */
typedef uint32_t damped_link;
#define DAMPED_LINK(near, far, kind) ((uint32_t)(near) | (uint32_t)(far) << 10 | (uint32_t)(kind) << 20)

/* contact_state of sim/collide.h. */
typedef struct touch_state {
    double stick[3];
    double rest, energy;
    double force[3];
    int32_t stuck, touching;
    double since;
} touch_state;

/* Two voxels that touch: their numbers, the smaller one in the upper half. */
typedef struct touch {
    uint32_t key;
    uint32_t unused;
    touch_state state;
} touch;

/* pair_constants. */
typedef struct touch_constants {
    double stiffness, damping, still, sliding;
} touch_constants;

/* contact_body of a voxel; `level`: of its last contact, -1: it has none. */
typedef struct touch_body {
    double before[6], now[6], floor[3], impulse[6];
    double inverse_mass, inverse_inertia; /* of which ground damping leaves a part */
    int32_t level;
    int32_t changes, floor_seen; /* body_watch */
    int32_t unused;
} touch_body;

/* contact_row; `met`: its depth half a step ago. */
typedef struct touch_row {
    int32_t first, second;
    int32_t level;
    int32_t seen[2]; /* body_watch.changes when it was solved last */
    double reach, distance;
    exact_pair_place place;
    exact_pair_yield yield;
    exact_pair_start start;
    exact_pair_force force;
    exact_contact_spring spring;
    exact_contact_grip grip;
} touch_row;

/* Of a body that takes a grid: contacts while they are solved, as many as a warp has lanes, side by side. The
 * rest of them are the numbers of touch_row. */
enum { PACK_LANES = 32, TOUCH_WORDS = (sizeof(touch_row) - offsetof(touch_row, reach)) / 8 };
typedef struct touch_pack {
    uint64_t word[TOUCH_WORDS][PACK_LANES];
    int32_t pair[PACK_LANES]; /* on the list; -1: none */
    int32_t first[PACK_LANES], second[PACK_LANES];
    int32_t level[PACK_LANES];
    int32_t seen[2][PACK_LANES];
    int32_t before[2][PACK_LANES]; /* place of the contact before it with the same voxel; -1: none */
    uint32_t with[2][PACK_LANES];  /* in a pack by itself: lanes that have its first voxel, its second one */
    int32_t
        owns[PACK_LANES]; /* bits: the first voxel, the second are its to look after; and near the floor */
    uint32_t due;         /* in a pack by itself: lanes that are to be solved again */
} touch_pack;

/* A contact, while the list is made again. */
typedef struct touch_kept {
    int32_t first, second;
    touch_state state;
} touch_kept;

/* A voxel that can touch, in the order of cells. */
typedef struct cell_item {
    double at[3]; /* m */
    int32_t candidate, voxel;
} cell_item;

/* Contacts that depend on each other, an island, have 1, 2, 4, ... or 32 places next to each other in a pack;
 * larger ones have packs of their own. */
enum { ISLAND_CLASSES = 6, ISLAND_MOST = 1024 };
/* Pairs of a candidate that are found once; if it has more, they are looked for again. */
enum { HITS_MOST = 16 };

/* What a whole grid counts and decides. */
typedef struct crowd {
    uint64_t arrived; /* blocks, at barriers */
    int32_t rows;     /* contacts */
    int32_t idle;     /* of voxels that cannot part */
    int32_t classes[ISLAND_CLASSES];
    int32_t big_count, big_packs;
    int32_t too_big; /* 1: an island is */
    int32_t kept;
    int64_t spread[7]; /* squares of ways, ways and what is opposite to them: see grid_order() */
    int64_t furthest;
    int64_t most[PAIR_ROUNDS + 1]; /* N: largest forces before each round */
    int32_t due[PAIR_ROUNDS +
                1]; /* packs and large islands that rounds have something to do in, but for the first */
} crowd;

typedef struct robot {
    int32_t voxels, classes, materials; /* materials are numbered from 1 */
    int32_t is;
    int32_t actuated; /* how: see above */
    int32_t unused;   /* no gaps */
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
    /* of a body that a block steps: links by colours, which are 2 axis + parity; so many places for each */
    const damped_link *damped;
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
    /* what tells which pairs of voxels may touch: see sim/collide_list.c */
    const uint32_t *exclusion; /* 0: it touches none */
    const int16_t *cell[3];
    const uint8_t *offset_bit;
    const touch_constants *touch_constants; /* of every two materials */
    link_row *links;
    voxel_row *rows;
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
    double *floor_rest;                /* disc */
    int32_t *pair_first, *pair_second; /* pairs that may touch */
    double *pair_due;                  /* m */
    double *anchor[3];                 /* m: where voxels were when they were listed */
    touch *touches[2];                 /* what touches: the first of these travels */
    uint32_t *noted;
    touch_body *bodies;
    touch_row *touch_rows;
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
    /* where it is in parts: velocities and spins after the kick and on their way through damping, and the
     * floor's guess */
    real *passing[2][6];
    real *guess[3];
    double *share_source, *share_past;
    /* likewise, where voxels may touch: pairs have states of their own; anchors are those of candidates */
    crowd *crowd;
    const int32_t *candidates;
    int32_t candidate_count;
    int32_t cells[3]; /* of the grid that finds pairs, powers of two */
    touch_state *pair_state;
    int32_t *parent;                           /* of a voxel with contacts, in its island; -1: it has none */
    int32_t *island_size, *island_at;          /* of the first voxel of an island: contacts, place */
    int32_t *row_pair, *row_island, *row_rank; /* contacts as they were found */
    int32_t *slot_pair, *slot_sorted;          /* places in packs */
    touch_pack *packs;
    int32_t *group_due[2];      /* numbers of packs and large islands that have contacts to be solved again */
    int32_t *big_at, *big_size; /* large islands: first pack, contacts */
    int32_t *cell_begin, *cell_of, *cell_rank, *pair_begin, *sums;
    int32_t *hits; /* the first pairs of each candidate, while they are counted */
    cell_item *items;
    touch_kept *kept;
} robot;

#endif
