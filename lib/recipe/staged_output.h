// SPDX-License-Identifier: MIT
// A file that another process writes: in a folder of its own beside the place it is for, so that nothing the process leaves behind stays.
#ifndef TRJ_STAGED_OUTPUT_H
#define TRJ_STAGED_OUTPUT_H

#include <stdint.h>

#include "error.h"

struct trj_staged_output {
    char *final;  // the place, through symbolic links
    char *folder; // the temporary one
    char *path;   // what the process is told to write: of the same name, from which some tell the format
};

// Whether a file of that name could be put in its place, as far as can be told beforehand.
int trj_staged_output_check(const char *beside, struct trj_error *err);

// `beside` is the file whose folder gets the temporary one; trj_aside_close removes it with all that is in it.
int trj_staged_output_open(struct trj_staged_output *a, const char *beside, struct trj_error *err);
// Whether the file is there, its size, and whether it could be put in its place now: asked of all that are to appear together before
// the first of them does.
int trj_staged_output_check_ready(const struct trj_staged_output *a, uint64_t *bytes, struct trj_error *err);
int trj_staged_output_commit(struct trj_staged_output *a, struct trj_error *err); // puts the file in its place
void trj_staged_output_close(struct trj_staged_output *a);                        // a zeroed one is allowed

#endif
