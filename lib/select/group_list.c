// SPDX-License-Identifier: MIT
// Parses the definitions of groups in order, because each may refer to earlier ones.
#include "group_list.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_argument.h"
#include "group.h"
#include "index_file.h"
#include "memory.h"

enum { NOTED = 8 }; // maximum number of groups in a note

// Adds a group without its selection.
static struct trj_named_selection *add_name(struct trj_group_list *list, const char *name, size_t n,
                                            struct trj_error *err) {
    uint32_t number;
    size_t capacity = list->capacity;
    if (trj_text_index_find(&list->index, name, n, &number)) {
        trj_error_set(err, TRJ_USAGE, "group '%.*s': given twice; rename one", (int)n, name);
        return NULL;
    }
    if (trj_grow(&list->groups, &capacity, list->count + 1, sizeof *list->groups, "groups", err) ||
        trj_grow(&list->centres, &list->capacity, list->count + 1, sizeof *list->centres, "groups", err))
        return NULL;
    struct trj_named_selection *g = &list->groups[list->count];
    list->centres[list->count] = (struct trj_centre_group){.selection = NULL};
    *g = (struct trj_named_selection){.name = trj_alloc(n + 1, 1, "a name", err)};
    if (!g->name) return NULL;
    memcpy(g->name, name, n);
    list->count++; // the list owns the group from here on
    return trj_text_index_add(&list->index, g->name, &number, err) ? NULL : g;
}

static int add_index_group(struct trj_group_list *list, const char *name, size_t n, const struct trj_index_file *file,
                           const struct trj_index_group *group, size_t atoms, struct trj_error *err) {
    if (!trj_group_name_fits(name, n))
        return trj_fail(err, TRJ_USAGE,
                        "%s: line %llu: group '%.100s': expected a name of at most %d letters, digits and _ . + -; use "
                        "it as 'NAME=@%s:%.100s'",
                        file->path, (unsigned long long)group->line, group->name, TRJ_GROUP_NAME_MAX, file->path,
                        group->name);
    if (trj_index_group_check(file, group, atoms, err)) return -1;
    struct trj_named_selection *g = add_name(list, name, n, err);
    return g ? trj_selection_of_atoms(&g->selection, g->name, group->atoms, group->count, atoms, err) : -1;
}

// Appends to the note.
__attribute__((format(printf, 3, 4))) static int add_note(struct trj_group_list *list, struct trj_error *err,
                                                          const char *format, ...) {
    char more[500];
    size_t before = list->note ? strlen(list->note) : 0, capacity = before;
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    if (trj_grow(&list->note, &capacity, before + strlen(more) + 1, 1, "a note", err)) return -1;
    memcpy(list->note + before, more, strlen(more) + 1);
    return 0;
}

// Returns why a group is omitted if all groups of a file are requested; NULL: it is not omitted.
static const char *why_not(const struct trj_index_group *g) {
    if (!g->count) return "is empty";
    return trj_group_name_fits(g->name, strlen(g->name)) ? NULL : "has a name that is invalid for a group";
}

// Adds all groups of a file that can keep their names. Groups with the same name have the same atoms.
static int add_index_groups(struct trj_group_list *list, const struct trj_index_file *file, size_t atoms,
                            struct trj_error *err) {
    const struct trj_index_group *renamed = NULL; // a group that could be used under another name
    size_t left = 0, before = list->count;
    for (size_t i = 0; i < file->count; i++) {
        const struct trj_index_group *g = &file->groups[i];
        if (trj_index_group_repeats(file, g, err)) return -1;
        if (g->first != i) continue;
        const char *why = why_not(g);
        if (!why && add_index_group(list, g->name, strlen(g->name), file, g, atoms, err)) return -1;
        if (!why) continue;
        left++;
        if (left <= NOTED && add_note(list, err, "%s'%.64s' %s",
                                      left > 1     ? ", "
                                      : list->note ? "; left out: "
                                                   : "left out: ",
                                      g->name, why))
            return -1;
        if (!renamed && g->count) renamed = g;
    }
    if (list->count == before)
        return trj_fail(err, TRJ_USAGE,
                        "%s: none of its groups can be used: '%.64s' %s; rename one with -g NAME=@FILE:GROUP, or add "
                        "atoms to an empty one",
                        file->path, file->groups[0].name, why_not(&file->groups[0]));
    if (left > NOTED && add_note(list, err, ", and %zu more", left - NOTED)) return -1;
    if (renamed) return add_note(list, err, " (use it with -g 'NAME=@%.200s:%.64s')", file->path, renamed->name);
    return 0;
}

