// SPDX-License-Identifier: MIT
// Implements the float64 rule that defines all counts. Engines call it for pairs that float32 cannot decide.
#include "job.h"

#include <math.h>
#include <string.h>

#include "memory.h"

double rdf_bins_edge(const struct rdf_bins *b, uint64_t k) {
    return b->rmin + (double)k * ((b->rmax - b->rmin) / (double)b->count);
}

int rdf_bins_check(const struct rdf_bins *b, struct trj_error *err) {
    if (b->count < 1 || b->count > RDF_MAX_BINS)
        return trj_fail(err, TRJ_USAGE, "bins: invalid value %llu: expected 1 to %d", (unsigned long long)b->count,
                        RDF_MAX_BINS);
    if (!isfinite(b->rmin) || b->rmin < 0)
        return trj_fail(err, TRJ_USAGE, "rmin: invalid value %g: expected a distance of 0 or more", b->rmin);
    if (!isfinite(b->rmax) || b->rmax <= b->rmin || b->rmax > RDF_MAX_COORDINATE || b->rmax < RDF_MIN_RMAX)
        return trj_fail(err, TRJ_USAGE, "rmax: invalid value %g: expected a distance above rmin (%g) and from %g to %g",
                        b->rmax, b->rmin, RDF_MIN_RMAX, RDF_MAX_COORDINATE);
    if (b->metric.second > RDF_MAX_BINS / b->count)
        return trj_fail(err, TRJ_USAGE, "bins: %llu times %llu bins: expected at most %d; give fewer",
                        (unsigned long long)b->count, (unsigned long long)b->metric.second, RDF_MAX_BINS);
    if (rdf_metric_check(&b->metric, err)) return -1;
    for (uint64_t k = 0; k < b->count; k++) {
        double low = rdf_bins_edge(b, k), high = rdf_bins_edge(b, k + 1);
        if (!(low * low < high * high))
            return trj_fail(err, TRJ_USAGE,
                            "bins: %llu bins from %g to %g are too narrow for the precision of numbers; give fewer",
                            (unsigned long long)b->count, b->rmin, b->rmax);
    }
    return 0;
}

void rdf_bins_choose(struct rdf_bins *b, double limit, bool exact) {
    static const double steps[] = {5, 2, 1};
    double parts = 100, n = 0; // the width is steps[] / parts, so that its multiples are rounded once
    b->rmax = limit;           // if no bin fits, rdf_bins_check reports it
    b->count = RDF_MIN_BINS;
    while ((limit - b->rmin) * parts / steps[0] > RDF_MAX_BINS) parts /= 10;
    for (unsigned i = 0; b->rmin < limit && n < RDF_MIN_BINS && parts < 1e15; i++) {
        double step = steps[i % 3];
        n = floor((limit - b->rmin) * parts / step);
        while (n > 0 && b->rmin + n * step / parts > limit) n--;
        b->rmax = b->rmin + n * step / parts;
        b->count = (uint64_t)n;
        if (i % 3 == 2) parts *= 10;
    }
    if (!exact) return;
    b->count += limit - b->rmax > 1e-9 * (limit - b->rmin); // otherwise a rounding error
    b->rmax = limit;
}

double *rdf_bins_squares(const struct rdf_bins *b, struct trj_error *err) {
    uint64_t second = rdf_metric_counts_distance(&b->metric) ? 0 : rdf_metric_second(&b->metric) + 1;
    double *s = trj_alloc(b->count + 1 + second, sizeof *s, "bin edges", err);
    for (uint64_t k = 0; s && k <= b->count; k++) {
        double e = rdf_bins_edge(b, k);
        s[k] = e * e;
    }
    for (uint64_t q = 0; s && q < second; q++) s[b->count + 1 + q] = rdf_metric_bound(&b->metric, q);
    return s;
}

uint64_t rdf_bin_of(const struct rdf_bins *b, const double *squares, double r2) {
    double t = (sqrt(r2) - b->rmin) * ((double)b->count / (b->rmax - b->rmin));
    return rdf_bin_by(b, squares, r2, t > 0 ? t < (double)b->count ? (uint64_t)t : b->count - 1 : 0);
}

