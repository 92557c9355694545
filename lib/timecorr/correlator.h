// SPDX-License-Identifier: MIT
// Sums products of numbers of two frames, x(t) x(t + lag), or squares of their differences, over all start frames t of
// a run of frames at equal intervals, for lags from 0 to a largest one. Numbers are divided into parts, such as the
// directions of vectors, which are summed separately.
//
// Frames are added one by one. They are divided into chunks of B frames. Each chunk is filled up with B zeros and
// transformed (FFT); the products of the transforms of two chunks are summed over all numbers of a part, and the sum is
// transformed back, which gives the sums of x(t) x(t + lag) for t in the first and t + lag in the second chunk. With
// this partition of the lags (as in the convolution of long signals: T. G. Stockham, AFIPS Proc. 28, 229 (1966)), a
// frame costs about 4 lags / B multiplications for each number instead of `lags`, and the start frames of each chunk
// have sums of their own, from which errors follow (lag_records.h). B is small at first, so that few frames have
// errors, too, and is doubled as frames are added.
//
// Squares of differences are the sum of squares of t and t + lag minus twice the product. Numbers are then taken
// relative to the first frame of the run, so that no digits are lost far away from 0.
//
// Memory: 16 bytes for each number and lag, that is two float64 numbers for each of the frames of a window.
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
};

struct tcf_correlator;

// *setup and count[parts] are copied. Fails with TRJ_BAD_DATA if the machine has less memory than max_lag requires, in
// case there are as many frames.
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
