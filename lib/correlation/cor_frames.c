// SPDX-License-Identifier: MIT
// Adds blocks of a simulated density to the sums as soon as threads compute them, so that no density is stored.
#include "cor_frames.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_output.h"
#include "memory.h"

// What one thread uses.
struct worker {
    struct cor_adder adder;
    size_t group;        // whose points `near` marks
    unsigned char *near; // points within the radius, in the box of a selection
    size_t capacity;
};

struct cor_frames {
    struct cor_frames_setup setup;
    struct den_gauss *gauss;
    double inverse[3][3]; // of the lattice
    int64_t above;        // of simulated:F, in quanta
    unsigned threads;
    struct worker *workers;
    struct cor_sums *sums;         // of the frame
    const struct trj_frame *frame; // without periodic vectors
    int64_t *whole;                // [points] density of the whole model; NULL: not needed
    unsigned char *near;           // [points] points within the radius of the whole model; NULL: not needed
    int64_t *store;                // where store_block writes to
    atomic_bool failed;            // memory
};

int cor_frames_quantum(const struct cor_model *m, double *quantum, struct trj_error *err) {
    const struct den_gauss_setup gauss = cor_model_gauss(m);
    return den_gauss_quantum(&gauss, quantum, err);
}

int64_t cor_frames_above(const struct cor_frames_setup *s, double quantum) {
    double above = floor(s->mask->fraction * s->model->height / quantum);
    return above < 0x1p62 ? (int64_t)above : INT64_MAX; // no density exceeds it
}

int cor_frames_fail_overflow(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "the simulated density exceeds 2^43 quanta; check that atoms are not all at one place");
}

int cor_frames_check(const struct cor_frames_setup *s, const struct trj_frame *f, struct trj_error *err) {
    const struct tile_lattice_atoms atoms = {
        .frame = f, .list = s->model->group->atoms, .count = s->model->group->count};
    return tile_lattice_check_atoms(&atoms, err);
}

unsigned cor_frames_threads(const struct cor_frames *c) {
    return c->threads;
}

void cor_frames_close(struct cor_frames *c) {
    if (!c) return;
    den_gauss_close(c->gauss);
    for (unsigned i = 0; c->workers && i < c->threads; i++) free(c->workers[i].near);
    free(c->workers);
    free(c->whole);
    free(c->near);
    free(c);
}

static int check_radius(const struct cor_frames_setup *s, struct trj_error *err) {
    double reach = INFINITY;
    for (unsigned k = 0; k < s->model->kinds; k++) reach = fmin(reach, DEN_GAUSS_CUTOFF * s->model->sigma[k]);
    if (!(s->mask->radius > reach)) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--mask radius:%g: exceeds %g Angstrom, where the Gaussians end (5 sigma); use a smaller radius",
                    s->mask->radius, reach);
}

int cor_frames_open(struct cor_frames **result, const struct cor_frames_setup *setup, struct trj_error *err) {
    const struct den_gauss_setup gauss = cor_model_gauss(setup->model);
    double quantum;
    if (check_radius(setup, err)) return -1;
    struct cor_frames *c = trj_alloc(1, sizeof *c, "the correlation", err);
    if (!c) return -1;
    c->setup = *setup;
    trj_map_lattice_inverse(&setup->map->lattice, c->inverse);
    int rc = den_gauss_quantum(&gauss, &quantum, err) || den_gauss_open(&c->gauss, &gauss, setup->threads, err);
    if (!rc) {
        c->threads = den_gauss_threads(c->gauss);
        c->workers = trj_alloc(c->threads, sizeof *c->workers, "the correlation", err);
        rc = !c->workers;
    }
    if (!rc && setup->whole) rc = !(c->whole = trj_alloc(setup->map->points, sizeof *c->whole, "a density", err));
    if (!rc && !setup->divided && setup->mask->radius > 0)
        rc = !(c->near = trj_alloc(setup->map->points, 1, "a mask", err));
    if (rc) {
        cor_frames_close(c);
        return -1;
    }
    c->above = cor_frames_above(setup, quantum);
    for (unsigned i = 0; i < c->threads; i++) {
        c->workers[i].adder.entropy = setup->entropy;
        c->workers[i].adder.y_offset = setup->map->offset;
    }
    *result = c;
    return 0;
}

// ---- points within a radius

