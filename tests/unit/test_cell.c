// SPDX-License-Identifier: MIT
#include "cell.h"

#include "frame.h"
#include "tap.h"

static struct trj_error err;

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static struct trj_cell made(double a, double b, double c, double alpha, double beta, double gamma) {
    struct trj_cell cell;
    const double length[3] = {a, b, c}, cosine[3] = {trj_cosine(alpha), trj_cosine(beta), trj_cosine(gamma)};
    if (trj_cell_set(&cell, length, cosine, &err)) printf("# %s\n", err.text);
    return cell;
}

static int rejects(const double length[3], const double cosine[3]) {
    struct trj_cell cell;
    err.status = TRJ_OK;
    return trj_cell_set(&cell, length, cosine, &err) == -1 && err.status == TRJ_BAD_DATA;
}

// Checks that g[k] . h[l] is 1 for k = l and 0 otherwise, for periodic vectors, and that each g[k] is in their span.
static void check_dual(const struct trj_cell *cell, const char *name) {
    double g[3][3];
    bool good = true;
    trj_cell_reciprocal(cell, g);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            double s = 0;
            for (int j = 0; j < 3; j++) s += g[k][j] * cell->h[l][j];
            bool pk = cell->periodic >> k & 1, pl = cell->periodic >> l & 1;
            if (!pk) good = good && g[k][0] == 0 && g[k][1] == 0 && g[k][2] == 0;
            if (pk && pl) good = good && fabs(s - (k == l)) < 1e-12;
        }
    ok(good, "%s: reciprocal vectors are dual to the periodic ones, the others zero", name);
}

