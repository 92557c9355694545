// SPDX-License-Identifier: MIT
// A file that another process writes: in a folder of its own beside the place it is for, so that nothing the process leaves behind stays.
#ifndef TRJ_ASIDE_H
#define TRJ_ASIDE_H

#include "error.h"

struct trj_aside {
    char *final;  // the place, through symbolic links
    char *folder; // the temporary one
    char *path;   // what the process is told to write: of the same name, from which some tell the format
};

// `beside` is the file whose folder gets the temporary one; trj_aside_close removes it with all that is in it.
int trj_aside_open(struct trj_aside *a, const char *beside, struct trj_error *err);
int trj_aside_commit(struct trj_aside *a, struct trj_error *err); // puts the file in its place
void trj_aside_close(struct trj_aside *a);                        // a zeroed one is allowed

#endif
