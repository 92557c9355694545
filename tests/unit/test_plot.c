// SPDX-License-Identifier: MIT
// Tests the content of figures: quantities, scales, panels and places of names, for computed curves.
#include <unistd.h>

#include "axis_scale.h"
#include "braille.h"
#include "canvas.h"
#include "figure.h"
#include "figure_file.h"
#include "gnuplot_script.h"
#include "short_names.h"
#include "tap.h"

static char path[] = "/tmp/test_plot.XXXXXX";
static struct plot_table tables[3];
static struct plot_figure figure;
static struct trj_error err;

static void free_all(void) {
    plot_figure_free(&figure);
    for (int i = 0; i < 3; i++) plot_table_free(&tables[i]);
    err.text[0] = 0;
}

static FILE *begin(const char *head) {
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fputs(head, f);
    return f;
}

static int end(FILE *f, struct plot_table *t) {
    struct trj_bytes provenance = {0};
    if (fclose(f)) exit(1);
    int rc = plot_table_read(t, &provenance, path, &err);
    trj_bytes_free(&provenance);
    return rc;
}

static int make(size_t count, struct plot_figure_options options, struct plot_canvas canvas) {
    return plot_figure_make(&figure, &canvas, tables, count, &options, &err);
}

static const struct plot_figure_options plain = {.ymin = NAN, .ymax = NAN, .x_low = NAN, .x_high = NAN};

// Reads a table; `expected` is empty, or the message after the name of the file.
static void reads(const char *text, const char *expected, const char *what) {
    free_all();
    int rc = end(begin(text), &tables[0]);
    const char *found = rc ? err.text + strlen(path) + 2 : "";
    if (!ok(rc ? !strcmp(found, expected) : !*expected, "%s", what)) printf("# %d '%s'\n", rc, found);
}

#define AGAIN "; create the table again with rdfnorm or rdfderive"

static void test_tables(void) {
    reads("# x\n# r\tg(A:B)\tse(A:B)\tn(A:B)\n1\t2\t0.5\t3\n2\t3\t0.25\t4\n", "", "table: read");
    const struct plot_table *t = &tables[0];
    ok(t->rows == 2 && t->columns == 4 && !strcmp(t->column[1].pair, "A:B") && t->column[1].error == 2 &&
           !t->column[2].quantity && t->column[3].quantity->cumulative && !t->column[3].error && t->values[6] == 0.25,
       "table: its columns and values");
    reads("# q\tS(A:A)\tse_S(A:A)\tS(A:B)\tse_S(A:A)\n1\t2\t0.5\t3\t4\n", "", "table of rdfderive with errors: read");
    ok(tables[0].column[1].error == 2 && !tables[0].column[3].error, "an error belongs to its own column only");
    reads("# r\tw(A:B)\tse_w(A:B)\n1\tinf\tinf\n2\t-inf\tnan\n3\t-nan\t1\n4\t2\t1\n", "",
          "infinite values and NaN: read");
    ok(isnan(tables[0].values[1]) && isnan(tables[0].values[4]) && tables[0].values[10] == 2,
       "infinite values and NaN: no points");
    reads("# columns: middle of the bin in Angstrom\n# r\tn(A:A)\n1\t2\n2\t3\n", "",
          "n(r) at the middles of bins: read");
    ok(!tables[0].edges && !make(1, plain, plot_gnuplot_canvas()) && figure.curves[0].points[0].x == 1.5,
       "n(r) at the middles of bins: drawn at their upper edges");
    reads("# columns: upper edge L of the bin\n# r\tG(A:A)\n1\t2\n2\t3\n", "", "integrals up to edges: read");
    ok(tables[0].edges && !make(1, plain, plot_gnuplot_canvas()) && figure.x.high == 2,
       "integrals up to edges: the axis ends at the last edge");
    reads("# r_lo\tr_hi\tcount(A:A)\n1\t2\t5\n2\t4\t6\n", "", "bins with two edges: read");
    ok(plot_table_x(&tables[0], 1) == 3 && plot_table_half_bin_width(&tables[0], 0) == 0.5 &&
           plot_table_half_bin_width(&tables[0], 1) == 1,
       "bins with two edges: drawn at their middles, n(r) at their upper edges");
    reads("# r\tg(A:A)\n", "contains no rows" AGAIN, "no rows: rejected");
    reads("# r\tg(A:A)\n1\t2\t3\n", "line 2: 3 columns where 2 are named" AGAIN, "row with too many columns: rejected");
    reads(
        "# r\tg(A:A)\n1\t2\n1\t2\n",
        "line 3: r is not above that of the previous row; if these are several tables, plot each of them from its own "
        "file, and if they are rows of a map, add --map",
        "r that does not increase: rejected");
    reads("# r\tg(A:A)\nnan\t2\n", "line 2: no finite r" AGAIN, "r that is NaN: rejected");
    reads("# r\tg(A:A)\n1\t1e308\n", "line 2: '1e308' is too large to draw" AGAIN, "value that is too large: rejected");
    reads("# t\tg(A:A)\n1\t2\n",
          "line 2: no line of column names before it that begins with r, r_lo, q, x, y, z, frame, time, bin, s, lag or "
          "wavenumber; give a table of rdfnorm, rdfderive, trjstat, trjcorr, mapmath or mapcc",
          "columns over an unknown variable: rejected");
    reads("# r\th(A:A)\n1\t2\n", "unknown column 'h(A:A)': expected one like g(A:B) or S(A:B)" AGAIN,
          "columns of an unknown quantity: rejected");
    reads("# pair\tshell\tr_max\nA:A\t1\t2\n",
          "line 1: rows are shells of neighbours, not points of a curve; draw another quantity",
          "table of shells: rejected");
}

static void test_quantities(void) {
    static const struct {
        const char *column, *symbol, *unit;
    } all[] = {{"g(A:B)", "g(r)", ""},         {"S(A:B)", "S(q)", ""},   {"w(A:B)", "w(r)", "kJ mol⁻¹"},
               {"G(A:B)", "G", "Å³"},          {"Ginf(A:B)", "G", "Å³"}, {"s2(A:B)", "s₂(r)", "k_B"},
               {"G(neutron)", "G(r)", "barn"}, {"S(xray)", "S(q)", ""},  {"D(xray)", "D(r)", "e² Å⁻²"},
               {"phi(P)[A:LYS12]", "φ", "°"},  {"g(a(b):c)", "g(r)", ""}};
    const char *of;
    size_t length;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct plot_quantity *q = plot_quantity_find(all[i].column, &of, &length);
        ok(q && !strcmp(q->symbol, all[i].symbol) && !strcmp(q->unit, all[i].unit), "%s", all[i].column);
    }
    ok(length == 6 && !strncmp(of, "a(b):c", 6), "parentheses in names of groups: kept");
    const char *residue = plot_residue_find("rg(name \"a)[b]\" )[A:LYS12]");
    ok(residue && !strcmp(residue, "A:LYS12]"), "residue of a column: after the last bracket");
    ok(!plot_residue_find("rg(P)") && !plot_residue_find("") && !plot_residue_find("P]"), "columns without a residue");
    static const char *const none[] = {"se(A:B)", "gg(A:B)", "g", "g(A", "(A:B)", "", "D(A:B)"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ok(!plot_quantity_find(none[i], &of, &length), "'%s': no quantity", none[i]);
}

