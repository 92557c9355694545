// SPDX-License-Identifier: MIT
// Runs again what a file's provenance tells, and compares.
#ifndef TRJ_PROVENANCE_VERIFY_H
#define TRJ_PROVENANCE_VERIFY_H

#include "recipe_runner.h"

// The last command that wrote into the file, with those whose streams it read through pipes, is run on inputs of the digests that the file
// tells; then the same for those inputs that have provenance themselves. The inputs' names are looked up in the current folder, the file's,
// and those above it. run->say tells what was found the same; TRJ_FAILED where the bytes differ; TRJ_BAD_DATA where the provenance is
// not enough to run from. Leaves the current folder changed.
int trj_provenance_verify(struct trj_run_options *options, const char *path, struct trj_error *err);

#endif
