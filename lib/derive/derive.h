// SPDX-License-Identifier: MIT
// Derives quantities from g(r): structure factors, Kirkwood-Buff integrals, the potential of mean force, the pair
// entropy, and shells of neighbours.
//
// A curve has [bins.count] values, each valid for its whole bin: integrals over r are exact for curves that are
// constant within bins. Lengths are in Å, q in 1/Å, volumes and Kirkwood-Buff integrals in Å^3, densities in Å^-3.
// Integrals begin at r = 0: bins.rmin must be 0.
#ifndef RDF_DERIVE_H
#define RDF_DERIVE_H

#include <stddef.h>

#include "error.h"
#include "job.h"

double rdf_shell_volume(const struct rdf_bins *bins, uint64_t k); // Å^3

// Computes kernel[i] = integral over bin k = first + i of 4 pi r^2 sin(qr)/(qr) w(r) dr. With alpha = 0, w = 1; else
// Lorch's window w = sin(alpha r)/(alpha r), alpha = pi/R (E. Lorch, J. Phys. C 2, 229 (1969)).
//   w = 1:    4 pi [(sin qr - qr cos qr) / q^3]
//   Lorch's:  2 pi / (q alpha) [sin((q - alpha) r)/(q - alpha) - sin((q + alpha) r)/(q + alpha)]
// between the edges of the bin. The error is about count * 2^-52 of the largest value, so that a call should compute a
// few hundred values at most.
//
// Sums of kernel[k] y_k are the structure factors:
//   by transform   S(q) = s + rho sum of kernel[k] (g_k - 1)
//       Ashcroft and Langreth (Phys. Rev. 156, 685 (1967)): rho = sqrt(rho_A rho_B), and s is the number of atoms that
//       are in both groups over sqrt(N_A N_B): 1 for a group with itself. Faber and Ziman (Phil. Mag. 11, 153 (1965)):
//       s = 1, and rho is the density of all atoms. For a group of all atoms both are the usual S(q).
//   of the counts  S(q) = s + c/(F sqrt(N_A N_B)) sum of n_k kernel[k] / shell_k
//       Debye's sum (Ann. Phys. 351, 809 (1915)) over the counts n_k of F frames; c = 2 for a group with itself, whose
//       pairs count once, else 1; shell_k is the volume of the shell of the bin, in which pairs are taken to be
//       uniform. The sum is complete if rmax exceeds the largest distance in a body in empty space or in a molecule.
//       For periodic frames it is the sum over a sphere of radius rmax. It contains the scattering of
//       this sphere, rho times the transform of 1, which is not subtracted.
void rdf_transform_kernel(double *kernel, const struct rdf_bins *bins, uint64_t first, uint64_t count, double q,
                          double alpha);

struct rdf_waves {
    double min, step; // q = min, min + step, ... (count of them)
    size_t count;
    void (*progress)(const char *what, uint64_t done, uint64_t total); // may be NULL
    double damping, broadening; // of an instrument: D in 1/Å, and B without unit (measured_pdf.h); 0: none
};

// Adds to to[waves.count][curves] the sums over bins of kernel[k] y_k for each of the curves y[bins][curves]. Each
// kernel[k] is multiplied by exp(-r^2 (D^2 + B^2 q^2) / 2), with r the middle of the bin.
void rdf_transform(double *to, const double *y, size_t curves, const struct rdf_bins *bins,
                   const struct rdf_waves *waves, double alpha);

// Kirkwood-Buff integrals up to the upper edge L of each bin: integrals from 0 to L of 4 pi r^2 (g - 1) times a weight,
// x = r/L:
//   running        1
//   finite         1 - 3x/2 + x^3/2     of a sphere of diameter L, open to its surroundings
//   extrapolated   1 - x^3              the limit of `finite` for L -> infinity: `finite` is G + c/L, so that G is the
//                                       derivative of L times `finite`
// Krüger, Schnell, Bedeaux, Kjelstrup, Vlugt, Simon, J. Phys. Chem. Lett. 4, 235 (2013).
void rdf_kirkwood_buff(double *running, double *finite, double *extrapolated, const struct rdf_bins *bins,
                       const double *g);

// Corrects g(r) for a closed system, in which the density of B outside of the sphere of radius r around an atom of A is
// not the mean density. With `others`, the number of atoms of B other than the atom of A (N_B; N - 1 for a group with
// itself), n(r), the number of them within r, and v = 4/3 pi r^3:
//   corrected = g * others (1 - v/V) / (others - n(r))
// Ganguly, van der Vegt, J. Chem. Theory Comput. 9, 1347 (2013), where N_B (1 - v/V) - Delta N_AB - delta_AB is others
// - n. r is the middle of the bin, and n(r) is interpolated from `n`, which is at the upper edges. Fails with TRJ_USAGE
// if a sphere of radius rmax is larger than the volume V.
int rdf_closed_system(double *corrected, const struct rdf_bins *bins, const double *g, const double *n, double others,
                      double volume, struct trj_error *err);

// Computes -k_B T ln g in kJ/mol; infinite where g is 0.
void rdf_mean_force(double *w, size_t bins, const double *g, double temperature);

// Computes -2 pi rho times the integral of r^2 (g ln g - g + 1) from 0 to the upper edge of each bin, in k_B per atom:
// the two-particle excess entropy (R. E. Nettleton, M. S. Green, J. Chem. Phys. 29, 1365 (1958); A. Baranyai, D. J.
// Evans, Phys. Rev. A 40, 3817 (1989)). For two groups, with the density of B, it is the contribution of pairs with B
// to the entropy of an atom of A; the entropy of a mixture is the sum over A and B of x_A s2(A:B).
void rdf_pair_entropy(double *s2, const struct rdf_bins *bins, const double *g, double density);

struct rdf_extreme {
    double r, g; // Å
    size_t bin,
        half; // the bin in the middle of the parabola (or the next one), and the number of bins fitted on either side
    size_t flat; // not 0: there is no vertex, but this number of equal bins from `bin` on
};

// A shell of neighbours: a maximum of g, and the minimum after it.
struct rdf_shell {
    struct rdf_extreme max, min;
    double n; // atoms of B around one of A within min.r
};

// Finds the first `count` shells. `noise` [bins] is the standard error of each g by counting, > 0; `n` is at the upper
// edges.
//
// Each bin gets the value, at its middle, of a parabola fitted by least squares to an equal number of bins on both
// sides. This number begins with all bins within `reach` (Å) and is reduced by a quarter until chi^2 is below a limit
// that noise exceeds in one of 160 cases, or until the parabola goes through three points. The value gets the error of
// the fit, in which the excess of chi^2 counts as noise of a bin. A maximum is accepted when the curve has fallen below
// it by 5 times the error of the difference, a minimum when it has risen by as much. Their place and height are taken
// from the vertex of a parabola over the median number of bins of the parabolas around it: of two neighbouring bins,
// one has the vertex of its parabola after its middle and the other before it; the place is where a line through both
// offsets is 0. If there is no vertex, the middle of the flat stretch and its value are returned. n is taken at the
// minimum, with atoms distributed evenly in the shell of its bin.
//
// Fails with TRJ_BAD_DATA and the missing extreme if the curve is too noisy or too short. The extremes before it are
// valid; all others, with their n, are NaN.
int rdf_shells(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
               const double *noise, const double *n, double reach, struct trj_error *err);

// Finds the same shells in a similar curve, with parabolas over the same numbers of bins, so that the results change
// smoothly.
void rdf_shells_follow(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
                       const double *n);

#endif
