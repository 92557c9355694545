// SPDX-License-Identifier: MIT
// Computes structure factors: pairs by the transform of g(r), and excluded pairs, which have no mean density, by
// Debye's sum.
#include "quantity_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define PI 3.14159265358979323846

// S(q) has two parts: pairs whose density tends to the mean density, by transform of g(r); excluded pairs, by Debye's
// sum.
bool rdf_waves_transform(const struct rdf_derivation *d) {
    return (d->number == RDF_SQ || (d->number == RDF_PDF && !d->summed)) && d->hist.part != RDF_PART_EXCLUDED;
}

static bool sums_up(const struct rdf_derivation *d) {
    return d->number == RDF_DEBYE || d->summed || (d->hist.setup.exclusion && d->hist.part != RDF_PART_REST);
}

// Returns the count, for Debye's sum, of the bin and pair with index `position`.
static uint64_t summed(const struct rdf_derivation *d, size_t block, size_t position) {
    const struct rdf_record *r = &d->blocks.block[block];
    if (d->hist.part != RDF_PART_SEPARATE) return r->counts[position];
    return (r->excluded ? r->excluded[position] : 0) + (d->summed ? r->counts[position] : 0);
}

void rdf_derived_coverage(const struct rdf_derivation *d, size_t pair, double *all, double *counted) {
    const struct rdf_setup *s = &d->hist.setup;
    bool separate = d->hist.part == RDF_PART_SEPARATE, only = d->hist.part == RDF_PART_EXCLUDED;
    uint64_t pairs = s->exclusion && (separate || only) ? s->excluded[pair] : 0;
    if (!s->exclusion || (separate ? d->summed : !only)) pairs += s->pairs[pair].pairs;
    *all = (double)pairs * d->frames[0];
    *counted = 0;
    for (size_t i = 0; i < d->blocks.count; i++)
        for (size_t k = 0; k < s->bins.count; k++) *counted += (double)summed(d, i, pair * s->bins.count + k);
}

struct rdf_wave_limit rdf_derived_wave_limit(const struct rdf_derivation *d) {
    struct rdf_record total = rdf_hist_total(&d->hist);
    struct rdf_wave_limit limit = {.length = INFINITY};
    if (d->quantity->axis != RDF_WAVES || d->part == RDF_PART_EXCLUDED || !total.periodic_any || !total.volume_frames)
        return (struct rdf_wave_limit){.min = 0};
    for (int k = 0; k < 3; k++)
        if (total.periodic_any >> k & 1) limit.length = fmin(limit.length, total.spacing_min[k]);
    limit.cube = !(limit.length > 0);
    if (limit.cube) limit.length = cbrt(trj_exact_value(&total.volume) / (double)total.volume_frames);
    limit.min = fmax(2 * PI / limit.length, PI / d->hist.setup.bins.rmax);
    return limit;
}

// Debye's sum over a molecule must not contain pairs with images of the molecule.
int rdf_waves_check(const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    if (!s->exclusion || d->hist.part == RDF_PART_REST || d->hist.part == RDF_PART_ALL) return 0;
    for (size_t p = 0; p < d->pairs; p++) {
        double all, counted;
        rdf_derived_coverage(d, p, &all, &counted);
        if (counted > all)
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s:%s: %.10g excluded pairs were counted %.10g times, as images are within rmax; count up "
                            "to a smaller rmax, or give --excluded out",
                            s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name, all, counted);
    }
    return 0;
}

// All sets and pairs are transformed together: y[bins][lanes] with lanes [sets][pairs].
static void put_transformed(const struct rdf_derivation *d, double *y) {
    size_t lanes = d->sets * d->pairs, bins = d->hist.setup.bins.count;
    for (size_t i = 0; i < lanes; i++) {
        size_t set = i / d->pairs;
        const struct rdf_pair *p = &d->hist.setup.pairs[i % d->pairs];
        double density = sqrt(rdf_set_atoms(d, set, p->a) * rdf_set_atoms(d, set, p->b)) * d->inverse_volume[set];
        for (size_t k = 0; k < bins; k++) // if all pairs are excluded there is no g(r)
            y[k * lanes + i] = p->pairs ? density * (d->curves[i].g[k] - 1) : 0;
    }
}

