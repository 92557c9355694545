// SPDX-License-Identifier: MIT
// The space-filling curve visits each cell once; the plan contains every pair of points within reach exactly once.
#include <stdint.h>

#include "hilbert.h"
#include "items.h"
#include "memory.h"
#include "tap.h"
#include "tiles.h"

static void test_hilbert(void) {
    enum { SIDE = 16, N = SIDE * SIDE * SIDE };
    static uint32_t at[N];
    memset(at, 0xff, sizeof at);
    bool good = true, near = true;
    for (uint32_t first = 0; first < N; first += TILE_HILBERT_POINTS) {
        uint32_t c[3][TILE_HILBERT_POINTS], place[TILE_HILBERT_POINTS];
        for (uint32_t i = 0; i < TILE_HILBERT_POINTS; i++) {
            c[0][i] = (first + i) % SIDE;
            c[1][i] = (first + i) / SIDE % SIDE;
            c[2][i] = (first + i) / SIDE / SIDE;
        }
        tile_hilbert(c, place);
        for (uint32_t i = 0; i < TILE_HILBERT_POINTS; i++) {
            good &= place[i] < N && at[place[i]] == UINT32_MAX;
            if (place[i] < N) at[place[i]] = first + i;
        }
    }
    ok(good,
       "each cell of a corner of the grid has a different place, and their places are the first ones of the curve");
    for (uint32_t k = 1; good && k < N; k++) {
        int steps = abs((int)(at[k] % SIDE) - (int)(at[k - 1] % SIDE)) +
                    abs((int)(at[k] / SIDE % SIDE) - (int)(at[k - 1] / SIDE % SIDE)) +
                    abs((int)(at[k] / SIDE / SIDE) - (int)(at[k - 1] / SIDE / SIDE));
        near &= steps == 1;
    }
    ok(near, "consecutive cells of the curve share a face");
}

static uint32_t lcg = 12345;

static float random_in(float low, float high) {
    lcg = lcg * 1664525 + 1013904223;
    return low + (high - low) * (float)(lcg >> 8) * 0x1p-24f;
}

enum { ATOMS = 4200 };

// Makes a set by all steps. Returns whether the order of the previous frame was kept.
static bool build(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count) {
    struct trj_error err;
    bool kept, whole = true;
    if (tile_set_start(s, f, atoms, count, 3, &kept, &err)) exit(1);
    do {
        if (!kept || !whole) {
            for (size_t c = 0; c < tile_set_chunks(s); c++) tile_set_key(s, f, c);
            tile_set_sort(s);
            kept = false;
        }
        for (size_t c = 0; c < tile_set_chunks(s); c++) tile_set_place(s, f, c);
        whole = tile_set_finish(s, f);
    } while (!whole);
    return kept;
}

// Sets x to the wrapped position of the atom at a place.
static void position(const struct tile_set *s, const struct trj_frame *f, size_t place, double x[3]) {
    double at[3][TILE_WIDTH], wrap[3][TILE_WIDTH];
    const double *around = s->around[place / TILE_WIDTH], *const to[3] = {&around[0], &around[1], &around[2]};
    for (int k = 0; k < 3; k++) at[k][0] = (double)f->x[k][s->atom[place]];
    tile_wrap(&s->boxes.axes, at, wrap, to, 1, 1);
    for (int k = 0; k < 3; k++) {
        x[k] = (double)f->x[k][s->atom[place]];
        for (int m = 0; m < 3; m++) x[k] += wrap[m][0] * f->cell.h[m][k];
        if (fabs(x[k] - at[k][0]) > 1e-9) exit(1);
    }
}

static bool in_boxes(const struct tile_set *s, const struct trj_frame *f) {
    bool good = true;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    static bool seen[ATOMS];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < s->atoms; i++) {
        size_t t = i / TILE_WIDTH;
        double x[3], r2 = 0;
        position(s, f, i, x);
        good &= !seen[s->atom[i]];
        seen[s->atom[i]] = true;
        for (int k = 0; k < 3; k++) {
            double off = x[k] - tile_centre(s, t, k);
            r2 += off * off;
            good &= fabs(off) <= s->boxes.nodes[0][t / TILE_NODE].half[k][t % TILE_NODE] * (1 + 1e-12) + 1e-9;
            good &= fabs((double)s->local[k][i] - off * 3) < 1e-5;
            double along = 0, brick = 0;
            for (int c = 0; c < 3; c++) {
                along += s->boxes.axes.g[k][c] * x[c];
                brick += s->boxes.axes.f[k][c] * x[c];
            }
            good &= !s->boxes.axes.periodic[k] || fabs(brick - s->around[t][k]) < 0.5 + 1e-9;
            low[k] = fmin(low[k], along);
            high[k] = fmax(high[k], along);
            for (unsigned l = 0; l < s->boxes.levels; l++) {
                size_t box = t >> 3 * l, at = box % TILE_NODE;
                const struct tile_node *group = &s->boxes.nodes[l][box / TILE_NODE];
                good &= fabs(along - group->middle[k][at]) <= group->extent[k][at] + 1e-9;
                good &= fabs(x[k] - group->centre[k][at]) <= group->half[k][at] + 1e-9;
            }
        }
        good &= r2 <= s->radius[t] * s->radius[t] + 1e-9;
    }
    for (int k = 0; k < 3; k++)
        good &= !s->boxes.axes.periodic[k] || (low[k] >= s->boxes.low[k] - 1e-9 && high[k] <= s->boxes.high[k] + 1e-9);
    return good;
}

