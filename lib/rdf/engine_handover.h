// SPDX-License-Identifier: MIT
// Counts with one engine while another, faster one starts (work/engine_start.h), and then with that one. The counts do
// not depend on the frame at which the second engine takes over, because they are sums of integers.
//
// The second engine is started only if it is likely to pay (work_start_pays), and after the first frames have been
// counted. If it cannot be used, the first engine counts all frames. job->note reports the hand-over, or a
// failure; not one that the probe of the second engine returns, which means that this engine is not available here.
//
// The functions implement those of struct rdf_engine. For tests, the environment variable TRJPIPE_HANDOVER=N makes the
// second engine take over at frame N, counted from 0: the start begins with the first frame and is waited for.
#ifndef RDF_ENGINE_HANDOVER_H
#define RDF_ENGINE_HANDOVER_H

#include <stdint.h>

#include "engine.h"

// Opens `first`; it uses `second` later. If the process may end before the start of the second engine
// (work_start_abandoned), the job and what it refers to must stay valid until then. Fails with TRJ_USAGE if
// TRJPIPE_HANDOVER is not a number.
int rdf_handover_open(void **engine, const struct rdf_engine *first, const struct rdf_engine *second,
                      const struct rdf_job *job, struct trj_error *err);
int rdf_handover_add(void *engine, struct trj_frame *frame, struct trj_error *err);
int rdf_handover_cut(void *engine, uint64_t tag, struct trj_error *err);
int rdf_handover_finish(void *engine, uint64_t *counts, struct trj_error *err);
void rdf_handover_stats(void *engine, struct rdf_engine_stats *stats);
void rdf_handover_close(void *engine);

#endif
