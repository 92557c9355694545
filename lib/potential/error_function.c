// SPDX-License-Identifier: MIT
#include "error_function.h"

#include "erf_anywhere.h"

double pot_erf(double x) {
    return pot_erf_anywhere(x);
}

double pot_erfc(double x) {
    return pot_erfc_anywhere(x);
}
