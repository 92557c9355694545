// SPDX-License-Identifier: MIT
// Times Gaussian densities (lib/density/gauss.h) of random atoms in host memory, and prints one line of tab-separated
// columns:
//
//     1 threads   2 atoms   3 points of the lattice   4 spacing, Å   5 sigma, Å   6 cutoff, sigma   7 groups   8 frames
//     9 seconds per frame   10 seconds of processor time per frame   11 points in all supports per frame
//     12 points in all supports per second of processor time, in 1e9
//     13 sum of the density times the volume of a point, divided by the number of atoms
//
// Seconds include all work on a frame: planning, the density, and the sum over frames (no sum with --no-map).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gauss.h"
#include "memory.h"
#include "output.h"
#include "points.h"
#include "tool.h"

static const char *cell_text = "212,212,212";
static uint64_t atoms = 955000, frames = 5, groups = 1, seed = 1, threads = 1;
static double spacing = 1, sigma = 1.4, cutoff = DEN_GAUSS_CUTOFF;
static bool no_map, no_images;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "threads", COUNT, &threads, "N", "number of threads; 0: all"), .max = 1 << 16},
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "number of atoms"), .min = 1, .max = 1 << 28},
    {TRJ_OPTION(0, "groups", COUNT, &groups, "N", "compute one density for each of N groups of neighbouring atoms"),
     .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "cell", TEXT, &cell_text, "A,B,C[,AL,BE,GA]", "cell in Å and degrees")},
    {TRJ_OPTION(0, "no-images", FLAG, &no_images, NULL, "compute no periodic images")},
    {TRJ_OPTION(0, "grid", REAL, &spacing, "H", "divide the cell by steps of H Å")},
    {TRJ_OPTION(0, "sigma", REAL, &sigma, "S", "width of the Gaussians in Å")},
    {TRJ_OPTION(0, "cutoff", REAL, &cutoff, "C", "size of the support, in sigma")},
    {TRJ_OPTION(0, "no-map", FLAG, &no_map, NULL, "discard each block of a frame")},
    {TRJ_OPTION(0, "frames", COUNT, &frames, "F", "number of frames"), .min = 1, .max = 1 << 28},
    TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "density",
    .purpose = "time Gaussian densities; prints a line that tests/bench/time_density.c explains",
    .operands = "",
    .options = options};

struct bench {
    struct trj_frame frame;
    struct trj_map_lattice lattice;
    struct den_gauss *engine;
    struct den_gauss_atoms *groups; // [groups]
    uint32_t *numbers;              // [atoms]
    float *weight;
    int64_t *map;
    double quantum, supports;
};

// Places the atoms of each group in a box of its own, one after the other along the third vector of the cell.
static int make_frame(struct bench *b, struct trj_error *err) {
    struct trj_cell cell;
    if (trj_cell_parse(&cell, cell_text, err)) return trj_fail_at(err, "--cell");
    if (trj_cell_restrict(&cell, TRJ_PERIODIC_ALL, err) || trj_frame_resize(&b->frame, atoms, err)) return -1;
    b->frame.unit = 1;
    b->frame.cell = cell;
    if (no_images) b->frame.cell.periodic = cell.periodic = 0;
    uint64_t edge = (uint64_t)ceil(cbrt((double)groups));
    for (size_t i = 0; i < atoms; i++) {
        double s[3];
        uint64_t group = i * groups / atoms;
        const uint64_t box[3] = {group % edge, group / edge % edge, group / edge / edge};
        for (int k = 0; k < 3; k++) s[k] = ((double)box[k] + points_uniform(&seed)) / (double)edge;
        points_put(b->frame.x, i, s, &cell);
    }
    return trj_map_lattice_cover(&b->lattice, &cell, spacing, err);
}

static int make_groups(struct bench *b, struct trj_error *err) {
    b->groups = trj_alloc(groups, sizeof *b->groups, "groups", err);
    b->numbers = trj_alloc(atoms, sizeof *b->numbers, "groups", err);
    b->weight = trj_alloc(atoms, sizeof *b->weight, "weights", err);
    b->map = trj_alloc((size_t)trj_map_lattice_points(&b->lattice), sizeof *b->map, "map", err);
    if (!b->groups || !b->numbers || !b->weight || !b->map) return -1;
    for (uint64_t i = 0; i < atoms; i++) {
        b->numbers[i] = (uint32_t)i;
        b->weight[i] = 1;
    }
    for (uint64_t g = 0; g < groups; g++) {
        uint64_t first = (g * atoms + groups - 1) / groups, end = ((g + 1) * atoms + groups - 1) / groups;
        b->groups[g] = (struct den_gauss_atoms){b->numbers + first, end - first, b->weight, NULL};
    }
    return 0;
}

static int set_up(struct bench *b, struct trj_error *err) {
    const double peak = den_gauss_peak(sigma);
    const struct den_gauss_setup setup = {1, &sigma, &peak, 1, cutoff};
    struct den_gauss_lattice g;
    struct den_gauss_kind kind;
    if (make_frame(b, err) || make_groups(b, err) || den_gauss_lattice_set(&g, &kind, &setup, &b->lattice, err) ||
        den_gauss_open(&b->engine, &setup, (unsigned)threads, err))
        return -1;
    b->quantum = g.quantum;
    b->supports = (double)atoms * 8 * (double)kind.reach[0] * (double)kind.reach[1] * (double)kind.reach[2];
    return 0;
}

static void take_block(void *arg, unsigned worker, const struct den_block *block) {
    struct bench *b = arg;
    struct trj_error err;
    (void)worker;
    if (!no_map && groups == 1 && den_add(b->map, &b->lattice, 0, block, &err)) abort(); // too many frames
}

static double processor_seconds(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int compute(struct bench *b, struct trj_error *err) {
    if (groups == 1) return den_gauss_compute(b->engine, &b->lattice, &b->frame, b->groups, take_block, b, err);
    return den_gauss_compute_groups(b->engine, &b->lattice, &b->frame, groups, b->groups, take_block, b, err);
}

static int run(struct bench *b, struct trj_error *err) {
    struct trj_output *out;
    double sum = 0;
    if (set_up(b, err) || compute(b, err)) return -1; // the first frame allocates memory
    double began = trj_seconds(), used = processor_seconds();
    for (uint64_t i = 0; i < frames; i++)
        if (compute(b, err)) return -1;
    double seconds = (trj_seconds() - began) / (double)frames, cpu = (processor_seconds() - used) / (double)frames;
    for (uint64_t i = 0; i < trj_map_lattice_points(&b->lattice); i++) sum += (double)b->map[i] * b->quantum;
    sum *= trj_map_lattice_voxel(&b->lattice) / (double)((frames + 1) * atoms);
    if (trj_output_open(&out, NULL, TRJ_OUTPUT_TEXT, err)) return -1;
    int rc = trj_output_print(out, err, "%u\t%llu\t%llu\t%g\t%g\t%g\t%llu\t%llu\t%.4g\t%.4g\t%.4g\t%.4g\t%.8f\n",
                              den_gauss_threads(b->engine), (unsigned long long)atoms,
                              (unsigned long long)trj_map_lattice_points(&b->lattice), spacing, sigma, cutoff,
                              (unsigned long long)groups, (unsigned long long)frames, seconds, cpu, b->supports,
                              b->supports / cpu / 1e9, sum);
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct bench b = {.map = NULL};
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&b, &err);
    den_gauss_close(b.engine);
    trj_frame_free(&b.frame);
    free(b.groups);
    free(b.numbers);
    free(b.weight);
    free(b.map);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
