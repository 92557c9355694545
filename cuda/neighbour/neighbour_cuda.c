// SPDX-License-Identifier: MIT
// The CUDA engine of neighbours and triplets: one GPU, one frame at a time, because the exchange of neighbours compares
// consecutive frames. The lists of a frame stay on the GPU until the next one.
//
// The GPU counts the numbers of neighbours of a frame while the caller goes on to the next one: `add` waits only until
// the coordinates are on the GPU. Whether the lists had enough memory is known afterwards; otherwise the frame, which
// is still on the GPU, is counted again with longer lists.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "device_tiles.h"
#include "engine.h"
#include "memory.h"
#include "neighbour_engine.h"
#include "neighbour_kernels.h"
#include "single_gpu.h"
#include "triplet.h"

enum {
    FIRST_CAPACITY = 32,   // neighbours of a list at first
    UNITS = 8192,          // of work, at least, in the search of a star if there are enough boxes
    CHUNK_BYTES = 1 << 28, // of the lists of triplets at a time
};

// The lists of the atoms of a pair's group A in one frame.
struct kept_lists {
    struct cuda_buffer count, atoms;
    unsigned capacity;
};

struct cuda {
    struct cuda_single base;
    const struct rdf_job *job;
    const struct rdf_neighbour_setup *neighbour_setup;
    const struct rdf_triplet_setup *triplet_setup;
    struct rdf_job search; // with the largest range as rmax
    struct rdf_stars stars;
    struct cuda_groups groups;
    bool *used;
    unsigned *set_of_group; // [groups]
    struct cuda_set_table table;
    struct cuda_tiles tiles;
    double *q, **squares; // on the GPU
    size_t row, triplet_row;
    unsigned long long *neighbours, *triplets; // counts on the GPU
    unsigned *longest, *host_longest; // [pairs + 1] neighbours of the longest lists; the last one is of triplets
    unsigned *list;                   // [places of all tiles] cuda_list_args.list
    bool pending;                     // the frame is not yet known to be counted
    bool compared;                    // with the frame before
    unsigned long long *event_count;
    struct kept_lists (*kept)[2]; // [pairs] of this frame and the one before
    unsigned now;
    struct cuda_buffer arm_count[2], arm_vectors[2];
    unsigned arm_capacity[2];
    struct cuda_buffer events;
    cuda_event *host_events;
    size_t host_event_capacity;
};

static int alloc(struct cuda *e, struct cuda_buffer *b, size_t bytes, struct trj_error *err) {
    return cuda_buffer_alloc(b, &e->base.memory, bytes, "neighbours", err) ? 0 : -1;
}

// ---- set-up

// Makes one set of each group that is used.
static int make_sets(struct cuda *e, struct trj_error *err) {
    const struct rdf_job *job = e->job;
    unsigned sets = 0;
    unsigned *group = trj_alloc(job->group_count, sizeof *group, "sets", err);
    unsigned *part = group ? trj_alloc(job->group_count, sizeof *part, "sets", err) : NULL; // zeros
    for (unsigned g = 0; part && g < job->group_count; g++) {
        if (!e->used[g]) continue;
        e->set_of_group[g] = sets;
        group[sets++] = g;
    }
    int rc = part ? cuda_set_table_make(&e->table, &e->groups, group, part, sets, 1, &e->base.memory, err) : -1;
    free(group);
    free(part);
    return rc;
}

static int alloc_tiles(struct cuda *e, struct trj_error *err) {
    const struct cuda_tiles_size size = {.batch = 1,
                                         .frames = 1,
                                         .atoms = e->job->atoms,
                                         .tiles = e->table.tiles,
                                         .sets = e->table.set_count,
                                         .bounds = e->table.set_count,
                                         .scale = 1 / e->stars.reach};
    if (cuda_tiles_alloc(&e->tiles, &e->groups, &size, &e->base.memory, err)) return -1;
    return cuda_tiles_alloc_host(&e->tiles, &e->groups, &size, &e->base.memory, err);
}

