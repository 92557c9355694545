// SPDX-License-Identifier: MIT
// Detects the columns and the function of a measured curve from its text, because these files have no common standard.
#include "measured_curve.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "number.h"
#include "table_reader.h"
#include "table_writer.h"

void trj_measured_free(struct trj_measured_curve *c) {
    free(c->name);
    free(c->x);
    free(c->y);
    free(c->error);
    *c = (struct trj_measured_curve){.kind = TRJ_CURVE_OTHER};
}

static const struct {
    const char *ending;
    enum trj_curve_kind kind;
    bool of_q;
} endings[] = {
    {".gr", TRJ_CURVE_PDF, false},      {".sq", TRJ_CURVE_S, true},          {".fq", TRJ_CURVE_QI, true},
    {".iq", TRJ_CURVE_INTENSITY, true}, {".int", TRJ_CURVE_INTENSITY, true}, {".chi", TRJ_CURVE_INTENSITY, true},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static size_t ending_of(const struct trj_input *in) {
    size_t i = 0;
    while (i < ENDINGS && !trj_input_ends_in(in, endings[i].ending)) i++;
    return i;
}

// Returns whether a line is "#### start data".
static bool starts_data(const char *line) {
    size_t marks = strspn(line, "#");
    return marks && !strncmp(line + marks, " start data", strlen(" start data"));
}

bool trj_measured_is(const unsigned char *head, size_t n, const struct trj_input *in) {
    bool tabs = false;
    for (size_t i = 0; i < n;) {
        const unsigned char *line = head + i, *end = memchr(line, '\n', n - i);
        size_t length = end ? (size_t)(end - line) : n - i;
        char start[32] = {0};
        memcpy(start, line, length < sizeof start ? length : sizeof start - 1);
        if (starts_data(start) || !strncmp(start, "#L ", 3) || !strncmp(start, "[DEFAULT]", 9)) return true;
        if (start[0] == '#') tabs = memchr(line, '\t', length) != NULL;
        if (start[0] != '#' && length) break;
        i += length + 1;
    }
    return !tabs && ending_of(in) < ENDINGS; // rdfnorm and rdfderive separate names by tabs
}

// ---- lines

static bool is_separator(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

enum { MAX_FIELDS = 4096 };

// Reads the numbers of a line into fields[MAX_FIELDS]. Returns how many there are; 0 if the line is empty or contains
// another word.
static size_t read_fields(const char *line, double *fields) {
    size_t n = 0;
    for (const char *p = line;; n++) {
        while (is_separator(*p)) p++;
        if (!*p) return n;
        if (n == MAX_FIELDS) return 0;
        const char *end = trj_scan_real(p, &fields[n]), *word = p + strspn(p, "+-");
        if (!end && (!strncasecmp(word, "nan", 3) || !strncasecmp(word, "inf", 3))) {
            fields[n] = NAN;
            end = word + 3;
        }
        if (!end || (*end && !is_separator(*end))) return 0;
        p = end;
    }
}

// Copies the k-th word of a text to `word`; "" if there is none.
static void copy_word(const char *text, size_t k, char word[64]) {
    size_t length = 0;
    for (;; k--) {
        while (is_separator(*text)) text++;
        const char *start = text;
        while (*text && !is_separator(*text)) text++;
        length = (size_t)(text - start);
        if (k && length) continue;
        if (length > 63) length = 63;
        memcpy(word, start, length);
        word[length] = 0;
        return;
    }
}

static bool contains(const char *text, const char *word) {
    for (size_t n = strlen(word); *text; text++)
        if (!strncasecmp(text, word, n)) return true;
    return false;
}

// What the lines before the rows contain.
struct heading {
    char *names, *title; // the line with the names of columns; the line after the number of rows
    bool spec;           // names are from a line "#L"
    double declared;     // number of rows; NaN: none
    const char *probe;
};

static int read_heading_line(struct heading *h, const char *line, struct trj_error *err) {
    bool names = !strncmp(line, "#L ", 3), comment = line[0] == '#';
    // Lines of provenance contain command lines, which may name other probes.
    if (!h->probe && !trj_table_after(line, TRJ_PROVENANCE_MARK))
        h->probe = contains(line, "x-ray") || contains(line, "xray") || contains(line, "PDFgetX") ? "xray"
                   : contains(line, "neutron") || contains(line, "PDFgetN")                       ? "neutron"
                   : contains(line, "electron")                                                   ? "electron"
                                                                                                  : NULL;
    if (comment && (names || !h->spec) && !starts_data(line) && strncmp(line, "#S ", 3) != 0) {
        free(h->names);
        h->spec = names;
        if (!(h->names = trj_copy_text(line + (names ? 2 : 1), err))) return -1;
    } else if (!comment && !isnan(h->declared) && !h->title && *line) {
        if (!(h->title = trj_copy_text(line, err))) return -1;
    }
    return 0;
}

// ---- names

// Returns the function that the name of a column gives.
static enum trj_curve_kind kind_of(const char *name, bool of_q) {
    size_t n = strcspn(name, "(");
    const struct {
        const char *name;
        enum trj_curve_kind kind;
        bool of_q;
    } kinds[] = {{"G", TRJ_CURVE_PDF, false},
                 {"pdf", TRJ_CURVE_PDF, false},
                 {"g", TRJ_CURVE_G, false},
                 {"D", TRJ_CURVE_D, false},
                 {"T", TRJ_CURVE_T, false},
                 {"RDF", TRJ_CURVE_RDF, false},
                 {"S", TRJ_CURVE_S, true},
                 {"F", TRJ_CURVE_QI, true},
                 {"Fq", TRJ_CURVE_QI, true},
                 {"I", TRJ_CURVE_INTENSITY, true},
                 {"Intensity", TRJ_CURVE_INTENSITY, true}};
    static const char *const probes[] = {"(number)", "(neutron)", "(xray)", "(electron)"};
    bool total = false;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) total = total || !strcmp(name + n, probes[i]);
    // S(A:B) of a pair of groups, and G(total) of Keen, are other functions.
    if (strchr(name, ':') || (total && !strncmp(name, "G(", 2))) return TRJ_CURVE_OTHER;
    if (total && !strncmp(name, "F(", 2)) return TRJ_CURVE_F;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == n && !strncmp(name, kinds[i].name, n) && kinds[i].of_q == of_q)
            return kinds[i].kind;
    return TRJ_CURVE_OTHER;
}

