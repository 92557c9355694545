// SPDX-License-Identifier: MIT
// Surfaces: the table of cells, closed and oriented meshes of any values, and known areas, volumes and topologies.
#include <stdint.h>

#include "classify.h"
#include "colour_scale.h"
#include "series_name.h"
#include "surface.h"
#include "surface_arithmetic.h"
#include "surface_map.h"
#include "surface_table.h"
#include "tap.h"

enum { SIDE = 52, ROOM = SIDE * SIDE * SIDE };

static struct trj_error err;
static struct trj_map map;
static float f32[ROOM];
static double f64[ROOM];
static int64_t quanta[ROOM];
static struct surf_mesh mesh;
static struct surf_summary found;
static bool only_mesh;
static const double cubic[3][3] = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
static const double skew[3][3] = {{0.5, 0.02, 0}, {0.11, 0.45, 0.03}, {-0.07, 0.12, 0.48}};
static const double mirrored[3][3] = {{0.5, 0, 0}, {0, 0, 0.5}, {0, 0.5, 0}};

static void set_lattice(size_t a, size_t b, size_t c, const double step[3][3], unsigned periodic) {
    map = (struct trj_map){.lattice = {.n = {a, b, c}, .origin = {1, -2, 3}, .periodic = periodic},
                           .kind = TRJ_MAP_FLOAT64,
                           .components = 1};
    memcpy(map.lattice.step, step, sizeof map.lattice.step);
}

// Uniform numbers in [0, 1), equal in each run.
static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216;
}

static int build_values(const void *values, const void *colours, double level, bool close) {
    struct surf_setup setup = {.map = &map,
                               .colour = colours ? &map : NULL,
                               .colour_weight = 1,
                               .level = level,
                               .close = close,
                               .mesh = &mesh,
                               .only_mesh = only_mesh};
    struct surf_builder *b = NULL;
    free(found.components);
    found.components = NULL;
    surf_mesh_clear(&mesh);
    size_t size = trj_map_plane_size(&map);
    int rc = surf_builder_open(&b, &setup, &err);
    for (uint64_t k = 0; !rc && k < map.lattice.n[2]; k++)
        rc = surf_builder_add(b, (const char *)values + k * size, colours ? (const char *)colours + k * size : NULL,
                              &err);
    if (!rc) rc = surf_builder_finish(b, &found, &err);
    surf_builder_close(b);
    if (rc) printf("# %s\n", err.text);
    return rc;
}

static int build(double level, bool close) {
    return build_values(f64, NULL, level, close);
}

static struct surf_vertex vertex(uint64_t i) {
    struct surf_vertex v;
    if (surf_store_read(&mesh.vertices, i * sizeof v, &v, sizeof v, &err)) abort();
    return v;
}

static void triangle(uint64_t i, uint32_t t[3]) {
    if (surf_store_read(&mesh.triangles, i * 12, t, 12, &err)) abort();
}

static int compare_edges(const void *a, const void *b) {
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

// Returns whether each edge is used once in each direction, except for edges in the boundary of a periodic axis.
static bool is_closed(void) {
    size_t n = 3 * mesh.triangle_count;
    uint32_t(*edge)[2][2] = malloc((n + 1) * sizeof *edge); // [0]: as it is, [1]: reversed
    uint32_t(*other)[2] = malloc((n + 1) * sizeof *other), (*same)[2] = malloc((n + 1) * sizeof *same);
    bool good = edge && other && same;
    for (uint64_t i = 0; good && i < mesh.triangle_count; i++) {
        uint32_t t[3];
        triangle(i, t);
        for (int k = 0; k < 3; k++) {
            same[3 * i + (unsigned)k][0] = other[3 * i + (unsigned)k][1] = t[k];
            same[3 * i + (unsigned)k][1] = other[3 * i + (unsigned)k][0] = t[(k + 1) % 3];
        }
    }
    if (good && n) {
        qsort(same, n, sizeof *same, compare_edges);
        qsort(other, n, sizeof *other, compare_edges);
        good = !memcmp(same, other, n * sizeof *same);
        for (size_t i = 1; i < n; i++) good &= memcmp(same[i - 1], same[i], sizeof *same) != 0;
    }
    free(edge);
    free(other);
    free(same);
    return good;
}

// Volume and area of the mesh from its float32 positions, about the first vertex.
static void measure(double *area, double *volume) {
    struct surf_vertex o = vertex(0);
    *area = *volume = 0;
    for (uint64_t i = 0; i < mesh.triangle_count; i++) {
        uint32_t t[3];
        double p[3][3], n[3];
        triangle(i, t);
        for (int v = 0; v < 3; v++) {
            struct surf_vertex at = vertex(t[v]);
            for (int k = 0; k < 3; k++) p[v][k] = (double)at.position[k] - (double)o.position[k];
        }
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] = (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        }
        *area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        for (int k = 0; k < 3; k++) *volume += p[0][k] * n[k] / 6;
    }
}

