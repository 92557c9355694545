// SPDX-License-Identifier: MIT
// Reads the keys that describe jobs of a cluster: the number of segments, and options of sbatch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "recipe_reading.h"

enum { LONGEST_OPTION = 1000 };

// Options that the jobs of a script depend on.
static const char *const reserved[] = {"array",    "chdir", "dependency", "help",  "kill-on-invalid-dep",
                                       "parsable", "quiet", "test-only",  "usage", "version",
                                       "wait",     "wrap"};

static int check_name(const char *name, size_t length, struct trj_error *err) {
    if (!length || length != strspn(name, "abcdefghijklmnopqrstuvwxyz-") || *name == '-')
        return trj_fail(err, TRJ_USAGE, "'%.*s' is not the long name of an option of sbatch; example: partition",
                        (int)length, name);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (length == strlen(reserved[i]) && !memcmp(name, reserved[i], length))
            return trj_fail(err, TRJ_USAGE,
                            "the option '%s' of sbatch is not accepted, because trjrun %s; leave it out", reserved[i],
                            i == 1 ? "gives the folder of the recipe" : "gives it or reads its output");
    return 0;
}

int trj_recipe_add_job_option(struct trj_plan *plan, const char *option, struct trj_error *err) {
    if (strncmp(option, "--", 2) != 0)
        return trj_fail(err, TRJ_USAGE, "--sbatch: '%s' is not a long option of sbatch; example: --sbatch --time=60",
                        option);
    if (check_name(option + 2, strcspn(option + 2, "="), err)) return trj_fail_at(err, "--sbatch");
    return trj_string_list_add(&plan->jobs, option, err) || trj_string_list_add(&plan->merge_job, option, err) ? -1 : 0;
}

static const struct trj_recipe_scope nowhere = {.stage = NULL};

// Adds "--NAME=VALUE", "--NAME" for true, and nothing for false.
static int add_option(const struct trj_recipe_reading *r, struct trj_string_list *list, const struct trj_yaml *key,
                      const struct trj_yaml *value, struct trj_error *err) {
    struct trj_error why;
    char option[LONGEST_OPTION], *text;
    if (check_name(key->text, strlen(key->text), &why)) return fail(r, key, "slurm: %s", why.text);
    if (trj_recipe_expand(r, &nowhere, value, &text, err)) return -1;
    int rc = 0;
    const bool flag = !strcmp(text, "true");
    const int n = snprintf(option, sizeof option, "--%s%s%s", key->text, flag ? "" : "=", flag ? "" : text);
    if (n >= (int)sizeof option)
        rc = fail(r, value, "slurm: %s: more than %d bytes", key->text, LONGEST_OPTION);
    else if (strcmp(text, "false") != 0)
        rc = trj_string_list_add(list, option, err);
    free(text);
    return rc;
}

static int read_slurm(const struct trj_recipe_reading *r, const struct trj_yaml *slurm, struct trj_error *err) {
    const struct trj_yaml *merge = slurm->kind == TRJ_YAML_MAP ? trj_yaml_find(slurm, "merge") : NULL;
    if (slurm->kind != TRJ_YAML_MAP || (merge && merge->kind != TRJ_YAML_MAP))
        return fail(r, merge ? merge : slurm, "%s is %s; it must be a map of options of sbatch: {partition: NAME, ...}",
                    merge ? "merge" : "slurm", trj_yaml_kind_name(merge ? merge : slurm));
    for (size_t i = 0; i < slurm->count; i++) {
        if (&slurm->items[i] == merge) continue;
        if (add_option(r, &r->plan->jobs, &slurm->keys[i], &slurm->items[i], err)) return -1;
        if (merge && trj_yaml_find(merge, slurm->keys[i].text)) continue;
        if (add_option(r, &r->plan->merge_job, &slurm->keys[i], &slurm->items[i], err)) return -1;
    }
    for (size_t i = 0; merge && i < merge->count; i++)
        if (add_option(r, &r->plan->merge_job, &merge->keys[i], &merge->items[i], err)) return -1;
    return 0;
}

int trj_recipe_read_jobs(const struct trj_recipe_reading *r, struct trj_error *err) {
    const struct trj_yaml *segments = trj_yaml_find(&r->root, "segments"), *slurm = trj_yaml_find(&r->root, "slurm");
    char *text;
    if (slurm && read_slurm(r, slurm, err)) return -1;
    if (!segments) return 0;
    if (trj_recipe_expand(r, &nowhere, segments, &text, err)) return -1;
    const bool valid =
        trj_parse_u64(text, &r->plan->segments) && r->plan->segments && r->plan->segments <= TRJ_RECIPE_MAX_SEGMENTS;
    int rc =
        valid ? 0
              : fail(r, segments, "segments: '%s' is not a whole number from 1 to %d", text, TRJ_RECIPE_MAX_SEGMENTS);
    free(text);
    return rc;
}
