// SPDX-License-Identifier: MIT
// Parses the text of a selection into its tree.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "select_parts.h"

struct parser {
    const char *text;
    size_t next; // next character
    unsigned depth;
    const struct trj_selection_scope *scope;
    struct trj_selection *s;
    struct trj_error *err;
};

typedef struct trj_node *parse_function(struct parser *p);

// ---------------------------------------------------------------------------------------------------------- messages

__attribute__((format(printf, 2, 3))) static int fail(struct parser *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    trj_selection_vfail(p->s, p->err, TRJ_USAGE, format, args);
    va_end(args);
    return -1;
}

static int expected(struct parser *p, const char *what) {
    return fail(p, "expected %s at character %zu", what, p->next + 1);
}

// ------------------------------------------------------------------------------------------------------------- words

static bool is_space(char c) {
    return isspace((unsigned char)c);
}

static void skip_space(struct parser *p) {
    while (is_space(p->text[p->next])) p->next++;
}

// Returns the length of the unquoted word at the next character, up to a blank or a parenthesis.
static size_t word_length(const struct parser *p) {
    const char *word = p->text + p->next;
    size_t n = 0;
    while (word[n] && !is_space(word[n]) && word[n] != '(' && word[n] != ')') n++;
    return n;
}

static const struct trj_word *keyword(const struct parser *p) {
    return trj_word_find(p->text + p->next, word_length(p));
}

static bool word_is(const struct parser *p, const char *word) {
    size_t n = word_length(p);
    return n == strlen(word) && !memcmp(p->text + p->next, word, n);
}

static const char *synonym(const struct parser *p) {
    return trj_word_synonym(p->text + p->next, word_length(p));
}

static bool take_word(struct parser *p, const char *word) {
    skip_space(p);
    if (!word_is(p, word)) return false;
    p->next += strlen(word);
    return true;
}

static bool joins(const struct trj_word *w) {
    return w && (w->meaning == TRJ_WORD_AND || w->meaning == TRJ_WORD_OR);
}

static const struct trj_named_selection *earlier(const struct parser *p) {
    uint32_t number;
    bool found = p->scope->names && trj_text_index_find(p->scope->names, p->text + p->next, word_length(p), &number);
    return found ? &p->scope->earlier[number] : NULL;
}

// Finds what an unknown word may mean, for a message. Returns false if nothing is similar.
static bool find_hint(const struct parser *p, char hint[80]) {
    const char *word = p->text + p->next, *rest = word;
    size_t n = word_length(p);
    const char *other = synonym(p);
    const struct trj_texts *resname = p->scope->top ? &p->scope->top->resname : NULL;
    if (other) return snprintf(hint, 80, "%s", other) > 0;
    if (n == strlen("prop") && !memcmp(word, "prop", n)) { // MDAnalysis: "prop x > 10"
        for (rest += n; is_space(*rest);) rest++;
        size_t length = strcspn(rest, "()");
        return snprintf(hint, 80, "%.*s", length < 30 ? (int)length : 30, rest) > 0;
    }
    for (size_t k = 0; resname && resname->id && k < resname->count; k++)
        if (strlen(resname->text[k]) == n && !memcmp(resname->text[k], word, n))
            return snprintf(hint, 80, "resname %.*s", (int)n, word) > 0;
    const char *nearest = trj_word_nearest(word, n, p->scope);
    return nearest && snprintf(hint, 80, "%s", nearest) > 0;
}

static int unknown_word(struct parser *p) {
    size_t n = word_length(p);
    char hint[80], help[120] = "; see SELECTIONS in man trjcat";
    if (find_hint(p, hint)) snprintf(help, sizeof help, ", did you mean '%s'?", hint);
    return fail(p, "unknown keyword '%.*s' at character %zu%s", n < 40 ? (int)n : 40, p->text + p->next, p->next + 1,
                help);
}

// Rejects a test of a property that is not available. Its word begins at `start`.
static int check_property(struct parser *p, enum trj_property property, const char *word, size_t start) {
    const struct trj_topology *t = p->scope->top;
    p->s->properties |= UINT32_C(1) << property;
    if (!trj_property_needs_topology(property) || p->scope->syntax_only) return 0;
    if (!t) return fail(p, "'%s' at character %zu requires a topology; give one with -t", word, start + 1);
    p->s->uses_topology = true;
    if (trj_property_is_available(property, t)) return 0;
    const char *carried = trj_property_carried(property);
    if (p->scope->carry)
        return fail(p, "'%s' at character %zu: the %s has no %s; write them into the stream: trjcat -t FILE%s%s", word,
                    start + 1, t->format, trj_property_what(property), carried ? " --carry " : "",
                    carried ? carried : "");
    return fail(p, "'%s' at character %zu: the %s file has no %s; give a topology that has them with -t", word,
                start + 1, t->format ? t->format : "topology", trj_property_what(property));
}

