// SPDX-License-Identifier: MIT
// Exponential function and logarithm whose results have the same bytes on every machine, because they use only
// operations that IEEE 754 defines, in a stated order. Those of libm can differ: variants are selected for the
// processor at run time.
//
// Errors are below 2 units in the last place; tests/unit/test_elementary.c compares them with libm.
#ifndef TRJ_ELEMENTARY_H
#define TRJ_ELEMENTARY_H

double trj_exp(double x); // as exp(): 0 for -inf and inf above 709.78
double trj_log(double x); // as log(): -inf for 0, NaN for negative numbers

#endif
