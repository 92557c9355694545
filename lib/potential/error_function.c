// SPDX-License-Identifier: MIT
// Provides erf and erfc for tables and references, because those of libm differ in the last bit between systems.
#include "error_function.h"

#include "error_function_inline.h"

double pot_erf(double x) {
    return pot_erf_inline(x);
}

double pot_erfc(double x) {
    return pot_erfc_inline(x);
}
