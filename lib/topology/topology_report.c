// SPDX-License-Identifier: MIT
// Describes a topology for trjinfo with the same keys for all formats.
#include "topology_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text_tally.h"

enum { MAX_RESIDUE_NAMES = 20 }; // that are listed

// The order of chemical formulas: carbon, hydrogen, all others by symbol.
static int by_symbol(const void *x, const void *y) {
    const struct trj_text_tally *a = x, *b = y;
    for (const char *first = "CH"; *first; first++) {
        bool is_a = a->text[0] == *first && !a->text[1], is_b = b->text[0] == *first && !b->text[1];
        if (is_a || is_b) return is_b - is_a;
    }
    return strcmp(a->text, b->text);
}

static int put_elements(struct trj_report *f, const struct trj_topology *top, struct trj_error *err) {
    size_t n;
    uint64_t unknown = 0;
    struct trj_text_tally *t;
    if (!top->element.id) {
        trj_report_unknown(f, "elements");
        trj_report_unknown(f, "elements_unknown");
        trj_report_unknown(f, "elements_from");
        return 0;
    }
    if (trj_text_tally_count(&t, &n, &top->element, top->atoms, NULL, err)) return -1;
    qsort(t, n, sizeof *t, by_symbol);
    trj_report_begin_object(f, "elements");
    for (size_t i = 0; i < n; i++)
        if (!*t[i].text)
            unknown += t[i].atoms;
        else
            trj_report_count(f, t[i].text, t[i].atoms);
    trj_report_end(f);
    trj_report_count(f, "elements_unknown", unknown);
    trj_report_text(f, "elements_from", top->element_from ? top->element_from : "file");
    free(t);
    return 0;
}

static void put_sums(struct trj_report *f, const struct trj_topology *top) {
    double mass = top->mass ? 0 : NAN, charge = 0;
    for (size_t i = 0; i < top->atoms && top->mass; i++) mass += top->mass[i];
    for (size_t i = 0; i < top->atoms && top->charge; i++) charge += top->charge[i];
    trj_report_real(f, "mass", mass);
    trj_report_text(f, "mass_from", isnan(mass) ? NULL : top->mass_from ? top->mass_from : "file");
    // Files give charges to a millionth of e. Adding 0 turns -0 into 0.
    trj_report_real(f, "charge", top->charge ? round(charge * 1e6) / 1e6 + 0 : NAN);
}

static int by_residues(const void *x, const void *y) {
    const struct trj_text_tally *a = x, *b = y;
    if (a->residues != b->residues) return a->residues > b->residues ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int put_residue_names(struct trj_report *f, const struct trj_topology *top, struct trj_error *err) {
    size_t n;
    struct trj_text_tally *t;
    if (!top->resname.id || !top->residue) {
        trj_report_unknown(f, "residue_names");
        trj_report_unknown(f, "residue_name_counts");
        return 0;
    }
    if (trj_text_tally_count(&t, &n, &top->resname, top->atoms, top->residue, err)) return -1;
    qsort(t, n, sizeof *t, by_residues);
    trj_report_count(f, "residue_names", n);
    trj_report_begin_object(f, "residue_name_counts");
    for (size_t i = 0; i < n && i < MAX_RESIDUE_NAMES; i++) trj_report_count(f, t[i].text, t[i].residues);
    trj_report_end(f);
    free(t);
    return 0;
}

// Adds the number of different texts in a column.
static int put_different(struct trj_report *f, const char *key, const struct trj_texts *texts, size_t atoms,
                         struct trj_error *err) {
    size_t different = 0;
    struct trj_text_tally *t = NULL;
    if (texts->id && trj_text_tally_count(&t, &different, texts, atoms, NULL, err)) return -1;
    trj_report_count_if(f, key, t, different);
    free(t);
    return 0;
}

// Adds how many residues or molecules there are, given running numbers from 0.
static void put_numbered(struct trj_report *f, const char *key, const uint32_t *number, size_t n) {
    uint64_t highest = 0;
    for (size_t i = 0; number && i < n; i++) highest = number[i] > highest ? number[i] : highest;
    trj_report_count_if(f, key, number && n, highest + 1);
}

int trj_topology_report(struct trj_report *f, const struct trj_topology *top, bool alone, struct trj_error *err) {
    const struct {
        const char *name;
        bool present;
    } columns[] = {{"name", top->name.id},       {"type", top->type.id},
                   {"resname", top->resname.id}, {"resid", top->resid},
                   {"segid", top->segid.id},     {"chain", top->chain.id},
                   {"element", top->element.id}, {"mass", top->mass && !top->mass_from},
                   {"charge", top->charge},      {"bonds", top->bonds > 0}};
    const char *present[sizeof columns / sizeof *columns];
    size_t n = 0;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (columns[k].present) present[n++] = columns[k].name;
    if (alone) {
        trj_report_text(f, "format", top->format);
        trj_report_count(f, "atoms", top->atoms);
    }
    trj_report_words(f, "columns", present, n);
    put_numbered(f, "residues", top->residue, top->atoms);
    put_numbered(f, "molecules", top->molecule, top->atoms);
    trj_report_count_if(f, "bonds", top->bonds, top->bonds);
    if (put_different(f, "segments", trj_topology_segments(top), top->atoms, err) ||
        put_different(f, "chains", &top->chain, top->atoms, err) || put_elements(f, top, err))
        return -1;
    put_sums(f, top);
    if (top->note) trj_report_text(f, "topology_note", top->note);
    return put_residue_names(f, top, err);
}

// Adds a list of the texts of a column, the most frequent first. "?" means an unknown element or a blank field.
static int put_texts(struct trj_report *f, const char *key, const struct trj_texts *texts,
                     const struct trj_topology *top, const uint32_t *residue, struct trj_error *err) {
    struct trj_text_tally *t;
    size_t n;
    if (!texts->id) {
        trj_report_unknown(f, key);
        return 0;
    }
    if (trj_text_tally_count(&t, &n, texts, top->atoms, residue, err)) return -1;
    trj_report_begin_list(f, key);
    for (size_t i = 0; i < n; i++) {
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "text", *t[i].text ? t[i].text : "?");
        trj_report_count(f, "atoms", t[i].atoms);
        if (residue) trj_report_count(f, "residues", t[i].residues);
        trj_report_end(f);
    }
    trj_report_end(f);
    free(t);
    return 0;
}

int trj_topology_names(struct trj_report *f, const struct trj_topology *top, struct trj_error *err) {
    trj_report_text(f, "format", top->format);
    trj_report_count(f, "atoms", top->atoms);
    if (put_texts(f, "name", &top->name, top, NULL, err)) return -1;
    if (put_texts(f, "type", &top->type, top, NULL, err)) return -1;
    if (put_texts(f, "resname", &top->resname, top, top->residue, err)) return -1;
    if (put_texts(f, "segid", &top->segid, top, top->residue, err)) return -1;
    if (put_texts(f, "chain", &top->chain, top, top->residue, err)) return -1;
    if (put_texts(f, "element", &top->element, top, NULL, err)) return -1;
    trj_report_text(f, "elements_from", !top->element.id ? NULL : top->element_from ? top->element_from : "file");
    return 0;
}
