// SPDX-License-Identifier: MIT
#include "atom_identity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "topology_parts.h"

static void tell(const char *what, size_t atom, struct trj_identity_field now, struct trj_identity_field first,
                 char other[TRJ_IDENTITY_MESSAGE]) {
    enum { MOST = 32 };
    snprintf(other, TRJ_IDENTITY_MESSAGE, "atom %zu: the %s is %.*s, and %.*s in the first frame", atom, what,
             (int)(now.length < MOST ? now.length : MOST), now.text, (int)(first.length < MOST ? first.length : MOST),
             first.text);
    trj_replace_control_chars(other);
}

static void compare(const struct trj_identity_layout *form, size_t parts, size_t atom,
                    const struct trj_identity_field *now, const struct trj_identity_field *first,
                    char other[TRJ_IDENTITY_MESSAGE]) {
    bool both = false, one = false, before = false; // told
    for (size_t k = 0; k < parts && !*other; k++) {
        both = both || (now[k].length && first[k].length);
        one = one || now[k].length;
        if (now[k].length && first[k].length &&
            (now[k].length != first[k].length || memcmp(now[k].text, first[k].text, now[k].length) != 0))
            tell(form->part[k].what, atom, now[k], first[k], other);
    }
    for (size_t k = 0; k < form->parts; k++) before = before || first[k].length;
    if (one && before && !both)
        snprintf(other, TRJ_IDENTITY_MESSAGE, "atom %zu: no name or residue field in common with the first frame",
                 atom);
}

// ---- words

static int take_words(struct trj_atom_identity *l, const struct trj_identity_field *part, size_t parts,
                      struct trj_error *err) {
    size_t n = 0;
    uint32_t *id;
    if (!l->index) {
        if (!(l->index = trj_alloc(1, sizeof *l->index, "names", err))) return -1;
        l->index->texts = &l->words;
    }
    for (size_t k = 0; k < parts; k++) {
        if (trj_grow(&l->text, &l->room, n + part[k].length + 2, 1, "names", err)) return -1;
        if (part[k].length) memcpy(l->text + n, part[k].text, part[k].length);
        n += part[k].length;
        l->text[n++] = '\n';
    }
    if (trj_grow(&l->words.id, &l->id_room, l->atoms + 1, sizeof *l->words.id, "names", err)) return -1;
    id = &l->words.id[l->atoms++];
    if (n) l->text[n] = 0;
    return trj_text_index_add(l->index, n ? l->text : "", id, err);
}

int trj_atom_identity_differ_words(struct trj_atom_identity *l, const struct trj_identity_layout *form, size_t atom,
                                   const struct trj_identity_field *part, size_t parts,
                                   char other[TRJ_IDENTITY_MESSAGE], struct trj_error *err) {
    struct trj_identity_field first[TRJ_IDENTITY_FIELDS] = {{0}};
    if (!l->known) return take_words(l, part, parts, err);
    if (*other) return 0;
    const char *p = l->words.text[l->words.id[atom]];
    for (size_t k = 0; *p; k++) {
        first[k] = (struct trj_identity_field){p, strcspn(p, "\n")};
        p += first[k].length + 1;
    }
    compare(form, parts, atom, part, first, other);
    return 0;
}

int trj_atom_identity_reorder(struct trj_atom_identity *l, const uint32_t *place, struct trj_error *err) {
    uint32_t *id = trj_alloc(l->atoms, sizeof *id, "names", err);
    if (!id) return -1;
    for (size_t i = 0; i < l->atoms; i++) id[place[i]] = l->words.id[i];
    free(l->words.id);
    l->words.id = id;
    return 0;
}

// ---- columns

static struct trj_identity_field part_of(const struct trj_identity_layout *form, size_t k, const char *columns) {
    const char *from = columns + form->part[k].from, *end = from + form->part[k].width;
    while (from < end && trj_is_blank(*from)) from++;
    while (from < end && trj_is_blank(end[-1])) end--;
    for (const char *c = from; form->part[k].letters && c < end; c++)
        if (!isalpha((unsigned char)*c)) end = from;
    return (struct trj_identity_field){from, (size_t)(end - from)};
}

// Blanks stand for what is behind the end of a line.
static void copy_columns(const struct trj_identity_layout *form, const struct trj_lines *line, char *to) {
    memset(to, ' ', form->width);
    for (size_t k = 0; k < 2; k++) {
        size_t from = form->columns[k].from, width = form->columns[k].width;
        if (line->length > from)
            memcpy(to, line->text + from, line->length - from < width ? line->length - from : width);
        to += width;
    }
}

int trj_atom_identity_differ_columns(struct trj_atom_identity *l, const struct trj_identity_layout *form, size_t atom,
                                     const struct trj_lines *line, char other[TRJ_IDENTITY_MESSAGE],
                                     struct trj_error *err) {
    char columns[TRJ_IDENTITY_WIDTH];
    struct trj_identity_field now[TRJ_IDENTITY_FIELDS], first[TRJ_IDENTITY_FIELDS];
    if (!l->known) {
        if (trj_grow(&l->text, &l->room, (l->atoms + 1) * form->width, 1, "names", err)) return -1;
        copy_columns(form, line, l->text + l->atoms++ * form->width);
        return 0;
    }
    if (*other) return 0;
    copy_columns(form, line, columns);
    for (size_t k = 0; k < form->parts; k++) {
        now[k] = part_of(form, k, columns);
        first[k] = part_of(form, k, l->text + atom * form->width);
    }
    compare(form, form->parts, atom, now, first, other);
    return 0;
}

static void drop_index(struct trj_atom_identity *l) {
    if (l->index) trj_text_index_free(l->index);
    free(l->index);
    l->index = NULL;
}

void trj_atom_identity_finish(struct trj_atom_identity *l) {
    drop_index(l);
    l->known = true;
}

void trj_atom_identity_free(struct trj_atom_identity *l) {
    if (!l) return;
    drop_index(l);
    trj_texts_clear(&l->words);
    free(l->text);
    free(l);
}
