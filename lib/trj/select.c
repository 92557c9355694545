// SPDX-License-Identifier: MIT
#include "select.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "element.h"
#include "memory.h"
#include "number.h"

enum { DEEPEST = 200 }; // nested parentheses and `not`: a bound on the stack, not on sense

enum kind { ALL, NONE, TEXT, RANGES, COMPARE, NOT, AND, OR };

enum column { NAME, TYPE, RESNAME, SEGID, ELEMENT, RESID, INDEX, MASS };

enum relation { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL };

// Numbers are either integers or masses, by the column.
union value {
    int64_t integer;
    double real;
};

struct range {
    union value from, to;
};

struct node {
    enum kind kind;
    enum column column;
    enum relation relation;
    union value value;
    struct node *child, *sibling; // of NOT, AND, OR, which take any number of them
    char **glob;                  // [count] TEXT
    struct range *range;          // [count] RANGES
    size_t count, room;
    struct node *made_before; // all nodes hang on one list, so that freeing needs no recursion
};

struct selection {
    const char *text;
    size_t at; // next character
    unsigned depth;
    const struct trj_topology *top;
    size_t atoms;
    struct node *nodes;
    struct trj_error *err;
};

static const struct {
    const char *word;
    enum column column;
    const char *what; // a topology may lack
} columns[] = {{"name", NAME, "atom names"}, {"type", TYPE, "atom types"},     {"resname", RESNAME, "residue names"},
               {"segid", SEGID, "segments"}, {"element", ELEMENT, "elements"}, {"resid", RESID, "residue numbers"},
               {"index", INDEX, "indices"},  {"mass", MASS, "masses"}};

static const char *const other_words[] = {"and", "or", "not", "all", "none", "to"};

enum { COLUMNS = sizeof columns / sizeof *columns, OTHERS = sizeof other_words / sizeof *other_words };

// ---------------------------------------------------------------------------------------------------------- messages

// "selection 'name OW and': expected an expression at character 12". Returns -1.
__attribute__((format(printf, 3, 4))) static int fail(struct selection *s, enum trj_status status, const char *format,
                                                      ...) {
    char what[512], text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%.240s%s", s->text, strlen(s->text) > 240 ? "..." : "");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' '; // a message is one line
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return trj_fail(s->err, status, "selection '%s': %s", text, what);
}

static int expected(struct selection *s, const char *what) {
    return fail(s, TRJ_USAGE, "expected %s at character %zu", what, s->at + 1);
}

// ------------------------------------------------------------------------------------------------------------- words

static bool is_space(char c) {
    return isspace((unsigned char)c);
}

static void skip_space(struct selection *s) {
    while (is_space(s->text[s->at])) s->at++;
}

// Length of the bare word at the next character: up to a blank or a parenthesis.
static size_t word_length(const struct selection *s) {
    const char *word = s->text + s->at;
    size_t n = 0;
    while (word[n] && !is_space(word[n]) && word[n] != '(' && word[n] != ')') n++;
    return n;
}

static bool word_is(const struct selection *s, const char *word) {
    size_t n = word_length(s);
    return n == strlen(word) && !memcmp(s->text + s->at, word, n);
}

static bool is_keyword(const struct selection *s) {
    for (size_t i = 0; i < COLUMNS; i++)
        if (word_is(s, columns[i].word)) return true;
    for (size_t i = 0; i < OTHERS; i++)
        if (word_is(s, other_words[i])) return true;
    return false;
}

// Levenshtein's distance of two short words, without regard to case.
static size_t distance(const char *a, size_t n, const char *b) {
    size_t m = strlen(b), row[16];
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            corner = row[j];
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = best < change ? best : change;
        }
    }
    return row[m];
}

static int unknown_keyword(struct selection *s) {
    size_t n = word_length(s), nearest = 3;
    const char *word = s->text + s->at, *hint = NULL;
    for (size_t i = 0; i < COLUMNS + OTHERS && n < 16; i++) {
        const char *known = i < COLUMNS ? columns[i].word : other_words[i - COLUMNS];
        size_t d = distance(word, n, known);
        if (d < nearest && d < strlen(known)) {
            nearest = d;
            hint = known;
        }
    }
    char did_you_mean[64] = "";
    if (hint) snprintf(did_you_mean, sizeof did_you_mean, ", did you mean '%s'?", hint);
    return fail(s, TRJ_USAGE,
                "unknown keyword '%.*s' at character %zu%s (all, none, name, type, resname, segid, element, resid, "
                "index, mass; "
                "and, or, not)",
                n < 40 ? (int)n : 40, word, s->at + 1, did_you_mean);
}

