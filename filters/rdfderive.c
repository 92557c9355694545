// SPDX-License-Identifier: MIT
// rdfderive: reads histogram streams and prints a table of quantities derived from g(r).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derived_table.h"
#include "memory.h"
#include "output.h"
#include "quantity.h"
#include "table.h"
#include "tool.h"

static const char *quantity_name, *excluded, *form = "s", *output_path;
static struct trj_text_list totals, pairs;
static bool partial;
static struct rdf_request ask = {
    .window = "none", .volume = NAN, .temperature = NAN, .qmin = 0, .qmax = 20, .dq = 0.05, .reach = 0.3, .shells = 1};

static const struct trj_choice forms[] = {
    {"s", "S(q), which tends to 1"},
    {"fz", "F(q) = <b>^2 (S(q) - 1) of Faber and Ziman, which tends to 0"},
    {NULL, NULL},
};

static const struct trj_option options[] = {
    {.heading = "Quantity",
     .letter = 'q',
     .name = "quantity",
     .kind = TRJ_OPTION_CHOICE,
     .value = &quantity_name,
     .arg = "QUANTITY",
     .help = "derive this quantity; required",
     .choices = rdf_quantity_names},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.volume,
     .arg = "V",
     .help = "use this volume in cubic Angstrom instead of that of the frames"},
    {.letter = 'T',
     .name = "temperature",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.temperature,
     .arg = "K",
     .help = "pmf: set the temperature in kelvin"},
    {.heading = "Structure factors",
     .letter = 'w',
     .name = "window",
     .kind = TRJ_OPTION_CHOICE,
     .value = &ask.window,
     .arg = "WINDOW",
     .help = "sq: multiply g(r) - 1 by this window",
     .choices = rdf_windows},
    {.name = "qmin",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.qmin,
     .arg = "Q",
     .help = "sq, debye: set the smallest q in 1/Angstrom"},
    {.name = "qmax",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.qmax,
     .arg = "Q",
     .help = "sq, debye: set the largest q in 1/Angstrom"},
    {.name = "dq",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.dq,
     .arg = "Q",
     .help = "sq, debye: set the step of q in 1/Angstrom"},
    {.name = "atoms",
     .kind = TRJ_OPTION_COUNT,
     .value = &ask.atoms,
     .arg = "N",
     .help = "sq, debye: use N atoms of the whole system for partial S(q) of Faber and Ziman (default: Ashcroft and "
             "Langreth)",
     .max = UINT32_MAX},
    {.name = "total",
     .kind = TRJ_OPTION_LIST,
     .value = &totals,
     .arg = "WHAT",
     .help = "sq, debye: also print the total S(q) of all pairs of groups: number, neutron or xray"},
    {.name = "form",
     .kind = TRJ_OPTION_CHOICE,
     .value = &form,
     .arg = "FORM",
     .help = "print totals in this form",
     .choices = forms},
    RDF_OPTION_SCATTERER(&ask.scatterers),
    RDF_OPTION_PARTIAL(&partial),
    {.heading = "Other quantities",
     .name = "corrected",
     .kind = TRJ_OPTION_FLAG,
     .value = &ask.corrected,
     .help =
         "kb: correct g(r) for the closed system (Ganguly and van der Vegt); s2: subtract the bias caused by noise"},
    {.name = "shells",
     .kind = TRJ_OPTION_COUNT,
     .value = &ask.shells,
     .arg = "N",
     .help = "shells: find N shells",
     .min = 1,
     .max = 100},
    {.name = "reach",
     .kind = TRJ_OPTION_REAL,
     .value = &ask.reach,
     .arg = "R",
     .help = "shells: smooth g(r) with parabolas over at most R Angstrom on either side"},
    RDF_OPTION_PAIR(&pairs),
    {.name = "excluded",
     .kind = TRJ_OPTION_CHOICE,
     .value = &excluded,
     .arg = "WHERE",
     .help = "treat the pairs that rdfhist -x excluded in this way (default: in for sq and debye, out for all others)",
     .choices = rdf_parts},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfderive",
    .purpose = "Derives structure factors, coordination numbers, Kirkwood-Buff integrals and other quantities from "
               "histogram streams (of rdfhist), as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
};

enum { MAX_ROWS = 1000000 };

