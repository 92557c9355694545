// SPDX-License-Identifier: MIT
// The engines on the CPU: threads visit the atoms with their neighbours (neighbour_search.h).
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "memory.h"
#include "neighbour_engine.h"
#include "neighbour_search.h"
#include "triplet.h"

// Neighbours of the members of a frame, found by one thread: atoms ascend within the list of a member.
struct partners {
    uint32_t *atoms;
    size_t count, capacity;
};

// Where the neighbours of one atom are.
struct span {
    uint32_t worker, count;
    size_t first;
    bool member; // of the group in this frame
};

struct worker {
    uint64_t *neighbours;        // [pairs][row]
    uint64_t *triplets;          // [triplets][row]
    struct partners partners[2]; // of this frame and the one before
    uint32_t *sorted;            // of the current atom
    size_t sorted_capacity;
    struct rdf_neighbour_events events;
    char padding[64]; // counters of workers must not share a cache line
};

struct counter {
    const struct rdf_job *job;
    const struct rdf_neighbour_setup *neighbours;
    const struct rdf_triplet_setup *triplets;
    struct rdf_search *search;
    struct rdf_stars stars;
    size_t row, triplet_row;
    struct worker *workers;
    struct span **spans[2]; // [pairs][atoms of A] of this frame and the one before
    unsigned now;           // index of this frame
    bool compare;           // this frame with the one before
    bool list_events;
};

static void close_counter(void *engine) {
    struct counter *c = engine;
    if (!c) return;
    unsigned threads = c->workers ? rdf_search_threads(c->search) : 0;
    for (unsigned w = 0; w < threads; w++) {
        struct worker *thread = &c->workers[w];
        free(thread->neighbours);
        free(thread->triplets);
        free(thread->partners[0].atoms);
        free(thread->partners[1].atoms);
        free(thread->sorted);
        free(thread->events.event);
    }
    for (int k = 0; k < 2; k++) {
        for (size_t p = 0; c->spans[k] && p < c->stars.pairs; p++) free(c->spans[k][p]);
        free(c->spans[k]);
    }
    rdf_search_close(c->search);
    rdf_stars_free(&c->stars);
    free(c->workers);
    free(c);
}

// ---- one atom, in a thread

