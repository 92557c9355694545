// SPDX-License-Identifier: MIT
// Compares decimal text with printf and strtof: for random numbers, midpoints, powers of two, and numbers that just
// fit.
#include <stdint.h>

#include "decimal.h"
#include "number.h"
#include "tap.h"

static uint64_t state = 1;

static uint64_t dice(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static bool fixed_is_printf(size_t width, unsigned decimals, double v) {
    char want[512], got[64];
    int n = snprintf(want, sizeof want, "%*.*f", (int)width, (int)decimals, v);
    bool fits = trj_print_fixed(got, width, decimals, v);
    bool good = fits == (n == (int)width) && (!fits || !memcmp(want, got, width));
    if (!good) printf("# %.17g in %zu.%u: '%.*s', not '%s'\n", v, width, decimals, fits ? (int)width : 0, got, want);
    return good;
}

static void check_fixed(void) {
    bool good = true;
    for (unsigned decimals = 0; decimals <= TRJ_FIXED_DECIMALS_MAX; decimals++) {
        size_t width = 5 + decimals;
        for (int n = 0; n < 40000; n++) {
            double v = ((double)dice() / 0x1p64 - 0.5) * (double)(1u << dice() % 16);
            good = good && fixed_is_printf(width, decimals, v) && fixed_is_printf(width, decimals, (double)(float)v);
            good = good && fixed_is_printf(width, decimals, (double)(float)v / 10);
            // Numbers half-way between two decimals, and the float64 next to them.
            double half = ((double)(dice() % 100000) + 0.5) / 1000;
            good = good && fixed_is_printf(width, decimals, half) && fixed_is_printf(width, decimals, -half) &&
                   fixed_is_printf(width, decimals, nextafter(half, 0)) &&
                   fixed_is_printf(width, decimals, nextafter(half, 1e9));
            good = good && fixed_is_printf(width, decimals, (double)(dice() % 4096) / 64);
        }
    }
    ok(good, "random numbers and midpoints: the same text as printf");
    const double edges[] = {0,       -0.0,     9999.9994, 9999.9995, 9999.9996, -999.9994, -999.9995, -999.9996,
                            99999.5, 0x1p52,   0x1p53,    1e15,      1e16,      1e300,     -1e300,    1e-300,
                            -0.0004, -0.00051, 0.0005,    0.0015,    0.0025,    INFINITY,  -INFINITY, 0.5};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (unsigned decimals = 0; decimals <= TRJ_FIXED_DECIMALS_MAX; decimals++)
            for (size_t width = 1; width < 24; width++)
                good = good && (isinf(edges[i]) ? !trj_print_fixed((char[32]){0}, width, decimals, edges[i])
                                                : fixed_is_printf(width, decimals, edges[i]));
    ok(good, "numbers that just fit, and that do not fit, into the columns");
    ok(!trj_print_fixed((char[32]){0}, 3, 0, NAN), "NaN is rejected");
}

static bool general_is_printf(unsigned digits, double v) {
    char want[64], got[TRJ_DECIMAL_CAPACITY];
    int n = snprintf(want, sizeof want, "%.*g", (int)digits, v);
    size_t size = trj_print_general(got, digits, v);
    bool good = (int)size == n && !memcmp(want, got, size);
    if (!good) printf("# %.17g to %u digits: '%.*s', not '%s'\n", v, digits, (int)size, got, want);
    return good;
}

static void check_general(void) {
    bool good = true;
    for (unsigned digits = 1; digits <= TRJ_GENERAL_DIGITS_MAX; digits++) {
        for (int n = 0; n < 40000; n++) {
            double v = ((double)dice() / 0x1p64 - 0.5) * pow(10, (double)(dice() % 20) - 7);
            good = good && general_is_printf(digits, v) && general_is_printf(digits, (double)(float)v);
            // Numbers next to a midpoint of the last digit, and numbers that end in zeros.
            double half = ((double)(dice() % 1000000) + 0.5) / pow(10, (double)(dice() % 10));
            good = good && general_is_printf(digits, half) && general_is_printf(digits, -half) &&
                   general_is_printf(digits, nextafter(half, 0)) && general_is_printf(digits, nextafter(half, 1e9));
            good = good && general_is_printf(digits, (double)(dice() % 4096) / 64) &&
                   general_is_printf(digits, (double)(dice() % 4096) * 1000);
        }
        for (int e = -12; e <= 14; e++) {
            double power = pow(10, e), nines = power * (1 - pow(10, -(double)digits) / 2);
            for (int k = -3; k <= 3; k++)
                good = good && general_is_printf(digits, power * (1 + k * 0x1p-52)) &&
                       general_is_printf(digits, nines * (1 + k * 0x1p-52));
        }
    }
    ok(good, "random numbers, midpoints and powers of ten: the same digits as printf");
    const double edges[] = {0,      -0.0,      INFINITY,  -INFINITY,    5e-324,       1e300, 0.1,
                            0.0001, 9.9999e-5, 123456789, 9999999999.4, 9999999999.5, NAN};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (unsigned digits = 1; digits <= TRJ_GENERAL_DIGITS_MAX; digits++)
            good = good && general_is_printf(digits, edges[i]);
    ok(good, "infinities and NaN, and numbers with an exponent");
}

// Checks that the text reads as v, and that no text with fewer decimals, or fewer digits before an exponent, does.
static bool float_is_shortest(float v) {
    char text[TRJ_DECIMAL_CAPACITY + 1] = "", other[64];
    float back;
    text[trj_print_float(text, v)] = 0;
    const char *end = trj_scan_float(text, &back);
    bool good = end && !*end && !memcmp(&back, &v, sizeof v) && strtof(text, NULL) == v;
    const char *point = strchr(text, '.');
    int decimals = point ? (int)strlen(point + 1) : 0;
    if (good && decimals && !strchr(text, 'e')) {
        snprintf(other, sizeof other, "%.*f", decimals - 1, (double)v);
        good = strtof(other, NULL) != v;
    }
    if (!good) printf("# %.9g: '%s'\n", (double)v, text);
    return good;
}

static void check_shortest(void) {
    bool good = true;
    for (int n = 0; n < 400000; n++) good = good && float_is_shortest(float_of((uint32_t)dice() & 0x3fffffffu));
    for (int n = 0; n < 400000; n++) {
        float v = (float)(((double)dice() / 0x1p64 - 0.5) * (double)(1u << dice() % 20));
        good = good && float_is_shortest(v) && float_is_shortest((float)(rint((double)v * 1000) / 1000));
    }
    for (uint32_t exponent = 1; exponent < 255; exponent++)
        for (uint32_t low = 0; low < 64; low++)
            good = good && float_is_shortest(float_of(exponent << 23 | low)) &&
                   float_is_shortest(float_of((exponent << 23 | 0x800000u | low) - 65)) &&
                   float_is_shortest(-float_of(exponent << 23 | low << 17));
    good = good && float_is_shortest(float_of(1)) && float_is_shortest(float_of(0x7fffff));
    ok(good, "float32: the shortest text that reads as the same number");
    char text[TRJ_DECIMAL_CAPACITY];
    const struct {
        float v;
        const char *text;
    } known[] = {{0, "0"},           {-0.0f, "-0"},          {1, "1"},
                 {-1.5f, "-1.5"},    {0.1f, "0.1"},          {12.345f, "12.345"},
                 {1e7f, "1e+07"},    {9999999, "9999999"},   {-0.001f, "-0.001"},
                 {2e-5f, "0.00002"}, {16777216, "16777216"}, {100, "100"},
                 {99.99f, "99.99"},  {1e-7f, "1e-07"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = trj_print_float(text, known[i].v);
        ok(n == strlen(known[i].text) && !memcmp(text, known[i].text, n), "%s: %.*s", known[i].text, (int)n, text);
    }
    for (int n = 0; n < 200000; n++) {
        double v = ((double)dice() / 0x1p64 - 0.5) * ldexp(1, (int)(dice() % 200) - 100);
        char real[TRJ_DECIMAL_CAPACITY + 1] = "";
        real[trj_print_real(real, v)] = 0;
        good = good && strtod(real, NULL) == v;
    }
    ok(good, "float64: the text reads as the same number");
}

int main(void) {
    check_fixed();
    check_general();
    check_shortest();
    return done();
}