static void test_names(void) {
    static const struct {
        const char *names[3], *shorts[3];
        size_t count;
    } all[] = {{{"run/a/gr.tsv", "run/b/gr.tsv"}, {"a", "b"}, 2},
               {{"/x/gr.tsv"}, {"gr"}, 1},
               {{"stdin"}, {"stdin"}, 1},
               {{"d/gr.tsv", "d/other.g.tsv"}, {"gr", "other.g"}, 2},
               {{"rep1.tsv", "rep2.tsv", "rep10.tsv"}, {"rep1", "rep2", "rep10"}, 3},
               {{"gr_300K.tsv", "gr_310K.tsv"}, {"300K", "310K"}, 2},
               {{"a.tsv", "a.txt"}, {"tsv", "txt"}, 2},
               {{"gr.tsv", "gr.tsv"}, {"gr", "gr"}, 2},
               {{"a", "a.tsv"}, {"a", "a"}, 2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char **shorts = plot_short_names(all[i].names, all[i].count, &err);
        bool good = shorts != NULL;
        for (size_t k = 0; good && k < all[i].count; k++) {
            good = !strcmp(shorts[k], all[i].shorts[k]);
            if (!good) printf("# '%s', not '%s'\n", shorts[k], all[i].shorts[k]);
        }
        ok(good, "short names of %s ...", all[i].names[0]);
        for (size_t k = 0; shorts && k < all[i].count; k++) free(shorts[k]);
        free(shorts);
    }
}

static double peak(double x, double at, double height, double width) { // width: the standard deviation
    return height * exp(-(x - at) * (x - at) / (2 * width * width));
}

static double liquid(double x, double at) {
    return x < at - 0.6 ? peak(x, at, 3, 0.15)
                        : 1 + 2 * exp(-(x - at) * (x - at) / 0.08) + 0.3 * exp(-0.5 * x) * sin(2 * x);
}

// Makes a figure of one curve that consists of peaks. Returns the upper end of its axis.
static double top_of(const double (*peaks)[3], size_t count, double background) {
    free_all();
    FILE *f = begin("# r\tg(A:A)\n");
    for (double x = 0.025; x < 10; x += 0.05) {
        double y = x > 2.5 ? background * liquid(x, 2.8) : 0;
        for (size_t i = 0; i < count; i++) y += peak(x, peaks[i][0], peaks[i][1], peaks[i][2]);
        fprintf(f, "%.6g\t%.6g\n", x, fabs(y) < 1e-6 ? 0 : y);
    }
    if (end(f, &tables[0]) || make(1, plain, plot_gnuplot_canvas())) printf("# %s\n", err.text);
    return figure.panels ? figure.panels[0].y.high : NAN;
}

static bool has_label(const char *text) {
    for (size_t i = 0; i < figure.text_count; i++)
        if (has_text(figure.texts[i].text, text)) return true;
    return false;
}

static void test_scales(void) {
    static const double bond[][3] = {{1.025, 24, 0.03}},
                        crystal[][3] = {{3.7, 8, 0.1}, {5.3, 2, 0.1}, {6.4, 5, 0.1}, {8, 3, 0.1}},
                        ion[][3] = {{2.4, 9, 0.1}}, small[][3] = {{1.025, 5, 0.03}};
    double high = top_of(bond, 1, 1);
    ok(high > 3 && high < 3.6, "peak of a bond: cut off by the axis: %g", high);
    ok(has_label("↑24") || has_label("24↑"), "peak of a bond: its height is printed");
    static const double hole[][3] = {{1.025, -24, 0.03}};
    double low = (top_of(hole, 1, 1), figure.panels[0].y.low);
    ok(low > -2 && (has_label("↓−24") || has_label("−24↓")), "negative peak: cut off, and its height is printed: %g",
       low);
    high = top_of(crystal, 4, 0);
    ok(high > 8 && high < 9.2, "shells of a crystal: within the axis: %g", high);
    high = top_of(ion, 1, 1);
    ok(high > 9 && high < 12, "first shell of an ion: within the axis: %g", high);
    high = top_of(small, 1, 1);
    ok(high > 5 && high < 6, "bond less than twice as high as the rest: within the axis: %g", high);
    high = top_of(bond, 1, 0);
    ok(high > 18, "bond without other peaks: within the axis: %g", high);

    free_all();
    FILE *f = begin("# q\tS(A:A)\n");
    for (double q = 0; q < 20; q += 0.05) fprintf(f, "%g\t%g\n", q, 300 * exp(-q * q * 40) + 1 - exp(-q) * cos(2 * q));
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && figure.panels[0].y.high < 2,
       "peak of S(q) near 0: cut off by the axis");
    free_all();
    f = begin("# q\tS(A:A)\n");
    for (double q = 0; q < 20; q += 0.05) fprintf(f, "%g\t%g\n", q, 1 - exp(-q));
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && figure.panels[0].y.low == 0 &&
           figure.panels[0].y.high > 1 && !has_label("↑"),
       "S(q) that rises to 1: completely within the axis");
    free_all();
    f = begin("# r_lo\tr_hi\tcount(A:A)\n");
    for (int i = 0; i < 20; i++) fprintf(f, "%d\t%d\t%d\n", i, i + 1, 1000000 * i);
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && figure.panels[0].y.power == 6,
       "millions: the axis has a power of 10");
    ok(has_label("pairs / 10⁶") && figure.x.low == 0 && figure.x.high == 20,
       "millions: the power is in the title; the axis extends from the first to the last edge");

    for (double range = 1e-7; range < 1e12; range *= 1.7) {
        struct plot_scale s = {.low = 0, .high = range};
        plot_scale_set_ticks(&s, 300, 50);
        double ticks = range / s.step;
        if (!(ticks >= 2 && ticks <= 6.01)) ok(false, "%g has %g ticks", range, ticks);
    }
}

// Writes g(r) and n(r) of a liquid, whose first peak is at 2.85 Angstrom.
static double put_shells(FILE *f, bool with_g) {
    double n = 0, shells = 0;
    for (int i = 0; i < 100; i++) {
        double r = 0.1 * i + 0.05, g = liquid(r, 2.8);
        n += 0.033 * 4 * 3.14159265 * r * r * 0.1 * g;
        if (r < 1.75 * 2.85) shells = n;
        if (with_g)
            fprintf(f, "%g\t%g\t%g\n", r, g, n);
        else
            fprintf(f, "%g\t%g\t%g\n", 0.1 * (i + 1), n, 1.0 * i);
    }
    return shells;
}

static void test_coordination(void) {
    free_all();
    FILE *f = begin("# r\tg(A:B)\tn(A:B)\n");
    double shells = put_shells(f, true);
    if (end(f, &tables[0])) printf("# %s\n", err.text);
    struct plot_figure_options options = plain;
    options.coordination = true;
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.curve_count == 2 && figure.second &&
           figure.curves[1].second && figure.curves[1].style == figure.curves[0].style,
       "--coordination: n(r) has the style of g(r) and an axis of its own");
    ok(fabs(figure.curves[1].points[0].x - 0.1) < 1e-9 && fabs(figure.curves[1].points[99].x - 10) < 1e-9,
       "n(r): points are at the upper edges of the bins");
    double high = figure.panels[0].second.high;
    ok(high > 0.9 * shells && high < 1.3 * shells, "n(r): its axis ends after the first shells: %g", high);
    plot_figure_free(&figure);
    ok(!make(1, plain, plot_gnuplot_canvas()) && figure.curve_count == 1 && !figure.second,
       "n(r): not drawn without --coordination");
    plot_figure_free(&figure);
    // An n(r) of rdfderive is drawn without an option.
    f = begin("# r\tn(A:B)\tn(B:A)\n");
    put_shells(f, false);
    ok(!end(f, &tables[1]) && !make(2, plain, plot_gnuplot_canvas()) && figure.curve_count == 2 &&
           figure.curves[1].second && !figure.curves[1].label && fabs(figure.curves[1].points[0].x - 0.1) < 1e-9,
       "n(r) from another table: only pairs that are drawn, in their colours, without another name");
    plot_figure_free(&figure);
    struct plot_table both[2] = {tables[1], tables[0]};
    struct plot_canvas canvas = plot_gnuplot_canvas();
    ok(!plot_figure_make(&figure, &canvas, both, 2, &plain, &err) && figure.curves[1].second,
       "n(r) from another table: in any order of the tables");
    plot_figure_free(&figure);
    ok(!plot_figure_make(&figure, &canvas, both, 1, &plain, &err) && figure.curve_count == 2 && !figure.second,
       "n(r) alone: uses the left axis");
    plot_figure_free(&figure);
    ok(plot_figure_make(&figure, &canvas, both, 1, &options, &err) == -1 && err.status == TRJ_USAGE &&
           has_text(err.text, "--coordination: no other curve of the same pair as an n(A:B)"),
       "n(r) alone with --coordination: rejected");
}

