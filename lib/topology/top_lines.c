// SPDX-License-Identifier: MIT
// Implements the preprocessor of GROMACS, so that a top file gives the lines that grompp reads from it. One
// difference remains: if Q is a macro, grompp replaces the second Q of the word QQ, but this code does not.
#include "top_lines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "text_index.h"

// A file that includes itself, or two that include each other several times, would be read without end. Force fields
// include about 20 files, 3 deep.
enum { MAX_DEPTH = 100, MAX_INCLUDES = 10000, MAX_LINE = 1 << 20 };

struct define {
    char *value;   // NULL: not defined
    uint64_t rank; // order of definition, from 1
    bool odd;      // the name has characters of which words do not consist
    bool option, used;
};

enum state { ACTIVE, LEFT_OUT, NESTED }; // NESTED: in a part that is left out, so that #else has no effect

struct condition {
    enum state state;
    uint64_t line;
};

// A file that is being read, and those that include it.
struct level {
    struct trj_lines own; // not of the first file
    struct trj_lines *lines;
    char *path, *folder; // path as found, of included files; folder: "" or ends in '/'
    size_t conditions;   // of the files that include it
};

struct trj_top_lines {
    struct level level[MAX_DEPTH];
    size_t levels, includes;
    const struct trj_text_list *folders;
    struct condition *condition;
    size_t conditions, condition_capacity;
    struct trj_texts names;
    struct trj_text_index index;
    struct define *define; // [names.count]
    size_t define_capacity, values, odd_values;
    uint64_t ranks;
    char *line, *expanded; // the whole line, and the part of it that was read last
    size_t line_capacity, expanded_capacity;
    bool lacks_newline, has_lone_backslash;
};

static const struct level *current(const struct trj_top_lines *t) {
    return &t->level[t->levels - 1];
}

// Puts the places of the files that include the current one before the text of an error; if there are many, only the
// name of the current file, because texts of errors have a limited length. Returns -1.
static int add_places(const struct trj_top_lines *t, struct trj_error *err) {
    enum { MAX_PLACES = 5 };
    if (t->levels > MAX_PLACES) return trj_fail_at(err, "%s", current(t)->path);
    for (size_t i = t->levels; --i;)
        trj_fail_at(err, "line %llu: %s", (unsigned long long)t->level[i - 1].lines->number, t->level[i].path);
    return -1;
}

int trj_top_lines_fail(const struct trj_top_lines *t, struct trj_error *err, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trj_lines_fail(current(t)->lines, err, "%s", text);
    return add_places(t, err);
}

// ---- macros

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *text) {
    size_t n = 0;
    while (is_word(text[n])) n++;
    return n;
}

static bool has_value(const struct define *d) {
    return d->value && *d->value;
}

static void set_value(struct trj_top_lines *t, struct define *d, char *value) {
    size_t before = has_value(d), now = value && *value;
    t->values = t->values - before + now;
    if (d->odd) t->odd_values = t->odd_values - before + now;
    free(d->value);
    d->value = value;
}

// A macro that is defined again keeps its place in the order.
static int define(struct trj_top_lines *t, const char *name, const char *value, bool option, struct trj_error *err) {
    uint32_t id;
    size_t before = t->names.count;
    if (trj_text_index_add(&t->index, name, &id, err) ||
        trj_grow(&t->define, &t->define_capacity, t->names.count, sizeof *t->define, "macros", err))
        return -1;
    struct define *d = &t->define[id];
    if (t->names.count > before) *d = (struct define){.odd = word_length(name) < strlen(name)};
    char *copy = trj_copy_text(value, err);
    if (!copy) return -1;
    if (!d->value) d->rank = ++t->ranks;
    set_value(t, d, copy);
    d->option = d->option || option;
    return 0;
}

static struct define *find_define(const struct trj_top_lines *t, const char *name, size_t length) {
    uint32_t id;
    if (!t->names.count || !trj_text_index_find(&t->index, name, length, &id)) return NULL;
    return t->define[id].value ? &t->define[id] : NULL;
}

