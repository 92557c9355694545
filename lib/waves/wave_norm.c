// SPDX-License-Identifier: MIT
// Divides sums of amplitudes by numbers of atoms and waves, with the errors of curve_mean.h.
#include "wave_norm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_blocks.h"
#include "memory.h"
#include "table.h"

void wav_norm_free(struct wav_norm *n) {
    curve_mean_free(&n->mean);
    free(n->vectors);
    free(n->gaps);
    free(n->lengths);
    free(n->products);
    free(n->weighted);
    free(n->weights);
    free(n->totals);
    rdf_scattering_close(&n->scattering);
}

// ---- the options

// Returns the number of atoms that are in both groups of a pair.
static double common_atoms(const struct rdf_setup *s, const struct rdf_pair *pair) {
    double a = (double)s->groups[pair->a].atoms, b = (double)s->groups[pair->b].atoms;
    return pair->a == pair->b ? a : a * b - (double)pair->pairs;
}

static int check_request(const struct wav_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    const struct rdf_norm_options *q = n->options;
    if (!isnan(q->volume) || !isnan(q->density) || !isnan(q->droplet) || !isnan(q->thickness) || q->box || q->plane ||
        q->range || q->edges || q->merge != 1 || q->counts || q->covariance || q->self || q->split ||
        rdf_part_named(q->excluded) != RDF_PART_REST || strcmp(q->norm, rdf_norms[0].name) != 0)
        return trj_fail(err, TRJ_USAGE,
                        "the stream contains amplitudes of waves (skhist), to which only --error, --pair, --total, "
                        "--form, --scatterer, --partial, --atoms and --output apply; leave the other options out");
    if (q->pairs.count && q->totals.count)
        return trj_fail(err, TRJ_USAGE,
                        "--pair and --total: contributions to a total are not computed for waves; leave one of them "
                        "out");
    if (s->waves.lags[s->waves.lag_count - 1] && (q->totals.count || n->atoms))
        return trj_fail(err, TRJ_USAGE,
                        "--%s: not defined for F(q,t), whose self part was not counted separately; leave it out, or "
                        "compute S(q) with skhist without --lag",
                        n->atoms ? "atoms" : "total");
    if (strcmp(q->form, "g") != 0 && strcmp(q->form, "fz") != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--form %s: applies to G(r) only; for S(q), give g, which is S(q), or fz, which is F(q)",
                        q->form);
    for (size_t p = 0; n->atoms && p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        double a = (double)s->groups[pair->a].atoms, b = (double)s->groups[pair->b].atoms,
               all = a + b - common_atoms(s, pair);
        if (all > (double)n->atoms)
            return trj_fail(err, TRJ_USAGE, "--atoms: %llu is less than the number of atoms of %s%s%s, %.10g",
                            (unsigned long long)n->atoms, s->groups[pair->a].name, pair->a == pair->b ? "" : " and ",
                            pair->a == pair->b ? "" : s->groups[pair->b].name, all);
    }
    return 0;
}

static size_t curve_count(const struct wav_norm *n, const struct rdf_setup *s) {
    return (s->pair_count + n->options->totals.count) * s->waves.lag_count;
}

static int open_norm(struct wav_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_setup_wave_row(s), shells = (size_t)s->waves.shells.count;
    if (n->weighted) return 0;
    if (check_request(n, s, err) || rdf_totals_parse(&n->totals, &n->options->totals, false, err) ||
        (n->options->totals.count &&
         rdf_scattering_open(&n->scattering, s, RDF_PART_ALL, &n->options->scatterers, err)))
        return -1;
    n->mean.error = n->options->error;
    n->mean.interval = isnan(n->options->interval) ? 0 : n->options->interval;
    if (rdf_norm_check_interval(n->options, err)) return -1;
    n->vectors = trj_alloc(row, sizeof *n->vectors, "shells", err);
    n->gaps = n->vectors ? trj_alloc(row, sizeof *n->gaps, "shells", err) : NULL;
    n->lengths = n->gaps ? trj_alloc(row, sizeof *n->lengths, "shells", err) : NULL;
    n->products = n->lengths ? trj_alloc(s->pair_count * row, sizeof *n->products, "shells", err) : NULL;
    n->weights = n->products ? trj_alloc(curve_count(n, s), sizeof *n->weights, "curves", err) : NULL;
    n->weighted = n->weights ? trj_alloc(curve_count(n, s) * shells, sizeof *n->weighted, "curves", err) : NULL;
    return n->weighted ? curve_mean_open(&n->mean, curve_count(n, s), shells, err) : -1;
}

// ---- values

// The sums of one record, or of all.
struct sums {
    const struct rdf_setup *s;
    const uint64_t *vectors;
    const rdf_wide *lengths, *products;
};

