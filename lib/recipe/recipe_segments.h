// SPDX-License-Identifier: MIT
// Divides the frames of a recipe into segments, which other processes compute, and merges their results.
//
// A stage of trjcat that reads trajectories, and has no output, is a source: it selects the frames of a segment. Stages
// that read its frames through pipes, and write what adds over frames, are results. Each segment writes one part for
// each result. All other runs of the plan run once, after the merge.
//
// The tables of merged parts have the bytes of those of one run over all frames, but for the provenance. For this, one
// run gets the same options as the segments, and histograms have records of a fixed length: segments are multiples of
// it, so that the records, from which errors follow, are those of one run.
#ifndef TRJ_RECIPE_SEGMENTS_H
#define TRJ_RECIPE_SEGMENTS_H

#include "recipe_runner.h"

enum trj_segment_role {
    TRJ_SEGMENT_ONCE,     // runs after the merge, or if nothing is divided
    TRJ_SEGMENT_PREPARED, // writes frames that a source reads; its output must exist
    TRJ_SEGMENT_SOURCE,
    TRJ_SEGMENT_STAGE, // trjcat between a source and results
    TRJ_SEGMENT_RESULT,
};

enum trj_segment_merge {
    TRJ_SEGMENT_JOIN, // parts follow each other in one file
    TRJ_SEGMENT_SUM,  // mapsum adds them
    TRJ_SEGMENT_TOOL, // the tool itself merges its tables
};

struct trj_segment_run {
    enum trj_segment_role role;
    size_t source; // of a stage and a result: the run that selects its frames
    // Of a result:
    enum trj_segment_merge merge;
    const char *ending; // of its parts, without the dot
    char *stem;         // path of its parts before ".NUMBER.ENDING"
    // Of a source:
    uint64_t frames, unit; // after trj_segments_resolve: number of frames; length of a segment is a multiple of unit
    uint64_t overlap;      // frames after a segment that it also reads
};

struct trj_segments {
    struct trj_plan *plan;
    uint64_t count;
    char *folder;                 // of the parts, relative to that of the recipe: "water.segments"
    struct trj_segment_run *runs; // [plan->run_count]
};

// Finds the roles of the runs. plan->segments must not be 0. Fails with TRJ_BAD_DATA, and with the place of the stage,
// if a stage that reads frames cannot be divided. trj_segments_close frees the members, also after a failure.
int trj_segments_open(struct trj_segments *s, struct trj_plan *plan, struct trj_error *err);
void trj_segments_close(struct trj_segments *s);

// Counts the frames, and adds options to the plan with the values that all segments, and one run, must share: those
// that tools derive from the first frame, and lengths of records. The current folder must be that of the plan. Creates
// the folder of the parts. `options` is as for trj_plan_run, which runs results on the first frame if necessary. With
// `prepare`, it runs what writes the frames that sources read; otherwise these must exist.
int trj_segments_resolve(struct trj_segments *s, bool prepare, struct trj_run_options *options, struct trj_error *err);
// Returns whether the output `only` is one that must exist before frames are divided.
bool trj_segments_is_prepared(const struct trj_segments *s, const char *only);

// Makes the plan of a segment, counted from 1, after trj_segments_resolve: of the results for which `wanted` is set;
// NULL: all. trj_plan_free frees it.
int trj_segments_part(struct trj_plan *part, const struct trj_segments *s, const bool *wanted, uint64_t number,
                      struct trj_error *err);

// Sets missing[k], for segment k + 1, to whether one of its parts does not exist or was made by other commands or from
// other files, and *count to their number; the caller frees the array with free(). Only parts of the results for which
// `wanted` is set are considered; NULL: all.
int trj_segments_missing(const struct trj_segments *s, const bool *wanted, bool **missing, uint64_t *count,
                         struct trj_error *err);
// Writes the numbers of segments as "1-3,7", at most `most` bytes and "...".
void trj_segments_put_list(struct trj_bytes *b, const bool *missing, uint64_t count, size_t most);

// Merges the parts and runs the other runs: all, or the one that writes `options->only`. Fails with TRJ_BAD_DATA unless
// each segment has its parts, each once.
int trj_segments_merge(const struct trj_segments *s, struct trj_run_options *options, struct trj_error *err);

// Makes the plan of the runs after the merge, in which joined parts are given files. trj_plan_free frees it.
int trj_segments_merged(struct trj_plan *merged, const struct trj_segments *s, struct trj_error *err);

// Returns the path of a part; `number` 0: of the joined parts, which is that of the output if the run has one. The
// caller frees it with free().
char *trj_segments_path(const struct trj_segments *s, size_t run, uint64_t number, struct trj_error *err);

// Computes the results of the first and of the last frame, and merges them as those of segments, so that what cannot be
// merged, such as values that refer to the first frame, is an error before jobs are submitted. trjcorr, which compares
// many frames, is not run.
int trj_segments_check(const struct trj_segments *s, struct trj_run_options *options, struct trj_error *err);

// ---- used by the files of this header

// Makes a plan of the results for which `wanted` is set (NULL: all) and of the runs that they read through pipes:
// segment `number` of `count`, in multiples of each source's unit if `count` is that of the segments, otherwise of
// single frames. Outputs are parts with the text `label`.
int trj_segments_select(struct trj_plan *part, const struct trj_segments *s, const bool *wanted, uint64_t number,
                        uint64_t count, const char *label, struct trj_error *err);
// Returns a hash (FNV-1a) of the commands of a run and of those before it in the pipe, for names of files that belong
// to these commands; with `files`, also of the versions of the tools and the sizes and times of the files that they
// read.
uint32_t trj_segments_hash(const struct trj_plan *plan, size_t run, bool files);
// Runs a plan, and reports messages only if it fails.
int trj_segments_run_quietly(struct trj_run_options *options, const struct trj_plan *plan, struct trj_error *err);
// Runs the wanted results on one frame of `frames`, quietly, and with threads, because a machine that only submits
// jobs may have no GPU.
int trj_segments_try_frame(const struct trj_segments *s, const bool *wanted, uint64_t frame, uint64_t frames,
                           const char *label, struct trj_run_options *options, struct trj_error *err);

// Makes the run, a copy of result i without outputs, the one that merges its parts with a tool.
int trj_segments_set_merge(struct trj_plan *plan, struct trj_stage_run *run, const struct trj_segments *s, size_t i,
                           struct trj_error *err);
// Appends a copy of a run without its outputs and sources, and returns it; NULL on failure.
struct trj_stage_run *trj_segments_copy_run(struct trj_plan *to, const struct trj_stage_run *run,
                                            struct trj_error *err);
int trj_segments_open_plan(struct trj_plan *to, const struct trj_plan *from, struct trj_error *err);

#endif
