// SPDX-License-Identifier: MIT
// Counts the van Hove correlation function, G(r,t) = G_s(r,t) + G_d(r,t): the density of atoms at r and time t, if
// another atom (distinct part) or the same atom (self part) was at the origin at time 0 (L. Van Hove, Phys. Rev. 95,
// 249 (1954)). For each lag n, each frame of a stream is paired with the frame that comes n frames later. With
// several lags, frames are kept until there is a batch of them, and the pairs of a batch are in the order of their
// lags, because engines count many pairs with one lag at once.
//
// Distinct part: pairs of atoms i of A in the earlier frame and j of B in the later one, i != j, with all images, by
// the rule of job.h. Engines count them as pairs of one frame of 2 N atoms, in which the atoms and groups of the later
// frame follow those of the earlier one. Engines also count i = j with all images; these are counted here by the same
// rule and subtracted.
//
// The cell of the earlier frame is used. If the later frame has another cell, its atoms keep their fractional
// coordinates along the periods, in one basis for all frames of a series (frame/cell_basis.h):
//     x' = x + sum over periods k of (g_k . x) (a_k - a'_k)
// in float64, rounded to float32. g_k and a'_k belong to the later cell, a_k to the earlier one; x' = x if the cells
// are equal. Images then fill space without gaps, and the scaling by a barostat does not count as motion. gmx vanhove
// corrects for it, too.
//
// Self part: atoms that are in A in the earlier frame and in B in the later one, d = (x'_i - x_i) + n . H in the order
// of the rule. n follows the atom from frame to frame: each step goes to the nearest image in fractional coordinates,
// so that wrapped and unwrapped trajectories give the same result. This is correct if steps are shorter than half a
// period; the record contains the longest one.
//
// Frames form a series if the gap between them is the interval, the most common gap (format/interval_reader.h). Gaps
// are in ps, or if that is unknown in MD steps, or in numbers of frames of one source. At other places, as between
// files of different runs, a new series begins; no pair of frames spans such a place.
#ifndef RDF_VAN_HOVE_H
#define RDF_VAN_HOVE_H

#include "error.h"
#include "frame.h"
#include "frame_gap.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "job.h"
#include "lag_list.h"

struct rdf_van_hove;

// `job` is the job for one frame, with the groups of the header; it gives bins and pairs of groups. There must be a
// lag. Fills lag.frames (the first lag), lag.own and pairs[].pairs of the set-up, which shares its pairs with the job;
// *v keeps ownership of lag.own. Lags, header and set-up must outlive *v,
// as must the interval, which must be set before the first frame. Fails with TRJ_BAD_DATA if a pair of groups
// contains no pair of atoms, or if frames were centred or superposed (frame/movement.h).
int rdf_van_hove_open(struct rdf_van_hove **v, const struct rdf_lag_list *lags, const struct trj_gap *interval,
                      const struct trj_stream_header *h, const struct rdf_job *job, struct rdf_setup *setup,
                      struct trj_error *err);
void rdf_van_hove_close(struct rdf_van_hove *v); // NULL is allowed

// Changes a job for one frame to a job for both frames: atoms, groups, pairs. `v` keeps ownership of the arrays.
void rdf_van_hove_job(const struct rdf_van_hove *v, struct rdf_job *job);

// Takes the next frame and exchanges its memory; as many frames are kept as the largest lag requires. Call it only if
// rdf_van_hove_next has returned 0. Fails with TRJ_BAD_DATA for a frame that cannot be paired with earlier ones.
int rdf_van_hove_take(struct rdf_van_hove *v, struct trj_frame *f, struct trj_error *err);
void rdf_van_hove_end(struct rdf_van_hove *v); // completes the last batch, after the last frame
// Goes to the next pair of frames. Returns 1, or 0 if another frame is required first, or after the last one; -1.
int rdf_van_hove_next(struct rdf_van_hove *v, struct trj_error *err);
size_t rdf_van_hove_lag(const struct rdf_van_hove *v); // returns the number of the lag of the pair of frames
// Returns the time (ps) of a lag, NaN if it is unknown; it is known from the first pair of frames on.
double rdf_van_hove_time(const struct rdf_van_hove *v, size_t lag);
// Return the earlier frame of the pair, and both frames in one, which an engine may exchange. Valid until the next
// frame is taken.
const struct trj_frame *rdf_van_hove_earlier(const struct rdf_van_hove *v);
struct trj_frame *rdf_van_hove_both(struct rdf_van_hove *v);
// Returns the cell of the earlier frame as it was read. In the frames of the pair, its vectors are those of the basis
// that is followed, which become long in a system under shear.
const struct trj_cell *rdf_van_hove_cell(const struct rdf_van_hove *v);

// Counts the pairs i = j of the current pair of frames, if `computes` is set, before an engine exchanges it, and adds
// everything but counts to the record. rdf_van_hove_own returns the number of these pairs, [pair_count].
int rdf_van_hove_count(struct rdf_van_hove *v, struct rdf_record *record, bool computes, struct trj_error *err);
const uint64_t *rdf_van_hove_own(const struct rdf_van_hove *v);
// Subtracts the pairs i = j since the last call from the counts of an engine, modulo 2^64, and adds the counts of
// displacements to `moved`; both [pair_count][bins].
void rdf_van_hove_finish(struct rdf_van_hove *v, uint64_t *counts, uint64_t *moved);

// Call it after the last of `frames` frames. Fails with TRJ_BAD_DATA if no two of them are as far apart as one of the
// lags, or if frames were paired and another gap between frames is more common than the interval; rdf_van_hove_take
// rejects a gap earlier if it is more common by TRJ_GAP_MARGIN. Otherwise `note` is the text that a caller should
// report; "" if all frames are evenly spaced.
int rdf_van_hove_check_series(const struct rdf_van_hove *v, uint64_t frames, char note[TRJ_GAP_NOTE],
                              struct trj_error *err);

#endif
