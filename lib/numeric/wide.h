// SPDX-License-Identifier: MIT
// Integers of 128 bits: exact sums of many terms, as tables contain them.
#ifndef TRJ_WIDE_H
#define TRJ_WIDE_H

#include <stdbool.h>
#include <stddef.h>

__extension__ typedef __int128 trj_wide;

enum { TRJ_WIDE_CAPACITY = 41 }; // characters of the longest number and a NUL

// Writes an integer as decimal text.
void trj_wide_print(char text[TRJ_WIDE_CAPACITY], trj_wide value);
// Returns whether the whole text is one decimal integer in the range of trj_wide, in the form that trj_wide_print
// writes, and sets *value to it.
bool trj_wide_parse(const char *text, trj_wide *value);

// Each returns false if the result is outside of the range; *to is then undefined.
static inline bool trj_wide_add(trj_wide *to, trj_wide a, trj_wide b) {
    return !__builtin_add_overflow(a, b, to);
}
static inline bool trj_wide_multiply(trj_wide *to, trj_wide a, trj_wide b) {
    return !__builtin_mul_overflow(a, b, to);
}
// Adds a product.
static inline bool trj_wide_add_product(trj_wide *to, trj_wide a, trj_wide b) {
    trj_wide product;
    return trj_wide_multiply(&product, a, b) && trj_wide_add(to, *to, product);
}
// Returns the largest integer that is not above a / b, where b > 0.
static inline trj_wide trj_wide_floor(trj_wide a, trj_wide b) {
    return a / b - (a % b < 0);
}

#endif
