// SPDX-License-Identifier: MIT
// Reads the map in rank 0 alone, as the other ranks need no common file system.
#include "rank_places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "mpi_run.h"
#include "number.h"
#include "table_reader.h"

static bool is_same_host(const char *a, const char *b) {
    const size_t n = strcspn(a, "."), m = strcspn(b, ".");
    if (n != m || memcmp(a, b, n) != 0) return false;
    return !a[n] || !b[m] || !strcmp(a, b);
}

// Finds the first rank on a host that has no slab yet; `taken` marks those that have one.
static bool take_rank(const char *name, const char (*host)[RDF_HOST_NAME], size_t ranks, bool *taken, uint32_t *rank) {
    for (size_t i = 0; i < ranks; i++) {
        if (taken[i] || !is_same_host(name, host[i])) continue;
        taken[i] = true;
        *rank = (uint32_t)i;
        return true;
    }
    return false;
}

// Reads "X Y Z HOST RANK" of the domains in their order.
static int read_table(struct trj_lines *l, uint32_t *rank, const char (*host)[RDF_HOST_NAME], size_t ranks, bool *taken,
                      struct trj_error *err) {
    size_t domain = 0;
    int got;
    while ((got = trj_table_next_line(l, err)) > 0) {
        char *rest = l->text, *word[5];
        uint64_t x[3] = {0, 0, 0};
        bool good = true;
        if (*l->text == '#' || !*l->text) continue;
        for (int k = 0; k < 5; k++) word[k] = trj_next_word(&rest);
        for (int k = 0; k < 3; k++) good = good && word[k] && trj_parse_u64(word[k], &x[k]);
        if (!good || !word[4] || x[0] != domain || x[1] || x[2])
            return trj_lines_fail(l, err, "expected '%zu 0 0 HOST RANK', of a table of trjmap --domains %zux1x1",
                                  domain, ranks);
        if (domain == ranks)
            return trj_lines_fail(l, err, "more domains than the %zu ranks; use trjmap --domains %zux1x1", ranks,
                                  ranks);
        if (!take_rank(word[3], host, ranks, taken, &rank[domain++]))
            return trj_lines_fail(
                l, err, "host %.60s is in more domains than it has ranks; give trjmap the hosts of this job", word[3]);
    }
    if (got < 0) return -1;
    if (domain == ranks) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "%zu domains for %zu ranks; use trjmap --domains %zux1x1", domain, ranks, ranks);
}

int rdf_rank_places(uint32_t *rank, const char *path, const char (*host)[RDF_HOST_NAME], size_t ranks,
                    struct trj_error *err) {
    struct trj_input *in;
    if (trj_input_open(&in, path, err)) return -1;
    struct trj_lines l = {.in = in};
    bool *taken = trj_alloc(ranks, sizeof *taken, "ranks", err);
    int rc = taken ? read_table(&l, rank, host, ranks, taken, err) : -1;
    if (rc) trj_error_set_place(err, "%s", trj_input_name(in));
    free(taken);
    trj_input_close(in);
    return rc;
}

int rdf_rank_places_of_job(uint32_t **rank, const char *path, struct trj_error *err) {
    const unsigned size = trj_mpi_size();
    char own[RDF_HOST_NAME] = "";
    const char *node = getenv("SLURMD_NODENAME");
    if (node)
        snprintf(own, sizeof own, "%s", node);
    else if (gethostname(own, sizeof own - 1))
        return trj_fail_errno(err, "--hosts: the name of this host");
    if (!(*rank = trj_alloc(size, sizeof **rank, "ranks", err))) return -1;
    if (trj_mpi_rank()) {
        trj_mpi_exchange(own, sizeof own, 0, NULL, 0, -1);
    } else {
        char(*host)[RDF_HOST_NAME] = trj_alloc(size, sizeof *host, "names of hosts", err);
        if (!host) return -1;
        memcpy(host[0], own, sizeof own);
        for (unsigned i = 1; i < size; i++) trj_mpi_exchange(NULL, 0, -1, host[i], sizeof *host, (int)i);
        const int rc = rdf_rank_places(*rank, path, (const char(*)[RDF_HOST_NAME])host, size, err);
        free(host);
        if (rc) return trj_fail_at(err, "--hosts");
    }
    trj_mpi_broadcast(*rank, size * sizeof **rank);
    return 0;
}
