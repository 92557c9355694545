// SPDX-License-Identifier: MIT
// Creates temporary files without a name, which disappear when they are closed, even if the process is killed.
#ifndef TRJ_TEMPORARY_FILE_H
#define TRJ_TEMPORARY_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Creates a file in the folder $TMPDIR (default: /tmp). Returns its descriptor, which the caller closes, or -1 with
// errno set. Sets *folder to the name of the folder for messages, also after an error.
int trj_temporary_file(const char **folder);

// These functions write or read exactly n bytes at `offset`. They return 0 or -1.
int trj_temporary_write(int file, const void *data, size_t n, uint64_t offset, struct trj_error *err);
int trj_temporary_read(int file, void *data, size_t n, uint64_t offset, struct trj_error *err);

#endif
