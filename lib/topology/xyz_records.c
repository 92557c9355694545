// SPDX-License-Identifier: MIT
// Reads lines of XYZ and extended XYZ for topologies and trajectories, because both begin alike.
#include "xyz_records.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lines.h"
#include "number.h"

// Keys without which coordinates, cell or periods would be wrong.
static const char *const essential[] = {"Lattice", "Properties", "pbc"};
enum { ESSENTIAL = sizeof essential / sizeof *essential };

// Finds "key=" at the start of a word, in any case, possibly with a quote after the key or blanks before the "=", in
// the bytes [from, n) of a text. Returns the position after the "=", or 0.
static size_t find_key(const char *text, size_t from, size_t n, const char *key) {
    const size_t length = strlen(key);
    for (size_t i = from; i + length < n; i++) {
        size_t end = i + length;
        if (strncasecmp(text + i, key, length) || (i && (isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_')))
            continue;
        end += text[end] == '"';
        while (end < n && trj_is_blank(text[end])) end++;
        if (end < n && text[end] == '=') return end + 1;
    }
    return 0;
}

bool trj_xyz_has_key(const char *comment, size_t n, const char *key) {
    return find_key(comment, 0, n, key);
}

// Returns whether a value that begins at p is in quotes or brackets.
static bool is_enclosed(const char *p) {
    return *p && strchr("\"'{[", *p);
}

// Counts a character in the word or quoted value at `from`, after blanks.
static size_t count_in_value(const char *text, size_t from, size_t n, char c) {
    size_t count = 0;
    while (from < n && trj_is_blank(text[from])) from++;
    for (; from < n && !trj_is_blank(text[from]); from++) count += text[from] == c;
    return count;
}

bool trj_xyz_has_properties(const char *comment, size_t n) {
    const size_t value = find_key(comment, 0, n, "Properties");
    return value && count_in_value(comment, value, n, ':') > 1; // not "mechanical properties = good"
}

bool trj_xyz_is_extended(const char *comment) {
    const size_t n = strlen(comment), lattice = find_key(comment, 0, n, "Lattice");
    if (trj_xyz_has_properties(comment, n) || strstr(comment, "Lattice=")) return true;
    return lattice && (is_enclosed(comment + lattice + strspn(comment + lattice, " \t")) ||
                       count_in_value(comment, lattice, n, ',') > 7); // not "Si, lattice = 5.43 A"
}

// Returns whether "word=" or "\"words\"=" begins at p.
static bool is_key(const char *p) {
    const char *end = *p == '"' ? strchr(p + 1, '"') : p + strcspn(p, " \t=\"'{[,;");
    if (!end || end == p) return false;
    end += *p == '"';
    return end[strspn(end, " \t")] == '=';
}

// Returns the end of a value without quotes: before a blank, commas at its end, and a comma before a key.
static char *word_end(char *p) {
    char *end = p + strcspn(p, " \t");
    for (char *comma = p; (comma = strpbrk(comma, ",;")) && comma < end; comma++)
        if (is_key(comma + 1)) return comma;
    while (end > p && strchr(",;", end[-1])) end--;
    return end;
}

// Returns the end of a value that begins at p: after its closing quote or bracket, or that of a word. NULL: not closed.
static char *value_end(char *p) {
    static const char opening[] = "\"'{[", closing[] = "\"'}]";
    if (!is_enclosed(p)) return word_end(p);
    const char *which = strchr(opening, *p);
    char first = *p, last = closing[which - opening];
    for (int depth = 1; *++p;) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == last && !--depth)
            return p + 1;
        else if (*p == '"' && first != last && !(p = strchr(p + 1, '"')))
            return NULL;
        else if (*p == first && first != last)
            depth++;
    }
    return NULL;
}

// Returns whether a word of n bytes without quotes contains an essential key behind other characters, as in
// "energy:1|Lattice=".
static bool hides_key(const char *word, size_t n) {
    for (size_t k = 0; k < ESSENTIAL; k++)
        if (find_key(word, 1, n, essential[k])) return true;
    return false;
}

int trj_xyz_pair(char **rest, char **key, char **value) {
    char *p = *rest + strspn(*rest, " \t,;"); // some programs write commas between pairs
    if (!*p) return 0;
    *key = p;
    const bool quoted = *p == '"';
    char *end = quoted ? value_end(p) : p + strcspn(p, " \t=,;");
    if (!end) return -1;
    char *equals = end + strspn(end, " \t");
    *value = NULL;
    if (*equals == '=' && !quoted && hides_key(p, (size_t)(equals + 1 - p))) return -1;
    *key += quoted;
    if (quoted) end[-1] = 0;
    if (*equals != '=') {
        *rest = *end && !quoted ? end + 1 : end;
        if (!quoted) *end = 0;
        return 1;
    }
    p = equals + 1 + strspn(equals + 1, " \t");
    *end = 0;
    if (p > equals + 1 && is_key(p)) { // an empty value, as ASE writes it
        *equals = 0;
        *value = equals;
        *rest = p;
        return 1;
    }
    if (!(end = value_end(p)) || (!is_enclosed(p) && hides_key(p, (size_t)(end - p)))) return -1;
    const bool enclosed = strchr("\"'{", *p) && end > p + 1, blank = !is_enclosed(p) || !*end || trj_is_blank(*end);
    if (enclosed || !blank) end[-1] = 0; // instead of the quote or bracket, so that no byte of the next key is lost
    *rest = end + (*end && blank);
    if (blank) *end = 0;
    *value = p + enclosed;
    return 1;
}

int trj_xyz_fail_pair(const struct trj_lines *l, const char *key, struct trj_error *err) {
    return trj_lines_fail(l, err,
                          "the comment cannot be split into keys and values at '%.40s': a quote or bracket is not "
                          "closed, or Lattice, Properties or pbc is not at the start of a word",
                          key);
}

char *trj_xyz_part(char **rest) {
    char *part = *rest;
    if (!part) return NULL;
    char *colon = strchr(part, ':');
    if (colon) *colon = 0;
    *rest = colon ? colon + 1 : NULL;
    return part;
}

enum trj_xyz_column trj_xyz_column(const char *name) {
    static const struct {
        const char *name;
        enum trj_xyz_column column;
    } known[] = {{"species", TRJ_XYZ_SPECIES},       {"Z", TRJ_XYZ_NUMBER},      {"mass", TRJ_XYZ_MASS},
                 {"masses", TRJ_XYZ_MASS},           {"charge", TRJ_XYZ_CHARGE}, {"charges", TRJ_XYZ_CHARGE},
                 {"initial_charges", TRJ_XYZ_CHARGE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) return known[i].column;
    return TRJ_XYZ_NONE;
}

static size_t line_length(const char *text, const char *end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return (size_t)((newline ? newline : end) - text);
}

// Rejects a number with a decimal point as a name: such lines are coordinates of other formats. Whole numbers are
// accepted, because LAMMPS writes types as names.
static bool is_atom(char *line) {
    float v;
    char *rest = line, *word = trj_next_word(&rest);
    const char *end = word && strchr(word, '.') ? trj_scan_float(word, &v) : NULL;
    if (end && !*end) return false;
    for (int k = 0; k < 3 && word; k++) {
        if (!(word = trj_next_word(&rest))) return false;
        end = trj_scan_float(word, &v);
        if (!end || *end) return false;
    }
    return word;
}

// Returns whether a text begins with a frame. Sets *after to the text after a frame without atoms, from which the
// format cannot be detected.
static bool is_frame(const char *text, const char *end, const char **after) {
    const char *comment;
    char line[256];
    uint64_t count;
    *after = end;
    while (text < end && (trj_is_blank(*text) || *text == '\n' || *text == '\r')) text++;
    size_t length = line_length(text, end);
    if (length > 30 || text + length == end) return false;
    if (text[length - (length > 0)] == '\r') length--;
    if (!trj_field(text, length, 0, 30, line) || !trj_parse_u64(line, &count)) return false;
    comment = text + line_length(text, end) + 1;
    length = line_length(comment, end);
    if (trj_xyz_has_properties(comment, length)) return true;
    if (comment + length == end) return false;
    text = comment + length + 1;
    if (!count) *after = text;
    length = line_length(text, end);
    if (length && text[length - 1] == '\r') length--;
    trj_field(text, length, 0, sizeof line - 1, line);
    return count && is_atom(line);
}

bool trj_xyz_is(const char *head, size_t n) {
    const char *end = head + n;
    for (const char *after; head < end; head = after)
        if (is_frame(head, end, &after)) return true;
    return false;
}
