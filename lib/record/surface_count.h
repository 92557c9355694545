// SPDX-License-Identifier: MIT
// The option that counts distances from surfaces (surface_search.h), and its use by a filter: rdf_surface_option_table
// is for its table of options; rdf_surface_options_check checks it before input is read; rdf_surface_counter_open adds
// it to a set-up and opens the counter, which adds each frame to its record. The counts are always found on the CPU.
#ifndef RDF_SURFACE_COUNT_H
#define RDF_SURFACE_COUNT_H

#include <stdbool.h>

#include "engine.h"
#include "error.h"
#include "frame.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "job.h"
#include "metric_options.h"
#include "surface_search.h"
#include "tool.h"

struct rdf_surface_options {
    const char *surface; // as given; NULL: not given
};

// Rows for the option table of a filter with a static struct rdf_surface_options (tool.h).
extern const struct trj_option rdf_surface_option_table[];

// Fails with TRJ_USAGE for an invalid value, and for combinations that are not counted: with a lag, with excluded pairs
// (NULL: none), with a metric, with layers and with own images.
int rdf_surface_options_check(const struct rdf_surface_options *o, bool lag, const char *exclude,
                              const struct rdf_measurement *m, struct trj_error *err);

struct rdf_surface_counter;

// Sets `surface` of the set-up, and opens *c; leaves it NULL if the option is not given. The pairs of the set-up must
// be complete; job and set-up must outlive the counter. All engines but the reference count by tiles. Fails with
// TRJ_USAGE as rdf_surface_search_open, and with TRJ_BAD_DATA if the stream does not contain the residues or molecules.
int rdf_surface_counter_open(struct rdf_surface_counter **c, const struct rdf_surface_options *o,
                             const struct trj_stream_header *h, const struct rdf_job *job, struct rdf_setup *setup,
                             const struct rdf_engine *engine, struct trj_error *err);
// Counts a frame into its record, which rdf_record_open_surface has opened.
int rdf_surface_counter_add(struct rdf_surface_counter *c, const struct trj_frame *f, struct rdf_record *record,
                            struct trj_error *err);
void rdf_surface_counter_close(struct rdf_surface_counter *c); // NULL is allowed

#endif