static void set_values(double (*f)(const double x[3])) {
    const uint64_t *n = map.lattice.n;
    for (size_t k = 0; k < n[2]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[0]; i++) {
                double index[3] = {(double)i, (double)j, (double)k}, x[3];
                trj_map_lattice_position(&map.lattice, index, x);
                f64[i + n[0] * (j + n[1] * k)] = f(x);
            }
}

static double centre[3], radius;

static double sphere(const double x[3]) { // radius minus distance from the centre, of the nearest image if periodic
    double d[3], r = 0;
    for (int k = 0; k < 3; k++) d[k] = x[k] - centre[k];
    for (int k = 0; k < 3; k++) {
        double period = (double)map.lattice.n[k] * map.lattice.step[k][k];
        if (map.lattice.periodic & 1u << k) d[k] -= period * nearbyint(d[k] / period);
        r += d[k] * d[k];
    }
    return radius - sqrt(r);
}

static double torus_at(const double x[3], double cx, double cy, int normal) {
    double d[3] = {x[0] - cx, x[1] - cy, x[2] - centre[2]};
    double ring = hypot(d[(normal + 1) % 3], d[(normal + 2) % 3]) - 6;
    return 1.5 - hypot(ring, d[normal]);
}

static double torus(const double x[3]) {
    return torus_at(x, centre[0], centre[1], 2);
}

static double links(const double x[3]) {
    return fmax(torus_at(x, centre[0] - 3, centre[1], 2), torus_at(x, centre[0] + 3, centre[1], 1));
}

static double tube(const double x[3]) { // along axis 2
    return radius - hypot(x[0] - centre[0], x[1] - centre[1]);
}

static double layer(const double x[3]) { // normal to axis 2
    return radius - fabs(x[2] - centre[2]);
}

static double shell(const double x[3]) {
    return 1 - fabs(sphere(x));
}

