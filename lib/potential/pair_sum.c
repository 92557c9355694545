// SPDX-License-Identifier: MIT
// Implements the methods direct and mdh on CPUs. An item of work is a block of points. For each batch of charges, the
// block sorts them by class, so that the far charges of a class share a magic number and a sum of integers, and passes
// them to the kernel.
#include "pair_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "memory.h"
#include "pair_block_shape.h"
#include "pair_blocks.h"
#include "pair_charges.h"
#include "pair_classes.h"
#include "pair_kernel.h"
#include "pair_term.h"
#include "pool.h"

enum {
    BATCH = 4096,  // charges whose records stay in the L2 cache
    FAR_BITS = 31, // of a sum of POT_FAR_PARTIAL contributions
};
#define LARGEST 0x1p62 // quanta: larger contributions are an error

struct worker {
    struct pot_block block;
    struct pot_block_groups groups; // unused with a list
    int64_t sum[POT_BLOCK_ROOM];
    uint64_t bound; // of |sum|
    struct pot_pair_ranges ranges;
    size_t count[POT_CLASSES], total[POT_CLASSES]; // of a batch, of all charges
    double error;                                  // largest bound of a block since the last frame
    double square[BATCH];                          // of distances from the block
    unsigned char class[BATCH], large[BATCH];
    pot_float32_charge float32[BATCH];
    pot_near_charge near[BATCH];
    size_t place[BATCH]; // of near and softened charges in the arrays of struct cpu
    bool failed;
    size_t failed_block; // the first one
    struct trj_error err;
};

struct cpu {
    const struct pot_job *job;
    const struct pot_pair_kernel *kernel;
    struct pot_pair pair;
    struct trj_pool *pool;
    struct worker **workers;
    int64_t *values; // [job->values]
    bool cleared;    // values were set to 0 after the last finish
    bool started;    // the pool works on the blocks
    // The frame.
    const struct pot_frame *frame;
    struct pot_blocks blocks;
    size_t first_block, block_count;            // of the slab; of all blocks without one
    uint64_t first_value;                       // number of the point of values[0]
    struct pot_group_shape shapes[POT_REGIONS]; // of the groups of each region
    struct pot_pair_charges charges;
    double error; // bound of all frames
};

// ---- the sums of a block

// Adds the sums of a block to the values, and sets them to 0.
static int spill(const struct cpu *c, struct worker *w, struct trj_error *err) {
    const struct pot_block *b = &w->block;
    for (size_t i = 0; i < b->count; i++) {
        int64_t *value = &c->values[b->number[i] - c->first_value];
        int64_t sum;
        if (__builtin_add_overflow(*value, w->sum[i], &sum))
            return pot_pair_fail_sum(c->job, &c->blocks.lattice, b->number[i], err);
        *value = sum;
    }
    memset(w->sum, 0, b->filled * sizeof *w->sum);
    w->bound = 0;
    return 0;
}

// Makes sure that sums do not overflow when contributions of at most `bound` <= 2^62 quanta are added to each.
static int make_room(const struct cpu *c, struct worker *w, uint64_t bound, struct trj_error *err) {
    if (w->bound + bound > INT64_MAX && spill(c, w, err)) return -1;
    w->bound += bound;
    return 0;
}

// Adds a contribution to a point that a kernel does not add.
static int add_large(const struct cpu *c, struct worker *w, size_t charge, size_t point, double x,
                     struct trj_error *err) {
    if (!(fabs(x) <= LARGEST)) {
        double d[3];
        char where[96];
        for (int k = 0; k < 3; k++) d[k] = w->block.position[k][point] - c->charges.position[k][charge];
        pot_point_text(c->job, &c->blocks.lattice, w->block.number[point], where, sizeof where);
        return trj_fail(
            err, TRJ_BAD_DATA,
            "atom %u is %.3g Å from %s at %.6g %.6g %.6g Å: the potential there is infinite or exceeds 2^62 "
            "quanta (%.3g e/Å); use --soften, or other points",
            c->frame->atom[c->charges.place[charge]], sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), where,
            w->block.position[0][point], w->block.position[1][point], w->block.position[2][point],
            LARGEST * c->pair.quantum);
    }
    if (make_room(c, w, (uint64_t)fabs(x) + 1, err)) return -1;
    w->sum[point] += (int64_t)rint(x);
    return 0;
}

// Adds contributions of a charge, one by one: all, or those that a kernel does not add.
static int add_singly(const struct cpu *c, struct worker *w, size_t charge, bool all, struct trj_error *err) {
    for (size_t i = 0; i < w->block.count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = w->block.position[k][i] - c->charges.position[k][charge];
        double x = pot_pair_near(&c->pair, c->charges.charge[charge], d);
        bool large = !(fabs(x) <= POT_NEAR_LARGE);
        if ((all || large) && add_large(c, w, charge, i, x, err)) return -1;
    }
    return 0;
}