// Counts the pairs within reach of atom i and all images of atoms [first, end).
static uint64_t pairs_within(const struct trj_frame *f, uint32_t i, uint32_t first, size_t end, double reach) {
    const double(*h)[3] = f->cell.h;
    double g[3][3];
    uint64_t pairs = 0;
    trj_cell_reciprocal(&f->cell, g);
    for (uint32_t j = first; j < end; j++) {
        double d[3];
        int low[3] = {0}, high[3] = {0}; // images enough for any pair, and one more
        for (int k = 0; k < 3; k++) d[k] = (double)f->x[k][j] - (double)f->x[k][i];
        for (int k = 0; k < 3; k++) {
            if (!(f->cell.periodic >> k & 1)) continue;
            double s = g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2];
            double range = reach * sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
            low[k] = (int)floor(-s - range) - 1;
            high[k] = (int)ceil(-s + range) + 1;
        }
        for (int x = low[0]; x <= high[0]; x++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int z = low[2]; z <= high[2]; z++) {
                    double r2 = 0;
                    for (int k = 0; k < 3; k++) {
                        double c = d[k] + x * h[0][k] + y * h[1][k] + z * h[2][k];
                        r2 += c * c;
                    }
                    pairs += r2 < reach * reach;
                }
    }
    return pairs;
}

// Counts the pairs within reach in all items of the plan, and by brute force: each must be in the plan once.
static void check_plan(const char *name, const struct trj_frame *f, const struct tile_set *a, const struct tile_set *b,
                       double reach) {
    ok(in_boxes(a, f) && in_boxes(b, f), "%s: atoms lie in their boxes, of all levels", name);
    struct tile_plan p;
    struct tile_walk w;
    tile_plan_make(&p, &a->boxes, &b->boxes, &f->cell, reach);
    uint64_t found = 0, pairs_in_plan = 0, expected = 0;
    uint32_t some = f->atoms > 1000 ? 13 : 1; // only pairs whose lower atom is one of these are counted
    double shift[3];
    bool positions = true, ascending = true;
    static double at_a[ATOMS][3], at_b[ATOMS][3];
    for (size_t i = 0; i < a->atoms; i++) position(a, f, i, at_a[i]);
    for (size_t j = 0; j < b->atoms; j++) position(b, f, j, at_b[j]);
    for (size_t row = 0; row < a->tiles; row++) {
        size_t last = 0;
        for (tile_walk_start(&w, &p, row); tile_walk_next(&w);) {
            const struct tile_item *t = &w.item;
            ascending &= t->column >= last && t->row == row;
            last = t->column;
            for (int k = 0; k < 3; k++) {
                shift[k] = 0;
                for (int m = 0; m < 3; m++) shift[k] += t->image[m] * f->cell.h[m][k];
                positions &= fabs(shift[k] - t->shift[k]) < 1e-9;
            }
            for (size_t i = row * TILE_WIDTH; i < row * TILE_WIDTH + tile_count(a, row); i++)
                for (size_t j = t->column * TILE_WIDTH; j < t->column * TILE_WIDTH + tile_count(b, t->column); j++) {
                    if (a == b && t->column == row && j <= i) continue;
                    double r2 = 0;
                    for (int k = 0; k < 3; k++) {
                        double d = at_b[j][k] + shift[k] - at_a[i][k];
                        r2 += d * d;
                    }
                    uint32_t min = a->atom[i] < b->atom[j] ? a->atom[i] : b->atom[j];
                    pairs_in_plan++;
                    found += r2 < reach * reach && min % some == 0;
                }
        }
    }
    for (uint32_t i = 0; i < a->atoms; i += some)
        expected += pairs_within(f, i, a == b ? i + 1 : (uint32_t)a->atoms, f->atoms, reach);
    ok(positions && ascending, "%s: shifts are those of the images, columns ascend", name);
    ok(found == expected && expected > 0, "%s: %llu pairs within reach, %llu in the plan, which contains %llu pairs",
       name, (unsigned long long)expected, (unsigned long long)found, (unsigned long long)pairs_in_plan);
}

