// SPDX-License-Identifier: MIT
// Numbers as decimal text, many of them: what printf would write, several times as fast.
#ifndef TRJ_DECIMAL_H
#define TRJ_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TRJ_DECIMALS = 9,     // at most, of trj_print_fixed
    TRJ_SIGNIFICANT = 10, // digits at most, of trj_print_general
    TRJ_SHORTEST_MAX = 32 // room for a shortest number, or a general one
};

// Exactly `width` characters, no NUL: what "%*.*f" writes for these. false: it has more characters, or v is not finite; the text is
// undefined then.
bool trj_print_fixed(char *to, size_t width, unsigned decimals, double v);

// What "%.*g" writes, with 1 to TRJ_SIGNIFICANT digits. No NUL behind it; returns how many characters there are.
size_t trj_print_general(char to[TRJ_SHORTEST_MAX], unsigned digits, double v);

// The fewest digits that read as the same float32 (float64) again. No NUL behind them; returns how many characters there are.
size_t trj_print_float(char to[TRJ_SHORTEST_MAX], float v);
size_t trj_print_real(char to[TRJ_SHORTEST_MAX], double v);

#endif
