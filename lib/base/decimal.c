// SPDX-License-Identifier: MIT
// Prints numbers by integer arithmetic where it is proved to round as printf does, and by printf elsewhere.
#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double power_of_ten[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                      1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

// Writes the last `count` digits of n, ending before `end`. Returns n without these digits.
static inline uint64_t put_last(char *end, uint64_t n, unsigned count) {
    for (; count >= 2; count -= 2, n /= 100) memcpy(end -= 2, pairs + 2 * (n % 100), 2);
    if (count) {
        *--end = (char)('0' + n % 10);
        n /= 10;
    }
    return n;
}

// Writes the eight digits of n < 10^8. The digits are computed in parallel in one word: two numbers of four digits,
// then four of two digits, then eight of one.
static inline void put_eight(char to[8], uint32_t n) {
    uint64_t v = n / 10000 | (uint64_t)(n % 10000) << 32, upper = (v * 10486 >> 20) & 0x7f0000007f;
    v = upper | (v - 100 * upper) << 16;
    upper = (v * 103 >> 10) & 0x000f000f000f000f;
    v = (upper | (v - 10 * upper) << 8) | 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(to, &v, sizeof v);
}

// Writes n / 10^decimals, n < 10^16, without leading zeros. Lengths of numbers vary, so that branches on them would
// often be mispredicted. Blocks of constant size are copied instead, of which a part may be overwritten or unused.
static inline size_t put_point(char to[TRJ_DECIMAL_CAPACITY], uint64_t n, unsigned decimals, bool negative) {
    enum { DIGITS = 16 };
    char digits[2 * DIGITS];
    put_eight(digits, (uint32_t)(n / 100000000));
    put_eight(digits + 8, (uint32_t)(n % 100000000));
    unsigned guess = (unsigned)(64 - __builtin_clzll(n | 1)) * 1233 >> 12; // log10(2) is 1233 / 4096
    unsigned all = guess + ((double)n >= power_of_ten[guess]), before = all > decimals ? all - decimals : 1;
    to[0] = '-';
    to += negative;
    memcpy(to, digits + DIGITS - decimals - before, DIGITS);
    to[before] = '.';
    memcpy(to + before + 1, digits + DIGITS - decimals, DIGITS);
    return negative + before + (decimals > 0) + decimals;
}

static bool print_with_printf(char *to, size_t width, unsigned decimals, double v) {
    char text[512];
    int n = snprintf(text, sizeof text, "%*.*f", (int)width, (int)decimals, v);
    if (!isfinite(v) || n < 0 || (size_t)n != width) return false;
    memcpy(to, text, width);
    return true;
}

// The float64 product v 10^decimals has an error of at most half a unit in its last place. Rounding it to a whole
// number gives the same as rounding the exact product, unless n + 1/2 lies between the two; printf then decides. If v
// is a float32, the product is exact, because the factors together have fewer than 53 bits.
bool trj_print_fixed(char *to, size_t width, unsigned decimals, double v) {
    double scaled = fabs(v) * power_of_ten[decimals];
    if (!(scaled < 0x1p52)) return print_with_printf(to, width, decimals, v);
    uint64_t n = (uint64_t)llrint(scaled); // rounds half to even, as printf
    double off = fabs(fabs(scaled - (double)n) - 0.5);
    if (off <= scaled * 0x1p-52 && (double)(float)v != v) return print_with_printf(to, width, decimals, v);
    char *p = to + width;
    if (width < decimals + 1) return false;
    if (decimals) {
        n = put_last(p, n, decimals);
        p -= decimals;
        *--p = '.';
    }
    do {
        if (p == to) return false;
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    if (signbit(v)) {
        if (p == to) return false;
        *--p = '-';
    }
    while (p > to) *--p = ' ';
    return true;
}

static size_t copy(char *to, const char *text) {
    size_t n = 0;
    for (; text[n]; n++) to[n] = text[n];
    return n;
}

// As in trj_print_fixed, |v| 10^decimals is rounded to a whole number, which must have exactly `digits` digits. If the
// product is too near to n + 1/2, or the rounded number has one digit more or less, printf is used.
size_t trj_print_general(char to[TRJ_DECIMAL_CAPACITY], unsigned digits, double v) {
    char text[TRJ_DECIMAL_CAPACITY];
    double size = fabs(v);
    if (v == 0) return copy(to, signbit(v) ? "-0" : "0");
    if (size >= 1e-4 && size < power_of_ten[digits]) {
        unsigned before = 0, zeros = 0; // digits before the point; zeros directly after it
        while (size >= power_of_ten[before]) before++;
        while (!before && zeros < 3 && size * power_of_ten[zeros + 1] < 1) zeros++;
        unsigned decimals = digits - before + zeros;
        double scaled = size * power_of_ten[decimals];
        uint64_t n = (uint64_t)llrint(scaled);
        double off = fabs(fabs(scaled - (double)n) - 0.5);
        if (off > scaled * 0x1p-52 && (double)n >= power_of_ten[digits - 1] && (double)n < power_of_ten[digits]) {
            for (; decimals && n % 10 == 0; n /= 10) decimals--;
            return put_point(to, n, decimals, v < 0);
        }
    }
    snprintf(text, sizeof text, "%.*g", (int)digits, v);
    return copy(to, text);
}

// All numbers between the two midpoints of v and the adjacent float32 read as v. n / 10^decimals is one of them if n is
// nearer to v 10^decimals than the midpoints are. Rounding errors are 2^-28 of this distance, and the distance is
// reduced by 2^-20, so that they cannot matter.
size_t trj_print_float(char to[TRJ_DECIMAL_CAPACITY], float v) {
    char text[TRJ_DECIMAL_CAPACITY];
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
                         << 52; // below a power of 2, the adjacent float32 is nearer
    double half;
    memcpy(&half, &half_bits, sizeof half);
    half *= 1 - 0x1p-20;
    // 10^-decimals < 2^(exponent - 24), which is enough digits. If a number of decimals is enough, so is a larger one;
    // the loop therefore reduces it while it is enough.
    unsigned decimals = (unsigned)((24 - exponent) * 1233 >> 12) + 1; // log10(2) is 1233 / 4096
    while (decimals) {
        double scaled = size * power_of_ten[decimals - 1];
        if (fabs(scaled - (double)llrint(scaled)) >= half * power_of_ten[decimals - 1]) break;
        decimals--;
    }
    return put_point(to, (uint64_t)llrint(size * power_of_ten[decimals]), decimals, v < 0);
}

size_t trj_print_real(char to[TRJ_DECIMAL_CAPACITY], double v) {
    char text[TRJ_DECIMAL_CAPACITY];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    return copy(to, text);
}
