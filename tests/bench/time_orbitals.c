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
// times ny nz numbers, the first use of the result included. The systems are C60 with 6-31G(d), benzene with cc-pVDZ,
// and C36H74, a straight chain of 110 atoms, with STO-3G; Cartesian functions.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"
#include "optional_library.h"
#include "orbital_engine.h"
#include "output.h"
#include "points.h"
#include "tool.h"

static const double BOHR = 0.529177210903;

// ---- basis sets

struct shell {
    unsigned l, n;
    double exponent[9], coefficient[9];
};
struct element {
    unsigned electrons, shells;
    struct shell shell[7];
};

static const struct element carbon_631gd = {
    6,
    6, // W. J. Hehre, R. Ditchfield, J. A. Pople, J. Chem. Phys. 56, 2257 (1972)
    {{0,
      6,
      {3047.52488, 457.369518, 103.948685, 29.2101553, 9.28666296, 3.16392696},
      {0.00183473713, 0.0140373228, 0.0688426222, 0.232184443, 0.467941348, 0.362311985}},
     {0, 3, {7.86827235, 1.88128854, 0.544249258}, {-0.11933242, -0.160854152, 1.143456438}},
     {1, 3, {7.86827235, 1.88128854, 0.544249258}, {0.0689990666, 0.316423961, 0.744308291}},
     {0, 1, {0.168714478}, {1}},
     {1, 1, {0.168714478}, {1}},
     {2, 1, {0.8}, {1}}}};
static const struct element carbon_ccpvdz = {
    6,
    6, // T. H. Dunning, J. Chem. Phys. 90, 1007 (1989)
    {{0,
      9,
      {6665, 1000, 228, 64.71, 21.06, 7.495, 2.797, 0.5215, 0.1596},
      {0.000692, 0.005329, 0.027077, 0.101718, 0.27474, 0.448564, 0.285074, 0.015204, -0.003191}},
     {0,
      9,
      {6665, 1000, 228, 64.71, 21.06, 7.495, 2.797, 0.5215, 0.1596},
      {-0.000146, -0.001154, -0.005725, -0.023312, -0.063955, -0.149981, -0.127262, 0.544529, 0.580496}},
     {0, 1, {0.1596}, {1}},
     {1, 4, {9.439, 2.002, 0.5456, 0.1517}, {0.038109, 0.20948, 0.508557, 0.468842}},
     {1, 1, {0.1517}, {1}},
     {2, 1, {0.55}, {1}}}};
static const struct element hydrogen_ccpvdz = {
    1,
    3,
    {{0, 4, {13.01, 1.962, 0.4446, 0.122}, {0.019685, 0.137977, 0.478148, 0.50124}},
     {0, 1, {0.122}, {1}},
     {1, 1, {0.727}, {1}}}};
static const struct element carbon_sto3g = {
    6,
    3, // W. J. Hehre, R. F. Stewart, J. A. Pople, J. Chem. Phys. 51, 2657 (1969)
    {{0, 3, {71.616837, 13.045096, 3.5305122}, {0.15432897, 0.53532814, 0.44463454}},
     {0, 3, {2.9412494, 0.6834831, 0.2222899}, {-0.09996723, 0.39951283, 0.70011547}},
     {1, 3, {2.9412494, 0.6834831, 0.2222899}, {0.15591627, 0.60768372, 0.39195739}}}};
static const struct element hydrogen_sto3g = {
    1, 1, {{0, 3, {3.42525091, 0.62391373, 0.1688554}, {0.15432897, 0.53532814, 0.44463454}}}};

// ---- systems

enum { ATOMS_MAX = 128 };
struct atoms {
    size_t n;
    double position[ATOMS_MAX][3]; // Å
    const struct element *element[ATOMS_MAX];
};

static void add_atom(struct atoms *a, const struct element *element, double x, double y, double z) {
    const double at[3] = {x, y, z};
    a->element[a->n] = element;
    memcpy(a->position[a->n++], at, sizeof at);
}

// Adds the corners of a truncated icosahedron with edges of 1.43 Å: cyclic permutations with all signs.
static void make_c60(struct atoms *a) {
    const double golden = 0.5 * (1 + sqrt(5)),
                 corner[3][3] = {{0, 1, 3 * golden}, {1, 2 + golden, 2 * golden}, {golden, 2, 1 + 2 * golden}};
    for (int c = 0; c < 3; c++)
        for (int turn = 0; turn < 3; turn++)
            for (int signs = 0; signs < 8; signs++) {
                double at[3];
                if (corner[c][0] == 0 && signs % 2) continue;
                for (int k = 0; k < 3; k++) at[(k + turn) % 3] = 0.715 * corner[c][k] * (signs >> k & 1 ? -1 : 1);
                add_atom(a, &carbon_631gd, at[0], at[1], at[2]);
            }
}

