// SPDX-License-Identifier: MIT
// Checks that each segment has its parts, joins them, and runs what follows.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "input.h"
#include "memory.h"
#include "output.h"
#include "provenance.h"
#include "recipe_segments.h"
#include "staged_output.h"

// Sets *complete to whether the outputs of all runs of the plan are parts of this segment.
static int check_part(const struct trj_plan *part, bool *complete, struct trj_error *err) {
    struct trj_digests none = {.count = 0};
    *complete = true;
    for (size_t i = 0; i < part->run_count && *complete; i++) {
        if (!part->runs[i].output) continue;
        const int same = trj_provenance_matches(part, &part->runs[i], &none, err);
        if (same < 0) return -1;
        *complete = same;
    }
    return 0;
}

int trj_segments_missing(const struct trj_segments *s, const bool *wanted, bool **missing, uint64_t *count,
                         struct trj_error *err) {
    *count = 0;
    if (!(*missing = trj_alloc(s->count, sizeof **missing, "segments", err))) return -1;
    for (uint64_t k = 0; k < s->count; k++) {
        struct trj_plan part = {.recipe = NULL};
        bool complete = false;
        const int rc = trj_segments_part(&part, s, wanted, k + 1, err) || check_part(&part, &complete, err) ? -1 : 0;
        trj_plan_free(&part);
        if (rc) {
            free(*missing);
            *missing = NULL;
            return -1;
        }
        (*missing)[k] = !complete;
        *count += !complete;
    }
    return 0;
}

void trj_segments_put_list(struct trj_bytes *b, const bool *missing, uint64_t count, size_t most) {
    const size_t start = b->size;
    char text[64];
    for (uint64_t k = 0, end; k < count; k = end + 1) {
        for (end = k; end < count && missing[end]; end++) continue;
        if (end == k) continue;
        int n = snprintf(text, sizeof text, "%s%llu", b->size > start ? "," : "", (unsigned long long)k + 1);
        if (end > k + 1) n += snprintf(text + n, sizeof text - (size_t)n, "-%llu", (unsigned long long)end);
        if (b->size - start + (size_t)n > most) {
            trj_put_raw(b, ",...", 4);
            return;
        }
        trj_put_raw(b, text, (size_t)n);
    }
}

// ---- merge

// Fails if a segment lacks a part of the wanted results.
static int check_parts(const struct trj_segments *s, const bool *wanted, struct trj_error *err) {
    struct trj_bytes list = {0};
    bool *missing;
    uint64_t count;
    if (trj_segments_missing(s, wanted, &missing, &count, err)) return -1;
    trj_segments_put_list(&list, missing, s->count, 200);
    free(missing);
    const int rc =
        count ? trj_fail(err, TRJ_BAD_DATA,
                         "segment%s %.*s of %llu %s no complete part of this recipe and its files; run %s "
                         "again: trjrun --segment K, or trjrun --slurm --submit",
                         count > 1 ? "s" : "", list.failed ? 0 : (int)list.size, (const char *)list.data,
                         (unsigned long long)s->count, count > 1 ? "have" : "has", count > 1 ? "these" : "this")
              : 0;
    trj_bytes_free(&list);
    return rc;
}

static int append_file(struct trj_output *out, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    char buffer[1 << 16];
    size_t got = 1;
    int rc = trj_input_open_raw(&in, path, err);
    while (!rc && got) {
        rc = trj_input_read_some(in, buffer, sizeof buffer, &got, err);
        if (!rc && got) rc = trj_output_write(out, buffer, got, err);
    }
    trj_input_close(in);
    return rc;
}

static int write_parts(const struct trj_segments *s, size_t i, const char *to, struct trj_error *err) {
    struct trj_output *out = NULL;
    int rc = trj_output_open(&out, to, TRJ_OUTPUT_BINARY, err);
    for (uint64_t k = 1; !rc && k <= s->count; k++) {
        char *path = trj_segments_path(s, i, k, err);
        rc = path ? append_file(out, path, err) : -1;
        free(path);
    }
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    return rc;
}

// Writes the parts of a result into one file, in the order of the segments. An existing file, which was read to find
// whether it can be reused, is replaced as by a run.
static int join(const struct trj_segments *s, size_t i, const char *to, struct trj_error *err) {
    struct trj_staged_output a = {.folder = NULL};
    struct trj_staged_size size = {.bytes = 0};
    const int rc = trj_staged_output_open(&a, to, false, err) || write_parts(s, i, a.path, err) ||
                           trj_staged_output_check_ready(&a, &size, err) || trj_staged_output_commit(&a, err)
                       ? -1
                       : 0;
    trj_staged_output_close(&a);
    return rc;
}

// Sets wanted[i] for the results whose parts are read to make the output `only`; NULL: all outputs. Sets *joined to
// whether this output is made of joined parts alone.
static int find_wanted(bool *wanted, bool *joined, const struct trj_segments *s, const struct trj_plan *merged,
                       const char *only, struct trj_error *err) {
    const struct trj_stage_run *run = only ? trj_plan_find_output(merged, only) : NULL;
    *joined = false;
    for (size_t i = 0; i < s->plan->run_count; i++) {
        if (s->runs[i].role != TRJ_SEGMENT_RESULT) continue;
        wanted[i] = !only;
        if (only && s->runs[i].merge == TRJ_SEGMENT_JOIN) {
            char *path = trj_segments_path(s, i, 0, err);
            if (!path) return -1;
            wanted[i] = !strcmp(path, only);
            *joined = *joined || wanted[i];
            free(path);
        }
        for (size_t k = 0; run && k < merged->run_count; k++)
            if (merged->runs[k].group == run->group && !strcmp(merged->runs[k].name, s->plan->runs[i].name))
                wanted[i] = true;
    }
    return 0;
}

int trj_segments_merge(const struct trj_segments *s, struct trj_run_options *options, struct trj_error *err) {
    struct trj_plan merged = {.recipe = NULL};
    bool joined = false, *wanted = trj_alloc(s->plan->run_count, sizeof *wanted, "stages", err);
    int rc = wanted && !trj_segments_merged(&merged, s, err) ? 0 : -1;
    if (!rc) rc = find_wanted(wanted, &joined, s, &merged, options->only, err);
    if (!rc) rc = check_parts(s, wanted, err);
    for (size_t i = 0; !rc && i < s->plan->run_count; i++) {
        if (!wanted[i] || s->runs[i].merge != TRJ_SEGMENT_JOIN) continue;
        char *to = trj_segments_path(s, i, 0, err);
        rc = to ? join(s, i, to, err) : -1;
        free(to);
    }
    if (!rc && !joined && merged.run_count) rc = trj_plan_run(options, &merged, err);
    free(wanted);
    trj_plan_free(&merged);
    return rc;
}
