// SPDX-License-Identifier: MIT
// Tests Gaussian densities (density/gauss.h): against float64 sums over all images, in cells of every shape; the same
// bytes for any order of atoms, threads and instruction set; integrals; the bounds of sums; damaged input.
#include <stdint.h>

#include "gauss.h"
#include "gauss_kernel.h"
#include "map_lattice.h"
#include "memory.h"
#include "tap.h"
#include "uniform.h"

// A frame with atoms, their weights and kinds, and a lattice.
struct sample {
    struct trj_frame frame;
    struct den_gauss_atoms atoms;
    float *weight;
    uint16_t *kind;
    struct den_gauss_setup setup;
    struct trj_map_lattice lattice;
};

static const double sigmas[3] = {1.3, 0.9, 2.1}, peaks[3] = {1, 0.5, 0.031};

static void make_sample(struct sample *s, const struct trj_cell *cell, size_t atoms) {
    struct trj_error err;
    *s = (struct sample){0};
    if (trj_frame_resize(&s->frame, atoms, &err)) abort();
    s->frame.unit = 1;
    s->frame.cell = *cell;
    s->weight = trj_alloc(atoms, sizeof *s->weight, "", &err);
    s->kind = trj_alloc(atoms, sizeof *s->kind, "", &err);
    for (size_t i = 0; i < atoms; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = 3 * uniform() - 1; // also outside of the cell
        for (int k = 0; k < 3; k++)
            s->frame.x[k][i] = (float)(at[0] * cell->h[0][k] + at[1] * cell->h[1][k] + at[2] * cell->h[2][k]);
        s->weight[i] = (float)(16 * uniform() - 8);
        s->kind[i] = (uint16_t)(3 * uniform());
    }
    s->atoms = (struct den_gauss_atoms){NULL, atoms, s->weight, s->kind};
    s->setup = (struct den_gauss_setup){3, sigmas, peaks, 8, 0};
}

static void free_sample(struct sample *s) {
    trj_frame_free(&s->frame);
    free(s->weight);
    free(s->kind);
}

struct map {
    const struct trj_map_lattice *lattice;
    int64_t *value;
    bool failed;
    struct trj_error err;
};

static void add_block(void *arg, unsigned worker, const struct den_block *block) {
    struct map *m = arg;
    (void)worker;
    if (den_add(m->value, m->lattice, 0, block, &m->err)) m->failed = true;
}

// Returns the density of a sample, or NULL with the error.
static int64_t *density(const struct sample *s, unsigned threads, struct trj_error *err) {
    struct den_gauss *g;
    struct map m = {.lattice = &s->lattice};
    if (den_gauss_open(&g, &s->setup, threads, err)) return NULL;
    m.value = trj_alloc((size_t)trj_map_lattice_points(&s->lattice), sizeof *m.value, "map", err);
    if (den_gauss_compute(g, &s->lattice, &s->frame, &s->atoms, add_block, &m, err)) {
        free(m.value);
        m.value = NULL;
    }
    den_gauss_close(g);
    return m.value;
}

// Returns the largest difference between a density and the sum over all images, at random points, divided by its
// bound: the error of each image, including what the cutoff removes.
static double largest_error(const struct sample *s, const int64_t *value, unsigned points) {
    struct den_gauss_lattice g;
    struct den_gauss_kind kind[3];
    struct trj_error err;
    double worst = 0;
    // The density of very wide Gaussians of height 1 is the number of images within this distance.
    const double far = 9 * 2.1, flat[3] = {1e6, 1e6, 1e6}, ones[3] = {1, 1, 1};
    const struct den_gauss_setup count = {3, flat, ones, 1, far / 1e6};
    const struct den_gauss_atoms atoms = {s->atoms.list, s->atoms.count, NULL, s->atoms.kind};
    struct den_gauss_setup wide = s->setup;
    if (den_gauss_lattice_set(&g, kind, &s->setup, &s->lattice, &err)) return INFINITY;
    double height = 0, step = 0, cutoff = s->setup.cutoff > 0 ? s->setup.cutoff : DEN_GAUSS_CUTOFF;
    for (int k = 0; k < 3; k++) {
        height = fmax(height, s->setup.bound * s->setup.peak[k]);
        step += sqrt(pow(s->lattice.step[k][0], 2) + pow(s->lattice.step[k][1], 2) + pow(s->lattice.step[k][2], 2));
    }
    wide.cutoff = 9;
    double moved = height / 0.9 * step * 0x1p-26;
    double bound = g.error + moved + height * exp(-cutoff * cutoff / 2);
    for (unsigned i = 0; i < points; i++) {
        int64_t at[3];
        for (int k = 0; k < 3; k++) at[k] = (int64_t)((double)s->lattice.n[k] * uniform());
        int64_t v = value[at[0] + (int64_t)s->lattice.n[0] * (at[1] + (int64_t)s->lattice.n[1] * at[2])];
        double exact = den_gauss_reference(&wide, &s->lattice, &s->frame, &s->atoms, at);
        double images = den_gauss_reference(&count, &s->lattice, &s->frame, &atoms, at);
        worst = fmax(worst, fabs((double)v * g.quantum - exact) / (bound * fmax(images, 1)));
    }
    return worst;
}

