// SPDX-License-Identifier: MIT
// Moves the atoms of frames, in this order: makes molecules whole, unwraps them, centres a selection in the cell,
// superposes a selection on reference coordinates. Positions are float64 in all steps, and are rounded to float32 once,
// at the end.
//
// whole: whole.h. Requires bonds and a cell. Virtual sites without bonds, such as MW of TIP4P in TPR files, are moved
// with an adjacent atom of their residue.
//
// unwrap: unwrap.h. If all bonds are known, molecules are made whole and unwrapped; otherwise atoms are unwrapped. Only
// molecules or atoms of the rows are, unless there is a fit.
//
// centre: the geometric centre of the selected atoms is moved to half the sum of the periodic cell vectors (without a
// cell: to 0, 0, 0). The units of this step are molecules if they were made whole, else single atoms. Along each
// periodic vector, the cell is cut in the middle of the largest gap between the centres of the selected units, and the
// units are wrapped so that they are contiguous (largest_gap.h). If no gap is wide enough, the selection fills the cell
// in this direction, as a membrane does, and has no centre there: its units are wrapped into the cell, and nothing is
// shifted in this direction. Each other unit is moved to the periodic image whose centre is nearest to the centre of
// the cell.
//
// fit: superpose.h, each atom with weight 1. The cell vectors are rotated with the atoms. The reference is frame 0 of a
// file, or the first frame that is moved, after the steps above. If the bonds are known and molecules were not made
// whole, a bond between selected atoms that crosses a periodic boundary is an error. The reference is made whole or
// checked in the same way if it contains the atoms of the system.
#ifndef TRJ_MOVER_H
#define TRJ_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "select.h"
#include "tool.h"

// The options --fit, --whole, --unwrap and --centre of trjcat(1). The caller keeps ownership of texts.
struct trj_mover_options {
    const char *fit, *centre, *unwrap; // NULL: absent
    bool whole;
};

// Rows for the option table of a filter with a static struct trj_mover_options (tool.h).
extern const struct trj_option trj_mover_option_table[];

// The atoms of the frames to move.
struct trj_mover_system {
    struct trj_selection_scope scope; // scope.atoms: of each frame
    // Names of atoms and residues, with which those of a reference are compared: from the topology, or from the
    // properties of a frame stream, which selections cannot use. NULL: unknown.
    const struct trj_topology *identity;
    const uint32_t *element; // [scope.atoms] atomic numbers, used if *identity has none; NULL: unknown
    uint32_t (*bond)[2];     // [bonds]; NULL: unknown
    size_t bonds;
    // [scope.atoms] Numbers of the residue and the molecule of each atom. An atom without bonds is moved with an
    // adjacent atom of the same residue and molecule. residue is NULL: it is not; molecule is NULL: only residues are
    // compared.
    const uint32_t *residue, *molecule;
    bool incomplete;      // the list lacks some bonds
    size_t between;       // atoms on bonds that the frames do not contain, as in struct trj_stream_header
    const uint32_t *rows; // [row_count] atoms that moved frames contain, ascending; NULL: all
    size_t row_count;
    const char *const *groups; // [group_count] as in group_list.h, for the reference file
    size_t group_count;
    const double (*mean_cell)[3]; // Å, for unwrap, if it needs the mean cell of all frames
};

struct trj_mover;

// Returns whether any of the options is present.
bool trj_mover_requested(const struct trj_mover_options *o);

// Evaluates the selections, which must not depend on coordinates, and reads the reference file. Returns 0 or -1.
// TRJ_USAGE: invalid selections; bonds for --whole that are unknown or incomplete. TRJ_BAD_DATA: fewer than 3 atoms for
// --fit; a reference with other atoms. Of *system, only the rows are used after the call. trj_mover_close frees the
// mover.
int trj_mover_open(struct trj_mover **mover, const struct trj_mover_options *o, const struct trj_mover_system *system,
                   struct trj_error *err);
void trj_mover_close(struct trj_mover *m); // NULL is allowed
// Fails with TRJ_BAD_DATA unless the selections select the same atoms in the system of a further input, and its bonds,
// if they are used, are those of the first one.
int trj_mover_compare(const struct trj_mover *m, const struct trj_mover_system *system, struct trj_error *err);

// Adds the movements to a header. If the first frame that is moved is the reference, it is frame `frame` of the file
// `source`, whose fingerprint is given.
int trj_mover_describe(const struct trj_mover *m, struct trj_stream_header *h, const char *source, uint64_t fingerprint,
                       uint64_t frame, struct trj_error *err);

// Returns whether frames must be moved one after the other, in the order of the output, because atoms are followed.
bool trj_mover_is_sequential(const struct trj_mover *m);
// Otherwise: returns whether frames may be moved in any order, because the reference is known or not needed.
bool trj_mover_is_ready(const struct trj_mover *m);
// Moves the atoms of a frame, whose cell must be the one to use, and keeps only the atoms `rows`. If the mover is not
// ready, the frame becomes the reference; otherwise, unless it is sequential, several threads may move frames at once.
// Image flags of unwrapped frames are removed. Fails with TRJ_BAD_DATA for a frame without a cell if molecules are made
// whole, for an infinite molecule, for atoms without one best superposition, and as trj_unwrap_apply.
int trj_mover_apply(struct trj_mover *m, struct trj_frame *f, struct trj_error *err);
// Writes a note about all frames so far to text[TRJ_MOVER_NOTE]; "": there is none.
enum { TRJ_MOVER_NOTE = 400 };
void trj_mover_note(const struct trj_mover *m, char *text);

#endif
