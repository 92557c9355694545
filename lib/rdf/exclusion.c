// SPDX-License-Identifier: MIT
#include "exclusion.h"

#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "memory.h"
#include "number.h"

// Of a pair of groups, the excluded partners in group b of each atom of group a.
struct part {
    size_t *begin, *end; // [a->count] into partner
    uint32_t *partner;   // places in group b
};

// The same of atoms of the stream: those of atom i are at to[begin[i]] up to begin[i + 1].
struct partners {
    size_t *begin; // [atoms + 1]
    uint32_t *to;
    size_t room;
};

struct rdf_exclusion {
    const struct trj_stream_header *header;
    const struct rdf_job *job;
    char *name;
    uint64_t *pairs; // [pair_count] excluded ones of all that there can be
    uint64_t *of_frame;
    double *squares;
    struct part *parts; // [pair_count]
};

// ---- by number: atoms of one residue, of one molecule

static int by_value(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// The first of n ascending keys that is above `key`.
static size_t first_above(const uint64_t *keys, size_t n, uint64_t key) {
    size_t low = 0;
    while (n > low) {
        size_t middle = low + (n - low) / 2;
        if (keys[middle] > key)
            n = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Group b sorted by number and place; atoms of one number lie side by side. Of a group with itself those behind the atom.
static int sort_by_number(struct part *part, const uint32_t *number, const struct trj_group *a,
                          const struct trj_group *b, struct trj_error *err) {
    uint64_t *keys = trj_alloc(b->count, sizeof *keys, "excluded pairs", err);
    part->partner = keys ? trj_alloc(b->count, sizeof *part->partner, "excluded pairs", err) : NULL;
    if (!part->partner) {
        free(keys);
        return -1;
    }
    for (size_t q = 0; q < b->count; q++) keys[q] = (uint64_t)number[b->atoms[q]] << 32 | q;
    qsort(keys, b->count, sizeof *keys, by_value);
    for (size_t q = 0; q < b->count; q++) part->partner[q] = (uint32_t)keys[q];
    for (size_t k = 0; k < a->count; k++) {
        uint64_t own = (uint64_t)number[a->atoms[k]] << 32;
        part->end[k] = first_above(keys, b->count, own | UINT32_MAX);
        part->begin[k] = a == b ? first_above(keys, b->count, own | k) : own ? first_above(keys, b->count, own - 1) : 0;
    }
    free(keys);
    return 0;
}

// ---- by list

static int add_partner(struct partners *p, size_t at, uint32_t to, struct trj_error *err) {
    if (trj_grow(&p->to, &p->room, at + 1, sizeof *p->to, "excluded pairs", err)) return -1;
    p->to[at] = to;
    return 0;
}

static void partners_free(struct partners *p) {
    free(p->begin);
    free(p->to);
}

// The atoms that travel and are at most `steps` bonds from each, by looking around from it.
static int walk_bonds(struct partners *p, const struct trj_stream_header *h, uint64_t steps, struct trj_error *err) {
    size_t nodes = h->atoms + h->between, found = 0;
    struct trj_bonds bonded = {NULL};
    uint32_t *seen = trj_alloc(nodes, sizeof *seen, "bonds", err); // from which atom last, counted from 1
    uint32_t *queue = trj_alloc(nodes, sizeof *queue, "bonds", err);
    p->begin = trj_alloc(h->atoms + 1, sizeof *p->begin, "bonds", err);
    int rc = seen && queue && p->begin ? trj_bonds_list(&bonded, h->bond, h->bond_count, nodes, err) : -1;
    for (uint32_t i = 0; !rc && i < h->atoms; i++) {
        size_t from = 0, to = 1;
        queue[0] = i;
        seen[i] = i + 1;
        for (uint64_t s = 0; s < steps; s++)
            for (size_t last = to; from < last; from++)
                for (size_t b = bonded.begin[queue[from]]; b < bonded.begin[queue[from] + 1]; b++) {
                    uint32_t other = bonded.to[b];
                    if (seen[other] == i + 1) continue;
                    seen[other] = i + 1;
                    queue[to++] = other;
                }
        for (size_t k = 1; !rc && k < to; k++)
            if (queue[k] < h->atoms) rc = add_partner(p, found++, queue[k], err);
        p->begin[i + 1] = found;
    }
    trj_bonds_free(&bonded);
    free(seen);
    free(queue);
    return rc;
}

// Partners among the atoms of the stream become those of a pair of groups.
static int select_partners(struct part *part, const struct partners *p, size_t atoms, const struct trj_group *a,
                           const struct trj_group *b, struct trj_error *err) {
    size_t n = 0, room = 0;
    uint32_t *place = trj_alloc(atoms, sizeof *place, "excluded pairs", err); // in b, from 1
    if (!place) return -1;
    for (size_t q = 0; q < b->count; q++) place[b->atoms[q]] = (uint32_t)q + 1;
    for (size_t k = 0; k < a->count; k++) {
        uint32_t atom = a->atoms[k];
        part->begin[k] = n;
        for (size_t i = p->begin[atom]; i < p->begin[atom + 1]; i++) {
            uint32_t q = place[p->to[i]];
            if (!q || (a == b && q - 1 <= k)) continue;
            if (trj_grow(&part->partner, &room, n + 1, sizeof *part->partner, "excluded pairs", err)) {
                free(place);
                return -1;
            }
            part->partner[n++] = q - 1;
        }
        part->end[k] = n;
    }
    free(place);
    return 0;
}

// ---- kinds

struct kind {
    const char *name, *lacks; // what a stream without it does not know
    bool has_argument;
    const uint32_t *(*numbers)(const struct trj_stream_header *h); // NULL: by list
};

static const uint32_t *residues(const struct trj_stream_header *h) {
    return h->residue;
}

static const uint32_t *molecules(const struct trj_stream_header *h) {
    return h->molecule;
}

static const struct kind kinds[] = {
    {"residue", "residues: they come from a topology", false, residues},
    {"molecule", "molecules: they come from a topology with bonds", false, molecules},
    {"bonds", "bonds: they come from a topology", true, NULL},
};

// The kind of `what`, and what stands behind its colon.
static int find_kind(const char *what, const struct kind **kind, uint64_t *steps, struct trj_error *err) {
    size_t length = strcspn(what, ":");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) != length || memcmp(kinds[i].name, what, length)) continue;
        *kind = &kinds[i];
        if (!kinds[i].has_argument && !what[length]) return 0;
        if (kinds[i].has_argument && what[length] && trj_parse_u64(what + length + 1, steps) && *steps >= 1 &&
            *steps <= RDF_MOST_STEPS)
            return 0;
    }
    return trj_fail(err, TRJ_USAGE, "--exclude: '%s' is none of residue, molecule, bonds:N with N from 1 to %d", what,
                    RDF_MOST_STEPS);
}

