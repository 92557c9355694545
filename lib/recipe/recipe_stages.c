// SPDX-License-Identifier: MIT
// Reads the map of stages of a recipe, and finds the stages that each of them reads from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "recipe_reading.h"

const struct trj_recipe_key trj_recipe_keys[] = {
    {"tool", "name of the filter"},
    {"files", "input files; paths are relative to the folder of the recipe"},
    {"from", "stage to read from, or a list of stages; several stages must have an output"},
    {"merge", "variables that the stages in `from` fan out over; one run of this stage reads all their values"},
    {"each",
     "variables with lists of values: the stage runs for each value, or each combination of values; or a list of maps "
     "of variables, whose values belong together: the stage runs for each map"},
    {"output", "output file, relative to the folder of the recipe; without it, the stages that read from this stage "
               "get its stream through a pipe"},
    {"observables", "expressions to compute, such as rg(P) for trjstat or msd(O) for trjcorr, or a list of them"},
    {NULL, NULL},
};

bool trj_recipe_is_key(const char *name) {
    const struct trj_recipe_key *k = trj_recipe_keys;
    while (k->name && strcmp(k->name, name) != 0) k++;
    return k->name;
}

static const char *list_option_names(const struct trj_recipe_stage *s, char *text, size_t capacity) {
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < s->tool->option_count && n < capacity; i++)
        if (!trj_recipe_is_key(s->tool->options[i].name))
            n += (size_t)snprintf(text + n, capacity - n, "%s%s", n ? ", " : "", s->tool->options[i].name);
    return text;
}

static int check_key(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s, const struct trj_yaml *key,
                     struct trj_error *err) {
    char known[512], near[128] = "";
    if (!strcmp(key->text, TRJ_RECIPE_OBSERVABLES) && !s->tool->input.name)
        return fail(r, key, "stage '%s': %s computes no observables; remove the key, or use tool: trjstat or trjcorr",
                    s->name, s->tool->name);
    if (trj_recipe_is_key(key->text) || trj_known_option_find(s->tool, key->text)) return 0;
    // The suggestion may be a key of stages or an option of the tool.
    size_t n = 0;
    while (trj_recipe_keys[n].name) n++;
    const char **names = trj_alloc(n + s->tool->option_count + 1, sizeof *names, "names", err);
    if (!names) return -1;
    for (size_t i = 0; i < n; i++) names[i] = trj_recipe_keys[i].name;
    for (size_t i = 0; i < s->tool->option_count; i++) names[n + i] = s->tool->options[i].name;
    fail(r, key, "unknown key '%s' in stage '%s'%s (options of %s: %s)", key->text, s->name,
         trj_recipe_suggest(near, sizeof near, key->text, names), s->tool->name,
         list_option_names(s, known, sizeof known));
    free(names);
    return -1;
}

