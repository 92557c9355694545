// SPDX-License-Identifier: MIT
// Electron scattering factors of neutral atoms, f(s) = sum of a_i exp(-b_i s^2), i = 1 to 5, s = sin theta / lambda =
// q/(4 pi), in Å.
#ifndef TRJ_ELECTRON_FACTORS_H
#define TRJ_ELECTRON_FACTORS_H

enum { TRJ_ELECTRON_TERMS = 5, TRJ_ELECTRON_ELEMENTS = 99 };
// [Z][0]: a_i in Å; [Z][1]: b_i in Å^2; Z = 1 .. 98. electron_factors.c gives the source.
extern const double trj_electron_factors[TRJ_ELECTRON_ELEMENTS][2][TRJ_ELECTRON_TERMS];

#endif
