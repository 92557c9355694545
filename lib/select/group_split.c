// SPDX-License-Identifier: MIT
// Divides groups by a column of the topology, because users often need one group for each name.
#include "group_split.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "group.h"
#include "memory.h"
#include "topology_parts.h"

enum { ELEMENT, TYPE, RESNAME, SPLITS };

const struct trj_choice trj_group_splits[SPLITS + 1] = {
    [ELEMENT] = {"element", "chemical elements"},
    [TYPE] = {"type", "atom types"},
    [RESNAME] = {"resname", "residue names"},
};

static const struct trj_texts *column(const struct trj_topology *top, const char *by) {
    const struct trj_texts *columns[SPLITS] = {
        [ELEMENT] = &top->element, [TYPE] = &top->type, [RESNAME] = &top->resname};
    size_t i = SPLITS - 1;
    while (i > 0 && strcmp(trj_group_splits[i].name, by) != 0) i--;
    return columns[i];
}

// Makes a column of symbols from the atomic numbers of a stream.
static int take_elements(struct trj_group_split *s, const uint32_t *element, size_t atoms, struct trj_error *err) {
    s->what.id = trj_alloc(atoms, sizeof *s->what.id, "elements", err);
    s->what.text = s->what.id ? trj_alloc(TRJ_ELEMENTS + 1, sizeof *s->what.text, "elements", err) : NULL;
    if (!s->what.text) return -1;
    memcpy(s->what.id, element, atoms * sizeof *element);
    for (; s->what.count <= TRJ_ELEMENTS; s->what.count++)
        if (!(s->what.text[s->what.count] = trj_copy_text(trj_elements[s->what.count].symbol, err))) return -1;
    return 0;
}

int trj_group_split_open(struct trj_group_split *s, const char *by, const struct trj_topology *top,
                         const struct trj_stream_header *from, size_t atoms, struct trj_error *err) {
    s->by = by;
    s->top = top;
    s->from = from;
    s->elements = !strcmp(by, trj_group_splits[ELEMENT].name);
    if (!top && from && from->element && s->elements) {
        s->own = true;
        return take_elements(s, from->element, atoms, err);
    }
    if (!top) return trj_fail(err, TRJ_USAGE, "--by %s: the atoms have no names; give a topology with -t", by);
    s->what = *column(top, by);
    return s->what.id ? 0
                      : trj_fail(err, TRJ_USAGE,
                                 "--by %s: not available in the %s file; give a topology that contains it with -t", by,
                                 top->format);
}

void trj_group_split_close(struct trj_group_split *s) {
    if (s->own) trj_texts_clear(&s->what);
    *s = (struct trj_group_split){.by = NULL};
}

// Replaces characters that group names cannot have, as in "C*".
static int name_part(struct trj_part *p, const char *prefix, const char *value, struct trj_error *err) {
    size_t before = prefix ? strlen(prefix) + 1 : 0, n = before + strlen(value);
    p->name = trj_alloc(n + 1, 1, "a name", err);
    if (!p->name) return -1;
    if (prefix) {
        memcpy(p->name, prefix, before - 1);
        p->name[before - 1] = '.';
    }
    for (size_t i = before; i < n; i++)
        p->name[i] = trj_group_name_fits(value + i - before, 1) ? value[i - before] : '_';
    if (!trj_group_name_fits(p->name, n))
        return trj_fail(err, TRJ_USAGE,
                        "'%s' is too long for the name of a group; select these atoms with -g, under a shorter name",
                        p->name);
    return 0;
}

static int add_part(struct trj_part *parts, size_t *count, const struct trj_group_split *s, const char *prefix,
                    const char *value, uint32_t atom, struct trj_error *err) {
    if (!*value)
        return trj_fail(err, TRJ_USAGE,
                        "--by %s: unknown for atom %lu (counted from 0); leave out such atoms by a selection", s->by,
                        (unsigned long)atom);
    if (*count == TRJ_MAX_PARTS)
        return trj_fail(err, TRJ_USAGE, "--by %s: more than %d of them, up to '%s'; choose atoms by a selection", s->by,
                        TRJ_MAX_PARTS, value);
    if (name_part(&parts[(*count)++], prefix, value, err)) return -1;
    for (size_t i = 0; i + 1 < *count; i++)
        if (!strcmp(parts[i].name, parts[*count - 1].name))
            return trj_fail(err, TRJ_USAGE,
                            "--by %s: '%s' and another one would both have the name %s; select these atoms with -g",
                            s->by, value, parts[i].name);
    return 0;
}

static bool is_site(const struct trj_group_split *s, uint32_t atom) {
    if (!s->elements) return false;
    return s->top ? trj_topology_is_site(s->top, atom) : trj_stream_is_site(s->from, atom);
}

int trj_group_split_atoms(struct trj_part **result, size_t *count, const struct trj_group_split *s, const char *prefix,
                          const uint32_t *atoms, size_t n, struct trj_error *err) {
    struct trj_part *parts = trj_alloc(TRJ_MAX_PARTS, sizeof *parts, "groups", err);
    uint32_t *part = parts ? trj_alloc(s->what.count, sizeof *part, "groups", err)
                           : NULL; // number + 1 of the part of each value; 0: none
    size_t made = 0;
    if (!part) goto fail;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = s->what.id[atoms[i]];
        if (!*s->what.text[value] && is_site(s, atoms[i])) continue;
        if (!part[value]) {
            if (add_part(parts, &made, s, prefix, s->what.text[value], atoms[i], err)) goto fail;
            part[value] = (uint32_t)made;
        }
        parts[part[value] - 1].count++;
    }
    if (!made && n) {
        trj_fail(err, TRJ_USAGE,
                 "--by %s: all atoms are massless sites, which are no element; select others, or leave --by out",
                 s->by);
        goto fail;
    }
    for (size_t i = 0; i < made; i++) {
        if (!(parts[i].atoms = trj_alloc(parts[i].count, sizeof *parts[i].atoms, "groups", err))) goto fail;
        parts[i].count = 0;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t number = part[s->what.id[atoms[i]]];
        if (!number) continue; // a massless site
        struct trj_part *p = &parts[number - 1];
        p->atoms[p->count++] = atoms[i];
    }
    free(part);
    *result = parts;
    *count = made;
    return 0;
fail:
    free(part);
    trj_parts_free(parts, made);
    return -1;
}

void trj_parts_free(struct trj_part *parts, size_t count) {
    for (size_t i = 0; parts && i < count; i++) {
        free(parts[i].name);
        free(parts[i].atoms);
    }
    free(parts);
}
