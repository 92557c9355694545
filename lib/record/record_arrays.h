// SPDX-License-Identifier: MIT
// Lists the arrays of a record that only expensive work fills: counts of pairs, neighbours, surfaces and waves. What
// remains of a record follows from the frames at little cost. A part of a run, or one that continues
// (work/frame_share.h, work/checkpoint.h), takes these arrays from elsewhere.
#ifndef RDF_RECORD_ARRAYS_H
#define RDF_RECORD_ARRAYS_H

#include <stddef.h>

#include "checkpoint.h"
#include "error.h"
#include "frame_share.h"
#include "hist_record.h"
#include "hist_setup.h"

// Calls `visit` for each array that the record has, always in the same order; `kind` states what its values are.
int rdf_record_arrays(struct rdf_record *r, const struct rdf_setup *s,
                      int (*visit)(void *arg, void *values, size_t count, enum work_share_kind kind,
                                   struct trj_error *err),
                      void *arg, struct trj_error *err);
// Completes the arrays of a record by those of the other parts (work_share_combine).
int rdf_record_combine(struct rdf_record *r, const struct rdf_setup *s, const struct work_share *share,
                       struct trj_error *err);
// Saves or restores the arrays (work_checkpoint_array).
int rdf_record_checkpoint(struct rdf_record *r, const struct rdf_setup *s, struct work_checkpoint_arrays *a,
                          struct trj_error *err);

#endif
