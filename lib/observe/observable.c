// SPDX-License-Identifier: MIT
// Parses the expressions of observables: a function, its arguments, and what these refer to.
#include "observable.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "division.h"
#include "memory.h"
#include "nearest_name.h"
#include "number.h"
#include "reference.h"
#include "system.h"
#include "utf8.h"

// ---------------------------------------------------------------------------------------------------------------- text

// Returns the length of the text up to `stop` outside of parentheses and quotes, or to its end. A parenthesis or quote
// that is not closed, or not opened, sets *bad to its position.
static size_t span(const char *text, size_t n, char stop, size_t *bad) {
    size_t depth = 0, open = 0;
    char quote = 0;
    for (size_t i = 0; i < n; i++) {
        if (quote) {
            if (text[i] == quote) quote = 0;
            continue;
        }
        if (text[i] == stop && !depth) return i;
        if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
            open = i;
        } else if (text[i] == '(') {
            if (!depth++) open = i;
        } else if (text[i] == ')' && !depth--) {
            *bad = i;
            return n;
        }
    }
    if (depth || quote) *bad = open;
    return n;
}

// Returns a copy of text[n] without blanks around it.
static char *copy_trimmed(const char *text, size_t n, struct trj_error *err) {
    while (n && isspace((unsigned char)text[n - 1])) n--;
    while (n && isspace((unsigned char)*text)) text++, n--;
    char *copy = trj_alloc(n + 1, 1, "an expression", err);
    if (copy) memcpy(copy, text, n);
    return copy;
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while (is_name_char(text[n])) n++;
    return n;
}

// ----------------------------------------------------------------------------------------------------------- functions

