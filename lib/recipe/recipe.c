// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "at_file.h"
#include "bytes.h"
#include "memory.h"
#include "number.h"
#include "provenance.h"
#include "recipe_reading.h"
#include "staged_output.h"
#include "tool.h"

const struct trj_recipe_key trj_recipe_keys[] = {
    {"tool", "the filter that this stage is a run of"},
    {"files", "files that it reads, relative to the recipe"},
    {"from", "the stage that it reads from, or several of them; those that are joined must have an output"},
    {"merge", "variables that the stages of `from` fan out over, and whose values all go into one run of this stage"},
    {"each",
     "variables with lists of values: the stage is run for each value, or combination of values; or a list of maps "
     "of variables, whose values belong together: it is run for each map"},
    {"output",
     "the file that it writes, relative to the recipe; without it its stream goes to the stages that read from it"},
    {NULL, NULL},
};

// A fan-out beyond that is a mistake, and would be out of processes; all arguments together are kept.
enum { MOST_RUNS = 2000, MOST_ARGUMENTS = 1000000 };

static const char *known_keys(const struct trj_recipe_stage *s, char *text, size_t room) {
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < s->tool->option_count && n < room; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%s", i ? ", " : "", s->tool->options[i].name);
    return text;
}

// ---- stages

static int check_key(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s, const struct trj_yaml *key,
                     struct trj_error *err) {
    char known[512], near[128] = "";
    for (const struct trj_recipe_key *k = trj_recipe_keys; k->name; k++)
        if (!strcmp(k->name, key->text)) return 0;
    if (trj_known_option_find(s->tool, key->text)) return 0;
    // The nearest of both kinds of keys.
    size_t n = 0;
    while (trj_recipe_keys[n].name) n++;
    const char **names = trj_alloc(n + s->tool->option_count + 1, sizeof *names, "names", err);
    if (!names) return -1;
    for (size_t i = 0; i < n; i++) names[i] = trj_recipe_keys[i].name;
    for (size_t i = 0; i < s->tool->option_count; i++) names[n + i] = s->tool->options[i].name;
    fail(r, key, "unknown key '%s' in stage '%s'%s (%s has: %s)", key->text, s->name,
         trj_recipe_suggest(near, sizeof near, key->text, names), s->tool->name, known_keys(s, known, sizeof known));
    free(names);
    return -1;
}

static int take_stage(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *key,
                      const struct trj_yaml *map, struct trj_error *err) {
    *s = (struct trj_recipe_stage){.name = key->text, .key = key, .map = map};
    if (!trj_recipe_is_name(key->text, "-"))
        return fail(r, key, "'%s' is not the name of a stage; use letters, digits, _ and -", key->text);
    if (map->kind != TRJ_YAML_MAP)
        return fail(r, map, "stage '%s' is %s; it must be a map: {tool: ..., ...}", s->name, trj_yaml_kind_name(map));
    const struct trj_yaml *tool = trj_yaml_find(map, "tool"), *files = trj_yaml_find(map, "files");
    s->from = trj_yaml_find(map, "from");
    s->merge = trj_yaml_find(map, "merge");
    if (!tool) return fail(r, key, "stage '%s' has no tool; add tool: NAME", s->name);
    if (tool->kind != TRJ_YAML_TEXT || !*tool->text)
        return fail(r, tool, "tool is %s; it must be a name", trj_yaml_kind_name(tool));
    if (!(s->tool = trj_known_tool_find(&r->plan->tools, tool->text, err)))
        return trj_fail_at(err, "%s:%u:%u", r->path, tool->line, tool->column);
    for (size_t i = 0; i < map->count; i++)
        if (check_key(r, s, &map->keys[i], err)) return -1;
    if (files && s->from) return fail(r, s->from, "stage '%s' has files and from; remove one of them", s->name);
    if (!files && !s->from) return fail(r, key, "stage '%s' has no input; add files or from", s->name);
    if (s->merge && !s->from) return fail(r, s->merge, "merge without from; add from, or remove merge");
    return 0;
}

