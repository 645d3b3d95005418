/* Disjoint sets (union-find): each member points towards the root of its set, which points to itself. */
#ifndef BASE_ROOTS_H
#define BASE_ROOTS_H

#include <stdint.h>

/* The root of the set that a member is in; ways to it get shorter. */
static inline int32_t vxe_root(int32_t *parent, int32_t member)
{
    while (parent[member] != member) {
        parent[member] = parent[parent[member]];
        member = parent[member];
    }
    return member;
}

#endif
