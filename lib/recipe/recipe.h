// SPDX-License-Identifier: MIT
// Recipes: YAML that says which filters run on what. The format is described in trjrun(1) and by schemas/recipe.schema.json.
#ifndef TRJ_RECIPE_H
#define TRJ_RECIPE_H

#include "recipe_plan.h"

struct trj_definition {
    char *name; // the caller's
    const char *value;
};

// Reads, checks and plans. Errors name file, line, column, what was found and what was meant. With check_files, inputs that no stage writes
// must be there. Definitions stand in for the recipe's own values of its variables. trj_plan_free frees, also after a failure.
int trj_recipe_read(struct trj_plan *plan, const char *path, const struct trj_definition *definitions, size_t count,
                    bool check_files, struct trj_error *err);

// The JSON schema of recipes, made of the tools' option tables.
int trj_recipe_put_schema(struct trj_bytes *b, struct trj_known_tools *known, struct trj_error *err);

// What a key of a stage means, for the schema; ends with a NULL name.
struct trj_recipe_key {
    const char *name, *help;
};
extern const struct trj_recipe_key trj_recipe_keys[];

#endif
