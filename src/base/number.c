/* Numbers as text: see number.h. snprintf() and strtod() follow the locale of the program that uses the
 * library, which may write 0,5; here the decimal point of the moment is found by printing a half, so no
 * locale is changed or asked for. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decimal point in use; false if it is longer than any known. */
static bool find_point(char point[8])
{
    char half[16];
    const int length = snprintf(half, sizeof half, "%.1f", 0.5); /* 0 point 5 */
    if (length < 3 || length > 9) return false;
    memcpy(point, half + 1, (size_t)length - 2);
    point[length - 2] = '\0';
    return true;
}

void vxe_print_number(char text[VXE_NUMBER_SIZE], double value)
{
    char local[64] = "0";
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(local, sizeof local, "%.*g", digits, value);
        if (strtod(local, NULL) == value) break;
    }
    size_t used = 0;
    bool whole = true; /* neither point nor exponent */
    bool in_point = false;
    for (const char *c = local; *c != '\0' && used + 3 < VXE_NUMBER_SIZE; c++) {
        if (strchr("0123456789+-e", *c) != NULL) {
            text[used++] = *c;
            in_point = false;
            whole = whole && *c != 'e';
        } else if (!in_point) { /* a point of several bytes becomes one */
            text[used++] = '.';
            in_point = true;
            whole = false;
        }
    }
    text[used] = '\0';
    if (whole && value == 0.0 && signbit(value)) memcpy(text, "-0.0", 5); /* a whole -0 would be read as 0 */
}

/* ---- fixed and short numbers -------------------------------------------------------------------------------------- */

enum { POWERS = 28 }; /* of ten, up to the largest that 64 bits hold exactly */
static const long double powers[POWERS] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
    1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* What "%.*f" prints in the C locale, ten times as fast. False where it cannot be sure. */
static bool print_fixed_quick(char text[VXE_NUMBER_SIZE], double value, int decimals)
{
    if (LDBL_MANT_DIG < 64 || decimals < 0 || decimals > 9) return false;
    const long double scaled = (long double)fabs(value) * powers[decimals];
    if (!(scaled < 1e15L)) return false;
    uint64_t whole = (uint64_t)scaled;
    const long double rest = scaled - (long double)whole;
    const long double doubt = scaled * 0x1p-60L; /* as in find_digits() */
    if (rest > 0.5L - doubt && rest < 0.5L + doubt) return false;
    if (rest > 0.5L) whole++;
    char digits[20];
    int count = 0;
    while (whole > 0 || count <= decimals) {
        digits[count++] = (char)('0' + (char)(whole % 10));
        whole /= 10;
    }
    char *out = text;
    if (signbit(value)) *out++ = '-';
    while (count > 0) {
        if (count == decimals) *out++ = '.';
        *out++ = digits[--count];
    }
    *out = '\0';
    return true;
}

void vxe_print_fixed(char text[VXE_NUMBER_SIZE], double value, int decimals)
{
    const double limited = value > 1e15 ? 1e15 : value < -1e15 ? -1e15 : value == value ? value : 0.0;
    if (print_fixed_quick(text, limited, decimals)) return;
    char local[64] = "0";
    (void)snprintf(local, sizeof local, "%.*f", decimals, limited);
    size_t used = 0;
    bool in_point = false;
    for (const char *c = local; *c != '\0' && used + 2 < VXE_NUMBER_SIZE; c++) {
        const bool digit = strchr("0123456789-", *c) != NULL;
        if (digit || !in_point) text[used++] = *c;
        if (!digit) text[used - 1] = '.';
        in_point = !digit;
    }
    text[used] = '\0';
}

/* The first `wanted` decimal digits of a positive number, rounded, and the power of ten of the first one.
 * False where a product of 64 bits does not tell how to round, or no exact power of ten leads there. */
