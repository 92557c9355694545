// SPDX-License-Identifier: MIT
// Computes tails by series and continued fractions: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions
// (1964), 6.5.29, 6.5.31, 26.5.8. The C library has no such functions.
#include "distributions.h"

#include <math.h>

static const double smallest = 1e-300, converged = 1e-15;
enum { MAX_TERMS = 100000 };

// Evaluates b0 + a1/(b1 + a2/(b2 + ...)) term by term (W. J. Lentz, Appl. Opt. 15, 668 (1976)). Returns the factor.
static double lentz(double *c, double *d, double a, double b) {
    *d = b + a * *d;
    *c = b + a / *c;
    if (fabs(*d) < smallest) *d = smallest;
    if (fabs(*c) < smallest) *c = smallest;
    *d = 1 / *d;
    return *c * *d;
}

double curve_chi2_tail(double v, double freedom) {
    double a = freedom / 2, x = v / 2;
    if (isnan(v) || !(freedom > 0)) return NAN;
    if (!(x > 0)) return 1;
    if (isinf(x)) return 0;
    double scale = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < MAX_TERMS && term > sum * converged; i++) sum += term *= x / (a + i);
        return fmax(1 - sum * scale, 0);
    }
    double b = x + 1 - a, c = 1 / smallest, d = 1 / b, f = d;
    for (int i = 1; i < MAX_TERMS; i++) {
        double factor = lentz(&c, &d, i * (a - i), b += 2);
        f *= factor;
        if (fabs(factor - 1) < converged) break;
    }
    return scale * f;
}

// Returns the regularised incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2).
static double beta_fraction(double x, double a, double b) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (fabs(d) < smallest) d = smallest;
    d = 1 / d;
    double f = d;
    for (int i = 1; i < MAX_TERMS; i++) {
        double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
               odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        f *= lentz(&c, &d, even, 1);
        double factor = lentz(&c, &d, odd, 1);
        f *= factor;
        if (fabs(factor - 1) < converged) break;
    }
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) * f / a;
}

double curve_f_tail(double v, double freedom1, double freedom2) {
    if (isnan(v) || !(freedom1 > 0) || !(freedom2 > 0)) return NAN;
    if (freedom2 > 1e7) return curve_chi2_tail(v * freedom1, freedom1); // differences of lgamma lose digits
    if (!(v > 0)) return 1;
    if (isinf(v)) return 0;
    double a = freedom2 / 2, b = freedom1 / 2, x = freedom2 / (freedom2 + freedom1 * v);
    return x < (a + 1) / (a + b + 2) ? beta_fraction(x, a, b) : 1 - beta_fraction(1 - x, b, a);
}

double curve_student_tail(double t, double freedom) {
    return curve_f_tail(t * t, 1, freedom);
}

double curve_student_quantile(double percent, double freedom) {
    double outside = 1 - percent / 100, low = 0, high = 1;
    if (!(percent > 0 && percent < 100) || !(freedom > 0)) return NAN;
    while (curve_student_tail(high, freedom) > outside && high < 1e300) high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        *(curve_student_tail(middle, freedom) > outside ? &low : &high) = middle;
    }
    return high;
}
