// SPDX-License-Identifier: MIT
// The engine of the method cutoff on CPUs. A frame is one task: find the images of atoms that reach the lattice, place
// them in spatial order, compute what the kernels need of each, and sum blocks of points. Each block belongs to one
// thread, which adds it to the map.
#include "cutoff_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cutoff_images.h"
#include "instruction_set.h"
#include "memory.h"
#include "pool.h"

enum step { START, FIND, PLACE, IMAGES, BLOCKS, POINTS };
enum { CLASSES = POT_CUTOFF_CLASSES, IMAGES_A_CHUNK = 1 << 14, POINTS_A_CHUNK = 64 };

// The block that a thread computes.
struct worker {
    struct pot_cutoff_block block;
    uint32_t sum[POT_BLOCK_POINTS];
    int64_t value[POT_BLOCK_POINTS];
    struct pot_cutoff_pair pair[POT_PAIRS];
    struct pot_cutoff_entry *entry;
    uint8_t *class;
    uint32_t *order; // entries in the order of classes
    uint32_t *found; // of a range of images, those that reach the block
    double *distance;
    size_t entry_capacity, class_capacity, order_capacity, found_capacity, distance_capacity, entries;
    size_t first_of[CLASSES + 1];
    int64_t first[3];                  // index of the first point of the block
    bool positioned;                   // point is set
    double point[POT_BLOCK_POINTS][3]; // Å
    double square[POT_PAIRS], a[POT_PAIRS], b[POT_PAIRS], result[POT_PAIRS];
    uint32_t atom[POT_PAIRS], target[POT_PAIRS];
    int64_t error;        // of the entries, in units of 2^-10 quanta, without rounding to the quanta of classes
    double largest_error; // of a block
    bool failed;
    size_t failed_item; // the first one
    struct trj_error err;
};

struct cpu {
    const struct pot_job *job;
    struct pot_kernel kernel;
    const struct pot_cutoff_kernel *vectors;
    struct trj_map_slab slab; // of the map
    int64_t *values;          // from plane slab.first on
    bool cleared;             // values were set to 0 after the last finish
    struct trj_pool *pool;
    unsigned threads;
    struct worker *workers;
    double error_scale; // 2^10 / quantum
    double error;       // bound of the frames that were added
    int lowest;         // exponent e of M for which the contributions are multiples of the quantum
    // The current frame:
    const struct pot_frame *frame;
    struct trj_frame view; // for lattice_plan.h
    struct tile_lattice_atoms atoms;
    struct tile_lattice_plan plan;
    float reach[1][3];
    struct pot_cutoff_constants constants;
    struct pot_cutoff_images images;
    size_t blocks[3];
    enum step step;
    bool failed;
    struct trj_error err;
};

// ---- blocks

// Finds the images within the cutoff of a block, and sorts them by class: the exponent of the bound on their
// contributions.
static int add_entry(const struct cpu *c, struct worker *w, const double centre[3], uint32_t record, double s,
                     size_t count[CLASSES], struct trj_error *err) {
    const struct pot_cutoff_image *i = &c->images.image[record];
    if (i->strength == 0) return 0;
    double error, bound = pot_cutoff_image_bound(&c->constants, c->kernel.kind, i->a, i->b, i->near, i->strength,
                                                 s < 1 ? s : 1, &error);
    int class = pot_cutoff_class(&c->constants, bound, c->lowest);
    if (class >= CLASSES)
        return trj_fail(err, TRJ_BAD_DATA, "atom %u: the potential is too large", c->frame->atom[i->atom]);
    w->error += (int64_t)(error * c->error_scale) + 1;
    struct pot_cutoff_entry *e = &w->entry[w->entries];
    for (int k = 0; k < 3; k++) e->r[k] = c->images.place[record][k] - centre[k];
    e->a = i->a;
    e->b = i->b;
    e->near = i->near;
    e->record = record;
    w->class[w->entries++] = (uint8_t) class;
    count[class]++;
    return 0;
}

