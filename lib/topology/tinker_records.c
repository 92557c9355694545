// SPDX-License-Identifier: MIT
// Recognises Tinker files among those that end in .xyz: the lines of their atoms begin with the numbers of the atoms.
#include "tinker_records.h"

#include <stdint.h>
#include <string.h>

#include "number.h"

enum { LINE = 512 };

// Copies the next complete line. Returns false if there is none, or it is too long.
static bool next_line(const char **rest, const char *end, char line[LINE]) {
    const char *newline = memchr(*rest, '\n', (size_t)(end - *rest));
    size_t length = newline ? (size_t)(newline - *rest) : LINE;
    if (length >= LINE || memchr(*rest, 0, length)) return false;
    memcpy(line, *rest, length);
    line[length - (length && line[length - 1] == '\r')] = 0;
    *rest = newline + 1;
    return true;
}

bool trj_tinker_cell(const char *line, double v[6]) {
    const char *p = line;
    for (int k = 0; k < 6; k++) {
        while (trj_is_blank(*p)) p++;
        if (!(p = trj_scan_real(p, &v[k])) || (*p && !trj_is_blank(*p))) return false;
    }
    return !p[strspn(p, " \t")];
}

static bool is_atom(char *line, uint64_t number) {
    char *rest = line, *word = trj_next_word(&rest);
    uint64_t found;
    double value;
    if (!word || !trj_parse_u64(word, &found) || found != number) return false;
    if (!(word = trj_next_word(&rest)) || trj_parse_real(word, &value)) return false;
    for (int k = 0; k < 3; k++)
        if (!(word = trj_next_word(&rest)) || !trj_parse_real(word, &value) || (!k && !strchr(word, '.'))) return false;
    bool any = false;
    for (; (word = trj_next_word(&rest)); any = true)
        if (!trj_parse_u64(word, &found)) return false;
    return any;
}

bool trj_tinker_is(const char *head, size_t n) {
    const char *end = head + n;
    char line[LINE], *rest = line, *word;
    uint64_t atoms;
    double v[6];
    if (!next_line(&head, end, line)) return false;
    if (!(word = trj_next_word(&rest)) || !trj_parse_u64(word, &atoms) || !atoms) return false;
    if (!next_line(&head, end, line)) return false;
    if (trj_tinker_cell(line, v) && !next_line(&head, end, line)) return false;
    if (!is_atom(line, 1)) return false;
    return atoms == 1 || (next_line(&head, end, line) && is_atom(line, 2));
}