// Returns the mean length of the vectors of a shell in all lags; k is the place of one lag and the shell.
static double mean_length(const struct sums *m, size_t k) {
    size_t shells = (size_t)m->s->waves.shells.count;
    double length = 0, vectors = 0;
    for (size_t i = k % shells; i < rdf_setup_wave_row(m->s); i += shells) {
        length += (double)m->lengths[i] * RDF_Q_QUANTUM;
        vectors += (double)m->vectors[i];
    }
    return vectors > 0 ? length / vectors : NAN;
}

// Returns S of Ashcroft and Langreth.
static double partial(const struct sums *m, size_t pair, size_t k) {
    const struct rdf_pair *p = &m->s->pairs[pair];
    double a = (double)m->s->groups[p->a].atoms, b = (double)m->s->groups[p->b].atoms;
    double sum = (double)m->products[pair * rdf_setup_wave_row(m->s) + k] * RDF_WAVE_QUANTUM;
    return m->vectors[k] ? sum / (double)m->vectors[k] / sqrt(a * b) : NAN;
}

static double value_of_pair(const struct wav_norm *n, const struct sums *m, size_t pair, size_t k) {
    const struct rdf_pair *p = &m->s->pairs[pair];
    double s = partial(m, pair, k), a = (double)m->s->groups[p->a].atoms, b = (double)m->s->groups[p->b].atoms;
    return n->atoms ? 1 + (s - common_atoms(m->s, p) / sqrt(a * b)) * (double)n->atoms / sqrt(a * b) : s;
}

// Sets *value to S(q) or F(q) of a total. `amplitudes`[groups] is work space.
static int value_of_total(const struct wav_norm *n, const struct sums *m, size_t total, size_t k, double *amplitudes,
                          double *value, struct trj_error *err) {
    const struct rdf_total *t = &n->totals[total];
    const struct rdf_scattering *scattering = &n->scattering;
    double intensity = 0, mean = 0, square = 0, q = mean_length(m, k);
    *value = NAN;
    if (!m->vectors[k]) return 0;
    if (rdf_scattering_amplitudes(amplitudes, scattering, t->probe, q, err)) return -1;
    for (size_t g = 0; g < m->s->group_count; g++) {
        double share = scattering->scatterer[g].used ? (double)m->s->groups[g].atoms / scattering->atoms : 0;
        mean += share * amplitudes[g];
        square += share * amplitudes[g] * amplitudes[g];
    }
    for (size_t p = 0; p < m->s->pair_count; p++) {
        const struct rdf_pair *pair = &m->s->pairs[p];
        double a = (double)m->s->groups[pair->a].atoms, b = (double)m->s->groups[pair->b].atoms;
        if (!rdf_scattering_first(scattering, p)) continue;
        intensity += (pair->a == pair->b ? 1 : 2) * sqrt(a * b) / scattering->atoms * amplitudes[pair->a] *
                     amplitudes[pair->b] * partial(m, p, k);
    }
    *value = !strcmp(n->options->form, "fz") ? (intensity - square) * rdf_scattering_unit(t->probe)
                                             : 1 + (intensity - square) / (mean * mean);
    return 0;
}

// Sets value[curves][shells].
static int find_values(const struct wav_norm *n, const struct sums *m, double *value, struct trj_error *err) {
    size_t row = rdf_setup_wave_row(m->s), pairs = m->s->pair_count;
    double *amplitudes = trj_alloc(m->s->group_count, sizeof *amplitudes, "groups", err);
    int rc = amplitudes ? 0 : -1;
    for (size_t p = 0; p < pairs; p++)
        for (size_t k = 0; k < row; k++) value[p * row + k] = value_of_pair(n, m, p, k);
    for (size_t t = 0; !rc && t < n->options->totals.count; t++)
        for (size_t k = 0; !rc && k < row; k++)
            rc = value_of_total(n, m, t, k, amplitudes, &value[(pairs + t) * row + k], err);
    free(amplitudes);
    return rc;
}

// Weights curve i of a record, whose values are in n->weighted.
static void weigh_curve(struct wav_norm *n, const struct rdf_setup *s, const struct rdf_record *r, size_t i) {
    size_t shells = (size_t)s->waves.shells.count, lag = i % s->waves.lag_count;
    double *value = n->weighted + i * shells;
    n->weights[i] = 0;
    for (size_t k = 0; k < shells; k++) n->weights[i] += (double)r->wave_vectors[lag * shells + k];
    for (size_t k = 0; k < shells; k++) {
        bool empty = !r->wave_vectors[lag * shells + k];
        if (empty && n->weights[i] > 0) n->gaps[lag * shells + k] = true;
        value[k] = empty ? 0 : value[k] * n->weights[i];
    }
}