static int take_stages(struct trj_recipe_reading *r, struct trj_error *err) {
    const struct trj_yaml *map = trj_yaml_find(&r->root, "stages");
    if (!map) return fail(r, &r->root, "no stages; add stages: {NAME: {tool: ...}}");
    if (map->kind != TRJ_YAML_MAP || !map->count)
        return fail(r, map, "stages is %s; it must be a map: NAME: {tool: ..., ...}",
                    map->kind == TRJ_YAML_MAP ? "empty" : trj_yaml_kind_name(map));
    if (!(r->stages = trj_alloc(map->count, sizeof *r->stages, "stages", err))) return -1;
    for (size_t i = 0; i < map->count; i++)
        if (take_stage(r, &r->stages[r->stage_count++], &map->keys[i], &map->items[i], err)) return -1;
    return 0;
}

// A stage by the name in `from`.
static int add_source(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *name,
                      struct trj_error *err) {
    if (name->kind != TRJ_YAML_TEXT || !*name->text)
        return fail(r, name, "%s where the name of a stage is meant", trj_yaml_kind_name(name));
    for (size_t k = 0; k < r->stage_count; k++) {
        if (strcmp(r->stages[k].name, name->text)) continue;
        for (size_t i = 0; i < s->source_count; i++)
            if (s->sources[i] == k) return fail(r, name, "stage '%s' is defined twice; rename one", name->text);
        s->sources[s->source_count++] = k;
        r->stages[k].read = true;
        return 0;
    }
    return trj_recipe_fail_unknown(r, name, "stage", name->text, r->stages, r->stage_count, sizeof *r->stages, err);
}

static int connect_stages(struct trj_recipe_reading *r, struct trj_error *err) {
    for (size_t i = 0; i < r->stage_count; i++) {
        struct trj_recipe_stage *s = &r->stages[i];
        const struct trj_yaml *from = s->from;
        if (!from) continue;
        size_t n = from->kind == TRJ_YAML_LIST ? from->count : 1;
        if (from->kind == TRJ_YAML_MAP || !n)
            return fail(r, from, "from is %s; it must be the name of a stage, or a list of them",
                        n ? trj_yaml_kind_name(from) : "empty");
        if (!(s->sources = trj_alloc(n, sizeof *s->sources, "stages", err))) return -1;
        for (size_t k = 0; k < n; k++)
            if (add_source(r, s, from->kind == TRJ_YAML_LIST ? &from->items[k] : from, err)) return -1;
    }
    for (size_t i = 0; i < r->stage_count; i++)
        if (!r->stages[i].read && !trj_yaml_find(r->stages[i].map, "output"))
            return fail(r, r->stages[i].key, "stage '%s' has no output, and no stage reads from it; add output: FILE",
                        r->stages[i].name);
    return 0;
}

// ---- fan-out

static struct trj_recipe_axis *add_axis(struct trj_recipe_stage *s, struct trj_error *err) {
    size_t room = s->axis_count;
    if (trj_grow(&s->axes, &room, s->axis_count + 1, sizeof *s->axes, "variables", err)) return NULL;
    s->axes[s->axis_count] = (struct trj_recipe_axis){.count = 0};
    return &s->axes[s->axis_count++];
}

struct taking_value {
    const struct trj_recipe_reading *r;
    struct trj_recipe_axis *axis;
};

// A value of the axis' first variable, which tells the runs apart.
static int take_value(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct taking_value *t = arg;
    for (size_t i = 0; i < t->axis->values.count; i += t->axis->names.count)
        if (!strcmp(t->axis->values.texts[i], text)) return fail(t->r, where, "'%s' occurs twice; remove one", text);
    if (t->axis->count++ == MOST_RUNS) return fail(t->r, where, "more than %d runs; use fewer values", MOST_RUNS);
    return trj_string_list_add(&t->axis->values, text, err);
}

static bool names(const struct trj_yaml *node, const struct trj_recipe_axis *axis) {
    for (size_t i = 0; i < axis->names.count; i++)
        if (node->kind == TRJ_YAML_TEXT && !strcmp(node->text, axis->names.texts[i])) return true;
    return false;
}

static bool merges(const struct trj_recipe_stage *s, const struct trj_recipe_axis *axis) {
    bool any = s->merge && names(s->merge, axis);
    for (size_t i = 0; s->merge && i < s->merge->count; i++) any = any || names(&s->merge->items[i], axis);
    return any;
}

static bool same_words(const struct trj_string_list *a, const struct trj_string_list *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) same = !strcmp(a->texts[i], b->texts[i]);
    return same;
}

