// SPDX-License-Identifier: MIT
// Times the reading of trajectories, frame by frame and to the end: `time_reader FILE...`. Prints one line of
// tab-separated columns for each file, the best of several rounds. The first round brings the file into the page cache.
//
//     1 format   2 frames   3 atoms   4 1e6 atoms a second   5 1e6 bytes of the file a second   6 file
//
// "atoms" is the number of atoms in the file, also if --pick selects some of them.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "memory.h"
#include "reader.h"
#include "tool.h"

static uint64_t rounds = 10, threads = 1, pick, atoms;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "how often each file is read"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION('j', "threads", COUNT, &threads, "N", "use N threads; 0: all that the process may use"), .max = 4096},
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "atoms that the files have, for formats that do not say it"),
     .max = UINT32_MAX},
    {TRJ_OPTION(0, "pick", COUNT, &pick, "N", "read one atom of N; 0: all"), .max = UINT32_MAX},
    TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "time_reader",
                                     .purpose = "time how trajectories are read; tests/bench/time_reader.c explains",
                                     .operands = "FILE...",
                                     .min_operands = 1,
                                     .max_operands = SIZE_MAX,
                                     .options = options};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_file(struct trj_reader **r, const char *path, struct trj_error *err) {
    if (trj_reader_open_as(r, path, NULL, atoms, err)) return -1;
    size_t n = pick ? ((*r)->atoms - 1) / pick + 1 : 0;
    uint32_t *some = trj_alloc(n, sizeof *some, "atoms", err);
    if (!some) return -1;
    for (size_t i = 0; i < n; i++) some[i] = (uint32_t)(i * pick);
    int rc = n ? trj_reader_pick(*r, some, n, err) : 0;
    free(some);
    return rc || trj_reader_read_ahead(*r, (unsigned)threads, 1, UINT64_MAX, err) ? -1 : 0;
}

static int time_file(const char *path, struct trj_frame *f, struct trj_error *err) {
    double best = 0;
    for (uint64_t k = 0; k < rounds; k++) {
        struct trj_reader *r = NULL;
        double start = now();
        int got = open_file(&r, path, err) ? -1 : 1;
        while (got > 0) got = trj_reader_read(r, f, err);
        double took = now() - start;
        best = !k || took < best ? took : best;
        if (!got && k + 1 == rounds)
            printf("%s\t%llu\t%zu\t%.1f\t%.1f\t%s\n", r->format->name, (unsigned long long)r->next, r->atoms,
                   1e-6 * (double)r->next * (double)r->atoms / best, 1e-6 * (double)r->offset / best, path);
        trj_reader_close(r);
        if (got) return -1;
    }
    return 0;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct trj_frame f = {0};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    for (int i = first; i < argc && rc > 0; i++)
        if (time_file(argv[i], &f, &err)) rc = -1;
    trj_frame_free(&f);
    return rc < 0 ? trj_tool_fail(&err) : fflush(stdout) != 0;
}
