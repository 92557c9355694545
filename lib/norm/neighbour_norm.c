// SPDX-License-Identifier: MIT
// Makes the tables of neighbours and triplets with the errors of curve_mean.h, as for g(r).
#include "neighbour_norm.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mean_table.h"
#include "memory.h"
#include "shell.h"
#include "table.h"
#include "triplet.h"

const struct trj_option rdf_neighbour_norm_option_table[] = {
    {.heading = "Other tables",
     TRJ_OPTION_FIELD(0, "neighbours", CHOICE, struct rdf_neighbour_norm, neighbours, "TABLE",
                      "print this table of the neighbours that rdfhist --neighbours counted"),
     .choices = rdf_neighbour_tables},
    {TRJ_OPTION_FIELD(0, "triplets", CHOICE, struct rdf_neighbour_norm, triplets, "TABLE",
                      "print this table of the triplets that rdfhist --triplet counted"),
     .choices = rdf_triplet_tables},
    TRJ_OPTION_END,
};

const struct trj_choice rdf_neighbour_tables[] = {
    {"numbers", "shares of the atoms with n neighbours"},
    {"exchange", "pairs of atoms that stay, enter and leave from frame to frame"},
    {NULL, NULL},
};
const struct trj_choice rdf_triplet_tables[] = {
    {"angles", "distributions of the angle"},
    {"map", "distributions of angle and distance, one row for each pair of bins"},
    {NULL, NULL},
};

enum { STAY, ENTER, LEAVE, EXCHANGES };

bool rdf_neighbour_norm_requested(const struct rdf_neighbour_norm *n) {
    return n->neighbours || n->triplets;
}

bool rdf_neighbour_norm_has_table(const struct rdf_neighbour_norm *n) {
    return !n->neighbours || strcmp(n->neighbours, "exchange") != 0 || n->exchange.records;
}

void rdf_neighbour_norm_free(struct rdf_neighbour_norm *n) {
    curve_mean_free(&n->share);
    curve_mean_free(&n->other);
    curve_mean_free(&n->exchange);
    curve_mean_free(&n->leave);
    free(n->kept);
    free(n->weighted);
    free(n->weights);
    free(n->rows);
    free(n->transitions);
}

// ---- records of neighbours

static int open_neighbours(struct rdf_neighbour_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    size_t pairs = s->pair_count;
    if (!rdf_neighbour_row(&s->neighbours))
        return trj_fail(err, TRJ_BAD_DATA, "contains no numbers of neighbours; count with rdfhist --neighbours");
    if (n->weighted) return 0;
    n->share.error = n->other.error = n->exchange.error = n->leave.error = n->error;
    n->share.interval = n->other.interval = n->exchange.interval = n->leave.interval = n->interval;
    n->weighted = trj_alloc(pairs * s->neighbours.classes, sizeof *n->weighted, "a curve", err);
    n->weights = n->weighted ? trj_alloc(pairs, sizeof *n->weights, "a curve", err) : NULL;
    return !n->weights || curve_mean_open(&n->share, pairs, s->neighbours.classes, err) ||
                   curve_mean_open(&n->other, pairs, 2, err) || curve_mean_open(&n->exchange, pairs, EXCHANGES, err) ||
                   curve_mean_open(&n->leave, pairs, 1, err)
               ? -1
               : 0;
}

