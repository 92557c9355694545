// SPDX-License-Identifier: MIT
// Merges tables of trjstat into one, such as those of the segments of a trajectory.
//
// The table of all frames has the bytes of a run over all frames, except for the provenance: rows of frames are joined,
// and counts and exact sums are added.
#ifndef OBS_TABLE_MERGE_H
#define OBS_TABLE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"
#include "output.h"
#include "table_writer.h"
#include "text_index.h"

// The comment "frames: 98" of tables of all frames, and the first comment of tables with a row for each frame.
#define OBS_FRAMES "frames: "
#define OBS_SERIES "frame: number of the frame in its file; time in ps"
// The end of the definition of an observable that depends on the first frame, which differs between segments.
#define OBS_FIRST "; the reference is the first frame"

enum { OBS_MERGE_FRAMES_MAX_LOG = 53 }; // so that sums of counts are far below 2^64

// Merges the tables of `files` into one, and writes it after their provenance, each line once, and `provenance`, which
// ends with NULL; or, with `npy`, writes an array of NumPy, which only histograms with two axes give. Fails with
// TRJ_BAD_DATA if they are no tables that can be merged, are damaged, or are of different runs. `note` reports segments
// that are missing, and what the tables contain that a run over all frames reports.
int obs_merge(char *const *files, size_t count, char *const *provenance, bool npy, struct trj_output *out,
              void (*note)(const char *text), struct trj_error *err);

// -------------------------------------------------------------------------------------------------- for files *merge.c

struct obs_merging {
    char *const *files, *const *provenance;
    size_t count;
    struct trj_texts lines; // of the provenance of the tables, each once
    struct trj_text_index index;
    bool npy;
    struct trj_table table; // that is written
    void (*note)(const char *text);
};

struct obs_comment {
    char *line, *text; // as in the file; without "# "
    uint64_t number;   // of the line
};

struct obs_merge_table {
    struct trj_input *in;
    struct trj_lines lines;
    struct obs_comment *comment; // [comments] all before the first row, without the provenance
    size_t comments, capacity;
    bool again; // the current line was not returned yet
};

// Opens table number `file`, and reads its comments. Adds its provenance, and notes that it has none of its own.
// obs_merge_table_close closes it, also after a failure; errors begin with the name of the file.
int obs_merge_table_open(struct obs_merge_table *t, struct obs_merging *m, size_t file, struct trj_error *err);
void obs_merge_table_close(struct obs_merge_table *t);
// Reads the next line into t->lines. Returns 1, 0 at the end of the file, or -1, also for a last line without a line
// end. The first line is a row, or the comment OBS_ROWS (sums.h) of a table without rows.
int obs_merge_table_next(struct obs_merge_table *t, struct trj_error *err);
// Returns what follows `start` in the first comment that begins with it; NULL: there is none.
const char *obs_merge_find(const struct obs_merge_table *t, const char *start);
// Returns the names of the columns, which are the last comment before the first row; "" if there is none.
const char *obs_merge_names(const struct obs_merge_table *t);
// Reads a number of frames, or a count of values. Returns false if it is invalid, or above
// 2^OBS_MERGE_FRAMES_MAX_LOG.
bool obs_merge_count(const char *text, uint64_t *value);
// Fails if the tables have different comments from numbers `from_a` and `from_b` on, except for OBS_FRAMES.
int obs_merge_compare(const struct obs_merge_table *a, size_t from_a, const struct obs_merge_table *b, size_t from_b,
                      struct trj_error *err);
// Fails if an observable depends on the first frame of its segment.
int obs_merge_check_reference(const struct obs_merge_table *t, struct trj_error *err);
// Fails because the tables give a table, but the name of the output is that of an array.
int obs_merge_fail_npy(struct trj_error *err);
// Reports missing segments, and writes the provenance.
void obs_merge_begin(struct obs_merging *m);

// Each merges the tables of a kind; `first` is open, and is table number 0.
int obs_histogram_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err);
int obs_series_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err);
int obs_sums_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err);
int obs_profile_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err);

#endif
