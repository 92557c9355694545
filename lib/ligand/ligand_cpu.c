// SPDX-License-Identifier: MIT
// The engine `cpu`: computes a map of a ligand with threads. Each item is a large block of points: its atoms are found
// in the plan of the lattice, and divided for each small block between the lists of near and far atoms.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_map.h"
#include "elementary.h"
#include "instruction_set.h"
#include "lattice_plan.h"
#include "ligand_engine.h"
#include "ligand_frame.h"
#include "memory.h"
#include "pool.h"

enum step { FIND, PLACE, COMPUTE, DONE };

struct list {
    struct lig_atoms atoms;
    float *hit2;
    size_t capacity; // atoms
};

struct worker {
    struct list all, near, far;
    uint16_t *kind; // [kind_capacity] of `all`
    size_t kind_capacity;
    float *energy; // [orientations]
    struct trj_error err;
};

struct cpu {
    struct work_cpu_map map;
    const struct lig_job *job;
    const struct lig_kernel *kernel;
    struct trj_pool *pool;
    struct worker *worker;  // [map.threads]
    struct lig_frame frame; // the current one
    struct tile_lattice_plan plan;
    enum step step;
    bool failed; // the plan
    struct trj_error err;
};

// ---- lists of atoms

static int make_room(struct list *l, size_t want, unsigned types, struct trj_error *err) {
    struct lig_atoms *a = &l->atoms;
    if (want <= l->capacity) return 0;
    size_t capacity = (want + want / 2 + 63) / 64 * 64, arrays = 5 + 2 * (size_t)types;
    float *memory = aligned_alloc(64, capacity * arrays * sizeof *memory), *old = a->x[0];
    if (!memory) return trj_fail_memory(err, (double)(capacity * arrays * sizeof *memory), "atoms near points");
    float **array[5 + 2 * LIG_TYPES_MAX] = {&a->x[0], &a->x[1], &a->x[2], &a->charge, &l->hit2};
    for (unsigned t = 0; t < types; t++) {
        array[5 + 2 * t] = &a->c12[t];
        array[6 + 2 * t] = &a->minus_c6[t];
    }
    for (size_t i = 0; i < arrays; i++) {
        if (a->count) memcpy(memory + i * capacity, *array[i], a->count * sizeof *memory);
        *array[i] = memory + i * capacity;
    }
    free(old);
    l->capacity = capacity;
    return 0;
}

// Copies atom `i` of `all` to the end of a list that is not full.
static void append(struct list *to, const struct worker *w, const struct lig_job *job, size_t i) {
    const struct lig_atoms *from = &w->all.atoms;
    struct lig_atoms *a = &to->atoms;
    const struct lig_pair *pair = job->pair + w->kind[i] * (size_t)job->types;
    size_t n = a->count++;
    for (int k = 0; k < 3; k++) a->x[k][n] = from->x[k][i];
    a->charge[n] = from->charge[i];
    to->hit2[n] = job->hit2[w->kind[i]];
    for (unsigned t = 0; t < job->types; t++) {
        a->c12[t][n] = pair[t].c12;
        a->minus_c6[t][n] = -pair[t].c6;
    }
}

// Adds atoms without effect up to a multiple of LIG_LANES.
static void complete(struct list *l, unsigned types) {
    struct lig_atoms *a = &l->atoms;
    for (; a->count % LIG_LANES; a->count++) {
        for (int k = 0; k < 3; k++) a->x[k][a->count] = 1e6F;
        a->charge[a->count] = 0;
        l->hit2[a->count] = 0;
        for (unsigned t = 0; t < types; t++) a->c12[t][a->count] = a->minus_c6[t][a->count] = 0;
    }
}

// ---- blocks

// Lists the atoms that may be within the cutoff of a site at a point of the block.
static int gather(struct cpu *c, struct worker *w, const struct lig_box *b, struct trj_error *err) {
    struct tile_lattice_walk walk;
    size_t next, end;
    const double(*step)[3] = (const double(*)[3])c->frame.lattice.step;
    double centre[3], max = lig_measure(step, b, b->low, centre) + lig_frame_reach(&c->frame);
    int64_t last[3];
    for (int k = 0; k < 3; k++) last[k] = b->high[k] - 1;
    w->all.atoms.count = 0;
    tile_lattice_walk_start(&walk, &c->plan, b->low, last);
    while (tile_lattice_walk_next(&walk, &next, &end)) {
        size_t want = w->all.atoms.count + (end - next);
        if (make_room(&w->all, want, 0, err) ||
            trj_grow(&w->kind, &w->kind_capacity, want, sizeof *w->kind, "atoms near points", err))
            return -1;
        for (; next < end; next++) {
            const struct tile_lattice_record *r = &c->plan.record[next];
            double point[3], x[3];
            for (int k = 0; k < 3; k++) point[k] = r->point[k] + (double)r->offset[k];
            lig_position(step, point, b->low, x);
            if (lig_distance2(x, centre) >= max * max) continue;
            struct lig_atoms *a = &w->all.atoms;
            for (int k = 0; k < 3; k++) a->x[k][a->count] = (float)x[k];
            a->charge[a->count] = r->value;
            w->kind[a->count++] = (uint16_t)r->kind;
        }
    }
    return 0;
}

