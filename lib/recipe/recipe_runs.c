// SPDX-License-Identifier: MIT
// Plans the runs of each stage: their arguments, inputs and outputs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "file_argument.h"
#include "memory.h"
#include "number.h"
#include "recipe_reading.h"
#include "run_arguments.h"
#include "series_name.h"
#include "tool.h"

// Of all runs together; the plan keeps them in memory.
enum { MAX_ARGUMENTS = 1000000 };

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static int fail_choice(const struct trj_recipe_reading *r, const struct trj_known_option *o,
                       const struct trj_yaml *where, const char *text, struct trj_error *err) {
    enum { MAX = 32 };
    char *choices = trj_copy_text(o->choices, err), near[128], *save = NULL;
    const char *names[MAX + 1];
    size_t n = 0;
    if (!choices) return -1;
    for (char *name = strtok_r(choices, ",", &save); name && n < MAX; name = strtok_r(NULL, ",", &save))
        names[n++] = name;
    names[n] = NULL;
    fail(r, where, "%s: '%s' is not one of %s%s", o->name, text, o->choices,
         trj_recipe_suggest(near, sizeof near, text, names));
    free(choices);
    return -1;
}

static int check_value(const struct trj_recipe_reading *r, const struct trj_known_option *o,
                       const struct trj_yaml *where, const char *text, struct trj_error *err) {
    uint64_t count;
    double real;
    switch (o->kind) {
    case TRJ_OPTION_FLAG:
        if (strcmp(text, "true") && strcmp(text, "false"))
            return fail(r, where, "%s: '%s' is neither true nor false", o->name, text);
        return 0;
    case TRJ_OPTION_COUNT:
        if (!trj_parse_u64(text, &count) || count < o->min || count > o->max)
            return fail(r, where, "%s: '%s' is not a whole number from %llu to %llu", o->name, text,
                        (unsigned long long)o->min, (unsigned long long)o->max);
        return 0;
    case TRJ_OPTION_REAL:
        return trj_parse_real(text, &real) ? 0 : fail(r, where, "%s: '%s' is not a number", o->name, text);
    case TRJ_OPTION_CHOICE:
        for (const char *p = o->choices; *p; p += p[strcspn(p, ",")] == ',') {
            size_t n = strcspn(p, ",");
            if (n == strlen(text) && !memcmp(p, text, n)) return 0;
            p += n;
        }
        return fail_choice(r, o, where, text, err);
    case TRJ_OPTION_TEXT:
    case TRJ_OPTION_LIST:
    case TRJ_OPTION_PRINT: // trj_known_tool does not contain these
        return 0;
    }
    return 0;
}

struct run_parts {
    const struct trj_recipe_reading *r;
    struct trj_stage_run *run;
    const struct trj_known_option *option;
    struct trj_string_list needs;                // properties of atoms that the options require
    size_t files;                                // given ones
    bool tables;                                 // operands are tables (trj_known_tool.tables)
    size_t option_source_count, *option_sources; // indices of the runs whose outputs are values of options
};

// Adds the files that the value names to those of the run. The name of the option will precede an output in argv.
static int add_option_files(const struct run_parts *m, const struct trj_yaml *where, const char *text,
                            struct trj_error *err) {
    const struct trj_known_option *o = m->option;
    if (o->output) return trj_recipe_add_output(m->r, m->run, where, text, m->run->argv.count + 1, err);
    char *path;
    if (trj_file_argument_path(&path, o->argument, text, err)) return -1;
    int rc = path ? trj_recipe_add_input(m->r, m->run, where, path, err) : 0;
    free(path);
    return rc;
}

// Adds the option, with a value that has been checked, to the arguments.
static int add_argument(const struct run_parts *m, const char *text, struct trj_error *err) {
    const struct trj_known_option *o = m->option;
    m->run->operands = m->run->argv.count;
    return trj_run_add_option(m->run, o->name, o->kind == TRJ_OPTION_FLAG ? NULL : text, err);
}

static int add_option_value(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct run_parts *m = arg;
    const struct trj_known_option *o = m->option;
    if (check_value(m->r, o, where, text, err) || trj_recipe_add_needs(&m->needs, o->carry, text, err) ||
        add_option_files(m, where, text, err))
        return -1;
    return o->kind == TRJ_OPTION_FLAG && !strcmp(text, "false") ? 0 : add_argument(m, text, err);
}

static int add_operand(struct run_parts *m, const char *text, struct trj_error *err) {
    return trj_string_list_add(&m->run->argv, text, err);
}

