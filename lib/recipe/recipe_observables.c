// SPDX-License-Identifier: MIT
// Checks the options, expressions and selections of stages that compute observables, so that errors are found before
// anything runs, and the properties of atoms that they require are requested from the stage that writes the stream.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correlation_options.h"
#include "ensemble.h"
#include "number.h"
#include "observable.h"
#include "recipe_reading.h"
#include "signal.h"
#include "stream_scope.h"
#include "system.h"

struct checking {
    const struct trj_recipe_reading *r;
    struct trj_stage_run *run;
    struct trj_string_list *needs;
    const struct trj_selection_scope *scope;
    bool correlates;                       // the tool is trjcorr, not trjstat
    bool merges;                           // the run reads tables
    struct obs_ensemble_options options;   // of a run of trjstat
    struct tcf_options correlations;       // of a run of trjcorr
    struct trj_string_list texts;          // their values
    const struct trj_known_option *option; // NULL: the key of observables
};

// Reports why a text is invalid, or a lack of memory.
static int reject(const struct checking *c, const struct trj_yaml *where, const char *text, const struct trj_error *why,
                  struct trj_error *err) {
    if (why->status == TRJ_FAILED) {
        *err = *why;
        return -1;
    }
    // The list [contacts(P, L, 4.5)] has three items.
    bool divided = strchr(text, '(') && !strchr(text, ')');
    return fail(c->r, where, "%s: %s%s", c->option ? c->option->name : TRJ_RECIPE_OBSERVABLES, why->text,
                divided ? "; within brackets, quote expressions that contain commas" : "");
}

// Adds what the selections of a system require.
static int add_selections(const struct checking *c, const struct obs_system *s, struct trj_error *err) {
    char text[200];
    for (size_t i = 0; i < s->count; i++) {
        trj_selection_properties(s->selection[i].selection, text, sizeof text);
        if (trj_recipe_add_requests(c->needs, text, err)) return -1;
    }
    return 0;
}

static int check_expression_of(const struct checking *c, const struct trj_yaml *where,
                               const struct obs_function *const *functions, const char *text, struct trj_error *err);

// Adds what the function of an expression, and its arguments, require.
static int add_arguments(const struct checking *c, const struct trj_yaml *where, const struct obs_observable *o,
                         struct trj_error *err) {
    const struct obs_observable *whole = obs_observable_whole(o);
    const struct obs_function *f = whole->function;
    char *path;
    if (f->carry && trj_recipe_add_needs(c->needs, f->carry, "", err)) return -1;
    for (size_t i = 0; f->parameter[i].name; i++) {
        const struct obs_parameter *p = &f->parameter[i];
        const struct obs_argument *a = &whole->argument[i];
        if (p->carry && *a->text && trj_recipe_add_needs(c->needs, p->carry, a->text, err)) return -1;
        if (p->kind == OBS_POINT && a->point.of_mass && trj_recipe_add_requests(c->needs, "mass", err)) return -1;
        if (p->kind == OBS_EXPRESSION && check_expression_of(c, where, obs_functions, a->text, err)) return -1;
    }
    if (obs_expression_file(&path, o->text, err)) return -1;
    int rc = path ? trj_recipe_add_input(c->r, c->run, where, path, err) : 0;
    free(path);
    return rc;
}

// functions: NULL for values of each residue.
static int check_expression_of(const struct checking *c, const struct trj_yaml *where,
                               const struct obs_function *const *functions, const char *text, struct trj_error *err) {
    struct obs_system system;
    struct obs_observable o;
    struct trj_error why;
    obs_system_open_syntax(&system, c->scope);
    int rc = functions ? obs_observable_open_in(&o, functions, text, &system, &why)
                       : obs_observable_open_divided(&o, text, &system, &why);
    if (rc) rc = reject(c, where, text, &why, err);
    if (!rc) rc = add_arguments(c, where, &o, err);
    if (!rc) rc = add_selections(c, &system, err);
    obs_observable_free(&o);
    obs_system_free(&system);
    return rc;
}