struct box {
    uint64_t low[3], high[3];
};

static size_t box_points(const struct box *b) {
    return (size_t)((b->high[0] - b->low[0]) * (b->high[1] - b->low[1]) * (b->high[2] - b->low[2]));
}

// Sets first and end of the indices within `reach` of u that are in the box.
static void range(int64_t *first, int64_t *end, double u, double reach, uint64_t low, uint64_t high) {
    double from = ceil(u - reach), to = floor(u + reach) + 1;
    *first = from > (double)low ? from < (double)high ? (int64_t)from : (int64_t)high : (int64_t)low;
    *end = to < (double)high ? to > (double)low ? (int64_t)to : (int64_t)low : (int64_t)high;
}

// Marks the points of a box within the radius of an atom: a function of the atom and the point alone, in float64.
static void mark_atom(const struct cor_frames *c, const struct box *b, const double x[3], unsigned char *near) {
    const struct trj_map_lattice *l = &c->setup.map->lattice;
    double radius = c->setup.mask->radius, u[3], d[3], p[3];
    int64_t first[3], end[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - l->origin[k];
    for (int k = 0; k < 3; k++) {
        const double *g = c->inverse[k];
        u[k] = g[0] * d[0] + g[1] * d[1] + g[2] * d[2];
        double reach = radius * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) + 1e-6;
        range(&first[k], &end[k], u[k], reach, b->low[k], b->high[k]);
    }
    uint64_t nx = b->high[0] - b->low[0], ny = b->high[1] - b->low[1];
    for (int64_t k = first[2]; k < end[2]; k++)
        for (int64_t j = first[1]; j < end[1]; j++) {
            unsigned char *row = near + nx * ((uint64_t)j - b->low[1] + ny * ((uint64_t)k - b->low[2]));
            double dj = (double)j - u[1], dk = (double)k - u[2];
            for (int64_t i = first[0]; i < end[0]; i++) {
                double di = (double)i - u[0];
                for (int a = 0; a < 3; a++) p[a] = di * l->step[0][a] + dj * l->step[1][a] + dk * l->step[2][a];
                row[(uint64_t)i - b->low[0]] |= p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= radius * radius;
            }
        }
}

static void mark_atoms(const struct cor_frames *c, const struct box *b, const struct den_gauss_atoms *atoms,
                       unsigned char *near) {
    const struct trj_frame *f = c->frame;
    memset(near, 0, box_points(b));
    for (size_t i = 0; i < atoms->count; i += c->setup.model->terms) {
        uint32_t atom = atoms->list[i];
        const double x[3] = {f->x[0][atom] * f->unit, f->x[1][atom] * f->unit, f->x[2][atom] * f->unit};
        mark_atom(c, b, x, near);
    }
}

// Removes the points that the map excludes, and adds n, y and yy of the others, and x of the whole model if requested.
static void add_marked(const struct cor_frames *c, const struct box *b, unsigned char *near, struct cor_adder *a) {
    static const int64_t zero[256];
    const struct cor_map *map = c->setup.map;
    uint64_t nx = b->high[0] - b->low[0];
    for (uint64_t k = b->low[2]; k < b->high[2]; k++)
        for (uint64_t j = b->low[1]; j < b->high[1]; j++, near += nx) {
            uint64_t position = b->low[0] + map->lattice.n[0] * (j + map->lattice.n[1] * k);
            for (uint64_t i = 0; c->setup.mask->fixed && i < nx; i++) near[i] &= c->setup.mask->fixed[position + i];
            for (uint64_t i = 0; i < nx; i += 256)
                cor_adder_row(a, &(struct cor_row){.n = nx - i < 256 ? nx - i : 256,
                                                   .x = c->whole ? c->whole + position + i : zero,
                                                   .y = map->value + position + i,
                                                   .mask = near + i});
        }
    cor_adder_flush(a);
}

// ---- blocks

