/* Contacts of voxels with ground and solids. In: positions, sizes, the model's world. Out: what meets a
 * surface in this step, and its forces. The law is the floor's, in the frame of the surface's normal
 * (kernel/ground.h).
 *
 * A voxel that meets one surface, and nothing else, is solved once, and side by side with its neighbours in
 * memory: they are in packs (backend/cpu/ground_loops.h). Others are rows, which the contact stage
 * (contact.c) solves together with pairs of voxels. */
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

/* Voxels are taken in blocks of so many that lie side by side in memory. */
#define GROUND_BLOCK PACK_ROWS

/* The voxels of a block that are `used`, a bit each, at the surfaces that they may touch in this step. The
 * numbers are those of rows. */
typedef struct ground_pack {
    _Alignas(64) row_numbers normal[3];
    row_numbers side[3];
    row_numbers distance, rest, depth, half, held;
    row_numbers before[3]; /* m/s; where somebody looks at a place by itself */
    row_numbers still, sliding;
    row_numbers force[3];
    uint32_t place[GROUND_BLOCK];
    uint8_t stuck[GROUND_BLOCK];
    int32_t first; /* voxel of the block */
    uint8_t used;
    uint8_t solid; /* which of those are at other surfaces than the ground's: `still` and `sliding` are set */
} ground_pack;

/* What packs add to the account: numbers of ground_account; and, like the third only where somebody asks
 * (step_context.measure), what springs hold. */
typedef enum ground_term {
    GROUND_GAINED,
    GROUND_SWELLING,
    GROUND_SHIFT,
    GROUND_CONTACT,
    GROUND_TERMS
} ground_term;

/* What a material makes of contacts with ground, and what that depends on the step: voxel.h. */
typedef struct ground_kind {
    double inverse_mass, stiffness, still, sliding;
    double damp, damped, mobility, momentum;
} ground_kind;

/* The cells that voxels of a block were last found to be nearest to: world_cell, and where no solid is. Where
 * a voxel has not left its cell, and the ground is even enough, that is all there is to know. */
typedef struct ground_cells {
    _Alignas(64) row_numbers corner;
    row_numbers along_x, along_y, twist;
    row_numbers number[2];
    row_numbers bends, folds, level, low, high, end;
    row_numbers alone; /* m: what `way` must be before a solid can touch a voxel */
    uint32_t place[GROUND_BLOCK];
    uint64_t made; /* ground_contacts.begun when it was */
} ground_cells;

typedef struct ground_contacts {
    double way;     /* m: no voxel has come closer to a surface by more than this; never measured */
    double largest; /* m: no centre touches a surface from further now */
    double *due;    /* m: what `way` must be before a voxel can touch; for whole blocks */
    int32_t *near;  /* blocks with voxels that may touch before `way` is `near_until`, increasing */
    int32_t near_count;
    double near_until;
    ground_row *rows; /* of this step, by voxel */
    int32_t row_count;
    ground_pack *packs; /* likewise */
    int32_t pack_count;
    void *memory;                /* where packs and cells lie, at whole lines of the cache */
    ground_cells *cells;         /* (blocks) */
    double booked[GROUND_TERMS]; /* J; of all packs: by places in them, and then these */
    ground_kind *kinds;          /* of materials, (constant_count + 1), */
    double kick, step;           /* s: for such steps; 0: none */
    int32_t *touched;            /* blocks with voxels that touched something in the last step */
    int32_t touched_count;
    uint64_t *written; /* `turn` when a block was last written, (blocks) */
    uint8_t *several;  /* 1: a voxel of the block touched several surfaces, (blocks) */
    uint64_t turn;     /* grows in every step */
    uint64_t begun;    /* and where all is looked at again */
    int32_t stale;     /* 1: voxels may be anywhere */
} ground_contacts;

/* What is the same for all voxels that are looked at in a step. */
typedef struct ground_search {
    double half, margin, largest; /* m: half a pitch; as of pairs; no centre touches from further */
    double origin[3], side, per;  /* m, m, 1/m: of the ground's cells */
    double points[2];             /* of its grid */
    bool packs;                   /* nothing else makes voxels wait for others, or damps them */
    const uint64_t *paired;       /* a bit per voxel: another one touches it; NULL: none */
} ground_search;

vxe_result vxe_ground_create(vxe_sim *sim, vxe_error *error);
void vxe_ground_destroy(vxe_sim *sim);
/* Voxels stand where they are put: what rests on a surface is held by it from the first step on. */
void vxe_ground_reset(vxe_sim *sim);
/* Voxels may be anywhere, or others are at the surface. */
void vxe_ground_changed(vxe_sim *sim);

/* In the collide stage, when pairs are known: packs and rows of this step. `margin`: m, as of pairs;
 * `growth`: the largest there is. */
void vxe_ground_find(vxe_sim *sim, double margin, double growth);
/* Looks at a voxel by itself: a place in the pack of its block, or rows, or when it is due. */
void vxe_ground_look(vxe_sim *sim, const ground_search *search, ground_pack *pack, int32_t v);
/* Before damping: where rows begin, when the copies of voxels are there, */
void vxe_ground_begin(vxe_sim *sim, const step_context *context);
/* and what a place of a pack takes over from the step before, if it is another surface's or there are
 * several.
 */
void vxe_ground_inherit(const vxe_sim *sim, const step_context *context, ground_pack *pack, int place);
/* Solves a row with what all others do now; returns the change of its force, N. `guess`: before damping; its
 * last round decides which latches give way. */
double vxe_ground_solve(vxe_sim *sim, const step_context *context, ground_row *row, bool guess);
/* All packs: before damping, with a guess of their forces if something comes between; and after it. Returns
 * the largest force along a normal, N; `changed`: one has changed by more than `slight`, N. */
void vxe_ground_guess(vxe_sim *sim, const step_context *context, bool between);
double vxe_ground_settle(vxe_sim *sim, const step_context *context, double slight, bool *changed);
/* What is left behind, and its part of the account. */
void vxe_ground_close(vxe_sim *sim, const step_context *context);
/* After an edit of damping, constants of materials. */
void vxe_ground_refresh(vxe_sim *sim);

#endif
