// SPDX-License-Identifier: MIT
// Writes files and standard output: buffered, with every write and the close checked. A named file is written under
// a temporary name in the same folder and renamed by trj_output_commit. A signal that ends the process
// (ending_signals.h) removes the temporary file, and the named file stays as it was.
#ifndef TRJ_OUTPUT_H
#define TRJ_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_output;

enum trj_output_kind { TRJ_OUTPUT_TEXT, TRJ_OUTPUT_BINARY }; // binary to a terminal is refused

// NULL or "-" is stdout. An empty path is TRJ_USAGE. Names of things that are no regular files (pipes, /dev/...) are written to directly.
int trj_output_open(struct trj_output **out, const char *path, enum trj_output_kind kind, struct trj_error *err);
bool trj_output_is_stdout(const char *path);                  // whether such a path is standard output
bool trj_output_goes_to_stdout(const struct trj_output *out); // whether the output is standard output
int trj_output_write(struct trj_output *out, const void *data, size_t n, struct trj_error *err);
int trj_output_print(struct trj_output *out, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Whether what was written can be written over: of a regular file that is not appended to.
bool trj_output_can_patch(const struct trj_output *out);
// Writes over bytes that were written before, at `offset` from the first one; only where that can be done.
int trj_output_patch(struct trj_output *out, uint64_t offset, const void *data, size_t n, struct trj_error *err);

// Gives the file `fd` the mode, and where possible the owner and group, of the file that `path` names; if there is
// none, the mode of a new file. If the group cannot be kept, the new group gets no more than all users had. Returns
// -1 with errno set if the mode cannot be set.
int trj_output_permissions(int fd, const char *path);

int trj_output_flush(struct trj_output *out, struct trj_error *err);
// Flushes, closes, renames. After it, or instead of it, trj_output_close frees and removes what was not committed.
int trj_output_commit(struct trj_output *out, struct trj_error *err);
void trj_output_close(struct trj_output *out);

#endif
