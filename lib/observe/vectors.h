// SPDX-License-Identifier: MIT
// Vectors from each atom of a selection to the atom of another selection in the same place.
#ifndef OBS_VECTORS_H
#define OBS_VECTORS_H

#include <stddef.h>

#include "error.h"
#include "system.h"

// Fails with TRJ_USAGE unless both selections are fixed, have equal numbers of atoms, and each vector is between two
// atoms of a molecule, if molecules are known. (orientation.c)
int obs_vectors_check(const struct obs_system *s, size_t from, size_t to, struct trj_error *err);

#endif
