// SPDX-License-Identifier: MIT
// Gaussian densities: sums over atom images of A exp(-r^2 / (2 sigma^2)) at the points of a lattice, as integer
// multiples of a quantum. The result is the same for any number of threads, order of atoms, partition of the lattice
// and instruction set, byte for byte, because each contribution is a stated sequence of float32 operations on a record
// (lattice_plan.h) and a point, and integers are summed.
//
// The set-up. For each kind of atom, sigma is the width and `peak` the height for the weight 1; `bound` is the declared
// largest |weight|. The amplitude of an atom is A = (float)((double)weight * peak). Let 2^e be the smallest power of
// two that is not less than bound * (largest peak) * (1 + 2^-16). Then quantum = 2^(e - 22), and M = 3 * 2^22 * quantum
// = 1.5 * 2^(e + 1), so that |A| < 2^22 quanta, and M + x rounds x, if |x| <= 2^22 quanta, to a multiple of the quantum
// (ties to even): bits(M + x) - bits(M), as integers, is that multiple.
//
// The support. The density is 0 for points beyond cutoff * sigma from the atom, measured perpendicular to the planes of
// the lattice: reach_k = (float)(cutoff * sigma * |g_k|) in lattice_plan.h, where g are the rows of
// trj_map_lattice_inverse.
//
// Constants of a kind, in float64, then rounded once: c_kl = -(step_k . step_l) log2(e) / (2 sigma^2), evaluated as
// ((s_k0 s_l0 + s_k1 s_l1) + s_k2 s_l2) * (-0.72134752044448170368 / (sigma * sigma)). An orthogonal lattice has
// |step_k . step_l| <= 2^-30 |step_k| |step_l| for all k != l; its c_kl are not used.
//
// The contribution of a record to the point i, with float32 operations, each rounded to nearest. d_k = (float)(i_k -
// p_k) - offset_k. For an orthogonal lattice:
//     X = E((d_0 d_0) c_00),  Y = E((d_1 d_1) c_11),  Z = A * E((d_2 d_2) c_22),  t = fma(X * Y, Z, M)
// For a skew lattice, with a_k = (float)(c_kk / 2) and b_kl = (float)(2 c_kl):
//     P = E(F_01),  Q = A * E(F_12),  R = E(F_02),  t = fma(P * Q, R, M)
//     F_kl = fma(d_k, fma(a_k, d_k, b_kl * d_l), (a_l * d_l) * d_l)
// (one two-dimensional table for each pair of axes; each voxel takes a multiplication, an FMA and an integer addition).
// F can be positive. A skew lattice in which F could exceed 30, or in which K of the error bound exceeds 50, as with
// angles below about 40 degrees, is called oblique. There, the exponent is a sum of negative terms: Gram-Schmidt
// orthogonalisation of the steps gives r^2 = D_0 y_0^2 + D_1 y_1^2 + D_2 y_2^2, where y_0 = d_0 + l_01 d_1 + l_02 d_2,
// y_1 = d_1 + l_12 d_2 and y_2 = d_2. With e_k = -D_k log2(e) / (2 sigma^2):
//     y_0 = d_0 + fma(l_01, d_1, l_02 d_2),  y_1 = fma(l_12, d_2, d_1)
//     h = fma(e_1 y_1, y_1, (e_2 d_2) d_2),  t = fma(E(fma(e_0 y_0, y_0, h)), A, M)
// (one evaluation of E for each voxel, which does not exceed 1).
//
// The contribution is the int32 difference bits(t) - bits(M), in quanta. E(x) is 2^x:
//     x = min(max(x, -90), 90),
//     n = x + 12582912,  k = n - 12582912,  r = x - k                  (k: nearest integer, ties to even; r is exact)
//     s = c6;  s = fma(s, r, c5); ... s = fma(s, r, c1);  s = fma(s, r, 1)            (DEN_EXP2_ below)
//     E = float of bits(s) + (bits(n) << 23)                                     (uint32, overflow is discarded)
// E(0) = 1, and E(x) <= 1 for x <= 0, because s <= 1 for r <= 0, and s * 2^k < 0.71 for other r.
//
// Sums. The contributions of up to DEN_GAUSS_PARTIAL records may be added as int32: 511 * 2^22 = 2^31 - 2^22. These
// partial sums are added as int64. Sums of one frame do not overflow, since there are fewer than 2^32 records of at
// most 2^22 quanta. Sums over frames are checked (den_add).
//
// The error of a voxel, with u = 2^-24: let x = r^2 / (2 sigma^2). d_k has a relative error u, c_kk has u, and two
// products follow: 5 u x in the exponents of X, Y and Z together. E adds 2 u (polynomial 2^-26, Horner's rule, its last
// rounding), A is rounded, and so are A * E and X * Y: for an orthogonal lattice
//     |error of a contribution| <= |A| e^-x (9 + 5 x) u + quantum / 2 <= 9 u |A| + quantum / 2.
// In other skew lattices, exponents of both signs cancel: with T >= x, the sum of the magnitudes of the terms of F, it
// is |A| e^-x (10 + 6 T) u + quantum / 2 <= (10 + 2.21 K) u |A| + quantum / 2, where K is a bound on T / x: 1 plus the
// largest sum of |cos| of the angles of a step with the others, divided by 4/9 of the squared volume of the three unit
// vectors (this is at most the smallest eigenvalue of their Gram matrix). In oblique lattices, absolute errors are at
// most 5 u S_0 in y_0, where S_0 = |d_0| + |l_01 d_1| + |l_02 d_2|, 4 u S_1 in y_1, where S_1 = |d_1| + |l_12 d_2|, and
// 5 u x from the operations on the exponent. In the support, sqrt(D_k / 2) S_k / sigma is at most T_k, its value for
// d_k = cutoff sigma |g_k|. As e^-x sqrt(x) < 0.43 and e^-x x < 0.37, the bound is |A| (4.3 T_0 + 3.5 T_1 + 7) u +
// quantum / 2. `error` of struct den_gauss_lattice is the bound for its lattice. The rounding of offsets moves an atom
// by at most 2^-26 steps. Outside of its support, a record would contribute at most |A| exp(-cutoff^2 / 2) (3.8e-6 |A|
// for a cutoff of 5); the relative error of the integral is less than 3 erfc(cutoff / sqrt 2) (1.8e-6 for 5).
#ifndef DEN_GAUSS_H
#define DEN_GAUSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lattice_plan.h"

