// SPDX-License-Identifier: MIT
// Scans decimal numbers exactly and independently of the locale, because strtof would take most of the time of reading
// text formats.
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"

bool trj_parse_u64(const char *text, uint64_t *value) {
    if (!isdigit((unsigned char)text[0])) return false; // strtoull accepts "-1"
    int64_t small;
    char *end = NULL;
    const char *p = trj_scan_i64(text, &small);
    if (p) {
        if (!*p) *value = (uint64_t)small;
        return !*p;
    }
    errno = 0; // too large for trj_scan_i64
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || *end) return false;
    *value = v;
    return true;
}

bool trj_parse_i64(const char *text, int64_t *value) {
    int64_t small;
    char *end = NULL;
    const char *p = trj_scan_i64(text, &small);
    if (p) {
        if (!*p) *value = small;
        return !*p;
    }
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    if (!isdigit((unsigned char)digits[0])) return false; // strtoll accepts blanks
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (errno || *end) return false;
    *value = v;
    return true;
}

bool trj_parse_real(const char *text, double *value) {
    double v;
    const char *end = trj_scan_real(text, &v);
    if (!end || *end || !isfinite(v)) return false;
    *value = v;
    return true;
}

size_t trj_parse_reals(const char *text, double *values, size_t max_count) {
    for (size_t n = 0; n < max_count; n++) {
        const char *end = trj_scan_real(text, &values[n]);
        if (!end || !isfinite(values[n])) return 0;
        if (!*end) return n + 1;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

// ---- numbers in text files: a frame can contain millions

// The number digits * 10^exponent.
struct decimal {
    uint64_t digits; // the first 19 digits
    int exponent;
    bool negative, inexact; // inexact: further digits, which are not all 0, were omitted
};

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static inline const char *scan_digits(const char *p, struct decimal *d, int decimals) {
    for (; is_digit(*p); p++) {
        if (d->digits < 1000000000000000000u) {
            d->digits = 10 * d->digits + (unsigned char)(*p - '0');
            d->exponent -= decimals;
        } else {
            d->inexact |= *p != '0';
            d->exponent += 1 - decimals;
        }
    }
    return p;
}

static const char *scan_exponent(const char *p, struct decimal *d) {
    bool negative = *p == '-';
    int e = 0;
    p += *p == '-' || *p == '+';
    if (!is_digit(*p)) return NULL;
    for (; is_digit(*p); p++) e = e < 100000 ? 10 * e + (*p - '0') : e;
    d->exponent += negative ? -e : e;
    return p;
}

static inline const char *scan_decimal(const char *p, struct decimal *d) {
    *d = (struct decimal){.negative = *p == '-'};
    p += *p == '-' || *p == '+';
    const char *first = p;
    p = scan_digits(p, d, 0);
    size_t length = (size_t)(p - first);
    if (*p == '.') {
        const char *point = p++;
        p = scan_digits(p, d, 1);
        length += (size_t)(p - point) - 1;
    }
    if (!length) return NULL;
    return *p == 'e' || *p == 'E' ? scan_exponent(p + 1, d) : p;
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // all exact

static inline double scale(const struct decimal *d) {
    double v = (double)d->digits;
    return d->exponent < 0 ? v / power_of_ten[-d->exponent] : v * power_of_ten[d->exponent];
}

// Two roundings and the omitted digits change the float64 quotient or product v by less than 3 units in its last place.
// Rounding v to float32 then gives the nearest float32, unless the midpoint of two float32 lies between v and the exact
// number. The float64 of a midpoint ends in a 1 and 28 zeros, so that the last 29 bits of v show whether a midpoint is
// within 3 units; the function then returns false. For the exponents allowed here, all values are normal float32.
static inline bool round_to_float(const struct decimal *d, float *value) {
    double v = scale(d);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t off = (int64_t)(bits & ((1u << 29) - 1)) - (1 << 28);
    bits |= (uint64_t)d->negative << 63; // no branch, because signs of coordinates are random
    memcpy(&v, &bits, sizeof v);
    *value = (float)v;
    return off > 3 || off < -3;
}

// Calls strtof or strtod; one of `f` and `d` is NULL. The calling thread has the locale C meanwhile, because the
// program may have set one whose decimal point is a comma.
static void convert(const char *text, float *f, double *d) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c);
    if (f) *f = strtof(text, NULL);
    if (d) *d = strtod(text, NULL);
    uselocale(old);
    if (c) freelocale(c);
}

const char *trj_scan_float(const char *text, float *value) {
    struct decimal d;
    const char *end = scan_decimal(text, &d);
    if (!end) return NULL;
    if (d.digits && d.exponent >= -22 && d.exponent <= 18 && round_to_float(&d, value)) return end;
    if (d.digits)
        convert(text, value, NULL);
    else
        *value = d.negative ? -0.0f : 0.0f;
    return end;
}

// Appends the decimal digits of text to *digits, and returns where they end.
static inline const char *take_digits(const char *text, const char *end, uint64_t *digits) {
    unsigned digit;
    for (; text < end && (digit = (unsigned char)*text - (unsigned)'0') < 10; text++) *digits = 10 * *digits + digit;
    return text;
}

// Reads a number of 4 to 8 characters, digits and a point, without a branch for each: their numbers differ so much
// between coordinates that the processor predicts every second branch wrong.
static inline bool scan_short(const char *text, size_t n, struct decimal *d, float *value) {
    const uint64_t ones = 0x0101010101010101;
    const bool swap = !trj_host_is_little_endian();
    // Character k is byte k of v; the two loads overlap.
    uint64_t v = trj_load_u32((const unsigned char *)text, swap) |
                 (uint64_t)trj_load_u32((const unsigned char *)text + n - 4, swap) << (8 * (n - 4));
    uint64_t x = v ^ ones * '.', point = (x - ones) & ~x & ones << 7; // its lowest bit is exact
    if (!point) return false;
    uint64_t before = ((point & -point) >> 7) - 1;
    v = (v & before) | (v >> 8 & ~before);                       // without the point
    v = (v ^ ones * '0') << (8 * (9 - n));                       // eight digits, the first ones 0
    if (((v + ones * (0x7f - 9)) | v) & ones << 7) return false; // not only digits
    v = 10 * v + (v >> 8);                                       // each second byte: two digits
    v = (v & 0xff000000ff) * 0xf424000000064 + (v >> 16 & 0xff000000ff) * 0x271000000001;
    d->digits = v >> 32;
    d->exponent = __builtin_ctzll(point) / 8 + 1 - (int)n;
    return d->digits && round_to_float(d, value);
}

bool trj_scan_columns(const char *text, size_t width, float *value) {
    struct decimal d = {.negative = false};
    const char *end = text + width;
    if (width > 19) return false;
    while (text < end && *text == ' ') text++;
    d.negative = text < end && *text == '-';
    text += d.negative;
    if (end - text >= 4 && end - text <= 8) return scan_short(text, (size_t)(end - text), &d, value);
    text = take_digits(text, end, &d.digits);
    if (text == end || *text != '.') return false;
    const char *fraction = text + 1;
    if (take_digits(fraction, end, &d.digits) != end || !d.digits) return false;
    d.exponent = -(int)(end - fraction);
    return round_to_float(&d, value);
}

// Up to 2^53, the digits are a float64, and so are these powers of ten. The quotient or product is then rounded once,
// which gives the nearest float64 (W. D. Clinger, PLDI 1990).
const char *trj_scan_real(const char *text, double *value) {
    struct decimal d;
    const char *end = scan_decimal(text, &d);
    if (!end) return NULL;
    if (d.digits <= (uint64_t)1 << 53 && !d.inexact && d.exponent >= -22 && d.exponent <= 22) {
        double v = scale(&d);
        *value = d.negative ? -v : v;
    } else {
        convert(text, NULL, value);
    }
    return end;
}

const char *trj_scan_i64(const char *text, int64_t *value) {
    bool negative = *text == '-';
    const char *p = text + (*text == '-' || *text == '+'), *first = p;
    int64_t v = 0;
    for (; is_digit(*p); p++) {
        if (v > (INT64_MAX - 9) / 10) return NULL;
        v = 10 * v + (*p - '0');
    }
    *value = negative ? -v : v;
    return p > first ? p : NULL;
}

const char *trj_scan_fortran(const char *text, double *value) {
    char copy[64];
    const char *end = trj_scan_real(text, value);
    if (!end) return NULL;
    size_t n = (size_t)(end - text);
    bool letter = *end == 'D' || *end == 'd';
    if (!letter && ((*end != '+' && *end != '-') || memchr(text, 'e', n) || memchr(text, 'E', n))) return end;
    const char *exponent = end + letter, *first = exponent + (*exponent == '+' || *exponent == '-'), *last = first;
    while (is_digit(*last)) last++;
    if (!letter && (last == first || last - first > 3 || *last == '.')) return end; // the sign of another number
    size_t length = (size_t)(last - exponent);
    if (last == first || n + length + 2 > sizeof copy) return NULL;
    memcpy(copy, text, n);
    copy[n] = 'e';
    memcpy(copy + n + 1, exponent, length);
    copy[n + 1 + length] = 0;
    return trj_scan_real(copy, value) ? last : NULL;
}