// Adds an input: an operand, or the value of an option if operands are expressions.
static int add_input(struct run_parts *m, const char *path, struct trj_error *err) {
    if (!m->run->tool->input.name || m->tables) return add_operand(m, path, err);
    m->option = &m->run->tool->input;
    return add_argument(m, path, err);
}

static int add_file(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct run_parts *m = arg;
    m->files++;
    return trj_recipe_add_input(m->r, m->run, where, text, err) || add_input(m, text, err) ? -1 : 0;
}

static int add_expression(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    (void)where;
    return add_operand(arg, text, err);
}

// Adds the operands that are expressions, after the inputs.
static int add_expressions(struct run_parts *m, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                           struct trj_error *err) {
    const struct trj_yaml *expressions = trj_yaml_find(s->map, TRJ_RECIPE_OBSERVABLES);
    m->run->operands = m->run->argv.count;
    return expressions ? trj_recipe_expand_list(m->r, scope, expressions, add_expression, m, err) : 0;
}

// Returns whether the run at `pick` of stage `s` reads this run of a source stage: the values of their common axes are
// equal.
static bool is_source_run(const struct trj_recipe_stage *s, const size_t *pick, const struct trj_recipe_stage *source,
                          size_t number) {
    for (size_t k = source->axis_count; k-- > 0;) {
        const struct trj_recipe_axis *axis = &source->axes[k],
                                     *mine = trj_recipe_find_axis(s, axis->names.texts[0], NULL);
        size_t value = number % axis->count;
        number /= axis->count;
        if (mine && !trj_recipe_merges(s, axis) && pick[mine - s->axes] != value) return false;
    }
    return true;
}

// Adds the option whose value {from: STAGE} is the output of a run of that stage.
static int add_option_source(struct run_parts *m, const struct trj_recipe_stage *s,
                             const struct trj_recipe_scope *scope, const struct trj_yaml *value,
                             struct trj_error *err) {
    const struct trj_recipe_reading *r = m->r;
    const struct trj_recipe_stage *source = trj_recipe_option_source(r, value, err);
    size_t found = 0, number = 0, capacity = m->option_source_count;
    if (!source) return -1;
    for (size_t k = 0; k < source->run_count; k++)
        if (is_source_run(s, scope->pick, source, k) && !found++) number = source->first_run + k;
    const struct trj_stage_run *from = &r->plan->runs[number];
    if (found > 1)
        return fail(r, value, "%s reads one file, but stage '%s' writes %zu for each run of '%s'; leave merge out",
                    m->option->name, source->name, found, s->name);
    if (!from->output || from->series)
        return fail(r, value,
                    from->series ? "%s reads one file, but stage '%s' writes a series of files; use another "
                                   "stage"
                                 : "%s reads a file; add output: FILE to stage '%s'",
                    m->option->name, source->name);
    if (trj_grow(&m->option_sources, &capacity, m->option_source_count + 1, sizeof *m->option_sources, "stages", err))
        return -1;
    m->option_sources[m->option_source_count++] = number;
    return trj_recipe_add_needs(&m->needs, m->option->carry, from->output, err) ||
                   trj_string_list_add(&m->run->inputs, from->output, err) || add_argument(m, from->output, err)
               ? -1
               : 0;
}

static int add_options(struct run_parts *m, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                       struct trj_error *err) {
    struct trj_stage_run *run = m->run;
    if (trj_string_list_add(&run->argv, s->tool->name, err)) return -1;
    if (s->tool->has_digest && trj_string_list_add(&run->argv, "--digest", err)) return -1;
    for (size_t i = 0; i < s->map->count; i++) {
        const struct trj_yaml *value = &s->map->items[i];
        char *text;
        // `each` with one value is an option of some tools; with variables it is the key.
        bool each = !strcmp(s->map->keys[i].text, "each") && value->kind == TRJ_YAML_TEXT;
        if (trj_recipe_is_key(s->map->keys[i].text) && !each) continue;
        m->option = trj_known_option_find(s->tool, s->map->keys[i].text);
        if (!m->option) continue;
        if (value->kind == TRJ_YAML_MAP && trj_known_option_reads_file(m->option)) {
            if (add_option_source(m, s, scope, value, err)) return -1;
            continue;
        }
        if (m->option->kind == TRJ_OPTION_LIST) {
            if (trj_recipe_expand_list(m->r, scope, value, add_option_value, m, err)) return -1;
            continue;
        }
        if (trj_recipe_expand(m->r, scope, value, &text, err)) return -1;
        bool carry = !strcmp(m->option->name, "carry");
        int rc = carry ? trj_recipe_add_requests(&run->carry, text, err) : add_option_value(m, value, text, err);
        free(text);
        if (rc) return -1;
    }
    if (m->tables) {
        m->option = &s->tool->tables;
        if (add_argument(m, "true", err)) return -1;
    }
    m->run->operands = m->run->argv.count;
    return 0;
}

