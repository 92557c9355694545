// SPDX-License-Identifier: MIT
// Times kernels that evaluate an orbital with random coefficients at the points of a lattice in float32
// (point_kernels.cu, kernel_compiler.h), and prints a line of tab-separated columns for each of them:
//
//     1 kernel   2 system   3 functions   4 points   5 GPUs
//     6 seconds of one launch for the whole lattice on one GPU, without copies
//     7 seconds with slabs on all GPUs, until all values are in the memory of the host
//     8 seconds to generate and compile the kernel; 0: compiled with this program
//     9 the largest error at the compared points, in units of the largest value there
//
// Kernels run in turn, so that all have the same clocks; times are the least of all rounds. Values at points of every
// plane are compared with those of the engine `direct` in float64; an error above ERROR_MAX ends the program with
// status 1. Without NVRTC, a note replaces the line of the kernel that it compiles. With --latencies, lines such as
//
//     empty   N   seconds   until all GPUs have launched empty kernels for N slabs, which is 0 for a barrier alone
//
// come first, and with --source, the program prints the generated source only.
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "kernel_compiler.h"
#include "kernel_devices.h"
#include "kernel_molecule.h"
#include "memory.h"
#include "orbital_engine.h"
#include "output.h"
#include "points.h"
#include "tool.h"

// Sums of a thousand products in float32, with exponentials whose errors are a few units in the last place.
#define ERROR_MAX 1e-5

enum { SAMPLES = 24 }; // compared points of each plane

static const char *const kernel_names[] = {"constant", "tiles", "global", "compiled"};
enum { TIMED = sizeof kernel_names / sizeof *kernel_names };

static const char *system_name = "c60";
static uint64_t points = 171, gpus = 1, rounds = 20, unroll, seed = 1;
static bool latencies, source_only;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "system", CHOICE, &system_name, "NAME", "molecule"), .choices = orbital_system_choices},
    {TRJ_OPTION(0, "points", COUNT, &points, "N", "cube root of the number of points"), .min = 1, .max = 1 << 10},
    {TRJ_OPTION(0, "gpus", COUNT, &gpus, "N", "number of GPUs"), .min = 1, .max = 64},
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "number of rounds"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "unroll", COUNT, &unroll, "N", "atoms by which the compiled kernel is unrolled; 0: all"),
     .max = KERNEL_ATOMS},
    {TRJ_OPTION(0, "latencies", FLAG, &latencies, NULL, "also time slabs without work")},
    {TRJ_OPTION(0, "source", FLAG, &source_only, NULL, "print the source of the compiled kernel")},
    TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "orbital-kernels",
    .purpose =
        "time kernels of orbitals; prints lines that tests/bench/orbital_kernels/time_orbital_kernels.c explains",
    .operands = "",
    .options = options};

struct bench {
    struct orbital_system system;
    struct orb_job job;
    double *coefficient;
    struct kernel_data data;
    struct kernel_lattice lattice;
    char *source, *code;
    double compile_seconds;
    struct kernel_devices *devices;
    size_t plane, points; // of the padded lattice in `value`
    float *value;
    // Compared points: where they are in `value`, and the values of the engine direct.
    size_t samples, *place;
    double (*point)[3], *expected;
    double best[TIMED], best_run[TIMED], error[TIMED];
};

// ---- the values that are expected

static void choose_points(struct bench *b) {
    const struct orb_job *job = &b->job;
    for (uint64_t k = 0; k < job->n[2]; k++)
        for (int n = 0; n < SAMPLES; n++) {
            const uint64_t i = (uint64_t)(points_uniform(&seed) * (double)job->n[0]),
                           j = (uint64_t)(points_uniform(&seed) * (double)job->n[1]);
            b->place[b->samples] = k * b->plane + j * b->lattice.width + i;
            orb_job_point(job, i + job->n[0] * (j + job->n[1] * k), b->point[b->samples++]);
        }
}

static int compute_expected(struct bench *b, struct trj_error *err) {
    const struct orb_engine *direct = &orb_engine_direct;
    const struct work_resources resources = {.threads = 0};
    const size_t n = (size_t)b->job.n[2] * SAMPLES;
    void *engine = NULL;
    b->place = trj_alloc(n, sizeof *b->place, "points", err);
    b->point = trj_alloc(n, sizeof *b->point, "points", err);
    b->expected = trj_alloc(n, sizeof *b->expected, "points", err);
    if (!b->place || !b->point || !b->expected) return -1;
    choose_points(b);
    const struct orb_job job = {.basis = &b->system.basis,
                                .quantity = ORB_ORBITALS,
                                .orbitals = 1,
                                .coefficient = b->coefficient,
                                .n = {n, 1, 1},
                                .point = (const double(*)[3])b->point};
    int rc = direct->open(&engine, &resources, err);
    if (!rc) rc = direct->start(engine, &job, err);
    if (!rc) rc = direct->compute(engine, &(struct orb_slab){0, n, b->expected}, err);
    direct->close(engine);
    return rc;
}

// Sets the largest error of the values of a kernel. Values that were not written are NaN, and their error is infinite.
static void compare(struct bench *b, unsigned kernel) {
    double largest = 0, error = 0;
    for (size_t i = 0; i < b->samples; i++) {
        const double difference = fabs((double)b->value[b->place[i]] - b->expected[i]);
        largest = fmax(largest, fabs(b->expected[i]));
        error = fmax(error, isnan(difference) ? INFINITY : difference);
    }
    b->error[kernel] = error / largest;
}

// ---- set-up

