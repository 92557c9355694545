// SPDX-License-Identifier: MIT
// Tests Gaussian densities (density/gauss.h): against float64 sums over all images, in cells of every shape; the same
// bytes for any order of atoms, threads and instruction set; integrals; the bounds of sums; damaged input.
#include <stdint.h>

#include "gauss.h"
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
    if (den_add(m->value, m->lattice, block, &m->err)) m->failed = true;
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

// Compares a density with float64 sums at random points. Returns the largest difference in units of its bound.
static double largest_error(const struct sample *s, const int64_t *value, unsigned points) {
    struct den_gauss_lattice g;
    struct den_gauss_kind kind[3];
    struct trj_error err;
    struct den_gauss_setup wide = s->setup;
    double worst = 0;
    if (den_gauss_lattice_set(&g, kind, &s->setup, &s->lattice, &err)) return INFINITY;
    wide.cutoff = 9;
    for (unsigned i = 0; i < points; i++) {
        int64_t at[3];
        for (int k = 0; k < 3; k++) at[k] = (int64_t)((double)s->lattice.n[k] * uniform());
        int64_t v = value[at[0] + (int64_t)s->lattice.n[0] * (at[1] + (int64_t)s->lattice.n[1] * at[2])];
        double exact = den_gauss_reference(&wide, &s->lattice, &s->frame, &s->atoms, at);
        double d = fabs((double)v * g.quantum - exact);
        if (d > worst) worst = d;
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
    {"smaller than a support", {{{5, 0, 0}, {1, 6, 0}, {0, 0, 7}}, 7}},
};
enum { CELLS = sizeof cells / sizeof *cells };

static void test_reference(void) {
    for (int c = 0; c < CELLS; c++)
        for (int fixed = 0; fixed < 3; fixed++) {
            struct sample s;
            struct trj_error err = {0};
            make_sample(&s, &cells[c].cell, 200);
            if (fixed == 0) {
                if (trj_map_lattice_cover(&s.lattice, &cells[c].cell, 0.8, &err)) abort();
            } else {
                s.lattice =
                    (struct trj_map_lattice){{37, 20, 41}, {-3, 4, 1.5}, {{0.9, 0, 0}, {0, 1.1, 0}, {0, 0, 0.7}}, 0};
                if (fixed == 2) s.lattice.step[1][0] = 0.3, s.lattice.step[2][1] = -0.2;
            }
            int64_t *value = density(&s, 1, &err);
            double e = value ? largest_error(&s, value, 200) : INFINITY;
            ok(e < 1e-3, "%s, lattice %d: equal to the sum over all images: error %g %s", cells[c].name, fixed, e,
               err.text);
            free(value);
            free_sample(&s);
        }
}

int main(void) {
    test_reference();
    return done();
}
