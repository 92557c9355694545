// SPDX-License-Identifier: MIT
// What recipe.c and variables.c share: a recipe while it is read.
#ifndef TRJ_RECIPE_READING_H
#define TRJ_RECIPE_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "recipe.h"
#include "yaml_tree.h"

// Variables that a stage fans out over: one, or several that take their values together.
struct trj_recipe_axis {
    struct trj_string_list names;  // the value of the first one is in the names of runs
    struct trj_string_list values; // [count][names]
    size_t count;
};

struct trj_recipe_variable {
    const char *name;
    const struct trj_yaml *value; // the recipe's, or `own`
    struct trj_yaml own;          // by definition
};

struct trj_recipe_stage {
    const char *name;
    const struct trj_yaml *key, *map, *from, *merge;
    const struct trj_known_tool *tool;
    size_t source_count, *sources; // stages
    size_t axis_count;
    struct trj_recipe_axis *axes;
    size_t first_run, run_count; // its jobs, the last axis fastest
    enum { NEW, OPEN, PLANNED } state;
    bool read;
};

struct trj_recipe_reading {
    struct trj_plan *plan;
    const char *path;
    struct trj_yaml root;
    size_t variable_count, stage_count;
    struct trj_recipe_variable *variables;
    struct trj_recipe_stage *stages;
    size_t run_room, argument_count;
    bool check_files;
};

// Where a text stands: which values its stage's axes have there. stage NULL: none.
struct trj_recipe_scope {
    const struct trj_recipe_stage *stage;
    const size_t *pick;
};

// Fails in a function that has an `err`, at a place of the recipe.
#define fail(r, where, ...) trj_yaml_fail(err, (r)->path, where, __VA_ARGS__)

// The recipe's variables, with definitions for the values of some.
int trj_recipe_read_variables(struct trj_recipe_reading *r, const struct trj_definition *definitions, size_t count,
                              struct trj_error *err);

// A text with its variables put in; free() frees.
int trj_recipe_expand(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                      const struct trj_yaml *where, char **result, struct trj_error *err);

// A list, a $variable that is one, or a text as the list of itself; calls take for each of the texts.
int trj_recipe_expand_list(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                           const struct trj_yaml *node,
                           int (*take)(void *arg, const struct trj_yaml *where, const char *text,
                                       struct trj_error *err),
                           void *arg, struct trj_error *err);

// The axis with that variable; *which (which may be NULL) of its names that is.
const struct trj_recipe_axis *trj_recipe_find_axis(const struct trj_recipe_stage *s, const char *name, size_t *which);
const struct trj_recipe_variable *trj_recipe_find_variable(const struct trj_recipe_reading *r, const char *name);

// Letters, digits, _ and what is in `also`; where that is empty, no digit first.
bool trj_recipe_is_name(const char *text, const char *also);

enum { TRJ_RECIPE_LONGEST_NAME = 63 };
int trj_recipe_check_variable(const struct trj_recipe_reading *r, const struct trj_yaml *name, struct trj_error *err);

// "; did you mean 'NEAREST'?" for messages, into text; empty where none of the names, which end with NULL, is near.
const char *trj_recipe_suggest(char *text, size_t room, const char *name, const char *const *names);

// Fails with the nearest of the elements, whose first member is their name.
int trj_recipe_fail_unknown(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *what,
                            const char *name, const void *elements, size_t count, size_t size, struct trj_error *err);

#endif
