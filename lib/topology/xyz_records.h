// SPDX-License-Identifier: MIT
// The comment of an extended XYZ, for topologies and trajectories: key=value pairs, of which Properties=name:type:columns:... tells the
// columns.  (https://github.com/libAtoms/extxyz)
#ifndef TRJ_XYZ_RECORDS_H
#define TRJ_XYZ_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

// Returns whether the first n bytes of a file look like XYZ: a number alone, a line of any kind, and an atom, whose
// columns `Properties` may put in any order.
bool trj_xyz_is(const char *head, size_t n);

// Whether the n bytes of a comment have "key=", perhaps with blanks before the "=".
bool trj_xyz_has(const char *comment, size_t n, const char *key);
// What Properties calls the columns that tell of atoms.
enum trj_xyz_column { TRJ_XYZ_SPECIES, TRJ_XYZ_NUMBER, TRJ_XYZ_MASS, TRJ_XYZ_CHARGE, TRJ_XYZ_NONE };
enum trj_xyz_column trj_xyz_column(const char *name);

// The next key of a comment and its value, both NUL-terminated in place; the value has lost its quotes, and is NULL where
// there is none. 1; 0 at the end; -1: something that was opened is not closed.
int trj_xyz_pair(char **rest, char **key, char **value);

// The next part of a text with colons between, NULL at the end.
char *trj_xyz_part(char **rest);

#endif