static int take_exchange(struct rdf_neighbour_norm *n, const struct rdf_setup *s, const struct rdf_record *r,
                         struct trj_error *err) {
    size_t row = rdf_neighbour_row(&s->neighbours), pairs = s->pair_count;
    if (trj_grow(&n->rows, &n->row_capacity, (n->records + 1) * pairs * EXCHANGES, sizeof *n->rows, "records", err) ||
        trj_grow(&n->transitions, &n->transition_capacity, n->records + 1, sizeof *n->transitions, "records", err))
        return -1;
    n->transitions[n->records] = r->transitions;
    for (size_t p = 0; p < pairs; p++) {
        const uint64_t *sums = r->neighbours + p * row + s->neighbours.classes;
        double *to = n->rows + (n->records * pairs + p) * EXCHANGES;
        to[STAY] = (double)sums[RDF_STAYED];
        to[ENTER] = (double)sums[RDF_ENTERED];
        to[LEAVE] = (double)sums[RDF_LEFT];
        memcpy(n->weighted + p * EXCHANGES, to, EXCHANGES * sizeof *to);
        n->weights[p] = (double)r->transitions;
    }
    n->records++;
    if (!r->transitions) return 0; // a record of the first frame alone
    double apart = trj_exact_value(&r->transition_time) / (double)r->transitions;
    if (!n->exchange.records || apart < n->apart[0]) n->apart[0] = apart;
    if (!n->exchange.records || apart > n->apart[1]) n->apart[1] = apart;
    if (curve_mean_add(&n->exchange, n->weighted, n->weights, err)) return -1;
    for (size_t p = 0; p < pairs; p++) {
        const double *from = n->rows + ((n->records - 1) * pairs + p) * EXCHANGES;
        n->weighted[p] = from[LEAVE];
        n->weights[p] = from[STAY] + from[LEAVE];
    }
    return curve_mean_add(&n->leave, n->weighted, n->weights, err);
}

static int take_neighbours(void *norm, const struct rdf_setup *s, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_neighbour_norm *n = norm;
    size_t row = rdf_neighbour_row(&s->neighbours), pairs = s->pair_count;
    uint64_t classes = s->neighbours.classes;
    if (open_neighbours(n, s, err)) return -1;
    if (!strcmp(n->neighbours, "exchange")) return take_exchange(n, s, r, err);
    for (size_t p = 0; p < pairs; p++) {
        n->weights[p] = 0;
        for (uint64_t k = 0; k < classes; k++) {
            double atoms = (double)r->neighbours[p * row + k];
            n->weighted[p * classes + k] = atoms;
            n->weights[p] += atoms;
        }
    }
    if (curve_mean_add(&n->share, n->weighted, n->weights, err)) return -1;
    for (size_t p = 0; p < pairs; p++)
        for (int k = 0; k < 2; k++)
            n->weighted[2 * p + (size_t)k] = (double)r->neighbours[p * row + classes + RDF_SUM_OF_N + (size_t)k];
    return curve_mean_add(&n->other, n->weighted, n->weights, err);
}

// ---- records of triplets

enum { TRIPLET_NAME = 3 * TRJ_GROUP_NAME_MAX + 3 };

static void triplet_name(char text[TRIPLET_NAME], const struct rdf_setup *s, size_t triplet) {
    const struct rdf_triplet *t = &s->triplets.triplet[triplet];
    snprintf(text, TRIPLET_NAME, "%s:%s:%s", s->groups[t->a].name, s->groups[t->centre].name, s->groups[t->c].name);
}

static int keep_triplets(struct rdf_neighbour_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    if (!(n->kept = trj_alloc(s->triplets.count, sizeof *n->kept, "triplets", err))) return -1;
    for (size_t t = 0; t < s->triplets.count; t++) n->kept[t] = !n->pairs.count;
    for (size_t i = 0; i < n->pairs.count; i++) {
        char name[TRIPLET_NAME], has[512] = "";
        bool found = false;
        for (size_t t = 0; t < s->triplets.count; t++) {
            size_t length = strlen(has);
            triplet_name(name, s, t);
            if (!strcmp(name, n->pairs.texts[i])) found = n->kept[t] = true;
            if (length + sizeof name < sizeof has)
                snprintf(has + length, sizeof has - length, "%s%s", length ? ", " : "", name);
        }
        if (!found)
            return trj_fail(err, TRJ_USAGE, "--pair: no triplet '%s' in the stream, which has %s", n->pairs.texts[i],
                            has);
    }
    return 0;
}

// Returns the share of an angle's bin among independent directions.
static double isotropic(uint64_t k, uint32_t angles) {
    double width = 3.14159265358979323846 / angles;
    return sin((double)(k)*width + width / 2) * sin(width / 2); // (cos low - cos high) / 2, without cancellation
}

// Returns the measure v of a bin of distances, Å^6.
static double measure(const struct rdf_triplet *t, const struct rdf_bins *bins, uint64_t k) {
    double product[2] = {1, 1};
    for (int end = 0; end < 2; end++)
        for (int arm = 0; arm < 2; arm++) {
            double x = fmin(k + (uint64_t)end == bins->count ? INFINITY : rdf_bins_edge(bins, k + (uint64_t)end),
                            t->high[arm]);
            product[end] *= x > t->low[arm] ? rdf_shell_full(t->low[arm], x) : 0;
        }
    return product[1] - product[0];
}

