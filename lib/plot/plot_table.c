// SPDX-License-Identifier: MIT
#include "plot_table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "input.h"
#include "memory.h"
#include "number.h"

void plot_table_free(struct plot_table *t) {
    for (size_t i = 0; t->column && i < t->columns; i++) free(t->column[i].of);
    free(t->column);
    free(t->file);
    free(t->lag);
    free(t->values);
    free(t->name);
    free(t->names);
    *t = (struct plot_table){0};
}

static bool has_edges(const struct plot_table *t) {
    return t->columns > 2 && !strcmp(t->name[0], "r_lo") && !strcmp(t->name[1], "r_hi");
}

double plot_table_x(const struct plot_table *t, size_t row) {
    const double *v = t->values + row * t->columns;
    return has_edges(t) ? (v[0] + v[1]) / 2 : v[t->x];
}

double plot_table_half_width(const struct plot_table *t, size_t row) {
    if (t->rows < 2) return 0;
    if (row + 1 == t->rows) row--;
    return (plot_table_x(t, row + 1) - plot_table_x(t, row)) / 2;
}

// Splits the comment "# r<TAB>g(A:B)<TAB>n(A:B)" into the names of the columns.
static int split_names(struct plot_table *t, const char *line, struct trj_error *err) {
    free(t->names);
    free(t->name);
    t->name = NULL;
    t->columns = 1;
    if (!(t->names = trj_copy_text(line + 1 + (line[1] == ' '), err))) return -1;
    for (const char *p = t->names; (p = strchr(p, '\t')); p++) t->columns++;
    if (!(t->name = trj_alloc(t->columns, sizeof *t->name, "names of columns", err))) return -1;
    char *p = t->names;
    for (size_t i = 0; i < t->columns; i++) {
        t->name[i] = p;
        p += strcspn(p, "\t");
        if (*p) *p++ = 0;
    }
    return 0;
}

// Quantities are nan, inf or -inf where they are undefined. These values become gaps in the curve.
static bool parse(const char *word, double *value) {
    static const char *const gaps[] = {"nan", "-nan", "inf", "-inf"};
    *value = NAN;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (!strcmp(word, gaps[i])) return true;
    return trj_parse_real(word, value);
}

static const double largest = 1e100; // its square and sums of such numbers are finite

static int read_row(struct plot_table *t, char *line, size_t number, struct trj_error *err) {
    size_t n = 0;
    double *row;
    if (t->rows > SIZE_MAX / t->columns - 1) return trj_fail_memory(err, (double)t->rows, "a table");
    if (trj_grow(&t->values, &t->room, (t->rows + 1) * t->columns, sizeof *t->values, "a table", err)) return -1;
    row = t->values + t->rows * t->columns;
    for (char *p = line; p; n++) {
        char *next = strchr(p, '\t');
        double value;
        if (next) *next++ = 0;
        if (!parse(p, &value)) return trj_fail(err, TRJ_BAD_DATA, "line %zu: '%.40s' is not a number", number, p);
        if (fabs(value) > largest)
            return trj_fail(err, TRJ_BAD_DATA, "line %zu: '%.40s' is too large to draw", number, p);
        if (n < t->columns) row[n] = value;
        p = next;
    }
    if (n != t->columns)
        return trj_fail(err, TRJ_BAD_DATA, "line %zu: %zu columns where %zu are named", number, n, t->columns);
    if (!t->rows && t->columns > 2 && !strcmp(t->name[0], "frame") && !strcmp(t->name[1], "time") && isfinite(row[1])) {
        t->x = 1;
        t->axis = plot_axis_find(t->name[1]);
    }
    if (!isfinite(row[t->x]) || (has_edges(t) && !isfinite(row[1])))
        return trj_fail(err, TRJ_BAD_DATA, "line %zu: no finite %s", number, t->name[t->x]);
    t->rows++;
    if (t->rows > 1 && !(plot_table_x(t, t->rows - 1) > plot_table_x(t, t->rows - 2)))
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %zu: %s is not above that of the row before; if these are several tables, plot each of "
                        "them from its own file",
                        number, t->name[t->x]);
    return 0;
}

// Reads the comment "# lag: 20 frames, 2 ps; distinct part": the time if there is one, else the number of frames.
static int read_lag(struct plot_table *t, const char *text, struct trj_error *err) {
    size_t n = strcspn(text, ";"), frames = strcspn(text, ",");
    if (frames + 2 < n) text += frames + 2, n -= frames + 2;
    free(t->lag);
    if (!(t->lag = trj_copy_text(text, err))) return -1;
    t->lag[n] = 0;
    return 0;
}

