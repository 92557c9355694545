// SPDX-License-Identifier: MIT
// The options of mapcc, except those of its engines and its output.
#ifndef COR_OPTIONS_H
#define COR_OPTIONS_H

#include <math.h>
#include <stdbool.h>

#include "cor_mask.h"
#include "cor_model.h"
#include "cor_score.h"
#include "cor_selection.h"
#include "error.h"
#include "resolution.h"
#include "tool.h"

// Texts are NULL, and numbers NaN, if they are not given.
struct cor_options {
    const char *map;   // NULL: two maps are correlated
    bool fsc;          // compute the Fourier shell correlation of two maps
    const char *group; // group; NULL: the only one of the stream
    double resolution, sigma;
    const char *sigma_factor; // resolution.h
    const char *amplitude, *score;
    struct trj_text_list masks;
    const char *per;   // cor_parts; NULL: the group is not divided
    const char *local; // cor_locals
    const char *dump;  // file for the simulated density
};

// Initial value. The first amplitude and the first score are the defaults (cor_options_start).
#define COR_OPTIONS_DEFAULT                                                                                            \
    { .resolution = NAN, .sigma = NAN, .sigma_factor = "chimerax" }

extern const struct trj_choice cor_locals[]; // ends with a NULL name

// Rows for the option table of a filter with a static struct cor_options (tool.h).
extern const struct trj_option cor_option_table[];

// Sets the defaults of choices; call it before the options are parsed.
void cor_options_start(struct cor_options *o);
// Checks the options, fills in the default mask of --per, and parses the masks. Fails with TRJ_USAGE. The caller frees
// o->masks.texts and the mask.
int cor_options_check(struct cor_options *o, int operands, struct cor_mask *mask, struct trj_error *err);
// Sets *sigma to the width of the Gaussians in Angstrom, and describes it in text[COR_SIGMA_TEXT], for tables. Fails
// with TRJ_USAGE for an invalid factor.
enum { COR_SIGMA_TEXT = 120 };
int cor_options_sigma(const struct cor_options *o, double *sigma, char *text, struct trj_error *err);
// Returns whether the density of the whole model is correlated at the points of each selection.
bool cor_options_whole(const struct cor_options *o);

#endif
