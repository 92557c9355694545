// SPDX-License-Identifier: MIT
// Reads Lennard-Jones parameters of CHARMM, whose types may contain wildcards.
#include "charmm_parameters.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "input.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "text_index.h"

enum { MAX_WORDS = 8, MAX_PATTERNS = 1000 };

struct lj {
    double epsilon, half_rmin;
    size_t line; // counted over all files; of several lines for a type, the last one applies
};

// Lines whose type has wildcards are stored separately from those that name a type.
struct parameters {
    struct trj_texts types;
    struct trj_text_index index; // of types
    struct lj *lj;               // [types.count]
    size_t capacity;
    char **pattern; // [patterns]
    struct lj *of_pattern;
    size_t patterns, pattern_capacity, of_pattern_capacity;
    size_t lines;
};

// Returns whether a word is a keyword. CHARMM compares only the first four letters.
static bool is_keyword(const char *word, const char *keyword) {
    return !strncasecmp(word, keyword, 4);
}

static bool ends_section(const char *word) {
    static const char *const keywords[] = {"NBFI", "HBON", "BOND", "ANGL", "THET", "DIHE", "PHI",  "IMPR", "IMPH",
                                           "CMAP", "ATOM", "MASS", "THOL", "EQUI", "PRIN", "READ", "RETU", "END"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (is_keyword(word, keywords[i])) return true;
    return false;
}

// Splits a line into words, without its comment. Returns their number; only the first MAX_WORDS are stored. Sets
// *continued to whether the last word ends with '-'.
static size_t find_words(char *line, char *word[MAX_WORDS], bool *continued) {
    size_t n = 0;
    line[strcspn(line, "!")] = 0;
    *continued = false;
    for (char *next; (next = trj_next_word(&line)); n++) {
        if (n < MAX_WORDS) word[n] = next;
        *continued = next[strlen(next) - 1] == '-';
    }
    return n;
}

// Returns whether a name matches a pattern of CHARMM, which charmm_parameters.h describes. Bit k of `positions` is set
// if the pattern so far matches the first k characters. Names longer than 63 characters, which CHARMM does not have,
// match nothing.
static bool matches(const char *pattern, const char *name) {
    size_t n = strlen(name);
    uint64_t positions = 1, digits = 0;
    if (n > 63) return false;
    for (size_t k = 0; k < n; k++) digits |= (uint64_t)(isdigit((unsigned char)name[k]) != 0) << k;
    const uint64_t all = n == 63 ? UINT64_MAX : ((uint64_t)1 << (n + 1)) - 1;
    for (const char *c = pattern; *c && positions; c++) {
        uint64_t same = 0;
        switch (*c) {
        case '*':
            positions = all & ~((positions & -positions) - 1);
            continue;
        case '#':
            for (size_t k = 0; k < n; k++) positions |= (positions & digits & (uint64_t)1 << k) << 1;
            continue;
        case '%':
            same = all;
            break;
        case '+':
            same = digits;
            break;
        default:
            c += *c == '\\' && c[1];
            for (size_t k = 0; k < n; k++) same |= (uint64_t)(name[k] == *c) << k;
        }
        positions = (positions & same) << 1 & all;
    }
    return positions >> n & 1;
}

static bool has_wildcard(const char *type) {
    for (const char *c = type; *c; c++) {
        if (strchr("*%#+", *c)) return true;
        c += *c == '\\' && c[1];
    }
    return false;
}

// Removes each \ before another character.
static void unquote(char *type) {
    char *to = type;
    for (const char *from = type; *from; *to++ = *from++) from += *from == '\\' && from[1];
    *to = 0;
}

static int add_pattern(struct parameters *p, const char *pattern, const struct lj *lj, struct trj_error *err) {
    if (trj_grow(&p->pattern, &p->pattern_capacity, p->patterns + 1, sizeof *p->pattern, "parameters", err) ||
        trj_grow(&p->of_pattern, &p->of_pattern_capacity, p->patterns + 1, sizeof *p->of_pattern, "parameters", err) ||
        !(p->pattern[p->patterns] = trj_copy_text(pattern, err)))
        return -1;
    p->of_pattern[p->patterns++] = *lj;
    return 0;
}

static int add_type(struct parameters *p, char *const word[], size_t n, const struct trj_lines *l,
                    struct trj_error *err) {
    struct lj lj = {.line = ++p->lines};
    double ignored;
    uint32_t type;
    if (n < 4 || !trj_parse_real(word[1], &ignored) || !trj_parse_real(word[2], &lj.epsilon) ||
        !trj_parse_real(word[3], &lj.half_rmin))
        return trj_lines_fail(l, err, "NONBONDED: '%.40s' is not followed by a number, epsilon and Rmin/2", word[0]);
    if (lj.epsilon > 0 || lj.half_rmin < 0)
        return trj_lines_fail(l, err,
                              "NONBONDED: type %.40s: epsilon of %g and Rmin/2 of %g, expected at most 0 and at "
                              "least 0",
                              word[0], lj.epsilon, lj.half_rmin);
    if (has_wildcard(word[0])) {
        if (p->patterns == MAX_PATTERNS)
            return trj_lines_fail(l, err, "more than %d types with wildcards; list the types", MAX_PATTERNS);
        return add_pattern(p, word[0], &lj, err);
    }
    unquote(word[0]);
    if (trj_text_index_add(&p->index, word[0], &type, err) ||
        trj_grow(&p->lj, &p->capacity, p->types.count, sizeof *p->lj, "parameters", err))
        return -1;
    p->lj[type] = lj;
    return 0;
}

// Returns whether a line belongs to the title, whose lines begin with *. A type can also begin with *.
static bool is_title(char *const word[], size_t n) {
    double number;
    return *word[0] == '*' && !(n > 3 && trj_parse_real(word[1], &number) && trj_parse_real(word[2], &number));
}

// Reads the sections NONBONDED. The first line of a section contains options. A '-' at the end of this line, or after
// the values of a type, continues it on the next line.
static int read_lines(struct parameters *p, struct trj_lines *l, bool *found, struct trj_error *err) {
    bool inside = false, continued = false, more;
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        char *word[MAX_WORDS];
        double number;
        size_t n = find_words(l->text, word, &more);
        if (!n || is_title(word, n)) continue;
        if (is_keyword(word[0], "NONB") || is_keyword(word[0], "NBON")) {
            if (n > 3 && trj_parse_real(word[2], &number) && trj_parse_real(word[3], &number))
                return trj_lines_fail(l, err, "is in X-PLOR format; give a CHARMM parameter file");
            inside = *found = true;
            continued = more;
        } else if (continued) {
            continued = more;
        } else if (inside && ends_section(word[0]) && !(n > 1 && trj_parse_real(word[1], &number))) {
            inside = false;
        } else if (inside) {
            if (add_type(p, word, n, l, err)) return -1;
            continued = more;
        }
    }
    return got;
}

