/* Lanes of the wide backends: loads, stores, masks, shifts, and arrays of doubles seen as VXE_REAL. */
#ifndef BACKEND_CPU_WIDE_LANES_H
#define BACKEND_CPU_WIDE_LANES_H

#include "backend/cpu/inline.h"
#include "kernel/real.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIKELY(x) __builtin_expect((x) != 0, 1)
#define UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define ALL_LANES ((uint32_t)((UINT64_C(1) << VXE_LANES) - 1))

#ifdef VXE_REAL_IS_FLOAT
#define IS_FLOAT true
#else
#define IS_FLOAT false
#endif

/* Lanes shifted up by one, the last of the block before coming in first. */
#if VXE_LANES == 2
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 1, 2)
#define LANE_BITS                                                                                            \
    {                                                                                                        \
        1, 2                                                                                                 \
    }
#elif VXE_LANES == 4
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 3, 4, 5, 6)
#define LANE_BITS                                                                                            \
    {                                                                                                        \
        1, 2, 4, 8                                                                                           \
    }
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)
#elif VXE_LANES == 8
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14)
#define LANE_BITS                                                                                            \
    {                                                                                                        \
        1, 2, 4, 8, 16, 32, 64, 128                                                                          \
    }
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define SHIFT_IN(before, now)                                                                                \
    __builtin_shufflevector(before, now, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define JOIN(low, high)                                                                                      \
    __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

/* Computes a number here and not where it is needed first. */
#ifdef __x86_64__
#define COMPUTE_NOW(x) __asm__ volatile("" ::"v"(x))
#else
#define COMPUTE_NOW(x) ((void)(x))
#endif

#define COMPUTE_NOW_VEC(v)                                                                                   \
    do {                                                                                                     \
        COMPUTE_NOW((v).x);                                                                                  \
        COMPUTE_NOW((v).y);                                                                                  \
        COMPUTE_NOW((v).z);                                                                                  \
    } while (0)

/* ---- loads and stores ----------------------------------------------------------------------------------------------- */

/* Vectors anywhere in an array of their numbers. Not memcpy: after that the compiler reads all pointers
 * again, for they could have been overwritten. */
typedef real real_anywhere __attribute__((aligned(sizeof(VXE_REAL))));
#if !SANITIZED
ALWAYS real load_lanes(const VXE_REAL *a) { return *(const real_anywhere *)(const void *)a; }
ALWAYS void store_lanes(VXE_REAL *a, real r) { *(real_anywhere *)(void *)a = r; }
#else
ALWAYS real load_lanes(const VXE_REAL *a)
{
    real r;
    memcpy(&r, a, sizeof r);
    return r;
}
ALWAYS void store_lanes(VXE_REAL *a, real r) { memcpy(a, &r, sizeof r); }
#endif

#ifdef VXE_REAL_IS_FLOAT

/* Arrays of doubles are read and written in halves. */
typedef double half_real __attribute__((vector_size(VXE_LANES / 2 * sizeof(double))));
typedef float half_float __attribute__((vector_size(VXE_LANES / 2 * sizeof(float))));
typedef struct wide_double {
    half_real low, high;
} wide_double;

typedef half_real half_anywhere __attribute__((aligned(sizeof(double))));

#if !SANITIZED
ALWAYS half_real load_half(const double *a) { return *(const half_anywhere *)(const void *)a; }
ALWAYS void store_half(double *a, half_real r) { *(half_anywhere *)(void *)a = r; }
#else
ALWAYS half_real load_half(const double *a)
{
    half_real r;
    memcpy(&r, a, sizeof r);
    return r;
}
ALWAYS void store_half(double *a, half_real r) { memcpy(a, &r, sizeof r); }
#endif
ALWAYS wide_double load_double(const double *a)
{
    return (wide_double){load_half(a), load_half(a + VXE_LANES / 2)};
}
ALWAYS void store_double(double *a, wide_double r)
{
    store_half(a, r.low);
    store_half(a + VXE_LANES / 2, r.high);
}
ALWAYS real narrow(wide_double a)
{
    return JOIN(__builtin_convertvector(a.low, half_float), __builtin_convertvector(a.high, half_float));
}
ALWAYS wide_double widen(real a)
{
    half_float halves[2];
    memcpy(halves, &a, sizeof halves);
    return (wide_double){__builtin_convertvector(halves[0], half_real),
                         __builtin_convertvector(halves[1], half_real)};
}
ALWAYS wide_double add_double(wide_double a, wide_double b)
{
    return (wide_double){a.low + b.low, a.high + b.high};
}
ALWAYS wide_double subtract_double(wide_double a, wide_double b)
{
    return (wide_double){a.low - b.low, a.high - b.high};
}
ALWAYS wide_double scale_double(double s, wide_double a) { return (wide_double){s * a.low, s * a.high}; }

#else

typedef real wide_double;
ALWAYS wide_double load_double(const double *a) { return load_lanes(a); }
ALWAYS void store_double(double *a, wide_double r) { store_lanes(a, r); }
ALWAYS real narrow(wide_double a) { return a; }
ALWAYS wide_double widen(real a) { return a; }
ALWAYS wide_double add_double(wide_double a, wide_double b) { return a + b; }
ALWAYS wide_double subtract_double(wide_double a, wide_double b) { return a - b; }
ALWAYS wide_double scale_double(double s, wide_double a) { return s * a; }

#endif

/* Components of a vector or a quaternion lie `stride` apart: one pointer reaches them all, which keeps the
 * processor's few pointers free. */
ALWAYS rvec load_vec(const VXE_REAL *a, ptrdiff_t stride)
{
    return (rvec){load_lanes(a), load_lanes(a + stride), load_lanes(a + 2 * stride)};
}
ALWAYS void store_vec(VXE_REAL *a, ptrdiff_t stride, rvec r)
{
    store_lanes(a, r.x);
    store_lanes(a + stride, r.y);
    store_lanes(a + 2 * stride, r.z);
}
ALWAYS void store_double_vec(double *a, ptrdiff_t stride, rvec r)
{
    store_double(a, widen(r.x));
    store_double(a + stride, widen(r.y));
    store_double(a + 2 * stride, widen(r.z));
}
ALWAYS rvec load_double_vec(const double *a, ptrdiff_t stride)
{
    return (rvec){narrow(load_double(a)), narrow(load_double(a + stride)),
                  narrow(load_double(a + 2 * stride))};
}
ALWAYS rquat load_quat(const VXE_REAL *a, ptrdiff_t stride)
{
    const VXE_REAL *last = a + 3 * stride;
    return (rquat){load_lanes(a), load_lanes(a + stride), load_lanes(a + 2 * stride), load_lanes(last)};
}

ALWAYS rvec keep_vec(rvec a, real_mask mask)
{
    return (rvec){real_keep(a.x, mask), real_keep(a.y, mask), real_keep(a.z, mask)};
}
ALWAYS rvec select_vec(real_mask mask, rvec a, rvec b)
{
    return (rvec){real_select(mask, a.x, b.x), real_select(mask, a.y, b.y), real_select(mask, a.z, b.z)};
}
ALWAYS rvec shift_vec(rvec before, rvec now)
{
    return (rvec){SHIFT_IN(before.x, now.x), SHIFT_IN(before.y, now.y), SHIFT_IN(before.z, now.z)};
}

/* All bits set in the lanes named. */
ALWAYS real_mask mask_of(uint32_t lanes)
{
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
    return (real_mask)_mm512_movm_epi64((__mmask8)lanes);
#elif defined(__AVX512F__) && VXE_LANES == 16
    return (real_mask)_mm512_movm_epi32((__mmask16)lanes);
#elif VXE_LANES == 2 /* SSE2 does not compare integers of this size */
    static const real_mask masks[4] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
    return masks[lanes];
#else
    const real_mask bit = LANE_BITS;
    return (bit & (real_bits)lanes) != 0;
#endif
}

/* The lanes where a <= b does not hold, as bits: where it is larger, or not a number. */
ALWAYS uint32_t lanes_beyond(real a, real b)
{
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NLE_UQ);
#elif defined(__AVX512F__) && VXE_LANES == 16
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_NLE_UQ);
#elif defined(__AVX2__) && VXE_LANES == 4 && !defined(VXE_REAL_IS_FLOAT)
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_NLE_UQ));
#elif defined(__AVX2__) && VXE_LANES == 8
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_NLE_UQ));
#elif defined(__SSE2__) && VXE_LANES == 2
    return (uint32_t)_mm_movemask_pd(_mm_cmpnle_pd((__m128d)a, (__m128d)b));
#elif defined(__SSE2__) && VXE_LANES == 4
    return (uint32_t)_mm_movemask_ps(_mm_cmpnle_ps((__m128)a, (__m128)b));
#else
    VXE_REAL left[VXE_LANES];
    VXE_REAL right[VXE_LANES];
    store_lanes(left, a);
    store_lanes(right, b);
    uint32_t bits = 0;
    for (int i = 0; i < VXE_LANES; i++) bits |= (uint32_t) !(left[i] <= right[i]) << i;
    return bits;
#endif
}

ALWAYS real constant_of(const VXE_REAL *constants, int which)
{
    return load_lanes(constants + which * VXE_LANES);
}

#endif
