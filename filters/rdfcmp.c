// SPDX-License-Identifier: MIT
// rdfcmp: compares curves of tables or histogram streams with a reference.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "coarse_bins.h"
#include "compare.h"
#include "compare_records.h"
#include "lag_list.h"
#include "measured_pdf.h"
#include "memory.h"
#include "output.h"
#include "plot_table.h"
#include "table.h"
#include "tool.h"

static const char *output_path, *range;
static struct trj_text_list pairs;
static uint64_t lag; // 0: not given
static struct rdf_coarse_bins limits = {.low = -INFINITY, .high = INFINITY};

static const struct trj_option options[] = {
    {TRJ_OPTION('r', "range", TEXT, &range, "LOW:HIGH",
                "compare only bins whose middle is in this range, in the unit of the first column (default: all)")},
    {TRJ_OPTION('p', "pair", LIST, &pairs, "A:B[=C:D]",
                "compare only this pair of groups, with C:D of the reference (default: the pair of the same name)")},
    {TRJ_OPTION(0, "lag", COUNT, &lag, "N", "compare the counts with this lag of rdfhist --lag, in frames"), .min = 1,
     .max = RDF_MAX_LAG},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfcmp",
    .purpose = "Compares curves of a table (of rdfnorm, rdfderive or a measurement) or of a histogram stream (of "
               "rdfhist) with a reference of either kind, as tab-separated text.",
    .operands = "FILE REFERENCE",
    .min_operands = 2,
    .max_operands = 2,
    .options = options,
    .to_stdout = to_stdout,
};

struct curve {
    const struct plot_quantity *quantity;
    char *pair; // "O:H"
    double *x, *y, *error;
    size_t rows;
    struct curve_compare_blocks blocks;
    struct curve_error_blocks error_blocks;
};

struct operand {
    char *path, *axis; // an argument; the label of the first column, which free_operand frees
    bool stream;
    struct rdf_compare_records records;
    struct curve *curves;
    size_t count;
};

static void free_operand(struct operand *o) {
    for (size_t i = 0; o->curves && i < o->count; i++) {
        struct curve *c = &o->curves[i];
        void *const parts[] = {c->pair, c->x, c->y, c->error};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) free(parts[k]);
        curve_compare_blocks_free(&c->blocks);
    }
    free(o->curves);
    free(o->axis);
    rdf_compare_records_free(&o->records);
}

static int open_curve(struct curve *c, size_t rows, bool errors, const char *pair, struct trj_error *err) {
    c->rows = rows;
    c->pair = trj_copy_text(pair, err);
    c->x = c->pair ? trj_alloc(rows, sizeof *c->x, "a curve", err) : NULL;
    c->y = c->x ? trj_alloc(rows, sizeof *c->y, "a curve", err) : NULL;
    if (!c->y) return -1;
    return !errors || (c->error = trj_alloc(rows, sizeof *c->error, "a curve", err)) ? 0 : -1;
}

static int read_stream(struct operand *o, struct trj_error *err) {
    struct rdf_normalisation *n = &o->records.normalisation;
    n->note = trj_tool_print_line;
    o->records.lag = lag;
    if (rdf_compare_records_read(&o->records, o->path, err)) return -1;
    const struct rdf_setup *s = &n->hist.setup;
    const struct rdf_coarse_bins *v = &n->sums.coarse;
    if (!(o->curves = trj_alloc(s->pair_count, sizeof *o->curves, "curves", err))) return -1;
    const struct plot_quantity *g_of_r = plot_quantity_find("g(r)", &(const char *){NULL}, &(size_t){0});
    if (!(o->axis = trj_copy_text(plot_axis_find("r"), err))) return -1;
    for (size_t p = 0; p < s->pair_count; p++) {
        struct curve *c = &o->curves[o->count++];
        const struct rdf_curve *g = &n->curves[p];
        char name[1024];
        snprintf(name, sizeof name, "%s:%s", s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name);
        c->quantity = g_of_r;
        if (open_curve(c, v->bins, g->error.error, name, err)) return -1;
        for (uint64_t k = 0; k < v->bins; k++) {
            c->x[k] = (rdf_coarse_bins_edge(v, &s->bins, k) + rdf_coarse_bins_edge(v, &s->bins, k + 1)) / 2;
            c->y[k] = g->g[k];
            if (c->error) c->error[k] = g->error.error[k];
        }
        c->error_blocks = curve_error_blocks_of(&g->error);
        if (rdf_compare_records_blocks(&c->blocks, &o->records, p, err)) return -1;
    }
    return 0;
}

