// SPDX-License-Identifier: MIT
// Times the method cutoff of maps of potentials: random atoms at the density of water, a lattice of 1 Å. Arguments: the
// number of atoms, threads, the cutoff in Å, and kernels. TRJPIPE_ISA selects the instruction set.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cutoff_sum.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t state = 7;
static double uniform(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(state * 2685821657736338717u >> 11) * 0x1p-53;
}

static int time_kernel(struct pot_job *job, const struct pot_frame *frame, const char *text) {
    struct trj_error err = {.text = ""};
    const int64_t *values;
    void *engine;
    if (pot_kernel_parse(job, text, &err) || pot_cutoff_setup(job, &err) || pot_cutoff_cpu.open(&engine, job, &err)) {
        fprintf(stderr, "time_cutoff: %s\n", err.text);
        return 1;
    }
    double best = 1e9;
    for (int i = 0; i < 2; i++) {
        double began = seconds();
        if (pot_cutoff_cpu.add(engine, frame, &err)) {
            fprintf(stderr, "time_cutoff: %s\n", err.text);
            return 1;
        }
        double took = seconds() - began;
        best = took < best ? took : best;
    }
    pot_cutoff_cpu.finish(engine, &values, &err);
    uint64_t hash = 0;
    for (size_t i = 0; i < job->values; i++) hash = hash * 31 + (uint64_t)values[i];
    double volume = 1;
    for (int k = 0; k < 3; k++) volume *= (double)job->lattice.n[k];
    double rc = job->cutoff,
           pairs = (double)frame->count * 4.18879020478639 * rc * rc * rc * (double)job->values / volume;
    printf("%-30s %8.3f s  %.3g pairs in range/s  %016llx\n", text, best, pairs / best, (unsigned long long)hash);
    pot_cutoff_cpu.close(engine);
    return 0;
}

int main(int argc, char **argv) {
    size_t atoms = argc > 1 ? strtoul(argv[1], NULL, 10) : 30000;
    double cutoff = argc > 3 ? strtod(argv[3], NULL) : 12;
    static const char *const kernels[] = {
        "rodrigues", "shift", "rf:78.5", "erfc:0.3", "yukawa:0.1", "lj:probe=1.908,0.086", "buckingham:30000,3.5,300",
        "count"};
    uint64_t n = 1;
    while ((double)(n * n * n) * 0.1 < (double)atoms) n++;
    struct pot_job job = {.method = POT_CUTOFF, .atoms = atoms, .max_charge = 0.834, .threads = 1, .cutoff = cutoff};
    if (argc > 2) job.threads = (unsigned)strtoul(argv[2], NULL, 10);
    job.lattice = (struct trj_map_lattice){{n, n, n}, {0.1, 0.2, 0.3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 7};
    job.values = (size_t)(n * n * n);
    struct pot_frame f = {.count = atoms, .lattice = job.lattice};
    f.cell = (struct trj_cell){{{(double)n, 0, 0}, {0, (double)n, 0}, {0, 0, (double)n}}, TRJ_PERIODIC_ALL};
    double(*position)[3] = malloc(atoms * sizeof *position), *charge = malloc(3 * atoms * sizeof *charge);
    uint32_t *number = malloc(atoms * sizeof *number);
    int rc = !position || !charge || !number;
    if (rc) atoms = 0;
    for (size_t i = 0; i < atoms; i++) {
        for (int k = 0; k < 3; k++) position[i][k] = uniform() * (double)n;
        charge[i] = i % 3 ? 0.417 : -0.834;
        charge[atoms + i] = i % 3 ? 0 : 3.15;
        charge[2 * atoms + i] = i % 3 ? 0 : 0.152;
        number[i] = (uint32_t)i;
    }
    f.position = (const double(*)[3])position;
    f.charge = charge;
    f.radius = charge + atoms;
    f.epsilon = charge + 2 * atoms;
    f.atom = number;
    for (int i = 4; i < argc && !rc; i++) rc = time_kernel(&job, &f, argv[i]);
    for (size_t i = 0; argc <= 4 && i < sizeof kernels / sizeof *kernels && !rc; i++)
        rc = time_kernel(&job, &f, kernels[i]);
    free(position);
    free(charge);
    free(number);
    return rc;
}
