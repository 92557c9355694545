// SPDX-License-Identifier: MIT
// Accepts a single number format such as %05d, and rejects all others before they could reach printf.
#include "series_name.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"

enum { DIGITS = 20 };

char *trj_series_name(const char *pattern, uint64_t number, bool *numbered, struct trj_error *err) {
    const char *start = strchr(pattern, '%'), *p = start ? start + 1 : NULL;
    unsigned width = 0;
    *numbered = start;
    if (!start) return trj_copy_text(pattern, err);
    bool zeros = *p == '0';
    for (; *p >= '0' && *p <= '9' && width <= DIGITS; p++) width = 10 * width + (unsigned)(*p - '0');
    if (*p != 'd' || width > DIGITS || zeros != (width > 0) || strchr(p, '%')) {
        trj_fail(err, TRJ_USAGE, "%s: invalid number in the name: expected one %%d or %%06d", pattern);
        return NULL;
    }
    size_t capacity = strlen(pattern) + DIGITS + 1;
    char *name = trj_alloc(capacity, 1, "a path", err);
    if (name)
        snprintf(name, capacity, "%.*s%0*llu%s", (int)(start - pattern), pattern, width ? (int)width : 1,
                 (unsigned long long)number, p + 1);
    return name;
}

char *trj_series_insert(const char *pattern, const char *name, struct trj_error *err) {
    const char *at = strstr(pattern, "%s");
    if (!at) return trj_copy_text(pattern, err);
    size_t n = strlen(pattern) + strlen(name) + 1;
    char *text = trj_alloc(n, 1, "a path", err);
    if (text) snprintf(text, n, "%.*s%s%s", (int)(at - pattern), pattern, name, at + 2);
    return text;
}

int trj_series_check_single(const char *path, struct trj_error *err) {
    if (!path || !strchr(path, '%')) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: only one file is written; leave the number out of its name", path);
}