static int reserve_entries(struct worker *w, size_t more, struct trj_error *err) {
    const char *what = "atoms of a block";
    size_t n = w->entries + more;
    return trj_grow(&w->entry, &w->entry_capacity, n, sizeof *w->entry, what, err) ||
                   trj_grow(&w->class, &w->class_capacity, n, sizeof *w->class, what, err) ||
                   trj_grow(&w->found, &w->found_capacity, more, sizeof *w->found, what, err) ||
                   trj_grow(&w->distance, &w->distance_capacity, more, sizeof *w->distance, what, err)
               ? -1
               : 0;
}

static int find_entries(const struct cpu *c, struct worker *w, struct trj_error *err) {
    double centre[3];
    int64_t last[3];
    size_t count[CLASSES] = {0}, next[CLASSES], first, end;
    struct tile_lattice_walk walk;
    for (int k = 0; k < 3; k++) {
        centre[k] = 0;
        for (int v = 0; v < 3; v++) centre[k] += ((double)w->first[v] + 3.5) * c->constants.step[v][k];
        last[k] = w->first[k] + POT_BLOCK - 1;
        if (last[k] >= (int64_t)c->frame->lattice.n[k]) last[k] = (int64_t)c->frame->lattice.n[k] - 1;
    }
    w->entries = 0;
    w->error = 0;
    tile_lattice_walk_start(&walk, &c->plan, w->first, last);
    while (tile_lattice_walk_next(&walk, &first, &end)) {
        if (reserve_entries(w, end - first, err)) return -1;
        size_t n = c->vectors->find((const double(*)[4])c->images.place + first, end - first, centre, c->constants.box,
                                    c->constants.outer, (uint32_t)first, w->found, w->distance);
        for (size_t i = 0; i < n; i++)
            if (add_entry(c, w, centre, w->found[i], w->distance[i], count, err)) return -1;
    }
    if (trj_grow(&w->order, &w->order_capacity, w->entries, sizeof *w->order, "atoms of a block", err)) return -1;
    w->first_of[0] = 0;
    for (int i = 0; i < CLASSES; i++) {
        next[i] = w->first_of[i];
        w->first_of[i + 1] = w->first_of[i] + count[i];
    }
    double error = (double)w->error / c->error_scale;
    for (int i = 0; i < CLASSES; i++) error += (double)count[i] * ldexp(c->job->quantum, i - 1);
    w->largest_error = fmax(w->largest_error, error);
    for (size_t i = 0; i < w->entries; i++) w->order[next[w->class[i]]++] = (uint32_t)i;
    return 0;
}

static void set_points(const struct cpu *c, struct worker *w) {
    for (int i = 0; i < POT_BLOCK_POINTS; i++) {
        const int64_t row = i / POT_BLOCK, plane = row / POT_BLOCK;
        const double index[3] = {(double)(w->first[0] + i % POT_BLOCK), (double)(w->first[1] + row % POT_BLOCK),
                                 (double)(w->first[2] + plane)};
        trj_map_lattice_position(&c->frame->lattice, index, w->point[i]);
    }
    w->positioned = true;
}

// Computes the pairs that wait for float64.
static int resolve(const struct cpu *c, struct worker *w, struct trj_error *err) {
    size_t n = 0;
    if (w->block.pairs && !w->positioned) set_points(c, w);
    for (unsigned i = 0; i < w->block.pairs; i++) {
        const struct pot_cutoff_exact_image *e = &c->images.exact[w->pair[i].record];
        const double *p = w->point[w->pair[i].point];
        double d[3] = {p[0] - e->y[0], p[1] - e->y[1], p[2] - e->y[2]},
               square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        w->square[n] = square;
        w->a[n] = e->a;
        w->b[n] = e->b;
        w->atom[n] = w->pair[i].record;
        w->target[n] = w->pair[i].point;
        n += square < c->kernel.square;
    }
    w->block.pairs = 0;
    pot_kernel_values(&c->kernel, n, w->square, w->a, w->b, w->result);
    for (size_t i = 0; i < n; i++)
        if (pot_cutoff_add(c->job, w->result[i], &w->value[w->target[i]], err)) {
            const double *p = w->point[w->target[i]];
            return trj_fail_at(err, "atom %u at the point %g %g %g Å", c->frame->atom[c->images.image[w->atom[i]].atom],
                               p[0], p[1], p[2]);
        }
    return 0;
}

