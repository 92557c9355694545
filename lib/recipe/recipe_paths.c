// SPDX-License-Identifier: MIT
// Checks that each file of a recipe has one writer.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "missing_file.h"
#include "recipe_reading.h"

// Returns the absolute path without symbolic links, so that each file has one name. The file need not exist; if its
// folder does not exist either, returns "/NAME". The caller frees the path with free().
static char *absolute_path(const struct trj_plan *plan, const char *path, struct trj_error *err) {
    char *here = trj_plan_path(plan, path, err), *whole = NULL;
    if (!here) return NULL;
    if (!(whole = realpath(here, NULL)) && !trj_file_is_missing()) {
        trj_error_set_errno(err, "%s", path);
    } else if (!whole) {
        char *slash = strrchr(here, '/');
        const char *name = slash ? slash + 1 : here;
        if (slash) *slash = 0;
        char *folder = realpath(slash ? (*here ? here : "/") : ".", NULL);
        size_t capacity = (folder ? strlen(folder) : 0) + strlen(name) + 2;
        if (!folder && !trj_file_is_missing())
            trj_error_set_errno(err, "%s", path);
        else if ((whole = trj_alloc(capacity, 1, "a path", err)))
            snprintf(whole, capacity, "%s/%s", folder ? folder : "", name);
        free(folder);
    }
    free(here);
    return whole;
}

struct place {
    char *path;
    const struct trj_stage_run *run;
    const struct trj_run_output *output; // NULL: the run reads the file
};

static int compare_places(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (y->output != NULL) - (x->output != NULL); // outputs first
}

// An output must not be the recipe, nor a link to a missing file, which would have two names.
static int check_output(struct trj_recipe_reading *r, const struct trj_stage_run *run, const struct trj_run_output *o,
                        struct trj_error *err) {
    const struct trj_yaml where = {.line = o->line, .column = o->column};
    char *here = trj_plan_path(r->plan, o->path, err);
    struct stat st, recipe;
    if (!here) return -1;
    int rc = 0;
    bool missing = stat(here, &st);
    if (missing && !trj_file_is_missing())
        rc = trj_fail_errno(err, "%s", o->path);
    else if (missing)
        rc = lstat(here, &st)
                 ? 0
                 : fail(r, &where, "stage '%s' writes '%s', which is a link to a missing file; remove the link",
                        run->name, o->path);
    else if (!stat(r->path, &recipe) && st.st_dev == recipe.st_dev && st.st_ino == recipe.st_ino)
        rc = fail(r, &where, "stage '%s' writes '%s', which is this recipe; give another name", run->name, o->path);
    free(here);
    return rc;
}

static int add_place(struct place *places, size_t *n, const struct trj_plan *plan, const struct trj_stage_run *run,
                     const char *path, const struct trj_run_output *output, struct trj_error *err) {
    places[*n] = (struct place){absolute_path(plan, path, err), run, output};
    return places[(*n)++].path ? 0 : -1;
}

// Adds the outputs and the given files of a run.
static int add_places(struct trj_recipe_reading *r, struct place *places, size_t *n, const struct trj_stage_run *run,
                      struct trj_error *err) {
    for (size_t k = 0; k < run->output_count; k++) {
        const struct trj_run_output *o = &run->outputs[k];
        if (check_output(r, run, o, err) || add_place(places, n, r->plan, run, o->path, o, err)) return -1;
    }
    for (size_t k = 0; k < run->inputs.count; k++)
        if (trj_plan_input_is_given(r->plan, run, k) &&
            add_place(places, n, r->plan, run, run->inputs.texts[k], NULL, err))
            return -1;
    return 0;
}

// `a` is an output; both places have one path.
static int fail_places(const struct trj_recipe_reading *r, const struct place *a, const struct place *b,
                       struct trj_error *err) {
    if (b->output && (b->run < a->run || (b->run == a->run && b->output < a->output))) return fail_places(r, b, a, err);
    const struct trj_run_output *later = b->output ? b->output : a->output;
    const struct trj_yaml where = {.line = later->line, .column = later->column};
    if (b->output && a->run == b->run)
        return fail(r, &where, "stage '%s' writes '%s' twice; give different names", a->run->name, later->path);
    if (b->output)
        return fail(r, &where, "stages '%s' and '%s' both write '%s'; give different names", a->run->name, b->run->name,
                    later->path);
    if (a->output->argument)
        return fail(r, &where,
                    "stage '%s' writes '%s', which stage '%s' reads; only the file of the key 'output' can be read in "
                    "the same recipe",
                    a->run->name, later->path, b->run->name);
    return fail(r, &where,
                "stage '%s' writes '%s', which stage '%s' reads as a file; use 'from' in that stage instead of files",
                a->run->name, later->path, b->run->name);
}

int trj_recipe_check_paths(struct trj_recipe_reading *r, struct trj_error *err) {
    const struct trj_plan *plan = r->plan;
    size_t n = 0, count = 0;
    int rc = 0;
    for (size_t i = 0; i < plan->run_count; i++) count += plan->runs[i].inputs.count + plan->runs[i].output_count;
    struct place *places = trj_alloc(count, sizeof *places, "files", err);
    if (!places) return -1;
    for (size_t i = 0; !rc && i < plan->run_count; i++) rc = add_places(r, places, &n, &plan->runs[i], err);
    if (!rc) qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 1; !rc && i < n; i++)
        if (places[i - 1].output && !strcmp(places[i - 1].path, places[i].path))
            rc = fail_places(r, &places[i - 1], &places[i], err);
    for (size_t i = 0; i < n; i++) free(places[i].path);
    free(places);
    return rc;
}
