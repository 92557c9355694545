// SPDX-License-Identifier: MIT
// Compares distances from sets, residues and molecules, found by tiles in several threads, with those of brute force,
// in all cell shapes; and the volumes at these distances with exact ones.
#include "surface_search.h"

#include "cell_shapes.h"
#include "memory.h"
#include "tap.h"
#include "uniform.h"

enum { ATOMS = 100, HALF = ATOMS / 2, FRAMES = 2, BINS = 64, PAIRS = 3 };

static uint32_t all[ATOMS], even[HALF], odd[HALF], number[ATOMS];
static char names[4][5] = {"all", "even", "odd", "some"};
static struct trj_group groups[] = {{names[0], ATOMS, all, false, 0},
                                    {names[1], HALF, even, false, 0},
                                    {names[2], HALF, odd, false, 0},
                                    {names[3], HALF, even, true, 0}};

static void make_groups(void) {
    for (uint32_t i = 0; i < ATOMS; i++) {
        all[i] = i;
        (i % 2 ? odd : even)[i / 2] = i;
        number[i] = 7 + i / 5 % 9; // objects whose atoms are not consecutive
    }
}

// Adds the counts of all frames; *sum is that of all counts.
static bool count(uint64_t to[PAIRS][2 + 2 * BINS], const struct rdf_job *job, const struct rdf_surface_setup *setup,
                  const struct shape *s, enum placing how, bool force, uint64_t *sum) {
    struct rdf_surface_search *search = NULL;
    struct trj_error err = {.text = ""};
    struct trj_frame f = {.atoms = 0};
    uniform_state = 7;
    bool good = !trj_frame_resize(&f, ATOMS, &err) && !trj_frame_resize_members(&f, 2, &err) &&
                !rdf_surface_search_open(&search, job, setup, number, force, &err);
    *sum = 0;
    for (uint64_t k = 0; good && k < FRAMES; k++) {
        place(&f, s, how, 1);
        f.index = k;
        f.farthest = 0;
        for (int w = 0; w < 2; w++) f.members[w] = k ? 0 : 0x5555; // in the last frame, no atom is a member
        good = !rdf_job_check_frame(job, &f, &err) && !rdf_surface_search_frame(search, &f, &err);
        for (size_t p = 0; good && p < PAIRS; p++) {
            const struct rdf_surface_counts *c = &rdf_surface_search_counts(search)[p];
            to[p][0] += c->objects;
            to[p][1] += c->pairs;
            for (size_t b = 0; b < BINS; b++) {
                to[p][2 + b] += c->counts[b];
                to[p][2 + BINS + b] += c->points[b];
                *sum += c->counts[b] + c->points[b];
            }
        }
    }
    if (!good) printf("# %s\n", err.text);
    rdf_surface_search_close(search);
    trj_frame_free(&f);
    return good;
}