// Returns the bin of the second coordinate; `second` if there is none. `bound` [second + 1] as of rdf_bins_squares.
static uint64_t second_of(const struct rdf_metric *m, const double *bound, double r2, double along) {
    const uint64_t n = rdf_metric_second(m);
    double scale = rdf_metric_is_angle(m) ? r2 : 1, s = along * fabs(along), value = 0;
    if (m->kind == RDF_METRIC_PLANE) {
        s = fabs(s);
        if (!(s < bound[n])) return n;
        value = fabs(along) / m->window * (double)n;
    } else { // atoms at the same place are in the last bin
        value = r2 > 0 ? (along / sqrt(r2) + 1) / 2 * (double)n : (double)n;
    }
    uint64_t q = value > 0 ? value < (double)n ? (uint64_t)value : n - 1 : 0;
    while (q > 0 && s < bound[q] * scale) q--;
    while (q + 1 < n && s >= bound[q + 1] * scale) q++;
    return q;
}

uint64_t rdf_cell_of(const struct rdf_bins *b, const double *squares, const double d[3], double along) {
    const struct rdf_metric *m = &b->metric;
    const unsigned w = m->axis;
    double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    if (rdf_metric_counts_distance(m))
        return r2 >= squares[0] && r2 < squares[b->count] ? rdf_bin_of(b, squares, r2) : b->count;
    if (m->kind == RDF_METRIC_PLANE) {
        const double u = d[w == 0], v = d[w == 2 ? 1 : 2];
        r2 = u * u + v * v;
    }
    uint64_t k = rdf_bin_of(b, squares, r2), second = rdf_metric_second(m);
    uint64_t q = k < b->count ? second_of(m, squares + b->count + 1, r2, along) : second;
    return q < second ? q * b->count + k : rdf_bins_cells(b);
}

// Groups are lists of 32-bit indices: N_A * N_B is below 2^64.
static uint64_t pairs_of(uint64_t a, uint64_t b, bool self, uint64_t both) {
    return self ? (a % 2 ? (a - 1) / 2 * a : a / 2 * (a - 1)) : a * b - both;
}

uint64_t rdf_pairs_in(const struct rdf_pair *p, const struct trj_group *groups, const struct trj_frame *f) {
    const struct trj_group *a = &groups[p->a], *b = &groups[p->b];
    if (!a->dynamic && !b->dynamic) return p->pairs;
    return pairs_of(trj_group_size(a, f), trj_group_size(b, f), a == b, a == b ? 0 : trj_group_overlap(a, b, f));
}

int rdf_pair_number(struct rdf_pair *p, const struct trj_group *groups, struct trj_error *err) {
    const struct trj_group *a = &groups[p->a], *b = &groups[p->b];
    p->pairs = pairs_of(a->count, b->count, a == b, a == b ? 0 : trj_group_overlap(a, b, NULL));
    if (!p->pairs)
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s contain no pair of different atoms; select other groups",
                        groups[p->a].name, groups[p->b].name);
    return 0;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Returns the number of images within r along each periodic vector, as rdf_image_range enumerates them.
static double images_within(const struct trj_cell *cell, double r) {
    double g[3][3], images = 1;
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) images *= 2 * r * length(g[k]) + 1;
    return images;
}

// A skewed basis has long reciprocal vectors, so that more images are searched than can be near. The number of near
// atoms is therefore computed from a reduced basis.
static int check_images(const struct rdf_job *job, const struct trj_cell *cell, struct trj_error *err) {
    const double one_cell = 27; // images if rmax is the width of a cell
    double rmax = rdf_bins_reach(&job->bins), searched = images_within(cell, rmax), images = searched, t[3][3];
    uint64_t atoms = 1;
    struct trj_cell reduced = *cell;
    struct trj_error ignored;
    if (searched <= one_cell) return 0; // most frames; to reduce the cell takes longer than all other checks
    if (!trj_cell_reduce(&reduced, t, &ignored)) images = fmin(searched, images_within(&reduced, rmax));
    for (size_t p = 0; p < job->pair_count; p++) { // groups in no pair do not count
        uint64_t a = job->groups[job->pairs[p].a].count, b = job->groups[job->pairs[p].b].count;
        if (a > atoms) atoms = a;
        if (b > atoms) atoms = b;
    }
    double around = images * (double)atoms;
    if (searched <= RDF_MAX_IMAGES && (images <= one_cell || around <= RDF_MAX_IMAGES)) return 0;
    if (searched > RDF_MAX_IMAGES) around = searched * (double)atoms;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "rmax %g Å%s reaches %.3g images of each atom, %.3g atoms in all, as the cell is %.3g Å wide: at most "
        "%.3g can be counted around an atom; give a smaller -r%s, or correct the cell or its unit (trjcat "
        "--cell)",
        job->bins.rmax, rmax > job->bins.rmax ? " within the window of heights" : "", around / (double)atoms, around,
        trj_cell_min_width(cell), RDF_MAX_IMAGES, rmax > job->bins.rmax ? " or --dz" : "");
}

