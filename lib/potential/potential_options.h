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

// Rows for the option table of a filter with a static struct pot_options (tool.h).
extern const struct trj_option pot_option_table[];

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
