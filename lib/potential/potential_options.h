// SPDX-License-Identifier: MIT
// The options of potmap, and the parameters of the methods that they set.
#ifndef POT_POTENTIAL_OPTIONS_H
#define POT_POTENTIAL_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "atom_radii.h"
#include "error.h"
#include "potential_engine.h"
#include "potential_job.h"
#include "potential_lattice.h"
#include "potential_units.h"
#include "tool.h"

// Texts are NULL, and numbers NaN, if they are not given. The names of options are those of potmap, for messages.
struct pot_options {
    const char *method, *group;
    const char *units, *coulomb; // potential_units.h
    double temperature;          // K
    const char *dielectric;      // a number, or "4r"
    const char *soften;          // "none", "plummer:A", "gauss:S", "clip:R"
    bool exact;
    double max_charge;   // e
    const char *charges; // atom_table.h; NULL: those of the stream
    // mdh
    const char *ions;   // debye.h
    double debye;       // Å
    const char *radii;  // atom_radii.h
    const char *apbs;   // apbs_input.h: a template, which states dielectric constant, temperature, ions and points
    const char *inside; // "ok", "error"
    bool faces;
    // cutoff, and pme with `full`
    double cutoff;      // Å
    const char *kernel; // pot_kernel.h
    // pme
    uint64_t order; // TRJ_OPTION_ABSENT: not given
    double alpha;   // 1/Å
    double tolerance;
    bool full;
    const char *dump, *surface; // "charge"; "tinfoil", "vacuum", "slab:z"
    // The points
    struct pot_lattice_options lattice;
    const char *points; // file with a list of points
};

#define POT_DEFAULT_TEMPERATURE 298.15 // K
#define POT_DEFAULT_WATER       78.54  // dielectric constant of mdh
#define POT_DEFAULT_MAX_CHARGE  16     // e
#define POT_DEFAULT_ORDER       8
#define POT_DEFAULT_TOLERANCE   1e-6 // of fast

#define POT_OPTIONS_DEFAULT                                                                                            \
    {                                                                                                                  \
        .temperature = NAN, .max_charge = NAN, .debye = NAN, .cutoff = NAN, .order = TRJ_OPTION_ABSENT, .alpha = NAN,  \
        .tolerance = NAN, .lattice = POT_LATTICE_OPTIONS_DEFAULT                                                       \
    }

extern const struct trj_choice pot_inside_choices[], pot_dump_choices[]; // end with a NULL name

