// SPDX-License-Identifier: MIT
// Counts products of the amplitudes of waves (wave_amplitude.h) into the records of a histogram stream.
//
// For each vector of a frame in a shell, each lag n, and each pair of groups A:B, a record has the sum over frames of
//
//     Re(rho_A(k, t - n) rho_B(k, t)*)
//
// where t is the frame, and t - n the frame n before it, in the same series: all gaps between consecutive frames are
// the interval, the most common gap (format/interval_reader.h). The vector has the same h, k and l in both frames, in
// one basis of the cells (frame/cell_basis.h), and its length and shell are those of the later one. It must be in a
// shell in both. With A = B and n = 0, a product is |rho_A(k)|^2.
//
// Products are computed in float64 as (re_A re_B) + (im_A im_B) from the integers, times 2^(-2 bits), and are rounded
// to multiples of RDF_WAVE_QUANTUM, half to even. As sums of integers, the counts do not depend on the order of frames
// and records. Products are at most 2^64, and a record has fewer than 2^38 of them, so that no sum overflows.
#ifndef WAV_COUNT_H
#define WAV_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_gap.h"
#include "frame_share.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "wave_engine.h"

struct wav_counter;

// Counts the pairs of the set-up, whose waves must be complete except for the interval. The caller owns job, set-up,
// interval and engine, which must outlive *c; without lags, the interval is not used. `share`: the frames of which this
// process adds products; NULL: all.
int wav_counter_open(struct wav_counter **c, const struct wav_job *job, struct rdf_setup *setup,
                     const struct trj_gap *interval, const struct wav_engine *engine, void *state,
                     const struct work_share *share, struct trj_error *err);
// Adds a frame to its record. If there are lags, the interval of the set-up is the mean time between the frames of a
// series: times are often rounded to float32, so that the mean becomes more precise with more frames. Fails with
// TRJ_BAD_DATA if rdf_job_check_frame rejects the frame, and as wav_vectors_find and trj_basis_follow.
int wav_counter_add(struct wav_counter *c, const struct trj_frame *f, struct rdf_record *record, struct trj_error *err);
// Call it after the last frame; `note` reports gaps, and lags for which there are no two frames. Fails with TRJ_USAGE
// if nothing was counted: if no frame has a vector in a shell, or no lag has two frames.
int wav_counter_end(const struct wav_counter *c, void (*note)(const char *text), struct trj_error *err);
void wav_counter_close(struct wav_counter *c); // NULL is allowed

#endif
