// SPDX-License-Identifier: MIT
// Reads the reference coordinates of a superposition from a file.
#ifndef TRJ_FIT_REFERENCE_H
#define TRJ_FIT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "mover.h"

// Reads frame 0 of a file, and sets (*selected)[count] to its atoms that correspond to atoms[count] of the system. If
// the file contains names, the selection is evaluated with them, and its atoms must correspond to those of the system
// (atom_pairs.h). Other files must contain either all atoms of the system, or only the selected ones. Sets *fingerprint
// to that of the file. Returns 0 or -1. The frame must be zeroed and *selected NULL; the caller frees both, also after
// an error.
int trj_fit_reference_read(struct trj_frame *f, uint32_t **selected, const uint32_t *atoms, size_t count,
                           const char *path, const char *selection, const struct trj_mover_system *system,
                           uint64_t *fingerprint, struct trj_error *err);

// Evaluates a selection. Fails with TRJ_USAGE if it is invalid or depends on coordinates. The caller frees *atoms
// [*count], which ascend.
int trj_mover_select(uint32_t **atoms, size_t *count, const char *selection, const struct trj_selection_scope *scope,
                     struct trj_error *err);

#endif