// n(r) alone ends after its first shells, unless an option gives the limits or there are no shells.
static void test_shells(void) {
    struct plot_figure_options options = plain;
    free_all();
    FILE *f = begin("# r\tn(A:B)\tx\n");
    double shells = put_shells(f, false);
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && fabs(figure.x.high - 5) < 0.2 &&
           figure.panels->y.high > 0.9 * shells && figure.panels->y.high < 1.3 * shells,
       "n(r) alone ends after the first shells, at %g", figure.x.high);
    plot_figure_free(&figure);
    options.x_high = 9;
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.x.high == 9 && figure.panels->y.high > 90,
       "n(r) with --x-range reaches to its end");
    plot_figure_free(&figure);
    options = plain;
    options.ymax = 40;
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.x.high == 10 && figure.panels->y.high == 40,
       "n(r) with --ymax reaches to its end");
    free_all();
    f = begin("# r\tn(A:B)\n");
    for (int i = 1; i <= 100; i++) fprintf(f, "%g\t%g\n", 0.1 * i, pow(0.1 * i, 3));
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && figure.x.high == 10 &&
           figure.panels->y.high > 1000,
       "n(r) of a gas has no shells and reaches to its end");
    free_all();
    f = begin("# r\tn(A:B)\n");
    double n = 0;
    for (int i = 0; i < 500; i++) {
        double r = 0.02 * i + 0.01;
        n += (liquid(r, 2.8) + peak(r, 1, 200, 0.02)) * r * r * 0.02;
        fprintf(f, "%g\t%g\n", 0.02 * (i + 1), n);
    }
    ok(!end(f, &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) && figure.x.high > 4.5 && figure.x.high < 5.2,
       "a bond is no shell: n(r) ends at %g", figure.x.high);
}

static void check_ticks(const struct plot_scale *s, const char *expected) {
    char all[400] = "";
    long tick, last;
    for (plot_scale_ticks(s, &tick, &last); tick <= last; tick++) {
        char number[PLOT_NUMBER];
        plot_scale_tick_number(number, s, tick);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? " " : "", number);
    }
    if (!ok(!strcmp(all, expected), "%g to %g%s: ticks at %s", s->low, s->high, s->log ? " (log)" : "", expected))
        printf("# '%s'\n", all);
}

static void test_ticks(void) {
    static const struct {
        double low, high;
        bool log;
        const char *ticks;
    } all[] = {{-3, 3, false, "−3 −2 −1 0 1 2 3"},
               {-0.3, 0.5, false, "−0.2 0.0 0.2 0.4"},
               {0.5, 60, true, "0.5 1 2 5 10 20 50"},
               {0.05, 9000, true, "0.1 1 10 100 1000"},
               {0.000002, 3, true, "10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰"},
               {1e-12, 1e12, true, "10⁻¹² 10⁻⁹ 10⁻⁶ 10⁻³ 10⁰ 10³ 10⁶ 10⁹ 10¹²"},
               {2.5, 9, true, "4 6 8"},
               {90000, 110000, true, "90000 95000 100000 105000 110000"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct plot_scale s = {.low = all[i].low, .high = all[i].high, .log = all[i].log, .step = 1};
        plot_scale_set_ticks(&s, 350, 50);
        check_ticks(&s, all[i].ticks);
    }
    struct plot_scale s = {.low = 0.01, .high = 100, .log = true};
    ok(fabs(plot_scale_position(&s, 1) - 0.5) < 1e-12 && fabs(plot_scale_position(&s, 0.1) - 0.25) < 1e-12 &&
           isnan(plot_scale_position(&s, 0)) && isnan(plot_scale_position(&s, -1)),
       "a logarithmic axis has equal distances between powers of ten, and no position for 0");
    char text[16] = "-1e-05", tight[8] = "-1e-05";
    plot_use_minus_sign(text, sizeof text);
    plot_use_minus_sign(tight, sizeof tight);
    ok(!strcmp(text, "−1e−05") && !strcmp(tight, "-1e-05"), "minus signs replace hyphens as far as there is room");
}

static void test_log_axes(void) {
    struct plot_figure_options options = plain;
    free_all();
    FILE *f = begin("# q\tS(A:A)\tse_S(A:A)\n");
    for (int i = 0; i < 100; i++) fprintf(f, "%g\t%g\t0.5\n", 0.1 * i, i == 50 ? -1 : pow(10, i / 20.0 - 2));
    options.log_x = options.log_y = true;
    ok(!end(f, &tables[0]) && !make(1, options, plot_gnuplot_canvas()) && figure.x.log && figure.x.low == 0.1 &&
           fabs(figure.x.high - 9.9) < 1e-9 && figure.curves[0].count == 99,
       "--log x begins at the first positive x");
    const struct plot_scale *y = &figure.panels->y;
    ok(y->log && y->low > 0.007 && y->low < 0.01122 && y->high > 891 && y->high < 5000 && !figure.panels->at_zero &&
           isnan(figure.curves[0].points[49].y) && figure.curves[0].points[10].low > 0,
       "--log y reaches from the lowest to the highest positive value, %g to %g", y->low, y->high);
    plot_figure_free(&figure);
    options.ymax = 50;
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.panels->y.high == 50, "--ymax sets the end of a log axis");
    free_all();
    ok(!end(begin("# r\tw(A:A)\n1\t-1\n2\t0\n"), &tables[0]) && make(1, options, plot_gnuplot_canvas()) == -1 &&
           err.status == TRJ_BAD_DATA &&
           has_text(err.text, "no value of w(A:A) is finite and positive, as --log requires"),
       "--log of negative values is rejected");
}

static void test_x_range(void) {
    struct plot_figure_options options = plain;
    free_all();
    FILE *f = begin("# r\tg(A:A)\tse(A:A)\n");
    for (int i = 0; i < 10; i++) fprintf(f, "%d\t%d\t1\n", i + 1, i == 9 ? 1000 : 10 * i);
    options.x_low = 2.5;
    options.x_high = 6.25;
    bool made = !end(f, &tables[0]) && !make(1, options, plot_gnuplot_canvas());
    const struct plot_curve *c = figure.curves;
    ok(made && figure.x.low == 2.5 && figure.x.high == 6.25 && c->count == 6 && c->points[0].x == 2.5 &&
           c->points[0].y == 15 && c->points[0].low == 14 && c->points[5].x == 6.25 && c->points[5].y == 52.5,
       "--x-range cuts curves and their bands at its ends");
    ok(figure.panels->y.high < 60, "values outside of --x-range do not set the scale, which ends at %g",
       figure.panels->y.high);
    plot_figure_free(&figure);
    options.x_high = NAN;
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.x.low == 2.5 && figure.x.high == 10.5,
       "--x-range with one end leaves the other to the table");
    plot_figure_free(&figure);
    options.x_low = 20;
    ok(make(1, options, plot_gnuplot_canvas()) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "no value of g(A:A) is finite within --x-range; the table reaches from 1 to 10"),
       "--x-range outside of the table is rejected");
}

