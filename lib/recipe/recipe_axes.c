// SPDX-License-Identifier: MIT
// Finds the variables that each stage fans out over: those of its key `each`, and those of the stages it reads from.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "recipe_reading.h"

static struct trj_recipe_axis *add_axis(struct trj_recipe_stage *s, struct trj_error *err) {
    size_t capacity = s->axis_count;
    if (trj_grow(&s->axes, &capacity, s->axis_count + 1, sizeof *s->axes, "variables", err)) return NULL;
    s->axes[s->axis_count] = (struct trj_recipe_axis){.count = 0};
    return &s->axes[s->axis_count++];
}

struct axis_values {
    const struct trj_recipe_reading *r;
    struct trj_recipe_axis *axis;
};

// Adds a value of the first variable of the axis. It must be unique, since it is part of the names of runs.
static int add_value(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct axis_values *t = arg;
    for (size_t i = 0; i < t->axis->values.count; i += t->axis->names.count)
        if (!strcmp(t->axis->values.texts[i], text)) return fail(t->r, where, "duplicate value '%s'; remove one", text);
    if (t->axis->count++ == TRJ_RECIPE_MAX_RUNS)
        return fail(t->r, where, "more than %d runs; use fewer values", TRJ_RECIPE_MAX_RUNS);
    return trj_string_list_add(&t->axis->values, text, err);
}

static bool is_named(const struct trj_yaml *node, const struct trj_recipe_axis *axis) {
    for (size_t i = 0; i < axis->names.count; i++)
        if (node->kind == TRJ_YAML_TEXT && !strcmp(node->text, axis->names.texts[i])) return true;
    return false;
}

bool trj_recipe_merges(const struct trj_recipe_stage *s, const struct trj_recipe_axis *axis) {
    bool any = s->merge && is_named(s->merge, axis);
    for (size_t i = 0; s->merge && i < s->merge->count; i++) any = any || is_named(&s->merge->items[i], axis);
    return any;
}

static bool same_list(const struct trj_string_list *a, const struct trj_string_list *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) same = !strcmp(a->texts[i], b->texts[i]);
    return same;
}

static int copy_list(struct trj_string_list *to, const struct trj_string_list *from, struct trj_error *err) {
    for (size_t i = 0; i < from->count; i++)
        if (trj_string_list_add(to, from->texts[i], err)) return -1;
    return 0;
}

// Copies an axis of a source stage.
static int inherit_axis(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_recipe_axis *axis,
                        struct trj_error *err) {
    const struct trj_recipe_axis *have = NULL;
    size_t k = 0;
    while (k < axis->names.count && !(have = trj_recipe_find_axis(s, axis->names.texts[k], NULL))) k++;
    if (have && same_list(&have->names, &axis->names) && same_list(&have->values, &axis->values)) return 0;
    if (have)
        return fail(r, s->from ? s->from : s->key,
                    "the stages that '%s' reads from fan out over '%s' with different values; use the same values",
                    s->name, axis->names.texts[k]);
    struct trj_recipe_axis *mine = add_axis(s, err);
    if (!mine || copy_list(&mine->names, &axis->names, err) || copy_list(&mine->values, &axis->values, err)) return -1;
    mine->count = axis->count;
    return 0;
}

// Copies the axes of the source stages, except those that the stage merges.
static int inherit_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    for (size_t i = 0; i < s->source_count; i++) {
        const struct trj_recipe_stage *source = &r->stages[s->sources[i]];
        for (size_t k = 0; k < source->axis_count; k++)
            if (!trj_recipe_merges(s, &source->axes[k]) && inherit_axis(r, s, &source->axes[k], err)) return -1;
    }
    return 0;
}

static int check_merge(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                       const struct trj_yaml *name, struct trj_error *err) {
    if (name->kind != TRJ_YAML_TEXT || !*name->text)
        return fail(r, name, "%s, expected the name of a variable", trj_yaml_kind_name(name));
    for (size_t i = 0; i < s->source_count; i++)
        if (trj_recipe_find_axis(&r->stages[s->sources[i]], name->text, NULL)) return 0;
    return fail(r, name, "no stage that '%s' reads from fans out over '%s'; remove it from merge", s->name, name->text);
}