#define DEN_EXP2_1 0x1.62e430p-1f
#define DEN_EXP2_2 0x1.ebfbe0p-3f
#define DEN_EXP2_3 0x1.c6aefcp-5f
#define DEN_EXP2_4 0x1.3b295cp-7f
#define DEN_EXP2_5 0x1.5f3660p-10f
#define DEN_EXP2_6 0x1.44f196p-13f

enum {
    DEN_GAUSS_PARTIAL = 511, // records whose contributions fit into int32
    DEN_GAUSS_KINDS = 1 << 10,
    DEN_GAUSS_BLOCK = 32, // points of a block along each axis; fewer at the end of an axis
};
#define DEN_GAUSS_CUTOFF     5.0
#define DEN_GAUSS_CUTOFF_MIN 2.0
#define DEN_GAUSS_CUTOFF_MAX 6.0

// The set-up, which is the same for all frames. A density that is normalised has peak = 1 / ((2 pi)^1.5 sigma^3), in
// Å^-3 (den_gauss_peak); one whose height is the weight has peak = 1.
struct den_gauss_setup {
    unsigned kinds;      // 1 to DEN_GAUSS_KINDS
    const double *sigma; // [kinds] Å, TRJ_SHORTEST to TRJ_FARTHEST
    const double *peak;  // [kinds] positive
    double bound;        // largest |weight|, positive
    double cutoff;       // in sigma, DEN_GAUSS_CUTOFF_MIN to DEN_GAUSS_CUTOFF_MAX; 0: DEN_GAUSS_CUTOFF
};

// Returns 1 / ((2 pi)^1.5 sigma^3), without functions of libm.
double den_gauss_peak(double sigma);
// Returns the quantum of a set-up. Fails with TRJ_BAD_DATA unless the set-up is valid and 2^e is within 2^-60 and
// 2^60.
int den_gauss_quantum(const struct den_gauss_setup *s, double *quantum, struct trj_error *err);

// Constants for one lattice, in the order of the formulas above.
struct den_gauss_kind {
    float reach[3];
    int32_t far[3];   // tile_lattice_farthest(reach[k])
    float c[3];       // c_kk
    float a[3], b[3]; // a_k; b_01, b_12, b_02
    float e[3], l[3]; // e_k; l_01, l_12, l_02
};

struct den_gauss_lattice {
    struct trj_map_lattice lattice;
    bool skew;    // not orthogonal
    bool oblique; // skew, and F or K is too large for tables
    double quantum;
    float magic;         // M
    uint32_t magic_bits; // bits(M)
    double error;        // largest error of a contribution, for |A| = bound * largest peak, in the unit of A
};

