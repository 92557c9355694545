// SPDX-License-Identifier: MIT
// Calls XXH3 inline from its header, because a few small functions do not justify a shared library at run time.
#include "hash.h"

#define XXH_INLINE_ALL // a few small functions do not justify a shared library at run time
#include <xxhash.h>

uint64_t trj_hash(const void *data, size_t n, uint64_t seed) {
    return XXH3_64bits_withSeed(data, n, seed);
}
