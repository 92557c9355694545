// SPDX-License-Identifier: MIT
// Creates temporary files without a name, which disappear when they are closed, also if the process is killed.
#ifndef TRJ_TEMPORARY_FILE_H
#define TRJ_TEMPORARY_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Creates a file in the folder $TMPDIR (default: /tmp). Returns its descriptor, or -1 with errno set. *folder is the
// name of the folder for messages, also after an error.
int trj_temporary_file(const char **folder);

// Writes or reads n bytes at an offset.
int trj_temporary_write(int file, const void *data, size_t n, uint64_t at, struct trj_error *err);
int trj_temporary_read(int file, void *data, size_t n, uint64_t at, struct trj_error *err);

#endif