// ----------------------------------------------------------------------------------------------------------- parsing

static struct node *new_node(struct selection *s, enum kind kind) {
    struct node *n = trj_alloc(1, sizeof *n, "a selection", s->err);
    if (!n) return NULL;
    n->kind = kind;
    n->made_before = s->nodes;
    s->nodes = n;
    return n;
}

static void free_nodes(struct node *n) {
    while (n) {
        struct node *next = n->made_before;
        for (size_t i = 0; i < n->count && n->glob; i++) free(n->glob[i]);
        free(n->glob);
        free(n->range);
        free(n);
        n = next;
    }
}

// A test on a column that is not there is refused at its keyword.
static int check_column(struct selection *s, size_t which) {
    const struct trj_topology *t = s->top;
    const char *word = columns[which].word;
    if (columns[which].column == INDEX) return 0;
    if (!t) return fail(s, TRJ_USAGE, "'%s' at character %zu needs a topology file", word, s->at + 1);
    const void *const data[] = {
        [NAME] = t->name.id, [TYPE] = t->type.id, [RESNAME] = t->resname.id, [SEGID] = t->segid.id,
        [MASS] = t->mass,    [RESID] = t->resid,  [ELEMENT] = t->element.id};
    if (data[columns[which].column]) return 0;
    return fail(s, TRJ_USAGE, "'%s' at character %zu: the %s file has no %s", word, s->at + 1,
                t->format ? t->format : "topology", columns[which].what);
}

// One name, bare or in quotes, into *glob.
static int parse_glob(struct selection *s, char **glob) {
    const char *from = s->text + s->at;
    size_t n;
    if (*from == '\'' || *from == '"') {
        const char *end = strchr(from + 1, *from);
        if (!end) return fail(s, TRJ_USAGE, "the quote at character %zu is not closed", s->at + 1);
        n = (size_t)(end - from) - 1;
        from++;
        s->at += n + 2;
        if (s->text[s->at] && !is_space(s->text[s->at]) && s->text[s->at] != '(' && s->text[s->at] != ')')
            return expected(s, "a blank behind the quote");
    } else {
        n = word_length(s);
        if (strchr("<>=!", *from))
            return fail(s, TRJ_USAGE, "a name cannot be compared, at character %zu: list names", s->at + 1);
        s->at += n;
    }
    if (!(*glob = trj_alloc(n + 1, 1, "a name", s->err))) return -1;
    memcpy(*glob, from, n);
    return 0;
}

// Symbols may be given in any case; what is no symbol cannot match.
static int check_element(struct selection *s, char *glob, size_t at) {
    if (strpbrk(glob, "*?[\\")) return 0;
    unsigned z = trj_element_find(glob, strlen(glob));
    if (!z) return fail(s, TRJ_USAGE, "'%.40s' at character %zu is not an element", glob, at + 1);
    memcpy(glob, trj_elements[z].symbol, strlen(glob));
    return 0;
}

static bool at_value_end(const struct selection *s) {
    char c = s->text[s->at];
    return !c || c == '(' || c == ')' || word_is(s, "and") || word_is(s, "or");
}

static struct node *parse_text(struct selection *s, enum column column, const char *word) {
    struct node *n = new_node(s, TEXT);
    if (!n) return NULL;
    n->column = column;
    for (skip_space(s); !at_value_end(s); skip_space(s)) {
        size_t at = s->at;
        if (is_keyword(s)) {
            fail(s, TRJ_USAGE, "'%.*s' at character %zu is a keyword: quote it where it is a name", (int)word_length(s),
                 s->text + s->at, s->at + 1);
            return NULL;
        }
        if (trj_grow(&n->glob, &n->room, n->count + 1, sizeof *n->glob, "a selection", s->err)) return NULL;
        if (parse_glob(s, &n->glob[n->count])) return NULL;
        n->count++; // now free_nodes knows it
        if (column == ELEMENT && check_element(s, n->glob[n->count - 1], at)) return NULL;
    }
    if (n->count) return n;
    char what[64];
    snprintf(what, sizeof what, "a name behind '%s'", word);
    expected(s, what);
    return NULL;
}

// The characters of a number: digits with a sign, for masses a point and an exponent too.
static size_t number_length(const char *text, bool real) {
    size_t n = text[0] == '-' || text[0] == '+';
    n += strspn(text + n, real ? "0123456789." : "0123456789");
    if (real && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '-' || text[n + 1] == '+', digits = strspn(text + n + 1 + sign, "0123456789");
        if (digits) n += 1 + sign + digits;
    }
    return n;
}