static int open_triplets(struct rdf_neighbour_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_triplet_row(&s->triplets), count = s->triplets.count;
    if (!count) return trj_fail(err, TRJ_BAD_DATA, "contains no triplets; count with rdfhist --triplet");
    if (n->weighted) return 0;
    bool map = !strcmp(n->triplets, "map");
    n->share.error = n->other.error = n->error;
    n->share.interval = n->other.interval = n->interval;
    n->weighted = trj_alloc(count * row, sizeof *n->weighted, "a curve", err);
    n->weights = n->weighted ? trj_alloc(count, sizeof *n->weights, "a curve", err) : NULL;
    return !n->weights || keep_triplets(n, s, err) ||
                   curve_mean_open(&n->share, count, map ? row : s->triplets.angles, err) ||
                   curve_mean_open(&n->other, count, map ? row : 1, err)
               ? -1
               : 0;
}

static int take_angles(struct rdf_neighbour_norm *n, const struct rdf_setup *s, const struct rdf_record *r,
                       struct trj_error *err) {
    size_t angles = s->triplets.angles, distances = s->triplets.distances;
    for (size_t t = 0; t < s->triplets.count; t++) {
        n->weights[t] = 0;
        for (size_t a = 0; a < angles; a++) {
            double sum = 0;
            for (size_t d = 0; d < distances; d++) sum += (double)r->triplets[(t * angles + a) * distances + d];
            n->weighted[t * angles + a] = sum;
            n->weights[t] += sum;
        }
    }
    return curve_mean_add(&n->share, n->weighted, n->weights, err);
}

static int take_map(struct rdf_neighbour_norm *n, const struct rdf_setup *s, const struct rdf_record *r,
                    struct trj_error *err) {
    size_t row = rdf_triplet_row(&s->triplets), distances = s->triplets.distances;
    for (size_t t = 0; t < s->triplets.count; t++) {
        n->weights[t] = 0;
        for (size_t k = 0; k < row; k++) n->weights[t] += n->weighted[t * row + k] = (double)r->triplets[t * row + k];
    }
    if (curve_mean_add(&n->share, n->weighted, n->weights, err)) return -1;
    for (size_t t = 0; t < s->triplets.count; t++) {
        const struct rdf_bins bins = rdf_triplet_bins(&s->triplets, t);
        n->weights[t] = r->volume_frames == r->frames ? trj_exact_value(&r->triplet_density[t]) : 0;
        for (size_t k = 0; k < row; k++)
            n->weighted[t * row + k] /=
                measure(&s->triplets.triplet[t], &bins, k % distances) * isotropic(k / distances, s->triplets.angles);
    }
    return curve_mean_add(&n->other, n->weighted, n->weights, err);
}

static int take_triplets(void *norm, const struct rdf_setup *s, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_neighbour_norm *n = norm;
    if (open_triplets(n, s, err)) return -1;
    return strcmp(n->triplets, "map") ? take_angles(n, s, r, err) : take_map(n, s, r, err);
}

// ---- the options

int rdf_neighbour_norm_open(struct rdf_neighbour_norm *n, const struct rdf_norm_options *q, struct rdf_hist *hist,
                            struct trj_error *err) {
    const char *option = n->neighbours ? "neighbours" : "triplets";
    if (n->neighbours && n->triplets)
        return trj_fail(err, TRJ_USAGE, "--neighbours and --triplets: one table is printed; leave one of them out");
    if (rdf_norm_check_other_table(option, q, false, err)) return -1;
    n->error = q->error;
    n->interval = isnan(q->interval) ? 0 : q->interval;
    hist->take_arg = n;
    if (n->neighbours) {
        hist->pairs = q->pairs;
        hist->take = take_neighbours;
    } else {
        n->pairs = q->pairs;
        hist->take = take_triplets;
    }
    return 0;
}

// ---- tables

static const char *pair_name(char text[256], const struct rdf_setup *s, size_t pair) {
    snprintf(text, 256, "%s:%s", s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name);
    return text;
}

