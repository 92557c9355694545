// SPDX-License-Identifier: MIT
// Lists the wave vectors of each cell in shells, and keeps the list while the cell does not change.
#include "wave_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "wave_amplitude.h"

static const double two_pi = 0x1.921fb54442d18p2;

void wav_vectors_free(struct wav_vectors *v) {
    free(v->squares);
    free(v->rows);
    free(v->shell);
    free(v->length);
    *v = (struct wav_vectors){.rows = NULL};
}

int wav_vectors_open(struct wav_vectors *v, const struct rdf_wave_setup *s, struct trj_error *err) {
    v->shells = s->shells;
    if (s->hkl) v->shells.count = 1; // only qmin and qmax are used
    return (v->squares = rdf_bins_squares(&v->shells, err)) ? 0 : -1;
}

// Returns the squared length of a vector.
static double square(const double g[3][3], const int32_t n[3]) {
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        double g_c = two_pi * ((n[0] * g[0][c] + n[1] * g[1][c]) + n[2] * g[2][c]);
        sum = c ? sum + g_c * g_c : g_c * g_c;
    }
    return sum;
}

static int grow(struct wav_vectors *v, size_t more, struct trj_error *err) {
    if (more > WAV_MAX_VECTORS || v->count + more > WAV_MAX_VECTORS)
        return trj_fail(err, TRJ_USAGE, "--qmax: there are more than %d wave vectors; give a smaller --qmax",
                        WAV_MAX_VECTORS);
    return trj_grow(&v->rows, &v->row_capacity, v->row_count + 1, sizeof *v->rows, "wave vectors", err) ||
                   trj_grow(&v->shell, &v->shell_capacity, v->count + more, sizeof *v->shell, "wave vectors", err) ||
                   trj_grow(&v->length, &v->length_capacity, v->count + more, sizeof *v->length, "wave vectors", err)
               ? -1
               : 0;
}

static void note_max(int32_t max[3], int32_t h, int32_t k, int32_t l) {
    if (abs(h) > max[0]) max[0] = abs(h);
    if (abs(k) > max[1]) max[1] = abs(k);
    if (abs(l) > max[2]) max[2] = abs(l);
}

// Adds a row with the vectors l = low to high that are in a shell.
static int add_row(struct wav_vectors *v, int32_t h, int32_t k, int32_t low, int32_t high, struct trj_error *err) {
    struct wav_row row = {h, k, low, 0, v->count};
    if (high < low) return 0;
    if (grow(v, (size_t)(high - low) + 1, err)) return -1;
    for (int32_t l = low; l <= high; l++) {
        double r2 = square(v->g, (const int32_t[3]){h, k, l});
        uint64_t shell = rdf_bin_of(&v->shells, v->squares, r2);
        bool in = shell < v->shells.count;
        if (!in && !row.count) {
            row.l = l + 1;
            continue;
        }
        v->shell[row.first + row.count] = in ? (uint32_t)shell : WAV_NONE;
        v->length[row.first + row.count++] = sqrt(r2);
    }
    while (row.count && v->shell[row.first + row.count - 1] == WAV_NONE) row.count--;
    if (!row.count) return 0;
    v->rows[v->row_count++] = row;
    v->count += row.count;
    note_max(v->max, h, k, row.l);
    note_max(v->max, h, k, row.l + (int32_t)row.count - 1);
    return 0;
}

