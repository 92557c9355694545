// SPDX-License-Identifier: MIT
// Compares numbers of neighbours, their exchange and triplets, found by tiles in several threads, with those of brute
// force: all cell shapes and ways to place atoms. Compares bins of angles with arc cosines, and with angles that are
// exact.
#include "cell_shapes.h"
#include "engine.h"
#include "memory.h"
#include "neighbour_count.h"
#include "tap.h"
#include "triplet.h"
#include "uniform.h"

enum { ATOMS = 100, FRAMES = 3 };

static struct rdf_setup setup;
static struct trj_stream_header header;

// Places the atoms of a frame; equal seeds give equal positions. Some atoms keep their previous positions.
static void next_frame(struct trj_frame *f, const struct shape *s, enum placing how, int number) {
    struct trj_error err;
    struct trj_frame before = {.atoms = 0};
    if (trj_frame_resize(&before, ATOMS, &err)) exit(1);
    for (int k = 0; k < 3; k++) memcpy(before.x[k], f->x[k], ATOMS * sizeof(float));
    place(f, s, how, 1);
    for (size_t i = 0; number && i < ATOMS; i++)
        for (int k = 0; k < 3 && uniform() < 0.8; k++) f->x[k][i] = before.x[k][i];
    f->index = (uint64_t)number;
    f->time = number;
    trj_frame_free(&before);
}

static bool count(struct rdf_record *r, const struct rdf_job *job, const struct shape *s, enum placing how,
                  const struct rdf_neighbour_engine *engine) {
    struct rdf_neighbour_counter *c = NULL;
    struct trj_error err = {.text = ""};
    struct trj_frame f = {.atoms = 0};
    const struct trj_gap interval = {TRJ_GAP_TIME, 1};
    uniform_state = 7;
    bool good = !trj_frame_resize(&f, ATOMS, &err) && !rdf_record_open_neighbours(r, &setup, &err) &&
                !rdf_neighbour_counter_open(&c, &header, job, &setup, engine, &interval, NULL, &err);
    for (int k = 0; good && k < FRAMES; k++) {
        next_frame(&f, s, how, k);
        good = !rdf_neighbour_counter_add(c, &f, true, false, r, &err);
    }
    if (good) good = !rdf_neighbour_counter_finish(c, r, &err);
    if (!good) printf("# %s\n", err.text);
    rdf_neighbour_counter_close(c);
    trj_frame_free(&f);
    return good;
}