static int print_numbers(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                         const struct rdf_mean_curve *share, const struct rdf_mean_curve *mean) {
    size_t classes = (size_t)s->neighbours.classes, last = 0;
    char name[256], error[RDF_MEAN_ERROR_TEXT];
    const struct rdf_mean_columns columns = rdf_mean_columns(n->interval, share, s->pair_count);
    for (size_t p = 0; p < s->pair_count; p++) {
        const double *m = mean[p].mean, variance = m[1] - m[0] * m[0];
        trj_table_comment(t, "neighbours of %s: mean %.10g, %s, standard deviation %.6g", pair_name(name, s, p), m[0],
                          rdf_mean_error_text(error, n->interval, &mean[p], 0, 1), sqrt(variance < 0 ? 0 : variance));
        for (size_t k = 0; k < classes; k++)
            if (share[p].mean[k] > 0 && k > last) last = k;
    }
    if (last == classes - 1) trj_table_comment(t, "the last row contains all atoms with %zu or more neighbours", last);
    trj_table_comment(t, "neighbours: within %.10g Angstrom", s->neighbours.radius);
    trj_table_comment(t, "columns: number of neighbours; a pair of groups: share of the atoms of A with this number%s",
                      columns.text);
    trj_table_name(t, "n");
    for (size_t p = 0; p < s->pair_count; p++) {
        rdf_table_name(t, "P", s, p, false);
        if (columns.errors) rdf_table_name(t, "se", s, p, false);
        if (columns.intervals) rdf_table_name(t, columns.name, s, p, false);
    }
    int rc = trj_table_end_row(t);
    for (size_t k = 0; !rc && k <= last; k++) {
        trj_table_count(t, k);
        for (size_t p = 0; p < s->pair_count; p++) {
            trj_table_real(t, 10, share[p].mean[k]);
            rdf_mean_put_error(t, &columns, &share[p], k, 1);
        }
        rc = trj_table_end_row(t);
    }
    return rc;
}

// Prints the means over all records, and the time for which a pair of neighbours stays.
static void put_exchange_means(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                               const struct rdf_record *total, const struct rdf_mean_curve *mean,
                               const struct rdf_mean_curve *leave) {
    double time = trj_exact_value(&total->transition_time) / (double)total->transitions;
    char name[256], apart[40] = "", error[EXCHANGES][RDF_MEAN_ERROR_TEXT];
    if (time > 0) snprintf(apart, sizeof apart, ", %.10g ps apart", time);
    trj_table_comment(t, "pairs of frames: %llu%s", (unsigned long long)total->transitions, apart);
    for (size_t p = 0; p < s->pair_count; p++) {
        const double *m = mean[p].mean;
        double left = leave[p].mean[0], stays = (time > 0 ? time : 1) / left;
        for (size_t k = 0; k < EXCHANGES; k++) rdf_mean_error_text(error[k], n->interval, &mean[p], k, 1);
        trj_table_comment(t, "exchange of %s: %.10g stay, %s; %.10g enter, %s; %.10g leave, %s", pair_name(name, s, p),
                          m[STAY], error[STAY], m[ENTER], error[ENTER], m[LEAVE], error[LEAVE]);
        trj_table_comment(t, "residence of %s: %.10g %s, %s", name, stays, time > 0 ? "ps" : "frames",
                          rdf_mean_error_text(error[0], n->interval, &leave[p], 0, left > 0 ? stays / left : NAN));
    }
}

