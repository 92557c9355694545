// SPDX-License-Identifier: MIT
// Reads wave functions ahead, because reading one and checking it takes longer than its orbitals on a lattice.
#include "orbital_series.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "pool.h"

enum { BYTES_AHEAD = 1 << 25 }; // of files; without compression, a wave function takes less memory than its file

// A file that is read ahead.
struct place {
    struct orb_task task;
    size_t file;
    bool ahead; // it is read by the pool
    uint64_t bytes;
    bool failed;
    struct trj_error err;
};

struct orb_series {
    struct orb_series_plan plan;
    struct trj_pool *pool; // a task of it reads the file of a place
    unsigned places;
    struct place *place; // [places] file k is in place k % places
    size_t next, begun;  // files that were returned, and those that were begun or are not read ahead
    uint64_t bytes;      // of the files between them
};

static void read_place(const struct orb_series *s, struct place *p) {
    p->failed = orb_task_make(&p->task, s->plan.request, s->plan.path[p->file], &p->err) != 0;
}

static size_t read_ahead(void *series, unsigned worker, unsigned task) {
    struct orb_series *s = series;
    (void)worker;
    read_place(s, &s->place[task]);
    return 0;
}

static const struct trj_pool_work work = {read_ahead, NULL};

// Returns whether a file is regular, and sets *bytes to its size; otherwise to 0.
static bool is_regular(const char *path, uint64_t *bytes) {
    struct stat st;
    const bool regular = strcmp(path, "-") != 0 && !stat(path, &st) && S_ISREG(st.st_mode);
    *bytes = regular ? (uint64_t)st.st_size : 0;
    return regular;
}

// Begins to read files until all places are in use, or the files that are read ahead have enough bytes.
static void begin_files(struct orb_series *s) {
    for (; s->begun < s->plan.files && s->begun - s->next < s->places; s->begun++) {
        const unsigned number = (unsigned)(s->begun % s->places);
        struct place *p = &s->place[number];
        p->ahead = is_regular(s->plan.path[s->begun], &p->bytes);
        if (s->begun > s->next && s->bytes + p->bytes > BYTES_AHEAD) return;
        p->file = s->begun;
        s->bytes += p->bytes;
        if (p->ahead) trj_pool_start(s->pool, number);
    }
}

int orb_series_open(struct orb_series **series, const struct orb_series_plan *plan, struct trj_error *err) {
    struct orb_series *s = trj_alloc(1, sizeof *s, "wave functions", err);
    if (!s) return -1;
    s->plan = *plan;
    // A single file needs no threads.
    const unsigned threads = plan->files > 1 ? trj_pool_size(plan->threads) : 1;
    s->places = threads > 1 ? 2 * threads : 1;
    s->place = trj_alloc(s->places, sizeof *s->place, "wave functions", err);
    if (!s->place || trj_pool_open(&s->pool, threads, s->places, &work, s, err)) {
        orb_series_close(s);
        return -1;
    }
    begin_files(s);
    *series = s;
    return 0;
}

void orb_series_close(struct orb_series *s) {
    if (!s) return;
    trj_pool_close(s->pool);
    for (unsigned i = 0; s->place && i < s->places; i++) orb_task_free(&s->place[i].task);
    free(s->place);
    free(s);
}

struct orb_task *orb_series_next(struct orb_series *s, struct trj_error *err) {
    const unsigned number = (unsigned)(s->next % s->places);
    struct place *p = &s->place[number];
    begin_files(s);
    if (p->ahead)
        trj_pool_wait(s->pool, number);
    else
        read_place(s, p);
    s->next++;
    s->bytes -= p->bytes;
    if (!p->failed) return &p->task;
    *err = p->err;
    return NULL;
}