static bool find_digits(double value, int wanted, char digits[20], int *power)
{
    if (LDBL_MANT_DIG < 64) return false;
    int two = 0;
    (void)frexp(value, &two);
    /* logarithm of two, rounded so that the power of ten is one too small at most */
    const int log = (two - 1) * (two > 0 ? 315652 : 315653);
    int ten = log >= 0 ? log >> 20 : -((-log + 0xfffff) >> 20);
    long double scaled = 0.0L;
    for (int tries = 0; tries < 2; tries++) {
        const int shift = wanted - 1 - ten;
        if (shift <= -POWERS || shift >= POWERS) return false;
        scaled = shift >= 0 ? (long double)value * powers[shift] : (long double)value / powers[-shift];
        if (tries > 0 || scaled < powers[wanted]) break;
        ten++;
    }
    int64_t whole = (int64_t)scaled;
    const long double rest = scaled - (long double)whole;
    const long double doubt = scaled * 0x1p-60L; /* far more than the one rounding has changed */
    if (rest > 0.5L - doubt && rest < 0.5L + doubt) return false;
    if (rest > 0.5L) whole++;
    if (whole >= (int64_t)powers[wanted]) {
        whole /= 10;
        ten++;
    }
    /* in two halves, which the processor does at once */
    uint32_t low = (uint32_t)(whole % 100000000);
    uint64_t high = (uint64_t)(whole / 100000000);
    for (int i = 0; i < 8; i++) {
        if (wanted - 1 - i >= 0) digits[wanted - 1 - i] = (char)('0' + (char)(low % 10));
        if (wanted - 9 - i >= 0) digits[wanted - 9 - i] = (char)('0' + (char)(high % 10));
        low /= 10;
        high /= 10;
    }
    if (wanted == 17) digits[0] = (char)('0' + (char)high);
    *power = ten;
    return true;
}

/* What "%.*g" prints in the C locale, ten times as fast. False where it cannot be sure. */
static bool print_quick(char text[VXE_NUMBER_SIZE], double value, int wanted)
{
    char digits[20];
    int power = 0;
    if (!isfinite(value) || wanted < 1 || wanted > 17) return false;
    if (!find_digits(fabs(value), wanted, digits, &power)) return false;
    int count = wanted;
    while (count > 1 && digits[count - 1] == '0') count--;
    char *out = text;
    if (value < 0.0) *out++ = '-';
    const bool exponent = power < -4 || power >= wanted;
    int before = exponent ? 1 : power + 1; /* digits before the point */
    if (before <= 0) {
        *out++ = '0';
        *out++ = '.';
        for (; before < 0; before++) *out++ = '0';
        before = -1;
    }
    for (int i = 0; i < count || i < before; i++) {
        if (i == before) *out++ = '.';
        *out++ = (char)(i < count ? digits[i] : '0');
    }
    if (exponent) {
        const int size = power < 0 ? -power : power;
        *out++ = 'e';
        *out++ = (char)(power < 0 ? '-' : '+');
        *out++ = (char)('0' + size / 10); /* powers that are exact have two digits */
        *out++ = (char)('0' + size % 10);
    }
    *out = '\0';
    return true;
}

void vxe_print_short(char text[VXE_NUMBER_SIZE], double value, int digits)
{
    char local[64];
    size_t used = 0;
    bool in_point = false;
    if (value == 0.0) {
        memcpy(text, "0", 2);
        return;
    }
    if (print_quick(text, value, digits)) return;
    (void)snprintf(local, sizeof local, "%.*g", digits, value);
    for (const char *c = local; *c != '\0' && used + 1 < VXE_NUMBER_SIZE; c++) {
        const bool plain = strchr("0123456789+-enaif", *c) != NULL;
        if (plain || !in_point) text[used++] = (char)(plain ? *c : '.');
        in_point = !plain;
    }
    text[used] = '\0';
}

static size_t count_digits(const char *text, size_t size, size_t at)
{
    size_t count = 0;
    while (at + count < size && text[at + count] >= '0' && text[at + count] <= '9') count++;
    return count;
}

bool vxe_read_number(const char *text, size_t size, double *value)
{
    char local[320];
    char point[8];
    if (size == 0 || size > sizeof local - 16 || !find_point(point)) return false;
    size_t at = text[0] == '+' || text[0] == '-' ? 1 : 0;
    const size_t whole = count_digits(text, size, at);
    at += whole;
    memcpy(local, text, at);
    size_t used = at;
    size_t fraction = 0;
    if (at < size && text[at] == '.') {
        fraction = count_digits(text, size, at + 1);
        memcpy(local + used, point, strlen(point));
        used += strlen(point);
        memcpy(local + used, text + at + 1, fraction);
        used += fraction;
        at += 1 + fraction;
    }
    if (whole + fraction == 0) return false;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < size && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        const size_t exponent = count_digits(text, size, at + 1 + sign);
        if (exponent == 0) return false;
        memcpy(local + used, text + at, 1 + sign + exponent);
        used += 1 + sign + exponent;
        at += 1 + sign + exponent;
    }
    if (at != size) return false;
    local[used] = '\0';
    const double number = strtod(local, NULL);
    if (!isfinite(number)) return false;
    *value = number;
    return true;
}
