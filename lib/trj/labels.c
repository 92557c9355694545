// SPDX-License-Identifier: MIT
#include "labels.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"

static int add_text(struct trj_labels *l, const char *text, size_t n, struct trj_error *err) {
    if (trj_grow(&l->text, &l->room, l->size + n, 1, "names", err)) return -1;
    if (n) memcpy(l->text + l->size, text, n);
    l->size += n;
    return 0;
}

static void tell(const char *what, size_t atom, struct trj_label_part now, struct trj_label_part first,
                 char other[TRJ_LABEL_MESSAGE]) {
    enum { MOST = 32 };
    snprintf(other, TRJ_LABEL_MESSAGE, "atom %zu: the %s is %.*s, and %.*s in the first frame", atom, what,
             (int)(now.length < MOST ? now.length : MOST), now.text,
             (int)(first.length < MOST ? first.length : MOST), first.text);
    for (char *c = other; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
}

static void compare(const struct trj_label_form *form, size_t atom, const struct trj_label_part *now,
                    const struct trj_label_part *first, char other[TRJ_LABEL_MESSAGE]) {
    for (size_t k = 0; k < form->parts && !*other; k++)
        if (now[k].length && first[k].length &&
            (now[k].length != first[k].length || memcmp(now[k].text, first[k].text, now[k].length) != 0))
            tell(form->part[k].what, atom, now[k], first[k], other);
}

// ---- words

static bool same_words(const struct trj_labels *l, size_t parts, size_t atom, const struct trj_label_part *part) {
    const char *p = l->text + l->begin[atom], *end = l->text + l->size;
    for (size_t k = 0; k < parts; k++) {
        size_t n = part[k].length;
        if ((size_t)(end - p) <= n || p[n] != '\n' || (n && memcmp(p, part[k].text, n) != 0)) return false;
        p += n + 1;
    }
    return true;
}

int trj_labels_words(struct trj_labels *l, const struct trj_label_form *form, size_t atom,
                     const struct trj_label_part *part, char other[TRJ_LABEL_MESSAGE], struct trj_error *err) {
    if (l->known) {
        struct trj_label_part first[TRJ_LABEL_PARTS];
        if (*other || same_words(l, form->parts, atom, part)) return 0;
        const char *p = l->text + l->begin[atom];
        for (size_t k = 0; k < form->parts; k++) {
            const char *end = strchr(p, '\n');
            first[k] = (struct trj_label_part){p, (size_t)(end - p)};
            p = end + 1;
        }
        compare(form, atom, part, first, other);
        return 0;
    }
    if (trj_grow(&l->begin, &l->begin_room, l->atoms + 1, sizeof *l->begin, "names", err)) return -1;
    l->begin[l->atoms++] = l->size;
    for (size_t k = 0; k < form->parts; k++)
        if (add_text(l, part[k].text, part[k].length, err) || add_text(l, "\n", 1, err)) return -1;
    return 0;
}

int trj_labels_order(struct trj_labels *l, const uint32_t *place, struct trj_error *err) {
    size_t *begin = trj_alloc(l->atoms, sizeof *begin, "names", err);
    if (!begin) return -1;
    for (size_t i = 0; i < l->atoms; i++) begin[place[i]] = l->begin[i];
    free(l->begin);
    l->begin = begin;
    l->begin_room = l->atoms;
    return 0;
}

// ---- columns

static struct trj_label_part part_of(const struct trj_label_form *form, size_t k, const char *columns) {
    const char *from = columns + form->part[k].from, *end = from + form->part[k].width;
    while (from < end && trj_is_blank(*from)) from++;
    while (from < end && trj_is_blank(end[-1])) end--;
    for (const char *c = from; form->part[k].letters && c < end; c++)
        if (!isalpha((unsigned char)*c)) end = from;
    return (struct trj_label_part){from, (size_t)(end - from)};
}

int trj_labels_columns(struct trj_labels *l, const struct trj_label_form *form, size_t atom, const char *columns,
                       char other[TRJ_LABEL_MESSAGE], struct trj_error *err) {
    if (!l->known) {
        l->atoms++;
        return add_text(l, columns, form->width, err);
    }
    const char *was = l->text + atom * form->width;
    if (*other || !memcmp(columns, was, form->width)) return 0;
    struct trj_label_part now[TRJ_LABEL_PARTS], first[TRJ_LABEL_PARTS];
    for (size_t k = 0; k < form->parts; k++) {
        now[k] = part_of(form, k, columns);
        first[k] = part_of(form, k, was);
    }
    compare(form, atom, now, first, other);
    return 0;
}

void trj_labels_free(struct trj_labels *l) {
    if (!l) return;
    free(l->text);
    free(l->begin);
    free(l);
}
