// SPDX-License-Identifier: MIT
// Accessible surfaces: each kernel within its bounds on errors, and sasa() as the rule of accessible_surface.c says, in
// cells with many images and for spheres of any size.
#include <math.h>
#include <stdlib.h>

#include "frame_stream.h"
#include "instruction_set.h"
#include "memory.h"
#include "observable.h"
#include "surface_kernel.h"
#include "system.h"
#include "tap.h"

static struct trj_error err;

static double random_number(void) {
    static uint64_t state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

// ------------------------------------------------------------------------------------------------------------- kernels

enum { POINTS = 203, BLOCKS = 3, LAST = 5, SLOTS = 2 * POINTS + OBS_CONTACT_PADDING };

static float x[3][POINTS + OBS_CONTACT_PADDING], reach[POINTS + OBS_CONTACT_PADDING], u[BLOCKS][3][OBS_SURFACE_BLOCK];
static struct obs_contact_run run[2];
static struct obs_surface_sphere sphere;

// Makes two runs of points near the second row, whose squared distances and radii are exact in float32.
static void make_points(double size) {
    run[0] = (struct obs_contact_run){.begin = 3, .end = 120};
    run[1] = (struct obs_contact_run){.begin = 120, .end = POINTS};
    for (size_t i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) x[k][i] = (float)(floor(64 * size * (random_number() - 0.5)) / 64);
        reach[i] = (float)(2.5 + floor(64 * random_number()) / 64);
    }
    for (int k = 0; k < 3; k++) run[1].at[k][1] = 0.25f;
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t l = 0; l < OBS_SURFACE_BLOCK; l++) {
            double v[3], norm = 0;
            for (int k = 0; k < 3; k++) v[k] = random_number() - 0.5;
            for (int k = 0; k < 3; k++) norm += v[k] * v[k];
            for (int k = 0; k < 3; k++) u[b][k][l] = (float)(v[k] / sqrt(norm));
        }
    sphere = (struct obs_surface_sphere){
        .reach2 = 9, .half = 1 / 6.0f, .cutoff = 3 + 0x1p-16f, .near2 = 16, .error = 0x1p-16f};
}

static void open_atoms(struct obs_surface_atoms *a) {
    for (int k = 0; k < 4; k++) a->x[k] = calloc(SLOTS, sizeof *a->x[k]);
    a->point = calloc(SLOTS, sizeof *a->point);
    a->run = calloc(SLOTS, sizeof *a->run);
    a->count = 0;
}

static void close_atoms(struct obs_surface_atoms *a) {
    for (int k = 0; k < 4; k++) free(a->x[k]);
    free(a->point);
    free(a->run);
}

// Each point that touches the sphere is in the list of its distance, once, in the order of the points.
static bool gather_is_right(const struct obs_surface_kernel *kernel, struct obs_surface_atoms to[2]) {
    const float *const from[3] = {x[0], x[1], x[2]};
    size_t next[2] = {0, 0};
    bool good = true;
    to[0].count = to[1].count = 0;
    kernel->gather(from, reach, run, 2, 40, 1, &sphere, to);
    for (size_t r = 0; r < 2; r++)
        for (uint32_t j = run[r].begin; j < run[r].end; j++) {
            double d[3], r2 = 0, other = (double)reach[j];
            for (int k = 0; k < 3; k++) d[k] = (double)x[k][j] - (double)run[r].at[k][1];
            for (int k = 0; k < 3; k++) r2 += d[k] * d[k];
            const bool in_list = r2 <= (3 + other) * (3 + other);
            const size_t list = r2 >= 16, i = next[list];
            const struct obs_surface_atoms *a = &to[list];
            if (i < a->count && a->point[i] == j) {
                next[list]++;
                good = good && a->run[i] == 40 + r && r2 < (3 + other) * (3 + other) * (1 + 0x1p-12);
                for (int k = 0; k < 3; k++) good = good && (double)a->x[k][i] == d[k];
                good = good && fabs((double)a->x[3][i] + (9 + r2 - other * other) / 6) < 0x1p-16;
            } else {
                good = good && !in_list;
            }
        }
    return good && next[0] == to[0].count && next[1] == to[1].count;
}

