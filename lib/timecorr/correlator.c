// SPDX-License-Identifier: MIT
// Divides runs of frames into chunks, and turns the sums of their products into records.
#include "correlator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chunk_products.h"
#include "memory.h"

enum {
    MIN_CHUNK = 4, // frames
    CHUNKS = 30,   // least number of chunks in the largest lag and 1, unless these are shorter than MIN_CHUNK
    WHOLE = 256,   // a run of known length is correlated as a whole if a frame has this many numbers, to save memory
};
static const char what[] = "windows of frames";

struct tcf_correlator {
    struct tcf_correlator_setup setup; // without `count`
    size_t *count;                     // [parts]
    struct tcf_layout layout;
    struct tcf_products *products;
    uint64_t max_lag; // that of the setup, or less if there are fewer frames
    // Frames of the next group; at first, those until it is known whether they are fewer than the largest lag.
    double *frame; // [held][width]
    size_t held;
    size_t *run_end; // [run_ends] held frames where runs end
    size_t run_ends, run_ends_capacity;
    size_t chunk;               // frames of a chunk; 0: not yet chosen
    size_t window;              // a frame at the largest lag is at most this number of chunks later
    size_t span;                // chunks
    size_t slots;               // chunks that have sums
    size_t group;               // frames that are correlated together; SIZE_MAX: all of a run
    uint64_t frames;            // of the run
    uint64_t grouped, finished; // of the run: chunks that are correlated; chunks whose sums are complete
    uint64_t earlier_chunks;    // of earlier runs
    double *origin[2];          // [width] the first frames of the span and of the one before, alternating
    double *own;                // [slots chunk][2][parts] sums of squares of the last frames, relative to both origins
    double *sum;                // [slots][parts][max_lag + 1] sums of products for the start frames of a chunk
    double *pairs, *before;     // [max_lag + 1], [max_lag + chunk + 1]
    struct tcf_records records;
};

// ------------------------------------------------------------------------------------------------------------- lengths

static size_t chunk_of(uint64_t lags) {
    size_t chunk = MIN_CHUNK;
    while (2 * chunk <= lags / CHUNKS) chunk *= 2;
    return chunk;
}

// Returns the number of chunks that contain a number of frames.
static size_t chunks_in(uint64_t frames, size_t chunk) {
    return (size_t)((frames + chunk - 1) / chunk);
}

// A window, and a run with no more frames than it, belong to two spans or one.
static size_t span_of(uint64_t max_lag, size_t chunk) {
    size_t span = TCF_GROUP;
    while (span < chunks_in(max_lag + 1, chunk)) span *= 2;
    return span;
}

size_t tcf_correlator_chunk(uint64_t max_lag) {
    return chunk_of(max_lag + 1);
}

uint64_t tcf_correlator_span(uint64_t max_lag) {
    const size_t chunk = tcf_correlator_chunk(max_lag);
    return (uint64_t)span_of(max_lag, chunk) * chunk;
}

uint64_t tcf_correlator_overlap(uint64_t max_lag) {
    const size_t chunk = tcf_correlator_chunk(max_lag);
    return (uint64_t)chunks_in(max_lag, chunk) * chunk;
}

// ------------------------------------------------------------------------------------------------------------- opening

// The peak is that of a window and a group, and of the first frames, which are kept until they are transformed.
double tcf_correlator_bytes(const struct tcf_correlator_setup *setup) {
    double width = 0;
    for (size_t p = 0; p < setup->parts; p++) {
        const size_t blocks = (setup->count[p] + TCF_BLOCK - 1) / TCF_BLOCK;
        width += (double)(blocks * TCF_BLOCK);
    }
    return (setup->differences ? 32 : 28) * width * (double)setup->max_lag;
}

static int open_frames(struct tcf_correlator *c, size_t capacity, struct trj_error *err) {
    if (!(c->frame = trj_alloc(capacity, c->layout.width * sizeof *c->frame, what, err))) return -1;
    trj_use_large_pages(c->frame, capacity * c->layout.width * sizeof *c->frame);
    return 0;
}

int tcf_correlator_open(struct tcf_correlator **result, const struct tcf_correlator_setup *setup,
                        struct trj_error *err) {
    struct tcf_correlator *c = *result = trj_alloc(1, sizeof *c, "correlations", err);
    if (!c) return -1;
    c->setup = *setup;
    c->max_lag = setup->max_lag;
    if (!(c->count = trj_alloc(setup->parts, sizeof *c->count, "correlations", err)) ||
        tcf_layout_open(&c->layout, setup->parts, setup->count, err))
        return -1;
    memcpy(c->count, setup->count, setup->parts * sizeof *c->count);
    for (int k = 0; k < 2; k++)
        if (!(c->origin[k] = trj_alloc(c->layout.width, sizeof *c->origin[k], "a frame", err))) return -1;
    return open_frames(c, (size_t)setup->max_lag + 1, err);
}

