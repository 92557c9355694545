// SPDX-License-Identifier: MIT
// Prints numbers as decimal text. The result is the same as with printf, but the functions are about ten times as fast.
// With printf, most of the time of writing text trajectories would be spent there (tests/bench/RESULTS.md, "Decimal
// numbers"; `make bench` repeats the measurement).
//
// The functions write no NUL. They are callable from any thread.
#ifndef TRJ_DECIMAL_H
#define TRJ_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TRJ_FIXED_DECIMALS_MAX = 9,  // largest `decimals` of trj_print_fixed
    TRJ_GENERAL_DIGITS_MAX = 10, // largest `digits` of trj_print_general
    TRJ_DECIMAL_CAPACITY = 32    // bytes that the other functions may write
};

// Writes exactly `width` characters, as "%*.*f" of printf. Returns false if v needs more characters or is not finite;
// the text is then undefined.
bool trj_print_fixed(char *to, size_t width, unsigned decimals, double v);

// Writes v with `digits` significant digits (at least 1), as "%.*g" of printf. Returns the number of characters.
size_t trj_print_general(char to[TRJ_DECIMAL_CAPACITY], unsigned digits, double v);

// Writes the fewest digits that read as the same float32 (float64). Returns the number of characters. trj_print_real is
// not faster than printf.
size_t trj_print_float(char to[TRJ_DECIMAL_CAPACITY], float v);
size_t trj_print_real(char to[TRJ_DECIMAL_CAPACITY], double v);

#endif
