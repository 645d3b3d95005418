/* Sums of many numbers, in one order for every machine.
 *
 * The numbers x[0], x[1], ... are the leaves of a binary tree: node i of level 0 is x[i], or 0 where there is
 * no such number, and node i of level k is the sum of the nodes 2i and 2i + 1 of the level below. The sum is
 * the node that covers them all, plus 0 (so that it is never -0). What is summed, and in which order, is said
 * where it is; mostly it is one number per voxel, in the order of the lattice.
 *
 * So any aligned run of 2^k numbers can be summed by itself: in a vector, by adding lanes i and i xor 1, then
 * i and i xor 2, and so on; on a GPU, likewise by shuffles in a warp, then through shared memory in a block;
 * a thread's chunks, then the chunks. Whoever does it, the bits are the same. Rounding errors grow with the
 * logarithm of the count. */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

#define SUM_LEAVES 16 /* taken at a time: a power of two */
#define SUM_LEVELS 48

/* A sum whose numbers come one after another; all zero at first. */
typedef struct tree_sum {
    double leaves[SUM_LEAVES];
    double part[SUM_LEVELS]; /* of 16 * 2^k numbers each, where bit k of count / 16 is set */
    uint64_t count;
} tree_sum;

/* Of 16 numbers. */
static inline double sum_leaves(const double x[SUM_LEAVES])
{
    double pairs[SUM_LEAVES / 2];
    for (int i = 0; i < 8; i++) pairs[i] = x[2 * i] + x[2 * i + 1];
    for (int i = 0; i < 4; i++) pairs[i] = pairs[2 * i] + pairs[2 * i + 1];
    return (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
}

/* The next 16 numbers' sum. */
static inline void sum_add_leaves(tree_sum *s, double sum)
{
    int level = 0;
    for (uint64_t done = s->count / SUM_LEAVES; (done & 1) != 0; done >>= 1) sum = s->part[level++] + sum;
    s->part[level] = sum;
    s->count += SUM_LEAVES;
}

/* The next number. */
static inline void sum_add(tree_sum *s, double x)
{
    const uint64_t at = s->count % SUM_LEAVES;
    s->leaves[at] = x;
    s->count++;
    if (at + 1 < SUM_LEAVES) return;
    s->count -= SUM_LEAVES;
    sum_add_leaves(s, sum_leaves(s->leaves));
}

/* Zeros, so many. */
static inline void sum_add_zeros(tree_sum *s, uint64_t count)
{
    for (; count > 0 && s->count % SUM_LEAVES != 0; count--) sum_add(s, 0.0);
    while (count >= SUM_LEAVES) { /* the largest node at a time that begins here */
        const uint64_t left = count / SUM_LEAVES;
        uint64_t done = s->count / SUM_LEAVES;
        int level = 0;
        while ((done & 1) == 0 && left >> (level + 1) != 0) {
            done >>= 1;
            level++;
        }
        const uint64_t size = (uint64_t)SUM_LEAVES << level;
        double sum = 0.0;
        for (; (done & 1) != 0; done >>= 1) sum = s->part[level++] + sum;
        s->part[level] = sum;
        s->count += size;
        count -= size;
    }
    for (; count > 0; count--) sum_add(s, 0.0);
}

/* The sum so far. */
static inline double sum_total(const tree_sum *s)
{
    double rest[SUM_LEAVES] = {0.0};
    for (uint64_t i = 0; i < s->count % SUM_LEAVES; i++) rest[i] = s->leaves[i];
    double sum = sum_leaves(rest);
    int level = 0;
    for (uint64_t done = s->count / SUM_LEAVES; done != 0; done >>= 1, level++) {
        if ((done & 1) != 0) sum = s->part[level] + sum;
    }
    return sum + 0.0;
}

/* Of the sums of 16 numbers each, so many, which are overwritten. */
static inline double sum_nodes(double *nodes, size_t count)
{
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++) nodes[i] = nodes[2 * i] + nodes[2 * i + 1];
        if (count % 2 != 0) nodes[count / 2] = nodes[count - 1];
    }
    return count == 0 ? 0.0 : nodes[0] + 0.0;
}

/* Of an array. A few are summed level by level: to clear a tree_sum takes as long as to sum a hundred. */
#define SUM_FEW ((size_t)64 * SUM_LEAVES)
static inline double sum_of(const double *x, size_t count)
{
    size_t i = 0;
    if (count <= SUM_FEW) {
        double nodes[SUM_FEW / SUM_LEAVES];
        size_t n = 0;
        for (; i + SUM_LEAVES <= count; i += SUM_LEAVES) nodes[n++] = sum_leaves(x + i);
        if (i < count) {
            double rest[SUM_LEAVES] = {0.0};
            for (size_t j = 0; i + j < count; j++) rest[j] = x[i + j];
            nodes[n++] = sum_leaves(rest);
        }
        return sum_nodes(nodes, n);
    }
    tree_sum s = {.count = 0};
    for (; i + SUM_LEAVES <= count; i += SUM_LEAVES) sum_add_leaves(&s, sum_leaves(x + i));
    for (; i < count; i++) sum_add(&s, x[i]);
    return sum_total(&s);
}

/* Of the products of two arrays. */
static inline double sum_dot(const double *x, const double *y, size_t count)
{
    tree_sum s = {.count = 0};
    for (size_t i = 0; i < count; i++) sum_add(&s, x[i] * y[i]);
    return sum_total(&s);
}

#endif
