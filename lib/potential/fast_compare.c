// SPDX-License-Identifier: MIT
// Compares values of a map of the method fast with direct sums.
#include <math.h>

#include "fast_sum.h"
#include "hash.h"

uint64_t pot_fast_sample(uint64_t i, uint64_t values) {
    return values ? trj_hash(&i, sizeof i, 0) % values : 0;
}

static double direct_sum(const struct pot_frame *f, const double point[3]) {
    enum { TERMS = 256 };
    double term[TERMS], sum = 0;
    for (size_t first = 0; first < f->count; first += TERMS) {
        size_t n = f->count - first < TERMS ? f->count - first : TERMS;
        for (size_t i = 0; i < n; i++) {
            const double *x = f->position[first + i];
            double d[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
            term[i] = f->charge[first + i] / sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
        }
        for (size_t i = 0; i < n; i++) sum += term[i];
    }
    return sum;
}

void pot_fast_compare(const struct pot_job *job, const struct pot_frame *f, const int64_t *values, double *deviation,
                      double *rms) {
    double squares = 0, differences = 0;

    for (size_t i = 0; i < job->values; i++) squares += (double)values[i] * (double)values[i];
    for (uint64_t i = 0; i < POT_FAST_SAMPLES; i++) {
        uint64_t number = pot_fast_sample(i, job->values);
        double x[3];
        trj_map_lattice_point(&f->lattice, number, x);
        double difference = (double)values[number] * job->quantum - direct_sum(f, x);
        differences += difference * difference;
    }
    *rms = sqrt(squares / (double)job->values) * job->quantum;
    *deviation = sqrt(differences / POT_FAST_SAMPLES);
}