int wav_norm_take(void *norm, const struct rdf_setup *s, const struct rdf_record *r, struct trj_error *err) {
    struct wav_norm *n = norm;
    if (open_norm(n, s, err)) return -1;
    size_t row = rdf_setup_wave_row(s);
    const struct sums m = {s, r->wave_vectors, r->wave_lengths, r->wave_products};
    if (find_values(n, &m, n->weighted, err)) return -1;
    for (size_t i = 0; i < curve_count(n, s); i++) weigh_curve(n, s, r, i);
    n->frames += r->frames;
    for (size_t k = 0; k < row; k++) {
        n->vectors[k] += r->wave_vectors[k];
        rdf_wide_add(&n->lengths[k], r->wave_lengths[k]);
    }
    for (size_t k = 0; k < s->pair_count * row; k++) rdf_wide_add(&n->products[k], r->wave_products[k]);
    return curve_mean_add(&n->mean, n->weighted, n->weights, err);
}

// ---- the table

struct curve {
    double *value; // [shells]
    struct curve_mean_error error;
};

static int print_head(struct trj_output *out, struct wav_norm *n, const struct rdf_hist *hist, char **provenance,
                      struct trj_error *err) {
    const struct rdf_wave_setup *w = &hist->setup.waves;
    char text[RDF_SHARE_NOTE];
    struct trj_table t = {.out = out, .err = err};
    rdf_table_head(&t, hist, NULL, provenance);
    trj_table_comment(&t, "wave vectors: of the reciprocal lattice of each frame, from %.10g to %.10g 1/Angstrom",
                      w->shells.rmin, w->shells.rmax);
    if (n->atoms)
        trj_table_comment(&t, "partial structure factors: Faber and Ziman, %llu atoms", (unsigned long long)n->atoms);
    else
        trj_table_comment(&t, "partial structure factors: Ashcroft and Langreth");
    if (trj_table_status(&t) || !n->options->totals.count) return trj_table_status(&t);
    // The composition of a group is kept only if all streams contain it.
    rdf_scattering_close(&n->scattering);
    if (rdf_scattering_open(&n->scattering, &hist->setup, RDF_PART_ALL, &n->options->scatterers, err) ||
        rdf_scattering_check_share(&n->scattering, NULL, n->frames, n->totals, n->options->totals.count,
                                   n->options->partial, text, err))
        return -1;
    if (*text && n->note) n->note(text);
    for (size_t i = 0; i < n->options->totals.count; i++)
        if (rdf_scattering_print(out, &n->scattering, &n->totals[i], err)) return -1;
    return 0;
}

static int print_columns(struct trj_table *t, const struct wav_norm *n, const struct rdf_setup *s, bool errors) {
    const struct rdf_wave_setup *w = &s->waves;
    bool later = w->lag_count > 1 || w->lags[0], timed = later && !isnan(w->interval),
         fz = !strcmp(n->options->form, "fz");
    bool interval = errors && !isnan(n->options->interval);
    char half[CURVE_INTERVAL_NAME], width[80] = "";
    curve_interval_name(half, n->options->interval);
    if (interval)
        snprintf(width, sizeof width, ", the half-width of its confidence interval of %g %%", n->options->interval);
    const char *name = later ? "F" : "S", *first = timed ? "time in ps; " : later ? "lag in frames; " : "";
    trj_table_comment(t,
                      "columns: %s%slength of the wave vectors in 1/Angstrom; their number in all frames, with k and "
                      "-k; %s%s%s",
                      first, w->hkl ? "indices; " : "mean ", later ? "F(q,t)" : "S(q)",
                      errors ? ", its standard error" : "", width);
    if (later) trj_table_name(t, timed ? "time" : "lag");
    if (w->hkl) trj_table_names(t, (const char *const[]){"h", "k", "l", NULL});
    trj_table_names(t, (const char *const[]){"q", "vectors", NULL});
    for (size_t i = 0; i < n->options->totals.count; i++) {
        trj_table_name(t, "%s(%s)", fz ? "F" : name, n->totals[i].name);
        if (errors) trj_table_name(t, "se(%s)", n->totals[i].name);
        if (interval) trj_table_name(t, "%s(%s)", half, n->totals[i].name);
    }
    for (size_t p = 0; p < s->pair_count; p++) {
        rdf_table_name(t, name, s, p, false);
        if (errors) rdf_table_name(t, "se", s, p, false);
        if (interval) rdf_table_name(t, half, s, p, false);
    }
    return trj_table_end_row(t);
}

