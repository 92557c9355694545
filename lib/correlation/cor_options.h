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

// Rows of the option table of a filter whose static struct cor_options is `o`. The headings are "Maps", "Simulated
// density" and "Scores".
#define COR_OPTIONS(o)                                                                                                 \
    {.heading = "Maps",                                                                                                \
     .letter = 'm',                                                                                                    \
     .name = "map",                                                                                                    \
     .kind = TRJ_OPTION_TEXT,                                                                                          \
     .value = &(o).map,                                                                                                \
     .arg = "FILE",                                                                                                    \
     .help = "correlate the frames with this map"},                                                                    \
        {.name = "fsc",                                                                                                \
         .kind = TRJ_OPTION_FLAG,                                                                                      \
         .value = &(o).fsc,                                                                                            \
         .help = "print the Fourier shell correlation of two maps instead of their scores"},                           \
        {.heading = "Simulated density",                                                                               \
         .name = "of",                                                                                                 \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).group,                                                                                          \
         .arg = "GROUP",                                                                                               \
         .help = "use the atoms of this group (default: the only group of the stream)"},                               \
        {.letter = 'r',                                                                                                \
         .name = "resolution",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).resolution,                                                                                     \
         .arg = "R",                                                                                                   \
         .help = "set the resolution of the map in Angstrom, from which the width of the Gaussians follows"},          \
        {.name = "sigma-factor",                                                                                       \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).sigma_factor,                                                                                   \
         .arg = "FACTOR",                                                                                              \
         .help = "set the width of the Gaussians to this multiple of the resolution: " DEN_RESOLUTION_FACTORS},        \
        {.name = "sigma",                                                                                              \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).sigma,                                                                                          \
         .arg = "S",                                                                                                   \
         .help = "set the width of the Gaussians in Angstrom, instead of --resolution"},                               \
        {.letter = 'a',                                                                                                \
         .name = "amplitude",                                                                                          \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).amplitude,                                                                                      \
         .arg = "WHAT",                                                                                                \
         .help = "weight the Gaussian of an atom by this quantity",                                                    \
         .choices = cor_amplitudes},                                                                                   \
        {.name = "dump",                                                                                               \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).dump,                                                                                           \
         .arg = "FILE",                                                                                                \
         .help = "also write the simulated density of the first frame to this map file",                               \
         .role = TRJ_ROLE_OUTPUT},                                                                                     \
        {.heading = "Scores",                                                                                          \
         .letter = 's',                                                                                                \
         .name = "score",                                                                                              \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).score,                                                                                          \
         .arg = "SCORE",                                                                                               \
         .help = "print this score for each frame",                                                                    \
         .choices = cor_scores},                                                                                       \
        {.name = "mask",                                                                                               \
         .kind = TRJ_OPTION_LIST,                                                                                      \
         .value = &(o).masks,                                                                                          \
         .arg = "MASK",                                                                                                \
         .help = "use only these points: 2sigma, level:L, simulated:F, radius:R or a file (default: all; with --per, " \
                 "simulated:0.1)"},                                                                                    \
        {.name = "per",                                                                                                \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).per,                                                                                            \
         .arg = "PART",                                                                                                \
         .help = "print a score for each of these parts of the group",                                                 \
         .choices = cor_parts,                                                                                         \
         .carry = "segid:segid"},                                                                                      \
    {                                                                                                                  \
        .name = "local", .kind = TRJ_OPTION_CHOICE, .value = &(o).local, .arg = "DENSITY",                             \
        .help = "correlate this density at the points of a part (default: own)", .choices = cor_locals                 \
    }

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
