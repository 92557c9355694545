// SPDX-License-Identifier: MIT
// Frames of charges for unit tests of particle-mesh Ewald, and maps of their potential.
#ifndef PME_FRAMES_H
#define PME_FRAMES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries.h"
#include "pme_sum.h"
#include "uniform.h"

enum { MAX = 20000 };
static double position[MAX][3], charge[MAX];

// Returns a frame of the first `count` charges in a cell that n points divide.
__attribute__((unused)) static struct pot_frame frame_of(const double h[3][3], size_t count, const uint64_t n[3]) {
    struct trj_error err;
    struct pot_frame f = {.count = count, .position = (const double(*)[3])position, .charge = charge};
    memcpy(f.cell.h, h, sizeof f.cell.h);
    f.cell.periodic = TRJ_PERIODIC_ALL;
    if (trj_map_lattice_divide(&f.lattice, &f.cell, n, &err)) abort();
    return f;
}

// Places charges from -1 to 1 e at random, some of them some cells away, and on mesh points and faces of the cell.
__attribute__((unused)) static void place_charges(const double h[3][3], size_t count, double net) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double u[3];
        for (int k = 0; k < 3; k++) {
            u[k] = uniform();
            if (i % 5 == 1) u[k] = floor(u[k] * 4) / 4;
            if (i % 5 == 2) u[k] += floor(7 * uniform()) - 3;
        }
        for (int c = 0; c < 3; c++) position[i][c] = u[0] * h[0][c] + u[1] * h[1][c] + u[2] * h[2][c];
        charge[i] = 2 * uniform() - 1;
        sum += charge[i];
    }
    for (size_t i = 0; i < count; i++) charge[i] += (net - sum) / (double)count;
}

__attribute__((unused)) static struct pot_job job_of(const struct pot_frame *f, unsigned order, double alpha) {
    struct pot_job job = {.method = POT_PME, .atoms = f->count, .threads = 1, .lattice = f->lattice, .order = order};
    job.values = (size_t)trj_map_lattice_points(&f->lattice);
    job.alpha = alpha;
    for (size_t i = 0; i < f->count; i++) job.max_charge = fmax(job.max_charge, fabs(f->charge[i]));
    return job;
}

// Sets x to the position of a random point of a lattice, and returns its number.
__attribute__((unused)) static uint64_t random_point(const struct trj_map_lattice *l, double x[3]) {
    uint64_t at[3];
    double index[3];
    for (int k = 0; k < 3; k++) {
        at[k] = (uint64_t)(uniform() * (double)l->n[k]);
        index[k] = (double)at[k];
    }
    trj_map_lattice_position(l, index, x);
    return at[0] + l->n[0] * (at[1] + l->n[1] * at[2]);
}

// Sets up the job and computes frames with a method. Returns a copy of the values, which the caller frees.
__attribute__((unused)) static int64_t *compute(const struct pot_method *method, struct pot_job *job,
                                                const struct pot_frame *f, size_t frames) {
    struct trj_error err;
    const int64_t *values;
    void *state;
    if (pot_pme_setup(job, &err) || method->open(&state, job, &err)) {
        printf("# %s\n", err.text);
        abort();
    }
    for (size_t i = 0; i < frames; i++)
        if (method->add(state, &f[i], &err)) {
            printf("# %s\n", err.text);
            abort();
        }
    if (method->finish(state, &values, &err)) abort();
    int64_t *copy = malloc(job->values * sizeof *copy);
    if (!copy) abort();
    memcpy(copy, values, job->values * sizeof *copy);
    method->close(state);
    return copy;
}

// Returns the rms difference of two maps relative to the rms of the second.
__attribute__((unused)) static double relative_error(const int64_t *a, const int64_t *b, size_t values) {
    double difference = 0, square = 0;
    for (size_t i = 0; i < values; i++) {
        difference += pow((double)(a[i] - b[i]), 2);
        square += pow((double)b[i], 2);
    }
    return sqrt(difference / square);
}

#endif