static int read_table(struct operand *o, struct trj_error *err) {
    struct plot_table t = {0};
    struct trj_bytes provenance = {0};
    int rc = plot_table_read(&t, &provenance, o->path, err) || !(o->axis = trj_copy_text(t.axis, err)) ? -1 : 0;
    if (!rc && !(o->curves = trj_alloc(t.columns, sizeof *o->curves, "curves", err))) rc = -1;
    for (size_t i = 1; !rc && i < t.columns; i++) {
        const struct plot_column *column = &t.column[i];
        if (!column->quantity) continue;
        struct curve *c = &o->curves[o->count++];
        c->quantity = column->quantity;
        c->error_blocks = column->error_blocks;
        rc = open_curve(c, t.rows, column->error, column->pair, err);
        for (size_t k = 0; !rc && k < t.rows; k++) {
            // Values up to the upper edge of a bin belong there.
            bool at_edge = column->quantity->cumulative && !t.edges;
            c->x[k] = plot_table_x(&t, k) + (at_edge ? plot_table_half_bin_width(&t, k) : 0);
            c->y[k] = t.values[k * t.columns + i];
            if (c->error) c->error[k] = t.values[k * t.columns + column->error];
        }
    }
    trj_bytes_free(&provenance);
    plot_table_free(&t);
    return rc;
}

static int read_operand(struct operand *o, char *path, struct trj_error *err) {
    bool table;
    o->path = path;
    if (rdf_pdf_detect_table(&table, path, err)) return -1;
    if (table && lag) return trj_fail(err, TRJ_USAGE, "--lag: %s is a table; give a histogram stream", path);
    return (o->stream = !table) ? read_stream(o, err) : read_table(o, err);
}

// ---- which curves are compared

// Fails if --pair names a pair that the operand does not contain.
static int check_pairs(const struct operand *o, struct trj_error *err) {
    for (size_t i = 0; i < pairs.count; i++) {
        const struct curve *c = o->curves, *end = c + o->count;
        while (c < end && !curve_compare_partner(pairs.texts[i], c->pair)) c++;
        if (c == end)
            return trj_fail(err, TRJ_USAGE,
                            "--pair: %s has no pair '%.*s'; its first curve is %s(%s); give A:B or A:B=C:D", o->path,
                            (int)strcspn(pairs.texts[i], "="), pairs.texts[i], o->curves[0].quantity->column,
                            o->curves[0].pair);
    }
    return 0;
}

static const struct curve *find(const struct operand *o, const struct curve *c, const char *pair) {
    bool symmetric = !strcmp(c->quantity->column, "g");
    const struct curve *only = NULL;
    size_t count = 0;
    for (const struct curve *one = o->curves; one < o->curves + o->count; one++) {
        if (one->quantity != c->quantity) continue;
        if (!strcmp(one->pair, pair)) return one;
        only = one;
        count++;
    }
    for (const struct curve *one = o->curves; symmetric && one < o->curves + o->count; one++)
        if (one->quantity == c->quantity && curve_compare_same_pair(one->pair, pair)) return one;
    // The columns of a measured table have no names of groups.
    bool measured = only && (!strcmp(only->pair, "measured") || !strcmp(c->pair, "measured"));
    return count == 1 && measured && pair == c->pair ? only : NULL;
}

// ---- output

static int print_row(struct trj_output *out, const struct curve *a, const struct curve *b,
                     const struct curve_comparison *c, struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    trj_table_text(&t, "%s(%s)", a->quantity->column, a->pair);
    trj_table_text(&t, "%s(%s)", b->quantity->column, b->pair);
    curve_compare_put(&t, c);
    return trj_table_end_row(&t);
}