static const char *probe_of(const char *name, const char *of_heading) {
    if (contains(name, "(xray)")) return "xray";
    if (contains(name, "(electron)")) return "electron";
    return contains(name, "(neutron)") ? "neutron" : of_heading;
}

// Sets kind and axis from the names, else from the title, else from the ending of the file.
static int name_columns(struct trj_measured_curve *c, const struct heading *h, const struct trj_input *in,
                        struct trj_error *err) {
    char x[64] = "", y[64] = "", word[64] = "?";
    size_t ending = ending_of(in);
    if (h->names && (h->spec || isnan(h->declared))) {
        copy_word(h->names, 0, x);
        copy_word(h->names, 1, y);
    }
    for (size_t k = 0; h->title && *word; k++) { // "rmc G(r) # title"
        copy_word(h->title, k, word);
        if (contains(word, "(r)") || contains(word, "(q)")) {
            memcpy(y, word, sizeof y);
            break;
        }
    }
    char axis = (char)tolower((unsigned char)x[0]);
    if ((axis == 'q' || axis == 'r') && contains(x, "nm"))
        return trj_fail(err, TRJ_BAD_DATA, "the first column, '%s', is in nm; convert it to Angstrom", x);
    if (contains(x, "theta"))
        return trj_fail(err, TRJ_BAD_DATA, "the first column, '%s', is an angle; convert it to q in 1/Angstrom", x);
    bool word_like = isalpha((unsigned char)x[1]) != 0; // a word of a sentence, not q, Q(A^-1), r or r(A)
    if ((axis == 'q' || axis == 'r') && !word_like)
        c->of_q = axis == 'q';
    else if (contains(y, "(q)") || contains(y, "(r)"))
        c->of_q = contains(y, "(q)");
    else if (ending < ENDINGS)
        c->of_q = endings[ending].of_q, y[0] = 0;
    else
        return trj_fail(
            err, TRJ_BAD_DATA,
            "unclear whether the first column is r or q; name the columns in a line before the rows, such as "
            "'# r f', '#L r(A) G(A^-2)' or '#L Q(A^-1) S(Q)'");
    c->kind = kind_of(y, c->of_q);
    if (!isnan(h->declared) && h->title && (c->kind == TRJ_CURVE_PDF || c->kind == TRJ_CURVE_QI))
        c->kind = TRJ_CURVE_OTHER; // G(r) and F(q) of RMCProfile are others
    if (!y[0] && ending < ENDINGS && isnan(h->declared) && c->of_q == endings[ending].of_q)
        c->kind = endings[ending].kind;
    c->probe = probe_of(y, h->probe);
    return (c->name = trj_copy_text(y, err)) ? 0 : -1;
}