static int parse_number(struct selection *s, enum column column, union value *v) {
    bool real = column == MASS;
    const char *what = real ? "a number" : "an integer";
    char text[64];
    size_t n = number_length(s->text + s->at, real);
    char after = s->text[s->at + (n ? n : 0)];
    // Behind a number may stand what separates numbers, nothing else: "12A", "1.5" and "1,2" are no integers.
    bool ended = !after || is_space(after) || strchr(":-()<>=!", after);
    if (!n || n >= sizeof text || !ended) return expected(s, what);
    memcpy(text, s->text + s->at, n);
    text[n] = 0;
    if (!(real ? trj_parse_real(text, &v->real) : trj_parse_i64(text, &v->integer))) return expected(s, what);
    s->at += n;
    return 0;
}

static bool before(enum column column, union value a, union value b) {
    return column == MASS ? a.real < b.real : a.integer < b.integer;
}

// Whether ':', '-' or `to` follows and was taken: 1, 0, -1.
static int parse_to(struct selection *s) {
    size_t behind = s->at;
    skip_space(s);
    char c = s->text[s->at];
    if (c == ':') {
        s->at++;
        return 1;
    }
    if (c == '-') {
        // "1-5" and "1 - 5" are ranges, but "1 -5" may be meant for two numbers.
        if (s->at > behind && !is_space(s->text[s->at + 1]))
            return fail(s, TRJ_USAGE, "the '-' at character %zu is ambiguous: write a range with ':'", s->at + 1);
        s->at++;
        return 1;
    }
    if (!word_is(s, "to")) return 0;
    s->at += 2;
    return 1;
}

static int parse_range(struct selection *s, struct node *n) {
    struct range r = {{0}, {0}};
    size_t at = s->at;
    if (parse_number(s, n->column, &r.from)) return -1;
    r.to = r.from;
    int more = parse_to(s);
    if (more < 0) return -1;
    if (more) {
        skip_space(s);
        if (parse_number(s, n->column, &r.to)) return -1;
        if (before(n->column, r.to, r.from))
            return fail(s, TRJ_USAGE, "the range at character %zu is reversed", at + 1);
    }
    if (n->column == INDEX && (r.from.integer < 0 || (uint64_t)r.to.integer >= s->atoms))
        return fail(s, TRJ_USAGE, "index %lld at character %zu: there are %zu atoms, counted from 0",
                    (long long)(r.from.integer < 0 ? r.from.integer : r.to.integer), at + 1, s->atoms);
    if (trj_grow(&n->range, &n->room, n->count + 1, sizeof *n->range, "a selection", s->err)) return -1;
    n->range[n->count++] = r;
    return 0;
}

static bool parse_relation(struct selection *s, enum relation *relation) {
    static const struct {
        const char *sign;
        enum relation relation;
    } signs[] = {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL},
                 {"!=", UNEQUAL},    {"<", LESS},           {">", GREATER}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].sign);
        if (strncmp(s->text + s->at, signs[i].sign, n)) continue;
        *relation = signs[i].relation;
        s->at += n;
        return true;
    }
    return false;
}

static struct node *parse_numbers(struct selection *s, enum column column) {
    struct node *n = new_node(s, RANGES);
    if (!n) return NULL;
    n->column = column;
    skip_space(s);
    if (parse_relation(s, &n->relation)) {
        n->kind = COMPARE;
        skip_space(s);
        return parse_number(s, column, &n->value) ? NULL : n;
    }
    do {
        if (parse_range(s, n)) return NULL;
        skip_space(s);
    } while (!at_value_end(s));
    return n;
}

static struct node *parse_or(struct selection *s);

