// SPDX-License-Identifier: MIT
// Correlates chunks of frames by Fourier transforms, because sums of products over all lags take far longer.
#include "correlator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instruction_set.h"
#include "memory.h"
#include "series_kernel.h"

enum {
    BLOCK = 2 * TCF_LANES, // numbers whose series are transformed together
    MIN_CHUNK = 4,         // frames
    // Longer chunks take less time, and give fewer records for the errors. The first chunks are as long as gives so
    // many of them in the frames that are known; if more follow, their length is doubled when the records are joined,
    // up to so many chunks in the largest lag.
    CHUNKS_OF_FRAMES = 32,
    CHUNKS_OF_LAGS = 12,
};

struct tcf_correlator {
    struct tcf_correlator_setup setup; // with `count` below
    size_t *count, *first, *blocks;    // [parts] the first block of each part, and how many it has
    size_t all, width;                 // blocks; numbers of a frame that is padded to whole blocks
    const struct tcf_kernel *kernel;
    uint64_t max_lag; // that of the setup, or less if there are fewer frames
    // Frames until `chunk` is chosen, which depends on their number if they are fewer than the largest lag.
    double *early; // [early_count][width]
    size_t early_count, early_capacity;
    size_t chunk, longest;     // frames of a chunk (0: not yet chosen), and of the longest one
    size_t slots;              // chunks that are kept
    uint64_t frames, finished; // of the run: frames; chunks whose sums are complete
    double *origin;            // [width] the first frame of the run
    double *now;               // [longest][width] frames of the next chunk
    double *spectrum;          // [slots][all][2][2 chunk][TCF_LANES] real and imaginary parts
    double *own;               // [slots chunk][parts] sums of squares of the last frames
    double *sum;               // [slots][parts][max_lag + 1] sums of products for the start frames of a chunk
    double *product;           // [2][2 longest][TCF_LANES]
    double *cosine, *sine;     // [longest]
    double *pairs, *before;    // [max_lag + 1], [max_lag + longest + 1]
    struct tcf_records records;
};

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

// Linux grants memory that it does not have, and ends the process when it is used. The peak is that of a window, and
// of its first frames, which are kept until they are transformed.
static int check_memory(const struct tcf_correlator *c, struct trj_error *err) {
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                 bytes = 24 * (double)c->width * (double)c->setup.max_lag;
    if (!(memory > 0 && bytes > memory)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "windows of %llu frames with %zu numbers need %.3g GiB of memory: this machine has %.3g GiB; use "
                    "fewer lags (--lags), or a smaller group",
                    (unsigned long long)c->setup.max_lag, c->width, bytes / 0x1p30, memory / 0x1p30);
}

int tcf_correlator_open(struct tcf_correlator **result, const struct tcf_correlator_setup *setup,
                        struct trj_error *err) {
    struct tcf_correlator *c = *result = trj_alloc(1, sizeof *c, "correlations", err);
    if (!c) return -1;
    c->setup = *setup;
    c->max_lag = setup->max_lag;
    c->kernel = choose_kernel();
    if (!(c->count = trj_alloc(setup->parts, sizeof *c->count, "correlations", err))) return -1;
    c->setup.count = memcpy(c->count, setup->count, setup->parts * sizeof *c->count);
    if (!(c->first = trj_alloc(setup->parts, sizeof *c->first, "correlations", err)) ||
        !(c->blocks = trj_alloc(setup->parts, sizeof *c->blocks, "correlations", err)))
        return -1;
    for (size_t p = 0; p < setup->parts; p++) {
        c->first[p] = c->all;
        c->blocks[p] = (setup->count[p] + BLOCK - 1) / BLOCK;
        c->all += c->blocks[p];
    }
    c->width = c->all * BLOCK;
    if (check_memory(c, err) || !(c->origin = trj_alloc(c->width, sizeof *c->origin, "a frame", err))) return -1;
    return 0;
}

