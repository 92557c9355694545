// SPDX-License-Identifier: MIT
// Sums products of numbers of two frames, x(t) x(t + lag), or squares of their differences, over all start frames t of
// a run of frames at equal intervals, for lags from 0 to a largest one. Numbers are divided into parts, such as the
// directions of vectors, which are summed separately.
//
// Frames are added one by one. They are divided into chunks of B frames, from the first frame of each run on. Each
// chunk is filled up with B zeros and transformed (FFT); the products of the transforms of two chunks are summed over
// all numbers of a part, and the sum is transformed back, which gives the sums of x(t) x(t + lag) for t in the first
// and t + lag in the second chunk. With this partition of the lags (as in the convolution of long signals: T. G.
// Stockham, AFIPS Proc. 28, 229 (1966)), a frame costs about 4 lags / B multiplications for each number instead of
// `lags`, and the start frames of each chunk have sums of their own, from which errors follow (lag_records.h). There
// are 30 to 60 chunks in as many frames as the largest lag has, so that a run of this length has errors, too. If there
// are fewer frames than the setup has lags, the largest lag is their number less one.
//
// Squares of differences are the sum of squares of t and t + lag minus twice the product. Numbers are then taken
// relative to those of a frame in the neighbourhood: the first one of each span, which is a number of chunks that is a
// power of two and not less than the chunks of a window. Therefore no digits are lost far away from 0.
//
// The sums of a part of a run, in another process, have the same bytes: its first frame is the first one of a span, and
// its range of chunks (lag_records.h) a number of spans. After these, it needs tcf_correlator_overlap frames of the
// next part, or all frames up to the end of the run. The nodes of the records are those of the whole run.
//
// Memory: 20 to 24 bytes for each number and lag, for the transforms of the chunks of a window and of a group, and 8
// more while the first frames are read, or 8 alone if there are no more of these than lags.
//
// Transforms and sums have a stated order, and use no function of a mathematical library, so that the same frames give
// the same bytes on every machine.
#ifndef TCF_CORRELATOR_H
#define TCF_CORRELATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lag_records.h"

struct tcf_correlator_setup {
    size_t parts;
    const size_t *count; // [parts] numbers of each part in a frame
    bool differences;    // squares of differences, not products
    uint64_t max_lag;    // frames
    // Chunks of start frames, in the whole run. TCF_ALL: the run is not divided, and can have fewer frames than lags.
    struct tcf_range range;
    unsigned threads; // as in pool.h
};

// Return, for a run with more frames than the largest lag, the frames of a chunk, the frames of a span, and the most
// frames that a part of a run needs after its own.
size_t tcf_correlator_chunk(uint64_t max_lag);
uint64_t tcf_correlator_span(uint64_t max_lag);
uint64_t tcf_correlator_overlap(uint64_t max_lag);

struct tcf_correlator;

// Returns the bytes that are required if there are more frames than max_lag.
double tcf_correlator_bytes(const struct tcf_correlator_setup *setup);
// *setup and count[parts] are copied. Functions with `err` fail if memory is missing.
int tcf_correlator_open(struct tcf_correlator **c, const struct tcf_correlator_setup *setup, struct trj_error *err);
void tcf_correlator_close(struct tcf_correlator *c); // NULL is allowed
// Adds the next frame of the run: value[sum of count], part by part.
int tcf_correlator_add(struct tcf_correlator *c, const double *value, struct trj_error *err);
// Ends a run: later frames are not compared with earlier ones.
int tcf_correlator_break(struct tcf_correlator *c, struct trj_error *err);
// Ends the last run. Afterwards, tcf_correlator_records gives the sums of lags from 0 to the largest one that occurs.
int tcf_correlator_finish(struct tcf_correlator *c, struct trj_error *err);
const struct tcf_records *tcf_correlator_records(const struct tcf_correlator *c);

#endif