static int add_near(const struct cpu *c, struct worker *w, size_t begin, size_t n, struct trj_error *err) {
    if (make_room(c, w, (uint64_t)n << 51, err)) return -1;
    memset(w->large, 0, n);
    c->kernel->near(&c->pair, &w->block, w->near + begin, n, w->sum, w->large);
    for (size_t i = 0; i < n; i++)
        if (w->large[i] && add_singly(c, w, w->place[begin + i], false, err)) return -1;
    return 0;
}

// Adds charges of a far or distant class.
static int add_float32(const struct cpu *c, struct worker *w, unsigned class, size_t begin, size_t n,
                       struct trj_error *err) {
    const unsigned k = class % POT_MAGNITUDES;
    if (make_room(c, w, (uint64_t)1 << (FAR_BITS + k), err)) return -1;
    if (class < POT_DISTANT)
        c->kernel->far(&c->pair, &w->block, w->float32 + begin, n, k, w->sum);
    else
        c->kernel->distant(&c->pair, &w->groups, w->float32 + begin, n, k, w->sum);
    return 0;
}

// Copies the charges to w->float32 in the order of classes, and to w->near with POT_SOFTENED after POT_NEAR.
static void sort(const struct cpu *c, struct worker *w, size_t begin, size_t n) {
    size_t next[POT_CLASSES] = {0};
    for (int k = 1; k < POT_FLOAT32_CLASSES; k++) next[k] = next[k - 1] + w->count[k - 1];
    next[POT_SOFTENED] = w->count[POT_NEAR];
    for (size_t i = 0; i < n; i++) {
        const double position[3] = {c->charges.position[0][begin + i], c->charges.position[1][begin + i],
                                    c->charges.position[2][begin + i]};
        unsigned k = w->class[i];
        size_t to = next[k]++;
        if (k < POT_FLOAT32_CLASSES) {
            const double scale = k < POT_DISTANT ? c->pair.far_charge : c->pair.distant_charge;
            for (int j = 0; j < 3; j++)
                w->float32[to][j] = (float)((position[j] - w->block.centre[j]) * c->pair.far_scale);
            w->float32[to][3] = (float)(c->charges.charge[begin + i] * scale);
        } else if (k < POT_NOTHING) {
            for (int j = 0; j < 3; j++) w->near[to][j] = position[j];
            w->near[to][3] = c->charges.charge[begin + i] / c->pair.quantum;
            w->place[to] = begin + i;
        }
    }
}

// ---- the task

static int add_batch(const struct cpu *c, struct worker *w, size_t begin, size_t n, struct trj_error *err) {
    const double *const position[3] = {c->charges.position[0] + begin, c->charges.position[1] + begin,
                                       c->charges.position[2] + begin};
    pot_pair_squares(&w->block, position, n, w->square);
    pot_pair_classify(&c->pair, &w->ranges, c->charges.charge + begin, w->square, n, w->class, w->count);
    for (int k = 0; k < POT_CLASSES; k++) w->total[k] += w->count[k];
    sort(c, w, begin, n);
    size_t from = 0;
    for (unsigned k = 0; k < POT_FLOAT32_CLASSES; from += w->count[k++])
        for (size_t i = 0; i < w->count[k]; i += POT_FAR_PARTIAL) {
            size_t rest = w->count[k] - i;
            if (add_float32(c, w, k, from + i, rest < POT_FAR_PARTIAL ? rest : POT_FAR_PARTIAL, err)) return -1;
        }
    for (size_t i = 0; i < w->count[POT_NEAR]; i += POT_NEAR_PARTIAL) {
        size_t rest = w->count[POT_NEAR] - i;
        if (add_near(c, w, i, rest < POT_NEAR_PARTIAL ? rest : POT_NEAR_PARTIAL, err)) return -1;
    }
    for (size_t i = 0; i < w->count[POT_SOFTENED]; i++)
        if (add_singly(c, w, w->place[w->count[POT_NEAR] + i], true, err)) return -1;
    return 0;
}

static int add_block(const struct cpu *c, struct worker *w, size_t number, struct trj_error *err) {
    double radius = INFINITY;
    pot_blocks_get(&c->blocks, number, &w->block);
    if (!c->blocks.point) {
        const struct pot_group_shape *shape = &c->shapes[pot_block_find_region(&c->blocks, number)];
        pot_block_groups_set(&w->groups, shape, &c->blocks, number, &w->block);
        radius = shape->radius;
    }
    pot_pair_ranges_set(&w->ranges, &c->pair, &w->block, radius, c->job->exact);
    memset(w->sum, 0, w->block.filled * sizeof *w->sum);
    memset(w->total, 0, sizeof w->total);
    w->bound = 0;
    for (size_t i = 0; i < c->charges.count; i += BATCH)
        if (add_batch(c, w, i, c->charges.count - i < BATCH ? c->charges.count - i : BATCH, err)) return -1;
    w->error = fmax(w->error, pot_pair_error(&c->pair, c->charges.largest, w->total));
    return spill(c, w, err);
}

