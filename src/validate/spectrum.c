/* Frequencies in a recorded signal: see spectrum.h. */
#include "validate/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* In place, radix 2 (Cooley and Tukey); size is a power of two. */
static void transform(double *re, double *im, size_t size)
{
    for (size_t i = 1, j = 0; i < size; i++) {
        size_t bit = size >> 1;
        for (; (j & bit) != 0; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const double r = re[i];
            const double m = im[i];
            re[i] = re[j];
            im[i] = im[j];
            re[j] = r;
            im[j] = m;
        }
    }
    for (size_t length = 2; length <= size; length <<= 1) {
        const size_t half = length / 2;
        for (size_t k = 0; k < half; k++) {
            const double angle = -2.0 * PI * (double)k / (double)length;
            const double c = cos(angle);
            const double s = sin(angle);
            for (size_t i = k; i < size; i += length) {
                const double r = re[i + half] * c - im[i + half] * s;
                const double m = re[i + half] * s + im[i + half] * c;
                re[i + half] = re[i] - r;
                im[i + half] = im[i] - m;
                re[i] += r;
                im[i] += m;
            }
        }
    }
}

bool spectrum_create(spectrum *s, const double *samples, size_t count, double interval)
{
    size_t size = 1;
    while (size < 2 * count) size <<= 1;
    *s = (spectrum){size / 2, 1.0 / ((double)size * interval), NULL};
    double *re = calloc(size, sizeof *re);
    double *im = calloc(size, sizeof *im);
    s->magnitude = calloc(size / 2 + 1, sizeof *s->magnitude);
    if (re == NULL || im == NULL || s->magnitude == NULL) {
        free(re);
        free(im);
        spectrum_destroy(s);
        return false;
    }
    double mean = 0.0;
    for (size_t i = 0; i < count; i++) mean += samples[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double window = 0.5 - 0.5 * cos(2.0 * PI * ((double)i + 0.5) / (double)count);
        re[i] = window * (samples[i] - mean);
    }
    transform(re, im, size);
    for (size_t i = 0; i < s->count; i++) s->magnitude[i] = 4.0 / (double)count * hypot(re[i], im[i]);
    free(re);
    free(im);
    return true;
}

void spectrum_destroy(spectrum *s)
{
    free(s->magnitude);
    *s = (spectrum){0, 0.0, NULL};
}

/* Whether a bin is the largest around and stands out. */
static bool is_peak(const spectrum *s, size_t i, size_t width)
{
    const size_t low = i > width ? i - width : 1;
    const size_t high = i + width < s->count ? i + width : s->count - 1;
    double sum = 0.0;
    for (size_t j = low; j <= high; j++) {
        if (s->magnitude[j] > s->magnitude[i]) return false;
        sum += log(s->magnitude[j] + 1e-300);
    }
    return s->magnitude[i] > 10.0 * exp(sum / (double)(high - low + 1));
}

int spectrum_peaks(const spectrum *s, double lowest, double width, int most, double *frequency,
                   double *height)
{
    const size_t bins = (size_t)(width / s->spacing) + 2;
    int found = 0;
    for (size_t i = (size_t)(lowest / s->spacing) + 1; i + 1 < s->count && found < most; i++) {
        if (s->magnitude[i] < s->magnitude[i - 1] || s->magnitude[i] < s->magnitude[i + 1] ||
            !is_peak(s, i, bins)) {
            continue;
        }
        const double a = log(s->magnitude[i - 1]);
        const double b = log(s->magnitude[i]);
        const double c = log(s->magnitude[i + 1]);
        frequency[found] = ((double)i + 0.5 * (a - c) / (a - 2.0 * b + c)) * s->spacing;
        height[found] = s->magnitude[i];
        found++;
    }
    return found;
}
