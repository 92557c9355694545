// SPDX-License-Identifier: MIT
// Reads the variables of a recipe, and replaces them in texts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "nearest_name.h"
#include "recipe_reading.h"
#include "utf8.h"

const char *trj_recipe_suggest(char *text, size_t capacity, const char *name, const char *const *names) {
    const char *near = trj_nearest_name(name, names);
    text[0] = 0;
    if (near) snprintf(text, capacity, "; did you mean '%s'?", near);
    return text;
}

// Returns the names of elements whose first member is the name; the list ends with NULL.
static const char **names_of(const void *elements, size_t count, size_t size, struct trj_error *err) {
    const char **names = trj_alloc(count + 1, sizeof *names, "names", err);
    for (size_t i = 0; names && i < count; i++) memcpy(&names[i], (const char *)elements + i * size, sizeof *names);
    return names;
}

int trj_recipe_fail_unknown(const struct trj_recipe_reading *r, const struct trj_yaml *where, const char *what,
                            const char *name, const void *elements, size_t count, size_t size, struct trj_error *err) {
    char near[128];
    const char **names = names_of(elements, count, size, err);
    if (!names) return -1;
    fail(r, where, "unknown %s '%s'%s", what, name, trj_recipe_suggest(near, sizeof near, name, names));
    free(names);
    return -1;
}

bool trj_recipe_is_name(const char *text, const char *also) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n = 0;
    while (text[n] && (strchr(letters, text[n]) || strchr(also, text[n]))) n++;
    return n && !text[n] && (*also || text[0] < '0' || text[0] > '9');
}

const struct trj_recipe_axis *trj_recipe_find_axis(const struct trj_recipe_stage *s, const char *name, size_t *which) {
    for (size_t i = 0; s && i < s->axis_count; i++)
        for (size_t k = 0; k < s->axes[i].names.count; k++) {
            if (strcmp(s->axes[i].names.texts[k], name) != 0) continue;
            if (which) *which = k;
            return &s->axes[i];
        }
    return NULL;
}

const struct trj_recipe_variable *trj_recipe_find_variable(const struct trj_recipe_reading *r, const char *name) {
    for (size_t i = 0; i < r->variable_count; i++)
        if (!strcmp(r->variables[i].name, name)) return &r->variables[i];
    return NULL;
}

int trj_recipe_check_variable(const struct trj_recipe_reading *r, const struct trj_yaml *name, struct trj_error *err) {
    if (!trj_recipe_is_name(name->text, ""))
        return fail(r, name, "invalid variable name '%s'; use letters, digits and _, and no digit first", name->text);
    if (strlen(name->text) > TRJ_RECIPE_LONGEST_NAME)
        return fail(r, name, "variable name of %zu characters; use at most %d", strlen(name->text),
                    TRJ_RECIPE_LONGEST_NAME);
    return 0;
}

static int read_variable(struct trj_recipe_reading *r, struct trj_recipe_variable *v, const struct trj_yaml *key,
                         const struct trj_yaml *value, struct trj_error *err) {
    if (trj_recipe_check_variable(r, key, err)) return -1;
    *v = (struct trj_recipe_variable){.name = key->text, .value = value};
    if (value->kind == TRJ_YAML_MAP)
        return fail(r, value, "variable '%s' is a map; it must be a text or a list", key->text);
    for (size_t i = 0; i < (value->kind == TRJ_YAML_LIST ? value->count : 1); i++) {
        const struct trj_yaml *item = value->kind == TRJ_YAML_LIST ? &value->items[i] : value;
        if (item->kind != TRJ_YAML_TEXT || (item != value && !*item->text))
            return fail(r, item, "%s, expected a text", trj_yaml_kind_name(item));
        if (strchr(item->text, '$'))
            return fail(
                r, item,
                "'$' in the value of a variable; write the value itself, since variables cannot refer to others");
    }
    return 0;
}

