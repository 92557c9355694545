// SPDX-License-Identifier: MIT
// trjrun: a recipe in, its outputs made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "output.h"
#include "recipe.h"
#include "tool.h"

static struct trj_text_list definitions;
static bool dry_run, only_check;

static const struct trj_option options[] = {
    {.letter = 'D',
     .name = "define",
     .kind = TRJ_OPTION_LIST,
     .value = &definitions,
     .arg = "NAME=VALUE",
     .help = "the value of a variable instead of the recipe's"},
    {.letter = 'n',
     .name = "dry-run",
     .kind = TRJ_OPTION_FLAG,
     .value = &dry_run,
     .help = "print the pipelines for a shell instead of running them"},
    {.letter = 'c', .name = "check", .kind = TRJ_OPTION_FLAG, .value = &only_check, .help = "only check the recipe"},
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "trjrun",
    .purpose = "Runs the filters as a recipe connects them.",
    .operands = "[RECIPE]",
    .max_operands = 1,
    .options = options,
};

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_plan plan = {.recipe = NULL};
    struct trj_bytes b = {0};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = trj_recipe_read(&plan, argv[first], NULL, 0, true, &err);
    if (!rc) trj_plan_put_pipelines(&b, &plan), fwrite(b.data, 1, b.size, stdout);
    trj_bytes_free(&b);
    trj_plan_free(&plan);
    free(definitions.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