// Only trjcat, which writes files of other formats, also reads them.
static int check_sources(const struct run_parts *m, const struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_plan *plan = m->r->plan;
    for (size_t i = 0; i < m->run->source_count; i++) {
        const struct trj_stage_run *source = &plan->runs[m->run->sources[i]];
        const char *format = trj_recipe_foreign_format(source);
        if (source->series)
            return fail(
                m->r, s->from,
                "stage '%s' reads one file, but '%s' writes a series of files, '%s'; leave the part after %% out there",
                s->name, source->name, source->output);
        if (format && source->tool != s->tool)
            return fail(m->r, s->from, "stage '%s' requires a stream, but '%s' writes %s; remove the key 'to' there",
                        s->name, source->name, format);
    }
    return 0;
}

static int add_sources(struct run_parts *m, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                       struct trj_error *err) {
    const struct trj_recipe_reading *r = m->r;
    struct trj_stage_run *run = m->run;
    size_t capacity = 0;
    for (size_t i = 0; i < s->from_count; i++) {
        const struct trj_recipe_stage *source = &r->stages[s->sources[i]];
        for (size_t k = 0; k < source->run_count; k++) {
            if (!is_source_run(s, scope->pick, source, k)) continue;
            if (trj_grow(&run->sources, &capacity, run->source_count + 1, sizeof *run->sources, "stages", err))
                return -1;
            run->sources[run->source_count++] = source->first_run + k;
        }
    }
    run->operand_count = run->source_count;
    if (check_sources(m, s, err)) return -1;
    if (run->source_count > s->tool->max && !m->tables)
        return fail(r, s->from, "stage '%s' joins %zu inputs, but %s reads %s; use another tool, or remove merge",
                    s->name, run->source_count, s->tool->name, s->tool->max > 1 ? "two" : "one");
    if (run->source_count < 2 && s->tool->min > 1)
        return fail(r, s->from, "stage '%s' reads from one stage, but %s reads two files; give a list of two stages",
                    s->name, s->tool->name);
    run->piped = run->source_count == 1 && !r->plan->runs[run->sources[0]].output;
    if (run->piped) return s->tool->min || m->tables ? add_operand(m, "-", err) : 0;
    for (size_t i = 0; i < run->source_count; i++) {
        const struct trj_stage_run *source = &r->plan->runs[run->sources[i]];
        if (!source->output)
            return fail(r, s->from, "stage '%s' joins %zu inputs, which must be files; add output: FILE to stage '%s'",
                        s->name, run->source_count, source->name);
        if (trj_string_list_add(&run->inputs, source->output, err) || add_input(m, source->output, err)) return -1;
    }
    return 0;
}

static int name_run(struct trj_stage_run *run, const struct trj_recipe_stage *s, const size_t *pick,
                    struct trj_error *err) {
    struct trj_bytes b = {0};
    put(&b, s->name);
    for (size_t i = 0; i < s->axis_count; i++) {
        put(&b, i ? " " : "[");
        put(&b, s->axes[i].names.texts[0]);
        put(&b, "=");
        put(&b, s->axes[i].values.texts[pick[i] * s->axes[i].names.count]);
    }
    if (s->axis_count) put(&b, "]");
    trj_put_raw(&b, "", 1);
    run->name = (char *)b.data;
    return b.failed ? trj_fail_memory(err, (double)b.size, "a name") : 0;
}

// Fails if the run, which joins the group of its first source, waits for a file that this group makes.
static int check_group(const struct run_parts *m, const struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_plan *plan = m->r->plan;
    const struct trj_stage_run *run = m->run;
    for (size_t i = 1; run->piped && i < run->source_count; i++) {
        const struct trj_stage_run *source = &plan->runs[run->sources[i]], *stream = &plan->runs[run->sources[0]];
        bool waits;
        if (trj_plan_group_waits(plan, source->group, run->group, &waits, err)) return -1;
        if (waits)
            return fail(m->r, s->key,
                        "stage '%s' reads the stream of '%s' while it waits for the output of '%s', which is made from "
                        "the same stream; add output: FILE to stage '%s'",
                        run->name, stream->name, source->name, stream->name);
    }
    return 0;
}

static int add_source(struct trj_stage_run *run, size_t source, struct trj_error *err) {
    size_t capacity = run->source_count;
    if (trj_grow(&run->sources, &capacity, run->source_count + 1, sizeof *run->sources, "stages", err)) return -1;
    run->sources[run->source_count++] = source;
    return 0;
}

