// SPDX-License-Identifier: MIT
// Defines 1/sqrt(x) in float32 by operations whose results have the same bytes on every processor. Instructions for an
// approximate inverse root differ between vendors, and a correctly rounded root and division are slower.
//
// For a normal number x > 0, with each operation rounded to nearest and each FMA rounded once:
//     y = float of MAGIC - (bits(x) >> 1)                                   (uint32)
//     t = x * y,  d = fma(-t, y, 1)
//     w = fma(C4, d, C3);  w = fma(w, d, C2);  w = fma(w, d, C1);  w = fma(w, d, 1)
// Then y * w is 1/sqrt(x), and t * w is sqrt(x), each without a last rounding: callers multiply y by another factor.
//
// The error, with u = 2^-24. The integer subtraction halves the exponent, and y is within 3.5 % of 1/sqrt(x): 1 - x y^2
// is within 0.0682 (C. J. Walczyk et al., Computation 9 (2021) 21, and references there, derive it). For such d, the
// polynomial differs from (1 - d)^(-1/2) by at most 0.39 u of it; its coefficients are a weighted least-squares fit
// with equal maxima (Lawson's algorithm), rounded to float32. The rounding of t changes d by at most 1.07 u, hence w by
// 0.6 u, and the rounding of d itself is below 0.04 u. The last operation rounds by at most u, and those before it by
// less than 0.1 u. The sum is below POT_ROOT_ERROR; tests/unit/test_pair_sum.c measures 1.9 u for all x of two binades,
// which represent all others: x = 4^n x'.
#ifndef POT_INVERSE_ROOT_H
#define POT_INVERSE_ROOT_H

#define POT_ROOT_MAGIC 0x5f374800u
#define POT_ROOT_1     0x1.ffff90p-2f
#define POT_ROOT_2     0x1.7fff56p-2f
#define POT_ROOT_3     0x1.4177fap-2f
#define POT_ROOT_4     0x1.198ed4p-2f

#define POT_ROOT_ERROR (2.2 * 0x1p-24) // relative, of y * w and of t * w before the last rounding

#endif
