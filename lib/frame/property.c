// SPDX-License-Identifier: MIT
// Stores any property of atoms as numbers or texts with its origin, so that new ones need no new block or code.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "frame_stream.h"
#include "memory.h"

const struct trj_property_definition trj_property_definitions[] = {
    {"charge", "e", TRJ_PROPERTY_REAL, true},          {"mass", "u", TRJ_PROPERTY_REAL, true},
    {"radius", "A", TRJ_PROPERTY_REAL, false},         {"sigma", "A", TRJ_PROPERTY_REAL, false},
    {"epsilon", "kcal/mol", TRJ_PROPERTY_REAL, false}, {"bfactor", "A^2", TRJ_PROPERTY_REAL, false},
    {"occupancy", "", TRJ_PROPERTY_REAL, false},       {"name", "", TRJ_PROPERTY_TEXT, false},
    {"resname", "", TRJ_PROPERTY_TEXT, false},         {"resid", "", TRJ_PROPERTY_INTEGER, false},
    {"segid", "", TRJ_PROPERTY_TEXT, false},           {NULL, NULL, 0, false},
};

const struct trj_property_definition *trj_property_define(const char *name) {
    for (const struct trj_property_definition *d = trj_property_definitions; d->name; d++)
        if (!strcmp(d->name, name)) return d;
    return NULL;
}

const struct trj_property *trj_property_find(const struct trj_stream_header *h, const char *name) {
    for (size_t i = 0; i < h->property_count; i++)
        if (!strcmp(h->properties[i].name, name)) return &h->properties[i];
    return NULL;
}

bool trj_property_known(const struct trj_property *p, size_t atom) {
    if (p->kind == TRJ_PROPERTY_REAL) return !isnan(p->real[atom]);
    if (p->kind == TRJ_PROPERTY_INTEGER) return p->integer[atom] != TRJ_PROPERTY_NO_INTEGER;
    return *p->text.text[p->text.id[atom]];
}

void trj_residue_name(char name[TRJ_RESIDUE_NAME], const struct trj_stream_header *h, size_t atom) {
    const struct trj_property *kind = trj_property_find(h, "resname"), *number = trj_property_find(h, "resid"),
                              *segment = trj_property_find(h, "segid");
    bool has_kind = kind && trj_property_known(kind, atom), has_number = number && trj_property_known(number, atom);
    bool has_segment = segment && trj_property_known(segment, atom);
    snprintf(name, TRJ_RESIDUE_NAME, "%.60s%s%.60s%lld", has_segment ? segment->text.text[segment->text.id[atom]] : "",
             has_segment ? ":" : "", has_kind ? kind->text.text[kind->text.id[atom]] : "residue",
             has_number ? (long long)number->integer[atom] : (long long)h->residue[atom] + 1);
}

// Writes the name or else the element of a stream atom, as in " (OW)"; "" if both are unknown.
static void describe_atom(const struct trj_stream_header *h, size_t atom, char *to, size_t capacity) {
    const struct trj_property *names = trj_property_find(h, "name");
    const char *name = "";
    if (names && names->kind == TRJ_PROPERTY_TEXT) name = names->text.text[names->text.id[atom]];
    if (!*name && h->element && h->element[atom]) name = trj_elements[h->element[atom]].symbol;
    snprintf(to, capacity, "%s%.64s%s", *name ? " (" : "", name, *name ? ")" : "");
}

static int fail_unknown(const struct trj_stream_header *h, const char *name, const struct trj_group *group, size_t atom,
                        struct trj_error *err) {
    char described[80];
    size_t atoms = h->atoms - h->centres;
    const char *prefix = group ? "group " : "", *group_name = group ? group->name : "", *colon = group ? ": " : "";
    if (atom >= atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s%s%s%s of centre %zu is unknown; select atoms, or centres of atoms whose %s is known",
                        prefix, group_name, colon, name, atom - atoms, name);
    describe_atom(h, atom, described, sizeof described);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s%s%s%s of atom %zu%s is unknown; run trjcat --carry %s with a topology that contains it (-t), "
                    "or select other atoms",
                    prefix, group_name, colon, name, h->number ? h->number[atom] : atom, described, name);
}

