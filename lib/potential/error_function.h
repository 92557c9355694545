// SPDX-License-Identifier: MIT
// The error function and its complement, whose results have the same bytes on every machine, because they use only
// operations that IEEE 754 defines, in a stated order (see also elementary.h).
//
// tests/unit/test_error_function.c compares them with libm.
#ifndef POT_ERROR_FUNCTION_H
#define POT_ERROR_FUNCTION_H

// Returns erf(x) = 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x. The relative error is below 4e-16; NaN for
// NaN.
double pot_erf(double x);
// Returns erfc(x) = 1 - erf(x). The relative error is below 1e-15 where the result is a normal number; 0 above 27.3;
// NaN for NaN.
double pot_erfc(double x);

#endif