// Adds the name of a group whose atoms are not read from its file.
static int add_unread(struct trj_group_list *list, const struct trj_file_argument *f, struct trj_error *err) {
    static const struct trj_selection_scope scope = {.syntax_only = true};
    if (!*f->part) {
        list->incomplete = true;
        return 0;
    }
    const char *name = f->name ? f->name : f->part;
    size_t n = f->name ? f->name_length : strlen(f->part);
    if (!trj_group_name_fits(name, n))
        return trj_fail(
            err, TRJ_USAGE,
            "group '%.*s': expected a name of at most %d letters, digits and _ . + -; give NAME=@FILE:GROUP", (int)n,
            name, TRJ_GROUP_NAME_MAX);
    struct trj_named_selection *g = add_name(list, name, n, err);
    return g ? trj_selection_parse(&g->selection, "all", &scope, err) : -1;
}

static int add_from_file(struct trj_group_list *list, const struct trj_file_argument *f, size_t atoms,
                         struct trj_error *err) {
    const struct trj_index_group *group;
    struct trj_index_file *file = NULL;
    if (f->name && !*f->part)
        return trj_fail(err, TRJ_USAGE, "group '%.*s': the group of the file is missing; give NAME=@FILE:GROUP",
                        (int)f->name_length, f->name);
    if (list->syntax_only) return add_unread(list, f, err);
    char *path = trj_alloc(f->path_length + 1, 1, "a name", err);
    if (!path) return -1;
    memcpy(path, f->path, f->path_length);
    int rc = trj_index_file_open(&file, path, err);
    if (!rc && !*f->part)
        rc = add_index_groups(list, file, atoms, err);
    else if (!rc && !(rc = trj_index_file_find(file, f->part, &group, err)))
        rc = add_index_group(list, f->name ? f->name : f->part, f->name ? f->name_length : strlen(f->part), file, group,
                             atoms, err);
    trj_index_file_close(file);
    free(path);
    return rc;
}

// ---- centres

// Returns the parenthesis that closes the one at `open`, ignoring quoted text; NULL: none.
static const char *closing(const char *open) {
    int depth = 0;
    for (const char *c = open; *c; c++) {
        if (*c == '\'' || *c == '"') {
            c = strchr(c + 1, *c);
            if (!c) return NULL;
        }
        depth += (*c == '(') - (*c == ')');
        if (!depth) return c;
    }
    return NULL;
}

static const char *blanks(const char *text) {
    return text + strspn(text, " \t\n");
}

// Returns whether the text after the '=' defines centres, as com(...) or cog(...); *open is its parenthesis.
static bool is_centres(const char *text, bool *of_mass, const char **open) {
    text = blanks(text);
    *of_mass = !strncmp(text, "com", 3);
    if (!*of_mass && strncmp(text, "cog", 3) != 0) return false;
    *open = blanks(text + 3);
    return **open == '(';
}

static const struct {
    const char *word;
    enum trj_centre_sets sets;
} per_words[] = {{"residue", TRJ_CENTRE_RESIDUE},   {"molecule", TRJ_CENTRE_MOLECULE},
                 {"fragment", TRJ_CENTRE_MOLECULE}, // as in selections
                 {"segment", TRJ_CENTRE_SEGMENT},   {"chain", TRJ_CENTRE_CHAIN},
                 {"group", TRJ_CENTRE_GROUP}};

// Puts the text of the centres, on one line, before an error. Returns -1.
static int fail_centres(const char *text, struct trj_error *err) {
    char line[241];
    snprintf(line, sizeof line, "%s", text);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    return trj_fail_at(err, "centres '%s'%s", line, strlen(text) >= sizeof line ? "..." : "");
}

// Returns a position in the text of centres, for messages.
static int place(const char *text, const char *character) {
    return (int)(character - text) + 1;
}

// Parses `per SETS` at the start of a text, and sets *end to its end. Returns NULL if there is none.
static const enum trj_centre_sets *find_per(const char *text, const char **end) {
    if (strncmp(text, "per", 3) != 0 || blanks(text + 3) == text + 3) return NULL;
    const char *word = blanks(text + 3);
    size_t n = strcspn(word, " \t\n)");
    *end = word + n;
    for (size_t k = 0; k < sizeof per_words / sizeof *per_words; k++)
        if (strlen(per_words[k].word) == n && !memcmp(per_words[k].word, word, n)) return &per_words[k].sets;
    return NULL;
}

// Parses the text after the closing parenthesis: nothing, or `per SETS`.
static int parse_per(enum trj_centre_sets *sets, const char *text, const char *close, struct trj_error *err) {
    const char *rest = blanks(close + 1), *end;
    const enum trj_centre_sets *found = find_per(rest, &end);
    *sets = found ? *found : TRJ_CENTRE_RESIDUE;
    if (!*rest || (found && !*blanks(end))) return 0;
    return trj_fail(err, TRJ_USAGE, "'%.40s' at character %d is not per residue, molecule, segment, chain or group",
                    rest, place(text, rest));
}

