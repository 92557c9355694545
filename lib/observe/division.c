// SPDX-License-Identifier: MIT
// Names residues for the columns of observables, and computes functions for one residue after the other.
#include "division.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "property.h"

static int compare_labels(const void *a, const void *b) {
    return strcmp(**(char **const *)a, **(char **const *)b);
}

// Adds the number of the residue in the topology, from 0, to labels that several residues have.
static int distinguish(char **label, const struct trj_stream_header *h, const uint32_t *atom, size_t count,
                       struct trj_error *err) {
    char ***sorted = trj_alloc(count, sizeof *sorted, "residues", err);
    bool *repeated = trj_alloc(count, sizeof *repeated, "residues", err);
    int rc = sorted && repeated ? 0 : -1;
    for (size_t i = 0; !rc && i < count; i++) sorted[i] = &label[i];
    if (!rc) qsort(sorted, count, sizeof *sorted, compare_labels);
    for (size_t i = 1; !rc && i < count; i++)
        if (!strcmp(*sorted[i], *sorted[i - 1])) repeated[sorted[i] - label] = repeated[sorted[i - 1] - label] = true;
    for (size_t i = 0; !rc && i < count; i++) {
        char text[TRJ_RESIDUE_NAME + 24];
        if (!repeated[i]) continue;
        snprintf(text, sizeof text, "%s/%lu", label[i], (unsigned long)h->residue[atom[i]]);
        free(label[i]);
        if (!(label[i] = trj_copy_text(text, err))) rc = -1;
    }
    free(sorted);
    free(repeated);
    return rc;
}

static int make_labels(struct obs_division *d, const struct trj_stream_header *h, const uint32_t *atom,
                       struct trj_error *err) {
    char text[TRJ_RESIDUE_NAME];
    if (!(d->label = trj_alloc(d->count + 1, sizeof *d->label, "residues", err)) ||
        !(d->number = trj_alloc(d->count, sizeof *d->number, "residues", err)))
        return -1;
    for (size_t i = 0; i < d->count; i++) {
        d->number[i] = h->residue[atom[i]];
        trj_residue_name(text, h, atom[i]);
        if (!(d->label[i] = trj_copy_text(text, err))) return -1;
    }
    return distinguish(d->label, h, atom, d->count, err);
}

// Sorts the atoms of the selection by residues.
static int list_members(struct obs_division *d, size_t atoms, struct trj_error *err) {
    const struct obs_parts *p = &d->parts;
    if (!(d->begin = trj_alloc(p->count + 1, sizeof *d->begin, "residues", err)) ||
        !(d->member = trj_alloc(atoms, sizeof *d->member, "residues", err)))
        return -1;
    for (size_t i = 0; i < atoms; i++) d->begin[p->part[i]]++;
    // The sums give the ends of residues; filling from the end turns them into starts.
    for (size_t r = 1; r <= p->count; r++) d->begin[r] += d->begin[r - 1];
    for (size_t i = atoms; i-- > 0;) d->member[--d->begin[p->part[i]]] = (uint32_t)i;
    return 0;
}

int obs_divide(struct obs_observable *o, const struct obs_system *s, size_t selection, struct trj_error *err) {
    struct obs_division *d = o->division = trj_alloc(1, sizeof *d, "residues", err);
    if (!d || obs_parts_make(&d->parts, s, selection, true, err)) return -1;
    d->count = d->parts.count;
    return make_labels(d, s->header, d->parts.first, err) || list_members(d, s->selection[selection].count, err) ? -1
                                                                                                                 : 0;
}

int obs_divide_into(struct obs_observable *o, const struct obs_system *s, const uint32_t *atom, size_t count,
                    struct trj_error *err) {
    struct obs_division *d = o->division = trj_alloc(1, sizeof *d, "residues", err);
    if (!d) return -1;
    d->count = count;
    return make_labels(d, s->header, atom, err);
}

int obs_division_repeat_columns(struct obs_observable *o, struct trj_error *err) {
    struct obs_division *d = o->division;
    if (!(d->column = trj_alloc(d->count, o->columns * sizeof *d->column, "columns", err))) return -1;
    for (size_t i = 0; i < d->count; i++) memcpy(d->column + i * o->columns, o->column, o->columns * sizeof *o->column);
    o->column = d->column;
    o->columns *= d->count;
    return 0;
}

int obs_divide_as(struct obs_observable *o, const struct obs_division *other, struct trj_error *err) {
    struct obs_division *d = o->division = trj_alloc(1, sizeof *d, "residues", err);
    if (!d || !(d->label = trj_alloc(other->count + 1, sizeof *d->label, "residues", err)) ||
        !(d->number = trj_alloc(other->count, sizeof *d->number, "residues", err)))
        return -1;
    d->count = other->count;
    memcpy(d->number, other->number, d->count * sizeof *d->number);
    for (size_t i = 0; i < d->count; i++)
        if (!(d->label[i] = trj_copy_text(other->label[i], err))) return -1;
    return obs_division_repeat_columns(o, err);
}

size_t obs_residue_count(const struct obs_observable *o) {
    return o->division ? o->division->count : 1;
}

void obs_division_free(struct obs_division *d) {
    if (!d) return;
    trj_text_array_free(d->label);
    free(d->number);
    obs_parts_free(&d->parts);
    free(d->column);
    free(d->begin);
    free(d->member);
    free(d);
}

int obs_division_compute(const struct obs_observable *o, struct obs_view *v, size_t selection, size_t paired,
                         double *value, struct trj_error *err) {
    const struct obs_division *d = o->division;
    const size_t columns = o->columns / d->count;
    int rc = 0;
    for (size_t r = 0; !rc && r < d->count; r++) {
        const uint32_t *member = d->member + d->begin[r];
        size_t count = d->begin[r + 1] - d->begin[r];
        rc = obs_view_restrict(v, selection, member, count, err);
        if (!rc && paired != SIZE_MAX) rc = obs_view_restrict(v, paired, member, count, err);
        if (!rc) rc = o->function->compute(o, v, value + r * columns, err);
        if (rc) trj_fail_at(err, "residue %s", d->label[r]);
    }
    obs_view_release(v, selection);
    if (paired != SIZE_MAX) obs_view_release(v, paired);
    return rc ? -1 : 0;
}
