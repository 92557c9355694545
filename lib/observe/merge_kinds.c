// SPDX-License-Identifier: MIT
// Merges tables by the function for their kind, which the comments of the first table decide.
#include "histogram.h"
#include "input.h"
#include "profile_table.h"
#include "sums.h"
#include "table_merge.h"

static const struct {
    const char *comment; // with which one of the comments begins
    int (*merge)(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err);
} kinds[] = {
    {OBS_HISTOGRAM_DEFINITION, obs_histogram_merge},
    {OBS_SERIES, obs_series_merge},
    {OBS_PROFILE_BINS, obs_profile_merge}, // which also has OBS_SUMS
    {OBS_SUMS, obs_sums_merge},
};

static int merge_first(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (obs_merge_find(first, kinds[i].comment)) return kinds[i].merge(m, first, err);
    trj_fail(err, TRJ_BAD_DATA,
             obs_merge_find(first, OBS_FRAMES)
                 ? "has no exact sums; add --sums to the runs of trjstat over the segments"
                 : "is not a table of trjstat that --merge adds: give tables of --hist, --hist2d or expressions, or of "
                   "--rmsf, --map or --profile with --sums, with all comments");
    return trj_fail_at(err, "%s", trj_input_name(first->in));
}

int obs_merge(char *const *files, size_t count, char *const *provenance, bool npy, struct trj_output *out,
              void (*note)(const char *text), struct trj_error *err) {
    struct obs_merging m = {.files = files,
                            .provenance = provenance,
                            .count = count,
                            .npy = npy,
                            .table = {.out = out, .err = err},
                            .note = note};
    struct obs_merge_table first = {.in = NULL};
    m.index.texts = &m.lines;
    int rc = count ? obs_merge_table_open(&first, &m, 0, err)
                   : trj_fail(err, TRJ_USAGE, "--merge: no file given; give the tables of all segments");
    if (!rc) rc = merge_first(&m, &first, err);
    obs_merge_table_close(&first);
    trj_text_index_free(&m.index);
    trj_texts_clear(&m.lines);
    return rc;
}