// Within the parenthesis, `name CA per residue` would be three names.
static int check_inner(const char *text, const char *open, const char *close, struct trj_error *err) {
    for (const char *c = open + 1, *end; c < close; c++)
        if (blanks(c - 1) == c && find_per(c, &end) && blanks(end) >= close)
            return trj_fail(err, TRJ_USAGE, "the 'per' at character %d must follow the parenthesis", place(text, c));
    return 0;
}

// Parses the definition of centres; `open` is its first parenthesis.
static int parse_centres(struct trj_centre_group *c, const char *text, const char *open,
                         const struct trj_selection_scope *scope, struct trj_error *err) {
    const char *close = closing(open);
    if (!close) {
        trj_fail(err, TRJ_USAGE, "the '(' at character %d is not closed; add ')'", place(text, open));
        return fail_centres(text, err);
    }
    if (parse_per(&c->sets, text, close, err) || check_inner(text, open, close, err)) return fail_centres(text, err);
    if (!scope->syntax_only && trj_centres_check(c->of_mass, c->sets, scope->top, err)) {
        const char *rest = blanks(close + 1);
        trj_fail_at(err, "character %d", place(text, *rest ? rest : blanks(text)));
        return fail_centres(text, err);
    }
    char *inner = trj_alloc((size_t)(close - open), 1, "a selection", err);
    if (!inner) return -1;
    memcpy(inner, open + 1, (size_t)(close - open) - 1);
    int rc = trj_selection_parse(&c->selection, inner, scope, err);
    free(inner);
    if (rc) return -1;
    if (!trj_selection_is_dynamic(c->selection)) return 0;
    trj_selection_free(c->selection);
    trj_fail(err, TRJ_USAGE,
             "the selection at character %d depends on coordinates, which centres do not support; use names, residues "
             "or indices",
             place(text, open + 1));
    return fail_centres(text, err);
}

// Adds the names in the selection of a group that match nothing to the note.
static int note_unmatched(struct trj_group_list *list, const char *name, const struct trj_selection *selection,
                          struct trj_error *err) {
    const char *note = trj_selection_note(selection);
    if (!note || list->unmatched++ >= NOTED) return 0;
    return add_note(list, err, "%sgroup %s: %s", list->note ? "; " : "", name, note);
}

static int add(struct trj_group_list *list, const char *text, const struct trj_topology *top, size_t atoms,
               struct trj_error *err) {
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    struct trj_file_argument file;
    if (trj_file_argument_parse(&file, text)) return add_from_file(list, &file, atoms, err);
    if (!equals || !trj_group_name_fits(text, n))
        return trj_fail(err, TRJ_USAGE,
                        "group '%s': expected NAME=SELECTION with a name of letters, digits and _ . + -; give -g "
                        "once for each group, as -g 'O=name OW'",
                        text);
    // The group is not yet among those that its own selection may refer to.
    const struct trj_selection_scope scope = {.top = top,
                                              .atoms = atoms,
                                              .earlier = list->groups,
                                              .earlier_count = list->count,
                                              .names = &list->index,
                                              .syntax_only = list->syntax_only};
    struct trj_selection *selection = NULL;
    struct trj_centre_group centres = {.selection = NULL};
    const char *open;
    if (is_centres(equals + 1, &centres.of_mass, &open) ? parse_centres(&centres, equals + 1, open, &scope, err)
                                                        : trj_selection_parse(&selection, equals + 1, &scope, err))
        return trj_fail_at(err, "group %.*s", (int)n, text);
    struct trj_named_selection *g = add_name(list, text, n, err);
    if (!g) {
        trj_selection_free(selection);
        trj_selection_free(centres.selection);
        return -1;
    }
    g->selection = selection;
    list->centres[list->count - 1] = centres;
    return note_unmatched(list, g->name, selection ? selection : centres.selection, err);
}

int trj_group_list_make(struct trj_group_list *list, const char *const *texts, size_t count,
                        const struct trj_topology *top, size_t atoms, struct trj_error *err) {
    list->index.texts = &list->names;
    for (size_t i = 0; i < count; i++)
        if (add(list, texts[i], top, atoms, err)) return -1;
    if (list->unmatched > NOTED) return add_note(list, err, "; and %zu more groups", list->unmatched - NOTED);
    return 0;
}

void trj_group_list_free(struct trj_group_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->groups[i].name);
        trj_selection_free(list->groups[i].selection);
        trj_selection_free(list->centres[i].selection);
    }
    free(list->groups);
    free(list->centres);
    trj_text_index_free(&list->index);
    trj_texts_clear(&list->names);
    free(list->note);
    *list = (struct trj_group_list){0};
}