static int check_options(const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_quantity *q = d->quantity;
    enum rdf_quantity_number number = d->number;
    const struct {
        const char *name;
        bool given, fits;
    } only[] = {
        {"temperature", !isnan(ask.temperature), number == RDF_PMF},
        {"window", strcmp(ask.window, "none") != 0, number == RDF_SQ},
        {"atoms", ask.atoms > 0, q->axis == RDF_WAVES},
        {"total", totals.count > 0, q->axis == RDF_WAVES},
        {"corrected", ask.corrected, number == RDF_KB || number == RDF_S2},
        {"volume", !isnan(ask.volume), q->curve},
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (only[i].given && !only[i].fits)
            return trj_fail(err, TRJ_USAGE, "--%s has no effect on --quantity %s; leave it out", only[i].name,
                            quantity_name);
    if (!isnan(ask.volume) && !(ask.volume > 0))
        return trj_fail(err, TRJ_USAGE, "--volume: invalid value %g: expected a volume above 0 in Angstrom^3",
                        ask.volume);
    if (number == RDF_PMF && !(ask.temperature > 0))
        return isnan(ask.temperature)
                   ? trj_fail(err, TRJ_USAGE, "--quantity pmf: the temperature is missing; give it with --temperature")
                   : trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g K: must be above 0", ask.temperature);
    if (!(ask.qmin >= 0 && ask.qmax >= ask.qmin && ask.dq > 0 && (ask.qmax - ask.qmin) / ask.dq < MAX_ROWS))
        return trj_fail(
            err, TRJ_USAGE,
            "--qmin %g, --qmax %g, --dq %g: invalid grid: expected 0 <= qmin <= qmax, dq > 0 and at most %d points",
            ask.qmin, ask.qmax, ask.dq, MAX_ROWS);
    if (totals.count && pairs.count)
        return trj_fail(err, TRJ_USAGE, "--total and --pair: a total is the sum over all pairs; leave one of them out");
    if (!totals.count && (ask.scatterers.count || partial || ask.undivided))
        return trj_fail(err, TRJ_USAGE, "--%s applies to totals only; add --total, or leave it out",
                        ask.scatterers.count ? "scatterer"
                        : partial            ? "partial"
                                             : "form");
    for (size_t i = 0; i < totals.count; i++)
        if (!strcmp(totals.texts[i], "xray") && ask.qmax > RDF_MAX_Q)
            return trj_fail(err, TRJ_USAGE, "--qmax %g: form factors are tabulated up to q = %g; give a smaller --qmax",
                            ask.qmax, RDF_MAX_Q);
    if (!(ask.reach > 0))
        return trj_fail(err, TRJ_USAGE, "--reach: invalid value %g Angstrom: must be above 0", ask.reach);
    return 0;
}

// Reports the pairs with missing shells; the shells that were found are in the table.
static void report_missing_shells(const struct rdf_derivation *d) {
    for (size_t p = 0; d->missing_shells && p < d->pairs; p++)
        if (*d->missing_shells[p].text)
            trj_tool_message("note: %s: nan in the table; count more frames, or smooth more with --reach",
                             d->missing_shells[p].text);
}

// Reports pairs that are beyond rmax, and thus missing from Debye's sum over a finite body or over excluded pairs.
static void note_missing_pairs(const struct rdf_derivation *d) {
    const struct rdf_setup *s = &d->hist.setup;
    bool of_excluded = s->exclusion && (d->hist.part == RDF_PART_EXCLUDED || d->hist.part == RDF_PART_SEPARATE);
    if (d->quantity->axis != RDF_WAVES) return;
    if (!of_excluded && (d->number != RDF_DEBYE || rdf_hist_total(&d->hist).periodic_any)) return;
    for (size_t p = 0; p < d->pairs; p++) {
        double all, counted;
        rdf_derived_coverage(d, p, &all, &counted);
        if (counted < all)
            trj_tool_message("%s:%s: %.10g of %.10g %spairs are beyond rmax and not in the sum",
                             s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name, all - counted, all,
                             of_excluded ? "excluded " : "");
    }
}

static int run(struct rdf_derivation *d, struct trj_output **out, int argc, char **argv, int first,
               struct trj_error *err) {
    enum rdf_quantity_number number = 0;
    struct rdf_total *asked = NULL;
    char **provenance = NULL;
    int rc = -1;
    if (!quantity_name)
        return trj_fail(err, TRJ_USAGE, "--quantity: missing; give one of the quantities listed by rdfderive --help");
    while (strcmp(rdf_quantity_names[number].name, quantity_name) != 0) number++;
    ask.undivided = !strcmp(form, forms[1].name);
    if (rdf_totals_parse(&asked, &totals, false, err)) goto out;
    ask.totals = asked;
    ask.total_count = totals.count;
    if (rdf_derivation_open(d, number, &ask, excluded, err) || check_options(d, err)) goto out;
    d->progress = trj_tool_progress;
    d->hist.pairs = pairs;
    rc = rdf_table_read(&d->hist, argv + first, argc - first, err);
    if (!rc) rc = rdf_derive(d, err);
    trj_tool_progress_end();
    char note[RDF_SHARE_NOTE] = "";
    if (!rc && totals.count)
        rc = rdf_scattering_check_share(&d->scattering, d->group_atoms, rdf_hist_total(&d->hist).frames, asked,
                                        totals.count, partial, note, err);
    if (rc) goto out;
    if (*note) trj_tool_message("%s", note);
    note_missing_pairs(d);
    report_missing_shells(d);
    if (d->inefficiency > 1)
        trj_tool_message("note: blocks of records are correlated, statistical inefficiency %.3g: errors are too small; "
                         "count more frames, in longer records (rdfhist -B)",
                         d->inefficiency);
    provenance = trj_tool_provenance(&tool, argc, argv, err);
    rc = !provenance || trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err) ||
                 rdf_derived_print(*out, d, provenance, err) || trj_output_commit(*out, err)
             ? -1
             : 0;
out:
    trj_text_array_free(provenance);
    free(asked);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    static struct rdf_derivation d;
    struct trj_output *out = NULL;
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&d, &out, argc, argv, first, &err);
    trj_output_close(out);
    rdf_derivation_close(&d);
    free(totals.texts);
    free(ask.scatterers.texts);
    free(pairs.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
