// SPDX-License-Identifier: MIT
// The error functions, compared with those of libm in long double.
#include "error_function.h"
#include "tap.h"
#include "uniform.h"

// Sets the largest relative errors of n random points from `low` to `high`.
static void compare(double low, double high, int n, double *erf_error, double *erfc_error) {
    *erf_error = *erfc_error = 0;
    for (int i = 0; i < n; i++) {
        double x = low + (high - low) * uniform();
        long double f = erfl((long double)x), c = erfcl((long double)x);
        *erf_error = fmax(*erf_error, (double)fabsl(((long double)pot_erf(x) - f) / f));
        *erfc_error = fmax(*erfc_error, (double)fabsl(((long double)pot_erfc(x) - c) / c));
    }
}

int main(void) {
    static const double limits[] = {-7, -1, -0.01, 0, 0.01, 0.25, 0.5, 1, 2, 4, 6, 10, 26};
    for (size_t i = 0; i + 1 < sizeof limits / sizeof *limits; i++) {
        double erf_error, erfc_error;
        compare(limits[i], limits[i + 1], 200000, &erf_error, &erfc_error);
        ok(erf_error < 4e-16 && erfc_error < 1e-15, "%g to %g: relative errors of erf %.2g, of erfc %.2g", limits[i],
           limits[i + 1], erf_error, erfc_error);
    }
    ok(pot_erf(0) == 0 && pot_erfc(0) == 1 && pot_erf(1e-300) > 1.12e-300 && pot_erf(1e-300) < 1.13e-300,
       "0 and small values");
    ok(pot_erf(INFINITY) == 1 && pot_erf(-INFINITY) == -1 && pot_erfc(INFINITY) == 0 && pot_erfc(-INFINITY) == 2 &&
           pot_erfc(28) == 0 && pot_erfc(-6.5) == 2,
       "limits");
    ok(isnan(pot_erf(NAN)) && isnan(pot_erfc(NAN)), "NaN");
    ok(pot_erf(-0.7) == -pot_erf(0.7) && pot_erf(-1.3) == -pot_erf(1.3), "erf is odd");
    return done();
}