static int check_expression(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    const struct checking *c = arg;
    const bool map = c->option && !strcmp(c->option->name, "map");
    const bool divided = obs_ensemble_is_by_residue(&c->options) && !map && !c->options.profile;
    const struct obs_function *const *functions = c->correlates ? tcf_functions
                                                  : divided     ? NULL
                                                  : c->option   ? obs_functions
                                                                : obs_ensemble_functions(&c->options);
    return check_expression_of(c, where, functions, text, err);
}

static int check_selection(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    const struct checking *c = arg;
    struct obs_system system;
    struct trj_error why;
    size_t number;
    obs_system_open_syntax(&system, c->scope);
    int rc = obs_system_select(&system, text, &number, &why) ? reject(c, where, text, &why, err) : 0;
    if (!rc) rc = add_selections(c, &system, err);
    obs_system_free(&system);
    return rc;
}

// The point may be X,Y,Z.
static int check_point(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    const struct checking *c = arg;
    struct obs_system system;
    struct obs_point point = {.of_mass = false};
    struct trj_error why;
    double x[3];
    if (trj_parse_reals(text, x, 3) == 3) return 0;
    obs_system_open_syntax(&system, c->scope);
    int rc = obs_point_parse(&point, text, &system, &why) ? reject(c, where, text, &why, err) : 0;
    if (!rc && point.of_mass) rc = trj_recipe_add_requests(c->needs, "mass", err);
    if (!rc) rc = add_selections(c, &system, err);
    obs_system_free(&system);
    return rc;
}

static int check_key(struct checking *c, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                     size_t key, struct trj_error *err) {
    const struct trj_yaml *value = &s->map->items[key];
    const char *name = s->map->keys[key].text;
    c->option = NULL;
    if (!strcmp(name, TRJ_RECIPE_OBSERVABLES))
        return trj_recipe_expand_list(c->r, scope, value, check_expression, c, err);
    c->option = trj_recipe_is_key(name) ? NULL : trj_known_option_find(s->tool, name);
    if (c->option && !strcmp(c->option->argument, "EXPRESSION"))
        return trj_recipe_expand_list(c->r, scope, value, check_expression, c, err);
    if (c->option && !strcmp(c->option->argument, "SELECTION"))
        return trj_recipe_expand_list(c->r, scope, value, check_selection, c, err);
    if (c->option && !strcmp(c->option->argument, "POINT"))
        return trj_recipe_expand_list(c->r, scope, value, check_point, c, err);
    return 0;
}

// Sets an option of the run.
static int set_option(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct checking *c = arg;
    struct trj_error why;
    if (c->option->kind == TRJ_OPTION_FLAG && !strcmp(text, "false")) return 0;
    if (trj_string_list_add(&c->texts, text, err)) return -1;
    const char *value = c->texts.texts[c->texts.count - 1];
    return (c->correlates ? trj_option_set(tcf_option_table, &c->correlations, c->option->name, value, &why)
                          : trj_option_set(obs_ensemble_option_table, &c->options, c->option->name, value, &why)) < 0
               ? reject(c, where, text, &why, err)
               : 0;
}

static int set_options(struct checking *c, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                       struct trj_error *err) {
    for (size_t i = 0; i < s->map->count; i++) {
        const struct trj_yaml *key = &s->map->keys[i], *value = &s->map->items[i];
        c->option = trj_recipe_is_key(key->text) ? NULL : trj_known_option_find(s->tool, key->text);
        if (!c->option) continue;
        // Of a file that another stage writes, the name does not matter.
        if (value->kind == TRJ_YAML_MAP ? set_option(c, value, key->text, err)
                                        : trj_recipe_expand_list(c->r, scope, value, set_option, c, err))
            return -1;
    }
    return 0;
}

// Returns the key that a message is about: the first one whose option it names, else that of the result; or the name of
// the stage.
static const struct trj_yaml *find_key(const struct trj_recipe_stage *s, const char *message) {
    static const char *const results[] = {"rmsf", "pca", "map", "hist", "hist2d", "profile", TRJ_RECIPE_OBSERVABLES};
    const struct trj_yaml *found = NULL;
    const char *first = NULL;
    for (size_t i = 0; i < s->map->count; i++) {
        char option[72];
        snprintf(option, sizeof option, "--%s", s->map->keys[i].text);
        const char *here = strstr(message, option);
        if (!here || (first && here >= first)) continue;
        const char end = here[strlen(option)];
        if (end == '-' || (end >= 'a' && end <= 'z') || (end >= '0' && end <= '9')) continue; // another option
        first = here;
        found = &s->map->keys[i];
    }
    for (size_t k = 0; !found && k < sizeof results / sizeof *results; k++)
        for (size_t i = 0; !found && i < s->map->count; i++)
            if (!strcmp(s->map->keys[i].text, results[k])) found = &s->map->keys[i];
    return found ? found : s->key;
}

