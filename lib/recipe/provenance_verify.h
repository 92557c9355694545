// SPDX-License-Identifier: MIT
// Repeats the commands in the provenance of a file, and compares the results.
#ifndef TRJ_PROVENANCE_VERIFY_H
#define TRJ_PROVENANCE_VERIFY_H

#include "recipe_runner.h"

// Runs the last command in the provenance of the file, together with the commands whose streams it read through pipes,
// and compares the bytes; then does the same for each input that has provenance. Inputs are searched in the current
// folder, in the folder of the file, and in its parents; they must have the recorded digests. Reports each file that is
// equal. Returns -1 with TRJ_FAILED if bytes differ, or with TRJ_BAD_DATA if the provenance is not sufficient. Changes
// the current folder.
int trj_provenance_verify(struct trj_run_options *options, const char *path, struct trj_error *err);

#endif
