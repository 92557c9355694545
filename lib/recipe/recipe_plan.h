// SPDX-License-Identifier: MIT
// The plan that a recipe is translated into: runs of stages, each of which is one process, and groups of runs.
//
// A run writes a file, or a stream that later runs read through pipes. Runs connected by pipes form a group: its
// processes run at the same time, and its files appear together or not at all. A run reads either one stream or files;
// a run that joins several inputs reads them as files. A group is therefore a tree of pipes with one root, in which a
// run waits only for the run it reads from.
#ifndef TRJ_RECIPE_PLAN_H
#define TRJ_RECIPE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "known_tools.h"

struct trj_string_list {
    char **texts; // ends with NULL; NULL if count is 0
    size_t count, room;
};

// Appends a copy of the text.
int trj_string_list_add(struct trj_string_list *w, const char *text, struct trj_error *err);
void trj_string_list_free(struct trj_string_list *w);

// One process: a stage, or one value of its fan-out.
struct trj_stage_run {
    char *name; // "counts", "counts[bins=100]"
    const struct trj_known_tool *tool;
    struct trj_string_list argv; // without --output, which is inserted before argv[operands]
    size_t operands;
    struct trj_string_list carry; // properties that are requested with --carry, "charge"; part of argv when all runs
                                  // are planned
    char *command;                // argv as recorded in the provenance
    size_t command_operands;      // length of the command before its operands
    char *output;                 // NULL: the run writes a stream
    unsigned line, column;        // of `output` in the recipe
    struct trj_string_list
        inputs;   // files that it reads, in the order of their digests; given files and outputs of runs
    size_t given; // number of given files, which are the first inputs
    size_t source_count;
    size_t *sources; // indices of the runs that it reads from
    bool piped;      // it reads the stream of its only source through a pipe
    size_t group;
};

struct trj_plan {
    const char *recipe; // path as given; owned by the caller
    char *folder;       // of the recipe; commands run there, and paths are relative to it
    struct trj_known_tools tools;
    size_t run_count;
    struct trj_stage_run *runs; // a run comes after its sources
    size_t group_count;
};

void trj_plan_free(struct trj_plan *plan);

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
