// SPDX-License-Identifier: MIT
// Reads the records of DL_POLY files that are not coordinates, for topologies and trajectories: HISTORY (a trajectory)
// and CONFIG or REVCON (one frame) of DL_POLY Classic, 4 and 5.
//
//   title
//   level imcon [atoms or step [...]]     level: 0 positions, 1 and velocities, 2 and forces
//   HISTORY, in each frame:               timestep step atoms level imcon dt [time]
//   three rows of the cell                if imcon is not 0; HISTORY may have them although it is 0
//   for each atom:                        name [index [mass charge [displacement]]]
//                                         1 + level lines of three numbers
// (DL_POLY 4 manual, "The INPUT Files" and "The OUTPUT Files"; DL_POLY Classic manual, chapter 4)
#ifndef TRJ_DLPOLY_RECORDS_H
#define TRJ_DLPOLY_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "lines.h"

struct trj_dlpoly_header {
    bool history;
    int level, imcon; // of the file
    uint64_t third;   // the third number; UINT64_MAX: there is none
    double time_step; // the fourth number of a CONFIG, ps; NaN: there is none
    uint64_t frames;  // the fourth number of a HISTORY; 0: there is none
};

// The record of an atom, whose texts are in its line. NULL: missing.
struct trj_dlpoly_atom {
    char *name, *index;
    char *rest; // the text after the index
};

// Return whether the first n bytes of a file look like a HISTORY or a CONFIG.
bool trj_dlpoly_is(const char *head, size_t n);

// Reads the two lines of the header, and `timestep` of the first frame of a HISTORY, which can be read again
// (trj_lines_repeat). Returns 0 or -1.
int trj_dlpoly_header(struct trj_lines *l, struct trj_dlpoly_header *header, struct trj_error *err);

// Parses the current line, that begins a frame of a HISTORY: its step and time, and *imcon. *atoms points to its word.
// Returns 0 or -1.
int trj_dlpoly_timestep(const struct trj_lines *l, struct trj_frame *f, char **atoms, int *imcon,
                        struct trj_error *err);

// Reads the rows of the cell, if the next line is one. The next line is then that of the first atom. Returns 0; 1 with
// an error if the rows are there, but the cell is invalid; -1. *rows: they are there.
int trj_dlpoly_cell(struct trj_lines *l, int imcon, struct trj_cell *cell, bool *rows, struct trj_error *err);

// Cuts the record of atom number `atom`, from 0, out of the current line. Returns 0, or -1 for a line without a name.
int trj_dlpoly_atom(const struct trj_lines *l, const struct trj_dlpoly_header *header, size_t atom,
                    struct trj_dlpoly_atom *record, struct trj_error *err);

// Cuts mass and charge out of a record. NULL: missing.
void trj_dlpoly_properties(const struct trj_dlpoly_atom *record, char **mass, char **charge);

// Parses the index of an atom. Returns 0 or -1.
int trj_dlpoly_index(const struct trj_lines *l, const struct trj_dlpoly_atom *record, size_t atom, int64_t *index,
                     struct trj_error *err);

#endif