// Adds the points of a block. near: marks of the points of the box `b`; NULL: none.
static void add_block(const struct cor_frames *c, const struct den_block *block, const struct box *b,
                      const unsigned char *near, struct cor_adder *a) {
    const struct cor_map *map = c->setup.map;
    const struct cor_mask *mask = c->setup.mask;
    const int64_t *value = block->value;
    for (uint64_t k = block->first[2]; k < block->first[2] + block->n[2]; k++)
        for (uint64_t j = block->first[1]; j < block->first[1] + block->n[1]; j++, value += block->n[0]) {
            uint64_t position = block->first[0] + map->lattice.n[0] * (j + map->lattice.n[1] * k);
            struct cor_row row = {.n = block->n[0],
                                  .x = c->whole ? c->whole + position : value,
                                  .y = map->value + position,
                                  .mask = mask->fixed ? mask->fixed + position : NULL,
                                  .own = mask->fraction >= 0 ? value : NULL,
                                  .above = c->above};
            if (near)
                row.mask =
                    near + (block->first[0] - b->low[0] +
                            (b->high[0] - b->low[0]) * (j - b->low[1] + (b->high[1] - b->low[1]) * (k - b->low[2])));
            cor_adder_row(a, &row);
        }
    cor_adder_flush(a);
}

static void take_block(void *arg, unsigned worker, const struct den_block *block) {
    const struct cor_frames *c = arg;
    const struct box all = {
        .high = {c->setup.map->lattice.n[0], c->setup.map->lattice.n[1], c->setup.map->lattice.n[2]}};
    if (!block->empty) add_block(c, block, &all, c->near, &c->workers[worker].adder);
}

// One thread processes all blocks of a selection.
static void take_block_of_selection(void *arg, unsigned worker, const struct den_block *block) {
    struct cor_frames *c = arg;
    struct worker *w = &c->workers[worker];
    struct cor_adder *a = &w->adder;
    struct box b;
    memcpy(b.low, block->low, sizeof b.low);
    memcpy(b.high, block->high, sizeof b.high);
    cor_adder_reset(a);
    bool by_radius = c->setup.mask->radius > 0;
    if (by_radius && w->group != block->group) {
        struct trj_error err;
        if (trj_grow(&w->near, &w->capacity, box_points(&b), 1, "a mask", &err)) {
            c->failed = true;
            return;
        }
        w->group = block->group;
        mark_atoms(c, &b, &c->setup.selections->atoms[block->group], w->near);
        a->only_x = false;
        add_marked(c, &b, w->near, a);
    }
    // n, y and yy are known unless the points depend on the density.
    a->only_x = !(c->setup.mask->fraction >= 0);
    if (!block->empty && !(by_radius && c->whole)) add_block(c, block, &b, by_radius ? w->near : NULL, a);
    cor_sums_merge(&c->sums[block->group], &a->sums);
}

static void store_block(void *arg, unsigned worker, const struct den_block *block) {
    struct cor_frames *c = arg;
    const struct trj_map_lattice *l = &c->setup.map->lattice;
    const int64_t *value = block->value;
    (void)worker;
    for (uint64_t k = block->first[2]; k < block->first[2] + block->n[2]; k++)
        for (uint64_t j = block->first[1]; j < block->first[1] + block->n[1]; j++) {
            int64_t *to = c->store + block->first[0] + l->n[0] * (j + l->n[1] * k);
            if (block->empty) {
                memset(to, 0, block->n[0] * sizeof *to);
            } else {
                memcpy(to, value, block->n[0] * sizeof *to);
                value += block->n[0];
            }
        }
}

// ---- frames

static struct den_gauss_atoms whole_model(const struct cor_frames *c) {
    const struct cor_model *m = c->setup.model;
    return (struct den_gauss_atoms){
        .list = m->list, .count = m->group->count * m->terms, .weight = m->weight, .kind = m->kind};
}

// Computes the simulated density of the whole model, values[map->points], in quanta.
static int compute_density(struct cor_frames *c, const struct trj_frame *f, int64_t *values, struct trj_error *err) {
    const struct den_gauss_atoms atoms = whole_model(c);
    struct trj_frame alone = *f;
    alone.cell = (struct trj_cell){.periodic = 0};
    c->store = values;
    return den_gauss_compute(c->gauss, &c->setup.map->lattice, &alone, &atoms, store_block, c, err);
}

