// SPDX-License-Identifier: MIT
// Reports the content of a histogram stream; filters/trjinfo.1 explains the keys.
#ifndef RDF_HIST_REPORT_H
#define RDF_HIST_REPORT_H

#include "hist_stream.h"
#include "report.h"

void rdf_hist_report(struct trj_report *f, const struct rdf_hist *h);

#endif
