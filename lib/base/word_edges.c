// SPDX-License-Identifier: MIT
// Chooses the function that finds words by the instruction set.
#include "word_edges.h"

#include "word_edges_variants.h"

bool trj_word_edges(const char *text, size_t length, size_t words, size_t first, size_t end, uint32_t *edge,
                    enum trj_isa isa) {
#ifdef __x86_64__
    if (isa != TRJ_ISA_PLAIN) return trj_word_edges_avx2(text, length, words, first, end, edge);
#endif
    (void)isa;
    return trj_find_word_edges(text, length, words, first, end, edge);
}