static size_t next_step(void *arg, unsigned worker, unsigned task) {
    struct cpu *c = arg;
    (void)worker, (void)task;
    if (c->started) return 0;
    c->started = true;
    return c->block_count;
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct cpu *c = arg;
    struct worker *w = c->workers[worker];
    struct trj_error err = {.text = ""};
    (void)task;
    // Only blocks after a failed one are skipped: the failure of the first block is reported, so that the message does
    // not depend on threads.
    if ((w->failed && w->failed_block < number) || !add_block(c, w, c->first_block + number, &err)) return;
    w->failed = true;
    w->failed_block = number;
    w->err = err;
}

// ---- the method

static void close_cpu(void *state) {
    struct cpu *c = state;
    if (!c) return;
    unsigned threads = c->pool ? trj_pool_threads(c->pool) : 0;
    trj_pool_close(c->pool);
    for (unsigned i = 0; c->workers && i < threads; i++) free(c->workers[i]);
    free(c->workers);
    free(c->values);
    pot_pair_charges_free(&c->charges);
    free(c);
}

static int open_cpu(void **state, const struct pot_job *job, struct trj_error *err) {
    static const struct trj_pool_work work = {next_step, item};
    static const struct pot_pair_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &pot_pair_kernel_avx512,
        [TRJ_ISA_AVX2] = &pot_pair_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &pot_pair_kernel_plain};
    enum trj_isa isa;
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    pot_pair_set(&c->pair, job);
    if (trj_isa_find(&isa, err) || !(c->values = trj_alloc(job->values, sizeof *c->values, "the map", err)) ||
        trj_pool_open(&c->pool, job->threads, 1, &work, c, err))
        goto out;
    c->cleared = true;
    c->kernel = kernels[isa];
    unsigned threads = trj_pool_threads(c->pool);
    if (!(c->workers = trj_alloc(threads, sizeof(struct worker *), "threads", err))) goto out;
    for (unsigned i = 0; i < threads; i++)
        if (!(c->workers[i] = trj_alloc(1, sizeof **c->workers, "threads", err))) goto out;
    *state = c;
    return 0;
out:
    close_cpu(c);
    return -1;
}

// Sets the blocks and the first value of the slab.
static void set_slab(struct cpu *c) {
    const struct trj_map_slab *slab = &c->job->slab;
    const struct pot_region *r = &c->blocks.region[0];
    c->first_block = 0;
    c->block_count = c->blocks.count;
    if (!slab->planes) return;
    const size_t layer = (size_t)(r->blocks[0] * r->blocks[1]); // blocks
    const uint64_t end = slab->first + slab->planes;
    c->first_block = (size_t)(slab->first / r->size[2]) * layer;
    c->block_count = (end < r->n[2] ? (size_t)(end / r->size[2]) * layer : c->blocks.count) - c->first_block;
    c->first_value = slab->first * trj_map_lattice_plane(&c->blocks.lattice);
}

static int add(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct cpu *c = state;
    unsigned threads = trj_pool_threads(c->pool);
    if (!c->cleared) memset(c->values, 0, c->job->values * sizeof *c->values);
    c->cleared = true;
    if (pot_pair_charges_take(&c->charges, &c->pair, f, err)) return -1;
    c->frame = f;
    pot_blocks_set(&c->blocks, c->job, &f->lattice);
    set_slab(c);
    c->blocks.scale = c->pair.far_scale;
    for (int i = 0; i < c->blocks.regions; i++)
        pot_group_shape_set(&c->shapes[i], &c->pair, &f->lattice, &c->blocks.region[i]);
    for (unsigned i = 0; i < threads; i++) c->workers[i]->failed = false;
    c->started = false;
    trj_pool_start(c->pool, 0);
    trj_pool_wait(c->pool, 0);
    const struct worker *first = NULL;
    for (unsigned i = 0; i < threads; i++) {
        const struct worker *w = c->workers[i];
        if (w->failed && (!first || w->failed_block < first->failed_block)) first = w;
    }
    for (unsigned i = 0; i < threads; i++) c->error = fmax(c->error, c->workers[i]->error);
    if (!first) return 0;
    *err = first->err;
    return -1;
}

static int finish(void *state, const int64_t **values, struct trj_error *err) {
    struct cpu *c = state;
    (void)err;
    if (!c->cleared) memset(c->values, 0, c->job->values * sizeof *c->values);
    c->cleared = false;
    *values = c->values;
    return 0;
}

static double error(const void *state) {
    return ((const struct cpu *)state)->error;
}

const struct pot_method pot_direct_cpu = {
    .open = open_cpu, .add = add, .finish = finish, .close = close_cpu, .error = error};
