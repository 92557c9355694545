// SPDX-License-Identifier: MIT
// Contains what readers, writers and tools of histogram streams share: detection, totals and checks of frames.
#include "hist_stream.h"

#include <stdlib.h>

#include "block_stream.h"
#include "hist_parts.h"
#include "memory.h"

const struct trj_stream_kind rdf_hist_kind = {"histogram stream", {0x89, 'R', 'D', 'H', '\r', '\n', 0x1a, '\n'}, 1, 1};

bool rdf_hist_is(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &rdf_hist_kind);
}

void rdf_hist_free(struct rdf_hist *h) {
    for (size_t i = 0; i < h->record_count; i++) rdf_record_free(&h->records[i]);
    for (size_t i = 0; i < h->source_count; i++) free(h->sources[i].name);
    free(h->records);
    free(h->sources);
    trj_text_index_free(&h->line_index);
    trj_texts_clear(&h->provenance);
    rdf_setup_free(&h->setup);
    *h = (struct rdf_hist){0};
}

struct rdf_record rdf_hist_total(const struct rdf_hist *h) {
    struct rdf_record t = rdf_record_without_arrays(&h->records[0]);
    for (size_t i = 1; i < h->record_count; i++) rdf_record_merge(&t, &h->records[i]);
    return t;
}

int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err) {
    size_t n = 0, k = 0;
    for (size_t i = 0; i < h->record_count; i++) n += h->records[i].run_count;
    struct trj_frame_run *runs = trj_alloc(n, sizeof *runs, "frame ranges", err);
    if (!runs) return -1;
    for (size_t i = 0; i < h->record_count; i++)
        for (size_t j = 0; j < h->records[i].run_count; j++) runs[k++] = h->records[i].runs[j];
    uint32_t source;
    uint64_t frame;
    int rc = 0;
    if (trj_frame_runs_overlap(runs, n, &source, &frame))
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "frame %llu of %s is counted twice (files are identified by their size, start and "
                      "end, pipes by their first 64 KiB); give it once",
                      (unsigned long long)frame, h->sources[source].name);
    free(runs);
    return rc;
}