static bool near(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

static void set_centre(void) {
    double index[3] = {(double)map.lattice.n[0] / 2 - 0.53, (double)map.lattice.n[1] / 2 - 0.21,
                       (double)map.lattice.n[2] / 2 - 0.37};
    trj_map_lattice_position(&map.lattice, index, centre);
}

// ---- the table

static struct surf_table table;

// Counts how often the triangles of a case use the directed edge from one cut to another.
static int uses(unsigned which, unsigned from, unsigned to) {
    int n = 0;
    for (unsigned t = 0; t < table.count[which]; t++)
        for (int k = 0; k < 3; k++) n += table.edge[which][t][k] == from && table.edge[which][t][(k + 1) % 3] == to;
    return n;
}

static bool in_face(unsigned edge, unsigned axis, unsigned side) {
    return edge / 4 != axis && (surf_edge_corner[edge] >> axis & 1u) == side;
}

static bool in_any_face(unsigned e, unsigned f) {
    for (unsigned face = 0; face < 6; face++)
        if (in_face(e, face / 2, face & 1) && in_face(f, face / 2, face & 1)) return true;
    return false;
}

// The cut of the face below along an axis that is also the cut of the cell next to it.
static unsigned across(unsigned edge, unsigned axis) {
    for (unsigned e = 0; e < SURF_EDGES; e++)
        if (e / 4 == edge / 4 && surf_edge_corner[e] == (surf_edge_corner[edge] ^ 1u << axis)) return e;
    abort();
}

static void test_table(void) {
    bool cuts = true, once = true, inner = true, faces = true;
    int neighbours = 0;
    surf_table_make(&table);
    for (unsigned c = 0; c < SURF_CASES; c++)
        for (unsigned e = 0; e < SURF_EDGES; e++) {
            unsigned low = surf_edge_corner[e], high = low | 1u << e / 4;
            bool used = false;
            for (unsigned f = 0; f < SURF_EDGES; f++) {
                int there = uses(c, e, f), back = uses(c, f, e);
                used |= there > 0;
                once &= there <= 1;
                if (there && !in_any_face(e, f)) inner &= back == 1;
                if (there && in_any_face(e, f)) inner &= back == 0;
            }
            cuts &= used == ((c >> low & 1) != (c >> high & 1));
        }
    ok(cuts, "each case uses exactly the edges between an inside and an outside corner");
    ok(once && inner,
       "inside of a cell, each edge of a triangle is used once in each direction, and none is in a face");
    // All pairs of neighbours: 256 cases times 16 sets of the four other corners of the next cell, along each axis.
    for (unsigned axis = 0; axis < 3; axis++)
        for (unsigned a = 0; a < SURF_CASES; a++)
            for (unsigned b = 0; b < SURF_CASES; b++) {
                bool shared = true;
                for (unsigned k = 0; k < 8; k++)
                    if (!(k >> axis & 1)) shared &= (b >> k & 1) == (a >> (k | 1u << axis) & 1);
                if (!shared) continue;
                neighbours++;
                for (unsigned e = 0; e < SURF_EDGES; e++)
                    for (unsigned f = 0; f < SURF_EDGES; f++)
                        if (in_face(e, axis, 1) && in_face(f, axis, 1))
                            faces &= uses(a, e, f) == uses(b, across(f, axis), across(e, axis));
            }
    ok(neighbours == 3 * 256 * 16, "%d pairs of neighbours", neighbours);
    ok(faces, "two neighbours use each segment of their common face once, in opposite directions");
}

// ---- values

static void test_fraction(void) {
    ok(surf_fraction(0, 2, 0.5) == 0.25 && surf_fraction(2, 0, 0.5) == 0.75, "an edge is cut in proportion");
    ok(surf_fraction(0, 1, 0) == SURF_MARGIN && surf_fraction(1, 0, 0) == 1 - SURF_MARGIN,
       "a sample equal to the level: the vertex keeps its margin");
    ok(surf_fraction(-INFINITY, 1, 0) == 1 - SURF_MARGIN && surf_fraction(1, -INFINITY, 0) == SURF_MARGIN &&
           surf_fraction(INFINITY, -1, 0) == 1 - SURF_MARGIN && surf_fraction(-1, INFINITY, 0) == SURF_MARGIN,
       "an infinite sample: the vertex is next to the finite one");
}

static bool classified(enum trj_map_kind kind, double quantum, double level, const void *values, size_t n,
                       uint64_t expected) {
    struct trj_map m = {.kind = kind, .quantum = quantum};
    struct surf_threshold t = surf_threshold_of(&m, level);
    uint64_t word[2] = {0};
    surf_classify(&t, values, n, word);
    return word[0] == expected;
}

static void test_classify(void) {
    float f[] = {0.1f, nextafterf(0.1f, 1), nextafterf(0.1f, 0), INFINITY, -INFINITY};
    ok(classified(TRJ_MAP_FLOAT32, 0, (double)0.1f, f, 5, 2 | 8), "float32: a value equal to the level is outside");
    ok(classified(TRJ_MAP_FLOAT32, 0, 0.1, f, 5, 1 | 2 | 8), "float32: levels between two float32 are not rounded");
    int64_t q[] = {INT64_MIN, -3, 0, 5, 6, INT64_MAX, (1ll << 60) + 1};
    ok(classified(TRJ_MAP_QUANTA, 0.25, 1.25, q, 7, 16 | 32 | 64), "quanta: compared as integers");
    ok(classified(TRJ_MAP_QUANTA, 0.25, 0x1p58, q, 7, 32 | 64), "quanta: numbers beyond 2^53 are compared exactly");
    ok(classified(TRJ_MAP_QUANTA, 1, 1e300, q, 7, 0) && classified(TRJ_MAP_QUANTA, 1, -1e300, q, 7, 127),
       "quanta: levels beyond all integers");
    uint64_t c[] = {0, 1, 2, UINT64_MAX};
    ok(classified(TRJ_MAP_COUNTS, 0, 1, c, 4, 4 | 8) && classified(TRJ_MAP_COUNTS, 0, -0.5, c, 4, 15) &&
           classified(TRJ_MAP_COUNTS, 0, 1e30, c, 4, 0),
       "counts: compared as integers");
    bool same = true;
    for (size_t i = 0; i < 200; i++) f32[i] = (float)uniform();
    uint64_t words[4] = {0}, one[4] = {0};
    struct trj_map m = {.kind = TRJ_MAP_FLOAT32};
    struct surf_threshold t = surf_threshold_of(&m, 0.5);
    surf_classify(&t, f32, 200, words);
    for (size_t i = 0; i < 200; i++) {
        surf_classify(&t, f32 + i, 1, one);
        same &= (words[i / 64] >> i % 64 & 1) == one[0] && (one[0] == 1) == (f32[i] > 0.5f);
    }
    ok(same, "float32: 64 values at a time give the same bits as one at a time");
}

// ---- known surfaces

static void test_sphere(const double step[3][3], const char *what) {
    double area, volume;
    set_lattice(48, 50, 51, step, 0);
    set_centre();
    radius = 20 * 0.4;
    set_values(sphere);
    build(0, false);
    measure(&area, &volume);
    ok(is_closed() && found.euler == 2 && found.component_count == 1, "%s sphere: closed, of Euler number 2", what);
    ok(near(found.area, 4 * M_PI * radius * radius, 1.5e-3), "%s sphere: area %.6g", what, found.area);
    ok(near(found.volume, 4 * M_PI / 3 * pow(radius, 3), 3e-3), "%s sphere: volume %.6g", what, found.volume);
    ok(near(area, found.area, 1e-6) && near(volume, found.volume, 1e-5),
       "%s sphere: area and volume of the written positions, oriented outwards", what);
    double max = 0, off = 0;
    for (uint64_t i = 0; i < mesh.vertex_count; i++) {
        struct surf_vertex v = vertex(i);
        double d[3], r = 0, dot = 0;
        for (int k = 0; k < 3; k++) d[k] = (double)v.position[k] - centre[k];
        for (int k = 0; k < 3; k++) r += d[k] * d[k];
        for (int k = 0; k < 3; k++) dot += d[k] * (double)v.normal[k] / sqrt(r);
        max = fmax(max, fabs(sqrt(r) - radius));
        off = fmax(off, 1 - dot);
    }
    ok(max < 0.005 && off < 1e-3, "%s sphere: vertices are at its radius (%.2g), normals point outwards (%.2g)", what,
       max, off);
}

static void test_resolution(void) {
    set_lattice(SIDE, SIDE, SIDE, cubic, 0);
    set_centre();
    radius = 20 * 0.5;
    set_values(sphere);
    build(0, false);
    ok(near(found.area, 4 * M_PI * radius * radius, 1e-3), "sphere of 20 steps: area within 0.1 %% (%.3g)",
       found.area / (4 * M_PI * radius * radius) - 1);
}

static void test_rings(void) {
    set_lattice(SIDE, SIDE, SIDE, cubic, 0);
    set_centre();
    set_values(torus);
    build(0, false);
    double area = 4 * M_PI * M_PI * 6 * 1.5, volume = 2 * M_PI * M_PI * 6 * 1.5 * 1.5;
    ok(is_closed() && found.euler == 0 && found.component_count == 1 && near(found.area, area, 0.02) &&
           near(found.volume, volume, 0.03),
       "torus: closed, Euler number 0, area, volume");
    double one = found.area;
    set_values(links);
    build(0, false);
    ok(is_closed() && found.euler == 0 && found.component_count == 2 && near(found.area, 2 * one, 0.01) &&
           found.components[0].euler == 0 &&
           near(found.components[0].area + found.components[1].area, found.area, 1e-12),
       "two linked rings: two components of Euler number 0");
    radius = 8;
    set_values(shell);
    build(0, false);
    double outer = 4 * M_PI / 3 * 729, inner = 4 * M_PI / 3 * 343;
    ok(is_closed() && found.component_count == 2 && found.euler == 4 && near(found.components[0].volume, outer, 0.01) &&
           near(found.components[1].volume, -inner, 0.01) && near(found.volume, outer - inner, 0.02),
       "spherical shell: the cavity is a component of negative volume");
}

// A sphere around each place of a periodic cell has the same numbers.
static void test_periodic(void) {
    bool good = true, cut = true, closed = true;
    for (unsigned corner = 0; corner < 8; corner++) {
        set_lattice(24, 26, 28, cubic, TRJ_PERIODIC_ALL);
        for (int k = 0; k < 3; k++)
            centre[k] =
                map.lattice.origin[k] + (corner >> k & 1 ? 0.13 : (double)map.lattice.n[k] * 0.25 + 0.21 * (k + 1));
        radius = 4;
        set_values(sphere);
        build(0, false);
        good &= found.component_count == 1 && found.euler == 2 && near(found.area, 4 * M_PI * 16, 5e-3) &&
                near(found.volume, 4 * M_PI / 3 * 64, 1e-2) && near(found.components[0].volume, found.volume, 1e-9);
        cut &= is_closed() == !corner && (mesh.vertex_count > found.vertices) == (corner > 0);
        for (uint64_t i = 0; i < mesh.vertex_count; i++) { // also where the normal needs the plane across the boundary
            struct surf_vertex v = vertex(i);
            double dot = 0;
            for (int k = 0; k < 3; k++) {
                double period = (double)map.lattice.n[k] * 0.5, d = (double)v.position[k] - centre[k];
                dot += (d - period * nearbyint(d / period)) * (double)v.normal[k] / radius;
            }
            good &= dot > 0.997;
        }
        build(0, true);
        closed &= is_closed() && near(found.volume, 4 * M_PI / 3 * 64, 2e-2) &&
                  found.component_count == 1u << ((corner & 1) + (corner >> 1 & 1) + (corner >> 2));
    }
    ok(good, "sphere across the boundaries of a periodic cell: one component; area, volume, Euler number and normals");
    ok(cut, "sphere across the boundaries: the mesh is cut there, and vertices are copied");
    ok(closed, "sphere across the boundaries, closed there: 1, 2, 4 or 8 closed components");
}

static void test_infinite(void) {
    set_lattice(30, 30, 20, cubic, TRJ_PERIODIC_ALL);
    set_centre();
    radius = 4;
    set_values(tube);
    build(0, false);
    ok(found.component_count == 1 && found.euler == 0 && near(found.volume, M_PI * 16 * 10, 5e-3) &&
           near(found.area, 2 * M_PI * 4 * 10, 5e-3) && isnan(found.components[0].volume),
       "tube through a periodic cell: a torus, with the volume of one period");
    set_values(layer);
    build(0, false);
    ok(found.component_count == 2 && found.euler == 0 && near(found.volume, 15 * 15 * 8, 1e-6) &&
           near(found.area, 2 * 15 * 15, 1e-6) && isnan(found.components[0].volume),
       "layer in a periodic cell: two surfaces of Euler number 0, with the volume between them");
    for (size_t i = 0; i < ROOM; i++) f64[i] = 1;
    build(0, false);
    ok(found.triangles == 0 && found.component_count == 0 && near(found.volume, 15 * 15 * 10, 1e-12),
       "all points inside of a periodic map: no triangle, and the volume of the cell");
    build(0, true);
    ok(is_closed() && found.euler == 2 && near(found.volume, 15 * 15 * 10, 1e-3),
       "all points inside of a periodic map, closed: a box of the size of the cell");
    map.lattice.periodic = 0;
    build(0, false);
    ok(is_closed() && found.euler == 2 && near(found.volume, 14.5 * 14.5 * 9.5, 1e-3),
       "all points inside of a map that is not periodic: a box up to the last points");
}

// ---- random values

static bool at_inside(const double *v, int64_t i, int64_t j, int64_t k, double level) {
    const int64_t n[3] = {(int64_t)map.lattice.n[0], (int64_t)map.lattice.n[1], (int64_t)map.lattice.n[2]};
    int64_t at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        if (map.lattice.periodic & 1u << a) at[a] = (at[a] + n[a]) % n[a];
        if (at[a] < 0 || at[a] >= n[a]) return false;
    }
    return v[at[0] + n[0] * (at[1] + n[1] * at[2])] > level;
}