// The items get line 0, since they have no place in the recipe.
static int define_list(struct trj_recipe_variable *v, const struct trj_definition *d, struct trj_error *err) {
    if (trj_yaml_parse(&v->defined, d->name, d->value, strlen(d->value), err)) {
        err->status = TRJ_USAGE;
        return trj_fail_at(err, "--define");
    }
    if (v->defined.kind != TRJ_YAML_LIST)
        return trj_fail(err, TRJ_USAGE, "--define: '%s' is a list; write %s='[A, B]'", d->name, d->name);
    for (size_t i = 0; i < v->defined.count; i++) {
        struct trj_yaml *item = &v->defined.items[i];
        item->line = 0;
        if (item->kind != TRJ_YAML_TEXT || !*item->text)
            return trj_fail(err, TRJ_USAGE, "--define: %s in the list '%s', expected texts", trj_yaml_kind_name(item),
                            d->name);
    }
    return 0;
}

// Returns whether the text is valid UTF-8 without control characters, which would end lines or make XML invalid.
static bool is_text(const char *text) {
    size_t n;
    for (; (n = trj_utf8_length(text)); text += n)
        if (trj_utf8_forbidden(text)) return false;
    return !*text;
}

static int define(struct trj_recipe_reading *r, const struct trj_definition *d, struct trj_error *err) {
    struct trj_recipe_variable *v = NULL;
    for (size_t i = 0; i < r->variable_count; i++)
        if (!strcmp(r->variables[i].name, d->name)) v = &r->variables[i];
    if (!v) {
        const char **names = names_of(r->variables, r->variable_count, sizeof *r->variables, err);
        char near[128];
        if (!names) return -1;
        trj_fail(err, TRJ_USAGE, "--define: %s has no variable '%s'%s", r->path, d->name,
                 trj_recipe_suggest(near, sizeof near, d->name, names));
        free(names);
        return -1;
    }
    if (v->value == &v->defined)
        return trj_fail(err, TRJ_USAGE, "--define: variable '%s' is given twice; remove one", d->name);
    if (!is_text(d->value))
        return trj_fail(err, TRJ_USAGE, "--define: the value of '%s' has a control character, or is not UTF-8",
                        d->name);
    if (v->value->kind == TRJ_YAML_LIST ? define_list(v, d, err) : !(v->defined.text = trj_copy_text(d->value, err)))
        return -1;
    v->defined.line = v->value->line;
    v->defined.column = v->value->column;
    v->value = &v->defined;
    return 0;
}

int trj_recipe_read_variables(struct trj_recipe_reading *r, const struct trj_definition *definitions, size_t count,
                              struct trj_error *err) {
    const struct trj_yaml *map = trj_yaml_find(&r->root, "variables");
    if (map && map->kind != TRJ_YAML_MAP)
        return fail(r, map, "variables is %s; it must be a map: NAME: VALUE", trj_yaml_kind_name(map));
    size_t n = map ? map->count : 0;
    if (!(r->variables = trj_alloc(n, sizeof *r->variables, "variables", err))) return -1;
    for (size_t i = 0; i < n; i++)
        if (read_variable(r, &r->variables[r->variable_count++], &map->keys[i], &map->items[i], err)) return -1;
    for (size_t i = 0; i < count; i++)
        if (define(r, &definitions[i], err)) return -1;
    return 0;
}

// Sets *text to the value of $name, or *list if the value is a list; the other one is NULL.
static int look_up(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                   const struct trj_yaml *where, const char *name, const char **text, const struct trj_yaml **list,
                   struct trj_error *err) {
    size_t which;
    const struct trj_recipe_axis *axis = trj_recipe_find_axis(scope->stage, name, &which);
    const struct trj_recipe_variable *v = trj_recipe_find_variable(r, name);
    *text = NULL;
    *list = NULL;
    if (scope->stage && axis) {
        *text = axis->values.texts[scope->pick[axis - scope->stage->axes] * axis->names.count + which];
        return 0;
    }
    if (!v)
        return trj_recipe_fail_unknown(r, where, "variable", name, r->variables, r->variable_count,
                                       sizeof *r->variables, err);
    if (v->value->kind == TRJ_YAML_TEXT && !*v->value->text)
        return fail(r, where, "variable '%s' has no value; give it one, here or by -D %s=VALUE", name, name);
    if (v->value->kind == TRJ_YAML_LIST)
        *list = v->value;
    else
        *text = v->value->text;
    return 0;
}

