// SPDX-License-Identifier: MIT
// Computes the deviations of all pairs of frames on the CPU. Threads compare a tile of rows with one tile after
// another, so that blocks of atoms of both stay in the cache while their rows and panels meet.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "item_pool.h"
#include "memory.h"
#include "rmsd_engine.h"
#include "rmsd_kernel.h"

enum { COLUMNS = OBS_RMSD_COLUMNS, PANELS = OBS_RMSD_PANELS, ROWS = OBS_RMSD_TILE };

#define SMALL 1e-2 // of the sum of the squared deviations of both frames from the mean

typedef double sums[ROWS][9][COLUMNS]; // of the rows of a tile and the columns of a panel

struct comparison {
    const struct obs_rmsd_job *job;
    bool exact; // all products are added in float64
    const struct obs_rmsd_kernel *kernel;
    sums **sum; // [threads][PANELS]
    struct trj_item_pool *pool;
};

static void multiply(const float (*u)[3], const float (*v)[3], size_t atoms, double product[9]) {
    double s[9] = {0};
    for (size_t i = 0; i < atoms; i++)
        for (int k = 0; k < 9; k++) s[k] += (double)u[i][k / 3] * (double)v[i][k % 3];
    memcpy(product, s, sizeof s);
}

// Computes in float64 the products of pairs whose frames are so close to each other, compared with their deviation
// from the mean, that errors of float32 would matter. Returns whether there are any.
static bool refine(const struct comparison *c, size_t a, size_t first, const double square[COLUMNS],
                   double sum[9][COLUMNS]) {
    const struct obs_rmsd_job *j = c->job;
    const size_t n = j->atoms;
    const struct obs_rmsd_tile *rows = j->tile[a / ROWS], *columns = j->tile[first / ROWS];
    bool any = false;
    for (size_t l = 0, b = first; l < COLUMNS && b < j->frames; l++, b++) {
        double limit = SMALL * (rows->deviation2[a % ROWS] + columns->deviation2[b % ROWS]), product[9];
        if (b <= a || (!c->exact && square[l] > limit)) continue;
        any = true;
        multiply((const float(*)[3])(rows->u + a % ROWS * n), (const float(*)[3])(columns->u + b % ROWS * n), n,
                 product);
        for (int k = 0; k < 9; k++) sum[k][l] = product[k];
    }
    return any;
}

// Sets the values of the rows of a tile and the columns of a panel, above the diagonal, and of their mirror images.
static void set_values(const struct comparison *c, size_t tile, size_t panel, double (*sum)[9][COLUMNS]) {
    const struct obs_rmsd_job *j = c->job;
    const size_t frames = j->frames, first = panel * COLUMNS;
    const struct obs_rmsd_panel *columns = &j->tile[panel / PANELS]->panel[panel % PANELS];
    for (size_t r = 0, a = tile * ROWS; r < ROWS && a < frames; r++, a++) {
        double square[COLUMNS];
        c->kernel->squares(&j->tile[tile]->row[r], columns, sum[r], j->rotates, square);
        if (refine(c, a, first, square, sum[r]))
            c->kernel->squares(&j->tile[tile]->row[r], columns, sum[r], j->rotates, square);
        for (size_t l = 0, b = first; l < COLUMNS && b < frames; l++, b++)
            if (b > a) j->value[a * frames + b] = j->value[b * frames + a] = (float)sqrt(square[l] / j->total);
    }
}

static void prefetch(const void *p, size_t size) {
    for (size_t at = 0; at < size; at += 64) __builtin_prefetch((const char *)p + at, 0, 2);
}