// Divides the atoms of the block `origin` between the lists of a smaller block.
static int divide(struct cpu *c, struct worker *w, const struct lig_box *b, const struct lig_box *origin,
                  struct trj_error *err) {
    const struct lig_job *job = c->job;
    const struct lig_atoms *all = &w->all.atoms;
    double centre[3], half = lig_measure(c->frame.lattice.step, b, origin->low, centre) + 1e-3;
    float near = (float)(job->near + half), far = (float)(job->cutoff + job->radius + half);
    const float x = (float)centre[0], y = (float)centre[1], z = (float)centre[2];
    if (make_room(&w->near, all->count + LIG_LANES, job->types, err) ||
        make_room(&w->far, all->count + LIG_LANES, job->types, err))
        return -1;
    w->near.atoms.count = w->far.atoms.count = 0;
    for (size_t i = 0; i < all->count; i++) {
        float dx = all->x[0][i] - x, dy = all->x[1][i] - y, dz = all->x[2][i] - z, r2 = (dx * dx + dy * dy) + dz * dz;
        if (r2 >= far * far) continue;
        append(r2 < near * near ? &w->near : &w->far, w, job, i);
    }
    complete(&w->near, job->types);
    complete(&w->far, job->types);
    return 0;
}

// Returns whether an atom is so close to the point that all orientations overlap with it.
static bool is_hit(const struct list *near, const float x[3]) {
    const struct lig_atoms *a = &near->atoms;
    bool hit = false;
    for (size_t i = 0; i < a->count; i++) {
        float dx = a->x[0][i] - x[0], dy = a->x[1][i] - x[1], dz = a->x[2][i] - x[2];
        hit |= (dx * dx + dy * dy) + dz * dz < near->hit2[i];
    }
    return hit;
}

static int add_point(struct cpu *c, struct worker *w, const int64_t point[3], const struct lig_box *origin,
                     struct trj_error *err) {
    const struct lig_job *job = c->job;
    const double index[3] = {(double)point[0], (double)point[1], (double)point[2]};
    double p[3], sum = 0;
    lig_position(c->frame.lattice.step, index, origin->low, p);
    const float x[3] = {(float)p[0], (float)p[1], (float)p[2]};
    if (is_hit(&w->near, x)) return 0;
    c->kernel->energies(&job->placements, &w->near.atoms, &w->far.atoms, x, w->energy);
    for (unsigned i = 0; i < job->orientations; i++) sum += trj_exp(-(double)w->energy[i]);
    double mean = sum * (1.0 / job->orientations) * c->frame.factor, quanta = rint(ldexp(mean, (int)job->bits));
    const int64_t *n = c->frame.blocks.n;
    int64_t *value = &c->map.values[point[0] + n[0] * (point[1] + n[1] * point[2])];
    if (!(quanta <= (double)LIG_SUM_MAX - (double)*value))
        return trj_fail(err, TRJ_BAD_DATA,
                        "point %lld, %lld, %lld: a mean Boltzmann factor of %g: the sum exceeds 2^62 quanta; %s",
                        (long long)point[0], (long long)point[1], (long long)point[2], mean,
                        mean < ldexp((double)LIG_SUM_MAX, -LIG_BITS_MIN)
                            ? "reduce --bits, or the number of frames in a record with --block"
                            : "no number of bits suffices: check the temperature, and the parameters for charges "
                              "without an epsilon");
    *value += (int64_t)quanta;
    return 0;
}

static int add_small(struct cpu *c, struct worker *w, const struct lig_box *b, const struct lig_box *origin,
                     struct trj_error *err) {
    int64_t i[3];
    if (divide(c, w, b, origin, err)) return -1;
    for (i[2] = b->low[2]; i[2] < b->high[2]; i[2]++)
        for (i[1] = b->low[1]; i[1] < b->high[1]; i[1]++)
            for (i[0] = b->low[0]; i[0] < b->high[0]; i[0]++)
                if (add_point(c, w, i, origin, err)) return -1;
    return 0;
}

static int add_block(struct cpu *c, struct worker *w, size_t number, struct trj_error *err) {
    const struct lig_blocks *b = &c->frame.blocks;
    struct lig_box block = lig_large_block(b, (int64_t)number), part;
    int64_t low[3];
    if (gather(c, w, &block, err)) return -1;
    for (low[2] = block.low[2]; low[2] < block.high[2]; low[2] += b->small[2])
        for (low[1] = block.low[1]; low[1] < block.high[1]; low[1] += b->small[1])
            for (low[0] = block.low[0]; low[0] < block.high[0]; low[0] += b->small[0]) {
                part = lig_box_at(low, b->small, block.high);
                if (add_small(c, w, &part, &block, err)) return -1;
            }
    return 0;
}