// -------------------------------------------------------------------------------------------------------------- tree

static struct trj_node *new_node(struct parser *p, enum trj_node_kind kind) {
    return trj_node_new(p->s, kind, p->err);
}

static void set_property(const struct parser *p, struct trj_node *n, enum trj_property property) {
    bool of_frame = property == TRJ_ATOM_OCCUPANCY || property == TRJ_ATOM_BFACTOR;
    bool varies = of_frame && !p->scope->syntax_only && p->scope->top->values_vary;
    n->property = property;
    n->dynamic = n->dynamic || varies || trj_property_is_coordinate(property);
    n->may_be_unknown = n->may_be_unknown || property == TRJ_ATOM_ELEMENT || property == TRJ_ATOM_MASS;
}

static struct trj_node *new_parent(struct parser *p, enum trj_node_kind kind, struct trj_node *child) {
    struct trj_node *n = child ? new_node(p, kind) : NULL;
    if (!n) return NULL;
    n->child = child;
    n->dynamic = child->dynamic || kind == TRJ_NODE_NEAR;
    n->may_be_unknown = child->may_be_unknown;
    return n;
}

// ---------------------------------------------------------------------------------------------------- texts, numbers

// Rejects characters that other programs use to separate names and groups, within a bare word of n characters.
// fnmatch() takes them as part of a name, so that `name O|name H1` would select atoms that were not intended.
static int check_separators(struct parser *p, size_t n) {
    static const struct {
        char separator;
        const char *remedy;
    } separators[] = {{',', "separate names by blanks"},
                      {'|', "use 'or' for alternatives"},
                      {'&', "use 'and'"},
                      {';', "give -g once for each group"},
                      {'=', "give -g once for each group"}};
    const char *word = p->text + p->next;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof separators / sizeof *separators; k++)
            if (word[i] == separators[k].separator)
                return fail(p,
                            "'%c' at character %zu in a name without quotes; %s, or quote the name if it contains '%c'",
                            word[i], p->next + i + 1, separators[k].remedy, word[i]);
    return 0;
}

// Reads a name, with or without quotes, into *glob.
static int parse_glob(struct parser *p, char **glob) {
    const char *from = p->text + p->next;
    size_t n;
    if (*from == '\'' || *from == '"') {
        const char *end = strchr(from + 1, *from);
        if (!end) return fail(p, "the quote at character %zu is not closed; add the second one", p->next + 1);
        n = (size_t)(end - from) - 1;
        from++;
        p->next += n + 2;
        if (p->text[p->next] && !is_space(p->text[p->next]) && p->text[p->next] != '(' && p->text[p->next] != ')')
            return expected(p, "a blank after the quote");
    } else {
        n = word_length(p);
        if (strchr("<>=!", *from))
            return fail(p, "a name cannot be compared, at character %zu; list names", p->next + 1);
        if (check_separators(p, n)) return -1;
        p->next += n;
    }
    if (!(*glob = trj_alloc(n + 1, 1, "a name", p->err))) return -1;
    memcpy(*glob, from, n);
    return 0;
}

// Symbols may be given in any case. Other words are rejected, since they cannot match.
static int check_element(struct parser *p, char *glob, size_t start) {
    if (strpbrk(glob, "*?[\\")) return 0;
    unsigned z = trj_element_find(glob, strlen(glob));
    if (!z) return fail(p, "'%.40s' at character %zu is not an element", glob, start + 1);
    memcpy(glob, trj_elements[z].symbol, strlen(glob));
    return 0;
}

static bool at_value_end(const struct parser *p) {
    char c = p->text[p->next];
    return !c || c == '(' || c == ')' || joins(keyword(p)) || (c != '!' && synonym(p));
}

