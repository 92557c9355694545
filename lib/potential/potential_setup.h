// SPDX-License-Identifier: MIT
// Makes the job of a map of a potential from the user's options, the header of a frame stream, and its first frame.
#ifndef POT_POTENTIAL_SETUP_H
#define POT_POTENTIAL_SETUP_H

#include <math.h>
#include <stdbool.h>

#include "charges.h"
#include "error.h"
#include "frame_stream.h"
#include "map.h"
#include "point_list.h"
#include "potential_engine.h"
#include "potential_job.h"
#include "potential_lattice.h"
#include "potential_units.h"
#include "tool.h"

// Texts are NULL, and numbers NaN, if they are not given. The names of options are those of potmap, for messages.
struct pot_options {
    const char *method, *of;
    const char *units, *coulomb; // potential_units.h
    double temperature;          // K
    const char *dielectric;      // a number, or "4r"
    const char *soften;          // "none", "plummer:A", "gauss:S", "clip:R"
    bool exact;
    double max_charge; // e
    // mdh
    const char *ions; // charge:concentration:radius, separated by commas
    double debye;     // Å
    bool faces;
    const char *inside; // "ok", "error"
    struct pot_lattice_options lattice;
    const char *points; // file with a list of points
};

#define POT_DEFAULT_TEMPERATURE 298.15 // K
#define POT_DEFAULT_WATER       78.54  // dielectric constant of mdh
#define POT_DEFAULT_MAX_CHARGE  16     // e

#define POT_OPTIONS_DEFAULT                                                                                            \
    { .temperature = NAN, .max_charge = NAN, .debye = NAN, .lattice = POT_LATTICE_OPTIONS_DEFAULT }

extern const struct trj_choice pot_inside_choices[]; // ends with a NULL name

// Rows of the option table of a filter whose static struct pot_options is `o`.
#define POT_OPTIONS(o)                                                                                                 \
    {.heading = "Potential",                                                                                           \
     .name = "method",                                                                                                 \
     .kind = TRJ_OPTION_CHOICE,                                                                                        \
     .value = &(o).method,                                                                                             \
     .arg = "METHOD",                                                                                                  \
     .help = "compute the potential by this method (required)",                                                        \
     .choices = pot_method_choices,                                                                                    \
     .carry = "direct:charge,mdh:charge,mdh:radius"},                                                                  \
        {.name = "of",                                                                                                 \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).of,                                                                                             \
         .arg = "GROUP",                                                                                               \
         .help = "compute the potential of the charges of this group (default: the only group)"},                      \
        {.name = "units",                                                                                              \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).units,                                                                                          \
         .arg = "UNIT",                                                                                                \
         .help = "write means and tables in this unit (default: kT/e)",                                                \
         .choices = pot_unit_choices},                                                                                 \
        {.letter = 'T',                                                                                                \
         .name = "temperature",                                                                                        \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).temperature,                                                                                    \
         .arg = "T",                                                                                                   \
         .help = "set the temperature in kelvin, for kT/e and for --ions (default: 298.15)"},                          \
        {.name = "coulomb",                                                                                            \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).coulomb,                                                                                        \
         .arg = "NAME",                                                                                                \
         .help = "use the Coulomb constant of this program (default: codata)",                                         \
         .choices = pot_coulomb_choices},                                                                              \
        {.name = "dielectric",                                                                                         \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).dielectric,                                                                                     \
         .arg = "EPS",                                                                                                 \
         .help = "divide the potential by EPS, or with 4r by 4 times the distance in Angstrom (default: 1; mdh: "      \
                 "78.54)"},                                                                                            \
        {.name = "soften",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).soften,                                                                                         \
         .arg = "SOFTEN",                                                                                              \
         .help = "replace 1/r: plummer:A, gauss:S or clip:R, with a length in Angstrom (default: none)"},              \
        {.name = "exact", .kind = TRJ_OPTION_FLAG, .value = &(o).exact, .help = "compute contributions in float64"},   \
        {.name = "max-charge",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).max_charge,                                                                                     \
         .arg = "Q",                                                                                                   \
         .help = "set the largest magnitude of a charge in e, which determines the precision (default: 16)"},          \
        {.heading = "Multiple Debye-Hueckel",                                                                          \
         .name = "ions",                                                                                               \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).ions,                                                                                           \
         .arg = "LIST",                                                                                                \
         .help = "set the ions of the solvent, each CHARGE:MOLAR:RADIUS, such as 1:0.15:2.0,-1:0.15:2.0"},             \
        {.name = "debye",                                                                                              \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).debye,                                                                                          \
         .arg = "L",                                                                                                   \
         .help = "set the Debye length in Angstrom instead of ions"},                                                  \
        {.name = "faces",                                                                                              \
         .kind = TRJ_OPTION_FLAG,                                                                                      \
         .value = &(o).faces,                                                                                          \
         .help = "compute only the points on the six faces of the lattice; the others are 0"},                         \
        {.name = "inside",                                                                                             \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).inside,                                                                                         \
         .arg = "RULE",                                                                                                \
         .help = "set what happens if a point is within the radius of an atom, where the formula does not hold "       \
                 "(default: error)",                                                                                   \
         .choices = pot_inside_choices},                                                                               \
        POT_LATTICE_OPTIONS((o).lattice), {                                                                            \
        .name = "points", .kind = TRJ_OPTION_TEXT, .value = &(o).points, .arg = "FILE",                                \
        .help = "compute the potential at the positions in FILE, and write a table instead of a map"                   \
    }

struct pot_setup {
    struct pot_job job;
    struct pot_charges charges;
    struct pot_point_list list;
    bool inside;        // points within radii of mdh are allowed
    struct trj_map map; // of the raw sums
    double factor;      // from the mean of the raw values to those in `unit`
    const char *unit;
};

// Makes the job, except for threads. The header must outlive the set-up, which pot_setup_free frees, also after a
// failure. Fails with TRJ_USAGE for options that contradict each other, and with TRJ_BAD_DATA if the stream lacks what
// the options need; the message gives the atom and a remedy.
int pot_setup_make(struct pot_setup *s, const struct pot_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err);
// Sets *to to the charges in a frame and their lattice. They belong to the set-up, until the next call. Fails with
// TRJ_BAD_DATA for a frame that does not fit the job.
int pot_setup_frame(struct pot_setup *s, const struct trj_frame *f, struct pot_frame *to, struct trj_error *err);
// Sets *m to the map of the mean potential: float64, in `unit`. The caller frees it with trj_map_free, also after a
// failure.
int pot_setup_means(const struct pot_setup *s, struct trj_map *m, struct trj_error *err);
void pot_setup_free(struct pot_setup *s);

#endif