// Returns the function that other programs give this name, or NULL.
static const char *find_foreign(const char *name) {
    static const char *const foreign[][2] = {
        {"gyrate", "rg"},
        {"radgyr", "rg"},
        {"radius_of_gyration", "rg"},
        {"center_of_mass", "com"},
        {"centre_of_mass", "com"},
        {"center", "com"},
        {"centroid", "cog"},
        {"center_of_geometry", "cog"},
        {"dist", "distance"},
        {"box", "cell"},
        {"dihedral", "torsion"},
        {"dimensions", "cell"},
        {"gyration", "rg"},
        {"rgyr", "rg"},
        {"rog", "rg"},
        {"rms", "rmsd"},
        {"hbond", "hbonds"},
        {"sas", "sasa"},
        {"surface", "sasa"},
        {"surf", "sasa"},
        {"do_dssp", "dssp"},
        {"secstruct", "dssp"},
        {"ramachandran", "phi"},
        {"rama", "phi"},
        {"dipoles", "dipole"},
        {"order", "scd"},
        {"chi", "chi1"},
        {"pairdist", "mindist"},
        {"bond", "distance"},
        {"temp", "temperature"},
        {"q", "native"},
        {"qbest", "native"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (!strcmp(name, foreign[i][0])) return foreign[i][1];
    return NULL;
}

// Returns what to use instead of a word that names a task of another program, or a result of several frames; NULL if it
// is neither.
static const char *find_task(const char *name) {
    static const char displacement[] = "compares frames of different times; use trjcorr 'msd(SELECTION)'",
                      velocity[] = "compares frames of different times; use trjcorr 'vacf(SELECTION)'",
                      memory[] = "compares frames of different times; use trjcorr 'acf(EXPRESSION)'",
                      rotation[] = "compares frames of different times; use trjcorr 'reorient(FROM, TO)'",
                      fluctuation[] = "is not a value of a frame; use trjstat --rmsf SELECTION",
                      pair[] = "is computed by rdfhist and rdfnorm: trjcat ... | rdfhist -p A:B | rdfnorm",
                      waves[] = "is computed by skhist and rdfnorm: trjcat ... | skhist --qmax Q | rdfnorm",
                      components[] = "is not a value of a frame; use trjstat --pca SELECTION",
                      profile[] = "is not a value of a frame; use trjstat --profile z 'mass(A)'",
                      histogram[] = "is not a value of a frame; use trjstat --hist EXPRESSION",
                      contacts[] = "is not a value of a frame; use trjstat --map 'contacts(A, B, RADIUS)'",
                      matrix[] = "is not a value of a frame; use trjstat --map 'rmsd(A)'",
                      clusters[] = "is not a value of a frame; use trjstat --map 'rmsd(A)' --cluster CUTOFF",
                      map[] = "is computed by densmap";
    static const char *const tasks[][2] = {{"rmsf", fluctuation},
                                           {"rmsfit", fluctuation},
                                           {"bfactors", fluctuation},
                                           {"atomicfluct", fluctuation},
                                           {"msd", displacement},
                                           {"diffusion", displacement},
                                           {"vacf", velocity},
                                           {"velacc", velocity},
                                           {"acf", memory},
                                           {"autocorr", memory},
                                           {"rotacf", rotation},
                                           {"rdf", pair},
                                           {"gr", pair},
                                           {"radial", pair},
                                           {"coordination", pair},
                                           {"sq", waves},
                                           {"sk", waves},
                                           {"saxs", waves},
                                           {"pca", components},
                                           {"covar", components},
                                           {"anaeig", components},
                                           {"profile", profile},
                                           {"density_profile", profile},
                                           {"lineardensity", profile},
                                           {"hist", histogram},
                                           {"histogram", histogram},
                                           {"distribution", histogram},
                                           {"contact_map", contacts},
                                           {"mdmat", contacts},
                                           {"rmsd_matrix", matrix},
                                           {"rms2d", matrix},
                                           {"cluster", clusters},
                                           {"densmap", map},
                                           {"spatial", map}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (!strcmp(name, tasks[i][0])) return tasks[i][1];
    return NULL;
}

static const char *tool_of(const struct obs_function *const *functions) {
    return functions[0]->tool ? functions[0]->tool : "trjstat";
}

// Writes how a user lists the functions.
static void describe_list(char *text, size_t size, const struct obs_function *const *functions) {
    if (functions == obs_functions || functions[0]->tool)
        snprintf(text, size, "%s --list prints all functions", tool_of(functions));
    else
        snprintf(text, size, "trjstat --profile z --list prints those of profiles");
}

static const struct obs_function *find_function(const struct obs_function *const *functions, const char *text, size_t n,
                                                struct trj_error *err) {
    const char *names[OBS_FUNCTIONS_MAX + 1] = {NULL};
    char name[40];
    for (size_t i = 0; functions[i]; i++) {
        names[i] = functions[i]->name;
        if (strlen(names[i]) == n && !memcmp(names[i], text, n)) return functions[i];
    }
    if (!n) {
        trj_error_set(err, TRJ_USAGE, "the name of a function is expected; %s --list prints all functions",
                      tool_of(functions));
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s", (int)(n < 39 ? n : 39), text);
    const bool correlations = functions[0] && functions[0]->tool;
    const char *task = functions == obs_functions || correlations ? find_task(name) : NULL;
    for (size_t i = 0; correlations && obs_functions[i]; i++) {
        if (strcmp(obs_functions[i]->name, name) != 0) continue;
        trj_error_set(err, TRJ_USAGE,
                      "'%s' is an observable of each frame; use trjstat, or for its autocorrelation %s 'acf(%s(...))'",
                      name, functions[0]->tool, name);
        return NULL;
    }
    if (task) {
        trj_error_set(err, TRJ_USAGE, "'%s' %s", name, task);
        return NULL;
    }
    const char *nearest = functions == obs_functions ? find_foreign(name) : NULL;
    if (!nearest) nearest = trj_nearest_name(name, names);
    char remedy[80];
    describe_list(remedy, sizeof remedy, functions);
    if (nearest)
        trj_error_set(err, TRJ_USAGE, "unknown function '%s', did you mean '%s'? %s", name, nearest, remedy);
    else
        trj_error_set(err, TRJ_USAGE, "unknown function '%s'; %s", name, remedy);
    return NULL;
}

// Returns whether a text of n characters is the name of one of the columns that a function can have.
static bool is_column(const struct obs_function *f, const char *text, size_t n) {
    for (size_t i = 0; i < f->columns; i++)
        if (strlen(f->column[i].name) == n && n && !memcmp(f->column[i].name, text, n)) return true;
    return false;
}

int obs_function_check(const struct obs_function *const *functions, const char *expression, struct trj_error *err) {
    while (isspace((unsigned char)*expression)) expression++;
    const size_t n = name_length(expression);
    const char *rest = expression + n;
    if (!strchr(expression, '(') && strpbrk(expression, "./")) {
        struct trj_error why;
        const struct obs_function *f = n && *rest == '.' ? find_function(functions, expression, n, &why) : NULL;
        char form[300], columns[300];
        if (f && (f->choose_columns || is_column(f, rest + 1, strlen(rest + 1)))) return 0; // cell.a, as cell
        if (!f)
            return trj_fail(err, TRJ_USAGE,
                            "'%s' is not an expression, such as '%s(all)'; to read a trajectory: trjcat %s | %s "
                            "EXPRESSION",
                            expression, functions[0]->name, expression, tool_of(functions));
        obs_function_describe(f, form, sizeof form);
        obs_columns_describe(f->column, f->columns, columns, sizeof columns);
        return trj_fail(err, TRJ_USAGE,
                        "'%s': the function %s has no column '%s', but %s; its form is %s; to read a trajectory of "
                        "this name: trjcat %s | %s EXPRESSION",
                        expression, f->name, rest + 1, *f->column->name ? columns : "one without a name", form,
                        expression, tool_of(functions));
    }
    return find_function(functions, expression, n, err) ? 0 : trj_fail_at(err, "%s", expression);
}

// Writes "gmx|mda" for "gmx mda". Returns the text.
static const char *join_choices(char *text, size_t size, const char *choices) {
    snprintf(text, size, "%s", choices);
    for (char *c = text; *c; c++)
        if (*c == ' ') *c = '|';
    return text;
}

void obs_function_describe(const struct obs_function *f, char *text, size_t size) {
    static const char *const kinds[] = {"ATOMS", "ATOMS", "POINT", "NUMBER", "WORD", "FILE", "WORD", "EXPRESSION"};
    char forms[100];
    size_t n = (size_t)snprintf(text, size, "%s(", f->name);
    for (const struct obs_parameter *p = f->parameter; p->name && n < size; p++) {
        const char *comma = p == f->parameter ? "" : ", ";
        if (p->standard && *p->standard)
            n += (size_t)snprintf(text + n, size - n, "%s%s=%s", comma, p->name, p->standard);
        else if (p->standard)
            n += (size_t)snprintf(text + n, size - n, "%s[%s=%s]", comma, p->name, kinds[p->kind]);
        else
            n += (size_t)snprintf(text + n, size - n, "%s%s=%s", comma, p->name,
                                  p->choices ? join_choices(forms, sizeof forms, p->choices) : kinds[p->kind]);
    }
    if (n < size) snprintf(text + n, size - n, ")");
}

const char *obs_function_scope(const struct obs_function *f) {
    return f->residues == OBS_RESIDUES_NEVER    ? "group"
           : f->residues == OBS_RESIDUES_ALWAYS ? "residue only"
                                                : "residue";
}

void obs_columns_describe(const struct obs_column *column, size_t count, char *text, size_t size) {
    size_t n = 0;
    *text = 0;
    for (size_t c = 0; c < count && n < size; c++) {
        const char *name = column[c].name, *unit = *column[c].unit || *name ? column[c].unit : "1";
        n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", c ? ", " : "", name, *name && *unit ? " " : "", unit);
    }
}

// ----------------------------------------------------------------------------------------------------------- arguments

int obs_point_parse(struct obs_point *point, const char *text, struct obs_system *s, struct trj_error *err) {
    bool com = !strncmp(text, "com(", 4), cog = !strncmp(text, "cog(", 4);
    size_t n = strlen(text), bad = SIZE_MAX;
    uint64_t number;
    char *inner = NULL, index[32];
    if ((com || cog) && text[n - 1] == ')' && span(text + 4, n - 5, '\0', &bad) == n - 5 && bad == SIZE_MAX) {
        if (!(inner = copy_trimmed(text + 4, n - 5, err))) return -1;
        text = inner;
    } else {
        com = cog = false;
        if (trj_parse_u64(text, &number)) {
            snprintf(index, sizeof index, "index %llu", (unsigned long long)number);
            text = index;
        }
    }
    point->of_mass = com;
    int rc = obs_system_select(s, text, &point->selection, err);
    const struct obs_selection *one = rc ? NULL : &s->selection[point->selection];
    if (one && !s->syntax && !com && !cog && (one->dynamic || one->count != 1))
        rc = trj_fail(err, TRJ_USAGE, "'%s' selects %s%zu atoms; give com(%s) or cog(%s) for their centre", text,
                      one->dynamic ? "up to " : "", one->count, text, text);
    if (!rc) rc = obs_system_need_whole(s, point->selection, err);
    free(inner);
    return rc;
}

// Returns whether the text is one of the words, and sets its number.
static bool find_choice(struct obs_argument *a, const struct obs_parameter *p) {
    const char *word = p->choices;
    size_t n = strlen(a->text);
    for (a->choice = 0; *word; a->choice++) {
        size_t length = strcspn(word, " ");
        if (length == n && !memcmp(word, a->text, n)) return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

static int parse_choice(struct obs_argument *a, const struct obs_parameter *p, struct trj_error *err) {
    if (find_choice(a, p)) return 0;
    return trj_fail(err, TRJ_USAGE, "'%s' is no value of '%s'; use one of: %s", a->text, p->name, p->choices);
}

static int parse_argument(struct obs_argument *a, const struct obs_parameter *p, struct obs_system *s,
                          struct trj_error *err) {
    if (!*a->text) return 0; // an argument that is optional, and absent
    switch (p->kind) {
    case OBS_ATOMS:
        return obs_system_select(s, a->text, &a->selection, err);
    case OBS_ATOMS_OR_WORD:
        return find_choice(a, p) ? 0 : obs_system_select(s, a->text, &a->selection, err);
    case OBS_POINT:
        return obs_point_parse(&a->point, a->text, s, err);
    case OBS_NUMBER:
        if (trj_parse_real(a->text, &a->number)) return 0;
        return trj_fail(err, TRJ_USAGE, "'%s': '%s' is expected to be a number without a unit", a->text, p->name);
    case OBS_CHOICE:
        return parse_choice(a, p, err);
    case OBS_FILE:
        return 0;
    case OBS_WORD:
        return p->check ? p->check(a->text, err) : 0;
    case OBS_EXPRESSION:
        return obs_function_check(obs_functions, a->text, err);
    }
    return 0;
}

// Finds the parameter for the argument text[n] at `position`: by NAME=, which is removed, or by position.
static int find_parameter(const struct obs_function *f, size_t position, const char **text, size_t *n, size_t *found,
                          struct trj_error *err) {
    size_t count = 0;
    while (isspace((unsigned char)**text) && *n) ++*text, --*n;
    size_t length = name_length(*text), after = length;
    while ((*text)[after] == ' ') after++;
    bool named = length && after < *n && (*text)[after] == '=' && (*text)[after + 1] != '=';
    for (; f->parameter[count].name; count++) {
        const char *name = f->parameter[count].name;
        if (!named || strlen(name) != length || memcmp(name, *text, length)) continue;
        *found = count;
        *text += after + 1;
        *n -= after + 1;
        return 0;
    }
    if (named) return trj_fail(err, TRJ_USAGE, "unknown argument '%.*s'", (int)length, *text);
    *found = position;
    if (position < count) return 0;
    return trj_fail(err, TRJ_USAGE, "%s has at most %zu argument%s", f->name, count, count == 1 ? "" : "s");
}

// torsion(4-6-8-14) is short for torsion(4, 6, 8, 14), and so are distances and angles of atoms. Returns the number of
// atoms, or 0.
static size_t count_joined(const struct obs_function *f, const char *text, size_t n) {
    size_t count = 1;
    if (!n || text[n - 1] == '-' || *text == '-') return 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '-')
            count++;
        else if (!isdigit((unsigned char)text[i]))
            return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!f->parameter[i].name || f->parameter[i].kind != OBS_POINT) return 0;
    return count > 1 ? count : 0;
}

static int split_arguments(struct obs_observable *o, const char *text, size_t n, struct trj_error *err) {
    const struct obs_function *f = o->function;
    while (n && *text == ' ') text++, n--;
    const char *from = text;
    char separator = count_joined(f, text, n) ? '-' : ',';
    bool more = n > 0;
    for (size_t position = 0, bad = SIZE_MAX; more; position++) {
        size_t rest = (size_t)(text + n - from), length = span(from, rest, separator, &bad), left = length, number;
        const char *argument = from;
        if (bad != SIZE_MAX) return trj_fail(err, TRJ_USAGE, "a parenthesis or quote is not closed");
        if (find_parameter(f, position, &argument, &left, &number, err)) return -1;
        if (o->memory[number]) return trj_fail(err, TRJ_USAGE, "'%s' is given twice", f->parameter[number].name);
        if (!(o->memory[number] = copy_trimmed(argument, left, err))) return -1;
        if (!*o->memory[number]) return trj_fail(err, TRJ_USAGE, "argument %zu is empty", position + 1);
        more = length < rest;
        from += length + 1;
    }
    for (size_t i = 0; f->parameter[i].name; i++) {
        if (!o->memory[i] && !f->parameter[i].standard)
            return trj_fail(err, TRJ_USAGE, "argument %zu (%s) is missing", i + 1, f->parameter[i].name);
        o->argument[i].text = o->memory[i] ? o->memory[i] : f->parameter[i].standard;
    }
    return 0;
}

static int divide(struct obs_observable *o, const struct obs_system *s, struct trj_error *err) {
    const struct obs_function *f = o->function;
    if (!o->by_residue || f->residues >= OBS_RESIDUES_LISTED) return 0;
    if (f->residues != OBS_RESIDUES_NEVER) return s->syntax ? 0 : obs_divide(o, s, o->argument->selection, err);
    return trj_fail(err, TRJ_USAGE, "%s %s; compute it without --per residue", f->name,
                    f->why_never ? f->why_never : "has no values for residues");
}

// A name of a file with a comma or a parenthesis is quoted.
static void remove_quotes(char *text) {
    size_t n = strlen(text);
    if (n < 2 || (*text != '\'' && *text != '"') || strchr(text + 1, *text) != text + n - 1) return;
    memmove(text, text + 1, n - 2);
    text[n - 2] = 0;
}

static int open_function(struct obs_observable *o, const struct obs_function *const *functions, struct obs_system *s,
                         struct trj_error *err) {
    size_t length = name_length(o->text), n = strlen(o->text), open = length, bad = SIZE_MAX;
    while (o->text[open] == ' ') open++;
    if (!(o->function = find_function(functions, o->text, length, err))) return -1;
    const struct obs_function *f = o->function;
    if (o->text[open] == '(') {
        if (o->text[n - 1] != ')')
            return trj_fail(err, TRJ_USAGE, "')' is missing at the end; quote the whole expression for the shell");
        span(o->text + open + 1, n - open - 2, '\0', &bad);
        if (bad != SIZE_MAX) return trj_fail(err, TRJ_USAGE, "a parenthesis or quote is not closed");
        if (split_arguments(o, o->text + open + 1, n - open - 2, err)) return -1;
    } else if (open < n) {
        return trj_fail(err, TRJ_USAGE, "'(' is expected after %s", f->name);
    } else if (split_arguments(o, "", 0, err)) {
        return -1;
    }
    for (size_t i = 0; f->parameter[i].name; i++) {
        if (f->parameter[i].kind == OBS_FILE && o->memory[i]) remove_quotes(o->memory[i]);
        if (parse_argument(&o->argument[i], &f->parameter[i], s, err)) return -1;
    }
    o->column = f->column;
    o->columns = f->columns;
    o->formula = f->formula;
    if (f->choose_columns) f->choose_columns(o);
    if (divide(o, s, err)) return -1;
    if (s->syntax) return 0;
    if (f->open && f->open(o, s, err)) return -1;
    return o->division ? obs_division_repeat_columns(o, err) : 0;
}

// Makes the names of columns: "rg(P)", "dipole.x(P)", "cell.a()", "rg(P)[A:LYS12]".
static int name_columns(struct obs_observable *o, struct trj_error *err) {
    const struct obs_division *d = o->division;
    const char *name = o->function->name, *rest = o->text + strlen(name);
    if (o->whole) rest += strcspn(rest, "( ");
    if (!(o->names = trj_alloc(o->columns + 1, sizeof *o->names, "columns", err))) return -1;
    while (*rest == ' ') rest++;
    for (size_t i = 0; i < o->columns; i++) {
        const char *column = o->column[i].name, *label = d ? d->label[i / (o->columns / d->count)] : "";
        size_t size = strlen(name) + strlen(column) + strlen(rest) + strlen(label) + sizeof ".()[]";
        if (!(o->names[i] = trj_alloc(size, 1, "columns", err))) return -1;
        snprintf(o->names[i], size, "%s%s%s%s%s%s%s", name, *column ? "." : "", column, *rest ? rest : "()",
                 d ? "[" : "", label, d ? "]" : "");
    }
    return 0;
}

static int open_expression(struct obs_observable *o, const struct obs_function *const *functions, struct obs_system *s,
                           struct trj_error *err);

// Opens an expression whose name is followed by ".COLUMN": the function computes all columns, and one of them is taken.
static int open_column(struct obs_observable *o, const struct obs_function *const *functions, size_t length,
                       struct obs_system *s, struct trj_error *err) {
    const char *name = o->text + length + 1;
    size_t n = strcspn(name, "( "), rest = strlen(name + n);
    char *text, columns[300];
    if (!(o->whole = trj_alloc(1, sizeof *o->whole, "an expression", err)) ||
        !(text = trj_alloc(length + rest + 1, 1, "an expression", err)))
        return -1;
    memcpy(text, o->text, length);
    memcpy(text + length, name + n, rest);
    o->whole->text = text;
    o->whole->by_residue = o->by_residue;
    if (open_expression(o->whole, functions, s, err)) return -1;
    const struct obs_observable *whole = o->whole;
    const size_t count = whole->columns / obs_residue_count(whole);
    while (o->selected < count &&
           (strlen(whole->column[o->selected].name) != n || memcmp(whole->column[o->selected].name, name, n) != 0))
        o->selected++;
    o->formula = whole->formula;
    o->columns = 1;
    if (o->selected < count && n) {
        o->function = whole->function;
        o->column = &whole->column[o->selected];
        return whole->division ? obs_divide_as(o, whole->division, err) : 0;
    }
    obs_columns_describe(whole->column, count, columns, sizeof columns);
    return trj_fail(err, TRJ_USAGE, "%s has no column '%.*s', but %s", whole->function->name, (int)(n < 40 ? n : 40),
                    name, *whole->column->name ? columns : "one without a name");
}

// Opens o->text.
static int open_expression(struct obs_observable *o, const struct obs_function *const *functions, struct obs_system *s,
                           struct trj_error *err) {
    size_t length = name_length(o->text);
    char form[300] = "";
    if (o->text[length] == '.') return open_column(o, functions, length, s, err) || name_columns(o, err) ? -1 : 0;
    if (!open_function(o, functions, s, err)) return name_columns(o, err);
    if (!o->function || err->status != TRJ_USAGE) return -1;
    obs_function_describe(o->function, form, sizeof form);
    trj_error_append(err, "; the form is %s", form);
    return -1;
}

// Puts the expression before an error. A long one leaves room for the message.
static int fail_at_expression(const struct obs_observable *o, struct trj_error *err) {
    enum { SHOWN = 200 };
    return trj_fail_at(err, "%.*s%s", SHOWN, o->text, strlen(o->text) > SHOWN ? "..." : "");
}

// The text is part of a header line and of column names: white space becomes blanks, and other control characters are
// rejected.
static int clean(char *text, struct trj_error *err) {
    for (size_t i = 0, n; text[i]; i += n) {
        if (isspace((unsigned char)text[i])) text[i] = ' ';
        n = trj_utf8_length(text + i);
        if (!n || trj_utf8_forbidden(text + i))
            return trj_fail(err, TRJ_USAGE, "byte %zu is %s; remove it", i + 1,
                            n ? "a control character" : "no UTF-8 character");
    }
    return 0;
}

static int open_observable(struct obs_observable *o, const struct obs_function *const *functions,
                           const char *expression, bool by_residue, struct obs_system *s, struct trj_error *err) {
    *o = (struct obs_observable){.by_residue = by_residue};
    if (!(o->text = copy_trimmed(expression, strlen(expression), err))) return -1;
    return clean(o->text, err) || open_expression(o, functions, s, err) ? fail_at_expression(o, err) : 0;
}

const struct obs_observable *obs_observable_whole(const struct obs_observable *o) {
    return o->whole ? o->whole : o;
}

int obs_observable_open(struct obs_observable *o, const char *expression, struct obs_system *s, struct trj_error *err) {
    return open_observable(o, obs_functions, expression, false, s, err);
}

int obs_observable_open_in(struct obs_observable *o, const struct obs_function *const *functions,
                           const char *expression, struct obs_system *s, struct trj_error *err) {
    return open_observable(o, functions, expression, false, s, err);
}

int obs_observable_open_divided(struct obs_observable *o, const char *expression, struct obs_system *s,
                                struct trj_error *err) {
    return open_observable(o, obs_functions, expression, true, s, err);
}

void obs_observable_describe_columns(const struct obs_observable *o, char *text, size_t size) {
    obs_columns_describe(o->column, o->columns / obs_residue_count(o), text, size);
    size_t n = strlen(text);
    if (o->division) snprintf(text + n, size - n, ", for each residue");
}

void obs_observable_free(struct obs_observable *o) {
    if (o->function && o->function->close && !o->whole) o->function->close(o);
    if (o->whole) obs_observable_free(o->whole);
    free(o->whole);
    for (size_t i = 0; i < OBS_PARAMETERS_MAX; i++) free(o->memory[i]);
    obs_division_free(o->division);
    trj_text_array_free(o->names);
    free(o->text);
}

int obs_expression_file(char **path, const char *expression, struct trj_error *err) {
    const struct trj_selection_scope scope = {.syntax_only = true, .any_group = true};
    struct obs_system s;
    struct obs_observable o;
    struct trj_error why;
    int rc = 0;
    *path = NULL;
    obs_system_open_syntax(&s, &scope);
    const struct obs_observable *whole =
        obs_observable_open(&o, expression, &s, &why) ? NULL : obs_observable_whole(&o);
    for (size_t i = 0; !rc && whole && whole->function->parameter[i].name; i++) {
        const struct obs_parameter *p = &whole->function->parameter[i];
        const char *text = whole->memory[i];
        if (p->kind == OBS_FILE && text && strcmp(text, p->standard) != 0 && !(*path = trj_copy_text(text, err)))
            rc = -1;
    }
    obs_observable_free(&o);
    obs_system_free(&s);
    return rc;
}

bool obs_observable_uses_first_frame(const struct obs_observable *o) {
    o = obs_observable_whole(o);
    for (size_t i = 0; o->function->parameter[i].name; i++)
        if (o->function->parameter[i].kind == OBS_FILE && !strcmp(o->argument[i].text, OBS_REFERENCE_FIRST))
            return true;
    return false;
}

int obs_observable_begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    if (o->whole) return obs_observable_begin(o->whole, v, err);
    return o->function->begin && o->function->begin(o, v, err) ? fail_at_expression(o, err) : 0;
}

int obs_observable_compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct obs_function *f = o->function;
    const struct obs_argument *a = o->argument;
    if (o->whole) {
        const size_t residues = obs_residue_count(o), each = o->whole->columns / residues;
        double *all = obs_view_scratch(v, o, o->whole->columns * sizeof *all, NULL, err);
        if (!all || obs_observable_compute(o->whole, v, all, err)) return -1;
        for (size_t r = 0; r < residues; r++) value[r] = all[r * each + o->selected];
        return 0;
    }
    if (!f->compute) return 0;
    const bool single = o->division && (f->residues == OBS_RESIDUES_SINGLE || f->residues == OBS_RESIDUES_PAIRED);
    const size_t paired = f->residues == OBS_RESIDUES_PAIRED ? a[1].selection : SIZE_MAX;
    int rc = single ? obs_division_compute(o, v, a->selection, paired, value, err) : f->compute(o, v, value, err);
    return rc ? fail_at_expression(o, err) : 0;
}
