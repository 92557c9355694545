// SPDX-License-Identifier: MIT
// Parses and evaluates expressions. The parser translates the text into steps in reverse Polish notation, which a stack
// machine executes.
#include "map_expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elementary.h"
#include "memory.h"
#include "number.h"

enum { CHUNK = 512 }; // points that are evaluated together, so that the stack stays in the cache

enum operation {
    NUMBER,
    VARIABLE,
    ADD,
    SUBTRACT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    MIN,
    MAX, // the last one whose operands must have the same unit
    MULTIPLY,
    DIVIDE,
    AND,
    OR,
    NEGATE,
    POWER,
    NOT,
    LOG,
    EXP,
    SQRT,
    ABS,
    PLAIN,
    IF,
};

struct step {
    enum operation operation;
    unsigned character; // character of the operator, from 1
    double number;
    size_t index; // of the variable
    int power;
};

struct trj_map_expression {
    struct step *step;
    size_t count, capacity;
    size_t depth;  // of the stack
    double *stack; // [depth][CHUNK]
};

struct parser {
    const char *text, *next;
    const char *const *names;
    size_t name_count;
    struct trj_map_expression *e;
    unsigned nested;
    size_t used; // values on the stack
    struct trj_error *err;
};

static int operands_of(enum operation o) {
    return o <= VARIABLE ? 0 : o <= OR ? 2 : o == IF ? 3 : 1;
}

// ---- words

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while (is_letter(text[n]) || (n && text[n] >= '0' && text[n] <= '9')) n++;
    return n;
}

static const struct word {
    const char *name;
    enum operation operation;
    size_t min, max; // arguments
} functions[] = {
    {"log", LOG, 1, 1}, {"exp", EXP, 1, 1},        {"sqrt", SQRT, 1, 1},      {"abs", ABS, 1, 1},
    {"if", IF, 3, 3},   {"min", MIN, 2, SIZE_MAX}, {"max", MAX, 2, SIZE_MAX}, {"number", PLAIN, 1, 1},
};
static const char *const words[] = {"and", "or", "not", "nan", "inf"};

static bool is_word(const char *word, const char *name, size_t length) {
    return strlen(word) == length && !memcmp(word, name, length);
}

static const struct word *find_function(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_word(functions[i].name, name, length)) return &functions[i];
    return NULL;
}

bool trj_map_expression_is_name(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(words[i], name, length)) return false;
    return length && name_length(name) >= length && !find_function(name, length);
}

// ---- parser

static void skip_blanks(struct parser *p) {
    while (*p->next == ' ' || *p->next == '\t' || *p->next == '\n') p->next++;
}

// Fails at the current character.
static int fail_here(struct parser *p, const char *what) {
    return trj_fail(p->err, TRJ_USAGE, "expression '%.80s%s': character %llu: %s", p->text,
                    strlen(p->text) > 80 ? "..." : "", (unsigned long long)(p->next - p->text) + 1, what);
}

static int emit(struct parser *p, struct step s) {
    struct trj_map_expression *e = p->e;
    if (e->count == TRJ_MAP_EXPRESSION_STEPS)
        return fail_here(p, "too many operations; divide it into several commands");
    if (trj_grow(&e->step, &e->capacity, e->count + 1, sizeof *e->step, "an expression", p->err)) return -1;
    if (!s.character) s.character = (unsigned)(p->next - p->text) + 1;
    e->step[e->count++] = s;
    p->used -= (size_t)operands_of(s.operation);
    if (++p->used > e->depth) e->depth = p->used;
    return 0;
}

// Reads an operator or word, and the blanks before it.
static bool accept(struct parser *p, const char *token) {
    size_t n = strlen(token);
    skip_blanks(p);
    if (strncmp(p->next, token, n) != 0 || (is_letter(*token) && name_length(p->next) != n)) return false;
    p->next += n;
    return true;
}

static int parse_any(struct parser *p);

static int parse_arguments(struct parser *p, const struct word *f, unsigned character) {
    size_t n = 0;
    if (!accept(p, "(")) return fail_here(p, "expected '(' after the name of a function");
    do {
        if (parse_any(p)) return -1;
        if (++n > f->max) return fail_here(p, "the function has too many arguments");
        // min(x, y, z) is min(min(x, y), z).
        if (n > 1 && f->max == SIZE_MAX && emit(p, (struct step){.operation = f->operation, .character = character}))
            return -1;
    } while (accept(p, ","));
    if (n < f->min)
        return fail_here(p, f->min == 3 ? "if requires three arguments: if(condition, x, y)"
                                        : "the function requires another argument");
    if (!accept(p, ")")) return fail_here(p, "expected ')'");
    return f->max == SIZE_MAX ? 0 : emit(p, (struct step){.operation = f->operation, .character = character});
}

