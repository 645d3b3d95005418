/* Frequencies in a recorded signal: a windowed Fourier transform and its peaks. */
#ifndef VALIDATE_SPECTRUM_H
#define VALIDATE_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct spectrum {
    size_t count;      /* bins, from 0 Hz */
    double spacing;    /* Hz between bins */
    double *magnitude; /* (count) */
} spectrum;

/* Of `count` samples `interval` seconds apart: mean removed, Hann's window, padded with zeros to a power of
 * two of at least twice the length. False if there is no memory. */
bool spectrum_create(spectrum *s, const double *samples, size_t count, double interval);
void spectrum_destroy(spectrum *s);

/* The first peaks above `lowest` Hz, Hz, each interpolated by a parabola through the logarithms of the three
 * highest bins. A peak is the largest bin within `width` Hz and 10 times the geometric mean there. Returns
 * how many were found. */
int spectrum_peaks(const spectrum *s, double lowest, double width, int most, double *frequency,
                   double *height);

#endif
