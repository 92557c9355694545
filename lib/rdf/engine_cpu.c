// SPDX-License-Identifier: MIT
// The CPU engine: tiles of atoms meet tiles of atoms (tile/items.h), threads take rows of tiles, each with its own histograms.
//
// Distances are computed in float32 and binned at once (kernel.h), unless they come so near an edge that float32 cannot be trusted: those
// pairs are set aside and resolved by the float64 rule of job.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "items.h"
#include "kernel.h"
#include "memory.h"
#include "pool.h"
#include "tool.h"

enum {
    QUEUE = 1024, // pairs that wait to be resolved, a thread
    MOST_COPIED_BINS =
        2047 // with more, equal bins are seldom neighbours, and copies would leave no room in the L1 cache
};

struct near_pair {
    uint32_t i, j; // slots of the row's and the column's set
    int32_t image[3];
};

struct worker {
    uint64_t *counts;  // [pairs][bins + 1]; the last one takes what lies in no bin
    uint32_t *fresh;   // [pairs][copies][bins + 1], yet to be added to them
    uint64_t *pending; // [pairs]: no fresh count of the pair is larger
    struct near_pair *queue;
    size_t queued;
    uint64_t evaluated, resolved;
    double seconds, resolve_seconds;
    char apart[64]; // workers' counters on cache lines of their own
};

struct cpu {
    const struct rdf_job *job;
    struct trj_pool *pool;
    const struct rdf_kernel *kernel;
    unsigned copies; // of fresh counts
    double *squares;
    struct tile_set *sets; // one a group; those no pair uses stay empty
    struct worker *workers;
    double scale; // positions in bins
    double plan_seconds;
    // of the frame and pair in hand
    const struct trj_frame *frame;
    struct tile_plan plan;
    size_t pair;
    double slack64;
};

static int probe(struct trj_error *err) {
    (void)err;
    return 0;
}

static void close_cpu(void *engine) {
    struct cpu *e = engine;
    if (!e) return;
    for (unsigned w = 0; e->workers && w < trj_pool_threads(e->pool); w++) {
        free(e->workers[w].counts);
        free(e->workers[w].fresh);
        free(e->workers[w].pending);
        free(e->workers[w].queue);
    }
    for (size_t g = 0; e->sets && g < e->job->group_count; g++) tile_set_free(&e->sets[g]);
    trj_pool_close(e->pool);
    free(e->workers);
    free(e->sets);
    free(e->squares);
    free(e);
}

static int open_cpu(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct cpu *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    if (rdf_kernel_find(&e->kernel, err)) goto out;
    e->copies = job->bins.count <= MOST_COPIED_BINS ? RDF_KERNEL_COPIES : 1;
    e->scale = (double)job->bins.count / (job->bins.rmax - job->bins.rmin);
    e->squares = rdf_bins_squares(&job->bins, err);
    e->sets = e->squares ? trj_alloc(job->group_count, sizeof *e->sets, "tiles", err) : NULL;
    if (!e->sets || trj_pool_open(&e->pool, job->threads, err)) goto out;
    e->workers = trj_alloc(trj_pool_threads(e->pool), sizeof *e->workers, "threads", err);
    if (!e->workers) goto out;
    for (unsigned i = 0; i < trj_pool_threads(e->pool); i++) {
        struct worker *w = &e->workers[i];
        w->counts = trj_alloc(job->pair_count * (job->bins.count + 1), sizeof *w->counts, "a thread's counts", err);
        w->fresh =
            trj_alloc(job->pair_count * e->copies * (job->bins.count + 1), sizeof *w->fresh, "a thread's counts", err);
        w->pending = trj_alloc(job->pair_count, sizeof *w->pending, "a thread's counts", err);
        w->queue = trj_alloc(QUEUE, sizeof *w->queue, "a queue", err);
        if (!w->counts || !w->fresh || !w->pending || !w->queue) goto out;
    }
    *engine = e;
    return 0;
out:
    close_cpu(e);
    return -1;
}

static uint64_t *pair_counts(const struct cpu *e, struct worker *w) {
    return w->counts + e->pair * (e->job->bins.count + 1);
}

static uint32_t *pair_fresh(const struct cpu *e, struct worker *w) {
    return w->fresh + e->pair * e->copies * (e->job->bins.count + 1);
}

static void gather(const struct cpu *e, struct worker *w) {
    size_t n = e->job->bins.count + 1;
    uint64_t *counts = pair_counts(e, w);
    uint32_t *fresh = pair_fresh(e, w);
    for (unsigned c = 0; c < e->copies; c++)
        for (size_t k = 0; k < n; k++) counts[k] += fresh[c * n + k];
    memset(fresh, 0, e->copies * n * sizeof *fresh);
    w->pending[e->pair] = 0;
}

static void resolve(const struct cpu *e, struct worker *w) {
    double began = trj_seconds();
    const struct tile_set *a = e->plan.a, *b = e->plan.b;
    uint64_t *counts = pair_counts(e, w);
    for (size_t q = 0; q < w->queued; q++) {
        const struct near_pair *p = &w->queue[q];
        double from[3], to[3];
        int n[3];
        rdf_position(e->frame, a->atom[p->i], from);
        rdf_position(e->frame, b->atom[p->j], to);
        // The atoms meet where they were wrapped to; the rule speaks of where the file has them.
        for (int k = 0; k < 3; k++) n[k] = p->image[k] + b->wrap[p->j][k] - a->wrap[p->i][k];
        counts[rdf_bin_of(&e->job->bins, e->squares, rdf_r2(e->frame->cell.h, from, to, n))]++;
    }
    w->resolved += w->queued;
    w->queued = 0;
    w->resolve_seconds += trj_seconds() - began;
}