static int read_stage(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *key,
                      const struct trj_yaml *map, struct trj_error *err) {
    *s = (struct trj_recipe_stage){.name = key->text, .key = key, .map = map};
    if (!trj_recipe_is_name(key->text, "-"))
        return fail(r, key, "invalid stage name '%s'; use letters, digits, _ and -", key->text);
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

int trj_recipe_read_stages(struct trj_recipe_reading *r, struct trj_error *err) {
    const struct trj_yaml *map = trj_yaml_find(&r->root, "stages");
    if (!map) return fail(r, &r->root, "missing key stages; add stages: {NAME: {tool: ...}}");
    if (map->kind != TRJ_YAML_MAP || !map->count)
        return fail(r, map, "stages is %s; it must be a map: NAME: {tool: ..., ...}",
                    map->kind == TRJ_YAML_MAP ? "empty" : trj_yaml_kind_name(map));
    if (!(r->stages = trj_alloc(map->count, sizeof *r->stages, "stages", err))) return -1;
    for (size_t i = 0; i < map->count; i++)
        if (read_stage(r, &r->stages[r->stage_count++], &map->keys[i], &map->items[i], err)) return -1;
    return 0;
}

static struct trj_recipe_stage *find_stage(const struct trj_recipe_reading *r, const struct trj_yaml *name,
                                           struct trj_error *err) {
    if (name->kind != TRJ_YAML_TEXT || !*name->text)
        return fail(r, name, "%s, expected the name of a stage", trj_yaml_kind_name(name)), NULL;
    for (size_t k = 0; k < r->stage_count; k++)
        if (!strcmp(r->stages[k].name, name->text)) return &r->stages[k];
    return trj_recipe_fail_unknown(r, name, "stage", name->text, r->stages, r->stage_count, sizeof *r->stages, err),
           NULL;
}

struct trj_recipe_stage *trj_recipe_option_source(const struct trj_recipe_reading *r, const struct trj_yaml *value,
                                                  struct trj_error *err) {
    const struct trj_yaml *from = trj_yaml_find(value, "from");
    if (!from || value->count > 1)
        return fail(r, value, "a map, expected a file, or {from: STAGE} for the output of a stage"), NULL;
    return find_stage(r, from, err);
}

static bool add_source(const struct trj_recipe_reading *r, struct trj_recipe_stage *s,
                       struct trj_recipe_stage *source) {
    size_t k = (size_t)(source - r->stages);
    for (size_t i = 0; i < s->source_count; i++)
        if (s->sources[i] == k) return false;
    s->sources[s->source_count++] = k;
    source->read = true;
    return true;
}

// Adds the stages in `from` to the sources.
static int add_from(const struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_yaml *from = s->from;
    for (size_t k = 0; from && k < (from->kind == TRJ_YAML_LIST ? from->count : 1); k++) {
        const struct trj_yaml *name = from->kind == TRJ_YAML_LIST ? &from->items[k] : from;
        struct trj_recipe_stage *source = find_stage(r, name, err);
        if (!source) return -1;
        if (!add_source(r, s, source))
            return fail(r, name, "stage '%s' is given twice in from; remove one", name->text);
    }
    s->from_count = s->source_count;
    return 0;
}

// Adds the stages that options read from to the sources.
static int add_option_sources(const struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    for (size_t i = 0; i < s->map->count; i++) {
        const struct trj_yaml *value = &s->map->items[i];
        const struct trj_known_option *o =
            trj_recipe_is_key(s->map->keys[i].text) ? NULL : trj_known_option_find(s->tool, s->map->keys[i].text);
        if (!o || value->kind != TRJ_YAML_MAP || !trj_known_option_reads_file(o)) continue;
        struct trj_recipe_stage *source = trj_recipe_option_source(r, value, err);
        if (!source) return -1;
        add_source(r, s, source);
    }
    return 0;
}

int trj_recipe_connect_stages(struct trj_recipe_reading *r, struct trj_error *err) {
    for (size_t i = 0; i < r->stage_count; i++) {
        struct trj_recipe_stage *s = &r->stages[i];
        const struct trj_yaml *from = s->from;
        size_t n = !from ? 0 : from->kind == TRJ_YAML_LIST ? from->count : 1;
        if (from && (from->kind == TRJ_YAML_MAP || !n))
            return fail(r, from, "from is %s; it must be the name of a stage, or a list of them",
                        n ? trj_yaml_kind_name(from) : "empty");
        if (!(s->sources = trj_alloc(n + s->map->count, sizeof *s->sources, "stages", err)) || add_from(r, s, err) ||
            add_option_sources(r, s, err))
            return -1;
    }
    for (size_t i = 0; i < r->stage_count; i++)
        if (!r->stages[i].read && !trj_yaml_find(r->stages[i].map, "output"))
            return fail(r, r->stages[i].key, "stage '%s' has no output, and no stage reads from it; add output: FILE",
                        r->stages[i].name);
    return 0;
}

bool trj_recipe_reads_tables(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s) {
    bool all = s->tool->tables.name && s->from_count;
    for (size_t i = 0; i < s->from_count; i++) all = all && r->stages[s->sources[i]].tool == s->tool;
    return all;
}

int trj_recipe_check_streams(const struct trj_recipe_reading *r, struct trj_error *err) {
    const char *written;
    for (size_t i = 0; i < r->stage_count; i++)
        for (size_t k = 0; k < r->stages[i].from_count; k++) {
            const struct trj_recipe_stage *s = &r->stages[i], *source = &r->stages[s->sources[k]];
            const struct trj_yaml *name = s->from->kind == TRJ_YAML_LIST ? &s->from->items[k] : s->from;
            if (!trj_known_tools_fit(s->tool, source->tool, &written))
                return fail(r, name, "stage '%s': %s cannot read %s, which stage '%s' (%s) writes; change from",
                            s->name, s->tool->name, written, source->name, source->tool->name);
        }
    return 0;
}
