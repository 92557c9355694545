// SPDX-License-Identifier: MIT
// Computes the coefficients of real solid harmonics from their closed formula, in long double, so that no table of 91
// functions can contain a wrong digit.
#include "solid_harmonics.h"

#include <math.h>

static long double factorial(int n) {
    long double product = 1;
    for (int k = 2; k <= n; k++) product *= k;
    return product;
}

static long double binomial(int n, int k) {
    return factorial(n) / (factorial(k) * factorial(n - k));
}

double orb_odd_factorial(int n) {
    double product = 1;
    for (int k = 3; k <= n; k += 2) product *= k;
    return product;
}

// Square roots are several times as fast as powl().
long double orb_radial_norm(uint32_t l, long double exponent) {
    const long double pi = 3.14159265358979323846264338327950288L;
    long double root = sqrtl(2 * exponent / pi), norm = root * sqrtl(root);
    for (uint32_t k = 0; k < l / 2; k++) norm *= 4 * exponent;
    return l % 2 ? norm * 2 * sqrtl(exponent) : norm;
}

int orb_pure_m(uint32_t l, size_t index) {
    static const int of_p[] = {1, -1, 0};
    if (l == 1) return of_p[index];
    return index % 2 ? (int)(index + 1) / 2 : -(int)index / 2;
}

size_t orb_cartesian_powers(uint32_t l, uint8_t power[ORB_CARTESIANS_MAX][3]) {
    size_t n = 0;
    for (uint32_t i = l + 1; i-- > 0;)
        for (uint32_t j = l - i + 1; j-- > 0; n++) {
            power[n][0] = (uint8_t)i;
            power[n][1] = (uint8_t)j;
            power[n][2] = (uint8_t)(l - i - j);
        }
    return n;
}

// Returns the place of x^i y^j z^k in the order of orb_cartesian_powers.
static size_t place(int l, int i, int j) {
    int above = l - i; // sum of j and k
    return (size_t)(above * (above + 1) / 2 + above - j);
}

// T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory, equations 6.4.47 to 6.4.50: the real
// solid harmonic in Racah's normalisation, without the phase (-1)^m. `twice` is 2 v of these equations, which is even
// for m >= 0, and odd for m < 0. The sums are exact before they are multiplied with the norm, so that terms that cancel
// leave 0.
static void solid_harmonic(int l, int m, long double coefficient[ORB_CARTESIANS_MAX]) {
    const int size = m < 0 ? -m : m;
    const long double squares = 2 * factorial(l + size) * factorial(l - size) / (m ? 1 : 2);
    for (int t = 0; 2 * t <= l - size; t++)
        for (int u = 0; u <= t; u++)
            for (int twice = m < 0; twice <= size; twice += 2) {
                long double c = ldexpl(1, -2 * t) * binomial(l, t) * binomial(l - t, size + t) * binomial(t, u) *
                                binomial(size, twice);
                int j = 2 * u + twice, i = 2 * t + size - j;
                coefficient[place(l, i, j)] += (t + twice / 2) % 2 ? -c : c;
            }
    for (size_t c = 0; c < ORB_CARTESIANS_MAX; c++) coefficient[c] *= sqrtl(squares) / (ldexpl(1, size) * factorial(l));
}

void orb_angular(uint32_t l, bool pure, size_t index, long double coefficient[ORB_CARTESIANS_MAX]) {
    uint8_t power[ORB_CARTESIANS_MAX][3];
    size_t n = orb_cartesian_powers(l, power);
    for (size_t c = 0; c < ORB_CARTESIANS_MAX; c++) coefficient[c] = 0;
    if (pure) {
        solid_harmonic((int)l, orb_pure_m(l, index), coefficient);
        for (size_t c = 0; c < n; c++) coefficient[c] /= sqrtl(orb_odd_factorial(2 * (int)l - 1));
    } else {
        double squares = 1;
        for (int k = 0; k < 3; k++) squares *= orb_odd_factorial(2 * power[index][k] - 1);
        coefficient[index] = 1 / sqrtl(squares);
    }
}
