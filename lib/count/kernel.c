// SPDX-License-Identifier: MIT
// Contains what all kernels share and what need not be fast: the ranges of a pair of tiles, and the pairs near an edge.
#include "kernel.h"

#include <math.h>
#include <string.h>

#include "instruction_set.h"

int rdf_kernel_find(const struct rdf_kernel **kernel, struct trj_error *err) {
    static const struct rdf_kernel kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = {"avx512", rdf_kernel_avx512, rdf_second_coordinate_kernel_avx512},
        [TRJ_ISA_AVX2] = {"avx2", rdf_kernel_avx2, rdf_second_coordinate_kernel_avx2},
#endif
        [TRJ_ISA_PLAIN] = {"plain", rdf_kernel_plain, rdf_second_coordinate_kernel_plain}};
    enum trj_isa isa;
    if (trj_isa_find(&isa, err)) return -1;
    *kernel = &kernels[isa];
    return 0;
}

// Returns nextafterf(x, 0) for numbers other than 0. A call of nextafterf for each pair of tiles took 0.3 % of the
// instructions of small frames.
static float toward_zero(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits--;
    memcpy(&x, &bits, sizeof x);
    return x;
}

void rdf_block_range(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                     double slack) {
    const double e = 0x1p-24, dr = (bins->rmax - bins->rmin) / (double)bins->count;
    double farthest = between + radius[0] + radius[1], reach = rdf_bins_reach(bins);
    if (farthest > reach) farthest = reach; // without a call of fmin
    // 1.01 covers terms of second order. 2^-20 covers absolute errors: the error of the difference at rmin = 0, and the
    // rounding of the numbers below.
    double near = 1.01 * (e * (radius[0] + 2 * radius[1] + 4.6 * farthest) + slack) / dr + 0x1p-20;
    if (bins->rmin > 0) near += 1.01 * e * ((farthest + 2 * bins->rmin) / dr + 1);
    double end = (double)bins->count;
    b->start = (float)(bins->rmin / dr + 0.5);
    // If bins are so narrow that every distance is near an edge, all pairs are resolved. This is the case for 2^22
    // bins.
    b->threshold = near < 0.49 ? (float)(0.5 - near) : -1;
    // Rounded toward 0, so that s > first is in the first bin, or near its lower edge: there is no bin below it. Above
    // the last bin there is one, `nowhere`.
    b->first = toward_zero((float)(-0.5 - near));
    b->last = (float)(end - 0.5 + near + 0x1p-22 * (end + near));
    float farthest_bin = (b->start + b->last) * (1 + 0x1p-20f);
    b->far2 = farthest_bin * farthest_bin;
    b->inside = between + radius[0] + radius[1] <= bins->rmax && between - radius[0] - radius[1] >= bins->rmin;
}

void rdf_block_second(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                      double slack) {
    const double e = 0x1p-24, dr = (bins->rmax - bins->rmin) / (double)bins->count;
    const struct rdf_metric *m = &bins->metric;
    double n = (double)rdf_metric_second(m), far = fmin(rdf_bins_reach(bins), between + radius[0] + radius[1]);
    double error = 1.01 * (e * (radius[0] + 2 * radius[1] + 2 * far) + slack) / dr, scale, near;
    struct rdf_second *s = &b->second;
    *s = (struct rdf_second){.kind = m->kind, .axis = m->axis, .bins = (uint32_t)n, .of_first = (uint32_t)bins->count};
    if (m->kind == RDF_METRIC_PLANE) {
        scale = n * dr / m->window;
        near = error * scale + 4 * e * n + 0x1p-20;
        s->window = (float)((m->window / dr + error) * (1 + 0x1p-20));
    } else {
        scale = n / 2;
        near = (m->kind == RDF_METRIC_BODY ? 12 : 8) * e * n + 0x1p-20;
        s->shrink = (float)(8 * error * scale * (1 + 0x1p-20));
    }
    s->scale = (float)scale;
    s->threshold = near < 0.49 ? (float)(0.5 - near) : -1;
}

