// SPDX-License-Identifier: MIT
// Writes the plan as rules of Snakemake, which are Python: texts are quoted for the shell, for Snakemake's formats, in
// which braces are special, and for Python.
#include "snakemake_writer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "tool.h"
#include "workflow_command.h"

#define ANY_SEGMENT UINT64_MAX // its digits in paths of parts are replaced by the wildcard

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// Writes the inside of a literal of Python. Braces are doubled, unless the text is a pattern.
static void put_inside(struct trj_bytes *b, const char *text, bool pattern) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') put(b, "\\");
        if (!pattern && (*text == '{' || *text == '}')) trj_put_raw(b, text, 1);
        trj_put_raw(b, text, 1);
    }
}

static void put_literal(struct trj_bytes *b, const char *text) {
    put(b, "\"");
    put_inside(b, text, false);
    put(b, "\"");
}

// Writes a word of a command within a literal.
static void put_word(struct trj_bytes *b, const char *word) {
    struct trj_bytes quoted = {0};
    trj_put_quoted(&quoted, word);
    trj_put_raw(&quoted, "", 1);
    if (!quoted.failed) put_inside(b, (const char *)quoted.data, false);
    b->failed = b->failed || quoted.failed;
    trj_bytes_free(&quoted);
}

// A rule for a group of a plan.
struct rule {
    const struct trj_plan *plan;
    size_t group;
    const char *mode;     // options of trjrun before --only: "", " --merge"
    const char *wildcard; // digits in place of the number of a segment; NULL: none
};

struct writer {
    struct trj_bytes *b;
    const struct trj_plan *plan;  // of the recipe
    const struct trj_segments *s; // s->count is 0: no segments
    struct trj_string_list names; // of rules
    const char *trjrun;
    const struct trj_definition *definitions;
    size_t definition_count;
};

// Writes a path; the last digits of a part become the wildcard.
static void put_path(struct trj_bytes *b, const char *path, const char *wildcard) {
    const char *found = wildcard ? strstr(path, wildcard) : NULL;
    put(b, "\"");
    if (!found) {
        put_inside(b, path, false);
    } else {
        char *start = strndup(path, (size_t)(found - path));
        if (start) put_inside(b, start, false);
        b->failed = b->failed || !start;
        free(start);
        put(b, "{segment}");
        put_inside(b, found + strlen(wildcard), false);
    }
    put(b, "\"");
}

static int check_path(const char *path, bool series, struct trj_error *err) {
    if (series)
        return trj_fail(err, TRJ_USAGE,
                        "--snakemake: '%s' is a series of files, whose number is not known; leave it "
                        "to trjrun, or give one file",
                        path);
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < ' ')
            return trj_fail(err, TRJ_USAGE,
                            "--snakemake: file names with control characters are not supported; rename "
                            "the file");
    if (strpbrk(path, "{}"))
        return trj_fail(err, TRJ_USAGE,
                        "--snakemake: '%s': Snakemake takes braces in file names for wildcards; rename the file", path);
    return 0;
}

// Names a rule after the stage that writes the first output of the group, with letters that Python allows.
static int put_rule_name(struct writer *w, const char *stage, struct trj_error *err) {
    char name[96], numbered[128];
    size_t n = strcspn(stage, "["), again = 1;
    if (n > sizeof name - 1) n = sizeof name - 1;
    for (size_t i = 0; i < n; i++) name[i] = (char)(isalnum((unsigned char)stage[i]) ? stage[i] : '_');
    name[n] = 0;
    snprintf(numbered, sizeof numbered, "%s", name);
    for (size_t i = 0; i < w->names.count; i++) {
        if (strcmp(w->names.texts[i], numbered) != 0) continue;
        snprintf(numbered, sizeof numbered, "%s_%zu", name, ++again);
        i = SIZE_MAX; // begin again
    }
    put(w->b, "\nrule stage_");
    put(w->b, numbered);
    put(w->b, ":\n");
    return trj_string_list_add(&w->names, numbered, err);
}

static const char *job_option(const struct trj_string_list *options, const char *name) {
    const size_t n = strlen(name);
    for (size_t i = options->count; i-- > 0;)
        if (!strncmp(options->texts[i], name, n) && options->texts[i][n] == '=') return options->texts[i] + n + 1;
    return NULL;
}