static struct trj_node *parse_text(struct parser *p, const struct trj_word *w) {
    struct trj_node *n = new_node(p, TRJ_NODE_TEXT);
    if (!n) return NULL;
    set_property(p, n, w->property);
    for (skip_space(p); !at_value_end(p); skip_space(p)) {
        size_t start = p->next;
        if (keyword(p)) {
            fail(p, "'%.*s' at character %zu is a keyword; quote it if it is a name", (int)word_length(p),
                 p->text + p->next, p->next + 1);
            return NULL;
        }
        if (trj_grow(&n->glob, &n->capacity, n->count + 1, sizeof *n->glob, "a selection", p->err)) return NULL;
        if (parse_glob(p, &n->glob[n->count])) return NULL;
        n->count++; // from here on it is freed with the node
        char *glob = n->glob[n->count - 1];
        if (n->property == TRJ_ATOM_ELEMENT && check_element(p, glob, start)) return NULL;
        if (!p->scope->syntax_only && trj_selection_note_pattern(p->s, n->property, glob, p->err)) return NULL;
    }
    if (n->count) return n;
    char what[64];
    snprintf(what, sizeof what, "a name after '%s'", w->text);
    expected(p, what);
    return NULL;
}

// Returns the length of a number: digits with a sign; for reals, also a point and an exponent.
static size_t number_length(const char *text, bool real) {
    size_t n = text[0] == '-' || text[0] == '+';
    n += strspn(text + n, real ? "0123456789." : "0123456789");
    if (real && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '-' || text[n + 1] == '+', digits = strspn(text + n + 1 + sign, "0123456789");
        if (digits) n += 1 + sign + digits;
    }
    return n;
}

static int parse_number(struct parser *p, enum trj_property_kind kind, union trj_value *v) {
    bool real = kind == TRJ_PROPERTY_REAL;
    const char *what = real ? "a number" : "an integer";
    char text[64];
    size_t n = number_length(p->text + p->next, real);
    char after = p->text[p->next + n];
    // Only a separator may follow a number: "12A", "1.5" and "1,2" are not integers.
    bool ended = !after || is_space(after) || strchr(":-()<>=!", after);
    if (n && after == ',')
        return fail(p, "unexpected ',' at character %zu; separate numbers by blanks", p->next + n + 1);
    if (!n || n >= sizeof text || !ended) return expected(p, what);
    memcpy(text, p->text + p->next, n);
    text[n] = 0;
    if (!(real ? trj_parse_real(text, &v->real) : trj_parse_i64(text, &v->integer))) return expected(p, what);
    p->next += n;
    return 0;
}

// Reads ':', '-' or `to`. Returns 1 if one of them follows, 0, or -1.
static int parse_to(struct parser *p) {
    size_t after_it = p->next;
    skip_space(p);
    char c = p->text[p->next];
    if (c == ':') {
        p->next++;
        return 1;
    }
    if (c == '-') {
        // "1-5" and "1 - 5" are ranges, but "1 -5" may mean two numbers.
        if (p->next > after_it && !is_space(p->text[p->next + 1]))
            return fail(p, "the '-' at character %zu is ambiguous; write a range with ':'", p->next + 1);
        p->next++;
        return 1;
    }
    return take_word(p, "to");
}

// Rejects numbers of atoms that do not exist.
static int check_atoms(struct parser *p, const struct trj_node *n, const struct trj_value_range *r, size_t start) {
    if ((n->property != TRJ_ATOM_INDEX && n->property != TRJ_ATOM_SERIAL) || p->scope->syntax_only) return 0;
    const struct trj_selection_scope *scope = p->scope;
    int64_t first = n->property == TRJ_ATOM_SERIAL, atoms = (int64_t)scope->atoms, end = first + atoms;
    if (scope->numbers && atoms) end = first + (int64_t)scope->numbers[atoms - 1] + 1;
    if (r->from.integer >= first && r->to.integer < end) return 0;
    return fail(p, "%s %lld at character %zu: there are %zu atoms; give numbers from %d to %lld",
                first ? "serial" : "index", (long long)(r->from.integer < first ? r->from.integer : r->to.integer),
                start + 1, scope->atoms, (int)first, (long long)(end - 1));
}

static int parse_range(struct parser *p, struct trj_node *n) {
    enum trj_property_kind kind = trj_property_kind(n->property);
    struct trj_value_range r = {{0}, {0}};
    size_t start = p->next;
    if (parse_number(p, kind, &r.from)) return -1;
    r.to = r.from;
    int more = parse_to(p);
    if (more < 0) return -1;
    if (more) {
        skip_space(p);
        if (parse_number(p, kind, &r.to)) return -1;
        if (kind == TRJ_PROPERTY_REAL ? r.to.real < r.from.real : r.to.integer < r.from.integer)
            return fail(p, "the range at character %zu is reversed; write the smaller number first", start + 1);
    }
    if (check_atoms(p, n, &r, start)) return -1;
    if (trj_grow(&n->range, &n->capacity, n->count + 1, sizeof *n->range, "a selection", p->err)) return -1;
    n->range[n->count++] = r;
    return 0;
}