// Returns the Euler number of the solid that the inside points form, from its points, edges, squares and cubes; a cube
// with only two opposite outside corners has its centre inside. The Euler number of the surface is twice this number.
static int64_t solid_euler(const double *v, double level) {
    int64_t sum = 0;
    for (int64_t k = -1; k < (int64_t)map.lattice.n[2]; k++)
        for (int64_t j = -1; j < (int64_t)map.lattice.n[1]; j++)
            for (int64_t i = -1; i < (int64_t)map.lattice.n[0]; i++) {
                bool c[8];
                unsigned which = 0;
                if ((i < 0 && map.lattice.periodic & 1) || (j < 0 && map.lattice.periodic & 2) ||
                    (k < 0 && map.lattice.periodic & 4))
                    continue;
                for (int q = 0; q < 8; q++) {
                    c[q] = at_inside(v, i + (q & 1), j + (q >> 1 & 1), k + (q >> 2), level);
                    which |= (unsigned)c[q] << q;
                }
                sum += c[0] - (c[0] && c[1]) - (c[0] && c[2]) - (c[0] && c[4]) + (c[0] && c[1] && c[2] && c[3]) +
                       (c[0] && c[1] && c[4] && c[5]) + (c[0] && c[2] && c[4] && c[6]) - (which == 255);
                sum += which == 0x7e || which == 0xbd || which == 0xdb || which == 0xe7;
            }
    return sum;
}

