// SPDX-License-Identifier: MIT
#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double power_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

// The last `count` digits of n, the last one before `end`. Returns what is left of n.
static inline uint64_t put_last(char *end, uint64_t n, unsigned count) {
    for (; count >= 2; count -= 2, n /= 100) memcpy(end -= 2, pairs + 2 * (n % 100), 2);
    if (count) {
        *--end = (char)('0' + n % 10);
        n /= 10;
    }
    return n;
}

// All digits of n, at least one. Returns where they begin.
static inline char *put_all(char *end, uint64_t n) {
    for (; n >= 100; n /= 100) memcpy(end -= 2, pairs + 2 * (n % 100), 2);
    if (n >= 10) {
        memcpy(end - 2, pairs + 2 * n, 2);
        return end - 2;
    }
    *--end = (char)('0' + n);
    return end;
}

static bool print_slowly(char *to, size_t width, unsigned decimals, double v) {
    char text[512];
    int n = snprintf(text, sizeof text, "%*.*f", (int)width, (int)decimals, v);
    if (!isfinite(v) || n < 0 || (size_t)n != width) return false;
    memcpy(to, text, width);
    return true;
}

// v 10^decimals, rounded to float64, is off by half a unit in its last place. Rounded again, to a whole number, it is what the exact
// product gives, unless a half lies between; a float32 and these powers have together fewer than 53 bits, and the product is exact.
bool trj_print_fixed(char *to, size_t width, unsigned decimals, double v) {
    enum { DIGITS = 20 };
    char digits[DIGITS + 4];
    double scaled = fabs(v) * power_of_ten[decimals];
    if (!(scaled < 0x1p52)) return print_slowly(to, width, decimals, v);
    uint64_t n = (uint64_t)llrint(scaled); // halves to even, as printf
    double off = fabs(fabs(scaled - (double)n) - 0.5);
    if (off <= scaled * 0x1p-52 && (double)(float)v != v) return print_slowly(to, width, decimals, v);
    char *end = digits + sizeof digits, *point = end - decimals;
    n = put_last(end, n, decimals);
    if (decimals) *--point = '.';
    char *begin = put_all(point, n);
    if (signbit(v)) *--begin = '-';
    size_t length = (size_t)(end - begin);
    if (length > width) return false;
    memset(to, ' ', width - length);
    memcpy(to + width - length, begin, length);
    return true;
}

static size_t copy(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return n;
}

// All numbers between the middles of v and its neighbours read as v. n / 10^decimals is one of them if n is nearer to v 10^decimals than
// these are. What is rounded on the way is 2^-28 of that, far less than the part that is left out.
size_t trj_print_float(char to[TRJ_SHORTEST_MAX], float v) {
    char text[TRJ_SHORTEST_MAX];
    double size = fabs((double)v);
    if (v == 0) return copy(to, signbit(v) ? "-0" : "0");
    if (!(size >= 1e-5 && size < 1e7)) {
        for (int digits = 1; digits <= 9; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, (double)v);
            if (strtof(text, NULL) == v) break;
        }
        return copy(to, text);
    }
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exponent = (int)(bits >> 23 & 255) - 127;
    uint64_t half_bits = (uint64_t)(1023 + exponent - 24 - !(bits & 0x7fffff))
                         << 52; // the neighbour below a power of 2 is nearer
    double half;
    memcpy(&half, &half_bits, sizeof half);
    half *= 1 - 0x1p-20;
    unsigned decimals = 0;
    double scaled = size;
    uint64_t n = (uint64_t)llrint(scaled);
    while (fabs(scaled - (double)n) >= half * power_of_ten[decimals] && decimals < 14) {
        scaled = size * power_of_ten[++decimals];
        n = (uint64_t)llrint(scaled);
    }
    char *end = text + sizeof text, *point = end - decimals;
    n = put_last(end, n, decimals);
    if (decimals) *--point = '.';
    char *begin = put_all(point, n);
    if (v < 0) *--begin = '-';
    memcpy(to, begin, (size_t)(end - begin));
    return (size_t)(end - begin);
}

size_t trj_print_real(char to[TRJ_SHORTEST_MAX], double v) {
    char text[TRJ_SHORTEST_MAX];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    return copy(to, text);
}
