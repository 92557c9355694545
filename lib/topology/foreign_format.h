// SPDX-License-Identifier: MIT
// Detects files of known formats that are not supported, so that errors can name them and a program that converts them.
#ifndef TRJ_FOREIGN_FORMAT_H
#define TRJ_FOREIGN_FORMAT_H

#include <stddef.h>

// Returns what a file is whose first n bytes these are, and what to do with it: "is TNG, which is not supported;
// convert it with ...". NULL: it is none of the known ones. The formats are those of trajectories and topologies that
// other programs convert, and streams and tables that other tools read.
const char *trj_foreign_format(const unsigned char *head, size_t n);

// The same for outputs of other programs and lists of files, whose words can also be in the titles of other files: call
// it only if the bytes are of no format that is read.
const char *trj_foreign_text(const unsigned char *head, size_t n);

#endif
