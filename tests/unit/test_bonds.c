// SPDX-License-Identifier: MIT
// Tests the selection of bonds between stream atoms: all shortest paths keep their lengths, and bonds that are on no
// path are omitted.
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "tap.h"

enum { MAX_ATOMS = 24 };

static struct trj_error err;

static uint64_t next_random(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Computes the numbers of bonds on the shortest paths (Floyd-Warshall); MAX_ATOMS: no path.
static void distances(int d[2 * MAX_ATOMS][2 * MAX_ATOMS], size_t n, uint32_t (*bond)[2], size_t count) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) d[i][j] = i == j ? 0 : MAX_ATOMS;
    for (size_t k = 0; k < count; k++) {
        uint32_t i = bond[k][0], j = bond[k][1];
        if (i != j) d[i][j] = d[j][i] = 1;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}

static void check_random(void) {
    int wrong = 0;
    size_t between_all = 0;
    for (int t = 0; t < 20000; t++) {
        uint32_t bond[3 * MAX_ATOMS][2], rows[MAX_ATOMS], (*kept)[2];
        size_t n = 1 + next_random() % MAX_ATOMS, count = next_random() % (2 * n), stream_atoms = 0, kept_count,
               between;
        size_t first = n + next_random() % 3;
        int before[2 * MAX_ATOMS][2 * MAX_ATOMS], after[2 * MAX_ATOMS][2 * MAX_ATOMS];
        for (size_t k = 0; k < count; k++)
            for (int e = 0; e < 2; e++) bond[k][e] = (uint32_t)(next_random() % n);
        for (uint32_t i = 0; i < n; i++)
            if (next_random() % 3 == 0) rows[stream_atoms++] = i;
        if (trj_bonds_between(bond, count, n, rows, stream_atoms, first, &kept, &kept_count, &between, &err)) abort();
        bool good = first + between <= 2 * MAX_ATOMS && kept_count <= count && between <= kept_count;
        distances(before, n, bond, count);
        if (good) distances(after, first + between, kept, kept_count);
        for (size_t i = 0; good && i < stream_atoms; i++)
            for (size_t j = 0; good && j < stream_atoms; j++) good = after[i][j] == before[rows[i]][rows[j]];
        between_all += between;
        wrong += !good;
        free(kept);
    }
    ok(!wrong && between_all > 1000, "random bonds: paths between stream atoms keep their lengths, %d of 20000 wrong",
       wrong);
}

// A chain 0-1-2-3-4-5 with a branch 2-6-7, a ring 8-9-10, and a bond of 11 with itself.
static void check_chain(void) {
    uint32_t bond[][2] = {{0, 1}, {2, 1}, {2, 3}, {3, 4}, {5, 4}, {6, 2}, {6, 7}, {8, 9}, {9, 10}, {8, 10}, {11, 11}};
    static const uint32_t rows[] = {1, 4}, expected[][2] = {{10, 0}, {10, 11}, {11, 1}};
    uint32_t(*kept)[2];
    size_t count, between;
    if (trj_bonds_between(bond, 11, 12, rows, 2, 10, &kept, &count, &between, &err)) abort();
    ok(count == 3 && between == 2 && !memcmp(kept, expected, sizeof expected),
       "ends, branches and separate rings are omitted");
    free(kept);
    if (trj_bonds_between(bond, 11, 12, rows, 1, 10, &kept, &count, &between, &err)) abort();
    ok(kept && !count && !between, "single stream atom: no bonds");
    free(kept);
    int rc = trj_bonds_between(bond, 11, 12, rows, 2, UINT32_MAX, &kept, &count, &between, &err);
    ok(rc == -1 && err.status == TRJ_BAD_DATA && !kept, "more than 2^32 atoms: %s", err.text);
}

static void check_compare(void) {
    uint32_t a[][2] = {{0, 1}, {2, 1}, {3, 3}}, same[][2] = {{1, 2}, {3, 3}, {1, 0}, {0, 1}},
             fewer[][2] = {{0, 1}, {3, 3}}, other[][2] = {{0, 1}, {2, 1}, {3, 0}}, pair[2];
    ok(!trj_bonds_compare(a, 3, same, 4, 4, pair, &err) && !trj_bonds_compare(NULL, 0, NULL, 0, 4, pair, &err),
       "lists in another order, with a repeated bond: equal");
    ok(trj_bonds_compare(a, 3, fewer, 2, 4, pair, &err) == 1 && pair[0] == 1 && pair[1] == 2 &&
           trj_bonds_compare(fewer, 2, a, 3, 4, pair, &err) == 1 && pair[0] == 1 && pair[1] == 2,
       "a bond in one of the lists only, in any order of the lists");
    ok(trj_bonds_compare(a, 3, other, 3, 4, pair, &err) == 1 && pair[0] == 0 && pair[1] == 3, "another bond");
}

static void check_gaps(void) {
    static const uint32_t residue[] = {7, 7, 8, 9, 9};
    uint32_t bond[][2] = {{0, 1}, {3, 4}};
    bool all, some, none;
    if (trj_bonds_find_gaps(bond, 2, residue, 5, &all, &err) || trj_bonds_find_gaps(bond, 1, residue, 5, &some, &err) ||
        trj_bonds_find_gaps(bond, 0, residue + 1, 3, &none, &err))
        abort();
    ok(!all && some && !none, "an atom without a bond in a residue of several atoms: bonds are missing");
}

int main(void) {
    check_random();
    check_chain();
    check_compare();
    check_gaps();
    return done();
}
