// SPDX-License-Identifier: MIT
// What the writers of makefiles, Snakefiles and job scripts have in common: commands of trjrun, and files of a group.
#ifndef TRJ_WORKFLOW_COMMAND_H
#define TRJ_WORKFLOW_COMMAND_H

#include "bytes.h"
#include "recipe.h"

// Fails with TRJ_USAGE, and the name of the option, if the recipe is not a regular file: `what` reads it again.
int trj_workflow_check_recipe(const struct trj_plan *plan, const char *option, const char *what, struct trj_error *err);

// Appends the command "TRJRUN --define NAME=VALUE ..."; `put_word` appends a quoted word.
void trj_workflow_put_command(struct trj_bytes *b, void (*put_word)(struct trj_bytes *b, const char *word),
                              const char *trjrun, const struct trj_definition *definitions, size_t count);

// Adds the files that a group depends on, each once, relative to the current folder: the recipe, the inputs of its
// runs, and the executables of the tools.
int trj_workflow_list_inputs(struct trj_string_list *files, const struct trj_plan *plan, size_t group,
                             struct trj_error *err);

#endif
