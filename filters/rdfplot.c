// SPDX-License-Identifier: MIT
// rdfplot draws tables of rdfnorm and rdfderive: picture files with gnuplot, and text pictures without other programs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "braille.h"
#include "figure.h"
#include "figure_file.h"
#include "gnuplot_script.h"
#include "memory.h"
#include "output.h"
#include "plot_table.h"
#include "tool.h"

static const char *output_path, *panels;
static struct plot_figure_options figure_options = {.ymax = NAN};

static const struct trj_choice panel_names[] = {
    [PLOT_PANELS_AUTO] = {"auto",
                          "one of each pair where more than six curves would be in one, or several of each pair"},
    [PLOT_PANELS_ONE] = {"one", "all curves in one"},
    [PLOT_PANELS_PAIRS] = {"pairs", "one of each pair"},
    {NULL, NULL},
};

static const struct trj_option options[] = {
    TRJ_OPTION_OUTPUT(&output_path, "draw into FILE, .svg, .png or .pdf; without it as text on standard output"),
    {.heading = "Figure",
     .letter = 'y',
     .name = "ymax",
     .kind = TRJ_OPTION_REAL,
     .value = &figure_options.ymax,
     .arg = "Y",
     .help = "upper end of the vertical axis, where another is wanted"},
    {.letter = 'p',
     .name = "pair",
     .kind = TRJ_OPTION_LIST,
     .value = &figure_options.pairs,
     .arg = "A:B",
     .help = "draw the curve of this pair; without it those of all"},
    {.letter = 'n',
     .name = "coordination",
     .kind = TRJ_OPTION_FLAG,
     .value = &figure_options.coordination,
     .help = "draw n(r) of the tables, too, on an axis at the right"},
    {.name = "panels",
     .kind = TRJ_OPTION_CHOICE,
     .value = &panels,
     .arg = "WHICH",
     .help = "panels side by side",
     .choices = panel_names},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "rdfplot",
    .purpose = "Draws the curves of tables that rdfnorm or rdfderive printed into one picture (files need gnuplot).",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
};

struct plot {
    struct plot_table *tables;
    size_t count;
    struct plot_figure figure;
    struct trj_bytes script, picture;
    struct trj_bytes provenance; // lines, those of the tables and our own
};

static int read_tables(struct plot *p, char **paths, size_t count, struct trj_error *err) {
    size_t all = count ? count : 1;
    if (!(p->tables = trj_alloc(all, sizeof *p->tables, "tables", err))) return -1;
    for (size_t i = 0; i < all; i++) {
        p->count++; // also one that fails is freed
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
    return plot_braille_canvas(w.ws_col, w.ws_row - 1U); // a line is the prompt's
}

static bool has_colours(void) {
    const char *no = getenv("NO_COLOR"), *name = getenv("TERM"); // https://no-color.org
    return isatty(STDOUT_FILENO) && !(no && *no) && !(name && !strcmp(name, "dumb"));
}

static void report_skipped_columns(const struct plot_figure *f) {
    char others[40] = "";
    if (f->skipped > 1) snprintf(others, sizeof others, ", nor of %zu more", f->skipped - 1);
    if (f->skipped)
        trj_tool_message("note: %s: no value of %s(%s)%s is finite: not drawn", f->first_skipped_in->file,
                         f->first_skipped->quantity->column, f->first_skipped->of, others);
}

static int draw(struct plot *p, struct trj_error *err) {
    enum plot_format format = PLOT_SVG;
    if (output_path && find_format(&format, err)) return -1;
    struct plot_canvas canvas = output_path ? plot_gnuplot_canvas() : terminal();
    if (plot_figure_make(&p->figure, &canvas, p->tables, p->count, &figure_options, err)) return -1;
    report_skipped_columns(&p->figure);
    if (!output_path) return plot_braille_write(&p->picture, &p->figure, has_colours(), err);
    plot_gnuplot_script_write(&p->script, &p->figure, format);
    if (p->script.failed) return trj_fail_memory(err, (double)p->script.size, "a script");
    char messages[PLOT_MESSAGES] = "";
    if (plot_file_draw(&p->picture, messages, &p->script, format, err)) return -1;
    if (*messages) trj_tool_message("note: gnuplot: %s", messages);
    return plot_file_add_provenance(&p->picture, format, &p->provenance, err);
}

static int run(struct plot *p, struct trj_output **out, int argc, char **argv, int first, struct trj_error *err) {
    if (!isnan(figure_options.ymax) && !(figure_options.ymax > 0))
        return trj_fail(err, TRJ_USAGE, "--ymax: invalid value %g: must be above 0", figure_options.ymax);
    while (strcmp(panel_names[figure_options.panels].name, panels) != 0) figure_options.panels++;
    if (read_tables(p, argv + first, (size_t)(argc - first), err)) return -1;
    char **provenance = trj_tool_provenance(&tool, argc, argv, err);
    for (char **line = provenance; line && *line; line++) {
        trj_put_raw(&p->provenance, *line, strlen(*line));
        trj_put_raw(&p->provenance, "\n", 1);
    }
    trj_text_array_free(provenance);
    return !provenance || draw(p, err) ||
                   trj_output_open(out, output_path, output_path ? TRJ_OUTPUT_BINARY : TRJ_OUTPUT_TEXT, err) ||
                   trj_output_write(*out, p->picture.data, p->picture.size, err) || trj_output_commit(*out, err)
               ? -1
               : 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct plot p = {.count = 0};
    struct trj_output *out = NULL;
    int first, rc;
    panels = panel_names[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&p, &out, argc, argv, first, &err);
    trj_output_close(out);
    plot_figure_free(&p.figure);
    for (size_t i = 0; i < p.count; i++) plot_table_free(&p.tables[i]);
    free(p.tables);
    free(figure_options.pairs.texts);
    trj_bytes_free(&p.script);
    trj_bytes_free(&p.picture);
    trj_bytes_free(&p.provenance);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
