// SPDX-License-Identifier: MIT
// Computes a quantity for all blocks and for each set without one block, which the jackknife errors need.
#include "quantity.h"

#include <math.h>
#include <stdlib.h>

#include "conserving_smooth.h"
#include "error_blocks.h"
#include "memory.h"
#include "quantity_parts.h"
#include "table.h"

const struct trj_choice rdf_quantity_names[] = {
    [RDF_COORDINATION] = {"n", "coordination numbers n(r), in both directions"},
    [RDF_SHELLS] = {"shells", "maxima and minima of g(r), and the numbers of neighbours within the minima"},
    [RDF_SQ] = {"sq", "structure factor S(q), the transform of g(r)"},
    [RDF_DEBYE] = {"debye", "structure factor by Debye's sum over the counts"},
    [RDF_KB] = {"kb", "Kirkwood-Buff integrals: running, of a finite sphere, extrapolated"},
    [RDF_PMF] = {"pmf", "potential of mean force, -kT ln g, in kJ/mol"},
    [RDF_S2] = {"s2", "two-particle excess entropy, in k_B per atom"},
    [RDF_PDF] = {"pdf", "G(r) as measured: S(q) up to qmax, transformed back to r"},
    [RDF_QUANTITIES] = {0}};

static const struct rdf_curve *curve_of(const struct rdf_derivation *d, size_t set, size_t pair) {
    return &d->curves[set * d->pairs + pair];
}

static int fill_coordination(const struct rdf_derivation *d, size_t set, size_t pair, double *to,
                             struct trj_error *err) {
    const struct rdf_pair *p = &d->hist.setup.pairs[pair];
    double ratio = rdf_set_atoms(d, set, p->a) / rdf_set_atoms(d, set, p->b);
    (void)err;
    for (size_t k = 0; k < d->rows; k++) {
        to[k] = curve_of(d, set, pair)->n[k];
        to[d->rows + k] = to[k] * ratio;
    }
    return 0;
}

static int fill_kirkwood_buff(const struct rdf_derivation *d, size_t set, size_t pair, double *to,
                              struct trj_error *err) {
    const struct rdf_pair *p = &d->hist.setup.pairs[pair];
    const struct rdf_curve *c = curve_of(d, set, pair);
    const struct rdf_bins *bins = &d->hist.setup.bins;
    if (d->options.corrected &&
        rdf_closed_system(c->g, bins, c->g, c->n, rdf_ordered_pairs(d, pair) / rdf_set_atoms(d, set, p->a),
                          1 / d->inverse_volume[set], err))
        return -1;
    rdf_kirkwood_buff(to, to + d->rows, to + 2 * d->rows, bins, c->g);
    return 0;
}

static int fill_mean_force(const struct rdf_derivation *d, size_t set, size_t pair, double *to, struct trj_error *err) {
    (void)err;
    rdf_mean_force(to, d->rows, curve_of(d, set, pair)->g, d->options.temperature);
    return 0;
}

static int fill_entropy(const struct rdf_derivation *d, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_pair *p = &d->hist.setup.pairs[pair];
    const double *g = curve_of(d, set, pair)->g;
    (void)err;
    rdf_pair_entropy(to, &d->hist.setup.bins, g, rdf_set_atoms(d, set, p->b) * d->inverse_volume[set]);
    rdf_pair_entropy(to + d->rows, &d->hist.setup.bins, g, rdf_set_atoms(d, set, p->a) * d->inverse_volume[set]);
    return 0;
}

// Returns the standard error of g by counting statistics. A bin without counts gets the error of one count. The ratio
// of g times shell volume to counts is taken from the previous bin with counts, because it depends on r in a slab.
static double *counting_noise(const struct rdf_derivation *d, size_t pair, struct trj_error *err) {
    const struct rdf_bins *b = &d->hist.setup.bins;
    const double *g = curve_of(d, 0, pair)->g;
    double *noise = trj_alloc(b->count, sizeof *noise, "errors", err), each = 0;
    for (size_t k = 0; noise && k < b->count; k++) {
        double shell = rdf_shell_volume(b, k), counts = 0;
        for (size_t i = 0; i < d->blocks.count; i++) counts += (double)d->blocks.block[i].counts[pair * b->count + k];
        for (size_t i = 0; counts > 0 && !(each > 0) && i < k; i++) noise[i] *= g[k] * shell / counts;
        if (counts > 0) each = g[k] * shell / counts;
        noise[k] = (each > 0 ? each : 1) * sqrt(fmax(counts, 1)) / shell;
    }
    return noise;
}

