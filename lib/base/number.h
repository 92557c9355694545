// SPDX-License-Identifier: MIT
// Reads numbers strictly: options (trj_parse_*) and fields of text files (trj_scan_*). The locale has no effect on
// numbers.
#ifndef TRJ_NUMBER_H
#define TRJ_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The trj_parse functions return whether the whole text is one number without leading blanks, in the range of the type
// and finite. *value is changed only if it is.
bool trj_parse_u64(const char *text, uint64_t *value);
bool trj_parse_i64(const char *text, int64_t *value);
bool trj_parse_real(const char *text, double *value);
// Reads 1 to `max_count` such numbers that are separated by commas. Returns their number; 0 if the text is invalid.
size_t trj_parse_reals(const char *text, double *values, size_t max_count);

// The trj_scan functions read the decimal number at the start of a NUL-terminated text,
// [+-]digits[.digits][e[+-]digits], and return the address after it; NULL if the text does not start with a number
// ("nan" and "inf" are none). The value is the nearest float32 (float64), rounded half to even as by strtof (strtod);
// it is infinite if the number is too large. For an integer that is too large, trj_scan_i64 returns NULL.
const char *trj_scan_float(const char *text, float *value);
// Reads a number that ends at column `width` and contains a point; blanks and a minus sign may precede it. This is
// faster than trj_scan_float, but it may also return false for a valid number.
bool trj_scan_columns(const char *text, size_t width, float *value);
const char *trj_scan_real(const char *text, double *value);
const char *trj_scan_i64(const char *text, int64_t *value);
// As trj_scan_real, for text that Fortran programs write: 1.0D+00, and 0.12345-100 for 0.12345E-100. In 0.12-3.45, the
// second sign begins another number.
const char *trj_scan_fortran(const char *text, double *value);

#endif