int rdf_job_check_frame(const struct rdf_job *job, const struct trj_frame *f, struct trj_error *err) {
    if (f->atoms != job->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "expected %zu atoms, found %zu", job->atoms, f->atoms);
    float limit = (float)(RDF_MAX_COORDINATE / f->unit), farthest = trj_frame_farthest(f);
    for (int k = 0; !(farthest <= limit) && k < 3; k++)
        for (size_t i = 0; i < f->atoms; i++)
            if (!(fabsf(f->x[k][i]) <= limit))
                return trj_fail(err, TRJ_BAD_DATA,
                                "atom %zu of the stream: %c = %g Å is out of range: at most %g Å; check the file and "
                                "its unit of length",
                                i, 'x' + k, (double)f->x[k][i] * f->unit, RDF_MAX_COORDINATE);
    double g[3][3];
    if (check_images(job, &f->cell, err)) return -1;
    trj_cell_reciprocal(&f->cell, g);
    for (int k = 0; k < 3; k++) {
        double width = 1 / length(g[k]); // INFINITY if not periodic
        double reach = rdf_bins_reach(&job->bins), cells = reach / width, away = (double)farthest * f->unit / width;
        if (!(cells <= RDF_MAX_CELLS))
            return trj_fail(err, TRJ_BAD_DATA,
                            "rmax %g Å%s spans %.3g cells along %c: at most %g are counted; give a smaller -r%s",
                            job->bins.rmax, reach > job->bins.rmax ? " within the window of heights" : "", cells,
                            'a' + k, RDF_MAX_CELLS, reach > job->bins.rmax ? " or --dz" : "");
        if (!(away <= RDF_MAX_CELL_OFFSET))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "an atom is %.3g cells away along %c; correct the cell (trjcat --cell), or wrap the coordinates", away,
                'a' + k);
        for (int c = 0; c < 3; c++)
            if (!(fabs(f->cell.h[k][c]) <= RDF_MAX_COORDINATE))
                return trj_fail(err, TRJ_BAD_DATA,
                                "cell vector %c is longer than %g Å; correct the cell or its unit (trjcat --cell)",
                                'a' + k, RDF_MAX_COORDINATE);
    }
    return 0;
}

void rdf_image_range(const double g[3][3], const double d[3], double reach, const double extent[3], int low[3],
                     int high[3]) {
    for (int k = 0; k < 3; k++) {
        // |g_k . (d + n H)| <= |g_k| reach is necessary, and g_k . (n H) = n_k. s may be a small sum of large terms:
        // the rounding errors of the terms determine its error. `reach` includes the errors of the positions and of g
        // (rdf_job_rounding).
        double size = length(g[k]);
        double s = g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2];
        double terms = fabs(g[k][0] * d[0]) + fabs(g[k][1] * d[1]) + fabs(g[k][2] * d[2]);
        double range = size > 0 ? size * reach + extent[k] + 1e-9 + 1e-12 * terms : 0;
        low[k] = (int)ceil(-s - range);
        high[k] = (int)floor(-s + range);
    }
}

uint64_t rdf_count_images(const struct rdf_bins *bins, const double *squares, const struct trj_frame *f,
                          const double g[3][3], double reach, uint32_t i, uint32_t j, uint64_t *counts) {
    double from[3], to[3], d[3];
    int low[3], high[3], n[3];
    uint64_t looked = 0, cells = rdf_bins_cells(bins);
    rdf_position(f, i, from);
    rdf_position(f, j, to);
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
    rdf_image_range(g, d, reach, (const double[3]){0}, low, high);
    for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                rdf_displacement(d, f->cell.h, from, to, n);
                uint64_t k = rdf_cell_of(bins, squares, d, rdf_metric_along(&bins->metric, f, i, d));
                if (k < cells) counts[k]++;
                looked++;
            }
    return looked;
}

void rdf_lattice_of(struct rdf_lattice *l, const struct rdf_job *job, const struct trj_frame *f) {
    l->reach = rdf_bins_reach(&job->bins) + rdf_job_rounding(job, f);
    // Every other image is at least the smallest width of the cell away from this one.
    double capacity = (trj_cell_min_width(&f->cell) - l->reach) * (1 - 1e-9);
    l->alone = capacity > 0 ? capacity * capacity : 0;
    trj_cell_reciprocal(&f->cell, l->g);
}