static double dot(const double x[3], const double y[3]) {
    return (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
}

// Finds the range of n for which |p + n g| <= reach.
static void find_range(const double p[3], const double g[3], double reach, int32_t *low, int32_t *high) {
    double pg = dot(p, g), gg = dot(g, g);
    // Rounding is far below one index; an index more at each end is tested.
    double half = sqrt(fmax(0, pg * pg - gg * (dot(p, p) - reach * reach))) / gg + 1;
    *low = (int32_t)ceil(-pg / gg - half);
    *high = (int32_t)floor(-pg / gg + half);
}

// Adds all rows with this h. `across` are g_0 and g_1 without their components along g_2, which give the range of k: in
// a sheared cell it is far smaller than that of all k.
static int add_rows(struct wav_vectors *v, int32_t h, const double across[2][3], struct trj_error *err) {
    double reach = v->shells.rmax / two_pi, p[3];
    int32_t first, last, low, high;
    for (int c = 0; c < 3; c++) p[c] = h * across[0][c];
    find_range(p, across[1], reach, &first, &last);
    for (int32_t k = h || first > 0 ? first : 0; k <= last; k++) {
        for (int c = 0; c < 3; c++) p[c] = h * v->g[0][c] + k * v->g[1][c];
        find_range(p, v->g[2], reach, &low, &high);
        if (add_row(v, h, k, !h && !k && low < 1 ? 1 : low, high, err)) return -1;
    }
    return 0;
}

static int find_all(struct wav_vectors *v, struct trj_error *err) {
    double max[3];
    for (int c = 0; c < 3; c++) {
        // |n_c| = |k . a_c| / 2 pi <= qmax |a_c| / 2 pi.
        const double *a = v->h[c];
        max[c] = v->shells.rmax / two_pi * sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (1 + 1e-12);
        if (!(max[c] < WAV_MAX_INDEX))
            return trj_fail(err, TRJ_USAGE, "--qmax: there are more than %d wave vectors; give a smaller --qmax",
                            WAV_MAX_VECTORS);
    }
    double across[2][3];
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++)
            across[i][c] = v->g[i][c] - dot(v->g[i], v->g[2]) / dot(v->g[2], v->g[2]) * v->g[2][c];
    for (int32_t h = 0; h <= (int32_t)max[0]; h++)
        if (add_rows(v, h, across, err)) return -1;
    return 0;
}

static int find_single(struct wav_vectors *v, const struct rdf_wave_setup *s, struct trj_error *err) {
    size_t n = (size_t)s->shells.count;
    for (size_t i = 0; i < n; i++) {
        const int32_t *hkl = s->hkl[i];
        if (grow(v, 1, err)) return -1;
        struct wav_row *row = v->rows + v->row_count;
        bool joins =
            v->row_count && row[-1].h == hkl[0] && row[-1].k == hkl[1] && row[-1].l + (int64_t)row[-1].count == hkl[2];
        if (joins)
            row[-1].count++;
        else
            v->rows[v->row_count++] = (struct wav_row){hkl[0], hkl[1], hkl[2], 1, v->count};
        v->shell[v->count] = (uint32_t)i;
        v->length[v->count++] = sqrt(square(v->g, hkl));
        note_max(v->max, hkl[0], hkl[1], hkl[2]);
    }
    return 0;
}

static bool is_last_cell(const struct wav_vectors *v, const struct trj_cell *cell) {
    bool same = v->row_count > 0;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) same = same && v->h[i][c] == cell->h[i][c];
    return same;
}

int wav_vectors_find(struct wav_vectors *v, const struct rdf_wave_setup *s, const struct trj_cell *cell,
                     struct trj_error *err) {
    if (!(trj_cell_volume(cell) > 0) || cell->periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "a frame is not periodic in all directions, and has no reciprocal lattice; give its cell "
                        "(trjcat --cell), or use rdfhist and rdfderive -q sq");
    if (is_last_cell(v, cell)) return 0;
    memcpy(v->h, cell->h, sizeof v->h);
    trj_cell_reciprocal(cell, v->g);
    v->row_count = v->count = 0;
    memset(v->max, 0, sizeof v->max);
    return s->hkl ? find_single(v, s, err) : find_all(v, err);
}

int wav_vectors_list(int32_t (**hkl)[3], size_t *count, const struct rdf_bins *shells, const struct trj_cell *cell,
                     struct trj_error *err) {
    const struct rdf_wave_setup all = {.shells = {shells->rmin, shells->rmax, .count = 1}};
    struct wav_vectors v = {.rows = NULL};
    size_t n = 0;
    int rc = wav_vectors_open(&v, &all, err) || wav_vectors_find(&v, &all, cell, err) ? -1 : 0;
    if (!rc && !(*hkl = trj_alloc(v.count, sizeof **hkl, "wave vectors", err))) rc = -1;
    for (size_t i = 0; !rc && i < v.row_count; i++)
        for (uint32_t j = 0; j < v.rows[i].count; j++) {
            if (v.shell[v.rows[i].first + j] == WAV_NONE) continue;
            int32_t *to = (*hkl)[n++];
            to[0] = v.rows[i].h;
            to[1] = v.rows[i].k;
            to[2] = v.rows[i].l + (int32_t)j;
        }
    *count = n;
    wav_vectors_free(&v);
    return rc;
}
