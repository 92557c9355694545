// SPDX-License-Identifier: MIT
// Defines the contribution of one charge to the potential at one point, in the methods direct and mdh. It is a function
// of the charge, the point and the block of points (pair_blocks.h), whatever computes it.
//
// The exact value. With the distance r and the softening length s (0: none), r' is sqrt(r^2 + s^2) for plummer, max(r,
// s) for clip, and r otherwise. The contribution is
//     plain         charge / r',                  charge = q
//     dielectric    charge / r'^2,                charge = q / 4
//     screened      charge exp(-kappa r') / r',   charge = q exp(kappa radius) / (1 + kappa radius)
// where, for softening by a Gaussian charge, erf(r / (sqrt(2) s)) / r replaces 1/r'.
//
// Near charges, and all charges if the job is exact, with operations in float64, each rounded to nearest. d is the
// difference of the two positions:
//     r' = sqrt(((d_0 d_0 + d_1 d_1) + d_2 d_2) + s^2),  or max(r', s) for clip
//     x = charge / quantum / r'             (plain; the first division is exact)
//     x = charge / quantum / (r' r')        (dielectric)
//     x = (charge / quantum / r') E         (screened), with E of pot_pair_exponential(-kappa r')
// and within 8.5 s of a Gaussian, multiplications by pot_erf(r / (sqrt(2) s)) / r replace the division. The
// contribution is x rounded to an integer, ties to even. Its relative error is below 2^-50, without that of positions.
//
// Far charges, in float32. Positions are relative to the centre c of the block, and in units of 1/S Å: a =
// (float)((atom - c) S), p = (float)((point - c) S), and d = p - a. S is 1, but for screened it includes kappa, so that
// no operation multiplies by it. FMAs are rounded once:
//     r2 = fma(d_0, d_0, fma(d_1, d_1, fma(d_2, d_2, (float)(s S)^2)))
//     y = float of MAGIC - (bits(r2) >> 1),  t = r2 * y                      (MAGIC: inverse_root.h)
//     h = fma(-t, y, A0),  e = fma(h, h, A1),  w = fma(fma(h, A2, e), e, A3)
//     z = fma(q * y, w, M),  q = (float)(charge / A)                         (plain)
//     v = y * w,  z = fma(q * v, v, M),  q = (float)(charge / A^2)           (dielectric)
//     n = fma(-t, w, N),  f = fma(t, w, fma(n, L, -(N + 1)))
//     e = fma(f, f, B1),  g = fma(fma(fma(f, B2, e), e, B3), f, B4)
//     z = fma((q * y) * w, float of bits(g) + (bits(n) << 23), M)
//     L = 1 + 2^-23,  S = kappa log2(e) L / A,  q = (float)(charge S / (A B))   (screened)
// M = 1.5 * 2^23 * 2^k quantum, where k is the class of the charge (pair_classes.h), such that the magnitude is at most
// 2^22 units of 2^k quantum. The contribution is (bits(z) - bits(M)) 2^k quanta.
//
// w is A (1 - h')^(-1/2) for h' = 1 - r2 y^2 = h + 1 - A0, so that y w is A/sqrt(r2) and t w is A sqrt(r2). A
// polynomial of degree 4 takes three FMAs, and not four, because a factor and a shift of its argument cost nothing:
// with one shift, it is e (e + A2 h) + A3, e = h^2 + A1, times a factor, by which the charge is divided. For screened,
// t w is L X with X = kappa r' log2(e), n is N - i with the nearest integer i, and f is L (X - i) + b with b = 2^-23 N
// - 1, so that the shift b costs no operation either, and four FMAs compute g = B 2^(i - X). N is a multiple of 512.
// The last 9 bits of n are therefore those of -i, which bits(n) << 23 adds to the exponent of g.
//
// The relative error of a far contribution before its last rounding, with u = 2^-24. Let R be half the diagonal of the
// block. As |p| <= R, |a| <= r + R, and r >= R/2, the roundings of p, a and d move the points by at most (2 R + 2 r) u
// <= 6 u r. Those of r2 add 1.5 u to the relative error of r', 7.5 u in all. The error of the root is 2.5 u: |h'| <
// 0.0682 (inverse_root.h), for which the polynomial is within 0.39 u, and the roundings of t, h, e, fma(h, A2, e) and w
// change y w and t w by 0.57, 0.14, 0.6, 0.2 and 0.57 u. With the product and the rounding of q, the sum is 12 u for
// plain. For dielectric, the distance and v have twice their errors, 2 (7.5 + 2.5 + 1) u, and the product and q add
// 2 u. For screened, another product adds u to the error of plain. The polynomial g is within 1.27 u, and the roundings
// of f, e, fma(f, B2, e), the next FMA and g change it by at most 0.35, 1.05, 0.6, 0.65 and 0.96 u, all of them at X =
// i + 1/2. The exponent has the relative error (7.5 + 2.5) u, and that of the rounding of fma(n, L, -(N + 1)), which is
// exact for i < 3 and changes X by at most i u otherwise, and kappa r' by less than 1.2 u kappa r'. With x = kappa r',
// the sum is (17.9 + 12 x) u of the contribution, and at most 17.9 u of charge / r', because exp(-x) (17.9 + 12 x)
// decreases.
#ifndef POT_PAIR_TERM_H
#define POT_PAIR_TERM_H

