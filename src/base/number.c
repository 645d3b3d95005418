/* Numbers as text: see number.h. snprintf() and strtod() follow the locale of the program that uses the
 * library, which may write 0,5; here the decimal point of the moment is found by printing a half, so no
 * locale is changed or asked for. */
#include "base/number.h"

#include <math.h>
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

void vxe_print_fixed(char text[VXE_NUMBER_SIZE], double value, int decimals)
{
    char local[64] = "0";
    const double limited = value > 1e15 ? 1e15 : value < -1e15 ? -1e15 : value == value ? value : 0.0;
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

void vxe_print_short(char text[VXE_NUMBER_SIZE], double value, int digits)
{
    char local[64];
    size_t used = 0;
    bool in_point = false;
    (void)snprintf(local, sizeof local, "%.*g", digits, value == 0.0 ? 0.0 : value);
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
