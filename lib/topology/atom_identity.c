// SPDX-License-Identifier: MIT
// Compares the text of columns with the first frame before parsing them, because equal bytes are the common case.
#include "atom_identity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "topology_parts.h"

static void describe(const char *what, size_t atom, struct trj_identity_field now, struct trj_identity_field first,
                     char difference[TRJ_IDENTITY_MESSAGE]) {
    enum { MAX_SHOWN = 32 };
    snprintf(difference, TRJ_IDENTITY_MESSAGE, "atom %zu: the %s is %.*s, and %.*s in the first frame", atom, what,
             (int)(now.length < MAX_SHOWN ? now.length : MAX_SHOWN), now.text,
             (int)(first.length < MAX_SHOWN ? first.length : MAX_SHOWN), first.text);
    trj_replace_control_chars(difference);
}

static void compare(const struct trj_identity_layout *layout, size_t parts, size_t atom,
                    const struct trj_identity_field *now, const struct trj_identity_field *first,
                    char difference[TRJ_IDENTITY_MESSAGE]) {
    bool both = false, any_now = false, any_first = false; // parts in both frames, in each of them
    for (size_t k = 0; k < parts && !*difference; k++) {
        both = both || (now[k].length && first[k].length);
        any_now = any_now || now[k].length;
        if (now[k].length && first[k].length &&
            (now[k].length != first[k].length || memcmp(now[k].text, first[k].text, now[k].length) != 0))
            describe(layout->part[k].what, atom, now[k], first[k], difference);
    }
    for (size_t k = 0; k < layout->parts; k++) any_first = any_first || first[k].length;
    if (any_now && any_first && !both)
        snprintf(difference, TRJ_IDENTITY_MESSAGE, "atom %zu: no name or residue field in common with the first frame",
                 atom);
}

// ---- words

static int add_words(struct trj_atom_identity *a, const struct trj_identity_field *part, size_t parts,
                     struct trj_error *err) {
    size_t n = 0;
    uint32_t *id;
    if (!a->index) {
        if (!(a->index = trj_alloc(1, sizeof *a->index, "names", err))) return -1;
        a->index->texts = &a->words;
    }
    for (size_t k = 0; k < parts; k++) {
        if (trj_grow(&a->text, &a->capacity, n + part[k].length + 2, 1, "names", err)) return -1;
        if (part[k].length) memcpy(a->text + n, part[k].text, part[k].length);
        n += part[k].length;
        a->text[n++] = '\n';
    }
    if (trj_grow(&a->words.id, &a->id_capacity, a->atoms + 1, sizeof *a->words.id, "names", err)) return -1;
    id = &a->words.id[a->atoms++];
    if (n) a->text[n] = 0;
    return trj_text_index_add(a->index, n ? a->text : "", id, err);
}

int trj_atom_identity_differ_words(struct trj_atom_identity *a, const struct trj_identity_layout *layout, size_t atom,
                                   const struct trj_identity_field *part, size_t parts,
                                   char difference[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    struct trj_identity_field first[TRJ_IDENTITY_FIELDS] = {{0}};
    if (!a->known) return add_words(a, part, parts, err);
    if (*difference) return 0;
    const char *p = a->words.text[a->words.id[atom]];
    for (size_t k = 0; *p; k++) {
        first[k] = (struct trj_identity_field){p, strcspn(p, "\n")};
        p += first[k].length + 1;
    }
    compare(layout, parts, atom, part, first, difference);
    return 0;
}

int trj_atom_identity_reorder(struct trj_atom_identity *a, const uint32_t *position, struct trj_error *err) {
    uint32_t *id = trj_alloc(a->atoms, sizeof *id, "names", err);
    if (!id) return -1;
    for (size_t i = 0; i < a->atoms; i++) id[position[i]] = a->words.id[i];
    free(a->words.id);
    a->words.id = id;
    return 0;
}

// ---- columns

// Returns a part without blanks around it; it is empty if it must be letters and is not.
static struct trj_identity_field part_of(const struct trj_identity_layout *layout, size_t k, const char *columns) {
    const char *from = columns + layout->part[k].from, *end = from + layout->part[k].width;
    while (from < end && trj_is_blank(*from)) from++;
    while (from < end && trj_is_blank(end[-1])) end--;
    for (const char *c = from; layout->part[k].letters && c < end; c++)
        if (!isalpha((unsigned char)*c)) end = from;
    return (struct trj_identity_field){from, (size_t)(end - from)};
}

// A line that is too short is filled up with blanks.
static void copy_columns(const struct trj_identity_layout *layout, const struct trj_lines *line, char *to) {
    memset(to, ' ', layout->width);
    for (size_t k = 0; k < 2; k++) {
        size_t from = layout->columns[k].from, width = layout->columns[k].width;
        if (line->length > from)
            memcpy(to, line->text + from, line->length - from < width ? line->length - from : width);
        to += width;
    }
}

int trj_atom_identity_differ_columns(struct trj_atom_identity *a, const struct trj_identity_layout *layout, size_t atom,
                                     const struct trj_lines *line, char difference[TRJ_IDENTITY_MESSAGE],
                                     struct trj_error *err) {
    char columns[TRJ_IDENTITY_WIDTH];
    struct trj_identity_field now[TRJ_IDENTITY_FIELDS], first[TRJ_IDENTITY_FIELDS];
    if (layout->width > sizeof columns) // an error of the reader, which its first file would show
        return trj_fail(err, TRJ_FAILED, "%zu columns of names and numbers, at most %zu can be compared", layout->width,
                        sizeof columns);
    if (!a->known) {
        if (trj_grow(&a->text, &a->capacity, (a->atoms + 1) * layout->width, 1, "names", err)) return -1;
        copy_columns(layout, line, a->text + a->atoms++ * layout->width);
        return 0;
    }
    if (*difference) return 0;
    copy_columns(layout, line, columns);
    for (size_t k = 0; k < layout->parts; k++) {
        now[k] = part_of(layout, k, columns);
        first[k] = part_of(layout, k, a->text + atom * layout->width);
    }
    compare(layout, layout->parts, atom, now, first, difference);
    return 0;
}

static void free_index(struct trj_atom_identity *a) {
    if (a->index) trj_text_index_free(a->index);
    free(a->index);
    a->index = NULL;
}

void trj_atom_identity_finish(struct trj_atom_identity *a) {
    free_index(a);
    a->known = true;
}

void trj_atom_identity_free(struct trj_atom_identity *a) {
    if (!a) return;
    free_index(a);
    trj_texts_clear(&a->words);
    free(a->text);
    free(a);
}
