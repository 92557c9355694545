// SPDX-License-Identifier: MIT
// Times the engines of orbitals (lib/orbital/orbital_engine.h) with random coefficients, and prints one line of
// tab-separated columns:
//
//     1 system   2 quantity   3 engine   4 threads   5 primitives   6 functions   7 orbitals   8 points
//     9 seconds, the least of all rounds   10 seconds of dgemm, the least; 0: none   11 column 9 / column 10
//     12 a digest of the values
//
// Seconds include the preparation of the job. With --dgemm, each round also times OpenBLAS (libopenblas.so.0) on one
// thread with the product that computes an orbital without screening: matrices of nx times primitives and primitives
// times ny nz numbers, the first use of the result included. orbital_systems.h describes the systems.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"
#include "optional_library.h"
#include "orbital_engine.h"
#include "orbital_systems.h"
#include "output.h"
#include "points.h"
#include "tool.h"

static const struct trj_choice quantities[] = {{"orbital", "an orbital"},
                                               {"product", "a product of two"},
                                               {"density", "the density"},
                                               {"gradient", "its gradient"},
                                               {"laplacian", "its Laplacian"},
                                               {"kinetic", "the kinetic energy"},
                                               {"rdg", "reduced gradient"},
                                               {"elf", "ELF"},
                                               {"lol", "LOL"},
                                               {NULL, NULL}};
static const char *system_name = "c60", *quantity_name = "orbital", *engine_name = "cpu";
static uint64_t points = 171, orbitals, threads = 1, rounds = 5, seed = 1;
static bool dgemm;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "system", CHOICE, &system_name, "NAME", "molecule"), .choices = orbital_system_choices},
    {TRJ_OPTION(0, "quantity", CHOICE, &quantity_name, "NAME", "what is computed"), .choices = quantities},
    {TRJ_OPTION('e', "engine", CHOICE, &engine_name, "NAME", "engine"), .choices = orb_engine_choices},
    {TRJ_OPTION(0, "points", COUNT, &points, "N", "cube root of the number of points"), .min = 1, .max = 1 << 12},
    {TRJ_OPTION(0, "orbitals", COUNT, &orbitals, "N", "orbitals; 0: 1, or for densities the occupied ones"),
     .max = 1 << 12},
    {TRJ_OPTION(0, "threads", COUNT, &threads, "N", "number of threads; 0: all"), .max = 1 << 16},
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "number of rounds"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "dgemm", FLAG, &dgemm, NULL, "also time the product of OpenBLAS")},
    TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "orbitals",
    .purpose = "time engines of orbitals; prints a line that tests/bench/time_orbitals.c explains",
    .operands = "",
    .options = options};

struct bench {
    struct orbital_system system;
    double *coefficient, *weight, *value;
    struct orb_job job;
    void *engine;
    double *a, *b, *c; // of dgemm
};

static int set_up(struct bench *b, struct trj_error *err) {
    size_t quantity = 0;
    while (strcmp(quantities[quantity].name, quantity_name) != 0) quantity++;
    if (orbital_system_make(&b->system, system_name, err)) return -1;
    const size_t n = b->system.basis.functions;
    if (!orbitals)
        orbitals = quantity == ORB_ORBITALS  ? 1
                   : quantity == ORB_PRODUCT ? 2
                                             : orbital_system_electrons(&b->system) / 2;
    b->coefficient = trj_alloc(orbitals * n, sizeof *b->coefficient, "orbitals", err);
    b->weight = trj_alloc(orbitals, sizeof *b->weight, "orbitals", err);
    if (!b->coefficient || !b->weight) return -1;
    for (size_t i = 0; i < orbitals; i++) orbital_system_random(&b->system, &seed, b->coefficient + i * n);
    for (size_t i = 0; i < orbitals; i++) b->weight[i] = 2;
    b->job.basis = &b->system.basis;
    b->job.quantity = (enum orb_quantity)quantity;
    b->job.orbitals = orbitals;
    b->job.coefficient = b->coefficient;
    b->job.weight = b->weight;
    orbital_system_lattice(&b->system, points, &b->job);
    size_t total = (size_t)(b->job.n[0] * b->job.n[1] * b->job.n[2]);
    b->value = trj_alloc(orb_job_values(&b->job) * total, sizeof *b->value, "values", err);
    return b->value ? 0 : -1;
}

