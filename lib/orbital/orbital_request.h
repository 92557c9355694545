// SPDX-License-Identifier: MIT
// What the user of orbmap requests: a quantity of a wave function, and a lattice or a list of points. Prepares the job
// of an engine from it.
#ifndef ORB_REQUEST_H
#define ORB_REQUEST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "lattice_options.h"
#include "map_atoms.h"
#include "map_lattice.h"
#include "orbital_basis.h"
#include "orbital_choice.h"
#include "orbital_job.h"
#include "orbital_rule.h"
#include "tool.h"
#include "wave_function.h"

struct orb_request {
    const char *mo, *product, *matrix;   // NULL: not given
    bool quantity[ORB_QUANTITIES], spin; // those that are flags
    double grid, pad;                    // Å; NaN: not given
    struct trj_lattice_options fixed;    // the other options of a lattice
    const char *points;                  // a file; NULL: a lattice
};

#define ORB_REQUEST_DEFAULT                                                                                            \
    {                                                                                                                  \
        .grid = NAN, .pad = NAN, .fixed = {.grid = NAN, .points_option = "--lattice-points" }                          \
    }

// Options for the table of a filter with a static struct orb_request (tool.h).
extern const struct trj_option orb_request_option_table[];

// Returns whether any of the options is given.
bool orb_request_is_given(const struct orb_request *r);
// Checks the options before any input is read. Fails with TRJ_USAGE.
int orb_request_check(const struct orb_request *r, struct trj_error *err);

// What each value of a point is.
struct orb_value {
    char name[40];      // in names of files: "homo", "density"
    char quantity[160]; // with all that is known: "homo: orbital 21, occupation 2, energy -0.335 hartree"
    const char *unit;   // "bohr^-3/2"
    int32_t number;     // of an orbital in the file, from 1; 0: no orbital
};

// The request for one wave function. Zeroed before the first one.
struct orb_task {
    struct orb_wave_function wave;
    struct orb_rule_choice rule;
    struct orb_basis basis;
    struct orb_choice choice;
    double *coefficient, *weight; // of the job
    size_t values;                // of a point
    struct orb_value *value;      // [values]
    struct trj_map_atoms atoms;
    struct orb_job job; // without lattice and points
};

// Reads a wave function, and prepares everything but the lattice, in place of the previous task. Fails as
// orb_wave_function_read, orb_check, orb_choice_make and orb_basis_make, and with TRJ_BAD_DATA if the file does not
// contain what is requested. Errors name the file.
int orb_task_make(struct orb_task *t, const struct orb_request *r, const char *path, struct trj_error *err);
void orb_task_free(struct orb_task *t);

// Sets the lattice: as requested, or a box around the atoms. Its origin and steps are then multiples of 1e-6 bohr, the
// digits of cube files, so that all formats describe the same points. Fails with TRJ_USAGE or TRJ_BAD_DATA.
int orb_request_lattice(struct trj_map_lattice *l, const struct orb_request *r, const struct orb_wave_function *w,
                        struct trj_error *err);
// Sets the lattice of a job.
void orb_job_set_lattice(struct orb_job *job, const struct trj_map_lattice *l);
// Returns the number of atoms that are outside of a lattice.
size_t orb_lattice_outside(const struct trj_map_lattice *l, const struct trj_map_atoms *atoms);

#endif