static void put_summed(const struct rdf_derivation *d, double *y) {
    size_t lanes = d->sets * d->pairs, bins = d->hist.setup.bins.count;
    for (size_t i = 0; i < lanes; i++) {
        size_t set = i / d->pairs, pair = i % d->pairs;
        const struct rdf_pair *p = &d->hist.setup.pairs[pair];
        double scale = rdf_setup_neighbours(&d->hist.setup, pair) /
                       (d->frames[set] * sqrt(rdf_set_atoms(d, set, p->a) * rdf_set_atoms(d, set, p->b)));
        for (size_t k = 0; k < bins; k++) {
            uint64_t counts = 0;
            for (size_t b = 0; b < d->blocks.count; b++)
                if (!set || b != set - 1) counts += summed(d, b, pair * bins + k);
            y[k * lanes + i] += scale * (double)counts / rdf_shell_volume(&d->hist.setup.bins, k);
        }
    }
}

// Returns the constant term of S(q): the atoms in both groups, and the excluded pairs if they are counted separately.
static double self(const struct rdf_derivation *d, size_t set, size_t pair) {
    const struct rdf_setup *s = &d->hist.setup;
    const struct rdf_pair *p = &s->pairs[pair];
    double a = rdf_set_atoms(d, set, p->a), b = rdf_set_atoms(d, set, p->b), others = rdf_ordered_pairs(d, pair);
    if (d->part == RDF_PART_REST) return 0;
    if (d->options.atoms) return 1;
    if (s->exclusion && rdf_part_subtracts_excluded(d->hist.part))
        others += rdf_setup_neighbours(&d->hist.setup, pair) * (double)s->excluded[pair];
    return (a * b - others) / sqrt(a * b);
}

// Amplitudes, weights and numbers for the totals at one q, and the sums of a total and its contributions.
struct amounts {
    double *amplitude, *atoms, *pairs, *weight; // [groups], [groups], [pairs], [pairs]
    double *rest, *sum;                         // [parts], [1 + contributions]
    size_t contributions;
};

static void close_amounts(struct amounts *w) {
    free(w->amplitude);
    free(w->atoms);
    free(w->pairs);
    free(w->weight);
    free(w->rest);
    free(w->sum);
}

static int open_amounts(struct amounts *w, const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    *w = (struct amounts){.amplitude = trj_alloc(s->group_count, sizeof *w->amplitude, "waves", err)};
    w->atoms = w->amplitude ? trj_alloc(s->group_count, sizeof *w->atoms, "waves", err) : NULL;
    w->pairs = w->atoms ? trj_alloc(d->pairs, sizeof *w->pairs, "waves", err) : NULL;
    w->weight = w->pairs ? trj_alloc(d->pairs, sizeof *w->weight, "waves", err) : NULL;
    w->contributions = rdf_scattering_contributions(&d->scattering, d->options.split);
    w->rest = w->weight ? trj_alloc(d->scattering.parts, sizeof *w->rest, "waves", err) : NULL;
    w->sum = w->rest ? trj_alloc(1 + w->contributions, sizeof *w->sum, "waves", err) : NULL;
    if (!w->sum) return -1;
    for (uint32_t g = 0; g < s->group_count; g++) w->atoms[g] = rdf_set_atoms(d, 0, g);
    for (size_t p = 0; p < d->pairs; p++) w->pairs[p] = (double)s->pairs[p].pairs;
    return 0;
}

// Adds a term of a pair to the sums of a total and of a contribution.
static void add(const struct amounts *w, const struct rdf_derivation *d, size_t pair, bool excluded, double term) {
    const struct rdf_pair *p = &d->hist.setup.pairs[pair];
    size_t part = rdf_scattering_part(&d->scattering, p->a, p->b);
    w->sum[0] += term;
    if (w->contributions) w->sum[1 + (d->options.split ? 2 * part + excluded : part)] += term;
}

