// SPDX-License-Identifier: MIT
// Lists the partners of each atom once and counts them frame by frame, by the same rule as the engines.
#include "exclusion.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "hash.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "pool.h"

// For a pair of groups: the excluded partners in group b of each atom of group a.
struct part {
    size_t *begin, *end; // [a->count] into partner
    uint32_t *partner;   // indices in group b
};

struct worker {
    uint64_t *counts; // [pair_count][bins]
    uint64_t *pairs;  // [pair_count] excluded pairs of the frame
};

enum {
    ITEM_ATOMS = 64,             // atoms of group a in one item of the pool
    PAIRS_FOR_THREADS = 1 << 18, // with fewer pairs, one thread is used
    MAX_COUNTS = 1 << 28,        // bytes of the counts of all threads
};

struct rdf_exclusion {
    const struct trj_stream_header *header;
    const struct rdf_job *job;
    char *name;
    uint64_t *pairs; // [pair_count] excluded pairs among all pairs
    uint64_t *of_frame;
    double *squares;
    struct part *parts; // [pair_count]
    struct trj_pool *pool;
    struct worker *workers;        // [threads of the pool]
    const struct trj_frame *frame; // the frame that is being counted
    struct rdf_lattice lattice;
    bool under_way;
};

// Returns the index of an atom in the stream. In jobs with two frames, atoms of the later frame follow those of the
// earlier one.
static uint32_t stream_atom(const struct trj_stream_header *h, uint32_t atom) {
    return atom < h->atoms ? atom : atom - (uint32_t)h->atoms;
}

// ---- by number: atoms of one residue or molecule

