// SPDX-License-Identifier: MIT
// The CPU engine: threads process rows of tile pairs (tile/items.h), each thread with its own histograms.
//
// Distances are computed in float32 and binned immediately (kernel.h). Pairs too near an edge for float32 are put into
// a queue and resolved by the float64 rule of job.h.
//
// A frame is a task of the pool (base/pool.h), and goes through the steps below. Several frames are in flight while the
// caller reads on: small frames are processed by one thread each, and the rows of large frames by all threads. If a
// frame is so small that starting a task would take longer than counting, the caller counts it. If two frames would
// take too much memory, only one is in flight.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "instruction_set.h"
#include "items.h"
#include "kernel.h"
#include "memory.h"
#include "pool.h"
#include "tool.h"

enum {
    MAX_ROWS = 16, // of one item of the pool
    MAX_COPIED_BINS =
        2047 // with more bins, consecutive equal bins are rare, and copies would not fit into the L1 cache
};
#define FLIGHT_BYTES 40e6  // memory of all frames in flight; a larger frame is counted before the next one is read
#define SMALL_FRAME  20e-6 // s

struct worker {
    uint64_t *counts;  // [pairs][cells + 1]; the last one counts pairs in no cell
    uint32_t *fresh;   // [pairs][copies][cells + 1] counts to be added to `counts`
    uint64_t *pending; // [pairs] upper bound on the fresh counts of the pair
    struct rdf_queue *queue;
    uint64_t evaluated, resolved;
    double plan_seconds, count_seconds, resolve_seconds;
    char padding[64]; // counters of workers must not share a cache line
};

enum step { START, KEY, PLACE, COUNT };

// The tiles of a group, and the step of its set (tile/tiles.h).
struct tiles {
    struct tile_set set;
    enum step step;
    uint32_t *list; // atoms in this frame, for a dynamic group
};

struct pair_plan {
    struct tile_plan items;
    const struct tile_set *a, *b; // rows, columns
};

// A frame in flight.
struct flight {
    struct trj_frame own;          // exchanged with the caller's frame
    const struct trj_frame *frame; // &own, or the caller's frame
    double slack64;
    enum step step;
    struct tiles *tiles;     // [groups]; empty for groups that no pair uses
    struct pair_plan *plans; // [pairs]
    size_t *ends;            // [groups or pairs] cumulative numbers of items of this step
    struct trj_error error;  // status TRJ_OK: none
};

struct cpu {
    const struct rdf_job *job;
    struct trj_pool *pool;
    const struct rdf_kernel *kernel;
    rdf_kernel_function *count; // of the kernel
    size_t cells;               // and one more that counts pairs in no cell
    unsigned copies;            // of fresh counts
    bool second, bodies;        // the metric has a second coordinate, its axes are those of bodies
    double *squares;
    double scale; // positions in bins
    bool *used;   // [groups] by some pair
    struct worker *workers;
    struct flight *flights;
    unsigned flight_count;
    bool large;     // frames are so large that tiles are freed before the next frame is read
    bool in_flight; // frames are counted while the caller reads on
};

static void close_cpu(void *engine) {
    struct cpu *e = engine;
    if (!e) return;
    unsigned threads = e->workers ? trj_pool_threads(e->pool) : 0;
    trj_pool_close(e->pool);
    for (unsigned w = 0; w < threads; w++) {
        free(e->workers[w].counts);
        free(e->workers[w].fresh);
        free(e->workers[w].pending);
        free(e->workers[w].queue);
    }
    for (unsigned i = 0; e->flights && i < e->flight_count; i++) {
        struct flight *f = &e->flights[i];
        for (size_t g = 0; f->tiles && g < e->job->group_count; g++) {
            tile_set_free(&f->tiles[g].set);
            free(f->tiles[g].list);
        }
        trj_frame_free(&f->own);
        free(f->tiles);
        free(f->plans);
        free(f->ends);
    }
    free(e->workers);
    free(e->flights);
    free(e->used);
    free(e->squares);
    free(e);
}