static void report(const struct curve *a, const struct curve *b, const struct curve_comparison *c) {
    const char *g = a->quantity->column, *pair = a->pair;
    if (strcmp(pair, b->pair) != 0)
        trj_tool_message("note: %s(%s) is compared with %s(%s)", g, pair, b->quantity->column, b->pair);
    if (c->outside + c->undefined)
        trj_tool_message("note: %s(%s): %zu bins are not compared: %zu are outside the reference, %zu are nan", g, pair,
                         c->outside + c->undefined, c->outside, c->undefined);
    if (c->interpolated && c->test != CURVE_COMPARE_NONE)
        trj_tool_message("note: %s(%s): the reference is interpolated at %zu bins: p includes the interpolation error",
                         g, pair, c->interpolated);
    if (c->omitted)
        trj_tool_message("note: %s(%s): %zu bins %s: not tested for p", g, pair, c->omitted,
                         c->test == CURVE_COMPARE_SIGN_FLIP ? "are empty in most blocks" : "differ without an error");
    if (c->untested)
        trj_tool_message("note: %s(%s): too few records to detect correlation: p may be too small", g, pair);
    if (c->reason) trj_tool_message("note: %s(%s): no p value: %s", g, pair, c->reason);
}

static struct curve_compare_curve curve_of(const struct operand *o, const struct curve *c) {
    return (struct curve_compare_curve){c->rows, c->x, c->y, c->error, o->stream ? &c->blocks : NULL, c->error_blocks};
}

// Compares a curve with that of this pair of the reference, if there is one.
static int compare_curve(struct trj_output *out, const struct operand *x, const struct operand *y,
                         const struct curve *a, const char *pair, size_t *rows, struct trj_error *err) {
    const struct curve *b = find(y, a, pair);
    struct curve_comparison c;
    if (!b) {
        trj_tool_message("note: %s has no %s(%s): not compared", y->path, a->quantity->column, pair);
        return 0;
    }
    const struct curve_compare_curve curve = curve_of(x, a), reference = curve_of(y, b);
    if (curve_compare(&c, &curve, &reference, limits.low, limits.high, err))
        return trj_fail_at(err, "%s(%s)", a->quantity->column, a->pair);
    report(a, b, &c);
    ++*rows;
    return print_row(out, a, b, &c, err);
}

static int compare(struct trj_output *out, const struct operand *x, const struct operand *y, struct trj_error *err) {
    size_t rows = 0;
    if (range && rdf_coarse_bins_parse(&limits, range, err)) return trj_fail_at(err, "--range");
    if (check_pairs(x, err)) return -1;
    for (size_t i = 0; i < x->count; i++) {
        const struct curve *a = &x->curves[i];
        if (!pairs.count && compare_curve(out, x, y, a, a->pair, &rows, err)) return -1;
        for (size_t k = 0; k < pairs.count; k++) {
            const char *pair = curve_compare_partner(pairs.texts[k], a->pair);
            if (pair && compare_curve(out, x, y, a, pair, &rows, err)) return -1;
        }
    }
    return rows ? 0
                : trj_fail(err, TRJ_BAD_DATA,
                           "no curve of %s, such as %s(%s), matches one of %s, such as %s(%s); give -p A:B=C:D",
                           x->path, x->curves[0].quantity->column, x->curves[0].pair, y->path,
                           y->curves[0].quantity->column, y->curves[0].pair);
}

static int print_head(struct trj_output *out, struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, trj_tool_provenance(err), SIZE_MAX);
    return trj_table_status(&t) || trj_output_print(out, err, "%s", curve_compare_head) ? -1 : 0;
}

struct job {
    struct operand curves, reference;
    struct trj_output *out;
};

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct operand *x = &j->curves, *y = &j->reference;
    (void)count; // is 2
    if (!strcmp(operands[0], "-") && !strcmp(operands[1], "-"))
        return trj_fail(err, TRJ_USAGE, "both operands are '-': standard input can be read only once; give a file");
    if (read_operand(x, operands[0], err) || read_operand(y, operands[1], err)) return -1;
    if (strcmp(x->axis, y->axis) != 0)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the first column of %s is %s, that of %s is %s; compare curves of one variable", x->path,
                        x->axis, y->path, y->axis);
    rdf_compare_records_note_segments(&x->records, &y->records);
    if (x->stream && y->stream) {
        bool share;
        if (rdf_compare_records_check(&share, &x->records, &y->records, err)) return -1;
        if (share)
            trj_tool_message("note: both streams contain the same frames: p is valid only for independent frames");
    }
    if (!trj_tool_provenance(err) || trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err) ||
        print_head(j->out, err) || compare(j->out, x, y, err))
        return -1;
    return trj_output_commit(j->out, err);
}

static void close_all(void *state) {
    struct job *j = state;
    trj_output_close(j->out);
    free_operand(&j->curves);
    free_operand(&j->reference);
    free(pairs.texts);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
