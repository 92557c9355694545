// SPDX-License-Identifier: MIT
// Counts excluded pairs of atoms a second time, separately: pairs in one residue or molecule, or a few bonds apart, so
// that rdfnorm can include them in g(r) or not without a second run.
//
// All images of an excluded pair are excluded, by the rule of job.h. Therefore the remaining g(r) tends to 1 at large
// distances, even if molecules are longer than half the cell, and it does not depend on which image belongs to the
// molecule.
#ifndef RDF_EXCLUSION_H
#define RDF_EXCLUSION_H

#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "job.h"

struct rdf_exclusion;

// `what` is one of
//   residue    atoms of one residue, as given by the stream
//   molecule   atoms of one molecule
//   bonds:N    atoms at most N bonds apart, N from 1 to RDF_MAX_BONDS_APART
//   pairs:FILE pairs listed in a file, one in each line: two atom numbers of the trajectory, from 0. Pairs with an atom
//              that is not in the stream are ignored, as is text after a #
// A centre is in the residue and molecule of its atoms if all of these have the same ones; it has no bonds. Fails with
// TRJ_USAGE if the stream lacks the required data. Sets `exclusion` and `excluded` of the set-up, the pairs of which
// must be those of the job. The exclusion owns both members, so it must outlive the set-up; header and job must outlive
// both. In a job with two frames (van_hove.h), pairs are excluded independently of the frames of their atoms.
enum { RDF_MAX_BONDS_APART = 10 };
int rdf_exclusion_open(struct rdf_exclusion **x, const char *what, const struct trj_stream_header *h,
                       const struct rdf_job *job, struct rdf_setup *setup, struct trj_error *err);
void rdf_exclusion_close(struct rdf_exclusion *x); // NULL is allowed

// Fails with TRJ_USAGE if `what` is not one of the values above. Does not open files.
int rdf_exclusion_check(const char *what, struct trj_error *err);

// Counts the excluded pairs of a frame, in several threads if there are many. For dynamic groups, adds their number to
// the sums of the record; call it after rdf_record_add_groups.
void rdf_exclusion_count(struct rdf_exclusion *x, const struct rdf_setup *setup, const struct trj_frame *f,
                         struct rdf_record *record);
// Adds the counts since the last call to counts[pair_count][bins.count].
void rdf_exclusion_finish(struct rdf_exclusion *x, uint64_t *counts);

#endif