static int alloc_counts(struct cuda *e, struct trj_error *err) {
    const struct rdf_triplet_setup *t = e->triplet_setup;
    size_t neighbours = e->stars.pairs * e->row, triplets = t->count * e->triplet_row;
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(e->neighbours, neighbours, "counts on the GPU"),
        CUDA_ARRAY(e->triplets, triplets, "counts on the GPU"),
        CUDA_ARRAY(e->longest, e->stars.pairs + 1, "counts on the GPU"),
        CUDA_ARRAY_HOST(e->host_longest, e->stars.pairs + 1),
        CUDA_ARRAY(e->list, (size_t)e->table.tiles * CUDA_TILE, "neighbours on the GPU"),
        CUDA_ARRAY(e->event_count, 1, "counts on the GPU"),
    };
    if (CUDA_ALLOC(&e->base.memory, arrays, err)) return -1;
    CUDA_CHECK(cudaMemset(e->neighbours, 0, neighbours * sizeof *e->neighbours));
    CUDA_CHECK(cudaMemset(e->triplets, 0, triplets * sizeof *e->triplets));
    if (t->count && cuda_memory_alloc_copy(&e->base.memory, &e->q, e->stars.q, ((size_t)t->angles + 1) * sizeof *e->q,
                                           "edges on the GPU", err))
        return -1;
    for (size_t i = 0; i < t->count; i++)
        if (cuda_memory_alloc_copy(&e->base.memory, &e->squares[i], e->stars.squares[i],
                                   ((size_t)t->distances + 1) * sizeof *e->squares[i], "edges on the GPU", err))
            return -1;
    return 0;
}

// Allocates arrays, with the groups that are used and the first capacities of lists.
static int alloc_arrays(struct cuda *e, struct trj_error *err) {
    const struct rdf_stars *stars = &e->stars;
    size_t groups = e->job->group_count;
    e->groups = (struct cuda_groups){.groups = e->job->groups, .count = groups, .parts = 1};
    if (!(e->groups.lists = trj_alloc(groups, sizeof *e->groups.lists, "groups", err))) return -1;
    if (!(e->used = trj_alloc(groups, sizeof *e->used, "groups", err))) return -1;
    if (!(e->set_of_group = trj_alloc(groups, sizeof *e->set_of_group, "groups", err))) return -1;
    if (!(e->squares = trj_alloc(stars->triplets, sizeof *e->squares, "triplets", err))) return -1;
    if (!(e->kept = trj_alloc(stars->pairs, sizeof *e->kept, "neighbours", err))) return -1;
    for (size_t i = 0; i < stars->pairs + stars->triplets; i++) {
        e->used[stars->star[i].centre] = true;
        for (size_t k = 0; k < stars->star[i].arms; k++) e->used[stars->star[i].arm[k].group] = true;
    }
    e->arm_capacity[0] = e->arm_capacity[1] = FIRST_CAPACITY;
    for (size_t p = 0; p < stars->pairs; p++) e->kept[p][0].capacity = e->kept[p][1].capacity = FIRST_CAPACITY;
    return 0;
}

static int prepare(void *engine, struct trj_error *err) {
    struct cuda *e = engine;
    if (alloc_arrays(e, err)) return -1;
    if (cuda_groups_upload(&e->groups, e->used, &e->base.memory, err)) return -1;
    if (make_sets(e, err)) return -1;
    if (alloc_tiles(e, err)) return -1;
    return alloc_counts(e, err);
}

static void release(void *engine) {
    struct cuda *e = engine;
    cuda_memory_free(&e->base.memory); // before its parts in `kept`
    cuda_tiles_free(&e->tiles);
    cuda_set_table_free(&e->table);
    free(e->groups.lists);
    free(e->used);
    free(e->set_of_group);
    free(e->squares);
    free(e->kept);
    e->groups.lists = NULL;
    e->used = NULL;
    e->set_of_group = NULL;
    e->squares = NULL;
    e->kept = NULL;
}

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    rdf_stars_free(&e->stars);
    free(e->host_events);
}

static int open_cuda(void **engine, const struct rdf_job *job, const struct rdf_neighbour_setup *neighbours,
                     const struct rdf_triplet_setup *triplets, struct trj_error *err) {
    static const struct cuda_single_ops ops = {prepare, release, close_cuda};
    struct cuda *e = trj_alloc(1, sizeof *e, "neighbours", err);
    if (!e) return -1;
    e->base.ops = &ops; // for cuda_single_close
    e->job = job;
    e->neighbour_setup = neighbours;
    e->triplet_setup = triplets;
    e->row = rdf_neighbour_row(neighbours);
    e->triplet_row = rdf_triplet_row(triplets);
    if (rdf_stars_open(&e->stars, job, neighbours, triplets, err)) goto out;
    e->search = *job;
    e->search.bins = (struct rdf_bins){.rmax = e->stars.reach, .count = 1};
    if (cuda_single_open(e, &ops, job->devices, err)) goto out;
    *engine = e;
    return 0;
out:
    cuda_single_close(e);
    return -1;
}

