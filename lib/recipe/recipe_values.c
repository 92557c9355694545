// SPDX-License-Identifier: MIT
// Checks selections, pairs of groups, ranges and other values with the parsers of the tools, so that an error in a
// recipe is found, with its line, before anything runs. The names of their arguments, which `TOOL --options` prints,
// determine how they are parsed.
#include <stdlib.h>
#include <string.h>

#include "carry.h"
#include "cell.h"
#include "frame_range.h"
#include "frame_stream.h"
#include "group_list.h"
#include "group_pairs.h"
#include "memory.h"
#include "recipe_reading.h"
#include "select.h"

static int check_range(const char *text, struct trj_error *err) {
    struct trj_range range;
    return trj_range_parse(&range, text, err);
}

static int check_times(const char *text, struct trj_error *err) {
    struct trj_times times;
    return trj_times_parse(&times, text, err);
}

static int check_segment(const char *text, struct trj_error *err) {
    struct trj_segment segment;
    return trj_segment_parse(&segment, text, err);
}

static int check_cell(const char *text, struct trj_error *err) {
    struct trj_cell cell;
    return trj_cell_parse(&cell, text, err);
}

static int check_carry(const char *text, struct trj_error *err) {
    struct trj_carry carry;
    return trj_carry_parse(&carry, text, err);
}

// Values whose parsers need no other option.
static const struct {
    const char *argument;
    int (*check)(const char *text, struct trj_error *err);
    bool named; // the message contains the name of the option
} parsers[] = {{"START:STOP:STEP", check_range, false},
               {"FROM:TO", check_times, false},
               {"K/N[/L]", check_segment, false},
               {"A,B,C[,ALPHA,BETA,GAMMA]", check_cell, false},
               {"PROPERTIES", check_carry, true}};

struct value_check {
    const struct trj_recipe_reading *r;
    const struct trj_known_option *option;
    struct trj_group_list groups;           // that the options of the run define
    const struct trj_stream_header *header; // names of the groups of the stream; NULL: they are not known
    struct trj_stream_header names;         // what `header` points to
};

// Reports an invalid value of an option (NULL: the message contains its name), or a lack of memory.
static int reject(const struct value_check *c, const struct trj_yaml *where, const char *option,
                  const struct trj_error *why, struct trj_error *err) {
    if (why->status == TRJ_FAILED) {
        *err = *why;
        return -1;
    }
    return fail(c->r, where, "%s%s%s", option ? option : "", option ? ": " : "", why->text);
}

// Adds a definition of a group.
static int take_group(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    struct value_check *c = arg;
    struct trj_error why;
    if (c->groups.incomplete || !trj_group_list_make(&c->groups, &text, 1, NULL, 0, &why)) return 0;
    return reject(c, where, NULL, &why, err);
}

static int check_pair(void *arg, const struct trj_yaml *where, const char *text, struct trj_error *err) {
    const struct value_check *c = arg;
    struct trj_error why;
    return rdf_group_pair_check(text, c->header, &why) ? reject(c, where, NULL, &why, err) : 0;
}

// Checks a selection that may refer to the groups which the same stage defines. Without these, it may refer to the
// groups of a stream that is read.
static int check_selection(const struct value_check *c, const char *text, struct trj_error *err) {
    const struct trj_selection_scope scope = {
        .earlier = c->groups.groups, .earlier_count = c->groups.count, .names = &c->groups.index, .syntax_only = true};
    struct trj_selection *selection;
    if (!c->groups.count || c->groups.incomplete) return 0;
    if (trj_selection_parse(&selection, text, &scope, err)) return -1;
    trj_selection_free(selection);
    return 0;
}

static int check_text(const struct value_check *c, const struct trj_yaml *where, const char *text,
                      struct trj_error *err) {
    const char *argument = c->option->argument;
    const struct trj_group *group;
    struct trj_error why;
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++)
        if (!strcmp(argument, parsers[i].argument) && parsers[i].check(text, &why))
            return reject(c, where, parsers[i].named ? NULL : c->option->name, &why, err);
    if (!strcmp(argument, "SELECTION") && check_selection(c, text, &why))
        return reject(c, where, c->option->name, &why, err);
    if (!strcmp(argument, "GROUP") && c->header && trj_stream_find_group(c->header, text, &group, &why))
        return reject(c, where, NULL, &why, err);
    return 0;
}