static const struct {
    const char *name;
    struct trj_cell cell;
} cells[] = {
    {"cubic", {{{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}, 7}},
    {"orthorhombic", {{{20, 0, 0}, {0, 37, 0}, {0, 0, 29}}, 7}},
    {"triclinic", {{{30, 0, 0}, {7, 28, 0}, {-9, 5, 33}}, 7}},
    {"truncated octahedron", {{{34, 0, 0}, {-34.0 / 3, 32.0555, 0}, {-34.0 / 3, -16.0277, 27.7608}}, 7}},
    {"slab", {{{30, 0, 0}, {9, 28, 0}, {0, 0, 33}}, 3}},
    {"no periodicity", {{{30, 0, 0}, {0, 28, 0}, {0, 0, 33}}, 0}},
    {"30 degrees", {{{30, 0, 0}, {26, 15, 0}, {3, 2, 28}}, 7}},
    {"three angles of 30 degrees", {{{30, 0, 0}, {25.9808, 15, 0}, {25.9808, 6.9615, 13.2976}}, 7}},
    {"smaller than a support", {{{5, 0, 0}, {1, 6, 0}, {0, 0, 7}}, 7}},
};
enum { CELLS = sizeof cells / sizeof *cells };

static const char *const lattices[] = {"dividing the cell", "orthogonal", "skew", "oblique"};
enum { LATTICES = sizeof lattices / sizeof *lattices };

static void set_lattice(struct sample *s, int kind) {
    struct trj_error err;
    if (kind == 0) {
        if (trj_map_lattice_cover(&s->lattice, &s->frame.cell, 0.8, &err)) abort();
        return;
    }
    s->lattice = (struct trj_map_lattice){{37, 20, 41}, {-3, 4, 1.5}, {{0.9, 0, 0}, {0, 1.1, 0}, {0, 0, 0.7}}, 0};
    if (kind == 1) return;
    s->lattice.step[1][0] = 0.3;
    s->lattice.step[2][1] = -0.2;
    s->lattice.step[0][2] = 0.4;
    if (kind == 2) return;
    s->lattice.step[1][0] = 2.1;
    s->lattice.step[2][0] = -0.9;
}

static const char *const isas[] = {"avx512", "avx2", "plain"};
enum { ISAS = sizeof isas / sizeof *isas };

static bool select_isa(int i) {
    struct trj_error err;
    struct den_gauss *g;
    const double one = 1;
    const struct den_gauss_setup setup = {1, &one, &one, 1, 0};
    setenv("TRJPIPE_ISA", isas[i], 1);
    if (den_gauss_open(&g, &setup, 1, &err)) return false;
    den_gauss_close(g);
    return true;
}

static bool same_map(const struct sample *s, const int64_t *a, const int64_t *b) {
    return a && b && !memcmp(a, b, (size_t)trj_map_lattice_points(&s->lattice) * sizeof *a);
}

// Permutes the atoms at random.
static void shuffle(struct sample *s) {
    for (size_t i = s->atoms.count - 1; i > 0; i--) {
        size_t j = (size_t)((double)(i + 1) * uniform());
        for (int k = 0; k < 3; k++) {
            float x = s->frame.x[k][i];
            s->frame.x[k][i] = s->frame.x[k][j];
            s->frame.x[k][j] = x;
        }
        float weight = s->weight[i];
        uint16_t kind = s->kind[i];
        s->weight[i] = s->weight[j];
        s->kind[i] = s->kind[j];
        s->weight[j] = weight;
        s->kind[j] = kind;
    }
}

static void test_cells(void) {
    for (int c = 0; c < CELLS; c++)
        for (int l = 0; l < LATTICES; l++) {
            struct sample s;
            struct trj_error err = {0};
            make_sample(&s, &cells[c].cell, c < CELLS - 1 ? 60 : 8);
            set_lattice(&s, l);
            unsetenv("TRJPIPE_ISA");
            int64_t *value = density(&s, 1, &err);
            double e = value ? largest_error(&s, value, 80) : INFINITY;
            ok(e <= 1, "%s, lattice %s: equal to the sum over all images: largest error %.3g of the bound %s",
               cells[c].name, lattices[l], e, err.text);
            shuffle(&s);
            for (int i = 0; i < ISAS; i++) {
                if (!select_isa(i)) {
                    skip(isas[i], "not supported here");
                    continue;
                }
                int64_t *other = density(&s, (unsigned)(i + 1), &err);
                ok(same_map(&s, value, other), "%s, lattice %s, %s, %d threads, another order: the same bytes",
                   cells[c].name, lattices[l], isas[i], i + 1);
                free(other);
            }
            free(value);
            free_sample(&s);
        }
    unsetenv("TRJPIPE_ISA");
}

// One atom: each point is within the bound of one contribution, or beyond the support.
static void test_contribution(void) {
    double worst[3] = {0, 0, 0};
    bool zero = true, forms = true;
    for (int round = 0; round < 36; round++) {
        static const struct trj_cell none = {{{12, 0, 0}, {0, 12, 0}, {0, 0, 12}}, 0};
        struct sample s;
        struct trj_error err;
        struct den_gauss_lattice g;
        struct den_gauss_kind kind[3];
        make_sample(&s, &none, 1);
        s.kind[0] = 0;
        s.weight[0] = 8;
        for (int k = 0; k < 3; k++) s.frame.x[k][0] = (float)(10 + uniform());
        s.lattice = (struct trj_map_lattice){{27, 30, 21}, {1.5, 2, 3}, {{1, 0, 0}, {0, 0.7, 0}, {0, 0, 0.9}}, 0};
        int form = round % 3;
        for (int k = 0; k < 3 && form; k++)
            for (int c = 0; c < 3; c++) s.lattice.step[k][c] += 0.5 * uniform() - 0.25;
        // An axis whose angle with another one is about 15 degrees
        for (int c = 0; c < 3 && form == 2; c++)
            s.lattice.step[0][c] = s.lattice.step[1 + round / 3 % 2][c] * 1.5 + (c == 0 ? 0.4 : -0.1);
        int64_t *value = density(&s, 1, &err), at[3];
        if (!value || den_gauss_lattice_set(&g, kind, &s.setup, &s.lattice, &err)) abort();
        forms = forms && g.skew == (form > 0) && g.oblique == (form > 1);
        struct den_gauss_setup wide = s.setup;
        wide.cutoff = 100;
        const int64_t *v = value;
        for (at[2] = 0; at[2] < 21; at[2]++)
            for (at[1] = 0; at[1] < 30; at[1]++)
                for (at[0] = 0; at[0] < 27; at[0]++, v++) {
                    double exact = den_gauss_reference(&wide, &s.lattice, &s.frame, &s.atoms, at);
                    double error = fabs((double)*v * g.quantum - exact);
                    if (!*v)
                        zero = zero && exact <= 8 * exp(-12.5) * 1.000001;
                    else
                        worst[form] = fmax(worst[form], error / (g.error + 8 * 0x1p-25));
                }
        free(value);
        free_sample(&s);
    }
    ok(worst[0] <= 1, "orthogonal lattices: a contribution is within its bound: largest error %.3g of it", worst[0]);
    ok(worst[1] <= 1, "skew lattices: a contribution is within its bound: largest error %.3g of it", worst[1]);
    ok(worst[2] <= 1, "oblique lattices: a contribution is within its bound: largest error %.3g of it", worst[2]);
    ok(forms, "each lattice has the formula for its angles");
    ok(zero, "points without a contribution are beyond the cutoff");
}

// ---- groups

struct parts {
    const struct trj_map_lattice *lattice;
    int64_t *const *map; // of each group
    uint64_t points[4];
    bool same;
};

static void compare_block(void *arg, unsigned worker, const struct den_block *b) {
    struct parts *p = arg;
    const int64_t *value = b->value;
    (void)worker;
    for (uint64_t z = 0; z < b->n[2]; z++)
        for (uint64_t y = 0; y < b->n[1]; y++)
            for (uint64_t x = 0; x < b->n[0]; x++, value++) {
                uint64_t at =
                    b->first[0] + x + p->lattice->n[0] * (b->first[1] + y + p->lattice->n[1] * (b->first[2] + z));
                if (p->map[b->group][at] != *value) p->same = false;
                p->points[b->group] += *value != 0;
                p->map[b->group][at] = 0;
            }
}

static void test_groups(void) {
    for (int c = 0; c < CELLS; c++) {
        struct sample s;
        struct trj_error err = {0};
        struct den_gauss *g;
        int64_t *map[4];
        struct den_gauss_atoms groups[4];
        uint32_t list[4][10];
        make_sample(&s, &cells[c].cell, 40);
        set_lattice(&s, c % LATTICES);
        struct parts p = {&s.lattice, map, {0}, true};
        float weight[10];
        uint16_t kind[10];
        for (int i = 0; i < 10; i++) {
            weight[i] = (float)(1 + uniform());
            kind[i] = (uint16_t)(i % 3);
        }
        for (uint32_t i = 0; i < 40; i++) list[i % 4][i / 4] = i;
        for (int i = 0; i < 4; i++) {
            groups[i] = s.atoms = (struct den_gauss_atoms){list[i], i < 3 ? 10 : 0, weight, kind};
            map[i] = density(&s, 1, &err);
        }
        bool done = !den_gauss_open(&g, &s.setup, 1, &err) &&
                    !den_gauss_compute_groups(g, &s.lattice, &s.frame, 4, groups, compare_block, &p, &err);
        for (int i = 0; i < 4; i++)
            for (uint64_t k = 0; k < trj_map_lattice_points(&s.lattice); k++) p.same = p.same && map[i][k] == 0;
        ok(done && p.same && !p.points[3], "%s: groups have the same densities as one after the other, in their boxes",
           cells[c].name);
        den_gauss_close(g);
        for (int i = 0; i < 4; i++) free(map[i]);
        free_sample(&s);
    }
}

// ---- integrals

static void test_integral(void) {
    for (int c = 0; c < 4; c++) {
        struct sample s;
        struct trj_error err = {0};
        double quantum, sum = 0, sigma = 1.2, peak = den_gauss_peak(sigma);
        make_sample(&s, &cells[c].cell, 500);
        s.atoms.weight = NULL;
        s.atoms.kind = NULL;
        s.setup = (struct den_gauss_setup){1, &sigma, &peak, 1, 0};
        if (trj_map_lattice_cover(&s.lattice, &cells[c].cell, 1, &err)) abort();
        int64_t *value = density(&s, 2, &err);
        if (den_gauss_quantum(&s.setup, &quantum, &err)) abort();
        for (uint64_t i = 0; value && i < trj_map_lattice_points(&s.lattice); i++) sum += (double)value[i] * quantum;
        sum *= trj_map_lattice_voxel(&s.lattice) / 500;
        ok(fabs(sum - 1) < 3 * erfc(5 / sqrt(2)) + 1e-6, "%s: the integral of an atom is 1 - %.2g", cells[c].name,
           1 - sum);
        free(value);
        free_sample(&s);
    }
}

// ---- bounds

static const struct trj_cell empty_cell = {{{12, 0, 0}, {0, 12, 0}, {0, 0, 12}}, 0};

// Puts all atoms of a sample with the largest weight onto a lattice point.
static void stack(struct sample *s, size_t atoms, double weight) {
    static const double one = 1;
    make_sample(s, &empty_cell, atoms);
    s->lattice = (struct trj_map_lattice){{9, 9, 9}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0};
    for (size_t i = 0; i < atoms; i++) {
        for (int k = 0; k < 3; k++) s->frame.x[k][i] = 4;
        s->weight[i] = (float)weight;
    }
    s->atoms.kind = NULL;
    s->setup = (struct den_gauss_setup){1, &one, &one, fabs(weight), 0};
}

static void test_partial_sums(void) {
    static const size_t counts[] = {1, DEN_GAUSS_PARTIAL, DEN_GAUSS_PARTIAL + 1, DEN_GAUSS_PARTIAL + 2, 5000};
    const double largest = 1 - 0x1p-15; // the largest float32 for which the quantum is 2^-22
    for (int i = 0; i < ISAS; i++) {
        bool exact = true;
        if (!select_isa(i)) continue;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct sample s;
                struct trj_error err;
                double quantum;
                stack(&s, counts[c], sign * largest);
                int64_t *value = density(&s, 1, &err);
                if (den_gauss_quantum(&s.setup, &quantum, &err)) abort();
                int64_t want = sign * (int64_t)counts[c] * ((1 << 22) - (1 << 7));
                exact = exact && quantum == 0x1p-22 && value && value[4 + 9 * (4 + 9 * 4)] == want;
                free(value);
                free_sample(&s);
            }
        ok(exact, "%s: sums of the largest contributions are exact, at the bound of int32 and above", isas[i]);
    }
    unsetenv("TRJPIPE_ISA");
}

