// SPDX-License-Identifier: MIT
// Defines the options of histograms, and finds the bins from them: a range is never guessed from the values.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "histogram.h"
#include "number.h"

enum { BINS = 100, BINS_OF_ANGLES = 72 }; // defaults
#define LARGEST   1e100                   // edge of a bin
#define NARROWEST 1e-9                    // width of a bin, relative to the largest edge

const struct trj_option obs_histogram_option_table[] = {
    {.heading = "Histograms",
     TRJ_OPTION_FIELD(0, "hist", LIST, struct obs_histogram_options, one, "EXPRESSION",
                      "print the histogram of an expression over all frames; repeat it for others of the same unit")},
    {TRJ_OPTION_FIELD(0, "hist2d", LIST, struct obs_histogram_options, two, "EXPRESSION",
                      "print the histogram of two expressions; give it twice, first for the horizontal axis")},
    {TRJ_OPTION_FIELD(0, "range", TEXT, struct obs_histogram_options, range, "LOW:HIGH",
                      "count the values in this range; with --hist2d, two ranges separated by a comma (default: "
                      "-180:180 for degrees, otherwise none)")},
    {TRJ_OPTION_FIELD(
        'b', "bins", TEXT, struct obs_histogram_options, bins, "N",
        "divide the range or the profile into N bins; with --hist2d, also N,M (default: 100; 72 for degrees without "
        "--range)")},
    {TRJ_OPTION_FIELD('T', "temperature", REAL, struct obs_histogram_options, temperature, "K",
                      "add the free energy -k_B T ln(p / p_max) in kJ/mol at this temperature in kelvin")},
    {TRJ_OPTION_FIELD(0, "pool", FLAG, struct obs_histogram_options, pool, NULL,
                      "count the values of all columns together, such as those of all residues")},
    TRJ_OPTION_END,
};

bool obs_histogram_is_requested(const struct obs_histogram_options *o) {
    return o->one.count || o->two.count;
}

int obs_histogram_check(const struct obs_histogram_options *o, bool errors, struct trj_error *err) {
    const char *const given[] = {o->range                 ? "range"
                                 : o->bins                ? "bins"
                                 : !isnan(o->temperature) ? "temperature"
                                 : o->pool                ? "pool"
                                                          : NULL};
    const bool bins = *given && !strcmp(*given, "bins");
    if (!obs_histogram_is_requested(o))
        return *given ? trj_fail(err, TRJ_USAGE, "--%s applies to --hist%s --hist2d%s only; leave it out", *given,
                                 bins ? "," : " and", bins ? " and --profile" : "")
                      : 0;
    if (o->one.count && o->two.count)
        return trj_fail(err, TRJ_USAGE, "--hist and --hist2d have different outputs; run trjstat once for each");
    if (o->two.count && o->two.count != 2)
        return trj_fail(err, TRJ_USAGE,
                        "--hist2d: %zu expression%s given, but a histogram has two axes; give it twice, such as "
                        "--hist2d 'torsion(4-6-8-14)' --hist2d 'torsion(6-8-14-16)'",
                        o->two.count, o->two.count == 1 ? "" : "s");
    if (o->two.count && errors)
        return trj_fail(err, TRJ_USAGE, "--summary: --hist2d has no standard errors; leave it out");
    if (!isnan(o->temperature) && !(o->temperature > 0 && o->temperature < 1e100))
        return trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g K: must be above 0 and below 1e100",
                        o->temperature);
    return 0;
}

// Reads LOW:HIGH.
static int parse_range(struct obs_histogram_axis *a, const char *text, size_t n, struct trj_error *err) {
    char number[2][64];
    const char *colon = memchr(text, ':', n);
    size_t low = colon ? (size_t)(colon - text) : 0, high = colon ? n - low - 1 : 0;
    if (low && high && low < sizeof *number && high < sizeof *number) {
        snprintf(number[0], sizeof *number, "%.*s", (int)low, text);
        snprintf(number[1], sizeof *number, "%.*s", (int)high, colon + 1);
        if (trj_parse_real(number[0], &a->low) && trj_parse_real(number[1], &a->high) && a->low < a->high &&
            isfinite(a->high - a->low))
            return 0;
    }
    return trj_fail(err, TRJ_USAGE, "--range: invalid range '%.*s': expected LOW:HIGH with LOW < HIGH", (int)n, text);
}