static void check_frame(const char *name, const struct trj_frame *f, const uint32_t *atoms, struct tile_set sets[2],
                        bool self, double reach, bool want_kept) {
    size_t n = self ? f->atoms : f->atoms * 4 / 7;
    bool kept = build(&sets[0], f, atoms, n);
    if (!self) kept &= build(&sets[1], f, atoms + n, f->atoms - n);
    ok(kept == want_kept, "%s: the order is %s", name, want_kept ? "kept" : "made");
    check_plan(name, f, &sets[0], self ? &sets[0] : &sets[1], reach);
}

static void move(struct trj_frame *f, float by) {
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < f->atoms; i++) f->x[k][i] += random_in(-by, by);
}

static void test_plan(const char *name, const struct trj_cell *cell, double reach, size_t n, bool self) {
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    static uint32_t atoms[ATOMS];
    struct tile_set sets[2] = {{.atoms = 0}, {.atoms = 0}};
    trj_frame_resize(&f, n, &err);
    f.unit = 1;
    f.cell = *cell;
    for (uint32_t i = 0; i < n; i++) {
        atoms[i] = i;
        for (int k = 0; k < 3; k++) f.x[k][i] = random_in(-40, 40);
    }
    check_frame(name, &f, atoms, sets, self, reach, false);
    // Atoms move a little, some across the faces of the cell; some are moved by a lattice vector.
    move(&f, 0.02f);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i += 3)
            if (cell->periodic & TRJ_PERIODIC_B) f.x[k][i] += (float)cell->h[1][k];
    check_frame(name, &f, atoms, sets, self, reach, true);
    move(&f, 0.02f);
    check_frame(name, &f, atoms, sets, self, reach, true);
    move(&f, 30);
    check_frame(name, &f, atoms, sets, self, reach, false); // it was tried, and the tiles had grown
    check_frame(name, &f, atoms, sets, self, reach, false); // it is not tried after that
    check_frame(name, &f, atoms, sets, self, reach, true);
    for (int i = 0; i < 2; i++) tile_set_free(&sets[i]);
    trj_frame_free(&f);
}

// ---- blocks of a lattice and tiles of atoms

enum { SIDE = 12, BLOCK = 4, BLOCKS = SIDE / BLOCK, BLOCK_POINTS = BLOCK * BLOCK * BLOCK };

// Point `point` of block `block` of a lattice of SIDE points along each vector of the cell.
static void lattice_point(const struct trj_cell *cell, size_t block, size_t point, double x[3]) {
    const size_t first[3] = {block / BLOCKS / BLOCKS, block / BLOCKS % BLOCKS, block % BLOCKS};
    const size_t at[3] = {point / BLOCK / BLOCK, point / BLOCK % BLOCK, point % BLOCK};
    for (int k = 0; k < 3; k++) x[k] = 0;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) x[k] += (double)(first[m] * BLOCK + at[m]) / SIDE * cell->h[m][k];
}

// Boxes without atoms: one for each block.
static void build_lattice(struct tile_boxes *b, const struct trj_cell *cell) {
    struct trj_error err;
    if (tile_boxes_reserve(b, BLOCKS * BLOCKS * BLOCKS, &err)) exit(1);
    tile_axes_make(&b->axes, cell);
    for (size_t i = 0; i < b->count[0]; i++) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, centre[3], half[3];
        for (size_t p = 0; p < BLOCK_POINTS; p++) {
            double x[3];
            lattice_point(cell, i, p, x);
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], x[k]);
                high[k] = fmax(high[k], x[k]);
            }
        }
        for (int k = 0; k < 3; k++) {
            centre[k] = (low[k] + high[k]) / 2;
            half[k] = (high[k] - low[k]) / 2 + 1e-12;
        }
        tile_boxes_set(b, i, centre, half);
    }
    tile_boxes_finish(b);
}

static bool is_within(const double from[3], const double to[3], const double shift[3], double reach) {
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        double d = to[k] + shift[k] - from[k];
        r2 += d * d;
    }
    return r2 < reach * reach;
}

// Counts the pairs of a point and an atom within reach in an item.
static uint64_t count_in_item(const struct trj_frame *f, const struct tile_set *s, const struct tile_item *t,
                              bool blocks_are_rows, double reach) {
    size_t block = blocks_are_rows ? t->row : t->column, tile = blocks_are_rows ? t->column : t->row;
    uint64_t pairs = 0;
    for (size_t i = tile * TILE_WIDTH; i < tile * TILE_WIDTH + tile_count(s, tile); i++) {
        double atom[3], point[3];
        position(s, f, i, atom);
        for (size_t p = 0; p < BLOCK_POINTS; p++) {
            lattice_point(&f->cell, block, p, point);
            pairs +=
                blocks_are_rows ? is_within(point, atom, t->shift, reach) : is_within(atom, point, t->shift, reach);
        }
    }
    return pairs;
}

