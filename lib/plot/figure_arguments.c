// SPDX-License-Identifier: MIT
// Parses ranges, colours and sizes of figures for all outputs, so that their messages are the same.
#include "figure_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "braille.h"
#include "gnuplot_script.h"
#include "number.h"

// Parses "A:B", of which one may be empty. `log` is the argument of --log if the axis is logarithmic, else NULL.
static int parse_range(double *low, double *high, const char *option, const char *range, const char *log,
                       struct trj_error *err) {
    char word[2][64] = {"", ""};
    double *const ends[] = {low, high};
    const char *colon = strchr(range, ':');
    bool valid = colon && range[1] && strlen(colon + 1) < sizeof *word && (size_t)(colon - range) < sizeof *word;
    if (valid) {
        memcpy(word[0], range, (size_t)(colon - range));
        memcpy(word[1], colon + 1, strlen(colon + 1));
    }
    for (int i = 0; valid && i < 2; i++) valid = !*word[i] || trj_parse_real(word[i], ends[i]);
    if (!valid)
        return trj_fail(err, TRJ_USAGE, "%s: invalid range '%s': expected A:B, as 0:8, 2: or :8", option, range);
    if (*low >= *high) return trj_fail(err, TRJ_USAGE, "%s: invalid range '%s': A must be less than B", option, range);
    if (log && (*low <= 0 || *high <= 0))
        return trj_fail(err, TRJ_USAGE, "%s: invalid range '%s': with --log %s both ends must be above 0", option,
                        range, log);
    return 0;
}

int plot_x_range_parse(struct plot_figure_options *o, const char *range, struct trj_error *err) {
    const char *log = o->log_y ? "xy" : "x";
    return parse_range(&o->x_low, &o->x_high, "--x-range", range, o->log_x ? log : NULL, err);
}

int plot_y_range_parse(struct plot_figure_options *o, const char *range, struct trj_error *err) {
    const char *log = o->log_x ? "xy" : "y";
    if (!isnan(o->ymax)) return trj_fail(err, TRJ_USAGE, "--y-range and --ymax: give one of them");
    return parse_range(&o->ymin, &o->ymax, "--y-range", range, o->log_y ? log : NULL, err);
}

int plot_colours_parse(struct plot_figure_options *o, const char *list, struct trj_error *err) {
    struct plot_colours *c = &o->colours;
    for (const char *item = list;; item++) {
        if (c->count == PLOT_MAX_COLOURS)
            return trj_fail(err, TRJ_USAGE, "--colours: more than %d colours", PLOT_MAX_COLOURS);
        if (*item != '#' || strspn(item + 1, "0123456789abcdefABCDEF") != 6 || (item[7] && item[7] != ','))
            return trj_fail(err, TRJ_USAGE,
                            "--colours: invalid list '%s': expected #rrggbb of hexadecimal digits, with commas "
                            "between colours, as #0072b2,#d55e00",
                            list);
        c->rgb[c->count++] = strtoul(item + 1, NULL, 16);
        item += 7;
        if (!*item) return 0;
    }
}

int plot_size_parse(struct plot_canvas *canvas, const char *size, bool file, struct trj_error *err) {
    static const struct {
        const char *name;
        double length, min, max;
    } units[] = {{"mm", 1, 10, 1000}, {"cm", 10, 1, 100}, {"in", 25.4, 0.4, 40}, {"", 0, 10, 1000}};
    size_t length = strlen(size), unit = 0, n, end = 0;
    char text[64] = "";
    double w = 0, h = 0;
    while (strlen(units[unit].name) > length || strcmp(size + length - strlen(units[unit].name), units[unit].name) != 0)
        unit++;
    if (length < sizeof text) memcpy(text, size, length - strlen(units[unit].name));
    n = strcspn(text, "x");
    if (text[n]) text[n] = 0, end = n + 1;
    bool valid = end && trj_parse_real(text, &w) && trj_parse_real(text + end, &h);
    if (!valid || !*units[unit].name != !file || (!file && (w != floor(w) || h != floor(h))))
        return trj_fail(err, TRJ_USAGE, "--size: invalid size '%s': expected %s", size,
                        file ? "width and height with mm, cm or in, as 85x57mm"
                             : "columns and lines of a terminal, as 80x24, because there is no -o");
    if (fmin(w, h) < units[unit].min || fmax(w, h) > units[unit].max)
        return trj_fail(err, TRJ_USAGE, "--size: invalid size '%s': both numbers must be from %g to %g", size,
                        units[unit].min, units[unit].max);
    if (file) {
        *canvas = plot_gnuplot_canvas_of_size(w * units[unit].length, h * units[unit].length);
    } else {
        *canvas = plot_braille_canvas((size_t)w, (size_t)h);
        canvas->fixed = true;
    }
    return 0;
}
