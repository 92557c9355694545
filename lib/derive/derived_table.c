// SPDX-License-Identifier: MIT
// Prints all derived quantities with one set of functions, so that errors, totals and comments have the same form.
#include "derived_table.h"

#include <stdio.h>

#include "table.h"

// Prints a value and, if there are two blocks or more, its error.
static int print_value(struct trj_output *out, const struct rdf_derivation *d, size_t pair, size_t column, size_t row,
                       struct trj_error *err) {
    if (trj_output_print(out, err, "\t%.10g", rdf_derived_value(d, pair, column, row))) return -1;
    return d->sets > 1 ? trj_output_print(out, err, "\t%.4g", rdf_derived_error(d, pair, column, row)) : 0;
}

static int print_shells(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    if (trj_output_print(out, err, "# pair\tshell")) return -1;
    for (size_t c = 0; c < d->columns; c++) {
        const char *name = d->quantity->columns[c].name;
        if (trj_output_print(out, err, "\t%s", name) || (d->sets > 1 && trj_output_print(out, err, "\tse_%s", name)))
            return -1;
    }
    for (size_t i = 0; i < d->pairs * d->rows; i++) {
        const struct rdf_pair *p = &s->pairs[i / d->rows];
        if (trj_output_print(out, err, "\n%s:%s\t%zu", s->groups[p->a].name, s->groups[p->b].name, i % d->rows + 1))
            return -1;
        for (size_t c = 0; c < d->columns; c++)
            if (print_value(out, d, i / d->rows, c, i % d->rows, err)) return -1;
    }
    return trj_output_print(out, err, "\n");
}

static int print_rows(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    char error[16];
    if (trj_output_print(out, err, d->quantity->axis == RDF_WAVES ? "# q" : "# r")) return -1;
    const char *total = d->options.undivided ? "F" : d->options.reduced ? "Fq" : "S";
    for (size_t i = 0, each = 1 + rdf_scattering_contributions(&d->scattering, d->options.split); i < d->total_curves;
         i++) {
        char name[RDF_PIECE_NAME];
        rdf_scattering_contribution_name(name, &d->options.totals[i / each], &d->options.patterns, d->options.split,
                                         i % each);
        if (trj_output_print(out, err, "\t%s(%s)", total, name) ||
            (d->sets > 1 && trj_output_print(out, err, "\tse_%s(%s)", total, name)))
            return -1;
    }
    for (size_t i = 0; i < d->pairs * d->columns; i++) {
        const struct rdf_derived_column *c = &d->quantity->columns[i % d->columns];
        if (!rdf_derived_has(d, i / d->columns, i % d->columns)) continue;
        snprintf(error, sizeof error, "se_%s", c->name);
        if (rdf_table_print_name(out, c->name, s, i / d->columns, c->reversed, err) ||
            (d->sets > 1 && rdf_table_print_name(out, error, s, i / d->columns, c->reversed, err)))
            return -1;
    }
    double min = rdf_derived_wave_limit(d).min;
    if (min > 0 && trj_output_print(out, err, "\tresolved")) return -1;
    for (size_t row = 0; row < d->rows; row++) {
        double at = rdf_derived_at(d, row);
        if (trj_output_print(out, err, "\n%.10g", at)) return -1;
        for (size_t i = 0; i < d->total_curves; i++)
            if (rdf_table_print_number(out, 10, rdf_derived_total(d, i, row), err) ||
                (d->sets > 1 && rdf_table_print_number(out, 4, rdf_derived_total_error(d, i, row), err)))
                return -1;
        for (size_t i = 0; i < d->pairs * d->columns; i++)
            if (rdf_derived_has(d, i / d->columns, i % d->columns) &&
                print_value(out, d, i / d->columns, i % d->columns, row, err))
                return -1;
        if (min > 0 && trj_output_print(out, err, "\t%d", at >= min)) return -1;
    }
    return trj_output_print(out, err, "\n");
}

// Prints how much noise adds to s2, which the jackknife estimates from two blocks or more.
static int print_noise(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    for (size_t i = 0; i < d->pairs * d->columns; i++) {
        const struct rdf_pair *p = &s->pairs[i / d->columns];
        bool reversed = d->quantity->columns[i % d->columns].reversed;
        if (rdf_derived_has(d, i / d->columns, i % d->columns) &&
            trj_output_print(out, err, "# noise in s2(%s:%s) at rmax: %.4g, %s\n",
                             s->groups[reversed ? p->b : p->a].name, s->groups[reversed ? p->a : p->b].name,
                             rdf_derived_bias(d, i / d->columns, i % d->columns, d->rows - 1),
                             d->options.corrected ? "subtracted" : "not subtracted; see --corrected"))
            return -1;
    }
    return 0;
}

