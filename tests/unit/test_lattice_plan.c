// SPDX-License-Identifier: MIT
// Tests the plan of atoms and points of a lattice (tile/lattice_plan.h) against all images of a large range: their
// number and positions, and that each walk finds all records that reach a box.
#include <stdint.h>

#include "lattice_plan.h"
#include "tap.h"
#include "uniform.h"

static const struct {
    const char *name;
    struct trj_cell cell;
    struct trj_map_lattice lattice;
} cases[] = {
    {"a lattice that divides the cell",
     {{{9, 0, 0}, {2, 8, 0}, {-3, 1, 12}}, 7},
     {{9, 8, 12}, {0, 0, 0}, {{1, 0, 0}, {0.25, 1, 0}, {-0.25, 1.0 / 12, 1}}, 7}},
    {"a lattice that divides one vector of the cell",
     {{{9, 0, 0}, {2, 8, 0}, {-3, 1, 12}}, 7},
     {{9, 5, 6}, {1, -2, 4}, {{1, 0, 0}, {0, 1, 0}, {0.1, 0, 0.8}}, 1}},
    {"a fixed lattice",
     {{{9, 0, 0}, {2, 8, 0}, {-3, 1, 12}}, 7},
     {{20, 7, 9}, {-30, 5, 2}, {{1, 0.1, 0}, {0, 1, 0}, {0, 0, 1}}, 0}},
    {"a fixed lattice in a slab",
     {{{9, 0, 0}, {2, 8, 0}, {-3, 1, 12}}, 5},
     {{20, 7, 9}, {-3, 5, 2}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}},
    {"no periodicity", {{{0}}, 0}, {{20, 7, 9}, {-3, -5, 2}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}},
    {"one point",
     {{{9, 0, 0}, {0, 8, 0}, {0, 0, 12}}, 7},
     {{1, 1, 1}, {3, 3, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}},
    {"a cell of one point",
     {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 7},
     {{1, 1, 1}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 7}},
};
enum { ATOMS = 50, KINDS = 2, RANGE = 18 };
static const float reach[KINDS][3] = {{2.3f, 1.9f, 2.6f}, {4.5f, 0.2f, 3}};

// Counts the images of an atom that reach the lattice, among those of a range around it, and adds their indices.
static size_t count_images(const struct trj_map_lattice *l, const struct trj_cell *cell, const double x[3],
                           unsigned kind, double sum[3]) {
    double g[3][3];
    int n[3], range[3];
    size_t count = 0;
    trj_map_lattice_inverse(l, g);
    for (int v = 0; v < 3; v++) range[v] = cell->periodic >> v & 1 ? RANGE : 0;
    for (n[0] = -range[0]; n[0] <= range[0]; n[0]++)
        for (n[1] = -range[1]; n[1] <= range[1]; n[1]++)
            for (n[2] = -range[2]; n[2] <= range[2]; n[2]++) {
                double u[3];
                bool in = true;
                for (int k = 0; k < 3; k++) {
                    u[k] = 0;
                    for (int c = 0; c < 3; c++)
                        u[k] += g[k][c] * (x[c] - l->origin[c] + n[0] * cell->h[0][c] + n[1] * cell->h[1][c] +
                                           n[2] * cell->h[2][c]);
                    double point = floor(u[k] + 0.5), far = floor((double)reach[kind][k] + 0.5);
                    in = in && point + far >= 0 && point - far <= (double)l->n[k] - 1;
                }
                count += in;
                for (int k = 0; k < 3 && in; k++) sum[k] += u[k];
            }
    return count;
}

static bool is_inside(const struct tile_lattice_record *r, const int64_t low[3], const int64_t high[3]) {
    bool in = true;
    for (int k = 0; k < 3; k++) {
        int32_t far = tile_lattice_farthest(reach[r->kind][k]);
        in = in && r->point[k] + far >= low[k] && r->point[k] - far <= high[k];
    }
    return in;
}

// Returns whether walks of random boxes find all records that reach them, once each.
static bool walks_are_complete(const struct tile_lattice_plan *p) {
    for (int round = 0; round < 50; round++) {
        int64_t low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = (int64_t)((double)p->n[k] * uniform());
            high[k] = low[k] + (int64_t)((double)(p->n[k] - low[k]) * uniform());
        }
        struct tile_lattice_walk w;
        size_t first, end, found = 0, all = 0, last = 0;
        tile_lattice_walk_start(&w, p, low, high);
        while (tile_lattice_walk_next(&w, &first, &end)) {
            if (first < last || end <= first || end > p->records) return false;
            for (last = end; first < end; first++) found += is_inside(&p->record[first], low, high);
        }
        for (size_t i = 0; i < p->records; i++) all += is_inside(&p->record[i], low, high);
        if (found != all) return false;
    }
    return true;
}

