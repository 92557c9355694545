// SPDX-License-Identifier: MIT
// Defines the amplitudes of plane waves that engines compute:
//
//   rho_A(k) = sum over the atoms j of group A of exp(-i k.x_j),  k = 2 pi (h g_0 + k g_1 + l g_2)
//
// g are the reciprocal vectors of the frame's cell (trj_cell_reciprocal), and h, k, l are integers, so that k.x = 2 pi
// (h s_0 + k s_1 + l s_2) with the fractional coordinates s of an atom. The rule:
//     s_c  = (g_c0 x + g_c1 y) + g_c2 z,  u_c = s_c - floor(s_c + 1/2)         float64, no contraction
//     E_c(n) = exp(-2 pi i n u_c): n = 1 by wav_phase, n > 1 by E(n) = E(n-1) E(1), n < 0 by E(-n)*, E(0) = 1
//     B(h,k) = E_0(h) E_1(k) in units of 2^-a, rounded to integers;  Z(l) = E_2(l) in units of 2^-b, the same
//     rho = sum over j of B(h,k) Z(l), in units of 2^-(a+b)
// (complex products: (xr yr - xi yi, xr yi + xi yr)). x are the stored float32 values, converted to float64 and
// multiplied by the frame's unit. The sums of products of integers are exact, so that rho depends neither on the order
// of the atoms, nor on threads, GPUs, instruction sets, or the use of FMA.
//
// a + b = bits follows from the number of atoms in the stream, so that no sum overflows (wav_bits): 44 for up to 2^17
// atoms, one less for each doubling; a = (bits + 1) / 2. The error of E is below (n + 2) 2^-52 for |n| <= 2^20, which
// is small compared with the rounding of B and Z: for 44 bits, each term has an error of at most 2^-21.4, on average
// 2^-23 in each component. If these errors are independent, N atoms with S = |rho|^2 / N have |delta S| of about 2^-21
// sqrt(S); they are at most 2^-20.4 N sqrt(S / N) if all are equal.
#ifndef WAV_AMPLITUDE_H
#define WAV_AMPLITUDE_H

#include <math.h>
#include <stdint.h>

enum {
    WAV_TILE = 128, // atoms whose sum is computed in float64: 2 * 128 products below 2^44 are below 2^53
    WAV_LANES = 8,  // values of l that a kernel computes at a time
    WAV_MAX_BITS = 44,
    WAV_MAX_INDEX = 1 << 20, // of h, k, l
};

// Functions that CUDA compiles for GPUs, too.
#ifdef __CUDACC__
#define WAV_INLINE static inline __host__ __device__
#else
#define WAV_INLINE static inline
#endif

// Returns `bits` for streams of this number of atoms, below 2^32.
WAV_INLINE unsigned wav_bits(uint64_t atoms) {
    // |rho| <= 2 atoms 2^bits must be below 2^63.
    unsigned size = 0;
    while (size < 32 && atoms > (uint64_t)1 << size) size++;
    return 61 - size < WAV_MAX_BITS ? 61 - size : WAV_MAX_BITS;
}

WAV_INLINE unsigned wav_bits_of_rows(unsigned bits) {
    return (bits + 1) / 2; // a
}

// Sets exp(-2 pi i u), |u| <= 1/2, to within 2^-51, by operations that have the same result on every machine.
WAV_INLINE void wav_phase(double u, double *re, double *im) {
    // u = n/4 + r, |r| <= 1/8; Taylor series of sine and cosine of x = 2 pi r, |x| <= pi/4. The first omitted terms are
    // below 2^-54.
    const double two_pi = 0x1.921fb54442d18p2;
    double n = floor(4 * u + 0.5), x = two_pi * (u - n / 4), y = x * x, sine = 1, cosine = 1;
    for (int k = 16; k > 1; k -= 2) {
        sine = 1 - sine * y / (k * (k + 1));
        cosine = 1 - cosine * y / (k * (k - 1));
    }
    sine *= x;
    const double value[4] = {cosine, -sine, -cosine, sine}; // cos(x + m pi/2)
    int m = (int)n & 3;
    *re = value[m];
    *im = -value[(m + 3) & 3]; // sin(x + m pi/2) = cos(x + (m - 1) pi/2)
}

// Returns u_c of an atom at x, with row c of g.
WAV_INLINE double wav_fraction(const double g[3], const double x[3]) {
    double s = (g[0] * x[0] + g[1] * x[1]) + g[2] * x[2];
    return s - floor(s + 0.5);
}

// Rounds to an integer, half to even; |x| < 2^51.
WAV_INLINE double wav_round(double x) {
    const double magic = 0x1.8p52;
    return (x + magic) - magic;
}

#endif