// Reads the comment "# not resolved: q < 0.25 1/Angstrom; ...".
static int read_resolution_limit(struct plot_table *t, const char *text, size_t number, struct trj_error *err) {
    char word[32];
    size_t n = strcspn(text, " ");
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, text);
    if (trj_parse_real(word, &t->resolved_from) && t->resolved_from > 0) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "line %zu: 'not resolved: q < %.40s': expected a number above 0", number, text);
}

static int read_rows(struct plot_table *t, struct trj_bytes *provenance, struct trj_input *in, struct trj_error *err) {
    static const char mark[] = "# provenance: ", shells[] = "# pair\tshell\t",
                      lag[] = "# lag: ", columns[] = "# columns: ", limit[] = "# not resolved: q < ";
    char *line;
    size_t length;
    int rc;
    for (size_t number = 1; (rc = trj_input_line(in, &line, &length, err)) > 0; number++) {
        if (strlen(line) != length)
            return trj_fail(err, TRJ_BAD_DATA, "line %zu: contains a NUL byte, so it is not a table", number);
        if (!strncmp(line, TRJ_FAILURE_MARK, strlen(TRJ_FAILURE_MARK))) return trj_failure_read_line(line, in, err);
        if (line[0] == '#') {
            if (t->rows) continue;
            if (!strncmp(line, mark, strlen(mark))) {
                trj_put_raw(provenance, line + strlen(mark), length - strlen(mark));
                trj_put_raw(provenance, "\n", 1);
            }
            if (strstr(line, "Faber and Ziman")) t->faber_ziman = true;
            if (!strncmp(line, columns, strlen(columns))) {
                t->edges_known = true;
                t->edges = strncmp(line + strlen(columns), "upper edge", strlen("upper edge")) == 0;
            }
            if (!strncmp(line, lag, strlen(lag)) && read_lag(t, line + strlen(lag), err)) return -1;
            if (!strncmp(line, limit, strlen(limit)) && read_resolution_limit(t, line + strlen(limit), number, err))
                return -1;
            if (!strncmp(line, shells, strlen(shells)))
                return trj_fail(err, TRJ_BAD_DATA,
                                "line %zu: rows are shells of neighbours, not points of a curve; draw another quantity",
                                number);
            if (split_names(t, line, err)) return -1;
            continue;
        }
        if (!t->rows && (t->columns < 2 || !(t->axis = plot_axis_find(t->name[0]))))
            return trj_fail(err, TRJ_BAD_DATA,
                            "line %zu: no line of column names before it that begins with r, r_lo, q, x, y, z, frame, "
                            "time or s; give a table of rdfnorm, rdfderive, mapmath or mapcc",
                            number);
        if (read_row(t, line, number, err)) return -1;
    }
    if (rc < 0) return -1;
    return t->rows ? 0 : trj_fail(err, TRJ_BAD_DATA, "contains no rows");
}

// Returns whether `name` is the column of standard errors that follows the column `of`: se(A:B) after g(A:B), se_S(A:B)
// after S(A:B).
static bool is_error(const char *name, const char *of) {
    size_t n = strcspn(of, "(");
    if (strncmp(name, "se", 2) != 0) return false;
    if (!strcmp(name + 2, of + n)) return true;
    return name[2] == '_' && !strcmp(name + 3, of);
}

static int name_columns(struct plot_table *t, struct trj_error *err) {
    if (!(t->column = trj_alloc(t->columns, sizeof *t->column, "columns", err))) return -1;
    for (size_t i = 1; i < t->columns; i++) {
        struct plot_column *c = &t->column[i];
        const char *of;
        size_t length;
        const struct plot_quantity *q = plot_quantity_find(t->name[i], &of, &length);
        if (!q) continue;
        if (!(c->of = trj_copy_text(of, err))) return -1;
        c->of[length] = 0;
        c->quantity = q;
        if (i + 1 < t->columns && is_error(t->name[i + 1], t->name[i])) c->error = i + 1;
        if (!t->quantity) t->quantity = q;
    }
    if (!t->quantity)
        return trj_fail(err, TRJ_BAD_DATA, "unknown column '%.40s': expected one like g(A:B) or S(A:B)", t->name[1]);
    if (!t->edges_known) t->edges = t->quantity->cumulative;
    return 0;
}

int plot_table_read(struct plot_table *t, struct trj_bytes *provenance, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = (t->file = trj_copy_text(trj_input_name(in), err)) ? read_rows(t, provenance, in, err) : -1;
    trj_input_close(in);
    if (!rc) rc = name_columns(t, err);
    if (rc) trj_error_set_remedy(err, "create the table again with rdfnorm or rdfderive");
    return rc && t->file ? trj_fail_at(err, "%s", t->file) : rc;
}