static void count_item(const struct cpu *e, struct worker *w, const struct tile_item *item) {
    const struct tile_set *a = e->plan.a, *b = e->plan.b;
    size_t row = item->row * TILE_WIDTH, column = item->column * TILE_WIDTH, n = e->job->bins.count + 1;
    struct rdf_block block = {
        .rows = (unsigned)tile_count(a, item->row),
        .columns = (unsigned)tile_count(b, item->column),
        .triangle = a == b && item->row == item->column,
        .patch = b->patch + item->column * TILE_PATCHES,
        .nowhere = (uint32_t)e->job->bins.count,
    };
    double between2 = 0;
    for (int k = 0; k < 3; k++) {
        double away = a->centre[item->row][k] - b->centre[item->column][k] - item->shift[k];
        between2 += away * away;
        block.row[k] = a->local[k] + row;
        block.column[k] = b->local[k] + column;
        block.shift[k] = away * e->scale;
    }
    const double radius[2] = {a->radius[item->row], b->radius[item->column]};
    rdf_block_range(&block, &e->job->bins, sqrt(between2), radius, e->slack64);
    block.inside &= block.rows == TILE_WIDTH && block.columns == TILE_WIDTH && !block.triangle;
    for (unsigned c = 0; c < RDF_KERNEL_COPIES; c++) block.counts[c] = pair_fresh(e, w) + c % e->copies * n;
    if (w->pending[e->pair] > UINT32_MAX - TILE_WIDTH * TILE_WIDTH) gather(e, w);
    uint64_t near[TILE_WIDTH];
    size_t evaluated = e->kernel->count(&block, near);
    w->pending[e->pair] += evaluated;
    w->evaluated += evaluated;
    for (unsigned i = 0; i < block.rows; i++)
        for (uint64_t left = near[i]; left; left &= left - 1) {
            if (w->queued == QUEUE) resolve(e, w);
            w->queue[w->queued++] = (struct near_pair){(uint32_t)(row + i),
                                                       (uint32_t)(column + (unsigned)__builtin_ctzll(left)),
                                                       {item->image[0], item->image[1], item->image[2]}};
        }
}

static void count_row(void *engine, unsigned worker, size_t row) {
    const struct cpu *e = engine;
    struct worker *w = &e->workers[worker];
    double began = trj_seconds();
    struct tile_walk walk;
    tile_walk_start(&walk, &e->plan, row);
    while (tile_walk_next(&walk)) count_item(e, w, &walk.item);
    resolve(e, w);
    w->seconds += trj_seconds() - began;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct cpu *e = engine;
    const struct rdf_job *job = e->job;
    double began = trj_seconds();
    e->frame = f;
    e->slack64 = rdf_job_rounding(job, f);
    for (size_t g = 0; g < job->group_count; g++) {
        bool used = false;
        for (size_t p = 0; p < job->pair_count; p++) used |= job->pairs[p].a == g || job->pairs[p].b == g;
        if (used && tile_set_build(&e->sets[g], f, job->groups[g].atoms, job->groups[g].count, e->scale, err))
            return -1;
    }
    e->plan_seconds += trj_seconds() - began;
    for (e->pair = 0; e->pair < job->pair_count; e->pair++) {
        const struct rdf_pair *p = &job->pairs[e->pair];
        tile_plan_make(&e->plan, &e->sets[p->a], &e->sets[p->b], &f->cell, job->bins.rmax + e->slack64);
        trj_pool_run(e->pool, count_row, e, e->plan.a->tiles);
        rdf_job_take_back_own_images(job, e->pair, f, e->squares, pair_counts(e, &e->workers[0]));
    }
    return 0;
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    (void)err;
    struct cpu *e = engine;
    uint64_t bins = e->job->bins.count;
    memset(counts, 0, e->job->pair_count * bins * sizeof *counts);
    for (unsigned i = 0; i < trj_pool_threads(e->pool); i++)
        for (e->pair = 0; e->pair < e->job->pair_count; e->pair++) {
            gather(e, &e->workers[i]);
            uint64_t *from = pair_counts(e, &e->workers[i]);
            for (uint64_t k = 0; k < bins; k++) counts[e->pair * bins + k] += from[k];
            memset(from, 0, (bins + 1) * sizeof *from);
        }
    return 0;
}

static void stats(void *engine, struct rdf_engine_stats *s) {
    const struct cpu *e = engine;
    *s = (struct rdf_engine_stats){.plan = e->plan_seconds, .threads = trj_pool_threads(e->pool)};
    for (unsigned i = 0; i < s->threads; i++) {
        const struct worker *w = &e->workers[i];
        s->count += w->seconds - w->resolve_seconds;
        s->resolve += w->resolve_seconds;
        s->evaluated += w->evaluated;
        s->resolved += w->resolved;
    }
}

const struct rdf_engine rdf_engine_cpu = {
    .name = "cpu",
    .workers = "threads",
    .built_for = rdf_kernel_names,
    .probe = probe,
    .open = open_cpu,
    .add = add,
    .finish = finish,
    .stats = stats,
    .close = close_cpu,
};
