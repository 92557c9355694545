// SPDX-License-Identifier: MIT
// The state of a recipe while it is read. The files recipe*.c share it: each of them does one step of trj_recipe_read.
#ifndef TRJ_RECIPE_READING_H
#define TRJ_RECIPE_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "recipe.h"
#include "yaml_errors.h"
#include "yaml_tree.h"

enum {
    TRJ_RECIPE_LONGEST_NAME = 63, // of a variable
    TRJ_RECIPE_MAX_RUNS = 2000    // a larger number is assumed to be a mistake, and would exceed limits of processes
};

// One dimension of a fan-out: the values of one variable, or of several variables whose values belong together.
struct trj_recipe_axis {
    struct trj_string_list names;  // variables; the value of the first one is part of the name of a run
    struct trj_string_list values; // [count][names]
    size_t count;
};

struct trj_recipe_variable {
    const char *name;
    const struct trj_yaml *value; // in the recipe, or &defined
    struct trj_yaml defined;      // by the option --define
};

struct trj_recipe_stage {
    const char *name;
    const struct trj_yaml *key, *map, *from, *merge;
    const struct trj_known_tool *tool;
    size_t source_count, *sources; // indices of the stages that it reads from, each once
    size_t from_count;             // number of those in `from`, which are the first; options read from the others
    size_t axis_count;
    struct trj_recipe_axis *axes;
    size_t first_run, run_count; // in the plan; the index of the last axis varies fastest
    enum { NEW, OPEN, PLANNED } state;
    bool read; // a stage reads from it
};

struct trj_stream_header;

struct trj_recipe_reading {
    struct trj_plan *plan;
    const char *path;
    struct trj_yaml root;
    size_t variable_count, stage_count;
    struct trj_recipe_variable *variables;
    struct trj_recipe_stage *stages;
    size_t run_capacity, argument_count;
    bool check_files;
};

// The run that a text is expanded for. It determines the values of the axes' variables.
struct trj_recipe_scope {
    const struct trj_recipe_stage *stage; // NULL: variables of axes have no value
    const size_t *pick;                   // [axes] index of a value
};

// Sets an error with a place of the recipe and returns -1; for functions with a parameter `err`.
#define fail(r, where, ...) trj_yaml_fail(err, (r)->path, where, __VA_ARGS__)

// ---- recipe_variables.c

// Reads the key `variables`; each of the definitions replaces the value of one of them.
int trj_recipe_read_variables(struct trj_recipe_reading *r, const struct trj_definition *definitions, size_t count,
                              struct trj_error *err);

// Stores a copy of the text with its variables replaced in *result; the caller frees it with free().
int trj_recipe_expand(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                      const struct trj_yaml *where, char **result, struct trj_error *err);

// Calls `take` for each expanded text of a list. A variable that is a list counts as its items, a text as a list of one
// item. Stops when a call returns -1.
int trj_recipe_expand_list(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                           const struct trj_yaml *node,
                           int (*take)(void *arg, const struct trj_yaml *where, const char *text,
                                       struct trj_error *err),
                           void *arg, struct trj_error *err);

// Returns the axis with that variable, or NULL; *which, unless it is NULL, is set to the index among the axis' names.
const struct trj_recipe_axis *trj_recipe_find_axis(const struct trj_recipe_stage *s, const char *name, size_t *which);
const struct trj_recipe_variable *trj_recipe_find_variable(const struct trj_recipe_reading *r, const char *name);

// Returns whether a text consists of letters, digits, _ and the characters in `also`. If `also` is empty, the text must
// not begin with a digit.
bool trj_recipe_is_name(const char *text, const char *also);

int trj_recipe_check_variable(const struct trj_recipe_reading *r, const struct trj_yaml *name, struct trj_error *err);

// Writes "; did you mean 'NEAREST'?" into `text` for a message, or an empty text if none of the names is similar.
// `names` ends with NULL. Returns `text`.
const char *trj_recipe_suggest(char *text, size_t capacity, const char *name, const char *const *names);

// Sets the error "unknown WHAT 'NAME'", with the most similar of the elements; each begins with a pointer to its name.
int trj_recipe_fail_unknown(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *what,
                            const char *name, const void *elements, size_t count, size_t size, struct trj_error *err);

