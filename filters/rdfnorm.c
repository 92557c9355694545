// SPDX-License-Identifier: MIT
// rdfnorm: histogram streams in, a table of g(r) out.
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "norm_table.h"
#include "output.h"
#include "table.h"
#include "tool.h"

static struct rdf_norm_request ask = {
    .excluded = "out", .volume = NAN, .density = NAN, .droplet = NAN, .thickness = NAN, .merge = 1};
static const char *output_path;

static const struct trj_choice planes[] = {
    {"x", "that of b and c"}, {"y", "that of a and c"}, {"z", "that of a and b"}, {NULL, NULL}};

static const struct trj_option options[] = {
    {.letter = 'n',
     .name = "norm",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.norm,
     .arg = "CONVENTION",
     .help = "how g(r) is normalised",
     .choices = rdf_norms},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.volume,
     .arg = "V",
     .help = "volume in cubic Angstrom instead of the frames' own"},
    {.letter = 'd',
     .name = "density",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.density,
     .arg = "RHO",
     .help = "atoms of B per cubic Angstrom, instead of those of the frames"},
    {.name = "droplet",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.droplet,
     .arg = "R",
     .help = "atoms are in a sphere of this radius, in Angstrom, and nothing is outside"},
    {.name = "box",
     .kind = TRJ_OPTION_TEXT,
     .value = &ask.box,
     .arg = "LX,LY,LZ",
     .help = "atoms are in a box of these sides, in Angstrom, and nothing is outside"},
    {.name = "plane",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.plane,
     .arg = "AXIS",
     .help = "atoms are in a plane, or a slab, across this direction, and are not repeated along it",
     .choices = planes},
    {.name = "thickness",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.thickness,
     .arg = "H",
     .help = "atoms are in a slab of this thickness, in Angstrom, and nothing is outside"},
    {.letter = 'e',
     .name = "error",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.error,
     .arg = "WAY",
     .help = "how the standard error is estimated from two records or more",
     .choices = rdf_errors},
    {.letter = 'b',
     .name = "rebin",
     .kind = TRJ_OPTION_COUNT,
     .value = &ask.merge,
     .arg = "N",
     .help = "take N bins together",
     .min = 1,
     .max = RDF_MOST_BINS},
    {.letter = 'r',
     .name = "range",
     .kind = TRJ_OPTION_TEXT,
     .value = &ask.range,
     .arg = "LOW:HIGH",
     .help = "only bins between these edges, in Angstrom"},
    RDF_OPTION_PAIR(&ask.pairs),
    {.name = "excluded",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.excluded,
     .arg = "WHERE",
     .help = "what becomes of pairs that rdfhist -x excluded",
     .choices = rdf_parts},
    {.name = "total",
     .kind = TRJ_OPTION_LIST,
     .value = &ask.totals,
     .arg = "WHAT",
     .help = "print the sum over all pairs of groups, too: number, neutron, xray, or xray@Q, with f at Q"},
    {.name = "form",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.form,
     .arg = "FORM",
     .help = "what --total is printed as",
     .choices = rdf_forms},
    RDF_OPTION_SCATTERER(&ask.scatterers),
    RDF_OPTION_PARTIAL(&ask.partial),
    {.name = "self",
     .kind = TRJ_OPTION_FLAG,
     .value = &ask.self,
     .help = "how far atoms themselves went, of counts with rdfhist --lag, instead of where the others are"},
    {.letter = 'c',
     .name = "counts",
     .kind = TRJ_OPTION_FLAG,
     .value = &ask.counts,
     .help = "print the raw counts instead of g(r)"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfnorm",
    .purpose = "Adds histogram streams (from rdfhist) and prints g(r) and n(r) as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
};

static void note(const char *text) {
    trj_tool_message("%s", text);
}

static int run(struct rdf_normalisation *n, struct trj_output **out, int argc, char **argv, int first,
               struct trj_error *err) {
    n->note = note;
    if (rdf_normalisation_open(n, &ask, err) || rdf_table_read(&n->hist, argv + first, argc - first, err) ||
        rdf_normalise(n, err))
        return -1;
    char **provenance = trj_tool_provenance(&tool, argc, argv, err);
    int rc = !provenance || trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err) ||
                     rdf_norm_print(*out, n, provenance, err) || trj_output_commit(*out, err)
                 ? -1
                 : 0;
    trj_text_array_free(provenance);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    static struct rdf_normalisation n;
    struct trj_output *out = NULL;
    int first, rc;
    ask.norm = rdf_norms[0].name;
    ask.error = rdf_errors[0].name;
    ask.form = rdf_forms[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&n, &out, argc, argv, first, &err);
    trj_output_close(out);
    rdf_normalisation_close(&n);
    free(ask.totals.texts);
    free(ask.scatterers.texts);
    free(ask.pairs.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