static int parse_name(struct parser *p) {
    size_t n = name_length(p->next);
    unsigned character = (unsigned)(p->next - p->text) + 1;
    const struct word *f = find_function(p->next, n);
    if (f) {
        p->next += n;
        return parse_arguments(p, f, character);
    }
    bool nan_word = is_word("nan", p->next, n);
    if (nan_word || is_word("inf", p->next, n)) {
        p->next += n;
        return emit(p, (struct step){.operation = NUMBER, .character = character, .number = nan_word ? NAN : INFINITY});
    }
    for (size_t i = 0; i < p->name_count; i++)
        if (is_word(p->names[i], p->next, n)) {
            p->next += n;
            return emit(p, (struct step){.operation = VARIABLE, .character = character, .index = i});
        }
    return fail_here(p, "unknown name; give the map as NAME=FILE");
}

static int parse_primary(struct parser *p) {
    skip_blanks(p);
    if (accept(p, "(")) {
        if (parse_any(p)) return -1;
        return accept(p, ")") ? 0 : fail_here(p, "expected ')'");
    }
    if (is_letter(*p->next)) return parse_name(p);
    struct step s = {.operation = NUMBER, .character = (unsigned)(p->next - p->text) + 1};
    const char *end =
        (*p->next >= '0' && *p->next <= '9') || *p->next == '.' ? trj_scan_real(p->next, &s.number) : NULL;
    if (!end) return fail_here(p, *p->next ? "expected a number, a name or '('" : "the expression ends too early");
    if (is_letter(*end)) {
        p->next = end;
        return fail_here(p, "expected an operator, such as '*'");
    }
    p->next = end;
    return emit(p, s);
}

static int parse_power(struct parser *p) {
    if (parse_primary(p)) return -1;
    for (bool again = false; accept(p, "^") || accept(p, "**"); again = true) {
        // Programs differ in whether 2^3^2 is 64 or 512.
        if (again) return fail_here(p, "a second exponent; use brackets, as in (x^2)^3");
        unsigned character = (unsigned)(p->next - p->text);
        int sign = accept(p, "-") ? -1 : 1, value = 0;
        skip_blanks(p);
        const char *digits = p->next;
        while (*p->next >= '0' && *p->next <= '9' && value <= TRJ_MAP_POWER_MAX) value = 10 * value + *p->next++ - '0';
        if (p->next == digits || value > TRJ_MAP_POWER_MAX || *p->next == '.')
            return fail_here(p, "expected an integer power of at most 64; for others, use exp(y * log(x))");
        if (emit(p, (struct step){.operation = POWER, .character = character, .power = sign * value})) return -1;
    }
    return 0;
}

// Counts the nesting levels, on which the sizes of the process's stack and of the stack of values depend.
static int enter(struct parser *p) {
    return ++p->nested > TRJ_MAP_EXPRESSION_DEPTH ? fail_here(p, "too many nested levels; use fewer brackets") : 0;
}

static int parse_unary(struct parser *p) {
    if (enter(p)) return -1;
    int rc;
    skip_blanks(p);
    unsigned character = (unsigned)(p->next - p->text) + 1;
    if (accept(p, "-"))
        rc = parse_unary(p) ? -1 : emit(p, (struct step){.operation = NEGATE, .character = character});
    else
        rc = accept(p, "+") ? parse_unary(p) : parse_power(p);
    p->nested--;
    return rc;
}

struct binary {
    const char *token;
    enum operation operation;
};

// Parses operands that are separated by these operators. With `once`, there may be only one operator.
static int parse_binary(struct parser *p, int (*operand)(struct parser *), const struct binary *list, size_t n,
                        bool once) {
    if (operand(p)) return -1;
    for (bool again = false;; again = true) {
        size_t i = 0;
        skip_blanks(p);
        unsigned character = (unsigned)(p->next - p->text) + 1;
        while (i < n && !accept(p, list[i].token)) i++;
        if (i == n) return 0;
        if (again && once) {
            p->next = p->text + character - 1;
            return fail_here(p, "a second comparison; join comparisons with 'and'");
        }
        if (operand(p) || emit(p, (struct step){.operation = list[i].operation, .character = character})) return -1;
    }
}

static int parse_product(struct parser *p) {
    static const struct binary list[] = {{"*", MULTIPLY}, {"/", DIVIDE}};
    return parse_binary(p, parse_unary, list, 2, false);
}

static int parse_sum(struct parser *p) {
    static const struct binary list[] = {{"+", ADD}, {"-", SUBTRACT}};
    return parse_binary(p, parse_product, list, 2, false);
}

static int parse_comparison(struct parser *p) {
    static const struct binary list[] = {{"<=", LESS_EQUAL}, {"<", LESS},   {">=", GREATER_EQUAL},
                                         {">", GREATER},     {"==", EQUAL}, {"!=", NOT_EQUAL}};
    return parse_binary(p, parse_sum, list, 6, true);
}

