/* Which voxels can touch. The collider keeps a list of pairs that are not linked (nor neighbours of
 * neighbours) and closer than the horizon, and makes it again before any other pair could touch. In:
 * positions, sizes, links. Out: the list, in order of (first, second), for the contact stage. */
#ifndef SIM_COLLIDE_H
#define SIM_COLLIDE_H

#include "sim/sim.h"

/* Pairs per candidate voxel that the list has room for. Memory that is not used is not touched. */
#define PAIRS_PER_VOXEL 24

/* What a pair remembers. */
typedef struct contact_state {
    double stick[3]; /* m: extension of the sticking spring */
    int32_t stuck;   /* 1: held by static friction */
    int32_t touching;
} contact_state;

typedef struct pair_list {
    int32_t *first;
    int32_t *second; /* > first */
    contact_state *state;
    double *due; /* m: how far things must have come (collider.way) before they can touch */
    int64_t count;
} pair_list;

/* Counters since the start, for comparison of schemes. */
typedef struct collider {
    vxe_collisions scheme;
    int32_t candidate_count;
    int32_t *candidates; /* voxels that can touch: with a free face, or all; increasing */
    int32_t
        *previous[3]; /* the neighbour towards smaller coordinates, or -1; the mirror of the model's next */
    int64_t capacity;
    pair_list list;
    pair_list spare; /* the other buffer */

    double horizon;    /* m: pairs closer than this when the list was made are on it */
    double travelled;  /* m: no voxel has moved further than this since */
    double way;        /* m: no two surfaces have come closer by more than this since */
    double largest;    /* m: no voxel is larger now */
    double rounding;   /* m: what rounding can add to that in a step */
    double *anchor[3]; /* m: positions when the list was made, (candidate_count) */
    int32_t stale;     /* 1: the list must be made again whatever the motion */
    int64_t tests;     /* pair distances computed by list making */
    int64_t rebuilds;

    /* the grid: candidates sorted by bucket */
    size_t bucket_count; /* a power of two */
    int32_t *bucket_begin;
    int32_t *bucket_item;
    int32_t *bucket_of;
    int64_t *grid_cell[3]; /* cell coordinates of a candidate */
} collider;

vxe_result vxe_collider_create(vxe_sim *sim, vxe_error *error);
void vxe_collider_destroy(vxe_sim *sim);
void vxe_collider_reset(vxe_sim *sim);

/* Before contacts of a step: makes the list again if a pair that is not on it could touch now. */
void vxe_collide(vxe_sim *sim);
/* After links broke: other voxels are at the surface, and neighbours may collide. */
void vxe_collider_links_changed(vxe_sim *sim);
/* Whether two voxels are within three links of each other: such pairs never collide. */
bool vxe_collider_excluded(const vxe_sim *sim, int32_t first, int32_t second);

#endif