static bool parse_relation(struct parser *p, enum trj_relation *relation) {
    static const struct {
        const char *sign;
        enum trj_relation relation;
    } signs[] = {{"<=", TRJ_LESS_EQUAL}, {">=", TRJ_GREATER_EQUAL}, {"==", TRJ_EQUAL},
                 {"!=", TRJ_UNEQUAL},    {"<", TRJ_LESS},           {">", TRJ_GREATER}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].sign);
        if (strncmp(p->text + p->next, signs[i].sign, n)) continue;
        *relation = signs[i].relation;
        p->next += n;
        return true;
    }
    return false;
}

static struct trj_node *parse_numbers(struct parser *p, const struct trj_word *w) {
    struct trj_node *n = new_node(p, TRJ_NODE_RANGES);
    if (!n) return NULL;
    set_property(p, n, w->property);
    skip_space(p);
    if (parse_relation(p, &n->relation)) {
        n->kind = TRJ_NODE_COMPARE;
        skip_space(p);
        return parse_number(p, trj_property_kind(n->property), &n->value) ? NULL : n;
    }
    do {
        if (parse_range(p, n)) return NULL;
        skip_space(p);
    } while (!at_value_end(p));
    return n;
}

// --------------------------------------------------------------------------------------------------------- expressions

static struct trj_node *parse_or(struct parser *p);
static struct trj_node *parse_unary(struct parser *p);

static struct trj_node *parse_class(struct parser *p, const struct trj_word *w, size_t start) {
    enum { TESTS = sizeof w->tests / sizeof *w->tests };
    struct trj_node *first = NULL, *join = NULL;
    for (size_t i = 0; i < TESTS && w->tests[i].is; i++) {
        if (check_property(p, w->tests[i].property, w->text, start)) return NULL;
        struct trj_node *n = new_node(p, TRJ_NODE_CLASS);
        if (!n) return NULL;
        set_property(p, n, w->tests[i].property);
        n->is = w->tests[i].is;
        if (!first) {
            first = n;
        } else {
            if (!join && !(join = new_parent(p, TRJ_NODE_AND, first))) return NULL;
            first->sibling = n; // a word has at most two tests
        }
    }
    return join ? join : first;
}

static struct trj_node *use_group(struct parser *p, const struct trj_named_selection *g) {
    if (!g->selection) {
        fail(p, "group %s at character %zu contains centres; use a group of atoms", g->name, p->next + 1);
        return NULL;
    }
    struct trj_node *n = new_node(p, TRJ_NODE_GROUP);
    if (!n) return NULL;
    unsigned depth = p->depth + g->selection->depth;
    if (depth > TRJ_SELECTION_DEEPEST) {
        fail(p, "more than %d levels of groups within groups at character %zu", TRJ_SELECTION_DEEPEST, p->next + 1);
        return NULL;
    }
    if (depth > p->s->depth) p->s->depth = depth;
    n->group = g->selection;
    n->dynamic = trj_selection_is_dynamic(g->selection);
    p->next += word_length(p);
    return n;
}

static struct trj_node *use_unknown_group(struct parser *p) {
    p->next += word_length(p);
    return new_node(p, TRJ_NODE_ALL);
}

static struct trj_node *parse_group(struct parser *p) {
    skip_space(p);
    const struct trj_named_selection *g = earlier(p);
    if (g) return use_group(p, g);
    if (p->scope->any_group && word_length(p)) return use_unknown_group(p);
    if (!word_length(p))
        expected(p, "the name of a group after 'group'");
    else
        fail(p, "unknown group '%.*s' at character %zu; define it with an earlier -g",
             word_length(p) < 64 ? (int)word_length(p) : 64, p->text + p->next, p->next + 1);
    return NULL;
}

// Parses the operand of an operator that precedes it: the next term. If `and` or `or` follows, programs differ in the
// operand that they take, so that parentheses are required.
static struct trj_node *parse_operand(struct parser *p, const struct trj_word *w) {
    struct trj_node *n = parse_unary(p);
    if (!n) return NULL;
    size_t after_it = p->next;
    skip_space(p);
    const struct trj_word *next = keyword(p);
    if (joins(next)) {
        fail(p, "'%s' at character %zu is ambiguous; add parentheses that show whether '%s' ends before it", next->text,
             p->next + 1, w->text);
        return NULL;
    }
    p->next = after_it;
    return n;
}