static int copy_words(struct trj_string_list *to, const struct trj_string_list *from, struct trj_error *err) {
    for (size_t i = 0; i < from->count; i++)
        if (trj_string_list_add(to, from->texts[i], err)) return -1;
    return 0;
}

// An axis of a stage that it reads from.
static int inherit_axis(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_recipe_axis *axis,
                        struct trj_error *err) {
    const struct trj_recipe_axis *have = NULL;
    size_t k = 0;
    while (k < axis->names.count && !(have = trj_recipe_find_axis(s, axis->names.texts[k], NULL))) k++;
    if (have && same_words(&have->names, &axis->names) && same_words(&have->values, &axis->values)) return 0;
    if (have)
        return fail(r, s->from, "the stages that '%s' reads from fan out over '%s' with different values", s->name,
                    axis->names.texts[k]);
    struct trj_recipe_axis *mine = add_axis(s, err);
    if (!mine || copy_words(&mine->names, &axis->names, err) || copy_words(&mine->values, &axis->values, err))
        return -1;
    mine->count = axis->count;
    return 0;
}

// The axes of the stages it reads from, but for those it merges.
static int inherit_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    for (size_t i = 0; i < s->source_count; i++) {
        const struct trj_recipe_stage *source = &r->stages[s->sources[i]];
        for (size_t k = 0; k < source->axis_count; k++)
            if (!merges(s, &source->axes[k]) && inherit_axis(r, s, &source->axes[k], err)) return -1;
    }
    return 0;
}

static int check_merge(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                       const struct trj_yaml *name, struct trj_error *err) {
    if (name->kind != TRJ_YAML_TEXT || !*name->text)
        return fail(r, name, "%s where the name of a variable is meant", trj_yaml_kind_name(name));
    for (size_t i = 0; i < s->source_count; i++)
        if (trj_recipe_find_axis(&r->stages[s->sources[i]], name->text, NULL)) return 0;
    return fail(r, name, "no stage that '%s' reads from fans out over '%s'", s->name, name->text);
}

// The variables of a new axis.
static struct trj_recipe_axis *name_axis(struct trj_recipe_reading *r, struct trj_recipe_stage *s,
                                         const struct trj_yaml *keys, size_t count, struct trj_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (trj_recipe_check_variable(r, &keys[i], err)) return NULL;
        if (!trj_recipe_find_axis(s, keys[i].text, NULL) && !trj_recipe_find_variable(r, keys[i].text)) continue;
        fail(r, &keys[i], "variable '%s' is defined already; use another name", keys[i].text);
        return NULL;
    }
    struct trj_recipe_axis *axis = add_axis(s, err);
    for (size_t i = 0; axis && i < count; i++)
        if (trj_string_list_add(&axis->names, keys[i].text, err)) return NULL;
    return axis;
}

// {NAME: [VALUE, ...], ...}: an axis each.
static int take_lists(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *each,
                      struct trj_error *err) {
    const struct trj_recipe_scope nowhere = {.stage = NULL};
    for (size_t i = 0; i < each->count; i++) {
        struct taking_value t = {r, name_axis(r, s, &each->keys[i], 1, err)};
        if (!t.axis || trj_recipe_expand_list(r, &nowhere, &each->items[i], take_value, &t, err)) return -1;
    }
    return 0;
}

// A map of those of `each`, which have the keys of the first one.
static int take_map(const struct trj_recipe_reading *r, struct trj_recipe_axis *axis, const struct trj_yaml *map,
                    struct trj_error *err) {
    const struct trj_recipe_scope nowhere = {.stage = NULL};
    struct taking_value t = {r, axis};
    for (size_t i = 0; i < map->count; i++)
        if (!names(&map->keys[i], axis))
            return fail(r, &map->keys[i], "'%s' is not a key of the first map in each; all have the same",
                        map->keys[i].text);
    for (size_t i = 0; i < axis->names.count; i++) {
        const struct trj_yaml *value = trj_yaml_find(map, axis->names.texts[i]);
        char *text;
        if (!value)
            return fail(r, map, "no key '%s', which the first map in each has; all have the same",
                        axis->names.texts[i]);
        if (trj_recipe_expand(r, &nowhere, value, &text, err)) return -1;
        int rc = i ? trj_string_list_add(&axis->values, text, err) : take_value(&t, value, text, err);
        free(text);
        if (rc) return -1;
    }
    return 0;
}

