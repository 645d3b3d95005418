/* Contacts that depend on each other, for threads: pairs that share voxels, directly or through others, are
 * an island. Islands are solved by one thread each, pair by pair in the order of the list, so that the result
 * is that of one thread for all. */
#ifndef SIM_ISLANDS_H
#define SIM_ISLANDS_H

#include "sim/collide.h"

/* Rows and bodies of the contacts of a step, thread by thread. */
typedef struct contact_islands {
    int32_t parts;                     /* 1: all belong to one thread */
    const int32_t *rows, *bodies;      /* numbers: rows by level, bodies in order within each thread */
    const int32_t *row_end, *body_end; /* of the threads' lists, if there are several */
} contact_islands;

/* From the rows and bodies of the collider. They lie in arrays of the grid, until a list of pairs is made. */
contact_islands vxe_islands_find(vxe_sim *sim);
/* The same again, in the same step. */
contact_islands vxe_islands_found(const vxe_sim *sim);

/* Rows, or bodies, of a part. */
typedef struct island_share {
    const int32_t *numbers; /* of bodies: NULL: all */
    int32_t count;
    int64_t first_pack; /* of rows */
} island_share;
island_share vxe_islands_rows(const vxe_sim *sim, const contact_islands *islands, const part_range *part);
island_share vxe_islands_bodies(const vxe_sim *sim, const contact_islands *islands, const part_range *part);

#endif
