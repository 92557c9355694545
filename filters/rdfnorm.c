// SPDX-License-Identifier: MIT
// rdfnorm: reads histogram streams and prints a table of g(r).
#include <math.h>
#include <stdlib.h>

#include "error_blocks.h"
#include "neighbour_norm.h"
#include "norm_table.h"
#include "output.h"
#include "segment_note.h"
#include "stop_request.h"
#include "surface_norm.h"
#include "table.h"
#include "tool.h"
#include "wave_norm.h"

static struct rdf_norm_options norm_options = {
    .excluded = "out", .volume = NAN, .density = NAN, .droplet = NAN, .thickness = NAN, .interval = NAN, .merge = 1};
static struct rdf_neighbour_norm around;
static struct rdf_surface_norm surface;
static struct wav_norm waves;
static struct rdf_norm_layers layers;
static struct trj_text_list lags;
static const char *output_path;
static bool follow;

static const struct trj_choice planes[] = {
    {"x", "the plane of b and c"}, {"y", "the plane of a and c"}, {"z", "the plane of a and b"}, {NULL, NULL}};

static const struct trj_option options[] = {
    {.heading = "Normalisation",
     TRJ_OPTION('n', "norm", CHOICE, &norm_options.norm, "CONVENTION", "normalise g(r) by this convention"),
     .choices = rdf_norms},
    {TRJ_OPTION('v', "volume", REAL, &norm_options.volume, "V",
                "use this volume in cubic Angstrom instead of that of the frames")},
    {TRJ_OPTION('d', "density", REAL, &norm_options.density, "RHO",
                "use this density of B, in atoms per cubic Angstrom, instead of that of the frames")},
    {TRJ_OPTION(0, "droplet", REAL, &norm_options.droplet, "R",
                "correct for atoms in a sphere of radius R in Angstrom, with empty space around it")},
    {TRJ_OPTION(0, "box", TEXT, &norm_options.box, "LX,LY,LZ",
                "correct for atoms in a box with these sides in Angstrom, with empty space around it")},
    {TRJ_OPTION(0, "plane", CHOICE, &norm_options.plane, "AXIS",
                "treat atoms as a plane or slab across this cell vector, without periodic images along it"),
     .choices = planes},
    {TRJ_OPTION(0, "thickness", REAL, &norm_options.thickness, "H",
                "correct for atoms in a slab of thickness H in Angstrom, with empty space on both sides")},
    {.heading = "Errors and bins",
     TRJ_OPTION('e', "error", CHOICE, &norm_options.error, "WAY",
                "estimate standard errors in this way, from two or more records"),
     .choices = curve_errors},
    {.table = curve_interval_option, .value = &norm_options.interval},
    {TRJ_OPTION('b', "rebin", COUNT, &norm_options.merge, "N", "merge N bins into one"), .min = 1, .max = RDF_MAX_BINS},
    {TRJ_OPTION(
        0, "edges", TEXT, &norm_options.edges, "EDGES",
        "merge bins between the edges in this file, in Angstrom; or log:N, N bins whose widths are in proportion "
        "to r")},
    {TRJ_OPTION('r', "range", TEXT, &norm_options.range, "LOW:HIGH",
                "print only bins between these edges in Angstrom (default: all)")},
    {.table = rdf_pair_option, .value = &norm_options.pairs},
    {TRJ_OPTION(0, "excluded", CHOICE, &norm_options.excluded, "WHERE",
                "treat the pairs that rdfhist -x excluded in this way"),
     .choices = rdf_parts},
    {.heading = "Totals",
     TRJ_OPTION(0, "total", LIST, &norm_options.totals, "WHAT",
                "also print the weighted sum over all pairs of groups: number, neutron, xray or electron; xray@Q and "
                "electron@Q with form factors at Q")},
    {TRJ_OPTION(0, "form", CHOICE, &norm_options.form, "FORM", "print totals in this form"), .choices = rdf_forms},
    {.table = rdf_split_option, .value = &norm_options.split},
    {.table = rdf_scatterer_option, .value = &norm_options.scatterers},
    {.table = rdf_partial_option, .value = &norm_options.partial},
    {TRJ_OPTION(0, "atoms", COUNT, &waves.atoms, "N",
                "waves: use N atoms of the whole system for partial S(q) of Faber and Ziman (default: Ashcroft and "
                "Langreth)"),
     .min = 1, .max = UINT32_MAX},
    {.heading = "Other curves",
     TRJ_OPTION(
         0, "self", FLAG, &norm_options.self, NULL,
         "print the self part (displacements of atoms) of counts with rdfhist --lag, instead of the distinct part")},
    {TRJ_OPTION('c', "counts", FLAG, &norm_options.counts, NULL, "print the counts instead of g(r)")},
    {TRJ_OPTION(0, "covariance", FLAG, &norm_options.covariance, NULL,
                "print the covariances between bins instead of g(r), estimated by the method of --error")},
    {.table = rdf_neighbour_norm_option_table, .value = &around},
    {.table = rdf_surface_norm_option_table, .value = &surface},
    {.heading = "Series of curves",
     TRJ_OPTION(0, "each", COUNT, &layers.each, "N",
                "print one curve for every N successive records, with the time in the first column"),
     .min = 1,
     .max = TRJ_OPTION_ABSENT - 1},
    {TRJ_OPTION(0, "lag", LIST, &lags, "LAGS",
                "print only these lags of rdfhist --lag, such as 1,10,100 or log:1:1000:10 (default: all)")},
    {.heading = "Input",
     TRJ_OPTION(0, "follow", FLAG, &follow, NULL,
                "print a table of all records so far after each record, while rdfhist --every writes them")},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfnorm",
    .purpose =
        "Adds histogram streams (of rdfhist or skhist) and prints g(r) and n(r), or S(q), as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
};