// Shells are found in the curve of all blocks, and followed in the curves of the other sets.
static int fill_shells(const struct rdf_derivation *d, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    const struct rdf_pair *p = &s->pairs[pair];
    const struct rdf_curve *c = curve_of(d, set, pair);
    struct rdf_shell *shell = d->shells + pair * d->rows;
    if (set && isnan(c->n[0])) { // nothing to follow
        for (size_t i = 0; i < d->columns * d->rows; i++) to[i] = NAN;
        return 0;
    }
    if (set) {
        rdf_shells_follow(shell, d->rows, &s->bins, c->g, c->n);
    } else {
        double *noise = counting_noise(d, pair, err);
        struct trj_error *missing = &d->missing_shells[pair];
        int rc = noise ? rdf_shells(shell, d->rows, &s->bins, c->g, noise, c->n, d->options.reach, missing) : -1;
        free(noise);
        if (!noise) return -1;
        if (rc) trj_fail_at(missing, "%s:%s", s->groups[p->a].name, s->groups[p->b].name);
        if (rc && missing->status != TRJ_BAD_DATA) {
            *err = *missing;
            return -1;
        }
    }
    for (size_t i = 0; i < d->rows; i++, shell++) {
        double back = shell->n * rdf_set_atoms(d, set, p->a) / rdf_set_atoms(d, set, p->b);
        double row[RDF_MAX_COLUMNS] = {shell->max.r, shell->max.g, shell->min.r, shell->min.g, shell->n, back};
        for (size_t k = 0; k < RDF_MAX_COLUMNS; k++) to[k * d->rows + i] = row[k];
    }
    return 0;
}

static const struct rdf_quantity quantities[RDF_QUANTITIES] = {
    [RDF_COORDINATION] = {RDF_EDGES, .usual = RDF_PART_REST, .fill = fill_coordination,
                          .columns = {{"n", false}, {"n", true}},
                          .description =
                              "upper edge of the bin in Angstrom; n(A:B): atoms of B around one of A within it"},
    [RDF_SHELLS] =
        {RDF_SHELL_ROWS, .curve = true, .tends = true, .usual = RDF_PART_REST, .fill = fill_shells,
         .columns =
             {{"r_max", false}, {"g_max", false}, {"r_min", false}, {"g_min", false}, {"n_AB", false}, {"n_BA", false}},
         .description = "groups A:B; number of the shell; its maximum, the minimum after it (Angstrom, g); atoms "
                        "of B around one of A within that minimum, of A around one of B"},
    [RDF_SQ] = {RDF_WAVES, .curve = true, .bulk = true, .fixed = true, .usual = RDF_PART_ALL, .columns = {{"S", false}},
                .description = "q in 1/Angstrom; the partial structure factor of a pair of groups"},
    [RDF_DEBYE] = {RDF_WAVES, .fixed = true, .usual = RDF_PART_ALL, .columns = {{"S", false}},
                   .description = "q in 1/Angstrom; the partial structure factor of a pair of groups"},
    [RDF_KB] = {RDF_EDGES, .curve = true, .bulk = true, .fixed = true, .tends = true, .usual = RDF_PART_REST,
                .fill = fill_kirkwood_buff, .columns = {{"G", false}, {"Gsphere", false}, {"Ginf", false}},
                .description =
                    "upper edge L of the bin in Angstrom; Angstrom^3: the integral up to L, the integral of a sphere "
                    "of diameter L, the latter extrapolated to an infinite sphere"},
    [RDF_PMF] = {RDF_MIDDLES, .curve = true, .bins_any = true, .usual = RDF_PART_REST, .fill = fill_mean_force,
                 .columns = {{"w", false}}, .description = "middle of the bin in Angstrom; -kT ln g in kJ/mol"},
    [RDF_S2] = {RDF_EDGES, .curve = true, .bulk = true, .fixed = true, .tends = true, .usual = RDF_PART_REST,
                .fill = fill_entropy, .columns = {{"s2", false}, {"s2", true}},
                .description =
                    "upper edge of the bin in Angstrom; s2(A:B): contribution of pairs with B within it to the entropy "
                    "of an atom of A, in k_B"},
    [RDF_PDF] = {RDF_WAVES, .curve = true, .bulk = true, .fixed = true, .usual = RDF_PART_ALL,
                 .columns = {{"S", false}}, .description = "r in Angstrom; the total of all pairs of groups"},
};

