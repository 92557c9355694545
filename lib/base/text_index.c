// SPDX-License-Identifier: MIT
// Implements a hash table that stores part of the hash and the number of a text in one word, so that few texts are
// compared.
#include "text_index.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"

// Doubles the table. The texts differ, so that inserting them again needs no comparison.
static int enlarge(struct trj_text_index *x, struct trj_error *err) {
    size_t entries = x->entries ? 2 * x->entries : 64;
    uint64_t *entry = trj_alloc(entries, sizeof *entry, "a table of texts", err);
    if (!entry) return -1;
    for (size_t i = 0; i < x->entries; i++) {
        size_t position = (size_t)(x->entry[i] >> 32) & (entries - 1);
        if (!x->entry[i]) continue;
        while (entry[position]) position = (position + 1) & (entries - 1);
        entry[position] = x->entry[i];
    }
    free(x->entry);
    x->entry = entry;
    x->entries = entries;
    return 0;
}

// Returns the entry of a text in the table, or the free entry for it.
static size_t place_of(const struct trj_text_index *x, const char *text, size_t length, uint64_t hash) {
    size_t position = (size_t)(hash >> 32) & (x->entries - 1);
    for (uint64_t found; (found = x->entry[position]); position = (position + 1) & (x->entries - 1)) {
        const char *known = x->texts->text[(uint32_t)found - 1];
        if (found >> 32 == hash >> 32 && !strncmp(known, text, length) && !known[length]) break;
    }
    return position;
}

static uint64_t hash_of(const char *text, size_t length) {
    return trj_hash(text, length, 0) << 32;
}

int trj_text_index_add(struct trj_text_index *x, const char *text, uint32_t *id, struct trj_error *err) {
    struct trj_texts *t = x->texts;
    if (t->count && !strcmp(t->text[x->last], text)) {
        *id = x->last;
        return 0;
    }
    if (2 * (t->count + 1) > x->entries && enlarge(x, err)) return -1;
    size_t length = strlen(text);
    uint64_t hash = hash_of(text, length);
    size_t position = place_of(x, text, length, hash);
    uint64_t found = x->entry[position];
    if (!found) {
        if (trj_grow(&t->text, &x->capacity, t->count + 1, sizeof *t->text, "texts", err)) return -1;
        char *copy = trj_copy_text(text, err);
        if (!copy) return -1;
        t->text[t->count++] = copy;
        x->entry[position] = found = hash | t->count;
    }
    *id = x->last = (uint32_t)found - 1;
    return 0;
}

bool trj_text_index_find(const struct trj_text_index *x, const char *text, size_t length, uint32_t *id) {
    uint64_t found = x->entries ? x->entry[place_of(x, text, length, hash_of(text, length))] : 0;
    if (found) *id = (uint32_t)found - 1;
    return found;
}

void trj_text_index_free(struct trj_text_index *x) {
    free(x->entry);
    x->entry = NULL;
}

void trj_texts_clear(struct trj_texts *t) {
    for (size_t i = 0; i < t->count; i++) free(t->text[i]);
    free(t->text);
    free(t->id);
}