static int read_file(struct parameters *p, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    bool found = false;
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines lines = {.in = in};
    int rc = read_lines(p, &lines, &found, err);
    if (!rc && !found)
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "contains no section NONBONDED; leave this file out, or give another one with --parameters");
    if (rc) {
        trj_error_set_remedy(err, "correct the file, or give another one with --parameters");
        trj_fail_at(err, "%s", path);
    }
    trj_input_close(in);
    return rc;
}

// Returns the values of a type: of the last line whose type is the name, or matches it. NULL: there is none.
static const struct lj *find_values(const struct parameters *p, const char *name) {
    const struct lj *found = NULL;
    uint32_t type;
    if (p->lj && trj_text_index_find(&p->index, name, strlen(name), &type)) found = &p->lj[type];
    for (size_t i = p->patterns; i-- > 0 && !(found && found->line > p->of_pattern[i].line);)
        if (!strcmp(p->pattern[i], name) || matches(p->pattern[i], name)) return &p->of_pattern[i];
    return found;
}

static int set_values(struct trj_topology *top, const struct parameters *p, struct trj_error *err) {
    const double half_rmin_to_sigma = 1.78179743628067860948;                         // 2^(5/6)
    struct lj *per_type = trj_alloc(top->type.count, sizeof *per_type, "types", err); // of each type of the topology
    top->sigma = trj_alloc(top->atoms, sizeof *top->sigma, "atoms", err);
    top->epsilon = trj_alloc(top->atoms, sizeof *top->epsilon, "atoms", err);
    size_t known = 0;
    for (size_t i = 0; per_type && i < top->type.count; i++) {
        const struct lj *found = find_values(p, top->type.text[i]);
        per_type[i] = found ? *found : (struct lj){NAN, NAN, 0};
        known += found != NULL;
    }
    for (size_t i = 0; per_type && top->sigma && top->epsilon && i < top->atoms; i++) {
        top->sigma[i] = per_type[top->type.id[i]].half_rmin * half_rmin_to_sigma;
        top->epsilon[i] = -per_type[top->type.id[i]].epsilon + 0; // 0, not -0
    }
    bool complete = per_type && top->sigma && top->epsilon;
    free(per_type);
    if (!complete) return -1;
    if (known) return 0;
    const char *first = top->type.text[0];
    return trj_fail(err, TRJ_BAD_DATA,
                    "none of the %zu atom types of the topology, such as %.40s, is in the parameter "
                    "files; %s",
                    top->type.count, first,
                    isdigit((unsigned char)*first)
                        ? "the PSF file contains numbers of types instead of names; write one with names "
                          "with CHARMM's command 'write psf card xplor'"
                        : "give those of its force field");
}

// Sets the origin of the values: the names of the files.
static int set_origin(struct trj_topology *top, const char *const *paths, size_t count, struct trj_error *err) {
    struct trj_bytes text = {0};
    for (size_t i = 0; i < count; i++) {
        const char *before = i ? ", " : "CHARMM parameters ";
        trj_put_raw(&text, before, strlen(before));
        trj_put_raw(&text, paths[i], strlen(paths[i]));
    }
    trj_put_raw(&text, "", 1);
    top->parameters = text.failed ? NULL : trj_copy_text((const char *)text.data, err);
    if (text.failed) trj_fail_memory(err, (double)text.size, "file names");
    top->lj_from = top->parameters;
    trj_bytes_free(&text);
    return top->parameters ? 0 : -1;
}

int trj_charmm_parameters(struct trj_topology *top, const char *const *paths, size_t count, struct trj_error *err) {
    struct parameters p = {.lj = NULL};
    int rc = 0;
    p.index.texts = &p.types;
    if (strcmp(top->format, "PSF") != 0 || !top->type.id)
        return trj_fail(err, TRJ_USAGE,
                        "--parameters: the topology is a %s file; CHARMM parameters apply to the atom "
                        "types of a PSF file",
                        top->format);
    for (size_t i = 0; i < count && !rc; i++) rc = read_file(&p, paths[i], err);
    if (!rc) rc = set_values(top, &p, err) || set_origin(top, paths, count, err) ? -1 : 0;
    trj_text_index_free(&p.index);
    trj_texts_clear(&p.types);
    free(p.lj);
    for (size_t i = 0; i < p.patterns; i++) free(p.pattern[i]);
    free(p.pattern);
    free(p.of_pattern);
    return rc;
}