// Points are exposed or uncertain as the largest value in float64 says.
static bool expose_is_right(const struct obs_surface_kernel *kernel, const struct obs_surface_atoms *a) {
    uint16_t uncertain[BLOCKS];
    size_t exposed = kernel->expose((const float(*)[3][OBS_SURFACE_BLOCK])u, BLOCKS, LAST, a, sphere.error, uncertain),
           least = 0, most = 0;
    bool good = true;
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t l = 0; l < OBS_SURFACE_BLOCK; l++) {
            const double error = (double)sphere.error;
            const bool set = uncertain[b] >> l & 1;
            double best = -INFINITY;
            if (b + 1 == BLOCKS && l >= LAST) {
                good = good && !set;
                continue;
            }
            for (size_t i = 0; i < a->count; i++) {
                double s = (double)a->x[3][i];
                for (int k = 0; k < 3; k++) s += (double)u[b][k][l] * (double)a->x[k][i];
                best = fmax(best, s);
            }
            least += best < -1.5 * error;
            most += best < -0.5 * error;
            if (fabs(best) < 0.5 * error) good = good && set;
            if (fabs(best) > 1.5 * error) good = good && !set;
        }
    return good && exposed >= least && exposed <= most;
}

static void test_kernel(const struct obs_surface_kernel *kernel, enum trj_isa isa, const char *name) {
    struct obs_surface_atoms to[2];
    bool gathered = true, exposed = true;
    if (!trj_isa_can_run(isa)) {
        skip(name, "the CPU does not support it");
        return;
    }
    open_atoms(&to[0]);
    open_atoms(&to[1]);
    for (int repeat = 0; repeat < 300; repeat++) {
        make_points(8 + repeat % 30);
        gathered = gathered && gather_is_right(kernel, to) && (repeat || to[0].count > 10);
        // A point at the edge of a sphere, whose value is 0
        for (int k = 0; k < 3; k++) to[0].x[k][0] = k ? 0 : 3;
        to[0].x[3][0] = -3 * u[1][0][7];
        size_t all = to[0].count;
        for (size_t n = 1; n <= all; n = n < 6 ? n + 1 : 2 * n) {
            to[0].count = n;
            exposed = exposed && expose_is_right(kernel, &to[0]);
        }
        to[0].count = 0;
        exposed = exposed && expose_is_right(kernel, &to[0]);
    }
    ok(gathered, "%s: points that touch a sphere are listed with their limits", name);
    ok(exposed, "%s: points of a sphere are covered, exposed or uncertain as in float64", name);
    close_atoms(&to[0]);
    close_atoms(&to[1]);
}

// ---------------------------------------------------------------------------------------------------------------- rule

enum { ATOMS = 40 };

static double radius[ATOMS];

static int make(struct trj_stream_header *h, struct trj_frame *f) {
    *h = (struct trj_stream_header){.atoms = ATOMS, .source_atoms = ATOMS};
    if (!(h->groups = trj_alloc(1, sizeof *h->groups, "groups", &err)) || trj_frame_resize(f, ATOMS, &err)) return -1;
    h->group_count = 1;
    *h->groups = (struct trj_group){.name = trj_copy_text("all", &err),
                                    .atoms = trj_alloc(ATOMS, sizeof *h->groups->atoms, "groups", &err),
                                    .count = ATOMS};
    if (!h->groups->name || !h->groups->atoms) return -1;
    for (uint32_t i = 0; i < ATOMS; i++) h->groups->atoms[i] = i;
    h->member_words = trj_groups_lay_out(h->groups, 1);
    struct trj_property *p = trj_property_add(h, "radius", "A", "test", TRJ_PROPERTY_REAL, &err);
    if (p) memcpy(p->real, radius, sizeof radius);
    return p ? trj_frame_resize_members(f, h->member_words, &err) : -1;
}

// Whether atom j with the image n covers a point of atom i.
static bool covers(const struct trj_frame *f, size_t i, size_t j, const int n[3], const double point[3], double most) {
    const double(*h)[3] = f->cell.h;
    double d[3], r = radius[i], other = radius[j];
    for (int k = 0; k < 3; k++)
        d[k] = ((double)f->x[k][j] - (double)f->x[k][i]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
    double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], touching = i == j ? 2 * most : r + other;
    if ((i == j && !n[0] && !n[1] && !n[2]) || !(r2 < touching * touching)) return false;
    if (r2 == 0 && r == other) return j < i;
    return !((point[0] * d[0] + point[1] * d[1]) + point[2] * d[2] <= (r * r + r2 - other * other) * (0.5 / r));
}

static bool is_exposed(const struct trj_frame *f, size_t i, const double point[3], int images, double most) {
    int n[3];
    for (size_t j = 0; j < ATOMS; j++)
        for (n[0] = -images; n[0] <= images; n[0]++)
            for (n[1] = -images; n[1] <= images; n[1]++)
                for (n[2] = -images; n[2] <= images; n[2]++)
                    if (covers(f, i, j, n, point, most)) return false;
    return true;
}