static void test_names_and_title(void) {
    static const char *names[] = {"O:O=O–O", "O:H=water = H"}, *unknown[] = {"X:X=a"}, *bad[] = {"O:O"},
                      *empty[] = {"O:O="};
    struct plot_figure_options options = plain;
    free_all();
    FILE *f = begin("# r\tg(O:O)\tg(O:H)\tn(O:O)\n");
    for (int i = 0; i < 100; i++) fprintf(f, "%d\t%g\t%g\t%d\n", i, liquid(i / 10.0, 2), liquid(i / 10.0, 5), i);
    options.names = (struct trj_text_list){names, 2};
    options.title = "Water\033, 300 K";
    options.coordination = true;
    bool made = !end(f, &tables[0]) && !make(1, options, plot_gnuplot_canvas());
    ok(made && !strcmp(figure.curves[0].label, "O–O") && !strcmp(figure.curves[1].label, "water = H"),
       "--name replaces the names of pairs");
    ok(has_label("Water?, 300 K"), "--title adds a title, without control characters");
    double title = 0, others = 0;
    for (size_t i = 0; i < figure.text_count; i++) {
        double top = figure.texts[i].y + (figure.texts[i].upright ? 0 : figure.canvas.em / 2);
        if (has_text(figure.texts[i].text, "Water?"))
            title = figure.texts[i].y - figure.canvas.em / 2;
        else if (top > others)
            others = top;
    }
    ok(title >= others - 1 && title >= figure.panels->top, "the title is above all other texts");
    plot_figure_free(&figure);
    options.panels = PLOT_PANELS_PAIRS;
    ok(!make(1, options, plot_gnuplot_canvas()) && !strcmp(figure.panels[1].title, "water = H"),
       "--name replaces the titles of panels");
    plot_figure_free(&figure);
    options.names = (struct trj_text_list){unknown, 1};
    ok(make(1, options, plot_gnuplot_canvas()) == -1 && err.status == TRJ_USAGE &&
           has_text(err.text, "--name: no curve for 'X:X=a' in the figure; KEY is one of O:O, O:H"),
       "--name with an unknown key is rejected, with the list of keys");
    plot_figure_free(&figure);
    options.names = (struct trj_text_list){bad, 1};
    ok(make(1, options, plot_gnuplot_canvas()) == -1 && has_text(err.text, "expected KEY=TEXT, as O:O=TEXT"),
       "--name without '=' is rejected");
    plot_figure_free(&figure);
    options.names = (struct trj_text_list){empty, 1};
    ok(make(1, options, plot_gnuplot_canvas()) == -1 && has_text(err.text, "has no TEXT after '='"),
       "--name without a text is rejected");
}

// Returns the lowest end of the panels of a row, with ticks and numbers, minus the highest end of the next row's
// titles.
static double min_gap(void) {
    const struct plot_canvas *v = &figure.canvas;
    double min = INFINITY;
    for (size_t i = 0; i < figure.panel_count; i++) {
        const struct plot_panel *p = &figure.panels[i];
        bool last = (i + 1) % figure.columns == 0 || i + 1 == figure.panel_count;
        if (!last) min = fmin(min, p[1].left - p->right - (p[1].y_tics ? 2 * v->advance : 0));
        if (i + figure.columns >= figure.panel_count) continue;
        double ticks = v->graphical ? 0.4 * v->em : v->em;
        min = fmin(min, p->bottom - ticks - (figure.panels[i + figure.columns].top + figure.above));
    }
    return min;
}

// Checks that no curve passes through the box of a name, that the nearest curve is its own, and that texts do not
// overlap.
static void check_names(const char *what) {
    const struct plot_canvas *v = &figure.canvas;
    size_t names = 0;
    bool clear = true, own = true, separate = true, inside = true;
    for (size_t t = 0; t < figure.text_count; t++) {
        const struct plot_text *text = &figure.texts[t];
        double width = plot_text_width(v, text->text), height = v->em;
        if (text->upright) height = width, width = v->em;
        double x0 = text->x - (text->align == PLOT_LEFT    ? 0
                               : text->align == PLOT_RIGHT ? width
                                                           : width / 2),
               x1 = x0 + width;
        double y0 = text->y - height / 2, y1 = y0 + height;
        inside = inside && x0 >= -1 && x1 <= v->width + 1 && y0 >= -1 && y1 <= v->height + 1;
        for (size_t o = 0; o < t; o++) {
            const struct plot_text *other = &figure.texts[o];
            double w = plot_text_width(v, other->text), h = v->em;
            if (other->upright) h = w, w = v->em;
            double a = other->x - (other->align == PLOT_LEFT ? 0 : other->align == PLOT_RIGHT ? w : w / 2);
            if (a < x1 - 1 && x0 < a + w - 1 && other->y - h / 2 < y1 - 1 && y0 < other->y + h / 2 - 1) {
                separate = false;
                printf("# '%s' on '%s'\n", text->text, other->text);
            }
        }
        if (text->style == PLOT_NO_CURVE || text->text[0] == "↑"[0] || figure.sample_count) continue;
        names++;
        x0 += v->pixel, x1 -= v->pixel, y0 += v->pixel, y1 -= v->pixel; // a curve at the border is outside
        double nearest_own = 1e9, nearest_other = 1e9;
        for (size_t i = 0; i < figure.curve_count; i++) {
            const struct plot_curve *c = &figure.curves[i];
            const struct plot_panel *p = &figure.panels[c->panel];
            for (size_t k = 0; k < c->count; k++)
                for (int s = 0; s <= 10; s++) {
                    const struct plot_point *next = &c->points[k + 1 < c->count ? k + 1 : k];
                    double fx = c->points[k].x + s / 10.0 * (next->x - c->points[k].x);
                    double fy = c->points[k].y + s / 10.0 * (next->y - c->points[k].y);
                    double x = plot_place_x(&figure, p, fx), y = plot_place_y(p, plot_curve_scale(&figure, c), fy);
                    if (!(y > p->bottom && y < p->top)) continue;
                    double dx = fmax(fmax(x0 - x, x - x1), 0), dy = fmax(fmax(y0 - y, y - y1), 0), d = hypot(dx, dy);
                    bool mine = c->label && !strcmp(c->label, text->text);
                    double *nearest = mine ? &nearest_own : &nearest_other;
                    if (d < *nearest) *nearest = d;
                }
        }
        if (nearest_own <= 0 || nearest_other <= 0) clear = false;
        if (nearest_own >= nearest_other) own = false;
    }
    ok(inside && separate, "%s: texts are within the figure and do not overlap", what);
    ok(clear && own, "%s: %zu names are on no curve, and nearest to their own", what, names);
}

