// SPDX-License-Identifier: MIT
// The amplitudes and widths of the Gaussians that replace atoms in a simulated density.
//
// With the amplitudes Z, mass and 1, each atom is one Gaussian of this weight and the width sigma. With the amplitude
// electron, it is the electron scattering factor of its element, f(s) = sum of a_i exp(-b_i s^2), i = 1 to 5, s = sin
// theta / lambda (electron_factors.c), convolved with a Gaussian of the width sigma: five Gaussians of the weights a_i
// and the widths sqrt(sigma^2 + b_i / (8 pi^2)).
#ifndef COR_MODEL_H
#define COR_MODEL_H

#include <stddef.h>

#include "error.h"
#include "frame_stream.h"
#include "gauss.h"
#include "tool.h"

extern const struct trj_choice cor_amplitudes[]; // ends with a NULL name

// The Gaussians of the atoms of a group.
struct cor_model {
    const struct trj_group *group;
    unsigned terms; // Gaussians of an atom
    uint32_t *list; // [group->count][terms] numbers of the atoms
    float *weight;  // [group->count][terms]
    uint16_t *kind; // [group->count][terms]; NULL: 0
    double *sigma;  // [kinds] Å
    double *peak;   // [kinds] of the normalised Gaussian
    unsigned kinds;
    double bound;     // largest |weight|
    double total;     // sum of the weights
    const char *unit; // of the density
    double height;    // mean height of an atom: mean of the sum of weight times peak over the atoms with weights
    char from[160];   // where the amplitudes come from, for the comment "# amplitude"
};

// Finds the group of a name, or the only group if `name` is NULL. Fails if there is none, or if it is dynamic.
int cor_model_find_group(const struct trj_group **group, const struct trj_stream_header *h, const char *name,
                         struct trj_error *err);

// Fills a zeroed model. `amplitude` is one of cor_amplitudes. Fails with TRJ_BAD_DATA and a remedy if the element or
// mass of an atom is unknown. The caller frees *m by cor_model_free, also after a failure. The header must stay valid.
int cor_model_open(struct cor_model *m, const struct trj_stream_header *h, const struct trj_group *group,
                   const char *amplitude, double sigma, struct trj_error *err);
void cor_model_free(struct cor_model *m);
// Returns the set-up of its Gaussians, which refers to the model.
struct den_gauss_setup cor_model_gauss(const struct cor_model *m);

#endif