static int by_value(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// Returns the index of the first of n ascending keys that is greater than `key`.
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

// Sorts group b by number and index, so that atoms with one number are consecutive. For a group with itself, only atoms
// after the atom are partners.
static int sort_by_number(struct part *part, const struct trj_stream_header *h, const uint32_t *number,
                          const struct trj_group *a, const struct trj_group *b, struct trj_error *err) {
    uint64_t *keys = trj_alloc(b->count, sizeof *keys, "excluded pairs", err);
    part->partner = keys ? trj_alloc(b->count, sizeof *part->partner, "excluded pairs", err) : NULL;
    if (!part->partner) {
        free(keys);
        return -1;
    }
    for (size_t q = 0; q < b->count; q++) keys[q] = (uint64_t)number[stream_atom(h, b->atoms[q])] << 32 | q;
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

// Finds the atoms of the stream within N bonds of each atom by a breadth-first search.
static int partners_by_bonds(struct trj_bonds *p, struct rdf_exclusion *x, const char *steps_text,
                             struct trj_error *err) {
    const struct trj_stream_header *h = x->header;
    uint64_t steps = 0;
    trj_parse_u64(steps_text, &steps); // find_kind has checked it
    size_t nodes = h->atoms + h->between, found = 0, capacity = 0;
    struct trj_bonds bonded = {.begin = NULL};
    uint32_t *seen = trj_alloc(nodes, sizeof *seen, "bonds", err); // last atom from which it was reached, from 1
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
        for (size_t k = 1; !rc && k < to; k++) {
            if (queue[k] >= h->atoms) continue;
            rc = trj_grow(&p->to, &capacity, found + 1, sizeof *p->to, "excluded pairs", err);
            if (!rc) p->to[found++] = queue[k];
        }
        p->begin[i + 1] = found;
    }
    trj_bonds_free(&bonded);
    free(seen);
    free(queue);
    return rc;
}

// The pairs of a file as low << 32 | high, ascending, without duplicates.
struct pair_list {
    uint64_t *pairs;
    size_t count, capacity;
};

static int add_line(struct pair_list *list, const struct trj_lines *l, uint64_t atoms, struct trj_error *err) {
    char *rest = l->text, *word;
    uint64_t number[2];
    int n = 0;
    rest[strcspn(rest, "#")] = 0;
    for (; (word = trj_next_word(&rest)); n++) {
        if (n == 2 || !trj_parse_u64(word, &number[n]))
            return trj_lines_fail(l, err, "expected two atom numbers, found '%s'", word);
        if (number[n] >= atoms || number[n] > UINT32_MAX)
            return trj_lines_fail(l, err, "atom %s: the trajectory has %llu atoms, counted from 0", word,
                                  (unsigned long long)atoms);
    }
    if (!n) return 0;
    if (n == 1) return trj_lines_fail(l, err, "expected two atom numbers, found one");
    if (number[0] == number[1]) return trj_lines_fail(l, err, "expected two different atoms");
    uint64_t low = number[0] < number[1] ? number[0] : number[1], high = number[0] + number[1] - low;
    if (trj_grow(&list->pairs, &list->capacity, list->count + 1, sizeof *list->pairs, "excluded pairs", err)) return -1;
    list->pairs[list->count++] = low << 32 | high;
    return 0;
}

static int read_list(struct pair_list *list, const char *path, uint64_t atoms, struct trj_error *err) {
    struct trj_lines l = {.in = NULL};
    size_t n = 0;
    int rc = trj_input_open(&l.in, path, err);
    if (rc) return -1;
    while ((rc = trj_lines_next(&l, err)) > 0)
        if ((rc = add_line(list, &l, atoms, err))) break;
    if (!rc && !list->count)
        rc = trj_fail(err, TRJ_BAD_DATA, "contains no pair of atoms; give two atom numbers per line, counted from 0");
    if (rc) trj_fail_at(err, "%s", trj_input_name(l.in));
    trj_input_close(l.in);
    if (rc) return -1;
    qsort(list->pairs, list->count, sizeof *list->pairs, by_value);
    for (size_t i = 0; i < list->count; i++)
        if (!i || list->pairs[i] != list->pairs[i - 1]) list->pairs[n++] = list->pairs[i];
    list->count = n;
    return 0;
}

// Finds the index in the stream of an atom of the trajectory. Returns false if the stream does not contain the atom.
static bool find_atom(const struct trj_stream_header *h, uint32_t number, uint32_t *place) {
    size_t low = 0, high = h->atoms - h->centres;
    *place = number;
    if (!h->number) return number < high;
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (h->number[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    *place = (uint32_t)low;
    return high && h->number[low] == number;
}

// The name is a hash of the listed pairs, since files with other names can list the same pairs.
static int name_list(char **name, const struct pair_list *list, struct trj_error *err) {
    struct trj_bytes b = {0};
    char text[32];
    trj_put_u64s(&b, list->pairs, list->count);
    if (b.failed) return trj_fail_memory(err, (double)list->count * 8, "excluded pairs");
    snprintf(text, sizeof text, "pairs:%016" PRIx64, trj_hash(b.data, b.size, 0));
    trj_bytes_free(&b);
    free(*name);
    *name = trj_copy_text(text, err);
    return *name ? 0 : -1;
}

static int partners_of_file(struct trj_bonds *p, struct rdf_exclusion *x, const char *path, struct trj_error *err) {
    const struct trj_stream_header *h = x->header;
    struct pair_list list = {.pairs = NULL};
    size_t n = 0;
    uint32_t(*pairs)[2] = NULL;
    int rc = read_list(&list, path, h->source_atoms, err);
    if (!rc && !(pairs = trj_alloc(list.count, sizeof *pairs, "excluded pairs", err))) rc = -1;
    for (size_t i = 0; !rc && i < list.count; i++)
        n += find_atom(h, (uint32_t)(list.pairs[i] >> 32), &pairs[n][0]) &&
             find_atom(h, (uint32_t)list.pairs[i], &pairs[n][1]);
    if (!rc) rc = trj_bonds_list(p, pairs, n, h->atoms, err) || name_list(&x->name, &list, err) ? -1 : 0;
    free(list.pairs);
    free(pairs);
    return rc;
}

// Converts partners among the atoms of the stream to partners in a pair of groups.
static int select_partners(struct part *part, const struct trj_bonds *p, const struct trj_stream_header *h,
                           const struct trj_group *a, const struct trj_group *b, struct trj_error *err) {
    size_t n = 0, capacity = 0;
    uint32_t *place = trj_alloc(h->atoms, sizeof *place, "excluded pairs", err); // index in b, from 1
    if (!place) return -1;
    for (size_t q = 0; q < b->count; q++) place[stream_atom(h, b->atoms[q])] = (uint32_t)q + 1;
    for (size_t k = 0; k < a->count; k++) {
        uint32_t atom = a->atoms[k];
        part->begin[k] = n;
        for (size_t i = p->begin[atom]; i < p->begin[atom + 1]; i++) {
            uint32_t q = place[p->to[i]];
            if (!q || (a == b && q - 1 <= k)) continue;
            if (trj_grow(&part->partner, &capacity, n + 1, sizeof *part->partner, "excluded pairs", err)) {
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

static const uint32_t *residues(const struct trj_stream_header *h) {
    return h->residue;
}

static const uint32_t *molecules(const struct trj_stream_header *h) {
    return h->molecule;
}

static bool has_bonds(const struct trj_stream_header *h) {
    return h->bond;
}

static bool has_numbers(const struct trj_stream_header *h) {
    return h->number || h->atoms - h->centres == h->source_atoms;
}

// A kind has either `numbers` or `partners`.
static const struct kind {
    const char *name, *argument; // after the colon; NULL: none
    const uint32_t *(*numbers)(const struct trj_stream_header *h);
    int (*partners)(struct trj_bonds *p, struct rdf_exclusion *x, const char *argument, struct trj_error *err);
    bool (*known)(const struct trj_stream_header *h);
    const char *lacks; // the required data, for the message if the stream lacks them
} kinds[] = {
    {"residue", NULL, residues, NULL, NULL, "residues; give trjcat a topology with -t"},
    {"molecule", NULL, molecules, NULL, NULL, "molecules; give trjcat a topology with bonds, with -t"},
    {"bonds", "N", NULL, partners_by_bonds, has_bonds, "bonds; give trjcat a topology with bonds, with -t"},
    {"pairs", "FILE", NULL, partners_of_file, has_numbers,
     "atom numbers of the trajectory; use exclusions residue, molecule or bonds:N"},
};

static bool is_count(const char *text) {
    uint64_t n;
    return trj_parse_u64(text, &n) && n >= 1 && n <= RDF_MAX_BONDS_APART;
}

// Finds the kind of `what`, and the argument after its colon.
static int find_kind(const char *what, const struct kind **kind, const char **argument, struct trj_error *err) {
    size_t length = strcspn(what, ":");
    *argument = what[length] ? what + length + 1 : NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = *kind = &kinds[i];
        if (strlen(k->name) == length && !memcmp(k->name, what, length) && !k->argument == !*argument &&
            (!k->argument || (k->partners == partners_by_bonds ? is_count(*argument) : **argument != 0)))
            return 0;
    }
    return trj_fail(
        err, TRJ_USAGE,
        "--exclude: invalid value '%s': expected residue, molecule, bonds:N with N from 1 to %d, or pairs:FILE", what,
        RDF_MAX_BONDS_APART);
}

int rdf_exclusion_check(const char *what, struct trj_error *err) {
    const struct kind *kind;
    const char *argument;
    return find_kind(what, &kind, &argument, err);
}

static int find_pairs(struct rdf_exclusion *x, const struct kind *kind, const char *argument,
                      const struct rdf_setup *setup, struct trj_error *err) {
    const struct rdf_job *job = x->job;
    const uint32_t *numbers = kind->numbers ? kind->numbers(x->header) : NULL;
    struct trj_bonds partners = {.begin = NULL};
    if (kind->numbers ? !numbers : !kind->known(x->header))
        return trj_fail(err, TRJ_USAGE, "--exclude: the stream contains no %s", kind->lacks);
    int rc = numbers ? 0 : kind->partners(&partners, x, argument, err);
    for (size_t p = 0; !rc && p < job->pair_count; p++) {
        const struct trj_group *a = &job->groups[job->pairs[p].a], *b = &job->groups[job->pairs[p].b];
        struct part *part = &x->parts[p];
        part->begin = trj_alloc(a->count, sizeof *part->begin, "excluded pairs", err);
        part->end = part->begin ? trj_alloc(a->count, sizeof *part->end, "excluded pairs", err) : NULL;
        rc = !part->end ? -1
             : numbers  ? sort_by_number(part, x->header, numbers, a, b, err)
                        : select_partners(part, &partners, x->header, a, b, err);
        for (size_t k = 0; !rc && k < a->count; k++) x->pairs[p] += part->end[k] - part->begin[k];
        if (numbers && a != b) // the sum includes pairs of an atom with itself
            x->pairs[p] -= setup->lag.own ? setup->lag.own[p] : trj_group_overlap(a, b, NULL);
    }
    trj_bonds_free(&partners);
    return rc;
}

// ---- counting: a frame is a task of the pool; ITEM_ATOMS atoms of the first group of a pair form an item

static size_t items_of(const struct rdf_job *job, size_t pair) {
    return (job->groups[job->pairs[pair].a].count + ITEM_ATOMS - 1) / ITEM_ATOMS;
}

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct rdf_exclusion *x = arg;
    size_t items = 0;
    (void)worker;
    (void)task;
    x->under_way = !x->under_way;
    for (size_t p = 0; x->under_way && p < x->job->pair_count; p++) items += items_of(x->job, p);
    return items;
}

static void count_item(void *arg, unsigned worker, unsigned number, size_t item) {
    const struct rdf_exclusion *x = arg;
    const struct rdf_job *job = x->job;
    const struct trj_frame *f = x->frame;
    size_t p = 0;
    (void)number;
    for (; item >= items_of(job, p); p++) item -= items_of(job, p);
    const struct trj_group *a = &job->groups[job->pairs[p].a], *b = &job->groups[job->pairs[p].b];
    const struct part *part = &x->parts[p];
    uint64_t *counts = x->workers[worker].counts + p * rdf_bins_cells(&job->bins), pairs = 0;
    for (size_t k = item * ITEM_ATOMS; k < a->count && k < (item + 1) * ITEM_ATOMS; k++) {
        double from[3];
        if (!trj_group_has(a, f, k)) continue;
        rdf_position(f, a->atoms[k], from);
        for (size_t i = part->begin[k]; i < part->end[k]; i++) {
            uint32_t q = part->partner[i];
            if (a->atoms[k] == stream_atom(x->header, b->atoms[q]) || !trj_group_has(b, f, q)) continue;
            rdf_count_pair(&job->bins, x->squares, f, &x->lattice, a->atoms[k], from, b->atoms[q], counts);
            pairs++;
        }
    }
    x->workers[worker].pairs[p] += pairs;
}

static const struct trj_pool_work work = {next, count_item};

static int open_workers(struct rdf_exclusion *x, struct trj_error *err) {
    size_t n = x->job->pair_count * rdf_bins_cells(&x->job->bins);
    uint64_t pairs = 0;
    unsigned threads = trj_pool_size(x->job->threads);
    for (size_t p = 0; p < x->job->pair_count; p++) pairs += x->pairs[p];
    while (threads > 1 && (pairs < PAIRS_FOR_THREADS || n * sizeof(uint64_t) > MAX_COUNTS / threads)) threads--;
    if (trj_pool_open(&x->pool, threads, 1, &work, x, err)) return -1;
    threads = trj_pool_threads(x->pool);
    x->workers = trj_alloc(threads, sizeof *x->workers, "threads", err);
    for (unsigned i = 0; x->workers && i < threads; i++) {
        x->workers[i].counts = trj_alloc(n, sizeof *x->workers[i].counts, "counts", err);
        x->workers[i].pairs = trj_alloc(x->job->pair_count, sizeof *x->workers[i].pairs, "counts", err);
        if (!x->workers[i].counts || !x->workers[i].pairs) return -1;
    }
    return x->workers ? 0 : -1;
}

void rdf_exclusion_count(struct rdf_exclusion *x, const struct rdf_setup *setup, const struct trj_frame *f,
                         struct rdf_record *record) {
    size_t n = x->job->pair_count;
    x->frame = f;
    rdf_lattice_of(&x->lattice, x->job, f);
    trj_pool_start(x->pool, trj_pool_free_task(x->pool));
    trj_pool_finish(x->pool);
    memset(x->of_frame, 0, n * sizeof *x->of_frame);
    for (unsigned i = 0; i < trj_pool_threads(x->pool); i++)
        for (size_t p = 0; p < n; p++) {
            x->of_frame[p] += x->workers[i].pairs[p];
            x->workers[i].pairs[p] = 0;
        }
    if (record->pair_sums) rdf_record_add_excluded(record, setup, x->of_frame, f);
}

void rdf_exclusion_finish(struct rdf_exclusion *x, uint64_t *counts) {
    size_t n = x->job->pair_count * rdf_bins_cells(&x->job->bins);
    for (unsigned i = 0; i < trj_pool_threads(x->pool); i++) {
        for (size_t k = 0; k < n; k++) counts[k] += x->workers[i].counts[k];
        memset(x->workers[i].counts, 0, n * sizeof *counts);
    }
}

int rdf_exclusion_open(struct rdf_exclusion **result, const char *what, const struct trj_stream_header *h,
                       const struct rdf_job *job, struct rdf_setup *setup, struct trj_error *err) {
    const struct kind *kind;
    const char *argument;
    if (find_kind(what, &kind, &argument, err)) return -1;
    if (h->open_system)
        return trj_fail(err, TRJ_USAGE,
                        "--exclude: the number of atoms changes, so that residues, bonds and numbers of atoms are not "
                        "the same in all frames; leave it out");
    struct rdf_exclusion *x = trj_alloc(1, sizeof *x, "excluded pairs", err);
    if (!x) return -1;
    x->header = h;
    x->job = job;
    x->name = trj_copy_text(what, err);
    x->pairs = trj_alloc(job->pair_count, sizeof *x->pairs, "excluded pairs", err);
    x->of_frame = trj_alloc(job->pair_count, sizeof *x->of_frame, "excluded pairs", err);
    x->parts = trj_alloc(job->pair_count, sizeof *x->parts, "excluded pairs", err);
    x->squares = rdf_bins_squares(&job->bins, err);
    if (!x->name || !x->pairs || !x->of_frame || !x->parts || !x->squares ||
        find_pairs(x, kind, argument, setup, err) || open_workers(x, err)) {
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
    unsigned threads = x->workers ? trj_pool_threads(x->pool) : 0;
    trj_pool_close(x->pool);
    for (unsigned i = 0; i < threads; i++) {
        free(x->workers[i].counts);
        free(x->workers[i].pairs);
    }
    free(x->workers);
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
