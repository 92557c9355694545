// SPDX-License-Identifier: MIT
// Reads maps in one thread, and computes their surfaces in a pool. A map that is ready is returned before another one
// is read, so that a slow writer of the stream does not delay it.
#include "surface_series.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"

#define BYTES_AHEAD ((uint64_t)1 << 28) // of maps that are kept

// A map that was read.
struct place {
    struct surf_input input;
    struct surf_series_result made;
    bool failed;
    struct trj_error err;
    atomic_bool ready;
};

struct surf_series {
    struct surf_series_plan plan;
    struct trj_pool *pool; // a task of it computes the surfaces of a place; NULL: maps are computed one after the other
    unsigned places;
    struct place *place;  // [places] map k is in place k % places
    uint64_t next, begun; // maps that were returned, and that were read
    int end;              // result of the last attempt to read a map: 1, 0 at the end, -1
    struct trj_error err; // of that attempt
};

static void compute(const struct surf_series *s, struct place *p) {
    struct surf_series_result *m = &p->made;
    p->failed = surf_map_build(&p->input, s->plan.options, s->plan.meshes ? &m->mesh : NULL, m->result, &p->err) != 0;
}

static size_t compute_task(void *series, unsigned worker, unsigned task) {
    struct surf_series *s = series;
    (void)worker;
    compute(s, &s->place[task]);
    atomic_store(&s->place[task].ready, true);
    return 0;
}

static const struct trj_pool_work work = {compute_task, NULL};

static unsigned count_places(const struct surf_series_plan *plan) {
    const struct trj_map_reader *r = plan->map;
    uint64_t bytes = r->map.lattice.n[2] * trj_map_plane_size(&r->map);
    if (plan->colours) bytes += r->map.lattice.n[2] * trj_map_plane_size(&plan->colours->map);
    const unsigned threads = trj_pool_size(plan->threads);
    if (threads < 2 || !r->format->series || plan->options->engine->build || bytes > BYTES_AHEAD / 2) return 1;
    return BYTES_AHEAD / bytes < 2 * threads ? (unsigned)(BYTES_AHEAD / bytes) : 2 * threads;
}

int surf_series_open(struct surf_series **series, const struct surf_series_plan *plan, struct trj_error *err) {
    struct surf_series *s = trj_alloc(1, sizeof *s, "surfaces", err);
    if (!s) return -1;
    s->plan = *plan;
    s->end = 1;
    s->places = count_places(plan);
    s->place = trj_alloc(s->places, sizeof *s->place, "surfaces", err);
    for (unsigned i = 0; s->place && i < s->places; i++) surf_mesh_start(&s->place[i].made.mesh);
    if (!s->place || (s->places > 1 && trj_pool_open(&s->pool, plan->threads, s->places, &work, s, err))) {
        surf_series_close(s);
        return -1;
    }
    *series = s;
    return 0;
}

static void clear_result(struct surf_series_result *m) {
    for (int i = 0; i < 2; i++) free(m->result[i].summary.components);
    memset(m->result, 0, sizeof m->result);
}

void surf_series_close(struct surf_series *s) {
    if (!s) return;
    trj_pool_close(s->pool);
    for (unsigned i = 0; s->place && i < s->places; i++) {
        surf_input_close(&s->place[i].input);
        surf_mesh_free(&s->place[i].made.mesh);
        clear_result(&s->place[i].made);
    }
    free(s->place);
    free(s);
}

// Moves both readers to their next maps. Returns 1, 0 at the end, or -1.
static int next_map(const struct surf_series *s, struct trj_error *err) {
    struct trj_map_reader *map = s->plan.map, *colours = s->plan.colours;
    int rc = trj_map_reader_next(map, err);
    if (rc < 0) return trj_fail_at(err, "%s", trj_input_name(map->in));
    if (!colours) return rc;
    int other = trj_map_reader_next(colours, err);
    if (other < 0) return trj_fail_at(err, "%s", trj_input_name(colours->in));
    if (other == rc) return rc;
    return trj_fail(err, TRJ_BAD_DATA, "%s: has %s maps than %s; give a file with a map of colours for each map",
                    trj_input_name(colours->in), other ? "more" : "fewer", trj_input_name(map->in));
}

// Reads the next map into a place. Returns 1, 0 at the end, or -1.
static int read_map(const struct surf_series *s, struct place *p, struct trj_error *err) {
    const struct trj_stream_header *origin = s->plan.map->origin;
    int rc = next_map(s, err);
    if (rc <= 0) return rc;
    clear_result(&p->made);
    surf_mesh_clear(&p->made.mesh);
    p->made.lines = origin ? origin->provenance_count : 0;
    atomic_store(&p->ready, false);
    if (surf_input_open(&p->input, s->plan.map, s->plan.colours, err)) return -1;
    return s->pool && surf_input_keep(&p->input, err) ? -1 : 1;
}

// Reads maps until all places are in use or the next result is ready.
static void read_ahead(struct surf_series *s) {
    const struct place *first = &s->place[s->next % s->places];
    while (s->end > 0 && s->begun - s->next < s->places && !(s->begun > s->next && atomic_load(&first->ready))) {
        const unsigned number = (unsigned)(s->begun % s->places);
        s->end = read_map(s, &s->place[number], &s->err);
        if (s->end <= 0) return;
        s->begun++;
        if (s->pool) trj_pool_start(s->pool, number);
    }
}

int surf_series_next(struct surf_series *s, const struct surf_series_result **made, struct trj_error *err) {
    const unsigned number = (unsigned)(s->next % s->places);
    struct place *p = &s->place[number];
    read_ahead(s);
    if (s->begun == s->next) {
        if (s->end < 0) *err = s->err;
        return s->end;
    }
    s->next++;
    if (s->pool)
        trj_pool_wait(s->pool, number);
    else
        compute(s, p);
    *made = &p->made;
    if (!p->failed) return 1;
    *err = p->err;
    return -1;
}