// Checks the options and expressions of trjstat, as it does itself.
static int check_ensemble(const struct checking *c, char *const *operands, size_t count, const char *output,
                          struct trj_error *err) {
    struct obs_system system;
    if (obs_ensemble_check(&c->options, operands, (int)count, output, err)) return -1;
    if (c->options.merge) return 0;
    obs_system_open_syntax(&system, c->scope);
    int rc = obs_ensemble_check_expressions(&c->options, operands, count, &system, err);
    obs_system_free(&system);
    return rc;
}

// Checks those of trjcorr.
static int check_correlations(const struct checking *c, char *const *operands, size_t count, struct trj_error *err) {
    struct trj_times fit;
    return tcf_options_check(&c->correlations, operands, count, &fit, err);
}

// Checks what depends on several keys, as the tool does.
static int check_run(const struct checking *c, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                     struct trj_error *err) {
    char *const *operands = c->run->argv.texts + c->run->operands, *path = NULL;
    const size_t count = c->run->argv.count - c->run->operands;
    const struct trj_yaml *output = trj_yaml_find(s->map, "output");
    struct trj_error why;
    const struct trj_yaml *expressions = trj_yaml_find(s->map, TRJ_RECIPE_OBSERVABLES);
    if (c->merges && expressions)
        return fail(c->r, expressions,
                    "stage '%s' reads tables of %s, which contain the observables; remove the key, or read a stream",
                    s->name, s->tool->name);
    if (c->correlates && !count && !c->merges)
        return fail(c->r, s->key, "stage '%s' has no expressions; add observables: EXPRESSION, such as msd(all)",
                    s->name);
    if (!c->correlates && !count && !obs_ensemble_is_requested(&c->options))
        return fail(c->r, s->key,
                    "stage '%s' has no expressions; add observables: EXPRESSION, or one of the keys rmsf, pca, map, "
                    "hist and hist2d",
                    s->name);
    if (output && trj_recipe_expand(c->r, scope, output, &path, err)) return -1;
    int rc = !c->correlates ? check_ensemble(c, operands, count, path, &why)
             : !c->merges   ? check_correlations(c, operands, count, &why)
                            : 0;
    free(path);
    if (!rc) return 0;
    if (why.status != TRJ_FAILED) return fail(c->r, find_key(s, why.text), "stage '%s': %s", s->name, why.text);
    *err = why;
    return -1;
}

int trj_recipe_check_observables(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                                 const struct trj_recipe_scope *scope, const struct trj_stream_header *names,
                                 struct trj_stage_run *run, struct trj_string_list *needs, struct trj_error *err) {
    struct trj_stream_scope groups = {.count = 0};
    int rc = names ? trj_stream_scope_make(&groups, names, err) : 0;
    struct trj_selection_scope syntax = trj_stream_scope_all(&groups);
    const struct obs_ensemble_options ensemble = OBS_ENSEMBLE_OPTIONS_DEFAULT;
    const struct tcf_options correlations = TCF_OPTIONS_DEFAULT;
    struct checking c = {.r = r,
                         .run = run,
                         .needs = needs,
                         .scope = &syntax,
                         .correlates = !strcmp(s->tool->name, "trjcorr"),
                         .merges = trj_recipe_reads_tables(r, s),
                         .options = ensemble,
                         .correlations = correlations};
    syntax.syntax_only = true;
    syntax.any_group = !names;
    c.options.merge = c.merges;
    if (!rc) rc = set_options(&c, s, scope, err);
    for (size_t i = 0; !rc && i < s->map->count; i++) rc = check_key(&c, s, scope, i, err);
    if (!rc) rc = check_run(&c, s, scope, err);
    free(c.options.histogram.one.texts);
    free(c.options.histogram.two.texts);
    trj_string_list_free(&c.texts);
    trj_stream_scope_free(&groups);
    return rc;
}