int cor_frames_write(const struct cor_frames_setup *s, const struct trj_frame *f, const char *path,
                     struct trj_output *main, char *const *provenance, void (*note)(void *owner, const char *text),
                     void *owner, struct trj_error *err) {
    char quantity[] = "simulated density", unit[16];
    struct trj_map_output o = {.path = path};
    struct trj_map map = {
        .lattice = s->map->lattice, .quantity = quantity, .unit = unit, .kind = TRJ_MAP_QUANTA, .components = 1};
    struct cor_frames *c = NULL;
    int64_t *values = trj_alloc(s->map->points, sizeof *values, "a density", err);
    snprintf(unit, sizeof unit, "%s", s->model->unit);
    int rc = -1;
    if (!values) goto out;
    if (cor_frames_quantum(s->model, &map.quantum, err)) goto out;
    if (cor_frames_open(&c, s, err)) goto out;
    if (compute_density(c, f, values, err)) goto out;
    if (trj_map_output_open(&o, err)) goto out;
    if (trj_map_output_start(&o, &map, provenance, err)) goto out;
    if (trj_map_writer_begin(o.writer, NULL, err)) goto out;
    if (trj_map_writer_write(o.writer, values, map.lattice.n[2], err)) goto out;
    if (trj_map_output_join(&o, main, err)) goto out;
    for (size_t i = 0; i < o.writer->notes.count; i++) note(owner, o.writer->notes.text[i]);
    rc = 0;
out:
    trj_map_output_close(&o);
    cor_frames_close(c);
    free(values);
    return rc;
}

static int add_whole(struct cor_frames *c, struct trj_error *err) {
    const struct cor_map *map = c->setup.map;
    const struct cor_mask *mask = c->setup.mask;
    const struct den_gauss_atoms atoms = whole_model(c);
    struct box all = {.low = {0, 0, 0}};
    memcpy(all.high, map->lattice.n, sizeof all.high);
    for (unsigned i = 0; i < c->threads; i++) {
        cor_adder_reset(&c->workers[i].adder);
        c->workers[i].adder.only_x = false;
    }
    if (c->near) {
        mark_atoms(c, &all, &atoms, c->near);
        add_marked(c, &all, c->near, &c->workers[0].adder);
    }
    for (unsigned i = 0; i < c->threads; i++) c->workers[i].adder.only_x = !(mask->fraction >= 0);
    return den_gauss_compute(c->gauss, &map->lattice, c->frame, &atoms, take_block, c, err);
}

int cor_frames_add(struct cor_frames *c, const struct trj_frame *f, struct cor_sums *sums, struct trj_error *err) {
    const struct cor_selections *s = c->setup.selections;
    const struct trj_map_lattice *l = &c->setup.map->lattice;
    struct trj_frame alone = *f;
    int rc;
    alone.cell = (struct trj_cell){.periodic = 0};
    c->frame = &alone;
    c->sums = sums;
    memset(sums, 0, s->count * sizeof *sums);
    for (size_t i = 0; i < s->count && !cor_mask_is_local(c->setup.mask); i++) sums[i] = c->setup.mask->y;
    if (!c->setup.divided) {
        rc = add_whole(c, err);
        for (unsigned i = 0; i < c->threads; i++) cor_sums_merge(&sums[0], &c->workers[i].adder.sums);
    } else {
        for (unsigned i = 0; i < c->threads; i++) c->workers[i].group = SIZE_MAX;
        rc = c->whole ? compute_density(c, f, c->whole, err) : 0;
        if (!rc)
            rc = den_gauss_compute_groups(c->gauss, l, &alone, s->count, s->atoms, take_block_of_selection, c, err);
    }
    for (unsigned i = 0; i < c->threads && !rc; i++)
        if (c->workers[i].adder.overflow) rc = cor_frames_fail_overflow(err);
    if (!rc && c->failed) rc = trj_fail(err, TRJ_FAILED, "out of memory for the mask of a selection");
    return rc;
}

double cor_frames_within(const struct cor_frames_setup *s, const struct trj_frame *f) {
    const struct cor_model *m = s->model;
    const struct trj_map_lattice *l = &s->map->lattice;
    double g[3][3], within = 0;
    trj_map_lattice_inverse(l, g);
    for (size_t i = 0; i < m->group->count * m->terms; i++) {
        uint32_t atom = m->list[i];
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            double index = 0;
            for (int j = 0; j < 3; j++) index += g[k][j] * (f->x[j][atom] * f->unit - l->origin[j]);
            inside = inside && index >= -0.5 && index < (double)l->n[k] - 0.5;
        }
        within += inside ? m->weight[i] : 0;
    }
    return within / m->total;
}
