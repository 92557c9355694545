// SPDX-License-Identifier: MIT
// What is told of a histogram stream; filters/trjinfo.1 says what the keys mean.
#ifndef RDF_HIST_FACTS_H
#define RDF_HIST_FACTS_H

#include "facts.h"
#include "hist_stream.h"

void rdf_hist_facts(struct trj_facts *f, const struct rdf_hist *h);

#endif
