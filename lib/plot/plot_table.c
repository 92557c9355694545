// SPDX-License-Identifier: MIT
// Reads tables of all tools and measured curves, and recognises columns by name, because users cut and join tables.
#include "plot_table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "measured_curve.h"
#include "memory.h"
#include "number.h"
#include "pair_table.h"
#include "part_table.h"
#include "plot_bins.h"
#include "running_table.h"
#include "table_reader.h"
#include "table_writer.h"

void plot_table_free(struct plot_table *t) {
    for (size_t i = 0; t->column && i < t->columns; i++) {
        free(t->column[i].pair);
        free(t->column[i].residue);
        free(t->column[i].own);
    }
    for (size_t i = 0; i < t->error_comments; i++) free(t->error_comment[i].curve);
    for (size_t i = 0; i < t->bin_axes; i++) {
        curve_bin_axis_free(&t->bins[i].axis);
        free(t->bins[i].label);
    }
    plot_correlation_comments_free(&t->correlation);
    free(t->density_unit);
    free(t->error_comment);
    free(t->column);
    free(t->file);
    free(t->lag);
    free(t->segment);
    free(t->values);
    free(t->name);
    free(t->names);
    *t = (struct plot_table){0};
}

static bool has_edges(const struct plot_table *t) {
    return !t->map && t->columns > 2 && !strcmp(t->name[0], "r_lo") && !strcmp(t->name[1], "r_hi");
}

double plot_table_x(const struct plot_table *t, size_t row) {
    const double *v = t->values + row * t->columns;
    return has_edges(t) ? (v[0] + v[1]) / 2 : v[t->x];
}

const struct plot_bins *plot_table_bins(const struct plot_table *t, size_t column) {
    for (size_t i = 0; i < t->bin_axes; i++)
        if (!strcmp(t->bins[i].axis.column, t->name[column])) return &t->bins[i];
    return NULL;
}

bool plot_table_column_is(const struct plot_table *t, size_t column, const char *pair) {
    return (t->column[column].pair && !strcmp(pair, t->column[column].pair)) || !strcmp(pair, t->name[column]);
}

bool plot_bins_are_degrees(const struct plot_bins *b) {
    return b && !strcmp(b->axis.unit, "degrees");
}

double plot_table_half_bin_width(const struct plot_table *t, size_t row) {
    const double *v = t->values + row * t->columns;
    if (has_edges(t)) return (v[1] - v[0]) / 2;
    if (t->rows < 2) return 0;
    if (row + 1 == t->rows) row--;
    return (plot_table_x(t, row + 1) - plot_table_x(t, row)) / 2;
}