int rdf_derivation_open(struct rdf_derivation *d, enum rdf_quantity_number number,
                        const struct rdf_quantity_options *options, const char *excluded, struct trj_error *err) {
    d->number = number;
    d->quantity = &quantities[number];
    d->options = *options;
    d->part = excluded ? rdf_part_named(excluded) : d->quantity->usual;
    if (d->part == RDF_PART_EXCLUDED && d->quantity->tends)
        return trj_fail(err, TRJ_USAGE, "--excluded only: %s requires a g(r) that tends to 1; use --excluded in or out",
                        rdf_quantity_names[number].name);
    bool parts = (number == RDF_SQ || number == RDF_PDF) && d->part == RDF_PART_ALL;
    d->hist.part = parts ? RDF_PART_SEPARATE : d->part;
    d->hist.take = rdf_blocks_add;
    d->hist.take_arg = &d->blocks;
    return 0;
}

void rdf_derivation_close(struct rdf_derivation *d) {
    for (size_t i = 0; d->curves && i < d->sets * d->pairs; i++) rdf_curve_free(&d->curves[i]);
    free(d->curves);
    free(d->frames);
    free(d->atoms);
    free(d->group_atoms);
    free(d->inverse_volume);
    free(d->values);
    free(d->shells);
    free(d->missing_shells);
    free(d->totals);
    rdf_pdf_free(&d->pdf);
    rdf_scattering_close(&d->scattering);
    rdf_blocks_free(&d->blocks);
    rdf_hist_free(&d->hist);
}

// Checks that the histogram meets the requirements of the quantity.
static int check(const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_quantity *q = d->quantity;
    const struct rdf_setup *s = &d->hist.setup;
    const char *name = rdf_quantity_names[d->number].name;
    struct rdf_record total = rdf_hist_total(&d->hist);
    if (s->bins.metric.kind != RDF_METRIC_DISTANCE)
        return trj_fail(err, TRJ_BAD_DATA,
                        "counts must be of distances in space; count without rdfhist --metric and --angle");
    if (s->own_images)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "the counts include pairs of atoms with their own images, for which quantities are not defined here; "
            "count a supercell without rdfhist --own-images");
    if (s->bins.rmin > 0 && !q->bins_any)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "bins begin at %g Angstrom, but --quantity %s requires all from 0 on; count without rdfhist --rmin",
            s->bins.rmin, name);
    if (q->fixed && s->open_system)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the number of atoms changes (trjcat --open), but --quantity %s requires groups of constant "
                        "size; use -q n, shells or pmf",
                        name);
    if (q->fixed && rdf_setup_has_dynamic_group(s))
        return trj_fail(err, TRJ_BAD_DATA,
                        "a dynamic group has no constant size, which --quantity %s requires; use selections that do "
                        "not depend on coordinates",
                        name);
    if (q->bulk && total.height_max > 0 && !(d->options.volume > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "frames are periodic in two directions only, but --quantity %s requires a bulk system; give "
                        "its volume with --volume",
                        name);
    if (q->axis == RDF_SHELL_ROWS && s->bins.count > RDF_MAX_SMOOTHED_BINS)
        return trj_fail(err, TRJ_BAD_DATA, "%llu bins, at most %d can be smoothed; count with fewer (rdfhist -b)",
                        (unsigned long long)s->bins.count, RDF_MAX_SMOOTHED_BINS);
    for (size_t g = 0; d->options.atoms && g < s->group_count; g++)
        if (d->options.atoms < s->groups[g].atoms)
            return trj_fail(err, TRJ_USAGE, "--atoms %llu: group %s alone has %llu; give the number of all atoms",
                            (unsigned long long)d->options.atoms, s->groups[g].name,
                            (unsigned long long)s->groups[g].atoms);
    if (d->number == RDF_S2 && d->options.corrected && d->blocks.count < 2)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--corrected: the noise cannot be estimated from one record; count several with rdfhist -B");
    return d->hist.part == RDF_PART_SEPARATE ? 0 : rdf_table_check_pairs(s, d->number != RDF_COORDINATION, err);
}