static struct trj_node *parse_near(struct parser *p, const struct trj_word *w) {
    union trj_value radius = {0};
    skip_space(p);
    size_t start = p->next;
    if (parse_number(p, TRJ_PROPERTY_REAL, &radius)) return NULL;
    if (radius.real < 0) {
        fail(p, "the distance at character %zu is negative; give one of 0 or more", start + 1);
        return NULL;
    }
    if (w->takes_of && !take_word(p, "of")) {
        expected(p, "'of'");
        return NULL;
    }
    struct trj_node *n = new_parent(p, TRJ_NODE_NEAR, parse_operand(p, w));
    if (!n) return NULL;
    n->radius = radius.real;
    n->without = w->without;
    return n;
}

static struct trj_node *parse_same(struct parser *p, const struct trj_word *w) {
    const struct trj_same_key *key = NULL;
    skip_space(p);
    for (size_t i = 0; i < trj_same_key_count && !key; i++)
        if (word_is(p, trj_same_keys[i].text)) key = &trj_same_keys[i];
    if (!key) {
        char what[200];
        size_t used = 0;
        for (size_t i = 0; i < trj_same_key_count; i++) {
            const char *before = !i ? "" : i + 1 < trj_same_key_count ? ", " : " or ";
            used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", before, trj_same_keys[i].text);
        }
        expected(p, what);
        return NULL;
    }
    if (check_property(p, key->property, key->text, p->next)) return NULL;
    p->next += strlen(key->text);
    if (!take_word(p, "as")) {
        expected(p, "'as'");
        return NULL;
    }
    struct trj_node *n = new_parent(p, TRJ_NODE_SAME, parse_operand(p, w));
    if (n) set_property(p, n, key->property);
    return n;
}

static struct trj_node *parse_bonded(struct parser *p, const struct trj_word *w, size_t start) {
    if (check_property(p, TRJ_ATOM_BONDS, w->text, start)) return NULL;
    take_word(p, "to");
    return new_parent(p, TRJ_NODE_BONDED, parse_operand(p, w));
}

// Returns the keyword at the next character. A comparison may follow without a blank, as in "mass>15".
static const struct trj_word *test_word(const struct parser *p) {
    const struct trj_word *w = keyword(p);
    const char *text = p->text + p->next;
    size_t n = 0, length = word_length(p);
    while (n < length && !strchr("<>=!", text[n])) n++;
    if (w || n == length) return w;
    w = trj_word_find(text, n);
    return w && w->meaning == TRJ_WORD_PROPERTY && trj_property_kind(w->property) != TRJ_PROPERTY_TEXT ? w : NULL;
}

static struct trj_node *parse_parentheses(struct parser *p) {
    size_t start = p->next++;
    struct trj_node *n = parse_or(p);
    if (!n) return NULL;
    skip_space(p);
    if (p->text[p->next] != ')') {
        fail(p, "expected ')' at character %zu for the '(' at character %zu", p->next + 1, start + 1);
        return NULL;
    }
    p->next++;
    return n;
}

static struct trj_node *parse_word(struct parser *p) {
    const struct trj_word *w = test_word(p);
    const struct trj_named_selection *group = earlier(p);
    size_t start = p->next;
    if (!w && group) return use_group(p, group);
    if (w && group && (!group->selection || strcmp(group->selection->text, w->text) != 0)) {
        fail(p, "'%s' at character %zu is a keyword and a group; write 'group %s', or rename the group", w->text,
             start + 1, w->text);
        return NULL;
    }
    p->next += w ? strlen(w->text) : 0;
    switch (w ? w->meaning : TRJ_WORD_INNER) {
    case TRJ_WORD_ALL:
        return new_node(p, TRJ_NODE_ALL);
    case TRJ_WORD_NONE:
        return new_node(p, TRJ_NODE_NONE);
    case TRJ_WORD_CLASS:
        return parse_class(p, w, start);
    case TRJ_WORD_PROPERTY:
        if (check_property(p, w->property, w->text, start)) return NULL;
        return trj_property_kind(w->property) == TRJ_PROPERTY_TEXT ? parse_text(p, w) : parse_numbers(p, w);
    case TRJ_WORD_GROUP:
        return parse_group(p);
    case TRJ_WORD_NEAR:
        return parse_near(p, w);
    case TRJ_WORD_SAME:
        return parse_same(p, w);
    case TRJ_WORD_BONDED:
        return parse_bonded(p, w, start);
    case TRJ_WORD_NOT:
        return new_parent(p, TRJ_NODE_NOT, parse_unary(p));
    case TRJ_WORD_AND:
    case TRJ_WORD_OR:
    case TRJ_WORD_INNER:
        break;
    }
    p->next = start;
    if (!w && p->scope->any_group && word_length(p)) return use_unknown_group(p);
    if (!word_length(p) || w)
        expected(p, "an expression");
    else
        unknown_word(p);
    return NULL;
}

