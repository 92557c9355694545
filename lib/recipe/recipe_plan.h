// SPDX-License-Identifier: MIT
// The plan that a recipe is translated into: runs of stages, each of which is one process, and groups of runs.
//
// A run writes a file, or a stream that later runs read through pipes, and may write further files. Runs connected by
// pipes form a group: its processes run at the same time, and its files appear together or not at all. As operands, a
// run reads either one stream or files; a run that joins several inputs reads them as files. Options read files, too. A
// group is therefore a tree of pipes with one root, in which a run waits only for the run it reads from; the group
// starts when all files that its runs read are complete, and no group waits for itself.
#ifndef TRJ_RECIPE_PLAN_H
#define TRJ_RECIPE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "known_tools.h"

struct trj_string_list {
    char **texts; // ends with NULL; NULL if count is 0
    size_t count, capacity;
};

// Appends a copy of the text.
int trj_string_list_add(struct trj_string_list *w, const char *text, struct trj_error *err);
void trj_string_list_free(struct trj_string_list *w);

// A file that a run writes, or a series of files.
struct trj_run_output {
    char *path;
    size_t argument;       // its index in argv; 0: it is that of --output, which is inserted before argv[operands]
    unsigned line, column; // in the recipe
};

// One process: a stage, or one value of its fan-out.
struct trj_stage_run {
    char *name;            // "counts", "counts[bins=100]"
    unsigned line, column; // of its stage in the recipe
    const struct trj_known_tool *tool;
    struct trj_string_list argv; // without --output, which is inserted before argv[operands]
    size_t operands;
    struct trj_string_list carry; // properties that are requested with --carry, "charge"; part of argv when all runs
                                  // are planned
    char *command;                // argv as recorded in the provenance
    size_t output_count;
    struct trj_run_output *outputs;
    const char *output; // path of the one that has `argument` 0; NULL: the run writes a stream
    bool series;        // `output` is a series of files
    struct trj_string_list
        inputs; // files that it reads, in the order of their digests; given files and outputs of runs
    size_t source_count,
        operand_count;             // the first `operand_count` sources are operands, the others are read by options
    size_t *sources;               // indices of the runs that it reads from
    bool piped;                    // it reads the stream of its only operand, sources[0], through a pipe
    struct trj_string_list groups; // names of the groups in the frame stream that it writes or reads
    bool knows_groups;             // these are all of them; otherwise the list is empty
    size_t group;
};

struct trj_plan {
    const char *recipe; // path as given; owned by the caller
    char *folder;       // of the recipe; commands run there, and paths are relative to it
    struct trj_known_tools tools;
    size_t run_count;
    struct trj_stage_run *runs; // a run comes after its sources
    size_t group_count;
    uint64_t segments; // the frames are divided into this number of segments; 0: they are not
    // It computes one segment (recipe_segments.h): runs record no digests, because each segment would read the whole
    // trajectory for them, and outputs of any kind are reused unless an input is newer.
    bool part;
    struct trj_string_list jobs, merge_job; // options of sbatch, such as "--time=60": of segments; of their merge
};

void trj_plan_free(struct trj_plan *plan);
void trj_stage_run_free(struct trj_stage_run *run); // the members, not `run` itself

// Adds an output with a copy of the path, and sets `output` if `argument` is 0.
int trj_stage_run_add_output(struct trj_stage_run *run, const char *path, size_t argument, struct trj_error *err);

// Returns whether input k of a run is a given file, not the output of another run.
bool trj_plan_input_is_given(const struct trj_plan *plan, const struct trj_stage_run *run, size_t k);

// Sets *waits to whether the group is `other`, or waits for files of it, directly or through other groups.
int trj_plan_group_waits(const struct trj_plan *plan, size_t group, size_t other, bool *waits, struct trj_error *err);

// Returns the run that writes this file, or NULL. The paths x and ./x are equal.
const struct trj_stage_run *trj_plan_find_output(const struct trj_plan *plan, const char *output);

// Returns a path of the recipe relative to the current folder; the caller frees it with free(). NULL on failure.
char *trj_plan_path(const struct trj_plan *plan, const char *path, struct trj_error *err);

// Appends the plan as shell commands: a cd to the recipe's folder if necessary, then one pipeline for each output, in
// an order in which each input exists.
struct trj_bytes;
void trj_plan_put_pipelines(struct trj_bytes *b, const struct trj_plan *plan);

// Appends the outputs of a group, separated by blanks: "a.rdfh b.rdfh".
void trj_plan_put_outputs(struct trj_bytes *b, const struct trj_plan *plan, size_t group);

#endif