// Computes the constants, kind[s->kinds]. Fails with TRJ_BAD_DATA if the set-up is invalid, or if a reach exceeds
// TILE_LATTICE_REACH_MAX. A lattice is oblique if F could exceed 30 in a support, for which (4 cos^2 - 1) |a_k|
// reach_k^2 is a bound, or if K exceeds 50. In other skew lattices, each factor and each product is a normal number
// (not subnormal) where the density is not 0, the error of a contribution is below 2^-17 |A|, and no contribution
// exceeds 2^22 quanta.
int den_gauss_lattice_set(struct den_gauss_lattice *g, struct den_gauss_kind *kind, const struct den_gauss_setup *s,
                          const struct trj_map_lattice *l, struct trj_error *err);

// Returns the error bound of a contribution with |A| = 1, without that of the quantum. `cutoff` as in the set-up.
double den_gauss_relative_error(const struct trj_map_lattice *l, double cutoff);

// Atoms of a group, with a weight and a kind each.
struct den_gauss_atoms {
    const uint32_t *list; // [count] numbers of atoms in the frame; NULL: 0, 1, 2, ...
    size_t count;
    const float *weight;  // [count]; NULL: 1
    const uint16_t *kind; // [count]; NULL: 0
};

// A finished block of points: first[k] <= i_k < first[k] + n[k]. Blocks of a group do not overlap.
struct den_block {
    size_t group;             // index in the list of groups
    uint64_t low[3], high[3]; // of the group: its blocks together cover the points low <= i < high
    uint64_t first[3], n[3];
    bool empty;           // all values are 0
    const int64_t *value; // [n[2]][n[1]][n[0]] quanta
};

// A function that receives finished blocks, from any thread and in any order; `worker` is less than den_gauss_threads,
// and differs between calls that run at the same time. The block is valid until the function returns.
typedef void den_block_function(void *arg, unsigned worker, const struct den_block *block);

struct den_gauss;
// Opens an engine for a number of threads (0: all CPUs). *s is copied. Fails with TRJ_BAD_DATA for an invalid set-up,
// or with TRJ_NO_ENGINE if the instruction set in TRJPIPE_ISA is not available.
int den_gauss_open(struct den_gauss **g, const struct den_gauss_setup *s, unsigned threads, struct trj_error *err);
void den_gauss_close(struct den_gauss *g); // NULL is allowed
unsigned den_gauss_threads(const struct den_gauss *g);

// Restricts den_gauss_compute to the planes of a slab; at first it computes all planes.
void den_gauss_restrict(struct den_gauss *g, struct trj_map_slab slab);
// Computes the density of a group in a frame, and passes each block of the lattice to `function`. All threads work on
// the group. Fails with TRJ_BAD_DATA, before the first block, for a weight above the declared bound (or a NaN) and as
// tile_lattice_plan_start and _sort. Periodic images contribute as lattice_plan.h states.
int den_gauss_compute(struct den_gauss *g, const struct trj_map_lattice *l, const struct trj_frame *frame,
                      const struct den_gauss_atoms *atoms, den_block_function *function, void *arg,
                      struct trj_error *err);
// Computes the densities of several groups, each at the points low <= i < high of the smallest box that contains its
// support. Each group is processed by one thread, so that this is fast for many small groups. Groups without a record
// that reaches the lattice have no block. Blocks of other groups may have been passed when this fails.
int den_gauss_compute_groups(struct den_gauss *g, const struct trj_map_lattice *l, const struct trj_frame *frame,
                             size_t groups, const struct den_gauss_atoms *atoms, den_block_function *function,
                             void *arg, struct trj_error *err);

// Adds a block to a map of the planes from `first` on, [n[2] - first][n[1]][n[0]] or fewer. Fails with TRJ_BAD_DATA,
// before it adds a row of the block, if a sum would exceed int64.
int den_add(int64_t *map, const struct trj_map_lattice *l, uint64_t first, const struct den_block *block,
            struct trj_error *err);

// Computes the density at a point in float64 with exp(), as the sum over all atom images at a distance of at most
// cutoff * sigma: the reference of tests. A larger cutoff in *s shows the error that the support causes. `point` may be
// outside of the lattice.
double den_gauss_reference(const struct den_gauss_setup *s, const struct trj_map_lattice *l,
                           const struct trj_frame *frame, const struct den_gauss_atoms *atoms, const int64_t point[3]);

#endif