// Chooses the number of frames in flight, and returns the number of threads.
static unsigned choose_flights(struct cpu *e) {
    const struct rdf_job *job = e->job;
    double bytes = (double)trj_frame_bytes(job->atoms), seconds = 1e-9 * rdf_job_pairs_near(job);
    unsigned threads = trj_pool_size(job->threads);
    for (size_t g = 0; g < job->group_count; g++) {
        if (!e->used[g]) continue;
        bytes += (double)tile_set_bytes(job->groups[g].count);
        seconds += 1e-7 * (double)job->groups[g].count;
    }
    if (seconds < SMALL_FRAME) threads = 1;
    e->large = bytes > FLIGHT_BYTES;
    e->in_flight = threads > 1 && !e->large;
    e->flight_count = e->in_flight ? (unsigned)fmin(FLIGHT_BYTES / bytes, threads + 1.0) : 1;
    return threads;
}

static int open_worker(const struct cpu *e, struct worker *w, struct trj_error *err) {
    size_t pairs = e->job->pair_count, cells = e->cells + 1;
    w->counts = trj_alloc(pairs * cells, sizeof *w->counts, "a thread's counts", err);
    w->fresh = w->counts ? trj_alloc(pairs * e->copies * cells, sizeof *w->fresh, "a thread's counts", err) : NULL;
    w->pending = w->fresh ? trj_alloc(pairs, sizeof *w->pending, "a thread's counts", err) : NULL;
    w->queue = w->pending ? trj_alloc(1, sizeof *w->queue, "a queue", err) : NULL;
    return w->queue ? 0 : -1;
}

static const struct trj_pool_work work;

static int open_cpu(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct cpu *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    if (rdf_kernel_find(&e->kernel, err)) goto out;
    e->second = !rdf_metric_counts_distance(&job->bins.metric);
    e->bodies = job->bins.metric.kind == RDF_METRIC_BODY;
    e->count = e->second ? e->kernel->count_second : e->kernel->count;
    e->cells = rdf_bins_cells(&job->bins);
    e->copies = e->cells <= MAX_COPIED_BINS ? RDF_KERNEL_COPIES : 1;
    e->scale = (double)job->bins.count / (job->bins.rmax - job->bins.rmin);
    e->squares = rdf_bins_squares(&job->bins, err);
    e->used = e->squares ? trj_alloc(job->group_count, sizeof *e->used, "groups", err) : NULL;
    if (!e->used) goto out;
    for (size_t p = 0; p < job->pair_count; p++)
        e->used[job->pairs[p].a] = e->used[rdf_job_second_group(job, p)] = true;
    unsigned threads = choose_flights(e);
    e->flights = trj_alloc(e->flight_count, sizeof *e->flights, "frames", err);
    if (!e->flights) goto out;
    for (unsigned i = 0; i < e->flight_count; i++) {
        struct flight *f = &e->flights[i];
        f->tiles = trj_alloc(job->group_count, sizeof *f->tiles, "tiles", err);
        f->plans = f->tiles ? trj_alloc(job->pair_count, sizeof *f->plans, "plans", err) : NULL;
        size_t max = job->group_count > job->pair_count ? job->group_count : job->pair_count;
        f->ends = f->plans ? trj_alloc(max, sizeof *f->ends, "items", err) : NULL;
        if (!f->ends) goto out;
        for (size_t g = 0; g < job->group_count; g++) {
            const struct trj_group *group = &job->groups[g];
            if (!group->dynamic || !e->used[g]) continue;
            f->tiles[g].list = trj_alloc(group->count, sizeof *f->tiles[g].list, "a group", err);
            if (!f->tiles[g].list) goto out;
        }
    }
    if (trj_pool_open(&e->pool, threads, e->flight_count, &work, e, err)) goto out;
    // Each thread touches its zeroed memory first, so that the memory is on the NUMA node of the thread.
    e->workers = trj_alloc(trj_pool_threads(e->pool), sizeof *e->workers, "threads", err);
    for (unsigned i = 0; e->workers && i < trj_pool_threads(e->pool); i++)
        if (open_worker(e, &e->workers[i], err)) goto out;
    if (!e->workers) goto out;
    *engine = e;
    return 0;
out:
    close_cpu(e);
    return -1;
}

// ---- counting

static uint64_t *pair_counts(const struct cpu *e, struct worker *w, size_t pair) {
    return w->counts + pair * (e->cells + 1);
}

static uint32_t *pair_fresh(const struct cpu *e, struct worker *w, size_t pair) {
    return w->fresh + pair * e->copies * (e->cells + 1);
}