static int parse_not(struct parser *p) {
    skip_blanks(p);
    unsigned character = (unsigned)(p->next - p->text) + 1;
    if (!accept(p, "not")) return parse_comparison(p);
    if (enter(p) || parse_not(p)) return -1;
    p->nested--;
    return emit(p, (struct step){.operation = NOT, .character = character});
}

static int parse_and(struct parser *p) {
    static const struct binary list[] = {{"and", AND}};
    return parse_binary(p, parse_not, list, 1, false);
}

static int parse_any(struct parser *p) {
    static const struct binary list[] = {{"or", OR}};
    return parse_binary(p, parse_and, list, 1, false);
}

int trj_map_expression_parse(struct trj_map_expression **result, const char *text, const char *const *names,
                             size_t count, struct trj_error *err) {
    struct trj_map_expression *e = trj_alloc(1, sizeof *e, "an expression", err);
    if (!e) return -1;
    struct parser p = {.text = text, .next = text, .names = names, .name_count = count, .e = e, .err = err};
    int rc = parse_any(&p);
    skip_blanks(&p);
    if (!rc && *p.next) rc = fail_here(&p, "expected an operator or the end of the expression");
    if (!rc && !(e->stack = trj_alloc(e->depth * CHUNK, sizeof *e->stack, "an expression", err))) rc = -1;
    if (rc)
        trj_map_expression_free(e);
    else
        *result = e;
    return rc;
}

void trj_map_expression_free(struct trj_map_expression *e) {
    if (!e) return;
    free(e->step);
    free(e->stack);
    free(e);
}

bool trj_map_expression_uses(const struct trj_map_expression *e, size_t variable) {
    for (size_t i = 0; i < e->count; i++)
        if (e->step[i].operation == VARIABLE && e->step[i].index == variable) return true;
    return false;
}

// ---- quantities

enum kept { CONSTANT, KEPT, CHANGED };

static enum kept worse(enum kept a, enum kept b) {
    return a > b ? a : b;
}

// Returns whether the result of a step is constant, has the quantity of its operands, or another one.
static enum kept keep(enum operation operation, const enum kept *operand) {
    switch (operation) {
    case NUMBER:
        return CONSTANT;
    case VARIABLE:
        return KEPT;
    case NEGATE:
    case ABS:
    case PLAIN:
        return operand[0];
    case ADD:
    case SUBTRACT:
    case MIN:
    case MAX:
        return worse(operand[0], operand[1]);
    case MULTIPLY:
        return operand[0] && operand[1] ? CHANGED : worse(operand[0], operand[1]);
    case DIVIDE:
        return operand[1] ? CHANGED : operand[0];
    case IF: // a choice between two constants is a map of the condition
        return operand[0] && !operand[1] && !operand[2] ? CHANGED : worse(operand[1], operand[2]);
    default: // logical and other functions
        for (int i = 0; i < operands_of(operation); i++)
            if (operand[i]) return CHANGED;
        return CONSTANT;
    }
}

bool trj_map_expression_keeps_quantity(const struct trj_map_expression *e) {
    enum kept stack[TRJ_MAP_EXPRESSION_STEPS + 1] = {CONSTANT};
    size_t top = 0;
    for (size_t i = 0; i < e->count; i++) {
        enum operation operation = e->step[i].operation;
        top -= (size_t)operands_of(operation);
        stack[top] = keep(operation, stack + top);
        top++;
    }
    return stack[0] != CHANGED;
}

// ---- units

// Sets *to to the unit of two values that are added or compared.
static int common_unit(struct trj_map_unit *to, const struct trj_map_unit *from, const struct step *s,
                       struct trj_error *err) {
    if (!to->count) *to = *from;
    if (!from->count || trj_map_unit_same(to, from)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "character %u of the expression: values in '%s' and values in '%s' cannot be added or compared; "
                    "convert them, as in number(b) * 4.184, which has no unit",
                    s->character, to->text, from->text);
}

static int apply_unit(struct trj_map_unit *u, const struct step *s, struct trj_error *err) {
    static const struct trj_map_unit none;
    switch (s->operation) {
    case MULTIPLY:
        u[0] = trj_map_unit_product(&u[0], 1, &u[1], 1);
        return 0;
    case DIVIDE:
        u[0] = trj_map_unit_product(&u[0], 1, &u[1], -1);
        return 0;
    case POWER:
        u[0] = trj_map_unit_product(&u[0], s->power, &none, 0);
        return 0;
    case SQRT:
        u[0] = trj_map_unit_root(&u[0]);
        return 0;
    case NEGATE:
    case ABS:
        return 0;
    case IF:
        u[0] = u[1];
        return common_unit(&u[0], &u[2], s, err);
    case AND:
    case OR:
    case NOT:
    case LOG:
    case EXP:
    case PLAIN:
        u[0] = none;
        return 0;
    default:
        break;
    }
    if (common_unit(&u[0], &u[1], s, err)) return -1;
    if (s->operation >= LESS && s->operation <= NOT_EQUAL) u[0] = none;
    return 0;
}