// ---- lists

// Fails, because a list has too many neighbours.
static int fail_many(struct cuda *e, const cuda_list_args *a, size_t lists, struct trj_error *err) {
    size_t list = 0;
    uint32_t atom = 0;
    int *count = trj_alloc(lists, sizeof *count, "neighbours", err);
    if (!count || cuda_single_fetch(&e->base, count, a->lists.count, lists * sizeof *count, err)) {
        free(count);
        return -1;
    }
    while (list + 1 < lists && count[list] <= RDF_MAX_NEIGHBOURS) list++;
    free(count);
    const uint32_t *from =
        a->group ? a->group : e->tiles.plan.atom + ((size_t)e->table.sets[a->centres].first[0] + a->first) * CUDA_TILE;
    return cuda_single_fetch(&e->base, &atom, from + list, sizeof atom, err)
               ? -1
               : rdf_search_fail_many(atom, a->search.rmax, err);
}

// Enqueues the search for the neighbours of the tiles [first, end) of a star's centres in a->lists, whose memory is
// `count` and `items`. `lists` is the number of lists, of items with `size` bytes.
static int list_neighbours(struct cuda *e, cuda_list_args *a, size_t lists, struct cuda_buffer *count,
                           struct cuda_buffer *items, size_t size, unsigned capacity, struct trj_error *err) {
    if (alloc(e, count, lists * sizeof(int), err)) return -1;
    if (alloc(e, items, lists * capacity * size, err)) return -1;
    a->lists.count = count->address;
    if (size == sizeof(uint32_t))
        a->lists.atoms = items->address;
    else
        a->lists.vectors = items->address;
    a->lists.capacity = capacity;
    CUDA_CHECK(cudaMemsetAsync(a->longest, 0, sizeof *a->longest, e->base.stream));
    return cuda_list_neighbours(a, lists, e->base.stream, err);
}

// Increases the capacity of lists to more than `longest` neighbours, the number in the longest of them. The caller then
// makes the lists again.
static int grow_lists(struct cuda *e, const cuda_list_args *a, size_t lists, unsigned longest, unsigned *capacity,
                      struct trj_error *err) {
    if (longest > RDF_MAX_NEIGHBOURS) return fail_many(e, a, lists, err);
    *capacity = (longest + longest / 8 + 7) / 8 * 8;
    return 0;
}

static cuda_list_args list_args(struct cuda *e, const struct rdf_star *star, size_t arm) {
    const struct rdf_arm *other = &star->arm[arm];
    cuda_list_args a = {
        .centres = e->set_of_group[star->centre], .others = e->set_of_group[other->group], .list = e->list};
    const cuda_set *rows = &e->table.sets[a.centres], *columns = &e->table.sets[a.others];
    a.search.plan = e->tiles.plan;
    a.search.rmin = other->low;
    a.search.rmax = other->high;
    a.end = rows->boxes[0];
    a.segments = a.end && UNITS / a.end > 1 ? UNITS / a.end : 1;
    if (a.segments > columns->boxes[1]) a.segments = columns->boxes[1] ? columns->boxes[1] : 1;
    return a;
}

// ---- numbers of neighbours

static int append_events(struct cuda *e, uint32_t pair, size_t n, struct rdf_neighbour_events *events,
                         struct trj_error *err) {
    if (trj_grow(&e->host_events, &e->host_event_capacity, n, sizeof *e->host_events, "events", err) ||
        trj_grow(&events->event, &events->capacity, events->count + n, sizeof *events->event, "events", err) ||
        (n && cuda_single_fetch(&e->base, e->host_events, e->events.address, n * sizeof *e->host_events, err)))
        return -1;
    for (size_t k = 0; k < n; k++) {
        const cuda_event *from = &e->host_events[k];
        events->event[events->count++] = (struct rdf_neighbour_event){pair, from->i, from->j, from->enters};
    }
    return 0;
}

static int list_events(struct cuda *e, cuda_exchange_args *a, uint32_t pair, struct rdf_neighbour_events *events,
                       struct trj_error *err) {
    unsigned long long n = a->group_count;
    do {
        a->event_capacity = n;
        if (alloc(e, &e->events, n * sizeof(cuda_event), err)) return -1;
        a->events = e->events.address;
        a->event_count = e->event_count;
        CUDA_CHECK(cudaMemsetAsync(e->event_count, 0, sizeof *e->event_count, e->base.stream));
        if (cuda_list_events(a, e->base.stream, err) || cuda_single_fetch(&e->base, &n, e->event_count, sizeof n, err))
            return -1;
    } while (n > a->event_capacity);
    return append_events(e, pair, n, events, err);
}