static void test_shapes(void) {
    uint32_t all[ATOMS], even[ATOMS / 2], first[40];
    char names[3][6] = {"all", "even", "first"};
    for (uint32_t i = 0; i < ATOMS; i++) {
        all[i] = i;
        if (i < ATOMS / 2) even[i] = 2 * i;
        if (i < 40) first[i] = i;
    }
    struct trj_group groups[] = {{.name = names[0], .count = ATOMS, .atoms = all},
                                 {.name = names[1], .count = ATOMS / 2, .atoms = even},
                                 {.name = names[2], .count = 40, .atoms = first}};
    struct rdf_pair pairs[] = {{0, 0, 1}, {1, 2, 1}, {2, 0, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int how = 0; how < PLACINGS; how++) {
            // A range that contains the edges of lattices, and few enough neighbours for triplets.
            double r = shapes[s].rmax / 2;
            struct rdf_triplet triplets[] = {{0, 1, 0, {0, 0}, {r / 2, r / 2}, 1},
                                             {2, 0, 1, {r / 8, 0}, {r / 2, r / 3}, 1},
                                             {2, 2, 2, {0, r / 4}, {r / 2, r}, 1}};
            struct rdf_record tiles = {.frames = FRAMES}, force = {.frames = FRAMES};
            setup = (struct rdf_setup){.bins = {.rmax = r, .count = 1},
                                       .group_count = 3,
                                       .pair_count = 3,
                                       .pairs = pairs,
                                       .neighbours = {r, 32},
                                       .triplets = {3, 12, 4, triplets}};
            struct rdf_job job = {.bins = setup.bins,
                                  .atoms = ATOMS,
                                  .group_count = 3,
                                  .groups = groups,
                                  .pair_count = 3,
                                  .pairs = pairs,
                                  .threads = 3};
            header = (struct trj_stream_header){.atoms = ATOMS, .group_count = 3, .groups = groups};
            size_t row = rdf_neighbour_row(&setup.neighbours), n = 3 * row, m = 3 * rdf_triplet_row(&setup.triplets);
            uint64_t sum = 0;
            bool good = count(&tiles, &job, &shapes[s], (enum placing)how, &rdf_neighbour_cpu) &&
                        count(&force, &job, &shapes[s], (enum placing)how, &rdf_neighbour_reference);
            good = good && !memcmp(tiles.neighbours, force.neighbours, n * sizeof *tiles.neighbours) &&
                   !memcmp(tiles.triplets, force.triplets, m * sizeof *tiles.triplets) &&
                   tiles.transitions == FRAMES - 1 && force.transitions == FRAMES - 1;
            for (size_t i = 0; good && i < m; i++) sum += tiles.triplets[i];
            for (size_t i = 0; good && i < n; i++) sum += tiles.neighbours[i];
            ok(good && sum > 0, "%s, %s: tiles equal brute force (%llu counts)", shapes[s].name, placing_name[how],
               (unsigned long long)sum);
            rdf_record_free(&tiles);
            rdf_record_free(&force);
        }
}

static void test_angles(void) {
    struct trj_error err;
    static const struct {
        double a[3], b[3];
        uint32_t degrees;
    } exact[] = {{{1, 1, 0}, {1, 0, 1}, 60}, {{1, 0, 0}, {0, 3, 0}, 90},   {{1, 1, 0}, {-1, 0, 1}, 120},
                 {{1, 0, 0}, {1, 1, 0}, 45}, {{2, 0, 0}, {-4, 4, 0}, 135}, {{1, 2, 3}, {-2, -4, -6}, 179},
                 {{1, 2, 3}, {2, 4, 6}, 0},  {{1, 1, 0}, {2, 1, 1}, 30},   {{1, 1, 0}, {-2, -1, -1}, 150}};
    double *q = rdf_triplet_edges(180, &err);
    bool good = q;
    for (size_t i = 0; good && i < sizeof exact / sizeof *exact; i++) {
        const double *a = exact[i].a, *b = exact[i].b;
        double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
               p = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        uint32_t bin = rdf_triplet_angle(q, 180, dot, p);
        if (bin != exact[i].degrees) printf("# %u degrees: bin %u\n", exact[i].degrees, bin);
        good = good && bin == exact[i].degrees;
    }
    ok(good, "angles whose squared cosine is rational: in the bin that begins with them");
    free(q);
    for (uint32_t angles = 1; angles < 20000; angles = 3 * angles + 1) {
        q = rdf_triplet_edges(angles, &err);
        good = q && q[0] == 1 && q[angles] == -1;
        for (uint32_t m = 0; good && m < angles; m++) {
            double c = cos(3.14159265358979323846 * m / angles);
            good = q[m] > q[m + 1] && q[angles - m] == -q[m] && fabs(q[m] - c * fabs(c)) < 1e-15;
        }
        for (int i = 0; good && i < 1000; i++) {
            double x = 2 * uniform() - 1, theta = acos(x) / 3.14159265358979323846 * angles;
            uint32_t bin = rdf_triplet_angle(q, angles, x, 1);
            good = fabs(theta - (double)bin - 0.5) < 0.5 + 1e-7;
        }
        ok(good, "%u bins of the angle: edges descend and are symmetric, random angles are between them", angles);
        free(q);
    }
}

int main(void) {
    test_shapes();
    test_angles();
    return done();
}