// [{NAME: VALUE, ...}, ...]: one axis.
static int take_maps(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *each,
                     struct trj_error *err) {
    if (!each->count) return fail(r, each, "an empty list");
    for (size_t i = 0; i < each->count; i++)
        if (each->items[i].kind != TRJ_YAML_MAP || !each->items[i].count)
            return fail(r, &each->items[i], "%s in a list of maps: each: [{NAME: VALUE, ...}, ...]",
                        each->items[i].kind == TRJ_YAML_MAP ? "an empty map" : trj_yaml_kind_name(&each->items[i]));
    struct trj_recipe_axis *axis = name_axis(r, s, each->items[0].keys, each->items[0].count, err);
    if (!axis) return -1;
    for (size_t i = 0; i < each->count; i++)
        if (take_map(r, axis, &each->items[i], err)) return -1;
    return 0;
}

static int find_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_yaml *each = trj_yaml_find(s->map, "each");
    if (s->merge && s->merge->kind == TRJ_YAML_MAP)
        return fail(r, s->merge, "merge is a map; it must be the name of a variable, or a list of them");
    for (size_t i = 0; s->merge && i < (s->merge->kind == TRJ_YAML_LIST ? s->merge->count : 1); i++)
        if (check_merge(r, s, s->merge->kind == TRJ_YAML_LIST ? &s->merge->items[i] : s->merge, err)) return -1;
    if (inherit_axes(r, s, err)) return -1;
    if (!each) return 0;
    if (each->kind == TRJ_YAML_TEXT)
        return fail(r, each,
                    "each is %s; it must be a map, {NAME: [VALUE, ...]}, or a list of maps, [{NAME: VALUE, ...}]",
                    trj_yaml_kind_name(each));
    return each->kind == TRJ_YAML_MAP ? take_lists(r, s, each, err) : take_maps(r, s, each, err);
}

// ---- jobs

static void put(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static int fail_choice(const struct trj_recipe_reading *r, const struct trj_known_option *o,
                       const struct trj_yaml *where, const char *text, struct trj_error *err) {
    enum { MOST = 32 };
    char *choices = trj_copy_text(o->choices, err), near[128], *save = NULL;
    const char *names[MOST + 1];
    size_t n = 0;
    if (!choices) return -1;
    for (char *name = strtok_r(choices, ",", &save); name && n < MOST; name = strtok_r(NULL, ",", &save))
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
    case TRJ_OPTION_PRINT: // the toolbox keeps these to itself
        return 0;
    }
    return 0;
}

struct making {
    const struct trj_recipe_reading *r;
    struct trj_stage_run *run;
    const struct trj_known_option *option;
    struct trj_bytes *command;
};

// A file that a job reads and that is given: it is there, and no other stage's output.
static int take_input(const struct making *m, const struct trj_yaml *where, const char *path, struct trj_error *err) {
    const struct trj_recipe_reading *r = m->r;
    struct stat st;
    if (path[0] == '-')
        return fail(r, where, "'%s' is not a file name here; write ./%s for a file of that name", path, path);
    for (size_t i = 0; i < r->stage_count; i++) { // check_places() sees more, but only of what is there
        const struct trj_yaml *output = trj_yaml_find(r->stages[i].map, "output");
        if (output && output->kind == TRJ_YAML_TEXT && !strcmp(output->text, path))
            return fail(r, where, "'%s' is written by stage '%s'; read it by `from: %s`", path, r->stages[i].name,
                        r->stages[i].name);
    }
    char *here = trj_plan_path(r->plan, path, err);
    if (!here) return -1;
    int rc = 0;
    if (r->check_files && stat(here, &st))
        rc = fail(r, where, "no file '%s' in the recipe's folder; paths are relative to this folder", path);
    else if (r->check_files && !S_ISREG(st.st_mode))
        rc = fail(r, where, "'%s' is not a regular file", path);
    else if (r->check_files && access(here, R_OK))
        rc = fail(r, where, "'%s' cannot be read", path);
    free(here);
    m->run->given++;
    return rc || trj_string_list_add(&m->run->inputs, path, err) ? -1 : 0;
}