static void make_benzene(struct atoms *a) {
    for (int i = 0; i < 6; i++) {
        double angle = i * 1.0471975511965976;
        add_atom(a, &carbon_ccpvdz, 1.397 * cos(angle), 1.397 * sin(angle), 0);
        add_atom(a, &hydrogen_ccpvdz, 2.481 * cos(angle), 2.481 * sin(angle), 0);
    }
}

static void make_chain(struct atoms *a) {
    for (int i = 0; i < 36; i++) {
        double x = 1.27 * i, y = i % 2 ? 0.42 : -0.42, up = i % 2 ? 0.63 : -0.63;
        add_atom(a, &carbon_sto3g, x, y, 0);
        add_atom(a, &hydrogen_sto3g, x, y + up, 0.89);
        add_atom(a, &hydrogen_sto3g, x, y + up, -0.89);
        if (i == 0) add_atom(a, &hydrogen_sto3g, x - 0.89, y + 0.63, 0);
        if (i == 35) add_atom(a, &hydrogen_sto3g, x + 0.89, y - 0.63, 0);
    }
}

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
static const struct trj_choice systems[] = {
    {"c60", "C60, 6-31G(d)"}, {"benzene", "benzene, cc-pVDZ"}, {"chain", "C36H74, STO-3G"}, {NULL, NULL}};
static const char *system_name = "c60", *quantity_name = "orbital", *engine_name = "cpu";
static uint64_t points = 171, orbitals, threads = 1, rounds = 5, seed = 1;
static bool dgemm;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "system", CHOICE, &system_name, "NAME", "molecule"), .choices = systems},
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
    struct atoms atoms;
    struct orb_basis basis;
    double *coefficient, *weight, *value;
    struct orb_job job;
    void *engine;
    double *a, *b, *c; // of dgemm
};

// ---- the basis

static int compare_primitives(const void *first, const void *second) {
    const struct orb_primitive *a = first, *b = second;
    if (a->centre != b->centre) return a->centre < b->centre ? -1 : 1;
    if (a->exponent != b->exponent) return a->exponent > b->exponent ? -1 : 1;
    return memcmp(a->power, b->power, sizeof a->power);
}

// Calls `add` for each term of each function.
static void each_term(const struct atoms *a, struct orb_basis *b,
                      void (*add)(struct orb_basis *b, const struct orb_primitive *p, double coefficient)) {
    for (size_t i = 0; i < a->n; i++)
        for (unsigned s = 0; s < a->element[i]->shells; s++) {
            const struct shell *shell = &a->element[i]->shell[s];
            for (unsigned x = shell->l + 1; x-- > 0 && shell->n;)
                for (unsigned y = shell->l - x + 1; y-- > 0;) {
                    for (unsigned k = 0; k < shell->n; k++) {
                        const struct orb_primitive p = {
                            (uint32_t)i, {(uint8_t)x, (uint8_t)y, (uint8_t)(shell->l - x - y)}, shell->exponent[k]};
                        double norm = pow(2 * p.exponent / M_PI, 0.75) * pow(4 * p.exponent, shell->l / 2.0);
                        add(b, &p, shell->coefficient[k] * norm);
                    }
                    if (!b->first_term) continue;
                    b->first_term[b->functions + 1] = b->first_term[b->functions] + shell->n;
                    b->functions++;
                }
        }
}

static void add_primitive(struct orb_basis *b, const struct orb_primitive *p, double coefficient) {
    (void)coefficient;
    if (b->primitive) b->primitive[b->primitives] = *p;
    b->primitives++;
}

static size_t terms;
static void add_term(struct orb_basis *b, const struct orb_primitive *p, double coefficient) {
    const struct orb_primitive *found =
        bsearch(p, b->primitive, b->primitives, sizeof *b->primitive, compare_primitives);
    b->term[terms++] = (struct orb_term){(uint32_t)(found - b->primitive), coefficient};
}

static int make_basis(struct bench *b, struct trj_error *err) {
    struct orb_basis *basis = &b->basis;
    each_term(&b->atoms, basis, add_primitive);
    const size_t n = basis->primitives;
    basis->primitive = trj_alloc(n, sizeof *basis->primitive, "basis", err);
    basis->term = trj_alloc(n, sizeof *basis->term, "basis", err);
    basis->centre = trj_alloc(b->atoms.n, sizeof *basis->centre, "basis", err);
    if (!basis->primitive || !basis->term || !basis->centre) return -1;
    basis->primitives = 0;
    each_term(&b->atoms, basis, add_primitive);
    qsort(basis->primitive, n, sizeof *basis->primitive, compare_primitives);
    basis->primitives = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || compare_primitives(&basis->primitive[i], &basis->primitive[basis->primitives - 1]))
            basis->primitive[basis->primitives++] = basis->primitive[i];
    basis->first_term = trj_alloc(n + 1, sizeof *basis->first_term, "basis", err);
    if (!basis->first_term) return -1;
    each_term(&b->atoms, basis, add_term);
    basis->centres = b->atoms.n;
    for (size_t i = 0; i < b->atoms.n; i++)
        for (int k = 0; k < 3; k++) basis->centre[i][k] = b->atoms.position[i][k] / BOHR;
    return 0;
}