static void test_shapes(void) {
    static const struct rdf_pair of_sets[PAIRS] = {{1, 2, 1}, {2, 1, 1}, {3, 2, 1}},
                                 of_objects[PAIRS] = {{0, 0, 1}, {1, 2, 1}, {3, 0, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int how = 0; how < PLACINGS; how++)
            for (enum rdf_surface_kind kind = RDF_SURFACE_SET; kind < RDF_SURFACES; kind++) {
                uint64_t tiles[PAIRS][2 + 2 * BINS] = {{0}}, force[PAIRS][2 + 2 * BINS] = {{0}}, sum, other;
                const struct rdf_surface_setup setup = {kind, 6};
                const bool set = kind == RDF_SURFACE_SET;
                struct rdf_job job = {.bins = {.rmax = fmin(shapes[s].rmax, 10), .count = BINS},
                                      .atoms = ATOMS,
                                      .group_count = 4,
                                      .groups = groups,
                                      .pair_count = PAIRS,
                                      .pairs = set ? of_sets : of_objects,
                                      .threads = 3};
                if (shapes[s].periodic != TRJ_PERIODIC_ALL || shapes[s].rmax > 1e5 || (!set && how > LATTICE)) continue;
                bool good = count(tiles, &job, &setup, &shapes[s], (enum placing)how, false, &sum) &&
                            count(force, &job, &setup, &shapes[s], (enum placing)how, true, &other);
                good = good && sum && !memcmp(tiles, force, sizeof tiles);
                good = good && tiles[0][0] == FRAMES * (set ? 1 : 9) && tiles[2][0] == (set ? 1 : tiles[2][0]);
                ok(good, "%s, %s, %s: tiles equal brute force (sum %llu)", shapes[s].name, placing_name[how],
                   rdf_surface_name(kind), (unsigned long long)sum);
            }
}

// The points of a cube around one atom, and around two atoms that are far apart: their numbers are those of volumes.
static void test_volumes(void) {
    enum { N = 64, CUBE = 40 };
    struct trj_error err = {.text = ""};
    struct trj_frame f = {.atoms = 0};
    uint32_t one[] = {0}, two[] = {0, 1}, rest[] = {2};
    struct trj_group g[] = {{names[0], 1, one, false, 0}, {names[1], 2, two, false, 0}, {names[2], 1, rest, false, 0}};
    struct rdf_pair pairs[] = {{0, 2, 1}, {1, 2, 1}};
    struct rdf_job job = {.bins = {.rmax = 10, .count = 10},
                          .atoms = 3,
                          .group_count = 3,
                          .groups = g,
                          .pair_count = 2,
                          .pairs = pairs,
                          .threads = 2};
    const struct rdf_surface_setup setup = {RDF_SURFACE_SET, N};
    struct rdf_surface_search *search = NULL;
    bool good = !trj_frame_resize(&f, 3, &err) && !rdf_surface_search_open(&search, &job, &setup, NULL, false, &err);
    for (size_t i = 0; good && i < 3; i++)
        for (int k = 0; k < 3; k++) f.x[k][i] = (float)(i == 0 ? 1 : i == 1 ? 21 : 1 + 3 * (k == 2));
    f.unit = 1;
    f.cell.periodic = TRJ_PERIODIC_ALL;
    for (int k = 0; k < 3; k++) f.cell.h[k][k] = CUBE;
    for (uint64_t frame = 0; good && frame < 3; frame++) {
        f.index = frame;
        if ((good = !rdf_surface_search_frame(search, &f, &err))) {
            const struct rdf_surface_counts *c = rdf_surface_search_counts(search);
            for (uint64_t k = 0; k < 10; k++) {
                double low = (double)k, high = low + 1, share = (double)N * N * N / (CUBE * CUBE * CUBE);
                double expected = 4.18879020478639 * (high * high * high - low * low * low) * share;
                for (int p = 0; p < 2; p++) {
                    double found = (double)c[p].points[k], x = expected * (p + 1);
                    if (fabs(found - x) > 4 * sqrt(x)) printf("# bin %u: %g, expected %g\n", (unsigned)k, found, x);
                    good = good && fabs(found - x) <= 4 * sqrt(x);
                }
                good = good && c[0].counts[k] == (k == 3) && c[1].counts[k] == (k == 3);
            }
        }
    }
    ok(good, "one atom, and two atoms far apart: the points of a shell are its volume, and twice that");
    f.cell.periodic = TRJ_PERIODIC_A | TRJ_PERIODIC_B;
    good = search && rdf_surface_search_frame(search, &f, &err) && err.status == TRJ_BAD_DATA;
    ok(good, "a slab: rejected");
    rdf_surface_search_close(search);
    search = NULL;
    pairs[1].b = 0;
    good = rdf_surface_search_open(&search, &job, &setup, NULL, false, &err) && err.status == TRJ_USAGE;
    ok(good, "a set with atoms of the other group: rejected");
    trj_frame_free(&f);
}

int main(void) {
    make_groups();
    test_shapes();
    test_volumes();
    return done();
}
