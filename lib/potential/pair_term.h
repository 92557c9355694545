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
// Distant charges, in float32: the contributions to the eight points of a group of points (pair_groups.h) are computed
// together. The points are o + delta_i, i < 8, where o is the centre of the group, and delta_i is the sum of s_j edge_j
// / 2 over the three edges of the group, with s_j = 1 if bit j of i is set, otherwise -1. With p = (float)((o - c) S)
// and D = p - a instead of d, the values a, r2, y, t, h, w and n are those of a far charge, and P is float of bits(g) +
// (bits(n) << 23). Then
//     v = y * w,  m = v * v,  D' = D * m
//     d_j = (float)(S edge_j / A^2),  G_i = (float)(-S^2 |delta_i|^2 / A^2)
//     u_i = the sum of -s_j d_j . D' over j, i < 4, by FMAs: j from 2 to 0, and for each j components from 2 to 0
//     h_i = fma(G_i, m, A0 - 1) + u_i,  h_(7-i) = fma(G_i, m, A0 - 1) - u_i
//     w_i = w for h_i
//     z = fma(q * v, w_i, M),  q = (float)(charge / A^2)                     (plain)
//     z = fma((q * m) * w_i, w_i, M),  q = (float)(charge / A^4)             (dielectric)
// and for screened, where h_i has no A0 - 1 and q is that of a far charge,
//     x = t * w,  c_n = the polynomial B_n of x by n FMAs
//     f = c_5,  f = fma(f, h_i, c_n) for n = 4 to 1
//     z = fma((q * v) * P, fma(f, h_i, 1), M)
// r'^2 at point i is (1 - h) times that at the centre, with h = -(2 delta_i . D + |delta_i|^2) / r'^2. For screened,
// the exact factor is exp(X' (1 - sqrt(1 - h))) / sqrt(1 - h) with X' = kappa r' at the centre; it is the sum over n of
// theta_n(X') (h/2)^n / n!, with the reverse Bessel polynomials theta_n. B_n are the polynomials of degree n with the
// least maximum error for |h| < 0.0682 and X' |h| < 0.4.
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
//
// The relative error of a distant contribution. The distance D of the charge from the block is at least R and 31 rho,
// where rho is half the diagonal of the box around a group. The centre of a group may be outside the block by rho, so
// that r >= D - rho and |p| <= R + rho. Therefore |h| < 0.0682 as in the root, and kappa rho <= 0.19. The roundings of
// p, a and D move the centre by at most 4.13 u r; the relative errors are (4.13 + 1.5) u for r', 9.13 u for v with the
// root and a product, and 19.3 u for m. That of h is at most 33 u, including D, d_j, the product and up to nine FMAs;
// it changes w_i by 1.2 u. With 0.1 u for A0 - 1, and 1.9 u as above, w_i has 3.2 u. With q and the product, the sum is
// (11.13 + 3.2) u for plain. For dielectric, the sum is 28.7 u: 19.3 u for m, 2 u for q and its product, twice 3.2 u,
// and 1 u for a product. For screened, P adds 4.9 u and a product to 11.13 u; B_n are within 1.8 u, their FMAs add 1.3
// u, and h changes f by 7.5 u. P and f have the same error of kappa r', at most 10 u of it, so that together they have
// that of the exponential at the point; the rounding of x adds 0.2 u. The sum is (27.9 + 10 kappa r') u.
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

// B_n for distant charges, n = 1 to 5. Their argument x is X' / ln 2; the coefficients include the powers of ln 2.
#define POT_DISTANT_DEGREE 5
#define POT_DISTANT_SERIES                                                                                             \
    {                                                                                                                  \
        {0x1.000022p-1f, 0x1.62e420p-2f}, {0x1.800faep-2f, 0x1.0a2268p-2f, 0x1.ebfd30p-5f},                            \
            {0x1.3f7886p-2f, 0x1.bc0bb0p-3f, 0x1.eba22ap-5f, 0x1.c6ed52p-8f},                                          \
            {0x1.0ac37cp-2f, 0x1.91558ap-3f, 0x1.cfaa66p-5f, 0x1.1ff58cp-7f, 0x1.3a8c3ep-11f}, {                       \
            0x1.226f8ep-2f, 0x1.203b24p-3f, 0x1.197944p-4f, 0x1.92af16p-8f, 0x1.32d790p-10f, 0x1.fa8030p-16f           \
        }                                                                                                              \
    }
// No charge is distant within POT_DISTANT_RANGE rho, or if kappa rho exceeds POT_DISTANT_SCREENING.
#define POT_DISTANT_RANGE     31
#define POT_DISTANT_SCREENING 0.19

// Relative errors of far contributions. That of screened is the sum of SCREENED and RATE times kappa r', and at
// most SCREENED of charge / r'.
#define POT_FAR_ERROR_PLAIN      (12 * 0x1p-24)
#define POT_FAR_ERROR_DIELECTRIC (24 * 0x1p-24)
#define POT_FAR_ERROR_SCREENED   (17.9 * 0x1p-24)
#define POT_ERROR_SCREENED_RATE  (12 * 0x1p-24) // also added to POT_DISTANT_ERROR_SCREENED

// Relative errors of distant contributions.
#define POT_DISTANT_ERROR_PLAIN      (14.4 * 0x1p-24)
#define POT_DISTANT_ERROR_DIELECTRIC (28.8 * 0x1p-24)
#define POT_DISTANT_ERROR_SCREENED   (28 * 0x1p-24)

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
    double far_charge;     // q / charge, for far charges
    double distant_charge; // q / charge, for distant ones
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
