// SPDX-License-Identifier: MIT
// Writes the commands with which other programs run parts of a recipe.
#include "workflow_command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int trj_workflow_check_recipe(const struct trj_plan *plan, const char *option, const char *what,
                              struct trj_error *err) {
    struct stat st;
    const bool is_stdin = !strcmp(plan->recipe, "-");
    if (!is_stdin && stat(plan->recipe, &st)) return trj_fail_errno(err, "%s", plan->recipe);
    return !is_stdin && S_ISREG(st.st_mode)
               ? 0
               : trj_fail(err, TRJ_USAGE,
                          "%s: '%s' is not a regular file, but the %s reads the recipe again; save it in a file",
                          option, plan->recipe, what);
}

void trj_workflow_put_command(struct trj_bytes *b, void (*put_word)(struct trj_bytes *b, const char *word),
                              const char *trjrun, const struct trj_definition *definitions, size_t count) {
    put_word(b, trjrun);
    for (size_t i = 0; i < count; i++) {
        trj_put_raw(b, " --define ", strlen(" --define "));
        put_word(b, definitions[i].name);
        trj_put_raw(b, "=", 1);
        put_word(b, definitions[i].value);
    }
}

static int add_once(struct trj_string_list *files, const char *path, struct trj_error *err) {
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->texts[i], path)) return 0;
    return trj_string_list_add(files, path, err);
}

int trj_workflow_list_inputs(struct trj_string_list *files, const struct trj_plan *plan, size_t group,
                             struct trj_error *err) {
    if (add_once(files, plan->recipe, err)) return -1;
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        if (run->group != group) continue;
        for (size_t k = 0; k < run->inputs.count; k++) {
            char *path = trj_plan_path(plan, run->inputs.texts[k], err);
            const int rc = path ? add_once(files, path, err) : -1;
            free(path);
            if (rc) return -1;
        }
        if (add_once(files, run->tool->path, err)) return -1;
    }
    return 0;
}