// Writes threads, and the options of sbatch as the resources of Snakemake's executor for Slurm.
static void put_resources(struct writer *w, const struct trj_string_list *options, const char *threads) {
    static const char *const names[][2] = {{"--partition", "slurm_partition"}, {"--account", "slurm_account"}};
    struct trj_bytes *b = w->b;
    const char *cpus = job_option(options, "--cpus-per-task");
    bool first = true, extra = false;
    put(b, "    threads: ");
    put(b, cpus && cpus[strspn(cpus, "0123456789")] == 0 ? cpus : threads);
    put(b, "\n");
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->texts[i];
        size_t k = 0;
        while (k < 2 && (strncmp(option, names[k][0], strlen(names[k][0])) != 0 || option[strlen(names[k][0])] != '='))
            k++;
        if (k == 2) {
            extra = extra || strncmp(option, "--cpus-per-task=", strlen("--cpus-per-task=")) != 0;
            continue;
        }
        put(b, first ? "    resources:\n" : ",\n");
        put(b, "        ");
        put(b, names[k][1]);
        put(b, "=");
        put_literal(b, strchr(option, '=') + 1);
        first = false;
    }
    if (extra) {
        const char *between = "";
        put(b, first ? "    resources:\n" : ",\n");
        put(b, "        slurm_extra=\"");
        for (size_t i = 0; i < options->count; i++) {
            const char *option = options->texts[i];
            if (!strncmp(option, "--cpus-per-task=", strlen("--cpus-per-task=")) ||
                !strncmp(option, "--partition=", 12) || !strncmp(option, "--account=", 10))
                continue;
            put(b, between);
            put_word(b, option);
            between = " ";
        }
        put(b, "\"");
        first = false;
    }
    if (!first) put(b, "\n");
}

// Writes the end of a rule: the command.
static void put_shell(struct writer *w, const char *mode, const char *only, const char *wildcard) {
    struct trj_bytes *b = w->b;
    put(b, "    shell:\n        \"SLURM_CPUS_PER_TASK={threads} ");
    trj_workflow_put_command(b, put_word, w->trjrun, w->definitions, w->definition_count);
    put(b, mode);
    put(b, " --only ");
    const char *found = wildcard ? strstr(only, wildcard) : NULL;
    struct trj_bytes text = {0};
    trj_put_raw(&text, only, found ? (size_t)(found - only) : strlen(only));
    trj_put_raw(&text, "", 1);
    if (!text.failed) put_word(b, (const char *)text.data);
    b->failed = b->failed || text.failed;
    trj_bytes_free(&text);
    if (found) {
        put(b, "{wildcards.segment}");
        put_word(b, found + strlen(wildcard));
    }
    put(b, " -- ");
    put_word(b, w->plan->recipe);
    put(b, "\"\n");
}

// Writes the paths of the outputs of a group, and sets *first to the first of them, as in the recipe.
static int put_outputs(struct writer *w, const struct rule *rule, const char **first, const char **stage,
                       struct trj_error *err) {
    const struct trj_plan *plan = rule->plan;
    struct trj_bytes paths = {0};
    int rc = 0;
    *first = NULL;
    for (size_t i = 0; !rc && i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        for (size_t k = 0; !rc && k < run->output_count && run->group == rule->group; k++) {
            char *path = trj_plan_path(plan, run->outputs[k].path, err);
            rc = path ? check_path(path, run->series, err) : -1;
            if (!rc && *first) put(&paths, ", ");
            if (!rc) put_path(&paths, path, rule->wildcard);
            if (!*first) {
                *first = run->outputs[k].path;
                *stage = run->name;
            }
            free(path);
        }
    }
    if (!rc && *first) rc = put_rule_name(w, *stage, err);
    if (!rc && *first) {
        put(w->b, "    output: ");
        trj_put_raw(w->b, paths.data, paths.size);
        put(w->b, "\n");
    }
    w->b->failed = w->b->failed || paths.failed;
    trj_bytes_free(&paths);
    return rc;
}

// Parts among the inputs of a merge are those of all segments.
static int put_inputs(struct writer *w, const struct rule *rule, struct trj_error *err) {
    struct trj_string_list files = {.texts = NULL};
    int rc = trj_workflow_list_inputs(&files, rule->plan, rule->group, err);
    put(w->b, "    input: ");
    for (size_t i = 0; !rc && i < files.count; i++) {
        if (i) put(w->b, ", ");
        rc = check_path(files.texts[i], false, err);
        put_path(w->b, files.texts[i], NULL);
    }
    put(w->b, "\n");
    trj_string_list_free(&files);
    return rc;
}

