// SPDX-License-Identifier: MIT
// Prints potentials of mean force and their forces as tables that simulation programs read; see pair_potential.h for
// the potential. Rows are at multiples of one distance up to the cutoff, so that energies and forces are those of the
// same function.
//
//   lammps    pair_style table: a section for each pair of groups, named A_B, with rows at the distances that "R" sets
//   gromacs   table_A_B.xvg: r f -f' g -g' h -h' from 0 to 1 nm (table-extension) after the cutoff; the potential is h,
//             f and g are 0, so that the parameters are C6 = 0 and C12 = 1
//   espresso  tabulated.set_params(min, max, energy, force): columns r, energy, force
#ifndef RDF_SIMULATION_TABLE_H
#define RDF_SIMULATION_TABLE_H

#include "error.h"
#include "output.h"
#include "quantity.h"
#include "tool.h"

// Names of programs, units and extrapolations into the core; each ends with a NULL name.
extern const struct trj_choice rdf_table_programs[], rdf_table_units[], rdf_table_cores[];

struct rdf_simulation_options {
    // Names in the lists above; NULL: units real for LAMMPS, else gromacs; core linear.
    const char *program, *units, *core;
    double cutoff, switching, spacing; // Å; NaN: rmax, 0.9 of the cutoff, 0.01
};

// Fails with TRJ_USAGE for values out of range and for units that the program does not use.
int rdf_simulation_table_check(const struct rdf_simulation_options *options, struct trj_error *err);
// Prints the tables of all pairs, after rdf_derive of RDF_PMF, with `provenance` as rdf_derived_print takes it. `note`
// is called with a text for each pair: where the potential was extrapolated and switched off, and how large its error
// is. Fails with TRJ_USAGE if the histogram does not reach the cutoff, or if a program with one pair per file has
// several, and with TRJ_BAD_DATA as rdf_pair_potential_make does.
int rdf_simulation_table_print(struct trj_output *out, const struct rdf_derivation *d,
                               const struct rdf_simulation_options *options, char **provenance,
                               void (*note)(const char *text), struct trj_error *err);

#endif