static void test_noise(void) {
    bool closed = true, oriented = true, euler = true, same = true, orders = true, alone = true;
    for (int round = 0; round < 60; round++) {
        unsigned periodic = (unsigned)round % 8;
        const double(*step)[3] = round % 3 == 0 ? cubic : round % 3 == 1 ? skew : mirrored;
        set_lattice(3 + (size_t)(uniform() * 70), 3 + (size_t)(uniform() * 7), 3 + (size_t)(uniform() * 7), step,
                    periodic);
        size_t points = trj_map_lattice_points(&map.lattice);
        int values = round / 8 % 4 + 2; // few values, so that many equal the level
        for (size_t i = 0; i < points; i++) f64[i] = (double)(int)(uniform() * values);
        double level = (values - 1) / 2, area, volume;
        if (build(level, false)) abort();
        uint64_t vertices = found.vertices, copies = mesh.vertex_count;
        euler &= found.euler == 2 * solid_euler(f64, level);
        double sum = 0, total = found.volume;
        bool infinite = false;
        for (size_t i = 0; i < found.component_count; i++) {
            infinite |= isnan(found.components[i].volume);
            sum += found.components[i].volume;
        }
        same &= infinite || near(sum, total, 1e-9);
        if (!periodic) {
            closed &= is_closed() && copies == vertices;
            measure(&area, &volume);
            oriented &= near(area, found.area, 1e-5) && fabs(volume - found.volume) <= 1e-4 * found.area;
        }
        if (build(level, true)) abort();
        closed &= is_closed();
        measure(&area, &volume);
        oriented &= near(area, found.area, 1e-5) && fabs(volume - found.volume) <= 1e-4 * found.area;
        for (size_t i = 0; i < points; i++) quanta[i] = (int64_t)(f64[i] * 4);
        uint64_t triangles = found.triangles;
        double exact = found.area;
        map.kind = TRJ_MAP_QUANTA;
        map.quantum = 0.25;
        if (build_values(quanta, NULL, level, true)) abort();
        orders &= found.triangles == triangles && found.area == exact;
        only_mesh = true;
        double first = (double)vertex(0).position[0], last = (double)vertex(mesh.vertex_count - 1).normal[2];
        copies = mesh.vertex_count;
        if (build_values(quanta, NULL, level, true)) abort();
        alone &= found.triangles == triangles && !found.component_count && mesh.vertex_count == copies &&
                 (double)vertex(0).position[0] == first && (double)vertex(copies - 1).normal[2] == last && is_closed();
        only_mesh = false;
    }
    ok(closed, "random values, many equal to the level: each edge is used once in each direction");
    ok(oriented, "random values: area and volume are those of the written positions");
    ok(euler, "random values: the Euler number is that of the inside points, also in periodic maps");
    ok(same, "random values: the volumes of the components add up");
    ok(alone, "random values: a mesh without the summary is the same");
    ok(orders, "random values: quanta give the mesh of real numbers");
}

