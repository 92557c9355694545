// SPDX-License-Identifier: MIT
// rdfplot draws tables of rdfnorm, rdfderive, trjstat and trjcorr: files with gnuplot, and text for terminals by
// itself.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "braille.h"
#include "figure.h"
#include "figure_arguments.h"
#include "figure_file.h"
#include "gnuplot_script.h"
#include "image_script.h"
#include "map_script.h"
#include "map_terminal.h"
#include "memory.h"
#include "output.h"
#include "plot_table.h"
#include "stop_request.h"
#include "tool.h"

static const char *output_path, *panels, *log_axes, *x_range, *y_range, *colours, *size;
static bool image, map, waterfall, follow, running;
static struct plot_figure_options figure_options = {.ymin = NAN, .ymax = NAN, .x_low = NAN, .x_high = NAN};

static const struct trj_choice panel_names[] = {
    [PLOT_PANELS_AUTO] = {"auto",
                          "one panel for each pair if one panel would have more than six curves, or several of a pair"},
    [PLOT_PANELS_ONE] = {"one", "all curves in one panel"},
    [PLOT_PANELS_PAIRS] = {"pairs", "one panel for each pair"},
    {NULL, NULL},
};

static const struct trj_choice log_names[] = {
    {"x", "the horizontal axis"},
    {"y", "the vertical axes"},
    {"xy", "all axes"},
    {"none", "no axis, even if the quantity has logarithmic axes by default"},
    {NULL, NULL},
};

static const struct trj_option options[] = {
    TRJ_OPTION_OUTPUT(&output_path, "write the figure to FILE (.svg, .png or .pdf), not as text to standard output"),
    TRJ_OPTION_DIGEST,
    {TRJ_OPTION(0, "follow", FLAG, &follow, NULL, "draw the figure again for each table of rdfnorm --follow")},
    {.heading = "Figure", TRJ_OPTION('y', "ymax", REAL, &figure_options.ymax, "Y", "end the vertical axis at Y")},
    {TRJ_OPTION('p', "pair", LIST, &figure_options.pairs, "A:B", "draw the curves of this pair only")},
    {TRJ_OPTION('n', "coordination", FLAG, &figure_options.coordination, NULL,
                "also draw n(r) of the tables, on a right axis")},
    {TRJ_OPTION(0, "title", TEXT, &figure_options.title, "TEXT", "add a title")},
    {TRJ_OPTION(0, "name", LIST, &figure_options.names, "KEY=TEXT",
                "show TEXT in place of the name KEY of a pair, file or kind of curve")},
    {TRJ_OPTION(
        0, "x-range", TEXT, &x_range, "A:B",
        "draw from A to B on the horizontal axis; an end that is left out, as in A: or :B, follows from the tables")},
    {TRJ_OPTION(0, "y-range", TEXT, &y_range, "A:B",
                "draw from A to B on the (left) vertical axis; an end that is left out follows from the tables")},
    {TRJ_OPTION(0, "x-label", TEXT, &figure_options.x_label, "TEXT", "label the horizontal axis with TEXT")},
    {TRJ_OPTION(0, "y-label", TEXT, &figure_options.y_label, "TEXT", "label the (left) vertical axis with TEXT")},
    {TRJ_OPTION(0, "colours", TEXT, &colours, "LIST",
                "draw the curves in these colours, such as #0072b2,#d55e00; requires -o")},
    {TRJ_OPTION(0, "log", CHOICE, &log_axes, "AXES",
                "make axes logarithmic (default: xy for displacements of trjcorr, else none)"),
     .choices = log_names},
    {TRJ_OPTION(0, "size", TEXT, &size, "WxH",
                "size of the figure: 85x57mm (or cm, in) with -o, else columns and lines")},
    {TRJ_OPTION(0, "panels", CHOICE, &panels, "WHICH", "panels of the figure"), .choices = panel_names},
    {TRJ_OPTION(0, "running", FLAG, &running, NULL,
                "draw the dielectric constant of the first frames, from comments of trjcorr")},
    {TRJ_OPTION(0, "image", FLAG, &image, NULL,
                "draw all columns of one table as an image, with a colour for each value")},
    {TRJ_OPTION(0, "map", FLAG, &map, NULL,
                "draw a table with two coordinates, such as time and r, as a map in colours")},
    {TRJ_OPTION(0, "waterfall", FLAG, &waterfall, NULL,
                "draw such a table as one curve for each value of its first column, shifted upwards")},
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "rdfplot",
    .purpose =
        "Draws the curves of tables of rdfnorm, rdfderive, trjstat, trjcorr, mapmath or mapcc in one figure (files "
        "need gnuplot).",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
};

struct plot {
    struct trj_output *out;
    struct plot_table *tables;
    size_t count;
    struct plot_figure figure;
    struct trj_bytes script, file;
    struct trj_bytes provenance; // lines of the tables, then those of this run
};