// Counts all pairs of a point and an image of an atom within reach. Images up to `max` along each periodic vector are
// sufficient.
static uint64_t count_all(const struct trj_frame *f, double reach, int max) {
    uint64_t pairs = 0;
    int last[3];
    for (int k = 0; k < 3; k++) last[k] = f->cell.periodic >> k & 1 ? max : 0;
    for (size_t b = 0; b < BLOCKS * BLOCKS * BLOCKS; b++)
        for (size_t p = 0; p < BLOCK_POINTS; p++) {
            double point[3];
            lattice_point(&f->cell, b, p, point);
            for (size_t i = 0; i < f->atoms; i++) {
                const double atom[3] = {(double)f->x[0][i], (double)f->x[1][i], (double)f->x[2][i]};
                for (int n[3] = {-last[0]}; n[0] <= last[0]; n[0]++)
                    for (n[1] = -last[1]; n[1] <= last[1]; n[1]++)
                        for (n[2] = -last[2]; n[2] <= last[2]; n[2]++) {
                            double shift[3];
                            for (int k = 0; k < 3; k++)
                                shift[k] = n[0] * f->cell.h[0][k] + n[1] * f->cell.h[1][k] + n[2] * f->cell.h[2][k];
                            pairs += is_within(point, atom, shift, reach);
                        }
            }
        }
    return pairs;
}

static void test_lattice(const char *name, const struct trj_cell *cell, double reach, size_t n, int max) {
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    static uint32_t atoms[ATOMS];
    struct tile_set set = {.atoms = 0};
    struct tile_boxes lattice = {.levels = 0};
    if (trj_frame_resize(&f, n, &err)) exit(1);
    f.unit = 1;
    f.cell = *cell;
    for (uint32_t i = 0; i < n; i++) {
        atoms[i] = i;
        for (int k = 0; k < 3; k++) f.x[k][i] = random_in(-15, 30); // in and near the cell
    }
    build(&set, &f, atoms, n);
    build_lattice(&lattice, cell);
    uint64_t expected = count_all(&f, reach, max);
    for (int blocks_are_rows = 0; blocks_are_rows < 2; blocks_are_rows++) {
        const struct tile_boxes *rows = blocks_are_rows ? &lattice : &set.boxes;
        const struct tile_boxes *columns = blocks_are_rows ? &set.boxes : &lattice;
        struct tile_plan p;
        struct tile_walk w;
        uint64_t found = 0, items = 0;
        tile_plan_make(&p, rows, columns, cell, reach);
        for (size_t row = 0; row < rows->count[0]; row++)
            for (tile_walk_start(&w, &p, row); tile_walk_next(&w); items++)
                found += count_in_item(&f, &set, &w.item, blocks_are_rows, reach);
        ok(found == expected && expected > 0,
           "%s: lattice blocks as %s: %llu pairs of a point and an atom, %llu in the plan of %llu items", name,
           blocks_are_rows ? "rows" : "columns", (unsigned long long)expected, (unsigned long long)found,
           (unsigned long long)items);
    }
    tile_boxes_free(&lattice);
    tile_set_free(&set);
    trj_frame_free(&f);
}

int main(void) {
    const struct trj_cell cube = {{{25, 0, 0}, {0, 25, 0}, {0, 0, 25}}, 7};
    const struct trj_cell skew = {{{20, 0, 0}, {12, 18, 0}, {-9, 7, 16}}, 7};
    const struct trj_cell slab = {{{20, 3, 0}, {-5, 22, 1}, {0, 0, 90}}, 3};
    const struct trj_cell wire = {{{0, 0, 0}, {1, 15, 2}, {0, 0, 0}}, 2};
    const struct trj_cell none = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0};
    test_hilbert();
    for (int self = 0; self < 2; self++) {
        test_plan("cube", &cube, 12.5, 400, self);
        test_plan("cube, short reach", &cube, 1, ATOMS, self);
        test_plan("cube, many images", &cube, 40, 130, self);
        test_plan("skew", &skew, 2, 2000, self);
        test_plan("slab", &slab, 11, 400, self);
        test_plan("wire", &wire, 30, 400, self);
        test_plan("no period", &none, 20, 400, self);
    }
    const struct trj_cell box = {{{18, 0, 0}, {0, 22, 0}, {0, 0, 15}}, 7};
    test_lattice("orthorhombic", &box, 3, 300, 4);
    test_lattice("orthorhombic, many images", &box, 25, 70, 5);
    test_lattice("triclinic", &skew, 4, 300, 5);
    test_lattice("triclinic, many images", &skew, 25, 70, 6);
    test_lattice("slab", &slab, 4, 200, 4);
    return done();
}
