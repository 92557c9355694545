// SPDX-License-Identifier: MIT
// Writes files and standard output: buffered, with every write and the close checked. A named file is written under
// a temporary name in the same folder and renamed by trj_output_commit. A signal that ends the process
// (termination_signals.h) removes the temporary file, and the named file stays as it was.
#ifndef TRJ_OUTPUT_H
#define TRJ_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_output;

enum trj_output_kind { TRJ_OUTPUT_TEXT, TRJ_OUTPUT_BINARY }; // binary output to a terminal is rejected

// Opens an output; NULL or "-" is stdout. An empty path is TRJ_USAGE. A path that names no regular file (a pipe,
// /dev/...) is written directly, without a temporary file.
int trj_output_open(struct trj_output **out, const char *path, enum trj_output_kind kind, struct trj_error *err);
bool trj_output_is_stdout(const char *path);                  // whether trj_output_open takes the path for stdout
bool trj_output_goes_to_stdout(const struct trj_output *out); // whether an open output is stdout
int trj_output_write(struct trj_output *out, const void *data, size_t n, struct trj_error *err);
int trj_output_print(struct trj_output *out, struct trj_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Whether what was written can be written over: of a regular file that is not appended to.
bool trj_output_can_patch(const struct trj_output *out);
// Writes over bytes that were written before, at `offset` from the first one; only where that can be done.
int trj_output_patch(struct trj_output *out, uint64_t offset, const void *data, size_t n, struct trj_error *err);

// Gives the file `fd` the mode of the file that `path` names and, where possible, its owner and group. If `path` does
// not exist, `fd` gets the mode of a new file. If the group cannot be kept, the new group gets only the permissions
// that all users have. Returns -1 with errno set if the mode cannot be set.
int trj_output_permissions(int fd, const char *path);

// Writes the buffered bytes.
int trj_output_flush(struct trj_output *out, struct trj_error *err);
// Flushes, closes and renames the file. trj_output_close frees, and removes a temporary file that was not committed.
int trj_output_commit(struct trj_output *out, struct trj_error *err);
void trj_output_close(struct trj_output *out);

#endif