int main(void) {
    ok(trj_cosine(90) == 0 && near(trj_cosine(60), 0.5) && near(trj_cosine(180), -1), "cosines of 90, 60, 180 degrees");

    struct trj_cell c = made(3, 4, 5, 90, 90, 90);
    ok(c.h[0][0] == 3 && c.h[1][1] == 4 && c.h[2][2] == 5 && c.h[1][0] == 0 && c.h[2][0] == 0 && c.h[2][1] == 0 &&
           c.h[0][1] == 0 && c.h[0][2] == 0 && c.h[1][2] == 0,
       "an orthorhombic cell is exactly diagonal");
    ok(c.periodic == TRJ_PERIODIC_ALL && trj_cell_volume(&c) == 60, "orthorhombic cell: periodic, with a volume of 60");
    ok(trj_cell_height(&c, 0) == 3 && trj_cell_height(&c, 1) == 4 && trj_cell_height(&c, 2) == 5 &&
           trj_cell_min_width(&c) == 3,
       "orthorhombic cell: its heights are its lengths");
    check_dual(&c, "orthorhombic");

    // Truncated octahedron: volume 4/9 sqrt(3) a^3, all heights sqrt(6)/3 a.
    const double a = 62, third = acos(1 / 3.0) * 180 / acos(-1.0);
    c = made(a, a, a, third, 180 - third, third);
    ok(near(trj_cell_volume(&c), 4 * sqrt(3) / 9 * a * a * a), "volume of a truncated octahedron");
    ok(near(trj_cell_min_width(&c), sqrt(6) / 3 * a) && near(trj_cell_height(&c, 0), sqrt(6) / 3 * a) &&
           near(trj_cell_height(&c, 1), sqrt(6) / 3 * a) && near(trj_cell_height(&c, 2), sqrt(6) / 3 * a),
       "heights of a truncated octahedron");
    check_dual(&c, "truncated octahedron");

    // Lengths and angles of a triclinic cell are recovered.
    c = made(10, 12, 17, 70, 80, 105);
    double l[3], d[3];
    for (int k = 0; k < 3; k++) {
        const double *p = c.h[(k + 1) % 3], *q = c.h[(k + 2) % 3], *v = c.h[k];
        l[k] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        d[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    ok(near(l[0], 10) && near(l[1], 12) && near(l[2], 17), "lengths of a triclinic cell");
    ok(near(d[0], 12 * 17 * trj_cosine(70)) && near(d[1], 10 * 17 * trj_cosine(80)) &&
           near(d[2], 120 * trj_cosine(105)),
       "angles of a triclinic cell");
    ok(c.h[0][1] == 0 && c.h[0][2] == 0 && c.h[1][2] == 0 && c.h[1][1] > 0 && c.h[2][2] > 0,
       "a along x, b in the xy plane");
    check_dual(&c, "triclinic");
    double volume = trj_cell_volume(&c), g[3][3], widths[3];
    trj_cell_reciprocal(&c, g);
    for (int k = 0; k < 3; k++) {
        double size = sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
        widths[k] = trj_cell_height(&c, k);
        ok(near(1 / size, widths[k]), "height %d is the spacing of its planes", k);
    }
    ok(near(trj_cell_min_width(&c), fmin(fmin(widths[0], widths[1]), widths[2])),
       "the smallest height is the minimum width");

    // Text of users.
    struct trj_cell parsed;
    ok(!trj_cell_parse(&parsed, "10,12,17,70,80,105", &err) && !memcmp(&parsed, &c, sizeof c),
       "six numbers: lengths and angles");
    ok(!trj_cell_parse(&parsed, "20,30,40", &err) && parsed.h[1][1] == 30 && parsed.h[1][0] == 0 &&
           parsed.periodic == 7,
       "three numbers: right angles");
    static const char *const wrong[] = {"",      "1,2",           "1,2,3,",  "1,2,3,4", "1,2,3,90,90,90,90",
                                        "1,2,x", "1,2,3,90,90,0", "1,2,nan", "1,2,-3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(trj_cell_parse(&parsed, wrong[i], &err) == -1 && err.status == TRJ_USAGE, "%s", err.text);

    // Fewer periodic directions: widths of an area and of a line.
    for (unsigned periodic = 1; periodic < 7; periodic++) {
        struct trj_cell part = c;
        ok(trj_cell_restrict(&part, periodic, &err) == 0 && part.periodic == periodic, "restricted to %u", periodic);
        char name[32];
        snprintf(name, sizeof name, "periodic %u", periodic);
        check_dual(&part, name);
        ok(near(trj_cell_volume(&part), volume), "volume: unchanged");
    }
    // Two vectors that are almost parallel, and not in a plane of two axes.
    const struct trj_cell thin = {{{-9.3606203209445908, 18.379963340915786, -8.1029504786562878},
                                   {0, 0, 0},
                                   {4.0949830162530159, -8.0794736530443672, 3.524137346401448}},
                                  TRJ_PERIODIC_A | TRJ_PERIODIC_C};
    check_dual(&thin, "a slab at 0.27 degrees");
    struct trj_cell slab = c, wire = c, none = c;
    trj_cell_restrict(&slab, TRJ_PERIODIC_A | TRJ_PERIODIC_B, &err);
    ok(near(trj_cell_min_width(&slab), 10 * sin(acos(trj_cosine(105)))),
       "the width of a slab is that of its parallelogram");
    trj_cell_restrict(&wire, TRJ_PERIODIC_C, &err);
    ok(near(trj_cell_min_width(&wire), 17), "the width of a wire is its period");
    trj_cell_restrict(&none, 0, &err);
    ok(trj_cell_min_width(&none) == INFINITY && none.periodic == 0, "no periodic direction: infinite width");

    // Missing cells, and cells with missing vectors.
    c = made(0, 0, 0, 0, 0, 0);
    ok(c.periodic == 0 && trj_cell_volume(&c) == 0, "six zeros, angles in degrees: no cell");
    c = made(0, 0, 0, 90, 90, 90);
    ok(c.periodic == 0 && trj_cell_restrict(&c, 7, &err) == 0 && c.periodic == 0,
       "three zeros and right angles: no cell");
    c = made(20, 30, 0, 90, 90, 90);
    ok(c.periodic == 7 && c.h[0][0] == 20 && c.h[1][1] == 30 && c.h[2][2] == 0 && trj_cell_volume(&c) == 0 &&
           trj_cell_height(&c, 2) == 0,
       "zero length: its row is unknown");
    struct trj_cell open_c = c;
    ok(trj_cell_restrict(&c, 7, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "cell vector c is zero"),
       "rejected as a period: %s", err.text);
    ok(trj_cell_restrict(&open_c, 3, &err) == 0 && trj_cell_min_width(&open_c) == 20,
       "zero length in a non-periodic direction: accepted");

    const double one[3] = {10, 10, 10}, right[3] = {0, 0, 0};
    ok(rejects((double[3]){10, -10, 10}, right), "a negative length: %s", err.text);
    ok(rejects((double[3]){10, NAN, 10}, right), "length NaN: %s", err.text);
    ok(rejects((double[3]){10, 10, INFINITY}, right), "an infinite length: %s", err.text);
    ok(rejects(one, (double[3]){0, 1.5, 0}), "a cosine over 1: %s", err.text);
    ok(rejects(one, (double[3]){NAN, 0, 0}), "cosine NaN: %s", err.text);
    ok(rejects(one, (double[3]){-0.5, -0.5, -0.5}), "three angles of 120 degrees: %s", err.text);
    ok(rejects(one, (double[3]){0, 0, 1}), "gamma of 0 degrees: %s", err.text);
    ok(rejects(one, (double[3]){-0.9, 0.9, 0.9}), "impossible angles: %s", err.text);
    struct trj_cell flat = {.h = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, .periodic = 7};
    ok(trj_cell_restrict(&flat, 7, &err) == -1 && err.status == TRJ_BAD_DATA, "vectors in a plane: %s", err.text);
    flat = (struct trj_cell){.h = {{1, 0, 0}, {0, 1, 0}, {3, 0, 0}}, .periodic = 5};
    ok(trj_cell_restrict(&flat, 7, &err) == -1 && err.status == TRJ_BAD_DATA, "vectors in a line: %s", err.text);
    flat.h[0][1] = NAN;
    ok(trj_cell_restrict(&flat, 7, &err) == -1 && err.status == TRJ_BAD_DATA, "vectors of NaN: %s", err.text);
    ok(trj_cell_restrict(&flat, TRJ_PERIODIC_C, &err) == 0, "NaN in non-periodic vectors: accepted");

    struct trj_frame f = {0};
    bool good = true;
    for (size_t n = 0; n < 200; n += 7) {
        good = good && trj_frame_resize(&f, n, &err) == 0 && f.atoms == n && f.capacity >= n &&
               f.x[1] == f.x[0] + f.capacity && f.x[2] == f.x[1] + f.capacity && (uintptr_t)f.x[0] % 64 == 0;
        for (size_t i = 0; i < n; i++) f.x[0][i] = f.x[1][i] = f.x[2][i] = 1e38f;
    }
    ok(good && trj_frame_check(&f, NULL, &err) == 0, "frames of 0 to 196 atoms");
    f.x[2][41] = -INFINITY;
    f.x[0][97] = NAN;
    ok(trj_frame_check(&f, NULL, &err) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, "z of atom 41"), "%s",
       err.text);
    f.x[2][41] = 0;
    ok(trj_frame_check(&f, NULL, &err) == -1 && has_text(err.text, "x of atom 97"), "%s", err.text);
    f.farthest = 0;
    trj_frame_measure(&f, (const float[]){0, 0}, 2);
    ok(f.farthest == 0, "a part of coordinates that are 0");
    trj_frame_measure(&f, (const float[]){1, -7, 3}, 3);
    trj_frame_measure(&f, (const float[]){-2}, 1);
    ok(f.farthest == 7, "parts: the largest magnitude of all of them");
    trj_frame_measure(&f, (const float[]){INFINITY}, 1);
    ok(isinf(f.farthest), "a part with an infinite coordinate");
    trj_frame_measure(&f, (const float[]){1, NAN}, 2);
    trj_frame_measure(&f, (const float[]){INFINITY}, 1);
    ok(isnan(f.farthest), "a part that is not a number is remembered");
    trj_frame_free(&f);
    trj_frame_free(&f);
    ok(trj_frame_resize(&f, SIZE_MAX / 4, &err) == -1 && err.status == TRJ_FAILED && !f.x[0], "%s", err.text);
    return done();
}