// Rows of the option table of a filter whose static struct pot_options is `o`.
#define POT_OPTIONS(o)                                                                                                 \
    {.heading = "Potential",                                                                                           \
     .name = "method",                                                                                                 \
     .kind = TRJ_OPTION_CHOICE,                                                                                        \
     .value = &(o).method,                                                                                             \
     .arg = "METHOD",                                                                                                  \
     .help = "compute the potential by this method (required)",                                                        \
     .choices = pot_method_choices,                                                                                    \
     .carry = "direct:charge,mdh:charge,mdh:radius,pme:charge,fast:charge"},                                           \
        {.name = "of",                                                                                                 \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).group,                                                                                          \
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
        {.name = "charges",                                                                                            \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).charges,                                                                                        \
         .arg = "FILE",                                                                                                \
         .help = "set the charges: a file with names of atoms and charges in e (default: those of the stream)",        \
         .carry = "-charge"},                                                                                          \
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
         .help = "set the Debye length in Angstrom instead of the ions"},                                              \
        {.name = "radii",                                                                                              \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).radii,                                                                                          \
         .arg = "RADII",                                                                                               \
         .help = "set the radii: " POT_RADII " with names and radii (default: those of the stream)",                   \
         .carry = "-radius"},                                                                                          \
        {.name = "apbs",                                                                                               \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).apbs,                                                                                           \
         .arg = "TEMPLATE",                                                                                            \
         .help = "write the input of APBS for each frame, with boundary values: NAME.pqr, NAME.dx and NAME.in for "    \
                 "-o NAME",                                                                                            \
         .role = TRJ_ROLE_SHELL},                                                                                      \
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
        {.heading = "Cutoff",                                                                                          \
         .letter = 'r',                                                                                                \
         .name = "cutoff",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).cutoff,                                                                                         \
         .arg = "R",                                                                                                   \
         .help = "set the largest distance of contributions in Angstrom (required for cutoff; pme --full: 12)"},       \
        {.letter = 'k',                                                                                                \
         .name = "kernel",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).kernel,                                                                                         \
         .arg = "KERNEL",                                                                                              \
         .help = "set the pair potential: rodrigues, shift, rf:EPS, erfc:ALPHA, yukawa:KAPPA, "                        \
                 "lj:probe=RMIN_HALF,EPS, buckingham:A,B,C, count or table:FILE (required for cutoff)",                \
         .carry = "rodrigues:charge,shift:charge,rf:charge,erfc:charge,yukawa:charge,table:charge,lj:sigma,"           \
                  "lj:epsilon"},                                                                                       \
        {.heading = "Particle-mesh Ewald",                                                                             \
         .name = "order",                                                                                              \
         .kind = TRJ_OPTION_COUNT,                                                                                     \
         .value = &(o).order,                                                                                          \
         .arg = "N",                                                                                                   \
         .help = "set the order of the B-splines: 4, 6 or 8 (default: 8)",                                             \
         .min = 4,                                                                                                     \
         .max = 8},                                                                                                    \
        {.name = "alpha",                                                                                              \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).alpha,                                                                                          \
         .arg = "A",                                                                                                   \
         .help = "set the Ewald coefficient in 1/Angstrom (default: 0.2575)"},                                         \
        {.name = "tolerance",                                                                                          \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).tolerance,                                                                                      \
         .arg = "T",                                                                                                   \
         .help = "choose the mesh and parameters that are not given for this relative rms error (default for fast: "   \
                 "1e-6)"},                                                                                             \
        {.name = "full",                                                                                               \
         .kind = TRJ_OPTION_FLAG,                                                                                      \
         .value = &(o).full,                                                                                           \
         .help = "add the real-space part (default: only the smooth reciprocal part)"},                                \
        {.name = "surface",                                                                                            \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).surface,                                                                                        \
         .arg = "SURFACE",                                                                                             \
         .help = "set the boundary at infinity: tinfoil, vacuum, slab:x, slab:y or slab:z (default: tinfoil)"},        \
        {.name = "dump",                                                                                               \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).dump,                                                                                           \
         .arg = "WHAT",                                                                                                \
         .help = "write the charges on the mesh instead of the potential",                                             \
         .choices = pot_dump_choices},                                                                                 \
        POT_LATTICE_OPTIONS((o).lattice), {                                                                            \
        .name = "points", .kind = TRJ_OPTION_TEXT, .value = &(o).points, .arg = "FILE",                                \
        .help = "compute the potential at the positions in FILE, and write a table instead of a map"                   \
    }

// Fails with TRJ_USAGE for a missing method, invalid numbers and options that the method does not have, and if a file
// of an option and the frame stream `input` are both standard input. Reads no file; call it before waiting for input.
int pot_options_check(const struct pot_options *o, const char *input, struct trj_error *err);
// Returns whether an option is given that concerns only the unit of means, and not the sums, which are in e/Å.
bool pot_options_convert(const struct pot_options *o);
// Sets the method and its parameters, apart from points and charges. *dielectric is the number by which charges must be
// divided, and *temperature is in K. The caller frees the table of the kernel with pot_kernel_table_free, also after a
// failure. Fails with TRJ_USAGE for options that contradict each other.
int pot_options_apply(const struct pot_options *o, struct pot_job *job, double *dielectric, double *temperature,
                      struct trj_error *err);

#endif