static int print_exchange(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                          const struct rdf_record *total, const struct rdf_mean_curve *mean,
                          const struct rdf_mean_curve *leave) {
    static const char *const columns[EXCHANGES] = {"stay", "enter", "leave"};
    char text[300];
    if (!total->transitions)
        return trj_fail(t->err, TRJ_BAD_DATA, "no two consecutive frames were compared; count %s",
                        s->open_system ? "frames with a constant number of atoms" : "two or more frames");
    // Times that a format rounds differ by less.
    if (n->apart[1] > 1.1 * n->apart[0] && n->note) {
        snprintf(text, sizeof text,
                 "note: the frames of records are from %.6g to %.6g ps apart (0: unknown): numbers of pairs that enter "
                 "and leave, and the residence time, mix these intervals; print streams separately",
                 n->apart[0], n->apart[1]);
        n->note(text);
    }
    put_exchange_means(t, n, s, total, mean, leave);
    trj_table_comment(t, "neighbours: within %.10g Angstrom", s->neighbours.radius);
    trj_table_comment(t, "columns: number of the record, pairs of consecutive frames in it; a pair of groups: pairs of "
                         "atoms that stay, enter and leave, each from one frame to the next");
    trj_table_names(t, (const char *const[]){"record", "frames", NULL});
    for (size_t p = 0; p < s->pair_count; p++)
        for (int k = 0; k < EXCHANGES; k++) rdf_table_name(t, columns[k], s, p, false);
    int rc = trj_table_end_row(t);
    for (size_t r = 0; !rc && r < n->records; r++) {
        trj_table_count(t, r);
        trj_table_count(t, n->transitions[r]);
        for (size_t k = 0; k < s->pair_count * EXCHANGES; k++)
            trj_table_real(t, 10, n->rows[r * s->pair_count * EXCHANGES + k] / (double)n->transitions[r]);
        rc = trj_table_end_row(t);
    }
    return rc;
}

// Fails if the triplets of a map have different distances, which are its second column.
static int check_distances(const struct rdf_neighbour_norm *n, const struct rdf_setup *s, size_t *first,
                           struct trj_error *err) {
    *first = 0;
    while (!n->kept[*first]) ++*first;
    const struct rdf_bins a = rdf_triplet_bins(&s->triplets, *first);
    for (size_t t = *first; t < s->triplets.count; t++) {
        const struct rdf_bins b = rdf_triplet_bins(&s->triplets, t);
        if (n->kept[t] && (a.rmin != b.rmin || a.rmax != b.rmax))
            return trj_fail(err, TRJ_USAGE,
                            "--triplets map: the distances of the triplets have different limits, so that rows differ; "
                            "select one with --pair A:B:C");
    }
    return 0;
}

static void put_triplet_head(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s) {
    char name[TRIPLET_NAME];
    for (size_t i = 0; i < s->triplets.count; i++) {
        const struct rdf_triplet *counted = &s->triplets.triplet[i];
        if (!n->kept[i]) continue;
        triplet_name(name, s, i);
        trj_table_comment(t, "triplet %s: %.10g to %.10g Angstrom, %.10g to %.10g Angstrom; %.10g counted", name,
                          counted->low[0], counted->high[0], counted->low[1], counted->high[1], n->share.weight[i]);
    }
}

// Writes the names of the columns of each triplet; NULL: no column.
enum { TRIPLET_COLUMNS = 4 };
static int print_triplet_names(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                               const char *const what[TRIPLET_COLUMNS]) {
    char name[TRIPLET_NAME];
    for (size_t i = 0; i < s->triplets.count; i++) {
        if (!n->kept[i]) continue;
        triplet_name(name, s, i);
        for (int k = 0; k < TRIPLET_COLUMNS; k++)
            if (what[k]) trj_table_name(t, "%s(%s)", what[k], name);
    }
    return trj_table_end_row(t);
}

static int print_angles(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                        const struct rdf_mean_curve *share) {
    double width = 180.0 / s->triplets.angles;
    const struct rdf_mean_columns e = rdf_mean_columns(n->interval, share, n->share.curves);
    trj_table_comment(t,
                      "columns: middle of the bin in degrees; a triplet: probability density per degree%s, its ratio "
                      "to that of independent directions",
                      e.text);
    trj_table_name(t, "theta");
    const char *const names[TRIPLET_COLUMNS] = {"P", e.errors ? "se" : NULL, e.intervals ? e.name : NULL, "iso"};
    int rc = print_triplet_names(t, n, s, names);
    for (size_t k = 0; !rc && k < s->triplets.angles; k++) {
        trj_table_real(t, 10, ((double)k + 0.5) * width);
        for (size_t i = 0; i < s->triplets.count; i++) {
            if (!n->kept[i]) continue;
            trj_table_real(t, 10, share[i].mean[k] / width);
            rdf_mean_put_error(t, &e, &share[i], k, 1 / width);
            trj_table_real(t, 10, share[i].mean[k] / isotropic(k, s->triplets.angles));
        }
        rc = trj_table_end_row(t);
    }
    return rc;
}

