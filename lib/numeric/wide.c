// SPDX-License-Identifier: MIT
// Prints and reads integers of 128 bits, which the C library cannot.
#include "wide.h"

#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

void trj_wide_print(char text[TRJ_WIDE_CAPACITY], trj_wide value) {
    char digits[TRJ_WIDE_CAPACITY], *d = digits + sizeof digits;
    unsigned_wide rest = value < 0 ? -(unsigned_wide)value : (unsigned_wide)value;
    *--d = 0;
    do *--d = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (value < 0) *--d = '-';
    memcpy(text, d, (size_t)(digits + sizeof digits - d));
}

bool trj_wide_parse(const char *text, trj_wide *value) {
    const bool negative = *text == '-';
    const char *digits = text + negative;
    trj_wide v = 0;
    if (*digits == '0' && (negative || digits[1])) return false;
    for (const char *d = digits; *d; d++) {
        if (*d < '0' || *d > '9') return false;
        // Towards the sign, as the smallest number has no positive counterpart.
        const int digit = negative ? '0' - *d : *d - '0';
        if (!trj_wide_multiply(&v, v, 10) || !trj_wide_add(&v, v, digit)) return false;
    }
    if (!*digits) return false;
    *value = v;
    return true;
}