// Adds the fresh counts of a pair to its counts. The kernel counts mirrored pairs once, in cells that are not near an
// edge; -d is in the opposite bin of the angle, because the edges of cosines are symmetric within their rounding.
static void gather(const struct cpu *e, struct worker *w, size_t pair) {
    const size_t n = e->cells + 1, bins = e->job->bins.count;
    uint64_t *counts = pair_counts(e, w, pair);
    uint32_t *fresh = pair_fresh(e, w, pair);
    for (unsigned c = 0; c < e->copies; c++)
        for (size_t k = 0; k < n; k++) counts[k] += fresh[c * n + k];
    for (unsigned c = 0; rdf_job_is_mirrored(e->job, pair) && c < e->copies; c++)
        for (size_t k = 0; k < e->cells; k++) counts[e->cells - bins - k / bins * bins + k % bins] += fresh[c * n + k];
    memset(fresh, 0, e->copies * n * sizeof *fresh);
    w->pending[pair] = 0;
}

static void resolve(const struct cpu *e, struct worker *w, const struct flight *f, size_t pair) {
    if (!w->queue->count) return;
    double began = trj_seconds();
    const struct rdf_rule rule = {&e->job->bins,    e->squares,       f->frame,
                                  f->plans[pair].a, f->plans[pair].b, rdf_job_is_mirrored(e->job, pair)};
    w->resolved += w->queue->count;
    rdf_resolve(w->queue, &rule, pair_counts(e, w, pair));
    w->resolve_seconds += trj_seconds() - began;
}

static void count_item(const struct cpu *e, struct worker *w, const struct flight *f, size_t pair,
                       const struct tile_item *item) {
    const struct tile_set *a = f->plans[pair].a, *b = f->plans[pair].b;
    size_t row = item->row * TILE_WIDTH, column = item->column * TILE_WIDTH, n = e->cells + 1;
    // Zeros in `axis` and `second`, which only some kernels read, would take a tenth of the instructions here.
    struct rdf_block block;
    block.rows = (unsigned)tile_count(a, item->row);
    block.columns = (unsigned)tile_count(b, item->column);
    block.triangle = a == b && item->row == item->column;
    block.patch = b->patch + item->column * TILE_PATCHES;
    block.nowhere = (uint32_t)e->cells;
    double between2 = 0;
    float axes[3][TILE_WIDTH];
    for (int k = 0; k < 3; k++) {
        double away = tile_centre(a, item->row, k) - tile_centre(b, item->column, k) - item->shift[k];
        between2 += away * away;
        block.row[k] = a->local[k] + row;
        block.column[k] = b->local[k] + column;
        block.shift[k] = away * e->scale;
    }
    const double radius[2] = {a->radius[item->row], b->radius[item->column]};
    double reach = f->plans[pair].items.reach + radius[0] + radius[1];
    if (between2 > reach * reach * (1 + 1e-12)) return;
    rdf_block_range(&block, &e->job->bins, sqrt(between2), radius, f->slack64);
    if (e->second) rdf_block_second(&block, &e->job->bins, sqrt(between2), radius, f->slack64);
    for (int k = 0; e->bodies && k < 3; k++) {
        const float *axis = f->frame->x[k] + f->frame->atoms / 2;
        for (unsigned i = 0; i < block.rows; i++) axes[k][i] = axis[a->atom[row + i]];
        block.axis[k] = axes[k];
    }
    block.inside &= block.rows == TILE_WIDTH && block.columns == TILE_WIDTH && !block.triangle;
    uint32_t *fresh = pair_fresh(e, w, pair);
    for (unsigned c = 0; c < RDF_KERNEL_COPIES; c++) block.counts[c] = fresh + (e->copies > 1 ? c * n : 0);
    if (w->pending[pair] > UINT32_MAX - TILE_WIDTH * TILE_WIDTH) gather(e, w, pair);
    struct rdf_near near;
    size_t evaluated = e->count(&block, &near);
    w->pending[pair] += evaluated;
    w->evaluated += evaluated;
    for (; near.rows; near.rows &= near.rows - 1) {
        unsigned i = (unsigned)__builtin_ctzll(near.rows);
        for (uint64_t left = near.columns[i]; left; left &= left - 1) {
            if (w->queue->count == RDF_QUEUE) resolve(e, w, f, pair);
            unsigned position = w->queue->count++;
            w->queue->i[position] = (uint32_t)(row + i);
            w->queue->j[position] = (uint32_t)(column + (unsigned)__builtin_ctzll(left));
            for (int k = 0; k < 3; k++) w->queue->image[k][position] = item->image[k];
        }
    }
}

