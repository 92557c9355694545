// SPDX-License-Identifier: MIT
// Interprets units, boxes, columns and atom ids of LAMMPS dumps, text and binary.
// (https://docs.lammps.org/dump.html, Howto_triclinic.html, units.html)
//
// The errors contain no position; callers add the line or byte.
#ifndef TRJ_LAMMPS_RECORDS_H
#define TRJ_LAMMPS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atom_ids.h"
#include "error.h"
#include "frame.h"

#define TRJ_LAMMPS_ITEM "ITEM: " // the start of each header line of a text dump

// Returns whether the first n bytes of a file look like a text dump.
bool trj_lammps_dump_is(const char *head, size_t n);

// Columns that describe atoms.
enum {
    TRJ_LAMMPS_TYPE,
    TRJ_LAMMPS_TYPE_LABEL,
    TRJ_LAMMPS_ELEMENT,
    TRJ_LAMMPS_MOLECULE,
    TRJ_LAMMPS_MASS,
    TRJ_LAMMPS_CHARGE,
    TRJ_LAMMPS_ATOM_COLUMNS
};
extern const char *const trj_lammps_atom_columns[TRJ_LAMMPS_ATOM_COLUMNS]; // their names

// Cell and columns of a frame.
struct trj_lammps_layout {
    double h[3][3], low[3]; // cell and origin, in the unit of the dump
    unsigned periodic;
    size_t columns, x[3], id; // number of columns; the columns of x, y, z and the id, from 0
    bool scaled, has_id;
    const char *coordinates;               // name of the x column: x, xs, xu or xsu
    size_t label[TRJ_LAMMPS_ATOM_COLUMNS]; // 1 + column; 0: missing
    size_t motion[6];                      // 1 + column of vx, vy, vz, ix, iy, iz; 0: missing
};

struct trj_lammps {
    const char *units_note;       // a note that the unit of length is unknown; NULL: it is known
    double unit, time_ps;         // units of length and time of the dump, in Å and ps; 1 and NaN if unknown
    double velocity;              // unit of velocity in Å/ps; NaN if unknown
    struct trj_lammps_layout now; // of the current frame
    int wrong;                    // axis of a box that trj_lammps_box rejected
    bool no_box;                  // that of the current frame is left out
    struct trj_error box_error;   // the reason
    // Atoms are sorted by id. All frames must have the ids of the first one.
    size_t atoms;       // of the first frame; 0 before its end
    bool ordered;       // the first frame is complete and has ids
    struct trj_id *ids; // [atoms] sorted, with the line of each in the first frame
    int64_t *first;     // [atoms] ids of the first frame, in the order of its lines
    size_t capacity;
    uint32_t *position; // [atoms] number, in order of id, of the atom in line i of the frame
    uint64_t *seen;     // [atoms] the last frame, counted by `round`, that contains the atom
    uint64_t round;     // frames started
    uint32_t *direct;   // [span] position of id ids[0].id + i; UINT32_MAX: no such id. NULL: the gaps are too large
    uint64_t span;
};

void trj_lammps_start(struct trj_lammps *l); // before the first frame: the units are unknown
void trj_lammps_free(struct trj_lammps *l);  // not *l itself
// Treats the next frame as a first one, which may have other atoms; the units are kept.
void trj_lammps_forget(struct trj_lammps *l);

// Sets the units by their LAMMPS name. Reduced lengths (lj) are taken as Å, as in files without units. Fails with
// TRJ_BAD_DATA for unknown names.
int trj_lammps_units(struct trj_lammps *l, const char *name, struct trj_error *err);

// Computes the cell from the bounds of the box around it, which the tilts xy, xz, yz make wider than the cell. Sets
// *note if the cell is so skewed that the bounds may instead be those of the cell. Fails with TRJ_BAD_DATA for an empty
// box.
int trj_lammps_box(struct trj_lammps *l, const double bounds[3][2], const double tilt[3], const char **note,
                   struct trj_error *err);

// Leaves the box of the frame out, which is invalid for the reason `why`, because the user gives another cell.
void trj_lammps_leave_out_box(struct trj_lammps *l, const struct trj_error *why);

// Starts a frame, after its box, given the names of its columns; modifies the text. Fails with TRJ_BAD_DATA for missing
// coordinates, coordinates scaled by a box that is left out, repeated columns, and ids that only some frames have.
int trj_lammps_columns(struct trj_lammps *l, char *names, struct trj_error *err);

// Sets unit and cell of the frame, and converts its time from the unit of the dump.
void trj_lammps_describe(const struct trj_lammps *l, struct trj_frame *f);

// Converts coordinates scaled by the cell, in float64, with a single rounding at the end.
void trj_lammps_unscale(const struct trj_lammps_layout *l, const double s[3], float x[3]);

// Adds the id of the atom in line i. Fails with TRJ_BAD_DATA for ids that are unknown or repeated.
int trj_lammps_take_id(struct trj_lammps *l, size_t i, int64_t id, struct trj_error *err);

// After the first frame: finds the position of an id. Fails with TRJ_BAD_DATA if frame 0 does not contain it.
int trj_lammps_find(const struct trj_lammps *l, int64_t id, size_t *position, struct trj_error *err);
// Reports an id that two atoms have. Returns -1.
int trj_lammps_fail_duplicate_id(int64_t id, struct trj_error *err);

// Ends a frame. `atoms` must be the same in all frames, and may be 0 only if trj_lammps_forget follows. (*position)[i]
// is the number of the atom in line i; NULL: i.
int trj_lammps_end(struct trj_lammps *l, size_t atoms, const uint32_t **position, struct trj_error *err);

#endif
