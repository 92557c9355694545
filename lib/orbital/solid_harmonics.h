// SPDX-License-Identifier: MIT
// The angular parts of basis functions as polynomials in x, y and z, and the norms of Gaussian primitives.
//
// A function of a shell is N_l(a) exp(-a r^2) times the sum of c_ijk x^i y^j z^k with i + j + k = l. The radial factor
// N_l(a) = (2 a / pi)^(3/4) (4 a)^(l/2) is the same for all functions of a shell, Cartesian or pure; orb_angular
// returns those c_ijk with which each function has norm 1. The integral of (x^i y^j z^k)^2 exp(-2 a r^2) is
// (2i-1)!! (2j-1)!! (2k-1)!! / N_l(a)^2, and that of a squared solid harmonic in Racah's normalisation, with the same
// exponential, is (2l-1)!! / N_l(a)^2.
#ifndef ORB_SOLID_HARMONICS_H
#define ORB_SOLID_HARMONICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wave_function.h"

// Sets the powers i, j, k of the (l + 1)(l + 2)/2 Cartesian components of l, in the order of wave_function.h. Returns
// their number.
size_t orb_cartesian_powers(uint32_t l, uint8_t power[ORB_CARTESIANS_MAX][3]);

// Sets the coefficient of each Cartesian component in function number `index` of a shell. `l` is at most ORB_L_MAX.
void orb_angular(uint32_t l, bool pure, size_t index, long double coefficient[ORB_CARTESIANS_MAX]);

// Returns m of a pure function from its number in the shell: 0, +1, -1, +2, ...; for p functions, which are x, y, z:
// +1, -1, 0.
int orb_pure_m(uint32_t l, size_t index);

long double orb_radial_norm(uint32_t l, long double exponent); // N_l(a)
double orb_odd_factorial(int n);                               // n!! of odd n from -1 to 9; (-1)!! = 1

#endif