// Adds an axis with these variables.
static struct trj_recipe_axis *name_axis(struct trj_recipe_reading *r, struct trj_recipe_stage *s,
                                         const struct trj_yaml *keys, size_t count, struct trj_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (trj_recipe_check_variable(r, &keys[i], err)) return NULL;
        if (!trj_recipe_find_axis(s, keys[i].text, NULL) && !trj_recipe_find_variable(r, keys[i].text)) continue;
        fail(r, &keys[i], "variable '%s' is already defined; use another name", keys[i].text);
        return NULL;
    }
    struct trj_recipe_axis *axis = add_axis(s, err);
    for (size_t i = 0; axis && i < count; i++)
        if (trj_string_list_add(&axis->names, keys[i].text, err)) return NULL;
    return axis;
}

// Reads `each` as {NAME: [VALUE, ...], ...}: one axis for each variable.
static int add_list_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *each,
                         struct trj_error *err) {
    const struct trj_recipe_scope nowhere = {.stage = NULL};
    for (size_t i = 0; i < each->count; i++) {
        struct axis_values t = {r, name_axis(r, s, &each->keys[i], 1, err)};
        if (!t.axis || trj_recipe_expand_list(r, &nowhere, &each->items[i], add_value, &t, err)) return -1;
    }
    return 0;
}

// Reads one map of the list; all maps have the keys of the first one.
static int add_map_values(const struct trj_recipe_reading *r, struct trj_recipe_axis *axis, const struct trj_yaml *map,
                          struct trj_error *err) {
    const struct trj_recipe_scope nowhere = {.stage = NULL};
    struct axis_values t = {r, axis};
    for (size_t i = 0; i < map->count; i++)
        if (!is_named(&map->keys[i], axis))
            return fail(r, &map->keys[i], "'%s' is not a key of the first map in each; give all maps the same keys",
                        map->keys[i].text);
    for (size_t i = 0; i < axis->names.count; i++) {
        const struct trj_yaml *value = trj_yaml_find(map, axis->names.texts[i]);
        char *text;
        if (!value)
            return fail(r, map, "missing key '%s', which the first map in each has; give all maps the same keys",
                        axis->names.texts[i]);
        if (trj_recipe_expand(r, &nowhere, value, &text, err)) return -1;
        int rc = i ? trj_string_list_add(&axis->values, text, err) : add_value(&t, value, text, err);
        free(text);
        if (rc) return -1;
    }
    return 0;
}

// Reads `each` as [{NAME: VALUE, ...}, ...]: one axis with several variables.
static int add_map_axis(struct trj_recipe_reading *r, struct trj_recipe_stage *s, const struct trj_yaml *each,
                        struct trj_error *err) {
    if (!each->count) return fail(r, each, "empty list; give at least one item");
    for (size_t i = 0; i < each->count; i++)
        if (each->items[i].kind != TRJ_YAML_MAP || !each->items[i].count)
            return fail(r, &each->items[i], "%s, expected a map: each: [{NAME: VALUE, ...}, ...]",
                        each->items[i].kind == TRJ_YAML_MAP ? "an empty map" : trj_yaml_kind_name(&each->items[i]));
    struct trj_recipe_axis *axis = name_axis(r, s, each->items[0].keys, each->items[0].count, err);
    if (!axis) return -1;
    for (size_t i = 0; i < each->count; i++)
        if (add_map_values(r, axis, &each->items[i], err)) return -1;
    return 0;
}

int trj_recipe_find_axes(struct trj_recipe_reading *r, struct trj_recipe_stage *s, struct trj_error *err) {
    const struct trj_yaml *each = trj_yaml_find(s->map, "each");
    if (s->merge && s->merge->kind == TRJ_YAML_MAP)
        return fail(r, s->merge, "merge is a map; it must be the name of a variable, or a list of them");
    for (size_t i = 0; s->merge && i < (s->merge->kind == TRJ_YAML_LIST ? s->merge->count : 1); i++)
        if (check_merge(r, s, s->merge->kind == TRJ_YAML_LIST ? &s->merge->items[i] : s->merge, err)) return -1;
    if (inherit_axes(r, s, err)) return -1;
    if (!each || (each->kind == TRJ_YAML_TEXT && trj_known_option_find(s->tool, "each"))) return 0;
    if (each->kind == TRJ_YAML_TEXT)
        return fail(r, each,
                    "each is %s; it must be a map, {NAME: [VALUE, ...]}, or a list of maps, [{NAME: VALUE, ...}]",
                    trj_yaml_kind_name(each));
    return each->kind == TRJ_YAML_MAP ? add_list_axes(r, s, each, err) : add_map_axis(r, s, each, err);
}