// Surrounds the atoms by 4 Å, with points^3 points in total, and equal steps as far as possible.
static void make_lattice(struct bench *b) {
    double low[3], size[3], volume = 1;
    for (int k = 0; k < 3; k++) {
        double high = low[k] = b->basis.centre[0][k];
        for (size_t i = 1; i < b->basis.centres; i++) {
            low[k] = fmin(low[k], b->basis.centre[i][k]);
            high = fmax(high, b->basis.centre[i][k]);
        }
        low[k] -= 4 / BOHR;
        size[k] = high + 4 / BOHR - low[k];
        volume *= size[k];
    }
    double step = cbrt(volume) / (double)points;
    bool cube = strcmp(system_name, "chain") != 0; // the others have the same number of points along each axis
    for (int k = 0; k < 3; k++) {
        b->job.n[k] = cube ? points : (uint64_t)fmax(1, floor(size[k] / step + 0.5));
        b->job.origin[k] = low[k];
        b->job.step[k][k] = b->job.n[k] > 1 ? size[k] / (double)(b->job.n[k] - 1) : 1;
    }
}

static int set_up(struct bench *b, struct trj_error *err) {
    size_t quantity = 0;
    if (!strcmp(system_name, "c60"))
        make_c60(&b->atoms);
    else if (!strcmp(system_name, "benzene"))
        make_benzene(&b->atoms);
    else
        make_chain(&b->atoms);
    while (strcmp(quantities[quantity].name, quantity_name) != 0) quantity++;
    if (make_basis(b, err)) return -1;
    const size_t n = b->basis.functions;
    if (!orbitals) {
        size_t electrons = 0;
        for (size_t i = 0; i < b->atoms.n; i++) electrons += b->atoms.element[i]->electrons;
        orbitals = quantity == ORB_ORBITALS ? 1 : quantity == ORB_PRODUCT ? 2 : electrons / 2;
    }
    b->coefficient = trj_alloc(orbitals * n, sizeof *b->coefficient, "orbitals", err);
    b->weight = trj_alloc(orbitals, sizeof *b->weight, "orbitals", err);
    if (!b->coefficient || !b->weight) return -1;
    for (size_t i = 0; i < orbitals * n; i++) b->coefficient[i] = (points_uniform(&seed) - 0.5) / sqrt((double)n);
    for (size_t i = 0; i < orbitals; i++) b->weight[i] = 2;
    b->job.basis = &b->basis;
    b->job.quantity = (enum orb_quantity)quantity;
    b->job.orbitals = orbitals;
    b->job.coefficient = b->coefficient;
    b->job.weight = b->weight;
    make_lattice(b);
    size_t total = (size_t)(b->job.n[0] * b->job.n[1] * b->job.n[2]);
    b->value = trj_alloc(orb_job_values(&b->job) * total, sizeof *b->value, "values", err);
    return b->value ? 0 : -1;
}

// ---- dgemm

typedef void dgemm_function(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);

static int open_dgemm(struct bench *b, dgemm_function **function, struct trj_error *err) {
    const size_t n = b->basis.primitives, nx = (size_t)b->job.n[0], rows = (size_t)(b->job.n[1] * b->job.n[2]);
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
    const int n = (int)b->basis.primitives, nx = (int)b->job.n[0], rows = (int)(b->job.n[1] * b->job.n[2]);
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
    const struct orb_slab slab = {0, b->job.n[2], b->value};
    if (engine->open(&b->engine, &resources, err)) return -1;
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
    engine->close(b->engine);
    const size_t total = (size_t)(b->job.n[0] * b->job.n[1] * b->job.n[2]);
    struct trj_output *out;
    if (trj_output_open(&out, NULL, TRJ_OUTPUT_TEXT, err)) return -1;
    int rc = trj_output_print(
        out, err, "%s\t%s\t%s\t%llu\t%zu\t%zu\t%llu\t%zu\t%.5f\t%.5f\t%.3f\t%016llx\n", system_name, quantity_name,
        engine_name, (unsigned long long)threads, b->basis.primitives, b->basis.functions, (unsigned long long)orbitals,
        total, best, dgemm ? best_dgemm : 0, dgemm ? best / best_dgemm : 0,
        (unsigned long long)trj_hash(b->value, orb_job_values(&b->job) * total * sizeof *b->value, 0));
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
    free(b.basis.primitive);
    free(b.basis.term);
    free(b.basis.centre);
    free(b.basis.first_term);
    free(b.coefficient);
    free(b.weight);
    free(b.value);
    free(b.a);
    free(b.b);
    free(b.c);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
