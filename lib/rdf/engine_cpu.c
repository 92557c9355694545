// SPDX-License-Identifier: MIT
// The CPU engine: tiles of atoms meet tiles of atoms (tile/items.h), threads take rows of tiles, each with its own histograms.
//
// Distances are computed in float32 and binned at once, unless they come so near an edge that float32 cannot be trusted: those pairs
// are set aside and resolved by the float64 rule of job.h. How near is near:
//
// Let e = 2^-24. For atoms i and j of tiles I and J through an image, u = position of j and v = position of i (less the image), both
// relative to the centre of J, each rounded once from float64; d = u - v. By component |error of d| <= e (|u| + |v| + |d|), and
// |v| <= |u| + |d|, so that as vectors |error of d| <= 2 e (|u| + |d|), |u| <= radius of J. Squaring and adding cost a relative 3 e of
// r^2, 1.5 e of r; the root e; together
//     |error of r| <= e (2 radius + 4.5 r).
// t = (r - rmin) * (1/dr) adds e rmin / dr for the rounding of rmin and 3 e t for that of 1/dr, the difference and the product. What
// float64 loses is in rdf_job_rounding.
// Underflow of squares changes r by 1e-22 Å at most, far below 4.5 e RDF_NEAREST.
// A pair with t nearer than that to an integer in [0, bins] is resolved; any other one lies in bin (int)t for certain, or in none.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "items.h"
#include "memory.h"
#include "pool.h"
#include "tool.h"

enum { QUEUE = 1024 }; // pairs that wait to be resolved, a thread

struct near_pair {
    uint32_t i, j; // slots of the row's and the column's set
    int32_t image[3];
};

struct worker {
    uint64_t *counts; // [pairs][bins + 1]; the last one takes what lies in no bin
    struct near_pair *queue;
    size_t queued;
    uint64_t evaluated, resolved;
    double seconds, resolve_seconds;
    char apart[64]; // workers' counters on cache lines of their own
};

struct cpu {
    const struct rdf_job *job;
    struct trj_pool *pool;
    double *squares;
    struct tile_set *sets; // one a group; those no pair uses stay empty
    struct worker *workers;
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
    e->squares = rdf_bins_squares(&job->bins, err);
    e->sets = e->squares ? trj_alloc(job->group_count, sizeof *e->sets, "tiles", err) : NULL;
    if (!e->sets || trj_pool_open(&e->pool, job->threads, err)) goto out;
    e->workers = trj_alloc(trj_pool_threads(e->pool), sizeof *e->workers, "threads", err);
    if (!e->workers) goto out;
    for (unsigned i = 0; i < trj_pool_threads(e->pool); i++) {
        struct worker *w = &e->workers[i];
        w->counts = trj_alloc(job->pair_count * (job->bins.count + 1), sizeof *w->counts, "a thread's counts", err);
        w->queue = w->counts ? trj_alloc(QUEUE, sizeof *w->queue, "a queue", err) : NULL;
        if (!w->queue) goto out;
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

// What an item's pairs are binned with.
struct scale {
    float rmin, inverse; // t = (r - rmin) * inverse
    float bins;          // t below it is in range
    float low, high;     // a fraction of t below low or above high is near an edge
    float first, last;   // of those, only t within (first, last) can be in range
};

static struct scale item_scale(const struct cpu *e, double radius) {
    const struct rdf_bins *b = &e->job->bins;
    const double eps = 0x1p-24, inverse = (double)b->count / (b->rmax - b->rmin);
    double error = eps * (2 * radius + 5 * b->rmax) + e->slack64; // 5 for 4.5: terms of second order
    double near = 1.01 * (inverse * (error + 2 * eps * b->rmin) + 4 * eps * (double)(b->count + 1));
    float g = near < 1 ? (float)(near + 0x1p-22) : 1; // from 1/2 on every pair is near
    return (struct scale){
        .rmin = (float)b->rmin,
        .inverse = (float)inverse,
        .bins = (float)b->count,
        .low = g,
        .high = 1 - g,
        .first = (float)(-near - 0x1p-20),
        .last = (float)((double)b->count + near) + 2 * (float)eps * (float)b->count,
    };
}

// Bins the pairs of one atom at v with `n` atoms at (x, y, z), all relative to the same centre. bin[j] is the bin, or `none`; near[j]
// tells that the pair must be resolved instead. Returns whether any must be.
static bool bin_row(const struct scale *s, const float v[3], const float *x, const float *y, const float *z, size_t n,
                    int32_t none, int32_t *restrict bin, int32_t *restrict near) {
    const struct scale c = *s;
    const float vx = v[0], vy = v[1], vz = v[2];
    int32_t any = 0;
    for (size_t j = 0; j < n; j++) {
        float dx = x[j] - vx, dy = y[j] - vy, dz = z[j] - vz;
        float t = (sqrtf((dx * dx + dy * dy) + dz * dz) - c.rmin) * c.inverse;
        t = t < c.bins + 1 ? t : c.bins + 1; // within what converts to an int
        t = t > -1 ? t : -1;
        int32_t k = (int32_t)t;
        float fraction = t - (float)k;
        int32_t is_near = ((fraction < c.low) | (fraction > c.high)) & (t > c.first) & (t < c.last);
        int32_t counts = (t >= 0) & (t < c.bins) & !is_near;
        bin[j] = counts ? k : none;
        near[j] = is_near;
        any |= is_near;
    }
    return any;
}

static void count_item(const struct cpu *e, struct worker *w, const struct tile_item *item) {
    const struct tile_set *a = e->plan.a, *b = e->plan.b;
    size_t row = item->row * TILE_WIDTH, column = item->column * TILE_WIDTH;
    size_t rows = tile_count(a, item->row), columns = tile_count(b, item->column);
    bool triangle = a == b && item->row == item->column;
    const struct scale scale = item_scale(e, b->radius[item->column]);
    uint64_t *counts = pair_counts(e, w);
    int32_t bin[TILE_WIDTH], none = (int32_t)e->job->bins.count;
    int32_t near[TILE_WIDTH];
    for (size_t i = 0; i < rows; i++) {
        float v[3];
        for (int k = 0; k < 3; k++) v[k] = (float)(a->at[row + i][k] - b->centre[item->column][k] - item->shift[k]);
        size_t skip = triangle ? i + 1 : 0, n = columns - skip, first = column + skip;
        bool any =
            bin_row(&scale, v, b->local[0] + first, b->local[1] + first, b->local[2] + first, n, none, bin, near);
        for (size_t j = 0; j < n; j++) counts[bin[j]]++;
        w->evaluated += n;
        if (!any) continue;
        for (size_t j = 0; j < n; j++) {
            if (!near[j]) continue;
            if (w->queued == QUEUE) resolve(e, w);
            w->queue[w->queued++] = (struct near_pair){
                (uint32_t)(row + i), (uint32_t)(first + j), {item->image[0], item->image[1], item->image[2]}};
        }
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
        if (used && tile_set_build(&e->sets[g], f, job->groups[g].atoms, job->groups[g].count, err)) return -1;
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
    .probe = probe,
    .open = open_cpu,
    .add = add,
    .finish = finish,
    .stats = stats,
    .close = close_cpu,
};