// All values of a cell, with a random neighbourhood: 256 cases, among cells with all others.
static void test_cells(void) {
    bool closed = true;
    for (unsigned c = 0; c < SURF_CASES; c++)
        for (int round = 0; round < 8; round++) {
            set_lattice(4, 4, 4, cubic, 0);
            for (size_t i = 0; i < 64; i++) f64[i] = uniform() < 0.5;
            for (size_t q = 0; q < 8; q++) f64[1 + (q & 1) + 4 * (1 + (q >> 1 & 1)) + 16 * (1 + (q >> 2))] = c >> q & 1;
            if (build(round % 2 ? 0 : 0.5, false)) abort();
            closed &= is_closed();
        }
    ok(closed, "each of the 256 cases among random neighbours: closed");
}

static void test_distinct(void) {
    set_lattice(20, 20, 20, skew, 0);
    for (size_t i = 0; i < 8000; i++) f64[i] = uniform() < 0.5;
    build(0, false); // every outside point equals the level
    bool distinct = true;
    for (uint64_t i = 0; i < mesh.triangle_count; i++) {
        uint32_t t[3];
        triangle(i, t);
        for (int k = 0; k < 3; k++) {
            struct surf_vertex a = vertex(t[k]), b = vertex(t[(k + 1) % 3]);
            distinct &= memcmp(a.position, b.position, sizeof a.position) != 0;
        }
    }
    ok(distinct && is_closed(), "samples equal to the level: no triangle has two vertices at one position");
}