int trj_map_expression_unit(struct trj_map_unit *unit, const struct trj_map_expression *e,
                            const struct trj_map_unit *units, struct trj_error *err) {
    struct trj_map_unit *stack = trj_alloc(e->depth, sizeof *stack, "units", err);
    if (!stack) return -1;
    size_t top = 0; // values on the stack
    int rc = 0;
    for (size_t i = 0; !rc && i < e->count; i++) {
        const struct step *s = &e->step[i];
        top -= (size_t)operands_of(s->operation);
        if (s->operation == VARIABLE)
            stack[top] = units[s->index];
        else if (s->operation == NUMBER)
            stack[top] = (struct trj_map_unit){.count = 0};
        else
            rc = apply_unit(stack + top, s, err);
        top++;
    }
    *unit = stack[0];
    free(stack);
    return rc;
}

// ---- values

static double truth(bool condition, double a, double b) {
    return isnan(a) || isnan(b) ? NAN : condition;
}

// By squaring, in a fixed order.
static double power(double x, int n) {
    double result = 1;
    for (unsigned k = (unsigned)abs(n); k; k >>= 1) {
        if (k & 1) result *= x;
        x *= x;
    }
    return n < 0 ? 1 / result : result;
}

#define EACH(value)                                                                                                    \
    for (size_t i = 0; i < n; i++) a[i] = (value);                                                                     \
    break

// Applies a step to its operands, each with n values, which are at a, b and c. The result replaces a.
static void apply(const struct step *s, double *a, size_t n) {
    const double *b = a + CHUNK, *c = b + CHUNK;
    switch (s->operation) {
    case ADD:
        EACH(a[i] + b[i]);
    case SUBTRACT:
        EACH(a[i] - b[i]);
    case MULTIPLY:
        EACH(a[i] * b[i]);
    case DIVIDE:
        EACH(a[i] / b[i]);
    case LESS:
        EACH(truth(a[i] < b[i], a[i], b[i]));
    case LESS_EQUAL:
        EACH(truth(a[i] <= b[i], a[i], b[i]));
    case GREATER:
        EACH(truth(a[i] > b[i], a[i], b[i]));
    case GREATER_EQUAL:
        EACH(truth(a[i] >= b[i], a[i], b[i]));
    case EQUAL:
        EACH(truth(a[i] == b[i], a[i], b[i]));
    case NOT_EQUAL:
        EACH(truth(a[i] != b[i], a[i], b[i]));
    case MIN:
        EACH(isnan(a[i]) || a[i] < b[i] ? a[i] : b[i]);
    case MAX:
        EACH(isnan(a[i]) || a[i] > b[i] ? a[i] : b[i]);
    case AND:
        EACH(truth(a[i] != 0 && b[i] != 0, a[i], b[i]));
    case OR:
        EACH(truth(a[i] != 0 || b[i] != 0, a[i], b[i]));
    case NOT:
        EACH(truth(a[i] == 0, a[i], a[i]));
    case NEGATE:
        EACH(-a[i]);
    case POWER:
        EACH(power(a[i], s->power));
    case LOG:
        EACH(trj_log(a[i]));
    case EXP:
        EACH(trj_exp(a[i]));
    case SQRT:
        EACH(sqrt(a[i]));
    case ABS:
        EACH(fabs(a[i]));
    case IF:
        EACH(isnan(a[i]) ? a[i] : a[i] != 0 ? b[i] : c[i]);
    default:
        break;
    }
}

static const double *evaluate_chunk(const struct trj_map_expression *e, const double *const *values, size_t first,
                                    size_t n) {
    double *top = e->stack;
    for (size_t k = 0; k < e->count; k++) {
        const struct step *s = &e->step[k];
        top -= (size_t)operands_of(s->operation) * CHUNK;
        if (s->operation == VARIABLE)
            memcpy(top, values[s->index] + first, n * sizeof *top);
        else if (s->operation == NUMBER)
            for (size_t i = 0; i < n; i++) top[i] = s->number;
        else
            apply(s, top, n);
        top += CHUNK;
    }
    return e->stack;
}

void trj_map_expression_evaluate(struct trj_map_expression *e, const double *const *values, size_t n, double *to) {
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < CHUNK ? n - first : CHUNK;
        const double *result = evaluate_chunk(e, values, first, some);
        // Processors differ in the sign of NaN, so that all are replaced by the same one.
        for (size_t i = 0; i < some; i++) to[first + i] = isnan(result[i]) ? NAN : result[i];
    }
}