// `not`, parentheses, tests.
static struct node *parse_factor(struct selection *s) {
    struct node *n = NULL;
    skip_space(s);
    char c = s->text[s->at];
    size_t at = s->at;
    if (s->depth >= DEEPEST) {
        fail(s, TRJ_USAGE, "more than %d levels of parentheses at character %zu", DEEPEST, at + 1);
        return NULL;
    }
    if (c == '(') {
        s->at++;
        s->depth++;
        n = parse_or(s);
        s->depth--;
        if (!n) return NULL;
        skip_space(s);
        if (s->text[s->at] != ')') {
            fail(s, TRJ_USAGE, "expected ')' at character %zu for the '(' at character %zu", s->at + 1, at + 1);
            return NULL;
        }
        s->at++;
        return n;
    }
    if (word_is(s, "not")) {
        s->at += 3;
        s->depth++;
        struct node *child = parse_factor(s);
        s->depth--;
        if (child && (n = new_node(s, NOT))) n->child = child;
        return n;
    }
    if (word_is(s, "all") || word_is(s, "none")) {
        n = new_node(s, word_is(s, "all") ? ALL : NONE);
        s->at += word_length(s);
        return n;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        // "mass>15": the comparison may follow without a blank.
        size_t length = strlen(columns[i].word);
        if (strncmp(s->text + s->at, columns[i].word, length)) continue;
        char after = s->text[at + length];
        if (!word_is(s, columns[i].word) && (columns[i].column < RESID || !after || !strchr("<>=!", after))) continue;
        if (check_column(s, i)) return NULL;
        s->at += length;
        return columns[i].column < RESID ? parse_text(s, columns[i].column, columns[i].word)
                                         : parse_numbers(s, columns[i].column);
    }
    if (!c || c == ')' || is_keyword(s))
        expected(s, "an expression");
    else
        unknown_keyword(s);
    return NULL;
}

// Factors joined by `word`, each parsed by `part`: one node with all of them.
static struct node *parse_joined(struct selection *s, const char *word, enum kind kind,
                                 struct node *(*part)(struct selection *)) {
    struct node *first = part(s), *join = NULL, *last = first;
    if (!first) return NULL;
    for (skip_space(s); word_is(s, word); skip_space(s)) {
        s->at += strlen(word);
        struct node *next = part(s);
        if (!next || (!join && !(join = new_node(s, kind)))) return NULL;
        join->child = first;
        last->sibling = next;
        last = next;
    }
    return join ? join : first;
}

static struct node *parse_and(struct selection *s) {
    return parse_joined(s, "and", AND, parse_factor);
}

static struct node *parse_or(struct selection *s) {
    return parse_joined(s, "or", OR, parse_and);
}

// -------------------------------------------------------------------------------------------------------- evaluation
// A mask has a byte an atom. Every test leaves those bytes of a mask that it holds for, so it looks only at atoms that still matter.

static const struct trj_texts *texts_of(const struct trj_topology *t, enum column column) {
    switch (column) {
    case TYPE:
        return &t->type;
    case RESNAME:
        return &t->resname;
    case SEGID:
        return &t->segid;
    case ELEMENT:
        return &t->element;
    default:
        return &t->name;
    }
}

static int unknown_element(struct selection *s, size_t atom) {
    const struct trj_topology *t = s->top;
    return fail(s, TRJ_BAD_DATA,
                "the element of the atom with index %zu (name %s, residue %s %lld) is not known: select by name", atom,
                t->name.id ? t->name.text[t->name.id[atom]] : "?",
                t->resname.id ? t->resname.text[t->resname.id[atom]] : "?", t->resid ? (long long)t->resid[atom] : 0);
}

static int evaluate_text(struct selection *s, const struct node *n, unsigned char *mask) {
    const struct trj_texts *texts = texts_of(s->top, n->column);
    unsigned char *match = trj_alloc(texts->count, 1, "a selection", s->err);
    if (!match) return -1;
    enum { UNKNOWN = 2 };
    for (size_t k = 0; k < texts->count; k++) {
        for (size_t g = 0; g < n->count && !match[k]; g++) match[k] = !fnmatch(n->glob[g], texts->text[k], 0);
        if (n->column == ELEMENT && !*texts->text[k]) match[k] = UNKNOWN;
    }
    int rc = 0;
    for (size_t i = 0; i < s->atoms && !rc; i++) {
        if (!mask[i]) continue;
        mask[i] = match[texts->id[i]];
        if (mask[i] == UNKNOWN) rc = unknown_element(s, i);
    }
    free(match);
    return rc;
}

static union value value_of(const struct selection *s, enum column column, size_t atom) {
    if (column == MASS) return (union value){.real = s->top->mass[atom]};
    return (union value){.integer = column == RESID ? s->top->resid[atom] : (int64_t)atom};
}

static void evaluate_ranges(const struct selection *s, const struct node *n, unsigned char *mask) {
    for (size_t i = 0; i < s->atoms; i++) {
        if (!mask[i]) continue;
        union value v = value_of(s, n->column, i);
        bool in = false;
        for (size_t k = 0; k < n->count && !in; k++)
            in = !before(n->column, v, n->range[k].from) && !before(n->column, n->range[k].to, v);
        mask[i] = in;
    }
}

