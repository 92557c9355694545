// SPDX-License-Identifier: MIT
// The engine of Gaussian densities on CPUs. A group that threads share is one task with several steps: find the records
// of chunks of atoms, sort them, and compute blocks of points. For several groups, an item of the task is a
// group.
#include "gauss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauss_kernel.h"
#include "instruction_set.h"
#include "memory.h"
#include "pool.h"

enum step { START, FIND, COUNT, OFFSETS, PLACE, BLOCKS, GROUPS };

struct worker {
    uint32_t *sum;                 // [DEN_GAUSS_SUMS], all 0 between blocks
    int64_t *value;                // [DEN_GAUSS_BLOCK^3]
    struct tile_lattice_plan plan; // of a group that only this thread processes
    float *amplitude;
    size_t amplitude_capacity;
    bool failed;
    size_t failed_item; // the first one
    struct trj_error err;
};

// Blocks that cover a box of points; their sizes along an axis differ by at most one point.
struct blocks {
    uint64_t low[3], high[3]; // low <= i < high
    size_t count[3];
};

struct den_gauss {
    struct den_gauss_setup setup;
    double *sigma, *peak; // of the set-up
    const struct den_gauss_kernel *kernel;
    struct trj_pool *pool;
    unsigned threads;
    struct worker *workers;      // [threads]
    struct den_gauss_kind *kind; // [setup.kinds]
    float (*reach)[3];           // [setup.kinds]
    struct den_gauss_lattice lattice;
    // The computation:
    enum step step;
    const struct trj_frame *frame;
    const struct den_gauss_atoms *groups; // NULL: threads share `one`
    const struct den_gauss_atoms *one;
    size_t group_count;
    den_block_function *function;
    void *arg;
    struct tile_lattice_atoms atoms; // of the group that threads share
    struct tile_lattice_plan plan;
    float *amplitude;
    size_t amplitude_capacity;
    struct blocks blocks;
    struct trj_map_slab slab; // of the group that threads share
    bool failed;
    struct trj_error err;
};

// ---- amplitudes

static int set_amplitudes(const struct den_gauss *g, const struct den_gauss_atoms *a, size_t begin, size_t end,
                          float *amplitude, struct trj_error *err) {
    for (size_t i = begin; i < end; i++) {
        double weight = a->weight ? (double)a->weight[i] : 1;
        if (!(fabs(weight) <= g->setup.bound))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %zu: weight %.9g, but the bound of the set-up is %.9g; give a larger bound",
                            a->list ? a->list[i] : i, weight, g->setup.bound);
        amplitude[i] = (float)(weight * g->setup.peak[a->kind ? a->kind[i] : 0]);
    }
    return 0;
}

static struct tile_lattice_atoms atoms_of(const struct den_gauss *g, const struct den_gauss_atoms *a,
                                          const float *amplitude) {
    return (struct tile_lattice_atoms){.frame = g->frame,
                                       .list = a->list,
                                       .count = a->count,
                                       .value = amplitude,
                                       .kind = a->kind,
                                       .kinds = g->setup.kinds,
                                       .reach = g->reach};
}

// ---- blocks

static struct blocks cut(const uint64_t low[3], const uint64_t high[3]) {
    struct blocks b;
    for (int k = 0; k < 3; k++) {
        b.low[k] = low[k];
        b.high[k] = high[k];
        b.count[k] = (size_t)((high[k] - low[k] + DEN_GAUSS_BLOCK - 1) / DEN_GAUSS_BLOCK);
    }
    return b;
}

