// SPDX-License-Identifier: MIT
// Changes the options of a planned run, and derives the command that its tool records in the provenance.
#ifndef TRJ_RUN_ARGUMENTS_H
#define TRJ_RUN_ARGUMENTS_H

#include "recipe_plan.h"

// Adds "--NAME VALUE" before the operands; `value` NULL: a flag.
int trj_run_add_option(struct trj_stage_run *run, const char *name, const char *value, struct trj_error *err);
// Removes an option with its value, if it is given; all of them if it is repeated.
void trj_run_remove_option(struct trj_stage_run *run, const char *name);
// Returns the value of an option, "" for a flag, or NULL if it is not given. The run owns the text.
const char *trj_run_option(const struct trj_stage_run *run, const char *name);
// Sets run->command from the arguments, as trj_tool_provenance does.
int trj_run_set_command(struct trj_stage_run *run, struct trj_error *err);

#endif
