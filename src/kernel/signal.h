/* The value of ONE signal: waveforms between -1 and 1 over a cycle, without library calls. */
#ifndef KERNEL_SIGNAL_H
#define KERNEL_SIGNAL_H

#include <stdint.h>

/* Part of a cycle since its beginning, 0 to 1. Good for |cycles| < 2^52; beyond, where doubles are whole
 * numbers anyway, 0. */
static inline double signal_fraction(double cycles)
{
    if (!(cycles < 4503599627370496.0 && cycles > -4503599627370496.0)) return 0.0;
    double whole = (double)(int64_t)cycles;
    if (whole > cycles) whole -= 1.0;
    const double f = cycles - whole;
    return f < 1.0 ? f : 0.0;
}

/* The series of sin(a)/a up to a quarter of a cycle, b = a^2, of a number or a vector (error below 1e-16). */
#define SIGNAL_SERIES(b)                                                                                     \
    (1.0 +                                                                                                   \
     (b) * (-1.0 / 6 +                                                                                       \
            (b) * (1.0 / 120 +                                                                               \
                   (b) * (-1.0 / 5040 +                                                                      \
                          (b) * (1.0 / 362880 +                                                              \
                                 (b) * (-1.0 / 39916800.0 +                                                  \
                                        (b) * (1.0 / 6227020800.0 +                                          \
                                               (b) * (-1.0 / 1307674368000.0 +                               \
                                                      (b) * (1.0 / 355687428096000.0 -                       \
                                                             (b) * (1.0 / 121645100408832000.0))))))))))
#define SIGNAL_CYCLE 6.283185307179586476925286766559

/* sin(2 pi f) for f in 0..1: folded to a quarter, then the series. */
static inline double signal_sine(double f)
{
    const double sign = f >= 0.5 ? -1.0 : 1.0;
    const double half = f >= 0.5 ? f - 0.5 : f;
    const double x = half > 0.25 ? 0.5 - half : half;
    const double a = SIGNAL_CYCLE * x;
    const double b = a * a;
    return sign * a * SIGNAL_SERIES(b);
}

/* Triangle: 0, 1 at a quarter, 0 at a half, -1 at three quarters. */
static inline double signal_triangle(double f)
{
    if (f < 0.25) return 4.0 * f;
    if (f < 0.75) return 2.0 - 4.0 * f;
    return 4.0 * f - 4.0;
}

static inline double signal_square(double f) { return f < 0.5 ? 1.0 : -1.0; }

/* 0 at 0, 1 at 1, without a jump in slope at either end. */
static inline double signal_smooth(double x)
{
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    return x * x * (3.0 - 2.0 * x);
}

#endif