#include <stdbool.h>

#include "potential_job.h"

// A0 to A3 and A; N, L, B1 to B4 and B. Both polynomials have the least maximum of the relative error, for |h'| <
// 0.0682 and |X - i| < 1/2, and their coefficients are the best of float32 in the neighbourhood of the exact ones.
#define POT_FAR_ROOT_0      0x1.80261cp-1f
#define POT_FAR_ROOT_1      0x1.4be728p+0f
#define POT_FAR_ROOT_2      0x1.11fa24p+1f
#define POT_FAR_ROOT_3      0x1.42146ep+1f
#define POT_FAR_ROOT_FACTOR 0x1.d1769ea062c82p+1
#define POT_FAR_ROUNDER     10685952.0f
#define POT_FAR_STEP        0x1.000002p+0f
#define POT_FAR_EXP2_1      0x1.9455e4p+4f
#define POT_FAR_EXP2_2      (-0x1.15066ep+3f)
#define POT_FAR_EXP2_3      (-0x1.d97660p+2f)
#define POT_FAR_EXP2_4      (-0x1.c754e2p+9f)
#define POT_FAR_EXP2_FACTOR (-0x1.789aedac6a750p+9)

// Relative errors of far contributions. That of screened is the sum of SCREENED and RATE times kappa r', and at
// most SCREENED of charge / r'.
#define POT_PAIR_ERROR_PLAIN         (12 * 0x1p-24)
#define POT_PAIR_ERROR_DIELECTRIC    (24 * 0x1p-24)
#define POT_PAIR_ERROR_SCREENED      (17.9 * 0x1p-24)
#define POT_PAIR_ERROR_SCREENED_RATE (12 * 0x1p-24)

enum pot_pair_kind { POT_PAIR_PLAIN, POT_PAIR_DIELECTRIC, POT_PAIR_SCREENED };

// The constants of a job.
struct pot_pair {
    enum pot_pair_kind kind;
    double quantum;
    double square;         // s^2 of plummer, Å^2
    double clip;           // s of clip, Å
    double kappa;          // 1/Å
    double gauss;          // 1 / (sqrt(2) s), 1/Å; 0: no Gaussian
    double gauss_at_0;     // erf(r gauss) / r at r = 0
    double gauss_range;    // Å: beyond this distance, pot_erf is 1
    double softened_range; // Å: beyond this distance, clip and gauss have no effect in float32
    double far_scale;      // S
    double far_charge;     // q / charge
    float far_square;      // (float)(s S)^2
};

// Sets the constants. The quantum of the job must be set.
void pot_pair_set(struct pot_pair *p, const struct pot_job *job);
// Returns `charge` of the formulas, in e.
double pot_pair_charge(const struct pot_pair *p, double charge, double radius);
// Returns x for a near charge at the distance vector d; infinite at r' = 0.
double pot_pair_near(const struct pot_pair *p, double charge, const double d[3]);
// Returns exp(x) for x <= 0, without functions of libm: with x = max(x, -700), k = round(x log2(e)), the Taylor series
// of exp(x - k ln 2) by 13 FMAs, and k added to the exponent. The relative error is below 2^-51.
double pot_pair_exponential(double x);

// Constants of pot_pair_exponential: ln 2 as a sum, of which products of the first part with k are exact.
#define POT_LOG2_E   0x1.71547652b82fep+0
#define POT_LN2_HIGH 0x1.62e42fefap-1
#define POT_LN2_LOW  0x1.cf79abc9e3b3ap-40
enum { POT_EXPONENTIAL_TERMS = 14 };
#define POT_EXPONENTIAL_SERIES /* 1/n! */                                                                              \
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,  \
        1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800
extern const double pot_exponential_term[POT_EXPONENTIAL_TERMS];

#endif
