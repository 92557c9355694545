// SPDX-License-Identifier: MIT
// What the dumps of LAMMPS share, text and binary: what turns units, boxes, columns and ids into frames.
// (https://docs.lammps.org/dump.html, Howto_triclinic.html, units.html)
//
// Errors do not say where: the caller knows the line or the byte.
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

// Columns that describe the atoms.
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

// What a frame tells of its atoms.
struct trj_lammps_layout {
    double h[3][3], low[3]; // cell and origin, in the dump's own unit
    unsigned periodic;
    size_t columns, x[3], id; // how many there are, and which is which
    bool scaled, has_id;
    const char *coordinates;               // the first of their columns: x, xs, xu or xsu
    size_t label[TRJ_LAMMPS_ATOM_COLUMNS]; // 1 + column, 0: there is none
};

struct trj_lammps {
    const char *units_note; // a note that the unit of length is unknown; NULL: it is known
    double unit, time_ps; // Å, ps in the dump's units; time NaN where they are not said. trj_lammps_start sets them so
    struct trj_lammps_layout now; // of this frame
    int wrong;                    // axis of a box that was refused
    // Atoms stand in order of id. What the first frame has, the others must have.
    size_t atoms;       // of the first frame; 0 before its end
    bool ordered;       // ids are known: it was the first frame's way
    struct trj_id *ids; // [atoms] sorted, with their places in the first frame
    int64_t *first;     // [atoms] ids of the first frame, as they come
    size_t room;
    uint32_t *place;  // [atoms] of the atom that came as number i
    uint64_t *seen;   // [atoms] the last round that had it
    uint64_t round;   // frames begun
    uint32_t *direct; // [span] place of id ids[0].id + i, UINT32_MAX: no such id; NULL: ids are too far apart
    uint64_t span;
};

void trj_lammps_start(struct trj_lammps *l);
void trj_lammps_free(struct trj_lammps *l); // not *l itself

// Units by their name. Where lengths are not what other tools know, or have no size (lj), numbers are taken for Angstrom, as in
// files that do not say.
int trj_lammps_units(struct trj_lammps *l, const char *name, struct trj_error *err);

// Bounds are those of the box around the cell, which the tilts xy, xz, yz widen. *note is set where a cell is so skew that they may
// be the cell's own.
int trj_lammps_box(struct trj_lammps *l, const double bounds[3][2], const double tilt[3], const char **note,
                   struct trj_error *err);

// Begins a frame. The names of its columns, which are cut into words.
int trj_lammps_columns(struct trj_lammps *l, char *names, struct trj_error *err);

// Unit and cell of the frame, and its time, which it has in the dump's unit.
void trj_lammps_describe(const struct trj_lammps *l, struct trj_frame *f);

// Scaled coordinates of the cell, in float64, rounded once.
void trj_lammps_unscale(const struct trj_lammps_layout *l, const double s[3], float x[3]);

// The id of the atom that came as number i.
int trj_lammps_take_id(struct trj_lammps *l, size_t i, int64_t id, struct trj_error *err);

// Once the first frame has ended: where the atom with this id belongs. TRJ_BAD_DATA where there is none.
int trj_lammps_find(const struct trj_lammps *l, int64_t id, size_t *place, struct trj_error *err);
int trj_lammps_fail_twice(int64_t id, struct trj_error *err); // TRJ_BAD_DATA: an id that two atoms have; -1

// Ends a frame of so many atoms, which is as many as the first frame had. *place[i] is where number i belongs; NULL: at i.
int trj_lammps_end(struct trj_lammps *l, size_t atoms, const uint32_t **place, struct trj_error *err);

#endif