// Adds the entries of a class to the values of the block.
static int add_class(const struct cpu *c, struct worker *w, unsigned class, struct trj_error *err) {
    size_t next = w->first_of[class], end = w->first_of[class + 1];
    w->block.magic = (float)ldexp(3, c->lowest + (int)class);
    while (next < end) {
        size_t stop = end - next > POT_PARTIAL ? next + POT_PARTIAL : end;
        while (next < stop) {
            next += c->vectors->add(&w->block, w->entry, w->order + next, stop - next);
            if ((next < stop || w->block.pairs > POT_PAIRS / 2) && resolve(c, w, err)) return -1;
        }
        c->vectors->flush(&w->block, w->value, class);
    }
    return 0;
}

// Adds the values of the block to the map.
static int add_to_map(const struct cpu *c, const struct worker *w, struct trj_error *err) {
    const uint64_t *n = c->frame->lattice.n;
    for (unsigned i = 0; i < POT_BLOCK_POINTS; i++) {
        uint64_t x = (uint64_t)w->first[0] + i % POT_BLOCK, y = (uint64_t)w->first[1] + i / POT_BLOCK % POT_BLOCK,
                 z = (uint64_t)w->first[2] + i / POT_BLOCK / POT_BLOCK;
        if (x >= n[0] || y >= n[1] || z >= n[2]) continue;
        int64_t *to = &c->values[x + n[0] * (y + n[1] * (z - c->slab.first))];
        if (__builtin_add_overflow(*to, w->value[i], to))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the sum of frames exceeds 2^63 quanta at the point %llu %llu %llu; write several maps of "
                            "fewer frames each",
                            (unsigned long long)x, (unsigned long long)y, (unsigned long long)z);
    }
    return 0;
}

static int compute_block(const struct cpu *c, struct worker *w, size_t number, struct trj_error *err) {
    size_t block[3] = {number % c->blocks[0], number / c->blocks[0] % c->blocks[1],
                       number / c->blocks[0] / c->blocks[1] + c->slab.first / POT_BLOCK};
    unsigned n[3];
    for (int k = 0; k < 3; k++) {
        w->first[k] = (int64_t)(block[k] * POT_BLOCK);
        uint64_t left = c->frame->lattice.n[k] - (uint64_t)w->first[k];
        n[k] = left < POT_BLOCK ? (unsigned)left : POT_BLOCK;
    }
    w->block.columns = n[0];
    w->block.rows = 0;
    w->block.pairs = 0;
    for (unsigned row = 0; row < POT_BLOCK_ROWS; row++)
        if (row % POT_BLOCK < n[1] && row / POT_BLOCK < n[2]) w->block.rows |= (uint64_t)1 << row;
    w->positioned = false;
    if (find_entries(c, w, err)) return -1;
    if (!w->entries) return 0;
    memset(w->value, 0, sizeof w->value);
    for (unsigned i = 0; i < CLASSES; i++)
        if (add_class(c, w, i, err)) return -1;
    return resolve(c, w, err) || add_to_map(c, w, err) ? -1 : 0;
}

// ---- a list of points

static int compute_points(const struct cpu *c, size_t item, struct trj_error *err) {
    size_t end = (item + 1) * POINTS_A_CHUNK;
    for (size_t i = item * POINTS_A_CHUNK; i < end && i < c->job->point_count; i++)
        if (pot_cutoff_sum_point(c->job, &c->kernel, c->frame, c->job->point[i], &c->values[i], err)) return -1;
    return 0;
}

