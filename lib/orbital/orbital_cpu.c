// SPDX-License-Identifier: MIT
// The engines `cpu` and `direct`: threads share the tiles or boxes of a slab.
#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "item_pool.h"
#include "memory.h"
#include "orbital_box.h"
#include "orbital_engine.h"
#include "orbital_plan.h"
#include "orbital_tile.h"

struct worker {
    struct orb_tile *tile;
    struct orb_box *box;
    double *value;        // of a layer of a box
    struct trj_error err; // an empty text means no error
};

struct cpu {
    const struct orb_kernel *kernel;
    struct trj_item_pool *pool;
    bool points; // the engine `direct`: no tables
    bool has_plan;
    struct orb_plan plan;
    unsigned threads;
    struct worker *worker; // [threads]
    const struct orb_slab *slab;
    uint32_t first[3], count[3]; // boxes of the slab; with tiles, count[0] is 1
    uint64_t slabs;
    double seconds;
};

// ---- items

// Copies values of a row of ORB_X points, of which `columns` exist.
static void store_row(const struct cpu *c, const struct worker *w, size_t row, uint64_t to, size_t skip,
                      size_t columns) {
    const struct orb_job *job = c->plan.job;
    const uint64_t points = c->slab->count * orb_job_plane(job);
    for (size_t v = 0; v < orb_job_values(job); v++)
        memcpy(c->slab->value + v * points + to, w->value + v * ORB_LAYER + row * ORB_X + skip,
               columns * sizeof *w->value);
}

// Stores the values of a layer of a box of a list.
static void store_points(const struct cpu *c, const struct worker *w, uint64_t first) {
    const uint64_t begin = c->slab->first, end = begin + c->slab->count;
    for (size_t row = 0; row < ORB_Y; row++, first += ORB_X) {
        uint64_t low = first > begin ? first : begin, high = first + ORB_X < end ? first + ORB_X : end;
        if (low < high) store_row(c, w, row, low - begin, (size_t)(low - first), (size_t)(high - low));
    }
}

static void box_item(const struct cpu *c, struct worker *w, const uint32_t at[3]) {
    const struct orb_job *job = c->plan.job;
    const struct orb_slab *slab = c->slab;
    const uint64_t x = (uint64_t)at[0] * ORB_X, y = (uint64_t)at[1] * ORB_Y;
    if (orb_box_find(w->box, at, &w->err)) return;
    for (uint32_t layer = 0; layer < ORB_Z; layer++) {
        const uint64_t plane = (uint64_t)at[2] * ORB_Z + layer;
        if (!job->point && (plane < slab->first || plane >= slab->first + slab->count)) continue;
        orb_box_layer(w->box, layer, w->value);
        if (job->point) {
            store_points(c, w, (uint64_t)at[0] * ORB_BOX + (uint64_t)layer * ORB_LAYER);
            continue;
        }
        for (size_t row = 0; row < ORB_Y && y + row < job->n[1]; row++)
            store_row(c, w, row, x + job->n[0] * (y + row + job->n[1] * (plane - slab->first)), 0,
                      job->n[0] - x < ORB_X ? (size_t)(job->n[0] - x) : ORB_X);
    }
}

static void process_item(void *arg, unsigned worker, size_t item) {
    struct cpu *c = arg;
    struct worker *w = &c->worker[worker];
    const uint32_t at[3] = {c->first[0] + (uint32_t)(item % c->count[0]),
                            c->first[1] + (uint32_t)(item / c->count[0] % c->count[1]),
                            c->first[2] + (uint32_t)(item / c->count[0] / c->count[1])};
    if (*w->err.text) return;
    if (w->tile)
        orb_tile_compute(w->tile, at[1], at[2], c->slab, &w->err);
    else
        box_item(c, w, at);
}

// ---- the engine

static void free_job(struct cpu *c) {
    for (unsigned i = 0; i < c->threads; i++) {
        struct worker *w = &c->worker[i];
        orb_tile_close(w->tile);
        orb_box_close(w->box);
        free(w->value);
        *w = (struct worker){.tile = NULL};
    }
    if (c->has_plan) orb_plan_free(&c->plan);
    c->has_plan = false;
}

static int open_worker(struct cpu *c, struct worker *w, struct trj_error *err) {
    if (!c->plan.functions) return orb_tile_open(&w->tile, &c->plan, c->kernel, err);
    w->value = trj_alloc(orb_job_values(c->plan.job) * ORB_LAYER, sizeof *w->value, "an engine", err);
    return w->value ? orb_box_open(&w->box, &c->plan, c->kernel, err) : -1;
}

