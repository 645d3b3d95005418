/* Numbers as text: the quick way of printing them gives what printf() gives. */
#include "base/number.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void compare(double value, int digits)
{
    char ours[VXE_NUMBER_SIZE];
    char theirs[64];
    vxe_print_short(ours, value, digits);
    (void)snprintf(theirs, sizeof theirs, "%.*g", digits, value);
    assert_string_equal(ours, theirs);
}

static void short_numbers_are_those_of_printf(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252U;
    for (int i = 0; i < 400000; i++) {
        const int digits = 1 + i % 17;
        const double part = (double)(int64_t)next_random(&random) / 0x1p63;
        compare(ldexp(part, (int)(next_random(&random) % 200) - 100), digits);
        /* decimal numbers of few digits, which end in ties and in zeros */
        compare((double)(int64_t)(next_random(&random) % 100000) / 1e3 * pow(10.0, i % 40 - 20), digits);
        /* bits as they come: very large, very small, not finite ones apart */
        const uint64_t bits = next_random(&random);
        double any = 0.0;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any) && any != 0.0) compare(any, digits);
    }
}

static void compare_fixed(double value, int decimals)
{
    char ours[VXE_NUMBER_SIZE];
    char theirs[64];
    vxe_print_fixed(ours, value, decimals);
    (void)snprintf(theirs, sizeof theirs, "%.*f", decimals, value);
    assert_string_equal(ours, theirs);
}

static void fixed_numbers_are_those_of_printf(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252U;
    for (int i = 0; i < 400000; i++) {
        const int decimals = i % 10;
        const double part = (double)(int64_t)next_random(&random) / 0x1p63;
        compare_fixed(ldexp(part, (int)(next_random(&random) % 90) - 45), decimals);
        /* ties, and what rounds to nothing */
        const double few = (double)(int64_t)(next_random(&random) % 200001) - 100000.0;
        compare_fixed(few / 1024.0, decimals);
        compare_fixed(few / 1e4, decimals);
        compare_fixed(few * 1e-14, decimals);
    }
    compare_fixed(0.0, 1);
    compare_fixed(-0.0, 1);
    compare_fixed(0.999999, 2);
    compare_fixed(1e15, 9);
    compare_fixed(-1e15, 0);
}

static void edges_are_those_of_printf(void **state)
{
    (void)state;
    static const double edges[] = {
        1.0,         9.5,     0.5,     0.25,    0.125,         2.5,
        1e-5,        1e-4,    99999.5, 999999,  9.99999999999, 999999999999.5,
        1e15,        1e16,    1e17,    1e22,    1e23,          123456789012345678.0,
        0.1,         1.0 / 3, DBL_MIN, DBL_MAX, 4.9e-324,      1e-27,
        0.000123456, 1e27,    1e28,    1e43,    1e44,          DBL_EPSILON};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (int digits = 1; digits <= 17; digits++) {
            compare(edges[i], digits);
            compare(-edges[i], digits);
            compare(nextafter(edges[i], 0.0), digits);
            compare(nextafter(edges[i], 1e300), digits);
        }
    }
    char text[VXE_NUMBER_SIZE];
    vxe_print_short(text, -0.0, 12);
    assert_string_equal(text, "0");
    vxe_print_short(text, INFINITY, 12);
    assert_string_equal(text, "inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_numbers_are_those_of_printf),
        cmocka_unit_test(fixed_numbers_are_those_of_printf),
        cmocka_unit_test(edges_are_those_of_printf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