static void compute_block(const struct den_gauss *g, unsigned worker, size_t group, const struct blocks *blocks,
                          size_t number, const struct tile_lattice_plan *plan) {
    struct worker *w = &g->workers[worker];
    struct den_gauss_box box = {.lattice = &g->lattice, .kind = g->kind, .sum = w->sum};
    struct den_block block = {.group = group, .empty = true, .value = w->value};
    const size_t index[3] = {number % blocks->count[0], number / blocks->count[0] % blocks->count[1],
                             number / blocks->count[0] / blocks->count[1]};
    int64_t low[3], high[3];
    size_t points = 1;
    for (int k = 0; k < 3; k++) {
        uint64_t n = blocks->high[k] - blocks->low[k], from = n * index[k] / blocks->count[k],
                 to = n * (index[k] + 1) / blocks->count[k];
        block.low[k] = blocks->low[k];
        block.high[k] = blocks->high[k];
        block.first[k] = blocks->low[k] + from;
        block.n[k] = to - from;
        points *= (size_t)block.n[k];
        low[k] = (int64_t)block.first[k];
        high[k] = low[k] + (int64_t)block.n[k] - 1;
        box.low[k] = (int32_t)low[k];
        box.high[k] = (int32_t)high[k];
    }
    struct tile_lattice_walk walk;
    size_t next, end;
    unsigned capacity = DEN_GAUSS_PARTIAL;
    tile_lattice_walk_start(&walk, plan, low, high);
    while (tile_lattice_walk_next(&walk, &next, &end))
        while (next < end) {
            next += g->kernel->add(&box, plan->record + next, end - next, &capacity);
            if (capacity) continue;
            g->kernel->flush(&box, w->value, block.empty);
            block.empty = false;
            capacity = DEN_GAUSS_PARTIAL;
        }
    if (capacity < DEN_GAUSS_PARTIAL) {
        g->kernel->flush(&box, w->value, block.empty);
        block.empty = false;
    } else if (block.empty) {
        memset(w->value, 0, points * sizeof *w->value);
    }
    g->function(g->arg, worker, &block);
}

// ---- groups, one for each thread

// Finds the smallest box of points that contains what the records reach.
static void find_bounds(const struct den_gauss *g, const struct tile_lattice_plan *p, uint64_t low[3],
                        uint64_t high[3]) {
    int64_t from[3] = {INT64_MAX, INT64_MAX, INT64_MAX}, to[3] = {0, 0, 0};
    for (size_t i = 0; i < p->records; i++)
        for (int k = 0; k < 3; k++) {
            const struct tile_lattice_record *r = &p->record[i];
            int64_t far = tile_lattice_farthest(g->reach[r->kind][k]), first = r->point[k] - far,
                    last = r->point[k] + far;
            if (first < from[k]) from[k] = first;
            if (last > to[k]) to[k] = last;
        }
    for (int k = 0; k < 3; k++) {
        low[k] = from[k] > 0 ? (uint64_t)from[k] : 0;
        high[k] = (uint64_t)(to[k] < p->n[k] ? to[k] + 1 : p->n[k]);
    }
}

static int compute_group(const struct den_gauss *g, unsigned worker, size_t group, struct trj_error *err) {
    struct worker *w = &g->workers[worker];
    const struct den_gauss_atoms *a = &g->groups[group];
    if (trj_grow(&w->amplitude, &w->amplitude_capacity, a->count, sizeof *w->amplitude, "weights of atoms", err) ||
        set_amplitudes(g, a, 0, a->count, w->amplitude, err))
        return -1;
    struct tile_lattice_atoms atoms = atoms_of(g, a, w->amplitude);
    if (tile_lattice_plan_make(&w->plan, &g->lattice.lattice, &atoms, err)) return -1;
    if (!w->plan.records) return 0;
    uint64_t low[3], high[3];
    find_bounds(g, &w->plan, low, high);
    struct blocks blocks = cut(low, high);
    size_t count = blocks.count[0] * blocks.count[1] * blocks.count[2];
    for (size_t i = 0; i < count; i++) compute_block(g, worker, group, &blocks, i, &w->plan);
    return 0;
}

// ---- the task

static size_t next_step(void *arg, unsigned worker, unsigned task) {
    struct den_gauss *g = arg;
    (void)worker, (void)task;
    switch (g->step) {
    case START:
        g->step = g->groups ? GROUPS : FIND;
        return g->groups ? g->group_count : g->plan.chunks;
    case FIND:
        for (unsigned i = 0; i < g->threads; i++)
            if (g->workers[i].failed) return 0;
        g->failed = tile_lattice_sort_start(&g->plan, &g->err) != 0;
        g->step = COUNT;
        return g->failed ? 0 : tile_lattice_sort_parts(&g->plan);
    case COUNT:
        tile_lattice_sort_join(&g->plan);
        g->step = OFFSETS;
        return tile_lattice_sort_parts(&g->plan);
    case OFFSETS:
        g->step = PLACE;
        return g->plan.chunks;
    case PLACE:
        g->step = BLOCKS;
        return g->blocks.count[0] * g->blocks.count[1] * g->blocks.count[2];
    default:
        return 0;
    }
}

