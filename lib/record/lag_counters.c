// SPDX-License-Identifier: MIT
// Counts several lags in one pass, with one stream for each lag, because frames are read only once.
#include "lag_counters.h"

#include <stdlib.h>

#include "memory.h"
#include "record_arrays.h"

enum { TAG_BITS = 48 }; // of the tags of a merger, which are numbers of frames

// Opens the stream of a lag. The time of the lag is known after its first pair of frames.
static int open_writer(struct rdf_lag_counters *c, size_t k, struct trj_error *err) {
    const struct rdf_van_hove *v = c->counter[k].van_hove;
    if (v) c->setup[k].lag.time = rdf_van_hove_time(v, k);
    return rdf_hist_writer_open(&c->counter[k].writer, c->out, &c->setup[k], c->header, err);
}

int rdf_lag_counters_open(struct rdf_lag_counters *c, const struct rdf_counter *like, const struct rdf_lag_list *lags,
                          bool one_record, struct trj_output *out, const struct trj_stream_header *header,
                          struct trj_error *err) {
    size_t count = lags->count ? lags->count : 1;
    c->out = out;
    c->header = header;
    c->setup = trj_alloc(count, sizeof *c->setup, "counters", err);
    c->counter = c->setup ? trj_alloc(count, sizeof *c->counter, "counters", err) : NULL;
    if (!c->counter) return -1;
    c->count = count;
    for (size_t k = 0; k < count; k++) {
        c->setup[k] = *like->setup;
        if (lags->count) c->setup[k].lag.frames = lags->lag[k];
        c->counter[k] = *like;
        c->counter[k].setup = &c->setup[k];
        c->counter[k].tag = (uint64_t)k << TAG_BITS;
        rdf_merger_open(&c->counter[k].merger, &c->setup[k], one_record);
    }
    if (like->engine->open(&c->counter[0].state, like->job, err)) return -1;
    for (size_t k = 1; k < count; k++) c->counter[k].state = c->counter[0].state;
    return open_writer(c, 0, err);
}

void rdf_lag_counters_close(struct rdf_lag_counters *c) {
    if (c->count && c->counter[0].state) c->counter[0].engine->close(c->counter[0].state);
    for (size_t k = 0; k < c->count; k++) {
        rdf_hist_writer_close(c->counter[k].writer);
        c->counter[k].writer = NULL;
    }
}

void rdf_lag_counters_free(struct rdf_lag_counters *c) {
    for (size_t k = 0; k < c->count; k++) {
        rdf_merger_free(&c->counter[k].merger);
        rdf_heights_free(&c->counter[k].heights);
    }
    free(c->counter);
    free(c->setup);
}

void rdf_lag_counters_deliver(void *counters, uint64_t tag, const uint64_t *counts) {
    struct rdf_lag_counters *c = counters;
    size_t k = tag >> TAG_BITS;
    rdf_merger_deliver(&c->counter[k].merger, tag - c->counter[k].tag, counts);
}

struct rdf_counter *rdf_lag_counters_select(struct rdf_lag_counters *c, size_t lag, struct trj_error *err) {
    if (lag != c->last && rdf_counter_pause(&c->counter[c->last], err)) return NULL;
    c->last = lag;
    return &c->counter[lag];
}

int rdf_lag_counters_arrays(void *counters, struct work_checkpoint_arrays *a, struct trj_error *err) {
    struct rdf_lag_counters *c = counters;
    if (rdf_counter_settle(&c->counter[c->last], err)) return -1;
    for (size_t k = 0; k < c->count; k++) {
        struct rdf_merger *m = &c->counter[k].merger;
        for (size_t i = 0; i < m->count; i++)
            if (rdf_record_checkpoint(&m->record[i], &c->setup[k], a, err)) return -1;
    }
    return 0;
}

static int combine_records(struct rdf_counter *c, struct trj_error *err) {
    for (size_t i = 0; i < c->merger.count; i++)
        if (rdf_record_combine(&c->merger.record[i], c->setup, c->share, err)) return -1;
    return 0;
}

int rdf_lag_counters_finish(struct rdf_lag_counters *c, struct trj_error *err) {
    struct rdf_counter *first = &c->counter[0];
    if (rdf_counter_settle(&c->counter[c->last], err)) return -1;
    for (size_t k = 0; k < c->count; k++) {
        struct rdf_counter *each = &c->counter[k];
        if (combine_records(each, err) || (k && open_writer(c, k, err)) || rdf_counter_write(each, err) ||
            rdf_hist_writer_finish(each->writer, err))
            return -1;
        rdf_hist_writer_close(each->writer);
        each->writer = NULL;
        if (!k) continue;
        first->counted += each->counted;
        first->pairs += each->pairs;
        first->wrote += each->wrote;
        first->excluded += each->excluded;
        first->paired += each->paired;
    }
    return 0;
}
