// SPDX-License-Identifier: MIT
// Fits a monotone cubic through the integral of g, because smoothing g itself would change numbers of neighbours.
#include "conserving_smooth.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

uint64_t rdf_smooth_windows(const struct rdf_bins *bins, uint64_t each) {
    return bins->count / each;
}

uint64_t rdf_smooth_first(const struct rdf_bins *bins, uint64_t each, uint64_t window) {
    return window < rdf_smooth_windows(bins, each) ? window * each : bins->count;
}

static double cube_of_edge(const struct rdf_bins *bins, uint64_t k) {
    double r = rdf_bins_edge(bins, k);
    return r * r * r;
}

// The mean of g in a window, its range of x, and the slope of C at its first node.
struct window {
    double mean, low, width, slope;
};

static double limit(double slope, double max) {
    return fmin(fmax(slope, 0), max);
}

// Sets the slopes at the nodes; w[count] only has a slope.
static void set_slopes(struct window *w, uint64_t count) {
    for (uint64_t j = 1; j < count; j++) {
        const struct window *a = &w[j - 1], *b = &w[j];
        double slope = (a->width * b->mean + b->width * a->mean) / (a->width + b->width);
        w[j].slope = limit(slope, 3 * fmin(a->mean, b->mean));
    }
    if (count < 2) {
        w[0].slope = w[1].slope = w[0].mean;
        return;
    }
    w[0].slope = limit((3 * w[0].mean - w[1].slope) / 2, 3 * w[0].mean);
    w[count].slope = limit((3 * w[count - 1].mean - w[count - 1].slope) / 2, 3 * w[count - 1].mean);
}

// Returns the derivative of the curve at t from 0 to 1 in a window.
static double derivative(const struct window *w, double t) {
    return w[0].slope * (1 - t) * (1 - 3 * t) + 6 * w[0].mean * t * (1 - t) + w[1].slope * t * (3 * t - 2);
}

int rdf_smooth_conserving(double *g, const struct rdf_bins *bins, uint64_t each, struct trj_error *err) {
    uint64_t count = rdf_smooth_windows(bins, each);
    struct window *w = trj_alloc(count + 1, sizeof *w, "a smooth curve", err);
    bool defined = true;
    if (!w) return -1;
    for (uint64_t j = 0; j < count; j++) {
        uint64_t first = rdf_smooth_first(bins, each, j), last = rdf_smooth_first(bins, each, j + 1);
        double sum = 0;
        for (uint64_t k = first; k < last; k++) {
            sum += g[k] * (cube_of_edge(bins, k + 1) - cube_of_edge(bins, k));
            defined = defined && !isnan(g[k]);
        }
        w[j].low = cube_of_edge(bins, first);
        w[j].width = cube_of_edge(bins, last) - w[j].low;
        w[j].mean = sum / w[j].width;
    }
    set_slopes(w, count);
    for (uint64_t j = 0; j < count; j++)
        for (uint64_t k = rdf_smooth_first(bins, each, j); k < rdf_smooth_first(bins, each, j + 1); k++) {
            double a = (cube_of_edge(bins, k) - w[j].low) / w[j].width,
                   b = (cube_of_edge(bins, k + 1) - w[j].low) / w[j].width;
            // Simpson's rule is exact for this parabola.
            g[k] =
                defined ? (derivative(&w[j], a) + 4 * derivative(&w[j], (a + b) / 2) + derivative(&w[j], b)) / 6 : NAN;
        }
    free(w);
    return 0;
}