static int take_option(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct making *m = arg;
    const struct trj_known_option *o = m->option;
    char word[72], letter[] = {'-', o->letter, 0};
    snprintf(word, sizeof word, "--%s", o->name);
    if (check_value(m->r, o, where, text, err)) return -1;
    char *path;
    if (trj_at_file_of_option(&path, o->argument, text, err)) return -1;
    int rc = path ? take_input(m, where, path, err) : 0;
    free(path);
    if (rc) return -1;
    if (o->kind == TRJ_OPTION_FLAG && !strcmp(text, "false")) return 0;
    bool told = trj_tool_tells(o->name);
    if (told) {
        put(m->command, " ");
        put(m->command, o->letter == '-' ? word : letter);
    }
    if (trj_string_list_add(&m->run->argv, word, err)) return -1;
    if (o->kind == TRJ_OPTION_FLAG) return 0;
    if (told) {
        put(m->command, " ");
        trj_put_quoted(m->command, text);
    }
    return trj_string_list_add(&m->run->argv, text, err);
}

static int add_operand(struct making *m, const char *text, struct trj_error *err) {
    put(m->command, " ");
    trj_put_quoted(m->command, text);
    return trj_string_list_add(&m->run->argv, text, err);
}

static int take_file(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct making *m = arg;
    return take_input(m, where, text, err) || add_operand(m, text, err) ? -1 : 0;
}

static int add_options(struct making *m, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                       struct trj_error *err) {
    struct trj_stage_run *run = m->run;
    put(m->command, s->tool->name);
    if (trj_string_list_add(&run->argv, s->tool->name, err)) return -1;
    if (s->tool->has_digest) {
        put(m->command, " --digest");
        if (trj_string_list_add(&run->argv, "--digest", err)) return -1;
    }
    for (size_t i = 0; i < s->map->count; i++) {
        const struct trj_yaml *value = &s->map->items[i];
        char *text;
        m->option = trj_known_option_find(s->tool, s->map->keys[i].text);
        if (!m->option) continue;
        if (m->option->kind == TRJ_OPTION_LIST) {
            if (trj_recipe_expand_list(m->r, scope, value, take_option, m, err)) return -1;
            continue;
        }
        if (trj_recipe_expand(m->r, scope, value, &text, err)) return -1;
        int rc = take_option(m, value, text, err);
        free(text);
        if (rc) return -1;
    }
    run->operands = run->argv.count;
    return 0;
}

// Whether this job of a source is one that the job at `pick` of `s` reads: the same values for what both fan out over.
static bool belongs(const struct trj_recipe_stage *s, const size_t *pick, const struct trj_recipe_stage *source,
                    size_t number) {
    for (size_t k = source->axis_count; k-- > 0;) {
        const struct trj_recipe_axis *axis = &source->axes[k],
                                     *mine = trj_recipe_find_axis(s, axis->names.texts[0], NULL);
        size_t value = number % axis->count;
        number /= axis->count;
        if (mine && !merges(s, axis) && pick[mine - s->axes] != value) return false;
    }
    return true;
}

// What `--to` says of a job that writes trajectories: a format that is none of ours, else NULL.
static const char *foreign_format(const struct trj_stage_run *run) {
    for (size_t i = 1; i + 1 < run->operands; i++)
        if (!strcmp(run->argv.texts[i], "--to") && strcmp(run->argv.texts[i + 1], "trjf"))
            return run->argv.texts[i + 1];
    return NULL;
}

// Files of other formats are read by the tool that writes them, and by no other.
static int check_sources(const struct making *m, const struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_plan *plan = m->r->plan;
    for (size_t i = 0; i < m->run->source_count; i++) {
        const struct trj_stage_run *source = &plan->runs[m->run->sources[i]];
        const char *format = foreign_format(source);
        if (format && source->tool != s->tool)
            return fail(m->r, s->from, "stage '%s' requires a stream, but '%s' writes %s; remove the key 'to' there",
                        s->name, source->name, format);
    }
    return 0;
}

