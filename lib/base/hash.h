// SPDX-License-Identifier: MIT
// Computes the 64-bit hash that checksums, fingerprints and hash tables use.
#ifndef TRJ_HASH_H
#define TRJ_HASH_H

#include <stddef.h>
#include <stdint.h>

// Returns the XXH3-64 hash of n bytes (doc/xxhash_spec.md of xxHash). `data` may be NULL if n is 0. Callable from any
// thread.
uint64_t trj_hash(const void *data, size_t n, uint64_t seed);

#endif