// Splits the comment "# r<TAB>g(A:B)<TAB>n(A:B)" into the names of the columns.
static int split_names(struct plot_table *t, const char *line, struct trj_error *err) {
    free(t->names);
    free(t->name);
    t->name = NULL;
    if (!(t->names = trj_copy_text(line + 1 + (line[1] == ' '), err))) return -1;
    return trj_table_split(t->names, &t->name, &t->columns, err);
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

// Checks that the last row may follow the previous one.
static int check_order(const struct plot_table *t, const struct trj_lines *l, struct trj_error *err) {
    const double *v = t->values + (t->rows - 1) * t->columns, *before = v - t->columns;
    double x = plot_table_x(t, t->rows - 1), last = plot_table_x(t, t->rows - 2);
    double slow = v[t->slow], slow_before = before[t->slow];
    if (t->map ? slow > slow_before || (slow == slow_before && x > last) : x > last) return 0;
    return trj_lines_fail(
        l, err,
        "%s is not above that of the previous row; if these are several tables, plot each of them from its "
        "own file%s",
        t->name[t->x], t->map ? "" : ", and if they are rows of a map, add --map");
}

static int read_row(struct plot_table *t, const struct trj_lines *l, struct trj_error *err) {
    size_t n = 0;
    double *row;
    if (t->rows > SIZE_MAX / t->columns - 1) return trj_fail_memory(err, (double)t->rows, "a table");
    if (trj_grow(&t->values, &t->capacity, (t->rows + 1) * t->columns, sizeof *t->values, "a table", err)) return -1;
    row = t->values + t->rows * t->columns;
    for (char *p = l->text; p; n++) {
        char *next = strchr(p, '\t');
        double value;
        if (next) *next++ = 0;
        bool is_text = (t->pairs || t->parts) && n < t->columns && plot_part_table_is_text(t->name[n]);
        if (is_text && !strncmp(t->name[n], "segid", strlen("segid")) && plot_part_table_add_segment(t, p, err))
            return -1;
        if (!parse(p, &value) && !is_text) return trj_lines_fail(l, err, "'%.40s' is not a number", p);
        if (fabs(value) > largest) return trj_lines_fail(l, err, "'%.40s' is too large to draw", p);
        if (n < t->columns) row[n] = value;
        p = next;
    }
    if (n != t->columns) return trj_lines_fail(l, err, "%zu columns where %zu are named", n, t->columns);
    const bool timed =
        t->columns > 2 && !strcmp(t->name[1], "time") && (!strcmp(t->name[0], "frame") || !strcmp(t->name[0], "lag"));
    if (!t->rows && timed && isfinite(row[1])) {
        t->x = 1;
        t->axis = plot_axis_find(t->name[1]);
    }
    if (t->map && !isfinite(row[t->slow])) return trj_lines_fail(l, err, "no finite %s", t->name[t->slow]);
    if ((!t->pairs && !isfinite(row[t->x])) || (has_edges(t) && !isfinite(row[1])))
        return trj_lines_fail(l, err, "no finite %s", t->name[t->x]);
    t->rows++;
    return t->rows > 1 && !t->pairs ? check_order(t, l, err) : 0;
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
static int read_resolution_limit(struct plot_table *t, const char *text, const struct trj_lines *l,
                                 struct trj_error *err) {
    char word[32];
    size_t n = strcspn(text, " ");
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, text);
    if (trj_parse_real(word, &t->resolved_from) && t->resolved_from > 0) return 0;
    return trj_lines_fail(l, err, "'not resolved: q < %.40s': expected a number above 0", text);
}

// Reads the comment on the bins of a histogram along an axis.
static int read_bins(struct plot_table *t, const struct trj_lines *l, struct trj_error *err) {
    struct plot_bins b = {.label = NULL};
    int got = curve_bin_axis_read(&b.axis, l->text, err), rc = got < 0 ? -1 : 0;
    if (got > 0 && t->bin_axes == sizeof t->bins / sizeof *t->bins)
        rc = trj_fail(err, TRJ_BAD_DATA, "more than two axes");
    if (got > 0 && !rc && !(b.label = plot_bins_label(&b.axis, err))) rc = -1;
    if (got > 0 && !rc) {
        t->bins[t->bin_axes++] = b;
        free(t->density_unit);
        return (t->density_unit = plot_density_unit(t->bins, t->bin_axes, err)) ? 0 : -1;
    }
    curve_bin_axis_free(&b.axis);
    free(b.label);
    return rc ? trj_fail_at(err, "line %llu", (unsigned long long)l->number) : 0;
}

// Reads a comment on the blocks of errors.
static int read_error_comment(struct plot_table *t, const char *line, struct trj_error *err) {
    const char *name, *text;
    size_t length;
    if (!(text = curve_error_blocks_comment(line, &name, &length))) return 0;
    if (trj_grow(&t->error_comment, &t->error_comment_capacity, t->error_comments + 1, sizeof *t->error_comment,
                 "comments", err))
        return -1;
    struct plot_error_comment *c = &t->error_comment[t->error_comments++];
    *c = (struct plot_error_comment){.blocks = curve_error_blocks_read(text)};
    if (!length) return 0;
    if (!(c->curve = trj_copy_text(name, err))) return -1;
    c->curve[length] = 0;
    return 0;
}

// Reads a comment before the rows.
static int read_comment(struct plot_table *t, struct trj_bytes *provenance, const struct trj_lines *l,
                        struct trj_error *err) {
    const char *line = l->text, *text;
    if ((text = trj_table_after(line, TRJ_PROVENANCE_MARK))) {
        trj_put_raw(provenance, text, strlen(text));
        trj_put_raw(provenance, "\n", 1);
    }
    if (strstr(line, "Faber and Ziman")) t->faber_ziman = true;
    if (strstr(line, "each pair is listed once")) t->symmetric = true;
    if ((text = trj_table_after(line, "# columns: "))) {
        t->edges_known = true;
        t->edges = trj_table_after(text, "upper edge") != NULL;
    }
    if ((text = trj_table_after(line, "# lag: ")) && read_lag(t, text, err)) return -1;
    if ((text = trj_table_after(line, "# not resolved: q < ")) && read_resolution_limit(t, text, l, err)) return -1;
    if (read_error_comment(t, line, err) || read_bins(t, l, err)) return -1;
    if (plot_correlation_comments_add(&t->correlation, line, err)) return -1;
    if (trj_table_after(line, "# expression\tquantity\t"))
        return trj_lines_fail(l, err,
                              "rows are results, as of trjcorr --summary, not points of a curve; omit --summary");
    if (trj_table_after(line, "# pair\tshell\t"))
        return trj_lines_fail(l, err, "rows are shells of neighbours, not points of a curve; draw another quantity");
    return split_names(t, line, err);
}

// Returns the label of the axis of a column, or NULL.
static const char *find_axis(const struct plot_table *t, size_t column) {
    const struct plot_bins *b = plot_table_bins(t, column);
    return b ? b->label : plot_axis_find(t->name[column]);
}

// Sets the axes from the names of columns, at the first row. The static analyzer does not know what trj_lines_fail
// returns, and takes t->columns to be 0 after a failure, unless -1 is returned here.
static int find_axes(struct plot_table *t, const struct trj_lines *l, struct trj_error *err) {
    t->parts = !t->map && t->columns >= 2 && plot_part_table_is(t);
    if (t->parts) {
        t->axis = plot_part_table_axis(t);
        return 0;
    }
    if (!t->map) {
        if (t->columns >= 2 && (t->axis = find_axis(t, 0))) return 0;
        trj_lines_fail(l, err,
                       "no line of column names before it that begins with r, r_lo, q, x, y, z, frame, time, bin, "
                       "s, lag or wavenumber; give a table of rdfnorm, rdfderive, trjstat, trjcorr, mapmath or mapcc");
        return -1;
    }
    t->pairs = t->columns >= 3 && plot_pair_table_is(t); // the static analyzer requires the number here
    if (t->pairs) {
        t->x = 1;
        t->slow_axis = t->axis = plot_axis_find(t->name[0]);
        return 0;
    }
    t->x = !(t->columns > 2 && plot_table_bins(t, 0) && plot_table_bins(t, 1)); // in histograms, x is the fast one
    t->slow = !t->x;
    if (t->columns >= 3 && (t->slow_axis = find_axis(t, t->slow)) && (t->axis = find_axis(t, t->x))) return 0;
    trj_lines_fail(
        l, err,
        "a map has two coordinates in its first columns, such as time and r; give a table of rdfnorm --each, of "
        "counts with an angle, a window, several lags or triplets, or of trjstat --hist2d");
    return -1;
}

enum series { SINGLE_TABLE, FIRST_TABLE, LATER_TABLE };

// Reads up to the end of the input or, in a series of tables, up to an empty line after the rows. In a series of two or
// more tables, a table without the empty line is truncated.
static int read_rows(struct plot_table *t, struct trj_bytes *provenance, struct trj_input *in, enum series series,
                     struct trj_error *err) {
    struct trj_lines l = {.in = in};
    int rc;
    while ((rc = trj_table_next_line(&l, err)) > 0) {
        if (series != SINGLE_TABLE && !l.length) break;
        if (!l.length && t->rows)
            return trj_lines_fail(&l, err,
                                  "is empty; if more tables follow, such as those of rdfnorm --follow, add --follow");
        if (l.text[0] == '#') {
            if (!t->rows && read_comment(t, provenance, &l, err)) return -1;
            continue;
        }
        if (!t->rows && find_axes(t, &l, err)) return -1;
        if (read_row(t, &l, err)) return -1;
    }
    if (rc < 0) return -1;
    if (!rc && series == LATER_TABLE)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the last table has no empty line at its end: truncated after %zu rows; see the messages of "
                        "the program that writes it",
                        t->rows);
    return t->rows && t->name ? 0 : trj_fail(err, TRJ_BAD_DATA, "contains no rows");
}