// Computes the totals at one q. `transformed` and `summed` are the parts of the partial structure factors of Ashcroft
// and Langreth, [sets][pairs], or NULL. Each pair of atoms contributes the product of its amplitudes; with `number`,
// pairs of the transform contribute by their share, as if all atoms were one group. Excluded pairs that are split off
// are those of the sum.
static int fill_totals(const struct rdf_derivation *d, const struct amounts *w, size_t row, const double *transformed,
                       const double *summed, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    const struct rdf_scattering *scattering = &d->scattering;
    for (size_t t = 0; t < d->options.total_count; t++) {
        const struct rdf_total *asked = &d->options.totals[t];
        double max = 0;
        if (rdf_scattering_amplitudes(w->amplitude, scattering, asked->probe, rdf_row_wave(d, row), err)) return -1;
        double mean =
            rdf_scattering_weights(w->weight, w->rest, scattering, asked->probe, w->amplitude, w->atoms, w->pairs);
        for (size_t p = 0; p < d->pairs; p++) max += fabs(w->weight[p]);
        if (!d->options.undivided && !(mean > 1e-9 * max))
            return trj_fail(err, TRJ_BAD_DATA,
                            "total %s: the mean scattering is 0 at q = %g, so that S(q) is undefined; use --form fz",
                            asked->name, rdf_row_wave(d, row));
        for (size_t set = 0; set < d->sets; set++) {
            double *sum = w->sum;
            memset(sum, 0, (1 + w->contributions) * sizeof *sum);
            for (size_t p = 0; p < d->pairs; p++) {
                uint32_t a = s->pairs[p].a, b = s->pairs[p].b;
                double both = sqrt(w->atoms[a] * w->atoms[b]), all = scattering->atoms;
                if (!rdf_scattering_first(scattering, p)) continue;
                if (transformed) add(w, d, p, false, w->weight[p] * all / both * transformed[set * d->pairs + p]);
                if (summed)
                    add(w, d, p, true,
                        (a == b ? 1 : 2) * w->amplitude[a] * w->amplitude[b] * both / all * summed[set * d->pairs + p]);
            }
            double *total = &d->totals[(set * d->total_curves + t * (1 + w->contributions)) * d->rows + row];
            for (size_t i = 0; i < 1 + w->contributions; i++)
                total[i * d->rows] = d->options.undivided ? sum[i] * rdf_scattering_unit(asked->probe)
                                     : d->options.reduced ? rdf_row_wave(d, row) * sum[i] / mean
                                                          : (i || d->part == RDF_PART_REST ? 0 : 1) + sum[i] / mean;
        }
    }
    return 0;
}

int rdf_waves_fill(const struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_bins *bins = &d->hist.setup.bins;
    const struct rdf_waves waves = {
        d->options.qmin, d->options.dq,        d->rows,
        d->progress,     d->options.pdf.qdamp, d->options.pdf.qbroad * d->options.pdf.peak_width};
    size_t lanes = d->sets * d->pairs;
    double alpha = d->number == RDF_SQ && !strcmp(d->options.window, "lorch") ? PI / bins->rmax : 0;
    double *y = trj_alloc(bins->count, lanes * sizeof *y, "curves", err);
    double *transformed = y ? trj_alloc(d->rows, lanes * sizeof *transformed, "waves", err) : NULL;
    double *summed = transformed ? trj_alloc(d->rows, lanes * sizeof *summed, "waves", err) : NULL;
    struct amounts amounts = {.amplitude = NULL};
    int rc = summed && !open_amounts(&amounts, d, err) ? 0 : -1;
    if (rc) goto out;
    if (rdf_waves_transform(d)) {
        put_transformed(d, y);
        rdf_transform(transformed, y, lanes, bins, &waves, alpha);
    }
    if (sums_up(d)) { // counts that end before rmax require no window
        memset(y, 0, bins->count * lanes * sizeof *y);
        put_summed(d, y);
        rdf_transform(summed, y, lanes, bins, &waves, 0);
    }
    for (size_t i = 0; i < lanes; i++) {
        size_t set = i / d->pairs, pair = i % d->pairs;
        const struct rdf_pair *p = &d->hist.setup.pairs[pair];
        double mean = sqrt(rdf_set_atoms(d, set, p->a) * rdf_set_atoms(d, set, p->b)), one = self(d, set, pair);
        for (size_t row = 0; row < d->rows; row++)
            rdf_set_values(d, set, pair)[row] = one + (transformed[row * lanes + i] + summed[row * lanes + i]) *
                                                          (d->options.atoms ? (double)d->options.atoms / mean : 1);
    }
    for (size_t row = 0; !rc && row < d->rows; row++)
        rc = fill_totals(d, &amounts, row, rdf_waves_transform(d) ? transformed + row * lanes : NULL,
                         sums_up(d) ? summed + row * lanes : NULL, err);
out:
    free(y);
    free(transformed);
    free(summed);
    close_amounts(&amounts);
    return rc;
}