static int set_range(struct obs_histogram_axis *a, const char *text, size_t n, struct trj_error *err) {
    if (text) return parse_range(a, text, n, err);
    a->low = -180;
    a->high = 180;
    if (!strcmp(a->unit, "degrees")) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--range is missing: only angles have a default; give LOW:HIGH in %s; the smallest and largest "
                    "value are in the comments of trjstat --summary",
                    strcmp(a->unit, "1") != 0 ? a->unit : "the unit of the values");
}

int obs_parse_bins(size_t *bins, const char *text, size_t n, struct trj_error *err) {
    char word[32];
    uint64_t count;
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, text);
    if (!trj_parse_u64(word, &count) || !count || count > OBS_HISTOGRAM_BINS_MAX)
        return trj_fail(err, TRJ_USAGE, "--bins: invalid number '%.*s': expected 1 to %d", (int)n, text,
                        OBS_HISTOGRAM_BINS_MAX);
    *bins = (size_t)count;
    return 0;
}

static int set_count(struct obs_histogram_axis *a, const char *text, size_t n, bool ranged, struct trj_error *err) {
    a->bins = ranged ? BINS : BINS_OF_ANGLES;
    return text ? obs_parse_bins(&a->bins, text, n, err) : 0;
}

// Returns the part of an option for an axis: one part is for all axes. NULL: there are other than 1 or `axes` parts.
static const char *part_of(const char *text, unsigned axis, unsigned axes, size_t *n) {
    const char *comma = strchr(text, ',');
    *n = comma ? (size_t)(comma - text) : strlen(text);
    if (!comma) return text;
    if (axes == 1 || strchr(comma + 1, ',')) return NULL;
    if (!axis) return text;
    *n = strlen(comma + 1);
    return comma + 1;
}

// Fails if densities would overflow, or if the 10 digits of the table do not distinguish the bins.
static int check_width(const struct obs_histogram_axis *a, struct trj_error *err) {
    double size = fmax(fabs(a->low), fabs(a->high)), width = (a->high - a->low) / (double)a->bins;
    if (size <= LARGEST && width >= 1 / LARGEST && width >= NARROWEST * size) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--range: %zu bins from %.17g to %.17g have a width of %.3g, which is outside of what tables can "
                    "contain; use %s",
                    a->bins, a->low, a->high, width,
                    size <= LARGEST ? "a wider range or fewer bins" : "a smaller range");
}

int obs_histogram_set_bins(struct obs_histogram *h, const struct obs_histogram_options *o, struct trj_error *err) {
    if (h->axes == 2 && o->range && !strchr(o->range, ',') && strcmp(h->axis[0].unit, h->axis[1].unit) != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--range: the axes have the units %s and %s; give two ranges, LOW:HIGH,LOW:HIGH",
                        h->axis[0].unit, h->axis[1].unit);
    for (unsigned i = 0; i < h->axes; i++) {
        size_t range = 0, bins = 0;
        const char *of_range = o->range ? part_of(o->range, i, h->axes, &range) : NULL,
                   *of_bins = o->bins ? part_of(o->bins, i, h->axes, &bins) : NULL;
        if ((o->range && !of_range) || (o->bins && !of_bins))
            return trj_fail(err, TRJ_USAGE, "--%s: '%s' has more parts than the histogram has axes, %u",
                            of_range || !o->range ? "bins" : "range", of_range || !o->range ? o->bins : o->range,
                            h->axes);
        if (set_range(&h->axis[i], of_range, range, err)) return -1;
        if (set_count(&h->axis[i], of_bins, bins, o->range != NULL, err) || check_width(&h->axis[i], err)) return -1;
    }
    return 0;
}