// ---- the task

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct cpu *c = arg;
    (void)worker, (void)task;
    for (unsigned i = 0; i < c->threads; i++)
        if (c->workers[i].failed) return 0;
    switch (c->step) {
    case START:
        c->step = c->job->point_count ? POINTS : FIND;
        return c->step == POINTS ? (c->job->point_count + POINTS_A_CHUNK - 1) / POINTS_A_CHUNK : c->plan.chunks;
    case FIND:
        c->step = PLACE;
        c->failed = tile_lattice_plan_sort(&c->plan, &c->err) ||
                    pot_cutoff_images_reserve(&c->images, c->plan.records, &c->err);
        return c->failed ? 0 : c->plan.chunks;
    case PLACE:
        c->step = IMAGES;
        return c->plan.records / IMAGES_A_CHUNK + 1;
    case IMAGES:
        c->step = BLOCKS;
        return c->blocks[0] * c->blocks[1] * c->blocks[2];
    default:
        return 0;
    }
}

static int process(struct cpu *c, struct worker *w, size_t item, struct trj_error *err) {
    switch (c->step) {
    case FIND:
        tile_lattice_plan_find(&c->plan, item); // tile_lattice_plan_sort returns its errors
        return 0;
    case PLACE:
        tile_lattice_plan_place(&c->plan, item);
        return 0;
    case IMAGES:
        for (size_t i = item * IMAGES_A_CHUNK; i < (item + 1) * IMAGES_A_CHUNK && i < c->plan.records; i++)
            pot_cutoff_image_set(&c->images, &c->plan, i);
        return 0;
    case POINTS:
        return compute_points(c, item, err);
    default:
        return compute_block(c, w, item, err);
    }
}

static void process_item(void *arg, unsigned worker, unsigned task, size_t item) {
    struct cpu *c = arg;
    struct worker *w = &c->workers[worker];
    struct trj_error err = {0};
    (void)task;
    if ((w->failed && w->failed_item < item) || !process(c, w, item, &err)) return;
    w->failed = true;
    w->failed_item = item;
    w->err = err;
}

// ---- the engine

static void close_cpu(void *state) {
    struct cpu *c = state;
    if (!c) return;
    trj_pool_close(c->pool);
    for (unsigned i = 0; c->workers && i < c->threads; i++) {
        free(c->workers[i].entry);
        free(c->workers[i].class);
        free(c->workers[i].order);
        free(c->workers[i].found);
        free(c->workers[i].distance);
    }
    free(c->workers);
    tile_lattice_plan_free(&c->plan);
    pot_kernel_close(&c->kernel);
    pot_cutoff_images_free(&c->images);
    free(c->values);
    free(c);
}

static int start(struct cpu *c, struct trj_error *err) {
    static const struct trj_pool_work work = {next, process_item};
    static const struct pot_cutoff_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &pot_cutoff_kernel_avx512,
        [TRJ_ISA_AVX2] = &pot_cutoff_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &pot_cutoff_kernel_plain};
    enum trj_isa isa;
    c->slab = trj_map_lattice_slab(&c->job->lattice, c->job->slab);
    c->values = trj_alloc(c->job->values, sizeof *c->values, "the map", err);
    if (!c->values || trj_isa_find(&isa, err) || pot_kernel_open(&c->kernel, c->job, err) ||
        trj_pool_open(&c->pool, c->job->threads, 1, &work, c, err))
        return -1;
    trj_use_large_pages(c->values, c->job->values * sizeof *c->values);
    c->vectors = kernels[isa];
    c->lowest = pot_cutoff_lowest(c->job->quantum);
    c->error_scale = 0x1p10 / c->job->quantum;
    c->images.job = c->job;
    c->images.kernel = &c->kernel;
    c->images.constants = &c->constants;
    c->threads = trj_pool_threads(c->pool);
    c->workers = trj_alloc(c->threads, sizeof *c->workers, "the method cutoff", err);
    for (unsigned i = 0; c->workers && i < c->threads; i++) {
        struct worker *w = &c->workers[i];
        w->block = (struct pot_cutoff_block){.lattice = &c->constants.vectors, .sum = w->sum, .pair = w->pair};
    }
    return c->workers ? 0 : -1;
}