int rdf_exclusion_check(const char *what, struct trj_error *err) {
    const struct kind *kind;
    uint64_t steps;
    return find_kind(what, &kind, &steps, err);
}

static bool both_there(const struct trj_group *a, const struct trj_group *b, const struct trj_frame *f, size_t k,
                       uint32_t q) {
    return a->atoms[k] != b->atoms[q] && (!f || (trj_group_has(a, f, k) && trj_group_has(b, f, q)));
}

static int find_pairs(struct rdf_exclusion *x, const struct kind *kind, uint64_t steps, struct trj_error *err) {
    const struct rdf_job *job = x->job;
    const uint32_t *numbers = kind->numbers ? kind->numbers(x->header) : NULL;
    struct partners partners = {NULL};
    if (kind->numbers ? !numbers : !x->header->bond)
        return trj_fail(err, TRJ_USAGE, "--exclude: the stream does not know %s", kind->lacks);
    int rc = kind->numbers ? 0 : walk_bonds(&partners, x->header, steps, err);
    for (size_t p = 0; !rc && p < job->pair_count; p++) {
        const struct trj_group *a = &job->groups[job->pairs[p].a], *b = &job->groups[job->pairs[p].b];
        struct part *part = &x->parts[p];
        part->begin = trj_alloc(a->count, sizeof *part->begin, "excluded pairs", err);
        part->end = part->begin ? trj_alloc(a->count, sizeof *part->end, "excluded pairs", err) : NULL;
        rc = !part->end      ? -1
             : kind->numbers ? sort_by_number(part, numbers, a, b, err)
                             : select_partners(part, &partners, job->atoms, a, b, err);
        for (size_t k = 0; !rc && k < a->count; k++)
            for (size_t i = part->begin[k]; i < part->end[k]; i++)
                x->pairs[p] += both_there(a, b, NULL, k, part->partner[i]);
    }
    partners_free(&partners);
    return rc;
}

