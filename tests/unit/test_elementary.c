// SPDX-License-Identifier: MIT
// Exponential function and logarithm, compared with those of libm in long double.
#include "elementary.h"
#include "elementary_exp.h"
#include "tap.h"
#include "uniform.h"

// Returns the error in units in the last place of the exact value.
static double units(double value, long double exact) {
    double near = (double)exact, unit = nextafter(fabs(near), INFINITY) - fabs(near);
    return (double)(fabsl((long double)value - exact) / (long double)unit);
}

int main(void) {
    double worst_exp = 0, worst_negative = 0, worst_log = 0, worst_near = 0;
    for (int i = 0; i < 1000000; i++) {
        double x = (uniform() - 0.5) * (i % 2 ? 1400 : 4), y = ldexp(1 + uniform(), (int)(uniform() * 2000) - 1000);
        if (x > -708 && x < 709) worst_exp = fmax(worst_exp, units(trj_exp(x), expl((long double)x)));
        x = -fabs(x);
        worst_negative = fmax(worst_negative, units(trj_exp_of_negative(x), expl((long double)x)));
        worst_log = fmax(worst_log, units(trj_log(y), logl((long double)y)));
        double near = 0.5 + uniform();
        if (near != 1) worst_near = fmax(worst_near, units(trj_log(near), logl((long double)near)));
    }
    ok(worst_exp < 2, "exp: largest error %g units in the last place", worst_exp);
    ok(worst_negative < 2, "exp of negative numbers: largest error %g units in the last place", worst_negative);
    ok(trj_exp_of_negative(0) == 1 && trj_exp_of_negative(-700) > 0 && trj_exp_of_negative(-701) == 0 &&
           trj_exp_of_negative(-INFINITY) == 0,
       "exp of negative numbers: limits");
    ok(worst_log < 2, "log: largest error %g units in the last place", worst_log);
    ok(worst_near < 2, "log from 0.5 to 1.5: largest error %g units in the last place", worst_near);
    ok(trj_exp(0) == 1 && trj_log(1) == 0 && trj_log(0x1p-1074) < -744 && trj_exp(-745) > 0, "exact and small values");
    ok(trj_exp(-INFINITY) == 0 && trj_exp(INFINITY) == INFINITY && isnan(trj_exp(NAN)) && trj_exp(710) == INFINITY &&
           trj_exp(-750) == 0 && isfinite(trj_exp(709.7)),
       "exp: limits");
    ok(trj_log(0) == -INFINITY && isnan(trj_log(-1)) && isnan(trj_log(NAN)) && trj_log(INFINITY) == INFINITY,
       "log: limits");
    return done();
}
