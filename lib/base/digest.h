// SPDX-License-Identifier: MIT
// Computes the digest of a file, which provenance lines contain to identify input files.
#ifndef TRJ_DIGEST_H
#define TRJ_DIGEST_H

#include "error.h"

enum { TRJ_DIGEST_ROOM = 40 }; // bytes, with the NUL

// Sets `digest` to "xxh3:" and the 32 hexadecimal digits of the XXH3-128 hash of the bytes of the file, as `xxh128sum`
// prints them. Reads the whole file. Fails with TRJ_FAILED if it is not a regular file, because the bytes of a pipe
// could not be read again. Errors name the file.
int trj_digest_file(char digest[TRJ_DIGEST_ROOM], const char *path, struct trj_error *err);

#endif
