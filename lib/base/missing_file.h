// SPDX-License-Identifier: MIT
// Distinguishes a file that does not exist from one that the system cannot examine.
#ifndef TRJ_MISSING_FILE_H
#define TRJ_MISSING_FILE_H

#include <errno.h>
#include <stdbool.h>

// Returns whether the last call with a path, such as stat(), has failed because there is no such file. If it has failed
// for another reason, such as EIO, the file can exist, and must not be treated as missing.
static inline bool trj_file_is_missing(void) {
    return errno == ENOENT || errno == ENOTDIR;
}

#endif
