// SPDX-License-Identifier: MIT
// Reads a recipe in steps, each in a file of its own, and frees what only reading needs.
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "recipe_reading.h"

static int check_top(const struct trj_recipe_reading *r, struct trj_error *err) {
    static const char *const keys[] = {"trjrun", "variables", "segments", "slurm", "stages", NULL};
    const struct trj_yaml *root = &r->root, *version = NULL;
    char near[128];
    if (root->kind != TRJ_YAML_MAP)
        return fail(r, root, "expected a map with the keys trjrun, variables and stages, found %s",
                    trj_yaml_kind_name(root));
    for (size_t i = 0; i < root->count; i++) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], root->keys[i].text)) k++;
        if (!keys[k])
            return fail(r, &root->keys[i], "unknown key '%s'%s (keys: trjrun, variables, segments, slurm, stages)",
                        root->keys[i].text, trj_recipe_suggest(near, sizeof near, root->keys[i].text, keys));
    }
    version = trj_yaml_find(root, "trjrun");
    if (!version) return fail(r, root, "missing key trjrun; add 'trjrun: 1'");
    if (version->kind != TRJ_YAML_TEXT || strcmp(version->text, "1"))
        return fail(r, version, "key trjrun is %s; expected version 1",
                    version->kind == TRJ_YAML_TEXT && *version->text ? version->text : trj_yaml_kind_name(version));
    return 0;
}

static void free_reading(struct trj_recipe_reading *r) {
    for (size_t i = 0; i < r->stage_count; i++) {
        struct trj_recipe_stage *s = &r->stages[i];
        for (size_t k = 0; k < s->axis_count; k++) {
            trj_string_list_free(&s->axes[k].names);
            trj_string_list_free(&s->axes[k].values);
        }
        free(s->axes);
        free(s->sources);
    }
    for (size_t i = 0; i < r->variable_count; i++) trj_yaml_free(&r->variables[i].defined);
    free(r->variables);
    free(r->stages);
    trj_yaml_free(&r->root);
}

int trj_recipe_read(struct trj_plan *plan, const char *path, const struct trj_definition *definitions, size_t count,
                    bool check_files, struct trj_error *err) {
    struct trj_recipe_reading r = {.plan = plan, .path = path, .check_files = check_files};
    const char *slash = strrchr(path, '/');
    *plan = (struct trj_plan){.recipe = path, .folder = trj_copy_text(slash ? path : ".", err)};
    int rc = plan->folder ? 0 : -1;
    if (!rc && slash) plan->folder[slash == path ? 1 : slash - path] = 0;
    if (!rc) rc = trj_yaml_read(&r.root, path, err);
    if (!rc) rc = check_top(&r, err);
    if (!rc) rc = trj_recipe_read_variables(&r, definitions, count, err);
    if (!rc) rc = trj_recipe_read_stages(&r, err);
    if (!rc) rc = trj_recipe_connect_stages(&r, err);
    for (size_t i = 0; !rc && i < r.stage_count; i++) rc = trj_recipe_plan_stage(&r, &r.stages[i], err);
    if (!rc) rc = trj_recipe_check_streams(&r, err);
    if (!rc) rc = trj_recipe_finish_requests(plan, err);
    if (!rc) rc = trj_recipe_check_paths(&r, err);
    if (!rc) rc = trj_recipe_read_jobs(&r, err);
    free_reading(&r);
    return rc;
}
