// SPDX-License-Identifier: MIT
// Reports the content of a histogram stream; filters/trjinfo.1 explains the keys.
#ifndef RDF_HIST_REPORT_H
#define RDF_HIST_REPORT_H

#include <stddef.h>

#include "error.h"
#include "hist_stream.h"
#include "input.h"
#include "lag_list.h"
#include "report.h"

// The histograms of an input by their lag, in the order of their streams. A zeroed struct is ready for reading.
struct rdf_hist_lags {
    struct rdf_hist *hist[RDF_MAX_LAGS];
    size_t count;
};

// Reads all streams of an input, without keeping counts. Fails as rdf_hist_read and rdf_hist_check_frames; what was
// read before can be reported.
int rdf_hist_lags_read(struct rdf_hist_lags *l, struct trj_input *in, struct trj_error *err);
void rdf_hist_lags_free(struct rdf_hist_lags *l); // not l itself

void rdf_hist_report(struct trj_report *f, const struct rdf_hist_lags *l);

#endif
