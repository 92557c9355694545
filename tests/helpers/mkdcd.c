// SPDX-License-Identifier: MIT
// Writes DCD files of every dialect for the tests: `mkdcd --atoms 1000 --cell 30,30,30,60,60,90 --endian be > x.dcd`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "memory.h"
#include "output.h"
#include "points.h"
#include "tool.h"

static uint64_t atoms = 100, frames = 1, seed = 1, marker = 4, fixed = 0, charmm = 24;
static const char *cell_text = "30,30,30", *form = "cos", *endian = "le", *kind = "random";
static double breathe = 0;
static bool four;

static const struct trj_choice forms[] = {{"cos", "lengths and cosines"},
                                          {"deg", "lengths and degrees"},
                                          {"shape", "symmetric matrix"},
                                          {"none", "no cell records"},
                                          {0}};
static const struct trj_choice endians[] = {{"le", "little"}, {"be", "big"}, {0}};
static const struct trj_choice kinds[] = {{"random", "uniform, new in every frame"}, {"lattice", "simple grid"}, {0}};
static const struct trj_option options[] = {
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "atoms"), .min = 1, .max = 1 << 28},
    {TRJ_OPTION(0, "frames", COUNT, &frames, "F", "frames"), .max = 1 << 28},
    {TRJ_OPTION(0, "seed", COUNT, &seed, "S", "seed of the random points"), .max = UINT64_MAX},
    {TRJ_OPTION(0, "cell", TEXT, &cell_text, "A,B,C[,AL,BE,GA]", "cell in Å and degrees")},
    {TRJ_OPTION(0, "cellform", CHOICE, &form, "FORM", "cell form"), .choices = forms},
    {TRJ_OPTION(0, "endian", CHOICE, &endian, "END", "byte order"), .choices = endians},
    {TRJ_OPTION(0, "marker", COUNT, &marker, "M", "bytes of a record marker"), .min = 4, .max = 8},
    {TRJ_OPTION(0, "fixed", COUNT, &fixed, "K", "fixed atoms"), .max = 1 << 28},
    {TRJ_OPTION(0, "4d", FLAG, &four, NULL, "write a fourth dimension")},
    {TRJ_OPTION(0, "charmm", COUNT, &charmm, "V", "version; 0: X-PLOR; 36 with a shape"), .max = 10000},
    {TRJ_OPTION(0, "kind", CHOICE, &kind, "KIND", "points"), .choices = kinds},
    {TRJ_OPTION(0, "breathe", REAL, &breathe, "E", "scale frame f by 1 + E sin f")},
    TRJ_OPTION_END};
static const struct trj_tool tool = {
    .name = "mkdcd", .purpose = "write a DCD file for tests", .operands = "", .options = options};

// "A,B,C" or "A,B,C,ALPHA,BETA,GAMMA": Å and degrees
static bool parse_cell(const char *text, double length[3], double degrees[3]) {
    double v[6] = {0, 0, 0, 90, 90, 90};
    int n = 0;
    for (const char *p = text; n < 6; p++) {
        char *after;
        v[n++] = strtod(p, &after);
        if (after == p || (*after && *after != ',')) return false;
        p = after;
        if (!*p) break;
    }
    memcpy(length, v, 3 * sizeof *v);
    memcpy(degrees, v + 3, 3 * sizeof *v);
    return n == 3 || n == 6;
}

static struct trj_output *out;

static void put(unsigned char *to, uint64_t v, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[*endian == 'l' ? i : bytes - 1 - i] = (unsigned char)(v >> 8 * i);
}

static void put_float(unsigned char *to, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(to, bits, 4);
}

static void put_double(unsigned char *to, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(to, bits, 8);
}

static int record(const unsigned char *data, size_t n, struct trj_error *err) {
    unsigned char mark[8];
    put(mark, n, marker);
    return trj_output_write(out, mark, marker, err) || trj_output_write(out, data, n, err) ||
           trj_output_write(out, mark, marker, err);
}

static void invert(double m[3][3], double inverse[3][3]) {
    struct trj_cell c = {.periodic = TRJ_PERIODIC_ALL};
    memcpy(c.h, m, sizeof c.h);
    double g[3][3]; // rows of the reciprocal matrix are columns of the inverse
    trj_cell_reciprocal(&c, g);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i][j] = g[j][i];
}