int rdf_exclusion_open(struct rdf_exclusion **result, const char *what, const struct trj_stream_header *h,
                       const struct rdf_job *job, struct rdf_setup *setup, struct trj_error *err) {
    const struct kind *kind;
    uint64_t steps = 0;
    if (find_kind(what, &kind, &steps, err)) return -1;
    struct rdf_exclusion *x = trj_alloc(1, sizeof *x, "excluded pairs", err);
    if (!x) return -1;
    x->header = h;
    x->job = job;
    x->name = trj_copy_text(what, err);
    x->pairs = trj_alloc(job->pair_count, sizeof *x->pairs, "excluded pairs", err);
    x->of_frame = trj_alloc(job->pair_count, sizeof *x->of_frame, "excluded pairs", err);
    x->parts = trj_alloc(job->pair_count, sizeof *x->parts, "excluded pairs", err);
    x->squares = rdf_bins_squares(&job->bins, err);
    if (!x->name || !x->pairs || !x->of_frame || !x->parts || !x->squares || find_pairs(x, kind, steps, err)) {
        rdf_exclusion_close(x);
        return -1;
    }
    setup->exclusion = x->name;
    setup->excluded = x->pairs;
    *result = x;
    return 0;
}

void rdf_exclusion_close(struct rdf_exclusion *x) {
    if (!x) return;
    for (size_t p = 0; x->parts && p < x->job->pair_count; p++) {
        free(x->parts[p].begin);
        free(x->parts[p].end);
        free(x->parts[p].partner);
    }
    free(x->name);
    free(x->pairs);
    free(x->of_frame);
    free(x->parts);
    free(x->squares);
    free(x);
}

void rdf_exclusion_count(struct rdf_exclusion *x, const struct rdf_setup *setup, const struct trj_frame *f,
                         struct rdf_record *record) {
    const struct rdf_job *job = x->job;
    double g[3][3], reach = job->bins.rmax + rdf_job_rounding(job, f);
    trj_cell_reciprocal(&f->cell, g);
    for (size_t p = 0; p < job->pair_count; p++) {
        const struct trj_group *a = &job->groups[job->pairs[p].a], *b = &job->groups[job->pairs[p].b];
        const struct part *part = &x->parts[p];
        uint64_t *counts = record->excluded + p * job->bins.count;
        x->of_frame[p] = 0;
        for (size_t k = 0; k < a->count; k++)
            for (size_t i = part->begin[k]; i < part->end[k]; i++) {
                uint32_t q = part->partner[i];
                if (!both_there(a, b, f, k, q)) continue;
                rdf_count_images(&job->bins, x->squares, f, g, reach, a->atoms[k], b->atoms[q], counts);
                x->of_frame[p]++;
            }
    }
    if (record->pair_sums) rdf_record_add_excluded(record, setup, x->of_frame, f);
}
