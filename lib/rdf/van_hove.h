// SPDX-License-Identifier: MIT
// Van Hove's correlation function, G(r,t) = G_s(r,t) + G_d(r,t): where atoms are, a time after another atom, or they themselves, was at the
// origin (L. Van Hove, Phys. Rev. 95, 249 (1954)). Every frame of a stream is paired with the one that comes `lag` frames later.
//
// Distinct part: atoms i of A in the earlier frame, j of B in the later one, i != j, with all images, by the rule of job.h. Engines count them as
// the pairs of one frame of 2 N atoms, those of the later frame behind those of the earlier one, groups likewise. They count i = j, too, with all
// images; these are counted here by the same rule and taken off.
//
// The cell is that of the earlier frame. Where the later one has another, its atoms keep their fractional coordinates along the periods:
//     x' = x + sum over periods k of (g_k . x) (a_k - a'_k)       float64, rounded to float32; g_k the later cell's, x' = x in the same cell
// so that images fill space without gaps and a barostat's scaling is no motion, as gmx vanhove corrects for it, too.
//
// Self part: atoms in A earlier and in B later, d = (x'_i - x_i) + n . H in the order of the rule. n follows the atom from frame to frame: at each
// step the image is the nearest one in fractional coordinates. Wrapped and unwrapped trajectories give the same. This is right while steps are
// below half a period; the record tells the longest one.
//
// Frames follow one another where the time between them is the same all along: in ps, or where that is not known in MD steps, or in numbers of
// frames of one source. Elsewhere, as between files of different runs, the series is broken: no pair of frames lies across.
#ifndef RDF_VAN_HOVE_H
#define RDF_VAN_HOVE_H

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "job.h"

enum { RDF_MAX_LAG = 1000000000 };

struct rdf_van_hove;

// The job is that of one frame, with the groups of the header, and tells bins and pairs of groups. Fills lag.frames, lag.own and pairs[].pairs of the
// set-up, which has the job's pairs; lag.own is v's. Header and set-up must outlive it. TRJ_BAD_DATA where a pair of groups has no pair of atoms at all.
int rdf_van_hove_open(struct rdf_van_hove **v, uint64_t lag, const struct trj_stream_header *h,
                      const struct rdf_job *job, struct rdf_setup *setup, struct trj_error *err);
void rdf_van_hove_close(struct rdf_van_hove *v); // NULL is allowed

// Makes a job of one frame that of both: atoms, groups, pairs. These are v's.
void rdf_van_hove_job(const struct rdf_van_hove *v, struct rdf_job *job);

// Takes the next frame, whose memory is exchanged; all of `lag` frames are kept. 1: there is a pair; 0: not yet. TRJ_BAD_DATA for frames that have no
// place in a pair with those before. Sets lag.time of the set-up with the first pair.
int rdf_van_hove_take(struct rdf_van_hove *v, struct trj_frame *f, struct trj_error *err);
// Of the pair, until the next is taken: the earlier frame, and both in one, which an engine may exchange.
const struct trj_frame *rdf_van_hove_earlier(const struct rdf_van_hove *v);
struct trj_frame *rdf_van_hove_both(struct rdf_van_hove *v);

// Counts atoms with themselves in both, which has not been exchanged yet, and adds to the record what it tells but for the counts. Of the frame in hand
// own[pair_count] are left.
int rdf_van_hove_count(struct rdf_van_hove *v, struct rdf_record *record, struct trj_error *err);
const uint64_t *rdf_van_hove_own(const struct rdf_van_hove *v);
// Takes i = j off an engine's counts, both of the frames since the last time, and puts how far atoms went into moved; both [pair_count][bins].
void rdf_van_hove_finish(struct rdf_van_hove *v, uint64_t *counts, uint64_t *moved);

// Call it after the last of `frames` frames. Fails with TRJ_BAD_DATA if no two of them are `lag` frames apart, or if
// frames were paired and another gap between frames is more common than theirs, for example because the first gap is
// irregular; rdf_van_hove_take rejects a gap earlier if it is more common by RDF_GAP_MARGIN. Otherwise `note` is what a
// caller should report; "" if all frames are evenly spaced.
enum { RDF_SERIES_NOTE = 160 };
int rdf_van_hove_check_series(const struct rdf_van_hove *v, uint64_t frames, char note[RDF_SERIES_NOTE],
                              struct trj_error *err);

#endif
