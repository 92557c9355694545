// SPDX-License-Identifier: MIT
// What observables share: the atoms of a frame stream, the selections of all expressions, and, in each frame, their
// positions.
#ifndef OBS_SYSTEM_H
#define OBS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "nearest_image.h"
#include "observable.h"
#include "select.h"
#include "stream_scope.h"
#include "whole.h"

// A selection. Expressions with the same text share it.
struct obs_selection {
    char *text;
    struct trj_selection *selection; // NULL: a dynamic group of the stream
    const struct trj_group *group;   // this group
    bool dynamic;                    // its atoms change from frame to frame
    uint32_t *atoms;                 // [count] of the stream, ascending; of a dynamic one, all atoms that it can have
    size_t count;
    // For obs_view_whole, made when a function first needs it. Units are the parts that bonds connect, or atoms.
    bool has_units;
    uint32_t *edge; // [edges] bonds of the tree in system->tree that connect atoms of a unit
    size_t edges;
    uint32_t *unit; // [count] of each atom, from 0
    size_t units;
};

struct obs_system {
    const struct trj_stream_header *header;
    const struct trj_selection_scope *syntax; // of a system without a stream, whose expressions are only parsed
    void (*note)(const char *line);           // prints a note; set after obs_system_open; NULL: notes are left out
    bool noted_order;                         // that the order of atoms in a reference is not verified
    double temperature;                       // K, of an option of the tool; set after obs_system_open; 0: not given
    struct trj_stream_scope scope;
    struct trj_whole tree;           // of the bonds between stream atoms, if they are known
    struct obs_selection *selection; // [count]
    size_t count, capacity;
};

// Opens a system for the frames of a stream, whose header must outlive it. Fails with TRJ_BAD_DATA for a stream of a
// system with a changing number of atoms. obs_system_free frees, also after a failure.
int obs_system_open(struct obs_system *s, const struct trj_stream_header *h, struct trj_error *err);
void obs_system_free(struct obs_system *s);
// Opens a system without a stream, in which expressions are only parsed. The scope, which must outlive it, has
// `syntax_only`.
void obs_system_open_syntax(struct obs_system *s, const struct trj_selection_scope *scope);

// Sets *number to the selection with this text, which is parsed if it is new. Fails with TRJ_USAGE if it is invalid, or
// selects no atom.
int obs_system_select(struct obs_system *s, const char *text, size_t *number, struct trj_error *err);
// Prepares obs_view_whole for a selection.
int obs_system_need_whole(struct obs_system *s, size_t selection, struct trj_error *err);
// Sets *values[header->atoms] to a property of the stream, such as "mass", after a check that the values of all atoms
// that the selection can have are known. Fails with TRJ_BAD_DATA and the remedy.
int obs_system_need_property(const struct obs_system *s, const char *name, size_t selection, const double **values,
                             struct trj_error *err);

// The positions of a selection in a frame.
struct obs_positions {
    const uint32_t *atoms; // [count] of the stream
    size_t count;          // 0 only if the selection is dynamic
    double (*x)[3];        // [count] Å
};

// A frame in one thread. The positions of each selection are made when they are first needed.
struct obs_view;
int obs_view_open(struct obs_view **v, const struct obs_system *s, struct trj_error *err);
void obs_view_close(struct obs_view *v); // NULL is allowed
// Begins the next frame, which must stay unchanged as long as the view is used for it.
void obs_view_begin(struct obs_view *v, const struct trj_frame *f);
const struct trj_frame *obs_view_frame(const struct obs_view *v);
const struct obs_system *obs_view_system(const struct obs_view *v);

// Sets *p to the positions of a selection, which stay valid until the next frame. Fails with TRJ_BAD_DATA for an atom
// beyond TRJ_FARTHEST.
int obs_view_positions(struct obs_view *v, size_t selection, const struct obs_positions **p, struct trj_error *err);
// Does the same, and fails with TRJ_BAD_DATA and the remedy if a periodic boundary divides the selection: if a bond
// crosses one, or if the centres of its units are farther apart than half of the cell along a vector of the reduced
// cell. In a stream that was centred (trjcat --centre), they may be, if the largest gap between them, with images, is
// outside of them, as if it was centred on this selection. With `molecules_only`, only bonds are verified.
// Without known bonds, a molecule is a unit if the stream states that molecules were made whole.
int obs_view_whole(struct obs_view *v, size_t selection, bool molecules_only, const struct obs_positions **p,
                   struct trj_error *err);
// Restricts a selection that is not dynamic to the atoms with the numbers member[count] in its list, which ascend:
// obs_view_positions and obs_view_whole give only these, until obs_view_release. `member` must stay valid that long.
// obs_view_whole then verifies all bonds of the selection, but distances only between units of these atoms.
int obs_view_restrict(struct obs_view *v, size_t selection, const uint32_t *member, size_t count,
                      struct trj_error *err);
void obs_view_release(struct obs_view *v, size_t selection);
// Sets *values[header->atoms] to a property of the stream that obs_system_need_property has verified for the atoms.
// Fails only if the stream lacks it, so that the time does not depend on the number of atoms.
int obs_view_property(const struct obs_view *v, const char *name, const double **values, struct trj_error *err);
// Sets *l to the lattice of the frame's cell.
int obs_view_lattice(struct obs_view *v, const struct trj_lattice **l, struct trj_error *err);
// Returns memory that a caller uses in this thread, and finds again in later frames: `size` bytes, zero at first, for
// each `owner`, such as an observable. The view frees it after it has called `release`, which frees what it refers to,
// and may be NULL.
// Returns NULL after an error.
void *obs_view_scratch(struct obs_view *v, const void *owner, size_t size, void (*release)(void *memory),
                       struct trj_error *err);
// Sets x to the position of a point, Å. Fails as obs_view_whole, and with TRJ_BAD_DATA if its selection is empty.
int obs_view_point(struct obs_view *v, const struct obs_point *point, double x[3], struct trj_error *err);

// Sets x to the centre of mass (mass[header->atoms]; NULL: to the centre of geometry) of positions, in float64, in the
// order of the atoms. Returns false if they have no mass.
bool obs_centre(const struct obs_positions *p, const double *mass, double x[3]);

#endif