static int set_up(struct bench *b, struct trj_error *err) {
    if (orbital_system_make(&b->system, system_name, err)) return -1;
    orbital_system_lattice(&b->system, points, &b->job);
    kernel_round_coordinates(&b->system, &b->job);
    b->coefficient = trj_alloc(b->system.basis.functions, sizeof *b->coefficient, "orbital", err);
    if (!b->coefficient) return -1;
    orbital_system_random(&b->system, &seed, b->coefficient);
    if (kernel_data_make(&b->data, &b->system, b->coefficient, err)) return -1;
    kernel_lattice_make(&b->lattice, &b->job);
    b->plane = (size_t)b->lattice.width * b->lattice.height;
    b->points = b->plane * (size_t)b->job.n[2];
    return kernel_source(&b->source, &b->data, (unsigned)unroll, err);
}

static int open_gpus(struct bench *b, struct trj_error *err) {
    int present;
    CUDA_CHECK(cudaGetDeviceCount(&present));
    if (gpus > (uint64_t)present)
        return trj_fail(err, TRJ_NO_ENGINE, "--gpus: %llu GPUs requested, but this host has %d",
                        (unsigned long long)gpus, present);
    CUDA_CHECK(cudaHostAlloc((void **)&b->value, b->points * sizeof *b->value, cudaHostAllocPortable));
    const double began = trj_seconds();
    if (kernel_compile(&b->code, b->source, err)) {
        char note[sizeof err->text + 64];
        snprintf(note, sizeof note, "the kernel `compiled` is left out: %s", err->text);
        trj_tool_print_note(note);
    }
    b->compile_seconds = trj_seconds() - began;
    return kernel_devices_open(&b->devices, (unsigned)gpus, &b->data, &b->lattice, (uint32_t)b->job.n[2], b->code, err);
}

// ---- measurements

static int run_kernel(struct bench *b, unsigned kernel, struct trj_error *err) {
    double seconds;
    for (size_t i = 0; i < b->points; i++) b->value[i] = NAN;
    if (kernel_devices_time(b->devices, (enum point_kernel)kernel, &seconds, err)) return -1;
    b->best[kernel] = fmin(b->best[kernel], seconds);
    const double began = trj_seconds();
    if (kernel_devices_run(b->devices, (enum point_kernel)kernel, (uint32_t)b->job.n[2], b->value, err)) return -1;
    b->best_run[kernel] = fmin(b->best_run[kernel], trj_seconds() - began);
    return 0;
}

static int run_kernels(struct bench *b, struct trj_error *err) {
    const unsigned count = b->code ? TIMED : KERNEL_COMPILED;
    for (unsigned k = 0; k < TIMED; k++) b->best[k] = b->best_run[k] = INFINITY;
    for (uint64_t round = 0; round < rounds; round++)
        for (unsigned k = 0; k < count; k++) {
            if (run_kernel(b, k, err)) return -1;
            if (round == 0) compare(b, k);
        }
    return 0;
}

static int print_latencies(struct bench *b, struct trj_output *out, struct trj_error *err) {
    static const uint32_t slabs[] = {0, 1, 100};
    for (size_t i = 0; i < sizeof slabs / sizeof *slabs; i++) {
        double best = INFINITY;
        for (uint64_t round = 0; round < 100 * rounds; round++) {
            const double began = trj_seconds();
            if (kernel_devices_run(b->devices, KERNEL_EMPTY, slabs[i] * KERNEL_SLAB, NULL, err)) return -1;
            best = fmin(best, trj_seconds() - began);
        }
        if (trj_output_print(out, err, "empty\t%u\t%.3e\n", slabs[i], best)) return -1;
    }
    return 0;
}

static int print_kernels(const struct bench *b, struct trj_output *out, struct trj_error *err) {
    for (unsigned k = 0; k < (b->code ? TIMED : KERNEL_COMPILED); k++)
        if (trj_output_print(out, err, "%s\t%s\t%zu\t%llu\t%llu\t%.4e\t%.4e\t%.3f\t%.1e\n", kernel_names[k],
                             system_name, b->system.basis.functions,
                             (unsigned long long)(b->job.n[0] * b->job.n[1] * b->job.n[2]), (unsigned long long)gpus,
                             b->best[k], b->best_run[k], k == KERNEL_COMPILED ? b->compile_seconds : 0, b->error[k]))
            return -1;
    for (unsigned k = 0; k < (b->code ? TIMED : KERNEL_COMPILED); k++)
        if (!(b->error[k] <= ERROR_MAX))
            return trj_fail(err, TRJ_FAILED, "kernel %s: an error of %.2e of the largest value, expected at most %.0e",
                            kernel_names[k], b->error[k], ERROR_MAX);
    return 0;
}

static int run(struct bench *b, struct trj_error *err) {
    struct trj_output *out;
    if (set_up(b, err) || trj_output_open(&out, NULL, TRJ_OUTPUT_TEXT, err)) return -1;
    int rc = 0;
    if (source_only) {
        rc = trj_output_print(out, err, "%s", b->source);
    } else {
        rc = open_gpus(b, err) || compute_expected(b, err) || (latencies && print_latencies(b, out, err)) ||
                     run_kernels(b, err) || print_kernels(b, out, err)
                 ? -1
                 : 0;
    }
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct bench b = {.value = NULL};
    int first;
    trj_tool_start(&tool);
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&b, &err);
    kernel_devices_close(b.devices);
    if (b.value) CUDA_RELEASE(cudaFreeHost(b.value));
    orbital_system_free(&b.system);
    free(b.coefficient);
    free(b.source);
    free(b.code);
    free(b.place);
    free(b.point);
    free(b.expected);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
