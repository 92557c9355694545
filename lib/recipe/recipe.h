// SPDX-License-Identifier: MIT
// Reads recipes: YAML files that describe which filters run on which files. trjrun(1) and schemas/recipe.schema.json
// define the format.
#ifndef TRJ_RECIPE_H
#define TRJ_RECIPE_H

#include "recipe_plan.h"

struct trj_definition {
    char *name; // owned by the caller
    const char *value;
};

// Reads a recipe, checks it, and makes the plan. A definition replaces the value of a variable of the recipe. With
// `check_files`, each input that no stage writes must exist. Errors contain file, line and column, what was found and
// what was expected. trj_plan_free frees the plan, also after a failure.
int trj_recipe_read(struct trj_plan *plan, const char *path, const struct trj_definition *definitions, size_t count,
                    bool check_files, struct trj_error *err);

// Adds an option of sbatch, such as "--time=60", to those of all jobs of the plan. Fails with TRJ_USAGE if it is no
// option with a long name, or one that trjrun itself gives.
int trj_recipe_add_job_option(struct trj_plan *plan, const char *option, struct trj_error *err);

enum { TRJ_RECIPE_MAX_SEGMENTS = 10000 };

// Appends the JSON schema of recipes, made from the option tables of the tools.
int trj_recipe_put_schema(struct trj_bytes *b, struct trj_known_tools *known, struct trj_error *err);

// The keys of a stage that are not options of its tool, with descriptions for the schema; ends with a NULL name.
struct trj_recipe_key {
    const char *name, *help;
};
extern const struct trj_recipe_key trj_recipe_keys[];
#define TRJ_RECIPE_OBSERVABLES "observables" // a key of the tools whose operands are expressions (trj_known_tool.input)
// Returns whether it is one of them. An option of this name cannot be given in a recipe, except that `each` with a
// single value is the option of a tool that has it.
bool trj_recipe_is_key(const char *name);

#endif
