// SPDX-License-Identifier: MIT
// Pairs of atoms that are counted once more, apart: those of one residue, of one molecule, few bonds from each other. rdfnorm leaves them
// out of g(r) or not, without a second run.
//
// An excluded pair of atoms is so with all its images, by the rule of job.h, as an atom with itself is. So what is left tends to 1 at any
// distance, also where molecules are longer than half the cell, and nothing depends on which image is the molecule's own.
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
//   residue    atoms of one residue, by the stream
//   molecule   atoms of one molecule
//   bonds:N    atoms at most N bonds from each other, 1 to RDF_MOST_STEPS
//   pairs:FILE what a file lists, a pair a line: two numbers of atoms of the trajectory, from 0; pairs of which not both travel are passed
//              over; what stands behind a # is a comment
// Centres are in the residue and the molecule of all of their atoms, and have no bonds. TRJ_USAGE where the stream does not know.
// Sets exclusion and excluded of the set-up, whose pairs are the job's; they are the exclusion's, as it must outlive the set-up. Header
// and job must outlive both. The job may be that of two frames (van_hove.h): atoms are then of one residue, and so on, whenever they are.
enum { RDF_MOST_STEPS = 10 };
int rdf_exclusion_open(struct rdf_exclusion **x, const char *what, const struct trj_stream_header *h,
                       const struct rdf_job *job, struct rdf_setup *setup, struct trj_error *err);
void rdf_exclusion_close(struct rdf_exclusion *x); // NULL is allowed

// TRJ_USAGE unless `what` can be one of those above.
int rdf_exclusion_check(const char *what, struct trj_error *err);

// Counts the excluded pairs of a frame, on the job's threads where they are many, and, where groups change, adds their number to the
// record's sums: after rdf_record_add_groups.
void rdf_exclusion_count(struct rdf_exclusion *x, const struct rdf_setup *setup, const struct trj_frame *f,
                         struct rdf_record *record);
// The counts since the last time, [pair_count][bins.count].
void rdf_exclusion_finish(struct rdf_exclusion *x, uint64_t *counts);

#endif
