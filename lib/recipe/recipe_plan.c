// SPDX-License-Identifier: MIT
// Contains the plan of a recipe: processes in groups that pipes connect, and files between groups.
#include "recipe_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "tool.h"

int trj_string_list_add(struct trj_string_list *w, const char *text, struct trj_error *err) {
    char *copy = trj_copy_text(text, err);
    if (!copy || trj_grow(&w->texts, &w->capacity, w->count + 2, sizeof *w->texts, "words", err)) {
        free(copy);
        return -1;
    }
    w->texts[w->count++] = copy;
    w->texts[w->count] = NULL;
    return 0;
}

void trj_string_list_free(struct trj_string_list *w) {
    trj_text_array_free(w->texts);
    *w = (struct trj_string_list){.texts = NULL};
}

void trj_stage_run_free(struct trj_stage_run *run) {
    trj_string_list_free(&run->argv);
    trj_string_list_free(&run->inputs);
    trj_string_list_free(&run->carry);
    trj_string_list_free(&run->groups);
    free(run->name);
    free(run->command);
    for (size_t k = 0; k < run->output_count; k++) free(run->outputs[k].path);
    free(run->outputs);
    free(run->sources);
    *run = (struct trj_stage_run){.name = NULL};
}

void trj_plan_free(struct trj_plan *plan) {
    for (size_t i = 0; i < plan->run_count; i++) trj_stage_run_free(&plan->runs[i]);
    free(plan->runs);
    free(plan->folder);
    trj_string_list_free(&plan->jobs);
    trj_string_list_free(&plan->merge_job);
    trj_known_tools_free(&plan->tools);
    *plan = (struct trj_plan){.recipe = NULL};
}

// Returns whether the paths differ only in repeated slashes and in components ".".
static bool is_same_path(const char *a, const char *b) {
    if ((*a == '/') != (*b == '/')) return false;
    for (;;) {
        const char **const ways[] = {&a, &b};
        for (int i = 0; i < 2; i++)
            for (const char **p = ways[i]; **p == '/' || (**p == '.' && ((*p)[1] == '/' || !(*p)[1]));) ++*p;
        size_t n = strcspn(a, "/");
        if (n != strcspn(b, "/") || memcmp(a, b, n) != 0) return false;
        if (!n) return true;
        a += n;
        b += n;
    }
}

int trj_stage_run_add_output(struct trj_stage_run *run, const char *path, size_t argument, struct trj_error *err) {
    size_t capacity = run->output_count; // reallocated for each output, because there are few
    if (trj_grow(&run->outputs, &capacity, run->output_count + 1, sizeof *run->outputs, "outputs", err)) return -1;
    char *copy = trj_copy_text(path, err);
    if (!copy) return -1;
    run->outputs[run->output_count++] = (struct trj_run_output){.path = copy, .argument = argument};
    if (!argument) run->output = copy;
    return 0;
}

bool trj_plan_input_is_given(const struct trj_plan *plan, const struct trj_stage_run *run, size_t k) {
    for (size_t i = run->piped; i < run->source_count; i++)
        if (!strcmp(plan->runs[run->sources[i]].output, run->inputs.texts[k])) return false;
    return true;
}

int trj_plan_group_waits(const struct trj_plan *plan, size_t group, size_t other, bool *waits, struct trj_error *err) {
    // later[g]: group g waits for `other`. A run can read files of groups that have runs after it.
    bool *later = trj_alloc(plan->group_count, sizeof *later, "stages", err), more = true;
    if (!later) return -1;
    later[other] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < plan->run_count; i++) {
            const struct trj_stage_run *run = &plan->runs[i];
            for (size_t k = run->piped; k < run->source_count && !later[run->group]; k++)
                more = (later[run->group] = later[plan->runs[run->sources[k]].group]) || more;
        }
    }
    *waits = later[group];
    free(later);
    return 0;
}

const struct trj_stage_run *trj_plan_find_output(const struct trj_plan *plan, const char *output) {
    for (size_t i = 0; i < plan->run_count; i++)
        for (size_t k = 0; k < plan->runs[i].output_count; k++)
            if (is_same_path(plan->runs[i].outputs[k].path, output)) return &plan->runs[i];
    return NULL;
}

char *trj_plan_path(const struct trj_plan *plan, const char *path, struct trj_error *err) {
    bool here = path[0] == '/' || !strcmp(plan->folder, ".");
    size_t capacity = strlen(plan->folder) + strlen(path) + 2;
    char *whole = trj_alloc(capacity, 1, "a path", err);
    if (whole) snprintf(whole, capacity, "%s%s%s", here ? "" : plan->folder, here ? "" : "/", path);
    return whole;
}

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

// Writes the command of a run, after the commands that it reads from through pipes.
static void put_pipeline(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_stage_run *run) {
    if (run->piped) {
        put_pipeline(b, plan, &plan->runs[run->sources[0]]);
        put(b, " |\n    ");
    }
    for (size_t i = 0; i <= run->argv.count; i++) {
        if (i == run->operands && run->output) {
            put(b, " --output ");
            trj_put_quoted(b, run->output);
        }
        if (i == run->argv.count) break;
        if (i) put(b, " ");
        trj_put_quoted(b, run->argv.texts[i]);
    }
    if (run->output) put(b, "\n");
}

void trj_plan_put_pipelines(struct trj_bytes *b, const struct trj_plan *plan) {
    if (strcmp(plan->folder, ".")) {
        put(b, "CDPATH= cd -- ");
        trj_put_quoted(b, plan->folder);
        put(b, " || exit\n");
    }
    for (size_t i = 0; i < plan->run_count; i++) {
        if (plan->runs[i].output) put_pipeline(b, plan, &plan->runs[i]);
    }
}

void trj_plan_put_outputs(struct trj_bytes *b, const struct trj_plan *plan, size_t group) {
    const char *between = "";
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct trj_stage_run *run = &plan->runs[i];
        for (size_t k = 0; run->group == group && k < run->output_count; k++) {
            put(b, between);
            put(b, run->outputs[k].path);
            between = " ";
        }
    }
}