static int print_map(struct trj_table *t, const struct rdf_neighbour_norm *n, const struct rdf_setup *s,
                     const struct rdf_mean_curve *share, const struct rdf_mean_curve *g3) {
    size_t first, row = rdf_triplet_row(&s->triplets), distances = s->triplets.distances;
    const struct rdf_mean_columns e = rdf_mean_columns(n->interval, g3, n->other.curves);
    if (check_distances(n, s, &first, t->err)) return -1;
    const struct rdf_bins bins = rdf_triplet_bins(&s->triplets, first);
    double width = 180.0 / s->triplets.angles, area = width * (bins.rmax - bins.rmin) / (double)bins.count;
    trj_table_comment(t,
                      "columns: middle of the bin of the angle in degrees, of the longer distance in Angstrom; a "
                      "triplet: probability density per degree and Angstrom, g3%s",
                      e.text);
    trj_table_names(t, (const char *const[]){"theta", "r", NULL});
    const char *const names[TRIPLET_COLUMNS] = {"P", "g3", e.errors ? "se" : NULL, e.intervals ? e.name : NULL};
    int rc = print_triplet_names(t, n, s, names);
    for (size_t k = 0; !rc && k < row; k++) {
        size_t angle = k / distances;
        trj_table_real(t, 10, ((double)angle + 0.5) * width);
        trj_table_real(t, 10, (rdf_bins_edge(&bins, k % distances) + rdf_bins_edge(&bins, k % distances + 1)) / 2);
        for (size_t i = 0; i < s->triplets.count; i++) {
            if (!n->kept[i]) continue;
            trj_table_real(t, 10, share[i].mean[k] / area);
            trj_table_real(t, 10, g3[i].mean[k]);
            rdf_mean_put_error(t, &e, &g3[i], k, 1);
        }
        rc = trj_table_end_row(t);
    }
    return rc;
}

int rdf_neighbour_norm_print(struct trj_output *out, struct rdf_neighbour_norm *n, const struct rdf_hist *hist,
                             char **provenance, struct trj_error *err) {
    const struct rdf_setup *s = &hist->setup;
    const struct rdf_record total = rdf_hist_total(hist);
    const bool neighbours = n->neighbours, exchange = neighbours && !strcmp(n->neighbours, "exchange"),
               map = !neighbours && !strcmp(n->triplets, "map"), two = neighbours || map;
    uint64_t *atoms = trj_alloc(s->group_count, sizeof *atoms, "groups", err);
    struct rdf_mean_curve *first = atoms ? rdf_mean_curves_make(exchange ? &n->exchange : &n->share, err) : NULL,
                          *second = NULL;
    for (size_t i = 0; first && i < hist->record_count; i++)
        for (size_t g = 0; hist->records[i].group_atoms && g < s->group_count; g++)
            atoms[g] += hist->records[i].group_atoms[g];
    if (first && two) second = rdf_mean_curves_make(exchange ? &n->leave : &n->other, err);
    struct trj_table t = {.out = out, .err = err};
    int rc = !first || (two && !second) ? -1 : 0;
    if (!rc) rdf_table_head(&t, hist, atoms, provenance);
    if (!rc && !neighbours) put_triplet_head(&t, n, s);
    if (!rc) rc = trj_table_status(&t);
    if (!rc)
        rc =
            rdf_mean_check_intervals(n->interval, n->note, first, exchange ? n->exchange.curves : n->share.curves, err);
    if (!rc && map && total.volume_frames < total.frames && n->note)
        n->note("note: frames without a cell have no density: g3 is NaN");
    if (!rc) {
        rdf_mean_note_too_few(n->note, first, exchange ? n->exchange.curves : n->share.curves);
        rdf_mean_put_blocks(&t, first, exchange ? n->exchange.curves : n->share.curves);
    }
    if (!rc)
        rc = exchange     ? print_exchange(&t, n, s, &total, first, second)
             : neighbours ? print_numbers(&t, n, s, first, second)
             : map        ? print_map(&t, n, s, first, second)
                          : print_angles(&t, n, s, first);
    rdf_mean_curves_free(first, exchange ? n->exchange.curves : n->share.curves);
    rdf_mean_curves_free(second, exchange ? n->leave.curves : n->other.curves);
    free(atoms);
    return rc;
}
