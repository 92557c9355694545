// SPDX-License-Identifier: MIT
// Chooses how the sums of a signal are computed, and which frames of a segment they require.
#include "lag_sums.h"

#include <stdlib.h>

#include "lag_grid.h"
#include "memory.h"
#include "start_frames.h"
#include "start_tree.h"

static struct tcf_octaves_setup setup_of(const struct tcf_signal *signal, const struct tcf_options *options) {
    return (struct tcf_octaves_setup){.numbers = {.parts = signal->parts,
                                                  .count = signal->count,
                                                  .differences = signal->differences,
                                                  .max_lag = options->lags,
                                                  .range = TCF_ALL},
                                      .per_octave = options->per_octave};
}

enum tcf_sums_kind tcf_sums_kind(const struct tcf_signal *signal, const struct tcf_options *options) {
    if (signal->fluctuations) return TCF_SUMS_VALUES;
    return options->per_octave ? TCF_SUMS_LEAVES : TCF_SUMS_NODES;
}

double tcf_lag_sums_bytes(const struct tcf_signal *signal, const struct tcf_options *options) {
    const struct tcf_octaves_setup setup = setup_of(signal, options);
    if (signal->list_pairs) return tcf_starts_bytes(options->lags);
    if (signal->members) return TCF_PAIR_BYTES * (double)signal->members + tcf_starts_bytes(options->lags);
    return options->per_octave ? tcf_octaves_bytes(&setup) : tcf_correlator_bytes(&setup.numbers);
}

// ------------------------------------------------------------------------------------------------------------ segments

// Returns whether sums are those of chunks, of which a segment has whole spans.
static bool has_spans(const struct tcf_signal *signal, const struct tcf_options *options) {
    return tcf_sums_kind(signal, options) == TCF_SUMS_NODES && !signal->members && !signal->list_pairs;
}

// Returns the first frame at or after this one that begins a span.
static uint64_t span_at(const struct tcf_options *options, uint64_t frame) {
    const uint64_t span = tcf_correlator_span(options->lags);
    return (frame + span - 1) / span * span;
}

uint64_t tcf_lag_sums_overlap(const struct tcf_signal *signal, const struct tcf_options *options) {
    if (signal->fluctuations) return 1; // the interval to the next segment
    if (!has_spans(signal, options)) return options->lags;
    return tcf_correlator_span(options->lags) - 1 + tcf_correlator_overlap(options->lags);
}

uint64_t tcf_lag_sums_following(const struct tcf_signal *signal, const struct tcf_options *options,
                                const struct trj_stream_segment *segment) {
    const uint64_t end = segment->first + segment->count, left = segment->total - end;
    uint64_t most = tcf_lag_sums_overlap(signal, options);
    if (has_spans(signal, options)) {
        const uint64_t last = span_at(options, end);
        most = span_at(options, segment->first) < last ? last - end + tcf_correlator_overlap(options->lags) : 1;
    }
    return most < left ? most : left;
}

static int open_spans(struct tcf_lag_sums *s, struct tcf_correlator_setup *setup, const struct tcf_options *options,
                      const struct trj_stream_segment *segment, struct trj_error *err) {
    const size_t chunk = tcf_correlator_chunk(options->lags);
    uint64_t last = span_at(options, segment->first + segment->count);
    if (segment->total <= options->lags)
        return trj_fail(err, TRJ_BAD_DATA,
                        "segments of %llu frames in all require a largest lag below this number; use fewer lags "
                        "(--lags), or one run over all frames",
                        (unsigned long long)segment->total);
    s->first = span_at(options, segment->first);
    if (last > segment->total) last = segment->total;
    if (s->first >= last) { // the span in which the segment lies belongs to an earlier one
        s->end = s->first;
        return 0;
    }
    s->end = last + tcf_correlator_overlap(options->lags);
    setup->range = (struct tcf_range){s->first / chunk, (last - s->first + chunk - 1) / chunk};
    return tcf_correlator_open(&s->correlator, setup, err);
}