static bool holds(enum relation relation, bool less, bool greater) {
    switch (relation) {
    case LESS:
        return less;
    case LESS_EQUAL:
        return !greater;
    case GREATER:
        return greater;
    case GREATER_EQUAL:
        return !less;
    case EQUAL:
        return !less && !greater;
    default:
        return less || greater;
    }
}

static void evaluate_compare(const struct selection *s, const struct node *n, unsigned char *mask) {
    for (size_t i = 0; i < s->atoms; i++) {
        union value v = value_of(s, n->column, i);
        mask[i] = mask[i] && holds(n->relation, before(n->column, v, n->value), before(n->column, n->value, v));
    }
}

static unsigned char *copy_mask(const struct selection *s, const unsigned char *mask) {
    unsigned char *copy = trj_alloc(s->atoms, 1, "a selection", s->err);
    if (copy) memcpy(copy, mask, s->atoms);
    return copy;
}

static int evaluate(struct selection *s, const struct node *n, unsigned char *mask);

static int evaluate_not(struct selection *s, const struct node *n, unsigned char *mask) {
    unsigned char *held = copy_mask(s, mask);
    int rc = held ? evaluate(s, n->child, held) : -1;
    for (size_t i = 0; i < s->atoms && !rc; i++) mask[i] = mask[i] && !held[i];
    free(held);
    return rc;
}

static int evaluate_or(struct selection *s, const struct node *n, unsigned char *mask) {
    int rc = -1;
    unsigned char *left = copy_mask(s, mask), *held = copy_mask(s, mask); // left: not yet taken
    if (!left || !held) goto out;
    memset(mask, 0, s->atoms);
    for (const struct node *c = n->child; c; c = c->sibling) {
        memcpy(held, left, s->atoms);
        if (evaluate(s, c, held)) goto out;
        for (size_t i = 0; i < s->atoms; i++) {
            mask[i] |= held[i];
            left[i] = left[i] && !held[i];
        }
    }
    rc = 0;
out:
    free(left);
    free(held);
    return rc;
}

static int evaluate(struct selection *s, const struct node *n, unsigned char *mask) {
    switch (n->kind) {
    case ALL:
        return 0;
    case NONE:
        memset(mask, 0, s->atoms);
        return 0;
    case TEXT:
        return evaluate_text(s, n, mask);
    case RANGES:
        evaluate_ranges(s, n, mask);
        return 0;
    case COMPARE:
        evaluate_compare(s, n, mask);
        return 0;
    case NOT:
        return evaluate_not(s, n, mask);
    case OR:
        return evaluate_or(s, n, mask);
    case AND:
        for (const struct node *c = n->child; c; c = c->sibling)
            if (evaluate(s, c, mask)) return -1;
        return 0;
    }
    return 0;
}

static int gather(struct selection *s, const unsigned char *mask, uint32_t **selected, size_t *count) {
    size_t n = 0;
    for (size_t i = 0; i < s->atoms; i++) n += mask[i] != 0;
    if (!n) return fail(s, TRJ_BAD_DATA, "selects none of the %zu atoms", s->atoms);
    uint32_t *list = trj_alloc(n, sizeof *list, "a selection", s->err);
    if (!list) return -1;
    size_t k = 0;
    for (size_t i = 0; i < s->atoms; i++)
        if (mask[i]) list[k++] = (uint32_t)i;
    *selected = list;
    *count = n;
    return 0;
}

int trj_select(const char *expression, const struct trj_topology *top, size_t atoms, uint32_t **selected, size_t *count,
               struct trj_error *err) {
    struct selection s = {.text = expression, .top = top, .atoms = atoms, .err = err};
    int rc = -1;
    unsigned char *mask = NULL;
    if (atoms > UINT32_MAX)
        return fail(&s, TRJ_BAD_DATA, "%zu atoms: at most %u can be selected from", atoms, UINT32_MAX);
    if (top && top->atoms != atoms)
        return fail(&s, TRJ_BAD_DATA, "the topology has %zu atoms, the frames have %zu", top->atoms, atoms);
    const struct node *tree = parse_or(&s);
    if (!tree) goto out;
    skip_space(&s);
    if (s.text[s.at]) {
        expected(&s, "'and', 'or' or the end");
        goto out;
    }
    mask = trj_alloc(atoms, 1, "a selection", err);
    if (!mask) goto out;
    memset(mask, 1, atoms);
    if (evaluate(&s, tree, mask)) goto out;
    rc = gather(&s, mask, selected, count);
out:
    free(mask);
    free_nodes(s.nodes);
    return rc;
}
