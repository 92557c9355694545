// SPDX-License-Identifier: MIT
// Tries whether the parts of a recipe can be merged, with parts of one frame each, before hours are spent on all
// frames.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hist_stream.h"
#include "memory.h"
#include "recipe_segments.h"
#include "run_arguments.h"

// Reads both parts of a histogram, whose set-ups must be equal.
static int check_histograms(const struct trj_segments *two, size_t i, struct trj_error *err) {
    struct rdf_hist h = {.part = RDF_PART_ALL};
    int rc = 0;
    for (uint64_t k = 1; !rc && k <= two->count; k++) {
        struct trj_input *in = NULL;
        char *path = trj_segments_path(two, i, k, err);
        rc = path && !trj_input_open(&in, path, err) && !rdf_hist_read(&h, in, err) ? 0 : -1;
        trj_input_close(in);
        free(path);
    }
    if (!rc) rc = rdf_hist_check_bins(&h, err);
    rdf_hist_free(&h);
    return rc;
}

// Adds a run that merges the two parts of a result into a file, of which *path becomes the name.
static int add_merge(struct trj_plan *plan, const struct trj_segments *two, size_t i, char **path,
                     struct trj_error *err) {
    struct trj_stage_run *run = trj_segments_copy_run(plan, &two->plan->runs[i], err);
    if (!run || trj_segments_set_merge(plan, run, two, i, err)) return -1;
    run->group = plan->group_count++;
    if (!(*path = trj_segments_path(two, i, 3, err)) || trj_stage_run_add_output(run, *path, 0, err)) return -1;
    return trj_run_set_command(run, err);
}

static int merge_two(const struct trj_segments *two, const bool *wanted, struct trj_run_options *options,
                     struct trj_error *err) {
    struct trj_plan plan = {.recipe = NULL};
    struct trj_run_options silent = *options;
    int rc = trj_segments_open_plan(&plan, two->plan, err);
    for (size_t i = 0; !rc && i < two->plan->run_count; i++) {
        char *path = NULL;
        if (!wanted[i]) continue;
        if (two->runs[i].merge != TRJ_SEGMENT_JOIN)
            rc = add_merge(&plan, two, i, &path, err);
        else if (!strcmp(two->runs[i].ending, "rdfh"))
            rc = check_histograms(two, i, err);
        free(path);
    }
    if (!rc && plan.run_count) rc = trj_segments_run_quietly(&silent, &plan, err);
    options->signal = silent.signal;
    trj_plan_free(&plan);
    return rc;
}

// Removes the parts of both frames and their sums.
static void remove_files(const struct trj_segments *two, const bool *wanted) {
    struct trj_error ignored;
    for (size_t i = 0; i < two->plan->run_count; i++)
        for (uint64_t k = 1; wanted[i] && k <= 3; k++) {
            char *path = trj_segments_path(two, i, k, &ignored);
            if (path) unlink(path);
            free(path);
        }
}

// Computes both frames of the results of one source.
static int try_source(const struct trj_segments *two, size_t source, const bool *all, struct trj_run_options *options,
                      struct trj_error *err) {
    const uint64_t frames = two->runs[source].frames;
    bool any = false, *wanted = trj_alloc(two->plan->run_count, sizeof *wanted, "stages", err);
    if (!wanted) return -1;
    for (size_t i = 0; i < two->plan->run_count; i++)
        any = (wanted[i] = all[i] && two->runs[i].source == source) || any;
    const int rc = any && (trj_segments_try_frame(two, wanted, 1, frames, "1", options, err) ||
                           trj_segments_try_frame(two, wanted, frames, frames, "2", options, err))
                       ? trj_fail_at(err, "first or last frame")
                       : 0;
    free(wanted);
    return rc;
}

int trj_segments_check(const struct trj_segments *s, struct trj_run_options *options, struct trj_error *err) {
    const size_t n = s->plan->run_count;
    struct trj_segments two = {.plan = s->plan, .count = 2, .folder = s->folder};
    bool *wanted = trj_alloc(n, sizeof *wanted, "stages", err);
    int rc = wanted && (two.runs = trj_alloc(n, sizeof *two.runs, "stages", err)) ? 0 : -1;
    for (size_t i = 0; !rc && i < n; i++) {
        two.runs[i] = s->runs[i];
        two.runs[i].stem = NULL;
        if (s->runs[i].role != TRJ_SEGMENT_RESULT || s->runs[s->runs[i].source].frames < 2) continue;
        const size_t capacity = strlen(s->runs[i].stem) + sizeof ".check";
        wanted[i] = strcmp(s->plan->runs[i].tool->name, "trjcorr") != 0;
        if (!(two.runs[i].stem = trj_alloc(capacity, 1, "a path", err))) rc = -1;
        if (!rc) snprintf(two.runs[i].stem, capacity, "%s.check", s->runs[i].stem);
    }
    for (size_t i = 0; !rc && i < n; i++)
        if (s->runs[i].role == TRJ_SEGMENT_SOURCE) rc = try_source(&two, i, wanted, options, err);
    if (!rc && merge_two(&two, wanted, options, err)) rc = trj_fail_at(err, "merge of the first and the last frame");
    if (two.runs && wanted) remove_files(&two, wanted);
    for (size_t i = 0; two.runs && i < n; i++) free(two.runs[i].stem);
    free(two.runs);
    free(wanted);
    return rc;
}
