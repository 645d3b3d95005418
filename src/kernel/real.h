/* The number type of the physics. Everything in src/kernel is written over `real` with + - * / and the few
 * named functions below, without loops and without memory, so that one text serves every machine. A
 * translation unit chooses the type by defining VXE_REAL (and VXE_REAL_IS_FLOAT, if it is) before its first
 * include; the default, double, is the reference. */
#ifndef KERNEL_REAL_H
#define KERNEL_REAL_H

#include <stdint.h>
#if defined(__AVX2__) && defined(VXE_LANES)
#include <immintrin.h>
#elif defined(__SSE2__) && defined(VXE_LANES)
#include <emmintrin.h>
#endif

#ifndef VXE_REAL
#define VXE_REAL double
#endif

#ifdef VXE_LANES

/* Wide: VXE_LANES numbers at once (GCC and Clang vector extensions). A mask has all bits of a lane set or
 * none. */
#ifdef VXE_REAL_IS_FLOAT
typedef int32_t real_bits;
#define REAL_SQRT __builtin_sqrtf
#else
typedef int64_t real_bits;
#define REAL_SQRT __builtin_sqrt
#endif
typedef VXE_REAL real __attribute__((vector_size(VXE_LANES * sizeof(VXE_REAL))));
typedef real_bits real_mask __attribute__((vector_size(VXE_LANES * sizeof(VXE_REAL))));

static inline real real_of(double x) { return (VXE_REAL)x - (real){0}; }

/* IEEE square root; where there is no name for it, lane by lane, which compilers turn into few instructions.
 */
static inline real real_sqrt(real a)
{
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
    return (real)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX512F__) && VXE_LANES == 16
    return (real)_mm512_sqrt_ps((__m512)a);
#else
    real r = a;
    for (int i = 0; i < VXE_LANES; i++) r[i] = REAL_SQRT(a[i]);
    return r;
#endif
}

/* a where the mask is set, b elsewhere: also where the other is not a number. */
static inline real real_select(real_mask mask, real a, real b)
{
    return (real)(((real_mask)a & mask) | ((real_mask)b & ~mask));
}
static inline real real_keep(real a, real_mask mask) { return (real)((real_mask)a & mask); }
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT) /* one instruction, same result */
static inline real real_max(real a, real b) { return (real)_mm512_max_pd((__m512d)a, (__m512d)b); }
static inline real real_min(real a, real b) { return (real)_mm512_min_pd((__m512d)a, (__m512d)b); }
#elif defined(__AVX512F__) && VXE_LANES == 16
static inline real real_max(real a, real b) { return (real)_mm512_max_ps((__m512)a, (__m512)b); }
static inline real real_min(real a, real b) { return (real)_mm512_min_ps((__m512)a, (__m512)b); }
#elif defined(__AVX2__) && VXE_LANES == 4 && !defined(VXE_REAL_IS_FLOAT)
static inline real real_max(real a, real b) { return (real)_mm256_max_pd((__m256d)a, (__m256d)b); }
static inline real real_min(real a, real b) { return (real)_mm256_min_pd((__m256d)a, (__m256d)b); }
#elif defined(__AVX2__) && VXE_LANES == 8 && defined(VXE_REAL_IS_FLOAT)
static inline real real_max(real a, real b) { return (real)_mm256_max_ps((__m256)a, (__m256)b); }
static inline real real_min(real a, real b) { return (real)_mm256_min_ps((__m256)a, (__m256)b); }
#elif defined(__SSE2__) && VXE_LANES == 2
static inline real real_max(real a, real b) { return (real)_mm_max_pd((__m128d)a, (__m128d)b); }
static inline real real_min(real a, real b) { return (real)_mm_min_pd((__m128d)a, (__m128d)b); }
#elif defined(__SSE2__) && VXE_LANES == 4 && defined(VXE_REAL_IS_FLOAT)
static inline real real_max(real a, real b) { return (real)_mm_max_ps((__m128)a, (__m128)b); }
static inline real real_min(real a, real b) { return (real)_mm_min_ps((__m128)a, (__m128)b); }
#else
static inline real real_max(real a, real b) { return real_select(a > b, a, b); }
static inline real real_min(real a, real b) { return real_select(a < b, a, b); }
#endif