// ---- frames

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct cpu *c = arg;
    (void)worker, (void)task;
    switch (c->step++) {
    case FIND:
        return c->plan.chunks;
    case PLACE:
        c->failed = tile_lattice_plan_sort(&c->plan, &c->err) != 0;
        return c->failed ? 0 : c->plan.chunks;
    case COMPUTE:
        return (size_t)(c->frame.blocks.count[0] * c->frame.blocks.count[1] * c->frame.blocks.count[2]);
    default:
        return 0;
    }
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct cpu *c = arg;
    struct worker *w = &c->worker[worker];
    (void)task;
    if (c->step == FIND + 1)
        tile_lattice_plan_find(&c->plan, number);
    else if (c->step == PLACE + 1)
        tile_lattice_plan_place(&c->plan, number);
    else if (!*w->err.text)
        (void)add_block(c, w, number, &w->err);
}

static const struct trj_pool_work work = {next, item};

// Without atoms, all energies are 0.
static int add_vacuum(struct cpu *c, struct trj_error *err) {
    int64_t one = (int64_t)1 << c->job->bits;
    for (size_t i = 0; i < c->map.points; i++) {
        if (c->map.values[i] > LIG_SUM_MAX - one)
            return trj_fail(err, TRJ_BAD_DATA, "point %zu: the sum exceeds 2^62 quanta; reduce --bits", i);
        c->map.values[i] += one;
    }
    return 0;
}

static int compute(struct cpu *c, struct trj_error *err) {
    if (tile_lattice_plan_start(&c->plan, &c->frame.lattice, &c->frame.atoms, c->map.threads, err)) return -1;
    c->step = FIND;
    c->failed = false;
    trj_pool_start(c->pool, trj_pool_free_task(c->pool));
    trj_pool_finish(c->pool);
    if (c->failed) *err = c->err;
    for (unsigned i = 0; i < c->map.threads && !c->failed; i++)
        if (*c->worker[i].err.text) {
            *err = c->worker[i].err;
            c->failed = true;
        }
    return c->failed ? -1 : 0;
}

static int add_frame(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct cpu *c = engine;
    if (lig_frame_set(&c->frame, frame, err) || (c->frame.atoms.count ? compute(c, err) : add_vacuum(c, err)))
        return -1;
    return 0;
}

// ---- opening

static void close_cpu(void *engine) {
    struct cpu *c = engine;
    if (!c) return;
    trj_pool_close(c->pool);
    tile_lattice_plan_free(&c->plan);
    for (unsigned i = 0; c->worker && i < c->map.threads; i++) {
        struct worker *w = &c->worker[i];
        free(w->all.atoms.x[0]);
        free(w->near.atoms.x[0]);
        free(w->far.atoms.x[0]);
        free(w->kind);
        free(w->energy);
    }
    free(c->worker);
    lig_frame_close(&c->frame);
    work_cpu_map_free(&c->map);
    free(c);
}

static int choose_kernel(struct cpu *c, struct trj_error *err) {
    static const struct lig_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        &lig_kernel_avx512, &lig_kernel_avx2,
#endif
        &lig_kernel_plain};
    enum trj_isa isa;
    if (trj_isa_find(&isa, err)) return -1;
    c->kernel = kernels[isa];
    return 0;
}

static int allocate(struct cpu *c, struct trj_error *err) {
    const struct lig_job *job = c->job;
    if (work_cpu_map_open(&c->map, (size_t)trj_map_lattice_points(&job->lattice), err)) return -1;
    c->worker = trj_alloc(c->map.threads, sizeof *c->worker, "threads", err);
    if (!c->worker) return -1;
    for (unsigned i = 0; i < c->map.threads; i++) {
        c->worker[i].energy = trj_alloc(job->orientations, sizeof(float), "energies", err);
        if (!c->worker[i].energy) return -1;
    }
    return lig_frame_open(&c->frame, job, err);
}

static int open_cpu(void **engine, const void *job, const struct work_resources *resources, struct trj_error *err) {
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    c->map.threads = trj_pool_size(resources->threads);
    c->map.add = add_frame;
    if (choose_kernel(c, err) || allocate(c, err) || trj_pool_open(&c->pool, resources->threads, 1, &work, c, err)) {
        close_cpu(c);
        return -1;
    }
    *engine = c;
    return 0;
}

const struct work_map_engine lig_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .open = open_cpu,
    WORK_CPU_MAP_FUNCTIONS,
    .close = close_cpu,
};