// Returns whether `name` is the column of standard errors that follows the column `group_pair`: se(A:B) after g(A:B),
// se_S(A:B) after S(A:B).
static bool is_error(const char *name, const char *group_pair) {
    size_t n = strcspn(group_pair, "(");
    if (strncmp(name, "se", 2) != 0) return false;
    if (!strcmp(name + 2, group_pair + n)) return true;
    return name[2] == '_' && !strcmp(name + 3, group_pair);
}

// Sets the residue of a column, and adds it to the pair: "P[A:LYS12]".
static int name_residue(struct plot_column *c, const char *name, struct trj_error *err) {
    const char *residue = plot_residue_find(name);
    if (!residue) return 0;
    size_t size = strlen(c->pair) + strlen(residue) + sizeof "[";
    char *pair = trj_alloc(size, 1, "columns", err);
    if (!pair || !(c->residue = trj_copy_text(residue, err))) {
        free(pair);
        return -1;
    }
    snprintf(pair, size, "%s[%s", c->pair, residue);
    free(c->pair);
    c->pair = pair;
    c->residue[strlen(residue) - 1] = 0;
    return 0;
}

// Replaces the quantity of a column by a copy with the unit of the table, and with the text of "*" in its pattern as
// label.
static int own_quantity(struct plot_table *t, size_t column, struct trj_error *err) {
    struct plot_column *c = &t->column[column];
    const char *unit = plot_correlation_unit(&t->correlation, t->name[column]),
               *star = strchr(c->quantity->column, '*');
    if (unit && !strncmp(unit, "1 ", 2)) unit += 2; // of the spectrum of a pure number
    if (!(c->own = trj_alloc(1, sizeof *c->own, "columns", err))) return -1;
    c->own->quantity = *c->quantity;
    plot_unit_print(c->own->unit, unit ? unit : "");
    trj_replace_control_chars(c->own->unit); // a long unit may end within a character
    c->own->quantity.unit = c->own->unit;
    if (star) {
        const size_t before = (size_t)(star - c->quantity->column), all = strcspn(t->name[column], "(");
        snprintf(c->own->label, sizeof c->own->label, "%.*s", (int)(all - before - strlen(star + 1)),
                 t->name[column] + before);
        trj_replace_control_chars(c->own->label); // a long label may end within a character
        c->own->quantity.label = c->own->label;
    }
    c->quantity = &c->own->quantity;
    return 0;
}