static int print_wave_limit(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    struct rdf_wave_limit limit = rdf_derived_wave_limit(d);
    if (!(limit.min > 0)) return 0;
    return trj_output_print(
        out, err,
        "# not resolved: q < %.10g 1/Angstrom, the larger of 2 pi/L and pi/rmax; L = %.10g Angstrom, "
        "the %s; the column resolved is 0 there\n",
        limit.min, limit.length,
        limit.cube ? "cube root of the mean volume" : "smallest distance of opposite cell faces");
}

static int print_waves(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    bool partials = d->number != RDF_PDF; // which prints totals of r only
    if (partials && d->options.atoms &&
        trj_output_print(out, err, "# partial structure factors of Faber and Ziman, of %llu atoms in all\n",
                         (unsigned long long)d->options.atoms))
        return -1;
    if (partials && !d->options.atoms &&
        trj_output_print(out, err, "# partial structure factors of Ashcroft and Langreth\n"))
        return -1;
    for (size_t i = 0; i < d->options.total_count; i++)
        if (rdf_scattering_print(out, &d->scattering, &d->options.totals[i], err)) return -1;
    if (d->total_curves > d->options.total_count &&
        trj_output_print(out, err, "# contributions to totals add up to %s\n",
                         d->options.undivided || d->options.reduced || d->part == RDF_PART_REST ? "the total"
                                                                                                : "S(q) - 1"))
        return -1;
    if (partials && print_wave_limit(out, d, err)) return -1;
    return d->number == RDF_DEBYE && d->part != RDF_PART_EXCLUDED && rdf_hist_total(&d->hist).periodic_any
               ? trj_output_print(out, err, "# frames are periodic: the sphere of radius rmax itself scatters, too\n")
               : 0;
}

// Marks a g(r) of frames that are periodic in two directions: it is normalised over the height of their cells.
static int print_slab(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_record total = rdf_hist_total(&d->hist);
    double low = total.height_min, high = total.height_max;
    if (!d->quantity->curve || d->options.volume > 0 || !(high > 0)) return 0;
    if (trj_output_print(out, err, "# slab: g(r) is normalised over the whole height of the cell, %.10g", low))
        return -1;
    if (!rdf_same_height(low, high) && trj_output_print(out, err, " to %.10g", high)) return -1;
    return trj_output_print(out, err, " Angstrom\n");
}

int rdf_derived_print_comments(struct trj_output *out, const struct rdf_derivation *d, char **provenance,
                               struct trj_error *err) {
    const struct rdf_blocks *b = &d->blocks;
    if (rdf_table_print_head(out, &d->hist, d->group_atoms, provenance, err) ||
        trj_output_print(out, err, "# quantity: %s\n", rdf_quantity_names[d->number].help))
        return -1;
    if (d->options.volume > 0 && trj_output_print(out, err, "# with a volume of %.10g Angstrom^3\n", d->options.volume))
        return -1;
    if (d->smoothed &&
        trj_output_print(out, err, "# g(r) is smoothed in windows of %llu bins, and n(r) is unchanged at their edges\n",
                         (unsigned long long)d->smoothed))
        return -1;
    if (print_slab(out, d, err)) return -1;
    if (d->quantity->axis == RDF_WAVES && print_waves(out, d, err)) return -1;
    if (d->sets > 1 && d->number == RDF_S2 && print_noise(out, d, err)) return -1;
    if (d->sets > 1 && trj_output_print(out, err, "# errors: se_, by leaving out one of %zu blocks of %zu record%s\n",
                                        b->count, b->each, b->each > 1 ? "s" : ""))
        return -1;
    if (d->inefficiency > 1 &&
        trj_output_print(out, err, "# blocks are correlated, statistical inefficiency %.4g: errors are too small\n",
                         d->inefficiency))
        return -1;
    return 0;
}

int rdf_derived_print(struct trj_output *out, const struct rdf_derivation *d, char **provenance,
                      struct trj_error *err) {
    if (rdf_derived_print_comments(out, d, provenance, err) ||
        trj_output_print(out, err, "# columns: %s\n", d->quantity->description))
        return -1;
    return d->quantity->axis == RDF_SHELL_ROWS ? print_shells(out, d, err) : print_rows(out, d, err);
}
