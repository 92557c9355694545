// SPDX-License-Identifier: MIT
// rdfnorm: histogram streams in, a table of g(r) out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist_stream.h"
#include "memory.h"
#include "norm.h"
#include "output.h"
#include "table.h"
#include "tool.h"

static const char *norm, *error, *range, *excluded = "out", *output_path;
static double volume = NAN, density = NAN, droplet = NAN;
static uint64_t rebin = 1;
static bool only_counts;

static const struct trj_option options[] = {
    {.letter = 'n',
     .name = "norm",
     .kind = TRJ_OPTION_CHOICE,
     .value = &norm,
     .arg = "CONVENTION",
     .help = "how g(r) is normalised",
     .choices = rdf_norms},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &volume,
     .arg = "V",
     .help = "volume in cubic Angstrom instead of the frames' own"},
    {.letter = 'd',
     .name = "density",
     .kind = TRJ_OPTION_REAL,
     .value = &density,
     .arg = "RHO",
     .help = "atoms of B per cubic Angstrom, instead of those of the frames"},
    {.name = "droplet",
     .kind = TRJ_OPTION_REAL,
     .value = &droplet,
     .arg = "R",
     .help = "atoms are in a sphere of this radius, in Angstrom, and nothing is outside"},
    {.letter = 'e',
     .name = "error",
     .kind = TRJ_OPTION_CHOICE,
     .value = &error,
     .arg = "WAY",
     .help = "how the standard error is estimated from two records or more",
     .choices = rdf_errors},
    {.letter = 'b',
     .name = "rebin",
     .kind = TRJ_OPTION_COUNT,
     .value = &rebin,
     .arg = "N",
     .help = "take N bins together",
     .min = 1,
     .max = RDF_MOST_BINS},
    {.letter = 'r',
     .name = "range",
     .kind = TRJ_OPTION_TEXT,
     .value = &range,
     .arg = "LOW:HIGH",
     .help = "only bins between these edges, in Angstrom"},
    {.name = "excluded",
     .kind = TRJ_OPTION_CHOICE,
     .value = &excluded,
     .arg = "WHERE",
     .help = "what becomes of pairs that rdfhist -x excluded",
     .choices = rdf_parts},
    {.letter = 'c',
     .name = "counts",
     .kind = TRJ_OPTION_FLAG,
     .value = &only_counts,
     .help = "print the raw counts instead of g(r)"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "rdfnorm",
    .purpose = "Adds histogram streams (from rdfhist) and prints g(r) and n(r) as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
};

static int print_counts(struct trj_output *out, const struct rdf_hist *h, const struct rdf_sums *sums,
                        struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_view *v = &sums->view;
    if (trj_output_print(out, err, "# columns: bin edges in Angstrom, pairs counted in all frames\n# r_lo\tr_hi"))
        return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_name(out, "count", s, p, false, err)) return -1;
    for (uint64_t k = 0; k < v->bins; k++) {
        if (trj_output_print(out, err, "\n%.10g\t%.10g", rdf_view_edge(v, &s->bins, k),
                             rdf_view_edge(v, &s->bins, k + 1)))
            return -1;
        for (size_t p = 0; p < s->pair_count; p++) {
            unsigned long long n = sums->counts[p * v->bins + k];
            if (trj_output_print(out, err, "\t%llu", n)) return -1;
        }
    }
    return trj_output_print(out, err, "\n");
}

static int print_norm(struct trj_output *out, struct trj_error *err) {
    if (trj_output_print(out, err, "# norm: %s", norm)) return -1;
    if (volume > 0 && trj_output_print(out, err, ", with a volume of %.10g Angstrom^3", volume)) return -1;
    if (density > 0 && trj_output_print(out, err, ", with a density of %.10g per Angstrom^3", density)) return -1;
    if (droplet > 0 && trj_output_print(out, err, ", in a sphere of radius %.10g Angstrom", droplet)) return -1;
    return trj_output_print(out, err, "\n");
}

// How long the blocks of a pair are, and whether there are enough of them.
static int print_blocks(struct trj_output *out, const struct rdf_setup *s, size_t pair, const struct rdf_mean_error *e,
                        struct trj_error *err) {
    const char *a = s->groups[s->pairs[pair].a].name, *b = s->groups[s->pairs[pair].b].name;
    if (e->too_few)
        trj_tool_say("%s:%s: too few records to tell how far they depend on one another: its errors may be too small; "
                     "count shorter records (rdfhist -B) or more frames",
                     a, b);
    return trj_output_print(out, err,
                            "# error %s:%s: blocks of %llu record%s, statistical inefficiency %.4g records%s\n", a, b,
                            (unsigned long long)e->block, e->block > 1 ? "s" : "", e->inefficiency,
                            e->too_few ? ", of too few records" : "");
}