static double area(const struct trj_frame *f, size_t points, int images) {
    const double pi = 3.14159265358979323846, turn = pi * (3 - sqrt(5)), n = (double)points;
    double sum = 0, most = 0;
    for (size_t i = 0; i < ATOMS; i++) most = fmax(most, radius[i]);
    for (size_t i = 0; i < ATOMS; i++) {
        size_t exposed = 0;
        for (size_t p = 0; radius[i] > 0 && p < points; p++) {
            double y = (2 * (double)p + 1) / n - 1, r = sqrt(1 - y * y), angle = turn * (double)p;
            exposed += is_exposed(f, i, (double[]){r * cos(angle), y, r * sin(angle)}, images, most);
        }
        sum += radius[i] * radius[i] * (double)exposed;
    }
    return 4 * pi * sum / n;
}

// Compares sasa() with the rule in a cell; images: of the cell, that can touch an atom.
static bool agrees(const struct trj_cell *cell, double size, size_t points, int images) {
    struct trj_stream_header h = {0};
    struct trj_frame f = {0};
    struct obs_system s = {0};
    struct obs_observable o = {0};
    struct obs_view *v = NULL;
    char text[100];
    double value = NAN, want = NAN;
    snprintf(text, sizeof text, "sasa(all, points=%zu, probe=0, radii=stream)", points);
    bool good = !make(&h, &f);
    for (size_t i = 0; good && i < ATOMS; i++)
        for (int k = 0; k < 3; k++)
            // Some atoms are at the places of others, and some at places that touch.
            f.x[k][i] = i % 9 == 8 ? f.x[k][i - 8] : (float)(floor(4 * size * (random_number() - 0.3)) / 4);
    f.unit = 1;
    f.cell = *cell;
    good = good && !obs_system_open(&s, &h, &err) && !obs_observable_open(&o, text, &s, &err) &&
           !obs_view_open(&v, &s, &err);
    if (good) obs_view_begin(v, &f);
    good = good && !obs_observable_compute(&o, v, &value, &err);
    if (good) want = area(&f, points, images);
    if (value != want) printf("# %zu points: %.17g, not %.17g\n", points, value, want);
    obs_view_close(v);
    obs_observable_free(&o);
    obs_system_free(&s);
    trj_frame_free(&f);
    trj_stream_header_free(&h);
    return good && value == want;
}

static void test_rule(void) {
    static const struct trj_cell none = {0}, large = {.h = {{9, 0, 0}, {4, 8, 0}, {-3, 3.5, 7}}, .periodic = 7},
                                 small = {.h = {{3, 0.5, 0}, {0, 4, 0}, {0, 1.5, 5}}, .periodic = 7};
    static const size_t points[] = {1, 15, 16, 17, 100, 333};
    bool good = true;
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        for (size_t i = 0; i < ATOMS; i++) radius[i] = 1 + 0.25 * floor(5 * random_number());
        good = good && agrees(&none, 8, points[k], 0) && agrees(&none, 20, points[k], 0) &&
               agrees(&large, 12, points[k], 2);
    }
    ok(good, "sasa() is as the rule says");
    good = true;
    for (size_t i = 0; i < ATOMS; i++) radius[i] = 0.25 + 0.25 * floor(8 * random_number());
    ok(agrees(&small, 5, 50, 3), "sasa() of cells with many images is as the rule says");
    static const double sizes[] = {0, 1e-30, 1e-5, 1e-3, 0.5, 2, 2, 5};
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < ATOMS; i++) radius[i] = sizes[(size_t)(8 * random_number())];
        good = good && agrees(&none, 6, 60, 0) && agrees(&none, 30, 60, 0);
    }
    ok(good, "sasa() of spheres from 0 to 5 Angstrom is as the rule says");
    for (size_t i = 0; i < ATOMS; i++) radius[i] = i % 4 ? 2e4 + (double)i : 1;
    ok(agrees(&none, 30, 60, 0), "sasa() of spheres of 20,000 Angstrom is as the rule says");
}

int main(void) {
#ifdef __x86_64__
    test_kernel(&obs_surface_kernel_avx512, TRJ_ISA_AVX512, "avx512");
    test_kernel(&obs_surface_kernel_avx2, TRJ_ISA_AVX2, "avx2");
#endif
    test_kernel(&obs_surface_kernel_plain, TRJ_ISA_PLAIN, "plain");
    test_rule();
    return done();
}