static int set_output(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                      const struct trj_recipe_scope *scope, struct trj_error *err) {
    char *text;
    if (trj_recipe_expand(r, scope, where, &text, err)) return -1;
    int rc = trj_recipe_add_output(r, run, where, text, 0, err);
    if (!rc && run->tool->writes_series) {
        struct trj_error why;
        bool names = run->tool->writes_names && strstr(text, "%s");
        char *pattern = names ? trj_series_insert(text, "x", &why) : trj_copy_text(text, &why);
        char *name = pattern ? trj_series_name(pattern, 0, &run->series, &why) : NULL;
        if (!name) rc = fail(r, where, "%s", why.text);
        run->series = run->series || names;
        free(pattern);
        free(name);
    }
    free(text);
    return rc;
}

static int add_run(struct trj_recipe_reading *r, const struct trj_recipe_stage *s, const size_t *pick,
                   struct trj_error *err) {
    struct trj_plan *plan = r->plan;
    const struct trj_recipe_scope scope = {s, pick};
    const struct trj_yaml *output = trj_yaml_find(s->map, "output"), *files = trj_yaml_find(s->map, "files");
    if (trj_grow(&plan->runs, &r->run_capacity, plan->run_count + 1, sizeof *plan->runs, "stages", err)) return -1;
    struct trj_stage_run *run = &plan->runs[plan->run_count++];
    *run = (struct trj_stage_run){.tool = s->tool, .line = s->key->line, .column = s->key->column};
    struct run_parts m = {.r = r, .run = run, .tables = trj_recipe_reads_tables(r, s)};
    int rc = name_run(run, s, pick, err);
    if (!rc) rc = add_options(&m, s, &scope, err);
    if (!rc) rc = files ? trj_recipe_expand_list(r, &scope, files, add_file, &m, err) : add_sources(&m, s, &scope, err);
    if (!rc && files && (m.files > s->tool->max || m.files < s->tool->min)) {
        const char *number = s->tool->max > 1 ? "two" : "one";
        rc = fail(r, files, "%zu file%s, but %s reads %s; name %s", m.files, m.files == 1 ? "" : "s", s->tool->name,
                  number, number);
    }
    if (!rc && s->tool->input.name && !m.tables) rc = add_expressions(&m, s, &scope, err);
    if (!rc) rc = trj_recipe_check_values(r, s, &scope, run, &m.needs, err);
    if (!rc) rc = trj_recipe_request(plan, run, &m.needs, err);
    for (size_t i = 0; !rc && i < m.option_source_count; i++) rc = add_source(run, m.option_sources[i], err);
    if (!rc && output) rc = set_output(r, run, output, &scope, err);
    trj_string_list_free(&m.needs);
    free(m.option_sources);
    r->argument_count += run->argv.count;
    if (!rc && r->argument_count > MAX_ARGUMENTS)
        rc = fail(r, s->key, "stage '%s': more than %d arguments in all stages together; use fewer files or values",
                  s->name, MAX_ARGUMENTS);
    run->group = run->piped ? plan->runs[run->sources[0]].group : plan->group_count++;
    return rc ? -1 : check_group(&m, s, err);
}

// Adds a run for each combination of the axes' values; the index of the last axis varies fastest.
static int add_runs(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    size_t *pick = trj_alloc(s->axis_count, sizeof *pick, "variables", err);
    if (!pick) return -1;
    int rc = 0;
    s->first_run = r->plan->run_count;
    for (bool more = true; !rc && more;) {
        if (r->plan->run_count == TRJ_RECIPE_MAX_RUNS)
            rc = fail(r, s->key, "stage '%s' has more than %d runs; use fewer values", s->name, TRJ_RECIPE_MAX_RUNS);
        else
            rc = add_run(r, s, pick, err);
        more = false;
        for (size_t k = s->axis_count; k-- > 0 && !more;) {
            more = ++pick[k] < s->axes[k].count;
            if (!more) pick[k] = 0;
        }
    }
    s->run_count = r->plan->run_count - s->first_run;
    free(pick);
    return rc;
}

// Sources are planned first.
int trj_recipe_plan_stage(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    if (s->state == PLANNED) return 0;
    if (s->state == OPEN)
        return fail(r, s->from,
                    "cycle: stage '%s' reads from itself, directly or through other stages; change its key 'from'",
                    s->name);
    s->state = OPEN;
    for (size_t i = 0; i < s->source_count; i++)
        if (trj_recipe_plan_stage(r, &r->stages[s->sources[i]], err)) return -1;
    s->state = PLANNED;
    return trj_recipe_find_axes(r, s, err) || add_runs(r, s, err) ? -1 : 0;
}
