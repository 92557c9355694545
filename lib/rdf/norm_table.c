// SPDX-License-Identifier: MIT
#include "norm_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

static int print_counts(struct trj_output *out, const struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_setup *s = &n->hist.setup;
    const struct rdf_rebin *v = &n->sums.rebin;
    if (trj_output_print(out, err, "# columns: bin edges in Angstrom, %s counted in all frames\n# r_lo\tr_hi",
                         n->ask.self ? "atoms" : "pairs"))
        return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_print_name(out, "count", s, p, false, err)) return -1;
    for (uint64_t k = 0; k < v->bins; k++) {
        if (trj_output_print(out, err, "\n%.10g\t%.10g", rdf_rebin_edge(v, &s->bins, k),
                             rdf_rebin_edge(v, &s->bins, k + 1)))
            return -1;
        for (size_t p = 0; p < s->pair_count; p++) {
            unsigned long long count = n->sums.counts[p * v->bins + k];
            if (trj_output_print(out, err, "\t%llu", count)) return -1;
        }
    }
    return trj_output_print(out, err, "\n");
}

// Prints the convention, and the volume and geometry that it is used with.
static int print_norm(struct trj_output *out, const struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_norm_request *q = &n->ask;
    const struct rdf_record all = rdf_hist_total(&n->hist);
    double height[2];
    rdf_sums_cell_heights(height, &n->sums, &all);
    if (trj_output_print(out, err, "# norm: %s", q->norm)) return -1;
    if (q->volume > 0 && trj_output_print(out, err, ", with a volume of %.10g Angstrom^3", q->volume)) return -1;
    if (q->density > 0 && trj_output_print(out, err, ", with a density of %.10g per Angstrom^3", q->density)) return -1;
    if (q->droplet > 0 && trj_output_print(out, err, ", in a sphere of radius %.10g Angstrom", q->droplet)) return -1;
    if (q->box &&
        trj_output_print(out, err, ", in a box of %.10g by %.10g by %.10g Angstrom", n->box[0], n->box[1], n->box[2]))
        return -1;
    if (q->thickness > 0 && trj_output_print(out, err, ", in a slab of %.10g Angstrom", q->thickness)) return -1;
    if (q->plane && trj_output_print(out, err, ", in the plane across %s", q->plane)) return -1;
    if (height[1] > 0 && trj_output_print(out, err, ", in a slab over the whole height of the cell, %.10g", height[0]))
        return -1;
    if (height[1] > 0 && !rdf_same_height(height[0], height[1]) && trj_output_print(out, err, " to %.10g", height[1]))
        return -1;
    if (height[1] > 0 && trj_output_print(out, err, " Angstrom; see --thickness")) return -1;
    return trj_output_print(out, err, "\n");
}

// Prints the records or blocks from which the errors of a curve were estimated. Reports if there are too few of them.
static int print_blocks(struct trj_output *out, const struct rdf_normalisation *n, const char *curve,
                        const struct rdf_mean_error *e, struct trj_error *err) {
    char text[1024];
    snprintf(text, sizeof text,
             "%s: too few records to estimate their correlation: its errors may be too small; count more frames, or "
             "shorter records if they have several frames each (rdfhist -B)",
             curve);
    if (e->too_few && n->note) n->note(text);
    if (!strcmp(n->ask.error, "auto") && !e->correlated)
        return trj_output_print(out, err, "# error %s: records, %s\n", curve,
                                e->tested ? "which show no correlation" : "too few to detect correlation");
    return trj_output_print(out, err, "# error %s: blocks of %llu record%s, statistical inefficiency %.4g records%s\n",
                            curve, (unsigned long long)e->block, e->block > 1 ? "s" : "", e->inefficiency,
                            e->too_few ? ", of too few records" : "");
}

static int print_pair_blocks(struct trj_output *out, const struct rdf_normalisation *n, size_t pair,
                             struct trj_error *err) {
    const struct rdf_setup *s = &n->hist.setup;
    char name[256];
    if (!n->curves[pair].error.block) return 0;
    snprintf(name, sizeof name, "%s:%s", s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name);
    return print_blocks(out, n, name, &n->curves[pair].error, err);
}

// Prints the scatterers of the groups of a total, the weight of each pair of groups, and the blocks of the error.
static int print_total_head(struct trj_output *out, const struct rdf_normalisation *n, size_t total,
                            struct trj_error *err) {
    const struct rdf_scattering *scattering = &n->sums.scattering;
    const struct rdf_setup *s = scattering->setup;
    const struct rdf_total *t = &n->totals[total];
    const struct rdf_total_curve *c = &n->total_curves[total];
    static const char *const units[] = {[RDF_NUMBER] = "", [RDF_NEUTRON] = " barn", [RDF_XRAY] = " electrons^2"};
    if (rdf_scattering_print(out, scattering, t, err) ||
        trj_output_print(out, err, "# total %s: <b>^2 %.7g%s", t->name, c->mean * rdf_scattering_unit(t->probe),
                         units[t->probe]))
        return -1;
    const char *before = "; weights over it";
    for (size_t p = 0; p < s->pair_count && c->mean > 0; p++) {
        if (!rdf_scattering_first(scattering, p)) continue;
        if (trj_output_print(out, err, "%s %s:%s %.4f", before, s->groups[s->pairs[p].a].name,
                             s->groups[s->pairs[p].b].name, c->weight[p] / c->mean))
            return -1;
        before = ",";
    }
    if (trj_output_print(out, err, "\n")) return -1;
    return c->curve.error.block ? print_blocks(out, n, t->name, &c->curve.error, err) : 0;
}

