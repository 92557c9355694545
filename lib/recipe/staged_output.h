// SPDX-License-Identifier: MIT
// Lets another process write a file, and files that belong to it, into a temporary folder, and renames them once they
// are complete. These are the files of a series, or the lattice of a map in NumPy format. The temporary folder is in
// the folder of the final file; it is removed with everything that the process left in it.
#ifndef TRJ_STAGED_OUTPUT_H
#define TRJ_STAGED_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct trj_staged_output {
    char *final; // path after the rename; symbolic links are resolved
    // The folder of the file, into which the others are renamed, with a slash at its end; "": the current folder.
    char *beside;
    bool series;  // there is no file with the name itself, but at least one of the series
    char *folder; // the temporary folder
    char *path;   // that the process writes; it ends in the name of the final file, from which tools derive the format
};

// Checks, before the process starts, that the folder of the output is writable and that no folder has its name. Returns
// 0, or -1 with TRJ_FAILED.
int trj_staged_output_check(const char *file, struct trj_error *err);

// Creates the temporary folder for the output `file`, or for a series of files. trj_staged_output_close removes it,
// also after a failure.
int trj_staged_output_open(struct trj_staged_output *a, const char *file, bool series, struct trj_error *err);
// Checks that the process has written the file and that all files can be renamed, and adds them to *size. For files
// that appear together, all checks precede the first rename.
struct trj_staged_size {
    uint64_t bytes;
    uint64_t series; // files of series
};
int trj_staged_output_check_ready(const struct trj_staged_output *a, struct trj_staged_size *size,
                                  struct trj_error *err);
// Gives the files the permissions of new files, or of those that they replace, and renames them.
int trj_staged_output_commit(struct trj_staged_output *a, struct trj_error *err);
// Removes the temporary folder and frees the members; a zeroed structure is allowed.
void trj_staged_output_close(struct trj_staged_output *a);

#endif
