// SPDX-License-Identifier: MIT
// rdfnorm: reads histogram streams and prints a table of g(r).
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
    {"x", "the plane of b and c"}, {"y", "the plane of a and c"}, {"z", "the plane of a and b"}, {NULL, NULL}};

static const struct trj_option options[] = {
    {.heading = "Normalisation",
     .letter = 'n',
     .name = "norm",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.norm,
     .arg = "CONVENTION",
     .help = "normalise g(r) by this convention",
     .choices = rdf_norms},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.volume,
     .arg = "V",
     .help = "use this volume in cubic Angstrom instead of that of the frames"},
    {.letter = 'd',
     .name = "density",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.density,
     .arg = "RHO",
     .help = "use this density of B, in atoms per cubic Angstrom, instead of that of the frames"},
    {.name = "droplet",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.droplet,
     .arg = "R",
     .help = "correct for atoms in a sphere of radius R in Angstrom, with empty space around it"},
    {.name = "box",
     .kind = TRJ_OPTION_TEXT,
     .value = &ask.box,
     .arg = "LX,LY,LZ",
     .help = "correct for atoms in a box with these sides in Angstrom, with empty space around it"},
    {.name = "plane",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.plane,
     .arg = "AXIS",
     .help = "treat atoms as a plane or slab across this cell vector, without periodic images along it",
     .choices = planes},
    {.name = "thickness",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.thickness,
     .arg = "H",
     .help = "correct for atoms in a slab of thickness H in Angstrom, with empty space on both sides"},
    {.heading = "Errors and bins",
     .letter = 'e',
     .name = "error",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.error,
     .arg = "WAY",
     .help = "estimate standard errors in this way, from two or more records",
     .choices = rdf_errors},
    {.letter = 'b',
     .name = "rebin",
     .kind = TRJ_OPTION_COUNT,
     .value = &ask.merge,
     .arg = "N",
     .help = "merge N bins into one",
     .min = 1,
     .max = RDF_MAX_BINS},
    {.letter = 'r',
     .name = "range",
     .kind = TRJ_OPTION_TEXT,
     .value = &ask.range,
     .arg = "LOW:HIGH",
     .help = "print only bins between these edges in Angstrom (default: all)"},
    RDF_OPTION_PAIR(&ask.pairs),
    {.name = "excluded",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.excluded,
     .arg = "WHERE",
     .help = "treat the pairs that rdfhist -x excluded in this way",
     .choices = rdf_parts},
    {.heading = "Totals",
     .name = "total",
     .kind = TRJ_OPTION_LIST,
     .value = &ask.totals,
     .arg = "WHAT",
     .help = "also print the weighted sum over all pairs of groups: number, neutron, xray, or xray@Q with form factors "
             "at Q"},
    {.name = "form",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.form,
     .arg = "FORM",
     .help = "print totals in this form",
     .choices = rdf_forms},
    RDF_OPTION_SCATTERER(&ask.scatterers),
    RDF_OPTION_PARTIAL(&ask.partial),
    {.heading = "Other curves",
     .name = "self",
     .kind = TRJ_OPTION_FLAG,
     .value = &ask.self,
     .help = "print the self part (displacements of atoms) of counts with rdfhist --lag, instead of the distinct part"},
    {.letter = 'c',
     .name = "counts",
     .kind = TRJ_OPTION_FLAG,
     .value = &ask.counts,
     .help = "print the counts instead of g(r)"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfnorm",
    .purpose = "Adds histogram streams (of rdfhist) and prints g(r) and n(r) as tab-separated text.",
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
