// SPDX-License-Identifier: MIT
// Checks that each file of a recipe has one writer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "recipe_reading.h"

// Returns the absolute path without symbolic links, so that each file has one name. The file need not exist; if its
// folder does not exist either, returns "/NAME". The caller frees the path with free().
static char *absolute_path(const struct trj_plan *plan, const char *path, struct trj_error *err) {
    char *here = trj_plan_path(plan, path, err), *whole = NULL;
    if (!here) return NULL;
    if (!(whole = realpath(here, NULL))) {
        char *slash = strrchr(here, '/');
        const char *name = slash ? slash + 1 : here;
        if (slash) *slash = 0;
        char *folder = realpath(slash ? (*here ? here : "/") : ".", NULL);
        size_t room = (folder ? strlen(folder) : 0) + strlen(name) + 2;
        if ((whole = trj_alloc(room, 1, "a path", err))) snprintf(whole, room, "%s/%s", folder ? folder : "", name);
        free(folder);
    }
    free(here);
    return whole;
}

struct place {
    char *path;
    const struct trj_stage_run *run;
    bool output;
};

static int compare_places(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (int)y->output - (int)x->output; // outputs first
}

// An output must not be the recipe, nor a link to a missing file, which would have two names.
static int check_output(struct trj_recipe_reading *r, const struct trj_stage_run *run, struct trj_error *err) {
    const struct trj_yaml at = {.line = run->line, .column = run->column};
    char *here = trj_plan_path(r->plan, run->output, err);
    struct stat st, recipe;
    if (!here) return -1;
    int rc = 0;
    if (stat(here, &st))
        rc = lstat(here, &st)
                 ? 0
                 : fail(r, &at, "stage '%s' writes '%s', which is a link to a missing file; remove the link", run->name,
                        run->output);
    else if (!stat(r->path, &recipe) && st.st_dev == recipe.st_dev && st.st_ino == recipe.st_ino)
        rc = fail(r, &at, "stage '%s' writes '%s', which is this recipe; give another name", run->name, run->output);
    free(here);
    return rc;
}

int trj_recipe_check_paths(struct trj_recipe_reading *r, struct trj_error *err) {
    const struct trj_plan *plan = r->plan;
    size_t n = 0, count = 0;
    int rc = 0;
    for (size_t i = 0; i < plan->run_count; i++) count += plan->runs[i].given + 1;
    struct place *places = trj_alloc(count, sizeof *places, "files", err);
    if (!places) return -1;
    for (size_t i = 0; !rc && i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        if (run->output) rc = check_output(r, run, err);
        for (size_t k = 0; !rc && k < run->given + (run->output != NULL); k++) {
            bool output = k == run->given;
            places[n] =
                (struct place){absolute_path(plan, output ? run->output : run->inputs.texts[k], err), run, output};
            rc = places[n].path ? 0 : -1;
            n += !rc;
        }
    }
    if (!rc) qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 1; !rc && i < n; i++) {
        const struct trj_stage_run *a = places[i - 1].run, *b = places[i].run;
        if (!places[i - 1].output || strcmp(places[i - 1].path, places[i].path)) continue;
        const struct trj_stage_run *later = places[i].output && b < a ? a : places[i].output ? b : a;
        const struct trj_yaml at = {.line = later->line, .column = later->column};
        rc = places[i].output
                 ? fail(r, &at, "stages '%s' and '%s' both write '%s'; give different names",
                        (later == a ? b : a)->name, later->name, later->output)
                 : fail(r, &at,
                        "stage '%s' writes '%s', which stage '%s' reads as a file; use 'from' in that stage "
                        "instead of files",
                        a->name, a->output, b->name);
    }
    for (size_t i = 0; i < n; i++) free(places[i].path);
    free(places);
    return rc;
}
