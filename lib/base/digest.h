// SPDX-License-Identifier: MIT
// A digest of a file's bytes, by which its provenance knows it again.
#ifndef TRJ_DIGEST_H
#define TRJ_DIGEST_H

#include "error.h"

enum { TRJ_DIGEST_ROOM = 40 };

// "xxh3:" and the 32 hexadecimal digits of XXH3-128, as `xxh128sum` prints them. Reads the whole file, which must be a regular one:
// what is none has no bytes to come back to.
int trj_digest_file(char digest[TRJ_DIGEST_ROOM], const char *path, struct trj_error *err);

#endif