enum { AT_ONCE = TILE_WIDTH };

// Unwrapped positions of atoms, and the lattice vectors that wrap them.
struct exact {
    double x[3][AT_ONCE], wrap[3][AT_ONCE];
};

static void find(struct exact *e, const struct tile_set *s, const struct trj_frame *f, const uint32_t *place,
                 size_t n) {
    double x[3][AT_ONCE], around[3][AT_ONCE];
    const double *const to[3] = {around[0], around[1], around[2]};
    for (int k = 0; k < 3; k++)
        for (size_t q = 0; q < n; q++) {
            x[k][q] = e->x[k][q] = (double)f->x[k][s->atom[place[q]]] * f->unit;
            around[k][q] = s->around[place[q] / TILE_WIDTH][k];
        }
    tile_wrap(&s->boxes.axes, x, e->wrap, to, 1, n);
}

// Counts n pairs with a second coordinate.
static void count_cells(const struct rdf_rule *rule, double d[3][AT_ONCE], const uint32_t *row, size_t n,
                        uint64_t *counts) {
    for (size_t p = 0; p < n; p++) {
        const double of_pair[3] = {d[0][p], d[1][p], d[2][p]};
        double along = rdf_metric_along(&rule->bins->metric, rule->frame, rule->rows->atom[row[p]], of_pair);
        counts[rdf_cell_of(rule->bins, rule->squares, of_pair, along)]++;
        // The squares of d and -d are equal.
        if (rule->mirrored) counts[rdf_cell_of(rule->bins, rule->squares, of_pair, -along)]++;
    }
}

// If bins are narrow, this is most of the work. Separate loops over several pairs keep many loads in flight.
void rdf_resolve(struct rdf_queue *q, const struct rdf_rule *rule, uint64_t *counts) {
    const struct rdf_bins *bins = rule->bins;
    const struct trj_frame *f = rule->frame;
    const double rmin = bins->rmin, inverse = (double)bins->count / (bins->rmax - rmin);
    const int32_t last = (int32_t)(bins->count - 1);
    for (size_t first = 0; first < q->count; first += AT_ONCE) {
        size_t n = q->count - first < AT_ONCE ? q->count - first : AT_ONCE;
        struct exact from, to;
        double r2[AT_ONCE];
        int32_t bin[AT_ONCE];
        find(&from, rule->rows, f, q->i + first, n);
        find(&to, rule->columns, f, q->j + first, n);
        // Images refer to wrapped positions, but the rule uses the positions in the file.
        for (int k = 0; k < 3; k++) {
            const int32_t *image = q->image[k] + first;
            for (size_t p = 0; p < n; p++) to.wrap[k][p] += image[p] - from.wrap[k][p];
        }
        for (int c = 0; c < 3; c++) {
            const double h[3] = {f->cell.h[0][c], f->cell.h[1][c], f->cell.h[2][c]};
            for (size_t p = 0; p < n; p++)
                to.x[c][p] = (to.x[c][p] - from.x[c][p]) +
                             ((to.wrap[0][p] * h[0] + to.wrap[1][p] * h[1]) + to.wrap[2][p] * h[2]);
        }
        if (!rdf_metric_counts_distance(&bins->metric)) {
            count_cells(rule, to.x, q->i + first, n, counts);
            continue;
        }
        for (size_t p = 0; p < n; p++) {
            r2[p] = (to.x[0][p] * to.x[0][p] + to.x[1][p] * to.x[1][p]) + to.x[2][p] * to.x[2][p];
            double t = (sqrt(r2[p]) - rmin) * inverse;
            t = t > 0 ? t : 0;
            bin[p] = (int32_t)(t < last ? t : last);
        }
        for (size_t p = 0; p < n; p++) counts[rdf_bin_by(bins, rule->squares, r2[p], (uint64_t)bin[p])]++;
    }
    q->count = 0;
}
