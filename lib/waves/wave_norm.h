// SPDX-License-Identifier: MIT
// Makes a table of structure factors from the records of waves in a histogram stream (wave_count.h).
//
//   S_AB(q) = sum of Re(rho_A rho_B*) / (n sqrt(N_A N_B)), n the number of wave vectors: N. W. Ashcroft,
//             D. C. Langreth, Phys. Rev. 156, 685 (1967). With a lag it is the intermediate scattering function
//             F_AB(q,t), which is S(q) for t = 0.
//   with --atoms N, S_AB = 1 + (S_AB - s_AB) N / sqrt(N_A N_B): T. E. Faber, J. M. Ziman, Phil. Mag. 11, 153 (1965).
//             s_AB is the number of common atoms over sqrt(N_A N_B), 1 for a group with itself.
//   totals    F(q) = I/N - <b^2>, I/N = sum over pairs of c_A c_B b_A b_B S_AB / sqrt(c_A c_B), twice that for A != B;
//             S(q) = 1 + F(q) / <b>^2. b and form factors are those of scattering.h, at the mean q of the shell.
//
// q is the mean length of the vectors of a shell, over all lags. The standard error is by curve_mean.h, with the values
// of each record weighted by its number of vectors of all shells. Shells without vectors are left out.
#ifndef WAV_NORM_H
#define WAV_NORM_H

#include <stdbool.h>

#include "curve_mean.h"
#include "error.h"
#include "hist_stream.h"
#include "normalisation.h"
#include "output.h"

// A zeroed struct with the first three members set is ready for wav_norm_take.
struct wav_norm {
    const struct rdf_norm_options *options;
    uint64_t atoms;                 // of the system, for Faber and Ziman; 0: not given
    void (*note)(const char *text); // reports a note, for the user
    // The sums over the records:
    struct curve_mean mean;       // first the curves of pairs, then those of totals; [lag] each
    uint64_t *vectors;            // [lags][shells]
    bool *gaps;                   // [lags][shells] a record has the lag, but no vector of the shell: there is no error
    rdf_wide *lengths, *products; // [lags][shells], [pairs] times that
    uint64_t frames;
    double *weighted, *weights; // work space
    struct rdf_total *totals;
    struct rdf_scattering scattering;
};

// Adds a record; has the type of rdf_hist.take. Fails with TRJ_USAGE for options that do not apply.
int wav_norm_take(void *norm, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
// Prints the table of all records of `hist`.
int wav_norm_print(struct trj_output *out, struct wav_norm *n, const struct rdf_hist *hist, char **provenance,
                   struct trj_error *err);
void wav_norm_free(struct wav_norm *n); // not n itself

#endif