// Writes a table of different partial curves with bonds, noise and gaps, and reads it.
static void pairs(size_t count, size_t rows, double noise, const char *names) {
    free_all();
    FILE *f = begin("# r");
    for (size_t i = 0; i < count; i++)
        fprintf(f, "\tg(%s%zu:B)\tse(%s%zu:B)\tn(%s%zu:B)", names, i, names, i, names, i);
    fputc('\n', f);
    unsigned seed = 1;
    for (size_t k = 0; k < rows; k++) {
        double r = 10.0 * ((double)k + 0.5) / (double)rows;
        fprintf(f, "%.8g", r);
        for (size_t i = 0; i < count; i++) {
            double u = (double)(seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5;
            double g = liquid(r, 2 + 0.7 * (double)i) / (1 + 0.3 * (double)i) * (1 + noise * u) +
                       (i == 1 ? peak(r, 1, 30, 0.03) : 0);
            if (k % 50 == 7 && i == 2)
                fputs("\tnan\tnan\tnan", f);
            else
                fprintf(f, "\t%.6g\t%.3g\t%.6g", g, noise / 3 + 0.01, r * r * r / 10);
        }
        fputc('\n', f);
    }
    if (end(f, &tables[0])) printf("# %s\n", err.text);
}

static void test_places(void) {
    static const struct {
        size_t count, rows;
        double noise;
        const char *names, *what;
        size_t panels;
    } all[] = {{1, 200, 0, "A", "one curve", 1},
               {3, 200, 0, "A", "three", 1},
               {6, 200, 0.1, "A", "six with noise", 1},
               {3, 500, 1.5, "A", "noise", 1},
               {4, 300, 0, "hydrophobic side chains", "long names", 1},
               {9, 200, 0.2, "A", "nine", 9},
               {16, 100, 0.2, "solvent", "sixteen", 16},
               {3, 1, 0, "A", "one bin", 1},
               {2, 100000, 0.3, "A", "many bins", 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int text = 0; text < 3; text++) {
            char what[64];
            struct plot_figure_options options = plain;
            options.coordination = text == 1;
            snprintf(what, sizeof what, "%s%s", all[i].what, text == 2 ? " in text" : text ? " with n(r)" : "");
            pairs(all[i].count, all[i].rows, all[i].noise, all[i].names);
            int rc = make(1, options, text == 2 ? plot_braille_canvas(80, 24) : plot_gnuplot_canvas());
            if (!ok(!rc && (text == 1 || figure.panel_count == all[i].panels), "%s: %zu panels", what,
                    figure.panel_count))
                printf("# %s\n", err.text);
            if (!rc) check_names(what);
            for (size_t k = 0; !rc && k < figure.curve_count; k++)
                if (figure.curves[k].count > 8000) ok(false, "%s: %zu points", what, figure.curves[k].count);
            for (size_t k = 0; !rc && k < figure.panel_count; k++) {
                const struct plot_panel *p = &figure.panels[k];
                if (!(p->left > 0 && p->bottom > 0 && p->right - p->left > 3 * figure.canvas.em &&
                      p->right <= figure.canvas.width && p->top - p->bottom > 3 * figure.canvas.em &&
                      p->top <= figure.canvas.height))
                    ok(false, "%s: panel %zu is too small or outside the figure", what, k);
            }
            if (!rc && figure.panel_count > 1)
                ok(min_gap() >= (figure.canvas.graphical ? 0.2 * figure.canvas.em : 0),
                   "%s: panels do not touch: gap of %g", what, min_gap());
        }
}

// Panels do not touch in figures of 2 to 9 panels, with long names, and in fixed sizes, which are kept.
static void test_panel_gaps(void) {
    static const size_t counts[] = {2, 3, 4, 6, 9};
    static const char *const names[] = {"A", "hydrophobic side chains"};
    static const double sizes[][2] = {{0, 0}, {85, 85}, {170, 60}, {70, 140}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int name = 0; name < 2; name++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                struct plot_canvas v = plot_gnuplot_canvas();
                struct plot_figure_options options = plain;
                char what[100];
                options.panels = PLOT_PANELS_PAIRS;
                options.title = "A title";
                if (*sizes[k]) v = plot_gnuplot_canvas_of_size(sizes[k][0], sizes[k][1]);
                snprintf(what, sizeof what, "%zu panels of %s, %gx%gmm", counts[i], names[name], sizes[k][0],
                         sizes[k][1]);
                pairs(counts[i], 100, 0.1, names[name]);
                if (!ok(!make(1, options, v), "%s: is drawn", what)) {
                    printf("# %s\n", err.text);
                    continue;
                }
                check_names(what);
                ok(min_gap() >= 0.2 * v.em, "%s: panels do not touch: gap of %g", what, min_gap());
                if (v.fixed)
                    ok(fabs(figure.canvas.width * v.millimetres - sizes[k][0]) < 0.1 &&
                           fabs(figure.canvas.height * v.millimetres - sizes[k][1]) < 0.1,
                       "%s: the size is kept", what);
            }
    struct plot_figure_options options = plain;
    options.panels = PLOT_PANELS_PAIRS;
    pairs(9, 100, 0, "A");
    ok(make(1, options, plot_gnuplot_canvas_of_size(50, 30)) == -1 && err.status == TRJ_USAGE &&
           has_text(err.text, "--size: too small for 9 panels; about "),
       "--size that is too small is rejected, with one that is sufficient");
}

// Splits a line of text into characters, one for each terminal cell, padded with blanks.
static void split(const char **cells, size_t columns, const char *line) {
    for (size_t i = 0; i < columns; i++) {
        cells[i] = *line && *line != '\n' ? line : " ";
        if (*line && *line != '\n')
            for (line++; (*line & 0xc0) == 0x80;) line++;
    }
}

// Returns whether the text is in the terminal cells from `at` on, without a digit next to it.
static bool is_whole(const char *const *cells, size_t columns, long at, const char *text) {
    long n = 0;
    for (const char *p = text; *p; n++) {
        size_t bytes = 1;
        while ((p[bytes] & 0xc0) == 0x80) bytes++;
        if (at + n < 0 || at + n >= (long)columns || memcmp(cells[at + n], p, bytes) != 0) return false;
        p += bytes;
    }
    bool before = at > 0 && strchr("0123456789.-", *cells[at - 1]);
    return !before && !(at + n < (long)columns && strchr("0123456789.", *cells[at + n]));
}

// Returns whether the line contains a number of an axis as a separate word.
static bool has_number(const char *const *cells, size_t columns, const char *text) {
    for (long at = 0; at < (long)columns; at++)
        if (is_whole(cells, columns, at, text)) return true;
    return false;
}

// Returns whether the page contains every text of the figure and every number of its axes, without overlaps.
static bool check_page(size_t columns) {
    const struct plot_canvas *v = &figure.canvas;
    struct trj_bytes page = {0};
    const char *cells[400];
    bool good = !plot_braille_write(&page, &figure, false, &err);
    size_t lines = (size_t)(v->height / v->em);
    const char **line = calloc(lines + 1, sizeof *line);
    trj_put_raw(&page, "", 1);
    const char *p = (const char *)page.data;
    for (size_t i = 0; good && line && i < lines; i++, p += strcspn(p, "\n") + 1) line[i] = p;
    for (size_t i = 0; good && i < figure.text_count; i++) {
        const struct plot_text *t = &figure.texts[i];
        double width = plot_text_width(v, t->text);
        double x = t->x - (t->align == PLOT_RIGHT ? width : t->align == PLOT_CENTRE ? width / 2 : 0);
        split(cells, columns, line[lines - 1 - (size_t)(t->y / v->em)]);
        good = is_whole(cells, columns, (long)round(fmax(x, 0) / v->advance), t->text);
        if (!good) printf("# '%s' is incomplete, at %g %g of %zu\n%s", t->text, t->x, t->y, columns, (char *)page.data);
    }
    for (size_t i = 0; good && i < figure.panel_count; i++) {
        const struct plot_panel *panel = &figure.panels[i];
        char number[PLOT_NUMBER];
        long k, last;
        split(cells, columns, line[lines + 1 - (size_t)(panel->bottom / v->em)]);
        for (plot_scale_ticks(&figure.x, &k, &last); good && panel->x_tics && k <= last; k++) {
            plot_scale_tick_number(number, &figure.x, k);
            good = has_number(cells, columns, number);
        }
        for (plot_scale_ticks(&panel->y, &k, &last); good && panel->y_tics && k <= last; k++) {
            double y = plot_place_y(panel, &panel->y, plot_scale_tick_value(&panel->y, k));
            plot_scale_tick_number(number, &panel->y, k);
            split(cells, columns, line[lines - 1 - (size_t)(fmin(y, panel->top - 1) / v->em)]);
            good = has_number(cells, columns, number);
        }
        if (!good) printf("# the number %s of an axis is incomplete\n", number);
    }
    free(line);
    trj_bytes_free(&page);
    return good;
}

// Shortened names stay different.
static void test_fits(void) {
    static const char *const texts[][2] = {{"a name that is short", "a name that is long"},
                                           {"some 1 of the same names", "some 2 of the same names"},
                                           {"the same é1 at the end", "the same é2 at the end"}};
    struct plot_canvas canvas = plot_braille_canvas(79, 24);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *both[2] = {strdup(texts[i][0]), strdup(texts[i][1])}, **list[] = {&both[0], &both[1]};
        bool good = !plot_texts_fit(list, 2, &canvas, 15 * canvas.advance, &err) && strcmp(both[0], both[1]) != 0 &&
                    plot_text_width(&canvas, both[0]) <= 15 * canvas.advance && strstr(both[0], "…");
        ok(good, "'%s' and '%s' fit, and differ", both[0], both[1]);
        free(both[0]);
        free(both[1]);
    }
}

// Pages for terminals of 40 to 200 columns.
static void test_pages(void) {
    static const struct {
        size_t count;
        const char *names, *what;
        bool coordination;
        enum plot_panels panels;
    } all[] = {{1, "A", "one curve", false, PLOT_PANELS_AUTO},
               {3, "A", "three with n(r)", true, PLOT_PANELS_AUTO},
               {6, "hydrophobic side chains of the protein and the membrane", "long names", false, PLOT_PANELS_AUTO},
               {9, "solvent", "panels with n(r)", true, PLOT_PANELS_AUTO},
               {9, "hydrophobic side chains of the protein and the membrane", "long titles", false, PLOT_PANELS_AUTO},
               {12, "é", "many in one panel", false, PLOT_PANELS_ONE}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t lines = 11; lines <= 24; lines += 13) {
            size_t bad = 0;
            pairs(all[i].count, 200, 0.05, all[i].names);
            for (size_t columns = 40; columns <= 200; columns++) {
                struct plot_figure_options options = plain;
                options.coordination = all[i].coordination;
                options.panels = all[i].panels;
                bool good = !make(1, options, plot_braille_canvas(columns, lines)) && check_page(columns);
                if (!good && !bad++) printf("# first at %zu columns\n", columns);
                plot_figure_free(&figure);
            }
            ok(!bad, "%s, %zu lines: labels do not overlap in a terminal of any width", all[i].what, lines);
        }
    // Numbers wider than the right margin, a power of ten, and a mark for values that are not resolved.
    static const char *const tables_of[] = {"# r\tg(A:A)\n%g\t%g\n", "# q\tF(xray)\tF(neutron)\n%g\t%g\t2\n",
                                            "# not resolved: q < 2 1/Angstrom\n# q\tS(A:A)\tS(A:B)\n%g\t%g\t0.5\n"};
    for (size_t i = 0; i < sizeof tables_of / sizeof *tables_of; i++) {
        size_t bad = 0;
        for (size_t columns = 40; columns <= 200; columns++) {
            const char *head =
                strchr(strstr(tables_of[i], "# q") ? strstr(tables_of[i], "# q") : tables_of[i], '\n') + 1;
            struct plot_figure_options options = plain;
            options.panels = PLOT_PANELS_PAIRS;
            free_all();
            FILE *f = begin("");
            fprintf(f, "%.*s", (int)(head - tables_of[i]), tables_of[i]);
            for (int k = 0; k < 100; k++) {
                double x = i ? 0.1 * k : 99.9 + 0.001 * k, y = -3e7 + 1e5 * k * (double)i;
                fprintf(f, i ? "%.10g\t%g\t2\n" : "%.10g\t%g\n", x, y);
            }
            bool good =
                !end(f, &tables[0]) && !make(1, options, plot_braille_canvas(columns, 24)) && check_page(columns);
            if (!good && !bad++) printf("# first at %zu columns: %s\n", columns, err.text);
        }
        ok(!bad, "table %zu: labels do not overlap in a terminal of any width", i);
    }
}

static void test_unresolved(void) {
    reads("# not resolved: q < 0.25 1/Angstrom, L\n# q\tS(A:A)\tresolved\n0.1\t9\t0\n0.2\t3\t0\n0.3\t1\t1\n0.4\t1\t1\n",
          "", "table with rows that are not resolved: read");
    struct trj_bytes script = {0};
    ok(!make(1, plain, plot_gnuplot_canvas()) && has_label("q / Å⁻¹, dotted: not resolved") &&
           figure.curve_count == 1 && plot_is_unresolved(&figure.curves[0], &figure.curves[0].points[1]) &&
           !plot_is_unresolved(&figure.curves[0], &figure.curves[0].points[2]),
       "rows that are not resolved: the curve is dotted below the limit");
    plot_gnuplot_script_write(&script, &figure, PLOT_SVG);
    trj_put_raw(&script, "", 1);
    ok(!script.failed && has_text((const char *)script.data, "$dotted0 << END_OF_CURVE\n0.1 9\n0.2 3\n0.3 1\nEND_OF") &&
           has_text((const char *)script.data, "using ($1 < 0.25 ? NaN : $1):2"),
       "rows that are not resolved: dotted up to the first point that is resolved");
    trj_bytes_free(&script);
    reads("# not resolved: q < 0.25 1/Angstrom, L\n# q\tS(A:A)\n0.3\t1\n0.4\t1\n", "",
          "table with a limit, whose rows are all resolved: read");
    ok(!make(1, plain, plot_gnuplot_canvas()) && has_label("q / Å⁻¹"),
       "rows that are all resolved: drawn without dots");
    reads("# not resolved: q < x\n# q\tS(A:A)\n0.3\t1\n",
          "line 1: 'not resolved: q < x': expected a number above 0" AGAIN, "limit that is not a number: rejected");
}

static void test_together(void) {
    free_all();
    ok(!end(begin("# r\tg(A:B)\n1\t2\n2\t3\n"), &tables[0]) && !end(begin("# q\tS(A:B)\n1\t2\n2\t3\n"), &tables[1]),
       "two tables: read");
    ok(make(2, plain, plot_gnuplot_canvas()) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "contains structure factors, but"),
       "tables of two quantities: rejected");
    free_all();
    static const char *xray[] = {"xray"};
    struct plot_figure_options options = plain;
    ok(!end(begin("# r\tG(neutron)\tG(xray)\tg(A:B)\n1\t2\t1\t1\n2\t3\t2\t1\n"), &tables[0]) &&
           !make(1, plain, plot_gnuplot_canvas()) && figure.curve_count == 1 &&
           !strcmp(figure.curves[0].pair, "neutron"),
       "table of several quantities: the first one is drawn");
    plot_figure_free(&figure);
    options.pairs = (struct trj_text_list){xray, 1};
    ok(!make(1, options, plot_gnuplot_canvas()) && figure.curve_count == 1 &&
           !strcmp(figure.curves[0].quantity->unit, "e²"),
       "table of several quantities with --pair: that of the first selected pair");
    free_all();
    static const char *gap[] = {"A:B"};
    options.pairs = (struct trj_text_list){gap, 1};
    ok(!end(begin("# r\tw(A:B)\tw(A:A)\n1\tinf\t1\n2\tinf\t2\n"), &tables[0]) &&
           !make(1, plain, plot_gnuplot_canvas()) && figure.curve_count == 1 && figure.skipped == 1 &&
           !strcmp(figure.first_skipped->pair, "A:B"),
       "curve without a value: skipped");
    plot_figure_free(&figure);
    ok(make(1, options, plot_gnuplot_canvas()) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "no value of w(A:B) is finite"),
       "curve without a value that --pair selects: rejected");
    free_all();
    ok(!end(begin("# lag: 5 frames, 0.1 ps; distinct part\n# r\tg(A:A)\n1\t2\n2\t1\n"), &tables[0]) &&
           !end(begin("# lag: 50 frames, 1 ps; distinct part\n# r\tg(A:A)\n1\t1.5\n2\t1\n"), &tables[1]) &&
           !make(2, plain, plot_gnuplot_canvas()) && !strcmp(figure.curves[0].label, "0.1 ps") &&
           !strcmp(figure.curves[1].label, "1 ps") && has_label("g(r, t)"),
       "curves of different lags: named by the lag");
    free_all();
    ok(!end(begin("# q\tS(A:A)\tS(A:B)\n1\t2\t1\n2\t3\t2\n"), &tables[0]) && !make(1, plain, plot_gnuplot_canvas()) &&
           figure.panels[0].at_one && figure.panels[0].at_zero,
       "partial S(q): the limits 1 and 0 are drawn");
    free_all();
    ok(!end(begin("# of Faber and Ziman\n# q\tS(A:A)\tS(A:B)\n1\t2\t1\n2\t3\t2\n"), &tables[0]) &&
           !make(1, plain, plot_gnuplot_canvas()) && figure.panels[0].at_one && !figure.panels[0].at_zero,
       "S(q) of Faber and Ziman: the limit 1 is drawn");
    free_all();
    ok(!end(begin("# "
                  "r\tG(A:A)\tGsphere(A:A)\tGinf(A:A)\tG(A:B)\tGsphere(A:B)\tGinf(A:B)"
                  "\n1\t1\t2\t3\t4\t5\t6\n2\t2\t3\t4\t5\t6\t7\n"),
            &tables[0]) &&
           !make(1, plain, plot_gnuplot_canvas()) && figure.panel_count == 2 && figure.curves[3].panel == 1 &&
           figure.curves[3].style == 0 && !strcmp(figure.panels[1].title, "A:B"),
       "several curves of each pair: one panel for each pair");
}

