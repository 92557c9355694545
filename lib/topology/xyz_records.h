// SPDX-License-Identifier: MIT
// Parses the comment line of extended XYZ files, for topologies and trajectories. It has key=value pairs;
// Properties=name:type:columns:... gives the columns. (https://github.com/libAtoms/extxyz)
#ifndef TRJ_XYZ_RECORDS_H
#define TRJ_XYZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "lines.h"

// Returns whether the first n bytes of a file look like XYZ: a number alone, a line of any kind, and an atom, whose
// columns `Properties` may put in any order.
bool trj_xyz_is(const char *head, size_t n);

// Returns whether the n bytes of a comment contain "key=" at the start of a word, in any case, possibly with a quote or
// blanks before the "=".
bool trj_xyz_has_key(const char *comment, size_t n, const char *key);

// Returns whether they contain Properties, whose value has colons.
bool trj_xyz_has_properties(const char *comment, size_t n);

// Returns whether a comment is one of extended XYZ: it has Properties or Lattice, whose value has several numbers.
bool trj_xyz_is_extended(const char *comment);

// Columns that describe atoms, by their names in Properties; TRJ_XYZ_NONE for all others.
enum trj_xyz_column { TRJ_XYZ_SPECIES, TRJ_XYZ_NUMBER, TRJ_XYZ_MASS, TRJ_XYZ_CHARGE, TRJ_XYZ_NONE };
enum trj_xyz_column trj_xyz_column(const char *name);

// Cuts the next key and its value, without quotes, out of a comment, in place. *value is NULL for a key without a
// value. Returns 1; 0 at the end; -1: trj_xyz_fail_pair sets the error.
int trj_xyz_pair(char **rest, char **key, char **value);
int trj_xyz_fail_pair(const struct trj_lines *l, const char *key, struct trj_error *err); // returns -1

// Cuts the next part out of a text whose parts are separated by colons, in place. Returns NULL at the end.
char *trj_xyz_part(char **rest);

#endif