static int add_sources(struct making *m, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                       struct trj_error *err) {
    const struct trj_recipe_reading *r = m->r;
    struct trj_stage_run *run = m->run;
    size_t room = 0;
    for (size_t i = 0; i < s->source_count; i++) {
        const struct trj_recipe_stage *source = &r->stages[s->sources[i]];
        for (size_t k = 0; k < source->run_count; k++) {
            if (!belongs(s, scope->pick, source, k)) continue;
            if (trj_grow(&run->sources, &room, run->source_count + 1, sizeof *run->sources, "stages", err)) return -1;
            run->sources[run->source_count++] = source->first_run + k;
        }
    }
    if (check_sources(m, s, err)) return -1;
    if (run->source_count > s->tool->most)
        return fail(r, s->from, "stage '%s' joins %zu inputs, but %s reads one; use another tool, or remove merge",
                    s->name, run->source_count, s->tool->name);
    run->piped = run->source_count == 1 && !r->plan->runs[run->sources[0]].output;
    if (run->piped) return s->tool->least ? add_operand(m, "-", err) : 0;
    for (size_t i = 0; i < run->source_count; i++) {
        const struct trj_stage_run *source = &r->plan->runs[run->sources[i]];
        if (!source->output)
            return fail(r, s->from, "stage '%s' joins %zu inputs, which must be files; add output: FILE to stage '%s'",
                        s->name, run->source_count, source->name);
        if (trj_string_list_add(&run->inputs, source->output, err) || add_operand(m, source->output, err)) return -1;
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

// The folder is there, and where it is known now that the file will be written: can be written into.
static int check_folder(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *output,
                        char *here, struct trj_error *err) {
    struct stat st;
    char *slash = strrchr(here, '/');
    if (slash && slash != here) {
        *slash = 0;
        bool there = !stat(here, &st) && S_ISDIR(st.st_mode);
        *slash = '/';
        const char *end = strrchr(output, '/');
        if (!there && end)
            return fail(r, where, "no folder '%.*s' for '%s'; create it", (int)(end - output), output, output);
        if (!there) return fail(r, where, "no folder '%s' for '%s'; create it", r->plan->folder, output);
    }
    if (!r->check_files || trj_provenance_is_stream(here) || !trj_staged_output_check(here, err)) return 0;
    return trj_fail_at(err, "%s:%u:%u", r->path, where->line, where->column);
}

static int take_output(const struct trj_recipe_reading *r, struct trj_stage_run *run, const struct trj_yaml *where,
                       const struct trj_recipe_scope *scope, struct trj_error *err) {
    struct stat st;
    char *text;
    if (trj_recipe_expand(r, scope, where, &text, err)) return -1;
    run->output = text;
    run->line = where->line;
    run->column = where->column;
    if (text[0] == '-')
        return fail(r, where, "'%s' is not a file name here; write ./%s for a file of that name", text, text);
    if (text[strlen(text) - 1] == '/') return fail(r, where, "'%s' is not the name of a file", text);
    char *here = trj_plan_path(r->plan, text, err);
    if (!here) return -1;
    int rc = stat(here, &st);
    if (rc && errno == ENAMETOOLONG)
        rc = fail(r, where, "'%s' is too long for the name of a file", text);
    else if (!rc && !S_ISREG(st.st_mode))
        rc = fail(r, where, "'%s' exists and is not a regular file; give another name", text);
    else
        rc = check_folder(r, where, text, here, err);
    free(here);
    return rc;
}

static int add_run(struct trj_recipe_reading *r, const struct trj_recipe_stage *s, const size_t *pick,
                   struct trj_error *err) {
    struct trj_plan *plan = r->plan;
    const struct trj_recipe_scope scope = {s, pick};
    const struct trj_yaml *output = trj_yaml_find(s->map, "output"), *files = trj_yaml_find(s->map, "files");
    struct trj_bytes command = {0};
    if (trj_grow(&plan->runs, &r->run_room, plan->run_count + 1, sizeof *plan->runs, "stages", err)) return -1;
    struct trj_stage_run *run = &plan->runs[plan->run_count++];
    *run = (struct trj_stage_run){.tool = s->tool};
    struct making m = {.r = r, .run = run, .command = &command};
    int rc = name_run(run, s, pick, err);
    if (!rc) rc = add_options(&m, s, &scope, err);
    if (!rc)
        rc = files ? trj_recipe_expand_list(r, &scope, files, take_file, &m, err) : add_sources(&m, s, &scope, err);
    if (!rc && files && run->argv.count - run->operands > s->tool->most)
        rc = fail(r, files, "%zu files, but %s reads one; name one", run->argv.count - run->operands, s->tool->name);
    if (!rc && output) rc = take_output(r, run, output, &scope, err);
    r->argument_count += run->argv.count;
    if (!rc && r->argument_count > MOST_ARGUMENTS)
        rc =
            fail(r, s->key, "with stage '%s' all stages have more than %d arguments together", s->name, MOST_ARGUMENTS);
    trj_put_raw(&command, "", 1);
    run->command = (char *)command.data;
    if (!rc && command.failed) rc = trj_fail_memory(err, (double)command.size, "a command");
    run->group = run->piped ? plan->runs[run->sources[0]].group : plan->group_count++;
    return rc;
}

// All combinations of the axes' values, the last axis fastest.
static int add_runs(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    size_t *pick = trj_alloc(s->axis_count, sizeof *pick, "variables", err);
    if (!pick) return -1;
    int rc = 0;
    s->first_run = r->plan->run_count;
    for (bool more = true; !rc && more;) {
        if (r->plan->run_count == MOST_RUNS)
            rc = fail(r, s->key, "stage '%s' has more than %d runs; use fewer values", s->name, MOST_RUNS);
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

// Those it reads from first.
static int plan_stage(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    if (s->state == PLANNED) return 0;
    if (s->state == OPEN)
        return fail(r, s->from, "a cycle: stage '%s' reads from itself, directly or through others; change its from",
                    s->name);
    s->state = OPEN;
    for (size_t i = 0; i < s->source_count; i++)
        if (plan_stage(r, &r->stages[s->sources[i]], err)) return -1;
    s->state = PLANNED;
    return find_axes(r, s, err) || add_runs(r, s, err) ? -1 : 0;
}

// ---- the whole

// The one name of a file, whatever way leads to it; the path itself where its folder is not there. free() frees.
static char *true_path(const struct trj_plan *plan, const char *path, struct trj_error *err) {
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

// An output is neither the recipe nor a link to a file that is not there: by which of two names that is made would be chance.
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

// No file is written twice, and none that is written is named as given.
static int check_places(struct trj_recipe_reading *r, struct trj_error *err) {
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
            places[n] = (struct place){true_path(plan, output ? run->output : run->inputs.texts[k], err), run, output};
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
        rc = places[i].output ? fail(r, &at, "stages '%s' and '%s' both write '%s'; give different names",
                                     (later == a ? b : a)->name, later->name, later->output)
                              : fail(r, &at,
                                     "stage '%s' writes '%s', which stage '%s' reads as a file; give that stage `from` "
                                     "instead of files",
                                     a->name, a->output, b->name);
    }
    for (size_t i = 0; i < n; i++) free(places[i].path);
    free(places);
    return rc;
}

static int check_top(const struct trj_recipe_reading *r, struct trj_error *err) {
    static const char *const keys[] = {"trjrun", "variables", "stages", NULL};
    const struct trj_yaml *root = &r->root, *version = NULL;
    char near[128];
    if (root->kind != TRJ_YAML_MAP)
        return fail(r, root, "a recipe is a map with the keys trjrun, variables and stages, not %s",
                    trj_yaml_kind_name(root));
    for (size_t i = 0; i < root->count; i++) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], root->keys[i].text)) k++;
        if (!keys[k])
            return fail(r, &root->keys[i], "unknown key '%s'%s (a recipe has: trjrun, variables, stages)",
                        root->keys[i].text, trj_recipe_suggest(near, sizeof near, root->keys[i].text, keys));
    }
    version = trj_yaml_find(root, "trjrun");
    if (!version) return fail(r, root, "no key trjrun; add `trjrun: 1`");
    if (version->kind != TRJ_YAML_TEXT || strcmp(version->text, "1"))
        return fail(r, version, "trjrun is %s; this program reads version 1",
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
    for (size_t i = 0; i < r->variable_count; i++) trj_yaml_free(&r->variables[i].own);
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
    if (!rc) rc = take_stages(&r, err);
    if (!rc) rc = connect_stages(&r, err);
    for (size_t i = 0; !rc && i < r.stage_count; i++) rc = plan_stage(&r, &r.stages[i], err);
    if (!rc) rc = check_places(&r, err);
    free_reading(&r);
    return rc;
}