static int read_tables(struct plot *p, char **paths, size_t count, struct trj_error *err) {
    size_t all = count ? count : 1;
    if (!(p->tables = trj_alloc(all, sizeof *p->tables, "tables", err))) return -1;
    for (size_t i = 0; i < all; i++) {
        p->count++; // main() frees it also after a failure
        p->tables[i].map = map || waterfall;
        p->tables[i].running = running;
        if (plot_table_read(&p->tables[i], &p->provenance, count ? paths[i] : "-", err)) return -1;
    }
    return 0;
}

static int find_format(enum plot_format *format, struct trj_error *err) {
    static const char *const endings[] = {[PLOT_SVG] = ".svg", [PLOT_PNG] = ".png", [PLOT_PDF] = ".pdf"};
    const char *dot = strrchr(output_path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        *format = (enum plot_format)i;
        if (!strcmp(dot, endings[i])) return 0;
    }
    return trj_fail(err, TRJ_USAGE, "--output: unknown ending of '%s'; use .svg, .png or .pdf", output_path);
}

static struct plot_canvas terminal(void) {
    struct winsize w = {.ws_col = 0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 40 || w.ws_row < 12)
        w = (struct winsize){.ws_col = 79, .ws_row = 25};
    return plot_braille_canvas(w.ws_col, w.ws_row - 1U); // the last line is for the prompt
}

static bool has_colours(void) {
    const char *no = getenv("NO_COLOR"), *name = getenv("TERM"); // https://no-color.org
    return isatty(STDOUT_FILENO) && !(no && *no) && !(name && !strcmp(name, "dumb"));
}

static void report_skipped_columns(const struct plot_figure *f) {
    char others[40] = "";
    if (f->skipped > 1) snprintf(others, sizeof others, ", nor of %zu more", f->skipped - 1);
    if (f->skipped)
        trj_tool_message("note: %s: no value of %s(%s)%s is %s: not drawn", f->first_skipped_in->file,
                         f->first_skipped->quantity->column, f->first_skipped->pair, others, f->drawable);
}

// Reports what tables of trjcorr contain and the figure does not.
static void report_omitted(const struct plot *p) {
    const struct plot_figure *f = &p->figure;
    char others[40] = "";
    if (f->omitted > 1) snprintf(others, sizeof others, " and %zu more", f->omitted - 1);
    if (f->omitted)
        trj_tool_message("note: %s: %s%s: not drawn, because another axis is required; draw columns in a figure of "
                         "their own: --pair '%s'",
                         f->first_omitted_in->file, f->first_omitted, others, f->first_omitted);
    for (size_t i = 0; i < p->count && !running; i++)
        if (p->tables[i].correlation.runnings)
            trj_tool_message("note: %s: the dielectric constant of the first frames is not drawn; to draw it, add "
                             "--running",
                             p->tables[i].file);
}

// Runs the script, and adds the provenance to the file.
static int make_file(struct plot *p, enum plot_format format, struct trj_error *err) {
    if (p->script.failed) return trj_fail_memory(err, (double)p->script.size, "a script");
    char messages[PLOT_MESSAGES] = "";
    if (plot_file_draw(&p->file, messages, &p->script, format, err)) return -1;
    if (*messages) trj_tool_message("note: gnuplot: %s", messages);
    return plot_file_add_provenance(&p->file, format, &p->provenance, err);
}

static int draw(struct plot *p, struct trj_error *err) {
    enum plot_format format = PLOT_SVG;
    if (output_path && find_format(&format, err)) return -1;
    struct plot_canvas canvas = output_path ? plot_gnuplot_canvas() : terminal();
    if (size && plot_size_parse(&canvas, size, output_path, err)) return -1;
    if (image) {
        if (plot_image_script_write(&p->script, p->tables, &canvas, &figure_options, format, err)) return -1;
        return make_file(p, format, err);
    }
    if (map && !output_path)
        return plot_map_terminal_write(&p->file, p->tables, &canvas, &figure_options, has_colours(), err);
    if (map || waterfall) {
        if (plot_map_script_write(&p->script, p->tables, &canvas, &figure_options, waterfall, format, err)) return -1;
        return make_file(p, format, err);
    }
    if (plot_figure_make(&p->figure, &canvas, p->tables, p->count, &figure_options, err)) return -1;
    report_skipped_columns(&p->figure);
    report_omitted(p);
    if (!output_path) return plot_braille_write(&p->file, &p->figure, has_colours(), err);
    plot_gnuplot_script_write(&p->script, &p->figure, format);
    return make_file(p, format, err);
}

// Adds the provenance of this run to that of the tables, draws them, and writes the figure.
static int draw_and_write(struct plot *p, struct trj_error *err) {
    for (char **line = trj_tool_provenance(err); *line; line++) {
        trj_put_raw(&p->provenance, *line, strlen(*line));
        trj_put_raw(&p->provenance, "\n", 1);
    }
    if (draw(p, err)) return -1;
    if (!p->out && trj_output_open(&p->out, output_path, output_path ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT, err))
        return -1;
    return trj_output_write(p->out, p->file.data, p->file.size, err);
}