static int check_option(struct value_check *c, const struct trj_recipe_scope *scope, const struct trj_yaml *value,
                        struct trj_error *err) {
    char *text;
    if (c->option->kind == TRJ_OPTION_LIST && !strcmp(c->option->name, "pair"))
        return trj_recipe_expand_list(c->r, scope, value, check_pair, c, err);
    if (c->option->kind != TRJ_OPTION_TEXT || value->kind != TRJ_YAML_TEXT) return 0;
    if (trj_recipe_expand(c->r, scope, value, &text, err)) return -1;
    int rc = check_text(c, value, text, err);
    free(text);
    return rc;
}

// Finds the groups of the stream: those that the run defines, or else those of the stream that it reads.
static int find_groups(const struct value_check *c, const struct trj_recipe_stage *s, struct trj_stage_run *run,
                       struct trj_error *err) {
    const struct trj_plan *plan = c->r->plan;
    if (trj_yaml_find(s->map, "by") || c->groups.incomplete) return 0;
    for (size_t i = 0; i < c->groups.count; i++)
        if (trj_string_list_add(&run->groups, c->groups.groups[i].name, err)) return -1;
    const struct trj_stage_run *source = run->operand_count ? &plan->runs[run->sources[0]] : NULL;
    for (size_t i = 0; !c->groups.count && source && i < source->groups.count; i++)
        if (trj_string_list_add(&run->groups, source->groups.texts[i], err)) return -1;
    run->knows_groups = c->groups.count || (source && source->knows_groups);
    return 0;
}

// Checks the options of a run whose groups are known, if they are.
static int check_options(struct value_check *c, const struct trj_recipe_stage *s, const struct trj_recipe_scope *scope,
                         struct trj_stage_run *run, struct trj_string_list *needs, struct trj_error *err) {
    static uint32_t no_atoms[1];
    struct trj_group *groups = trj_alloc(run->groups.count, sizeof *groups, "groups", err);
    int rc = groups ? 0 : -1;
    for (size_t i = 0; !rc && i < run->groups.count; i++)
        groups[i] = (struct trj_group){.name = run->groups.texts[i], .atoms = no_atoms};
    c->names = (struct trj_stream_header){.groups = groups, .group_count = run->groups.count};
    // With layers, groups have further names.
    if (run->knows_groups && !trj_yaml_find(s->map, "layers")) c->header = &c->names;
    for (size_t i = 0; !rc && i < s->map->count; i++) {
        if (trj_recipe_is_key(s->map->keys[i].text)) continue;
        c->option = trj_known_option_find(s->tool, s->map->keys[i].text);
        if (c->option) rc = check_option(c, scope, &s->map->items[i], err);
    }
    if (!rc && s->tool->input.name) rc = trj_recipe_check_observables(c->r, s, scope, c->header, run, needs, err);
    c->header = NULL;
    free(groups);
    return rc;
}

int trj_recipe_check_values(const struct trj_recipe_reading *r, const struct trj_recipe_stage *s,
                            const struct trj_recipe_scope *scope, struct trj_stage_run *run,
                            struct trj_string_list *needs, struct trj_error *err) {
    struct value_check c = {.r = r, .groups.syntax_only = true};
    const struct trj_known_option *group = trj_known_option_find(s->tool, "group");
    const struct trj_yaml *definitions = trj_yaml_find(s->map, "group");
    int rc = 0;
    if (!trj_known_tool_reads_frames(s->tool)) return 0;
    if (group && definitions && !strcmp(group->argument, "NAME=SELECTION"))
        rc = trj_recipe_expand_list(r, scope, definitions, take_group, &c, err);
    if (!rc) rc = find_groups(&c, s, run, err);
    if (!rc) rc = check_options(&c, s, scope, run, needs, err);
    trj_group_list_free(&c.groups);
    return rc;
}
