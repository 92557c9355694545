// SPDX-License-Identifier: MIT
// Strict reading of numbers: the whole text must be one number, no leading blanks, in range, finite.
#ifndef TRJ_NUMBER_H
#define TRJ_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

bool trj_parse_u64(const char *text, uint64_t *value);
bool trj_parse_i64(const char *text, int64_t *value);
bool trj_parse_real(const char *text, double *value); // refuses nan and inf

#endif