// Draws a table in place of the previous one: on a terminal from the top, in the file of --output by replacing it.
static int draw_again(void *arg, struct plot_table *t, struct trj_bytes *provenance, struct trj_error *err) {
    struct plot *p = arg;
    const char *clear = "\033[H\033[J";
    plot_figure_free(&p->figure);
    p->script.size = p->file.size = 0;
    p->tables = t;
    p->provenance = *provenance;
    if (!output_path && isatty(STDOUT_FILENO)) trj_put_raw(&p->file, clear, strlen(clear));
    int rc = draw_and_write(p, err);
    *provenance = p->provenance;
    p->tables = NULL;
    p->provenance = (struct trj_bytes){0};
    if (rc || !output_path) return rc ? -1 : trj_output_flush(p->out, err);
    rc = trj_output_commit(p->out, err);
    trj_output_close(p->out);
    p->out = NULL;
    return rc;
}

// Returns an option that is given and does not apply to images, or to maps and waterfalls; NULL: none.
static const char *without_effect(void) {
    const char *const given[] = {log_axes ? "log" : NULL,
                                 figure_options.coordination ? "coordination" : NULL,
                                 figure_options.panels != PLOT_PANELS_AUTO ? "panels" : NULL,
                                 image && !isnan(figure_options.ymax) ? "ymax" : NULL,
                                 colours ? "colours" : NULL,
                                 image && x_range ? "x-range" : NULL,
                                 image && y_range ? "y-range" : NULL,
                                 image && figure_options.x_label ? "x-label" : NULL,
                                 image && figure_options.y_label ? "y-label" : NULL};
    size_t i = 0, n = sizeof given / sizeof *given;
    while (i < n && !given[i]) i++;
    return i < n ? given[i] : NULL;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct plot *p = state;
    if (!isnan(figure_options.ymax) && !(figure_options.ymax > 0))
        return trj_fail(err, TRJ_USAGE, "--ymax: invalid value %g: must be above 0", figure_options.ymax);
    while (strcmp(panel_names[figure_options.panels].name, panels) != 0) figure_options.panels++;
    figure_options.linear = log_axes && !strcmp(log_axes, "none");
    figure_options.log_x = log_axes && strchr(log_axes, 'x');
    figure_options.log_y = log_axes && strchr(log_axes, 'y');
    if (x_range && plot_x_range_parse(&figure_options, x_range, err)) return -1;
    if (y_range && plot_y_range_parse(&figure_options, y_range, err)) return -1;
    if (colours && plot_colours_parse(&figure_options, colours, err)) return -1;
    if (colours && !output_path)
        return trj_fail(err, TRJ_USAGE, "--colours requires a file; add -o FILE.svg, or leave it out for text");
    const char *one = image ? "image" : map ? "map" : waterfall ? "waterfall" : NULL;
    if (running && (one || follow))
        return trj_fail(err, TRJ_USAGE, "--running: does not apply to --%s; leave it out", one ? one : "follow");
    if (image + map + waterfall > 1)
        return trj_fail(err, TRJ_USAGE, "--image, --map and --waterfall: give one of them");
    if (one && without_effect())
        return trj_fail(err, TRJ_USAGE, "--%s: does not apply to --%s; leave it out", without_effect(), one);
    bool needs_file = one && !map && !output_path;
    if (needs_file || (one && count > 1))
        return trj_fail(err, TRJ_USAGE, "--%s requires %s", one,
                        !needs_file ? "a single table; draw each table in its own file" : "a file; add -o FILE.svg");
    if (follow && count > 1)
        return trj_fail(err, TRJ_USAGE, "--follow: %d files given; one file or pipe can be followed", count);
    if (!trj_tool_provenance(err)) return -1;
    if (follow) {
        trj_stop_on_signals(); // the first signal ends trjcat, and then the input
        p->count = 1;
        int rc = plot_tables_follow(count ? *operands : "-", map || waterfall, draw_again, p, err);
        p->count = 0;
        return rc || !p->out ? rc : trj_output_commit(p->out, err);
    }
    if (read_tables(p, operands, (size_t)count, err)) return -1;
    return draw_and_write(p, err) || trj_output_commit(p->out, err) ? -1 : 0;
}

static void close_all(void *state) {
    struct plot *p = state;
    trj_output_close(p->out);
    plot_figure_free(&p->figure);
    for (size_t i = 0; i < p->count; i++) plot_table_free(&p->tables[i]);
    free(p->tables);
    free(figure_options.pairs.texts);
    free(figure_options.names.texts);
    trj_bytes_free(&p->script);
    trj_bytes_free(&p->file);
    trj_bytes_free(&p->provenance);
}

int main(int argc, char **argv) {
    static struct plot p;
    panels = panel_names[0].name;
    return trj_tool_main(&tool, argc, argv, run, close_all, &p);
}
