// SPDX-License-Identifier: MIT
// Explains errors of libyaml in terms of recipes, because its messages name internal states.
#include "yaml_errors.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "yaml_tree.h"

int trj_yaml_fail(struct trj_error *err, const char *path, const struct trj_yaml *where, const char *format, ...) {
    va_list args;
    char text[sizeof err->text];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trj_error_set(err, TRJ_BAD_DATA, "%s", text);
    return trj_fail_at(err, "%s:%u:%u", path, where->line, where->column);
}

// Line and column in the text, counted from 0.
struct place {
    size_t line, column;
};

static struct place place_of(const yaml_mark_t *mark) {
    return (struct place){mark->line, mark->column};
}

// Returns the start of a line, and its length without the line end in *n.
static const char *find_line(const char *text, size_t length, size_t line, size_t *n) {
    const char *end = text + length;
    for (; line && text < end; line--) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline ? newline + 1 : end;
    }
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    *n = (size_t)((newline ? newline : end) - text);
    return text;
}

// Finds the word of a line that begins at a column and ends before a blank, a comma, or a closing bracket.
static int find_word(const char *line, size_t n, size_t column, const char **word) {
    size_t k = column < n ? column : n, begin = k;
    while (k < n && !strchr(" \t\r,]}", line[k])) k++;
    *word = line + begin;
    return (int)(k - begin);
}

static bool is_indented_by_tab(const char *line, size_t n) {
    for (size_t k = 0; k < n && (line[k] == ' ' || line[k] == '\t'); k++)
        if (line[k] == '\t') return true;
    return false;
}

// Returns whether the line contains ": " before the column.
static bool has_colon(const char *line, size_t n, size_t column) {
    for (size_t k = 0; k + 1 < n && k < column; k++)
        if (line[k] == ':' && line[k + 1] == ' ') return true;
    return false;
}

static int fail(struct trj_error *err, const char *name, struct place place, const char *text) {
    struct trj_yaml where = {.line = (unsigned)place.line + 1, .column = (unsigned)place.column + 1};
    return trj_yaml_fail(err, name, &where, "%s", text);
}

// Sets the error for a text that begins with a special character of YAML.
static int fail_word(struct trj_error *err, const char *name, struct place place, const char *line, size_t n) {
    const char *word;
    int letters = find_word(line, n, place.column, &word);
    struct trj_yaml where = {.line = (unsigned)place.line + 1, .column = (unsigned)place.column + 1};
    return trj_yaml_fail(err, name, &where, "'%.1s' cannot begin a text; put it in quotes: '%.*s'", letters ? word : "",
                         letters, word);
}

static bool contains(const char *text, const char *part) {
    return text && strstr(text, part);
}

int trj_yaml_explain(const yaml_parser_t *p, const char *name, const char *text, size_t length, struct trj_error *err) {
    struct place place = place_of(&p->problem_mark), from = place_of(&p->context_mark);
    size_t n, m;
    const char *line = find_line(text, length, place.line, &n), *first = find_line(text, length, from.line, &m);
    struct trj_yaml where = {.line = (unsigned)place.line + 1, .column = (unsigned)place.column + 1};
    if (p->error == YAML_MEMORY_ERROR) return trj_fail_memory(err, 0, "YAML");
    if (p->error == YAML_READER_ERROR)
        return trj_fail(err, TRJ_BAD_DATA, "%s: byte %zu: %s", name, p->problem_offset,
                        contains(p->problem, "control") ? "a control character; remove it"
                                                        : "not UTF-8; save the recipe as UTF-8");
    if (is_indented_by_tab(line, n)) {
        place.column = (size_t)((const char *)memchr(line, '\t', n) - line);
        return fail(err, name, place, "a tab is used for indentation; use spaces");
    }
    if (contains(p->context, "an alias") || contains(p->context, "an anchor") || contains(p->context, "a tag"))
        return fail_word(err, name, from, first, m);
    if (contains(p->problem, "cannot start any token") || contains(p->problem, "mapping keys are not allowed"))
        return fail_word(err, name, place, line, n);
    if (contains(p->problem, "mapping values are not allowed"))
        return fail(
            err, name, place,
            has_colon(line, n, place.column)
                ? "a second ': ' in a value; put the value in quotes"
                : "a key is not expected here; check that a space follows the colon of the line before, and the "
                  "indentation");
    if (contains(p->problem, "could not find expected ':'"))
        return fail(err, name, from, "no ': ' after the key; write a space after the colon");
    if (contains(p->context, "flow sequence"))
        return trj_yaml_fail(err, name, &where, "the list of line %zu is not closed here; expected ',' or ']'",
                             from.line + 1);
    if (contains(p->context, "flow mapping"))
        return trj_yaml_fail(err, name, &where, "the map of line %zu is not closed here; expected ',' or '}'",
                             from.line + 1);
    if (contains(p->problem, "unexpected end of stream") || contains(p->problem, "unexpected document indicator"))
        return fail(err, name, from, "the quote is not closed; add the second one");
    if (contains(p->context, "quoted scalar"))
        return fail(err, name, place, "unknown escape in double quotes; use single quotes");
    if (contains(p->problem, "expected '-' indicator"))
        return fail(err, name, place, "an item that begins with '- ' is expected; check the indentation");
    if (contains(p->context, "block scalar"))
        return fail(err, name, from, "'|' and '>' cannot begin a text of one line; put it in quotes");
    if (contains(p->problem, "expected key"))
        return fail(err, name, place,
                    "a key is expected; check the indentation, and put the whole value before it in quotes");
    return fail(err, name, place, "not YAML; check indentation, quotes and brackets");
}