static int start_cpu(void *engine, const struct orb_job *job, struct trj_error *err) {
    struct cpu *c = engine;
    double began = trj_seconds();
    free_job(c);
    if (orb_job_check(job, err)) return -1;
    c->has_plan = true;
    int rc =
        orb_plan_make(&c->plan, job, c->points ? ORB_PLAN_AT_POINTS : ORB_PLAN_WITH_TABLES, c->kernel, c->pool, err);
    for (unsigned i = 0; !rc && i < c->threads; i++) rc = open_worker(c, &c->worker[i], err);
    c->seconds += trj_seconds() - began;
    return rc;
}

static uint32_t blocks(uint64_t n, uint64_t size) {
    return (uint32_t)((n + size - 1) / size);
}

static int compute_cpu(void *engine, const struct orb_slab *slab, struct trj_error *err) {
    struct cpu *c = engine;
    const struct orb_job *job = c->plan.job;
    const uint64_t size = job->point ? ORB_BOX : ORB_Z, first = slab->first / size;
    double began = trj_seconds();
    c->slab = slab;
    for (int k = 0; k < 3; k++) c->first[k] = 0, c->count[k] = 1;
    c->first[job->point ? 0 : 2] = (uint32_t)first;
    c->count[job->point ? 0 : 2] = (uint32_t)((slab->first + slab->count + size - 1) / size - first);
    if (!job->point) {
        c->count[0] = c->plan.functions ? blocks(job->n[0], ORB_X) : 1;
        c->count[1] = blocks(job->n[1], ORB_Y);
    }
    trj_item_pool_run(c->pool, (size_t)c->count[0] * c->count[1] * c->count[2], process_item, c);
    c->seconds += trj_seconds() - began;
    c->slabs++;
    for (unsigned i = 0; i < c->threads; i++)
        if (*c->worker[i].err.text) {
            *err = c->worker[i].err;
            return -1;
        }
    return 0;
}

static void stats_cpu(void *engine, struct trj_engine_stats *stats) {
    const struct cpu *c = engine;
    *stats = (struct trj_engine_stats){.workers = c->threads, .frames = c->slabs, .seconds = c->seconds};
}

static void close_cpu(void *engine) {
    struct cpu *c = engine;
    if (!c) return;
    if (c->worker) free_job(c);
    trj_item_pool_close(c->pool);
    free(c->worker);
    free(c);
}

int orb_kernel_find(const struct orb_kernel **kernel, struct trj_error *err) {
    static const struct orb_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &orb_kernel_avx512,
        [TRJ_ISA_AVX2] = &orb_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &orb_kernel_plain};
    enum trj_isa isa;
    if (trj_isa_find(&isa, err)) return -1;
    *kernel = kernels[isa];
    return 0;
}

static int open_engine(void **engine, const struct work_resources *resources, bool points, struct trj_error *err) {
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    if (orb_kernel_find(&c->kernel, err)) {
        free(c);
        return -1;
    }
    c->points = points;
    int rc = trj_item_pool_open(&c->pool, resources->threads, err);
    if (!rc) {
        c->threads = trj_item_pool_threads(c->pool);
        c->worker = trj_alloc(c->threads, sizeof *c->worker, "an engine", err);
        rc = c->worker ? 0 : -1;
    }
    if (rc) {
        close_cpu(c);
        return -1;
    }
    *engine = c;
    return 0;
}

static int open_cpu(void **engine, const struct work_resources *resources, struct trj_error *err) {
    return open_engine(engine, resources, false, err);
}

static int open_direct(void **engine, const struct work_resources *resources, struct trj_error *err) {
    return open_engine(engine, resources, true, err);
}

const struct orb_engine orb_engine_cpu = {.kind = TRJ_ENGINE_KIND_CPU,
                                          .open = open_cpu,
                                          .start = start_cpu,
                                          .compute = compute_cpu,
                                          .stats = stats_cpu,
                                          .close = close_cpu};

const struct orb_engine orb_engine_direct = {
    .kind = {.name = "direct", .workers = "threads", .built_for = trj_isa_names, .never_auto = true},
    .open = open_direct,
    .start = start_cpu,
    .compute = compute_cpu,
    .stats = stats_cpu,
    .close = close_cpu};
