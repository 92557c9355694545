// SPDX-License-Identifier: MIT
// Finds sites of a crystal at one place, as in files that list all atoms of the cell and symmetry operations as well.
// Atoms are looked up in a grid, because crystals can have many. Its cells are small and in a hash table, because all
// atoms can be in a small part of the crystal's cell.
#include "cif_places.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "element.h"
#include "memory.h"

// Limits of the sum of occupancies at one place. Occupancies are rounded to two digits, so that a sum up to
// MORE_THAN_ONE is taken as 1. If it is TWO or more, a site is listed twice.
static const double MORE_THAN_ONE = 1.02, TWO = 1.98;

struct places {
    double cells[3];  // grid cells in each direction
    double reach[3];  // TRJ_CRYSTAL_SAME_PLACE in fractions
    int bits;         // of hashes of grid cells
    uint32_t *first;  // [1 << bits] the first atom + 1 whose grid cell has this hash; 0: there is none
    uint32_t *next;   // [atoms] the next atom + 1 with the same hash
    double *occupied; // [atoms] the sum of the occupancies at the place of an atom
};

double trj_crystal_distance(const struct trj_crystal *k, const double a[3], const double b[3]) {
    double x[3] = {0};
    for (int m = 0; m < 3; m++) {
        double d = a[m] - b[m];
        d -= nearbyint(d);
        for (int j = 0; j < 3; j++) x[j] += d * k->cell.h[m][j];
    }
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

unsigned trj_crystal_element(const struct trj_crystal_site *s) {
    const char *text = *s->symbol ? s->symbol : s->label;
    size_t n = 0;
    while (isalpha((unsigned char)text[n])) n++;
    if (n == 1 && (*text == 'D' || *text == 'd')) return 1;
    for (size_t k = n < 2 ? n : 2; k; k--) {
        unsigned z = trj_element_find(text, k);
        if (z) return z;
    }
    return 0;
}

static int make_grid(struct places *g, const struct trj_crystal *k, struct trj_error *err) {
    for (int m = 0; m < 3; m++) {
        const double height = trj_cell_height(&k->cell, m);
        // Grid cells are more than twice the reach, so that at most two in each direction are within reach of a place.
        g->cells[m] = fmin(fmax(floor(height / (3 * TRJ_CRYSTAL_SAME_PLACE)), 1), 1 << 20);
        g->reach[m] = g->cells[m] > 1 ? TRJ_CRYSTAL_SAME_PLACE / height : 0;
    }
    for (g->bits = 1; (size_t)1 << g->bits < k->atoms;) g->bits++;
    g->first = trj_alloc((size_t)1 << g->bits, sizeof *g->first, "a grid", err);
    g->next = trj_alloc(k->atoms, sizeof *g->next, "atoms", err);
    g->occupied = trj_alloc(k->atoms, sizeof *g->occupied, "atoms", err);
    return g->first && g->next && g->occupied ? 0 : -1;
}

// The grid cell, in a direction, of a fractional coordinate.
static uint64_t grid_cell(double fraction, double cells) {
    return (uint64_t)fmin((fraction - floor(fraction)) * cells, cells - 1);
}

static uint32_t *first_of(const struct places *g, const uint64_t cell[3]) {
    return &g->first[((cell[0] << 40 | cell[1] << 20 | cell[2]) * 0x9e3779b97f4a7c15) >> (64 - g->bits)];
}

static void insert(struct places *g, const struct trj_crystal *k, size_t i) {
    uint64_t cell[3];
    for (int m = 0; m < 3; m++) cell[m] = grid_cell(k->fraction[i][m], g->cells[m]);
    uint32_t *first = first_of(g, cell);
    g->next[i] = *first;
    *first = (uint32_t)i + 1;
}

// Returns an earlier atom + 1 at the place of atom i; 0: there is none.
static uint32_t find(const struct places *g, const struct trj_crystal *k, size_t i) {
    const double *f = k->fraction[i];
    uint64_t side[2][3];
    for (int m = 0; m < 3; m++) {
        side[0][m] = grid_cell(f[m] - g->reach[m], g->cells[m]);
        side[1][m] = grid_cell(f[m] + g->reach[m], g->cells[m]);
    }
    for (int corner = 0; corner < 8; corner++) {
        uint64_t cell[3];
        bool known = false; // the cell is also that of an earlier corner
        for (int m = 0; m < 3; m++) {
            const int upper = corner >> m & 1;
            cell[m] = side[upper][m];
            known = known || (upper && side[0][m] == side[1][m]);
        }
        for (uint32_t j = known ? 0 : *first_of(g, cell); j; j = g->next[j - 1])
            if (trj_crystal_distance(k, f, k->fraction[j - 1]) < TRJ_CRYSTAL_SAME_PLACE) return j;
    }
    return 0;
}

static int fail_twice(const struct trj_crystal *k, uint32_t first, uint32_t second, double sum, struct trj_error *err) {
    const struct trj_crystal_site *a = &k->site[first], *b = &k->site[second];
    const bool same = trj_crystal_element(a) == trj_crystal_element(b);
    const bool percent = fmax(a->occupancy, b->occupancy) > TWO;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the sites %s and %s are at one place, where the occupancies add up to %.3g; %s%s", a->label,
                    b->label, sum,
                    percent ? "occupancies must be from 0 to 1"
                    : same  ? "remove one of them"
                            : "give their occupancies (_atom_site_occupancy)",
                    percent || k->operations < 2 ? ""
                                                 : " or, if all atoms of the cell are listed, replace the operations "
                                                   "by x,y,z and the space group by P 1");
}

int trj_crystal_check_places(struct trj_crystal *k, struct trj_error *err) {
    struct places g = {.first = NULL};
    int rc = make_grid(&g, k, err);
    for (size_t i = 0; i < k->atoms && !rc; i++) {
        const double occupancy = k->site[k->of[i]].occupancy, added = isnan(occupancy) ? 1 : occupancy;
        const uint32_t found = find(&g, k, i);
        if (!found) {
            g.occupied[i] = added;
            insert(&g, k, i);
            continue;
        }
        const double sum = g.occupied[found - 1] += added;
        const uint32_t x = k->of[found - 1], y = k->of[i], first = x < y ? x : y, second = x < y ? y : x;
        if (sum >= TWO) rc = fail_twice(k, first, second, sum, err);
        if (sum <= MORE_THAN_ONE || sum <= k->occupied) continue;
        k->occupied = sum;
        k->occupied_sites[0] = first;
        k->occupied_sites[1] = second;
    }
    free(g.first);
    free(g.next);
    free(g.occupied);
    return rc;
}