// Adds the products of float32. Blocks of all panels of the second tile meet those of the rows while both are in the
// cache, into which the next ones are loaded at the same time: AVX-512 computes faster than memory is read.
static void add_products(const struct comparison *c, size_t tile, size_t other, size_t panels, sums *sum) {
    const struct obs_rmsd_job *j = c->job;
    const size_t n = j->atoms, left = j->frames - tile * ROWS, rows = left < ROWS ? left : ROWS;
    const float(*u)[3] = (const float(*)[3])j->tile[tile]->u;
    const float(*v)[3][COLUMNS] = (const float(*)[3][COLUMNS])j->tile[other]->v;
    for (size_t from = 0, some, next; from < n; from += some) {
        some = n - from < OBS_RMSD_BLOCK ? n - from : OBS_RMSD_BLOCK;
        next = n - from - some < OBS_RMSD_BLOCK ? n - from - some : OBS_RMSD_BLOCK;
        for (size_t panel = 0; panel < panels; panel++) {
            const bool last = panel + 1 == panels;
            const float(*following)[3][COLUMNS] = last ? v + from + some : v + (panel + 1) * n + from;
            const size_t atoms = last ? next : some;
            for (size_t r = 0; r < rows; r += OBS_RMSD_ROWS) { // a row after the last one is 0
                const float(*const pair[OBS_RMSD_ROWS])[3] = {u + r * n + from, u + (r + 1) * n + from};
                const size_t begin = r * atoms / ROWS, end = (r + OBS_RMSD_ROWS) * atoms / ROWS;
                for (size_t k = 0; k < OBS_RMSD_ROWS && last; k++) prefetch(pair[k] + some, next * sizeof *u);
                prefetch(following + begin, (end - begin) * sizeof *v);
                c->kernel->add(pair, v + panel * n + from, some, sum[panel] + r);
            }
        }
    }
}

static void compare_tile(void *arg, unsigned worker, size_t tile) {
    const struct comparison *c = arg;
    sums *sum = c->sum[worker];
    for (size_t other = tile; other < c->job->tiles; other++) {
        size_t left = c->job->frames - other * ROWS, panels = left < ROWS ? (left + COLUMNS - 1) / COLUMNS : PANELS;
        memset(sum, 0, PANELS * sizeof *sum);
        if (!c->exact) add_products(c, tile, other, panels, sum);
        for (size_t panel = 0; panel < panels; panel++) set_values(c, tile, other * PANELS + panel, sum[panel]);
    }
}

static int run(struct comparison *c, struct trj_error *err) {
    if (trj_item_pool_open(&c->pool, c->job->threads, err)) return -1;
    unsigned threads = trj_item_pool_threads(c->pool);
    if (!(c->sum = trj_alloc(threads, sizeof *c->sum, "threads", err))) return -1;
    for (unsigned i = 0; i < threads; i++)
        if (!(c->sum[i] = trj_alloc(PANELS, sizeof *c->sum[i], "sums", err))) return -1;
    trj_item_pool_run(c->pool, c->job->tiles, compare_tile, c);
    return 0;
}

static int compute(const struct obs_rmsd_job *job, bool exact, struct trj_error *err) {
    static const struct obs_rmsd_kernel *const kernels[] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &obs_rmsd_kernel_avx512,
        [TRJ_ISA_AVX2] = &obs_rmsd_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &obs_rmsd_kernel_plain,
    };
    struct comparison c = {.job = job, .exact = exact, .kernel = kernels[trj_isa_of_process()]};
    int rc = run(&c, err);
    for (unsigned i = 0; c.sum && i < trj_item_pool_threads(c.pool); i++) free(c.sum[i]);
    free(c.sum);
    trj_item_pool_close(c.pool);
    return rc;
}

static int compute_fast(void *engine, const void *job, struct trj_error *err) {
    (void)engine;
    return compute(job, false, err);
}

static int compute_exactly(void *engine, const void *job, struct trj_error *err) {
    (void)engine;
    return compute(job, true, err);
}

const struct work_whole_engine obs_rmsd_engine_cpu = {.kind = TRJ_ENGINE_KIND_CPU, .compute = compute_fast};
const struct work_whole_engine obs_rmsd_engine_reference = {.kind = TRJ_ENGINE_KIND_REFERENCE,
                                                            .compute = compute_exactly};
