// SPDX-License-Identifier: MIT
// Transforms groups of chunks, multiplies them with earlier ones, and transforms the sums back.
#include "chunk_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "memory.h"
#include "pool.h"

enum {
    SET = 16,          // the largest number of blocks that are transformed together, with products summed in registers
    SECTION = 4 * SET, // blocks of a part that are summed separately; more if there would be more than SECTIONS of them
    SECTIONS = 8,
    QUADS = 32, // a window has at most 60 chunks (correlator.h)
    ALIGNED = 64,
};

// Memory that begins at a cache line.
struct array {
    double *memory, *at;
};

struct section {
    size_t part, first, count; // blocks; first: of those of all parts
};

// TCF_STARTS chunks of start frames, and those of the group that are multiplied with them: `from` to `to` - 1.
struct quad {
    size_t slot, later; // places of the first ones
    size_t from, to;
    size_t sum; // place among the products of a frequency
};

struct tcf_products {
    struct tcf_products_setup setup;
    size_t n; // places of a transform: 2 chunks
    const struct tcf_kernel *kernel;
    struct section *section;
    size_t *first_section; // [parts + 1] of each part, and the number of all
    struct trj_pool *pool;
    // Of each set: [n][all_slots][blocks of the set][2][TCF_LANES] real and imaginary parts. After `slots` chunks,
    // those of the group relative to `before`.
    struct array spectrum;
    size_t slots, all_slots;
    struct array *work;    // [threads] of SET series [2][n][TCF_LANES] and, for whole runs, the spectra of a set
    struct array product;  // [sections][n][starts][later][2][TCF_LANES] of the group
    size_t products;       // of each section
    double *cosine, *sine; // [chunk]
    const struct tcf_group *group;
    double *sum;          // of the group
    size_t chunks, later; // of the group; rounded up to a multiple of TCF_LATER
    uint64_t first;       // chunk of start frames: a multiple of TCF_GROUP
    size_t starts;        // groups of chunks of start frames
    struct quad quad[QUADS];
    size_t quads;
    enum { NOTHING, TO_MULTIPLY, TO_TRANSFORM_BACK, COMPLETE } step;
};

// -------------------------------------------------------------------------------------------------------------- layout

int tcf_layout_open(struct tcf_layout *l, size_t parts, const size_t *count, struct trj_error *err) {
    *l = (struct tcf_layout){.parts = parts};
    if (!(l->first = trj_alloc(parts + 1, sizeof *l->first, "correlations", err))) return -1;
    for (size_t p = 0; p < parts; p++) l->first[p + 1] = l->first[p] + (count[p] + TCF_BLOCK - 1) / TCF_BLOCK;
    l->width = l->first[parts] * TCF_BLOCK;
    return 0;
}

void tcf_layout_free(struct tcf_layout *l) {
    free(l->first);
    *l = (struct tcf_layout){0};
}

// ---------------------------------------------------------------------------------------------------------- transforms

// Sets cosine and sine of 2 pi t / n as products of those of the powers of two in t, which follow from half angles.
// Square roots and products have the same result on every machine; cos() and sin() have not.
static void set_angles(struct tcf_products *p) {
    double cosine[64], sine[64]; // of 2 pi / 2^k
    cosine[1] = -1, sine[1] = 0;
    cosine[2] = 0, sine[2] = 1;
    int levels = 1;
    while (p->n >> levels > 1) levels++;
    for (int k = 3; k <= levels; k++) {
        cosine[k] = sqrt((1 + cosine[k - 1]) / 2);
        sine[k] = sine[k - 1] / (2 * cosine[k]);
    }
    for (size_t t = 0; t < p->n / 2; t++) {
        double x = 1, y = 0;
        for (int bit = 0; t >> bit; bit++) {
            if (!(t >> bit & 1)) continue;
            const double a = cosine[levels - bit], b = sine[levels - bit], z = x * a - y * b;
            y = x * b + y * a;
            x = z;
        }
        p->cosine[t] = x;
        p->sine[t] = y;
    }
}