static int print_curves(struct trj_output *out, const struct rdf_hist *h, const struct rdf_sums *sums,
                        const struct rdf_curve *curves, struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_view *v = &sums->view;
    const struct trj_choice *column = rdf_norm_column(norm);
    bool errors = curves[0].error.error;
    if (print_norm(out, err)) return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (curves[p].error.block && print_blocks(out, s, p, &curves[p].error, err)) return -1;
    if (trj_output_print(out, err, "# columns: middle of the bin in Angstrom; a pair of groups: %s, ", column->help) ||
        (errors && trj_output_print(out, err, "its standard error over %s, ", error)) ||
        trj_output_print(out, err, "neighbours within the bin's upper edge\n# r"))
        return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_name(out, column->name, s, p, false, err) ||
            (errors && rdf_table_name(out, "se", s, p, false, err)) || rdf_table_name(out, "n", s, p, false, err))
            return -1;
    for (uint64_t k = 0; k < v->bins; k++) {
        double middle = (rdf_view_edge(v, &s->bins, k) + rdf_view_edge(v, &s->bins, k + 1)) / 2;
        if (trj_output_print(out, err, "\n%.10g", middle)) return -1;
        for (size_t p = 0; p < s->pair_count; p++) {
            if (trj_output_print(out, err, "\t%.10g", curves[p].g[k]) ||
                (errors && trj_output_print(out, err, "\t%.4g", curves[p].error.error[k])) ||
                trj_output_print(out, err, "\t%.10g", curves[p].n[k]))
                return -1;
        }
    }
    return trj_output_print(out, err, "\n");
}

// What was asked for, and whether it makes sense before anything is read.
static int ask(struct rdf_sums *sums, struct trj_error *err) {
    if (!isnan(volume) && !(volume > 0)) return trj_fail(err, TRJ_USAGE, "--volume: %g is not a volume", volume);
    if (!isnan(density) && !(density > 0)) return trj_fail(err, TRJ_USAGE, "--density: %g is not a density", density);
    if (!isnan(droplet) && !(droplet > 0)) return trj_fail(err, TRJ_USAGE, "--droplet: %g is not a radius", droplet);
    *sums = (struct rdf_sums){.norm = only_counts ? NULL : norm,
                              .volume = volume,
                              .density = density,
                              .droplet = droplet,
                              .view.merge = rebin,
                              .mean.error = error};
    if (range && rdf_view_parse(&sums->view, range, err)) return trj_fail_at(err, "--range");
    return rdf_sums_check(sums, err);
}

static int run(struct rdf_hist *h, struct rdf_sums *sums, struct trj_output **out, int argc, char **argv, int first,
               struct trj_error *err) {
    struct rdf_curve *curves = NULL;
    char **provenance = NULL;
    int rc = -1;
    if (ask(sums, err)) return -1;
    h->part = rdf_part_named(excluded);
    h->take = rdf_sums_take;
    h->take_arg = sums;
    if (rdf_table_read(h, argv + first, argc - first, err)) return -1;
    if (!only_counts && rdf_table_check_pairs(&h->setup, err)) return -1;
    size_t n = h->setup.pair_count;
    curves = trj_alloc(n, sizeof *curves, "curves", err);
    provenance = curves ? trj_tool_provenance(&tool, argc, argv, err) : NULL;
    if (!provenance) goto out;
    for (size_t p = 0; !only_counts && p < n; p++)
        if (rdf_norm_curve(&curves[p], h, sums, p, err)) goto out;
    if (trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err) ||
        rdf_table_head(*out, h, sums->group_atoms, provenance, err))
        goto out;
    if (only_counts ? print_counts(*out, h, sums, err) : print_curves(*out, h, sums, curves, err)) goto out;
    rc = trj_output_commit(*out, err);
out:
    for (size_t p = 0; curves && p < n; p++) rdf_curve_free(&curves[p]);
    free(curves);
    trj_texts_free(provenance);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct rdf_hist h = {.records = NULL};
    struct rdf_sums sums = {.counts = NULL};
    struct trj_output *out = NULL;
    int first, rc;
    norm = rdf_norms[0].name;
    error = rdf_errors[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&h, &sums, &out, argc, argv, first, &err);
    trj_output_close(out);
    rdf_sums_free(&sums);
    rdf_hist_free(&h);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