// ---- recipe_stages.c

// Reads the key `stages`, and finds the tool of each.
int trj_recipe_read_stages(struct trj_recipe_reading *r, struct trj_error *err);
// Finds the stages in each `from`, also of options. Fails if a stage has neither an output nor a reader.
int trj_recipe_connect_stages(struct trj_recipe_reading *r, struct trj_error *err);
// Fails if a stage in `from` writes what the tool of the reading stage cannot read.
int trj_recipe_check_streams(const struct trj_recipe_reading *r, struct trj_error *err);
// Returns whether the stages in `from` write tables of the same tool, which its option with the role `tables` then
// merges.
bool trj_recipe_reads_tables(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s);
// Returns the stage in the value {from: STAGE} of an option, or NULL after an error.
struct trj_recipe_stage *trj_recipe_option_source(const struct trj_recipe_reading *r, const struct trj_yaml *value,
                                                  struct trj_error *err);

// ---- recipe_axes.c

// Collects the axes of a stage, from its key `each` and from the stages it reads from, whose axes must be complete.
int trj_recipe_find_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err);
// Returns whether the key `merge` of the stage contains a variable of that axis.
bool trj_recipe_merges(const struct trj_recipe_stage *s, const struct trj_recipe_axis *axis);

// ---- recipe_values.c

// Checks those values of options that other code than the tool can parse, and finds the groups of the run. Its sources
// must be complete. Adds the properties of atoms that these values require to `needs`.
int trj_recipe_check_values(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                            const struct trj_recipe_scope *scope, struct trj_stage_run *run,
                            struct trj_string_list *needs, struct trj_error *err);

// ---- recipe_observables.c

// Checks the expressions and selections of a stage that computes observables. Adds the properties of atoms that they
// require to `needs`, and the files that they name to the inputs of the run. `names` has the groups of the stream.
// NULL: they are not known, so that any word may be one of them.
int trj_recipe_check_observables(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                                 const struct trj_recipe_scope *scope, const struct trj_stream_header *names,
                                 struct trj_stage_run *run, struct trj_string_list *needs, struct trj_error *err);

// ---- recipe_runs.c

// Adds the runs of a stage to the plan, after those of the stages it reads from. Fails on a cycle.
int trj_recipe_plan_stage(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err);

// Returns the value of --to if it is a trajectory format other than the frame stream, otherwise NULL.
const char *trj_recipe_foreign_format(const struct trj_stage_run *run);

// ---- recipe_files.c

// Adds a given file to the inputs of the run. It must exist, and must not be the output of a stage.
int trj_recipe_add_input(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                         const char *path, struct trj_error *err);
// Adds an output to the run (trj_stage_run_add_output). Its folder must be writable.
int trj_recipe_add_output(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                          const char *path, size_t argument, struct trj_error *err);

// ---- recipe_carry.c

// Returns whether the tool can write properties of atoms into a frame stream, with its option --carry.
bool trj_recipe_carries(const struct trj_known_tool *tool);
// Adds the requests of a text such as "charge,radius=bondi" to a list, in which each property occurs once.
int trj_recipe_add_requests(struct trj_string_list *list, const char *text, struct trj_error *err);
// Adds the properties that an option or an argument with this value requires; `carry` is as trj_option.carry.
int trj_recipe_add_needs(struct trj_string_list *needs, const char *carry, const char *value, struct trj_error *err);
// Requests properties from the first runs of the streams that a run reads; these runs must be in the plan.
int trj_recipe_request(struct trj_plan *plan, const struct trj_stage_run *run, const struct trj_string_list *needs,
                       struct trj_error *err);
// Adds the requests of all runs to their arguments, and sets their commands. Call it once, when all runs are planned.
int trj_recipe_finish_requests(struct trj_plan *plan, struct trj_error *err);

// ---- recipe_jobs.c

// Reads the keys `segments` and `slurm` of the recipe into the plan.
int trj_recipe_read_jobs(const struct trj_recipe_reading *r, struct trj_error *err);

// ---- recipe_paths.c

// Fails if two runs write one file, or if a run names the output of another one as a given file.
int trj_recipe_check_paths(struct trj_recipe_reading *r, struct trj_error *err);

#endif