static int put_rule(struct writer *w, const struct rule *rule, struct trj_error *err) {
    const char *first, *stage;
    if (put_outputs(w, rule, &first, &stage, err)) return -1;
    if (!first) return 0;
    if (put_inputs(w, rule, err)) return -1;
    const bool whole = !rule->wildcard && !*rule->mode;
    put_resources(w, rule->wildcard || whole ? &w->plan->jobs : &w->plan->merge_job, whole ? "workflow.cores" : "1");
    put_shell(w, rule->mode, first, rule->wildcard);
    return 0;
}

// Writes a rule that joins the parts of a result.
static int put_join(struct writer *w, size_t i, struct trj_error *err) {
    const struct trj_segments *s = w->s;
    char *to = trj_segments_path(s, i, 0, err), *here = to ? trj_plan_path(s->plan, to, err) : NULL,
         *stem = here ? trj_plan_path(s->plan, s->runs[i].stem, err) : NULL;
    int rc = stem ? check_path(here, false, err) : -1;
    if (!rc) rc = put_rule_name(w, s->plan->runs[i].name, err);
    if (!rc) {
        char last[32];
        snprintf(last, sizeof last, "%llu", (unsigned long long)s->count + 1);
        put(w->b, "    output: ");
        put_literal(w->b, here);
        put(w->b, "\n    input: expand(\"");
        put_inside(w->b, stem, false);
        put(w->b, ".{segment}.");
        put(w->b, s->runs[i].ending);
        put(w->b, "\", segment=range(1, ");
        put(w->b, last);
        put(w->b, "))\n");
        put_resources(w, &w->plan->merge_job, "1");
        put_shell(w, " --merge", to, NULL);
    }
    free(to);
    free(here);
    free(stem);
    return rc;
}

static int put_segment_rules(struct writer *w, struct trj_error *err) {
    struct trj_plan part = {.recipe = NULL}, merged = {.recipe = NULL};
    char wildcard[32];
    snprintf(wildcard, sizeof wildcard, "%llu", (unsigned long long)ANY_SEGMENT);
    int rc = trj_segments_part(&part, w->s, NULL, ANY_SEGMENT, err) || trj_segments_merged(&merged, w->s, err) ? -1 : 0;
    for (size_t g = 0; !rc && g < part.group_count; g++)
        rc = put_rule(w, &(struct rule){&part, g, " --segment {wildcards.segment}", wildcard}, err);
    for (size_t i = 0; !rc && i < w->plan->run_count; i++)
        if (w->s->runs[i].role == TRJ_SEGMENT_RESULT && w->s->runs[i].merge == TRJ_SEGMENT_JOIN)
            rc = put_join(w, i, err);
    for (size_t g = 0; !rc && g < merged.group_count; g++)
        rc = put_rule(w, &(struct rule){&merged, g, " --merge", NULL}, err);
    trj_plan_free(&part);
    trj_plan_free(&merged);
    return rc;
}

// Writes the first rule, whose inputs are all outputs of the recipe.
static int put_all(struct writer *w, struct trj_error *err) {
    const char *between = "";
    put(w->b, "rule all:\n    input: ");
    for (size_t i = 0; i < w->plan->run_count; i++)
        for (size_t k = 0; k < w->plan->runs[i].output_count; k++) {
            char *path = trj_plan_path(w->plan, w->plan->runs[i].outputs[k].path, err);
            if (!path) return -1;
            put(w->b, between);
            put_literal(w->b, path);
            free(path);
            between = ", ";
        }
    put(w->b, "\n");
    return 0;
}

int trj_plan_put_snakefile(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_segments *s,
                           const struct trj_definition *definitions, size_t count, struct trj_error *err) {
    char *trjrun = trj_find_executable("trjrun", err);
    struct writer w = {
        .b = b, .plan = plan, .s = s, .trjrun = trjrun, .definitions = definitions, .definition_count = count};
    int rc = trjrun ? trj_workflow_check_recipe(plan, "--snakemake", "Snakefile", err) : -1;
    put(b, "# Made by `trjrun --snakemake`, trjrun " TRJPIPE_VERSION ". Make it again when the recipe has changed.\n");
    if (!rc) rc = put_all(&w, err);
    if (!rc && s->count) rc = put_segment_rules(&w, err);
    for (size_t g = 0; !rc && !s->count && g < plan->group_count; g++)
        rc = put_rule(&w, &(struct rule){plan, g, "", NULL}, err);
    trj_string_list_free(&w.names);
    free(trjrun);
    return rc;
}