/* Whether a mask is set in some lane: to leave out what no lane needs. */
static inline int real_any(real_mask mask)
{
#if defined(__AVX512F__) && (VXE_LANES == 16 || (VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)))
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__) && (VXE_LANES == 8 || (VXE_LANES == 4 && !defined(VXE_REAL_IS_FLOAT)))
    return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#elif defined(__SSE2__) && (VXE_LANES == 2 || (VXE_LANES == 4 && defined(VXE_REAL_IS_FLOAT)))
    return _mm_movemask_epi8((__m128i)mask) != 0;
#else
    real_bits any = 0;
    for (int i = 0; i < VXE_LANES; i++) any |= mask[i];
    return any != 0;
#endif
}

/* The size, without the sign. */
static inline real real_size(real a)
{
    const real_mask sign = (real_mask)(-(real){0}); /* minus zero: the sign bit alone */
    return (real)((real_mask)a & ~sign);
}

#else

typedef VXE_REAL real;
typedef int real_mask;

static inline real real_of(double x) { return (real)x; }

/* IEEE square root in the type's own precision: one instruction on every machine we know, never a library
 * call. */
static inline real real_sqrt(real a)
{
#ifdef __CUDACC__
    return sizeof(real) == sizeof(float) ? (real)__fsqrt_rn((float)a) : (real)__dsqrt_rn((double)a);
#else
    if (sizeof(real) == sizeof(float)) return (real)__builtin_sqrtf((float)a);
    if (sizeof(real) == sizeof(double)) return (real)__builtin_sqrt((double)a);
    return (real)__builtin_sqrtl((long double)a);
#endif
}

static inline real real_select(real_mask mask, real a, real b) { return mask ? a : b; }
static inline int real_any(real_mask mask) { return mask; }
static inline real real_max(real a, real b) { return a > b ? a : b; }
static inline real real_min(real a, real b) { return a < b ? a : b; }

#endif

typedef struct rvec {
    real x, y, z;
} rvec;

static inline rvec rvec_add(rvec a, rvec b) { return (rvec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline rvec rvec_sub(rvec a, rvec b) { return (rvec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline rvec rvec_scale(real s, rvec a) { return (rvec){s * a.x, s * a.y, s * a.z}; }
static inline real rvec_dot(rvec a, rvec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline rvec rvec_cross(rvec a, rvec b)
{
    return (rvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Unit quaternion, body to world. */
typedef struct rquat {
    real w, x, y, z;
} rquat;

/* Body axis 0, 1 or 2 in world coordinates: a column of the rotation matrix. */
static inline rvec rquat_axis(rquat q, int axis)
{
    const real two = real_of(2);
    const real one = real_of(1);
    if (axis == 0) {
        return (rvec){one - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y + q.w * q.z),
                      two * (q.x * q.z - q.w * q.y)};
    }
    if (axis == 1) {
        return (rvec){two * (q.x * q.y - q.w * q.z), one - two * (q.x * q.x + q.z * q.z),
                      two * (q.y * q.z + q.w * q.x)};
    }
    return (rvec){two * (q.x * q.z + q.w * q.y), two * (q.y * q.z - q.w * q.x),
                  one - two * (q.x * q.x + q.y * q.y)};
}

/* Half of it: without the doubling, which whoever uses it has in a constant. */
static inline rvec rquat_half_axis(rquat q, int axis)
{
    const real half = real_of(0.5);
    if (axis == 0)
        return (rvec){half - (q.y * q.y + q.z * q.z), q.x * q.y + q.w * q.z, q.x * q.z - q.w * q.y};
    if (axis == 1)
        return (rvec){q.x * q.y - q.w * q.z, half - (q.x * q.x + q.z * q.z), q.y * q.z + q.w * q.x};
    return (rvec){q.x * q.z + q.w * q.y, q.y * q.z - q.w * q.x, half - (q.x * q.x + q.y * q.y)};
}

/* q2 conj(q1): the rotation that takes the axes of body 1 to those of body 2, in world coordinates. */
static inline rquat rquat_relative(rquat q1, rquat q2)
{
    const rvec v1 = {q1.x, q1.y, q1.z};
    const rvec v2 = {q2.x, q2.y, q2.z};
    const rvec v = rvec_sub(rvec_sub(rvec_scale(q1.w, v2), rvec_scale(q2.w, v1)), rvec_cross(v2, v1));
    return (rquat){q1.w * q2.w + rvec_dot(v1, v2), v.x, v.y, v.z};
}

#endif
