// SPDX-License-Identifier: MIT
// Reads lines of tables, so that a table of a failed program is an error for every tool that reads tables.
#include "table_reader.h"

#include <string.h>

#include "failure.h"
#include "memory.h"

int trj_table_next_line(struct trj_lines *l, struct trj_error *err) {
    int got = trj_input_line(l->in, &l->text, &l->length, err);
    if (got <= 0) return got;
    l->number++;
    if (memchr(l->text, 0, l->length)) return trj_lines_fail(l, err, "contains a NUL byte, so it is not a table");
    return trj_table_after(l->text, TRJ_FAILURE_MARK) ? trj_failure_read_line(l->text, l->in, err) : 1;
}

const char *trj_table_after(const char *line, const char *start) {
    size_t n = strlen(start);
    return strncmp(line, start, n) ? NULL : line + n;
}

int trj_table_split(char *line, char ***fields, size_t *count, struct trj_error *err) {
    *count = 1;
    for (const char *p = line; (p = strchr(p, '\t')); p++) ++*count;
    if (!(*fields = trj_alloc(*count, sizeof **fields, "names of columns", err))) return -1;
    for (size_t i = 0; i < *count; i++) {
        (*fields)[i] = line;
        line += strcspn(line, "\t");
        if (*line) *line++ = 0;
    }
    return 0;
}
