// SPDX-License-Identifier: MIT
// Strict reading of numbers.
#ifndef TRJ_NUMBER_H
#define TRJ_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The whole text must be one number, no leading blanks, in range, finite.
bool trj_parse_u64(const char *text, uint64_t *value);
bool trj_parse_i64(const char *text, int64_t *value);
bool trj_parse_real(const char *text, double *value); // refuses nan and inf
// Such numbers between commas, from one to `most`: how many; 0 where the text is something else.
size_t trj_parse_reals(const char *text, double *values, size_t most);

// The decimal number at the start of a NUL-terminated text: [+-]digits[.digits][e[+-]digits]. Returns the place behind it, NULL where there
// is none. The value is the float32 (float64) that is nearest to the decimal one, of two that are as near the even one; what is too
// large gives an infinity, an integer that is too large NULL. "nan" and "inf" are no numbers.
const char *trj_scan_float(const char *text, float *value);
// The same of a number that fills `width` columns to the end, with blanks and perhaps a minus before it and with a point. For speed: false
// does not say that there is no number.
bool trj_scan_columns(const char *text, size_t width, float *value);
const char *trj_scan_real(const char *text, double *value);
const char *trj_scan_i64(const char *text, int64_t *value);

#endif