// Copies the name of the variable after '$' and returns the end of the reference; NULL if there is no valid name.
static const char *reference(const char *dollar, char *name, size_t capacity) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *start = dollar + 1 + (dollar[1] == '{');
    size_t n = strspn(start, letters);
    if (!n || n >= capacity || (dollar[1] == '{' && start[n] != '}')) return NULL;
    snprintf(name, capacity, "%.*s", (int)n, start);
    return start + n + (dollar[1] == '{');
}

int trj_recipe_expand(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                      const struct trj_yaml *where, char **result, struct trj_error *err) {
    struct trj_bytes b = {0};
    char name[TRJ_RECIPE_LONGEST_NAME + 1];
    if (where->kind != TRJ_YAML_TEXT) return fail(r, where, "%s, expected a text", trj_yaml_kind_name(where));
    for (const char *p = where->text; *p;) {
        size_t plain = strcspn(p, "$");
        const char *text, *end;
        const struct trj_yaml *list;
        trj_put_raw(&b, p, plain);
        p += plain;
        if (!*p) break;
        if (p[1] == '$') {
            trj_put_raw(&b, "$", 1);
            p += 2;
            continue;
        }
        if (!(end = reference(p, name, sizeof name))) {
            fail(r, where,
                 "'$' without the name of a variable; write $NAME or ${NAME} (at most %d characters), or $$ for a "
                 "dollar sign",
                 TRJ_RECIPE_LONGEST_NAME);
            goto out;
        }
        if (look_up(r, scope, where, name, &text, &list, err)) goto out;
        if (!text) {
            fail(r, where, "variable '%s' is a list, expected a text", name);
            goto out;
        }
        trj_put_raw(&b, text, strlen(text));
        p = end;
    }
    trj_put_raw(&b, "", 1);
    if (b.failed) {
        trj_fail_memory(err, (double)b.size, "a text");
        goto out;
    }
    if (b.size == 1) {
        fail(r, where, "empty, expected a text");
        goto out;
    }
    *result = (char *)b.data;
    return 0;
out:
    trj_bytes_free(&b);
    return -1;
}

int trj_recipe_expand_list(const struct trj_recipe_reading *r, const struct trj_recipe_scope *scope,
                           const struct trj_yaml *node,
                           int (*take)(void *arg, const struct trj_yaml *where, const char *text,
                                       struct trj_error *err),
                           void *arg, struct trj_error *err) {
    const struct trj_yaml *list = node;
    char name[TRJ_RECIPE_LONGEST_NAME + 1];
    if (node->kind == TRJ_YAML_TEXT && node->text[0] == '$' && node->text[1] != '$') {
        const char *end = reference(node->text, name, sizeof name), *text;
        if (end && !*end) {
            if (look_up(r, scope, node, name, &text, &list, err)) return -1;
            if (!list) list = node;
        }
    }
    if (list->kind == TRJ_YAML_MAP) return fail(r, node, "a map, expected a text or a list");
    if (list->kind == TRJ_YAML_LIST && !list->count) return fail(r, node, "empty list; give at least one item");
    for (size_t i = 0; i < (list->kind == TRJ_YAML_LIST ? list->count : 1); i++) {
        const struct trj_yaml *item = list->kind == TRJ_YAML_LIST ? &list->items[i] : list;
        // Values of a variable are not expanded again. Values from -D have no line, so errors name the place of use.
        if (list != node) {
            if (take(arg, item->line ? item : node, item->text, err)) return -1;
            continue;
        }
        char *text = NULL;
        if (trj_recipe_expand(r, scope, item, &text, err)) return -1;
        int rc = take(arg, item, text, err);
        free(text);
        if (rc) return -1;
    }
    return 0;
}