// The bound of a kernel: 511 contributions of 2^22 quanta fit into int32, and 512 do not.
static void test_kernel_bound(void) {
    const struct den_gauss_kernel *const kernels[] = {&den_gauss_kernel_plain,
#ifdef __x86_64__
                                                      &den_gauss_kernel_avx2, &den_gauss_kernel_avx512
#endif
    };
    static uint32_t sum[DEN_GAUSS_SUMS];
    struct den_gauss_lattice g;
    struct den_gauss_kind kind;
    struct trj_error err;
    struct sample s;
    struct tile_lattice_record records[DEN_GAUSS_PARTIAL + 1];
    int64_t value = 0;
    stack(&s, 1, 1 - 0x1p-15);
    if (den_gauss_lattice_set(&g, &kind, &s.setup, &s.lattice, &err)) abort();
    for (int i = 0; i <= DEN_GAUSS_PARTIAL; i++) records[i] = (struct tile_lattice_record){{4, 4, 4}, {0, 0, 0}, 1, 0};
    const struct den_gauss_box box = {&g, &kind, {4, 4, 4}, {4, 4, 4}, sum};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        unsetenv("TRJPIPE_ISA");
        int isa = kernels[i] == &den_gauss_kernel_plain ? 2 : !strcmp(kernels[i]->name, "avx2") ? 1 : 0;
        if (!select_isa(isa)) continue;
        unsigned capacity = DEN_GAUSS_PARTIAL;
        size_t added = kernels[i]->add(&box, records, DEN_GAUSS_PARTIAL + 1, &capacity);
        kernels[i]->flush(&box, &value, 1);
        ok(added == DEN_GAUSS_PARTIAL && !capacity && value == (int64_t)DEN_GAUSS_PARTIAL << 22,
           "%s: stops when no further contribution fits; the sum is exact", kernels[i]->name);
        capacity = DEN_GAUSS_PARTIAL + 1;
        kernels[i]->add(&box, records, DEN_GAUSS_PARTIAL + 1, &capacity);
        kernels[i]->flush(&box, &value, 1);
        ok(value == INT32_MIN, "%s: one more contribution does not fit", kernels[i]->name);
        for (int k = 0; k <= DEN_GAUSS_PARTIAL; k++) records[k].value = -1;
        capacity = DEN_GAUSS_PARTIAL + 1;
        kernels[i]->add(&box, records, DEN_GAUSS_PARTIAL + 1, &capacity);
        kernels[i]->flush(&box, &value, 1);
        ok(value == INT32_MIN, "%s: one more negative contribution fits", kernels[i]->name);
        for (int k = 0; k <= DEN_GAUSS_PARTIAL; k++) records[k].value = 1;
    }
    unsetenv("TRJPIPE_ISA");
    free_sample(&s);
}

