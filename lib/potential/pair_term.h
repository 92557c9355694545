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
// Far charges, in float32. Positions are relative to the centre c of the block: a = (float)(atom - c), p = (float)
// (point - c), and d = p - a. FMAs are rounded once, and y, t and w are those of inverse_root.h for x = r2:
//     r2 = fma(d_0, d_0, fma(d_1, d_1, fma(d_2, d_2, s^2)))
//     z = fma((float)charge * y, w, M)                                       (plain)
//     v = y * w,  z = fma((float)charge * v, v, M)                           (dielectric)
//     e = t * w,  n = fma(e, K, 12582912),  k = n - 12582912,  f = fma(e, K, -k),  K = (float)(-kappa log2(e)),
//     g = fma(E5, f, E4);  g = fma(g, f, E3);  ... g = fma(g, f, E1);  g = fma(g, f, 1),
//     h = float of bits(g) + (bits(n) << 23),  z = fma(((float)charge * y) * w, h, M)    (screened; h is 2^(e K))
// M = 1.5 * 2^23 * 2^k quantum, where k is the class of the charge (pair_classes.h), such that the magnitude is at most
// 2^22 units of 2^k quantum. The contribution is (bits(z) - bits(M)) 2^k quanta.
//
// The relative error of a far contribution before its last rounding, with u = 2^-24. Let R be half the diagonal of the
// block. As |p| <= R, |a| <= r + R, and r >= R/2, the roundings of p, a and d move the points by at most (2 R + 2 r) u
// <= 6 u r. Those of r2 add 1.5 u to the relative error of r'; those of the root and of its product with the charge,
// 2.2 u + u; that of the charge itself u: 11.7 u for plain. For dielectric, the distance and v have twice their errors,
// 2 (7.5 + 3.2) u, and the product and the charge add 2 u. For screened, another product adds u to the error of plain,
// the polynomial 1.9 u, its last operation u, and the rounding of f less than 0.5 u. The exponent e K has the relative
// error (7.5 + 2.2 + 1 + 1) u, with those of e and K. With x = kappa r', the sum is (16.1 + 12 x) u of the
// contribution, and at most 16.1 u of charge / r', because exp(-x) (16.1 + 12 x) decreases.
#ifndef POT_PAIR_TERM_H
#define POT_PAIR_TERM_H

#include <stdbool.h>

#include "potential_job.h"

#define POT_EXP2_1 0x1.62e42ap-1f
#define POT_EXP2_2 0x1.ebf9bcp-3f
#define POT_EXP2_3 0x1.c6b752p-5f
#define POT_EXP2_4 0x1.3cea88p-7f
#define POT_EXP2_5 0x1.5bba14p-10f

// Relative errors of far contributions. That of screened is the sum of SCREENED and RATE times kappa r', and at
// most SCREENED of charge / r'.
#define POT_PAIR_ERROR_PLAIN         (11.7 * 0x1p-24)
#define POT_PAIR_ERROR_DIELECTRIC    (23.4 * 0x1p-24)
#define POT_PAIR_ERROR_SCREENED      (16.1 * 0x1p-24)
#define POT_PAIR_ERROR_SCREENED_RATE (12 * 0x1p-24)

enum pot_pair_kind { POT_PAIR_PLAIN, POT_PAIR_DIELECTRIC, POT_PAIR_SCREENED };

// The constants of a job.
struct pot_pair {
    enum pot_pair_kind kind;
    double quantum;
    double square;              // s^2 of plummer, Å^2
    double clip;                // s of clip, Å
    double kappa;               // 1/Å
    double gauss;               // 1 / (sqrt(2) s), 1/Å; 0: no Gaussian
    double gauss_at_0;          // erf(r gauss) / r at r = 0
    double gauss_range;         // Å: beyond this distance, pot_erf is 1
    double softened_range;      // Å: beyond this distance, clip and gauss have no effect in float32
    float square32, exponent32; // (float)s^2, K
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