// Transforms a chunk of the group, relative to an origin, in blocks first to first + count - 1, to a place among the
// spectra of this set of blocks.
static void transform_chunk(const struct tcf_products *p, double *series, double *spectrum, size_t chunk, size_t slot,
                            const double *origin, size_t first, size_t count) {
    const size_t n = p->n, width = p->setup.layout->width, before = chunk * p->setup.chunk, one = 2 * n * TCF_LANES;
    const size_t known = p->group->frames - before, filled = known < p->setup.chunk ? known : p->setup.chunk;
    const double *x = p->group->frame + before * width + first * TCF_BLOCK;
    origin += first * TCF_BLOCK;
    for (size_t t = 0; t < filled; t++, x += width)
        for (size_t b = 0; b < count; b++) {
            double *re = series + b * one + t * TCF_LANES, *im = re + n * TCF_LANES;
            for (size_t k = 0; k < TCF_LANES; k++) re[k] = x[b * TCF_BLOCK + k] - origin[b * TCF_BLOCK + k];
            for (size_t k = 0; k < TCF_LANES; k++)
                im[k] = x[b * TCF_BLOCK + TCF_LANES + k] - origin[b * TCF_BLOCK + TCF_LANES + k];
        }
    for (size_t b = 0; b < count; b++) {
        double *re = series + b * one, *im = re + n * TCF_LANES;
        memset(re + filled * TCF_LANES, 0, (n - filled) * TCF_LANES * sizeof *re);
        memset(im + filled * TCF_LANES, 0, (n - filled) * TCF_LANES * sizeof *im);
        p->kernel->transform(re, im, n, p->cosine, p->sine);
    }
    for (size_t f = 0; f < n; f++) {
        double *to = spectrum + (f * p->all_slots + slot) * count * TCF_BLOCK;
        for (size_t b = 0; b < count; b++, to += TCF_BLOCK) {
            const double *re = series + b * one + f * TCF_LANES;
            memcpy(to, re, TCF_LANES * sizeof *to);
            memcpy(to + TCF_LANES, re + n * TCF_LANES, TCF_LANES * sizeof *to);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ products

// Lists the chunks that are multiplied with each other.
static void list_quads(struct tcf_products *p) {
    const struct tcf_group *g = p->group;
    const size_t window = p->setup.window, own = (size_t)(g->number % p->slots);
    p->quads = 0;
    for (uint64_t a = p->first; a < g->number + p->chunks && a < g->end; a += TCF_STARTS) {
        const uint64_t end = a + TCF_STARTS + window; // of the windows of these chunks
        if (end <= g->number) continue;
        const size_t reached = (size_t)(end - g->number + TCF_LATER - 1) / TCF_LATER * TCF_LATER;
        p->quad[p->quads++] = (struct quad){
            .slot = (size_t)(a % p->slots),
            .later = a < g->span ? p->slots : own,
            .from = a > g->number ? (size_t)(a - g->number) / TCF_LATER * TCF_LATER : 0,
            .to = reached < p->later ? reached : p->later,
            .sum = (size_t)(a - p->first) / TCF_GROUP * p->later * TCF_BLOCK + (size_t)(a - p->first) % TCF_GROUP,
        };
    }
}

static void multiply_set(const struct tcf_products *p, double *product, const double *spectrum, size_t count) {
    const size_t row = count * TCF_BLOCK;
    for (size_t f = 0; f < p->n; f++, spectrum += p->all_slots * row, product += p->starts * p->later * TCF_BLOCK)
        for (const struct quad *q = p->quad; q < p->quad + p->quads; q++)
            p->kernel->multiply(product + q->sum + q->from * TCF_BLOCK, spectrum + q->slot * row,
                                spectrum + (q->later + q->from) * row, q->to - q->from, count);
}

static void multiply_section(const struct tcf_products *p, size_t number, unsigned worker) {
    const struct section *s = &p->section[number];
    const struct tcf_group *g = p->group;
    double *product = p->product.at + number * p->products, *series = p->work[worker].at;
    const size_t own = (size_t)(g->number % p->slots);
    memset(product, 0, p->n * p->starts * p->later * TCF_BLOCK * sizeof *product);
    size_t sets = (s->count + SET - 1) / SET, first = s->first;
    for (size_t count; sets; sets--, first += count) {
        count = (s->first + s->count - first) / sets;
        double *spectrum = p->setup.whole ? series + (size_t)SET * 2 * p->n * TCF_LANES
                                          : p->spectrum.at + first * TCF_BLOCK * p->n * p->all_slots;
        for (size_t k = 0; k < p->chunks; k++) {
            transform_chunk(p, series, spectrum, k, own + k, g->origin, first, count);
            if (g->before) transform_chunk(p, series, spectrum, k, p->slots + k, g->before, first, count);
        }
        multiply_set(p, product, spectrum, count);
    }
}

// Adds the sums for start frames in chunk a and later frames in chunk b, which are in a lane of re[n][TCF_LANES].
static void add_sums(const struct tcf_products *p, size_t part, uint64_t a, uint64_t b, const double *re) {
    const uint64_t apart = b - a, max_lag = p->setup.max_lag;
    const size_t chunk = p->setup.chunk;
    const double scale = 1 / (double)p->n;
    double *to = p->sum + ((size_t)(a % p->slots) * p->setup.layout->parts + part) * ((size_t)max_lag + 1);
    for (size_t t = 0; t < chunk; t++) {
        const uint64_t lag = apart * chunk + t;
        if (lag <= max_lag) to[lag] += re[t * TCF_LANES] * scale;
        // Negative differences, at the end of the transform, are those to frames that are early in their chunk.
        if (apart && t && lag - 2 * t <= max_lag) to[lag - 2 * t] += re[(p->n - t) * TCF_LANES] * scale;
    }
}

// Transforms the products of a part for a group of chunks of start frames back.
static void transform_back(const struct tcf_products *p, size_t number, unsigned worker) {
    const size_t part = number / p->starts, group = number % p->starts, first = p->first_section[part],
                 end = p->first_section[part + 1];
    const uint64_t a = p->first + group * TCF_GROUP;
    double *re = p->work[worker].at, *im = re + p->n * TCF_LANES;
    for (size_t k = 0; k < p->chunks; k++) {
        const uint64_t b = p->group->number + k;
        if (b < a || b > a + TCF_GROUP - 1 + p->setup.window) continue;
        for (size_t f = 0; f < p->n; f++) {
            const double *from = p->product.at + ((f * p->starts + group) * p->later + k) * TCF_BLOCK;
            double *x = re + f * TCF_LANES, *y = im + f * TCF_LANES;
            memcpy(x, from + first * p->products, TCF_LANES * sizeof *x);
            memcpy(y, from + first * p->products + TCF_LANES, TCF_LANES * sizeof *y);
            for (size_t s = first + 1; s < end; s++)
                for (size_t i = 0; i < TCF_LANES; i++) {
                    x[i] += from[s * p->products + i];
                    y[i] += from[s * p->products + TCF_LANES + i];
                }
        }
        p->kernel->transform_back(re, im, p->n, p->cosine, p->sine);
        for (size_t i = 0; i < TCF_GROUP; i++)
            if (a + i <= b && b - a - i <= p->setup.window && a + i < p->group->end)
                add_sums(p, part, a + i, b, re + i);
    }
}

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct tcf_products *p = arg;
    (void)worker;
    (void)task;
    p->step++;
    if (p->step == TO_MULTIPLY) return p->first_section[p->setup.layout->parts];
    return p->step == TO_TRANSFORM_BACK ? p->setup.layout->parts * p->starts : 0;
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    const struct tcf_products *p = arg;
    (void)task;
    if (p->step == TO_MULTIPLY)
        multiply_section(p, number, worker);
    else
        transform_back(p, number, worker);
}

void tcf_products_add(struct tcf_products *p, const struct tcf_group *g, double *sum) {
    p->group = g;
    p->sum = sum;
    p->chunks = (g->frames + p->setup.chunk - 1) / p->setup.chunk;
    p->later = (p->chunks + TCF_LATER - 1) / TCF_LATER * TCF_LATER;
    p->first = g->number > p->setup.window ? (g->number - p->setup.window) / TCF_GROUP * TCF_GROUP : 0;
    p->starts = (size_t)(g->number + p->chunks - p->first + TCF_GROUP - 1) / TCF_GROUP;
    list_quads(p);
    p->step = NOTHING;
    trj_pool_start(p->pool, 0);
    trj_pool_finish(p->pool);
}

size_t tcf_products_slots(const struct tcf_products *p) {
    return p->slots;
}

// ------------------------------------------------------------------------------------------------------------- opening

static const struct tcf_kernel *choose_kernel(void) {
    static const struct tcf_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &tcf_kernel_avx512,
        [TRJ_ISA_AVX2] = &tcf_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &tcf_kernel_plain,
    };
    return kernels[trj_isa_of_process()];
}

static int open_array(struct array *a, size_t n, size_t size, struct trj_error *err) {
    if (!(a->memory = trj_alloc(n + 1, size > ALIGNED ? size : ALIGNED, "windows of frames", err))) return -1;
    trj_use_large_pages(a->memory, n * size);
    a->at = a->memory + (ALIGNED - (uintptr_t)a->memory % ALIGNED) % ALIGNED / sizeof *a->at;
    return 0;
}

static int open_sections(struct tcf_products *p, struct trj_error *err) {
    const struct tcf_layout *l = p->setup.layout;
    if (!(p->section = trj_alloc(l->parts * SECTIONS, sizeof *p->section, "correlations", err)) ||
        !(p->first_section = trj_alloc(l->parts + 1, sizeof *p->first_section, "correlations", err)))
        return -1;
    for (size_t part = 0, sections = 0; part < l->parts; part++) {
        const size_t end = l->first[part + 1], sets = (end - l->first[part] + SET - 1) / SET;
        size_t each = (sets + SECTIONS - 1) / SECTIONS * SET;
        if (each < SECTION) each = SECTION;
        for (size_t first = l->first[part]; first < end; first += each)
            p->section[sections++] = (struct section){part, first, end - first < each ? end - first : each};
        p->first_section[part + 1] = sections;
    }
    return 0;
}

int tcf_products_open(struct tcf_products **result, const struct tcf_products_setup *setup, struct trj_error *err) {
    static const struct trj_pool_work work = {next, item};
    struct tcf_products *p = *result = trj_alloc(1, sizeof *p, "correlations", err);
    if (!p) return -1;
    p->setup = *setup;
    p->n = 2 * setup->chunk;
    p->kernel = choose_kernel();
    p->slots = (setup->window + TCF_GROUP + TCF_GROUP - 1) / TCF_GROUP * TCF_GROUP;
    p->all_slots = p->slots + (setup->spans ? TCF_GROUP : 0);
    const struct tcf_layout *l = setup->layout;
    const size_t set = SET * TCF_BLOCK * p->n, groups = p->slots / TCF_GROUP + 1,
                 later = setup->whole ? p->slots : TCF_GROUP;
    p->products = p->n * groups * later * TCF_BLOCK;
    if (trj_pool_open(&p->pool, setup->threads, 1, &work, p, err) || open_sections(p, err) ||
        open_array(&p->product, p->first_section[l->parts] * p->products, sizeof(double), err) ||
        !(p->work = trj_alloc(trj_pool_threads(p->pool), sizeof *p->work, "threads", err)) ||
        !(p->cosine = trj_alloc(setup->chunk, sizeof *p->cosine, "transforms", err)) ||
        !(p->sine = trj_alloc(setup->chunk, sizeof *p->sine, "transforms", err)))
        return -1;
    for (unsigned i = 0; i < trj_pool_threads(p->pool); i++)
        if (open_array(&p->work[i], set * (setup->whole ? 1 + p->all_slots : 1), sizeof(double), err)) return -1;
    if (!setup->whole && open_array(&p->spectrum, l->width * p->n * p->all_slots, sizeof(double), err)) return -1;
    set_angles(p);
    return 0;
}

void tcf_products_close(struct tcf_products *p) {
    if (!p) return;
    if (p->pool) trj_pool_finish(p->pool);
    for (unsigned i = 0; p->work && i < trj_pool_threads(p->pool); i++) free(p->work[i].memory);
    trj_pool_close(p->pool);
    free(p->work);
    free(p->spectrum.memory);
    free(p->product.memory);
    free(p->section);
    free(p->first_section);
    free(p->cosine);
    free(p->sine);
    free(p);
}
