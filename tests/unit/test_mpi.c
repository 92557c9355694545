// SPDX-License-Identifier: MIT
// Tests the division of GPUs, of slabs of atoms and of maps among ranks, and the detection of launchers (mpi/*.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_ranks.h"
#include "map_ranks.h"
#include "mpi_gpus.h"
#include "mpi_launcher.h"
#include "mpi_share.h"
#include "rank_places.h"
#include "tap.h"

static bool good = true;

static void check(bool condition) {
    good = good && condition;
}

static void report(const char *what) {
    ok(good, "%s", what);
    good = true;
}

static void test_gpus(void) {
    struct trj_mpi_gpus all[4] = {0};
    char list[TRJ_MPI_GPUS_TEXT];
    unsigned sharing;
    for (int i = 0; i < 4; i++) strcpy(all[i].uuids, "GPU-a,GPU-b,GPU-c,GPU-d,GPU-e");
    static const char *const parts[] = {"GPU-a", "GPU-b", "GPU-c", "GPU-d,GPU-e"};
    for (size_t i = 0; i < 4; i++) {
        trj_mpi_gpus_divide(list, &sharing, all, 4, i);
        check(!strcmp(list, parts[i]) && sharing == 1);
    }
    // More ranks than GPUs.
    for (int i = 0; i < 4; i++) strcpy(all[i].visible, "2,3");
    for (size_t i = 0; i < 4; i++) {
        trj_mpi_gpus_divide(list, &sharing, all, 4, i);
        check(!strcmp(list, i < 2 ? "2" : "3") && sharing == 2);
    }
    // Bound by a scheduler, in the list or by hidden GPUs.
    for (int i = 0; i < 4; i++) strcpy(all[i].visible, i % 2 ? "1" : "0");
    all[2].uuids[4] = all[3].uuids[4] = 'x';
    for (size_t i = 0; i < 4; i++) {
        trj_mpi_gpus_divide(list, &sharing, all, 4, i);
        check(!*list && sharing == 1);
    }
    // No GPUs.
    memset(all, 0, sizeof all);
    trj_mpi_gpus_divide(list, &sharing, all, 4, 1);
    check(!*list && sharing == 1);
}

// Each pair of slabs is counted once, and each slab counts about as many.
static void test_slab_pairs(void) {
    for (size_t n = 2; n <= 24; n += 2) {
        const struct rdf_slabs s = {.count = n};
        size_t least = n, most = 0;
        for (size_t a = 0; a < n; a++) {
            size_t counted = 0;
            for (size_t b = 0; b < n; b++) {
                if (a == b) continue;
                check(rdf_slabs_count(&s, a, b) != rdf_slabs_count(&s, b, a));
                counted += rdf_slabs_count(&s, a, b);
            }
            least = counted < least ? counted : least;
            most = counted > most ? counted : most;
        }
        check(most - least <= 1);
    }
}

static void test_slab_cuts(void) {
    static uint64_t atoms[RDF_RANKS_BINS];
    uint32_t first[9];
    struct rdf_slabs s = {.count = 8, .first = first};
    for (uint32_t i = 0; i < RDF_RANKS_BINS; i++) atoms[i] = i < RDF_RANKS_BINS / 2 ? 3 : 1;
    rdf_slabs_cut(&s, atoms);
    check(first[0] == 0 && first[8] == RDF_RANKS_BINS);
    for (int k = 0; k < 8; k++) {
        uint64_t n = 0;
        for (uint32_t i = first[k]; i < first[k + 1]; i++) n += atoms[i];
        check(n >= 1020 && n <= 1028); // 8192 atoms
    }
    memset(atoms, 0, sizeof atoms);
    atoms[7] = 100; // all atoms in one bin: one slab has them all
    rdf_slabs_cut(&s, atoms);
    size_t with = 0;
    for (int k = 0; k < 8; k++) with += first[k] <= 7 && 7 < first[k + 1];
    check(with == 1 && first[8] == RDF_RANKS_BINS);
    // A periodic slab at the end is near points at the start.
    for (uint32_t k = 0; k <= 8; k++) first[k] = k * RDF_RANKS_BINS / 8;
    check(rdf_slabs_near(&s, 7, 0.01, 0.02, true));
    check(!rdf_slabs_near(&s, 7, 0.01, 0.02, false));
    check(rdf_slabs_near(&s, 0, 0.99, 0.02, true));
    check(rdf_slabs_near(&s, 3, 0.51, 0.02, false) && !rdf_slabs_near(&s, 3, 0.53, 0.02, false));
}

static void test_shares(void) {
    for (unsigned n = 1; n < 9; n++) {
        size_t from, to, next = 0;
        for (unsigned i = 0; i < n; i++) {
            rdf_ranks_share(1001, i, n, &from, &to);
            check(from == next && to >= from);
            next = to;
        }
        check(next == 1001);
    }
}

