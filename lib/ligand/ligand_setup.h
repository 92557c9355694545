// SPDX-License-Identifier: MIT
// Makes the job of a ligand map from the user's options, the header of a frame stream, and its first frame; and
// converts mean Boltzmann factors to free energies.
#ifndef LIG_LIGAND_SETUP_H
#define LIG_LIGAND_SETUP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "lattice_options.h"
#include "ligand_job.h"
#include "map.h"
#include "map_free_energy.h"
#include "tool.h"

// Texts are NULL if they are not given. The names of options are those of ligmap, for messages.
struct lig_options {
    const char *group;         // group; NULL: the only one
    const char *ligand, *file; // exactly one of them
    uint64_t orientations, bits;
    bool no_charges, tail;
    const char *rule; // "lorentz-berthelot", "geometric"
    double cutoff, temperature, cap;
    struct trj_lattice_options lattice;
    const char *units; // "kT", "kcal/mol", "kJ/mol", "factor"; NULL: kT
};

#define LIG_OPTIONS_DEFAULT                                                                                            \
    {                                                                                                                  \
        .orientations = 20, .bits = 32, .rule = "lorentz-berthelot", .cutoff = 12, .temperature = 300, .cap = 60,      \
        .lattice = TRJ_LATTICE_OPTIONS_DEFAULT                                                                         \
    }

extern const struct trj_choice lig_rule_choices[], lig_unit_choices[]; // end with a NULL name

// Rows for the option table of a filter with a static struct lig_options (tool.h).
extern const struct trj_option lig_option_table[];

// Rows for the option table of a filter with a static struct lig_options (tool.h).
extern const struct trj_option lig_unit_option_table[];

struct lig_setup {
    struct lig_job job;
    struct trj_map map, means; // of the raw sums, and of the values that are written
    bool energies;             // the values are free energies
    struct trj_map_free_energy energy;
    double ceiling;   // of free energies, in their unit
    uint64_t limited; // number of values that are given as the ceiling
};

// Checks the options that do not depend on the content of the stream, and finds the ligand. `stream` is the path of the
// stream; "-" is standard input, which may be only one of the inputs. Fails with TRJ_USAGE or TRJ_BAD_DATA, and with
// TRJ_FAILED if the file of the ligand cannot be read.
int lig_setup_start(struct lig_setup *s, const struct lig_options *o, const char *stream, struct trj_error *err);
// Makes the job after lig_setup_start, except for threads. The header must outlive the set-up, which lig_setup_free
// frees, also after a failure. Fails with TRJ_USAGE for options that contradict each other, and with TRJ_BAD_DATA if
// the stream lacks what the ligand needs. The caller must take s->means, whose texts it then owns
// (trj_map_result_start).
int lig_setup_make(struct lig_setup *s, const struct lig_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err);
// Replaces mean Boltzmann factors B by free energies -kT ln B, and their standard errors e (NULL: none) by kT e / B.
// Free energies above the ceiling, bits kT ln 2, are set to it: the quantum cannot resolve them. Where B is 0, the
// error is set to the ceiling, too: it is unknown, and formats such as DX cannot contain NaN. `setup` is a struct
// lig_setup.
void lig_setup_convert(void *setup, double *values, double *errors, size_t n);
void lig_setup_free(struct lig_setup *s);

#endif