static struct trj_node *parse_unary(struct parser *p) {
    skip_space(p);
    if (p->depth >= TRJ_SELECTION_DEEPEST) {
        fail(p, "more than %d levels of parentheses at character %zu", TRJ_SELECTION_DEEPEST, p->next + 1);
        return NULL;
    }
    p->depth++;
    if (p->depth > p->s->depth) p->s->depth = p->depth;
    struct trj_node *n = p->text[p->next] == '(' ? parse_parentheses(p) : parse_word(p);
    p->depth--;
    return n;
}

// Moves children of an `and` that test properties that may be unknown after the others, which exclude atoms from them.
static void put_uncertain_last(struct trj_node *join) {
    struct trj_node *asking = NULL, **last = &asking, **link = &join->child;
    while (*link) {
        struct trj_node *n = *link;
        if (!n->may_be_unknown) {
            link = &n->sibling;
            continue;
        }
        *link = n->sibling;
        n->sibling = NULL;
        *last = n;
        last = &n->sibling;
    }
    *link = asking;
}

// Parses terms that are joined by one word into one node with all of them.
static struct trj_node *parse_joined(struct parser *p, const char *word, enum trj_node_kind kind,
                                     parse_function *part) {
    struct trj_node *first = part(p), *join = NULL, *last = first;
    if (!first) return NULL;
    while (take_word(p, word)) {
        struct trj_node *next = part(p);
        if (!next || (!join && !(join = new_parent(p, kind, first)))) return NULL;
        join->dynamic = join->dynamic || next->dynamic;
        join->may_be_unknown = join->may_be_unknown || next->may_be_unknown;
        last->sibling = next;
        last = next;
    }
    if (synonym(p)) {
        fail(p, "'%.*s' at character %zu is unknown; write '%s', or quote it if it is a name", (int)word_length(p),
             p->text + p->next, p->next + 1, synonym(p));
        return NULL;
    }
    if (join && kind == TRJ_NODE_AND) put_uncertain_last(join);
    return join ? join : first;
}

static struct trj_node *parse_and(struct parser *p) {
    return parse_joined(p, "and", TRJ_NODE_AND, parse_unary);
}

static struct trj_node *parse_or(struct parser *p) {
    return parse_joined(p, "or", TRJ_NODE_OR, parse_and);
}

static int parse(struct parser *p) {
    const struct trj_topology *top = p->scope->syntax_only ? NULL : p->scope->top;
    if (p->scope->atoms > UINT32_MAX)
        return trj_selection_fail(p->s, p->err, TRJ_BAD_DATA, "%zu atoms: at most %u can be selected from",
                                  p->scope->atoms, UINT32_MAX);
    if (top && top->atoms != p->scope->atoms)
        return trj_selection_fail(
            p->s, p->err, TRJ_BAD_DATA,
            "the topology has %zu atoms, but the frames have %zu; give one of the same atoms with -t", top->atoms,
            p->scope->atoms);
    p->s->root = parse_or(p);
    if (!p->s->root) return -1;
    skip_space(p);
    return p->text[p->next] ? expected(p, "'and', 'or' or the end") : 0;
}

int trj_selection_parse(struct trj_selection **sel, const char *expression, const struct trj_selection_scope *scope,
                        struct trj_error *err) {
    struct trj_selection *s = trj_selection_new(expression, scope->atoms, err);
    if (!s) return -1;
    struct parser p = {.text = s->text, .scope = scope, .s = s, .err = err};
    s->top = scope->top;
    s->numbers = scope->numbers;
    if (parse(&p) || (!scope->syntax_only && trj_selection_fold(s, err))) {
        trj_selection_free(s);
        return -1;
    }
    trj_selection_end_note(s);
    *sel = s;
    return 0;
}