static void test_map_sums(void) {
    const struct trj_map_lattice l = {{3, 1, 1}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0};
    const int64_t values[3] = {5, 7, -9};
    const struct den_block block = {.n = {3, 1, 1}, .value = values};
    struct trj_error err;
    int64_t map[3] = {INT64_MAX - 5, INT64_MAX - 7, INT64_MIN + 9};
    ok(!den_add(map, &l, 0, &block, &err) && map[0] == INT64_MAX && map[1] == INT64_MAX && map[2] == INT64_MIN,
       "sums over frames may reach the limits of int64");
    for (int k = 0; k < 3; k++) {
        int64_t full[3] = {1, 2, 3}, before[3];
        full[k] = k < 2 ? INT64_MAX - values[k] + 1 : INT64_MIN + 8;
        memcpy(before, full, sizeof full);
        ok(den_add(full, &l, 0, &block, &err) && err.status == TRJ_BAD_DATA && !memcmp(before, full, sizeof full),
           "a sum that would exceed int64 is an error, and nothing is added: %s", err.text);
    }
}

// ---- rejected input

static void rejects(struct sample *s, const char *what) {
    struct trj_error err = {0};
    int64_t *value = density(s, 2, &err);
    ok(!value && err.status == TRJ_BAD_DATA, "%s: rejected: %s", what, err.text);
    free(value);
    free_sample(s);
}