// Sets the number of bins in a window for smoothing.
static int fit_windows(struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_bins *b = &d->hist.setup.bins;
    double width = (b->rmax - b->rmin) / (double)b->count, each = round(d->options.smooth / width);
    if (d->options.smooth == 0) return 0;
    if (!(each >= 2 && each <= (double)b->count / 2))
        return trj_fail(err, TRJ_USAGE,
                        "--smooth: windows of %g Angstrom have %g bins of the histogram; give from %.10g to %.10g",
                        d->options.smooth, each, 2 * width, (b->rmax - b->rmin) / 2);
    if (rdf_hist_total(&d->hist).height_max > 0 && !(d->options.volume > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "frames are periodic in two directions only, but --smooth requires full shells; give the "
                        "volume with --volume");
    d->smoothed = (uint64_t)each;
    return 0;
}

// Computes frames, atoms and density of each set.
static int describe(struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    const struct rdf_blocks *b = &d->blocks;
    bool changes = rdf_setup_has_dynamic_group(s);
    d->frames = trj_alloc(d->sets, sizeof *d->frames, "blocks", err);
    d->atoms = d->frames ? trj_alloc(d->sets * s->group_count, sizeof *d->atoms, "blocks", err) : NULL;
    d->inverse_volume = d->atoms ? trj_alloc(d->sets, sizeof *d->inverse_volume, "volumes", err) : NULL;
    if (!d->inverse_volume) return -1;
    if (changes && !(d->group_atoms = trj_alloc(s->group_count, sizeof *d->group_atoms, "groups", err))) return -1;
    for (size_t set = 0; set < d->sets; set++) {
        struct trj_exact_sum sum = {{0}};
        double with_volume = 0, *atoms = d->atoms + set * s->group_count;
        for (size_t i = 0; i < b->count; i++) {
            if (set && i == set - 1) continue;
            d->frames[set] += (double)b->block[i].frames;
            with_volume += (double)b->block[i].volume_frames;
            trj_exact_merge(&sum, &b->block[i].inverse_volume);
            for (size_t g = 0; changes && g < s->group_count; g++) {
                atoms[g] += (double)b->block[i].group_atoms[g];
                if (!set) d->group_atoms[g] += b->block[i].group_atoms[g];
            }
        }
        for (size_t g = 0; g < s->group_count; g++)
            atoms[g] = changes ? atoms[g] / d->frames[set] : (double)s->groups[g].atoms;
        d->inverse_volume[set] = d->options.volume > 0 ? 1 / d->options.volume : trj_exact_value(&sum) / with_volume;
    }
    return 0;
}

// Fails with the first error if no pair has a complete shell; one is enough for a table.
static int check_shells(const struct rdf_derivation *d, struct trj_error *err) {
    size_t pair = 0;
    while (pair < d->pairs && isnan(d->shells[pair * d->rows].n)) pair++;
    if (pair < d->pairs) return 0;
    *err = *d->missing_shells;
    return -1;
}

static int open_totals(struct rdf_derivation *d, struct trj_error *err) {
    if (d->options.split && !d->hist.setup.exclusion)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--split: no pairs are excluded in these counts; exclude them with rdfhist -x");
    if (rdf_scattering_open(&d->scattering, &d->hist.setup, d->hist.part, &d->options.scatterers, err) ||
        rdf_scattering_split(&d->scattering, &d->options.patterns, err))
        return -1;
    d->total_curves = d->options.total_count * (1 + rdf_scattering_contributions(&d->scattering, d->options.split));
    d->totals = trj_alloc(d->sets * d->total_curves, d->rows * sizeof *d->totals, "totals", err);
    return d->totals ? 0 : -1;
}

int rdf_derive(struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_quantity *q = d->quantity;
    const struct rdf_setup *s = &d->hist.setup;
    // A quantity that does not use g(r) uses n(r), which does not depend on the volume.
    const double volume = q->curve ? d->options.volume : 1;
    if (rdf_blocks_join(&d->blocks, s, volume, err) || check(d, err) || fit_windows(d, err) ||
        (d->number == RDF_PDF && rdf_pdf_prepare(d, err)))
        return -1;
    d->pairs = s->pair_count;
    d->sets = d->blocks.count > 1 ? d->blocks.count + 1 : 1;
    if (d->sets == 1 && !isnan(d->options.interval)) return curve_interval_fail_single(err);
    d->rows = q->axis == RDF_WAVES ? (size_t)((d->options.qmax - d->options.qmin) / d->options.dq * (1 + 1e-12)) + 1
              : q->axis == RDF_SHELL_ROWS ? d->options.shells
                                          : s->bins.count;
    while (q->columns[d->columns].name) d->columns++;
    if (describe(d, err) || (q->axis == RDF_WAVES && rdf_waves_check(d, err))) return -1;
    d->curves = trj_alloc(d->sets * d->pairs, sizeof *d->curves, "curves", err);
    d->values =
        d->curves ? trj_alloc(d->sets * d->pairs * d->columns, d->rows * sizeof *d->values, "the table", err) : NULL;
    if (!d->values) return -1;
    if (q->axis == RDF_SHELL_ROWS &&
        (!(d->shells = trj_alloc(d->pairs, d->rows * sizeof *d->shells, "shells", err)) ||
         !(d->missing_shells = trj_alloc(d->pairs, sizeof *d->missing_shells, "shells", err))))
        return -1;
    for (size_t set = 0; set < d->sets && (q->axis != RDF_WAVES || rdf_waves_transform(d)); set++) {
        size_t without = set ? set - 1 : d->blocks.count;
        if (rdf_blocks_curves(d->curves + set * d->pairs, s, &d->blocks, without, volume, err)) return -1;
        for (size_t p = 0; d->smoothed && p < d->pairs; p++)
            if (rdf_smooth_conserving(d->curves[set * d->pairs + p].g, &s->bins, d->smoothed, err)) return -1;
    }
    if (d->options.total_count && open_totals(d, err)) return -1;
    if (q->axis == RDF_WAVES) return rdf_waves_fill(d, err) || (d->number == RDF_PDF && rdf_pdf_fill(d, err)) ? -1 : 0;
    for (size_t i = 0; i < d->sets * d->pairs; i++)
        if (q->fill(d, i / d->pairs, i % d->pairs, rdf_set_values(d, i / d->pairs, i % d->pairs), err)) return -1;
    return q->axis == RDF_SHELL_ROWS ? check_shells(d, err) : 0;
}

bool rdf_derived_has(const struct rdf_derivation *d, size_t pair, size_t column) {
    const struct rdf_pair *p = &d->hist.setup.pairs[pair];
    if (d->options.total_count && !rdf_scattering_given(&d->scattering, &d->options.patterns, pair)) return false;
    return p->a != p->b || !d->quantity->columns[column].reversed;
}

double rdf_derived_at(const struct rdf_derivation *d, size_t row) {
    const struct rdf_bins *bins = &d->hist.setup.bins;
    if (d->quantity->axis == RDF_WAVES) return rdf_row_wave(d, row);
    double high = rdf_bins_edge(bins, row + 1);
    return d->quantity->axis == RDF_EDGES ? high : (rdf_bins_edge(bins, row) + high) / 2;
}

// Returns the value of each set but the first.
static const double *left_out(const struct rdf_derivation *d, size_t pair, size_t position, double to[RDF_MAX_BLOCKS]) {
    for (size_t set = 1; set < d->sets; set++) to[set - 1] = rdf_set_values(d, set, pair)[position];
    return to;
}

double rdf_derived_bias(const struct rdf_derivation *d, size_t pair, size_t column, size_t row) {
    double x[RDF_MAX_BLOCKS];
    size_t position = column * d->rows + row;
    return rdf_blocks_bias(&d->blocks, rdf_set_values(d, 0, pair)[position], left_out(d, pair, position, x));
}

double rdf_derived_error(const struct rdf_derivation *d, size_t pair, size_t column, size_t row) {
    double x[RDF_MAX_BLOCKS];
    size_t position = column * d->rows + row;
    return rdf_blocks_error(&d->blocks, rdf_set_values(d, 0, pair)[position], left_out(d, pair, position, x));
}

double rdf_derived_half_width(const struct rdf_derivation *d) {
    return curve_error_blocks_interval(&d->blocks.rule, d->options.interval);
}

double rdf_derived_value(const struct rdf_derivation *d, size_t pair, size_t column, size_t row) {
    double x = rdf_set_values(d, 0, pair)[column * d->rows + row];
    return d->number == RDF_S2 && d->options.corrected ? x - rdf_derived_bias(d, pair, column, row) : x;
}

double rdf_derived_total(const struct rdf_derivation *d, size_t total, size_t row) {
    return d->totals[total * d->rows + row];
}

double rdf_derived_total_error(const struct rdf_derivation *d, size_t total, size_t row) {
    double x[RDF_MAX_BLOCKS];
    for (size_t set = 1; set < d->sets; set++) x[set - 1] = d->totals[(set * d->total_curves + total) * d->rows + row];
    return rdf_blocks_error(&d->blocks, rdf_derived_total(d, total, row), x);
}