int trj_property_require(const struct trj_stream_header *h, const char *name, const struct trj_group *group,
                         const double **values, struct trj_error *err) {
    const struct trj_property *p = trj_property_find(h, name);
    if (!p)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the stream contains no property %s; run trjcat with --carry %s and a topology that "
                        "contains it (-t)",
                        name, name);
    if (p->kind != TRJ_PROPERTY_REAL)
        return trj_fail(err, TRJ_BAD_DATA, "%s in the stream is not a real number; run trjcat with --carry %s again",
                        name, name);
    size_t n = group ? group->count : h->atoms;
    for (size_t i = 0; i < n; i++) {
        size_t atom = group ? group->atoms[i] : i;
        if (isnan(p->real[atom])) return fail_unknown(h, name, group, atom, err);
    }
    *values = p->real;
    return 0;
}

static int allocate_values(struct trj_property *p, size_t atoms, struct trj_error *err) {
    switch (p->kind) {
    case TRJ_PROPERTY_REAL:
        p->real = trj_alloc(atoms, sizeof *p->real, "properties", err);
        for (size_t i = 0; p->real && i < atoms; i++) p->real[i] = NAN;
        return p->real ? 0 : -1;
    case TRJ_PROPERTY_INTEGER:
        p->integer = trj_alloc(atoms, sizeof *p->integer, "properties", err);
        for (size_t i = 0; p->integer && i < atoms; i++) p->integer[i] = TRJ_PROPERTY_NO_INTEGER;
        return p->integer ? 0 : -1;
    default:
        p->text.id = trj_alloc(atoms, sizeof *p->text.id, "properties", err);
        return p->text.id ? 0 : -1;
    }
}

struct trj_property *trj_property_add(struct trj_stream_header *h, const char *name, const char *unit,
                                      const char *origin, enum trj_property_kind kind, struct trj_error *err) {
    size_t capacity = h->property_count;
    const struct trj_property_definition *defined = trj_property_define(name);
    if (!trj_group_name_fits(name, strlen(name)))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the name of a property is empty, too long, or contains characters that are not allowed"),
               NULL;
    if (defined && (defined->kind != kind || strcmp(defined->unit, unit) != 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s has the unit '%.64s' and values of kind %d, expected the unit '%s' and kind %d", name, unit,
                        (int)kind, defined->unit, (int)defined->kind),
               NULL;
    if (trj_property_find(h, name)) return trj_fail(err, TRJ_BAD_DATA, "two properties have the name %s", name), NULL;
    if (capacity == TRJ_PROPERTIES_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "more than %d properties", TRJ_PROPERTIES_MAX), NULL;
    if (trj_grow(&h->properties, &capacity, capacity + 1, sizeof *h->properties, "properties", err)) return NULL;
    struct trj_property *p = &h->properties[h->property_count];
    *p = (struct trj_property){.kind = kind};
    if ((p->name = trj_copy_text(name, err)) && (p->unit = trj_copy_text(unit, err)) &&
        (p->origin = trj_copy_text(origin, err)) && !allocate_values(p, h->atoms, err)) {
        h->property_count++;
        return p;
    }
    trj_property_free(p);
    return NULL;
}

static int copy_texts(struct trj_texts *to, const struct trj_texts *from, struct trj_error *err) {
    struct trj_text_index index = {.texts = to};
    uint32_t number; // of a text in *to, which is that in *from, because no text occurs twice
    int rc = 0;
    for (size_t i = 0; i < from->count && !rc; i++) rc = trj_text_index_add(&index, from->text[i], &number, err);
    trj_text_index_free(&index);
    return rc;
}

int trj_property_take(const struct trj_stream_header *h, struct trj_property *p, const struct trj_property *from,
                      const uint32_t *rows, struct trj_error *err) {
    if (p->kind == TRJ_PROPERTY_TEXT && copy_texts(&p->text, &from->text, err)) return -1;
    size_t n = rows ? h->atoms - h->centres : h->atoms;
    for (size_t i = 0; i < n; i++) {
        size_t row = rows ? rows[i] : i;
        if (p->kind == TRJ_PROPERTY_REAL)
            p->real[i] = isfinite(from->real[row]) ? from->real[row] : NAN;
        else if (p->kind == TRJ_PROPERTY_INTEGER)
            p->integer[i] = from->integer[row];
        else
            p->text.id[i] = from->text.id[row];
    }
    return 0;
}

void trj_property_free(struct trj_property *p) {
    free(p->name);
    free(p->unit);
    free(p->origin);
    free(p->real);
    free(p->integer);
    trj_texts_clear(&p->text);
    *p = (struct trj_property){.name = NULL};
}