// Compares a plan from positions in float64, whose records contain the numbers of atoms, with *p, where the values are
// these numbers.
static void test_numbered(const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
                          const struct tile_lattice_plan *p) {
    static double position[ATOMS][3];
    struct trj_frame head = {.unit = 1, .cell = atoms->frame->cell};
    struct tile_lattice_atoms numbered = *atoms;
    struct tile_lattice_plan q = {0};
    struct trj_error err = {.text = ""};
    for (size_t i = 0; i < ATOMS; i++)
        for (int k = 0; k < 3; k++) position[i][k] = (double)atoms->frame->x[k][i];
    numbered.frame = &head;
    numbered.position = (const double(*)[3])position;
    numbered.numbered = true;
    bool same = !tile_lattice_plan_make(&q, l, &numbered, &err) && q.records == p->records;
    for (size_t i = 0; same && i < 3 * q.records; i++) {
        float a = q.record[i / 3].offset[i % 3], b = p->record[i / 3].offset[i % 3];
        same = a <= b && a >= b;
    }
    for (size_t i = 0; same && i < q.records; i++)
        same = !memcmp(q.record[i].point, p->record[i].point, sizeof q.record[i].point) &&
               (float)q.record[i].kind == p->record[i].value;
    ok(same, "positions in float64: the same records, with the numbers of atoms %s", err.text);
    tile_lattice_plan_free(&q);
}

// For the planes of a slab, the walk must visit the same records in the same order as in *p, which contains all.
static void test_slabs(const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
                       const struct tile_lattice_plan *p) {
    struct tile_lattice_atoms part = *atoms;
    struct tile_lattice_plan q = {0};
    struct trj_error err = {.text = ""};
    bool same = true;
    size_t left_out = 0;
    for (uint64_t first = 0; same && first < l->n[2]; first += part.slab.planes) {
        part.slab = (struct trj_map_slab){first, l->n[2] - first < 3 ? l->n[2] - first : 3};
        same = !tile_lattice_plan_make(&q, l, &part, &err);
        const int64_t low[3] = {0, 0, (int64_t)first},
                      high[3] = {(int64_t)l->n[0] - 1, (int64_t)l->n[1] - 1, (int64_t)(first + part.slab.planes) - 1};
        struct tile_lattice_walk a, b;
        size_t i, j, end, last;
        tile_lattice_walk_start(&a, p, low, high);
        tile_lattice_walk_start(&b, &q, low, high);
        while (same && tile_lattice_walk_next(&a, &i, &end))
            same = tile_lattice_walk_next(&b, &j, &last) && last - j == end - i &&
                   !memcmp(p->record + i, q.record + j, (end - i) * sizeof *q.record);
        same = same && !tile_lattice_walk_next(&b, &j, &last);
        left_out += p->records - q.records;
    }
    ok(same, "slabs of 3 planes: the walk visits the records of the whole plan; %zu records were left out %s", left_out,
       err.text);
    tile_lattice_plan_free(&q);
}

