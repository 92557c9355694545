// SPDX-License-Identifier: MIT
// Computes hashes with the vectors of the CPU, and calls XXH3 inline from its header, because a few small functions do
// not justify a shared library at run time. All instruction sets give the same hash.
#include "hash.h"

#include "hash_variants.h"
#include "instruction_set.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LONG = 1024 }; // bytes above which the vectors are worth the choice of a variant
_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct trj_hash_state), "the state of xxHash");
_Static_assert(alignof(XXH3_state_t) <= alignof(struct trj_hash_state), "the state of xxHash");

// Returns the variant for the CPU; NULL: the functions that are compiled here.
static const struct trj_hash_variant *variant(void) {
    static const struct trj_hash_variant *const variants[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &trj_hash_avx512,
        [TRJ_ISA_AVX2] = &trj_hash_avx2,
#endif
        [TRJ_ISA_PLAIN] = NULL};
    return variants[trj_isa_of_process()];
}

uint64_t trj_hash(const void *data, size_t n, uint64_t seed) {
    const struct trj_hash_variant *v = n > LONG ? variant() : NULL;
    return v ? v->hash(data, n, seed) : XXH3_64bits_withSeed(data, n, seed);
}

void trj_hash_begin(struct trj_hash_state *s) {
    XXH3_64bits_reset((XXH3_state_t *)(void *)s);
}

void trj_hash_add(struct trj_hash_state *s, const void *data, size_t n) {
    const struct trj_hash_variant *v = n > LONG ? variant() : NULL;
    if (v)
        v->add(s, data, n);
    else
        XXH3_64bits_update((XXH3_state_t *)(void *)s, data, n);
}

uint64_t trj_hash_end(const struct trj_hash_state *s) {
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)s);
}
