// SPDX-License-Identifier: MIT
// What a recipe comes to: jobs, each one process with its arguments, and the groups that they run in.
//
// A job writes a file, or a stream that the jobs after it read through pipes. Jobs joined by pipes are a group: its processes run together,
// and its files appear together or not at all. A job reads one stream, or files; so a group is a tree of pipes that starts at one job, and no
// job in it waits for another but for the one it reads from. A job that joins several inputs reads them as files.
#ifndef TRJ_RECIPE_PLAN_H
#define TRJ_RECIPE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "known_tools.h"

struct trj_string_list {
    char **texts; // ends with NULL; NULL where count is 0
    size_t count, room;
};

int trj_string_list_add(struct trj_string_list *w, const char *text, struct trj_error *err); // a copy
void trj_string_list_free(struct trj_string_list *w);

struct trj_stage_run {
    char *name; // "counts", "counts[bins=100]"
    const struct trj_known_tool *tool;
    struct trj_string_list argv; // without --output, which goes in front of argv[operands]
    size_t operands;
    char *command;                 // argv as provenance has it
    char *output;                  // NULL: a stream
    unsigned line, column;         // of output in the recipe
    struct trj_string_list inputs; // files it reads, in the order in which it digests them; those of other jobs too
    size_t given;                  // of the inputs, those in front that no job writes
    size_t source_count;
    size_t *sources; // jobs that it reads from
    bool piped;      // it reads the stream of its one source
    size_t group;
};

struct trj_plan {
    const char *recipe; // path as named
    char *folder;       // where files are looked for and commands run: that of the recipe
    struct trj_known_tools tools;
    size_t run_count;
    struct trj_stage_run *runs; // whom one reads from comes before it
    size_t group_count;
};

void trj_plan_free(struct trj_plan *plan);

// The job that writes this file, which is x as well as ./x; NULL where there is none.
const struct trj_stage_run *trj_plan_find_output(const struct trj_plan *plan, const char *output);

// A path of the recipe as one of the current folder. free() frees.
char *trj_plan_path(const struct trj_plan *plan, const char *path, struct trj_error *err);

// The commands as pipelines for a shell, one a file, in an order that works, after a way to the recipe's folder.
struct trj_bytes;
void trj_plan_put_pipelines(struct trj_bytes *b, const struct trj_plan *plan);

// The files of a group, with blanks between: "a.rdfh b.rdfh".
void trj_plan_put_outputs(struct trj_bytes *b, const struct trj_plan *plan, size_t group);

#endif