static void test_rejected(void) {
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -2e8f};
    struct sample s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        stack(&s, 10, 1);
        s.frame.x[i % 3][7] = bad[i];
        rejects(&s, "a coordinate that is not finite or too large");
    }
    stack(&s, 10, 1);
    s.weight[9] = nextafterf(1, 2);
    rejects(&s, "a weight above the bound");
    stack(&s, 10, 1);
    s.weight[3] = NAN;
    rejects(&s, "a weight that is not a number");
    stack(&s, 10, 1);
    s.lattice.periodic = 1;
    rejects(&s, "a periodic lattice in a frame without a cell");
    stack(&s, 10, 1);
    s.lattice.periodic = s.frame.cell.periodic = 7;
    rejects(&s, "a lattice whose period is not that of the cell");
    stack(&s, 10, 1);
    s.frame.cell = (struct trj_cell){{{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}}, 7};
    rejects(&s, "a cell with too many images");
    stack(&s, 10, 1);
    for (int k = 0; k < 3; k++) s.lattice.step[k][k] = 1e-6;
    rejects(&s, "a lattice that is too fine");
    stack(&s, 10, 1);
    s.setup.bound = 0;
    rejects(&s, "a bound of 0");
    stack(&s, 10, 1);
    s.setup.bound = 1e30;
    rejects(&s, "a bound beyond 2^60");
    stack(&s, 10, 1);
    s.setup.cutoff = 7;
    rejects(&s, "a cutoff that is too large");
}

static void test_no_atoms(void) {
    struct sample s;
    struct trj_error err = {0};
    stack(&s, 1, 1);
    s.atoms.count = 0;
    int64_t *value = density(&s, 3, &err), sum = 0;
    for (int i = 0; value && i < 9 * 9 * 9; i++) sum |= value[i];
    ok(value && !sum, "a group without atoms has the density 0 %s", err.text);
    free(value);
    free_sample(&s);
}

static void test_far_away(void) {
    struct sample s;
    struct trj_error err = {0};
    stack(&s, 4, 1);
    for (int i = 1; i < 4; i++) s.frame.x[i - 1][i] = i == 2 ? -1e8f : 1e8f;
    int64_t *value = density(&s, 1, &err);
    ok(value && value[4 + 9 * (4 + 9 * 4)] == 1 << 21, "atoms at the largest coordinates do not reach the lattice %s",
       err.text);
    free(value);
    free_sample(&s);
}

int main(void) {
    test_cells();
    test_contribution();
    test_groups();
    test_integral();
    test_partial_sums();
    test_kernel_bound();
    test_map_sums();
    test_rejected();
    test_no_atoms();
    test_far_away();
    return done();
}