// ---- dgemm

typedef void dgemm_function(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);

static int open_dgemm(struct bench *b, dgemm_function **function, struct trj_error *err) {
    const size_t n = b->system.basis.primitives, nx = (size_t)b->job.n[0], rows = (size_t)(b->job.n[1] * b->job.n[2]);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (!trj_library_load("libopenblas.so.0", RTLD_LOCAL, &(struct trj_symbol){"cblas_dgemm", function}, 1))
        return trj_fail(err, TRJ_FAILED, "--dgemm: %s", dlerror());
    b->a = trj_alloc(n * nx, sizeof *b->a, "dgemm", err);
    b->b = trj_alloc(n * rows, sizeof *b->b, "dgemm", err);
    b->c = trj_alloc(nx * rows, sizeof *b->c, "dgemm", err);
    if (!b->a || !b->b || !b->c) return -1;
    for (size_t i = 0; i < n * nx; i++) b->a[i] = points_uniform(&seed);
    for (size_t i = 0; i < n * rows; i++) b->b[i] = points_uniform(&seed);
    return 0;
}

static void run_dgemm(const struct bench *b, dgemm_function *function) {
    const int n = (int)b->system.basis.primitives, nx = (int)b->job.n[0], rows = (int)(b->job.n[1] * b->job.n[2]);
    // c[rows][nx] = b[n][rows]^T a[n][nx], row-major
    function(101, 112, 111, rows, nx, n, 1, b->b, rows, b->a, nx, 0, b->c, nx);
}

static int run(struct bench *b, struct trj_error *err) {
    const struct trj_engine *kind;
    dgemm_function *function = NULL;
    double best = INFINITY, best_dgemm = INFINITY;
    if (set_up(b, err) || trj_engine_find(&kind, orb_engines, engine_name, err) ||
        (dgemm && open_dgemm(b, &function, err)))
        return -1;
    const struct orb_engine *engine = (const struct orb_engine *)(const void *)kind;
    const struct work_resources resources = {.threads = (unsigned)threads};
    struct orb_slab slab = {0, b->job.n[2], b->value};
    const size_t total = (size_t)(b->job.n[0] * b->job.n[1] * b->job.n[2]), values = orb_job_values(&b->job) * total;
    if (engine->open(&b->engine, &resources, err)) return -1;
    if (engine->memory && !(slab.value = engine->memory(b->engine, values, err))) rounds = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        double began = trj_seconds();
        int rc = engine->start(b->engine, &b->job, err) || engine->compute(b->engine, &slab, err);
        best = fmin(best, trj_seconds() - began);
        if (function) {
            began = trj_seconds();
            run_dgemm(b, function);
            best_dgemm = fmin(best_dgemm, trj_seconds() - began);
        }
        if (rc) {
            engine->close(b->engine);
            return -1;
        }
    }
    const uint64_t digest = slab.value ? trj_hash(slab.value, values * sizeof *slab.value, 0) : 0;
    engine->close(b->engine);
    if (!slab.value) return -1;
    struct trj_output *out;
    if (trj_output_open(&out, NULL, TRJ_OUTPUT_TEXT, err)) return -1;
    int rc =
        trj_output_print(out, err, "%s\t%s\t%s\t%llu\t%zu\t%zu\t%llu\t%zu\t%.6f\t%.6f\t%.3f\t%016llx\n", system_name,
                         quantity_name, engine_name, (unsigned long long)threads, b->system.basis.primitives,
                         b->system.basis.functions, (unsigned long long)orbitals, total, best, dgemm ? best_dgemm : 0,
                         dgemm ? best / best_dgemm : 0, (unsigned long long)digest);
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct bench b = {.value = NULL};
    int first;
    trj_tool_start(&tool);
    trj_keep_memory(); // as orbmap with several files
    int rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&b, &err);
    orbital_system_free(&b.system);
    free(b.coefficient);
    free(b.weight);
    free(b.value);
    free(b.a);
    free(b.b);
    free(b.c);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
