/* Records of numbers that lie together become vectors of lanes, and back, in registers: VXE_LANES records at
 * once. */
#ifndef BACKEND_CPU_RECORDS_H
#define BACKEND_CPU_RECORDS_H

#include "backend/cpu/inline.h"
#include "kernel/real.h"

#if VXE_LANES >= 8

#if VXE_LANES == 8
#define MIX1A(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define MIX1B(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define MIX2A(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define MIX2B(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define MIX3A(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define MIX3B(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else /* two records in a vector */
#define MIX1A(a, b) __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define MIX1B(a, b) __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define MIX2A(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define MIX2B(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define MIX3A(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define MIX3B(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#endif

/* Rows become columns and columns rows: doing it twice is nothing. */
ALWAYS void turn_rows(real r[8])
{
    real t[8];
    real u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = MIX1A(r[i], r[i + 1]);
        t[i + 1] = MIX1B(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            u[i + k] = MIX2A(t[i + k], t[i + k + 2]);
            u[i + k + 2] = MIX2B(t[i + k], t[i + k + 2]);
        }
    }
    for (int i = 0; i < 4; i++) {
        r[i] = MIX3A(u[i], u[i + 4]);
        r[i + 4] = MIX3B(u[i], u[i + 4]);
    }
}

#elif VXE_LANES == 4

/* Likewise, of four. */
ALWAYS void turn_rows(real r[4])
{
    const real a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const real b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const real c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const real d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif

#endif