// Reads a table of trjcorr, and makes its figure. Returns whether both succeed.
static bool draws(const char *text, const struct plot_figure_options *options, bool running) {
    struct plot_canvas canvas = plot_gnuplot_canvas();
    free_all();
    tables[0].running = running;
    if (!end(begin(text), &tables[0]) && !plot_figure_make(&figure, &canvas, tables, 1, options, &err)) return true;
    printf("# %s\n", err.text);
    return false;
}

// Returns whether the figure contains a text.
static bool shows(const char *text) {
    for (size_t i = 0; i < figure.text_count; i++)
        if (!strcmp(figure.texts[i].text, text)) return true;
    return false;
}

#define MSD_HEAD                                                                                                       \
    "# result: expression\tquantity\tvalue\terror\tci95\tunit\tfrom ps\tto ps\n"                                       \
    "# result: msd(O)\tslope\t2\t0.1\t0.2\tAngstrom^2/ps\t2\t8\n"                                                      \
    "# result: msd(O)\tintercept\t0.5\t0.1\t0.2\tAngstrom^2\t2\t8\n"                                                   \
    "# result: msd(O)\texponent\t0.9321\t0.0213\t0.05\t1\t2\t8\n"                                                      \
    "# lag\ttime\twindows\tmsd.total(O)\tse_msd.total(O)\tmsd.x(O)\tse_msd.x(O)\n"