// Replaces h by the square root of h h^T, which is the same lattice rotated so that the matrix is symmetric (E. Denman,
// A. Beavers, Appl. Math. Comput. 2, 63, 1976).
static void symmetric(double h[3][3]) {
    double y[3][3] = {{0}}, z[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, iy[3][3], iz[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) y[i][j] += h[i][k] * h[j][k];
    for (int n = 0; n < 40; n++) {
        invert(y, iy);
        invert(z, iz);
        for (int i = 0; i < 9; i++) {
            y[i / 3][i % 3] = (y[i / 3][i % 3] + iz[i / 3][i % 3]) / 2;
            z[i / 3][i % 3] = (z[i / 3][i % 3] + iy[i / 3][i % 3]) / 2;
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) h[i][j] = (y[i][j] + y[j][i]) / 2;
}

static int header(struct trj_error *err) {
    unsigned char h[84] = "CORD", title[84] = {0}, n[4];
    put(h + 4, frames, 4);
    put(h + 8, 10, 4); // first step, and steps between frames
    put(h + 12, 10, 4);
    put(h + 16, 10 * frames, 4);
    put(h + 36, fixed, 4);
    if (charmm) {
        put_float(h + 40, (float)(0.002 / 0.04888821290839616));
        put(h + 44, *form != 'n', 4);
        put(h + 48, four, 4);
        put(h + 80, charmm, 4);
    } else {
        put_double(h + 40, 0.002 / 0.04888821290839616);
    }
    put(title, 1, 4);
    memcpy(title + 4, "* MKDCD", 7);
    put(n, atoms, 4);
    return record(h, sizeof h, err) || record(title, sizeof title, err) || record(n, sizeof n, err);
}

static int write_cell(const struct trj_cell *cell, const double length[3], const double degrees[3], double scale,
                      struct trj_error *err) {
    static const int row[6] = {0, 1, 1, 2, 2, 2}, column[6] = {0, 0, 1, 0, 1, 2}; // of the shape matrix
    static const int place[6] = {0, 2, 1, 1, 0, 2};                               // A, gamma, B, beta, alpha, C
    unsigned char raw[48];
    for (int k = 0; k < 6; k++) {
        double angle = *form == 'd' ? degrees[place[k]] : trj_cosine(degrees[place[k]]);
        double v = k == 0 || k == 2 || k == 5 ? length[place[k]] * scale : angle;
        put_double(raw + 8 * k, *form == 's' ? cell->h[row[k]][column[k]] : v);
    }
    return record(raw, sizeof raw, err);
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_cell cell;
    int first, status = 1;
    double length[3], degrees[3], cosine[3];
    float *x = NULL;
    unsigned char *raw = NULL;
    trj_tool_start(&tool);
    int go = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (go <= 0) return go ? trj_tool_fail(&err) : 0;
    if (charmm == 24 && *form == 's') charmm = 36;
    if (!parse_cell(cell_text, length, degrees) || fixed >= atoms || (marker != 4 && marker != 8) ||
        (!charmm && (four || *form != 'n'))) {
        trj_fail(&err, TRJ_USAGE, "options that exclude each other, or an invalid --cell");
        goto out;
    }
    for (int k = 0; k < 3; k++) cosine[k] = trj_cosine(degrees[k]);
    x = trj_alloc(atoms, 3 * sizeof *x, "points", &err);
    raw = trj_alloc(atoms, 4, "a record", &err);
    if (!x || !raw || trj_output_open(&out, NULL, TRJ_OUTPUT_BINARY, &err) || header(&err)) goto out;
    float *const rows[3] = {x, x + atoms, x + 2 * atoms};
    // Fixed atoms are distributed evenly over the atom numbers.
    uint64_t edge = (uint64_t)ceil(cbrt((double)atoms) - 1e-9), n = 0;
    for (uint64_t i = 0; i < atoms; i++)
        if (i * fixed / atoms == (i + 1) * fixed / atoms) put(raw + 4 * n++, i + 1, 4);
    if (fixed && record(raw, 4 * n, &err)) goto out;
    for (uint64_t f = 0; f < frames; f++) {
        double scale = 1 + breathe * sin((double)f), scaled[3];
        for (int k = 0; k < 3; k++) scaled[k] = scale * length[k];
        if (trj_cell_set(&cell, scaled, cosine, &err)) goto out;
        if (*form == 's') symmetric(cell.h);
        if (*form != 'n' && write_cell(&cell, length, degrees, scale, &err)) goto out;
        n = 0;
        for (uint64_t i = 0; i < atoms; i++) {
            double s[3] = {(double)(i / (edge * edge)), (double)(i / edge % edge), (double)(i % edge)};
            if (f && i * fixed / atoms != (i + 1) * fixed / atoms) continue;
            for (int k = 0; k < 3; k++) s[k] = *kind == 'l' ? s[k] / (double)edge : points_uniform(&seed);
            points_put(rows, n++, s, &cell);
        }
        for (uint64_t k = 0; k < 3 + (uint64_t)four; k++) {
            for (uint64_t i = 0; i < n; i++) put_float(raw + 4 * i, k < 3 ? x[k * atoms + i] : -1);
            if (record(raw, 4 * n, &err)) goto out;
        }
    }
    status = trj_output_commit(out, &err) ? 1 : 0;
out:
    if (status) status = trj_tool_fail(&err);
    trj_output_close(out);
    free(raw);
    free(x);
    return status;
}