// Returns the column of standard errors of the second column; 0 if there is none. Columns are x, y, error or x, y,
// error of x, error of y; tables of rdfnorm and rdfderive name it.
static size_t error_column(const struct heading *h, size_t columns) {
    char word[64], y[64];
    if (h->names && strchr(h->names, '\t')) {
        copy_word(h->names, 1, y);
        copy_word(h->names, 2, word);
        return columns > 2 && !strncmp(word, "se", 2) && strchr(word, '(') ? 2 : 0;
    }
    return columns == 3 ? 2 : columns == 4 ? 3 : 0;
}

// ---- rows

static int add_row(struct trj_measured_curve *c, const double *fields, size_t error, struct trj_error *err) {
    size_t n = c->rows;
    if (trj_grow(&c->x, &c->x_capacity, n + 1, sizeof *c->x, "a curve", err) ||
        trj_grow(&c->y, &c->y_capacity, n + 1, sizeof *c->y, "a curve", err) ||
        (error && trj_grow(&c->error, &c->error_capacity, n + 1, sizeof *c->error, "a curve", err)))
        return -1;
    if (!isfinite(fields[0]) || fabs(fields[0]) > 1e100 || fabs(fields[1]) > 1e100)
        return trj_fail(err, TRJ_BAD_DATA, "a number of the row is not finite or above 1e100");
    if (n && !(fields[0] > c->x[n - 1]))
        return trj_fail(err, TRJ_BAD_DATA,
                        "%g is not above the first column of the previous row, %g; if these are several curves, put "
                        "each into its own file",
                        fields[0], c->x[n - 1]);
    c->x[n] = fields[0];
    c->y[n] = fields[1];
    if (error) c->error[n] = fields[error];
    c->rows++;
    return 0;
}

// Errors are those of a measurement only if all of them are above 0; programs write 0 for unknown ones.
static void drop_unknown_errors(struct trj_measured_curve *c) {
    for (size_t i = 0; c->error && i < c->rows; i++) {
        if (c->error[i] > 0 && c->error[i] < 1e100) continue;
        free(c->error);
        c->error = NULL;
    }
}

static int read_lines(struct trj_measured_curve *c, struct heading *h, double *fields, struct trj_input *in,
                      struct trj_error *err) {
    struct trj_lines l = {.in = in};
    size_t columns = 0, error = 0;
    int rc;
    while ((rc = trj_table_next_line(&l, err)) > 0) {
        const char *line = l.text;
        size_t n = line[0] == '#' ? 0 : read_fields(line, fields);
        if (columns && (line[0] == '#' || !line[strspn(line, " \t\r")])) continue;
        if (!columns && n == 1 && isnan(h->declared) && fields[0] >= 1 && fields[0] < 1e9) {
            h->declared = fields[0];
        } else if (!columns && n < 2) {
            const char *blocks = curve_error_blocks_comment(line, &(const char *){NULL}, &(size_t){0});
            if (blocks) c->error_blocks = curve_error_blocks_read(blocks);
            if (read_heading_line(h, line, err)) return -1;
        } else {
            if (!columns) error = error_column(h, columns = n);
            if (!n) return trj_lines_fail(&l, err, "'%.40s' is not a row of numbers", line);
            if (n != columns) return trj_lines_fail(&l, err, "%zu numbers, but the first row has %zu", n, columns);
            if (!trj_lines_has_newline(&l))
                return trj_lines_fail(&l, err,
                                      "may be truncated: the last row has no newline; if it is complete, add one");
            if (add_row(c, fields, error, err)) return trj_fail_at(err, "line %llu", (unsigned long long)l.number);
        }
    }
    if (rc < 0) return -1;
    if (c->rows < 2) return trj_fail(err, TRJ_BAD_DATA, "contains %zu rows of numbers, expected at least 2", c->rows);
    if (!isnan(h->declared) && h->declared != (double)c->rows)
        return trj_fail(err, TRJ_BAD_DATA, "line 1 gives %.10g rows, found %zu: truncated or damaged", h->declared,
                        c->rows);
    return 0;
}

int trj_measured_read(struct trj_measured_curve *c, struct trj_input *in, struct trj_error *err) {
    struct heading h = {.declared = NAN};
    double *fields = trj_alloc(MAX_FIELDS, sizeof *fields, "a row", err);
    *c = (struct trj_measured_curve){.kind = TRJ_CURVE_OTHER, .error_blocks = curve_error_blocks_exact};
    int rc = fields ? read_lines(c, &h, fields, in, err) : -1;
    if (!rc) rc = name_columns(c, &h, in, err);
    if (!rc) drop_unknown_errors(c);
    free(fields);
    free(h.names);
    free(h.title);
    return rc;
}
