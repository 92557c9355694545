// SPDX-License-Identifier: MIT
// Counts with one engine while another, faster one starts, and then with that one (work/handover.h). The counts do not
// depend on the frame at which the second engine takes over, because they are sums of integers. job->note reports the
// hand-over. The functions implement those of struct rdf_engine.
#ifndef RDF_ENGINE_HANDOVER_H
#define RDF_ENGINE_HANDOVER_H

#include <stdint.h>

#include "engine.h"

// Opens `first`; it uses `second` later. If the process may end before the start of the second engine
// (work_start_abandoned), the job and what it refers to must stay valid until then. Fails as work_handover_open.
int rdf_handover_open(void **engine, const struct rdf_engine *first, const struct rdf_engine *second,
                      const struct rdf_job *job, struct trj_error *err);
int rdf_handover_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int rdf_handover_end_record(void *engine, uint64_t tag, struct trj_error *err);
int rdf_handover_finish(void *engine, uint64_t *counts, struct trj_error *err);
void rdf_handover_stats(void *engine, struct trj_engine_stats *stats);
void rdf_handover_close(void *engine);

#endif