static void undefine(struct trj_top_lines *t, const char *name) {
    struct define *d = find_define(t, name, strlen(name));
    if (d) set_value(t, d, NULL);
}

// Returns the first place at or after `from` where a name is not part of a longer word; NULL: there is none.
static const char *find_name(const char *text, const char *from, const char *name) {
    size_t n = strlen(name);
    for (; (from = strstr(from, name)); from++)
        if (!is_word(from[n]) && (from == text || !is_word(from[-1]))) return from;
    return NULL;
}

// Returns the number of the macro of lowest rank above `rank` whose name is in a text and which has a value; SIZE_MAX:
// there is none.
static size_t next_define(const struct trj_top_lines *t, const char *text, uint64_t rank) {
    size_t found = SIZE_MAX;
    uint64_t lowest = UINT64_MAX;
    for (const char *p = text; *p;) {
        size_t n = word_length(p);
        const struct define *d = n ? find_define(t, p, n) : NULL;
        if (d && *d->value && d->rank > rank && d->rank < lowest) {
            lowest = d->rank;
            found = (size_t)(d - t->define);
        }
        p += n ? n : 1;
    }
    for (size_t i = 0; t->odd_values && i < t->names.count; i++) {
        const struct define *d = &t->define[i];
        if (!d->odd || !has_value(d) || d->rank <= rank || d->rank > lowest) continue;
        if (!find_name(text, text, t->names.text[i])) continue;
        lowest = d->rank;
        found = i;
    }
    return found;
}

static int append(struct trj_top_lines *t, char **text, size_t *capacity, size_t *length, const char *more, size_t n,
                  struct trj_error *err) {
    if (n > MAX_LINE - *length) {
        trj_top_lines_fail(t, err, "is longer than %d characters, with its macros and continuations", MAX_LINE);
        return -1; // the constant result lets static analysis follow the errors
    }
    if (trj_grow(text, capacity, *length + n + 1, 1, "a line", err)) return -1;
    memcpy(*text + *length, more, n);
    (*text)[ *length += n] = 0;
    return 0;
}

// Replaces each macro in t->expanded once, in the order of definition.
static int expand(struct trj_top_lines *t, struct trj_error *err) {
    char *text = NULL;
    size_t capacity = 0, i;
    uint64_t rank = 0;
    int rc = 0;
    if (!t->values) return 0;
    while (!rc && (i = next_define(t, t->expanded, rank)) != SIZE_MAX) {
        struct define *d = &t->define[i];
        const char *name = t->names.text[i], *p = t->expanded, *found;
        size_t length = 0;
        rank = d->rank;
        d->used = true;
        while (!rc && (found = find_name(t->expanded, p, name))) {
            rc = append(t, &text, &capacity, &length, p, (size_t)(found - p), err);
            if (!rc) rc = append(t, &text, &capacity, &length, d->value, strlen(d->value), err);
            p = found + strlen(name);
        }
        if (!rc) rc = append(t, &text, &capacity, &length, p, strlen(p), err);
        if (rc) break;
        char *other = t->expanded;
        size_t other_capacity = t->expanded_capacity;
        t->expanded = text;
        t->expanded_capacity = capacity;
        text = other;
        capacity = other_capacity;
    }
    free(text);
    return rc;
}

// ---- included files