static void test_colours(void) {
    set_lattice(20, 20, 20, skew, TRJ_PERIODIC_C);
    set_centre();
    radius = 3;
    set_values(sphere);
    for (size_t i = 0; i < 8000; i++) { // linear in the index along axis 0
        quanta[i] = 0;
        ((double *)quanta)[i] = (double)(i % 20);
    }
    build_values(f64, quanta, 0, false);
    double g[3][3], max = 0;
    trj_map_lattice_inverse(&map.lattice, g);
    for (uint64_t i = 0; i < mesh.vertex_count; i++) {
        struct surf_vertex v = vertex(i);
        double x = 0;
        for (int k = 0; k < 3; k++) x += g[0][k] * ((double)v.position[k] - map.lattice.origin[k]);
        max = fmax(max, fabs(x - (double)v.colour));
    }
    ok(max < 1e-5 && mesh.vertex_count > 100, "colours: the second map is interpolated along the edges");
}

static void test_errors(void) {
    set_lattice(5, 5, 5, cubic, 0);
    for (size_t i = 0; i < 125; i++) f64[i] = 0;
    f64[62] = NAN;
    err.text[0] = 0;
    ok(build(0, false) && err.status == TRJ_BAD_DATA && has_text(err.text, "point 2, 2, 2 is NaN"),
       "a NaN is rejected: %s", err.text);
    f64[62] = INFINITY;
    ok(!build(0, false) && is_closed() && found.euler == 2, "an infinite value is inside");
    map.components = 3;
    ok(build(0, false) && has_text(err.text, "3 values at each point"), "maps of vectors are rejected");
    map.components = 1;
    struct trj_map other = map;
    other.lattice.origin[0] += 1;
    struct surf_setup setup = {.map = &map, .colour = &other};
    struct surf_builder *b = NULL;
    ok(surf_builder_open(&b, &setup, &err) && has_text(err.text, "different lattice"), "colours of another lattice");
}

