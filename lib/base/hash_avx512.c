// SPDX-License-Identifier: MIT
// The hash functions for AVX-512; hash.c chooses between the variants.
#ifdef __AVX512F__
#include "hash_variants.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t hash(const void *data, size_t n, uint64_t seed) {
    return XXH3_64bits_withSeed(data, n, seed);
}

static void add(void *state, const void *data, size_t n) {
    XXH3_64bits_update(state, data, n);
}

const struct trj_hash_variant trj_hash_avx512 = {hash, add};
#endif