static int process(struct den_gauss *g, unsigned worker, size_t item, struct trj_error *err) {
    const struct tile_lattice_plan *p = &g->plan;
    switch (g->step) {
    case FIND:
        if (set_amplitudes(g, g->one, tile_lattice_chunk_begin(p, item), tile_lattice_chunk_begin(p, item + 1),
                           g->amplitude, err))
            return -1;
        tile_lattice_plan_find(&g->plan, item);
        return 0;
    case COUNT:
        tile_lattice_sort_count(&g->plan, item);
        return 0;
    case OFFSETS:
        tile_lattice_sort_offsets(&g->plan, item);
        return 0;
    case PLACE:
        tile_lattice_plan_place(&g->plan, item);
        return 0;
    case BLOCKS:
        compute_block(g, worker, 0, &g->blocks, item, p);
        return 0;
    default:
        return compute_group(g, worker, item, err);
    }
}

static void process_item(void *arg, unsigned worker, unsigned task, size_t item) {
    struct den_gauss *g = arg;
    struct worker *w = &g->workers[worker];
    struct trj_error err = {0};
    (void)task;
    if (!process(g, worker, item, &err) || (w->failed && w->failed_item < item)) return;
    w->failed = true;
    w->failed_item = item;
    w->err = err;
}

static int compute(struct den_gauss *g, const struct trj_map_lattice *l, const struct trj_frame *frame,
                   den_block_function *function, void *arg, struct trj_error *err) {
    if (den_gauss_lattice_set(&g->lattice, g->kind, &g->setup, l, err)) return -1;
    for (unsigned i = 0; i < g->setup.kinds; i++) memcpy(g->reach[i], g->kind[i].reach, sizeof g->reach[i]);
    g->frame = frame;
    g->function = function;
    g->arg = arg;
    g->failed = false;
    g->step = START;
    for (unsigned i = 0; i < g->threads; i++) g->workers[i].failed = false;
    if (g->one) {
        if (trj_grow(&g->amplitude, &g->amplitude_capacity, g->one->count, sizeof *g->amplitude, "weights of atoms",
                     err))
            return -1;
        struct trj_map_slab slab = trj_map_lattice_slab(l, g->slab);
        g->atoms = atoms_of(g, g->one, g->amplitude);
        g->atoms.slab = slab;
        if (tile_lattice_plan_start(&g->plan, l, &g->atoms, g->threads, err)) return -1;
        g->blocks =
            cut((const uint64_t[3]){0, 0, slab.first}, (const uint64_t[3]){l->n[0], l->n[1], slab.first + slab.planes});
    }
    trj_pool_start(g->pool, 0);
    trj_pool_wait(g->pool, 0);
    const struct worker *first = NULL;
    for (unsigned i = 0; i < g->threads; i++)
        if (g->workers[i].failed && (!first || g->workers[i].failed_item < first->failed_item)) first = &g->workers[i];
    if (first)
        *err = first->err;
    else if (g->failed)
        *err = g->err;
    return first || g->failed ? -1 : 0;
}

void den_gauss_restrict(struct den_gauss *g, struct trj_map_slab slab) {
    g->slab = slab;
}

int den_gauss_compute(struct den_gauss *g, const struct trj_map_lattice *l, const struct trj_frame *frame,
                      const struct den_gauss_atoms *atoms, den_block_function *function, void *arg,
                      struct trj_error *err) {
    g->groups = NULL;
    g->one = atoms;
    return compute(g, l, frame, function, arg, err);
}

int den_gauss_compute_groups(struct den_gauss *g, const struct trj_map_lattice *l, const struct trj_frame *frame,
                             size_t groups, const struct den_gauss_atoms *atoms, den_block_function *function,
                             void *arg, struct trj_error *err) {
    if (!groups) return 0;
    g->groups = atoms;
    g->group_count = groups;
    g->one = NULL;
    return compute(g, l, frame, function, arg, err);
}

// ---- open and close

static int make_workers(struct den_gauss *g, struct trj_error *err) {
    g->workers = trj_alloc(g->threads, sizeof *g->workers, "Gaussian densities", err);
    if (!g->workers) return -1;
    for (unsigned i = 0; i < g->threads; i++) {
        struct worker *w = &g->workers[i];
        w->sum = trj_alloc(DEN_GAUSS_SUMS, sizeof *w->sum, "Gaussian densities", err);
        w->value = trj_alloc((size_t)DEN_GAUSS_BLOCK * DEN_GAUSS_BLOCK * DEN_GAUSS_BLOCK, sizeof *w->value,
                             "Gaussian densities", err);
        if (!w->sum || !w->value) return -1;
    }
    return 0;
}