// Returns the number of rows in one item of the pool: enough rows to resolve many pairs together, but few enough that
// all threads get items.
static size_t rows_at_once(const struct cpu *e, size_t rows) {
    size_t n = rows / (64 * (size_t)trj_pool_threads(e->pool));
    return n < 1 ? 1 : n > MAX_ROWS ? MAX_ROWS : n;
}

static size_t row_items(const struct cpu *e, const struct pair_plan *plan) {
    size_t rows = plan->b->tiles ? plan->a->tiles : 0; // a dynamic group may be empty
    size_t n = rows_at_once(e, rows);
    return (rows + n - 1) / n;
}

// Returns the set or pair, of `count`, that contains an item, and sets *item to its number within it. The search is
// binary, because there may be 100,000 groups with one item each.
static size_t find_item(const struct flight *f, size_t count, size_t *item) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->ends[middle] > *item)
            high = middle;
        else
            low = middle + 1;
    }
    if (low) *item -= f->ends[low - 1];
    return low;
}

static void count_rows(const struct cpu *e, struct worker *w, const struct flight *f, size_t item) {
    size_t pair = find_item(f, e->job->pair_count, &item);
    double began = trj_seconds(), resolved = w->resolve_seconds;
    size_t rows = f->plans[pair].a->tiles, n = rows_at_once(e, rows);
    for (size_t row = item * n; row < (item + 1) * n && row < rows; row++) {
        struct tile_walk walk;
        tile_walk_start(&walk, &f->plans[pair].items, row);
        while (tile_walk_next(&walk)) count_item(e, w, f, pair, &walk.item);
    }
    resolve(e, w, f, pair);
    w->count_seconds += trj_seconds() - began - (w->resolve_seconds - resolved);
}

// ---- the steps of a frame

// Returns the number of items of a step: the chunks of the sets that are at this step.
static size_t items_at(const struct cpu *e, struct flight *f, enum step step) {
    size_t items = 0;
    for (size_t g = 0; g < e->job->group_count; g++) {
        if (e->used[g] && f->tiles[g].step == step) items += tile_set_chunks(&f->tiles[g].set);
        f->ends[g] = items;
    }
    return items;
}

static size_t items_of_pairs(const struct cpu *e, struct flight *f) {
    size_t items = 0;
    for (size_t p = 0; p < e->job->pair_count; p++) f->ends[p] = items += row_items(e, &f->plans[p]);
    return items;
}

static int start(const struct cpu *e, struct flight *f) {
    const struct rdf_job *job = e->job;
    f->slack64 = rdf_job_rounding(job, f->frame);
    for (size_t g = 0; g < job->group_count; g++) {
        const struct trj_group *group = &job->groups[g];
        struct tiles *t = &f->tiles[g];
        bool kept;
        if (!e->used[g]) continue;
        const uint32_t *list = group->dynamic ? t->list : group->atoms;
        size_t count = group->dynamic ? trj_group_list(group, f->frame, t->list) : group->count;
        if (group->dynamic) tile_set_forget_order(&t->set);
        if (tile_set_start(&t->set, f->frame, list, count, e->scale, &kept, &f->error)) return -1;
        t->step = kept ? PLACE : KEY;
    }
    return 0;
}

static void make_plan(const struct cpu *e, struct flight *f, size_t pair) {
    const struct rdf_job *job = e->job;
    struct pair_plan *p = &f->plans[pair];
    p->a = &f->tiles[job->pairs[pair].a].set;
    p->b = &f->tiles[rdf_job_second_group(job, pair)].set;
    tile_plan_make(&p->items, &p->a->boxes, &p->b->boxes, &f->frame->cell, rdf_bins_reach(&job->bins) + f->slack64);
}

// Does the serial work between two steps, and returns the next step.
static enum step advance(struct cpu *e, struct worker *w, struct flight *f) {
    const struct rdf_job *job = e->job;
    switch (f->step) {
    case START:
        return start(e, f) ? START : KEY;
    case KEY:
        for (size_t g = 0; g < job->group_count; g++) {
            if (!e->used[g] || f->tiles[g].step != KEY) continue;
            tile_set_sort(&f->tiles[g].set);
            f->tiles[g].step = PLACE;
        }
        return PLACE;
    case PLACE:
        for (size_t g = 0; g < job->group_count; g++)
            if (e->used[g] && f->tiles[g].step == PLACE)
                f->tiles[g].step = tile_set_finish(&f->tiles[g].set, f->frame) ? COUNT : KEY;
        if (items_at(e, f, KEY)) return KEY;
        for (size_t p = 0; p < job->pair_count; p++) make_plan(e, f, p);
        return COUNT;
    case COUNT:
        for (size_t p = 0; p < job->pair_count; p++)
            rdf_job_subtract_self_images(job, p, f->frame, e->squares, pair_counts(e, w, p));
    }
    return START;
}

