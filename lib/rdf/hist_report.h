// SPDX-License-Identifier: MIT
// What is told of a histogram stream; filters/trjinfo.1 says what the keys mean.
#ifndef RDF_HIST_REPORT_H
#define RDF_HIST_REPORT_H

#include "hist_stream.h"
#include "report.h"

void rdf_hist_report(struct trj_report *f, const struct rdf_hist *h);

#endif