void tcf_correlator_close(struct tcf_correlator *c) {
    if (!c) return;
    double *const arrays[] = {c->frame, c->origin[0], c->origin[1], c->own, c->sum, c->pairs, c->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    tcf_products_close(c->products);
    tcf_records_free(&c->records);
    tcf_layout_free(&c->layout);
    free(c->run_end);
    free(c->count);
    free(c);
}

// Chooses the length of chunks. `known`: the frames that are held are all frames.
static int start(struct tcf_correlator *c, bool known, struct trj_error *err) {
    const size_t parts = c->setup.parts, lags = (size_t)c->max_lag + 1;
    const bool whole = known && c->layout.width >= WHOLE;
    c->chunk = tcf_correlator_chunk(c->max_lag);
    c->window = chunks_in(c->max_lag, c->chunk);
    c->span = span_of(c->max_lag, c->chunk);
    c->group = whole ? SIZE_MAX : TCF_GROUP * c->chunk;
    const struct tcf_products_setup setup = {.layout = &c->layout,
                                             .max_lag = c->max_lag,
                                             .chunk = c->chunk,
                                             .window = c->window,
                                             .whole = whole,
                                             .spans = c->setup.differences && !known,
                                             .threads = c->setup.threads};
    if (tcf_products_open(&c->products, &setup, err)) return -1;
    c->slots = tcf_products_slots(c->products);
    if (!(c->own = trj_alloc(c->slots * c->chunk, 2 * parts * sizeof *c->own, what, err)) ||
        !(c->sum = trj_alloc(c->slots * parts, lags * sizeof *c->sum, what, err)) ||
        !(c->pairs = trj_alloc(lags, sizeof *c->pairs, what, err)) ||
        !(c->before = trj_alloc(lags + c->chunk, sizeof *c->before, what, err)))
        return -1;
    return tcf_records_open(&c->records, parts, lags, c->setup.range, err);
}

// ---------------------------------------------------------------------------------------------------------------- sums

// Returns the number of the span of a frame of the run.
static uint64_t span_at(const struct tcf_correlator *c, uint64_t frame) {
    return frame / c->chunk / c->span;
}

// Returns the sums of squares of a frame that is kept, relative to the first frame of its span, or of the one before.
static double *own_at(const struct tcf_correlator *c, uint64_t frame, bool before) {
    const size_t kept = c->slots * c->chunk;
    return c->own + (2 * (kept ? (size_t)(frame % kept) : 0) + before) * c->setup.parts;
}

// Sets c->before[i] to the sum of squares of a part over the first i frames from `start` on, relative to the first
// frame of the span of the first one.
static void sum_squares(struct tcf_correlator *c, uint64_t start, size_t part) {
    const uint64_t known = c->frames - start, most = c->max_lag + c->chunk, span = span_at(c, start);
    c->before[0] = 0;
    for (size_t i = 0; i < (known < most ? known : most); i++)
        c->before[i + 1] = c->before[i] + own_at(c, start + i, span_at(c, start + i) > span)[part];
}

// Returns the sums for start frames in a chunk.
static double *sum_at(const struct tcf_correlator *c, uint64_t chunk) {
    return c->sum + (c->slots ? (size_t)(chunk % c->slots) : 0) * c->setup.parts * ((size_t)c->max_lag + 1);
}

// Adds the sums of the next chunk whose later frames are all known to the records.
static int finish_chunk(struct tcf_correlator *c, struct trj_error *err) {
    const size_t lags = (size_t)c->max_lag + 1;
    const uint64_t start = c->finished * c->chunk;
    double *sum = sum_at(c, c->finished++);
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
    return tcf_records_add(&c->records, sum, c->pairs, err);
}

// -------------------------------------------------------------------------------------------------------------- frames

// Sets the sums of squares of a frame of the run relative to an origin.
static void set_own(struct tcf_correlator *c, const double *x, bool before) {
    const double *origin = c->origin[(span_at(c, c->frames) & 1) ^ before];
    double *own = own_at(c, c->frames, before);
    for (size_t p = 0; p < c->setup.parts; p++) {
        double lane[TCF_BLOCK] = {0};
        for (size_t i = c->layout.first[p] * TCF_BLOCK; i < c->layout.first[p + 1] * TCF_BLOCK; i += TCF_BLOCK)
            for (size_t k = 0; k < TCF_BLOCK; k++) lane[k] += (x[i + k] - origin[i + k]) * (x[i + k] - origin[i + k]);
        own[p] = 0;
        for (size_t k = 0; k < TCF_BLOCK; k++) own[p] += lane[k];
    }
}

// Adds a frame to the run, but not to its products.
static void count_frame(struct tcf_correlator *c, const double *x) {
    if (c->setup.differences) {
        const uint64_t span = span_at(c, c->frames);
        if (c->frames == span * c->span * c->chunk) memcpy(c->origin[span & 1], x, c->layout.width * sizeof *x);
        set_own(c, x, false);
        if (span) set_own(c, x, true);
    }
    c->frames++;
}

// Correlates the frames of the run that are not in a group.
static int correlate(struct tcf_correlator *c, const double *frame, struct trj_error *err) {
    const uint64_t first = c->grouped, span = first / c->span;
    const uint64_t starts = c->setup.range.count > c->earlier_chunks ? c->setup.range.count - c->earlier_chunks : 0;
    struct tcf_group g = {.frame = frame,
                          .frames = (size_t)(c->frames - first * c->chunk),
                          .number = first,
                          .end = starts,
                          .origin = c->origin[0]};
    if (c->setup.differences) {
        g.origin = c->origin[span & 1];
        g.span = span * c->span;
        g.before = span && first - g.span < c->window ? c->origin[!(span & 1)] : NULL;
    }
    if (!g.frames) return 0;
    c->grouped += chunks_in(g.frames, c->chunk);
    for (uint64_t i = first; i < c->grouped; i++)
        memset(sum_at(c, i), 0, c->setup.parts * ((size_t)c->max_lag + 1) * sizeof *c->sum);
    tcf_products_add(c->products, &g, c->sum);
    while (c->finished + c->window < c->grouped)
        if (finish_chunk(c, err)) return -1;
    return 0;
}

static int end_run(struct tcf_correlator *c, const double *frame, struct trj_error *err) {
    if (correlate(c, frame, err)) return -1;
    while (c->finished < c->grouped)
        if (finish_chunk(c, err)) return -1;
    c->earlier_chunks += c->finished;
    c->frames = c->grouped = c->finished = 0;
    return 0;
}

// Counts the frames that are held, from `first` on, correlates groups and runs that are complete, and moves the rest to
// the beginning.
static int add_held(struct tcf_correlator *c, size_t first, struct trj_error *err) {
    size_t group = 0, ends = 0;
    for (size_t i = first; i <= c->held; i++) {
        for (; ends < c->run_ends && c->run_end[ends] == i; ends++, group = i)
            if (end_run(c, c->frame + group * c->layout.width, err)) return -1;
        if (i == c->held) break;
        count_frame(c, c->frame + i * c->layout.width);
        if (i + 1 - group < c->group) continue;
        if (correlate(c, c->frame + group * c->layout.width, err)) return -1;
        group = i + 1;
    }
    c->run_ends = 0;
    c->held -= group;
    if (group) memmove(c->frame, c->frame + group * c->layout.width, c->held * c->layout.width * sizeof *c->frame);
    return 0;
}

// Chooses the length of chunks, and correlates the frames that are held, which are fewer than a group afterwards.
static int start_with_held(struct tcf_correlator *c, bool known, struct trj_error *err) {
    if (start(c, known, err) || add_held(c, 0, err)) return -1;
    if (known) return 0;
    double *all = c->frame;
    int rc = open_frames(c, c->group, err);
    if (!rc) memcpy(c->frame, all, c->held * c->layout.width * sizeof *all);
    free(all);
    return rc;
}

int tcf_correlator_add(struct tcf_correlator *c, const double *value, struct trj_error *err) {
    const bool divided = c->setup.range.first || c->setup.range.count < UINT64_MAX;
    double *frame = c->frame + c->held++ * c->layout.width;
    for (size_t p = 0; p < c->setup.parts; p++) {
        double *to = frame + c->layout.first[p] * TCF_BLOCK, *end = frame + c->layout.first[p + 1] * TCF_BLOCK;
        memcpy(to, value, c->count[p] * sizeof *value);
        for (to += c->count[p]; to < end; to++) *to = 0;
        value += c->count[p];
    }
    if (c->chunk) return add_held(c, c->held - 1, err);
    return c->held > c->max_lag || divided ? start_with_held(c, false, err) : 0;
}

int tcf_correlator_break(struct tcf_correlator *c, struct trj_error *err) {
    if (trj_grow(&c->run_end, &c->run_ends_capacity, c->run_ends + 1, sizeof *c->run_end, "runs of frames", err))
        return -1;
    c->run_end[c->run_ends++] = c->held;
    return c->chunk ? add_held(c, c->held, err) : 0;
}

int tcf_correlator_finish(struct tcf_correlator *c, struct trj_error *err) {
    if (!c->chunk && c->held) c->max_lag = c->held - 1; // fewer than the setup allows
    if (tcf_correlator_break(c, err)) return -1;
    if (!c->chunk && start_with_held(c, true, err)) return -1;
    return tcf_records_finish(&c->records, err);
}

const struct tcf_records *tcf_correlator_records(const struct tcf_correlator *c) {
    return &c->records;
}