// The slabs of all ranks follow each other, consist of whole layers, and differ by at most one of them.
static void test_map_slabs(void) {
    for (unsigned ranks = 1; ranks < 6; ranks++)
        for (uint64_t layer = 1; layer < 9; layer += 7)
            for (uint64_t planes = layer * ranks; planes < layer * 24; planes++) {
                const uint64_t counts[2] = {planes / layer,
                                            (planes + layer - 1) / layer}; // a long or a short last layer
                for (int i = 0; i < 2; i++) {
                    uint64_t next = 0;
                    for (unsigned rank = 0; rank < ranks; rank++) {
                        struct trj_map_slab s = ana_map_ranks_slab(planes, layer, counts[i], rank, ranks);
                        check(s.planes && s.first == next && s.first % layer == 0);
                        check(rank + 1 == ranks || s.planes / layer - counts[i] / ranks <= 1);
                        for (next = s.first; next < s.first + s.planes; next++)
                            check(ana_map_ranks_rank_of_plane(next, layer, counts[i], ranks) == rank);
                    }
                    check(next == planes);
                }
            }
}

// Reads a map of hosts with these lines for ranks on a, b.x, a and c.
static int places(uint32_t rank[4], const char *lines, struct trj_error *err) {
    static const char host[4][RDF_HOST_NAME] = {"a", "b.x", "a", "c"};
    char path[] = "/tmp/test_mpi.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) abort();
    fputs(lines, f);
    fclose(f);
    int rc = rdf_rank_places(rank, path, host, 4, err);
    unlink(path);
    return rc;
}

static void test_places(void) {
    static const char *const invalid[] = {"0 0 0 c 3\n1 0 0 a 0\n2 0 0 a 2\n3 0 0 a 1\n", // a has two ranks
                                          "0 0 0 c 3\n1 0 0 a 0\n2 0 0 a 2\n3 0 0 b.y 1\n",
                                          "0 0 0 c 3\n1 0 0 a 0\n2 0 0 a 2\n", // too few
                                          "0 0 0 c 3\n1 0 0 a 0\n2 0 0 a 2\n3 0 0 b 1\n4 0 0 c 1\n",
                                          "0 0 0 c 3\n0 1 0 a 0\n0 2 0 a 2\n0 3 0 b 1\n", // another axis
                                          "c 0 0 0\na 0 1 0\na 0 2 1\nb 0 3 0\n",         // of parts
                                          ""};
    uint32_t rank[4];
    struct trj_error err;
    check(!places(rank, "# x\ty\tz\thost\trank\n0 0 0 c 3\n1 0 0 a 0\n2\t0\t0\tb\t1\n3 0 0 a 2\n", &err));
    check(rank[0] == 3 && rank[1] == 0 && rank[2] == 1 && rank[3] == 2);
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        check(places(rank, invalid[i], &err) == -1 && err.status == TRJ_BAD_DATA);
}

static void test_launcher(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                                            "SLURM_NTASKS",         "SLURM_PROCID",         "PMIX_RANK"};
    struct trj_error err;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    struct trj_mpi_launcher l = trj_mpi_launcher_find();
    check(l.size == 0 && l.kind == TRJ_MPI_OTHER && !trj_mpi_launcher_check(&l, "MPICH", 1, &err));
    setenv("SLURM_NTASKS", "8", 1);
    l = trj_mpi_launcher_find();
    check(l.size == 8 && l.kind == TRJ_MPI_OTHER && trj_mpi_launcher_check(&l, "MPICH", 1, &err) == -1);
    setenv("PMI_SIZE", "4", 1);
    setenv("PMI_RANK", "3", 1);
    l = trj_mpi_launcher_find();
    check(l.size == 4 && l.kind == TRJ_MPI_MPICH && l.rank == 3);
    check(!trj_mpi_launcher_check(&l, "MPICH", 4, &err) && trj_mpi_launcher_check(&l, "MPICH", 1, &err) == -1);
    check(err.status == TRJ_USAGE);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    l = trj_mpi_launcher_find();
    check(l.size == 2 && l.kind == TRJ_MPI_OPEN && l.rank == 0);
}

static void test_sums(void) {
    const int64_t third = INT64_MAX / 3; // 3 * third is INT64_MAX - 1
    struct trj_error err;
    check(!trj_mpi_check_sums((int64_t[]){0, third, -third}, 3, 3, &err));
    check(trj_mpi_check_sums((int64_t[]){0, third + 1}, 2, 3, &err) == -1 && err.status == TRJ_BAD_DATA);
    check(strstr(err.text, "at point 1; end records earlier") != NULL);
    check(trj_mpi_check_sums((int64_t[]){-third - 1}, 1, 3, &err) == -1);
    check(!trj_mpi_check_sums((int64_t[]){INT64_MAX}, 1, 1, &err));
}

int main(void) {
    test_gpus();
    report("GPUs: shared ones are divided, those that are bound stay");
    test_slab_pairs();
    report("slabs: each pair is counted once, and each slab counts as many");
    test_slab_cuts();
    report("slabs have equal numbers of atoms, and periodic neighbours");
    test_shares();
    report("shares of atoms cover all of them");
    test_map_slabs();
    report("slabs of a map: whole layers, and all planes once");
    test_places();
    report("a map of hosts: the slabs of a host go to its ranks in their order, and other maps are rejected");
    test_sums();
    report("sums of ranks: an error if they may exceed 64 bits, and not before");
    test_launcher();
    report("launchers: Open MPI, MPICH and Slurm are detected");
    return done();
}