static int take(void *arg, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err) {
    bool of_waves = setup->waves.shells.count;
    if (of_waves && (layers.each || lags.count))
        return trj_fail(err, TRJ_USAGE, "--%s applies to streams of rdfhist, not to those of skhist; leave it out",
                        layers.each ? "each" : "lag");
    if (!of_waves && waves.atoms) return trj_fail(err, TRJ_USAGE, "--atoms applies to streams of skhist; leave it out");
    return of_waves ? wav_norm_take(&waves, setup, record, err) : rdf_norm_layers_take(arg, setup, record, err);
}

struct run {
    struct rdf_hist *hist;
    struct rdf_hist around; // with numbers of neighbours, triplets, or distances from surfaces
    struct rdf_lag_list lags;
    struct trj_output *out;
    bool printed; // a table of --follow
};

// Prints the table of the records so far.
static int print(struct run *r, struct trj_error *err) {
    bool other = r->hist == &r->around, of_waves = !other && r->hist->setup.waves.shells.count;
    if (!other && !of_waves && rdf_norm_layers_make(&layers, err)) return -1;
    if (!r->out && trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    char **provenance = trj_tool_provenance(err);
    if (surface.requested) return rdf_surface_norm_print(r->out, &surface, r->hist, provenance, err);
    return other      ? rdf_neighbour_norm_print(r->out, &around, r->hist, provenance, err)
           : of_waves ? wav_norm_print(r->out, &waves, r->hist, provenance, err)
                      : rdf_norm_print(r->out, &layers, provenance, err);
}

// After a record: prints a table, which an empty line ends, to standard output, or replaces the file of --output. Notes
// are printed once.
static int print_so_far(void *arg, struct trj_error *err) {
    struct run *r = arg;
    if (!rdf_neighbour_norm_has_table(&around)) return 0;
    r->printed = true;
    if (rdf_table_check(r->hist, err) || print(r, err)) return -1;
    around.note = surface.note = waves.note = NULL;
    rdf_norm_layers_silence(&layers);
    if (to_stdout()) return trj_output_print(r->out, err, "\n") || trj_output_flush(r->out, err) ? -1 : 0;
    if (trj_output_commit(r->out, err)) return -1;
    trj_output_close(r->out);
    r->out = NULL;
    return 0;
}

// Opens the table that is requested.
static int open_table(struct run *r, struct trj_error *err) {
    around.note = surface.note = waves.note = trj_tool_print_line;
    waves.options = &norm_options;
    layers.lags = &r->lags;
    if (surface.requested && rdf_neighbour_norm_requested(&around))
        return trj_fail(err, TRJ_USAGE,
                        "--surface, --neighbours and --triplets: one table is printed; leave the others out");
    if (surface.requested || rdf_neighbour_norm_requested(&around)) {
        if (layers.each || lags.count)
            return trj_fail(err, TRJ_USAGE, "--%s applies to g(r); leave it out", layers.each ? "each" : "lag");
        if (waves.atoms) return trj_fail(err, TRJ_USAGE, "--atoms applies to S(q); leave it out");
        r->hist = &r->around;
        if (surface.requested) return rdf_surface_norm_open(&surface, &norm_options, r->hist, err);
        return rdf_neighbour_norm_open(&around, &norm_options, r->hist, err);
    }
    if (rdf_lag_list_parse(&r->lags, &lags, false, err)) return trj_fail_at(err, "--lag");
    if (lags.count && !r->lags.count) return trj_fail(err, TRJ_USAGE, "--lag: 0 is not a lag; leave it out");
    if (rdf_norm_layers_open(&layers, &norm_options, trj_tool_print_line, err)) return -1;
    r->hist = rdf_norm_layers_hist(&layers);
    r->hist->take = take;
    return 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    char note[TRJ_SEGMENT_NOTE];
    if (follow && layers.each) return trj_fail(err, TRJ_USAGE, "--follow and --each: leave one of them out");
    if (follow && norm_options.covariance)
        return trj_fail(err, TRJ_USAGE,
                        "--follow and --covariance: one record has no covariance; leave one of them out");
    if (open_table(r, err)) return -1;
    if (!trj_tool_provenance(err)) return -1;
    if (follow) {
        trj_stop_on_signals(); // the first signal ends trjcat, and then the input
        r->hist->added = print_so_far;
        r->hist->added_arg = r;
    }
    if (rdf_table_read(r->hist, operands, count, err)) return -1;
    trj_tool_print_line(trj_segment_note(note, r->hist->provenance.text, r->hist->provenance.count));
    if (!r->printed && print(r, err)) return -1;
    return r->out ? trj_output_commit(r->out, err) : 0;
}

static void close_all(void *state) {
    struct run *r = state;
    trj_output_close(r->out);
    rdf_norm_layers_close(&layers);
    rdf_hist_free(&r->around);
    rdf_neighbour_norm_free(&around);
    rdf_surface_norm_free(&surface);
    wav_norm_free(&waves);
    free(norm_options.totals.texts);
    free(norm_options.scatterers.texts);
    free(norm_options.pairs.texts);
    free(lags.texts);
}

int main(int argc, char **argv) {
    static struct run r;
    norm_options.norm = rdf_norms[0].name;
    norm_options.error = curve_errors[0].name;
    norm_options.form = rdf_forms[0].name;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
