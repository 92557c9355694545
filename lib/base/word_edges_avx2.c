// SPDX-License-Identifier: MIT
// The function that finds words, for AVX2 and AVX-512; word_edges.c chooses between the variants.
#ifdef __AVX2__
#include "word_edges_variants.h"

bool trj_word_edges_avx2(const char *text, size_t length, size_t words, size_t first, size_t end, uint32_t *edge) {
    return trj_find_word_edges(text, length, words, first, end, edge);
}
#endif