// Recognises tables of trjcorr, and the lags that few windows support.
static void find_few_windows(struct plot_table *t) {
    enum { WINDOWS = 2, FEW = 10 };
    const bool lags = t->columns > WINDOWS + 1 && !strcmp(t->name[0], "lag") && !strcmp(t->name[WINDOWS], "windows");
    t->correlations = lags || !strcmp(t->name[0], "wavenumber");
    for (size_t i = 1; lags && i < t->rows && t->few_from == 0; i++)
        if (t->values[i * t->columns + WINDOWS] < FEW) t->few_from = plot_table_x(t, i);
}

static int name_columns(struct plot_table *t, struct trj_error *err) {
    if (t->running && plot_running_table_fill(t, err)) return -1;
    find_few_windows(t);
    if (t->pairs && plot_pair_table_fill(t, t->symmetric, err)) return -1;
    if (t->parts) plot_part_table_fill(t);
    if (!(t->column = trj_alloc(t->columns, sizeof *t->column, "columns", err))) return -1;
    for (size_t i = 1 + t->map; i < t->columns; i++) {
        struct plot_column *c = &t->column[i];
        const char *group_pair;
        size_t length;
        const struct plot_quantity *q = plot_quantity_find(t->name[i], &group_pair, &length);
        if (!q) continue;
        if (!(c->pair = trj_copy_text(group_pair, err))) return -1;
        c->pair[length] = 0;
        if (name_residue(c, t->name[i], err)) return -1;
        c->quantity = plot_quantity_of_current(q, plot_correlation_unit(&t->correlation, t->name[i]));
        if (q->from_table && own_quantity(t, i, err)) return -1;
        if (i + 1 < t->columns && is_error(t->name[i + 1], t->name[i])) c->error = i + 1;
        for (size_t k = 0; k < t->error_comments; k++)
            if (!t->error_comment[k].curve || !strcmp(t->error_comment[k].curve, c->pair))
                c->error_blocks = t->error_comment[k].blocks;
        if (!t->quantity) t->quantity = c->quantity;
    }
    if (!t->quantity)
        return trj_fail(err, TRJ_BAD_DATA, "unknown column '%.40s': expected one like g(A:B) or S(A:B)", t->name[1]);
    if (!t->edges_known) t->edges = t->quantity->cumulative;
    return 0;
}

// Names the columns of a curve as rdfderive does: "r", "pdf(xray)", "se_pdf(xray)".
static int name_measured(struct plot_table *t, const struct trj_measured_curve *c, struct trj_error *err) {
    static const char *const names[] = {
        [TRJ_CURVE_OTHER] = "value", [TRJ_CURVE_PDF] = "pdf",    [TRJ_CURVE_G] = "g", [TRJ_CURVE_D] = "D",
        [TRJ_CURVE_T] = "T",         [TRJ_CURVE_RDF] = "RDF",    [TRJ_CURVE_S] = "S", [TRJ_CURVE_QI] = "Fq",
        [TRJ_CURVE_F] = "F",         [TRJ_CURVE_INTENSITY] = "I"};
    bool scaled = c->kind == TRJ_CURVE_D || c->kind == TRJ_CURVE_T; // their unit depends on the probe
    const char *name = names[scaled && !c->probe ? TRJ_CURVE_OTHER : c->kind],
               *group_pair = c->probe ? c->probe : "measured";
    char line[80];
    int n = snprintf(line, sizeof line, "# %s\t%s(%s)", c->of_q ? "q" : "r", name, group_pair);
    if (c->error) snprintf(line + n, sizeof line - (size_t)n, "\tse_%s(%s)", name, group_pair);
    t->faber_ziman = true;
    return split_names(t, line, err);
}

