/* Numbers as text, the same in every locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define VXE_NUMBER_SIZE 32 /* bytes that hold any printed double, the final zero included */

/* Prints a finite double as JSON: few digits where they are enough, at most 17, so that reading gives the
 * same bits. */
void vxe_print_number(char text[VXE_NUMBER_SIZE], double value);

/* Prints a finite double with this many digits after the point, 0 to 9. */
void vxe_print_fixed(char text[VXE_NUMBER_SIZE], double value, int decimals);

/* Prints a double with at most `digits` (1 to 17) digits, for tables: fast, no more than it says. "nan" and
 * "inf" where it is not finite; never "-0". */
void vxe_print_short(char text[VXE_NUMBER_SIZE], double value, int digits);

/* Reads a decimal number that fills the whole of text[0..size): sign, digits, point, exponent. False if it is
 * anything else (hexadecimal, infinity, NaN) or too large for a double. */
bool vxe_read_number(const char *text, size_t size, double *value);

#endif
