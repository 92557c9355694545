// SPDX-License-Identifier: MIT
// Counts how often each text occurs, for reports that list the most frequent first.
#include "text_tally.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int by_count(const void *x, const void *y) {
    const struct trj_text_tally *a = x, *b = y;
    if (a->atoms != b->atoms) return a->atoms > b->atoms ? -1 : 1;
    return strcmp(a->text, b->text);
}

int trj_text_tally_count(struct trj_text_tally **tally, size_t *count, const struct trj_texts *texts, size_t atoms,
                         const uint32_t *residue, struct trj_error *err) {
    struct trj_text_tally *t = trj_alloc(texts->count, sizeof *t, "a tally", err);
    if (!t) return -1;
    for (size_t k = 0; k < texts->count; k++) t[k].text = texts->text[k];
    for (size_t i = 0; i < atoms; i++) {
        t[texts->id[i]].atoms++;
        if (residue && (!i || residue[i] != residue[i - 1])) t[texts->id[i]].residues++;
    }
    qsort(t, texts->count, sizeof *t, by_count);
    for (*count = 0; *count < texts->count && t[*count].atoms; ++*count) continue;
    *tally = t;
    return 0;
}
