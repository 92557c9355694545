// SPDX-License-Identifier: MIT
#include "error_function.h"

#include <math.h>

#include "erf_anywhere.h"

double pot_erf(double x) {
    return pot_erf_anywhere(x);
}

double pot_erfc(double x) {
    if (isnan(x)) return x;
    if (x > 27.3) return 0;
    if (x < -6) return 2;
    return x < 0.25 ? 1 - pot_erf(x) : pot_erfc_tail(x);
}