static void test_store(void) {
    struct surf_store s;
    unsigned char in[300], out[300];
    surf_store_start(&s, 500);
    for (int i = 0; i < 300; i++) in[i] = (unsigned char)(i * 7);
    bool good = !surf_store_add(&s, in, 300, &err) && s.file < 0 && !surf_store_add(&s, in, 300, &err) && s.file >= 0;
    good = good && !surf_store_read(&s, 300, out, 300, &err) && !memcmp(in, out, 300);
    good = good && !surf_store_patch(&s, 299, "xy", 2, &err) && !surf_store_read(&s, 299, out, 2, &err);
    ok(good && out[0] == 'x' && out[1] == 'y', "a store beyond its memory uses a temporary file");
    surf_store_clear(&s);
    ok(s.size == 0 && s.file < 0 && !surf_store_add(&s, in, 300, &err), "a cleared store is used again");
    surf_store_free(&s);
}

static bool named(const char *pattern, uint64_t number, const char *expected) {
    bool numbered;
    char *name = trj_series_name(pattern, number, &numbered, &err);
    bool good = name && !strcmp(name, expected) && numbered == (strcmp(pattern, expected) != 0);
    free(name);
    return good;
}

static void test_names(void) {
    bool numbered;
    ok(named("s.%06d.ply", 12, "s.000012.ply") && named("%d", 12, "12") && named("s.ply", 12, "s.ply"),
       "names of a series");
    static const char *const bad[] = {"%s.ply", "%6d.ply", "%d.%d", "s%", "%0d", "%021d", "%%d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(!trj_series_name(bad[i], 0, &numbered, &err) && err.status == TRJ_USAGE, "invalid name %s", bad[i]);
}

static void test_scale(void) {
    unsigned char c[3][3];
    surf_colour("red-white-blue", -1, -1, 3, c[0]);
    surf_colour("red-white-blue", 1, -1, 3, c[1]);
    surf_colour("red-white-blue", 9, -1, 3, c[2]);
    ok(!memcmp(c, (unsigned char[3][3]){{255, 0, 0}, {255, 255, 255}, {0, 0, 255}}, 9), "ends and middle of a scale");
    surf_colour("grey", 0.5, 0, 1, c[0]);
    surf_colour("viridis", NAN, 0, 1, c[1]);
    surf_colour("grey", 7, 7, 7, c[2]);
    ok(c[0][0] == 128 && c[1][2] == 128 && c[2][1] == 128, "middle of grey, NaN, and a range of one value");
}

static void test_levels(void) {
    struct surf_level l;
    ok(!surf_level_parse(&l, "0.5", &err) && l.value == 0.5 && l.kind == SURF_LEVEL_VALUE && !l.both,
       "a level as a number");
    ok(!surf_level_parse(&l, "-2.5sigma", &err) && l.value == -2.5 && l.kind == SURF_LEVEL_SIGMA,
       "a level in standard deviations");
    ok(surf_level_parse(&l, "sigma", &err) && surf_level_parse(&l, "1 sigma", &err) && surf_level_parse(&l, "", &err) &&
           surf_level_parse(&l, "nan", &err),
       "invalid levels");
    ok(!surf_level_parse(&l, "90%", &err) && l.value == 90 && l.kind == SURF_LEVEL_PERCENT && !l.both, "a percentage");
    ok(!surf_level_parse(&l, "+-0.04", &err) && l.value == 0.04 && l.kind == SURF_LEVEL_VALUE && l.both, "two levels");
    ok(!surf_level_parse(&l,
                         "\xc2\xb1"
                         "3sigma",
                         &err),
       "two levels with the sign of one character");
    ok(l.kind == SURF_LEVEL_SIGMA && l.value == 3 && l.both, "in standard deviations");
    static const char *const bad[] = {"0%", "100%", "-5%", "%", "+-0", "+--1", "+-", "-+1", "0.04,-0.04", "1%sigma"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(surf_level_parse(&l, bad[i], &err) && err.status == TRJ_USAGE, "invalid level %s", bad[i]);
}

int main(void) {
    surf_mesh_start(&mesh);
    test_table();
    test_fraction();
    test_classify();
    test_sphere(cubic, "cubic");
    test_sphere(skew, "skew");
    test_sphere(mirrored, "left-handed");
    test_resolution();
    test_rings();
    test_periodic();
    test_infinite();
    test_noise();
    test_cells();
    test_distinct();
    test_colours();
    test_errors();
    test_store();
    test_names();
    test_scale();
    test_levels();
    surf_mesh_free(&mesh);
    free(found.components);
    return done();
}