void rdf_count_pair(const struct rdf_bins *bins, const double *squares, const struct trj_frame *f,
                    const struct rdf_lattice *l, uint32_t i, const double from[3], uint32_t j, uint64_t *counts) {
    double to[3], d[3];
    rdf_position(f, j, to);
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k]; // the rule for image 0, because adding zeros changes nothing
    double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    if (r2 >= l->alone) {
        rdf_count_images(bins, squares, f, l->g, l->reach, i, j, counts);
        return;
    }
    uint64_t k = rdf_cell_of(bins, squares, d, rdf_metric_along(&bins->metric, f, i, d));
    if (k < rdf_bins_cells(bins)) counts[k]++;
}

void rdf_job_rounding_terms(const struct rdf_job *job, const struct trj_cell *cell, double *min, double *each) {
    double largest = rdf_bins_reach(&job->bins), skew = 1, g[3][3];
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++) {
        double size = length(cell->h[k]);
        largest = fmax(largest, size);
        skew = fmax(skew, size * length(g[k]));
    }
    *each = 128 * 0x1p-53 * skew;
    *min = *each * largest;
}

double rdf_job_rounding(const struct rdf_job *job, const struct trj_frame *f) {
    double min, each;
    rdf_job_rounding_terms(job, &f->cell, &min, &each);
    return fmax(min, each * trj_frame_farthest(f) * f->unit);
}

bool rdf_job_is_mirrored(const struct rdf_job *job, size_t pair) {
    const struct rdf_pair *p = &job->pairs[pair];
    const struct trj_group *a = &job->groups[p->a], *b = &job->groups[p->b];
    return job->bins.metric.kind == RDF_METRIC_ANGLE && p->a != p->b && a->atoms == b->atoms && a->count == b->count &&
           a->dynamic == b->dynamic && a->word == b->word;
}

uint32_t rdf_job_second_group(const struct rdf_job *job, size_t pair) {
    return rdf_job_is_mirrored(job, pair) ? job->pairs[pair].a : job->pairs[pair].b;
}

double rdf_job_pairs_near(const struct rdf_job *job) {
    double volume = job->sample ? trj_cell_volume(&job->sample->cell) : 0, pairs = 0;
    double reach = 4.2 * pow(rdf_bins_reach(&job->bins) + 10, 3); // 10 Å: extent of the tiles
    for (size_t p = 0; p < job->pair_count; p++)
        pairs += (double)job->groups[job->pairs[p].a].count * (double)job->groups[job->pairs[p].b].count *
                 (job->pairs[p].a == job->pairs[p].b || rdf_job_is_mirrored(job, p) ? 0.5 : 1);
    return (volume > 0 && reach < volume ? reach / volume : 1) * pairs;
}

// Subtracts the counts of an image at d, of `atoms` atoms that are in both groups; with bodies, they have axes of their
// own.
static void subtract_image(const struct rdf_job *job, const struct rdf_pair *p, const struct trj_frame *f,
                           const double *squares, const double d[3], uint64_t atoms, uint64_t *counts) {
    const struct trj_group *a = &job->groups[p->a], *b = &job->groups[p->b];
    const struct rdf_metric *m = &job->bins.metric;
    if (m->kind != RDF_METRIC_BODY) {
        counts[rdf_cell_of(&job->bins, squares, d, d[m->axis])] -= atoms;
        return;
    }
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint32_t atom = a->atoms[i], other = b->atoms[j];
        if (atom == other && trj_group_has(a, f, i) && trj_group_has(b, f, j))
            counts[rdf_cell_of(&job->bins, squares, d, rdf_metric_along(m, f, atom, d))]--;
        i += atom <= other;
        j += other <= atom;
    }
}

void rdf_job_subtract_self_images(const struct rdf_job *job, size_t pair, const struct trj_frame *f,
                                  const double *squares, uint64_t *counts) {
    const struct rdf_pair *p = &job->pairs[pair];
    if (rdf_job_is_mirrored(job, pair)) return;
    uint64_t atoms = p->a == p->b ? 0 : trj_group_overlap(&job->groups[p->a], &job->groups[p->b], f);
    if (!atoms) return;
    int low[3], high[3], n[3];
    double g[3][3], d[3];
    const double zero[3] = {0};
    trj_cell_reciprocal(&f->cell, g);
    rdf_image_range(g, zero, rdf_bins_reach(&job->bins) + rdf_job_rounding(job, f), zero, low, high);
    for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                rdf_displacement(d, f->cell.h, zero, zero, n);
                subtract_image(job, p, f, squares, d, atoms, counts);
            }
}
