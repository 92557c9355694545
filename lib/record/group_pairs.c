// SPDX-License-Identifier: MIT
// Expands wildcards to pairs of groups without duplicates, by hash tables, because layers make thousands of groups.
#include "group_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "memory.h"
#include "text_index.h"

// Finds groups by name, and pairs by their groups, as "3:7".
struct finder {
    struct trj_texts texts;
    struct trj_text_index index;
};

static void finder_free(struct finder *f) {
    trj_text_index_free(&f->index);
    trj_texts_clear(&f->texts);
}

static int no_group(const struct trj_stream_header *h, const char *name, size_t length, struct trj_error *err) {
    char known[256] = "";
    for (size_t i = 0, used = 0; i < h->group_count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", h->groups[i].name);
    return trj_fail(err, TRJ_USAGE, "--pair: no group '%.*s' in the stream, which has %s", (int)length, name, known);
}

// The groups on one side of A:B: from `first` to `last` - 1. all_layers: these are all layers of their groups.
struct side {
    uint32_t first, last;
    bool any, all_layers;
};

static int parse_side(const struct trj_stream_header *h, uint32_t layers, const struct finder *groups, const char *name,
                      size_t length, struct side *s, struct trj_error *err) {
    char layer[TRJ_GROUP_NAME_MAX + 4]; // the name of the first layer, with the same end as that of the first group
    bool any = length == 1 && *name == '*';
    *s = (struct side){0, (uint32_t)h->group_count, any, any && layers};
    if (any) return 0;
    s->last = 1;
    if (!trj_text_index_find(&groups->index, name, length, &s->first)) {
        if (!layers || length > TRJ_GROUP_NAME_MAX) return no_group(h, name, length, err);
        int n = snprintf(layer, sizeof layer, "%.*s%s", (int)length, name, strchr(h->groups[0].name, '@'));
        if (!trj_text_index_find(&groups->index, layer, (size_t)n, &s->first)) return no_group(h, name, length, err);
        s->all_layers = true;
        s->last = layers;
    }
    s->last += s->first;
    return 0;
}

// State while pairs are made.
struct pair_builder {
    struct rdf_setup *s;
    const struct trj_stream_header *h;
    uint32_t layers;
    bool lag;
    void (*note)(const char *text);
    const char **named; // [pair_count] the text that gives both groups by name; NULL without one
    size_t pair_capacity, named_capacity;
    size_t single; // number of groups of one atom, which have no pairs with themselves
    struct finder groups, pairs;
};

enum { PAIR_TEXT = 24, NOTED = 8 };

static void pair_text(char text[PAIR_TEXT], uint32_t a, uint32_t b) {
    snprintf(text, PAIR_TEXT, "%lu:%lu", (unsigned long)a, (unsigned long)b);
}

// Returns the number of a pair among the first n pairs; n if it is not among them.
static size_t find_pair(const struct pair_builder *m, size_t n, uint32_t a, uint32_t b) {
    char text[PAIR_TEXT];
    uint32_t number;
    pair_text(text, a, b);
    return n && trj_text_index_find(&m->pairs.index, text, strlen(text), &number) && number < n ? number : n;
}

// Adds a pair, unless it exists: `named` if `text` gives both groups by name, without a wildcard. The first `before`
// pairs are from earlier texts.
static int add_pair(struct pair_builder *m, struct rdf_pair p, const char *text, bool named, size_t before,
                    struct trj_error *err) {
    const struct trj_group *groups = m->h->groups;
    struct rdf_setup *s = m->s;
    size_t twice = find_pair(m, before, p.a, p.b);
    if (m->named && twice < before) { // NULL before the first pair
        // With layers, texts may overlap: A:B and A@z1:B both contain A@z1:B@z1, which is counted once.
        const char *other = m->named[twice];
        if (named && other && !strcmp(text, other))
            return trj_fail(err, TRJ_USAGE, "--pair: '%s' is given twice; remove one", text);
        if (named && !other) m->named[twice] = text;
        return 0;
    }
    if (!named && find_pair(m, before, p.b, p.a) < before) return 0;
    if (!m->lag && rdf_pair_number(&p, groups, err)) {
        if (named) return -1;
        if (p.a == p.b)
            trj_fail(err, TRJ_BAD_DATA, "group %s is a single atom, which forms no pair with itself", groups[p.a].name);
        if (p.a != p.b || ++m->single <= NOTED) m->note(err->text);
        return 0;
    }
    if (trj_grow(&s->pairs, &m->pair_capacity, s->pair_count + 1, sizeof *s->pairs, "pairs", err) ||
        trj_grow(&m->named, &m->named_capacity, s->pair_count + 1, sizeof *m->named, "pairs", err))
        return -1;
    char key[PAIR_TEXT];
    uint32_t number;
    pair_text(key, p.a, p.b);
    if (trj_text_index_add(&m->pairs.index, key, &number, err)) return -1;
    m->named[s->pair_count] = named ? text : NULL;
    s->pairs[s->pair_count++] = p;
    return 0;
}

// Returns the colon of A:B, or NULL after an error.
static const char *find_colon(const char *text, struct trj_error *err) {
    const char *colon = strchr(text, ':');
    if (!colon) trj_fail(err, TRJ_USAGE, "--pair: invalid value '%s': expected A:B", text);
    return colon;
}

// If both sides are wildcards, each pair is added in one order only.
static int add_pairs(struct pair_builder *m, const char *text, struct trj_error *err) {
    const struct trj_stream_header *h = m->h;
    const char *colon = find_colon(text, err);
    struct side a, b;
    size_t before = m->s->pair_count;
    if (!colon) return -1;
    if (parse_side(h, m->layers, &m->groups, text, (size_t)(colon - text), &a, err) ||
        parse_side(h, m->layers, &m->groups, colon + 1, strlen(colon + 1), &b, err))
        return -1;
    const uint32_t step = a.all_layers && b.all_layers ? m->layers : 1; // within each layer
    for (uint32_t i = a.first; i < a.last; i++)
        for (uint32_t j = a.any && b.any ? i : b.first + i % step; j < b.last; j += step)
            if (add_pair(m, (struct rdf_pair){.a = i, .b = j}, text, !a.any && !b.any, before, err)) return -1;
    return 0;
}

static int index_groups(struct finder *groups, const struct trj_stream_header *h, struct trj_error *err) {
    uint32_t number;
    groups->index.texts = &groups->texts;
    for (size_t i = 0; i < h->group_count; i++)
        if (trj_text_index_add(&groups->index, h->groups[i].name, &number, err)) return -1;
    return 0;
}

int rdf_group_pair_check(const char *text, const struct trj_stream_header *h, struct trj_error *err) {
    const char *colon = find_colon(text, err);
    struct finder groups = {.texts.count = 0};
    struct side side;
    if (!colon || !h) return colon ? 0 : -1;
    int rc = index_groups(&groups, h, err);
    if (!rc) rc = parse_side(h, 0, &groups, text, (size_t)(colon - text), &side, err);
    if (!rc) rc = parse_side(h, 0, &groups, colon + 1, strlen(colon + 1), &side, err);
    finder_free(&groups);
    return rc;
}

// Reports that pairs of different groups are not counted by default.
static void note_mixed(const struct trj_stream_header *h, void (*note)(const char *text)) {
    char text[400], more[60] = "";
    size_t others = (size_t)h->group_count * (h->group_count - 1) / 2 - 1;
    if (others) snprintf(more, sizeof more, " and %zu other pairs of different groups", others);
    snprintf(text, sizeof text,
             "%.100s:%.100s%s %s not counted: without -p, each group is counted with itself; add -p %s, or -p for the "
             "pairs that are required",
             h->groups[0].name, h->groups[1].name, more, others ? "are" : "is", "'*:*' for all pairs");
    note(text);
}

int rdf_group_pairs(struct rdf_setup *s, const struct trj_stream_header *h, uint32_t layers,
                    const struct trj_text_list *texts, bool lag, void (*note)(const char *text),
                    struct trj_error *err) {
    struct pair_builder m = {.s = s, .h = h, .layers = layers, .lag = lag, .note = note};
    int rc = 0;
    m.pairs.index.texts = &m.pairs.texts;
    s->pairs = NULL;
    s->pair_count = 0;
    s->groups = trj_alloc(h->group_count, sizeof *s->groups, "groups", err);
    if (!s->groups) return -1;
    s->group_count = h->group_count;
    for (size_t i = 0; i < h->group_count; i++)
        s->groups[i] = (struct rdf_hist_group){
            .name = h->groups[i].name, .atoms = h->groups[i].count, .dynamic = h->groups[i].dynamic};
    if (texts->count) rc = index_groups(&m.groups, h, err);
    for (size_t i = 0; !rc && i < texts->count; i++) rc = add_pairs(&m, texts->texts[i], err);
    for (uint32_t i = 0; !rc && !texts->count && i < h->group_count; i++)
        rc = add_pair(&m, (struct rdf_pair){.a = i, .b = i}, NULL, false, 0, err);
    if (!rc && !texts->count && layers <= 1 && h->group_count > 1) note_mixed(h, note);
    if (!rc && m.single > NOTED) {
        char text[100];
        snprintf(text, sizeof text, "%zu more groups are single atoms, which form no pairs with themselves",
                 m.single - NOTED);
        note(text);
    }
    free(m.named);
    finder_free(&m.groups);
    finder_free(&m.pairs);
    if (!rc && !s->pair_count)
        rc = trj_fail(
            err, TRJ_BAD_DATA,
            "no group has two atoms to form a pair; select more atoms with trjcat -g, or pairs of groups with -p");
    return rc;
}
