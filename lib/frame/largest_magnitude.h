// SPDX-License-Identifier: MIT
// Finds the largest magnitude in an array, which also shows whether all numbers are finite.
#ifndef TRJ_LARGEST_MAGNITUDE_H
#define TRJ_LARGEST_MAGNITUDE_H

#include <stddef.h>

#include "instruction_set.h"

// Returns the largest |x[i]| of n numbers, 0 if n is 0; infinity or NaN if a number is not finite. `isa` must be one
// that the CPU supports; all of them give the same result.
float trj_largest_magnitude(const float *x, size_t n, enum trj_isa isa);

#endif