static int read_measured(struct plot_table *t, struct trj_input *in, struct trj_error *err) {
    struct trj_measured_curve c;
    int rc = trj_measured_read(&c, in, err);
    if (!rc) rc = name_measured(t, &c, err);
    if (!rc) rc = trj_grow(&t->error_comment, &t->error_comment_capacity, 1, sizeof *t->error_comment, "comments", err);
    if (!rc) t->error_comment[t->error_comments++] = (struct plot_error_comment){.blocks = c.error_blocks};
    if (!rc && !(t->values = trj_alloc(c.rows, t->columns * sizeof *t->values, "a table", err))) rc = -1;
    for (size_t i = 0; !rc && i < c.rows; i++) {
        t->values[i * t->columns] = c.x[i];
        t->values[i * t->columns + 1] = c.y[i];
        if (c.error) t->values[i * t->columns + 2] = c.error[i];
    }
    if (!rc) {
        t->rows = c.rows;
        t->axis = plot_axis_find(t->name[0]);
    }
    trj_measured_free(&c);
    return rc;
}

int plot_table_read(struct plot_table *t, struct trj_bytes *provenance, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    static const char npy[] = "\x93NUMPY";
    const unsigned char *head;
    size_t n;
    if (trj_input_open(&in, path, err)) return -1;
    int rc = (t->file = trj_copy_text(trj_input_name(in), err)) ? 0 : -1;
    // A table may arrive row by row in a pipe, so that reading must not wait for more data than it uses.
    bool file = !rc && !trj_input_is_pipe(in);
    if (file) rc = trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err);
    if (file && !rc && n >= sizeof npy - 1 && !memcmp(head, npy, sizeof npy - 1))
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "is an array of NumPy, but rdfplot reads tables; write the table: trjstat --map ... -o FILE.tsv");
    bool measured = file && !rc && trj_measured_is(head, n, in);
    if (!rc) rc = measured ? read_measured(t, in, err) : read_rows(t, provenance, in, SINGLE_TABLE, err);
    trj_input_close(in);
    if (!rc) rc = name_columns(t, err);
    if (rc && !measured) trj_error_set_remedy(err, "create the table again with rdfnorm or rdfderive");
    return rc && t->file ? trj_fail_at(err, "%s", t->file) : rc;
}

// Reads the next of several tables into a zeroed one. Returns 1, 0 at the end of the input, -1.
static int read_next(struct plot_table *t, struct trj_bytes *provenance, struct trj_input *in, enum series series,
                     struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    if (trj_input_peek(in, &head, 1, &n, err)) return -1;
    if (!n) return 0;
    return (t->file = trj_copy_text(trj_input_name(in), err)) && !read_rows(t, provenance, in, series, err) &&
                   !name_columns(t, err)
               ? 1
               : -1;
}

int plot_tables_follow(const char *path, bool map, plot_table_draw *draw, void *arg, struct trj_error *err) {
    struct plot_table table = {0}, next = {0};
    struct trj_bytes lines = {0}, next_lines = {0};
    struct trj_input *in = NULL;
    enum series series = FIRST_TABLE;
    bool drawn = true; // `table` was drawn, or there is none
    int got = trj_input_open(&in, path, err) ? -1 : 1;
    next.map = map;
    while (got > 0 && (got = read_next(&next, &next_lines, in, series, err)) > 0) {
        series = LATER_TABLE;
        const struct trj_bytes used = lines;
        plot_table_free(&table);
        table = next;
        lines = next_lines;
        next = (struct plot_table){.map = map};
        next_lines = used;
        next_lines.size = 0;
        drawn = trj_input_pauses(in);
        if (drawn && draw(arg, &table, &lines, err)) goto out;
    }
    if (got < 0 && in) {
        trj_error_set_remedy(err, "create the table again with rdfnorm or rdfderive");
        trj_fail_at(err, "%s", trj_input_name(in));
    }
    if (!got && !drawn) got = draw(arg, &table, &lines, err);
out:
    trj_input_close(in);
    plot_table_free(&table);
    plot_table_free(&next);
    trj_bytes_free(&lines);
    trj_bytes_free(&next_lines);
    return got ? -1 : 0;
}