static cuda_neighbour_lists lists_of(const struct kept_lists *k) {
    return (cuda_neighbour_lists){.count = k->count.address, .atoms = k->atoms.address, .capacity = k->capacity};
}

static cuda_list_args pair_list_args(struct cuda *e, uint32_t pair) {
    const uint32_t group = e->job->pairs[pair].a;
    cuda_list_args list = list_args(e, &e->stars.star[pair], 0);
    list.group = e->groups.lists[group];
    list.group_count = (unsigned)e->job->groups[group].count;
    list.longest = e->longest + pair;
    return list;
}

static cuda_exchange_args exchange_args(struct cuda *e, uint32_t pair, const cuda_list_args *list) {
    const struct rdf_pair *p = &e->job->pairs[pair];
    cuda_exchange_args a = {.longest = list->longest,
                            .now = lists_of(&e->kept[pair][e->now]),
                            .group = list->group,
                            .group_count = list->group_count,
                            .unordered = p->a == p->b,
                            .classes = e->neighbour_setup->classes,
                            .row = e->neighbours + pair * e->row};
    if (e->compared) a.before = lists_of(&e->kept[pair][!e->now]);
    return a;
}

// Enqueues the lists of a pair and the counting of their numbers and exchange.
static int start_pair(struct cuda *e, uint32_t pair, struct trj_error *err) {
    struct kept_lists *now = &e->kept[pair][e->now];
    cuda_list_args list = pair_list_args(e, pair);
    if (list_neighbours(e, &list, list.group_count, &now->count, &now->atoms, sizeof(uint32_t), now->capacity, err))
        return -1;
    cuda_exchange_args a = exchange_args(e, pair, &list);
    if (cuda_count_neighbours(&a, e->base.stream, err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(e->host_longest + pair, e->longest + pair, sizeof *e->longest, cudaMemcpyDeviceToHost,
                               e->base.stream));
    return 0;
}

// Makes the lists again that were too short. Waits until the last frame is counted.
static int complete_lists(struct cuda *e, struct trj_error *err) {
    if (cuda_single_wait(&e->base, err)) return -1;
    for (uint32_t p = 0; p < e->stars.pairs; p++) {
        struct kept_lists *now = &e->kept[p][e->now];
        while (e->host_longest[p] > now->capacity) {
            cuda_list_args list = pair_list_args(e, p);
            list.lists = lists_of(now);
            if (grow_lists(e, &list, list.group_count, e->host_longest[p], &now->capacity, err)) return -1;
            if (start_pair(e, p, err)) return -1;
            if (cuda_single_wait(&e->base, err)) return -1;
        }
    }
    e->pending = false;
    return 0;
}

// Waits until the last frame is counted. `late`: of the error if this fails.
static int complete(struct cuda *e, unsigned late, struct trj_error *err) {
    if (!e->pending || !complete_lists(e, err)) return 0;
    if (err->status == TRJ_BAD_DATA) err->late = late;
    return -1;
}

static int list_all_events(struct cuda *e, struct rdf_neighbour_events *events, struct trj_error *err) {
    if (complete(e, 1, err)) return -1;
    for (uint32_t p = 0; p < e->stars.pairs; p++) {
        const cuda_list_args list = pair_list_args(e, p);
        cuda_exchange_args a = exchange_args(e, p, &list);
        if (list_events(e, &a, p, events, err)) return -1;
    }
    return 0;
}

// ---- triplets

// Lists the neighbours in an arm of the centres in n tiles.
static int list_arm(struct cuda *e, const struct rdf_star *star, size_t arm, unsigned first, unsigned n,
                    cuda_neighbour_lists *lists, struct trj_error *err) {
    cuda_list_args list = list_args(e, star, arm);
    const size_t count = (size_t)n * CUDA_TILE;
    list.first = first;
    list.end = first + n;
    list.longest = e->longest + e->stars.pairs;
    for (;;) {
        unsigned longest = 0;
        if (list_neighbours(e, &list, count, &e->arm_count[arm], &e->arm_vectors[arm], sizeof(cuda_neighbour),
                            e->arm_capacity[arm], err) ||
            cuda_single_fetch(&e->base, &longest, list.longest, sizeof longest, err))
            return -1;
        *lists = list.lists;
        if (longest <= e->arm_capacity[arm]) return 0;
        if (grow_lists(e, &list, count, longest, &e->arm_capacity[arm], err)) return -1;
    }
}

static int count_triplets(struct cuda *e, size_t triplet, struct trj_error *err) {
    const struct rdf_triplet_setup *s = e->triplet_setup;
    const struct rdf_star *star = &e->stars.star[e->stars.pairs + triplet];
    const struct rdf_bins bins = rdf_triplet_bins(s, triplet);
    cuda_triplet_args a = {.unordered = star->arms == 1,
                           .angles = s->angles,
                           .distances = s->distances,
                           .low = bins.rmin,
                           .high = bins.rmax,
                           .q = e->q,
                           .squares = e->squares[triplet],
                           .counts = e->triplets + triplet * e->triplet_row};
    const unsigned tiles = e->table.sets[e->set_of_group[star->centre]].boxes[0];
    for (unsigned first = 0, n; first < tiles; first += n) {
        unsigned capacity = e->arm_capacity[0] > e->arm_capacity[1] ? e->arm_capacity[0] : e->arm_capacity[1];
        size_t max = CHUNK_BYTES / ((size_t)capacity * CUDA_TILE * sizeof(cuda_neighbour));
        n = max < 1 ? 1 : max < tiles - first ? (unsigned)max : tiles - first;
        for (size_t arm = 0; arm < star->arms; arm++)
            if (list_arm(e, star, arm, first, n, &a.arm[arm], err)) return -1;
        a.centres = n * CUDA_TILE;
        if (cuda_count_triplets(&a, e->base.stream, err)) return -1;
    }
    return 0;
}

// ---- frames

static int add(void *engine, const struct trj_frame *f, bool compare, struct rdf_neighbour_events *events,
               struct trj_error *err) {
    struct cuda *e = engine;
    if (rdf_job_check_frame(&e->search, f, err)) return -1;
    if (cuda_single_use(&e->base, err)) return -1;
    if (complete(e, 2, err)) return -1;
    cuda_frame *to = &e->tiles.host_frames[0];
    cudaEvent_t uploaded = e->base.event[0];
    e->now = !e->now;
    e->compared = compare;
    e->tiles.bounds = 0;
    rdf_job_rounding_terms(&e->search, &f->cell, &to->rounding, &to->rounding_each);
    if (cuda_tiles_upload(&e->tiles, &e->groups, f, 0, 1, e->base.stream, err)) return -1;
    CUDA_CHECK(cudaEventRecord(uploaded, e->base.stream));
    if (cuda_tiles_plan(&e->tiles, &e->groups, &e->table, f, 0, 1, false, e->base.stream, err)) return -1;
    e->pending = true;
    for (size_t p = 0; p < e->stars.pairs; p++)
        if (start_pair(e, (uint32_t)p, err)) return -1;
    for (size_t t = 0; t < e->stars.triplets; t++)
        if (count_triplets(e, t, err)) return -1;
    if (compare && events && list_all_events(e, events, err)) return -1;
    CUDA_CHECK(cudaEventSynchronize(uploaded)); // the caller may change the frame
    return 0;
}

// Adds counts of the GPU to those of the caller, and clears them.
static int move_counts(struct cuda *e, uint64_t *to, unsigned long long *from, size_t n, struct trj_error *err) {
    if (!n) return 0;
    unsigned long long *counts = trj_alloc(n, sizeof *counts, "counts", err);
    int rc = counts ? cuda_single_fetch(&e->base, counts, from, n * sizeof *counts, err) : -1;
    for (size_t i = 0; !rc && i < n; i++) to[i] += counts[i];
    free(counts);
    if (rc) return -1;
    CUDA_CHECK(cudaMemsetAsync(from, 0, n * sizeof *from, e->base.stream));
    return 0;
}

static int finish(void *engine, uint64_t *neighbours, uint64_t *triplets, struct trj_error *err) {
    struct cuda *e = engine;
    if (cuda_single_use(&e->base, err)) return -1;
    if (complete(e, 1, err)) return -1;
    return move_counts(e, neighbours, e->neighbours, e->stars.pairs * e->row, err) ||
                   move_counts(e, triplets, e->triplets, e->stars.triplets * e->triplet_row, err)
               ? -1
               : 0;
}

const struct rdf_neighbour_engine rdf_neighbour_cuda = {open_cuda, add, finish, cuda_single_close};