static size_t next(void *engine, unsigned worker, unsigned task) {
    struct cpu *e = engine;
    struct worker *w = &e->workers[worker];
    struct flight *f = &e->flights[task];
    double began = trj_seconds();
    size_t items = 0;
    do {
        f->step = advance(e, w, f);
        items = f->step == COUNT ? items_of_pairs(e, f) : items_at(e, f, f->step);
    } while (!items && f->step != START);
    w->plan_seconds += trj_seconds() - began;
    return f->step == START ? 0 : items;
}

static void item(void *engine, unsigned worker, unsigned task, size_t number) {
    const struct cpu *e = engine;
    struct worker *w = &e->workers[worker];
    struct flight *f = &e->flights[task];
    if (f->step == COUNT) {
        count_rows(e, w, f, number);
        return;
    }
    double began = trj_seconds();
    size_t g = find_item(f, e->job->group_count, &number);
    if (f->step == KEY)
        tile_set_key(&f->tiles[g].set, f->frame, number);
    else
        tile_set_place(&f->tiles[g].set, f->frame, number);
    w->plan_seconds += trj_seconds() - began;
}

static const struct trj_pool_work work = {next, item};

// ---- the engine

static int check(const struct flight *f, struct trj_error *err) {
    if (f->error.status == TRJ_OK) return 0;
    *err = f->error;
    return -1;
}

static int add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct cpu *e = engine;
    unsigned task = trj_pool_free_task(e->pool);
    struct flight *f = &e->flights[task];
    if (check(f, err)) return -1;
    f->frame = frame;
    if (e->in_flight) {
        struct trj_frame mine = f->own;
        f->own = *frame;
        *frame = mine;
        f->frame = &f->own;
    }
    trj_pool_start(e->pool, task);
    if (e->in_flight) return 0;
    trj_pool_finish(e->pool);
    for (size_t g = 0; e->large && g < e->job->group_count; g++) tile_set_free(&f->tiles[g].set);
    return check(f, err);
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    struct cpu *e = engine;
    uint64_t bins = e->cells;
    trj_pool_finish(e->pool);
    for (unsigned i = 0; i < e->flight_count; i++)
        if (check(&e->flights[i], err)) return -1;
    memset(counts, 0, e->job->pair_count * bins * sizeof *counts);
    for (unsigned i = 0; i < trj_pool_threads(e->pool); i++)
        for (size_t pair = 0; pair < e->job->pair_count; pair++) {
            gather(e, &e->workers[i], pair);
            uint64_t *from = pair_counts(e, &e->workers[i], pair);
            for (uint64_t k = 0; k < bins; k++) counts[pair * bins + k] += from[k];
            memset(from, 0, (bins + 1) * sizeof *from);
        }
    return 0;
}

static int end_record(void *engine, uint64_t tag, struct trj_error *err) {
    return rdf_engine_end_record_by_finish(&rdf_engine_cpu, engine, ((struct cpu *)engine)->job, tag, err);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const struct cpu *e = engine;
    trj_pool_finish(e->pool); // threads change the counters while frames are in flight
    *s = (struct trj_engine_stats){.workers = trj_pool_threads(e->pool), .times = RDF_ENGINE_TIMES};
    for (unsigned i = 0; i < s->workers; i++) {
        const struct worker *w = &e->workers[i];
        s->times[RDF_PLAN_TIME].seconds += w->plan_seconds;
        s->times[RDF_COUNT_TIME].seconds += w->count_seconds;
        s->times[RDF_RESOLVE_TIME].seconds += w->resolve_seconds;
        s->evaluated += w->evaluated;
        s->resolved += w->resolved;
    }
}

const struct rdf_engine rdf_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .neighbours = &rdf_neighbour_cpu,
    .open = open_cpu,
    .add = add,
    .end_record = end_record,
    .finish = finish,
    .stats = stats,
    .close = close_cpu,
};