static int copy_setup(struct den_gauss *g, const struct den_gauss_setup *s, struct trj_error *err) {
    g->setup = *s;
    g->sigma = trj_alloc(s->kinds, sizeof *g->sigma, "Gaussian densities", err);
    g->peak = trj_alloc(s->kinds, sizeof *g->peak, "Gaussian densities", err);
    g->kind = trj_alloc(s->kinds, sizeof *g->kind, "Gaussian densities", err);
    g->reach = trj_alloc(s->kinds, sizeof *g->reach, "Gaussian densities", err);
    if (!g->sigma || !g->peak || !g->kind || !g->reach) return -1;
    memcpy(g->sigma, s->sigma, s->kinds * sizeof *g->sigma);
    memcpy(g->peak, s->peak, s->kinds * sizeof *g->peak);
    g->setup.sigma = g->sigma;
    g->setup.peak = g->peak;
    return 0;
}

static int open_engine(struct den_gauss *g, const struct den_gauss_setup *s, unsigned threads, struct trj_error *err) {
    static const struct trj_pool_work work = {next_step, process_item};
    static const struct den_gauss_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &den_gauss_kernel_avx512,
        [TRJ_ISA_AVX2] = &den_gauss_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &den_gauss_kernel_plain};
    enum trj_isa isa;
    double quantum;
    if (trj_isa_find(&isa, err) || den_gauss_quantum(s, &quantum, err) || copy_setup(g, s, err) ||
        trj_pool_open(&g->pool, threads, 1, &work, g, err))
        return -1;
    g->kernel = kernels[isa];
    g->threads = trj_pool_threads(g->pool);
    return make_workers(g, err);
}

int den_gauss_open(struct den_gauss **g, const struct den_gauss_setup *s, unsigned threads, struct trj_error *err) {
    *g = trj_alloc(1, sizeof **g, "Gaussian densities", err);
    if (!*g) return -1;
    if (!open_engine(*g, s, threads, err)) return 0;
    den_gauss_close(*g);
    *g = NULL;
    return -1;
}

void den_gauss_close(struct den_gauss *g) {
    if (!g) return;
    trj_pool_close(g->pool);
    for (unsigned i = 0; g->workers && i < g->threads; i++) {
        free(g->workers[i].sum);
        free(g->workers[i].value);
        free(g->workers[i].amplitude);
        tile_lattice_plan_free(&g->workers[i].plan);
    }
    free(g->workers);
    tile_lattice_plan_free(&g->plan);
    free(g->amplitude);
    free(g->sigma);
    free(g->peak);
    free(g->kind);
    free(g->reach);
    free(g);
}

unsigned den_gauss_threads(const struct den_gauss *g) {
    return g->threads;
}

// ---- maps

int den_add(int64_t *map, const struct trj_map_lattice *l, uint64_t first, const struct den_block *block,
            struct trj_error *err) {
    if (block->empty) return 0;
    const int64_t *value = block->value;
    for (uint64_t z = 0; z < block->n[2]; z++)
        for (uint64_t y = 0; y < block->n[1]; y++, value += block->n[0]) {
            uint64_t row = block->first[1] + y + l->n[1] * (block->first[2] + z - first);
            int64_t *to = map + (block->first[0] + l->n[0] * row);
            uint64_t over = 0; // the sign bit: set if a sum has another sign than both terms
            for (uint64_t x = 0; x < block->n[0]; x++) {
                uint64_t a = (uint64_t)to[x], b = (uint64_t)value[x], sum = a + b;
                over |= (a ^ sum) & (b ^ sum);
            }
            if (over >> 63)
                return trj_fail(err, TRJ_BAD_DATA,
                                "the sum of frames exceeds 2^63 quanta near the point %llu %llu %llu; write several "
                                "maps of fewer frames each",
                                (unsigned long long)block->first[0], (unsigned long long)(block->first[1] + y),
                                (unsigned long long)(block->first[2] + z));
            for (uint64_t x = 0; x < block->n[0]; x++) to[x] += value[x];
        }
    return 0;
}