static int compare_numbers(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

// Lists the atoms among the neighbours, ascending, each once, in w->sorted. A group with itself lists only larger ones.
static int list_atoms(struct worker *w, const struct rdf_neighbour_list *list, uint32_t after, bool unordered,
                      size_t *count, struct trj_error *err) {
    size_t n = 0, kept = 0;
    if (trj_grow(&w->sorted, &w->sorted_capacity, list->count, sizeof *w->sorted, "neighbours", err)) return -1;
    for (size_t i = 0; i < list->count; i++)
        if (!unordered || list->neighbour[i].atom > after) w->sorted[n++] = list->neighbour[i].atom;
    if (n > 1) qsort(w->sorted, n, sizeof *w->sorted, compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (!i || w->sorted[i] != w->sorted[i - 1]) w->sorted[kept++] = w->sorted[i];
    *count = kept;
    return 0;
}

static int append_event(struct rdf_neighbour_events *to, const struct rdf_neighbour_event *e, struct trj_error *err) {
    if (trj_grow(&to->event, &to->capacity, to->count + 1, sizeof *to->event, "events", err)) return -1;
    to->event[to->count++] = *e;
    return 0;
}

// Compares the neighbours of an atom in two frames, both ascending.
static int compare_frames(const struct counter *c, struct worker *w, uint32_t pair, uint32_t atom,
                          const uint32_t *before, size_t old, const uint32_t *after, size_t new,
                          struct trj_error *err) {
    uint64_t *sums = w->neighbours + pair * c->row + c->neighbours->classes;
    for (size_t i = 0, j = 0; i < old || j < new;) {
        bool leaves = j == new || (i < old && before[i] < after[j]),
             enters = i == old || (j < new &&after[j] < before[i]);
        struct rdf_neighbour_event e = {pair, atom, leaves ? before[i] : after[j], enters};
        sums[leaves ? RDF_LEFT : enters ? RDF_ENTERED : RDF_STAYED]++;
        if ((leaves || enters) && c->list_events && append_event(&w->events, &e, err)) return -1;
        i += !enters;
        j += !leaves;
    }
    return 0;
}

static size_t place_in(const struct trj_group *g, uint32_t atom) {
    size_t low = 0, high = g->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (g->atoms[middle] > atom)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static const uint32_t no_atoms[1];

static const uint32_t *atoms_of(const struct counter *c, unsigned when, const struct span *s) {
    const struct partners *p = &c->workers[s->worker].partners[when];
    return s->count ? p->atoms + s->first : no_atoms;
}

static int count_neighbours(struct counter *c, unsigned worker, size_t pair, uint32_t atom,
                            const struct rdf_neighbour_list *list, struct trj_error *err) {
    struct worker *w = &c->workers[worker];
    struct partners *to = &w->partners[c->now];
    const struct rdf_pair *p = &c->job->pairs[pair];
    uint64_t n = list->count, last = c->neighbours->classes - 1, *row = w->neighbours + pair * c->row;
    size_t place = place_in(&c->job->groups[p->a], atom), count;
    row[n < last ? n : last]++;
    row[last + 1 + RDF_SUM_OF_N] += n;
    row[last + 1 + RDF_SUM_OF_SQUARES] += n * n;
    if (list_atoms(w, list, atom, p->a == p->b, &count, err) ||
        trj_grow(&to->atoms, &to->capacity, to->count + count, sizeof *to->atoms, "neighbours", err))
        return -1;
    if (count) memcpy(to->atoms + to->count, w->sorted, count * sizeof *w->sorted);
    c->spans[c->now][pair][place] = (struct span){worker, (uint32_t)count, to->count, true};
    to->count += count;
    if (!c->compare) return 0;
    const struct span *before = &c->spans[!c->now][pair][place];
    return compare_frames(c, w, (uint32_t)pair, atom, before->member ? atoms_of(c, !c->now, before) : no_atoms,
                          before->member ? before->count : 0, w->sorted, count, err);
}

static int visit(void *arg, unsigned worker, size_t star, uint32_t atom, struct rdf_neighbour_list *lists,
                 struct trj_error *err) {
    struct counter *c = arg;
    if (star < c->stars.pairs) return count_neighbours(c, worker, star, atom, lists, err);
    size_t t = star - c->stars.pairs;
    rdf_triplet_count(c->triplets, t, c->stars.q, c->stars.squares[t], lists,
                      c->workers[worker].triplets + t * c->triplet_row);
    return 0;
}

// ---- set-up

static int open_spans(struct counter *c, struct trj_error *err) {
    for (int k = 0; k < 2; k++) {
        if (!(c->spans[k] = trj_alloc(c->stars.pairs, sizeof *c->spans[k], "pairs", err))) return -1;
        for (size_t p = 0; p < c->stars.pairs; p++) {
            size_t n = c->job->groups[c->job->pairs[p].a].count;
            if (!(c->spans[k][p] = trj_alloc(n, sizeof *c->spans[k][p], "neighbours", err))) return -1;
        }
    }
    return 0;
}

static int open_workers(struct counter *c, struct trj_error *err) {
    unsigned threads = rdf_search_threads(c->search);
    if (!(c->workers = trj_alloc(threads, sizeof *c->workers, "threads", err))) return -1;
    for (unsigned w = 0; w < threads; w++) {
        struct worker *thread = &c->workers[w];
        thread->neighbours = trj_alloc(c->stars.pairs * c->row, sizeof *thread->neighbours, "counts", err);
        if (!thread->neighbours) return -1;
        thread->triplets = trj_alloc(c->stars.triplets * c->triplet_row, sizeof *thread->triplets, "counts", err);
        if (!thread->triplets) return -1;
    }
    return 0;
}

static int open_counter(void **engine, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                        const struct rdf_triplet_setup *triplets, bool brute_force, struct trj_error *err) {
    struct counter *c = trj_alloc(1, sizeof *c, "neighbours", err);
    if (!c) return -1;
    c->job = job;
    c->neighbours = neighbours;
    c->triplets = triplets;
    c->row = rdf_neighbour_row(neighbours);
    c->triplet_row = rdf_triplet_row(triplets);
    if (rdf_stars_open(&c->stars, job, neighbours, triplets, err) || open_spans(c, err) ||
        rdf_search_open(&c->search, job, c->stars.star, c->stars.pairs + c->stars.triplets, brute_force, visit, c,
                        err) ||
        open_workers(c, err)) {
        close_counter(c);
        return -1;
    }
    *engine = c;
    return 0;
}

static int open_reference(void **engine, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                          const struct rdf_triplet_setup *triplets, struct trj_error *err) {
    return open_counter(engine, job, neighbours, triplets, true, err);
}

static int open_cpu(void **engine, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                    const struct rdf_triplet_setup *triplets, struct trj_error *err) {
    return open_counter(engine, job, neighbours, triplets, false, err);
}

// ---- frames

// Compares the neighbours of atoms that are no longer members of a dynamic group.
static int compare_former_members(struct counter *c, struct trj_error *err) {
    for (size_t p = 0; p < c->stars.pairs; p++) {
        const struct trj_group *a = &c->job->groups[c->job->pairs[p].a];
        for (size_t i = 0; a->dynamic && i < a->count; i++) {
            const struct span *before = &c->spans[!c->now][p][i];
            if (before->member && !c->spans[c->now][p][i].member &&
                compare_frames(c, &c->workers[0], (uint32_t)p, a->atoms[i], atoms_of(c, !c->now, before), before->count,
                               no_atoms, 0, err))
                return -1;
        }
    }
    return 0;
}

static void begin_frame(struct counter *c) {
    c->now = !c->now;
    for (size_t p = 0; p < c->stars.pairs; p++)
        memset(c->spans[c->now][p], 0, c->job->groups[c->job->pairs[p].a].count * sizeof *c->spans[c->now][p]);
    for (unsigned w = 0; w < rdf_search_threads(c->search); w++) c->workers[w].partners[c->now].count = 0;
}

static int add(void *engine, const struct trj_frame *f, bool compare, struct rdf_neighbour_events *events,
               struct trj_error *err) {
    struct counter *c = engine;
    c->compare = compare;
    c->list_events = events;
    begin_frame(c);
    if (rdf_search_frame(c->search, f, err) || (compare && compare_former_members(c, err))) return -1;
    for (unsigned w = 0; events && w < rdf_search_threads(c->search); w++) {
        struct rdf_neighbour_events *thread = &c->workers[w].events;
        if (trj_grow(&events->event, &events->capacity, events->count + thread->count, sizeof *events->event, "events",
                     err))
            return -1;
        if (thread->count) memcpy(events->event + events->count, thread->event, thread->count * sizeof *thread->event);
        events->count += thread->count;
        thread->count = 0;
    }
    return 0;
}

static void move_counts(uint64_t *to, uint64_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i] += from[i];
        from[i] = 0;
    }
}

static int finish(void *engine, uint64_t *neighbours, uint64_t *triplets, struct trj_error *err) {
    struct counter *c = engine;
    (void)err;
    for (unsigned w = 0; w < rdf_search_threads(c->search); w++) {
        move_counts(neighbours, c->workers[w].neighbours, c->stars.pairs * c->row);
        move_counts(triplets, c->workers[w].triplets, c->stars.triplets * c->triplet_row);
    }
    return 0;
}

const struct rdf_neighbour_engine rdf_neighbour_reference = {open_reference, add, finish, close_counter};
const struct rdf_neighbour_engine rdf_neighbour_cpu = {open_cpu, add, finish, close_counter};
