/* The tree of sums: what base/sum.h says it is, however it is done. */
#include "base/sum.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 3000 };

/* The definition: the node that covers 2^level numbers from `begin` on. */
static double node(const double *x, size_t count, size_t begin, int level)
{
    if (level == 0) return begin < count ? x[begin] : 0.0;
    const size_t half = (size_t)1 << (level - 1);
    return node(x, count, begin, level - 1) + node(x, count, begin + half, level - 1);
}

static double by_definition(const double *x, size_t count)
{
    int level = 0;
    while (((size_t)1 << level) < count) level++;
    return node(x, count, 0, level) + 0.0;
}

/* Numbers of very different sizes, so that the order matters. */
static void fill_wildly(double *x, size_t count)
{
    uint64_t state = 88172645463325252U;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = ldexp((double)(int64_t)state, (int)(state % 41) - 80);
    }
}

static void sums_are_those_of_the_tree(void **state)
{
    (void)state;
    static double x[MOST];
    fill_wildly(x, MOST);
    int other = 0;
    for (size_t count = 0; count <= MOST; count += count < 600 ? 1 : 37) {
        const double want = by_definition(x, count);
        tree_sum one = {.count = 0};
        double plain = 0.0;
        for (size_t i = 0; i < count; i++) {
            sum_add(&one, x[i]);
            plain += x[i];
        }
        assert_true(sum_of(x, count) == want);
        assert_true(sum_total(&one) == want);
        other += plain != want;
    }
    assert_true(other > 300); /* else the order would not have mattered */
}

/* Runs of zeros between numbers, added at once. */
static void zeros_are_numbers_too(void **state)
{
    (void)state;
    static double x[MOST];
    for (size_t run = 1; run < 700; run += 13) {
        fill_wildly(x, MOST);
        tree_sum sum = {.count = 0};
        size_t i = 0;
        for (size_t k = 0; i < MOST; k++) {
            const size_t zeros = (run + 31 * k) % 700 < MOST - i ? (run + 31 * k) % 700 : MOST - i;
            for (size_t j = 0; j < zeros; j++) x[i + j] = 0.0;
            sum_add_zeros(&sum, zeros);
            i += zeros;
            for (size_t j = 0; j < run % 40 && i < MOST; j++) sum_add(&sum, x[i++]);
        }
        assert_true(sum_total(&sum) == by_definition(x, MOST));
    }
}

/* As a block of threads does it: each aligned chunk by exchanges between lanes, then the chunks. */
static double in_lanes(const double *x, size_t count, size_t chunk)
{
    static double parts[MOST];
    static double lanes[512];
    static double sums[512];
    size_t done = 0;
    for (size_t begin = 0; begin < count; begin += chunk) {
        for (size_t i = 0; i < chunk; i++) lanes[i] = begin + i < count ? x[begin + i] : 0.0;
        for (size_t other = 1; other < chunk; other *= 2) {
            for (size_t i = 0; i < chunk; i++) sums[i] = lanes[i] + lanes[i ^ other];
            for (size_t i = 0; i < chunk; i++) lanes[i] = sums[i];
        }
        parts[done++] = lanes[0];
    }
    return sum_of(parts, done);
}

static void chunks_and_lanes_give_the_same_bits(void **state)
{
    (void)state;
    static double x[MOST];
    fill_wildly(x, MOST);
    for (size_t chunk = 2; chunk <= 512; chunk *= 2) {
        for (size_t count = 1; count <= MOST; count += 97)
            assert_true(in_lanes(x, count, chunk) == sum_of(x, count));
    }
}

static void products_are_summed_alike(void **state)
{
    (void)state;
    static double x[MOST];
    static double squares[MOST];
    fill_wildly(x, MOST);
    for (size_t i = 0; i < MOST; i++) squares[i] = x[i] * x[i];
    assert_true(sum_dot(x, x, MOST) == sum_of(squares, MOST));
}

static void nothing_is_plus_zero(void **state)
{
    (void)state;
    static const double zeros[3] = {-0.0, -0.0, -0.0};
    assert_false(signbit(sum_of(zeros, 3)));
    assert_true(sum_of(NULL, 0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_tree),
        cmocka_unit_test(zeros_are_numbers_too),
        cmocka_unit_test(chunks_and_lanes_give_the_same_bits),
        cmocka_unit_test(products_are_summed_alike),
        cmocka_unit_test(nothing_is_plus_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