static bool is_file(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

// Sets *path to the path of a file in a folder if it exists; the caller frees it.
static int look_in(char **path, const char *folder, size_t length, const char *name, struct trj_error *err) {
    size_t size = length + strlen(name) + 2;
    if (!(*path = trj_alloc(size, 1, "a path", err))) return -1;
    snprintf(*path, size, "%.*s%s%s", (int)length, folder, length && folder[length - 1] != '/' ? "/" : "", name);
    if (is_file(*path)) return 0;
    free(*path);
    *path = NULL;
    return 0;
}

static int look_in_environment(char **path, const char *name, struct trj_error *err) {
    const char *folders = getenv("GMXLIB"), *data = getenv("GMXDATA");
    for (const char *p = folders; p && *p && !*path;) {
        size_t n = strcspn(p, ":");
        if (n && look_in(path, p, n, name, err)) return -1;
        p += n + (p[n] != 0);
    }
    if (*path || !data || !*data) return 0;
    size_t size = strlen(name) + sizeof "top/";
    char *in_top = trj_alloc(size, 1, "a path", err);
    if (!in_top) return -1;
    snprintf(in_top, size, "top/%s", name);
    int rc = look_in(path, data, strlen(data), in_top, err);
    free(in_top);
    return rc;
}

static int find_file(const struct trj_top_lines *t, char **path, const char *name, struct trj_error *err) {
    const char *folder = *name == '/' ? "" : current(t)->folder;
    *path = NULL;
    if (look_in(path, folder, strlen(folder), name, err)) return -1;
    if (*name == '/') return 0;
    for (size_t i = 0; t->folders && i < t->folders->count && !*path; i++)
        if (look_in(path, t->folders->texts[i], strlen(t->folders->texts[i]), name, err)) return -1;
    return *path ? 0 : look_in_environment(path, name, err);
}

// Returns the folder of a path, "" or with '/' at its end, which the caller frees.
static char *folder_of(const char *path, struct trj_error *err) {
    char *folder = trj_copy_text(path, err), *slash = folder ? strrchr(folder, '/') : NULL;
    if (folder) *(slash ? slash + 1 : folder) = 0;
    return folder;
}

static void pop(struct trj_top_lines *t) {
    struct level *l = &t->level[--t->levels];
    if (t->levels) trj_input_close(l->own.in);
    free(l->path);
    free(l->folder);
    *l = (struct level){.path = NULL};
}

static int push(struct trj_top_lines *t, const char *name, struct trj_error *err) {
    char *path;
    if (t->levels == MAX_DEPTH || t->includes == MAX_INCLUDES)
        return trj_top_lines_fail(t, err, "more than %d files are included%s; a file includes itself",
                                  t->levels == MAX_DEPTH ? MAX_DEPTH : MAX_INCLUDES,
                                  t->levels == MAX_DEPTH ? ", each by another one" : "");
    if (find_file(t, &path, name, err)) return -1;
    if (!path)
        return trj_top_lines_fail(t, err,
                                  "cannot find the included file '%.200s'; give the folder in which GROMACS finds it "
                                  "with --include, such as /usr/share/gromacs/top for its force fields",
                                  name);
    struct level *l = &t->level[t->levels];
    *l = (struct level){.path = path, .conditions = t->conditions, .lines = &l->own};
    l->folder = folder_of(path, err);
    if (!l->folder || trj_input_open(&l->own.in, path, err)) {
        trj_fail_at(err, "line %llu", (unsigned long long)current(t)->lines->number);
        free(l->folder);
        free(path);
        return add_places(t, err);
    }
    t->levels++;
    t->includes++;
    return 0;
}

// ---- directives

static bool is_active(const struct trj_top_lines *t) {
    return t->conditions == current(t)->conditions || t->condition[t->conditions - 1].state == ACTIVE;
}

static int begin_condition(struct trj_top_lines *t, const char *name, bool wanted, struct trj_error *err) {
    enum state state = NESTED;
    if (is_active(t)) {
        if (!*name) return trj_top_lines_fail(t, err, "#ifdef or #ifndef without a name");
        struct define *d = find_define(t, name, strlen(name));
        if (d) d->used = true;
        state = !d == !wanted ? ACTIVE : LEFT_OUT;
    }
    if (trj_grow(&t->condition, &t->condition_capacity, t->conditions + 1, sizeof *t->condition, "conditions", err))
        return -1;
    t->condition[t->conditions++] = (struct condition){state, current(t)->lines->number};
    return 0;
}

static int end_condition(struct trj_top_lines *t, bool is_else, struct trj_error *err) {
    if (t->conditions == current(t)->conditions)
        return trj_top_lines_fail(t, err, "%s without #ifdef or #ifndef", is_else ? "#else" : "#endif");
    struct condition *c = &t->condition[t->conditions - 1];
    if (!is_else)
        t->conditions--;
    else if (c->state != NESTED)
        c->state = c->state == ACTIVE ? LEFT_OUT : ACTIVE;
    return 0;
}

static int include(struct trj_top_lines *t, char *rest, struct trj_error *err) {
    size_t n = *rest == '"' || *rest == '<' ? strcspn(rest + 1, "\"<>") : 0;
    if (!n) return trj_top_lines_fail(t, err, "#include %.100s: expected a name in \"quotes\"", rest);
    rest[1 + n] = 0;
    return push(t, rest + 1, err);
}

// Handles the directive after a '#'.
static int directive(struct trj_top_lines *t, char *text, struct trj_error *err) {
    text += strspn(text, " \t\v\f\r");
    size_t n = strcspn(text, " \t\v\f\r"), length = strlen(text);
    char *rest = text + n;
    while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
    rest += n < length;
    text[n] = 0;
    rest += strspn(rest, " \t\v\f\r");
    bool ifdef = !strcmp(text, "ifdef"), is_else = !strcmp(text, "else");
    if (ifdef || !strcmp(text, "ifndef")) return begin_condition(t, rest, ifdef, err);
    if (is_else || !strcmp(text, "endif")) return end_condition(t, is_else, err);
    if (!is_active(t)) return 0;
    if (!strcmp(text, "include")) return include(t, rest, err);
    bool defines = !strcmp(text, "define");
    if (!defines && strcmp(text, "undef") != 0)
        return trj_top_lines_fail(t, err,
                                  "'#%.40s' is no directive of GROMACS' preprocessor: it knows #include, #define, "
                                  "#undef, #ifdef, #ifndef, #else and #endif",
                                  text);
    if (!*rest) return trj_top_lines_fail(t, err, "#%s without a name", text);
    if (!defines) {
        undefine(t, rest);
        return 0;
    }
    size_t name = strcspn(rest, " \t\v\f\r");
    char *value = rest + name + strspn(rest + name, " \t\v\f\r");
    rest[name] = 0;
    return define(t, rest, value, false, err);
}

// Ends the current file. Returns 1 if another one includes it, 0 if none does, -1.
static int end_file(struct trj_top_lines *t, struct trj_error *err) {
    if (t->conditions > current(t)->conditions)
        return trj_top_lines_fail(t, err, "the file ends here, without the #endif of line %llu",
                                  (unsigned long long)t->condition[t->conditions - 1].line);
    if (t->levels == 1) return 0;
    pop(t);
    return 1;
}

// Reads the next line that is no directive and not left out to t->expanded. Returns 1, 0 at the end, -1.
static int next_part(struct trj_top_lines *t, struct trj_error *err) {
    for (;;) {
        struct trj_lines *l = current(t)->lines;
        size_t length = 0;
        int got = trj_lines_next(l, err);
        if (got < 0) return add_places(t, err);
        if (!got && (got = end_file(t, err)) <= 0) return got;
        if (l != current(t)->lines) continue;
        char *text = l->text + strspn(l->text, " \t\v\f\r");
        if (*text == '#') {
            if (directive(t, text + 1, err)) return -1;
        } else if (is_active(t)) {
            if (*text && *text != ';' && !trj_lines_has_newline(l)) t->lacks_newline = true;
            if (append(t, &t->expanded, &t->expanded_capacity, &length, l->text, l->length, err)) return -1;
            return expand(t, err) ? -1 : 1;
        }
    }
}

// grompp continues a line at a '\' with blanks after it, too, but replaces a '\' by a blank only at the very end of a
// line. A '\' before blanks stays in the text, and grompp reads no number after it; without words after it, it has no
// effect and is removed here.
int trj_top_lines_next(struct trj_top_lines *t, char **text, struct trj_error *err) {
    for (;;) {
        size_t length = 0, first_lone = SIZE_MAX;
        int got;
        bool more;
        t->has_lone_backslash = t->lacks_newline = false;
        do {
            if ((got = next_part(t, err)) < 0) return -1;
            if (!got && !length) return 0;
            size_t n = got ? strlen(t->expanded) : 0;
            while (n && isspace((unsigned char)t->expanded[n - 1])) n--;
            more = n && t->expanded[n - 1] == '\\';
            bool lone = more && t->expanded[n];
            if (more && !lone) t->expanded[n - 1] = ' ';
            if (got && append(t, &t->line, &t->line_capacity, &length, t->expanded, n, err)) return -1;
            if (lone && first_lone == SIZE_MAX) first_lone = length - 1;
        } while (got && more);
        t->line[strcspn(t->line, ";")] = 0;
        if (first_lone < strlen(t->line)) {
            char *lone = t->line + first_lone;
            t->has_lone_backslash = lone[strspn(lone, "\\ \t\v\f\r")] != 0;
            if (!t->has_lone_backslash) *lone = 0;
        }
        char *from = t->line + strspn(t->line, " \t\v\f\r"), *end = from + strlen(from);
        while (end > from && isspace((unsigned char)end[-1])) *--end = 0;
        *text = from;
        if (*from && *from != '*') return 1;
    }
}

bool trj_top_lines_has_lone_backslash(const struct trj_top_lines *t) {
    return t->has_lone_backslash;
}

bool trj_top_lines_lacks_newline(const struct trj_top_lines *t, const char **path) {
    *path = current(t)->path;
    return t->lacks_newline;
}

const char *trj_top_lines_unused(const struct trj_top_lines *t) {
    for (size_t i = 0; i < t->names.count; i++)
        if (t->define[i].option && !t->define[i].used) return t->names.text[i];
    return NULL;
}

static int define_options(struct trj_top_lines *t, const struct trj_text_list *defines, struct trj_error *err) {
    for (size_t i = 0; defines && i < defines->count; i++) {
        const char *text = defines->texts[i], *equals = strchr(text, '=');
        if (!*text || equals == text || !strncmp(text, "-D", 2) || strpbrk(text, " \t\n"))
            return trj_fail(err, TRJ_USAGE, "--define: invalid macro '%s'; give NAME or NAME=VALUE, as in POSRES",
                            text);
        char *name = trj_copy_text(text, err);
        if (!name) return -1;
        if (equals) name[equals - text] = 0;
        int rc = define(t, name, equals ? equals + 1 : "", true, err);
        free(name);
        if (rc) return -1;
    }
    return 0;
}

int trj_top_lines_open(struct trj_top_lines **result, struct trj_lines *main, const struct trj_text_list *defines,
                       const struct trj_text_list *includes, struct trj_error *err) {
    struct trj_top_lines *t = trj_alloc(1, sizeof *t, "a topology", err);
    if (!t) return -1;
    t->index.texts = &t->names;
    t->folders = includes;
    t->level[0] = (struct level){.lines = main, .folder = folder_of(trj_input_name(main->in), err)};
    t->levels = 1;
    if (!t->level[0].folder || define_options(t, defines, err)) {
        trj_top_lines_close(t);
        return -1;
    }
    *result = t;
    return 0;
}

void trj_top_lines_close(struct trj_top_lines *t) {
    if (!t) return;
    while (t->levels) pop(t);
    for (size_t i = 0; i < t->names.count; i++) free(t->define[i].value);
    trj_text_index_free(&t->index);
    trj_texts_clear(&t->names);
    free(t->define);
    free(t->condition);
    free(t->line);
    free(t->expanded);
    free(t);
}