static int print_columns(struct trj_output *out, const struct rdf_normalisation *n, bool errors,
                         struct trj_error *err) {
    const struct rdf_norm_request *q = &n->ask;
    const struct rdf_setup *s = &n->hist.setup;
    const struct trj_choice *column = rdf_norm_column(q->norm, q->self), *of_total = rdf_form_column(q->form);
    bool by_name = strcmp(q->error, "auto") != 0;
    if (trj_output_print(out, err, "# columns: middle of the bin in Angstrom; ") ||
        (q->totals.count &&
         trj_output_print(out, err, "a total: %s%s; ", of_total->help, errors ? ", its standard error" : "")) ||
        trj_output_print(out, err, "a pair of groups: %s, ", column->help) ||
        (errors &&
         trj_output_print(out, err, "its standard error%s%s, ", by_name ? " over " : "", by_name ? q->error : "")) ||
        trj_output_print(out, err, "%s within the bin's upper edge\n# r",
                         q->self ? "share of the atoms that stay" : "neighbours"))
        return -1;
    for (size_t i = 0; i < q->totals.count; i++)
        if (trj_output_print(out, err, "\t%s(%s)", of_total->name, q->totals.texts[i]) ||
            (errors && trj_output_print(out, err, "\tse(%s)", q->totals.texts[i])))
            return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_print_name(out, column->name, s, p, false, err) ||
            (errors && rdf_table_print_name(out, "se", s, p, false, err)) ||
            rdf_table_print_name(out, "n", s, p, false, err))
            return -1;
    return 0;
}

static int print_total(struct trj_output *out, const struct rdf_normalisation *n, size_t total, uint64_t k, double r,
                       struct trj_error *err) {
    const struct rdf_total_curve *c = &n->total_curves[total];
    double scale[2];
    rdf_form_scale(scale, n->ask.form, n->totals[total].probe, n->sums.scattering.share, c->mean, c->density, r);
    if (rdf_table_print_number(out, 10, c->curve.g[k] * scale[0] + scale[1], err)) return -1;
    return c->curve.error.error ? rdf_table_print_number(out, 4, c->curve.error.error[k] * fabs(scale[0]), err) : 0;
}

static int print_row(struct trj_output *out, const struct rdf_normalisation *n, uint64_t k, bool errors,
                     struct trj_error *err) {
    const struct rdf_setup *s = &n->hist.setup;
    const struct rdf_rebin *v = &n->sums.rebin;
    double middle = (rdf_rebin_edge(v, &s->bins, k) + rdf_rebin_edge(v, &s->bins, k + 1)) / 2;
    if (trj_output_print(out, err, "\n%.10g", middle)) return -1;
    for (size_t i = 0; i < n->ask.totals.count; i++)
        if (print_total(out, n, i, k, middle, err)) return -1;
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_curve *c = &n->curves[p];
        if (rdf_table_print_number(out, 10, c->g[k], err) ||
            (errors && rdf_table_print_number(out, 4, c->error.error ? c->error.error[k] : NAN, err)) ||
            rdf_table_print_number(out, 10, c->n[k], err))
            return -1;
    }
    return 0;
}

static int print_curves(struct trj_output *out, const struct rdf_normalisation *n, struct trj_error *err) {
    bool errors = false;
    for (size_t p = 0; p < n->hist.setup.pair_count; p++) errors = errors || n->curves[p].error.error;
    if (print_norm(out, n, err)) return -1;
    for (size_t p = 0; p < n->hist.setup.pair_count; p++)
        if (print_pair_blocks(out, n, p, err)) return -1;
    for (size_t i = 0; i < n->ask.totals.count; i++)
        if (print_total_head(out, n, i, err)) return -1;
    if (print_columns(out, n, errors, err)) return -1;
    for (uint64_t k = 0; k < n->sums.rebin.bins; k++)
        if (print_row(out, n, k, errors, err)) return -1;
    return trj_output_print(out, err, "\n");
}

int rdf_norm_print(struct trj_output *out, const struct rdf_normalisation *n, char **provenance,
                   struct trj_error *err) {
    if (rdf_table_print_head(out, &n->hist, n->sums.group_atoms, provenance, err)) return -1;
    return n->ask.counts ? print_counts(out, n, err) : print_curves(out, n, err);
}
