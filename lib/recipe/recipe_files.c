// SPDX-License-Identifier: MIT
// Adds the files that a run reads and writes to the plan, and checks them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connection.h"
#include "memory.h"
#include "missing_file.h"
#include "provenance.h"
#include "recipe_reading.h"
#include "staged_output.h"

static int check_name(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *path,
                      struct trj_error *err) {
    if (path[0] != '-') return 0;
    return fail(r, where, "'%s' is not a file name here; write ./%s for a file of that name", path, path);
}

int trj_recipe_add_input(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                         const char *path, struct trj_error *err) {
    struct stat st;
    if (check_name(r, where, path, err)) return -1;
    if (trj_connection_is(path))
        return fail(r, where,
                    "'%s' is not a file: a recipe can be repeated, a connection cannot; run trjcat in a shell", path);
    for (size_t i = 0; i < r->stage_count; i++) { // trj_recipe_check_paths finds other paths of a file
        const struct trj_yaml *output = trj_yaml_find(r->stages[i].map, "output");
        if (output && output->kind == TRJ_YAML_TEXT && !strcmp(output->text, path))
            return fail(r, where, "'%s' is written by stage '%s'; use 'from: %s' instead of files, or {from: %s}", path,
                        r->stages[i].name, r->stages[i].name, r->stages[i].name);
    }
    char *here = trj_plan_path(r->plan, path, err);
    if (!here) return -1;
    int rc = 0;
    bool missing = r->check_files && stat(here, &st);
    if (missing && !trj_file_is_missing())
        rc = trj_fail_errno(err, "%s", path);
    else if (missing)
        rc = fail(r, where, "no file '%s' in the recipe's folder; paths are relative to this folder", path);
    else if (r->check_files && !S_ISREG(st.st_mode))
        rc = fail(r, where, "'%s' is not a regular file; give another name", path);
    else if (r->check_files && access(here, R_OK))
        rc = errno == EACCES ? fail(r, where, "'%s' cannot be read; check its permissions", path)
                             : trj_fail_errno(err, "%s", path);
    free(here);
    return rc || trj_string_list_add(&run->inputs, path, err) ? -1 : 0;
}

// Checks that the folder of an output exists and, unless the output may be reused, that it is writable.
static int check_folder(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *output,
                        char *here, struct trj_error *err) {
    struct stat st;
    char *slash = strrchr(here, '/');
    if (slash && slash != here) {
        *slash = 0;
        bool missing = stat(here, &st), unknown = missing && !trj_file_is_missing();
        bool there = !missing && S_ISDIR(st.st_mode);
        if (unknown) trj_error_set_errno(err, "%s", here);
        *slash = '/';
        if (unknown) return -1;
        const char *end = strrchr(output, '/');
        if (!there && end)
            return fail(r, where, "no folder '%.*s' for '%s'; create it", (int)(end - output), output, output);
        if (!there) return fail(r, where, "no folder '%s' for '%s'; create it", r->plan->folder, output);
    }
    if (!r->check_files || trj_provenance_is_stream(here) || !trj_staged_output_check(here, err)) return 0;
    return trj_fail_at(err, "%s:%u:%u", r->path, where->line, where->column);
}

int trj_recipe_add_output(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                          const char *path, size_t argument, struct trj_error *err) {
    struct stat st;
    if (trj_stage_run_add_output(run, path, argument, err)) return -1;
    run->outputs[run->output_count - 1].line = where->line;
    run->outputs[run->output_count - 1].column = where->column;
    if (check_name(r, where, path, err)) return -1;
    if (path[strlen(path) - 1] == '/') return fail(r, where, "'%s' is not the name of a file", path);
    char *here = trj_plan_path(r->plan, path, err);
    if (!here) return -1;
    int rc = stat(here, &st);
    if (rc && errno == ENAMETOOLONG)
        rc = fail(r, where, "'%s' is too long for the name of a file", path);
    else if (rc && !trj_file_is_missing())
        rc = trj_fail_errno(err, "%s", path);
    else if (!rc && !S_ISREG(st.st_mode))
        rc = fail(r, where, "'%s' exists and is not a regular file; give another name", path);
    else
        rc = check_folder(r, where, path, here, err);
    free(here);
    return rc;
}