// ---------------------------------------------------------------------------------------------------------------- sums

int tcf_lag_sums_open(struct tcf_lag_sums *s, const struct tcf_signal *signal, const struct tcf_options *options,
                      const struct trj_stream_segment *segment, unsigned threads, struct trj_error *err) {
    const bool divided = segment->count && !signal->fluctuations;
    const struct tcf_range own = {segment->first, segment->count}, range = divided ? own : TCF_ALL;
    struct tcf_octaves_setup setup = setup_of(signal, options);
    setup.numbers.threads = threads;
    s->frame = s->first = divided ? segment->first : 0;
    s->end = UINT64_MAX;
    if (divided && has_spans(signal, options)) return open_spans(s, &setup.numbers, options, segment, err);
    if (divided) {
        s->end = segment->first + segment->count + options->lags;
        setup.range = &range;
        setup.frames = segment->total;
    }
    s->members = signal->members;
    if (signal->list_pairs || s->members) return tcf_pair_history_open(&s->history, options->lags, range, err);
    return options->per_octave ? tcf_octaves_open(&s->octaves, &setup, err)
                               : tcf_correlator_open(&s->correlator, &setup.numbers, err);
}

int tcf_lag_sums_open_joined(struct tcf_lag_sums *s, enum tcf_sums_kind kind, size_t parts,
                             const struct tcf_options *options, uint64_t total, struct trj_error *err) {
    const size_t lags = tcf_lag_count(options->per_octave, options->lags);
    if (kind == TCF_SUMS_LEAVES) return tcf_tree_open(&s->tree, parts, lags, total, NULL, err);
    if (!(s->records = trj_alloc(1, sizeof *s->records, "sums of lags", err))) return -1;
    return tcf_records_open(s->records, parts, lags, TCF_ALL, err);
}

void tcf_lag_sums_close(struct tcf_lag_sums *s) {
    tcf_correlator_close(s->correlator);
    tcf_octaves_close(s->octaves);
    tcf_pair_history_close(s->history);
    tcf_tree_close(s->tree);
    if (s->records) tcf_records_free(s->records);
    free(s->records);
}

int tcf_lag_sums_add(struct tcf_lag_sums *s, const double *value, struct trj_error *err) {
    const uint64_t frame = s->frame++;
    if (frame < s->first || frame >= s->end) return 0;
    if (s->correlator) return tcf_correlator_add(s->correlator, value, err);
    if (s->octaves) return tcf_octaves_add(s->octaves, value, err);
    return tcf_pair_history_add_set(s->history, value, s->members, err) ? -1
                                                                        : tcf_pair_history_end_frame(s->history, err);
}

int tcf_lag_sums_break(struct tcf_lag_sums *s, struct trj_error *err) {
    if (s->correlator) return tcf_correlator_break(s->correlator, err);
    if (s->octaves) tcf_octaves_break(s->octaves);
    return s->history ? tcf_pair_history_break(s->history, err) : 0;
}

int tcf_lag_sums_finish(struct tcf_lag_sums *s, struct trj_error *err) {
    if (s->correlator) return tcf_correlator_finish(s->correlator, err);
    if (s->octaves) return tcf_tree_finish(tcf_octaves_tree(s->octaves), err);
    if (s->tree) return tcf_tree_finish(s->tree, err);
    if (s->records) return tcf_records_finish(s->records, err);
    return s->history ? tcf_pair_history_finish(s->history, err) : 0;
}

const struct tcf_records *tcf_lag_sums_records(const struct tcf_lag_sums *s) {
    if (s->correlator) return tcf_correlator_records(s->correlator);
    if (s->history) return tcf_pair_history_records(s->history);
    if (s->octaves) return tcf_tree_records(tcf_octaves_tree(s->octaves));
    return s->tree ? tcf_tree_records(s->tree) : s->records;
}