static void test_case(int c) {
    const struct trj_map_lattice *l = &cases[c].lattice;
    struct trj_frame f = {0};
    struct trj_error err = {0};
    struct tile_lattice_plan p = {0};
    uint16_t kind[ATOMS];
    float value[ATOMS];
    double sum[3] = {0, 0, 0}, values = 0;
    size_t count = 0;
    if (trj_frame_resize(&f, ATOMS, &err)) abort();
    f.unit = 1;
    f.cell = cases[c].cell;
    for (int i = 0; i < ATOMS; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) f.x[k][i] = (float)(cases[c].cell.periodic ? 12 * uniform() : 40 * uniform() - 20);
        for (int k = 0; k < 3; k++) x[k] = (double)f.x[k][i];
        kind[i] = (uint16_t)(i % KINDS);
        value[i] = (float)i;
        size_t images = count_images(l, &f.cell, x, kind[i], sum);
        count += images;
        values += (double)images * i;
    }
    const struct tile_lattice_atoms atoms = {
        .frame = &f, .count = ATOMS, .value = value, .kind = kind, .kinds = KINDS, .reach = reach};
    for (size_t chunks = 1; chunks <= 60; chunks += 59) {
        bool good = !tile_lattice_plan_start(&p, l, &atoms, chunks, &err);
        for (size_t i = 0; good && i < chunks; i++) tile_lattice_plan_find(&p, i);
        good = good && !tile_lattice_plan_sort(&p, &err);
        for (size_t i = 0; good && i < chunks; i++) tile_lattice_plan_place(&p, i);
        double got[3] = {0, 0, 0}, got_values = 0;
        for (size_t i = 0; good && i < p.records; i++) {
            for (int k = 0; k < 3; k++) got[k] += p.record[i].point[k] + (double)p.record[i].offset[k];
            got_values += (double)p.record[i].value;
        }
        good = good && p.records == count && fabs(got_values - values) < 0.5;
        for (int k = 0; k < 3; k++) good = good && fabs(got[k] - sum[k]) < 1e-4 * (double)(count + 1);
        ok(good && count > 0 && walks_are_complete(&p), "%s, %zu chunks: %zu records, expected %zu %s", cases[c].name,
           chunks, p.records, count, err.text);
    }
    test_numbered(l, &atoms, &p);
    test_slabs(l, &atoms, &p);
    tile_lattice_plan_free(&p);
    trj_frame_free(&f);
}

// ---- points alone

enum { MANY = 1000 };

// Compares the numbers of points with those of the records, which are in the order of the atoms. Some atoms are exactly
// at borders, others many periods away.
static void test_points(const char *name, const struct trj_cell *cell, const uint64_t n[3]) {
    static const float none[1][3] = {{0, 0, 0}};
    static uint64_t number[MANY];
    static uint32_t list[MANY];
    struct trj_frame f = {0};
    struct trj_error err = {0};
    struct tile_lattice_plan p = {0};
    struct trj_map_lattice l;
    const struct tile_lattice_record *r;
    size_t count;
    if (trj_frame_resize(&f, MANY + 1, &err) || trj_map_lattice_divide(&l, cell, n, &err)) abort();
    f.unit = 1;
    f.cell = *cell;
    for (size_t i = 0; i < MANY; i++) {
        double scale = i % 10 == 0 ? 1e6 : i % 10 == 1 ? 1e3 : 40;
        list[i] = (uint32_t)(MANY - i);
        for (int k = 0; k < 3; k++) {
            double x = scale * (2 * uniform() - 1);
            f.x[k][list[i]] = (float)(i % 10 == 2 ? rint(x * 4) / 4 : x);
        }
    }
    const struct tile_lattice_atoms atoms = {.frame = &f, .list = list, .count = MANY, .kinds = 1, .reach = none};
    bool same = !tile_lattice_plan_start(&p, &l, &atoms, 1, &err) && tile_lattice_has_points(&p) &&
                !tile_lattice_points(&p, 0, 3, number, &err) && !tile_lattice_points(&p, 3, MANY, number + 3, &err);
    tile_lattice_plan_find(&p, 0);
    same = same && !tile_lattice_plan_found(&p, 0, &r, &count, &err) && count == MANY;
    for (size_t i = 0; same && i < MANY; i++)
        same = number[i] == (uint64_t)r[i].point[0] + n[0] * ((uint64_t)r[i].point[1] + n[1] * (uint64_t)r[i].point[2]);
    ok(same, "%s: points without records are those of the records", name);
    f.x[1][list[777]] = NAN;
    ok(tile_lattice_points(&p, 700, MANY, number, &err) == -1 && strstr(err.text, "atom 223: coordinate nan"),
       "%s: a coordinate that is not finite is rejected: %s", name, err.text);
    tile_lattice_plan_free(&p);
    trj_frame_free(&f);
}

static void test_all_points(void) {
    const struct trj_cell aligned = {{{20, 0, 0}, {0, 25, 0}, {0, 0, 30}}, 7},
                          skew = {{{20, 0, 0}, {7, 25, 0}, {-9, 3, 30}}, 7};
    test_points("aligned lattice", &aligned, (const uint64_t[3]){40, 50, 60});
    test_points("aligned lattice, odd steps", &aligned, (const uint64_t[3]){37, 1, 61});
    test_points("skew lattice", &skew, (const uint64_t[3]){40, 50, 60});
    test_points("fine lattice", &skew, (const uint64_t[3]){1 << 20, 1 << 9, 2});
}

int main(void) {
    test_all_points();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) test_case((int)c);
    return done();
}