#define MSD_ROWS                                                                                                       \
    "0\t0\t99\t0\tnan\t0\tnan\n1\t1\t98\t2.4\t0.1\t0.8\t0.1\n2\t2\t49\t4.5\t0.1\t1.5\t0.1\n4\t4\t24\t8.5\t0.1\t2.9\t"  \
    "0.1\n8\t8\t12\t16.5\t0.1\t5\t0.1\n16\t16\t6\t33\t0.1\t11\t0.1\n"

static void test_displacements(void) {
    struct plot_figure_options options = plain;
    const char *x_column = "msd.x(O)";
    ok(draws(MSD_HEAD MSD_ROWS, &plain, false) && figure.x.log && figure.panels[0].y.log && figure.curve_count == 2 &&
           figure.curves[1].fit && !figure.curves[0].fit,
       "displacements: logarithmic axes, the total, and its line");
    const struct plot_curve *fit = &figure.curves[1];
    const struct plot_point *last = &fit->points[fit->count - 1];
    ok(fabs(fit->points[0].x - 2) < 1e-9 && fabs(fit->points[0].y - 4.5) < 1e-9 && fabs(last->x - 8) < 1e-9 &&
           fabs(last->y - 16.5) < 1e-9,
       "line of the displacements: in the range of the fit");
    ok(shows("O, exponent 0.93 ± 0.02"), "displacements: the name contains the exponent and its error");
    ok(shows("time / ps, dashed: linear fit, dotted: few windows"), "displacements: the axis explains both lines");
    ok(!plot_is_unresolved(&figure.curves[0], &figure.curves[0].points[2]) &&
           plot_is_unresolved(&figure.curves[0], &figure.curves[0].points[3]) && !figure.omitted,
       "lags with fewer than ten windows: the line to them is dotted");
    options.panels = PLOT_PANELS_PAIRS;
    ok(draws("# result: msd(O)\tslope\t2\t0.1\t0.2\tAngstrom^2/ps\t1\t2\n"
             "# result: msd(O)\tintercept\t0.5\t0.1\t0.2\tAngstrom^2\t1\t2\n"
             "# result: msd(O)\texponent\t0.9321\t0.0021\t0.05\t1\t1\t2\n"
             "# lag\ttime\twindows\tmsd.total(O)\tmsd.total(H)\n1\t1\t99\t2\t3\n2\t2\t49\t4\t5\n",
             &options, false) &&
           figure.panel_count == 2 && !strcmp(figure.panels[0].title, "O, exponent 0.932 ± 0.002") &&
           !strcmp(figure.panels[1].title, "H"),
       "displacements in panels: the titles contain the exponents");
    options = plain;
    options.linear = true;
    ok(draws(MSD_HEAD MSD_ROWS, &options, false) && !figure.x.log && !figure.panels[0].y.log && figure.curves[1].fit,
       "displacements with linear axes on request");
    options = plain;
    options.x_low = 0;
    ok(draws(MSD_HEAD MSD_ROWS, &options, false) && !figure.x.log, "displacements from 0 on: linear axes");
    options = plain;
    options.x_high = 4;
    ok(draws(MSD_HEAD MSD_ROWS, &options, false) &&
           fabs(figure.curves[1].points[figure.curves[1].count - 1].x - 4) < 1e-9,
       "line of the displacements: ends with the axis");
    options.pairs = (struct trj_text_list){&x_column, 1};
    ok(draws(MSD_HEAD MSD_ROWS, &options, false) && figure.curve_count == 1 && figure.curves[0].points[0].y == 0.8,
       "displacements along x: drawn if the column is named");
    ok(draws("# lag\ttime\twindows\tmsd.x(O)\n1\t1\t9\t2\n2\t2\t9\t3\n", &plain, false) && figure.curve_count == 1,
       "displacements along x alone: drawn without an option");
    ok(draws("# lag\ttime\twindows\tmsd.total(O)\n0\t0\t99\t0\n1\t1\t98\t0\n", &plain, false) && !figure.x.log,
       "displacements that are 0: linear axes");
}

static void test_integrals(void) {
    static const char head[] = "# lag\ttime\twindows\tsurvival.intermittent(A)\tse_survival.intermittent(A)\t"
                               "survival.tau_intermittent(A)\tse_survival.tau_intermittent(A)\t"
                               "survival.continuous(A)\tse_survival.continuous(A)\t"
                               "survival.tau_continuous(A)\tse_survival.tau_continuous(A)\t"
                               "vacf.total(A)\tvacf.D(A)\n"
                               "0\t0\t99\t1\t0\t0\t0\t1\t0\t0\t0\t5\t0\n1\t1\t99\t0.5\t0.1\t0.7\t0.2\t0.3\t0.1\t"
                               "0.6\t0.1\t2\t1\n2\t2\t99\t0.2\t0.1\t1.1\t0.3\t0.1\t0.1\t0.8\t0.1\t1\t2\n";
    struct plot_figure_options options = plain;
    const char *texts[] = {"vacf.total(A)", "survival.tau_continuous(A)", "A"};
    ok(draws(head, &plain, false) && figure.curve_count == 4 && figure.second && figure.panel_count == 1,
       "correlations: their integrals have an axis on the right");
    ok(figure.curves[2].second && figure.curves[2].style == figure.curves[0].style && !figure.curves[2].label &&
           figure.curves[3].style == figure.curves[1].style && figure.curves[1].style != figure.curves[0].style,
       "integrals: in the style of their correlations, without names");
    ok(fabs(figure.curves[2].points[2].high - 1.4) < 1e-9 && figure.panels[0].second.high >= 1.4,
       "integrals: with their bands");
    ok(shows("τ(t) / ps, dashed") && shows("S(t)"), "integrals: the label of the right axis");
    ok(figure.omitted == 1 && !strcmp(figure.first_omitted, "vacf.total(A)"),
       "a correlation with another axis: reported, and its integral is not listed");
    for (size_t i = 0; i < 2; i++) {
        options.pairs = (struct trj_text_list){&texts[i], 1};
        ok(draws(head, &options, false) && figure.curve_count == 1 && !figure.second && !figure.omitted,
           "%s: drawn alone if it is named", texts[i]);
    }
    options.pairs = (struct trj_text_list){&texts[2], 1};
    ok(draws(head, &options, false) && figure.curve_count == 4 && figure.omitted == 1,
       "a pair that has two quantities: the second one is reported");
}

