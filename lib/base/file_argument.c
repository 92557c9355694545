// SPDX-License-Identifier: MIT
// Finds names of files in arguments, for the provenance of tools and the dependencies of recipes, which must agree.
#include "file_argument.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"

bool trj_file_argument_parse(struct trj_file_argument *f, const char *text) {
    const char *equals = *text == '@' ? NULL : strchr(text, '='), *mark = equals ? equals + 1 : text;
    mark += equals ? strspn(mark, " ") : 0;
    if (*mark != '@') return false;
    const char *colon = strrchr(mark, ':'), *end = colon ? colon : mark + strlen(mark);
    *f = (struct trj_file_argument){.name = equals ? text : NULL,
                                    .name_length = equals ? (size_t)(equals - text) : 0,
                                    .path = mark + 1,
                                    .path_length = (size_t)(end - mark) - 1,
                                    .part = colon ? colon + 1 : end};
    return true;
}

// Returns whether a text begins with a number that is followed by nothing, a blank, a parenthesis, or the '-' of a
// range.
static bool begins_with_number(const char *text) {
    char *end;
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text)) return false;
    (void)strtod(text, &end);
    return end > text && (!*end || isspace((unsigned char)*end) || strchr("()-", *end));
}

const char *trj_file_argument_after_selection(const char *text) {
    struct stat st;
    const char *last = strrchr(text, ':');
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':'))
        if (!stat(colon + 1, &st) && !S_ISDIR(st.st_mode)) return colon + 1;
    return last && last[1] && !begins_with_number(last + 1) ? last + 1 : NULL;
}

int trj_file_argument_path(char **path, const char *kind, const char *text, struct trj_error *err) {
    static const char pairs[] = "pairs:";
    size_t skip = strcmp(kind, "PAIRS") ? 0 : sizeof pairs - 1;
    *path = NULL;
    if (!strcmp(kind, "SELECTION[:FILE]")) {
        const char *file = trj_file_argument_after_selection(text);
        return file && !(*path = trj_copy_text(file, err)) ? -1 : 0;
    }
    if (skip && strncmp(text, pairs, skip) != 0) return 0;
    bool edges = !strcmp(kind, "EDGES");
    if (edges && !strncmp(text, "log:", 4)) return 0;
    struct trj_file_argument f = {.path = text + skip, .path_length = strlen(text + skip)};
    bool selects = !strcmp(kind, "NAME=SELECTION");
    bool whole = !strcmp(kind, "FILE") || !strcmp(kind, "TEMPLATE");
    if (selects ? !trj_file_argument_parse(&f, text) : !skip && !edges && !whole) return 0;
    if (!(*path = trj_alloc(f.path_length + 1, 1, "a name", err))) return -1;
    memcpy(*path, f.path, f.path_length);
    return 0;
}