static int open_cpu(void **state, const struct pot_job *job, struct trj_error *err) {
    struct cpu *c = trj_alloc(1, sizeof *c, "an engine", err);
    if (!c) return -1;
    c->job = job;
    c->cleared = true;
    if (start(c, err)) {
        close_cpu(c);
        return -1;
    }
    *state = c;
    return 0;
}

// Fails if the images of atoms need more memory than the machine has: with a cutoff far beyond a small cell, Linux
// would end the process without a message. Records exist twice, in the order of atoms and sorted.
static int check_images(const struct cpu *c, struct trj_error *err) {
    const size_t bytes_of_image = 2 * sizeof(struct tile_lattice_record) + sizeof *c->images.place +
                                  sizeof *c->images.image + sizeof *c->images.exact;
    double images = tile_lattice_plan_expected(&c->plan), bytes = images * (double)bytes_of_image,
           memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (images <= UINT32_MAX && !(memory > 0 && bytes > memory)) return 0;
    trj_error_set(err, TRJ_BAD_DATA, "with a cutoff of %g Å, about %.3g images of atoms reach the lattice",
                  c->job->cutoff, images);
    if (images > UINT32_MAX)
        trj_error_append(err, ", expected at most 2^32");
    else
        trj_error_append(err, ", which need %.3g GiB of memory: this machine has %.3g GiB", bytes / 0x1p30,
                         memory / 0x1p30);
    return trj_fail_remedy(err, "use a shorter cutoff");
}

static int start_frame(struct cpu *c, const struct pot_frame *f, struct trj_error *err) {
    c->frame = f;
    c->step = START;
    c->failed = false;
    for (unsigned i = 0; i < c->threads; i++) c->workers[i].failed = false;
    if (c->job->point_count) return 0;
    pot_cutoff_constants_set(&c->constants, c->job, &c->kernel, &f->lattice, c->reach[0]);
    c->images.frame = f;
    trj_cell_reciprocal(&f->cell, c->images.reciprocal);
    c->view = (struct trj_frame){.unit = 1, .cell = f->cell, .atoms = f->count};
    c->atoms = (struct tile_lattice_atoms){.frame = &c->view,
                                           .count = f->count,
                                           .kinds = 1,
                                           .reach = (const float(*)[3])c->reach,
                                           .position = f->position,
                                           .slab = c->slab,
                                           .numbered = true};
    for (int k = 0; k < 3; k++) {
        if (!(c->reach[0][k] <= TILE_LATTICE_REACH_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the cutoff reaches %g points along axis %d, expected at most 2^20; use a coarser lattice",
                            (double)c->reach[0][k], k);
        c->blocks[k] = (size_t)(((k < 2 ? f->lattice.n[k] : c->slab.planes) + POT_BLOCK - 1) / POT_BLOCK);
    }
    return tile_lattice_plan_start(&c->plan, &f->lattice, &c->atoms, c->threads, err) || check_images(c, err) ? -1 : 0;
}

static int add(void *state, const struct pot_frame *frame, struct trj_error *err) {
    struct cpu *c = state;
    if (!c->cleared) memset(c->values, 0, c->job->values * sizeof *c->values);
    c->cleared = true;
    if (pot_cutoff_check_frame(c->job, frame, err) || start_frame(c, frame, err)) return -1;
    trj_pool_start(c->pool, 0);
    trj_pool_wait(c->pool, 0);
    const struct worker *first = NULL;
    for (unsigned i = 0; i < c->threads; i++)
        if (c->workers[i].failed && (!first || c->workers[i].failed_item < first->failed_item)) first = &c->workers[i];
    for (unsigned i = 0; i < c->threads; i++) c->error = fmax(c->error, c->workers[i].largest_error);
    if (first) *err = first->err;
    if (!first && c->failed) *err = c->err;
    return first || c->failed ? -1 : 0;
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
    const struct cpu *c = state;
    return c->job->kernel == POT_KERNEL_COUNT ? 0 : c->error;
}

const struct pot_method pot_cutoff_cpu = {
    .open = open_cpu, .add = add, .finish = finish, .close = close_cpu, .error = error};