static int print_row(struct trj_table *t, const struct wav_norm *n, const struct sums *m, size_t lag, size_t k,
                     const struct curve *curves, bool errors) {
    const struct rdf_wave_setup *w = &m->s->waves;
    size_t lags = w->lag_count, pairs = m->s->pair_count, totals = n->options->totals.count,
           place = lag * (size_t)w->shells.count + k;
    if (!m->vectors[place]) return 0;
    if (lags > 1 || w->lags[0]) trj_table_real(t, 10, (double)w->lags[lag] * (isnan(w->interval) ? 1 : w->interval));
    for (int i = 0; w->hkl && i < 3; i++) trj_table_text(t, "%d", w->hkl[k][i]);
    trj_table_real(t, 10, mean_length(m, place));
    trj_table_count(t, 2 * m->vectors[place]);
    for (size_t i = 0; i < totals + pairs; i++) {
        const struct curve *c = &curves[(i < totals ? pairs + i : i - totals) * lags + lag];
        trj_table_real(t, 10, c->value[k]);
        double error = c->error.error && !n->gaps[place] ? c->error.error[k] : NAN;
        if (errors) trj_table_real(t, 4, error);
        if (errors && !isnan(n->options->interval)) trj_table_real(t, 4, error * c->error.half_width);
    }
    return trj_table_end_row(t);
}

// Prints the blocks from which the errors of each total and pair follow: the longest of all lags.
static void put_blocks(struct trj_table *t, const struct wav_norm *n, const struct rdf_setup *s,
                       const struct curve *curves) {
    size_t lags = s->waves.lag_count, pairs = s->pair_count, totals = n->options->totals.count;
    for (size_t i = 0; i < totals + pairs; i++) {
        const struct rdf_pair *p = &s->pairs[i < totals ? 0 : i - totals];
        const struct curve *curve = curves + (i < totals ? pairs + i : i - totals) * lags;
        const struct curve_mean_error *e = &curve->error;
        char text[CURVE_ERROR_BLOCKS_TEXT], name[512], longest[40] = "";
        for (size_t lag = 1; lag < lags; lag++) e = curve_error_blocks_longer(e, &curve[lag].error);
        if (!e->error) continue;
        if (lags > 1) snprintf(longest, sizeof longest, ", longest of %zu", lags);
        if (i < totals)
            snprintf(name, sizeof name, "%s", n->totals[i].name);
        else
            snprintf(name, sizeof name, "%s:%s", s->groups[p->a].name, s->groups[p->b].name);
        curve_error_blocks_text(text, NULL, e);
        trj_table_comment(t, "error %s%s: %s", name, longest, text);
    }
}

static int print_rows(struct trj_output *out, const struct wav_norm *n, const struct sums *m,
                      const struct curve *curves, struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    bool errors = false;
    for (size_t i = 0; i < curve_count(n, m->s); i++) errors = errors || curves[i].error.error;
    if (!errors && !isnan(n->options->interval)) return curve_interval_fail_single(err);
    put_blocks(&t, n, m->s, curves);
    int rc = print_columns(&t, n, m->s, errors);
    for (size_t lag = 0; lag < m->s->waves.lag_count; lag++)
        for (size_t k = 0; !rc && k < m->s->waves.shells.count; k++) rc = print_row(&t, n, m, lag, k, curves, errors);
    return rc;
}

int wav_norm_print(struct trj_output *out, struct wav_norm *n, const struct rdf_hist *hist, char **provenance,
                   struct trj_error *err) {
    const struct rdf_setup *s = &hist->setup;
    const struct sums m = {s, n->vectors, n->lengths, n->products};
    size_t count = curve_count(n, s), shells = (size_t)s->waves.shells.count;
    struct curve *curves = NULL;
    double *values = trj_alloc(count * shells, sizeof *values, "curves", err);
    bool too_few = false, unknown = false;
    int rc = !values || print_head(out, n, hist, provenance, err) || find_values(n, &m, values, err) ||
                     !(curves = trj_alloc(count, sizeof *curves, "curves", err))
                 ? -1
                 : 0;
    for (size_t i = 0; !rc && i < count; i++) {
        curves[i].value = values + i * shells;
        rc = curve_mean_error(&curves[i].error, &n->mean, i, curves[i].value, err);
        too_few = too_few || curves[i].error.too_few;
        unknown = unknown || (curves[i].error.error && isnan(curves[i].error.half_width));
    }
    if (!rc && too_few && n->note)
        n->note("note: too few records to estimate their correlation: errors may be too small; count more frames, or "
                "shorter records if they have several frames each (skhist -B)");
    if (!rc && unknown && !isnan(n->options->interval) && n->note) n->note(curve_interval_unknown);
    if (!rc) rc = print_rows(out, n, &m, curves, err);
    for (size_t i = 0; curves && i < count; i++) free(curves[i].error.error);
    free(curves);
    free(values);
    return rc;
}
