// SPDX-License-Identifier: MIT
// Computes the 64-bit hash that checksums, fingerprints and hash tables use: XXH3-64 (doc/xxhash_spec.md of xxHash).
#ifndef TRJ_HASH_H
#define TRJ_HASH_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

// Returns the hash of n bytes. `data` may be NULL if n is 0. Callable from any thread.
uint64_t trj_hash(const void *data, size_t n, uint64_t seed);

// The hash of data that arrive in parts, with the seed 0. The state may be copied, and needs no memory of its own.
struct trj_hash_state {
    alignas(64) unsigned char state[576];
};
void trj_hash_begin(struct trj_hash_state *s);
void trj_hash_add(struct trj_hash_state *s, const void *data, size_t n);
uint64_t trj_hash_end(const struct trj_hash_state *s); // of all parts so far

#endif