void tcf_correlator_close(struct tcf_correlator *c) {
    if (!c) return;
    double *const arrays[] = {c->early,   c->origin, c->now,  c->spectrum, c->own,   c->sum,
                              c->product, c->cosine, c->sine, c->pairs,    c->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    tcf_records_free(&c->records);
    free(c->count);
    free(c->first);
    free(c->blocks);
    free(c);
}

// ---------------------------------------------------------------------------------------------------------- transforms

// Sets cosine and sine of 2 pi t / (2 chunk) as products of those of the powers of two in t, which follow from half
// angles. Square roots and products have the same result everywhere, other than cos() and sin().
static void set_angles(struct tcf_correlator *c) {
    double cosine[64], sine[64]; // of 2 pi / 2^k
    cosine[1] = -1, sine[1] = 0;
    cosine[2] = 0, sine[2] = 1;
    int levels = 1;
    for (size_t n = 2 * c->chunk; n >> levels > 1;) levels++;
    for (int k = 3; k <= levels; k++) {
        cosine[k] = sqrt((1 + cosine[k - 1]) / 2);
        sine[k] = sine[k - 1] / (2 * cosine[k]);
    }
    for (size_t t = 0; t < c->chunk; t++) {
        double x = 1, y = 0;
        for (int bit = 0; t >> bit; bit++) {
            if (!(t >> bit & 1)) continue;
            const double a = cosine[levels - bit], b = sine[levels - bit], z = x * a - y * b;
            y = x * b + y * a;
            x = z;
        }
        c->cosine[t] = x;
        c->sine[t] = y;
    }
}

// Returns the place of a chunk of the run among those that are kept.
static size_t slot_of(const struct tcf_correlator *c, uint64_t chunk) {
    return c->slots ? (size_t)(chunk % c->slots) : 0;
}

static double *spectrum_at(const struct tcf_correlator *c, size_t slot, size_t block) {
    return c->spectrum + (slot * c->all + block) * 2 * 2 * c->chunk * TCF_LANES;
}

// Transforms frames of a block, of which `filled` are set, the first of them at x.
static void transform_block(const struct tcf_correlator *c, double *to, const double *x, size_t stride, size_t filled) {
    const size_t n = 2 * c->chunk;
    double *re = to, *im = to + n * TCF_LANES;
    for (size_t t = 0; t < filled; t++, x += stride) {
        memcpy(re + t * TCF_LANES, x, TCF_LANES * sizeof *x);
        memcpy(im + t * TCF_LANES, x + TCF_LANES, TCF_LANES * sizeof *x);
    }
    memset(re + filled * TCF_LANES, 0, (n - filled) * TCF_LANES * sizeof *re);
    memset(im + filled * TCF_LANES, 0, (n - filled) * TCF_LANES * sizeof *im);
    c->kernel->transform(re, im, n, c->cosine, c->sine);
}

// The inverse of transform() for `lanes` series of n <= 2 chunk numbers, times n: decimation in time. The real part of
// x[t] is at re[t * lanes].
static void transform_back(const struct tcf_correlator *c, double *re, double *im, size_t n, size_t lanes) {
    for (size_t half = 1; half < n; half *= 2)
        for (size_t base = 0; base < n; base += 2 * half)
            for (size_t t = 0, step = c->chunk / half; t < half; t++) {
                const double x = c->cosine[t * step], y = c->sine[t * step];
                for (size_t k = 0; k < lanes; k++) {
                    const size_t a = (base + t) * lanes + k, b = a + half * lanes;
                    const double br = re[b] * x - im[b] * y, bi = im[b] * x + re[b] * y;
                    re[b] = re[a] - br;
                    im[b] = im[a] - bi;
                    re[a] += br;
                    im[a] += bi;
                }
            }
}

// Adds the products of a part for start frames in the chunk of `slot` and later frames in that of `other`, which is
// `apart` chunks later. Lanes are summed in order.
static void correlate(struct tcf_correlator *c, size_t part, size_t slot, size_t other, size_t apart) {
    const size_t n = 2 * c->chunk, numbers = n * TCF_LANES;
    double *re = c->product, *im = re + numbers, *to = c->sum + (slot * c->setup.parts + part) * (c->max_lag + 1);
    memset(c->product, 0, 2 * numbers * sizeof *c->product);
    c->kernel->multiply(re, im, spectrum_at(c, slot, c->first[part]), spectrum_at(c, other, c->first[part]), numbers,
                        c->blocks[part]);
    for (size_t i = 0; i < n; i++) {
        double sum_re = 0, sum_im = 0;
        for (int k = 0; k < TCF_LANES; k++) sum_re += re[i * TCF_LANES + (size_t)k];
        for (int k = 0; k < TCF_LANES; k++) sum_im += im[i * TCF_LANES + (size_t)k];
        re[i] = sum_re;
        im[i] = sum_im;
    }
    transform_back(c, re, im, n, 1);
    for (size_t t = 0; t < c->chunk; t++) {
        const uint64_t lag = (uint64_t)apart * c->chunk + t;
        if (lag <= c->max_lag) to[lag] += re[t] / (double)n;
        // Negative differences, at the end of the transform, are those to frames that are early in their chunk.
        if (apart && t && lag - 2 * t <= c->max_lag) to[lag - 2 * t] += re[n - t] / (double)n;
    }
}

// ---------------------------------------------------------------------------------------------------------------- sums

// Returns the sums of squares of a frame that is kept.
static double *own_at(const struct tcf_correlator *c, uint64_t frame) {
    const size_t kept = c->slots * c->chunk;
    return c->own + (kept ? (size_t)(frame % kept) : 0) * c->setup.parts;
}

// Sets c->before[i] to the sum of squares of a part over the first i frames from `start` on.
static void sum_squares(struct tcf_correlator *c, uint64_t start, size_t part) {
    const uint64_t known = c->frames - start, most = c->max_lag + c->chunk;
    c->before[0] = 0;
    for (size_t i = 0; i < (known < most ? known : most); i++)
        c->before[i + 1] = c->before[i] + own_at(c, start + i)[part];
}

// Adds the sums of the next chunk whose later frames are all known, of `frames` frames of the run, to the records.
static void finish_chunk(struct tcf_correlator *c) {
    const size_t lags = (size_t)c->max_lag + 1;
    const uint64_t start = c->finished * c->chunk;
    double *sum = c->sum + slot_of(c, c->finished++) * c->setup.parts * lags;
    for (size_t k = 0; k < lags; k++) {
        const uint64_t n = start + k < c->frames ? c->frames - start - k : 0;
        c->pairs[k] = (double)(n < c->chunk ? n : c->chunk);
    }
    for (size_t p = 0; p < c->setup.parts; p++) {
        if (c->setup.differences) sum_squares(c, start, p);
        for (size_t k = 0; k < lags; k++) {
            double *s = &sum[p * lags + k];
            const size_t n = (size_t)c->pairs[k];
            if (!n)
                *s = 0; // what is left are rounding errors
            else if (c->setup.differences)
                *s = k ? fmax(0, c->before[n] + (c->before[k + n] - c->before[k]) - 2 * *s) : 0;
        }
    }
    tcf_records_add(&c->records, sum, c->pairs);
}

// Returns how many chunks begin before all frames at the largest lag from the first one are known. It is odd, so that
// an even number of them is left when one has been finished.
static size_t chunks_of_window(const struct tcf_correlator *c, size_t chunk) {
    return (size_t)((c->max_lag + chunk - 1) / chunk + 1) | 1;
}

// Correlates the chunk in c->now, the last of the run so far, with itself and with earlier ones.
static void process_chunk(struct tcf_correlator *c, size_t filled) {
    const uint64_t number = (c->frames - 1) / c->chunk;
    const size_t slot = slot_of(c, number), lags = (size_t)c->max_lag + 1;
    for (size_t b = 0; b < c->all; b++)
        transform_block(c, spectrum_at(c, slot, b), c->now + b * BLOCK, c->width, filled);
    memset(c->sum + slot * c->setup.parts * lags, 0, c->setup.parts * lags * sizeof *c->sum);
    for (size_t apart = 0; apart <= number && apart * c->chunk < c->max_lag + c->chunk; apart++)
        for (size_t p = 0; p < c->setup.parts; p++) correlate(c, p, slot_of(c, number - apart), slot, apart);
    while (number + 1 - c->finished >= chunks_of_window(c, c->chunk)) finish_chunk(c);
}

// Makes one chunk of each two that are kept, in the place of both, if there are as many records as possible: these are
// joined, too, so that the records of longer chunks are as long as earlier ones.
static int lengthen_chunks(struct tcf_correlator *c, struct trj_error *err) {
    static const char what[] = "windows of frames";
    if (c->chunk == c->longest || !tcf_records_full(&c->records) || c->frames / c->chunk % 2 || c->finished % 2)
        return 0;
    const size_t half = c->chunk, part = 2 * half * TCF_LANES, sums = c->setup.parts * ((size_t)c->max_lag + 1);
    double *pair = trj_alloc(2 * c->all, 2 * part * sizeof *pair, what, err),
           *series = pair ? trj_alloc(2 * half, BLOCK * sizeof *series, what, err) : NULL;
    if (!series) {
        free(pair);
        return -1;
    }
    c->chunk *= 2;
    c->slots /= 2;
    c->finished /= 2;
    set_angles(c);
    for (size_t slot = 0; slot < c->slots; slot++) {
        memcpy(pair, spectrum_at(c, slot, 0), 2 * c->all * 2 * part * sizeof *pair);
        for (size_t b = 0; b < c->all; b++) {
            for (size_t k = 0; k < 2; k++) {
                double *re = pair + (k * c->all + b) * 2 * part, *im = re + part;
                transform_back(c, re, im, 2 * half, TCF_LANES);
                for (size_t i = 0; i < half * TCF_LANES; i++) {
                    double *x = series + (k * half + i / TCF_LANES) * BLOCK + i % TCF_LANES;
                    x[0] = re[i] / (double)(2 * half);
                    x[TCF_LANES] = im[i] / (double)(2 * half);
                }
            }
            transform_block(c, spectrum_at(c, slot, b), series, BLOCK, c->chunk);
        }
        double *to = c->sum + slot * sums;
        const double *from = c->sum + 2 * slot * sums;
        for (size_t i = 0; i < sums; i++) to[i] = from[i] + from[sums + i];
    }
    tcf_records_join(&c->records);
    free(series);
    free(pair);
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- frames

static int start(struct tcf_correlator *c, bool all_known, struct trj_error *err) {
    static const char what[] = "windows of frames";
    const size_t parts = c->setup.parts, lags = (size_t)c->max_lag + 1;
    c->chunk = MIN_CHUNK;
    while (2 * c->chunk <= c->early_count / CHUNKS_OF_FRAMES) c->chunk *= 2;
    c->longest = c->chunk;
    while (!all_known && 2 * c->longest <= c->max_lag / CHUNKS_OF_LAGS) c->longest *= 2;
    c->slots = c->longest / c->chunk * chunks_of_window(c, c->longest);
    const size_t n = 2 * c->longest * TCF_LANES;
    if (!(c->now = trj_alloc(c->longest, c->width * sizeof *c->now, what, err)) ||
        !(c->spectrum = trj_alloc(c->slots * c->all, 4 * c->chunk * TCF_LANES * sizeof *c->spectrum, what, err)) ||
        !(c->own = trj_alloc(c->slots * c->chunk, parts * sizeof *c->own, what, err)) ||
        !(c->sum = trj_alloc(c->slots * parts, lags * sizeof *c->sum, what, err)) ||
        !(c->product = trj_alloc(2 * n, sizeof *c->product, what, err)) ||
        !(c->cosine = trj_alloc(c->longest, sizeof *c->cosine, what, err)) ||
        !(c->sine = trj_alloc(c->longest, sizeof *c->sine, what, err)) ||
        !(c->pairs = trj_alloc(lags, sizeof *c->pairs, what, err)) ||
        !(c->before = trj_alloc(lags + c->longest, sizeof *c->before, what, err)))
        return -1;
    set_angles(c);
    return tcf_records_open(&c->records, parts, lags, err);
}

// Adds a padded frame.
static int add_frame(struct tcf_correlator *c, const double *x, struct trj_error *err) {
    const size_t place = (size_t)(c->frames % c->chunk);
    double *to = c->now + place * c->width, *own = own_at(c, c->frames);
    if (!c->frames) memcpy(c->origin, x, c->width * sizeof *x);
    for (size_t i = 0; i < c->width; i++) to[i] = c->setup.differences ? x[i] - c->origin[i] : x[i];
    for (size_t p = 0; p < c->setup.parts; p++) {
        own[p] = 0;
        for (size_t i = c->first[p] * BLOCK; i < (c->first[p] + c->blocks[p]) * BLOCK; i++) own[p] += to[i] * to[i];
    }
    c->frames++;
    if (place + 1 < c->chunk) return 0;
    process_chunk(c, c->chunk);
    return lengthen_chunks(c, err);
}

// Passes the early frames on, which are all frames if `all_known` is set.
static int start_with(struct tcf_correlator *c, bool all_known, struct trj_error *err) {
    if (start(c, all_known, err)) return -1;
    for (size_t i = 0; i < c->early_count; i++)
        if (add_frame(c, c->early + i * c->width, err)) return -1;
    free(c->early);
    c->early = NULL;
    c->early_count = c->early_capacity = 0;
    return 0;
}

int tcf_correlator_add(struct tcf_correlator *c, const double *value, struct trj_error *err) {
    if (trj_grow(&c->early, &c->early_capacity, (c->early_count + 1) * c->width, sizeof *c->early, "frames", err))
        return -1;
    double *to = c->early + c->early_count * c->width;
    memset(to, 0, c->width * sizeof *to);
    for (size_t p = 0; p < c->setup.parts; p++) {
        memcpy(to + c->first[p] * BLOCK, value, c->setup.count[p] * sizeof *value);
        value += c->setup.count[p];
    }
    if (c->chunk) return add_frame(c, to, err);
    return ++c->early_count > c->max_lag ? start_with(c, false, err) : 0;
}

int tcf_correlator_break(struct tcf_correlator *c, struct trj_error *err) {
    if (!c->chunk && start_with(c, false, err)) return -1;
    if (!c->frames) return 0;
    if (c->frames % c->chunk) process_chunk(c, (size_t)(c->frames % c->chunk));
    while (c->finished * c->chunk < c->frames) finish_chunk(c);
    c->frames = c->finished = 0;
    return 0;
}

int tcf_correlator_finish(struct tcf_correlator *c, struct trj_error *err) {
    if (!c->chunk && c->early_count) {
        c->max_lag = c->early_count - 1; // fewer than the setup allows
        if (start_with(c, true, err)) return -1;
    }
    return tcf_correlator_break(c, err);
}

const struct tcf_records *tcf_correlator_records(const struct tcf_correlator *c) {
    return &c->records;
}