static void test_units(void) {
    ok(draws("# acf(volume): column , (Angstrom^3)^2; integral, integral up to the lag, (Angstrom^3)^2 ps\n"
             "# acf(rg(A)): column , Angstrom^2; integral, integral up to the lag, Angstrom^2 ps\n"
             "# lag\ttime\twindows\tacf(volume)\tacf.integral(volume)\tacf(rg(A))\tacf.integral(rg(A))\n"
             "0\t0\t99\t4\t0\t1\t0\n1\t1\t99\t2\t3\t0.5\t0.7\n",
             &plain, false) &&
           shows("autocorrelation / (Å³)²") && shows("integral / (Å³)² ps, dashed") && figure.omitted == 1 &&
           !strcmp(figure.first_omitted, "acf(rg(A))"),
       "autocorrelations: the units are those of the comments, and one of another unit is reported");
    ok(draws("# acf(cell): column a, Angstrom^2\n# acf(cell): column b, Angstrom^2\n"
             "# lag\ttime\twindows\tacf.a(cell)\tacf.b(cell)\n0\t0\t99\t4\t2\n1\t1\t99\t2\t1\n",
             &plain, false) &&
           figure.curve_count == 2 && shows("a") && shows("b"),
       "autocorrelations of several columns: their names");
    ok(draws("# wavenumber\tspectrum.vacf.total(A)\tse_spectrum.vacf.total(A)\tspectrum.acf(rg(A))\n0\t2\t0.1\t1\n"
             "5\t1\t0.1\t1\n",
             &plain, false) &&
           shows("wavenumber / cm⁻¹") && shows("spectrum / Å² ps⁻¹") && figure.omitted == 1 &&
           figure.curves[0].points[0].high == 2.1,
       "spectra: wavenumber, unit and band");
    ok(draws("# conductivity(A): column total, e^2 Angstrom^2/ps^2; sigma, integral, divided by 3 V k T, S/m\n"
             "# lag\ttime\twindows\tconductivity.total(A)\tconductivity.sigma(A)\tconductivity.x(A)\t"
             "conductivity.sigma_x(A)\n0\t0\t99\t4\t0\t1\t0\n1\t1\t99\t-2\t3\t1\t1\n",
             &plain, false) &&
           shows("⟨J(0) J(t)⟩ / e² Å² ps⁻²") && shows("σ(t) / S m⁻¹, dashed") && !figure.x.log &&
           figure.curve_count == 2 && !figure.omitted,
       "conductivity by the current: its unit distinguishes it from displacements");
    ok(draws("# conductivity(A): column total, S/m: the spectrum times the factor of sigma\n"
             "# wavenumber\tspectrum.conductivity.total(A)\n0\t2\n5\t1\n",
             &plain, false) &&
           shows("σ(ν) / S/m"),
       "conductivity at each frequency: its unit");
    // Comments that are incomplete or no numbers are ignored.
    ok(draws(
           "# result: msd(O)\tslope\n# result: msd(O)\tslope\tx\t1\t1\t1\t1\t1\n# running: \t\n# acf(: column ,\n"
           "# (: column a, b; c, d, e\n# a: column , ; , \n# running: e\t1e200\t5\n# lag\ttime\twindows\tmsd.total(O)\n"
           "1\t1\t99\t2\n2\t2\t99\t4\n",
           &plain, false) &&
           figure.curve_count == 1,
       "comments that are damaged: ignored");
}

static void test_running(void) {
    static const char rows[] = "# lag\ttime\twindows\tdielectric.M2(A, 300)\n0\t0\t99\t2\n1\t1\t99\t1\n";
    char text[600];
    snprintf(text, sizeof text, "%s%s",
             "# running: expression\tframes\tepsilon of these first frames\n"
             "# running: dielectric(A, 300)\t5\t40\n# running: dielectric(A, 300)\t10\t60\n"
             "# running: dielectric(B, 300)\t5\t30\n# running: dielectric(B, 300)\t10\t20\n",
             rows);
    ok(draws(text, &plain, true) && figure.curve_count == 2 && figure.curves[1].points[1].y == 20 &&
           figure.curves[0].points[0].x == 5 && shows("ε") && !strcmp(figure.curves[1].pair, "B, 300"),
       "--running: the estimates of each expression");
    ok(draws(text, &plain, false) && figure.curve_count == 1 && tables[0].correlation.runnings == 4,
       "estimates without --running: the correlation is drawn");
    free_all();
    tables[0].running = true;
    ok(end(begin(rows), &tables[0]) == -1 && has_text(err.text, "contains no comments '# running:'"),
       "--running without estimates: rejected");
    snprintf(text, sizeof text, "%s%s", "# running: dielectric(A, 300)\t5\t40\n# running: dielectric(A, 300)\t5\t60\n",
             rows);
    free_all();
    tables[0].running = true;
    ok(end(begin(text), &tables[0]) == -1 && has_text(err.text, "do not increase"),
       "estimates whose numbers of frames do not increase: rejected");
    reads("# expression\tquantity\tvalue\nmsd(O)\tD\t2\n",
          "line 1: rows are results, as of trjcorr --summary, not points of a curve; omit --summary",
          "table of results: rejected");
}

// If memory runs out while provenance is collected or inserted, the result is an error, not a figure without it.
static void test_provenance(void) {
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg>\n</svg>\n", line[] = "rdfhist 1: a\033\n";
    struct trj_bytes file = {0}, provenance = {0};
    trj_put_raw(&file, svg, strlen(svg));
    trj_put_raw(&provenance, line, strlen(line));
    int rc = plot_file_add_provenance(&file, PLOT_SVG, &provenance, &err);
    trj_put_raw(&file, "", 1);
    ok(!rc && has_text((const char *)file.data, "<metadata>\nprovenance: rdfhist 1: a?\n</metadata>\n</svg>\n"),
       "provenance is inserted before the end of an SVG");
    provenance.failed = true;
    for (int format = PLOT_SVG; format <= PLOT_PDF; format++)
        ok(plot_file_add_provenance(&file, (enum plot_format)format, &provenance, &err) == -1 &&
               err.status == TRJ_FAILED && has_text(err.text, "out of memory"),
           "provenance after a failed allocation: an error in format %d", format);
    trj_bytes_free(&file);
    trj_bytes_free(&provenance);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0 || close(fd)) return 1;
    test_tables();
    test_quantities();
    test_names();
    test_scales();
    test_ticks();
    test_log_axes();
    test_x_range();
    test_names_and_title();
    test_coordination();
    test_shells();
    test_places();
    test_unresolved();
    test_panel_gaps();
    test_fits();
    test_pages();
    test_together();
    test_displacements();
    test_integrals();
    test_units();
    test_running();
    test_provenance();
    free_all();
    unlink(path);
    return done();
}
