// SPDX-License-Identifier: MIT
// Implements `end_record` for simple engines. It is not in engine.c, so that engines do not depend on the list of
// engines.
#include <stdlib.h>

#include "engine.h"
#include "memory.h"

int rdf_engine_end_record_by_finish(const struct rdf_engine *engine, void *state, const struct rdf_job *job,
                                    uint64_t tag, struct trj_error *err) {
    uint64_t *counts = trj_alloc(job->pair_count * rdf_bins_cells(&job->bins), sizeof *counts, "counts", err);
    int rc = counts ? engine->finish(state, counts, err) : -1;
    if (!rc) job->deliver(job->deliver_arg, tag, counts);
    free(counts);
    return rc;
}
